"""The bots: they answer legally, see only what their seat may, and those that judge are worth playing against."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from random import Random

import pytest

import edict
from edict.agents.bots import BOTS
from edict.agents.bots.kinds import native_policy
from edict.agents.bots.match import Match, laid
from edict.agents.bots.matches import attending, course
from edict.agents.bots.policy import PolicyBot, PolicyLookahead
from edict.agents.bots.weights import Judgement, Weights
from edict.compiler.pipeline.pipeline import build
from edict.runtime.machine.loop import run
from edict.runtime.program import Program
from edict.runtime.program import opcodes as o
from edict.runtime.program.initial_state import create_state
from edict.runtime.simulation import native
from edict.runtime.simulation.plans import GREEDY, WORST
from helpers import module
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
    match = Match(laid(program, players, settings), seed)
    for _, index in course(match, [attending(BOTS[kind](program, seat)) for seat in range(players)]):
        match.answer(index)
    return match


@pytest.mark.parametrize("text", ["12:30", "https://h/y", "C:\\games", ":", "a:b@c", "x:Class@never"])
def test_text_with_a_colon_that_names_no_class_is_no_bot(text: str) -> None:
    assert text not in BOTS and BOTS.problem(text)
    with pytest.raises(KeyError):
        BOTS[text]


def test_bots_play_every_game_to_its_end_and_the_same_one_with_the_same_seeds() -> None:
    pig, poker = edict.load("pig").program, edict.load("kuhn-poker").program
    for program, kinds, most, settings in (
        (pig, ("random", "judge", "greedy"), pig.most_players, {}),
        (pig, ("flat@6", "search@6"), 2, {"goal": 5}),
        (poker, ("flat@6", "search@6", "greedy"), 2, {}),
    ):
        for kind, players in product(kinds, range(2, most + 1)):
            one, again = (played(program, kind, players, players, settings) for _ in range(2))
            assert one.over and one.winners and one.state == again.state, (kind, players)


@pytest.mark.parametrize(
    ("name", "players"),
    [("four-winds", 4), ("foxes-at-court", 3), ("harbour-lots", 4), ("sixty-four", 3)],
)
def test_hidden_hands_that_read_as_nothing_end_no_game_of_greedy_bots(name: str, players: int) -> None:
    program = edict.load(name).program
    short = {"favours": 1} if name == "foxes-at-court" else {}
    assert played(program, "greedy", players, 1, short).winners


@pytest.mark.parametrize("name", ["kuhn-poker", "pig"])
def test_what_happens_in_a_match_is_told_alike_natively_and_however_little_is_noted_at_once(name: str) -> None:
    program = edict.load(name).program
    told = list[list[str]]()
    for more in ({}, {"log_events": 8}, {"natively": native.is_available()}):
        match = Match(laid(program, 2), 7, **more)
        while match.advance():
            match.answer(match.drawn() if match.seat == o.CHANCE else len(match.options) - 1)
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
def test_who_must_guess_or_search_thinks_in_python(game: str, spec: str, natively: bool) -> None:
    assert (native_policy(edict.load(game).program, spec, 3) is not None) == natively


def test_a_bot_answers_at_a_table_as_in_a_simulation_and_does_not_touch_the_game() -> None:
    rules = edict.load("kingsburg")
    game = rules.new_game(["Ann", "Brian", "Cindy"], seed=5)
    here, there = JUDGE(rules.program, 3), JUDGE(rules.program, 3)
    for _ in range(40):
        state = game.state
        index = here.choose(game.view(game.seat), game.ask)
        assert game.state == state and index == there.pick(state)
        game.answer(game.ask.options[index])


def test_the_other_hand_makes_no_difference() -> None:
    """Whatever card the other holds, the options look the same to the one who is asked."""
    found: dict[int | None, list[int]] = {}
    for seed in range(12):
        view = CARD.new_game(PAIR, seed=seed).view(0)
        values = PolicyLookahead(CARD.program, 2, GREEDY).values(view.thinking_state)
        assert found.setdefault(view.value("hand", 0), values) == values
    assert len(found) == 3


@pytest.mark.parametrize("name", ["four-winds", "sixty-four"])
def test_a_policy_reads_what_is_hidden_only_where_all_lies_open(name: str) -> None:
    rules = edict.load(name)
    players, luck, differs = rules.program.least_players, Random(1), False
    game = rules.new_game([f"P{seat}" for seat in range(players)], seed=1)
    bot = PolicyBot(rules.program, 1, lambda _: GREEDY)
    for _ in range(10):
        closed = PolicyLookahead(rules.program, players, GREEDY).values(game.state)
        assert closed == PolicyLookahead(rules.program, players, GREEDY, openly=False).values(game.state)
        bot.pick(game.state)
        assert bot.values == closed
        differs |= closed != PolicyLookahead(rules.program, players, GREEDY, openly=True).values(game.state)
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


def test_a_choice_is_followed_to_its_end_and_a_fault_is_worth_nothing() -> None:
    program = build((module(THOUGHT),)).unwrap()
    state = asked(program)
    short = replace(GREEDY, budget=4)
    assert PolicyLookahead(program, 2, GREEDY).values(state) == [1, 0, WORST, 3]
    assert PolicyLookahead(program, 2, short).values(state) == [1, 0, WORST, 0], "too little time to look further"
    assert {JUDGE(program, seed).pick(state) for seed in range(20)} == {3}


def test_ties_are_broken_by_lot() -> None:
    program = build((module(THOUGHT.replace("gain 3 coin", "gain 1 coin")),)).unwrap()
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


def test_what_others_have_weighs_the_same_however_many_they_are() -> None:
    """Learned weights count the mean of the others, so what all of them lose is worth what each of them loses."""
    program = build((module(SHARED),)).unwrap()
    for numbers in ((6.0, 0.0, -6.0, 0.0), (0.0, 6.0, 0.0, -6.0)):  # always, and towards the end
        judgement = Judgement(0.0, {"coin": numbers})
        weights = Weights(program.name, program.rules_hash, (), "year", 5, judgement, judgement)
        for players in (2, 3, 4):
            state = asked(program, players=players)
            me, less, least = PolicyLookahead(program, players, weights.judging(program, players)).values(state)
            assert me == less < least, (numbers, players)
