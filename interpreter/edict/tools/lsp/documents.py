"""Texts as they are opened, typed and closed, and what is wrong with them, told while you type; remedies and layout.

What is wrong with names, types and what was changed is reported with every key; all that is quick to find, as soon as
typing pauses; and what only making the machine's code finds out is looked for in another thread once nobody has typed
for longer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from lsprotocol import types as p

from edict.support.report import Edit
from edict.tools.language_service import diagnostics
from edict.tools.language_service.analysis import Rules
from edict.tools.language_service.answer_types import Problem, Refused
from edict.tools.language_service.formatting import indented, laid_out_lines, layout_edits
from edict.tools.language_service.workspace import Workspace
from edict.tools.lsp.editor_session import Server, path_of, refresh_lenses, uri_of

SOON, PAUSED, LATER = 0.03, 0.2, 0.5  # seconds without a change
SEVERITY = {"error": p.DiagnosticSeverity.Error, "warning": p.DiagnosticSeverity.Warning}
SOURCE = "edict"


def register(server: Server) -> None:
    """Take part in what happens to documents."""
    _of_texts(server)
    _of_edits(server)


def _of_texts(server: Server) -> None:
    @server.feature(p.INITIALIZE)
    def _begin(given: p.InitializeParams) -> None:
        folders = [path_of(one.uri) for one in given.workspace_folders or ()]
        root = [path_of(given.root_uri)] if given.root_uri and not folders else []
        server.space = Workspace((*folders, *root), server.game)

    @server.feature(p.TEXT_DOCUMENT_DID_OPEN)
    def _opened(given: p.DidOpenTextDocumentParams) -> None:
        server.open.add(path_of(given.text_document.uri))
        _laid(server, given.text_document.uri)

    @server.feature(p.TEXT_DOCUMENT_DID_CHANGE)
    def _changed(given: p.DidChangeTextDocumentParams) -> None:
        _laid(server, given.text_document.uri)

    @server.feature(p.TEXT_DOCUMENT_DID_CLOSE)
    def _closed(given: p.DidCloseTextDocumentParams) -> None:
        path = path_of(given.text_document.uri)
        server.open.discard(path)
        server.space.lift(path)
        _check(server)

    @server.feature(p.TEXT_DOCUMENT_DID_SAVE)
    def _saved(given: p.DidSaveTextDocumentParams) -> None:
        server.space.forget()
        _check(server)

    @server.feature(p.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def _others(given: p.DidChangeWatchedFilesParams) -> None:
        server.space.forget()
        _check(server)


def _laid(server: Server, uri: str) -> None:
    server.space.lay(path_of(uri), server.workspace.get_text_document(uri).source)
    _check(server)


def _check(server: Server) -> None:
    """Tell what is wrong, as soon as nobody types; what an earlier change started is given up."""
    server.turn += 1
    server.start(_checked(server, server.turn))


async def _checked(server: Server, turn: int) -> None:
    await asyncio.sleep(SOON)
    in_part = list[Rules]()
    for rules in _opened_rules(server):
        if server.turn != turn:
            return
        _publish(server, rules, diagnostics.problems_at_once(rules))
        in_part += [] if rules.is_checked else [rules]
        await asyncio.sleep(0)  # a question may have come meanwhile
    await asyncio.sleep(PAUSED - SOON)
    for rules in in_part:
        if server.turn != turn:
            return
        _publish(server, rules, diagnostics.problems_of(rules))
        await asyncio.sleep(0)
    await asyncio.sleep(LATER - PAUSED)
    for rules in _opened_rules(server):
        rest = rules.rest() if server.turn == turn else None
        if rest is not None:
            version = rules.version
            if rules.completed(version, await asyncio.to_thread(rest)):
                _publish(server, rules, diagnostics.problems_of(rules))
        known = rules.analysis() if server.turn == turn else None
        if known is not None:
            known.prepare()
    workspace = server.client_capabilities.workspace
    hints = workspace.inlay_hint if workspace is not None else None
    if hints is not None and hints.refresh_support and server.turn == turn:
        server.workspace_inlay_hint_refresh(None)  # the lines that were changed are understood by now
    if server.turn == turn:
        refresh_lenses(server)


def _opened_rules(server: Server) -> Iterator[Rules]:
    """The rules that open files belong to, each once; then those of which problems are shown still."""
    found = [server.space.rules(path) for path in sorted(server.open)]
    shown = [rules for rules, problems in server.published.items() if any(problems.values())]
    yield from dict.fromkeys(rules for rules in (*found, *shown) if rules is not None)


def _publish(server: Server, rules: Rules, problems: Iterable[Problem]) -> None:
    """Publish what is known about these rules; files without errors get an empty list."""
    before = server.published.get(rules, {})
    now: dict[Path, tuple[p.Diagnostic, ...]] = {}
    for problem in problems:
        now[problem.where.path] = (*now.get(problem.where.path, ()), diagnostic(server, problem))
    server.published[rules] = now
    for path in sorted({*before, *now, *(one for one in server.open if server.space.rules(one) is rules)}):
        told = [one for found in server.published.values() for one in found.get(path, ())]
        unique = [one for number, one in enumerate(told) if one not in told[:number]]
        server.text_document_publish_diagnostics(p.PublishDiagnosticsParams(uri_of(path), unique))


def diagnostic(server: Server, problem: Problem) -> p.Diagnostic:
    """A problem as the protocol has it."""
    related = [p.DiagnosticRelatedInformation(server.location(where), text) for where, text in problem.related]
    return p.Diagnostic(
        server.range(problem.where.path, problem.where.span),
        problem.message,
        SEVERITY[problem.severity],
        problem.code,
        source=SOURCE,
        related_information=related or None,
    )


# --- remedies and layout --------------------------------------------------------------------------


def _of_edits(server: Server) -> None:
    @server.feature(p.TEXT_DOCUMENT_CODE_ACTION, p.CodeActionOptions([p.CodeActionKind.QuickFix]))
    def _fixes(asked: p.CodeActionParams) -> list[p.CodeAction]:
        path = path_of(asked.text_document.uri)
        problems = diagnostics.problems(server.space, path, whole=False)
        return list(_actions(server, (problem for problem in problems if problem.where.path == path), asked.range))

    @server.feature(p.TEXT_DOCUMENT_FORMATTING)
    def _format(asked: p.DocumentFormattingParams) -> list[p.TextEdit]:
        path = path_of(asked.text_document.uri)
        try:
            edits = layout_edits(server.space, path)
        except Refused as reason:
            server.window_show_message(p.ShowMessageParams(p.MessageType.Warning, str(reason)))
            return []
        return [server.text_edit(path, edit) for edit in edits]

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
