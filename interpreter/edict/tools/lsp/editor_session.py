"""The session of one editor: its workspace, and conversion of files and positions to the protocol's types."""

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
from edict.tools.language_service.analysis import FolderRules
from edict.tools.language_service.answer_types import FileEdits, Location, ModuleSceneResults, TextPosition
from edict.tools.language_service.workspace import Workspace


class EditorServer(LanguageServer):
    """The language server with its workspace.

    Modules that name no game are laid over `game`.
    """

    def __init__(self, name: str, version: str, game: str = "") -> None:
        super().__init__(name, version, text_document_sync_kind=p.TextDocumentSyncKind.Incremental)
        self.game = game
        self.space = Workspace((), game)
        self.open: set[Path] = set()
        self.published: dict[FolderRules, dict[Path, tuple[p.Diagnostic, ...]]] = {}
        self.results: dict[Path, ModuleSceneResults] = {}  # latest results, by the module's folder
        self.change_count = 0  # checks started before the latest change are abandoned
        self._tasks: set[asyncio.Task[None]] = set()  # asyncio itself holds tasks only weakly

    def run_in_background(self, coroutine: Coroutine[Any, Any, None]) -> None:
        """Run a coroutine in the background, and report an error if it fails."""
        task = asyncio.get_running_loop().create_task(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._on_task_done)

    def _on_task_done(self, task: asyncio.Task[None]) -> None:
        """Forget a finished background task, and report its exception to the editor if it failed."""
        self._tasks.discard(task)
        error = task.exception() if not task.cancelled() else None
        if isinstance(error, Exception):
            self.report_server_error(error, FeatureNotificationError)

    @property
    def codec(self) -> PositionCodec:
        """The converter between the editor's units and characters."""
        return self.workspace.position_codec

    def to_text_position(self, path: Path, position: p.Position) -> TextPosition:
        """Convert a position of the protocol, which counts from 0 in the editor's units."""
        in_characters = self.codec.position_from_client_units(self.get_lines(path), position)
        return TextPosition(in_characters.line + 1, in_characters.character + 1)

    def to_position(self, path: Path, position: TextPosition) -> p.Position:
        """Convert a position to the protocol's type."""
        return self.to_range(path, Span("", position.line, position.column, position.line, position.column)).start

    def to_range(self, path: Path, span: Span) -> p.Range:
        """Convert a span in a file to the protocol's range."""
        return PlaceConverter(self).to_range(path, span)

    def get_document_version(self, path: Path) -> int | None:
        """Return the editor's version of an open document, by which it drops what is about an earlier text."""
        documents = self.workspace.text_documents.values()
        return next((document.version for document in documents if path_from_uri(document.uri) == path), None)

    def get_lines(self, path: Path) -> Sequence[str]:
        """Return the lines of a file, with the empty one after its last line break."""
        return self.space.get_text(path).split("\n")

    def to_location(self, location: Location) -> p.Location:
        """Convert a location to the protocol's type."""
        return PlaceConverter(self).to_location(location)

    def to_text_edit(self, path: Path, edit: Edit) -> p.TextEdit:
        """Convert an edit to the protocol's type."""
        return p.TextEdit(self.to_range(path, edit.span), edit.text)

    def to_workspace_edit(self, changes: Sequence[FileEdits]) -> p.WorkspaceEdit:
        """Convert edits of several files to the protocol's type."""
        return p.WorkspaceEdit(
            changes={
                uri_from_path(file_edits.path): [self.to_text_edit(file_edits.path, edit) for edit in file_edits.edits]
                for file_edits in changes
            }
        )


def refresh_lenses(server: EditorServer) -> None:
    """Ask the editor to request code lenses again, if it supports that."""
    workspace = server.client_capabilities.workspace
    lenses = workspace.code_lens if workspace is not None else None
    if lenses is not None and lenses.refresh_support:
        server.workspace_code_lens_refresh(None)


class PlaceConverter:
    """Conversion of places to the protocol's types for one answer, reading each text once."""

    def __init__(self, server: EditorServer) -> None:
        self.codec = server.codec
        self._lines = cache(server.get_lines)
        self._uri = cache(uri_from_path)

    def to_range(self, path: Path, span: Span) -> p.Range:
        """Convert a span in a file to the protocol's range."""
        start = p.Position(max(span.line - 1, 0), max(span.column - 1, 0))
        end = p.Position(max(span.end_line - 1, 0), max(span.end_column - 1, 0))
        return self.codec.range_to_client_units(self._lines(path), p.Range(start, end))

    def to_location(self, location: Location) -> p.Location:
        """Convert a location to the protocol's type."""
        return p.Location(self._uri(location.path), self.to_range(location.path, location.span))


def path_from_uri(uri: str) -> Path:
    """Return the file of a URI; a URI that names no file gives the root folder, which has no rules."""
    return Path(to_fs_path(uri) or "/").resolve()


def uri_from_path(path: Path) -> str:
    """Return the URI of a file."""
    uri: str | None = from_fs_path(str(path))
    assert uri is not None  # every path has a URI
    return uri
