"""What counts now in the place of what is printed on a thing: found by carrying it out, up to the first effect met.

A tile that lies on an advisor is an exception to the routine that gives their reward. No list says so: the routine is
begun on what the seat may know, and it is seen which thing's effect it comes to.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from edict.machine.loop import BUDGET, run
from edict.program import Carrier, Program, Thing
from edict.program import opcodes as o
from edict.table.knowledge import Secrets, WORK, Blind, Peeked
from edict.table.options import Ask
from edict.program.same import Same

MOST_ANSWERS = 4  # offers on the way that are taken


@dataclass(frozen=True, slots=True)
class Current:
    """What is carried out in place of an effect printed on a thing: that of another thing."""

    field: str
    thing: Thing

    @property
    def words(self) -> str:
        return self.thing.words


class Instead:
    """Looks for what counts now, as seen by one seat."""

    def __init__(self, program: Program, state: Sequence[int], seat: int) -> None:
        self.program = program
        self.you = seat if 0 <= seat < state[o.PLAYERS] else 0  # whoever only looks on sees what the first player would
        self.state = Blind(state, frozenset(Secrets.of(program).hidden(list(state), seat)))

    def replaces(self, kind: str) -> bool:
        """Whether anything could ever count in place of what is printed on things of a kind."""
        return any(carrier.kind == kind for carrier in self.program.carriers)

    def of(self, kind: str, index: int) -> Current | None:
        """What counts in place of what is printed on a thing; None if that counts, or cannot be known."""
        for carrier in self.program.carriers:
            if carrier.kind == kind:
                name, field = self._met(carrier, index)
                thing = _things(self.program).get(name)
                if thing is not None and name != self.program.kind_by_name[kind].things[index].name:
                    return Current(field, thing)
        return None

    def words(self, kind: str, index: int) -> str:
        """What a thing does, as it counts now."""
        current = self.of(kind, index)
        return current.words if current is not None else self.program.kind_by_name[kind].things[index].words

    def _met(self, carrier: Carrier, index: int) -> tuple[str, str]:
        """The first effect that is come to: the thing's name and the field's; empty if there is none."""
        code, effects = _stopping(Same(self.program))
        state = self.state.copy()
        self._begin(state, carrier, index)
        try:
            status = run(code, state, [0])
            for _ in range(MOST_ANSWERS):
                if status != o.ASKING or state[o.SEAT] != self.you:
                    break
                state[o.ANSWER] = 0
                status = run(code, state, [0])
        except Peeked:
            return "", ""
        return effects.get(state[o.PC], ("", "")) if status == o.GAME_OVER else ("", "")

    def _begin(self, state: list[int], carrier: Carrier, index: int) -> None:
        state[carrier.param], state[o.YOU], state[o.PC] = index, self.you, carrier.entry
        state[o.SP] = state[o.STACK] = self.program.stack
        state[o.LOGGING] = state[o.OPTIONS] = 0
        state[o.STATUS], state[o.SPENT] = o.RUNNING, BUDGET - WORK


def with_words(ask: Ask, kind: str, instead: Instead) -> Ask:
    """The question for a thing of a kind with options that say what counts now."""
    options = (
        option if option.value < 0 else replace(option, words=instead.words(kind, option.value))
        for option in ask.options
    )
    return replace(ask, options=tuple(options))


@lru_cache(maxsize=4)
def _stopping(same: Same) -> tuple[list[int], dict[int, tuple[str, str]]]:
    """The code with a stop where each effect begins, and which it is."""
    effects: dict[int, tuple[str, str]] = {}
    stopping = list(same.program.code)
    for name, at in same.program.entries:
        sort, *words = name.split(" ")
        if sort == "effect" and len(words) == 2:
            effects[at] = words[0], words[1]
            stopping[at] = o.OVER
    return stopping, effects


def _things(program: Program) -> dict[str, Thing]:
    return {thing.name: thing for kind in program.kinds for thing in kind.things}


__all__ = ["Current", "Instead", "with_words"]
