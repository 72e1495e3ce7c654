"""The English of a computed number can be read in one way only: whoever reads it reckons what the rules reckon."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
from helpers import linked, steps
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from edict.language import tree as t
from edict.words import expr_words, stmt_words

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
"""
WORLDS = (
    {"your coins": 7, "your sticks": 11, "your fame": -3},
    {"your coins": 2, "your sticks": 0, "your fame": 13},
)
SIZES = (2, 5, 7)


@dataclass(frozen=True)
class Drawn:
    """An expression of the language, and what it comes to in each world; nothing where it divides by 0."""

    text: str
    values: tuple[int | None, ...]


Values = tuple[int | None, ...]


def each(reckon: Callable[..., int], *parts: Values) -> Values:
    """The same in every world."""
    def one(*numbers: int | None) -> int | None:
        try:
            return None if None in numbers else reckon(*numbers)
        except ZeroDivisionError:
            return None

    return tuple(one(*numbers) for numbers in zip(*parts, strict=True))


def the_same(number: int) -> Values:
    return (number,) * len(WORLDS)


OPERATORS: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": lambda a, b: a // b,
    "mod": lambda a, b: a % b,
}  # fmt: skip


def on_track(at: int, *track: int) -> int:
    return track[max(1, min(at, len(track))) - 1]


def pool_of(place: int) -> int:
    """Something that is kept for numbers, whatever it is."""
    return 100 * place + 17


# --- expressions ---------------------------------------------------------------------------------


OWN = [Drawn(f"{name} of you", tuple(world[words] for world in WORLDS)) for name, words in
       (("coin", "your coins"), ("stick", "your sticks"), ("fame", "your fame"))]  # fmt: skip
NUMBERS = st.sampled_from([0, 1, 2, 3, 6]).map(lambda n: Drawn(str(n), the_same(n)))


def numbers(depth: int) -> st.SearchStrategy[Drawn]:
    leaf = st.sampled_from(OWN) | NUMBERS
    if not depth:
        return leaf
    part = numbers(depth - 1)
    never_0 = st.sampled_from(OWN) | st.builds(lambda one: several("best", [one, Drawn("1", the_same(1))]), part)
    return st.one_of(
        leaf, st.builds(binary, st.sampled_from(["+", "-", "*"]), part, part),
        st.builds(binary, st.sampled_from(["/", "mod"]), part, never_0),
        st.builds(several, st.sampled_from(["best", "least", "sum"]), st.lists(part, min_size=2, max_size=3)),
        st.builds(track, st.lists(part, min_size=2, max_size=3), part),
        st.builds(over, st.sampled_from(["sum", "best"]), st.sampled_from(["+", "-", "*"]), part, st.booleans()),
        st.builds(large_huts, part), part.map(negative), part.map(kept),
    )  # fmt: skip


def binary(op: str, left: Drawn, right: Drawn) -> Drawn:
    return Drawn(f"({left.text}) {op} ({right.text})", each(OPERATORS[op], left.values, right.values))


CHOSEN: dict[str, Callable[..., int]] = {
    "best": lambda *ns: max(ns), "least": lambda *ns: min(ns), "sum": lambda *ns: sum(ns),
}  # fmt: skip


def several(op: str, parts: list[Drawn]) -> Drawn:
    *first, last = (f"({part.text})" for part in parts)
    return Drawn(f"{op} of {', '.join(first)} and {last}", each(CHOSEN[op], *(part.values for part in parts)))


def track(marks: list[Drawn], at: Drawn) -> Drawn:
    text = f"({', '.join(f'({mark.text})' for mark in marks)}) at ({at.text})"
    return Drawn(text, each(on_track, at.values, *(mark.values for mark in marks)))


def over(op: str, sign: str, part: Drawn, first: bool) -> Drawn:
    """Over all huts; what their size is reckoned with comes after it or before."""
    def reckoned(number: int) -> int:
        return CHOSEN[op](*(OPERATORS[sign](*((size, number) if first else (number, size))) for size in SIZES))

    value = f"size of it {sign} ({part.text})" if first else f"({part.text}) {sign} size of it"
    return Drawn(f"{op} of {value} over huts", each(reckoned, part.values))


def large_huts(least: Drawn) -> Drawn:
    text = f"count of (huts where size of it >= ({least.text}))"
    return Drawn(text, each(lambda n: sum(size >= n for size in SIZES), least.values))


def negative(part: Drawn) -> Drawn:
    return Drawn(f"-({part.text})", each(lambda n: -n, part.values))


def kept(place: Drawn) -> Drawn:
    return Drawn(f"pool of ({place.text})", each(pool_of, place.values))


# --- a reader ----------------------------------------------------------------------------------------

Found = Iterator[tuple[Values, int]]
"""What the words from a place on can mean, and where each meaning ends."""


class Reader:
    """Reads English in every way it can be read: a list or a clause may end anywhere."""

    def __init__(self, text: str) -> None:
        self.words = re.findall(r"[()|,+*/-]|[\w']+", text)
        self.it: list[Values] = []
        self.found: dict[tuple[str, int, int], list[tuple[Values, int]]] = {}

    def meanings(self) -> set[Values]:
        return {values for values, end in self.read("sum", 0) if end == len(self.words)}

    def read(self, what: str, at: int) -> list[tuple[Values, int]]:
        key = (what, at, len(self.it) and hash(self.it[-1]))
        if key not in self.found:
            self.found[key] = list(dict.fromkeys(getattr(self, f"_{what}")(at)))
        return self.found[key]

    def after(self, words: str, at: int) -> int | None:
        """Where these words end, if they stand there."""
        wanted = words.split()
        return at + len(wanted) if self.words[at : at + len(wanted)] == wanted else None

    def _sum(self, at: int) -> Found:
        yield from self.chain("product", at, {"plus": "+", "minus": "-", "+": "+", "-": "-"})
        if self.words[at : at + 1] and self.words[at].isdecimal():
            end = self.after("less than", at + 1)
            for values, stop in self.read("sum", end) if end else ():
                yield each(lambda n: n - int(self.words[at]), values), stop

    def _product(self, at: int) -> Found:
        signs = {"times": "*", "divided": "/", "modulo": "mod", "*": "*", "/": "/"}
        yield from self.chain("factor", at, signs)

    def chain(self, part: str, at: int, signs: dict[str, str]) -> Found:
        """Parts with signs between them, from left to right; it may end after each."""
        ends = list(self.read(part, at))
        while ends:
            yield from ends
            ends = [
                (each(OPERATORS[signs[sign]], left, right), stop)
                for left, end in ends if (sign := "".join(self.words[end : end + 1])) in signs
                for right, stop in self.read(part, end + 2 if sign == "divided" else end + 1)
            ]  # fmt: skip

    def _factor(self, at: int) -> Found:
        word = "".join(self.words[at : at + 1])
        if word.isdecimal():
            yield the_same(int(word)), at + 1
        if word == "(":
            yield from ((values, end + 1) for values, end in self.read("sum", at + 1) if self.after(")", end))
        if word == "-":
            yield from ((each(lambda n: -n, values), end) for values, end in self.read("factor", at + 1))
        if word == "twice":
            yield from ((each(lambda n: 2 * n, values), end) for values, end in self.read("product", at + 1))
        for words in WORLDS[0]:
            end = self.after(words, at)
            if end:
                yield tuple(world[words] for world in WORLDS), end
        if word == "its" and self.it and self.after("its size", at):
            yield self.it[-1], at + 2
        yield from self.phrases(at)

    def phrases(self, at: int) -> Found:
        for words, reckon, few in (
            ("the larger of", max, True), ("the smaller of", min, True), ("the sum of", CHOSEN["sum"], True),
            ("the largest of", max, False), ("the smallest of", min, False), ("the sum of", CHOSEN["sum"], False),
        ):  # fmt: skip
            end = self.after(words, at)
            for parts, stop in self.list(end) if end else ():
                if (len(parts) == 2) == few:
                    yield each(reckon, *parts), stop
        end = self.after("the pool of", at)
        yield from ((each(pool_of, values), stop) for values, stop in (self.read("sum", end) if end else ()))
        end = self.after("what stands at place", at)
        for place, stop in self.read("sum", end) if end else ():
            begin = self.after("of the track", stop)
            for marks, last in self.marks(begin) if begin else ():
                yield each(on_track, place, *marks), last
        yield from self.of_huts(at)

    def list(self, at: int) -> Iterator[tuple[tuple[Values, ...], int]]:
        """`a and b`, `a, b and c`."""
        for parts, end in self.marks(at):
            begin = self.after("and", end)
            yield from (((*parts, last), stop) for last, stop in (self.read("sum", begin) if begin else ()))

    def marks(self, at: int) -> Iterator[tuple[tuple[Values, ...], int]]:
        """Parts with commas between them."""
        for first, end in self.read("sum", at):
            yield (first,), end
            if self.after(",", end):
                yield from (((first, *more), stop) for more, stop in self.marks(end + 1))

    def of_huts(self, at: int) -> Found:
        for word, reckon in (("total", CHOSEN["sum"]), ("highest", max)):
            end = self.after(f"the {word} size of huts", at)
            if end:
                yield the_same(reckon(SIZES)) if word == "highest" else the_same(sum(SIZES)), end
            end = self.after(f"the {word} of", at)
            yield from self.over(reckon, end) if end else ()
        begin = self.after("the number of", at)
        if begin:
            yield from self.large(begin)
            if self.after("(", begin):
                yield from ((values, end + 1) for values, end in self.large(begin + 1) if self.after(")", end))

    def large(self, at: int) -> Found:
        end = self.after("huts whose size is at least", at)
        for values, stop in self.read("sum", end) if end else ():
            yield each(lambda n: sum(size >= n for size in SIZES), values), stop

    def over(self, reckon: Callable[..., int], at: int) -> Found:
        """A value of each hut: read once for every size, always in the same way."""
        ways = []
        for size in SIZES:
            self.it.append(the_same(size))
            ways.append(self.read("sum", at))
            self.it.pop()
        for way in zip(*ways, strict=True):
            end = self.after(", over huts", way[0][1])
            if end and len({stop for _, stop in way}) == 1:
                yield each(reckon, *(values for values, _ in way)), end


def meanings(words: str) -> set[Values]:
    return Reader(words).meanings()


def in_words(*texts: str) -> list[str]:
    resolved = linked(RULES + steps(*(f"let n{i} = {text}" for i, text in enumerate(texts)))).resolved
    return [expr_words(resolved, step.value) for step in resolved.get("trial-run").block if isinstance(step, t.Let)]


def test_the_reader_sees_what_can_be_misread() -> None:
    assert len(meanings("the larger of your coins and your sticks plus 4")) == 2
    assert len(meanings("your coins times 2 plus your sticks")) == 1
    assert len(meanings("the number of huts whose size is at least 2 plus 1")) == 2
    assert len(meanings("the total of its size times 2, over huts")) == 1


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(numbers(3), min_size=12, max_size=12))
def test_what_is_read_is_what_is_reckoned(drawn: list[Drawn]) -> None:
    for one, words in zip(drawn, in_words(*(one.text for one in drawn)), strict=True):
        assert meanings(words) == {one.values}, f"{one.text}\n{words}"


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("(best of coin of you and stick of you) + 4", "4 plus the larger of your coins and your sticks"),
        ("(best of coin of you and stick of you) - 4", "4 less than the larger of your coins and your sticks"),
        ("(best of coin of you and stick of you) * 2", "twice the larger of your coins and your sticks"),
        ("((1, 3, 6) at coin of you) * 3", "3 times what stands at place your coins of the track 1, 3, 6"),
        ("(best of coin of you and 3) / 2", "(the larger of your coins and 3) divided by 2"),
        ("(best of coin of you and 3) - stick of you", "(the larger of your coins and 3) minus your sticks"),
        ("stick of you - (best of coin of you and 3)", "your sticks minus the larger of your coins and 3"),
        ("best of coin of you and (stick of you + 4)", "the larger of your sticks plus 4 and your coins"),
        ("-(coin of you + 1)", "-(your coins plus 1)"),
        ("sum of size of it * 2 over huts", "the total of its size times 2, over huts"),
        ("(count of (huts where size of it > 2)) + 1", "1 plus the number of huts whose size is more than 2"),
        ("pool of (coin of you + 1)", "the pool of (your coins plus 1)"),
        ("(best of coin of you and 3) + (least of coin of you and 3) + 1",
         "(the larger of your coins and 3) plus (the smaller of your coins and 3) plus 1"),
        ("1 - coin of you + (best of coin of you and 3) + 2",
         "1 minus your coins plus 2 plus the larger of your coins and 3"),
        ("best of ((1, 4) at coin of you) and 2",
         "the larger of 2 and what stands at place your coins of the track 1, 4"),
        ("coin of you * 2 + 1", "your coins times 2 plus 1"),
    ],
)  # fmt: skip
def test_values_that_could_be_misread(value: str, words: str) -> None:
    assert in_words(value) == [words]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("gain (best of coin of you and 3) stick and 2 fame",
         "gain sticks equal to (the larger of your coins and 3) and 2 fame"),
        ("gain 2 fame and (best of coin of you and 3) stick",
         "gain 2 fame and sticks equal to the larger of your coins and 3"),
    ],
)  # fmt: skip
def test_amounts_that_could_be_misread(line: str, words: str) -> None:
    resolved = linked(RULES + steps(line)).resolved
    assert stmt_words(resolved, resolved.get("trial-run").block[0]) == words
