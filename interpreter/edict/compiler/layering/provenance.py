"""Part of the pass `layer`: where a thing comes from. `source "..."` and `origin WORD` may stand in every thing."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from edict.compiler.layering.to_json import NOTES
from edict.compiler.sources.folders import Manifest
from edict.compiler.syntax import tree as t
from edict.support.report import Diagnostic, suggest_word

ORIGINS = {
    "printed": "it stands in a rulebook or on a component",
    "single-source": "only one report mentions it",
    "reconstructed": "it was worked out from examples",
    "original": "it was made up for these rules",
}


def without_notes(definition: t.Definition, manifest: Manifest) -> tuple[t.Definition, t.Note, list[Diagnostic]]:
    """The definition without its `source` and `origin`, these as a note, and what is wrong with them."""
    source, origin, found = manifest.source, manifest.origin, list[Diagnostic]()
    if not isinstance(definition, t.Thing):
        return definition, t.Note(source, origin, manifest.name), _taken(definition)
    for field in definition.fields:
        if field.name.word == "source":
            found += _source(field)
            source = field.text or source
        elif field.name.word == "origin":
            found += _origin(field)
            origin = field.expr.word if isinstance(field.expr, t.Name) else origin
    return _without(definition), t.Note(source, origin, manifest.name), found


@lru_cache(maxsize=4096)
def _without(thing: t.Thing) -> t.Thing:
    """One and the same as long as the thing is: what is known of it need not be found out again after each edit."""
    return replace(thing, fields=tuple(field for field in thing.fields if field.name.word not in NOTES))


def _taken(definition: t.Definition) -> list[Diagnostic]:
    """No kind may declare these fields itself."""
    fields = definition.fields if isinstance(definition, t.Kind) else ()
    return [
        Diagnostic(
            "E0182",
            f"every thing has a field `{field.name.word}` already",
            field.name.span,
            note="It says where a thing comes from, and tools show it.",
            help="delete the line, or choose another name if something else is meant",
        )
        for field in fields
        if field.name.word in NOTES
    ]


def _source(field: t.FieldValue) -> list[Diagnostic]:
    if field.text:
        return []
    return [
        Diagnostic(
            "E0176",
            "`source` takes a text",
            field.name.span,
            help='write where this is printed, in quotes: `source "2nd ed. p. 6"`',
        )
    ]


def _origin(field: t.FieldValue) -> list[Diagnostic]:
    word = field.expr.word if isinstance(field.expr, t.Name) else ""
    if word in ORIGINS:
        return []
    meanings = "; ".join(f"`{name}`: {meaning}" for name, meaning in ORIGINS.items())
    return [
        Diagnostic(
            "E0181",
            f"`{word}` is not an origin" if word else "`origin` takes a word",
            field.expr.span if field.expr else field.name.span,
            note=f"{meanings}.",
            help=suggest_word(word, ORIGINS) or "write one of the four",
        )
    ]
