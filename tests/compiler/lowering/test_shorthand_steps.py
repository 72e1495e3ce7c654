"""Tests that shorthand steps do what their expansions do."""

from __future__ import annotations

from textwrap import indent

import pytest

from edict.compiler.english import describe
from helpers import CHANCE, Run, link_texts, list_errors, make_phase, run_cases, run_steps

RULES = """
resource apple "apple/apples"
resource plum "plum/plums"
group fruit "fruit/fruits" is apple, plum
kind card "card/cards"
  rank number from 1 to 5
  toll amounts, optional
card a
  rank 1
  toll 1 coin, 2 apple
card b
  rank 2
card c
  rank 3
card d
  rank 4
keep deck as set of card starting at cards
keep hand "hand" of player as set of card, secret
keep pile as set of card
keep number-kept as number
keep starter as player
quantity price of card in fruit is rank of card
"""
HAND = "set hand of you to (a, b, c)"


def run_lines(*lines: str, answers: tuple[str, ...] = (), players: int = 2) -> Run:
    """Run lines for the first player, then nothing more."""
    return run_steps(*lines, rules=RULES, answers=answers, players=players)


# --- several at once -------------------------------------------------------------------------------


def test_choose_several_picks_each_member_once() -> None:
    choosing = "choose 2 cards from hand of you as passed"
    game = run_lines(HAND, choosing, "remove passed from hand of you")
    assert game.options == ["a", "b", "c"]
    assert game.answer("b").options == ["a", "c"]
    assert game.answer("c").describe_value("hand", 0) == ["a"]


def test_choose_several_stops_when_none_is_left() -> None:
    game = run_lines(
        HAND, "choose 5 cards from hand of you as gone where rank of it > 1", "add gone to pile", answers=("b",)
    )
    assert game.describe_value("pile") == ["b", "c"]


def test_choose_up_to_can_stop_early(subtests: pytest.Subtests) -> None:
    lines = HAND, "choose up to 2 cards from hand of you as gone", "set pile to gone", "gain 1 plum"
    made = run_lines(*lines).program
    for answers, pile in ((("-",), []), (("a", "-"), ["a"]), (("a", "c"), ["a", "c"])):
        with subtests.test(answers=answers):
            game = Run(made).answer(*answers)
            assert (game.describe_value("pile"), game.get_value("plum", 0)) == (pile, 1)


def test_choose_count_can_be_computed() -> None:
    down = "choose count of hand of you - 1 cards from hand of you as gone", "remove gone from hand of you"
    assert run_lines(HAND, *down, answers=("a", "b")).describe_value("hand", 0) == ["c"]
    assert run_lines("set hand of you to (b, b)", *down).describe_value("hand", 0) == ["b"]


def test_choose_several_numbers_players_and_resources() -> None:
    lines = "choose 2 numbers from (1, 4, 7) as n", "gain sum of it over n coin", "choose 1 player as friend"
    game = run_lines(*lines, "each player in friend\n  gain 1 plum", "choose 2 fruits as liked", "gain 1 from liked")
    game.answer("1", "7", "1")
    assert (game.get_value("coin", 0), game.get_value("plum", 1)) == (8, 1)


def test_draw_into_moves_between_places() -> None:
    game = run_lines("draw 2 cards from deck into pile", "draw a card from deck into pile", answers=("a", "c", "d"))
    assert (game.describe_value("pile"), game.describe_value("deck")) == (["a", "c", "d"], ["b"])


def test_named_draw_leaves_the_thing_in_place() -> None:
    game = run_lines("draw 2 cards from deck as seen", "set pile to seen", answers=("a", "d"))
    assert (game.describe_value("pile"), game.describe_value("deck")) == (["a", "d"], ["a", "b", "c", "d"])


def test_draw_into_secret_place_is_secret() -> None:
    game = run_lines("draw 2 cards from deck into hand of you", "gain 1 coin")
    assert game.seat == CHANCE and game.question.secret
    assert game.answer("a", "b").list_knowing_players("hand", 0) == [0]
    assert not run_lines("draw 1 card from deck into pile").question.secret


def test_move_from_secret_place_hides_both_places() -> None:
    game = run_lines(
        HAND, "move hand of you to hand of left of you".replace("hand of you to", "(a, b) from hand of you to")
    )
    assert (game.describe_value("hand", 0), game.describe_value("hand", 1)) == (["c"], ["a", "b"])
    hidden = run_lines(
        "draw a card from deck as one secretly",
        "add one to hand of you",
        "show hand of you to everyone",
        "move one from hand of you to hand of left of you",
        answers=("a",),
    )
    assert (hidden.list_knowing_players("hand", 0), hidden.list_knowing_players("hand", 1)) == ([0], [1])


# --- payments --------------------------------------------------------------------------------------

PAID: list[tuple[str, tuple[int, int, int], int]] = [
    ("gain 3 coin\nlose all coin", (0, 0, 0), 0),
    ("gain 3 coin\ngive 2 coin to left of you", (1, 0, 0), 2),
    ("gain 1 coin\ngive 2 coin to left of you", (1, 0, 0), 0),  # who cannot give it all gives nothing
    ("gain 3 coin\ngive coin of you coin to left of you", (0, 0, 0), 3),  # worked out for the giver
    ("gain 1 coin and 3 apple\nspend toll of a\n  gain 5 plum", (0, 1, 5), 0),
    ("gain 1 coin and 1 apple\nspend toll of a\n  gain 5 plum", (1, 1, 0), 0),
    ("gain 3 apple and 3 plum\nspend price of b\n  gain 1 coin", (1, 1, 1), 0),  # a quantity of several resources
]


def test_give_and_spend(subtests: pytest.Subtests) -> None:
    for game, lines, left, given in run_cases(PAID, RULES):
        with subtests.test(lines=lines):
            assert tuple(game.get_value(name, 0) for name in ("coin", "apple", "plum")) == left
            assert game.get_value("coin", 1) == given


# --- turns -----------------------------------------------------------------------------------------


TAKEN = "gain 1 stick\nfor left of you\n  gain 2 stick and 1 brick\n"


def test_take_moves_what_the_other_player_has(subtests: pytest.Subtests) -> None:
    for step, answers, left in (
        ("take 1 stick from left of you", [], (1, 1)),
        ("take 5 stick from left of you", [], (0, 1)),
        ("take count of everyone stick from left of you", [], (0, 1)),
        ("take 1 stuff from left of you", ["brick"], (2, 0)),
        ("take 2 stuff from left of you", ["stick", "brick"], (1, 0)),
        ("take 9 stuff from left of you", ["brick"], (0, 0)),
        ("choose a stuff as wanted\ntake 1 wanted from left of you", ["brick"], (2, 0)),
        ("may take 1 stuff from left of you", ["Yes", "stick"], (1, 1)),
        ("may take 1 stuff from left of you", ["-"], (2, 1)),
    ):
        with subtests.test(step=step):
            run = run_steps(TAKEN + step, answers=answers)
            assert (run.get_value("stick", 1), run.get_value("brick", 1)) == left
            assert run.get_value("stick", 0) + run.get_value("stick", 1) == 3
            assert run.get_value("brick", 0) + run.get_value("brick", 1) == 1
    assert "Which piece of stuff do you take?" in run_steps(TAKEN + "take 1 stuff from left of you").asked


def test_option_to_take_is_offered_only_if_there_is_something_to_take(subtests: pytest.Subtests) -> None:
    for what, owned in (("stick", "stick"), ("stuff", "brick")):
        with subtests.test(what=what):
            step = f"choose one\n  take 1 {what} from left of you\n  gain 1 coin\n  gain 2 coin"
            assert len(run_steps(step).options) == 2
            assert len(run_steps(f"for left of you\n  gain 1 {owned}\n{step}").options) == 3


def test_take_gains_nothing_where_an_exception_replaces_the_loss(subtests: pytest.Subtests) -> None:
    rules = """
exception guard to losing stick
  instead
    gain 5 coin
when losing brick
  for player
    gain 1 fame
"""
    for what, answers, gained in (("stick", [], 0), ("stuff", ["stick"], 0), ("brick", [], 1), ("stuff", ["brick"], 1)):
        with subtests.test(what=what, answers=answers):
            run = run_steps(f"{TAKEN}take 1 {what} from left of you", rules=rules, answers=answers)
            assert run.get_value("stick", 0) + run.get_value("brick", 0) == 1 + gained
            assert (run.get_value("coin", 1), run.get_value("fame", 1)) == ((0, 1) if gained else (5, 0))


def test_player_loop_can_start_at_a_player() -> None:
    turns = "each player from right of you\n  add number-kept + 1 to number-kept\n  gain number-kept coin"
    game = run_lines(turns, players=3)
    assert [game.get_value("coin", seat) for seat in range(3)] == [3, 7, 1]


def test_player_loop_fixes_its_members_first() -> None:
    turns = "each player from you where coin of it = 0\n  gain 1 plum\n  each player\n    gain 1 coin"
    game = run_lines("gain 1 coin", turns, players=3)
    assert [game.get_value("plum", seat) for seat in range(3)] == [0, 1, 1]


BODY = "\n  gain 2 coin\n  if coin of you >= 4\n    gain 1 coin\n    leave loop\n    gain 50 coin\n  gain 0 coin"
LOOPS: list[tuple[str, int, int]] = [
    ("each number as n from 2 to 4\n  gain n coin", 9, 0),
    ("each number from 0 - 1 to 1\n  gain number + 1 coin", 3, 0),
    ("each number as n from 3 to 2\n  gain 9 coin", 0, 0),
    *(
        (f"{loop}{BODY}\ngain 1 plum", 5, 1)
        for loop in (
            "repeat 5 times",
            "each card in deck",
            "repeat until coin of you > 90",
            "each number as n from 1 to 9",
            "each player as other from you",
        )
    ),
    ("repeat 3 times\n  each card in deck\n    leave loop\n  gain 1 coin", 3, 0),  # only the one it stands in
]


def test_number_loop_and_early_exit(subtests: pytest.Subtests) -> None:
    for game, lines, coins, plums in run_cases(LOOPS, RULES):
        with subtests.test(lines=lines):
            assert (game.get_value("coin", 0), game.get_value("plum", 0)) == (coins, plums)
    loop = 'repeat 3 times\n  choose one\n    gain 1 coin\n    option "Stop"\n      leave loop\n  gain 1 plum'
    game = run_lines(loop, answers=("Gain", "Stop"))
    assert (game.get_value("coin", 0), game.get_value("plum", 0)) == (1, 1)


def test_for_runs_steps_as_other_players() -> None:
    game = run_lines("for left of you\n  gain 1 coin", "for (you, left of you)\n  gain 1 plum", players=3)
    assert [game.get_value("coin", seat) for seat in range(3)] == [0, 1, 0]
    assert [game.get_value("plum", seat) for seat in range(3)] == [1, 1, 0]


# --- values ------------------------------------------------------------------------------------------


def test_parenthesized_list_is_a_set(subtests: pytest.Subtests) -> None:
    cases = [
        ("set pile to (a, c, a)\nset number-kept to count of pile", 2),
        ("if 3 is in (1, 3)\n  set number-kept to 1", 1),
        ("set number-kept to count of cards where rank of it > 1", 3),
        ("set number-kept to sum of rank of it over cards where rank of it > 2", 7),
        ("set number-kept to count of cards with most rank of it", 1),
        ("move deck from deck to pile\nset number-kept to count of pile - count of deck", 4),
    ]
    for game, lines, number in run_cases(cases, RULES):
        with subtests.test(lines=lines):
            assert game.get_value("number-kept") == number


# --- words, and what is wrong ------------------------------------------------------------------------


TOLD = [
    ("lose all coin", "lose all your coins"),
    ("choose 2 cards from hand of you as passed", "choose 2 cards from your hand (“passed”)"),
    ("choose up to 2 cards as gone where rank of it > 2", "choose up to 2 cards whose rank is more than 2 (“gone”)"),
    ("draw 2 cards from deck into hand of you", "draw 2 cards from the deck and put them into your hand"),
    ("draw a card from deck into pile", "draw a card from the deck and put it into the pile"),
    ("move a from deck to pile", "move a from the deck to the pile"),
    ("give 1 coin to left of you", "give 1 coin to the player to your left"),
    ("spend 1 coin\n  gain 1 plum", "spend 1 coin to gain 1 plum"),
    ("spend 1 coin\n  set number-kept to 2", "spend 1 coin to set the number kept to 2"),
    (
        "spend 1 coin\n  if plum of you = 0\n    gain 1 plum",
        "spend 1 coin, if you can, and then, if you have no plums, gain 1 plum",
    ),
    ("spend toll of a\n  gain 1 plum", "pay the toll of a to gain 1 plum"),
    ("each number as n from 1 to 3\n  gain 1 plum", "for each number (“n”) from 1 to 3: gain 1 plum"),
    ("for left of you\n  gain 1 plum", "for the player to your left: gain 1 plum"),
    (
        "each player from starter\n  gain 1 plum",
        "for each player, beginning with the starter and going round to the left: gain 1 plum",
    ),
    (
        "each player from starter where coin of it > 1\n  gain 1 plum",
        "for each player who has more than 1 coin, beginning with the starter and going round to the left: gain 1 plum",
    ),
    ("repeat 2 times\n  leave loop", "twice: stop there"),
]


def test_shorthand_steps_are_described_as_written(subtests: pytest.Subtests) -> None:
    resolved = link_texts(RULES + make_phase(*(f"repeat 1 times\n{indent(step, '  ')}" for step, _ in TOLD))).resolved
    for around, (step, said) in zip(resolved.require_definition("trial-run").block, TOLD, strict=True):
        with subtests.test(step=step):
            assert describe(resolved, around.block[-1]) == said


WRONG = [
    ("leave loop", "E0198", "there is no loop to leave here"),
    ("give 1 fruit to left of you", "E0196", "it is not clear which resource is given"),
    ("spend rank of a", "E0197", "this is not an amount of several resources"),
    ("give 1 coin to everyone", "E0401", "`give ... to` takes a player, but this is a set of players"),
    ("each player from 3\n    gain 1 coin", "E0401", "`each ... from` takes a player, but this is a number"),
    ("draw 2 cards from (a, b) into pile", "E0405", "this cannot be changed"),
    ("choose 2 cards from everyone as x", "E0401", "`choose` takes a set of cards, but this is a set of players"),
]


def test_error_in_shorthand_is_reported_once(subtests: pytest.Subtests) -> None:
    for line, code, title in WRONG:
        with subtests.test(line=line):
            assert [(d.code, d.title) for d in list_errors(RULES + make_phase(line))] == [(code, title)]
    rules = "kind hut\n  rent amounts\nhut mill\n  rent 1 coin\n"
    found = list_errors(RULES + rules + make_phase("if can spend rent of a", "  gain 1 coin"))
    assert [d.code for d in found] == ["E0413"], "a price that nothing has"


def test_draw_into_a_place_from_computed_set_suggests_add(subtests: pytest.Subtests) -> None:
    for line, remedy in (
        ("draw 2 cards from (a, b) into pile", "write `draw 2 cards from (a, b) as drawn`, and `add drawn to pile`"),
        ("draw a card from cards into hand of you", "write `draw a card from cards as drawn`, and `add drawn to hand"),
    ):
        with subtests.test(line=line):
            (found,) = list_errors(RULES + make_phase(line))
            assert found.code == "E0405" and remedy in found.help


def test_names_bound_by_shorthand_are_scoped() -> None:
    lines = "repeat 2 times\n    choose 1 card as x", "set pile to x"
    assert [d.code for d in list_errors(RULES + make_phase(*lines))] == ["E0201"]


def test_group_member_bound_to_a_name_can_be_given(subtests: pytest.Subtests) -> None:
    rules = "routine hand-over with fruit\n  give 1 fruit to left of you\n"
    rules += "when losing fruit if amount > 5\n  for player\n    give 1 fruit to left of you\n"
    handed = [
        ("each fruit\n  give 1 fruit to left of you",),
        ("each fruit in (apple, plum)\n  for you\n    give all fruit to left of you",),
        ("do hand-over with apple\ndo hand-over with plum",),
    ]
    for game, lines in run_cases(handed, RULES + rules, "gain 1 apple and 1 plum"):
        with subtests.test(lines=lines):
            assert [[game.get_value(fruit, seat) for fruit in ("apple", "plum")] for seat in (0, 1)] == [
                [0, 0],
                [1, 1],
            ], lines
