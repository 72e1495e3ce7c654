"""`study`: many games between bots, and what they show."""

from __future__ import annotations

import sys
from collections.abc import Callable

from edict.cli.errors import RULES
from edict.cli.study.executors import carried_out
from edict.cli.study.keeping import keeping, stopped
from edict.cli.study.mishaps import tell_mishaps
from edict.cli.study.output import Targets, as_json
from edict.study.reports import as_csv
from edict.cli.study.recording import TableTargets, recording, written
from edict.cli.study.tables import study_tables
from edict.cli.study.study_options import StudyOptions, checked, setup_of
from edict.cli.warming import remarked
from edict.resources import command
from edict.study.summary import Data, study_data
from edict.study.studying import Study, form_of
from edict.text import so_many


def study(options: StudyOptions, targets: Targets, tables: TableTargets) -> int:
    """Play, print, write; returns the exit code."""
    setup = setup_of(checked(options))
    tables = tables.after(targets.resume)
    tables.check()
    remarked(setup.bots, setup.program)
    with keeping(targets, form_of(setup), options.games) as kept, recording(setup, tables, targets) as rows:
        run = Study(setup, options.games, kept, rows)
        code = carried_out(run, options, f"{setup.program.title}, games", run.games, run.played)
        found = study_data(setup, run.totals, options.games)
        failed = targets.write(_texts(found)) or written(rows, tables)
    study_tables(found)
    if run.played < options.games:
        stopped(f"{run.played:,} of {run.games:,} games", targets)
    return code or failed or _faults(found)


def _texts(found: Data) -> dict[str, Callable[[], str]]:
    from edict.study.reports import study_page

    return {".json": lambda: as_json(found), ".csv": lambda: as_csv(found), ".html": lambda: study_page(found)}


def _faults(found: Data) -> int:
    """Games that were aborted are reported, and not hidden in an exit code of 0."""
    for what, often in found["faults"].items():
        print(f"{command()}: {so_many(often, 'game')} aborted: the rules {what}", file=sys.stderr)
    tell_mishaps(found["mishaps"])
    return RULES if found["faults"] else 0
