"""What `test --coverage` adds: which rules the scenes have played, and whether that is enough."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from edict.cli.errors import RULES, UsageError
from edict.cli.loading import default_game
from edict.files import Target
from edict.report import RulesError
from edict.table.rules import load_rules

if TYPE_CHECKING:
    from edict.scenes.trace import Trace


class Covering:
    """Notes what is played; afterwards tells it, writes it, and judges it against `least` percent."""

    def __init__(self, trace: Trace, least: float, file: Target | None) -> None:
        self.trace = trace
        self.least = least
        self.file = file

    def tell(self, names: Sequence[str], code: int) -> int:
        """Print the coverage of these rules' own files; returns the exit code: `code`, unless too little is covered."""
        from edict.sources.finding import texts
        from edict.scenes.coverage import measure
        from edict.scenes.uncovered import to_json, uncovered_text

        for name in names:
            self.add_unplayed(name)
        if not list(self.trace):
            print("No coverage can be reported, as these rules cannot be played.")
            return code or RULES
        sources = texts(names)
        coverage = measure(self.trace, sources)
        print("\n" + uncovered_text(coverage, sources), end="")
        if self.file is not None:
            self.file.write(to_json(coverage))
        if coverage.percent < self.least:
            print(f"that is below the required {self.least:g} %")
            return code or RULES
        return code


    def add_unplayed(self, name: str) -> None:
        """Rules that no scene plays are not covered, so they must be there to be counted: alone, or over the game."""
        for game, modules in ((name, ()), (default_game(), (name,))):
            try:
                self.trace.code(load_rules(game, modules).program)
            except RulesError:
                continue
            return


def wanted_coverage(coverage: bool, least: float | None, file: Target | None) -> Covering | None:
    """The coverage to be told, if any of its options says so."""
    from edict.scenes.trace import Trace

    if least is not None and not 0 <= least <= 100:
        raise UsageError(f"--fail-under is a percentage, not {least:g}", "write a number from 0 to 100")
    wanted = coverage or least is not None or file is not None
    return Covering(Trace(), least or 0.0, file) if wanted else None
