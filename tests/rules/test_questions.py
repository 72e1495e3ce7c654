"""The rulebook answers what people ask at a table who never saw the game."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from edict.apps.cli.commands.rulebook import as_markdown, examples
from edict.prose.rulebook.rulebook_contents import build_rulebook
from reading import rules

QUESTIONS: list[dict[str, Any]] = yaml.safe_load((Path(__file__).parent / "questions.yaml").read_text("utf-8"))
NEAR = 90  # words


@cache
def text() -> str:
    """The book as one reads it, without links and marks."""
    known = rules()
    book = as_markdown(build_rulebook(known, None, examples(known)))
    plain = re.sub(r"<[^>]*>|\]\(#[^)]*\)|\[|\*\*|\\|^#+ ", "", book, flags=re.MULTILINE)
    return re.sub(r"\s+", " ", plain).casefold()


def stands_together(words: list[str]) -> bool:
    """Whether some stretch of the book holds all of them."""
    wanted = [word.casefold() for word in words]
    for found in re.finditer(re.escape(wanted[0]), text()):
        before = " ".join(text()[: found.start()].split(" ")[-NEAR:])
        after = " ".join(text()[found.start() :].split(" ")[: NEAR + len(wanted[0].split())])
        if all(word in before + after for word in wanted):
            return True
    return False


def test_the_answers_stand_in_the_book_and_what_no_book_says_does_not() -> None:
    assert len(QUESTIONS) >= 30 and all(one["answer"] for one in QUESTIONS)
    assert not [f"{one['question']} {one['answer']}" for one in QUESTIONS if not stands_together(one["near"])]
    assert not stands_together(["add up to exactly", "fifth year is repeated"])
