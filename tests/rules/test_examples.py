"""The example games against what has been published of them, every end of them played out by copying."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import permutations, product

import pytest

import edict
from edict.machine.loop import run
from edict.program import Program
from edict.program import opcodes as o
from edict.table.playout import after
from edict.program.beginning import first_state

End = tuple[tuple[str, ...], list[int]]
"""The answers that led to an end, in words, and the state it ends in."""


def started(program: Program) -> list[int]:
    """The state at the first question."""
    state = first_state(program, 2, {s.name: s.value for s in program.settings}, logging=False)
    run(program.code, state, [0])
    return state


def word(program: Program, state: list[int], index: int) -> str:
    """An option in words: the card that is dealt, or the branch taken."""
    question, value = program.questions[state[o.QUESTION]], state[o.FIRST_OPTION + index]
    if question.domain == "thing":
        return program.kind_by_name[question.kind].things[value].name
    return question.labels[value]


# --- Kuhn poker -------------------------------------------------------------------------------

RANK = {"jack": 1, "queen": 2, "king": 3}
BETTING: dict[tuple[str, ...], tuple[str | int, int]] = {  # who wins how much: the higher card, or a player by seat
    ("Check", "Check"): ("higher", 1),
    ("Check", "Bet", "Fold"): (1, 1),
    ("Check", "Bet", "Call"): ("higher", 2),
    ("Bet", "Fold"): (0, 1),
    ("Bet", "Call"): ("higher", 2),
}


@pytest.fixture(scope="module")
def kuhn() -> Program:
    return edict.load("kuhn-poker").program


def deals(program: Program) -> Iterator[tuple[tuple[str, ...], list[int]]]:
    """What both are dealt, by seat, and the state at the first bet. Of one card that is left nobody is asked."""
    waiting: list[tuple[tuple[str, ...], list[int]]] = [((), started(program))]
    while waiting:
        dealt, state = waiting.pop()
        if state[o.SEAT] != o.CHANCE:
            yield dealt, state
            continue
        for index in range(state[o.OPTIONS]):
            waiting.append(((*dealt, word(program, state, index)), after(program, state, index)))


def ends(program: Program, state: list[int], said: tuple[str, ...] = ()) -> Iterator[End]:
    if state[o.STATUS] == o.GAME_OVER:
        yield said, state
        return
    for index in range(state[o.OPTIONS]):
        yield from ends(program, after(program, state, index), (*said, word(program, state, index)))


def test_every_deal_meets_every_betting_once(kuhn: Program) -> None:
    dealt = {cards for cards, _ in deals(kuhn)}
    assert dealt == set(permutations(RANK, 2))
    found = [(cards, said) for cards, state in deals(kuhn) for said, _ in ends(kuhn, state)]
    assert len(found) == len(set(found)) == 30
    assert set(found) == set(product(dealt, BETTING))


def test_every_end_pays_what_it_should(kuhn: Program) -> None:
    chips = kuhn.variable_by_name["chip"].base
    for cards, state in deals(kuhn):
        for said, end in ends(kuhn, state):
            who, stake = BETTING[said]
            winner = int(RANK[cards[1]] > RANK[cards[0]]) if who == "higher" else who
            expected = [stake, -stake] if winner == 0 else [-stake, stake]
            assert end[chips : chips + 2] == expected, (cards, said)
            assert end[o.WINNERS] == 1 << int(winner)


Strategy = Callable[[str, tuple[str, ...]], Fraction]
"""The chance of putting a chip in (Bet or Call), by one's card and what was said so far."""


def opener(bluff: Fraction) -> Strategy:
    """The first player's best play, known for every chance of bluffing with a jack up to a third."""
    chances = {
        ("jack", ()): bluff,
        ("queen", ()): Fraction(0),
        ("king", ()): 3 * bluff,
        ("jack", ("Check", "Bet")): Fraction(0),
        ("queen", ("Check", "Bet")): bluff + Fraction(1, 3),
        ("king", ("Check", "Bet")): Fraction(1),
    }
    return lambda card, said: chances[card, said]


def answerer(card: str, said: tuple[str, ...]) -> Fraction:
    """The second player's best play."""
    calling = {"jack": Fraction(0), "queen": Fraction(1, 3), "king": Fraction(1)}
    betting = {"jack": Fraction(1, 3), "queen": Fraction(0), "king": Fraction(1)}
    return (calling if said == ("Bet",) else betting)[card]


def worth(program: Program, cards: tuple[str, ...], state: list[int], players: tuple[Strategy, Strategy],
          said: tuple[str, ...] = ()) -> Fraction:  # fmt: skip
    """What the first player wins on average from here."""
    if state[o.STATUS] == o.GAME_OVER:
        return Fraction(state[program.variable_by_name["chip"].base])
    seat = state[o.SEAT]
    chance = players[seat](cards[seat], said)
    total = Fraction(0)
    for index in range(state[o.OPTIONS]):
        says = word(program, state, index)
        weight = chance if says in ("Bet", "Call") else 1 - chance
        if weight:
            total += weight * worth(program, cards, after(program, state, index), players, (*said, says))
    return total


@pytest.mark.parametrize("bluff", [Fraction(0), Fraction(1, 5), Fraction(1, 3)])
def test_the_first_player_loses_an_eighteenth(kuhn: Program, bluff: Fraction) -> None:
    """The published value of the game, -1/18, between best strategies of both."""
    found = [worth(kuhn, cards, state, (opener(bluff), answerer)) for cards, state in deals(kuhn)]
    assert sum(found, Fraction(0)) / 6 == Fraction(-1, 18)


@pytest.mark.parametrize("change", ["queen", "jack", "king"])
def test_leaving_the_best_strategy_wins_nothing(kuhn: Program, change: str) -> None:
    """Against the best opener the answerer cannot win more, whatever is done with one card."""
    for always in (Fraction(0), Fraction(1)):
        other: Strategy = lambda card, said, always=always: always if card == change else answerer(card, said)  # type: ignore[misc]  # noqa: E731
        found = [worth(kuhn, cards, state, (opener(Fraction(1, 5)), other)) for cards, state in deals(kuhn)]
        assert sum(found, Fraction(0)) / 6 >= Fraction(-1, 18)


# --- Pig --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def pig() -> Program:
    return edict.load("pig").program


def turn_scores(program: Program, throws: int) -> dict[int, Fraction]:
    """What a first turn brings to one who throws so often and then holds: every row of dice, one by one."""
    points = program.variable_by_name["point"].base
    found: dict[int, Fraction] = {}

    def over(state: list[int], chance: Fraction) -> None:
        found[state[points]] = found.get(state[points], Fraction(0)) + chance

    def throw(state: list[int], left: int, chance: Fraction) -> None:
        assert (state[o.SEAT], state[o.OPTIONS]) == (o.CHANCE, 6)
        over(after(program, state, 0), chance / 6)  # a one
        for index in range(1, 6):
            asked = after(program, state, index)
            assert [word(program, asked, i) for i in range(asked[o.OPTIONS])] == ["Roll", "Hold"]
            if left > 1:
                throw(after(program, asked, 0), left - 1, chance / 6)
            else:
                over(after(program, asked, 1), chance / 6)

    throw(started(program), throws, Fraction(1))  # with nothing at stake one must roll, and is not asked
    return found


def expected_scores(throws: int) -> dict[int, Fraction]:
    """Sums of dice that show two to six, each with its chance; all else is nothing."""
    sums = {0: Fraction(1)}
    for _ in range(throws):
        following: dict[int, Fraction] = {}
        for total, chance in sums.items():
            for face in range(2, 7):
                following[total + face] = following.get(total + face, Fraction(0)) + chance / 6
        sums = following
    return {0: 1 - sum(sums.values(), Fraction(0)), **sums}


@pytest.mark.parametrize("throws", [1, 2, 3, 4, 5])
def test_throwing_so_often_and_holding(pig: Program, throws: int) -> None:
    found = turn_scores(pig, throws)
    assert found == expected_scores(throws)
    assert found[0] == 1 - Fraction(5, 6) ** throws
    assert sum(n * chance for n, chance in found.items()) == 4 * throws * Fraction(5, 6) ** throws
