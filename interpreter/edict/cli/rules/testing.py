"""Do the rules do what the scenes beside them say?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from edict.cli.errors import RULES
from edict.cli.loading import default_game
from edict.cli.telling import exit_code
from edict.rendering import plain

if TYPE_CHECKING:
    from edict.cli.rules.covering import Covering


def scenes(
    names: Sequence[str], modules: Sequence[str], only: str, fail_fast: bool, covering: Covering | None = None
) -> int:
    """Play the scenes of each of these (nothing named: of the game that ships); gives the exit code."""
    from edict.scenes.run import run_module

    worst = 0
    for name in names or [default_game()]:
        report = run_module(name, tuple(modules), only or None, fail_fast, covering.trace if covering else None)
        heading = f"{name}: " if len(names) > 1 else ""
        print(plain(heading) + report.text(), end="")
        worst = max(worst, 0 if report.ok else exit_code(report.diagnostics) or RULES)
    return covering.tell(names or [default_game()], worst) if covering else worst
