"""The protocol of assistants, spoken as their programs speak it: a client, and the command as its server."""

from __future__ import annotations

import asyncio
import builtins
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from calling import COMMAND, environment
from mcp.client.session import ClientSession
from mcp.client.stdio import StdioServerParameters, stdio_client
from test_assistants import FILES


def test_an_idea_becomes_a_variant_that_is_checked_tested_studied_and_saved(tmp_path: Path) -> None:
    """The idea: whoever is behind at the end of a turn gains a point. The client holds data against the schemas."""
    (tmp_path / "mine").mkdir()
    asyncio.run(_told(tmp_path, _an_idea))
    assert sorted(file.name for file in (tmp_path / "mine" / "slow-coach").rglob("*.*")) == [
        "module.yaml", "slow.edict", "slow.yaml",
    ]  # fmt: skip


async def _told(folder: Path, told: Callable[[ClientSession], Any]) -> None:
    served = StdioServerParameters(
        command=COMMAND[0], args=[*COMMAND[1:], "mcp", "mine"], env=environment(folder), cwd=folder
    )
    async with stdio_client(served) as streams, ClientSession(*streams) as client:
        begun = await client.initialize()
        assert str(folder / "mine") in (begun.instructions or "")
        await told(client)


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
    wrong = await client.call_tool("check", {"rules": "zork"})
    assert wrong.is_error or "no rules are named `zork`" in str(wrong.content)


def test_without_the_library_one_is_told_what_to_install(call: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *more: Any) -> Any:
        if name.partition(".")[0] in ("mcp", "mcp_types"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name.partition(".")[0])
        return real(name, *more)

    monkeypatch.delitem(sys.modules, "edict.mcp.mcp_server", raising=False)
    monkeypatch.setattr(builtins, "__import__", without)
    done = call("mcp")
    assert done.returncode == 2
    assert "assistants need the mcp package" in done.stderr


def test_a_folder_that_is_not_there_is_refused(call: Any) -> None:
    done = call("mcp", "nowhere")
    assert done.returncode == 2
    assert "nowhere is not a folder" in done.stderr
