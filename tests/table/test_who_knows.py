"""Who knows what follows from what happens: whatever somebody does with a secret, others see the same."""

from __future__ import annotations

import json
from dataclasses import asdict
from random import Random

import pytest
from helpers import program, steps

from edict.table.rules import Rules
from edict.table.view_data import view_data

KEEPS = """
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
WAYS = {
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
ABILITY = "amend card ace\n  when tick{}\n    set stance of you to yes\n"
EXCEPTION = "amend card ace\n  except takes-a-stance\n    instead\n      set stance of you to yes\n"


@pytest.mark.parametrize("way", WAYS)
def test_others_see_the_same(way: str) -> None:
    _alike(KEEPS + ABILITY.format(""), WAYS[way])


def test_an_exception_that_may_hold() -> None:
    text = KEEPS.replace("  set stance of you to yes\n\ndisplay", "  nothing\n\ndisplay")
    _alike(text + EXCEPTION, f"{DRAW}do takes-a-stance")


def test_what_works_once_and_may_have_worked() -> None:
    """To say what is used up the state was asked for what is hidden, and the game broke off."""
    _alike(KEEPS + ABILITY.format(", once per trial-run"), f"{DRAW}trigger tick", asked=1)


def _alike(rules: str, way: str, asked: int = 0) -> None:
    """What Ben sees before somebody answers a last question, whatever Ann chose and whatever was drawn for her."""
    stop = f"for {'left of you' if asked else 'you'}\n  choose a number from 1 to 3 as stop-here"
    laid = Rules(program(rules + steps(way.rstrip(), stop)), "trial")
    seen, held = set(), set()
    for seed in range(12):
        game, luck = laid.new_game(["Ann", "Ben"], seed=seed), Random(seed)
        while game.ask.question != "choose-stop-here":
            game.answer(luck.randrange(game.count))
        seen.add(json.dumps(asdict(view_data(game, 1))))
        held.add(tuple(game.state))
    assert len(seen) == 1 < len(held)


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


@pytest.mark.parametrize("way", BRANCHES)
def test_neither_a_line_nor_its_rule_tells_which_way_a_secret_went(way: str) -> None:
    """A line that all may read said which line of the rules it came from; what routines did there was told as ever."""
    more = "keep hand-two of player as set of card, secret\nroutine pays\n  gain 1 coin\n"
    _alike(KEEPS + TAKES + more, BRANCHES[way])


def test_how_many_are_chosen_in_secret_is_not_told() -> None:
    _alike(KEEPS, f"{DRAW}{DRAW}choose up to 2 cards from drawn-cards of you as given secretly\n"
                  "move given from drawn-cards of you to sack")  # fmt: skip
