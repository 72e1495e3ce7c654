"""What an editor asks about a place or a file, answered by the service; who calls what is unfolded step by step."""

from __future__ import annotations

from pathlib import Path

from lsprotocol import types as p
from pygls.exceptions import JsonRpcInvalidParams

from edict.tools.language_service import (
    call_hierarchy,
    cursor_help,
    document_structure,
    inlay_hints,
    navigation,
    renaming,
    rule_completion,
    semantic_tokens,
)
from edict.tools.language_service.answer_types import At, CallPlaces, Refused
from edict.tools.lsp import protocol
from edict.tools.lsp.editor_session import Server, path_of, uri_of
from edict.tools.lsp.protocol import SYMBOLS


def register(server: Server) -> None:
    """Take part in answering."""
    _of_places(server)
    _of_names(server)
    _of_files(server)
    _of_calls(server)


def _of_places(server: Server) -> None:
    @server.feature(p.TEXT_DOCUMENT_HOVER)
    def _hover(asked: p.HoverParams) -> p.Hover | None:
        path = path_of(asked.text_document.uri)
        found = cursor_help.hover(server.space, path, server.at(path, asked.position))
        if found is None:
            return None
        return p.Hover(p.MarkupContent(p.MarkupKind.Markdown, found.text), server.range(path, found.span))

    @server.feature(p.TEXT_DOCUMENT_COMPLETION, p.CompletionOptions([" ", "."], resolve_provider=True))
    def _complete(asked: p.CompletionParams) -> p.CompletionList:
        path = path_of(asked.text_document.uri)
        offered = rule_completion.completions(server.space, path, server.at(path, asked.position))
        return p.CompletionList(False, [protocol.item(item, asked.text_document.uri) for item in offered])

    @server.feature(p.COMPLETION_ITEM_RESOLVE)
    def _told(item: p.CompletionItem) -> p.CompletionItem:
        data = item.data if isinstance(item.data, dict) else {}
        words = rule_completion.words_of(server.space, path_of(str(data.get("uri", ""))), str(data.get("name", "")))
        item.documentation = words or item.documentation
        return item

    @server.feature(p.TEXT_DOCUMENT_SIGNATURE_HELP, p.SignatureHelpOptions([" "]))
    def _signature(asked: p.SignatureHelpParams) -> p.SignatureHelp | None:
        path = path_of(asked.text_document.uri)
        found = cursor_help.signature(server.space, path, server.at(path, asked.position))
        return protocol.signature(found) if found is not None else None


def _of_names(server: Server) -> None:
    @server.feature(p.TEXT_DOCUMENT_DEFINITION)
    def _definition(asked: p.DefinitionParams) -> list[p.Location]:
        path = path_of(asked.text_document.uri)
        found = navigation.definitions(server.space, path, server.at(path, asked.position))
        return [server.location(one) for one in found]

    @server.feature(p.TEXT_DOCUMENT_REFERENCES)
    def _references(asked: p.ReferenceParams) -> list[p.Location]:
        path, declared = path_of(asked.text_document.uri), asked.context.include_declaration
        found = navigation.references(server.space, path, server.at(path, asked.position), declared)
        return [server.location(one) for one in found]

    @server.feature(p.TEXT_DOCUMENT_PREPARE_RENAME)
    def _can_rename(asked: p.PrepareRenameParams) -> p.Range:
        path = path_of(asked.text_document.uri)
        try:
            _, span = renaming.can_rename(server.space, path, server.at(path, asked.position))
        except Refused as reason:
            raise JsonRpcInvalidParams(str(reason)) from None
        return server.range(path, span)

    @server.feature(p.TEXT_DOCUMENT_RENAME, p.RenameOptions(prepare_provider=True))
    def _rename(asked: p.RenameParams) -> p.WorkspaceEdit:
        path = path_of(asked.text_document.uri)
        try:
            changes = renaming.rename(server.space, path, server.at(path, asked.position), asked.new_name)
        except Refused as reason:
            raise JsonRpcInvalidParams(str(reason)) from None
        return server.edits(changes)


def _of_files(server: Server) -> None:
    @server.feature(p.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    def _symbols(asked: p.DocumentSymbolParams) -> list[p.DocumentSymbol]:
        path = path_of(asked.text_document.uri)
        return [protocol.symbol(server, path, one) for one in document_structure.outline(server.space, path)]

    @server.feature(p.WORKSPACE_SYMBOL)
    def _find(asked: p.WorkspaceSymbolParams) -> list[p.WorkspaceSymbol]:
        return protocol.found(server, navigation.symbols(server.space, asked.query))

    @server.feature(p.TEXT_DOCUMENT_FOLDING_RANGE)
    def _folds(asked: p.FoldingRangeParams) -> list[p.FoldingRange]:
        found = document_structure.folds(server.space, path_of(asked.text_document.uri))
        return [p.FoldingRange(first - 1, last - 1) for first, last in found]

    @server.feature(p.TEXT_DOCUMENT_INLAY_HINT)
    def _hints(asked: p.InlayHintParams) -> list[p.InlayHint]:
        path, lines = path_of(asked.text_document.uri), asked.range
        found = inlay_hints.hints(server.space, path, lines.start.line + 1, lines.end.line + 1)
        return [
            p.InlayHint(server.position(path, one.at), one.text, tooltip=one.words or None, padding_left=True)
            for one in found
        ]

    @server.feature(p.TEXT_DOCUMENT_SELECTION_RANGE)
    def _selections(asked: p.SelectionRangeParams) -> list[p.SelectionRange]:
        path = path_of(asked.text_document.uri)
        at = [server.at(path, position) for position in asked.positions]
        return [protocol.selection(server, path, document_structure.selections(server.space, path, one)) for one in at]

    @server.feature(p.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, protocol.LEGEND)
    def _colours(asked: p.SemanticTokensParams) -> p.SemanticTokens:
        path = path_of(asked.text_document.uri)
        return protocol.tokens(server, path, semantic_tokens.colours(server.space, path))


# --- who calls what -------------------------------------------------------------------------------


def _of_calls(server: Server) -> None:
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


def _item(server: Server, one: CallPlaces) -> p.CallHierarchyItem:
    where = server.range(one.where.path, one.where.span)
    kind = SYMBOLS.get(one.sort, p.SymbolKind.Object)
    return p.CallHierarchyItem(one.name, kind, uri_of(one.where.path), where, where, detail=one.detail or None)


def _place(server: Server, item: p.CallHierarchyItem) -> tuple[Path, At]:
    path = path_of(item.uri)
    return path, server.at(path, item.selection_range.start)


def _ranges(server: Server, one: CallPlaces, within: Path | None = None) -> list[p.Range]:
    """Where the calls are written; the protocol wants those in one file only."""
    there = within or one.where.path
    return [server.range(place.path, place.span) for place in one.places if place.path == there]
