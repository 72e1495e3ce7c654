"""Programs as data, with JSON, meaning, and the encoding of values in cells."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest

from edict.runtime.program import DiceLayout, Program, ProgramKey, ValueType, create_state, plays_alike, program_key
from edict.runtime.program import opcodes as o
from edict.runtime.program.cell_values import (
    decode_order,
    encode_order,
    is_rarely_logged,
    join_cells,
    read_value,
    split_value,
    write_value,
)
from edict.runtime.program.option_keys import MAX_KEY_LENGTH, decline_key, option_keys
from edict.runtime.program.program_json import parse_program
from helpers import compile_program

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
# uses almost every feature that a program can contain
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


@pytest.fixture(scope="module")
def made() -> Program:
    found = compile_program(RULES + GAME)
    return replace(found, reasons=replace(found.reasons, homes=(("page1.edict", "trial"),)))


def test_program_survives_json(made: Program) -> None:
    empty = {one.name for one in fields(Program) if not getattr(made, one.name)}
    untried = {"entry", "rules_hash", "meaning", "renamed", "judge", "certain", "score", "announcements"}
    assert empty <= untried, "all else is tried"
    told = replace(made, announcements={"{player} fires": "{player} feuert"})
    assert parse_program(told.to_json()).announcements == told.announcements
    assert made.stages[0].within and all(any(getattr(one, part) for one in made.panels) for part in ("lines", "above"))
    assert [one.name for one in fields(made.reasons) if not getattr(made.reasons, one.name)] == []
    assert parse_program(made.to_json()) == made
    for text in ("[]", made.to_json().replace(f'"format":{made.format}', '"format":1')):
        with pytest.raises(ValueError, match=f"format {made.format}"):
            parse_program(text)


def test_conditions_have_texts_and_steps_have_places(made: Program) -> None:
    checks, lines = made.reasons.checks, RULES.splitlines()
    assert all(check.query < 0 < len(check.parts) for check in checks if check.shape in ("all", "any"))
    values = {value.text: value.have for check in checks for value in check.values}
    assert {text for text, have in values.items() if have} == {"coin/coins", "stick/sticks", "brick/bricks"}
    assert len(values) > 6 and not any(check.secret for check in checks)
    assert {lines[cause.line - 1].partition(" by ")[0] for cause in made.causes if cause.pays} == {"shift climb"}
    assert {cause.name for cause in made.causes if cause.called} == {"ace", "king", "visit"}
    assert {"climb.open", "always"} < {cause.name for cause in made.causes if cause.asks}


def test_place_has_the_last_cause_that_begins_before_it(made: Program) -> None:
    first = 0
    for (at, cause), (end, _) in zip(made.places, (*made.places[1:], (len(made.code), 0)), strict=True):
        assert {made.cause_at(pc) for pc in (at, end - 1)} == {made.causes[cause]} and at >= first
        first = at


def test_rules_that_play_alike_have_equal_meanings(made: Program) -> None:
    moved, other = (
        compile_program("# further down\n\n" + RULES + GAME),
        compile_program(RULES.replace("+2", "+3") + GAME),
    )
    known = made.with_meaning()
    assert known.meaning == moved.with_meaning().meaning != other.with_meaning().meaning
    bare, others = (replace(one, meaning="") for one in (made, other))
    assert program_key(known) == known.meaning and program_key(bare) == program_key(
        replace(bare, title="Another")
    ) != program_key(others)
    assert plays_alike(made, moved) and not plays_alike(made, other)
    assert hash(made) == hash(replace(made)) and ProgramKey(made) == ProgramKey(made) != ProgramKey(replace(made))
    assert len({ProgramKey(made), ProgramKey(made), ProgramKey(replace(made))}) == 2


def test_initial_state_has_players_and_settings(made: Program) -> None:
    state, quiet = create_state(made, 3, {"goal": 7}), create_state(made, 2, {}, logging=False)
    cells = {one.name: one.cell for one in made.settings}
    assert [state[cells["goal"]], state[cells["careful"]], quiet[cells["goal"]]] == [7, 0, 5]
    assert [state[x] for x in (o.PLAYERS, o.EVERYONE, o.LOGGING)] == [3, 0b111, 1] and quiet[o.LOGGING] == 0
    assert state[o.PC] == made.entry and state[o.SP] == state[o.STACK] == made.stack < len(state)
    assert made.max_options >= 1000 and made.header_size == o.FIRST_OPTION + made.max_options
    held = made.variable_by_name["held"]
    assert made.header_size <= min(one.base for one in made.variables) and len(held.cells) == made.most_players
    assert set(made.kind_by_name) >= {"card", "player", "resource"}


# --- dice and values of several cells ----------------------------------------------------------------


def test_dice_layout_places_fields_in_cells() -> None:
    two = DiceLayout(4, (("own", "die", 6, 0), ("extra", "extra die", 8, 62)))
    assert two.fields == (*range(6), *range(62, 70)) and (two.cells, two.bits) == (2, 32)
    assert [two.offset_of(field) for field in (0, 3, 62, 64)] == [0, 12, 62, 70]
    assert two.mask((1, 62)) == 0b1111_0000 | 0b1111 << 62
    none = DiceLayout(4, ())
    assert (none.fields, none.cells, none.bits) == ((), 1, 0)


ORDERS = [((), 1), ((2, 0, 1), 1), (tuple(range(15)), 1), ((), 20), ((0,), 20), ((7, 300, 0), 20)]
PARTS = [
    (ValueType("number"), 7, [7]),
    (ValueType("set", "card", cells=3), 1 << 70 | 5, [5, 1 << 8, 0]),
    (ValueType("order", "card", cells=3), 1 << 48 | 3 << 16 | 8, [7, 2, -1]),
]


def test_values_are_joined_from_cells(subtests: pytest.Subtests) -> None:
    for of, value, parts in PARTS:
        with subtests.test(of=of):
            cells = [9, *[0] * len(parts), 9]
            write_value(of, cells, 1, value)
            assert cells == [9, *parts, 9] and split_value(of, value) == parts and read_value(of, cells, 1) == value
            assert of.cells == 1 or join_cells(of, parts) == value
    for order, long in ORDERS:
        with subtests.test(order=order):
            assert decode_order(encode_order(ValueType("order", "card", cells=long), order)) == order
    often = [ValueType("number"), ValueType("truth"), ValueType("thing", "card")]
    assert all(map(is_rarely_logged, often)) and not any(
        map(is_rarely_logged, (ValueType("set", "card"), ValueType("thing", "card", optional=True)))
    )


# --- keys ---------------------------------------------------------------------------------------------

KEYS = {
    ("Take it!", "Take it", "Take it 2"): ("take-it", "take-it-3", "take-it-2"),
    ("", "?", "Option"): ("option", "option-2", "option-3"),
    (f"Gain {'many ' * 20}",): ("gain-" + "-".join(["many"] * 8),),
    ("x" * 60,): ("x" * MAX_KEY_LENGTH,),
    ("+2 token", "Gain 1 (or 2)", "-1"): ("plus-2-token", "gain-1-or-2", "minus-1"),
}


def test_option_keys_are_distinct(subtests: pytest.Subtests) -> None:
    for texts, keys in KEYS.items():
        with subtests.test(texts=texts):
            assert option_keys(texts) == keys
    declined = {"Go on": "go-on", "": "no", "7": "no", "!": "no", "7 times": "7-times"}
    assert [decline_key(text) for text in declined] == [*declined.values()]
