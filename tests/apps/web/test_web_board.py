"""What lies on the board: dice where they were placed, goods as pieces, what is printed on things field by field."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random
from typing import Any

import pytest
from starlette.testclient import TestClient

from calling import manifest, write
from edict.apps.web.page_templates import pages
from edict.apps.web.table_pictures import Recent, picture
from edict.apps.web.template_helpers import badge_of, fields_of, hand_of, paid_with
from edict.apps.web.themes import Theme
from edict.compiler.pipeline.compile import check_rules
from edict.compiler.sources.appearance import look_of
from edict.game.explanations.view_data import to_json_data
from edict.game.explanations.view_model import build_view_data
from edict.game.table.game import Game
from edict.game.table.rules import load_rules
from serving import Opened

LAIRS = """
die d6 "die/dice" with 6 sides
resource coin "coin/coins"
kind lair "lair/lairs"
  depth number from 1 to 9 "depth", shown
lair den "Den"
  depth 9
lair pit "Pit"
  depth 2
keep line as order of player, quiet
keep found of player as dice, quiet
keep laid of lair by player as dice, quiet
keep hoard of lair by player as dice, secret
keep asleep of lair as dice, quiet
display caves "Lairs"
  each lair
  column "Depth" depth of lair
display owners "Owners"
  each player
  column "Coin" coin of player
  column "Found" found of player
game lairs "Lairs"
  players 2 to 2
  order line
  winners everyone
  score coin of you
  course
    each player
      roll 1 d6 into found of you
      roll 2 d6 into laid of den by you
      roll 2 d6 into hoard of den by you
      roll 1 d6 into asleep of den
      gain 3 coin
      choose a lair as what "Which lair?"
      announce you, "goes to", what
"""


@pytest.fixture
def lairs(tmp_path: Path) -> tuple[Game, Theme]:
    look = "icons: {coin: {path: M2 2h20v20h-20z}}\npictures: {den: M2 2h20}\n"
    files = {"module.yaml": manifest("lairs", "game"), "lairs.edict": LAIRS, "look.yaml": look}
    write(tmp_path / "lairs", files)
    rules = load_rules(str(tmp_path / "lairs"))
    return rules.new_game(["Ann", "Ben"], seed=3), Theme(look_of(rules.sources), rules.program)


def rendered(game: Game, drawing: Theme, seat: int) -> str:
    view = picture(game, seat, Recent())
    return "".join(pages().table(drawing, Recent(), link=Link(), view=view, version=1, answers=0, course=None).told())


class Link:
    key = "key-of-a-seat"


def lying(game: Game, seat: int | None) -> list[dict[str, Any]]:
    panels = {panel["name"]: panel for panel in picture(game, seat, Recent())["panels"]}
    found: list[dict[str, Any]] = panels["caves"]["rows"][0]["lying"]
    return found


def test_dice_lie_on_the_thing_on_which_they_were_placed_under_whoever_placed_them(lairs: tuple[Game, Theme]) -> None:
    game, drawing = lairs
    game.answer(game.ask.options[0].key)
    assert [one["player"] for one in lying(game, None)] == ["Ann", "Ben", ""], "the last are of nobody"
    assert all(len(one["value"]) == 2 for one in lying(game, None))
    page = rendered(game, drawing, 1)
    assert 'class="seat-0" data-dice="caves-den-0"' in page and 'class="seat-1" data-dice="caves-den-1"' in page


def test_dice_that_a_seat_may_not_see_do_not_lie_on_the_board(lairs: tuple[Game, Theme]) -> None:
    game, _ = lairs
    secret, shown = game.program.variable_by_name["hoard"], game.view(1)
    assert shown.value(secret.name, 0, 0) is None
    assert [one["player"] for one in lying(game, 1)] == ["Ann", ""], "those laid openly, and no others"


def test_goods_are_pieces_and_a_number_that_is_printed_on_a_card_is_its_badge(lairs: tuple[Game, Theme]) -> None:
    game, drawing = lairs
    page = rendered(game, drawing, 0)
    held = page[page.index('data-goods="0-coin"') :]
    assert held[: held.index("</dd>")].count('href="#icon-coin"') == 3
    assert '<span class="badge"><span class="hidden">Depth </span>9</span>' not in page, "`depth 9` is not `9`"
    assert 'href="#picture-den"' in page


def test_what_is_printed_on_a_thing_stands_field_by_field_and_all_of_it_in_one_column_is_its_badge() -> None:
    for caption, fields in {
        "costs 3 gold, 1 stone, VP 5": ["costs 3 gold, 1 stone", "VP 5"],
        "7": ["7"],
        "2 gold, 2 wood": ["2 gold, 2 wood"],
        "costs 1 gold, guessed": ["costs 1 gold", "guessed"],
    }.items():
        assert fields_of(caption) == fields
    assert badge_of({"cells": ["nobody", "3"], "caption": "3"}) == 1
    assert badge_of({"cells": ["nobody", "3"], "caption": "costs 3 gold"}) is None
    assert badge_of({"cells": ["", "3"], "caption": ""}) is None


@pytest.mark.parametrize("drawn", ["{den: 'url(#a)'}", "{den: {path: M0 0}}", "{cave: M2 2h20}", "[den]"])
def test_a_picture_that_is_no_path_or_of_nothing_is_refused(tmp_path: Path, drawn: str) -> None:
    files = {"module.yaml": manifest("lairs", "game"), "lairs.edict": LAIRS, "look.yaml": f"pictures: {drawn}\n"}
    write(tmp_path / "lairs", files)
    wrong = [one for one in check_rules(str(tmp_path / "lairs")).diagnostics if one.severity == "error"]
    assert wrong and {one.span.file for one in wrong} == {"lairs/look.yaml"}


def test_an_option_says_with_which_dice_it_can_be_paid() -> None:
    def spends(*faces: int) -> dict[str, Any]:
        dice = [{"die": "d6", "face": face} for face in (2, 2, 4)]
        after = [die for die in dice if die["face"] not in faces]
        return {"changes": [{"sort": "dice", "loss": True, "before": dice, "after": after, "text": "-dice"}]}

    several = {"ways": [spends(4), spends(2)], "prospect": {"changes": []}}
    assert paid_with(several) == "d6:4|d6:2 d6:2"
    assert paid_with({"ways": [], "prospect": spends(4)}) == "d6:4"
    assert not paid_with({"ways": [], "prospect": None})
    assert [die["face"] for die in hand_of({"options": [several]})] == [2, 2, 4]
    assert not hand_of({"options": [{"ways": [], "prospect": None}]})


def test_only_a_number_of_what_is_printed_on_a_tile_stands_apart() -> None:
    """Not a note that follows it, as of what is known from a single source."""
    rules = load_rules("kingsburg", ("more-buildings",))
    game = rules.new_game(["Ann", "Ben"], seed=3)
    page = rendered(game, Theme(look_of(rules.sources), rules.program), 0)
    assert "single source</small>" in page and page.count('class="apart"') >= 40
    assert not re.search('class="apart">[^<]*single source', page)


def test_a_bag_says_how_many_of_each_thing_it_holds(client: TestClient) -> None:
    game, luck = load_rules("pedlars-road").new_game(["Ann", "Ben"], seed=7), Random(3)
    while not (held := bags(game)):
        game.answer(luck.choice(game.ask.options).key)
    table = Opened.resumed(client, game.journal.to_bytes())
    page = re.sub("<[^>]+>|\n", "", client.get(f"/seat/{table.seats[0]}").text)
    for piece in held:
        for title, many in zip(piece["titles"], piece["value"].values(), strict=True):
            assert f"{title}×{many}" in page if many > 1 else title in page


def bags(game: Game) -> list[dict[str, Any]]:
    """Those on the board as the first seat sees it that hold two of a thing."""
    rows = [row for panel in to_json_data(build_view_data(game, 0))["panels"] for row in panel["rows"]]
    pieces = [piece for row in rows for cell in row["pieces"] for piece in cell]
    return [one for one in pieces if one["shape"] == "bag" and max(one["value"].values(), default=0) > 1]
