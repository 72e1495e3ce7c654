"""Options kept in registers. Those offered just before a question need not be stored if a draw answers it at once."""

from __future__ import annotations

from dataclasses import field

from edict.runtime.native.decoding import OFFERING, DecodedProgram
from edict.runtime.native.evaluating import Evaluator
from edict.runtime.native.llvm_text import Value
from edict.runtime.native.rows import LlvmRow
from edict.runtime.program import opcodes as o
from edict.support.records import dataclass

# opcodes that may stand between offers
SIMPLE_OPCODES = (o.OFFER, o.OFFERS, o.MOV, o.MOV2, o.OR, o.AND, o.ANDN, o.BIT, o.LDX, o.TAB)
MAX_SETS = 3  # sets offered together; more could exceed the capacity for options


@dataclass(frozen=True, slots=True)
class OfferPlaces:
    """The places where options may already be pending.

    Routines are assumed to begin and return without pending options.
    """

    maybe: frozenset[int]  # places before which options may be pending
    guarded: frozenset[int]  # calls and returns among them, where the assumption is checked at run time


def find_offer_places(decoded: DecodedProgram) -> OfferPlaces:
    """Find, in all routines, the places before which options may be pending, and the calls and returns among them."""
    maybe = {at for start in decoded.routines for at in _find_pending(decoded, start)}
    return OfferPlaces(frozenset(maybe), frozenset(at for at in maybe if decoded.code[at] in (o.RET, o.CALL, o.CALLX)))


def _find_pending(decoded: DecodedProgram, start: int) -> set[int]:
    """Return the places in a routine that some path reaches with options offered but not asked yet."""
    pending_at = {start: False}
    unvisited = [start]
    while unvisited:
        at = unvisited.pop()
        op, pending = decoded.code[at], pending_at[at]
        pending = op in OFFERING or pending and op not in (o.ASK, o.ASKC, o.CALL, o.CALLX)
        for place in decoded.successors(at):
            if place not in pending_at or pending > pending_at[place]:
                pending_at[place] = pending
                unvisited.append(place)
    return {at for at, pending in pending_at.items() if pending}


def find_offers(decoded: DecodedProgram, at: int, leaders: set[int]) -> tuple[int, ...]:
    """Return the places of all offers up to the question, if only simple instructions lie between; else ()."""
    offers: list[int] = []
    while decoded.code[at] in SIMPLE_OPCODES:
        if decoded.code[at] in (o.OFFER, o.OFFERS):
            offers.append(at)
        at = decoded.next_place(at)
        if at in leaders:
            return ()
    fits = (
        sum(decoded.code[x] == o.OFFERS for x in offers) <= MAX_SETS
        and len(offers) < o.MIN_OPTION_CAPACITY - 62 * MAX_SETS
    )
    return tuple(offers) if fits and decoded.code[at] in (o.ASK, o.ASKC) else ()


@dataclass
class RegisterOptions:
    """Options that are not stored yet, single ones and sets whose members are options."""

    evaluator: Evaluator
    pieces: list[tuple[bool, Value]] = field(default_factory=list)  # whether it is a set; its value

    def sizes(self) -> list[Value]:
        """Return the number of options of each piece: 1 for a single option, the number of members for a set."""
        return [_bit_count(self.evaluator, value) if many else 1 for many, value in self.pieces]

    def count(self) -> Value:
        """Return the number of options."""
        return self.starts()[-1]

    def starts(self) -> list[Value]:
        """Return where each piece's options begin in the list of options, and last the total."""
        starts: list[Value] = [0]
        for size in self.sizes():
            starts.append(_add(self.evaluator, starts[-1], size))
        return starts

    def option(self, index: Value) -> Value:
        """Return the option of an index."""
        starts, value = self.starts(), None
        for number, (many, piece) in reversed([*enumerate(self.pieces)]):
            mine = (
                _nth_member(self.evaluator, piece, _add(self.evaluator, index, starts[number], -1)) if many else piece
            )
            value = mine if value is None else self._select_by_index(index, starts[number + 1], value, mine)
        assert value is not None
        return value

    def _select_by_index(self, index: Value, end: Value, later: Value, mine: Value) -> Value:
        """Return `later` if the index is at least `end`, else `mine`; emit a select unless both are known."""
        if isinstance(index, int) and isinstance(end, int):
            return later if index >= end else mine
        w = self.evaluator.w
        return w.emit_value(f"select i1 {w.emit_value(f'icmp sge i64 {index}, {end}')}, i64 {later}, i64 {mine}")

    def store(self, state: LlvmRow) -> None:
        """Emit stores of all options and of their number into the machine's cells."""
        for start, (many, piece) in zip(self.starts(), self.pieces, strict=False):
            if many:
                self.evaluator.w.emit(f"call void @offered(ptr {state.address}, i64 {start}, i64 {piece})")
            else:
                state.store(self.evaluator.w, _add(self.evaluator, start, o.FIRST_OPTION), piece)
        state.store(self.evaluator.w, o.OPTIONS, self.count())


def _bit_count(evaluator: Evaluator, value: Value) -> Value:
    """Return the number of 1 bits, as an int if the value is known, else by an instruction."""
    return (
        value.bit_count()
        if isinstance(value, int)
        else evaluator.w.emit_value(f"call i64 @llvm.ctpop.i64(i64 {value})")
    )


def _add(evaluator: Evaluator, a: Value, b: Value, sign: int = 1) -> Value:
    """Return a + b, or a - b for sign -1, without an instruction if the values are known or one is 0."""
    if isinstance(a, int) and isinstance(b, int):
        return a + sign * b
    if b == 0 or a == 0 and sign > 0:
        return b if a == 0 and sign > 0 else a
    return evaluator.w.emit_value(f"{'add' if sign > 0 else 'sub'} i64 {a}, {b}")


def _nth_member(evaluator: Evaluator, members: Value, number: Value) -> Value:
    """Return the member of a set by its number, in ascending order."""
    if isinstance(members, int) and members and not members & (members + (members & -members)):  # without gaps
        return _add(evaluator, number, (members & -members).bit_length() - 1)
    return evaluator.w.emit_value(f"call i64 @member(i64 {members}, i64 {number})")
