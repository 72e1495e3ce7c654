"""Titles of names in rules."""

from __future__ import annotations

from edict.compiler.semantics.symbols import ResolvedBook, Symbol
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.declared_names import declared_fields
from edict.support.morphology import pluralize_title, spell_name, split_title, uncapitalize_title


def title_of(resolved: ResolvedBook, name: t.Name, many: bool = False) -> str:
    """Return the title of what a name means, or the name spelled out, in the singular or plural."""
    return split_title(_full_title_of(resolved, name))[many]


def plural_of(resolved: ResolvedBook, name: t.Name) -> str:
    """Return the plural of the title of a kind, resource or group."""
    return pluralize_title(_full_title_of(resolved, name))


def _full_title_of(resolved: ResolvedBook, name: t.Name) -> str:
    """Return the title of what a name means, which may have the form `singular/plural`."""
    meaning = resolved.meaning.get(name)
    definition = meaning.definition if isinstance(meaning, Symbol) else None
    title = definition.title if definition else field_title(resolved, meaning)
    return title or spell_name(name.word)


def field_title(resolved: ResolvedBook, meaning: object) -> str:
    """Return the title of a field; empty for other meanings and for fields without one."""
    if not isinstance(meaning, Symbol) or meaning.sort != "field":
        return ""
    definitions = (get_field(resolved, kind, meaning.name) for kind in resolved.fields.get(meaning.name, ()))
    title = next((field.title for field in definitions if field and field.title and not _has_amounts(field)), "")
    return title if title.isupper() else uncapitalize_title(title)


def _has_amounts(field: t.FieldDef) -> bool:
    """Return True for a field of amounts, whose title is a verb, as in `costs 2 gold`."""
    return field.type is not None and field.type.shape == "amounts"


def get_field(resolved: ResolvedBook, kind: str, field: str) -> t.FieldDef | None:
    """Return the declaration of a field in a kind, if there is one."""
    definition = resolved.book.definitions.get(kind)
    return next((field_ for field_ in declared_fields(definition) if field_.name.word == field), None)
