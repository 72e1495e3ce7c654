"""The extension in a real VS Code: `make vscode`, which installs code-server and the packaged extension first.

What is typed is what the file then holds; what else there is to see is looked for in the page.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from browsing import launch_chromium

SERVER = Path(os.environ["CODE_SERVER"])  # the folder of the package `code-server`
EXTENSION = Path(os.environ["EDICT_VSIX"])
COMMAND = Path(sys.executable).with_name("kingsburg")
MANIFEST = "name: {0}\ntitle: {0}\nversion: 1.0.0\nkind: module\nrequires: [kingsburg]\n"
SETTINGS = {
    "edict.command": [str(COMMAND)],
    "workbench.startupEditor": "none",
    "files.autoSave": "off",
    "window.commandCenter": False,
    "extensions.ignoreRecommendations": True,
    "editor.autoClosingQuotes": "never",
}
KEY = 40  # milliseconds between keys
expect.set_options(timeout=60_000)
CHARTER = 'building charter "Charter"\n  row G\n  column 1\n  cost 1 gold\n  worth 1\nrow G "G"\n  place 9\n'


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A module for each test, where programs keep what is theirs: below a hidden folder."""
    games = tmp_path_factory.mktemp("home") / ".local" / "share" / "games"
    for name in ("enter", "indent", "paste", "wrong", "mine", "renamed", "completed"):
        (games / name).mkdir(parents=True)
        (games / name / "module.yaml").write_text(MANIFEST.format(name), encoding="utf-8")
    return games


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    kept = folder.parents[2] / "code"
    (kept / "User").mkdir(parents=True)
    (kept / "User" / "settings.json").write_text(json.dumps(SETTINGS), encoding="utf-8")
    start = [
        "node",
        str(SERVER / "out" / "node" / "entry.js"),
        "--user-data-dir",
        str(kept),
        "--extensions-dir",
        str(kept / "extensions"),
        "--config",
        str(kept / "config.yaml"),
    ]
    subprocess.run([*start, "--install-extension", str(EXTENSION)], check=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        at = f"127.0.0.1:{free.getsockname()[1]}"
    asked = [
        "--auth",
        "none",
        "--bind-addr",
        at,
        "--disable-telemetry",
        "--disable-update-check",
        "--disable-workspace-trust",
    ]
    server = subprocess.Popen([*start, *asked])
    try:
        for _ in range(300):
            try:
                urllib.request.urlopen(f"http://{at}/healthz").close()
                break
            except OSError:
                time.sleep(0.2)
        yield f"http://{at}"
    finally:
        server.terminate()
        server.wait()


@pytest.fixture(scope="module")
def page(address: str, folder: Path) -> Iterator[Any]:
    with launch_chromium() as browser:
        context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
        found = context.new_page()
        found.goto(f"{address}/?folder={folder}")
        expect(found.locator(".monaco-workbench")).to_be_visible()
        yield found
        context.close()


class Editor:
    """One file in the editor, with the text it begins with."""

    def __init__(self, page: Any, folder: Path) -> None:
        self.page, self.folder = page, folder

    def open(self, name: str, text: str = "") -> Path:
        file = self.folder / name
        file.write_text(text, encoding="utf-8")
        self.press("Control+P")
        quick = self.page.locator(".quick-input-widget input[type=text]")
        expect(quick).to_be_visible()
        quick.fill(str(file))
        expect(self.page.locator(".quick-input-list .monaco-list-row").first).to_contain_text(file.name)
        self.press("Enter")
        expect(self.page.locator(".tab.active")).to_contain_text(file.name)
        self.page.locator(".editor-instance .view-lines").first.click()
        self.press("Control+Home")
        return file

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)
            self.page.wait_for_timeout(KEY)

    def type(self, text: str) -> None:
        for number, line in enumerate(text.split("\n")):
            if number:
                self.press("Enter")
                self.page.wait_for_timeout(10 * KEY)  # as people do, and the line is indented meanwhile
            self.page.keyboard.type(line, delay=KEY)
            self.page.wait_for_timeout(10 * KEY)  # suggestions are open by now

    def saved(self, file: Path) -> str:
        before = file.stat().st_mtime_ns
        self.press("Control+S")
        for _ in range(100):
            if file.stat().st_mtime_ns != before:
                break
            self.page.wait_for_timeout(50)
        return file.read_text(encoding="utf-8")


@pytest.fixture
def editor(page: Any, folder: Path) -> Editor:
    return Editor(page, folder)


def test_enter_is_enter(editor: Editor) -> None:
    file = editor.open("enter/enter.edict")
    lines = ["row A", "row B", "amend advisor squire", "when end of year", "gain 1 gold"]
    editor.type("\n".join(lines))
    assert [line.strip() for line in editor.saved(file).split("\n") if line.strip()] == lines


def test_a_line_begins_where_it_belongs(editor: Editor) -> None:
    file = editor.open("indent/indent.edict", "a mistake\n")
    expect(editor.page.locator(".squiggly-error").first).to_be_visible()  # the language is there
    editor.press("Control+A", "Delete")
    indented = ['building smithy "Smithy"', "  row B", "  when end of spring", "    gain 1 gold"]
    for number, line in enumerate(indented, 1):
        if number > 1:
            editor.press("Enter")
        begins = len(line) - len(line.lstrip()) + 1
        expect(editor.page.locator("#status\\.editor\\.selection")).to_contain_text(f"Ln {number}, Col {begins}")
        editor.type(line.strip())
    assert editor.saved(file).rstrip().split("\n") == indented


def test_what_is_pasted_keeps_its_spaces(editor: Editor) -> None:
    file = editor.open("paste/pasted.edict")
    editor.page.evaluate("text => navigator.clipboard.writeText(text)", CHARTER)
    editor.press("Control+V")
    assert editor.saved(file).rstrip() == CHARTER.rstrip()


def test_problems_are_told_and_mended(editor: Editor) -> None:
    file = editor.open("wrong/wrong.edict", CHARTER.replace("1 gold", "1 golt"))
    expect(editor.page.locator(".squiggly-error").first).to_be_visible()
    editor.press("ArrowDown", "ArrowDown", "ArrowDown", "End", "ArrowLeft")
    editor.page.wait_for_timeout(1000)  # the light comes on
    editor.press("Control+.")
    expect(editor.page.locator(".action-widget")).to_be_visible()
    editor.press("Enter")
    expect(editor.page.locator(".squiggly-error")).to_have_count(0)
    assert "cost 1 gold" in editor.saved(file)


def test_what_a_name_means_is_told_where_one_points(editor: Editor) -> None:
    editor.open("mine/pointed.edict", "amend advisor merchant\n  rank 4\n")
    editor.page.wait_for_timeout(3000)
    editor.page.locator(".view-line span", has_text="merchant").last.hover()
    told = editor.page.locator(".monaco-hover", has_text="Merchant").first
    expect(told).to_be_visible()
    expect(told).not_to_contain_text("beyond the rank")


def test_a_name_is_changed_wherever_it_is_written(editor: Editor) -> None:
    used = editor.folder / "renamed" / "used.edict"
    rule = "when end of winter\n  each player where charter is in owned of it\n    gain 1 gold\n"
    used.write_text(rule, encoding="utf-8")
    file = editor.open("renamed/renamed.edict", CHARTER)
    editor.page.wait_for_timeout(3000)  # until it is understood
    editor.page.locator(".view-line span", has_text="charter").first.click()
    editor.press("F2")
    box = editor.page.locator(".rename-box input")
    expect(box).to_be_visible()
    expect(box).to_have_value("charter")
    box.fill("letter")
    editor.press("Enter")
    expect(editor.page.locator(".editor-instance .view-lines").first).to_contain_text("building letter")
    editor.press("Control+K")
    editor.press("s")  # all files
    for _ in range(100):
        if "letter" in used.read_text(encoding="utf-8") and "letter" in file.read_text(encoding="utf-8"):
            break
        editor.page.wait_for_timeout(50)
    assert file.read_text(encoding="utf-8").startswith('building letter "Charter"')
    assert "letter is in owned" in used.read_text(encoding="utf-8")


def test_what_fits_is_offered_and_taken(editor: Editor) -> None:
    file = editor.open("completed/completed.edict")
    editor.type("amend advisor mercha")
    editor.page.wait_for_timeout(1000)
    editor.press("Control+Space")
    expect(editor.page.locator(".suggest-widget .monaco-list-row", has_text="merchant").first).to_be_visible()
    editor.press("Tab")
    assert editor.saved(file).rstrip() == "amend advisor merchant"
