"""Rules for a command, by name or path, and what is named in them; what is wrong with them is reported with places in
the texts.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from edict import resources
from edict.cli.command_errors import UsageError, WrongRules
from edict.cli.option_values import a_path
from edict.front.compile import older
from edict.handbook.annotated import Known, read
from edict.handbook.looking import Named, nearest, shown_in
from edict.rendering import plain
from edict.report import RulesError, listed
from edict.resources import command
from edict.sources.folders import MANIFEST, Manifest, read_manifest
from edict.sources.module_lookup import DEEPEST, find, folder_here, looks_like_path, shipped, texts
from edict.text import Source
from edict.translations import spoken

if TYPE_CHECKING:
    from edict.table.rules import Rules

BASE = "base"  # the game as it is, where two sets of rules are compared


def shipped_game() -> str:
    """The name of the game that ships, as its manifest says."""
    folder = resources.home() / "rules"
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
        raise UsageError(f"{listed(games, 'and')} are two games", "name only one of them")
    return next(iter(games), "")


def _is_game(name: str) -> bool:
    manifest = manifest_of(steady(name))
    return manifest is not None and manifest.kind == "game"


def rules_of(game: str, modules: Sequence[str] = ()) -> Rules:
    """The rules of a game, and a line for each module of an older edition of the language; raises `RulesError`."""
    rules = read_rules(game, modules)
    for one in older(rules.sources):
        print(plain(f"{command()}: {one.title} ({one.help})"), file=sys.stderr)
    return rules


def read_rules(game: str, modules: Sequence[str] = ()) -> Rules:
    """The rules of a game, without a word; raises `RulesError`."""
    from edict.table.rules import load_rules

    names = [steady(name) for name in (game or default_game(), *modules)]
    try:
        return load_rules(names[0], tuple(names[1:]))
    except RulesError as problem:
        raise WrongRules(problem.diagnostics, texts_of(names)) from None


def spoken_rules_of(game: str, modules: Sequence[str] = ()) -> Rules:
    """The same in the language that is spoken."""
    return rules_of(game, modules).in_language(spoken())


def texts_of(names: Iterable[str]) -> dict[str, Source]:
    """The texts of these modules and of all that ship, which they may require."""
    return texts([*shipped(), *names])


def known(game: str, modules: Sequence[str]) -> Known:
    """The rules of a game; raises `RulesError` with the texts in which to show the places."""
    names = [steady(name) for name in (game or default_game(), *modules)]
    outcome = read(names[0], tuple(names[1:]))
    if outcome.value is None or not outcome.ok:
        raise WrongRules(outcome.diagnostics, texts_of(names))
    return outcome.value


def found_in(rules: Known, about: str) -> tuple[Known, list[Named]]:
    """What is called so, and the rules to show it in: with what is there for bots only if nothing else is called so.

    Raises `UsageError` if nothing is.
    """
    view, found = shown_in(rules, about)
    if found:
        return view, found
    raise UsageError(f"nothing in {rules.game.manifest.title} is named `{about}`", nearest(rules, about))
