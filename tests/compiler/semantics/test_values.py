"""Values in play: the best of two, steps of a track, terms for sets and truths, random numbers, the next player."""

from __future__ import annotations

import pytest

from edict.runtime.program.opcodes import SEAT
from helpers import CHANCE, list_errors, make_phase, play_text, run_cases, run_steps

FOES = """
kind foe "foe/foes"
  year number
  might number
  twice is best of (might of foe * 2) and 5
  step-of is (1, 3, 6) at might of foe
foe orc
  year 1
  might 2
foe troll
  year 2
  might 4
foe ghost
  year 1
  might 6
keep year-now as number from 0 to 9 starting at 1
keep mine of player as set of foe starting at orc
value foes-now "the foes of the year" is foes where year of it = year-now
value stronger "the foes above" of foe called other is foes where might of it > might of other
value rich "rich" of player is coin of player > 2
value last-foe is first of (foes-now with most might of it)
value worthy of player is mine of player + foes-now
"""


NUMBERS = [
    ("best of 3 and coin of you", 4),
    ("least of 3 and coin of you", 3),
    ("best of (1 - 3) and (0 - 1)", -1),
    ("best of best of 1 and 2 and least of 9 and 3", 3),
    ("twice of orc", 5),
    ("twice of ghost", 12),
    ("(1, 3, 6, 10) at coin of you", 10),
    ("(1, 3, 6, 10) at 0", 1),
    ("(1, 3, 6) at 99", 6),
    ("(coin of you, 7) at 1", 4),
    ("might of last of (foes where year of it = 1)", 6),
    ("step-of of orc", 3),
    ("step-of of ghost", 6),
]
HOLD = [
    ("orc is in foes-now", True),
    ("troll is in foes-now", False),
    ("count of foes-now = 2", True),
    ("ghost is in stronger of orc", True),
    ("stronger of ghost is empty", True),
    ("rich of you", True),
    ("rich of left of you", False),
    ("not rich of left of you and rich of you", True),
    ("last-foe is ghost", True),
    ("every foes-now has year of it = 1", True),
    ("count of worthy of you = 2", True),
    ("some stronger of orc has might of it > 5", True),
    ("foes-now is within worthy of you", True),
]


def test_numbers_and_terms_have_their_values(subtests: pytest.Subtests) -> None:
    numbers = [(f"let x = {value}\ngain x fame\nlose (0 - x) fame", expected) for value, expected in NUMBERS]
    terms = [(f"if {condition}\n  gain 1 fame", holds) for condition, holds in HOLD]
    for run, lines, expected in run_cases(numbers + terms, FOES, "gain 4 coin"):
        with subtests.test(lines=lines):
            assert run.get_value("fame", 0) == expected


def test_term_changes_with_its_operands() -> None:
    run = run_steps("set year-now to 2", "each foe in foes-now\n  gain might of foe coin", rules=FOES)
    assert run.get_value("coin", 0) == 4


def test_invalid_terms_are_refused(subtests: pytest.Subtests) -> None:
    for text, code in {
        "value x is 3\n": "E0417",
        "value x is coin of you > 1 and x\n" + make_phase("if x\n  nothing"): "E0601",
        "value safe of player is coin of player = 0\nadjust safe by 1\n": "E0202",
        "value safe of player is coin of player = 0\n" + make_phase("if safe\n  nothing"): "E0411",
    }.items():
        with subtests.test(text=text):
            assert code in [diagnostic.code for diagnostic in list_errors(text)]


# --- the next player --------------------------------------------------------------------------------

NEXT = "keep playing of player as truth\nkeep at as player or none\n"


def test_first_after_finds_the_next_player_of_a_set(subtests: pytest.Subtests) -> None:
    next_of = {"everyone - left of you": 2, "you": 0, "nobody": -1, "everyone": 1}
    cases = [(f"set at to first after you in ({members})", expected) for members, expected in next_of.items()]
    for run, line, expected in run_cases(cases, NEXT, players=3):
        with subtests.test(line=line):
            assert run.get_value("at") == expected


# --- random numbers -----------------------------------------------------------------------------------


def test_drawn_number_is_a_chance_question_and_an_empty_range_skips_the_block(subtests: pytest.Subtests) -> None:
    for source, offered in (("2 to 5", [2, 3, 4, 5]), ("(1, 4, 9)", [1, 4, 9])):
        with subtests.test(source=source):
            run = run_steps(f"draw a number from {source} as n", "gain n coin")
            assert run.state[SEAT] == CHANCE and run.values == offered
            assert run.answer(str(offered[1])).get_value("coin", 0) == offered[1]
    assert run_steps("draw a number from 3 to 2 as n", "gain 1 coin").get_value("coin", 0) == 0


# --- panels -----------------------------------------------------------------------------------------------


def test_panel_lists_the_resources_of_a_group() -> None:
    panel = 'display stock\n  each stuff\n  column "Yours" stuff of first of everyone\n'
    assert play_text(panel + make_phase("nothing")).is_over


TABLES = """
kind road
road north
road south
kind cart
  road road
  load number
cart wain
  road north
  load 4
cart barrow
  road south
  load 1
keep sent of player by road as set of cart
keep driver of road as player or none
quantity heaviest of player in road is best of load of it over sent of player by road
"""


HEAVIEST = [
    ("heaviest of you in road of wain", 4),
    ("heaviest of you in road of barrow + 2", 3),
    ("heaviest of left of you in north", 0),
    ("heaviest of left of you in road of barrow", 1),
    ("heaviest of right of you in road of first of (carts where load of it = 1)", 1),
]


def test_arguments_of_a_keep_need_no_parentheses(subtests: pytest.Subtests) -> None:
    """Two players: each is to the left and to the right of the other."""
    sent = "add wain to sent of you by road of wain\nadd barrow to sent of left of you by road of barrow\n"
    cases = [(f"let x = {value}\ngain x fame", expected) for value, expected in HEAVIEST]
    for run, lines, expected in run_cases(cases, TABLES, sent + "add barrow to sent of you by south"):
        with subtests.test(lines=lines):
            assert run.get_value("fame", 0) == expected


def test_name_set_in_a_loop_without_members_keeps_its_value(subtests: pytest.Subtests) -> None:
    loop = (
        "let one = first of (carts where load of it > 9)\neach cart where {}\n  set one to cart\n"
        "if one is none\n  gain 7 fame\nelse\n  gain load of one fame"
    )
    among = {"load of it > 9": 7, "load of it > 0": 1, "load of it > 3": 4}
    for run, lines, expected in run_cases([(loop.format(some), fame) for some, fame in among.items()], TABLES):
        with subtests.test(lines=lines):
            assert run.get_value("fame", 0) == expected


def test_each_where_visits_only_matching_members() -> None:
    run = run_steps(
        "gain 3 coin",
        "each player where coin of it = 0\n  gain 1 brick",
        "each cart where load of it > 1\n  gain 1 stick",
        "each cart as one where load of it < 9\n  gain load of one fame",
        rules=TABLES,
    )
    assert [run.get_value(what, 0) for what in ("brick", "stick", "fame")] == [0, 1, 5] and run.get_value(
        "brick", 1
    ) == 1


def test_condition_of_a_choice_may_contain_a_condition_on_others(subtests: pytest.Subtests) -> None:
    """The `it` of a choice and the `it` of an inner condition differ; the name that is given means the chosen one."""
    asked = {
        "some player has coin of it > might of picked": 2,
        "every player has coin of it + 2 < might of picked": 6,
        "(sum of coin of it + 1 over everyone) < might of picked": 6,
    }
    cases = [(f"choose a foe as picked where {one}\ngain might of picked fame", might) for one, might in asked.items()]
    for run, lines, might in run_cases(cases, FOES, "gain 3 coin"):
        with subtests.test(lines=lines):
            assert run.get_value("fame", 0) == might


def test_condition_of_a_loop_may_contain_a_condition_on_others() -> None:
    run = run_steps(
        "gain 3 coin",
        "each foe as one where some player has coin of it > might of one\n  gain 1 fame",
        "each foe as one with most (sum of coin of it over everyone) * might of one\n  gain 10 fame",
        rules=FOES,
    )
    assert run.get_value("fame", 0) == 11


# --- sums: of things a set, in steps, fields and terms alike; of numbers a number -----------------------

FIELDS = """
kind foe "foe/foes"
  pals set of foe, optional
  years set of number, optional
  both is pals of foe + foe
foe orc
  pals troll + ghost
  years (1, 5, 61)
foe troll
  pals orc + ghost - ghost
foe ghost
  pals foes - (orc + ghost)
keep hunted as set of foe starting at orc + troll
keep friend of player as player or none
value strong "the strong ones" is troll + ghost
"""


JOINED = [
    ("count of (orc + troll)", 2),
    ("count of (orc + orc)", 1),
    ("count of (orc + (troll + ghost))", 3),
    ("count of (pals of orc)", 2),
    ("count of (pals of troll)", 1),
    ("count of (both of ghost)", 2),
    ("count of (orc + ghost - strong)", 1),
    ("count of hunted", 2),
    ("count of (you + left of you)", 2),
    ("count of (you + friend of you)", 1),
    ("sum of it over years of orc", 67),
    ("count of (years of ghost)", 0),
]


def test_sum_of_things_is_a_set(subtests: pytest.Subtests) -> None:
    for run, line, expected in run_cases([(f"gain {value} coin", expected) for value, expected in JOINED], FIELDS):
        with subtests.test(line=line):
            assert run.get_value("coin", 0) == expected
    for value in ("orc + 1", "coin + stick", "1 + orc"):
        with subtests.test(value=value):
            diagnostics = list_errors(FIELDS + make_phase(f"let x = {value}", "gain x coin"))
            assert diagnostics[0].code == "E0401" and "a number" in diagnostics[0].title


def test_number_beyond_a_set_is_refused() -> None:
    (diagnostic,) = list_errors(
        FIELDS.replace("(1, 5, 61)", "(1, 5, 62)") + make_phase("gain count of (years of orc) coin")
    )
    assert diagnostic.code == "E0514" and "61" in f"{diagnostic.title} {diagnostic.help}"
