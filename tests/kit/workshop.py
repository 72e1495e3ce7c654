"""A small game and a module over it, for tests of the language service; `position_after` finds a position in a text."""

from __future__ import annotations

from pathlib import Path

import pytest

from calling import write_files
from edict.tools.language_service import diagnostics
from edict.tools.language_service.answer_types import TextPosition
from edict.tools.language_service.workspace import Workspace

MANIFEST = "name: {name}\ntitle: {title}\nversion: 1.0.0\nkind: {kind}\nlanguage: 1\n"
GAME = """\
# A fair with stalls.
resource coin "coin/coins"
resource cloth "cloth"
group good "good/goods" is coin, cloth
keep seats as order of player, quiet
keep owned "stalls" of player as set of stall
kind stall "stall/stalls"
  price number from 0 to 9 "price"
  cost amounts
  gift effect "gift"
  twin stall or none, optional
stall bakery "Bakery"
  price 2
  cost 1 coin
  gift gain 1 cloth
  when sold
    gain 1 coin
stall tavern "Tavern"
  price 3
  cost 1 cloth
  gift gain 2 coin
  twin bakery
moment sold "after a stall is sold" with player called seller and stall
quantity income "income" of player is count of owned of player, at least 0
adjust income by 1 if bakery is in owned of player
routine pay "pay for a stall" with player called buyer and number called fee
  gain fee coin
action visit "Visit a stall"
  choose a stall as goal where it is not in owned of you "Which stall?"
  rule free
    require coin of you >= price of goal
    because "it costs too much"
  then
    add goal to owned of you
    do gift of goal
exception lax to visit.free if bakery is in owned of you
  allow
phase market "Market"
  each player
    do visit
    trigger sold with you and bakery
    do pay with you and income of you
game fair "Fair"
  players 1 to 2
  order seats
  winners players with most coin of it
  score coin of you
  course
    play market
"""
MODULE = """\
stall smithy "Smithy"
  price 4
  cost 2 coin
  gift
    gain 1 coin
  when sold if stall = bakery
    gain 1 cloth
amend stall tavern
  price 5
"""
BESIDE = """\
amend stall smithy
  price 6
"""
SCENES = """\
scenes:
  - name: The smithy is a stall of coin
    start: phase market
    given: {Ann: {coin: 9, owned: [Bakery]}}
    play:
      - Ann: Smithy
"""


def write_fair(folder: Path) -> Path:
    """Write the game `write_fair`, the module `forge` over it, and `guild`, for which `forge` has a side file."""
    write_files(
        folder,
        {
            "fair/module.yaml": MANIFEST.format(name="fair", title="Fair", kind="game"),
            "fair/fair.edict": GAME,
            "forge/module.yaml": MANIFEST.format(name="forge", title="Forge", kind="module") + "requires: [fair]\n",
            "forge/forge.edict": MODULE,
            "forge/with/guild/more.edict": BESIDE,
            "forge/scenes/forge.yaml": SCENES,
            "guild/module.yaml": MANIFEST.format(name="guild", title="Guild", kind="module") + "requires: [fair]\n",
            "guild/guild.edict": "adjust income by 2 if count of owned of player > 1\n",
        },
    )
    return folder


def position_after(text: str, part: str, after: str = "") -> TextPosition:
    """Return the position behind a part of a text, the first one after the text `after`."""
    offset = text.index(part, text.index(after)) + len(part)
    return TextPosition(text.count("\n", 0, offset) + 1, offset - (text.rfind("\n", 0, offset) + 1) + 1)


def end_position(text: str) -> TextPosition:
    """Return the position at the end of a text."""
    lines = text.split("\n")
    return TextPosition(len(lines), len(lines[-1]) + 1)


# --- fixtures --------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_fair(tmp_path)


@pytest.fixture
def space(folder: Path) -> Workspace:
    return Workspace([folder])


@pytest.fixture
def forge(folder: Path) -> Path:
    return folder / "forge" / "forge.edict"


@pytest.fixture
def game(folder: Path) -> Path:
    return folder / "fair" / "fair.edict"


def problem_titles(space: Workspace, path: Path) -> list[str]:
    """Return the titles of the problems in the rules a file belongs to."""
    return [problem.message.split("\n")[0] for problem in diagnostics.list_problems(space, path)]
