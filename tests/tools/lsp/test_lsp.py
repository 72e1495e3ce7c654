"""The language server, driven by a client as an editor does: every feature once."""

from __future__ import annotations

import asyncio
import json
import socket
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path
from threading import Thread
from types import FunctionType
from typing import Any
from unittest.mock import Mock

import pytest
import pytest_asyncio
from lsprotocol import types as p
from lsprotocol.converters import get_converter
from pygls.workspace import Workspace as Documents
from pytest_lsp import LanguageClient, client_capabilities
from pytest_lsp.client import make_test_lsp_client

from edict.tools.language_service.answer_types import ModuleSceneResults, SceneOutcome, TextPosition
from edict.tools.lsp.documents import _run_check, register
from edict.tools.lsp.editor_session import EditorServer
from edict.tools.lsp.queries import _report_run
from edict.tools.lsp.server import LOCALHOST, serve
from workshop import GAME, MODULE, end_position, position_after, write_fair

Call = Callable[..., Any]
pytestmark = pytest.mark.xdist_group("lsp")  # one server for all
async_test = pytest.mark.asyncio(loop_scope="module")
REFRESHED: list[str] = []  # refresh requests of the server
VERSIONS = count(1)
WRONG_SCENE = """\
  - name: The smithy is free
    start: phase market
    given: {Ann: {coin: 9, owned: [Bakery]}}
    play:
      - Ann: Smithy
    then: {Ann: {coin: 9}}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_fair(tmp_path_factory.mktemp("workshop"))


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """Serve one editor in a thread and yield the port."""
    get_converter()  # resolves types for the whole process, which server and client must not do at the same time
    with socket.socket() as free:
        free.bind((LOCALHOST, 0))
        port = free.getsockname()[1]

    def serve_editor() -> None:
        with suppress(SystemExit):
            serve(port=port)

    serving = Thread(target=serve_editor, daemon=True)
    serving.start()
    yield port
    serving.join(60)
    assert not serving.is_alive()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def client(port: int, folder: Path) -> AsyncIterator[LanguageClient]:
    editor = make_test_lsp_client()
    for _ in range(600):  # wait until the server listens
        with suppress(ConnectionError):
            await editor.start_tcp(LOCALHOST, port)
            break
        await asyncio.sleep(0.05)
    for again in (p.WORKSPACE_CODE_LENS_REFRESH, p.WORKSPACE_INLAY_HINT_REFRESH):
        editor.feature(again)(lambda *_, again=again: REFRESHED.append(again))
    await editor.initialize_session(
        p.InitializeParams(
            capabilities=client_capabilities("visual-studio-code"),
            workspace_folders=[p.WorkspaceFolder(folder.as_uri(), "workshop")],
        )
    )
    yield editor
    await editor.shutdown_session()
    await editor.stop()  # type: ignore[no-untyped-call]


@pytest.fixture(autouse=True)
def open_files(request: pytest.FixtureRequest) -> Iterator[None]:
    """Open both files with their saved texts before each test, and close them after it."""
    if "client" not in request.fixturenames:
        yield
        return
    client, folder = request.getfixturevalue("client"), request.getfixturevalue("folder")
    client.diagnostics.clear()
    for name, text in (("fair", GAME), ("forge", MODULE)):
        item = p.TextDocumentItem(uri(folder, name), "edict", next(VERSIONS), text)
        client.text_document_did_open(p.DidOpenTextDocumentParams(item))
    yield
    for name in ("fair", "forge"):
        client.text_document_did_close(p.DidCloseTextDocumentParams(document(folder, name)))


def uri(folder: Path, name: str) -> str:
    return (folder / name / f"{name}.edict").as_uri()


def type_text(client: LanguageClient, folder: Path, text: str, name: str = "forge") -> None:
    """Replace the whole text of an open file."""
    change = p.TextDocumentContentChangeWholeDocument(text)
    document = p.VersionedTextDocumentIdentifier(next(VERSIONS), uri(folder, name))
    client.text_document_did_change(p.DidChangeTextDocumentParams(document, [change]))


def document(folder: Path, name: str = "forge") -> p.TextDocumentIdentifier:
    return p.TextDocumentIdentifier(uri(folder, name))


def to_position(position: TextPosition) -> p.Position:
    return p.Position(position.line - 1, position.column - 1)


async def wait_for_diagnostics(
    client: LanguageClient, folder: Path, number: int, name: str = "forge", file: str = ""
) -> list[p.Diagnostic]:
    """Return the diagnostics of a file as soon as it has this many."""
    diagnostics: list[p.Diagnostic] = []
    for _ in range(600):
        diagnostics = list(client.diagnostics.get((folder / name / (file or f"{name}.edict")).as_uri(), ()))
        if len(diagnostics) == number:
            return diagnostics
        await asyncio.sleep(0.05)
    raise AssertionError(diagnostics)


@async_test
async def test_problems_are_published_while_typing_with_fixes(client: LanguageClient, folder: Path) -> None:
    type_text(client, folder, MODULE.replace("gain 1 cloth", "gain 1 clot"))
    (diagnostic,) = await wait_for_diagnostics(client, folder, 1)
    assert diagnostic.code == "E0201" and diagnostic.message.startswith("unknown name `clot`")
    actions = await client.text_document_code_action_async(
        p.CodeActionParams(document(folder), diagnostic.range, p.CodeActionContext([diagnostic]))
    )
    (fix,) = actions or ()
    assert isinstance(fix, p.CodeAction) and fix.edit is not None and fix.edit.changes is not None
    assert [edit.new_text for edit in fix.edit.changes[uri(folder, "forge")]] == ["cloth"]
    type_text(client, folder, MODULE)
    assert await wait_for_diagnostics(client, folder, 0) == []


@async_test
async def test_manifest_that_is_no_map_has_a_diagnostic(
    client: LanguageClient, folder: Path, subtests: pytest.Subtests
) -> None:
    manifest_uri = (folder / "guild" / "module.yaml").as_uri()
    for text in ("~", "hello", "- a", "5"):
        with subtests.test(text=text):
            client.text_document_did_open(
                p.DidOpenTextDocumentParams(p.TextDocumentItem(manifest_uri, "yaml", next(VERSIONS), text))
            )
            (diagnostic,) = await wait_for_diagnostics(client, folder, 1, "guild", "module.yaml")
            assert diagnostic.code == "E0145" and diagnostic.range.start.line == 0
            client.text_document_did_close(p.DidCloseTextDocumentParams(p.TextDocumentIdentifier(manifest_uri)))
            assert await wait_for_diagnostics(client, folder, 0, "guild", "module.yaml") == []


@async_test
async def test_positions_count_in_the_units_of_the_editor(client: LanguageClient, folder: Path) -> None:
    """A character beyond the first plane is two units of an editor and one of the service."""
    line = 'phase x "\U0001f3f0"\n  announce "\U0001f3f0\U0001f3f0", clot\n'
    type_text(client, folder, MODULE + line)
    (diagnostic,) = await wait_for_diagnostics(client, folder, 1)
    assert diagnostic.range.start.character == len('  announce "') + 4 + 3


@async_test
async def test_hover_and_completion_with_its_description(client: LanguageClient, folder: Path) -> None:
    hover = await client.text_document_hover_async(
        p.HoverParams(document(folder), to_position(position_after(MODULE, "stall = bak")))
    )
    assert hover is not None and isinstance(hover.contents, p.MarkupContent) and "Bakery" in hover.contents.value
    text = MODULE + "adjust "
    type_text(client, folder, text)
    offered = await client.text_document_completion_async(
        p.CompletionParams(document(folder), to_position(end_position(text)))
    )
    assert isinstance(offered, p.CompletionList)
    assert [one.label for one in offered.items] == ["income"] and not offered.is_incomplete, "no need to ask again"
    item = await client.completion_item_resolve_async(offered.items[0])
    assert "A number for each player" in str(item.documentation)
    assert item.insert_text_format == p.InsertTextFormat.PlainText


@async_test
async def test_completion_in_scenes(client: LanguageClient, folder: Path) -> None:
    file = folder / "forge" / "scenes" / "forge.yaml"
    text = file.read_text(encoding="utf-8").replace("- Ann: Smithy\n", "- Ann: ")
    item = p.TextDocumentItem(file.as_uri(), "yaml", next(VERSIONS), text)
    client.text_document_did_open(p.DidOpenTextDocumentParams(item))
    asked = p.CompletionParams(p.TextDocumentIdentifier(file.as_uri()), to_position(end_position(text)))
    offered = await client.text_document_completion_async(asked)
    assert isinstance(offered, p.CompletionList)
    assert [one.label for one in offered.items] == ["Smithy", "Tavern"] and offered.items[0].detail == "Which stall?"
    client.text_document_did_close(p.DidCloseTextDocumentParams(asked.text_document))


@async_test
async def test_signature_help(client: LanguageClient, folder: Path) -> None:
    text = MODULE + "phase x\n  do pay with you and "
    type_text(client, folder, text)
    found = await client.text_document_signature_help_async(
        p.SignatureHelpParams(document(folder), to_position(end_position(text)))
    )
    assert found is not None and found.active_parameter == 1
    (signature,) = found.signatures
    assert signature.label.startswith("pay with player") and signature.active_parameter == 1
    assert "Gain X coins." == str(signature.documentation) and len(signature.parameters or ()) == 2


@async_test
async def test_definition_references_and_rename_with_its_refusal(client: LanguageClient, folder: Path) -> None:
    at = to_position(position_after(MODULE, "stall = bak"))
    found: Any = await client.text_document_definition_async(p.DefinitionParams(document(folder), at))
    assert [one.uri for one in found] == [uri(folder, "fair")]
    every = await client.text_document_references_async(
        p.ReferenceParams(p.ReferenceContext(True), document(folder), at)
    )
    assert len(every or ()) == GAME.count("bakery") + MODULE.count("bakery")
    assert await client.text_document_prepare_rename_async(p.PrepareRenameParams(document(folder), at)) is not None
    renamed = await client.text_document_rename_async(p.RenameParams(document(folder), at, "baker"))
    assert renamed is not None and set(renamed.changes or ()) == {uri(folder, "fair"), uri(folder, "forge")}
    with pytest.raises(Exception, match="word of the language"):
        await client.text_document_prepare_rename_async(
            p.PrepareRenameParams(document(folder), to_position(position_after(MODULE, "amen")))
        )
    with pytest.raises(Exception, match="already a thing named `tavern`"):
        await client.text_document_rename_async(p.RenameParams(document(folder), at, "tavern"))


@async_test
async def test_file_has_symbols_folds_and_lenses(client: LanguageClient, folder: Path) -> None:
    symbols: Any = await client.text_document_document_symbol_async(p.DocumentSymbolParams(document(folder)))
    assert [item.name for item in symbols] == ["smithy", "tavern"]
    folds = await client.text_document_folding_range_async(p.FoldingRangeParams(document(folder)))
    assert [(item.start_line, item.end_line) for item in folds or ()] == [(0, 6), (3, 4), (5, 6), (7, 8)]
    assert await _lens_titles(client, folder) == ["1 scene", "run", "play from here"]


@async_test
async def test_semantic_tokens_match_the_words_of_every_line(client: LanguageClient, folder: Path) -> None:
    """Each token is encoded relative to the previous one, or to the start of a new line."""
    colours = await client.text_document_semantic_tokens_full_async(p.SemanticTokensParams(document(folder)))
    assert colours is not None
    lines = MODULE.split("\n")
    words: list[list[str]] = [[] for _ in lines]
    line = column = 0
    for at in range(0, len(colours.data), 5):
        down, right, length = colours.data[at : at + 3]
        line, column = line + down, right if down else column + right
        words[line].append(lines[line][column : column + length])
    assert words[:3] == [["stall", "smithy", '"Smithy"'], ["price", "4"], ["cost", "2", "coin"]]
    assert words[-3:] == [["amend", "stall", "tavern"], ["price", "5"], []]


@async_test
async def test_lens_above_a_scene_plays_on_from_it(client: LanguageClient, folder: Path) -> None:
    file = (folder / "forge" / "scenes" / "forge.yaml").as_uri()
    lenses = await client.text_document_code_lens_async(p.CodeLensParams(p.TextDocumentIdentifier(file)))
    commands = [lens.command for lens in lenses or () if lens.command is not None]
    assert [(lens.title, lens.command) for lens in commands] == [("play from here", "edict.playScene")]
    assert [list(lens.arguments or ()) for lens in commands] == [[file, 2]]


async def _lens_titles(client: LanguageClient, folder: Path) -> list[str]:
    lenses = await client.text_document_code_lens_async(p.CodeLensParams(document(folder)))
    return [lens.command.title for lens in lenses or () if lens.command is not None]


@async_test
async def test_running_scenes_reports_failures_by_name(client: LanguageClient, folder: Path) -> None:
    type_text(client, folder, MODULE + 'stall mill "Mill"\n  price 1\n  cost 1 coin\n  gift\n    gain 1 coin\n')
    assert await _run_scenes(client, folder) == (p.MessageType.Info, "1 scene passed")
    lenses = ["1 scene: passed", "run", "play from here", "1 place not covered by any scene"]
    assert await _lens_titles(client, folder) == lenses
    file = folder / "forge" / "scenes" / "forge.yaml"
    original = file.read_text(encoding="utf-8")
    file.write_text(original + WRONG_SCENE, encoding="utf-8")
    try:
        kind, message = await _run_scenes(client, folder)
    finally:
        file.write_text(original, encoding="utf-8")
    assert kind == p.MessageType.Warning
    assert message == "The smithy is free: Ann, coin: expected 9, found 14"


@pytest.mark.parametrize(
    ("capabilities", "again"),
    [
        (None, 0),
        (p.WorkspaceClientCapabilities(), 0),
        (p.WorkspaceClientCapabilities(code_lens=p.CodeLensWorkspaceClientCapabilities(refresh_support=False)), 0),
        (p.WorkspaceClientCapabilities(code_lens=p.CodeLensWorkspaceClientCapabilities(refresh_support=True)), 1),
    ],
)
def test_lenses_are_refreshed_only_if_the_editor_supports_it(
    capabilities: p.WorkspaceClientCapabilities | None, again: int, tmp_path: Path
) -> None:
    async def work() -> ModuleSceneResults:
        return ModuleSceneResults(tmp_path, (SceneOutcome("first", Mock()), SceneOutcome("second", Mock())))

    server = Mock(results={})
    server.client_capabilities.workspace = capabilities
    asyncio.run(_report_run(server, work()))
    assert server.workspace_code_lens_refresh.call_count == again
    (message,) = server.window_show_message.call_args.args
    assert (message.type, message.message) == (p.MessageType.Info, "2 scenes passed")


async def _run_scenes(client: LanguageClient, folder: Path) -> tuple[p.MessageType, str]:
    """Run the scenes, wait until lenses are refreshed, and return the message."""
    message_count, refresh_count = len(client.messages), REFRESHED.count(p.WORKSPACE_CODE_LENS_REFRESH)
    command = p.ExecuteCommandParams("edict.runScenes", arguments=[uri(folder, "forge")])
    await client.workspace_execute_command_async(command)
    for _ in range(600):
        if len(client.messages) > message_count and REFRESHED.count(p.WORKSPACE_CODE_LENS_REFRESH) > refresh_count:
            return client.messages[message_count].type, client.messages[message_count].message
        await asyncio.sleep(0.05)
    raise AssertionError("nothing was said")


@async_test
async def test_inlay_hints_selection_ranges_and_call_hierarchy(
    client: LanguageClient, folder: Path, subtests: pytest.Subtests
) -> None:
    text = MODULE.replace("gain 1 coin", "gain 1 good")
    text += "quantity fee of stall is price of stall\nadjust fee by 1\n"
    type_text(client, folder, text)
    assert await wait_for_diagnostics(client, folder, 0) == []
    everything = p.Range(p.Position(0, 0), p.Position(50, 0))
    for _ in range(600):  # wait for the analysis
        hints = await client.text_document_inlay_hint_async(p.InlayHintParams(document(folder), everything))
        if hints:
            break
        await asyncio.sleep(0.05)
    assert [(one.position.line, one.label, one.padding_left, one.tooltip) for one in hints or ()] == [
        (1, "→ 5", True, "Fee, adjusted by a house rule"),
        (4, "(coin or cloth)", True, None),
        (8, "→ 6", True, "Fee, adjusted by a house rule"),
    ]
    for first, there in ((4, 2), (5, 1)):
        with subtests.test(first=first):
            asked_for = p.InlayHintParams(document(folder), p.Range(p.Position(first, 0), p.Position(50, 0)))
            assert len(await client.text_document_inlay_hint_async(asked_for) or ()) == there
    at = to_position(position_after(text, "when sol"))
    asked = p.SelectionRangeParams(document(folder), [at])
    (found,) = await client.text_document_selection_range_async(asked) or ()
    assert found.range.start.character == 7 and found.parent is not None and found.parent.range.start.character == 2
    (moment,) = (
        await client.text_document_prepare_call_hierarchy_async(p.CallHierarchyPrepareParams(document(folder), at))
        or ()
    )
    assert (moment.name, moment.uri) == ("sold", uri(folder, "fair"))
    incoming = await client.call_hierarchy_incoming_calls_async(p.CallHierarchyIncomingCallsParams(moment))
    assert [one.from_.name for one in incoming or ()] == ["market"] and incoming and len(incoming[0].from_ranges) == 1
    here = p.CallHierarchyItem("sold", moment.kind, uri(folder, "forge"), p.Range(at, at), p.Range(at, at))
    outgoing = await client.call_hierarchy_outgoing_calls_async(p.CallHierarchyOutgoingCallsParams(here))
    assert [one.to.name for one in outgoing or ()] == ["bakery", "smithy"]


@async_test
async def test_files_and_ranges_are_formatted_and_new_lines_indented(client: LanguageClient, folder: Path) -> None:
    text, options = MODULE.replace("price 4", "price   4"), p.FormattingOptions(2, True)
    type_text(client, folder, text)
    every = await client.text_document_formatting_async(p.DocumentFormattingParams(document(folder), options))
    price, gift = every or ()
    assert (price.new_text, price.range) == ("  price 4", p.Range(p.Position(1, 0), p.Position(1, 11)))
    assert gift.new_text == "  gift gain 1 coin"
    lines = p.Range(p.Position(0, 0), p.Position(1, 0))
    asked = p.DocumentRangeFormattingParams(document(folder), lines, options)
    assert await client.text_document_range_formatting_async(asked) == every
    text += "phase x\n"
    type_text(client, folder, text)
    said = len(client.messages)
    whole = p.DocumentFormattingParams(document(folder), options)
    assert not await client.text_document_formatting_async(whole) and client.messages[said].message, "it has errors"
    entered = p.DocumentOnTypeFormattingParams(document(folder), to_position(end_position(text)), "\n", options)
    (edit,) = await client.text_document_on_type_formatting_async(entered) or ()
    assert edit.new_text == "  "


@async_test
async def test_workspace_symbols_are_found_by_words(client: LanguageClient, folder: Path) -> None:
    symbols: Any = await client.workspace_symbol_async(p.WorkspaceSymbolParams("after a stall is sold"))
    assert symbols[0].name.startswith("when sold")


@async_test
async def test_changes_on_disk_are_read_after_notification_or_save(client: LanguageClient, folder: Path) -> None:
    file = folder / "fair" / "more.edict"
    file.write_text("adjust incom by 1\n", encoding="utf-8")
    changed = p.FileEvent(file.as_uri(), p.FileChangeType.Created)
    client.workspace_did_change_watched_files(p.DidChangeWatchedFilesParams([changed]))
    assert await wait_for_diagnostics(client, folder, 1, "fair", "more.edict")
    file.unlink()
    client.text_document_did_save(p.DidSaveTextDocumentParams(document(folder)))
    assert await wait_for_diagnostics(client, folder, 0, "fair", "more.edict") == []


@async_test
async def test_diagnostics_are_cleared_when_the_file_is_closed(client: LanguageClient, folder: Path) -> None:
    type_text(client, folder, GAME.replace("adjust income", "adjust incom"), "fair")
    assert await wait_for_diagnostics(client, folder, 1, "fair")
    client.text_document_did_close(p.DidCloseTextDocumentParams(document(folder, "fair")))
    assert await wait_for_diagnostics(client, folder, 0, "fair") == []


def test_version_of_a_document_is_known_while_it_is_open(tmp_path: Path) -> None:
    server, path = EditorServer("edict", "1"), tmp_path / "a b.edict"
    server.protocol._workspace = Documents(None)
    assert server.get_document_version(path) is None
    server.workspace.put_text_document(p.TextDocumentItem(path.as_uri(), "edict", 5, ""))
    assert server.get_document_version(path) == 5


def test_all_diagnostics_are_published_within_half_a_second(tmp_path: Path) -> None:
    pauses = list[float]()

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    rules = Mock(is_checked=False, prepare_full_check=lambda: None, version=1)
    server = Mock(change_count=1, open={tmp_path}, published={}, space=Mock(get_rules=lambda _: rules))
    server.get_document_version = {tmp_path: 7}.get
    parts = {
        "asyncio": Mock(sleep=sleep),
        "diagnostics": Mock(list_problems_while_typing=lambda _: (), list_rule_problems=lambda _: ()),
    }
    check = FunctionType(_run_check.__code__, _run_check.__globals__ | parts)  # the server has its own, in its thread
    asyncio.run(check(server, 1))
    assert all(pause >= 0 for pause in pauses) and 0.4 < sum(pauses) < 0.51
    published = [call.args[0] for call in server.text_document_publish_diagnostics.call_args_list]
    assert [diagnostics.version for diagnostics in published] == [7, 7], "what is quick to find, and then all"
    rules.get_analysis().warm_caches.assert_called_once()


@pytest.mark.parametrize(
    ("folders", "root", "known"),
    [([], "", []), ([], "old", ["old"]), (["a", "b"], "", ["a", "b"]), (["a"], "old", ["a"])],
)
def test_initialize_accepts_workspace_folders_or_a_root(
    folders: list[str], root: str, known: list[str], tmp_path: Path
) -> None:
    server = EditorServer("edict", "1")
    register(server)
    workspace_folders = [p.WorkspaceFolder((tmp_path / name).as_uri(), name) for name in folders]
    at = (tmp_path / root).as_uri() if root else None
    begin = server.protocol.fm.features[p.INITIALIZE]
    begin(p.InitializeParams(p.ClientCapabilities(), root_uri=at, workspace_folders=workspace_folders))
    assert [folder.name for folder in server.space.folders] == known


def test_server_answers_on_stdio(call: Call) -> None:
    requests: tuple[dict[str, Any], ...] = (
        {"id": 1, "method": "initialize", "params": {"capabilities": {}}},
        {"id": 2, "method": "shutdown"},
        {"method": "exit"},
    )
    messages = [json.dumps({"jsonrpc": "2.0", **message}) for message in requests]
    done = call("lsp", typed="".join(f"Content-Length: {len(message)}\r\n\r\n{message}" for message in messages))
    assert done.returncode == 0 and done.stdout.startswith("Content-Length: ") and '"capabilities"' in done.stdout


def test_command_without_pygls_says_what_to_install(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [one for one in sys.modules if one.partition(".")[0] == "pygls"]:
        monkeypatch.setitem(sys.modules, name, None)
    for name in [one for one in sys.modules if one.startswith("edict.tools.lsp.")]:
        monkeypatch.delitem(sys.modules, name)
    done = call("lsp")
    assert done.returncode == 2 and "needs pygls" in done.stderr and "pip install" in done.stderr, done.stderr
