"""The rules that a command works on, found by name or path, and loaded with sources to quote in errors."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from edict.apps.cli.command_errors import RulesErrorWithSources, UsageError, to_path
from edict.compiler.pipeline.compile import find_older_editions
from edict.compiler.sources.folders import MANIFEST, Manifest, read_manifest
from edict.compiler.sources.module_lookup import (
    DEEPEST,
    find_module,
    get_folder_here,
    list_shipped_modules,
    load_module,
    looks_like_path,
    read_texts,
    suggest_manifest_name,
)
from edict.compiler.sources.module_search import find_modules
from edict.compiler.sources.module_set import Modules, gather_modules
from edict.compiler.sources.words_files import translate_modules
from edict.compiler.sources.workspace_settings import SETTINGS, find_default_game, find_settings
from edict.support import resources
from edict.support.morphology import quote_words
from edict.support.rendering import escape_terminal
from edict.support.report import Outcome, RulesError
from edict.support.resources import command_name
from edict.support.text import Source
from edict.support.translations import ENGLISH, current_language

if TYPE_CHECKING:
    from edict.game.table.game import Game
    from edict.game.table.journal import Journal
    from edict.game.table.rules import Rules
    from edict.prose.rulebook.annotated_rules import AnnotatedRules

NO_GAME = "E0160"  # code for a module that names no game
BASE = "base"  # the game without modules, in comparisons of two sets of rules


def read_shipped_game_name() -> str:
    """Return the name of the game that ships, as its manifest has it."""
    folder = resources.get_shipped_folder() / "rules"
    manifest = read_manifest(folder).value
    return manifest.name if manifest else str(folder)


def default_game() -> str:
    """Return the game to use if none is named: that of the current folder, of its settings, or the one that ships."""
    return find_default_game(find_enclosing_rules() or Path.cwd()) or read_shipped_game_name()


def find_manifest(name: str) -> Manifest | None:
    """Return the manifest of rules by name or path; None if there is none or it cannot be read."""
    folder = find_module(name).value
    return read_manifest(folder).value if folder is not None else None


def gather_over_game(folder: Path) -> Outcome[Modules]:
    """Return a module with all that it requires, the game first; one that names no game is over the default game."""
    outcome = gather_modules(folder)
    if outcome.has_code(NO_GAME):
        return gather_modules(find_default_game(folder) or default_game(), [folder])
    return outcome


def find_translated_manifest(name: str) -> Manifest | None:
    """Return the manifest of rules by name or path, in the language of the user; None if it cannot be read."""
    if current_language() == ENGLISH:
        return find_manifest(name)
    module = load_module(name).value
    return translate_modules((module,), current_language())[0].manifest if module is not None else None


def find_enclosing_rules() -> Path | None:
    """Return the nearest folder with a manifest, from the current one upwards."""
    here = Path.cwd()
    candidates = (here, *here.parents[:DEEPEST])
    return next((folder for folder in candidates if (folder / MANIFEST).is_file()), None)


def find_targets(names: Sequence[str], ships: bool | None = None) -> list[str]:
    """Return the names or paths of the rules that a command works on, each module once.

    Args:
        names: As typed. A folder that is no module stands for the modules below it. Without names, the modules in and
            below the current folder are used, or else the module around it.
        ships: Whether what ships is used instead; None for a command without that option.

    Raises:
        UsageError: There are no such rules.
        RulesError: A folder has too many files to be searched.
    """
    if ships and names:
        raise UsageError("--shipped cannot be combined with names", f"drop --shipped, or `{names[0]}`")
    if ships:
        return [str(folder) for folder in list_shipped_modules()]
    if names:
        return [target for name in names for target in _resolve_targets(name)]
    return _find_module_paths(".") or [_require_enclosing_module(ships is not None)]


def _resolve_targets(name: str) -> list[str]:
    """Return the modules below a folder that is none itself; otherwise the name alone, even if it is unknown."""
    try:
        folder = to_path(name)
        below = find_module(name).value is None and folder.is_dir() and not (folder / MANIFEST).is_file()
    except (OSError, ValueError):  # not a valid file name
        below = False
    return (below and _find_module_paths(name)) or [name]


def _find_module_paths(folder: str) -> list[str]:
    """Return the modules in and below a folder, as paths that cannot be mistaken for names.

    Raises `UsageError` if the settings exclude all that there are.
    """
    root = to_path(folder)
    modules, settings = find_modules(root).unwrap(), find_settings(root)
    names = [path.relative_to(root).as_posix() for path in modules if not settings.excludes(path)]
    if modules and not names:
        raise UsageError(f"`{SETTINGS}` excludes every module here", "change `exclude`, or name a module by its path")
    prefix = folder.rstrip("/") if looks_like_path(folder) else f"./{folder}"
    return [prefix if name == "." else f"{prefix}/{name}" for name in names]


def _require_enclosing_module(can_ship: bool) -> str:
    """Return the module around the current folder; raise `UsageError` if there is none."""
    here = find_enclosing_rules()
    if here is None:
        remedy = "name a game or module by its name or path" + (
            ", or use --shipped for the built-in rules" if can_ship else ""
        )
        reason = f"no rules found: no `{MANIFEST}` in this folder or its subfolders"
        raise UsageError(reason, suggest_manifest_name(Path()) or remedy)
    return str(here)


def to_stable_name(name: str) -> str:
    """Return a path or a folder here as an absolute path; leave other names as they are.

    Journals hold the result, which must work from any folder.
    """
    if looks_like_path(name):
        return str(to_path(name).absolute())
    here = get_folder_here(name)
    return str(here.absolute()) if here and find_module(name).value == here else name


def split_names(side: str) -> tuple[str, ...]:
    """Split one side of a comparison, as typed, into the names that + or commas join.

    Raises `UsageError` for an empty name.
    """
    names = tuple(name.strip() for name in re.split("[,+]", side))
    if all(names):
        return names
    raise UsageError(f"`{side}` is not a set of rules", "write `base`, or modules joined by + or commas, as `a+b`")


def split_game_and_modules(names: Iterable[str]) -> tuple[str, tuple[str, ...]]:
    """Return the game among names, or an empty text, and the other names, which are modules.

    Raises `UsageError` if there are two games.
    """
    named = [name for name in names if name != BASE]
    games = [name for name in named if _is_game(name)]
    return require_single_game(games), tuple(name for name in named if name not in games)


def require_single_game(names: Iterable[str]) -> str:
    """Return the only game among names, or an empty text; raise `UsageError` if there are two."""
    games = dict.fromkeys(to_stable_name(name) for name in names if name)
    if len(games) > 1:
        raise UsageError(f"{quote_words(games, 'and')} are both games", "name only one of them")
    return next(iter(games), "")


def _is_game(name: str) -> bool:
    """Return True if the name or path stands for rules whose manifest says that they are a game."""
    manifest = find_manifest(to_stable_name(name))
    return manifest is not None and manifest.kind == "game"


def load_rules_with_notes(game: str, modules: Sequence[str] = ()) -> Rules:
    """Load the rules of a game, and print a line for each module in an older edition; raises `RulesError`."""
    rules = load_rules_quietly(game, modules)
    for note in find_older_editions(rules.sources):
        print(escape_terminal(f"{command_name()}: {note.title} ({note.help})"), file=sys.stderr)
    return rules


def resolve_names(game: str, modules: Sequence[str]) -> list[str]:
    """Return the stable names of a game, or the default one, and of modules."""
    return [to_stable_name(name) for name in (game or default_game(), *modules)]


def load_rules_quietly(game: str, modules: Sequence[str] = ()) -> Rules:
    """Load the rules of a game without printing; raises `RulesError`."""
    from edict.game.table.rules import load_rules

    names = resolve_names(game, modules)
    try:
        return load_rules(names[0], tuple(names[1:]))
    except RulesError as problem:
        raise RulesErrorWithSources(problem.diagnostics, load_sources(names)) from None


def replay_journal(journal: Journal) -> Game:
    """Return the game of a journal; raises `GameError` or `RulesError`."""
    from edict.game.table.rules import load_rules_for

    return load_rules_for(journal, load_rules_with_notes).replay(journal)


def load_translated_rules(game: str, modules: Sequence[str] = ()) -> Rules:
    """Load rules like `load_rules_with_notes`, in the language of the user."""
    return load_rules_with_notes(game, modules).in_language(current_language())


def load_sources(names: Iterable[str]) -> dict[str, Source]:
    """Return the sources of these modules and of everything that ships, which they may require."""
    return read_texts([*list_shipped_modules(), *names])


def load_annotated_rules(game: str, modules: Sequence[str]) -> AnnotatedRules:
    """Load the rules of a game with the origin of each line, for printing.

    Raises `RulesError` with the sources to quote.
    """
    from edict.prose.rulebook.annotated_rules import read_annotated_rules

    names = resolve_names(game, modules)
    outcome = read_annotated_rules(names[0], tuple(names[1:]))
    if outcome.value is None or not outcome.ok:
        raise RulesErrorWithSources(outcome.diagnostics, load_sources(names))
    return outcome.value
