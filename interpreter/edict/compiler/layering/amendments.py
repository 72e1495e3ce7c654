"""Amendments of definitions, a part of the pass `layer`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any, TypeVar

from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import SORTS
from edict.compiler.syntax.printing.definition_printer import print_lines
from edict.support.text import Span


def sort_of(definition: t.Definition) -> str:
    """Return the word with which a definition begins, or the kind of a thing."""
    if isinstance(definition, t.Thing):
        return definition.kind.word
    return SORTS.get(type(definition), "exception")


def list_amended_parts(new: t.Definition) -> Sequence[tuple[str, Span]]:
    """Return (part, place) for each field, line or rule that an amendment sets; ("", place) if it replaces all."""
    title = [("title", new.name.span)] if new.title else []
    if isinstance(new, t.Thing | t.Kind):
        fields: tuple[Any, ...] = new.fields
        return [*title, *((field.name.word, field.name.span) for field in fields), *_list_extra_lines(new)]
    if isinstance(new, t.Game):
        return [*title, *((line, _span_of(value)) for line, value in _game_lines(new).items())]
    if isinstance(new, t.Action) and not _redefines_choices(new):
        then = [("then", new.then[0].span)] if new.then else []
        return [*title, *((rule.name.word, rule.name.span) for rule in new.rules), *then]
    return [("", new.name.span)]


def _redefines_choices(action: t.Action) -> bool:
    """Return True if an amendment sets the choices of an action, to which everything else in it refers."""
    return bool(action.params or action.payment)


def _span_of(value: t.Node | t.Block) -> Span:
    """Return the span of a node, or of the first step of a block."""
    return value[0].span if isinstance(value, tuple) else value.span


def _list_extra_lines(new: t.Thing | t.Kind) -> list[tuple[str, Span]]:
    """Return what a thing or kind sets besides fields (`text`, `in order of`, `unique`, ...), with spans."""
    if isinstance(new, t.Thing):
        return [("text", new.text.span)] if new.text is not None else []
    order = [("in order of", new.order.span)] if new.order else []
    unique = [("unique", new.unique[0].span)] if new.unique else []
    return [*order, *unique, *([("works if", new.works_if.span)] if new.works_if else [])]


def apply_amendment(old: t.Definition, new: t.Definition) -> t.Definition:
    """Return the old thing, kind, game or action with the parts of the new one; other sorts are replaced."""
    titled = replace(new, title=new.title or old.title)
    if isinstance(old, t.Thing) and isinstance(new, t.Thing):
        return replace(
            old,
            title=titled.title,
            fields=_merge_by_name(old.fields, new.fields),
            abilities=old.abilities + new.abilities,
            text=new.text or (None if _replaces_effect(old, new) else old.text),
            before_text=_list_files(old) if new.text else old.before_text,
        )
    if isinstance(old, t.Kind) and isinstance(new, t.Kind):
        return replace(
            old,
            title=titled.title,
            fields=_merge_by_name(old.fields, _inherit_titles(old.fields, new.fields)),
            order=new.order or old.order,
            works_if=new.works_if or old.works_if,
            unique=new.unique or old.unique,
        )
    if isinstance(old, t.Game) and isinstance(new, t.Game):
        return replace(old, title=titled.title, **_game_lines(new))
    if isinstance(old, t.Action) and isinstance(new, t.Action) and not _redefines_choices(new):
        return replace(old, title=titled.title, rules=_merge_by_name(old.rules, new.rules), then=new.then or old.then)
    return titled


def find_dropped_lines(old: t.Definition, new: t.Definition) -> list[str]:
    """Return the lines of a phase, a routine or an action that an amendment replaces completely and omits.

    The result is empty if the amendment repeats any of them, since that shows that the omission is intended.
    """
    if not (isinstance(new, t.Phase | t.Routine) or isinstance(new, t.Action) and _redefines_choices(new)):
        return []
    lines, new_lines = _list_rules_and_steps(old), _list_rules_and_steps(new)
    return [] if {*lines} & {*new_lines} else lines


def _list_rules_and_steps(definition: t.Definition) -> list[str]:
    """Return the rules of a definition by name, and those lines of its steps that have no lines below them."""
    rules: tuple[t.Rule, ...] = ()
    block = getattr(definition, "block", ())
    if isinstance(definition, t.Action):
        rules, block = definition.rules, definition.then
    lines = print_lines(block)
    pairs = zip_longest(lines, lines[1:])
    inner = [line for line, following in pairs if following is None or following.depth <= line.depth]
    steps = [line.text for line in inner if not isinstance(line.node, t.Nothing)]
    return [*(f"rule {rule.name.word}" for rule in rules), *steps]


def _list_files(thing: t.Thing) -> tuple[str, ...]:
    """Return the names of the files in which a thing's fields and abilities stand, each once."""
    return tuple(dict.fromkeys(part.span.file for part in (*thing.fields, *thing.abilities)))


def _replaces_effect(old: t.Thing, new: t.Thing) -> bool:
    """Return True if the new thing sets a field that holds steps in the old one, so its text may be outdated."""
    effects = {field.name.word for field in old.fields if field.block}
    return any(field.name.word in effects for field in new.fields)


def _game_lines(game: t.Game) -> dict[str, Any]:
    """Return the lines that a `game` definition sets, by the names of their attributes, such as `order` and `score`."""
    lines = ("players", "order", "ask_gains", "winners", "score", "judge", "course")
    return {name: value for name in lines if (value := getattr(game, name))}


F = TypeVar("F", t.FieldValue, t.FieldDef, t.Rule)


def _inherit_titles(old: tuple[t.FieldDef, ...], new: tuple[t.FieldDef, ...]) -> tuple[t.FieldDef, ...]:
    """Return new fields, with the titles of the old ones where they have none."""
    titles = {field.name.word: field.title for field in old if field.title}
    lack_title = (not field.title and field.name.word in titles for field in new)
    return tuple(
        replace(field, title=titles[field.name.word]) if lacks_title else field
        for field, lacks_title in zip(new, lack_title, strict=True)
    )


def _merge_by_name(old: tuple[F, ...], new: tuple[F, ...]) -> tuple[F, ...]:
    """Return the old fields or rules, with those of a new one's name replaced, followed by the other new ones."""
    changed = {field.name.word: field for field in new}
    merged = tuple(changed.pop(field.name.word, field) for field in old)
    return merged + tuple(changed.values())
