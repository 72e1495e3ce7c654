"""How a game is drawn: looks are read strictly, kept with a game, and nothing hostile in them reaches a page."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random
from typing import Any
from xml.etree import ElementTree

import pytest

from calling import GAME, manifest, write
from edict.apps.web.page_templates import Pages
from edict.apps.web.table_pictures import Recent, picture
from edict.apps.web.template_helpers import MOST_SOURCES, OTHERS, Band, charts
from edict.apps.web.themes import Theme
from edict.compiler.pipeline.compile import check_rules
from edict.compiler.sources.appearance import Look, look_of
from edict.compiler.sources.module_set import gather
from edict.compiler.sources.packing import pack, unpack
from edict.game.table.rules import load_rules

LOOK = """\
light: {accent: "#7a2e1d"}
players: ["#ffffff", "#000000"]
dice: {}
icons:
  coin: {path: M2 2h20v20h-20z, light: "#aa8800"}
"""
HOSTILE = [
    'light: {accent: "red;} body{display:none}"',
    'light: {accent: "#7A2E1D"}',
    "light: {evil: '#000000'}",
    "icons: {coin: {path: 'M0 0\"/><script>alert(1)</script>'}}",
    "icons: {coin: {path: 'url(#a)'}}",
    "icons: {'coin\"><script>': {path: M0 0}}",
    "icons: {coin: {light: '#000000'}}",
    "icons: [coin]",
    "players: []",
    'players: ["#000000", "expression(1)"]',
    "panels: {coin: {as: iframe}}",
    "panels: {coin: {across: 100}}",
    f"icons: {{coin: {{path: {'M0 0' * 600}}}}}",
    "- a list",
    "dice: {coin: blue}",
    "script: x",
    "light: &a {}",
]


def folder_with(folder: Path, look: str) -> Path:
    write(folder / "sample", {"module.yaml": manifest("sample", "game"), "rules.edict": GAME, "look.yaml": look})
    return folder / "sample"


def drawing_of(name: str | Path, *modules: str) -> Theme:
    rules = load_rules(name, modules)
    return Theme(look_of(rules.sources), rules.program)


def test_what_a_look_names_and_nothing_is_called_is_told(tmp_path: Path) -> None:
    for look, line, remedy in (
        ("light: {}\nicons: {coyn: {path: M0 0}}\n", 2, "did you mean `coin`?"),
        ("icons: {zzz: {path: M0 0}}\n", 1, "write a name from the rules, or delete it"),
        ("pictures: {coin: {as: nothing}}\n", 1, "write the path of a drawing"),
    ):
        (found,) = check_rules(str(folder_with(tmp_path, look))).diagnostics
        assert (found.code, found.span.line, found.help) == ("E0165", line, remedy), look


def test_a_look_is_read_and_becomes_colours_and_signs(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, LOOK)
    assert not check_rules(str(folder)).diagnostics
    drawing = drawing_of(folder)
    css = drawing.css()
    assert "--accent: #7a2e1d;" in css and ".i-coin { color: #aa8800; }" in css
    assert ".seat-0 { --seat: #ffffff; --seat-ink: #16120c; }" in css
    assert ".seat-1 { --seat: #000000; --seat-ink: #ffffff; }" in css
    signs = drawing.signs("Gain 2 Coins, coin 3, not coinage")
    assert [(one.before, one.text, one.after, one.icon) for one in signs] == [
        ("", "Gain ", "", ""),
        ("2 ", "Coins", "", "coin"),
        ("", ", ", "", ""),
        ("", "coin", " 3", "coin"),
        ("", ", not coinage", "", ""),
    ]
    assert "".join(one.text for one in drawing.signs("nothing to draw")) == "nothing to draw"


def test_what_could_harm_is_refused_by_check_and_left_out_where_it_is_drawn(tmp_path: Path) -> None:
    for look in HOSTILE:
        folder = folder_with(tmp_path, look + "\n")
        found = check_rules(str(folder)).diagnostics
        assert found, look
        assert {(one.severity, one.span.file) for one in found} == {("error", "sample/look.yaml")}, look
        assert drawing_of(folder).look == Look(), look


def test_what_is_drawn_as_something_else_needs_a_drawing(tmp_path: Path) -> None:
    for look, helps in (
        ("pictures: {coin: M0 0h9v9z}", []),
        ("pictures: {coin: M0 0h9v9z, gain: {as: coin}}", []),
        ("pictures: {coin: M0 0h9v9z, gain: {as: coins}}", ["did you mean `coin`?"]),
        ("pictures: {gain: {as: coin}}", ["write the path of a drawing"]),
    ):
        found = check_rules(str(folder_with(tmp_path, look + "\n"))).diagnostics
        assert [one.help for one in found if "nothing is drawn" in one.title] == helps, look


def test_a_look_changes_nothing_that_is_played_and_is_kept_with_a_game(tmp_path: Path) -> None:
    plain, drawn = load_rules(folder_with(tmp_path / "a", "")), load_rules(folder_with(tmp_path / "b", LOOK))
    assert plain.program == drawn.program
    unpacked = unpack(pack(gather(str(tmp_path / "b" / "sample")).unwrap())).unwrap()
    assert look_of(unpacked) == look_of(drawn.sources) != Look()


def test_a_module_is_drawn_over_its_game() -> None:
    base, snow = drawing_of("kingsburg").look, drawing_of("kingsburg", "long-winter").look
    assert base.light["paper"] != snow.light["paper"] and base.icons == snow.icons


def test_a_link_out_of_the_folder_is_no_look(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, "")
    (tmp_path / "secret").write_text("light: {}\n", encoding="utf-8")
    (folder / "look.yaml").unlink()
    (folder / "look.yaml").symlink_to(tmp_path / "secret")
    assert [one.code for one in check_rules(str(folder)).diagnostics] == ["E0153"]


SHIPPED = [("kingsburg", "governors", "destiny", "soldier-tokens"), ("pig",), ("kuhn-poker",)]


@pytest.mark.parametrize("names", SHIPPED, ids="-".join)
def test_every_panel_and_option_is_on_the_page(names: tuple[str, ...]) -> None:
    rules = load_rules(names[0], names[1:])
    game = rules.new_game(["<b>Ann</b>", "Ben"], seed=3)
    for _ in range(40):
        if len(game.ask.options) > 1:
            break
        game.answer(game.ask.options[0].key)
    view = picture(game, max(game.seat, 0), Recent())
    page = rendered(view, Theme(look_of(rules.sources), rules.program))
    assert "<b>Ann" not in page and "&lt;b&gt;Ann" in page
    assert " style=" not in page and not re.search(r"\son[a-z]+=", page)
    for option in view["question"]["options"]:
        assert f'value="{option["key"]}"' in page
    for panel in view["panels"]:
        assert (f'id="panel-{panel["name"]}"' in page) == bool(panel["rows"] or panel["grids"] or panel["above"])


@pytest.mark.parametrize(("name", "begins"), [("causeway", ["", "1", "2", "3", "4"]), ("sixty-four", [""] * 8)])
def test_rows_of_hexagons_begin_half_a_place_further_on(name: str, begins: list[str]) -> None:
    rules = load_rules(name)
    view = picture(rules.new_game(["Ann", "Ben"], seed=3), 0, Recent())
    page = rendered(view, Theme(look_of(rules.sources), rules.program))
    (sheet, *_) = re.findall(r'<table class="grid.*?</table>', page, re.DOTALL)
    rows = re.findall(r"<tr>.*?</tr>", sheet.partition("<tbody>")[2], re.DOTALL)
    shifts = [re.findall(r'<td class="shift" colspan="(\d+)">', row) for row in rows]
    assert ["".join(found) for found in shifts] == begins
    assert all(row.count('<td colspan="2">') == (5 if begins[-1] else 0) for row in rows)


def test_a_question_that_a_thing_asks_names_the_thing() -> None:
    rules, luck = load_rules("kingsburg"), Random(1)
    game, drawing = rules.new_game(["Ann", "Ben"], seed=1), Theme(look_of(rules.sources), rules.program)
    missing = {("Merchant", "Merchant: What do you gain?"), ("Influence an advisor", "Whom do you influence?")}
    asks = {said.rpartition(": ")[2] for _, said in missing}
    while missing:
        if game.ask.prompt in asks:
            view = picture(game, game.seat, Recent())
            said = re.search(r'<h2 id="asked"[^>]*>(.*?)</h2>', rendered(view, drawing))
            assert said is not None
            missing -= {(view["question"]["cause"]["rule"], re.sub("<[^>]+>", "", said[1]))}
        game.answer(luck.choice(game.ask.options).key)


TREES = """
resource coin "coin/coins"
kind tree "tree/trees"
  height number from 1 to 9 "height", shown
  cost amounts "costs", shown
tree oak "Oak"
  height 9
  cost 3 coin
tree elm "Elm"
  height 2
  cost 1 coin
keep line as order of player, quiet
game trees "Trees"
  players 2 to 2
  order line
  winners everyone
  score coin of you
  course
    each player
      choose a tree as what "Which tree?"
      lose height of what coin
"""


@pytest.mark.parametrize("panel", ["", 'display grove "Grove"\n  each tree\n  column "Height" height of tree\n'])
def test_what_is_printed_on_a_thing_stands_beside_it_where_it_can_be_chosen(tmp_path: Path, panel: str) -> None:
    """Nobody chooses blind, whether the trees are a list of buttons or lie on the board."""
    write(tmp_path / "trees", {"module.yaml": manifest("trees", "game"), "trees.edict": TREES + panel})
    rules = load_rules(str(tmp_path / "trees"))
    game = rules.new_game(["Ann", "Ben"], seed=3)
    page = rendered(picture(game, 0, Recent()), Theme(look_of(rules.sources), rules.program))
    assert "<small>height 9, costs 3 coins</small>" in page and "<small>height 2, costs 1 coin</small>" in page


class _Link:
    key = "key-of-a-seat"


def rendered(view: dict[str, Any], drawing: Theme) -> str:
    return "".join(Pages().table(drawing, Recent(), link=_Link(), view=view, version=1, answers=0, course=None).told())


def gained(*sources: tuple[int, int, str]) -> list[dict[str, Any]]:
    return [{"after": after, "amount": amount, "label": label} for after, amount, label in sources]


def test_points_are_piled_up_by_source_over_the_answers() -> None:
    ann = {"player": "Ann", "score": 3, "sources": gained((1, 2, "Inn"), (3, 3, "King"), (5, -2, "Battle"))}
    ben = {"player": "Ben", "score": 0, "sources": []}
    drawn = charts({"answers": 10, "players": [ann, ben]})
    assert drawn is not None
    assert dict(drawn.table) == {"Inn": (2, 0), "King": (3, 0), "Battle": (-2, 0)}
    inn, king, battle = sorted(drawn.players[0].bands, key=lambda band: ("Inn", "King", "Battle").index(band.label))
    zero, top = drawn.players[0].zero, drawn.players[0].top
    assert drawn.players[0].most == 5 and not drawn.players[1].bands
    assert min(heights(inn)) == top and max(heights(king)) == zero < max(heights(battle))


def heights(band: Band) -> list[float]:
    return [y for _, y in band.corners]


def test_what_players_and_rules_are_called_cannot_break_the_picture() -> None:
    ann = {"player": '<b>"Ann', "score": 3, "sources": gained((1, 2, "Inn & <i>"))}
    drawn = charts({"answers": 10, "players": [ann]})
    assert drawn is not None
    picture = ElementTree.fromstring(drawn.players[0].svg)
    assert picture.attrib["aria-label"].startswith('The points of <b>"Ann over')
    assert [title.text for title in picture.iter("title")] == ["Inn & <i>"]
    assert [text.text for text in picture.iter("text")] == ["2", "0"]


def test_sources_share_a_colour_only_when_there_are_more_of_them_than_colours() -> None:
    for number in (MOST_SOURCES, MOST_SOURCES + 1):
        each = gained(*((at, 5, f"source {at}") for at in range(1, number + 1)))
        drawn = charts({"answers": 20, "players": [{"player": "Ann", "score": 1, "sources": each}]})
        shared = number > MOST_SOURCES
        assert drawn is not None and len(drawn.sources) == MOST_SOURCES + shared
        assert (OTHERS in drawn.sources) == shared
    many = gained(*((number, 20 - number, f"source {number}") for number in range(1, 13)))
    drawn = charts({"answers": 20, "players": [{"player": "Ann", "score": 1, "sources": many}]})
    assert drawn is not None and drawn.sources[-1] == OTHERS
    assert sum(amount for _, (amount,) in drawn.table) == sum(one["amount"] for one in many)
    assert charts({"answers": 3, "players": [{"player": "Ann", "score": 0, "sources": []}]}) is None
