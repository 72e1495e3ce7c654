"""Undo at the table: one's own last answer, unless something became known since that cannot be forgotten."""

from __future__ import annotations

from collections.abc import Collection

from edict.table.errors import GameError
from edict.table.game import Game
from edict.table.log import LUCK, SHOWN


def take_back(game: Game, seat: int, people: Collection[int]) -> None:
    """Take back the last answer of a seat, and what bots answered since; raises `GameError` with the reason if not."""
    number = _answers_since(game, seat, people)
    trial = game.copy()
    for _ in range(number):
        trial.undo()
    _check_known(game, len(trial.log), len(people) > 1)
    for _ in range(number):
        game.undo()


def _answers_since(game: Game, seat: int, people: Collection[int]) -> int:
    """How many answers of players must go, the seat's own among them."""
    number = 0
    for answer in reversed(game.journal.answers):
        number += answer.seat >= 0
        if answer.seat == seat:
            return number
        if answer.seat in people:
            raise GameError(f"{game.players[answer.seat]} has answered since")
    raise GameError("you have not answered anything yet")


def _check_known(game: Game, before: int, several: bool) -> None:
    """Nothing drawn or shown since; among several people, not even dice: all would know what is to come."""
    for entry in game.log[before:]:
        if entry.kind == SHOWN or entry.seats is not None and entry.kind != "choice":
            raise GameError("something secret was shown since")
        if entry.kind == LUCK and (several or not entry.rolled):
            raise GameError("dice were rolled since" if entry.rolled else "something was drawn since")
