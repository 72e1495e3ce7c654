"""Part of the pass `differing`: no two things of a kind may be alike in what the kind says is `unique`."""

from __future__ import annotations

from collections.abc import Iterator

from edict.compiler.lowering.constants import FieldConstants
from edict.compiler.semantics.link import LinkedBook
from edict.compiler.syntax import tree as t
from edict.support.morphology import quote_words
from edict.support.report import Diagnostic, Label, Outcome, RulesError
from edict.support.text import Span

Pair = tuple[t.Thing, t.Thing]
WITHOUT_VALUE = ("effect", "amounts")


def differing(linked: LinkedBook) -> Outcome[LinkedBook]:
    """The book as it is; an error for each thing that is like another one where it must not be."""
    constants = FieldConstants(linked)
    kinds = [d for d in linked.resolved.book.definitions.values() if isinstance(d, t.Kind)]
    try:
        found = [d for kind in kinds for unique in kind.unique for d in _alike(linked, constants, kind, unique)]
    except RulesError as unknown:  # of a field that is computed
        return Outcome(linked, unknown.diagnostics)
    return Outcome(linked, tuple(found))


def _alike(linked: LinkedBook, constants: FieldConstants, kind: t.Kind, unique: t.Unique) -> Iterator[Diagnostic]:
    fields = [field for name in unique.fields for field in kind.fields if field.name.word == name.word]
    shapes = [field.type.shape if field.type is not None else "" for field in fields]
    if any(shape in WITHOUT_VALUE for shape in shapes):
        yield _no_value(unique, next(f for f, shape in zip(fields, shapes, strict=True) if shape in WITHOUT_VALUE))
        return
    broken, others = list[Pair](), list[Pair]()
    for pair in _pairs(linked, constants, kind, fields, shapes):
        (broken if _is_broken(linked.resolved.book, unique, pair) else others).append(pair)
    if broken:
        yield _too_strict(kind, unique, broken)
    yield from (_twice(kind, unique, *pair) for pair in others)


def _pairs(
    linked: LinkedBook, constants: FieldConstants, kind: t.Kind, fields: list[t.FieldDef], shapes: list[str]
) -> Iterator[Pair]:
    """Each thing that is like an earlier one, with that one."""
    things, first = linked.things[kind.name.word], dict[tuple[int, ...], t.Thing]()
    tables = [constants.field_table(kind.name.word, field.name.word) for field in fields]
    values = dict(zip(things, zip(*tables, strict=True), strict=True))
    for thing in (d for d in linked.resolved.book.definitions.values() if d in values and isinstance(d, t.Thing)):
        nowhere = any(shape == "thing" and value < 0 for shape, value in zip(shapes, values[thing], strict=True))
        other = thing if nowhere else first.setdefault(values[thing], thing)
        if other is not thing:
            yield other, thing


def _is_broken(book: t.Book, unique: t.Unique, pair: Pair) -> bool:
    """Whether two things were alike before a module laid over theirs said that they must not be."""
    said = book.files.get(unique.span.file)
    return all(book.files.get(_place(thing, unique).file) != said for thing in pair)


def _too_strict(kind: t.Kind, unique: t.Unique, pairs: list[Pair]) -> Diagnostic:
    words, (first, second) = [name.word for name in unique.fields], pairs[0]
    two, more = f"`{first.name.word}` and `{second.name.word}`", len(pairs) - 1
    return Diagnostic(
        "E0534",
        f"{two} have the same {quote_words(words, 'and')}{f', and so do {more} more' if more else ''}",
        unique.span,
        note=f"No two things of the kind `{kind.name.word}` may be alike in this; these are declared in rules below.",
        labels=(Label(_place(first, unique), "one of them"), Label(_place(second, unique), "the other one")),
        help="name fields in which they differ, together if need be: `unique row, column`",
    )


def _twice(kind: t.Kind, unique: t.Unique, first: t.Thing, second: t.Thing) -> Diagnostic:
    words = [name.word for name in unique.fields]
    return Diagnostic(
        "E0534",
        f"`{first.name.word}` and `{second.name.word}` have the same {quote_words(words, 'and')}",
        _place(second, unique),
        note=f"No two things of the kind `{kind.name.word}` may be alike in this.",
        labels=(Label(_place(first, unique), "the first one"), Label(unique.span, "it is declared so")),
        help=f"give `{second.name.word}` another {quote_words(words)}, "
        f"or take one away: `remove {kind.name.word} NAME`",
    )


def _place(thing: t.Thing, unique: t.Unique) -> Span:
    """The first line of the thing that says one of these values, or its name where all are left out or computed."""
    words = {name.word for name in unique.fields}
    return next((field.span for field in thing.fields if field.name.word in words), thing.name.span)


def _no_value(unique: t.Unique, field: t.FieldDef) -> Diagnostic:
    return Diagnostic(
        "E0535",
        f"`{field.name.word}` has no value that could be unique",
        unique.span,
        labels=(Label(field.span, "it is declared so"),),
        help="name fields that hold a number, a truth, a thing or a set of things",
    )
