"""Real dice: asking for what was rolled on the table, several dice at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from edict.apps.cli.playing.session import Session
from edict.game.table.game import Game
from edict.runtime.program.opcodes import CHANCE, YOU
from edict.support.morphology import inflect, pluralize_title, split_title

MOST = 20  # dice asked for at once


class Commands(Protocol):
    """Whatever carries out what is typed besides an answer."""

    def command(self, typed: str) -> bool | None: ...


def rolled_by_hand(session: Session, keyboard: Commands) -> None:
    """Ask for the dice to be rolled now, until at least one of them is known."""
    session.tell()
    number = waiting(session.game)
    while True:
        session.screen.say(asking(session.game, number))
        typed = session.screen.ask("dice> ")
        done = keyboard.command(typed) if typed else False
        if done or done is None and typed_in(session, typed.replace(",", " ").split(), number):
            return


def waiting(game: Game) -> int:
    """How many dice of one kind are rolled for one player before anything else can happen, whatever they show."""
    return min(_in_a_row(game, index) for index in (0, game.count - 1))


def _in_a_row(game: Game, index: int) -> int:
    """How many dice are rolled one after the other if each shows the face of this index."""
    trial, number, throw = game.copy(), 0, _throw(game)
    while number < MOST and _throw(trial) == throw:
        trial.answer(index)
        number += 1
    return number


def _throw(game: Game) -> tuple[str, int] | None:
    """Of a die that is being rolled, the question and whose it is; None if nothing is rolled now."""
    return None if game.over or game.seat != CHANCE else (game.ask.question, game.state[YOU])


def asking(game: Game, number: int) -> str:
    """`What do Ann's 3 dice show? (1 to 6 each)`."""
    faces = [option.text for option in game.ask.options]
    kind = next((q.kind for q in game.program.questions if q.name == game.ask.question), "")
    title = next((title or name for name, title, _, _ in game.program.dice.kinds if name == kind), "die/dice")
    what = inflect(number, split_title(title)[0], pluralize_title(title))
    you = game.state[YOU]
    whose = f"{game.players[you]}'s" if 0 <= you < len(game.players) else "the"
    dice = what if number == 1 else f"{number} {what}"
    return f"What {'does' if number == 1 else 'do'} {whose} {dice} show? ({faces[0]} to {faces[-1]})"


def how_to_type(game: Game, number: int) -> str:
    """What may be typed for this many dice."""
    texts = [option.text for option in game.ask.options]
    return f"type numbers from {texts[0]} to {texts[-1]}, as in `{' '.join(texts[:number][:3])}`"


def dice_explained(game: Game) -> list[str]:
    """What is asked at the prompt for dice, and how it is answered."""
    number = waiting(game)
    several = ", one at a time or several at once" if number > 1 else ""
    how = how_to_type(game, number)
    return [asking(game, number), f"Roll them on the table, then {how}{several}. `undo` takes the last throw back."]


def typed_in(session: Session, faces: Sequence[str], number: int) -> bool:
    """Take in the faces typed, all or none of them."""
    game, say = session.game, session.screen.say
    known = {option.text: option for option in game.ask.options}
    wrong = [face for face in faces if face not in known]
    if wrong:
        say(f"`{wrong[0]}` is on none of these dice: {how_to_type(game, number)} (or help).")
        return False
    if len(faces) > number:
        say(f"That is {len(faces)} dice, and only {number} {'is' if number == 1 else 'are'} rolled now.")
        return False
    rolled = _rolled(game, [known[face].key for face in faces])
    if rolled < len(faces):
        say(f"After {' '.join(faces[:rolled])} no more of these dice are rolled: leave out the rest.")
        return False
    for face in faces:
        game.answer(known[face].key)
    return True


def _rolled(game: Game, faces: Sequence[str]) -> int:
    """How many of these dice are rolled, if they show these faces one after the other."""
    trial, throw = game.copy(), _throw(game)
    for number, face in enumerate(faces):
        if _throw(trial) != throw:
            return number
        trial.answer(face)
    return len(faces)
