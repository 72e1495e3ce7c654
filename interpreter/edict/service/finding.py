"""Finding the place: which moment fits, what a rule can speak of, where something is declared."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher

from edict.handbook.terms import plain
from edict.service.pointing import now
from edict.service.rules import Rules
from edict.service.values import Found
from edict.service.workspace import Workspace

MOST = 40
_SMALL = frozenset("a an and at by for from in is it of on one or that the to what when which with".split())
_ALIKE = 0.8


def find(all_: Iterable[Found], words: str) -> tuple[Found, ...]:
    """Moments, names and things in whose names, titles and English the words are found, the best first.

    Words match in any form that begins alike (`battles`, `battle`); small words count only if there is nothing else.
    """
    wanted = [word for word in plain(words).split() if word not in _SMALL] or plain(words).split()
    scored = [(_score(wanted, one), one) for one in all_]
    found = sorted((one for one in scored if one[0] > 0), key=lambda one: -one[0])
    return tuple(one for _, one in found[:MOST])


def _score(wanted: Sequence[str], one: Found) -> float:
    """How well something fits: each word must be found; in names and titles it counts for more than in sentences."""
    called, told_ = _words(f"{one.line} {one.title} {one.sort}"), _words(one.meaning)
    score = 0.0
    for word in wanted:
        if any(_same(word, other) for other in called):
            score += 3
        elif any(_same(word, other) for other in told_):
            score += 1
        else:
            return 0
    return score + (2 if one.sort == "moment" else 0) - len(called) / 100


def _words(text: str) -> list[str]:
    return plain(text.replace("(", " ").replace(")", " ").replace(",", " ").replace(".", " ")).split()


def _same(word: str, other: str) -> bool:
    """Whether two words begin alike, or differ in a letter or two."""
    if len(word) >= 3 and other.startswith(word) or len(other) >= 4 and word.startswith(other):
        return True
    return len(word) > 4 and abs(len(word) - len(other)) < 3 and SequenceMatcher(None, word, other).ratio() > _ALIKE


def symbols(space: Workspace, words: str) -> tuple[Found, ...]:
    """What is found in all rules of the workspace, each with the place where it is declared."""
    found: dict[tuple[str, str], Found] = {}
    for rules in space.everything():
        known = rules.understood(anew=False)
        for one in find(known.findable, words) if known is not None else ():
            placed = _placed(rules, one)
            if placed.where is not None:
                found.setdefault((placed.line, str(placed.where)), placed)
    return tuple(found.values())[:MOST]


def _placed(rules: Rules, one: Found) -> Found:
    known = rules.understood(anew=False)
    name = one.line.removeprefix("when ").removeprefix("start of ").removeprefix("end of ").split()[0]
    definition = known.definitions.get(name) if known is not None else None
    where = now(rules, known, definition.name.span) if known is not None and definition is not None else None
    return Found(one.line, one.title, one.sort, one.meaning, where)
