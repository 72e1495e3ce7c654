"""Do the rules do what the scenes beside them say?"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import nullcontext, redirect_stdout
from dataclasses import dataclass
from typing import TYPE_CHECKING

from edict.cli.errors import RULES, UsageError
from edict.cli.forms import JSON, TEXT, checked_form, print_json
from edict.cli.loading import rules_here, shipped_game
from edict.cli.paths import a_path
from edict.cli.telling import exit_code
from edict.files import Target
from edict.rendering import plain
from edict.report import listed
from edict.scenes.reading import FOLDER
from edict.sources.folders import MANIFEST

if TYPE_CHECKING:
    from edict.cli.rules.covering import Covering


@dataclass(frozen=True, slots=True)
class SceneRequest:
    """Whose scenes are to be played, as typed, and how."""

    names: Sequence[str] = ()
    modules: Sequence[str] = ()
    only: str = ""
    fail_fast: bool = False
    strict: bool = False
    form: str = TEXT


def scenes(wanted: SceneRequest, junit: Target | None = None, covering: Covering | None = None) -> int:
    """Play the scenes of each of these; returns the exit code.

    Nothing named: of the rules one is in, or of the game that ships.
    """
    from edict.scenes.data import as_data
    from edict.scenes.report import to_junit
    from edict.scenes.run import run_module

    checked_form(wanted.form)
    for target in (junit, covering.file if covering else None):
        if target is not None:
            target.check()
    worst, reports = 0, []
    names = [_rules_of(name) for name in wanted.names] or [str(rules_here() or shipped_game())]
    trace = covering.trace if covering else None
    for name in names:
        report = run_module(name, wanted.modules, wanted.only or None, wanted.fail_fast, trace, wanted.strict)
        if wanted.form == TEXT:
            heading = f"{name}: " if len(names) > 1 else ""
            print(plain(heading) + report.text(), end="", flush=True)
        worst = max(worst, 0 if report.ok else exit_code(report.diagnostics) or RULES)
        reports.append(report)
    if junit is not None:
        junit.write(to_junit(*reports))
    if wanted.form == JSON:
        print_json([as_data(report) for report in reports])
    code = _covered(covering, names, worst, wanted.form) if covering else worst
    if not any(report.scenes or report.diagnostics for report in reports):
        raise _nothing_played(names, wanted.only)
    return code


def _rules_of(name: str) -> str:
    """What is named, or the rules around it, if it is their folder of scenes."""
    folder = a_path(name)
    around = folder.absolute().parent / MANIFEST
    return str(folder.parent) if folder.name == FOLDER and folder.is_dir() and around.is_file() else name


def _covered(covering: Covering, names: Sequence[str], worst: int, form: str) -> int:
    """Tell of the coverage; beside data on standard output, on standard error."""
    with redirect_stdout(sys.stderr) if form == JSON else nullcontext():
        return covering.tell(names, worst)


def _nothing_played(names: Sequence[str], only: str) -> UsageError:
    """A test of nothing must not look like one that was passed."""
    if only:
        told = f"no scene of {listed(names, 'and')} has `{only}` in its name or file"
        return UsageError(told, "leave out -k, or use fewer letters")
    have = "has" if len(names) == 1 else "have"
    return UsageError(f"nothing was tested: {listed(names, 'and')} {have} no scenes", "write one in `scenes/NAME.yaml`")
