"""Validation of data against a JSON Schema; the only module that imports jsonschema."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from edict.compiler.sources.written_data import Path
from edict.support.report import MOST_FINDINGS, Diagnostic, remaining_findings
from edict.support.text import Span


def create_validator(schema: dict[str, Any]) -> Any:
    """Return a jsonschema validator for a schema."""
    from jsonschema import Draft202012Validator  # not before it is needed: it takes a while to load

    return Draft202012Validator(schema)


Schema = Mapping[str, Any]
# Python types by the names of JSON types
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int}


def is_valid(data: Any, schema: Schema) -> bool:
    """Return True if data satisfies a schema of the few keywords known here.

    It spares loading jsonschema, which is needed only to tell what is wrong.

    Raises:
        KeyError: For a keyword that is not known here.
    """
    return all(_KEYWORDS[keyword](data, argument, schema) for keyword, argument in schema.items())


def _has_type(data: Any, name: str, _: Schema) -> bool:
    """Return True if data has the JSON type `name`; True and False are booleans only, never integers."""
    return isinstance(data, TYPES[name]) and (name == "boolean" or not isinstance(data, bool))


def _check_additional(data: Any, allows_more: bool, schema: Schema) -> bool:
    """Return True if a map has no keys beyond the schema's properties, or `additionalProperties` allows more."""
    return allows_more or not isinstance(data, dict) or data.keys() <= schema["properties"].keys()


def _accept(data: Any, argument: Any, schema: Schema) -> bool:
    return True


_KEYWORDS: dict[str, Callable[[Any, Any, Schema], bool]] = {
    "$schema": _accept,
    "title": _accept,
    "description": _accept,
    "type": _has_type,
    "const": lambda data, value, _: data == value,
    "enum": lambda data, values, _: data in values,
    "minimum": lambda data, least, _: not isinstance(data, int) or data >= least,
    "maximum": lambda data, most, _: not isinstance(data, int) or data <= most,
    "required": lambda data, names, _: not isinstance(data, dict) or all(name in data for name in names),
    "minProperties": lambda data, least, _: not isinstance(data, dict) or len(data) >= least,
    "additionalProperties": _check_additional,
    "properties": lambda data, of, _: (
        not isinstance(data, dict) or all(is_valid(data[name], schema) for name, schema in of.items() if name in data)
    ),
    "minItems": lambda data, least, _: not isinstance(data, list) or len(data) >= least,
    "items": lambda data, schema, _: not isinstance(data, list) or all(is_valid(one, schema) for one in data),
    "anyOf": lambda data, schemas, _: any(is_valid(data, schema) for schema in schemas),
}


def group_errors(errors: Iterable[Any]) -> dict[Path, list[Any]]:
    """Group errors by their path in the data; a missing key hides other errors at the same path."""
    places: dict[Path, list[Any]] = {}
    for error in errors:
        errors_there = places.setdefault(tuple(error.absolute_path), [])
        if not any(error.validator == other.validator == "required" for other in errors_there):
            errors_there.append(error)
    return places


def count_findings(error: Any) -> int:
    """Return the number of findings in an error, which is one except for several unknown keys."""
    if error.validator != "additionalProperties":
        return 1
    return sum(key not in error.schema["properties"] for key in error.instance)


def limit_findings(found: Iterator[Diagnostic], count: int, span: Span, before: int = 0) -> list[Diagnostic]:
    """Return the first findings, and a summary of the number of others, which are not computed.

    Args:
        found: The findings, computed as they are taken.
        count: The number of all findings.
        span: The place for the summary.
        before: The number of findings that are shown already.
    """
    shown = list(islice(found, max(0, MOST_FINDINGS - before)))
    if count > len(shown):
        return [*shown, remaining_findings(span, count - len(shown))]
    return shown
