"""The calendar of a game: each line that a rule may start with, its depth, its turn, and its words."""

from __future__ import annotations

import pytest

from edict.compiler.english.calendar import build_calendar, find_entries, to_data
from helpers import link_texts, make_phase

RULES = """\
kind hut "hut/huts"
  gift effect
hut mill "Mill"
  gift gain 1 stick
hut barn "Barn"
  gift
    gain 1 brick
    trigger built with you and barn
keep owned "huts" of player as set of hut
keep hidden "hidden huts" of player as set of hut, secret
keep fence "fence" as set of hut
moment built "after building" with player called builder and hut
moment storm "a storm"
routine rest "lie down"
  lose 1 coin
  do nap
routine nap
  nothing
routine idle "stand about"
  nothing
action claim "Claim"
  choose a hut as what "Which?"
  then
    add what to owned of you
phase dawn "Dawn/Dawns"
  each player
    do claim
    do gift of mill
  play dusk
phase dusk
  move mill from fence to owned of first of line
  remove barn from fence
  play dusk-end
phase dusk-end "The End"
  add mill to fence
  for left of first of line
    give 1 fame to first of line
phase never-played "Never"
  nothing
when end of dawn
  do rest
when start of dusk
  each player
    do rest
when joining owned
  gain 1 fame
when gaining fame
  trigger storm
when leaving fence
  nothing
when losing coin
  nothing
"""
TURNS = ("play dawn", "play dusk", "play never-played", "trigger storm", "add mill to hidden of you", "do idle")
# Depth, line, whether it comes in somebody's turn, whether in nobody's, and the description.
CALENDAR = [
    (0, "when start of trial-run", True, False, "start of trial run"),
    (1, "when start of dawn", True, False, "start of Dawn"),
    (2, "when storm", True, False, "a storm"),
    (2, "when gaining fame", True, False, "gaining fame, with player, amount"),
    (2, "when joining owned", True, False, "joining huts, with player, hut"),
    (2, "when gaining stick", True, False, "gaining stick, with player, amount"),
    (2, "when gaining brick", True, False, "gaining brick, with player, amount"),
    (2, "when built", True, False, "after building, with builder, hut"),
    (2, "when start of dusk", True, False, "start of dusk"),
    (3, "when start of rest", True, False, "start of lie down"),
    (3, "when losing coin", True, False, "losing coin, with player, amount"),
    (3, "when start of nap", True, False, "start of nap"),
    (3, "when end of nap", True, False, "end of nap"),
    (3, "when end of rest", True, False, "end of lie down"),
    (3, "when leaving fence", True, False, "leaving fence, with hut"),
    (3, "when start of dusk-end", True, False, "start of The End"),
    (4, "when joining fence", True, False, "joining fence, with hut"),
    (3, "when end of dusk-end", True, False, "end of The End"),
    (2, "when end of dusk", True, False, "end of dusk"),
    (1, "when end of dawn", True, False, "end of Dawn"),
    (1, "when start of never-played", True, False, "start of Never"),
    (1, "when end of never-played", True, False, "end of Never"),
    (1, "when start of idle", True, False, "start of stand about"),
    (1, "when end of idle", True, False, "end of stand about"),
    (0, "when end of trial-run", True, False, "end of trial run"),
]


def test_calendar_lists_all_events_in_order_with_their_parameters(subtests: pytest.Subtests) -> None:
    entries = build_calendar(link_texts(RULES + make_phase(*TURNS)))
    assert [(one.depth, one.line, one.turn, one.nobody, one.description) for one in entries] == CALENDAR
    assert {one.sort for one in entries} == {"moment"} and [one.display_title for one in entries[1:9]] == [
        "Dawn",
        "a storm",
        "fame",
        "huts",
        "stick",
        "brick",
        "after building",
        "dusk",
    ]
    assert to_data(entries[7]) == {
        "line": "when built",
        "name": "built",
        "edge": "",
        "title": "after building",
        "depth": 2,
        "values": {"builder": "player", "hut": "hut"},
        "turn": True,
        "nobody": False,
    }
    for words, lines in {
        "END dusk": ["when start of dusk-end", "when end of dusk-end", "when end of dusk"],
        "the END": ["when start of dusk-end", "when end of dusk-end"],
        "hut player": ["when joining owned", "when built"],
        "amount stick": ["when gaining stick"],
        "no such": [],
    }.items():
        with subtests.test(words=words):
            assert sorted(one.line for one in find_entries(entries, words)) == sorted(lines)
