"""The author's words, of a thing or in the rulebook, drift apart from the rules: that is told, and what may be said
otherwise is not."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from edict.compiler.checks.passage_drift import drifted_passages
from edict.compiler.pipeline.pipeline import understand
from edict.compiler.semantics.symbols import Resolved
from edict.compiler.sources.folders import Passage
from edict.compiler.sources.module_set import Modules, gather
from helpers import module

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


def told(text: str, *rules: str) -> list[str]:
    """What is told of a card with this text and these rules."""
    outcome = understand((module(RULES.format(text=text, rules="\n  ".join(rules))),))
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
    ('At the end of each season, gain 2", wood, ".', SEASON, "the text speaks of wood, and the rules do not"),
    ('At the end of each season, gain", 1, "gold.', SEASON, "the text says 1 gold, and the rules 2"),
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
    (
        "Gain 2 gold in winter if you have 5 or more.",
        ("when start of winter if gold of you >= 4", "  gain 2 gold"),
        FIVE,
    ),
    ("Dig up 5 gold in winter.", ("when start of winter", "  do dig"), FIVE),
]


def test_a_drift_is_told() -> None:
    for text, rules, drift in DRIFTS:
        assert drift in told(text, *rules), text


SAME = [
    ("At the end of each season, gain 2 gold.", SEASON),
    ("Gain two gold at the end of a season.", SEASON),
    ('At the end of each season, gain", count of seats, "gold.', SEASON),  # what it is, only a game tells
    ("You gain gold twice.", SEASON),
    ("At the end of each summer, gain 2 gold.", SUMMER),
    ("In summer, gain 2 goods.", SUMMER),
    ("At the start of winter, you may pay a wood for 3 VP.", TRADE),
    ("When winter begins, pay wood to gain three VP.", TRADE),
    ("Once a year, before the dice are rolled, pay 1 wood for 3 VP.", TRADE),
    ("You pay 1 wood for a VP in winter, not 3.", ("adjust price by -2",)),
    ("Two wood less for 1 VP.", ("adjust price by -2",)),
    ("You pay more, the richer you are.", ("adjust price by gold of you / 5",)),
    ("Gain 2 gold in winter if you have fewer than 5.", ("when start of winter if gold of you <= 4", "  gain 2 gold")),
    ("Gain 2 gold in winter if you have 5 or more.", ("when start of winter if gold of you > 4", "  gain 2 gold")),
    ("Dig up 4 gold in winter.", ("when start of winter", "  do dig")),
    ("In winter, gain 1 VP for every 2 gold; it costs no wood.", ("when end of winter", "  gain gold of you / 2 fame")),
]


def test_what_is_said_otherwise_is_no_drift() -> None:
    for text, rules in SAME:
        assert told(text, *rules) == [], text


# --- what ships ----------------------------------------------------------------------------------

PLANTED = [
    ("gain good of you / 2 point", "gain good of you / 3 point", "Cathedral"),
    ("    may gain 1 token\n", "    may gain 1 gold\n", "Inn"),
    ("total of hand of you <= 7", "total of hand of you <= 8", "Chapel"),
    ("adjust strength by -1", "adjust strength by -2", "Farms"),
    ("may spend 1 token or 1 good", "may spend 1 token or 2 good", "Town Hall"),
]


def test_drifts_planted_in_cards_that_ship_are_told_at_their_texts() -> None:
    (game, *_) = gather("kingsburg").unwrap()
    (page,) = (one for one in game.sources if one.name.endswith("buildings.edict"))
    changed = page.text
    for old, new, _ in PLANTED:
        assert old in changed
        changed = changed.replace(old, new)
    planted = replace(page, text=changed)
    rules = replace(game, sources=tuple(planted if one is page else one for one in game.sources))
    told = [one for one in understand((rules,)).diagnostics if one.code == "E0583"]
    titles = {planted.lines[one.span.line - 2].split('"')[1] for one in told}
    assert titles == {card for _, _, card in PLANTED}


@cache
def kingsburg() -> tuple[Modules, Resolved]:
    """The base game, read once: what its rulebook says in the author's words is held against the rules by itself."""
    modules = gather("kingsburg").unwrap()
    return modules, understand(modules).unwrap().resolved


def drifted(*book: Passage) -> list[str]:
    """What is said of the base game if this is what the rulebook says."""
    modules, resolved = kingsburg()
    return [one.title for one in drifted_passages(resolved, [replace(modules[0].manifest, book=book)])]


def said_otherwise(place: str, old: str, new: str) -> list[str]:
    """The same, if one passage of the book says something else."""
    book = kingsburg()[0][0].manifest.book
    other = tuple(replace(one, text=one.text.replace(old, new)) if one.place == place else one for one in book)
    assert other != book
    return drifted(*other)


def test_another_number_or_resource_in_a_passage_of_the_rulebook_is_told() -> None:
    for place, old, new, said in (
        ("influencing", "counts exactly 2 more", "counts exactly 3 more", "says 3, which is no number of"),
        ("kings-favor", "gains 1 good", "gains 2 goods", "says 2 good, and the rules 1"),
        ("recruiting", "costs 2 goods", "costs 3 goods", "says 3, which is no number of"),
        ("recruiting", "2 goods", "2 VP", "speaks of VP, and the rules of Recruit Soldiers do not"),
        ("kings-favor", "good", "soldier", "speaks of soldier, and the rules of The King's Favor do not"),
    ):
        (found,) = said_otherwise(place, old, new)
        assert said in found


def test_what_a_passage_may_mean_otherwise_is_not_told() -> None:
    """Numbers in words, members of a group; and chapters that stand for no single rule."""
    for place, old, new in (
        ("recruiting", "2 goods", "two goods"),
        ("recruiting", "alike or different", "which may be gold, wood or stone"),
        ("constructing", "building token", "marker"),
        ("setup", "face down", "face down, 40 of them"),
        ("always", "the -1 of the Farms", "the -7 of the Farms"),
    ):
        assert said_otherwise(place, old, new) == [], new


def test_of_a_kind_the_things_that_a_passage_names_are_looked_at() -> None:
    passage = replace(kingsburg()[0][0].manifest.book[0], place="advisor")
    assert drifted(replace(passage, text="The Wizard gives 4 gold, the King 1 soldier.")) == []
    assert drifted(replace(passage, text="The Wizard gives 40 gold.")) != []


def test_a_passage_that_drifted_is_told_at_its_place_in_the_manifest() -> None:
    modules, _ = kingsburg()
    manifest = modules[0].manifest
    wrong = tuple(replace(one, text="Gain 9 VP.") if one.place == "recruiting" else one for one in manifest.book)
    changed = (replace(modules[0], manifest=replace(manifest, book=wrong)), *modules[1:])
    (found,) = (one for one in understand(changed).diagnostics if one.code == "E0583")
    assert found.severity == "warning" and found.span.file.endswith("module.yaml") and found.span.line > 1
