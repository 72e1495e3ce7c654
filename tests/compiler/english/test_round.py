"""The round of a game: its recurring phases in order, each with a description."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pytest

from edict.compiler.english.calendar import list_stages
from edict.compiler.pipeline.pipeline import analyze
from edict.runtime.program import Stage
from helpers import GAME, make_module

PHASES = """\
phase setup-phase "Setup"
  each player
    gain 1 coin
phase year "Year/Years"
  text "Four seasons go by."
  play spring
  if coin of first of line > 2
    play summer
  each player
    do work
  play winter
  each player
    gain 1 brick
phase spring "Spring"
  announce "It is spring"
  each player
    gain 2 coin
phase summer "Summer"
  each player
    may spend 1 coin
      gain 1 fame
phase harvest "Harvest"
  each player
    gain 1 stick
phase winter
  play frost
  play thaw
phase frost "Frost"
  each player
    lose 1 coin
phase thaw "Thaw"
  play frost
  text "All ice is gone."
  each player
    gain 1 brick
routine work
  play harvest
phase ending "The End"
  nothing
"""
# By course: each stage with its description, a `?` if it does not come every time, and its inner stages.
ROUNDS: dict[str, list[str]] = {
    "play setup-phase\nrepeat 3 times\n  play year\nplay ending": [
        "Spring: Each player: gain 2 coins.",
        "Summer?: Each player: you may spend 1 coin, then gain 1 fame.",
        "Harvest: Each player: gain 1 stick.",
        "Frost: Each player: lose 1 coin.",
        "Thaw: All ice is gone.",
        "  Frost: Each player: lose 1 coin.",
    ],
    "play setup-phase\nplay year\nplay ending": [
        "Setup: Each player: gain 1 coin.",
        "Year: ",
        "  Spring: Each player: gain 2 coins.",
        "  Summer?: Each player: you may spend 1 coin, then gain 1 fame.",
        "  Harvest: Each player: gain 1 stick.",
        "  Frost: Each player: lose 1 coin.",
        "  Thaw: All ice is gone.",
        "The End: Nothing.",
    ],
    "repeat 3 times\n  play spring\n  play summer\nplay ending\nplay setup-phase\nplay year": [
        "Spring: Each player: gain 2 coins.",
        "Summer: Each player: you may spend 1 coin, then gain 1 fame.",
    ],
    "play year": [
        "Spring: Each player: gain 2 coins.",
        "Summer?: Each player: you may spend 1 coin, then gain 1 fame.",
        "Harvest: Each player: gain 1 stick.",
        "Frost: Each player: lose 1 coin.",
        "Thaw: All ice is gone.",
        "  Frost: Each player: lose 1 coin.",
    ],
    "play spring": [],
    "repeat 2 times\n  if coin of first of line > 1\n    play spring\n  play ending": [
        "Spring?: Each player: gain 2 coins.",
        "The End: Nothing.",
    ],
}


def describe_stages(stages_: Iterable[Stage], depth: int = 0) -> Iterator[str]:
    for stage in stages_:
        yield f"{'  ' * depth}{stage.title}{'?' * stage.sometimes}: {stage.words}"
        yield from describe_stages(stage.within, depth + 1)


def test_round_lists_its_stages(subtests: pytest.Subtests) -> None:
    for course, round_ in ROUNDS.items():
        with subtests.test(course=course):
            lines = "".join(f"    {line}\n" for line in course.split("\n"))
            game = GAME.replace("    each player in (first of everyone)\n      play trial-run\n", lines)
            assert list(describe_stages(list_stages(analyze((make_module(game + PHASES),)).unwrap()))) == round_
