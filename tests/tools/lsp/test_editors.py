"""What editors are given: their packages, grammars and settings, and how they get on with the server."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from pygments.token import Token

from calling import COMMAND, environment
from edict.compiler.semantics.symbols import BUILTINS
from edict.compiler.syntax.grammar import keywords
from edict.prose.highlighting import EdictLexer
from edict.tools.language_service import semantic_tokens
from edict.tools.language_service.workspace import Workspace
from workshop import GAME, MODULE, fair


@pytest.fixture
def vscode(root: Path) -> Path:
    return root / "editors" / "vscode"


def test_the_generated_files_are_up_to_date(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(root / "editors"))
    sys.modules.pop("generate", None)
    import generate

    for path, text in generate.written().items():
        assert path.read_text(encoding="utf-8") == text, f"run: python editors/generate.py ({path.name})"


def test_the_package_names_files_that_are_there(vscode: Path) -> None:
    package = json.loads((vscode / "package.json").read_text(encoding="utf-8"))
    gives = package["contributes"]
    named = [package["main"], *(one["path"] for one in (*gives["grammars"], *gives["snippets"]))]
    named += [one["configuration"] for one in gives["languages"]]
    assert all((vscode / name).is_file() for name in named)
    client = (vscode / "extension.js").read_text(encoding="utf-8")
    assert all(f'"{one["command"]}"' in client for one in gives["commands"])


def test_the_grammar_matches_every_word_of_the_language_and_no_part_of_a_name(vscode: Path) -> None:
    grammar = json.loads((vscode / "syntaxes" / "edict.tmLanguage.json").read_text(encoding="utf-8"))
    (words,) = (one for one in grammar["patterns"] if one.get("name") == "keyword.control.edict")
    assert all(re.fullmatch(words["match"], word) for word in keywords())
    assert not re.search(words["match"], "own-die-of-choice total-gain")


def test_the_grammar_colours_what_it_should(vscode: Path) -> None:
    """`vscode-tmgrammar-test` runs the grammar as VS Code does."""
    tester = vscode / "node_modules" / ".bin" / "vscode-tmgrammar-test"
    if not tester.exists() or shutil.which("node") is None:
        pytest.skip("vscode-tmgrammar-test is not installed (npm install, in editors/vscode)")
    done = subprocess.run(["npm", "test", "--silent"], cwd=vscode, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_lexer_knows_words_texts_and_remarks() -> None:
    found = [(str(kind), text) for kind, text in EdictLexer().get_tokens('gain 2 own-gold # so\nannounce "Hi"\n')]
    assert ("Token.Keyword", "gain") in found and ("Token.Name", "own-gold") in found
    assert ("Token.Comment.Single", "# so") in found and ("Token.Literal.String.Double", '"Hi"') in found


def test_the_lexer_and_the_server_agree_on_the_words_of_the_language(tmp_path: Path) -> None:
    """What the server shows as a word of the language the lexer does too; names of rules only the server knows."""
    file = fair(tmp_path) / "fair" / "fair.edict"
    space = Workspace([tmp_path])
    space.rules(file).analysis()  # type: ignore[union-attr]
    lines = GAME.split("\n")
    words = {
        lines[one.span.line - 1][one.span.column - 1 : one.span.end_column - 1]
        for one in semantic_tokens.colours(space, file)
        if one.sort == "keyword"
    }
    lexed = {text for kind, text in EdictLexer().get_tokens(GAME) if kind is Token.Keyword}
    assert words <= lexed | set(BUILTINS) and {"gain", "when", "exception"} <= words


PLAYED = """
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
    words = ["node", "-e", PLAYED, str(vscode / "extension.js")]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    (terminal,) = json.loads(done.stdout)
    assert terminal["shellPath"] == "kingsburg"
    assert terminal["shellArgs"] == ["play", "--at", "/rules/scenes/a fair.yaml:7"]


# --- how VS Code is set up for rules --------------------------------------------------------------------


def test_enter_is_a_new_line_tab_takes_what_is_offered_and_the_server_says_how_far_in_a_line_begins(
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
    folder = fair(tmp_path / "workshop")
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
        env=environment(tmp_path, **given),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert (tmp_path / "found.json").is_file(), done.stderr
    found = json.loads((tmp_path / "found.json").read_text(encoding="utf-8"))
    assert "error" not in found, found["error"]
    assert found["mistake"].startswith("nothing is named `clot`") and "did you mean `cloth`?" in found["mistake"]
    assert found["completion"] == ["income"]
    assert module.read_text(encoding="utf-8") == MODULE.replace("bakery", "baker")
    game = (folder / "fair" / "fair.edict").read_text(encoding="utf-8")
    assert game == GAME.replace("bakery", "baker")
