"""The round in which a game is played, and cards on the table that not everybody may see."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from calling import write

from edict.program.reading import from_json
from edict.table.game import Game
from edict.table.laid_cards import DOWN, EMPTY, UP, laid_cards
from edict.table.rounds import LATER, NOW, PAST, passing, stage_now
from edict.table.rules import load_rules
from edict.table.view import View

COURSES = {
    "repeat 3 times\n      play work\n      play flood": ["work", "flood"],  # what a loop plays
    "play work\n    repeat 3 times\n      play flood\n      do both": ["flood", "rest"],  # by way of a routine too
    "play year": ["work", "flood"],  # one phase is no round: what it plays is
    "repeat 3 times\n      play plain\n      play rest": ["work", "flood", "rest"],  # one without a title is not drawn
    "repeat 3 times\n      play work": [],
    "play work\n    play rest": ["work", "rest"],  # without a loop, all that is played
}
RULES = """
keep places "places" as order of player, quiet
resource coin "coin/coins"
game sample "Sample"
  players 2 to 4
  order places
  winners everyone with most coin of it
  score coin of you
  course
    shuffle places
    {course}

phase year "Year"
  play work
  play flood

phase plain
  play work
  play flood

phase work "Work"
  text "Everybody gains a coin."
    each player
      gain 1 coin

phase flood "Flood"
  each player
    lose 1 coin

phase rest "Rest"
  each player
    may gain 1 coin

routine both "rest"
  play rest
"""
MANIFEST = "name: sample\ntitle: Sample\nversion: 1.0.0\nkind: game\nlanguage: 1\n"


@pytest.mark.parametrize("course, stages", COURSES.items(), ids=str)
def test_the_round_is_what_the_course_plays_again_and_again(tmp_path: Path, course: str, stages: list[str]) -> None:
    write(tmp_path / "sample", {"module.yaml": MANIFEST, "rules.edict": RULES.format(course=course)})
    program = load_rules(str(tmp_path / "sample")).program
    assert [stage.name for stage in program.stages] == stages
    assert {stage.words for stage in program.stages if stage.name == "work"} <= {"Everybody gains a coin."}
    assert from_json(program.to_json()).stages == program.stages


def begun(game: str, players: int = 2) -> Game:
    return load_rules(game).new_game(["Ann", "Ben", "Cleo"][:players], seed=5)


def play(game: Game, answers: int, luck: Random) -> None:
    for _ in range(answers):
        game.answer(luck.choice(game.ask.options).key)


def test_the_stage_that_is_on_is_told_with_its_steps_and_no_other_one_is() -> None:
    game, luck = begun("kingsburg", 3), Random(1)
    seen = set[tuple[str, str]]()
    for _ in range(60):
        play(game, 1, luck)
        found = passing(game.program, game.state)
        when = [one.when for one in found]
        here, following = stage_now(found)
        if here:
            assert when == [PAST] * (here - 1) + [NOW] + [LATER] * (len(found) - here)
            assert following is (found[here] if here < len(found) else None)
            now = found[here - 1]
            seen |= {(now.stage.name, step.stage.name) for step in now.within if step.when == NOW}
        assert not any(step.when == NOW for one in found if one.when != NOW for step in one.within)
    assert {("spring", "influencing"), ("summer", "influencing")} <= seen


def test_a_card_is_down_for_those_who_may_not_know_it_and_up_for_who_has_looked() -> None:
    game, luck = begun("high-water", 3), Random(3)
    states = set[tuple[str, ...]]()
    for _ in range(20):
        if game.over:
            break
        everybody = View(game, len(game.players))
        views = [*map(game.view, range(3)), everybody]
        wave = [next(card for card in laid_cards(view, everybody) if card.name == "wave") for view in views]
        states.add(tuple(card.state for card in wave))
        for card, view in zip(wave, views, strict=True):
            known = view.value("wave")
            assert card.state == (DOWN if known is None else UP if known >= 0 else EMPTY)
            assert card.secret == (card.state == UP and wave[-1].state != UP)
            assert (card.thing is None) == (card.state != UP)
        play(game, 1, luck)
    assert (DOWN,) * 4 in states and any(UP in one and DOWN in one for one in states)


def test_a_pile_says_how_many_cards_it_has_only_where_everybody_may_count_it() -> None:
    game = begun("foxes-at-court")
    piles = {card.name: card for card in laid_cards(game.view(0), View(game, 2))}
    assert piles["deck"].pile and piles["deck"].state == DOWN and piles["deck"].thing is None
    assert not list(laid_cards(begun("pig").view(0), View(begun("pig"), 2)))
