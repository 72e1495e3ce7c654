"""The output of studies: files in a folder or single ones, and tables in the terminal."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from edict.agents.study.bot_games import StudyError
from edict.agents.study.summary import Data
from edict.apps.cli.command_errors import USAGE, UsageError
from edict.apps.cli.command_output import write_data
from edict.apps.cli.reporting import report_problem
from edict.apps.cli.shared_options import uses_color
from edict.support.files import STANDARD_OUTPUT, OutputTarget
from edict.support.morphology import quote_words
from edict.support.records import dataclass

if TYPE_CHECKING:
    from rich.console import Console


@dataclass(frozen=True, slots=True)
class OutputFiles:
    """The files that a command can write."""

    name: str  # their name in a folder
    kinds: tuple[str, ...]  # their suffixes


STUDY = OutputFiles("study", (".json", ".csv", ".html"))
COMPARISON = OutputFiles("comparison", (".json", ".csv", ".html"))
TUNING = OutputFiles("tuning", (".json", ".csv", ".html"))
LEAGUE = OutputFiles("league", (".json", ".html"))


@dataclass(frozen=True, slots=True)
class OutputTargets:
    """The files that a run of a command writes."""

    files: Mapping[str, OutputTarget]  # by suffix
    folder: Path | None = None  # where games are stored so that the run can be resumed
    resume: bool = False

    @staticmethod
    def from_options(
        report: OutputFiles, output: Path | None, html: Path | None, resume: bool, force: bool
    ) -> OutputTargets:
        """Build the targets from options; raises `UsageError`.

        An output with a known suffix is a single file; anything else is a folder for all kinds. A resumed run
        overwrites the reports in its folder.
        """
        files: dict[str, OutputTarget] = {}
        folder = None
        if output is not None and output.suffix in report.kinds and not output.is_dir():
            files[output.suffix] = OutputTarget(output, force)
        elif output is not None:
            folder = output
            files = {kind: OutputTarget(output / f"{report.name}{kind}", force or resume) for kind in report.kinds}
        if html is not None:
            files[".html"] = OutputTarget(html, force)
        if folder is not None:
            _check_folder(folder, report)
        if resume and folder is None:
            raise UsageError(f"--resume continues the {report.name} in a folder", "name the folder with -o")
        return OutputTargets(files, folder, resume)

    def check(self) -> None:
        """Raise `OSError` if a file would be overwritten. Folders are created when something is written."""
        for target in self.files.values():
            if target.path.parent.is_dir():
                target.check()

    def write(self, renderers: Mapping[str, Callable[[], str]]) -> int:
        """Write each wanted kind of file; return the exit code."""
        return write_all((target, renderers[kind]) for kind, target in self.files.items())

    @property
    def resume_options(self) -> str:
        """Return the options that resume the run, with `--force` if a file outside the folder was written."""
        outside = any(target.path.parent != self.folder and not target.force for target in self.files.values())
        return "--resume --force" if outside else "--resume"


def _check_folder(folder: Path, report: OutputFiles) -> None:
    """Raise `UsageError` if the output folder is a file, or its name looks like a file or standard output."""
    remedy = f"name a folder, or a file that ends in {quote_words(report.kinds, 'or')}"
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"`{folder}` is a file", remedy)
    if not folder.exists() and (folder.suffix in STUDY.kinds or folder in STANDARD_OUTPUT):
        raise UsageError(f"a {report.name} cannot be written to `{folder}`", remedy)


def write_all(renderers: Iterable[tuple[OutputTarget, Callable[[], str]]]) -> int:
    """Render and write each file; report those that cannot be written, and return 0 or an error code."""
    code = 0
    for target, render in renderers:
        try:
            if not target.is_standard_output:
                target.path.parent.mkdir(parents=True, exist_ok=True)
            write_data(target, render())
        except (OSError, StudyError) as problem:
            code = report_problem(problem) or USAGE
    return code


def to_json(data: Data) -> str:
    """Return data as indented JSON."""
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


MAX_WIDTH = 140  # columns of a table at a terminal
FILE_WIDTH = 160  # columns of a table in a file or pipe


def print_headline(line: str) -> None:
    """Print a line in bold."""
    _make_console().print(line, style="bold", highlight=False, markup=False)


def print_verdict(sentences: Sequence[str]) -> None:
    """Print the sentences that sum up what was found, as a paragraph."""
    console = _make_console()
    console.print()
    console.print(" ".join(sentences), highlight=False, markup=False)


def drop_empty_columns(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> tuple[list[str], list[list[str]]]:
    """Return the headings and rows without the columns in which no row has a text."""
    kept = [number for number in range(len(headings)) if any(row[number] for row in rows)]
    return [headings[number] for number in kept], [[row[number] for number in kept] for row in rows]


def print_table(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table with a title; nothing if it has no rows.

    Columns of numbers are aligned to the right, except the first.
    """
    from rich import box
    from rich.table import Table
    from rich.text import Text

    if not rows:
        return
    rich_table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for number, name in enumerate(head):
        numeric = number and all(not row[number] or row[number][0] in "+-−–*0123456789" for row in rows)
        rich_table.add_column(Text(name), justify="right" if numeric else "left", overflow="fold")
    for row in rows:
        rich_table.add_row(*(Text(cell) for cell in row))
    console = _make_console()
    console.print()
    console.print(title, style="bold", highlight=False, markup=False)
    console.print(rich_table)


def _make_console() -> Console:
    """Create a Rich console for tables: as wide as the terminal up to `MAX_WIDTH`, or `FILE_WIDTH` in a file."""
    from rich.console import Console

    is_terminal = sys.stdout.isatty()
    width = min(shutil.get_terminal_size().columns, MAX_WIDTH) if is_terminal else FILE_WIDTH
    return Console(width=width, no_color=not uses_color(sys.stdout), force_terminal=is_terminal)
