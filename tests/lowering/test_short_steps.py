"""Steps in short do what the steps they stand for would do."""

from __future__ import annotations

import pytest
from helpers import CHANCE, Run, compiled, does, linked, steps

from edict.words import stmt_words

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


def run(*lines: str, answers: tuple[str, ...] = (), players: int = 2) -> Run:
    """Lines carried out by the first player, then nothing more."""
    return does(*lines, rules=RULES, answers=answers, players=players)


def words(*lines: str) -> str:
    """The last of some lines in words."""
    resolved = linked(RULES + steps(*lines)).resolved
    return stmt_words(resolved, resolved.get("trial-run").block[-1])


# --- several at once -------------------------------------------------------------------------------


def test_several_are_chosen_one_after_the_other_and_none_twice() -> None:
    choosing = "choose 2 cards from hand of you as passed"
    game = run(HAND, choosing, "remove passed from hand of you")
    assert game.options == ["a", "b", "c"]
    assert game.answer("b").options == ["a", "c"]
    assert game.answer("c").told("hand", 0) == ["a"]


def test_as_many_are_chosen_as_there_are() -> None:
    game = run(HAND, "choose 5 cards from hand of you as gone where rank of it > 1", "add gone to pile", answers=("b",))
    assert game.told("pile") == ["b", "c"]


def test_up_to_so_many_may_be_chosen() -> None:
    lines = HAND, "choose up to 2 cards from hand of you as gone", "set pile to gone", "gain 1 plum"
    assert run(*lines, answers=("-",)).told("pile") == []
    assert run(*lines, answers=("a", "-")).told("pile") == ["a"]
    both = run(*lines, answers=("a", "c"))
    assert both.told("pile") == ["a", "c"] and both.value("plum", 0) == 1


def test_down_to_so_many() -> None:
    down = "choose count of hand of you - 1 cards from hand of you as gone", "remove gone from hand of you"
    assert run(HAND, *down, answers=("a", "b")).told("hand", 0) == ["c"]
    assert run("set hand of you to (b, b)", *down).told("hand", 0) == ["b"]


def test_several_may_be_offered_and_what_follows_is_declined_with_them() -> None:
    offer = "may choose 2 cards from hand of you as shed\n  remove shed from hand of you\nelse\n  gain 1 plum"
    assert run(HAND, offer, answers=("-",)).value("plum", 0) == 1
    assert run(HAND, offer, answers=("a", "b")).told("hand", 0) == ["c"]


def test_numbers_players_and_resources_can_be_chosen_several_at_once() -> None:
    lines = "choose 2 numbers from (1, 4, 7) as n", "gain sum of it over n coin", "choose 1 player as friend"
    game = run(*lines, "each player in friend\n  gain 1 plum", "choose 2 fruits as liked", "gain 1 from liked")
    game.answer("1", "7", "1")
    assert (game.value("coin", 0), game.value("plum", 1)) == (8, 1)


def test_what_is_drawn_goes_from_one_place_to_the_other() -> None:
    game = run("draw 2 cards from deck into pile", "draw a card from deck into pile", answers=("a", "c", "d"))
    assert (game.told("pile"), game.told("deck")) == (["a", "c", "d"], ["b"])


def test_what_is_drawn_under_a_name_stays_where_it_is() -> None:
    game = run("draw 2 cards from deck as seen", "set pile to seen", answers=("a", "d"))
    assert (game.told("pile"), game.told("deck")) == (["a", "d"], ["a", "b", "c", "d"])


def test_what_goes_to_a_secret_place_is_drawn_in_secret_and_known_to_its_owner() -> None:
    game = run("draw 2 cards from deck into hand of you", "gain 1 coin")
    assert game.seat == CHANCE and game.question.secret
    assert game.answer("a", "b").known("hand", 0) == [0]
    assert not run("draw 1 card from deck into pile").question.secret


def test_what_is_moved_from_a_secret_place_hides_both() -> None:
    game = run(HAND, "move hand of you to hand of left of you".replace("hand of you to", "(a, b) from hand of you to"))
    assert (game.told("hand", 0), game.told("hand", 1)) == (["c"], ["a", "b"])
    hidden = run(
        "draw a card from deck as one secretly", "add one to hand of you", "show hand of you to everyone",
        "move one from hand of you to hand of left of you", answers=("a",),
    )  # fmt: skip
    assert (hidden.known("hand", 0), hidden.known("hand", 1)) == ([0], [1])


def test_all_of_a_place_can_be_moved() -> None:
    game = run("move deck from deck to pile")
    assert (game.told("deck"), game.told("pile")) == ([], ["a", "b", "c", "d"])


# --- payments --------------------------------------------------------------------------------------


def test_all_of_something_is_lost() -> None:
    assert run("gain 3 coin", "lose all coin").value("coin", 0) == 0
    assert words("lose all coin") == "lose all your coins"


@pytest.mark.parametrize(("has", "left", "given"), [(3, 1, 2), (1, 1, 0)])
def test_who_cannot_give_it_all_gives_nothing(has: int, left: int, given: int) -> None:
    game = run(f"gain {has} coin", "give 2 coin to left of you")
    assert (game.value("coin", 0), game.value("coin", 1)) == (left, given)


def test_what_is_given_is_worked_out_for_the_giver() -> None:
    game = run("gain 3 coin", "give coin of you coin to left of you")
    assert (game.value("coin", 0), game.value("coin", 1)) == (0, 3)


def test_a_price_of_several_resources_is_paid_if_it_can_be() -> None:
    pay = "spend toll of a\n  gain 5 plum"
    paid = run("gain 1 coin and 3 apple", pay)
    assert [paid.value(name, 0) for name in ("coin", "apple", "plum")] == [0, 1, 5]
    short = run("gain 1 coin and 1 apple", pay)
    assert [short.value(name, 0) for name in ("coin", "apple", "plum")] == [1, 1, 0]


def test_a_quantity_of_several_resources_is_paid() -> None:
    game = run("gain 3 apple and 3 plum", "spend price of b\n  gain 1 coin")
    assert [game.value(name, 0) for name in ("coin", "apple", "plum")] == [1, 1, 1]


# --- turns -----------------------------------------------------------------------------------------


def test_players_come_from_one_of_them_on() -> None:
    turns = "each player from right of you\n  add number-kept + 1 to number-kept\n  gain number-kept coin"
    game = run(turns, players=3)
    assert [game.value("coin", seat) for seat in range(3)] == [3, 7, 1]


def test_only_some_players_come_and_who_is_settled_first() -> None:
    turns = "each player from you where coin of it = 0\n  gain 1 plum\n  each player\n    gain 1 coin"
    game = run("gain 1 coin", turns, players=3)
    assert [game.value("plum", seat) for seat in range(3)] == [0, 1, 1]


def test_numbers_come_from_one_to_the_other() -> None:
    assert run("each number as n from 2 to 4\n  gain n coin").value("coin", 0) == 9
    assert run("each number from 0 - 1 to 1\n  gain number + 1 coin").value("coin", 0) == 3
    assert run("each number as n from 3 to 2\n  gain 9 coin").value("coin", 0) == 0


@pytest.mark.parametrize(
    ("loop", "coins"),
    [
        ("repeat 5 times", 5), ("each card in deck", 5), ("repeat until coin of you > 90", 5),
        ("each number as n from 1 to 9", 5), ("each player as other from you", 5),
    ],
)  # fmt: skip
def test_a_loop_is_left_early(loop: str, coins: int) -> None:
    body = "gain 2 coin", "if coin of you >= 4", "  gain 1 coin", "  leave loop", "  gain 50 coin", "gain 0 coin"
    game = run(loop + "".join(f"\n  {line}" for line in body), "gain 1 plum")
    assert (game.value("coin", 0), game.value("plum", 0)) == (coins, 1)


def test_only_the_loop_it_stands_in_is_left() -> None:
    game = run("repeat 3 times\n  each card in deck\n    leave loop\n  gain 1 coin")
    assert game.value("coin", 0) == 3


def test_a_choice_can_leave_a_loop() -> None:
    loop = 'repeat 3 times\n  choose one\n    gain 1 coin\n    option "Stop"\n      leave loop\n  gain 1 plum'
    game = run(loop, answers=("Gain", "Stop"))
    assert (game.value("coin", 0), game.value("plum", 0)) == (1, 1)


def test_for_is_their_turn() -> None:
    game = run("for left of you\n  gain 1 coin", "for (you, left of you)\n  gain 1 plum", players=3)
    assert [game.value("coin", seat) for seat in range(3)] == [0, 1, 0]
    assert [game.value("plum", seat) for seat in range(3)] == [1, 1, 0]


# --- values ------------------------------------------------------------------------------------------


def test_a_list_in_parentheses_is_a_set() -> None:
    assert run("set pile to (a, c, a)").told("pile") == ["a", "c"]
    assert run("if 3 is in (1, 3)\n  gain 1 coin").value("coin", 0) == 1


@pytest.mark.parametrize(
    ("value", "is_"),
    [
        ("count of cards where rank of it > 1", 3), ("sum of rank of it over cards where rank of it > 2", 7),
        ("count of cards with most rank of it", 1),
    ],
)  # fmt: skip
def test_what_is_counted_needs_no_parentheses(value: str, is_: int) -> None:
    assert run(f"set number-kept to {value}").value("number-kept") == is_


# --- words, and what is wrong ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("step", "said"),
    [
        ("choose 2 cards from hand of you as passed", "choose 2 cards from your hand (“passed”)"),
        ("choose up to 2 cards as gone where rank of it > 2",
         "choose up to 2 cards whose rank is more than 2 (“gone”)"),
        ("draw 2 cards from deck into hand of you", "draw 2 cards from the deck and put them into your hand"),
        ("draw a card from deck into pile", "draw a card from the deck and put it into the pile"),
        ("move a from deck to pile", "move a from the deck to the pile"),
        ("give 1 coin to left of you", "give 1 coin to the player to your left"),
        ("spend 1 coin\n  gain 1 plum", "spend 1 coin to gain 1 plum"),
        ("spend 1 coin\n  set number-kept to 2", "spend 1 coin to set the number kept to 2"),
        ("spend 1 coin\n  if plum of you = 0\n    gain 1 plum",
         "spend 1 coin, if you can, and then, if you have no plums, gain 1 plum"),
        ("spend toll of a\n  gain 1 plum", "pay the toll of a to gain 1 plum"),
        ("each number as n from 1 to 3\n  gain 1 plum", "for each number (“n”) from 1 to 3: gain 1 plum"),
        ("for left of you\n  gain 1 plum", "for the player to your left: gain 1 plum"),
        ("each player from starter\n  gain 1 plum",
         "for each player, beginning with the starter and going round to the left: gain 1 plum"),
        ("each player from starter where coin of it > 1\n  gain 1 plum",
         "for each player who has more than 1 coin, beginning with the starter and going round to the left: "
         "gain 1 plum"),
        ("repeat 2 times\n  leave loop", "twice: stop there"),
    ],
)  # fmt: skip
def test_they_are_told_as_they_are_written(step: str, said: str) -> None:
    assert words(step) == said


@pytest.mark.parametrize(
    ("line", "code", "title"),
    [
        ("leave loop", "E0198", "there is no loop here to leave"),
        ("give 1 fruit to left of you", "E0196", "this does not say which resource is given"),
        ("spend rank of a", "E0197", "this is not an amount of several resources"),
        ("give 1 coin to everyone", "E0401", "`give ... to` takes a player, and this is a set of players"),
        ("each player from 3\n    gain 1 coin", "E0401", "`each ... from` takes a player, and this is a number"),
        ("draw 2 cards from (a, b) into pile", "E0405", "this cannot be changed"),
        ("choose 2 cards from everyone as x", "E0401", "`choose` takes a set of cards, and this is a set of players"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_once(line: str, code: str, title: str) -> None:
    found = [d for d in compiled(RULES + steps(line)).diagnostics if d.severity == "error"]
    assert [d.code for d in found] == [code], [(d.code, d.title) for d in found]
    assert found[0].title == title


def test_a_price_that_nothing_has_is_told_once() -> None:
    rules = "kind hut\n  rent amounts\nhut mill\n  rent 1 coin\n"
    found = compiled(RULES + rules + steps("if can spend rent of a", "  gain 1 coin")).diagnostics
    assert [d.code for d in found if d.is_error] == ["E0413"]


def test_what_is_drawn_from_no_keep_is_added() -> None:
    for line, remedy in (
        ("draw 2 cards from (a, b) into pile", "write `draw 2 cards from (a, b) as drawn`, and `add drawn to pile`"),
        ("draw a card from cards into hand of you", "write `draw a card from cards as drawn`, and `add drawn to hand"),
    ):
        (found,) = [d for d in compiled(RULES + steps(line)).diagnostics if d.severity == "error"]
        assert found.code == "E0405" and remedy in found.help


def test_names_from_steps_in_short_are_known_after_them_and_not_outside() -> None:
    lines = "repeat 2 times\n    choose 1 card as x", "set pile to x"
    assert [d.code for d in compiled(RULES + steps(*lines)).diagnostics if d.severity == "error"] == ["E0201"]


@pytest.mark.parametrize("step", [
    "each fruit\n  give 1 fruit to left of you",
    "each fruit in (apple, plum)\n  for you\n    give all fruit to left of you",
    "do hand-over with apple\ndo hand-over with plum",
])  # fmt: skip
def test_a_group_that_stands_for_one_of_its_resources_can_be_given(step: str) -> None:
    rules = "routine hand-over with fruit\n  give 1 fruit to left of you\n"
    rules += "when losing fruit if amount > 5\n  for player\n    give 1 fruit to left of you\n"
    done = does("gain 1 apple and 1 plum", step, rules=RULES + rules)
    assert [(done.value("apple", seat), done.value("plum", seat)) for seat in (0, 1)] == [(0, 0), (1, 1)]
