"""Whole definitions to be filled in: a thing of each kind with the kind's fields."""

from __future__ import annotations

from collections.abc import Iterator

from edict.language import tree as t
from edict.words.titles import forms
from edict.service.understood import Understood
from edict.service.answer_types import Item

_GAPS = {"number": "1", "truth": "yes", "effect": "nothing", "amounts": "1 ", "dice": "no-dice"}


def snippets(known: Understood) -> Iterator[Item]:
    """A thing of every kind, with gaps for its name, title and the fields it must have."""
    for definition in known.definitions.values():
        if isinstance(definition, t.Kind):
            yield thing(definition)


def thing(kind: t.Kind) -> Item:
    """A thing of a kind as a snippet: `${1:name}` is the first gap."""
    word = kind.name.word
    needed = [field for field in kind.fields if field.type is not None and not field.optional]
    lines = [f'{word} ${{1:name}} "${{2:Title}}"']
    for number, field in enumerate(needed, 3):
        gap = _GAPS.get(field.type.shape, "") if field.type is not None else ""
        lines.append(f"  {field.name.word} ${{{number}:{gap}}}")
    title = forms(kind.title)[0] if kind.title else word
    return Item(word, "snippet", f"new {title}", text="\n".join([*lines, "$0"]), rank=2, snippet=True)
