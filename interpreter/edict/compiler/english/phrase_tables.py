"""Two tables of functions by class of nodes: those that describe a node in a phrase, and those that outline it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from edict.compiler.english.phrases import Phrase, PhraseEnd, inherit_end
from edict.compiler.english.titles import plural_of, title_of
from edict.compiler.semantics.symbols import ResolvedBook
from edict.compiler.syntax import tree as t
from edict.support.morphology import add_indefinite_article


@dataclass(frozen=True, slots=True)
class OutlineLine:
    """A sentence with the lines that belong to it."""

    text: str
    below: tuple[OutlineLine, ...] = ()
    about: str = ""  # the phase or routine or moment it refers to


Describer = Callable[[ResolvedBook, Any], str | Phrase]
_DESCRIBERS: dict[type, Describer] = {}

Outliner = Callable[[ResolvedBook, Any], Iterator[OutlineLine]]
_OUTLINERS: dict[type, Outliner] = {}

_GAP = re.compile(r"\{(\w+)(?::(\w+))?\}")


def describes(*classes: type) -> Callable[[Describer], Describer]:
    """Return a decorator that registers a function as the describer of some classes of nodes."""

    def register(describer: Describer) -> Describer:
        _DESCRIBERS.update(dict.fromkeys(classes, describer))
        return describer

    return register


def register_patterns(patterns: dict[type, str]) -> None:
    """Register patterns as describers: phrases with gaps for the parts of a node.

    A gap is the name of a field: `{place}`; for a name in it stands the title, and after a colon, `{die:a}`, the
    title with an article, or `{kind:many}`, in the plural.
    """
    _DESCRIBERS.update({kind: _make_describer(pattern) for kind, pattern in patterns.items()})


def _make_describer(pattern: str) -> Describer:
    """Return a describer that fills the gaps `{field}` and `{field:form}` of a pattern from a node."""
    gaps = [match.groups() for match in _GAP.finditer(pattern)]
    template = _GAP.sub("{}", pattern)

    def describer(r: ResolvedBook, node: Any) -> Phrase:
        """Return the pattern's phrase for a node; it ends as the last filled gap ends."""
        parts = [_fill_gap(r, getattr(node, field), form) for field, form in gaps]
        return inherit_end(template.format(*parts), parts)

    return describer


def _fill_gap(r: ResolvedBook, value: Any, form: str | None) -> Phrase:
    """Return the phrase of a field's value: described, or for a form its plural, or its title with or without `a`."""
    if form is None:
        return to_phrase(r, value) if isinstance(value, t.Node) else Phrase(str(value))
    if form == "many":
        return Phrase(plural_of(r, value))
    title = title_of(r, value)
    return Phrase(add_indefinite_article(title) if form == "a" else title)


def to_phrase(resolved: ResolvedBook, node: t.Node) -> Phrase:
    """Return the phrase that describes a node.

    Words of a describer that returns a string count as a phrase with an open end.
    """
    node = resolved.originals.get(node, node)
    words = _DESCRIBERS[type(node)](resolved, node)
    return words if isinstance(words, Phrase) else Phrase(words, ends=PhraseEnd.OPEN)


def describe(resolved: ResolvedBook, node: t.Node) -> str:
    """Return the words for an expression, amount, statement or ability."""
    return to_phrase(resolved, node).text


def describable_classes() -> frozenset[type]:
    """Return the classes of nodes that have describers."""
    return frozenset(_DESCRIBERS)


def outlines(*classes: type) -> Callable[[Outliner], Outliner]:
    """Return a decorator that registers a function as the outliner of some classes of steps."""

    def register(outliner: Outliner) -> Outliner:
        _OUTLINERS.update(dict.fromkeys(classes, outliner))
        return outliner

    return register


def get_outliner(step: t.Stmt) -> Outliner | None:
    """Return the outliner of a step; None if a sentence describes it."""
    return _OUTLINERS.get(type(step))
