"""Panels: their order and conditions; cards; the stages of the round."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from calling import make_manifest, write_files
from edict.game.explanations.board_state import (
    DOWN,
    EMPTY,
    LATER,
    NOW,
    PAST,
    UP,
    find_current_stage,
    iter_laid_cards,
    stage_progress,
)
from edict.game.explanations.view_model import build_view_data
from edict.game.table.game import Game
from edict.game.table.panels import SubstituteFinder
from edict.game.table.rules import Rules, load_rules
from edict.game.table.view import View
from helpers import compile_program, make_phase

# --- secrets of which everybody sees how many they hold ---------------------------------------------------

HELD = """
kind card "card/cards"
card ace "Ace"
card king "King"
card queen "Queen"
card jack "Jack"
keep hand of player as set of card, secret but counted
keep deck as set of card starting at cards, secret but counted
keep purse of player as set of card, secret

display seats "Players"
  each player
  column "Hand" hand of player
  column "Purse" purse of player

display piles "Piles"
  line "Deck:", deck

phase trial-run
  draw 2 cards from deck into hand of you
  draw a card from deck into purse of you
  choose a number from 1 to 3 as stop-here
"""


def start_game_from(text: str) -> Game:
    return Rules(compile_program(text), "trial").new_game(["Ann", "Ben"], seed=1)


def panel_rows(game: Game, panel: str, seat: int = 0) -> list[tuple[str, tuple[str, ...]]]:
    found = next(one for one in game.view(seat).panels() if one.name == panel)
    return [(row.title, row.cells) for row in found.rows]


def test_others_see_the_number_of_hidden_things_if_it_is_public() -> None:
    game = start_game_from(HELD)
    own, others = panel_rows(game, "seats", 0), panel_rows(game, "seats", 1)
    assert " and " in own[0][1][0] and others[0][1] == ("2 cards", "?")
    assert own[1][1] == others[1][1] == ("none", "none")
    assert panel_rows(game, "piles", 1) == [("", ("Deck: 1 card",))]
    (hand,), (purse,) = next(one for one in build_view_data(game, 1).panels if one.name == "seats").rows[0].pieces
    assert hand.value == {"hidden": True, "count": 2} and purse.value == {"hidden": True}, "programs are told too"


# --- over what is counted: the resources of a group, and bags -------------------------------------------

COUNTED = """
resource ruby "ruby/rubies" limited to 7
resource opal "opal/opals" limited to 4
resource jade "jade/jades"
group jewel "jewel/jewels" is ruby, opal
keep price of jewel as number from 0 to 9 starting at 3

kind tile "tile/tiles"
tile red "Red"
tile blue "Blue"
tile gold "Gold"
keep sack as bag of tile starting at 2 of each tile
keep pouch of player as bag of tile, secret

display mine "Mine"
  each jewel
  column "Left" jewel left
  column "Price" price of jewel

display dear "Dear"
  each jewel if jewel left > 4
  column "Left" jewel left

display bags "Bags"
  line "Sack:", sack

display seats "Players"
  each player
  column "Pouch" pouch of player
  column "Tiles" count of pouch of player

phase trial-run
  gain 3 ruby
  each player
    add red to pouch of you
    add (red, gold) to pouch of you
    set pouch of you to pouch of you
  announce you, "sees", sack
  remove 2 of each tile from sack
  add 2 of each tile to sack
  choose a number from 1 to 3 as stop-here
"""


def test_panel_lists_resources_of_a_group_and_counts_of_a_bag() -> None:
    game = start_game_from(COUNTED)
    assert panel_rows(game, "mine") == [("ruby", ("4", "3")), ("opal", ("4", "3"))]
    assert panel_rows(game, "dear") == [], "none of them is so"
    assert panel_rows(game, "bags") == [("", ("Sack: 2× Red, 2× Blue and 2× Gold",))]
    assert any(entry.text == "Ann sees 2× Red, 2× Blue and 2× Gold" for entry in game.view(0).log)
    assert panel_rows(game, "seats", 1) == [("Ann", ("?", "?")), ("Ben", ("2× Red and Gold", "3"))], "to its owner only"


# --- while a condition holds ----------------------------------------------------------------------------

CONDITIONS = """
keep day as number from 0 to 9
keep score-of of player as number from 0 to 9
keep trump of player as number from 0 to 9, secret

display status "Status"
  line "Always"
  line "Day", day if day > 0
  line "Trump", day if trump of first of everyone > 0

display seats "Seats"
  line "Before the first day" if day = 0
  each player
  column "Score" score-of of player if score-of of player > 0
  column "Trump" "high" if trump of player > 5

phase trial-run
  if you is first of everyone
    set trump of you to 8
  choose a number from 1 to 3 as pause
  set day to pause
  add 2 to score-of of you
  choose a number from 1 to 3 as stop-here
"""


def test_line_and_cell_are_shown_while_their_condition_holds_and_is_known() -> None:
    game = start_game_from(CONDITIONS)
    assert panel_rows(game, "status") == [("", ("Always",)), ("", ("Trump 0",))] and lines_above(game) == (
        "Before the first day",
    )
    assert panel_rows(game, "status", 1) == [("", ("Always",))]
    assert [cells for _, cells in panel_rows(game, "seats", 0)] == [("", "high"), ("", "")]
    assert [cells for _, cells in panel_rows(game, "seats", 1)] == [("", ""), ("", "")]
    game.answer(game.ask.options[1])
    assert ("", ("Day 2",)) in panel_rows(game, "status") and lines_above(game) == ()
    assert sorted(cells[0] for _, cells in panel_rows(game, "seats")) == ["", "2"]


def lines_above(game: Game) -> tuple[str, ...]:
    return next(one for one in game.view(0).panels() if one.name == "seats").above


# --- as things stand in a set or an order ---------------------------------------------------------------

HOUSES = """
kind house "house"
house mill "Mill"
house yard "Yard"
house hall "Hall"
keep street as order of house
keep built as set of house

display street-view "The street"
  each house in street
  column "Place" position of house in street

display sold "Sold"
  each house in built if house is not hall
  column "Place" position of house in street

phase trial-run
"""
ROWS = ("add hall to street", "add mill to street", "add (hall, yard) to built")


def test_rows_follow_an_order_or_for_sets_the_kind() -> None:
    text = HOUSES.partition("phase trial-run")[0] + make_phase(*ROWS, "choose a number from 1 to 3 as stop-here")
    game = start_game_from(text)
    assert panel_rows(game, "street-view") == [("Hall", ("1",)), ("Mill", ("2",))]
    assert panel_rows(game, "sold") == [("Yard", ("0",))]


# --- cards that lie there -----------------------------------------------------------------------------


def start_game(game: str, players: int = 2) -> Game:
    return load_rules(game).new_game(["Ann", "Ben", "Cleo"][:players], seed=5)


def play_answers(game: Game, answers: int, luck: Random) -> None:
    for _ in range(answers):
        game.answer(luck.choice(game.ask.options).key)


def test_card_is_face_up_only_for_those_who_know_it() -> None:
    game, luck = start_game("high-water", 3), Random(3)
    states = set[tuple[str, ...]]()
    for _ in range(20):
        if game.over:
            break
        everybody = View(game, len(game.players))
        views = [*map(game.view, range(3)), everybody]
        wave = [next(card for card in iter_laid_cards(view, everybody) if card.name == "wave") for view in views]
        states.add(tuple(card.state for card in wave))
        for card, view in zip(wave, views, strict=True):
            known = view.value("wave")
            assert card.state == (DOWN if known is None else UP if known >= 0 else EMPTY)
            assert card.secret == (card.state == UP and wave[-1].state != UP)
            assert (card.thing is None) == (card.state != UP)
        play_answers(game, 1, luck)
    assert (DOWN,) * 4 in states and any(UP in one and DOWN in one for one in states)


def test_pile_shows_its_size_only_if_it_is_public() -> None:
    game = start_game("foxes-at-court")
    piles = {card.name: card for card in iter_laid_cards(game.view(0), View(game, 2))}
    assert piles["deck"].pile and piles["deck"].state == DOWN and piles["deck"].thing is None
    assert not list(iter_laid_cards(start_game("pig").view(0), View(start_game("pig"), 2)))


# --- the round ------------------------------------------------------------------------------------------

COURSES = {
    "repeat 3 times\n      play work\n      play flood": ["work", "flood"],  # what a loop plays
    "play work\n    repeat 3 times\n      play flood\n      do both": ["flood", "rest"],  # by way of a routine too
    "play year": ["work", "flood"],  # one phase is no round: what it plays is
    "repeat 3 times\n      play plain\n      play rest": ["work", "flood", "rest"],  # one without a title is not drawn
    "repeat 3 times\n      play work": [],
    "play work\n    play rest": ["work", "rest"],  # without a loop, all that is played
}
ROUND = """
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


@pytest.mark.parametrize("course, stages", COURSES.items(), ids=str)
def test_round_is_the_repeated_part_of_the_course(tmp_path: Path, course: str, stages: list[str]) -> None:
    write_files(
        tmp_path / "sample",
        {"module.yaml": make_manifest("sample", "game"), "rules.edict": ROUND.format(course=course)},
    )
    program = load_rules(str(tmp_path / "sample")).program
    assert [stage.name for stage in program.stages] == stages
    assert {stage.words for stage in program.stages if stage.name == "work"} <= {"Everybody gains a coin."}


def test_current_stage_and_its_steps_are_marked_as_now() -> None:
    game, luck = start_game("kingsburg", 3), Random(1)
    seen = set[tuple[str, str]]()
    for _ in range(60):
        play_answers(game, 1, luck)
        found = stage_progress(game.program, game.state)
        when = [one.when for one in found]
        here, following = find_current_stage(found)
        if here:
            assert when == [PAST] * (here - 1) + [NOW] + [LATER] * (len(found) - here)
            assert following is (found[here] if here < len(found) else None)
            now = found[here - 1]
            seen |= {(now.stage.name, step.stage.name) for step in now.within if step.when == NOW}
        assert not any(step.when == NOW for one in found if one.when != NOW for step in one.within)
    assert {("spring", "influencing"), ("summer", "influencing")} <= seen


def test_hexagon_rows_are_shifted_by_their_distance_from_the_first_row_shown() -> None:
    marsh = """
kind row "row/rows"
  place number from 1 to 5
  in order of place
table of row with place
  a "a"  1
  b "b"  2
  c "c"  3
  d "d"  4
  e "e"  5
kind field "field/fields"
  row row
  file number from 1 to 2
  beside is fields next to field on a hexagonal grid of row and file
field for each row and file "{row}{file}"
keep dry as set of row
display marsh "The marsh"
  each field if row of field is in dry
  rows row of field
  columns file of field
phase trial-run
  add (b, c, e) to dry
  choose a number from 1 to count of (beside of b-1) as stop-here
"""
    grids = next(panel.grids for panel in start_game_from(marsh).view(0).panels())
    assert [(grid.rows, grid.shifts) for grid in grids] == [(("b", "c", "e"), (0, 1, 3))] * 2


# --- effects that other rules replace -------------------------------------------------------------------

REPLACED = """
kind perk "perk/perks"
  deed effect
perk coins "Coins"
  deed
    gain 1 coin
perk glory "Glory"
  deed
    gain 2 fame
perk bricks "Bricks"
  deed
    gain 3 brick
keep swapped of player as truth{secret}
routine use "use it" with perk
  do deed of perk
exception other-way "Otherwise" to use if swapped of you
  instead
{instead}
phase trial-run
  set swapped of you to yes
  choose a perk as chosen "Which?"
  do use with chosen
"""
PRINTED, GLORY = ["Gain 1 coin.", "Gain 2 fame.", "Gain 3 bricks."], ["Gain 2 fame."] * 3
ANN, BEN, SPECTATOR = range(3)
OFFER = """\
    may "Really?"
      gain 1 fame
"""
OFFER_TO_ALL = """\
    each player
      may "Really?"
        gain 1 fame
"""
FORK = """\
    choose one "Which way?"
      option "This"
        do deed of glory
      option "That"
        do deed of bricks
"""
DO_GLORY = "    do deed of glory\n"
SHOWN_EFFECTS = {
    "another thing's": (DO_GLORY, GLORY),
    "the first option's": (FORK, GLORY),
    "after four offers": (4 * OFFER + DO_GLORY, GLORY),
    "after five offers": (5 * OFFER + DO_GLORY, PRINTED),
    "after an offer to others": (OFFER_TO_ALL + DO_GLORY, PRINTED),
}


@pytest.mark.parametrize(("instead", "shown"), SHOWN_EFFECTS.values(), ids=SHOWN_EFFECTS)
def test_things_show_the_effect_that_is_reached_first_by_accepting_own_offers(instead: str, shown: list[str]) -> None:
    game = start_game_from(REPLACED.format(secret=", secret", instead=instead))
    assert list_effects(game, ANN) == shown
    assert list_effects(game, BEN) == PRINTED
    assert list_effects(game, SPECTATOR) == PRINTED, "whether Ann swaps is hidden"


def test_thing_is_no_substitute_for_itself() -> None:
    game = start_game_from(REPLACED.format(secret="", instead=DO_GLORY))
    finder = SubstituteFinder(game.program, game.view(ANN).known_state(), ANN)
    found = [finder.find_substitute("perk", index) for index in range(3)]
    assert [one and one.thing.name for one in found] == ["glory", None, "glory"]


def test_spectator_sees_the_effects_that_the_first_player_would() -> None:
    game = start_game_from(REPLACED.format(secret="", instead=DO_GLORY))
    assert [list_effects(game, seat) for seat in (ANN, BEN, SPECTATOR)] == [GLORY, PRINTED, GLORY]


def list_effects(game: Game, seat: int) -> list[str]:
    return [View(game, seat).does("perk", index) for index in range(3)]
