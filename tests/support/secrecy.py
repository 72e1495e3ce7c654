"""Worlds that look the same to a seat, and whether they are told apart."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from random import Random

import pytest

import edict
from edict.cli.playing import why
from edict.cli.playing.screen import Screen
from edict.cli.playing.session import Session
from edict.table.why_options import Why
from edict.table.game import Game
from edict.table.rules import Rules
from worlds import Worlds, worlds

NAMES = ["Ann", "Ben", "Cindy", "Dov"]

ALL = (
    "kingsburg", "governors", "destiny", "advisor-tiles", "alternate-rows", "soldier-tokens", "more-buildings",
)  # fmt: skip

PAIRS = 6

HANDS = """
kind leaf "leaf/leaves"
  size number from 1 to 5
  works if coin of you >= 0
leaf lime "Lime"
  size 1
leaf fern "Fern"
  size 2
leaf moss "Moss"
  size 3
  adjust burden by 1 if hand of left of you is moss
leaf reed "Reed"
  size 4

keep hand of player as leaf or none, secret
keep hoard "hoard" of player as set of leaf, secret
keep guessed "guess" of player as leaf or none, secret
keep pace as number from 0 to 9, quiet
keep step-by as number from 0 to 9, quiet
quantity weight "weight" of player is size of hand of you + coin of you
quantity burden "burden" of player is coin of you * 2
quantity stride "stride" is pace + step-by

action trade "Trade a leaf"
  choose a leaf as what where size of it <= size of hand of left of you or it is lime "Which leaf?"
  rule other
    require what is not hand of left of you
    because "it is there already"
  then
    gain 1 coin

routine ask-for with number called wanted
  choose one "How much?"
    option "Some" if coin of you < wanted + 3
      gain 1 coin
    option "More"
      gain 2 coin
    option "None"
      nothing

phase trial-run
  let deck = leaves
  each player
    draw a leaf from deck as dealt secretly
    remove dealt from deck
    set hand of you to dealt
  repeat 3 times
    each player
      if hand of left of you is moss
        set pace to 3
        do ask-for with 2
      else
        set pace to 3
        do ask-for with 5
      set step-by to 2
      choose a leaf as secret-guess secretly "Which leaf does the next one have?"
      set guessed of you to secret-guess
      may do trade
      if secret-guess is hand of left of you
        gain 2 stick
      else
        gain 2 stick
"""


@cache
def rules(*names: str) -> Rules:
    return edict.load(names[0], names[1:])


def session(game: Game, seat: int) -> Session:
    made = Session(game, Screen(game.players, simple=True), {})
    made.holder = seat
    return made


def asked(game: Game, seat: int, luck: Random, lines: int) -> list[str]:
    """All that can be asked about at a moment, of the many lines of the log and options that are no options a few."""
    measures = [measure.name for measure in game.program.reasons.measures if len(measure.kinds) < 3]
    measures = luck.sample(measures, min(len(measures), 8))
    some = [f"{name} {luck.choice(NAMES[: len(game.players)])}" for name in measures]
    scores = ["score", *(f"score {name}" for name in game.players)]
    log = [f"#{luck.randint(max(1, lines - 25), lines)}" for _ in range(4)] if lines else []
    options = [str(number) for number in range(1, min(game.count, 4) + 1)]
    others: list[str] = []
    if game.seat >= 0:
        texts = [option.text for option in Why(game, seat).candidates().options]
        others = [f"not {text}" for text in luck.sample(texts, min(len(texts), 5))]
    return ["", "last", *measures, *some, *scores, *log, *options, *others]


def told(game: Game, seat: int, about: str) -> Sequence[object]:
    return why.answer(session(game, seat), about)


def explained_alike(game: Game, other: Game, seat: int, luck: Random) -> None:
    for about in asked(game, seat, luck, len(session(game, seat).log_lines())):
        assert told(game, seat, about) == told(other, seat, about), (seat, about)


Compare = Callable[[Game, Game, int, Random], None]


def some_pairs(names: tuple[str, ...], compare: Compare) -> None:
    """Compare a few pairs of worlds in games under these rules."""
    found, often = 0, 1.0 if "kuhn" in names[0] else 0.2
    with worlds() as made:
        for seed in range(40):
            found += compared(made, rules(*names), seed, often, compare)
            if found >= PAIRS:
                return
    pytest.fail(f"only {found} pairs of worlds were found")


def compared(made: Worlds, laid: Rules, seed: int, often: float = 0.15, compare: Compare = explained_alike) -> int:
    """How many pairs of worlds were compared in one game; `often`: at which share of the questions."""
    luck, found = Random(seed), 0
    game = laid.new_game(NAMES[: min(2 + seed % 3, laid.program.most_players)], seed)
    while not game.over and found < PAIRS:
        if luck.random() < often:
            for seat in range(len(game.players)):
                other = made.other(game, seat, luck)
                if other is not None:
                    found += 1
                    compare(game, other, seat, luck)
        game.answer(luck.randrange(game.count))
    return found
