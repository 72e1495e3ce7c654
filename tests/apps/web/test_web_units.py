"""Unit tests of the server: clocks in forms, links, notices, bots, house rules, stores and tutorial steps."""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.datastructures import FormData

from edict.apps.web import house_rule_routes, live_tables, table_actions, web_server
from edict.apps.web.house_rule_routes import HouseRuleRoutes
from edict.apps.web.live_tables import HOST, ONLOOKER, Link, LiveTable
from edict.apps.web.new_tables import Choices, InvalidSetupError, read_clock
from edict.apps.web.open_tables import Tables
from edict.apps.web.store import Store
from edict.apps.web.studio import variant_pages
from edict.apps.web.studio.tutorial import TutorialProgress, TutorialStep, is_done
from edict.apps.web.table_bots import TableBots
from edict.apps.web.turn_notices import NoticeStore
from edict.apps.web.web_push import PushSubscription
from edict.game.table.clock import PlayerClocks, TimeControl
from edict.game.table.rules import load_rules
from edict.support.processes.tasks import TaskFailed

HOUR, YEAR = 3600, 366 * 24


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    empty_store = Store(f"sqlite:///{tmp_path / 'tables.sqlite'}", is_exclusive=True)
    yield empty_store
    empty_store.close()


# --- clocks


@pytest.mark.parametrize(
    ("form", "clock"),
    [
        ({}, None),
        ({"clock": "none", "clock-minutes": "5"}, None),
        ({"clock": "game", "clock-minutes": "5", "clock-hours": "9"}, TimeControl(300)),
        ({"clock": "game", "clock-minutes": "1", "clock-seconds": "10"}, TimeControl(60, 10)),
        ({"clock": "turn", "clock-hours": "2", "clock-seconds": "9"}, TimeControl(2 * HOUR, 0, True)),
        ({"clock": "turn", "clock-hours": str(YEAR)}, TimeControl(YEAR * HOUR, 0, True)),
    ],
)
def test_form_sets_a_clock_for_the_game_or_each_turn(form: dict[str, str], clock: TimeControl | None) -> None:
    assert read_clock(form) == clock


def test_clock_needs_at_least_a_minute_and_at_most_a_year() -> None:
    for form in (
        {"clock": "game"},
        {"clock": "game", "clock-minutes": "0", "clock-seconds": "30"},
        {"clock": "turn", "clock-minutes": "5"},
        {"clock": "turn", "clock-hours": str(YEAR + 1)},
    ):
        with pytest.raises(InvalidSetupError, match="at least one minute"):
            read_clock(form)


@pytest.mark.parametrize("each_turn", [False, True])
def test_out_of_time_considers_only_clocks_that_count(each_turn: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock for the game counts even while its player is not asked, a clock for each turn only in that turn."""
    clocks, fake_time = PlayerClocks(TimeControl(60, 0, each_turn), 2), SimpleNamespace(time=lambda: 1100.0)
    clocks.advance_to(1000.0, [0], [0], 1, False)  # the first has been asked for 100 seconds
    monkeypatch.setattr(live_tables, "time", fake_time)
    monkeypatch.setattr(table_actions, "time", fake_time)
    table: Any = SimpleNamespace(clocks=clocks, waiting=[0, 1])
    assert [LiveTable.is_out_of_time(table, seat) for seat in (-1, 0, 1)] == [False, True, False]
    assert table_actions.compute_time_left(table, [0, 1]) == 60.0, "of who has some left"
    assert table_actions.compute_time_left(table, [0]) is None
    clocks.advance_to(1100.0, [1], [1], 2, False)
    assert [LiveTable.is_out_of_time(table, seat) for seat in (0, 1)] == [not each_turn, False]
    table.clocks = None
    assert not LiveTable.is_out_of_time(table, 0) and table_actions.compute_time_left(table, [0]) is None


# --- links, notices and bots


def test_links_are_ordered_host_spectators_seats(store: Store) -> None:
    table, links = store.add_table("Pig", [b"x\n"], ["", "greedy", "", ""], sealed=True)
    assert [link.seat for link in store.list_links(table)] == [HOST, ONLOOKER, 0, 1, 2, 3]
    assert {link.key for link in store.list_links(table)} == {link.key for link in links}
    assert all(store.list_links_beside(link.key) == store.list_links(table) for link in links)
    assert store.list_links_beside("unknown") == []
    first = next(link for link in links if link.seat == 0)
    claimed = store.claim_seat(first.key)
    assert claimed is not None and store.get_link(first.key) is None
    assert [link.free for link in store.list_links(table)] == [False, False, False, False, True, True]


def test_only_one_server_claims_the_notice_of_a_turn(store: Store) -> None:
    table, links = store.add_table("Pig", [b"x\n"], ["", ""])
    notices = NoticeStore(store)
    notices.add_subscriber(table, links[2].key, "de", PushSubscription("https://push/1", "p", "s", "https://here"))
    (notice,) = notices.list_subscribers(table)
    assert (notice.notified_version, notice.language) == (1, "de"), "not of a turn that has begun already"
    assert [notices.claim(notice.number, version) for version in (1, 3, 3, 2, 4)] == [False, True, False, False, True]


@pytest.mark.parametrize(
    ("kind", "who"), [("greedy", "ours"), ("search@2", "ours"), ("mine.py:Mine", "theirs"), ("other.py:Other", None)]
)
def test_custom_bot_answers_only_if_the_server_was_started_with_it(kind: str, who: str | None) -> None:
    async def ours(asked: Any) -> str:
        return "ours"

    async def theirs(asked: Any, table: str) -> str:
        return "theirs"

    bots: Any = SimpleNamespace(
        _bot_processes=SimpleNamespace(answer=ours),
        _user_bots=SimpleNamespace(choose_answer=theirs),
        _offered=["mine.py:Mine"],
    )
    pending_answer = TableBots._choose_answer(bots, "table", SimpleNamespace(kind=kind))  # type: ignore[arg-type]
    if who is None:
        with pytest.raises(TaskFailed, match="code that this server was not started with"):
            asyncio.run(pending_answer)
    else:
        assert asyncio.run(pending_answer) == who


# --- house rules, variants and versions


def test_title_of_house_rules_lists_the_modules() -> None:
    assert house_rule_routes._format_module_titles(load_rules("pig")) == "Pig"
    title = house_rule_routes._format_module_titles(load_rules("kingsburg", ("governors", "destiny")))
    assert "Kingsburg" not in title and len(title.split(", ")) == 2


@pytest.mark.parametrize(
    ("upload", "own", "where"), [(b"", False, "here"), (b"zip", False, "elsewhere"), (b"", True, "elsewhere")]
)
def test_only_shipped_rules_are_tried_in_the_server_process(
    upload: bytes, own: bool, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def run_elsewhere(*about: object) -> str:
        return "elsewhere"

    routes = HouseRuleRoutes.__new__(HouseRuleRoutes)
    routes.server = SimpleNamespace(
        offer=SimpleNamespace(is_own=lambda _: own), sandbox=SimpleNamespace(run=run_elsewhere)
    )  # type: ignore[assignment]
    monkeypatch.setattr(Choices, "read", lambda form, offer: None)
    monkeypatch.setattr(house_rule_routes, "apply_chosen_rules", lambda *about: "here")
    result: Any = asyncio.run(routes._apply_rules(Link("k", "t", 0, ""), b"", FormData(), upload))
    assert result == where


def test_changes_of_a_variant_list_removed_things_beside_changed_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    _, removed, _ = differences = [SimpleNamespace(way=way) for way in ("added", "removed", "changed")]
    typed_rules, base_rules = object(), SimpleNamespace(game=SimpleNamespace(manifest=SimpleNamespace(title="Pig")))
    for name, replacement in (
        ("find_differences", differences),
        ("find_changed_sections", ("page",)),
        ("build_rulebook", "book"),
        ("_build_rulebook", "old"),
    ):
        monkeypatch.setattr(variant_pages, name, lambda *about, replacement=replacement: replacement)
    project: Any = None

    def get_changes(*rules_and_base: object) -> tuple[Any, Any]:
        monkeypatch.setattr(variant_pages, "_load_rules_and_base", lambda project: rules_and_base)
        return variant_pages.compare_rulebooks(project), variant_pages.build_printable(project)

    page, printed = get_changes(typed_rules, base_rules)
    assert page == variant_pages.RulebookChanges("Pig", ("page",), (removed,))  # type: ignore[arg-type]
    assert (printed.base, printed.pages, printed.gone) == ("Pig", ("page",), (removed,))
    assert get_changes(None, base_rules) == (variant_pages.RulebookChanges("Pig"), None), "its rules have errors"
    game, printed = get_changes(typed_rules, None)
    assert game == variant_pages.RulebookChanges("") and (printed.base, printed.pages, printed.gone) == ("", (), ())


def test_table_reads_new_lines_only_if_a_newer_version_is_needed(store: Store) -> None:
    """The new lines come from another server on the same store."""
    game = load_rules("kuhn-poker").new_game(["Ann", "Ben"], seed=1)
    lines = game.journal.to_bytes().splitlines(keepends=True)
    table, _ = store.add_table("Poker", lines, ["", ""])
    tables: Any = Tables(store, None)  # type: ignore[arg-type]
    assert tables.get_current(table).version == len(lines)
    game.answer(0)
    new_lines = game.journal.to_bytes().splitlines(keepends=True)[len(lines) :]
    store.add_lines(table, len(lines), new_lines)
    known = len(lines)
    assert tables.get_current(table, known).version == known, "what is known will do"
    assert tables.get_current(table, 0).version == known + len(new_lines), "nobody knows how far it is"
    assert tables.get_current(table, known + len(new_lines)).version == known + len(new_lines)


# --- tutorial steps


def make_scene_results(*outcomes: str) -> Any:
    return SimpleNamespace(scenes=[SimpleNamespace(outcome=outcome) for outcome in outcomes])


def make_journal(*keys: str) -> Any:
    """Return a journal of a person, a bot and chance in which each of them answered with these keys."""
    given = [SimpleNamespace(key=key, seat=seat) for key in keys for seat in (-1, 0, 1)]
    return SimpleNamespace(header=SimpleNamespace(bots=("", "greedy")), answers=given)


INN: Any = {"building": {"inn": SimpleNamespace(abilities=[1]), "mill": SimpleNamespace(abilities=[])}}
PLAIN: Any = {"building": {"mill": SimpleNamespace(abilities=[])}}


@pytest.mark.parametrize(
    ("check", "done", "undone"),
    [
        ({"added": "building"}, {"things": PLAIN}, {"things": {"row": {}}}),
        ({"ability": "building"}, {"things": INN}, {"things": PLAIN}),
        ({"problems": "none"}, {}, {"errors": 1, "had_errors": True}),
        ({"problems": "mended"}, {"had_errors": True}, {}),
        ({"problems": "mended"}, {"had_errors": True}, {"errors": 1, "had_errors": True}),
        (
            {"read": "building"},
            {"things": INN, "read_names": frozenset({"inn"})},
            {"things": INN, "read_names": frozenset({"x"})},
        ),
        ({"answered": "building"}, {"things": INN, "journal": make_journal("x", "inn")}, {"things": INN}),
        ({"answered": "building"}, {"things": INN, "journal": make_journal("inn")}, {"journal": make_journal("inn")}),
        ({"played": 2}, {"journal": make_journal("a", "b")}, {"journal": make_journal("a")}),
        (
            {"scenes": "pass"},
            {"scenes": make_scene_results("passed", "passed")},
            {"scenes": make_scene_results("passed", "failed")},
        ),
        ({"scenes": "pass"}, {"scenes": make_scene_results("passed")}, {"scenes": make_scene_results()}),
        ({"scenes": "pass"}, {"scenes": make_scene_results("passed")}, {}),
        ({"studied": 100}, {"evaluation": SimpleNamespace(pairs=50)}, {"evaluation": SimpleNamespace(pairs=49)}),
        ({"studied": 100}, {"evaluation": SimpleNamespace(pairs=50)}, {}),
    ],
)
def test_tutorial_step_is_done_when_its_check_is_met(
    check: dict[str, Any], done: dict[str, Any], undone: dict[str, Any], subtests: pytest.Subtests
) -> None:
    for progress, expected in ((done, True), (undone, False)):
        with subtests.test(expected=expected):
            assert (
                is_done(TutorialStep("", "", check), TutorialProgress(**{"things": {}, "errors": 0, **progress}))
                == expected
            )


# --- garbage collection


class _Connection:
    """An object that refers to itself."""

    def __init__(self) -> None:
        self.own = self


def test_full_collections_leave_out_what_survived_one_except_each_hundredth(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web_server, "COLLECTIONS_PER_THAW", 3)
    connection = _Connection()
    reference = weakref.ref(connection)
    gc.callbacks.append(freezer := web_server.SurvivorFreezer())
    try:
        gc.collect()
        del connection
        gc.collect()
        assert reference() is not None
        gc.collect()
        assert reference() is None
    finally:
        gc.callbacks.remove(freezer)
        gc.unfreeze()
