"""Are these rules right? What is wrong with them, and where."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from edict.cli.loading import default_game, steady, texts_of
from edict.cli.telling import exit_code
from edict.front.compile import compile_rules
from edict.front.modules import shipped
from edict.program import Program
from edict.rendering import plain, render_all
from edict.report import Outcome

NO_GAME = "E0160"


def check(names: Sequence[str], modules: Sequence[str], strict: bool) -> int:
    """Compile each of these (nothing named: all that ships) and show what is found; gives the exit code."""
    worst = 0
    for name in [steady(name) for name in names] or [str(folder) for folder in shipped()]:
        outcome = _compiled(name, [steady(module) for module in modules])
        if outcome.diagnostics:
            print(render_all(outcome.diagnostics, texts_of([name, *modules])), end="")
        code = exit_code(outcome.diagnostics, strict)
        if not code and outcome.value is not None:
            over = "" if outcome.value.name == Path(name).name else f", laid over {outcome.value.title}"
            print(plain(f"{Path(name).name}: in order{over}"))
        worst = max(worst, code)
    return worst


def _compiled(name: str, modules: Sequence[str]) -> Outcome[Program]:
    """Compiled as it is; what is no game, and names none, over the game that ships."""
    outcome = compile_rules(name, tuple(modules))
    if any(d.code == NO_GAME for d in outcome.diagnostics):
        return compile_rules(default_game(), (name, *modules))
    return outcome
