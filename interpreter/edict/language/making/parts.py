"""What building nodes out of parts needs, and the parts that are no nodes yet."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from lark import Token, Transformer
from lark.tree import Meta

from edict.language import tree as t
from edict.language.patterns import Gap, by_rule, gaps, needed, patterns
from edict.report import Diagnostic, Edit, Label
from edict.text import Span


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


class Mark(str):
    """A word kept from the grammar (secret, quiet, lowest ...)."""


class Joint(str):
    """by, in or for, between what something is kept for or asked of."""


class Bound(tuple[str, t.Expr]):
    """at least / at most, with its expression."""


class Target(tuple[t.Name, "t.Name | None", str]):
    """An action or routine, and perhaps one of its rules; or what steps do to a keep or a resource."""


class Cell(tuple["t.FieldValue | None"]):
    """What stands in a column of a table."""


@dataclass(frozen=True, slots=True)
class DefinitionLine:
    """One of the lines of a definition, by its first word."""

    word: str
    value: Any
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
        "E0133", f"`{line.word}` {both}", line.span,
        labels=(Label(first.span, "the first one" if line.word == first.word else "here"),),
        help="delete one of the two: only one of them could count",
    )  # fmt: skip


def priced(line: DefinitionLine) -> Diagnostic:
    """The price of an exception that is to no rule."""
    place = Span(line.span.file, line.span.line, line.span.column, line.span.line, line.span.column + len(line.word))
    return Diagnostic(
        "E0134", "what comes in place of a phase, a routine or a step stands under `instead`", place,
        note=f"`{line.word}` is the price of an exception to a rule of an action.",
        help="write `instead`", edits=(Edit(place, "instead"),),
    )  # fmt: skip


def _filled(kind: Any, written: tuple[Gap, ...], children: list[Any]) -> dict[str, Any]:
    """The fields of a node from its parts, and for what its pattern has no gap, nothing."""
    values: dict[str, Any] = {field: _ABSENT.get(field) for field in needed(kind)}
    waiting = [child for child in children if not isinstance(child, t.Stmt)]
    for gap, child in zip((gap for gap in written if gap.spec != "below"), waiting, strict=True):
        values[gap.field] = _BUILT.get(gap.spec, _as_it_is)(child)
    values |= {gap.field: steps_of(children) for gap in written if gap.spec == "below"}
    return values


def _as_it_is(child: Any) -> Any:
    return child


_ABSENT = {"then": (), "block": (), "title": ""}  # any other is None
_BUILT: dict[str, Callable[[Any], Any]] = {
    "text": lambda token: text_of([token]),
    "number": lambda token: int(token or 0),
    "word": bool,
    "args": lambda found: found or (),
}


class Making(Transformer[Token, Any]):
    """What is built has its place; a node that has a pattern needs no method of its own."""

    def __init__(self, file: str) -> None:
        super().__init__()
        self.file = file
        self.found: list[Diagnostic] = []

    def __default__(self, data: Any, children: list[Any], meta: Meta) -> t.Node:
        rule = str(data).rstrip("_")
        kind: Any = by_rule()[rule]
        node: t.Node = kind(self.span(meta), **_filled(kind, tuple(gaps(patterns(kind)[rule])), children))
        return node

    def span(self, meta: Meta) -> Span:
        return Span(self.file, meta.line, meta.column, meta.end_line, meta.end_column)

    def _token(self, token: Token) -> Span:
        place = (token.line, token.column, token.end_line, token.end_column)
        return Span(self.file, *(number or 1 for number in place))

    def _line(self, m: Meta, word: str, value: Any) -> DefinitionLine:
        return DefinitionLine(word, value, self.span(m))

    def _once(self, children: Iterable[Any], *alike: tuple[str, str]) -> dict[str, Any]:
        """What the lines say, each of which may stand once; `alike` are pairs of which only one may stand."""
        first: dict[str, DefinitionLine] = {}
        for line in every(children, DefinitionLine):
            other = next((first[word] for pair in alike for word in pair if line.word in pair and word in first), None)
            other = first.setdefault(line.word, line) if other is None else other
            if other is not line:
                self.found.append(_twice(line, other))
        return {word: line.value for word, line in first.items()}
