"""A program decoded into routines, with their instructions, their calls, and where questions are asked."""

from __future__ import annotations

from collections.abc import Iterable

from edict.runtime.program import Program
from edict.runtime.program import opcodes as o
from edict.runtime.program.listing import TABLES
from edict.support.records import dataclass

ENDS = (o.RET, o.OVER, o.FAULT, o.JMP)  # opcodes after which control never falls through
OFFERING = (o.OFFER, o.OFFERS, o.WAYS)  # opcodes that add options


@dataclass(frozen=True, slots=True)
class DecodedRoutine:
    """A routine of a program."""

    start: int
    places: tuple[int, ...]  # of its instructions, ascending
    calls: frozenset[int]  # starts of the routines that it calls


class DecodedProgram:
    """All routines of a program that are reachable from its entry, its score and its judgement."""

    def __init__(self, program: Program) -> None:
        self.program, self.code = program, program.code
        self._lengths = dict(program.tables)
        queries = [program.queries[number] for number in (program.score, program.judge) if number >= 0]
        self.routines = self._find_routines([program.entry, *(query.entry for query in queries)])
        self.asking_routines = self._add_callers(
            {r.start for r in self.routines.values() if self._contains(r, (o.ASK, o.ASKC))}
        )

    def table(self, at: int) -> tuple[int, ...]:
        """Return the numbers of the table whose place is an operand of the instruction at `at`."""
        base = self.code[at + TABLES[self.code[at]]]
        return self.code[base : base + self._lengths[base]]

    def callees(self, at: int) -> tuple[int, ...]:
        """Return the starts of the routines that an instruction may call."""
        if self.code[at] == o.CALL:
            return (self.code[at + 1],)
        return tuple(dict.fromkeys(self.table(at))) if self.code[at] == o.CALLX else ()

    def next_place(self, at: int) -> int:
        """Return the place of the next instruction."""
        return at + o.SIZE[self.code[at]]

    def jump_target(self, at: int) -> int | None:
        """Return the jump target of an instruction, or None."""
        return self.code[self.next_place(at) - 1] if o.JMP <= self.code[at] <= o.LOOPN else None

    def successors(self, at: int) -> list[int]:
        """Return the places in the same routine that may come next."""
        target = self.jump_target(at)
        return [*([] if target is None else [target]), *([] if self.code[at] in ENDS else [self.next_place(at)])]

    def may_stop_at(self, at: int) -> bool:
        """Return True for an instruction that asks a question, or that calls a routine that may."""
        return self.code[at] in (o.ASK, o.ASKC) or any(start in self.asking_routines for start in self.callees(at))

    def _contains(self, routine: DecodedRoutine, ops: tuple[int, ...]) -> bool:
        """Return True if an instruction of the routine has one of these opcodes."""
        return any(self.code[at] in ops for at in routine.places)

    def _find_routines(self, roots: Iterable[int]) -> dict[int, DecodedRoutine]:
        """Return all routines reachable by calls from the entry points `roots`, by their starts, ascending."""
        routines: dict[int, DecodedRoutine] = {}
        pending = list(roots)
        while pending:
            start = pending.pop()
            if start not in routines:
                routines[start] = self._decode_routine(start)
                pending += routines[start].calls
        return dict(sorted(routines.items()))

    def _decode_routine(self, start: int) -> DecodedRoutine:
        """Return the routine at `start`: the places reachable in it without calls, and the routines it calls."""
        seen: set[int] = set()
        pending = [start]
        while pending:
            at = pending.pop()
            if at not in seen:
                seen.add(at)
                pending += self.successors(at)
        return DecodedRoutine(start, tuple(sorted(seen)), frozenset(x for at in seen for x in self.callees(at)))

    def _add_callers(self, routines: set[int]) -> set[int]:
        """Add to some routines all that call them, directly or indirectly."""
        while callers := {r.start for r in self.routines.values() if r.calls & routines} - routines:
            routines |= callers
        return routines
