"""Themes of games (`look.yaml`): strict reading, saved games, drawing, and protection against hostile values."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random
from typing import Any
from xml.etree import ElementTree

import pytest

from calling import GAME, make_manifest, write_files
from edict.apps.web.page_templates import Pages
from edict.apps.web.table_pictures import RenderCache, build_picture
from edict.apps.web.template_helpers import MAX_SOURCES, OTHER_SOURCES, Band, charts, head_of
from edict.apps.web.themes import Theme
from edict.compiler.pipeline.compile import check_rules
from edict.compiler.sources.appearance import Appearance, combine_looks
from edict.compiler.sources.module_set import gather_modules
from edict.compiler.sources.packing import pack_modules, unpack_modules
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
    "pictures: {coin: [{outline: 'url(#a)'}]}",
    "pictures: {coin: [{'x\"/><script>': M0 0}]}",
    "pictures: {coin: [{outline: M0 0, ink: M0 0}]}",
    "pictures: {coin: [{part: '#icon-coin\"/><script>'}]}",
    "pictures: {coin: []}",
    "tints: {sky: {light: 'url(x)', dark: '#000000'}}",
    "parts: {sky: '<svg>'}",
    "panels: {coin: {behind: '#a'}}",
    "- a list",
    "dice: {coin: blue}",
    "script: x",
    "light: &a {}",
]


def write_game_with_look(folder: Path, look: str) -> Path:
    write_files(
        folder / "sample", {"module.yaml": make_manifest("sample", "game"), "rules.edict": GAME, "look.yaml": look}
    )
    return folder / "sample"


def load_theme(name: str | Path, *modules: str) -> Theme:
    rules = load_rules(name, modules)
    return Theme(combine_looks(rules.sources), rules.program)


def test_unknown_names_in_a_look_are_reported_with_suggestions(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for look, line, remedy in (
        ("light: {}\nicons: {coyn: {path: M0 0}}\n", 2, "did you mean `coin`?"),
        ("icons: {zzz: {path: M0 0}}\n", 1, "write a name from the rules, or delete it"),
        ("pictures: {coin: {as: nothing}}\n", 1, "write the path of a drawing"),
        ("pictures:\n  coin:\n  - ink: M0 0h9z\n  - smoke: M0 0h9z\n", 4, "declare it under `tints`"),
        ("pictures:\n  coin:\n  - part: rim\n", 3, "draw it under `parts`"),
        ("parts: {rim: [{ink: M0 0}]}\npictures:\n  coin:\n  - part: rimm\n", 4, "did you mean `rim`?"),
        ("pictures:\n  coin:\n  - ink: rim\n", 3, "write the path of a drawing, which begins with `M`"),
        ("parts:\n  rim:\n  - part: rim\n", 3, "declare it under `tints`"),
        ("panels: {coin: {behind: hills}}\n", 1, "draw it under `parts`"),
        ("parts: {hills: [{ink: M0 0}]}\nbackdrop: hill\n", 2, "did you mean `hills`?"),
        ("panels: {coin: {with: coyn}}\n", 1, "did you mean `coin`?"),
    ):
        with subtests.test(look=look):
            (diagnostic,) = check_rules(str(write_game_with_look(tmp_path, look))).diagnostics
            assert (diagnostic.code, diagnostic.span.line, diagnostic.help) == ("E0165", line, remedy)


def test_look_defines_colours_and_icons(tmp_path: Path) -> None:
    folder = write_game_with_look(tmp_path, LOOK)
    assert not check_rules(str(folder)).diagnostics
    theme = load_theme(folder)
    css = theme.render_css()
    assert "--accent: #7a2e1d;" in css and ".i-coin { color: #aa8800; }" in css
    assert ".seat-0 { --seat: #ffffff; --seat-ink: #16120c; }" in css
    assert ".seat-1 { --seat: #000000; --seat-ink: #ffffff; }" in css
    signs = theme.signs("Gain 2 Coins, coin 3, not coinage")
    assert [(sign.before, sign.text, sign.after, sign.icon) for sign in signs] == [
        ("", "Gain ", "", ""),
        ("2 ", "Coins", "", "coin"),
        ("", ", ", "", ""),
        ("", "coin", " 3", "coin"),
        ("", ", not coinage", "", ""),
    ]
    assert "".join(sign.text for sign in theme.signs("nothing to draw")) == "nothing to draw"


def test_hostile_look_is_reported_by_check_and_ignored_when_drawn(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for look in HOSTILE:
        with subtests.test(look=look):
            folder = write_game_with_look(tmp_path, look + "\n")
            diagnostics = check_rules(str(folder)).diagnostics
            assert diagnostics
            assert {(diagnostic.severity, diagnostic.span.file) for diagnostic in diagnostics} == {
                ("error", "sample/look.yaml")
            }, look
            assert load_theme(folder).look == Appearance()


def test_picture_drawn_as_another_needs_an_existing_drawing(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for look, helps in (
        ("pictures: {coin: M0 0h9v9z}", []),
        ("pictures: {coin: M0 0h9v9z, gain: {as: coin}}", []),
        ("pictures: {coin: M0 0h9v9z, gain: {as: coins}}", ["did you mean `coin`?"]),
        ("pictures: {gain: {as: coin}}", ["write the path of a drawing"]),
    ):
        with subtests.test(look=look):
            diagnostics = check_rules(str(write_game_with_look(tmp_path, look + "\n"))).diagnostics
            assert [diagnostic.help for diagnostic in diagnostics if "no drawing named" in diagnostic.title] == helps


LAYERS = """\
tints:
  brass: {light: "#aa8800", dark: "#665500"}
parts:
  rim:
  - outline: M4 4h40v40h-40z
  - ink: M9 9h1v1z
pictures:
  coin:
  - brass: M2 2h44v44h-44z
  - part: rim
  gain: M2 2h20
"""


def test_layers_of_a_drawing_are_filled_with_tints_and_refer_to_parts(tmp_path: Path) -> None:
    folder = write_game_with_look(tmp_path, LAYERS)
    assert not check_rules(str(folder)).diagnostics
    theme = load_theme(folder)
    drawn = {name: theme.render_drawing(drawing) for name, drawing in theme.drawings.items()}
    assert drawn == {
        "part-rim": '<path d="M4 4h40v40h-40z"/><path d="M9 9h1v1z" class="t-ink"/>',
        "picture-coin": '<path d="M2 2h44v44h-44z" class="t-brass"/><use href="#part-rim"/>',
        "picture-gain": '<path d="M2 2h20"/>',
    }
    assert (theme.is_tinted("coin"), theme.is_tinted("gain")) == (True, False)
    light, _, dark = theme.render_css().partition("@media (prefers-color-scheme: dark)")
    assert ".t-brass { fill: #aa8800; }" in light and ".t-brass { fill: #665500; }" in dark


def test_look_does_not_change_the_program_and_is_packed_with_the_rules(tmp_path: Path) -> None:
    plain, drawn = (
        load_rules(write_game_with_look(tmp_path / "a", "")),
        load_rules(write_game_with_look(tmp_path / "b", LOOK)),
    )
    assert plain.program == drawn.program
    unpacked = unpack_modules(pack_modules(gather_modules(str(tmp_path / "b" / "sample")).unwrap())).unwrap()
    assert combine_looks(unpacked) == combine_looks(drawn.sources) != Appearance()


def test_look_of_a_module_overrides_that_of_its_game() -> None:
    base, snow = load_theme("kingsburg").look, load_theme("kingsburg", "long-winter").look
    assert base.light["paper"] != snow.light["paper"] and base.icons == snow.icons


def test_look_linked_from_outside_the_folder_is_refused(tmp_path: Path) -> None:
    folder = write_game_with_look(tmp_path, "")
    (tmp_path / "secret").write_text("light: {}\n", encoding="utf-8")
    (folder / "look.yaml").unlink()
    (folder / "look.yaml").symlink_to(tmp_path / "secret")
    assert [diagnostic.code for diagnostic in check_rules(str(folder)).diagnostics] == ["E0153"]


def test_cards_are_things_that_may_be_secret_with_a_number_and_a_suit() -> None:
    winds, court, gems = load_theme("four-winds"), load_theme("foxes-at-court"), load_theme("gem-fair")
    assert winds.is_card("card") and not winds.is_card("suit") and not gems.is_card("workshop")
    assert (winds.index_of("Acorns 7"), winds.suit_of("acorns-7", "card")) == ("7", "acorns")
    assert court.is_card("role"), "its bag counts the cards"
    assert (court.index_of("Page"), court.suit_of("page", "role")) == ("", "page")
    assert load_theme("four-lanes").suit_of("card-16", "card") == "card", "the picture of its kind"


SHIPPED = [("kingsburg", "governors", "destiny", "soldier-tokens"), ("pig",), ("kuhn-poker",)]


@pytest.mark.parametrize("names", SHIPPED, ids="-".join)
def test_page_shows_every_panel_and_option(names: tuple[str, ...], subtests: pytest.Subtests) -> None:
    rules = load_rules(names[0], names[1:])
    game = rules.new_game(["<b>Ann</b>", "Ben"], seed=3)
    for _ in range(40):
        if len(game.ask.options) > 1:
            break
        game.answer(game.ask.options[0].key)
    view = build_picture(game, max(game.seat, 0), RenderCache())
    theme = Theme(combine_looks(rules.sources), rules.program)
    page = render_page(view, theme)
    assert "<b>Ann" not in page and "&lt;b&gt;Ann" in page
    assert " style=" not in page and not re.search(r"\son[a-z]+=", page)
    for option in view["question"]["options"]:
        with subtests.test(option=option):
            assert f'value="{option["key"]}"' in page
    for panel in view["panels"]:
        with subtests.test(panel=panel):
            holds_something = bool(panel["rows"] or panel["grids"] or panel["above"])
            look = theme.look.panels.get(panel["name"])
            assert (f'id="panel-{panel["name"]}"' in page) == (holds_something and not (look and look.joined))


@pytest.mark.parametrize(("name", "begins"), [("causeway", ["", "1", "2", "3", "4"]), ("sixty-four", [""] * 8)])
def test_hexagon_rows_are_shifted_by_half_a_cell_each(name: str, begins: list[str]) -> None:
    rules = load_rules(name)
    view = build_picture(rules.new_game(["Ann", "Ben"], seed=3), 0, RenderCache())
    page = render_page(view, Theme(combine_looks(rules.sources), rules.program))
    (grid, *_) = re.findall(r'<table class="grid.*?</table>', page, re.DOTALL)
    rows = re.findall(r"<tr>.*?</tr>", grid.partition("<tbody>")[2], re.DOTALL)
    shifts = [re.findall(r'<td class="shift" colspan="(\d+)">', row) for row in rows]
    assert ["".join(shift) for shift in shifts] == begins
    assert all(row.count('<td colspan="2">') == (5 if begins[-1] else 0) for row in rows)


def test_board_is_drawn_once_with_the_pieces_of_all_players() -> None:
    rules = load_rules("causeway")
    game = rules.new_game(["Ann", "Ben"], seed=3)
    for field in ("a1", "b2"):
        game.answer(next(option.key for option in game.ask.options if option.text == field))
    page = render_page(build_picture(game, 1, RenderCache()), Theme(combine_looks(rules.sources), rules.program))
    pieces = re.findall(r'id="cell:marsh:-1:([a-z0-9-]+)".*?(?=id="cell|</table>)', page, re.DOTALL)
    assert page.count('<table class="grid') == 1 and len(pieces) == 25
    owned = re.findall(r'class="piece (seat-\d)" title="built: (\w+)".*?#picture-field', page)
    assert owned == [("seat-0", "Ann"), ("seat-1", "Ben")]
    assert page.count('class="scenery"') == 1 and "#part-marsh" in page


def test_line_keeps_its_place_while_its_condition_fails() -> None:
    rules = load_rules("under-the-cups")
    game, theme = rules.new_game(["Ann", "Ben"], seed=3), Theme(combine_looks(rules.sources), rules.program)

    def find_lines() -> list[bool]:
        view = build_picture(game, 0, RenderCache())
        return [row is not None for _, row in theme.place_lines(view["panels"][0])]

    assert find_lines() == [False, True]  # `line "Bid:", ... if bidder is not none`
    for _ in ("how many dice", "of which number"):
        game.answer(game.ask.options[0].key)
    assert find_lines() == [True, True]


def test_places_are_named_by_what_the_rules_let_them_hold() -> None:
    panel, theme = {"name": "seats"}, load_theme("four-winds")
    assert [theme.holds(panel, column) for column in range(3)] == ["of-cards", "of-card", "of-number"]
    assert load_theme("gem-fair").holds(panel, 3) == "of-things"
    assert load_theme("under-the-cups").holds({"name": "cups"}, 1) == "of-dice"


def test_question_asked_by_a_thing_names_it() -> None:
    rules, rng = load_rules("kingsburg"), Random(1)
    game, theme = rules.new_game(["Ann", "Ben"], seed=1), Theme(combine_looks(rules.sources), rules.program)
    missing = {("Merchant", "Merchant: What do you gain?"), ("Influence an advisor", "Which advisor do you influence?")}
    prompts = {match.rpartition(": ")[2] for _, match in missing}
    while missing:
        if game.ask.prompt in prompts:
            view = build_picture(game, game.seat, RenderCache())
            match = re.search(r'<h2 id="asked"[^>]*>(.*?)</h2>', render_page(view, theme))
            assert match is not None
            asking = re.findall('<li id="pane:advisors:([^"]*)" class="pane[^"]* cause', render_page(view, theme))
            assert asking == (["merchant"] if view["question"]["cause"]["rule"] == "Merchant" else [])
            missing -= {(view["question"]["cause"]["rule"], re.sub("<[^>]+>", "", match[1]))}
        game.answer(rng.choice(game.ask.options).key)


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
def test_printed_values_of_a_thing_are_shown_where_it_can_be_chosen(tmp_path: Path, panel: str) -> None:
    """They are shown both in a list of buttons and on the board."""
    write_files(tmp_path / "trees", {"module.yaml": make_manifest("trees", "game"), "trees.edict": TREES + panel})
    rules = load_rules(str(tmp_path / "trees"))
    game = rules.new_game(["Ann", "Ben"], seed=3)
    page = render_page(build_picture(game, 0, RenderCache()), Theme(combine_looks(rules.sources), rules.program))
    assert "<small>height 9, costs 3 coins</small>" in page and "<small>height 2, costs 1 coin</small>" in page
    assert ("<small>costs 3 coins</small>" in page) == bool(panel), "the height is in a column"


def test_panel_is_drawn_in_the_one_that_its_look_names(tmp_path: Path) -> None:
    """Lines below its lines, and columns at the same things; a panel of other things stays by itself."""
    panels = """
display grove "Grove"
  each tree
  column "Height" height of tree
display prices "Prices"
  each tree if tree is oak
  column "Costs" height of tree
display weather
  line "Sun over", line
display season
  line "Spring for", line
display players-line
  each player
  column "Coins" coin of player
"""
    look = "panels: {prices: {with: grove}, season: {with: weather}, players-line: {with: grove}}\n"
    files = {"module.yaml": make_manifest("trees", "game"), "trees.edict": TREES + panels, "look.yaml": look}
    write_files(tmp_path / "trees", files)
    rules = load_rules(str(tmp_path / "trees"))
    view = build_picture(rules.new_game(["Ann", "Ben"], seed=3), 0, RenderCache())
    theme = Theme(combine_looks(rules.sources), rules.program)
    shown = theme.arrange(view["panels"])
    by_name = {panel["name"]: panel for panel in (*shown.board, *shown.side)}
    assert set(by_name) == {"grove", "weather", "players-line"}
    assert theme.holds(head_of(dict(by_name["grove"])), 1) == "of-number"
    assert len(theme.place_lines(by_name["weather"])) == 2
    assert by_name["grove"]["header"] == ["Height", "Costs"]
    assert [row["cells"] for row in by_name["grove"]["rows"]] == [["9", "9"], ["2", ""]]
    assert [row["cells"] for row in by_name["weather"]["rows"]] == [
        ["Sun over Ann and Ben"],
        ["Spring for Ann and Ben"],
    ]


class _Link:
    key = "key-of-a-seat"


def render_page(view: dict[str, Any], theme: Theme) -> str:
    return "".join(
        Pages()
        .render_table(theme, RenderCache(), link=_Link(), view=view, version=1, answers=0, course=None)
        .iter_html()
    )


def make_sources(*sources: tuple[int, int, str]) -> list[dict[str, Any]]:
    return [{"after": after, "amount": amount, "label": label} for after, amount, label in sources]


def test_score_chart_stacks_points_by_source_over_the_answers() -> None:
    ann = {"player": "Ann", "score": 3, "sources": make_sources((1, 2, "Inn"), (3, 3, "King"), (5, -2, "Battle"))}
    ben = {"player": "Ben", "score": 0, "sources": []}
    score_charts = charts({"answers": 10, "players": [ann, ben]})
    assert score_charts is not None
    assert dict(score_charts.table) == {"Inn": (2, 0), "King": (3, 0), "Battle": (-2, 0)}
    inn, king, battle = sorted(
        score_charts.players[0].bands, key=lambda band: ("Inn", "King", "Battle").index(band.label)
    )
    zero, top = score_charts.players[0].zero, score_charts.players[0].top
    assert score_charts.players[0].most == 5 and not score_charts.players[1].bands
    assert min(list_heights(inn)) == top and max(list_heights(king)) == zero < max(list_heights(battle))


def list_heights(band: Band) -> list[float]:
    return [y for _, y in band.corners]


def test_names_of_players_and_rules_are_escaped_in_the_chart() -> None:
    ann = {"player": '<b>"Ann', "score": 3, "sources": make_sources((1, 2, "Inn & <i>"))}
    score_charts = charts({"answers": 10, "players": [ann]})
    assert score_charts is not None
    picture = ElementTree.fromstring(score_charts.players[0].svg)
    assert picture.attrib["aria-label"].startswith('The points of <b>"Ann over')
    assert [title.text for title in picture.iter("title")] == ["Inn & <i>"]
    assert [text.text for text in picture.iter("text")] == ["2", "0"]


def test_sources_share_a_colour_only_if_there_are_more_sources_than_colours(subtests: pytest.Subtests) -> None:
    for number in (MAX_SOURCES, MAX_SOURCES + 1):
        with subtests.test(number=number):
            sources = make_sources(*((answer, 5, f"source {answer}") for answer in range(1, number + 1)))
            score_charts = charts({"answers": 20, "players": [{"player": "Ann", "score": 1, "sources": sources}]})
            shared = number > MAX_SOURCES
            assert score_charts is not None and len(score_charts.sources) == MAX_SOURCES + shared
            assert (OTHER_SOURCES in score_charts.sources) == shared
    many = make_sources(*((number, 20 - number, f"source {number}") for number in range(1, 13)))
    score_charts = charts({"answers": 20, "players": [{"player": "Ann", "score": 1, "sources": many}]})
    assert score_charts is not None and score_charts.sources[-1] == OTHER_SOURCES
    assert sum(amount for _, (amount,) in score_charts.table) == sum(source["amount"] for source in many)
    assert charts({"answers": 3, "players": [{"player": "Ann", "score": 0, "sources": []}]}) is None
