"""Where a study is written, and how it is printed: a folder with everything, a single file, tables in the terminal."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from edict.agents.study.bot_games import StudyError
from edict.agents.study.summary import Data
from edict.apps.cli.bounded_output import write_data
from edict.apps.cli.command_errors import USAGE, UsageError
from edict.apps.cli.option_values import in_colours
from edict.apps.cli.reporting import tell
from edict.support.files import STANDARD_OUTPUT, OutputTarget
from edict.support.morphology import quote_words

if TYPE_CHECKING:
    from rich.console import Console


@dataclass(frozen=True, slots=True)
class OutputFiles:
    """What a command writes: the name of its files in a folder, and their kinds, by their endings."""

    name: str
    kinds: tuple[str, ...]


STUDY = OutputFiles("study", (".json", ".csv", ".html"))
COMPARISON = OutputFiles("comparison", (".json", ".html"))
LEAGUE = OutputFiles("league", (".json", ".html"))


@dataclass(frozen=True, slots=True)
class Targets:
    """Where it is written: a file for each kind that is wanted, and the folder in which games are kept, if any."""

    files: Mapping[str, OutputTarget]
    folder: Path | None = None
    resume: bool = False

    @staticmethod
    def of(report: OutputFiles, output: Path | None, html: Path | None, resume: bool, force: bool) -> Targets:
        """A name with one of the endings is a file of that kind, any other one a folder for all of them.

        Whoever goes on with what is in a folder gets its reports anew. Raises `UsageError`.
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
        return Targets(files, folder, resume)

    def check(self) -> None:
        """Raises `OSError` if something would be written over. Folders are made when there is something to write."""
        for target in self.files.values():
            if target.path.parent.is_dir():
                target.check()

    def write(self, texts: Mapping[str, Callable[[], str]]) -> int:
        """Write each kind that is wanted; returns the exit code."""
        return write_all((target, texts[kind]) for kind, target in self.files.items())

    @property
    def to_resume(self) -> str:
        """The options that go on with what is in the folder, also where a file outside it has been written."""
        outside = any(target.path.parent != self.folder and not target.force for target in self.files.values())
        return "--resume --force" if outside else "--resume"


def _check_folder(folder: Path, report: OutputFiles) -> None:
    remedy = f"name a folder, or a file that ends in {quote_words(report.kinds, 'or')}"
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"`{folder}` is a file", remedy)
    if not folder.exists() and (folder.suffix in STUDY.kinds or folder in STANDARD_OUTPUT):
        raise UsageError(f"a {report.name} cannot be written to `{folder}`", remedy)


def write_all(texts: Iterable[tuple[OutputTarget, Callable[[], str]]]) -> int:
    """Write files; returns the exit code. What cannot be written is reported, and the rest still is."""
    code = 0
    for target, text in texts:
        try:
            if not target.is_standard_output:
                target.path.parent.mkdir(parents=True, exist_ok=True)
            write_data(target, text())
        except (OSError, StudyError) as problem:
            code = tell(problem) or USAGE
    return code


def as_json(data: Data) -> str:
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


WIDEST = 140
IN_A_FILE = 160


def print_headline(line: str) -> None:
    """A headline."""
    _console().print(line, style="bold", highlight=False, markup=False)


def print_table(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A table; nothing if it has no rows. All but the first column and the last with words stand to the right."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    if not rows:
        return
    drawn = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for number, name in enumerate(head):
        numeric = number and all(not row[number] or row[number][0] in "+-–0123456789" for row in rows)
        drawn.add_column(Text(name), justify="right" if numeric else "left", overflow="fold")
    for row in rows:
        drawn.add_row(*(Text(cell) for cell in row))
    console = _console()
    console.print()
    console.print(title, style="bold", highlight=False, markup=False)
    console.print(drawn)


def _console() -> Console:
    from rich.console import Console

    seen = sys.stdout.isatty()
    width = min(shutil.get_terminal_size().columns, WIDEST) if seen else IN_A_FILE
    return Console(width=width, no_color=not in_colours(sys.stdout), force_terminal=seen)
