"""Tests of dice with more sides than one cell holds, and of the same rules in narrow and wide layouts."""

from __future__ import annotations

from functools import cache
from random import Random
from unittest.mock import patch

import pytest

from edict.agents.spaces.observation_space import ObservationSpace
from edict.compiler.semantics import dice_layout
from edict.game.table.rules import Rules
from edict.runtime.program import Program, opcodes
from edict.runtime.program.cell_values import read_value
from edict.runtime.simulation import native
from helpers import compile_program, run_steps
from random_programs import mask_dead_cells

OTHERS = "orange", "yellow", "green", "blue"
WHITE = 'die white "white die/white dice" with 6 sides\n'
RED = 'die red "red die/red dice" with 6 sides\n'
SIX = WHITE + RED + "".join(f"die {colour} with 6 sides\n" for colour in OTHERS)
KEEPS = """
keep pool of player as dice
keep aside of player as dice
keep cup of player as dice, secret
keep table-dice as dice
"""

TURN = """
phase trial-run
  repeat 3 times
    each player
      do turn

routine turn
  set pool of you to no-dice
  set aside of you to no-dice
  roll 2 white as whites
  add whites to pool of you
  roll 1 red as one-red
  add one-red to pool of you
  roll 2 gem as gems
  add gems to pool of you
  announce you, "rolls", pool of you
  roll 1 red into cup of you
  if some pool of you has it = 6
    gain 1 coin
  if every (whites among pool of you) has it > 2
    gain 2 coin
  gain total of (whites among pool of you) mod 5 coin
  gain count of (pool of you where it mod 2 = 1) stick
  gain count of (whites showing 3 among pool of you) brick
  gain count of faces of pool of you brick
  may reroll whites among pool of you within pool of you
  choose a die from pool of you as taken
  remove taken from pool of you
  add taken to aside of you
  choose up to 3 dice from pool of you as more
  move more from pool of you to aside of you
  gain total of aside of you fame
  let best-ones = pool of you with most it
  set table-dice to best-ones + white showing 3
  if table-dice = pool of you
    gain 9 fame
  swap pool of you with pool of left of you
  if count of aside of you > 3
    show cup of you to everyone
  announce you, "has", aside of you, "and", pool of you
"""


def play_random_game(rules: Program, seed: int) -> tuple[list[str], list[object]]:
    """Play a random game, and return its log as everybody reads it and its questions, with dice in any sequence."""
    game = Rules(rules, "trial").new_game(players=["Ann", "Ben"], seed=seed)
    luck, asked = Random(seed), list[object]()
    while not game.over:
        texts = sorted((one.text, i) for i, one in enumerate(game.ask.options))
        seen = [game.view(seat).values["coin"] for seat in (0, 1)]
        asked.append((game.ask.prompt, [text for text, _ in texts], seen))
        game.answer(texts[luck.randrange(len(texts))][1])
    return [f"{entry.kind} {entry.text} {entry.seats}" for entry in game.log], asked


def test_narrow_and_wide_dice_play_the_same() -> None:
    usual = compile_program(WHITE + RED + KEEPS, TURN)
    with patch.object(dice_layout, "MOST_SIDES", 0):
        wide = compile_program(WHITE + RED + KEEPS, TURN)
    assert (usual.dice.cells, wide.dice.cells) == (1, 2)
    for seed in range(2):
        assert play_random_game(wide, seed) == play_random_game(usual, seed)


@cache
def many_dice_program() -> Program:
    """Return a program with five colors of dice and two white ones that are rolled together."""
    rolls = "".join(f"  roll 1 {one} as one-{one}\n  add one-{one} to pool of you\n" for one in OTHERS)
    return compile_program(SIX + KEEPS, TURN.replace("  roll 2 gem", rolls + "  roll 2 gem"))


def test_five_colors_and_two_white_dice() -> None:
    """With the game's own two kinds there are 46 sides in four cells of twelve, and fifteen dice may show the same."""
    rules = many_dice_program()
    assert (len(rules.dice.fields), rules.dice.cells, rules.dice.width) == (46, 4, 4)
    log, asked = play_random_game(rules, 3)
    assert any("red die" in line and "blue" in line for line in log) and len(asked) > 20


def test_observation_contains_all_dice() -> None:
    rules, luck = many_dice_program(), Random(1)
    game, observer = (
        Rules(rules, "trial").new_game(players=["Ann", "Ben"], seed=1),
        ObservationSpace.from_program(rules),
    )
    assert len(observer.names) == len(set(observer.names))
    pool = next(one for one in rules.variables if one.name == "pool")
    for _ in range(6):
        game.answer(luck.randrange(len(game.ask.options)))
        seen = dict(zip(observer.names, observer.observe(game.state, game.seat), strict=True))
        dice = read_value(pool.type, game.state, pool.base + game.seat * pool.type.cells)
        for name, _, sides, first in rules.dice.kinds:
            for face in range(1, sides + 1):
                there = dice >> rules.dice.offset_of(first + face - 1) & (1 << rules.dice.width) - 1
                assert seen[f"pool: {name} {face} (own)"] == there


@pytest.mark.skipif(not native.is_available(), reason="llvmlite is an extra, and not installed here")
def test_many_dice_play_alike_on_every_backend() -> None:
    rules = many_dice_program()
    ends, counts = native.play_batch(rules, 2, range(8))
    for seed in range(8):
        state, asked = native.play_one(rules, 2, seed)
        assert (ends[seed][opcodes.STATUS], int(counts[seed])) == (opcodes.GAME_OVER, asked)
        assert mask_dead_cells(ends[seed].tolist()) == mask_dead_cells(state)


def test_each_kind_and_face_is_counted_separately() -> None:
    kinds = "white", "red", "orange", "blue", "gem"
    shown = " + ".join(f"{kind} showing {face}" for kind in kinds for face in (1, 1, 4))
    run = run_steps(f"set pool of you to {shown}", rules=SIX + KEEPS)
    assert run.unpack_dice(run.get_value("pool", 0)) == {kind: [1, 1, 4] for kind in kinds}


def test_too_many_dice_of_one_face_are_a_fault() -> None:
    lines = ["set pool of you to blue showing 2", *["set pool of you to pool of you + pool of you"] * 4]
    assert run_steps(*lines[:-1], rules=SIX + KEEPS).is_over
    assert run_steps(*lines, rules=SIX + KEEPS).fault == "more dice of one face than can be counted"


def test_removing_dice_from_none_is_a_fault() -> None:
    run = run_steps("set pool of you to no-dice - blue showing 2", rules=SIX + KEEPS)
    assert run.fault == "left the range it was declared with"
