"""Bags are kept, and they hold things of a kind."""

from __future__ import annotations

from collections.abc import Iterator

from edict.language import tree as t
from edict.meaning.types import Typed
from edict.report import Diagnostic


def no_such_bag(typed: Typed) -> Iterator[Diagnostic]:
    for definition in typed.resolved.book.definitions.values():
        if isinstance(definition, t.Kind):
            yield from _fields(definition)
        elif isinstance(definition, t.Keep) and definition.type.shape == "bag":
            yield from _of_what(typed, definition)


def _fields(kind: t.Kind) -> Iterator[Diagnostic]:
    for field in kind.fields:
        if field.type is not None and field.type.shape == "bag":
            yield Diagnostic(
                "E0539", f"`{field.name.word}` cannot be a bag: what is written of a thing never changes",
                field.type.span, help=f"declare a keep: `keep {field.name.word} of {kind.name.word} as bag of ...`",
            )  # fmt: skip


def _of_what(typed: Typed, keep: t.Keep) -> Iterator[Diagnostic]:
    name = keep.type.name
    if name is not None and typed.resolved.of(name).sort != "kind":
        yield Diagnostic(
            "E0539", f"there is no bag of `{name.word}`", name.span, note="A bag holds things of a kind.",
            help="name a kind, or write `set of`",
        )  # fmt: skip
