"""`upgrade`: rules of an older edition of the language, rewritten in today's. What they do stays the same."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from edict.apps.cli import shared_options as o
from edict.apps.cli.command_errors import UsageError, WrongRules
from edict.apps.cli.rules_by_name import default_game, find_targets, steady, texts_of
from edict.compiler.pipeline.compile import compile_rules
from edict.compiler.sources.folders import MANIFEST, Module, laid_over, read_manifest, read_module, read_text
from edict.compiler.sources.module_lookup import find, module_in, shipped
from edict.compiler.syntax.page_cache import reading
from edict.runtime.program import Program
from edict.runtime.program.same import plays_alike
from edict.support.files import line_ends, write_whole
from edict.support.morphology import count_noun
from edict.support.rendering import plain
from edict.support.report import Outcome, RulesError
from edict.support.text import EDITION, Source

NO_GAME = "E0160"

Folders = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[FOLDER]...",
        autocompletion=o.rules_names,
        help="Folders of rules [default: this one and those below it].",
    ),
]
OnlyDiff = Annotated[bool, typer.Option("--diff", help="Show the changes as a diff, and write nothing.")]


@dataclass(frozen=True, slots=True)
class _File:
    """A file as it is and as it will be."""

    path: Path
    old: Source
    new: str


def upgrade(names: Folders = None, diff: OnlyDiff = False) -> int:
    """Rewrite what is named, all of a folder or nothing of it; returns the exit code."""
    for name in find_targets(names or ()):
        _upgrade(find(steady(name)).unwrap(), diff)
    return 0


def _upgrade(folder: Path, diff: bool) -> None:
    module = _module(folder)
    edition = module.manifest.language
    if edition == EDITION:
        print(plain(f"{module.name}: edition {EDITION} already"))
        return
    if not diff and folder.resolve() in [one.resolve() for one in shipped()]:
        raise UsageError(f"`{module.name}` ships with the package, and is not rewritten", "--diff works on it too")
    files = [file for file in _files(folder, module) if file.new != file.old.text]
    _check_same(folder, module, {file.path.resolve(): file.new for file in files})
    for file in files:
        print(plain("".join(_difference(file))), end="")
    if not diff:
        for file in files:
            write_whole(file.path, file.new, line_ends(file.path))
    done = "to be rewritten" if diff else "rewritten"
    print(plain(f"{module.name}: edition {edition} to {EDITION}, {count_noun(len(files), 'file')} {done}"))


def _module(folder: Path) -> Module:
    outcome = read_module(folder)
    if outcome.value is None:
        raise WrongRules(outcome.diagnostics, texts_of([str(folder)]))
    return outcome.value


# --- the files ---------------------------------------------------------------------------------


def _files(folder: Path, module: Module) -> Iterator[_File]:
    """The manifest and every rule file, those in `with/` too."""
    manifest = read_text(folder, folder / MANIFEST).unwrap()
    yield _File(folder / MANIFEST, manifest, _with_edition(manifest.text))
    for source in (*module.sources, *(source for some in module.beside.values() for source in some)):
        found = reading(source)
        if not found.ok:
            raise WrongRules(found.diagnostics(), {source.name: source})
        new = source.text if found.today is None else found.today.source.text
        yield _File(folder / source.name.partition("/")[2], source, new)


def _with_edition(manifest: str) -> str:
    """A manifest that says today's edition, in the line where it said another one or below the kind of rules."""
    line = f"language: {EDITION}"
    said, count = re.subn(r"^language:[^\S\n]*\d+", line, manifest, flags=re.MULTILINE)
    if not count:
        said, count = re.subn(r"^(kind:[^\n]*\w[^\n]*)$", rf"\1\n{line}", manifest, flags=re.MULTILINE)
    if not count:
        raise UsageError(f"`{MANIFEST}` has no line that begins with `kind:`", f"write `{line}` into it by hand")
    return said


def _difference(file: _File) -> Iterator[str]:
    old, new = file.old.text.splitlines(keepends=True), file.new.splitlines(keepends=True)
    for line in difflib.unified_diff(old, new, file.old.name, f"{file.old.name} (edition {EDITION})"):
        yield line if line.endswith("\n") else line + "\n\\ No newline at end of file\n"


# --- whether they mean the same ----------------------------------------------------------------


def _check_same(folder: Path, module: Module, texts: Mapping[Path, str]) -> None:
    """Raises `UsageError` unless these texts play as the rules did: alone, and beside each module they speak of."""
    there = {name: module_in(folder.resolve().parent, name) or find(name).value for name in sorted(module.beside)}
    for beside in ([], *([str(path)] for path in there.values() if path is not None)):
        before = _compiled(folder, beside)
        with laid_over(texts):
            after = _compiled(folder, beside)
            edition = read_manifest(folder).unwrap().language
        if edition != EDITION or not plays_alike(before, after):
            raise UsageError(
                f"`{module.name}` would play otherwise, so nothing of it was rewritten",
                "this is a bug in the engine, not in your rules; until it is mended, play them as they are",
            )


def _compiled(folder: Path, beside: list[str]) -> Program:
    """The program of a game, or of a module over the game that it names or that is meant."""
    outcome = compile_rules(folder, beside)
    if any(found.code == NO_GAME for found in outcome.diagnostics):
        outcome = compile_rules(default_game(), (str(folder.resolve()), *beside))
    return _or_told(outcome, folder)


def _or_told(outcome: Outcome[Program], folder: Path) -> Program:
    try:
        return outcome.unwrap()
    except RulesError as problem:
        raise WrongRules(problem.diagnostics, texts_of([str(folder)])) from None
