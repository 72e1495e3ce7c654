"""Titles of what names mean in rules."""

from __future__ import annotations

from edict.compiler.semantics.symbols import Resolved, Symbol
from edict.compiler.syntax import tree as t
from edict.support.morphology import pluralize_title, spell_name, split_title, uncapitalize_title


def title_of(resolved: Resolved, name: t.Name, many: bool = False) -> str:
    """The title of what a name means, or the name itself."""
    return split_title(_both(resolved, name))[many]


def many_of(resolved: Resolved, name: t.Name) -> str:
    """The plural of a kind, resource or group."""
    return pluralize_title(_both(resolved, name))


def _both(resolved: Resolved, name: t.Name) -> str:
    """The title of what a name means, which may hold one and many."""
    meaning = resolved.meaning.get(name)
    definition = meaning.definition if isinstance(meaning, Symbol) else None
    title = definition.title if definition else field_title(resolved, meaning)
    return title or spell_name(name.word)


def field_title(resolved: Resolved, meaning: object) -> str:
    """How people call a field, if it is a field and has a title."""
    if not isinstance(meaning, Symbol) or meaning.sort != "field":
        return ""
    found = (field_of(resolved, kind, meaning.name) for kind in resolved.fields.get(meaning.name, ()))
    title = next((field.title for field in found if field and field.title and not _priced(field)), "")
    return title if title.isupper() else uncapitalize_title(title)


def _priced(field: t.FieldDef) -> bool:
    """Whether it holds amounts: the title of such a field is a verb, as in `costs 2 gold`."""
    return field.type is not None and field.type.shape == "amounts"


def field_of(resolved: Resolved, kind: str, field: str) -> t.FieldDef | None:
    """The declaration of a field in a kind."""
    definition = resolved.book.definitions.get(kind)
    fields = definition.fields if isinstance(definition, t.Kind) else ()
    return next((one for one in fields if one.name.word == field), None)
