"""`card`: the size and sort of games in numbers, for those who study them or teach programs to play them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from edict.apps.cli import shared_options as o
from edict.apps.cli.command_errors import UsageError
from edict.apps.cli.long_runs import between, players_of, seed_of
from edict.apps.cli.option_values import JSON, checked_form, print_json, settings_of
from edict.apps.cli.rules_by_name import rules_of
from edict.compiler.sources.module_lookup import catalogue
from edict.runtime.simulation import native
from edict.support.rendering import escape_terminal
from edict.support.resources import install_command

MOST = 100_000

GameNames = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[GAME]...",
        autocompletion=o.game_names,
        help="Games, by name or path [default: that of this folder, or the one that ships].",
    ),
]
All = Annotated[bool, typer.Option("--all", help="Every game that ships, in one table.")]


def card(
    named: GameNames = None,
    every: All = False,
    modules: o.Modules = None,
    settings: o.Settings = None,
    players: o.PlayerCount = None,
    games: o.GameCount = 200,
    seed: o.Seed = "",
    form: o.DataFormat = "text",
) -> int:
    """Measure and print; returns the exit code."""
    checked_form(form)
    between("games", games, 1, MOST)
    if every and named:
        raise UsageError("--all means every game, and you named some", "leave one of the two out")
    if not native.is_available():
        raise UsageError("cards are measured in native code, which is not installed", install_command("fast"))
    from edict.agents.study.game_cards import as_data, card, lines, table

    number, written, cards = seed_of(seed, bits=62), settings_of(settings or ()), []
    for name in games_that_ship() if every else named or [""]:
        rules = rules_of(name, modules or ())
        cards.append(card(rules, players_of(rules.program, players), games, number, written))
    if form == JSON:
        print_json([as_data(one) for one in cards])
    else:
        print("\n".join(escape_terminal(line) for line in (lines(cards[0]) if len(cards) == 1 else table(cards))))
    return 0


def games_that_ship() -> Sequence[str]:
    """By name, in their order."""
    return sorted(name for name, (_, manifest) in catalogue().items() if manifest.kind == "game")
