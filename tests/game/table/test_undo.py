"""Undo: possible as long as nothing was revealed since, and without revealing anything itself."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from edict import GameError
from edict.game.table import undo
from edict.game.table.game import Game
from edict.game.table.game_steps import list_steps
from edict.game.table.rules import Rules, load_rules
from edict.game.table.tracing import trace_step, trace_taint
from edict.game.table.undo import describe_revelation
from helpers import compile_program, make_phase
from table_kit import PAIR, RACE

SECRETS = """
kind leaf "leaf/leaves"
leaf lime "Lime"
leaf fern "Fern"
leaf moss "Moss"
keep hand "card" of player as leaf or none, secret
keep guessed "guess" of player as leaf or none
"""
DEAL = """
each player
  draw a leaf from leaves as dealt secretly
  set hand of you to dealt
"""
GO_ON = """
may "Go on?"
  gain 1 coin
"""


def play_lines(*lines: str, answers: int = 1) -> Game:
    """Return a game of these lines, dealt and answered by each question's first option."""
    game = Rules(compile_program(SECRETS + make_phase(DEAL, *lines, GO_ON, GO_ON)), "trial").new_game(
        ["Ann", "Ben"], seed=3
    )
    for _ in range(answers):
        game.answer(0)
    return game


def undo_reason(game: Game) -> str:
    before = game.state
    with pytest.raises(GameError) as raised:
        game.undo()
    assert game.state == before
    game.back()
    assert game.state != before
    return raised.value.reason


def test_undo_works_if_nothing_was_revealed(subtests: pytest.Subtests) -> None:
    for lines in (
        ('may "Take?"\n  gain 1 coin',),
        ("choose a leaf as what secretly\nset hand of you to what",),  # one's own secret, known to nobody else
        ('may "Draw?"\n  draw a leaf from leaves as unseen secretly\n  gain 1 coin',),  # seen by nobody
        ('may "Mine?"\n  if hand of you is lime\n    gain 1 coin',),  # one knows one's own card
    ):
        with subtests.test(lines=lines):
            game = play_lines(*lines)
            start = play_lines(*lines, answers=0)
            game.undo()
            assert game.state == start.state and game.journal.answers == ()


def test_undo_is_refused_after_visible_luck() -> None:
    assert undo_reason(play_lines('may "Roll?"\n  roll 2 cube as thrown')) == "dice have been rolled since"
    drawn = undo_reason(play_lines('may "Draw?"\n  draw a leaf from leaves as open-one'))
    assert drawn in [f"{name} has been drawn since" for name in ("Lime", "Fern", "Moss")]


def test_undo_is_refused_after_a_shown_secret() -> None:
    said = undo_reason(play_lines('may "Look?"\n  show hand of left of you to you'))
    assert said == "Ann has seen Ben's card since"
    assert undo_reason(play_lines('may "Show?"\n  show hand of you to everyone')) == "Ben has seen Ann's card since"
    deal = 'may "Another?"\n  draw a leaf from leaves as new-one secretly\n  set hand of you to new-one'
    assert undo_reason(play_lines(deal)) == "Ann has seen Ann's card since"


def test_undo_names_a_shown_bag_as_a_whole() -> None:
    """Regression: it was named by its content, as in `Ann, Lime's pouch`."""
    keep = "keep pouch of player as bag of leaf, secret\n"
    lines = make_phase("set pouch of you to 2 of each leaf", 'may "Show?"\n  show pouch of you to everyone', GO_ON)
    game = Rules(compile_program(SECRETS + keep + lines), "trial").new_game(["Ann", "Ben"], seed=3)
    game.answer(0)
    assert undo_reason(game) == "Ben has seen Ann's pouch since"


def test_undo_is_refused_after_a_guess_that_a_hidden_card_decided() -> None:
    """Nothing was shown, but the consequences tell: otherwise players could guess until they are right."""
    guess = "choose a leaf as guess\nif guess is hand of left of you\n  gain 5 coin"
    assert undo_reason(play_lines(guess)) == "something hidden has affected what happened since"
    offered = 'may "Sure?"\n  gain 1 coin\nchoose a leaf as guess where it is not hand of left of you'
    assert undo_reason(play_lines(offered)) == "something hidden has affected what happened since"


def test_typed_dice_are_undone_only_expressly() -> None:
    game = RACE.new_game(PAIR, seed=1, dice="typed")
    game.answer("roll")
    game.answer("d6-4")
    assert undo_reason(game) == "dice have been rolled since"
    assert game.journal.answers == ()
    with pytest.raises(GameError, match="no answer to take back"):
        game.back()


def test_last_typed_roll_is_taken_back_whole(subtests: pytest.Subtests) -> None:
    """All of its dice, and none of the roll before it, which somebody else may have made."""
    anew, taken = "Type the dice again.", "Your last move is undone."
    game = RACE.new_game(PAIR, seed=1, dice="typed")
    with pytest.raises(GameError) as refused:
        game.take_back(0, (0,))
    assert refused.value.reason == "you have not answered anything yet"
    for key in ("roll", "d6-4", "roll"):
        game.answer(key)
    assert game.take_back(0, (0,)) == taken and game.take_back(0, (0,)) == anew
    assert [one.key for one in game.journal.answers] == ["roll"]
    rolls = "each player\n  roll 2 cube as mine"
    two = Rules(compile_program(make_phase('may "Go?"\n  gain 1 coin', rolls, GO_ON)), "trial").new_game(
        PAIR, 1, dice="typed"
    )
    for _ in range(5):
        two.answer(0)
    for left in (3, 1):
        with subtests.test(left=left):
            assert two.take_back(0, (0,)) == anew and len(two.journal.answers) == left


def test_undo_is_refused_after_an_informed_answer_of_a_bot() -> None:
    """An answer given with a card in hand reveals something about that card."""
    bet = 'each player\n  may "Bet?"\n    gain 1 coin'
    game = play_lines(bet, answers=2)
    with pytest.raises(GameError, match="Ben, who knows something that you do not, has answered since"):
        game.take_back(0, (0,))
    game.take_back(0, (0,), free=True)
    assert game.journal.answers == ()
    plain = Rules(compile_program(make_phase(bet, GO_ON)), "trial").new_game(["Ann", "Ben"], seed=3)
    plain.answer(0)
    plain.answer(0)
    plain.take_back(0, (0,))
    assert plain.journal.answers == ()


def test_people_cannot_undo_each_others_answers() -> None:
    game = play_lines('each player\n  may "Bet?"\n    gain 1 coin', answers=2)
    for free in (False, True):
        with pytest.raises(GameError, match="Ben has answered since"):
            game.take_back(0, (0, 1), free)


CARDS = """
kind card "card/cards"
  rank number from 0 to 8
card nil "Nil"
  rank 0
card two "Two"
  rank 2
card six "Six"
  rank 6
card ten "Ten"
  rank 8
keep hand "card" of player as card or none, secret
keep hoard "hoard" of player as set of card, secret
keep crown "crown" as truth, secret
keep lucky "luck" of player as truth, secret
keep open-one "open one" as truth
keep marked of player as number from 0 to 9, quiet
"""
BEN_IS_ASKED = """
choose a card as named asking left of you "Which?"
choose a card as named-too asking left of you "Which?"
"""
DRAW = "draw a card from cards as dealt secretly"
GIVE = f"{DRAW}\nset hand of left of you to dealt"
HIDDEN = "something hidden has affected what happened since"


def collect_undo_outcomes(
    before: str, after_it: str, bots: int = 0, prelude: str = 'may "Go?"\n  gain 1 coin'
) -> set[str]:
    """Return Ann's messages for an undo in twelve worlds with different seeds.

    They differ only in things hidden from her; Ben may have answered since as a bot.
    """
    made = Rules(compile_program(CARDS + make_phase(before, prelude, after_it, BEN_IS_ASKED)), "trial")
    heard = set()
    for seed in range(12):
        game = made.new_game(["Ann", "Ben"], seed)
        for _ in range(1 + bots):
            game.answer(0)
        try:
            heard.add(game.take_back(0, (0,)))
        except GameError as error:
            heard.add(error.reason)
    return heard


@pytest.mark.parametrize(
    "deed",
    [
        "set crown to yes",  # what nobody sees
        "set lucky of you to yes",  # what Ann sees
        "set lucky of left of you to yes",  # what Ben sees
        "set crown to yes\n  show crown to everyone",
        "show hand of left of you to you",
        "show hand of you to left of you",
        "set open-one to yes",  # what everybody sees
        "set marked of left of you to 3",
        "gain 1 coin",
        "roll 1 cube as thrown",
        "draw a card from cards as turned-up",
        'choose a card as picked "Which?"',
    ],
)
def test_undo_does_not_reveal_a_hidden_condition(deed: str) -> None:
    """Regression: Ann could undo exactly when it did not hold, or the refusal named who had seen what."""
    assert collect_undo_outcomes("", f"{DRAW}\nif rank of dealt > 4\n  {deed}") == {HIDDEN}


def test_undo_does_not_reveal_a_condition_on_derived_names_loops_or_hands_of_others(subtests: pytest.Subtests) -> None:
    for deed in ("set lucky of left of you to yes", "roll 1 cube as thrown"):
        with subtests.test(deed=deed):
            assert collect_undo_outcomes(GIVE, f"if rank of hand of left of you > 4\n  {deed}") == {HIDDEN}
            named = f"{DRAW}\nset hand of you to none\nlet high = rank of dealt + 1\nif high > 4"
            assert collect_undo_outcomes("", f"{named}\n  {deed}") == {HIDDEN}
            assert collect_undo_outcomes("", f"{DRAW}\nrepeat (rank of dealt) times\n  {deed}") == {HIDDEN}


def test_undo_is_refused_after_a_value_derived_from_a_hidden_one() -> None:
    assert collect_undo_outcomes(GIVE, "gain (rank of hand of left of you) coin") == {HIDDEN}
    assert collect_undo_outcomes(GIVE, "set open-one to rank of hand of left of you > 4") == {HIDDEN}


def test_writing_an_equal_card_counts_as_a_write() -> None:
    """Regression: drawing a card equal to the one that was there counted as nothing."""
    assert collect_undo_outcomes(GIVE, GIVE) == {"Ben has seen Ben's card since"}


def test_card_taken_unseen_from_another_counts_as_learned() -> None:
    """Regression: the player who took it counted as having put it there knowingly."""
    assert collect_undo_outcomes(GIVE, "set hand of you to hand of left of you") == {"Ann has seen Ann's card since"}


SOME_CARDS = f"""
{DRAW}
add dealt to hoard of left of you
draw a card from cards as another secretly
add another to hoard of left of you
"""


def test_undo_does_not_reveal_a_forced_secret_choice() -> None:
    """A bot with two options was asked and one with a single option was not; to Ann both look the same afterwards."""
    way = """
each player in (left of you)
  choose one secretly "Which way?"
    option "Back" if rank of hand of you > 4
      set lucky of you to yes
    option "On"
      set lucky of you to no
"""
    assert collect_undo_outcomes(GIVE, way, bots=1) == {"Ben, who knows something that you do not, has answered since"}


def test_undo_does_not_reveal_how_many_cards_were_left() -> None:
    """From a single card nothing is drawn, but nobody can tell that it was the only one."""
    assert collect_undo_outcomes(SOME_CARDS, "draw a card from hoard of left of you as turned-up") == {HIDDEN}


def test_undo_does_not_reveal_hidden_reasons_for_the_next_options() -> None:
    offered = "choose a card as picked where it is two or it is in hoard of left of you"
    assert collect_undo_outcomes(SOME_CARDS, f"{offered}\nchoose a card as named-first") == {HIDDEN}


def test_things_hidden_only_from_others_can_be_undone() -> None:
    """Luck that nobody has seen, and one's own card, do not prevent an undo."""
    taken = {"Your last move is undone."}
    own = f"{DRAW}\nset hand of you to dealt"
    assert collect_undo_outcomes(own, "if rank of hand of you > 4\n  set lucky of you to yes") == taken
    assert collect_undo_outcomes(own, "set hand of you to none") == taken
    assert collect_undo_outcomes(SOME_CARDS, DRAW) == taken


@pytest.mark.parametrize("names", [("kingsburg", "soldier-tokens"), ("kingsburg",), ("kuhn-poker",)], ids="-".join)
def test_steps_without_secrets_reveal_what_their_full_trace_reveals(
    names: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    rules, rng = load_rules(names[0], names[1:]), Random(7)
    game = rules.new_game(["Ann", "Ben"], seed=5)
    for _ in range(40):
        if game.over:
            break
        game.answer(rng.randrange(game.count))
    steps = list_steps(game.last_step)[1:]
    taints = {step: trace_taint(game.table, step) for step in steps}

    def describe_all() -> list[list[str]]:
        return [[describe_revelation(game.table, step, seat) for seat in (0, 1)] for step in steps]

    by_taint = describe_all()
    monkeypatch.setattr(undo, "trace_taint", lambda _, step: replace(taints[step], is_public=False))
    assert any(taint.is_public for taint in taints.values()) and describe_all() == by_taint


@pytest.mark.parametrize(
    "names", [("kingsburg", "soldier-tokens"), ("kingsburg", "destiny"), ("kingsburg",)], ids="-".join
)
def test_steps_that_read_no_tainted_name_pass_on_the_taint_of_their_full_trace(names: tuple[str, ...]) -> None:
    game, rng = load_rules(names[0], names[1:]).new_game(["Ann", "Ben"], seed=5), Random(7)
    while not game.over and len(game.answers) < 120:
        game.answer(rng.randrange(game.count))
    steps = list_steps(game.last_step)
    taints = [trace_taint(game.table, step) for step in steps]
    assert any(taint.is_clean and taint.before for taint in taints), "no clean step follows one that touched a secret"
    for step, taint in zip(steps, taints, strict=True):
        assert {*taint.after.cells} == {*trace_step(game.table, step, taint.before).taint.cells}, step.depth
