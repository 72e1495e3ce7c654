"""Two tables from kinds of nodes to what tells them: in a few words, and line by line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from edict.compiler.english.binding import Binding, Phrase, ending
from edict.compiler.english.titles import many_of, title_of
from edict.compiler.semantics.symbols import Resolved
from edict.compiler.syntax import tree as t
from edict.support.morphology import with_article


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence and the lines that belong to it; `about` is the phase, routine or moment it leads to."""

    text: str
    below: tuple[Line, ...] = ()
    about: str = ""


Teller = Callable[[Resolved, Any], str | Phrase]
_TELLERS: dict[type, Teller] = {}

Outliner = Callable[[Resolved, Any], Iterator[Line]]
_OUTLINERS: dict[type, Outliner] = {}

_GAP = re.compile(r"\{(\w+)(?::(\w+))?\}")


def tells(*sorts: type) -> Callable[[Teller], Teller]:
    """Register a function in the table, for nodes of these kinds."""

    def enter(teller: Teller) -> Teller:
        _TELLERS.update(dict.fromkeys(sorts, teller))
        return teller

    return enter


def told_as(patterns: dict[type, str]) -> None:
    """Register patterns in the table: the words of nodes of each kind, with gaps for those of their parts.

    A gap is the name of a field: `{place}`; of a name in it the title, and after a colon, `{die:a}`, with an article,
    or `{kind:many}`, in the plural.
    """
    _TELLERS.update({kind: _filling(pattern) for kind, pattern in patterns.items()})


def _filling(pattern: str) -> Teller:
    gaps = [match.groups() for match in _GAP.finditer(pattern)]
    blank = _GAP.sub("{}", pattern)

    def teller(r: Resolved, node: Any) -> Phrase:
        parts = [_filled(r, getattr(node, field), how) for field, how in gaps]
        return ending(blank.format(*parts), parts)

    return teller


def _filled(r: Resolved, value: Any, how: str | None) -> Phrase:
    if how is None:
        return said(r, value) if isinstance(value, t.Node) else Phrase(str(value))
    if how == "many":
        return Phrase(many_of(r, value))
    title = title_of(r, value)
    return Phrase(with_article(title) if how == "a" else title)


def said(resolved: Resolved, node: t.Node) -> Phrase:
    """The words of any node that says something, and how they hold together.

    If its teller does not say that, they are taken for a phrase with an open end.
    """
    node = resolved.written.get(node, node)
    words = _TELLERS[type(node)](resolved, node)
    return words if isinstance(words, Phrase) else Phrase(words, ends=Binding.OPEN)


def tell(resolved: Resolved, node: t.Node) -> str:
    """The words of any node that says something: an expression, amount, statement or ability."""
    return said(resolved, node).text


def tellable() -> frozenset[type]:
    """The kinds of nodes that have words."""
    return frozenset(_TELLERS)


def outlines(*sorts: type) -> Callable[[Outliner], Outliner]:
    """Register a function in the table, for steps of these kinds line by line."""

    def enter(outliner: Outliner) -> Outliner:
        _OUTLINERS.update(dict.fromkeys(sorts, outliner))
        return outliner

    return enter


def outliner(step: t.Stmt) -> Outliner | None:
    """What tells a step line by line; None for one that is reported in a sentence."""
    return _OUTLINERS.get(type(step))
