"""The tables of games and decisions that a study writes beside its reports."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from edict.cli.errors import USAGE, UsageError
from edict.cli.study.output import Targets
from edict.cli.study.progress import progress
from edict.cli.telling import tell
from edict.files import Target
from edict.resources import installing
from edict.study import arrow
from edict.study.tables import DECISIONS, Column, game_columns
from edict.study.errors import StudyError
from edict.study.games import Setup
from edict.study.table_files import WRITERS, Partitions, Recording

PARTS = "tables"  # in the folder of a study


@dataclass(frozen=True, slots=True)
class TableTargets:
    """Where the tables are written; None: not at all."""

    games: Target | None = None
    decisions: Target | None = None

    @staticmethod
    def of(games: Path | None, decisions: Path | None, force: bool) -> TableTargets:
        return TableTargets(Target.of(games, force), Target.of(decisions, force))

    def after(self, resume: bool) -> TableTargets:
        """The same, where a run that is resumed writes its tables anew."""
        if not resume:
            return self
        games, decisions = (target and Target(target.path, True) for target in (self.games, self.decisions))
        return TableTargets(games, decisions)

    def check(self) -> None:
        """Raises `UsageError` or `OSError` for what cannot be written."""
        for name, target in (("--games-to", self.games), ("--decisions-to", self.decisions)):
            if target is None:
                continue
            if target.path.suffix not in WRITERS:
                raise UsageError(f"{name} writes .parquet or .csv, not `{target.path}`", f"name it {name} FILE.parquet")
            if target.path.suffix == ".parquet" and not arrow.available():
                raise UsageError("Parquet needs pyarrow", f"{installing('data')}, or name a .csv file")
            target.check()
        if self.games and self.decisions and self.games.path.absolute() == self.decisions.path.absolute():
            raise UsageError("--games-to and --decisions-to name the same file", "name two files")


@contextmanager
def recording(setup: Setup, wanted: TableTargets, targets: Targets) -> Iterator[Recording]:
    """Where rows are kept while games are played: in the study's folder, so that a run can continue, or else beside the
    table, only as long as it takes."""
    with ExitStack() as stack:

        def parts(name: str, target: Target | None, columns: tuple[Column, ...]) -> Partitions | None:
            if target is None:
                return None
            if targets.folder is not None:
                return Partitions(targets.folder / PARTS / name, columns, target.path.suffix)
            beside = tempfile.TemporaryDirectory(prefix=f".{target.path.name}.", dir=target.path.absolute().parent)
            return Partitions(Path(stack.enter_context(beside)), columns, target.path.suffix)

        yield Recording(
            parts("games", wanted.games, game_columns(setup)), parts("decisions", wanted.decisions, DECISIONS)
        )


def written(kept: Recording, wanted: TableTargets) -> int:
    """Put the tables together in their files; returns the exit code."""
    code = 0
    for parts, target in ((kept.games, wanted.games), (kept.decisions, wanted.decisions)):
        if parts is not None and target is not None:
            try:
                with progress(f"Writing {target.path.name}", len(parts.there())) as told:
                    parts.join(target.path, told)
            except (OSError, StudyError) as problem:
                code = tell(problem) or USAGE
    return code
