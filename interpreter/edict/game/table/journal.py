"""A game in writing: how it was set up and every answer, as JSON Lines.

The first line is the header, every other one an answer (or the taking back of some); the rules may stand in a line of
their own. What somebody at a table has answered before their turn is a line too, and counts only there. Lines are only
ever added, each is on the disk before the game continues, and each vouches for those before it: it has its number, and
a hash of everything before it. So a process that dies loses nothing: at worst the last line is cut off, and that one is
left out. A line that was torn, doubled, swapped, lost or edited is found when reading, and everything before it is
valid.

Journals of format 1, whose lines had no checksum, are read too; lines added to them have one.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

from edict.game.table.clock import Clock
from edict.game.table.game_errors import JournalError
from edict.game.table.seeded_luck import MOST_SEED
from edict.support.files import remedy_for
from edict.support.paths import read_regular

# --- the checksum chain --------------------------------------------------------------------

CHECK_BYTES = 8
MOST_LINE = 12_000_000  # bytes
_LINE = re.compile(rb'(\{"line": ([1-9][0-9]{0,8}), .*), "check": "([0-9a-f]{16})"\}\Z', re.DOTALL)
_TORN = b'{"line": %d, '


class Damaged(ValueError):
    """A line that is not what was written; the text says in which way."""


class ChecksumChain:
    """A checksum chain: each line has its number, and a hash of it and of everything before it."""

    def __init__(self) -> None:
        self._before = blake2b(digest_size=CHECK_BYTES)
        self.lines = 0

    def copy(self) -> ChecksumChain:
        other = ChecksumChain()
        other._before, other.lines = self._before.copy(), self.lines
        return other

    def line(self, data: dict[str, Any]) -> bytes:
        """The next line, with its number and check; it counts as written."""
        body = as_json({"line": self.lines + 1, **data})[:-1]
        line = body + b', "check": "%s"}\n' % self._check(body)
        self.append(line)
        return line

    def read(self, line: bytes) -> dict[str, Any]:
        """What the next line says, given without its end. Raises `Damaged` with the reason."""
        found = _LINE.match(line)
        if found is None:
            raise Damaged("this is not a line of a journal")
        body, number, check = found[1], int(found[2]), found[3]
        if number != self.lines + 1:
            raise Damaged(_misplaced(number, self.lines + 1))
        if check != self._check(body):
            raise Damaged("it does not match the lines before it, so something was changed")
        data = as_data(body + b"}")
        del data["line"]
        return data

    def append(self, line: bytes) -> None:
        """A whole line, including its end, was written."""
        self._before.update(line)
        self.lines += 1

    def is_torn(self, rest: bytes) -> bool:
        """Whether this may be the beginning of the next line, whose writing was interrupted."""
        begins = _TORN % (self.lines + 1)
        return rest.startswith(begins) or begins.startswith(rest)

    def _check(self, body: bytes) -> bytes:
        check = self._before.copy()
        check.update(body)
        return check.hexdigest().encode()


def _misplaced(number: int, expected: int) -> str:
    if number == expected - 1:
        return f"line {number} of the game appears here a second time"
    if number < expected:
        return f"line {number} of the game appears here again"
    lost = f"line {expected}" if number == expected + 1 else f"lines {expected} to {number - 1}"
    return f"line {number} of the game appears here: {lost} must be missing or out of place"


def as_json(data: dict[str, Any]) -> bytes:
    """One line of JSON, without its end; names of files that are no text are escaped."""
    try:
        return json.dumps(data, ensure_ascii=False, separators=(", ", ": ")).encode()
    except UnicodeEncodeError:
        return json.dumps(data, separators=(", ", ": ")).encode()


def as_data(line: bytes) -> dict[str, Any]:
    """The JSON object in a line. Raises `Damaged` if there is none."""
    if len(line) > MOST_LINE:
        raise Damaged("the line is too long")
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        raise Damaged("the line is not valid JSON") from None
    if not isinstance(data, dict):
        raise Damaged("the line is not a JSON object")
    return data


# --- where a game begins --------------------------------------------------------------------------------

MOST_CELLS = 10_000  # that are given
MOST_NUMBER = 10**18
Cells = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Opening:
    """Where a game begins, and with what.

    at: one of the program's entries; "" for the beginning, when the table is laid. cells: addresses with their values.
    you: whose turn or effect it is, by seat; -1: as it comes. about: a file of scenes and the name of one, which it is
    from.
    """

    at: str
    cells: Cells = ()
    you: int = -1
    about: tuple[str, str] = ("", "")

    def to_data(self) -> dict[str, Any]:
        """For the header of a journal."""
        return {"at": self.at, "cells": [list(cell) for cell in self.cells], "you": self.you, "about": [*self.about]}

    @staticmethod
    def from_data(data: Any) -> Opening | None:
        """None if that is none."""
        try:
            cells = tuple((address, value) for address, value in data["cells"])
            file, name = data["about"]
            opening = Opening(data["at"], cells, data["you"], (file, name))
        except (KeyError, TypeError, ValueError):
            return None
        numbers = (opening.you, *(number for cell in cells for number in cell))
        texts = all(type(one) is str for one in (opening.at, file, name))
        return opening if texts and all(type(one) is int for one in numbers) and len(cells) <= MOST_CELLS else None


Key = tuple[str, ...]
Values = Mapping[Key, Any]


def as_rows(values: Values) -> list[list[Any]]:
    """For JSON: a row a value, which stands last."""
    return [[*key, value] for key, value in values.items()]


def from_rows(rows: Any) -> dict[Key, Any] | None:
    """None if that is none."""
    if not isinstance(rows, list) or not all(isinstance(row, list) and len(row) > 1 for row in rows):
        return None
    if not all(isinstance(name, str) for row in rows for name in row[:-1]):
        return None
    return {tuple(row[:-1]): row[-1] for row in rows} if all(_is_value(row[-1]) for row in rows) else None


def _is_value(value: Any) -> bool:
    if isinstance(value, list):
        return all(isinstance(one, str) for one in value)
    return value is None or isinstance(value, str | bool) or isinstance(value, int) and abs(value) <= 1 << 63


MOST_VALUES = 200_000


@dataclass(frozen=True, slots=True)
class Chapter:
    """Which game of which campaign: `number` counts from 1.

    campaign: where it is kept. identity: no other game has it, so that none counts twice. after: the identity of what
    the campaign had come to before; empty for nothing. values: what was carried over to this game.
    """

    campaign: str
    number: int
    identity: str
    after: str = ""
    values: Values = field(default_factory=dict)

    def to_data(self) -> dict[str, Any]:
        """For the header of a journal."""
        return {
            "campaign": self.campaign,
            "number": self.number,
            "identity": self.identity,
            "after": self.after,
            "values": as_rows(self.values),
        }

    @staticmethod
    def from_data(data: Any) -> Chapter | None:
        """None if that is none."""
        if not isinstance(data, dict) or set(data) != {"campaign", "number", "identity", "after", "values"}:
            return None
        texts = (data["campaign"], data["identity"], data["after"])
        values = from_rows(data["values"])
        if not all(isinstance(one, str) and "\0" not in one and len(one) <= MOST_TEXT for one in texts):
            return None
        if type(data["number"]) is not int or values is None or len(values) > MOST_VALUES:
            return None
        return Chapter(data["campaign"], data["number"], data["identity"], data["after"], values)


# --- the journal ----------------------------------------------------------------------------------------

FORMAT, FORMER = "edict journal 2", "edict journal 1"
NO_GAME, ANOTHER = "this is not a saved game", "name a saved game, or start a new one"
MOST_BYTES = 64_000_000
MOST_LINES = 200_000
MOST_TEXT = 4096  # characters in a name, a path, a key
MOST_NAMED = 200  # players, modules, settings
TIME = "time"  # in a line: when it was written, in seconds since 1970
REMEDY = "`games repair` keeps everything before this line, and the damaged file beside it"
CHANGED = "the file was changed or damaged"


@dataclass(frozen=True, slots=True)
class Header:
    """How the game was set up. `rules` is the hash of the rules, `dice` is seeded or typed.

    `bots` may say, for whoever continues the game, which bot answers for a seat (empty: a person).
    `meaning` is the hash of what the rules were compiled to; empty where that is not known. `opening`: where it begins,
    if not at the beginning. `chapter`: which game of a campaign it is, if of one. `clock`: how long players may think,
    at a table that has clocks. `drawn`: the first answers of chance, each with its question, in place of what the seed
    would draw: this game goes on from another one.
    """

    game: str
    modules: tuple[str, ...]
    rules: str
    version: str
    players: tuple[str, ...]
    settings: dict[str, int]
    seed: int
    dice: str
    bots: tuple[str, ...] = ()
    meaning: str = ""
    opening: Opening | None = None
    chapter: Chapter | None = None
    clock: Clock | None = None
    drawn: tuple[tuple[str, str], ...] = ()

    def to_data(self) -> dict[str, Any]:
        perhaps = {"opening": self.opening, "chapter": self.chapter, "clock": self.clock}
        data = {"format": FORMAT, **asdict(replace(self, opening=None, chapter=None, clock=None, drawn=()))}
        drawn = {"drawn": [list(one) for one in self.drawn]} if self.drawn else {}
        plain = {name: value for name, value in data.items() if name not in (*perhaps, "drawn")}
        return plain | drawn | {name: one.to_data() for name, one in perhaps.items() if one is not None}


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer: who gave it (-1: dice typed from a real table), to which question, and its key."""

    seat: int
    question: str
    key: str
    line: int = 0

    def to_data(self) -> dict[str, Any]:
        return {"seat": self.seat, "question": self.question, "answer": self.key}


def held_line(seat: int, answers: Sequence[Answer]) -> dict[str, Any]:
    """The line that says what a seat has answered before its turn (see `at_once`), in place of what it said before."""
    return {"held": seat, "answers": [[one.question, one.key] for one in answers]}


def held_in(data: dict[str, Any]) -> tuple[int, tuple[Answer, ...]]:
    """What such a line says. Raises `Damaged` if it is none."""
    seat, answers = data["held"], data["answers"]
    if not is_number(seat) or not isinstance(answers, list) or len(answers) > MOST_NAMED:
        raise Damaged("the line is no answer before its turn")
    if not all(isinstance(one, list) and len(one) == 2 and all(map(is_text, one)) for one in answers):
        raise Damaged("the line is no answer before its turn")
    return seat, tuple(Answer(seat, question, key) for question, key in answers)


@dataclass(frozen=True, slots=True)
class Journal:
    """A header and the answers that stand.

    `bundle` holds the rules the game was begun with (see `rules.kept_rules`), if they are kept; `keeps_rules` says
    that it is to be played under them. Read from a file it also knows what was cut off at its end, and what is wrong
    with the rest of it (`damage`).
    """

    header: Header
    answers: tuple[Answer, ...] = ()
    bundle: str = ""
    keeps_rules: bool = False
    cut_off: str = ""
    size: int = 0  # bytes of the file that are good
    open_end: bool = False  # the last line lacks only its end
    place: str = "journal"
    damage: JournalError | None = None

    def to_bytes(self) -> bytes:
        """The journal as JSON Lines."""
        chain = ChecksumChain()
        return b"".join(chain.line(data) for data in self._lines())

    def to_text(self) -> str:
        """The journal as JSON Lines."""
        return self.to_bytes().decode()

    def _lines(self) -> Iterator[dict[str, Any]]:
        yield self.header.to_data()
        if self.bundle:
            yield {"bundle": self.bundle}
        if self.keeps_rules:
            yield {"keeps_rules": True}
        yield from (answer.to_data() for answer in self.answers)

    def checked(self) -> Journal:
        """The journal itself. Raises `JournalError` if it is damaged."""
        if self.damage is not None:
            raise self.damage
        return self


def unusable(path: str | os.PathLike[str], problem: Exception) -> JournalError:
    reason = getattr(problem, "strerror", None) or str(problem)
    return JournalError(f"it cannot be used: {reason}", remedy_for(problem), place=os.fspath(path))


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """What is in a journal's file. Raises `JournalError` if it is not an ordinary file, or too large."""
    try:
        return read_regular(Path(path), MOST_BYTES)
    except (OSError, ValueError) as problem:  # a NUL in its name is a ValueError
        raise unusable(path, problem) from None


def read_journal(path: str | os.PathLike[str]) -> Journal:
    """The journal in a file. Raises `JournalError` naming the line that cannot be understood."""
    return parse_journal(read_bytes(path), os.fspath(path))


def parse_journal(raw: bytes, place: str = "journal") -> Journal:
    """The journal in these bytes; a last line that was cut off is kept apart in `cut_off`. Raises `JournalError`."""
    return JournalReading(raw, place).journal.checked()


class JournalReading:
    """A journal being read, up to its first damage, and the chain to which more may be added.

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
        self.header = self._header(lines[0] if lines else last)
        self._took(lines[0] if lines else last)
        for line in lines[1:]:
            damage = self._next(line)
            if damage is not None:
                break
        else:
            damage = self._last(last) if lines else None
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

    def _took(self, line: bytes) -> None:
        self.chain.append(line + b"\n")
        self._size += len(line) + 1

    def _next(self, line: bytes) -> JournalError | None:
        """Take in a line; returns what is wrong with it."""
        number = self.chain.lines + 1
        try:
            self._add(self._data(line), number)
        except Damaged as problem:
            return JournalError(str(problem), REMEDY, number, self.place)
        self._took(line)
        return None

    def _last(self, line: bytes) -> JournalError | None:
        """What stands behind the last end of a line: nothing, a whole line, or the beginning of one."""
        if not line:
            return None
        damage = self._next(line)
        torn = self.chain.is_torn(line) or (not self._chained and line.startswith(b'{"'))
        if damage is not None and torn and not line.endswith(b"}"):
            self._cut_off = line
            return None
        return damage

    def _data(self, line: bytes) -> dict[str, Any]:
        """What a line says. In format 1 lines have no checksum, up to the first that has one."""
        if len(line) > MOST_LINE:
            raise Damaged("the line is too long")
        if self._chained or line.startswith(b'{"line": '):
            data = self.chain.read(line)
            self._chained = True
            return data
        return as_data(line) if line.strip() else {}

    def _add(self, data: dict[str, Any], number: int) -> None:
        """Take in what a line says: an answer, how many are taken back, or something about the rules."""
        names = set(data)
        if TIME in names:
            if not is_time(data[TIME]):
                raise Damaged("the time must be a number")
            names.remove(TIME)
        if names == {"undo"} and is_number(data["undo"]) and 0 < data["undo"] <= len(self._answers):
            del self._answers[-data["undo"] :]
        elif names == {"seat", "question", "answer"}:
            if not is_number(data["seat"]) or not is_text(data["question"]) or not is_text(data["answer"]):
                raise Damaged("the seat must be a number, the question and the answer must be text")
            self._answers.append(Answer(data["seat"], data["question"], data["answer"], number))
        elif names == {"held", "answers"}:  # whoever reads the game asks them again
            held_in(data)
        elif names == {"bundle"} and isinstance(data["bundle"], str):
            self._bundle = data["bundle"]
        elif names == {"keeps_rules"}:
            self._keeps = data["keeps_rules"] is True
        elif data or self._chained:
            raise Damaged("the line is neither an answer nor an undo")

    def _header(self, line: bytes) -> Header:
        try:
            data = as_data(line)
            self._chained = data.get("format") != FORMER
            if data.get("format") == FORMAT:
                data = self.chain.read(line)
        except Damaged as problem:
            remedy = "nothing can be saved without the first line; start a new game"
            if not line.lstrip().startswith(b"{"):
                raise JournalError(NO_GAME, ANOTHER, 1, self.place) from None
            raise JournalError(str(problem), remedy, 1, self.place) from None
        return read_header(data, self.place)


def read_header(data: dict[str, Any], place: str) -> Header:
    """The header; raises `JournalError` if it is none of ours or something in it is missing or wrong."""
    found = data.get("format")
    if found not in (FORMAT, FORMER):
        if not isinstance(found, str) or not found:
            raise JournalError(NO_GAME, ANOTHER, 1, place)
        remedy = f"this version reads {FORMAT!r} and {FORMER!r}; open it with the version it was made with"
        raise JournalError(f"its format is {found[:40]!r}", remedy, 1, place)
    for name, test in HEADER.items():
        if name not in data and name not in OPTIONAL or name in data and not test(data[name]):
            state = "invalid" if name in data else "missing"
            raise JournalError(f"`{name}` is {state} in the header", CHANGED, 1, place)
    named = {name: data[name] for name in HEADER if name in data}
    lists = {name: tuple(value) for name, value in named.items() if isinstance(value, list)}
    parts = {name: read(data[name]) for name, read in PARTS.items() if name in data}
    return Header(**{**named, **lists, **parts})


def is_number(value: object, most: int = 1 << 63) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) <= most


def is_time(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1 << 40


def is_text(value: object) -> bool:
    """A text that can be the name of something, also of a file."""
    if not isinstance(value, str) or len(value) > MOST_TEXT or "\0" in value:
        return False
    try:
        return bool(os.fsencode(value)) or not value
    except UnicodeEncodeError:
        return False


def are_texts(value: object) -> bool:
    return isinstance(value, list) and len(value) <= MOST_NAMED and all(map(is_text, value))


def are_draws(value: object) -> bool:
    if not isinstance(value, list) or len(value) > MOST_LINES:
        return False
    return all(isinstance(one, list) and len(one) == 2 and all(map(is_text, one)) for one in value)


def are_settings(value: object) -> bool:
    return isinstance(value, dict) and len(value) <= MOST_NAMED and all(map(is_number, value.values()))


HEADER: dict[str, Callable[[Any], bool]] = {
    "game": is_text,
    "modules": are_texts,
    "rules": is_text,
    "version": is_text,
    "players": are_texts,
    "settings": are_settings,
    "seed": lambda value: is_number(value, MOST_SEED) and value >= 0,
    "dice": lambda value: value in ("seeded", "typed"),
    "bots": are_texts,
    "meaning": is_text,
    "opening": lambda value: Opening.from_data(value) is not None,
    "chapter": lambda value: Chapter.from_data(value) is not None,
    "clock": lambda value: Clock.from_data(value) is not None,
    "drawn": lambda value: are_draws(value),
}
PARTS: dict[str, Callable[[Any], Any]] = {
    "opening": Opening.from_data,
    "chapter": Chapter.from_data,
    "clock": Clock.from_data,
    "drawn": lambda rows: tuple(map(tuple, rows)),
}
OPTIONAL = ("bots", "meaning", *PARTS)
