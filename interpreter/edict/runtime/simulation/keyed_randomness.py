"""Random numbers keyed by their purpose.

The key of a draw consists of the phase and how often it was played, whose turn it is, the question, and how often it
was asked in this phase. So two games of one seed draw the same for the same purpose, even after one of them has asked
something once more or once less: this year's dice do not depend on last year's cards. Purposes are named as in the
rules, so they are the same under rules with more purposes or other titles; several questions of one name in a rule
are distinguished by their order. No two questions of a game share a key.

`keys` is a fixed row with the keys of questions and phases; `luck` is a row in which a game is tracked by its events
(plain Python, and native code by the same source). Phases are nested: each level has a serial number of the phase
being played there, and its counts are valid only while they bear this number, so nothing is cleared when a phase
begins. Phases nested deeper than `LEVELS` count as the last of these.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, MutableSequence, Sequence
from functools import lru_cache
from typing import Any

from edict.runtime.machine.mixing import GOLDEN, MASK, mix
from edict.runtime.program import Program, digest
from edict.runtime.program.listing import find_instructions
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

VERSION = 2  # of the random numbers of studies, comparisons and leagues; 1 used only the number of the question
LEVELS = 6  # of nested phases, the first outside of all

# --- row of keys: the number of seats (plus one for nobody), of questions and of phases; then the key of each question,
# --- and of each phase
# row of keys: seats (plus one for nobody), questions, phases; then the key of each question and phase
(SEATS, ASKED, PHASES, KEYS) = range(4)
# --- row of a game: the nesting depth, the phases begun in all games so far; the serial number and key of each
# --- level; then, for each level, a serial number and a count of each question by seat, and of each phase
# row of a game: nesting depth, phases begun so far; then the serial number and key of each level
(DEPTH, BEGUN, FRAMES) = range(3)
# for each level, a serial number and a count of each question by seat, and of each phase
COUNTERS = FRAMES + 2 * LEVELS


@lru_cache(maxsize=16)
def build_keys(program: Program, players: int) -> tuple[int, ...]:
    """Return the numbers of seats, questions and phases, then a hash of each question and of each phase."""
    rule_of = {}
    for pc in sorted(find_instructions(program)[1], reverse=True):
        if program.code[pc] in (ASK, ASKC):
            rule_of[program.code[pc + 1]] = program.cause_at(pc).name
    questions = (
        f"{question.name} {question.kind} {rule_of.get(number)}" for number, question in enumerate(program.questions)
    )
    phases = (name for name, _ in program.phases)
    return (players + 1, len(program.questions), len(program.phases), *_hash_names(questions), *_hash_names(phases))


def _hash_names(names: Iterable[str]) -> list[int]:
    """Return a number of 60 bits for each name; repeated names are distinguished by their order."""
    repeats, hashes = Counter[str](), []
    for name in names:
        hashes.append(int(digest(f"{name} {repeats[name]}")[:15], 16))
        repeats[name] += 1
    return hashes


def create_tracker(keys: Sequence[int]) -> list[int]:
    """Return a row of zeros that `track_events` keeps for one game: depth, phases and counters."""
    return [0] * (COUNTERS + 2 * LEVELS * (keys[SEATS] * keys[ASKED] + keys[PHASES]))


def begin_game(tracker: MutableSequence[int]) -> None:
    """Reset the tracking row for a new game."""
    tracker[DEPTH] = 0
    tracker[BEGUN] += 1
    tracker[FRAMES] = tracker[BEGUN]
    tracker[FRAMES + 1] = 0


def track_events(keys: Sequence[int], log: Sequence[int], tracker: MutableSequence[int]) -> None:
    """Enter and leave phases in the tracker by a log's events; a phase's key depends on those around it."""
    at = 1
    while at <= log[0]:
        if log[at] == EV_ENTER:
            phase = log[at + 2]
            level = tracker[DEPTH]
            tracker[DEPTH] += 1
            if level + 1 < LEVELS:
                frame = FRAMES + 2 * level
                size = keys[SEATS] * keys[ASKED]
                repeats = increment_count(
                    tracker, COUNTERS + 2 * (level * (size + keys[PHASES]) + size + phase), tracker[frame]
                )
                key = keys[KEYS + keys[ASKED] + phase]
                tracker[BEGUN] += 1
                tracker[frame + 2] = tracker[BEGUN]
                tracker[frame + 3] = mix((tracker[frame + 1] + key + repeats * GOLDEN) & MASK)
        elif log[at] == EV_LEAVE and tracker[DEPTH] > 0:  # a game may begin within a phase
            tracker[DEPTH] -= 1
        at += EVENT_SIZE


def increment_count(tracker: MutableSequence[int], at: int, serial: int) -> int:
    """Return the count at `at`, from 0 again if last counted in another phase (`serial`), and add 1 to it."""
    if tracker[at] != serial:
        tracker[at] = serial
        tracker[at + 1] = 0
    tracker[at + 1] += 1
    return tracker[at + 1] - 1


def question_key(keys: Sequence[int], state: Sequence[int], tracker: MutableSequence[int]) -> int:
    """Return the key of the present question, for use as the number of a draw; call it once for each question."""
    level = tracker[DEPTH]
    if level >= LEVELS:
        level = LEVELS - 1
    seat = state[SEAT]
    if seat < 0:
        seat = state[YOU]
    if seat < 0 or seat + 1 >= keys[SEATS]:
        seat = -1
    question = state[QUESTION]
    frame = FRAMES + 2 * level
    at = level * (keys[SEATS] * keys[ASKED] + keys[PHASES]) + keys[SEATS] * question + seat + 1
    repeats = increment_count(tracker, COUNTERS + 2 * at, tracker[frame])
    return (mix((tracker[frame + 1] + keys[KEYS + question] + (seat + 2) * GOLDEN) & MASK) + repeats) & MASK


def draw_option(state: Sequence[int], seed: int, key: int) -> int:
    """Return the index of the option that chance takes.

    Each option gets a random number by its value, and the greatest wins, so one option more or less seldom changes
    the draw. Options of equal value get different numbers by their order.
    """
    taken = 0
    greatest = -1
    start = mix((seed + key * GOLDEN) & MASK)
    previous = state[FIRST_OPTION]
    repeats = -1
    ascending = 1
    i = 0
    while i < state[OPTIONS]:
        value = state[FIRST_OPTION + i]
        if value < previous:
            ascending = 0
        repeats = repeats + 1 if value == previous else 0
        if ascending == 0:
            repeats = i + 1  # unsorted options: equal values need not be adjacent
        number = (mix((start + value * GOLDEN + (repeats << 32)) & MASK) >> 1) & (MASK >> 1)
        if number > greatest:
            greatest = number
            taken = i
        previous = value
        i += 1
    return taken


class KeyedRandom:
    """The keyed random numbers of games played one after another."""

    def __init__(self, program: Program, players: int) -> None:
        self.seed = self.key = 0
        self._keys = build_keys(program, players)
        self._row = create_tracker(self._keys)

    def begin(self, seed: int) -> None:
        """Begin a game with a seed."""
        self.seed = seed
        begin_game(self._row)

    def track_events(self, log: Sequence[int]) -> None:
        """Track the events since the last question, as in a log of the machine."""
        track_events(self._keys, log, self._row)

    def ask(self, state: Any) -> None:
        """Compute the key of the question in a state, a list or a NumPy array."""
        self.key = question_key(self._keys, _head_of(state), self._row)

    def draw(self, state: Any) -> int:
        """Return the index of chance's answer to it."""
        return draw_option(_head_of(state), self.seed, self.key)


def _head_of(state: Any) -> Sequence[int]:
    """Return the beginning of a state up to its options, as Python integers, which do not overflow."""
    head: list[int] = state if isinstance(state, list) else state[: FIRST_OPTION + int(state[OPTIONS])].tolist()
    return head
