"""How VS Code is set up for rules: what Enter and Tab do, and who says how far in a line begins."""

from __future__ import annotations

import json
from pathlib import Path

import pytest


@pytest.fixture
def vscode(root: Path) -> Path:
    return root / "editors" / "vscode"


def test_enter_is_a_new_line_and_tab_takes_what_is_offered(vscode: Path) -> None:
    package = json.loads((vscode / "package.json").read_text(encoding="utf-8"))
    set_up = package["contributes"]["configurationDefaults"]["[edict]"]
    assert set_up["editor.acceptSuggestionOnEnter"] == "off"
    assert set_up["editor.tabCompletion"] == "on"


def test_the_server_says_how_far_in_a_line_begins_and_no_list_of_words(vscode: Path) -> None:
    package = json.loads((vscode / "package.json").read_text(encoding="utf-8"))
    set_up = package["contributes"]["configurationDefaults"]["[edict]"]
    assert set_up["editor.formatOnType"] is True
    assert (set_up["editor.insertSpaces"], set_up["editor.tabSize"]) == (True, 2)
    rules = json.loads((vscode / "language-configuration.json").read_text(encoding="utf-8"))
    assert not {"onEnterRules", "indentationRules"} & set(rules)
