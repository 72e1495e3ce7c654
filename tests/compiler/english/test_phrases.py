"""Patterns of the generated English that used to read like a formula or a translation, with an example or two each."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import yaml

from edict.compiler.english import describe, describe_thing, outline_ability
from edict.compiler.english.condition_phrases import describe_condition
from edict.compiler.syntax import tree as t
from english_reader import HUTS, IS, LOGIC, combine, meanings
from helpers import link_texts, make_phase

RULES = """
resource spark "+1 spark/+1 sparks"
kind hut "hut/huts"
  size number
  cost amounts
  gift effect "Gift", optional
hut mill "Mill"
  size 2
  cost 1 stick
hut barn "Barn"
  size 5
  cost 1 stick
hut shed "Shed"
  size 7
  cost 1 stick
keep hand "dice" of player as dice
keep owned "huts" of player as set of hut
keep wage "wage" as number
keep foe "foe" as hut or none
quantity price "price" of hut in stuff is cost of hut in stuff
quantity draws "extra draw/extra draws" of player is 0
quantity luck "chance of rain" is 0
quantity force "force" of player is 1

action claim "Claim a hut"
  choose a hut as what "Which?"
  choose dice from hand of you as paid making size of what including 1 cube
  rule open
    require what is not in owned of you
    because "somebody has it"

routine toil "work hard"
  gain 1 coin
routine rest "lie down"
  gain 1 stick

phase day "Working day"
  nothing
phase dusk "Bidding"
  nothing
phase summer "Summer"
  play day
phase autumn "Autumn"
  play day
  gain 1 coin
phase feast "The Great Feast"
  nothing
"""
COURSE = "repeat 2 times\n  play summer\n  play autumn\nplay dusk\nplay feast"


CARDS = {
    "when end of day if during summer\n  gain 1 coin": "At the end of each summer, gain 1 coin.",
    "when start of day if during autumn\n  gain 1 coin": "At the start of each autumn, gain 1 coin.",
    "when end of day if during autumn\n  gain 1 coin": "At the end of each working day in autumn, gain 1 coin.",
    "when end of day if during summer and coin of you > 2\n  gain 1 coin": "At the end of each summer, if you have more than 2 coins, gain 1 coin.",
    "when end of day if during summer or during autumn\n  gain 1 coin": "At the end of each working day, if it is summer or autumn, gain 1 coin.",
    "when end of dusk\n  gain 1 coin": "At the end of Bidding, gain 1 coin.",
    "when end of feast\n  gain 1 coin": "At the end of the Great Feast, gain 1 coin.",
    "shift claim by +1 or -1": "When you claim a hut, you may raise or lower the total of the dice by 1.",
    "shift claim by +2 spending 1 spark": "When you claim a hut, you may raise the total of the dice by 2 for a +1 spark.",
    "shift claim by -2 or -1 or +1 or +2": "When you claim a hut, you may raise or lower the total of the dice by up to 2.",
    "shift claim by +1 or -2": "When you claim a hut, you may change the total of the dice by +1 or -2.",
    "adjust price by -1 if stuff is coin and size of hut >= 3": "-1 to the price in coin of each hut whose size is at least 3.",
    "adjust price by -1 if stuff is coin and cost of hut in coin >= 3": "-1 to the price in coin of each hut whose cost in coin is at least 3.",
    "adjust draws by 1": "+1 extra draw.",
    "adjust draws by -2": "-2 extra draws.",
    "adjust luck by 1": "+1 to the chance of rain.",
    "adjust force by 2 if foe is mill or foe is barn": "+2 to force if the foe is Mill or Barn.",
    "exception to claim.open if what is mill\n  allow": "You may claim a hut even if somebody has it, provided that the hut is Mill.",
    "exception to rest\n  instead\n    gain 1 coin": "Do not lie down, but gain 1 coin.",
    "exception to toil\n  instead\n    do toil\n    gain 1 coin": "Instead of “work hard”: work hard; gain 1 coin.",
    "gift gain 1 spark and 2 coin": "Gain a +1 spark and 2 coins.",
    "when gaining coin\n  gain 1 stick": "After a player gains coins, gain 1 stick.",
    "when losing coin\n  gain 1 stick": "Before a player loses coins, gain 1 stick.",
    "when joining owned\n  gain 1 coin": "After a hut joins a player's huts, gain 1 coin.",
    "when leaving owned if hut is mill\n  gain 1 coin": "Before a hut leaves a player's huts, if the hut is Mill, gain 1 coin.",
    "when start of toil\n  gain 1 coin": "Before “work hard”, gain 1 coin.",
    "when end of toil, once per summer\n  gain 1 stick": "After “work hard”, once per summer, gain 1 stick.",
    "exception to gaining coin\n  instead\n    gain 1 stick": "Instead of gaining coins: gain 1 stick.",
    "exception to toil if coin of you > 2\n  instead\n    gain 1 stick": "Do not work hard if you have more than 2 coins, but gain 1 stick.",
    "exception to claim.open if what is mill\n  require coin of you > 3": "To claim a hut if the hut is Mill, it must be true that you have more than 3 coins, in place of the rule "
    "“somebody has it”.",
    "adjust force to 3 if coin of you > 2 and foe is mill": "The force becomes 3 if you have more than 2 coins and the foe is Mill.",
    "adjust force times 2": "Double the force.",
    "adjust force divided by 2": "Halve the force, rounded down.",
    "adjust force by coin of you": "Add your coins to force.",
}


def test_ability_reads_like_the_text_of_a_card() -> None:
    """All abilities are read together, each on a hut of its own."""
    huts = "".join(
        f'\nhut test-hut-{i} "Hut {i}"\n  size 1\n  cost 1 stick\n  {ability.replace(chr(10), chr(10) + "  ")}\n'
        for i, ability in enumerate(CARDS)
    )
    resolved = link_texts(f"{RULES}\n{huts}\n{make_phase(COURSE)}").resolved
    assert {
        ability: describe_thing(resolved, resolved.require_definition(f"test-hut-{i}"))
        for i, ability in enumerate(CARDS)
    } == CARDS


MORE = """
keep shelf "shelf" of player by hut as set of hut
action visit "visit"
  choose a player as host "Whom?"
  rule free
    require coin of you > 1
    because "you are poor"
  then
    gain 1 coin
quantity refusals of player is 0
action march "march"
  rule may-march
    require refusals of you = 0
    because "you are tired"
  then
    nothing
setting quick "Quick" is off
exception first "First right" to claim.open
  allow
exception second to claim.open
  allow
"""


def test_ability_is_described_in_one_line_and_as_an_outline() -> None:
    listed = yaml.safe_load(Path(__file__).with_name("ability_words.yaml").read_text("utf-8"))
    huts = "".join(
        f'\nhut test-hut-{i} "Hut {i}"\n  size 1\n  cost 1 stick\n  {ability.replace(chr(10), chr(10) + "  ")}\n'
        for i, ability in enumerate(listed["said"])
    )
    resolved = link_texts(f"{RULES}{MORE}{huts}\n{make_phase(COURSE)}").resolved
    things = {ability: resolved.require_definition(f"test-hut-{i}") for i, ability in enumerate(listed["said"])}
    assert {ability: describe_thing(resolved, thing) for ability, thing in things.items()} == listed["said"]
    below = {ability: outline_ability(resolved, things[ability].abilities[0]) for ability in listed["lines"]}
    assert {
        ability: "".join(f"{text}\n" for text in (line.text, *(f"  {one.text}" for one in line.below)))
        for ability, line in below.items()
    } == listed["lines"]


STEPS = {
    "if some stuff has it of you >= 2\n  gain 1 coin": "if you have at least 2 of some piece of stuff, gain 1 coin",
    "choose a stuff as what where it of you >= 2\ngain 1 what": "choose a piece of stuff of which you have at least 2",
    "if every stuff has price of mill in it <= it of you\n  gain 1 coin": "if you can pay the price of Mill, gain 1 coin",
    "set wage to 3": "set the wage to 3",
    "set wage to count of (everyone - you)": "set the wage to the number of other players",
    "each player in (everyone with most coin of it)\n  gain 1 coin": "for each player with the most coins: gain 1 coin",
    "let rich = everyone with most coin of it": "“rich” are the players with the most coins",
    "do gift of foe": "receive the foe's gift",
    "choose a hut as what where it is not in owned of you": "choose a hut that is not yours",
    "choose a hut as what where it is in owned of you and size of it > 3": "choose a hut that is yours and whose size is more than 3",
    "choose a hut as what where it is in owned of left of you": "choose a hut that is among the huts of the player to your left",
    "if mill is in owned of you or barn is in owned of you\n  gain 1 coin": "if your huts include Mill or Barn, gain 1 coin",
}


def test_step_reads_like_natural_english() -> None:
    phases = "".join(make_phase(step).replace("phase trial-run", f"phase line-{i}") for i, step in enumerate(STEPS))
    resolved = link_texts(RULES + phases).resolved
    assert {
        step: describe(resolved, resolved.require_definition(f"line-{i}").block[0]) for i, step in enumerate(STEPS)
    } == STEPS


ASKED = {
    "foe is mill or foe is barn": "the foe is Mill or Barn",
    "some huts has (it is mill or it is barn)": "for some hut, it is Mill or Barn",
    "count of (huts where (it is mill or it is barn) and size of it > 2) > 1": "the number of huts that are Mill or Barn and whose size is more than 2 is more than 1",
}


def describe_conditions(asked: Iterable[str]) -> dict[str, str]:
    lets = [f"let asked-{i} = {condition}" for i, condition in enumerate(asked)]
    resolved = link_texts(RULES + make_phase(*lets)).resolved
    said = [
        describe_condition(resolved, step.value)
        for step in resolved.require_definition("trial-run").block
        if isinstance(step, t.Let)
    ]
    return dict(zip(asked, said, strict=True))


def test_conditions_that_differ_only_in_a_name_become_a_list() -> None:
    assert describe_conditions(ASKED) == ASKED


MEMBERS_TESTED = {
    "wage > 2 and no player has coin of it > wage": "the wage is more than 2 and no player's coins are more than the wage",
    "not some player has coin of it > 2": "no player has more than 2 coins",
    "not (no player has coin of it > 2)": "some player has more than 2 coins",
    "some number from 1 to 4 has it = wage": "for some number from 1 to 4, it is the wage",
    "wage is in (numbers from -1 to 4)": "the wage is one of the numbers from -1 to 4",
    "count of (players as one where some hut has (it is in owned of one and size of it > 2)) > 1": "(the number of players (the one) where for some hut, it is one of the huts of the one and its size is more than 2) is more than 1",
    "some player as one has no player as other has coin of other > coin of one": "for some player (the one), for no player (the other), the coins of the other are more than the coins of the one",
}


def test_condition_on_members_names_the_outer_member() -> None:
    assert describe_conditions(MEMBERS_TESTED) == MEMBERS_TESTED


def test_list_of_names_has_one_reading() -> None:
    assert meanings("it is Mill, Barn or Shed", "condition") == {
        combine(lambda *ones: any(ones), *(IS[name] for name in HUTS))
    }
    assert meanings("it is Mill or Barn", "condition") == {combine(LOGIC["or"], IS["Mill"], IS["Barn"])}
