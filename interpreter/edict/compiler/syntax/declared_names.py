"""The names that rules declare, used to interpret lines that cannot be parsed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import SORTS, list_inflected_forms
from edict.compiler.syntax.word_search import Searchable
from edict.support.morphology import spell_name
from edict.support.text import to_slug

DEFINITION_SORTS = frozenset(SORTS.values())


def title_slugs(definition: t.Definition) -> tuple[str, ...]:
    """Return the singular and plural title of a definition, spelled like names."""
    return tuple(to_slug(form) for form in definition.title.split("/") if form)


class AwaitableEvent(Searchable, Protocol):
    """An event that rules can wait for."""

    @property
    def turn(self) -> bool:
        """True if it happens in the turn of some player."""

    @property
    def edge(self) -> str:
        """The word in front of the name, such as `start` or `leaving`."""

    @property
    def values(self) -> tuple[tuple[str, str], ...]:
        """Names and sorts of the values that come with it."""


def no_events() -> Sequence[AwaitableEvent]:
    """Return no events, as for rules that are not known."""
    return ()


@dataclass(frozen=True)
class DeclaredNames:
    """The definitions of parsed pages, by name."""

    definitions: dict[str, t.Definition] = field(default_factory=dict)
    # computes the events that rules can wait for
    moments: Callable[[], Sequence[AwaitableEvent]] = field(default=no_events, compare=False)

    @cached_property
    def field_names(self) -> frozenset[str]:
        """The names of all fields of kinds."""
        return frozenset(field.name.word for kind in self.definitions.values() for field in declared_fields(kind))

    def find_name(self, text: str) -> str:
        """Return the declared name that a word is, or is a plural of, or ""."""
        if text in self.definitions:
            return text
        return self._plurals.get(text, text if text in self.field_names else "")

    @cached_property
    def _plurals(self) -> dict[str, str]:
        """The declared names by their inflected forms: `enemies` gives `enemy`."""
        return {form: name for name in self.definitions for form in list_inflected_forms(name)}

    def resolve_word(self, text: str) -> str:
        """Return the declared name that is meant by a name, plural or title, or ""."""
        if text in self.definitions:
            return text
        return next(iter(self._names_by_word.get(to_slug(spell_name(text)), ())), "")

    def resolve_word_of_sorts(self, text: str, sorts: Sequence[str]) -> str:
        """Return the declared name of certain sorts that is meant by a name, plural or title, or "".

        A word that is a name itself is not taken as the plural of another.
        """
        names = (name for name in self._names_by_word.get(text, ()) if self.has_sort(name, sorts))
        if text in self.definitions:
            names = (name for name in names if name == text or text in title_slugs(self.definitions[name]))
        return next(names, "")

    @cached_property
    def _names_by_word(self) -> dict[str, list[str]]:
        """Declared names by the words that may mean them; names and plurals come before titles."""
        result: dict[str, list[str]] = {}
        for list_forms in (lambda d: (d.name.word.casefold(), *list_inflected_forms(d.name.word)), title_slugs):
            for name, definition in self.definitions.items():
                for form in list_forms(definition):
                    result.setdefault(form, []).append(name)
        return result

    def field_shape(self, field: str) -> str:
        """Return the shape of a field's type, or ""."""
        fields = (one for kind in self.definitions.values() for one in declared_fields(kind) if one.name.word == field)
        return next((field.type.shape for field in fields if field.type is not None), "")

    def sort_of(self, name: str) -> str:
        """Return the keyword of a name's definition, or the kind of a thing; "" if unknown."""
        definition = self.definitions.get(name)
        if isinstance(definition, t.Thing):
            return definition.kind.word
        return definition.sort if definition is not None else ""

    def has_sort(self, name: str, sorts: Iterable[str]) -> bool:
        """Return True if a name is of one of these sorts; `thing` stands for any thing, `any` for any name."""
        sort = self.sort_of(name)
        accepted = (sort, "any") if sort in DEFINITION_SORTS else (sort, "any", "thing")
        return bool(sort) and any(wanted in accepted for wanted in sorts)

    def example_field_line(self, field: str) -> str:
        """Return an example of a line that sets a field, or "" if no kind has the field."""
        fields = (one for kind in self.definitions.values() for one in declared_fields(kind) if one.name.word == field)
        field_type = next((field.type for field in fields if field.type is not None), None)
        values = {"number": "3", "truth": "yes", "effect": "gain 1 RESOURCE", "amounts": "2 RESOURCE, 1 RESOURCE"}
        if field_type is not None:
            kind = field_type.name.word if field_type.shape == "thing" and field_type.name is not None else ""
            things = (
                name
                for name, definition in self.definitions.items()
                if isinstance(definition, t.Thing) and definition.kind.word == kind
            )
            return f"{field} {values.get(field_type.shape) or next(things, 'NAME')}"
        return ""

    def keep_kind(self, keep: str) -> str:
        """Return the kind of what a state variable holds, or ""."""
        definition = self.definitions.get(keep)
        return definition.type.name.word if isinstance(definition, t.Keep) and definition.type.name is not None else ""

    def list_effect_fields(self, kind: str) -> list[str]:
        """Return the fields of a kind that hold steps; of all kinds if `kind` is ""."""
        kinds = (definition for definition in self.definitions.values() if kind in ("", definition.name.word))
        fields = (field for kind in kinds for field in declared_fields(kind))
        return list(dict.fromkeys(one.name.word for one in fields if one.type and one.type.shape == "effect"))


def declared_fields(definition: t.Definition | None) -> tuple[t.FieldDef, ...]:
    """Return the fields that a definition declares; empty unless it is a kind."""
    return definition.fields if isinstance(definition, t.Kind) else ()


def collect_declared_names(pages: Iterable[t.Page]) -> DeclaredNames:
    """Return the names that pages declare; of duplicates, the first."""
    definitions: dict[str, t.Definition] = {}
    for page in pages:
        for definition in page.definitions:
            if not isinstance(definition, t.Amend | t.Remove_ | t.Retitle | t.Standalone):
                definitions.setdefault(definition.name.word, definition)
    return DeclaredNames(definitions)


NOTHING_DECLARED = DeclaredNames()
