"""The schemas in `grammar/schema/`: for manifests, scenes and table files, and for what the engine writes itself."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from edict.compiler.sources.compiler_fingerprint import remember, remembered
from edict.compiler.sources.json_schema import by_place, findings_in, first_findings, validator_of
from edict.compiler.sources.yaml_reader import Path, WrittenData
from edict.runtime.program import digest
from edict.support import resources
from edict.support.morphology import NUMBER_WORDS, quote_words
from edict.support.report import Diagnostic, Edit, find_nearest, find_unambiguous, suggest_word
from edict.support.text import Span, to_slug

LONGEST_SHOWN = 100  # characters of a value that is wrong
FIXED = (
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
)


@cache
def _fixed_text(name: str) -> str:
    return (resources.grammar_folder() / "schema" / f"{name}.schema.json").read_text(encoding="utf-8")


def fixed_schema(name: str) -> dict[str, Any]:
    """The schema of a file, by one of the names in `FIXED`. Raises `KeyError` for another name."""
    if name not in FIXED:
        raise KeyError(f"no schema `{name}`; there are {', '.join(FIXED)}")
    return dict(json.loads(_fixed_text(name)))


@cache
def _fixed_validator(name: str) -> Any:
    return validator_of(fixed_schema(name))


def check_written(name: str, written: WrittenData) -> list[Diagnostic]:
    """A file written in YAML against the fixed schema of that name."""
    unlisted = _unlisted(fixed_schema(name), written)
    if unlisted is not None:
        return [unlisted]
    places = by_place(_fixed_validator(name).iter_errors(written.data))
    errors = [(path, error) for path, all_ in places.items() for error in all_]
    found = (d for path, error in errors for d in _of_file(error, path, written))
    count = sum(findings_in(error) for _, error in errors if error.validator != "required" or _lacking(error))
    return first_findings(found, count, _start(written, ()))


def _unlisted(schema: dict[str, Any], written: WrittenData) -> Diagnostic | None:
    """A list, or one item of it, that lacks the key above it without which there is no such file."""
    known, data = schema["properties"], written.data
    key = next((key for key in schema.get("required", ()) if known[key].get("type") == "array"), "")
    item = schema.get("$defs", {}).get(known.get(key, {}).get("items", {}).get("$ref", "").rpartition("/")[2], {})
    if key and isinstance(data, list):
        place = written.place(())
        start = Span(place.file, place.line, place.column, place.line, place.column)
        return Diagnostic(
            "E0145",
            f"a list of {key} stands under `{key}:`",
            place,
            help=f"write `{key}:` in a line above it",
            edits=(Edit(start, f"{key}:\n"),),
        )
    if not key or not isinstance(data, dict) or key in data:
        return None
    misplaced = [one for one in data if one in item.get("properties", {}) and one not in known]
    if not misplaced:
        return None
    return Diagnostic(
        "E0144",
        f"{quote_words(misplaced, 'and')} {'belongs' if len(misplaced) == 1 else 'belong'} to an item of `{key}`",
        written.keys[(misplaced[0],)],
        help=f"write `{key}:` above, and under it each item as a map that begins with `- `",
    )


def _of_file(error: Any, path: Path, written: WrittenData) -> Iterator[Diagnostic]:
    known: dict[str, Any] = error.schema.get("properties", {}) if isinstance(error.schema, dict) else {}
    if error.validator == "required":
        lacking = _lacking(error)
        if not lacking:
            return
        more = "; ".join(f"`{key}`: {known.get(key, {}).get('description', 'a name')}" for key in lacking)
        title = f"{quote_words(lacking, 'and')} {'is' if len(lacking) == 1 else 'are'} missing here"
        yield Diagnostic("E0143", title, _start(written, path), help=f"add {more}")
    elif error.validator == "additionalProperties":
        for key in error.instance:
            if key not in known:
                yield _unknown_key(str(key), error, written.keys[*path, key])
    else:
        yield _wrong_value(error, path, written)


def _lacking(error: Any) -> list[str]:
    """The keys that are missing; not those that are there by another name, which is told at that name."""
    known = error.schema.get("properties", {})
    misnamed = {_key_meant(str(key), error) for key in error.instance if key not in known}
    return [key for key in error.validator_value if key not in {*error.instance, *misnamed}]


def _synonym(key: str, error: Any) -> str:
    """The key for which people write this one, as the schema lists them."""
    return str(error.schema.get("synonyms", {}).get(to_slug(key.replace("_", "-")), ""))


def _key_meant(key: str, error: Any) -> str:
    """The key that is meant by one that is not known, or nothing."""
    return _synonym(key, error) or find_nearest(key, error.schema.get("properties", {}))


def _unknown_key(key: str, error: Any, place: Span) -> Diagnostic:
    known, said, meant = error.schema.get("properties", {}), _synonym(key, error), _key_meant(key, error)
    free = meant and meant not in error.instance
    remedy = f"delete it: `{meant}` is here already" if meant else ""
    remedy = (f"write `{said}`" if said else suggest_word(key, known)) if free else remedy
    return Diagnostic(
        "E0144",
        f"nothing is named `{key}` here",
        place,
        help=remedy or f"delete it, or write one of these: {quote_words(known)}",
        edits=(Edit(place, meant),) if free else (),
        exact=bool(free) and find_unambiguous(key, known) == meant,
    )


def _wrong_value(error: Any, path: Path, written: WrittenData) -> Diagnostic:
    key = next((str(part) for part in reversed(path) if isinstance(part, str)), "")
    choices = quote_words([str(x) for x in error.validator_value]) if error.validator == "enum" else ""
    described = error.schema.get("description", "")
    wanted = (choices or described or _shape(error.schema)) if path else _whole(error.schema)
    place = written.place(path) if path else _start(written, path)
    literal, note = _meant(error)
    near = find_nearest(str(error.instance), map(str, error.validator_value)) if choices and not literal else ""
    wanted, note = _of_shape(error) or (wanted, note)
    return Diagnostic(
        "E0145",
        f"{f'`{key}`' if key else 'this file'} cannot be {_value(error.instance)}",
        place,
        note=note or ("" if path else described),
        help=f"did you mean `{near}`?" if near else f"write `{literal}`" if literal else f"write {wanted}",
        edits=(Edit(place, literal or near),) if literal or near else (),
    )


def _of_shape(error: Any) -> tuple[str, str] | None:
    """A list where there are keys and values, or the other way round: what to write, and why."""
    type_, value = error.schema.get("type"), error.instance
    if type_ == "array" and isinstance(value, dict) and value:
        first = next(iter(value))
        shown = f"`- {first}: {value[first]}`" if isinstance(value[first], str | int) else f"`- ` before `{first}:`"
        rest = ", and its other lines two spaces further than the `-`" if len(value) > 1 else ""
        return f"{shown}{rest}", "Each item of a list begins with `- `."
    if type_ == "object" and isinstance(value, list) and value:
        first = value[0]
        pair = "`{}: {}`".format(*next(iter(first.items()))) if isinstance(first, dict) and first else "`name: value`"
        return f"each line as {pair}, without `- ` before it", "These are names with a value each, and no list."
    return None


def _shape(schema: Any) -> str:
    """What a value is made of, where the schema does not describe it."""
    known = schema.get("properties", {})
    return f"lines under it such as `{next(iter(known))}: ...`, of {quote_words(known)}" if known else "another value"


def _whole(schema: Any) -> str:
    """What a file consists of: the keys it must have, each as it can be written or with what it is for, or any."""
    known = schema["properties"]
    needed = "; ".join(_line(key, known[key]) for key in schema.get("required", ()))
    keys = f"at least these: {needed}" if needed else f"the keys are {quote_words(known, 'and')}"
    return f"lines of `key: value`, {keys}"


def _line(key: str, schema: Any) -> str:
    example = next(iter(schema.get("examples", ())), "")
    return f"`{key}: {example}`" if example else f"`{key}`: {schema['description']}"


def _meant(error: Any) -> tuple[str, str]:
    """The value that is meant by a wrong one, as it is written, and why; nothing, if that cannot be told."""
    value, schema = error.instance, error.schema
    wants = schema.get("type")
    if (wants == "array" or isinstance(wants, list) and "array" in wants and "," in str(value)) and _is_names(value):
        return f"[{value}]", "A list stands in square brackets, also if only one is in it."
    if isinstance(value, str) and value.rstrip()[-1:] in (",", ";"):
        less = value.rstrip(" ,;")
        return (less, f"A line ends without a `{value.rstrip()[-1]}`.") if _fits(less, schema) else ("", "")
    if (
        isinstance(value, str)
        and value.casefold() in NUMBER_WORDS
        and _fits(NUMBER_WORDS.index(value.casefold()), schema)
    ):
        return str(NUMBER_WORDS.index(value.casefold())), "A number is written in digits."
    if error.validator == "enum":
        said = schema.get("synonyms", {}).get(str(value).casefold().replace(" ", "-"), "")
        return said, ""
    if error.validator == "pattern" and isinstance(value, str):
        small = value.casefold()
        versioned = re.fullmatch(r"([a-z][\w-]*?)\s*[\s<>=~^@]+\s*v?\d[\d.]*", small)
        if versioned and _fits(versioned[1], schema):
            return versioned[1], "A name stands alone; which version that is, is not asked."
        name = "" if re.search(r"[\d.@]", value) else to_slug(value)
        ways = (name, small, f"#{small}", "#" + "".join(c * 2 for c in small[1:]))
        found = next((way for way in ways if len(way) <= LONGEST_SHOWN and re.search(schema["pattern"], way)), "")
        return (f'"{found}"' if found.startswith("#") else found), ""
    return "", ""


def _fits(value: str | int, schema: Any) -> bool:
    return bool(validator_of(schema).is_valid(value))


def _is_names(value: Any) -> bool:
    """Whether somebody wrote names where a list of them is wanted."""
    return isinstance(value, str) and bool(value) and all(c.isalnum() or c in "-_, " for c in value)


def _start(written: WrittenData, path: Path) -> Span:
    """Where a map begins: the key that leads to it, or its own first character."""
    return written.keys.get(path) or written.place(path)


def _value(value: Any) -> str:
    if isinstance(value, dict | list):
        return "a list" if isinstance(value, list) else "a map of keys and values"
    text = str(value)
    return f"`{text if len(text) <= LONGEST_SHOWN else text[:LONGEST_SHOWN] + '...'}`" if text else "empty"


def schema_findings(name: str, written: WrittenData) -> list[Diagnostic]:
    """What is wrong in a file written in YAML, by the fixed schema of that name."""
    fact = f"{name}-{digest(repr(written.data))}"
    if remembered(fact):
        return []
    from edict.compiler.sources.file_schemas import check_written  # jsonschema takes a while to load

    found = check_written(name, written)
    if not found:
        remember(fact)
    return found


__all__ = ["schema_findings"]
