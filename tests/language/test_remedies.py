"""What is offered as a quick fix leaves nothing worse: the fault is gone, and nothing new is said where it was."""

from __future__ import annotations

import re

import pytest
from newcoming import found_in

from edict.report import Diagnostic, edited

TURN = "when start of summer\n  each player\n    "

WRONG_GUESSES = [
    "gold of you += 1", "add 1 year", "gain 2x gold", "gain 2 of gold", "gain 1 of gold, wood or stone",
    "repeat twice\n      gain 1 gold", "for each player:\n      gain 1 gold", "gain a building",
]  # fmt: skip


def _after(text: str, one: Diagnostic) -> set[tuple[str, str]]:
    return {(d.code, d.title) for d in found_in(edited(text, one.edits)) if d.is_error}


@pytest.mark.parametrize("line", WRONG_GUESSES)
def test_a_fix_leaves_nothing_new_to_complain_of(line: str) -> None:
    text = TURN + line + "\n"
    found = found_in(text)
    assert found
    for one in found:
        if one.edits:
            assert _after(text, one) < {(d.code, d.title) for d in found}


@pytest.mark.parametrize(
    "text",
    [
        "exception to influence.one-guest\n  allow\n",
        "phase autumn after summer\n  each player\n    gain 1 gold\n",
        "every summer\n  each player\n    gain 1 gold\n",
    ],
)
def test_what_would_only_be_wrong_otherwise_is_not_offered(text: str) -> None:
    for one in found_in(text):
        assert not one.edits or not _after(text, one), one


def test_what_is_kept_is_added_to_and_what_is_held_is_gained() -> None:
    (kept,), (held,) = found_in(TURN + "add 1 year\n"), found_in(TURN + "gold of you += 1\n")
    assert "`add 1 to year`" in kept.help and "`gain 1 gold`" in held.help


def test_a_fix_is_judged_beside_other_mistakes() -> None:
    """What is wrong elsewhere neither hides that a fix helps, nor that it does not."""
    text = TURN + "add 1 year\n\nbuilding mill\n  row ?\n"
    found = found_in(text)
    assert [d.span.line for d in found] == [3, 6]
    assert "add 1 to year" in edited(text, found[0].edits)


WORDS = "best count during every faces first least left not right some sum text total".split()


@pytest.mark.parametrize("word", WORDS)
def test_a_word_of_the_language_is_refused_where_it_is_made_a_name(word: str) -> None:
    (found,) = found_in(f"{TURN}let {word} = gold of you\n    gain {word} wood\n")
    assert (found.code, found.span.line) == ("E0112", 3) and f"`my-{word}`" in found.help
    (unused,) = found_in(f"{TURN}let {word} = gold of you\n")
    assert unused.code == "E0112"


def test_who_calls_a_routine_is_to_blame_for_whose_turn_it_is() -> None:
    (found,) = found_in("routine pay-day\n  gain 1 gold\nwhen start of summer\n  do pay-day\n")
    assert (found.code, found.span.line) == ("E0530", 4)
    assert [label.span.line for label in found.labels] == [2]


def test_a_title_is_no_sum() -> None:
    (found,) = found_in(TURN + "gain 1 +2 token\n")
    assert found.code == "E0212" and "`1 token`" in found.help
    assert found_in(TURN + "gain (1 + 2) token\n") == ()


@pytest.mark.parametrize(
    "line", ["phase feast A" + "a" * 200 + "!", "phase feast " + "Aa " * 60 + "!", "keep a" + " of b" * 40 + " : x !"]
)
def test_a_long_first_line_is_told_and_not_pondered(line: str) -> None:
    assert len(found_in(line + "\n  nothing\n")) == 1


def test_a_ban_is_answered_with_an_exception_that_can_be_checked() -> None:
    (found,) = found_in("exception no-squire to influence if whom is squire\n  forbid\n")
    head, require = re.findall(r"`(exception [^`]*|require [^`]*)`", found.help)
    assert not found_in(f"{head.replace('...', 'no-squire')}\n  {require}\n")


def test_a_range_as_an_amount_is_answered_with_a_choice_that_can_be_checked() -> None:
    (found,) = found_in("amend advisor squire\n  reward gain 1-3 gold\n")
    choose, amount = re.findall(r"`([^`]*)`", found.help)
    assert not found_in(f"amend advisor squire\n  reward\n    {choose}\n    gain {amount} gold\n")
