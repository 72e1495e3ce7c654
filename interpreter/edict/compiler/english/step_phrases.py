"""Phrases for steps in the imperative, as `gain 1 gold or 1 wood`, `roll 3 dice` and `increase the price by 2`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from edict.compiler.english.amounts import (
    describe_alternatives,
    describe_dice,
    describe_gained_part,
    describe_times,
    join_with_values,
)
from edict.compiler.english.block_phrases import (
    continue_sentence,
    describe_block,
    describe_payment,
    fits_behind,
    get_subject,
    outline_block,
    outline_payment,
    outline_with_heading,
)
from edict.compiler.english.condition_phrases import describe_awaited_condition, describe_condition
from edict.compiler.english.phrases import OutlineLine, describe, describes, make_singular, outlines, register_patterns
from edict.compiler.english.plurals import (
    describe_definite,
    has_members,
    is_collection,
    is_number,
    is_order,
    is_plural,
    is_truth,
)
from edict.compiler.english.possession_phrases import describe_absence, get_holder_title, is_object
from edict.compiler.english.titles import describe_binding, plural_of, set_local_phrase, title_of
from edict.compiler.semantics.symbols import ResolvedBook, is_local_name, keep_of
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.roles import Role, iter_role_values
from edict.compiler.syntax.traversal import walk
from edict.support.morphology import add_definite_article, add_indefinite_article, join_words, spell_name, to_sentence

register_patterns(
    {
        t.Lose: "lose {bundle}",
        t.Give: "give {bundle} to {whom}",
        t.Take: "take {bundle} at random from {whom}",
        t.TakeChosen: "take {bundle} from {whom}",
        t.Shuffle: "shuffle {place}",
        t.Swap: "swap {place} with {other}",
        t.Play: "{phase:title}",
        t.Leave: "stop there",
        t.EndGame: "the game ends",
        t.Nothing: "nothing",
        **dict.fromkeys((t.Announce, t.Trigger, t.Look), ""),  # these need no words
    }
)
# --- resources -------------------------------------------------------------------------------------


@describes(t.Gain)
def _describe_gain(r: ResolvedBook, s: t.Gain) -> str:
    """Describe a gain, as `gain 1 gold or 1 wood`."""
    return f"gain {describe_alternatives(r, s.options, describe_gained_part)}"


def describe_spending(r: ResolvedBook, s: t.Spend) -> str:
    """Describe a spending: `spend 2 gold`, or `pay` instead if all that is spent are prices (`cost of hut`)."""
    priced = all(isinstance(part, t.PartPrice) for bundle in s.options for part in bundle.parts)
    return f"{'pay' if priced else 'spend'} {describe_alternatives(r, s.options)}"


@describes(t.Spend)
def _describe_spend(r: ResolvedBook, s: t.Spend) -> str:
    """Describe a price and what it is paid for on one line, as `spend 1 gold to gain 1 VP`."""
    return describe_payment(r, s, describe_spending(r, s))


@outlines(t.Spend)
def _outline_spend(r: ResolvedBook, s: t.Spend) -> Iterator[OutlineLine]:
    """Yield the lines of a price, with the steps that it is paid for below."""
    yield from outline_payment(r, s, describe_spending(r, s))


# --- dice, cards, orders ---------------------------------------------------------------------------


set_local_phrase(t.Roll, "the roll")
set_local_phrase(t.Spend, "what was spent")


@describes(t.Roll)
def _describe_roll(r: ResolvedBook, s: t.Roll) -> str:
    """Describe a roll, as `roll 3 dice`."""
    return f"roll {describe_dice(r, s)}{describe_binding(r, s)}"


@describes(t.Reroll)
def _describe_reroll(r: ResolvedBook, s: t.Reroll) -> str:
    """Describe another roll, as `reroll it`, `reroll all your dice` or `reroll the chosen dice`."""
    if s.dice is None:
        return f"reroll all {describe(r, s.place)}"
    words = describe(r, s.dice)
    if isinstance(s.dice, t.Name) and not words.startswith("“"):
        return "reroll it"
    return f"reroll {words}"


@describes(t.Draw)
def _describe_draw(r: ResolvedBook, s: t.Draw) -> str:
    """Describe a draw of one member or number, as `draw a card in secret from the deck`."""
    secret = " in secret" if s.secretly else ""
    if s.low is not None and s.high is not None:
        return f"draw a number{secret} from {describe(r, s.low)} to {describe(r, s.high)}{describe_binding(r, s)}"
    assert s.source is not None
    source = describe(r, s.source)
    if source == plural_of(r, s.kind):
        source_words = ""
    else:
        source_words = f" from {describe_definite(r, s.source)}"
    return f"draw {add_indefinite_article(title_of(r, s.kind))}{secret}{source_words}{describe_binding(r, s)}"


@describes(t.Arrange)
def _describe_arrange(r: ResolvedBook, s: t.Arrange) -> str:
    """Describe a sort, as `arrange the turn order by each player's VP, lowest first`."""
    key = re.sub(r"\btheir\b", "each player's", describe(r, s.key), count=1)
    return f"arrange {describe(r, s.place)} by {key}, {s.direction} first"


@describes(t.Show)
def _describe_show(r: ResolvedBook, s: t.Show) -> str:
    """Describe a revelation, as `reveal your hand`, `look secretly at ...` or `show ... to NAME`."""
    whom, place = describe(r, s.to), describe(r, s.place)
    if whom == "you":
        return f"look secretly at {place}"
    return f"reveal {place}" if whom == "everyone" else f"show {place} to {whom}"


# --- the course ------------------------------------------------------------------------------------


@outlines(t.Trigger)
def _outline_trigger(r: ResolvedBook, s: t.Trigger) -> Iterator[OutlineLine]:
    """Yield a line without text that only refers to the triggered moment."""
    yield OutlineLine("", about=get_subject(r, s.moment))


@describes(t.Text)
def _describe_text(r: ResolvedBook, s: t.Text) -> str:
    """Return the author's words without a full stop; empty where words are generated from the rules."""
    return join_with_values(r, s.parts if r.authored else ()).removesuffix(".")


@outlines(t.Text)
def _outline_text(r: ResolvedBook, s: t.Text) -> Iterator[OutlineLine]:
    """Yield the author's sentence, which refers to what runs first, and then the moments that are triggered."""
    nodes = list(walk(s.block))
    subject = next(
        (name for node in nodes for name in iter_role_values(node, Role.RUNS) if not isinstance(node, t.Trigger)), None
    )
    yield OutlineLine(to_sentence(describe(r, s)), about=get_subject(r, subject))
    for moment in dict.fromkeys(get_subject(r, node.moment) for node in nodes if isinstance(node, t.Trigger)):
        yield OutlineLine("", about=moment)


# --- if, each, repeat ------------------------------------------------------------------------------


@describes(t.If)
def _describe_if(r: ResolvedBook, s: t.If) -> str:
    """Describe an `if` on one line, as `if you have gold, gain 1 VP; otherwise lose 1 VP`; empty without steps."""
    then, otherwise = describe_block(r, s.then), describe_block(r, s.otherwise)
    if not then and not otherwise:
        return ""
    return f"if {describe_condition(r, s.condition)}, {then or 'nothing'}" + (
        f"; otherwise {otherwise}" if otherwise else ""
    )


@outlines(t.If)
def _outline_if(r: ResolvedBook, s: t.If) -> Iterator[OutlineLine]:
    """Yield the lines of an `if`: one line if it fits, else a heading with its steps; then `Otherwise`."""
    head, then = f"if {describe_condition(r, s.condition)}", outline_block(r, s.then)
    if len(then) == 1 and fits_behind(head, then[0]):
        phase = isinstance(r.book.definitions.get(then[0].about), t.Phase)
        yield replace(then[0], text=to_sentence(f"{head}{':' if phase else ','} {continue_sentence(r, then[0])}"))
    elif then:
        yield OutlineLine(to_sentence(f"{head}:"), then)
    if s.otherwise:
        following = s.otherwise[0]
        if len(s.otherwise) == 1 and isinstance(following, t.If):
            yield from _prefix_otherwise(r, _outline_if(r, following))
        else:
            yield outline_with_heading(r, "otherwise", s.otherwise)


def _prefix_otherwise(r: ResolvedBook, outline: Iterator[OutlineLine]) -> Iterator[OutlineLine]:
    """Yield the lines of an outline, with `Otherwise, ` before the first."""
    for i, line in enumerate(outline):
        yield replace(line, text=f"Otherwise, {continue_sentence(r, line)}") if i == 0 else line


def describe_each_head(r: ResolvedBook, s: t.Each) -> str:
    """Return the members that a loop goes through one by one."""
    if s.source is not None and not is_collection(r, s.source):
        return f"for {describe(r, s.source)}"
    title = title_of(r, s.kind)
    if s.source is None:
        return f"for each {title}{describe_binding(r, s)}"
    source, plural = describe(r, s.source), plural_of(r, s.kind)
    if source == "everyone but you":
        return "for each other player"
    if source.startswith(f"{plural} "):
        return f"for each {title} {make_singular(source.removeprefix(f'{plural} '))}{describe_binding(r, s)}"
    if plural in source.split():
        return f"for each of {source}{describe_binding(r, s)}"
    return f"for each {title} {_add_preposition(describe_definite(r, s.source))}{describe_binding(r, s)}"


def _add_preposition(source: str) -> str:
    """Return a set behind `of` or `among`, as fits its first words: `of your cards`, `among players`."""
    if source.startswith(("“", "your ", "the ")):
        return f"of {source}"
    return f"among {source}"


@describes(t.Each)
def _describe_each(r: ResolvedBook, s: t.Each) -> str:
    """Describe a loop on one line: its head, a colon and its steps."""
    return f"{describe_each_head(r, s)}: {describe_block(r, s.block)}"


@outlines(t.Each)
def _outline_each(r: ResolvedBook, s: t.Each) -> Iterator[OutlineLine]:
    """Yield the head of a loop with its steps below; nothing for a kind that has no things."""
    if s.source is not None or has_members(r, s.kind):  # a kind without things is skipped; a module may add some
        yield outline_with_heading(r, describe_each_head(r, s).removeprefix("for "), s.block)


def describe_repeat_head(r: ResolvedBook, s: t.Repeat) -> str:
    """Return how often or until when steps are repeated."""
    if s.until is not None:
        return f"repeat until {describe_awaited_condition(r, s.until)}"
    assert s.count is not None
    return describe_times(r, s.count)


@describes(t.Repeat)
def _describe_repeat(r: ResolvedBook, s: t.Repeat) -> str:
    """Describe a repetition on one line: how often or until when, a colon and its steps."""
    return f"{describe_repeat_head(r, s)}: {describe_block(r, s.block)}"


@outlines(t.Repeat)
def _outline_repeat(r: ResolvedBook, s: t.Repeat) -> Iterator[OutlineLine]:
    """Yield how often or until when steps are repeated, with the steps below."""
    yield outline_with_heading(r, describe_repeat_head(r, s), s.block)


_NOT_DONE = re.compile(r" ha(?:ve|s) not ")  # of a deed in the past, which cannot be undone


@describes(t.Let)
def _describe_let(r: ResolvedBook, s: t.Let) -> str:
    """Describe a `let`, as `“score” is your VP` or `note whether you have gold (“rich”)`."""
    name = spell_name(s.name.word)
    if is_truth(r, s.value):
        return f"note whether {describe_condition(r, s.value)} (“{name}”)"
    if isinstance(s.value, t.Number):
        return f"“{name}” starts at {s.value.value}"
    if isinstance(s.value, t.Name) and s.value.word in ("nobody", "no-dice"):
        return f"“{name}” starts empty"
    if isinstance(s.value, t.Name) and s.value.word == "you":
        return f"“{name}” is you"
    verb = "are" if is_collection(r, s.value) and is_plural(r, s.value) else "is"
    return f"“{name}” {verb} {describe_definite(r, s.value)}"


@describes(t.Set)
def _describe_set(r: ResolvedBook, s: t.Set) -> str:
    """Describe an assignment by its type, as `set the year to 2`, `take the Crown` or `clear the market`."""
    keep = keep_of(r, s.place)
    word = s.value.word if isinstance(s.value, t.Name) else ""
    if keep is not None and keep.type.shape == "truth":
        return _describe_set_truth(r, s, word)
    if word in ("nobody", "no-dice"):
        return f"clear {describe(r, s.place)}"
    title = get_holder_title(r, s.place)
    if title:
        return _describe_set_holder(r, s, title, word)
    if word == "none" and keep is not None and describe_absence(r, s.place, True):
        return f"{describe_absence(r, s.place, True)} any more"
    if (
        isinstance(s.value, t.Binary)
        and is_collection(r, s.value)
        and _describe_leftmost_operand(r, s.value) == describe(r, s.place)
    ):
        return _describe_set_steps(r, s)
    place, value = describe(r, s.place), describe(r, s.value)
    if keep is not None and keep.type.shape == "thing" and is_local_name(r, s.value):
        return f"{value} is now {place}"
    if place == value:
        return f"note {place}"
    if is_number(r, s.place):
        return f"set {place} to {value}"
    return f"{place} {_agree_becomes(r, s.place)} {value}"


def _describe_leftmost_operand(r: ResolvedBook, e: t.Expr) -> str:
    """Describe the first operand of a chain of `+` and `-`, as `hand of you` in `hand of you - own + new`."""
    while isinstance(e, t.Binary) and e.op in ("+", "-"):
        e = e.left
    return describe(r, e)


def _agree_becomes(r: ResolvedBook, place: t.Expr) -> str:
    """Return `become` for a place in the plural, else `becomes`."""
    return "become" if is_plural(r, place) else "becomes"


def _describe_set_truth(r: ResolvedBook, s: t.Set, word: str) -> str:
    """Describe an assignment to a truth, as `note that you won`; `word` is `yes` or `no` if it is constant."""
    holds = describe_condition(r, s.place)
    if word in ("yes", "no"):
        now = describe_condition(r, s.place, word == "yes")
        if now.startswith("it is not the case"):
            return f"it is no longer the case that {holds}"
        if isinstance(s.place, t.Name):  # a truth of the table, as `the game ends early`
            return f"from now on {now}" if now.startswith("“") else now
        return f"forget that {holds}" if _NOT_DONE.search(now) else f"note that {now}"
    return f"note whether {describe_condition(r, s.value)}: if so, {holds}"


def _describe_set_holder(r: ResolvedBook, s: t.Set, title: str, word: str) -> str:
    """Describe an assignment to a keep titled for its holder, as `take the Crown`; `word` is `none` for nobody."""
    if word == "none":
        return f"nobody {'has' if is_object(title) else 'is'} {add_definite_article(title)}"
    whom = describe(r, s.value)
    if is_object(title):
        if whom == "you":
            return f"take {add_definite_article(title)}"
        return f"{add_definite_article(title)} goes to {whom}"
    if whom == "you":
        return f"you become {add_definite_article(title)}"
    return f"{add_definite_article(title)} becomes {whom}"


def _describe_set_steps(r: ResolvedBook, s: t.Set) -> str:
    """Describe `set hand of you to hand of you - own + new` step by step."""
    steps: list[str] = []
    value = s.value
    while isinstance(value, t.Binary) and value.op in ("+", "-"):
        steps.append(f"add {describe(r, value.right)}" if value.op == "+" else f"remove {describe(r, value.right)}")
        value = value.left
    if describe(r, value) != describe(r, s.place):
        return f"{describe(r, s.place)} {_agree_becomes(r, s.place)} {describe(r, s.value)}"
    last, *others = steps
    joint = "to" if last.startswith("add") else "from"
    return join_words([*reversed(others), f"{last} {joint} {describe(r, s.place)}"])


@describes(t.Add)
def _describe_add(r: ResolvedBook, s: t.Add) -> str:
    """Describe an `add`, as `add the card to your hand` or `put the card last in the queue`."""
    if is_order(r, s.place):
        return f"put {describe(r, s.value)} {'first' if s.first else 'last'} in {describe_definite(r, s.place)}"
    return f"add {describe(r, s.value)} to {describe(r, s.place)}"


register_patterns({t.Remove: "remove {value} from {place}"})
