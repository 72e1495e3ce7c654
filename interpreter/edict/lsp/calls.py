"""Who calls what, as an editor shows it: a hierarchy that is unfolded step by step."""

from __future__ import annotations

from pathlib import Path

from lsprotocol import types as p

from edict.lsp.editor_session import Server, path_of, uri_of
from edict.lsp.protocol import SYMBOLS
from edict.service import call_hierarchy
from edict.service.answer_types import At, Call


def register(server: Server) -> None:
    """Take part in telling who calls what."""

    @server.feature(p.TEXT_DOCUMENT_PREPARE_CALL_HIERARCHY)
    def _prepare(asked: p.CallHierarchyPrepareParams) -> list[p.CallHierarchyItem]:
        path = path_of(asked.text_document.uri)
        found = call_hierarchy.callable_at(server.space, path, server.at(path, asked.position))
        return [_item(server, found)] if found is not None else []

    @server.feature(p.CALL_HIERARCHY_INCOMING_CALLS)
    def _incoming(asked: p.CallHierarchyIncomingCallsParams) -> list[p.CallHierarchyIncomingCall]:
        found = call_hierarchy.callers(server.space, *_place(server, asked.item))
        return [p.CallHierarchyIncomingCall(_item(server, one), _ranges(server, one)) for one in found]

    @server.feature(p.CALL_HIERARCHY_OUTGOING_CALLS)
    def _outgoing(asked: p.CallHierarchyOutgoingCallsParams) -> list[p.CallHierarchyOutgoingCall]:
        path, at = _place(server, asked.item)
        found = call_hierarchy.called(server.space, path, at)
        return [p.CallHierarchyOutgoingCall(_item(server, one), _ranges(server, one, path)) for one in found]


def _item(server: Server, one: Call) -> p.CallHierarchyItem:
    where = server.range(one.where.path, one.where.span)
    kind = SYMBOLS.get(one.sort, p.SymbolKind.Object)
    return p.CallHierarchyItem(one.name, kind, uri_of(one.where.path), where, where, detail=one.detail or None)


def _place(server: Server, item: p.CallHierarchyItem) -> tuple[Path, At]:
    path = path_of(item.uri)
    return path, server.at(path, item.selection_range.start)


def _ranges(server: Server, one: Call, within: Path | None = None) -> list[p.Range]:
    """Where the calls are written; the protocol wants those in one file only."""
    there = within or one.where.path
    return [server.range(place.path, place.span) for place in one.places if place.path == there]
