"""JSON Schemas of files (in `grammar/schema`), and validation of YAML files against them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from edict.compiler.sources.compiler_fingerprint import is_verified, mark_verified
from edict.compiler.sources.json_schema import count_findings, create_validator, group_errors, limit_findings
from edict.compiler.sources.written_data import Path, WrittenData
from edict.runtime.program import digest
from edict.support import resources
from edict.support.morphology import parse_number_word, quote_words
from edict.support.report import Diagnostic, Edit, find_nearest, find_unambiguous, suggest_word
from edict.support.text import Span, to_slug

LONGEST_SHOWN = 100  # characters of an invalid value that a message shows
SCHEMA_NAMES = (
    "module",
    "scenes",
    "table",
    "program",
    "diagnostics",
    "study",
    "comparison",
    "weights",
    "league",
    "view",
    "look",
    "tutorial",
    "words",
    "workspace",
    "answers",
    "best-response",
    "campaign",
    "campaigns",
    "cards",
    "constructs",
    "definitions",
    "diagnostic-page",
    "differences",
    "gallery",
    "games",
    "graph",
    "index",
    "matches",
    "module-details",
    "modules",
    "moments",
    "names",
    "never",
    "profile",
    "replay",
    "report",
    "tables",
    "test",
    "translation",
    "tuning",
)


@cache
def _read_schema_text(name: str) -> str:
    """Return the text of `schema/NAME.schema.json` in the grammar folder."""
    return (resources.grammar_folder() / "schema" / f"{name}.schema.json").read_text(encoding="utf-8")


def load_schema(name: str) -> dict[str, Any]:
    """Return the JSON Schema of a kind of file.

    Args:
        name: One of `SCHEMA_NAMES`.

    Raises:
        KeyError: For another name.
    """
    if name not in SCHEMA_NAMES:
        raise KeyError(f"no schema `{name}`; there are {', '.join(SCHEMA_NAMES)}")
    return dict(json.loads(_read_schema_text(name)))


@cache
def _get_validator(name: str) -> Any:
    return create_validator(load_schema(name))


def validate_yaml_data(name: str, written: WrittenData) -> list[Diagnostic]:
    """Return diagnostics for YAML data that does not satisfy a schema, at most as many as are shown."""
    missing_list = _find_missing_list_key(load_schema(name), written)
    if missing_list is not None:
        return [missing_list]
    places = group_errors(_get_validator(name).iter_errors(written.data))
    errors = [(path, error) for path, errors_there in places.items() for error in errors_there]
    diagnostics = (d for path, error in errors for d in _describe_error(error, path, written))
    count = sum(count_findings(error) for _, error in errors if error.validator != "required" or _missing_keys(error))
    return limit_findings(diagnostics, count, _start_span(written, ()))


def _find_missing_list_key(schema: dict[str, Any], written: WrittenData) -> Diagnostic | None:
    """Return a diagnostic for a list, or an item of it, that lacks the required key above it."""
    properties, data = schema["properties"], written.data
    key = next((key for key in schema.get("required", ()) if properties[key].get("type") == "array"), "")
    item = schema.get("$defs", {}).get(properties.get(key, {}).get("items", {}).get("$ref", "").rpartition("/")[2], {})
    if key and isinstance(data, list):
        place = written.span_of(())
        start = Span(place.file, place.line, place.column, place.line, place.column)
        return Diagnostic(
            "E0145",
            f"a list of {key} goes under `{key}:`",
            place,
            help=f"write `{key}:` in a line above it",
            edits=(Edit(start, f"{key}:\n"),),
        )
    if not key or not isinstance(data, dict) or key in data:
        return None
    misplaced = [name for name in data if name in item.get("properties", {}) and name not in properties]
    if not misplaced:
        return None
    return Diagnostic(
        "E0144",
        f"{quote_words(misplaced, 'and')} {'belongs' if len(misplaced) == 1 else 'belong'} to an item of `{key}`",
        written.keys[(misplaced[0],)],
        help=f"write `{key}:` above, and under it each item as a map that begins with `- `",
    )


def _describe_error(error: Any, path: Path, written: WrittenData) -> Iterator[Diagnostic]:
    """Yield the diagnostics of a jsonschema error: missing keys, unknown keys, or a wrong value."""
    properties: dict[str, Any] = error.schema.get("properties", {}) if isinstance(error.schema, dict) else {}
    if error.validator == "required":
        missing = _missing_keys(error)
        if not missing:
            return
        descriptions = "; ".join(f"`{key}`: {properties.get(key, {}).get('description', 'a name')}" for key in missing)
        title = f"{quote_words(missing, 'and')} {'is' if len(missing) == 1 else 'are'} missing here"
        yield Diagnostic("E0143", title, _start_span(written, path), help=f"add {descriptions}")
    elif error.validator == "additionalProperties":
        for key in error.instance:
            if key not in properties:
                yield _unknown_key_diagnostic(str(key), error, written.keys[*path, key])
    else:
        yield _wrong_value_diagnostic(error, path, written)


def _missing_keys(error: Any) -> list[str]:
    """Return the required keys that are missing, without those present under a wrong name (reported there)."""
    properties = error.schema.get("properties", {})
    misnamed = {_guess_key(str(key), error) for key in error.instance if key not in properties}
    return [key for key in error.validator_value if key not in {*error.instance, *misnamed}]


def _synonym(key: str, error: Any) -> str:
    """Return the key that the schema lists as meant by this synonym, or ""."""
    return str(error.schema.get("synonyms", {}).get(to_slug(key.replace("_", "-")), ""))


def _guess_key(key: str, error: Any) -> str:
    """Return the known key that an unknown one most likely means, or ""."""
    return _synonym(key, error) or find_nearest(key, error.schema.get("properties", {}))


def _unknown_key_diagnostic(key: str, error: Any, place: Span) -> Diagnostic:
    """Return the error for a key that the schema lacks, with a synonym or similar key as fix unless that is taken."""
    properties, synonym, guess = error.schema.get("properties", {}), _synonym(key, error), _guess_key(key, error)
    is_free = guess and guess not in error.instance
    remedy = f"delete it: `{guess}` is here already" if guess else ""
    remedy = (f"write `{synonym}`" if synonym else suggest_word(key, properties)) if is_free else remedy
    return Diagnostic(
        "E0144",
        f"unknown key `{key}`",
        place,
        help=remedy or f"delete it, or write one of these: {quote_words(properties)}",
        edits=(Edit(place, guess),) if is_free else (),
        exact=bool(is_free) and find_unambiguous(key, properties) == guess,
    )


def _wrong_value_diagnostic(error: Any, path: Path, written: WrittenData) -> Diagnostic:
    """Return the error for a value that its schema rejects, with the likely value as fix if there is one."""
    key = next((str(part) for part in reversed(path) if isinstance(part, str)), "")
    if error.validator == "enum":
        choices = quote_words([str(x) for x in error.validator_value])
    else:
        choices = ""
    described = error.schema.get("description", "")
    if path:
        expected = choices or described or _describe_shape(error.schema)
    else:
        expected = _describe_file(error.schema)
    place = written.span_of(path) if path else _start_span(written, path)
    replacement, note = _guess_value(error)
    if choices and not replacement:
        similar = find_nearest(str(error.instance), map(str, error.validator_value))
    else:
        similar = ""
    expected, note = _suggest_container(error) or (expected, note)
    return Diagnostic(
        "E0145",
        f"{f'`{key}`' if key else 'this file'} cannot be {_describe_value(error.instance)}",
        place,
        note=note or ("" if path else described),
        help=f"did you mean `{similar}`?"
        if similar
        else f"write `{replacement}`"
        if replacement
        else f"write {expected}",
        edits=(Edit(place, replacement or similar),) if replacement or similar else (),
    )


def _suggest_container(error: Any) -> tuple[str, str] | None:
    """Return what to write and why, for a list in place of a map or a map in place of a list."""
    expected_type, value = error.schema.get("type"), error.instance
    if expected_type == "array" and isinstance(value, dict) and value:
        first = next(iter(value))
        if isinstance(value[first], str | int):
            example = f"`- {first}: {value[first]}`"
        else:
            example = f"`- ` before `{first}:`"
        rest = ", and its other lines two spaces further than the `-`" if len(value) > 1 else ""
        return f"{example}{rest}", "Each item of a list begins with `- `."
    if expected_type == "object" and isinstance(value, list) and value:
        first = value[0]
        if isinstance(first, dict) and first:
            pair = "`{}: {}`".format(*next(iter(first.items())))
        else:
            pair = "`name: value`"
        return f"each line as {pair}, without `- ` before it", "This is a map of names and values, not a list."
    return None


def _describe_shape(schema: Any) -> str:
    """Describe a value by its properties, for a schema without a description."""
    properties = schema.get("properties", {})
    if properties:
        return f"lines under it such as `{next(iter(properties))}: ...`, of {quote_words(properties)}"
    return "another value"


def _describe_file(schema: Any) -> str:
    """Describe the contents of a file by its required keys, or by all keys if none is required."""
    properties = schema["properties"]
    required = "; ".join(_describe_key(key, properties[key]) for key in schema.get("required", ()))
    if required:
        keys = f"at least these: {required}"
    else:
        keys = f"the keys are {quote_words(properties, 'and')}"
    return f"lines of `key: value`, {keys}"


def _describe_key(key: str, schema: Any) -> str:
    """Return a key with its first example, like `name: chess`, or else with its description."""
    example = next(iter(schema.get("examples", ())), "")
    return f"`{key}: {example}`" if example else f"`{key}`: {schema['description']}"


def _guess_value(error: Any) -> tuple[str, str]:
    """Return the text of the value that a wrong one most likely means, and a note; empty strings if unknown."""
    value, schema = error.instance, error.schema
    expected_type = schema.get("type")
    if (
        expected_type == "array" or isinstance(expected_type, list) and "array" in expected_type and "," in str(value)
    ) and _is_list_of_names(value):
        return f"[{value}]", "A list needs square brackets, even with a single item."
    if isinstance(value, str) and value.rstrip()[-1:] in (",", ";"):
        stripped = value.rstrip(" ,;")
        if _is_valid(stripped, schema):
            return (stripped, f"Lines do not end with `{value.rstrip()[-1]}`.")
        return ("", "")
    number = parse_number_word(value) if isinstance(value, str) else None
    if number is not None and _is_valid(number, schema):
        return str(number), "Write numbers in digits."
    if error.validator == "enum":
        synonym = schema.get("synonyms", {}).get(str(value).casefold().replace(" ", "-"), "")
        return synonym, ""
    if error.validator == "pattern" and isinstance(value, str):
        lowered = value.casefold()
        versioned = re.fullmatch(r"([a-z][\w-]*?)\s*[\s<>=~^@]+\s*v?(\d[\d.]*)", lowered)
        if versioned and _is_valid(requirement := f"{versioned[1]}>={versioned[2]}", schema):
            return f'"{requirement}"', "Versions that fit are written with `>=`, `<`, `==`, `!=` or `~=`."
        if versioned and _is_valid(versioned[1], schema):
            return versioned[1], "Write only the name; `requires` says which versions fit."
        name = "" if re.search(r"[\d.@]", value) else to_slug(value)
        candidates = (name, lowered, f"#{lowered}", "#" + "".join(c * 2 for c in lowered[1:]))
        match = next(
            (
                candidate
                for candidate in candidates
                if len(candidate) <= LONGEST_SHOWN and re.search(schema["pattern"], candidate)
            ),
            "",
        )
        return (f'"{match}"' if match.startswith("#") else match), ""
    return "", ""


def _is_valid(value: str | int, schema: Any) -> bool:
    """Return True if a value satisfies a JSON Schema."""
    return bool(create_validator(schema).is_valid(value))


def _is_list_of_names(value: Any) -> bool:
    """Return True for a text of names where a list of names is expected."""
    return isinstance(value, str) and bool(value) and all(c.isalnum() or c in "-_, " for c in value)


def _start_span(written: WrittenData, path: Path) -> Span:
    """Return the span of the key that leads to a map, or of the map's first character."""
    return written.keys.get(path) or written.span_of(path)


def _describe_value(value: Any) -> str:
    """Return a YAML value in words: `a list`, `a map of keys and values`, `empty`, or its text in backticks."""
    if isinstance(value, dict | list):
        return "a list" if isinstance(value, list) else "a map of keys and values"
    text = str(value)
    if text:
        return f"`{text if len(text) <= LONGEST_SHOWN else text[:LONGEST_SHOWN] + '...'}`"
    return "empty"


def validate_once(name: str, written: WrittenData) -> list[Diagnostic]:
    """Return diagnostics for YAML data that does not satisfy a schema.

    Data that passed before is not validated again: loading jsonschema takes a while.
    """
    fact = f"{name}-{digest(repr(written.data))}"
    if is_verified(fact):
        return []
    from edict.compiler.sources.file_schemas import validate_yaml_data  # jsonschema takes a while to load

    diagnostics = validate_yaml_data(name, written)
    if not diagnostics:
        mark_verified(fact)
    return diagnostics
