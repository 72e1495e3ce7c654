"""Finding the place: which moment fits, what a rule can speak of, where something is declared."""

from __future__ import annotations

from collections.abc import Iterable

from edict.language.word_search import find as found_by
from edict.service.navigation import now
from edict.service.analysis import Rules
from edict.service.answer_types import Found
from edict.service.workspace import Workspace

MOST = 40


def find(all_: Iterable[Found], words: str) -> tuple[Found, ...]:
    """Moments, names and things that fit the words, the best first."""
    return found_by(all_, words)[:MOST]


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
