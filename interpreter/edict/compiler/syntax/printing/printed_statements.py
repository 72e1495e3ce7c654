"""Statements: those of one line as a text, those with blocks as lines."""

from __future__ import annotations

from collections.abc import Iterator
from functools import singledispatch

from edict.compiler.syntax import tree as t
from edict.compiler.syntax.patterns import gaps, pattern_of
from edict.compiler.syntax.printing.lines import Line
from edict.compiler.syntax.printing.printed_expressions import SUM, by_pattern, clause, expression, parts, quoted
from edict.compiler.syntax.roles import Role, having


def block(statements: t.Block, depth: int) -> Iterator[Line]:
    for statement in statements:
        yield from lines(statement, depth)


def one_liner(statements: t.Block) -> str:
    """The block as a text if it is a single statement of a single line, else nothing."""
    found = list(lines(statements[0], 0)) if len(statements) == 1 else []
    return found[0].text if len(found) == 1 else ""


@singledispatch
def lines(statement: t.Stmt, depth: int) -> Iterator[Line]:
    """A statement and what stands below it."""
    yield Line(depth, simple(statement), statement)
    for gap in gaps(pattern_of(statement) or ()):
        if gap.spec == "below":
            yield from block(getattr(statement, gap.field), depth + 1)
    yield from _otherwise(statement, depth)


# --- statements with blocks ---------------------------------------------------------------


@lines.register
def _(may: t.May, depth: int) -> Iterator[Line]:
    head = " " + simple(may.head) if may.head else ""
    yield Line(depth, f"may{' secretly' * may.secretly}{quoted(may.prompt)}{head}{quoted(may.decline, ' else ')}", may)
    yield from block(may.then, depth + 1)
    yield from _otherwise(may, depth)


@lines.register
def _(choice: t.ChooseOne, depth: int) -> Iterator[Line]:
    asking, secretly = clause("asking", choice.asking, SUM), " secretly" * choice.secretly
    yield Line(depth, f"choose one{asking}{secretly}{quoted(choice.prompt)}", choice)
    for branch in choice.branches:
        if branch.title or branch.condition is not None or len(branch.block) != 1:
            title = parts((branch.title, *branch.more))
            yield Line(depth + 1, f"option {title}{clause('if', branch.condition)}", branch)
            yield from block(branch.block, depth + 2)
        else:
            yield from block(branch.block, depth + 1)


@lines.register
def _(one: t.If, depth: int) -> Iterator[Line]:
    yield from _if("if", one, depth)


def _if(word: str, one: t.If, depth: int) -> Iterator[Line]:
    yield Line(depth, f"{word} {expression(one.condition)}", one)
    yield from block(one.then, depth + 1)
    if len(one.otherwise) == 1 and isinstance(one.otherwise[0], t.If):
        yield from _if("else if", one.otherwise[0], depth)
    else:
        yield from _otherwise(one, depth)


def _otherwise(owner: t.Stmt, depth: int) -> Iterator[Line]:
    steps = tuple(having(owner, Role.INSTEAD))
    if steps:
        yield Line(depth, "else", owner)
        yield from block(steps, depth + 1)


# --- statements of one line ---------------------------------------------------------------


@singledispatch
def simple(statement: t.Node) -> str:
    """A statement as a text: of one with a block, what stands before the block."""
    return by_pattern(statement)
