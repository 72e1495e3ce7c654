"""Every kind of bot beats `random`: in every shipped game, and under rules without a judgement."""

from __future__ import annotations

import pytest

import edict
from edge_over_random import compare_with_random
from edict.agents.bots import BOTS
from edict.agents.bots.bot_registry import is_search
from edict.apps.cli.commands.modules import list_shipped_games
from edict.compiler.pipeline.pipeline import build_program
from edict.runtime.program import Program
from edict.runtime.simulation import native
from helpers import make_module

needs_native = pytest.mark.skipif(not native.is_available(), reason="in plain Python this takes minutes")
CHEAP = ("pig", "causeway", "embers", "kuhn-poker", "nine-tiles")
MODULES = (
    (),
    ("alternate-rows",),
    ("governors", "destiny"),
    ("more-buildings", "soldier-tokens", "advisor-tiles"),
    ("steady-king",),
    ("first-edition",),
    ("long-winter",),
    ("goblin-valley",),
    ("settlements-and-deals",),
)


def few(program: Program) -> int:
    return min(program.most_players, max(program.least_players, 2))


@needs_native
@pytest.mark.sample(2)
@pytest.mark.parametrize("game", CHEAP)
def test_greedy_beats_random_in_cheap_games(game: str) -> None:
    program = edict.load(game).program
    found = compare_with_random(program, "greedy", few(program), 160)
    assert found.is_better, found


@needs_native
@pytest.mark.slow
@pytest.mark.parametrize("kind", [kind for kind in BOTS if kind != "random"])
@pytest.mark.parametrize("game", [game for game in list_shipped_games() if game != "kingsburg"])
def test_bot_beats_random_in_every_game(game: str, kind: str) -> None:
    program = edict.load(game).program
    found = compare_with_random(program, f"{kind}@40" if is_search(kind) else kind, few(program), 150)
    assert found.is_better, found


@needs_native
@pytest.mark.slow
@pytest.mark.parametrize("kind", ["judge", "greedy", "learned"])
@pytest.mark.parametrize("modules", MODULES)
def test_bot_beats_random_with_every_module(modules: tuple[str, ...], kind: str) -> None:
    found = compare_with_random(edict.load("kingsburg", modules).program, kind, 3, 90)
    assert found.is_better, found


PUSH = """
resource coin "coin/coins"
die d6 "die/dice" with 6 sides
keep line as order of player, quiet
keep pot "coins at stake" as number from 0 to 99, quiet
keep going as truth, quiet

game push "Push"
  players 2 to 2
  order line
  winners players with most coin of it
  score coin of you
  course
    repeat 4 times
      each player
        set pot to 0
        set going to yes
        repeat until not going
          choose one "Go on?"
            option "Go on"
              roll 1 d6 as thrown
              add total of thrown to pot
              if total of thrown = 1
                set pot to 0
                set going to no
            option "Stop"
              gain pot coin
              set going to no
"""

RACE = """
resource step "step/steps"
keep line as order of player, quiet
keep home as player or none, quiet

game race "Race"
  players 2 to 2
  order line
  winners players where it is home
  score 0
  course
    repeat until home is not none
      each player
        if home is none
          choose one "How far?"
            option "Back"
              if step of you > 0
                lose 1 step
            option "Stay"
              nothing
            option "On"
              gain 1 step
          if step of you = 4
            set home to you
"""


@pytest.mark.parametrize("text", [PUSH, RACE], ids=["turn_of_many_answers", "score_that_says_nothing"])
def test_bot_beats_random_under_rules_without_a_judgement(text: str) -> None:
    program = build_program((make_module(text),)).unwrap()
    found = compare_with_random(program, "greedy", 2, 80)
    assert found.is_better, found
