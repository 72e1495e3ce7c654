"""A reader of the generated English of rules, which knows only its grammar and finds every possible meaning.

A meaning is the value in each situation: a world (how much you have) and, for phrases about `it`, a hut. A condition
is 0 or 1; a set is the condition of being in it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

WORLDS: tuple[dict[str, int], ...] = (
    {"your coins": 7, "your sticks": 11, "your fame": -3, "you are tired": 1},
    {"your coins": 2, "your sticks": 0, "your fame": 13, "you are tired": 0},
    {"your coins": 4, "your sticks": 5, "your fame": 1, "you are tired": 0},
)
HUTS = {"Mill": 2, "Barn": 5, "Shed": 7}
SITUATIONS = tuple((world, hut) for world in WORLDS for hut in HUTS)

Values = tuple[int | None, ...]  # a number for each situation; None where it divides by 0

ADDED = {"plus": "+", "minus": "-", "+": "+", "-": "-"}
MULTIPLIED = {"times": "*", "divided": "/", "modulo": "mod", "*": "*", "/": "/"}
OPEN_END = 0.5  # added to the end of a clause that goes on itself

# Possible values of the words from a position, each with its end. `OPEN_END` is added to the end after a condition
# that begins with `where` or `for every hut`: without parentheses, it extends as far as possible.
Found = Iterator[tuple[Values, float]]


def combine(operation: Callable[..., int], *parts: Values) -> Values:
    """Apply a function to the values of each situation."""

    def apply(*numbers: int | None) -> int | None:
        try:
            return None if None in numbers else int(operation(*numbers))
        except ZeroDivisionError:
            return None

    return tuple(apply(*numbers) for numbers in zip(*parts, strict=True))


def constant_values(number: int) -> Values:
    return (number,) * len(SITUATIONS)


def owned_amounts(words: str) -> Values:
    return tuple(world[words] for world, _ in SITUATIONS)


SIZE = tuple(HUTS[hut] for _, hut in SITUATIONS)
IS = {name: tuple(int(hut == name) for _, hut in SITUATIONS) for name in HUTS}


def reduce_over_huts(operation: Callable[[list[int]], int], values: Values, members_of_set: Values) -> Values:
    """Return the reduced values of the huts that are in a set, in each world."""
    result: list[int | None] = []
    for start in range(0, len(SITUATIONS), len(HUTS)):
        pairs = [*zip(values[start : start + len(HUTS)], members_of_set[start : start + len(HUTS)], strict=True)]
        unknown = any(is_in is None or is_in and value is None for value, is_in in pairs)
        reduced = None if unknown else operation([value for value, is_in in pairs if is_in and value is not None])
        result += [reduced] * len(HUTS)
    return tuple(result)


OPERATORS: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a // b,
    "mod": lambda a, b: a % b,
}
COMPARED: dict[str, Callable[[int, int], bool]] = {
    "=": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}
JOINED: dict[str, Callable[[int, int], int]] = {"and": lambda a, b: a | b, "without": lambda a, b: a & ~b}
LOGIC: dict[str, Callable[[int, int], int]] = {"and": lambda a, b: a & b, "or": lambda a, b: a | b}
VERBS = {"is": "=", "is not": "!=", "is less than": "<", "is at most": "<=", "is more than": ">", "is at least": ">="}
AMOUNTS = {"exactly": "=", "less than": "<", "fewer than": "<", "at most": "<=", "more than": ">", "at least": ">="}
REDUCED: dict[str, Callable[[list[int]], int]] = {
    "sum": sum,
    "best": lambda found: max(found, default=0),
    "least": lambda found: min(found, default=0),
    "count": len,
    "some": lambda found: any(found),
    "every": lambda found: all(found),
    "no": lambda found: not any(found),
    "any": lambda found: bool(found),
    "none": lambda found: not found,
}


def on_track(at: int, *track: int) -> int:
    return track[max(1, min(at, len(track))) - 1]


def pool_of(place: int) -> int:
    """Something that is kept for numbers, whatever it is."""
    return 100 * place + 17


class EnglishReader:
    """Reads English in every possible way: a list or a clause may end anywhere."""

    def __init__(self, text: str) -> None:
        self.words = re.findall(r"[()|,+*/-]|[\w]+|'s?", text)
        self.found: dict[tuple[str, int], list[tuple[Values, float]]] = {}

    def find_meanings(self, rule: str = "sum") -> set[Values]:
        return {values for values, end in self.read(rule, 0) if int(end) == len(self.words)}

    def read(self, rule: str, at: float | None) -> list[tuple[Values, float]]:
        if at is None:
            return []
        key = (rule, int(at))
        if key not in self.found:
            self.found[key] = list(dict.fromkeys(getattr(self, f"_{rule}")(int(at))))
        return self.found[key]

    def match_words(self, words: str, at: float | None) -> int | None:
        """Return the index after these words, if they come next."""
        wanted = words.split()
        start = -1 if at is None else int(at)
        return start + len(wanted) if at is not None and self.words[start : start + len(wanted)] == wanted else None

    def match_joint(self, words: str, at: float) -> int | None:
        """Match words between conditions, but not after a condition that goes on itself."""
        return self.match_words(words, at) if at == int(at) else None

    def read_parenthesized(self, rule: str, at: int) -> Found:
        for values, end in self.read(rule, self.match_words("(", at)):
            after = self.match_words(")", end)
            if after:
                yield values, after

    # --- numbers -------------------------------------------------------------------------------------

    def _sum(self, at: int) -> Found:
        yield from self.read_chain(self.read("product", at), "product", ADDED)
        if self.words[at : at + 1] and self.words[at].isdecimal():
            for values, stop in self.read("sum", self.match_words("less than", at + 1)):
                yield combine(lambda n: n - int(self.words[at]), values), stop

    def _product(self, at: int) -> Found:
        yield from self.read_chain(self.read("factor", at), "factor", MULTIPLIED)

    def read_size_expression(self, at: int) -> Found:
        """Read an expression with a size: `whose size plus 1`."""
        yield from self.read_chain(self.read_chain([(SIZE, at)], "factor", MULTIPLIED), "product", ADDED)

    def read_chain(self, first: Iterable[tuple[Values, float]], part: str, signs: dict[str, str]) -> Found:
        """Read parts with operators between them, left to right; the chain may end after each."""
        ends = list(first)
        while ends:
            yield from ends
            ends = [
                (combine(OPERATORS[signs[sign]], left, right), stop)
                for left, end in ends
                if (sign := "".join(self.words[int(end) : int(end) + 1])) in signs
                for right, stop in self.read(part, end + 2 if sign == "divided" else end + 1)
            ]

    def _factor(self, at: int) -> Found:
        word = "".join(self.words[at : at + 1])
        if word.isdecimal():
            yield constant_values(int(word)), at + 1
        yield from self.read_parenthesized("sum", at)
        if word == "-":
            yield from ((combine(lambda n: -n, values), end) for values, end in self.read("factor", at + 1))
        if word == "twice":
            yield from ((combine(lambda n: 2 * n, values), end) for values, end in self.read("product", at + 1))
        for words in ("your coins", "your sticks", "your fame"):
            end = self.match_words(words, at)
            if end:
                yield owned_amounts(words), end
        if self.match_words("its size", at):
            yield SIZE, at + 2
        for name in HUTS:
            end = self.match_words(f"the size of {name}", at)
            if end:
                yield constant_values(HUTS[name]), end
        yield from self.read_phrases(at)

    def read_phrases(self, at: int) -> Found:
        for words, op, few in (
            ("the larger of", "best", True),
            ("the smaller of", "least", True),
            ("the sum of", "sum", True),
            ("the largest of", "best", False),
            ("the smallest of", "least", False),
            ("the sum of", "sum", False),
        ):
            for parts, stop in self.read_list(self.match_words(words, at)):
                if (len(parts) == 2) == few:
                    yield combine(lambda *ns, op=op: REDUCED[op]([*ns]), *parts), stop
        yield from (
            (combine(pool_of, values), stop) for values, stop in self.read("sum", self.match_words("the pool of", at))
        )
        for place, stop in self.read("sum", self.match_words("what stands at place", at)):
            for marks, last in self.read_comma_parts(self.match_words("of the track", stop)):
                yield combine(on_track, place, *marks), last
        yield from self.read_hut_aggregates(at)

    def read_list(self, at: float | None) -> Iterator[tuple[tuple[Values, ...], float]]:
        """Read `a and b` or `a, b and c`."""
        for parts, end in self.read_comma_parts(at):
            yield from (((*parts, last), stop) for last, stop in self.read("sum", self.match_words("and", end)))

    def read_comma_parts(self, at: float | None) -> Iterator[tuple[tuple[Values, ...], float]]:
        """Read parts with commas between them."""
        for first, end in self.read("sum", at):
            yield (first,), end
            yield from (((first, *more), stop) for more, stop in self.read_comma_parts(self.match_words(",", end)))

    def read_hut_aggregates(self, at: int) -> Found:
        for word, op in (("total", "sum"), ("highest", "best"), ("lowest", "least")):
            for among, stop in self.read("set", self.match_words(f"the {word} size of", at)):
                yield reduce_over_huts(REDUCED[op], SIZE, among), stop
            for values, end in self.read("sum", self.match_words(f"the {word} of", at)):
                for among, stop in self.read("set", self.match_words(", over", end)):
                    yield reduce_over_huts(REDUCED[op], values, among), stop
        for among, stop in self.read("set", self.match_words("the number of", at)):
            yield reduce_over_huts(REDUCED["count"], SIZE, among), stop

    # --- sets ----------------------------------------------------------------------------------------

    def _set(self, at: int) -> Found:
        yield from self.read("such", at)
        yield from self.read("some", at)
        for word, reckon in JOINED.items():
            ends = list(self.read("some", at))
            while ends:
                ends = [
                    (combine(reckon, one, other), stop)
                    for one, end in ends
                    for other, stop in self.read("some", self.match_words(word, end))
                ]
                yield from ends
        for start in {at, self.match_words("the", at)} - {None}:
            for such, end in self.read("such", start):
                ends = [
                    (combine(JOINED["without"], such, one), stop)
                    for one, stop in self.read("some", self.match_words(", except", end))
                ]
                while ends:
                    yield from ends
                    ends = [
                        (combine(JOINED["without"], found, one), stop)
                        for found, last in ends
                        for one, stop in self.read("some", self.match_words("and", last))
                    ]

    def _some(self, at: int) -> Found:
        for start in {at, self.match_words("the", at)} - {None}:
            end = self.match_words("huts", start)
            if end:
                yield constant_values(1), end
        for name in HUTS:
            if self.match_words(name, at):
                yield IS[name], at + 1
        yield from self.read_parenthesized("set", at)

    def _such(self, at: int) -> Found:
        """`huts whose size is 3 and that are Mill`; with the best of them."""
        for among, end in self.read("some", at):
            yield from ((combine(LOGIC["and"], among, such), stop) for such, stop in self.read("relative", end))
            yield from self.read_ranked(among, end)

    def read_ranked(self, among: Values, at: float) -> Found:
        for word, op in (("highest", "best"), ("lowest", "least")):
            end = self.match_words(f"with the {word} size", at)
            if end is None:
                continue
            found: list[tuple[Values, float]] = [(among, end)]
            found += [
                (combine(LOGIC["and"], among, such), stop)
                for such, stop in self.read("relative", self.match_words("among those", end))
            ]
            for whom, stop in found:
                top = reduce_over_huts(REDUCED[op], SIZE, whom)
                yield combine(lambda is_in, size, mark: is_in and size == mark, whom, SIZE, top), stop

    def _relative(self, at: int) -> Found:
        for word in ("and", "or"):
            ends = list(self.read("relation", at))
            while ends:
                yield from ends
                ends = [
                    (combine(LOGIC[word], one, other), stop)
                    for one, end in ends
                    for other, stop in self.read("relation", self.match_words(word, end))
                ]

    def _relation(self, at: int) -> Found:
        if self.match_words("whose size", at):
            for size, verb in self.read_size_expression(at + 2):
                yield from self.compared(size, verb)
        for such, stop in self.read("condition", self.match_words("where", at)):
            yield such, int(stop) + OPEN_END
        for words, holds in (("that are", True), ("that are not", False)):
            for one, end in self.names(self.match_words(words, at), holds):
                yield combine(lambda is_it, holds=holds: is_it == holds, one), end

    # --- conditions ----------------------------------------------------------------------------------

    def _condition(self, at: int) -> Found:
        yield from self.read("clause", at)
        for word in ("and", "or"):
            yield from self.read_joined(word, f"plain_{word}", at, word)
        yield from self.read_joined("or", "arm_of_or", at, ", or")
        yield from self.read_joined("and", "arm_of_and", at, ", and")
        for one, end in self.read("clause", at):
            for other, stop in self.read("clause", self.match_joint("exactly if", end)):
                yield combine(lambda a, b: a == b, one, other), stop

    def read_joined(self, op: str, part: str, at: int, joint: str) -> Found:
        """Read at least two parts."""
        ends = list(self.read(part, at))
        while ends:
            ends = [
                (combine(LOGIC[op], one, other), stop)
                for one, end in ends
                for other, stop in self.read(part, self.match_joint(joint, end))
            ]
            yield from ends

    def _plain_and(self, at: int) -> Found:
        yield from self.read("clause", at)

    _plain_or = _plain_and

    def _arm_of_or(self, at: int) -> Found:
        yield from self.read("clause", at)
        yield from self.read_joined("and", "plain_and", at, "and")

    def _arm_of_and(self, at: int) -> Found:
        yield from self.read("clause", at)
        either = self.match_words("either", at)
        if either:
            yield from self.read_joined("or", "plain_or", either, "or")
            yield from self.read_joined("or", "arm_of_or", either, ", or")

    def _clause(self, at: int) -> Found:
        yield from self.read_parenthesized("condition", at)
        for words, holds in (("you are tired", True), ("you are not tired", False)):
            end = self.match_words(words, at)
            if end:
                yield combine(lambda tired, holds=holds: tired == holds, owned_amounts("you are tired")), end
        for left, verb in self.read("sum", at):
            yield from self.compared(left, verb)
        yield from self.held(
            "you have", {name: owned_amounts(f"your {name}") for name in ("coins", "sticks", "fame")}, at
        )
        for there in ("there is", "there are"):
            yield from self.held(there, {"huts": constant_values(len(HUTS))}, at)
            for words, op in ((there, "any"), (f"{there} no", "none")):
                for among, stop in self.read("set", self.match_words(words, at)):
                    yield reduce_over_huts(REDUCED[op], SIZE, among), stop
        for words, holds in (("it is", True), ("it is not", False)):
            for one, stop in self.names(self.match_words(words, at), holds):
                yield combine(lambda is_it, holds=holds: is_it == holds, one), stop
        yield from self.quantified(at)
        yield from self.included(at)

    def names(self, at: float | None, several: bool) -> Found:
        """`Mill`, and where there may be several, `Mill, Barn or Shed`."""
        for name in HUTS:
            end = self.match_words(name, at)
            if end is None:
                continue
            yield IS[name], end
            for joint in (",", "or") if several else ():
                for other, stop in self.names(self.match_words(joint, end), several):
                    if joint == "or" or "or" in self.words[end : int(stop)]:
                        yield combine(LOGIC["or"], IS[name], other), stop

    def compared(self, left: Values, at: float) -> Found:
        for verb, op in VERBS.items():
            for words in (verb, verb.replace("is", "are", 1)):
                for right, stop in self.read("sum", self.match_words(words, at)):
                    yield combine(COMPARED[op], left, right), stop
        for verb in ("is", "is not", "are", "are not"):
            yield from self.multiple(left, verb, at)

    def multiple(self, left: Values, verb: str, at: float) -> Found:
        """`is even`, `are not divisible by 5`."""
        for words, by, rest in (("even", 2, 0), ("odd", 2, 1), *((f"divisible by {n}", n, 0) for n in (2, 3, 5))):
            end = self.match_words(f"{verb} {words}", at)
            if end:
                holds = "not" not in verb
                yield combine(lambda n, by=by, rest=rest, holds=holds: (n % by == rest) == holds, left), end

    def held(self, start: str, amounts: dict[str, Values], at: int) -> Found:
        """`you have no coins`, `you have at least 2 coins`."""
        begin = self.match_words(start, at)
        for name, values in amounts.items():
            for words in {name, name.removesuffix("s")}:
                for some, op in ((words, ">"), (f"no {words}", "=")):
                    end = self.match_words(some, begin)
                    if end:
                        yield combine(COMPARED[op], values, constant_values(0)), end
                for amount, op in AMOUNTS.items():
                    end = self.match_words(amount, begin)
                    if end and self.words[end].isdecimal() and self.match_words(words, end + 1):
                        yield combine(COMPARED[op], values, constant_values(int(self.words[end]))), end + 2

    def quantified(self, at: int) -> Found:
        for word, op in (("every", "every"), ("some", "some"), ("no", "no")):
            end = self.match_words(f"{word} hut 's size", at)
            for size, is_ in self.read_size_expression(end) if end else ():
                for holds, stop in self.compared(size, is_):
                    yield reduce_over_huts(REDUCED[op], holds, constant_values(1)), stop
            for holds, stop in self.read("condition", self.match_words(f"for {word} hut ,", at)):
                yield reduce_over_huts(REDUCED[op], holds, constant_values(1)), int(stop) + OPEN_END
        for word, op in (("each of", "every"), ("some of", "some"), ("none of", "no")):
            for among, comma in self.read("set", self.match_words(f"for {word}", at)):
                for holds, stop in self.read("condition", self.match_words(",", comma)):
                    yield reduce_over_huts(REDUCED[op], holds, among), int(stop) + OPEN_END

    def included(self, at: int) -> Found:
        """`the huts whose size is 2 include Mill`."""
        for start in {at, self.match_words("the", at)} - {None}:
            for among, verb in self.read("set", start):
                for words, reckon in (("are empty", "none"), ("are not empty", "any")):
                    last = self.match_words(words, verb)
                    if last:
                        yield reduce_over_huts(REDUCED[reckon], SIZE, among), last
                for words, holds in (("include", True), ("do not include", False)):
                    for one, stop in self.names(self.match_words(words, verb), holds):
                        found = reduce_over_huts(
                            lambda found: any(found), combine(LOGIC["and"], one, among), constant_values(1)
                        )
                        yield combine(lambda is_in, holds=holds: is_in == holds, found), stop


def meanings(words: str, what: str = "sum") -> set[Values]:
    return EnglishReader(words).find_meanings(what)
