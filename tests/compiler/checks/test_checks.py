"""Checks: well-formed rules that are wrong are reported at their place, and similar valid rules are not."""

from __future__ import annotations

import pkgutil
from collections import Counter
from dataclasses import replace
from importlib import import_module
from random import Random
from typing import Any

import pytest

from edict.compiler import checks
from edict.compiler.checks.check_registry import Checks
from edict.compiler.checks.choices import _find_better, _Trade
from edict.compiler.pipeline.pipeline import analyze
from edict.support.text import Source
from helpers import (
    GAME,
    add_game,
    checked_codes_and_texts,
    codes_and_texts,
    compile_texts,
    list_findings,
    make_module,
    make_phase,
    run_steps,
    underlined_text,
)

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
CLIMBING = make_phase("do climb")
Told = list[tuple[str, str]]


def find_underlined(code: str, text: str) -> list[str]:
    """Return what diagnostics with a code underline in a page, beside one with what every game needs."""
    return [underlined_text(text, diagnostic) for diagnostic in list_findings(text) if diagnostic.code == code]


# --- the one walk of all checks --------------------------------------------------------------------


def test_checks_of_every_file_are_run() -> None:
    files = [import_module(f"{checks.__name__}.{one.name}") for one in pkgutil.iter_modules(checks.__path__)]
    declared = [one for file in files for one in vars(file).values() if isinstance(one, Checks)]
    assert len(declared) > 10 and {*map(id, declared)} == {*map(id, checks.ALL_CHECKS.checks)}
    assert all(one.nodes or one.rules for one in declared)


def test_findings_are_sorted_by_place() -> None:
    routines = (f"routine {name}\n  spend 0 coin\n  if 2 < 1\n    gain 0 coin\n" for name in ("trade", "barter"))
    places = [diagnostic.span for diagnostic in list_findings("".join(routines))]
    assert len(places) == 8 and places == sorted(places)


# --- E0503: exceptions that contradict each other ------------------------------------------------


def test_two_replacements_of_the_same_rule_contradict_each_other(subtests: pytest.Subtests) -> None:
    hut = "kind hut\n  works if no\nhut one\n  exception to trial-run\n    instead\n      gain 1 coin\n"
    for text in (
        f"exception e to trial-run\n{REPLACE}exception f to trial-run\n{REPLACE}",
        f"exception e to trial-run if coin of you > 1\n{REPLACE}exception f to trial-run if fame of you < 1\n{REPLACE}",
        f"exception e to trial-run if coin of you > 1\n{REPLACE}{hut}",
    ):
        with subtests.test(text=text):
            (diagnostic,) = list_findings(text)
            assert (diagnostic.code, diagnostic.labels[0].text) == ("E0503", "the other one")


def test_exceptions_that_only_allow_or_forbid_agree(subtests: pytest.Subtests) -> None:
    act = "action act\n  rule r\n    require yes\n"
    for verbs in (("allow", "allow"), ("allow", "require no"), ("require no", "allow")):
        with subtests.test(verbs=verbs):
            both = "".join(f"exception e{i} to act.r\n  {verb}\n" for i, verb in enumerate(verbs))
            assert checked_codes_and_texts(act + both + make_phase("do act")) == []


def test_over_decides_between_exceptions_in_any_order(subtests: pytest.Subtests) -> None:
    low = "exception low to trial-run\n  instead\n    gain 1 coin\n"
    high = "exception high to trial-run over low\n  instead\n    gain 2 coin\n"
    thing = "kind hut\nhut one\n  exception to trial-run\n    instead\n      gain 5 coin\n"
    for text, coins in (
        (low + high, 2),
        (high + low, 2),
        (f"{thing}exception e to trial-run over one\n{REPLACE}", 1),
    ):
        with subtests.test(text=text):
            assert (
                checked_codes_and_texts(text) == [] and run_steps("nothing", rules=text).get_value("coin", 0) == coins
            ), text


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


def test_exceptions_that_never_hold_do_not_contradict(subtests: pytest.Subtests) -> None:
    for works_if, condition, both in (
        ("yes", "day > 5", False),
        ("yes", "day > 4", True),
        ("yes", "day < 0 or coin of first of everyone < 0", False),  # nobody has fewer than none
        ("height of hut > 2", "yes", False),
        ("height of hut > 1", "yes", True),
    ):
        with subtests.test(works_if=works_if, condition=condition):
            codes = {diagnostic.code for diagnostic in list_findings(KEPT.format(works_if, condition))} - {
                "E0550",
                "E0515",
            }
            assert codes == ({"E0503"} if both else set())


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


def test_two_adjustments_that_set_a_quantity_contradict_each_other(subtests: pytest.Subtests) -> None:
    declared = "keep day as number from 0 to 5\nkind hut\n  works if day > 1\nquantity luck is 1\nquantity toll is 1\n"
    for rules, places in BECOMES:
        with subtests.test(rules=rules):
            assert find_underlined("E0513", declared + rules) == places


# --- E0501, E0504 to E0506, E0508, E0509: limits ---------------------------------------------------


def many_cards(count: int) -> str:
    return "kind card\n" + "".join(f"card c{i}\n" for i in range(count))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (many_cards(1_000), []),
        (many_cards(1_001), [("E0501", "card c1000")]),
        (many_cards(200) + "keep deck as order of card\n", []),
        (many_cards(201) + "keep deck as order of card\n", [("E0509", "order of card")]),
        ("keep deck as order of number\n", [("E0509", "order of number")]),
        (PAYING.replace("including 1", "including 2") + CLIMBING, []),
        (
            PAYING.replace("including 1", "including 3") + CLIMBING,
            [("E0504", "choose dice from hand of you as paid making height of up including 3 cube")],
        ),
        (
            PAYING + "  choose dice from hand of you as more making 3\n" + CLIMBING,
            [("E0508", "choose dice from hand of you as more making 3")],
        ),
        ("die w with 24 sides\n", []),
        ("die w with 25 sides\n", [("E0506", "die w with 25 sides")]),
        ("die w with 0 sides\n", [("E0506", "die w with 0 sides")]),
        (PAYING + CLIMBING + "die w with 14 sides\n", []),
        (
            PAYING + CLIMBING + "die w with 15 sides\n",
            [("E0506", "choose dice from hand of you as paid making height of up including 1 cube")],
        ),
    ],
)
def test_rules_beyond_a_limit_are_refused(text: str, expected: Told) -> None:
    assert codes_and_texts(text) == expected


# --- E0502, E0507: derived fields ------------------------------------------------------------------


def test_derived_field_of_derived_fields_is_computed_for_its_thing() -> None:
    kind = "kind hut\n  size number\n  next is size of hut + 1\n  all is next of hut * 10 + size of hut\n"
    rules = kind + "hut one\n  size 1\nhut two\n  size 2\n"
    run = run_steps("gain all of one coin", "gain all of two fame", rules=rules)
    assert (run.get_value("coin", 0), run.get_value("fame", 0)) == (21, 32)


def test_derived_field_that_cannot_be_computed_is_refused(subtests: pytest.Subtests) -> None:
    for derived, expected in {
        "coin of first of everyone": ("E0502", "coin of first of everyone"),
        "size of hut / 0": ("E0502", "size of hut / 0"),
        "value of hut + 1": ("E0507", "value is value of hut + 1"),
    }.items():
        with subtests.test(derived=derived):
            text = f"kind hut\n  size number\n  value is {derived}\nhut one\n  size 1\n" + make_phase(
                "gain value of one coin"
            )
            assert codes_and_texts(text) == [expected]


# --- E0510: unused definitions ---------------------------------------------------------------------

UNUSED = {
    "phase p\n  nothing\n": ["p"],
    "routine r\n  nothing\n": ["r"],
    "action a\n  rule r\n    require yes\n": ["a"],
    "moment m\n": ["m"],
    "routine r\n  do r\n": ["r"],
    "when start of p\n  nothing\nphase p\n  nothing\n": ["p"],
    "phase p\n  nothing\nwhen start of trial-run\n  play p\n": [],
    "kind hut\n  gift effect\nhut one\n  gift do r\nroutine r\n  nothing\n": [],
    "moment m\nroutine r\n  trigger m\n" + make_phase("do r"): [],
}


def test_unused_definition_is_a_warning() -> None:
    assert {text: find_underlined("E0510", text) for text in UNUSED} == UNUSED
    assert {diagnostic.severity for diagnostic in list_findings("phase p\n  nothing\n")} == {"warning"}


# --- E0511: endless loops ----------------------------------------------------------------------------

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


def test_loop_that_cannot_change_its_condition_is_refused(subtests: pytest.Subtests) -> None:
    for loop in ENDLESS:
        with subtests.test(loop=loop):
            (diagnostic,) = (
                candidate
                for candidate in list_findings(WAITING + make_phase(loop))
                if candidate.code not in ("E0510", "E0550", "E0553")
            )
            assert (diagnostic.code, diagnostic.is_error, diagnostic.labels[0].span.line) == (
                "E0511",
                True,
                diagnostic.span.line + 1,
            ), loop
    for loop in ENDING:
        with subtests.test(loop=loop):
            assert {candidate.code for candidate in list_findings(WAITING + make_phase(loop))} <= {"E0510"}


# --- E0512: announced secrets --------------------------------------------------------------------------


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


def test_announced_secret_is_a_warning() -> None:
    assert {lines: find_underlined("E0512", SECRETS + make_phase(lines)) for lines in ALOUD} == ALOUD
    assert {
        diagnostic.severity
        for diagnostic in list_findings(SECRETS + make_phase("announce top"))
        if diagnostic.code == "E0512"
    } == {"warning"}


def test_advice_does_not_reveal_a_whole_set_of_secrets(subtests: pytest.Subtests) -> None:
    for kept, announced, reveals in (("card or none", "pile", True), ("set of card", "count of pile", False)):
        with subtests.test(kept=kept):
            text = f"{SECRETS}keep pile as {kept}, secret\n{make_phase(f'announce {announced}')}"
            (diagnostic,) = (candidate for candidate in list_findings(text) if candidate.code == "E0512")
            assert (
                "`show pile to everyone`" in diagnostic.help
            ) == reveals and "from the announcement" in diagnostic.help


PILES = "keep pile of player as set of card, secret\nkeep bid of player as number, secret\nkeep in-all as number\n"
MADE_KNOWN = {  # announcements of secrets, and what the advice reveals
    "count of pile of you": "`secret but counted`",
    "best of bid of it over everyone": "set a keep that is not secret to it",
    "bid of you": "`show bid of you to everyone`",
}


TOTALS = (
    "sum of bid of it over everyone",
    "sum of count of pile of it over (everyone - you)",
    "sum of bid of it over everyone where coin of it > 3",
    "count of (everyone where bid of it > 3)",
    "count of players where pile of it is not empty",
)


def test_announced_total_over_players_is_no_secret(subtests: pytest.Subtests) -> None:
    for total in TOTALS:
        with subtests.test(total=total):
            assert find_underlined("E0512", SECRETS + PILES + make_phase(f"announce {total}")) == []
    told = make_phase("announce (sum of bid of it over everyone) - bid of you")
    assert find_underlined("E0512", SECRETS + PILES + told) == ["bid"]


def test_advice_reveals_no_more_than_the_announcement(subtests: pytest.Subtests) -> None:
    for announced, remedy in MADE_KNOWN.items():
        with subtests.test(announced=announced):
            (diagnostic,) = (
                candidate
                for candidate in list_findings(SECRETS + PILES + make_phase(f"announce {announced}"))
                if candidate.code == "E0512"
            )
            assert remedy in diagnostic.help and ("show " in diagnostic.help) == (announced == "bid of you")
            if "keep that" in remedy:
                kept = make_phase(f"set in-all to {announced}\nannounce in-all")
                assert find_underlined("E0512", SECRETS + PILES + kept) == []
            counted = PILES.replace("set of card, secret", "set of card, secret but counted")
            if "counted" in remedy:
                assert find_underlined("E0512", SECRETS + counted + make_phase(f"announce {announced}")) == []


def test_panels_may_show_secrets_since_each_player_sees_their_own() -> None:
    assert find_underlined("E0512", SECRETS + 'display d\n  each player\n  column "Card" own of player\n') == []


# --- E0556: piles whose order everybody sees ----------------------------------------------------------

MIXED = ("shuffle pile", "shuffle line", "move first of pile from pile to mine", "remove first of line from line")


def test_open_pile_that_is_shuffled_and_drawn_from_is_a_warning(subtests: pytest.Subtests) -> None:
    for kept, lines, places in (
        ("", MIXED, ["pile"]),
        (", secret", MIXED, []),
        ("", MIXED[1:], []),
        ("", MIXED[:2], []),
    ):
        with subtests.test(kept=kept, lines=lines):
            keeps = f"kind card\ncard ace\nkeep pile as order of card{kept}\nkeep mine as set of card\n"
            assert find_underlined("E0556", keeps + make_phase(*lines)) == places


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


def test_action_that_reads_a_later_choice_is_refused() -> None:
    assert {text: checked_codes_and_texts(PAYING + text + CLIMBING) for text in EARLY} == EARLY


# --- E0601: rules that call each other ---------------------------------------------------------------

CHAINS = {
    "routine a\n  do a\n" + make_phase("do a"): "`a` calls `a`",
    "routine a\n  do b\nroutine b\n  if coin of you > 3\n    do a\n" + make_phase("do a"): "`a` calls `b` calls `a`",
    "phase p\n  nothing\nwhen start of p\n  play p\n" + make_phase("play p"): "`p`",
    "quantity q is 1\nadjust q by q\n" + make_phase("gain q coin"): "`q` calls `q`",
    "quantity q is r\nquantity r is q\n" + make_phase("gain q coin"): "calls",
    "when gaining stick\n  for player\n    gain 1 brick\nwhen gaining brick\n  for player\n    gain 1 stick\n"
    + make_phase("gain 1 stick"): "`when gaining stick` calls `gaining brick` calls `when gaining brick`",
}


def test_endless_recursion_is_refused(subtests: pytest.Subtests) -> None:
    for text, chain in CHAINS.items():
        with subtests.test(text=text):
            (diagnostic,) = (candidate for candidate in compile_texts(text).diagnostics if candidate.is_error)
            assert diagnostic.code == "E0601" and chain in diagnostic.title and diagnostic.span.file == "page1.edict"
            assert ("a number cannot depend on itself" in diagnostic.help) == text.startswith("quantity")
            assert ("let a player decide" in diagnostic.help) != text.startswith("quantity")


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


def find_ownerless(text: str, game: str = NOBODYS_GAME) -> list[str]:
    diagnostics = analyze((make_module(text, game),)).diagnostics
    return [underlined_text(text, diagnostic).rstrip() for diagnostic in diagnostics if diagnostic.code == "E0530"]


def test_you_outside_of_a_turn_is_refused() -> None:
    assert {lines: find_ownerless(TABLE + make_phase(lines)) for lines in NOBODYS} == NOBODYS
    alone = NOBODYS_GAME.replace("players 2 to 4", "players 1 to 1")  # a single player is always meant
    assert find_ownerless(make_phase("gain 1 coin"), alone) == []


# --- E0584: names in steps that hide a declaration -------------------------------------------------------

DECLARED = """
kind tree
tree oak
keep pot as number
quantity toll is 3
setting long-game is off
"""
HIDING = {
    "let coin = 3": ["coin"],
    "let pot = 3": ["pot"],
    "let stuff = 3": ["stuff"],
    "let toll = 2": ["toll"],
    "let long-game = 2": ["long-game"],
    "roll 2 cube as cubes": ["cubes"],
    "roll 1 gem as gem": ["gem"],
    "choose a tree as trees": ["trees"],
    "draw a tree from trees as coins": ["coins"],
    "each player as coin\n  nothing": ["coin"],
    "spend 1 stick as coin\n  nothing": ["coin"],
    "choose a tree as tree": [],
    "let oak = 3": [],
    "each tree\n  nothing": [],
    "let mine = 3": [],
}


def test_name_that_hides_a_declaration_is_reported_unless_a_member_has_the_name_of_its_kind() -> None:
    assert {step: find_underlined("E0584", DECLARED + make_phase(step)) for step in HIDING} == HIDING


def test_name_hiding_a_declaration_of_a_later_module_is_not_reported(subtests: pytest.Subtests) -> None:
    bowl, hides = "keep bowl as number\n", "when start of trial-run\n  let bowl = 1\n"
    for game, over, times in (
        (make_phase("let bowl = 2"), bowl, 0),
        (make_phase("let bowl = 2"), bowl + hides, 1),
        (bowl + make_phase("nothing"), hides, 1),
    ):
        with subtests.test(game=game, over=over):
            above = replace(make_module(over, name="above", kind="module"), sources=(Source("above.edict", over),))
            diagnostics = analyze((make_module(*add_game(game)), above)).diagnostics
            assert sum(diagnostic.code == "E0584" for diagnostic in diagnostics) == times


def test_dominated_options_equal_a_pairwise_comparison() -> None:
    random = Random(4)
    resources: list[Any] = [object() for _ in range(3)]
    good: set[Any] = set(resources[:2])

    def random_amounts() -> Counter[Any]:
        return Counter({of: random.randrange(3) for of in resources if random.random() < 0.6})

    def is_better(other: _Trade, one: _Trade) -> bool:
        pairs = [
            (of, mine, its)
            for of in resources
            for mine, its in zip(one.compare_key(of), other.compare_key(of), strict=True)
        ]
        differing = {of for of, mine, its in pairs if its > mine}
        allowed = other.condition in (("always",), one.condition)
        return allowed and bool(differing) and differing <= good and all(its >= mine for _, mine, its in pairs)

    node: Any = None
    for _ in range(100):
        trades = [
            _Trade(node, random.choice([("always",), ("if",)]), random_amounts(), random_amounts(), random_amounts())
            for _ in range(8)
        ]
        expected = [next((other for other in trades if is_better(other, one)), None) for one in trades]
        assert all(actual is wanted for actual, wanted in zip(_find_better(trades, good), expected, strict=True))


# --- E0585, E0586: names and titles that look alike ------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("statue", False),
        ("statu\u0435", True),  # a Cyrillic letter among Latin ones
        ("\u043e\u0441\u0430", False),  # Cyrillic throughout
        ("\u03bf\u03b4\u03cc\u03c2", False),  # Greek throughout
        ("gr\u00f6\u00dfe", False),
        ("\u0441\u043e\u0440", True),  # Cyrillic throughout, and looks like the Latin `cop` beside it
    ],
)
def test_lookalike_letter_in_a_name_is_a_warning(name: str, told: bool) -> None:
    rules = f"keep cop as number\nkeep {name} as number\n"
    findings = [one for one in list_findings(rules + make_phase(f"add cop to {name}")) if one.code == "E0585"]
    assert [underlined_text(rules, one) for one in findings] == [name] * told
    assert all(one.severity == "warning" for one in findings)


HUTS = 'kind hut\n  size number from 1 to 9\n  twin hut or none, optional\nhut mill "Mill"\n  size 1\n'
SECOND = {
    'hut other-mill "Mill"\n  size 2\n': True,
    'hut other-mill "mill"\n  size 2\n': True,
    'hut other-mill "Mill"\n  size 1\n': False,  # a copy
    'hut other-mill "Mill"\n  size 1\n  twin mill\n': False,
    'hut other-mill "Water mill"\n  size 2\n': False,
}


def test_double_title_among_what_players_choose_from_is_a_warning(subtests: pytest.Subtests) -> None:
    for second, told in SECOND.items():
        with subtests.test(second=second):
            chosen, drawn = (make_phase(f"{verb} a hut{source} as one\nannounce one") for verb, source in CHOICES)
            assert find_underlined("E0586", HUTS + second + chosen) == ["other-mill"] * told
            assert find_underlined("E0586", HUTS + second + drawn) == []


CHOICES = (("choose", ""), ("draw", " from huts"))


LOSSES = {
    "lose 1 coin\n  lose 1 stick": ["lose 1 coin"],
    "lose 1 fame\n  lose 1 stick": ["lose 1 stick"],  # fame may go below 0
    'option "Coin" if coin of you > 0\n    lose 1 coin\n  lose 2 stuff': ["lose 2 stuff"],
    "lose 1 coin\n  gain 1 stick": [],
    "lose 1 coin\n  nothing": [],
    "spend 1 coin\n  spend 1 stick": [],
    'option "Coin" if coin of you > 0\n    lose 1 coin\n  option "Stick" if stick of you > 0\n    lose 1 stick': [],
}


def test_choice_of_losses_that_costs_nothing_is_a_warning(subtests: pytest.Subtests) -> None:
    for options, told in LOSSES.items():
        with subtests.test(options=options):
            assert find_underlined("E0589", make_phase(f'choose one "Which?"\n  {options}')) == told
