"""The rules of a variant as it is: to be played, and those it is compared with."""

from __future__ import annotations

from edict.front.compile import compile_modules
from edict.report import Outcome
from edict.service.workspace import Workspace
from edict.sources.folders import MANIFEST
from edict.sources.modules import Modules, gather
from edict.studio.errors import StudioError
from edict.studio.snapshot import Snapshot
from edict.table.rules import Rules


def gathered(seen: Snapshot) -> Outcome[Modules]:
    """The variant with all it is laid over, as `check` reads it."""
    space = Workspace([seen.folder])
    for path, text in seen.unsaved.items():
        space.lay(path, text)
    rules = space.rules(seen.folder / MANIFEST)
    if rules is None:
        raise StudioError(f"`{seen.folder.name}` has no `{MANIFEST}`", "it may have been removed")
    return rules.gathered


def rules_of(seen: Snapshot) -> Rules:
    """The rules of a variant, to be played. Raises `RulesError` with everything found wrong."""
    return _rules(gathered(seen).unwrap())


def base_of(seen: Snapshot) -> Rules | None:
    """What the variant is laid over, without it; None for a game. Raises `RulesError`."""
    modules = gathered(seen).unwrap()
    own = variant_in(modules, seen)
    rest = [module.folder for module in modules if module is not modules[own]]
    game = next((module.folder for module in modules if module.manifest.kind == "game"), None)
    if game is None or modules[own].manifest.kind == "game":
        return None
    return _rules(gather(game, [folder for folder in rest if folder != game]).unwrap())


def variant_in(modules: Modules, seen: Snapshot) -> int:
    """Which of the modules is the variant."""
    home = seen.folder.resolve()
    return next(number for number, module in enumerate(modules) if module.folder.resolve() == home)


def _rules(modules: Modules) -> Rules:
    """Under the names of the modules, which say nothing of where they lie."""
    outcome = compile_modules(modules)
    game = next(module.name for module in modules if module.manifest.kind == "game")
    others = tuple(module.name for module in modules if module.name != game)
    return Rules(outcome.unwrap(), game, others, outcome.diagnostics, modules)
