"""The English of a program: how questions are put, what options and things are called, what is said of conditions."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping

from edict.compiler.english import block_words, tell, thing_words, title_of
from edict.compiler.english.bound import local_words
from edict.compiler.english.doing import called
from edict.compiler.english.settled import branch_title, with_values
from edict.compiler.english.stages import stages
from edict.compiler.lowering.constants import Constants
from edict.compiler.lowering.layout import Layout, singular_and_plural
from edict.compiler.semantics.judgement import judgement_of
from edict.compiler.semantics.link import AttachedAbility, Linked
from edict.compiler.semantics.symbols import Local, Resolved
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.walking import walk
from edict.runtime.program import Kind, Setting, Stage, Thing
from edict.support.morphology import (
    capitalize,
    count_title,
    inflect,
    join_words,
    pluralize,
    spell_name,
    split_title,
    to_sentence,
    with_article,
)


def sentence_of(r: Resolved, step: t.Stmt) -> str:
    """What a step does, in the words it was given or in those of the rules."""
    return getattr(step, "prompt", "") or to_sentence(tell(r, step))


def may_prompt(r: Resolved, prompt: str, head: t.Stmt | None, then: t.Block) -> str:
    """Whether one wants to do this."""
    return prompt or to_sentence(tell(r, head) if head is not None else block_words(r, then))


def action_prompt(action: t.Action) -> str:
    return to_sentence(action.title or spell_name(action.name.word))


def choose_prompt(r: Resolved, kind: t.Name, name: str) -> str:
    """To choose one of a kind, which is called what one of it is, also where its plural is written."""
    title = title_of(r, kind)
    return f"Choose {with_article(spell_name(name) if title == spell_name(kind.word) else title)}"


def spend_prompt(r: Resolved, then: t.Block) -> str:
    words = block_words(r, then)
    return f"What do you spend to {words}?" if words else "What do you spend?"


def exception_prompt(because: str) -> str:
    """With what one does what a rule forbids."""
    return f"{capitalize(because)}. What do you use?" if because else "What do you use?"


# --- what options are called -----------------------------------------------------------------------


def branch_label(r: Resolved, branch: t.Branch, told: Words) -> str:
    """Its title, the same whatever its values are; or what it does, which is `told`."""
    return branch_title(r, branch) or with_values(r, told, "…")


Words = tuple[str | t.Expr, ...]


def told_with_values(r: Resolved, block: t.Block, known: Collection[Local]) -> Words:
    """What a block does, with values in place of names that were given before, which nobody at the table can know."""
    given = {
        local_words(r, local): name
        for name in walk(block)
        if isinstance(name, t.Name) and isinstance(local := r.meaning.get(name), Local) and local in known
    }
    words, given = (
        capitalize(block_words(r, block)),
        {word: name for word, name in given.items() if word.startswith("“")},
    )
    if not given:
        return (words,)
    texts = re.split(f"({'|'.join(map(re.escape, given))})", words)
    return tuple(given.get(text) or _agreeing(r, block, text.strip()) for text in texts if text)


def _agreeing(r: Resolved, block: t.Block, text: str) -> str:
    """A text that goes on with what is counted, in singular and plural: `coin, then draw a card/coins, then ...`."""
    counted_ = (part.what for part in walk(block) if isinstance(part, t.Part) and not isinstance(part.amount, t.Number))
    for one, many in ((title_of(r, what), title_of(r, what, many=True)) for what in counted_):
        if text.startswith(many) and "/" not in text:
            return f"{one}{text.removeprefix(many)}/{text}"
    return text


def ability_label(r: Resolved, held: AttachedAbility, title: str, block: t.Block) -> str:
    """What a thing does, under its title or that of the ability itself."""
    words, name = to_sentence(block_words(r, block).removeprefix("you may ")), title or held.title
    return f"{name}: {words}" if name else words


def exception_label(held: AttachedAbility) -> str:
    return split_title(capitalize(held.title or spell_name(held.name)))[0]


def price_label(text: str) -> str:
    return capitalize(text)


def bundle_label(r: Resolved, bundle: t.Bundle) -> str:
    return capitalize(tell(r, bundle))


# --- what is said of conditions --------------------------------------------------------------------


def single_text(title: str) -> str:
    """One of what has this title, in words: `1 gold`, `a +2 token`."""
    return count_title(1, split_title(title)[0])


def price_text(r: Resolved, *bundles: t.Bundle) -> str:
    """One price or another."""
    return " or ".join(tell(r, bundle) for bundle in bundles)


def left_text(titles: Iterable[str]) -> str:
    return f"there are {join_words(titles, 'or')} left"


def choose_from_text(r: Resolved, source: t.Expr) -> str:
    return to_sentence(f"choose from {tell(r, source)}")


def choose_next_text(r: Resolved, kind: t.Name) -> str:
    return f"choose a {title_of(r, kind)}"


def group_text(r: Resolved, group: t.Name) -> str:
    return title_of(r, group, many=True)


def once_text(r: Resolved, period: t.Name | None) -> str:
    return f"once per {title_of(r, period) if period is not None else ''}"


def shift_text(r: Resolved, shift: t.Shift) -> str:
    return tell(r, shift)


def condition_text(r: Resolved, condition: t.Expr) -> str:
    return tell(r, condition)


def condition_about(r: Resolved, condition: t.Expr, names: Mapping[Local, str]) -> str:
    """The same where what some names stand for is known: `Market is yours`."""
    text = condition_text(r, condition)
    for local, title in names.items():
        text = text.replace(local_words(r, local), title)
    return text


def routine_title(routine: t.Routine) -> str:
    """What a routine is called where nobody asks of whom or how many."""
    return called(routine) if routine.title else routine.name.word


# --- what things are called ------------------------------------------------------------------------


# Origins that are shown beside a thing wherever it is offered: what is played may differ from what is printed.
GUESSED = ("single-source", "reconstructed", "original")


def kinds(linked: Linked, constants: Constants) -> tuple[Kind, ...]:
    """Players and resources, then every kind of the book."""
    resources = tuple(_resource_named(linked, d) for d in linked.resources)
    named = [Kind("player", "player", "players", ()), Kind("resource", "resource", "resources", resources)]
    judgement = judgement_of(linked)
    for name, things in linked.things.items():
        definition: t.Kind = linked.resolved.get(name)
        singular, many = singular_and_plural(definition.title, name)
        plural = many if "/" in definition.title else pluralize(singular)
        judged = tuple(_thing(constants, definition, judgement.thing(x)) for x in things)
        named.append(Kind(name, singular, plural, judged))
    return tuple(named)


def _resource_named(linked: Linked, definition: t.Definition) -> Thing:
    name = definition.name.word
    note = linked.resolved.book.notes.get(name, t.Note())
    called = singular_and_plural(definition.title, name)
    return Thing(name, *called, "", "", note.source, note.origin, note.module)


def _thing(constants: Constants, kind: t.Kind, thing: t.Thing) -> Thing:
    linked, name = constants.linked, thing.name.word
    note = linked.resolved.book.notes.get(name, t.Note())
    called = singular_and_plural(thing.title, spell_name(name))
    text = thing_words(linked.resolved, thing)
    return Thing(name, *called, _caption(constants, kind, thing), text, note.source, note.origin, note.module)


def _caption(constants: Constants, kind: t.Kind, thing: t.Thing) -> str:
    """The fields marked `shown`, short."""
    linked, written = constants.linked, {f.name.word: f for f in thing.fields}
    parts = []
    for field in kind.fields:
        value = written.get(field.name.word)
        if field.shown and field.value is not None:
            parts.append(_titled(field.title, _derived(constants, kind, field, thing)))
        elif field.shown and value is not None:
            text = tell(linked.resolved, value.amounts).replace(" and ", ", ") if value.amounts else ""
            text = text or (tell(linked.resolved, value.expr) if value.expr is not None else value.text or "")
            parts.append(_titled(field.title, text))
    note = linked.resolved.book.notes.get(thing.name.word, t.Note())
    if note.origin in GUESSED:
        parts.append(spell_name(note.origin))
    return ", ".join(part for part in parts if part)


def _titled(title: str, text: str) -> str:
    """The value of a field behind its title; a number of what the title counts before it: `1 mile`."""
    one, many = split_title(title)
    if one != many and text.lstrip("-").isdecimal():
        return f"{text} {inflect(int(text), one, many)}"
    return f"{many} {text}".strip()


def _derived(constants: Constants, kind: t.Kind, field: t.FieldDef, thing: t.Thing) -> str:
    """The value of a derived field in words: things by their titles."""
    linked = constants.linked
    assert field.value is not None
    type_ = linked.typed.of(field.value)
    value = constants.field(kind.name.word, field.name.word)[linked.index(thing.name.word, kind.name.word)]
    if type_.shape == "truth":
        return "yes" if value else "no"
    if type_.shape not in ("set", "thing"):
        return str(value)
    things = linked.things.get(type_.kind, ())
    members = [i for i in range(len(things)) if (value >> i & 1 if type_.shape == "set" else value == i)]
    return join_words(singular_and_plural(things[i].title, things[i].name.word)[0] for i in members)


def round_stages(linked: Linked) -> tuple[Stage, ...]:
    """The stages of the round in which the game is played."""
    return stages(linked)


def settings(linked: Linked, layout: Layout) -> tuple[Setting, ...]:
    return tuple(
        Setting(d.name.word, d.title or d.name.word, layout.settings[d.name.word], d.value, d.truth, d.low, d.high)
        for d in linked.resolved.book.definitions.values()
        if isinstance(d, t.Setting)
    )
