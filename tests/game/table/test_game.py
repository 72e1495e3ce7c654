"""The game at the table: answers, luck, copies, going back and faults, with hand-made games."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edict import GameError, RulesError, load
from edict.game.table.faults import fault_error
from edict.game.table.game import Game
from edict.game.table.rules import Rules
from edict.game.table.seeded_draws import draw
from edict.runtime.program import opcodes as o
from helpers import compile_program, make_phase
from playout import copy_after, play_random
from table_kit import CARD, PAIR, RACE


def play_to_end(rules: Rules, seed: int, rng: Random) -> Game:
    game = rules.new_game(PAIR, seed=seed)
    while not game.over:
        game.answer(rng.randrange(game.count))
    return game


@given(st.integers(0, 2**64 - 1), st.integers(0, 10**6), st.integers(1, 236))
def test_draw_depends_only_on_seed_and_number(seed: int, number: int, options: int) -> None:
    assert 0 <= draw(seed, number, options) < options
    assert draw(seed, number, options) == draw(seed, number, options)


@pytest.mark.parametrize(
    ("seed", "drawn"),
    [
        (2**64 - 1, [366, 740]),  # the last seed that is mixed fast, as in native batches
        (2**64, [599, 548]),  # the first one that is the key of a hash
    ],
)
def test_draw_of_a_seed_never_changes(seed: int, drawn: list[int]) -> None:
    assert [draw(seed, number, 1000) for number in range(2)] == drawn


def test_draws_are_uniform() -> None:
    counts = [0] * 6
    for number in range(12_000):
        counts[draw(7, number, 6)] += 1
    assert all(1_840 < count < 2_160 for count in counts), "four standard deviations"


def test_a_game_is_played_to_its_end() -> None:
    game = RACE.new_game(PAIR, seed=3)
    assert game.result is None and game.ask.prompt == "Roll or hold?" and game.ask.keys == ("roll", "hold")
    while not game.over:
        game.answer(game.ask.options[0])
    assert game.result is not None and str(game.result) == "Ann 13, Brian 0; Ann wins"
    with pytest.raises(GameError, match="over"):
        game.answer(0)
    with pytest.raises(GameError, match="over"):
        _ = game.ask


def test_option_key_and_index_are_equivalent_answers() -> None:
    games = [RACE.new_game(PAIR, seed=5) for _ in range(3)]
    games[0].answer(games[0].ask.options[1])
    games[1].answer("hold")
    games[2].answer(1)
    assert games[0].state == games[1].state == games[2].state
    assert games[0].journal == games[1].journal == games[2].journal


@pytest.mark.parametrize("wrong", ["rol", "x", 2, -1, True, None, 1.0])
def test_invalid_answer_is_refused_and_changes_nothing(wrong: object) -> None:
    game = RACE.new_game(PAIR, seed=5)
    before, log = game.state, list(game.log)
    with pytest.raises(GameError) as caught:
        game.answer(wrong)  # type: ignore[arg-type]
    assert caught.value.remedy
    assert (game.state, list(game.log)) == (before, log)


def test_option_of_another_question_is_refused() -> None:
    bet = CARD.new_game(PAIR, seed=1).ask.options[1]
    with pytest.raises(GameError, match="not an option"):
        RACE.new_game(PAIR, seed=1).answer(bet)


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 2**32))
def test_going_back_restores_states_luck_and_log(seed: int, choices: int) -> None:
    rng = Random(choices)
    game = RACE.new_game(PAIR, seed=seed)
    past = [(game.state, [str(e) for e in game.log])]
    while not game.over and len(past) < 90:
        game.answer(rng.randrange(game.count))
        past.append((game.state, [str(e) for e in game.log]))
    end, log = past.pop()
    last = game.journal.answers[-1].key
    game.back()
    game.answer(last)
    assert (game.state, [str(e) for e in game.log]) == (end, log)
    game.back()
    while True:
        assert (game.state, [str(e) for e in game.log]) == past.pop()
        if not past:
            break
        game.back()
    with pytest.raises(GameError, match="no answer"):
        game.back()


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 2**32))
def test_copies_are_independent(seed: int) -> None:
    game = RACE.new_game(PAIR, seed=seed)
    game.answer(0)
    if game.over:
        return
    state, log = game.state, [str(e) for e in game.log]
    copy = game.copy()
    for _ in range(5):
        if not copy.over:
            copy.answer(0)
    assert (game.state, [str(e) for e in game.log]) == (state, log)
    assert [str(e) for e in copy.log][: len(log)] == log
    copy.back()
    assert game.state == state


def test_typed_dice_are_asked_for_but_cards_are_drawn() -> None:
    game = RACE.new_game(PAIR, seed=5, dice="typed")
    game.answer("roll")
    assert (game.seat, game.ask.seat, game.ask.player) == (-1, -1, "chance")
    assert list(game.ask.keys) == ["d6-1", "d6-2", "d6-3", "d6-4", "d6-5", "d6-6"]
    game.answer("d6-4")
    assert game.view(0).value("point", 0) == 4
    assert game.view(1).ask is None
    game.back()
    assert game.ask.keys == ("roll", "hold") and game.journal.answers == ()
    assert CARD.new_game(PAIR, seed=1, dice="typed").ask.question == "bet"


def load_broken_rules(word: int) -> Rules:
    """Return the dice game with a fault at the roll."""
    program = RACE.program
    at = program.code.index(o.ASKC)
    code = (*program.code[:at], o.FAULT, word, *program.code[at + 2 :])
    return Rules(dataclasses.replace(program, code=code), "race")


@pytest.mark.parametrize("word", sorted(o.FAULTS))
def test_fault_names_the_rule_and_leaves_the_game_unchanged(word: int) -> None:
    game = load_broken_rules(word).new_game(PAIR, seed=1)
    state = game.state
    with pytest.raises(RulesError) as caught:
        game.answer("roll")
    found = caught.value.diagnostics[0]
    assert found.code == "E0900" and o.FAULTS[word] in found.title and found.help
    assert (found.span.file, found.span.line) == ("race.edict", 8)
    assert game.state == state and game.journal.answers == ()
    game.answer("hold")
    assert game.ask.player == "Brian"


def test_endless_questions_name_the_recurring_loop() -> None:
    """The loop around it, which ended with another answer, is not named."""
    one = '    choose one "{}"\n      option "Yes"\n        {}\n      option "No"\n        {}'
    around = make_phase(
        "each player",
        "  repeat until coin of you >= 1",
        one.format("Take?", "gain 1 coin", "gain 1 stick"),
        *["  gain 1 brick"] * 9,
        "repeat until fame of you > 999",
        one.format("More?", "gain 1 fame", "lose 1 fame"),
    )
    game = Rules(compile_program(around), "trial").new_game(PAIR, seed=1)
    game.answer(0)
    state = game.state
    state[o.STATUS] = o.TOO_LONG
    (found,) = fault_error(game.program, state).diagnostics
    assert found.span.line == around.splitlines().index("  repeat until fame of you > 999") + 1


def test_playouts_need_no_table() -> None:
    rng = Random(1)
    results = [play_random(RACE.program, 2, rng) for _ in range(30)]
    assert all(len(r.winners) == 1 and max(r.scores) >= 10 for r in results)
    holds = play_random(CARD.program, 2, rng, policy=lambda state: 0)
    assert holds.scores == (-1, -1) and (holds.choices, holds.draws) == (2, 2)


def test_copy_after_leaves_the_state_unchanged() -> None:
    game = RACE.new_game(PAIR, seed=1)
    state = game.state
    following = copy_after(RACE.program, state, 1)
    assert state == game.state
    game.answer(1)
    assert following[o.OPTIONS] == game.count


def test_scores_are_available_at_any_time() -> None:
    game = play_to_end(RACE, 11, Random(2))
    assert game.result is not None and game.scores() == game.result.scores
    assert game.judged(0) == game.scores()["Ann"]
    with pytest.raises(GameError, match="no seat 2"):
        game.view(2)


def test_threads_share_rules_with_separate_games() -> None:
    rules = load("pig")

    def play_and_read_log(seed: int) -> list[str]:
        game = play_to_end(rules, seed, Random(seed))
        return [str(game.result), *(entry.text for entry in game.log)]

    alone = [play_and_read_log(seed) for seed in range(4)]
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(play_and_read_log, range(4))) == alone


def test_import_is_cheap() -> None:
    code = "import sys, edict; print(len([m for m in sys.modules if m.startswith('edict')]), 'lark' in sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.split() == ["3", "False"]  # `edict`, and `edict.support` with the version


# --- numbers that leave their range ---------------------------------------------------------------------

RANGES = """
kind hut "hut/huts"
  size number from 1 to 9
hut shed "Shed"
  size 2
keep days as number from 0 to 9 starting at 5
keep store of player as number from 0 to 9
keep guests of hut by player as number from 0 to 3
keep thrown as dice
keep seen of number as number
"""
WAYS = {
    "add 7 to days": ("`days` would become 12, and it goes from 0 to 9", "keep days as number from 0 to 12"),
    "remove 6 from days": ("`days` would become -1, and it goes from 0 to 9", "keep days as number from -1 to 9"),
    "for left of you\n  add days + 7 to store of you": (
        "`store` would become 12, and it goes from 0 to 9",
        "keep store of player as number from 0 to 12",
    ),
    "each hut\n  set guests of hut by you to days": (
        "`guests` would become 5, and it goes from 0 to 3",
        "keep guests of hut by player as number from 0 to 5",
    ),
    "add 3 to seen of (days * 20)": ("a number from 0 to 61 is needed here, and this is 100", "check first"),
    "add cube showing (days + 4) to thrown": ("a number from 1 to 6 is needed here, and this is 9", "check first"),
    "remove cube showing 2 from thrown": ("dice were to be taken away that are not there", "only what lies there"),
}


@pytest.mark.parametrize("way", WAYS)
def test_range_fault_names_keep_range_and_number(way: str) -> None:
    last = way.count("\n")
    rules = Rules(compile_program(RANGES + make_phase("choose a number from 1 to 2 as going", way)), "trial")
    game = rules.new_game(["Ann", "Ben"], seed=1)
    with pytest.raises(RulesError) as caught:
        game.answer(0)
    (found,) = caught.value.diagnostics
    said, remedy = WAYS[way]
    assert found.title == f"trial-run: {said}" and found.help is not None and remedy in found.help
    assert (found.span.file, found.span.line) == ("page1.edict", RANGES.count("\n") + 4 + last)
