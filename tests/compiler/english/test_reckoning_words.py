"""Unambiguous English of values and conditions: a reader computes from the words what the rules compute."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from edict.compiler.english import describe
from edict.compiler.english.condition_phrases import describe_condition
from edict.compiler.syntax import tree as t
from english_reader import (
    COMPARED,
    HUTS,
    IS,
    LOGIC,
    OPERATORS,
    REDUCED,
    SIZE,
    Values,
    combine,
    constant_values,
    meanings,
    on_track,
    owned_amounts,
    pool_of,
    reduce_over_huts,
)
from examples import choose_examples
from helpers import link_texts, make_phase

RULES = """
kind hut "hut/huts"
  size number
hut mill "Mill"
  size 2
hut barn "Barn"
  size 5
hut shed "Shed"
  size 7
keep pool "pool" of number as number
keep tired "tired" of player as truth
"""


@dataclass(frozen=True)
class GeneratedExpression:
    """An expression of the language, and its value in each situation."""

    text: str
    values: Values


OWN = [
    GeneratedExpression("coin of you", owned_amounts("your coins")),
    GeneratedExpression("stick of you", owned_amounts("your sticks")),
    GeneratedExpression("fame of you", owned_amounts("your fame")),
]
NUMBERS = st.sampled_from([0, 1, 2, 3, 6]).map(lambda n: GeneratedExpression(str(n), constant_values(n)))
HUT = GeneratedExpression("size of it", SIZE)


# --- numbers -----------------------------------------------------------------------------------------


def number_expressions(depth: int, it: bool = False) -> st.SearchStrategy[GeneratedExpression]:
    """Return a strategy for numbers; with `it`, also about a hut."""
    leaf = st.sampled_from(OWN) | NUMBERS | (st.just(HUT) if it else st.nothing())
    if not depth:
        return leaf
    part = number_expressions(depth - 1, it)
    never_0 = st.sampled_from(OWN) | st.builds(
        lambda one: make_aggregate("best", [one, GeneratedExpression("1", constant_values(1))]), part
    )
    return st.one_of(
        leaf,
        st.builds(make_binary, st.sampled_from(["+", "-", "*"]), part, part),
        st.builds(make_binary, st.sampled_from(["/", "mod"]), part, never_0),
        st.builds(make_aggregate, st.sampled_from(["best", "least", "sum"]), st.lists(part, min_size=2, max_size=3)),
        st.builds(make_track, st.lists(part, min_size=2, max_size=3), part),
        st.builds(
            make_over,
            st.sampled_from(["sum", "best", "least"]),
            number_expressions(depth - 1, it=True),
            set_expressions(depth - 1),
        ),
        set_expressions(depth - 1).map(make_count),
        part.map(make_negative),
        part.map(make_pool),
    )


def make_binary(op: str, left: GeneratedExpression, right: GeneratedExpression) -> GeneratedExpression:
    return GeneratedExpression(f"({left.text}) {op} ({right.text})", combine(OPERATORS[op], left.values, right.values))


def make_aggregate(op: str, parts: list[GeneratedExpression]) -> GeneratedExpression:
    *first, last = (f"({part.text})" for part in parts)
    values = combine(lambda *numbers: REDUCED[op]([*numbers]), *(part.values for part in parts))
    return GeneratedExpression(f"{op} of {', '.join(first)} and {last}", values)


def make_track(marks: list[GeneratedExpression], at: GeneratedExpression) -> GeneratedExpression:
    text = f"({', '.join(f'({mark.text})' for mark in marks)}) at ({at.text})"
    return GeneratedExpression(text, combine(on_track, at.values, *(mark.values for mark in marks)))


def make_over(op: str, value: GeneratedExpression, among: GeneratedExpression) -> GeneratedExpression:
    return GeneratedExpression(
        f"{op} of ({value.text}) over ({among.text})", reduce_over_huts(REDUCED[op], value.values, among.values)
    )


def make_count(among: GeneratedExpression) -> GeneratedExpression:
    return GeneratedExpression(f"count of ({among.text})", reduce_over_huts(REDUCED["count"], SIZE, among.values))


def make_negative(part: GeneratedExpression) -> GeneratedExpression:
    return GeneratedExpression(f"-({part.text})", combine(lambda n: -n, part.values))


def make_pool(place: GeneratedExpression) -> GeneratedExpression:
    return GeneratedExpression(f"pool of ({place.text})", combine(pool_of, place.values))


# --- sets --------------------------------------------------------------------------------------------


def set_expressions(depth: int) -> st.SearchStrategy[GeneratedExpression]:
    all_ = st.just(GeneratedExpression("huts", constant_values(1)))
    if not depth:
        return all_
    part, one = (
        set_expressions(depth - 1),
        st.sampled_from([*HUTS]).map(lambda name: GeneratedExpression(name.lower(), IS[name])),
    )
    return st.one_of(
        all_,
        st.builds(make_where, part, condition_expressions(depth - 1, it=True)),
        st.builds(make_union, part, part | one),
        st.builds(make_difference, part, part | one),
        st.builds(make_best, part, st.sampled_from(["most", "fewest"])),
    )


def make_where(among: GeneratedExpression, wanted: GeneratedExpression) -> GeneratedExpression:
    return GeneratedExpression(
        f"({among.text}) where {wanted.text}", combine(LOGIC["and"], among.values, wanted.values)
    )


def make_union(left: GeneratedExpression, right: GeneratedExpression) -> GeneratedExpression:
    return GeneratedExpression(f"({left.text}) + ({right.text})", combine(LOGIC["or"], left.values, right.values))


def make_difference(left: GeneratedExpression, right: GeneratedExpression) -> GeneratedExpression:
    return GeneratedExpression(
        f"({left.text}) - ({right.text})", combine(lambda a, b: a & ~b, left.values, right.values)
    )


def make_best(among: GeneratedExpression, word: str) -> GeneratedExpression:
    top = reduce_over_huts(REDUCED["best" if word == "most" else "least"], SIZE, among.values)
    values = combine(lambda is_in, size, mark: is_in and size == mark, among.values, SIZE, top)
    return GeneratedExpression(f"({among.text}) with {word} size of it", values)


# --- conditions --------------------------------------------------------------------------------------


def condition_expressions(depth: int, it: bool = False) -> st.SearchStrategy[GeneratedExpression]:
    """Return a strategy for conditions; with `it`, also about a hut."""
    names = st.sampled_from([*HUTS])
    tired = GeneratedExpression("tired of you", owned_amounts("you are tired"))
    is_one = names.map(lambda name: GeneratedExpression(f"it is {name.lower()}", IS[name])) if it else st.nothing()
    part = number_expressions(min(depth, 1), it)
    multiple = st.builds(make_divisibility, part, st.sampled_from([2, 5]), st.sampled_from([0, 1]))
    leaf = st.one_of(
        st.just(tired), is_one, st.builds(make_comparison, st.sampled_from([*COMPARED]), part, part), multiple
    )
    if not depth:
        return leaf
    inner = condition_expressions(depth - 1, it)
    return st.one_of(
        leaf,
        st.builds(make_logic, st.sampled_from(["and", "or"]), inner, inner),
        inner.map(make_negation),
        st.builds(make_logic, st.sampled_from(["and", "or"]), inner, inner),
        st.builds(make_equivalence, inner, inner),
        st.builds(
            make_quantified,
            st.sampled_from(["every", "some"]),
            set_expressions(depth - 1),
            condition_expressions(depth - 1, it=True),
        ),
        st.builds(make_membership, names, set_expressions(depth - 1)),
        set_expressions(depth - 1).map(make_emptiness),
    )


def make_comparison(op: str, left: GeneratedExpression, right: GeneratedExpression) -> GeneratedExpression:
    return GeneratedExpression(f"(({left.text}) {op} ({right.text}))", combine(COMPARED[op], left.values, right.values))


def make_divisibility(part: GeneratedExpression, by: int, rest: int) -> GeneratedExpression:
    values = combine(lambda n: n % by == rest, part.values)
    return GeneratedExpression(f"(({part.text}) mod {by} = {rest})", values)


def make_logic(op: str, left: GeneratedExpression, right: GeneratedExpression) -> GeneratedExpression:
    return GeneratedExpression(f"(({left.text}) {op} ({right.text}))", combine(LOGIC[op], left.values, right.values))


def make_negation(part: GeneratedExpression) -> GeneratedExpression:
    return GeneratedExpression(f"(not ({part.text}))", combine(lambda holds: not holds, part.values))


def make_equivalence(left: GeneratedExpression, right: GeneratedExpression) -> GeneratedExpression:
    return GeneratedExpression(
        f"(({left.text}) = ({right.text}))", combine(lambda a, b: a == b, left.values, right.values)
    )


def make_quantified(op: str, among: GeneratedExpression, holds: GeneratedExpression) -> GeneratedExpression:
    text = f"({op} {'hut' if among.text == 'huts' else f'({among.text})'} has {holds.text})"
    return GeneratedExpression(text, reduce_over_huts(REDUCED[op], holds.values, among.values))


def make_membership(name: str, among: GeneratedExpression) -> GeneratedExpression:
    return GeneratedExpression(
        f"({name.lower()} is in ({among.text}))", reduce_over_huts(REDUCED["some"], IS[name], among.values)
    )


def make_emptiness(among: GeneratedExpression) -> GeneratedExpression:
    return GeneratedExpression(
        f"(({among.text}) is empty)", reduce_over_huts(lambda found: not found, SIZE, among.values)
    )


# --- readings ----------------------------------------------------------------------------------------


def describe_all(*texts: str) -> list[str]:
    changed = ["set tired of you to yes", *(f"let n{i} = {text}" for i, text in enumerate(texts))]
    resolved = link_texts(RULES + make_phase(*changed)).resolved
    return [
        describe_condition(resolved, step.value)
        if resolved.types[step.value].shape == "truth"
        else describe(resolved, step.value)
        for step in resolved.require_definition("trial-run").block
        if isinstance(step, t.Let)
    ]


def test_reader_finds_every_reading_of_ambiguous_words() -> None:
    assert len(meanings("the larger of your coins and your sticks plus 4")) == 2
    assert len(meanings("your coins times 2 plus your sticks")) == 1
    assert len(meanings("the number of huts whose size is at least 2 plus 1")) == 2
    assert len(meanings("the total of its size times 2, over huts")) == 1
    assert not meanings("you are tired and your coins are 7 or your fame is 13", "condition")


@settings(max_examples=choose_examples(15, 200), deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(number_expressions(3), min_size=12, max_size=12))
def test_words_of_a_value_have_one_reading_which_is_the_value(drawn: list[GeneratedExpression]) -> None:
    for one, words in zip(drawn, describe_all(*(one.text for one in drawn)), strict=True):
        assert meanings(words) == {one.values}, f"{one.text}\n{words}"


@settings(max_examples=choose_examples(15, 200), deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(condition_expressions(3), min_size=12, max_size=12))
def test_words_of_a_condition_have_one_reading_which_is_the_condition(drawn: list[GeneratedExpression]) -> None:
    for one, words in zip(drawn, describe_all(*(one.text for one in drawn)), strict=True):
        assert meanings(words, "condition") == {one.values}, f"{one.text}\n{words}"


VALUES = {
    "(best of coin of you and stick of you) + 4": "4 plus the larger of your coins and your sticks",
    "(best of coin of you and stick of you) - 4": "4 less than the larger of your coins and your sticks",
    "(best of coin of you and stick of you) * 2": "twice the larger of your coins and your sticks",
    "((1, 3, 6) at coin of you) * 3": "3 times what stands at place your coins of the track 1, 3, 6",
    "(best of coin of you and 3) / 2": "(the larger of your coins and 3) divided by 2",
    "(best of coin of you and 3) - stick of you": "(the larger of your coins and 3) minus your sticks",
    "stick of you - (best of coin of you and 3)": "your sticks minus the larger of your coins and 3",
    "best of coin of you and (stick of you + 4)": "the larger of your sticks plus 4 and your coins",
    "best of (coin of you + 1) and (stick of you + 2)": "the larger of your coins plus 1 and (your sticks plus 2)",
    "-(coin of you + 1)": "-(your coins plus 1)",
    "sum of size of it * 2 over huts": "the total of its size times 2, over huts",
    "(count of (huts where size of it > 2)) + 1": "1 plus the number of huts whose size is more than 2",
    "pool of (coin of you + 1)": "the pool of (your coins plus 1)",
    "(best of coin of you and 3) + (least of coin of you and 3) + 1": "(the larger of your coins and 3) plus (the smaller of your coins and 3) plus 1",
    "1 - coin of you + (best of coin of you and 3) + 2": "1 minus your coins plus 2 plus the larger of your coins and 3",
    "best of ((1, 4) at coin of you) and 2": "the larger of 2 and what stands at place your coins of the track 1, 4",
    "coin of you * 2 + 1": "your coins times 2 plus 1",
    "1 + longest path in huts counting size of it through huts": "1 plus the length of the longest path in huts through huts, counting its size",
}


def test_values_that_could_be_misread_have_clear_words() -> None:
    assert dict(zip(VALUES, describe_all(*VALUES), strict=True)) == VALUES


ASKED = {
    "coin of you > 1 and (stick of you > 2 or tired of you)": "you have more than 1 coin, and either you have more than 2 sticks or you are tired",
    "coin of you > 1 or not (stick of you > 2 or tired of you)": "you have more than 1 coin, or you have at most 2 sticks and you are not tired",
    "coin of you > 1 or stick of you > 2 and (tired of you or fame of you > 3)": "you have more than 1 coin or (you have more than 2 sticks, and either you are tired or you have "
    "more than 3 fame)",
    "(every hut has size of it > coin of you and tired of you) and stick of you > 2": "you have more than 2 sticks and for every hut, its size is more than your coins and you are tired",
    "(some (huts where size of it > 3) has size of it > coin of you) or tired of you": "you are tired or for some of the huts whose size is more than 3, its size is more than your coins",
    "(coin of you > 1) = (stick of you > 2) and tired of you": "(you have more than 1 coin exactly if you have more than 2 sticks) and you are tired",
    "not (tired of you = (coin of you > 1))": "you are tired exactly if you have at most 1 coin",
    "mill is in (huts where size of it > 2)": "the huts whose size is more than 2 include Mill",
    "(huts where size of it > 2) is empty": "there are no huts whose size is more than 2",
    "count of (huts where size of it > 2 or tired of you) > 1": "(the number of huts where its size is more than 2 or you are tired) is more than 1",
    "count of (huts where not (size of it > 2 or size of it < 1)) > 1": "the number of huts whose size is at most 2 and whose size is at least 1 is more than 1",
    "count of ((huts where size of it > 2) with most size of it) > 1": "the number of huts with the highest size among those whose size is more than 2 is more than 1",
    "count of ((huts where size of it > 2) - mill - barn) > 1": "the number of huts whose size is more than 2, except Mill and Barn is more than 1",
    "count of ((huts - mill) where size of it > 2) > 1": "the number of (huts without Mill) whose size is more than 2 is more than 1",
    "fame of you <= 0": "your fame is at most 0",
    "size of mill mod 2 = 0": "the size of Mill is even",
    "size of mill mod 2 is not 1": "the size of Mill is not odd",
    "not (coin of you mod 3 = 0)": "your coins are not divisible by 3",
    "count of (huts where size of it mod 5 = 0) > 1": "the number of huts whose size is divisible by 5 is more than 1",
}


def test_conditions_that_could_be_misread_have_clear_words() -> None:
    assert dict(zip(ASKED, describe_all(*ASKED), strict=True)) == ASKED


def test_amounts_that_could_be_misread_have_clear_words(subtests: pytest.Subtests) -> None:
    for line, words in (
        (
            "gain (best of coin of you and 3) stick and 2 fame",
            "gain sticks equal to (the larger of your coins and 3) and 2 fame",
        ),
        (
            "gain 2 fame and (best of coin of you and 3) stick",
            "gain 2 fame and sticks equal to the larger of your coins and 3",
        ),
    ):
        with subtests.test(line=line):
            resolved = link_texts(RULES + make_phase(line)).resolved
            assert describe(resolved, resolved.require_definition("trial-run").block[0]) == words
