"""Rules that are well formed and do nothing, or not what was meant: each is told once, as a warning, at its place."""

from __future__ import annotations

from dataclasses import replace

import pytest
from helpers import compiled, module, under, with_game

from edict.front.pipeline import build
from edict.report import edited
from edict.text import Source


GAME = """
kind hut "hut/huts"
  height number from 1 to 9
hut shed
  height 1
hut mill
  height 3
kind season
season spring
season autumn
keep day as number from 0 to 20
keep ticks as number from 0 to 20
keep thrown as dice, quiet
keep seats as order of player, quiet
keep now as season starting at spring
keep owned of player as set of hut
keep rolled as set of number
quantity limit of player is 3

display all "All"
  line "Day", day, ticks, thrown, rolled, first of seats, now, season-of-all
  each player
  column "Coins" coin of player
  column "Bricks" brick of player
  column "Huts" owned of player
  column "Limit" limit of player

value season-of-all is now

action build
  choose a hut as what
  rule new
    require what is not in owned of you
  then
    add what to owned of you

phase tick
  add 2 to ticks

phase trial-run
  play tick
  roll 1 cube into thrown
  add 1 to day
  add day to rolled
  if day > 3
    set now to autumn
  each player
    gain 1 coin and 1 brick
    may do build
"""

STEPS = [
    # conditions
    ("if coin of you > 3\n  gain 1 brick\nelse if coin of you > 5\n  gain 2 brick", "E0550", "coin of you > 5"),
    ("if coin of you > 3\n  gain 1 brick\nelse if coin of you <= 3\n  gain 2 brick", "E0550", "coin of you <= 3"),
    ("if coin of you > 3\n  if coin of you < 2\n    gain 1 brick", "E0550", "coin of you < 2"),
    ("if coin of you > 3 and coin of you < 3\n  gain 1 brick", "E0550", "coin of you > 3 and coin of you < 3"),
    ("if now is not spring or now is not autumn\n  gain 1 brick", "E0550", "now is not spring or now is not autumn"),
    ("if day >= 0 and coin of you > 1\n  gain 1 brick", "E0550", "day >= 0"),
    ("if day > 20\n  gain 1 brick", "E0550", "day > 20"),
    ("if day mod 5 > 4\n  gain 1 brick", "E0550", "day mod 5 > 4"),
    ("if yes\n  gain 1 brick", "E0550", "yes"),
    ("if coin of you >= coin of you\n  gain 1 brick", "E0550", "coin of you >= coin of you"),
    ("each hut in (huts where height of it > 9)\n  gain 1 brick", "E0550", "height of it > 9"),
    ('choose one\n  option "A" if day > 20\n    gain 1 brick\n  option "B"\n    gain 1 coin', "E0550", "day > 20"),
    # steps
    ("spend 0 coin\n  gain 1 brick", "E0551", "0"),
    ("gain 1 / 2 brick", "E0551", "1 / 2"),
    ("repeat 0 times\n  gain 1 brick", "E0551", "0"),
    ("roll 0 cube as tossed\ngain total of tossed coin", "E0551", "0"),
    ("set day to day", "E0551", "day"),
    ("add 0 to day", "E0551", "0"),
    ("give 1 coin to you", "E0551", "you"),
    ("move shed from owned of you to owned of you", "E0551", "owned of you"),
    ("each hut in huts - huts\n  gain 1 brick", "E0551", "huts - huts"),
    ("choose a number from 5 to 3 as n\ngain n coin", "E0551", "5 to 3"),
    ("each number as n from 3 to 1\n  gain n coin", "E0551", "3 to 1"),
    ("set day to 1\nset day to 2", "E0551", "set day to 1"),
    ("repeat 21 times\n  add 1 to day", "E0536", "add 1 to day"),
    ("repeat 11 times\n  play tick", "E0536", "add 2 to ticks"),
    ("may spend 1 coin", "E0533", "may spend 1 coin"),
    ('may spend 1 coin else "Keep it"', "E0533", 'may spend 1 coin else "Keep it"'),
    ("if count of owned of you > 2\n  gain 1 brick", "E0550", "count of owned of you > 2"),
    ("add (cubes showing 7 among thrown) to thrown", "E0514", "7"),
    ("repeat 3 times\n  leave loop\n  gain 1 brick", "E0552", "gain 1 brick"),
    ("if coin of you > 9\n  end game\n  gain 1 brick", "E0552", "gain 1 brick"),
    # names
    ("let x = coin of you\ngain 1 brick", "E0553", "x"),
    ("let x = coin of you\nset x to 0", "E0553", "x"),
    ("choose a hut as h\ngain 1 brick", "E0553", "h"),
    ("each player as other\n  lose 1 coin", "E0553", "other"),
    ("each hut as one\n  gain 1 coin", "E0553", "one"),
    # what was just set
    ("set day to 0\nrepeat until day = 0\n  add 1 to day", "E0550", "day = 0"),
    ("set day to 5\nif coin of you > 3\n  gain 1 brick\nelse if day < 3\n  lose 1 coin", "E0550", "day < 3"),
    ("set now to autumn\nif now is spring\n  gain 1 brick", "E0550", "now is spring"),
    # words in quotes
    ('announce you, "has", "coin of you"', "E0561", 'announce you, "has", "coin of you"'),
    ('announce "{coin of you} coins"', "E0561", 'announce "{coin of you} coins"'),
    ('may "Take {day} coins?"\n  gain 1 coin\n  lose 1 brick', "E0561", 'may "Take {day} coins?"'),
    # choices
    ("may nothing", "E0555", "may nothing"),
    ("choose one\n  gain 1 coin\n  gain 1 coin", "E0555", "gain 1 coin"),
    ("gain 1 coin or 1 coin", "E0555", "1 coin"),
    ('choose one\n  option "A"\n    gain 1 coin\n  option "A"\n    gain 1 brick', "E0555", 'option "A"'),
    ("if coin of you > 3\n  gain 1 brick\nelse\n  gain 1 brick", "E0555", "coin of you > 3"),
    ("gain 1 fame or 2 fame", "E0578", "1 fame"),
    ("gain 2 fame and 1 brick or 1 fame and 1 brick", "E0578", "1 fame and 1 brick"),
    ("choose one\n  spend 2 coin\n    gain 1 fame\n  spend 1 coin\n    gain 1 fame", "E0578", "spend 2 coin"),
    ('choose one\n  option "A" if day > 3\n    gain 1 fame\n  option "B"\n    gain 1 fame\n    gain 1 fame', "E0578",
     'option "A" if day > 3'),
    ("choose 3 huts from huts as some-huts\nset owned of you to some-huts", "E0541", "3"),
    # what it brings to those who have none
    ("may lose 2 brick\n  gain 1 coin", "E0571", "lose 2 brick"),
    ("may lose 1 stuff\n  if day > 3\n    add 1 to day", "E0571", "lose 1 stuff"),
    ("may lose 1 brick and 1 fame\n  do build", "E0571", "lose 1 brick and 1 fame"),
    ("choose a number from 0 to 9 as n\ngain n coin\nspend 3 coin", "E0580", "choose a number from 0 to 9 as n"),
    ("may choose a number from 0 to 9 as n where it > day\n  gain n fame", "E0580",
     "choose a number from 0 to 9 as n where it > day"),
    ("choose a number from 0 to 9 as n\nif day > 3\n  gain 2 * n + 1 fame\ngain n - 1 fame", "E0580",
     "choose a number from 0 to 9 as n"),
    # what is paid comes back
    ("may spend 1 coin\n  gain 1 coin", "E0581", "gain 1 coin"),
    ("may spend 1 coin\n  gain 3 coin", "E0581", "gain 3 coin"),
    ("spend 1 coin\n  gain 1 coin and 1 fame", "E0581", "gain 1 coin and 1 fame"),
    ("spend 1 coin or 1 brick as paid\n  gain 1 paid", "E0581", "gain 1 paid"),
    ("choose a number from 1 to 3 as n\nspend n coin\n  gain n coin", "E0581", "gain n coin"),
    ("gain 1 coin\nlose 1 coin", "E0581", "lose 1 coin"),
    # what is paid, perhaps for nobody
    ("may spend 1 coin\n  choose a player as poorer where fame of it < fame of you\n  give 1 brick to poorer", "E0582",
     "fame of it < fame of you"),
    ("spend 1 stuff\n  choose a player as poorer where fame of it < fame of you\n  give 1 brick to poorer", "E0582",
     "fame of it < fame of you"),
    ("may spend 1 coin\n  each player where fame of it > 5\n    lose 1 fame", "E0582", "fame of it > 5"),
    ("may spend 1 coin\n  each player in (players where fame of it > 5)\n    lose 1 fame", "E0582", "fame of it > 5"),
    # you and it
    ("if some player has coin of you > 3\n  gain 1 brick", "E0557", "coin of you > 3"),
    ("each player in (players with most coin of you)\n  gain 1 brick", "E0557", "coin of you"),
    ("gain sum of coin of you over owned of you brick", "E0557", "coin of you"),
    ("arrange seats lowest day first", "E0557", "day"),
    ("each hut in (huts with most day)\n  gain 1 brick", "E0557", "day"),
]

CHARM = "quantity charm of player is 2 + day / 10, at least 0, at most 8\nadjust limit by charm of you\n"
DEFINITIONS = [
    ("quantity charm of player is 2, at least 5, at most 3\nadjust limit by charm of you", "E0551", "5, at most 3"),
    ("adjust limit by 0 if coin of you > 2", "E0551", "0"),
    (f"{CHARM}adjust charm by -9", "E0579", "-9"),
    (f"{CHARM}adjust charm by 9", "E0579", "9"),
    (f"{CHARM}adjust charm by 1 if day > 3\nhut barn\n  height 2\n  adjust charm by -7", "E0579", "-7"),
    (f"{CHARM}adjust charm by 0 - 20 + day / 2", "E0579", "0 - 20 + day / 2"),
    ("adjust limit by 1 if coin of you > 3 and coin of you < 3", "E0515", "coin of you > 3 and coin of you < 3"),
    ("keep bonus as number\nwhen end of trial-run\n  add 1 to bonus", "E0554", "bonus"),
    ("keep bonus as number\nadjust limit by bonus", "E0554", "bonus"),
    ("keep bonus as number", "E0554", "bonus"),
    ("quantity charm of player is 2\nadjust charm by 1", "E0554", "charm"),
    ("value tall is huts where height of it > 2", "E0554", "tall"),
    ("setting long is off", "E0554", "long"),
    ("resource pearl\nadjust limit by pearl of you", "E0554", "pearl"),
    ("resource pearl\nwhen end of trial-run\n  each player\n    gain 1 pearl", "E0554", "pearl"),
]
FINE = [
    "if coin of you > 3\n  gain 1 brick\nelse if coin of you > 1\n  gain 2 brick\nelse\n  gain 1 coin",
    "if coin of you > 3\n  lose 2 coin\n  if coin of you < 3\n    gain 1 brick",
    "gain count of owned of you - 1 brick",
    "each player in (everyone where coin of it > coin of you)\n  gain 1 brick",
    "each player as other\n  if coin of other > 3\n    gain 1 brick",
    "repeat 3 times\n  if coin of you > 3\n    leave loop\n  gain 1 brick",
    "choose one\n  gain 1 coin\n  gain 1 brick",
    "gain 1 coin or 2 coin",  # nothing costs any, so nobody knows what they are good for
    "choose one\n  lose 1 stick\n  lose 2 stick\n  lose 3 stick",
    "gain 1 fame and 1 brick or 2 fame",
    "choose one\n  spend 1 coin\n    gain 1 fame\n  spend 2 coin\n    gain 2 fame",
    'choose one\n  option "A" if day > 3\n    gain 2 fame\n  option "B"\n    gain 1 fame',
    "choose one asking left of you\n  gain 1 fame\n  gain 2 fame",
    "gain 1 fame or 2 fame\nif fame of you > 9\n  lose 9 fame",  # too much of it hurts
    "choose one\n  gain 1 fame\n  gain day fame",
    "may gain 1 fame",
    "let x = coin of you\ngain x brick",
    "set day to 1\nset day to day + 1",
    "set owned of you to nobody\nset owned of you to huts",
    "set day to 0\nrepeat until day > 3\n  add 1 to day",
    "set day to 0\nadd coin of you to day\nif day > 3\n  gain 1 brick",
    'announce you, "has some of the coins, {sic}, of you"',
    "repeat 20 times\n  add 1 to day",
    "set day to 0\nrepeat 30 times\n  set day to 0\n  add 1 to day",
    "repeat 30 times\n  if day < 20\n    add 1 to day",
    "repeat 30 times\n  add 1 to day\n  if day = 20\n    leave loop",
    "repeat 30 times\n  add 1 to day\n  if day = 20\n    end game",
    "repeat 30 times\n  add 1 to day\n  remove 1 from day",
    "may spend 1 coin\nelse\n  lose 1 brick",
    "choose 2 huts from huts as some-huts\nset owned of you to some-huts",
    "draw day + 1 huts from huts as some-huts\nset owned of you to some-huts",
    "spend 1 coin",
    "add 0 to rolled",  # of a set of numbers 0 is a member like any other
    "remove 0 from rolled",
    "if count of owned of you >= 2\n  gain 1 brick",
    "each hut in owned of you\n  gain 1 coin",
    "arrange seats lowest best of coin of it and day first",
    "arrange seats highest count of (owned of it where height of it > 2) first",
    "add (cubes showing 6 among thrown) to thrown",
    "choose a number from 1 to coin of you as n\nlose n coin",
    "may spend 2 brick\n  gain 1 coin",
    "may lose 2 brick",
    "may lose 1 brick\nelse\n  lose 1 coin",
    "may lose 1 fame\n  gain 1 coin",  # of which one can have less than none
    "may lose all brick\n  gain 1 coin",
    "if brick of you > 1\n  may lose 2 brick\n    gain 1 coin",
    "if stuff of you > 1\n  may lose 2 brick\n    gain 1 coin",
    'may lose 1 brick\n  announce you, "carries less"\n  lose 1 coin',
    "choose a number from 1 to coin of you as n\nmay lose n coin\n  gain n brick",
    "if coin of you > 3 and (day > 3 or brick of you > 2)\n  gain 1 brick",
    "if coin of you > 3 or not (day > 3 and brick of you > 2)\n  gain 1 brick",
    "repeat until coin of you > 3 and day > 3\n  gain 1 brick\n  if brick of you > 3\n    leave loop",
    "choose a number from 0 to 9 as n\nspend n coin\n  gain n fame",
    "choose a number from 0 to 9 as n\ngain n fame and 9 - n coin",
    "choose a number from 0 to 9 as n\ngain n fame\ngain 9 - n coin or 1 brick",
    "choose a number from 0 to 9 as n asking left of you\ngain n fame",  # who chooses least for another
    "choose a number from 0 to 9 as n\neach player\n  gain n fame",
    "choose a number from 0 to 9 as n\ngain n fame\nif fame of you > 21\n  lose all fame",
    "choose a number from 0 to 9 as n\ngain n stick",  # which nobody pays with, and nothing scores: it may be a burden
    "draw a number from 0 to 9 as n\ngain n fame",
    "spend 2 coin\n  gain 1 coin",
    "spend 1 stuff as paid\n  gain 2 paid",  # one more of what one has
    "spend 1 stuff\n  gain 1 stuff",  # one of them for another
    "spend 1 coin or 1 brick\n  gain 1 coin",
    "spend 2 coin\n  may do build\n  gain 2 coin",  # which cannot be paid meanwhile
    "if can spend 1 coin\n  gain 1 fame",
    "if some player has fame of it < 5\n  may spend 1 coin\n    choose a player as poorer where fame of it < 5\n"
    "    give 1 brick to poorer",
    "choose a player as poorer where fame of it < 5\nmay spend 1 coin\n  give 1 brick to poorer",
    "may spend 1 coin\n  choose a player as other where it is not you\n  give 1 brick to other",
    "may spend 1 coin\n  gain 1 fame\n  choose a player as poorer where fame of it < 5\n  give 1 brick to poorer",
    "may spend 1 coin\n  each player where fame of it < 5\n    lose 1 fame\n  gain 1 brick",
    "may spend 1 coin\n  each player in (players with most fame of it)\n    lose 1 fame",  # there is always one
    "spend 1 coin\n  each player where fame of it > 5\n    lose 1 fame",  # perhaps a fine
    "lose 1 coin\ngain 1 coin",  # whoever has none loses none
]



def said(text: str) -> list[tuple[str, str]]:
    """Code and underlined text of every finding in these rules; the game they are laid into uses less than it has."""
    return [(one.code, under(text, one)) for one in compiled(text).diagnostics if one.span.file == "page1.edict"]


@pytest.mark.parametrize(("step", "code", "place"), STEPS)
def test_a_step_that_does_not_do_what_was_meant(step: str, code: str, place: str) -> None:
    lines = "".join(f"    {line}\n" for line in step.splitlines())
    assert [(found, text.split("\n")[0]) for found, text in said(f"{GAME}{lines}")] == [(code, place)]


@pytest.mark.parametrize(("text", "code", "place"), DEFINITIONS)
def test_a_definition_that_nothing_needs(text: str, code: str, place: str) -> None:
    assert said(f"{GAME}\n{text}\n") == [(code, place)]


@pytest.mark.parametrize("text", [
    "adjust charm by -4",  # to its bound, and no farther
    "adjust charm by -9\nadjust charm by 6 if day > 3",
    "adjust charm by -9\nhut barn\n  height 2\n  adjust charm by 6",
    "adjust charm by -9 if day > 3",  # none at all then
    "adjust charm by 1 - day",
    "adjust limit by -9",  # which has no bounds
])  # fmt: skip
def test_an_adjustment_that_leaves_a_quantity_free(text: str) -> None:
    assert said(f"{GAME}\n{CHARM}{text}\n") == []
def test_a_choice_of_what_an_action_requires_is_none_either() -> None:
    step = "    choose a number from 0 to 9 as n\n    gain n coin\n    spend 3 coin\n"
    for require, told in (("height of what <= coin of you", 1), ("height of what > coin of you", 0)):
        rule = f"  rule paid\n    require {require}\n  then\n"
        assert [code for code, _ in said(GAME.replace("  then\n", rule, 1) + step)] == ["E0580"] * told


def test_what_is_paid_and_gained_may_set_rules_going() -> None:
    waiting = "when gaining coin\n  gain 1 brick\n"
    step = "    spend 1 coin\n      gain 1 coin\n"
    assert [code for code, _ in said(f"{GAME}{step}")] == ["E0581"]
    assert said(f"{GAME}{step}\n{waiting}") == []


@pytest.mark.parametrize("step", FINE)
def test_what_may_well_be_meant(step: str) -> None:
    lines = "".join(f"    {line}\n" for line in step.splitlines())
    assert said(f"{GAME}{lines}") == []


def test_a_loss_for_which_others_wait_may_well_be_meant() -> None:
    text = f"{GAME}    may lose 2 brick\n      gain 1 coin\n"
    assert [code for code, _ in said(text)] == ["E0571"]
    assert said(f"{text}\nwhen losing stuff\n  add 1 to day\n") == []


def mended(text: str) -> str:
    """These rules with the remedy of the only finding carried out; nothing is said of them then."""
    (found,) = (one for one in compiled(text).diagnostics if one.span.file == "page1.edict")
    after = edited(text, found.edits)
    assert said(after) == []
    return after


def test_a_price_in_place_of_a_loss() -> None:
    text = f"{GAME}    may lose 2 brick\n      gain 1 coin\n"
    assert mended(text) == text.replace("may lose", "may spend")
def test_more_of_what_rules_wait_for_is_not_surely_better() -> None:
    text = f"{GAME}    gain 1 fame or 2 fame\n"
    assert said(f"{text}\nwhen gaining brick\n  each player\n    gain 1 coin\n") == [("E0578", "1 fame")]
    assert said(f"{text}\nwhen gaining fame\n  each player\n    gain 1 coin\n") == []


TWICE = "when end of trial-run\n  each player\n    gain 1 brick\n"
IN_A_THING = "".join(f"  {line}\n" for line in TWICE.splitlines())


@pytest.mark.parametrize(("text", "told"), [
    (TWICE + TWICE, ["when end of trial-run"]),
    ("adjust limit by 1 if day > 3\nadjust limit by 1 if day > 3\n", ["adjust limit by 1 if day > 3"]),
    (f"hut barn\n  height 2\n{IN_A_THING}{IN_A_THING}", ["when end of trial-run"]),
    (TWICE + TWICE.replace("1 brick", "2 brick"), []),
    (TWICE + TWICE.replace("end of", "start of"), []),
    (TWICE * 5, []),  # whoever writes it so often knows
])  # fmt: skip
def test_rules_that_are_written_twice(text: str, told: list[str]) -> None:
    found = [(code, place.split("\n")[0].strip()) for code, place in said(f"{GAME}\n{text}")]
    assert found == [("E0555", place) for place in told]


GIFT = "when end of trial-run\n    each player\n      gain 1 brick\n"
SHED = f"{GAME}\nhut barn\n  height 2\n  {GIFT}  adjust limit by 2 if day > 3\n\namend hut barn\n  "


@pytest.mark.parametrize(("added", "told"), [
    (GIFT.replace("1 brick", "2 brick"), "Together they come to 3."),
    (GIFT, "Together they come to 2."),
    (GIFT.replace("gain", "may gain"), "Together they come to 2."),
    ("adjust limit by 3 if day > 3\n", "Together they come to 5."),
])  # fmt: skip
def test_an_amendment_that_adds_to_what_it_was_probably_meant_to_replace(added: str, told: str) -> None:
    (found,) = [one for one in compiled(SHED + added).diagnostics if one.span.file == "page1.edict"]
    assert (found.code, found.severity, found.note) == ("E0575", "warning", told)
    assert found.span.line > found.labels[0].span.line
    titled = added.replace("trial-run\n", 'trial-run "A second gift"\n')
    assert said(SHED + titled) == [] or "if" in added


@pytest.mark.parametrize("added", [
    GIFT.replace("1 brick", "1 coin"),
    GIFT.replace("end of", "start of"),
    GIFT.replace("trial-run", "trial-run if day > 3"),
    GIFT.replace("gain 1 brick", "may spend 1 coin\n        gain 1 brick"),
    GIFT.replace("1 brick", "day brick"),
    "adjust limit by 3 if day > 5\n",
    "adjust limit by -2 if day > 3\n",  # takes it away again
    "adjust limit by ticks if day > 3\n",
])  # fmt: skip
def test_an_amendment_that_adds_something_else(added: str) -> None:
    assert said(SHED + added) == []


@pytest.mark.parametrize(("moment", "phase", "never"), [
    ("end of tick", "trial-run", False),  # which plays it
    ("end of trial-run", "trial-run", False),
    ("end of trial-run", "tick", True),
    ("start of extra", "tick", False),  # which a rule for its end plays
    ("start of trial-run", "tick", True),
])  # fmt: skip
def test_a_phase_that_is_never_being_played_then(moment: str, phase: str, never: bool) -> None:
    extra = "phase extra\n  gain 1 coin\nwhen end of tick\n  each player\n    play extra\n" if "extra" in moment else ""
    text = f"{GAME}\n{extra}when {moment}\n  if during {phase}\n    each player\n      gain 1 brick\n"
    assert said(text) == [("E0550", f"during {phase}")] * never


def test_drafts_are_left_alone() -> None:
    """Without a panel nobody plays it yet."""
    draft = "resource pearl\nkeep bonus as number\nquantity charm is 2\nphase trial-run\n  let x = 1\n  nothing\n"
    assert said(draft) == []


def test_rules_of_which_one_refuses_what_the_other_lets_pass() -> None:
    rules = "  rule tall\n    require height of what > 3\n  rule small\n    require height of what < 3\n  then\n"
    text = GAME.replace("  then\n", rules, 1)
    assert said(text) == [("E0550", "height of what < 3")]
    assert said(text + "exception e to build.small if day > 3\n  allow\n") == []


@pytest.mark.parametrize(("written", "read", "other"), [
    ("day > 3 and ticks > 3 or day > 9", "(day > 3 and ticks > 3) or day > 9", "day > 3 and (ticks > 3 or day > 9)"),
    ("day > 3 or ticks > 3 and day > 9", "day > 3 or (ticks > 3 and day > 9)", "(day > 3 or ticks > 3) and day > 9"),
    ("(day > 3 or ticks > 3) and day < 9 or day > 9 or ticks > 9 and day < 5",
     "((day > 3 or ticks > 3) and day < 9) or day > 9 or (ticks > 9 and day < 5)",
     "(day > 3 or ticks > 3) and (day < 9 or day > 9 or ticks > 9) and day < 5"),
    ("count of (huts where height of it > 3 and day > 3 or day > 9) < 1 or day > 15",
     "count of (huts where (height of it > 3 and day > 3) or day > 9) < 1 or day > 15",
     "height of it > 3 and (day > 3 or day > 9)"),
])  # fmt: skip
@pytest.mark.parametrize("step", ["if {}\n      gain 1 brick", "repeat until {}\n      leave loop"])
def test_and_beside_or_is_told_with_both_readings(step: str, written: str, read: str, other: str) -> None:
    text = f"{GAME}    {step.format(written)}\n"
    (found,) = [one for one in compiled(text).diagnostics if one.span.file == "page1.edict"]
    assert (found.code, found.exact) == ("E0577", True) and f"`{other}`" in found.help
    mended = edited(text, found.edits)
    assert f" {read}\n" in mended and said(mended) == []


@pytest.mark.parametrize(("winners", "score", "told"), [
    ("fewest coin of it", "coin of you", True),
    ("most coin of it", "brick of you", True),
    ("most coin of it then most brick of it", "brick of you", False),
    ("fewest coin of it", "0 - coin of you", False),
    ("most count of owned of it", "count of owned of you", False),
    ("most brick of it", "limit of you", False),
    ("most brick of it", "0", False),
])  # fmt: skip
def test_winners_without_the_highest_score(winners: str, score: str, told: bool) -> None:
    text = f"{GAME}\namend game trial\n  winners everyone with {winners}\n  score {score}\n"
    assert [code for code, _ in said(text)] == ["E0560"] * told


# --- what things do for each player who owns them ------------------------------------------------

CHARMS = f"""{GAME}    may do forge
    trigger won with you

moment won with player called victor

kind charm
  works if charm is in worn of you

keep worn of player as set of charm

action forge
  choose a charm as what
  rule new
    require what is not in worn of you
  then
    add what to worn of you
    trigger forged with you and what

moment forged with player called smith and charm
"""
RING = "\ncharm ring\n  when "
EACH = "\n    each player\n      gain 1 coin\n"


@pytest.mark.parametrize(("moment", "mend"), [
    ("won", "won if victor is you"),
    ("won if day > 3", "won if victor is you and day > 3"),
    ("won if day > 3 or day = 0", "won if victor is you and (day > 3 or day = 0)"),
    ("won if (day + 1) * 2 > 9", "won if victor is you and (day + 1) * 2 > 9"),
    ("won if (day > 3 or day = 0)", "won if victor is you and (day > 3 or day = 0)"),
    ("won if (some hut has height of it > day), once per tick",
     "won if victor is you and (some hut has height of it > day), once per tick"),
    ("forged if charm is not ring", "forged if smith is you and charm is not ring"),
    ("gaining brick", "gaining brick if player is you"),
    ("joining worn if charm is ring", "joining worn if player is you and charm is ring"),
])  # fmt: skip
def test_a_moment_of_one_player_and_it_is_not_asked_who_that_is(moment: str, mend: str) -> None:
    text = f"{CHARMS}{RING}{moment}\n    gain 1 coin\n"
    assert said(text) == [("E0572", moment.partition(" if ")[0].split()[-1])]
    assert mended(text) == text.replace(f"when {moment}\n", f"when {mend}\n")


@pytest.mark.parametrize("ability", [
    "won if victor is you\n    gain 1 coin\n",
    "won if victor is not you\n    gain 1 coin\n",
    "won if victor is in everyone\n    gain 1 coin\n",  # whoever that is
    "won\n    if coin of victor > 3\n      gain 1 coin\n",
    "won\n    give 1 coin to victor\n",
    "won if lucky of you\n    gain 1 coin\n",  # which may have been noted of the winner
    "won if lately is you\n    gain 1 coin\n",
    "end of trial-run\n    gain 1 coin\n",
])
def test_a_moment_of_which_it_is_known_whose_it_is(ability: str) -> None:
    notes = "keep lucky of player as truth\nkeep lately as player or none\n"
    sets = "when won\n  set lately to victor\n  set lucky of victor to yes\n"
    shown = 'display luck\n  line lately\n  each player\n  column "Lucky" lucky of player\n'
    assert said(f"{CHARMS}{notes}{sets}{shown}{RING}{ability}") == []


def test_a_thing_that_is_told_to_do_it_does_it_for_you_alone() -> None:
    each = "    each charm in worn of you\n      do won of charm with you\n"
    told = CHARMS.replace("    trigger won with you\n", each)
    assert said(f"{told}{RING}won\n    gain 1 coin\n") == []


def test_what_belongs_to_the_table_happens_once_whoever_it_was() -> None:
    assert said(f"{CHARMS}\nwhen won\n  each player\n    gain 1 coin\n") == []
    weather = f"{CHARMS}\nkind weather\n  works if weather is rain\nweather rain\n  when won\n    each player\n"
    assert said(f"{weather}      gain 1 coin\n") == []


def test_everybody_once_for_each_owner() -> None:
    text = f"{CHARMS}{RING}end of trial-run{EACH}"
    assert said(text) == [("E0573", "each player")]
    assert mended(text) == text.replace(EACH, "\n    gain 1 coin\n")


def test_everybody_once_also_where_something_is_shuffled_or_rolled_again() -> None:
    rows = "die flat with 2 sides\nkeep row as order of player, quiet\nkeep hand of player as dice, quiet\n"
    mixed = f"{CHARMS}{rows}routine mix\n  shuffle row\n  reroll all within hand of you\n"
    only = mixed.replace("require what is not in worn of you", "require not (some player has what is in worn of it)")
    assert [code for code, _ in said(f"{only}{RING}end of trial-run{EACH}") if code == "E0573"] == []
    assert ("E0573", "each player") in said(f"{mixed}{RING}end of trial-run{EACH}")


@pytest.mark.parametrize("ability", [
    "end of trial-run\n    gain 1 coin\n",
    "end of trial-run\n    gain 1 brick\n    each player\n      gain 1 coin\n",  # the owner most of all
    "end of trial-run\n    each player where it is not you\n      lose 1 coin\n",
    "end of trial-run\n    each player with most coin of it\n      lose 1 coin\n",
    "end of trial-run\n    each player as other\n      if coin of other > 1\n        gain 1 coin\n",
    "end of trial-run\n    may\n      each player\n        gain 1 coin\n",  # the owner decides
    f"end of trial-run if coin of you > 3{EACH}",
    "end of trial-run\n    each player\n      lose all coin\n",  # twice is no more than once
])
def test_what_an_owner_may_well_do_to_others(ability: str) -> None:
    assert said(f"{CHARMS}{RING}{ability}") == []


@pytest.mark.parametrize(("line", "only"), [
    ("    add what to worn of you", "    add what to worn of you\n    add what to forged-once"),
    ("    add what to worn of you", "    move what from hoard to worn of you"),
    ("require what is not in worn of you", "require not (some player has what is in worn of it)"),
    ("choose a charm as what", "choose a charm from hoard as what where (every everyone has not worn-by of it)"),
])
def test_a_thing_that_only_one_can_own_does_it_once(line: str, only: str) -> None:
    more = "keep hoard as set of charm starting at charms\nkeep forged-once as set of charm\n"
    more += "value worn-by of player is worn of player is not empty\n"
    text = f"{CHARMS.replace(line, only)}{more}{RING}end of trial-run{EACH}"
    assert "E0573" not in [code for code, _ in said(text)]


# --- amounts for which nobody asks ---------------------------------------------------------------

PRICES = """
kind villa
  cost amounts
  yield amounts

villa palace
  cost 1 stick, 2 pearl
  yield 1 coin, 1 pearl

resource pearl

keep lived-in of player as set of villa

action buy
  choose a villa as what
  then
    spend cost of what
      add what to lived-in of you

when end of trial-run
  each player
    gain 1 pearl and 1 stick
    may do buy
    each villa in lived-in of you
      gain yield of villa in coin coin
"""


def test_an_amount_for_which_no_rule_asks_where_rules_ask_for_others() -> None:
    assert said(GAME + PRICES) == [("E0570", "pearl")]  # of what it yields; all that it costs is paid
    assert said(GAME + PRICES.replace("gain yield of villa in coin coin", "gain yield of villa")) == []
    assert said(GAME + PRICES.replace("  yield 1 coin, 1 pearl", "  yield 1 coin")) == []
    unasked = PRICES.replace("gain yield of villa in coin coin", "gain 1 coin")
    assert said(GAME + unasked) == []  # a field for which nobody asks yet


@pytest.mark.parametrize(("paid", "codes"), [
    ("spend price of what", ["E0570", "E0570"]),  # a group without pearls
    ("spend cost of what", ["E0570"]),
    ("spend price of what\n      lose cost of what in pearl pearl", ["E0570"]),
])  # fmt: skip
def test_a_price_of_a_group_asks_for_nothing_else(paid: str, codes: list[str]) -> None:
    price = "quantity price of villa in stuff is cost of villa in stuff\n"
    text = PRICES.replace("spend cost of what", paid) + (price if "price" in paid else "")
    assert [code for code, _ in said(GAME + text)] == codes


def test_what_a_module_declares_is_in_the_prices_beneath_it() -> None:
    """Of what the mansion costs, its buyers are asked for the rubies too; only that nobody has any."""
    mansion = "resource ruby\n\nvilla mansion\n  cost 1 stick, 9 ruby\n  yield 1 coin\n"
    beneath = module(*with_game(GAME, PRICES.replace("  yield 1 coin, 1 pearl", "  yield 1 coin")))
    over = replace(module(name="more", kind="module"), sources=(Source("more.edict", mansion),))
    built = build((beneath, over))
    assert [(one.code, under(mansion, one)) for one in built.diagnostics if one.span.file == "more.edict"] == [
        ("E0554", "ruby"),
    ]  # fmt: skip


# --- adjustments of every price at once ----------------------------------------------------------

PRICED = f"""{GAME}    gain 1 brick

quantity price of player by cottage in stuff called material is cost of cottage in material, at least 0
quantity room of stuff is 3
quantity rent of cottage is height of cottage

kind cottage
  height number from 1 to 9
  cost amounts

cottage lodge
  height 2
  cost 1 stick, 2 brick

when end of trial-run
  each player
    gain price of you by lodge and room of stick stick
    gain rent of lodge coin
"""


@pytest.mark.parametrize(("adjust", "condition"), [
    ("adjust price by -1", ""),
    ("adjust price by 1", ""),
    ("adjust price by 0 - day", ""),
    ("adjust price by -1", "height of cottage > 1"),
    ("adjust price by -1", "height of cottage > 1 or day > 3"),
    ("adjust price by 1", "cottage is lodge"),
    ("hut barn\n  height 2\n  adjust price by -1", "day > 3"),
])  # fmt: skip
def test_a_price_adjusted_for_each_resource(adjust: str, condition: str) -> None:
    text = PRICED + adjust + (f" if {condition}" if condition else "")
    (found,) = (one for one in compiled(text).diagnostics if one.span.file == "page1.edict")
    assert (found.code, under(text, found)) == ("E0574", "price")
    both = [part for part in found.help.split("`") if part.startswith("if material is ")]
    assert len(both) == 2 and all(said(f"{PRICED}{adjust} {asked}") == [] for asked in both)


@pytest.mark.parametrize("adjust", [
    "adjust price by -1 if material is brick",
    "adjust price by -1 if material is in stuffs and day > 3",
    "adjust price by 0 - material of you",
    "adjust price by -1 if cottage is lodge",  # which may cost one thing alone
    "adjust room by 2",  # for each as much
    "adjust rent by 2",
])
def test_an_adjustment_for_each_that_may_well_be_meant(adjust: str) -> None:
    assert said(PRICED + adjust) == []
