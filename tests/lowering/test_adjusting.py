"""What adjusts a quantity: set, multiplied, divided, added to, in this order, wherever it is written."""

from __future__ import annotations

from itertools import permutations

import pytest
from helpers import compiled, does, linked, program, said, steps
from secrecy import session

from edict.cli.playing import why
from edict.language.printing.canonical import formatted
from edict.table.rules import Rules
from edict.text import Source
from edict.words.abilities import ability_lines

WAYS = ("by 1", "divided by 3 rounded up", "divided by 2", "times 3", "to 9")
TOLL = 'quantity toll "toll" of player is 7\n'


def adjusts(*ways: str) -> str:
    return "".join(f"adjust toll {way}\n" for way in ways)


@pytest.mark.parametrize("ways, comes_to", [
    (("to 1",), 1), (("times 2",), 14), (("divided by 2",), 3), (("divided by 2 rounded up",), 4),
    (("by 1", "times 2"), 15), (("by -10", "times 2", "to 3"), -4), (("times 0 - 1", "divided by 2"), -4),
    (("times 0 - 1", "divided by 2 rounded up"), -3), (("times 2", "times 3"), 42), (WAYS, 6),
])  # fmt: skip
def test_a_quantity_is_set_then_multiplied_then_divided_then_added_to(ways: tuple[str, ...], comes_to: int) -> None:
    run = does("set kept to toll of you", rules=f"keep kept as number\n{TOLL}{adjusts(*ways)}")
    assert run.value("kept") == comes_to


def test_the_order_in_which_they_are_written_never_matters() -> None:
    found = {
        does("set kept to toll of you", rules=f"keep kept as number\n{TOLL}{adjusts(*ways)}").value("kept")
        for ways in permutations(WAYS)
    }
    assert found == {6}


def test_what_is_set_without_a_condition_gives_way() -> None:
    rules = "keep kept as number\n" + TOLL + adjusts("to 2 if coin of you > 0", "to 5")
    assert does("set kept to toll of you", rules=rules).value("kept") == 5
    assert does("gain 1 coin", "set kept to toll of you", rules=rules).value("kept") == 2


def test_bounds_are_kept_at_the_end() -> None:
    rules = "keep kept as number\nquantity toll of player is 7, at most 9\n" + adjusts("times 3", "by -14")
    assert does("set kept to toll of you", rules=rules).value("kept") == 7


def test_each_says_what_it_changes_and_all_together_come_to_the_number() -> None:
    """So panels and logs that list what made a number add up."""
    rules = TOLL + adjusts("times 2", "divided by 4 rounded up", "by 1 if coin of you = 0", "to 10")
    run = does("let so-many = toll of you", "gain so-many coin", rules=rules)
    amounts = [amount for _, amount, _ in run.events()]
    assert sum(amounts) == 6
    assert amounts == [7, 3, 10, -15, 1]  # 7 & 3 is 10, twice that is 20, a quarter of it is 5


def test_why_tells_what_each_has_made_of_it() -> None:
    house = "kind house\n  works if house is in owned of you\nkeep owned of player as set of house starting at houses\n"
    things = {"Inn": "times 2", "Mill": "divided by 4 rounded up", "Tower": "divided by 2", "Gate": "by 1"}
    rules = house + "".join(f'house {name.lower()} "{name}"\n  adjust toll {way}\n' for name, way in things.items())
    asking = steps('choose one\n  option "A"\n    gain toll of you coin\n  option "B"\n    gain 2 stick')
    game = Rules(program(rules + TOLL + asking), "trial").new_game(["Ann", "Ben"], seed=1)
    words = why.answer(session(game, game.seat), "toll")[0].words
    assert words == "toll of Ann 3 = 7 toll + 7 Inn - 7 Tower - 5 Mill + 1 Gate"


def test_it_cannot_be_divided_by_nothing() -> None:
    assert ("E0519", "0") in said(TOLL + adjusts("divided by 0") + steps("gain toll of you coin"))
    run = does("gain toll of you coin", rules=TOLL + adjusts("divided by fame of you"))
    assert run.fault == "divided by zero"


@pytest.mark.parametrize("first, second, contradict", [
    ("to 1", "to 2", True), ("to 1", "to 2 if coin of you > 1", False), ("to 1", "to 1", False),
    ("to 1 if coin of you > 1", "to 2 if fame of you > 1", True),
    ("to 1 if coin of you > 1", "to 2 if coin of you < 2", False), ("times 2", "to 1", False),
])  # fmt: skip
def test_two_values_for_one_quantity_contradict_each_other(first: str, second: str, contradict: bool) -> None:
    codes = [code for code, _ in said(TOLL + adjusts(first, second) + steps("gain toll of you coin"))]
    assert ("E0513" in codes) is contradict


def test_things_that_never_work_together_do_not_contradict_each_other() -> None:
    kind = "kind card\n  works if card is {card}\ncard one\n  adjust toll to 1\ncard two\n  adjust toll to 2\n"
    owned = kind.replace("card is {card}", "card is in owned of you") + "keep owned of player as set of card\n"
    shown = kind.format(card="shown-card") + "keep shown-card as card starting at one\n"
    play = steps("gain toll of you coin")
    assert "E0513" in [code for code, _ in said(TOLL + owned + "when start of trial-run\n  nothing\n" + play)]
    assert "E0513" not in [code for code, _ in said(TOLL + shown + play)]


@pytest.mark.parametrize("way, words", [
    ("to 1", "The toll becomes 1."), ("times 2", "Double the toll."), ("times 3", "Triple the toll."),
    ("times 5", "Multiply the toll by 5."), ("divided by 2", "Halve the toll, rounded down."),
    ("divided by 3 rounded up if coin of you > 1", "Divide the toll by 3, rounded up, if you have more than 1 coin."),
])  # fmt: skip
def test_it_is_said_in_english(way: str, words: str) -> None:
    known = linked(TOLL + adjusts(way) + steps("gain toll of you coin"))
    assert ability_lines(known.resolved, known.adjusts["toll"][0].ability).text == words


@pytest.mark.parametrize("way", WAYS)
def test_it_is_printed_as_it_is_written(way: str) -> None:
    source = Source("page.edict", adjusts(f"{way} if coin of you > 1"))
    assert formatted(source).unwrap() == source.text


def test_a_number_that_adjusts_itself_is_told_how_to() -> None:
    found = compiled(TOLL + adjusts("by toll of you") + steps("gain toll of you coin")).diagnostics
    assert "`times 2`" in next(d.help for d in found if d.code == "E0601")


def test_what_things_adjust_takes_no_more_of_each_however_many_there_are() -> None:
    """Of a set in many cells, only the one with the thing is looked at."""

    def length(things: int) -> int:
        kind = "kind relic\n  works if relic is in held of you\nkeep held of player as set of relic\n"
        luck = "quantity luck of player is 1\n"
        each = "".join(f"relic relic-{n}\n  adjust luck by 1 if coin of you > {n}\n" for n in range(things))
        return len(program(kind + luck + each + steps("gain luck of you coin")).code)

    few, some, many = length(250), length(375), length(500)
    assert many - some < 1.1 * (some - few)
