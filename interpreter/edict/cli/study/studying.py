"""`study`: many games between bots, and what they show."""

from __future__ import annotations

import sys
from pathlib import Path

from edict.cli.errors import RULES, UsageError
from edict.cli.study.hiring import carried_out
from edict.cli.study.output import Targets, write_study
from edict.cli.study.tables import study_tables
from edict.cli.study.wishes import Wishes, checked, setup_of
from edict.study.findings import Data, findings
from edict.study.games import Setup
from edict.study.kept import Kept
from edict.study.studying import Study


def study(wishes: Wishes, output: Path | None, html: Path | None, resume: bool) -> int:
    """Play, print, write; gives the exit code."""
    targets = Targets.of(output, html)
    setup = setup_of(checked(wishes))
    run = _begun(setup, wishes.games, targets, resume)
    code = carried_out(run, setup, wishes, f"{setup.program.title}, games", run.games, run.played)
    found = findings(setup, run.totals, wishes.games)
    failed = write_study(found, targets)
    study_tables(found)
    if run.played < wishes.games:
        _told_what_is_kept(run, targets)
    return code or failed or _faults(found)


def _begun(setup: Setup, games: int, targets: Targets, resume: bool) -> Study:
    study = Study(setup, games)
    if resume and targets.folder is None:
        raise UsageError("--resume goes on with the study in a folder", "name the folder with -o")
    if resume and targets.folder:
        study.kept, study.totals = Kept.resume(targets.folder, setup)
    elif targets.folder:
        study.kept = Kept.begin(targets.folder, setup)
    return study


def _told_what_is_kept(run: Study, targets: Targets) -> None:
    print(f"Stopped after {run.played:,} of {run.games:,} games.", file=sys.stderr)
    if run.kept:
        print(f"They are kept: the same command with --resume goes on in {targets.folder}", file=sys.stderr)


def _faults(found: Data) -> int:
    """Games that broke off are told, and not hidden in an exit code of 0."""
    for what, often in found["faults"].items():
        print(f"kingsburg: {often:,} games broke off: the rules {what}", file=sys.stderr)
    return RULES if found["faults"] else 0
