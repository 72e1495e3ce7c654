"""Words of shipped cards: those of the author, and those generated from the rules."""

from __future__ import annotations

import re

import pytest

from edict.compiler.english import describe_thing, outline_block
from edict.game.table.rules import load_rules
from edict.prose.rulebook.annotated_rules import AnnotatedRules
from edict.prose.rulebook.effects_index import EffectsIndex
from reading import load_annotated

MODULES = ("alternate-rows", "governors", "destiny", "advisor-tiles", "more-buildings")


@pytest.fixture(scope="module")
def known() -> AnnotatedRules:
    return load_annotated("kingsburg", *MODULES)


GOLDENS = {
    "merchant": "Gain 1 gold or 1 wood.",
    "swordsmith": "Gain 1 gold and 1 stone, or 1 stone and 1 wood.",
    "inventor": "Gain 1 gold, 1 wood and 1 stone.",
    "alchemist": "Spend 1 good of your choice to gain 1 of each other good.",
    "church": "+1 to battle strength if the attackers include Demons.",
    "cathedral": "At the end of the game, gain 1 VP for every 2 of your goods.",
    "crane": "-1 to the price in gold of each building whose column is at least 3.",
    "fortress": "+1 to battle strength. After a battle is won, if you are the victor, you may gain 1 VP.",
    "hidden-refuge": "+1 to battle strength. Do not lose VP.",
    "fountain": (
        "At the end of each productive season: you may spend 1 gold, then roll a die: on 4 or more gain 2 VP."
    ),
    "paladin-governor": (
        "At the end of the game, if you have more than 1 battle won, you may gain VP equal to 2 times your battles "
        "won minus 2."
    ),
    "chamberlain-governor": (
        "You may influence an advisor even if this advisor already has dice, provided that you "
        "have no visits to the advisor and you have not opened a door this year; then note that you have opened a "
        "door this year; gain 1 VP."
    ),
    "surveyor-governor": (
        "At the start of the King's Favor, stake out a row for this year, a different one from last year. After a "
        "building is constructed, if you are the builder and the row of the building is your row, once per "
        "year, you may gain 2 VP."
    ),
    "king-is-sick": (
        "If the advisor is King, this advisor is closed to you. At the end of each year, if the year is less than "
        "the number of years the game lasts: roll a die: if it shows less than the number of the year, the King dies "
        "and the game ends with this year."
    ),
    "stone-seam": (
        "At the start of each productive season: roll 1 player die; if the roll is at least 4, for each player: gain 1 "
        "stone."
    ),
    "crowded-court": (
        "You may influence an advisor even if this advisor already has dice, provided that the "
        "rank of the advisor is at most 4 and you have no visits to the advisor."
    ),
    "mint": "See Sawmill, Quarry and Goldsmith.",
    "general-tile": "Gain 2 gold, 2 wood or 2 stone.",
    "master-hunter-tile": (
        "Choose a reward (the first prey); receive the first prey's reward; choose one of rewards without the first "
        "prey (the second prey); receive the second prey's reward."
    ),
    "statue": (
        "After rolling, if all of your dice show the same number, you may choose one of your dice, then reroll it."
    ),
    "inn": "At the end of each summer, you may gain a +2 token.",
    "market": (
        "When you influence an advisor, you may raise or lower the total of the dice by 1, once per productive season."
    ),
}


def test_cards_are_described_from_their_rules(known: AnnotatedRules) -> None:
    said = {
        name: describe_thing(known.with_generated_text.resolved, known.resolved.require_definition(name))
        for name in GOLDENS
    }
    assert said == GOLDENS


def test_every_card_has_a_text_that_is_no_longer_than_its_generated_words(known: AnnotatedRules) -> None:
    """The author's text has to be shorter or a line at most."""
    for kind in ("building", "governor", "destiny"):
        assert [thing.name.word for thing in known.linked.things[kind] if thing.text is None] == []
    for name, definition in known.definitions.items():
        if getattr(definition, "text", None) is not None:
            told, made = (
                describe_thing(one.resolved, one.resolved.require_definition(name))
                for one in (known, known.with_generated_text)
            )
            assert len(told) <= max(80, 1.4 * len(made)), name


def test_text_of_an_amendment_replaces_the_whole_earlier_text() -> None:
    tokens = load_annotated("kingsburg", "more-buildings", "soldier-tokens")
    assert describe_thing(tokens.resolved, tokens.resolved.require_definition("military-academy")) == (
        "When soldier tokens have been played, roll a die and gain half as many soldiers, rounded up."
    )


def test_moments_below_a_text_keep_their_effects(known: AnnotatedRules) -> None:
    """The line of the text also refers to what runs below it."""
    first, *rest = EffectsIndex(known).expand_moments(
        outline_block(known.resolved, known.resolved.require_definition("influencing").block)
    )
    assert first.text.startswith("In turn order, each player influences") and first.about == "influence"
    assert "When a player passes: see Fair Days." in [line.text for line in rest]


def test_log_of_a_whole_game_has_causes_and_the_authors_words() -> None:
    game = load_rules("kingsburg").new_game(["Ann", "Ben", "Cleo"], seed=7)
    while not game.over:
        game.answer(game.count // 2)
    gains = [entry for entry in game.log if entry.kind == "gain"]
    assert len(gains) > 100 and all(entry.cause.title for entry in gains)
    told = [entry.text for entry in game.log]
    assert [text for text in told if re.search(r"'s \d+ soldiers? (is|are) dismissed", text)]
    assert [text for text in told if re.fullmatch(r"(Ann|Ben|Cleo) returns \d bonus (die|dice)", text)]
    assert not [text for text in told if re.search(r"loses \d+ (soldier|bonus)", text)]
    assert sum(text.startswith("This year's enemy: ") for text in told) == 5, "it is announced once"
    assert not [text for text in told if text.startswith(("Enemy", "The enemy is revealed"))]
