"""A program as routines: the instructions each may come to, whom it calls, whether a question is asked meanwhile."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from edict.runtime.program import Program
from edict.runtime.program import opcodes as o
from edict.runtime.program.listing import TABLES

ENDS = (o.RET, o.OVER, o.FAULT, o.JMP)  # nothing goes on behind these
OFFERING = (o.OFFER, o.OFFERS, o.WAYS)


@dataclass(frozen=True, slots=True)
class DecodedRoutine:
    """`places` of its instructions, ascending; `calls`: where the routines begin that it calls."""

    start: int
    places: tuple[int, ...]
    calls: frozenset[int]


class Decoded:
    """All that is called, sooner or later, from where a game, its score or its judgement begin."""

    def __init__(self, program: Program) -> None:
        self.program, self.code = program, program.code
        self._lengths = dict(program.tables)
        queries = [program.queries[number] for number in (program.score, program.judge) if number >= 0]
        self.routines = self._reached([program.entry, *(query.entry for query in queries)])
        self.asking = self._leading_to({r.start for r in self.routines.values() if self._has(r, (o.ASK, o.ASKC))})

    def table(self, at: int) -> tuple[int, ...]:
        """The table that an instruction names."""
        base = self.code[at + TABLES[self.code[at]]]
        return self.code[base : base + self._lengths[base]]

    def called(self, at: int) -> tuple[int, ...]:
        """The routines that an instruction may call."""
        if self.code[at] == o.CALL:
            return (self.code[at + 1],)
        return tuple(dict.fromkeys(self.table(at))) if self.code[at] == o.CALLX else ()

    def behind(self, at: int) -> int:
        """The place of the next instruction."""
        return at + o.SIZE[self.code[at]]

    def target(self, at: int) -> int | None:
        """Where an instruction may jump to."""
        return self.code[self.behind(at) - 1] if o.JMP <= self.code[at] <= o.LOOPN else None

    def following(self, at: int) -> list[int]:
        """The places in the same routine that may come next."""
        target = self.target(at)
        return [*([] if target is None else [target]), *([] if self.code[at] in ENDS else [self.behind(at)])]

    def stopping(self, at: int) -> bool:
        """Whether the machine may stop in an instruction to be gone on with behind it."""
        return self.code[at] in (o.ASK, o.ASKC) or any(start in self.asking for start in self.called(at))

    def _has(self, routine: DecodedRoutine, ops: tuple[int, ...]) -> bool:
        return any(self.code[at] in ops for at in routine.places)

    def _reached(self, roots: Iterable[int]) -> dict[int, DecodedRoutine]:
        found: dict[int, DecodedRoutine] = {}
        todo = list(roots)
        while todo:
            start = todo.pop()
            if start not in found:
                found[start] = self._routine(start)
                todo += found[start].calls
        return dict(sorted(found.items()))

    def _routine(self, start: int) -> DecodedRoutine:
        seen: set[int] = set()
        todo = [start]
        while todo:
            at = todo.pop()
            if at not in seen:
                seen.add(at)
                todo += self.following(at)
        return DecodedRoutine(start, tuple(sorted(seen)), frozenset(x for at in seen for x in self.called(at)))

    def _leading_to(self, found: set[int]) -> set[int]:
        """Those routines, and all that call them, sooner or later."""
        while more := {r.start for r in self.routines.values() if r.calls & found} - found:
            found |= more
        return found
