"""`play` and `resume`: everything from the options of the command to the end of a game."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from edict.bots import BOTS, Bot
from edict.bots.guest import Guest
from edict.bots.kinds import thinks
from edict.cli.playing import campaigns, from_scene, players, saves
from edict.cli.playing.reopening import Manner, Unfitting, reopened
from edict.cli.errors import STOPPED, Leave, UsageError, WrongRules
from edict.cli.loading import rules_of, texts_of
from edict.cli.playing.priming import offered
from edict.cli.playing.scenarios import explained, scenario
from edict.cli.playing.screen import Screen, error
from edict.cli.playing.course import Course
from edict.cli.playing.session import Session
from edict.cli.warming import remarked, warned
from edict.cli.settings import settings_of
from edict.cli.playing.tablefile import TableFile, read_table, seconds, source_of
from edict.report import RulesError
from edict.table.campaign import Campaign
from edict.table.chance import bot_seed
from edict.table.setup import seed_of
from edict.table.errors import JournalError
from edict.table.game import Game
from edict.table.journal_files import InUse, save
from edict.table.rules import Rules
from edict.table.wording import listed

if TYPE_CHECKING:
    from edict.cli.playing.reloading import Reloading

MOST_TRIED = 20  # names for a game to be kept under
UNSAVED = "the game cannot be saved: {} cannot be written"
REMINDER = 12  # entries of the log told again to somebody who comes back


@dataclass(frozen=True)
class PlayOptions:
    """The options of the command, as typed."""

    game: str = ""
    humans: Sequence[str] = ()
    bots: Sequence[str] = ()
    table: Path | None = None
    seed: str = ""
    modules: Sequence[str] = ()
    scenario: str = ""
    settings: Sequence[str] = ()
    dice: str = ""
    save: Path | None = None
    speed: str = ""
    colour: bool = True
    simple: bool = False
    watch: bool = False
    takebacks: str = ""
    rules: str = ""
    campaign: str = ""
    at: str = ""
    written: TableFile | None = field(default=None)


def play(options: PlayOptions) -> int:
    """Start a game and play it; returns the exit code."""
    settings_of(options.settings)  # one typed wrongly leaves a word behind, which is then taken for a game
    if options.table is not None:
        options = _with_table(options, _written(options.table))
    if options.at:
        return _at_scene(options)
    screen = Screen((), options.colour, options.simple)
    campaign = campaigns.settled(options.campaign, screen) if options.campaign else None
    options = _as_last_time(options, campaign)
    modules = (*options.modules, *scenario(options.scenario, options.game, options.seed))
    rules = rules_of(options.game, modules)
    seating = _seating(options, rules, campaign)
    takes_back_freely(options, seating.bots)
    game, path = _begun(options, rules, seating, campaign)
    if path is None:
        error(UNSAVED.format(saves.folder()), "save it elsewhere with --save FILE")
    return at_the_table(game, seating.bots, path, options)


def _as_last_time(options: PlayOptions, campaign: Campaign | None) -> PlayOptions:
    """Where no rules are named, those of the campaign's last game."""
    if campaign is None or not campaign.games or options.game or options.modules or options.scenario:
        return options
    last = campaign.games[-1]
    return replace(options, game=last.base, modules=last.modules)


def _at_scene(options: PlayOptions) -> int:
    """A game from where a scene begins, which says itself who plays and by what settings."""
    said = {
        "--scenario": options.scenario, "--set": options.settings, "--dice": options.dice, "--table": options.table,
        "--campaign": options.campaign,
    }  # fmt: skip
    beside = next((name for name, value in said.items() if value), None)
    if beside is not None:
        raise UsageError(f"`--at` and `{beside}` cannot be combined", f"leave out `{beside}`: the scene says that")
    start = from_scene.start_of(options.at)
    rules = from_scene.rules_for(start, options.game, options.modules)
    journal = from_scene.begun(start, rules, options.humans, options.bots, seed_of(options.seed))
    path = options.save or saves.fresh(rules.title)
    if path is None:
        error(UNSAVED.format(saves.folder()), "save it elsewhere with --save FILE")
        game = rules.replay(journal)
    else:
        save(path, journal)
        game = rules.resume(path)
    return at_the_table(game, journal.header.bots, path, options)


def _begun(
    options: PlayOptions, rules: Rules, seating: players.Seating, campaign: Campaign | None
) -> tuple[Game, Path | None]:
    """A new game and where it is kept; a name of our own that another process has just taken is left to it."""
    tried: set[Path] = set()
    rules = campaign.next(rules) if campaign else rules
    while True:
        path = options.save or saves.fresh(rules.title, tried)
        try:
            game = rules.new_game(
                seating.players, seed=seed_of(options.seed), settings=_settings(options), dice=options.dice or "seeded",
                journal=path, bots=seating.bots,
            )  # fmt: skip
        except JournalError:
            if path is None or options.save or len(tried) == MOST_TRIED:
                raise
            tried.add(path)
        else:
            return game, path


def resume(file: Path | None, options: PlayOptions) -> int:
    """Continue a game; returns the exit code."""
    manner, skipped = Manner(options.rules, options.colour, options.simple), 0
    for path in [saves.find(file)] if file else saves.newest():
        try:
            game = reopened(path, manner, named=bool(file))
        except Leave as leaving:
            return STOPPED if leaving.stopped else 0
        except (JournalError, RulesError) as problem:
            if file or isinstance(problem, InUse | Unfitting):
                raise
            _skipped(path, problem)
            skipped += 1
            continue
        if game is not None:
            return at_the_table(game, _bots_of(game, options), path, options, max(0, len(game.log) - REMINDER))
    which = "every other game" if skipped else "every game"
    raise UsageError(f"{which} in {saves.folder()} is finished", "start another with `play`")


def _skipped(path: Path, problem: JournalError | RulesError) -> None:
    """A game that cannot be gone on with does not stand in the way of the others."""
    if isinstance(problem, RulesError):
        error(f"{path.name} is skipped: its rules cannot be played: {problem.first}")
        return
    reason = f"line {problem.line}: {problem.reason}" if problem.line else problem.reason
    remedy = f"`{saves.command(path, 'repair')}` recovers what it can" if problem.line > 1 else ""
    error(f"{path.name} is skipped: {reason}", remedy)


def at_the_table(
    game: Game, bots: Sequence[str], path: Path | None, options: PlayOptions, told: int | None = None
) -> int:
    """Play a game with what is at this keyboard, a new one or (`told`) one of whose log so many entries are known."""
    screen = Screen(game.players, options.colour, options.simple)
    make = partial(_made, bots)
    reloading = _reloading(game, make, screen) if options.watch else None
    pace = seconds(options.speed) if options.speed else 0.7 if screen.alive else 0.0
    session = Session(game, screen, make(game), pace, path)
    session.attended = True
    session.free = takes_back_freely(options, bots)
    session.seen = dict.fromkeys(session.seen, told or 0)
    screen.say(_introduction(game, bots, options.seed), *explained(game.journal.header.modules))
    screen.say(*campaigns.introduction(game), *campaigns.warning(game))
    try:
        if told is None:
            offered(screen, game, bool(session.people))
        Course(session, reloading).to_the_end()
    except Leave as leaving:
        session.left()
        path = session.path
        hint = ["The game is saved. To continue:", f"  {saves.command(path)}"] if path else ["The game was not saved."]
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
        told = campaigns.concluded(session.game)
    finally:
        session.finish()
        session.screen.say(*told)


def takes_back_freely(options: PlayOptions, bots: Sequence[str]) -> bool:
    """Whether answers may be taken back whatever was revealed since. Raises `UsageError`."""
    if options.takebacks not in ("", "strict", "free"):
        raise UsageError(f"invalid value `{options.takebacks}` for --takebacks", "write strict or free")
    if options.takebacks == "free" and bots.count("") > 1:
        raise UsageError("--takebacks free is for a single person against bots", "leave it out, or seat one person")
    return options.takebacks == "free"


def _made(bots: Sequence[str], game: Game) -> dict[int, Bot]:
    """The bots for a game, by seat."""
    seed = game.table.seed
    if any(thinks(kind) for kind in bots):
        warned()
    remarked([kind for kind in bots if kind], game.program)
    made = {seat: BOTS[kind](game.program, bot_seed(seed, seat)) for seat, kind in enumerate(bots) if kind}
    for bot in made.values():
        if isinstance(bot, Guest):
            bot.tell = _told_fault
    return made


def _told_fault(what: str) -> None:
    error(f"the bot {what}", "a random option is chosen instead")


def _reloading(game: Game, bots: Callable[[Game], Mapping[int, Bot]], screen: Screen) -> Reloading:
    """What watches the rules of the game, already watching."""
    from edict.cli.playing.reloading import Reloading

    reloading = Reloading(game.journal.header, bots)
    reloading.start(lambda: screen.asking)
    return reloading


def _introduction(game: Game, bots: Sequence[str], seed: str) -> str:
    """Who plays what. Only a seed that somebody chose is shown: a new one would give away all luck to come."""
    who = listed(f"{name} ({kind} bot)" if kind else name for name, kind in zip(game.players, bots, strict=True))
    return f"{game.program.title}: {who}.{f' Seed {seed}.' if seed else ''}"


def _bots_of(game: Game, options: PlayOptions) -> tuple[str, ...]:
    """Who answers for each seat from now on: as the journal says, unless `--human` or `--bot KIND:NAME` do."""
    kept = game.journal.header.bots
    bots = list(kept) if len(kept) == len(game.players) else [""] * len(game.players)
    for name in options.humans:
        bots[_seat(game, name)] = ""
    named = [players.kind_and_name(spec) for spec in options.bots]
    for _, name in named:
        bots[_seat(game, name)] = ""
    players.trusted(bots, "the saved game")
    for kind, name in named:
        bots[_seat(game, name)] = kind
    return tuple(players.checked_kind(kind) if kind else "" for kind in bots)


def _seat(game: Game, name: str) -> int:
    folded = [player.casefold() for player in game.players]
    if name.casefold() in folded:
        return folded.index(name.casefold())
    raise UsageError(f"no player of this game is called `{name}`", f"there are {listed(game.players)}")


def _written(path: Path) -> TableFile:
    if not path.is_file():
        raise UsageError(f"there is no file `{path}`", "--table takes a table file (YAML)")
    outcome = read_table(path)
    if outcome.value is None:
        raise WrongRules(outcome.diagnostics, source_of(path))
    return outcome.value


def _with_table(options: PlayOptions, written: TableFile) -> PlayOptions:
    """What a table file says, where the options do not say otherwise."""
    if options.humans or options.bots:
        raise UsageError("--table says who plays", "leave out --human and --bot")
    return replace(
        options, game=options.game or written.game, table=None, seed=options.seed or written.seed,
        modules=(*written.modules, *options.modules), dice=options.dice or written.dice,
        speed=options.speed or written.speed, written=written,
    )  # fmt: skip


def _seating(options: PlayOptions, rules: Rules, campaign: Campaign | None) -> players.Seating:
    if options.written:
        players.trusted(options.written.bots, "the table file")
        kinds = tuple(players.checked_kind(kind) if kind else "" for kind in options.written.bots)
        return players.Seating(options.written.players, kinds)
    if campaign is not None and campaign.games and not options.humans and not options.bots:
        last = campaign.games[-1]
        players.trusted(last.bots, "the campaign")
        return players.Seating(last.players, last.bots or ("",) * len(last.players))
    program = rules.program
    alone = not sys.stdin.isatty()
    return players.seated(options.humans, options.bots, program.least_players, program.most_players, alone)


def _settings(options: PlayOptions) -> dict[str, object]:
    """Those of the table file, and those typed, which count more."""
    written = options.written.settings if options.written else {}
    return {**written, **settings_of(options.settings)}
