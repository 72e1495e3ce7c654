"""The course of a game at the terminal: one answer after another, from people and bots."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from edict.agents.bots import BOTS, Bot
from edict.agents.bots.guest import GuestBot
from edict.agents.bots.kinds import thinks
from edict.apps.cli.command_errors import STOPPED, Leave, Saved, UsageError, WrongRules, print_error
from edict.apps.cli.commands.campaign import campaign_introduction, campaign_warning, concluded_campaign
from edict.apps.cli.playing import saved_games
from edict.apps.cli.playing.keyboard import Keyboard
from edict.apps.cli.playing.screen import Screen
from edict.apps.cli.playing.session import Session
from edict.apps.cli.playing.typed_dice import rolled_by_hand
from edict.apps.cli.rules_by_name import manifest_of, texts_of
from edict.apps.cli.who_plays import remarked, warned
from edict.game.table.game import Game
from edict.game.table.seeded_draws import bot_seed
from edict.runtime.program.opcodes import CHANCE
from edict.runtime.program.option_keys import to_stable_slug
from edict.support.morphology import join_words
from edict.support.report import RulesError

if TYPE_CHECKING:
    from edict.apps.cli.playing.live_reload import Reloading

SPEEDS = {"slow": 2.0, "normal": 0.7, "fast": 0.2}
LONGEST = 60.0  # seconds
OFFER = "Press Enter to begin, or type `primer` to read how to play. "


@dataclass(frozen=True, slots=True)
class PlaySettings:
    """How a game is played at this keyboard, as typed. watch: whether its rules are read again when they are saved.

    Raises `UsageError` for what cannot be, so that no game is begun that then is not played.
    """

    speed: str = ""
    simple: bool = False
    takebacks: str = ""
    watch: bool = False

    def __post_init__(self) -> None:
        if self.speed:
            seconds(self.speed)
        if self.takebacks not in ("", "strict", "free"):
            raise UsageError(f"invalid value `{self.takebacks}` for --takebacks", "write strict or free")

    def screen(self, players: Sequence[str]) -> Screen:
        return Screen(players, self.simple)


def at_the_table(
    game: Game,
    bots: Sequence[str],
    path: Path | None,
    manner: PlaySettings,
    seed: str = "",
    told: int | None = None,
) -> int:
    """Play a game with what is at this keyboard, a new one or (`told`) one of whose log so many entries are known."""
    screen = manner.screen(game.players)
    make = partial(_made, bots)
    reloading = _reloading(game, make, screen) if manner.watch else None
    pace = seconds(manner.speed) if manner.speed else 0.7 if screen.alive else 0.0
    session = Session(game, screen, make(game), pace, path)
    session.attended = True
    session.free = takes_back_freely(manner, bots)
    session.seen = dict.fromkeys(session.seen, told or 0)
    screen.say(_introduction(game, bots, seed), *rules_introduction(game.journal.header.modules))
    screen.say(*campaign_introduction(game), *campaign_warning(game))
    try:
        if told is None:
            offer_primer(screen, game, bool(session.people))
        GameLoop(session, reloading).to_the_end()
    except Leave as leaving:
        session.left()
        path = session.path
        where = saved_games.command(path) if path else ""
        hint = ["The game is saved. To continue:", f"  {where}"] if path else ["The game was not saved."]
        screen.draw(screen.text(line) for line in hint)
        return STOPPED if leaving.stopped else 0
    except RulesError as fault:
        header = game.journal.header
        raise WrongRules(fault.diagnostics, texts_of([header.game, *header.modules])) from None
    _finish(session)
    return 0


def _finish(session: Session) -> None:
    """The result; a game of a campaign is written down first, so that it counts whatever becomes of the screen."""
    told: list[str] = []
    try:
        told = concluded_campaign(session.game)
    finally:
        session.finish()
        session.screen.say(*told)


def seconds(speed: str) -> float:
    """A speed as a person writes it: a word, or seconds. Raises `UsageError`."""
    if speed in SPEEDS:
        return SPEEDS[speed]
    try:
        value = float(speed)
    except ValueError:
        value = -1.0
    if not 0 <= value <= LONGEST:
        words = ", ".join(SPEEDS)
        raise UsageError(f"invalid speed `{speed}`", f"write seconds for each move from 0 to 60, or {words}")
    return value


def takes_back_freely(manner: PlaySettings, bots: Sequence[str]) -> bool:
    """Whether answers may be taken back whatever was revealed since. Raises `UsageError`."""
    if manner.takebacks == "free" and bots.count("") > 1:
        raise UsageError("--takebacks free is for a single person against bots", "leave it out, or seat one person")
    return manner.takebacks == "free"


def _made(bots: Sequence[str], game: Game) -> dict[int, Bot]:
    """The bots for a game, by seat."""
    seed = game.table.seed
    if any(thinks(kind) for kind in bots):
        warned()
    remarked([kind for kind in bots if kind], game.program)
    made = {seat: BOTS[kind](game.program, bot_seed(seed, seat)) for seat, kind in enumerate(bots) if kind}
    for bot in made.values():
        if isinstance(bot, GuestBot):
            bot.tell = _told_fault
    return made


def _told_fault(what: str) -> None:
    print_error(f"the bot {what}", "a random option is chosen instead")


def _reloading(game: Game, bots: Callable[[Game], Mapping[int, Bot]], screen: Screen) -> Reloading:
    """What watches the rules of the game, already watching."""
    from edict.apps.cli.playing.live_reload import Reloading

    reloading = Reloading(game.journal.header, bots)
    reloading.start(lambda: screen.asking)
    return reloading


def _introduction(game: Game, bots: Sequence[str], seed: str) -> str:
    """Who plays what. Only a seed that somebody chose is shown: a new one would give away all luck to come."""
    who = join_words(f"{name} ({kind} bot)" if kind else name for name, kind in zip(game.players, bots, strict=True))
    return f"{game.program.title}: {who}.{f' Seed {seed}.' if seed else ''}"


def rules_introduction(modules: Sequence[str]) -> list[str]:
    """What is laid over the game: title and summary of each, and of a scenario, which lies on the table, its sheet."""
    lines: list[str] = []
    for one in filter(None, map(manifest_of, modules)):
        lines.append(f"{one.title}: {one.summary}" if one.summary else one.title)
        lines += one.sheet.splitlines() if one.kind == "scenario" else []
    return lines


def offer_primer(screen: Screen, game: Game, people: bool) -> None:
    """Offer the primer once: before the first saved game of these rules, if a person plays."""
    if not people or not sys.stdin.isatty() or _played_before(game):
        return
    screen.say(f"This is the first game of {game.program.title} here.")
    if screen.ask(OFFER):
        from edict.apps.cli.playing.help import show_primer

        show_primer(screen, game)
        screen.ask("Press Enter to begin. ")


def _played_before(game: Game) -> bool:
    """Whether another game of these rules is kept; this one is already."""
    return len(saved_games.named(to_stable_slug(game.program.title))) > 1


# --- one answer after another


class GameLoop:
    """Plays a session's game. `reloading` watches the rules, if they may change."""

    def __init__(self, session: Session, reloading: Reloading | None = None) -> None:
        self.session = session
        self.reloading = reloading
        self.keyboard = Keyboard(session)

    def to_the_end(self) -> None:
        """Play until the game is over. Raises `Leave` when somebody stops."""
        try:
            while not self.session.game.over:
                self.watched_step() if self.reloading else self.step()
        except KeyboardInterrupt:
            raise Leave(stopped=True) from None

    def watched_step(self) -> None:
        """One answer under the rules as they are saved now."""
        assert self.reloading is not None
        try:
            self.reloading.take_up(self.session)
            if not self.session.game.over:
                self.step()
        except Saved:
            return  # what was being typed is asked again, under the new rules
        except RulesError as fault:
            self.reloading.after_fault(self.session, fault)

    def step(self) -> None:
        """One answer, from a person or a bot."""
        session, seat = self.session, self.session.game.seat
        if seat == CHANCE:
            rolled_by_hand(session, self.keyboard)
        elif seat in session.bots:
            self.bot_turn(seat)
        else:
            self.person_turn(seat)

    def bot_turn(self, seat: int) -> None:
        """A bot's answer; its outcome is shown when the bot is done."""
        session, game = self.session, self.session.game
        game.answer(session.bots[seat].choose(game.view(seat), game.ask))
        if game.over or game.seat != seat:
            if session.tell() and session.speed > 0:
                time.sleep(session.speed)

    def person_turn(self, seat: int) -> None:
        if self.session.holder != seat:
            self.session.hand_over(seat)
        self.session.present()
        self.keyboard.turn(seat)
