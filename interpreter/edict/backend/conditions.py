"""Conditions to code: `jump` goes to a label if the condition is as said."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from edict.backend import core
from edict.backend.emit import Label
from edict.backend.procedures import Writer
from edict.backend.registry import carry_out, value
from edict.program import opcodes as o

FEW = 4  # members that are gone through one by one, without a loop
MOST_COPIES = 64  # of one condition, where such members stand in each other


def jump(w: Writer, condition: core.Condition, target: Label, when: bool) -> None:
    """Go to the target if the condition is as said."""
    before = w.code.cause
    if condition.cause >= 0:
        w.code.cause = condition.cause
    JUMPS[type(condition)](w, condition, target, when)
    w.code.cause = before


def _row(decisive: bool) -> Callable[[Writer, core.All | core.Any_, Label, bool], None]:
    """A row of which one that is `decisive` settles the whole."""

    def row(w: Writer, one: core.All | core.Any_, target: Label, when: bool) -> None:
        if decisive == when:
            for part in one.parts:
                jump(w, part, target, when)
            return
        past = Label()
        for part in one.parts[:-1]:
            jump(w, part, past, not when)
        if one.parts:
            jump(w, one.parts[-1], target, when)
        else:
            w.emit(o.JMP, target)
        w.put(past)

    return row


def _test(w: Writer, one: core.Test, target: Label, when: bool) -> None:
    w.decide(one, when, o.JZ if one.empty == when else o.JNZ, value(w, one.value), target)


def _equal(w: Writer, one: core.Compare, target: Label, when: bool) -> None:
    left, right = value(w, one.left), value(w, one.right)
    w.decide(one, when, o.JEQ if (one.op == "=") == when else o.JNE, left, right, target)


def _less(w: Writer, one: core.Compare, target: Label, when: bool) -> None:
    left, right = value(w, one.left), value(w, one.right)
    op = one.op
    if op in (">", ">="):
        left, right = right, left
        op = {">": "<", ">=": "<="}[op]
    if when:
        w.decide(one, when, o.JLT if op == "<" else o.JLE, left, right, target)
    else:
        w.decide(one, when, o.JLE if op == "<" else o.JLT, right, left, target)


def _in(w: Writer, one: core.Compare, target: Label, when: bool) -> None:
    member, among = value(w, one.left), value(w, one.right)
    w.decide(one, when, o.JIN if (one.op == "in") == when else o.JOUT, member, among, target)


def _within(w: Writer, one: core.Compare, target: Label, when: bool) -> None:
    left, right = value(w, one.left), value(w, one.right)
    outside = w.cell()
    w.emit(o.ANDN, outside, left, right)
    w.decide(one, when, o.JZ if when else o.JNZ, outside, target)


COMPARE: dict[str, Callable[[Writer, core.Compare, Label, bool], None]] = {
    "=": _equal, "!=": _equal, "<": _less, "<=": _less, ">": _less, ">=": _less, "in": _in, "not-in": _in,
    "within": _within,
}  # fmt: skip


def few_of(members: int) -> tuple[int, ...]:
    """The members of a small set; nothing for all others."""
    return tuple(i for i in range(members.bit_length()) if members >> i & 1) if members.bit_count() <= FEW else ()


def _some(w: Writer, one: core.Some, target: Label, when: bool) -> None:
    """every: one without it decides; some: one with it decides."""
    decisive, decided = not one.every, Label()
    there = target if decisive == when else decided
    few = few_of(one.members.value) if isinstance(one.members, core.Const) else ()
    copies = w.copies
    if not few or copies * len(few) > MOST_COPIES:
        rest, it, again, end = w.copy(value(w, one.members)), w.own(one.it), Label(), Label()
        w.put(again)
        w.emit(o.NEXT, it, rest, end)
        jump(w, one.condition, there, decisive)
        w.emit(o.JMP, again)
        w.put(end)
        few = ()
    w.copies *= max(1, len(few))
    for member in few:
        w.name(one.it, w.const(member))
        jump(w, one.condition, there, decisive)
    w.copies = copies
    if decisive != when:
        w.emit(o.JMP, target)
    w.put(decided)


def _excepted(w: Writer, one: core.Excepted, target: Label, when: bool) -> None:
    JUMPS[core.Any_](w, core.Any_((one.rule, *one.exceptions)), target, when)


def _either(w: Writer, one: core.Either, target: Label, when: bool) -> None:
    skip, end = Label(), Label()
    jump(w, one.test, skip, False)
    jump(w, one.then, target, when)
    w.emit(o.JMP, end)
    w.put(skip)
    jump(w, one.otherwise, target, when)
    w.put(end)


def _given(w: Writer, one: core.Given, target: Label, when: bool) -> None:
    carry_out(w, one.body)
    jump(w, one.condition, target, when)


JUMPS: dict[type, Callable[[Writer, Any, Label, bool], None]] = {
    core.All: _row(False),
    core.Any_: _row(True),
    core.Not: lambda w, one, target, when: jump(w, one.part, target, not when),
    core.Test: _test,
    core.Compare: lambda w, one, target, when: COMPARE[one.op](w, one, target, when),
    core.Some: _some,
    core.Excepted: _excepted,
    core.Either: _either,
    core.Given: _given,
}
