"""Words of steps and conditions in one line and as outlines; the expected ones are in `step_words.yaml`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest
import yaml
from test_words import PLACES, RULES

from edict.compiler.english import OutlineLine, outline_block
from edict.compiler.english.ability_phrases import describe_works_if
from edict.compiler.english.block_phrases import describe_block
from edict.compiler.english.member_phrases import split_ranking
from edict.compiler.semantics.symbols import ResolvedBook
from edict.compiler.syntax import tree as t
from helpers import link_texts, make_phase

TOLD: dict[str, dict[str, str]] = yaml.safe_load(Path(__file__).with_name("step_words.yaml").read_text("utf-8"))
MORE = f"""{PLACES}
setting length "Rounds" is 5 from 1 to 9
setting tough "Tough: for those who know it" is off
setting short "years of play/years" is 3 from 1 to 4
moment rest-over "after all rest"
keep trail "trail" of hut as number
keep visits "visits" of hut by player as number
keep shine "shine" of player as number
keep battles "battles won" of player as number
keep ally "ally" of player as player or none
keep chosen "chosen hut" of player as hut or none
keep wet "wet" as truth
keep rainy "it is raining" as truth
keep tired "tired" of player as truth
keep fought "fought a battle" of player as truth
keep team "team" as set of player
keep crew "crew" of player as set of hut
keep fresh as set of hut
keep mark as number
quantity speed "speed" of player is 2
phase dawn "Dawn"
  set wet to yes
  set rainy to yes
  play long-night
phase long-night "The Long Night"
  each player
    set tired of you to yes
    set fought of you to yes
routine march "march _ steps" with number called far
  gain far coin
routine trade-with "trade with _" with player called partner and hut
  nothing
routine leave "_ leaves the court" with player called who
  nothing
routine fetch "fetch" with number called far and number called wide and number called high and number called deep
  gain far + wide + high + deep coin

keep plan "plan" of player as hut or none, secret
keep stage "ship" as ship or none
kind ship "ship/ships"
  deed effect, optional
  knots number
  fleet number
  near set of ship
  twofold is knots of ship * 2
  fast is knots of ship > 2
  mast "mast" is knots of ship * 3
ship rover "Rover"
  deed gain 1 coin
  knots 3
  fleet 1
  near rover
ship raft "Raft"
  knots 1
  fleet 2
  near raft
keep dock "dock" as bag of ship
keep voyage "voyage" as set of ship
"""


def describe_each(blocks: Iterable[str], describe_block_: Callable[[ResolvedBook, t.Block], str]) -> dict[str, str]:
    """Return the words of each block; they are read together, each in a phase of its own."""
    listed = [*blocks]
    phases = "".join(
        make_phase(*lines.split("\n")).replace("phase trial-run", f"phase line-{i}") for i, lines in enumerate(listed)
    )
    resolved = link_texts(RULES + MORE + phases).resolved
    return {
        lines: describe_block_(resolved, resolved.require_definition(f"line-{i}").block)
        for i, lines in enumerate(listed)
    }


def format_outline(resolved: ResolvedBook, block: t.Block) -> str:
    def iter_lines(some: Iterable[OutlineLine], depth: int = 0) -> Iterator[str]:
        for line in some:
            yield f"{'  ' * depth}{line.text}{line.about and f' -> {line.about}'}\n"
            yield from iter_lines(line.below, depth + 1)

    return "".join(iter_lines(outline_block(resolved, block)))


def test_steps_are_described_in_one_line() -> None:
    assert describe_each(TOLD["said"], describe_block) == TOLD["said"]


def test_steps_are_outlined_with_references_to_what_they_run() -> None:
    assert describe_each(TOLD["lines"], format_outline) == TOLD["lines"]


CARDS = """
keep yours-of "cards" of player as set of card
keep held "card in play" of player as card or none
keep current "card" as card or none
keep open-cards "open cards" as set of card
kind card "card/cards"
  rank number
  works if {}
card ace "Ace"
  rank 1
"""
COUNTING = {
    "card is in yours-of of you": "only your own cards count",
    "card is current": "only the current card counts",
    "card = held of you": "only your own card in play counts",
    "held of you is card": "only your own card in play counts",
    "card is in open-cards": "only the open cards count",
    "card is in yours-of of left of you": "only the cards of the player to your left count",
    "coin of you > 2": "what a card does counts only if you have more than 2 coins",
    "rank of card > 2": "what a card does counts only if the rank of the card is more than 2",
    "card is not current": "what a card does counts only if the card is not the current card",
}


def test_works_if_is_described(subtests: pytest.Subtests) -> None:
    for works_if, words in COUNTING.items():
        with subtests.test(works_if=works_if):
            resolved = link_texts(CARDS.format(works_if)).resolved
            assert describe_works_if(resolved, resolved.require_definition("card")) == words


WINNERS = {
    "everyone with most coin of it": ("", "the most coins", []),
    "players with fewest coin of it": ("", "the fewest coins", []),
    "(everyone where coin of it > 1) with most fame of it then fewest coin of it": (
        "everyone who has more than 1 coin",
        "the most fame",
        ["the fewest coins"],
    ),
    "(everyone - you) with most coin of it": ("everyone but you", "the most coins", []),
    "everyone": None,
    "players where coin of it > 1": None,
}


def test_ranking_of_winners_is_split_into_members_criterion_and_tie_breakers() -> None:
    resolved = link_texts(make_phase(*(f"let some-{at} = {winners}" for at, winners in enumerate(WINNERS)))).resolved
    block = resolved.require_definition("trial-run").block
    assert dict(zip(WINNERS, (split_ranking(resolved, step.value) for step in block), strict=True)) == WINNERS
