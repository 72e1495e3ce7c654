"""Asking why: a small variant whose rules refuse, except and hide, and the questions that are asked of it."""

from __future__ import annotations

from random import Random

from edict.apps.cli.playing import why
from edict.game.explanations.option_reasons import OptionExplainer, OptionReason
from edict.game.table.game import Game
from edict.game.table.rules import Rules
from helpers import program, steps
from secrecy import NAMES, rules, session

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


def line(words: str) -> int:
    """The line of the variant that begins so."""
    return next(i for i, one in enumerate(HOUSE.splitlines(), 1) if one.strip().startswith(words))


def house(*lines: str) -> Game:
    """The variant, standing where its lines ask."""
    made = Rules(program(HOUSE + steps(START, *lines)), "trial")
    return made.new_game(["Ann", "Ben"], seed=1)


def reasons_of(game: Game, name: str, seat: int | None = None) -> tuple[OptionReason, ...]:
    refusals = OptionExplainer(game, game.seat if seat is None else seat)
    option = next(x for x in refusals.candidates().options if name in (x.key, x.text))
    return refusals.reasons_for(option.value)


def failed(game: Game, name: str) -> list[OptionReason]:
    return [one for one in reasons_of(game, name) if one.holds is False]


def told(game: Game, about: str) -> str:
    """What `why --exactly` says at the keyboard, as plain lines."""
    return "\n".join(f"{one.words} [{one.place}]" for one in why.answer(session(game, game.seat), f"--exactly {about}"))


def read(game: Game, about: str) -> str:
    """What players read when they ask `why`."""
    said = why.answer(session(game, game.seat), about)
    assert not any(one.place for one in said)
    return "\n".join(one.words for one in said)


def played(names: tuple[str, ...], seed: int, answers: int) -> Game:
    """A game at random, so many answers on (or at its end)."""
    made = rules(*names)
    count = min(made.program.most_players, max(made.program.least_players, 2 + seed % 3))
    game, luck = made.new_game(NAMES[:count], seed=seed), Random(seed)
    for _ in range(answers):
        if game.over:
            break
        game.answer(luck.randrange(game.count))
    return game
