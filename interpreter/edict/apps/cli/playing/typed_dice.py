"""Real dice: the prompt for rolled faces, several dice at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from edict.apps.cli.playing.session import Session
from edict.game.table.game import Game
from edict.runtime.program.opcodes import CHANCE, YOU
from edict.support.morphology import inflect, pluralize_title, split_title

MAX_DICE = 20  # dice asked for at once


class CommandRunner(Protocol):
    """A reader that runs typed commands."""

    def run_command(self, typed: str) -> bool | None:
        """Run a typed command; None if it is none, True if the turn must start again."""


def ask_for_dice(session: Session, keyboard: CommandRunner) -> None:
    """Ask for the dice of this roll, until at least one is known or a command changes the game."""
    session.tell()
    number = count_dice(session.game)
    while True:
        session.screen.say(dice_question(session.game, number))
        typed = session.screen.ask("dice> ")
        done = keyboard.run_command(typed) if typed else False
        if done or done is None and enter_dice(session, typed.replace(",", " ").split(), number):
            return


def count_dice(game: Game) -> int:
    """Return how many dice of one kind are rolled for one player before anything else can happen."""
    return min(_count_same_throw(game, index) for index in (0, game.count - 1))


def _count_same_throw(game: Game, index: int) -> int:
    """Return how many dice in a row ask the same player the same question, if each shows face `index`."""
    trial, number, throw = game.copy(), 0, _current_throw(game)
    while number < MAX_DICE and _current_throw(trial) == throw:
        trial.answer(index)
        number += 1
    return number


def _current_throw(game: Game) -> tuple[str, int] | None:
    """Return the question and player of the die that is rolled now; None if no chance event is pending."""
    if game.over or game.seat != CHANCE:
        return None
    return (game.ask.question, game.state[YOU])


def dice_question(game: Game, number: int) -> str:
    """Return the prompt, such as `What do Ann's 3 dice show? (1 to 6 each)`."""
    faces = [option.text for option in game.ask.options]
    kind = next((question.kind for question in game.program.questions if question.name == game.ask.question), "")
    title = next((title or name for name, title, _, _ in game.program.dice.kinds if name == kind), "die/dice")
    noun = inflect(number, split_title(title)[0], pluralize_title(title))
    seat = game.state[YOU]
    whose = f"{game.players[seat]}'s" if 0 <= seat < len(game.players) else "the"
    dice = noun if number == 1 else f"{number} {noun}"
    return f"What {'does' if number == 1 else 'do'} {whose} {dice} show? ({faces[0]} to {faces[-1]})"


def describe_dice_input(game: Game, number: int) -> str:
    """Return what can be typed for a number of dice."""
    texts = [option.text for option in game.ask.options]
    return f"type numbers from {texts[0]} to {texts[-1]}, as in `{' '.join(texts[:number][:3])}`"


def explain_dice(game: Game) -> list[str]:
    """Return lines that explain the prompt for dice."""
    number = count_dice(game)
    several = ", one at a time or several at once" if number > 1 else ""
    instruction = describe_dice_input(game, number)
    return [
        dice_question(game, number),
        f"Roll them on the table, then {instruction}{several}. `undo` takes the last throw back.",
    ]


def enter_dice(session: Session, faces: Sequence[str], number: int) -> bool:
    """Answer one roll question for each typed face, and return True; if one is invalid, say so and return False."""
    game, say = session.game, session.screen.say
    options_by_face = {option.text: option for option in game.ask.options}
    invalid = [face for face in faces if face not in options_by_face]
    if invalid:
        say(f"`{invalid[0]}` is on none of these dice: {describe_dice_input(game, number)} (or help).")
        return False
    if len(faces) > number:
        say(f"That is {len(faces)} dice, and only {number} {'is' if number == 1 else 'are'} rolled now.")
        return False
    rolled = _count_dice_in_throw(game, [options_by_face[face].key for face in faces])
    if rolled < len(faces):
        say(f"After {' '.join(faces[:rolled])} no more of these dice are rolled: leave out the rest.")
        return False
    for face in faces:
        game.answer(options_by_face[face].key)
    return True


def _count_dice_in_throw(game: Game, faces: Sequence[str]) -> int:
    """Return how many of the faces, entered in order, belong to the current throw, as some may end it early."""
    trial, throw = game.copy(), _current_throw(game)
    for number, face in enumerate(faces):
        if _current_throw(trial) != throw:
            return number
        trial.answer(face)
    return len(faces)
