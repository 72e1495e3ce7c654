"""Rules for a command, by name or path; what is wrong with them is told with places in the texts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from edict import resources
from edict.cli.errors import WrongRules
from edict.cli.paths import a_path
from edict.front.folders import read_manifest
from edict.front.finding import find, folder_here, looks_like_path, shipped, texts
from edict.report import RulesError
from edict.table.rules import Rules, load_rules
from edict.text import Source


def default_game() -> str:
    """The name of the game that ships, as its manifest says."""
    folder = resources.home() / "rules"
    manifest = read_manifest(folder).value
    return manifest.name if manifest else str(folder)


def steady(name: str) -> str:
    """A name as it is, a path in full: what a journal holds must be found from another folder too."""
    if looks_like_path(name):
        return str(a_path(name).absolute())
    here = folder_here(name)
    return str(here.absolute()) if here and find(name).value == here else name


def rules_of(game: str, modules: Sequence[str] = ()) -> Rules:
    """The rules of a game; raises `RulesError`."""
    names = [steady(name) for name in (game or default_game(), *modules)]
    try:
        return load_rules(names[0], tuple(names[1:]))
    except RulesError as problem:
        raise WrongRules(problem.diagnostics, texts_of(names)) from None


def texts_of(names: Iterable[str]) -> dict[str, Source]:
    """The texts of these modules and of all that ship, which they may require."""
    return texts([*shipped(), *names])
