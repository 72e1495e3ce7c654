"""The pass `desugar`: expansions of shorthand steps from the templates in `grammar/sugar.edict`."""

from __future__ import annotations

import re
from inspect import getsource

import pytest

from edict.compiler.semantics import desugar
from edict.compiler.semantics.symbols import Local, walk_expanded
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.traversal import walk
from helpers import compile_texts, link_texts, list_errors, make_phase, run_steps

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


def shorthand_classes() -> set[type]:
    kinds = (kind for kind in vars(t).values() if isinstance(kind, type))
    return {kind for kind in kinds if issubclass(kind, t.Short)} - {t.Short, t.Leave}  # expanded with its loop


def test_every_shorthand_step_has_an_expansion() -> None:
    assert shorthand_classes() <= desugar.DESUGARINGS.keys()


def test_every_template_is_used() -> None:
    used = set(re.findall(r'"([a-z-]+)"', getsource(desugar)))
    assert desugar._templates().keys() <= used


def test_expansion_contains_no_shorthand_steps() -> None:
    lines = (
        "each player at once",
        "  choose up to 2 cards from pile as x",
        "for left of you",
        "  repeat 3 times",
        "    leave loop",
        "draw 2 cards from pile into hand of you",
    )
    resolved = link_texts(CARDS + make_phase(*lines)).resolved
    assert {t.EachAtOnce, t.ChooseUpTo, t.For, t.Leave} <= {
        type(node) for node in walk(resolved.require_definition("trial-run"))
    }
    assert not any(
        isinstance(node, t.Short) for node in walk_expanded(resolved, resolved.require_definition("trial-run"))
    )


def test_template_names_do_not_clash_with_names_of_the_author() -> None:
    """Names of templates, such as `among`, are not visible to what the author wrote in a step."""
    lines = (
        "set hand of you to (a, b, c)",
        "let among = 2",
        "let chosen = 1",
        "choose 2 cards from hand of you as taken where rank of it >= chosen",
        "gain among coin",
    )
    run = run_steps(*lines, rules=CARDS, answers=("a", "b"))
    assert run.get_value("coin", 0) == 2
    resolved = link_texts(CARDS + make_phase(*lines)).resolved
    meant = [
        resolved.meaning.get(one)
        for one in walk_expanded(resolved, resolved.require_definition("trial-run"))
        if isinstance(one, t.Name) and one.word == "among"
    ]
    assert len({one for one in meant if isinstance(one, Local)}) == 2


def test_shorthand_step_without_a_valid_expansion_is_reported_as_written(subtests: pytest.Subtests) -> None:
    for line, code in {
        "each card from you\n  nothing": "E0401",
        "each number from you\n  nothing": "E0401",
        "choose 2 numbers as n": "E0404",
        "each number where it > 3\n  nothing": "E0404",
    }.items():
        with subtests.test(line=line):
            assert [diagnostic.code for diagnostic in list_errors(CARDS + make_phase(*line.split("\n")))] == [code]


def test_several_rankings_share_the_same_it() -> None:
    lines = ("each player with most coin of it then fewest stick of it", "  gain 1 coin")
    assert not [
        diagnostic
        for diagnostic in compile_texts(CARDS + make_phase(*lines)).diagnostics
        if diagnostic.is_error or diagnostic.code == "E0557"
    ]
