"""A snapshot of a variant: its folder, its unsaved texts, and its rules."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path

from edict.compiler.pipeline.compile import compile_modules
from edict.compiler.sources.folders import MANIFEST, overlay_texts
from edict.compiler.sources.module_set import Modules, gather_modules
from edict.game.table.rules import Rules
from edict.support.report import Outcome
from edict.tools.language_service.workspace import Workspace
from edict.tools.studio.studio_errors import StudioError


@dataclass(frozen=True)
class Snapshot:
    """A variant at one moment. Can be sent to another process."""

    folder: Path
    # texts by resolved path, in place of the files' content
    unsaved: Mapping[Path, str] = field(default_factory=dict, repr=False)

    def with_unsaved_texts(self) -> AbstractContextManager[None]:
        """Return a context in which rules and scenes are read with the unsaved texts."""
        return overlay_texts(self.unsaved)


# --- rules -----------------------------------------------------------------------------------------


def gather_snapshot(snapshot: Snapshot) -> Outcome[Modules]:
    """Gather the variant with everything it is laid over, as `check` does."""
    space = Workspace([snapshot.folder])
    for path, text in snapshot.unsaved.items():
        space.set_text(path, text)
    rules = space.get_rules(snapshot.folder / MANIFEST)
    if rules is None:
        raise StudioError(f"`{snapshot.folder.name}` has no `{MANIFEST}`", "it may have been removed")
    return rules.gather_outcome


def compile_variant(snapshot: Snapshot) -> Rules:
    """Return the playable rules of a variant. Raises `RulesError` with all errors."""
    return _compile(gather_snapshot(snapshot).unwrap())


def compile_base(snapshot: Snapshot) -> Rules | None:
    """Return the rules under the variant without it; None for a game. Raises `RulesError`."""
    modules = gather_snapshot(snapshot).unwrap()
    variant_index = find_variant_index(modules, snapshot)
    other_folders = [module.folder for module in modules if module is not modules[variant_index]]
    game = next((module.folder for module in modules if module.manifest.kind == "game"), None)
    if game is None or modules[variant_index].manifest.kind == "game":
        return None
    return _compile(gather_modules(game, [folder for folder in other_folders if folder != game]).unwrap())


def find_variant_index(modules: Modules, snapshot: Snapshot) -> int:
    """Return the index of the variant among the modules."""
    variant_folder = snapshot.folder.resolve()
    return next(index for index, module in enumerate(modules) if module.folder.resolve() == variant_folder)


def _compile(modules: Modules) -> Rules:
    """Compile modules under their names, which reveal no folders."""
    outcome = compile_modules(modules)
    game = next(module.name for module in modules if module.manifest.kind == "game")
    others = tuple(module.name for module in modules if module.name != game)
    return Rules(outcome.unwrap(), game, others, outcome.diagnostics, modules)
