"""The language server, spoken to as an editor speaks to it: every feature once."""

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
from pytest_lsp import LanguageClient, client_capabilities
from pytest_lsp.client import make_test_lsp_client

from edict.tools.language_service.answer_types import At, SceneResult, SceneResults
from edict.tools.lsp.code_lenses import _ran
from edict.tools.lsp.documents import _checked, register
from edict.tools.lsp.editor_session import Server
from edict.tools.lsp.server import LOCAL, serve
from workshop import GAME, MODULE, at_end, fair, marked

Call = Callable[..., Any]
pytestmark = pytest.mark.xdist_group("lsp")  # one server for all
spoken = pytest.mark.asyncio(loop_scope="module")
REFRESHED: list[str] = []  # what the server has asked to be asked for again
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
    return fair(tmp_path_factory.mktemp("workshop"))


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """Where a server serves one editor, until it goes."""
    with socket.socket() as free:
        free.bind((LOCAL, 0))
        port = free.getsockname()[1]

    def served() -> None:
        with suppress(SystemExit):
            serve(port=port)

    serving = Thread(target=served, daemon=True)
    serving.start()
    yield port
    serving.join(60)
    assert not serving.is_alive()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def client(port: int, folder: Path) -> AsyncIterator[LanguageClient]:
    editor = make_test_lsp_client()
    for _ in range(600):  # until the server is there
        with suppress(ConnectionError):
            await editor.start_tcp(LOCAL, port)
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
def opened(request: pytest.FixtureRequest) -> Iterator[None]:
    """Each test begins with the files as they are saved, whatever was left of the one before."""
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


def typed(client: LanguageClient, folder: Path, text: str, name: str = "forge") -> None:
    """The whole text of a file as it is now."""
    change = p.TextDocumentContentChangeWholeDocument(text)
    document = p.VersionedTextDocumentIdentifier(next(VERSIONS), uri(folder, name))
    client.text_document_did_change(p.DidChangeTextDocumentParams(document, [change]))


def document(folder: Path, name: str = "forge") -> p.TextDocumentIdentifier:
    return p.TextDocumentIdentifier(uri(folder, name))


def place(at: At) -> p.Position:
    return p.Position(at.line - 1, at.column - 1)


async def told(
    client: LanguageClient, folder: Path, number: int, name: str = "forge", file: str = ""
) -> list[p.Diagnostic]:
    """What is wrong with a file, once it is so many things."""
    found: list[p.Diagnostic] = []
    for _ in range(600):
        found = list(client.diagnostics.get((folder / name / (file or f"{name}.edict")).as_uri(), ()))
        if len(found) == number:
            return found
        await asyncio.sleep(0.05)
    raise AssertionError(found)


@spoken
async def test_problems_are_told_while_one_types_and_their_fixes_carried_out(
    client: LanguageClient, folder: Path
) -> None:
    typed(client, folder, MODULE.replace("gain 1 cloth", "gain 1 clot"))
    (found,) = await told(client, folder, 1)
    assert found.code == "E0201" and found.message.startswith("nothing is named `clot`")
    actions = await client.text_document_code_action_async(
        p.CodeActionParams(document(folder), found.range, p.CodeActionContext([found]))
    )
    (fix,) = actions or ()
    assert isinstance(fix, p.CodeAction) and fix.edit is not None and fix.edit.changes is not None
    assert [edit.new_text for edit in fix.edit.changes[uri(folder, "forge")]] == ["cloth"]
    typed(client, folder, MODULE)
    assert await told(client, folder, 0) == []


@spoken
async def test_a_manifest_that_is_no_map_is_told_in_the_manifest(client: LanguageClient, folder: Path) -> None:
    at = (folder / "guild" / "module.yaml").as_uri()
    for text in ("~", "hello", "- a", "5"):
        client.text_document_did_open(p.DidOpenTextDocumentParams(p.TextDocumentItem(at, "yaml", next(VERSIONS), text)))
        (found,) = await told(client, folder, 1, "guild", "module.yaml")
        assert found.code == "E0145" and found.range.start.line == 0
        client.text_document_did_close(p.DidCloseTextDocumentParams(p.TextDocumentIdentifier(at)))
        assert await told(client, folder, 0, "guild", "module.yaml") == []


@spoken
async def test_places_count_as_the_editor_counts(client: LanguageClient, folder: Path) -> None:
    """A character beyond the first plane is two units of an editor and one of ours."""
    line = 'phase x "\U0001f3f0"\n  announce "\U0001f3f0\U0001f3f0", clot\n'
    typed(client, folder, MODULE + line)
    (found,) = await told(client, folder, 1)
    assert found.range.start.character == len('  announce "') + 4 + 3


@spoken
async def test_hover_and_completion_with_its_english(client: LanguageClient, folder: Path) -> None:
    hover = await client.text_document_hover_async(
        p.HoverParams(document(folder), place(marked(MODULE, "stall = bak")))
    )
    assert hover is not None and isinstance(hover.contents, p.MarkupContent) and "Bakery" in hover.contents.value
    text = MODULE + "adjust "
    typed(client, folder, text)
    offered = await client.text_document_completion_async(p.CompletionParams(document(folder), place(at_end(text))))
    assert isinstance(offered, p.CompletionList)
    assert [one.label for one in offered.items] == ["income"] and not offered.is_incomplete, "no need to ask again"
    item = await client.completion_item_resolve_async(offered.items[0])
    assert "A number for each player" in str(item.documentation)
    assert item.insert_text_format == p.InsertTextFormat.PlainText


@spoken
async def test_completion_in_scenes(client: LanguageClient, folder: Path) -> None:
    file = folder / "forge" / "scenes" / "forge.yaml"
    text = file.read_text(encoding="utf-8").replace("- Ann: Smithy\n", "- Ann: ")
    item = p.TextDocumentItem(file.as_uri(), "yaml", next(VERSIONS), text)
    client.text_document_did_open(p.DidOpenTextDocumentParams(item))
    asked = p.CompletionParams(p.TextDocumentIdentifier(file.as_uri()), place(at_end(text)))
    offered = await client.text_document_completion_async(asked)
    assert isinstance(offered, p.CompletionList)
    assert [one.label for one in offered.items] == ["Smithy", "Tavern"] and offered.items[0].detail == "Which stall?"
    client.text_document_did_close(p.DidCloseTextDocumentParams(asked.text_document))


@spoken
async def test_signature_help(client: LanguageClient, folder: Path) -> None:
    text = MODULE + "phase x\n  do pay with you and "
    typed(client, folder, text)
    found = await client.text_document_signature_help_async(
        p.SignatureHelpParams(document(folder), place(at_end(text)))
    )
    assert found is not None and found.active_parameter == 1
    (signature,) = found.signatures
    assert signature.label.startswith("pay with player") and signature.active_parameter == 1
    assert "Gain X coins." == str(signature.documentation) and len(signature.parameters or ()) == 2


@spoken
async def test_definition_references_and_rename_with_its_refusal(client: LanguageClient, folder: Path) -> None:
    at = place(marked(MODULE, "stall = bak"))
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
            p.PrepareRenameParams(document(folder), place(marked(MODULE, "amen")))
        )
    with pytest.raises(Exception, match="already a thing called `tavern`"):
        await client.text_document_rename_async(p.RenameParams(document(folder), at, "tavern"))


@spoken
async def test_a_file_has_symbols_folds_and_lenses(client: LanguageClient, folder: Path) -> None:
    symbols: Any = await client.text_document_document_symbol_async(p.DocumentSymbolParams(document(folder)))
    assert [one.name for one in symbols] == ["smithy", "tavern"]
    folds = await client.text_document_folding_range_async(p.FoldingRangeParams(document(folder)))
    assert [(one.start_line, one.end_line) for one in folds or ()] == [(0, 6), (3, 4), (5, 6), (7, 8)]
    assert await _lenses(client, folder) == ["1 scene", "run", "play from here"]


@spoken
async def test_colours_lie_on_the_words_they_are_for_in_every_line(client: LanguageClient, folder: Path) -> None:
    """Each is told by how far it is from the one before, in a new line from the line's beginning."""
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


@spoken
async def test_a_scene_can_be_played_on_from_above_it(client: LanguageClient, folder: Path) -> None:
    file = (folder / "forge" / "scenes" / "forge.yaml").as_uri()
    lenses = await client.text_document_code_lens_async(p.CodeLensParams(p.TextDocumentIdentifier(file)))
    commands = [one.command for one in lenses or () if one.command is not None]
    assert [(one.title, one.command) for one in commands] == [("play from here", "edict.playScene")]
    assert [list(one.arguments or ()) for one in commands] == [[file, 2]]


async def _lenses(client: LanguageClient, folder: Path) -> list[str]:
    lenses = await client.text_document_code_lens_async(p.CodeLensParams(document(folder)))
    return [one.command.title for one in lenses or () if one.command is not None]


@spoken
async def test_scenes_are_run_and_those_that_fail_are_told_by_name_with_what_was_wrong(
    client: LanguageClient, folder: Path
) -> None:
    typed(client, folder, MODULE + 'stall mill "Mill"\n  price 1\n  cost 1 coin\n  gift\n    gain 1 coin\n')
    assert await _run(client, folder) == (p.MessageType.Info, "1 scene passed")
    lenses = ["1 scene: passed", "run", "play from here", "1 place no scene has played"]
    assert await _lenses(client, folder) == lenses
    file = folder / "forge" / "scenes" / "forge.yaml"
    right = file.read_text(encoding="utf-8")
    file.write_text(right + WRONG_SCENE, encoding="utf-8")
    try:
        kind, said = await _run(client, folder)
    finally:
        file.write_text(right, encoding="utf-8")
    assert kind == p.MessageType.Warning
    assert said == "The smithy is free: Ann, coin: expected 9, found 14"


@pytest.mark.parametrize(
    ("capabilities", "again"),
    [
        (None, 0),
        (p.WorkspaceClientCapabilities(), 0),
        (p.WorkspaceClientCapabilities(code_lens=p.CodeLensWorkspaceClientCapabilities(refresh_support=False)), 0),
        (p.WorkspaceClientCapabilities(code_lens=p.CodeLensWorkspaceClientCapabilities(refresh_support=True)), 1),
    ],
)
def test_only_an_editor_that_can_is_asked_to_show_anew_how_scenes_went(
    capabilities: p.WorkspaceClientCapabilities | None, again: int, tmp_path: Path
) -> None:
    async def work() -> SceneResults:
        return SceneResults(tmp_path, (SceneResult("first", Mock()), SceneResult("second", Mock())))

    server = Mock(results={})
    server.client_capabilities.workspace = capabilities
    asyncio.run(_ran(server, work()))
    assert server.workspace_code_lens_refresh.call_count == again
    (told,) = server.window_show_message.call_args.args
    assert (told.type, told.message) == (p.MessageType.Info, "2 scenes passed")


async def _run(client: LanguageClient, folder: Path) -> tuple[p.MessageType, str]:
    """What is said when the scenes have been run; and what stands above the things is asked for again."""
    said, asked = len(client.messages), REFRESHED.count(p.WORKSPACE_CODE_LENS_REFRESH)
    run = p.ExecuteCommandParams("edict.runScenes", arguments=[uri(folder, "forge")])
    await client.workspace_execute_command_async(run)
    for _ in range(600):
        if len(client.messages) > said and REFRESHED.count(p.WORKSPACE_CODE_LENS_REFRESH) > asked:
            return client.messages[said].type, client.messages[said].message
        await asyncio.sleep(0.05)
    raise AssertionError("nothing was said")


@spoken
async def test_hints_selections_and_calls(client: LanguageClient, folder: Path) -> None:
    text = MODULE.replace("gain 1 coin", "gain 1 good")
    text += "quantity fee of stall is price of stall\nadjust fee by 1\n"
    typed(client, folder, text)
    assert await told(client, folder, 0) == []
    everything = p.Range(p.Position(0, 0), p.Position(50, 0))
    for _ in range(600):  # until the text is understood
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
        asked_for = p.InlayHintParams(document(folder), p.Range(p.Position(first, 0), p.Position(50, 0)))
        assert len(await client.text_document_inlay_hint_async(asked_for) or ()) == there
    at = place(marked(text, "when sol"))
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


@spoken
async def test_lines_and_files_are_laid_out_when_asked_and_a_new_line_is_indented(
    client: LanguageClient, folder: Path
) -> None:
    text, options = MODULE.replace("price 4", "price   4"), p.FormattingOptions(2, True)
    typed(client, folder, text)
    every = await client.text_document_formatting_async(p.DocumentFormattingParams(document(folder), options))
    price, gift = every or ()
    assert (price.new_text, price.range) == ("  price 4", p.Range(p.Position(1, 0), p.Position(1, 11)))
    assert gift.new_text == "  gift gain 1 coin"
    lines = p.Range(p.Position(0, 0), p.Position(1, 0))
    asked = p.DocumentRangeFormattingParams(document(folder), lines, options)
    assert await client.text_document_range_formatting_async(asked) == every
    text += "phase x\n"
    typed(client, folder, text)
    said = len(client.messages)
    whole = p.DocumentFormattingParams(document(folder), options)
    assert not await client.text_document_formatting_async(whole) and client.messages[said].message, "it has errors"
    entered = p.DocumentOnTypeFormattingParams(document(folder), place(at_end(text)), "\n", options)
    (edit,) = await client.text_document_on_type_formatting_async(entered) or ()
    assert edit.new_text == "  "


@spoken
async def test_the_place_is_found_by_words(client: LanguageClient, folder: Path) -> None:
    found: Any = await client.workspace_symbol_async(p.WorkspaceSymbolParams("after a stall is sold"))
    assert found[0].name.startswith("when sold")


@spoken
async def test_what_changes_on_disk_is_read_when_the_editor_says_so_and_when_something_is_saved(
    client: LanguageClient, folder: Path
) -> None:
    file = folder / "fair" / "more.edict"
    file.write_text("adjust incom by 1\n", encoding="utf-8")
    changed = p.FileEvent(file.as_uri(), p.FileChangeType.Created)
    client.workspace_did_change_watched_files(p.DidChangeWatchedFilesParams([changed]))
    assert await told(client, folder, 1, "fair", "more.edict")
    file.unlink()
    client.text_document_did_save(p.DidSaveTextDocumentParams(document(folder)))
    assert await told(client, folder, 0, "fair", "more.edict") == []


@spoken
async def test_what_is_wrong_is_told_no_more_once_the_file_is_closed(client: LanguageClient, folder: Path) -> None:
    typed(client, folder, GAME.replace("adjust income", "adjust incom"), "fair")
    assert await told(client, folder, 1, "fair")
    client.text_document_did_close(p.DidCloseTextDocumentParams(document(folder, "fair")))
    assert await told(client, folder, 0, "fair") == []


def test_all_is_told_within_half_a_second_of_the_last_key(tmp_path: Path) -> None:
    pauses = list[float]()

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    rules = Mock(is_checked=False, rest=lambda: None)
    server = Mock(turn=1, open={tmp_path}, published={}, space=Mock(rules=lambda _: rules))
    parts = {"asyncio": Mock(sleep=sleep), "diagnostics": Mock(problems_at_once=lambda _: (), problems_of=lambda _: ())}
    checked = FunctionType(_checked.__code__, _checked.__globals__ | parts)  # the server has its own, in its thread
    asyncio.run(checked(server, 1))
    assert all(pause >= 0 for pause in pauses) and 0.4 < sum(pauses) < 0.51
    assert server.text_document_publish_diagnostics.call_count == 2, "what is quick to find, and then all"
    rules.analysis().prepare.assert_called_once()


@pytest.mark.parametrize(
    ("folders", "root", "known"),
    [([], "", []), ([], "old", ["old"]), (["a", "b"], "", ["a", "b"]), (["a"], "old", ["a"])],
)
def test_an_editor_names_folders_or_as_before_one(
    folders: list[str], root: str, known: list[str], tmp_path: Path
) -> None:
    server = Server("edict", "1")
    register(server)
    named = [p.WorkspaceFolder((tmp_path / name).as_uri(), name) for name in folders]
    at = (tmp_path / root).as_uri() if root else None
    begin = server.protocol.fm.features[p.INITIALIZE]
    begin(p.InitializeParams(p.ClientCapabilities(), root_uri=at, workspace_folders=named))
    assert [one.name for one in server.space.folders] == known


def test_the_server_answers_on_standard_input_and_output_too(call: Call) -> None:
    asked: tuple[dict[str, Any], ...] = (
        {"id": 1, "method": "initialize", "params": {"capabilities": {}}},
        {"id": 2, "method": "shutdown"},
        {"method": "exit"},
    )
    messages = [json.dumps({"jsonrpc": "2.0", **one}) for one in asked]
    done = call("lsp", typed="".join(f"Content-Length: {len(one)}\r\n\r\n{one}" for one in messages))
    assert done.returncode == 0 and done.stdout.startswith("Content-Length: ") and '"capabilities"' in done.stdout


def test_without_pygls_the_command_says_what_to_install(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [one for one in sys.modules if one.partition(".")[0] == "pygls"]:
        monkeypatch.setitem(sys.modules, name, None)
    for name in [one for one in sys.modules if one.startswith("edict.tools.lsp.")]:
        monkeypatch.delitem(sys.modules, name)
    done = call("lsp")
    assert done.returncode == 2 and "needs pygls" in done.stderr and "pip install" in done.stderr, done.stderr
