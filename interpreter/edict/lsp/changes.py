"""Changes an editor asks for: remedies of what is wrong, and the layout of a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from lsprotocol import types as p

from edict.lsp.documents import diagnostic
from edict.lsp.editor_session import Server, path_of
from edict.report import Edit
from edict.service import diagnostics
from edict.service.formatting import indented, laid_out, laid_out_lines
from edict.service.answer_types import Problem, Refused


def register(server: Server) -> None:
    """Take part in changes."""

    @server.feature(p.TEXT_DOCUMENT_CODE_ACTION, p.CodeActionOptions([p.CodeActionKind.QuickFix]))
    def _fixes(asked: p.CodeActionParams) -> list[p.CodeAction]:
        path = path_of(asked.text_document.uri)
        found = (one for one in diagnostics.problems(server.space, path, whole=False) if one.where.path == path)
        return list(_actions(server, found, asked.range))

    @server.feature(p.TEXT_DOCUMENT_FORMATTING)
    def _format(asked: p.DocumentFormattingParams) -> list[p.TextEdit]:
        path = path_of(asked.text_document.uri)
        try:
            text = laid_out(server.space, path)
        except Refused as reason:
            server.window_show_message(p.ShowMessageParams(p.MessageType.Warning, str(reason)))
            return []
        lines = server.lines(path)
        whole = p.Range(p.Position(0, 0), p.Position(len(lines), 0))
        return [p.TextEdit(whole, text)] if text != server.space.text(path) else []

    @server.feature(p.TEXT_DOCUMENT_RANGE_FORMATTING)
    def _format_lines(asked: p.DocumentRangeFormattingParams) -> list[p.TextEdit]:
        path, first, last = path_of(asked.text_document.uri), asked.range.start.line + 1, asked.range.end.line + 1
        return _edits(server, path, lambda: laid_out_lines(server.space, path, first, last))

    @server.feature(p.TEXT_DOCUMENT_ON_TYPE_FORMATTING, p.DocumentOnTypeFormattingOptions("\n"))
    def _format_as_typed(asked: p.DocumentOnTypeFormattingParams) -> list[p.TextEdit]:
        path = path_of(asked.text_document.uri)
        return _edits(server, path, lambda: indented(server.space, path, server.at(path, asked.position)))


def _edits(server: Server, path: Path, change: Callable[[], tuple[Edit, ...]]) -> list[p.TextEdit]:
    """The edits of a change, none where it is refused."""
    try:
        return [server.text_edit(path, edit) for edit in change()]
    except Refused:
        return []


def _actions(server: Server, found: Iterator[Problem], asked: p.Range) -> Iterator[p.CodeAction]:
    """The remedies of what lies in a stretch; the only one of its kind is the editor's first choice."""
    for problem in found:
        told = diagnostic(server, problem)
        touches = told.range.start.line <= asked.end.line and asked.start.line <= told.range.end.line
        if problem.fix is not None and touches:
            edit = server.edits(problem.fix.changes)
            kind = p.CodeActionKind.QuickFix
            yield p.CodeAction(problem.fix.title, kind, [told], is_preferred=problem.fix.sure, edit=edit)
