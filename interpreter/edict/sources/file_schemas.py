"""The schemas in `grammar/schema/`: for manifests, scenes and table files, and for what the engine writes itself."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

from edict import resources
from edict.sources.json_schema import by_place, findings_in, first_findings, validator_of
from edict.sources.strict_yaml import Path, Written
from edict.report import Diagnostic, Edit, did_you_mean, listed
from edict.text import Span

LONGEST_SHOWN = 100  # characters of a value that is wrong
FIXED = (
    "module", "scenes", "table", "program", "diagnostics", "study", "comparison", "weights", "league", "view", "look",
    "tutorial",
)  # fmt: skip


@cache
def _fixed_text(name: str) -> str:
    return (resources.grammar() / "schema" / f"{name}.schema.json").read_text(encoding="utf-8")


def fixed_schema(name: str) -> dict[str, Any]:
    """The schema of a file, by one of the names in `FIXED`. Raises `KeyError` for another name."""
    if name not in FIXED:
        raise KeyError(f"no schema `{name}`; there are {', '.join(FIXED)}")
    return dict(json.loads(_fixed_text(name)))


@cache
def _fixed_validator(name: str) -> Any:
    return validator_of(fixed_schema(name))


def check_written(name: str, written: Written) -> list[Diagnostic]:
    """A file written in YAML against the fixed schema of that name."""
    places = by_place(_fixed_validator(name).iter_errors(written.data))
    errors = [(path, error) for path, all_ in places.items() for error in all_]
    found = (d for path, error in errors for d in _of_file(error, path, written))
    return first_findings(found, sum(findings_in(error) for _, error in errors), _start(written, ()))


def _of_file(error: Any, path: Path, written: Written) -> Iterator[Diagnostic]:
    known: dict[str, Any] = error.schema.get("properties", {}) if isinstance(error.schema, dict) else {}
    if error.validator == "required":
        lacking = [key for key in error.validator_value if key not in error.instance]
        more = "; ".join(f"`{key}`: {known.get(key, {}).get('description', 'a name')}" for key in lacking)
        title = f"{listed(lacking, 'and')} {'is' if len(lacking) == 1 else 'are'} missing here"
        yield Diagnostic("E0143", title, _start(written, path), help=f"add {more}")
    elif error.validator == "additionalProperties":
        for key in error.instance:
            if key not in known:
                remedy = did_you_mean(key, known) or f"what can stand here: {listed(known)}"
                yield Diagnostic("E0144", f"nothing is called `{key}` here", written.keys[*path, key], help=remedy)
    else:
        yield _wrong_value(error, path, written)


def _wrong_value(error: Any, path: Path, written: Written) -> Diagnostic:
    key = next((str(part) for part in reversed(path) if isinstance(part, str)), "this file")
    choices = listed([str(x) for x in error.validator_value]) if error.validator == "enum" else ""
    described = error.schema.get("description", "")
    wanted = choices or described or str(error.schema.get("type", "something else"))
    near = did_you_mean(str(error.instance), error.validator_value) if error.validator == "enum" else ""
    place = written.place(path) if path else _start(written, path)
    literal = f"[{error.instance}]" if error.schema.get("type") == "array" and _is_names(error.instance) else ""
    return Diagnostic(
        "E0145",
        f"`{key}` cannot be {_value(error.instance)}",
        place,
        note="A list stands in square brackets, also if only one is in it." if literal else "",
        help=f"write `{literal}`" if literal else near or f"write {wanted}",
        edits=(Edit(place, literal),) if literal else (),
    )


def _is_names(value: Any) -> bool:
    """Whether somebody wrote names where a list of them is wanted."""
    return isinstance(value, str) and bool(value) and all(c.isalnum() or c in "-_, " for c in value)


def _start(written: Written, path: Path) -> Span:
    """Where a map begins: the key that leads to it, or its own first character."""
    return written.keys.get(path) or written.place(path)


def _value(value: Any) -> str:
    if isinstance(value, dict | list):
        return "a list" if isinstance(value, list) else "a map of keys and values"
    text = str(value)
    return f"`{text if len(text) <= LONGEST_SHOWN else text[:LONGEST_SHOWN] + '...'}`" if text else "empty"
