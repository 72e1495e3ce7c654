"""Checks: rules that are well formed and still wrong, each told at its place; and rules that only look so."""

from __future__ import annotations

import pkgutil
from collections import Counter
from dataclasses import replace
from importlib import import_module
from random import Random
from typing import Any

import pytest
from helpers import GAME, compiled, does, findings, module, noted, said, steps, under, with_game

from edict import checks
from edict.checks.check_registry import Checks
from edict.checks.choices import _first_better, _Trade
from edict.front.pipeline import understand
from edict.text import Source

REPLACE = "  instead\n    gain 1 coin\n"
PAYING = """
kind hill
  height number from 1 to 18
hill knoll
  height 5
keep hand of player as dice
action climb
  choose a hill as up
  choose dice from hand of you as paid making height of up including 1 cube
"""
CLIMBING = steps("do climb")
Told = list[tuple[str, str]]


def told(code: str, text: str) -> list[str]:
    """What is underlined with this code; beside a page of its own for what every game needs."""
    return [under(text, one) for one in findings(text) if one.code == code]


# --- the one walk of all checks --------------------------------------------------------------------


def test_the_checks_of_every_file_are_carried_out() -> None:
    files = [import_module(f"{checks.__name__}.{one.name}") for one in pkgutil.iter_modules(checks.__path__)]
    declared = [one for file in files for one in vars(file).values() if isinstance(one, Checks)]
    assert len(declared) > 10 and {*map(id, declared)} == {*map(id, checks.ALL.checks)}
    assert all(one.nodes or one.rules for one in declared)


def test_what_is_found_is_told_by_place() -> None:
    routines = (f"routine {name}\n  spend 0 coin\n  if 2 < 1\n    gain 0 coin\n" for name in ("trade", "barter"))
    places = [one.span for one in findings("".join(routines))]
    assert len(places) == 8 and places == sorted(places)


# --- E0503: exceptions that contradict each other ------------------------------------------------


def test_two_exceptions_that_replace_the_same_contradict_each_other() -> None:
    hut = "kind hut\n  works if no\nhut one\n  exception to trial-run\n    instead\n      gain 1 coin\n"
    for text in (
        f"exception e to trial-run\n{REPLACE}exception f to trial-run\n{REPLACE}",
        f"exception e to trial-run if coin of you > 1\n{REPLACE}exception f to trial-run if fame of you < 1\n{REPLACE}",
        f"exception e to trial-run if coin of you > 1\n{REPLACE}{hut}",
    ):
        (found,) = findings(text)
        assert (found.code, found.labels[0].text) == ("E0503", "the other one"), text


def test_those_that_only_allow_or_forbid_agree() -> None:
    act = "action act\n  rule r\n    require yes\n"
    for verbs in (("allow", "allow"), ("allow", "require no"), ("require no", "allow")):
        both = "".join(f"exception e{i} to act.r\n  {verb}\n" for i, verb in enumerate(verbs))
        assert noted(act + both + steps("do act")) == [], verbs


def test_over_settles_it_whichever_is_written_first() -> None:
    low = "exception low to trial-run\n  instead\n    gain 1 coin\n"
    high = "exception high to trial-run over low\n  instead\n    gain 2 coin\n"
    thing = "kind hut\nhut one\n  exception to trial-run\n    instead\n      gain 5 coin\n"
    for text, coins in (
        (low + high, 2), (high + low, 2), (f"{thing}exception e to trial-run over one\n{REPLACE}", 1),
    ):  # fmt: skip
        assert noted(text) == [] and does("nothing", rules=text).value("coin", 0) == coins, text


KEPT = """
keep day as number from 0 to 5
kind hut
  height number from 1 to 9
  works if {}
hut low
  height 2
  exception to trial-run if {}
    instead
      gain 1 coin
exception always to trial-run if day > 2
  instead
    gain 2 coin
"""


def test_exceptions_that_can_never_hold_contradict_none() -> None:
    for works_if, condition, both in (
        ("yes", "day > 5", False),
        ("yes", "day > 4", True),
        ("yes", "day < 0 or coin of first of everyone < 0", False),  # nobody has fewer than none
        ("height of hut > 2", "yes", False),
        ("height of hut > 1", "yes", True),
    ):
        codes = {one.code for one in findings(KEPT.format(works_if, condition))} - {"E0550", "E0515"}
        assert codes == ({"E0503"} if both else set()), (works_if, condition)


# --- E0513: adjustments that contradict each other ------------------------------------------------

BECOMES: tuple[tuple[str, list[str]], ...] = (
    ("adjust luck to 2\nadjust luck to 3\n", ["adjust luck to 3"]),
    ("adjust luck to 2\nadjust luck to 2\n", []),
    ("adjust luck to 2\nadjust toll to 3\n", []),
    ("adjust luck to 2\nadjust luck to 3 if day > 3\n", []),  # which counts where it holds
    ("adjust luck to 2 if day > 4\nadjust luck to 3 if day > 3\n", ["adjust luck to 3 if day > 3"]),
    ("adjust luck to 2 if day < 3\nadjust luck to 3 if day > 3\n", []),
    ("adjust luck to 2 if day > 4\nhut low\n  adjust luck to 3 if day > 3\n", ["adjust luck to 2 if day > 4"]),
    ("hut low\n  adjust luck to 2\nhut high\n  adjust luck to 3\n", ["adjust luck to 3"]),
)


def test_two_adjustments_that_say_what_a_quantity_becomes_contradict_each_other() -> None:
    declared = "keep day as number from 0 to 5\nkind hut\n  works if day > 1\nquantity luck is 1\nquantity toll is 1\n"
    for rules, places in BECOMES:
        assert told("E0513", declared + rules) == places, rules


# --- E0501, E0504 to E0506, E0508, E0509: limits ---------------------------------------------------


def things(count: int) -> str:
    return "kind card\n" + "".join(f"card c{i}\n" for i in range(count))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (things(1_000), []),
        (things(1_001), [("E0501", "card c1000")]),
        (things(200) + "keep deck as order of card\n", []),
        (things(201) + "keep deck as order of card\n", [("E0509", "order of card")]),
        ("keep deck as order of number\n", [("E0509", "order of number")]),
        (PAYING.replace("including 1", "including 2") + CLIMBING, []),
        (PAYING.replace("including 1", "including 3") + CLIMBING,
         [("E0504", "choose dice from hand of you as paid making height of up including 3 cube")]),
        (PAYING + "  choose dice from hand of you as more making 3\n" + CLIMBING,
         [("E0508", "choose dice from hand of you as more making 3")]),
        ("die w with 24 sides\n", []),
        ("die w with 25 sides\n", [("E0506", "die w with 25 sides")]),
        ("die w with 0 sides\n", [("E0506", "die w with 0 sides")]),
        (PAYING + CLIMBING + "die w with 14 sides\n", []),
        (PAYING + CLIMBING + "die w with 15 sides\n",
         [("E0506", "choose dice from hand of you as paid making height of up including 1 cube")]),
    ],
)  # fmt: skip
def test_limits(text: str, expected: Told) -> None:
    assert said(text) == expected


# --- E0502, E0507: derived fields ------------------------------------------------------------------


def test_a_derived_field_of_derived_fields_is_worked_out_for_the_right_thing() -> None:
    kind = "kind hut\n  size number\n  next is size of hut + 1\n  all is next of hut * 10 + size of hut\n"
    rules = kind + "hut one\n  size 1\nhut two\n  size 2\n"
    run = does("gain all of one coin", "gain all of two fame", rules=rules)
    assert (run.value("coin", 0), run.value("fame", 0)) == (21, 32)


def test_a_derived_field_that_cannot_be_worked_out_is_refused() -> None:
    for derived, expected in {
        "coin of first of everyone": ("E0502", "coin of first of everyone"),
        "size of hut / 0": ("E0502", "size of hut / 0"),
        "value of hut + 1": ("E0507", "value is value of hut + 1"),
    }.items():
        text = f"kind hut\n  size number\n  value is {derived}\nhut one\n  size 1\n" + steps("gain value of one coin")
        assert said(text) == [expected]


# --- E0510: what never happens ---------------------------------------------------------------------

UNUSED = {
    "phase p\n  nothing\n": ["p"],
    "routine r\n  nothing\n": ["r"],
    "action a\n  rule r\n    require yes\n": ["a"],
    "moment m\n": ["m"],
    "routine r\n  do r\n": ["r"],
    "when start of p\n  nothing\nphase p\n  nothing\n": ["p"],
    "phase p\n  nothing\nwhen start of trial-run\n  play p\n": [],
    "kind hut\n  gift effect\nhut one\n  gift do r\nroutine r\n  nothing\n": [],
    "moment m\nroutine r\n  trigger m\n" + steps("do r"): [],
}


def test_what_nothing_plays_does_or_triggers_is_told_as_a_warning() -> None:
    assert {text: told("E0510", text) for text in UNUSED} == UNUSED
    assert {one.severity for one in findings("phase p\n  nothing\n")} == {"warning"}


# --- E0511: loops that wait in vain ------------------------------------------------------------------

WAITING = """
keep day as number
keep wanted as stuff or none
keep done as truth
keep bag as set of player
moment m
quantity strength is day
adjust strength by coin of first of everyone
routine next-day
  add 1 to day
routine finish
  end game
phase idle
  nothing
phase night
  nothing
when end of night
  add 1 to day
when m
  add 1 to day
kind parcel
  gift effect
parcel box
  gift add you to bag
"""
ENDLESS = (
    "repeat until no\n  gain 1 coin",
    "repeat until day = 3\n  gain 1 coin",
    "repeat until day = 3 or done\n  add you to bag",
    "repeat until coin of you > 3\n  add 1 to day",
    "repeat until coin of you > 3\n  gain 1 stick",
    "repeat until coin of you > 3\n  gain 1 from stuff",
    "repeat until coin of you > 3\n  choose a stuff as g\n  gain 1 g",
    "repeat until during idle\n  add 1 to day",
    "let x = 3\nrepeat until x = 4\n  gain 1 coin",
    "repeat until bag is empty\n  play idle",
)
ENDING = (
    "repeat until day = 3\n  add 1 to day",
    "repeat until done\n  set done to yes",
    "repeat until coin of you > 3\n  gain 1 coin",
    "repeat until stick of you > 3\n  gain 1 from stuff",
    "repeat until stick of you > 3\n  choose a stuff as g\n  gain 1 g",
    "let g = wanted\nrepeat until stick of you > 3\n  gain 1 g",
    "repeat until stuff of you > 3\n  gain 1 stick",
    "let x = everyone\nrepeat until x is empty\n  remove you from x",
    "repeat until day = 3\n  do next-day",
    "repeat until day = 3\n  play night",
    "repeat until day = 3\n  trigger m",
    "repeat until strength > 3\n  add 1 to day",
    "repeat until strength > 3\n  gain 1 coin",
    "repeat until no\n  end game",
    "repeat until no\n  do finish",
    "repeat until first of line is left of you\n  arrange line lowest coin of it first",
    "repeat until during night\n  play night",
    "repeat until count of bag = 3\n  do gift of box",
)


def test_a_loop_of_which_no_step_can_change_its_condition_is_refused() -> None:
    for loop in ENDLESS:
        (found,) = (one for one in findings(WAITING + steps(loop)) if one.code not in ("E0510", "E0550", "E0553"))
        assert (found.code, found.is_error, found.labels[0].span.line) == ("E0511", True, found.span.line + 1), loop
    for loop in ENDING:
        assert {one.code for one in findings(WAITING + steps(loop))} <= {"E0510"}, loop


# --- E0512: secrets said aloud -------------------------------------------------------------------------


SECRETS = """
kind card
  worth number
card ace
  worth 1
keep own of player as card or none, secret
keep top as card or none, secret
quantity weight is 3
quantity burden of player is worth of own of player
routine open-all
  show top to everyone
routine tell-all with card called told-card
  announce told-card
"""
ALOUD = {
    "announce you, own of you": ["own"],
    'announce "top:", top': ["top"],
    "show top to you\nannounce top": ["top"],
    "draw a card from cards as x secretly\nannounce x": ["x"],
    "choose a card as x secretly\nannounce x": ["x"],
    "show own of you to everyone\nannounce own of you, top": ["top"],
    "announce you, coin of you, weight": [],
    "show top to everyone\nannounce top": [],
    "draw a card from cards as x secretly\nset top to x\nshow top to everyone\nannounce x": [],
    "draw a card from cards as x\nannounce x": [],
    "do open-all\nannounce top": [],
    "let x = own of you\nannounce x": ["x"],
    "let x = own of you\nlet y = x\nannounce y": ["y"],
    "let n = 0\nset n to worth of own of you\nannounce n": ["n"],
    "let n = 0\nmay secretly\n  set n to 2\nannounce n": ["n"],
    "let n = 0\nmay gain 1 coin\n  set n to 2\nannounce n": [],
    "let n = 0\nmay choose a card as x secretly\n  set n to 2\nannounce n": ["n"],
    "let n = 0\nmay choose a card as x\n  set n to 2\nannounce n": [],
    "let n = 0\nmay spend 1 coin\n  set n to 2\nannounce n": [],
    'let n = 0\nchoose one "What?"\n  set n to 2\n  option "B"\n    set n to 3\nannounce n': [],
    'let n = 0\nchoose one secretly "What?"\n  nothing\n  option "B"\n    set n to 3\nannounce n': ["n"],
    "let n = 0\nchoose up to 2 cards from cards as x\nset n to 2\nannounce n": [],
    "let n = 0\nadd worth of own of you to n\nannounce n": ["n"],
    "let n = 0\nif top is none\n  set n to 1\nannounce n": ["n"],
    "announce burden of you": ["burden"],
    "do tell-all with own of you": ["told-card"],
    "show own of you to everyone\ndo tell-all with own of you": [],
    "show own of you to everyone\nlet x = own of you\nannounce x": [],
    "let n = count of cards\nset n to 3\nannounce n": [],
}


def test_a_secret_that_is_announced_is_told_as_a_warning() -> None:
    assert {lines: told("E0512", SECRETS + steps(lines)) for lines in ALOUD} == ALOUD
    assert {one.severity for one in findings(SECRETS + steps("announce top")) if one.code == "E0512"} == {"warning"}


def test_to_say_something_of_many_secrets_nobody_is_told_to_show_them_all() -> None:
    for kept, announced, reveals in (("card or none", "pile", True), ("set of card", "count of pile", False)):
        text = f"{SECRETS}keep pile as {kept}, secret\n{steps(f'announce {announced}')}"
        (found,) = (one for one in findings(text) if one.code == "E0512")
        assert ("`show pile to everyone`" in found.help) == reveals and "out of the announcement" in found.help


PILES = "keep pile of player as set of card, secret\nkeep bid of player as number, secret\nkeep in-all as number\n"
MADE_KNOWN = {  # what is announced of secrets, and what the remedy makes known
    "count of pile of you": "`secret but counted`",
    "sum of count of pile of it over everyone": "`secret but counted`",
    "sum of bid of it over everyone": "set a keep that is not secret to it",
    "count of (everyone where bid of it > 3)": "set a keep that is not secret to it",
    "best of bid of it over everyone": "set a keep that is not secret to it",
    "bid of you": "`show bid of you to everyone`",
}


def test_remedy_for_a_secret_reveals_no_more_than_what_is_said() -> None:
    for announced, remedy in MADE_KNOWN.items():
        (found,) = (one for one in findings(SECRETS + PILES + steps(f"announce {announced}")) if one.code == "E0512")
        assert remedy in found.help and ("show " in found.help) == (announced == "bid of you"), announced
        if "keep that" in remedy:
            kept = steps(f"set in-all to {announced}\nannounce in-all")
            assert told("E0512", SECRETS + PILES + kept) == []
        counted = PILES.replace("set of card, secret", "set of card, secret but counted")
        if "counted" in remedy:
            assert told("E0512", SECRETS + counted + steps(f"announce {announced}")) == []


def test_panels_may_show_secrets_since_each_player_sees_their_own() -> None:
    assert told("E0512", SECRETS + 'display d\n  each player\n  column "Card" own of player\n') == []


# --- E0556: piles whose order everybody sees ----------------------------------------------------------

MIXED = ("shuffle pile", "shuffle line", "move first of pile from pile to mine", "remove first of line from line")


def test_of_a_pile_that_is_shuffled_and_taken_from_it_is_told_that_everybody_sees_it() -> None:
    for kept, lines, places in (
        ("", MIXED, ["pile"]), (", secret", MIXED, []), ("", MIXED[1:], []), ("", MIXED[:2], []),
    ):
        keeps = f"kind card\ncard ace\nkeep pile as order of card{kept}\nkeep mine as set of card\n"
        assert told("E0556", keeps + steps(*lines)) == places, (kept, lines)


# --- E0516, E0517: actions ---------------------------------------------------------------------------

RESTING = "action rest\n  rule r\n    require yes\nwhen start of trial-run\n  do rest\n"
EARLY = {
    "  rule r\n    require count of paid = 1\n": [("E0516", "paid")],
    "  rule r\n    require yes\nexception e to climb.r if count of paid = 1\n  allow\n": [("E0516", "paid")],
    "  rule r\n    require yes\nexception e to climb.r\n  require total of paid > 3\n": [("E0516", "paid")],
    "shift climb by +1 if count of paid > 1\n": [("E0516", "paid")],
    "shift climb by +1 spending height of up coin\n": [("E0516", "up")],
    RESTING + "shift rest by +1\n": [("E0517", "rest")],
    """  rule r
    require height of up > 3
  then
    remove paid from hand of you
shift climb by +1 or -1 spending 1 coin if coin of you > 2
shift climb by +1 if height of up > 3
exception e to climb.r if height of up = 1
  allow
  then
    announce paid
""": [],
}


def test_an_action_asks_only_for_what_is_chosen_by_then() -> None:
    assert {text: noted(PAYING + text + CLIMBING) for text in EARLY} == EARLY


# --- E0601: rules that call each other ---------------------------------------------------------------

CHAINS = {
    "routine a\n  do a\n" + steps("do a"): "`a` calls `a`",
    "routine a\n  do b\nroutine b\n  if coin of you > 3\n    do a\n" + steps("do a"): "`a` calls `b` calls `a`",
    "phase p\n  nothing\nwhen start of p\n  play p\n" + steps("play p"): "`p`",
    "quantity q is 1\nadjust q by q\n" + steps("gain q coin"): "`q` calls `q`",
    "quantity q is r\nquantity r is q\n" + steps("gain q coin"): "calls",
    "when gaining stick\n  for player\n    gain 1 brick\nwhen gaining brick\n  for player\n    gain 1 stick\n"
    + steps("gain 1 stick"): "`when gaining stick` calls `gaining brick` calls `when gaining brick`",
}


def test_rules_that_call_each_other_for_ever_are_refused() -> None:
    for text, chain in CHAINS.items():
        (found,) = (one for one in compiled(text).diagnostics if one.is_error)
        assert found.code == "E0601" and chain in found.title and found.span.file == "page1.edict", text


# --- E0530: `you` where it is nobody's turn ----------------------------------------------------------------

NOBODYS_GAME = GAME.replace("    each player in (first of everyone)\n      play trial-run", "    play trial-run")
TABLE = """
routine share
  gain 1 coin
moment feast
moment toast with player called host
quantity worth-of of player is coin of you
kind hat
  works if hat is in hats of you
hat bowler
  when feast
    gain 1 coin
keep hats of player as set of hat
keep turns as number
when toast
  gain 2 coin
"""
NOBODYS = {
    "gain 1 coin": ["gain 1 coin"],
    "lose 1 coin": ["lose 1 coin"],
    "may spend 1 coin\n  add 1 to turns": ["may spend 1 coin"],
    "announce you": ["you"],
    "choose a player as p": ["choose a player as p"],
    "choose a player as p asking first of line": [],
    "each player\n  gain 1 coin": [],
    "each player in (first of line)\n  gain 1 coin": [],
    "each player as p\n  gain 1 coin": ["gain 1 coin"],
    "each player as p\n  add worth-of of p to turns": [],
    "repeat 2 times\n  do share": ["do share"],
    "each player\n  do share": [],
    "trigger feast": [],
    "trigger toast with first of line": ["gain 2 coin"],
    "each player\n  trigger toast with you": [],
}


def nobodys_turn(text: str, game: str = NOBODYS_GAME) -> list[str]:
    found = understand((module(text, game),)).diagnostics
    return [under(text, one).rstrip() for one in found if one.code == "E0530"]


def test_you_where_it_is_nobodys_turn_is_refused() -> None:
    assert {lines: nobodys_turn(TABLE + steps(lines)) for lines in NOBODYS} == NOBODYS
    alone = NOBODYS_GAME.replace("players 2 to 4", "players 1 to 1")  # who plays alone is always meant
    assert nobodys_turn(steps("gain 1 coin"), alone) == []


# --- E0584: names given in steps that hide what is declared ----------------------------------------------

DECLARED = """
kind tree
tree oak
keep pot as number
quantity toll is 3
setting long-game is off
"""
HIDING = {
    "let coin = 3": ["coin"], "let pot = 3": ["pot"], "let stuff = 3": ["stuff"], "let toll = 2": ["toll"],
    "let long-game = 2": ["long-game"],
    "roll 2 cube as cubes": ["cubes"], "roll 1 gem as gem": ["gem"], "choose a tree as trees": ["trees"],
    "draw a tree from trees as coins": ["coins"], "each player as coin\n  nothing": ["coin"],
    "spend 1 stick as coin\n  nothing": ["coin"],
    "choose a tree as tree": [], "let oak = 3": [], "each tree\n  nothing": [], "let mine = 3": [],
}  # fmt: skip


def test_a_name_that_hides_what_is_declared_is_told_but_a_member_may_be_called_by_its_kind() -> None:
    assert {step: told("E0584", DECLARED + steps(step)) for step in HIDING} == HIDING


def test_rules_cannot_know_what_modules_over_them_declare() -> None:
    bowl, hides = "keep bowl as number\n", "when start of trial-run\n  let bowl = 1\n"
    for game, over, times in (
        (steps("let bowl = 2"), bowl, 0), (steps("let bowl = 2"), bowl + hides, 1), (bowl + steps("nothing"), hides, 1),
    ):  # fmt: skip
        above = replace(module(over, name="above", kind="module"), sources=(Source("above.edict", over),))
        found = understand((module(*with_game(game)), above)).diagnostics
        assert sum(one.code == "E0584" for one in found) == times, (game, over)


def test_options_are_compared_as_each_with_each_other() -> None:
    random = Random(4)
    resources: list[Any] = [object() for _ in range(3)]
    good: set[Any] = set(resources[:2])

    def bag() -> Counter[Any]:
        return Counter({of: random.randrange(3) for of in resources if random.random() < 0.6})

    def is_better(other: _Trade, one: _Trade) -> bool:
        pairs = [(of, mine, its) for of in resources for mine, its in zip(one.worth(of), other.worth(of), strict=True)]
        differing = {of for of, mine, its in pairs if its > mine}
        allowed = other.condition in (("always",), one.condition)
        return allowed and bool(differing) and differing <= good and all(its >= mine for _, mine, its in pairs)

    node: Any = None
    for _ in range(100):
        trades = [_Trade(node, random.choice([("always",), ("if",)]), bag(), bag(), bag()) for _ in range(8)]
        expected = [next((other for other in trades if is_better(other, one)), None) for one in trades]
        assert all(found is wanted for found, wanted in zip(_first_better(trades, good), expected, strict=True))
