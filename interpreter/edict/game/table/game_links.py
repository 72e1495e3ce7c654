"""A game in a link: its journal in letters that an address may have behind `#game=`.

The journal without what can be found again: the checksums of its lines, and the rules of every module that ships, which
are named. Modules of somebody's own are in the link. Read again it is the same journal, down to the last byte; only
folders of somebody's own machine are no part of it.

A link is to be gone through, or it waits for an answer (`to`): then whoever opens it is asked next.
"""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import lru_cache
from pathlib import Path
from typing import Any

from edict.compiler.sources.folders import Module, read_module
from edict.compiler.sources.module_lookup import catalogue, looks_like_path, named_everywhere
from edict.compiler.sources.module_set import joined, rules_hash
from edict.compiler.sources.packing import Part, pack_parts, part_of, unpack
from edict.game.table.game_errors import JournalError
from edict.game.table.journal import (
    MOST_LINES,
    Answer,
    Damaged,
    Header,
    Journal,
    held_in,
    held_line,
    is_number,
    is_text,
    read_header,
)
from edict.support.translations import N_, gettext

MARK = "#game="
LONGEST = 30_000  # characters that browsers, mail and messengers carry
MOST_LETTERS = 10 * LONGEST  # that are read at all
MOST_READ = 4_000_000  # bytes they may come to
_LETTERS = re.compile(r"[\w-]+", re.ASCII)

PLACE = "link"
COPY_IT = N_("copy it again, from beginning to end")
SEND_FILE = N_("ask whoever sent it for the file of the game, which brings its rules along")

Held = tuple[tuple[int, tuple[Answer, ...]], ...]
"""What seats have answered before their turn."""


class WrongLink(JournalError):
    """A link that cannot be made or opened."""

    def __init__(self, reason: str, remedy: str = "", line: int = 0, place: str = PLACE) -> None:
        super().__init__(reason, remedy, line, place)


@dataclass(frozen=True, slots=True)
class GameLink:
    """A game that was put into a link. to: the seat that is to answer; -1: nobody, it is to be gone through."""

    journal: Journal
    to: int = -1
    held: Held = ()

    def letters(self, longest: int = LONGEST) -> str:
        """What stands behind `#game=`. Raises `WrongLink` if that is too long for an address."""
        journal = self.journal
        answers = [[one.seat, one.question, one.key] for one in journal.answers]
        header = _without_places(journal.header, _modules(journal.bundle))
        data = {"header": header.to_data(), "rules": _taken_apart(journal.bundle), "answers": answers}
        perhaps: dict[str, Any] = {
            "keeps": journal.keeps_rules,
            "to": [self.to] if self.to >= 0 else [],
            "held": [held_line(seat, held) for seat, held in self.held],
        }
        data |= {name: value for name, value in perhaps.items() if value}
        raw = json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
        text = base64.urlsafe_b64encode(zlib.compress(raw, 9)).decode().rstrip("=")
        if len(text) > longest:
            raise WrongLink(gettext("this game is too large for a link"), gettext("send the file of the game instead"))
        return text


def brings_rules(text: str) -> bool:
    """Whether a link has rules in it. Raises `WrongLink`."""
    return any(part is not None for _, part in _rules(_data(text)))


def read_link(text: str) -> GameLink:
    """The game in a link, or in the letters of one, with its rules.

    Raises `WrongLink`, or `JournalError` if what is in it is no game.
    """
    data = _data(text)
    header = read_header(data.get("header", {}), PLACE)
    try:
        answers = tuple(_answer(row) for row in _rows(data, "answers"))
        held = tuple(held_in(row) for row in _rows(data, "held"))
        to = next((seat for seat in _rows(data, "to") if is_number(seat)), -1)
    except (Damaged, KeyError, TypeError):
        raise _broken() from None
    if not -1 <= to < len(header.players):
        raise _broken()
    header, bundle = _with_rules(header, _rules(data))
    return GameLink(Journal(header, answers, bundle, data.get("keeps") is True, place=PLACE), to, held)


# --- letters -------------------------------------------------------------------------------------------


def _broken() -> WrongLink:
    return WrongLink(gettext("this link is not complete, or something in it was changed"), gettext(COPY_IT))


def _data(text: str) -> dict[str, Any]:
    letters = "".join(text.rpartition(MARK)[2].split())  # mail breaks long lines
    if not letters or not _LETTERS.fullmatch(letters):
        raise WrongLink(
            gettext("there is no game in this link"), gettext("copy the whole link: a game stands behind #game=")
        )
    if len(letters) > MOST_LETTERS:
        raise WrongLink(gettext("this link is too long to hold a game"), gettext(COPY_IT))
    try:
        unzip = zlib.decompressobj()
        raw = unzip.decompress(base64.urlsafe_b64decode(letters + "=" * (-len(letters) % 4)), MOST_READ)
        data = json.loads(raw)
    except (ValueError, zlib.error, RecursionError):
        raise _broken() from None
    if not unzip.eof or unzip.unused_data or not isinstance(data, dict) or not isinstance(data.get("header"), dict):
        raise _broken()
    return data


def _rows(data: Mapping[str, Any], name: str) -> Sequence[Any]:
    rows = data.get(name, [])
    if not isinstance(rows, list) or len(rows) > MOST_LINES:
        raise _broken()
    return rows


def _answer(row: Any) -> Answer:
    match row:
        case [seat, question, key] if is_number(seat) and is_text(question) and is_text(key):
            return Answer(seat, question, key)
    raise _broken()


# --- rules: named where they ship, else in the link --------------------------------------------------------

Rule = tuple[str, Part | None]
"""The name of a module, and what is in it if it is in the link."""


@lru_cache(maxsize=8)
def _modules(bundle: str) -> tuple[Module, ...]:
    modules = unpack(bundle).value if bundle else ()
    if modules is None:
        raise WrongLink(gettext("the rules kept in this game are damaged"))
    return modules


def _without_places(header: Header, modules: Sequence[Module]) -> Header:
    """The header with names where it has folders: of the rules, and of a campaign."""
    if any(map(looks_like_path, (header.game, *header.modules))) and modules:
        game = next((one.name for one in modules if one.manifest.kind == "game"), header.game)
        header = replace(header, game=game, modules=tuple(one.name for one in modules if one.name != game))
    bots = tuple("" if looks_like_path(bot) else bot for bot in header.bots)
    chapter = header.chapter
    chapter = replace(chapter, campaign=Path(chapter.campaign).stem) if chapter else None
    return replace(header, bots=bots, chapter=chapter)


@lru_cache(maxsize=8)
def _taken_apart(bundle: str) -> list[Rule]:
    modules = _modules(bundle)
    names, ships = {module.name for module in modules}, catalogue()
    found = list[Rule]()
    for module in modules:
        there = read_module(ships[module.name][0]).value if module.name in ships else None
        part = part_of(module)
        found.append((module.name, None if there and part_of(joined(there, names)) == part else part))
    return found


def _rules(data: Mapping[str, Any]) -> list[Rule]:
    rules = list[Rule]()
    for row in _rows(data, "rules"):
        match row:
            case [str(name), None]:
                rules.append((name, None))
            case [str(name), dict(part)]:
                rules.append((name, part))
            case _:
                raise _broken()
    return rules


def _with_rules(header: Header, rules: Sequence[Rule]) -> tuple[Header, str]:
    """The header under the rules as they are here, and these. Raises `WrongLink` if they are others."""
    if not rules:
        return header, ""
    bundle = pack_parts([*_parts(rules)])
    modules = unpack(bundle).value
    if modules is None:
        raise _broken()
    here = rules_hash(modules)
    if here == header.rules:
        return header, bundle
    from edict.compiler.pipeline.compile import compile_modules

    program = compile_modules(modules).value
    if program is None or not header.meaning or program.meaning != header.meaning:
        said = gettext("it was played under other rules of %(game)s than the ones here") % {"game": header.game}
        raise WrongLink(said, gettext(SEND_FILE))
    return replace(header, rules=here, version=program.version), bundle


def _parts(rules: Sequence[Rule]) -> Iterator[Part]:
    known, names = named_everywhere(), {name for name, _ in rules}
    for name, part in rules:
        if part is None:
            module = read_module(known[name][0]).value if name in known else None
            if module is None:
                said = gettext("it needs rules that are not here: %(name)s") % {"name": name[:80]}
                raise WrongLink(said, gettext(SEND_FILE))
            part = part_of(joined(module, names))
        yield part


# --- two courses of one game -------------------------------------------------------------------------------


class JournalOrder(Enum):
    """How a game that arrives stands to the same game as it is here."""

    SAME, NEWER, OLDER, FORKED = range(4)


@dataclass(frozen=True, slots=True)
class Compared:
    """How it stands, how many answers both have in common, and those that it has beyond."""

    standing: JournalOrder
    common: int
    new: tuple[Answer, ...] = field(default=())


def same_game(one: Journal, other: Journal) -> bool:
    """Whether two journals are of one game: no two have the same seed, and rules may have been worded anew."""
    if one.header.seed != other.header.seed:
        return False
    headers = (_without_places(journal.header, _modules(journal.bundle)) for journal in (one, other))
    mine, theirs = (replace(header, rules="", version="") for header in headers)
    return mine == theirs


def compared(here: Sequence[Answer], arrived: Sequence[Answer]) -> Compared:
    """What has arrived of a game, beside what there is of it here."""
    pairs = zip(here, arrived, strict=False)
    common = next((at for at, (a, b) in enumerate(pairs) if _said(a) != _said(b)), min(len(here), len(arrived)))
    kinds = {(False, False): JournalOrder.SAME, (False, True): JournalOrder.NEWER, (True, False): JournalOrder.OLDER}
    standing = kinds.get((common < len(here), common < len(arrived)), JournalOrder.FORKED)
    return Compared(standing, common, tuple(arrived[common:]) if standing is JournalOrder.NEWER else ())


def _said(answer: Answer) -> tuple[int, str, str]:
    return answer.seat, answer.question, answer.key


__all__ = [
    "LONGEST",
    "MARK",
    "PLACE",
    "Compared",
    "GameLink",
    "Held",
    "JournalOrder",
    "WrongLink",
    "brings_rules",
    "compared",
    "read_link",
    "same_game",
]
