"""Evidence: the hidden things that a seat has seen, as a card that is played tells what was in somebody's hand.

From that a course begins: what somebody showed later is given to them where they drew or chose it, and nobody else
has it meanwhile. It need not be so (cards may have been traded); then the course is mended.

Hands may be passed on whole: what lies before a player was dealt to another. A pile is what was dealt to one player,
and is called by that player's seat, wherever it is passed. What moves is followed within a step by what is taken out
and put in, whatever it is: only who has whose pile is of use, which the rules say to everybody.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from edict.game.table.addresses import PLAYER, Cell, Layout, changes_in, events_of
from edict.runtime.program import Program
from edict.runtime.program.opcodes import BITS, CHANCE, EV_CHOICE, EV_SET, EVENT_SIZE, OPTIONS, QUESTION, SEAT, YOU
from edict.runtime.simulation.information_sets import SEATED, find_knowers

# --- hands that are passed on ---------------------------------------------------------------------------

NOBODY = -1
Part = tuple[int, int]  # the cell, and the thing that lies there


class Hands:
    """The secret places of players, by the kind of things that lie in them."""

    def __init__(self, program: Program) -> None:
        self.kinds: dict[int, str] = {}  # by cell
        self.cells: dict[int, Cell] = Layout.of(program).cells
        for at, cell in self.cells.items():
            if cell.variable.counts or cell.variable.type.shape == "set":
                self.kinds[at] = cell.variable.kinds[-1] if cell.variable.counts else cell.variable.type.kind

    def secret_of(self, at: int) -> int:
        """Return the seat whose secret place a cell belongs to, or NOBODY."""
        cell = self.cells[at]
        return cell.owner if cell.known >= 0 else NOBODY

    def things(self, at: int, value: int) -> list[int]:
        """Return the things in a cell, each as often as it is there."""
        cell = self.cells[at]
        if cell.variable.counts:
            return [cell.of[-1]] * max(0, value)
        first = BITS * (at - cell.address)
        return [first + i for i in range(BITS) if value >> i & 1] if value > 0 else []

    def held(self, kind: str, cells: Sequence[int]) -> Iterator[tuple[Part, int]]:
        """Yield the things in secret places of players, and with whom they are."""
        for at, of in self.kinds.items():
            owner = self.secret_of(at) if of == kind else NOBODY
            if owner != NOBODY:
                yield from (((at, thing), owner) for thing in self.things(at, cells[at]))


class _Followed:
    """The things of a kind within a step: with whom each was when it began."""

    def __init__(self, hands: Hands, before: Sequence[int]) -> None:
        self._hands, self._before = hands, before
        self.whose: dict[int, list[tuple[int, int]]] = {}  # by cell: the things there, and with whom they were
        self._out: dict[int, list[int]] = {}  # by thing: with whom those were that were taken out
        self._owed: dict[int, list[int]] = {}  # by thing: the cells it was put in before it was taken out

    def set(self, at: int, old: int, new: int) -> None:
        here, was, now = self.at(at), self._hands.things(at, old), self._hands.things(at, new)
        for thing in _subtract(was, now):
            self._take(here, thing)
        for thing in _subtract(now, was):
            if self._out.get(thing):
                here.append((thing, self._out[thing].pop()))
            else:
                self._owed.setdefault(thing, []).append(at)

    def at(self, at: int) -> list[tuple[int, int]]:
        if at not in self.whose:
            owner = self._hands.secret_of(at)
            self.whose[at] = [(thing, owner) for thing in self._hands.things(at, self._before[at])]
        return self.whose[at]

    def _take(self, here: list[tuple[int, int]], thing: int) -> None:
        found = next((i for i in reversed(range(len(here))) if here[i][0] == thing), None)
        owner = here.pop(found)[1] if found is not None else NOBODY
        if self._owed.get(thing):
            self.at(self._owed[thing].pop()).append((thing, owner))
        else:
            self._out.setdefault(thing, []).append(owner)


def find_passed_hands(hands: Hands, before: Sequence[int], events: Sequence[int]) -> dict[str, dict[int, int]]:
    """Return by kind who has what whom had before; only those who have all of it, and nothing else."""
    changes: dict[str, list[tuple[int, int, int]]] = {}
    for _, at, old, new in changes_in(events):
        if at in hands.kinds:
            changes.setdefault(hands.kinds[at], []).append((at, old, new))
    found: dict[str, dict[int, int]] = {}
    for kind, moves in changes.items():
        if len({hands.secret_of(at) for at, _, _ in moves} - {NOBODY}) > 1:
            followed = _Followed(hands, before)
            for move in moves:
                followed.set(*move)
            found[kind] = _whole(hands, kind, followed, before)
    return {kind: moved for kind, moved in found.items() if moved}


def _whole(hands: Hands, kind: str, followed: _Followed, before: Sequence[int]) -> dict[int, int]:
    sources: dict[int, set[int]] = {}
    for at, of in hands.kinds.items():
        owner = hands.secret_of(at) if of == kind else NOBODY
        if owner != NOBODY:
            held = followed.at(at) if before[at] or at in followed.whose else []
            sources.setdefault(owner, set()).update(source for _, source in held)
    moved = {owner: min(of) for owner, of in sources.items() if len(of) == 1 and of != {owner} and min(of) != NOBODY}
    alone = {source for source in moved.values() if sum(source in of for of in sources.values()) == 1}
    return {owner: source for owner, source in moved.items() if source in alone}


def _subtract(some: list[int], others: list[int]) -> list[int]:
    return list((Counter(some) - Counter(others)).elements())


class Piles:
    """Which pile lies before whom, after each question."""

    def __init__(self, program: Program) -> None:
        self.hands = Hands(program)
        self._changes: dict[str, list[tuple[int, dict[int, int]]]] = {}

    def pile(self, kind: str, seat: int, at: int) -> int:
        """Return the pile that lay before a player when a question was asked."""
        for since, piles in reversed(self._changes.get(kind, [])):
            if since < at:
                return piles.get(seat, seat)
        return seat

    def pass_on(self, kind: str, at: int, moved: Mapping[int, int]) -> None:
        """Give some what others had, after a question, and the others what is left over."""
        seats = sorted({self.hands.secret_of(cell) for cell in self.hands.kinds} - {NOBODY})
        was = {seat: self.pile(kind, seat, at) for seat in seats}
        now = {seat: was[source] for seat, source in moved.items()}
        left = [pile for pile in was.values() if pile not in now.values()]
        now |= {seat: left.pop(0) for seat in was if seat not in now}
        self._changes.setdefault(kind, []).append((at, now))


# --- what was seen --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Sighting:
    """After question `at` a seat was seen to have something of a kind (of numbers: none).

    pile: to whom it was dealt. since: after which question the seat that looks had all of that pile, so what was drawn
    before is known. passed: it came to that seat as part of a pile that was passed on.
    """

    at: int
    seat: int
    kind: str
    value: int
    pile: int = NOBODY
    since: int = -1
    passed: bool = False


@dataclass(frozen=True, slots=True)
class HiddenAnswer:
    """A hidden answer: to which question, whom it concerns, of which kind it is; its group (`simulation.resampling`).

    copies: there may be several of a kind that are alike, so somebody may have had the same twice.
    pile: to whom that was dealt which lay before them then.
    """

    at: int
    seat: int
    kind: str
    group: int
    drawn: bool
    copies: bool = False
    pile: int = NOBODY


class Sightings:
    """Finds in events what one seat saw of others and of itself."""

    def __init__(self, program: Program, facts: Sequence[int]) -> None:
        """Start with nothing seen. facts: Those of the seat, as `simulation.information_sets` takes them."""
        self._program, self._facts, self._seat = program, facts, facts[SEATED]
        self._layout = Layout.of(program)
        self.piles = Piles(program)
        self._held: dict[tuple[str, int], int] = {}  # by kind and pile: after which question the seat had it last

    def find(self, at: int, before: Sequence[int], events: Sequence[int]) -> Iterator[Sighting]:
        """Yield what was seen in the events after question `at`. before: The state in which it was asked."""
        cells = [*before]
        moved = find_passed_hands(self.piles.hands, before, events)
        for sighting in self._follow(at, cells, events):
            if sighting.seat != self._seat or sighting.seat not in moved.get(sighting.kind, ()):
                pile = self.piles.pile(sighting.kind, sighting.seat, at)
                yield replace(sighting, pile=pile, since=self._held.get((sighting.kind, pile), -1))
        for kind, hands in moved.items():
            if self._seat in hands:
                yield from self._receive(at, kind, hands[self._seat], cells)
            self.piles.pass_on(kind, at, hands)

    def _receive(self, at: int, kind: str, giver: int, cells: Sequence[int]) -> Iterator[Sighting]:
        """Yield all of a pile that the seat has got."""
        here, pile = (self.piles.pile(kind, seat, at) for seat in (self._seat, giver))
        since = self._held.get((kind, pile), -1)
        for (_, value), owner in self.piles.hands.held(kind, cells):
            if owner == self._seat:
                yield Sighting(at, owner, kind, value, pile, since, passed=True)
        self._held[kind, here] = self._held[kind, pile] = at

    def _follow(self, at: int, cells: list[int], events: Sequence[int]) -> Iterator[Sighting]:
        """Yield what is seen event by event. `cells` is the state before them, and then that after them."""
        log = [len(events), *events]
        for place, (kind, _, number, old, new) in enumerate(events_of(events)):
            if kind == EV_CHOICE and old != CHANCE and new >= 0:
                question = self._program.questions[number]
                if question.domain == "thing" and (not question.secret or old == self._seat):
                    yield Sighting(at, old, question.kind, new)
            elif kind == EV_SET:
                cells[number] = new
                revealed, written = self._layout.watched.get(number), self._layout.cells.get(number)
                if revealed is not None and new >> self._seat & 1:
                    for part in range(revealed.variable.type.cells):
                        yield from _members(at, revealed, part, cells[revealed.address + part])
                if written is not None and written.known >= 0:
                    knowers = find_knowers(self._facts, log, cells, EVENT_SIZE * place, written.known, 0)
                    if knowers >> self._seat & 1:
                        yield from _members(at, written, number - written.address, _added(written, old, new))


def _added(cell: Cell, old: int, new: int) -> int:
    """Return what a change added: members of a set, how many there are more in a bag, or the new value."""
    if cell.variable.counts:
        return new - old
    return new & ~old if cell.variable.type.shape == "set" else new


def _members(at: int, kept: Cell, part: int, value: int) -> Iterator[Sighting]:
    of = kept.variable.type
    if kept.variable.kinds[:1] != (PLAYER,):
        return
    if kept.variable.counts:
        if value > 0:
            yield Sighting(at, kept.of[0], kept.variable.kinds[-1], kept.of[-1])
        return
    if of.shape == "set":
        members = [BITS * part + i for i in range(BITS) if value >> i & 1]
    else:
        members = [value] if value >= 0 and of.cells == 1 and of.shape != "order" else []
    yield from (Sighting(at, kept.of[0], of.kind, member) for member in members)


def find_hidden_answers(
    program: Program, states: Sequence[Any], seat: int, first: int, last: int, piles: Piles
) -> list[HiddenAnswer]:
    """Return the hidden answers between two questions.

    A deck that has more cards than before is another one: what was drawn from it is a group of its own.
    """
    found: list[HiddenAnswer] = []
    several = {variable.kinds[-1] for variable in program.variables if variable.counts}
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
            pile = piles.pile(question.kind, whose, at)
            found.append(HiddenAnswer(at, whose, question.kind, group, asked == CHANCE, question.kind in several, pile))
    return found


def find_deck_changes(places: Sequence[HiddenAnswer]) -> list[int]:
    """Return the questions from which on all is drawn from other decks than before; the beginning first."""
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


def _in_use(places: Sequence[HiddenAnswer], kind: str, at: int) -> bool:
    """Return True if the same deck of a kind is drawn from before and after a question."""
    before = {place.group for place in places if place.drawn and place.kind == kind and place.at < at}
    return any(place.group in before for place in places if place.drawn and place.kind == kind and place.at >= at)


class HandPlan:
    """Random answers for some of the hidden places, so that everybody has what they were seen to have."""

    def __init__(self, places: Sequence[HiddenAnswer], seat: int, luck: Random) -> None:
        self.answers: dict[int, int] = {}  # by question
        self.left: set[tuple[int, int]] = set()  # group and value of what was drawn without being asked, being the last
        self._places, self._seat, self._luck = places, seat, luck
        self._had: set[tuple[int, int, int]] = set()  # group, whose, value

    def give(self, sighting: Sighting) -> None:
        """Plan where something that was seen was drawn, and chosen."""
        drawn: dict[int, list[HiddenAnswer]] = {}
        chosen: list[HiddenAnswer] = []
        for place in self._places:
            if place.at > sighting.at or place.kind != sighting.kind:
                continue
            if place.drawn and place.pile == sighting.pile and place.at > sighting.since:
                drawn.setdefault(place.group, []).append(place)
            elif not place.drawn and place.seat == sighting.seat and not sighting.passed:
                chosen.append(place)
        if drawn:
            self._draw(sighting, *list(drawn.items())[-1])
        if chosen:
            self.answers.setdefault(chosen[-1].at, sighting.value)

    def _draw(self, sighting: Sighting, group: int, places: list[HiddenAnswer]) -> None:
        had = group, sighting.pile, sighting.value
        left = [place for place in places if place.at not in self.answers]
        if sighting.seat == self._seat and not sighting.passed:
            left = [place for place in left if place.at == sighting.at]
            if not left and places[-1].at == sighting.at:
                self.left.add((group, sighting.value))
        if left and (places[0].copies or had not in self._had):
            self._had.add(had)
            self.answers[self._luck.choice(left).at] = sighting.value
