"""The example games through the public API, held against what is known of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import edict
from edict.machine.loop import run
from edict.program import opcodes as o
from edict.table.playout import after, play_random
from edict.table.rules import Rules
from edict.program.beginning import first_state

PAIR = ["Ann", "Brian"]


@pytest.fixture(scope="module", params=["pig", "kuhn-poker"])
def rules(request: pytest.FixtureRequest) -> Rules:
    return edict.load(request.param)


@pytest.fixture(scope="module")
def pig() -> Rules:
    return edict.load("pig")


@pytest.fixture(scope="module")
def kuhn() -> Rules:
    return edict.load("kuhn-poker")


def test_the_example_of_the_package_runs(capsys: pytest.CaptureFixture[str]) -> None:
    lines = [line[4:] for line in (edict.__doc__ or "").splitlines() if line.startswith("    ")]
    exec("\n".join(lines).replace("games=1000", "games=20"), {})
    assert "wins" in capsys.readouterr().out


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**64 - 1), choices=st.integers(0, 2**32))
def test_games_replay_undo_and_copy(rules: Rules, seed: int, choices: int) -> None:
    rng = Random(choices)
    game = rules.new_game(PAIR, seed=seed)
    while not game.over:
        assert len(set(game.ask.keys)) == len(game.ask.options) == game.count
        game.answer(rng.choice(game.ask.options))
    again = edict.replay(game.journal, rules)
    assert again.state == game.state and [repr(e) for e in again.log] == [repr(e) for e in game.log]
    state, last = game.state, game.journal.answers[-1].key
    copy = game.copy()
    copy.back()
    copy.answer(last)
    assert copy.state == game.state == state


def test_a_recorded_game_goes_on_without_naming_its_rules(rules: Rules, tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    game = rules.new_game(PAIR, seed=4, journal=path)
    game.answer(0)
    resumed = edict.resume(path)
    assert resumed.state == game.state
    resumed.answer(0)
    assert edict.replay(path).state == resumed.state


# --- Kuhn poker: six deals, five courses of betting ------------------------------------------


def ends(rules: Rules) -> Iterator[list[int]]:
    """Every end of the game there is, going through all answers of players and of chance."""
    program = rules.program
    waiting = [started(rules)]
    while waiting:
        state = waiting.pop()
        if state[o.STATUS] == o.GAME_OVER:
            yield state
        else:
            waiting += [after(program, state, index) for index in range(state[o.OPTIONS])]


def test_kuhn_poker_has_thirty_ends(kuhn: Rules) -> None:
    chips = kuhn.program.variable_by_name["chip"].base
    results = Counter(state[chips] for state in ends(kuhn))
    assert sum(results.values()) == 30
    # of six deals three are won by the first: one chip when both check or the other folds, two after a call
    assert results == {1: 3 + 6, -1: 3 + 6, 2: 3 + 3, -2: 3 + 3}
    base = kuhn.program.variable_by_name["chip"].base
    assert all(state[base] + state[base + 1] == 0 for state in ends(kuhn))


def test_a_hand_is_seen_by_its_owner_only(kuhn: Rules) -> None:
    """Games that differ only in the other's card look the same, to the last cell and the last word."""
    seen: dict[tuple[int, str], object] = {}
    for seed in range(60):
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


def test_cards_are_dealt_evenly(kuhn: Rules) -> None:
    hands = Counter(str(kuhn.new_game(PAIR, seed=seed).view(0).values["hand"]) for seed in range(3000))
    assert set(hands) == {"(0, None)", "(1, None)", "(2, None)"} and all(900 < n < 1100 for n in hands.values())


# --- Pig: what a turn brings to those who hold at twenty ---------------------------------------


def turns(rules: Rules) -> dict[int, Fraction]:
    """The exact chances of what a first turn brings, holding at twenty or more: all dice, a question at a time."""
    program = rules.program
    points, stake = (program.variable_by_name[name].base for name in ("point", "turn-points"))
    state = started(rules)
    waiting = {(0, state[o.SEAT]): (Fraction(1), state)}  # what is at stake, who is asked
    chances: dict[int, Fraction] = {}
    while waiting:
        # the least at stake first: no later throw comes back to it
        (_, seat), (chance, state) = sorted(waiting.items(), key=lambda item: (item[0][0], item[0][1] == o.CHANCE))[0]
        del waiting[state[stake], seat]
        answers = list(range(state[o.OPTIONS])) if seat == o.CHANCE else [int(state[stake] >= 20)]
        for answer in answers:
            following, part = after(program, state, answer), chance / len(answers)
            if (seat == o.CHANCE and answer == 0) or (seat != o.CHANCE and answer == 1):
                chances[following[points]] = chances.get(following[points], Fraction(0)) + part
            else:
                key = following[stake], following[o.SEAT]
                waiting[key] = (waiting.get(key, (Fraction(0), []))[0] + part, following)
    return chances


def started(rules: Rules) -> list[int]:
    """The state at the first question, whoever it is put to."""
    state = first_state(rules.program, 2, {s.name: s.value for s in rules.program.settings}, logging=False)
    run(rules.program.code, state, [0])
    return state


def test_pig_turns_have_their_exact_chances(pig: Rules) -> None:
    """The published chances of holding at 20, and the same worked out by hand as fractions."""
    expected = {n: chance for n, chance in by_hand().items() if chance}
    assert turns(pig) == expected
    published = {0: 0.6245, 20: 0.0997, 21: 0.0950, 22: 0.0742, 23: 0.0542, 24: 0.0352, 25: 0.0172}
    assert {n: round(float(chance), 4) for n, chance in expected.items()} == published


def by_hand() -> dict[int, Fraction]:
    """Reaching each sum: a sixth of every way from two to six below, from sums under twenty only."""
    reach = {0: Fraction(1)}
    for total in range(1, 26):
        reach[total] = sum((reach.get(total - f, Fraction(0)) / 6 for f in range(2, 7) if total - f < 20), Fraction(0))
    kept = {n: reach[n] for n in range(20, 26)}
    return {0: 1 - sum(kept.values(), Fraction(0)), **kept}


def test_random_play_is_fair_in_kuhn_poker(kuhn: Rules) -> None:
    """By symmetry of cards a random player wins what the tree says: the sum over all ends, evenly weighed by choice."""
    rng = Random(8)
    won = [play_random(kuhn.program, 2, rng).scores[0] for _ in range(20_000)]
    # check-check 1/4, check-bet-fold 1/8 (loses 1), check-bet-call 1/8, bet-fold 1/4 (wins 1), bet-call 1/4
    assert abs(sum(won) / len(won) - 0.125) < 0.04


def test_a_setting_keeps_to_its_range() -> None:
    pig = edict.load("pig")
    assert pig.new_game(["Ann", "Brian"], settings={"goal": 2}).program.settings
    for value in (1, 901, "-3"):
        with pytest.raises(edict.GameError, match="2 to 900"):
            pig.new_game(["Ann", "Brian"], settings={"goal": value})
