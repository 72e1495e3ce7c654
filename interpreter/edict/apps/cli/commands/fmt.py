"""The command `fmt`, which formats rule files. Unreadable files and those that ship are left alone."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated

import typer

from edict.apps.cli.command_errors import RULES, RulesErrorWithSources, UsageError, to_path
from edict.apps.cli.reporting import report_problem
from edict.apps.cli.rules_by_name import find_targets
from edict.compiler.sources.folders import MANIFEST, read_manifest, read_text
from edict.compiler.sources.input_limits import MOST_BYTES, MOST_NAMES, file_too_large_diagnostic
from edict.compiler.sources.module_lookup import find_module, get_folder_here, looks_like_path
from edict.compiler.sources.module_search import TooManyFiles, iter_files
from edict.compiler.sources.workspace_settings import find_settings
from edict.compiler.syntax.printing.canonical import format_source
from edict.support.files import detect_newline, write_atomically
from edict.support.morphology import count_noun
from edict.support.records import dataclass
from edict.support.rendering import escape_terminal
from edict.support.report import Diagnostic, Outcome
from edict.support.resources import command_name
from edict.support.text import EDITION, Source, Span

STANDARD_INPUT = "-"
DATA_SUFFIXES = (".yaml", ".yml", ".json")  # files of modules that are not in Edict


@dataclass(frozen=True, slots=True)
class _RuleFile:
    """A rule file to format."""

    path: Path
    folder: Path  # files outside it are not read
    display_name: str


@dataclass(frozen=True, slots=True)
class _FormattedFile:
    """A rule file with its formatted text."""

    file: _RuleFile
    source: Source | None
    text: str | None  # None if it cannot be formatted

    @property
    def is_changed(self) -> bool:
        """Return True if the file was read and formatted, and the formatted text differs."""
        return self.source is not None and self.text is not None and self.text != self.source.text


Files = Annotated[
    list[str] | None, typer.Argument(metavar="[NAME_OR_PATH]...", help="Files, folders or modules, or - for stdin.")
]
OnlyCheck = Annotated[bool, typer.Option("--check", help="List unformatted files, and fail if there are any.")]
OnlyDiff = Annotated[bool, typer.Option("--diff", help="Show the changes as a diff, without writing files.")]


def fmt(names: Files = None, check: OnlyCheck = False, diff: OnlyDiff = False) -> int:
    """Format rule files; return 1 if a file is unreadable, or if `check` finds one that is not formatted."""
    names = names or []
    if STANDARD_INPUT in names:
        return _format_standard_input(names, check, diff)
    files = list(_find_files(names, writes=not (check or diff)))
    formatted_files = [_format_file(file) for file in files]
    changed_files = [formatted for formatted in formatted_files if formatted.is_changed]
    for formatted in changed_files:
        if diff:
            print(escape_terminal("".join(_diff_lines(formatted))), end="")
        elif not check:
            _write_file(formatted)
    if not diff:
        _print_summary(changed_files, len(formatted_files), check)
    has_failures = any(formatted.text is None for formatted in formatted_files)
    return RULES if has_failures or check and changed_files else 0


def _print_summary(changed_files: list[_FormattedFile], count: int, check: bool) -> None:
    """Print the changed files, then a line such as `5 files, 2 reformatted`; `check` words it as pending."""
    for formatted_file in changed_files:
        print(escape_terminal(formatted_file.file.display_name))
    unchanged = count - len(changed_files)
    counts = (
        (len(changed_files), "would be reformatted" if check else "reformatted"),
        (unchanged, "already formatted"),
    )
    print(", ".join(f"{count_noun(number, 'file')} {verb}" for number, verb in counts if number) or "no files")


# --- which files -------------------------------------------------------------------------------


def _find_files(names: Sequence[str], writes: bool) -> Iterator[_RuleFile]:
    """Yield every named file once; raises `UsageError` for a name without files."""
    seen: set[Path] = set()
    for name in names or _default_names():
        for file in _resolve_files(name, writes):
            if file.path.resolve() not in seen:
                seen.add(file.path.resolve())
                yield file


def _default_names() -> list[str]:
    """Return the current folder if it holds rule files, else the modules below or around it."""
    return ["."] if any(Path().glob("*.edict")) else find_targets(())


def _resolve_files(name: str, writes: bool) -> Iterable[_RuleFile]:
    """Return the files that a name or path stands for; raises `UsageError`."""
    path = to_path(name)
    try:
        if path.suffix in DATA_SUFFIXES and path.is_file():
            raise UsageError(
                f"`{name}` is not a rule file", "name a file that ends in .edict; YAML files are not formatted"
            )
        if path.is_file():
            return [_RuleFile(path, _module_folder(path), name)]
        if path.is_dir():
            return _list_rule_files(path)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"`{name}` cannot be read: {reason}", "check the path") from None
    if looks_like_path(name):
        raise UsageError(f"there is no file or folder `{name}`", "check the path")
    folder = find_module(name).unwrap()
    if writes and get_folder_here(name) is None:
        raise UsageError(
            f"`{name}` is part of the package, so it is not reformatted",
            f"use --check or --diff; to change it anyway, name its folder: {folder}",
        )
    return _list_rule_files(folder)


def _module_folder(file: Path) -> Path:
    """Return the folder of the module that a file belongs to, or else the file's own."""
    folder = find_module(file).value
    return folder if folder is not None else file.parent


def _list_rule_files(folder: Path) -> list[_RuleFile]:
    """Return the rule files in and below a folder, except hidden ones."""
    settings = find_settings(folder)
    paths = sorted(
        path
        for path in _iter_files(folder)
        if path.suffix == ".edict" and path.is_file() and not settings.excludes(path.parent)
    )
    if not paths:
        remedy = f"name a rule file, or a folder with rule files and a `{MANIFEST}`"
        raise UsageError(f"no rule files in `{folder}`", remedy)
    return [_RuleFile(path, folder, str(path)) for path in paths]


def _iter_files(folder: Path) -> Iterator[Path]:
    """Yield the files in and below a folder; raise `UsageError` if there are too many."""
    try:
        yield from iter_files(folder)
    except TooManyFiles:
        remedy = "name the rules' own folder"
        raise UsageError(f"`{folder}` has more than {MOST_NAMES:,} files", remedy) from None


# --- one file ----------------------------------------------------------------------------------


def _format_file(file: _RuleFile) -> _FormattedFile:
    """Read and format a file; errors are reported."""
    read_outcome = read_text(file.folder, file.path)
    edition = _read_edition(str(_module_folder(file.path)))
    if read_outcome.value is not None:
        source = Source(file.display_name, read_outcome.value.text, edition)
    else:
        source = None
    outcome: Outcome[str] = format_source(source) if source is not None else Outcome(None, read_outcome.diagnostics)
    if outcome.value is None:
        _report_diagnostics(outcome.diagnostics, source)
    return _FormattedFile(file, source, outcome.value)


@cache
def _read_edition(folder: str) -> int:
    """Return the edition of the module in a folder, or today's if there is none."""
    manifest = read_manifest(Path(folder)).value if (Path(folder) / MANIFEST).is_file() else None
    return manifest.language if manifest is not None else EDITION


def _report_diagnostics(diagnostics: Iterable[Diagnostic], source: Source | None) -> None:
    """Print diagnostics to standard error, quoting the source if there is one."""
    sys.stdout.flush()
    report_problem(RulesErrorWithSources(diagnostics, {source.name: source} if source else {}))


def _diff_lines(formatted_file: _FormattedFile) -> Iterator[str]:
    """Yield a unified diff from a file to its formatted text."""
    assert formatted_file.source is not None and formatted_file.text is not None
    old, new = formatted_file.source.text.splitlines(keepends=True), formatted_file.text.splitlines(keepends=True)
    for line in difflib.unified_diff(
        old, new, formatted_file.file.display_name, f"{formatted_file.file.display_name} (formatted)"
    ):
        yield line if line.endswith("\n") else line + "\n\\ No newline at end of file\n"


def _write_file(formatted_file: _FormattedFile) -> None:
    """Replace the file atomically, so that nothing is lost if the process dies."""
    assert formatted_file.text is not None
    path = formatted_file.file.path.resolve()
    write_atomically(path, formatted_file.text, detect_newline(path))


# --- editors -----------------------------------------------------------------------------------


def _format_standard_input(names: Sequence[str], check: bool, diff: bool) -> int:
    """Format standard input to standard output; write nothing if it cannot be formatted. Return the exit code."""
    if len(names) > 1 or check or diff:
        raise UsageError(
            "`-` cannot be combined with other names or options",
            f"write `{command_name()} fmt -` to format standard input",
        )
    raw = sys.stdin.buffer.read(MOST_BYTES + 1)
    name = "standard input"
    if len(raw) > MOST_BYTES:
        _report_diagnostics([file_too_large_diagnostic(Span(name, 1, 1, 1, 1), len(raw))], None)
        return RULES
    try:
        source = Source(name, raw.decode("utf-8-sig").replace("\r\n", "\n"))
    except UnicodeDecodeError:
        raise UsageError("standard input is not UTF-8", "save the text in UTF-8") from None
    outcome = format_source(source)
    if outcome.value is None:
        _report_diagnostics(outcome.diagnostics, source)
        return RULES
    sys.stdout.buffer.write(outcome.value.encode("utf-8"))
    return 0
