"""A small variant with refusals, exceptions and hidden things, and questions why."""

from __future__ import annotations

from random import Random

from edict.apps.cli.playing import why
from edict.game.explanations.option_reasons import OptionExplainer, OptionReason
from edict.game.table.game import Game
from edict.game.table.rules import Rules
from helpers import compile_program, make_phase
from secrecy import NAMES, load_rules, open_session

HOUSE = """
kind tree "tree/trees"
  height number from 1 to 9
  works if tree is in owned of you
tree sapling "Sapling"
  height 1
tree oak "Oak"
  height 9
  adjust vigour by 2 if coin of you > 1
  exception to plant.tall-enough if coin of you = 3
    allow
tree yew "Yew"
  height 4
tree ash "Ash"
  height 5

keep owned of player as set of tree
keep hidden "hidden tree" of player as tree or none, secret
keep kept as number
quantity vigour "vigour" of player is coin of you + stick of you + 1
quantity height-hidden of player is height of hidden of player
quantity need "need" of tree is height of tree - 1, at least 1

action plant "Plant a tree"
  choose a tree as what where height of it > 1 and height of it < 9 or it is oak "Which tree?"
  rule fresh
    require what is not in owned of you
    because "you have that tree"
  rule tall-enough
    require every stuff has need of what <= it of you + 3
    because "it wants more stuff"
  rule unseen
    require what is not hidden of left of you
    because "somebody hides it"
  then
    add what to owned of you
    announce you, "plants", what
    gain vigour of you fame

exception late to plant.fresh if fame of you > 90
  require height of what = 9
"""
START = "gain 3 coin\ngain 2 stick\nset hidden of left of you to yew\nadd oak to owned of you"


def find_line(start: str) -> int:
    """Return the number of the variant's line that begins with these words."""
    return next(i for i, text in enumerate(HOUSE.splitlines(), 1) if text.strip().startswith(start))


def start_house(*lines: str) -> Game:
    """Start a game of the variant that waits at the question of these lines."""
    rules_of_house = Rules(compile_program(HOUSE + make_phase(START, *lines)), "trial")
    return rules_of_house.new_game(["Ann", "Ben"], seed=1)


def list_reasons(game: Game, name: str, seat: int | None = None) -> tuple[OptionReason, ...]:
    refusals = OptionExplainer(game, game.seat if seat is None else seat)
    option = next(x for x in refusals.candidates().options if name in (x.key, x.text))
    return refusals.reasons_for(option.value)


def list_failed_reasons(game: Game, name: str) -> list[OptionReason]:
    return [reason for reason in list_reasons(game, name) if reason.holds is False]


def ask_exactly(game: Game, about: str) -> str:
    """Return the answer to `why --exactly` in the terminal as plain lines."""
    return "\n".join(
        f"{answer_line.words} [{answer_line.place}]"
        for answer_line in why.answer_why(open_session(game, game.seat), f"--exactly {about}")
    )


def ask_why(game: Game, about: str) -> str:
    """Return the answer to `why` as players read it."""
    answer_lines = why.answer_why(open_session(game, game.seat), about)
    assert not any(answer_line.place for answer_line in answer_lines)
    return "\n".join(answer_line.words for answer_line in answer_lines)


def play_randomly(names: tuple[str, ...], seed: int, answers: int) -> Game:
    """Return a game after a number of random answers or at its end."""
    loaded = load_rules(*names)
    count = min(loaded.program.most_players, max(loaded.program.least_players, 2 + seed % 3))
    game, rng = loaded.new_game(NAMES[:count], seed=seed), Random(seed)
    for _ in range(answers):
        if game.over:
            break
        game.answer(rng.randrange(game.count))
    return game
