"""Rules that wait for what joins or leaves a set that the table remembers."""

from __future__ import annotations

import pytest
from helpers import does, errors, linked, module, said, steps

from edict.front.pipeline import build
from edict.words.calendar import calendar
from edict.words import ability_words

RULES = """
kind tree "tree/trees"
  height number
  works if tree is in owned of you
tree oak "Oak"
  height 9
tree elm "Elm"
  height 5
tree yew "Yew"
  height 2
  when leaving owned if tree is yew and player is you
    gain 7 brick
  when joining owned if tree is yew and player is you
    gain 1 brick
keep owned "trees" of player as set of tree
keep deck as set of tree starting at trees
keep friends of player as set of player
keep hidden of player as set of tree, secret
keep crown as player or none
when joining owned
  gain height of tree coin
when leaving owned
  gain count of owned of player fame
"""


@pytest.mark.parametrize(
    ("lines", "coin", "fame"),
    [
        ("add oak to owned of you", 9, 0),
        ("add oak to owned of you\nadd oak to owned of you", 9, 0),  # it is there already
        ("add (oak, elm) to owned of you", 14, 0),
        ("remove oak from owned of you", 0, 0),
        ("add oak to owned of you\nremove oak from owned of you", 9, 1),  # it is still there when the rules come
        ("add oak to owned of you\nset owned of you to elm", 14, 1),
        ("add trees to owned of you\nset owned of you to elm", 16, 6),
        ("move oak from deck to owned of you", 9, 0),
        ("draw 3 trees from deck into owned of you", 16, 0),
        ("add oak to owned of you\nswap owned of you with owned of left of you", 18, 1),
        ("add oak to deck\nremove oak from deck", 0, 0),  # nobody waits for these
    ],
)
def test_what_joins_and_what_leaves(lines: str, coin: int, fame: int) -> None:
    run = does(lines, rules=RULES, answers=())
    while not run.over:
        run.answer(run.options[0])
    assert (run.value("coin", 0), run.value("fame", 0)) == (coin, fame)


def test_a_thing_notices_that_it_comes_and_goes() -> None:
    assert does("add yew to owned of you", rules=RULES).value("brick", 0) == 1
    assert does("add yew to owned of you", "set owned of you to nobody", rules=RULES).value("brick", 0) == 8
    assert does("add yew to owned of left of you", rules=RULES).value("brick", 0) == 0


def test_what_a_rule_changes_meanwhile_counts() -> None:
    rules = RULES + "when leaving deck if tree is oak\n  add yew to owned of you\n  set tally to tally + 1\n"
    rules += "keep tally as number\n"
    run = does("set deck to (elm, oak)", "set deck to (elm, yew)", rules=rules)
    assert run.told("deck") == ["elm", "yew"] and run.value("tally") == 1


def test_players_join_too() -> None:
    rules = RULES + "when joining friends\n  for other\n    gain 1 stick\n"
    assert does("add left of you to friends of you", rules=rules).value("stick", 1) == 1


@pytest.mark.parametrize(
    ("rule", "code", "title"),
    [
        ("when joining crown", "E0209", "`crown` is not a set, so nothing joins or leaves it"),
        ("when joining hidden", "E0209", "`hidden` is secret, so nobody may notice what joins or leaves it"),
        ("when owned", "E0202", "`owned` is a keep, and a moment, phase or routine is expected here"),
        ("when leaving trial-run", "E0202", "`trial-run` is a phase, and a keep is expected here"),
    ],
)
def test_mistakes(rule: str, code: str, title: str) -> None:
    assert [(d.code, d.title) for d in errors(f"{RULES}{rule}\n  nothing\n")] == [(code, title)]


def test_what_leads_to_itself_is_found() -> None:
    found = said(RULES + "when joining owned\n  add oak to owned of left of you\n" + steps("add elm to owned of you"))
    assert [code for code, _ in found] == ["E0601"]


def test_nobodys_turn_is_found() -> None:
    game = "resource coin\nresource brick\nresource fame\nkeep line as order of player\n"
    game += "game trial\n  players 2 to 2\n  order line\n  winners everyone\n  score coin of you\n  course\n"
    game += "    play trial-run\nphase trial-run\n  add oak to owned of first of line\n"
    assert {found.code for found in build((module(game + RULES),)).diagnostics} == {"E0530"}


def test_it_is_told_and_stands_in_the_calendar() -> None:
    rules = linked(RULES + steps("add oak to owned of you", "remove oak from deck"))
    told = [ability_words(rules.resolved, one.ability) for one in rules.resolved.book.standalone]
    assert told == [
        "after a tree joins a player's trees, gain coins equal to the height of the tree",
        "before a tree leaves a player's trees, gain fame equal to the number of trees of the player",
    ]
    (joining,) = [one for one in calendar(rules) if one.line == "when joining owned"]
    assert joining.values == (("player", "player"), ("tree", "tree")) and joining.turn
