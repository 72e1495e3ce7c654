"""Operations: a command and a tool for assistants give the same data, the same text and the same refusals."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from calling import run_kingsburg
from edict.support.request_errors import RequestError
from edict.tools.mcp import rule_tools

FIND = {
    "point": {"words": "point"},
    "--moments": {"kind": "moments"},
    "--moments end": {"kind": "moments", "words": "end"},
    "--names": {"kind": "names"},
}
REFUSED = {
    "find zork": lambda: rule_tools.find("pig", words="zork"),
    "find --moments zork": lambda: rule_tools.find("pig", kind="moments", words="zork"),
    "find --names zork": lambda: rule_tools.find("pig", kind="names", words="zork"),
    "show zork": lambda: rule_tools.show("pig", "zork"),
}


@pytest.mark.parametrize("typed", FIND)
def test_find_is_the_same_as_command_and_as_tool(tmp_path: Path, typed: str) -> None:
    words = ("find", *typed.split(), "--game", "pig")
    result = rule_tools.find("pig", **FIND[typed])
    assert run_kingsburg(tmp_path, *words).stdout == f"{result.text}\n"
    assert json.loads(run_kingsburg(tmp_path, *words, "--format", "json").stdout)["found"] == result.data["found"]


def test_show_is_the_same_as_command_and_as_tool(tmp_path: Path) -> None:
    words = ("show", "turn", "--game", "pig")
    result = rule_tools.show("pig", "turn")
    assert run_kingsburg(tmp_path, *words).stdout == f"{result.text}\n"
    assert json.loads(run_kingsburg(tmp_path, *words, "--format", "json").stdout)["found"] == result.data["found"]


@pytest.mark.parametrize("typed", REFUSED)
def test_refusal_is_the_same_as_command_and_as_tool(tmp_path: Path, typed: str) -> None:
    with pytest.raises(RequestError) as caught:
        REFUSED[typed]()
    done = run_kingsburg(tmp_path, *typed.split(), "--game", "pig")
    assert done.returncode == 2
    assert done.stderr.endswith(f": {caught.value.reason}\nhelp: {caught.value.remedy}\n")
