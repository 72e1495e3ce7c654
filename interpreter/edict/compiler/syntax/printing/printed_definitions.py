"""Definitions and abilities as lines. What was written in one file keeps the order it was written in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import singledispatch
from itertools import zip_longest
from typing import Any

from edict.compiler.syntax import tree as t
from edict.compiler.syntax.patterns import (
    Gap,
    Pattern,
    first_words,
    gaps,
    is_there,
    lines_under,
    pattern_of,
    stands_below,
)
from edict.compiler.syntax.printing.lines import Line
from edict.compiler.syntax.printing.printed_expressions import (
    SUM,
    amounts,
    bundle,
    by_pattern,
    expression,
    is_bare,
    named,
    quoted,
    written,
)
from edict.compiler.syntax.printing.printed_statements import block, one_liner
from edict.compiler.syntax.printing.printed_statements import lines as statement_lines


def printed(node: t.Node | t.Block, depth: int = 0) -> list[Line]:
    """The lines of a definition, an ability, a field, a rule, a statement or a block."""
    if isinstance(node, tuple):
        return list(block(node, depth))
    if isinstance(node, t.Stmt):
        return list(statement_lines(node, depth))
    return list(_lines(node, depth))


def must_be_apart(above: list[Line], below: list[Line]) -> bool:
    """Whether an empty line must stand between two definitions.

    Those of one line, and things of one kind, may stand close together, as in a table.
    """
    one, other = above[0].node, below[0].node
    alike = isinstance(one, t.Thing) and isinstance(other, t.Thing) and one.kind.word == other.kind.word
    return not alike and len(above) + len(below) > 2


@singledispatch
def _lines(node: t.Node, depth: int) -> Iterator[Line]:
    """As its class says that it is written, and what stands below it."""
    pattern = pattern_of(node)
    yield from _own(by_pattern(node), node, depth)
    below = [gap for gap in gaps(pattern or ()) if stands_below(gap)]
    for _, part in _as_written(part for gap in below for part in _below(node, gap, depth + 1)):
        yield from part


def _own(text: str, node: t.Node, depth: int) -> Iterator[Line]:
    """A line, and the lines that belong to it."""
    for line in text.split("\n"):
        inner = line.lstrip()
        yield Line(depth + (len(line) - len(inner)) // 2, inner, node)


Part = tuple[t.Node, list[Line]]


def _below(node: Any, gap: Gap, depth: int) -> Iterator[Part]:
    """What a gap puts below a node: nodes, or one line, each with the first node of it."""
    if gap.spec == "line":
        kind: Any = type(node)
        pattern = lines_under(kind)[gap.field]
        if all(getattr(node, gap.field) if stands_below(gap) else is_there(node, gap) for gap in _always(pattern)):
            yield _line_under(node, pattern, depth)
        return
    for one in getattr(node, gap.field):
        yield one, printed(one, depth)


def _line_under(node: t.Node, pattern: Pattern, depth: int) -> Part:
    """A line that is no node of its own; what stands on it, if it is a node, is what it is about."""
    values = [getattr(node, gap.field) for gap in gaps(pattern)]
    about = next((value for value in values if isinstance(value, t.Node)), node)
    found = [*_own(written(node, pattern), about, depth)]
    steps = next((value for value in values if isinstance(value, tuple)), ())
    return (steps[0] if steps else about), [*found, *block(steps, depth + 1)]


def _always(pattern: Pattern) -> Iterator[Gap]:
    """The gaps that a line cannot do without."""
    return (piece for piece in pattern if isinstance(piece, Gap))


def _as_written(parts: Iterable[Part]) -> list[Part]:
    """In the order of their places, if they come from one file; as given, if modules brought them together."""
    given = list(parts)
    return sorted(given, key=lambda part: part[0].span) if len({node.span.file for node, _ in given}) == 1 else given


# --- those that are more than their patterns say ------------------------------------------


@_lines.register
def _(table: t.Table, depth: int) -> Iterator[Line]:
    """Its columns stand below each other."""
    yield Line(depth, f"table of {table.kind.word} with {', '.join(name.word for name in table.columns)}", table)
    cells = [[f"{row.name.word}{quoted(row.title)}", *_cells(row)] for row in table.rows]
    widths = [max(map(len, column)) for column in zip_longest(*cells, fillvalue="")]
    for row, texts in zip(table.rows, cells, strict=True):
        padded = [text.ljust(width) for text, width in zip(texts, widths, strict=False)]
        yield Line(depth + 1, "  ".join(padded).rstrip(), row)


def _cells(row: t.Row) -> list[str]:
    """With the commas between them."""
    texts = ["-" if cell is None else _cell(cell) for cell in row.cells]
    return [f"{text}," for text in texts[:-1]] + texts[-1:]


def _cell(cell: t.FieldValue) -> str:
    if cell.amounts is not None:
        return bundle(cell.amounts)
    if cell.block is not None:
        return one_liner(cell.block)
    if is_bare(cell.expr):
        return " and ".join(expression(one, SUM) for one in cell.expr.members)
    return expression(cell.expr, SUM) if cell.expr is not None else f'"{cell.text}"'


@_lines.register
def _(field: t.FieldValue, depth: int) -> Iterator[Line]:
    if field.block is not None and not one_liner(field.block):
        yield Line(depth, field.name.word, field)
        yield from block(field.block, depth + 1)
    else:
        yield Line(depth, f"{field.name.word} {_value(field)}", field)


def _value(field: t.FieldValue) -> str:
    if field.block is not None:
        return one_liner(field.block)
    if field.amounts is not None:
        return amounts(field.amounts)
    if is_bare(field.expr):
        return ", ".join(expression(one) for one in field.expr.members)
    return expression(field.expr) if field.expr is not None else f'"{field.text}"'


@_lines.register
def _(amend: t.Amend, depth: int) -> Iterator[Line]:
    first, *rest = _lines(amend.definition, depth)
    yield Line(depth, ("rewrite " if amend.whole else "amend ") + first.text, first.node)
    yield from rest


@_lines.register
def _(one: t.Standalone, depth: int) -> Iterator[Line]:
    if one.name.word and isinstance(one.ability, t.Exception_):
        yield from _exception(one.ability, f"exception {named(one)}", depth)
    else:
        yield from _lines(one.ability, depth)


@_lines.register
def _(one: t.Exception_, depth: int) -> Iterator[Line]:
    yield from _exception(one, "exception", depth)


def _exception(one: t.Exception_, start: str, depth: int) -> Iterator[Line]:
    """The exception, begun with these words."""
    yield Line(depth, start + by_pattern(one).removeprefix("exception"), one)
    patterns = {first_words(pattern): pattern for pattern in lines_under(t.Exception_).values()}
    for word in one.lines or _usual(one):
        for line in _line_under(one, patterns[word], depth + 1)[1]:
            yield Line(line.depth, line.text, one) if line.depth == depth + 1 else line


def _usual(one: t.Exception_) -> list[str]:
    """The lines of an exception that was not read from a file."""
    first = "require" if one.require is not None else "allow" if one.rule or not one.then else ""
    rest = ("then" if one.rule else "instead") if one.then else ""
    return [word for word in (first, rest) if word]
