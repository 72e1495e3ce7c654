"""`fmt`: rule files written in the one layout. What cannot be read is left alone, and so is what ships."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated

import typer

from edict.apps.cli.command_errors import RULES, UsageError, WrongRules
from edict.apps.cli.option_values import a_path
from edict.apps.cli.reporting import tell
from edict.apps.cli.rules_by_name import find_targets
from edict.compiler.sources.folders import MANIFEST, read_manifest, read_text
from edict.compiler.sources.input_limits import MOST_BYTES, MOST_NAMES, file_too_large
from edict.compiler.sources.module_lookup import find, folder_here, looks_like_path
from edict.compiler.sources.module_search import TooManyFiles, find_files
from edict.compiler.syntax.printing.canonical import formatted
from edict.support.files import detect_newline, write_atomically
from edict.support.morphology import count_noun
from edict.support.rendering import escape_terminal
from edict.support.report import Diagnostic, Outcome
from edict.support.resources import command_name
from edict.support.text import EDITION, Source, Span

STANDARD_INPUT = "-"
OTHER_FILES = (".yaml", ".yml", ".json")  # that belong to rules, and are not written in their language


@dataclass(frozen=True, slots=True)
class _File:
    """A file, the folder beyond which nothing is read, and what people call it."""

    path: Path
    folder: Path
    shown: str


@dataclass(frozen=True, slots=True)
class _Laid:
    """A file as it is and as it should be; `text` is None if it cannot be laid out."""

    file: _File
    source: Source | None
    text: str | None

    @property
    def changed(self) -> bool:
        return self.source is not None and self.text is not None and self.text != self.source.text


Files = Annotated[
    list[str] | None, typer.Argument(metavar="[NAME_OR_PATH]...", help="Files, folders or modules, or - for stdin.")
]
OnlyCheck = Annotated[bool, typer.Option("--check", help="List unformatted files, and fail if there are any.")]
OnlyDiff = Annotated[bool, typer.Option("--diff", help="Show the changes as a diff, and write nothing.")]


def fmt(names: Files = None, check: OnlyCheck = False, diff: OnlyDiff = False) -> int:
    """Lay out what is named; returns the exit code: 1 if something cannot be read, or with `check` is not laid out."""
    names = names or []
    if STANDARD_INPUT in names:
        return _standard_input(names, check, diff)
    files = list(_named(names, writes=not (check or diff)))
    laid = [_laid(file) for file in files]
    changed = [one for one in laid if one.changed]
    for one in changed:
        if diff:
            print(escape_terminal("".join(_difference(one))), end="")
        elif not check:
            _write(one)
    if not diff:
        _report(changed, len(laid), check)
    left_alone = any(one.text is None for one in laid)
    return RULES if left_alone or check and changed else 0


def _report(changed: list[_Laid], count: int, check: bool) -> None:
    for one in changed:
        print(escape_terminal(one.file.shown))
    print(f"{count_noun(count, 'file')}, {len(changed) or 'none'} {'to be reformatted' if check else 'reformatted'}")


# --- which files -------------------------------------------------------------------------------


def _named(names: Sequence[str], writes: bool) -> Iterator[_File]:
    """Every file that is named, once; raises `UsageError` for a name that leads nowhere."""
    seen: set[Path] = set()
    for name in names or _here():
        for file in _files(name, writes):
            if file.path.resolve() not in seen:
                seen.add(file.path.resolve())
                yield file


def _here() -> list[str]:
    """Return this folder if it holds rules, else the modules below it: never all that lies somewhere below."""
    return ["."] if any(Path().glob("*.edict")) else find_targets(())


def _files(name: str, writes: bool) -> Iterable[_File]:
    path = a_path(name)
    try:
        if path.suffix in OTHER_FILES and path.is_file():
            raise UsageError(f"`{name}` is not a rule file", "name a file that ends in .edict; YAML is left as it is")
        if path.is_file():
            return [_File(path, _folder_of(path), name)]
        if path.is_dir():
            return _within(path)
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or problem
        raise UsageError(f"`{name}` cannot be read: {reason}", "check the path") from None
    if looks_like_path(name):
        raise UsageError(f"there is no file or folder `{name}`", "check the path")
    folder = find(name).unwrap()
    if writes and folder_here(name) is None:
        raise UsageError(
            f"`{name}` ships with the package, and is not reformatted",
            f"--check and --diff work on it too; to change it anyway, name its folder: {folder}",
        )
    return _within(folder)


def _folder_of(file: Path) -> Path:
    """The folder of the module the file belongs to, or the file's own."""
    found = find(file).value
    return found if found is not None else file.parent


def _within(folder: Path) -> list[_File]:
    """The rule files of a folder and the folders in it; hidden ones are nobody's rules."""
    paths = sorted(path for path in _below(folder) if path.suffix == ".edict" and path.is_file())
    if not paths:
        remedy = f"name a file, or a folder with files and a `{MANIFEST}`"
        raise UsageError(f"there are no rule files in `{folder}`", remedy)
    return [_File(path, folder, str(path)) for path in paths]


def _below(folder: Path) -> Iterator[Path]:
    """Yield every file in a folder and below it that is not hidden, as long as there are not too many."""
    try:
        yield from find_files(folder)
    except TooManyFiles:
        remedy = "name the folder of the rules itself"
        raise UsageError(f"`{folder}` has more than {MOST_NAMES:,} files", remedy) from None


# --- one file ----------------------------------------------------------------------------------


def _laid(file: _File) -> _Laid:
    """Read and laid out; what is wrong with it is reported."""
    read = read_text(file.folder, file.path)
    edition = _edition(str(_folder_of(file.path)))
    source = Source(file.shown, read.value.text, edition) if read.value is not None else None
    outcome: Outcome[str] = formatted(source) if source is not None else Outcome(None, read.diagnostics)
    if outcome.value is None:
        _tell(outcome.diagnostics, source)
    return _Laid(file, source, outcome.value)


@cache
def _edition(folder: str) -> int:
    """The edition in which a file is written: that of the module around it, or else today's."""
    manifest = read_manifest(Path(folder)).value if (Path(folder) / MANIFEST).is_file() else None
    return manifest.language if manifest is not None else EDITION


def _tell(found: Iterable[Diagnostic], source: Source | None) -> None:
    sys.stdout.flush()
    tell(WrongRules(found, {source.name: source} if source else {}))


def _difference(one: _Laid) -> Iterator[str]:
    assert one.source is not None and one.text is not None
    old, new = one.source.text.splitlines(keepends=True), one.text.splitlines(keepends=True)
    for line in difflib.unified_diff(old, new, one.file.shown, f"{one.file.shown} (formatted)"):
        yield line if line.endswith("\n") else line + "\n\\ No newline at end of file\n"


def _write(one: _Laid) -> None:
    """Put the new text in the old one's place at once, so that nothing is lost whatever happens meanwhile."""
    assert one.text is not None
    path = one.file.path.resolve()
    write_atomically(path, one.text, detect_newline(path))


# --- editors -----------------------------------------------------------------------------------


def _standard_input(names: Sequence[str], check: bool, diff: bool) -> int:
    """The text on standard input, laid out on standard output; nothing comes of what cannot be laid out."""
    if len(names) > 1 or check or diff:
        raise UsageError(
            "`-` takes no other names or options", f"write `{command_name()} fmt -` to format standard input"
        )
    raw = sys.stdin.buffer.read(MOST_BYTES + 1)
    name = "standard input"
    if len(raw) > MOST_BYTES:
        _tell([file_too_large(Span(name, 1, 1, 1, 1), len(raw))], None)
        return RULES
    try:
        source = Source(name, raw.decode("utf-8-sig").replace("\r\n", "\n"))
    except UnicodeDecodeError:
        raise UsageError("standard input is not UTF-8", "save the text in UTF-8") from None
    outcome = formatted(source)
    if outcome.value is None:
        _tell(outcome.diagnostics, source)
        return RULES
    sys.stdout.buffer.write(outcome.value.encode("utf-8"))
    return 0
