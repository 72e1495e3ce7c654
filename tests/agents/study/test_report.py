"""Pages of `study` and `compare`: they say what was measured, no more, and everybody can read them."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from edict.agents.study.bot_games import GameRange, GameSetup, play_range
from edict.agents.study.charts import (
    Axis,
    Mark,
    build_dot_chart,
    build_histogram,
    choose_precision,
    choose_ticks,
    format_frequency,
    format_interval,
    format_labels,
)
from edict.agents.study.comparison import Comparison
from edict.agents.study.comparison_summary import comparison_data
from edict.agents.study.option_groups import select_groups
from edict.agents.study.reports import describe_ties, render_comparison, render_study
from edict.agents.study.summary import summarize_study
from edict.agents.study.totals import sum_games
from edict.apps.cli.commands.study import format_headline, format_with_interval, option_rows
from edict.compiler.pipeline.compile import compile_rules
from edict.compiler.sources.file_schemas import load_schema
from edict.support.processes.distribution import start_inline


def setup(goal: int = 100) -> GameSetup:
    return GameSetup(compile_rules("pig").unwrap(), ("random",) * 2, (("goal", goal),), 1)


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    return summarize_study(setup(), sum_games(setup(), play_range(setup(), GameRange(0, 200))), 200)


@pytest.fixture(scope="module")
def compared() -> dict[str, Any]:
    both = Comparison(setup(), setup(60), 400)
    both.run(start_inline, lambda done: None)
    return comparison_data(both, ("base", "goal=60"))


# --- numbers


def test_difference_is_shown_with_sign_interval_and_enough_digits(
    compared: dict[str, Any], subtests: pytest.Subtests
) -> None:
    assert format_interval(0.57, -0.18, 0.95) == "+0.57 (−0.18 to +0.95)"
    assert [choose_precision(values) for values in ([0.5, -0.2], [0.0], [-0.02, -0.004], [0.0001], [1e-9])] == [
        2,
        2,
        3,
        4,
        4,
    ]
    assert [format_frequency(often) for often in (0.0, 0.25, 0.002, 0.0003)] == ["0.00", "0.25", "0.002", "0.0003"]
    answer = compared["main"][0]
    for (value, low, high), values, shown in (
        ((0.57, 0.18, 0.95), [43.36, 43.93], "+0.57 (+0.18 to +0.95)"),
        ((-0.02, -0.04, -0.002), [0.92, 0.9], "−0.020 (−0.040 to −0.002)"),
    ):
        with subtests.test(shown=shown):
            changed = {**answer, "difference": {"value": value, "low": low, "high": high}, "values": values}
            page = render_comparison({**compared, "main": [changed, *compared["main"][1:]]})
            assert shown in page and "change (interval)" in page and "before → after" in page
            assert value < 0 or "43.36 → 43.93" in page and "43.36 to 43.93" not in page


def test_axis_labels_equal_their_positions() -> None:
    random = Random(1)
    assert format_labels([22.5, 25.0, 27.5], unit=" %") == ["22.5 %", "25.0 %", "27.5 %"]
    assert format_labels([-5.0, 0.0, 5.0], sign=True) == ["−5", "0", "+5"]
    for _ in range(500):
        low = random.uniform(-50, 50)
        at = choose_ticks(low, low + 10 ** random.uniform(-3, 4))
        read = [float(text.replace("−", "-")) for text in format_labels(at, sign=random.random() < 0.5)]
        assert read == pytest.approx(at, abs=1e-9) and len(at) >= 2


def test_axis_has_round_numbers(subtests: pytest.Subtests) -> None:
    for low, high, most, whole, at in (
        (0, 10, 5, False, [0, 2, 4, 6, 8, 10]),
        (0, 10, 4, False, [0, 2.5, 5, 7.5, 10]),
        (0, 10, 4, True, [0, 5, 10]),
        (0, 1, 10, False, [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]),
        (-1, 1, 2, False, [-1, 0, 1]),
        (0.5, 9.5, 9, True, [1, 2, 3, 4, 5, 6, 7, 8, 9]),
        (3, 3, 5, False, [3]),
    ):
        with subtests.test(low=low, high=high, most=most, whole=whole):
            assert choose_ticks(low, high, most, whole) == pytest.approx(at)


def test_axis_of_whole_numbers_has_no_fractions(subtests: pytest.Subtests) -> None:
    for low, high in ((0, 1), (3, 25), (10, 100), (0, 7)):
        with subtests.test(low=low):
            at = choose_ticks(low, high, 8, whole=True)
            assert all(value == int(value) for value in at) and len(set(format_labels(at))) == len(at)
    chart = build_histogram([("all", {1: 0.5, 2: 0.5}, 1)], "few", "score")
    assert chart is not None and re.findall(r">([\d.]+)</text>", chart.large) == ["1", "2"]


def test_single_game_has_no_intervals_and_one_sided_options_no_effect(subtests: pytest.Subtests) -> None:
    data = summarize_study(setup(), sum_games(setup(), play_range(setup(), GameRange(0, 1))), 1)
    Draft202012Validator(load_schema("study")).validate(data)
    assert data["winning_score"]["mean"]["low"] is data["winning_score"]["mean"]["high"] is None
    assert format_with_interval(data["winning_score"]["mean"]) == f"{data['winning_score']['mean']['value']:.1f}"
    assert 'class="interval' not in render_study(data).split("Where the points come from")[1]
    options = [o for kind in ("chosen", "held") for group in data[kind] for o in group["options"]]
    empty = [o for o in options if not (o["with"]["of"] and o["without"]["of"])]
    assert empty and all(o["lift"] is None and o["effect"] is None for o in empty)
    for option in options:
        for side in (option["with"], option["without"], *option["times"].values()):
            with subtests.test(side=side):
                assert (side["score"] is None) == (side["of"] == 0)


def test_page_explains_shared_victories(found: dict[str, Any]) -> None:
    tied = {**found, "shared": 3}
    assert describe_ties(tied) == "1.5 % of games were ties; a tied win counts as a fraction for each winner."
    assert describe_ties(tied) in render_study(tied)
    assert describe_ties({**found, "shared": 0}) == ""


def test_headline_lists_modules_without_the_game_itself(found: dict[str, Any]) -> None:
    game = {**found["game"], "name": "fire-brigade", "title": "Fire Brigade", "modules": ["brigade", "night-shift"]}
    assert format_headline({**found, "game": game}).startswith("Fire Brigade with night-shift: ")
    assert format_headline({**found, "game": {**game, "modules": ["brigade"]}}).startswith("Fire Brigade: ")


def test_page_states_how_many_comparisons_it_makes(found: dict[str, Any], subtests: pytest.Subtests) -> None:
    for made, significant, said in (
        (
            140,
            12,
            "140 comparisons: 12 of them are significant (*), with a risk of 5 % that any of these is",
        ),
        (140, 0, "on its own; about 7 may exclude 0 by chance"),
        (3, 1, "3 comparisons: 1 of them is significant"),
        (3, 0, "3 comparisons: none of them are significant"),
        (2, 0, "on its own; one or more may exclude 0 by chance"),
    ):
        comparisons = {"made": made, "significant": significant, "method": "Holm", "alarm": 0.05}
        with subtests.test(made=made, significant=significant):
            assert said in " ".join(render_study({**found, "comparisons": comparisons}).split())
    assert "comparisons:" not in render_study({**found, "comparisons": {**comparisons, "made": 1}})


def test_thing_that_is_chosen_and_held_has_a_single_row(found: dict[str, Any]) -> None:
    option = {**never(found)["options"][1], "lift": {"value": 0.1, "low": 0.0, "high": 0.2}}
    dealt = {**option, "option": "Dealt"}
    chosen = {"title": "Which card?", "of": "card", "options": [option] * 3}
    held = {"title": "cards", "of": "card", "options": [{**option, "often": 0.4}, dealt]}
    data = {**found, "chosen": [chosen], "held": [held]}
    groups = select_groups(data)
    assert [(group["title"], [row["option"] for row in group["options"]]) for group in groups] == [
        ("Which card?", ["Always"] * 3),
        ("Held at the end: cards", ["Dealt"]),
    ]
    assert groups[0]["options"][0]["held"] == 0.4
    assert re.findall(r'aria-label="([^"]*): difference in win share"', render_study(data)) == [
        "Which card?",
        "Held at the end: cards",
    ]
    twice = {**data, "held": [held, {**held, "title": "discards"}]}
    assert [len(group["options"]) for group in select_groups(twice)] == [3, 2, 2], "two places are two facts"


def test_histogram_limits_its_columns(subtests: pytest.Subtests) -> None:
    for values, columns in ((1, 1), (60, 60), (61, 31), (120, 60), (121, 41)):
        with subtests.test(values=values):
            chart = build_histogram([("all", dict.fromkeys(range(values), 1 / values), 0)], "scores", "score")
            assert chart is not None and len(chart.table) == columns


# --- what nobody did


def never(found: dict[str, Any]) -> dict[str, Any]:
    """An option that nobody took, and one that all did, as findings have them of the numbers of Pig."""
    nothing = {"of": 0, "win_share": None, "score": None}
    everything = {
        "of": 10,
        "win_share": {"value": 0.5, "low": 0.2, "high": 0.8},
        "score": {"value": 5.0, "low": 4.0, "high": 6.0},
    }
    common = {"offered": 1.0, "by_seat": [], "by_round": [], "lift": None, "effect": None, "times": {}}
    options = [
        {"option": "Never", "often": 0.0, "taken": 0.0, "with": nothing, "without": everything, **common},
        {"option": "Always", "often": 1.0, "taken": 1.0, "with": everything, "without": nothing, **common},
    ]
    return {"title": "Which?", "of": "thing", "options": options}


def test_option_that_nobody_took_has_no_share(found: dict[str, Any]) -> None:
    group = never(found)
    assert option_rows(group) == [
        ["Never", "0.00", "0 %", "", "–", "50.0 %", "–", ""],
        ["Always", "1.00", "100 %", "", "50.0 % (20.0 to 80.0)", "–", "–", ""],
    ]
    assert render_study({**found, "held": [group]}).count("Never") == 0, "nothing can be drawn of it"


# --- for everybody


@pytest.fixture(params=["study", "comparison"])
def page(request: pytest.FixtureRequest, found: dict[str, Any], compared: dict[str, Any]) -> str:
    pages: dict[str, Callable[[], str]] = {
        "study": lambda: render_study(found),
        "comparison": lambda: render_comparison(compared),
    }
    return pages[request.param]()


def test_every_chart_has_a_unique_label_and_a_table(page: str, subtests: pytest.Subtests) -> None:
    figures = re.findall(r"<figure.*?</figure>", page, re.DOTALL)
    names = [match for figure in figures for match in re.findall(r'role="img" aria-label="([^"]+)"', figure)]
    assert len(figures) >= 3 and len(names) == len(set(names)) == len(figures)
    for figure, name in zip(figures, names, strict=True):
        with subtests.test(name=name):
            table = figure[figure.index("<details>") :]
            assert f"<caption>{name}</caption>" in table
            rows, drawn = table.count("<tr>") - 1, figure.count('<div class="row">')
            assert rows == drawn or "large" in figure and rows >= 1


def test_page_is_self_contained_and_readable_on_phones_in_dark_mode_and_print(
    page: str, subtests: pytest.Subtests
) -> None:
    """What has a `viewBox` shrinks with the page, letters and all: 13 pixels would be 5 on a phone."""
    for outside in ("<script", "<link", "src=", "url(", "@import", "//"):
        with subtests.test(outside=outside):
            assert outside not in page.replace("<!doctype html>", "")
    assert page.count("<svg") >= 3
    assert "viewBox" not in page and "max-width: 700px" in page
    style = page[page.index("<style>") : page.index("</style>")]
    dark, paper = style.index("prefers-color-scheme: dark"), style.index("@media print")
    names = set(re.findall(r"var\((--[a-z]+)", style)) - {"--shade"}
    for start in (style.index(":root"), dark, paper):
        with subtests.test(start=start):
            block = style[start : style.index("}", style.index("{", start))]
            assert names <= set(re.findall(r"(--[a-z]+):", block))
    assert re.search(r"h1, h2, h3[^{]*\{ break-after: avoid", style[paper:])


def test_titles_are_escaped_in_pages_and_charts(found: dict[str, Any]) -> None:
    chart = build_dot_chart([Mark("<b>&", 1, 0, 2, "<i>")], "<u>", Axis("<s>", unit="<a>"))
    assert chart is not None and "<a>" not in chart.axis
    seats = [{**found["seats"][0], "bot": "<b>&"}, *found["seats"][1:]]
    page = render_study({**found, "seats": seats, "game": {**found["game"], "title": "<script>"}})
    assert "<script>" not in page and "<b>&" not in page and "Seat 2, random" in page


def test_announcements_have_a_column_per_round_unless_very_rare(
    found: dict[str, Any],
    subtests: pytest.Subtests,
) -> None:
    length = found["length"]
    for round_, rounds, longest, head in (
        ("Year", 3, 3, ["", "Year 1", "Year 2", "Year 3"]),
        ("Year", 3, 4, ["", "Year 1", "Year 2", "Year 3 on"]),
        ("", 1, 1, ["", "in all"]),
    ):
        with subtests.test(round_=round_):
            lines = [{"words": "Somebody wins", "label": "Somebody wins", "by_round": [0.5] * rounds, "amounts": None}]
            counted = {**length, "rounds": {**length["rounds"], "counts": {str(longest): 200}}}
            page = render_study({**found, "announced": lines, "round": round_, "length": counted})
            heads = [re.findall(r"<th[^>]*>([^<]*)</th>", one) for one in re.findall(r"(?s)<thead>.*?</thead>", page)]
            assert [one for one in heads if one[-1] == head[-1]] == [head]
    for often, shown in ((0.004, False), (0.005, True), (0.5, True)):
        with subtests.test(often=often):
            lines = [{"words": "Somebody wins", "label": "Somebody wins", "by_round": [0.0, often], "amounts": None}]
            assert ("Somebody wins" in render_study({**found, "announced": lines})) is shown
