"""JSON for the page of the studio: answers of the language service as plain data, and Markdown as HTML.

Lines and columns count from 1.
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
from edict.support.request_errors import RequestError
from edict.support.text import Span
from edict.tools.language_service.answer_types import (
    Completion,
    EditRefused,
    FileEdits,
    Fix,
    Location,
    Problem,
    SemanticToken,
)
from edict.tools.studio import FileConflict, StudioError

# --- answers ---------------------------------------------------------------------------------------


async def to_response(awaitable: Awaitable[Any]) -> Response:
    """Await a result and return it as JSON.

    Expected errors become `{"refused": reason}`, with status 409 for a file conflict and 422 otherwise.
    """
    try:
        return JSONResponse(await awaitable)
    except FileConflict as error:
        return JSONResponse({"refused": explain_error(error), "clash": True}, 409)
    except (EditRefused, StudioError, GameError, RulesError) as error:
        return JSONResponse({"refused": explain_error(error)}, 422)


def explain_error(error: RequestError | RulesError) -> str:
    """Return an error as one sentence that begins in lower case and has no full stop."""
    if isinstance(error, RulesError):
        return f"the rules have errors: {error.first}"
    return f"{error.reason}; {error.remedy}" if error.remedy else error.reason


# --- answers of the language service ---------------------------------------------------------------


Data = dict[str, Any]
FileNamer = Callable[[Path], str]  # returns the page's name of a file; empty for a file that is not the author's


def span_data(span: Span) -> list[int]:
    """Return a span as line, column, last line, and the column behind its end."""
    return [span.line, span.column, span.end_line, span.end_column]


def problem_data(problem: Problem, name_file: FileNamer) -> Data:
    """Return a problem with its related places and its fix."""
    return {
        "file": name_file(problem.where.path),
        "at": span_data(problem.where.span),
        "severity": problem.severity,
        "code": problem.code,
        "message": problem.message,
        "related": [location_data(location, text, name_file) for location, text in problem.related],
        "fix": fix_data(problem.fix, name_file) if problem.fix is not None else None,
    }


def location_data(location: Location, text: str, name_file: FileNamer) -> Data:
    """Return a location with a text about it."""
    return {"file": name_file(location.path), "at": span_data(location.span), "text": text, "said": str(location.span)}


def fix_data(fix: Fix, name_file: FileNamer) -> Data | None:
    """Return a fix as JSON data (`title`, `sure`, `changes`); None if it edits a file that is not the author's."""
    if not all(name_file(change.path) for change in fix.changes):
        return None
    return {"title": fix.title, "sure": fix.sure, "changes": file_edits_data(fix.changes, name_file)}


def file_edits_data(file_edits: Iterable[FileEdits], name_file: FileNamer) -> list[Data]:
    """Return as JSON data for each changed file its name (`file`) and its `edits`."""
    return [
        {"file": name_file(file.path), "edits": [edit_data(text_edit) for text_edit in file.edits]}
        for file in file_edits
    ]


def edit_data(edit: Edit) -> Data:
    """Return a text edit."""
    return {"at": span_data(edit.span), "text": edit.text}


def completion_data(completion: Completion) -> Data:
    """Return a completion as JSON data; `text` is the label if nothing else is to be inserted."""
    return {
        "label": completion.label,
        "sort": completion.sort,
        "detail": completion.detail,
        "words": completion.words,
        "text": completion.text or completion.label,
        "rank": completion.rank,
        "snippet": completion.snippet,
    }


def token_data(tokens: Iterable[SemanticToken]) -> list[list[Any]]:
    """Return one list for each line with tokens: its number, then [column, end column, type] for each token."""
    lines = groupby(tokens, key=lambda token: token.span.line)
    return [
        [line, *([token.span.column, token.span.end_column, token.sort] for token in line_tokens)]
        for line, line_tokens in lines
    ]


# --- texts -----------------------------------------------------------------------------------------


DISABLED_MARKDOWN = ["image", "link", "autolink", "html_block", "html_inline"]
_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table").disable(DISABLED_MARKDOWN)


def render_markdown(text: str) -> str:
    """Return Markdown as HTML; HTML tags in it are escaped."""
    return str(_MARKDOWN.render(text))
