"""What building nodes out of parts needs, and the parts that are no nodes yet."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

from lark import Token, Tree
from lark.exceptions import VisitError
from lark.tree import Meta

from edict.compiler.syntax import tree as t
from edict.compiler.syntax.derived_rules import flags
from edict.compiler.syntax.patterns import (
    by_rule,
    first_words,
    gaps,
    lines_under,
    needed,
    patterns,
    stands_below,
    under_by_rule,
)
from edict.support.report import Diagnostic, Edit, Label
from edict.support.text import Span


def every(children: Iterable[Any], kind: type) -> tuple[Any, ...]:
    return tuple(c for c in children if isinstance(c, kind))


def first_of(children: Iterable[Any], kind: type) -> Any:
    return next((c for c in children if isinstance(c, kind)), None)


def text_of(children: Iterable[Any]) -> str:
    return next((c[1:-1] for c in children if isinstance(c, Token) and c.type == "STRING"), "")


def steps_of(children: Iterable[Any]) -> t.Block:
    return every(children, t.Stmt)


def amounts_of(children: list[Any]) -> tuple[t.Part, ...]:
    """Numbers and names in turn."""
    pairs = zip(children[::2], children[1::2], strict=True)
    return tuple(t.Part(name.span, t.Number(name.span, int(n)), name) for n, name in pairs)


class Mark:
    """A word of the grammar was written: secret, quiet, first ..."""


class Joint(str):
    """by, in or for, between what something is kept for or asked of."""


class Fields(dict[str, Any]):
    """What one word says of several fields of a node."""


class ColumnValue(tuple["t.FieldValue | None"]):
    """What stands in a column of a table."""


@dataclass(frozen=True, slots=True)
class DefinitionLine:
    """One of the lines of a definition, by its first words, and what it says of the definition's fields."""

    word: str
    value: dict[str, Any]
    span: Span


class ElseIf(tuple[Any, ...]):
    """A condition and its block."""


class Then(tuple[t.Stmt, ...]):
    """A block set apart from other statements of the same rule."""


class Else(tuple[t.Stmt, ...]):
    """What is done otherwise."""


def _twice(line: DefinitionLine, first: DefinitionLine) -> Diagnostic:
    both = "stands twice" if line.word == first.word else f"stands beside `{first.word}`"
    return Diagnostic(
        "E0133",
        f"`{line.word}` {both}",
        line.span,
        labels=(Label(first.span, "the first one" if line.word == first.word else "here"),),
        help="delete one of the two: only one of them could count",
    )


def priced(line: DefinitionLine) -> Diagnostic:
    """The price of an exception that is to no rule."""
    place = Span(line.span.file, line.span.line, line.span.column, line.span.line, line.span.column + len(line.word))
    return Diagnostic(
        "E0134",
        "what comes in place of a phase, a routine or a step stands under `instead`",
        place,
        note=f"`{line.word}` is the price of an exception to a rule of an action.",
        help="write `instead`",
        edits=(Edit(place, "instead"),),
    )


def filled(rule: str, children: list[Any]) -> dict[str, Any]:
    """The fields of a node from its parts, by the pattern of its rule: first those of its own line, then what stands
    below."""
    values: dict[str, Any] = {}
    own, below = _fields_of(rule)
    for (field, build), child in zip(own, children[: len(own)], strict=True):
        if isinstance(child, Fields):
            values |= child
        else:
            values[field] = child if build is None else build(child)
    for field, kind in below:
        values[field] = every(children[len(own) :], kind)
    return values


@cache
def _fields_of(rule: str) -> tuple[list[tuple[str, Callable[[Any], Any] | None]], list[tuple[str, type]]]:
    """The fields on the line of a rule, each with what builds its value; and those below it, each with their class."""
    kinds: dict[str, Any] = by_rule()
    written = under_by_rule()[rule] if rule in under_by_rule() else patterns(kinds[rule])[rule]
    own = [(gap.field, _BUILT.get(gap.spec)) for gap in gaps(written) if not stands_below(gap)]
    below = [gap for gap in gaps(written) if stands_below(gap) and gap.spec != "line"]
    return own, [(gap.field, t.Stmt if gap.spec == "below" else getattr(t, gap.spec)) for gap in below]


@cache
def absent(kind: Any) -> dict[str, Any]:
    """What the fields of a node are that are not written."""
    written = (*patterns(kind).values(), *lines_under(kind).values())
    by_spec = {gap.field: _NOTHING.get(gap.spec) for pattern in written for gap in gaps(pattern)}
    return {field: by_spec.get(field, _ABSENT.get(field)) for field in needed(kind)}


_NOTHING = {"below": (), "text": "", "word": False}  # by what stands in a gap; else it is None
_ABSENT = {"then": (), "block": (), "title": "", "edge": ""}  # of fields without a gap of their own
_BUILT: dict[str, Callable[[Any], Any]] = {
    "text": lambda token: text_of([token]),
    "number": lambda token: int(token or 0),
    "word": bool,
    "zero": bool,
    "args": lambda found: found or (),
    "names": lambda found: found or (),
    "of": lambda found: found or (),
    "givens": lambda found: found or (),
}


class Making:
    """What is built has its place; a node that has a pattern needs no method of its own.

    It does what a `Transformer` of Lark does, which makes several objects for every branch.
    """

    def __init__(self, file: str) -> None:
        self.file = file
        self.found: list[Diagnostic] = []

    def transform(self, tree: Tree[Token]) -> Any:
        """Return what was built of a tree; raise `VisitError` if that failed."""
        try:
            return self._make(tree)
        except Exception as failed:
            raise VisitError(tree.data, tree, failed) from failed  # type: ignore[no-untyped-call]

    def _make(self, tree: Tree[Token]) -> Any:
        children = [self._make(child) if isinstance(child, Tree) else child for child in tree.children]
        make = getattr(self, tree.data, None)
        return self._fill(tree.data, children, tree.meta) if make is None else make(tree.meta, children)

    def _fill(self, data: str, children: list[Any], meta: Meta) -> Any:
        """Return the node of a rule that has no method of its own."""
        rule = data.rstrip("_")
        if rule in flags():
            return Mark()
        if rule in under_by_rule():
            return DefinitionLine(first_words(under_by_rule()[rule]), filled(rule, children), self.span(meta))
        kind: Any = by_rule()[rule]
        fields = absent(kind) | filled(rule, children)
        for line in self._once(children) if lines_under(kind) else ():
            fields |= line.value
        return kind(self.span(meta), **fields)

    def span(self, meta: Meta) -> Span:
        return Span(self.file, meta.line, meta.column, meta.end_line, meta.end_column)

    def _token(self, token: Token) -> Span:
        place = (token.line, token.column, token.end_line, token.end_column)
        return Span(self.file, *(number or 1 for number in place))

    def _once(self, children: Iterable[Any], *alike: tuple[str, str]) -> list[DefinitionLine]:
        """The lines, each of which may stand once; `alike` are pairs of which only one may stand."""
        first: dict[str, DefinitionLine] = {}
        for line in every(children, DefinitionLine):
            other = next((first[word] for pair in alike for word in pair if line.word in pair and word in first), None)
            other = first.setdefault(line.word, line) if other is None else other
            if other is not line:
                self.found.append(_twice(line, other))
        return [*first.values()]
