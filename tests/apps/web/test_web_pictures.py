"""What pages show of a table is put together once, and is the same as if it were put together every time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

import pytest
from jinja2 import PackageLoader

from edict.apps.web.page_elements import Element, Shown
from edict.apps.web.page_templates import Pages, pages
from edict.apps.web.table_insights import line
from edict.apps.web.table_pictures import Recent, picture
from edict.apps.web.themes import Theme
from edict.compiler.sources.appearance import look_of
from edict.game.table.rules import load_rules


class _Link:
    key = "key-of-a-seat"


KEPT = re.compile(r'<template data-kept="([^"]+)"></template>')


def in_full(told: str, page: dict[str, str]) -> str:
    """What a browser makes of what it is told: what stays is taken from its page, by ids."""
    return KEPT.sub(lambda found: page[found[1]], told)


def within(element: Element) -> Iterator[Element]:
    """It and all that are within it."""
    yield element
    for one in element.pieces:
        if isinstance(one, Element):
            yield from within(one)


def by_id(shown: Shown) -> dict[str, str]:
    elements = [one for one in within(shown.whole) if one.id]
    assert len({one.id for one in elements}) == len(elements)
    assert shown.whole.known == {one.said for one in elements}
    return {one.id: "".join(one.told()) for one in elements}


@pytest.mark.parametrize("names", [("kingsburg", "soldier-tokens"), ("kuhn-poker",), ("gem-fair",)], ids="-".join)
def test_what_is_kept_is_what_would_be_made_anew_and_of_what_changes_a_browser_makes_it_again(
    names: tuple[str, ...],
) -> None:
    rules, luck = load_rules(names[0], names[1:]), Random(4)
    drawing, recent = Theme(look_of(rules.sources), rules.program), Recent()
    game = rules.new_game(["Ann", "Ben"], seed=9)
    before: dict[int | None, Shown] = {}
    told = whole = 0
    for number in range(30):
        if game.over:
            break
        if number % 11 == 10:
            game.undo()
        else:
            game.answer(luck.choice(game.ask.options).key)
        for seat in (0, 1, None) if number % 4 else (number // 4 % 2,):
            view = picture(game, seat, recent.at(number))
            values = {"link": _Link(), "view": view, "version": number, "answers": number, "course": None}
            shown = Shown(number, pages().table(drawing, recent, **values))
            if number % 3 == 2:  # for it takes long
                anew = values | {"view": picture(game, seat, Recent())}
                assert anew == values
                assert Shown(number, pages().table(drawing, Recent(), **anew)).text() == shown.text()
            if seat in before:
                changes = shown.text(before[seat])
                since = f' data-since="{before[seat].mark}"'
                assert in_full(changes, by_id(before[seat])).replace(since, "") == shown.text()
                told, whole = told + len(changes), whole + len(shown.text())
            before[seat] = shown
    assert 0 < told < whole


def test_what_nobody_looks_at_any_more_is_forgotten() -> None:
    recent, made = Recent(), list[str]()

    def make() -> str:
        made.append("made")
        return "found"

    for version in (1, 1, 2, 3):
        assert recent.at(version).get("key", make) == "found"
    assert len(made) == 1
    recent.at(4).get("another key", make)
    recent.at(5).get("key", make)
    assert len(made) == 3


def test_a_server_goes_on_while_its_files_are_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    pages = Pages()
    before = pages.page("problem.html", text="gone")
    changed = "of another release", None, lambda: False
    monkeypatch.setattr(PackageLoader, "get_source", lambda *_: changed)
    assert pages.page("problem.html", text="gone") == before
    assert "Nothing has happened" in pages.page("missed.html", lines=[])


def test_the_log_says_each_thing_once_a_line_a_move_under_the_phase_in_which_it_happened() -> None:
    game, luck = load_rules("kingsburg").new_game(["Ann", "Ben"], seed=1), Random(1)
    for _ in range(45):
        game.answer(luck.choice(game.ask.options).key)
    groups = picture(game, 0, Recent())["log"]
    moves = next(group for group in groups if group["heading"] == "Influence the Advisors")
    texts = [line["text"] for _, line in moves["lines"]]
    assert [text for text in texts if "Swordsmith" in text] == ["Ann influences Swordsmith with 1 5 5"]
    assert texts.index("Ann influences Swordsmith with 1 5 5") > texts.index("Ben influences Jester with 1")
    every = [line["text"] for group in groups for _, line in group["lines"]]
    assert "Ann rolls 1 5 5" in every and not any(text.startswith("Rolled") for text in every)
    gains = next(group for group in groups if group["heading"] == "Receive Rewards")
    number, gained = next((number, line) for number, line in gains["lines"] if line["player"] == "Ann")
    assert (gained["text"], gained["by"]) == ("Ann gains 1 gold and 1 stone", "Swordsmith")
    told = line(game, 0, number)
    assert told is not None and told.text == gained["text"] and any("Swordsmith" in said.words for said in told.lines)
