"""What the page sends as JSON, and what it is answered: answers of the language service as plain data, texts as HTML.

Places count lines and characters from 1.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from itertools import groupby
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt
from starlette.responses import JSONResponse, Response

from edict.game.table.game_errors import GameError
from edict.support.report import Edit, RulesError
from edict.support.text import Span
from edict.tools.language_service.answer_types import Colour, FileEdits, Fix, Item, Location, Problem, Refused
from edict.tools.studio.studio_errors import Clash, StudioError

# --- answers ---------------------------------------------------------------------------------------


async def answered(answer: Awaitable[Any]) -> Response:
    """The answer as data; the reason, for what cannot be done."""
    try:
        return JSONResponse(await answer)
    except Clash as problem:
        return JSONResponse({"refused": reason(problem), "clash": True}, 409)
    except (Refused, StudioError, GameError, RulesError) as problem:
        return JSONResponse({"refused": reason(problem)}, 422)


def reason(problem: Exception) -> str:
    """Why something cannot be done, as one sentence that begins small and has no full stop."""
    if isinstance(problem, RulesError):
        return f"the rules have errors: {problem.first}"
    if isinstance(problem, StudioError | GameError):
        remedy = f"; {problem.remedy}" if problem.remedy else ""
        return f"{problem.reason}{remedy}"
    return str(problem)


# --- answers of the language service ---------------------------------------------------------------


Data = dict[str, Any]
Naming = Callable[[Path], str]  # what the page calls a file; nothing for one that is not the author's


def place(span: Span) -> list[int]:
    """Line, column, last line, column behind the end."""
    return [span.line, span.column, span.end_line, span.end_column]


def problem(one: Problem, named: Naming) -> Data:
    """A problem with the places that belong to it, and its remedy."""
    return {
        "file": named(one.where.path),
        "at": place(one.where.span),
        "severity": one.severity,
        "code": one.code,
        "message": one.message,
        "related": [related(where, text, named) for where, text in one.related],
        "fix": fix(one.fix, named) if one.fix is not None else None,
    }


def related(where: Location, text: str, named: Naming) -> Data:
    return {"file": named(where.path), "at": place(where.span), "text": text, "said": str(where.span)}


def fix(one: Fix, named: Naming) -> Data | None:
    """A remedy; none if it would change a file that is not the author's."""
    if not all(named(change.path) for change in one.changes):
        return None
    return {"title": one.title, "sure": one.sure, "changes": changes(one.changes, named)}


def changes(all_: Iterable[FileEdits], named: Naming) -> list[Data]:
    return [{"file": named(one.path), "edits": [edit(each) for each in one.edits]} for one in all_]


def edit(one: Edit) -> Data:
    return {"at": place(one.span), "text": one.text}


def item(one: Item) -> Data:
    return {
        "label": one.label,
        "sort": one.sort,
        "detail": one.detail,
        "words": one.words,
        "text": one.text or one.label,
        "rank": one.rank,
        "snippet": one.snippet,
    }


def colours(all_: Iterable[Colour]) -> list[list[Any]]:
    """By line: its number, then column, column behind the end and sort of each stretch."""
    lines = groupby(all_, key=lambda one: one.span.line)
    return [[line, *([one.span.column, one.span.end_column, one.sort] for one in some)] for line, some in lines]


# --- texts -----------------------------------------------------------------------------------------


LEFT_OUT = ["image", "link", "autolink", "html_block", "html_inline"]
_MADE = MarkdownIt("commonmark", {"html": False}).enable("table").disable(LEFT_OUT)


def prose(text: str) -> str:
    """The HTML of a text in Markdown; tags in it are escaped."""
    return str(_MADE.render(text))
