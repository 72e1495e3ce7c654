"""What scenes say is so: values of every type, what a quantity comes to, and what is counted of what is given."""

from __future__ import annotations

from pathlib import Path

import pytest

from edict.program.reading import from_json
from edict.scenes.scene_runner import run_module
from edict.table.rules import load_rules

RULES = """
resource coin "coin/coins"
resource gem

kind hut "hut/huts"
  cost amounts
hut shed "Shed"
  cost 2 coin
hut mill "Old Mill"
  cost 5 coin

keep seating as order of player, quiet
keep owned "huts" of player as set of hut
keep lucky as set of number
keep raining as truth

quantity wealth "wealth" of player is coin of player + count of owned of player
quantity price of hut in money is cost of hut in money
quantity tax is 3
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
    folder = tmp_path / "sample"
    (folder / "scenes").mkdir(parents=True)
    (folder / "module.yaml").write_text("name: sample\ntitle: Sample\nversion: 1.0.0\nkind: game\n", encoding="utf-8")
    (folder / "rules.edict").write_text(RULES, encoding="utf-8")
    return folder


def differences(house: Path, scene: str) -> list[str]:
    """What is not as the scene says: differences, then what cannot be understood."""
    lines = "\n".join("    " + line for line in ["name: A scene", *scene.split("\n")])
    (house / "scenes" / "page.yaml").write_text(f"scenes:\n  -{lines[3:]}\n", encoding="utf-8")
    (one,) = run_module(house).scenes
    found = [f"{d.what}: {d.expected}, not {d.found}" for d in one.differences]
    return found + [f"{d.code} {d.title}: {d.help}" for d in one.diagnostics]


@pytest.mark.parametrize(
    "scene",
    [
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
    ],
)
def test_scenes_that_hold(house: Path, scene: str) -> None:
    assert differences(house, scene) == []


def test_a_title_with_a_slash_can_be_written_as_it_is(house: Path) -> None:
    rules = RULES.replace('hut mill "Old Mill"', 'hut mill "1/3"')
    (house / "rules.edict").write_text(rules, encoding="utf-8")
    given = "start: routine pay\nwith: {who: Ann, much: 2}\ngiven: {Ann: {owned: [1/3]}}\n"
    assert differences(house, f"{given}then: {{Ann: {{owned: [1/3], wealth: 3}}}}") == []


def test_what_a_value_comes_to_is_compared_by_its_names(house: Path) -> None:
    then = "then: {Ann: {rich: no, homes: [Shed, Old Mill], goods: {Shed: 1}}, dearest: Shed}"
    assert differences(house, f"start: game\n{then}") == [
        "Ann, rich: no, not yes", "Ann, homes: Shed, Old Mill, not Shed", "Ann, goods: Shed, not 2× Shed",
        "dearest: Shed, not Old Mill",
    ]  # fmt: skip


def test_what_a_quantity_comes_to_is_compared(house: Path) -> None:
    then = "then: {Brian: {share: 3}, Ann: {wealth: 5, share: 3}, tax: 4, price: {Shed: {coin: 9}}}"
    assert differences(house, f"start: routine pay\nwith: {{who: Ann, much: 2}}\n{then}") == [
        "Brian, share: 3, not share: divided by zero", "Ann, wealth: 5, not 2", "tax: 4, not 3",
        "Shed, coin, price: 9, not 3",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("scene", "said"),
    [
        ("start: moment sold", "`moment sold` needs `seller`: write `with: {seller: player, hut: hut, often: number}`"),
        ("start: routine pay\nwith: {who: Ann}", "`routine pay` needs `much`"),
        ("start: routine pay\nwith: {who: Ann, mush: 1}", "`routine pay` takes no `mush`: did you mean `much`"),
        ("start: routine pay\nwith: {who: Anne, much: 1}", "there is no player `Anne`"),
        ("start: routine pay\nwith: {who: Ann, much: lots}", "`lots` is not allowed here: write a whole number"),
        ("start: game\nwith: {who: Ann}", "`game` takes no `who`: delete it"),
        ("start: game\ngiven: {Ann: {wealth: 3}}", "`wealth` is worked out by the rules"),
        ("start: game\ngiven: {raining: perhaps}", "`perhaps` is not allowed here: write `yes` or `no`"),
        ("start: game\ngiven: {Ann: {coin: yes}}", "`yes` is not allowed here: write a whole number"),
        ("start: game\ngiven: {lucky: [3, 62]}", "`62` is too large for a set: a set has numbers up to 61"),
        ("start: game\nthen: {wealth: 3}", "`3` is not allowed here: write `{player: value}`"),
        ("start: game\nthen: {Ann: {welth: 3}}", "nothing is named `welth`: did you mean `wealth`?"),
        ("start: game\nthen: {dearst: Shed}", "nothing is named `dearst`: did you mean `dearest`?"),
        ("start: game\nthen: {Ann: {tax: 3}}", "`tax` is not kept for each player"),
        ("start: moment never-met\nwith: {player: Ann}", "a scene cannot start at `moment never-met`"),
    ],
)
def test_mistakes_are_told(house: Path, scene: str, said: str) -> None:
    (found,) = differences(house, scene)
    assert said in found


def test_a_program_read_back_knows_what_comes_along(house: Path) -> None:
    program = load_rules(house).program
    again = from_json(program.to_json())
    assert again.brought == program.brought
    assert {(one.entry, one.name) for one in program.brought} >= {("moment sold", "hut"), ("routine pay", "much")}


# --- what is given is counted ---------------------------------------------------------------------


COUNTED_RULES = """
resource coin "coin/coins"
kind card "card/cards"
card penny "Penny"
card crown "Crown"

keep seating as order of player, quiet
keep pack of player as {shape} of card, secret but counted

game sample "Sample"
  players 2 to 3
  order seating
  winners players with most coin of it
  score coin of you
  course
    play counting

phase counting "Counting"
  each player
    gain count of pack of you coin
    if pack of you is empty
      gain 9 coin
"""
COUNTED_SCENES = """
scenes:
  - name: What is given is counted
    players: [Ann, Brian]
    start: phase counting
    given:
      Ann: {{pack: {given}}}
    then:
      Ann: {{coin: {coins}}}
      Brian: {{coin: 9}}
      Ann knows: pack of Ann
      Brian does not know: pack of Ann
"""


GIVEN = [("bag", "{Penny: 3, Crown: 1}", 4), ("set", "[Penny, Crown]", 2)]


@pytest.mark.parametrize(("shape", "given", "coins"), GIVEN)
def test_what_is_given_is_counted(tmp_path: Path, shape: str, given: str, coins: int) -> None:
    manifest = "name: sample\ntitle: Sample\nversion: 1.0.0\nkind: game\n"
    scenes = COUNTED_SCENES.format(given=given, coins=coins)
    rules = COUNTED_RULES.format(shape=shape)
    for name, text in {"module.yaml": manifest, "rules.edict": rules, "scenes/a.yaml": scenes}.items():
        (tmp_path / "sample" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "sample" / name).write_text(text, encoding="utf-8")
    report = run_module(tmp_path / "sample")
    assert report.ok, report.text()
