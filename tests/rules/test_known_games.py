"""Two example games against published results: every end is enumerated, and every probability is exact."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import permutations, product
from pathlib import Path

import pytest

import edict
from edict.game.table.rules import Rules
from edict.runtime.machine.loop import run
from edict.runtime.program import Program, create_state
from edict.runtime.program import opcodes as o
from playout import copy_after

End = tuple[tuple[str, ...], list[int]]  # the answers that led to an end, as words, and the final state

PAIR = ["Ann", "Brian"]


def make_first_state(program: Program) -> list[int]:
    """Return the state at the first question."""
    state = create_state(program, 2, {s.name: s.value for s in program.settings}, logging=False)
    run(program.code, state, [0])
    return state


def option_word(program: Program, state: list[int], index: int) -> str:
    """Return an option in words, the dealt card or the branch taken."""
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
def kuhn() -> Rules:
    return edict.load("kuhn-poker")


def iter_deals(program: Program) -> Iterator[tuple[tuple[str, ...], list[int]]]:
    """Yield the cards of both players and the state at the first bet; a last card is dealt without a question."""
    stack: list[tuple[tuple[str, ...], list[int]]] = [((), make_first_state(program))]
    while stack:
        dealt, state = stack.pop()
        if state[o.SEAT] != o.CHANCE:
            yield dealt, state
            continue
        for index in range(state[o.OPTIONS]):
            stack.append(((*dealt, option_word(program, state, index)), copy_after(program, state, index)))


def iter_ends(program: Program, state: list[int], answers: tuple[str, ...] = ()) -> Iterator[End]:
    if state[o.STATUS] == o.GAME_OVER:
        yield answers, state
        return
    for index in range(state[o.OPTIONS]):
        yield from iter_ends(program, copy_after(program, state, index), (*answers, option_word(program, state, index)))


def test_every_deal_and_betting_occurs_once_and_pays_correctly(kuhn: Rules, subtests: pytest.Subtests) -> None:
    program = kuhn.program
    chips = program.variable_by_name["chip"].base
    played = [(cards, said, end) for cards, state in iter_deals(program) for said, end in iter_ends(program, state)]
    found = {(cards, said) for cards, said, _ in played}
    assert len(played) == len(found) == 30 and found == set(product(permutations(RANK, 2), BETTING))
    for cards, said, end in played:
        with subtests.test(cards=cards, said=said):
            who, stake = BETTING[said]
            winner = int(RANK[cards[1]] > RANK[cards[0]]) if who == "higher" else who
            expected = [stake, -stake] if winner == 0 else [-stake, stake]
            assert end[chips : chips + 2] == expected
            assert end[o.WINNERS] == 1 << int(winner)


# the probability of putting a chip in (Bet or Call), by one's card and the answers so far
Strategy = Callable[[str, tuple[str, ...]], Fraction]


def opening_strategy(bluff: Fraction) -> Strategy:
    """Return an optimal strategy of the first player, for a chance of bluffing with a jack of up to a third."""
    chances = {
        ("jack", ()): bluff,
        ("queen", ()): Fraction(0),
        ("king", ()): 3 * bluff,
        ("jack", ("Check", "Bet")): Fraction(0),
        ("queen", ("Check", "Bet")): bluff + Fraction(1, 3),
        ("king", ("Check", "Bet")): Fraction(1),
    }
    return lambda card, said: chances[card, said]


def answering_strategy(card: str, answers: tuple[str, ...]) -> Fraction:
    """Return the chance to put in a chip by the optimal strategy of the second player."""
    calling = {"jack": Fraction(0), "queen": Fraction(1, 3), "king": Fraction(1)}
    betting = {"jack": Fraction(1, 3), "queen": Fraction(0), "king": Fraction(1)}
    return (calling if answers == ("Bet",) else betting)[card]


def deviating_strategy(change: str, always: Fraction) -> Strategy:
    """Return the second player's strategy, changed to a constant for one card."""
    return lambda card, said: always if card == change else answering_strategy(card, said)


def expected_chips(
    program: Program,
    cards: tuple[str, ...],
    state: list[int],
    players: tuple[Strategy, Strategy],
    answers: tuple[str, ...] = (),
) -> Fraction:
    """Return what the first player wins on average from a state."""
    if state[o.STATUS] == o.GAME_OVER:
        return Fraction(state[program.variable_by_name["chip"].base])
    seat = state[o.SEAT]
    chance = players[seat](cards[seat], answers)
    total = Fraction(0)
    for index in range(state[o.OPTIONS]):
        answer = option_word(program, state, index)
        weight = chance if answer in ("Bet", "Call") else 1 - chance
        if weight:
            total += weight * expected_chips(
                program, cards, copy_after(program, state, index), players, (*answers, answer)
            )
    return total


def expected_value(kuhn: Rules, first: Strategy, second: Strategy) -> Fraction:
    """Return what the first player wins on average over all deals."""
    values = [expected_chips(kuhn.program, cards, state, (first, second)) for cards, state in iter_deals(kuhn.program)]
    return sum(values, Fraction(0)) / 6


def test_kuhn_poker_has_the_published_value(kuhn: Rules, subtests: pytest.Subtests) -> None:
    """The value between optimal strategies is -1/18, and a player who deviates gains nothing."""
    for bluff in (Fraction(0), Fraction(1, 5), Fraction(1, 3)):
        with subtests.test(bluff=bluff):
            assert expected_value(kuhn, opening_strategy(bluff), answering_strategy) == Fraction(-1, 18)
    for change, always in product(RANK, (Fraction(0), Fraction(1))):
        with subtests.test(change=change, always=always):
            left = expected_value(kuhn, opening_strategy(Fraction(1, 5)), deviating_strategy(change, always))
            assert left >= Fraction(-1, 18)


def test_random_players_have_a_value_of_one_eighth(kuhn: Rules) -> None:
    """Check-check 1/4, check-bet-fold 1/8 (loses 1), check-bet-call 1/8, bet-fold 1/4 (wins 1), bet-call 1/4."""
    lot: Strategy = lambda card, said: Fraction(1, 2)  # noqa: E731
    assert expected_value(kuhn, lot, lot) == Fraction(1, 8)


def test_hand_is_visible_to_its_owner_only(kuhn: Rules) -> None:
    """Games that differ only in the other player's card look the same in every cell and word."""
    seen: dict[tuple[int, str], object] = {}
    for seed in range(30):
        for first in ("check", "bet"):
            game = kuhn.new_game(PAIR, seed=seed)
            game.answer(first)
            for seat in (0, 1):
                view = game.view(seat)
                card = view.words("hand", seat)
                shown = (view.known_state(), [str(e) for e in view.log], view.values, view.panels(), view.ask)
                assert view.words("hand", 1 - seat) == "?" and card != "?"
                assert seen.setdefault((seat, card + first), shown) == shown
    assert len(seen) == 12


# --- Pig --------------------------------------------------------------------------------------


def test_pig_turns_have_the_published_chances() -> None:
    """The published chances of holding at 20 agree with exact fractions from an independent computation."""
    expected = {n: chance for n, chance in compute_expected_chances().items() if chance}
    assert compute_turn_chances(edict.load("pig").program) == expected
    published = {0: 0.6245, 20: 0.0997, 21: 0.0950, 22: 0.0742, 23: 0.0542, 24: 0.0352, 25: 0.0172}
    assert {n: round(float(chance), 4) for n, chance in expected.items()} == published


def compute_turn_chances(program: Program) -> dict[int, Fraction]:
    """Return the exact chances of the points of a first turn that holds at twenty or more, from the program."""
    points, stake = (program.variable_by_name[name].base for name in ("point", "turn-points"))
    state = make_first_state(program)  # with nothing at stake one must roll, and is not asked
    assert state[o.SEAT] == o.CHANCE
    pending = {(0, state[o.SEAT]): (Fraction(1), state)}  # what is at stake, who is asked
    chances: dict[int, Fraction] = {}
    while pending:
        # the least at stake first: no later throw comes back to it
        (_, seat), (chance, state) = sorted(pending.items(), key=lambda item: (item[0][0], item[0][1] == o.CHANCE))[0]
        del pending[state[stake], seat]
        answers = list(range(state[o.OPTIONS])) if seat == o.CHANCE else [int(state[stake] >= 20)]
        assert len(answers) == 6 or [option_word(program, state, index) for index in (0, 1)] == ["Roll", "Hold"]
        for answer in answers:
            following, part = copy_after(program, state, answer), chance / len(answers)
            if (seat == o.CHANCE and answer == 0) or (seat != o.CHANCE and answer == 1):
                chances[following[points]] = chances.get(following[points], Fraction(0)) + part
            else:
                key = following[stake], following[o.SEAT]
                pending[key] = (pending.get(key, (Fraction(0), []))[0] + part, following)
    return chances


def compute_expected_chances() -> dict[int, Fraction]:
    """Return the same chances by recurrence: each sum is reached from those two to six below it, if under twenty."""
    reach = {0: Fraction(1)}
    for total in range(1, 26):
        reach[total] = sum((reach.get(total - f, Fraction(0)) / 6 for f in range(2, 7) if total - f < 20), Fraction(0))
    kept = {n: reach[n] for n in range(20, 26)}
    return {0: 1 - sum(kept.values(), Fraction(0)), **kept}


# --- the public way ---------------------------------------------------------------------------


def test_example_in_the_package_docstring_runs(capsys: pytest.CaptureFixture[str]) -> None:
    lines = [line[4:] for line in (edict.__doc__ or "").splitlines() if line.startswith("    ")]
    exec("\n".join(lines).replace("games=1000", "games=20"), {})
    assert "wins" in capsys.readouterr().out


def test_saved_game_is_resumed_without_naming_its_rules(kuhn: Rules, tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    game = kuhn.new_game(PAIR, seed=4, journal=path)
    game.answer(0)
    resumed = edict.resume(path)
    assert resumed.state == game.state
    resumed.answer(0)
    assert edict.replay(path).state == resumed.state
