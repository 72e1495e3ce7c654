"""Answers by numbers that mean the same throughout a game, the actions; `table.actions` says which stands for what.

Plain Python and native code from one source, as `policies` is.
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence

from edict.program.opcodes import DECLINE, FIRST_OPTION, MOST_OPTIONS, OPTIONS, PLAYERS, QUESTION, ROOM, SEAT

DECLINED = 0


def offered(s: Sequence[int], firsts: Sequence[int], seated: Sequence[int], found: MutableSequence[int]) -> int:
    """The action of every option of a question, in the order of the options; gives how many there are.

    firsts: for each question the action of the value 0, and last that of plain values; seated: for each whether players
    are asked for, who are counted from the seat that is asked.
    """
    options = s[OPTIONS]
    first = firsts[s[QUESTION]]
    counted = seated[s[QUESTION]] != 0 and s[SEAT] >= 0
    placed = False
    if first == firsts[len(firsts) - 1]:
        for i in range(options):
            placed = placed or s[FIRST_OPTION + i] >= MOST_OPTIONS + s[ROOM]
    for i in range(options):
        value = s[FIRST_OPTION + i]
        if value == DECLINE:
            found[i] = DECLINED
        elif placed:
            found[i] = first + i
        elif counted:
            found[i] = first + (value - s[SEAT]) % s[PLAYERS]
        else:
            found[i] = first + value
    return options
