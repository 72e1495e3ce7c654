"""Tests that only options that can be completed are offered, also for several choices that exclude each other."""

from __future__ import annotations

import operator
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edict.runtime.program import opcodes as o
from examples import choose_examples
from helpers import compile_program, play_text, run_cases, run_steps

CARDS = """
kind card
card ace
card king
card queen
keep hand of player as set of card
keep pile of player as bag of card
routine pays with number called price
  spend price stick
    gain 1 fame
routine discards
  choose a card from hand of you as gone
  remove gone from hand of you
routine waits
  choose one
    do discards
    do pays with 5
kind deed
  done effect
deed throw
  done do discards
deed buy
  done
    spend 1 stick
      gain 1 fame
deed either
  done
    choose one
      do done of throw
      do done of buy
deed rest
  done gain 1 fame
keep favourite as deed starting at throw
keep thrown of player as dice
action shed
  choose a card from hand of you as shed-card
  rule low
    require fame of you = 0
  then
    remove shed-card from hand of you
routine comes-back
  choose one
    do comes-back
    spend 1 stick
    do discards
"""
CHOICE = """
choose one
  option "Discard"
    {step}
    gain 1 coin
  option "Pass"
    gain 1 fame
""".strip()
STEPS = [
    "choose 2 cards from hand of you as gone",
    "choose up to 2 cards from hand of you as gone",
    "let mine = hand of you\n    choose a card from mine as one",
    "give 1 stick to left of you",
    "choose count of hand of you + 1 cards from hand of you as gone",
    "do pays with 1",
    "do discards",
    "do waits",
    "draw a card from hand of you as one",
    "draw 2 cards from hand of you into pile of you",
    "repeat 2 times\n      do discards",
    "choose one\n      spend 1 stick\n      do discards",
    "draw 2 cards from hand of you as both",
    "do comes-back",
    "do shed",
    "spend 9 coin or 1 stick",
    "choose a card from hand of you as gone",
    "choose a die from thrown of you as one",
    "do done of throw",
    "do done of favourite",
    "do done of either",
    "do done of buy 2 times",
    "if fame of you = 0\n      do discards\n    else\n      gain 1 fame",
    "if fame of you > 0\n      gain 1 fame\n    else\n      spend 1 stick",
    "let mine = count of hand of you\n    if mine < 9\n      choose a card from hand of you as one",
    "for you\n      do discards",
    "each player in (you + you)\n      spend 1 stick",
    "each player as other in (you + you)\n      choose a card from hand of other as one",
    "each card as one in cards\n      choose a card from hand of you as two where it is one",
    'text "Throw one away."\n      if fame of you = 0\n        do discards',
]
HAND = "gain 1 stick\nset hand of you to (ace, king)\nset thrown of you to cube showing 1"
BOTH = ["Discard", "Pass"]


def test_only_completable_options_are_offered(subtests: pytest.Subtests) -> None:
    offers = [(CHOICE.format(step=step), step) for step in STEPS]
    for run, _, step in run_cases(offers, rules=CARDS):
        with subtests.test(step=step):
            assert run.get_value("fame", 0) == 1
    for run, _, step in run_cases(offers, rules=CARDS, first=HAND):
        with subtests.test(step=step):
            assert run.options == BOTH


def test_earlier_rules_can_make_a_routine_possible() -> None:
    rules = CARDS + "when start of discards\n  add ace to hand of you\n"
    assert run_steps(CHOICE.format(step="do discards"), rules=rules).options == BOTH
    rules = CARDS + "exception other to pays if fame of you = 0\n  instead\n    nothing\n"
    assert run_steps(CHOICE.format(step="do pays with 9"), rules=rules).options == BOTH


def test_offer_of_several_asks_for_the_first_and_can_be_declined(subtests: pytest.Subtests) -> None:
    many = "choose 2 cards from hand of you as gone\n  remove gone from hand of you"
    cases = [
        (f"may {many}\n  gain 1 coin", ("king", "ace"), ["queen"], 0),
        (f"may {many.replace('2', 'up to 2')}\nelse\n  gain 1 fame", ("-",), ["ace", "king", "queen"], 1),
        (f"may {many.replace('2', 'up to 2')}\nelse\n  gain 1 fame", ("king", "-"), ["ace", "queen"], 0),
    ]
    for run, lines, answers, left, fame in run_cases(cases, rules=CARDS, first="set hand of you to cards"):
        with subtests.test(lines=lines):
            assert {*run.options} == {"-", "ace", "king", "queen"}
            run.answer(*answers)
            assert (run.describe_value("hand", 0), run.get_value("fame", 0)) == (left, fame)


def test_no_op_is_not_offered_but_steps_after_a_failed_condition_count(subtests: pytest.Subtests) -> None:
    for step in ("if fame of you > 0\n      gain 1 coin", "if fame of you > 0\n      spend 1 stick"):
        with subtests.test(step=step):
            alone = CHOICE.format(step=step).replace("\n    gain 1 coin\n  option", "\n  option")
            assert run_steps(alone, rules=CARDS).get_value("fame", 0) == 1
    for step in ("if fame of you > 0\n      do discards", "do done of rest"):
        with subtests.test(step=step):
            assert run_steps(CHOICE.format(step=step), rules=CARDS).options == BOTH


def test_lookahead_considers_other_players() -> None:
    step = "for left of you\n      do discards"
    given = "for left of you\n  set hand of you to (ace, king)"
    assert run_steps(CHOICE.format(step=step), rules=CARDS).get_value("fame", 0) == 1
    run = run_steps(given, CHOICE.format(step=step), rules=CARDS)
    assert run.options == BOTH and run.get_value("fame", 0) == 0


def test_impossible_offer_is_not_made(subtests: pytest.Subtests) -> None:
    offers = [
        (f"may {step}\nelse\n  gain 2 fame", step)
        for step in (
            "do done of favourite",
            "do done of throw",
            "do discards",
            "do pays with 1",
        )
    ]
    for run, _, step in run_cases(offers, rules=CARDS):
        with subtests.test(step=step):
            assert run.get_value("fame", 0) == 2
    for run, _, step in run_cases(offers, rules=CARDS, first=HAND):
        with subtests.test(step=step):
            assert not run.is_over and "Yes" in run.options


# --- several choices whose rules exclude each other ------------------------------------------------------

COMPARED = {"<": operator.lt, "<=": operator.le, "=": operator.eq, "!=": operator.ne, ">": operator.gt}
HEIGHTS = (1, 2, 3, 5)
CHOICES = 4


def action_rules(choices: int, rules: list[str], heights: tuple[int, ...], where: dict[int, str] | None = None) -> str:
    trees = "".join(f"tree t{i}\n  height {height}\n" for i, height in enumerate(heights))
    chosen = "".join(f"  choose a tree as x{i}{(where or {}).get(i, '')}\n" for i in range(choices))
    rule_texts = "".join(f"  rule r{i}\n    require {rule}\n" for i, rule in enumerate(rules))
    return (
        f"kind tree\n  height number\n{trees}action plant\n{chosen}{rule_texts}  then\n    gain 1 coin\n"
        "phase trial-run\n  may do plant\n"
    )


@st.composite
def joint_rules(draw: st.DrawFn) -> tuple[str, tuple[int, ...], int]:
    """Generate a rule on some choices, which compares the height of one with the sum of others."""
    choices = tuple(draw(st.lists(st.integers(0, CHOICES - 1), min_size=2, max_size=3, unique=True)))
    return draw(st.sampled_from(sorted(COMPARED))), choices, draw(st.integers(-2, 8))


def format_rule(rule: tuple[str, tuple[int, ...], int]) -> str:
    sign, (first, *others), offset = rule
    total = " + ".join(f"height of x{i}" for i in others)
    return f"height of x{first} + 2 {sign} {total} + {offset + 2}"


def is_met(rule: tuple[str, tuple[int, ...], int], chosen: tuple[int, ...]) -> bool:
    sign, (first, *others), offset = rule
    return bool(COMPARED[sign](HEIGHTS[chosen[first]], sum(HEIGHTS[chosen[i]] for i in others) + offset))


@given(st.lists(joint_rules(), max_size=5), st.booleans(), st.data())
@settings(max_examples=choose_examples(10, 500))
def test_each_choice_offers_exactly_the_completable_members(
    rules: list[tuple[str, tuple[int, ...], int]], narrowed: bool, data: st.DataObject
) -> None:
    where = {2: " where height of it > height of x0"} if narrowed else {}
    run = play_text(action_rules(CHOICES, [format_rule(rule) for rule in rules], HEIGHTS, where))
    whole = [
        way
        for way in product(range(len(HEIGHTS)), repeat=CHOICES)
        if all(is_met(rule, way) for rule in rules) and not (narrowed and HEIGHTS[way[2]] <= HEIGHTS[way[0]])
    ]
    for level in range(CHOICES):
        left = sorted({way[level] for way in whole})
        if len(left) > 1 or (left and level == 0):
            assert [value for value in run.values if value >= 0] == left
            picked = data.draw(st.sampled_from(left))
            run.answer(f"t{picked}")
        else:  # what is alone is taken unasked
            picked = left[0] if left else -1
        whole = [way for way in whole if way[level] == picked]
    assert run.is_over


MANY = tuple(range(60))
SOON = {
    "all different": [f"x{i} is not x{j}" for j in range(5) for i in range(j)],
    "the last is to be the first, and is not": ["x0 is x4", "x0 is not x4"],
    "none will do as the last": [*(f"x{i} is not x{i + 1}" for i in range(4)), "height of x4 > 90", "x4 is not t7"],
    "one above the other": [f"height of x{i} < height of x{i + 1}" for i in range(4)],
    "the first decides about each": [f"height of x{i} = height of x0 + {i}" for i in range(1, 5)],
}


def test_lookahead_over_five_choices_of_sixty_is_cheap(subtests: pytest.Subtests) -> None:
    """The work before the first question is counted instead of timed."""
    firsts = {"all different": 60, "one above the other": 56, "the first decides about each": 56}
    for name, rules in SOON.items():
        with subtests.test(name=name):
            run = play_text(action_rules(5, rules, MANY))
            assert not run.fault and run.state[o.SPENT] < 200_000
            assert len([] if run.is_over else [value for value in run.values if value >= 0]) == firsts.get(name, 0)


def test_effects_of_many_things_are_examined_once() -> None:
    """Each of many effects may run any other; what these need is not repeated in each of them."""

    def count_code(deeds: int) -> int:
        effect = "  done\n    spend 1 stick\n    each deed as other\n      may do done of other"
        rules = "\n".join(["kind deed", "  done effect", *(f"deed deed-{i}\n{effect}" for i in range(deeds))])
        return len(compile_program(rules + "\n").code)

    once, twice, four = map(count_code, (10, 20, 40))
    assert four - twice < 2.5 * (twice - once)


def test_effect_of_any_of_many_things_is_offered_if_it_can_begin(subtests: pytest.Subtests) -> None:
    for deeds in (2, 9):  # few are examined in place, many by a procedure of their own
        effects = (f"deed deed-{i}\n  done\n    spend {i} stick\n      gain 1 fame" for i in range(deeds))
        rules = "\n".join(["kind deed", "  done effect", *effects, "keep chosen as deed starting at deed-0", ""])
        offer = "may do done of chosen\nelse\n  gain 2 fame"
        cases = [(f"gain 1 stick\nset chosen to deed-{i}\n{offer}", i) for i in range(deeds)]
        for run, _, price in run_cases(cases, rules=rules):
            with subtests.test(run=run):
                assert ("Yes" in run.options) == (price < 2), (deeds, price)
                assert run.get_value("fame", 0) == (0 if price < 2 else 2), (deeds, price)
