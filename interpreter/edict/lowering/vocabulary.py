"""The words that go with a program: kinds, things, settings."""

from __future__ import annotations

from edict.language import tree as t
from edict.lowering.constants import Constants
from edict.lowering.layout import Layout, words
from edict.meaning.judgement import judgement_of
from edict.meaning.link import Linked
from edict.program import Kind, Setting, Thing
from edict.words import bundle_words, expr_words, joined, thing_words

# Origins that are shown beside a thing wherever it is offered: what is played may differ from what is printed.
GUESSED = ("single-source", "reconstructed", "original")


def kinds(linked: Linked, constants: Constants) -> tuple[Kind, ...]:
    """Players and resources, then every kind of the book."""
    resources = tuple(_resource(linked, d) for d in linked.resources)
    found = [Kind("player", "player", "players", ()), Kind("resource", "resource", "resources", resources)]
    judgement = judgement_of(linked)
    for name, things in linked.things.items():
        definition: t.Kind = linked.resolved.get(name)
        one, many = words(definition.title, name)
        plural = many if many != one else one + "s"
        found.append(Kind(name, one, plural, tuple(_thing(constants, definition, judgement.thing(x)) for x in things)))
    return tuple(found)


def _resource(linked: Linked, definition: t.Definition) -> Thing:
    name = definition.name.word
    note = linked.resolved.book.notes.get(name, t.Note())
    return Thing(name, words(definition.title, name)[0], "", "", note.source, note.origin, note.module)


def _thing(constants: Constants, kind: t.Kind, thing: t.Thing) -> Thing:
    linked, name = constants.linked, thing.name.word
    note = linked.resolved.book.notes.get(name, t.Note())
    title = thing.title or name.replace("-", " ")
    text = thing_words(linked.resolved, thing)
    return Thing(name, title, _caption(constants, kind, thing), text, note.source, note.origin, note.module)


def _caption(constants: Constants, kind: t.Kind, thing: t.Thing) -> str:
    """The fields marked `shown`, short."""
    linked, written = constants.linked, {f.name.word: f for f in thing.fields}
    parts = []
    for field in kind.fields:
        value = written.get(field.name.word)
        if field.shown and field.value is not None:
            parts.append(_derived(constants, kind, field, thing))
        elif field.shown and value is not None:
            text = bundle_words(linked.resolved, value.amounts).replace(" and ", ", ") if value.amounts else ""
            text = text or (expr_words(linked.resolved, value.expr) if value.expr is not None else value.text or "")
            parts.append(f"{field.title} {text}".strip() if field.title else text)
    note = linked.resolved.book.notes.get(thing.name.word, t.Note())
    if note.origin in GUESSED:
        parts.append(note.origin.replace("-", " "))
    return ", ".join(part for part in parts if part)


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
    return joined(things[i].title or things[i].name.word for i in members)


def settings(linked: Linked, layout: Layout) -> tuple[Setting, ...]:
    return tuple(
        Setting(d.name.word, d.title or d.name.word, layout.settings[d.name.word], d.value, d.truth, d.low, d.high)
        for d in linked.resolved.book.definitions.values()
        if isinstance(d, t.Setting)
    )
