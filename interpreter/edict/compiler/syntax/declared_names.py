"""The words that rules declare, as far as they could be read: for saying what a line that cannot be read may mean."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import SORTS, plurals
from edict.compiler.syntax.word_search import Findable
from edict.support.morphology import spell_name
from edict.support.text import to_slug

BUILT_IN = frozenset(SORTS.values())


def titles_of(definition: t.Definition) -> tuple[str, ...]:
    """What people call it, as names could be written: of one, and of many."""
    return tuple(to_slug(form) for form in definition.title.split("/") if form)


class Awaited(Findable, Protocol):
    """Something that rules may wait for; `values` are names and sorts of what comes along, `turn` is whether it comes
    in some player's turn."""

    @property
    def turn(self) -> bool: ...
    @property
    def edge(self) -> str: ...
    @property
    def values(self) -> tuple[tuple[str, str], ...]: ...


def no_moments() -> Sequence[Awaited]:
    """Of rules that are not known."""
    return ()


@dataclass(frozen=True)
class Declared:
    """The definitions of pages that were read; `moments` works out what rules may wait for, when somebody asks."""

    definitions: dict[str, t.Definition] = field(default_factory=dict)
    moments: Callable[[], Sequence[Awaited]] = field(default=no_moments, compare=False)

    @cached_property
    def fields(self) -> frozenset[str]:
        """Every field that a kind has."""
        kinds = (d for d in self.definitions.values() if isinstance(d, t.Kind))
        return frozenset(field.name.word for kind in kinds for field in kind.fields)

    def named(self, text: str) -> str:
        """The name that is written so, or in its plural; or nothing."""
        return text if text in self.definitions else self._plurals.get(text, text if text in self.fields else "")

    @cached_property
    def _plurals(self) -> dict[str, str]:
        return {form: name for name in self.definitions for form in plurals(name)}

    def meant(self, text: str) -> str:
        """The name that is meant by a name, plural or title, or nothing."""
        return text if text in self.definitions else next(iter(self._called.get(to_slug(spell_name(text)), ())), "")

    def meant_of_sorts(self, text: str, sorts: Sequence[str]) -> str:
        """The name that is meant by a name, plural or title where one of these sorts stands, or nothing.

        What is a name itself is no plural of another.
        """
        names = (name for name in self._called.get(text, ()) if self.fits(name, sorts))
        if text in self.definitions:
            names = (name for name in names if name == text or text in titles_of(self.definitions[name]))
        return next(names, "")

    @cached_property
    def _called(self) -> dict[str, list[str]]:
        """All that a word may mean: what is called so comes before what has it as a title."""
        called: dict[str, list[str]] = {}
        for form_of in (lambda d: (d.name.word.casefold(), *plurals(d.name.word)), titles_of):
            for name, definition in self.definitions.items():
                for form in form_of(definition):
                    called.setdefault(form, []).append(name)
        return called

    def shape(self, field: str) -> str:
        """The shape of the type of a field, or nothing."""
        kinds = (kind for kind in self.definitions.values() if isinstance(kind, t.Kind))
        fields = (declared for kind in kinds for declared in kind.fields if declared.name.word == field)
        return next((field.type.shape for field in fields if field.type is not None), "")

    def sort(self, name: str) -> str:
        """The word the definition of a name begins with: of a thing, its kind."""
        definition = self.definitions.get(name)
        return definition.kind.word if isinstance(definition, t.Thing) else SORTS.get(type(definition), "")

    def fits(self, name: str, sorts: Iterable[str]) -> bool:
        """Whether a name is of one of these sorts; `thing` is any thing, `any` is anything."""
        sort = self.sort(name)
        fitting = (sort, "any") if sort in BUILT_IN else (sort, "any", "thing")
        return bool(sort) and any(wanted in fitting for wanted in sorts)

    def example(self, field: str) -> str:
        """A line that gives a field a value, if some kind has such a field."""
        kinds = (kind for kind in self.definitions.values() if isinstance(kind, t.Kind))
        fields = (declared for kind in kinds for declared in kind.fields if declared.name.word == field)
        type_ = next((field.type for field in fields if field.type is not None), None)
        values = {"number": "3", "truth": "yes", "effect": "gain 1 RESOURCE", "amounts": "2 RESOURCE, 1 RESOURCE"}
        return f"{field} {values.get(type_.shape, 'NAME')}" if type_ is not None else ""

    def held(self, keep: str) -> str:
        """What a keep is: `number`, `truth` or another shape, or the kind of the one thing it may be."""
        definition = self.definitions.get(keep)
        if not isinstance(definition, t.Keep):
            return ""
        type_ = definition.type
        return type_.name.word if type_.shape == "thing" and type_.name is not None else type_.shape

    def lying(self, kind: str, shape: str) -> str:
        """The first keep of the whole table for one thing of a kind (`thing`), or for several (`set`); or nothing."""
        keeps = (keep for keep in self.definitions.values() if isinstance(keep, t.Keep) and not keep.params)
        typed = ((keep, keep.type) for keep in keeps if keep.type.shape == shape)
        return next((keep.name.word for keep, type in typed if type.name is not None and type.name.word == kind), "")

    def rule(self, action: str) -> str:
        """The first rule of an action, or of the first that has one, as exceptions name it."""
        actions = [action for action in self.definitions.values() if isinstance(action, t.Action) and action.rules]
        known = next((known for known in actions if known.name.word == action), next(iter(actions), None))
        return f"{known.name.word}.{known.rules[0].name.word}" if known is not None else "ACTION.RULE"

    def effects(self, kind: str) -> list[str]:
        """The fields of a kind, or of any kind, that hold steps."""
        kinds = (d for d in self.definitions.values() if isinstance(d, t.Kind) and kind in ("", d.name.word))
        fields = (field for kind in kinds for field in kind.fields if field.type and field.type.shape == "effect")
        return list(dict.fromkeys(field.name.word for field in fields))


def declared_in(pages: Iterable[t.Page]) -> Declared:
    """What these pages declare; of names declared twice, the first."""
    definitions: dict[str, t.Definition] = {}
    for page in pages:
        for definition in page.definitions:
            if not isinstance(definition, t.Amend | t.Remove_ | t.Retitle | t.Standalone):
                definitions.setdefault(definition.name.word, definition)
    return Declared(definitions)


NOTHING = Declared()
