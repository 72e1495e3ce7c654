"""What a seat has seen of things that were hidden at first: a card played tells what was in somebody's hand.

From that a course begins: what somebody showed later is given to them where they drew or chose it, and nobody else
has it meanwhile. It need not be so (cards may have been traded); then the course is mended.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from edict.program import Program
from edict.program.opcodes import (
    ANSWER, ASKING, BITS, CHANCE, EV_CHOICE, EV_SET, EVENT_SIZE, OPTIONS, QUESTION, SEAT, YOU,
)  # fmt: skip
from edict.table.addresses import PLAYER, Cell, Layout


@dataclass(frozen=True, slots=True)
class Claim:
    """After question `at` a seat was seen to have something of a kind (of numbers: none)."""

    at: int
    seat: int
    kind: str
    value: int


@dataclass(frozen=True, slots=True)
class Place:
    """A hidden answer: to which question, whom it concerns, of which kind it is; and its group, see `machine.courses`."""

    at: int
    seat: int
    kind: str
    group: int
    drawn: bool


class Claims:
    """Finds in events what one seat saw of others and of itself."""

    def __init__(self, program: Program, seat: int) -> None:
        self._program, self._seat = program, seat
        self._layout = Layout.of(program)

    def of(self, at: int, before: Sequence[int], events: Sequence[int]) -> Iterator[Claim]:
        """What was seen in the events after question `at`. before: the state in which it was asked."""
        cells: dict[int, int] = {}
        for i in range(0, len(events), EVENT_SIZE):
            kind, _, number, old, new = events[i : i + EVENT_SIZE]
            if kind == EV_CHOICE and old != CHANCE and new >= 0:
                question = self._program.questions[number]
                if question.domain == "thing" and (not question.secret or old == self._seat):
                    yield Claim(at, old, question.kind, new)
            elif kind == EV_SET:
                cells[number] = new
                yield from self._shown(at, number, cells, before)
                yield from self._put(at, number, old, new, events[i + EVENT_SIZE :], cells, before)

    def _shown(self, at: int, cell: int, cells: dict[int, int], before: Sequence[int]) -> Iterator[Claim]:
        """What is seen of a hidden value as the seat comes to know it."""
        kept = self._layout.watched.get(cell)
        if kept is None or not cells[cell] >> self._seat & 1:
            return
        for part in range(kept.variable.type.cells):
            where = kept.address + part
            yield from _members(at, kept, part, int(cells.get(where, before[where])))

    def _put(
        self, at: int, cell: int, old: int, new: int, after: Sequence[int], cells: dict[int, int], before: Sequence[int]
    ) -> Iterator[Claim]:
        """What is seen of something put where the seat knows what there is."""
        kept = self._layout.cells.get(cell)
        if kept is None or kept.known < 0:
            return
        known = int(cells.get(kept.known, before[kept.known]))
        if after[:1] == [EV_SET] and after[2] == kept.known:  # the rules say who knows it right after
            known = after[4]
        if known >> self._seat & 1:
            some = new & ~old if kept.variable.type.shape == "set" else new
            yield from _members(at, kept, cell - kept.address, some)


def _members(at: int, kept: Cell, part: int, value: int) -> Iterator[Claim]:
    of = kept.variable.type
    if kept.variable.kinds[:1] != (PLAYER,):
        return iter(())
    if of.shape == "set":
        members = (BITS * part + i for i in range(BITS) if value >> i & 1)
    else:
        members = iter([value] if value >= 0 and of.cells == 1 else [])
    return (Claim(at, kept.of[0], of.kind, member) for member in members)


def places_of(program: Program, states: Sequence[Any], seat: int, first: int, last: int) -> list[Place]:
    """The hidden answers between two questions.

    A deck that has more cards than before is another one: what was drawn from it is a group of its own.
    """
    found: list[Place] = []
    sizes: dict[str, tuple[int, int]] = {}  # by kind: cards last left in the deck, and the deck's group
    for at in range(first, last):
        state = states[at]
        question, asked = program.questions[int(state[QUESTION])], int(state[SEAT])
        group = at + 1
        if asked == CHANCE and question.domain == "thing":
            left, deck = sizes.get(question.kind, (0, group))
            group = deck if int(state[OPTIONS]) < left else group
            sizes[question.kind] = int(state[OPTIONS]), group
        if question.secret and asked != seat:
            whose = int(state[YOU]) if asked == CHANCE else asked
            found.append(Place(at, whose, question.kind, group, asked == CHANCE))
    return found


def decks_of(places: Sequence[Place]) -> list[int]:
    """The questions from which on everything is drawn from other decks than before; the beginning first."""
    found = [0]
    used: dict[str, list[int]] = {}
    for place in places:
        decks = used.setdefault(place.kind, []) if place.drawn else []
        if place.drawn and (not decks or decks[-1] != place.group - 1):
            decks.append(place.group - 1)
    for at in sorted({at for decks in used.values() for at in decks[1:]}):
        lasting = (kind for kind, decks in used.items() if at not in decks)
        if not any(_in_use(places, kind, at) for kind in lasting):
            found.append(at)
    return found


def _in_use(places: Sequence[Place], kind: str, at: int) -> bool:
    """Whether the same deck of a kind is drawn from before and after a question."""
    before = {place.group for place in places if place.drawn and place.kind == kind and place.at < at}
    return any(place.group in before for place in places if place.drawn and place.kind == kind and place.at >= at)


def planned(claims: Sequence[Claim], places: Sequence[Place], seat: int, luck: Random) -> dict[int, int]:
    """Answers for some of the places, so that everybody has what they were seen to have, by lot."""
    found: dict[int, int] = {}
    had: set[tuple[int, int, int]] = set()  # group, whose, value
    for claim in claims:
        free: dict[int, list[Place]] = {}
        for place in places:
            if place.at > claim.at:
                break
            if place.seat == claim.seat and place.kind == claim.kind:
                free.setdefault(place.group if place.drawn else -1, []).append(place)
        for group, some in list(free.items())[-2:]:
            chosen = _chosen(claim, group, some, found, had, seat, luck)
            if chosen is not None:
                found[chosen.at] = claim.value
    return found


def _chosen(
    claim: Claim, group: int, some: list[Place], found: dict[int, int], had: set[tuple[int, int, int]], seat: int,
    luck: Random,
) -> Place | None:  # fmt: skip
    """Where what was seen was drawn or chosen; None if that is settled."""
    if group < 0:
        return some[-1] if some[-1].at not in found else None
    if (group, claim.seat, claim.value) in had:
        return None
    open_places = [place for place in some if place.at not in found]
    if not open_places:
        return None
    had.add((group, claim.seat, claim.value))
    return open_places[-1] if claim.seat == seat else luck.choice(open_places)
