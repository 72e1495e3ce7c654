"""The journal of a game, its setup and every answer, as JSON Lines.

The first line is the header, every other one an answer or an undo; the rules may have a line of their own, and so may
the early answers of a seat. Lines are only appended, each is on disk before the game continues, and each has its
number and a hash of everything before it. So a process that dies loses nothing: at worst the last line is cut off and
dropped. A line that was torn, doubled, swapped, lost or edited is found when reading, and everything before it is
valid.

Journals of format 1, whose lines had no checksum, are read too; lines appended to them have one.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, field, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

from edict.game.table.clock import TimeControl
from edict.game.table.game_errors import JournalError
from edict.game.table.seeded_draws import MOST_SEED
from edict.support.files import read_regular, suggest_file_remedy
from edict.support.records import dataclass

# --- the checksum chain --------------------------------------------------------------------

CHECK_BYTES = 8
MOST_LINE = 12_000_000  # bytes
_LINE = re.compile(rb'(\{"line": ([1-9][0-9]{0,8}), .*), "check": "([0-9a-f]{16})"\}\Z', re.DOTALL)
_TORN = b'{"line": %d, '


class DamagedLine(ValueError):
    """An error for a line that is not what was written; the text says why."""


class ChecksumChain:
    """A chain in which each line has its number and a hash of itself and everything before it."""

    def __init__(self) -> None:
        self._before = blake2b(digest_size=CHECK_BYTES)
        self.lines = 0

    def copy(self) -> ChecksumChain:
        """Return an independent copy."""
        other = ChecksumChain()
        other._before, other.lines = self._before.copy(), self.lines
        return other

    def append_data(self, data: dict[str, Any]) -> bytes:
        """Append data as the next line and return the line with its number and checksum."""
        body = to_json_line({"line": self.lines + 1, **data})[:-1]
        line = body + b', "check": "%s"}\n' % self._checksum(body)
        self.append(line)
        return line

    def parse_line(self, line: bytes) -> dict[str, Any]:
        """Return the data of the next line, given without its end. Raises `DamagedLine`."""
        match = _LINE.match(line)
        if match is None:
            raise DamagedLine("this is not a line of a journal")
        body, number, check = match[1], int(match[2]), match[3]
        if number != self.lines + 1:
            raise DamagedLine(_describe_misplaced_line(number, self.lines + 1))
        if check != self._checksum(body):
            raise DamagedLine("it does not match the lines before it, so something was changed")
        data = parse_json_line(body + b"}")
        del data["line"]
        return data

    def append(self, line: bytes) -> None:
        """Append a whole line, including its end."""
        self._before.update(line)
        self.lines += 1

    def is_torn(self, rest: bytes) -> bool:
        """Return True if this may be the beginning of the next line whose writing was interrupted."""
        prefix = _TORN % (self.lines + 1)
        return rest.startswith(prefix) or prefix.startswith(rest)

    def _checksum(self, body: bytes) -> bytes:
        """Return the hex checksum of a line's body after all lines before; the chain stays unchanged."""
        check = self._before.copy()
        check.update(body)
        return check.hexdigest().encode()


def _describe_misplaced_line(number: int, expected: int) -> str:
    """Return a clause that says that a line is repeated, or which lines are missing before it."""
    if number == expected - 1:
        return f"line {number} of the game appears here a second time"
    if number < expected:
        return f"line {number} of the game appears here again"
    lost = f"line {expected}" if number == expected + 1 else f"lines {expected} to {number - 1}"
    return f"line {number} of the game appears here: {lost} must be missing or out of place"


def to_json_line(data: dict[str, Any]) -> bytes:
    """Return one line of JSON without its end; undecodable file names are escaped."""
    try:
        return json.dumps(data, ensure_ascii=False, separators=(", ", ": ")).encode()
    except UnicodeEncodeError:
        return json.dumps(data, separators=(", ", ": ")).encode()


def parse_json_line(line: bytes) -> dict[str, Any]:
    """Return the JSON object in a line. Raises `DamagedLine`."""
    if len(line) > MOST_LINE:
        raise DamagedLine("the line is too long")
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        raise DamagedLine("the line is not valid JSON") from None
    if not isinstance(data, dict):
        raise DamagedLine("the line is not a JSON object")
    return data


# --- where a game begins --------------------------------------------------------------------------------

MOST_CELLS = 10_000  # of an opening
MOST_NUMBER = 10**18
Cells = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Opening:
    """The place and the values with which a game starts in the middle."""

    at: str  # an entry of the program, or "" for the laid table
    cells: Cells = ()  # addresses with their values
    you: int = -1  # the seat whose turn or effect it is, or -1
    about: tuple[str, str] = ("", "")  # a file of scenes and the name of the scene that it is from

    def to_data(self) -> dict[str, Any]:
        """Return the data for a journal's header."""
        return {"at": self.at, "cells": [list(cell) for cell in self.cells], "you": self.you, "about": [*self.about]}

    @staticmethod
    def from_data(data: Any) -> Opening | None:
        """Return the opening in a journal's header, or None if the data is malformed."""
        try:
            cells = tuple((address, value) for address, value in data["cells"])
            file, name = data["about"]
            opening = Opening(data["at"], cells, data["you"], (file, name))
        except (KeyError, TypeError, ValueError):
            return None
        numbers = (opening.you, *(number for cell in cells for number in cell))
        texts = all(type(item) is str for item in (opening.at, file, name))
        if texts and all(type(item) is int for item in numbers) and len(cells) <= MOST_CELLS:
            return opening
        return None


Key = tuple[str, ...]  # the name of a keep, then of each thing it belongs to
Values = Mapping[Key, Any]


def values_to_rows(values: Values) -> list[list[Any]]:
    """Return a row for each value: its key, then the value."""
    return [[*key, value] for key, value in values.items()]


def values_from_rows(rows: Any) -> dict[Key, Any] | None:
    """Return the values in rows, or None if the rows are malformed."""
    if not isinstance(rows, list) or not all(isinstance(row, list) and len(row) > 1 for row in rows):
        return None
    if not all(isinstance(name, str) for row in rows for name in row[:-1]):
        return None
    if all(_is_value(row[-1]) for row in rows):
        return {tuple(row[:-1]): row[-1] for row in rows}
    return None


def _is_value(value: Any) -> bool:
    """Return True if data is a carried value: text, truth, 64-bit number, None or a list of texts."""
    if isinstance(value, list):
        return all(isinstance(item, str) for item in value)
    return value is None or isinstance(value, str | bool) or isinstance(value, int) and abs(value) <= 1 << 63


MOST_VALUES = 200_000


@dataclass(frozen=True, slots=True)
class Chapter:
    """One game of a campaign."""

    campaign: str  # path of the campaign
    number: int  # counts from 1
    identity: str  # unique, so that no game counts twice
    after: str = ""  # identity of the campaign's entry before this game, or ""
    values: Values = field(default_factory=dict)  # values carried over to this game

    def to_data(self) -> dict[str, Any]:
        """Return the data for a journal's header."""
        return {
            "campaign": self.campaign,
            "number": self.number,
            "identity": self.identity,
            "after": self.after,
            "values": values_to_rows(self.values),
        }

    @staticmethod
    def from_data(data: Any) -> Chapter | None:
        """Return the chapter in a journal's header, or None if the data is malformed."""
        if not isinstance(data, dict) or set(data) != {"campaign", "number", "identity", "after", "values"}:
            return None
        texts = (data["campaign"], data["identity"], data["after"])
        values = values_from_rows(data["values"])
        if not all(isinstance(text, str) and "\0" not in text and len(text) <= MOST_TEXT for text in texts):
            return None
        if type(data["number"]) is not int or values is None or len(values) > MOST_VALUES:
            return None
        return Chapter(data["campaign"], data["number"], data["identity"], data["after"], values)


# --- the journal ----------------------------------------------------------------------------------------

FORMAT, FORMER_FORMAT = "edict journal 2", "edict journal 1"
NO_GAME_MESSAGE, OTHER_GAME_REMEDY = "this is not a saved game", "name a saved game, or start a new one"
MOST_BYTES = 64_000_000
MOST_LINES = 200_000
MOST_TEXT = 4096  # characters in a name, a path, a key
MOST_NAMED = 200  # players, modules, settings
TIME = "time"  # key of a line's time, in seconds since 1970
REPAIR_REMEDY = "`games repair` keeps everything before this line, and the damaged file beside it"
CHANGED_REMEDY = "the file was changed or damaged"


@dataclass(frozen=True, slots=True)
class Header:
    """The setup of a game."""

    game: str
    modules: tuple[str, ...]
    rules: str  # hash of the rules
    version: str
    players: tuple[str, ...]
    settings: dict[str, int]
    seed: int
    dice: str  # seeded or typed
    bots: tuple[str, ...] = ()  # bot of each seat, "" for a person; for whoever continues the game
    meaning: str = ""  # hash of the compiled rules, "" if unknown
    opening: Opening | None = None  # start in the middle
    chapter: Chapter | None = None  # its place in a campaign
    clock: TimeControl | None = None  # time control at a table that has clocks
    # first answers of chance with their questions, for a game branched from another
    drawn: tuple[tuple[str, str], ...] = ()
    # text of the plan that the bot of each seat follows, "" for none; replaying the game needs none
    plans: tuple[str, ...] = ()

    def to_data(self) -> dict[str, Any]:
        """Return the data of the header line."""
        optional = {"opening": self.opening, "chapter": self.chapter, "clock": self.clock}
        data = {"format": FORMAT, **asdict(replace(self, opening=None, chapter=None, clock=None, drawn=()))}
        drawn = {"drawn": [list(part) for part in self.drawn]} if self.drawn else {}
        plans = {"plans": data["plans"]} if any(self.plans) else {}
        required = {name: value for name, value in data.items() if name not in (*optional, "drawn", "plans")}
        return required | drawn | plans | {name: part.to_data() for name, part in optional.items() if part is not None}


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer as recorded in a journal."""

    seat: int  # -1 for dice typed from a real table
    question: str
    key: str  # key of the option
    line: int = 0  # its line in the file, 0 if unknown

    def to_data(self) -> dict[str, Any]:
        """Return the data of an answer's line."""
        return {"seat": self.seat, "question": self.question, "answer": self.key}


def early_answers_to_data(seat: int, answers: Sequence[Answer]) -> dict[str, Any]:
    """Return the line with the early answers of a seat, which replaces earlier ones (see `simultaneous`)."""
    return {"held": seat, "answers": [[answer.question, answer.key] for answer in answers]}


def parse_early_answers(data: dict[str, Any]) -> tuple[int, tuple[Answer, ...]]:
    """Return the seat and its early answers in a line. Raises `DamagedLine`."""
    seat, answers = data["held"], data["answers"]
    if not is_number(seat) or not isinstance(answers, list) or len(answers) > MOST_NAMED:
        raise DamagedLine("the line is no answer before its turn")
    if not all(isinstance(row, list) and len(row) == 2 and all(map(is_text, row)) for row in answers):
        raise DamagedLine("the line is no answer before its turn")
    return seat, tuple(Answer(seat, question, key) for question, key in answers)


@dataclass(frozen=True, slots=True)
class Journal:
    """A header and the answers that stand."""

    header: Header
    answers: tuple[Answer, ...] = ()
    bundle: str = ""  # the packed rules, if they are kept (see `load_bundled_rules`)
    keeps_rules: bool = False  # the game is to be played under the bundled rules
    cut_off: str = ""  # incomplete last line of the file
    size: int = 0  # bytes of the file that are valid
    open_end: bool = False  # the last line lacks only its line end
    place: str = "journal"
    damage: JournalError | None = None  # the first error in the file

    def to_bytes(self) -> bytes:
        """Return the journal as JSON Lines in UTF-8."""
        chain = ChecksumChain()
        return b"".join(chain.append_data(data) for data in self._iter_data())

    def to_text(self) -> str:
        """Return the journal as JSON Lines."""
        return self.to_bytes().decode()

    def _iter_data(self) -> Iterator[dict[str, Any]]:
        """Yield the data of each line: header, bundle and pinned rules if there are any, then the answers."""
        yield self.header.to_data()
        if self.bundle:
            yield {"bundle": self.bundle}
        if self.keeps_rules:
            yield {"keeps_rules": True}
        yield from (answer.to_data() for answer in self.answers)

    def checked(self) -> Journal:
        """Return the journal itself. Raises `JournalError` if it is damaged."""
        if self.damage is not None:
            raise self.damage
        return self


def file_error(path: str | os.PathLike[str], cause: Exception) -> JournalError:
    """Return the error for a file that cannot be used."""
    reason = getattr(cause, "strerror", None) or str(cause)
    return JournalError(f"it cannot be used: {reason}", suggest_file_remedy(cause), place=os.fspath(path))


def read_journal_bytes(path: str | os.PathLike[str]) -> bytes:
    """Return the bytes of a journal's file. Raises `JournalError` if it is no regular file or too large."""
    try:
        return read_regular(Path(path), MOST_BYTES)
    except (OSError, ValueError) as error:  # a NUL in its name is a ValueError
        raise file_error(path, error) from None


def read_journal(path: str | os.PathLike[str]) -> Journal:
    """Read the journal in a file. Raises `JournalError` with the first damaged line."""
    return parse_journal(read_journal_bytes(path), os.fspath(path))


def parse_journal(raw: bytes, place: str = "journal") -> Journal:
    """Parse a journal; an incomplete last line is in `cut_off`. Raises `JournalError`."""
    return JournalReader(raw, place).journal.checked()


class JournalReader:
    """A reader of a journal up to its first damage, with the chain for further lines.

    Raises `JournalError` if not even the header can be read.
    """

    def __init__(self, raw: bytes, place: str = "journal") -> None:
        self.place = place
        self.chain = ChecksumChain()
        self._answers: list[Answer] = []
        self._bundle, self._keeps, self._chained = "", False, True
        if raw.count(b"\n") > MOST_LINES:
            raise JournalError(f"it has more than {MOST_LINES:,} lines", "no game has that many answers", 1, place)
        *lines, last = raw.split(b"\n")
        if not lines and not last.startswith(b"{"):
            raise JournalError("it is empty or is not a journal", "start a new game", 1, place)
        self._size, self._cut_off, damage = 0, b"", None
        self.header = self._read_header_line(lines[0] if lines else last)
        self._append_to_chain(lines[0] if lines else last)
        for line in lines[1:]:
            damage = self._read_line(line)
            if damage is not None:
                break
        else:
            damage = self._read_last(last) if lines else None
        self.journal = Journal(
            self.header,
            tuple(self._answers),
            self._bundle,
            self._keeps,
            self._cut_off.decode(errors="replace"),
            min(self._size, len(raw)),
            self._size > len(raw),
            place,
            damage,
        )

    def _append_to_chain(self, line: bytes) -> None:
        """Add a valid line, given without its end, to the chain and to the size in bytes."""
        self.chain.append(line + b"\n")
        self._size += len(line) + 1

    def _read_line(self, line: bytes) -> JournalError | None:
        """Read a line and return its error."""
        number = self.chain.lines + 1
        try:
            self._apply_data(self._parse_data(line), number)
        except DamagedLine as error:
            return JournalError(str(error), REPAIR_REMEDY, number, self.place)
        self._append_to_chain(line)
        return None

    def _read_last(self, line: bytes) -> JournalError | None:
        """Read what follows the last line end: nothing, a whole line, or the beginning of one."""
        if not line:
            return None
        damage = self._read_line(line)
        torn = self.chain.is_torn(line) or (not self._chained and line.startswith(b'{"'))
        if damage is not None and torn and not line.endswith(b"}"):
            self._cut_off = line
            return None
        return damage

    def _parse_data(self, line: bytes) -> dict[str, Any]:
        """Return the data of a line. In format 1, lines before the first checksum have none."""
        if len(line) > MOST_LINE:
            raise DamagedLine("the line is too long")
        if self._chained or line.startswith(b'{"line": '):
            data = self.chain.parse_line(line)
            self._chained = True
            return data
        return parse_json_line(line) if line.strip() else {}

    def _apply_data(self, data: dict[str, Any], number: int) -> None:
        """Apply a line: an answer, an undo, or a note about the rules."""
        names = set(data)
        if TIME in names:
            if not is_time(data[TIME]):
                raise DamagedLine("the time must be a number")
            names.remove(TIME)
        if names == {"undo"} and is_number(data["undo"]) and 0 < data["undo"] <= len(self._answers):
            del self._answers[-data["undo"] :]
        elif names == {"seat", "question", "answer"}:
            if not is_number(data["seat"]) or not is_text(data["question"]) or not is_text(data["answer"]):
                raise DamagedLine("the seat must be a number, the question and the answer must be text")
            self._answers.append(Answer(data["seat"], data["question"], data["answer"], number))
        elif names == {"held", "answers"}:  # checked only; the reader of the game parses them again
            parse_early_answers(data)
        elif names == {"bundle"} and isinstance(data["bundle"], str):
            self._bundle = data["bundle"]
        elif names == {"keeps_rules"}:
            self._keeps = data["keeps_rules"] is True
        elif data or self._chained:
            raise DamagedLine("the line is neither an answer nor an undo")

    def _read_header_line(self, line: bytes) -> Header:
        """Parse the first line and note if lines have checksums. Raise `JournalError` if it is no header."""
        try:
            data = parse_json_line(line)
            self._chained = data.get("format") != FORMER_FORMAT
            if data.get("format") == FORMAT:
                data = self.chain.parse_line(line)
        except DamagedLine as error:
            remedy = "nothing can be saved without the first line; start a new game"
            if not line.lstrip().startswith(b"{"):
                raise JournalError(NO_GAME_MESSAGE, OTHER_GAME_REMEDY, 1, self.place) from None
            raise JournalError(str(error), remedy, 1, self.place) from None
        return parse_header(data, self.place)


def parse_header(data: dict[str, Any], place: str) -> Header:
    """Return the header in data. Raises `JournalError` if something is missing or invalid."""
    format_ = data.get("format")
    if format_ not in (FORMAT, FORMER_FORMAT):
        if not isinstance(format_, str) or not format_:
            raise JournalError(NO_GAME_MESSAGE, OTHER_GAME_REMEDY, 1, place)
        remedy = f"this version reads {FORMAT!r} and {FORMER_FORMAT!r}; open it with the version it was made with"
        raise JournalError(f"its format is {format_[:40]!r}", remedy, 1, place)
    for name, test in HEADER_CHECKS.items():
        if name not in data and name not in OPTIONAL_FIELDS or name in data and not test(data[name]):
            state = "invalid" if name in data else "missing"
            raise JournalError(f"`{name}` is {state} in the header", CHANGED_REMEDY, 1, place)
    values = {name: data[name] for name in HEADER_CHECKS if name in data}
    lists = {name: tuple(value) for name, value in values.items() if isinstance(value, list)}
    parts = {name: read(data[name]) for name, read in HEADER_PARSERS.items() if name in data}
    return Header(**{**values, **lists, **parts})


def is_number(value: object, limit: int = 1 << 63) -> bool:
    """Return True for a whole number of at most this size."""
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) <= limit


def is_time(value: object) -> bool:
    """Return True for a time in seconds since 1970."""
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1 << 40


def is_text(value: object) -> bool:
    """Return True for a text that can be a name, also of a file."""
    if not isinstance(value, str) or len(value) > MOST_TEXT or "\0" in value:
        return False
    try:
        return bool(os.fsencode(value)) or not value
    except UnicodeEncodeError:
        return False


def is_text_list(value: object) -> bool:
    """Return True for a list of texts of allowed length."""
    return isinstance(value, list) and len(value) <= MOST_NAMED and all(map(is_text, value))


def is_draw_list(value: object) -> bool:
    """Return True for a list of questions with answers of chance."""
    if not isinstance(value, list) or len(value) > MOST_LINES:
        return False
    return all(isinstance(row, list) and len(row) == 2 and all(map(is_text, row)) for row in value)


def is_settings_map(value: object) -> bool:
    """Return True for a map of settings to numbers."""
    return isinstance(value, dict) and len(value) <= MOST_NAMED and all(map(is_number, value.values()))


HEADER_CHECKS: dict[str, Callable[[Any], bool]] = {
    "game": is_text,
    "modules": is_text_list,
    "rules": is_text,
    "version": is_text,
    "players": is_text_list,
    "settings": is_settings_map,
    "seed": lambda value: is_number(value, MOST_SEED) and value >= 0,
    "dice": lambda value: value in ("seeded", "typed"),
    "bots": is_text_list,
    "meaning": is_text,
    "opening": lambda value: Opening.from_data(value) is not None,
    "chapter": lambda value: Chapter.from_data(value) is not None,
    "clock": lambda value: TimeControl.from_data(value) is not None,
    "drawn": lambda value: is_draw_list(value),
    "plans": is_text_list,
}
HEADER_PARSERS: dict[str, Callable[[Any], Any]] = {
    "opening": Opening.from_data,
    "chapter": Chapter.from_data,
    "clock": TimeControl.from_data,
    "drawn": lambda rows: tuple(map(tuple, rows)),
}
OPTIONAL_FIELDS = ("bots", "meaning", "plans", *HEADER_PARSERS)
