"""`when` and a sentence: the message shows the moments of the game that fit, as lines to copy."""

from __future__ import annotations

import pytest
from newcoming import found_in

from edict.report import Diagnostic, edited


def told(text: str) -> Diagnostic:
    (found,) = found_in(text)
    return found


@pytest.mark.parametrize(
    ("rules", "written"),
    [
        ("when somebody influences an advisor\n  gain 1 gold\n", "when influenced\n"),
        ("whenever a player visits the squire\n  gain 1 gold\n", "when influenced if advisor is squire\n"),
        ("when you influence the squire, gain 1 gold\n", "when influenced if advisor is squire\n  gain 1 gold\n"),
        ("when the year is over, gain 1 gold\n", "when year-over\n  each player\n    gain 1 gold\n"),
        ("when somebody gets a soldier\n  gain 1 gold\n", "when gaining soldier\n"),
    ],
)  # fmt: skip
def test_the_moment_that_fits_is_a_line_to_copy(rules: str, written: str) -> None:
    found = told(rules)
    after = edited(rules, found.edits)
    assert after.startswith(written) and f"`{written.split(chr(10))[0]}`" in found.help
    assert not found_in(after)


def test_in_a_thing_you_is_its_owner() -> None:
    rules = "amend building statue\n  when you influence an advisor\n    gain 1 gold\n"
    assert "  when influenced if guest is you\n" in edited(rules, told(rules).edits)


def test_where_a_word_is_left_over_nothing_is_changed_by_itself() -> None:
    found = told("when you roll a 6, gain 1 gold\n")
    assert "`when rolled`, and under it `gain 1 gold`" in found.help and not found.edits


def test_where_nothing_fits_no_moment_is_made_up() -> None:
    found = told("when the dragon wakes up\n  gain 1 gold\n")
    assert "`kingsburg moments`" in found.help and "when rolled" not in found.help
