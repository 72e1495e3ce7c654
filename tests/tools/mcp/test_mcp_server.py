"""The Model Context Protocol between a client and the server that the command starts."""

from __future__ import annotations

import asyncio
import builtins
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp.client.session import ClientSession
from mcp.shared.memory import create_client_server_memory_streams
from test_assistants import FILES, InProcessTools

from edict.tools.mcp.mcp_server import create_server, run_tool

Call = Callable[..., Any]


@pytest.fixture
def errands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[InProcessTools]:
    monkeypatch.chdir(tmp_path)  # restored afterwards, as the work changes folders
    runner = InProcessTools(tmp_path, can_save=True)
    yield runner
    runner.close()


def test_variant_is_written_tested_studied_and_saved_over_the_protocol(errands: InProcessTools, tmp_path: Path) -> None:
    """The client validates data against the schemas."""

    async def talk_to_server() -> None:
        server = create_server(errands)
        async with create_client_server_memory_streams() as (mine, theirs):
            serving = asyncio.create_task(server.run(*theirs, server.create_initialization_options()))
            async with ClientSession(*mine) as client:
                begun = await client.initialize()
                assert str(tmp_path) in (begun.instructions or "")
                await _write_variant(client)
            serving.cancel()

    asyncio.run(talk_to_server())
    assert sorted(file.name for file in (tmp_path / "slow-coach").rglob("*.*")) == [
        "module.yaml",
        "slow.edict",
        "slow.yaml",
    ]


async def _write_variant(client: ClientSession) -> None:
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert all(tool.output_schema and tool.description for tool in tools.values())
    hints = {name: tool.annotations for name, tool in tools.items() if tool.annotations}
    assert [name for name, hint in hints.items() if hint.destructive_hint] == ["save_rules"]
    pages = (await client.list_resources()).resources
    assert "# Edict" in str((await client.read_resource(pages[0].uri)).contents[0])
    with pytest.raises(Exception, match="there is no page edict://pages/zork; there are edict://pages/"):
        await client.read_resource("edict://pages/zork")
    assert not (await client.call_tool("list_rules")).is_error, "what takes nothing need be given nothing"

    async def call_tool(tool: str, /, **arguments: Any) -> Any:
        found = await client.call_tool(tool, arguments)
        assert not found.is_error, found.content
        return found.structured_content

    assert (await call_tool("find", rules="pig", words="turn", kind="moments"))["found"]
    assert (await call_tool("write_rules", name="slow-coach", files=FILES))["errors"] == 0
    assert (await call_tool("test", rules="slow-coach"))["ok"]
    assert (await call_tool("study", rules="slow-coach", games=20, bots="random"))["games"] == 20
    assert (await call_tool("save_rules", name="slow-coach"))["files"]
    failure = await client.call_tool("show", {"rules": "pig", "about": "zork"})
    assert failure.is_error and "nothing named `zork` in Pig" in str(failure.content)


def test_internal_error_is_reported_and_logged(
    errands: InProcessTools, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(errands, "run", None)
    result = asyncio.run(run_tool(errands, "check", {"rules": "pig"}))
    assert result.is_error and "an internal error" in str(result.content) and "check" in caplog.text


def test_command_serves_on_stdio(call: Call, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    parameters = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "one", "version": "1"}}
    request = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": parameters}
    done = call("mcp", "mine", typed=json.dumps(request) + "\n")
    response = json.loads(done.stdout)["result"]
    assert str(tmp_path / "mine") in response["instructions"] and "tools" in response["capabilities"]


def test_command_without_the_library_says_what_to_install(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def import_without_mcp(name: str, *more: Any) -> Any:
        if name.partition(".")[0] in ("mcp", "mcp_types"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name.partition(".")[0])
        return real(name, *more)

    monkeypatch.delitem(sys.modules, "edict.tools.mcp.mcp_server", raising=False)
    monkeypatch.setattr(builtins, "__import__", import_without_mcp)
    done = call("mcp")
    assert done.returncode == 2
    assert "assistants need the mcp package" in done.stderr


def test_missing_folder_is_refused(call: Call) -> None:
    done = call("mcp", "nowhere")
    assert done.returncode == 2
    assert "nowhere is not a folder" in done.stderr
