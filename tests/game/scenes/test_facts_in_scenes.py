"""Facts in scenes: values of every type, results of quantities, and tallies of given values."""

from __future__ import annotations

from pathlib import Path

import pytest

from edict.game.scenes.scene_reports import ModuleReport
from edict.game.table.rules import load_rules
from edict.runtime.program.program_json import parse_program
from scene_kit import play_each_scene, write_game

RULES = """
resource coin "coin/coins"
resource gem

kind hut "hut/huts"
  cost amounts
hut shed "Shed"
  cost 2 coin
hut mill "Old Mill"
  cost 5 coin
hut third "1/3"
  cost 1 coin

keep seating as order of player, quiet
keep owned "huts" of player as set of hut
keep lucky as set of number
keep raining as truth

quantity wealth "wealth" of player is coin of player + count of owned of player
quantity price of hut in money is cost of hut in money
quantity tax is 3
keep toll as number from 0 to 9 starting at 4
quantity levy "toll" is 7
quantity share of player is 6 / coin of player
value rich of player is coin of player > 3
value dearest is first of (huts where cost of it in coin > 4)
value homes of player is owned of player + shed
keep chest of player as bag of hut
value goods of player is chest of player + 2 of shed
action sell "Sell a hut"
  choose a hut from owned of you as what "Which hut?"
  then
    remove what from owned of you
phase sale
  each player
    do sell

group money is coin, gem

moment sold "after a sale" with player called seller and hut and number called often
moment never-met with player

routine pay "pay _ coins" with player called who and number called much
  each player in who
    gain much coin

when sold
  each player in seller
    gain often coin
    remove hut from owned of you

game sample "Sample"
  players 2 to 3
  order seating
  winners players with most coin of it
  score coin of you
  course
    trigger sold with first of seating and shed and 1
    do pay with first of seating and tax

adjust price by 1 if money is coin and owned of first of seating is empty
"""


@pytest.fixture
def house(tmp_path: Path) -> Path:
    return write_game(tmp_path / "sample", RULES)


def list_differences(report: ModuleReport) -> list[str]:
    """Return the differences of a report, then its diagnostics."""
    (one,) = report.scenes
    found = [f"{d.what}: {d.expected}, not {d.found}" for d in one.differences]
    return found + [f"{d.code} {d.title}: {d.help}" for d in one.diagnostics]


HOLDING = (
    "start: moment sold\nwith: {seller: Brian, hut: Old Mill, often: 4}\n"
    "given: {Brian: {owned: [Shed, Old Mill]}}\n"
    "then: {Brian: {coins: 4, owned: [Shed], wealth: 5}, Ann: {wealth: 0}}",
    "start: routine pay\nwith: {who: Ann, much: 2}\nthen: {Ann: {coins: 2}, everyone: {}, rest: unchanged}",
    "start: game\nthen: {Ann: {coins: 4, Wealth: 4}, tax: 3, price: {Shed: {coin: 3}, Old Mill: {coin: 6}}}",
    "start: game\ngiven: {Ann: {owned: [Old Mill]}}\nthen: {price: {Shed: {coin: 2}}}",
    "start: game\ngiven: {lucky: [0, 61], raining: yes}\nthen: {lucky: [61, 0], raining: yes}",
    "start: game\nthen: {Ann: {rich: yes, homes: Shed}, Brian: {rich: no}, dearest: Old Mill}",
    "given: {Ann: {chest: {Shed: 1, Old Mill: 2}}}\nthen: {Ann: {goods: {Shed: 3, Old Mill: 2}, chest: {Shed: 1}}}",
    "start: action sell\nfor: Brian\ngiven: {Brian: {owned: [Shed, Old Mill]}}\nplay: [{Brian: Shed}]\n"
    "then: {Brian: {owned: Old Mill}}",
    "start: game\ngiven: {toll: 5}\nthen: {toll: 5, levy: 7}",  # the name of one is the title of the other
    "start: routine pay\nwith: {who: Ann, much: 2}\ngiven: {Ann: {owned: [1/3]}}\n"  # a title with a slash
    "then: {Ann: {owned: [1/3], wealth: 3}}",
)


def test_true_facts_pass(house: Path) -> None:
    assert not {text: report.text() for text, report in play_each_scene(house, HOLDING).items() if not report.ok}


# scenes with false facts, and the differences that are reported by name
OTHERWISE = {
    "start: game\nthen: {Ann: {rich: no, homes: [Shed, Old Mill], goods: {Shed: 1}}, dearest: Shed}": [
        "Ann, rich: no, not yes",
        "Ann, homes: Shed, Old Mill, not Shed",
        "Ann, goods: Shed, not 2× Shed",
        "dearest: Shed, not Old Mill",
    ],
    "start: routine pay\nwith: {who: Ann, much: 2}\n"
    "then: {Brian: {share: 3}, Ann: {wealth: 5, share: 3}, tax: 4, price: {Shed: {coin: 9}}}": [
        "Brian, share: 3, not share: divided by zero",
        "Ann, wealth: 5, not 2",
        "tax: 4, not 3",
        "Shed, coin, price: 9, not 3",
    ],
}

MISTAKEN = (
    (
        "start: moment sold",
        "S0003 `moment sold` needs `seller`: write `with: {seller: player, hut: hut, often: number}`",
    ),
    (
        "start: routine pay\nwith: {who: Ann}",
        "S0003 `routine pay` needs `much`: write `with: {who: player, much: number}`",
    ),
    ("start: routine pay\nwith: {who: Ann, mush: 1}", "S0001 `routine pay` takes no `mush`: did you mean `much`?"),
    ("start: routine pay\nwith: {who: Anne, much: 1}", "S0001 there is no player `Anne`: did you mean `Ann`?"),
    ("start: routine pay\nwith: {who: Ann, much: lots}", "S0003 `lots` is not allowed here: write a whole number"),
    ("start: game\nwith: {who: Ann}", "S0001 `game` takes no `who`: delete it"),
    (
        "start: game\ngiven: {Ann: {wealth: 3}}",
        "S0003 `wealth` is computed by the rules: set the values it is computed from; expect its result under `then`",
    ),
    ("start: game\ngiven: {raining: perhaps}", "S0003 `perhaps` is not allowed here: write `yes` or `no`"),
    ("start: game\ngiven: {Ann: {coin: yes}}", "S0003 `yes` is not allowed here: write a whole number"),
    ("start: game\ngiven: {lucky: [3, 62]}", "S0003 `62` is too large for a set: a set has numbers up to 61"),
    (
        "start: game\nthen: {wealth: 3}",
        "S0003 `3` is not allowed here: write `{player: value}`, because there is one for each player",
    ),
    ("start: game\nthen: {Ann: {welth: 3}}", "S0001 unknown name `welth`: did you mean `wealth`?"),
    ("start: game\nthen: {dearst: Shed}", "S0001 unknown name `dearst`: did you mean `dearest`?"),
    ("start: game\nthen: {Ann: {tax: 3}}", "S0003 there is no `tax` for each player: write `tax:` outside, on its own"),
    (
        "start: moment never-met\nwith: {player: Ann}",
        "S0001 a scene cannot start at `moment never-met`: a scene can start at `game`, `table`, `course`, "
        "`phase sale`, `routine pay`, `action sell`, `moment sold`, `ending`",
    ),
)


def test_false_and_impossible_facts_are_reported(house: Path, subtests: pytest.Subtests) -> None:
    reports = play_each_scene(house, [*OTHERWISE, *(text for text, _ in MISTAKEN)])
    for text, told in OTHERWISE.items():
        with subtests.test(text=text):
            assert list_differences(reports[text]) == told
    for text, said in MISTAKEN:
        with subtests.test(text=text):
            (found,) = list_differences(reports[text])
            assert found == said


def test_default_number_of_players_that_the_game_refuses_is_reported_at_the_scene(tmp_path: Path) -> None:
    house = write_game(tmp_path / "sample", RULES.replace("players 2 to 3", "players 3 to 3"))
    (scene,) = play_each_scene(house, ["start: game"])["start: game"].scenes
    (found,) = scene.diagnostics
    assert (found.code, found.title, found.span) == ("S0005", "Sample is for 3 players, not 2", scene.scene.place())


def test_program_from_json_keeps_parameters_of_entries(house: Path) -> None:
    program = load_rules(house).program
    again = parse_program(program.to_json())
    assert again.brought == program.brought
    assert {(one.entry, one.name) for one in program.brought} >= {("moment sold", "hut"), ("routine pay", "much")}


COUNTED = """\
resource coin "coin/coins"
kind card "card/cards"
card penny "Penny"
card crown "Crown"

keep seating as order of player, quiet
keep pack of player as bag of card, secret but counted
keep hand of player as set of card, secret but counted
kind drawer "drawer/drawers"
drawer upper "Upper"
keep stash of player by drawer as bag of card, secret but counted

game counted "Counted"
  players 2 to 3
  order seating
  winners players with most coin of it
  score coin of you
  course
    play counting

phase counting "Counting"
  each player
    gain count of pack of you + 10 * count of hand of you coin
    gain 2000 * count of (stash of you by upper) coin
    if pack of you is empty
      gain 100 coin
    if hand of you is empty
      gain 1000 coin
"""


def test_given_values_update_public_tallies(tmp_path: Path) -> None:
    text = """\
start: phase counting
given:
  Ann: {pack: {Penny: 3, Crown: 1}, hand: [Penny, Crown], stash: {Upper: {Crown: 2}}}
then:
  Ann: {coin: 4024}
  Brian: {coin: 1100}
  Ann knows: [pack of Ann, hand of Ann]
  Brian does not know: [pack of Ann, hand of Ann]"""
    report = play_each_scene(write_game(tmp_path / "counted", COUNTED), [text])[text]
    assert report.ok, report.text()
