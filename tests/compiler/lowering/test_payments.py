"""Tests of prices, jokers, transfers between players and limited resources."""

from __future__ import annotations

import pytest

from edict.compiler.syntax.printing.canonical import format_source
from edict.runtime.program.opcodes import EV_SAY
from edict.support.text import Source
from helpers import codes_and_texts, list_errors, make_phase, run_cases, run_steps

TREES = """
kind tree
  cost amounts
tree oak
  cost 1 stick, 2 brick
"""


PAID: list[tuple[str, tuple[int, int, int]]] = [
    ("gain 4 coin\nspend 4 coin\n  gain 1 fame\nelse\n  lose 2 fame", (0, 0, 1)),
    ("gain 3 coin\nspend 4 coin\n  gain 1 fame\nelse\n  lose 2 fame", (3, 0, -2)),
    ("spend 4 coin\nelse\n  lose 2 fame", (0, 0, -2)),  # nothing need stand below the price
    ("spend cost of oak\n  gain 1 fame\nelse\n  gain 5 fame", (0, 0, 5)),
    ("gain 1 stick and 2 brick\nspend cost of oak\n  gain 1 fame\nelse\n  gain 5 fame", (0, 0, 1)),
    # what was paid is paid even if nothing comes of it
    ("gain 1 coin\nspend 1 coin\n  choose a tree from grove as one\nelse\n  gain 1 fame", (0, 0, 0)),
]


def test_spend_runs_its_block_or_the_else_block(subtests: pytest.Subtests) -> None:
    for run, lines, left in run_cases(PAID, TREES + "keep grove as set of tree\n"):
        with subtests.test(lines=lines):
            assert tuple(run.get_value(name, 0) for name in ("coin", "brick", "fame")) == left


def test_spent_resource_has_no_name_in_the_else_block() -> None:
    lines = "spend 1 stuff as paid\n  gain 1 paid\nelse\n  gain 1 paid"
    assert [one.code for one in list_errors(make_phase(lines))] == ["E0201"]


FIELDS = [
    ("gain cost of oak", 4, 5, 3),
    ("gain cost of oak and 1 coin", 4, 5, 4),
    ("gain 1 coin, 1 brick and cost of oak", 4, 6, 4),
    ("lose cost of oak and 1 stick", 2 - 1, 1, 3),
    ("spend cost of oak and 1 coin", 2, 1, 2),
    ("spend 9 coin or cost of oak", 2, 1, 3),
    ("give cost of oak and 1 coin to left of you", 2, 1, 2),
    ("give wanted to left of you", 2, 2, 3),
    ("spend cost of oak, 1 stick and 9 coin", 3, 3, 3),
]


def test_amount_can_come_from_a_field(subtests: pytest.Subtests) -> None:
    rules = TREES + "keep wanted of stuff as number starting at 1\n"
    for run, step, *left in run_cases(FIELDS, rules, "gain 3 stick, 3 brick and 3 coin"):
        with subtests.test(step=step):
            assert [run.get_value(name, 0) for name in ("stick", "brick", "coin")] == left


def test_invalid_amounts_are_errors(subtests: pytest.Subtests) -> None:
    for step in ("give coin to left of you", "spend coin", "if can spend coin\n  nothing"):
        with subtests.test(step=step):
            (found,) = list_errors(make_phase(*step.split("\n")))
            assert (found.code, found.title) == ("E0197", "the amount is missing")
            assert found.help == "write a number before it: `1 coin`"
    (other,) = list_errors(
        make_phase("lose height of oak and 1 coin"), "kind tree\n  height number\ntree oak\n  height 1\n"
    )
    assert other.code == "E0197"
    assert list_errors(make_phase("gain all stick"))


def test_amounts_print_canonically() -> None:
    text = make_phase(
        "gain cost of oak, 1 coin and 2 brick",
        "lose cost of oak and 1 coin",
        "spend 1 coin or cost of oak",
        "spend all stick and all brick or 1 coin",
        "  lose all fame",
        "give all stuff to left of you",
    )
    assert format_source(Source("page.edict", text)).unwrap().strip() == text.strip()


# --- jokers --------------------------------------------------------------------------------------

JOKER = """
kind house
  cost amounts
table of house with cost
  hut    1 stick
  manor  2 stick and 3 brick
  tower  1 brick and 1 coin
"""


MISSING: list[tuple[str, tuple[int, int, int], tuple[int, int, int]]] = [
    ("hut", (1, 0, 5), (0, 0, 5)),
    ("hut", (0, 0, 5), (0, 0, 4)),
    ("manor", (1, 1, 3), (0, 0, 0)),
    ("manor", (2, 3, 0), (0, 0, 0)),
    ("manor", (1, 1, 2), (1, 1, 2)),
    ("tower", (4, 0, 2), (4, 0, 0)),
    ("tower", (4, 0, 1), (4, 0, 1)),
    ("tower", (0, 2, 1), (0, 1, 0)),
]


def test_joker_pays_for_missing_resources(subtests: pytest.Subtests) -> None:
    pay = "\nspend cost of {} with coin for what is missing\n  gain 1 fame\nelse\n  lose 1 fame"
    gain = "gain {} stick, {} brick and {} coin"
    cases = [(gain.format(*have) + pay.format(house), have, left) for house, have, left in MISSING]
    for run, lines, have, left in run_cases(cases, JOKER):
        with subtests.test(lines=lines):
            assert tuple(run.get_value(what, 0) for what in ("stick", "brick", "coin")) == left
            assert run.get_value("fame", 0) == (-1 if have == left else 1)


def test_price_can_be_declined() -> None:
    run = run_steps("gain 2 stick", 'may spend cost of hut else "Keep it"\n  gain 1 fame', rules=JOKER)
    assert run.question.labels == ("The cost of hut",) and run.options[-1] == "-"
    assert run.answer("The cost").get_value("fame", 0) == 1
    assert run_steps("may spend cost of hut\n  gain 1 fame", rules=JOKER).is_over


# --- whether one could, and what changes hands ---------------------------------------------------------


ABLE = [
    ("1 stick and 2 brick", "can spend cost of oak", True),
    ("1 stick and 1 brick", "can spend cost of oak", False),
    ("1 stick and 1 coin", "can spend cost of oak with coin for what is missing", False),
    ("2 coin and 1 brick", "can spend cost of oak with coin for what is missing", True),
    ("2 brick", "not (can spend cost of oak) and (can spend 2 brick)", True),
    ("2 brick", "can spend 1 coin or 2 brick", True),
    ("2 brick", "can spend 1 stick and 2 brick or 3 stuff", False),
    ("1 stick and 2 brick", "can spend 3 stuff", True),
    ("1 stick and 2 brick", "can spend 1 of each stuff", True),
    ("3 stick", "can spend 1 of each stuff", False),
    ("3 stick and 2 brick", "can spend all coin", False),
    ("3 stick and 2 brick", "can spend all brick", True),
]


def test_can_spend_condition(subtests: pytest.Subtests) -> None:
    cases = [(f"gain {have}\nif {asked}\n  gain 7 fame", can) for have, asked, can in ABLE]
    for run, lines, can in run_cases(cases, TREES):
        with subtests.test(lines=lines):
            assert run.get_value("fame", 0) == 7 * can
            assert run.get_value("brick", 0) == (
                2 if "2 brick" in lines.split("\n")[0] else "brick" in lines.split("\n")[0]
            )


def test_only_payable_options_are_offered() -> None:
    rules = TREES + "tree elm\n  cost 3 stick\ntree yew\n  cost 4 stick\naction fell\n  choose a tree as what\n"
    rules += "  rule rich\n    require can spend cost of what\n  then\n    spend cost of what\n      gain 1 fame\n"
    run = run_steps("gain 3 stick and 2 brick", "do fell", rules=rules)
    assert run.options == ["oak", "elm"]
    assert run.answer("elm").get_value("stick", 0) == 0


BARTER = TREES + "keep offered of stuff as number\nquantity toll of tree for stuff is cost of tree in stuff + 1\n"
BARTER += "quantity fee of tree in stuff for player called payer is cost of tree in stuff + coin of payer\n"


def test_give_moves_several_resources(subtests: pytest.Subtests) -> None:
    cases = [
        ("give offered to left of you", (2, 0)),
        ("give cost of oak to left of you", (1, 2)),
        ("give toll of oak to left of you", (2, 3)),
        ("give fee of oak for you to left of you", (1, 2)),
        ("gain 1 coin\ngive fee of oak for you to left of you", (2, 3)),
        ("spend offered\n  for left of you\n    gain 9 brick", (0, 9)),
    ]
    for run, lines, given in run_cases(cases, BARTER, "set offered of stick to 2\ngain 4 stick and 4 brick"):
        with subtests.test(lines=lines):
            assert (run.get_value("stick", 1), run.get_value("brick", 1)) == given


def test_give_needs_the_whole_bundle() -> None:
    run = run_steps("gain 1 brick", "give cost of oak to left of you", rules=TREES)
    assert (run.get_value("brick", 0), run.get_value("brick", 1)) == (1, 0)


ALL = [
    ("spend all stick\n  gain 1 fame", (0, 2), 1),
    ("spend all coin\n  gain 1 fame\nelse\n  gain 5 fame", (3, 2), 5),  # nobody pays with nothing
    ("spend all stuff\n  gain 1 fame", (0, 0), 1),
    ("spend all coin or all brick\n  gain 1 fame", (3, 0), 1),
    ("spend all stick and 1 brick\n  gain 1 fame", (0, 1), 1),
    ("spend all stick and 1 stick\n  gain 1 fame", (3, 2), 0),
    ("lose all stick and all brick and all coin", (0, 0), 0),
    ("give all stick to left of you", (0, 2), 0),
    ("give all stuff to left of you", (0, 0), 0),
]


def test_all_means_everything_a_player_has(subtests: pytest.Subtests) -> None:
    for run, step, left, fame in run_cases(ALL, TREES, "gain 3 stick and 2 brick"):
        with subtests.test(step=step):
            assert (run.get_value("stick", 0), run.get_value("brick", 0), run.get_value("fame", 0)) == (*left, fame)
            if step.startswith("give"):
                assert (run.get_value("stick", 1), run.get_value("brick", 1)) == (3 - left[0], 2 - left[1])


# --- resources that can run out: what nobody has is left ---------------------------------------------

LIMITED = """
resource ruby "ruby/rubies" limited to 5
resource opal "opal/opals" limited to count of everyone
resource jade "jade/jades"
group jewel "jewel/jewels" is ruby, opal
group stone "stone/stones" is ruby, jade
keep bag-of as number
"""

GAINED = [
    ("gain 3 ruby", 3),
    ("gain 9 ruby", 5),
    ("gain 2 ruby\ngain 4 ruby and 1 jade", 5),
    ("each player as other\n  for other\n    gain 2 ruby", 2),
    ("gain 5 ruby\nlose 2 ruby\ngain 9 ruby", 5),
    ("gain 9 of each jewel", 5),
    ("let one = ruby\ngain 7 one", 5),
    ("gain rubies left ruby", 5),
    ("gain 2 ruby\ngive 2 ruby to left of you\ngain 9 ruby", 3),
]


def test_gain_is_limited_by_the_supply(subtests: pytest.Subtests) -> None:
    for run, lines, wanted in run_cases(GAINED, LIMITED):
        with subtests.test(lines=lines):
            assert run.get_value("ruby", 0) == wanted


def test_last_player_gains_the_remainder() -> None:
    run = run_steps("each player\n  gain 3 ruby\n  gain 1 opal", rules=LIMITED)
    assert [run.get_value("ruby", seat) for seat in range(2)] == [3, 2]
    assert [run.get_value("opal", seat) for seat in range(2)] == [1, 1]


def test_supply_is_a_number_also_of_a_loop_variable(subtests: pytest.Subtests) -> None:
    values = {"rubies left": 3, "opal left": 2, "jewels left": 5, "count of everyone + ruby left": 5}
    cases = [(f"set bag-of to {value}", wanted) for value, wanted in values.items()]
    for run, line, wanted in run_cases(cases, LIMITED, "for left of you\n  gain 2 ruby"):
        with subtests.test(line=line):
            assert run.get_value("bag-of") == wanted
    assert run_steps("each jewel as one\n  add one left to bag-of", rules=LIMITED).get_value("bag-of") == 7


def test_gain_offers_only_resources_in_supply() -> None:
    gone = "for left of you\n  gain 5 ruby"
    run = run_steps(gone, "gain 1 stone\ngain 3 jewel", rules=LIMITED)
    assert run.is_over and (run.get_value("jade", 0), run.get_value("opal", 0)) == (1, 2)
    assert run_steps(gone, "gain 1 ruby or 2 opal or 1 jade", rules=LIMITED).options == ["2 opals", "1 jade"]
    run = run_steps("for left of you\n  gain 5 of each jewel\ngain 1 ruby or 2 opal\ngain 1 coin", rules=LIMITED)
    assert run.is_over and run.get_value("coin", 0) == 1


def test_reduced_gain_is_announced(subtests: pytest.Subtests) -> None:
    for amount, told in ((5, 0), (6, 3)):
        with subtests.test(amount=amount):
            assert len(run_steps(f"gain {amount} ruby", rules=LIMITED).list_events(EV_SAY)) == told


def test_unlimited_resource_has_no_supply() -> None:
    assert codes_and_texts("phase other\n  each player\n    gain jade left coin\n" + LIMITED) == [("E0540", "jade")]
    assert codes_and_texts("phase other\n  each player\n    gain stones left coin\n" + LIMITED) == [("E0540", "stones")]


def test_limit_cannot_depend_on_a_player_or_on_itself() -> None:
    assert ("E0530", "you") in codes_and_texts("resource gold limited to coin of you\n")
    rules = "resource gold limited to gold left + 1\n"
    assert [one.code for one in list_errors(rules + make_phase("gain 1 gold"))] == ["E0601"]
