"""A game on paper: how it was set up and every answer, as JSON Lines.

The first line is the header, every other one an answer (or the taking back of some). Lines are only
ever added, and each is on the disk before the game goes on, so a process that dies loses nothing; at
worst the last line is cut off, and that one is left out.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from edict.table.errors import JournalError

FORMAT = "edict journal 1"
REMOVE = "the file was changed or damaged; to go on from the answers before it, remove this line and those after it"


@dataclass(frozen=True, slots=True)
class Header:
    """How the game was set up. `rules` is the hash of the rules, `dice` is seeded or typed.

    `bots` may say, for whoever goes on with the game, which bot answers for a seat (empty: a person).
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
    format: str = FORMAT

    def to_line(self) -> str:
        return as_line({"format": self.format, **asdict(self)})


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer: who gave it (-1: dice typed from a real table), to which question, and its key."""

    seat: int
    question: str
    key: str
    line: int = 0

    def to_line(self) -> str:
        return as_line({"seat": self.seat, "question": self.question, "answer": self.key})


@dataclass(frozen=True, slots=True)
class Journal:
    """A header and the answers that stand. Read from a file it also knows what was cut off at its end."""

    header: Header
    answers: tuple[Answer, ...]
    cut_off: str = ""
    size: int = 0  # bytes of the file that are good
    place: str = "journal"

    def to_text(self) -> str:
        """The journal as JSON Lines."""
        return self.header.to_line() + "".join(answer.to_line() for answer in self.answers)

    def save(self, path: str | Path) -> None:
        """Write it to a new file. Raises `JournalError` if there is one of that name already."""
        Recorder.create(path, self).close()


def as_line(data: dict[str, Any]) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(", ", ": ")) + "\n"


class Recorder:
    """Adds lines to a journal on disk; when a method returns, they are there to stay."""

    def __init__(self, path: str | Path, mode: str) -> None:
        self.path = Path(path)
        try:
            self._file = open(self.path, mode)  # closed by `close`
        except FileExistsError:
            remedy = "resume it, or take another name"
            raise JournalError("there is such a file already", remedy, place=str(path)) from None
        except OSError as problem:
            raise unusable(path, problem) from None

    @staticmethod
    def create(path: str | Path, journal: Journal) -> Recorder:
        """A new file with what the journal holds so far."""
        recorder = Recorder(path, "xb")
        recorder._add(journal.to_text())
        return recorder

    @staticmethod
    def resume(path: str | Path, journal: Journal) -> Recorder:
        """Go on writing to the file a journal was read from, without what was cut off at its end."""
        recorder = Recorder(path, "r+b")
        recorder._file.truncate(journal.size)
        recorder._file.seek(max(0, journal.size - 1))
        if recorder._file.read(1) != b"\n":
            recorder._add("\n")
        return recorder

    def answer(self, answer: Answer) -> None:
        self._add(answer.to_line())

    def undo(self, answers: int) -> None:
        """The last so many answers are taken back."""
        self._add(as_line({"undo": answers}))

    def close(self) -> None:
        self._file.close()

    def _add(self, text: str) -> None:
        try:
            self._file.write(text.encode())
            self._file.flush()
            os.fsync(self._file.fileno())
        except (OSError, ValueError) as problem:
            raise unusable(self.path, problem) from None


def unusable(path: str | os.PathLike[str], problem: Exception) -> JournalError:
    reason = getattr(problem, "strerror", None) or str(problem)
    remedy = "check the name, and that it may be read and written"
    return JournalError(f"it cannot be used: {reason}", remedy, place=str(path))


def read_journal(path: str | os.PathLike[str]) -> Journal:
    """The journal in a file. Raises `JournalError` naming the line that cannot be understood."""
    try:
        raw = Path(path).read_bytes()
    except OSError as problem:
        raise unusable(path, problem) from None
    return parse_journal(raw, str(path))


def parse_journal(raw: bytes, place: str = "journal") -> Journal:
    """The journal in these bytes; a last line that was cut off is kept apart in `cut_off`."""
    *lines, last = raw.split(b"\n")
    cut_off, size = "", len(raw)
    if last.strip():
        if is_whole(last):
            lines.append(last)
        else:
            cut_off, size = last.decode(errors="replace"), len(raw) - len(last)
    if not lines:
        raise JournalError("it is empty or holds only part of its first line", "start a new game", 1, place)
    header = read_header(read_line(lines[0], 1, place), place)
    answers: list[Answer] = []
    for number, line in enumerate(lines[1:], 2):
        if line.strip():
            add_line(answers, read_line(line, number, place), number, place)
    return Journal(header, tuple(answers), cut_off, size, place)


def is_whole(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


def read_line(line: bytes, number: int, place: str) -> dict[str, Any]:
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        raise JournalError("this is no line of JSON", REMOVE, number, place) from None
    if not isinstance(data, dict):
        raise JournalError("this line is no JSON object", REMOVE, number, place)
    return data


def add_line(answers: list[Answer], data: dict[str, Any], number: int, place: str) -> None:
    """Take in one line: an answer, or how many are taken back."""
    if set(data) == {"undo"} and is_number(data["undo"]) and 0 < data["undo"] <= len(answers):
        del answers[-data["undo"] :]
        return
    seat, question, key = data.get("seat"), data.get("question"), data.get("answer")
    if set(data) != {"seat", "question", "answer"} or not is_number(seat):
        raise JournalError("this is neither an answer nor one taken back", REMOVE, number, place)
    if not isinstance(question, str) or not isinstance(key, str):
        raise JournalError("the question and the answer must be text", REMOVE, number, place)
    answers.append(Answer(int(str(seat)), question, key, number))


def is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def read_header(data: dict[str, Any], place: str) -> Header:
    """The header; raises `JournalError` if it is none of ours or something in it is missing or wrong."""
    if data.get("format") != FORMAT:
        found = data.get("format")
        reason = f"its format is {found!r}" if found else "it does not begin with the header of a journal"
        remedy = f"this version reads {FORMAT!r}; open it with the version it was made with"
        raise JournalError(reason, remedy, 1, place)
    for name, test in HEADER.items():
        if name not in data or not test(data[name]):
            state = "wrong" if name in data else "missing"
            raise JournalError(f"`{name}` is {state} in the header", "the file was changed or damaged", 1, place)
    if not are_texts(data.get("bots", [])):
        raise JournalError("`bots` is wrong in the header", "the file was changed or damaged", 1, place)
    return Header(
        data["game"], tuple(data["modules"]), data["rules"], data["version"], tuple(data["players"]),
        dict(data["settings"]), data["seed"], data["dice"], tuple(data.get("bots", ())),
    )  # fmt: skip


def is_text(value: object) -> bool:
    return isinstance(value, str)


def are_texts(value: object) -> bool:
    return isinstance(value, list) and all(map(is_text, value))


def are_settings(value: object) -> bool:
    return isinstance(value, dict) and all(map(is_number, value.values()))


def is_dice(value: object) -> bool:
    return value in ("seeded", "typed")


HEADER = {
    "game": is_text, "modules": are_texts, "rules": is_text, "version": is_text, "players": are_texts,
    "settings": are_settings, "seed": is_number, "dice": is_dice,
}  # fmt: skip
