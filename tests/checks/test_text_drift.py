"""The author's words of a thing drift apart from its rules: that is told, and what may be said otherwise is not."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from calling import manifest, write

from edict.handbook.annotated import read
from edict.resources import home

RULES = """\
resource gold "gold"
resource wood "wood"
resource fame "VP"
resource token "+2 token/+2 tokens"
group good "good/goods" is gold, wood
keep seats as order of player, quiet
keep held of player as set of card, quiet
quantity price "price" of player is 3

game sample "Sample"
  players 2 to 2
  order seats
  winners players with most fame of it
  score fame of you
  course
    play year

phase year "Year"
  play summer
  play fall
  play winter

phase summer "Summer"
  play season
phase fall "Fall"
  play season
phase winter "Winter"
  each player
    spend price of you wood
      gain 1 fame

phase season "Season"
  each player
    set held of you to cards

kind card "card/cards"
  works if card is in held of you

routine dig "dig"
  gain 4 gold

card inn "Inn"
  text "{text}"
  {rules}
"""


def found(folder: Path, text: str, *rules: str) -> list[str]:
    """What is told of a card with this text and these rules."""
    page = RULES.format(text=text, rules="\n  ".join(rules))
    write(folder, {"sample/module.yaml": manifest("sample", "game"), "sample/rules.edict": page})
    outcome = read(str(folder / "sample"))
    assert outcome.value is not None, outcome.diagnostics
    return [one.title for one in outcome.diagnostics if one.code == "E0583"]


SEASON = "when end of season", "  may gain 2 gold"
SUMMER = "when end of season if during summer", "  may gain 2 gold"
TRADE = "when start of winter", "  may spend 1 wood", "    gain 3 fame"

FIVE = "the text says 5, which is not a number in these rules"

DRIFTS = [
    ("At the end of each season, gain 1 gold.", SEASON, "the text says 1 gold, and the rules 2"),
    ("At the end of each season, gain a gold.", SEASON, "the rules say 2, and the text does not"),
    ("At the end of each season, gain gold.", SEASON, "the rules say 2, and the text does not"),
    ("At the end of each season, gain 2 wood.", SEASON, "the text speaks of wood, and the rules do not"),
    ("At the end of each season, gain 2 +2 tokens.", SEASON, "the text speaks of +2 token, and the rules do not"),
    ("At the start of each season, gain 2 gold.", SEASON, "the text says the start of Season, and the rules its end"),
    ("When a season begins, gain 2 gold.", SEASON, "the text says the start of Season, and the rules its end"),
    ("At the end of each winter, gain 2 gold.", SEASON, "the text speaks of Winter, and the rules do not"),
    ("At the end of each fall, gain 2 gold.", SUMMER, "the text speaks of Fall, and the rules do not"),
    ("At the end of each season, gain 2 gold.", SUMMER, "the rules ask for Summer, and the text does not speak of it"),
    ("At the start of winter, you may pay 1 wood for 2 VP.", TRADE, "the text says 2 VP, and the rules 3"),
    ("At the start of winter, you may pay 3 wood for 1 VP.", TRADE, "the text says 3 wood, and the rules 1"),
    ("At the start of winter, you may pay 1 wood.", TRADE, "the rules move VP, and the text does not speak of it"),
    ("At the start of winter, you may pay 1 gold for 3 VP.", TRADE, "the text speaks of gold, and the rules do not"),
    ("You pay 5 wood for a VP in winter.", ("adjust price by -2",), FIVE),
    ("Gain 2 gold in winter if you have 5 or more.", ("when start of winter if gold of you >= 4", "  gain 2 gold"),
     FIVE),
    ("Dig up 5 gold in winter.", ("when start of winter", "  do dig"), FIVE),
]  # fmt: skip


@pytest.mark.parametrize(("text", "rules", "told"), DRIFTS)
def test_a_drift_is_told(tmp_path: Path, text: str, rules: tuple[str, ...], told: str) -> None:
    assert told in found(tmp_path, text, *rules)


SAME = [
    ("At the end of each season, gain 2 gold.", SEASON),
    ("Gain two gold at the end of a season.", SEASON),
    ("You gain gold twice.", SEASON),
    ("At the end of each summer, gain 2 gold.", SUMMER),
    ("In summer, gain 2 goods.", SUMMER),
    ("At the start of winter, you may pay a wood for 3 VP.", TRADE),
    ("When winter begins, pay wood to gain three VP.", TRADE),
    ("Once a year, before the dice are rolled, pay 1 wood for 3 VP.", TRADE),
    ("You pay 1 wood for a VP in winter, not 3.", ("adjust price by -2",)),
    ("Two wood less for 1 VP.", ("adjust price by -2",)),
    ("Gain 2 gold in winter if you have fewer than 5.", ("when start of winter if gold of you <= 4", "  gain 2 gold")),
    ("Gain 2 gold in winter if you have 5 or more.", ("when start of winter if gold of you > 4", "  gain 2 gold")),
    ("Dig up 4 gold in winter.", ("when start of winter", "  do dig")),
    ("In winter, gain 1 VP for every 2 gold; it costs no wood.", ("when end of winter", "  gain gold of you / 2 fame")),
]  # fmt: skip


@pytest.mark.parametrize(("text", "rules"), SAME)
def test_what_is_said_otherwise_is_no_drift(tmp_path: Path, text: str, rules: tuple[str, ...]) -> None:
    assert found(tmp_path, text, *rules) == []


PLANTED = [
    ("gain good of you / 2 point", "gain good of you / 3 point", "Cathedral"),
    ("    may gain 1 token\n", "    may gain 1 gold\n", "Inn"),
    ("when end of season if during summer", "when start of season if during summer", "Inn"),
    ("when end of season if during summer", "when end of season if during fall", "Inn"),
    ("total of hand of you <= 7", "total of hand of you <= 8", "Chapel"),
    ("adjust strength by -1", "adjust strength by -2", "Farms"),
    ("may spend 1 token or 1 good", "may spend 1 token or 2 good", "Town Hall"),
]


@pytest.mark.parametrize(("old", "new", "card"), PLANTED)
def test_a_drift_planted_in_a_card_that_ships_is_told(tmp_path: Path, old: str, new: str, card: str) -> None:
    folder = shutil.copytree(home() / "rules", tmp_path / "kingsburg")
    page = folder / "buildings.edict"
    text = page.read_text("utf-8")
    assert old in text
    page.write_text(text.replace(old, new), "utf-8")
    told = [one for one in read(str(folder)).diagnostics if one.code == "E0583"]
    lines = page.read_text("utf-8").split("\n")
    assert [card for one in told if one.span and f'"{card}"' in lines[one.span.line - 2]]
