"""The log: moments to look, bags and secret places, and the combined lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from calling import make_manifest, write_files
from edict.game.table import log
from edict.game.table.game import Game
from edict.game.table.game_errors import GameError
from edict.game.table.game_steps import list_steps
from edict.game.table.log_entries import GAIN, LOOK, PHASE, AdjustmentTerm, Entry, PhaseTotals, build_lines
from edict.game.table.rules import Rules, load_rules
from edict.game.table.wording import Amount
from edict.prose.rulebook.annotated_rules import read_annotated_rules
from edict.runtime.program import Cause
from edict.support.report import RulesError
from helpers import compile_program, link_texts, make_phase

# --- moments to look ------------------------------------------------------------------------------------

LOOKING = """\
resource coin "coin/coins"
resource pearl "pearl/pearls"
keep seats as order of player, quiet
keep card of player as number from 0 to 9, secret, quiet
keep day as number, quiet
keep lot of player as number, quiet
quantity luck "luck" of player is 1 + day - day
adjust luck by 2

game sample "Sample"
  players 2 to 2
  order seats
  winners players with most coin of it
  score coin of you
  course
    repeat 2 times
      play market
    look at sum-of-all

phase market "Market"
  add 1 to day
  each player
    set card of you to 4
  each player
    set lot of you to luck of you
    gain lot of you coin
    lose 1 coin
    do gift
  look at takings
  each player
    gain 5 coin

routine gift "gift"
  gain 1 pearl

display takings "Takings"
  line "Day", day
  each player
  column "Coins" coin of player
  column "Card" card of player

display sum-of-all "In all"
  each player
  column "Coins" coin of player

display always
  line "Day", day
"""


def start_game(folder: Path, text: str) -> Game:
    """Return a game for Ann and Ben under these rules."""
    write_files(folder, {"sample/module.yaml": make_manifest("sample", "game"), "sample/rules.edict": text})
    return load_rules(folder / "sample").new_game(["Ann", "Ben"], seed=1)


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Game:
    return start_game(tmp_path_factory.mktemp("looking"), LOOKING)


def look_entries(game: Game, seat: int) -> list[Entry]:
    return [entry for entry in game.view(seat).log if entry.kind == LOOK]


def test_look_shows_the_panel_of_that_moment_and_gains_by_rule(game: Game) -> None:
    first, second, last = [game.view(1).summary(entry) for entry in look_entries(game, 1)]
    assert (first.title, first.panel.above) == ("Takings", ("Day 1",))
    assert [[row.cells[0] for row in one.panel.rows] for one in (first, second, last)] == [
        ["2", "2"],
        ["9", "9"],
        ["14", "14"],
    ]
    assert last.title == "In all"
    told = [(one.seat, one.words, one.cause.title) for one in first.changes]
    assert told == [(seat, *gain) for seat in (0, 1) for gain in (("+2 coins", "Market"), ("+1 pearl", "gift"))]
    assert [one.words for one in second.changes] == [one.words for one in first.changes]
    assert [one.words for one in last.changes if one.seat == 0] == ["+14 coins", "+2 pearls"]
    assert [(term.seat, term.quantity, term.cause.title) for term in first.terms if term.amount == 2] == [
        (0, "luck", "luck"),
        (1, "luck", "luck"),
    ]
    assert [panel.name for panel in game.view(0).panels()] == ["always"], "what is looked at does not lie on the table"
    with pytest.raises(GameError, match="not a moment to look"):
        game.view(0).summary(game.view(0).log[0])


def test_look_hides_what_a_seat_may_not_see(game: Game) -> None:
    cards = [
        [row.cells[1] for row in game.view(seat).summary(look_entries(game, seat)[0]).panel.rows] for seat in (0, 1)
    ]
    assert cards == [["4", "?"], ["?", "4"]]
    assert all(entry.look is None for seat in (0, 1) for entry in game.view(seat).log)


def test_unknown_panel_is_reported(tmp_path: Path) -> None:
    wrong = LOOKING.replace("look at takings", "look at taking")
    write_files(tmp_path, {"sample/module.yaml": make_manifest("sample", "game"), "sample/rules.edict": wrong})
    (found,) = read_annotated_rules(str(tmp_path / "sample")).diagnostics
    assert found.title == "no panel named `taking`" and "takings" in found.help


def test_endless_looks_exceed_the_log_limit_and_name_the_rule(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The state kept for each look counts towards the length of the log like text."""
    monkeypatch.setattr(log, "MOST_LOG_CHARACTERS", 20_000)
    few, endless = (
        LOOKING.replace("  look at takings\n", f"  repeat {often} times\n    look at takings\n") for often in (50, 300)
    )
    assert len(look_entries(start_game(tmp_path, few), 0)) == 101
    with pytest.raises(RulesError, match="log"):
        len(start_game(tmp_path, endless).log)


@pytest.mark.parametrize(("spare", "is_refused"), [(0, False), (-1, True)])
def test_log_may_be_as_long_as_its_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spare: int, is_refused: bool
) -> None:
    game = start_game(tmp_path, LOOKING)
    length = sum(
        len(entry.text) + len(entry.cause.title) + len(entry.veiled) + (len(entry.look.cells) // 4 if entry.look else 0)
        for entry in game.log
    )
    monkeypatch.setattr(log, "MOST_LOG_CHARACTERS", length + spare)
    if is_refused:
        with pytest.raises(RulesError, match="log"):
            len(start_game(tmp_path, LOOKING).log)
    else:
        assert len(start_game(tmp_path, LOOKING).log) == len(game.log)


def test_adjustment_before_a_phase_does_not_count_in_it() -> None:
    before, within = (AdjustmentTerm("luck", 2, seat, Cause("gift", "Gift", "a", 1, 1)) for seat in (0, 1))
    totals = PhaseTotals()
    totals.add_term(before)
    totals.enter()
    assert totals.sum_since_phase() == ((), ())
    totals.add_term(within)
    assert totals.sum_since_phase() == ((), (within,))
    totals.leave()
    assert totals.sum_since_phase() == ((), (before, within))


@pytest.mark.parametrize(
    ("levels", "heading"),
    [((1, 2), "Year > Spring"), ((1, 1), "Spring"), ((2, 1), "Spring")],
)
def test_heading_omits_phases_that_ended_without_a_line(levels: tuple[int, int], heading: str) -> None:
    cause = Cause("year", "Year", "a", 1, 1)
    entries = [
        Entry(PHASE, text, cause, text, level=level) for text, level in zip(("Year", "Spring"), levels, strict=True)
    ]
    assert [str(line) for line in build_lines(entries, ())] == [heading]


def test_kingsburg_has_looks_at_battles_years_and_the_end(subtests: pytest.Subtests) -> None:
    game = load_rules("kingsburg").new_game(["Ann", "Ben", "Cleo"], seed=5)
    while not game.over:
        game.answer(game.count - 1)
    titles = [entry.text for entry in look_entries(game, 0)]
    assert titles.count("The Battle") == 5 and titles.count("The Year") == 4 and titles[-1] == "The Final Scoring"
    view = game.view(0)
    gains = [one for one in view.summary(look_entries(game, 0)[-1]).changes if one.name == "point"]
    scores = game.scores()
    for seat, name in enumerate(game.players):
        with subtests.test(name=name):
            assert sum(one.amount for one in gains if one.seat == seat) == scores[name]
    assert all(one.cause.title for one in gains)


STOP = "choose a number from 1 to 2 as stop-here"

# --- bags -----------------------------------------------------------------------------------------------

TILES = """
kind tile "tile/tiles"
tile red "Red"
tile blue "Blue"
tile gold "Gold"
tile shell "Shell/Shells"
tile third "1/3"
keep sack "the sack" as bag of tile
keep pouch "the pouch" of player as bag of tile, secret
"""


def read_logs(*lines: str) -> tuple[list[str], list[str]]:
    """Return what Ann reads, and what Cid reads."""
    rules = Rules(compile_program(TILES + make_phase(*lines, STOP)), "trial")
    game = rules.new_game(["Ann", "Ben", "Cid"], seed=1)
    ann, cid = ([entry.text for entry in game.view(seat).log] for seat in (0, 2))
    return ann, cid


HELD = "set pouch of you to 2 of each tile"
BAGS: dict[tuple[str, ...], tuple[list[str], list[str] | None]] = {  # what Ann reads, and Cid if that is something else
    ("add red to sack", "add 3 of each tile to sack", "remove blue from sack"): (
        [
            "The sack: now with Red",
            "The sack: now with 3 Red",
            "The sack: now with 3 Blue",
            "The sack: now with 3 Gold",
            "The sack: now with 3 Shells",
            "The sack: now with 3 1/3",
            "The sack: now without Blue",
        ],
        None,
    ),
    ("add shell to sack", "add 2 of shell to sack"): (
        ["The sack: now with Shell", "The sack: now with 2 Shells"],
        None,
    ),
    ('announce 1, shell, "lies here"', 'announce "There are", 1 + 2, shell, "and", red, shell'): (
        ["1 Shell lies here", "There are 3 Shells and Red Shell"],
        None,
    ),
    # others read one line a step, however many sorts come and go, and whether or not any does
    ("set pouch of you to 2 of red", "remove blue from pouch of you"): (
        ["Ann's pouch: now with 2 Red", "Ann's pouch: as it was"],
        ["Ann's pouch: hidden from you"] * 2,
    ),
    ("set pouch of you to red + gold", "remove red + gold from pouch of you"): (
        [f"Ann's pouch: now {how} {what}" for how in ("with", "without") for what in ("Red", "Gold")],
        ["Ann's pouch: hidden from you"] * 2,
    ),
}


@pytest.mark.parametrize("lines", BAGS)
def test_changes_of_a_bag_are_named_to_those_who_see_it(lines: tuple[str, ...]) -> None:
    ann, cid = BAGS[lines]
    assert read_logs(*lines) == (ann, ann if cid is None else cid)


def test_shown_bag_is_one_line_for_those_who_see_it() -> None:
    shown = (HELD, "remove gold + 2 of shell + 2 of third from pouch of you", "show pouch of you to everyone")
    ann, cid = read_logs(*shown)
    assert ann[-1] == cid[-1] == "Ann's pouch is revealed: 2 Red, 2 Blue and Gold"
    held = ("for left of you", f"  {HELD}", "  remove red from pouch of you", "show pouch of left of you to you")
    ann, cid = read_logs(*held)
    assert ann[-1] == "Ann sees Ben's pouch: Red, 2 Blue, 2 Gold, 2 Shells and 2 1/3"
    assert cid[-1] == "Ann sees Ben's pouch"


# --- secret places --------------------------------------------------------------------------------------

CARDS = """
kind card "card/cards"
  size number from 1 to 9
card ace "Ace"
  size 1
card king "King"
  size 8
keep hand "hand" of player as set of card, secret
keep held "card" of player as card or none, secret
keep pile "the pile" as order of card, secret
keep deck as set of card starting at cards, secret, quiet
"""
DRAWN = "draw a card from deck into hand of you\n"


def test_reveal_is_logged_although_the_value_is_set_again_at_once() -> None:
    keep = "keep wager of player as number from 0 to 9, secret\n"
    lines = ("set wager of you to 4", "show wager of you to everyone", "set wager of you to 0")
    game = Rules(compile_program(keep + make_phase(*lines, STOP)), "trial").new_game(["Ann", "Ben"], seed=1)
    assert [entry.text for entry in game.view(1).log] == ["Ann's wager is revealed: 4"]


@pytest.mark.parametrize(
    "line",
    [
        "remove (hand of you where size of it > 4) from hand of you",
        "remove king from hand of you",
        "set held of you to first of (hand of you where size of it > 4)",
        "move hand of you from hand of you to pile",
        "move king from hand of you to pile",
    ],
)
def test_veiled_line_does_not_reveal_whether_anything_changed(line: str) -> None:
    """Others read the same whether the card was there or not; those who know the place read the change."""
    rules = Rules(compile_program(CARDS + make_phase(DRAWN + line, STOP)), "trial")
    games = [rules.new_game(["Ann", "Ben"], seed=seed) for seed in range(8)]
    own, others = ({tuple(entry.text for entry in game.view(seat).log) for game in games} for seat in (0, 1))
    assert len(own) > 1 == len(others)
    assert all("hidden from you" in text for lines in others for text in lines)


# --- which card it comes from ---------------------------------------------------------------------------

OF_CARDS = """\
resource coin "coin/coins"
resource gem "gem/gems"
keep seats as order of player, quiet
keep held of player as set of card, quiet

game sample "Sample"
  players 2 to 2
  order seats
  winners players with most coin of it
  score coin of you
  course
    each player in first of seats
      set held of you to held of you + well
      set held of you to held of you + bell
      set held of you to held of you + lamp
    do pay with 1
    each player in first of seats
      do visit with inn
      do visit with inn
      do visit with hall
      do visit with guest-house
      do visit with shed
      do visit with shed
      do gift of shed
      do gift of shed
    play day
    trigger dusk
    do pay with 6

phase day "Day"
  trigger dawn

moment dawn "dawn"
moment dusk "dusk"
moment paid "after paying"

kind card "card/cards"
  works if card is in held of you
  gift effect, optional

card inn "Inn"
  gift
    do pay with 2
card hall "Hall"
  gift do gift of parlour
card parlour "Parlour"
  gift
    gain 1 gem
    do pay with 3
card shed "Shed"
  gift gain 3 gem
card guest-house "Guest House"
  gift do visit with inn
card well "Well"
  when dawn
    do pay with 4
card bell "Bell"
  when paid
    gain 1 gem
card lamp "Lamp"
  when dusk
    do pay with 5

routine visit "visit" with card
  do gift of card

routine pay "pay _ coins" with number called many
  each player in first of seats
    gain many coin
  trigger paid
"""


def test_gain_is_attributed_to_the_card_with_the_effect_or_routine(tmp_path: Path) -> None:
    told = [(line.text, line.cause) for line in build_lines(start_game(tmp_path, OF_CARDS).log, ("Ann", "Ben"))]
    assert {("Ann gains 4 coins", "Well"), ("Ann gains 5 coins", "Lamp")} < {*told}, "a routine that the card calls"
    assert told.count(("Ann gains 2 coins", "Inn")) == 2, "two visits"
    assert told.count(("Ann gains 3 gems", "Shed")) == 4, "and two effects by themselves"
    assert ("Ann gains 1 gem and 3 coins", "Hall") in told, "the effect of another card that it has carried out"
    assert ("Ann gains 2 coins", "Guest House") in told and "Parlour" not in {cause for _, cause in told}
    assert told[told.index(("Ann gains 4 coins", "Well")) + 1] == ("Ann gains 1 gem", "Bell"), "another card meanwhile"
    assert told[0] == ("Ann gains 1 coin", "pay coins"), "a routine that no card calls"
    assert ("Ann gains 6 coins", "pay coins") in told


def test_payments_are_spent_and_other_decreases_are_lost() -> None:
    lines = ("gain 3 coin", "spend 1 coin", "lose 1 coin", "gain 1 fame")
    game = Rules(compile_program(make_phase(*lines)), "trial").new_game(["Ann", "Ben"], seed=1)
    said = [entry.text for entry in game.log if "coin" in entry.text]
    assert said == ["Ann gains 3 coins", "Ann spends 1 coin", "Ann loses 1 coin"]


def test_unnamed_rule_is_described_by_its_effect_or_condition() -> None:
    """Regression: `6 battle strength` did not say where it comes from."""
    rules = """
keep extra "extra strength" of player as number
keep leader "last winner" as player or none
quantity might "might" of player is stick of you
adjust might by extra of you
adjust might by 2 if leader is you
"""
    assert [one.cause_title for one in link_texts(rules).adjusts["might"]] == ["extra strength", "last winner"]


# --- in brief -------------------------------------------------------------------------------------------

CAUSE = Cause("market", "Market", "rules.edict", 3, 1)


def make_gain(
    verb: str, number: int, one: str = "wood", many: str = "wood", seat: int = 0, hidden: bool = False
) -> Entry:
    amount = Amount(number, one, many)
    owner = ("Ann", "Ben")[seat]
    seats = frozenset((seat,)) if hidden else None
    text = f"{owner} {verb} {amount}"
    whole = Entry(GAIN, text, CAUSE, "Turn", seat, seats, "Ann: hidden from you", amount=amount, verb=verb, owner=owner)
    seen = whole.seen_by(1 - seat) if hidden else whole
    assert seen is not None
    return seen


@pytest.mark.parametrize(
    ("entries", "text"),
    [
        ([make_gain("gains", 1), make_gain("gains", 1)], "Ann gains 2 wood"),
        (
            [make_gain("gains", 1, "coin", "coins"), make_gain("gains", 1), make_gain("gains", 2, "coin", "coins")],
            "Ann gains 3 coins and 1 wood",
        ),
        ([make_gain("loses", 1), make_gain("gains", 1), make_gain("gains", 2)], "Ann loses 1 wood and gains 3 wood"),
        (
            [make_gain("loses", 1), make_gain("gains", 1), make_gain("gains", 2, "coin", "coins")],
            "Ann loses 1 wood, and gains 1 wood and 2 coins",
        ),
        (
            [make_gain("gains", 1), make_gain("loses", 1), make_gain("gains", 1)],
            "Ann gains 1 wood and loses 1 wood and gains 1 wood",
        ),
    ],
)
def test_gains_of_one_resource_are_summed(entries: list[Entry], text: str) -> None:
    assert [line.text for line in build_lines(entries, ("Ann", "Ben"))] == [text]


def test_gains_of_each_player_have_a_line_and_hidden_ones_are_not_summed() -> None:
    lines = build_lines([make_gain("gains", 1), make_gain("gains", 1, seat=1)], ("Ann", "Ben"))
    assert [line.text for line in lines] == ["Ann gains 1 wood", "Ben gains 1 wood"]
    assert make_gain("gains", 1, hidden=True).amount is None


# --- who was not asked ----------------------------------------------------------------------------------


def test_player_learns_of_forced_choices() -> None:
    """Regression: a player with two equal cards read `Ann plays Page` without having been asked.

    Forced dice of an option that the player chose are not mentioned.
    """
    text = make_phase(
        "choose a number from 1 to 2 as near",
        'choose a number from 5 to 5 as far "How far?"',
        "for left of you",
        '  choose a number from 7 to 7 as high "How high?"',
    )
    game = Rules(compile_program(text), "trial").new_game(["Ann", "Ben"], 1)
    game.answer("2")
    chain = list_steps(game.last_step)
    told = [list(log.iter_forced_moves(game.table.options, chain, seat)) for seat in (0, 1)]
    assert told == [[], ["You had only one choice for “How high?”: 7."]]


@pytest.mark.parametrize(
    ("prompt", "text"),
    [
        ("Which die do you reroll?", "Which die do you reroll? None"),
        ("With whom do you swap?", "With whom do you swap? Nobody"),
        ("What do you spend to gain 2 gold?", "What do you spend to gain 2 gold? Nothing"),
        ("Reroll all your dice.", "Reroll all your dice? No"),
    ],
)
def test_declined_question_has_a_fitting_answer(prompt: str, text: str) -> None:
    """Regression: `Which die do you reroll? No` stood in the log."""
    assert log._format_declined_question(prompt) == text
