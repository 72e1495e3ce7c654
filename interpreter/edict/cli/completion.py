"""What a shell may complete: the names of games, modules, bots, saved games, codes, and all in a game's rules.

A shell asks while somebody types: whatever goes wrong, there is nothing to complete, and nothing is said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import typer

Complete = Callable[[typer.Context, str], list[str]]


def completing(names: Callable[[dict[str, Any]], Iterable[str]]) -> Complete:
    """Those of the names that begin as what was typed; they may depend on what stands before it."""

    def complete(context: typer.Context, incomplete: str) -> list[str]:
        try:
            return sorted({name for name in names(context.params) if name.startswith(incomplete)})
        except Exception:
            return []

    return complete


@completing
def rules_names(given: dict[str, Any]) -> Iterable[str]:
    from edict.sources.module_lookup import named_everywhere, modules_here

    return [*named_everywhere(), *(folder.name for folder in modules_here())]


@completing
def game_names(given: dict[str, Any]) -> Iterable[str]:
    return _of_kind("game")


@completing
def module_names(given: dict[str, Any]) -> Iterable[str]:
    return _of_kind("module", "scenario")


@completing
def saved_names(given: dict[str, Any]) -> Iterable[str]:
    from edict.cli.playing import saved_games

    return [path.stem for path in saved_games.newest()]


@completing
def campaign_names(given: dict[str, Any]) -> Iterable[str]:
    from edict.cli.playing import saved_games

    return [path.stem for path in saved_games.kept_campaigns()]


@completing
def thing_names(given: dict[str, Any]) -> Iterable[str]:
    from edict.cli.rules_by_name import read_rules

    program = read_rules(given.get("game") or "", given.get("modules") or ()).program
    return [thing.name for kind in program.kinds for thing in kind.things]


@completing
def bot_names(given: dict[str, Any]) -> Iterable[str]:
    from edict.bots import BOTS

    return list(BOTS)


@completing
def codes(given: dict[str, Any]) -> Iterable[str]:
    from edict.formats.diagnostic_pages import codes

    return codes()


def _of_kind(*kinds: str) -> Iterable[str]:
    from edict.sources.module_lookup import named_everywhere, modules_here
    from edict.sources.folders import read_manifest

    here = {folder.name: read_manifest(folder).value for folder in modules_here()}
    known = {**{name: manifest for name, (_, manifest) in named_everywhere().items()}, **here}
    return [name for name, manifest in known.items() if manifest is not None and manifest.kind in kinds]
