"""Who plays: people at the keyboard, bots by their kinds, and what there is to know before they do."""

from __future__ import annotations

import getpass
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from edict.agents.bots import BOTS
from edict.apps.cli.command_errors import UsageError
from edict.apps.cli.playing import saved_games
from edict.apps.cli.playing.screen import Screen
from edict.game.table.game_errors import GameError
from edict.game.table.setup import check_name
from edict.runtime.program import Program
from edict.runtime.simulation import native
from edict.support.morphology import quote_words
from edict.support.report import suggest_word
from edict.support.resources import install_command

SPARE = ("Ada", "Ben", "Clara", "Dov", "Edith", "Franz", "Gita", "Hugo", "Irma", "Jon", "Klara", "Leo", "Mina", "Nils")
USUAL_BOT = "greedy"
CODE = re.compile(r"(?P<module>.+?):(?P<bot>[A-Za-z_]\w*(?:@[^:+]*)?(?:\+process)?)(?:(?P<colon>:)(?P<name>.*))?")
USUAL = 4  # how many sit down when nobody says otherwise


@dataclass(frozen=True, slots=True)
class SeatedBots:
    """The players by seat; `bots` holds each one's kind of bot, or nothing for a person."""

    players: tuple[str, ...]
    bots: tuple[str, ...]

    @property
    def people(self) -> tuple[int, ...]:
        return tuple(seat for seat, kind in enumerate(self.bots) if not kind)


def seated(humans: Sequence[str], bots: Sequence[str], least: int, most: int) -> SeatedBots:
    """The seating for these options; without any, only bots.

    humans: names. bots: kinds, each with `:name` where it is to have one. Raises `UsageError`.
    """
    named = [_named_bot(spec) for spec in bots]
    people = [_checked(name) for name in humans]
    if not named and len(people) < 2:
        named = [(default_kind(), "")] * max(least - len(people), min(USUAL, most) - len(people))
    names = [*people, *(name for _, name in named)]
    spare = iter([name for name in SPARE if name.casefold() not in {taken.casefold() for taken in names}])
    return SeatedBots(
        tuple(name or next(spare, "Bot") for name in names), (*("" for _ in people), *(k for k, _ in named))
    )


def _named_bot(spec: str) -> tuple[str, str]:
    kind, name = kind_and_name(spec)
    return checked_kind(kind), _checked(name) if name else ""


def kind_and_name(spec: str) -> tuple[str, str]:
    """A bot and its name, if it has one, of `KIND:NAME` or `module:Class:NAME`. Raises `UsageError`."""
    code = CODE.fullmatch(spec.strip())
    if code and code["module"].partition("@")[0] not in BOTS:
        kind, colon, name = f"{code['module']}:{code['bot']}", code["colon"], code["name"]
    else:
        kind, colon, name = spec.partition(":")
    if colon and not name.strip():
        raise UsageError(f"the bot `{spec}` has no name after the colon", "write --bot KIND:NAME, or only --bot KIND")
    return kind.strip(), name or ""


def trusted(kinds: Sequence[str], source: str) -> None:
    """Raises `UsageError` if a file names somebody's code to be run as a bot: that needs a name typed by the user."""
    for kind in kinds:
        if BOTS.is_code(kind):
            raise UsageError(
                f"{source} names the bot `{kind}`, which is Python code", "name it with --bot if you trust that code"
            )


def _checked(name: str) -> str:
    try:
        return check_name(name)
    except GameError as problem:
        raise UsageError(problem.reason, problem.remedy) from None


def checked_kind(kind: str) -> str:
    """A kind of bot there is; raises `UsageError` for another."""
    problem = BOTS.problem(kind)
    if problem:
        raise UsageError(*problem)
    return kind


def default_kind() -> str:
    """The bot one plays against when nobody says otherwise."""
    return USUAL_BOT if USUAL_BOT in BOTS else next(iter(BOTS))


def your_name(screen: Screen) -> str:
    """The name of the person at this keyboard, who is asked for it once. Raises `Leave`."""
    name = saved_games.player()
    while not name:
        usual = _system_name()
        typed = screen.ask(f"What is your name?{f' (Enter for {usual})' if usual else ''} ") or usual
        try:
            name = check_name(typed)
        except GameError as problem:
            screen.say(f"{problem.reason}: {problem.remedy}.")
        else:
            saved_games.keep_player(name)
    return name


def _system_name() -> str:
    """Your name as far as the system knows it."""
    try:
        return check_name(getpass.getuser().capitalize())
    except (GameError, OSError, KeyError, ImportError):
        return ""


def notice() -> str:
    """A line about what is missed; nothing if nothing is."""
    if native.is_available():
        return ""
    return f"Playing in plain Python. `{install_command('fast')}` makes this a hundred times faster."


def warned() -> None:
    """Print that line, if there is one."""
    if words := notice():
        print(words, file=sys.stderr, flush=True)


def remarked(kinds: Iterable[str], program: Program) -> None:
    """Print what there is to say of these bots with these rules, once."""
    for words in dict.fromkeys(BOTS.remark(kind, program) for kind in kinds):
        if words:
            print(words, file=sys.stderr, flush=True)


def seat_of(player: str, players: Sequence[str]) -> int:
    """The seat of a player, by name. Raises `UsageError` if nobody is called so."""
    found = [seat for seat, name in enumerate(players) if name.casefold() == player.casefold()]
    if not found:
        remedy = suggest_word(player, players) or f"the players are {quote_words(players, 'and')}"
        raise UsageError(f"no player of this game is named `{player}`", remedy)
    return found[0]
