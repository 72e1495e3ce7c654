"""Printing of statements, as text if they take one line, else as lines."""

from __future__ import annotations

from collections.abc import Iterator
from functools import singledispatch

from edict.compiler.syntax import tree as t
from edict.compiler.syntax.patterns import iter_gaps, select_pattern
from edict.compiler.syntax.printing.expression_printer import (
    SUM,
    print_by_pattern,
    print_clause,
    print_expression,
    print_parts,
    quote_text,
)
from edict.compiler.syntax.printing.lines import PrintedLine
from edict.compiler.syntax.roles import Role, iter_role_values


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
