"""The loop of a game at the terminal: answers from people and bots, one after another."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from edict.agents.bots import BOTS, Bot
from edict.agents.bots.bot_registry import is_search
from edict.agents.bots.guest_bot import GuestBot
from edict.agents.bots.planned_bot import PlannedBot, create_table_bot
from edict.apps.cli.command_errors import (
    STOPPED,
    PlayerLeaves,
    RulesErrorWithSources,
    RulesSaved,
    UsageError,
    print_error,
)
from edict.apps.cli.commands.campaign import describe_campaign, describe_campaign_warning, record_campaign_result
from edict.apps.cli.playing import saved_games
from edict.apps.cli.playing.keyboard import Keyboard
from edict.apps.cli.playing.screen import Screen
from edict.apps.cli.playing.session import Session
from edict.apps.cli.playing.typed_dice import ask_for_dice
from edict.apps.cli.rules_by_name import find_translated_manifest, load_sources
from edict.apps.cli.seating import print_bot_remarks, print_speed_notice
from edict.game.table.game import Game
from edict.game.table.seeded_draws import bot_seed
from edict.runtime.program.opcodes import CHANCE
from edict.runtime.program.option_keys import to_stable_slug
from edict.support.records import dataclass
from edict.support.report import RulesError
from edict.support.request_errors import RequestError
from edict.support.translations import N_
from edict.support.translations.texts import join_texts, translate

if TYPE_CHECKING:
    from edict.apps.cli.playing.live_reload import RulesReloader

SPEEDS = {"slow": 2.0, "normal": 0.7, "fast": 0.2}
MAX_PAUSE = 60.0  # seconds
PRIMER_OFFER = N_("Press Enter to begin, or type `primer` to read how to play.")


@dataclass(frozen=True, slots=True)
class PlaySettings:
    """The settings for play at this keyboard, as typed.

    Raises `UsageError` for invalid ones, before a game is started.
    """

    speed: str = ""
    simple: bool = False  # print plain lines
    takebacks: str = ""
    watch: bool = False  # reload the rules when they are saved

    def __post_init__(self) -> None:
        if self.speed:
            parse_speed(self.speed)
        if self.takebacks not in ("", "strict", "free"):
            raise UsageError(f"invalid value `{self.takebacks}` for --takebacks", "write strict or free")

    def make_screen(self, players: Sequence[str]) -> Screen:
        """Return the screen for a game of these players."""
        return Screen(players, self.simple)


def play_at_terminal(
    game: Game,
    bots: Sequence[str],
    path: Path | None,
    play_settings: PlaySettings,
    seed: str = "",
    known_entries: int | None = None,
) -> int:
    """Play a game at this terminal until it is over or the player leaves; return the exit code.

    Args:
        game: The game.
        bots: Kind of bot by seat; empty for a person.
        path: The file in which it is saved, if it is.
        play_settings: The settings for play at this keyboard.
        seed: The seed, if the user chose it.
        known_entries: For a resumed game, the number of log entries that are not shown again.
    """
    screen = play_settings.make_screen(game.players)
    make_bots = partial(_make_bots, bots)
    reloading = _start_reloader(game, make_bots, screen) if play_settings.watch else None
    if play_settings.speed:
        pace = parse_speed(play_settings.speed)
    elif screen.alive:
        pace = 0.7
    else:
        pace = 0.0
    session = Session(game, screen, make_bots(game), pace, path)
    session.attended = True
    session.free_takebacks = allows_free_takebacks(play_settings, bots)
    session.seen = dict.fromkeys(session.seen, known_entries or 0)
    screen.say(_describe_game(game, bots, seed), *describe_modules(game.journal.header.modules))
    screen.say(*describe_campaign(game), *describe_campaign_warning(game))
    try:
        if known_entries is None:
            offer_primer(screen, game, bool(session.people))
        GameLoop(session, reloading).run()
    except PlayerLeaves as leave:
        session.leave()
        path = session.path
        resume_command = saved_games.format_command(path) if path else ""
        if path:
            hint = [translate("The game is saved. To continue:"), f"  {resume_command}"]
        else:
            hint = [translate("The game was not saved.")]
        screen.draw(screen.to_text(line) for line in hint)
        return STOPPED if leave.interrupted else 0
    except RulesError as error:
        header = game.journal.header
        raise RulesErrorWithSources(error.diagnostics, load_sources([header.game, *header.modules])) from None
    _finish_game(session)
    return 0


def _finish_game(session: Session) -> None:
    """Record the result in the campaign, if there is one, then show it; this way it counts even if the screen fails."""
    campaign_lines: list[str] = []
    try:
        campaign_lines = record_campaign_result(session.game)
    finally:
        session.finish()
        session.screen.say(*campaign_lines)


def parse_speed(speed: str) -> float:
    """Return a speed, a word or seconds, in seconds per move. Raises `UsageError`."""
    if speed in SPEEDS:
        return SPEEDS[speed]
    try:
        value = float(speed)
    except ValueError:
        value = -1.0
    if not 0 <= value <= MAX_PAUSE:
        words = ", ".join(SPEEDS)
        raise UsageError(f"invalid speed `{speed}`", f"write seconds for each move from 0 to 60, or {words}")
    return value


def allows_free_takebacks(play_settings: PlaySettings, bots: Sequence[str]) -> bool:
    """Return True if undo takes back anything. Raises `UsageError` if several people play."""
    if play_settings.takebacks == "free" and bots.count("") > 1:
        raise UsageError("--takebacks free is for a single person against bots", "leave it out, or seat one person")
    return play_settings.takebacks == "free"


def _make_bots(bots: Sequence[str], game: Game) -> dict[int, Bot]:
    """Create the bots of a game, by seat."""
    seed = game.table.seed
    if any(is_search(kind) for kind in bots):
        print_speed_notice()
    print_bot_remarks([kind for kind in bots if kind], game.program)
    bots_by_seat = {seat: _create_bot(game, seat, kind, bot_seed(seed, seat)) for seat, kind in enumerate(bots) if kind}
    for bot in bots_by_seat.values():
        player = bot.inner if isinstance(bot, PlannedBot) else bot
        if isinstance(player, GuestBot):
            player.on_fault = _report_bot_fault
    return bots_by_seat


def _create_bot(game: Game, seat: int, kind: str, seed: int) -> Bot:
    """Create the bot of a seat; report a plan that the rules of the game no longer allow."""
    try:
        return create_table_bot(game.table, seat, kind, seed)
    except (RequestError, RulesError) as error:
        reason = error.first if isinstance(error, RulesError) else error
        print_error(f"{game.players[seat]} plays without the plan: {reason}")
        return BOTS[kind](game.program, seed)


def _report_bot_fault(fault: str) -> None:
    print_error(f"the bot {fault}", "a random option is chosen instead")


def _start_reloader(game: Game, bots: Callable[[Game], Mapping[int, Bot]], screen: Screen) -> RulesReloader:
    """Return a started watcher of the rules of the game."""
    from edict.apps.cli.playing.live_reload import RulesReloader

    reloading = RulesReloader(game.journal.header, bots)
    reloading.start(lambda: screen.asking)
    return reloading


def _describe_game(game: Game, bots: Sequence[str], seed: str) -> str:
    """Return the title and the players, and a seed that the user chose; a random seed would reveal the future."""
    plans = game.table.header.plans or ("",) * len(bots)
    players = join_texts(
        _describe_player(name, kind, plan) for name, kind, plan in zip(game.players, bots, plans, strict=True)
    )
    description = f"{game.program.title}: {players}."
    return f"{description} {translate('Seed {number}.', number=seed)}" if seed else description


def _describe_player(name: str, kind: str, plan: str) -> str:
    """Return a player's name, with the kind of bot and its plan if there are any."""
    if not kind:
        return name
    if plan:
        return translate("{player} ({kind} bot, plan: {plan})", player=name, kind=kind, plan=" ".join(plan.split()))
    return translate("{player} ({kind} bot)", player=name, kind=kind)


def describe_modules(modules: Sequence[str]) -> list[str]:
    """Return title and summary of each module, and the sheet of a scenario."""
    lines: list[str] = []
    for manifest in filter(None, map(find_translated_manifest, modules)):
        lines.append(f"{manifest.title}. {manifest.summary}" if manifest.summary else manifest.title)
        lines += manifest.sheet.splitlines() if manifest.kind == "scenario" else []
    return lines


def offer_primer(screen: Screen, game: Game, people: bool) -> None:
    """Offer the primer if a person plays these rules for the first time."""
    if not people or not sys.stdin.isatty() or _was_played_before(game):
        return
    screen.say(translate("Is this your first game of {title}?", title=game.program.title))
    if screen.ask(f"{translate(PRIMER_OFFER)} "):
        from edict.apps.cli.playing.help import show_primer

        show_primer(screen, game)
        screen.ask(translate("Press Enter to begin.") + " ")


def _was_played_before(game: Game) -> bool:
    """Return True if another game of these rules is saved; this one already is."""
    return len(saved_games.find_by_prefix(to_stable_slug(game.program.title))) > 1


# --- one answer after another


class GameLoop:
    """A loop that plays the game of a session."""

    def __init__(self, session: Session, reloading: RulesReloader | None = None) -> None:
        self.session = session
        self.reloading = reloading
        self.keyboard = Keyboard(session)

    def run(self) -> None:
        """Play until the game is over. Raises `PlayerLeaves`."""
        try:
            while not self.session.game.over:
                self.step_with_reloading() if self.reloading else self.step()
        except KeyboardInterrupt:
            raise PlayerLeaves(interrupted=True) from None

    def step_with_reloading(self) -> None:
        """Apply saved rules, then take one answer."""
        assert self.reloading is not None
        try:
            self.reloading.apply_saved_rules(self.session)
            if not self.session.game.over:
                self.step()
        except RulesSaved:
            return  # the question is asked again under the new rules
        except RulesError as error:
            self.reloading.wait_for_fix(self.session, error)

    def step(self) -> None:
        """Take one answer from dice, a bot or a person."""
        session, seat = self.session, self.session.game.seat
        if seat == CHANCE:
            ask_for_dice(session, self.keyboard)
        elif seat in session.bots:
            self.play_bot_turn(seat)
        else:
            self.play_person_turn(seat)

    def play_bot_turn(self, seat: int) -> None:
        """Take a bot's answer, and show the events once its turn is over."""
        session, game = self.session, self.session.game
        game.answer(session.bots[seat].choose(game.view(seat), game.ask))
        if game.over or game.seat != seat:
            if session.tell() and session.speed > 0:
                time.sleep(session.speed)

    def play_person_turn(self, seat: int) -> None:
        """Show the question to a person and wait for the answer."""
        if self.session.holder != seat:
            self.session.hand_over(seat)
        self.session.present()
        self.keyboard.read_answer(seat)
