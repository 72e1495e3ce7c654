"""What a seat may know of a state, what the rules compute from that, and what of it is remembered how long."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from edict.game.table.knowledge import (
    Blind,
    KnownState,
    Looking,
    Memory,
    Noting,
    Peeked,
    Secrets,
    attempt,
    blind_value,
    compute,
)
from edict.runtime.program import Type
from edict.runtime.program import opcodes as o
from edict.support.report import RulesError
from table_kit import CARD, PAIR, RACE

SCORE, HAND = 0, 1  # the queries of the game of cards
FIRST, SECOND = 256, 257  # the cells of the two cards; who knows them follows
PROGRAM = CARD.program
DEALT = CARD.new_game(PAIR, seed=1).state  # Ann has the Queen, Brian the King


def known(seat: int, state: Sequence[int] = DEALT) -> KnownState:
    return KnownState.of(PROGRAM, state, seat)


def test_a_seat_knows_its_own_card_and_not_that_the_other_knows_another() -> None:
    assert DEALT[FIRST : SECOND + 3] == [1, 2, 1, 2]
    assert (known(0).state[FIRST : SECOND + 3], known(0).hidden) == ([1, -1, 1, 0], frozenset({SECOND}))
    assert (known(1).state[FIRST : SECOND + 3], known(1).hidden) == ([-1, 2, 0, 2], frozenset({FIRST}))
    assert known(0).state[o.PLAYERS] == 2 and known(0).state[o.EVERYONE] == 3
    over = CARD.new_game(PAIR, seed=1)
    over.answer("pass")
    over.answer("pass")
    shown = known(0, over.state)
    assert shown.hidden == frozenset() and shown.state[FIRST : SECOND + 1] == [1, 2]
    assert shown.state[o.WINNERS] == over.state[o.WINNERS] == 2


def test_bots_play_on_from_a_state_without_what_is_hidden() -> None:
    secrets = Secrets.of(PROGRAM)
    before = [*DEALT]
    masked = secrets.masked(DEALT, 0)
    assert masked[FIRST : SECOND + 3] == [1, -1, 1, 0] and masked[o.LOGGING] == 0 and DEALT == before
    assert list(secrets.hidden(DEALT, 0)) == [SECOND] and list(secrets.hidden(DEALT, 1)) == [FIRST]


@pytest.mark.parametrize("seat", [0, 1])
def test_rules_say_nothing_of_what_is_hidden(seat: int) -> None:
    looking = Looking(PROGRAM, known(seat), Memory(2))
    own, other = DEALT[FIRST + seat], 1 - seat
    ways: list[KnownState] = [known(seat), looking]
    for way in ways:
        assert (way.value(PROGRAM, HAND, seat), way.value(PROGRAM, HAND, other)) == (own, None)
        assert way.value(PROGRAM, SCORE, seat) == 0
        blind = way.blind()
        assert isinstance(blind, Blind) and blind.hidden == {FIRST + other}
    assert blind_value(PROGRAM, Blind(DEALT, {FIRST + other}), HAND, seat) == (own, False)
    assert blind_value(PROGRAM, Blind(DEALT, {FIRST + other}), HAND, other) == (None, True)
    hand = PROGRAM.variables[0]
    assert (looking.read(hand, FIRST + seat), looking.read(hand, FIRST + other)) == (own, None)


def test_what_is_put_where_something_was_hidden_can_be_read() -> None:
    blind = Blind([5, 6, 7], {1, 2})
    for cells in (blind, blind.copy(), Noting([5, 6, 7], {1, 2}, set())):
        with pytest.raises(Peeked):
            _ = cells[1]
        cells[1] = 9
        assert (cells[0], cells[1], cells.hidden) == (5, 9, frozenset({2}))
        with pytest.raises(Peeked):
            _ = cells[2]
        cells[0] = 4
        assert cells.hidden == {2} and cells.copy().hidden == {2}


def test_which_cells_are_read_is_noted() -> None:
    noted = set[int]()
    cells = Noting([5, 6, 7, 8], (), noted)
    assert cells[2] == 7 and noted == {2}
    assert cells[:2] == [5, 6] and noted == {0, 1, 2}
    assert cells.copy()[3] == 8 and noted == {0, 1, 2, 3}


def test_a_query_leaves_the_state_as_it_is_and_a_fault_is_told() -> None:
    state = RACE.new_game(PAIR, seed=3).state
    state[257] = 4
    before = [*state]
    assert (compute(RACE.program, state, 0, 0), compute(RACE.program, state, 0, 1)) == (0, 4) and state == before
    entry = RACE.program.queries[0].entry
    code = (*RACE.program.code[:entry], o.FAULT, 1, *RACE.program.code[entry + 2 :])
    broken = replace(RACE.program, code=code)
    assert attempt(broken, [*state], 0, 0) is None and blind_value(broken, Blind(state, ()), 0, 0) == (None, False)
    with pytest.raises(RulesError) as caught:
        compute(broken, state, 0, 0)
    assert caught.value.diagnostics[0].code == "E0900"


class Asked:
    """Looks at a state through one memory, and counts how often something had to be worked out."""

    def __init__(self, most: int = 2) -> None:
        self.memory, self.made = Memory(most), 0

    def __call__(self, state: Sequence[int], seat: int = 0, query: int = HAND, of: int = 0) -> int | None:
        looking = Looking(PROGRAM, known(seat, state), self.memory)

        def make() -> int | None:
            self.made += 1
            return looking.value(PROGRAM, query, of)

        return looking.get((query, of), make)


def put(**cells: int) -> list[int]:
    state = [*DEALT]
    for name, value in cells.items():
        state[int(name[1:])] = value
    return state


def test_what_was_found_is_remembered_while_the_cells_it_hangs_on_are_the_same() -> None:
    ask = Asked()
    assert (ask(DEALT), ask.made) == (1, 1)
    assert (ask(put(_260=9)), ask.made) == (1, 1), "a bet is another matter"
    assert (ask(put(_256=0)), ask.made) == (0, 2)
    assert (ask(DEALT), ask(put(_256=0)), ask.made) == (1, 0, 2), "both are remembered"
    assert (ask(put(_256=2)), ask.made) == (2, 3)
    assert (ask(put(_256=0)), ask.made) == (0, 3) and (ask(DEALT), ask.made) == (1, 4), "the oldest goes"
    assert (ask(DEALT, of=1), ask.made) == (None, 5), "under another key"


def test_nor_is_it_told_to_a_seat_that_may_not_know() -> None:
    ask = Asked()
    assert (ask(DEALT, 0), ask(DEALT, 1), ask(DEALT, 0), ask.made) == (1, None, 1, 2)


def test_what_is_made_of_something_remembered_hangs_on_the_same_cells() -> None:
    memory, made = Memory(3), list[str]()

    def twice(state: Sequence[int]) -> int | None:
        looking = Looking(PROGRAM, known(0, state), memory)

        def inner() -> int | None:
            made.append("inner")
            return looking.read(PROGRAM.variables[0], FIRST)

        def outer() -> int | None:
            made.append("outer")
            found = looking.get("inner", inner)
            return None if found is None else 2 * found

        return looking.get("outer", outer)

    assert (twice(DEALT), twice(DEALT), made) == (2, 2, ["outer", "inner"])
    assert twice(put(_256=0)) == 0 and made[2:] == ["outer", "inner"]
    looking = Looking(PROGRAM, known(0), memory)
    assert looking.get("inner", lambda: 7) == 1
    assert looking.get("around", lambda: looking.get("inner", lambda: 7)) == 1
    other = Looking(PROGRAM, known(0, put(_256=0)), memory)
    assert other.get("around", lambda: 5) == 5, "what was remembered of the part counts for the whole"


def test_without_a_memory_everything_is_made_anew() -> None:
    made = iter(range(5))
    assert [known(0).get("key", lambda: next(made)) for _ in range(3)] == [0, 1, 2]


def test_sets_are_hidden_with_all_their_cells() -> None:
    wide = replace(PROGRAM.variables[0], type=Type("set", "card", False, 2))
    looking = Looking(PROGRAM, known(0), Memory(1))
    assert looking.read(wide, FIRST) is None, "its second cell is hidden"
    assert looking.read(replace(wide, type=Type("thing", "card", True)), FIRST) == 1
