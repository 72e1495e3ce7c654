"""Explanations where something is hidden: as much as the seat may know, and a note where more is hidden."""

from __future__ import annotations

from random import Random

import pytest

from asking_why import ask_exactly, ask_why, list_reasons, play_randomly, start_house
from edict.apps.cli.playing import why
from edict.game.explanations import reasons_in_words
from edict.game.explanations.log_explanations import LogExplainer
from edict.game.explanations.option_reasons import OptionExplainer
from edict.game.table.game import Game
from edict.game.table.rules import Rules
from helpers import compile_program, make_phase
from secrecy import NAMES, load_rules, open_session


def test_options_of_another_player_are_not_explained(subtests: pytest.Subtests) -> None:
    """They may depend on what only the other player knows."""
    game = load_rules("kuhn-poker").new_game(["Ann", "Ben"], seed=3)
    for about in ("not bet", "check"):
        with subtests.test(about=about):
            (said, *_) = why.answer_why(open_session(game, 1 - game.seat), about)
            assert said.words == f"Only {game.ask.player} can see these choices."
            assert "is one of your choices" in why.answer_why(open_session(game, game.seat), "not bet")[0].words


def test_quantity_that_depends_on_the_hidden_enemy_is_hidden() -> None:
    """Another player alone was shown the enemy of the year: neither its strength nor derived values are shown."""
    game = play_until_enemy_shown(load_rules("kingsburg"))
    knows = next(seat for seat in range(3) if game.view(seat).value("foe") is not None)
    for seat in range(3):
        answers = [why.answer_why(open_session(game, seat), about) for about in ("threat", "prospects")]
        said = [line.words for lines in answers for line in lines[:1]]
        hidden = all(words.endswith("it depends on something you may not see") for words in said)
        assert hidden is (seat != knows), said


def play_until_enemy_shown(laid: Rules) -> Game:
    """Return a game in which one player alone has been shown the enemy at a player's question."""
    for seed in range(50):
        game, luck = laid.new_game(NAMES[:3], seed), Random(seed)
        while not game.over:
            known = [game.view(seat).value("foe") for seat in range(3)]
            if sum(foe not in (None, -1) for foe in known) == 1:
                return game
            game.answer(luck.randrange(game.count))
    pytest.fail("nobody was shown an enemy in any of these games")


TOLLS = """
kind house
  cost number from 0 to 9
house hut "Hut"
  cost 1
house fort "Fort"
  cost 2
keep pass of player as house or none, secret
action build "Build"
  choose a house as what "Which house?"
  rule modest
    require cost of what < 5
    because "it is too grand"
  then
    nothing
exception toll "A toll" to build.modest if pass of left of you is fort
  require cost of what < 2
  because "the neighbour asks a toll"
"""
DEAL = (
    "let deck = houses",
    "each player",
    "  draw a house from deck as dealt secretly",
    "  remove dealt from deck",
    "  set pass of you to dealt",
    "each player",
    "  may do build",
)


def play_until_build(offered: bool) -> Game:
    """Return a game at the question to build; the neighbour has the fort, so that it is not offered, or has not."""
    laid = Rules(compile_program(TOLLS + make_phase(*DEAL)), "trial")
    games = (laid.new_game(NAMES[:2], seed) for seed in range(20))
    return next(game for game in games if ("fort" in game.ask.keys) is offered)


@pytest.mark.parametrize("offered", [False, True])
def test_rule_is_uncertain_beside_a_hidden_exception_with_a_requirement(offered: bool) -> None:
    game = play_until_build(offered)
    refusals = OptionExplainer(game, game.seat)
    assert {reason.found.holds for value in (0, 1) for reason in refusals.reasons_for(value)} == {True}
    assert [reason.holds for reason in refusals.reasons_for(0)] == [True], (
        "the toll does not ask more for the hut either"
    )
    assert [reason.holds for reason in refusals.reasons_for(1)] == [None]
    assert [reason.holds for reason in OptionExplainer(game, None).reasons_for(1)] == [offered]


def test_possible_refusal_is_mentioned_if_hidden() -> None:
    game = play_until_build(offered=False)
    said = [line.words for line in why.answer_why(open_session(game, game.seat), "not fort --exactly")]
    assert ask_why(game, "not fort").splitlines()[1:] == [
        "The neighbour asks a toll.",
        "that depends on something you may not see",
    ]
    assert said == [
        "Fort: you can't choose this for “Build”.",
        "The neighbour asks a toll (in place of the rule modest)",
        "if pass of left of you is fort",
        "that depends on something you may not see",
        "needed: cost of Fort < 2",
        "cost of Fort is 2",
    ]


PEEKED = """
kind leaf "leaf/leaves"
  size number from 1 to 5
table of leaf with size
  lime "Lime"  2
  fern "Fern"  3
keep hand of player as set of leaf, secret
keep seen of player as number from 0 to 99
"""
PEEKING = (
    "let deck = leaves",
    "each player",
    "  draw a leaf from deck as one secretly",
    "  remove one from deck",
    "  add one to hand of you",
    "each leaf as one in hand of left of you",
    "  add size of one to seen of you",
    "  gain size of one coin",
    "gain (seen of you + coin of you) fame",
    "if first of hand of left of you is not none",
    "  gain (seen of you + 1) stick",
)


def test_publicly_seen_changes_by_a_secret_are_explained() -> None:
    """Regression: the sum of coins gained in a loop over another's hand was reported as hidden."""
    laid = Rules(compile_program(PEEKED + make_phase(*PEEKING, "choose a number from 1 to 2 as stop-here")), "trial")
    game = laid.new_game(NAMES[:2], seed=1)
    explainer, log = LogExplainer(game, 0), game.view(0).log
    gained = {kind: next(one for one in log if kind in one.text) for kind in ("coin", "fame", "stick")}
    numbers = {kind: explainer.explain_entry(line).numbers for kind, line in gained.items()}
    assert not numbers["coin"], "how large the leaf is, is not made up of anything"
    assert [term.label for term in numbers["fame"][0].terms] == ["seen", "coins"]
    assert numbers["stick"][0].hidden, "that it is gained at all, hangs on the hand"


# --- names, terms and lines that hang on a secret ----------------------------------------------------------


def test_hidden_values_are_not_explained() -> None:
    game = start_house("may do plant")
    assert "yew" not in game.ask.keys
    one = next(x for x in list_reasons(game, "yew") if x.name == "unseen")
    assert one.holds is None and one.found.secret and not one.found.values
    said = ask_exactly(game, "not yew")
    shown = said.replace("what is not hidden of left of you", "").replace("Yew is not hidden of left of you", "")
    assert reasons_in_words.SECRET in said and "hidden of" not in shown
    assert next(x for x in list_reasons(game, "yew", seat=1) if x.name == "unseen").holds is False


@pytest.mark.parametrize(
    ("before", "where"),
    [
        (("draw a tree from trees as drawn secretly",), "it is not drawn"),
        (("let n = height of hidden of left of you",), "height of it > n"),
        (("let n = 0", "set n to height of hidden of left of you"), "height of it > n"),
        (("let n = 0", "add height of hidden of left of you to n"), "height of it > n"),
        (("let n = 0", "if hidden of left of you is yew", "  set n to 4"), "height of it > n"),
        (("let n = height-hidden of left of you",), "height of it > n"),
    ],
)
def test_names_derived_from_secrets_are_not_explained(before: tuple[str, ...], where: str) -> None:
    game = start_house(*before, f"choose a tree as guess where {where}", "gain 1 fame")
    missing = next(x for x in ("sapling", "oak", "yew", "ash") if x not in game.ask.keys)
    one = next(x for x in list_reasons(game, missing) if x.sort == "where")
    assert one.holds is None and one.found.secret and not one.found.values
    assert " 4" not in ask_exactly(game, f"not {missing}")


def test_terms_that_depend_on_a_secret_are_hidden_from_others() -> None:
    text = """
keep card of player as number, secret
quantity sum-up "sum" of player is card of you + coin of you
"""
    said = ('announce you, "says", sum-up of you', 'may "Go on?"', "  lose 1 fame")
    lines = ("gain 2 coin", "set card of you to 5", *said)
    game = Rules(compile_program(text + make_phase(*lines)), "trial").new_game(["Ann", "Ben"], seed=1)
    entry = next(x for x in game.log if "says" in x.text)
    mine, other = (LogExplainer(game, seat).explain_entry(entry).numbers for seat in (0, 1))
    assert [(term.amount, term.label) for term in mine[0].terms] == [(5, "card"), (2, "coins")]
    assert other[0].hidden and not other[0].terms


def test_veiled_line_is_explained_no_further_than_it_is_readable(subtests: pytest.Subtests) -> None:
    game = play_randomly(("kuhn-poker",), 3, 1)
    for entry in game.view(0).log:
        with subtests.test(entry=entry):
            if entry.text.endswith(": hidden from you"):
                assert LogExplainer(game, 0).explain_entry(entry).numbers == ()
