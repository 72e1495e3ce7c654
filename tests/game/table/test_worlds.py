"""Secrecy across worlds: a seat sees and is told the same in every world that looks the same to it.

A world is another course of a game that differs only in things hidden from that seat (`worlds`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from random import Random

import pytest

from edict.apps.cli.playing import why
from edict.game.explanations.glossary import load_glossary
from edict.game.explanations.option_reasons import OptionExplainer
from edict.game.explanations.view_model import build_view_data
from edict.game.table.game import Game
from edict.game.table.rules import Rules
from edict.game.table.undo import describe_revelation
from helpers import compile_program
from secrecy import ALL, NAMES, compare_worlds, load_rules, open_session
from worlds import worlds

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
HIDING = ("enemy", "governor", "deal", "soldier token", "strips to use", "prospects", "threat")
LINES = 25  # of the log, the last ones


def iter_revealed_data(
    game: Game, seat: int, titles: Sequence[str], questions: Sequence[str]
) -> Iterator[tuple[str, object]]:
    """Iterate over everything that a seat gets to know, by its source.

    The data of a view includes prices and previews.
    """
    yield "data of the view", json.dumps(asdict(build_view_data(game, seat, max(0, len(game.log) - LINES))))
    yield "the state to think in", game.view(seat).thinking_state
    step = game.last_step
    if step.before is not None and step.seat == seat:
        yield "whether the answer can be taken back", describe_revelation(game.table, step, seat)
    glossary = load_glossary(game.table)
    if glossary is not None:
        yield from ((title, glossary.look_up(title, game.view(seat))) for title in titles)
    for question in questions:
        yield f"why {question}", why.answer_why(open_session(game, seat), question)


def ask_why(game: Game, seat: int, luck: Random) -> list[str]:
    """Return answers to `why` at a moment; of impossible options and of the lines, only a few."""
    measures = [measure.name for measure in game.program.reasons.measures if len(measure.kinds) < 3]
    measures = luck.sample(measures, min(len(measures), 4))
    some = [f"{name} {luck.choice(NAMES[: len(game.players)])}" for name in measures]
    lines = len(open_session(game, seat).log_lines())
    log = [f"#{luck.randint(max(1, lines - LINES), lines)}" for _ in range(4)] if lines else []
    texts = [option.text for option in OptionExplainer(game, seat).candidates().options]
    others = [f"not {text}" for text in luck.sample(texts, min(len(texts), 5))]
    return ["", "last", "score", f"score {game.players[-1]}", "1", "2", *measures, *some, *log, *others]


def assert_look_the_same(game: Game, other: Game, seat: int, luck: Random) -> None:
    glossary = load_glossary(game.table)
    titles = [luck.choice(HIDING), luck.choice(glossary.titles())] if glossary is not None else []
    questions = ask_why(game, seat, luck)
    here, there = (iter_revealed_data(one, seat, titles, questions) for one in (game, other))
    for (what, mine), (_, others) in zip(here, there, strict=True):
        assert mine == others, what


def test_hidden_hands_and_values_derived_from_them_are_not_revealed() -> None:
    """Branches, names, prices and quantities that depend on another's hand without a visible effect."""
    laid = Rules(compile_program(HANDS), "trial")
    with worlds() as made:
        assert sum(compare_worlds(made, laid, seed, 0.4, assert_look_the_same) for seed in range(8)) > 18


@pytest.mark.parametrize(
    "names", [("kuhn-poker",), ("four-lanes",), ("kingsburg", "goblin-valley"), ("foxes-at-court",), ALL], ids="-".join
)
@pytest.mark.sample(2)
def test_shipped_games_reveal_no_secrets(names: tuple[str, ...]) -> None:
    found, often = 0, 1.0 if names[0] == "kuhn-poker" else 0.15
    with worlds() as made:
        for seed in range(30):
            found += compare_worlds(made, load_rules(*names), seed, often, assert_look_the_same)
            if found >= 4:
                return
    pytest.fail(f"only {found} pairs of worlds were found")
