"""Conditions to code: a jump to a label if the condition is as said."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from edict.compiler.codegen import core
from edict.compiler.codegen.emit import Label, Operand
from edict.compiler.codegen.emitters import CONDITIONS, Operands, carry_out, jump, value, values
from edict.compiler.codegen.procedures import Writer
from edict.compiler.codegen.sets import each, either, inside, padded, some
from edict.runtime.program import opcodes as o

FEW = 4  # members that are gone through one by one, without a loop
MOST_COPIES = 64  # of one condition, where such members stand in each other


def _row(decisive: bool) -> Callable[[Writer, core.All | core.Any_, Label, bool], None]:
    """A row of which one that is `decisive` settles the whole."""

    def row(w: Writer, condition: core.All | core.Any_, target: Label, when: bool) -> None:
        if decisive == when:
            for part in condition.parts:
                jump(w, part, target, when)
            return
        past = Label()
        for part in condition.parts[:-1]:
            jump(w, part, past, not when)
        if condition.parts:
            jump(w, condition.parts[-1], target, when)
        else:
            w.emit(o.JMP, target)
        w.put(past)

    return row


def _test(w: Writer, condition: core.Test, target: Label, when: bool) -> None:
    w.decide(condition, when, o.JZ if condition.empty == when else o.JNZ, some(w, condition.value), target)


def _equal(w: Writer, comparison: core.Compare, target: Label, when: bool) -> None:
    left, right = values(w, comparison.left), values(w, comparison.right)
    same = (comparison.op == "=") == when
    if len(left) == len(right) == 1:
        w.decide(comparison, when, o.JEQ if same else o.JNE, left[0], right[0], target)
    else:
        other = _each_cell(w, o.SUB, left, right)
        w.decide(comparison, when, o.JZ if same else o.JNZ, either(w, other), target)


def _less(w: Writer, comparison: core.Compare, target: Label, when: bool) -> None:
    left, right = value(w, comparison.left), value(w, comparison.right)
    op = comparison.op
    if op in (">", ">="):
        left, right = right, left
        op = {">": "<", ">=": "<="}[op]
    if when:
        w.decide(comparison, when, o.JLT if op == "<" else o.JLE, left, right, target)
    else:
        w.decide(comparison, when, o.JLE if op == "<" else o.JLT, right, left, target)


def _in(w: Writer, comparison: core.Compare, target: Label, when: bool) -> None:
    there, known = (comparison.op == "in") == when, comparison.left
    if isinstance(known, core.Const) and 0 <= known.value < comparison.right.cells * o.BITS:
        number, rest = divmod(known.value, o.BITS)
        one = _cell(w, comparison.right, number)
        w.decide(comparison, when, o.JIN if there else o.JOUT, w.const(rest), one, target)
        return
    member, among = value(w, known), values(w, comparison.right)
    if len(among) == 1:
        w.decide(comparison, when, o.JIN if there else o.JOUT, member, among[0], target)
    else:
        w.decide(comparison, when, o.JNZ if there else o.JZ, inside(w, member, among), target)


def _cell(w: Writer, among: core.Expr, number: int) -> Operand:
    """One of the cells of a set; of one that is kept for many, the others are not even read."""
    if isinstance(among, core.Load) and among.cells > 1:
        return value(w, core.Load(among.base + number, core.Op(o.IDX, (among.index, among.cells, core.Const(0)))))
    return values(w, among)[number]


def _within(w: Writer, comparison: core.Compare, target: Label, when: bool) -> None:
    outside = _each_cell(w, o.ANDN, values(w, comparison.left), values(w, comparison.right))
    w.decide(comparison, when, o.JZ if when else o.JNZ, either(w, outside), target)


def _each_cell(w: Writer, op: int, left: Operands, right: Operands) -> Operands:
    """An operation on what stands in each cell of two values."""
    cells = max(len(left), len(right))
    found = w.fresh(cells)
    for cell, a, b in zip(found, padded(w, left, cells), padded(w, right, cells), strict=True):
        w.emit(op, cell, a, b)
    return found


COMPARE: dict[str, Callable[[Writer, core.Compare, Label, bool], None]] = {
    "=": _equal,
    "!=": _equal,
    "<": _less,
    "<=": _less,
    ">": _less,
    ">=": _less,
    "in": _in,
    "not-in": _in,
    "within": _within,
}


def few_of(members: int) -> tuple[int, ...]:
    """The members of a small set; nothing for all others."""
    return tuple(i for i in range(members.bit_length()) if members >> i & 1) if members.bit_count() <= FEW else ()


def _some(w: Writer, condition: core.Some, target: Label, when: bool) -> None:
    """every: one without it decides; some: one with it decides."""
    decisive, decided = not condition.every, Label()
    there = target if decisive == when else decided
    few = few_of(condition.members.value) if isinstance(condition.members, core.Const) else ()
    copies = w.copies
    if not few or copies * len(few) > MOST_COPIES:
        with each(w, condition.it, condition.members):
            jump(w, condition.condition, there, decisive)
        few = ()
    w.copies *= max(1, len(few))
    for member in few:
        w.name(condition.it, w.const(member))
        jump(w, condition.condition, there, decisive)
    w.copies = copies
    if decisive != when:
        w.emit(o.JMP, target)
    w.put(decided)


def _excepted(w: Writer, condition: core.Excepted, target: Label, when: bool) -> None:
    CONDITIONS[core.Any_](w, core.Any_((condition.rule, *condition.exceptions)), target, when)


def _either(w: Writer, condition: core.Either, target: Label, when: bool) -> None:
    skip, end = Label(), Label()
    jump(w, condition.test, skip, False)
    jump(w, condition.then, target, when)
    w.emit(o.JMP, end)
    w.put(skip)
    jump(w, condition.otherwise, target, when)
    w.put(end)


def _given(w: Writer, condition: core.Given, target: Label, when: bool) -> None:
    carry_out(w, condition.body)
    jump(w, condition.condition, target, when)


_CONDITIONS: dict[type, Callable[[Writer, Any, Label, bool], None]] = {
    core.All: _row(False),
    core.Any_: _row(True),
    core.Not: lambda w, condition, target, when: jump(w, condition.part, target, not when),
    core.Test: _test,
    core.Compare: lambda w, comparison, target, when: COMPARE[comparison.op](w, comparison, target, when),
    core.Some: _some,
    core.Excepted: _excepted,
    core.Either: _either,
    core.Given: _given,
}
CONDITIONS.update(_CONDITIONS)
