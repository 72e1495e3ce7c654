"""Hands that are passed on whole: what lies before a player was dealt to another.

A pile is what was dealt to one player, and is called by that player's seat, wherever it is passed. What moves is
followed within a step by what is taken out and put in, whatever it is: only who has whose pile is of use, which the
rules say to everybody.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from edict.program import Program
from edict.program.opcodes import BITS, EV_SET, EVENT_SIZE
from edict.table.addresses import PLAYER, Cell, Layout

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
        """Whose secret place a cell belongs to, or nobody's."""
        cell = self.cells[at]
        return cell.of[0] if cell.known >= 0 and cell.variable.kinds[:1] == (PLAYER,) else NOBODY

    def things(self, at: int, value: int) -> list[int]:
        """What lies in a cell, each as often as it is there."""
        cell = self.cells[at]
        if cell.variable.counts:
            return [cell.of[-1]] * max(0, value)
        first = BITS * (at - cell.address)
        return [first + i for i in range(BITS) if value >> i & 1] if value > 0 else []

    def held(self, kind: str, now: Mapping[int, int]) -> Iterator[tuple[Part, int]]:
        """What lies in secret places, and with whom."""
        for at, of in self.kinds.items():
            owner = self.secret_of(at) if of == kind else NOBODY
            if owner != NOBODY:
                yield from (((at, thing), owner) for thing in self.things(at, now[at]))


class _Followed:
    """The things of a kind within a step: with whom each was when it began."""

    def __init__(self, hands: Hands, before: Mapping[int, int]) -> None:
        self._hands, self._before = hands, before
        self.whose: dict[int, list[tuple[int, int]]] = {}  # by cell: the things there, and with whom they were
        self._out: dict[int, list[int]] = {}  # by thing: with whom those were that were taken out
        self._owed: dict[int, list[int]] = {}  # by thing: the cells it was put in before it was taken out

    def set(self, at: int, old: int, new: int) -> None:
        here, was, now = self.at(at), self._hands.things(at, old), self._hands.things(at, new)
        for thing in _without(was, now):
            self._take(here, thing)
        for thing in _without(now, was):
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


def passed(hands: Hands, before: Mapping[int, int], events: Sequence[int]) -> dict[str, dict[int, int]]:
    """By kind, who has what whom had before; only those who have all of it, and nothing else."""
    followed: dict[str, _Followed] = {}
    givers: dict[str, set[int]] = {}
    for i in range(0, len(events), EVENT_SIZE):
        kind, _, at, old, new = events[i : i + EVENT_SIZE]
        of = hands.kinds.get(at) if kind == EV_SET else None
        if of is not None:
            followed.setdefault(of, _Followed(hands, before)).set(at, old, new)
            givers.setdefault(of, set()).add(hands.secret_of(at))
    found = {of: _whole(hands, of, one, before) for of, one in followed.items() if len(givers[of] - {NOBODY}) > 1}
    return {of: moved for of, moved in found.items() if moved}


def _whole(hands: Hands, kind: str, followed: _Followed, before: Mapping[int, int]) -> dict[int, int]:
    sources: dict[int, set[int]] = {}
    for at, of in hands.kinds.items():
        owner = hands.secret_of(at) if of == kind else NOBODY
        if owner != NOBODY:
            held = followed.at(at) if before[at] or at in followed.whose else []
            sources.setdefault(owner, set()).update(source for _, source in held)
    moved = {owner: min(of) for owner, of in sources.items() if len(of) == 1 and of != {owner} and min(of) != NOBODY}
    alone = {source for source in moved.values() if sum(source in of for of in sources.values()) == 1}
    return {owner: source for owner, source in moved.items() if source in alone}


def _without(some: list[int], others: list[int]) -> list[int]:
    return list((Counter(some) - Counter(others)).elements())


class Piles:
    """Which pile lies before whom, after each question."""

    def __init__(self, program: Program) -> None:
        self.hands = Hands(program)
        self._changes: dict[str, list[tuple[int, dict[int, int]]]] = {}

    def pile(self, kind: str, seat: int, at: int) -> int:
        """The pile that lay before a player when a question was asked."""
        for since, piles in reversed(self._changes.get(kind, [])):
            if since < at:
                return piles.get(seat, seat)
        return seat

    def pass_on(self, kind: str, at: int, moved: Mapping[int, int]) -> None:
        """After a question some have what others had; the others get what is left over."""
        seats = sorted({self.hands.secret_of(cell) for cell in self.hands.kinds} - {NOBODY})
        was = {seat: self.pile(kind, seat, at) for seat in seats}
        now = {seat: was[source] for seat, source in moved.items()}
        left = [pile for pile in was.values() if pile not in now.values()]
        now |= {seat: left.pop(0) for seat in was if seat not in now}
        self._changes.setdefault(kind, []).append((at, now))
