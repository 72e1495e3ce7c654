"""`upgrade`: rules of an older edition of the language, rewritten in today's. What they do stays the same."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from edict.apps.cli import shared_options as o
from edict.apps.cli.command_errors import UsageError, WrongRules
from edict.apps.cli.rules_by_name import default_game, find_targets, steady, texts_of
from edict.compiler.pipeline.compile import compile_rules
from edict.compiler.sources.folders import MANIFEST, Module, laid_over, read_manifest, read_module, read_text
from edict.compiler.sources.module_lookup import find, module_in, shipped
from edict.compiler.sources.module_set import gather
from edict.compiler.sources.yaml_reader import read_yaml
from edict.compiler.syntax.editions.module_renames import assign_renames
from edict.compiler.syntax.page_cache import reading
from edict.compiler.syntax.reserved_words import reserved
from edict.runtime.program import Program
from edict.runtime.program.program_identity import plays_alike
from edict.support.files import detect_newline, write_atomically
from edict.support.morphology import count_noun
from edict.support.rendering import escape_terminal
from edict.support.report import Edit, Outcome, RulesError, apply_edits
from edict.support.text import EDITION, Source
from edict.tools.language_service.renaming import edit_renamed

NO_GAME = "E0160"
T = TypeVar("T")

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
        print(escape_terminal(f"{module.name}: edition {EDITION} already"))
        return
    if not diff and folder.resolve() in [one.resolve() for one in shipped()]:
        raise UsageError(f"`{module.name}` ships with the package, and is not rewritten", "--diff works on it too")
    files = [file for file in _files(folder, module) if file.new != file.old.text]
    _check_same(folder, module, {file.path.resolve(): file.new for file in files})
    for file in files:
        print(escape_terminal("".join(_difference(file))), end="")
    if not diff:
        _write(files)
    done = "to be rewritten" if diff else "rewritten"
    print(escape_terminal(f"{module.name}: edition {edition} to {EDITION}, {count_noun(len(files), 'file')} {done}"))


def _write(files: Sequence[_File]) -> None:
    """Write every file, or leave all of them as they were and raise `OSError`."""
    ends = [detect_newline(file.path) for file in files]
    for at, file in enumerate(files):
        try:
            write_atomically(file.path, file.new, ends[at])
        except OSError:
            for written, end in zip(files[:at], ends[:at], strict=True):
                write_atomically(written.path, written.old.text, end)
            raise


def _module(folder: Path) -> Module:
    outcome = read_module(folder)
    if outcome.value is None:
        raise WrongRules(outcome.diagnostics, texts_of([str(folder)]))
    return outcome.value


# --- the files ---------------------------------------------------------------------------------


def _files(folder: Path, module: Module) -> Iterator[_File]:
    """The manifest and every rule file, those in `with/` too."""
    manifest = read_text(folder, folder / MANIFEST).unwrap()
    named = _assign_names(folder)
    yield _File(folder / MANIFEST, manifest, _with_renamed(_with_edition(manifest.text), module, named))
    beside = (source for name in sorted(module.beside) for source in _files_beside(folder, named, name))
    for source in {source.name: source for source in (*named.sources, *beside)}.values():
        found = reading(source)
        if not found.ok:
            raise WrongRules(found.diagnostics(), {source.name: source})
        new = source.text if found.today is None else found.today.source.text
        yield _File(folder / source.name.partition("/")[2], source, new)


def _assign_names(folder: Path, beside: Sequence[str] = ()) -> Module:
    """Return the module with the new names that hold in its files when it is played, over its game."""
    modules = assign_renames(_or_told(_over_its_game(gather, folder, beside), folder))
    return next(module for module in modules if module.folder.resolve() == folder.resolve())


def _files_beside(folder: Path, module: Module, name: str) -> tuple[Source, ...]:
    """Return the files in `with/NAME/`, which follow the new names of the module NAME too, if it is there."""
    there = _find_beside(folder, name)
    return (module if there is None else _assign_names(folder, [str(there)])).beside[name]


def _with_renamed(manifest: str, module: Module, named: Module) -> str:
    """Return a manifest that says which names are called otherwise now, wherever it speaks of them."""
    for old, new in reversed(named.manifest.renamed):  # each is written before the others
        if (old, new) not in module.manifest.renamed and reserved(old):
            source = Source(f"{module.folder.name}/{MANIFEST}", manifest)
            edits = [*edit_renamed(source, old, new, True), *_edit_book(source, old, new)]
            manifest = apply_edits(manifest, edits)
            if not module.manifest.renamed and not re.search(r"^renamed:", manifest, flags=re.MULTILINE):
                manifest = manifest.replace(_LINE, f"{_LINE}\nrenamed: {{{old}: {new}}}", 1)
    return manifest


def _edit_book(manifest: Source, old: str, new: str) -> Iterator[Edit]:
    """Return the edits of passages of the rulebook that stand for what is called so."""
    read = read_yaml(manifest).unwrap()
    for number, passage in enumerate(read.data.get("book", ())):
        if passage["place"] == old:
            yield Edit(read.place(("book", number, "place")), new)


_LINE = f"language: {EDITION}"


def _with_edition(manifest: str) -> str:
    """A manifest that says today's edition, in the line where it said another one or below the kind of rules."""
    line = _LINE
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
    there = {name: _find_beside(folder, name) for name in sorted(module.beside)}
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


def _find_beside(folder: Path, name: str) -> Path | None:
    """Return the folder of a module that this one has files for in `with/`, if it is there."""
    return module_in(folder.resolve().parent, name) or find(name).value


def _compiled(folder: Path, beside: list[str]) -> Program:
    """The program of a game, or of a module over the game that it names or that is meant."""
    return _or_told(_over_its_game(compile_rules, folder, beside), folder)


def _over_its_game(make: Callable[[str, Sequence[str]], Outcome[T]], folder: Path, beside: Sequence[str]) -> Outcome[T]:
    """Return what is made of a game, or of a module over the game that it names or that is meant."""
    outcome = make(str(folder), beside)
    if any(found.code == NO_GAME for found in outcome.diagnostics):
        outcome = make(default_game(), (str(folder.resolve()), *beside))
    return outcome


def _or_told(outcome: Outcome[T], folder: Path) -> T:
    try:
        return outcome.unwrap()
    except RulesError as problem:
        raise WrongRules(problem.diagnostics, texts_of([str(folder)])) from None
