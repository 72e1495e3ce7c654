"""The protocol of assistants, spoken as their programs speak it: a client, and the server that the command starts."""

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
from test_assistants import FILES, Here

from edict.tools.mcp.mcp_server import called, make

Call = Callable[..., Any]


@pytest.fixture
def errands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Here]:
    monkeypatch.chdir(tmp_path)  # and back, as the work goes there
    made = Here(tmp_path, writes=True)
    yield made
    made.close()


def test_an_idea_becomes_a_variant_that_is_checked_tested_studied_and_saved(errands: Here, tmp_path: Path) -> None:
    """The idea: whoever is behind at the end of a turn gains a point. The client holds data against the schemas."""

    async def told() -> None:
        server = make(errands)
        async with create_client_server_memory_streams() as (mine, theirs):
            serving = asyncio.create_task(server.run(*theirs, server.create_initialization_options()))
            async with ClientSession(*mine) as client:
                begun = await client.initialize()
                assert str(tmp_path) in (begun.instructions or "")
                await _an_idea(client)
            serving.cancel()

    asyncio.run(told())
    assert sorted(file.name for file in (tmp_path / "slow-coach").rglob("*.*")) == [
        "module.yaml",
        "slow.edict",
        "slow.yaml",
    ]


async def _an_idea(client: ClientSession) -> None:
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert all(tool.output_schema and tool.description for tool in tools.values())
    hints = {name: tool.annotations for name, tool in tools.items() if tool.annotations}
    assert [name for name, hint in hints.items() if hint.destructive_hint] == ["save_rules"]
    pages = (await client.list_resources()).resources
    assert "# Edict" in str((await client.read_resource(pages[0].uri)).contents[0])
    with pytest.raises(Exception, match="there is no page edict://pages/zork; there are edict://pages/"):
        await client.read_resource("edict://pages/zork")
    assert not (await client.call_tool("list_rules")).is_error, "what takes nothing need be given nothing"

    async def asked(tool: str, /, **arguments: Any) -> Any:
        found = await client.call_tool(tool, arguments)
        assert not found.is_error, found.content
        return found.structured_content

    assert (await asked("find", rules="pig", words="turn", kind="moments"))["found"]
    assert (await asked("write_rules", name="slow-coach", files=FILES))["errors"] == 0
    assert (await asked("test", rules="slow-coach"))["ok"]
    assert (await asked("study", rules="slow-coach", games=20, bots="random"))["games"] == 20
    assert (await asked("save_rules", name="slow-coach"))["files"]
    wrong = await client.call_tool("show", {"rules": "pig", "about": "zork"})
    assert wrong.is_error and "nothing in Pig is named `zork`" in str(wrong.content)


def test_what_fails_here_is_told_as_such_and_logged(
    errands: Here, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(errands, "run", None)
    found = asyncio.run(called(errands, "check", {"rules": "pig"}))
    assert found.is_error and "something went wrong here" in str(found.content) and "check" in caplog.text


def test_the_command_serves_on_standard_input_and_output(call: Call, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "one", "version": "1"}}
    asked = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": about}
    done = call("mcp", "mine", typed=json.dumps(asked) + "\n")
    begun = json.loads(done.stdout)["result"]
    assert str(tmp_path / "mine") in begun["instructions"] and "tools" in begun["capabilities"]


def test_without_the_library_one_is_told_what_to_install(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *more: Any) -> Any:
        if name.partition(".")[0] in ("mcp", "mcp_types"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name.partition(".")[0])
        return real(name, *more)

    monkeypatch.delitem(sys.modules, "edict.tools.mcp.mcp_server", raising=False)
    monkeypatch.setattr(builtins, "__import__", without)
    done = call("mcp")
    assert done.returncode == 2
    assert "assistants need the mcp package" in done.stderr


def test_a_folder_that_is_not_there_is_refused(call: Call) -> None:
    done = call("mcp", "nowhere")
    assert done.returncode == 2
    assert "nowhere is not a folder" in done.stderr
