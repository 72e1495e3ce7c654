"""Which word may be carried out as a remedy without asking: the only one that is near enough."""

from __future__ import annotations

from edict.report import MOST_COMPARED, only_near


def test_the_only_word_within_a_letter_or_two_is_found_among_thousands() -> None:
    others = [f"village-{number}" for number in range(9_000)]
    assert only_near("statoin", [*others, "station"]) == "station"
    assert only_near("STATION", [*others, "station", "nation"]) == "station"
    assert only_near("statoin", [*others, "station", "statoins"]) == ""


def test_nothing_is_sure_among_more_words_of_the_same_letters_than_are_compared() -> None:
    alike = [f"abcd-{number}" for number in range(10_000, 10_000 + MOST_COMPARED + 1)]
    assert only_near("abdc-10000", alike) == ""
