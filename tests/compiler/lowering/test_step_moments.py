"""Tests of moments and exceptions of steps, such as gaining a resource or joining a set."""

from __future__ import annotations

import pytest

from edict.compiler.english import describe
from edict.compiler.english.calendar import build_calendar
from edict.compiler.pipeline.pipeline import build_program
from helpers import codes_and_texts, link_texts, list_errors, make_module, make_phase, run_cases, run_steps

TREES = """
kind tree "tree/trees"
  height number
  works if tree is in owned of you
tree oak "Oak"
  height 9
tree elm "Elm"
  height 5
tree yew "Yew"
  height 2
"""
RULES = (
    TREES
    + """\
  exception to gaining stick if amount > 1
    instead
      gain amount + 1 stick
keep owned "trees" of player as set of tree
keep deck as set of tree starting at trees
keep heap as set of tree
keep hidden of player as set of tree, secret
keep crown as player or none
"""
)


def bricks_for_sticks(more: str = "") -> str:
    return f"{RULES}exception baking to gaining stick if fame of you > 0{more}\n  instead\n    gain amount brick\n"


GAINED = [
    ("gain 2 stick", 2, 0),
    ("add yew to owned of you\ngain 2 stick", 3, 0),
    ("add yew to owned of you\ngain 1 stick", 1, 0),  # its condition
    ("add yew to owned of left of you\ngain 2 stick", 2, 0),  # another player's
    ("gain 1 fame\ngain 2 stick", 0, 2),
    ("gain 1 fame and 2 stick and 1 brick", 0, 3),
    ("gain 1 fame\ngain 1 of each stuff", 0, 2),
    ("gain 1 fame\nlet one = sticks\ngain 2 from one", 0, 2),
    ("gain 1 fame\nfor left of you\n  give 1 stick to left of you", 0, 0),  # who cannot pay
    ("gain 2 stick\ngain 1 fame\nspend 1 stick\n  gain 1 stick", 1, 1),
]


def test_exception_replaces_a_gain(subtests: pytest.Subtests) -> None:
    rules = bricks_for_sticks(" over yew") + "value sticks is stuffs where it is stick\n"
    for run, lines, stick, brick in run_cases(GAINED, rules):
        with subtests.test(lines=lines):
            assert (run.get_value("stick", 0), run.get_value("brick", 0)) == (stick, brick)


def test_exceptions_apply_in_turn_to_one_step() -> None:
    """The yew adds one, and then none is left to add another; and the other way round."""
    lines = ("add yew to owned of you", "gain 1 fame", "gain 2 stick")
    assert run_steps(*lines, rules=bricks_for_sticks(" over yew")).get_value("brick", 0) == 2
    first = bricks_for_sticks().replace("amount > 1", "amount > 1 over baking")
    assert run_steps(*lines, rules=first).get_value("brick", 0) == 3


def test_mutually_triggering_exceptions_terminate() -> None:
    rules = RULES + "exception there to gaining stick\n  instead\n    gain amount brick\n"
    rules += "exception back to gaining brick\n  instead\n    gain amount + 1 stick\n"
    run = run_steps("gain 2 stick", "gain 1 brick", rules=rules)
    assert (run.get_value("stick", 0), run.get_value("brick", 0)) == (3, 2)


def test_exception_can_repeat_its_step_through_a_routine() -> None:
    rules = RULES + "routine forage\n  gain 3 stick\nexception more to gaining stick\n  instead\n    do forage\n"
    assert run_steps("gain 1 stick", "gain 1 stick", rules=rules).get_value("stick", 0) == 6


def test_player_chooses_between_equal_exceptions() -> None:
    run = run_steps("add yew to owned of you", "gain 1 fame", "gain 2 stick", rules=bricks_for_sticks(" beside yew"))
    assert run.options == ["Yew", "Baking"]
    assert run.answer("Baking").get_value("brick", 0) == 2


def test_exceptions_to_losses_cover_groups_but_not_payments() -> None:
    rules = RULES + "exception thrift to losing stuff if fame of you > 0\n  instead\n    lose amount - 1 stuff\n"
    run = run_steps("gain 3 stick and 1 brick and 1 fame", "lose 2 stick and 1 brick", "spend 1 stick", rules=rules)
    assert (run.get_value("stick", 0), run.get_value("brick", 0)) == (1, 1)
    run = run_steps("gain 3 stick and 1 fame", "lose 9 stick", rules=rules)  # at most what there is
    assert run.get_value("stick", 0) == 1


def test_owner_can_pay_to_keep_a_leaving_thing() -> None:
    rules = RULES + "exception ransom to leaving owned\n  instead\n    may spend 1 coin\n    else\n"
    rules += "      remove tree from owned of player\n"
    lines = ("for left of you", "  add trees to owned of you", "  gain 2 coin")
    run = run_steps(*lines, "remove (oak, elm) from owned of left of you", rules=rules)
    assert run.seat == 1
    run.answer("1 coin").answer("-")
    assert run.is_over and run.describe_value("owned", 1) == ["oak", "yew"] and run.get_value("coin", 1) == 1


def test_retained_thing_does_not_arrive_elsewhere(subtests: pytest.Subtests) -> None:
    rules = RULES + "keep sack as bag of tree\n"
    rules += "exception rooted to leaving deck if tree is oak\n  instead\n    nothing\n"
    for run, line in run_cases(
        [
            (f"{step} heap",)
            for step in (
                "move oak from deck to",
                "move trees from deck to",
                "draw 3 trees from deck into",
            )
        ],
        rules,
    ):
        with subtests.test(line=line):
            while not run.is_over:
                run.answer(run.options[0])
            assert "oak" in run.describe_value("deck") and "oak" not in run.describe_value("heap")
    cases = [
        (f"move {what} from deck to sack\ngain count of sack coin", moved)
        for what, moved in (("oak", 0), ("trees", 2), ("elm", 1))
    ]
    for run, line, moved in run_cases(cases, rules):
        with subtests.test(line=line):
            assert run.get_value("coin", 0) == moved


def test_exception_can_replace_a_joining_thing() -> None:
    rules = RULES + "exception seedling to joining owned if tree is oak\n  instead\n    add yew to owned of you\n"
    rules += "when joining owned\n  gain height of tree coin\n"
    run = run_steps("add oak to owned of you", "set owned of you to (oak, elm)", rules=rules)
    assert run.describe_value("owned", 0) == ["elm", "yew"] and run.get_value("coin", 0) in (7, 9)


def test_exceptions_work_with_sets_of_several_cells() -> None:
    many = "".join(f"leaf leaf-{i}\n" for i in range(70))
    rules = f"kind leaf\n{many}keep leaves as set of leaf\nexception last to leaving leaves if leaf is leaf-69\n"
    rules += "  instead\n    gain 1 coin\n"
    run = run_steps("add leafs to leaves", "set leaves to leaf-3", "gain count of leaves fame", rules=rules)
    assert (run.get_value("coin", 0), run.get_value("fame", 0)) == (1, 2)


def test_gains_and_losses_raise_moments() -> None:
    rules = RULES + "when gaining stick\n  for player\n    gain amount coin\nwhen losing stuff if stuff is stick\n"
    rules += "  for player\n    gain stick of you fame\n"
    run = run_steps("gain 3 stick", "gain 0 stick", "lose 2 stick", rules=rules)
    assert (run.get_value("coin", 0), run.get_value("fame", 0)) == (3, 3)


SECRET = "`hidden` is secret, so no rule can react to things joining or leaving it"
MISTAKES = [
    ("exception x to leaving crown", "E0209", "`crown` is not a set, so nothing joins or leaves it"),
    ("exception x to leaving hidden", "E0209", SECRET),
    ("exception x to owned", "E0202", "`owned` is a keep, but an action, phase or routine is expected here"),
    ("exception x to gaining owned", "E0202", "`owned` is a keep, but a resource, group or die is expected here"),
    ("when gaining owned", "E0202", "`owned` is a keep, but a resource, group or die is expected here"),
    ("when joining crown", "E0209", "`crown` is not a set, so nothing joins or leaves it"),
    ("when joining hidden", "E0209", SECRET),
    ("when owned", "E0202", "`owned` is a keep, but a moment, phase or routine is expected here"),
    ("when leaving trial-run", "E0202", "`trial-run` is a phase, but a keep is expected here"),
]


def test_invalid_step_rules_are_reported(subtests: pytest.Subtests) -> None:
    for rule, code, title in MISTAKES:
        with subtests.test(rule=rule):
            body = "  instead\n    nothing\n" if rule.startswith("exception") else "  nothing\n"
            assert [(d.code, d.title) for d in list_errors(f"{RULES}{rule}\n{body}")] == [(code, title)]


def test_overlapping_exceptions_need_precedence() -> None:
    of_group = RULES + "exception tax to gaining stuff\n  instead\n    nothing\n"
    assert [d.code for d in list_errors(of_group)] == []  # it always holds, and gives way to what does not
    both = of_group.replace("to gaining stuff", "to gaining stuff if fame of you > 0")
    assert [(d.code, d.title) for d in list_errors(both)] == [
        ("E0503", "two exceptions replace `gaining stick`, and both could apply at once")
    ]


def test_allow_is_rejected_for_steps() -> None:
    (found,) = list_errors(RULES + "exception x to gaining stick\n  allow\n")
    assert (found.code, found.title) == (
        "E0210",
        "only rules of actions can be allowed or refused, not gaining something",
    )


def test_step_exceptions_are_rejected_in_simultaneous_questions() -> None:
    rules = RULES + "keep vote of player as truth, secret\nexception x to joining heap\n  instead\n    gain 1 coin\n"
    lines = make_phase("each player at once", "  may set vote of you to yes", "  add oak to heap")
    assert {code for code, _ in codes_and_texts(rules + lines)} == {"E0538"}


def test_step_exceptions_are_described_in_english() -> None:
    rules = link_texts(bricks_for_sticks(" over yew") + "exception r to leaving owned\n  instead\n    nothing\n")
    told = [describe(rules.resolved, one.ability) for one in rules.resolved.book.standalone]
    assert told == [
        "instead of gaining sticks, if you have fame (takes precedence over “Yew”): gain that many bricks",
        "instead of a tree leaving a player's trees: nothing",
    ]


def test_gain_with_possible_exception_is_asked() -> None:
    offer = "tree fig\n  height 1\n  when end of trial-run\n    may gain 1 brick\n"
    assert run_steps("add fig to owned of you", rules=RULES + offer).is_over
    rules = RULES + offer + "exception curse to gaining brick\n  instead\n    lose 1 fame\n"
    assert not run_steps("add fig to owned of you", rules=rules).is_over


# --- rules that wait for what joins or leaves a set ---------------------------------------------------

PASSING = (
    TREES
    + """\
  when leaving owned if tree is yew and player is you
    gain 7 brick
  when joining owned if tree is yew and player is you
    gain 1 brick
keep owned "trees" of player as set of tree
keep deck as set of tree starting at trees
keep friends of player as set of player
when joining owned
  gain height of tree coin
when leaving owned
  gain count of owned of player fame
"""
)
PASSED = [
    ("add oak to owned of you", 9, 0, 0),
    ("add oak to owned of you\nadd oak to owned of you", 9, 0, 0),  # it is there already
    ("add (oak, elm) to owned of you", 14, 0, 0),
    ("remove oak from owned of you", 0, 0, 0),
    ("add oak to owned of you\nremove oak from owned of you", 9, 1, 0),  # it is still there when the rules come
    ("add oak to owned of you\nset owned of you to elm", 14, 1, 0),
    ("add trees to owned of you\nset owned of you to elm", 16, 6, 8),  # the yew notices that it comes and goes
    ("add yew to owned of left of you", 2, 0, 0),
    ("move oak from deck to owned of you", 9, 0, 0),
    ("draw 3 trees from deck into owned of you", 16, 0, 1),
    ("add oak to owned of you\nswap owned of you with owned of left of you", 18, 1, 0),
    ("add oak to deck\nremove oak from deck", 0, 0, 0),  # nobody waits for these
]


def test_joining_and_leaving_raise_moments(subtests: pytest.Subtests) -> None:
    for run, lines, *wanted in run_cases(PASSED, PASSING):
        with subtests.test(lines=lines):
            while not run.is_over:
                run.answer(run.options[0])
            assert [run.get_value(what, 0) for what in ("coin", "fame", "brick")] == wanted


def test_change_by_a_leaving_moment_is_respected() -> None:
    rules = PASSING + "when leaving deck if tree is oak\n  add yew to owned of you\n  set tally to tally + 1\n"
    rules += "keep tally as number\n"
    run = run_steps("set deck to (elm, oak)", "set deck to (elm, yew)", rules=rules)
    assert run.describe_value("deck") == ["elm", "yew"] and run.get_value("tally") == 1


def test_retained_members_raise_no_moments() -> None:
    stays = "exception stays to leaving owned if tree is oak\n  instead\n    gain 1 stick\n"
    refused = "exception refused to joining owned if tree is elm\n  instead\n    gain 2 stick\n"
    run = run_steps("add trees to owned of you", "set owned of you to elm", rules=PASSING + stays + refused)
    assert run.describe_value("owned", 0) == ["oak"], "the oak has not gone, nor has the elm come"
    assert [run.get_value(what, 0) for what in ("coin", "fame", "brick", "stick")] == [11, 2, 8, 5]


def test_players_can_join_a_set() -> None:
    rules = PASSING + "when joining friends\n  for other\n    gain 1 stick\n"
    assert run_steps("add left of you to friends of you", rules=rules).get_value("stick", 1) == 1


def test_endless_moment_recursion_is_reported() -> None:
    found = codes_and_texts(
        PASSING + "when joining owned\n  add oak to owned of left of you\n" + make_phase("add elm to owned of you")
    )
    assert [code for code, _ in found] == ["E0601"]


def test_step_moment_without_current_player_is_reported() -> None:
    game = "resource coin\nresource brick\nresource fame\nkeep line as order of player\n"
    game += "game trial\n  players 2 to 2\n  order line\n  winners everyone\n  score coin of you\n  course\n"
    game += "    play trial-run\nphase trial-run\n  add oak to owned of first of line\n"
    assert {found.code for found in build_program((make_module(game + PASSING),)).diagnostics} == {"E0530"}


def test_step_moments_are_described_and_in_the_calendar() -> None:
    rules = link_texts(PASSING + make_phase("add oak to owned of you", "remove oak from deck"))
    told = [describe(rules.resolved, one.ability) for one in rules.resolved.book.standalone]
    assert told == [
        "after a tree joins a player's trees, gain coins equal to the height of the tree",
        "before a tree leaves a player's trees, gain fame equal to the number of trees of the player",
    ]
    (joining,) = [one for one in build_calendar(rules) if one.line == "when joining owned"]
    assert joining.values == (("player", "player"), ("tree", "tree")) and joining.turn
