"""Tests of the texts on a small game that uses a bit of everything, in the rulebook, by `show` and in play.

People have read the expected texts in `whole/`, and read them again when they change.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from edict.apps.cli.commands.rulebook import render_html, render_markdown
from edict.prose.rulebook.annotated_rules import AnnotatedRules, read_annotated_rules
from edict.prose.rulebook.rule_terms import RuleTerm, RuleTerms
from edict.prose.rulebook.rulebook_contents import build_rulebook
from reading import Call

WHOLE = Path(__file__).parent / "whole"
GAME, MODULE = str(WHOLE / "shore"), str(WHOLE / "storms")
SMALL_PRINT = ["Fish that change this: Bream.", "At the start: see Crab."]


@cache
def small_game_rules() -> AnnotatedRules:
    return read_annotated_rules(GAME, (MODULE,)).unwrap()


def read_questions(file: Path) -> list[str]:
    return [line[4:] for line in file.read_text(encoding="utf-8").splitlines() if line.startswith("### ")]


def test_rulebook_text_is_as_reviewed() -> None:
    made = build_rulebook(small_game_rules(), read_annotated_rules(GAME).unwrap())
    assert render_markdown(made) == (WHOLE / "book.md").read_text(encoding="utf-8")
    html = render_html(made)
    assert re.findall(r'<p class="quiet">(.*?)</p>', html) == SMALL_PRINT
    assert set(re.findall(r'<span class="quiet">(.*?)</span>', html)) == {"fish", "gull", "boat"}  # in the index


def test_show_text_is_as_reviewed(call: Call) -> None:
    file = WHOLE / "shown.txt"
    said = (
        f"### {name}\n{call('show', name, '--game', GAME, '--with', MODULE).stdout}" for name in read_questions(file)
    )
    assert "".join(said) == file.read_text("utf-8")


def test_glossary_text_in_play_is_as_reviewed() -> None:
    file, terms = WHOLE / "asked.txt", RuleTerms(small_game_rules())
    assert "".join(
        f"### {name}\n{format_entries(terms.search(name))}" for name in read_questions(file)
    ) == file.read_text("utf-8")


def format_entries(entries: list[RuleTerm]) -> str:
    """Return the text of the entries, one item per line."""
    lines = [
        line
        for one in entries
        for line in (
            f"{one.title} ({one.sort}{', ' * bool(one.module)}{one.module})",
            *(f"  {name}: {value}" for name, value in one.facts),
            *(f"  {line}" for line in one.lines),
            *(f"  exactly: {line}" for line in one.exactly),
            *(f"  of it: {title}" for title in one.members),
            *(f"  touched: {line}" for line in one.touched),
            *(f"  seen in: {title}" for title in one.seen_in),
        )
    ]
    return "\n".join([*lines, ""])
