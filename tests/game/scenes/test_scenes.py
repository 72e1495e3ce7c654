"""Scenes: reports on scenes that pass, fail, or are written wrongly.

The shipped ones are played in `test_coverage`, with a trace of the rules that they play.

The pages of the diagnostics S... are tests too; to rewrite their messages after a change:
`PYTHONPATH=tests/kit python tests/game/scenes/test_scenes.py`.
"""

from __future__ import annotations

import re
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from calling import ROOT, make_manifest, write_files
from edict.game.scenes.scene_reports import ModuleReport, to_data, to_junit
from edict.game.scenes.scene_runner import run_module
from edict.support.rendering import render_diagnostics
from edict.support.report import apply_edits
from scene_kit import format_scene, play_each_scene, write_game, write_scene_pages

RULES = """\
resource coin "coin/coins" may go below 0
die d6 "die" with 6 sides

kind card "card"
  value number from 1 to 9

card red-knight "Knight"
  value 1
card black-knight "Knight"
  value 2
card page "Page"
  value 3
card fool "Fool"
  value 9

keep seating as order of player, quiet
keep card-of "card" of player as card or none
keep held "cards" of player as set of card
keep hidden "hidden card" as card or none, secret
keep thrown "dice" of player as dice
resource fame "fame"
keep month as number from 1 to 7 starting at 1
keep rent of player in card as number from -2 to 2
keep trump as card
keep pouch of player as bag of card
keep ones "numbers" as set of number
keep twos "numbers" as set of number
quantity wealth "wealth" of player is coin of you + fame of you

setting pay "Pay" is 1

game sample "Sample"
  players 2 to 3
  order seating
  winners players with most coin of it
  score coin of you
  course
    play wages
    play market

phase wages "Wages"
  each player
    gain pay coin

phase market "Market"
  each player
    choose a card from (cards where it is not in held of you) as bought "Which card?"
    add bought to held of you
    lose value of bought coin
    announce you, "buys", bought

phase gamble "Gamble"
  each player
    roll 2 d6 into thrown of you
    gain total of thrown of you coin

phase secret-look "A look"
  draw a card from cards as seen secretly
  set hidden to seen
  each player in first of seating
    show hidden to you
"""


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """A small game to write scenes for."""
    return write_game(tmp_path / "sample", RULES)


def play_scenes(house: Path, *scenes: str, **options: Any) -> ModuleReport:
    """Return the report on these scenes, named Scene 1, 2 and so on, in one file."""
    write_scene_pages(
        house, "scenes:\n" + "".join(format_scene(text, f"Scene {number}") for number, text in enumerate(scenes, 1))
    )
    return run_module(house, **options)


# --- scenes that hold ---------------------------------------------------------------------

HOLDING = (
    "start: phase wages\nthen: {everyone: {coins: 1}, rest: unchanged}",
    "start: phase wages\nsettings: {pay: 3}\nthen: {Ann: {coin: 3}, Brian: {COINS: 3}}",
    "start: phase wages\nplayers: 3\nthen: {Cindy: {coins: 1}}",
    "start: phase market\nplay: [{Ann: Page}, {Brian: red-knight}]\nthen: {Ann: {held: [Page]}}",
    "start: phase market\nplay: [{Ann: pa}, {Brian: fo}]\nthen: {Ann: {coins: -3}, Brian: {coins: -9}}",
    "start: phase market\ngiven: {Ann: {held: [page]}}\nplay: [{Ann cannot: Page}, {Ann: fool}, {Brian: fool}]",
    "start: phase market\nplay: [{Ann is asked: Which}, {Ann can: [fool, page]}, {everyone: fool}]",
    "start: phase market\nplay: [{Ann: page}, {now: {Ann: {coins: -3}}}]\nstop: here\nthen: {over: no}",
    "start: phase gamble\ndice: [[1, 2], [3, 4]]\nthen: {Ann: {coins: 3, dice: 2 1}, Brian: {thrown: [3, 4]}}",
    "start: phase gamble\ndice: {Brian: 6 6, Ann: [1, 1]}\nthen: {Ann: {coins: 2}, Brian: {coins: 12}}",
    "start: phase gamble\nseed: 5",
    "start: phase wages\ngiven: {Ann: 2 coins}\nthen: {Ann: 3 coins, Brian: [coin], rest: unchanged}",
    "start: phase gamble\nplay: [{dice: 1 1}, {now: {Ann: {coins: 2}}}, {dice: 2 2}]",
    "start: phase secret-look\ndrawn: Page\nthen: {hidden: page, Ann knows: hidden, Brian does not know: hidden}",
    "start: phase secret-look\ndrawn: Page\nthen: {Ann reads: Page, Brian does not read: Page}",
    "play: [{Ann: fool}, {Brian: page}]\nthen: {over: yes, winners: Brian, log: [Wages, Ann buys, Brian buys]}",
    "start: phase wages\ngiven: {Ann: {pouch: {page: 2, fool: 1}}}\n"
    "then: {Ann: {pouch: {page: 2, fool: 1}, coins: 1}, Brian: {coins: 1}, rest: unchanged}",
    "start: phase wages\ngiven: {Ann: {pouch: [page, page]}, ones: [0, 61]}\n"
    "then: {Ann: {pouch: {page: 2}}, ones: [61, 0]}",
    "start: phase wages\ngiven: {Ann: {card: page}}\nthen: {Ann: {card: page, wealth: 1}, Brian: {card: none}}",
    "start: phase wages\ngiven: {Ann: {coins: 999999998}}\nthen: {Ann: {coins: 999999999}}",
    "play: {everyone: fool}\nthen: {winners: [Ann, Brian], not in the log: gold}",
    "play: [{Ann: fool}, {Brian: page}]\nthen: {log: [Ann gains the 1 coin, Ann buys a Fool, 'Brian, buys Page']}",
    "start: ending\ngiven: {Brian: {coins: 2}}\nthen: {winners: Brian}",
    "start: table\ngiven: {seating: [Brian, Ann]}\nthen: {seating: [Ann, Brian]}",
    *(
        f"given: {facts}\nstop: here\nthen: {facts}"  # the least and the most that a number can be
        for facts in (
            "{month: 1}",
            "{month: 7}",
            "{Ann: {fame: 0}}",
            "{Ann: {rent: {fool: -2}}}",
            "{Ann: {rent: {fool: 2}}}",
            "{month: 4}",
        )
    ),
)


def test_true_scenes_pass(house: Path) -> None:
    assert not {text: report.text() for text, report in play_each_scene(house, HOLDING).items() if not report.ok}


def test_scene_starts_at_a_moment_named_as_in_rules(house: Path) -> None:
    write_files(house, {"more.edict": "when end of wages\n  each player\n    gain 2 coin\n"})
    starts = ("end of wages", "when end of wages", "moment wages end", "wages end")
    reports = play_each_scene(house, [f"start: {start}\nthen: {{everyone: {{coins: 2}}}}" for start in starts])
    assert not {text: report.text() for text, report in reports.items() if not report.ok}


# --- scenes that fail ---------------------------------------------------------------------

FAILING = (
    ("start: phase wages\nthen: {Ann: {coins: 2}}", [("Ann, coin", "2", "1", 4)]),
    ("start: phase wages\nthen: {Ann: 2 coins}", [("Ann, coin", "2", "1", 4)]),
    ("start: phase wages\nthen: {Ann: {held: [page, fool]}}", [("Ann, cards", "Page, Fool", "none", 4)]),
    ("start: phase wages\nthen: {Ann: {held: red-knight}}", [("Ann, cards", "red-knight", "none", 4)]),
    ("start: phase wages\nthen: {rest: unchanged, Ann: {coins: 1}}", [("Brian, coin", "0", "1", 4)]),
    ("start: phase wages\nthen: {winners: Ann}", [("winners", "Ann", "the game is not over", 4)]),
    ("start: phase wages\nthen: {over: yes}", [("the end", "the game is over", "the game continues", 4)]),
    ("start: phase wages\nthen: {log: gold}", [("the log", "`gold`", "no such line", 4)]),
    ("start: phase wages\nthen: {not in the log: coin}", [("the log", "no `coin`", "`Ann gains 1 coin`", 4)]),
    ("start: phase wages\nplay: [{Ann: yes}]", [("a step", "Ann answers: yes", "it was never reached", 4)]),
    ("start: phase wages\ndice: 3", [("dice", "all dice rolled", "left over: 3", 4)]),
    ("start: phase wages\ndrawn: page", [("drawn", "all drawn", "left over: page", 4)]),
    ("start: phase wages\nstop: here", [("the end", "a question to stop at", "nothing is asked", 4)]),
    (
        "start: phase market",
        [("a question", "no further question", "Ann is asked `Which card?`: Knight, Knight, Page and Fool", 2)],
    ),
    (
        "start: phase market\nplay: {Brian: page}",
        [("who is asked", "Brian", "Ann is asked `Which card?`: Knight, Knight, Page and Fool", 4)],
    ),
    (
        "start: phase market\nplay: {Ann: pgae}",
        [("an answer", "Ann: pgae", "Ann is asked `Which card?`: Knight, Knight, Page and Fool", 4)],
    ),
    (
        "start: phase market\nplay: {Ann: knight}",
        [("an answer", "Ann: knight", "Ann is asked `Which card?`: Knight, Knight, Page and Fool", 4)],
    ),
    (
        "start: phase market\nplay: {Ann cannot: fool}\nstop: here",
        [("Ann cannot", "no `fool`", "Ann is asked `Which card?`: Knight, Knight, Page and Fool", 4)],
    ),
    (
        "start: phase market\nplay: {Ann can only: fool}\nstop: here",
        [("Ann can only", "fool", "also Knight, Knight and Page", 4)],
    ),
    ("start: phase market\nplay: {Ann is asked: Who}\nstop: here", [("the question to Ann", "Who", "Which card?", 4)]),
    (
        "start: phase market\nplay: {dice: 3}",
        [("dice", "chance to be asked", "Ann is asked `Which card?`: Knight, Knight, Page and Fool", 4)],
    ),
    ("start: phase gamble", [("chance", "`dice` for `What does the die show?`", "none left", 2)]),
    ("start: phase gamble\ndice: 7", [("dice", "one of the faces 1, 2, 3, 4, 5 and 6", "7", 4)]),
    ("start: phase gamble\ndice: {Ann: 1 2}", [("chance", "`dice` for `What does the die show?`", "none left", 4)]),
    ("start: phase gamble\ndice: {Ann: 1 1 1}", [("dice", "a die for Brian", "none left for them", 4)]),
    ("start: phase secret-look\ndrawn: pige", [("drawn", "pige", "cannot be drawn; did you mean `page`?", 4)]),
    (
        "start: phase secret-look\ndrawn: page\nthen: {Brian knows: hidden}",
        [("hidden card", "Brian knows", "Brian does not know", 5)],
    ),
)


def test_false_scenes_report_differences(house: Path, subtests: pytest.Subtests) -> None:
    reports = play_each_scene(house, [text for text, *_ in FAILING])
    for text, differences in FAILING:
        with subtests.test(text=text):
            report = reports[text]
            assert not report.ok and not report.diagnostics
            (one,) = report.scenes
            assert [(d.what, d.expected, d.found, d.span.line) for d in one.differences] == differences, report.text()


def test_failed_words_are_told_from_failed_play(house: Path) -> None:
    worded = "start: phase wages\nthen: {log: Ann earns 1 coin}"
    asked = "start: phase market\nplay: {Ann is asked: Who}\nstop: here"
    played = "start: phase wages\nthen: {log: Nobody was ever here, Ann: {coins: 1}}"
    both = "start: phase wages\nthen: {log: Ann earns 1 coin, Ann: {coins: 2}}"
    reports = play_each_scene(house, [worded, asked, played, both])
    assert [reports[text].scenes[0].is_wording for text in (worded, asked, played, both)] == [True, True, False, False]
    assert "  help: the nearest line is `Ann gains 1 coin`\n" in reports[worded].text()


def test_report_shows_place_difference_and_log(house: Path) -> None:
    report = play_scenes(house, "source: p. 3\nstart: phase wages\nthen: {Ann: {coins: 2}}")
    assert re.sub(r"in \d.*", "in no time", report.text()) == (
        "FAILED sample/scenes/page-0.yaml:2  Scene 1 (p. 3)\n"
        "  Ann, coin (line 5)\n"
        "    - expected  2\n"
        "    + found     1\n"
        "  what happened:\n"
        "    Wages\n"
        "    Ann gains 1 coin\n"
        "    Brian gains 1 coin\n"
        "\n"
        "0 scenes passed, 1 failed, in no time\n"
    )


OFFERED = "start: phase market\ngiven: {Ann: {held: [page]}}\nplay: [{Ann: Page}]"
HELPED = {
    OFFERED: "Page is not offered: ",
    "start: phase market\nplay: [{Ann: a castle}]": "an answer is the text of an option, as in `Ann: ",
    "start: phase gamble": "add the next one to `dice`, as in `dice: [1]`; write `stop: here` to end before it",
}


def test_unexpected_course_is_reported_with_a_remedy(house: Path, subtests: pytest.Subtests) -> None:
    for text, report in play_each_scene(house, HELPED).items():
        with subtests.test(text=text):
            (difference,) = report.scenes[0].differences
            assert difference.help.startswith(HELPED[text])
            assert f"help: {difference.help}" in report.text()


def test_fault_of_rules_is_a_difference_with_its_place(house: Path) -> None:
    write_files(house, {"more.edict": 'phase broken "Broken"\n  announce 3 / (coin of first of seating)\n'})
    (difference,) = play_scenes(house, "start: phase broken").scenes[0].differences
    assert difference.what == "the rules"
    assert difference.found.startswith("Broken: divided by zero, at sample/more.edict:")


# --- scenes written wrongly ---------------------------------------------------------------

WRONG = (
    ("start: phase wagse", (3, 12), "S0001", "a scene cannot start at `phase wagse`", "did you mean `phase wages`?"),
    (
        "start: nowhere",
        (3, 12),
        "S0001",
        "a scene cannot start at `nowhere`",
        "a scene can start at `game`, `table`, `course`, `phase wages`, "
        "`phase market`, `phase gamble`, `phase secret-look`, `ending`",
    ),
    (
        "start: start of wages",
        (3, 12),
        "S0001",
        "a scene cannot start at `start of wages`",
        "no rule waits for the start of `wages`; scenes can start at `phase wages`",
    ),
    (
        "start: when start of wagse",
        (3, 12),
        "S0001",
        "a scene cannot start at `when start of wagse`",
        "did you mean `phase wages`?",
    ),
    ("for: Anne\nstart: phase wages", (3, 10), "S0001", "there is no player `Anne`", "did you mean `Ann`?"),
    (
        "then:\n  coins: 3",
        (4, 14),
        "S0003",
        "`3` is not allowed here",
        "write `{player: value}`, because there is one for each player",
    ),
    ("then:\n  Ann:\n    coinz: 3", (5, 9), "S0001", "unknown name `coinz`", "did you mean `coin`?"),
    ("then:\n  winers: Ann", (4, 7), "S0001", "unknown name `winers`", "did you mean `winners`?"),
    (
        "then:\n  Ann: {seating: [Ann]}",
        (4, 13),
        "S0003",
        "there is no `seating` for each player",
        "write `seating:` outside, on its own",
    ),
    ("then:\n  Ann: 3", (4, 12), "S0003", "`3` is not allowed here", "write `{coin: 2}`"),
    (
        "then:\n  Ann: 2 coin and 1 page",
        (4, 12),
        "S0003",
        "`2 coin and 1 page` is not allowed here",
        "write `{coin: 2}`",
    ),
    ("then:\n  Ann: [coin, 2 coin]", (4, 12), "S0003", "a list is not allowed here", "write `{coin: 2}`"),
    ("given:\n  Ann: {held: [pagee]}", (4, 19), "S0001", "there is no card `pagee`", "did you mean `page`?"),
    ("given:\n  Ann: {held: [page, page]}", (4, 19), "S0003", "`page` appears twice in the list", "write it once"),
    (
        "given:\n  Ann: {held: Knight}",
        (4, 19),
        "S0002",
        "several are named `Knight`",
        "write one of `red-knight` and `black-knight`",
    ),
    ("given:\n  Ann: {held: {page: 1}}", (4, 19), "S0003", "a map is not allowed here", "write a list in `[` and `]`"),
    ("given:\n  Ann: {dice: 7}", (4, 19), "S0003", "`7` is not a die", "write its face, after its name if not `die`"),
    ("given:\n  seating: yes", (4, 16), "S0001", "there is no player `yes`", "choose one of `Ann`, `Brian`"),
    (
        "given:\n  winners: Ann",
        (4, 7),
        "S0001",
        "unknown name `winners`",
        "the names known here are `coin`, `d6`, `fame`, `seating`, `card-of`, `held`, `hidden`, `thrown` ...",
    ),
    (
        "given:\n  over: yes",
        (4, 7),
        "S0001",
        "unknown name `over`",
        "the names known here are `coin`, `d6`, `fame`, `seating`, `card-of`, `held`, `hidden`, `thrown` ...",
    ),
    ("given:\n  Ann reads: coin", (4, 18), "S0003", "a scene has no log at its start", "write it under `then`"),
    ("given:\n  Ann knows: seating", (4, 18), "S0003", "`seating` is not secret", "delete it: everyone knows it"),
    ("given:\n  Ann knows: card-of", (4, 18), "S0003", "`card-of` does not say whose", "write `card-of of (player)`"),
    ("play:\n  - Anna: page", (4, 9), "S0001", "no player is named `Anna`", "did you mean `Ann`?"),
    ("play:\n  - Ann kann: page", (4, 9), "S0001", "no player is named `Ann kann`", "did you mean `Ann can`?"),
    ("play:\n  - Ann: {page: 1}", (4, 14), "S0003", "a map is not allowed here", "write a text or a number"),
    ("dice: three", (3, 11), "S0003", "`three` is not a roll", "write the faces: `3 5 1`"),
    ("dice: {An: 3}", (3, 12), "S0001", "there is no player `An`", "did you mean `Ann`?"),
    ("then: {rest: changed}", (3, 18), "S0003", "`rest` cannot be `changed`", "write `unchanged`"),
    ("then: {over: perhaps}", (3, 18), "S0003", "`over` cannot be `perhaps`", "write `yes` or `no`"),
    ("players: 4", (3, 5), "S0005", "Sample is for 2 to 3 players, not 4", "name 2 to 3 players"),
    ("players: [Ann, Ann]", (3, 5), "S0005", "two players are called Ann", "give each player a different name"),
    ("settings: {pey: 2}", (3, 5), "S0005", "there is no setting `pey`", "did you mean `pay`?"),
    ("thne: {}", (3, 5), "E0144", "unknown key `thne`", "did you mean `then`?"),
    ("stop: now", (3, 11), "E0145", "`stop` cannot be `now`", "write `here`"),
    ("then: 3", (3, 11), "E0145", "`then` cannot be `3`", "write the situation afterwards, as `name: value`"),
    ("play: Ann", (3, 11), "E0145", "`play` cannot be `Ann`", "write what is done, step by step, as `- Ann: yes`"),
    ("given: &x {}", (3, 12), "E0142", "anchors (`&`) and aliases (`*`) are not supported", "write the text out"),
    ("given: {month: 9}", (3, 20), "S0006", "`month` is a number from 1 to 7, not 9", "write a number from 1 to 7"),
    ("given:\n  month: 0", (4, 14), "S0006", "`month` is a number from 1 to 7, not 0", "write a number from 1 to 7"),
    ("given: {Ann: {fame: -1}}", (3, 25), "S0006", "`fame` is never below 0, not -1", "write 0 or more"),
    (
        "given:\n  everyone: {rent: {fool: -3}}",
        (4, 31),
        "S0006",
        "`rent` is a number from -2 to 2, not -3",
        "write a number from -2 to 2",
    ),
    ("given: {trump: none}", (3, 20), "S0006", "`trump` is never none", "name one card"),
    ("given: {}\ngiven: {}", (4, 5), "E0141", "`given` is written twice", "keep one of the two"),
    (
        "given:\n  Zoe: {coin: 1}\nthen:\n  Zoe: {coin: 1}",
        (4, 7),
        "S0001",
        "unknown name `Zoe`",
        "the players are Ann and Brian; "
        "the names known here are `coin`, `d6`, `fame`, `seating`, `card-of`, `held`, `hidden`, `thrown` ...",
    ),
    (
        "play:\n  - Zoe: page",
        (4, 9),
        "S0001",
        "no player is named `Zoe`",
        "a step begins with a player (Ann and Brian), `everyone`, `dice`, `drawn` or `now`",
    ),
    (
        "start: phase marketing",
        (3, 12),
        "S0001",
        "a scene cannot start at `phase marketing`",
        "did you mean `phase market`?",
    ),
    (
        "given: {Ann: {coins: -1234567890}}",
        (3, 26),
        "S0003",
        "`-1234567890` is not allowed here",
        "write a whole number of at most 9 digits",
    ),
    ("given: {Ann: {coins: three}}", (3, 26), "S0003", "`three` is not allowed here", "write `3`"),
    (
        "given: {Ann: {coins: + 3}}",
        (3, 26),
        "S0003",
        "`+ 3` is not allowed here",
        "write how much there is in all, as in `3`",
    ),
    ("given: {Ann: {coins: [1]}}", (3, 26), "S0003", "a list is not allowed here", "write a whole number"),
    ("given: {Ann: {pouch: {page: -1}}}", (3, 26), "S0003", "`-1` is not allowed here", "write how many there are"),
    ("given: {Ann: {pouch: {page: yes}}}", (3, 26), "S0003", "`yes` is not allowed here", "write how many there are"),
    ("given: {Ann: {pouch: {pige: 1}}}", (3, 26), "S0001", "there is no card `pige`", "did you mean `page`?"),
    ("given: {Ann: {card: [page]}}", (3, 25), "S0003", "a list is not allowed here", "name one card"),
    (
        "given: {numbers: [1]}",
        (3, 13),
        "S0002",
        "`numbers` may mean `ones` and `twos`",
        "write one of these names",
    ),
    ("given: {ones: [62]}", (3, 19), "S0003", "`62` is too large for a set", "a set has numbers up to 61"),
    (
        "given: {Ann: {dice: gem 3}}",
        (3, 25),
        "S0003",
        "`gem 3` is not a die",
        "write its face, after its name if not `die`",
    ),
    (
        "given: {Ann: {wealth: 3}}",
        (3, 19),
        "S0003",
        "`wealth` is computed by the rules",
        "set the values it is computed from; expect its result under `then`",
    ),
    ("play: [3]", (3, 12), "E0145", "`play` cannot be `3`", "write who does what, as `Ann: yes`"),
    ("used: {Ann: thing}", (3, 17), "S0001", "there is no ability with a limited number of uses `thing`", "delete it"),
    ("given: {Ann: [[coin]]}", (3, 18), "S0003", "a list is not allowed here", "write `{coin: 2}`"),
    (
        "given: {Ann: {coin 2, held: [page]}}",
        (3, 19),
        "S0001",
        "unknown name `coin 2`",
        "a colon is missing: write `coin: 2`",
    ),
)


def test_mistakes_in_scenes_are_reported_with_line_and_remedy(house: Path, subtests: pytest.Subtests) -> None:
    reports = play_each_scene(house, [text for text, *_ in WRONG])
    for text, place, code, title, remedy in WRONG:
        with subtests.test(text=text):
            report = reports[text]
            found = [*report.diagnostics, *(d for one in report.scenes for d in one.diagnostics)]
            told = [(d.code, (d.span.line, d.span.column), d.title, d.help) for d in found]
            assert told == [(code, place, title, remedy)], report.text()
            assert not report.ok
    write_scene_pages(house, "scenes:\n" + format_scene("start: phase wages") * 2)
    (twice,) = run_module(house).diagnostics
    assert (twice.code, twice.span.line, twice.note) == ("S0004", 4, "The other one is on line 2.")


def test_all_mistakes_of_a_scene_are_reported_at_once(house: Path) -> None:
    text = "start: phase wagse\ngiven:\n  Ann: {coinz: 1, held: [pagee]}\n  Bryan: {coins: 1}\nthen:\n  winers: Ann"
    found = play_scenes(house, text).scenes[0].diagnostics
    assert [d.span.line for d in found] == [5, 5, 6, 3, 8]


def test_scene_key_outside_a_scene_is_reported(house: Path) -> None:
    alone = "- name: A scene\n  start: phase wages\n"
    write_scene_pages(
        house, alone, "players: [Ann, Brian]\nname: A scene\nstart: phase wages\nthen: {Ann: {coins: 1}}\n"
    )
    one, several = run_module(house).diagnostics
    assert (one.code, one.title) == ("E0145", "a list of scenes goes under `scenes:`")
    assert several.title == "`name`, `start` and `then` belong to an item of `scenes`" and several.span.line == 2
    write_scene_pages(house, apply_edits(alone, one.edits))
    assert run_module(house).ok


def test_errors_of_rules_are_reported_once(house: Path) -> None:
    write_files(house, {"rules.edict": RULES.replace("gain pay coin", "gain pay coyn")})
    report = play_scenes(house, "start: phase wages", "start: phase market")
    assert len(report.diagnostics) == 1 and report.left_out == 2
    (found,) = report.diagnostics
    assert (found.code, found.span.line, found.help) == ("E0201", 43, "did you mean `coin`?")
    suite = ElementTree.fromstring(to_junit(report))[0]
    assert {key: suite.attrib[key] for key in ("name", "tests", "failures", "errors", "skipped")} == {
        "name": str(house),
        "tests": "1",
        "failures": "0",
        "errors": "1",
        "skipped": "0",
    }
    (case,) = suite
    assert case.attrib == {"classname": str(house), "name": "reading", "time": "0"}
    assert case[0].attrib == {"type": "rules", "message": found.title}
    assert case[0].text == render_diagnostics(report.diagnostics, report.sources)


def test_missing_rules_are_reported_and_missing_scenes_do_not_fail(house: Path, subtests: pytest.Subtests) -> None:
    for name in ("nonesuch", "./nonesuch"):
        with subtests.test(name=name):
            report = run_module(name)
            assert not report.ok and report.diagnostics[0].help
    report = run_module(house)
    assert report.ok and not report.scenes


# --- the runner ---------------------------------------------------------------------------

THREE = [f"start: phase wages\nthen: {{Ann: {{coins: {number}}}}}" for number in (1, 2, 3)]


def test_only_selected_scenes_are_played(house: Path) -> None:
    report = play_scenes(house, *THREE, only="scene 1")
    assert (report.passed_count, report.left_out, report.ok) == (1, 2, True)
    assert run_module(house, only="PAGE-0.yaml").passed_count == 1
    assert run_module(house, only=lambda scene: scene.name.endswith("3")).left_out == 2
    report = run_module(house, fail_fast=True)
    assert (report.passed_count, len(report.failures), report.left_out) == (1, 1, 1)


def test_results_are_written_as_junit_and_data(house: Path) -> None:
    report = play_scenes(house, *THREE[:2], "start: phase marketing")
    suite = ElementTree.fromstring(to_junit(report))[0]
    counted = {key: suite.attrib[key] for key in ("tests", "failures", "errors")}
    assert counted == {"tests": "3", "failures": "1", "errors": "1"}
    cases = {case.attrib["name"]: case for case in suite}
    assert len(cases["Scene 1"]) == 0
    assert cases["Scene 1"].attrib["classname"] == "sample.scenes.page-0"
    assert "expected  2" in (cases["Scene 2"][0].text or "")
    assert cases["Scene 3"][0].tag == "error"

    data: dict[str, Any] = to_data(report)
    counts = {"name": str(house), "with": [], "ok": False, "passed": 1, "failed": 2, "otherwise": 0, "left_out": 0}
    assert {key: data[key] for key in counts} == counts and data["diagnostics"] == []
    told = [{key: value for key, value in scene.items() if key != "seconds"} for scene in data["scenes"]]
    place: dict[str, Any] = {"file": "sample/scenes/page-0.yaml"}
    nothing: dict[str, Any] = {"differences": [], "diagnostics": []}
    different = {"what": "Ann, coin", "expected": "2", "found": "1", "line": 7, "help": ""}
    unknown = {
        "code": "S0001",
        "severity": "error",
        "title": "a scene cannot start at `phase marketing`",
        "help": "did you mean `phase market`?",
        **place,
        "line": 9,
        "column": 12,
    }
    assert told == [
        {"name": "Scene 1", **place, "line": 2, "outcome": "passed", **nothing},
        {"name": "Scene 2", **place, "line": 5, "outcome": "failed", **nothing, "differences": [different]},
        {"name": "Scene 3", **place, "line": 8, "outcome": "failed", **nothing, "diagnostics": [unknown]},
    ]


def test_module_scenes_are_played_over_its_game(house: Path, tmp_path: Path) -> None:
    over = tmp_path / "generous"
    page = "scenes:\n" + format_scene(
        "start: phase market\nplay: [{Ann: queen}, {Brian: queen}]\nthen: {Ann: {coins: -5}}"
    )
    queen = 'card queen "Queen"\n  value 5\n'
    write_files(over, {"module.yaml": make_manifest("generous", language="1"), "change.edict": queen})
    write_scene_pages(house, page)
    assert run_module(house, modules=[str(over)]).ok
    write_scene_pages(over, page)
    assert run_module(over, modules=[str(house)]).passed_count == 1
    write_scene_pages(over, "game: sample\n" + page)
    report = run_module(over)
    assert report.passed_count == 1, report.text()


CHANGE = """\
amend card page
  value 5

remove card fool
"""


def test_scenes_changed_by_further_modules_do_not_fail(house: Path, tmp_path: Path) -> None:
    write_files(tmp_path / "dear", {"module.yaml": make_manifest("dear", language="1"), "change.edict": CHANGE})
    scenes = (
        "start: phase wages\nthen: {Ann: {coins: 1}}",
        "start: phase market\nplay: [{everyone: page}]\nthen: {Ann: {coins: -3}}",
        "start: phase wages\ngiven: {Ann: {held: [fool]}}",
        "start: phase wages\nthen: {Ann: {coins: 9}}",
    )
    report = play_scenes(house, *scenes, modules=[str(tmp_path / "dear")])
    assert (report.passed_count, len(report.different), [one.scene.name for one in report.failures]) == (
        1,
        2,
        ["Scene 4"],
    )
    assert report.text().partition("DIFFERENT")[2].partition(", in ")[0] == (
        " sample/scenes/page-0.yaml:5  Scene 2\n  Ann, coin: -3; with dear -5\n"
        "DIFFERENT sample/scenes/page-0.yaml:9  Scene 3\n  there is no card `fool`\n\n"
        "1 scene passed, 1 failed, 2 different with dear"
    )
    skipped = [case[0].attrib for case in ElementTree.fromstring(to_junit(report)).iter("testcase") if len(case)]
    assert skipped[:2] == [{"message": "different with dear"}] * 2
    strict = run_module(house, modules=[str(tmp_path / "dear")], strict=True)
    assert (strict.passed_count, len(strict.different), len(strict.failures)) == (1, 0, 3)


# --- the pages of the diagnostics ---------------------------------------------------------

PAGES = sorted((ROOT / "grammar" / "diagnostics").glob("S*.md"))
_BLOCK = re.compile(r"^```(\w+)(?: [^\n]+)?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def split_page(path: Path) -> dict[str, str]:
    """Return the samples to avoid and to prefer on a page, and its messages."""
    body = path.read_text(encoding="utf-8")
    parts = dict(re.findall(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", body, re.MULTILINE | re.DOTALL))
    return {name: found[2] for name, text in parts.items() if (found := _BLOCK.search(text))}


def collect_messages(house: Path, text: str) -> tuple[list[str], str]:
    """Return codes and messages for a page of scenes of the sample game."""
    head = "" if text.startswith(("scenes:", "players:", "game:")) else "scenes:\n"
    write_files(house, {"scenes/page.yaml": head + text})
    report = run_module(house)
    found = [*report.diagnostics, *(d for one in report.scenes for d in one.diagnostics)]
    return [d.code for d in found], render_diagnostics(found, report.sources) or ("" if report.ok else report.text())


def test_samples_on_diagnostic_pages_give_the_shown_messages_or_pass(house: Path, subtests: pytest.Subtests) -> None:
    for path in PAGES:
        with subtests.test(path=path):
            parts = split_page(path)
            codes, said = collect_messages(house, parts["Avoid"])
            assert codes == [path.stem]
            assert said == parts["Message"]
            assert all(len(line) <= 100 for line in said.splitlines()), path.stem
            assert collect_messages(house, parts["Prefer"]) == ([], ""), path.stem


def test_every_scene_diagnostic_has_a_page(root: Path) -> None:
    files = (root / "interpreter" / "edict" / "game" / "scenes").glob("*.py")
    codes = {code for file in files for code in re.findall(r"\bS\d{4}\b", file.read_text(encoding="utf-8"))}
    assert codes == {path.stem for path in PAGES}


def rewrite() -> None:
    for path in PAGES:
        text = path.read_text(encoding="utf-8")
        head, tail = text.split("## Message\n")
        with tempfile.TemporaryDirectory() as folder:
            said = collect_messages(write_game(Path(folder) / "sample", RULES), split_page(path)["Avoid"])[1]
        anew = head + "## Message\n" + _BLOCK.sub(partial(_fenced, said), tail)
        if anew != text:
            path.write_text(anew, encoding="utf-8")
            print(f"{path.name}: message written anew", file=sys.stderr)


def _fenced(said: str, _: re.Match[str]) -> str:
    return f"```text\n{said}```"


if __name__ == "__main__":
    rewrite()
