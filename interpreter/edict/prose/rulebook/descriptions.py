"""Any definition in sentences: what a thing does, what a quantity is, how a phase goes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from edict.compiler.english import Line, ability_lines, lines, tell
from edict.compiler.english.ability_phrases import works_for
from edict.compiler.english.plurals import definite
from edict.compiler.english.titles import many_of, title_of
from edict.compiler.semantics.symbols import definition_of
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import plural_title, setting_value, singular_title
from edict.prose.rulebook.annotated import Known
from edict.prose.rulebook.course import bounded_value, payment_words, rule_words
from edict.prose.rulebook.things import facts_of, sentences
from edict.support.morphology import (
    capitalize,
    format_range,
    join_words,
    spell_name,
    to_sentence,
    uncapitalize_title,
    with_article,
)


def description(known: Known, definition: t.Definition) -> Iterator[str]:
    """The sentences, a line each; what belongs to a line above is indented by two spaces more."""
    yield from _TELL.get(type(definition), _nothing)(known, definition)


def exactly(known: Known, definition: t.Definition) -> tuple[str, ...]:
    """The same sentences made from the rules alone; none, if the author has no words of their own."""
    made = tuple(description(known.generated, definition))
    return made if made != tuple(description(known, definition)) else ()


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
    return to_sentence(f"now resolve what happens {uncapitalize_title(moment.title) or f'at “{name}”'}")


def _nothing(known: Known, definition: t.Definition) -> Iterator[str]:
    yield from ()


def _thing(known: Known, thing: t.Thing) -> Iterator[str]:
    facts = list(facts_of(known, thing))
    if facts:
        yield to_sentence(capitalize("; ".join(f"{name} {text}".strip() for name, text in facts)))
    yield from sentences(known, thing)


def _steps(known: Known, one: t.Phase | t.Routine) -> Iterator[str]:
    yield from flat(known, lines(known.resolved, one.block)) if one.block else ()


def _standing(known: Known, one: t.Standalone) -> Iterator[str]:
    yield from flat(known, (ability_lines(known.resolved, one.ability),))


def _quantity(known: Known, one: t.Quantity) -> Iterator[str]:
    sort = "value" if isinstance(one, t.Term) else "number"
    yield to_sentence(f"a {sort}{_for_each(one.params)}: {bounded_value(known, one)}")


def _for_each(params: tuple[t.Param, ...]) -> str:
    """Of whom or what there is one each: ` for each advisor and player`."""
    return f" for each {join_words(spell_name(param.name.word) for param in params)}" if params else ""


def _action(known: Known, one: t.Action) -> Iterator[str]:
    yield from (to_sentence(tell(known.resolved, choice)) for choice in one.params)
    if one.payment is not None:
        yield payment_words(known, one.payment)
    yield from (rule_words(known, rule) for rule in one.rules)
    yield from flat(known, lines(known.resolved, one.then))


def _kind(known: Known, one: t.Kind) -> Iterator[str]:
    called = {f.name.word: uncapitalize_title(plural_title(f)) for f in one.fields}
    printed = [called[f.name.word] for f in one.fields if f.type is not None]
    if printed:
        yield to_sentence(f"each {singular_title(one)} has: {join_words(printed)}")
    for field in one.fields:
        if field.value is not None:
            yield to_sentence(f"its {called[field.name.word]}: {tell(known.resolved, field.value)}")
    for unique in one.unique:
        alike = join_words(spell_name(name.word) for name in unique.fields)
        yield to_sentence(f"no two have the same {alike}")
    if one.works_if is not None:
        yield to_sentence(works_for(known.resolved, one))


def _keep(known: Known, one: t.Keep) -> Iterator[str]:
    parts = [_type_words(known, one.type) + _for_each(one.params)]
    parts += [f"starts as {_start(known, one.start)}"] if one.start is not None else []
    parts += ["carried over to the next game of a campaign"] if one.lasting else []
    if one.secret:
        parts.append("secret, but everybody sees how many there are" if one.counted else "secret")
    yield to_sentence("; ".join(parts))


_HELD = {"set": "a set of {}", "order": "an order of {}", "bag": "a bag of {}"}
_SORTS = {"truth": "yes or no", "dice": "dice", "number": "a number"}


def _type_words(known: Known, type_: t.TypeName) -> str:
    """What a keep may hold: `a set of buildings`, `a player or none`, `a number from 0 to 5`."""
    if type_.shape in _HELD and type_.name is not None:
        many = many_of(known.resolved, type_.name)
        return _HELD[type_.shape].format(f"the {many}" if type_.shape == "order" and many == "players" else many)
    if type_.name is not None:
        return with_article(title_of(known.resolved, type_.name)) + (" or none" if type_.optional else "")
    bounds = f" from {type_.low} to {type_.high}" if type_.low is not None else ""
    return _SORTS.get(type_.shape, type_.shape) + bounds


def _start(known: Known, value: t.Expr) -> str:
    """What it holds at first: of a whole kind, all of them."""
    all_ = "all " if isinstance(definition_of(known.resolved, value), t.Kind | t.Group) else ""
    word = value.word if isinstance(value, t.Name) else ""
    return word if word in ("yes", "no") else f"{all_}{tell(known.resolved, value)}"


def _setting(known: Known, one: t.Setting) -> Iterator[str]:
    bounds = f", from {one.low} to {one.high}" if one.low is not None else ""
    yield to_sentence(f"a game setting: {setting_value(one)} by default{bounds}")


def _resource(known: Known, one: t.Resource) -> Iterator[str]:
    floor = "may go below 0" if one.below_zero else "never goes below 0"
    limit = "" if one.limit is None else f"; there are {tell(known.resolved, one.limit)} in all"
    secret = "; secret: others do not know how much it is" if one.secret else ""
    yield to_sentence(f"each player has their own; the number {floor}{limit}{secret}")


def _group(known: Known, one: t.Group) -> Iterator[str]:
    members = join_words((singular_title(known.definitions[known.resolved.of(m).name]) for m in one.members), "or")
    counted = "; everybody sees how many a player has in all" if one.counted else ""
    yield to_sentence(f"any of {members}{counted}")


def _die(known: Known, one: t.Die) -> Iterator[str]:
    yield to_sentence(f"a die with {one.sides} sides")


def _moment(known: Known, one: t.Moment) -> Iterator[str]:
    given = f", with the {join_words(spell_name(param.name.word) for param in one.params)}" if one.params else ""
    yield to_sentence(f"a moment at which rules can act{given}")


def _game(known: Known, one: t.Game) -> Iterator[str]:
    yield to_sentence(f"for {format_range(one.low, one.high)} players")
    yield from flat(known, lines(known.resolved, one.course))
    yield to_sentence(f"the winners are {definite(known.resolved, one.winners)}")
    yield to_sentence(f"the score is {tell(known.resolved, one.score)}")


def _display(known: Known, one: t.Display) -> Iterator[str]:
    if one.each is None:
        yield to_sentence("a panel on the screen")
        return
    among = f" in {tell(known.resolved, one.among)}" if one.among is not None else ""
    each = f"each {title_of(known.resolved, one.each)}{among}"
    if one.rows is None or one.columns_by is None:
        yield to_sentence(f"a panel on the screen, with a row for {each}")
        return
    rows, columns = (tell(known.resolved, by) for by in (one.rows, one.columns_by))
    yield to_sentence(
        f"for each player, a panel with a place for {each}: {rows} says which row, {columns} which column"
    )


def _assert(known: Known, one: t.Assert) -> Iterator[str]:
    yield to_sentence(f"this must hold in every game, and tests look whether it does: {uncapitalize_title(one.title)}")


_TELL: dict[type, Callable[[Known, Any], Iterator[str]]] = {
    t.Thing: _thing,
    t.Phase: _steps,
    t.Routine: _steps,
    t.Standalone: _standing,
    t.Quantity: _quantity,
    t.Term: _quantity,
    t.Action: _action,
    t.Kind: _kind,
    t.Keep: _keep,
    t.Setting: _setting,
    t.Resource: _resource,
    t.Group: _group,
    t.Die: _die,
    t.Moment: _moment,
    t.Game: _game,
    t.Display: _display,
    t.Assert: _assert,
    t.AssertNever: _assert,
}
