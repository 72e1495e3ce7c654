"""Rules that can be read in two ways, played both ways at once: the same answers and the same luck, until they part.

Up to there nothing differs that anybody could notice, so where they part is where it matters how they are read. That
place is an example (`exemplified`) of what rules leave open.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import count
from typing import Any

from edict.agents.bots.match import Match, laid
from edict.agents.bots.matches import course, dismissed
from edict.agents.study.bot_games import GameRange, Players, seeds_of
from edict.agents.study.never import BOTS, tables
from edict.compiler.pipeline.readings import as_read
from edict.compiler.sources.module_lookup import shipped
from edict.compiler.sources.module_set import Modules
from edict.compiler.sources.yaml_reader import LineMap, write_yaml
from edict.game.scenes.scene_files import DEFAULT_PLAYERS
from edict.game.scenes.scene_pairs import PairedScene, find_scene_pair
from edict.game.scenes.scene_recorder import format_item
from edict.game.table.addresses import unpack_events
from edict.game.table.game import Game
from edict.game.table.rules import Rules
from edict.game.table.seeded_draws import draw
from edict.runtime.machine.mixing import MASK
from edict.runtime.program import Program
from edict.runtime.program.opcodes import (
    ASKING,
    CHANCE,
    EV_SAY,
    FIRST_OPTION,
    GAME_OVER,
    OPTIONS,
    QUESTION,
    SEAT,
    WINNERS,
)
from edict.support.morphology import capitalize, count_noun, count_players
from edict.support.report import Diagnostic, ReadingExample, RuleReading

MOST_GAMES = 200
MOST_QUESTIONS = 30_000  # in all games together, chance's included
FURTHER = 20  # games in which an earlier parting is looked for, once there is one


@dataclass(frozen=True, slots=True)
class Parting:
    """Where two readings part: in a game of so many players and this luck, after these answers of theirs."""

    players: int
    seed: int
    answers: tuple[int, ...]


@dataclass
class PartingSearch:
    """A search through games of all numbers of players, by several kinds of bots. Afterwards `found` is the parting
    after the fewest answers, `games` how many games were played for it."""

    first: Program
    second: Program
    found: Parting | None = None
    games: int = 0
    questions: int = 0

    def run(self, told: Callable[[int], object]) -> Parting | None:
        left = MOST_GAMES
        for players, seed, seats in self._tables():
            if not left or self.questions > MOST_QUESTIONS:
                break
            left -= 1
            self.games += 1
            parting = self._game(players, seed, seats)
            told(self.games)
            if parting is not None:
                left = FURTHER if self.found is None else left
                self.found = parting
                if not parting.answers:
                    break
        return self.found

    def _tables(self) -> Iterator[tuple[int, int, Players]]:
        """One game at each table in turn, so that the few that are played are of all kinds."""
        setups = tables(self.first, BOTS, None, (), 0)
        bots = [Players(self.first, setup.bots) for setup in setups]
        for number in count():
            for setup, seats in zip(setups, bots, strict=True):
                yield setup.players, seeds_of(setup, GameRange(number, 1))[0] & MASK, seats

    def _game(self, players: int, seed: int, bots: Players) -> Parting | None:
        """Where this game parts, if it does before the one that is known."""
        one, other = (_match(program, players, seed, bots.native) for program in (self.first, self.second))
        seats, answers = bots.seats(seed), list[int]()
        try:
            for seat, index in course(one, seats):
                self.questions += 1
                other.advance()
                if _failed(one) or _failed(other):
                    return None
                if _seen(one) != _seen(other):
                    return Parting(players, seed, tuple(answers))
                if seat != CHANCE:
                    answers.append(index)
                if self.found is not None and len(answers) >= len(self.found.answers):
                    return None
                one.answer(index)
                other.answer(index)
            other.advance()
            over = one.status == GAME_OVER and not _failed(other)
            return Parting(players, seed, tuple(answers)) if over and _seen(one) != _seen(other) else None
        finally:
            dismissed(seats)


def _match(program: Program, players: int, seed: int, natively: bool) -> Match:
    """With the luck of a table of this seed."""
    drawn = count()
    return Match(laid(program, players), seed, lambda _, options: draw(seed, next(drawn), options), natively)


def _failed(match: Match) -> bool:
    return match.status not in (ASKING, GAME_OVER)


def _seen(match: Match) -> tuple[Any, ...]:
    """All that could be noticed: what is asked or how it ended, what was announced, and what everything is now."""
    program, cells = match.program, match.state
    noticed = (announced(program, match.fresh), [cells[kept] for kept in _kept(program)])
    if match.status != ASKING:
        return (match.status, cells[WINNERS], *noticed)
    question, options = program.questions[cells[QUESTION]], cells[OPTIONS]
    return (question.name, question.prompt, cells[SEAT], cells[FIRST_OPTION : FIRST_OPTION + options], *noticed)


@lru_cache(maxsize=2)
def _kept(program: Program) -> tuple[slice, ...]:
    """Where everything stands that rules remember."""
    return tuple(slice(one.base, one.cells.stop) for one in program.variables)


def announced(program: Program, events: Sequence[int]) -> list[str]:
    """What was announced, part by part, without the values in it."""
    return [program.says[part].text for kind, _, part, *_ in unpack_events(events) if kind == EV_SAY]


CHOICE = "# These rules can be read in two ways. Keep the scene that says what you mean, and delete the other.\n"


def exemplified(
    found: Diagnostic, modules: Modules, told: Callable[[int], object] = lambda games: None
) -> ReadingExample:
    """An example of what a diagnostic with two readings says, or why there is none.

    told: is called with the number of games that have been played.
    """
    programs = [as_read(modules, reading) for reading in found.readings]
    wrong = next((d for outcome in programs for d in outcome.diagnostics if d.is_error), None)
    if wrong is not None:
        return ReadingExample(f"none can be played before this is mended: {wrong.title} ({wrong.span})")
    rules = [Rules(one.unwrap(), modules[0].name, sources=modules) for one in programs]
    search = PartingSearch(rules[0].program, rules[1].program)
    parting = search.run(told)
    if parting is None:
        low, high = rules[0].program.least_players, rules[0].program.most_players
        tried = f"{count_noun(search.games, 'game')} between bots, with {count_players(low, high)}"
        games = f"in {tried}, it made no difference which was meant"
        return ReadingExample(f"none found: {games}; that does not prove that it never does")
    return _told(found, parting, (_game(rules[0], parting), _game(rules[1], parting)), _top(modules))


def _game(rules: Rules, parting: Parting) -> Game:
    game = rules.new_game(DEFAULT_PLAYERS[: parting.players], parting.seed)
    for index in parting.answers:
        game.answer(index)
    return game


def _told(found: Diagnostic, parting: Parting, games: tuple[Game, Game], top: str) -> ReadingExample:
    readings = found.readings
    sides = find_scene_pair(*games, len(parting.answers), (_name(readings[0]), _name(readings[1])))
    after = f"after {count_noun(len(parting.answers), 'answer')}" if parting.answers else "before anybody has answered"
    where = f"in a game of {count_noun(parting.players, 'player')}, {after}, it matters which is meant"
    if sides is None:
        return ReadingExample(f"{where}; scenes have no words for this game")
    told = tuple((reading.consequence, side.differences) for reading, side in zip(readings, sides, strict=True))
    return ReadingExample(where, told, top, "".join(map(_item, sides)))


def _item(side: PairedScene) -> str:
    return format_item({**side.scene, "players": list(side.players)})


def _name(reading: RuleReading) -> str:
    said = reading.consequence.replace("`", "")
    return capitalize(said)


def _top(modules: Modules) -> str:
    """The game, and those modules over it that are found by their names wherever the scenes stand."""
    ships = {folder.resolve() for folder in shipped()}
    game = next(one.name for one in modules if one.manifest.kind == "game")
    others = [one.name for one in modules if one.manifest.kind != "game" and one.folder.resolve() in ships]
    return CHOICE + write_yaml(LineMap({"game": game, **({"modules": others} if others else {})}))
