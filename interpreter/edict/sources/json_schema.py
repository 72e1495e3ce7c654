"""Data against a JSON Schema, and what is wrong with it, place by place. The one door to jsonschema."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from edict.sources.strict_yaml import Path
from edict.report import MOST_FINDINGS, Diagnostic, more_findings
from edict.text import Span


def validator_of(schema: dict[str, Any]) -> Any:
    from jsonschema import Draft202012Validator  # not before it is needed: it takes a while to load

    return Draft202012Validator(schema)


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
    return [*shown, more_findings(span, count - len(shown))] if count > len(shown) else shown
