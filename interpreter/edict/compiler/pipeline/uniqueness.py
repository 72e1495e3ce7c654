"""Uniqueness of things in the fields that their kind declares `unique`; a part of the pass `check_uniqueness`."""

from __future__ import annotations

from collections.abc import Iterator

from edict.compiler.lowering.constants import FieldConstants
from edict.compiler.semantics.link import LinkedBook
from edict.compiler.syntax import tree as t
from edict.support.morphology import quote_words
from edict.support.report import Diagnostic, Label, Outcome, RulesError
from edict.support.text import Span

ThingPair = tuple[t.Thing, t.Thing]
SHAPES_WITHOUT_VALUE = ("effect", "amounts")


def check_uniqueness(linked: LinkedBook) -> Outcome[LinkedBook]:
    """Return the linked rules, with an error for each thing that equals another one in its unique fields."""
    constants = FieldConstants(linked)
    diagnostics = list[Diagnostic]()
    try:
        for kind in linked.resolved.book.select(t.Kind):
            for unique in kind.unique:
                diagnostics += _check_unique_line(linked, constants, kind, unique)
    except RulesError as unknown:  # a field is computed and cannot be evaluated
        return Outcome(linked, unknown.diagnostics)
    return Outcome(linked, tuple(diagnostics))


def _check_unique_line(
    linked: LinkedBook, constants: FieldConstants, kind: t.Kind, unique: t.Unique
) -> Iterator[Diagnostic]:
    """Yield the errors of one `unique` line: fields without a comparable value, or things that are equal in them."""
    fields = [field for name in unique.fields for field in kind.fields if field.name.word == name.word]
    shapes = [field.type.shape if field.type is not None else "" for field in fields]
    if any(shape in SHAPES_WITHOUT_VALUE for shape in shapes):
        yield _no_value_diagnostic(
            unique,
            next(candidate for candidate, shape in zip(fields, shapes, strict=True) if shape in SHAPES_WITHOUT_VALUE),
        )
        return
    pairs_below, real_pairs = list[ThingPair](), list[ThingPair]()
    for pair in _find_equal_pairs(linked, constants, kind, fields, shapes):
        (pairs_below if _predates_rule(linked.resolved.book, unique, pair) else real_pairs).append(pair)
    if pairs_below:
        yield _too_strict_diagnostic(kind, unique, pairs_below)
    yield from (_equal_things_diagnostic(kind, unique, *pair) for pair in real_pairs)


def _find_equal_pairs(
    linked: LinkedBook, constants: FieldConstants, kind: t.Kind, fields: list[t.FieldDef], shapes: list[str]
) -> Iterator[ThingPair]:
    """Yield each thing that equals an earlier one in the fields, behind that one."""
    things, first_by_values = linked.things[kind.name.word], dict[tuple[int, ...], t.Thing]()
    tables = [constants.field_table(kind.name.word, field.name.word) for field in fields]
    values = dict(zip(things, zip(*tables, strict=True), strict=True))
    for thing in (
        definition
        for definition in linked.resolved.book.definitions.values()
        if definition in values and isinstance(definition, t.Thing)
    ):
        has_no_thing = any(shape == "thing" and value < 0 for shape, value in zip(shapes, values[thing], strict=True))
        other = thing if has_no_thing else first_by_values.setdefault(values[thing], thing)
        if other is not thing:
            yield other, thing


def _predates_rule(book: t.Book, unique: t.Unique, pair: ThingPair) -> bool:
    """Return True if neither thing's value is from the module that declares the fields unique."""
    declaring_module = book.files.get(unique.span.file)
    return all(book.files.get(_value_span(thing, unique).file) != declaring_module for thing in pair)


def _too_strict_diagnostic(kind: t.Kind, unique: t.Unique, pairs: list[ThingPair]) -> Diagnostic:
    """Return the error at a `unique` line for things of lower modules that are equal already (first pair shown)."""
    words, (first, second) = [name.word for name in unique.fields], pairs[0]
    names, count_more = f"`{first.name.word}` and `{second.name.word}`", len(pairs) - 1
    return Diagnostic(
        "E0534",
        f"{names} have the same {quote_words(words, 'and')}{f', and so do {count_more} more' if count_more else ''}",
        unique.span,
        note=f"No two things of the kind `{kind.name.word}` may be the same in this; these are declared in "
        f"other rules.",
        labels=(Label(_value_span(first, unique), "one of them"), Label(_value_span(second, unique), "the other one")),
        help="name fields that differ, several if needed: `unique row, column`",
    )


def _equal_things_diagnostic(kind: t.Kind, unique: t.Unique, first: t.Thing, second: t.Thing) -> Diagnostic:
    """Return the error at the second of two things that are equal in the fields of a `unique` line."""
    words = [name.word for name in unique.fields]
    return Diagnostic(
        "E0534",
        f"`{first.name.word}` and `{second.name.word}` have the same {quote_words(words, 'and')}",
        _value_span(second, unique),
        note=f"No two things of the kind `{kind.name.word}` may be the same in this.",
        labels=(Label(_value_span(first, unique), "the first one"), Label(unique.span, "declared")),
        help=f"give `{second.name.word}` another {quote_words(words)}, or remove one: `remove {kind.name.word} NAME`",
    )


def _value_span(thing: t.Thing, unique: t.Unique) -> Span:
    """Return the span of a thing's first line for one of these fields, or of its name if there is none."""
    words = {name.word for name in unique.fields}
    return next((field.span for field in thing.fields if field.name.word in words), thing.name.span)


def _no_value_diagnostic(unique: t.Unique, field: t.FieldDef) -> Diagnostic:
    """Return the error for a `unique` line that names a field without a comparable value, such as an effect."""
    return Diagnostic(
        "E0535",
        f"`{field.name.word}` cannot be unique",
        unique.span,
        labels=(Label(field.span, "declared"),),
        help="name fields that hold a number, a truth, a thing or a set of things",
    )
