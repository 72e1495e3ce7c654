"""Secret draws, rolls, choices and moves: others see the same whatever happens there."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from random import Random

import pytest

from edict.game.explanations.option_reasons import OptionExplainer
from edict.game.explanations.view_model import build_view_data
from edict.game.table.game import Game
from edict.game.table.rules import Rules
from helpers import codes_and_texts, compile_program, compile_texts, make_phase

STOP = "choose a number from 1 to 3 as stop-here"


def play_to_stop(
    rules: Rules, seed: int, luck: Random | None = None, answers: Sequence[int] = (), players: int = 2
) -> Game:
    """Play a game until it stops. Ann gives these answers, then random ones; Ben always gives his last option."""
    game, left = rules.new_game(["Ann", "Ben", "Cid"][:players], seed=seed), list(answers)
    while game.ask.question != "choose-stop-here":
        own = left.pop(0) if left else luck.randrange(game.count) if luck is not None else 0
        game.answer(min(own, game.count - 1) if game.seat == 0 else game.count - 1)
    return game


def assert_look_the_same(keeps: str, way: str, asked: int = 0, players: int = 2, games: int = 8) -> None:
    """Assert that the last seat sees the same before a seat (`asked`) answers a last question."""
    stop = f"for {'left of you' if asked else 'you'}\n  {STOP}"
    rules = Rules(compile_program(keeps + make_phase(way.rstrip(), stop)), "trial")
    seen, held = set(), set()
    for seed in range(games):
        game = play_to_stop(rules, seed, Random(seed), players=players)
        seen.add(json.dumps(asdict(build_view_data(game, players - 1))))
        held.add(tuple(game.state))
    assert len(seen) == 1 < len(held)


# --- values, cards and abilities -----------------------------------------------------------------------

CARDS = """
kind card "card/cards"
  size number from 1 to 9
  boon effect, optional
  works if card is in drawn-cards of you
card ace "Ace"
  size 1
  boon set stance of you to yes
card king "King"
  size 2
card queen "Queen"
  size 5

keep hand "hand" of player as set of card starting at cards, secret
keep drawn-cards "drawn" of player as bag of card, secret
keep stance "stance" of player as truth, secret
keep bid "bid" of player as number from 0 to 20, secret
keep mark of card as truth, secret
keep cup "cup" of player as dice, secret
keep sack as bag of card starting at 2 of each card, secret
keep whose as player or none, secret
quantity might "might" of player is bid of you + coin of you
moment tick

routine takes-a-stance
  set stance of you to yes

display all "All"
  line "Whose:", whose
  each player
  column "Bid" bid of player
  column "Stance" stance of player
  column "Drawn" drawn-cards of player
  column "Cup" cup of player
  column "Might" might of player

display cards "Cards"
  each card
  column "Mark" mark of card
"""
NUMBER = "choose a number from 0 to 5 as n secretly\n"
BID = f"{NUMBER}set bid of you to n + 1\n"
CARD = "choose a card from hand of you as c secretly\n"
DRAW = "draw a card from sack into drawn-cards of you\n"
WITH_CARDS = {
    "the value it had": f"{NUMBER}set bid of you to n",
    "so many times": f"{NUMBER}repeat n times\n  add 1 to bid of you",
    "until": f"{NUMBER}repeat until bid of you >= n\n  add 1 to bid of you",
    "a secret that decides": f"{BID}if bid of you > 3\n  set stance of you to yes",
    "a name for a secret": f"{BID}let x = bid of you\nif x > 3\n  set stance of you to yes",
    "a quantity of a secret": f"{BID}if might of you > 3\n  set stance of you to yes",
    "those for whom": f"{BID}each player where bid of it > 3\n  set stance of you to yes",
    "those with most": f"{BID}each player with most bid of it\n  add 1 to bid of you",
    "what was drawn": f"{DRAW}if ace is in drawn-cards of you\n  set stance of you to yes",
    "a routine": f"{NUMBER}if n > 2\n  do takes-a-stance",
    "an effect": f"{CARD}do boon of c",
    "which one": f"{CARD}set mark of c to yes",
    "whose turn it is": f"{NUMBER}if n > 2\n  set whose to you",
    "an ability": f"{DRAW}trigger tick",
    "dice": "roll 3 cube into cup of you",
    "dice again": "roll 3 cube into cup of you\nreroll all within cup of you",
}
BAGS = """
kind tile "tile/tiles"
tile red "Red"
tile blue "Blue"
tile gold "Gold"
keep sack as bag of tile starting at 4 of each tile, secret
keep pouch "pouch" of player as bag of tile, secret
keep other-pouch "other pouch" of player as bag of tile, secret

display all "All"
  line "Sack:", sack, count of sack, count of red in sack
  each player
  column "Pouch" pouch of player
  column "Reds" count of red in pouch of player
"""
DRAW_TILES = "draw 3 tiles from sack into pouch of you\n"
CHOSEN = f"{DRAW_TILES}choose a tile from pouch of you as gone secretly\n"
WITH_BAGS = {
    "drawn": DRAW_TILES,
    "removed": f"{CHOSEN}remove gone from pouch of you",
    "moved": f"{CHOSEN}move gone from pouch of you to other-pouch of you",
    "swapped": f"{DRAW_TILES}swap pouch of you with other-pouch of you",
    "set": f"{DRAW_TILES}set other-pouch of you to pouch of you",
    "named and added": f"{DRAW_TILES}let few = pouch of you\nadd few to other-pouch of you",
    "drawn back": f"{DRAW_TILES}draw a tile from pouch of you into sack",
}
DICE = """
keep cup "cup" of player as dice, secret
keep tray "tray" of player as dice, secret

display all "All"
  each player
  column "Cup" cup of player
  column "Tray" tray of player
"""
TWO, FOUR = "roll 2 cubes into cup of you\n", "roll 2 cubes and 2 gems into cup of you\n"
WITH_DICE = {
    "rolled": "roll 3 cubes into cup of you",
    "two kinds rolled": "roll 2 cubes and 1 gem into cup of you",
    "all rolled again": f"{TWO}reroll all within cup of you",
    "the lowest rolled again": f"{TWO}reroll (cup of you with fewest it) within cup of you",
    "some rolled again": "roll 2 cubes and 1 gem into cup of you\nreroll (cup of you where it < 3) within cup of you",
    "some set": f"{TWO}set (cup of you where it < 3) to 4 within cup of you",
    "some removed": f"{TWO}remove (cup of you where it < 3) from cup of you",
    "the highest moved": f"{FOUR}move (cup of you with most it) from cup of you to tray of you",
    "chosen and moved": f"{FOUR}choose 2 dice from cup of you as given secretly\n"
    "move given from cup of you to tray of you",
    "chosen and rolled again": "roll 3 cubes into cup of you\n"
    "choose up to 2 dice from cup of you as some-dice secretly\nreroll some-dice within cup of you",
    "more rolled because of a secret": f"{TWO}if total of cup of you > 7\n  roll 1 cube and 1 gem into tray of you",
}
CHOICES = """
kind card
card ace "Ace"
card king "King"
keep stance "stance" of player as truth, secret
keep bid "bid" of player as number from 0 to 9, secret
keep hand "hand" of player as bag of card starting at 2 of each card, secret
keep played "played" of player as bag of card, secret

display all "All"
  each player
  column "Stance" stance of player
  column "Bid" bid of player
  column "Hand" hand of player
  column "Played" played of player
"""
WITH_CHOICES = {
    "an offer": "may secretly set stance of you to yes",
    "an offer of two things": "may secretly\n  set stance of you to yes\n  set bid of you to 3",
    "one of two": 'choose one secretly\n  option "A"\n    set stance of you to yes\n  option "B"\n    nothing',
    "a number that decides": "choose a number from 0 to 3 as some-number secretly\n"
    "if some-number > 1\n  set bid of you to some-number",
    "all at once an offer": "each player at once\n  may\n    set stance of you to yes\n"
    "    choose a number from 0 to 3 as some-number\n    set bid of you to some-number",
    "all at once a card": "each player at once\n  may choose a card from hand of you as given\n"
    "    remove given from hand of you\n    add given to played of you",
    "all at once some cards": "each player at once\n  choose up to 3 cards from hand of you as given\n"
    "  move given from hand of you to played of you",
}
TAKES = """
routine takes
  draw a card from sack into drawn-cards of you
phase aside
  draw a card from sack into drawn-cards of you
amend card ace
  boon draw a card from sack into drawn-cards of you
amend card king
  boon gain 1 coin
amend card queen
  boon gain 1 coin
"""
MORE = "keep hand-two of player as set of card, secret\nroutine pays\n  gain 1 coin\n"
BOTH = 'option "Low"\n    set bid of you to 2\n    {}\n  option "High"\n    set bid of you to 9\n    {}'
BRANCHES = {
    "the same gain in each way": f"choose one secretly\n  {BOTH.format('gain 1 coin', 'gain 1 coin')}",
    "a gain, and a routine's": f"{NUMBER}if n > 2\n  do pays\nelse\n  gain 1 coin",
    "a routine": f"{NUMBER}if n > 2\n  do takes",
    "a phase": f"{NUMBER}if n > 2\n  play aside",
    "a routine, because of a secret place": f"{BID}if bid of you > 3\n  do takes",
    "so many routines": f"{NUMBER}repeat n times\n  do takes",
    "a hand that may have what is moved": f"{DRAW}move king from drawn-cards of you to hand-two of you",
}
GOODS = """
resource wood "wood", secret
resource clay "clay", secret
group goods "card/cards" is wood, clay{}
keep stance "stance" of player as truth, secret
keep bid "bid" of player as number from 0 to 99, secret
quantity riches "riches" of player is wood of player + 2

display all "All"
  each player
  column "Wood" wood of player
  column "Goods" goods of player
  column "Riches" riches of player
  column "Stance" stance of player
  column "Bid" bid of player
"""
WOOD = "choose a number from 0 to 4 as n secretly\ngain n wood\n"
WITH_GOODS = {
    "a secret amount": WOOD,
    "a secret amount, and one that all see": f"{WOOD}gain 2 wood",
    "after all have seen it": f"show wood of you to everyone\n{WOOD}gain 1 wood",
    "all that there is": f"{WOOD}lose all wood\nset bid of you to n",
    "as much as there is": f"{WOOD}lose 2 wood",
    "of one's choice": f"{WOOD}gain 1 clay\nlose 1 goods",
    "all of a group": f"{WOOD}gain 2 clay\nlose 4 goods",
    "paid in one of two ways": f"{WOOD}gain 1 clay\nspend 1 wood or 1 clay",
    "paid of one's choice": f"{WOOD}gain 2 clay\nspend 2 goods",
    "a name for one of them": "choose a goods as x secretly\ngain 1 x",
    "lost by a name": "gain 2 wood and 2 clay\nchoose a goods as x secretly\nlose 1 x",
    "an offer": "may secretly\n  gain 1 wood\n  set bid of you to 3",
    "one that decides": f"{WOOD}if wood of you > 2\n  set stance of you to yes",
    "a quantity that decides": f"{WOOD}if riches of you > 4\n  set stance of you to yes",
    "one that decides about another": f"show clay of you to everyone\n{WOOD}if wood of you > 2\n  gain 1 clay",
    "so many times": f"{WOOD}repeat wood of you times\n  add 1 to bid of you",
    "those with most": f"{WOOD}gain 1 wood\neach player with most wood of it\n  set stance of you to yes",
    "whether it can be paid": f"{WOOD}if can spend 2 wood\n  set stance of you to yes",
    "set aside": f"{WOOD}set bid of you to wood of you",
    "all at once": "each player at once\n  may\n    gain 1 wood\n    set bid of you to 3",
}
ABILITY = "amend card ace\n  when tick{}\n    set stance of you to yes\n"
EXCEPTION = "amend card ace\n  exception to takes-a-stance\n    instead\n      set stance of you to yes\n"
CASES = [
    pytest.param(keeps, text, id=way)
    for keeps, ways in (
        (CARDS + ABILITY.format(""), WITH_CARDS),
        (CARDS + TAKES + MORE, BRANCHES),
        (BAGS, WITH_BAGS),
        (DICE, WITH_DICE),
        (CHOICES, WITH_CHOICES),
        (GOODS.format(""), WITH_GOODS),
    )
    for way, text in ways.items()
]


@pytest.mark.parametrize(("keeps", "way"), CASES)
def test_others_cannot_distinguish_secret_draws_rolls_choices_and_amounts(keeps: str, way: str) -> None:
    """The rule that a line names and the events of routines there reveal nothing either."""
    assert_look_the_same(keeps, way)


def test_secret_exception_is_not_revealed() -> None:
    text = CARDS.replace("  set stance of you to yes\n\ndisplay", "  nothing\n\ndisplay")
    assert_look_the_same(text + EXCEPTION, f"{DRAW}do takes-a-stance")


def test_secret_use_of_a_limited_ability_is_not_revealed() -> None:
    """Regression: the list of used abilities read a hidden cell, and the game broke off."""
    assert_look_the_same(CARDS + ABILITY.format(", once per trial-run"), f"{DRAW}trigger tick", asked=1, games=12)


def test_number_of_secret_choices_is_not_revealed() -> None:
    assert_look_the_same(
        CARDS,
        f"{DRAW}{DRAW}choose up to 2 cards from drawn-cards of you as given secretly\n"
        "move given from drawn-cards of you to sack",
    )


def test_forced_secret_choice_looks_like_a_choice() -> None:
    alike = "remove king from hand of you\nremove king from hand of you\n" * 2
    choose = "choose a card from hand of you as given secretly\nmove given from hand of you to played of you"
    logs = set()
    for before in ("nothing", alike.strip()):
        game = play_to_stop(
            Rules(compile_program(CHOICES + make_phase("let one = ace", before, choose, STOP)), "trial"), 1
        )
        logs.add(tuple(entry.text for entry in game.view(1).log if "chooses" in entry.text))
    assert logs == {("Ann chooses in secret",)}


# --- how many is no secret -------------------------------------------------------------------------------

TILES = """
kind tile "tile/tiles"
tile red "Red"
tile blue "Blue"
tile gold "Gold"
tile grey "Grey"
"""
COUNTED = """
keep sack as {bag} of tile starting at {all}, secret but counted
keep pouch "pouch" of player as {bag} of tile, secret but counted
keep other-pouch "other pouch" of player as {bag} of tile starting at red, secret but counted

display all "All"
  line "Sack:", sack
  line "In sack:", count of sack
  each player
  column "Pouch" pouch of player
  column "Many" count of pouch of player
  column "Others" count of other-pouch of player
"""
TOLD = ("none", "1 tile", "2 tiles")
SHAPES = {"set": "tiles", "bag": "4 of each tile"}
COUNTS = {
    "nothing": (2, 1),
    "choose a tile from pouch of you as gone secretly\nremove gone from pouch of you": (1, 1),
    "choose a tile from pouch of you as gone secretly\nmove gone from pouch of you to sack": (1, 1),
    "swap pouch of you with other-pouch of you": (1, 2),
    "set other-pouch of you to pouch of you": (2, 2),
    "set pouch of you to nobody": (0, 1),
}


@pytest.mark.parametrize("bag", SHAPES)
@pytest.mark.parametrize("way", COUNTS)
@pytest.mark.sample(4)
def test_public_number_of_secret_things_reveals_only_the_number(bag: str, way: str) -> None:
    text = TILES + COUNTED.format(bag=bag, all=SHAPES[bag])
    text += make_phase("draw 2 tiles from sack into pouch of you", way, STOP)
    seen, held = set(), set()
    rules = Rules(compile_program(text), "trial")
    for seed in range(5):
        game = play_to_stop(rules, seed)
        (panel,) = game.view(1).panels()
        held.add(tuple(game.state))
        seen.add((panel.rows, tuple(dict.fromkeys(entry.text for entry in game.view(1).log))))
        ann = next(row for row in panel.rows if row.title == "Ann")
        assert ann.cells == (TOLD[COUNTS[way][0]], *map(str, COUNTS[way]))
    assert len(seen) == 1 < len(held)


def test_bag_that_is_drawn_from_is_counted() -> None:
    text = TILES + COUNTED.format(bag="bag", all="4 of each tile").partition("  each player")[0]
    text += make_phase("draw 3 tiles from sack into pouch of you", STOP)
    (panel,) = play_to_stop(Rules(compile_program(text), "trial"), 1).view(1).panels()
    assert [row.cells for row in panel.rows] == [("Sack: 13 tiles",), ("In sack: 13",)]


def test_public_number_may_be_announced_and_decide() -> None:
    keep = TILES + "keep pouch of player as set of tile, secret{}\n"
    announced = make_phase("announce you, count of pouch of you")
    assert codes_and_texts(keep.format(" but counted") + announced) == []
    assert codes_and_texts(keep.format("") + announced) == [("E0512", "pouch")]
    assert codes_and_texts(keep.format(" but counted") + make_phase("announce you, pouch of you")) == [
        ("E0512", "pouch")
    ]


@pytest.mark.parametrize("bag", SHAPES)
def test_emptiness_of_a_counted_secret_is_public(bag: str) -> None:
    keep = TILES + f"keep pouch of player as {bag} of tile, secret but counted\n"
    others = "pouch of left of you is"
    asked = f"""choose one
  option "None" if {others} empty
    nothing
  option "Some" if {others} not empty
    nothing
  option "All"
    nothing"""
    text = keep + make_phase("for left of you", "  set pouch of you to red", asked)
    why = OptionExplainer(Rules(compile_program(text), "trial").new_game(["Ann", "Ben"], seed=1), 0)
    held = {one.text: [reason.holds for reason in why.reasons_for(one.value)] for one in why.candidates().options}
    assert held == {"None": [False], "Some": [True], "All": []}


def test_only_collections_can_be_counted_and_public_counts_cannot_change_simultaneously() -> None:
    assert codes_and_texts(TILES + "keep pouch of player as tile or none, secret but counted\n") == [
        ("E0558", "tile or none")
    ]
    text = TILES + "keep pouch of player as set of tile, secret but counted\nwhen start of trial-run\n"
    text += "  each player at once\n    add red to pouch of you\n"
    assert [one.code for one in compile_texts(text).diagnostics if one.severity == "error"] == ["E0538"]


# --- how much somebody has of a resource -----------------------------------------------------------------

TAKEN = {
    "from the next": "for left of you\n  gain 3 wood and 3 clay\ntake 2 goods at random from left of you",
    "after all have seen it": "for left of you\n  gain 3 wood and 3 clay\n  show wood of you to everyone\n"
    "take 1 goods at random from left of you\nfor left of you\n  gain 1 wood",
    "and paid with": "for left of you\n  gain 3 wood and 3 clay\ntake 2 goods at random from left of you\n"
    "spend 1 wood or 1 clay",
}


@pytest.mark.parametrize("counted", ["", " but counted"])
@pytest.mark.parametrize("way", TAKEN)
def test_only_both_players_see_which_piece_is_taken(way: str, counted: str) -> None:
    assert_look_the_same(GOODS.format(counted), TAKEN[way], players=3)


def test_public_totals_of_held_and_taken_pieces() -> None:
    rules = Rules(compile_program(GOODS.format(" but counted") + make_phase(TAKEN["from the next"], STOP)), "trial")
    game = play_to_stop(rules, 1, players=3)
    goods = {game.view(seat).panels()[0].rows[owner].cells[1] for seat in range(3) for owner in (0,)}
    assert goods == {"2"}
    assert [entry.text for entry in game.view(2).log if "takes" in entry.text] == ["Ann takes 2 cards from Ben"]
    own = {game.view(seat).panels()[0].rows[seat].cells[0] for seat in (0, 1)}
    assert "?" not in own


def test_piece_taken_from_an_open_place_is_public() -> None:
    text = make_phase("for left of you", "  gain 2 stick", "take 1 stuff at random from left of you", STOP)
    assert [entry.text for entry in play_to_stop(Rules(compile_program(text), "trial"), 1).view(1).log][-2:] == [
        "Ben loses 1 stick",
        "Ann gains 1 stick",
    ]


def test_taking_is_limited_to_pieces_of_others(subtests: pytest.Subtests) -> None:
    for whom, many in (("left of you", "1 stick"), ("you", "")):
        with subtests.test(whom=whom):
            text = make_phase("for left of you", "  gain 1 stick", f"take 3 stuff at random from {whom}", STOP)
            log = [entry.text for entry in play_to_stop(Rules(compile_program(text), "trial"), 1).view(1).log]
            assert [line for line in log if line.startswith("Ann gains")] == ([f"Ann gains {many}"] if many else [])


def test_secret_resources_cannot_be_announced_or_trigger_moments() -> None:
    goods = GOODS.format("")
    counted, wood, all_ = GOODS.format(" but counted"), "announce you, wood of you", "announce you, goods of you"
    assert ("E0512", "wood") in codes_and_texts(goods + make_phase(wood)) and ("E0512", "goods") in codes_and_texts(
        goods + make_phase(all_)
    )
    assert "E0512" not in dict(codes_and_texts(counted + make_phase(all_)))
    assert ("E0209", "wood") in codes_and_texts(
        goods + "when gaining wood\n  trigger tick\nmoment tick\n" + make_phase("gain 1 wood")
    )
    open_ = 'resource wood "wood"\ngroup goods is wood but counted\n'
    assert ("E0558", "wood") in codes_and_texts(open_ + make_phase("gain 1 goods"))
