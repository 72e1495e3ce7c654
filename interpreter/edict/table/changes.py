"""What tries change, in numbers and words: resources, what is kept, dice in hand, and quantities on the table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from edict.program import Cause, Variable
from edict.program import opcodes as o
from edict.table.addresses import PLAYER, Cell, seats_in
from edict.table.knowledge import attempt, Peeked
from edict.table.game_steps import Table
from edict.table.what_if import Tried, changed
from edict.table.wording import listed

RESOURCE, KEPT, DICE, QUANTITY = "resource", "kept", "dice", "quantity"


@dataclass(frozen=True, slots=True)
class Change:
    """Something that is otherwise afterwards, to be compared by what it is and comes to, not by who did it.

    `sort` is resource, kept, dice or quantity. `seat` is whose it is (-1: the table's), `of` what else it is of, by
    titles. `owner` is the player's name, empty if that is who asks or nobody. `before` and `after` are as the machine
    has them, `amount` the difference of numbers. `loss`: the one who asks has less.
    """

    name: str
    title: str
    sort: str
    seat: int
    owner: str
    of: tuple[str, ...]
    before: int
    after: int
    amount: int | None
    text: str
    loss: bool = False
    causes: tuple[Cause, ...] = field(default=(), compare=False)


class Changes:
    """Tells what changed between the state in which a seat is asked and that after a try."""

    def __init__(self, table: Table, seat: int, start: list[int]) -> None:
        self.table = table
        self.seat = seat
        self.start = start
        self.shown = list(self._shown())
        self.before = [self._value(start, query) for _, query in self.shown]

    def of(self, tried: Tried) -> tuple[Change, ...]:
        """What an option costs, what else changes, and then the quantities on the table."""
        cells: dict[int, tuple[int, int, list[Cause]]] = {}
        for pc, cell, old, new in changed(tried.events):
            there = self.table.layout.cells.get(cell)
            if there is not None and there.variable.type.cells > 1:
                cell, old, new = there.address, there.value(self.start), there.value(tried.state)
            first, _, causes = cells.get(cell, (old, new, []))
            cells[cell] = first, new, [*causes, self.table.program.cause_at(pc)]
        found = [
            change
            for at, (old, new, causes) in sorted(cells.items())
            if old != new and (change := self._cell(at, old, new, tuple(dict.fromkeys(causes)))) is not None
        ]
        return (*sorted(found, key=lambda one: not one.loss), *(self._quantities(tried.state) if cells else ()))

    # --- cells

    def _cell(self, at: int, old: int, new: int, causes: tuple[Cause, ...]) -> Change | None:
        cell = self.table.layout.cells.get(at)
        if cell is None or not self._at_table(cell):
            return None
        variable = cell.variable
        if variable.resource:
            return self._resource(cell, old, new, causes)
        if variable.type.shape == "dice" and variable.kinds == (PLAYER,):
            return self._dice(cell, old, new, causes)
        return None if variable.quiet else self._kept(cell, old, new, causes)

    def _at_table(self, cell: Cell) -> bool:
        pairs = zip(cell.variable.kinds, cell.of, strict=True)
        return all(i < len(self.table.players) for kind, i in pairs if kind == PLAYER)

    def _resource(self, cell: Cell, old: int, new: int, causes: tuple[Cause, ...]) -> Change:
        amount = new - old
        words = self.table.wording.amount(cell.variable, abs(amount))
        text = f"{'-' if amount < 0 else '+'}{words}"
        return self._made(cell, RESOURCE, (old, new), text, amount < 0, causes)

    def _dice(self, cell: Cell, old: int, new: int, causes: tuple[Cause, ...]) -> Change | None:
        """Dice put away or got; faces that change are no price."""
        less, more = self._without(old, new), self._without(new, old)
        if less and more or not less and not more:
            return None
        words = f"{cell.variable.title} {self.table.wording.dice(less or more)}"
        return self._made(cell, DICE, (old, new), f"{'-' if less else '+'}{words}", bool(less), causes)

    def _without(self, dice: int, others: int) -> int:
        """The dice that are not among others."""
        layout, left = self.table.program.dice, 0
        for at in range(0, layout.bits, layout.width):
            full = (1 << layout.width) - 1
            left |= max((dice >> at & full) - (others >> at & full), 0) << at
        return left

    def _kept(self, cell: Cell, old: int, new: int, causes: tuple[Cause, ...]) -> Change:
        """What is kept: lost if it was this seat's and is nobody's or another's, or nothing is left of it."""
        variable, wording = cell.variable, self.table.wording
        if variable.type.shape == "thing" and variable.type.kind == PLAYER and self.seat in (old, new):
            return self._made(cell, KEPT, (old, new), variable.title, old == self.seat, causes)
        if variable.type.shape == "set":
            parts = [("-", old & ~new), ("+", new & ~old)]
            told = ((sign, listed(wording.title(variable.type.kind, i) for i in seats_in(m))) for sign, m in parts if m)
            text = f"{variable.title}: {', '.join(f'{sign}{words}' for sign, words in told)}"
        else:
            text = f"{variable.title}: {wording.value(variable.type, old)} → {wording.value(variable.type, new)}"
        mine = variable.kinds[:1] == (PLAYER,) and cell.of[:1] == (self.seat,)
        nothing = variable.type.optional and new < 0 or variable.type.shape == "set" and not new & ~old
        return self._made(cell, KEPT, (old, new), text, mine and nothing, causes)

    def _made(
        self, cell: Cell, sort: str, values: tuple[int, int], text: str, loss: bool, causes: tuple[Cause, ...]
    ) -> Change:
        variable, wording = cell.variable, self.table.wording
        seat, of = _owner(variable, cell.of)
        titles = tuple(wording.title(kind, i) for kind, i in of)
        owner = self.table.players[seat] if seat not in (self.seat, -1) else ""
        where = ", ".join(titles)
        old, new = values
        amount = new - old if variable.type.shape == "number" else None
        return Change(
            variable.name, variable.title or variable.name, sort, seat, owner, titles, old, new, amount,
            f"{where}: {text}" if where else text, loss and seat in (self.seat, -1), causes,
        )  # fmt: skip

    # --- quantities on the table

    def _shown(self) -> Iterator[tuple[str, int]]:
        """The numbers shown of each player, but for those of which one has so much: their titles and queries."""
        program = self.table.program
        for panel in program.panels:
            if panel.shape == "rows" and panel.kind == PLAYER and not panel.looked:
                for line in panel.lines:
                    (query, *more) = (part.query for part in line.parts) if line.parts else (-1,)
                    if not more and query >= 0 and program.queries[query].type.shape == "number":
                        if not self._is_cell(query):
                            yield line.title, query

    def _is_cell(self, query: int) -> bool:
        """Whether a query does no more than read a variable, whose changes are reported anyway."""
        code = self.table.program.code
        at = self.table.program.queries[query].entry
        at += o.SIZE[o.MOV] if code[at] == o.MOV else 0  # for whom it is asked
        return code[at] == o.LDX and code[at + o.SIZE[o.LDX]] == o.RET

    def _value(self, state: list[int], query: int) -> int | None:
        try:
            return attempt(self.table.program, state.copy(), query, self.seat)
        except Peeked:
            return None

    def _quantities(self, state: list[int]) -> Iterator[Change]:
        for (title, query), old in zip(self.shown, self.before, strict=True):
            new = self._value(state, query)
            if old is not None and new is not None and old != new:
                text = f"{inside(title)} {old} → {new}"
                yield Change(title, title, QUANTITY, self.seat, "", (), old, new, new - old, text, new < old)


def inside(title: str) -> str:
    """A title in the middle of a sentence: `strength`, but `VP`."""
    return title if title[1:2].isupper() else title[:1].lower() + title[1:]


def _owner(variable: Variable, of: Sequence[int]) -> tuple[int, list[tuple[str, int]]]:
    """Whose a cell is, and what else it is of."""
    pairs = list(zip(variable.kinds, of, strict=True))
    seat = next((i for kind, i in pairs if kind == PLAYER), -1)
    return seat, [(kind, i) for kind, i in pairs if kind != PLAYER]


def once_used(table: Table, before: Sequence[int], after: Sequence[int]) -> Iterator[tuple[str, Cause]]:
    """What works once in a while and has been used up by anybody: the phase that brings it back, and its rule."""
    program = table.program
    for period in program.periods:
        phase = next((title for name, title in program.phases if name == period.phase), period.phase)
        for seat in range(len(table.players)):
            try:
                used = after[period.base + seat] & ~before[period.base + seat]
            except Peeked:
                continue  # whether it was used depends on something hidden
            yield from ((phase, program.causes[period.abilities[bit]]) for bit in seats_in(used))


__all__ = ["DICE", "KEPT", "QUANTITY", "RESOURCE", "Change", "Changes", "once_used"]
