"""`swap A with B`, which is said in four places: the node, its way to code, its words, its page in the docs."""

from __future__ import annotations

import pytest

from edict.front.pipeline import understand
from edict.handbook.annotated import Known
from edict.handbook.touching import touches
from edict.language import tree as t
from edict.language.walking import walk
from edict.table.rules import Rules
from edict.words import stmt_words
from helpers import compiled, does, linked, module, program, said, steps, with_game
from table_kit import PAIR

RULES = """
kind card
card ace
card two
keep held of player as card or none
keep top as card
keep bids of player as number from 0 to 5
keep secret-of of player as number, secret
keep tally as number
keep bag as set of player
"""


@pytest.mark.parametrize(
    ("lines", "place", "values"),
    [
        ("set bids of you to 3\nswap bids of you with bids of left of you", "bids", [0, 3]),
        ("set held of you to two\nswap held of you with held of left of you", "held", [-1, 1]),
        ("let n = 4\nset bids of you to 1\nswap n with bids of you", "bids", [4, 0]),
        ("set bids of you to 2\nswap bids of you with bids of you", "bids", [2, 0]),
    ],
)
def test_each_gets_what_the_other_had(lines: str, place: str, values: list[int]) -> None:
    run = does(lines, rules=RULES)
    assert run.over and [run.value(place, player) for player in range(2)] == values


def test_what_does_not_fit_is_a_fault_as_with_set() -> None:
    assert does("set tally to 9", "swap tally with bids of you", rules=RULES).fault
    assert does("swap held of you with top", rules=RULES).fault


@pytest.mark.parametrize(
    ("line", "code"),
    [("swap tally with held of you", "E0401"), ("swap tally with 3", "E0405"), ("swap bag with everyone", "E0405")],
)
def test_only_places_of_one_type_are_swapped(line: str, code: str) -> None:
    assert code in {found for found, _ in said(RULES + steps(line))}


def test_a_loop_may_end_by_it_and_abilities_touch_by_it() -> None:
    text = RULES + steps("add 1 to tally", "repeat until bids of you > 0\n  swap tally with bids of you")
    assert not [d for d in compiled(text).diagnostics if d.is_error]


def test_secrets_are_hidden_by_it_and_names_from_them_stay_secret() -> None:
    lines = ("set secret-of of you to 7", "swap secret-of of you with secret-of of left of you",
             'may "Go on?"', "  gain 1 coin")  # fmt: skip
    view = Rules(program(RULES + steps(*lines)), "trial").new_game(PAIR, seed=1).view(0)
    assert view.knows("secret-of", 0) and not view.knows("secret-of", 1)
    told = RULES + steps("let n = 0", "swap n with secret-of of you", "announce n")
    assert "E0512" in {found for found, _ in said(told)}


def test_it_is_told_and_what_it_changes_is_known() -> None:
    rules = linked(RULES + steps("swap bids of you with tally"))
    (swap,) = (node for node in walk(rules.resolved.get("trial-run")) if isinstance(node, t.Swap))
    assert stmt_words(rules.resolved, swap) == "swap your bids with the tally"
    outcome = understand((module(*with_game(RULES + steps("swap bids of you with tally"))),))
    found = touches(Known((), outcome.unwrap(), {}))
    assert {touch.whom for touch in found if touch.how == "changes"} >= {"bids", "tally"}
