"""Taking an answer back: as long as nothing was revealed since, and in a way that tells nothing either."""

from __future__ import annotations

import pytest

from edict import GameError
from edict.game.table.game import Game
from edict.game.table.rules import Rules
from helpers import program, steps
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


def after(*lines: str, answers: int = 1) -> Game:
    """A game of these lines, dealt and answered by each question's first option."""
    game = Rules(program(SECRETS + steps(DEAL, *lines, GO_ON, GO_ON)), "trial").new_game(["Ann", "Ben"], seed=3)
    for _ in range(answers):
        game.answer(0)
    return game


def refused(game: Game) -> str:
    before = game.state
    with pytest.raises(GameError) as raised:
        game.undo()
    assert game.state == before
    game.back()
    assert game.state != before
    return raised.value.reason


def test_what_revealed_nothing_is_taken_back() -> None:
    for lines in (
        ('may "Take?"\n  gain 1 coin',),
        ("choose a leaf as what secretly\nset hand of you to what",),  # one's own secret, known to nobody else
        ('may "Draw?"\n  draw a leaf from leaves as unseen secretly\n  gain 1 coin',),  # seen by nobody
        ('may "Mine?"\n  if hand of you is lime\n    gain 1 coin',),  # one knows one's own card
    ):
        game = after(*lines)
        start = after(*lines, answers=0)
        game.undo()
        assert game.state == start.state and game.journal.answers == ()


def test_luck_that_was_seen_is_not() -> None:
    assert refused(after('may "Roll?"\n  roll 2 cube as thrown')) == "dice have been rolled since"
    drawn = refused(after('may "Draw?"\n  draw a leaf from leaves as open-one'))
    assert drawn in [f"{name} has been drawn since" for name in ("Lime", "Fern", "Moss")]


def test_secrets_that_were_shown_are_not() -> None:
    said = refused(after('may "Look?"\n  show hand of left of you to you'))
    assert said == "Ann has seen Ben's card since"
    assert refused(after('may "Show?"\n  show hand of you to everyone')) == "Ben has seen Ann's card since"
    deal = 'may "Another?"\n  draw a leaf from leaves as new-one secretly\n  set hand of you to new-one'
    assert refused(after(deal)) == "Ann has seen Ann's card since"


def test_a_bag_that_was_shown_is_named_as_a_whole() -> None:
    """It was called by what was in it: Ann, Lime's pouch."""
    keep = "keep pouch of player as bag of leaf, secret\n"
    lines = steps("set pouch of you to 2 of each leaf", 'may "Show?"\n  show pouch of you to everyone', GO_ON)
    game = Rules(program(SECRETS + keep + lines), "trial").new_game(["Ann", "Ben"], seed=3)
    game.answer(0)
    assert refused(game) == "Ben has seen Ann's pouch since"


def test_a_guess_that_a_hidden_card_decided_is_not() -> None:
    """Nothing was shown, but what followed tells: else one could guess until it is right."""
    guess = "choose a leaf as guess\nif guess is hand of left of you\n  gain 5 coin"
    assert refused(after(guess)) == "something hidden has affected what happened since"
    offered = 'may "Sure?"\n  gain 1 coin\nchoose a leaf as guess where it is not hand of left of you'
    assert refused(after(offered)) == "something hidden has affected what happened since"


def test_dice_that_were_typed_are_gone_back_over_only_expressly() -> None:
    game = RACE.new_game(PAIR, seed=1, dice="typed")
    game.answer("roll")
    game.answer("d6-4")
    assert refused(game) == "dice have been rolled since"
    assert game.journal.answers == ()
    with pytest.raises(GameError, match="no answer to take back"):
        game.back()


def test_a_throw_that_was_typed_last_is_typed_again() -> None:
    """All of its dice, and none of the throw before it, which somebody else may have made."""
    anew, taken = "The dice are taken back: type them again.", "Your last answer is taken back."
    game = RACE.new_game(PAIR, seed=1, dice="typed")
    with pytest.raises(GameError) as refused:
        game.take_back(0, (0,))
    assert refused.value.reason == "you have not answered anything yet"
    for key in ("roll", "d6-4", "roll"):
        game.answer(key)
    assert game.take_back(0, (0,)) == taken and game.take_back(0, (0,)) == anew
    assert [one.key for one in game.journal.answers] == ["roll"]
    rolls = "each player\n  roll 2 cube as mine"
    two = Rules(program(steps('may "Go?"\n  gain 1 coin', rolls, GO_ON)), "trial").new_game(PAIR, 1, dice="typed")
    for _ in range(5):
        two.answer(0)
    for left in (3, 1):
        assert two.take_back(0, (0,)) == anew and len(two.journal.answers) == left


def test_what_a_bot_answered_from_what_it_knows_stays() -> None:
    """An answer given with a card in one's hand tells of that card."""
    bet = 'each player\n  may "Bet?"\n    gain 1 coin'
    game = after(bet, answers=2)
    with pytest.raises(GameError, match="Ben, who knows something that you do not, has answered since"):
        game.take_back(0, (0,))
    game.take_back(0, (0,), free=True)
    assert game.journal.answers == ()
    plain = Rules(program(steps(bet, GO_ON)), "trial").new_game(["Ann", "Ben"], seed=3)
    plain.answer(0)
    plain.answer(0)
    plain.take_back(0, (0,))
    assert plain.journal.answers == ()


def test_people_do_not_take_back_over_each_other() -> None:
    game = after('each player\n  may "Bet?"\n    gain 1 coin', answers=2)
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


def outcomes(before: str, after_it: str, bots: int = 0, prelude: str = 'may "Go?"\n  gain 1 coin') -> set[str]:
    """What Ann hears when she takes her answer back, in twelve worlds with other luck, in which only what is hidden
    from her may differ; Ben may have answered since as a bot."""
    made = Rules(program(CARDS + steps(before, prelude, after_it, BEN_IS_ASKED)), "trial")
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
def test_of_a_hidden_condition_nothing_is_told_by_what_it_led_to(deed: str) -> None:
    """Ann could take her answer back exactly when it did not hold; or the refusal named who had seen what."""
    assert outcomes("", f"{DRAW}\nif rank of dealt > 4\n  {deed}") == {HIDDEN}


def test_nor_by_a_condition_on_a_name_made_of_it_a_loop_or_a_card_in_anothers_hand() -> None:
    for deed in ("set lucky of left of you to yes", "roll 1 cube as thrown"):
        assert outcomes(GIVE, f"if rank of hand of left of you > 4\n  {deed}") == {HIDDEN}
        named = f"{DRAW}\nset hand of you to none\nlet high = rank of dealt + 1\nif high > 4"
        assert outcomes("", f"{named}\n  {deed}") == {HIDDEN}
        assert outcomes("", f"{DRAW}\nrepeat (rank of dealt) times\n  {deed}") == {HIDDEN}


def test_a_value_made_of_a_hidden_one_tells_it_even_if_it_changes_nothing() -> None:
    assert outcomes(GIVE, "gain (rank of hand of left of you) coin") == {HIDDEN}
    assert outcomes(GIVE, "set open-one to rank of hand of left of you > 4") == {HIDDEN}


def test_a_card_is_put_there_also_if_it_is_the_same_one() -> None:
    """A card drawn by chance like the one that was there counted as nothing."""
    assert outcomes(GIVE, GIVE) == {"Ben has seen Ben's card since"}


def test_a_card_taken_from_somebody_unseen_has_been_seen() -> None:
    """Whoever took it counted as having put it there knowingly."""
    assert outcomes(GIVE, "set hand of you to hand of left of you") == {"Ann has seen Ann's card since"}


SOME_CARDS = f"""
{DRAW}
add dealt to hoard of left of you
draw a card from cards as another secretly
add another to hoard of left of you
"""


def test_nor_by_a_secret_choice_in_which_there_was_no_choice() -> None:
    """A bot with two ways to go was asked, and with one it was not; to Ann they look the same when it has answered."""
    way = """
each player in (left of you)
  choose one secretly "Which way?"
    option "Back" if rank of hand of you > 4
      set lucky of you to yes
    option "On"
      set lucky of you to no
"""
    assert outcomes(GIVE, way, bots=1) == {"Ben, who knows something that you do not, has answered since"}


def test_nor_by_how_many_cards_there_were_to_draw_from() -> None:
    """From a single one nothing is drawn, but nobody can tell that it was the only one."""
    assert outcomes(SOME_CARDS, "draw a card from hoard of left of you as turned-up") == {HIDDEN}


def test_nor_by_what_is_offered_next() -> None:
    offered = "choose a card as picked where it is two or it is in hoard of left of you"
    assert outcomes(SOME_CARDS, f"{offered}\nchoose a card as named-first") == {HIDDEN}


def test_what_is_hidden_from_others_only_can_be_taken_back() -> None:
    """Luck that nobody has seen, and one's own card."""
    taken = {"Your last answer is taken back."}
    own = f"{DRAW}\nset hand of you to dealt"
    assert outcomes(own, "if rank of hand of you > 4\n  set lucky of you to yes") == taken
    assert outcomes(own, "set hand of you to none") == taken
    assert outcomes(SOME_CARDS, DRAW) == taken
