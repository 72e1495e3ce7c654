"""Branched games, which continue another game at a table of their own with luck of their own.

A branch holds nothing that its player may not know: neither the seed of the other game nor anything hidden from the
seat, which is drawn again consistently with everything the seat has seen.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random, SystemRandom

from edict.game.table.belief import History
from edict.game.table.game import Game
from edict.game.table.game_errors import GameError
from edict.game.table.journal import Answer, Journal, Opening
from edict.game.table.seeded_draws import create_seed
from edict.runtime.machine.loop import run
from edict.runtime.program.opcodes import ANSWER, ASKING, CHANCE, FIRST_OPTION, LOGGING, QUESTION, SEAT

WAIT = "try it again when the cards are on the table"


def has_hidden_values(game: Game) -> bool:
    """Return True if something is hidden from any player now."""
    history = History.from_game(game.table, game.answers)
    return any(history.has_hidden_cells(seat) for seat in range(len(game.players)))


def branch_game(game: Game, seat: int, luck: Random | None = None) -> Journal:
    """Return the journal of a new game from here on, with all that is hidden from a seat drawn anew.

    Raises `GameError` if the game is over, or if no game is found that looks the same to the seat.
    """
    if game.over:
        raise GameError("the game is over, so there is nothing to continue", "begin a new one under other rules")
    answers = History.from_game(game.table, game.answers).resample_all(seat, luck or SystemRandom())
    if answers is None:
        raise GameError("too much is hidden from you for another game to continue from here", WAIT)
    return _build_journal(game, answers)


def _build_journal(game: Game, indices: list[int]) -> Journal:
    """Return the journal of a course of the game, given as the indexes of all answers including those of chance."""
    table, answers, drawn = game.table, list[Answer](), list[tuple[str, str]]()
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
            answers.append(Answer(seat, question, key))
        state[ANSWER] = index
    chapter, opening = table.header.chapter, table.header.opening
    if chapter is not None and opening is None:
        opening = Opening("", table.lasting.to_cells(chapter.values))  # it does not belong to the campaign
    header = replace(table.header, seed=create_seed(), drawn=tuple(drawn), chapter=None, opening=opening)
    return Journal(header, tuple(answers), table.bundle)


__all__ = ["branch_game", "has_hidden_values"]
