"""Conversion of the language service's answers to the protocol's types."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from lsprotocol import types as p

from edict.support.text import Span
from edict.tools.language_service.answer_types import Completion, OutlineEntry, SearchEntry, SemanticToken, Signature
from edict.tools.lsp.editor_session import EditorServer

_OTHER_TOKEN = "variable"
# the protocol's token type, for which editors have a color, by sort; of every other sort it is `variable`
_TOKEN_TYPES = {
    "keyword": "keyword",
    "string": "string",
    "number": "number",
    "comment": "comment",
    "operator": "operator",
    "action": "function",
    "routine": "function",
    "moment": "event",
    "phase": "namespace",
    "rule": "method",
    "kind": "class",
    "thing": "enumMember",
    "field": "property",
    "local": "parameter",
    "resource": "type",
    "group": "type",
    "die": "type",
    "builtin": "macro",
    "player": "class",
    "display": "struct",
    "game": "struct",
}

LEGEND = p.SemanticTokensLegend(list(dict.fromkeys((*_TOKEN_TYPES.values(), _OTHER_TOKEN))), ["declaration"])
COMPLETION_KINDS = {
    "keyword": p.CompletionItemKind.Keyword,
    "snippet": p.CompletionItemKind.Snippet,
    "local": p.CompletionItemKind.Variable,
    "field": p.CompletionItemKind.Property,
    "moment": p.CompletionItemKind.Event,
    "phase": p.CompletionItemKind.Event,
    "rule": p.CompletionItemKind.Method,
    "kind": p.CompletionItemKind.Class,
    "thing": p.CompletionItemKind.EnumMember,
    "routine": p.CompletionItemKind.Function,
    "action": p.CompletionItemKind.Function,
    "resource": p.CompletionItemKind.Unit,
    "group": p.CompletionItemKind.Unit,
    "die": p.CompletionItemKind.Unit,
    "builtin": p.CompletionItemKind.Constant,
}
SYMBOL_KINDS = {
    "thing": p.SymbolKind.Object,
    "kind": p.SymbolKind.Class,
    "field": p.SymbolKind.Field,
    "rule": p.SymbolKind.Method,
    "phase": p.SymbolKind.Namespace,
    "routine": p.SymbolKind.Function,
    "action": p.SymbolKind.Function,
    "moment": p.SymbolKind.Event,
    "ability": p.SymbolKind.Event,
    "standalone": p.SymbolKind.Event,
    "game": p.SymbolKind.Module,
    "resource": p.SymbolKind.Constant,
    "setting": p.SymbolKind.Boolean,
}


def to_completion_item(place: int, completion: Completion, uri: str) -> p.CompletionItem:
    """Convert a completion at a place in the list, best first; its description is resolved on demand."""
    snippet = p.InsertTextFormat.Snippet if completion.snippet else p.InsertTextFormat.PlainText
    return p.CompletionItem(
        completion.label,
        kind=COMPLETION_KINDS.get(completion.sort, p.CompletionItemKind.Value),
        detail=completion.detail or None,
        documentation=completion.words or None,
        sort_text=f"{place:05}",
        insert_text=completion.text or completion.label,
        insert_text_format=snippet,
        data={"uri": uri, "name": completion.label},
    )


def to_document_symbol(server: EditorServer, path: Path, entry: OutlineEntry) -> p.DocumentSymbol:
    """Convert an entry of an outline with its parts."""
    full_range, name_range = server.to_range(path, entry.span), server.to_range(path, entry.name_span)
    children = [to_document_symbol(server, path, part) for part in entry.below]
    start, end = (
        min(full_range.start, name_range.start, key=_position_key),
        max(full_range.end, name_range.end, key=_position_key),
    )
    kind = SYMBOL_KINDS.get(entry.sort, p.SymbolKind.Variable)
    return p.DocumentSymbol(
        entry.name or "?", kind, p.Range(start, end), name_range, entry.detail or None, children=children
    )


def _position_key(place: p.Position) -> tuple[int, int]:
    """Return line and character of a position, as a key to sort by."""
    return place.line, place.character


def to_workspace_symbols(server: EditorServer, entries: Iterable[SearchEntry]) -> list[p.WorkspaceSymbol]:
    """Convert search entries; those without a location are left out."""
    return [
        p.WorkspaceSymbol(
            server.to_location(entry.where),
            f"{entry.line}  {entry.title}".strip(),
            SYMBOL_KINDS.get(entry.sort.removesuffix("s"), p.SymbolKind.Object),
            container_name=entry.where.span.file,
        )
        for entry in entries
        if entry.where is not None
    ]


def to_signature_help(signature: Signature) -> p.SignatureHelp:
    """Convert a signature to the protocol's type, with its active parameter."""
    parameters = [p.ParameterInformation(name) for name in signature.parameters]
    information = p.SignatureInformation(signature.label, signature.words or None, parameters, signature.active)
    return p.SignatureHelp([information], 0, signature.active)


def to_selection_range(server: EditorServer, path: Path, spans: Sequence[Span]) -> p.SelectionRange:
    """Convert spans, each within the next, to nested ranges; an empty range if there are none."""
    selection_range: p.SelectionRange | None = None
    for span in reversed(spans):
        selection_range = p.SelectionRange(server.to_range(path, span), selection_range)
    return selection_range or p.SelectionRange(p.Range(p.Position(0, 0), p.Position(0, 0)))


def to_semantic_tokens(server: EditorServer, path: Path, semantic_tokens: Sequence[SemanticToken]) -> p.SemanticTokens:
    """Encode semantic tokens as the protocol wants them.

    Each token is five numbers: lines and columns since the previous one, length, type and modifiers.
    """
    data, line, column = list[int](), 0, 0
    for token in semantic_tokens:
        range_ = server.to_range(path, token.span)
        start = range_.start
        column = column if start.line == line else 0
        kind = LEGEND.token_types.index(_TOKEN_TYPES.get(token.sort, _OTHER_TOKEN))
        length = range_.end.character - start.character
        data += [start.line - line, start.character - column, length, kind, int(token.declares)]
        line, column = start.line, start.character
    return p.SemanticTokens(data)
