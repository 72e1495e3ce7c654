"""A reader of the English of rules: it knows only the grammar, and finds every way in which words can be read.

What something comes to is given for each situation: a world (how much you have) and, for what is said about `it`, a
hut. A condition is 0 or 1; a set is the condition of being in it.
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

Values = tuple[int | None, ...]
"""A number for each situation; nothing where it divides by 0."""

ADDED = {"plus": "+", "minus": "-", "+": "+", "-": "-"}
MULTIPLIED = {"times": "*", "divided": "/", "modulo": "mod", "*": "*", "/": "/"}
GOES_ON = 0.5

Found = Iterator[tuple[Values, float]]
"""What the words from a place on can mean, and where each meaning ends; by a half more, if a condition ends there that
begins with `where` or `for every hut`: such a one goes on as far as it can, unless there are parentheses."""


def each(reckon: Callable[..., int], *parts: Values) -> Values:
    """The same in every situation."""

    def one(*numbers: int | None) -> int | None:
        try:
            return None if None in numbers else int(reckon(*numbers))
        except ZeroDivisionError:
            return None

    return tuple(one(*numbers) for numbers in zip(*parts, strict=True))


def the_same(number: int) -> Values:
    return (number,) * len(SITUATIONS)


def owned(words: str) -> Values:
    return tuple(world[words] for world, _ in SITUATIONS)


SIZE = tuple(HUTS[hut] for _, hut in SITUATIONS)
IS = {name: tuple(int(hut == name) for _, hut in SITUATIONS) for name in HUTS}


def over_huts(reckon: Callable[[list[int]], int], values: Values, among: Values) -> Values:
    """What the values of those huts come to that are among them, in each world."""
    found: list[int | None] = []
    for at in range(0, len(SITUATIONS), len(HUTS)):
        pairs = [*zip(values[at : at + len(HUTS)], among[at : at + len(HUTS)], strict=True)]
        unknown = any(is_in is None or is_in and value is None for value, is_in in pairs)
        some = None if unknown else reckon([value for value, is_in in pairs if is_in and value is not None])
        found += [some] * len(HUTS)
    return tuple(found)


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


class Reader:
    """Reads English in every way it can be read: a list or a clause may end anywhere."""

    def __init__(self, text: str) -> None:
        self.words = re.findall(r"[()|,+*/-]|[\w]+|'s?", text)
        self.found: dict[tuple[str, int], list[tuple[Values, float]]] = {}

    def meanings(self, what: str = "sum") -> set[Values]:
        return {values for values, end in self.read(what, 0) if int(end) == len(self.words)}

    def read(self, what: str, at: float | None) -> list[tuple[Values, float]]:
        if at is None:
            return []
        key = (what, int(at))
        if key not in self.found:
            self.found[key] = list(dict.fromkeys(getattr(self, f"_{what}")(int(at))))
        return self.found[key]

    def after(self, words: str, at: float | None) -> int | None:
        """Where these words end, if they stand there."""
        wanted = words.split()
        begin = -1 if at is None else int(at)
        return begin + len(wanted) if at is not None and self.words[begin : begin + len(wanted)] == wanted else None

    def joint(self, words: str, at: float) -> int | None:
        """The same between conditions: one that would go on itself cannot come before."""
        return self.after(words, at) if at == int(at) else None

    def in_brackets(self, what: str, at: int) -> Found:
        for values, end in self.read(what, self.after("(", at)):
            after = self.after(")", end)
            if after:
                yield values, after

    # --- numbers -------------------------------------------------------------------------------------

    def _sum(self, at: int) -> Found:
        yield from self.chain(self.read("product", at), "product", ADDED)
        if self.words[at : at + 1] and self.words[at].isdecimal():
            for values, stop in self.read("sum", self.after("less than", at + 1)):
                yield each(lambda n: n - int(self.words[at]), values), stop

    def _product(self, at: int) -> Found:
        yield from self.chain(self.read("factor", at), "factor", MULTIPLIED)

    def of_size(self, at: int) -> Found:
        """What is reckoned with a size: `whose size plus 1`."""
        yield from self.chain(self.chain([(SIZE, at)], "factor", MULTIPLIED), "product", ADDED)

    def chain(self, first: Iterable[tuple[Values, float]], part: str, signs: dict[str, str]) -> Found:
        """Parts with signs between them, from left to right; it may end after each."""
        ends = list(first)
        while ends:
            yield from ends
            ends = [
                (each(OPERATORS[signs[sign]], left, right), stop)
                for left, end in ends
                if (sign := "".join(self.words[int(end) : int(end) + 1])) in signs
                for right, stop in self.read(part, end + 2 if sign == "divided" else end + 1)
            ]

    def _factor(self, at: int) -> Found:
        word = "".join(self.words[at : at + 1])
        if word.isdecimal():
            yield the_same(int(word)), at + 1
        yield from self.in_brackets("sum", at)
        if word == "-":
            yield from ((each(lambda n: -n, values), end) for values, end in self.read("factor", at + 1))
        if word == "twice":
            yield from ((each(lambda n: 2 * n, values), end) for values, end in self.read("product", at + 1))
        for words in ("your coins", "your sticks", "your fame"):
            end = self.after(words, at)
            if end:
                yield owned(words), end
        if self.after("its size", at):
            yield SIZE, at + 2
        for name in HUTS:
            end = self.after(f"the size of {name}", at)
            if end:
                yield the_same(HUTS[name]), end
        yield from self.phrases(at)

    def phrases(self, at: int) -> Found:
        for words, op, few in (
            ("the larger of", "best", True),
            ("the smaller of", "least", True),
            ("the sum of", "sum", True),
            ("the largest of", "best", False),
            ("the smallest of", "least", False),
            ("the sum of", "sum", False),
        ):
            for parts, stop in self.list(self.after(words, at)):
                if (len(parts) == 2) == few:
                    yield each(lambda *ns, op=op: REDUCED[op]([*ns]), *parts), stop
        yield from ((each(pool_of, values), stop) for values, stop in self.read("sum", self.after("the pool of", at)))
        for place, stop in self.read("sum", self.after("what stands at place", at)):
            for marks, last in self.marks(self.after("of the track", stop)):
                yield each(on_track, place, *marks), last
        yield from self.of_huts(at)

    def list(self, at: float | None) -> Iterator[tuple[tuple[Values, ...], float]]:
        """`a and b`, `a, b and c`."""
        for parts, end in self.marks(at):
            yield from (((*parts, last), stop) for last, stop in self.read("sum", self.after("and", end)))

    def marks(self, at: float | None) -> Iterator[tuple[tuple[Values, ...], float]]:
        """Parts with commas between them."""
        for first, end in self.read("sum", at):
            yield (first,), end
            yield from (((first, *more), stop) for more, stop in self.marks(self.after(",", end)))

    def of_huts(self, at: int) -> Found:
        for word, op in (("total", "sum"), ("highest", "best"), ("lowest", "least")):
            for among, stop in self.read("set", self.after(f"the {word} size of", at)):
                yield over_huts(REDUCED[op], SIZE, among), stop
            for values, end in self.read("sum", self.after(f"the {word} of", at)):
                for among, stop in self.read("set", self.after(", over", end)):
                    yield over_huts(REDUCED[op], values, among), stop
        for among, stop in self.read("set", self.after("the number of", at)):
            yield over_huts(REDUCED["count"], SIZE, among), stop

    # --- sets ----------------------------------------------------------------------------------------

    def _set(self, at: int) -> Found:
        yield from self.read("such", at)
        yield from self.read("some", at)
        for word, reckon in JOINED.items():
            ends = list(self.read("some", at))
            while ends:
                ends = [
                    (each(reckon, one, other), stop)
                    for one, end in ends
                    for other, stop in self.read("some", self.after(word, end))
                ]
                yield from ends
        for start in {at, self.after("the", at)} - {None}:
            for such, end in self.read("such", start):
                ends = [
                    (each(JOINED["without"], such, one), stop)
                    for one, stop in self.read("some", self.after(", except", end))
                ]
                while ends:
                    yield from ends
                    ends = [
                        (each(JOINED["without"], found, one), stop)
                        for found, last in ends
                        for one, stop in self.read("some", self.after("and", last))
                    ]

    def _some(self, at: int) -> Found:
        for start in {at, self.after("the", at)} - {None}:
            end = self.after("huts", start)
            if end:
                yield the_same(1), end
        for name in HUTS:
            if self.after(name, at):
                yield IS[name], at + 1
        yield from self.in_brackets("set", at)

    def _such(self, at: int) -> Found:
        """`huts whose size is 3 and that are Mill`; with the best of them."""
        for among, end in self.read("some", at):
            yield from ((each(LOGIC["and"], among, such), stop) for such, stop in self.read("relative", end))
            yield from self.ranked(among, end)

    def ranked(self, among: Values, at: float) -> Found:
        for word, op in (("highest", "best"), ("lowest", "least")):
            end = self.after(f"with the {word} size", at)
            if end is None:
                continue
            found: list[tuple[Values, float]] = [(among, end)]
            found += [
                (each(LOGIC["and"], among, such), stop)
                for such, stop in self.read("relative", self.after("among those", end))
            ]
            for whom, stop in found:
                top = over_huts(REDUCED[op], SIZE, whom)
                yield each(lambda is_in, size, mark: is_in and size == mark, whom, SIZE, top), stop

    def _relative(self, at: int) -> Found:
        for word in ("and", "or"):
            ends = list(self.read("relation", at))
            while ends:
                yield from ends
                ends = [
                    (each(LOGIC[word], one, other), stop)
                    for one, end in ends
                    for other, stop in self.read("relation", self.after(word, end))
                ]

    def _relation(self, at: int) -> Found:
        if self.after("whose size", at):
            for size, verb in self.of_size(at + 2):
                yield from self.compared(size, verb)
        for such, stop in self.read("condition", self.after("where", at)):
            yield such, int(stop) + GOES_ON
        for words, holds in (("that are", True), ("that are not", False)):
            for one, end in self.names(self.after(words, at), holds):
                yield each(lambda is_it, holds=holds: is_it == holds, one), end

    # --- conditions ----------------------------------------------------------------------------------

    def _condition(self, at: int) -> Found:
        yield from self.read("clause", at)
        for word in ("and", "or"):
            yield from self.joined(word, f"plain_{word}", at, word)
        yield from self.joined("or", "arm_of_or", at, ", or")
        yield from self.joined("and", "arm_of_and", at, ", and")
        for one, end in self.read("clause", at):
            for other, stop in self.read("clause", self.joint("exactly if", end)):
                yield each(lambda a, b: a == b, one, other), stop

    def joined(self, op: str, part: str, at: int, joint: str) -> Found:
        """At least two parts."""
        ends = list(self.read(part, at))
        while ends:
            ends = [
                (each(LOGIC[op], one, other), stop)
                for one, end in ends
                for other, stop in self.read(part, self.joint(joint, end))
            ]
            yield from ends

    def _plain_and(self, at: int) -> Found:
        yield from self.read("clause", at)

    _plain_or = _plain_and

    def _arm_of_or(self, at: int) -> Found:
        yield from self.read("clause", at)
        yield from self.joined("and", "plain_and", at, "and")

    def _arm_of_and(self, at: int) -> Found:
        yield from self.read("clause", at)
        either = self.after("either", at)
        if either:
            yield from self.joined("or", "plain_or", either, "or")
            yield from self.joined("or", "arm_of_or", either, ", or")

    def _clause(self, at: int) -> Found:
        yield from self.in_brackets("condition", at)
        for words, holds in (("you are tired", True), ("you are not tired", False)):
            end = self.after(words, at)
            if end:
                yield each(lambda tired, holds=holds: tired == holds, owned("you are tired")), end
        for left, verb in self.read("sum", at):
            yield from self.compared(left, verb)
        yield from self.held("you have", {name: owned(f"your {name}") for name in ("coins", "sticks", "fame")}, at)
        for there in ("there is", "there are"):
            yield from self.held(there, {"huts": the_same(len(HUTS))}, at)
            for words, op in ((there, "any"), (f"{there} no", "none")):
                for among, stop in self.read("set", self.after(words, at)):
                    yield over_huts(REDUCED[op], SIZE, among), stop
        for words, holds in (("it is", True), ("it is not", False)):
            for one, stop in self.names(self.after(words, at), holds):
                yield each(lambda is_it, holds=holds: is_it == holds, one), stop
        yield from self.quantified(at)
        yield from self.included(at)

    def names(self, at: float | None, several: bool) -> Found:
        """`Mill`, and where there may be several, `Mill, Barn or Shed`."""
        for name in HUTS:
            end = self.after(name, at)
            if end is None:
                continue
            yield IS[name], end
            for joint in (",", "or") if several else ():
                for other, stop in self.names(self.after(joint, end), several):
                    if joint == "or" or "or" in self.words[end : int(stop)]:
                        yield each(LOGIC["or"], IS[name], other), stop

    def compared(self, left: Values, at: float) -> Found:
        for verb, op in VERBS.items():
            for words in (verb, verb.replace("is", "are", 1)):
                for right, stop in self.read("sum", self.after(words, at)):
                    yield each(COMPARED[op], left, right), stop
        for verb in ("is", "is not", "are", "are not"):
            yield from self.multiple(left, verb, at)

    def multiple(self, left: Values, verb: str, at: float) -> Found:
        """`is even`, `are not divisible by 5`."""
        for words, by, rest in (("even", 2, 0), ("odd", 2, 1), *((f"divisible by {n}", n, 0) for n in (2, 3, 5))):
            end = self.after(f"{verb} {words}", at)
            if end:
                holds = "not" not in verb
                yield each(lambda n, by=by, rest=rest, holds=holds: (n % by == rest) == holds, left), end

    def held(self, start: str, amounts: dict[str, Values], at: int) -> Found:
        """`you have no coins`, `you have at least 2 coins`."""
        begin = self.after(start, at)
        for name, values in amounts.items():
            for words in {name, name.removesuffix("s")}:
                for some, op in ((words, ">"), (f"no {words}", "=")):
                    end = self.after(some, begin)
                    if end:
                        yield each(COMPARED[op], values, the_same(0)), end
                for amount, op in AMOUNTS.items():
                    end = self.after(amount, begin)
                    if end and self.words[end].isdecimal() and self.after(words, end + 1):
                        yield each(COMPARED[op], values, the_same(int(self.words[end]))), end + 2

    def quantified(self, at: int) -> Found:
        for word, op in (("every", "every"), ("some", "some"), ("no", "no")):
            end = self.after(f"{word} hut 's size", at)
            for size, is_ in self.of_size(end) if end else ():
                for holds, stop in self.compared(size, is_):
                    yield over_huts(REDUCED[op], holds, the_same(1)), stop
            for holds, stop in self.read("condition", self.after(f"for {word} hut ,", at)):
                yield over_huts(REDUCED[op], holds, the_same(1)), int(stop) + GOES_ON
        for word, op in (("each of", "every"), ("some of", "some"), ("none of", "no")):
            for among, comma in self.read("set", self.after(f"for {word}", at)):
                for holds, stop in self.read("condition", self.after(",", comma)):
                    yield over_huts(REDUCED[op], holds, among), int(stop) + GOES_ON

    def included(self, at: int) -> Found:
        """`the huts whose size is 2 include Mill`."""
        for start in {at, self.after("the", at)} - {None}:
            for among, verb in self.read("set", start):
                for words, reckon in (("are empty", "none"), ("are not empty", "any")):
                    last = self.after(words, verb)
                    if last:
                        yield over_huts(REDUCED[reckon], SIZE, among), last
                for words, holds in (("include", True), ("do not include", False)):
                    for one, stop in self.names(self.after(words, verb), holds):
                        found = over_huts(lambda found: any(found), each(LOGIC["and"], one, among), the_same(1))
                        yield each(lambda is_in, holds=holds: is_in == holds, found), stop


def meanings(words: str, what: str = "sum") -> set[Values]:
    return Reader(words).meanings(what)
