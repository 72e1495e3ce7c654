"""Previews of options: they match what then happens, and reveal no secret."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

import pytest

from edict.game.explanations.option_previews import preview_options
from edict.game.explanations.option_trials import HIDDEN, LUCK, OTHERS, OptionTrial
from edict.game.table.game import Game
from edict.game.table.rules import Rules
from edict.runtime.program.opcodes import EVENT_SIZE
from helpers import compile_program
from secrecy import ALL, NAMES, load_rules

GAMES = [ALL, ("kingsburg", "goblin-valley"), ("kuhn-poker",), ("pig",)]
MOST = 40  # answers to one game


def split_events(events: Sequence[int]) -> list[tuple[int, ...]]:
    """Return events one by one."""
    return [tuple(events[i : i + EVENT_SIZE]) for i in range(0, len(events), EVENT_SIZE)]


def iter_questions(laid: Rules, seed: int, players: int = 3) -> Iterator[Game]:
    """Iterate over a random game at each of its questions."""
    luck, game = Random(seed), laid.new_game(NAMES[: min(players, laid.program.most_players)], seed)
    while not game.over:
        yield game
        game.answer(luck.randrange(game.count))


@pytest.mark.parametrize("names", GAMES, ids="-".join)
def test_preview_matches_what_happens(names: tuple[str, ...]) -> None:
    """The events of a trial are the first ones after the option is taken."""
    luck, tried = Random(1), 0
    game = load_rules(*names).new_game(NAMES[: min(3, load_rules(*names).program.most_players)], 1)
    for _ in range(MOST):
        if game.over:
            break
        index = luck.randrange(game.count)
        trial = OptionTrial(game.table, game.last_step, game.state)
        found = trial.try_answer(trial.start, index) if trial.is_known else None
        game.answer(index)
        if found is not None:
            events = split_events(found.events)
            assert split_events(game.last_step.events)[: len(events)] == events
            tried += bool(events)
    assert tried > 1


# --- the game that ships -----------------------------------------------------------------------------


def test_envoy_and_token_are_listed_as_costs() -> None:
    """An advisor who is taken already, and one whose number the dice make only with the token."""
    told = set[str]()
    for game in (game for seed in range(4) for game in iter_questions(load_rules("kingsburg"), seed)):
        view = game.view(game.seat)
        held, tokens = view.value("occupied"), view.value("token", game.seat)
        if game.ask.question != "choose-whom" or held is None:
            continue
        dice = {sum(faces) for faces in iter_subsets(game)}
        for one in (one for one in preview_options(game) if one.option.value >= 0):
            taken = bool(held >> one.option.value & 1)
            assert ("King's Envoy" in one.costs) is taken, one.text
            told |= {"envoy"} if taken else set()
            if one.option.value + 1 not in dice and tokens and not can_change_total(game):
                assert any("+2 token" in cost and "once per" in cost for cost in one.costs), one.text
                told.add("token")
        if told == {"envoy", "token"}:
            return
    pytest.fail(f"only {told} were met")


def can_change_total(game: Game) -> bool:
    """Return True if the asked player can change a total without a token."""
    owned = game.view(game.seat).words("owned", game.seat)
    return "Market" in owned


def iter_subsets(game: Game) -> Iterator[list[int]]:
    view = game.view(game.seat)
    hand = view.value("hand", game.seat) or 0
    faces = [face for _, _, shown_ in view.wording.faces(hand) for face in shown_]
    yield from ([f for i, f in enumerate(faces) if mask >> i & 1] for mask in range(1, 1 << len(faces)))


def test_each_way_to_pay_has_a_preview() -> None:
    """Each way is offered afterwards with the same words and price."""
    seen = 0
    for game in iter_questions(load_rules(*ALL), 4):
        for one in preview_options(game) if game.ask.question == "choose-whom" else ():
            if not one.continuations or one.continuations[0].ends:
                continue
            copy = game.copy()
            copy.answer(one.option)
            later = preview_options(copy)
            assert [way.answers[0] for way in one.continuations] == [after.option.text for after in later]
            assert [set(way.costs) for way in one.continuations] == [{*after.costs, *one.costs} for after in later]
            assert (
                len(one.alternative_costs) == len({way.costs for way in one.continuations}) or not one.alternative_costs
            )
            seen += 1
        if seen > 5:
            return
    assert seen


def test_effect_preview_shows_replacements() -> None:
    """A tile on the Champion, or none; for the Merchant players choose what to gain."""
    met = set[tuple[str, bool]]()
    for game in (game for seed in range(5) for game in iter_questions(load_rules("kingsburg", "advisor-tiles"), seed)):
        if game.ask.question != "choose-whom":
            continue
        tiled = game.view(game.seat).values["tile-on"]
        cases = {
            option.key: (option.key, tiled[option.value] < 0)
            for option in game.ask.options
            if option.key in ("merchant", "champion")
        }
        for one in preview_options(game) if met.union(cases.values()) > met else ():
            if one.option.key in cases:
                _, bare = cases[one.option.key]
                (effect,) = one.effects
                assert one.option.key != "champion" or (effect.gains == ("+3 stone",)) is bare
                assert one.option.key != "merchant" or not bare or (effect.ends, effect.text) == ("choices", "")
        met.update(cases.values())
        if len(met) == 4:
            return
    pytest.fail(f"only {met} were met")


# --- little rules --------------------------------------------------------------------------------------

SPEND = """
keep crown "crown" as player or none
quantity might "might" of player is stick of you + 2 * brick of you
display players "Players"
  each player
  column "Might" might of player
  column "Coins" coin of player

action buy "Buy"
  choose a stuff as what "What do you buy?"
  rule poor
    require coin of you < 2 or what is brick
    because "only the poor buy"
  then
    gain 3 what
    spend 1 coin
      gain 1 fame

exception royal "the crown" to buy.poor if crown is you
  allow
  then
    set crown to none

phase trial-run
  set crown to you
  gain 2 coin
  repeat 2 times
    do buy
  may "Wait?" gain 1 cube
    roll 1 cube as thrown
    gain 1 coin
  choose a player as whom "Whom?"
  each player in whom
    choose one "Yours?"
      option "Yes"
        gain 1 coin
      option "No"
        nothing
"""


def load_small_game(text: str) -> Game:
    return Rules(compile_program(text), "trial").new_game(["Ann", "Ben"], seed=1)


def test_preview_has_price_gain_and_exception() -> None:
    game = load_small_game(SPEND)
    stick, brick = preview_options(game)
    assert stick.costs == ("1 coin", "crown") and brick.costs == ("1 coin",)
    assert stick.gains == ("+3 sticks", "+1 fame")
    assert stick.quantity_changes == ("might 0 → 3",)
    assert stick.text == "costs 1 coin, crown; +3 sticks, +1 fame; might 0 → 3"
    (use,) = stick.uses
    assert (use.sort, use.title) == ("exception", "the crown") and not brick.uses
    crown = next(change for change in stick.changes if change.name == "crown")
    assert (crown.sort, crown.before, crown.after, crown.loss) == ("kept", 0, -1, True)
    assert {cause.title for cause in crown.causes} == {"the crown"}


BRIBE = """
exception bribe "a bribe" to buy.poor if coin of you > 2
  allow
  then
    lose 2 coin
"""


def test_player_chooses_among_exceptions_with_prices() -> None:
    game = load_small_game(SPEND.replace("gain 2 coin", "gain 4 coin") + BRIBE)
    stick, brick = preview_options(game)
    assert [way.answers for way in stick.continuations] == [("The crown",), ("A bribe",)]
    assert [way.costs for way in stick.continuations] == [("1 coin", "crown"), ("3 coins",)]
    assert [way.exceptions for way in stick.continuations] == [(), ("a bribe",)] and brick.exceptions == ()
    game.answer("stick")
    assert game.ask.prompt == "Only the poor buy. What do you use?"
    assert [one.costs for one in preview_options(game)] == [("1 coin", "crown"), ("3 coins",)]
    game.answer("bribe")
    assert (game.view(0).words("crown"), game.view(0).value("coin", 0)) == ("Ann", 1)
    stick = preview_options(game)[0]
    assert not stick.continuations and stick.costs == ("1 coin",), "who is poor needs no exception"


CARDS = """
kind card "card"
  reward effect
quantity extra "extra" of player is 0
adjust extra by 2 if stick of you > 0
card ace "Ace"
  reward
    gain 1 + extra of you coin
    choose one "More?"
      option "Yes"
        gain 1 fame
      option "No"
        nothing
card deuce "Deuce"
  reward spend 1 stick
    gain 2 fame
phase trial-run
  gain 1 stick
  choose a card as which "Which?"
"""


def test_effects_of_the_chosen_thing_are_previewed() -> None:
    """They include additions by other rules up to the first choice; taking the option triggers none of them."""
    ace, deuce = preview_options(load_small_game(CARDS))
    assert [(one.name, one.text) for one in ace.effects] == [("reward", "+3 coins; then you choose")]
    assert [(one.name, one.text) for one in deuce.effects] == [("reward", "costs 1 stick; +2 fame")]
    assert ace.text == deuce.text == ""


def test_preview_ends_at_luck_and_at_other_players() -> None:
    game = load_small_game(SPEND)
    game.answer("brick")
    game.answer("brick")
    assert game.ask.prompt == "Wait?"
    wait, decline = preview_options(game)
    assert (wait.ends, wait.text) == (LUCK, "+1 cube; then chance decides")
    assert (decline.ends, decline.text) == ("", "")
    game.answer(decline.option)
    ann, ben = preview_options(game)
    assert ann.ends == "" and [way.gains for way in ann.continuations] == [("+1 coin",), ()]
    assert (ben.ends, ben.continuations) == (OTHERS, ())


KEPT = """
kind tree "tree/trees"
tree oak "Oak"
tree ash "Ash"
tree elm "Elm"
keep grove "grove" of player as set of tree
keep prized "best tree" as tree or none
keep day "day" as number
phase trial-run
  add oak to grove of you
  add elm to grove of you
  choose one "What?"
    option "Replant"
      remove oak from grove of you
      add ash to grove of you
    option "Fell"
      remove oak from grove of you
    option "Praise"
      set prized to ash
    option "Rest"
      add 2 to day
"""


def test_changes_of_kept_values_are_previewed() -> None:
    assert {one.option.text: one.text for one in preview_options(load_small_game(KEPT))} == {
        "Replant": "grove: -Oak, +Ash",
        "Fell": "costs grove: -Oak",
        "Praise": "best tree: none → Ash",
        "Rest": "day: 0 → 2",
    }


NESTED = """
phase trial-run
  play first
  gain 9 fame
phase first
  choose a number from 1 to 2 as many "How many?"
  play second
  gain many coin
phase second
  gain 1 stick
"""


def test_preview_reaches_to_the_end_of_the_phase_through_inner_phases() -> None:
    assert [one.text for one in preview_options(load_small_game(NESTED))] == ["+1 coin, +1 stick", "+2 coins, +1 stick"]


SHIFTED = """
keep hand "hand" of player as dice
kind shop "shop"
  rank number from 1 to 20
shop one "One"
  rank 1
shop two "Two"
  rank 2
shop three "Three"
  rank 3
shop four "Four"
  rank 4
shop five "Five"
  rank 5
shop six "Six"
  rank 6

action visit "Visit"
  choose a shop as which "Which shop?"
  choose dice from hand of you as paid making rank of which "With which dice?"
  then
    remove paid from hand of you
    gain rank of which fame

shift visit by +1 spending 1 coin, once per trial-run

phase trial-run
  gain 1 coin
  roll 2 cube into hand of you
  repeat 2 times
    may do visit
"""


def test_shifts_and_limited_abilities_are_costs() -> None:
    """Some ways to pay cost more; an option lists the costs and gains that all of them share."""
    laid, once = Rules(compile_program(SHIFTED), "trial"), "1 coin (once per trial-run)"
    game = next(g for seed in range(60) if own_hand(g := laid.new_game(["Ann", "Ben"], seed)) == "2 4")
    found = {one.option.key: one for one in preview_options(game)}
    assert found["four"].costs == ("die 4",) and not found["four"].continuations
    assert found["three"].costs == (once, "die 2") and found["five"].costs == (once, "die 4")
    assert [(use.sort, use.title) for use in found["three"].uses] == [("shift", "1 coin"), ("once", "1 coin")]
    assert found["six"].text == "costs dice 2 and 4; +6 fame"
    game.answer("three")
    left = [(one.option.key, one.uses, one.costs) for one in preview_options(game)]
    assert left == [("four", (), ("die 4",)), ("no", (), ())], "the shift has been used"


def own_hand(game: Game) -> str:
    return game.view(0).words("hand", 0)


PEEK = """
kind leaf "leaf/leaves"
leaf lime "Lime"
leaf fern "Fern"
leaf moss "Moss"
keep card "card" of player as leaf or none, secret
phase trial-run
  let deck = leaves
  each player
    draw a leaf from deck as dealt secretly
    remove dealt from deck
    set card of you to dealt
  repeat 3 times
    choose one "Which?"
      option "Theirs"
        gain 1 coin
        if card of left of you is lime
          gain 5 fame
        gain 1 coin
      option "Mine"
        if card of you is lime
          gain 2 coin
        else
          gain 3 coin
"""


def test_preview_stops_before_a_hidden_cell() -> None:
    laid = Rules(compile_program(PEEK), "trial")
    for seed in range(6):
        game = laid.new_game(["Ann", "Ben"], seed)
        theirs, mine = preview_options(game)
        assert (theirs.text, theirs.ends) == ("+1 coin; the rest is hidden", HIDDEN)
        own = game.view(0).words("card", 0)
        assert mine.text == ("+2 coins" if own == "Lime" else "+3 coins")


ENDLESS = """
phase trial-run
  choose a number from 0 to 60 as many "How many?"
  repeat 10000 times
    gain 1 coin
    lose 1 coin
"""


def test_preview_has_a_work_limit() -> None:
    """All options together may take as long as the machine takes for a few answers, and no longer."""
    game = load_small_game(ENDLESS)
    assert {(one.ends, one.text) for one in preview_options(game)} == {("unknown", "")}
