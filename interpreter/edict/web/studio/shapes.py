"""Answers of the language service as plain data for the page. Places count lines and characters from 1."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import groupby
from pathlib import Path
from typing import Any

from edict.report import Edit
from edict.service.values import Change, Colour, Fix, Item, Location, Problem
from edict.text import Span

Data = dict[str, Any]
Naming = Callable[[Path], str]  # what the page calls a file; nothing for one that is not the author's


def place(span: Span) -> list[int]:
    """Line, column, last line, column behind the end."""
    return [span.line, span.column, span.end_line, span.end_column]


def problem(one: Problem, named: Naming) -> Data:
    """A problem with the places that belong to it, and its remedy."""
    return {
        "file": named(one.where.path), "at": place(one.where.span), "severity": one.severity, "code": one.code,
        "message": one.message, "related": [related(where, text, named) for where, text in one.related],
        "fix": fix(one.fix, named) if one.fix is not None else None,
    }  # fmt: skip


def related(where: Location, text: str, named: Naming) -> Data:
    return {"file": named(where.path), "at": place(where.span), "text": text, "said": str(where.span)}


def fix(one: Fix, named: Naming) -> Data | None:
    """A remedy; none if it would change a file that is not the author's."""
    if not all(named(change.path) for change in one.changes):
        return None
    return {"title": one.title, "sure": one.sure, "changes": changes(one.changes, named)}


def changes(all_: Iterable[Change], named: Naming) -> list[Data]:
    return [{"file": named(one.path), "edits": [edit(each) for each in one.edits]} for one in all_]


def edit(one: Edit) -> Data:
    return {"at": place(one.span), "text": one.text}


def item(one: Item) -> Data:
    return {
        "label": one.label, "sort": one.sort, "detail": one.detail, "words": one.words, "text": one.text or one.label,
        "rank": one.rank, "snippet": one.snippet,
    }  # fmt: skip


def colours(all_: Iterable[Colour]) -> list[list[Any]]:
    """By line: its number, then column, column behind the end and sort of each stretch."""
    lines = groupby(all_, key=lambda one: one.span.line)
    return [[line, *([one.span.column, one.span.end_column, one.sort] for one in some)] for line, some in lines]
