"""Search by words, with forms, synonyms and partial matches."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from edict.compiler.syntax.word_search import rank_by_names, search


@dataclass(frozen=True)
class Entry:
    line: str
    title: str
    sort: str = "moment"
    description: str = ""


ENTRIES = (
    Entry("when victory", "after a battle is won"),
    Entry("when defeat", "after a battle is lost"),
    Entry("when constructed", "after a building is constructed"),
    Entry("when start of winter", "Winter"),
)


def test_best_match_comes_first_and_weak_matches_are_left_out(subtests: pytest.Subtests) -> None:
    for words, line in (
        ("battle lost", "when defeat"),
        ("a player loses the battle", "when defeat"),  # nothing is called a player
        ("wins a battle", "when victory"),
        ("building built", "when constructed"),
        ("winters", "when start of winter"),
    ):
        with subtests.test(words=words):
            assert search(ENTRIES, words)[0].line == line
    assert search(ENTRIES, "dragon") == ()
    assert rank_by_names(ENTRIES, ["dragon", "unicorn", "fairy", "winter"]) == []
