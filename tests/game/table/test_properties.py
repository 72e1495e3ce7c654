"""Properties of every question: random legal games of the base game with two to five players."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from random import Random
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import edict
from edict.game.table.game import Game
from edict.game.table.rules import Rules
from edict.runtime.machine.loop import run
from edict.runtime.program import Program, create_state
from edict.runtime.program import opcodes as o
from examples import choose_examples
from playout import copy_after

NAMES = ("Ann", "Brian", "Cindy", "Dora", "Emil")
LOG = 1 + o.EVENT_SIZE * 12_000

tables = st.tuples(st.integers(2, 5), st.integers(0, 2**32))  # number of players, seed of all answers


def limit_examples(few: int) -> Callable[[Any], Any]:
    """Limit the number of games, not their time: they differ in length, and the first one compiles the rules."""
    return settings(max_examples=choose_examples(few, 10 * few), suppress_health_check=list(HealthCheck))


@cache
def base() -> Rules:
    return edict.load("kingsburg")


def iter_questions(program: Program, players: int, seed: int, log: list[int]) -> Iterator[tuple[str, list[int]]]:
    """Iterate over the name and state of every question of a random game, and at last over its end, named `over`."""
    state, luck = create_state(program, players, {s.name: s.value for s in program.settings}, True), Random(seed)
    while (status := run(program.code, state, log)) == o.ASKING:
        yield program.questions[state[o.QUESTION]].name, state
        state[o.ANSWER] = luck.randrange(state[o.OPTIONS])
    assert status == o.GAME_OVER, o.FAULTS.get(status, status)
    yield "over", state


def cells_of(program: Program, name: str, players: int, *, of: int = 0) -> slice:
    """Return a variable's cells for the players at the table; `of` is the index of its other thing."""
    variable = program.variable_by_name[name]
    first = variable.base + of * variable.sizes[-1]
    return slice(first, first + players)


@limit_examples(12)
@given(tables)
def test_invariants_hold_and_events_cover_every_change(table: tuple[int, int]) -> None:
    program, (players, seed) = base().program, table
    kept = [variable for variable in program.variables if variable.resource]
    owned, log, held = cells_of(program, "owned", players), [0] * LOG, None
    for name, state in iter_questions(program, players, seed, log):
        for variable in kept:
            less = min(state[cells_of(program, variable.name, players)])
            assert less >= 0 or variable.name == "point", f"less than no {variable.name} at {name}"
        assert all(are_rows_without_gaps(program, built) for built in state[owned]), f"a gap in a row at {name}"
        before, held = held, count_dice(program, state, players) if name in ("choose-whom", "pay-influence") else None
        if held is not None:
            assert before in (None, held), f"dice became more or fewer at {name}"
            assert [own for own, _ in held] == [3] * players
    for variable in kept:
        where = cells_of(program, variable.name, players)
        assert state[where] == net_changes(log, where), f"the events of {variable.name} do not add up to it"


def are_rows_without_gaps(program: Program, built: int) -> bool:
    """Return True if rows are built without a gap, also after the loss of a building.

    They are adjacent in the program.
    """
    rows = [built >> first & 15 for first in range(0, len(program.kind_by_name["building"].things), 4)]
    return all(row in (0b0, 0b1, 0b11, 0b111, 0b1111) for row in rows)


def count_dice(program: Program, state: list[int], players: int) -> list[list[int]]:
    """Return the numbers of dice of either kind for each player, in hand or with an advisor."""
    advisors = range(len(program.kind_by_name["advisor"].things))
    where = [cells_of(program, "hand", players), *(cells_of(program, "dice-on", players, of=one) for one in advisors)]
    return [
        [sum(count_of_kind(program, state[one][player], kind) for one in where) for kind in (0, 1)]
        for player in range(players)
    ]


def count_of_kind(program: Program, packed: int, kind: int) -> int:
    width, (_, _, sides, first) = program.dice.width, program.dice.kinds[kind]
    return sum(packed >> width * field & (1 << width) - 1 for field in range(first, first + sides))


def net_changes(log: list[int], where: slice) -> list[int]:
    """Return the net changes of cells according to the events."""
    found = [0] * (where.stop - where.start)
    for i in range(1, log[0] + 1, o.EVENT_SIZE):
        kind, _, cell, old, new = log[i : i + o.EVENT_SIZE]
        if kind == o.EV_SET and where.start <= cell < where.stop:
            found[cell - where.start] += new - old
    return found


@limit_examples(3)
@given(tables)
def test_every_offered_option_is_accepted(table: tuple[int, int]) -> None:
    program, (players, seed) = base().program, table
    for _, state in iter_questions(program, players, seed, [0] * LOG):
        if state[o.STATUS] == o.ASKING:
            before = state.copy()
            shown = state[o.FIRST_OPTION : o.FIRST_OPTION + state[o.OPTIONS]]
            assert len(set(shown)) == len(shown) > 1
            for index in range(len(shown)):
                copy_after(program, state, index)  # raises if it is not
            assert state == before, "trying an answer out changes nothing"


def read_log(game: Game) -> list[str]:
    return [repr(entry) for entry in game.log]


@limit_examples(2)
@given(tables, st.integers(30, 150))
def test_journal_copies_and_going_back_give_the_same_game(table: tuple[int, int], answers: int) -> None:
    game, luck = base().new_game(NAMES[: table[0]], seed=table[1]), Random(table[1])
    before: list[tuple[list[int], list[str]]] = []
    while not game.over and len(before) < answers:
        before.append((game.state, [] if len(before) % 20 else read_log(game)))
        game.answer(luck.randrange(game.count))
    state, log = game.state, read_log(game)
    again = base().replay(game.journal)
    assert again.state == state and read_log(again) == log and again.journal == game.journal

    copy, twin = game.copy(), game.copy()
    for _ in range(10):
        for one, answer in ((copy, 0), (twin, -1)):
            if not one.over:
                one.answer(answer % one.count)
    assert game.state == state and read_log(game) == log == read_log(copy)[: len(log)] == read_log(twin)[: len(log)]

    for state, log in reversed(before):
        game.back()
        assert game.state == state and (not log or read_log(game) == log)
