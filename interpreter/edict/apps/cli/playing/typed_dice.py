"""Real dice: the prompt for rolled faces, several dice at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from edict.apps.cli.playing.session import Session
from edict.game.table.game import Game
from edict.runtime.program.opcodes import CHANCE, YOU
from edict.support.morphology import inflect, pluralize_title, split_title
from edict.support.translations import N_
from edict.support.translations.texts import join_parts, map_text, translate

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
    noun = map_text(title, lambda words: inflect(number, split_title(words)[0], pluralize_title(words)))
    seat = game.state[YOU]
    dice = noun if number == 1 else join_parts(" ", (str(number), noun))
    owner = game.players[seat] if 0 <= seat < len(game.players) else ""
    message = WHAT_SHOWS[bool(owner), number > 1]
    return translate(message, player=owner, noun=dice, first=faces[0], last=faces[-1])


# by whether the dice belong to a player, and are several
WHAT_SHOWS = {
    (True, False): N_("What does {player}'s {noun} show? ({first} to {last})"),
    (True, True): N_("What do {player}'s {noun} show? ({first} to {last})"),
    (False, False): N_("What does the {noun} show? ({first} to {last})"),
    (False, True): N_("What do the {noun} show? ({first} to {last})"),
}


def describe_dice_input(game: Game, number: int) -> str:
    """Return what can be typed for a number of dice."""
    texts = [option.text for option in game.ask.options]
    example = " ".join(texts[:number][:3])
    message = N_("type numbers from {first} to {last}, as in `{example}`")
    return translate(message, first=texts[0], last=texts[-1], example=example)


def explain_dice(game: Game) -> list[str]:
    """Return lines that explain the prompt for dice."""
    number = count_dice(game)
    instruction = describe_dice_input(game, number)
    return [dice_question(game, number), translate(ROLL_SEVERAL if number > 1 else ROLL_ONE, instruction=instruction)]


ROLL_ONE = N_("Roll them on the table, then {instruction}. `undo` takes the last throw back.")
ROLL_SEVERAL = N_(
    "Roll them on the table, then {instruction}, one at a time or several at once. `undo` takes the last throw back."
)


def enter_dice(session: Session, faces: Sequence[str], number: int) -> bool:
    """Answer one roll question for each typed face, and return True; if one is invalid, say so and return False."""
    game, say = session.game, session.screen.say
    options_by_face = {option.text: option for option in game.ask.options}
    invalid = [face for face in faces if face not in options_by_face]
    if invalid:
        instruction = describe_dice_input(game, number)
        message = N_("`{typed}` is on none of these dice: {instruction} (or help).")
        say(translate(message, typed=invalid[0], instruction=instruction))
        return False
    if len(faces) > number:
        message = TOO_MANY_FOR_ONE if number == 1 else TOO_MANY_DICE
        say(translate(message, typed=len(faces), number=number))
        return False
    rolled = _count_dice_in_throw(game, [options_by_face[face].key for face in faces])
    if rolled < len(faces):
        message = N_("After {numbers} no more of these dice are rolled: leave out the rest.")
        say(translate(message, numbers=" ".join(faces[:rolled])))
        return False
    for face in faces:
        game.answer(options_by_face[face].key)
    return True


TOO_MANY_FOR_ONE = N_("That is {typed} dice, and only {number} is rolled now.")
TOO_MANY_DICE = N_("That is {typed} dice, and only {number} are rolled now.")


def _count_dice_in_throw(game: Game, faces: Sequence[str]) -> int:
    """Return how many of the faces, entered in order, belong to the current throw, as some may end it early."""
    trial, throw = game.copy(), _current_throw(game)
    for number, face in enumerate(faces):
        if _current_throw(trial) != throw:
            return number
        trial.answer(face)
    return len(faces)
