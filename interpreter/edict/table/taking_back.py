"""Undo at the table: dice just typed, or one's own last answer, as long as nothing has been revealed since."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import takewhile

from edict.program.opcodes import CHANCE, YOU
from edict.table.errors import GameError
from edict.table.game import Game
from edict.table.revealing import knowing, knows_more, revealed
from edict.table.game_steps import Step, rebuilt
from edict.table.tracing import chain_of

FREELY = "`play --takebacks free` lets you, when you play alone"


def take_back(game: Game, seat: int, people: Collection[int], free: bool = False) -> str:
    """Take back what was typed last; returns what to say of it. Raises `GameError` with the reason if it stays.

    seat: whose answer is to go, and what bots answered after it. free: whatever was revealed since.
    """
    steps = chain_of(game.last_step)[:0:-1]
    dice = _typed_dice(game, steps)
    last = dice or _answers(game, steps, seat, people)
    if not free:
        _check(game, last, seat if seat >= 0 else len(game.players), people)
    game.back_by(len(last))
    return "The dice are taken back: type them again." if dice else "Your last answer is taken back."


def _typed_dice(game: Game, steps: Sequence[Step]) -> Sequence[Step]:
    """The throw that was typed last, if nobody has answered since; a slip of the finger is no luck."""

    def throw(step: Step) -> tuple[int, int]:
        assert step.before is not None
        return step.question, rebuilt(game.table, step.before)[YOU]

    return list(takewhile(lambda step: step.seat == CHANCE and throw(step) == throw(steps[0]), steps))


def _answers(game: Game, steps: Sequence[Step], seat: int, people: Collection[int]) -> Sequence[Step]:
    """The seat's last answer and all that came after it, the latest first."""
    for number, step in enumerate(steps, 1):
        if step.seat == seat >= 0:
            return steps[:number]
        if step.seat in people:
            raise GameError(f"{game.players[step.seat]} has answered since")
    raise GameError("you have not answered anything yet")


def _check(game: Game, steps: Sequence[Step], seat: int, people: Collection[int]) -> None:
    """Raises `GameError` if anything was revealed by these steps, which begin with the latest."""
    remedy = FREELY if len(people) == 1 else ""
    for step in reversed(steps):
        who = game.players[step.seat] if step.seat >= 0 else ""
        if who and step.seat != seat and knows_more(game.table, step, step.seat, seat):
            raise GameError(f"{knowing(game.table, step.seat)} since", remedy)
        if step.seat == CHANCE and len(steps) > 1 and steps[-1].seat != CHANCE:
            raise GameError("dice have been rolled since", remedy)
        found = revealed(game.table, step, seat)
        if found:
            raise GameError(f"{found} since", remedy)
