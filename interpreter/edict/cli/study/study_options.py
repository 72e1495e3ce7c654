"""What the commands that play many games are asked to do, and everything that can be wrong with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from edict.bots import BOTS
from edict.cli.errors import UsageError
from edict.cli.loading import rules_of
from edict.cli.playing.players import USUAL, checked_kind
from edict.cli.settings import settings_of
from edict.program import Program
from edict.study.games import Setup
from edict.table import setup
from edict.processes.spreading import usable
from edict.table.rules import Rules

MOST_GAMES = 1_000_000_000
MOST_WORKERS = 1024
USUAL_BOTS = ("greedy",)


@dataclass(frozen=True)
class StudyOptions:
    """The options of a command, as typed."""

    game: str = ""
    modules: Sequence[str] = ()
    players: int = 0
    games: int = 1000
    bots: str = ""
    seed: str = ""
    settings: Sequence[str] = ()
    workers: int | None = None
    cluster: str = ""

    @property
    def crew_size(self) -> int:
        """How many processes to play in."""
        return self.workers or usable()


def checked(options: StudyOptions) -> StudyOptions:
    """Raises `UsageError` for numbers that cannot be."""
    between("games", options.games, 1, MOST_GAMES)
    if options.workers is not None:
        between("workers", options.workers, 1, MOST_WORKERS)
    if options.workers and options.cluster:
        raise UsageError("--workers are processes here, --cluster has workers of its own", "leave out one of the two")
    return options


def between(name: str, number: int, low: int, high: int) -> None:
    """Raises `UsageError` if the option's number cannot be."""
    if not low <= number <= high:
        raise UsageError(f"invalid value for --{name}: {number}", f"it must be a number from {low} to {high}")


def setup_of(options: StudyOptions, rules: Rules | None = None) -> Setup:
    """What is played; raises `UsageError`, `GameError` or `RulesError`."""
    written = settings_of(options.settings)
    program = (rules or rules_of(options.game, options.modules)).program
    bots = bots_of(options, program)
    settings = setup.checked_settings(program, written)
    return Setup(program, bots, tuple(sorted(settings.items())), seed_of(options.seed))


def bots_of(options: StudyOptions, program: Program) -> tuple[str, ...]:
    """A kind for each seat."""
    kinds = [checked_kind(kind.strip()) for kind in options.bots.split(",")] if options.bots else [usual_bot()]
    players = players_of(program, options.players or (len(kinds) if len(kinds) > 1 else 0))
    if len(kinds) not in (1, players):
        raise UsageError(
            f"{len(kinds)} kinds of bots for {players} players", "give --bots one kind for all, or one for each seat"
        )
    return tuple(kinds) if len(kinds) > 1 else tuple(kinds * players)


def players_of(program: Program, players: int) -> int:
    """How many play: 0 stands for the usual number. Raises `UsageError` for too few or too many."""
    low, high = program.least_players, program.most_players
    players = players or min(USUAL, high)
    if not low <= players <= high:
        wanted = str(low) if low == high else f"{low} to {high}"
        raise UsageError(
            f"{program.title} is for {wanted} players, not {players}", f"give --players {low}, for example"
        )
    return players


def usual_bot() -> str:
    return next((kind for kind in USUAL_BOTS if kind in BOTS), next(iter(BOTS)))


def seed_of(seed: str, default: int = 0, bits: int = 64) -> int:
    """The seed as written; without one, always the same: what was played can be repeated. Raises `UsageError`."""
    number = setup.seed_of(seed)
    if number is None:
        return default
    if not seed.isdigit():
        return number & ((1 << bits) - 1)
    if number >> bits:
        raise UsageError(f"the seed {seed} is too large", f"use a word, or a number below 2**{bits}")
    return number
