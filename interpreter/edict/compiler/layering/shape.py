"""The pass `shape`: each thing, as plain data, against the JSON Schema of its kind.

The schemas of kinds are derived from the rules' own `kind` declarations.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain
from typing import Any

from edict.compiler.layering import to_json
from edict.compiler.layering.orphans import Orphans
from edict.compiler.layering.suggestions import Candidates, near_word, no_kind, otherwise, suggestion
from edict.compiler.layering.to_json import Plain, as_data, kind_of, spoken
from edict.compiler.sources.json_schema import by_place, findings_in, first_findings, fits, validator_of
from edict.compiler.sources.yaml_reader import Path
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.automaton import statements
from edict.compiler.syntax.declared_names import Declared
from edict.compiler.syntax.nouns import SORTS
from edict.support.morphology import add_indefinite_article, quote_words
from edict.support.report import Diagnostic, Edit, Label, Outcome, find_nearest, find_unambiguous
from edict.support.text import to_slug

DIALECT = "https://json-schema.org/draft/2020-12/schema"


# --- schemas -----------------------------------------------------------------------------------


def kind_schema(kind: t.Kind, book: t.Book) -> dict[str, Any]:
    """What a thing of this kind must be as data; plain JSON, to be printed for editors."""
    printed = [field for field in kind.fields if field.type is not None]
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
                "required": [field.name.word for field in printed if not field.optional],
                "additionalProperties": False,
                "properties": {field.name.word: to_json.field_schema(field, book) for field in printed},
            },
            "abilities": {"type": "array", "items": {"type": "object", "required": ["ability"]}},
        },
    }


# --- things ------------------------------------------------------------------------------------


def shape(book: t.Book) -> Outcome[t.Book]:
    """Every thing of the book against the schema of its kind."""
    schemas: dict[str, str] = {}
    found: list[Diagnostic] = []
    orphans = Orphans(book)
    for definition in book.definitions.values():
        if not isinstance(definition, t.Thing):
            continue
        kind = kind_of(definition, book)
        if kind is None and orphans.take(definition.kind.word, definition.kind.span):
            continue
        if kind is None:
            found += first_findings(map(_no_kind, (definition,), (book,)), 1, definition.span, len(found))
            continue
        if kind.name.word not in schemas:
            schemas[kind.name.word] = json.dumps(kind_schema(kind, book))
        if not _fits(definition, kind, schemas[kind.name.word]):
            found += _thing(definition, kind, book, _validator(schemas[kind.name.word]), len(found), orphans)
    return Outcome(book, (*found, *orphans.diagnostics()))


@lru_cache(maxsize=64)
def _schema(written: str) -> Any:
    return json.loads(written)


@lru_cache(maxsize=64)
def _validator(written: str) -> Any:
    return validator_of(_schema(written))


@lru_cache(maxsize=4096)
def _fits(thing: t.Thing, kind: t.Kind, schema: str) -> bool:
    """Whether nothing is wrong with it; kept, since an edit touches few things and few schemas."""
    written = as_data(thing, kind)
    return not written.found and fits(written.data, _schema(schema))


def _thing(
    thing: t.Thing, kind: t.Kind, book: t.Book, validator: Any, before: int, orphans: Orphans
) -> list[Diagnostic]:
    """What is wrong with a thing; `before`: as many findings there are already."""
    written = as_data(thing, kind)
    places = by_place(validator.iter_errors(written.data))
    errors = [
        (path, e)
        for path, all_ in places.items()
        for e in all_
        if not _is_gone(e, path, written, orphans) and (e.validator != "required" or _lacking(e, written, kind))
    ]
    found = (d for path, error in errors for d in _of_thing(error, path, written, kind, book))
    count = len(written.found) + sum(findings_in(error) for _, error in errors)
    return first_findings(chain(written.found, found), count, thing.span, before)


def _is_gone(error: Any, path: Path, written: Plain, orphans: Orphans) -> bool:
    """Whether an amount or a value names something that was removed, which is told there."""
    if error.validator == "additionalProperties" and len(path) > 1:
        unknown = [key for key in error.instance if key not in error.schema["properties"]]
        gone = [key for key in unknown if orphans.take(key, written.place((*path, key)))]
        return gone == unknown
    value = written.at(path) if error.validator == "enum" else None
    return isinstance(value, str) and orphans.take(value, written.place(path))


def _no_kind(thing: t.Thing, book: t.Book) -> Diagnostic:
    return no_kind(thing, book.definitions)


def _of_thing(error: Any, path: Path, written: Plain, kind: t.Kind, book: t.Book) -> Iterator[Diagnostic]:
    if error.validator == "required":
        yield _missing(_lacking(error, written, kind), written, kind)
    elif error.validator == "additionalProperties":
        for key in error.instance:
            if key not in error.schema["properties"]:
                yield _unknown(key, (*path, key), written, kind, book)
    else:
        yield _unfit(error, path, written, kind, book)


def _lacking(error: Any, written: Plain, kind: t.Kind) -> list[str]:
    """The fields that must be there and are not, by no other name either."""
    return sorted(set(error.validator_value) - set(error.instance) - set(_called_otherwise(written, kind).values()))


def _called_otherwise(written: Plain, kind: t.Kind) -> dict[str, str]:
    """Words that are no fields, each with the field that it stands for: one that is missing and has such a title."""
    names = {field.name.word for field in kind.fields}
    there = written.data["fields"]
    absent = (field for field in kind.fields if field.type is not None and field.name.word not in there)
    lacking = {to_slug(said): field.name.word for field in absent for said in (field.title, field.name.word) if said}
    unknown = [key for key in written.names if key not in names and key not in to_json.NOTES]
    effects = [name for name in _effects(kind) if name in lacking.values()]
    steps = {key: effects[0] for key in unknown if key in statements() and effects}
    near = {key: key if key in lacking else find_nearest(key, lacking) for key in unknown}
    return {key: lacking[name] for key, name in near.items() if name} | steps


def _effects(kind: t.Kind) -> list[str]:
    """The fields in which steps stand."""
    return [field.name.word for field in kind.fields if field.type and field.type.shape == "effect"]


def _missing(names: list[str], written: Plain, kind: t.Kind) -> Diagnostic:
    fields = [field for field in kind.fields if field.name.word in names]
    lines = " and ".join(f"`{field.name.word} ...` ({spoken(field.type)})" for field in fields)
    return Diagnostic(
        "E0301",
        f"the {kind.name.word} `{written.data['name']}` lacks {quote_words(names, 'and')}",
        written.place(()),
        labels=tuple(Label(field.name.span, f"`{field.name.word}` is declared") for field in fields),
        help=f"add {lines}, indented under it",
    )


def _unknown(key: str, path: Path, written: Plain, kind: t.Kind, book: t.Book) -> Diagnostic:
    if len(path) > 2 and key in ("text", "expression"):
        return _wrong_type(path[:-1], field_named(kind, path), written, book)
    if len(path) > 2:
        return _no_resource(key, path, written, book)
    names = [field.name.word for field in kind.fields if field.type is not None]
    if any(field.name.word == key for field in kind.fields):
        return Diagnostic(
            "E0307",
            f"`{key}` of {add_indefinite_article(kind.name.word)} is computed and cannot be written",
            written.names[key],
            labels=tuple(Label(f.name.span, "it is computed") for f in kind.fields if f.name.word == key),
            help="delete the line, or change what it is computed from",
        )
    near, edits = _field_meant(key, names, written, kind)
    return Diagnostic(
        "E0302",
        f"{add_indefinite_article(kind.name.word)} has no field `{key}`",
        written.names[key],
        labels=(Label(kind.name.span, f"`{kind.name.word}` is declared"),),
        help=near or f"{add_indefinite_article(kind.name.word)} has {quote_words(names, 'and')}"
        if names
        else "delete the line",
        edits=edits,
        exact=bool(edits) and edits[0].text == find_unambiguous(key, names),
    )


def _field_meant(key: str, names: list[str], written: Plain, kind: t.Kind) -> tuple[str, tuple[Edit, ...]]:
    """What somebody means who writes a word that is no field, in words and as an edit; nothing, if nobody can tell."""
    span, other = written.names[key], _called_otherwise(written, kind).get(key)
    if key in ("title", "name"):
        return f'write the title in the first line, as in `amend {kind.name.word} {written.data["name"]} "Title"`', ()
    if key in statements() and other:
        return f"write `{other}` before it", (Edit(span, f"{other} {key}"),)
    if key in statements():
        return f"write it under {quote_words([*_effects(kind), 'when'])}: `{key}` is a step, and no field", ()
    near, edits = near_word(key, [*names, *to_json.NOTES, "adjust", "when", "shift", "exception"], span)
    return (near, edits) if near or not other else (f"write `{other}`", (Edit(span, other),))


def _no_resource(key: str, path: Path, written: Plain, book: t.Book) -> Diagnostic:
    names, place = to_json.countable(book), written.place(path)
    suggested = suggestion(key, ("resource", "die"), Candidates({name: book.definitions[name] for name in names}))
    return Diagnostic(
        "E0306",
        f"`{key}` is nothing that can be counted",
        place,
        help=suggested.help if suggested else f"write an amount of {quote_words(names)}",
        edits=(Edit(place, suggested.word),) if suggested else (),
    )


def _unfit(error: Any, path: Path, written: Plain, kind: t.Kind, book: t.Book) -> Diagnostic:
    """A value its field cannot take: not of the type, out of range, or not among the things."""
    field = field_named(kind, path)
    if field is None or field.type is None:
        return Diagnostic(
            "E0303", f"this is not {add_indefinite_article(kind.name.word)}", written.place(path), note=error.message
        )
    where = (Label(field.name.span, "the field is declared"),)
    value = written.at(path)
    if error.validator in ("minimum", "maximum"):
        title, remedy = f"`{field.name.word}` is {value}, out of range", f"write {spoken(field.type)}"
        return Diagnostic("E0304", title, written.place(path), labels=where, help=remedy)
    if error.validator == "enum" and isinstance(value, str):
        names = to_json.members(field.type.name.word, book) if field.type.name else []
        called = _otherwise(field, value, book)
        near, edits = near_word(value, [called] if called else names, written.place(path))
        title = f"`{value}` is not {spoken(field.type)}"
        declared = f", or declare `{field.type.name.word} {value}`" if field.type.name else ""
        remedy = near or f"write {quote_words(names)}{declared}"
        return Diagnostic("E0305", title, written.place(path), "", where, remedy, edits=edits)
    return _wrong_type(path, field, written, book)


def _wrong_type(path: Path, field: t.FieldDef | None, written: Plain, book: t.Book) -> Diagnostic:
    value = written.at(path)
    if field is None:
        return Diagnostic("E0303", f"{to_json.described(value)} is not allowed here", written.place(path))
    literal = to_json.instead(field, value) or _otherwise(field, value, book)
    return Diagnostic(
        "E0303",
        f"`{field.name.word}` takes {spoken(field.type)}, and this is {to_json.described(value)}",
        written.place(path),
        labels=(Label(field.name.span, "the field is declared"),),
        help=f"write `{literal}`" if literal else to_json.remedy(field, value, book),
        edits=(Edit(written.place(path), literal),) if literal else (),
    )


def _otherwise(field: t.FieldDef, value: Any, book: t.Book) -> str:
    """What to write in place of a thing whose effect is meant, and of a title in quotes; or nothing."""
    text = value.get("text", "") if isinstance(value, dict) else value
    name = Declared(book.definitions).meant(text) if isinstance(text, str) else ""
    if field.type is None or not name:
        return ""
    if field.type.shape == "effect":
        found = otherwise(name, SORTS[type(book.definitions[name])], ("effect",), book.definitions)
        return found.word if found is not None else ""
    return name if field.type.name is not None and name in to_json.members(field.type.name.word, book) else ""


def field_named(kind: t.Kind, path: Path) -> t.FieldDef | None:
    """The field a path into a thing's data leads through."""
    return next((field for field in kind.fields if len(path) > 1 and field.name.word == path[1]), None)
