"""Several dice chosen at once: each once, as many as there are, and those of `up to` as long as one likes."""

from __future__ import annotations

import pytest
from helpers import Answer, does, program, steps

from edict.language.printing.canonical import formatted
from edict.text import Source

KEEPS = "keep pool of player as dice\nkeep aside of player as dice\n"
POOL = "set pool of you to cube showing 2 + cube showing 2 + cube showing 5"
MOVE = "remove some-dice from pool of you\nadd some-dice to aside of you\ngain count of some-dice coin"


@pytest.mark.parametrize(
    ("step", "answers", "aside"),
    [
        ("choose 2 dice from pool of you as some-dice", (0, 0), [2, 2]),
        ("choose 2 dice from pool of you as some-dice", (1,), [2, 5]),
        ("choose 5 dice from pool of you as some-dice", (0, 0), [2, 2, 5]),
        ("choose 0 dice from pool of you as some-dice", (), []),
        ("choose count of pool of you - 1 dice from pool of you as some-dice", (0, 1), [2, 5]),
        ("choose up to 3 dice from pool of you as some-dice", (0, "-"), [2]),
        ("choose up to 3 dice from pool of you as some-dice", ("-",), []),
        ("choose 1 dice from (cubes showing 5 among pool of you) as some-dice", (), [5]),
        ("choose 2 dice from aside of you as some-dice", (), []),
    ],
)  # fmt: skip
def test_dice_are_chosen_one_by_one(step: str, answers: tuple[Answer, ...], aside: list[int]) -> None:
    run = does(POOL, step, MOVE, rules=KEEPS)
    for answer in answers:
        assert not run.over
        run.answer(run.options[answer] if isinstance(answer, int) else answer)
    while not run.over and len(run.options) == 1:
        run.answer(run.options[0])
    assert run.over and run.value("coin", 0) == len(aside)
    assert run.dice(run.value("aside", 0)) == ({"cube": aside} if aside else {})


def test_an_offer_is_accepted_by_choosing_the_first() -> None:
    offer = "may choose 2 dice from pool of you as some-dice\n  gain total of some-dice coin\nelse\n  gain 1 fame"
    declined = does(POOL, offer, rules=KEEPS).answer("-")
    assert (declined.value("coin", 0), declined.value("fame", 0)) == (0, 1)
    run = does(POOL, offer, rules=KEEPS)
    run.answer(run.options[1])
    assert run.over or run.answer(run.options[0]).over
    assert run.value("coin", 0) == 7
    assert does(offer, rules=KEEPS).value("fame", 0) == 1  # there are no dice


def test_they_are_chosen_in_secret() -> None:
    run = does(POOL, "choose 2 dice from pool of you as some-dice secretly", rules=KEEPS)
    assert run.question.secret


def test_it_is_printed_as_it_is_written() -> None:
    first = 'choose 2 dice from pool of you as some-dice secretly "Which?"'
    text = steps(first, "may choose up to 3 dice from pool of you as more")
    assert formatted(Source("page.edict", text)).unwrap().strip() == text.strip()
    assert program(KEEPS + text)


# --- by what they show ---------------------------------------------------------------------------

TWO_SORTS = "set pool of you to cube showing 2 + cube showing 5 + gem showing 2 + gem showing 4"


@pytest.mark.parametrize(
    ("step", "offered"),
    [
        ("choose a die from pool of you as one where it > 2", 2),
        ("choose a die from pool of you as one where it = 2", 2),
        ("choose a die from pool of you as one where it mod 2 = 0", 3),
        ("choose up to 2 dice from pool of you as some-dice where it is not 2", 3),  # or none
        ("may choose a die from (gems among pool of you) as one where it <= 4", 3),  # or not
        ("may choose 2 dice from pool of you as some-dice where it > 2", 3),
    ],
)  # fmt: skip
def test_only_dice_that_show_the_right_number_are_offered(step: str, offered: int) -> None:
    assert len(does(TWO_SORTS, step, rules=KEEPS).options) == offered


def test_nothing_is_asked_where_no_die_shows_the_right_number() -> None:
    run = does(TWO_SORTS, "choose a die from pool of you as one where it > 5\ngain 1 fame", rules=KEEPS)
    assert run.over and run.value("fame", 0) == 0


@pytest.mark.parametrize(("dice", "total", "many"), [
    ("pool of you where it > 2", 9, 2), ("pool of you where it is in (2, 5)", 9, 3), ("pool of you where it > 9", 0, 0),
])  # fmt: skip
def test_dice_are_picked_out_by_their_numbers(dice: str, total: int, many: int) -> None:
    run = does(TWO_SORTS, f"let them = {dice}\ngain total of them coin\ngain count of ({dice}) fame", rules=KEEPS)
    assert (run.value("coin", 0), run.value("fame", 0)) == (total, many)


def test_several_kinds_are_rolled_at_once() -> None:
    roll = ("roll 1 cube, 2 gem and 1 cube as thrown", "set pool of you to thrown")
    run = does(*roll, rules=KEEPS, answers=[5, 1, 4, 2])
    assert run.dice(run.value("pool", 0)) == {"cube": [2, 5], "gem": [1, 4]}
    twice = ("roll 1 cube and 1 gem into pool of you", "roll 1 gem and 1 cube into pool of you")
    into = does(*twice, rules=KEEPS, answers=[5, 1, 4, 2])
    assert into.dice(into.value("pool", 0)) == {"cube": [2, 5], "gem": [1, 4]}


def test_they_are_printed_as_they_are_written() -> None:
    text = steps(
        "roll 1 cube, 2 gem and 1 cube as thrown", "may choose a die from thrown as one where it > 3 and it != 5",
        "reroll (thrown where it < 3) within hand of you",
    )  # fmt: skip
    assert formatted(Source("page.edict", text)).unwrap().strip() == text.strip()
