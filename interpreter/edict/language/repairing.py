"""Lines that can be read after a small change: a word too many, missing, out of place, or said in another way.

No list of mistakes is complete. What none knows is changed a word at a time until the line can be read; whether it then
makes sense is for others to find out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise

from edict.language.clauses import clauses
from edict.language.facts import OPERATORS, Facts, indent, keywords
from edict.language.lists import known
from edict.language.phrases import understood
from edict.report import Diagnostic, Edit, nearest
from edict.text import Span

MOST_WORDS = 24  # of a line that is looked at
WIDEST = 5  # the words on either side of the mistake that are changed
MOST_PHRASES = 3  # in a line that are understood
MOST_WAYS = 8  # changes after which a second one is tried
SENTENCE = "rules are not written as sentences"
AT_A_MOMENT = "A rule at the left edge waits for a moment; if another than this one is meant, name its phase."
SENTENCES = 0.3  # how far-fetched it is to take a line apart
MOST_WANTED = 6  # words of the language that are tried where one of them must stand
_JOINING = "of as is to from by with in for times at a an and if do gain ,".split()
_LAST = ("times", "one", "as chosen")  # words that are forgotten at the end of a line
_TOKEN = re.compile(r"\"[^\"]*\"|[A-Za-z][\w'-]*|\d+|[<>=!]+|\S")
_PART = re.compile(
    r"(?<=\s)(?:from|as|where|if|by|over|beside|asking|with|into|starting at)\b|"
    r",\s*(?:secret|quiet|shown|optional|once per|at least|at most)\b"
)
Reading = Callable[[int, str], tuple[int, int]]


@dataclass(frozen=True)
class Change:
    """A stretch of a line, the text in its place, what is wrong there, and how far-fetched that is."""

    start: int
    end: int
    text: str
    title: str
    cost: float

    def applied(self, line: str) -> str:
        changed = line[: self.start] + self.text + line[self.end :]
        lead = len(line) - len(line.lstrip())
        return line[:lead] + re.sub(r"(?<=\S)  +", " ", changed[lead:]).strip().replace(" ,", ",")


@dataclass(frozen=True)
class Repaired:
    """A line as it can be read, and the first change that this takes.

    nests: of several lines in its place, what stands under it belongs to the last.
    """

    facts: Facts
    line: int
    text: str
    change: Change
    cost: float
    nests: bool = True
    note: str = ""

    @property
    def _old(self) -> str:
        return self.facts.source.lines[self.line - 1]

    @property
    def edits(self) -> tuple[Edit, ...]:
        """The stretch in which the lines differ, between words."""
        old, new = self._old, self.text
        start = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
        start = max((i for i in range(start + 1) if i == 0 or old[i - 1 : i] == " "), default=0)
        most = min(len(old), len(new)) - start
        same = next((i for i in range(most) if old[-1 - i] != new[-1 - i]), most)
        same = next(i for i in range(same, -1, -1) if i == 0 or old[len(old) - i] == " ")
        place = Span(self.facts.source.name, self.line, start + 1, self.line, len(old) - same + 1)
        return (Edit(place, new[start : len(new) - same]), *self._deeper())

    def _deeper(self) -> Iterator[Edit]:
        """What stands under the line, if it belongs to the last of several lines."""
        more = depth(self.text) if self.nests else 0
        for number in under(self.facts.source.lines, self.line) if more else ():
            yield Edit(Span(self.facts.source.name, number, 1, number, 1), " " * more)

    def diagnostic(self) -> Diagnostic:
        start, end = self.change.start, self.change.end
        if start == end:
            after = _TOKEN.match(self._old, start) or re.compile(r"\S*$").search(self._old)
            start, end = after.span() if after else (start, end)
        place = Span(self.facts.source.name, self.line, start + 1, self.line, end + 1)
        return Diagnostic(
            "E0116", self.change.title, place, note=self.note, help=f"write {_told(self.text)}", edits=self.edits
        )  # fmt: skip


def _told(text: str) -> str:
    """Lines in one sentence."""
    first, *lines = text.split("\n")
    told, lead = f"`{first.strip()}`", indent(first)
    for line in lines:
        told += f", {'under it' if indent(line) > lead else 'then'} `{line.strip()}`"
        lead = indent(line)
    return told


def depth(text: str) -> int:
    """How much further the last of some lines is indented than the first."""
    lines = text.split("\n")
    return indent(lines[-1]) - indent(lines[0])


def under(lines: Sequence[str], number: int) -> Iterator[int]:
    """The written lines that are indented under the line of a number."""
    own = indent(lines[number - 1])
    for below, line in enumerate(lines[number:], number + 1):
        if line.strip():
            if indent(line) <= own:
                return
            yield below


def mistaken_line(facts: Facts) -> int:
    """The line that is to be changed: where a line ends too soon, the one that does."""
    return facts.above.line if facts.kind in ("deeper", "line-end") else facts.span.line


def repairs(facts: Facts, reading: Reading, phrased: bool = False) -> Iterator[Repaired]:
    """Lines that can be read to their ends, the likeliest first: after one change, then after two.

    phrased: only those in which phrases of everyday English are understood, up to three in a line.
    """
    number = mistaken_line(facts)
    line = facts.source.lines[number - 1].split("#")[0].rstrip()
    if not 0 < len(_TOKEN.findall(line)) <= MOST_WORDS or "#" in facts.source.lines[number - 1]:
        return
    least = (max(number, facts.below.line if facts.kind == "deeper" else number), 1 << 20)
    at = facts.span.column - 1 if facts.span.line == number else len(line)
    goal = _Goal(facts, number, least, reading)
    if phrased:
        yield from goal.phrased(line)
        return
    ways = [goal.way(one, line, 0.0, one) for one in _changes(line, at, facts)]
    yield from sorted((one for one, place in ways if place > least), key=lambda one: one.cost)
    yield from (more for way in ways if way[1] <= least for more in goal.again(*way))
    behind = len(line) - at
    nearer = sorted((w for w in ways if w[1] <= least and goal.behind(*w) <= behind), key=lambda w: w[0].cost)
    yield from sorted((two for way in nearer[:MOST_WAYS] for two in goal.second(*way)), key=lambda one: one.cost)


@dataclass(frozen=True)
class _Goal:
    """What a line must come to."""

    facts: Facts
    line: int
    least: tuple[int, int]
    reading: Reading

    def way(self, change: Change, text: str, cost: float, first: Change) -> tuple[Repaired, tuple[int, int]]:
        new = change.applied(text)
        note = AT_A_MOMENT if first.title == SENTENCE and not first.start else ""
        one = Repaired(self.facts, self.line, new, first, cost + change.cost, note=note)
        line, column = self.reading(self.line, new)
        more = new.count("\n")
        return one, (line - more, column if not more or line > self.line + more else 0)

    def behind(self, one: Repaired, place: tuple[int, int]) -> int:
        """How much of the line is still not read."""
        return len(one.text) - (place[1] - 1 if place[0] == self.line else 0)

    def phrased(self, line: str) -> Iterator[Repaired]:
        """The line once phrases in it are written in the words of the language, one after the other."""
        lines: list[tuple[str, float, Change | None]] = [(line, 0.0, None)]
        if line == self.facts.source.lines[self.line - 1].rstrip():
            ways = [self._clauses(line, text) for text in clauses(line, self.facts.declared)]
            yield from (one for one, place in ways if place > self.least)
            lines += [(one.text, one.cost, one.change) for one, _ in ways]
        seen = {line}
        for _ in range(MOST_PHRASES):
            ways = [way for one in lines[:MOST_WAYS] for way in self._phrases(*one) if way[0].text not in seen]
            seen |= {one.text for one, _ in ways}
            yield from sorted((one for one, place in ways if place > self.least), key=lambda one: one.cost)
            lines = sorted(((one.text, one.cost, one.change) for one, _ in ways), key=lambda one: one[1])

    def _phrases(self, text: str, cost: float, first: Change | None) -> Iterator[tuple[Repaired, tuple[int, int]]]:
        """The line once any one phrase in it is understood; of several lines, if they are clauses, one in any."""
        start = 0
        for line in text.split("\n") if "\n" not in text or (first is not None and first.title == SENTENCE) else ():
            for one in _of_phrases(line, list(_TOKEN.finditer(line)), self.facts):
                if "\n" not in one.text or "\n" not in text:
                    change = replace(one, start=one.start + start, end=one.end + start)
                    yield self.way(change, text, cost, first or change)
            start += len(line) + 1

    def _clauses(self, line: str, text: str) -> tuple[Repaired, tuple[int, int]]:
        return self.way(_sentence(line, text.strip()), line, 0.0, _sentence(line))

    def again(self, one: Repaired, place: tuple[int, int]) -> Iterator[Repaired]:
        """The same word or sign where it is missing once more, as often as it is."""
        if one.change.start != one.change.end or one.change.text != ", ":
            return
        before = (0, 0)
        while place[0] == self.line and before < place <= self.least:
            before = place
            change = replace(one.change, start=place[1] - 1, end=place[1] - 1)
            one, place = self.way(change, one.text, one.cost, one.change)
        if place > self.least:
            yield one

    def second(self, one: Repaired, place: tuple[int, int]) -> Iterator[Repaired]:
        at = place[1] - 1 if place[0] == self.line else len(one.text)
        for change in _changes(one.text, at, self.facts):
            two, reached = self.way(change, one.text, one.cost, one.change)
            if reached > self.least:
                yield two


def _sentence(line: str, text: str = "") -> Change:
    return Change(indent(line), len(line), text, SENTENCE, SENTENCES)


def _changes(line: str, at: int, facts: Facts) -> Iterator[Change]:
    """Every small change around a place of a line."""
    words = list(_TOKEN.finditer(line))
    here = next((i for i, word in enumerate(words) if word.end() > at), len(words))
    near = range(max(0, here - WIDEST), min(len(words), here + WIDEST))
    for i in near:
        distance = abs(i - here) / 100
        for change in _of_word(words[i], facts):
            yield replace(change, cost=change.cost + distance)
        for word in _JOINING:
            start, title = words[i].start(), _missing(word, words[i][0])
            if i > 0 or word != "for":
                yield Change(start, start, word + " ", title, 1.5 + distance)
    yield from _of_wanted(line, at, facts)
    if here == len(words):
        for word in _LAST if words and words[0][0] in ("repeat", "do", "choose", "draw", "roll") else ():
            yield Change(len(line), len(line), f" {word}", f"`{word}` is missing at the end of the line", 1.4)
    yield from _of_parts(line)
    for left, right in pairwise(words[i] for i in near):
        yield from _of_two(left, right, facts)
    yield from _of_phrases(line, words, facts)


def _of_wanted(line: str, at: int, facts: Facts) -> Iterator[Change]:
    """The few words of the language that could stand where the mistake is, before what stands there or in its place."""
    if at != facts.span.column - 1 or line != facts.written.rstrip():
        return
    wanted = sorted(facts.wants & keywords() - OPERATORS)
    word = _TOKEN.match(line, at)
    for want in wanted if len(wanted) <= MOST_WANTED and word is not None else ():
        if word and word[0].isalpha() and word[0] not in facts.declared.definitions:
            yield Change(word.start(), word.end(), want, f"`{word[0]}` is not valid here", 1.0)
        if word and want not in _JOINING:
            yield Change(word.start(), word.start(), want + " ", _missing(want, word[0]), 1.4)


def _of_phrases(line: str, words: list[re.Match[str]], facts: Facts) -> Iterator[Change]:
    """What is said in everyday English: the longer the phrase, the surer."""
    if facts.whom and len(words) > 2 and words[0][0].casefold() in ("they", "he", "she"):
        lead, verb = indent(line), words[1][0].removesuffix("s")
        text = f"for {facts.whom}\n{' ' * lead}  {verb}"
        yield Change(lead, words[1].end(), text, f"it is `{facts.whom}` whom this moment is about", 0.05)
    for one in understood(line, words, facts.declared):
        yield Change(one.start, one.end, one.text, one.why, max(0.1, 0.6 - one.words / 10))


def _missing(word: str, before: str) -> str:
    return f"`{word}` is missing before `{before}`"


def _of_word(word: re.Match[str], facts: Facts) -> Iterator[Change]:
    start, end = word.span()
    written = word[0].casefold()
    many = written in ("each", "every", "all") and end < len(word.string.rstrip())
    following = _TOKEN.search(word.string, end)
    if many and following and facts.declared.sort(facts.declared.meant(following[0])) == "kind":
        yield Change(start, end, "", f"`{following[0]}` alone means all of them", 1.0)
    if written in known("fillers") and not many:
        yield Change(start, end, "", f"`{word[0]}` is not needed here", 1.0)
    if written[0] == '"':
        inner = written.strip('"')
        meant = inner if inner.isdecimal() else facts.declared.meant(inner)
        yield from [Change(start, end, meant, f"`{meant}` stands without quotes here", 1.0)] if meant else []
    if word[0] in facts.declared.definitions:
        return
    for meant in _meant(written):
        apart = "" if written[0].isalpha() or not meant[0].isalpha() else " "
        yield Change(start, end, f"{apart}{meant}{apart}", f"`{word[0]}` is not valid here", 1.0)
    if written.isalpha() and len(written) > 3 and written not in keywords():
        near = nearest(written, keywords())
        yield from [Change(start, end, near, f"`{word[0]}` is not a word of the language", 1.05)] if near else []


def _of_two(left: re.Match[str], right: re.Match[str], facts: Facts) -> Iterator[Change]:
    start, end = left.start(), right.end()
    if left[0] == right[0]:
        yield Change(start, end, left[0], f"`{left[0]}` is written twice", 0.5)
        return
    named, unknown = facts.declared.meant(right[0]), left[0].isalpha() and not facts.declared.meant(left[0])
    if named and unknown and left[0] not in known("amounts") and left[0] not in keywords():
        yield Change(start, end, named, f"nothing is called `{left[0]} {right[0]}`", 2.5)
    title = f"`{left[0]}` and `{right[0]}` are in the wrong order"
    if left[0].isdecimal() or right[0].isdecimal() or not {left[0], right[0]} & keywords():
        yield Change(start, end, f"{right[0]} {left[0]}", title, 2.0)
    if left[0][0].isalpha() and right[0][0].isalpha() and not {left[0], right[0]} & keywords():
        yield Change(start, end, f"{right[0]} of {left[0]}", "to say whose something is, use `of`", 1.8)


def _of_parts(line: str) -> Iterator[Change]:
    """The parts of a line that words such as `as` and `from` begin, with one of them further to the front."""
    starts = [match.start() for match in _PART.finditer(line)]
    parts = [line[start:end].strip() for start, end in pairwise([*starts, len(line)])]
    for j in range(1, len(parts)):
        for i in range(j):
            title = f"`{parts[j].lstrip(', ')}` comes before `{parts[i].lstrip(', ')}`"
            end = starts[j + 1] if j + 1 < len(starts) else len(line)
            yield Change(starts[i], end, " ".join([parts[j], *parts[i:j]]) + " ", title, 1.2)


@cache
def _meant(word: str) -> tuple[str, ...]:
    """The words of the language that a word may stand for: in another form, or another word for the same."""
    forms = [word[:-2] if word.endswith("es") else word, word[:-1] if word.endswith("s") else word, word + "s"]
    other = [one for one, said in known("synonyms").items() if word in said.split()]
    return tuple(dict.fromkeys([*(form for form in forms if form != word and form in keywords()), *other]))
