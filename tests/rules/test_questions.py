"""Questions of people who never saw the game, which the rulebook answers."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from edict.apps.cli.commands.rulebook import iter_examples, render_markdown
from edict.prose.rulebook.rulebook_contents import build_rulebook
from reading import load_annotated

QUESTIONS: list[dict[str, Any]] = yaml.safe_load((Path(__file__).parent / "questions.yaml").read_text("utf-8"))
NEAR = 90  # words


@cache
def read_book() -> str:
    """Return the text of the rulebook, without links and markup."""
    known = load_annotated()
    book = render_markdown(build_rulebook(known, None, iter_examples(known)))
    plain = re.sub(r"<[^>]*>|\]\(#[^)]*\)|\[|\*\*|\\|^#+ ", "", book, flags=re.MULTILINE)
    return re.sub(r"\s+", " ", plain).casefold()


def has_nearby_words(words: list[str]) -> bool:
    """Return True if the words occur near each other in the book."""
    wanted = [word.casefold() for word in words]
    for found in re.finditer(re.escape(wanted[0]), read_book()):
        before = " ".join(read_book()[: found.start()].split(" ")[-NEAR:])
        after = " ".join(read_book()[found.start() :].split(" ")[: NEAR + len(wanted[0].split())])
        if all(word in before + after for word in wanted):
            return True
    return False


def test_rulebook_answers_every_question() -> None:
    assert len(QUESTIONS) >= 30 and all(one["answer"] for one in QUESTIONS)
    assert not [f"{one['question']} {one['answer']}" for one in QUESTIONS if not has_nearby_words(one["near"])]
    assert not has_nearby_words(["add up to exactly", "fifth year is repeated"])
