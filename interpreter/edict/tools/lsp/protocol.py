"""Answers of the service in the shapes of the protocol."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from lsprotocol import types as p

from edict.support.text import Span
from edict.tools.language_service.answer_types import Colour, Item, Outline, SearchEntry, Signature
from edict.tools.language_service.semantic_tokens import SORTS
from edict.tools.lsp.editor_session import Server

TOKENS = {
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
    "keep": "variable",
    "quantity": "variable",
    "local": "parameter",
    "resource": "type",
    "group": "type",
    "die": "type",
    "setting": "variable",
    "builtin": "macro",
    "player": "class",
    "display": "struct",
    "game": "struct",
}
"""The protocol's names for the sorts of words, for which editors have colours."""

LEGEND = p.SemanticTokensLegend(list(dict.fromkeys(TOKENS[sort] for sort in SORTS)), ["declaration"])
ITEMS = {
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
SYMBOLS = {
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


def item(one: Item, uri: str) -> p.CompletionItem:
    """Something that can be written; its English is resolved on demand."""
    snippet = p.InsertTextFormat.Snippet if one.snippet else p.InsertTextFormat.PlainText
    return p.CompletionItem(
        one.label,
        kind=ITEMS.get(one.sort, p.CompletionItemKind.Value),
        detail=one.detail or None,
        documentation=one.words or None,
        sort_text=f"{one.rank}{one.label}",
        insert_text=one.text or one.label,
        insert_text_format=snippet,
        data={"uri": uri, "name": one.label},
    )


def symbol(server: Server, path: Path, one: Outline) -> p.DocumentSymbol:
    whole, name = server.range(path, one.span), server.range(path, one.name_span)
    below = [symbol(server, path, part) for part in one.below]
    start, end = min(whole.start, name.start, key=_order), max(whole.end, name.end, key=_order)
    kind = SYMBOLS.get(one.sort, p.SymbolKind.Variable)
    return p.DocumentSymbol(one.name or "?", kind, p.Range(start, end), name, one.detail or None, children=below)


def _order(place: p.Position) -> tuple[int, int]:
    return place.line, place.character


def found(server: Server, all_: Iterable[SearchEntry]) -> list[p.WorkspaceSymbol]:
    """What was found by words; what is not declared in any file is left out."""
    return [
        p.WorkspaceSymbol(
            server.location(one.where),
            f"{one.line}  {one.title}".strip(),
            SYMBOLS.get(one.sort.removesuffix("s"), p.SymbolKind.Object),
            container_name=one.where.span.file,
        )
        for one in all_
        if one.where is not None
    ]


def signature(one: Signature) -> p.SignatureHelp:
    parameters = [p.ParameterInformation(name) for name in one.parameters]
    told = p.SignatureInformation(one.label, one.words or None, parameters, one.active)
    return p.SignatureHelp([told], 0, one.active)


def selection(server: Server, path: Path, around: Sequence[Span]) -> p.SelectionRange:
    """Stretches, each within the next, as the protocol nests them; an empty one where there are none."""
    found: p.SelectionRange | None = None
    for span in reversed(around):
        found = p.SelectionRange(server.range(path, span), found)
    return found or p.SelectionRange(p.Range(p.Position(0, 0), p.Position(0, 0)))


def tokens(server: Server, path: Path, colours: Sequence[Colour]) -> p.SemanticTokens:
    """Five numbers each: lines and columns since the one before, length, type, modifiers."""
    data, line, column = list[int](), 0, 0
    for colour in colours:
        range_ = server.range(path, colour.span)
        start = range_.start
        column = column if start.line == line else 0
        kind = LEGEND.token_types.index(TOKENS[colour.sort])
        length = range_.end.character - start.character
        data += [start.line - line, start.character - column, length, kind, int(colour.declares)]
        line, column = start.line, start.character
    return p.SemanticTokens(data)
