"""Two example games against what has been published of them: every end is played out, every chance is exact."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import permutations, product
from pathlib import Path

import pytest

import edict
from edict.game.table.playout import copy_after
from edict.game.table.rules import Rules
from edict.runtime.machine.loop import run
from edict.runtime.program import Program
from edict.runtime.program import opcodes as o
from edict.runtime.program.initial_state import create_state

End = tuple[tuple[str, ...], list[int]]
"""The answers that led to an end, in words, and the state it ends in."""

PAIR = ["Ann", "Brian"]


def started(program: Program) -> list[int]:
    """The state at the first question."""
    state = create_state(program, 2, {s.name: s.value for s in program.settings}, logging=False)
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
def kuhn() -> Rules:
    return edict.load("kuhn-poker")


def deals(program: Program) -> Iterator[tuple[tuple[str, ...], list[int]]]:
    """What both are dealt, by seat, and the state at the first bet. Of one card that is left nobody is asked."""
    waiting: list[tuple[tuple[str, ...], list[int]]] = [((), started(program))]
    while waiting:
        dealt, state = waiting.pop()
        if state[o.SEAT] != o.CHANCE:
            yield dealt, state
            continue
        for index in range(state[o.OPTIONS]):
            waiting.append(((*dealt, word(program, state, index)), copy_after(program, state, index)))


def ends(program: Program, state: list[int], said: tuple[str, ...] = ()) -> Iterator[End]:
    if state[o.STATUS] == o.GAME_OVER:
        yield said, state
        return
    for index in range(state[o.OPTIONS]):
        yield from ends(program, copy_after(program, state, index), (*said, word(program, state, index)))


def test_every_deal_meets_every_betting_once_and_every_end_pays_what_it_should(kuhn: Rules) -> None:
    program = kuhn.program
    chips = program.variable_by_name["chip"].base
    played = [(cards, said, end) for cards, state in deals(program) for said, end in ends(program, state)]
    found = {(cards, said) for cards, said, _ in played}
    assert len(played) == len(found) == 30 and found == set(product(permutations(RANK, 2), BETTING))
    for cards, said, end in played:
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


def otherwise(change: str, always: Fraction) -> Strategy:
    """The same, but that with one card one always does the same."""
    return lambda card, said: always if card == change else answerer(card, said)


def worth(
    program: Program,
    cards: tuple[str, ...],
    state: list[int],
    players: tuple[Strategy, Strategy],
    said: tuple[str, ...] = (),
) -> Fraction:
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
            total += weight * worth(program, cards, copy_after(program, state, index), players, (*said, says))
    return total


def worth_to_the_first(kuhn: Rules, one: Strategy, other: Strategy) -> Fraction:
    """What the first player wins on average over all deals."""
    found = [worth(kuhn.program, cards, state, (one, other)) for cards, state in deals(kuhn.program)]
    return sum(found, Fraction(0)) / 6


def test_the_first_player_loses_an_eighteenth(kuhn: Rules) -> None:
    """The published value of the game, -1/18, between best strategies of both; whoever leaves theirs wins nothing."""
    for bluff in (Fraction(0), Fraction(1, 5), Fraction(1, 3)):
        assert worth_to_the_first(kuhn, opener(bluff), answerer) == Fraction(-1, 18)
    for change, always in product(RANK, (Fraction(0), Fraction(1))):
        left = worth_to_the_first(kuhn, opener(Fraction(1, 5)), otherwise(change, always))
        assert left >= Fraction(-1, 18), (change, always)


def test_among_players_who_decide_by_lot_the_first_wins_an_eighth(kuhn: Rules) -> None:
    """Check-check 1/4, check-bet-fold 1/8 (loses 1), check-bet-call 1/8, bet-fold 1/4 (wins 1), bet-call 1/4."""
    lot: Strategy = lambda card, said: Fraction(1, 2)  # noqa: E731
    assert worth_to_the_first(kuhn, lot, lot) == Fraction(1, 8)


def test_a_hand_is_seen_by_its_owner_only(kuhn: Rules) -> None:
    """Games that differ only in the other's card look the same, to the last cell and the last word."""
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


def test_pig_turns_have_their_exact_chances() -> None:
    """The published chances of holding at 20, and the same worked out by hand as fractions."""
    expected = {n: chance for n, chance in by_hand().items() if chance}
    assert turns(edict.load("pig").program) == expected
    published = {0: 0.6245, 20: 0.0997, 21: 0.0950, 22: 0.0742, 23: 0.0542, 24: 0.0352, 25: 0.0172}
    assert {n: round(float(chance), 4) for n, chance in expected.items()} == published


def turns(program: Program) -> dict[int, Fraction]:
    """The exact chances of what a first turn brings, holding at twenty or more: all dice, a question at a time."""
    points, stake = (program.variable_by_name[name].base for name in ("point", "turn-points"))
    state = started(program)  # with nothing at stake one must roll, and is not asked
    assert state[o.SEAT] == o.CHANCE
    waiting = {(0, state[o.SEAT]): (Fraction(1), state)}  # what is at stake, who is asked
    chances: dict[int, Fraction] = {}
    while waiting:
        # the least at stake first: no later throw comes back to it
        (_, seat), (chance, state) = sorted(waiting.items(), key=lambda item: (item[0][0], item[0][1] == o.CHANCE))[0]
        del waiting[state[stake], seat]
        answers = list(range(state[o.OPTIONS])) if seat == o.CHANCE else [int(state[stake] >= 20)]
        assert len(answers) == 6 or [word(program, state, index) for index in (0, 1)] == ["Roll", "Hold"]
        for answer in answers:
            following, part = copy_after(program, state, answer), chance / len(answers)
            if (seat == o.CHANCE and answer == 0) or (seat != o.CHANCE and answer == 1):
                chances[following[points]] = chances.get(following[points], Fraction(0)) + part
            else:
                key = following[stake], following[o.SEAT]
                waiting[key] = (waiting.get(key, (Fraction(0), []))[0] + part, following)
    return chances


def by_hand() -> dict[int, Fraction]:
    """Reaching each sum: a sixth of every way from two to six below, from sums under twenty only."""
    reach = {0: Fraction(1)}
    for total in range(1, 26):
        reach[total] = sum((reach.get(total - f, Fraction(0)) / 6 for f in range(2, 7) if total - f < 20), Fraction(0))
    kept = {n: reach[n] for n in range(20, 26)}
    return {0: 1 - sum(kept.values(), Fraction(0)), **kept}


# --- the public way ---------------------------------------------------------------------------


def test_the_example_of_the_package_runs(capsys: pytest.CaptureFixture[str]) -> None:
    lines = [line[4:] for line in (edict.__doc__ or "").splitlines() if line.startswith("    ")]
    exec("\n".join(lines).replace("games=1000", "games=20"), {})
    assert "wins" in capsys.readouterr().out


def test_a_recorded_game_goes_on_without_naming_its_rules(kuhn: Rules, tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    game = kuhn.new_game(PAIR, seed=4, journal=path)
    game.answer(0)
    resumed = edict.resume(path)
    assert resumed.state == game.state
    resumed.answer(0)
    assert edict.replay(path).state == resumed.state
