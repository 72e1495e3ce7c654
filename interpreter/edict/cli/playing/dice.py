"""Real dice: asking for what was rolled on the table, several dice at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from edict.program.opcodes import CHANCE, YOU
from edict.table.game import Game
from edict.table.wording import counted

if TYPE_CHECKING:
    from edict.cli.playing.session import Session

MOST = 20  # dice asked for at once


def rolled_by_hand(session: Session) -> None:
    """Ask for the dice to be rolled now, until at least one of them is known."""
    session.tell()
    number = waiting(session.game)
    session.screen.say(asking(session.game, number))
    while True:
        typed = session.screen.ask("dice> ")
        done = session.keyboard.command(typed)
        if done or done is None and typed_in(session, typed.replace(",", " ").split(), number):
            return


def waiting(game: Game) -> int:
    """How many dice of one kind are rolled for one player before anything else can happen."""
    trial, number = game.copy(), 0
    question, you = game.ask.question, game.state[YOU]
    while number < MOST and trial.seat == CHANCE and (trial.ask.question, trial.state[YOU]) == (question, you):
        trial.answer(0)
        number += 1
    return number


def asking(game: Game, number: int) -> str:
    """`What do Ann's 3 dice show? (1 to 6 each)`."""
    faces = [option.text for option in game.ask.options]
    kind = next((q.kind for q in game.program.questions if q.name == game.ask.question), "")
    title = next((title or name for name, title, _, _ in game.program.dice.kinds if name == kind), "die/dice")
    what = counted(title if "/" in title else f"{title}/{_plural(title)}", number)
    you = game.state[YOU]
    whose = f"{game.players[you]}'s" if 0 <= you < len(game.players) else "the"
    dice = what if number == 1 else f"{number} {what}"
    return f"What {'does' if number == 1 else 'do'} {whose} {dice} show? ({faces[0]} to {faces[-1]})"


def _plural(title: str) -> str:
    return f"{title[:-3]}dice" if title.endswith("die") else f"{title}s"


def typed_in(session: Session, faces: Sequence[str], number: int) -> bool:
    """Take in the faces typed, all or none of them."""
    game, say = session.game, session.screen.say
    known = {option.text: option for option in game.ask.options}
    wrong = [face for face in faces if face not in known]
    if wrong or not faces:
        texts = list(known)
        typed = f"`{wrong[0]}` is on none of these dice: type" if wrong else "Type"
        say(f"{typed} numbers from {texts[0]} to {texts[-1]}, as in `{' '.join(texts[:number][:3])}` (or help).")
        return False
    if len(faces) > number:
        say(f"That is {len(faces)} dice, and only {number} {'is' if number == 1 else 'are'} rolled now.")
        return False
    for face in faces:
        game.answer(known[face].key)
    return True
