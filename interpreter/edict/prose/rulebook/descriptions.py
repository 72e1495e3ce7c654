"""Descriptions of definitions in sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from edict.compiler.english import OutlineLine, describe, outline_ability, outline_block
from edict.compiler.english.ability_phrases import describe_works_if
from edict.compiler.english.plurals import describe_definite
from edict.compiler.english.titles import plural_of, title_of
from edict.compiler.semantics.symbols import definition_of
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import default_setting_value, plural_title, singular_title
from edict.prose.rulebook.annotated_rules import AnnotatedRules
from edict.prose.rulebook.course import describe_bounded_value, describe_payment, describe_rule
from edict.prose.rulebook.things import iter_facts, iter_sentences
from edict.support.morphology import (
    add_indefinite_article,
    capitalize,
    format_range,
    join_words,
    spell_name,
    to_sentence,
    uncapitalize_title,
)


def describe_definition(rules: AnnotatedRules, definition: t.Definition) -> Iterator[str]:
    """Iterate over the sentences about a definition, one per line; nested lines are indented by two spaces."""
    yield from _DESCRIBERS.get(type(definition), _describe_nothing)(rules, definition)


def describe_exactly(rules: AnnotatedRules, definition: t.Definition) -> tuple[str, ...]:
    """Return the sentences generated from the rules; () if the author's own words do not differ from them."""
    generated = tuple(describe_definition(rules.with_generated_text, definition))
    if generated != tuple(describe_definition(rules, definition)):
        return generated
    return ()


def flatten_lines(rules: AnnotatedRules, lines_: tuple[OutlineLine, ...], depth: int = 0) -> Iterator[str]:
    """Iterate over nested lines as indented text, without headings that have nothing below."""
    for line in lines_:
        text, below = (
            line.text or _describe_moment_rules(rules, line.about),
            list(flatten_lines(rules, line.below, depth + 1)),
        )
        if text and (below or not text.endswith(":")):
            yield "  " * depth + text
        yield from below


def _describe_moment_rules(rules: AnnotatedRules, name: str) -> str:
    """Return `Now resolve what happens [at the moment].` if any rule is triggered there; else an empty text."""
    moment = rules.definitions.get(name)
    if not isinstance(moment, t.Moment) or not rules.linked.whens.get((name, "")):
        return ""
    return to_sentence(f"now resolve what happens {uncapitalize_title(moment.title) or f'at “{name}”'}")


def _describe_nothing(rules: AnnotatedRules, definition: t.Definition) -> Iterator[str]:
    yield from ()


def _describe_thing(rules: AnnotatedRules, thing: t.Thing) -> Iterator[str]:
    """Yield one sentence with a thing's printed values, then a sentence for each effect and ability."""
    facts = list(iter_facts(rules, thing))
    if facts:
        yield to_sentence(capitalize("; ".join(f"{name} {text}".strip() for name, text in facts)))
    yield from iter_sentences(rules, thing)


def _describe_steps(rules: AnnotatedRules, definition: t.Phase | t.Routine) -> Iterator[str]:
    """Yield the steps of a phase or routine, one line each, nested steps indented."""
    yield from flatten_lines(rules, outline_block(rules.resolved, definition.block)) if definition.block else ()


def _describe_standalone(rules: AnnotatedRules, definition: t.Standalone) -> Iterator[str]:
    """Yield a top-level ability as lines, its steps indented below its condition."""
    yield from flatten_lines(rules, (outline_ability(rules.resolved, definition.ability),))


def _describe_quantity(rules: AnnotatedRules, definition: t.Quantity) -> Iterator[str]:
    """Yield one sentence with a quantity's parameters, value and bounds."""
    sort = "value" if isinstance(definition, t.Term) else "number"
    yield to_sentence(f"a {sort}{_describe_params(definition.params)}: {describe_bounded_value(rules, definition)}")


def _describe_params(params: tuple[t.Param, ...]) -> str:
    """Return the parameters: ` for each advisor and player`."""
    if params:
        return f" for each {join_words(spell_name(param.name.word) for param in params)}"
    return ""


def _describe_action(rules: AnnotatedRules, definition: t.Action) -> Iterator[str]:
    """Yield an action's choices, payment, requirements and steps, in this order, one line each."""
    yield from (to_sentence(describe(rules.resolved, choice)) for choice in definition.params)
    if definition.payment is not None:
        yield describe_payment(rules, definition.payment)
    yield from (describe_rule(rules, rule) for rule in definition.rules)
    yield from flatten_lines(rules, outline_block(rules.resolved, definition.then))


def _describe_kind(rules: AnnotatedRules, definition: t.Kind) -> Iterator[str]:
    """Yield sentences on a kind's printed fields, computed fields, unique fields and when its abilities work."""
    field_titles = {f.name.word: uncapitalize_title(plural_title(f)) for f in definition.fields}
    printed = [field_titles[f.name.word] for f in definition.fields if f.type is not None]
    if printed:
        yield to_sentence(f"each {singular_title(definition)} has: {join_words(printed)}")
    for field in definition.fields:
        if field.value is not None:
            yield to_sentence(f"its {field_titles[field.name.word]}: {describe(rules.resolved, field.value)}")
    for unique in definition.unique:
        unique_fields = join_words(spell_name(name.word) for name in unique.fields)
        yield to_sentence(f"no two have the same {unique_fields}")
    if definition.works_if is not None:
        yield to_sentence(describe_works_if(rules.resolved, definition))


def _describe_keep(rules: AnnotatedRules, definition: t.Keep) -> Iterator[str]:
    """Yield one sentence with a state variable's type, initial value, carry-over and secrecy."""
    parts = [_describe_type(rules, definition.type) + _describe_params(definition.params)]
    if definition.start is not None:
        parts += [f"starts as {_describe_initial_value(rules, definition.start)}"]
    else:
        parts += []
    parts += ["carried over to the next game of a campaign"] if definition.lasting else []
    if definition.secret:
        parts.append("secret, but everybody sees how many there are" if definition.counted else "secret")
    yield to_sentence("; ".join(parts))


_CONTAINER_PHRASES = {"set": "a set of {}", "order": "an order of {}", "bag": "a bag of {}"}
_VALUE_PHRASES = {"truth": "yes or no", "dice": "dice", "number": "a number"}


def _describe_type(rules: AnnotatedRules, type_: t.TypeName) -> str:
    """Return what a keep may hold: `a set of buildings`, `a player or none`, `a number from 0 to 5`."""
    if type_.shape in _CONTAINER_PHRASES and type_.name is not None:
        plural = plural_of(rules.resolved, type_.name)
        return _CONTAINER_PHRASES[type_.shape].format(
            f"the {plural}" if type_.shape == "order" and plural == "players" else plural
        )
    if type_.name is not None:
        return add_indefinite_article(title_of(rules.resolved, type_.name)) + (" or none" if type_.optional else "")
    bounds = f" from {type_.low} to {type_.high}" if type_.low is not None else ""
    return _VALUE_PHRASES.get(type_.shape, type_.shape) + bounds


def _describe_initial_value(rules: AnnotatedRules, value: t.Expr) -> str:
    """Return the initial value of a keep, with `all` for a whole kind."""
    all_ = "all " if isinstance(definition_of(rules.resolved, value), t.Kind | t.Group) else ""
    word = value.word if isinstance(value, t.Name) else ""
    return word if word in ("yes", "no") else f"{all_}{describe(rules.resolved, value)}"


def _describe_setting(rules: AnnotatedRules, definition: t.Setting) -> Iterator[str]:
    """Yield one sentence with a setting's default and bounds, if it has any."""
    bounds = f", from {definition.low} to {definition.high}" if definition.low is not None else ""
    yield to_sentence(f"a game setting: {default_setting_value(definition)} by default{bounds}")


def _describe_resource(rules: AnnotatedRules, definition: t.Resource) -> Iterator[str]:
    """Yield one sentence on a resource: can it go below 0, its supply limit and its secrecy."""
    floor = "may go below 0" if definition.below_zero else "never goes below 0"
    if definition.limit is None:
        limit = ""
    else:
        limit = f"; there are {describe(rules.resolved, definition.limit)} in all"
    secret = "; secret: others do not know how much it is" if definition.secret else ""
    yield to_sentence(f"each player has their own; the number {floor}{limit}{secret}")


def _describe_group(rules: AnnotatedRules, definition: t.Group) -> Iterator[str]:
    """Yield one sentence that names a group's resources, and says if its total is public."""
    members = join_words(
        (singular_title(rules.definitions[rules.resolved.meaning_of(m).name]) for m in definition.members), "or"
    )
    count_note = "; everybody sees how many a player has in all" if definition.counted else ""
    yield to_sentence(f"any of {members}{count_note}")


def _describe_die(rules: AnnotatedRules, definition: t.Die) -> Iterator[str]:
    """Yield `A die with 6 sides.`, with the die's own number of sides."""
    yield to_sentence(f"a die with {definition.sides} sides")


def _describe_moment(rules: AnnotatedRules, definition: t.Moment) -> Iterator[str]:
    """Yield one sentence on a moment with the names of its parameters."""
    if definition.params:
        arguments = f", with the {join_words(spell_name(param.name.word) for param in definition.params)}"
    else:
        arguments = ""
    yield to_sentence(f"a moment at which rules can act{arguments}")


def _describe_game(rules: AnnotatedRules, definition: t.Game) -> Iterator[str]:
    """Yield sentences on the number of players, the steps of the course, the winners and the score."""
    yield to_sentence(f"for {format_range(definition.low, definition.high)} players")
    yield from flatten_lines(rules, outline_block(rules.resolved, definition.course))
    yield to_sentence(f"the winners are {describe_definite(rules.resolved, definition.winners)}")
    yield to_sentence(f"the score is {describe(rules.resolved, definition.score)}")


def _describe_display(rules: AnnotatedRules, definition: t.Display) -> Iterator[str]:
    """Yield one sentence on a panel's layout: plain, a row for each thing, or a grid by two fields."""
    if definition.each is None:
        yield to_sentence("a panel on the screen")
        return
    if definition.among is not None:
        source = f" in {describe(rules.resolved, definition.among)}"
    else:
        source = ""
    each = f"each {title_of(rules.resolved, definition.each)}{source}"
    if definition.rows is None or definition.columns_by is None:
        yield to_sentence(f"a panel on the screen, with a row for {each}")
        return
    rows, columns = (describe(rules.resolved, by) for by in (definition.rows, definition.columns_by))
    yield to_sentence(
        f"for each player, a panel with a place for {each}: {rows} says which row, {columns} which column"
    )


def _describe_assertion(rules: AnnotatedRules, definition: t.Assert) -> Iterator[str]:
    """Yield one sentence with the title of a condition that must hold in every game."""
    yield to_sentence(
        f"this must hold in every game, and tests look whether it does: {uncapitalize_title(definition.title)}"
    )


_DESCRIBERS: dict[type, Callable[[AnnotatedRules, Any], Iterator[str]]] = {
    t.Thing: _describe_thing,
    t.Phase: _describe_steps,
    t.Routine: _describe_steps,
    t.Standalone: _describe_standalone,
    t.Quantity: _describe_quantity,
    t.Term: _describe_quantity,
    t.Action: _describe_action,
    t.Kind: _describe_kind,
    t.Keep: _describe_keep,
    t.Setting: _describe_setting,
    t.Resource: _describe_resource,
    t.Group: _describe_group,
    t.Die: _describe_die,
    t.Moment: _describe_moment,
    t.Game: _describe_game,
    t.Display: _describe_display,
    t.Assert: _describe_assertion,
    t.AssertNever: _describe_assertion,
}
