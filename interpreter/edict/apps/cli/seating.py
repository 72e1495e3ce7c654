"""The players of a game: people at the keyboard, bots by kind, and notes to print before play."""

from __future__ import annotations

import getpass
import re
import sys
from collections.abc import Iterable, Sequence

from edict.agents.bots import BOTS
from edict.apps.cli.command_errors import UsageError
from edict.apps.cli.playing import saved_games
from edict.apps.cli.playing.screen import Screen
from edict.game.table.game_errors import GameError
from edict.game.table.setup import check_name
from edict.runtime.program import Program
from edict.runtime.simulation import native
from edict.support.morphology import quote_words
from edict.support.records import dataclass
from edict.support.report import suggest_word
from edict.support.resources import install_command

# for bots without a name
SPARE_NAMES = (
    "Ada",
    "Ben",
    "Clara",
    "Dov",
    "Edith",
    "Franz",
    "Gita",
    "Hugo",
    "Irma",
    "Jon",
    "Klara",
    "Leo",
    "Mina",
    "Nils",
)
DEFAULT_BOT = "greedy"
# a bot in Python code, as module:Class or module:Class:NAME
CODE_BOT_SPEC = re.compile(
    r"(?P<module>.+?):(?P<bot>[A-Za-z_]\w*(?:@[^:+]*)?(?:\+process)?)(?:(?P<colon>:)(?P<name>.*))?"
)
DEFAULT_PLAYER_COUNT = 4  # if the game allows


@dataclass(frozen=True, slots=True)
class SeatedBots:
    """The players of a game by seat."""

    players: tuple[str, ...]
    bots: tuple[str, ...]  # kind of bot by seat; empty for a person

    @property
    def people(self) -> tuple[int, ...]:
        """Return the seats of people."""
        return tuple(seat for seat, kind in enumerate(self.bots) if not kind)


def assign_seats(humans: Sequence[str], bots: Sequence[str], least: int, most: int) -> SeatedBots:
    """Return the seating for the options of a command; without any, only bots.

    Args:
        humans: Names of people.
        bots: Kinds of bots, each followed by `:name` if it has one.
        least: The smallest number of players of the game.
        most: The largest number of players of the game.

    Raises:
        RequestError: A kind or name is invalid.
    """
    named_bots = [_parse_bot(spec) for spec in bots]
    people = [check_name(name) for name in humans]
    if not named_bots and len(people) < 2:
        named_bots = [(default_bot(), "")] * max(least - len(people), min(DEFAULT_PLAYER_COUNT, most) - len(people))
    names = [*people, *(name for _, name in named_bots)]
    spare = iter([name for name in SPARE_NAMES if name.casefold() not in {used.casefold() for used in names}])
    return SeatedBots(
        tuple(name or next(spare, "Bot") for name in names), (*("" for _ in people), *(kind for kind, _ in named_bots))
    )


def _parse_bot(spec: str) -> tuple[str, str]:
    """Split `KIND:NAME` into a valid kind of bot and player's name, empty if missing. Raises `UsageError`."""
    kind, name = split_bot_spec(spec)
    return BOTS.validate(kind), check_name(name) if name else ""


def split_bot_spec(spec: str) -> tuple[str, str]:
    """Return the kind and the name, if any, from `KIND:NAME` or `module:Class:NAME`.

    Raises `UsageError` if a colon has no name behind it.
    """
    code = CODE_BOT_SPEC.fullmatch(spec.strip())
    if code and code["module"].partition("@")[0] not in BOTS:
        kind, colon, name = f"{code['module']}:{code['bot']}", code["colon"], code["name"]
    else:
        kind, colon, name = spec.partition(":")
    if colon and not name.strip():
        raise UsageError(f"the bot `{spec}` has no name after the colon", "write --bot KIND:NAME, or only --bot KIND")
    return kind.strip(), name or ""


def reject_code_bots(kinds: Sequence[str], source: str) -> None:
    """Raise `UsageError` if a file names Python code to be run as a bot.

    Such code runs only if the user types its name.
    """
    for kind in kinds:
        if BOTS.is_user_code(kind):
            raise UsageError(
                f"{source} names the bot `{kind}`, which is Python code", "name it with --bot if you trust that code"
            )


def default_bot() -> str:
    """Return the kind of bot to play against if none is named."""
    return DEFAULT_BOT if DEFAULT_BOT in BOTS else next(iter(BOTS))


def ask_player_name(screen: Screen) -> str:
    """Return the name of the person at this keyboard, who is asked once; the answer is stored.

    Raises `PlayerLeaves`.
    """
    name = saved_games.load_player_name()
    while not name:
        suggestion = _find_system_name()
        typed = screen.ask(f"What is your name?{f' (Enter for {suggestion})' if suggestion else ''} ") or suggestion
        try:
            name = check_name(typed)
        except GameError as error:
            screen.say(f"{error.reason}: {error.remedy}.")
        else:
            saved_games.store_player_name(name)
    return name


def _find_system_name() -> str:
    """Return the capitalized name of the system's user; empty if unknown or no valid name."""
    try:
        return check_name(getpass.getuser().capitalize())
    except (GameError, OSError, KeyError, ImportError):
        return ""


def speed_notice() -> str:
    """Return a line that says how to play faster; empty if native code is available."""
    if native.is_available():
        return ""
    return f"Playing in plain Python. `{install_command('fast')}` makes this a hundred times faster."


def print_speed_notice() -> None:
    """Print the speed notice, if there is one."""
    if text := speed_notice():
        print(text, file=sys.stderr, flush=True)


def print_bot_remarks(kinds: Iterable[str], program: Program) -> None:
    """Print the remarks of these bots about these rules, each once."""
    for remark in dict.fromkeys(BOTS.describe_limits(kind, program) for kind in kinds):
        if remark:
            print(remark, file=sys.stderr, flush=True)


def find_seat(player: str, players: Sequence[str]) -> int:
    """Return the seat of a player by name. Raises `UsageError` if there is no such player."""
    seats = [seat for seat, name in enumerate(players) if name.casefold() == player.casefold()]
    if not seats:
        remedy = suggest_word(player, players) or f"the players are {quote_words(players, 'and')}"
        raise UsageError(f"no player of this game is named `{player}`", remedy)
    return seats[0]
