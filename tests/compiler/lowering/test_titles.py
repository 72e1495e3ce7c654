"""Tests of displayed texts, with titles of options with values, titles of fields, and conditions."""

from __future__ import annotations

from edict.compiler.english import describe, describe_block
from edict.game.scenes.scene_recorder import record_scene
from edict.game.table.game import Game
from edict.game.table.rules import Rules
from edict.runtime.program import Program
from edict.runtime.program.program_json import parse_program
from helpers import codes_and_texts, compile_program, link_texts, make_phase
from table_kit import PAIR

RULES = """
keep pot as number starting at 3
keep hidden of player as number, secret
"""
CHOICE = """
gain 1 coin
set hidden of you to 7
set hidden of left of you to 8
let guess = hidden of left of you
let both = pot + coin of you
choose one "What now?"
  option "Take the", both, "coin/coins"
    gain pot coin
  option "Leave", coin of you, "coin/coins", "to", left of you if pot > 0
    set pot to 1
  option "Look at", hidden of you, "and", hidden of left of you
    nothing
  option "Add", 1 + 1, "stick/sticks"
    gain 2 stick
  option "Guess", guess
    nothing
  option "Pass"
    nothing
"""


def start_game(rules: Program) -> Game:
    return Rules(rules, "trial").new_game(PAIR, seed=1)


def offered_titles(rules: Program) -> list[str]:
    return [option.text for option in start_game(rules).ask.options]


def test_option_titles_show_values_also_from_a_cached_program() -> None:
    found = compile_program(RULES + make_phase(CHOICE))
    assert (
        offered_titles(parse_program(found.to_json()))
        == offered_titles(found)
        == [
            "Take the 4 coins",
            f"Leave 1 coin to {PAIR[1]}",
            "Look at 7 and …",
            "Add 2 sticks",
            "Guess …",
            "Pass",
        ]
    )


def test_titles_without_values_are_stored_as_labels_only() -> None:
    plain = 'choose one\n  gain 1 coin\n  option "Twice"\n    gain 2 coin'
    program = compile_program(RULES + make_phase(plain, "gain 1 coin", CHOICE))
    assert [bool(question.titles) for question in program.questions] == [False, True]


def test_recorded_names_do_not_depend_on_values() -> None:
    played = start_game(compile_program(RULES + make_phase(CHOICE)))
    assert played.ask.keys[0] == "take-the-coins"
    played.answer("take-the-coins")
    assert any("Take the … coins" in str(entry) for entry in played.log)
    page = record_scene(played, 1, 1, "Taken").to_page({})
    assert "take-the-coins" in page and "…" not in page


def test_values_in_titles_are_elided_in_descriptions() -> None:
    rules = link_texts(RULES + make_phase(CHOICE)).resolved
    block = rules.require_definition("trial-run").block
    assert "“Take the … coins”: gain coins equal to the pot" in describe_block(rules, block)


def test_values_in_titles_are_resolved() -> None:
    wrong = CHOICE.replace("both, ", "bot, ")
    assert [code for code, _ in codes_and_texts(RULES + make_phase(wrong))][:1] == ["E0201"]


def test_untitled_option_shows_values_instead_of_local_names() -> None:
    lines = ["let missing = pot - 2", "choose one", "  gain missing brick", "  gain missing + 2 coin"]
    assert offered_titles(compile_program(RULES + make_phase("gain 1 coin", *lines, "  lose pot coin"))) == [
        "Gain 1 brick",
        "Gain coins equal to 1 plus 2",
        "Lose coins equal to the pot",
    ]


LANES = """
kind lane "lane/lanes"
  partner lane or none
  length number from 1 to 9 "mile/miles", shown
  rank number from 1 to 9 "rank", shown
  steep "steep" is rank of lane < 2, shown
  near is lanes where rank of it < 3, shown
  other is partner of lane, shown
  double "step/steps" is length of lane * 2 - 1, shown
lane high "High Lane"
  length 3
  rank 1
  partner low
lane low "Low Lane"
  length 1
  rank 2
  partner none
"""


def test_field_titles_precede_values_except_counts() -> None:
    (lanes,) = (kind for kind in compile_program(LANES).kinds if kind.name == "lane")
    assert [one.caption for one in lanes.things] == [
        "3 miles, rank 1, steep yes, High Lane and Low Lane, Low Lane, 5 steps",
        "1 mile, rank 2, steep no, High Lane and Low Lane, 1 step",
    ]


CONDITIONS = {
    "coin of you >= 2": "you have at least 2 coins",
    "coin of you = 1": "you have exactly 1 coin",
    "coin of you = 0": "you have no coins",
    "coin of you >= 1": "you have coins",
    "coin of you != 1": "your coins are not 1",
    "some everyone - you has coin of it > 1": "some other player has more than 1 coin",
    "every everyone has coin of it > 1": "every player has more than 1 coin",
}


def test_conditions_are_described_in_english() -> None:
    resolved = link_texts(make_phase(*(f"if {condition}\n  gain 1 coin" for condition in CONDITIONS))).resolved
    found = [describe(resolved, step.condition) for step in resolved.require_definition("trial-run").block]
    assert found == [*CONDITIONS.values()]
