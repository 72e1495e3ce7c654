"""Helpers for tests of commands that describe rules: a variant, and shipped rules read once."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from edict.prose.rulebook.annotated_rules import AnnotatedRules, read_annotated_rules

Done = subprocess.CompletedProcess[str]
Call = Callable[..., Done]

MANIFEST = (
    "name: {name}\ntitle: {title}\nversion: 1.0.0\nkind: module\nlanguage: 1\nsummary: {summary}\n"
    "requires: [kingsburg]\n"
)
VARIANT = """\
# A bit of everything that a module can do.
rewrite advisor jester "Minstrel"
  rank 1
  reward
    gain 1 point
    may spend 1 gold
      gain 1 point

amend advisor squire
  reward gain 1 gold or 1 stone

row H "H"
  place 8

building windmill "Wind & <mill>"
  row H
  column 1
  cost 1 wood, 1 stone
  worth 1
  origin original
  when start of season
    may gain 1 wood
  adjust strength by 1 if orcs is in attackers

remove enemy demons-5-8
call winter "The long night"
amend setting years is 4 from 1 to 9
amend keep year "year" as number from 0 to 9, quiet

adjust dice-rolled by 1 if year = 1

when start of summer
  each player
    if owned of you is empty
      gain 1 gold

exception crowded "A crowded court" to influence.one-guest if rank of whom <= 3 and count of everyone = 5
  allow

amend phase kings-reward "The King's Reward"
  each player in (players with most count of owned of it)
    gain 2 point
"""
EVERYTHING = (
    "governors",
    "destiny",
    "alternate-rows",
    "more-buildings",
    "soldier-tokens",
    "advisor-tiles",
    "goblin-valley",
    "first-edition",
)


@cache
def load_annotated(game: str = "kingsburg", *modules: str) -> AnnotatedRules:
    """Return shipped rules, read once for all tests."""
    return read_annotated_rules(game, modules).unwrap()


def write_module(folder: Path, text: str, title: str = "My variant", summary: str = "Tries things.") -> Path:
    """Write a module with one file, `court.edict`."""
    folder.mkdir()
    manifest = MANIFEST.format(name=folder.name, title=title, summary=summary)
    (folder / "module.yaml").write_text(manifest, encoding="utf-8")
    (folder / "court.edict").write_text(text, encoding="utf-8")
    return folder


def list_shipped_rules() -> list[Any]:
    """Return shipped rules as pytest parameters of game and modules."""
    wanted = [
        ("kingsburg", ()),
        ("kingsburg", EVERYTHING),
        ("kuhn-poker", ()),
        ("pig", ()),
        ("kingsburg", ("long-winter",)),
        ("kingsburg", ("summer-tournament",)),
        ("kingsburg", ("settlements-and-deals",)),
    ]
    return [pytest.param((one[0], *one[1]), id="+".join((one[0], *one[1]))) for one in wanted]
