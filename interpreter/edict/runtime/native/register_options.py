"""Options in registers: what is offered just before a question need not be written down if a draw answers at once."""

from __future__ import annotations

from dataclasses import dataclass, field

from edict.runtime.native.decoding import OFFERING, Decoded
from edict.runtime.native.evaluating import Evaluator
from edict.runtime.native.llvm_text import Value
from edict.runtime.native.rows import Row
from edict.runtime.program import opcodes as o

PLAIN = (o.OFFER, o.OFFERS, o.MOV, o.MOV2, o.OR, o.AND, o.ANDN, o.BIT, o.LDX, o.TAB)  # may stand between offers
MOST = 3  # sets offered together, at most: more might be more options than there is room for


@dataclass(frozen=True, slots=True)
class Offers:
    """Where options may be on offer already. That there are none when a routine begins and when it returns is taken for
    granted, and looked at in play where it cannot be seen: at the `guarded` calls and returns."""

    maybe: frozenset[int]
    guarded: frozenset[int]


def offers_of(decoded: Decoded) -> Offers:
    """For the places of all routines."""
    maybe = {at for start in decoded.routines for at in _maybe(decoded, start)}
    return Offers(frozenset(maybe), frozenset(at for at in maybe if decoded.code[at] in (o.RET, o.CALL, o.CALLX)))


def _maybe(decoded: Decoded, start: int) -> set[int]:
    """The places in a routine before which options may be on offer."""
    found = {start: False}
    todo = [start]
    while todo:
        at = todo.pop()
        op, some = decoded.code[at], found[at]
        some = op in OFFERING or some and op not in (o.ASK, o.ASKC, o.CALL, o.CALLX)
        for place in decoded.following(at):
            if place not in found or some > found[place]:
                found[place] = some
                todo.append(place)
    return {at for at, some in found.items() if some}


def gathered(decoded: Decoded, at: int, leaders: set[int]) -> tuple[int, ...]:
    """The offers of a question, from the first one at a place, if nothing else is done before it is asked."""
    found: list[int] = []
    while decoded.code[at] in PLAIN:
        if decoded.code[at] in (o.OFFER, o.OFFERS):
            found.append(at)
        at = decoded.behind(at)
        if at in leaders:
            return ()
    fits = sum(decoded.code[x] == o.OFFERS for x in found) <= MOST and len(found) < o.MOST_OPTIONS - 62 * MOST
    return tuple(found) if fits and decoded.code[at] in (o.ASK, o.ASKC) else ()


@dataclass
class Offered:
    """Options that stand nowhere yet: single ones, and sets of which each member is one."""

    e: Evaluator
    pieces: list[tuple[bool, Value]] = field(default_factory=list)  # whether it is a set, and the number

    def sizes(self) -> list[Value]:
        return [_ones(self.e, value) if many else 1 for many, value in self.pieces]

    def count(self) -> Value:
        return self.starts()[-1]

    def starts(self) -> list[Value]:
        """How many options stand before each piece, and how many there are in all."""
        found: list[Value] = [0]
        for size in self.sizes():
            found.append(_plus(self.e, found[-1], size))
        return found

    def option(self, index: Value) -> Value:
        """One of the options."""
        starts, value = self.starts(), None
        for number, (many, piece) in reversed([*enumerate(self.pieces)]):
            mine = _member(self.e, piece, _plus(self.e, index, starts[number], -1)) if many else piece
            value = mine if value is None else self._later(index, starts[number + 1], value, mine)
        assert value is not None
        return value

    def _later(self, index: Value, end: Value, later: Value, mine: Value) -> Value:
        if isinstance(index, int) and isinstance(end, int):
            return later if index >= end else mine
        w = self.e.w
        return w.op(f"select i1 {w.op(f'icmp sge i64 {index}, {end}')}, i64 {later}, i64 {mine}")

    def write(self, s: Row) -> None:
        """Put them where the machine has its options."""
        for start, (many, piece) in zip(self.starts(), self.pieces, strict=False):
            if many:
                self.e.w.do(f"call void @offered(ptr {s.address}, i64 {start}, i64 {piece})")
            else:
                s.store(self.e.w, _plus(self.e, start, o.FIRST_OPTION), piece)
        s.store(self.e.w, o.OPTIONS, self.count())


def _ones(e: Evaluator, value: Value) -> Value:
    return value.bit_count() if isinstance(value, int) else e.w.op(f"call i64 @llvm.ctpop.i64(i64 {value})")


def _plus(e: Evaluator, a: Value, b: Value, sign: int = 1) -> Value:
    if isinstance(a, int) and isinstance(b, int):
        return a + sign * b
    if b == 0 or a == 0 and sign > 0:
        return b if a == 0 and sign > 0 else a
    return e.w.op(f"{'add' if sign > 0 else 'sub'} i64 {a}, {b}")


def _member(e: Evaluator, members: Value, number: Value) -> Value:
    """The member of a set with a number."""
    if isinstance(members, int) and members and not members & (members + (members & -members)):  # without gaps
        return _plus(e, number, (members & -members).bit_length() - 1)
    return e.w.op(f"call i64 @member(i64 {members}, i64 {number})")
