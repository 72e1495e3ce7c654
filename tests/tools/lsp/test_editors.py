"""Editor packages: their grammars and settings, and how they work with the server."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from pygments.token import Token

from calling import COMMAND, make_environment
from edict.compiler.semantics.symbols import BUILTINS
from edict.compiler.syntax.grammar import keywords
from edict.prose.highlighting import EdictLexer
from edict.tools.language_service import text_decorations
from edict.tools.language_service.workspace import Workspace
from workshop import GAME, MODULE, write_fair


@pytest.fixture
def vscode(root: Path) -> Path:
    return root / "editors" / "vscode"


def test_generated_files_are_up_to_date(root: Path, monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests) -> None:
    monkeypatch.syspath_prepend(str(root / "editors"))
    sys.modules.pop("generate", None)
    import generate

    for path, text in generate.written().items():
        with subtests.test(path=path):
            assert path.read_text(encoding="utf-8") == text, f"run: python editors/generate.py ({path.name})"


def test_files_named_by_the_package_exist(vscode: Path) -> None:
    package = json.loads((vscode / "package.json").read_text(encoding="utf-8"))
    contributions = package["contributes"]
    file_names = [
        package["main"],
        *(contribution["path"] for contribution in (*contributions["grammars"], *contributions["snippets"])),
    ]
    file_names += [contribution["configuration"] for contribution in contributions["languages"]]
    assert all((vscode / name).is_file() for name in file_names)
    client = (vscode / "extension.js").read_text(encoding="utf-8")
    assert all(f'"{contribution["command"]}"' in client for contribution in contributions["commands"])


def test_grammar_matches_every_keyword_and_no_part_of_a_name(vscode: Path) -> None:
    grammar = json.loads((vscode / "syntaxes" / "edict.tmLanguage.json").read_text(encoding="utf-8"))
    (words,) = (pattern for pattern in grammar["patterns"] if pattern.get("name") == "keyword.control.edict")
    assert all(re.fullmatch(words["match"], word) for word in keywords())
    assert not re.search(words["match"], "own-die-of-choice total-gain")


def test_grammar_passes_vscode_tmgrammar_test(vscode: Path) -> None:
    """`vscode-tmgrammar-test` runs the grammar as VS Code does."""
    tester = vscode / "node_modules" / ".bin" / "vscode-tmgrammar-test"
    if not tester.exists() or shutil.which("node") is None:
        pytest.skip("vscode-tmgrammar-test is not installed (npm install, in editors/vscode)")
    done = subprocess.run(["npm", "test", "--silent"], cwd=vscode, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr


def test_lexer_recognizes_keywords_strings_and_comments() -> None:
    found = [(str(kind), text) for kind, text in EdictLexer().get_tokens('gain 2 own-gold # so\nannounce "Hi"\n')]
    assert ("Token.Keyword", "gain") in found and ("Token.Name", "own-gold") in found
    assert ("Token.Comment.Single", "# so") in found and ("Token.Literal.String.Double", '"Hi"') in found


def test_lexer_and_server_agree_on_keywords(tmp_path: Path) -> None:
    """Every keyword of the server is one of the lexer; only the server knows names of rules."""
    file = write_fair(tmp_path) / "fair" / "fair.edict"
    space = Workspace([tmp_path])
    space.get_rules(file).get_analysis()  # type: ignore[union-attr]
    lines = GAME.split("\n")
    words = {
        lines[token.span.line - 1][token.span.column - 1 : token.span.end_column - 1]
        for token in text_decorations.list_tokens(space, file)
        if token.sort == "keyword"
    }
    lexed = {text for kind, text in EdictLexer().get_tokens(GAME) if kind is Token.Keyword}
    assert words <= lexed | set(BUILTINS) and {"gain", "when", "exception"} <= words


PLAY_SCRIPT = """
const Module = require("node:module");
const load = Module._load;
const registered = {}, opened = [];
const editor = {
  workspace: { getConfiguration: () => ({ get: (name) => ({ command: ["kingsburg"], game: "" })[name] }),
    createFileSystemWatcher() {}, saveAll: async () => true },
  window: { createTerminal: (how) => (opened.push(how), { show() {} }), showErrorMessage() {} },
  commands: { registerCommand: (name, deed) => (registered[name] = deed) },
  Uri: { parse: (uri) => ({ fsPath: decodeURIComponent(new URL(uri).pathname) }) },
};
class LanguageClient { async start() {} }
Module._load = (name, ...more) =>
  name === "vscode" ? editor : name.startsWith("vscode-languageclient") ? { LanguageClient } : load(name, ...more);
require(process.argv[1]).activate({ subscriptions: [] })
  .then(() => registered["edict.playScene"]("file:///rules/scenes/a%20fair.yaml", 7))
  .then(() => console.log(JSON.stringify(opened)));
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_play_from_here_opens_a_game_in_a_terminal(vscode: Path) -> None:
    words = ["node", "-e", PLAY_SCRIPT, str(vscode / "extension.js")]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    (terminal,) = json.loads(done.stdout)
    assert terminal["shellPath"] == "kingsburg"
    assert terminal["shellArgs"] == ["play", "--at", "/rules/scenes/a fair.yaml:7"]


# --- how VS Code is set up for rules --------------------------------------------------------------------


def test_vscode_enter_breaks_lines_tab_completes_and_server_indents(
    vscode: Path,
) -> None:
    package = json.loads((vscode / "package.json").read_text(encoding="utf-8"))
    wanted = {
        "editor.acceptSuggestionOnEnter": "off",
        "editor.tabCompletion": "on",
        "editor.formatOnType": True,
        "editor.insertSpaces": True,
        "editor.tabSize": 2,
    }
    assert wanted.items() <= package["contributes"]["configurationDefaults"]["[edict]"].items()
    rules = json.loads((vscode / "language-configuration.json").read_text(encoding="utf-8"))
    assert not {"onEnterRules", "indentationRules"} & set(rules), "no list of words"


# --- Neovim ---------------------------------------------------------------------------------------


NEOVIM = shutil.which("nvim")


@pytest.mark.xdist_group("lsp")
@pytest.mark.skipif(NEOVIM is None, reason="Neovim is not installed (nvim)")
def test_neovim_completes_fixes_and_renames(tmp_path: Path) -> None:
    folder = write_fair(tmp_path / "workshop")
    module = folder / "forge" / "forge.edict"
    module.write_text(MODULE.replace("gain 1 cloth", "gain 1 clot"), encoding="utf-8")
    given = {
        "MODULE": str(module),
        "ROOT": str(folder),
        "SERVER": json.dumps([*COMMAND, "lsp"]),
        "FOUND": str(tmp_path / "found.json"),
        "HOME": str(tmp_path),
        "XDG_STATE_HOME": str(tmp_path / "state"),
    }
    script = Path(__file__).parent / "neovim.lua"
    done = subprocess.run(
        [str(NEOVIM), "--headless", "-u", "NONE", "-i", "NONE", "-n", "-c", f"luafile {script}"],
        cwd=folder,
        env=make_environment(tmp_path, **given),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert (tmp_path / "found.json").is_file(), done.stderr
    found = json.loads((tmp_path / "found.json").read_text(encoding="utf-8"))
    assert "error" not in found, found["error"]
    assert found["mistake"].startswith("unknown name `clot`") and "did you mean `cloth`?" in found["mistake"]
    assert found["completion"] == ["income"]
    assert module.read_text(encoding="utf-8") == MODULE.replace("bakery", "baker")
    game = (folder / "fair" / "fair.edict").read_text(encoding="utf-8")
    assert game == GAME.replace("bakery", "baker")
