"""Looking something up: forms of a word, words that mean the same, and what fits best where nothing fits altogether."""

from __future__ import annotations

from dataclasses import dataclass

from edict.compiler.syntax.word_search import find, fitting


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


def test_what_fits_best_comes_first_and_what_has_too_little_of_it_is_not_found() -> None:
    for words, line in (
        ("battle lost", "when defeat"),
        ("a player loses the battle", "when defeat"),  # nothing is called a player
        ("wins a battle", "when victory"),
        ("building built", "when constructed"),
        ("winters", "when start of winter"),
    ):
        assert find(ENTRIES, words)[0].line == line
    assert find(ENTRIES, "dragon") == ()
    assert fitting(ENTRIES, ["dragon", "unicorn", "fairy", "winter"]) == []
