"""How far an answer reaches: up to the end of the turn of a loop, or of the phase, in which it was asked.

What comes after that would come whatever was answered. The ends are found in the code: the jumps back of the loops
that lie around the question, or around the calls that led to it, and the ends of phases. `Scope.code` is the program's
code with a stop in each of these places.
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from dataclasses import dataclass
from functools import lru_cache

from edict.machine.loop import run
from edict.program import Program
from edict.program import opcodes as o
from edict.program.listing import instructions
from edict.table.tracing import called_from

STOPPED = -99  # no fault of the rules: a place where what an answer does is over


@dataclass(frozen=True, slots=True)
class Scope:
    """What an answer to one question may lead to. `ends` has for each stop how deep the stack may be there."""

    program: Program
    code: Sequence[int]
    ends: dict[int, int]
    depth: int
    calls: tuple[int, ...]

    @staticmethod
    def of(program: Program, state: Sequence[int]) -> Scope:
        """The scope of the question that waits in a state."""
        depth = state[o.SP]
        calls = tuple(state[program.stack : depth])
        places = [(state[o.PC] - 1, depth)]
        places += [(called_from(program, back), at) for at, back in enumerate(calls, program.stack)]
        found, ends = ends_of(program), dict[int, int]()
        for place, deepest in places:
            for jump, target in found.jumps:
                if target <= place <= jump:
                    ends[jump] = max(ends.get(jump, 0), deepest)
        code = list(program.code)
        for at in (*ends, *found.leavings):
            code[at : at + 2] = o.FAULT, STOPPED
        return Scope(program, code, ends, depth, calls)

    def play(self, state: MutableSequence[int], log: MutableSequence[int]) -> int:
        """Play on within the scope: the machine's status, or STOPPED at its end."""
        inner = 0
        while True:
            status = run(self.code, state, log)
            if status != STOPPED:
                return status
            at = state[o.PC]
            if at in self.ends and state[o.SP] <= self.ends[at] or at not in self.ends and self._phases(log) <= inner:
                return STOPPED
            if not self._pass(state, log, at):
                return STOPPED
            inner += at not in self.ends

    def asks_on(self, state: Sequence[int]) -> bool:
        """Whether the question that waits belongs to what the first one began: its rule has not come back yet."""
        return state[o.SP] >= self.depth and tuple(state[self.program.stack : self.depth]) == self.calls

    def _phases(self, log: Sequence[int]) -> int:
        """How many phases have begun since the answer."""
        return sum(log[i] == o.EV_ENTER for i in range(1, log[0] + 1, o.EVENT_SIZE))

    def _pass(self, state: MutableSequence[int], log: MutableSequence[int], at: int) -> bool:
        """Do what stands at a stop that is none here, as the rule is being carried out anew; whether that went."""
        code = self.program.code
        if code[at] == o.LEAVE:
            state[code[at + 1]] -= 1
            state[o.PC] = at + o.SIZE[o.LEAVE]
        elif code[at] == o.JMP:
            state[o.PC] = code[at + 1]
        else:
            return False
        state[o.STATUS] = o.RUNNING
        return True


@dataclass(frozen=True, slots=True)
class Ends:
    """Where something may end in a program: every jump back with the place it leads to, and the ends of phases."""

    jumps: tuple[tuple[int, int], ...]
    leavings: tuple[int, ...]


def ends_of(program: Program) -> Ends:
    return _ends(program.code, instructions(program)[1])


@lru_cache(maxsize=4)
def _ends(code: tuple[int, ...], starts: frozenset[int]) -> Ends:
    jumps = ((at, code[at + o.SIZE[code[at]] - 1]) for at in sorted(starts) if o.JMP <= code[at] <= o.LOOPN)
    return Ends(tuple((at, to) for at, to in jumps if to <= at), tuple(at for at in starts if code[at] == o.LEAVE))


__all__ = ["STOPPED", "Scope"]
