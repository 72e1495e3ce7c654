"""Hostile arguments: every tool returns a result or a message, and changes none of the user's files."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from test_assistants import InProcessTools

from edict.tools.mcp.mcp_server import run_tool
from examples import ALL, choose_examples
from hostile_words import MOST_PRINTED, RAW, restore_changed, tool_calls, write_hostile_files

CALLS = choose_examples(24, 2_000)
FIRST = int.from_bytes(os.urandom(3)) if ALL else 0


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[InProcessTools]:
    monkeypatch.chdir(tmp_path)  # restored afterwards, as the work changes folders
    runner = InProcessTools(tmp_path, can_save=True)
    yield runner
    runner.close()


def test_hostile_arguments_give_a_result_or_a_message(tools: InProcessTools, tmp_path: Path) -> None:
    write_hostile_files(tmp_path)
    wrong = []
    for number, (name, arguments) in enumerate(tool_calls(tools.tools, FIRST, CALLS), FIRST):
        result = asyncio.run(run_tool(tools, name, arguments))
        text = "".join(str(getattr(content, "text", "")) for content in result.content)
        raw = RAW.search(text) or ("an internal error" in text and "a fault")
        data = json.dumps(result.structured_content)
        if raw or len(text) > MOST_PRINTED or "NaN" in data or not text or restore_changed(tmp_path):
            wrong.append((number, name, str(arguments)[:200], raw, text[-500:]))
    assert not wrong


def test_every_tool_gets_hostile_arguments(tools: InProcessTools) -> None:
    count = len(tools.tools)
    assert {name for name, _ in tool_calls(tools.tools, 0, count)} == tools.tools.keys()
