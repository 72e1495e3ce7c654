"""A variant as it is at one moment: its folder, the texts that are not saved yet, and its rules."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path

from edict.compiler.pipeline.compile import compile_modules
from edict.compiler.sources.folders import MANIFEST, laid_over
from edict.compiler.sources.module_set import Modules, gather
from edict.game.table.rules import Rules
from edict.support.report import Outcome
from edict.tools.language_service.workspace import Workspace
from edict.tools.studio.studio_errors import StudioError


@dataclass(frozen=True)
class Snapshot:
    """`unsaved` holds texts by resolved path, which count in place of what the files hold. Can be sent to a process."""

    folder: Path
    unsaved: Mapping[Path, str] = field(default_factory=dict, repr=False)

    def laid(self) -> AbstractContextManager[None]:
        """In here whatever reads rules and scenes reads the unsaved texts."""
        return laid_over(self.unsaved)


# --- its rules -------------------------------------------------------------------------------------


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
    return _compiled(gathered(seen).unwrap())


def base_of(seen: Snapshot) -> Rules | None:
    """What the variant is laid over, without it; None for a game. Raises `RulesError`."""
    modules = gathered(seen).unwrap()
    own = variant_in(modules, seen)
    rest = [module.folder for module in modules if module is not modules[own]]
    game = next((module.folder for module in modules if module.manifest.kind == "game"), None)
    if game is None or modules[own].manifest.kind == "game":
        return None
    return _compiled(gather(game, [folder for folder in rest if folder != game]).unwrap())


def variant_in(modules: Modules, seen: Snapshot) -> int:
    """Which of the modules is the variant."""
    home = seen.folder.resolve()
    return next(number for number, module in enumerate(modules) if module.folder.resolve() == home)


def _compiled(modules: Modules) -> Rules:
    """Under the names of the modules, which say nothing of where they lie."""
    outcome = compile_modules(modules)
    game = next(module.name for module in modules if module.manifest.kind == "game")
    others = tuple(module.name for module in modules if module.name != game)
    return Rules(outcome.unwrap(), game, others, outcome.diagnostics, modules)
