"""Phrases of everyday English: understood together and in their place; and what is said where nothing is understood."""

from __future__ import annotations

import pytest
from newcoming import found_in

from edict.language.declared import Declared
from edict.language.examples import idea
from edict.report import Diagnostic, edited

TURN = "when start of summer\n  each player\n    "


def _told(step: str) -> Diagnostic:
    (found,) = found_in(TURN + step + "\n")
    return found


@pytest.mark.parametrize(
    ("step", "written"),
    [
        ("if odd year and more soldiers than gold\n      nothing", "year mod 2 = 1 and soldier of you > gold of you"),
        ("choose any advisor with rank 1 to 3 as friend", "choose an advisor as friend where rank of it >= 1"),
        ("if you built no building and have no wood\n      nothing", "if owned of you is empty and wood of you = 0"),
    ],
)  # fmt: skip
def test_several_phrases_in_a_line_are_understood_together(step: str, written: str) -> None:
    assert written in _told(step).help


def test_lines_under_a_phrase_go_deeper_with_it() -> None:
    text = "when start of summer\n  each player if gold of you < 2\n    gain 1 gold\n    gain 1 wood\n"
    (found,) = found_in(text)
    after = edited(text, found.edits)
    assert after.endswith("  each player\n    if gold of you < 2\n      gain 1 gold\n      gain 1 wood\n")
    assert not found_in(after)


def test_what_follows_from_a_mistake_in_its_line_is_not_told() -> None:
    found = _told("roll a die as thrown\n    gain total of thrown gold")
    assert "`roll 1 own-die as thrown`" in found.help


def test_a_remedy_is_judged_although_the_next_line_cannot_be_read_either() -> None:
    """A word that means nothing is no value, however many mistakes the definition has."""
    text = TURN + "switch year\n      case 1\n        gain 1 gold\n"
    assert "`if" in found_in(text)[0].help and "switch of" not in found_in(text)[0].help


@pytest.mark.parametrize("step", ["gain 2 blarg of foo", "if foo bar baz\n      gain 1 gold", "blarg the year foo"])
def test_a_word_without_meaning_is_named_with_a_line_to_copy(step: str) -> None:
    found = _told(step)
    assert found.code == "E0103" and "is not a word" in found.title
    assert "`gain " in found.help or "`if gold of you > 3`" in found.help


def test_what_the_language_says_in_another_way_is_told_with_names_of_the_line() -> None:
    found = _told("gain 1 wood max 3")
    assert "`least of wood of you and 3`" in found.help


def test_unless_is_not_read_as_if() -> None:
    (found,) = found_in("exception lax to influence.one-guest unless gold of you > 3\n  allow\n")
    assert "if not (gold of you > 3)" in found.help


def test_a_minus_without_spaces() -> None:
    assert _told("gain gold of you-1 wood").help == "write `you - 1`"


def test_a_name_that_is_not_declared_is_declared_as_a_keep() -> None:
    assert "`keep favour of player as number`" in _told("set favour of you to 3").help


def test_without_rules_no_names_are_made_up() -> None:
    assert idea("max", "gain 1 wood max 3", Declared()) == ""
