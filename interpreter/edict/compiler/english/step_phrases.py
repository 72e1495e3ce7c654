"""Steps in words, in the imperative: `gain 1 gold or 1 wood`, `roll 3 dice`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from edict.compiler.english.amounts import bundles, gained, often, so_many_dice
from edict.compiler.english.block_phrases import block_words
from edict.compiler.english.bound import calls, named
from edict.compiler.english.condition_phrases import awaited, condition
from edict.compiler.english.outline import about, headed, lines, paid_lines, paid_words, short, small
from edict.compiler.english.phrase_tables import Line, outlines, tell, tells, told_as
from edict.compiler.english.plurals import definite
from edict.compiler.english.relative import singular
from edict.compiler.english.settled import with_values
from edict.compiler.english.titles import many_of, title_of
from edict.compiler.english.typed import any_of, of_things
from edict.compiler.semantics.symbols import Resolved
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.roles import Role, having
from edict.compiler.syntax.walking import walk
from edict.support.morphology import to_sentence, with_article

told_as(
    {
        t.Lose: "lose {bundle}",
        t.Give: "give {bundle} to {whom}",
        t.Take: "take {bundle} at random from {whom}",
        t.Shuffle: "shuffle {place}",
        t.Swap: "swap {place} with {other}",
        t.Play: "{phase:title}",
        t.Leave: "stop there",
        t.EndGame: "the game ends",
        t.Nothing: "nothing",
        **dict.fromkeys((t.Announce, t.Trigger, t.Look), ""),  # these go without saying
    }
)
# --- resources -------------------------------------------------------------------------------------


@tells(t.Gain)
def _gain(r: Resolved, s: t.Gain) -> str:
    return f"gain {bundles(r, s.options, gained)}"


def spending(r: Resolved, s: t.Spend) -> str:
    """A price is paid, what is counted is spent."""
    priced = all(isinstance(part, t.PartPrice) for bundle in s.options for part in bundle.parts)
    return f"{'pay' if priced else 'spend'} {bundles(r, s.options)}"


@tells(t.Spend)
def _spend(r: Resolved, s: t.Spend) -> str:
    return paid_words(r, s, spending(r, s))


@outlines(t.Spend)
def _spend_lines(r: Resolved, s: t.Spend) -> Iterator[Line]:
    yield from paid_lines(r, s, spending(r, s))


# --- dice, cards, orders ---------------------------------------------------------------------------


calls(t.Roll, "the roll")
calls(t.Spend, "what was spent")


@tells(t.Roll)
def _roll(r: Resolved, s: t.Roll) -> str:
    return f"roll {so_many_dice(r, s)}{named(r, s)}"


@tells(t.Reroll)
def _reroll(r: Resolved, s: t.Reroll) -> str:
    if s.dice is None:
        return f"reroll all {tell(r, s.place)}"
    words = tell(r, s.dice)
    return "reroll it" if isinstance(s.dice, t.Name) and not words.startswith("“") else f"reroll {words}"


@tells(t.Draw)
def _draw(r: Resolved, s: t.Draw) -> str:
    secret = " in secret" if s.secretly else ""
    if s.low is not None and s.high is not None:
        return f"draw a number{secret} from {tell(r, s.low)} to {tell(r, s.high)}{named(r, s)}"
    assert s.source is not None
    source = tell(r, s.source)
    among = "" if source == many_of(r, s.kind) else f" from {definite(r, s.source)}"
    return f"draw {with_article(title_of(r, s.kind))}{secret}{among}{named(r, s)}"


@tells(t.Arrange)
def _arrange(r: Resolved, s: t.Arrange) -> str:
    key = re.sub(r"\btheir\b", "each player's", tell(r, s.key), count=1)
    return f"arrange {tell(r, s.place)} by {key}, {s.direction} first"


@tells(t.Show)
def _show(r: Resolved, s: t.Show) -> str:
    whom, what = tell(r, s.to), tell(r, s.place)
    if whom == "you":
        return f"look secretly at {what}"
    return f"reveal {what}" if whom == "everyone" else f"show {what} to {whom}"


# --- the course ------------------------------------------------------------------------------------


@outlines(t.Trigger)
def _moment_line(r: Resolved, s: t.Trigger) -> Iterator[Line]:
    yield Line("", about=about(r, s.moment))


@tells(t.Text)
def _text(r: Resolved, s: t.Text) -> str:
    """The author's words, with no full stop at the end; nothing where they are not wanted."""
    return with_values(r, s.parts if r.authored else ()).removesuffix(".")


@outlines(t.Text)
def _text_lines(r: Resolved, s: t.Text) -> Iterator[Line]:
    """The author's sentence; it leads to what is carried out first, and moments come in after it as ever."""
    inner = list(walk(s.block))
    led = next((name for node in inner for name in having(node, Role.RUNS) if not isinstance(node, t.Trigger)), None)
    yield Line(to_sentence(tell(r, s)), about=about(r, led))
    for moment in dict.fromkeys(about(r, node.moment) for node in inner if isinstance(node, t.Trigger)):
        yield Line("", about=moment)


# --- if, each, repeat ------------------------------------------------------------------------------


@tells(t.If)
def _if(r: Resolved, s: t.If) -> str:
    then, otherwise = block_words(r, s.then), block_words(r, s.otherwise)
    if not then and not otherwise:
        return ""
    return f"if {condition(r, s.condition)}, {then or 'nothing'}" + (f"; otherwise {otherwise}" if otherwise else "")


@outlines(t.If)
def _if_lines(r: Resolved, s: t.If) -> Iterator[Line]:
    head, then = f"if {condition(r, s.condition)}", lines(r, s.then)
    if len(then) == 1 and short(head, then[0]):
        phase = isinstance(r.book.definitions.get(then[0].about), t.Phase)
        yield replace(then[0], text=to_sentence(f"{head}{':' if phase else ','} {small(r, then[0])}"))
    elif then:
        yield Line(to_sentence(f"{head}:"), then)
    if s.otherwise:
        following = s.otherwise[0]
        if len(s.otherwise) == 1 and isinstance(following, t.If):
            yield from _otherwise(r, _if_lines(r, following))
        else:
            yield headed(r, "otherwise", s.otherwise)


def _otherwise(r: Resolved, found: Iterator[Line]) -> Iterator[Line]:
    for i, line in enumerate(found):
        yield replace(line, text=f"Otherwise, {small(r, line)}") if i == 0 else line


def each_head(r: Resolved, s: t.Each) -> str:
    """Who or what is gone through, one by one."""
    if s.source is not None and not of_things(r, s.source):
        return f"for {tell(r, s.source)}"
    title = title_of(r, s.kind)
    if s.source is None:
        return f"for each {title}{named(r, s)}"
    source, many = tell(r, s.source), many_of(r, s.kind)
    if source == "everyone but you":
        return "for each other player"
    if source.startswith(f"{many} "):
        return f"for each {title} {singular(source.removeprefix(f'{many} '))}{named(r, s)}"
    if many in source.split():
        return f"for each of {source}{named(r, s)}"
    return f"for each {title} {_of_them(definite(r, s.source))}{named(r, s)}"


def _of_them(source: str) -> str:
    return f"of {source}" if source.startswith(("“", "your ", "the ")) else f"among {source}"


@tells(t.Each)
def _each(r: Resolved, s: t.Each) -> str:
    return f"{each_head(r, s)}: {block_words(r, s.block)}"


@outlines(t.Each)
def _each_lines(r: Resolved, s: t.Each) -> Iterator[Line]:
    if s.source is not None or any_of(r, s.kind):  # else there is nothing to go through; a module may bring some
        yield headed(r, each_head(r, s).removeprefix("for "), s.block)


def repeat_head(r: Resolved, s: t.Repeat) -> str:
    if s.until is not None:
        return f"repeat until {awaited(r, s.until)}"
    assert s.count is not None
    return often(r, s.count)


@tells(t.Repeat)
def _repeat(r: Resolved, s: t.Repeat) -> str:
    return f"{repeat_head(r, s)}: {block_words(r, s.block)}"


@outlines(t.Repeat)
def _repeat_lines(r: Resolved, s: t.Repeat) -> Iterator[Line]:
    yield headed(r, repeat_head(r, s), s.block)
