"""Handlers of an editor's questions, and of code lenses: scenes of the things of a file, and places none has played."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterator, Sequence
from pathlib import Path

from lsprotocol import types as p
from pygls.exceptions import JsonRpcInvalidParams

from edict.support.morphology import count_noun
from edict.support.text import Span
from edict.tools.language_service import (
    cursor_help,
    document_structure,
    navigation,
    renaming,
    rule_completion,
    scene_lenses,
    text_decorations,
)
from edict.tools.language_service.answer_types import (
    CallHierarchyEntry,
    EditRefused,
    Location,
    ModuleSceneResults,
    OutlineEntry,
    SceneLens,
    TextPosition,
)
from edict.tools.lsp import protocol
from edict.tools.lsp.editor_session import EditorServer, PlaceConverter, path_from_uri, refresh_lenses, uri_from_path
from edict.tools.lsp.protocol import SYMBOL_KINDS


def register(server: EditorServer) -> None:
    """Register the handlers for questions."""
    _register_position_handlers(server)
    _register_symbol_handlers(server)
    _register_file_handlers(server)
    _register_call_handlers(server)


def _register_position_handlers(server: EditorServer) -> None:
    """Register the handlers for hover, completion and signature help."""

    @server.feature(p.TEXT_DOCUMENT_HOVER)
    def _hover(params: p.HoverParams) -> p.Hover | None:
        path = path_from_uri(params.text_document.uri)
        answer = cursor_help.hover(server.space, path, server.to_text_position(path, params.position))
        if answer is None:
            return None
        return p.Hover(p.MarkupContent(p.MarkupKind.Markdown, answer.text), server.to_range(path, answer.span))

    @server.feature(p.TEXT_DOCUMENT_COMPLETION, p.CompletionOptions([" ", "."], resolve_provider=True))
    def _complete(params: p.CompletionParams) -> p.CompletionList:
        path = path_from_uri(params.text_document.uri)
        completions = rule_completion.complete(server.space, path, server.to_text_position(path, params.position))
        return p.CompletionList(
            False,
            [
                protocol.to_completion_item(place, item, params.text_document.uri)
                for place, item in enumerate(completions)
            ],
        )

    @server.feature(p.COMPLETION_ITEM_RESOLVE)
    def _resolve_completion(item: p.CompletionItem) -> p.CompletionItem:
        """Add the description of a name to a completion that the editor is about to show."""
        data = item.data if isinstance(item.data, dict) else {}
        words = rule_completion.describe_name(
            server.space, path_from_uri(str(data.get("uri", ""))), str(data.get("name", ""))
        )
        item.documentation = words or item.documentation
        return item

    @server.feature(p.TEXT_DOCUMENT_SIGNATURE_HELP, p.SignatureHelpOptions([" "]))
    def _signature_help(params: p.SignatureHelpParams) -> p.SignatureHelp | None:
        path = path_from_uri(params.text_document.uri)
        signature = cursor_help.signature_help(server.space, path, server.to_text_position(path, params.position))
        return protocol.to_signature_help(signature) if signature is not None else None


def _register_symbol_handlers(server: EditorServer) -> None:
    """Register the handlers for definitions, references and renaming."""

    @server.feature(p.TEXT_DOCUMENT_DEFINITION)
    def _find_definition(params: p.DefinitionParams) -> list[p.Location]:
        path = path_from_uri(params.text_document.uri)
        locations = navigation.find_declarations(server.space, path, server.to_text_position(path, params.position))
        return [server.to_location(location) for location in locations]

    @server.feature(p.TEXT_DOCUMENT_REFERENCES)
    def _find_references(params: p.ReferenceParams) -> list[p.Location]:
        path, include_declaration = path_from_uri(params.text_document.uri), params.context.include_declaration
        locations = navigation.find_references(
            server.space, path, server.to_text_position(path, params.position), include_declaration
        )
        return [server.to_location(location) for location in locations]

    @server.feature(p.TEXT_DOCUMENT_PREPARE_RENAME)
    def _prepare_rename(params: p.PrepareRenameParams) -> p.Range:
        """Return the range of the word to rename. Raises `JsonRpcInvalidParams` with the reason if it cannot be."""
        path = path_from_uri(params.text_document.uri)
        try:
            _, span = renaming.prepare_rename(server.space, path, server.to_text_position(path, params.position))
        except EditRefused as reason:
            raise JsonRpcInvalidParams(str(reason)) from None
        return server.to_range(path, span)

    @server.feature(p.TEXT_DOCUMENT_RENAME, p.RenameOptions(prepare_provider=True))
    def _rename(params: p.RenameParams) -> p.WorkspaceEdit:
        """Return the edits of a renaming. Raises `JsonRpcInvalidParams` with the reason if it is refused."""
        path = path_from_uri(params.text_document.uri)
        try:
            changes = renaming.rename(
                server.space, path, server.to_text_position(path, params.position), params.new_name
            )
        except EditRefused as reason:
            raise JsonRpcInvalidParams(str(reason)) from None
        return server.to_workspace_edit(changes)


def _register_file_handlers(server: EditorServer) -> None:
    """Register the handlers for outline, symbol search, folding, inlay hints, selection and semantic tokens."""

    @server.feature(p.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    def _document_symbols(params: p.DocumentSymbolParams) -> list[p.DocumentSymbol]:
        path = path_from_uri(params.text_document.uri)
        return [
            protocol.to_document_symbol(server, path, entry)
            for entry in document_structure.build_outline(server.space, path)
        ]

    @server.feature(p.WORKSPACE_SYMBOL)
    def _search_symbols(params: p.WorkspaceSymbolParams) -> list[p.WorkspaceSymbol]:
        return protocol.to_workspace_symbols(server, navigation.search_symbols(server.space, params.query))

    @server.feature(p.TEXT_DOCUMENT_FOLDING_RANGE)
    def _folding_ranges(params: p.FoldingRangeParams) -> list[p.FoldingRange]:
        folds = document_structure.list_folds(server.space, path_from_uri(params.text_document.uri))
        return [p.FoldingRange(first - 1, last - 1) for first, last in folds]

    @server.feature(p.TEXT_DOCUMENT_INLAY_HINT)
    def _inlay_hints(params: p.InlayHintParams) -> list[p.InlayHint]:
        path, lines = path_from_uri(params.text_document.uri), params.range
        hints = text_decorations.list_hints(server.space, path, lines.start.line + 1, lines.end.line + 1)
        return [
            p.InlayHint(server.to_position(path, hint.at), hint.text, tooltip=hint.words or None, padding_left=True)
            for hint in hints
        ]

    @server.feature(p.TEXT_DOCUMENT_SELECTION_RANGE)
    def _selection_ranges(params: p.SelectionRangeParams) -> list[p.SelectionRange]:
        path = path_from_uri(params.text_document.uri)
        text_positions = [server.to_text_position(path, position) for position in params.positions]
        return [
            protocol.to_selection_range(
                server, path, document_structure.list_selections(server.space, path, text_position)
            )
            for text_position in text_positions
        ]

    @server.feature(p.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, protocol.LEGEND)
    def _semantic_tokens(params: p.SemanticTokensParams) -> p.SemanticTokens:
        path = path_from_uri(params.text_document.uri)
        return protocol.to_semantic_tokens(server, path, text_decorations.list_tokens(server.space, path))


# --- call hierarchy -------------------------------------------------------------------------------


def _register_call_handlers(server: EditorServer) -> None:
    """Register the handlers for the call hierarchy: its start, incoming and outgoing calls."""

    @server.feature(p.TEXT_DOCUMENT_PREPARE_CALL_HIERARCHY)
    def _prepare_call_hierarchy(params: p.CallHierarchyPrepareParams) -> list[p.CallHierarchyItem]:
        path = path_from_uri(params.text_document.uri)
        entry = navigation.find_callable(server.space, path, server.to_text_position(path, params.position))
        return [_to_call_item(server, entry)] if entry is not None else []

    @server.feature(p.CALL_HIERARCHY_INCOMING_CALLS)
    def _incoming_calls(params: p.CallHierarchyIncomingCallsParams) -> list[p.CallHierarchyIncomingCall]:
        entries = navigation.find_callers(server.space, *_item_position(server, params.item))
        return [
            p.CallHierarchyIncomingCall(_to_call_item(server, entry), _call_ranges(server, entry)) for entry in entries
        ]

    @server.feature(p.CALL_HIERARCHY_OUTGOING_CALLS)
    def _outgoing_calls(params: p.CallHierarchyOutgoingCallsParams) -> list[p.CallHierarchyOutgoingCall]:
        path, position = _item_position(server, params.item)
        entries = navigation.find_callees(server.space, path, position)
        return [
            p.CallHierarchyOutgoingCall(_to_call_item(server, entry), _call_ranges(server, entry, path))
            for entry in entries
        ]


def _to_call_item(server: EditorServer, entry: CallHierarchyEntry) -> p.CallHierarchyItem:
    """Convert an entry of the call hierarchy; its range is that of the name."""
    name_range = server.to_range(entry.where.path, entry.where.span)
    kind = SYMBOL_KINDS.get(entry.sort, p.SymbolKind.Object)
    return p.CallHierarchyItem(
        entry.name, kind, uri_from_path(entry.where.path), name_range, name_range, detail=entry.detail or None
    )


def _item_position(server: EditorServer, item: p.CallHierarchyItem) -> tuple[Path, TextPosition]:
    """Return the file of a call hierarchy item and the position of its name."""
    path = path_from_uri(item.uri)
    return path, server.to_text_position(path, item.selection_range.start)


def _call_ranges(server: EditorServer, entry: CallHierarchyEntry, path: Path | None = None) -> list[p.Range]:
    """Return the ranges of the calls in one file, as the protocol wants them."""
    file = path or entry.where.path
    return [server.to_range(place.path, place.span) for place in entry.places if place.path == file]


SHOW_COMMAND = "edict.showScenes"  # command of the editor that shows places of the file under a lens
# command of the editor that plays on from a scene, as `kingsburg play --at FILE:LINE`; takes a URI and a line
PLAY_COMMAND = "edict.playScene"
# command of the server that plays the scenes of the module a file belongs to; takes the URI of the file
RUN_COMMAND = "edict.runScenes"


def register_lenses(server: EditorServer) -> None:
    """Register the handlers for code lenses and for playing scenes."""

    @server.feature(p.TEXT_DOCUMENT_CODE_LENS)
    def _code_lenses(params: p.CodeLensParams) -> list[p.CodeLens]:
        """Return the lenses of a file: for its scenes, for things that scenes mention, and for unplayed places."""
        path = path_from_uri(params.text_document.uri)
        rules = server.space.get_rules(path)
        results = server.results.get(rules.folder) if rules is not None else None
        mentioned, places = scene_lenses.list_lenses(server.space, path, fresh=False), PlaceConverter(server)
        scene_lenses_here = [
            _play_lens(places, path, scene.span, scene) for scene in scene_lenses.list_scenes(server.space, path)
        ]
        unplayed = _iter_unplayed_lenses(places, path, document_structure.build_outline(server.space, path), results)
        return [*scene_lenses_here, *_iter_scene_lenses(places, path, mentioned, results), *unplayed]

    @server.command(RUN_COMMAND)
    def _run_scenes(uri: str) -> None:
        """Play the scenes of the rules that a URI belongs to in a thread, and report the result when it is there."""
        run = scene_lenses.prepare_scene_run(server.space, path_from_uri(uri))
        if run is not None:
            server.run_in_background(_report_run(server, asyncio.to_thread(run)))


def _iter_scene_lenses(
    places: PlaceConverter, path: Path, mentioned: Sequence[SceneLens], results: ModuleSceneResults | None
) -> Iterator[p.CodeLens]:
    """Yield three lenses for each thing that scenes mention: list the scenes, run all, play on from the first."""
    for lens in mentioned:
        scenes = [location for _, location in lens.scenes]
        yield _places_lens(places, path, lens.span, scene_lenses.lens_title(lens, results), scenes)
        yield p.CodeLens(
            places.to_range(path, lens.span), p.Command("run", RUN_COMMAND, arguments=[uri_from_path(path)])
        )
        yield _play_lens(places, path, lens.span, scenes[0])


def _play_lens(places: PlaceConverter, path: Path, span: Span, scene: Location) -> p.CodeLens:
    """Return a lens above a thing or a scene that plays on from the scene."""
    command = p.Command("play from here", PLAY_COMMAND, arguments=[uri_from_path(scene.path), scene.span.line])
    return p.CodeLens(places.to_range(path, span), command)


def _iter_unplayed_lenses(
    places: PlaceConverter, path: Path, entries: Sequence[OutlineEntry], results: ModuleSceneResults | None
) -> Iterator[p.CodeLens]:
    """Yield a lens for each definition with unplayed places, which lists them; none before scenes were run."""
    for entry in entries:
        unplayed = scene_lenses.list_unplayed_places(results, path, entry.span.line, entry.span.end_line)
        if unplayed:
            title = f"{count_noun(len(unplayed), 'place')} not covered by any scene"
            yield _places_lens(places, path, entry.name_span, title, [location for location, _ in unplayed])


def _places_lens(places: PlaceConverter, path: Path, span: Span, title: str, shown: Sequence[Location]) -> p.CodeLens:
    """Return a lens above a span whose click shows a list of locations."""
    range_ = places.to_range(path, span)
    arguments = [uri_from_path(path), range_.start, [places.to_location(location) for location in shown]]
    return p.CodeLens(range_, p.Command(title, SHOW_COMMAND, arguments=arguments))


async def _report_run(server: EditorServer, run: Awaitable[ModuleSceneResults]) -> None:
    """Store the results of a scene run, show up to five failures or the number of passes, and refresh lenses."""
    results = await run
    server.results[results.folder] = results
    failed = [scene for scene in results.scenes if not scene.ok]
    messages = results.wrong or [f"{failed_scene.name}: {failed_scene.wrong[0]}" for failed_scene in failed]
    count = len(results.scenes)
    success_text = f"{count} scene{'s' if count != 1 else ''} passed"
    kind = p.MessageType.Warning if messages else p.MessageType.Info
    server.window_show_message(p.ShowMessageParams(kind, "\n".join(messages[:5]) or success_text))
    refresh_lenses(server)
