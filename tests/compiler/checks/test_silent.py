"""Rules without an effect or with an unintended one: each is a single warning at its place."""

from __future__ import annotations

import pytest

from huts import GAME, apply_fix, codes_and_texts, find_in

CHARM = "quantity charm of player is 2 + day / 10, at least 0, at most 8\nadjust limit by charm of you\n"
FINE = [
    "if coin of you > 3\n  gain 1 brick\nelse if coin of you > 1\n  gain 2 brick\nelse\n  gain 1 coin",
    "if coin of you > 3\n  lose 2 coin\n  if coin of you < 3\n    gain 1 brick",
    "gain count of owned of you - 1 brick",
    "each player in (everyone where coin of it > coin of you)\n  gain 1 brick",
    "each player as other\n  if coin of other > 3\n    gain 1 brick",
    "repeat 3 times\n  if coin of you > 3\n    leave loop\n  gain 1 brick",
    "choose one\n  gain 1 coin\n  gain 1 brick",
    "gain 1 coin or 2 coin",  # no price needs them, so more of them need not be better
    "choose one\n  lose 1 stick\n  lose 2 stick\n  lose 3 stick",
    "gain 1 fame and 1 brick or 2 fame",
    "gain 1 fame or 1 of each stuff except brick",
    "choose a stuff as g\ngain 1 fame or 1 g",
    "choose one\n  spend 1 coin\n    gain 1 fame\n  spend 2 coin\n    gain 2 fame",
    'choose one\n  option "A" if day > 3\n    gain 2 fame\n  option "B"\n    gain 1 fame',
    "choose one asking left of you\n  gain 1 fame\n  gain 2 fame",
    "gain 1 fame or 2 fame\nif fame of you > 9\n  lose 9 fame",  # too much of it hurts
    "choose one\n  gain 1 fame\n  gain day fame",
    "may gain 1 fame",
    "let x = coin of you\ngain x brick",
    "set day to 1\nset day to day + 1",
    "set owned of you to nobody\nset owned of you to huts",
    "set day to 0\nrepeat until day > 3\n  add 1 to day",
    "set day to 0\nadd coin of you to day\nif day > 3\n  gain 1 brick",
    'announce you, "has some of the coins, {sic}, of you"',
    "repeat 20 times\n  add 1 to day",
    "set day to 0\nrepeat 30 times\n  set day to 0\n  add 1 to day",
    "repeat 30 times\n  if day < 20\n    add 1 to day",
    "repeat 30 times\n  add 1 to day\n  if day = 20\n    leave loop",
    "repeat 30 times\n  add 1 to day\n  if day = 20\n    end game",
    "repeat 30 times\n  add 1 to day\n  remove 1 from day",
    "may spend 1 coin\nelse\n  lose 1 brick",
    "choose 2 huts from huts as some-huts\nset owned of you to some-huts",
    "draw day + 1 huts from huts as some-huts\nset owned of you to some-huts",
    "spend 1 coin",
    "add 0 to rolled",  # of a set of numbers 0 is a member like any other
    "remove 0 from rolled",
    "if count of owned of you >= 2\n  gain 1 brick",
    "each hut in owned of you\n  gain 1 coin",
    "arrange seats lowest best of coin of it and day first",
    "arrange seats highest count of (owned of it where height of it > 2) first",
    "add (cubes showing 6 among thrown) to thrown",
    "choose a number from 1 to coin of you as n\nlose n coin",
    "may spend 2 brick\n  gain 1 coin",
    "may lose 2 brick",
    "may lose 1 brick\nelse\n  lose 1 coin",
    "may lose 1 fame\n  gain 1 coin",  # may go below 0
    "may lose all brick\n  gain 1 coin",
    "if brick of you > 1\n  may lose 2 brick\n    gain 1 coin",
    "if stuff of you > 1\n  may lose 2 brick\n    gain 1 coin",
    'may lose 1 brick\n  announce you, "carries less"\n  lose 1 coin',
    "choose a number from 1 to coin of you as n\nmay lose n coin\n  gain n brick",
    "if coin of you > 3 and (day > 3 or brick of you > 2)\n  gain 1 brick",
    "if coin of you > 3 or not (day > 3 and brick of you > 2)\n  gain 1 brick",
    "repeat until coin of you > 3 and day > 3\n  gain 1 brick\n  if brick of you > 3\n    leave loop",
    "choose a number from 0 to 9 as n\nspend n coin\n  gain n fame",
    "choose a number from 0 to 9 as n\ngain n fame and 9 - n coin",
    "choose a number from 0 to 9 as n\ngain n fame\ngain 9 - n coin or 1 brick",
    "choose a number from 0 to 9 as n asking left of you\ngain n fame",  # the player may choose little for another
    "choose a number from 0 to 9 as n\neach player\n  gain n fame",
    "choose a number from 0 to 9 as n\ngain n fame\nif fame of you > 21\n  lose all fame",
    "choose a number from 0 to 9 as n\ngain n stick",  # neither paid with nor scored, so it may be a burden
    "draw a number from 0 to 9 as n\ngain n fame",
    "spend 2 coin\n  gain 1 coin",
    "spend 1 stuff as paid\n  gain 2 paid",  # one more of what one has
    "spend 1 stuff\n  gain 1 stuff",  # one of them for another
    "spend 1 coin or 1 brick\n  gain 1 coin",
    "spend 2 coin\n  may do build\n  gain 2 coin",  # unavailable for payments in between
    "if can spend 1 coin\n  gain 1 fame",
    "if some player has fame of it < 5\n  may spend 1 coin\n    choose a player as poorer where fame of it < 5\n"
    "    give 1 brick to poorer",
    "choose a player as poorer where fame of it < 5\nmay spend 1 coin\n  give 1 brick to poorer",
    "may spend 1 coin\n  choose a player as other where it is not you\n  give 1 brick to other",
    "may spend 1 coin\n  gain 1 fame\n  choose a player as poorer where fame of it < 5\n  give 1 brick to poorer",
    "may spend 1 coin\n  each player where fame of it < 5\n    lose 1 fame\n  gain 1 brick",
    "may spend 1 coin\n  each player in (players with most fame of it)\n    lose 1 fame",  # there is always one
    "spend 1 coin\n  each player where fame of it > 5\n    lose 1 fame",  # perhaps a fine
    "lose 1 coin\ngain 1 coin",  # players with none lose nothing
]


def check_step_in_turn(step: str) -> list[tuple[str, str]]:
    """Return the codes and places reported for a step in the turn of each player."""
    lines = "".join(f"    {line}\n" for line in step.splitlines())
    return [(code, text.split("\n")[0]) for code, text in codes_and_texts(f"{GAME}{lines}")]


@pytest.mark.parametrize("word", dict.fromkeys(step.split()[0] for step in FINE))
def test_step_that_may_be_deliberate_is_not_reported(word: str, subtests: pytest.Subtests) -> None:
    for step in (step for step in FINE if step.split()[0] == word):
        with subtests.test(step=step):
            assert check_step_in_turn(step) == []


def test_adjustment_within_the_bounds_of_a_quantity_is_not_reported(subtests: pytest.Subtests) -> None:
    for text in (
        "adjust charm by -4",  # to its bound, and no farther
        "adjust charm by -9\nadjust charm by 6 if day > 3",
        "adjust charm by -9\nhut barn\n  height 2\n  adjust charm by 6",
        "adjust charm by 7\nadjust charm by -4 if day > 3",
        "adjust charm by -9 if day > 3",  # none at all then
        "adjust charm by 1 - day",
        "adjust limit by -9",  # has no bounds
    ):
        with subtests.test(text=text):
            assert codes_and_texts(f"{GAME}\n{CHARM}{text}\n") == []


def test_obvious_maximum_is_reported_although_an_action_requires_an_amount(subtests: pytest.Subtests) -> None:
    step = "    choose a number from 0 to 9 as n\n    gain n coin\n    spend 3 coin\n"
    for require, told in (("height of what <= coin of you", 1), ("height of what > coin of you", 0)):
        with subtests.test(require=require):
            rule = f"  rule paid\n    require {require}\n  then\n"
            assert [code for code, _ in codes_and_texts(GAME.replace("  then\n", rule, 1) + step)] == ["E0580"] * told


def test_step_that_other_rules_wait_for_is_not_reported(subtests: pytest.Subtests) -> None:
    for step, waiting, told in (
        ("    spend 1 coin\n      gain 1 coin\n", "when gaining coin\n  gain 1 brick\n", []),
        ("    may lose 2 brick\n      gain 1 coin\n", "when losing stuff\n  add 1 to day\n", []),
        ("    gain 1 fame or 2 fame\n", "when gaining fame\n  each player\n    gain 1 coin\n", []),
        ("    gain 1 fame or 2 fame\n", "when gaining brick\n  each player\n    gain 1 coin\n", [("E0578", "1 fame")]),
    ):
        with subtests.test(step=step, waiting=waiting):
            assert codes_and_texts(f"{GAME}{step}\n{waiting}") == told


def test_fix_replaces_a_loss_by_a_price() -> None:
    text = f"{GAME}    may lose 2 brick\n      gain 1 coin\n"
    assert apply_fix(text) == text.replace("may lose", "may spend")


TWICE = "when end of trial-run\n  each player\n    gain 1 brick\n"
IN_A_THING = "".join(f"  {line}\n" for line in TWICE.splitlines())


WRITTEN_TWICE: tuple[tuple[str, list[str]], ...] = (
    (TWICE + TWICE, ["when end of trial-run"]),
    ("adjust limit by 1 if day > 3\nadjust limit by 1 if day > 3\n", ["adjust limit by 1 if day > 3"]),
    (f"hut barn\n  height 2\n{IN_A_THING}{IN_A_THING}", ["when end of trial-run"]),
    (TWICE + TWICE.replace("1 brick", "2 brick"), []),
    (TWICE + TWICE.replace("end of", "start of"), []),
    (TWICE * 5, []),  # more than two are deliberate
)


def test_rules_that_are_written_twice_are_reported(subtests: pytest.Subtests) -> None:
    for text, told in WRITTEN_TWICE:
        with subtests.test(text=text):
            actual = [(code, place.split("\n")[0].strip()) for code, place in codes_and_texts(f"{GAME}\n{text}")]
            assert actual == [("E0555", place) for place in told]


GIFT = "when end of trial-run\n    each player\n      gain 1 brick\n"
SHED = f"{GAME}\nhut barn\n  height 2\n  {GIFT}  adjust limit by 2 if day > 3\n\namend hut barn\n  "


def test_amendment_that_repeats_an_ability_with_other_amounts_is_reported(subtests: pytest.Subtests) -> None:
    for added, sum_ in (
        (GIFT.replace("1 brick", "2 brick"), "3"),
        (GIFT, "2"),
        (GIFT.replace("gain", "may gain"), "2"),
        ("adjust limit by 3 if day > 3\n", "5"),
    ):
        with subtests.test(sum_=sum_):
            (diagnostic,) = find_in(SHED + added)
            assert (diagnostic.code, diagnostic.severity, diagnostic.note) == (
                "E0575",
                "warning",
                f"Together they come to {sum_}.",
            )
            assert diagnostic.span.line > diagnostic.labels[0].span.line
    titled = GIFT.replace("trial-run\n", 'trial-run "A second gift"\n')
    assert codes_and_texts(SHED + titled) == []


def test_amendment_that_adds_something_else_is_not_reported(subtests: pytest.Subtests) -> None:
    for added in (
        GIFT.replace("1 brick", "1 coin"),
        GIFT.replace("end of", "start of"),
        GIFT.replace("trial-run", "trial-run if day > 3"),
        GIFT.replace("gain 1 brick", "may spend 1 coin\n        gain 1 brick"),
        GIFT.replace("1 brick", "day brick"),
        "adjust limit by 3 if day > 5\n",
        "adjust limit by -2 if day > 3\n",  # takes it away again
        "adjust limit by ticks if day > 3\n",
    ):
        with subtests.test(added=added):
            assert codes_and_texts(SHED + added) == []


def test_during_a_phase_that_is_never_played_at_that_moment_is_reported(subtests: pytest.Subtests) -> None:
    extra = "phase extra\n  gain 1 coin\nwhen end of tick\n  each player\n    play extra\n"
    for more, moment, phase, never in (
        ("", "end of tick", "trial-run", False),  # which plays it
        ("", "end of trial-run", "trial-run", False),
        ("", "end of trial-run", "tick", True),
        (extra, "start of extra", "tick", False),  # which a rule for its end plays
        ("", "start of trial-run", "tick", True),
    ):
        with subtests.test(moment=moment, phase=phase):
            text = f"{GAME}\n{more}when {moment}\n  if during {phase}\n    each player\n      gain 1 brick\n"
            assert codes_and_texts(text) == [("E0550", f"during {phase}")] * never


def test_unused_names_are_not_reported_in_a_draft() -> None:
    """Rules without a panel are not played yet."""
    draft = "resource pearl\nkeep bonus as number\nquantity charm is 2\nphase trial-run\n  let x = 1\n  nothing\n"
    assert codes_and_texts(draft) == []


def test_contradictory_rules_of_an_action_are_reported_unless_there_is_an_exception() -> None:
    rules = "  rule tall\n    require height of what > 3\n  rule small\n    require height of what < 3\n  then\n"
    text = GAME.replace("  then\n", rules, 1)
    assert codes_and_texts(text) == [("E0550", "height of what < 3")]
    assert codes_and_texts(text + "exception e to build.small if day > 3\n  allow\n") == []


READINGS = (
    ("day > 3 and ticks > 3 or day > 9", "(day > 3 and ticks > 3) or day > 9", "day > 3 and (ticks > 3 or day > 9)"),
    ("day > 3 or ticks > 3 and day > 9", "day > 3 or (ticks > 3 and day > 9)", "(day > 3 or ticks > 3) and day > 9"),
    (
        "(day > 3 or ticks > 3) and day < 9 or day > 9 or ticks > 9 and day < 5",
        "((day > 3 or ticks > 3) and day < 9) or day > 9 or (ticks > 9 and day < 5)",
        "(day > 3 or ticks > 3) and (day < 9 or day > 9 or ticks > 9) and day < 5",
    ),
    (
        "count of (huts where height of it > 3 and day > 3 or day > 9) < 1 or day > 15",
        "count of (huts where (height of it > 3 and day > 3) or day > 9) < 1 or day > 15",
        "height of it > 3 and (day > 3 or day > 9)",
    ),
)


def test_and_beside_or_is_reported_with_both_readings(subtests: pytest.Subtests) -> None:
    for step in ("if {}\n      gain 1 brick", "repeat until {}\n      leave loop"):
        for written, read, other in READINGS:
            with subtests.test(written=written):
                text = f"{GAME}    {step.format(written)}\n"
                (diagnostic,) = find_in(text)
                assert (diagnostic.code, diagnostic.exact) == ("E0577", True) and f"`{other}`" in diagnostic.help
                assert f" {read}\n" in apply_fix(text)


def test_condition_after_no_member_is_reported_unless_it_is_about_the_member(subtests: pytest.Subtests) -> None:
    for condition, told in (
        ("no hut has height of it > 3 and day > 3", True),
        ("no hut has (height of it > 3 and day > 3)", False),
        ("(no hut has height of it > 3 and day > 3)", False),
        ("no hut has height of it > 3 and day > height of it", False),
        ("no hut as one has day > 3 or height of one > 3", False),
        ("some hut has height of it > 3 and day > 3", False),
    ):
        with subtests.test(condition=condition):
            found = find_in(f"{GAME}    if {condition}\n      gain 1 brick\n")
            assert [(one.code, "(no hut has height of it > 3) and" in one.help) for one in found] == [
                ("E0577", True)
            ] * told


def test_winners_other_than_the_highest_score_are_reported(subtests: pytest.Subtests) -> None:
    for winners, score, told in (
        ("fewest coin of it", "coin of you", True),
        ("most coin of it", "brick of you", True),
        ("most coin of it then most brick of it", "brick of you", False),
        ("fewest coin of it", "0 - coin of you", False),
        ("most count of owned of it", "count of owned of you", False),
        ("most brick of it", "limit of you", False),
        ("most brick of it", "0", False),
    ):
        with subtests.test(winners=winners, score=score):
            text = f"{GAME}\namend game trial\n  winners everyone with {winners}\n  score {score}\n"
            assert [code for code, _ in codes_and_texts(text)] == ["E0560"] * told
