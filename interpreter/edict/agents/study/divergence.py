"""Examples of ambiguous rules, found by playing both readings with the same answers and seed until they diverge.

Before that place nothing noticeable differs, so it shows where the ambiguity matters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import count
from typing import Any

from edict.agents.bots.match import Match, create_bot_table
from edict.agents.bots.match_play import iter_answers, release_bots
from edict.agents.study.bot_games import BotSeats, GameRange, derive_seeds
from edict.agents.study.never_happened import DEFAULT_BOTS, create_setups
from edict.compiler.pipeline.ambiguities import compile_reading
from edict.compiler.sources.module_lookup import list_shipped_modules
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
from edict.support.records import dataclass
from edict.support.report import Diagnostic, ReadingExample, RuleReading

MAX_GAMES = 200
MAX_QUESTIONS = 30_000
EXTRA_GAMES = 20


@dataclass(frozen=True, slots=True)
class Divergence:
    """The place where two readings diverge, as a game with these answers of the players."""

    players: int
    seed: int
    answers: tuple[int, ...]


@dataclass
class DivergenceSearch:
    """A search through games of all numbers of players, by several kinds of bots."""

    first: Program
    second: Program
    earliest: Divergence | None = None  # the divergence after the fewest answers
    games: int = 0  # games that were played
    questions: int = 0

    def run(self, on_progress: Callable[[int], object]) -> Divergence | None:
        """Play games until one diverges, and some more for an earlier place; return the divergence, or None."""
        remaining = MAX_GAMES
        for players, seed, seats in self._iter_games():
            if not remaining or self.questions > MAX_QUESTIONS:
                break
            remaining -= 1
            self.games += 1
            divergence = self._play_game(players, seed, seats)
            on_progress(self.games)
            if divergence is not None:
                remaining = EXTRA_GAMES if self.earliest is None else remaining
                self.earliest = divergence
                if not divergence.answers:
                    break
        return self.earliest

    def _iter_games(self) -> Iterator[tuple[int, int, BotSeats]]:
        """Yield one game of each setup in turn, so that the few that are played cover all kinds."""
        setups = create_setups(self.first, DEFAULT_BOTS, None, (), 0)
        bots = [BotSeats(self.first, setup.bots) for setup in setups]
        for number in count():
            for setup, seats in zip(setups, bots, strict=True):
                yield setup.players, derive_seeds(setup, GameRange(number, 1))[0] & MASK, seats

    def _play_game(self, players: int, seed: int, bots: BotSeats) -> Divergence | None:
        """Return the divergence of a game if it is earlier than the known one."""
        one, other = (_create_match(program, players, seed, bots.is_native) for program in (self.first, self.second))
        seats, answers = bots.create_seats(seed), list[int]()
        try:
            for seat, index in iter_answers(one, seats):
                self.questions += 1
                other.advance()
                if _has_failed(one) or _has_failed(other):
                    return None
                if _observable_state(one) != _observable_state(other):
                    return Divergence(players, seed, tuple(answers))
                if seat != CHANCE:
                    answers.append(index)
                if self.earliest is not None and len(answers) >= len(self.earliest.answers):
                    return None
                one.answer(index)
                other.answer(index)
            other.advance()
            over = one.status == GAME_OVER and not _has_failed(other)
            if over and _observable_state(one) != _observable_state(other):
                return Divergence(players, seed, tuple(answers))
            return None
        finally:
            release_bots(seats)


def _create_match(program: Program, players: int, seed: int, natively: bool) -> Match:
    """Create a match with the chance outcomes of a table with this seed."""
    draws = count()
    return Match(
        create_bot_table(program, players), seed, lambda _, options: draw(seed, next(draws), options), natively
    )


def _has_failed(match: Match) -> bool:
    return match.status not in (ASKING, GAME_OVER)


def _observable_state(match: Match) -> tuple[Any, ...]:
    """Return question and options, or the result, with announcements and variables, for comparing two games."""
    program, cells = match.program, match.state
    visible = (list_announcements(program, match.new_events), [cells[kept] for kept in _variable_slices(program)])
    if match.status != ASKING:
        return (match.status, cells[WINNERS], *visible)
    question, options = program.questions[cells[QUESTION]], cells[OPTIONS]
    return (question.name, question.prompt, cells[SEAT], cells[FIRST_OPTION : FIRST_OPTION + options], *visible)


@lru_cache(maxsize=2)
def _variable_slices(program: Program) -> tuple[slice, ...]:
    """Return the slice of cells that each variable occupies in a state."""
    return tuple(slice(variable.base, variable.cells.stop) for variable in program.variables)


def list_announcements(program: Program, events: Sequence[int]) -> list[str]:
    """Return the text of each announced part in the events, as rules write it, without values."""
    return [program.says[part].text for kind, _, part, *_ in unpack_events(events) if kind == EV_SAY]


SCENE_COMMENT = "# These rules can be read in two ways. Keep the scene that says what you mean, and delete the other.\n"


def find_example(
    diagnostic: Diagnostic, modules: Modules, on_progress: Callable[[int], object] = lambda games: None
) -> ReadingExample:
    """Return an example for a diagnostic with two readings, or the reason why there is none.

    Args:
        diagnostic: The diagnostic.
        modules: The rules.
        on_progress: Called with the number of games played so far.
    """
    programs = [compile_reading(modules, reading) for reading in diagnostic.readings]
    error = next((d for outcome in programs for d in outcome.diagnostics if d.is_error), None)
    if error is not None:
        return ReadingExample(f"none can be played before this is mended: {error.title} ({error.span})")
    rules = [Rules(one.unwrap(), modules[0].name, sources=modules) for one in programs]
    search = DivergenceSearch(rules[0].program, rules[1].program)
    divergence = search.run(on_progress)
    if divergence is None:
        low, high = rules[0].program.least_players, rules[0].program.most_players
        tried = f"{count_noun(search.games, 'game')} between bots, with {count_players(low, high)}"
        games = f"in {tried}, it made no difference which was meant"
        return ReadingExample(f"none found: {games}; that does not prove that it never does")
    return _build_example(
        diagnostic,
        divergence,
        (_replay_game(rules[0], divergence), _replay_game(rules[1], divergence)),
        _scene_header(modules),
    )


def _replay_game(rules: Rules, divergence: Divergence) -> Game:
    """Play a divergence's answers by these rules, from its seed; return the game at the last common question."""
    game = rules.new_game(DEFAULT_PLAYERS[: divergence.players], divergence.seed)
    for index in divergence.answers:
        game.answer(index)
    return game


def _build_example(
    diagnostic: Diagnostic, divergence: Divergence, games: tuple[Game, Game], header: str
) -> ReadingExample:
    """Describe where two readings of the rules diverge, with a scene for each reading if scenes can express it."""
    readings = diagnostic.readings
    sides = find_scene_pair(*games, len(divergence.answers), (_name_reading(readings[0]), _name_reading(readings[1])))
    if divergence.answers:
        answer_count = f"after {count_noun(len(divergence.answers), 'answer')}"
    else:
        answer_count = "before anybody has answered"
    where = f"in a game of {count_noun(divergence.players, 'player')}, {answer_count}, it matters which is meant"
    if sides is None:
        return ReadingExample(f"{where}; scenes have no words for this game")
    descriptions = tuple((reading.consequence, side.differences) for reading, side in zip(readings, sides, strict=True))
    return ReadingExample(where, descriptions, header, "".join(map(_side_to_scene, sides)))


def _side_to_scene(side: PairedScene) -> str:
    return format_item({**side.scene, "players": list(side.players)})


def _name_reading(reading: RuleReading) -> str:
    said = reading.consequence.replace("`", "")
    return capitalize(said)


def _scene_header(modules: Modules) -> str:
    """Return the head of a scene file: the game, and those modules that are found by name anywhere."""
    shipped_folders = {folder.resolve() for folder in list_shipped_modules()}
    game = next(module.name for module in modules if module.manifest.kind == "game")
    others = [
        module.name
        for module in modules
        if module.manifest.kind != "game" and module.folder.resolve() in shipped_folders
    ]
    return SCENE_COMMENT + write_yaml(LineMap({"game": game, **({"modules": others} if others else {})}))
