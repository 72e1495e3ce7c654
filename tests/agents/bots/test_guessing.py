"""Bots that look one answer ahead with hidden information: they sample possible worlds and know nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest

import edict
from edict.agents.bots import BOTS
from edict.agents.bots.bot_registry import find_policy, native_policy
from edict.agents.bots.match import Match, create_bot_table
from edict.agents.study.bot_games import GameSetup
from edict.compiler.pipeline.pipeline import build_program
from edict.game.table.belief import History
from edict.runtime.program import Program
from edict.runtime.program.opcodes import CHANCE
from helpers import make_module

URN = """
resource point "point/points"
kind ball "ball/balls"
  copies number from 1 to 9
table of ball with copies
  red "Red"      1
  green "Green"  9

keep line as order of player, quiet
keep urn as bag of ball starting at copies of each ball, secret, quiet
keep cup as bag of ball, secret, quiet
keep code of player as number from 0 to 3, secret

game urns "Urns"
  players 2 to 2
  order line
  winners players with most point of it
  score point of you
  course
    draw a ball from urn into cup
    each player
      choose a ball as guess "Which ball is it?"
      if guess is in cup
        gain 1 point
    draw a ball from balls as unseen secretly
    each player
      choose a ball as name "And this one?"
      if name is unseen
        gain 1 point
    each player
      choose a number from 1 to 3 as own secretly "Which code?"
      set code of you to own
    each player
      choose a number from 1 to 3 as tried "What is the code of the other?"
      if tried = code of left of you
        gain 2 point
"""

PILE = """
resource point "point/points"
kind card "card/cards"
  worth number from 1 to 10
  in order of worth
card for each worth "Card {worth}"

keep line as order of player, quiet
keep pile as order of card, secret, quiet
keep traitor as player, secret

game betrayal "Betrayal"
  players 3 to 3
  order line
  winners players with most point of it
  score point of you
  course
    shuffle pile
    draw a player from everyone as bad secretly
    set traitor to bad
    each player
      let top = first of pile
      if top is not none
        show pile to you
        may
          gain worth of top point
          remove top from pile
"""


def _program(text: str) -> Program:
    return build_program((make_module(text),)).unwrap()


def _answer(program: Program, kind: str, indices: Sequence[int], seed: int = 5) -> tuple[int, tuple[float, ...]]:
    """What a bot answers in a match of two in which these answers were given, chance's included, and its values."""
    match, history = Match(create_bot_table(program, 2)), History(program)
    for index in indices:
        assert match.advance()
        history.add_question(match.state)
        history.add_answer(index)
        match.answer(index)
    assert match.advance()
    history.add_question(match.state)
    bot = BOTS[kind](program, seed)
    if hasattr(bot, "follow"):
        bot.follow(history)
    return bot.pick(match.state), tuple(getattr(bot, "values", None) or ())


def test_greedy_guesses_the_likelier_ball() -> None:
    """Nine balls of ten are green, so that is what `greedy` guesses; read as nothing, the cup told it nothing."""
    program = _program(URN)
    for seed in range(12):
        index, values = _answer(program, "greedy", [0], seed)
        assert values[1] > values[0] and index == 1


def test_indistinguishable_games_give_the_same_answers() -> None:
    """Courses that look the same to who is asked: the same answers and values, names in use and secret answers too."""
    program, compared = _program(URN), 0
    for seed in range(2):
        luck, match, history, indices = (
            Random(seed),
            Match(create_bot_table(program, 2), seed),
            History(program),
            list[int](),
        )
        while match.advance():
            history.add_question(match.state)
            if match.seat != CHANCE:
                course = history.sample_course(match.seat, luck)
                compared += list(course) != indices
                for kind in ("greedy", "search@6"):
                    assert _answer(program, kind, indices) == _answer(program, kind, course)
            index = match.draw_chance() if match.seat == CHANCE else luck.randrange(len(match.options))
            indices.append(index)
            history.add_answer(index)
            match.answer(index)
    assert compared > 4, "there must be something to hide"


def test_cards_a_seat_has_seen_stay_fixed_in_every_world() -> None:
    """Ten cards in order: what the seat has been shown stands in every world, and only the traitor is open."""
    program, found = _program(PILE), 0
    for seed in range(4):
        match, history = Match(create_bot_table(program, 3), seed), History(program)
        asked = 0
        while asked < 2 and match.advance():
            history.add_question(match.state)
            if match.seat != CHANCE:
                asked += 1
                found += bool(history.has_hidden_cells(match.seat) and history.sample_worlds(match.seat, 2, Random(1)))
            index = match.draw_chance() if match.seat == CHANCE else 1
            history.add_answer(index)
            match.answer(index)
    assert found >= 2


def test_bots_play_natively_only_without_hidden_information(subtests: pytest.Subtests) -> None:
    hidden, kingsburg, pig = _program(URN), edict.load("kingsburg").program, edict.load("pig").program
    for kind in ("greedy", "judge", "learned"):
        with subtests.test(kind=kind):
            assert native_policy(hidden, kind, 2) is None
            assert not GameSetup(hidden, (kind, "random")).is_native
            assert native_policy(kingsburg, kind, 2) == find_policy(kingsburg, kind, 2) is not None
            assert native_policy(pig, kind, 2) is not None
    assert native_policy(hidden, "random", 2) is not None
