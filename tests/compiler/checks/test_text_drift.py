"""Texts of things and passages of the rulebook that contradict the rules.

Certain contradictions are reported; other ways to say the same are not.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from edict.compiler.checks.passage_drift import find_drifted_passages
from edict.compiler.pipeline.pipeline import analyze
from edict.compiler.semantics.symbols import ResolvedBook
from edict.compiler.sources.folders import Passage
from edict.compiler.sources.module_set import Modules, gather_modules
from helpers import make_module

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


def find_drifts(text: str, *rules: str) -> list[str]:
    """Return the titles of what is reported for a card with this text and these rules."""
    outcome = analyze((make_module(RULES.format(text=text, rules="\n  ".join(rules))),))
    assert outcome.value is not None, outcome.diagnostics
    return [diagnostic.title for diagnostic in outcome.diagnostics if diagnostic.code == "E0583"]


SEASON = "when end of season", "  may gain 2 gold"
SUMMER = "when end of season if during summer", "  may gain 2 gold"
TRADE = "when start of winter", "  may spend 1 wood", "    gain 3 fame"

FIVE = "the text says 5, which is not a number in these rules"

DRIFTS = [
    ("At the end of each season, gain 1 gold.", SEASON, "the text says 1 gold, but the rules say 2"),
    ("At the end of each season, gain a gold.", SEASON, "the rules say 2, but the text does not"),
    ("At the end of each season, gain gold.", SEASON, "the rules say 2, but the text does not"),
    ("At the end of each season, gain 2 wood.", SEASON, "the text mentions wood, but the rules do not"),
    ('At the end of each season, gain 2", wood, ".', SEASON, "the text mentions wood, but the rules do not"),
    ('At the end of each season, gain", 1, "gold.', SEASON, "the text says 1 gold, but the rules say 2"),
    ("At the end of each season, gain 2 +2 tokens.", SEASON, "the text mentions +2 token, but the rules do not"),
    (
        "At the start of each season, gain 2 gold.",
        SEASON,
        "the text says the start of Season, but the rules say its end",
    ),
    ("When a season begins, gain 2 gold.", SEASON, "the text says the start of Season, but the rules say its end"),
    ("At the end of each winter, gain 2 gold.", SEASON, "the text mentions Winter, but the rules do not"),
    ("At the end of each fall, gain 2 gold.", SUMMER, "the text mentions Fall, but the rules do not"),
    ("At the end of each season, gain 2 gold.", SUMMER, "the rules depend on Summer, but the text does not mention it"),
    ("At the start of winter, you may pay 1 wood for 2 VP.", TRADE, "the text says 2 VP, but the rules say 3"),
    ("At the start of winter, you may pay 3 wood for 1 VP.", TRADE, "the text says 3 wood, but the rules say 1"),
    ("At the start of winter, you may pay 1 wood.", TRADE, "the rules change VP, but the text does not mention it"),
    ("At the start of winter, you may pay 1 gold for 3 VP.", TRADE, "the text mentions gold, but the rules do not"),
    ("You pay 5 wood for a VP in winter.", ("adjust price by -2",), FIVE),
    (
        "Gain 2 gold in winter if you have 5 or more.",
        ("when start of winter if gold of you >= 4", "  gain 2 gold"),
        FIVE,
    ),
    ("Dig up 5 gold in winter.", ("when start of winter", "  do dig"), FIVE),
]


def test_contradicting_text_is_reported(subtests: pytest.Subtests) -> None:
    for text, rules, drift in DRIFTS:
        with subtests.test(text=text):
            assert drift in find_drifts(text, *rules)


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


def test_other_wording_is_not_reported(subtests: pytest.Subtests) -> None:
    for text, rules in SAME:
        with subtests.test(text=text):
            assert find_drifts(text, *rules) == []


# --- shipped rules -------------------------------------------------------------------------------

PLANTED = [
    ("gain good of you / 2 point", "gain good of you / 3 point", "Cathedral"),
    ("    may gain 1 token\n", "    may gain 1 gold\n", "Inn"),
    ("total of hand of you <= 7", "total of hand of you <= 8", "Chapel"),
    ("adjust strength by -1", "adjust strength by -2", "Farms"),
    ("may spend 1 token or 1 good", "may spend 1 token or 2 good", "Town Hall"),
]


def test_errors_planted_in_shipped_cards_are_reported_at_their_texts() -> None:
    (game, *_) = gather_modules("kingsburg").unwrap()
    (page,) = (one for one in game.sources if one.name.endswith("buildings.edict"))
    changed = page.text
    for old, new, _ in PLANTED:
        assert old in changed
        changed = changed.replace(old, new)
    planted = replace(page, text=changed)
    rules = replace(game, sources=tuple(planted if one is page else one for one in game.sources))
    told = [one for one in analyze((rules,)).diagnostics if one.code == "E0583"]
    titles = {planted.lines[one.span.line - 2].split('"')[1] for one in told}
    assert titles == {card for _, _, card in PLANTED}


@cache
def load_kingsburg() -> tuple[Modules, ResolvedBook]:
    """Return the base game, read once, to compare its rulebook with its rules."""
    modules = gather_modules("kingsburg").unwrap()
    return modules, analyze(modules).unwrap().resolved


def find_passage_drifts(*book: Passage) -> list[str]:
    """Return the titles of what is reported for the base game with these passages in its rulebook."""
    modules, resolved = load_kingsburg()
    return [
        diagnostic.title for diagnostic in find_drifted_passages(resolved, [replace(modules[0].manifest, book=book)])
    ]


def find_drifts_after_edit(place: str, old: str, new: str) -> list[str]:
    """Return the titles of what is reported after an edit of one passage."""
    book = load_kingsburg()[0][0].manifest.book
    edited = tuple(
        replace(passage, text=passage.text.replace(old, new)) if passage.place == place else passage for passage in book
    )
    assert edited != book
    return find_passage_drifts(*edited)


def test_wrong_number_or_resource_in_a_passage_is_reported(subtests: pytest.Subtests) -> None:
    for place, old, new, said in (
        (
            "influencing",
            "add exactly 2 to",
            "add exactly 3 to",
            "says 3, which does not appear in the rules of",
        ),
        ("kings-favor", "gains 1 good", "gains 2 goods", "says 2 good, but the rules say 1"),
        ("recruiting", "any 2 goods", "any 3 goods", "says 3, which does not appear in the rules of"),
        ("recruiting", "2 goods", "2 VP", "mentions VP, but the rules of Recruit Soldiers do not"),
        ("kings-favor", "good", "soldier", "mentions soldier, but the rules of The King's Favor do not"),
    ):
        with subtests.test(place=place):
            (title,) = find_drifts_after_edit(place, old, new)
            assert said in title


def test_ambiguous_passage_is_not_reported(subtests: pytest.Subtests) -> None:
    """Ambiguous are numbers in words, members of a group, and chapters about no single rule."""
    for place, old, new in (
        ("recruiting", "2 goods", "two goods"),
        ("recruiting", "any 2 goods", "any 2 goods (gold, wood or stone)"),
        ("constructing", "building token", "marker"),
        ("setup", "face down", "face down, 40 of them"),
        ("always", "the -1 of the Farms", "the -7 of the Farms"),
    ):
        with subtests.test(new=new):
            assert find_drifts_after_edit(place, old, new) == []


def test_passage_about_a_kind_is_compared_with_its_things() -> None:
    passage = replace(load_kingsburg()[0][0].manifest.book[0], place="advisor")
    assert find_passage_drifts(replace(passage, text="The Wizard gives 4 gold, the King 1 soldier.")) == []
    assert find_passage_drifts(replace(passage, text="The Wizard gives 40 gold.")) != []


def test_contradicting_passage_is_reported_at_its_place_in_the_manifest() -> None:
    modules, _ = load_kingsburg()
    manifest = modules[0].manifest
    wrong = tuple(replace(one, text="Gain 9 VP.") if one.place == "recruiting" else one for one in manifest.book)
    changed = (replace(modules[0], manifest=replace(manifest, book=wrong)), *modules[1:])
    (diagnostic,) = (one for one in analyze(changed).diagnostics if one.code == "E0583")
    assert (
        diagnostic.severity == "warning" and diagnostic.span.file.endswith("module.yaml") and diagnostic.span.line > 1
    )
