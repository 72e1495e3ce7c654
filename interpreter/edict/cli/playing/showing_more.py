"""Whether what is shown to one person at the keyboard is for all who sit there."""

from __future__ import annotations

from edict.table.game import Game
from edict.table.log_entries import LOOK
from edict.table.knowledge import Secrets
from edict.table.prospects import prospects
from edict.table.tracing import traced, taints


def holds_more(game: Game, seat: int, other: int) -> bool:
    """Whether a seat knows, or has been told since the beginning, anything that the other may not know."""
    return _told_more(game, seat, other, 0) or _asked_in_secret(game, seat) or _knows_more(game, seat, other)


def shows_more(game: Game, seat: int, other: int, since: int) -> bool:
    """Whether there is anything the other may not see in what a seat is shown now: what is new in the log since this
    entry, what lies on the table, and the question if it is put to that seat."""
    if _told_more(game, seat, other, since) or _asked_in_secret(game, seat):
        return True
    looks = (entry for entry in game.log[since:] if entry.kind == LOOK)
    if any(game.view(seat).summary(entry) != game.view(other).summary(entry) for entry in looks):
        return True
    if not _knows_more(game, seat, other):
        return False
    shared = _as_both_know(game, seat, other)
    if game.view(seat).panels() != shared.view(seat).panels():
        return True
    return not game.over and game.seat == seat and _asks_more(game, shared, seat, other)


def _asks_more(game: Game, shared: Game, seat: int, other: int) -> bool:
    """Whether the question tells something: by what there is to choose from, by its words, by what is said of it."""
    step = game.last_step
    offered = traced(game.table, step, taints(game.table, step)[-1].begun).offered
    if not all(mask >> other & 1 for mask in offered):
        return True
    return game.view(seat).ask != shared.view(seat).ask or prospects(game) != prospects(shared)


def _asked_in_secret(game: Game, seat: int) -> bool:
    return not game.over and game.seat == seat and game.ask.secret


def _told_more(game: Game, seat: int, other: int, since: int) -> bool:
    told = (entry.seats for entry in game.log[since:] if entry.seats is not None)
    return any(seat in seats and other not in seats for seats in told)


def _knows_more(game: Game, seat: int, other: int) -> bool:
    state = game.state
    masks = (state[known] for _, known, _ in Secrets.of(game.program).cells)
    named = not set(game.names_unknown(other)) <= set(game.names_unknown(seat))
    return named or any(mask >> seat & 1 and not mask >> other & 1 for mask in masks)


def _as_both_know(game: Game, seat: int, other: int) -> Game:
    """The same game, in which a seat knows no secret that the other does not know."""
    state = game.state
    for _, known, _ in Secrets.of(game.program).cells:
        if not state[known] >> other & 1:
            state[known] &= ~(1 << seat)
    return Game(game.table, state, game.draws, game.last_step)


__all__ = ["holds_more", "shows_more"]
