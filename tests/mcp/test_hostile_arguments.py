"""Whatever an assistant gives a tool, it gets a result or a message, and nothing of the user's is changed."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from examples import ALL, examples
from hostile_words import MOST_PRINTED, RAW, changed, lay_out, tool_calls
from test_assistants import Here

from edict.mcp.mcp_server import called

CALLS = examples(24, 2_000)
FIRST = int.from_bytes(os.urandom(3)) if ALL else 0


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Here]:
    monkeypatch.chdir(tmp_path)  # and back, as the work goes there
    made = Here(tmp_path, writes=True)
    yield made
    made.close()


def test_hostile_arguments_give_a_result_or_a_message(tools: Here, tmp_path: Path) -> None:
    lay_out(tmp_path)
    wrong = []
    for number, (name, given) in enumerate(tool_calls(tools.tools, FIRST, CALLS), FIRST):
        found = asyncio.run(called(tools, name, given))
        text = "".join(str(getattr(one, "text", "")) for one in found.content)
        raw = RAW.search(text) or ("something went wrong here" in text and "a fault")
        data = json.dumps(found.structured_content)
        if raw or len(text) > MOST_PRINTED or "NaN" in data or not text or changed(tmp_path):
            wrong.append((number, name, str(given)[:200], raw, text[-500:]))
    assert not wrong


def test_every_tool_gets_hostile_arguments(tools: Here) -> None:
    count = len(tools.tools)
    assert {name for name, _ in tool_calls(tools.tools, 0, count)} == tools.tools.keys()
