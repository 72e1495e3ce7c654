"""Phrases of everyday English, and how the language says the same: `grammar/phrases.yaml`, held against a line.

A phrase has gaps for what the rules declare (`{a:resource}`), so it is understood wherever it stands and in any game,
and several phrases in one line are understood one after the other. Whether what comes out makes sense is for others to
find out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product

from edict.language.declared import Declared
from edict.language.facts import indent
from edict.language.gaps import Filled, first_of, spans
from edict.language.lists import known

_PIECE = re.compile(r"\{(\w+):([\w-]+)\}|\[([^\]]*)\]|(\S+)")
_NEXT = re.compile(r" // | ;; | /; ")  # in what is written: the next line, under this one, beside it, or under an offer


@dataclass(frozen=True)
class Gap:
    """A part of a phrase that differs, and what must stand in it."""

    name: str
    sort: str


@dataclass(frozen=True)
class Phrase:
    """Words and gaps, in a row; whether only at the beginning or the end of a line; what is written, and why."""

    pieces: tuple[frozenset[str] | Gap, ...]
    begins: bool
    ends: bool
    written: str
    why: str


@dataclass(frozen=True)
class Understood:
    """A stretch of a line that is a phrase, and the same in the words of the language."""

    start: int
    end: int
    text: str
    why: str
    words: int


def understood(line: str, words: Sequence[re.Match[str]], declared: Declared) -> Iterator[Understood]:
    """Every phrase in a line, which is given as its words too."""
    said = frozenset(word[0].casefold() for word in words)
    starts = (0, 1) if len(words) > 1 and words[0][0] in declared.fields else (0,)
    for phrase in _spoken(said):
        for first in starts if phrase.begins else range(len(words)):
            yield from _at(phrase, line, words, first, declared)


def _at(
    phrase: Phrase, line: str, words: Sequence[re.Match[str]], first: int, declared: Declared
) -> Iterator[Understood]:
    for last, filled in _filled(phrase.pieces, words, first, declared):
        if phrase.ends and last < len(words):
            continue
        text = _written(phrase.written, filled, declared)
        start, end = words[first].start(), words[last - 1].end()
        if text and text != line[start:end]:
            offered = words[0][0].casefold() == "may" and first > 0
            yield Understood(start, end, _block(text, indent(line), offered), phrase.why, last - first)
            return


def _block(text: str, lead: int, offered: bool) -> str:
    """What is written as lines, the first of which begins in a line that is indented so far, and may be an offer."""
    lines, depth = list[str](), 0
    for sign, line in zip(["", *_NEXT.findall(text)], _NEXT.split(text), strict=True):
        depth += sign == " // " or offered and sign == " /; "
        lines.append(f"{' ' * lead}{'  ' * depth}{line}" if lines else line)
    return "\n".join(lines)


def _written(template: str, filled: dict[str, Filled], declared: Declared) -> str:
    """What is written in place of a phrase; nothing, where the rules have no such thing."""
    parts = {**filled, "some": first_of(declared)}
    lacking = False

    def part(found: re.Match[str]) -> str:
        nonlocal lacking
        text = str(getattr(parts[found[1]], found[2] or "text"))
        lacking = lacking or not text
        return text

    written = re.sub(r"\{(\w+)(?:\.(\w+))?\}", part, template)
    return "" if lacking else re.sub(r" \* 1(?!\d)", "", written)


def _filled(
    pieces: Sequence[frozenset[str] | Gap], words: Sequence[re.Match[str]], at: int, declared: Declared
) -> Iterator[tuple[int, dict[str, Filled]]]:
    """How words from a place on fit: behind the last of them, and what stands in the gaps."""
    if not pieces:
        yield at, {}
        return
    piece, *rest = pieces
    if at >= len(words):
        return
    if isinstance(piece, frozenset):
        if words[at][0].casefold() in piece:
            yield from _filled(rest, words, at + 1, declared)
        return
    for end, filled in spans(piece.sort, words, at, declared):
        for last, others in _filled(rest, words, end, declared):
            yield last, {piece.name: filled, **others}


def _spoken(said: frozenset[str]) -> Iterator[Phrase]:
    """The phrases all of whose words are among these, in their order."""
    by_word, phrases = _by_word(), _phrases()
    for number in sorted({number for word in ("", *said) for number in by_word.get(word, ())}):
        if all(piece & said for piece in phrases[number].pieces if isinstance(piece, frozenset)):
            yield phrases[number]


# --- the list --------------------------------------------------------------------------------------


@cache
def _phrases() -> tuple[Phrase, ...]:
    return tuple(phrase for one in known("phrases", "phrases.yaml") for phrase in _read(one["says"], one["why"]))


@cache
def _by_word() -> dict[str, list[int]]:
    """The phrases, by the words of which one must be there: those of its rarest part."""
    found: dict[str, list[int]] = {}
    for number, phrase in enumerate(_phrases()):
        words = min((one for one in phrase.pieces if isinstance(one, frozenset)), key=len, default=("",))
        for word in words:
            found.setdefault(word, []).append(number)
    return found


def _read(says: str, why: str) -> Iterator[Phrase]:
    for line in filter(None, map(str.strip, says.splitlines())):
        said, _, written = line.rpartition(" => ")
        begins, ends = said.startswith("^"), said.endswith("$")
        ways = [_ways(piece) for piece in _PIECE.finditer(said.strip("^$ "))]
        for way in product(*ways):
            yield Phrase(tuple(piece for part in way for piece in part), begins, ends, written.strip(), why)


def _ways(piece: re.Match[str]) -> list[tuple[frozenset[str] | Gap, ...]]:
    """What may stand for a part of a phrase: `[...]` may be left out."""
    if piece[1]:
        return [(Gap(piece[1], piece[2]),)]
    if piece[4]:
        return [(_words(piece[4]),)]
    inner = [way for part in _PIECE.finditer(piece[3]) for way in _ways(part)]
    return [tuple(one for way in inner for one in way), ()]


def _words(written: str) -> frozenset[str]:
    """The words of which any may stand there: `a|b`, with `<name>` for a list that has a name."""
    lists = known("words", "phrases.yaml")
    found = set[str]()
    for one in written.split("|") if len(written) > 1 else [written]:
        found |= set(lists[one[1:-1]].split()) if one.startswith("<") and len(one) > 2 else {one}
    return frozenset(found)

