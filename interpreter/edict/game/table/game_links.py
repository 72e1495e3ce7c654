"""Games in links: a journal in characters that a URL may have after `#game=`.

A link leaves out what can be restored: the checksums of lines, and the rules of modules that ship, which are named.
Custom modules are in the link. Reading it gives the same journal, byte by byte, except for local folders.

A link is for replay, or waits for an answer of a seat (`to`), which is asked as soon as somebody opens it.
"""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from enum import Enum
from functools import lru_cache
from pathlib import Path
from typing import Any

from edict.compiler.sources.folders import Module, read_module
from edict.compiler.sources.module_lookup import load_catalogue, load_full_catalogue, looks_like_path
from edict.compiler.sources.module_set import hash_rules, with_conditional_files
from edict.compiler.sources.packing import ModuleData, pack_module_data, to_module_data, unpack_modules
from edict.game.table.game_errors import JournalError
from edict.game.table.journal import (
    MOST_LINES,
    Answer,
    DamagedLine,
    Header,
    Journal,
    early_answers_to_data,
    is_number,
    is_text,
    parse_early_answers,
    parse_header,
)
from edict.support.records import dataclass
from edict.support.translations import N_, gettext

MARK = "#game="
MOST_LINK_CHARACTERS = 30_000  # that browsers, mail and messengers carry
MOST_READ_CHARACTERS = 10 * MOST_LINK_CHARACTERS  # of a link that is read
MOST_UNPACKED_BYTES = 4_000_000
_LINK_CHARACTERS = re.compile(r"[\w-]+", re.ASCII)

PLACE = "link"
COPY_AGAIN = N_("copy it again, from beginning to end")
SEND_FILE = N_("ask whoever sent it for the file of the game, which brings its rules along")

# answers that seats gave before their turn, by question
EarlyAnswers = tuple[tuple[int, tuple[Answer, ...]], ...]


class GameLinkError(JournalError):
    """An error for a link that cannot be created or opened."""

    def __init__(self, reason: str, remedy: str = "", line: int = 0, place: str = PLACE) -> None:
        super().__init__(reason, remedy, line, place)


@dataclass(frozen=True, slots=True)
class GameLink:
    """A game in a link."""

    journal: Journal
    to: int = -1  # the seat that is to answer, -1 for replay
    held: EarlyAnswers = ()  # early answers of seats

    def encode(self, limit: int = MOST_LINK_CHARACTERS) -> str:
        """Return the characters after `#game=`. Raises `GameLinkError` if they are too long for a URL."""
        journal = self.journal
        answers = [[answer.seat, answer.question, answer.key] for answer in journal.answers]
        header = _without_paths(journal.header, _unpack_modules(journal.bundle))
        data = {"header": header.to_data(), "rules": _list_parts(journal.bundle), "answers": answers}
        optional: dict[str, Any] = {
            "keeps": journal.keeps_rules,
            "to": [self.to] if self.to >= 0 else [],
            "held": [early_answers_to_data(seat, held) for seat, held in self.held],
        }
        data |= {name: value for name, value in optional.items() if value}
        raw = json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
        text = base64.urlsafe_b64encode(zlib.compress(raw, 9)).decode().rstrip("=")
        if len(text) > limit:
            raise GameLinkError(
                gettext("this game is too large for a link"), gettext("send the file of the game instead")
            )
        return text


def contains_rules(text: str) -> bool:
    """Return True if a link contains rules. Raises `GameLinkError`."""
    return any(part is not None for _, part in _parse_parts(_decode(text)))


def read_link(text: str) -> GameLink:
    """Return the game in a link, or in the characters of one, with its rules.

    Raises `GameLinkError`, or `JournalError` if the content is no game.
    """
    data = _decode(text)
    header = parse_header(data.get("header", {}), PLACE)
    try:
        answers = tuple(_parse_answer(row) for row in _get_rows(data, "answers"))
        held = tuple(parse_early_answers(row) for row in _get_rows(data, "held"))
        seat_to_answer = next((seat for seat in _get_rows(data, "to") if is_number(seat)), -1)
    except (DamagedLine, KeyError, TypeError):
        raise _incomplete_link() from None
    if not -1 <= seat_to_answer < len(header.players):
        raise _incomplete_link()
    header, bundle = _attach_rules(header, _parse_parts(data))
    return GameLink(Journal(header, answers, bundle, data.get("keeps") is True, place=PLACE), seat_to_answer, held)


# --- letters -------------------------------------------------------------------------------------------


def _incomplete_link() -> GameLinkError:
    return GameLinkError(gettext("this link is not complete, or something in it was changed"), gettext(COPY_AGAIN))


def _decode(text: str) -> dict[str, Any]:
    """Unpack the characters of a link to its JSON data, within size limits. Raise `GameLinkError`."""
    characters = "".join(text.rpartition(MARK)[2].split())  # mail programs break long lines
    if not characters or not _LINK_CHARACTERS.fullmatch(characters):
        raise GameLinkError(
            gettext("there is no game in this link"), gettext("copy the whole link: a game stands behind #game=")
        )
    if len(characters) > MOST_READ_CHARACTERS:
        raise GameLinkError(gettext("this link is too long to hold a game"), gettext(COPY_AGAIN))
    try:
        decompressor = zlib.decompressobj()
        raw = decompressor.decompress(
            base64.urlsafe_b64decode(characters + "=" * (-len(characters) % 4)), MOST_UNPACKED_BYTES
        )
        data = json.loads(raw)
    except (ValueError, zlib.error, RecursionError):
        raise _incomplete_link() from None
    if (
        not decompressor.eof
        or decompressor.unused_data
        or not isinstance(data, dict)
        or not isinstance(data.get("header"), dict)
    ):
        raise _incomplete_link()
    return data


def _get_rows(data: Mapping[str, Any], name: str) -> Sequence[Any]:
    """Return the list under a name, empty if missing. Raise `GameLinkError` if it is no list or too long."""
    rows = data.get(name, [])
    if not isinstance(rows, list) or len(rows) > MOST_LINES:
        raise _incomplete_link()
    return rows


def _parse_answer(row: Any) -> Answer:
    """Return the answer in a row `[seat, question, key]`. Raise `GameLinkError` for other data."""
    match row:
        case [seat, question, key] if is_number(seat) and is_text(question) and is_text(key):
            return Answer(seat, question, key)
    raise _incomplete_link()


# --- rules: named where they ship, else in the link --------------------------------------------------------

# the name of a module, and its files if they are in the link
ModulePart = tuple[str, ModuleData | None]


@lru_cache(maxsize=8)
def _unpack_modules(bundle: str) -> tuple[Module, ...]:
    """Return the modules in a bundle, none for an empty text. Raise `GameLinkError` if it is damaged."""
    modules = unpack_modules(bundle).value if bundle else ()
    if modules is None:
        raise GameLinkError(gettext("the rules kept in this game are damaged"))
    return modules


def _without_paths(header: Header, modules: Sequence[Module]) -> Header:
    """Return the header with names in place of local paths."""
    if any(map(looks_like_path, (header.game, *header.modules))) and modules:
        game = next((module.name for module in modules if module.manifest.kind == "game"), header.game)
        header = replace(header, game=game, modules=tuple(module.name for module in modules if module.name != game))
    bots = tuple("" if looks_like_path(bot) else bot for bot in header.bots)
    chapter = header.chapter
    chapter = replace(chapter, campaign=Path(chapter.campaign).stem) if chapter else None
    return replace(header, bots=bots, chapter=chapter)


@lru_cache(maxsize=8)
def _list_parts(bundle: str) -> list[ModulePart]:
    """Return name and data of each module in a bundle; None as data for an unchanged shipped module."""
    modules = _unpack_modules(bundle)
    names, ships = {module.name for module in modules}, load_catalogue()
    parts = list[ModulePart]()
    for module in modules:
        shipped = read_module(ships[module.name][0]).value if module.name in ships else None
        part = to_module_data(module)
        parts.append(
            (module.name, None if shipped and to_module_data(with_conditional_files(shipped, names)) == part else part)
        )
    return parts


def _parse_parts(data: Mapping[str, Any]) -> list[ModulePart]:
    """Return the rows of `rules` as pairs of a name and data (None: shipped). Raise `GameLinkError`."""
    rules = list[ModulePart]()
    for row in _get_rows(data, "rules"):
        match row:
            case [str(name), None]:
                rules.append((name, None))
            case [str(name), dict(part)]:
                rules.append((name, part))
            case _:
                raise _incomplete_link()
    return rules


def _attach_rules(header: Header, rules: Sequence[ModulePart]) -> tuple[Header, str]:
    """Return header and bundle under the rules as they are here. Raises `GameLinkError` if they differ."""
    if not rules:
        return header, ""
    bundle = pack_module_data([*_iter_parts(rules)])
    modules = unpack_modules(bundle).value
    if modules is None:
        raise _incomplete_link()
    hash_here = hash_rules(modules)
    if hash_here == header.rules:
        return header, bundle
    from edict.compiler.pipeline.compile import compile_modules

    program = compile_modules(modules).value
    if program is None or not header.meaning or program.meaning != header.meaning:
        message = gettext("it was played under other rules of %(game)s than the ones here") % {"game": header.game}
        raise GameLinkError(message, gettext(SEND_FILE))
    return replace(header, rules=hash_here, version=program.version), bundle


def _iter_parts(rules: Sequence[ModulePart]) -> Iterator[ModuleData]:
    """Yield the data of each module, read from here where the link has none. Raise `GameLinkError` if missing."""
    known, names = load_full_catalogue(), {name for name, _ in rules}
    for name, part in rules:
        if part is None:
            module = read_module(known[name][0]).value if name in known else None
            if module is None:
                message = gettext("it needs rules that are not here: %(name)s") % {"name": name[:80]}
                raise GameLinkError(message, gettext(SEND_FILE))
            part = to_module_data(with_conditional_files(module, names))
        yield part


# --- two courses of one game -------------------------------------------------------------------------------


class JournalOrder(Enum):
    """The relation of a received game to the local copy."""

    SAME, NEWER, OLDER, FORKED = range(4)


@dataclass(frozen=True, slots=True)
class JournalComparison:
    """The comparison of a received game with the local copy."""

    order: JournalOrder
    common: int  # number of answers that both share
    new: tuple[Answer, ...] = field(default=())  # answers beyond, if it is newer


def is_same_game(first: Journal, second: Journal) -> bool:
    """Return True if two journals are of one game.

    No two games share a seed; rules may have new wording.
    """
    if first.header.seed != second.header.seed:
        return False
    headers = (_without_paths(journal.header, _unpack_modules(journal.bundle)) for journal in (first, second))
    mine, theirs = (replace(header, rules="", version="") for header in headers)
    return mine == theirs


def compare_answers(local_answers: Sequence[Answer], received_answers: Sequence[Answer]) -> JournalComparison:
    """Return SAME, NEWER, OLDER or FORKED, the number of equal answers, and if NEWER the further ones."""
    pairs = zip(local_answers, received_answers, strict=False)
    common = next(
        (index for index, (local, received) in enumerate(pairs) if _answer_key(local) != _answer_key(received)),
        min(len(local_answers), len(received_answers)),
    )
    kinds = {(False, False): JournalOrder.SAME, (False, True): JournalOrder.NEWER, (True, False): JournalOrder.OLDER}
    order = kinds.get((common < len(local_answers), common < len(received_answers)), JournalOrder.FORKED)
    return JournalComparison(order, common, tuple(received_answers[common:]) if order is JournalOrder.NEWER else ())


def _answer_key(answer: Answer) -> tuple[int, str, str]:
    """Return seat, question and option key, by which answers are compared."""
    return answer.seat, answer.question, answer.key


__all__ = [
    "MOST_LINK_CHARACTERS",
    "MARK",
    "PLACE",
    "JournalComparison",
    "GameLink",
    "EarlyAnswers",
    "JournalOrder",
    "GameLinkError",
    "contains_rules",
    "compare_answers",
    "read_link",
    "is_same_game",
]
