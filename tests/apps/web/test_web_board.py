"""The board on the page: placed dice, goods as pieces, and the printed values of things."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random
from typing import Any

import pytest
from starlette.testclient import TestClient

from calling import make_manifest, write_files
from edict.apps.web.page_templates import get_pages
from edict.apps.web.table_pictures import RenderCache, build_picture
from edict.apps.web.template_helpers import (
    badge_of,
    build_contest,
    distinct_ways,
    fields_of,
    find_unsaid_fields,
    hand_of,
    left_to_pay,
    paid_with,
    pieces_to_pay,
    without_repetition,
)
from edict.apps.web.themes import Theme
from edict.compiler.pipeline.compile import check_rules
from edict.compiler.sources.appearance import combine_looks
from edict.game.explanations.view_data import to_json_data
from edict.game.explanations.view_model import build_view_data
from edict.game.table.game import Game
from edict.game.table.rules import load_rules
from serving import OpenedTable

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
    """A new game of the rules `LAIRS` and its theme."""
    look = "icons: {coin: {path: M2 2h20v20h-20z}}\npictures: {den: M2 2h20}\n"
    files = {"module.yaml": make_manifest("lairs", "game"), "lairs.edict": LAIRS, "look.yaml": look}
    write_files(tmp_path / "lairs", files)
    rules = load_rules(str(tmp_path / "lairs"))
    return rules.new_game(["Ann", "Ben"], seed=3), Theme(combine_looks(rules.sources), rules.program)


def render_page(game: Game, theme: Theme, seat: int) -> str:
    view = build_picture(game, seat, RenderCache())
    return "".join(
        get_pages()
        .render_table(theme, RenderCache(), link=FakeLink(), view=view, version=1, answers=0, course=None)
        .iter_html()
    )


class FakeLink:
    key = "key-of-a-seat"


def list_placed_dice(game: Game, seat: int | None) -> list[dict[str, Any]]:
    """Return the dice that a seat sees on the den."""
    panels = {panel["name"]: panel for panel in build_picture(game, seat, RenderCache())["panels"]}
    placed: list[dict[str, Any]] = panels["caves"]["rows"][0]["lying"]
    return placed


def test_placed_dice_are_shown_on_their_thing_with_their_player(lairs: tuple[Game, Theme]) -> None:
    game, theme = lairs
    game.answer(game.ask.options[0].key)
    assert [dice["player"] for dice in list_placed_dice(game, None)] == ["Ann", "Ben", ""], "the last are of nobody"
    assert all(len(dice["value"]) == 2 for dice in list_placed_dice(game, None))
    page = render_page(game, theme, 1)
    assert 'class="seat-0" data-dice="caves-den-0"' in page and 'class="seat-1" data-dice="caves-den-1"' in page


def test_hidden_dice_are_not_shown_on_the_board(lairs: tuple[Game, Theme]) -> None:
    game, _ = lairs
    secret, shown = game.program.variable_by_name["hoard"], game.view(1)
    assert shown.value(secret.name, 0, 0) is None
    assert [dice["player"] for dice in list_placed_dice(game, 1)] == ["Ann", ""], "those laid openly, and no others"


def test_goods_are_drawn_as_pieces_and_a_labelled_number_is_no_badge(lairs: tuple[Game, Theme]) -> None:
    game, theme = lairs
    page = render_page(game, theme, 0)
    goods_html = page[page.index('data-goods="0-coin"') :]
    assert goods_html[: goods_html.index("</dd>")].count('href="#icon-coin"') == 3
    assert '<span class="badge"><span class="hidden">Depth </span>9</span>' not in page, "`depth 9` is not `9`"
    assert 'href="#picture-den"' in page


def test_caption_is_split_into_fields_and_a_badge_needs_a_column_with_all_of_it(subtests: pytest.Subtests) -> None:
    for caption, fields in {
        "costs 3 gold, 1 stone, VP 5": ["costs 3 gold, 1 stone", "VP 5"],
        "7": ["7"],
        "2 gold, 2 wood": ["2 gold, 2 wood"],
        "costs 1 gold, guessed": ["costs 1 gold", "guessed"],
    }.items():
        with subtests.test(caption=caption):
            assert fields_of(caption) == fields
    assert badge_of({"cells": ["nobody", "3"], "caption": "3"}) == 1
    assert badge_of({"cells": ["nobody", "3"], "caption": "costs 3 gold"}) is None
    assert badge_of({"cells": ["", "3"], "caption": ""}) is None


@pytest.mark.parametrize("drawn", ["{den: 'url(#a)'}", "{den: {path: M0 0}}", "{cave: M2 2h20}", "[den]"])
def test_picture_without_a_valid_path_or_a_known_name_is_refused(tmp_path: Path, drawn: str) -> None:
    files = {"module.yaml": make_manifest("lairs", "game"), "lairs.edict": LAIRS, "look.yaml": f"pictures: {drawn}\n"}
    write_files(tmp_path / "lairs", files)
    errors = [
        diagnostic for diagnostic in check_rules(str(tmp_path / "lairs")).diagnostics if diagnostic.severity == "error"
    ]
    assert errors and {diagnostic.span.file for diagnostic in errors} == {"lairs/look.yaml"}


def test_option_lists_the_dice_that_can_pay_for_it() -> None:
    def make_payment(*faces: int) -> dict[str, Any]:
        dice = [{"die": "d6", "face": face} for face in (2, 2, 4)]
        after = [die for die in dice if die["face"] not in faces]
        return {"changes": [{"sort": "dice", "loss": True, "before": dice, "after": after, "text": "-dice"}]}

    several = {"ways": [make_payment(4), make_payment(2)], "prospect": {"changes": []}}
    assert paid_with(several) == "d6:4|d6:2 d6:2"
    assert paid_with({"ways": [], "prospect": make_payment(4)}) == "d6:4"
    assert not paid_with({"ways": [], "prospect": None})
    assert [die["face"] for die in hand_of({"options": [several]})] == [2, 2, 4]
    assert not hand_of({"options": [{"ways": [], "prospect": None}]})


def make_way(gains: str = "", **amounts: int) -> dict[str, Any]:
    """Return a way to pay amounts of resources, and the gain that it brings."""
    losses = [{"sort": "resource", "loss": True, "name": name, "amount": -n} for name, n in amounts.items()]
    costs = [f"{n} {name}" for name, n in amounts.items()]
    return {"costs": costs, "gains": [gains] if gains else [], "quantities": [], "ends": "", "changes": losses}


def test_same_payment_in_another_order_is_shown_once() -> None:
    ways = [make_way(wood=1, stone=1), make_way(stone=1, wood=1), make_way(wood=2)]
    assert distinct_ways({"ways": ways}) == [ways[0], ways[2]]


def test_payment_of_any_pieces_is_shown_as_their_number(subtests: pytest.Subtests) -> None:
    any_two = {"ways": [make_way("+1 hut", wood=2), make_way("+1 hut", wood=1, stone=1), make_way("+1 hut", stone=2)]}
    with subtests.test("any two"):
        assert pieces_to_pay(any_two) == (2, ["wood", "stone"])
    for name, ways in {
        "one way only": [make_way(wood=2)],
        "different numbers": [make_way(wood=2), make_way(stone=1)],
        "other things too": [make_way(wood=2), make_way(stone=2) | {"changes": [{"sort": "dice", "loss": True}]}],
        "one resource": [make_way("+1 hut", wood=2), make_way("+1 road", wood=2)],
    }.items():
        with subtests.test(name):
            assert pieces_to_pay({"ways": ways}) == (0, [])


def test_question_for_pieces_one_by_one_tells_how_many_are_left() -> None:
    wood = {"ways": [make_way(wood=2), make_way(wood=1, stone=1)], "prospect": make_way(wood=1)}
    stone = {"ways": [], "prospect": make_way(wood=1, stone=1)}
    question = {"domain": "thing", "options": [wood, stone]}
    assert left_to_pay(question) == 2
    assert not left_to_pay(question | {"options": [wood, {"ways": [], "prospect": make_way(wood=1)}]})
    assert not left_to_pay(question | {"options": [{"ways": [], "prospect": make_way("+1 hut", wood=2)}]})
    assert not left_to_pay(question | {"options": [{"ways": [], "prospect": None}]})


def test_option_says_each_cost_and_gain_once() -> None:
    option = {"text": "1 wood and 1 stone", "caption": "", "prospect": make_way("+1 stone", wood=1)}
    assert without_repetition(option)["prospect"] | {"changes": []} == make_way()
    hut = {
        "text": "Hut",
        "caption": "costs 2 wood, 1 stone, points 3",
        "prospect": make_way("+3 points", wood=2, stone=1),
    }
    shown = without_repetition(hut)
    assert (shown["caption"], shown["prospect"]) == ("", hut["prospect"])
    assert without_repetition(hut | {"caption": "small"})["caption"] == "small"


def test_thing_says_only_what_its_columns_do_not() -> None:
    row = {"caption": "opal, costs 2 rubies, 2 jades, points 1", "cells": ["opal", "2", "0", "2", "1"]}
    header = ["Makes", "Ruby", "Opal", "Jade", "Points"]
    assert find_unsaid_fields(row, header) == []
    assert find_unsaid_fields(row | {"cells": ["opal", "2", "0", "3", "1"]}, header) == ["costs 2 rubies, 2 jades"]
    assert find_unsaid_fields(row, [*header[:4], "Rank"]) == ["points 1"]


def test_way_that_brings_nothing_yet_is_named() -> None:
    rules = load_rules("embers")
    game = rules.new_game(["Ann", "Ben"], seed=7)
    page = render_page(game, Theme(combine_looks(rules.sources), rules.program), game.seat)
    assert re.findall(r'<span class="price"><span class="shift">([^<]*)</span></span>', page)[0] == "Throw again"


def test_recruiting_shows_each_payment_once() -> None:
    """A question with six ways to pay any two goods shows one."""
    rules = load_rules("kingsburg")
    game = rules.new_game(["Ann", "Ben"], seed=0)
    rng = Random(0)
    while not game.ask.prompt.startswith("How many soldiers") or len(game.ask.options) < 3:
        game.answer(rng.choice(game.ask.options).key)
    page = render_page(game, Theme(combine_looks(rules.sources), rules.program), game.seat)
    assert re.search(r'class="cost">2 × .*?<span class="or">or</span>', page)


def test_last_roll_lies_on_the_board_of_a_game_that_keeps_no_dice() -> None:
    game = load_rules("pig").new_game(["Ann", "Ben"], seed=3)
    rolled = build_picture(game, 0, RenderCache())["rolled"]
    assert [die["die"] for die in rolled] == ["d6"] and game.log[-1].text == f"Ann rolls {rolled[0]['face']}"
    kept = load_rules("kingsburg").new_game(["Ann", "Ben"], seed=3)
    assert build_picture(kept, 0, RenderCache())["rolled"] is None


def test_only_numbers_printed_on_a_tile_are_set_apart() -> None:
    """A note that follows a number, such as one about a single source, is not."""
    rules = load_rules("kingsburg", ("more-buildings",))
    game = rules.new_game(["Ann", "Ben"], seed=3)
    page = render_page(game, Theme(combine_looks(rules.sources), rules.program), 0)
    assert "single source</small>" in page and page.count('class="apart"') >= 40
    assert not re.search('class="apart">[^<]*single source', page)


def test_bag_shows_how_many_of_each_thing_it_holds(client: TestClient, subtests: pytest.Subtests) -> None:
    game, rng = load_rules("pedlars-road").new_game(["Ann", "Ben"], seed=7), Random(3)
    while not (full_bags := list_full_bags(game)):
        game.answer(rng.choice(game.ask.options).key)
    table = OpenedTable.open_from_journal(client, game.journal.to_bytes())
    page = re.sub("<[^>]+>|\n", "", client.get(f"/seat/{table.seats[0]}").text)
    for piece in full_bags:
        for title, count in zip(piece["titles"], piece["value"].values(), strict=True):
            with subtests.test(title=title):
                assert f"{title}×{count}" in page if count > 1 else title in page


def list_full_bags(game: Game) -> list[dict[str, Any]]:
    """Return the bags on the first seat's board that hold at least two of a thing."""
    rows = [row for panel in to_json_data(build_view_data(game, 0))["panels"] for row in panel["rows"]]
    pieces = [piece for row in rows for cell in row["pieces"] for piece in cell]
    return [one for one in pieces if one["shape"] == "bag" and max(one["value"].values(), default=0) > 1]


# --- moments to look at, as scenes -------------------------------------------------------------------


def build_look(last_line: str, strength: int | None) -> dict[str, Any]:
    term = {"player": "Ann", "quantity": "might", "cause": {"rule": "might"}}
    cells = [[{"shape": "number", "value": strength}], [{"shape": "truth", "value": True}]]
    rows = [{"player": "Ann", "pieces": cells}]
    panel = {"above": ["The foe: Wolves", last_line], "header": ["Strength", "Won"], "rows": rows}
    terms = [
        term | {"amount": 4},
        term | {"amount": 2},
        term | {"amount": -1},
        term | {"quantity": "luck", "amount": 9},
    ]
    return {"panel": panel, "changes": [], "terms": terms}


def test_scene_builds_a_number_of_its_terms_up_to_the_goal() -> None:
    scene = build_contest(build_look("Strength to beat: 7", 5))
    assert scene is not None and (scene.measure, scene.goal) == ("Strength", 7)
    (ann,) = scene.contestants
    assert ann.blocks == [0, 0, 0, 0, 1, -1, -1]  # what is taken away is not built up
    assert [term["amount"] for term in ann.terms] == [4, 2, -1]
    assert ann.outcomes == [("Won", True)]


def test_scene_without_a_goal_has_no_missing_blocks_and_one_with_a_secret_number_is_none() -> None:
    scene = build_contest(build_look("They come", 8))
    assert scene is not None and scene.goal is None
    assert scene.contestants[0].blocks == [0] * 8 and scene.contestants[0].terms == []  # no quantity comes to 8
    assert build_contest(build_look("They come", None)) is None


def test_battle_is_a_scene_with_the_enemy_and_the_dice_that_were_rolled() -> None:
    rules, rng = load_rules("kingsburg"), Random(3)
    game, theme = rules.new_game(["Ann", "Ben"], seed=7), Theme(combine_looks(rules.sources), rules.program)
    while not any(entry.kind == "look" for entry in game.log):
        game.answer(rng.choice(game.ask.options).key)
    picture = build_picture(game, 0, RenderCache())
    (line,) = [line for _, line in picture["looks"] if theme.is_scene(line["look"]["panel"])]
    (foe,) = [name for text in line["look"]["panel"]["above"] if (name := theme.pictured_in(text))]
    before = game.log[: next(number for number, entry in enumerate(game.log) if entry.kind == "look")]
    rolled = next(entry.words for entry in reversed(before) if entry.rolled and entry.kind == "luck")
    assert [die["face"] for die in line["rolled"]] == [int(rolled)]
    page = render_page(game, theme, 0)
    (scene,) = re.findall(r'<div class="scene">.*?</article>', page, re.DOTALL)
    assert f'href="#picture-{foe}"' in scene and scene.count('data-beat="stamp"') == 2
