"""Part of the pass `layer`: what becomes of a definition when another one amends it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any, TypeVar

from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import SORTS
from edict.compiler.syntax.printing.printed_definitions import printed
from edict.support.text import Span


def sort_of(definition: t.Definition) -> str:
    """The word a definition begins with: of a thing, its kind."""
    if isinstance(definition, t.Thing):
        return definition.kind.word
    return SORTS.get(type(definition), "exception")


def parts_of(new: t.Definition) -> Sequence[tuple[str, Span]]:
    """The parts of a definition that an amendment replaces, each with its place; "" is all of it."""
    title = [("title", new.name.span)] if new.title else []
    if isinstance(new, t.Thing | t.Kind):
        fields: tuple[Any, ...] = new.fields
        return [*title, *((field.name.word, field.name.span) for field in fields), *_extras(new)]
    if isinstance(new, t.Game):
        return [*title, *((line, _place(said)) for line, said in _said(new).items())]
    if isinstance(new, t.Action) and not _anew(new):
        then = [("then", new.then[0].span)] if new.then else []
        return [*title, *((rule.name.word, rule.name.span) for rule in new.rules), *then]
    return [("", new.name.span)]


def _anew(action: t.Action) -> bool:
    """Whether an amendment says what there is to choose, of which all else in an action speaks."""
    return bool(action.params or action.payment)


def _place(said: t.Node | t.Block) -> Span:
    return said[0].span if isinstance(said, tuple) else said.span


def _extras(new: t.Thing | t.Kind) -> list[tuple[str, Span]]:
    if isinstance(new, t.Thing):
        return [("text", new.text.span)] if new.text is not None else []
    order = [("in order of", new.order.span)] if new.order else []
    unique = [("unique", new.unique[0].span)] if new.unique else []
    return [*order, *unique, *([("works if", new.works_if.span)] if new.works_if else [])]


def amended(old: t.Definition, new: t.Definition) -> t.Definition:
    """The old definition with what the new one says; of most sorts the new one stands in its place."""
    titled = replace(new, title=new.title or old.title)
    if isinstance(old, t.Thing) and isinstance(new, t.Thing):
        return replace(
            old,
            title=titled.title,
            fields=_joined(old.fields, new.fields),
            abilities=old.abilities + new.abilities,
            text=new.text or (None if _told_anew(old, new) else old.text),
            before_text=_files(old) if new.text else old.before_text,
        )
    if isinstance(old, t.Kind) and isinstance(new, t.Kind):
        return replace(
            old,
            title=titled.title,
            fields=_joined(old.fields, _with_titles(old.fields, new.fields)),
            order=new.order or old.order,
            works_if=new.works_if or old.works_if,
            unique=new.unique or old.unique,
        )
    if isinstance(old, t.Game) and isinstance(new, t.Game):
        return replace(old, title=titled.title, **_said(new))
    if isinstance(old, t.Action) and isinstance(new, t.Action) and not _anew(new):
        return replace(old, title=titled.title, rules=_joined(old.rules, new.rules), then=new.then or old.then)
    return titled


def dropped(old: t.Definition, new: t.Definition) -> list[str]:
    """What an amendment leaves out of a phase, a routine or an action of which it says all anew, line by line.

    Nothing, if it repeats any of that: whoever does so knows.
    """
    if not (isinstance(new, t.Phase | t.Routine) or isinstance(new, t.Action) and _anew(new)):
        return []
    lines, said = _done(old), _done(new)
    return [] if {*lines} & {*said} else lines


def _done(definition: t.Definition) -> list[str]:
    """Its rules by their names, and of its steps the lines below which nothing stands."""
    rules: tuple[t.Rule, ...] = ()
    block = getattr(definition, "block", ())
    if isinstance(definition, t.Action):
        rules, block = definition.rules, definition.then
    lines = printed(block)
    pairs = zip_longest(lines, lines[1:])
    inner = [line for line, below in pairs if below is None or below.depth <= line.depth]
    steps = [line.text for line in inner if not isinstance(line.node, t.Nothing)]
    return [*(f"rule {rule.name.word}" for rule in rules), *steps]


def _files(thing: t.Thing) -> tuple[str, ...]:
    """Where what a thing does is written."""
    return tuple(dict.fromkeys(part.span.file for part in (*thing.fields, *thing.abilities)))


def _told_anew(old: t.Thing, new: t.Thing) -> bool:
    """Whether an effect is replaced of which the author's words may speak."""
    effects = {field.name.word for field in old.fields if field.block}
    return any(field.name.word in effects for field in new.fields)


def _said(game: t.Game) -> dict[str, Any]:
    """The lines of a game that are written."""
    lines = ("players", "order", "ask_gains", "winners", "score", "judge", "course")
    return {name: value for name in lines if (value := getattr(game, name))}


F = TypeVar("F", t.FieldValue, t.FieldDef, t.Rule)


def _with_titles(old: tuple[t.FieldDef, ...], new: tuple[t.FieldDef, ...]) -> tuple[t.FieldDef, ...]:
    """Fields that are declared anew keep their titles, unless they have new ones."""
    titles = {field.name.word: field.title for field in old if field.title}
    untitled = (not field.title and field.name.word in titles for field in new)
    return tuple(
        replace(field, title=titles[field.name.word]) if lacks else field
        for field, lacks in zip(new, untitled, strict=True)
    )


def _joined(old: tuple[F, ...], new: tuple[F, ...]) -> tuple[F, ...]:
    """The old fields or rules, those of the new name replaced, and after them those that are new."""
    changed = {field.name.word: field for field in new}
    kept = tuple(changed.pop(field.name.word, field) for field in old)
    return kept + tuple(changed.values())
