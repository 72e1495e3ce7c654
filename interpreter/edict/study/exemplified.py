"""What rules leave open, shown by example: they are played as each reading has them until it matters which is meant."""

from __future__ import annotations

from collections.abc import Callable

from edict.front.readings import as_read
from edict.report import Diagnostic, Example, Reading
from edict.scenes.scene_files import SEATED
from edict.scenes.scene_pairs import Side, two_sides
from edict.scenes.scene_recorder import as_item
from edict.sources.module_lookup import shipped
from edict.sources.module_set import Modules
from edict.sources.yaml_reader import Lines, write_yaml
from edict.study.parting import Parting, Search
from edict.table.game import Game
from edict.table.rules import Rules
from edict.text import capital, so_many

CHOICE = "# These rules can be read in two ways. Keep the scene that says what you mean, and delete the other.\n"


def exemplified(found: Diagnostic, modules: Modules, told: Callable[[int], object] = lambda games: None) -> Example:
    """An example of what a diagnostic with two readings says, or why there is none.

    told: is called with the number of games that have been played.
    """
    programs = [as_read(modules, reading) for reading in found.readings]
    wrong = next((d for outcome in programs for d in outcome.diagnostics if d.is_error), None)
    if wrong is not None:
        return Example(f"none can be played before this is mended: {wrong.title} ({wrong.span})")
    rules = [Rules(one.unwrap(), modules[0].name, sources=modules) for one in programs]
    search = Search(rules[0].program, rules[1].program)
    parting = search.run(told)
    if parting is None:
        low, high = rules[0].program.least_players, rules[0].program.most_players
        players = so_many(low, "player") if low == high else f"{low} to {high} players"
        tried = f"{so_many(search.games, 'game')} between bots, with {players}"
        games = f"in {tried}, it made no difference which was meant"
        return Example(f"none found: {games}; that does not prove that it never does")
    return _told(found, parting, (_game(rules[0], parting), _game(rules[1], parting)), _top(modules))


def _game(rules: Rules, parting: Parting) -> Game:
    game = rules.new_game(SEATED[: parting.players], parting.seed)
    for index in parting.answers:
        game.answer(index)
    return game


def _told(found: Diagnostic, parting: Parting, games: tuple[Game, Game], top: str) -> Example:
    readings = found.readings
    sides = two_sides(*games, len(parting.answers), (_name(readings[0]), _name(readings[1])))
    after = f"after {so_many(len(parting.answers), 'answer')}" if parting.answers else "before anybody has answered"
    where = f"in a game of {so_many(parting.players, 'player')}, {after}, it matters which is meant"
    if sides is None:
        return Example(f"{where}; scenes have no words for this game")
    told = tuple((reading.said, side.told) for reading, side in zip(readings, sides, strict=True))
    return Example(where, told, top, "".join(map(_item, sides)))


def _item(side: Side) -> str:
    return as_item({**side.scene, "players": list(side.players)})


def _name(reading: Reading) -> str:
    said = reading.said.replace("`", "")
    return capital(said)


def _top(modules: Modules) -> str:
    """The game, and those modules over it that are found by their names wherever the scenes stand."""
    ships = {folder.resolve() for folder in shipped()}
    game = next(one.name for one in modules if one.manifest.kind == "game")
    others = [one.name for one in modules if one.manifest.kind != "game" and one.folder.resolve() in ships]
    return CHOICE + write_yaml(Lines({"game": game, **({"modules": others} if others else {})}))
