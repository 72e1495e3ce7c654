"""Rendering of tables: cached parts and partial updates equal a complete rendering; the grouped log."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from jinja2 import PackageLoader

from edict.apps.web.page_elements import Element, RenderedTable
from edict.apps.web.page_templates import Pages, Parts, get_pages
from edict.apps.web.table_insights import explain_log_line
from edict.apps.web.table_pictures import VERSIONS_PER_GENERATION, RenderCache, build_picture
from edict.apps.web.themes import Theme
from edict.compiler.sources.appearance import combine_looks
from edict.game.table.rules import load_rules


class _Link:
    key = "key-of-a-seat"


KEPT_ELEMENT = re.compile(r'<template data-kept="([^"]+)"></template>')


def apply_update(update: str, page: dict[str, str]) -> str:
    """Return the page that a browser makes of an update, with the elements that stay taken from its page by id."""
    return KEPT_ELEMENT.sub(lambda match: page[match[1]], update)


def iter_elements(element: Element) -> Iterator[Element]:
    """Yield an element and all elements in it."""
    yield element
    for piece in element.pieces:
        if isinstance(piece, Element):
            yield from iter_elements(piece)


def map_elements_by_id(shown: RenderedTable) -> dict[str, str]:
    elements = [element for element in iter_elements(shown.element) if element.id]
    assert len({element.id for element in elements}) == len(elements)
    assert shown.element.all_digests == {element.digest for element in elements}
    return {element.id: "".join(element.iter_html()) for element in elements}


@pytest.mark.parametrize("names", [("kingsburg", "soldier-tokens"), ("kuhn-poker",), ("gem-fair",)], ids="-".join)
def test_cached_rendering_and_applied_updates_equal_a_complete_rendering(
    names: tuple[str, ...],
) -> None:
    rules, rng = load_rules(names[0], names[1:]), Random(4)
    theme, recent = Theme(combine_looks(rules.sources), rules.program), RenderCache()
    game = rules.new_game(["Ann", "Ben"], seed=9)
    before: dict[int | None, RenderedTable] = {}
    update_size = full_size = 0
    for number in range(30):
        if game.over:
            break
        if number % 11 == 10:
            game.undo()
        else:
            game.answer(rng.choice(game.ask.options).key)
        for seat in (0, 1, None) if number % 4 else (number // 4 % 2,):
            view = build_picture(game, seat, recent.switch_version(number))
            values = {"link": _Link(), "view": view, "version": number, "answers": number, "course": None}
            shown = RenderedTable(number, get_pages().render_table(theme, recent, **values))
            if number % 3 == 2:  # only sometimes, because it is slow
                uncached = values | {"view": build_picture(game, seat, RenderCache())}
                assert uncached == values
                assert (
                    RenderedTable(number, get_pages().render_table(theme, RenderCache(), **uncached)).to_html()
                    == shown.to_html()
                )
            if seat in before:
                changes = shown.to_html(before[seat])
                since = f' data-since="{before[seat].mark}"'
                assert apply_update(changes, map_elements_by_id(before[seat])).replace(since, "") == shown.to_html()
                update_size, full_size = update_size + len(changes), full_size + len(shown.to_html())
            before[seat] = shown
    assert 0 < update_size < full_size


def test_next_version_renders_only_the_parts_whose_values_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    rules, rendered = load_rules("kingsburg"), list[str]()
    theme, recent = Theme(combine_looks(rules.sources), rules.program), RenderCache()
    game = rules.new_game(["Ann", "Ben"], seed=9)
    render_section = Parts._render_section

    def record_section(part: Parts, name: str, values: tuple[Any, ...]) -> Element:
        rendered.append(name)
        return render_section(part, name, values)

    monkeypatch.setattr(Parts, "_render_section", record_section)
    waiting_seat = 1 - game.seat
    for version in (1, 2):
        rendered.clear()
        view = build_picture(game, waiting_seat, recent.switch_version(version))
        values = {"link": _Link(), "view": view, "version": version, "answers": version, "course": None}
        get_pages().render_table(theme, recent, **values)
    assert sorted(rendered) == ["to_replay", "tools", "waiting"], "the number of answers is in the link to the replay"


def test_player_may_be_named_like_a_method_of_dicts() -> None:
    rules = load_rules("pig")
    theme, game = Theme(combine_looks(rules.sources), rules.program), rules.new_game(["get", "items"], seed=1)
    values = {
        "link": _Link(),
        "view": build_picture(game, 0, RenderCache()),
        "version": 1,
        "answers": 0,
        "course": None,
    }
    html = RenderedTable(1, get_pages().render_table(theme, RenderCache(), **values)).to_html()
    assert '<span class="pawn seat-0">get</span>' in html and '<span class="pawn seat-1">items</span>' in html


def test_digest_differs_with_any_value_in_it(subtests: pytest.Subtests) -> None:
    def build_panel(word: str = "plain", row: int = 0) -> dict[str, Any]:
        rows = [{"key": number, "pieces": [[{"text": word if number == row else "plain"}]]} for number in range(3)]
        return {"name": "court", "rows": rows}

    recent, plain = RenderCache(), build_panel()
    assert recent.get_digest(plain) == recent.get_digest(build_panel())
    for number in range(3):
        with subtests.test(row=number):
            assert recent.get_digest(build_panel("other", number)) != recent.get_digest(plain)
            assert recent.get_digest([build_panel("other", number)]) != recent.get_digest([plain])


def test_cache_forgets_values_unused_for_a_generation_of_versions(subtests: pytest.Subtests) -> None:
    recent, calls = RenderCache(), list[str]()

    def make() -> str:
        calls.append("made")
        return "found"

    for generation in (1, 1, 2, 3):
        with subtests.test(generation=generation):
            assert recent.switch_version(generation * VERSIONS_PER_GENERATION).get_or_make("key", make) == "found"
    assert len(calls) == 1
    recent.switch_version(4 * VERSIONS_PER_GENERATION).get_or_make("another key", make)
    recent.switch_version(5 * VERSIONS_PER_GENERATION).get_or_make("key", make)
    assert len(calls) == 3


def test_templates_are_kept_when_their_files_are_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    pages = Pages()
    before = pages.render("problem.html", text="gone")
    changed = "of another release", None, lambda: False
    monkeypatch.setattr(PackageLoader, "get_source", lambda *_: changed)
    assert pages.render("problem.html", text="gone") == before
    assert "Nothing has happened" in pages.render("missed.html", lines=[])


def test_log_has_one_line_for_each_move_below_the_heading_of_its_phase() -> None:
    game, rng = load_rules("kingsburg").new_game(["Ann", "Ben"], seed=1), Random(1)
    for _ in range(45):
        game.answer(rng.choice(game.ask.options).key)
    groups = build_picture(game, 0, RenderCache())["log"]
    moves = [group for group in groups if group["heading"] == "Influence the Advisors"][-1]
    texts = [line["text"] for _, line in moves["lines"]]
    assert [text for text in texts if "Swordsmith" in text] == ["Ann influences the Swordsmith with 1, 5 and 5"]
    assert texts.index("Ann influences the Swordsmith with 1, 5 and 5") < texts.index(
        "Ben influences the Jester with 1"
    )
    every = [line["text"] for group in groups for _, line in group["lines"]]
    assert "Ann rolls 1, 5 and 5" in every and not any(text.startswith("Rolled") for text in every)
    gains = [group for group in groups if group["heading"] == "Receive Rewards"][-1]
    number, gained = [(number, line) for number, line in gains["lines"] if line["player"] == "Ann"][-1]
    assert (gained["text"], gained["by"]) == ("Ann gains 1 gold and 1 stone", "Swordsmith")
    explanation = explain_log_line(game, 0, number)
    assert (
        explanation is not None
        and explanation.text == gained["text"]
        and any("Swordsmith" in reason.words for reason in explanation.lines)
    )
