"""Orders of more things than are packed into one cell: a cell for each place, with -1 behind the last."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from edict.backend.emit import Label, Operand, Slot
from edict.backend.procedures import Writer
from edict.backend.emitters import Operands
from edict.backend.sets import inside
from edict.program import opcodes as o


@contextmanager
def line(w: Writer, it: Slot, order: Operands, among: Operands | None) -> Iterator[None]:
    """A loop over the members that are in a set, or over all of them, as they stand there."""
    row = w.fresh(len(order))
    w.copy_all(row, order)
    place, again, end = w.copy(w.const(0)), Label(), Label()
    w.put(again)
    w.emit(o.JLE, w.const(len(order)), place, end)
    w.emit(o.LDX, it, row[0], place)
    w.emit(o.JLT, it, w.const(0), end)
    w.emit(o.ADD, place, place, w.const(1))
    if among is not None and len(among) == 1:
        w.emit(o.JOUT, it, among[0], again)
    elif among is not None:
        w.emit(o.JZ, inside(w, it, among), again)
    yield
    w.emit(o.JMP, again)
    w.put(end)


def sort(w: Writer, order: Operand, size: int, keys: Operand) -> None:
    """Each in turn goes before those with a greater key; ties stay as they were."""
    turn, shift, found, end = Label(), Label(), Label(), Label()
    place, member, key, free, before, other, greater = (w.cell() for _ in range(7))
    w.emit(o.MOV, place, w.const(1))
    w.put(turn)
    w.emit(o.JLE, w.const(size), place, end)
    w.emit(o.LDX, member, order, place)
    w.emit(o.JLT, member, w.const(0), end)
    w.emit(o.MOV, free, place)
    w.emit(o.LDX, key, keys, member)
    w.put(shift)
    w.emit(o.JLE, free, w.const(0), found)
    w.emit(o.SUB, before, free, w.const(1))
    w.emit(o.LDX, other, order, before)
    w.emit(o.LDX, greater, keys, other)
    w.emit(o.JLE, greater, key, found)
    w.emit(o.PUTX, order, free, other)
    w.emit(o.MOV, free, before)
    w.emit(o.JMP, shift)
    w.put(found)
    w.emit(o.PUTX, order, free, member)
    w.emit(o.ADD, place, place, w.const(1))
    w.emit(o.JMP, turn)
    w.put(end)
