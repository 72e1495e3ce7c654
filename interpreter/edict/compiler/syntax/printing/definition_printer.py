"""Printing of definitions, abilities and statements; parts from one file keep the order in which they were written.

Long lines are broken inside parentheses only, as the language demands. The content of the widest outermost parentheses
goes on lines of its own, one step deeper:

    quantity hopes "what may be gained" of player is best of (hope of it) over (
      trees where it is not in owned of player
      and smaller of it is within owned of player
    )
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import singledispatch
from itertools import zip_longest
from typing import Any

from edict.compiler.syntax import tree as t
from edict.compiler.syntax.patterns import (
    Gap,
    Pattern,
    first_words,
    has_content,
    is_on_own_lines,
    iter_gaps,
    lines_under,
    select_pattern,
)
from edict.compiler.syntax.printing.expression_printer import (
    SUM,
    fill_pattern_text,
    is_bare,
    print_amounts,
    print_bundle,
    print_by_pattern,
    print_clause,
    print_expression,
    print_name_and_title,
    print_parts,
    quote_text,
)
from edict.compiler.syntax.roles import Role, iter_role_values
from edict.support.records import dataclass

WIDTH = 120
STEP = "  "
LEAST_BROKEN = 30

_TEXT_OR_PARENTHESIS = re.compile(r'"[^"\n]*"|[()]')
_BREAKING_WORDS = ("where", "with", "or", "and")  # from the weakest to the strongest


@dataclass(frozen=True, slots=True)
class PrintedLine:
    """A logical line."""

    depth: int  # steps of indentation
    text: str
    node: t.Node  # the node that stands on it

    @property
    def physical_lines(self) -> list[str]:
        """The line as written, indented, in several parts if it is too long."""
        return list(_break_line(self.text, self.depth))


def join_lines(lines: Iterable[PrintedLine]) -> str:
    """Return lines as text."""
    return "".join(part + "\n" for line in lines for part in line.physical_lines)


def _break_line(text: str, depth: int) -> Iterator[str]:
    """Yield a line as it is if it fits, else broken at its widest parentheses, whose content is indented."""
    full_line = STEP * depth + text
    group = _widest_group(text) if len(full_line) > WIDTH else None
    if group is None:
        yield full_line
        return
    start, end = group
    yield from _break_line(text[:start], depth)
    yield from _break_content(text[start:end].strip(), depth + 1)
    yield from _break_line(text[end:].strip(), depth)


def _break_content(text: str, depth: int) -> Iterator[str]:
    """Yield the content of parentheses, if too long with a line for each part that its weakest word joins."""
    parts = _split_at_words(text) if len(STEP * depth + text) > WIDTH else [text]
    for part in parts:
        yield from _break_content(part, depth) if len(parts) > 1 else _break_line(part, depth)


def _split_at_words(text: str) -> list[str]:
    """Split a text before each of its weakest joining words outside parentheses; one part if there is none."""
    outside = [True] * len(text)
    for start, end in _outermost_groups(text):
        outside[start:end] = [False] * (end - start)
    for word in _BREAKING_WORDS:
        cuts = [match.start() + 1 for match in re.finditer(f" {word} ", text) if outside[match.start()]]
        if cuts:
            return [text[begin:finish].rstrip() for begin, finish in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    return [text]


def _widest_group(text: str) -> tuple[int, int] | None:
    """Return the start and end of the content of the widest outermost parentheses, or None."""
    candidates = [(start, end) for start, end in _outermost_groups(text) if end - start > LEAST_BROKEN]
    return max(candidates, key=lambda group: group[1] - group[0], default=None)


def _outermost_groups(text: str) -> list[tuple[int, int]]:
    """Return the start and end of the contents of outermost pairs; unpaired parentheses belong to other lines."""
    pairs, opened = list[tuple[int, int]](), list[int]()
    for mark in _TEXT_OR_PARENTHESIS.finditer(text):
        if mark[0] == "(":
            opened.append(mark.end())
        elif mark[0] == ")" and opened:
            pairs.append((opened.pop(), mark.start()))
    return [pair for pair in pairs if not any(other[0] < pair[0] and pair[1] < other[1] for other in pairs)]


def print_lines(node: t.Node | t.Block, depth: int = 0) -> list[PrintedLine]:
    """Return the lines of a definition, an ability, a field, a rule, a statement or a block."""
    if isinstance(node, tuple):
        return list(print_block(node, depth))
    if isinstance(node, t.Stmt):
        return list(print_statement(node, depth))
    return list(_print_definition(node, depth))


def needs_empty_line(above: list[PrintedLine], below: list[PrintedLine]) -> bool:
    """Return True if an empty line is required between two definitions.

    Definitions of one line and things of one kind may stand close together, as in a table.
    """
    upper, lower = above[0].node, below[0].node
    same_kind = isinstance(upper, t.Thing) and isinstance(lower, t.Thing) and upper.kind.word == lower.kind.word
    return not same_kind and len(above) + len(below) > 2


@singledispatch
def _print_definition(node: t.Node, depth: int) -> Iterator[PrintedLine]:
    """Yield the lines of a node by its pattern, and the lines below it."""
    pattern = select_pattern(node)
    yield from _print_own_line(print_by_pattern(node), node, depth)
    below = [gap for gap in iter_gaps(pattern or ()) if is_on_own_lines(gap)]
    for _, part in _sort_parts(part for gap in below for part in _print_below(node, gap, depth + 1)):
        yield from part


def _print_own_line(text: str, node: t.Node, depth: int) -> Iterator[PrintedLine]:
    """Yield the lines of a text, with their depth."""
    for line in text.split("\n"):
        inner = line.lstrip()
        yield PrintedLine(depth + (len(line) - len(inner)) // 2, inner, node)


PrintedPart = tuple[t.Node, list[PrintedLine]]


def _print_below(node: Any, gap: Gap, depth: int) -> Iterator[PrintedPart]:
    """Yield what a gap puts below a node (nodes, or one line), with the first node of each."""
    if gap.spec == "line":
        node_type: Any = type(node)
        pattern = lines_under(node_type)[gap.field]
        if all(
            getattr(node, gap.field) if is_on_own_lines(gap) else has_content(node, gap)
            for gap in _iter_required_gaps(pattern)
        ):
            yield _print_line_under(node, pattern, depth)
        return
    for child in getattr(node, gap.field):
        yield child, print_lines(child, depth)


def _print_line_under(node: t.Node, pattern: Pattern, depth: int) -> PrintedPart:
    """Return a line that is not a node itself, with its steps, and the node that it is about."""
    values = [getattr(node, gap.field) for gap in iter_gaps(pattern)]
    subject = next((value for value in values if isinstance(value, t.Node)), node)
    own_lines = [*_print_own_line(fill_pattern_text(node, pattern), subject, depth)]
    steps = next((value for value in values if isinstance(value, tuple)), ())
    return (steps[0] if steps else subject), [*own_lines, *print_block(steps, depth + 1)]


def _iter_required_gaps(pattern: Pattern) -> Iterator[Gap]:
    """Yield the gaps of a pattern that are not within an optional part."""
    return (piece for piece in pattern if isinstance(piece, Gap))


def _sort_parts(parts: Iterable[PrintedPart]) -> list[PrintedPart]:
    """Return parts in the order of their places if they come from one file, else as given."""
    given = list(parts)
    if len({node.span.file for node, _ in given}) == 1:
        return sorted(given, key=lambda part: part[0].span)
    return given


# --- definitions that do not just follow a pattern ----------------------------------------


@_print_definition.register
def _(table: t.Table, depth: int) -> Iterator[PrintedLine]:
    """Its columns stand below each other."""
    yield PrintedLine(depth, f"table of {table.kind.word} with {', '.join(name.word for name in table.columns)}", table)
    cells = [[f"{row.name.word}{quote_text(row.title)}", *_print_cells(row)] for row in table.rows]
    widths = [max(map(len, column)) for column in zip_longest(*cells, fillvalue="")]
    for row, texts in zip(table.rows, cells, strict=True):
        padded = [text.ljust(width) for text, width in zip(texts, widths, strict=False)]
        yield PrintedLine(depth + 1, "  ".join(padded).rstrip(), row)


def _print_cells(row: t.Row) -> list[str]:
    """Return the texts of a row's cells, with commas."""
    texts = ["-" if cell is None else _print_cell(cell) for cell in row.cells]
    return [f"{text}," for text in texts[:-1]] + texts[-1:]


def _print_cell(cell: t.FieldValue) -> str:
    """Return a cell of a table as text; a list is joined by `and`, as commas separate cells."""
    if cell.amounts is not None:
        return print_bundle(cell.amounts)
    if cell.block is not None:
        return print_one_liner(cell.block)
    if is_bare(cell.expr):
        return " and ".join(print_expression(member, SUM) for member in cell.expr.members)
    if cell.expr is not None:
        return print_expression(cell.expr, SUM)
    return f'"{cell.text}"'


@_print_definition.register
def _(field: t.FieldValue, depth: int) -> Iterator[PrintedLine]:
    if field.block is not None and not print_one_liner(field.block):
        yield PrintedLine(depth, field.name.word, field)
        yield from print_block(field.block, depth + 1)
    else:
        yield PrintedLine(depth, f"{field.name.word} {_print_value(field)}", field)


def _print_value(field: t.FieldValue) -> str:
    """Return the value of a field as text, as it stands behind the field's name."""
    if field.block is not None:
        return print_one_liner(field.block)
    if field.amounts is not None:
        return print_amounts(field.amounts)
    if is_bare(field.expr):
        return ", ".join(print_expression(member) for member in field.expr.members)
    return print_expression(field.expr) if field.expr is not None else f'"{field.text}"'


@_print_definition.register
def _(amend: t.Amend, depth: int) -> Iterator[PrintedLine]:
    first, *rest = _print_definition(amend.definition, depth)
    yield PrintedLine(depth, ("rewrite " if amend.whole else "amend ") + first.text, first.node)
    yield from rest


@_print_definition.register
def _(one: t.Standalone, depth: int) -> Iterator[PrintedLine]:
    if one.name.word and isinstance(one.ability, t.Exception_):
        yield from _print_exception(one.ability, f"exception {print_name_and_title(one)}", depth)
    else:
        yield from _print_definition(one.ability, depth)


@_print_definition.register
def _(one: t.Exception_, depth: int) -> Iterator[PrintedLine]:
    yield from _print_exception(one, "exception", depth)


def _print_exception(exception: t.Exception_, first_words_printed: str, depth: int) -> Iterator[PrintedLine]:
    """Yield the lines of an exception whose first line begins with some words."""
    yield PrintedLine(depth, first_words_printed + print_by_pattern(exception).removeprefix("exception"), exception)
    patterns = {first_words(pattern): pattern for pattern in lines_under(t.Exception_).values()}
    for word in exception.lines or _default_lines(exception):
        for line in _print_line_under(exception, patterns[word], depth + 1)[1]:
            yield PrintedLine(line.depth, line.text, exception) if line.depth == depth + 1 else line


def _default_lines(exception: t.Exception_) -> list[str]:
    """Return the kinds of lines for an exception that was not read from a file."""
    if exception.require is not None:
        first = "require"
    elif exception.rule or not exception.then:
        first = "allow"
    else:
        first = ""
    rest = ("then" if exception.rule else "instead") if exception.then else ""
    return [word for word in (first, rest) if word]


def print_block(statements: t.Block, depth: int) -> Iterator[PrintedLine]:
    """Yield the lines of a block of statements."""
    for statement in statements:
        yield from print_statement(statement, depth)


def print_one_liner(statements: t.Block) -> str:
    """Return a block as text if it is a single statement of a single line, else ""."""
    printed_lines = list(print_statement(statements[0], 0)) if len(statements) == 1 else []
    return printed_lines[0].text if len(printed_lines) == 1 else ""


@singledispatch
def print_statement(statement: t.Stmt, depth: int) -> Iterator[PrintedLine]:
    """Yield the lines of a statement and of what stands below it."""
    yield PrintedLine(depth, print_first_line(statement), statement)
    for gap in iter_gaps(select_pattern(statement) or ()):
        if gap.spec == "below":
            yield from print_block(getattr(statement, gap.field), depth + 1)
    yield from _print_else(statement, depth)


# --- statements with blocks ---------------------------------------------------------------


@print_statement.register
def _(may: t.May, depth: int) -> Iterator[PrintedLine]:
    head = " " + print_first_line(may.head) if may.head else ""
    yield PrintedLine(
        depth, f"may{' secretly' * may.secretly}{quote_text(may.prompt)}{head}{quote_text(may.decline, ' else ')}", may
    )
    yield from print_block(may.then, depth + 1)
    yield from _print_else(may, depth)


@print_statement.register
def _(choice: t.ChooseOne, depth: int) -> Iterator[PrintedLine]:
    asking, secretly = print_clause("asking", choice.asking, SUM), " secretly" * choice.secretly
    yield PrintedLine(depth, f"choose one{asking}{secretly}{quote_text(choice.prompt)}", choice)
    for branch in choice.branches:
        if branch.title or branch.condition is not None or len(branch.block) != 1:
            title = print_parts((branch.title, *branch.more))
            yield PrintedLine(depth + 1, f"option {title}{print_clause('if', branch.condition)}", branch)
            yield from print_block(branch.block, depth + 2)
        else:
            yield from print_block(branch.block, depth + 1)


@print_statement.register
def _(one: t.If, depth: int) -> Iterator[PrintedLine]:
    yield from _print_if("if", one, depth)


def _print_if(word: str, conditional: t.If, depth: int) -> Iterator[PrintedLine]:
    """Yield the lines of an `if` that begins with `word`, with its `else if` and `else` branches."""
    yield PrintedLine(depth, f"{word} {print_expression(conditional.condition)}", conditional)
    yield from print_block(conditional.then, depth + 1)
    if len(conditional.otherwise) == 1 and isinstance(conditional.otherwise[0], t.If):
        yield from _print_if("else if", conditional.otherwise[0], depth)
    else:
        yield from _print_else(conditional, depth)


def _print_else(owner: t.Stmt, depth: int) -> Iterator[PrintedLine]:
    """Yield `else` and the steps below it, for a step with an alternative; nothing without one."""
    steps = tuple(iter_role_values(owner, Role.INSTEAD))
    if steps:
        yield PrintedLine(depth, "else", owner)
        yield from print_block(steps, depth + 1)


# --- statements of one line ---------------------------------------------------------------


@singledispatch
def print_first_line(statement: t.Node) -> str:
    """Return a statement as text; for a statement with a block, what comes before the block."""
    return print_by_pattern(statement)
