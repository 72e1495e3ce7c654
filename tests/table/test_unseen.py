"""Whether something happens that a secret decides shows nowhere: neither in what others know, nor in the log."""

from __future__ import annotations

import pytest
from helpers import program, steps

from edict.table.rules import Rules

KEEPS = """
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

phase trial-run
"""
STOP = "choose a number from 1 to 3 as stop-here"
WAYS = [
    "may secretly set stance of you to yes",
    "may secretly\n  set stance of you to yes\n  set bid of you to 3",
    "choose one secretly\n  option \"A\"\n    set stance of you to yes\n  option \"B\"\n    nothing",
    "choose a number from 0 to 3 as some-number secretly\nif some-number > 1\n  set bid of you to some-number",
    "each player at once\n  may\n    set stance of you to yes\n    choose a number from 0 to 3 as some-number\n"
    "    set bid of you to some-number",
    "each player at once\n  may choose a card from hand of you as given\n    remove given from hand of you\n"
    "    add given to played of you",
    "each player at once\n  choose up to 3 cards from hand of you as given\n"
    "  move given from hand of you to played of you",
]


@pytest.mark.parametrize("way", WAYS)
def test_nobody_can_tell_which_way_it_went(way: str) -> None:
    text = KEEPS.partition("phase trial-run")[0] + steps(way, STOP)
    rules, seen, done = Rules(program(text), "trial"), set(), set()
    for answers in ((0, 0, 0, 0), (0, 1, 0, 0), (1, 0, 0, 1), (9, 9, 9, 9), (0, 9, 9, 9)):
        game, left = rules.new_game(["Ann", "Ben"], seed=1), list(answers)
        while game.ask.question != "choose-stop-here":
            game.answer(min(left.pop(0) if game.seat == 0 and left else 9, game.count - 1))
        view = game.view(1)
        panel = [row.cells for one in view.panels() for row in one.rows if row.title == "Ann"]
        lines = dict.fromkeys(entry.text for entry in view.log if "Ann" in entry.text)
        seen.add((tuple(panel), tuple(lines)))
        done.add(tuple(str(row.cells) for one in game.view(0).panels() for row in one.rows if row.title == "Ann"))
    assert len(done) > 1 and len(seen) == 1


def test_who_has_no_choice_in_secret_seems_to_have_one() -> None:
    alike = "remove king from hand of you\nremove king from hand of you\n" * 2
    choose = "choose a card from hand of you as given secretly\nmove given from hand of you to played of you"
    logs = set()
    for before in ("nothing", alike.strip()):
        text = KEEPS.partition("phase trial-run")[0] + steps("let one = ace", before, choose, STOP)
        game = Rules(program(text), "trial").new_game(["Ann", "Ben"], seed=1)
        while game.ask.question != "choose-stop-here":
            game.answer(0)
        logs.add(tuple(entry.text for entry in game.view(1).log if "chooses" in entry.text))
    assert logs == {("Ann chooses in secret",)}
