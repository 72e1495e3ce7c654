"""What a seat may see of a game, as numbers: as many for every state, whatever is going on.

They stand in this order: who is asked, what is asked, which phases are on, how many players there are, the settings,
what works once until its phase starts again, every resource and keep, and the dice of the first options where the
question is with which dice. Everything about players begins with the seat that looks, and goes on around the table.
What the seat may not know reads as nothing, and for what may be hidden there is a number that says whether it is known.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, product
from math import inf

from edict.agents.spaces.action_space import seats
from edict.game.table.addresses import PLAYER, find_phase_cells, thing_name
from edict.runtime.machine import encoding as m
from edict.runtime.program import Program, StateVariable, opcodes
from edict.runtime.program.listing import find_instructions
from edict.runtime.program.opcodes import FIELDS, PLAYERS, QUESTION, SEAT

WAYS = 32  # options whose dice are shown
MOST_PLACES = 15  # of an order
MOST_MEMBERS = 62  # of a set


@dataclass(frozen=True)
class CellReading:
    """What is read at one place: `names` of what a cell gives, for each of `turns` (the seats from one's own on).

    bounds: between which its numbers lie, that of who knows it aside; infinite where the rules set none.
    """

    shape: int
    cell: int
    names: tuple[str, ...]
    known: int = -1
    step: int = 0
    second: int = 0
    bounds: tuple[float, float] = (0, 1)

    @property
    def ranges(self) -> list[tuple[float, float]]:
        """Those of each number that the cell gives."""
        return [(0, 1)] * (self.known >= 0) + [self.bounds] * (len(self.names) - (self.known >= 0))


@dataclass(frozen=True)
class Observer:
    """How states of a program are observed. `names` says what each of the `size` numbers is, `ranges` between what it
    lies: infinite where the rules set no bound."""

    names: tuple[str, ...]
    ranges: tuple[tuple[float, float], ...]
    _placed: tuple[tuple[CellReading, int], ...]
    _most: int
    _reads: dict[int, tuple[int, ...]] = field(default_factory=dict, compare=False)

    @staticmethod
    def of(program: Program) -> Observer:
        placed: list[tuple[CellReading, int]] = []
        names: list[str] = []
        ranges: list[tuple[float, float]] = []
        for read in _reads(program):
            placed.append((read, len(names)))
            names += _named(read, program.most_players)
            ranges += read.ranges * ((len(names) - len(ranges)) // len(read.names))
        return Observer(tuple(names), tuple(ranges), tuple(placed), program.most_players)

    @property
    def size(self) -> int:
        return len(self.names)

    def reads(self, players: int) -> tuple[int, ...]:
        """What is read with so many players, as `machine.encoding` takes it."""
        if players not in self._reads:
            heads, found = list[int](), list[int]()
            for seat in range(players):
                heads.append(players + len(found))
                found += _of_seat(self._placed, seat, players, self._most)
            self._reads[players] = (*heads, *found)
        return self._reads[players]

    def observe(self, state: Sequence[int], seat: int) -> list[int]:
        """What a seat sees of a state, secrets and all: `size` whole numbers."""
        found = [0] * self.size
        m.observe(state, self.reads(state[PLAYERS]), seat, found)
        return found


def _of_seat(placed: Sequence[tuple[CellReading, int]], seat: int, players: int, most: int) -> list[int]:
    """What one seat reads: plain numbers, then the others by their shapes."""
    plain, others = list[tuple[int, int]](), list[tuple[int, ...]]()
    for read, start in placed:
        width = len(read.names)
        for i in range(players if read.step else 1):
            for j in range(players if read.second else 1):
                first, second = (m.rotate_seat(seat, by, players) for by in (i, j))
                offset = read.step * first + read.second * second
                out = start + (i * (most if read.second else 1) + j) * width
                if read.shape == m.NUMBER and read.known < 0:
                    plain.append((read.cell + offset, out))
                else:
                    known = read.known + offset if read.known >= 0 else -1
                    others.append((read.shape, read.cell + offset, known, width - (read.known >= 0), out))
    return [len(plain), *chain(*plain), len(others), *chain(*sorted(others))]


def _named(read: CellReading, most: int) -> list[str]:
    """The names of all numbers of a read, as `observe` lays them out."""
    whose = ["own", *(f"seat +{i}" for i in range(1, most))]
    if not read.step:
        return list(read.names)
    if not read.second:
        return [f"{name} ({who})" for who in whose for name in read.names]
    return [f"{name} ({who}, {other})" for who in whose for other in whose for name in read.names]


def _reads(program: Program) -> Iterator[CellReading]:
    yield CellReading(m.SEATED, SEAT, tuple(f"asked: {seat}" for seat in seats(program)))
    questions = tuple(f"question {number}: {question.name}" for number, question in enumerate(program.questions))
    if questions:
        yield CellReading(m.THING, QUESTION, questions)
    for name, cell in find_phase_cells(program).items():
        yield CellReading(m.NUMBER, cell, (f"phase {name}",), bounds=(0, _so_often_on(program)))
    yield CellReading(m.NUMBER, PLAYERS, ("players",), bounds=(0, program.most_players))
    for setting in program.settings:
        bounds = (0.0, 1.0) if setting.truth else _bounds(setting.low, setting.high)
        yield CellReading(m.NUMBER, setting.cell, (f"setting {setting.name}",), bounds=bounds)
    for period in program.periods:
        done = tuple(f"done in {period.phase}: {i}" for i in range(min(MOST_MEMBERS, len(period.abilities))))
        yield CellReading(m.SET, period.base, done, step=1)
    for variable in program.variables:
        yield from _of(program, variable)
    if any(question.domain == "ways" for question in program.questions):
        fields = tuple(f"option {i}: {field}" for i in range(WAYS) for field in _fields(program))
        yield CellReading(m.WAYS, FIELDS, fields, bounds=_counted(program))


def _so_often_on(program: Program) -> int:
    """How often a phase can be on at once: again within itself only where rules come back to themselves, and then as
    often as the stack has room."""
    comes_back = any(program.code[at] == opcodes.SAVE for at in find_instructions(program)[1])
    return len(program.initial) - program.stack if comes_back else 1


def _bounds(least: int | None, greatest: int | None) -> tuple[float, float]:
    """Between which a number lies that reads as 0 to who does not know it."""
    return -inf if least is None else min(0, least), inf if greatest is None else max(0, greatest)


def _counted(program: Program) -> tuple[float, float]:
    """How many dice of a kind and face there can be."""
    return 0, (1 << program.dice.width) - 1


def _bounds_of(program: Program, variable: StateVariable, shape: int) -> tuple[float, float]:
    """Between which the numbers lie that a cell of a variable gives."""
    if shape == m.DICE:
        return _counted(program)
    if shape in (m.LINE, m.ORDER):
        return 0, MOST_PLACES
    if shape != m.NUMBER or variable.type.shape == "truth":
        return 0, 1
    if variable.type.shape == "order":  # a thing at each place
        return -1, max(1, len(program.kind_by_name[variable.type.kind].things) - 1)
    return _bounds(0 if variable.counts else variable.least, variable.greatest)


def _of(program: Program, variable: StateVariable) -> Iterator[CellReading]:
    """A variable, once for each combination of the things it is kept for other than players."""
    shape, names = _shape(program, variable)
    if not names:
        return
    cells = variable.type.cells
    strides = [stride * cells for stride in _strides(variable.sizes)]
    of_players = [i for i, kind in enumerate(variable.kinds) if kind == PLAYER][:2]
    steps = [strides[i] for i in of_players]
    ranges = [range(1 if i in of_players else size) for i, size in enumerate(variable.sizes)]
    for of in product(*ranges):
        offset = sum(i * stride for i, stride in zip(of, strides, strict=True))
        things = [
            thing_name(program, kind, i)
            for place, (kind, i) in enumerate(zip(variable.kinds, of, strict=True))
            if place not in of_players
        ]
        head = f"{variable.name}[{', '.join(things)}]" if things else variable.name
        known = variable.known + offset if variable.known >= 0 else -1
        for part, some in enumerate(_parts(program, variable, names)):
            which = f"{head} {part + 1}" if part else head
            called = [f"{which}: known"] * (known >= 0) + [f"{head}: {name}" if name else head for name in some]
            bounds = _bounds_of(program, variable, shape)
            step, second = (*steps, 0, 0)[:2]
            yield CellReading(shape, variable.base + offset + part, tuple(called), known, step, second, bounds)


def _dice_of_cells(program: Program) -> Iterator[tuple[str, ...]]:
    """The fields of each cell; where one has none, another has."""
    names = dict(zip(program.dice.fields, _fields(program), strict=True))
    for cell in range(program.dice.cells):
        here = [field for field in names if field // opcodes.BITS == cell]
        yield tuple(names.get(i, f"no die {i}") for i in range(cell * opcodes.BITS, max(here) + 1))


def _parts(program: Program, variable: StateVariable, names: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The numbers that each cell of a value gives."""
    cells = variable.type.cells
    if cells == 1:
        yield names
    elif variable.type.shape == "dice":
        yield from _dice_of_cells(program)
    elif variable.type.shape == "order":
        yield from ((f"place {place}",) for place in range(1, cells + 1))
    else:
        yield from (names[opcodes.BITS * i : opcodes.BITS * (i + 1)] for i in range(cells))


def _shape(program: Program, variable: StateVariable) -> tuple[int, tuple[str, ...]]:
    """How a cell of a variable is read, and what the numbers are that it gives."""
    shape, kind = variable.type.shape, variable.type.kind
    if shape in ("number", "truth"):
        return m.NUMBER, ("",)
    if shape == "dice":
        return m.DICE, _fields(program)
    if kind == PLAYER:
        return {"thing": m.SEATED, "set": m.SEATS, "order": m.LINE}[shape], seats(program)
    names = tuple(thing.name for thing in program.kind_by_name[kind].things) if kind in program.kind_by_name else ()
    if shape == "order" and variable.type.cells > 1:
        return m.NUMBER, names
    if shape == "order":
        return m.ORDER, names[:MOST_PLACES]
    return (m.THING if shape == "thing" else m.SET), names


def _fields(program: Program) -> tuple[str, ...]:
    """The kinds of dice and their faces, as dice are counted."""
    return tuple(f"{name} {face}" for name, _, sides, _ in program.dice.kinds for face in range(1, sides + 1))


def _strides(sizes: Sequence[int]) -> list[int]:
    """How far apart the cells of two neighbours are, for each of the kinds."""
    found = [1] * len(sizes)
    for i in reversed(range(len(sizes) - 1)):
        found[i] = found[i + 1] * sizes[i + 1]
    return found
