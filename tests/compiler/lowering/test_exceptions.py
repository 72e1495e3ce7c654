"""Tests of several exceptions to one rule, which exclude each other, take precedence or are chosen from."""

from __future__ import annotations

import pytest

from edict.compiler.english import describe
from edict.compiler.pipeline.pipeline import build_program
from helpers import (
    codes_and_texts,
    compile_texts,
    link_texts,
    list_errors,
    make_module,
    make_phase,
    run_steps,
    underlined_text,
)

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


def two_exceptions(first: str, second: str) -> str:
    """Return two replacements of the same phase under these conditions."""
    return (
        "keep day as number from 0 to 9\nkeep guest as player or none\nkeep seen of player as set of player\n"
        f"exception e to trial-run if {first}\n  instead\n    gain 1 coin\n"
        f"exception f to trial-run if {second}\n  instead\n    gain 2 coin\n"
    )


# --- that can never hold together -----------------------------------------------------------------


def test_single_active_card_has_no_conflict() -> None:
    assert codes_and_texts(CARDS) == []
    assert run_steps("nothing", rules=CARDS).get_value("coin", 0) == 2


def test_cards_distinguished_by_a_field_have_no_conflict() -> None:
    cards = CARDS.replace("card is in-force", "year of card = day") + "keep day as number from 0 to 9 starting at 1\n"
    assert run_steps("nothing", rules=cards).get_value("coin", 0) == 1


def test_several_active_cards_conflict() -> None:
    cards = CARDS.replace("card is in-force", "card is in in-force").replace("as card", "as set of card")
    assert [found.code for found in list_errors(cards)] == ["E0503"]


EXCLUDING = [
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
]
MEETING = [
    ("day = 1", "day = 1"),
    ("day < 3", "day <= 3"),
    ("day = 1 or coin of you = 1", "day = 2"),
    ("day != 4", "day != 5"),
    ("coin of you > 1", "coin of (left of you) < 1"),
    ("coin of you >= fame of you", "coin of you <= fame of you"),
    ("seen of you is empty", "seen of (left of you) is not empty"),
]


def test_only_overlapping_conditions_conflict(subtests: pytest.Subtests) -> None:
    for one, other in EXCLUDING:
        with subtests.test(one=one, other=other):
            assert list_errors(two_exceptions(one, other)) == [] == list_errors(two_exceptions(other, one))
    for one, other in MEETING:
        with subtests.test(one=one, other=other):
            assert [found.code for found in list_errors(two_exceptions(one, other))] == ["E0503"]


# --- over -----------------------------------------------------------------------------------------


def replacement(name: str, coins: int, then: str = "") -> str:
    return f"exception {name} to trial-run if fame of you < 9{then}\n  instead\n    gain {coins} coin\n"


def test_precedence_is_transitive_and_can_name_several(subtests: pytest.Subtests) -> None:
    low, middle, high = (
        replacement("low", 1),
        replacement("middle", 2, " over low"),
        replacement("high", 4, " over middle"),
    )
    for order in (low + middle + high, high + middle + low, middle + low + high):
        with subtests.test(order=order):
            assert list_errors(order) == []
            assert run_steps("nothing", rules=order).get_value("coin", 0) == 4
    beside = low + replacement("other", 2, " over low") + replacement("top", 4, " over other, low")
    assert run_steps("nothing", rules=beside).get_value("coin", 0) == 4


def test_unconditional_exception_yields_to_conditional_one(subtests: pytest.Subtests) -> None:
    always = "exception always to trial-run\n  instead\n    gain 1 coin\n"
    for rules in (always + replacement("at-times", 2), replacement("at-times", 2) + always):
        with subtests.test(rules=rules):
            assert list_errors(rules) == []
            assert run_steps("nothing", rules=rules).get_value("coin", 0) == 2
    first = always.replace("trial-run", "trial-run over at-times")
    assert run_steps("nothing", rules=first + replacement("at-times", 2)).get_value("coin", 0) == 1


def test_cyclic_precedence_and_unknown_names_are_errors() -> None:
    (found,) = list_errors(replacement("a", 1, " over b") + replacement("b", 2, " over a"))
    assert found.code == "E0503" and "in a circle" in found.title
    assert [d.code for d in list_errors(replacement("a", 1, " over b, c"))] == ["E0207", "E0207"]
    assert [d.code for d in list_errors(replacement("a", 1, " beside b"))] == ["E0207"]


# --- beside ---------------------------------------------------------------------------------------


def test_player_chooses_only_among_several_applicable_exceptions() -> None:
    rain = replacement("rain", 5, " over feast, fair").replace("fame of you < 9", "fame of you > 2")
    beside = replacement("feast", 1) + replacement("fair", 2, " beside feast")
    run = run_steps("nothing", rules=beside + rain)
    assert run.options == ["Feast", "Fair"]
    assert run.answer("Fair").get_value("coin", 0) == 2
    ruled = beside + rain + "when start of trial-run\n  gain 3 fame\n"
    assert run_steps("nothing", rules=ruled).get_value("coin", 0) == 5
    one = beside.replace("fame of you < 9", "fame of you > 9", 1)
    assert run_steps("gain 7 fame", rules=one).get_value("coin", 0) == 2
    none = beside.replace("fame of you < 9", "fame of you > 9")
    assert run_steps("gain 7 coin", rules=none).get_value("coin", 0) == 7


def test_rule_allows_what_any_exception_allows() -> None:
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
    run = run_steps("do bid", "do bid", rules=rules)
    assert run.options == ["2", "5", "8", "9"]
    assert run.answer("2").options == ["2", "5"]  # who has coins is poor only


def test_choice_between_exceptions_needs_a_current_player() -> None:
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
    (found,) = build_program((make_module(table),)).diagnostics
    assert found.code == "E0530" and "nobody can choose" in found.title and "`over` in place of `beside`" in found.help
    turns = table.replace("    play festival", "    each player\n      play festival")
    assert build_program((make_module(turns),)).ok


def test_precedence_is_described_in_english() -> None:
    rules = (
        replacement("feast", 1) + replacement("fair", 2, " beside feast") + replacement("rain", 5, " over feast, fair")
    )
    rules += replacement("snow", 5, " beside feast, fair, rain")
    known = link_texts(rules).resolved
    told = [describe(known, one.ability) for one in known.book.standalone]
    assert "(if “feast” applies too, you choose which one counts)" in told[1]
    assert "(takes precedence over “feast” and “fair”)" in told[2]
    assert "(if “feast”, “fair” or “rain” applies too, you choose which one counts)" in told[3]


def test_allowing_exception_describes_the_overruled_rule() -> None:
    rules = """
kind hut
hut one
  exception to visit.lit if coin of you > 2
    allow
action visit "Visit a hut"
  choose a hut as whom
  rule lit
    require coin of you > 9
    because "the window is dark"
  then
    gain 1 coin
"""
    resolved = link_texts(rules + make_phase("do visit")).resolved
    words = describe(resolved, resolved.require_definition("one").abilities[0])
    assert words == "you may visit a hut even if the window is dark, provided that you have more than 2 coins"


# --- the start and end of a routine ---------------------------------------------------------------

RECRUIT = "routine recruit with number called n\n  gain n coin\n"


def test_replaced_routine_still_raises_its_moments() -> None:
    rules = RECRUIT + "when start of recruit\n  gain n fame\nwhen end of recruit if n > 2\n  gain coin of you stick\n"
    rules += "exception poor to recruit if n = 1\n  instead\n    gain n brick\n"
    run = run_steps("do recruit with 1", "do recruit with 2", "do recruit with 3", rules=rules)
    assert [run.get_value(what, 0) for what in ("fame", "coin", "stick", "brick")] == [6, 5, 5, 1]


def test_when_routine_must_name_its_start_or_end() -> None:
    (found,) = list_errors(RECRUIT + "when recruit\n  gain 1 fame\n")
    assert found.code == "E0209" and "when start of recruit" in (found.help or "")


# --- to single steps of a phase: they know what it has named there, and leave other rules alone --------

HELPING = """
keep friends "friends" of player as set of player, quiet

routine thank "thank" with player called who
  each player in who
    gain 1 coin

phase later "Later"
  each player
    gain 1 brick
    do thank with you
    add you to friends of you
"""
HELP = (
    "let helped = first of everyone",
    "each player in helped",
    "  gain 1 brick",
    "  do thank with you",
    "  add you to friends of you",
    "play later",
)


def with_help_phase(exception: str) -> str:
    return f"{HELPING}\nexception odd {exception}\n"


REPLACED = [
    ("to gaining brick in trial-run if you is helped\n  instead\n    gain amount + 4 brick", 6, 2, [0]),
    ("to gaining brick in trial-run if you is not helped\n  instead\n    nothing", 2, 2, [0]),
    ("to gaining stuff in trial-run if you is helped\n  instead\n    gain amount + 1 stuff", 3, 2, [0]),
    ("to gaining brick in trial-run if you is helped\n  instead\n    gain 1 brick\n    gain 1 brick", 3, 2, [0]),
    ("to gaining brick in later\n  instead\n    gain 3 brick", 4, 2, [0]),
    ("to gaining brick\n  instead\n    gain 3 brick", 6, 2, [0]),
    ("to thank in trial-run if helped is you\n  instead\n    do thank with who\n    gain 5 coin", 2, 7, [0]),
    ("to thank in later\n  instead\n    nothing", 2, 1, [0]),
    ("to joining friends in later\n  instead\n    gain 7 coin", 2, 2, [0]),
    ("to joining friends in trial-run if player is helped\n  instead\n    gain 7 coin", 2, 9, [0]),
]


def test_local_exception_replaces_the_phases_own_steps(subtests: pytest.Subtests) -> None:
    """It does not replace steps of other exceptions."""
    for exception, bricks, coins, friends in REPLACED:
        with subtests.test(exception=exception):
            answers = ["brick"] * 2 if "stuff\n" in exception else []
            run = run_steps(*HELP, rules=with_help_phase(exception), answers=answers)
            found = run.get_value("brick", 0), run.get_value("coin", 0), run.describe_value("friends", 0)
            assert found == (bricks, coins, friends)


def test_local_exception_does_not_apply_elsewhere() -> None:
    rules = with_help_phase("to joining friends in trial-run if player is helped\n  instead\n    nothing")
    assert run_steps(*HELP[:-1], rules=rules).describe_value("friends", 0) == []


def test_local_exception_sees_sets_of_several_cells() -> None:
    tiles = "kind tile\n  size number from 1 to 90\ntile for each size\n"
    rules = tiles + "exception few to gaining coin in trial-run if count of large > 8\n  instead\n    gain 2 coin\n"
    assert run_steps("let large = tiles where size of it > 80", "gain 1 coin", rules=rules).get_value("coin", 0) == 2


def test_local_exception_precedes_general_one_and_only_the_same_steps_conflict() -> None:
    two = "exception {} to gaining brick{} if coin of you < 99\n  instead\n    gain {} coin\n"
    rules = HELPING + two.format("here", " in trial-run", 3) + two.format("anywhere", "", 4)
    assert run_steps(*HELP, rules=rules).get_value("coin", 0) == 3 + 4 + 2
    rules = HELPING + two.format("here", " in trial-run", 3) + two.format("there", " in trial-run", 4)
    assert "E0503" in {one.code for one in compile_texts(rules + make_phase(*HELP)).diagnostics}


def test_missing_name_or_step_is_reported(subtests: pytest.Subtests) -> None:
    """A name must exist at each of the steps and mean the same thing."""
    for lines, condition, named in (
        (("gain 1 coin", "let few = everyone", "let z = few"), "few is not empty", "few"),
        (("gain 1 coin", "each player as one", "  gain 1 coin"), "one is you", "one"),
        (("each player as one", "  gain 1 coin", "each player as one", "  gain 2 coin"), "one is you", "one"),
    ):
        with subtests.test(lines=lines):
            text = f"exception odd to gaining coin in trial-run if {condition}\n  instead\n    nothing\n" + make_phase(
                *lines
            )
            found = next(one for one in list_errors(text) if one.code == "E0213")
            assert underlined_text(text, found) == named and "trial-run" in found.title
    for exception, word, title in (
        ("to later in trial-run", "trial-run", "a phase is not a single step of a phase"),
        ("to losing coin in later", "later", "there is no losing coin among the steps of `later`"),
    ):
        with subtests.test(exception=exception):
            text = with_help_phase(f"{exception}\n  instead\n    nothing") + make_phase(*HELP)
            (found,) = list_errors(text)
            assert (found.code, underlined_text(text, found), found.title) == ("E0213", word, title)


# --- exceptions that count once per phase --------------------------------------------------------

LIMITED = """
phase day "Day"
  nothing
kind tree
tree oak
tree ash
keep owned of player as set of tree
routine bonus
  gain 1 coin
action claim
  choose a tree as what "Which?"
  rule open
    require what is not in owned of you
  then
    add what to owned of you
    gain 1 fame
"""


def test_exception_to_a_rule_is_used_up_once_it_is_needed() -> None:
    rules = LIMITED + "exception again to claim.open, once per day\n  allow\n"
    run = run_steps(*["do claim"] * 3, rules=rules, answers=["oak", "oak"])
    assert run.is_over and run.get_value("fame", 0) == 3  # only the ash is left, so nobody is asked
    run = run_steps(*["do claim"] * 3, "play day", "do claim", rules=rules, answers=["oak", "oak"])
    assert run.options == ["oak", "ash"]


def test_exception_to_a_routine_counts_once_per_phase_for_each_player() -> None:
    rules = LIMITED + "exception more to bonus, once per day\n  instead\n    gain 5 coin\n"
    run = run_steps("each player", "  do bonus", "  do bonus", rules=rules)
    assert (run.get_value("coin", 0), run.get_value("coin", 1)) == (6, 6)
    assert run_steps("do bonus", "play day", "do bonus", rules=rules).get_value("coin", 0) == 10


def test_declined_exception_is_not_used_up() -> None:
    rules = (
        LIMITED
        + """
exception more to bonus, once per day
  instead
    may gain 5 stick
    else
      do bonus
"""
    )
    run = run_steps("do bonus", "do bonus", "do bonus", rules=rules, answers=["-", "Yes"])
    assert (run.get_value("coin", 0), run.get_value("stick", 0)) == (2, 5)


def test_exception_to_a_step_counts_once_per_phase() -> None:
    rules = LIMITED + "exception more to gaining coin, once per day\n  instead\n    gain 3 coin\n"
    assert run_steps("gain 1 coin", "gain 1 coin", "play day", rules=rules).get_value("coin", 0) == 4
