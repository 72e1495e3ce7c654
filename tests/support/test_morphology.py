"""English forms of words: lists, plurals, articles, counts, capitals and sentences."""

from __future__ import annotations

import pytest

from edict.support import morphology as m


def test_join_words_has_no_comma_before_the_last() -> None:
    assert [m.join_words("abc"[:count]) for count in range(4)] == ["", "a", "a and b", "a, b and c"]
    assert m.join_words(["wood", "stone"], "or") == "wood or stone"


@pytest.mark.parametrize(
    ("count", "joint", "text"),
    [
        (0, "or", "nothing"),
        (1, "or", "`a`"),
        (2, "and", "`a` and `b`"),
        (3, "or", "`a`, `b` or `c`"),
        (8, "or", "`a`, `b`, `c`, `d`, `e`, `f`, `g` or `h`"),
        (9, "or", "`a`, `b`, `c`, `d`, `e`, `f`, `g`, `h` or others"),
    ],
)
def test_quote_words_cuts_long_lists(count: int, joint: str, text: str) -> None:
    assert m.quote_words("abcdefghi"[:count], joint) == text


def test_run_on_sets_marks_without_spaces() -> None:
    assert m.join_line(["Ann", "rolls", "3", ", again", "(", "yes", ")", "!"]) == "Ann rolls 3, again (yes)!"
    assert m.join_line(["Ann", "'s card", " "]) == "Ann's card"


def test_split_title_takes_only_words_apart() -> None:
    assert m.split_title("wolf/wolves") == ("wolf", "wolves")
    assert m.split_title("wood") == ("wood", "wood")
    assert m.split_title("wolf", "wolves") == ("wolf", "wolves")
    assert [m.split_title(title)[0] for title in ("1/3", "A/3")] == ["1/3", "A/3"]


@pytest.mark.parametrize(
    ("noun", "plural"),
    [
        ("coin", "coins"),
        ("enemy", "enemies"),
        ("day", "days"),
        ("box", "boxes"),
        ("church", "churches"),
        ("bus", "buses"),
        ("bonus die", "bonus dice"),
        ("Die", "Dice"),
        ("VP", "VPs"),
    ],
)
def test_pluralize_follows_the_spelling(noun: str, plural: str) -> None:
    assert m.pluralize(noun) == plural


def test_pluralize_title_keeps_a_plural_that_is_there() -> None:
    titles = ["man/men", "goods", "enemy", "extra die"]
    assert [m.pluralize_title(title) for title in titles] == ["men", "goods", "enemies", "extra dice"]


def test_inflect_agrees_with_the_number() -> None:
    assert [m.inflect(number, "die", "dice") for number in (0, 1, -1, 2)] == ["dice", "die", "die", "dice"]
    assert m.inflect(2, "gold") == "gold"


def test_count_noun_groups_large_numbers() -> None:
    counts = [m.count_noun(count, "scene") for count in (0, 1, 2, 12_000)]
    assert counts == ["0 scenes", "1 scene", "2 scenes", "12,000 scenes"]
    assert m.count_noun(2, "entry") == "2 entries"


def test_count_title_puts_no_number_before_a_sign() -> None:
    assert [m.count_title(count, "soldier", "soldiers") for count in (1, 2)] == ["1 soldier", "2 soldiers"]
    assert [m.count_title(count, "+2 token", "+2 tokens") for count in (1, 3)] == ["a +2 token", "3 +2 tokens"]


def test_with_article_follows_the_sound() -> None:
    words = ["oak", "unit", "urn", "user", "hour", "one-time offer", "8-sided die", "guild"]
    articles = [m.add_indefinite_article(word).split()[0] for word in words]
    assert articles == ["an", "a", "an", "a", "an", "a", "an", "a"]


def test_small_words_are_not_written_twice() -> None:
    assert [m.add_definite_article(title) for title in ("crown", "The Crown", "a crown")] == [
        "the crown",
        "The Crown",
        "a crown",
    ]
    assert [m.join_with_of(head, "oak") for head in ("price", "dice on")] == ["price of oak", "dice on oak"]


def test_possessives_and_verbs_agree_with_who_it_is() -> None:
    assert [m.make_possessive(who) for who in ("you", "the host", "the Jones")] == ["your", "the host's", "the Jones'"]
    titles = ["_ leaves the court", "_ is first", "_ carries wood", "_ passes"]
    verbs = [m.conjugate_for_you(title)[2:] for title in titles]
    assert verbs == ["leave the court", "are first", "carry wood", "pass"]


def test_capitals_stay_where_they_are_names() -> None:
    assert [m.capitalize(text) for text in ("", "inn", "the Inn")] == ["", "Inn", "The Inn"]
    assert [m.uncapitalize(text) for text in ("Gain 2", "VP count", "A card")] == ["gain 2", "VP count", "a card"]
    titles = ["Recruit soldiers", "VP", "Guard Tower", "The King's Favor"]
    uncapitalized = [m.uncapitalize_title(title) for title in titles]
    assert uncapitalized == ["recruit soldiers", "VP", "Guard Tower", "the King's Favor"]


def test_to_sentence_ends_with_one_mark() -> None:
    assert [m.to_sentence(text) for text in (" so it is ", "Is it?", "")] == ["So it is.", "Is it?", ""]


@pytest.mark.parametrize(
    ("word", "number"),
    [("three", 3), ("Twelve", 12), ("IV", 4), ("XIX", 19), ("V", 5), ("v", None), ("I", None), ("X", None), ("", None)],
)  # fmt: skip
def test_number_words_and_roman_numerals_are_numbers(word: str, number: int | None) -> None:
    assert m.parse_number_word(word) == number


@pytest.mark.parametrize(("word", "number"), [("third", 3), ("2nd", 2), ("12th", 12), ("3", None), ("gold", None)])
def test_ordinals_are_numbers(word: str, number: int | None) -> None:
    assert m.parse_ordinal(word) == number
