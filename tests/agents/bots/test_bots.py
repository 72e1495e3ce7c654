"""Bots: they answer legally and see only what their seat may; those with a judgement are worth playing against."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from random import Random

import pytest

import edict
from edict.agents.bots import BOTS
from edict.agents.bots.bot_registry import native_policy
from edict.agents.bots.match import Match, create_bot_table
from edict.agents.bots.match_play import iter_answers, to_participant
from edict.agents.bots.policy_bots import PolicyBot, PolicyLookahead
from edict.agents.bots.weights import FeatureWeights, Weights
from edict.compiler.pipeline.pipeline import build_program
from edict.runtime.machine.loop import run
from edict.runtime.program import Program, create_state
from edict.runtime.program import opcodes as o
from edict.runtime.simulation import native
from edict.runtime.simulation.plans import GREEDY, WORST
from helpers import make_module
from table_kit import CARD, PAIR

JUDGE = BOTS["judge"]


def asked(program: Program, answers: tuple[int, ...] = (), players: int = 0) -> list[int]:
    """The state at the question after these answers, chance's among them; players: as few as can play, or so many."""
    state = create_state(program, players or program.least_players, {s.name: s.value for s in program.settings})
    state[o.LOGGING] = 0
    run(program.code, state, [0])
    for answer in answers:
        state[o.ANSWER] = answer
        run(program.code, state, [0])
    return state


def played(program: Program, kind: str, players: int, seed: int, settings: Mapping[str, object]) -> Match:
    """A game among bots of a kind."""
    match = Match(create_bot_table(program, players, settings), seed)
    for _, index in iter_answers(match, [to_participant(BOTS[kind](program, seat)) for seat in range(players)]):
        match.answer(index)
    return match


@pytest.mark.parametrize("text", ["12:30", "https://h/y", "C:\\games", ":", "a:b@c", "x:Class@never"])
def test_text_with_a_colon_that_names_no_class_is_no_bot(text: str) -> None:
    assert text not in BOTS and BOTS.find_problem(text)
    with pytest.raises(KeyError):
        BOTS[text]


def test_bots_finish_games_and_repeat_them_with_the_same_seeds(subtests: pytest.Subtests) -> None:
    pig, poker = edict.load("pig").program, edict.load("kuhn-poker").program
    for program, kinds, most, settings in (
        (pig, ("random", "judge", "greedy"), pig.most_players, {}),
        (pig, ("flat@6", "search@6"), 2, {"goal": 5}),
        (poker, ("flat@6", "search@6", "greedy"), 2, {}),
    ):
        for kind, players in product(kinds, range(2, most + 1)):
            with subtests.test(kind=kind, players=players):
                one, again = (played(program, kind, players, players, settings) for _ in range(2))
                assert one.over and one.winners and one.state == again.state


@pytest.mark.parametrize(
    ("name", "players"),
    [("four-winds", 4), ("foxes-at-court", 3), ("harbour-lots", 4), ("sixty-four", 3)],
)
def test_greedy_bots_finish_games_with_hidden_hands(name: str, players: int) -> None:
    program = edict.load(name).program
    short = {"favours": 1} if name == "foxes-at-court" else {}
    assert played(program, "greedy", players, 1, short).winners


@pytest.mark.parametrize("name", ["kuhn-poker", "pig"])
def test_match_log_is_the_same_natively_and_with_small_event_buffers(name: str, subtests: pytest.Subtests) -> None:
    program = edict.load(name).program
    told = list[list[str]]()
    for more in ({}, {"log_events": 8}, {"natively": native.is_available()}):
        with subtests.test(more=more):
            match = Match(create_bot_table(program, 2), 7, **more)
            while match.advance():
                match.answer(match.draw_chance() if match.seat == o.CHANCE else len(match.options) - 1)
            told.append([entry.text for entry in match.log])
            assert match.result is not None
    assert told[0] == told[1] == told[2] and len(told[0]) > 3


@pytest.mark.parametrize(
    ("game", "spec", "natively"),
    [
        ("pig", "random", True),
        ("pig", "judge", True),
        ("pig", "greedy", True),
        ("pig", "search", False),
        ("kuhn-poker", "random", True),
        ("kuhn-poker", "judge", False),
        ("kuhn-poker", "greedy", False),
        ("kingsburg", "greedy", True),
    ],
)
def test_only_bots_without_guesses_or_search_have_a_native_policy(game: str, spec: str, natively: bool) -> None:
    assert (native_policy(edict.load(game).program, spec, 3) is not None) == natively


def test_bot_answers_alike_at_a_table_and_in_a_simulation() -> None:
    rules = edict.load("kingsburg")
    game = rules.new_game(["Ann", "Brian", "Cindy"], seed=5)
    here, there = JUDGE(rules.program, 3), JUDGE(rules.program, 3)
    for _ in range(40):
        state = game.state
        index = here.choose(game.view(game.seat), game.ask)
        assert game.state == state and index == there.pick(state)
        game.answer(game.ask.options[index])


def test_hidden_hand_of_another_does_not_change_option_values() -> None:
    """Whatever card the other holds, the options look the same to the one who is asked."""
    found: dict[int | None, list[int]] = {}
    for seed in range(12):
        view = CARD.new_game(PAIR, seed=seed).view(0)
        values = PolicyLookahead(CARD.program, 2, GREEDY).evaluate_options(view.thinking_state)
        assert found.setdefault(view.value("hand", 0), values) == values
    assert len(found) == 3


@pytest.mark.parametrize("name", ["four-winds", "sixty-four"])
def test_lookahead_ignores_hidden_cells(name: str) -> None:
    rules = edict.load(name)
    players, luck, differs = rules.program.least_players, Random(1), False
    game = rules.new_game([f"P{seat}" for seat in range(players)], seed=1)
    bot = PolicyBot(rules.program, 1, lambda _: GREEDY)
    for _ in range(10):
        closed = PolicyLookahead(rules.program, players, GREEDY).evaluate_options(game.state)
        assert closed == PolicyLookahead(rules.program, players, GREEDY, all_visible=False).evaluate_options(game.state)
        bot.pick(game.state)
        assert bot.values == closed
        differs |= closed != PolicyLookahead(rules.program, players, GREEDY, all_visible=True).evaluate_options(
            game.state
        )
        game.answer(luck.randrange(game.count))
    assert differs


THOUGHT = """
resource coin "coin/coins"
keep line as order of player, quiet
keep chosen as player or none

game thought "Thought"
  players 2 to 2
  order line
  winners everyone
  score coin of you
  course
    each player
      choose one "What now?"
        option "A coin"
          gain 1 coin
        option "Nothing"
          nothing
        option "A fault"
          gain coin of chosen coin
        option "First half of three"
          choose one "And then?"
            option "Give up"
              nothing
            option "Second half"
              gain 3 coin
"""


def test_lookahead_follows_choices_to_their_end_and_values_a_fault_worst() -> None:
    program = build_program((make_module(THOUGHT),)).unwrap()
    state = asked(program)
    short = replace(GREEDY, budget=4)
    assert PolicyLookahead(program, 2, GREEDY).evaluate_options(state) == [1, 0, WORST, 3]
    assert PolicyLookahead(program, 2, short).evaluate_options(state) == [1, 0, WORST, 0], (
        "too little time to look further"
    )
    assert {JUDGE(program, seed).pick(state) for seed in range(20)} == {3}


def test_ties_are_broken_at_random() -> None:
    program = build_program((make_module(THOUGHT.replace("gain 3 coin", "gain 1 coin")),)).unwrap()
    assert {JUDGE(program, seed).pick(asked(program)) for seed in range(40)} == {0, 3}


SHARED = """
resource coin "coin/coins"
keep year as number from 0 to 5 starting at 5
keep line as order of player, quiet

game fair "Fair"
  players 2 to 4
  order line
  winners everyone
  score coin of you
  course
    each player
      gain 5 coin
    each player
      choose one "Who?"
        option "Two for me"
          gain 2 coin
        option "Two less for all others"
          each player in (players where it != you)
            lose 2 coin
        option "Four less for all others"
          each player in (players where it != you)
            lose 4 coin
"""


def test_weights_of_others_do_not_depend_on_the_number_of_players(subtests: pytest.Subtests) -> None:
    """Learned weights count the mean of the others, so what all of them lose is worth what each of them loses."""
    program = build_program((make_module(SHARED),)).unwrap()
    for numbers in ((6.0, 0.0, -6.0, 0.0), (0.0, 6.0, 0.0, -6.0)):  # always, and towards the end
        judgement = FeatureWeights(0.0, {"coin": numbers})
        weights = Weights(program.name, program.rules_hash, (), "year", 5, judgement, judgement)
        for players in (2, 3, 4):
            with subtests.test(players=players):
                state = asked(program, players=players)
                me, less, least = PolicyLookahead(
                    program, players, weights.to_greedy_policy(program, players)
                ).evaluate_options(state)
                assert me == less < least, (numbers, players)
