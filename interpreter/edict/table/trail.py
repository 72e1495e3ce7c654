"""What each step of a game left to the next of what not everybody may know.

Most steps touch nothing hidden, which is soon seen; only the others are played with everything noted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from edict.machine.encoding import secret_cells
from edict.program import Program
from edict.program.opcodes import ANSWER, EV_CHOICE, EVENT_SIZE, EVERYONE, LOGGING
from edict.table.masking import Watched
from edict.table.steps import Step, Table, advance, rebuilt
from edict.table.tracing import CLEAN, Taint, traced


@dataclass(frozen=True, slots=True)
class Passed:
    """A step: the taint it began with and the one it left, and whether nothing in it hung on anything hidden."""

    begun: Taint
    left: Taint
    clean: bool


_known: WeakKeyDictionary[Step, Passed] = WeakKeyDictionary()


def trail(table: Table, last: Step) -> tuple[Passed, ...]:
    """All steps of a game up to this one; what was found once is kept as long as the steps are."""
    chain = chain_of(last)
    if not has_secrets(table.program):
        return (Passed(CLEAN, CLEAN, True),) * len(chain)
    first = next((i for i in range(len(chain), 0, -1) if chain[i - 1] in _known), 0)
    state = _Glancing(rebuilt(table, chain[first - 1]) if first else table.first_state(), table)
    state[LOGGING] = 0
    left, draws = (_known[chain[first - 1]].left, chain[first - 1].draws) if first else (CLEAN, 0)
    for step in chain[first:]:
        state.seen = False
        if step.before is not None:
            state[ANSWER] = step.index
        _, draws, _ = advance(table, state, draws)
        clean = not (left or state.seen or holds_secret(table, step))
        after = CLEAN if clean else traced(table, step, left).left
        _known[step] = Passed(left, after, clean)
        left = after
    return tuple(_known[step] for step in chain)


def unknown_to(taint: Taint, seat: int) -> list[int]:
    """The cells of names that stand for what a seat may not know."""
    return [cell for cell, masks in taint.cells if not all(mask >> seat & 1 for mask in masks)]


def chain_of(last: Step) -> tuple[Step, ...]:
    """The answers up to this one, the beginning of the game first."""
    found: list[Step] = []
    step: Step | None = last
    while step is not None:
        found.append(step)
        step = step.before
    return tuple(reversed(found))


class _Glancing(Watched):
    """A state in which it is noted whether anything was read that not everybody knows."""

    def __init__(self, cells: Sequence[int], table: Table) -> None:
        self.known = {cell: known for cell, known, _ in secret_cells(table.program)}
        super().__init__(cells, self.known)

    def hides(self, at: int) -> bool:
        everyone = list.__getitem__(self, EVERYONE)
        return list.__getitem__(self, self.known[at]) & everyone != everyone


def has_secrets(program: Program) -> bool:
    """Whether anything in a game may be hidden from anybody."""
    return any(v.known >= 0 for v in program.variables) or any(q.secret for q in program.questions)


def holds_secret(table: Table, step: Step) -> bool:
    """Whether a secret was drawn or answered in it."""
    events, questions = step.events, table.program.questions
    asked = (events[i + 2] for i in range(0, len(events), EVENT_SIZE) if events[i] == EV_CHOICE)
    return any(questions[number].secret for number in asked)


__all__ = ["Passed", "chain_of", "has_secrets", "holds_secret", "trail", "unknown_to"]
