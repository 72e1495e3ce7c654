"""What steps in short stand for is written in `grammar/sugar.edict`, and found once names and types are known."""

from __future__ import annotations

import re
from inspect import getsource

from edict.compiler.semantics import desugar
from edict.compiler.semantics.symbols import Local, in_full
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.walking import walk
from helpers import compiled, does, errors, linked, steps

CARDS = """
kind card "card/cards"
  rank number from 1 to 5
card a
  rank 1
card b
  rank 2
card c
  rank 3
keep hand of player as set of card
keep pile as set of card
"""


def shorthand() -> set[type]:
    kinds = (kind for kind in vars(t).values() if isinstance(kind, type))
    return {kind for kind in kinds if issubclass(kind, t.Short)} - {t.Short, t.Leave}  # which its loop sees to


def test_every_step_in_short_stands_for_something() -> None:
    assert shorthand() <= desugar.STANDS_FOR.keys()


def test_every_template_is_used() -> None:
    used = set(re.findall(r'"([a-z-]+)"', getsource(desugar)))
    assert desugar._templates().keys() <= used


def test_what_it_stands_for_has_nothing_in_short() -> None:
    lines = (
        "each player at once",
        "  choose up to 2 cards from pile as x",
        "for left of you",
        "  repeat 3 times",
        "    leave loop",
        "draw 2 cards from pile into hand of you",
    )
    resolved = linked(CARDS + steps(*lines)).resolved
    assert {t.EachAtOnce, t.ChooseUpTo, t.For, t.Leave} <= {type(one) for one in walk(resolved.get("trial-run"))}
    assert not any(isinstance(one, t.Short) for one in in_full(resolved, resolved.get("trial-run")))


def test_names_that_are_made_do_not_meet_those_of_an_author() -> None:
    """Templates have names of their own, such as `among`, which mean nothing to what stands in them."""
    lines = (
        "set hand of you to (a, b, c)",
        "let among = 2",
        "let chosen = 1",
        "choose 2 cards from hand of you as taken where rank of it >= chosen",
        "gain among coin",
    )
    run = does(*lines, rules=CARDS, answers=("a", "b"))
    assert run.value("coin", 0) == 2
    resolved = linked(CARDS + steps(*lines)).resolved
    meant = [
        resolved.meaning.get(one)
        for one in in_full(resolved, resolved.get("trial-run"))
        if isinstance(one, t.Name) and one.word == "among"
    ]
    assert len({one for one in meant if isinstance(one, Local)}) == 2


def test_what_it_could_not_stand_for_is_refused_as_it_was_written() -> None:
    for line, code in {
        "each card from you\n  nothing": "E0401",
        "each number from you\n  nothing": "E0401",
        "choose 2 numbers as n": "E0404",
        "each number where it > 3\n  nothing": "E0404",
    }.items():
        assert [one.code for one in errors(CARDS + steps(*line.split("\n")))] == [code], line


def test_each_of_several_rankings_asks_about_the_same_one() -> None:
    lines = ("each player with most coin of it then fewest stick of it", "  gain 1 coin")
    assert not [one for one in compiled(CARDS + steps(*lines)).diagnostics if one.is_error or one.code == "E0557"]
