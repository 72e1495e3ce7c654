"""Evidence about hidden things: a card played reveals what was in somebody's hand.

Determinizations start from it: a card that somebody showed later is given to them where they drew or chose it, and
nobody else has it meanwhile. That may be wrong (cards may have been traded); then the course is repaired.

Hands may be passed on whole: the cards in front of a player were dealt to another. A pile is what was dealt to one
player and is identified by that player's seat, wherever it is passed. Moves within a step are followed by what is
removed and added, whatever it is; only who has whose pile matters, which the rules tell everybody.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any

from edict.game.table.addresses import PLAYER, StateLayout, VariableCell, iter_changes, unpack_events
from edict.runtime.program import Program
from edict.runtime.program.opcodes import BITS, CHANCE, EV_CHOICE, EV_SET, EVENT_SIZE, OPTIONS, QUESTION, SEAT, YOU
from edict.runtime.simulation.information_sets import SEATED, find_knowers
from edict.support.records import dataclass

# --- hands that are passed on ---------------------------------------------------------------------------

NOBODY = -1
HandEntry = tuple[int, int]  # the cell, and the thing in it


class Hands:
    """The secret places of players by kind of things."""

    def __init__(self, program: Program) -> None:
        self.kinds: dict[int, str] = {}  # by cell
        self.cells: dict[int, VariableCell] = StateLayout.from_program(program).cells
        for at, cell in self.cells.items():
            if cell.variable.counts or cell.variable.type.shape == "set":
                if cell.variable.counts:
                    self.kinds[at] = cell.variable.kinds[-1]
                else:
                    self.kinds[at] = cell.variable.type.kind

    def owner_of(self, address: int) -> int:
        """Return the player whose secret place a cell belongs to or NOBODY."""
        cell = self.cells[address]
        return cell.owner if cell.known >= 0 else NOBODY

    def things(self, address: int, value: int) -> list[int]:
        """Return the things in a cell with repetitions."""
        cell = self.cells[address]
        if cell.variable.counts:
            return [cell.of[-1]] * max(0, value)
        first = BITS * (address - cell.address)
        return [first + i for i in range(BITS) if value >> i & 1] if value > 0 else []

    def iter_held_things(self, kind: str, cells: Sequence[int]) -> Iterator[tuple[HandEntry, int]]:
        """Iterate over the things in secret places with their owners."""
        for address, kind_here in self.kinds.items():
            owner = self.owner_of(address) if kind_here == kind else NOBODY
            if owner != NOBODY:
                yield from (((address, thing), owner) for thing in self.things(address, cells[address]))


class _MoveTracker:
    """The things of a kind within a step with their owners at its start."""

    def __init__(self, hands: Hands, before: Sequence[int]) -> None:
        self._hands, self._before = hands, before
        self.origins: dict[int, list[tuple[int, int]]] = {}  # by cell: the things there with their former owners
        self._out: dict[int, list[int]] = {}  # by thing: former owners of those that were removed
        self._pending: dict[int, list[int]] = {}  # by thing: cells that it was added to before it was removed

    def apply_change(self, address: int, old: int, new: int) -> None:
        """Move things by a cell's change: match those it lost with those that other cells gain in the step."""
        origins_here, things_before, things_after = (
            self.origins_at(address),
            self._hands.things(address, old),
            self._hands.things(address, new),
        )
        for thing in _subtract(things_before, things_after):
            self._take(origins_here, thing)
        for thing in _subtract(things_after, things_before):
            if self._out.get(thing):
                origins_here.append((thing, self._out[thing].pop()))
            else:
                self._pending.setdefault(thing, []).append(address)

    def origins_at(self, address: int) -> list[tuple[int, int]]:
        """Return the things in a cell with their owners at the step's start; fill it at the first call."""
        if address not in self.origins:
            owner = self._hands.owner_of(address)
            self.origins[address] = [(thing, owner) for thing in self._hands.things(address, self._before[address])]
        return self.origins[address]

    def _take(self, origins_here: list[tuple[int, int]], thing: int) -> None:
        """Take a thing from a cell; give it to a cell that waits for it, else keep its owner for a later gain."""
        index = next(
            (position for position in reversed(range(len(origins_here))) if origins_here[position][0] == thing), None
        )
        owner = origins_here.pop(index)[1] if index is not None else NOBODY
        if self._pending.get(thing):
            self.origins_at(self._pending[thing].pop()).append((thing, owner))
        else:
            self._out.setdefault(thing, []).append(owner)


def find_passed_hands(hands: Hands, before: Sequence[int], events: Sequence[int]) -> dict[str, dict[int, int]]:
    """Return, by kind, each seat that now has exactly the former hand of another, mapped to that seat."""
    changes: dict[str, list[tuple[int, int, int]]] = {}
    for _, at, old, new in iter_changes(events):
        if at in hands.kinds:
            changes.setdefault(hands.kinds[at], []).append((at, old, new))
    found: dict[str, dict[int, int]] = {}
    for kind, moves in changes.items():
        if len({hands.owner_of(at) for at, _, _ in moves} - {NOBODY}) > 1:
            followed = _MoveTracker(hands, before)
            for move in moves:
                followed.apply_change(*move)
            found[kind] = _find_whole_hands(hands, kind, followed, before)
    return {kind: moved for kind, moved in found.items() if moved}


def _find_whole_hands(hands: Hands, kind: str, tracker: _MoveTracker, before: Sequence[int]) -> dict[int, int]:
    """Map each seat whose things of a kind all came from one other seat, which gave to no one else, to that seat."""
    sources: dict[int, set[int]] = {}
    for address, of in hands.kinds.items():
        owner = hands.owner_of(address) if of == kind else NOBODY
        if owner != NOBODY:
            if before[address] or address in tracker.origins:
                things_here = tracker.origins_at(address)
            else:
                things_here = []
            sources.setdefault(owner, set()).update(source for _, source in things_here)
    moved = {owner: min(of) for owner, of in sources.items() if len(of) == 1 and of != {owner} and min(of) != NOBODY}
    unshared = {source for source in moved.values() if sum(source in of for of in sources.values()) == 1}
    return {owner: source for owner, source in moved.items() if source in unshared}


def _subtract(some: list[int], others: list[int]) -> list[int]:
    """Return the members of a list without those of another, counting repetitions."""
    return list((Counter(some) - Counter(others)).elements())


class Piles:
    """The pile in front of each player after each question."""

    def __init__(self, program: Program) -> None:
        self.hands = Hands(program)
        self._changes: dict[str, list[tuple[int, dict[int, int]]]] = {}

    def pile_of(self, kind: str, seat: int, question: int) -> int:
        """Return the pile (numbered by the seat that first held it) in front of a seat at a question."""
        for since, piles in reversed(self._changes.get(kind, [])):
            if since < question:
                return piles.get(seat, seat)
        return seat

    def record_passing(self, kind: str, question: int, moved: Mapping[int, int]) -> None:
        """Record that after a question seat `s` holds the former pile of seat `moved[s]`; others get the rest."""
        seats = sorted({self.hands.owner_of(cell) for cell in self.hands.kinds} - {NOBODY})
        piles_before = {seat: self.pile_of(kind, seat, question) for seat in seats}
        piles_after = {seat: piles_before[source] for seat, source in moved.items()}
        remaining = [pile for pile in piles_before.values() if pile not in piles_after.values()]
        piles_after |= {seat: remaining.pop(0) for seat in piles_before if seat not in piles_after}
        self._changes.setdefault(kind, []).append((question, piles_after))


# --- what was seen --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Sighting:
    """An observation that a seat had something of a kind (not of numbers)."""

    at: int  # question after which it was seen
    seat: int
    kind: str
    value: int
    pile: int = NOBODY  # seat to which its pile was dealt
    since: int = -1  # question after which the observer had the whole pile, so that earlier draws are known
    passed: bool = False  # it came to the observer in a pile that was passed on


@dataclass(frozen=True, slots=True)
class HiddenAnswer:
    """A hidden answer."""

    at: int  # its question
    seat: int  # whom it concerns
    kind: str
    group: int  # see `simulation.resampling`
    drawn: bool  # by chance
    copies: bool = False  # things of this kind may be equal, so a player may have had the same twice
    pile: int = NOBODY  # seat to which the pile in front of them was dealt


class SightingFinder:
    """Finds in events what one seat saw of others and of itself."""

    def __init__(self, program: Program, facts: Sequence[int]) -> None:
        """Start with nothing seen. facts: Those of the seat, as `simulation.information_sets` takes them."""
        self._program, self._facts, self._seat = program, facts, facts[SEATED]
        self._layout = StateLayout.from_program(program)
        self.piles = Piles(program)
        self._held: dict[tuple[str, int], int] = {}  # by kind and pile: question after which the seat had it last

    def find(self, at: int, before: Sequence[int], events: Sequence[int]) -> Iterator[Sighting]:
        """Yield the sightings in the events after question `at`, which was asked in the state `before`."""
        cells = [*before]
        moved = find_passed_hands(self.piles.hands, before, events)
        for sighting in self._follow(at, cells, events):
            if sighting.seat != self._seat or sighting.seat not in moved.get(sighting.kind, ()):
                pile = self.piles.pile_of(sighting.kind, sighting.seat, at)
                yield replace(sighting, pile=pile, since=self._held.get((sighting.kind, pile), -1))
        for kind, hands in moved.items():
            if self._seat in hands:
                yield from self._receive(at, kind, hands[self._seat], cells)
            self.piles.record_passing(kind, at, hands)

    def _receive(self, at: int, kind: str, giver: int, cells: Sequence[int]) -> Iterator[Sighting]:
        """Yield a sighting for each thing of a kind that the seat holds after it got the pile of `giver`."""
        here, pile = (self.piles.pile_of(kind, seat, at) for seat in (self._seat, giver))
        since = self._held.get((kind, pile), -1)
        for (_, value), owner in self.piles.hands.iter_held_things(kind, cells):
            if owner == self._seat:
                yield Sighting(at, owner, kind, value, pile, since, passed=True)
        self._held[kind, here] = self._held[kind, pile] = at

    def _follow(self, at: int, cells: list[int], events: Sequence[int]) -> Iterator[Sighting]:
        """Yield sightings event by event; `cells` is the state before the events and ends as the state after them."""
        log = [len(events), *events]
        for place, (kind, _, number, old, new) in enumerate(unpack_events(events)):
            if kind == EV_CHOICE and old != CHANCE and new >= 0:
                question = self._program.questions[number]
                if question.domain == "thing" and (not question.secret or old == self._seat):
                    yield Sighting(at, old, question.kind, new)
            elif kind == EV_SET:
                cells[number] = new
                revealed, written = self._layout.watched.get(number), self._layout.cells.get(number)
                if revealed is not None and new >> self._seat & 1:
                    for part in range(revealed.variable.type.cells):
                        yield from _iter_members(at, revealed, part, cells[revealed.address + part])
                if written is not None and written.known >= 0:
                    knowers = find_knowers(self._facts, log, cells, EVENT_SIZE * place, written.known, 0)
                    if knowers >> self._seat & 1:
                        added = _find_addition(written, old, new)
                        yield from _iter_members(at, written, number - written.address, added)


def _find_addition(cell: VariableCell, old: int, new: int) -> int:
    """Return what a change added: members of a set, how many there are more in a bag, or the new value."""
    if cell.variable.counts:
        return new - old
    return new & ~old if cell.variable.type.shape == "set" else new


def _iter_members(question: int, variable_cell: VariableCell, part: int, value: int) -> Iterator[Sighting]:
    """Yield a sighting for each thing in a value of a player's cell; `part` is the cell's place in a large set."""
    type_ = variable_cell.variable.type
    if variable_cell.variable.kinds[:1] != (PLAYER,):
        return
    if variable_cell.variable.counts:
        if value > 0:
            yield Sighting(question, variable_cell.of[0], variable_cell.variable.kinds[-1], variable_cell.of[-1])
        return
    if type_.shape == "set":
        members = [BITS * part + i for i in range(BITS) if value >> i & 1]
    else:
        members = [value] if value >= 0 and type_.cells == 1 and type_.shape != "order" else []
    yield from (Sighting(question, variable_cell.of[0], type_.kind, member) for member in members)


def find_hidden_answers(
    program: Program, states: Sequence[Any], seat: int, first: int, last: int, piles: Piles
) -> list[HiddenAnswer]:
    """Return the answers from question `first` to `last` that the seat has not seen, grouped by deck.

    A deck that has more cards than before is another one: what was drawn from it is a group of its own.
    """
    found: list[HiddenAnswer] = []
    several = {variable.kinds[-1] for variable in program.variables if variable.counts}
    sizes: dict[str, tuple[int, int]] = {}  # by kind: cards left in the deck, and its group
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
            pile = piles.pile_of(question.kind, whose, at)
            found.append(HiddenAnswer(at, whose, question.kind, group, asked == CHANCE, question.kind in several, pile))
    return found


def find_deck_changes(places: Sequence[HiddenAnswer]) -> list[int]:
    """Return 0 and the questions from which on no deck is drawn from that was drawn from before."""
    found = [0]
    used: dict[str, list[int]] = {}
    for place in places:
        decks = used.setdefault(place.kind, []) if place.drawn else []
        if place.drawn and (not decks or decks[-1] != place.group - 1):
            decks.append(place.group - 1)
    for at in sorted({at for decks in used.values() for at in decks[1:]}):
        lasting = (kind for kind, decks in used.items() if at not in decks)
        if not any(_is_deck_in_use(places, kind, at) for kind in lasting):
            found.append(at)
    return found


def _is_deck_in_use(places: Sequence[HiddenAnswer], kind: str, question: int) -> bool:
    """Return True if one deck of a kind is drawn from before and after a question."""
    before = {place.group for place in places if place.drawn and place.kind == kind and place.at < question}
    return any(place.group in before for place in places if place.drawn and place.kind == kind and place.at >= question)


class HandPlan:
    """Random answers for some hidden answers so that everybody has what they were seen to have."""

    def __init__(self, places: Sequence[HiddenAnswer], seat: int, luck: Random) -> None:
        self.answers: dict[int, int] = {}  # by question
        self.left: set[tuple[int, int]] = set()  # group and value of last cards that were drawn without a question
        self._places, self._seat, self._luck = places, seat, luck
        self._had: set[tuple[int, int, int]] = set()  # group, owner, value

    def give(self, sighting: Sighting) -> None:
        """Set the hidden answers by which a sighted thing was drawn, and chosen by its holder."""
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
        """Choose a random free hidden answer of the group and give it the sighted thing, if one is free."""
        key = group, sighting.pile, sighting.value
        free = [place for place in places if place.at not in self.answers]
        if sighting.seat == self._seat and not sighting.passed:
            free = [place for place in free if place.at == sighting.at]
            if not free and places[-1].at == sighting.at:
                self.left.add((group, sighting.value))
        if free and (places[0].copies or key not in self._had):
            self._had.add(key)
            self.answers[self._luck.choice(free).at] = sighting.value
