"""The English of values and conditions can be read in one way only: whoever reads it reckons what the rules reckon."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from edict.compiler.english import tell
from edict.compiler.english.condition_phrases import condition
from edict.compiler.syntax import tree as t
from english import (
    COMPARED,
    HUTS,
    IS,
    LOGIC,
    OPERATORS,
    REDUCED,
    SIZE,
    Values,
    each,
    meanings,
    on_track,
    over_huts,
    owned,
    pool_of,
    the_same,
)
from examples import examples
from helpers import linked, steps

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
class Drawn:
    """An expression of the language, and what it comes to in each situation."""

    text: str
    values: Values


OWN = [
    Drawn("coin of you", owned("your coins")),
    Drawn("stick of you", owned("your sticks")),
    Drawn("fame of you", owned("your fame")),
]
NUMBERS = st.sampled_from([0, 1, 2, 3, 6]).map(lambda n: Drawn(str(n), the_same(n)))
HUT = Drawn("size of it", SIZE)


# --- numbers -----------------------------------------------------------------------------------------


def numbers(depth: int, it: bool = False) -> st.SearchStrategy[Drawn]:
    """Numbers; with `it`, about a hut."""
    leaf = st.sampled_from(OWN) | NUMBERS | (st.just(HUT) if it else st.nothing())
    if not depth:
        return leaf
    part = numbers(depth - 1, it)
    never_0 = st.sampled_from(OWN) | st.builds(lambda one: several("best", [one, Drawn("1", the_same(1))]), part)
    return st.one_of(
        leaf,
        st.builds(binary, st.sampled_from(["+", "-", "*"]), part, part),
        st.builds(binary, st.sampled_from(["/", "mod"]), part, never_0),
        st.builds(several, st.sampled_from(["best", "least", "sum"]), st.lists(part, min_size=2, max_size=3)),
        st.builds(track, st.lists(part, min_size=2, max_size=3), part),
        st.builds(over, st.sampled_from(["sum", "best", "least"]), numbers(depth - 1, it=True), sets(depth - 1)),
        sets(depth - 1).map(count),
        part.map(negative),
        part.map(kept),
    )


def binary(op: str, left: Drawn, right: Drawn) -> Drawn:
    return Drawn(f"({left.text}) {op} ({right.text})", each(OPERATORS[op], left.values, right.values))


def several(op: str, parts: list[Drawn]) -> Drawn:
    *first, last = (f"({part.text})" for part in parts)
    values = each(lambda *numbers: REDUCED[op]([*numbers]), *(part.values for part in parts))
    return Drawn(f"{op} of {', '.join(first)} and {last}", values)


def track(marks: list[Drawn], at: Drawn) -> Drawn:
    text = f"({', '.join(f'({mark.text})' for mark in marks)}) at ({at.text})"
    return Drawn(text, each(on_track, at.values, *(mark.values for mark in marks)))


def over(op: str, value: Drawn, among: Drawn) -> Drawn:
    return Drawn(f"{op} of ({value.text}) over ({among.text})", over_huts(REDUCED[op], value.values, among.values))


def count(among: Drawn) -> Drawn:
    return Drawn(f"count of ({among.text})", over_huts(REDUCED["count"], SIZE, among.values))


def negative(part: Drawn) -> Drawn:
    return Drawn(f"-({part.text})", each(lambda n: -n, part.values))


def kept(place: Drawn) -> Drawn:
    return Drawn(f"pool of ({place.text})", each(pool_of, place.values))


# --- sets --------------------------------------------------------------------------------------------


def sets(depth: int) -> st.SearchStrategy[Drawn]:
    all_ = st.just(Drawn("huts", the_same(1)))
    if not depth:
        return all_
    part, one = sets(depth - 1), st.sampled_from([*HUTS]).map(lambda name: Drawn(name.lower(), IS[name]))
    return st.one_of(
        all_,
        st.builds(where, part, conditions(depth - 1, it=True)),
        st.builds(joined, part, part | one),
        st.builds(without, part, part | one),
        st.builds(best, part, st.sampled_from(["most", "fewest"])),
    )


def where(among: Drawn, wanted: Drawn) -> Drawn:
    return Drawn(f"({among.text}) where {wanted.text}", each(LOGIC["and"], among.values, wanted.values))


def joined(one: Drawn, other: Drawn) -> Drawn:
    return Drawn(f"({one.text}) + ({other.text})", each(LOGIC["or"], one.values, other.values))


def without(one: Drawn, other: Drawn) -> Drawn:
    return Drawn(f"({one.text}) - ({other.text})", each(lambda a, b: a & ~b, one.values, other.values))


def best(among: Drawn, word: str) -> Drawn:
    top = over_huts(REDUCED["best" if word == "most" else "least"], SIZE, among.values)
    values = each(lambda is_in, size, mark: is_in and size == mark, among.values, SIZE, top)
    return Drawn(f"({among.text}) with {word} size of it", values)


# --- conditions --------------------------------------------------------------------------------------


def conditions(depth: int, it: bool = False) -> st.SearchStrategy[Drawn]:
    """Conditions; with `it`, about a hut."""
    names = st.sampled_from([*HUTS])
    tired = Drawn("tired of you", owned("you are tired"))
    is_one = names.map(lambda name: Drawn(f"it is {name.lower()}", IS[name])) if it else st.nothing()
    part = numbers(min(depth, 1), it)
    multiple = st.builds(divided, part, st.sampled_from([2, 5]), st.sampled_from([0, 1]))
    leaf = st.one_of(st.just(tired), is_one, st.builds(compared, st.sampled_from([*COMPARED]), part, part), multiple)
    if not depth:
        return leaf
    inner = conditions(depth - 1, it)
    return st.one_of(
        leaf,
        st.builds(logic, st.sampled_from(["and", "or"]), inner, inner),
        inner.map(negated),
        st.builds(logic, st.sampled_from(["and", "or"]), inner, inner),
        st.builds(alike, inner, inner),
        st.builds(quantified, st.sampled_from(["every", "some"]), sets(depth - 1), conditions(depth - 1, it=True)),
        st.builds(included, names, sets(depth - 1)),
        sets(depth - 1).map(empty),
    )


def compared(op: str, left: Drawn, right: Drawn) -> Drawn:
    return Drawn(f"(({left.text}) {op} ({right.text}))", each(COMPARED[op], left.values, right.values))


def divided(part: Drawn, by: int, rest: int) -> Drawn:
    values = each(lambda n: n % by == rest, part.values)
    return Drawn(f"(({part.text}) mod {by} = {rest})", values)


def logic(op: str, left: Drawn, right: Drawn) -> Drawn:
    return Drawn(f"(({left.text}) {op} ({right.text}))", each(LOGIC[op], left.values, right.values))


def negated(part: Drawn) -> Drawn:
    return Drawn(f"(not ({part.text}))", each(lambda holds: not holds, part.values))


def alike(one: Drawn, other: Drawn) -> Drawn:
    return Drawn(f"(({one.text}) = ({other.text}))", each(lambda a, b: a == b, one.values, other.values))


def quantified(op: str, among: Drawn, holds: Drawn) -> Drawn:
    text = f"({op} {'hut' if among.text == 'huts' else f'({among.text})'} has {holds.text})"
    return Drawn(text, over_huts(REDUCED[op], holds.values, among.values))


def included(name: str, among: Drawn) -> Drawn:
    return Drawn(f"({name.lower()} is in ({among.text}))", over_huts(REDUCED["some"], IS[name], among.values))


def empty(among: Drawn) -> Drawn:
    return Drawn(f"(({among.text}) is empty)", over_huts(lambda found: not found, SIZE, among.values))


# --- what is read ------------------------------------------------------------------------------------


def in_words(*texts: str) -> list[str]:
    changed = ["set tired of you to yes", *(f"let n{i} = {text}" for i, text in enumerate(texts))]
    resolved = linked(RULES + steps(*changed)).resolved
    return [
        condition(resolved, step.value) if resolved.types[step.value].shape == "truth" else tell(resolved, step.value)
        for step in resolved.get("trial-run").block
        if isinstance(step, t.Let)
    ]


def test_the_reader_sees_what_can_be_misread() -> None:
    assert len(meanings("the larger of your coins and your sticks plus 4")) == 2
    assert len(meanings("your coins times 2 plus your sticks")) == 1
    assert len(meanings("the number of huts whose size is at least 2 plus 1")) == 2
    assert len(meanings("the total of its size times 2, over huts")) == 1
    assert not meanings("you are tired and your coins are 7 or your fame is 13", "condition")


@settings(max_examples=examples(15, 200), deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(numbers(3), min_size=12, max_size=12))
def test_what_is_read_is_what_is_reckoned(drawn: list[Drawn]) -> None:
    for one, words in zip(drawn, in_words(*(one.text for one in drawn)), strict=True):
        assert meanings(words) == {one.values}, f"{one.text}\n{words}"


@settings(max_examples=examples(15, 200), deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(conditions(3), min_size=12, max_size=12))
def test_what_is_read_is_what_is_asked(drawn: list[Drawn]) -> None:
    for one, words in zip(drawn, in_words(*(one.text for one in drawn)), strict=True):
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


def test_values_that_could_be_misread() -> None:
    assert dict(zip(VALUES, in_words(*VALUES), strict=True)) == VALUES


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


def test_conditions_that_could_be_misread() -> None:
    assert dict(zip(ASKED, in_words(*ASKED), strict=True)) == ASKED


def test_amounts_that_could_be_misread() -> None:
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
        resolved = linked(RULES + steps(line)).resolved
        assert tell(resolved, resolved.get("trial-run").block[0]) == words
