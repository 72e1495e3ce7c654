"""The base of the builders, which fills patterns, and values that are not nodes yet."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from lark import Token, Tree
from lark.exceptions import VisitError
from lark.tree import Meta

from edict.compiler.syntax import tree as t
from edict.compiler.syntax.patterns import (
    all_lines_under,
    classes_by_rule,
    first_words,
    flag_rules,
    is_on_own_lines,
    iter_gaps,
    lines_under,
    list_required_fields,
    patterns,
)
from edict.support.records import dataclass
from edict.support.report import Diagnostic, Edit, Label
from edict.support.text import Span


def select_type(children: Iterable[Any], node_type: type) -> tuple[Any, ...]:
    """Return the children of a type."""
    return tuple(child for child in children if isinstance(child, node_type))


def get_first(children: Iterable[Any], node_type: type) -> Any:
    """Return the first child of a type, or None."""
    return next((child for child in children if isinstance(child, node_type)), None)


def get_text(children: Iterable[Any]) -> str:
    """Return the content of the first text in quotes, or ""."""
    return next((child[1:-1] for child in children if isinstance(child, Token) and child.type == "STRING"), "")


def get_steps(children: Iterable[Any]) -> t.Block:
    """Return the statements among the children."""
    return select_type(children, t.Stmt)


def build_parts(children: list[Any]) -> tuple[t.Part, ...]:
    """Return the amounts that numbers and names in turn describe."""
    pairs = zip(children[::2], children[1::2], strict=True)
    return tuple(t.Part(name.span, t.Number(name.span, int(number)), name) for number, name in pairs)


class FlagMark:
    """A flag word, such as secret, quiet or first, that was written."""


class Preposition(str):
    """A preposition (by, in or for) between parameters or arguments."""


class FieldsPatch(dict[str, Any]):
    """Values for several fields of a node."""


class TableCell(tuple["t.FieldValue | None"]):
    """The value of a cell of a table, or None."""


@dataclass(frozen=True, slots=True)
class DefinitionLine:
    """A line of a definition."""

    word: str  # its first words
    value: dict[str, Any]  # values for fields of the definition
    span: Span


class ElseIfBlock(tuple[Any, ...]):
    """The condition and the block of an `else if`."""


class ThenBlock(tuple[t.Stmt, ...]):
    """A block, kept apart from other statements of the same rule."""


class ElseBlock(tuple[t.Stmt, ...]):
    """The block of an `else`."""


def _repeated_line_diagnostic(line: DefinitionLine, first: DefinitionLine) -> Diagnostic:
    if line.word == first.word:
        fault = "is written twice"
    else:
        fault = f"cannot be combined with `{first.word}`"
    return Diagnostic(
        "E0133",
        f"`{line.word}` {fault}",
        line.span,
        labels=(Label(first.span, "the first one" if line.word == first.word else "here"),),
        help="delete one of the two: only one can count",
    )


def misplaced_price_diagnostic(line: DefinitionLine) -> Diagnostic:
    """Return the diagnostic for `then` (a price) in an exception that is not to a rule of an action."""
    place = Span(line.span.file, line.span.line, line.span.column, line.span.line, line.span.column + len(line.word))
    return Diagnostic(
        "E0134",
        "the replacement for a phase, a routine or a step goes under `instead`",
        place,
        note=f"`{line.word}` is the price of an exception to a rule of an action.",
        help="write `instead`",
        edits=(Edit(place, "instead"),),
    )


def fill_pattern(rule: str, children: list[Any]) -> dict[str, Any]:
    """Return the fields of a node from the children of its tree, by the pattern of its rule.

    The children for its own line come first, then the nodes below it.
    """
    values: dict[str, Any] = {}
    own, below_fields = _fields_in_pattern(rule)
    for (field, build), child in zip(own, children[: len(own)], strict=True):
        if isinstance(child, FieldsPatch):
            values |= child
        else:
            values[field] = child if build is None else build(child)
    for field, node_type in below_fields:
        values[field] = select_type(children[len(own) :], node_type)
    return values


@cache
def _fields_in_pattern(rule: str) -> tuple[list[tuple[str, Callable[[Any], Any] | None]], list[tuple[str, type]]]:
    """Return the fields on the line of a rule with their converters, and those below it with their classes."""
    node_types: dict[str, Any] = classes_by_rule()
    if rule in all_lines_under():
        pattern = all_lines_under()[rule]
    else:
        pattern = patterns(node_types[rule])[rule]
    own = [(gap.field, _CONVERTERS.get(gap.spec)) for gap in iter_gaps(pattern) if not is_on_own_lines(gap)]
    below = [gap for gap in iter_gaps(pattern) if is_on_own_lines(gap) and gap.spec != "line"]
    return own, [(gap.field, t.Stmt if gap.spec == "below" else getattr(t, gap.spec)) for gap in below]


@cache
def default_fields(node_type: Any) -> dict[str, Any]:
    """Return the values of the required fields of a class that are not written."""
    all_patterns = (*patterns(node_type).values(), *lines_under(node_type).values())
    by_spec = {gap.field: _EMPTY_BY_SPEC.get(gap.spec) for pattern in all_patterns for gap in iter_gaps(pattern)}
    return {field: by_spec.get(field, _EMPTY_BY_FIELD.get(field)) for field in list_required_fields(node_type)}


_EMPTY_BY_SPEC = {"below": (), "text": "", "word": False}
_EMPTY_BY_FIELD = {"then": (), "block": (), "title": "", "edge": ""}
# by the specification of a gap
_CONVERTERS: dict[str, Callable[[Any], Any]] = {
    "text": lambda token: get_text([token]),
    "number": lambda token: int(token or 0),
    "word": bool,
    "zero": bool,
    "args": lambda found: found or (),
    "names": lambda found: found or (),
    "of": lambda found: found or (),
    "givens": lambda found: found or (),
}


class NodeBuilder:
    """Builds the nodes of a tree; a node that has a pattern needs no method of its own.

    It does the work of a Lark `Transformer`, which creates several objects for every branch.
    """

    def __init__(self, file: str) -> None:
        self.file = file
        self.diagnostics: list[Diagnostic] = []

    def transform(self, tree: Tree[Token]) -> Any:
        """Return the result of building a tree.

        Raises:
            VisitError: A builder failed.
        """
        try:
            return self._build(tree)
        except Exception as error:
            raise VisitError(tree.data, tree, error) from error  # type: ignore[no-untyped-call]

    def _build(self, tree: Tree[Token]) -> Any:
        children = [self._build(child) if isinstance(child, Tree) else child for child in tree.children]
        build_method = getattr(self, tree.data, None)
        if build_method is None:
            return self._build_by_pattern(tree.data, children, tree.meta)
        return build_method(tree.meta, children)

    def _build_by_pattern(self, data: str, children: list[Any], meta: Meta) -> Any:
        """Return the node of a rule that has no method of its own."""
        rule = data.rstrip("_")
        if rule in flag_rules():
            return FlagMark()
        if rule in all_lines_under():
            return DefinitionLine(
                first_words(all_lines_under()[rule]), fill_pattern(rule, children), self.span_of(meta)
            )
        node_type: Any = classes_by_rule()[rule]
        fields = default_fields(node_type) | fill_pattern(rule, children)
        for line in self._unique_lines(children) if lines_under(node_type) else ():
            fields |= line.value
        return node_type(self.span_of(meta), **fields)

    def span_of(self, meta: Meta) -> Span:
        """Return the span of a tree."""
        return Span(self.file, meta.line, meta.column, meta.end_line, meta.end_column)

    def _token_span(self, token: Token) -> Span:
        place = (token.line, token.column, token.end_line, token.end_column)
        return Span(self.file, *(number or 1 for number in place))

    def _unique_lines(self, children: Iterable[Any], *alike: tuple[str, str]) -> list[DefinitionLine]:
        """Return the lines of a definition, and report repeated ones and pairs (`alike`) that exclude each other."""
        first: dict[str, DefinitionLine] = {}
        for line in select_type(children, DefinitionLine):
            other = next(
                (first[word] for exclusive in alike for word in exclusive if line.word in exclusive and word in first),
                None,
            )
            other = first.setdefault(line.word, line) if other is None else other
            if other is not line:
                self.diagnostics.append(_repeated_line_diagnostic(line, other))
        return [*first.values()]
