"""Checks: rules that are well formed and still wrong, each told at its place; and rules that only look so."""

from __future__ import annotations

import pytest
from helpers import GAME, compiled, does, module, said, steps, under

from edict.front.pipeline import build
from edict.sources.module_set import gather
from shipped import catalogue

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


# --- E0503: exceptions that contradict each other ------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        f"exception e to trial-run\n{REPLACE}exception f to trial-run\n{REPLACE}",
        f"exception e to trial-run if coin of you > 1\n{REPLACE}exception f to trial-run if fame of you < 1\n{REPLACE}",
        f"exception e to trial-run if coin of you > 1\n{REPLACE}kind hut\n  works if no\nhut one\n"
        "  exception to trial-run\n    instead\n      gain 1 coin\n",
    ],
)
def test_two_that_replace_the_same(text: str) -> None:
    (found,) = compiled(text).diagnostics
    assert found.code == "E0503" and found.labels[0].text == "the other one"


@pytest.mark.parametrize("verbs", [("allow", "allow"), ("allow", "require no"), ("require no", "allow")])
def test_those_that_only_allow_agree(verbs: tuple[str, str]) -> None:
    text = "action act\n  rule r\n    require yes\n" + "".join(
        f"exception e{i} to act.r\n  {verb}\n" for i, verb in enumerate(verbs)
    )
    assert said(text + steps("do act")) == []


def test_over_settles_it_whichever_is_written_first() -> None:
    one = "exception low to trial-run\n  instead\n    gain 1 coin\n"
    two = "exception high to trial-run over low\n  instead\n    gain 2 coin\n"
    for text in (one + two, two + one):
        assert said(text) == []
        assert does("nothing", rules=text).value("coin", 0) == 2


def test_a_thing_is_named_by_over_too() -> None:
    hut = "kind hut\nhut one\n  exception to trial-run\n    instead\n      gain 5 coin\n"
    text = f"{hut}exception e to trial-run over one\n{REPLACE}"
    assert does("nothing", rules=text).value("coin", 0) == 1


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
def test_limits(text: str, expected: list[tuple[str, str]]) -> None:
    outcome = compiled(text)
    assert [(d.code, under(text, d)) for d in outcome.diagnostics] == expected


# --- E0502, E0507: derived fields ------------------------------------------------------------------


def test_a_derived_field_of_derived_fields() -> None:
    """Each is worked out for the right thing, whatever is worked out in between."""
    kind = "kind hut\n  size number\n  next is size of hut + 1\n  all is next of hut * 10 + size of hut\n"
    rules = kind + "hut one\n  size 1\nhut two\n  size 2\n"
    run = does("gain all of one coin", "gain all of two fame", rules=rules)
    assert (run.value("coin", 0), run.value("fame", 0)) == (21, 32)


@pytest.mark.parametrize(
    ("derived", "expected"),
    [
        ("coin of first of everyone", ("E0502", "coin of first of everyone")),
        ("size of hut / 0", ("E0502", "size of hut / 0")),
        ("value of hut + 1", ("E0507", "value is value of hut + 1")),
    ],
)
def test_a_derived_field_that_cannot_be_worked_out(derived: str, expected: tuple[str, str]) -> None:
    text = f"kind hut\n  size number\n  value is {derived}\nhut one\n  size 1\n" + steps("gain value of one coin")
    assert said(text) == [expected]


# --- E0510: what never happens ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("phase p\n  nothing\n", [("E0510", "p")]),
        ("routine r\n  nothing\n", [("E0510", "r")]),
        ("action a\n  rule r\n    require yes\n", [("E0510", "a")]),
        ("moment m\n", [("E0510", "m")]),
        ("routine r\n  do r\n", [("E0510", "r")]),
        ("when start of p\n  nothing\nphase p\n  nothing\n", [("E0510", "p")]),
        ("phase p\n  nothing\nwhen start of trial-run\n  play p\n", []),
        ("kind hut\n  gift effect\nhut one\n  gift do r\nroutine r\n  nothing\n", []),
        ("moment m\nroutine r\n  trigger m\n" + steps("do r"), []),
    ],
)
def test_unused(text: str, expected: list[tuple[str, str]]) -> None:
    outcome = compiled(text)
    found = [(d.code, under(text, d)) for d in outcome.diagnostics if d.code == "E0510"]
    assert found == expected
    assert all(d.severity == "warning" for d in outcome.diagnostics if d.code == "E0510")


# --- E0511: loops that wait in vain ------------------------------------------------------------------


KEEPS = "keep day as number\nkeep wanted as stuff or none\nkeep done as truth\nkeep bag as set of player\nmoment m\n"


@pytest.mark.parametrize(
    "loop",
    [
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
    ],
)
def test_a_loop_that_cannot_end(loop: str) -> None:
    found = [d for d in compiled(KEEPS + "phase idle\n  nothing\n" + steps(loop)).diagnostics if d.code == "E0511"]
    assert len(found) == 1 and found[0].is_error


@pytest.mark.parametrize(
    "loop",
    [
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
    ],
)
def test_a_loop_that_may_end(loop: str) -> None:
    rules = KEEPS + """
quantity strength is day
adjust strength by coin of first of everyone
routine next-day
  add 1 to day
routine finish
  end game
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
    assert [d.code for d in compiled(rules + steps(loop)).diagnostics if d.code != "E0510"] == []


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
"""


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("announce you, own of you", ["own"]),
        ("announce \"top:\", top", ["top"]),
        ("show top to you\nannounce top", ["top"]),
        ("draw a card from cards as x secretly\nannounce x", ["x"]),
        ("choose a card as x secretly\nannounce x", ["x"]),
        ("show own of you to everyone\nannounce own of you, top", ["top"]),
        ("announce you, coin of you, weight", []),
        ("show top to everyone\nannounce top", []),
        ("draw a card from cards as x secretly\nset top to x\nshow top to everyone\nannounce x", []),
        ("draw a card from cards as x\nannounce x", []),
        ("do open-all\nannounce top", []),
        ("let x = own of you\nannounce x", ["x"]),
        ("let x = own of you\nlet y = x\nannounce y", ["y"]),
        ("let n = 0\nset n to worth of own of you\nannounce n", ["n"]),
        ("let n = 0\nadd worth of own of you to n\nannounce n", ["n"]),
        ("let n = 0\nif top is none\n  set n to 1\nannounce n", ["n"]),
        ("announce burden of you", ["burden"]),
        ("do tell-all with own of you", ["told-card"]),
        ("show own of you to everyone\ndo tell-all with own of you", []),
        ("show own of you to everyone\nlet x = own of you\nannounce x", []),
        ("let n = count of cards\nset n to 3\nannounce n", []),
    ],
)
def test_secrets_said(lines: str, expected: list[str]) -> None:
    routines = "routine open-all\n  show top to everyone\n"
    routines += "routine tell-all with card called told-card\n  announce told-card\n"
    text = SECRETS + routines + steps(lines)
    found = [d for d in compiled(text).diagnostics if d.code == "E0512"]
    assert [under(text, d) for d in found] == expected
    assert all(d.severity == "warning" for d in found)


@pytest.mark.parametrize(
    ("kept", "said", "reveals"), [("card or none", "pile", True), ("set of card", "count of pile", False)]
)
def test_to_say_something_of_many_secrets_nobody_is_told_to_show_them_all(kept: str, said: str, reveals: bool) -> None:
    text = f"{SECRETS}keep pile as {kept}, secret\n{steps(f'announce {said}')}"
    (found,) = (d for d in compiled(text).diagnostics if d.code == "E0512")
    assert ("`show pile to everyone`" in found.help) == reveals and "out of the announcement" in found.help


def test_panels_may_show_secrets_since_each_player_sees_their_own() -> None:
    found = said(SECRETS + "display d\n  each player\n  column \"Card\" own of player\n")
    assert {code for code, _ in found} == {"E0554"}, "what is not used, and no secret"


# --- E0514, E0515: numbers and conditions that cannot be ------------------------------------------------


FIELDS = """
kind hut
  size number from 1 to 4
hut one
  size 2
keep day as number from 0 to 7
keep at as hut or none
quantity strength is 3, at least 0
quantity bounded is 3, at least 1, at most 5
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("keep k as number from 1 to 5\n", ("E0514", "k")),
        (steps("choose a number from (10, 20, 62) as x\ngain x coin"), ("E0514", "62")),
        ("keep k as number from 5 to 1\n", ("E0514", "number from 5 to 1")),
        ("setting s is 3 from 5 to 1\n", ("E0514", "setting s is 3 from 5 to 1")),
        ("setting s is 3 from 1 to 5\nkeep k as number from 0 to s starting at 6\n", ("E0514", "6")),
        ("setting s is 9 from 1 to 5\n", ("E0514", "setting s is 9 from 1 to 5")),
        ("setting s is on from 0 to 1\n", ("E0514", "setting s is on from 0 to 1")),
        ("keep k as number from 0 to 5 starting at 9\n", ("E0514", "9")),
        (FIELDS + steps("set day to 8"), ("E0514", "8")),
        (FIELDS + steps("set day to - 1"), ("E0514", "- 1")),
        (FIELDS + steps("set day to 4 + 4"), ("E0514", "4 + 4")),
        (FIELDS + steps("set day to count of everyone + 8"), ("E0514", "count of everyone + 8")),
        (FIELDS + steps("choose a number from 0 to 10001 as x"), ("E0514", "10001")),
        (FIELDS + steps("choose a number from - 1 to 5 as x"), ("E0514", "- 1")),
    ],
)
def test_a_number_that_cannot_be_there(text: str, expected: tuple[str, str]) -> None:
    assert said(text) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "keep k as number from 1 to 5 starting at 1\n",
        "keep k as number from - 3 to 5\n".replace("- 3", "-3"),
        "setting s is 3 from 1 to 5\nkeep k as number from 0 to s starting at 5\n",
        FIELDS + steps("set day to 7"),
        FIELDS + steps("set day to day + 1"),
        FIELDS + steps("set day to coin of you"),
        FIELDS + steps("choose a number from 0 to 10000 as x"),
        FIELDS + steps("choose a number from 1 to coin of you as x"),
    ],
)
def test_a_number_that_may_be_there(text: str) -> None:
    assert said(text) == []


@pytest.mark.parametrize(
    "condition",
    [
        "no", "not yes", "1 > 2", "day > 7", "day = 8", "day < 0", "size of at > 4", "size of one = 3",
        "one is not one", "day >= 0 and day > 7", "no or day > 9", "coin of you < 0", "count of everyone < 0",
        "bounded > 5", "0 - 1 = day", "not (day <= 7)", "strength < 0",
    ],
)  # fmt: skip
def test_a_condition_that_never_holds(condition: str) -> None:
    text = FIELDS + f"quantity q is 1\nadjust q by 1 if {condition}\n"
    (found,) = compiled(text).diagnostics
    assert (found.code, found.severity, under(text, found)) == ("E0515", "warning", condition)


@pytest.mark.parametrize(
    "condition",
    [
        "yes", "day = 7", "day > 6", "size of at = 4", "size of at = 0", "fame of you < 0", "strength > 100",
        "bounded = 5", "at is one", "at is none", "coin of you = 0", "day > 6 or coin of you = 1", "hard", "days = 9",
    ],
)  # fmt: skip
def test_a_condition_that_may_hold(condition: str) -> None:
    settings = "setting hard is off\nsetting days is 3\n"
    assert said(FIELDS + settings + f"quantity q is 1\nadjust q by 1 if {condition}\n") == []


# --- E0516, E0517: actions ---------------------------------------------------------------------------


RESTING = "action rest\n  rule r\n    require yes\nwhen start of trial-run\n  do rest\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("  rule r\n    require count of paid = 1\n", ("E0516", "paid")),
        ("  rule r\n    require yes\nexception e to climb.r if count of paid = 1\n  allow\n", ("E0516", "paid")),
        ("  rule r\n    require yes\nexception e to climb.r\n  require total of paid > 3\n", ("E0516", "paid")),
        ("shift climb by +1 if count of paid > 1\n", ("E0516", "paid")),
        ("shift climb by +1 spending height of up coin\n", ("E0516", "up")),
        (RESTING + "shift rest by +1\n", ("E0517", "rest")),
    ],
)
def test_what_is_asked_too_early(text: str, expected: tuple[str, str]) -> None:
    assert said(PAYING + text + CLIMBING) == [expected]


def test_what_is_known_in_time() -> None:
    text = PAYING + """  rule r
    require height of up > 3
  then
    remove paid from hand of you
shift climb by +1 or -1 spending 1 coin if coin of you > 2
shift climb by +1 if height of up > 3
exception e to climb.r if height of up = 1
  allow
  then
    announce paid
"""
    assert said(text + CLIMBING) == []


# --- E0601: rules that call each other ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "chain"),
    [
        ("routine a\n  do a\n" + steps("do a"), "`a` calls `a`"),
        ("routine a\n  do b\nroutine b\n  if coin of you > 3\n    do a\n" + steps("do a"), "`a` calls `b` calls `a`"),
        ("phase p\n  nothing\nwhen start of p\n  play p\n" + steps("play p"), "`p`"),
        ("quantity q is 1\nadjust q by q\n" + steps("gain q coin"), "`q` calls `q`"),
        ("quantity q is r\nquantity r is q\n" + steps("gain q coin"), "calls"),
        ("when gaining stick\n  for player\n    gain 1 brick\nwhen gaining brick\n  for player\n    gain 1 stick\n"
         + steps("gain 1 stick"), "`when gaining stick` calls `gaining brick` calls `when gaining brick`"),
    ],
)
def test_endless_calls(text: str, chain: str) -> None:
    (found,) = [d for d in compiled(text).diagnostics if d.is_error]
    assert found.code == "E0601" and chain in found.title and found.span.file == "page1.edict"


# --- all together --------------------------------------------------------------------------------------


@pytest.mark.slow  # `make test` runs `kingsburg check --strict`, which says the same of all of them
@pytest.mark.parametrize("name", sorted(catalogue()))
def test_the_rules_that_ship_are_without_any_finding(name: str) -> None:
    gathered = gather(name) if catalogue()[name][1].kind == "game" else gather("kingsburg", [name])
    assert gathered.value is not None, gathered.diagnostics
    assert [f"{d.span}: {d.title}" for d in build(gathered.value).diagnostics] == []


# --- E0530: `you` where it is nobody's turn ----------------------------------------------------------------


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
"""


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("gain 1 coin", ["gain 1 coin"]),
        ("lose 1 coin", ["lose 1 coin"]),
        ("may spend 1 coin\n  add 1 to turns", ["may spend 1 coin"]),
        ("announce you", ["you"]),
        ("choose a player as p", ["choose a player as p"]),
        ("choose a player as p asking first of line", []),
        ("each player\n  gain 1 coin", []),
        ("each player in (first of line)\n  gain 1 coin", []),
        ("each player as p\n  gain 1 coin", ["gain 1 coin"]),
        ("each player as p\n  add worth-of of p to turns", []),
        ("repeat 2 times\n  do share", ["do share"]),
        ("each player\n  do share", []),
        ("trigger feast", []),
        ("trigger toast with first of line", ["gain 2 coin"]),
        ("each player\n  trigger toast with you", []),
    ],
)
def test_nobodys_turn(lines: str, expected: list[str]) -> None:
    rest = "when toast\n  gain 2 coin\n" + "".join(f"  {line}\n" for line in ("phase trial-run", *lines.splitlines()))
    text = TABLE + rest.replace("  phase trial-run", "phase trial-run")
    found = [d for d in build((module(text, NOBODYS_GAME),)).diagnostics if d.code == "E0530"]
    assert [under(text, d).rstrip() for d in found] == expected


NOBODYS_GAME = GAME.replace("    each player in (first of everyone)\n      play trial-run", "    play trial-run")


def test_who_plays_alone_is_always_meant() -> None:
    alone = NOBODYS_GAME.replace("players 2 to 4", "players 1 to 1")
    assert not [d for d in build((module("phase trial-run\n  gain 1 coin\n", alone),)).diagnostics if d.is_error]


# --- E0536: more than a keep has room for --------------------------------------------------------

ROUNDS = "keep turn as number from 0 to 5\nkeep held as set of number\n"


@pytest.mark.parametrize(("rules", "lines", "told"), [
    ("setting rounds is 6", "repeat until turn >= rounds\n  add 1 to turn", "`rounds` is 6"),
    ("setting rounds is 5 from 1 to 9", "repeat until rounds <= turn\n  add 1 to turn", "`rounds` can be 9"),
    ("setting rounds is 5", "repeat until turn > rounds or coin of you > 3\n  add 1 to turn", "`rounds` is 5"),
    ("setting rounds is 6", "set turn to rounds", "`rounds` is 6"),
    ("", "roll 1 cube as cold\nset turn to total of cold", "`total of cold` can be 6"),
    ("", "roll 2 gem as cold\nset turn to total of cold", "`total of cold` can be 8"),
    ("", "draw a number from 1 to 20 as cold\nset turn to cold", "`cold` can be 20"),
    ("", "choose a number from 0 to 7 as cold\nset turn to cold", "`cold` can be 7"),
])  # fmt: skip
def test_what_may_be_beyond_the_range_of_a_keep_is_told(rules: str, lines: str, told: str) -> None:
    found = [d for d in compiled(f"{ROUNDS}{rules}\n{steps(lines)}").diagnostics if d.code == "E0536"]
    assert [(d.title.partition(", and")[0], d.severity, len(d.labels)) for d in found] == [(told, "warning", 2)]


@pytest.mark.parametrize(("rules", "lines"), [
    ("setting rounds is 5", "repeat until turn >= rounds\n  add 1 to turn"),
    ("setting rounds is 9", "if turn < rounds\n  gain 1 coin"),
    ("setting rounds is 9", "repeat until turn >= rounds or coin of you > 3\n  gain 1 coin"),  # `turn` stays
    ("setting rounds is 9", "if rounds <= 5\n  set turn to rounds"),
    ("setting rounds is on", "if rounds\n  set turn to 1"),
    ("", "roll 1 gem as cold\nset turn to total of cold"),
    ("", "roll 1 cube as cold\nif total of cold <= 5\n  set turn to total of cold"),
    ("", "roll coin of you cube as cold\nset turn to total of cold"),
    ("", "draw a number from 1 to 5 as cold\nset turn to cold"),
    ("", "draw a number from 1 to 20 as cold\nif cold <= 5\n  set turn to cold"),
    ("", "draw a number from 1 to 20 as cold\nset cold to 5\nset turn to cold"),
    ("", "choose a number from 0 to 7 as cold where it <= 5\nset turn to cold"),
])  # fmt: skip
def test_what_a_condition_may_prevent_is_not_told(rules: str, lines: str) -> None:
    assert "E0536" not in [d.code for d in compiled(f"{ROUNDS}{rules}\n{steps(lines)}").diagnostics]
