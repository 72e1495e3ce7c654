"""Fixes keep each word of weight in its role, and add none that replaces nothing."""

from __future__ import annotations

import pytest

from edict.compiler.syntax.declared_names import DeclaredNames, collect_declared_names
from edict.compiler.syntax.parse import parse
from edict.compiler.syntax.syntax_errors.kept_words import keeps_meaning
from edict.compiler.syntax.syntax_errors.vocabulary import Vocabulary
from edict.support.report import Edit
from edict.support.text import Source, Span
from newcoming import FILE, FOLDER, find_diagnostics

KEPT = (
    ("if you have no gold", "if gold of you = 0"),
    ("if no buildings", "if owned of you is empty"),
    ("if year is 1 or 2", "if year = 1 or year = 2"),
    ("gain 1 gold for each building", "gain count of owned of you gold"),
    ("gain twice worth of statue gold", "gain 2 * worth of statue gold"),
    ("everyone gains 1 gold", "each player\n  gain 1 gold"),
    ("amend statue", "amend building statue"),
    ("when start of year", "when start of calendar-year"),
    ("you gain 1 gold", "gain 1 gold"),
    ("gain 0 - 2 point", "lose 2 point"),
)
CHANGED = (
    ("each player where bid of it = bid of you", "each player where bid of it = bid of it"),  # another owner
    ("if gold of it > wood", "if gold of it > wood of you"),  # a second owner
    ("if gold of you > 3", "if some player has gold of it > 3"),
    ("when you win", "when victory"),  # all where one was named
    ("you gain 1 gold", "each player\n  gain 1 gold"),
    ("gain 1 good from left of you", "gain 1 good"),
    ("gain 2 gold", "gain 3 gold"),
    ("gain gold and wood", "gain 2 gold and 5 wood"),  # new amounts
    ("gain 2 gold and 1 wood", "gain 1 gold and 2 wood"),  # numbers that trade places
    ("gain 1 gold", "gain 1 gold and 1 wood"),  # a new name
    ("if advisor", "if advisor is jester"),
    ("gain 1 gold unless year = 3", "if year = 3\n  gain 1 gold"),
    ("if nobody has gold", "if some player has gold of it > 0"),
)


@pytest.fixture(scope="module")
def declared() -> DeclaredNames:
    rules = (FOLDER / "game.edict").read_text(encoding="utf-8") + "keep bid of player as number\n"
    page = parse(Source("game.edict", rules)).value
    assert page is not None
    return collect_declared_names([page])


def is_kept(line: str, fixed: str, declared: DeclaredNames) -> bool:
    edits = (Edit(Span(FILE, 1, 1, 1, len(line) + 1), fixed),)
    return keeps_meaning(Source(FILE, f"{line}\n"), edits, Vocabulary(declared))


@pytest.mark.parametrize(("line", "fixed"), KEPT)
def test_fix_with_the_words_of_a_line_is_kept(line: str, fixed: str, declared: DeclaredNames) -> None:
    assert is_kept(line, fixed, declared)


@pytest.mark.parametrize(("line", "fixed"), CHANGED)
def test_fix_that_changes_what_a_line_says_is_refused(line: str, fixed: str, declared: DeclaredNames) -> None:
    assert not is_kept(line, fixed, declared)


@pytest.mark.parametrize(
    ("rules", "line"),
    [
        ("amend building statue\n  when you influence the jester and year > 2\n    gain 1 gold\n",
         "`when influenced if guest is you and advisor is jester and year > 2`"),
        ("when you influence jester if you have 2 gold\n  gain 1 gold\n",
         "`when influenced if advisor is jester and gold of you >= 2`"),
        ("when you build an inn and year > 2\n  gain 1 gold\n",
         "`when joining owned if year > 2`, which says nothing of `inn`"),
    ],
)  # fmt: skip
def test_suggested_event_keeps_player_thing_and_condition(rules: str, line: str) -> None:
    (found,) = find_diagnostics(rules)
    assert f"write {line}" in found.help
