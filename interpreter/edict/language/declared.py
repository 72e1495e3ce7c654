"""The words that rules declare, as far as they could be read: for saying what a line that cannot be read may mean."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from edict.language import tree as t
from edict.language.sorts import SORTS, plurals

BUILT_IN = frozenset(SORTS.values())


def slug(text: str) -> str:
    """A title as a name could be written."""
    return "-".join("".join(c if c.isalnum() else " " for c in text.casefold().replace("'", "")).split())


def titles_of(definition: t.Definition) -> tuple[str, ...]:
    """What people call it, as names could be written: of one, and of many."""
    return tuple(slug(form) for form in definition.title.split("/") if form)


@dataclass(frozen=True)
class Declared:
    """The definitions of pages that were read."""

    definitions: dict[str, t.Definition] = field(default_factory=dict)

    @cached_property
    def _called(self) -> dict[str, str]:
        """Each name by what it may be called: itself, its plurals, its titles."""
        called: dict[str, str] = {}
        for name, definition in self.definitions.items():
            for form in (name.casefold(), *plurals(name), *titles_of(definition)):
                called.setdefault(form, name)
        return called

    @cached_property
    def fields(self) -> frozenset[str]:
        """Every field that a kind has."""
        kinds = (d for d in self.definitions.values() if isinstance(d, t.Kind))
        return frozenset(field.name.word for kind in kinds for field in kind.fields)

    def meant(self, text: str) -> str:
        """The name that is meant by a name, plural or title, or nothing."""
        return text if text in self.definitions else self._called.get(slug(text.replace("-", " ")), "")

    def sort(self, name: str) -> str:
        """The word the definition of a name begins with: of a thing, its kind."""
        definition = self.definitions.get(name)
        return definition.kind.word if isinstance(definition, t.Thing) else SORTS.get(type(definition), "")

    def fits(self, name: str, sorts: Iterable[str]) -> bool:
        """Whether a name is of one of these sorts; `thing` is any thing, `any` is anything."""
        sort = self.sort(name)
        return bool(sort) and any(one in (sort, "any") or one == "thing" and sort not in BUILT_IN for one in sorts)

    def example(self, field: str) -> str:
        """A line that gives a field a value, if some kind has such a field."""
        kinds = (one for one in self.definitions.values() if isinstance(one, t.Kind))
        fields = (one for kind in kinds for one in kind.fields if one.name.word == field)
        found = next((one.type for one in fields if one.type is not None), None)
        values = {"number": "3", "truth": "yes", "effect": "gain 1 RESOURCE", "amounts": "2 RESOURCE, 1 RESOURCE"}
        return f"{field} {values.get(found.shape, 'NAME')}" if found is not None else ""

    def effects(self, kind: str) -> list[str]:
        """The fields of a kind, or of any kind, that hold steps."""
        kinds = (d for d in self.definitions.values() if isinstance(d, t.Kind) and kind in ("", d.name.word))
        fields = (field for one in kinds for field in one.fields if field.type and field.type.shape == "effect")
        return list(dict.fromkeys(field.name.word for field in fields))


def declared_in(pages: Iterable[t.Page]) -> Declared:
    """What these pages declare; of names declared twice, the first."""
    found: dict[str, t.Definition] = {}
    for page in pages:
        for one in page.definitions:
            if not isinstance(one, t.Amend | t.Remove_ | t.Retitle | t.Standalone):
                found.setdefault(one.name.word, one)
    return Declared(found)


NOTHING = Declared()
