"""Games played side by side, an answer of each at a time: what learning programs want.

Plain Python and native code from one source, as `policies` is; `vectors` plays many at once in native code.
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence

from edict.machine.encoding import offered
from edict.machine.loop import run
from edict.program.opcodes import ANSWER, ASKING, CHANCE, OPTIONS, SEAT
from edict.simulation.layout import COUNTS, SCORE_AT, STACK_AT, Row
from edict.simulation.policies import choose, computed, copied, row


def forth(
    code: Sequence[int], s: Row, plan: Sequence[int], room: Sequence[Row], seed: int, asked: int, outside: Sequence[int]
) -> int:  # fmt: skip
    """Play on by the plan until a seat is asked that is played from outside, or the game is over or stopped.

    Gives the number of questions asked so far, that one included.
    """
    log = row(room, COUNTS)
    status = run(code, s, log)
    while status == ASKING:
        asked += 1
        if s[SEAT] != CHANCE and outside[s[SEAT]] != 0:
            return asked
        s[ANSWER] = choose(code, s, plan, room, seed, asked)
        status = run(code, s, log)
    return asked


def taken(
    s: Sequence[int], action: int, firsts: Sequence[int], seated: Sequence[int], found: MutableSequence[int]
) -> int:
    """The index of the option that an action stands for; -1 if it is not offered."""
    offered(s, firsts, seated, found)
    for i in range(s[OPTIONS]):
        if found[i] == action:
            return i
    return -1


def scored(
    code: Sequence[int], s: Row, plan: Sequence[int], room: Sequence[Row], found: MutableSequence[int]
) -> None:
    """Every seat's score."""
    for seat in range(len(found)):
        copied(row(room, 0), s)
        found[seat] = computed(
            code, row(room, 0), plan[STACK_AT], plan[SCORE_AT], plan[SCORE_AT + 1], plan[SCORE_AT + 2], seat,
            row(room, COUNTS),
        )  # fmt: skip
