"""Exceptions to one thing: those that never hold together, those that come first, those a player chooses from."""

from __future__ import annotations

import pytest
from helpers import does, errors, linked, module, said

from edict.front.pipeline import build
from edict.words import ability_words

CARDS = """
kind card
  year number
  works if card is in-force
card flood
  year 1
  exception to trial-run
    instead
      gain 1 coin
card drought
  year 2
  exception to trial-run
    instead
      gain 2 coin
card calm
  year 3
keep in-force as card starting at drought
"""


def two(one: str, other: str) -> str:
    """Two replacements of the same phase, each under its condition."""
    return (
        "keep day as number from 0 to 9\nkeep guest as player or none\nkeep seen of player as set of player\n"
        f"exception e to trial-run if {one}\n  instead\n    gain 1 coin\n"
        f"exception f to trial-run if {other}\n  instead\n    gain 2 coin\n"
    )


# --- that can never hold together -----------------------------------------------------------------


def test_one_card_in_force_at_a_time() -> None:
    assert said(CARDS) == []
    assert does("nothing", rules=CARDS).value("coin", 0) == 2


def test_cards_told_apart_by_a_field() -> None:
    cards = CARDS.replace("card is in-force", "year of card = day") + "keep day as number from 0 to 9 starting at 1\n"
    assert does("nothing", rules=cards).value("coin", 0) == 1


def test_several_cards_in_force_contradict_each_other() -> None:
    cards = CARDS.replace("card is in-force", "card is in in-force").replace("as card", "as set of card")
    assert [found.code for found in errors(cards)] == ["E0503"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("day = 1", "day = 2"),
        ("day < 3", "day >= 3"),
        ("day <= 3 and coin of you = 0", "day > 3"),
        ("day = 1 or day = 2", "3 <= day"),
        ("day != 4", "4 is day"),
        ("coin of you > fame of you", "coin of you <= fame of you"),
        ("guest is none and day = 1", "guest is not none and day = 1"),
        ("guest is none", "guest is not none"),
        ("you is in seen of you", "not you is in seen of you"),
        ("seen of you is empty", "seen of you is not empty"),
        ("during trial-run", "not (during trial-run or day = 1)"),
        ("not (day = 1 and coin of you = 2)", "day = 1 and coin of you = 2"),
    ],
)
def test_conditions_that_exclude_each_other(one: str, other: str) -> None:
    assert errors(two(one, other)) == [] == errors(two(other, one))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("day = 1", "day = 1"),
        ("day < 3", "day <= 3"),
        ("day = 1 or coin of you = 1", "day = 2"),
        ("day != 4", "day != 5"),
        ("coin of you > 1", "coin of (left of you) < 1"),
        ("coin of you >= fame of you", "coin of you <= fame of you"),
        ("seen of you is empty", "seen of (left of you) is not empty"),
    ],
)
def test_conditions_that_may_both_hold(one: str, other: str) -> None:
    assert [found.code for found in errors(two(one, other))] == ["E0503"]


# --- over -----------------------------------------------------------------------------------------


def replacing(name: str, coins: int, then: str = "") -> str:
    return f"exception {name} to trial-run if fame of you < 9{then}\n  instead\n    gain {coins} coin\n"


def test_one_may_go_over_several_and_through_others() -> None:
    low, middle, high = replacing("low", 1), replacing("middle", 2, " over low"), replacing("high", 4, " over middle")
    for order in (low + middle + high, high + middle + low, middle + low + high):
        assert errors(order) == []
        assert does("nothing", rules=order).value("coin", 0) == 4
    beside = low + replacing("other", 2, " over low") + replacing("top", 4, " over other, low")
    assert does("nothing", rules=beside).value("coin", 0) == 4


def test_what_always_holds_gives_way_to_what_holds_at_times() -> None:
    always = "exception always to trial-run\n  instead\n    gain 1 coin\n"
    for rules in (always + replacing("at-times", 2), replacing("at-times", 2) + always):
        assert errors(rules) == []
        assert does("nothing", rules=rules).value("coin", 0) == 2
    first = always.replace("trial-run", "trial-run over at-times")
    assert does("nothing", rules=first + replacing("at-times", 2)).value("coin", 0) == 1


def test_a_circle_is_an_error() -> None:
    (found,) = errors(replacing("a", 1, " over b") + replacing("b", 2, " over a"))
    assert found.code == "E0503" and "in a circle" in found.title


def test_names_that_no_exception_has() -> None:
    assert [d.code for d in errors(replacing("a", 1, " over b, c"))] == ["E0207", "E0207"]
    assert [d.code for d in errors(replacing("a", 1, " beside b"))] == ["E0207"]


# --- beside ---------------------------------------------------------------------------------------


def test_the_player_chooses_among_those_that_hold() -> None:
    rain = replacing("rain", 5, " over feast, fair").replace("fame of you < 9", "fame of you > 2")
    rules = replacing("feast", 1) + replacing("fair", 2, " beside feast") + rain
    run = does("nothing", rules=rules)
    assert run.options == ["Feast", "Fair"]
    assert run.answer("Fair").value("coin", 0) == 2
    ruled = rules + "when start of trial-run\n  gain 3 fame\n"
    assert does("nothing", rules=ruled).value("coin", 0) == 5


def test_nothing_is_asked_where_one_holds_or_none() -> None:
    rules = replacing("feast", 1) + replacing("fair", 2, " beside feast")
    one = rules.replace("fame of you < 9", "fame of you > 9", 1)
    none = rules.replace("fame of you < 9", "fame of you > 9")
    assert does("gain 7 fame", rules=one).value("coin", 0) == 2
    assert does("gain 7 coin", rules=none).value("coin", 0) == 7


def test_a_rule_passes_what_either_lets_pass() -> None:
    rules = """
action bid
  choose a number from 0 to 9 as price
  rule cheap
    require price < 1
  then
    gain price coin
exception rich to bid.cheap if coin of you = 0
  require price in faces of dice-of-you
exception poor to bid.cheap if fame of you = 0 beside rich
  require price = 2 or price = 5
""".replace("price in faces of dice-of-you", "price > 7")
    run = does("do bid", "do bid", rules=rules)
    assert run.options == ["2", "5", "8", "9"]
    assert run.answer("2").options == ["2", "5"]  # who has coins is poor only


def test_somebody_must_be_there_to_choose() -> None:
    table = """
resource coin
keep line as order of player
game trial
  players 2 to 4
  order line
  winners everyone
  score coin of you
  course
    play festival
phase festival
  nothing
exception feast to festival
  instead
    nothing
exception fair to festival beside feast
  instead
    nothing
"""
    (found,) = build((module(table),)).diagnostics
    assert found.code == "E0530" and "nobody can choose" in found.title and "`over` in place of `beside`" in found.help
    turns = table.replace("    play festival", "    each player\n      play festival")
    assert build((module(turns),)).ok


def test_what_is_said_of_others_is_told() -> None:
    rules = replacing("feast", 1) + replacing("fair", 2, " beside feast") + replacing("rain", 5, " over feast, fair")
    rules += replacing("snow", 5, " beside feast, fair, rain")
    known = linked(rules).resolved
    told = [ability_words(known, one.ability) for one in known.book.standalone]
    assert "(if “feast” applies too, you choose which one counts)" in told[1]
    assert "(takes precedence over “feast” and “fair”)" in told[2]
    assert "(if “feast”, “fair” or “rain” applies too, you choose which one counts)" in told[3]


# --- the start and end of a routine ---------------------------------------------------------------

RECRUIT = "routine recruit with number called n\n  gain n coin\n"


def test_rules_may_wait_for_a_routine() -> None:
    rules = RECRUIT + "when start of recruit\n  gain n fame\nwhen end of recruit if n > 2\n  gain coin of you stick\n"
    run = does("do recruit with 2", "do recruit with 3", rules=rules)
    assert (run.value("fame", 0), run.value("coin", 0), run.value("stick", 0)) == (5, 5, 5)


def test_what_is_added_is_added_to_a_replacement_too() -> None:
    rules = RECRUIT + "exception poor to recruit if n = 2\n  instead\n    gain n fame\n"
    rules += "when end of recruit\n  gain 1 brick\n"
    run = does("do recruit with 2", "do recruit with 3", rules=rules)
    assert (run.value("fame", 0), run.value("coin", 0), run.value("brick", 0)) == (2, 3, 2)


def test_a_routine_lasts() -> None:
    (found,) = errors(RECRUIT + "when recruit\n  gain 1 fame\n")
    assert found.code == "E0209" and "when start of recruit" in (found.help or "")
