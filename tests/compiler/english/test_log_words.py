"""Lines of the log: agreement of numbers, text of cards, and who did what for whom and why."""

from __future__ import annotations

import pytest

from edict.compiler.pipeline.pipeline import analyze, build_program
from edict.game.table.game import Game
from edict.game.table.log_entries import LUCK
from edict.game.table.rules import Rules
from helpers import make_module

RULES = """\
resource coin "coin/coins"
resource fame "fame"
die pip with 6 sides
keep seats as order of player, quiet
keep pips of player as dice, quiet

kind card "card/cards"
  rank number from 1 to 6
  worth number
  lower is cards where rank of it < rank of card, shown
  double is worth of card * 2, shown
  finest is worth of card > 2, shown

card ace "Ace"
  rank 1
  worth 1
  when end of gifts
    each player
      gain 1 fame

card king "King"
  rank 2
  worth 3
  shift claim by +1 or -1

game sample "Sample"
  players 2 to 2
  order seats
  winners players with most coin of it
  score coin of you
  course
    play gifts

phase gifts "Gifts"
  announce text of ace
  announce "There are", count of cards, "card/cards", "and", count of everyone - 1, "guest/guests"
  each player in first of seats
    choose a player as friend "Who gets a coin?"
    do give with friend
    roll 1 pip into pips of you
    do claim

action claim "Claim a card"
  choose a card as what "Which card?"
  choose dice from pips of you as paid making rank of what including 1 pip
  then
    announce you, "claims", what

routine give "give a coin to" with player called receiver
  each player in receiver
    gain 1 coin

when end of gifts "The last gift"
  each player in first of seats
    gain 2 coin

display table
  line "Cards:", count of cards, "card/cards"
  line text of king
  line text of ace
"""


def play_rules(rules: str, *keys: str) -> Game:
    """Play a game under these rules with these answers; with answers, dice are typed."""
    program = build_program((make_module(rules),)).unwrap()
    game = Rules(program, program.name).new_game(["Ann", "Ben"], seed=4, dice="typed" if keys else "seeded")
    for key in keys:
        game.answer(key)
    return game


def test_log_reads_a_card_aloud_and_text_agrees_with_the_number_before_it() -> None:
    game = play_rules(RULES, "ben")
    told = [str(entry) for entry in game.log]
    assert told[1] == "At the end of Gifts: for each player: gain 1 fame."
    assert "There are 2 cards and 1 guest" in told
    rows = game.view(0).panels()[0].rows
    assert rows[0].cells == ("Cards: 2 cards",)
    assert rows[1].cells == ("When you claim a card, you may raise or lower the total of the dice by 1.",)


def test_log_line_names_the_player_and_has_the_title_of_its_cause() -> None:
    game = play_rules(RULES, "ben", "2", "ace")
    told = [str(entry) for entry in game.log]
    assert game.over and "Ann: Who gets a coin? Ben" in told
    assert told.index("Ann uses King") < told.index("Ann claims Ace")
    causes = {str(entry): entry.cause.title for entry in game.log}
    assert causes["Ben gains 1 coin"] == "give a coin to the receiver"
    assert causes["Ann gains 2 coins"] == "The last gift"
    unneeded = play_rules(RULES, "ben", "1", "ace")
    assert "Ann uses King" not in map(str, unneeded.log), "a shift that was not needed is not told"


def test_shown_derived_fields_are_in_the_caption() -> None:
    captions = {
        thing.name: thing.caption
        for kind in build_program((make_module(RULES),)).unwrap().kinds
        for thing in kind.things
    }
    assert (captions["ace"], captions["king"]) == ("2, no", "Ace, 6, yes")


def test_text_of_is_refused_for_sets_and_in_calculations(subtests: pytest.Subtests) -> None:
    cards = RULES.replace("announce text of ace", "announce text of cards").replace("double is worth", "double is text")
    for wrong in (cards, RULES.replace("    do claim\n", "    gain text of ace coin\n")):
        with subtests.test(wrong=wrong):
            assert "E0401" in {diagnostic.code for diagnostic in analyze((make_module(wrong),)).diagnostics}


def test_only_quiet_keeps_stay_out_of_the_log() -> None:
    """A title makes no difference, even one that repeats the name."""
    lines = ["keep lap as number", 'keep heat "heat" as number', "keep turn as number, quiet"]
    sets = "".join(f"  set {line.split()[1]} to 3\n" for line in lines)
    rules = "\n".join((RULES.replace("  announce text of ace\n", f"  announce text of ace\n{sets}"), *lines, ""))
    game = play_rules(rules)
    log = [str(entry) for entry in game.log]
    assert [line for line in log if line.endswith(": 3")] == ["Lap: 3", "Heat: 3"]


UNASKED = """\
resource coin "coin/coins"
keep seats as order of player, quiet
kind card "card/cards"
  rank number
card ace "Ace"
  rank 1
card king "King"
  rank 2
action claim "Claim a card"
  choose a card as what "Which card?"
  rule high
    require rank of what > coin of you
    because "too low"
  then
    gain 1 coin
game sample "Sample"
  players 2 to 2
  order seats
  winners everyone
  score coin of you
  course
    each player in first of seats
      choose a card as only where rank of it < 2 "Which of one?"
      gain 3 coin
      may do claim
      may do claim else "Pass"
      choose one "Left or right?"
        option "Left"
          lose 3 coin
        option "Right"
          lose 3 coin
      may do claim else "Pass"
"""


def test_step_without_a_question_does_not_read_as_an_answer() -> None:
    game = play_rules(UNASKED)
    told = [entry.text for entry in game.log]
    assert told == ["Ann gains 3 coins", "Ann has no choice: Pass"]
    game.answer("left")
    game.answer("pass")
    assert [entry.text for entry in game.log][2:] == ["Ann: Left", "Ann loses 3 coins", "Ann: Pass"]


ONCE = """\
keep seats as order of player, quiet
kind card "card/cards"
card ace "Ace"
keep chosen "chosen card" as card or none, secret
keep hand "hand" of player as card or none, secret
keep lead "lead" as card or none
resource coin "coin/coins"
game sample "Sample"
  players 2 to 2
  order seats
  winners everyone
  score coin of you
  course
    draw a card from cards as drawn secretly
    set chosen to drawn
    show chosen to first of seats
    show chosen to everyone
    announce "Here comes", chosen
    set lead to ace
    announce "Nobody knows why"
    each player
      set hand of you to ace
    each player
      show hand of you to everyone
      announce you, "had", hand of you
"""


def test_log_reports_a_fact_once() -> None:
    """If something put face down is shown or announced right away, only the last of these is reported."""
    game = play_rules(ONCE)
    assert [entry.text for entry in game.log if entry.kind != LUCK] == [
        "Here comes Ace",
        "Lead: Ace",
        "Nobody knows why",
        "Ann's hand: Ace",
        "Ben's hand: Ace",
        "Ann had Ace",
        "Ben had Ace",
    ]


AWAY = """\
keep seats as order of player, quiet
resource coin "coin/coins"
game sample "Sample"
  players 2 to 2
  order seats
  winners everyone
  score coin of you
  course
    each player from first of seats
      gain 2 coin
      let gone = coin of you
      lose gone coin
      announce you, "'s", gone, "coin rolls away/coins roll away"
      announce "A coin is gone"
"""


def test_announcement_of_the_author_replaces_the_report_of_a_loss() -> None:
    """Without this the log said `Root loses 8 soldiers` of soldiers who go home."""
    game = play_rules(AWAY)
    told = [entry.text for entry in game.log if "Ben" not in entry.text]
    assert told[:3] == ["Ann gains 2 coins", "Ann's 2 coins roll away", "A coin is gone"]


def test_log_hides_the_value_that_only_one_player_sees() -> None:
    shown = "    show chosen to everyone\n"
    rules = ONCE.replace(shown, f'    announce "A moment later"\n{shown}')
    game = play_rules(rules)
    assert [str(game.view(seat).log[0]) for seat in (0, 1)] == [
        "Ann sees the chosen card: Ace",
        "Ann sees the chosen card",
    ]
