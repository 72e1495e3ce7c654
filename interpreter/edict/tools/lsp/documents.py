"""Documents: opening, typing and closing, diagnostics while typing, fixes and formatting.

Names, types and changed definitions are checked at every key; all quick passes run as soon as typing pauses; code
generation is checked in another thread after a longer pause.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from lsprotocol import types as p

from edict.support.report import Edit
from edict.tools.language_service import diagnostics
from edict.tools.language_service.analysis import FolderRules
from edict.tools.language_service.answer_types import EditRefused, Problem
from edict.tools.language_service.formatting import format_edits, format_lines, indent_line
from edict.tools.language_service.workspace import Workspace
from edict.tools.lsp.editor_session import EditorServer, path_from_uri, refresh_lenses, uri_from_path

TYPING_DELAY, PAUSED, LATER = 0.03, 0.2, 0.5  # seconds after the last change
SEVERITY = {"error": p.DiagnosticSeverity.Error, "warning": p.DiagnosticSeverity.Warning}
SOURCE = "edict"


def register(server: EditorServer) -> None:
    """Register the handlers for documents."""
    _register_text_handlers(server)
    _register_edit_handlers(server)


def _register_text_handlers(server: EditorServer) -> None:
    """Register the handlers for start, opening, typing, closing, saving and changes by other programs."""

    @server.feature(p.INITIALIZE)
    def _initialize(params: p.InitializeParams) -> None:
        """Open the editor's folders, or its root if it names none, as the workspace."""
        folders = [path_from_uri(folder.uri) for folder in params.workspace_folders or ()]
        root = [path_from_uri(params.root_uri)] if params.root_uri and not folders else []
        server.space = Workspace((*folders, *root), server.game)

    @server.feature(p.TEXT_DOCUMENT_DID_OPEN)
    def _did_open(params: p.DidOpenTextDocumentParams) -> None:
        server.open.add(path_from_uri(params.text_document.uri))
        _update_text(server, params.text_document.uri)

    @server.feature(p.TEXT_DOCUMENT_DID_CHANGE)
    def _did_change(params: p.DidChangeTextDocumentParams) -> None:
        _update_text(server, params.text_document.uri)

    @server.feature(p.TEXT_DOCUMENT_DID_CLOSE)
    def _did_close(params: p.DidCloseTextDocumentParams) -> None:
        """Use the file on disk again instead of the closed text, and check."""
        path = path_from_uri(params.text_document.uri)
        server.open.discard(path)
        server.space.drop_text(path)
        _schedule_check(server)

    @server.feature(p.TEXT_DOCUMENT_DID_SAVE)
    def _did_save(params: p.DidSaveTextDocumentParams) -> None:
        """Read all files again, and check."""
        server.space.invalidate()
        _schedule_check(server)

    @server.feature(p.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def _did_change_watched_files(params: p.DidChangeWatchedFilesParams) -> None:
        """Read all files again after another program changed some, and check."""
        server.space.invalidate()
        _schedule_check(server)


def _update_text(server: EditorServer, uri: str) -> None:
    """Take over the editor's text of a document into the workspace, and schedule a check."""
    server.space.set_text(path_from_uri(uri), server.workspace.get_text_document(uri).source)
    _schedule_check(server)


def _schedule_check(server: EditorServer) -> None:
    """Check all open rules in the background, and abandon a check that an earlier change started."""
    server.change_count += 1
    server.run_in_background(_run_check(server, server.change_count))


async def _run_check(server: EditorServer, turn: int) -> None:
    """Check open rules in three stages, each after a longer pause in typing; stop if the change count moves on."""
    await asyncio.sleep(TYPING_DELAY)
    partly_checked = list[FolderRules]()
    for rules in _iter_open_rules(server):
        if server.change_count != turn:
            return
        _publish_problems(server, rules, diagnostics.list_problems_while_typing(rules))
        partly_checked += [] if rules.is_checked else [rules]
        await asyncio.sleep(0)  # let other requests run
    await asyncio.sleep(PAUSED - TYPING_DELAY)
    for rules in partly_checked:
        if server.change_count != turn:
            return
        _publish_problems(server, rules, diagnostics.list_rule_problems(rules))
        await asyncio.sleep(0)
    await asyncio.sleep(LATER - PAUSED)
    for rules in _iter_open_rules(server):
        full_check = rules.prepare_full_check() if server.change_count == turn else None
        if full_check is not None:
            version = rules.version
            if rules.accept_full_check(version, await asyncio.to_thread(full_check)):
                _publish_problems(server, rules, diagnostics.list_rule_problems(rules))
        analysis = rules.get_analysis() if server.change_count == turn else None
        if analysis is not None:
            analysis.warm_caches()
    workspace = server.client_capabilities.workspace
    hints = workspace.inlay_hint if workspace is not None else None
    if hints is not None and hints.refresh_support and server.change_count == turn:
        server.workspace_inlay_hint_refresh(None)  # changed lines are analyzed by now
    if server.change_count == turn:
        refresh_lenses(server)


def _iter_open_rules(server: EditorServer) -> Iterator[FolderRules]:
    """Yield each rules folder with an open file once, then those whose problems the editor still shows."""
    open_rules = [server.space.get_rules(path) for path in sorted(server.open)]
    shown = [rules for rules, problems in server.published.items() if any(problems.values())]
    yield from dict.fromkeys(rules for rules in (*open_rules, *shown) if rules is not None)


def _publish_problems(server: EditorServer, rules: FolderRules, problems: Iterable[Problem]) -> None:
    """Publish the problems of some rules; files without problems get an empty list."""
    published_before = server.published.get(rules, {})
    by_path: dict[Path, tuple[p.Diagnostic, ...]] = {}
    for problem in problems:
        by_path[problem.where.path] = (*by_path.get(problem.where.path, ()), to_diagnostic(server, problem))
    server.published[rules] = by_path
    for path in sorted(
        {*published_before, *by_path, *(item for item in server.open if server.space.get_rules(item) is rules)}
    ):
        diagnostics_of_file = [
            item for by_path_of_rules in server.published.values() for item in by_path_of_rules.get(path, ())
        ]
        unique = [item for number, item in enumerate(diagnostics_of_file) if item not in diagnostics_of_file[:number]]
        version = server.get_document_version(path)
        server.text_document_publish_diagnostics(p.PublishDiagnosticsParams(uri_from_path(path), unique, version))


def to_diagnostic(server: EditorServer, problem: Problem) -> p.Diagnostic:
    """Convert a problem to the protocol's type."""
    related = [p.DiagnosticRelatedInformation(server.to_location(location), text) for location, text in problem.related]
    return p.Diagnostic(
        server.to_range(problem.where.path, problem.where.span),
        problem.message,
        SEVERITY[problem.severity],
        problem.code,
        source=SOURCE,
        related_information=related or None,
    )


# --- fixes and formatting -------------------------------------------------------------------------


def _register_edit_handlers(server: EditorServer) -> None:
    """Register the handlers for quick fixes and formatting: of a file, of lines and while typing."""

    @server.feature(p.TEXT_DOCUMENT_CODE_ACTION, p.CodeActionOptions([p.CodeActionKind.QuickFix]))
    def _code_actions(params: p.CodeActionParams) -> list[p.CodeAction]:
        """Return the quick fixes of the file's problems within the requested range."""
        path = path_from_uri(params.text_document.uri)
        problems = diagnostics.list_problems(server.space, path, full=False)
        return list(
            _iter_code_actions(server, (problem for problem in problems if problem.where.path == path), params.range)
        )

    @server.feature(p.TEXT_DOCUMENT_FORMATTING)
    def _format_document(params: p.DocumentFormattingParams) -> list[p.TextEdit]:
        """Return the edits that format a file; show a warning and return none if it does not parse."""
        path = path_from_uri(params.text_document.uri)
        try:
            edits = format_edits(server.space, path)
        except EditRefused as reason:
            server.window_show_message(p.ShowMessageParams(p.MessageType.Warning, str(reason)))
            return []
        return [server.to_text_edit(path, edit) for edit in edits]

    @server.feature(p.TEXT_DOCUMENT_RANGE_FORMATTING)
    def _format_range(params: p.DocumentRangeFormattingParams) -> list[p.TextEdit]:
        """Return the edits that format each definition overlapping the range as a whole."""
        path, first, last = (
            path_from_uri(params.text_document.uri),
            params.range.start.line + 1,
            params.range.end.line + 1,
        )
        return _try_edits(server, path, lambda: format_lines(server.space, path, first, last))

    @server.feature(p.TEXT_DOCUMENT_ON_TYPE_FORMATTING, p.DocumentOnTypeFormattingOptions("\n"))
    def _format_as_typed(params: p.DocumentOnTypeFormattingParams) -> list[p.TextEdit]:
        """Return the edit that indents the line begun by a typed line break."""
        path = path_from_uri(params.text_document.uri)
        return _try_edits(
            server, path, lambda: indent_line(server.space, path, server.to_text_position(path, params.position))
        )


def _try_edits(server: EditorServer, path: Path, make_edits: Callable[[], tuple[Edit, ...]]) -> list[p.TextEdit]:
    """Return the edits that a function makes; none if it refuses."""
    try:
        return [server.to_text_edit(path, edit) for edit in make_edits()]
    except EditRefused:
        return []


def _iter_code_actions(
    server: EditorServer, problems: Iterator[Problem], wanted_range: p.Range
) -> Iterator[p.CodeAction]:
    """Yield the fixes of problems in a range; a fix that is the only possible one is marked as preferred."""
    for problem in problems:
        converted = to_diagnostic(server, problem)
        overlaps = (
            converted.range.start.line <= wanted_range.end.line and wanted_range.start.line <= converted.range.end.line
        )
        if problem.fix is not None and overlaps:
            edit = server.to_workspace_edit(problem.fix.changes)
            kind = p.CodeActionKind.QuickFix
            yield p.CodeAction(problem.fix.title, kind, [converted], is_preferred=problem.fix.sure, edit=edit)
