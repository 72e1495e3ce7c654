"""Why code never ran: the nearest place that ran and led elsewhere each time."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from edict.program import Cause, NO, Program, YES
from edict.program import opcodes as o
from edict.scenes.coverage import after, played_places, went_there


@dataclass(frozen=True, slots=True)
class Block:
    """Where games turned away: at which words of the rules, how they came out each time, and how often.

    `holds`: None where it is no condition, but something that was not there to be done.
    """

    cause: Cause
    holds: bool | None
    times: int


class Flow:
    """Where code can be entered from, and where games turned away."""

    def __init__(self, program: Program, ran: Sequence[int]) -> None:
        self.program, self.ran = program, ran
        self.reached = played_places(program, ran)
        self._forks = {fork.at: fork for fork in program.forks}
        self._before: dict[int, list[int]] = {}
        for at in self.reached:
            for following in after(program.code, at):
                self._before.setdefault(following, []).append(at)

    @property
    def dark(self) -> Mapping[tuple[str, int], list[int]]:
        """By file and line, the steps of which none ran."""
        steps: dict[tuple[str, int], list[int]] = {}
        for at in sorted(self.reached):
            cause = self.program.cause_at(at)
            if not cause.asks and self.program.code[at] not in (o.JMP, o.RET):
                steps.setdefault((cause.file, cause.line), []).append(at)
        return {line: found for line, found in steps.items() if not any(self.ran[at] for at in found)}

    def block(self, places: Iterable[int]) -> Block | None:
        """What kept games from all of these; None if nothing that ran leads there."""
        todo, known = deque(places), set(places)
        found: list[Block] = []
        while todo:
            at = todo.popleft()
            for before in self._before.get(at, ()):
                if self.ran[before]:
                    found.append(self._turned(before, at))
                elif before not in known:
                    known.add(before)
                    todo.append(before)
        return max(found, key=lambda one: (one.holds is not None, one.times), default=None)

    def _turned(self, at: int, missed: int) -> Block:
        """At a place that ran, and never went on to what was missed."""
        fork, times = self._forks.get(at), self.ran[at]
        if fork is None:
            return Block(self.program.cause_at(at), None, times)
        jumped = went_there(self.program, self.ran, at)
        way = fork.on if jumped == times else fork.there
        holds = {YES: False, NO: True}.get(way)
        return Block(self.program.causes[fork.cause], holds, times)
