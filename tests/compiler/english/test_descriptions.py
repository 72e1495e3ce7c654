"""Descriptions of definitions in lists: what they hold, their initial value, and their use."""

from __future__ import annotations

from edict.prose.rulebook.annotated_rules import annotate_rules
from edict.prose.rulebook.descriptions import describe_definition
from edict.prose.rulebook.rule_terms import RuleTerms
from helpers import make_module

RULES = """\
resource coin "coin/coins"
resource fame "fame" may go below 0
group stuff "piece of stuff/stuff" is coin, fame
resource spark "+1 spark/+1 sparks"
die cube "cube/cubes" with 6 sides
setting length "Rounds" is 5 from 1 to 9
setting tough "Tough" is off

kind hut "hut/huts"
  size number
  smaller "smaller huts" is huts where size of it < size of hut
hut mill "Mill"
  size 2

keep built "huts built" of player as set of hut
keep sheet "huts on the sheet" of player as set of hut starting at huts
keep seats "turn order" as order of player
keep thrown "dice" of player as dice
keep chief "chief" as player or none
keep foe "foe" as hut or none, secret
keep wage "wage" as number from 0 to 9 starting at 3
keep over "the game ends early" as truth starting at no
keep stack "stack" as bag of hut, secret but counted
quantity fee "fee" of player is 3, at least 1, at most wage + 2
moment won "after a victory" with player called victor and hut
moment done "after all"
display board "Board"
  each player
  column "Coins" coin of player
action claim "Claim a hut"
  choose a hut as what "Which?"
  choose dice from thrown of you as paid making size of what including 1 cube

shift claim by +2 spending 1 spark

phase pay-day "Pay day"
  each player
    gain wage coin
    may spend 1 coin
      gain 1 fame
phase tax "The Tax"
  each player
    lose 1 stuff

quantity wealth "wealth" of player is coin of player * 2

game sample "Sample"
  players 2 to 2
  order seats
  winners everyone with most coin of it
  score coin of you
  course
    play pay-day
    play tax
"""

SAID = {
    "built": "A set of huts for each player.",
    "sheet": "A set of huts for each player; starts as all huts.",
    "seats": "An order of the players.",
    "thrown": "Dice for each player.",
    "chief": "A player or none.",
    "foe": "A hut or none; secret.",
    "wage": "A number from 0 to 9; starts as 3.",
    "over": "Yes or no; starts as no.",
    "stack": "A bag of huts; secret, but everybody sees how many there are.",
    "fee": "A number for each player: 3, never less than 1, never more than the wage plus 2.",
    "won": "A moment at which rules can act, with the victor and hut.",
    "done": "A moment at which rules can act.",
    "coin": "Each player has their own; the number never goes below 0.",
    "fame": "Each player has their own; the number may go below 0.",
    "length": "A game setting: 5 by default, from 1 to 9.",
    "tough": "A game setting: off by default.",
    "board": "A panel on the screen, with a row for each player.",
    "hut": "Each hut has: size. Its smaller huts: huts whose size is less than the size of the hut.",
}


def test_definition_is_described_and_a_resource_with_its_sources_and_uses() -> None:
    known = annotate_rules((make_module(RULES),)).unwrap()
    assert {name: " ".join(describe_definition(known, known.definitions[name])) for name in SAID} == SAID
    for about, lines in (
        ("coin", ("Gained from: Pay day.", "Lost or spent in: Pay day and The Tax.", "Counts for: Wealth.")),
        ("fame", ("Gained from: Pay day.", "Lost or spent in: The Tax.")),
        ("+1 spark", ()),
    ):
        (found,) = RuleTerms(known).search(about)
        assert found.lines[1:] == lines, about
    # a rule of the game without a name is no house rule: it has no author in front
    assert len(found.touched) == 1 and ":" not in found.touched[0]
