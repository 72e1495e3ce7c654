"""Tests of the pages in `grammar/diagnostics/`.

What a page says to avoid is refused with exactly the message shown, and what it says to prefer is not.

A page begins with `code:` and `through:`, how far its snippet is compiled or run to find the code: modules, parse,
expand, layer, shape (the pass `validate_things`), compile (all passes), check (what the command `check` finds), play or
format. `over: orchard` lays the snippet over the game of the reference; `besides:` is the code of other findings in it,
which have a page of their own.
Its snippets are files: the block's info line may name one (` ```edict house/page.edict `), and `{{U+200B}}`,
`{{byte FF}}` and `{{text*1000}}` stand for what cannot be shown; a `python` block names what is loaded. To write the
messages again after a change:
`python tests/compiler/checks/test_diagnostics.py`.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from edict.compiler.layering.expand import expand
from edict.compiler.layering.layer import layer_modules
from edict.compiler.layering.thing_validation import validate_things
from edict.compiler.pipeline.compile import check_rules, compile_rules
from edict.compiler.pipeline.pipeline import build_program, parse_modules
from edict.compiler.sources.module_set import Module, gather_modules, read_texts
from edict.compiler.syntax.construct_rows import read_example_game
from edict.compiler.syntax.printing.canonical import format_source
from edict.compiler.syntax.tree import Book
from edict.game.table.rules import Rules
from edict.support.rendering import render_diagnostics
from edict.support.report import Diagnostic, Outcome, RulesError

ROOT = Path(__file__).resolve().parents[3]
PAGES = sorted((ROOT / "grammar" / "diagnostics").glob("E*.md"))
CODE = re.compile(r"\b[ES]0\d{3}\b")
EMITTED = re.compile(r'"([ES]0\d{3})"')

PRELUDE = """\
keep sample-order as order of player, quiet

game sample "Sample"
  players 2 to 4
  order sample-order
  winners everyone
  score 0
  course
    play opening

phase opening "Opening"
  nothing
"""
ORCHARD = read_example_game()  # the example game of the language reference, with which habits are shown
MANIFEST = "name: {name}\ntitle: {name}\nversion: 1.0.0\nkind: {kind}\nlanguage: 1\n"

# --- pages -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PageOfCode:
    """A page: its front matter, the files to avoid and to prefer, and the message."""

    head: dict[str, str]
    avoid: dict[str, str]
    prefer: dict[str, str]
    said: str


_BLOCK = re.compile(r"^```(\w+)(?: ([^\n]+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


_PAGE = re.compile(r"---\n((?:\w+: [^\n]+\n)+)---\n(.*)", re.DOTALL)
_PARTS = ("Avoid", "Prefer", "Message")


class WrongPage(Exception):
    """A page does not have the form that `CONTRIBUTING.md` describes."""


def read_page(path: Path) -> PageOfCode:
    """Read a page; raises `WrongPage`, which says what it lacks."""
    whole = _PAGE.fullmatch(path.read_text(encoding="utf-8"))
    if whole is None:
        raise WrongPage(f"{path.name} does not begin with front matter: `code: {path.stem}` and more between two `---`")
    lines = dict(line.split(": ", 1) for line in whole[1].splitlines())
    parts = dict(re.findall(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", whole[2], re.MULTILINE | re.DOTALL))
    missing = [f"`## {part}`" for part in _PARTS if part not in parts] + ["`through:`"] * ("through" not in lines)
    if missing:
        raise WrongPage(f"{path.name} lacks {', '.join(missing)}")
    said = _BLOCK.search(parts["Message"])
    return PageOfCode(lines, _files(parts["Avoid"]), _files(parts["Prefer"]), said[3] if said else "")


def _files(text: str) -> dict[str, str]:
    return {
        name or ("load" if kind == "python" else "sample/page.edict"): "->" + content.strip()
        if kind == "link"
        else _expand_placeholders(content)
        for kind, name, content in _BLOCK.findall(text)
    }


def _expand_placeholders(text: str) -> str:
    text = re.sub(r"\{\{U\+([0-9A-F]+)\}\}", lambda m: chr(int(m[1], 16)), text)
    text = re.sub(r"\{\{byte ([0-9A-F]{2})\}\}", lambda m: chr(0xDC00 + int(m[1], 16)), text)
    many = r"\{\{([^{}]*?)\*(\d+)\}\}"
    return re.sub(many, lambda m: "".join(m[1].replace("#", str(n)) for n in range(int(m[2]))), text)


# --- running them ------------------------------------------------------------------------------


def write_snippet(files: dict[str, str], head: dict[str, str]) -> list[str]:
    """Write the files of a snippet into this folder, with what every game needs, and return the modules to play."""
    files = dict(files)
    named = re.findall(r'"([^"]+)"', files.pop("load", ""))
    base = [text for name, text in files.items() if name.startswith("sample/")]
    if head.get("over") == "orchard":
        files["sample/orchard.edict"] = ORCHARD
    needs_game = not {head.get("game"), head.get("over")} & {"none", "orchard"} and not any(
        re.search(r"^game ", text, re.M) for text in base
    )
    if needs_game and head["through"] not in ("parse", "modules"):
        files["sample/prelude.edict"] = PRELUDE
    for folder in sorted({name.split("/")[0] for name in files}):
        if f"{folder}/module.yaml" not in files and head.get("manifest") != "none":
            kind = "game" if folder == "sample" else "module"
            files[f"{folder}/module.yaml"] = MANIFEST.format(name=folder, kind=kind)
    for name, text in files.items():
        for one in [name.replace("#", str(n)) for n in range(300)] if "#" in name else [name]:
            _write(Path(one), text)
    names = sorted({"./" + name.split("/")[0] for name in files if not name.startswith("sample/")})
    return named or ["./sample", *names]


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if text.startswith("->"):
        path.symlink_to(text[2:])
    else:
        path.write_bytes(text.encode("utf-8", "surrogateescape"))


def _gather_modules(wanted: list[str]) -> Outcome[tuple[Module, ...]]:
    return gather_modules(wanted[0], wanted[1:])


def _compile(wanted: list[str]) -> Outcome[Any]:
    """Compile to a program as `check` does, without optimization, which takes half the time."""
    return _gather_modules(wanted).and_then(partial(build_program, optimized=False))


def _play(wanted: list[str]) -> Outcome[Any]:
    """Start a game for two players, up to the first question."""
    compiled = compile_rules(wanted[0], wanted[1:], fresh=True)
    try:
        return Outcome(Rules(compiled.unwrap(), wanted[0]).new_game(["Ann", "Brian"], seed=1))
    except RulesError as stopped:
        return Outcome(None, stopped.diagnostics)


def _format(wanted: list[str]) -> Outcome[Any]:
    """Format the first of the files."""
    return format_source(_gather_modules(wanted).unwrap()[0].sources[0])


def _layer(wanted: list[str]) -> Outcome[Book]:
    return _expand_pages(wanted).and_then(layer_modules)


def _expand_pages(wanted: list[str]) -> Outcome[Any]:
    return _gather_modules(wanted).and_then(parse_modules).and_then(expand)


THROUGH: dict[str, Callable[[list[str]], Outcome[Any]]] = {
    "modules": _gather_modules,
    "parse": lambda wanted: _gather_modules(wanted).and_then(parse_modules),
    "expand": _expand_pages,
    "layer": _layer,
    "format": _format,
    "shape": lambda wanted: _layer(wanted).and_then(validate_things),
    "compile": _compile,
    "check": lambda wanted: check_rules(wanted[0], wanted[1:]),
    "play": _play,
}


def find_in_snippet(files: dict[str, str], head: dict[str, str]) -> tuple[tuple[Diagnostic, ...], str]:
    """Return the diagnostics of a snippet, and their text."""
    here = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            wanted = write_snippet(files, head)
            besides = head.get("besides", "")  # a code that is reported, too, and has a page of its own
            diagnostics = tuple(d for d in THROUGH[head["through"]](wanted).diagnostics if d.code != besides)
            return diagnostics, render_diagnostics(diagnostics, read_texts(wanted))
        finally:
            os.chdir(here)


# --- the tests ---------------------------------------------------------------------------------


@pytest.mark.sample(50)
@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_page_shows_the_message_of_what_to_avoid_and_what_to_prefer_is_accepted(path: Path) -> None:
    page = read_page(path)
    assert page.head["code"] == path.stem
    diagnostics, said = find_in_snippet(page.avoid, page.head)
    assert [d.code for d in diagnostics] == [page.head["code"]], said
    assert said == page.said
    assert all(d.help for d in diagnostics), said
    assert all(len(line) <= 100 for line in said.splitlines())
    diagnostics, said = find_in_snippet(page.prefer, page.head)
    assert not diagnostics, said


def _iter_emitted_codes() -> Iterator[str]:
    """Yield every code that the interpreter can emit: literals in its source that are a code, and those of habits."""
    engine = ROOT / "interpreter" / "edict"
    for file in engine.rglob("*.py"):
        if not file.is_relative_to(engine / "apps" / "cli"):  # the command line only compares codes
            yield from EMITTED.findall(file.read_text(encoding="utf-8"))
    yield from CODE.findall((ROOT / "grammar" / "habits.yaml").read_text(encoding="utf-8"))


def test_every_code_has_a_page_and_every_page_a_code() -> None:
    pages = {path.stem for path in (ROOT / "grammar" / "diagnostics").glob("*.md")}
    codes = set(_iter_emitted_codes())
    assert not codes - pages, "codes without a page"
    assert not pages - codes, "pages of codes that nothing emits"
    others = pages - {path.stem for path in PAGES}  # of scenes: tests/game/scenes/test_scenes.py goes through them
    assert others and all(re.fullmatch(r"S0\d{3}", code) for code in others)


# --- writing the messages anew -----------------------------------------------------------------


def _replace_message(text: str, said: str) -> str:
    head, tail = text.split("## Message\n")
    return head + "## Message\n" + _BLOCK.sub(partial(_fence_message, said), tail)


def _fence_message(said: str, _: re.Match[str]) -> str:
    return f"```text\n{said}```"


def rewrite_pages(paths: Iterable[Path] = PAGES) -> None:
    """Write the messages of all pages again; write nothing if a page does not have the right form."""
    for path, page in [(path, read_page(path)) for path in paths]:
        said = find_in_snippet(page.avoid, page.head)[1]
        text = path.read_text(encoding="utf-8")
        if _replace_message(text, said) != text:
            path.write_text(_replace_message(text, said), encoding="utf-8")
            print(f"{path.name}: message written anew", file=sys.stderr)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("# E9: x\n", "does not begin with front matter"),
        ("---\ncode: E9\n", "does not begin with front matter"),
        ("---\ncode: E9\n---\n# E9: x\n## Avoid\n", "lacks `## Prefer`, `## Message`, `through:`"),
    ],
)
def test_page_of_the_wrong_form_is_reported_in_one_line(tmp_path: Path, text: str, told: str) -> None:
    page = tmp_path / "E9999.md"
    page.write_text(text, encoding="utf-8")
    with pytest.raises(WrongPage, match=f"^E9999.md {told}[^\n]*$"):
        rewrite_pages([page])


if __name__ == "__main__":
    try:
        rewrite_pages()
    except WrongPage as problem:
        sys.exit(str(problem))
