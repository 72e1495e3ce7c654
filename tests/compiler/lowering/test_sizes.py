"""Sets, orders and choices that take more than one cell: the same rules, laid out narrow and wide, play the same."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from math import prod
from random import Random
from unittest.mock import patch

import pytest

from edict.agents.spaces.observation_space import Observer
from edict.compiler.lowering import layout
from edict.compiler.pipeline.pipeline import build
from edict.game.table.game import Game
from edict.game.table.rules import Rules
from edict.game.table.view import View
from edict.runtime.program import Program, opcodes
from edict.runtime.program.cells import ordered, value_at
from edict.runtime.simulation import native
from edict.runtime.simulation.counters import Plan
from edict.runtime.simulation.counting import count, planned
from helpers import Run, does, module, program, tried, with_game
from made import read_again

BITS = 3  # of a set in one cell, where that is all there is


@contextmanager
def narrow() -> Iterator[None]:
    """Cells with room for three members, orders that are never packed, numbers that are never a set."""
    with patch.object(opcodes, "BITS", BITS), patch.object(layout, "PACKED", 2), patch.object(layout, "MEMBERS", 0):
        yield


def cards(count: int) -> str:
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


def course(rules: Program, seed: int) -> tuple[list[str], list[object]]:
    """A random game: its log as everybody reads it, and at every question all that anybody may know of it."""
    game = Rules(rules, "trial").new_game(players=["Ann", "Ben", "Cleo"], seed=seed)
    luck, seen = Random(seed), list[object]()
    while not game.over:
        seen.append(looks(game))
        game.answer(luck.randrange(len(game.ask.options)))
    return [f"{entry.kind} {entry.text} {entry.seats}" for entry in game.log], [*seen, looks(game)]


def looks(game: Game) -> object:
    sets = [one for one in game.program.variables if one.type.shape == "set" and one.type.kind == "card"]
    cells = (cell for one in sets for cell in game.state[one.base : one.base + prod(one.sizes) * one.type.cells])
    assert all(0 <= cell < 1 << opcodes.BITS for cell in cells), "more members than there is room for"
    asked = None if game.over else (game.ask.prompt, [one.text for one in game.ask.options])
    return asked, [known(game.view(seat)) for seat in range(len(game.players))]


def known(view: View) -> dict[str, object]:
    """All that a seat knows, of every variable; orders as the members they have."""
    orders = {one.name for one in view.program.variables if one.type.shape == "order"}
    return {name: ordered(value) if name in orders else value for name, value in view.values.items()}


def test_narrow_and_wide_play_the_same_and_are_counted_and_observed_the_same() -> None:
    for size in (5, 13):
        usual = program(cards(size), TURN)
        with narrow():
            wide = program(cards(size), TURN)
            taken = [course(wide, seed) for seed in range(2)]
        assert all(variable.type.cells == 1 for variable in usual.variables)
        assert any(variable.type.cells > 2 for variable in wide.variables)
        for seed, (log, seen) in enumerate(taken):
            expected, looked = course(usual, seed)
            assert log == expected
            assert seen == looked
    with narrow():
        tally, observed = counted(wide), observations(wide)
    assert tally == counted(usual) and any(tally.values())
    same = {name for name in observed if "known" not in name and not name.startswith("deck")}
    assert len(same) > 100 and {name: observed[name] for name in same} == {
        name: value for name, value in observations(usual).items() if name in same
    }


def counted(of: Program) -> dict[object, object]:
    """What was counted in some random games, by what it is; rules that bring score stand elsewhere in the code."""
    plan: Plan = planned(of, 3)
    found = count(plan, range(10))
    assert set(found.statuses) == {opcodes.GAME_OVER}
    sums = found.sums[2 * 3 :]
    return {feature.key: sums[number * 4 : number * 4 + 4] for number, feature in enumerate(plan.features)}


def observations(of: Program) -> dict[str, int]:
    """What the first player sees in the middle of a game."""
    game = Rules(of, "trial").new_game(players=["Ann", "Ben", "Cleo"], seed=2)
    for _ in range(6):
        game.answer(0)
    observer = Observer.of(of)
    return dict(zip(observer.names, observer.observe(game.state, 0), strict=True))


# --- sizes that need it ------------------------------------------------------------------------------


@cache
def large() -> Program:
    return program(cards(70), TURN)


@pytest.mark.skipif(not native.available(), reason="llvmlite is an extra, and not installed here")
def test_many_cards_play_alike_in_every_executor() -> None:
    ends, counts = native.play_batch(large(), 3, range(5))
    for seed in range(5):
        state, asked = native.play_one(large(), 3, seed)
        assert (ends[seed][opcodes.STATUS], int(counts[seed])) == (opcodes.GAME_OVER, asked)
        assert read_again(ends[seed].tolist()) == read_again(state)


def test_another_layout_of_many_cards_plays_the_same() -> None:
    expected = course(large(), 5)
    with patch.object(opcodes, "BITS", 20):
        assert course(program(cards(70), TURN), 5) == expected


def test_three_hundred_things_are_asked_for_and_drawn() -> None:
    """More than there is always room for."""
    rules = "kind card\nkeep pile as set of card\n" + "".join(f"card c{i}\n" for i in range(300))
    lines = "choose a card as one", "add one to pile", "draw a card from (cards - pile) as two", "add two to pile"
    run = does(*lines, rules=rules)
    assert len(run.options) == 300 and run.program.room == 301
    assert len(run.answer("c299").options) == 299
    run.answer("c150")
    assert run.over and value_at(run.variable("pile").type, run.state, run.variable("pile").base) == 1 << 299 | 1 << 150


# --- numbers to choose from --------------------------------------------------------------------------

BID = "keep bid as number from 0 to 1000\n"


NUMBERS = {
    "0 to 1000 as x": range(1001),
    "990 to 1000 as x": range(990, 1001),
    "0 to 1000 as x where it mod 100 = 7": range(7, 1000, 100),
    "coin of you to 1000 as x where it > 995": range(996, 1001),
    "0 - coin of you to 70 as x": range(71),
}


def test_numbers_to_choose_from() -> None:
    cases = [(f"choose a number from {choice}\nset bid to x", options) for choice, options in NUMBERS.items()]
    for run, line, options in tried(cases, BID, "gain 99 coin"):
        assert run.options == [str(number) for number in options], line
        assert run.answer(options[-1]).value("bid") == options[-1], line


def test_nothing_to_choose_ends_the_block_and_may_be_declined() -> None:
    run = does("choose a number from 500 to 400 + coin of you as x", "set bid to 7", rules=BID)
    assert run.over and run.value("bid") == 0
    run = does("may choose a number from 0 to 500 as x where it > 498", "  set bid to x", rules=BID)
    assert run.options == ["499", "500", "-"] and run.answer("-").value("bid") == 0
    assert does("may choose a number from 500 to 400 as x", "  set bid to x", rules=BID).over


def test_there_is_room_for_no_more_than_is_known_before_play() -> None:
    few, many = (does(f"gain {n} coin", "choose a number from 0 to coin of you as x") for n in (234, 235))
    assert len(few.options) == 235 and many.fault == "offered more choices than there is room for"
    assert few.program.room == 235
    assert does("choose a number from 1 to 1000 as x").program.room == 1_002


def test_twelve_players_sit_down() -> None:
    texts = [text.replace("players 2 to 4", "players 2 to 12") for text in with_game(cards(70), TURN)]
    run = Run(build((module(*texts),)).unwrap(), players=12)
    luck = Random(3)
    while not run.over:
        run.answer(luck.choice(run.options))
    assert all(run.value("bid", seat) > 0 for seat in range(12))
