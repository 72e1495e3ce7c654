"""Knowledge of a seat about a state, results computed from it, and the lifetime of cached results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from edict.game.table.knowledge import (
    CachedKnowledge,
    HiddenReadError,
    KnownState,
    MaskedState,
    RecordingState,
    ResultCache,
    Secrets,
    compute_masked_query,
    compute_query,
    run_query,
)
from edict.runtime.program import ValueType
from edict.runtime.program import opcodes as o
from edict.support.report import RulesError
from table_kit import CARD, PAIR, RACE

SCORE, HAND = 0, 1  # the queries of the game of cards
FIRST, SECOND = 256, 257  # the cells of the two cards; who knows them follows
PROGRAM = CARD.program
DEALT = CARD.new_game(PAIR, seed=1).state  # Ann has the Queen, Brian the King


def known_state(seat: int, state: Sequence[int] = DEALT) -> KnownState:
    return KnownState.from_state(PROGRAM, state, seat)


def test_seat_knows_its_own_card_but_not_who_else_knows_theirs() -> None:
    assert DEALT[FIRST : SECOND + 3] == [1, 2, 1, 2]
    assert (known_state(0).state[FIRST : SECOND + 3], known_state(0).hidden) == ([1, -1, 1, 0], frozenset({SECOND}))
    assert (known_state(1).state[FIRST : SECOND + 3], known_state(1).hidden) == ([-1, 2, 0, 2], frozenset({FIRST}))
    assert known_state(0).state[o.PLAYERS] == 2 and known_state(0).state[o.EVERYONE] == 3
    over = CARD.new_game(PAIR, seed=1)
    over.answer("pass")
    over.answer("pass")
    shown = known_state(0, over.state)
    assert shown.hidden == frozenset() and shown.state[FIRST : SECOND + 1] == [1, 2]
    assert shown.state[o.WINNERS] == over.state[o.WINNERS] == 2


def test_onlooker_knows_what_every_player_knows() -> None:
    assert known_state(2).hidden == {FIRST, SECOND} and known_state(2).state[FIRST : SECOND + 1] == [-1, -1]
    over = CARD.new_game(PAIR, seed=1)
    over.answer("pass")
    over.answer("pass")
    shown = known_state(2, over.state)
    assert shown.hidden == frozenset() and shown.state[FIRST : SECOND + 1] == [1, 2]


def test_masked_state_can_be_played_on() -> None:
    secrets = Secrets.from_program(PROGRAM)
    before = [*DEALT]
    masked = secrets.mask_state(DEALT, 0)
    assert masked[FIRST : SECOND + 3] == [1, -1, 1, 0] and masked[o.LOGGING] == 0 and DEALT == before
    assert list(secrets.iter_hidden_cells(DEALT, 0)) == [SECOND] and list(secrets.iter_hidden_cells(DEALT, 1)) == [
        FIRST
    ]


@pytest.mark.parametrize("seat", [0, 1])
def test_query_that_reads_a_hidden_cell_has_no_value(seat: int, subtests: pytest.Subtests) -> None:
    looking = CachedKnowledge(PROGRAM, known_state(seat), ResultCache(2))
    own, other = DEALT[FIRST + seat], 1 - seat
    ways: list[KnownState] = [known_state(seat), looking]
    for way in ways:
        with subtests.test(way=way):
            assert (way.value(PROGRAM, HAND, seat), way.value(PROGRAM, HAND, other)) == (own, None)
            assert way.value(PROGRAM, SCORE, seat) == 0
            blind = way.make_masked_copy()
            assert isinstance(blind, MaskedState) and blind.hidden == {FIRST + other}
    assert compute_masked_query(PROGRAM, MaskedState(DEALT, {FIRST + other}), HAND, seat) == (own, False)
    assert compute_masked_query(PROGRAM, MaskedState(DEALT, {FIRST + other}), HAND, other) == (None, True)
    hand = PROGRAM.variables[0]
    assert (looking.read(hand, FIRST + seat), looking.read(hand, FIRST + other)) == (own, None)


def test_value_written_to_a_hidden_cell_can_be_read(subtests: pytest.Subtests) -> None:
    blind = MaskedState([5, 6, 7], {1, 2})
    for cells in (blind, blind.copy(), RecordingState([5, 6, 7], {1, 2}, set())):
        with subtests.test(cells=cells):
            with pytest.raises(HiddenReadError):
                _ = cells[1]
            cells[1] = 9
            assert (cells[0], cells[1], cells.hidden) == (5, 9, frozenset({2}))
            with pytest.raises(HiddenReadError):
                _ = cells[2]
            cells[0] = 4
            assert cells.hidden == {2} and cells.copy().hidden == {2}


def test_recording_state_notes_read_cells() -> None:
    noted = set[int]()
    cells = RecordingState([5, 6, 7, 8], (), noted)
    assert cells[2] == 7 and noted == {2}
    assert cells[:2] == [5, 6] and noted == {0, 1, 2}
    assert cells.copy()[3] == 8 and noted == {0, 1, 2, 3}


def test_query_leaves_the_state_unchanged_and_reports_a_fault() -> None:
    state = RACE.new_game(PAIR, seed=3).state
    state[257] = 4
    before = [*state]
    assert (compute_query(RACE.program, state, 0, 0), compute_query(RACE.program, state, 0, 1)) == (
        0,
        4,
    ) and state == before
    entry = RACE.program.queries[0].entry
    code = (*RACE.program.code[:entry], o.FAULT, 1, *RACE.program.code[entry + 2 :])
    broken = replace(RACE.program, code=code)
    assert run_query(broken, [*state], 0, 0) is None and compute_masked_query(broken, MaskedState(state, ()), 0, 0) == (
        None,
        False,
    )
    with pytest.raises(RulesError) as caught:
        compute_query(broken, state, 0, 0)
    assert caught.value.diagnostics[0].code == "E0900"


class QueryCounter:
    """Evaluates a query through one cache and counts the computations."""

    def __init__(self, most: int = 2) -> None:
        self.memory, self.made = ResultCache(most), 0

    def __call__(self, state: Sequence[int], seat: int = 0, query: int = HAND, of: int = 0) -> int | None:
        looking = CachedKnowledge(PROGRAM, known_state(seat, state), self.memory)

        def make() -> int | None:
            self.made += 1
            return looking.value(PROGRAM, query, of)

        return looking.get((query, of), make)


def state_with(**cells: int) -> list[int]:
    state = [*DEALT]
    for name, value in cells.items():
        state[int(name[1:])] = value
    return state


def test_result_is_cached_while_its_cells_are_unchanged() -> None:
    ask = QueryCounter()
    assert (ask(DEALT), ask.made) == (1, 1)
    assert (ask(state_with(_260=9)), ask.made) == (1, 1), "a bet is another matter"
    assert (ask(state_with(_256=0)), ask.made) == (0, 2)
    assert (ask(DEALT), ask(state_with(_256=0)), ask.made) == (1, 0, 2), "both are remembered"
    assert (ask(state_with(_256=2)), ask.made) == (2, 3)
    assert (ask(state_with(_256=0)), ask.made) == (0, 3) and (ask(DEALT), ask.made) == (1, 4), "the oldest goes"
    assert (ask(DEALT, of=1), ask.made) == (None, 5), "under another key"


def test_cached_result_is_not_given_to_a_seat_that_may_not_know() -> None:
    ask = QueryCounter()
    assert (ask(DEALT, 0), ask(DEALT, 1), ask(DEALT, 0), ask.made) == (1, None, 1, 2)


def test_result_of_a_cached_result_depends_on_its_cells() -> None:
    memory, made = ResultCache(3), list[str]()

    def twice(state: Sequence[int]) -> int | None:
        looking = CachedKnowledge(PROGRAM, known_state(0, state), memory)

        def inner() -> int | None:
            made.append("inner")
            return looking.read(PROGRAM.variables[0], FIRST)

        def outer() -> int | None:
            made.append("outer")
            found = looking.get("inner", inner)
            return None if found is None else 2 * found

        return looking.get("outer", outer)

    assert (twice(DEALT), twice(DEALT), made) == (2, 2, ["outer", "inner"])
    assert twice(state_with(_256=0)) == 0 and made[2:] == ["outer", "inner"]
    looking = CachedKnowledge(PROGRAM, known_state(0), memory)
    assert looking.get("inner", lambda: 7) == 1
    assert looking.get("around", lambda: looking.get("inner", lambda: 7)) == 1
    other = CachedKnowledge(PROGRAM, known_state(0, state_with(_256=0)), memory)
    assert other.get("around", lambda: 5) == 5, "what was remembered of the part counts for the whole"


def test_known_state_caches_nothing() -> None:
    made = iter(range(5))
    assert [known_state(0).get("key", lambda: next(made)) for _ in range(3)] == [0, 1, 2]


def test_hidden_set_hides_all_of_its_cells() -> None:
    wide = replace(PROGRAM.variables[0], type=ValueType("set", "card", False, 2))
    looking = CachedKnowledge(PROGRAM, known_state(0), ResultCache(1))
    assert looking.read(wide, FIRST) is None, "its second cell is hidden"
    assert looking.read(replace(wide, type=ValueType("thing", "card", True)), FIRST) == 1
