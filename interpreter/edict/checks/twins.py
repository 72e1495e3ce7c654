"""Rules without a name that are written twice: what they do happens twice, which hardly anybody means."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from edict.checks.excluding import Key, Reader
from edict.language import tree as t
from edict.meaning.types import Typed
from edict.report import Diagnostic, Label


def twins(typed: Typed) -> Iterator[Diagnostic]:
    """Within a thing, and within the files of a folder; what lies over other rules may well add the same again."""
    book = typed.resolved.book
    folders: dict[str, list[t.Ability]] = {}
    for one in book.standalone:
        folders.setdefault(one.span.file.rpartition("/")[0], []).append(one.ability)
    things = (one.abilities for one in book.definitions.values() if isinstance(one, t.Thing))
    for some in (*folders.values(), *things):
        yield from _twice(Reader(typed.resolved), some)


def _twice(same: Reader, some: Iterable[t.Ability]) -> Iterator[Diagnostic]:
    written: dict[Key, list[t.Ability]] = {}
    for one in some:
        if isinstance(one, t.When | t.Adjust):
            written.setdefault(same.key(one), []).append(one)
    for first, *others in written.values():
        for one in others if len(others) == 1 else ():  # whoever writes it many times knows
            yield Diagnostic(
                "E0555", "this is written twice, and so happens twice", one.span, severity="warning",
                labels=(Label(first.span, "it is written here too"),), help="make them differ, or delete one",
            )  # fmt: skip
