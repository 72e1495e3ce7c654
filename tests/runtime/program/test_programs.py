"""Programs as data: written and read back, found by what they mean, and how values lie in their cells."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest

from edict.runtime.program import DiceLayout, Program, Type, key_of
from edict.runtime.program import opcodes as o
from edict.runtime.program.beginning import first_state
from edict.runtime.program.cells import in_order, joined, ordered, parts_of, put, steady, value_at
from edict.runtime.program.option_keys import LONGEST, decline_key, keys_of
from edict.runtime.program.reading import from_json
from edict.runtime.program.same import Same, plays_alike
from helpers import program

RULES = """
kind card "card/cards"
  cost amounts, shown
  works if card is in held of you
  gift effect, optional
  in order of first-of-all
  first-of-all number
card ace "Ace"
  cost 1 coin
  first-of-all 1
  gift gain 1 coin
  when victory, once per trial-run
    gain 1 coin
card king "King"
  cost 2 stick
  first-of-all 2
keep held of player as set of card
keep hidden of player as number from 0 to 9, secret
keep hand of player as dice
setting careful is off
setting goal is 5 from 1 to 9
moment victory "Victory" with player called victor
quantity toll "toll" of player is 2 + coin of player
adjust toll by 1 if coin of you > 3
value richest is players with most coin of it
action climb
  choose a card as up
  choose dice from hand of you as paid making first-of-all of up including 1 cube "With which?"
  rule open
    require (toll of you > 3) or (can spend cost of up)
    because "it is closed"
  then
    remove paid from hand of you
exception always to climb.open if coin of you > 9
  allow
shift climb by +2 spending 1 coin, once per trial-run
routine visit with card
  do gift of card
exception shy to visit if coin of you > 8
  instead
    gain 1 stick
display all "All"
  line "Richest:", richest
  each player
  column "Coins" coin of player
phase trial-run "Trial"
  roll 1 cube into hand of you
  may do climb
  choose one "Well?"
    option "Take", coin of you, "coin/coins"
      gain 1 coin
    option "None" if coin of you > 0
      do visit with ace
  choose a number from 0 to 999 as n
  announce you, "chooses", n
  trigger victory with you
  announce you, "has", coin of you
"""
GAME = """
amend game trial
  course
    repeat 3 times
      play day
      play rest
phase day "Day"
  each player
    play trial-run
phase rest "Rest"
  each player
    gain 1 brick
    announce you, "fires", 1, "brick/bricks"
"""
"""Something of all that a program may hold."""


@pytest.fixture(scope="module")
def made() -> Program:
    found = program(RULES + GAME)
    return replace(found, reasons=replace(found.reasons, homes=(("page1.edict", "trial"),)))


def test_what_is_written_is_read_back(made: Program) -> None:
    empty = {one.name for one in fields(Program) if not getattr(made, one.name)}
    assert empty <= {"entry", "rules_hash", "meaning", "renamed", "judge", "certain", "score"}, "all else is tried"
    assert made.stages[0].within and all(any(getattr(one, part) for one in made.panels) for part in ("lines", "above"))
    assert [one.name for one in fields(made.reasons) if not getattr(made.reasons, one.name)] == []
    assert from_json(made.to_json()) == made
    for text in ("[]", made.to_json().replace(f'"format":{made.format}', '"format":1')):
        with pytest.raises(ValueError, match=f"format {made.format}"):
            from_json(text)


def test_conditions_say_what_they_ask_and_steps_where_they_stand(made: Program) -> None:
    checks, lines = made.reasons.checks, RULES.splitlines()
    assert all(check.query < 0 < len(check.parts) for check in checks if check.shape in ("all", "any"))
    values = {value.text: value.have for check in checks for value in check.values}
    assert {text for text, have in values.items() if have} == {"coin/coins", "stick/sticks", "brick/bricks"}
    assert len(values) > 6 and not any(check.secret for check in checks)
    assert {lines[cause.line - 1].partition(" by ")[0] for cause in made.causes if cause.pays} == {"shift climb"}
    assert {cause.name for cause in made.causes if cause.called} == {"ace", "king", "visit"}
    assert {"climb.open", "always"} < {cause.name for cause in made.causes if cause.asks}


def test_each_place_of_the_code_has_the_cause_that_begins_last_before_it(made: Program) -> None:
    first = 0
    for (at, cause), (end, _) in zip(made.places, (*made.places[1:], (len(made.code), 0)), strict=True):
        assert {made.cause_at(pc) for pc in (at, end - 1)} == {made.causes[cause]} and at >= first
        first = at


def test_rules_that_play_alike_mean_the_same_wherever_they_stand(made: Program) -> None:
    moved, other = program("# further down\n\n" + RULES + GAME), program(RULES.replace("+2", "+3") + GAME)
    known = made.with_meaning()
    assert known.meaning == moved.with_meaning().meaning != other.with_meaning().meaning
    bare, others = (replace(one, meaning="") for one in (made, other))
    assert key_of(known) == known.meaning and key_of(bare) == key_of(replace(bare, title="Another")) != key_of(others)
    assert plays_alike(made, moved) and not plays_alike(made, other)
    assert hash(made) == hash(replace(made)) and Same(made) == Same(made) != Same(replace(made))
    assert len({Same(made), Same(made), Same(replace(made))}) == 2


def test_a_game_begins_with_its_players_and_settings(made: Program) -> None:
    state, quiet = first_state(made, 3, {"goal": 7}), first_state(made, 2, {}, logging=False)
    cells = {one.name: one.cell for one in made.settings}
    assert [state[cells["goal"]], state[cells["careful"]], quiet[cells["goal"]]] == [7, 0, 5]
    assert [state[x] for x in (o.PLAYERS, o.EVERYONE, o.LOGGING)] == [3, 0b111, 1] and quiet[o.LOGGING] == 0
    assert state[o.PC] == made.entry and state[o.SP] == state[o.STACK] == made.stack < len(state)
    assert made.room >= 1000 and made.header == o.FIRST_OPTION + made.room
    held = made.variable_by_name["held"]
    assert made.header <= min(one.base for one in made.variables) and len(held.cells) == made.most_players
    assert set(made.kind_by_name) >= {"card", "player", "resource"}


# --- dice and values of several cells ----------------------------------------------------------------


def test_dice_lie_in_the_fields_of_their_cells() -> None:
    two = DiceLayout(4, (("own", "die", 6, 0), ("extra", "extra die", 8, 62)))
    assert two.fields == (*range(6), *range(62, 70)) and (two.cells, two.bits) == (2, 32)
    assert [two.place(field) for field in (0, 3, 62, 64)] == [0, 12, 62, 70]
    assert two.mask((1, 62)) == 0b1111_0000 | 0b1111 << 62
    none = DiceLayout(4, ())
    assert (none.fields, none.cells, none.bits) == ((), 1, 0)


ORDERS = [((), 1), ((2, 0, 1), 1), (tuple(range(15)), 1), ((), 20), ((0,), 20), ((7, 300, 0), 20)]
PARTS = [
    (Type("number"), 7, [7]),
    (Type("set", "card", cells=3), 1 << 70 | 5, [5, 1 << 8, 0]),
    (Type("order", "card", cells=3), 1 << 48 | 3 << 16 | 8, [7, 2, -1]),
]


def test_values_are_put_together_from_their_cells() -> None:
    for of, value, parts in PARTS:
        cells = [9, *[0] * len(parts), 9]
        put(of, cells, 1, value)
        assert cells == [9, *parts, 9] and parts_of(of, value) == parts and value_at(of, cells, 1) == value
        assert of.cells == 1 or joined(of, parts) == value
    for order, long in ORDERS:
        assert ordered(in_order(Type("order", "card", cells=long), order)) == order
    often = [Type("number"), Type("truth"), Type("thing", "card")]
    assert all(map(steady, often)) and not any(map(steady, (Type("set", "card"), Type("thing", "card", optional=True))))


# --- keys ---------------------------------------------------------------------------------------------

KEYS = {
    ("Take it!", "Take it", "Take it 2"): ("take-it", "take-it-3", "take-it-2"),
    ("", "?", "Option"): ("option", "option-2", "option-3"),
    (f"Gain {'many ' * 20}",): ("gain-" + "-".join(["many"] * 8),),
    ("x" * 60,): ("x" * LONGEST,),
    ("+2 token", "Gain 1 (or 2)", "-1"): ("plus-2-token", "gain-1-or-2", "minus-1"),
}


def test_options_have_keys_of_their_own() -> None:
    for texts, keys in KEYS.items():
        assert keys_of(texts) == keys
    declined = {"Go on": "go-on", "": "no", "7": "no", "!": "no", "7 times": "7-times"}
    assert [decline_key(text) for text in declined] == [*declined.values()]
