"""Statements: those of one line as a text, those with blocks as lines."""

from __future__ import annotations

from collections.abc import Iterator
from functools import singledispatch

from edict.front import tree as t
from edict.front.printing.expressions import (
    SUM, bundles, by_pattern, called, clause, expression, parts, quoted,
)  # fmt: skip
from edict.front.printing.lines import Line


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


# --- statements with blocks ---------------------------------------------------------------


@lines.register
def _(spend: t.Spend, depth: int) -> Iterator[Line]:
    yield Line(depth, simple(spend), spend)
    yield from block(spend.then, depth + 1)


@lines.register
def _(may: t.May, depth: int) -> Iterator[Line]:
    head = " " + simple(may.head) if may.head else ""
    yield Line(depth, f"may{quoted(may.prompt)}{head}{quoted(may.decline, ' else ')}", may)
    yield from block(may.then, depth + 1)
    yield from _otherwise("otherwise", may, depth)


@lines.register
def _(choice: t.ChooseOne, depth: int) -> Iterator[Line]:
    asking = clause("asking", choice.asking, SUM)
    yield Line(depth, f"choose one{asking}{_secretly(choice)}{quoted(choice.prompt)}", choice)
    for branch in choice.branches:
        if branch.title or branch.condition is not None or len(branch.block) != 1:
            yield Line(depth + 1, f'option "{branch.title}"{clause("if", branch.condition)}', branch)
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
        yield from _otherwise("else", one, depth)


def _otherwise(word: str, owner: t.If | t.May, depth: int) -> Iterator[Line]:
    if owner.otherwise:
        yield Line(depth, word, owner)
        yield from block(owner.otherwise, depth + 1)


@lines.register
def _(each: t.Each, depth: int) -> Iterator[Line]:
    yield Line(depth, f"each {each.kind.word}{called('as', each.name)}{clause('in', each.source)}", each)
    yield from block(each.block, depth + 1)


@lines.register
def _(repeat: t.Repeat, depth: int) -> Iterator[Line]:
    if repeat.count is not None:
        yield Line(depth, f"repeat {expression(repeat.count, SUM)} times", repeat)
    else:
        yield Line(depth, f"repeat{clause('until', repeat.until)}", repeat)
    yield from block(repeat.block, depth + 1)


@lines.register
def _(text: t.Text, depth: int) -> Iterator[Line]:
    yield Line(depth, simple(text), text)
    yield from block(text.block, depth + 1)


# --- blocks of other things ---------------------------------------------------------------


def require(owner: t.Rule | t.Exception_, condition: t.Expr, depth: int) -> Iterator[Line]:
    yield Line(depth, f"require {expression(condition)}", owner)
    if owner.because:
        yield Line(depth, f'because "{owner.because}"', owner)


def headed(word: str, statements: t.Block, owner: t.Node, depth: int) -> Iterator[Line]:
    """A word, and under it what is done; nothing if nothing is."""
    if statements:
        yield Line(depth, word, owner)
        yield from block(statements, depth + 1)


# --- statements of one line ---------------------------------------------------------------


@singledispatch
def simple(statement: t.Node) -> str:
    """A statement as a text: of one with a block, what stands before the block."""
    return by_pattern(statement)


def _sum(expr: t.Expr) -> str:
    return expression(expr, SUM)


def _secretly(node: t.Choose | t.ChooseOne | t.Draw) -> str:
    return " secretly" if node.secretly else ""


def _an(node: t.Choose | t.Draw) -> str:
    """The kind with its article, as it was written or else as its first letter wants it."""
    word = node.kind.word
    return f"{node.article or ('an' if word[0] in 'aeiouAEIOU' else 'a')} {word}"


@simple.register
def _(gain: t.Gain) -> str:
    return f"gain {bundles(gain.options)}"


@simple.register
def _(spend: t.Spend) -> str:
    return f"spend {bundles(spend.options)}{called('as', spend.name)}"


@simple.register
def _(choose: t.Choose) -> str:
    low, high, source = choose.low, choose.high, choose.source
    if low is not None and high is not None:
        origin = f" from {_sum(low)} to {_sum(high)}"
    else:
        origin = clause("from", source, SUM)
    asked = clause("asking", choose.asking, SUM) + _secretly(choose) + quoted(choose.prompt)
    return f"choose {_an(choose)}{origin} as {choose.name.word}{clause('where', choose.where)}{asked}"


@simple.register
def _(choose: t.ChooseDie) -> str:
    return f"choose a die from {_sum(choose.source)} as {choose.name.word}{quoted(choose.prompt)}"


@simple.register
def _(payment: t.Payment) -> str:
    least = f" including {payment.least} {payment.die.word}" if payment.die else ""
    total = f"making {_sum(payment.total)}{least}{quoted(payment.prompt)}"
    return f"choose dice from {_sum(payment.place)} as {payment.name.word} {total}"


@simple.register
def _(roll: t.Roll) -> str:
    where = called("as", roll.name) or clause("into", roll.place, SUM)
    return f"roll {_sum(roll.count)} {roll.die.word}{where}"


@simple.register
def _(reroll: t.Reroll) -> str:
    return f"reroll {'all' if reroll.dice is None else _sum(reroll.dice)} within {_sum(reroll.place)}"


@simple.register
def _(draw: t.Draw) -> str:
    return f"draw {_an(draw)} from {_sum(draw.source)} as {draw.name.word}{_secretly(draw)}"


@simple.register
def _(show: t.Show) -> str:
    if isinstance(show.to, t.Name) and show.to.word == "everyone" and show.to.span == show.span:
        return f"reveal {_sum(show.place)}"
    return f"show {_sum(show.place)} to {_sum(show.to)}"


@simple.register
def _(announce: t.Announce) -> str:
    return f"announce {parts(announce.parts)}"


@simple.register
def _(text: t.Text) -> str:
    return f"text {parts(text.parts)}"


@simple.register
def _(trigger: t.Trigger) -> str:
    return f"trigger {trigger.moment.word}{_with(trigger.args)}"


@simple.register
def _(do: t.Do) -> str:
    return f"do {do.name.word}{_with(do.args)}"


def _with(args: tuple[t.Expr, ...]) -> str:
    return " with " + " and ".join(_sum(arg) for arg in args) if args else ""
