"""The command `upgrade`, which rewrites rules of an older edition in the current one without changing their effect."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from edict.apps.cli import shared_options as o
from edict.apps.cli.command_errors import RulesErrorWithSources, UsageError
from edict.apps.cli.rules_by_name import NO_GAME, default_game, find_targets, load_sources, to_stable_name
from edict.compiler.pipeline.compile import compile_rules
from edict.compiler.sources.folders import MANIFEST, Module, overlay_texts, read_manifest, read_module, read_text
from edict.compiler.sources.module_lookup import find_module, get_module_folder, list_shipped_modules
from edict.compiler.sources.module_set import gather_modules
from edict.compiler.sources.yaml_reader import read_yaml
from edict.compiler.syntax.editions.module_renames import assign_renames
from edict.compiler.syntax.parse import get_parse_result
from edict.compiler.syntax.reserved_words import find_reserved_sorts
from edict.game.scenes.scene_reports import ModuleReport, format_failure
from edict.game.scenes.scene_runner import run_module
from edict.runtime.program import Program, plays_alike
from edict.support.files import detect_newline, write_atomically
from edict.support.morphology import count_noun
from edict.support.records import dataclass
from edict.support.rendering import escape_terminal, render_diagnostics
from edict.support.report import Edit, Outcome, RulesError, apply_edits
from edict.support.text import EDITION, Source
from edict.tools.language_service.renaming import iter_former_name_edits

T = TypeVar("T")

Folders = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[FOLDER]...",
        autocompletion=o.rules_names,
        help="Rule folders [default: this folder and its subfolders].",
    ),
]
OnlyDiff = Annotated[bool, typer.Option("--diff", help="Show the changes as a diff, without writing files.")]


@dataclass(frozen=True, slots=True)
class _RewrittenFile:
    """A file with its old and new text."""

    path: Path
    old: Source
    new: str


def upgrade(names: Folders = None, diff: OnlyDiff = False) -> int:
    """Rewrite modules in the current edition of the language, or with `diff` print the changes only; return 0."""
    for name in find_targets(names or ()):
        _upgrade_folder(find_module(to_stable_name(name)).unwrap(), diff)
    return 0


def _upgrade_folder(folder: Path, diff: bool) -> None:
    """Rewrite a module's files in the current edition, after a check that it plays the same; print the diff."""
    module = _load_module(folder)
    edition = module.manifest.language
    if edition == EDITION:
        print(escape_terminal(f"{module.name} already uses edition {EDITION}"))
        _print_failures(run_module(folder))
        return
    if not diff and folder.resolve() in [shipped_folder.resolve() for shipped_folder in list_shipped_modules()]:
        raise UsageError(
            f"`{module.name}` is part of the package, so it is not rewritten", "use --diff to see the changes"
        )
    files = [file for file in _rewrite_files(folder, module) if file.new != file.old.text]
    texts = {file.path.resolve(): file.new for file in files}
    _require_same_play(folder, module, texts)
    for file in files:
        print(escape_terminal("".join(_diff_lines(file))), end="")
    if not diff:
        _write_files(files)
    verb = "would be rewritten" if diff else "rewritten"
    print(escape_terminal(f"{module.name}: edition {edition} to {EDITION}, {count_noun(len(files), 'file')} {verb}"))
    with overlay_texts(texts):
        _print_failures(run_module(folder))


def _print_failures(report: ModuleReport) -> None:
    """Print the scenes that do not pass under this version, and what each expects that is different now."""
    if report.diagnostics:
        print(escape_terminal(render_diagnostics(report.diagnostics, report.sources)), end="")
    for heading, failures in (
        ("Other words now", [played for played in report.failures if played.is_wording]),
        ("Other play now, or never passed", [played for played in report.failures if not played.is_wording]),
    ):
        if failures:
            print(f"{heading}: {count_noun(len(failures), 'scene')}")
        for played in failures:
            print("\n".join(f"  {line}" for line in format_failure(played, report, logs=False)))
    if report.failures:
        print("help: write what was found if that is what you mean; the change log says what changed")


def _write_files(files: Sequence[_RewrittenFile]) -> None:
    """Write every file, or restore all of them and raise `OSError`."""
    line_endings = [detect_newline(file.path) for file in files]
    for index, file in enumerate(files):
        try:
            write_atomically(file.path, file.new, line_endings[index])
        except OSError:
            for done, end in zip(files[:index], line_endings[:index], strict=True):
                write_atomically(done.path, done.old.text, end)
            raise


def _load_module(folder: Path) -> Module:
    """Read the module in a folder; raise `RulesErrorWithSources` if it has errors."""
    outcome = read_module(folder)
    if outcome.value is None:
        raise RulesErrorWithSources(outcome.diagnostics, load_sources([str(folder)]))
    return outcome.value


# --- the files ---------------------------------------------------------------------------------


def _rewrite_files(folder: Path, module: Module) -> Iterator[_RewrittenFile]:
    """Yield the manifest and every rule file, including those in `with/`, in the current edition."""
    manifest = read_text(folder, folder / MANIFEST).unwrap()
    renamed_module = _load_renamed_module(folder)
    yield _RewrittenFile(
        folder / MANIFEST, manifest, _apply_renames(_set_edition(manifest.text), module, renamed_module)
    )
    beside_sources = (
        source for name in sorted(module.beside) for source in _sources_beside(folder, renamed_module, name)
    )
    for source in {source.name: source for source in (*renamed_module.sources, *beside_sources)}.values():
        result = get_parse_result(source)
        if not result.ok:
            raise RulesErrorWithSources(result.explain(), {source.name: source})
        new = source.text if result.upgraded is None else result.upgraded.source.text
        yield _RewrittenFile(folder / source.name.partition("/")[2], source, new)


def _load_renamed_module(folder: Path, beside: Sequence[str] = ()) -> Module:
    """Return the module with the new names of definitions that hold when it is played over its game."""
    modules = assign_renames(_unwrap_or_raise(_make_over_game(gather_modules, folder, beside), folder))
    return next(module for module in modules if module.folder.resolve() == folder.resolve())


def _sources_beside(folder: Path, module: Module, name: str) -> tuple[Source, ...]:
    """Return the files in `with/NAME/`, after the renames of module NAME if it lies beside this one."""
    other_folder = _find_beside(folder, name)
    return (module if other_folder is None else _load_renamed_module(folder, [str(other_folder)])).beside[name]


def _apply_renames(manifest: str, module: Module, renamed_module: Module) -> str:
    """Return the manifest with renamed definitions replaced and listed under `renamed`."""
    for old, new in reversed(renamed_module.manifest.renamed):  # each is inserted before the previous one
        if (old, new) not in module.manifest.renamed and find_reserved_sorts(old):
            source = Source(f"{module.folder.name}/{MANIFEST}", manifest)
            edits = [*iter_former_name_edits(source, old, new, True), *_book_edits(source, old, new)]
            manifest = apply_edits(manifest, edits)
            if not module.manifest.renamed and not re.search(r"^renamed:", manifest, flags=re.MULTILINE):
                manifest = manifest.replace(_LINE, f"{_LINE}\nrenamed: {{{old}: {new}}}", 1)
    return manifest


def _book_edits(manifest: Source, old: str, new: str) -> Iterator[Edit]:
    """Yield edits for the rulebook passages that are placed at a renamed definition."""
    parsed = read_yaml(manifest).unwrap()
    for number, passage in enumerate(parsed.data.get("book", ())):
        if passage["place"] == old:
            yield Edit(parsed.span_of(("book", number, "place")), new)


_LINE = f"language: {EDITION}"


def _set_edition(manifest: str) -> str:
    """Return the manifest with the current edition, on its old line or below the line `kind:`."""
    line = _LINE
    text, count = re.subn(r"^language:[^\S\n]*\d+", line, manifest, flags=re.MULTILINE)
    if not count:
        text, count = re.subn(r"^(kind:[^\n]*\w[^\n]*)$", rf"\1\n{line}", manifest, flags=re.MULTILINE)
    if not count:
        raise UsageError(f"`{MANIFEST}` has no line that begins with `kind:`", f"add `{line}` by hand")
    return text


def _diff_lines(file: _RewrittenFile) -> Iterator[str]:
    """Yield a unified diff from a file to its text in the current edition."""
    old, new = file.old.text.splitlines(keepends=True), file.new.splitlines(keepends=True)
    for line in difflib.unified_diff(old, new, file.old.name, f"{file.old.name} (edition {EDITION})"):
        yield line if line.endswith("\n") else line + "\n\\ No newline at end of file\n"


# --- whether they mean the same ----------------------------------------------------------------


def _require_same_play(folder: Path, module: Module, texts: Mapping[Path, str]) -> None:
    """Raise `UsageError` unless the new texts play like the old, alone and beside each module they have files for."""
    other_folders = {name: _find_beside(folder, name) for name in sorted(module.beside)}
    for beside in ([], *([str(path)] for path in other_folders.values() if path is not None)):
        before = _compile(folder, beside)
        with overlay_texts(texts):
            after = _compile(folder, beside)
            edition = read_manifest(folder).unwrap().language
        if edition != EDITION or not plays_alike(before, after):
            raise UsageError(
                f"`{module.name}` would play differently, so it was not rewritten",
                "this is a bug in the engine, not in your rules; until it is fixed, keep the old edition",
            )


def _find_beside(folder: Path, name: str) -> Path | None:
    """Return the folder of a module that this one has files for in `with/`, if it exists."""
    return get_module_folder(folder.resolve().parent, name) or find_module(name).value


def _compile(folder: Path, beside: list[str]) -> Program:
    """Compile a game, or a module over its game."""
    return _unwrap_or_raise(_make_over_game(compile_rules, folder, beside), folder)


def _make_over_game(
    make: Callable[[str, Sequence[str]], Outcome[T]], folder: Path, beside: Sequence[str]
) -> Outcome[T]:
    """Return `make(folder, beside)`; for a module that names no game, repeat it over the default game."""
    outcome = make(str(folder), beside)
    if outcome.has_code(NO_GAME):
        outcome = make(default_game(), (str(folder.resolve()), *beside))
    return outcome


def _unwrap_or_raise(outcome: Outcome[T], folder: Path) -> T:
    """Return an outcome's value; raise `RulesErrorWithSources` with the folder's files for its errors."""
    try:
        return outcome.unwrap()
    except RulesError as error:
        raise RulesErrorWithSources(error.diagnostics, load_sources([str(folder)])) from None
