"""Any definition in sentences: what a thing does, what a quantity is, how a phase goes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from edict.language import tree as t
from edict.handbook.course import payment_words, rule_words
from edict.handbook.annotated import Known
from edict.handbook.things import facts_of, sentences
from edict.language.nouns import a
from edict.words import (
    Line, ability_lines, expr_words, joined, lines, lower_first, sentence, stmt_words,
)  # fmt: skip
from edict.words.abilities import if_clause
from edict.words.titles import an, capital, forms


def description(known: Known, definition: t.Definition) -> Iterator[str]:
    """The sentences, a line each; what belongs to a line above is indented by two spaces more."""
    yield from _TELL.get(type(definition), _nothing)(known, definition)


def flat(known: Known, told_: tuple[Line, ...], depth: int = 0) -> Iterator[str]:
    """Lines with those below them as indented text; without headings under which no rules come in."""
    for line in told_:
        text, below = line.text or _triggered(known, line.about), list(flat(known, line.below, depth + 1))
        if text and (below or not text.endswith(":")):
            yield "  " * depth + text
        yield from below


def _triggered(known: Known, name: str) -> str:
    """That other rules come in here, if any do."""
    moment = known.definitions.get(name)
    if not isinstance(moment, t.Moment) or not known.linked.whens.get((name, "")):
        return ""
    return sentence(f"now resolve what happens {lower_first(moment.title) or f'at “{name}”'}")


def _nothing(known: Known, definition: t.Definition) -> Iterator[str]:
    yield from ()


def _thing(known: Known, thing: t.Thing) -> Iterator[str]:
    facts = list(facts_of(known, thing))
    if facts:
        yield sentence(capital("; ".join(f"{name} {text}".strip() for name, text in facts)))
    yield from sentences(known, thing)


def _steps(known: Known, one: t.Phase | t.Routine) -> Iterator[str]:
    yield from flat(known, lines(known.resolved, one.block)) if one.block else ()


def _standing(known: Known, one: t.Standalone) -> Iterator[str]:
    yield from flat(known, (ability_lines(known.resolved, one.ability),))


def _quantity(known: Known, one: t.Quantity) -> Iterator[str]:
    bounds = [f"at {word} {expr_words(known.resolved, bound)}" for word, bound in
              (("least", one.at_least), ("most", one.at_most)) if bound is not None]  # fmt: skip
    whose = joined(param.name.word.replace("-", " ") for param in one.params)
    sort = "Worked out whenever it is asked for" if isinstance(one, t.Term) else "A number"
    text = f"{sort}{f' for each {whose}' if whose else ''}: {expr_words(known.resolved, one.value)}"
    yield sentence(text + (f", {joined(bounds)}" if bounds else ""))


def _action(known: Known, one: t.Action) -> Iterator[str]:
    yield from (sentence(stmt_words(known.resolved, choice)) for choice in one.params)
    if one.payment is not None:
        yield payment_words(known, one.payment)
    yield from (rule_words(known, rule) for rule in one.rules)
    yield from flat(known, lines(known.resolved, one.then))


def _kind(known: Known, one: t.Kind) -> Iterator[str]:
    printed = [lower_first(f.title) or f.name.word.replace("-", " ") for f in one.fields if f.type is not None]
    if printed:
        yield sentence(f"{an(forms(one.title or one.name.word)[0])} has: {joined(printed)}")
    for field in one.fields:
        if field.value is not None:
            yield sentence(f"its {field.name.word.replace('-', ' ')}: {expr_words(known.resolved, field.value)}")
    for unique in one.unique:
        alike = joined(name.word.replace("-", " ") for name in unique.fields)
        yield sentence(f"no two have the same {alike}")
    if one.works_if is not None:
        yield sentence(f"what it does counts{if_clause(known.resolved, one.works_if)}")


def _keep(known: Known, one: t.Keep) -> Iterator[str]:
    name, shape = one.type.name.word if one.type.name is not None else "", one.type.shape
    what = name if name and shape == "thing" else f"{shape} of {name}" if name else shape
    bounds = f" from {one.type.low} to {one.type.high}" if one.type.low is not None else ""
    whose = joined(param.name.word.replace("-", " ") for param in one.params)
    text = f"the table remembers {a(what)}{bounds}" + (f" for each {whose}" if whose else "")
    text += f", at first {expr_words(known.resolved, one.start)}" if one.start is not None else ""
    text += "; in a campaign it is carried over to the next game" if one.lasting else ""
    yield sentence(text + ("; it is a secret" if one.secret else "") + (
        ", but everybody sees how many there are" if one.counted else ""
    ))


def _setting(known: Known, one: t.Setting) -> Iterator[str]:
    value = ("on" if one.value else "off") if one.truth else str(one.value)
    bounds = f", from {one.low} to {one.high}" if one.low is not None else ""
    yield sentence(f"a setting of the table: {value} by default{bounds}")


def _resource(known: Known, one: t.Resource) -> Iterator[str]:
    floor = "it may go below 0" if one.below_zero else "never below 0"
    limit = "" if one.limit is None else f"; there are {expr_words(known.resolved, one.limit)} for all together"
    yield sentence(f"counted for each player, {floor}{limit}")


def _group(known: Known, one: t.Group) -> Iterator[str]:
    members = joined((forms(known.definitions[known.resolved.of(m).name].title)[0] for m in one.members), "or")
    yield sentence(f"any of {members}")


def _die(known: Known, one: t.Die) -> Iterator[str]:
    yield sentence(f"a die with {one.sides} sides")


def _moment(known: Known, one: t.Moment) -> Iterator[str]:
    whose = joined(param.name.word.replace("-", " ") for param in one.params)
    yield sentence(f"a moment at which other rules may have something to say{f', about the {whose}' if whose else ''}")


def _game(known: Known, one: t.Game) -> Iterator[str]:
    yield sentence(f"for {one.low} to {one.high} players" if one.low != one.high else f"for {one.low} players")
    yield from flat(known, lines(known.resolved, one.course))
    yield sentence(f"the winners are {lower_first(expr_words(known.resolved, one.winners))}")
    yield sentence(f"the score is {expr_words(known.resolved, one.score)}")


def _display(known: Known, one: t.Display) -> Iterator[str]:
    among = f" in {expr_words(known.resolved, one.among)}" if one.among is not None else ""
    yield sentence(f"a panel on the screen{f', a row for each {one.each.word}{among}' if one.each is not None else ''}")


_TELL: dict[type, Callable[[Known, Any], Iterator[str]]] = {
    t.Thing: _thing, t.Phase: _steps, t.Routine: _steps, t.Standalone: _standing, t.Quantity: _quantity,
    t.Term: _quantity,
    t.Action: _action, t.Kind: _kind, t.Keep: _keep, t.Setting: _setting, t.Resource: _resource, t.Group: _group,
    t.Die: _die, t.Moment: _moment, t.Game: _game, t.Display: _display,
}  # fmt: skip
