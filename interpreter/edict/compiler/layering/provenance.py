"""The provenance of definitions, from the fields `source "..."` and `origin WORD` of things and from manifests."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from edict.compiler.layering.thing_json import PROVENANCE_FIELDS
from edict.compiler.sources.folders import Manifest
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.declared_names import declared_fields
from edict.support.report import Diagnostic, suggest_word

# meanings of the words for an origin
ORIGINS = {
    "printed": "it is printed in a rulebook or on a component",
    "single-source": "only one report mentions it",
    "reconstructed": "it was worked out from examples",
    "original": "it was made up for these rules",
}


def split_provenance(definition: t.Definition, manifest: Manifest) -> tuple[t.Definition, t.Note, list[Diagnostic]]:
    """Return a definition without `source` and `origin`, its provenance, and the faults in these fields."""
    source, origin, diagnostics = manifest.source, manifest.origin, list[Diagnostic]()
    if not isinstance(definition, t.Thing):
        return definition, t.Note(source, origin, manifest.name), _check_kind_fields(definition)
    for field in definition.fields:
        if field.name.word == "source":
            diagnostics += _check_source(field)
            source = field.text or source
        elif field.name.word == "origin":
            diagnostics += _check_origin(field)
            origin = field.expr.word if isinstance(field.expr, t.Name) else origin
    return _remove_provenance(definition), t.Note(source, origin, manifest.name), diagnostics


@lru_cache(maxsize=4096)
def _remove_provenance(thing: t.Thing) -> t.Thing:
    """Return the thing without these fields. The result is cached by identity, which lets later passes cache, too."""
    return replace(thing, fields=tuple(field for field in thing.fields if field.name.word not in PROVENANCE_FIELDS))


def _check_kind_fields(definition: t.Definition) -> list[Diagnostic]:
    """Return a diagnostic for each field of a kind with one of the reserved names."""
    fields = declared_fields(definition)
    return [
        Diagnostic(
            "E0182",
            f"every thing already has a field `{field.name.word}`",
            field.name.span,
            note="It says where a thing comes from, and is shown to readers.",
            help="delete the line, or choose another name if something else is meant",
        )
        for field in fields
        if field.name.word in PROVENANCE_FIELDS
    ]


def _check_source(field: t.FieldValue) -> list[Diagnostic]:
    """Return a diagnostic if the value of a `source` field is not a text in quotes."""
    if field.text:
        return []
    return [
        Diagnostic(
            "E0176",
            "`source` needs a text",
            field.name.span,
            help='write where this is printed, in quotes: `source "2nd ed. p. 6"`',
        )
    ]


def _check_origin(field: t.FieldValue) -> list[Diagnostic]:
    """Return a diagnostic if the value of an `origin` field is not one of the words in ORIGINS."""
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
            help=suggest_word(word, ORIGINS) or "write one of these four",
        )
    ]
