"""Campaigns, in which each game begins with the values that the rules carried over from the one before.

A campaign is a file with a checksum chain, like a journal: a header, and a line for each finished game, for each keep
that was reset, and for each of these that was undone. Every line holds all values after it. The file is rewritten as
a whole, so a process that dies leaves the old one or the new one. An unfinished game does not count.

    campaign = edict.Campaign.read("winter.jsonl")
    game = campaign.next(rules).new_game(["Ann", "Brian"])
    ...
    campaign.count(game)  # once it is over
"""

from __future__ import annotations

import secrets
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import field, replace
from datetime import datetime
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from edict.game.table.carry_over import CarriedValues, CarryOverError
from edict.game.table.game_errors import GameError, JournalError
from edict.game.table.journal import (
    MOST_BYTES,
    Chapter,
    ChecksumChain,
    DamagedLine,
    Values,
    file_error,
    is_number,
    is_text,
    is_text_list,
    parse_json_line,
    values_from_rows,
    values_to_rows,
)
from edict.support import locks
from edict.support.files import read_regular, write_atomically, write_secret
from edict.support.morphology import quote_words
from edict.support.records import dataclass
from edict.support.report import suggest_word

if TYPE_CHECKING:
    from edict.game.table.game import Game
    from edict.game.table.rules import Rules

LOCK_TIMEOUT = 10.0  # seconds to wait for another process that writes
COUNTED, BEFORE, TAKEN_BACK = "counted", "counted before", "taken back"


@dataclass(frozen=True, slots=True)
class Campaign:
    """A campaign as its file has it."""

    path: Path
    typed: str = ""  # its name in a command, if not its path
    game: str = ""
    entries: tuple[CampaignEntry, ...] = ()  # entries that stand
    known: frozenset[str] = frozenset()  # identities of all entries, including undone ones
    lines: tuple[dict[str, Any], ...] = ()

    @staticmethod
    def read(path: str | PathLike[str], typed: str = "") -> Campaign:
        """Read the campaign in a file; return a new one if there is no file. Raises `JournalError`."""
        file = Path(fspath(path))
        try:
            raw = read_regular(file, MOST_BYTES)
        except FileNotFoundError:
            return Campaign(file, typed)
        except (OSError, ValueError) as error:
            raise file_error(file, error) from None
        return Campaign(file, typed, *read_lines(raw, str(file)))

    @property
    def name(self) -> str:
        """Return the name of its file without the ending."""
        return self.path.stem

    @property
    def command(self) -> str:
        """Return the command that acts on it, such as `campaign winter.jsonl`."""
        return f"campaign {shlex.quote(self.typed or str(self.path))}"

    @property
    def games(self) -> tuple[CampaignEntry, ...]:
        """Return the games that count, in order."""
        return tuple(entry for entry in self.entries if not entry.forgot)

    @property
    def values(self) -> Values:
        """Return the values with which the next game begins."""
        return self.entries[-1].values if self.entries else {}

    @property
    def told(self) -> dict[str, tuple[str, str]]:
        """Return the title and the value in words of each keep that is carried over."""
        return self.entries[-1].told if self.entries else {}

    @property
    def last(self) -> str:
        """Return the identity of the last entry, or an empty text."""
        return self.entries[-1].identity if self.entries else ""

    # --- playing

    def next(self, rules: Rules) -> Rules:
        """Return the rules that start the campaign's next game with the carried values; writes a new campaign's file.

        Start it with `campaign.next(rules).new_game(...)`. A new campaign gets its file, in an existing folder. Raises
        `GameError` if these rules carry nothing over, belong to another game, or cannot take a carried value.
        """
        program = rules.program
        if not any(variable.lasting for variable in program.variables):
            remedy = "declare what lasts with `lasting keep`, or play without a campaign"
            raise GameError(f"{program.title} carries nothing over from game to game", remedy)
        if self.game not in ("", program.name):
            remedy = "name another campaign, or the game it is of"
            raise GameError(f"the campaign {self.name} is of `{self.game}`, not of `{program.name}`", remedy)
        try:
            CarriedValues(program, ()).check(self.values)
        except CarryOverError as error:
            raise GameError(f"in the campaign {self.name}: {error.reason}", _carry_remedy(error, self)) from None
        if not self.lines:
            self._create_file(program.name)
        number, identity = len(self.games) + 1, secrets.token_hex(8)
        return replace(rules, chapter=Chapter(str(self.path.absolute()), number, identity, self.last, self.values))

    def count(self, game: Game) -> str:
        """Record the result of a finished game and return "counted".

        Returns "counted before" or "taken back" if nothing is recorded: a game counts once, and not again after `undo`.
        Raises `GameError` if the campaign has continued without it, `JournalError` if the file cannot be written.
        """
        chapter = game.table.header.chapter
        if chapter is None or not game.over:
            raise GameError("only a finished game of a campaign can count", "play it to its end")
        if not Campaign.read(self.path).lines:
            raise GameError(f"there is no campaign at {self.path}", "put its file back, and resume this game")
        with self._lock_and_read() as current:
            if chapter.identity in current.known:
                if any(entry.identity == chapter.identity for entry in current.entries):
                    return BEFORE
                return TAKEN_BACK
            if chapter.after != current.last:
                raise GameError(
                    f"this game does not count in the campaign {self.name}, which has gone on since the game began",
                    f"undo what came in between (`{self.command} --undo`) and resume this game; it is saved",
                )
            current._add(build_game_entry(game, chapter))
        return COUNTED

    # --- going back

    def undo(self) -> CampaignEntry:
        """Take back the last game or reset of a keep and return it. Raises `GameError` if there is none."""
        with self._lock_and_read() as current:
            if not current.entries:
                raise GameError(f"the campaign {self.name} has no game to undo", "play one with --campaign")
            current._write((*current.lines, {"undo": current.last}))
            return current.entries[-1]

    def forget(self, keep: str) -> None:
        """Reset a keep to its value in a first game. Raises `GameError` if the campaign does not carry it."""
        with self._lock_and_read() as current:
            names = dict.fromkeys(key[0] for key in current.values)
            if keep not in names:
                remedy = suggest_word(keep, names) or f"it carries over {', '.join(names) or 'nothing'}"
                raise GameError(f"the campaign {self.name} does not carry over `{keep}`", remedy)
            remaining = {key: value for key, value in current.values.items() if key[0] != keep}
            texts = {name: words for name, words in current.told.items() if name != keep}
            current._add(CampaignEntry(secrets.token_hex(8), remaining, texts, format_now(), forgot=keep))

    # --- the file

    @contextmanager
    def _lock_and_read(self) -> Iterator[Campaign]:
        """Hold the lock and yield the campaign as its file has it."""
        file_lock = _wait_for_lock(self.path)
        try:
            yield Campaign.read(self.path, self.typed)
        finally:
            file_lock.release()

    def _create_file(self, game: str) -> None:
        """Write the header for a game, under the lock, unless the file has lines already."""
        with self._lock_and_read() as current:
            if not current.lines:
                current._write(({"format": FORMAT, "game": game},))

    def _add(self, entry: CampaignEntry) -> None:
        """Append an entry and write the whole file."""
        self._write((*self.lines, entry.to_data()))

    def _write(self, lines: Sequence[dict[str, Any]]) -> None:
        """Write lines with checksums in place of the file, atomically. Raise `JournalError` on failure."""
        chain = ChecksumChain()
        raw = b"".join(chain.append_data(data) for data in lines)
        try:
            if not self.path.exists():
                temporary = self.path.with_name(f".{self.path.name}.{secrets.token_hex(4)}.part")
                write_secret(temporary, raw)
                temporary.replace(self.path)
            else:
                write_atomically(self.path, raw.decode())
        except OSError as error:
            raise file_error(self.path, error) from None


def _carry_remedy(problem: CarryOverError, campaign: Campaign) -> str:
    """Return what to do about a value that rules cannot take."""
    modules = campaign.games[-1].modules if campaign.games else ()
    with_modules = f"play with {quote_words(modules)} as last time, " if modules else ""
    reset = f"begin it anew with `{campaign.command} --forget {problem.keep}`"
    renamed = "list what was renamed under `renamed` in the manifest"
    return f"{problem.remedy + ' ' if problem.remedy else ''}{with_modules}{renamed}, or {reset}"


def _wait_for_lock(path: Path) -> locks.Lock:
    """Wait for the lock of a campaign's file. Raises `JournalError`."""
    try:
        return locks.wait_for_lock(path, LOCK_TIMEOUT)
    except OSError as error:
        raise file_error(path, error) from None


# --- the lines of the file ------------------------------------------------------------------------------

FORMAT = "edict campaign 1"
TEXTS = ("identity", "written", "forgot", "rules", "base")
LISTS = ("players", "bots", "winners", "modules")


@dataclass(frozen=True, slots=True)
class CampaignEntry:
    """An entry of a campaign: a finished game, or the reset of a keep."""

    identity: str
    values: Values
    told: dict[str, tuple[str, str]]  # title and value in words, by keep
    written: str
    forgot: str = ""  # the keep that was reset, or "" for a game
    players: tuple[str, ...] = ()
    bots: tuple[str, ...] = ()
    scores: dict[str, int] = field(default_factory=dict)
    winners: tuple[str, ...] = ()
    rules: str = ""  # hash of the rules
    base: str = ""  # game that the rules were loaded by
    modules: tuple[str, ...] = ()

    def to_data(self) -> dict[str, Any]:
        """Return the data of a line in the file."""
        return {
            **{name: getattr(self, name) for name in TEXTS},
            **{name: list(getattr(self, name)) for name in LISTS},
            "scores": self.scores,
            "told": {name: list(words) for name, words in self.told.items()},
            "values": values_to_rows(self.values),
        }

    @staticmethod
    def from_data(data: dict[str, Any]) -> CampaignEntry:
        """Return the entry in a line of the file. Raises `DamagedLine`."""
        values, scores = values_from_rows(data.get("values")), data.get("scores")
        if values is None or not isinstance(scores, dict) or not all(map(is_number, scores.values())):
            raise DamagedLine("the line is not one of a campaign")
        for names, test in ((TEXTS, is_text), (LISTS, is_text_list)):
            if not all(test(data.get(name)) for name in names):
                raise DamagedLine("the line is not one of a campaign")
        plain = {name: data[name] for name in TEXTS} | {name: tuple(data[name]) for name in LISTS}
        return CampaignEntry(values=values, scores=scores, told=_parse_texts(data.get("told")), **plain)


def _parse_texts(data: Any) -> dict[str, tuple[str, str]]:
    """Return titles and values in words. Raises `DamagedLine`."""
    if not isinstance(data, dict) or not all(isinstance(words, list) and len(words) == 2 for words in data.values()):
        raise DamagedLine("the line is not one of a campaign")
    return {name: (str(title), str(words)) for name, (title, words) in data.items()}


def build_game_entry(game: Game, chapter: Chapter) -> CampaignEntry:
    """Return the entry of a finished game."""
    lasting, header, result = game.table.lasting, game.table.header, game.result
    assert result is not None
    values = lasting.merge_values(chapter.values, game.state)
    return CampaignEntry(
        chapter.identity,
        values,
        lasting.describe_values(values),
        format_now(),
        "",
        game.players,
        header.bots,
        result.scores,
        result.winners,
        header.rules,
        header.game,
        header.modules,
    )


def format_now() -> str:
    """Return the current local time to the minute."""
    return f"{datetime.now():%Y-%m-%d %H:%M}"


CampaignLines = tuple[str, tuple[CampaignEntry, ...], frozenset[str], tuple[dict[str, Any], ...]]


def read_lines(raw: bytes, place: str) -> CampaignLines:
    """Return the game, the entries that stand, all identities and the lines. Raises `JournalError`."""
    entries: list[CampaignEntry] = []
    chain = ChecksumChain()
    identities: set[str] = set()
    lines: list[dict[str, Any]] = []
    for number, line in enumerate(raw.removesuffix(b"\n").split(b"\n"), 1):
        try:
            lines.append(chain.parse_line(line) if lines or _check_header(line) else {})
            if len(lines) > 1:
                _apply_line(lines[-1], entries)
        except DamagedLine as error:
            remedy = "put a copy of the file in its place, or delete this line and those after it to play on from there"
            raise JournalError(str(error), remedy if number > 1 else "name another file", number, place) from None
        chain.append(line + b"\n")
        identities.update(entry.identity for entry in entries[-1:])
    return lines[0]["game"], tuple(entries), frozenset(identities), tuple(lines)


def _check_header(line: bytes) -> bool:
    """Return True for the header of a campaign. Raises `DamagedLine` otherwise."""
    data = parse_json_line(line)
    if data.get("format") != FORMAT or not is_text(data.get("game")):
        raise DamagedLine("it does not begin with the header of a campaign")
    return True


def _apply_line(data: dict[str, Any], entries: list[CampaignEntry]) -> None:
    """Append an entry to `entries`, or remove the last if the line takes it back."""
    if set(data) != {"undo"}:
        entries.append(CampaignEntry.from_data(data))
    elif entries and data["undo"] == entries[-1].identity:
        entries.pop()
    else:
        raise DamagedLine("it takes back what is not there")
