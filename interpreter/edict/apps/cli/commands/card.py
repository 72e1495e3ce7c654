"""The command `card`, which measures the size and kind of games for researchers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from edict.apps.cli import shared_options as o
from edict.apps.cli.command_errors import UsageError
from edict.apps.cli.long_runs import parse_seed, require_between, resolve_player_count
from edict.apps.cli.rules_by_name import load_rules_with_notes
from edict.apps.cli.shared_options import JSON, parse_settings, print_document, validate_format
from edict.compiler.sources.module_lookup import load_catalogue
from edict.runtime.simulation import native
from edict.support.rendering import escape_terminal
from edict.support.resources import install_command

MAX_CARD_GAMES = 100_000

GameNames = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[GAME]...",
        autocompletion=o.game_names,
        help="Games, by name or path [default: the game in this folder, else the built-in one].",
    ),
]
All = Annotated[bool, typer.Option("--all", help="All built-in games, in one table.")]


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
    """Measure rules in random games and print a card for one or a table for several; return the exit code."""
    validate_format(form)
    require_between("games", games, 1, MAX_CARD_GAMES)
    if every and named:
        raise UsageError("--all cannot be combined with game names", "use only one of them")
    if not native.is_available():
        raise UsageError("this command needs native code, which is not installed", install_command("fast"))
    from edict.agents.study.game_cards import as_data, iter_card_lines, iter_table_lines, measure_game

    seed_number, values, cards = parse_seed(seed, bits=62), parse_settings(settings or ()), []
    for name in list_shipped_games() if every else named or [""]:
        rules = load_rules_with_notes(name, modules or ())
        cards.append(measure_game(rules, resolve_player_count(rules.program, players), games, seed_number, values))
    if form == JSON:
        print_document("cards", cards=[as_data(measured) for measured in cards])
    else:
        print(
            "\n".join(
                escape_terminal(line)
                for line in (iter_card_lines(cards[0]) if len(cards) == 1 else iter_table_lines(cards))
            )
        )
    return 0


def list_shipped_games() -> Sequence[str]:
    """Return the names of all games that ship, sorted."""
    return sorted(name for name, (_, manifest) in load_catalogue().items() if manifest.kind == "game")
