"""Rules for a command, by name or path, and what is named in them; what is wrong with them is reported with places in
the texts.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from edict.apps.cli.command_errors import UsageError, WrongRules
from edict.apps.cli.option_values import a_path
from edict.compiler.pipeline.compile import older
from edict.compiler.sources.folders import MANIFEST, Manifest, read_manifest
from edict.compiler.sources.module_lookup import DEEPEST, find, folder_here, looks_like_path, renaming, shipped, texts
from edict.compiler.sources.module_search import find_modules
from edict.prose.rulebook.annotated_rules import AnnotatedRules, read_annotated_rules
from edict.prose.rulebook.rule_search import NamedDefinition, search_for_reader, suggest_names
from edict.support import resources
from edict.support.morphology import quote_words
from edict.support.rendering import escape_terminal
from edict.support.report import RulesError
from edict.support.resources import command_name
from edict.support.text import Source
from edict.support.translations import current_language

if TYPE_CHECKING:
    from edict.game.table.rules import Rules

BASE = "base"  # the game as it is, where two sets of rules are compared


def shipped_game() -> str:
    """The name of the game that ships, as its manifest says."""
    folder = resources.shipped_folder() / "rules"
    manifest = read_manifest(folder).value
    return manifest.name if manifest else str(folder)


def default_game() -> str:
    """The game that is meant where none is named: the one whose folder one is in, else the one that ships."""
    here = rules_here()
    manifest = read_manifest(here).value if here is not None else None
    return str(here) if manifest is not None and manifest.kind == "game" else shipped_game()


def manifest_of(name: str) -> Manifest | None:
    """The manifest of rules by name or path; None where there are none, or it cannot be read."""
    folder = find(name).value
    return read_manifest(folder).value if folder is not None else None


def rules_here() -> Path | None:
    """The folder of the rules one is in: this one, or one around it."""
    here = Path.cwd()
    around = (here, *here.parents[:DEEPEST])
    return next((folder for folder in around if (folder / MANIFEST).is_file()), None)


def find_targets(names: Sequence[str], ships: bool | None = None) -> list[str]:
    """Return the names or paths of the rules that a command is to work on, each module once.

    Args:
        names: As typed. A folder that is not a module itself stands for the modules below it. Without a name, the
            modules of this folder and below it are meant, or else the module one is in.
        ships: Whether what ships is meant instead; None for a command that has no such option.

    Raises:
        UsageError: There are no such rules.
        RulesError: A folder has too many files to be searched.
    """
    if ships and names:
        raise UsageError("--shipped takes no names", f"leave out --shipped, or `{names[0]}`")
    if ships:
        return [str(folder) for folder in shipped()]
    if names:
        return [target for name in names for target in _targets_of(name)]
    return _paths_below(".") or [_module_around(ships is not None)]


def _targets_of(name: str) -> list[str]:
    """Return the modules that a name stands for; the name itself, for whoever reads it to report, if there are none."""
    try:
        folder = a_path(name)
        below = find(name).value is None and folder.is_dir() and not (folder / MANIFEST).is_file()
    except (OSError, ValueError):  # no file can be called so
        below = False
    return (below and _paths_below(name)) or [name]


def _paths_below(folder: str) -> list[str]:
    """Return the modules in a folder and below it as paths that nobody takes for names."""
    at = a_path(folder)
    names = (one.relative_to(at).as_posix() for one in find_modules(at).unwrap())
    within = folder.rstrip("/") if looks_like_path(folder) else f"./{folder}"
    return [within if name == "." else f"{within}/{name}" for name in names]


def _module_around(can_ship: bool) -> str:
    """Return the module one is in; raises `UsageError` if there is none."""
    here = rules_here()
    if here is None:
        remedy = "name a game or module by its name or path" + (", or add --shipped for what ships" if can_ship else "")
        reason = f"no rules here: there is no `{MANIFEST}` in this folder or below it"
        raise UsageError(reason, renaming(Path()) or remedy)
    return str(here)


def steady(name: str) -> str:
    """A name as it is, a path in full: what a journal holds must be found from another folder too."""
    if looks_like_path(name):
        return str(a_path(name).absolute())
    here = folder_here(name)
    return str(here.absolute()) if here and find(name).value == here else name


def names_joined(side: str) -> tuple[str, ...]:
    """What one of two sides that are compared is made of, as typed: names joined by + or commas.

    Raises `UsageError` if one of them is missing.
    """
    names = tuple(name.strip() for name in re.split("[,+]", side))
    if all(names):
        return names
    raise UsageError(f"`{side}` is not a set of rules", "write `base`, or modules joined by + or commas, as `a+b`")


def game_and_modules(names: Iterable[str]) -> tuple[str, tuple[str, ...]]:
    """Of such names that of a game, if one is (else nothing), and those of modules.

    Raises `UsageError` if there are two games.
    """
    named = [name for name in names if name != BASE]
    games = [name for name in named if _is_game(name)]
    return the_game(games), tuple(name for name in named if name not in games)


def the_game(named: Iterable[str]) -> str:
    """The one game that is named, nothing if none is; raises `UsageError` if there are two."""
    games = dict.fromkeys(steady(name) for name in named if name)
    if len(games) > 1:
        raise UsageError(f"{quote_words(games, 'and')} are two games", "name only one of them")
    return next(iter(games), "")


def _is_game(name: str) -> bool:
    manifest = manifest_of(steady(name))
    return manifest is not None and manifest.kind == "game"


def rules_of(game: str, modules: Sequence[str] = ()) -> Rules:
    """The rules of a game, and a line for each module of an older edition of the language; raises `RulesError`."""
    rules = read_rules(game, modules)
    for one in older(rules.sources):
        print(escape_terminal(f"{command_name()}: {one.title} ({one.help})"), file=sys.stderr)
    return rules


def read_rules(game: str, modules: Sequence[str] = ()) -> Rules:
    """The rules of a game, without a word; raises `RulesError`."""
    from edict.game.table.rules import load_rules

    names = [steady(name) for name in (game or default_game(), *modules)]
    try:
        return load_rules(names[0], tuple(names[1:]))
    except RulesError as problem:
        raise WrongRules(problem.diagnostics, texts_of(names)) from None


def spoken_rules_of(game: str, modules: Sequence[str] = ()) -> Rules:
    """The same in the language that is spoken."""
    return rules_of(game, modules).in_language(current_language())


def texts_of(names: Iterable[str]) -> dict[str, Source]:
    """The texts of these modules and of all that ship, which they may require."""
    return texts([*shipped(), *names])


def known(game: str, modules: Sequence[str]) -> AnnotatedRules:
    """The rules of a game; raises `RulesError` with the texts in which to show the places."""
    names = [steady(name) for name in (game or default_game(), *modules)]
    outcome = read_annotated_rules(names[0], tuple(names[1:]))
    if outcome.value is None or not outcome.ok:
        raise WrongRules(outcome.diagnostics, texts_of(names))
    return outcome.value


def found_in(rules: AnnotatedRules, about: str) -> tuple[AnnotatedRules, list[NamedDefinition]]:
    """What is called so, and the rules to show it in: with what is there for bots only if nothing else is called so.

    Raises `UsageError` if nothing is.
    """
    view, found = search_for_reader(rules, about)
    if found:
        return view, found
    raise UsageError(f"nothing in {rules.game.manifest.title} is named `{about}`", suggest_names(rules, about))
