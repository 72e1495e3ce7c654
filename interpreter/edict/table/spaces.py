"""A game as learning programs meet it: which sort it is, its actions, what is observed, and what it comes to.

An action is an answer as a number, see `table.action_space`.

An observation is what a seat may see, as numbers: as many for every state of a game, whatever is going on. It holds, in
this order: who is asked, what is asked, which phases are on, how many players there are, the settings, what works once
until its phase starts again, every resource and keep, and the dice of the first options where the question is with
which dice. Everything about players begins with the seat that looks, and goes on around the table. What the seat may
not know reads as nothing, and for what may be hidden there is a number that says whether it is known.

The same in words (`Sights`) names everything. Names differ where titles may not, and no language changes them: so two
texts are equal only if what is seen is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, product
from math import inf
from os import PathLike
from typing import Literal

from edict.machine import encoding as m
from edict.machine.loop import LONGEST, PUTTING
from edict.program import Program, Variable, opcodes
from edict.program.opcodes import (
    CHANCE, DECLINE, FIELDS, FIRST_OPTION, LEAST, MOST, PLAYERS, QUESTION, SCRATCH, SEAT, TOGETHER,
)  # fmt: skip
from edict.program.listing import instructions
from edict.table.action_space import DECLINE as DECLINED
from edict.table.action_space import Actions, questions_to_chance, questions_to_players, seats
from edict.table.addresses import PLAYER, Cell, Layout, phases, thing_name
from edict.table.errors import GameError
from edict.table.knowledge import Secrets
from edict.table.rules import Rules, load_rules
from edict.table.setup import checked_players, checked_settings
from edict.table.wording import NUMBER, Wording

Reward = Literal["victory", "score"]
REWARDS = ("victory", "score")


@dataclass(frozen=True)
class Coding:
    """A game as learning programs meet it. `names` are the agents by seat."""

    rules: Rules
    names: tuple[str, ...]
    settings: dict[str, int]
    actions: Actions
    observer: Observer
    reward: Reward

    @property
    def program(self) -> Program:
        return self.rules.program

    @cached_property
    def sights(self) -> Sights:
        """What is seen and answered, in words."""
        return Sights(self.program, self.names)

    def action_name(self, action: int) -> str:
        """What an action stands for."""
        return self.actions.names[action]


def coding(
    rules: Rules | str | PathLike[str],
    modules: Sequence[str],
    players: int | None,
    settings: Mapping[str, object] | None,
    reward: Reward,
) -> Coding:
    """Rules by name, path or as `edict.load` gives them. players: as many as can play, if it is None.

    Raises `RulesError` for rules that are wrong, `GameError` for players or settings they do not have.
    """
    if reward not in REWARDS:
        raise GameError(f"invalid reward {reward!r}", f"it is one of: {', '.join(REWARDS)}")
    found = rules if isinstance(rules, Rules) else load_rules(rules, modules)
    program = found.program
    names = tuple(f"player_{seat}" for seat in range(program.most_players if players is None else players))
    checked_players(program, names)
    return Coding(
        found, names, checked_settings(program, settings or {}), Actions.of(program), Observer.of(program), reward
    )


def payoffs(reward: Reward, scores: Sequence[int], winners: Sequence[int]) -> list[float]:
    """What a game came to by seat; the sum is zero, unless somebody plays alone.

    victory: 1 for the winner and -1 shared by the others; several winners share. score: one's score less the mean.
    """
    players = len(scores)
    if reward == "score":
        mean = sum(scores) / players if players > 1 else 0.0
        return [score - mean for score in scores]
    shares = [(seat in winners) / max(1, len(winners)) for seat in range(players)]
    return [(share * players - 1) / (players - 1) for share in shares] if players > 1 else shares


# --- which sort of game it is ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Nature:
    """chance: dice are rolled, or cards drawn. hidden: something is a secret, or chosen or drawn in secret. at_once:
    some are asked at the same time. scores: between which they lie; infinite where the rules set no bound. draws:
    options of chance at most. longest: actions after which every game is over, as the machine stops one that goes on
    and on.
    """

    chance: bool
    hidden: bool
    at_once: bool
    scores: tuple[float, float]
    draws: int
    longest: int

    @staticmethod
    def of(program: Program) -> Nature:
        drawn, asked = questions_to_chance(program), questions_to_players(program)
        secret = any(program.questions[number].secret for number in drawn | asked)
        least, greatest = program.scores
        options = [len(program.questions[number].answers) or program.room for number in drawn]
        return Nature(
            bool(drawn),
            secret or any(variable.known >= 0 for variable in program.variables),
            _asks_at_once(program),
            (-inf if least is None else least, inf if greatest is None else greatest),
            max(options, default=0),
            LONGEST // PUTTING * (program.room if Actions.of(program).in_parts else 1),
        )

    def payoffs(self, reward: Reward, players: int) -> tuple[float, float]:
        """Between which the payoffs lie, as `payoffs` has them."""
        if reward == "victory":
            return (-1 / (players - 1), 1) if players > 1 else (0, 1)
        least, greatest = max(self.scores[0], LEAST), min(self.scores[1], MOST)
        if players == 1:
            return least, greatest
        far = (greatest - least) * (players - 1) / players  # all others are at the other end
        return -far, far


def _asks_at_once(program: Program) -> bool:
    code, initial = program.code, program.initial
    return any(
        code[at] == opcodes.SET and code[at + 1] == SCRATCH and initial[code[at + 2]] == TOGETHER
        for at in instructions(program)[1]
    )


# --- observations ---------------------------------------------------------------------------------------

WAYS = 32  # options whose dice are shown
MOST_PLACES = 15  # of an order
MOST_MEMBERS = 62  # of a set


@dataclass(frozen=True)
class Read:
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
    _placed: tuple[tuple[Read, int], ...]
    _most: int
    _reads: dict[int, tuple[int, ...]] = field(default_factory=dict, compare=False)

    @staticmethod
    def of(program: Program) -> Observer:
        placed: list[tuple[Read, int]] = []
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


def _of_seat(placed: Sequence[tuple[Read, int]], seat: int, players: int, most: int) -> list[int]:
    """What one seat reads: plain numbers, then the others by their shapes."""
    plain, others = list[tuple[int, int]](), list[tuple[int, ...]]()
    for read, start in placed:
        width = len(read.names)
        for i in range(players if read.step else 1):
            for j in range(players if read.second else 1):
                first, second = (m.around(seat, by, players) for by in (i, j))
                offset = read.step * first + read.second * second
                out = start + (i * (most if read.second else 1) + j) * width
                if read.shape == m.NUMBER and read.known < 0:
                    plain.append((read.cell + offset, out))
                else:
                    known = read.known + offset if read.known >= 0 else -1
                    others.append((read.shape, read.cell + offset, known, width - (read.known >= 0), out))
    return [len(plain), *chain(*plain), len(others), *chain(*sorted(others))]


def _named(read: Read, most: int) -> list[str]:
    """The names of all numbers of a read, as `observe` lays them out."""
    whose = ["own", *(f"seat +{i}" for i in range(1, most))]
    if not read.step:
        return list(read.names)
    if not read.second:
        return [f"{name} ({who})" for who in whose for name in read.names]
    return [f"{name} ({who}, {other})" for who in whose for other in whose for name in read.names]


def _reads(program: Program) -> Iterator[Read]:
    yield Read(m.SEATED, SEAT, tuple(f"asked: {seat}" for seat in seats(program)))
    questions = tuple(f"question {number}: {question.name}" for number, question in enumerate(program.questions))
    if questions:
        yield Read(m.THING, QUESTION, questions)
    for name, cell in phases(program).items():
        yield Read(m.NUMBER, cell, (f"phase {name}",), bounds=(0, _so_often_on(program)))
    yield Read(m.NUMBER, PLAYERS, ("players",), bounds=(0, program.most_players))
    for setting in program.settings:
        bounds = (0.0, 1.0) if setting.truth else _bounds(setting.low, setting.high)
        yield Read(m.NUMBER, setting.cell, (f"setting {setting.name}",), bounds=bounds)
    for period in program.periods:
        done = tuple(f"done in {period.phase}: {i}" for i in range(min(MOST_MEMBERS, len(period.abilities))))
        yield Read(m.SET, period.base, done, step=1)
    for variable in program.variables:
        yield from _of(program, variable)
    if any(question.domain == "ways" for question in program.questions):
        fields = tuple(f"option {i}: {field}" for i in range(WAYS) for field in _fields(program))
        yield Read(m.WAYS, FIELDS, fields, bounds=_counted(program))


def _so_often_on(program: Program) -> int:
    """How often a phase can be on at once: again within itself only where rules come back to themselves, and then as
    often as the stack has room."""
    comes_back = any(program.code[at] == opcodes.SAVE for at in instructions(program)[1])
    return len(program.initial) - program.stack if comes_back else 1


def _bounds(least: int | None, greatest: int | None) -> tuple[float, float]:
    """Between which a number lies that reads as 0 to who does not know it."""
    return -inf if least is None else min(0, least), inf if greatest is None else max(0, greatest)


def _counted(program: Program) -> tuple[float, float]:
    """How many dice of a kind and face there can be."""
    return 0, (1 << program.dice.width) - 1


def _bounds_of(program: Program, variable: Variable, shape: int) -> tuple[float, float]:
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


def _of(program: Program, variable: Variable) -> Iterator[Read]:
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
            yield Read(shape, variable.base + offset + part, tuple(called), known, step, second, bounds)


def _dice_of_cells(program: Program) -> Iterator[tuple[str, ...]]:
    """The fields of each cell; where one has none, another has."""
    names = dict(zip(program.dice.fields, _fields(program), strict=True))
    for cell in range(program.dice.cells):
        here = [field for field in names if field // opcodes.BITS == cell]
        yield tuple(names.get(i, f"no die {i}") for i in range(cell * opcodes.BITS, max(here) + 1))


def _parts(program: Program, variable: Variable, names: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
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


def _shape(program: Program, variable: Variable) -> tuple[int, tuple[str, ...]]:
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


# --- in words -------------------------------------------------------------------------------------------

BY_CHANCE = "chance"


class Sights:
    """The words of a program, played by these agents."""

    def __init__(self, program: Program, agents: Sequence[str]) -> None:
        self._program, self._words = program, _Names(program, agents)
        self._agents, self._secrets = tuple(agents), Secrets.of(program)
        self.beginning = program.initial[program.header : program.working]
        layout = Layout.of(program)
        self._cells = layout.cells
        self._others = {at: f"who knows {self._called(cell)}" for at, cell in layout.watched.items()}
        self._others |= {at: f"in {phase}" for phase, at in phases(program).items()}
        self._others |= {setting.cell: f"setting {setting.name}" for setting in program.settings}
        self._others |= {
            period.base + seat: f"done in {period.phase}[{agent}]"
            for period in program.periods for seat, agent in enumerate(agents)
        }  # fmt: skip

    def seen(self, state: Sequence[int], seat: int) -> list[int]:
        """The cells of the game as a seat sees them; what it may not know reads as nothing."""
        return self._secrets.masked([*state], seat)[self._program.header : self._program.working]

    def changed(self, before: Sequence[int], after: Sequence[int]) -> Iterator[str]:
        """What is otherwise in the cells of the game, once each: `gold[player_0] = 3`."""
        told, first = set[int](), self._program.header
        for at, (was, value) in enumerate(zip(before, after, strict=True), first):
            if was == value or at in told:
                continue
            cell = self._cells.get(at)
            if cell is None:
                yield f"{self._others.get(at, f'#{at}')} = {value}"
                continue
            told |= {cell.address + i for i in range(cell.variable.type.cells)}
            row = [0] * cell.address + [*after[cell.address - first :][: cell.variable.type.cells]]
            yield f"{self._called(cell)} = {self._words.value(cell.variable.type, cell.value(row))}"

    def observed(self, state: Sequence[int], seat: int) -> str:
        """All that a seat sees of a state: what is not as it was before the beginning."""
        return "\n".join([f"{self._agents[seat]} sees", *self.changed(self.beginning, self.seen(state, seat))])

    def asked(self, state: Sequence[int]) -> str:
        """What is asked, and who."""
        question = self._program.questions[state[QUESTION]]
        return f"{self._who(state[SEAT])}: {question.name} ({state[QUESTION]})"

    def answer(self, state: Sequence[int], option: int) -> str:
        """What an option of the question in a state says."""
        question, value = self._program.questions[state[QUESTION]], state[FIRST_OPTION + option]
        if value == DECLINE:
            return DECLINED
        if question.domain == "thing":
            return self._words.title(question.kind, value)
        if question.domain in ("branch", "ability"):
            return question.keys[value]
        if question.domain == "die":
            name, _, face = self._words.field(value)
            return f"{name} {face}"
        return self._words.ways(question, value) if question.domain == "ways" else str(value)

    def _who(self, seat: int) -> str:
        return BY_CHANCE if seat == CHANCE else self._agents[seat]

    def _called(self, cell: Cell) -> str:
        name = cell.variable.name
        return f"{name}[{', '.join(map(self._words.title, cell.variable.kinds, cell.of))}]" if cell.of else name


class _Names(Wording):
    """Words in which things go by their names."""

    def title(self, kind: str, index: int) -> str:
        if kind == PLAYER and 0 <= index < len(self.players):
            return self.players[index]
        thing = self.thing(kind, index)
        return thing.name if thing is not None and kind != NUMBER else super().title(kind, index)
