"""Luck keyed by what it is for: the phase that is played and how often it has been, whose turn it is there, what is
asked, and how often it has been asked in this phase.

So two games of one seed have the same luck for the same purpose, also after something in one of them was asked once
more or once less: what rolls this year's dice is not what rolled a card's last year. Purposes go by the names of rules,
so they are the same under rules that have others besides, or call things otherwise; of several questions of one name in
a rule, by their order. No two questions of a game share a key.

`keys` is a fixed row of integers that says what is asked for what; `luck` is a row in which a game is followed by its
events (plain Python, and native code by the same source). Phases lie in each other: each level has a serial number of
the phase being played there, and counts that are worth something only as long as they bear this number; so nothing is
cleared when a phase begins. Those that lie deeper than `LEVELS` count as the last of these.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, MutableSequence, Sequence
from functools import lru_cache
from typing import Any

from edict.runtime.machine.mixing import GOLDEN, MASK, mixed
from edict.runtime.program import Program, digest
from edict.runtime.program.listing import instructions
from edict.runtime.program.opcodes import (
    ASK,
    ASKC,
    EV_ENTER,
    EV_LEAVE,
    EVENT_SIZE,
    FIRST_OPTION,
    OPTIONS,
    QUESTION,
    SEAT,
    YOU,
)

VERSION = 2  # of the luck that studies, comparisons and leagues have; 1 went by the number of the question alone
LEVELS = 6  # of phases in each other, the first outside of all

# --- keys: how many seats (one more, for nobody's), questions and phases there are; then the key of each question, and
# --- of each phase
(SEATS, ASKED, PHASES, KEYS) = range(4)
# --- luck: how deep in phases the game is, how many were begun in all games so far; the serial number and key of each
# --- level; then, for each level, a serial number and a count of each question by seat, and of each phase
(DEPTH, BEGUN, FRAMES) = range(3)
COUNTED = FRAMES + 2 * LEVELS


@lru_cache(maxsize=16)
def keys_of(program: Program, players: int) -> tuple[int, ...]:
    """The row for a number of players; raises nothing."""
    asking = {}
    for pc in sorted(instructions(program)[1], reverse=True):
        if program.code[pc] in (ASK, ASKC):
            asking[program.code[pc + 1]] = program.cause_at(pc).name
    questions = (f"{one.name} {one.kind} {asking.get(number)}" for number, one in enumerate(program.questions))
    phases = (name for name, _ in program.phases)
    return (players + 1, len(program.questions), len(program.phases), *_keys(questions), *_keys(phases))


def _keys(names: Iterable[str]) -> list[int]:
    """A number of 60 bits for each; those of one name are told apart by their order."""
    often, found = Counter[str](), []
    for name in names:
        found.append(int(digest(f"{name} {often[name]}")[:15], 16))
        often[name] += 1
    return found


def room_for(keys: Sequence[int]) -> list[int]:
    """A row to follow games in."""
    return [0] * (COUNTED + 2 * LEVELS * (keys[SEATS] * keys[ASKED] + keys[PHASES]))


def begin(luck: MutableSequence[int]) -> None:
    """A new game."""
    luck[DEPTH] = 0
    luck[BEGUN] += 1
    luck[FRAMES] = luck[BEGUN]
    luck[FRAMES + 1] = 0


def follow(keys: Sequence[int], log: Sequence[int], luck: MutableSequence[int]) -> None:
    """Take note of the phases that begin and end by the events in a log."""
    at = 1
    while at <= log[0]:
        if log[at] == EV_ENTER:
            phase = log[at + 2]
            above = luck[DEPTH]
            luck[DEPTH] += 1
            if above + 1 < LEVELS:
                frame = FRAMES + 2 * above
                size = keys[SEATS] * keys[ASKED]
                often = counted_at(luck, COUNTED + 2 * (above * (size + keys[PHASES]) + size + phase), luck[frame])
                key = keys[KEYS + keys[ASKED] + phase]
                luck[BEGUN] += 1
                luck[frame + 2] = luck[BEGUN]
                luck[frame + 3] = mixed((luck[frame + 1] + key + often * GOLDEN) & MASK)
        elif log[at] == EV_LEAVE and luck[DEPTH] > 0:  # some games begin within a phase
            luck[DEPTH] -= 1
        at += EVENT_SIZE


def counted_at(luck: MutableSequence[int], at: int, serial: int) -> int:
    """How often this has been counted before in the phase of a serial number; counts it once more."""
    if luck[at] != serial:
        luck[at] = serial
        luck[at + 1] = 0
    luck[at + 1] += 1
    return luck[at + 1] - 1


def key_of(keys: Sequence[int], s: Sequence[int], luck: MutableSequence[int]) -> int:
    """The key of the question being asked, to be used as the number of a draw. To be called once for each."""
    level = luck[DEPTH]
    if level >= LEVELS:
        level = LEVELS - 1
    seat = s[SEAT]
    if seat < 0:
        seat = s[YOU]
    if seat < 0 or seat + 1 >= keys[SEATS]:
        seat = -1
    question = s[QUESTION]
    frame = FRAMES + 2 * level
    at = level * (keys[SEATS] * keys[ASKED] + keys[PHASES]) + keys[SEATS] * question + seat + 1
    often = counted_at(luck, COUNTED + 2 * at, luck[frame])
    return (mixed((luck[frame + 1] + keys[KEYS + question] + (seat + 2) * GOLDEN) & MASK) + often) & MASK


def lot(s: Sequence[int], seed: int, key: int) -> int:
    """The index of the option that chance takes: each has a number by its value, and the greatest one is taken. So an
    option more or less seldom changes what is drawn. Several of one value have numbers of their own, by their order."""
    taken = 0
    most = -1
    start = mixed((seed + key * GOLDEN) & MASK)
    before = s[FIRST_OPTION]
    again = -1
    ascending = 1
    i = 0
    while i < s[OPTIONS]:
        value = s[FIRST_OPTION + i]
        if value < before:
            ascending = 0
        again = again + 1 if value == before else 0
        if ascending == 0:
            again = i + 1  # equal values need not stand together
        number = (mixed((start + value * GOLDEN + (again << 32)) & MASK) >> 1) & (MASK >> 1)
        if number > most:
            most = number
            taken = i
        before = value
        i += 1
    return taken


class Luck:
    """The luck of games played one after another. seed: of the present one; key: of the question being asked."""

    def __init__(self, program: Program, players: int) -> None:
        self.seed = self.key = 0
        self._keys = keys_of(program, players)
        self._row = room_for(self._keys)

    def begin(self, seed: int) -> None:
        self.seed = seed
        begin(self._row)

    def follow(self, log: Sequence[int]) -> None:
        """The events since the question before, as a log of the machine has them."""
        follow(self._keys, log, self._row)

    def ask(self, state: Any) -> None:
        """A question is asked in this state, a list or an array of NumPy."""
        self.key = key_of(self._keys, _asked(state), self._row)

    def drawn(self, state: Any) -> int:
        """The index of chance's answer to it."""
        return lot(_asked(state), self.seed, self.key)


def _asked(state: Any) -> Sequence[int]:
    """The beginning of a state up to its options, as numbers that do not overflow."""
    head: list[int] = state if isinstance(state, list) else state[: FIRST_OPTION + int(state[OPTIONS])].tolist()
    return head
