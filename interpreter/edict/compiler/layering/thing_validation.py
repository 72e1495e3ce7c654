"""The pass `validate_things`, which validates each thing, as plain data, against the JSON Schema of its kind.

The schemas are derived from the `kind` declarations of the rules.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain
from typing import Any

from edict.compiler.layering import thing_json
from edict.compiler.layering.amendments import OrphanedReferences
from edict.compiler.layering.suggestions import (
    NameCandidates,
    suggest_for_wrong_sort,
    suggest_name,
    suggest_similar,
    unknown_kind_diagnostic,
)
from edict.compiler.layering.thing_json import ThingData, describe_type, get_kind, to_data
from edict.compiler.sources.json_schema import count_findings, create_validator, group_errors, is_valid, limit_findings
from edict.compiler.sources.written_data import Path
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.automaton import statement_words
from edict.compiler.syntax.declared_names import DeclaredNames
from edict.compiler.syntax.nouns import SORTS
from edict.support.morphology import add_indefinite_article, quote_words
from edict.support.report import Diagnostic, Edit, Label, Outcome, find_nearest, find_unambiguous
from edict.support.text import to_slug

DIALECT = "https://json-schema.org/draft/2020-12/schema"


# --- schemas -----------------------------------------------------------------------------------


def derive_kind_schema(kind: t.Kind, book: t.Book) -> dict[str, Any]:
    """Return the JSON Schema of a kind, as plain JSON for editors."""
    written_fields = [field for field in kind.fields if field.type is not None]
    return {
        "$schema": DIALECT,
        "title": kind.title or kind.name.word,
        "type": "object",
        "required": ["kind", "name", "fields"],
        "additionalProperties": False,
        "properties": {
            "kind": {"const": kind.name.word},
            "name": {"type": "string"},
            "title": {"type": "string"},
            "fields": {
                "type": "object",
                "required": [field.name.word for field in written_fields if not field.optional],
                "additionalProperties": False,
                "properties": {field.name.word: thing_json.field_schema(field, book) for field in written_fields},
            },
            "abilities": {"type": "array", "items": {"type": "object", "required": ["ability"]}},
        },
    }


# --- things ------------------------------------------------------------------------------------


def validate_things(book: t.Book) -> Outcome[t.Book]:
    """Validate every thing of the book against the schema of its kind."""
    schemas: dict[str, str] = {}
    diagnostics: list[Diagnostic] = []
    orphans = OrphanedReferences(book)
    for definition in book.definitions.values():
        if not isinstance(definition, t.Thing):
            continue
        kind = get_kind(definition, book)
        if kind is None and orphans.record_use(definition.kind.word, definition.kind.span):
            continue
        if kind is None:
            diagnostics += limit_findings(
                map(unknown_kind_diagnostic, (definition,), (book.definitions,)), 1, definition.span, len(diagnostics)
            )
            continue
        if kind.name.word not in schemas:
            schemas[kind.name.word] = json.dumps(derive_kind_schema(kind, book))
        if not _is_valid(definition, kind, schemas[kind.name.word]):
            diagnostics += _validate_thing(
                definition, kind, book, _get_validator(schemas[kind.name.word]), len(diagnostics), orphans
            )
    return Outcome(book, (*diagnostics, *orphans.iter_diagnostics()))


@lru_cache(maxsize=64)
def _parse_schema(text: str) -> Any:
    return json.loads(text)


@lru_cache(maxsize=64)
def _get_validator(text: str) -> Any:
    return create_validator(_parse_schema(text))


@lru_cache(maxsize=4096)
def _is_valid(thing: t.Thing, kind: t.Kind, schema: str) -> bool:
    """Return True if a thing satisfies the schema (JSON text) of its kind; cached."""
    thing_data = to_data(thing, kind)
    return not thing_data.diagnostics and is_valid(thing_data.data, _parse_schema(schema))


def _validate_thing(
    thing: t.Thing, kind: t.Kind, book: t.Book, validator: Any, before: int, orphans: OrphanedReferences
) -> list[Diagnostic]:
    """Return the diagnostics of a thing; `before` is the number of diagnostics so far."""
    thing_data = to_data(thing, kind)
    places = group_errors(validator.iter_errors(thing_data.data))
    errors = [
        (path, err)
        for path, errors_there in places.items()
        for err in errors_there
        if not _is_about_removed_name(err, path, thing_data, orphans)
        and (err.validator != "required" or _missing_fields(err, thing_data, kind))
    ]
    diagnostics = (
        diagnostic for path, error in errors for diagnostic in _describe_error(error, path, thing_data, kind, book)
    )
    count = len(thing_data.diagnostics) + sum(count_findings(error) for _, error in errors)
    return limit_findings(chain(thing_data.diagnostics, diagnostics), count, thing.span, before)


def _is_about_removed_name(error: Any, path: Path, thing_data: ThingData, orphans: OrphanedReferences) -> bool:
    """Return True if an error is only about names that a module removed; these uses are recorded in `orphans`."""
    if error.validator == "additionalProperties" and len(path) > 1:
        unknown = [key for key in error.instance if key not in error.schema["properties"]]
        removed = [key for key in unknown if orphans.record_use(key, thing_data.span_of((*path, key)))]
        return removed == unknown
    value = thing_data.value_at(path) if error.validator == "enum" else None
    return isinstance(value, str) and orphans.record_use(value, thing_data.span_of(path))


def _describe_error(error: Any, path: Path, thing_data: ThingData, kind: t.Kind, book: t.Book) -> Iterator[Diagnostic]:
    """Yield the diagnostics of a jsonschema error: missing fields, unknown fields, or an unfit value."""
    if error.validator == "required":
        yield _missing_diagnostic(_missing_fields(error, thing_data, kind), thing_data, kind)
    elif error.validator == "additionalProperties":
        for key in error.instance:
            if key not in error.schema["properties"]:
                yield _unknown_key_diagnostic(key, (*path, key), thing_data, kind, book)
    else:
        yield _unfit_value_diagnostic(error, path, thing_data, kind, book)


def _missing_fields(error: Any, thing_data: ThingData, kind: t.Kind) -> list[str]:
    """Return the required fields that are missing, also under similar names."""
    return sorted(
        set(error.validator_value) - set(error.instance) - set(_match_unknown_fields(thing_data, kind).values())
    )


def _match_unknown_fields(thing_data: ThingData, kind: t.Kind) -> dict[str, str]:
    """Return unknown field names with the missing fields that they probably mean, by title or spelling."""
    names = {field.name.word for field in kind.fields}
    present = thing_data.data["fields"]
    missing = (field for field in kind.fields if field.type is not None and field.name.word not in present)
    missing_by_title = {
        to_slug(label): field.name.word for field in missing for label in (field.title, field.name.word) if label
    }
    unknown = [key for key in thing_data.names if key not in names and key not in thing_json.PROVENANCE_FIELDS]
    effects = [name for name in _effect_fields(kind) if name in missing_by_title.values()]
    by_step = {key: effects[0] for key in unknown if key in statement_words() and effects}
    similar = {key: key if key in missing_by_title else find_nearest(key, missing_by_title) for key in unknown}
    return {key: missing_by_title[name] for key, name in similar.items() if name} | by_step


def _effect_fields(kind: t.Kind) -> list[str]:
    """Return the names of a kind's fields whose values are effects, that is, blocks of steps."""
    return [field.name.word for field in kind.fields if field.type and field.type.shape == "effect"]


def _missing_diagnostic(names: list[str], thing_data: ThingData, kind: t.Kind) -> Diagnostic:
    """Return the error for a thing that lacks the fields `names`, with their types in the help."""
    fields = [field for field in kind.fields if field.name.word in names]
    lines = " and ".join(f"`{field.name.word} ...` ({describe_type(field.type)})" for field in fields)
    return Diagnostic(
        "E0301",
        f"the {kind.name.word} `{thing_data.data['name']}` lacks {quote_words(names, 'and')}",
        thing_data.span_of(()),
        labels=tuple(Label(field.name.span, f"`{field.name.word}` is declared") for field in fields),
        help=f"add {lines}, indented under it",
    )


def _unknown_key_diagnostic(key: str, path: Path, thing_data: ThingData, kind: t.Kind, book: t.Book) -> Diagnostic:
    """Return the error for a key that the kind's schema does not allow: unknown or computed field, or wrong amount."""
    if len(path) > 2 and key in ("text", "expression"):
        return _wrong_type_diagnostic(path[:-1], get_field_at(kind, path), thing_data, book)
    if len(path) > 2:
        return _uncountable_diagnostic(key, path, thing_data, book)
    names = [field.name.word for field in kind.fields if field.type is not None]
    if any(field.name.word == key for field in kind.fields):
        return Diagnostic(
            "E0307",
            f"`{key}` of {add_indefinite_article(kind.name.word)} is computed and cannot be set",
            thing_data.names[key],
            labels=tuple(Label(f.name.span, "it is computed") for f in kind.fields if f.name.word == key),
            help="delete the line, or change what it is computed from",
        )
    suggestion_text, edits = _suggest_field(key, names, thing_data, kind)
    return Diagnostic(
        "E0302",
        f"{add_indefinite_article(kind.name.word)} has no field `{key}`",
        thing_data.names[key],
        labels=(Label(kind.name.span, f"`{kind.name.word}` is declared"),),
        help=suggestion_text or f"{add_indefinite_article(kind.name.word)} has {quote_words(names, 'and')}"
        if names
        else "delete the line",
        edits=edits,
        exact=bool(edits) and edits[0].text == find_unambiguous(key, names),
    )


def _suggest_field(key: str, names: list[str], thing_data: ThingData, kind: t.Kind) -> tuple[str, tuple[Edit, ...]]:
    """Return the remedy and edits for an unknown field name: a similar field, or where a step or title goes."""
    span, other = thing_data.names[key], _match_unknown_fields(thing_data, kind).get(key)
    if key in ("title", "name"):
        return (
            f'write the title in the first line, as in `amend {kind.name.word} {thing_data.data["name"]} "Title"`',
            (),
        )
    if key in statement_words() and other:
        return f"write `{other}` before it", (Edit(span, f"{other} {key}"),)
    if key in statement_words():
        return f"write it under {quote_words([*_effect_fields(kind), 'when'])}: `{key}` is a step, not a field", ()
    suggestion_text, edits = suggest_similar(
        key, [*names, *thing_json.PROVENANCE_FIELDS, "adjust", "when", "shift", "exception"], span
    )
    if suggestion_text or not other:
        return (suggestion_text, edits)
    return (f"write `{other}`", (Edit(span, other),))


def _uncountable_diagnostic(key: str, path: Path, thing_data: ThingData, book: t.Book) -> Diagnostic:
    """Return the error for a name in amounts that is neither resource nor die, with a similar name as fix."""
    names, place = thing_json.list_countable(book), thing_data.span_of(path)
    best = suggest_name(key, ("resource", "die"), NameCandidates({name: book.definitions[name] for name in names}))
    return Diagnostic(
        "E0306",
        f"`{key}` cannot be counted",
        place,
        help=best.help if best else f"write an amount of {quote_words(names)}",
        edits=(Edit(place, best.word),) if best else (),
    )


def _unfit_value_diagnostic(error: Any, path: Path, thing_data: ThingData, kind: t.Kind, book: t.Book) -> Diagnostic:
    """Return the diagnostic for a value of the wrong type, out of range, or not among the things."""
    field = get_field_at(kind, path)
    if field is None or field.type is None:
        return Diagnostic(
            "E0303",
            f"this is not {add_indefinite_article(kind.name.word)}",
            thing_data.span_of(path),
            note=error.message,
        )
    labels = (Label(field.name.span, "the field is declared"),)
    value = thing_data.value_at(path)
    if error.validator in ("minimum", "maximum"):
        title, remedy = f"`{field.name.word}` is {value}, out of range", f"write {describe_type(field.type)}"
        return Diagnostic("E0304", title, thing_data.span_of(path), labels=labels, help=remedy)
    if error.validator == "enum" and isinstance(value, str):
        names = thing_json.list_members(field.type.name.word, book) if field.type.name else []
        replacement = _suggest_value(field, value, book)
        suggestion_text, edits = suggest_similar(
            value, [replacement] if replacement else names, thing_data.span_of(path)
        )
        title = f"`{value}` is not {describe_type(field.type)}"
        declared = f", or declare `{field.type.name.word} {value}`" if field.type.name else ""
        remedy = suggestion_text or f"write {quote_words(names)}{declared}"
        return Diagnostic("E0305", title, thing_data.span_of(path), "", labels, remedy, edits=edits)
    return _wrong_type_diagnostic(path, field, thing_data, book)


def _wrong_type_diagnostic(path: Path, field: t.FieldDef | None, thing_data: ThingData, book: t.Book) -> Diagnostic:
    """Return the error for a value of the wrong type, with a fix if the right one is clear; `field` may be unknown."""
    value = thing_data.value_at(path)
    if field is None:
        return Diagnostic("E0303", f"{thing_json.describe_value(value)} is not allowed here", thing_data.span_of(path))
    literal = thing_json.suggest_literal(field, value) or _suggest_value(field, value, book)
    return Diagnostic(
        "E0303",
        f"`{field.name.word}` takes {describe_type(field.type)}, but this is {thing_json.describe_value(value)}",
        thing_data.span_of(path),
        labels=(Label(field.name.span, "the field is declared"),),
        help=f"write `{literal}`" if literal else thing_json.suggest_form(field, value, book),
        edits=(Edit(thing_data.span_of(path), literal),) if literal else (),
    )


def _suggest_value(field: t.FieldDef, value: Any, book: t.Book) -> str:
    """Return what to write for a thing whose effect is meant, or for a title in quotes, or ""."""
    text = value.get("text", "") if isinstance(value, dict) else value
    name = DeclaredNames(book.definitions).resolve_word(text) if isinstance(text, str) else ""
    if field.type is None or not name:
        return ""
    if field.type.shape == "effect":
        suggested = suggest_for_wrong_sort(name, SORTS[type(book.definitions[name])], ("effect",), book.definitions)
        return suggested.word if suggested is not None else ""
    if field.type.name is not None and name in thing_json.list_members(field.type.name.word, book):
        return name
    return ""


def get_field_at(kind: t.Kind, path: Path) -> t.FieldDef | None:
    """Return the field to which a path in a thing's data leads, or None."""
    return next((field for field in kind.fields if len(path) > 1 and field.name.word == path[1]), None)
