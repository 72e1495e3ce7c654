"""Data against a JSON Schema, and what is wrong with it, place by place. The one door to jsonschema."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from edict.compiler.sources.yaml_reader import Path
from edict.support.report import MOST_FINDINGS, Diagnostic, remaining_findings
from edict.support.text import Span


def validator_of(schema: dict[str, Any]) -> Any:
    from jsonschema import Draft202012Validator  # not before it is needed: it takes a while to load

    return Draft202012Validator(schema)


Schema = Mapping[str, Any]
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int}


def fits(data: Any, schema: Schema) -> bool:
    """Whether nothing is wrong with data, for schemas of a few words: jsonschema, which says what is wrong, takes
    longer to load than all that fits takes to look at. Raises `KeyError` for any other word."""
    return all(_WORDS[word](data, said, schema) for word, said in schema.items())


def _is_a(data: Any, name: str, _: Schema) -> bool:
    return isinstance(data, TYPES[name]) and (name == "boolean" or not isinstance(data, bool))


def _has_only_named(data: Any, more: bool, schema: Schema) -> bool:
    return more or not isinstance(data, dict) or data.keys() <= schema["properties"].keys()


def _anything(data: Any, said: Any, schema: Schema) -> bool:
    return True


_WORDS: dict[str, Callable[[Any, Any, Schema], bool]] = {
    "$schema": _anything,
    "title": _anything,
    "description": _anything,
    "type": _is_a,
    "const": lambda data, value, _: data == value,
    "enum": lambda data, values, _: data in values,
    "minimum": lambda data, least, _: not isinstance(data, int) or data >= least,
    "maximum": lambda data, most, _: not isinstance(data, int) or data <= most,
    "required": lambda data, names, _: not isinstance(data, dict) or all(name in data for name in names),
    "minProperties": lambda data, least, _: not isinstance(data, dict) or len(data) >= least,
    "additionalProperties": _has_only_named,
    "properties": lambda data, of, _: (
        not isinstance(data, dict) or all(fits(data[name], schema) for name, schema in of.items() if name in data)
    ),
    "minItems": lambda data, least, _: not isinstance(data, list) or len(data) >= least,
    "items": lambda data, schema, _: not isinstance(data, list) or all(fits(one, schema) for one in data),
    "anyOf": lambda data, schemas, _: any(fits(data, schema) for schema in schemas),
}


def by_place(errors: Iterable[Any]) -> dict[Path, list[Any]]:
    """Errors by the place they are about; of alternatives that all failed, the outer error stands for them."""
    places: dict[Path, list[Any]] = {}
    for error in errors:
        at = places.setdefault(tuple(error.absolute_path), [])
        if not any(error.validator == other.validator == "required" for other in at):
            at.append(error)
    return places


def findings_in(error: Any) -> int:
    """How many findings an error gives: one, but for a list of keys that mean nothing."""
    if error.validator != "additionalProperties":
        return 1
    return sum(key not in error.schema["properties"] for key in error.instance)


def first_findings(found: Iterator[Diagnostic], count: int, span: Span, before: int = 0) -> list[Diagnostic]:
    """As many findings as are shown in all; the others are not worked out, which takes time, but counted."""
    shown = list(islice(found, max(0, MOST_FINDINGS - before)))
    return [*shown, remaining_findings(span, count - len(shown))] if count > len(shown) else shown
