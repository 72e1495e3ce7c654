"""A game that goes on from another one, at a table of its own, with luck of its own.

It holds nothing that whoever begins it may not know: neither the seed of the other game nor what was ever hidden from
the seat, which is drawn again so that all the seat has seen is as it was.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random, SystemRandom

from edict.game.table.belief import History
from edict.game.table.game import Game
from edict.game.table.game_errors import GameError
from edict.game.table.journal import Answer, Journal, Opening
from edict.game.table.seeded_luck import fresh_seed
from edict.runtime.machine.loop import run
from edict.runtime.program.opcodes import ANSWER, ASKING, CHANCE, FIRST_OPTION, LOGGING, QUESTION, SEAT

WAIT = "try it again when the cards are on the table"


def hidden_from_some(game: Game) -> bool:
    """Whether anything is hidden just now from anybody who plays."""
    history = History.of(game.table, game.answers)
    return any(history.hides(seat) for seat in range(len(game.players)))


def branch(game: Game, seat: int, luck: Random | None = None) -> Journal:
    """A game that has come to where this one is, for all that a seat knows, and goes on by a new seed.

    Raises `GameError` if the game is over, or if nothing is found that looks to the seat as it did.
    """
    if game.over:
        raise GameError("the game is over, so there is nothing to continue", "begin a new one under other rules")
    answers = History.of(game.table, game.answers).another(seat, luck or SystemRandom())
    if answers is None:
        raise GameError("too much is hidden from you for another game to continue from here", WAIT)
    return _with_answers(game, answers)


def _with_answers(game: Game, indices: list[int]) -> Journal:
    """The journal of a course of the game, which all answers make up, those of chance too."""
    table, given, drawn = game.table, list[Answer](), list[tuple[str, str]]()
    state = table.first_state()
    state[LOGGING] = 0
    for index in indices:
        if run(table.program.code, state, [0]) != ASKING:
            break
        number, seat, value = state[QUESTION], state[SEAT], state[FIRST_OPTION + index]
        question, key = table.program.questions[number].name, table.options.key(number, value)
        if seat == CHANCE and not table.asks_dice(number):
            drawn.append((question, key))
        else:
            given.append(Answer(seat, question, key))
        state[ANSWER] = index
    chapter, opening = table.header.chapter, table.header.opening
    if chapter is not None and opening is None:
        opening = Opening("", table.lasting.cells(chapter.values))  # it is no game of the campaign
    header = replace(table.header, seed=fresh_seed(), drawn=tuple(drawn), chapter=None, opening=opening)
    return Journal(header, tuple(given), table.bundle)


__all__ = ["branch", "hidden_from_some"]
