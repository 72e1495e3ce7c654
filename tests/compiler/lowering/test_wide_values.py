"""Tests that sets, orders and choices play the same in narrow and wide layouts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from math import prod
from random import Random
from unittest.mock import patch

import pytest

from edict.agents.spaces.observation_space import ObservationSpace
from edict.compiler.lowering import layout
from edict.compiler.pipeline.pipeline import build_program
from edict.game.table.game import Game
from edict.game.table.rules import Rules
from edict.game.table.view import View
from edict.runtime.program import Program, opcodes
from edict.runtime.program.cell_values import decode_order, read_value
from edict.runtime.simulation import native
from edict.runtime.simulation.counters import CountingPlan
from edict.runtime.simulation.counting import count_games, plan_counting
from helpers import Run, add_game, compile_program, make_module, run_cases, run_steps
from random_programs import mask_dead_cells

BITS = 3  # of a set in one cell, where that is all there is


@contextmanager
def narrow_layout() -> Iterator[None]:
    """Compile with three members a cell, no packed orders, and no sets of numbers."""
    with (
        patch.object(opcodes, "BITS", BITS),
        patch.object(layout, "PACKED_ORDER", 2),
        patch.object(layout, "SET_BITS", 0),
    ):
        yield


def card_rules(count: int) -> str:
    return f"""
kind card "card/cards"
  rank number from 1 to {count}
  likes set of card, optional
  near is cards where rank of it > rank of card - 3 and rank of it < rank of card + 3 and it is not card
  in order of rank

card for each rank "Card {{rank}}"

keep deck as order of card, quiet
keep pile "pile" as set of card starting at cards
keep hand "hand" of player as set of card
keep sleeve "sleeve" of player as set of card, secret
keep stakes "stake" of card as set of card
keep top "top" as card or none
keep bid of player as number from 0 to 2000
keep rounds as number

value like of card is near of card + (cards where rank of it mod 5 = rank of card mod 5)
"""


TURN = """
phase trial-run
  shuffle deck
  repeat until rounds = 4
    add 1 to rounds
    each player
      do turn
  arrange deck highest rank of it mod 4 first
  set top to first of deck
  announce "the deck is", deck
  each card in hand of (first of everyone)
    gain rank of card mod 7 coin

routine turn
  let seen = first of deck
  draw a card from pile as drawn
  remove drawn from pile
  add drawn to hand of you
  announce you, "holds", hand of you, "of", count of hand of you
  may choose a card from near of drawn as other where it is not in hand of you
    add other to sleeve of you
    add other to stakes of drawn
    if near of other is within near of drawn + near of seen
      gain 5 coin
    if sleeve of you = near of drawn
      gain 1 fame
  choose a number from 0 to 20 + rank of drawn as offered where it mod 3 = 1
  set bid of you to offered
  gain bid of you mod 4 coin
  let best-one = pile with most rank of it mod 5 then fewest rank of it
  if best-one is not empty
    move first of best-one from pile to sleeve of you
  if some hand of you has rank of it mod 4 = 0
    gain 2 fame
  if every sleeve of you has it is in (cards - hand of you)
    gain 1 stick
  gain sum of rank of it over (hand of you + seen) mod 5 coin
  gain count of (cards where it is in sleeve of you and near of it is not empty) brick
  if seen is in hand of you
    show sleeve of you to everyone
  each card in (pile - near of drawn)
    if rank of card mod 6 = 2 and card is not drawn
      add card to stakes of drawn
      remove card from stakes of drawn
  draw a number from 1 to 99 as luck
  gain luck mod 3 coin
  if drawn is in like of seen
    gain count of (like of drawn - hand of you) coin
  swap hand of you with hand of left of you
"""


def play_random_game(rules: Program, seed: int) -> tuple[list[str], list[object]]:
    """Play a random game; return its public log and, for each question, all that each seat knows."""
    game = Rules(rules, "trial").new_game(players=["Ann", "Ben", "Cleo"], seed=seed)
    luck, seen = Random(seed), list[object]()
    while not game.over:
        seen.append(look_at_game(game))
        game.answer(luck.randrange(len(game.ask.options)))
    return [f"{entry.kind} {entry.text} {entry.seats}" for entry in game.log], [*seen, look_at_game(game)]


def look_at_game(game: Game) -> object:
    sets = [one for one in game.program.variables if one.type.shape == "set" and one.type.kind == "card"]
    cells = (cell for one in sets for cell in game.state[one.base : one.base + prod(one.sizes) * one.type.cells])
    assert all(0 <= cell < 1 << opcodes.BITS for cell in cells), "more members than there is room for"
    asked = None if game.over else (game.ask.prompt, [one.text for one in game.ask.options])
    return asked, [known_values(game.view(seat)) for seat in range(len(game.players))]


def known_values(view: View) -> dict[str, object]:
    """Return all that a seat knows of every variable, orders as their members."""
    orders = {one.name for one in view.program.variables if one.type.shape == "order"}
    return {name: decode_order(value) if name in orders else value for name, value in view.values.items()}


def test_narrow_and_wide_layouts_play_count_and_observe_the_same() -> None:
    for size in (5, 13):
        usual = compile_program(card_rules(size), TURN)
        with narrow_layout():
            wide = compile_program(card_rules(size), TURN)
            taken = [play_random_game(wide, seed) for seed in range(2)]
        assert all(variable.type.cells == 1 for variable in usual.variables)
        assert any(variable.type.cells > 2 for variable in wide.variables)
        for seed, (log, seen) in enumerate(taken):
            expected, looked = play_random_game(usual, seed)
            assert log == expected
            assert seen == looked
    with narrow_layout():
        tally, observed = count_random_games(wide), observe_mid_game(wide)
    assert tally == count_random_games(usual) and any(tally.values())
    same = {name for name in observed if "known" not in name and not name.startswith("deck")}
    assert len(same) > 100 and {name: observed[name] for name in same} == {
        name: value for name, value in observe_mid_game(usual).items() if name in same
    }


def count_random_games(rules: Program) -> dict[object, object]:
    """Return the statistics of some random games by subject; addresses of scoring rules differ."""
    plan: CountingPlan = plan_counting(rules, 3)
    found = count_games(plan, range(10))
    assert set(found.statuses) == {opcodes.GAME_OVER}
    sums = found.sums[2 * 3 :]
    return {feature.key: sums[number * 4 : number * 4 + 4] for number, feature in enumerate(plan.features)}


def observe_mid_game(rules: Program) -> dict[str, int]:
    """Return the first player's observation in the middle of a game."""
    game = Rules(rules, "trial").new_game(players=["Ann", "Ben", "Cleo"], seed=2)
    for _ in range(6):
        game.answer(0)
    observer = ObservationSpace.from_program(rules)
    return dict(zip(observer.names, observer.observe(game.state, 0), strict=True))


# --- sizes that need it ------------------------------------------------------------------------------


@cache
def large_program() -> Program:
    return compile_program(card_rules(70), TURN)


@pytest.mark.skipif(not native.is_available(), reason="llvmlite is an extra, and not installed here")
def test_many_cards_play_alike_on_every_backend() -> None:
    ends, counts = native.play_batch(large_program(), 3, range(5))
    for seed in range(5):
        state, asked = native.play_one(large_program(), 3, seed)
        assert (ends[seed][opcodes.STATUS], int(counts[seed])) == (opcodes.GAME_OVER, asked)
        assert mask_dead_cells(ends[seed].tolist()) == mask_dead_cells(state)


def test_many_cards_play_alike_in_another_layout() -> None:
    expected = play_random_game(large_program(), 5)
    with patch.object(opcodes, "BITS", 20):
        assert play_random_game(compile_program(card_rules(70), TURN), 5) == expected


def test_three_hundred_things_can_be_offered_and_drawn() -> None:
    """Offer more options than the default room holds."""
    rules = "kind card\nkeep pile as set of card\n" + "".join(f"card c{i}\n" for i in range(300))
    lines = "choose a card as one", "add one to pile", "draw a card from (cards - pile) as two", "add two to pile"
    run = run_steps(*lines, rules=rules)
    assert len(run.options) == 300 and run.program.max_options == 301
    assert len(run.answer("c299").options) == 299
    run.answer("c150")
    assert (
        run.is_over
        and read_value(run.get_variable("pile").type, run.state, run.get_variable("pile").base) == 1 << 299 | 1 << 150
    )


# --- numbers to choose from --------------------------------------------------------------------------

BID = "keep bid as number from 0 to 1000\n"


NUMBERS = {
    "0 to 1000 as x": range(1001),
    "990 to 1000 as x": range(990, 1001),
    "0 to 1000 as x where it mod 100 = 7": range(7, 1000, 100),
    "coin of you to 1000 as x where it > 995": range(996, 1001),
    "0 - coin of you to 70 as x": range(71),
}


def test_large_ranges_of_numbers_are_offered(subtests: pytest.Subtests) -> None:
    cases = [(f"choose a number from {choice}\nset bid to x", options) for choice, options in NUMBERS.items()]
    for run, line, options in run_cases(cases, BID, "gain 99 coin"):
        with subtests.test(line=line):
            assert run.options == [str(number) for number in options]
            assert run.answer(options[-1]).get_value("bid") == options[-1]


def test_empty_range_ends_the_block() -> None:
    run = run_steps("choose a number from 500 to 400 + coin of you as x", "set bid to 7", rules=BID)
    assert run.is_over and run.get_value("bid") == 0
    run = run_steps("may choose a number from 0 to 500 as x where it > 498", "  set bid to x", rules=BID)
    assert run.options == ["499", "500", "-"] and run.answer("-").get_value("bid") == 0
    assert run_steps("may choose a number from 500 to 400 as x", "  set bid to x", rules=BID).is_over


def test_option_room_is_bounded_before_play() -> None:
    few, many = (run_steps(f"gain {n} coin", "choose a number from 0 to coin of you as x") for n in (234, 235))
    assert len(few.options) == 235 and many.fault == "offered more choices than there is room for"
    assert few.program.max_options == 235
    assert run_steps("choose a number from 1 to 1000 as x").program.max_options == 1_002


def test_twelve_players_can_play() -> None:
    texts = [text.replace("players 2 to 4", "players 2 to 12") for text in add_game(card_rules(70), TURN)]
    run = Run(build_program((make_module(*texts),)).unwrap(), players=12)
    luck = Random(3)
    while not run.is_over:
        run.answer(luck.choice(run.options))
    assert all(run.get_value("bid", seat) > 0 for seat in range(12))
