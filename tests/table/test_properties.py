"""What must hold in every game: random legal games of the base game with two to five players."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from random import Random
from typing import Any

import pytest
from examples import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import edict
from edict.bots.policy import Ahead
from edict.machine.loop import run
from edict.program import Program
from edict.program import opcodes as o
from edict.program.beginning import first_state
from edict.program.reading import from_json
from edict.simulation.plans import GREEDY
from edict.table import game_steps
from edict.table.chance import draw
from edict.table.game import Game
from edict.table.playout import after
from edict.table.rules import Rules

NAMES = ("Ann", "Brian", "Cindy", "Dora", "Emil")
LOG = 1 + o.EVENT_SIZE * 4000

tables = st.tuples(st.integers(2, 5), st.integers(0, 2**32))
"""How many play, and the seed of all answers."""


def some(few: int) -> Callable[[Any], Any]:
    """Games differ in length, and the first one compiles the rules: only their number is limited."""
    return settings(max_examples=examples(few, 10 * few), suppress_health_check=list(HealthCheck))


@cache
def base() -> Rules:
    return edict.load("kingsburg")


def begun(program: Program, players: int, logging: bool = True) -> list[int]:
    return first_state(program, players, {s.name: s.value for s in program.settings}, logging)


def questions(
    program: Program, players: int, seed: int, log: list[int] | None = None
) -> Iterator[tuple[str, list[int]]]:
    """A random game: at every question its name and the state; last of all the end, under the name `over`."""
    state, luck = begun(program, players, log is not None), Random(seed)
    log = [0] if log is None else log
    while (status := run(program.code, state, log)) == o.ASKING:
        yield program.questions[state[o.QUESTION]].name, state
        state[o.ANSWER] = luck.randrange(state[o.OPTIONS])
    assert status == o.GAME_OVER, o.FAULTS.get(status, status)
    yield "over", state


def cells(program: Program, name: str, players: int, *, of: int = 0) -> slice:
    """A variable's cells for the players who take part; `of` is the index of the thing it is of besides."""
    variable = program.variable_by_name[name]
    first = variable.base + of * variable.sizes[-1]
    return slice(first, first + players)


# --- invariants -----------------------------------------------------------------------------


@some(12)
@given(tables)
def test_nobody_has_less_than_nothing(table: tuple[int, int]) -> None:
    program, (players, seed) = base().program, table
    kept = [cells(program, v.name, players) for v in program.variables if v.resource and v.name != "point"]
    for name, state in questions(program, players, seed):
        assert all(min(state[where]) >= 0 for where in kept), name


@some(12)
@given(tables)
def test_dice_are_in_hand_or_with_an_advisor(table: tuple[int, int]) -> None:
    """From the last roll of a season to its rewards nobody's dice become more or fewer, of either kind."""
    program, (players, seed) = base().program, table
    hand, placed = cells(program, "hand", players), [
        cells(program, "dice-on", players, of=i) for i in range(len(program.kind_by_name["advisor"].things))
    ]  # fmt: skip
    started: list[list[int]] | None = None
    for name, state in questions(program, players, seed):
        if name not in ("choose-whom", "pay-influence"):
            started = None
            continue
        counts = [
            [sum(counted(program, state[where][p])[k] for where in (hand, *placed)) for k in (0, 1)]
            for p in range(players)
        ]
        assert [own for own, _ in counts] == [3] * players
        assert started in (None, counts), name
        started = counts


def counted(program: Program, dice: int) -> list[int]:
    """How many dice of each kind."""
    width = program.dice.width
    return [
        sum(dice >> width * field & (1 << width) - 1 for field in range(first, first + sides))
        for _, _, sides, first in program.dice.kinds
    ]


@some(12)
@given(tables)
def test_rows_are_built_from_left_to_right(table: tuple[int, int]) -> None:
    """Without a gap, also after the loss of a building. Buildings stand in the program row by row."""
    program, (players, seed) = base().program, table
    owned, columns = cells(program, "owned", players), 4
    for name, state in questions(program, players, seed):
        for built in state[owned]:
            rows = [built >> first & 15 for first in range(0, len(program.kind_by_name["building"].things), columns)]
            assert all(row in (0b0, 0b1, 0b11, 0b111, 0b1111) for row in rows), name


@some(12)
@given(tables)
def test_what_one_has_is_the_sum_of_its_events(table: tuple[int, int]) -> None:
    """VP above all; and no number changes without an event."""
    program, (players, seed) = base().program, table
    log = [0] * LOG
    *_, (_, state) = questions(program, players, seed, log)
    for variable in program.variables:
        if variable.resource:
            where = cells(program, variable.name, players)
            changes = [0] * players
            for i in range(1, log[0] + 1, o.EVENT_SIZE):
                kind, _, cell, old, new = log[i : i + o.EVENT_SIZE]
                if kind == o.EV_SET and where.start <= cell < where.stop:
                    changes[cell - where.start] += new - old
            assert state[where] == changes, variable.name


@some(6)
@given(tables)
def test_every_option_is_accepted(table: tuple[int, int]) -> None:
    program, (players, seed) = base().program, table
    for _, state in questions(program, players, seed):
        if state[o.STATUS] == o.ASKING:
            before = state.copy()
            shown = state[o.FIRST_OPTION : o.FIRST_OPTION + state[o.OPTIONS]]
            assert len(set(shown)) == len(shown) > 1
            for index in range(len(shown)):
                after(program, state, index)  # raises if it is not
            assert state == before, "trying an answer out changes nothing"


# --- journal, copies, undo ---------------------------------------------------------------------


def table_game(players: int, seed: int, answers: int | None = None) -> Game:
    """A random game at a table, to its end or so many answers on."""
    game, luck = base().new_game(NAMES[:players], seed=seed), Random(seed)
    while not game.over and (answers is None or answers > 0):
        game.answer(luck.randrange(game.count))
        answers = answers - 1 if answers is not None else None
    return game


def told(game: Game) -> list[str]:
    return [repr(entry) for entry in game.log]


@some(8)
@given(tables)
def test_a_journal_gives_the_same_game(table: tuple[int, int]) -> None:
    game = table_game(*table)
    again = base().replay(game.journal)
    assert again.state == game.state and told(again) == told(game) and again.journal == game.journal


@some(10)
@given(tables, st.integers(0, 150), st.integers(1, 30))
def test_copies_go_their_own_ways(table: tuple[int, int], answers: int, more: int) -> None:
    game = table_game(*table, answers)
    state, log = game.state, told(game)
    copy, twin = game.copy(), game.copy()
    for _ in range(more):
        for one, answer in ((copy, 0), (twin, -1)):
            if not one.over:
                one.answer(answer % one.count)
    assert game.state == state and told(game) == log
    assert told(copy)[: len(log)] == told(twin)[: len(log)] == log


@some(10)
@given(tables, st.integers(1, 150))
def test_going_back_gives_back_the_very_same_state(table: tuple[int, int], answers: int) -> None:
    game, luck = base().new_game(NAMES[: table[0]], seed=table[1]), Random(table[1])
    before: list[tuple[list[int], list[str]]] = []
    while not game.over and len(before) < answers:
        before.append((game.state, [] if len(before) % 20 else told(game)))
        game.answer(luck.randrange(game.count))
    for state, log in reversed(before):
        game.back()
        assert game.state == state and (not log or told(game) == log)


# --- the same program elsewhere ------------------------------------------------------------------


def course(program: Program, players: int, seed: int) -> tuple[list[int], list[int]]:
    """How a game ends, and all its events."""
    log = [0] * LOG
    *_, (_, state) = questions(program, players, seed, log)
    return state, log


@cache
def read_back() -> Program:
    return from_json(base().program.to_json())


@some(6)
@given(tables)
def test_a_program_written_down_plays_the_same(table: tuple[int, int]) -> None:
    assert course(read_back(), *table) == course(base().program, *table)


def test_native_code_plays_the_same() -> None:
    """Over arrays of 64 bits, compiled from the same source: the same questions, states and events."""
    numpy = pytest.importorskip("numpy", reason="NumPy is not installed (pip install -e '.[fast]')")
    from edict.simulation import native

    machine = native.faster(run)

    program = base().program
    code = numpy.array(program.code, dtype=numpy.int64)
    for seed in range(examples(8, 40)):
        players = 2 + seed % 4
        log = numpy.zeros(LOG, dtype=numpy.int64)
        state = numpy.array(begun(program, players), dtype=numpy.int64)
        luck = Random(seed)
        while (status := machine(code, state, log)) == o.ASKING:
            state[o.ANSWER] = luck.randrange(int(state[o.OPTIONS]))
        assert status == o.GAME_OVER
        assert (state.tolist(), log.tolist()) == course(program, players, seed)


# --- secrets ---------------------------------------------------------------------------------------


def seen(game: Game, seat: int) -> tuple[object, ...]:
    """Everything a seat is shown."""
    view = game.view(seat)
    log = [(e.text, e.kind, e.phase, e.seat) for e in view.log]
    return view.known_state(), log, view.values, view.ask, view.waiting_for, view.panels()


def looked(players: int, seed: int) -> Iterator[tuple[Sequence[int], tuple[int, ...]]]:
    """Moments at which some, but not all, come to know a secret: the answers so far, and the draws of the last one."""
    drawn: list[tuple[int, int]] = []

    def noted(seed: int, number: int, options: int) -> int:
        drawn.append((number, options))
        return draw(seed, number, options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(game_steps, "draw", noted)
        game, luck = base().new_game(NAMES[:players], seed=seed), Random(seed)
        knowing, answers = hidden_from(game), []
        while not game.over:
            drawn.clear()
            answers.append(luck.randrange(game.count))
            game.answer(answers[-1])
            if (now := hidden_from(game)) and not knowing:
                yield tuple(answers), tuple(number for number, options in drawn if options == ENEMIES)
            knowing = now


ENEMIES = 5  # cards a year; nothing else that is drawn during the year has five outcomes


def hidden_from(game: Game) -> tuple[int, ...]:
    """The seats that do not know the enemy on top of the deck, though it is drawn."""
    foe, state = game.program.variable_by_name["foe"], game.state
    if state[foe.base] < 0:
        return ()
    return tuple(seat for seat in range(len(game.players)) if not state[foe.known] >> seat & 1)


@some(2)
@given(st.tuples(st.integers(3, 5), st.integers(0, 2**32)))
def test_what_a_seat_may_not_know_changes_nothing_it_sees(table: tuple[int, int]) -> None:
    """The same game with another card on top of the deck, for those who have not looked at it."""
    thinking = Ahead(base().program, table[0], GREEDY)
    for answers, draws in list(looked(*table))[:2]:
        assert len(draws) == 1
        true, other = (with_card(table, answers, draws[0], turn) for turn in (0, 1))
        assert true.state != other.state
        for _ in range(6):
            for seat in hidden_from(true):
                assert seen(true, seat) == seen(other, seat)
                if true.seat == seat:
                    values = [thinking.values(g.view(seat).thinking_state) for g in (true, other)]
                    assert values[0] == values[1]
            if true.over or true.seat not in hidden_from(true):
                break
            true.answer(0)
            other.answer(0)


def with_card(table: tuple[int, int], answers: Sequence[int], number: int, turn: int) -> Game:
    """A game with these answers, where the draw of this number comes out so many cards later."""

    def turned(seed: int, at: int, options: int) -> int:
        index = draw(seed, at, options)
        return (index + turn) % options if at == number else index

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(game_steps, "draw", turned)
        game = base().new_game(NAMES[: table[0]], seed=table[1])
        for answer in answers:
            game.answer(answer)
    return game
