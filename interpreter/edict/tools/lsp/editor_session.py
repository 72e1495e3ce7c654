"""One editor's session: its workspace, and files and places as the protocol has them."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from lsprotocol import types as p
from pygls.exceptions import FeatureNotificationError
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path
from pygls.workspace import PositionCodec

from edict.support.report import Edit
from edict.support.text import Span
from edict.tools.language_service.analysis import Rules
from edict.tools.language_service.answer_types import At, FileEdits, Location, SceneResults
from edict.tools.language_service.workspace import Workspace


class Server(LanguageServer):
    """The server with the workspace it answers about; `game` is what modules are laid over that name no game."""

    def __init__(self, name: str, version: str, game: str = "") -> None:
        super().__init__(name, version, text_document_sync_kind=p.TextDocumentSyncKind.Incremental)
        self.game = game
        self.space = Workspace((), game)
        self.open: set[Path] = set()
        self.published: dict[Rules, dict[Path, tuple[p.Diagnostic, ...]]] = {}  # by the rules that were checked
        self.results: dict[Path, SceneResults] = {}  # of the scenes that were run last, by the module's folder
        self.turn = 0  # counts changes: what an older one started is given up
        self._running: set[asyncio.Task[None]] = set()  # asyncio itself holds tasks only weakly

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        """Do this beside answering, and report it if it fails."""
        task = asyncio.get_running_loop().create_task(work)
        self._running.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        failed = task.exception() if not task.cancelled() else None
        if isinstance(failed, Exception):
            self.report_server_error(failed, FeatureNotificationError)

    @property
    def codec(self) -> PositionCodec:
        return self.workspace.position_codec

    def at(self, path: Path, position: p.Position) -> At:
        """A place of the protocol, which counts from 0 in the editor's units, as one of the service."""
        place = self.codec.position_from_client_units(self.lines(path), position)
        return At(place.line + 1, place.character + 1)

    def position(self, path: Path, at: At) -> p.Position:
        """A place of the service as one of the protocol."""
        return self.range(path, Span("", at.line, at.column, at.line, at.column)).start

    def range(self, path: Path, span: Span) -> p.Range:
        return ProtocolPlaces(self).range(path, span)

    def lines(self, path: Path) -> Sequence[str]:
        return self.space.text(path).split("\n")  # with the line behind the last end of line, in which one may type

    def location(self, where: Location) -> p.Location:
        return ProtocolPlaces(self).location(where)

    def text_edit(self, path: Path, edit: Edit) -> p.TextEdit:
        return p.TextEdit(self.range(path, edit.span), edit.text)

    def edits(self, changes: Sequence[FileEdits]) -> p.WorkspaceEdit:
        """Edits of several files as the protocol has them."""
        return p.WorkspaceEdit(
            changes={uri_of(one.path): [self.text_edit(one.path, edit) for edit in one.edits] for one in changes}
        )


def refresh_lenses(server: Server) -> None:
    """Have the editor ask again what stands above things, if it can be told to."""
    workspace = server.client_capabilities.workspace
    lenses = workspace.code_lens if workspace is not None else None
    if lenses is not None and lenses.refresh_support:
        server.workspace_code_lens_refresh(None)


class ProtocolPlaces:
    """Places of the service as the protocol has them, all in one answer: each text is read once."""

    def __init__(self, server: Server) -> None:
        self.codec = server.codec
        self._lines = cache(server.lines)
        self._uri = cache(uri_of)

    def range(self, path: Path, span: Span) -> p.Range:
        start = p.Position(max(span.line - 1, 0), max(span.column - 1, 0))
        end = p.Position(max(span.end_line - 1, 0), max(span.end_column - 1, 0))
        return self.codec.range_to_client_units(self._lines(path), p.Range(start, end))

    def location(self, where: Location) -> p.Location:
        return p.Location(self._uri(where.path), self.range(where.path, where.span))


def path_of(uri: str) -> Path:
    """The file a URI names; one that names no file gives a path that lies in no rules."""
    return Path(to_fs_path(uri) or "/").resolve()


def uri_of(path: Path) -> str:
    uri: str | None = from_fs_path(str(path))
    assert uri is not None  # as only what is no path has none
    return uri
