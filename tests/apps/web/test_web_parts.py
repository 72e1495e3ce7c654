"""Parts of the server by themselves: what a form sets, in which order links stand, who is told, whose time is up."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.datastructures import FormData

from edict.apps.web import house_rule_routes, house_rules, live_tables, table_actions
from edict.apps.web.house_rule_routes import HouseRuleRoutes
from edict.apps.web.live_tables import HOST, ONLOOKER, Link, LiveTable
from edict.apps.web.new_tables import Choices, WrongSetup, clock_in
from edict.apps.web.notice_store import NoticeStore
from edict.apps.web.open_tables import Tables
from edict.apps.web.store import Store
from edict.apps.web.studio import variant_pages
from edict.apps.web.studio.tutorial import Progress, TutorialStep, is_done
from edict.apps.web.table_bots import TableBots
from edict.apps.web.web_push import Receiver
from edict.game.table.clock import PlayerClocks, TimeControl
from edict.game.table.rules import load_rules
from edict.support.processes.tasks import TaskFailed

HOUR, YEAR = 3600, 366 * 24


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = Store(f"sqlite:///{tmp_path / 'tables.sqlite'}", alone=True)
    yield made
    made.close()


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
def test_a_form_sets_a_clock_for_the_game_or_each_turn(form: dict[str, str], clock: TimeControl | None) -> None:
    assert clock_in(form) == clock


def test_a_clock_gives_some_time_and_at_most_a_year() -> None:
    for form in (
        {"clock": "game"},
        {"clock": "game", "clock-minutes": "0", "clock-seconds": "30"},
        {"clock": "turn", "clock-minutes": "5"},
        {"clock": "turn", "clock-hours": str(YEAR + 1)},
    ):
        with pytest.raises(WrongSetup, match="at least one minute"):
            clock_in(form)


@pytest.mark.parametrize("each_turn", [False, True])
def test_whose_time_is_up_is_told_of_players_whose_clock_counts(
    each_turn: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the whole game also of who is not asked now; of turns only of those who have one."""
    clocks, watch = PlayerClocks(TimeControl(60, 0, each_turn), 2), SimpleNamespace(time=lambda: 1100.0)
    clocks.advance_to(1000.0, [0], [0], 1, False)  # the first has been asked for 100 seconds
    monkeypatch.setattr(live_tables, "time", watch)
    monkeypatch.setattr(table_actions, "time", watch)
    table: Any = SimpleNamespace(clocks=clocks, waiting=[0, 1])
    assert [LiveTable.out_of_time(table, seat) for seat in (-1, 0, 1)] == [False, True, False]
    assert table_actions.next_deadline(table, [0, 1]) == 60.0, "of who has some left"
    assert table_actions.next_deadline(table, [0]) is None
    clocks.advance_to(1100.0, [1], [1], 2, False)
    assert [LiveTable.out_of_time(table, seat) for seat in (0, 1)] == [not each_turn, False]
    table.clocks = None
    assert not LiveTable.out_of_time(table, 0) and table_actions.next_deadline(table, [0]) is None


# --- links, and who is told


def test_links_stand_the_hosts_first_then_the_onlookers_then_by_seat(store: Store) -> None:
    table, links = store.add_table("Pig", [b"x\n"], ["", "greedy", "", ""], sealed=True)
    assert [link.seat for link in store.links(table)] == [HOST, ONLOOKER, 0, 1, 2, 3]
    assert {link.key for link in store.links(table)} == {link.key for link in links}
    first = next(link for link in links if link.seat == 0)
    taken = store.take(first.key)
    assert taken is not None and store.link(first.key) is None
    assert [link.free for link in store.links(table)] == [False, False, False, False, True, True]


def test_of_several_servers_one_tells_of_a_turn(store: Store) -> None:
    table, links = store.add_table("Pig", [b"x\n"], ["", ""])
    notices = NoticeStore(store)
    notices.add(table, links[2].key, "de", Receiver("https://push/1", "p", "s", "https://here"))
    (told,) = notices.of(table)
    assert (told.told, told.language) == (1, "de"), "not of a turn that has begun already"
    assert [notices.claim(told.number, version) for version in (1, 3, 3, 2, 4)] == [False, True, False, False, True]


@pytest.mark.parametrize(
    ("kind", "who"), [("greedy", "ours"), ("search@2", "ours"), ("mine.py:Mine", "theirs"), ("other.py:Other", None)]
)
def test_code_of_somebodys_own_answers_only_where_the_server_was_started_with_it(kind: str, who: str | None) -> None:
    async def ours(asked: Any) -> str:
        return "ours"

    async def theirs(asked: Any, table: str) -> str:
        return "theirs"

    bots: Any = SimpleNamespace(
        _bot_processes=SimpleNamespace(answer=ours), _guests=SimpleNamespace(answer=theirs), _offered=["mine.py:Mine"]
    )
    answered = TableBots._answer(bots, "table", SimpleNamespace(kind=kind))  # type: ignore[arg-type]
    if who is None:
        with pytest.raises(TaskFailed, match="code that this server was not started with"):
            asyncio.run(answered)
    else:
        assert asyncio.run(answered) == who


# --- what is said


def test_what_is_laid_over_a_game_is_told_by_its_titles() -> None:
    assert house_rules._title(load_rules("pig")) == "Pig"
    two = house_rules._title(load_rules("kingsburg", ("governors", "destiny")))
    assert "Kingsburg" not in two and len(two.split(", ")) == 2


@pytest.mark.parametrize(
    ("upload", "own", "where"), [(b"", False, "here"), (b"zip", False, "elsewhere"), (b"", True, "elsewhere")]
)
def test_only_rules_that_ship_are_tried_in_the_server_itself(
    upload: bytes, own: bool, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def done(*about: object) -> str:
        return "elsewhere"

    routes = HouseRuleRoutes.__new__(HouseRuleRoutes)
    routes.at = SimpleNamespace(offer=SimpleNamespace(is_own=lambda _: own), sandbox=SimpleNamespace(done=done))  # type: ignore[assignment]
    monkeypatch.setattr(Choices, "read", lambda form, offer: None)
    monkeypatch.setattr(house_rule_routes, "chosen_under", lambda *about: "here")
    found: Any = asyncio.run(routes._under(Link("k", "t", 0, ""), b"", FormData(), upload))
    assert found == where


def test_what_a_variant_leaves_out_is_told_beside_what_it_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    _, removed, _ = told = [SimpleNamespace(way=way) for way in ("added", "removed", "changed")]
    known, under = object(), SimpleNamespace(game=SimpleNamespace(manifest=SimpleNamespace(title="Pig")))
    for name, found in (
        ("find_differences", told),
        ("find_changed_sections", ("page",)),
        ("build_rulebook", "book"),
        ("_book", "old"),
    ):
        monkeypatch.setattr(variant_pages, name, lambda *about, found=found: found)
    project: Any = None

    def changes(*both: object) -> tuple[Any, Any]:
        monkeypatch.setattr(variant_pages, "_both", lambda project: both)
        return variant_pages.changes(project), variant_pages.printable(project)

    page, printed = changes(known, under)
    assert page == variant_pages.RulebookChanges("Pig", ("page",), (removed,))  # type: ignore[arg-type]
    assert (printed.base, printed.pages, printed.gone) == ("Pig", ("page",), (removed,))
    assert changes(None, under) == (variant_pages.RulebookChanges("Pig"), None), "its rules have errors"
    game, printed = changes(known, None)
    assert game == variant_pages.RulebookChanges("") and (printed.base, printed.pages, printed.gone) == ("", (), ())


def test_a_table_is_read_on_unless_as_much_as_is_wanted_is_known(store: Store) -> None:
    """By whoever serves it, if another server of the same store has taken an answer."""
    game = load_rules("kuhn-poker").new_game(["Ann", "Ben"], seed=1)
    lines = game.journal.to_bytes().splitlines(keepends=True)
    table, _ = store.add_table("Poker", lines, ["", ""])
    tables: Any = Tables(store, None)  # type: ignore[arg-type]
    assert tables.playing(table).version == len(lines)
    game.answer(0)
    new = game.journal.to_bytes().splitlines(keepends=True)[len(lines) :]
    store.add_lines(table, len(lines), new)
    known = len(lines)
    assert tables.playing(table, known).version == known, "what is known will do"
    assert tables.playing(table, 0).version == known + len(new), "nobody knows how far it is"
    assert tables.playing(table, known + len(new)).version == known + len(new)


# --- what a step of the tutorial waits for


def passed(*outcomes: str) -> Any:
    return SimpleNamespace(scenes=[SimpleNamespace(outcome=outcome) for outcome in outcomes])


def answered(*keys: str) -> Any:
    """A game of a person against a bot and chance, and what the person answered in it."""
    given = [SimpleNamespace(key=key, seat=seat) for key in keys for seat in (-1, 0, 1)]
    return SimpleNamespace(header=SimpleNamespace(bots=("", "greedy")), answers=given)


INN: Any = {"building": {"inn": SimpleNamespace(abilities=[1]), "mill": SimpleNamespace(abilities=[])}}
PLAIN: Any = {"building": {"mill": SimpleNamespace(abilities=[])}}


@pytest.mark.parametrize(
    ("check", "done", "undone"),
    [
        ({"added": "building"}, {"things": PLAIN}, {"things": {"row": {}}}),
        ({"ability": "building"}, {"things": INN}, {"things": PLAIN}),
        ({"problems": "none"}, {}, {"errors": 1, "was_wrong": True}),
        ({"problems": "mended"}, {"was_wrong": True}, {}),
        ({"problems": "mended"}, {"was_wrong": True}, {"errors": 1, "was_wrong": True}),
        ({"read": "building"}, {"things": INN, "read": frozenset({"inn"})}, {"things": INN, "read": frozenset({"x"})}),
        ({"answered": "building"}, {"things": INN, "journal": answered("x", "inn")}, {"things": INN}),
        ({"answered": "building"}, {"things": INN, "journal": answered("inn")}, {"journal": answered("inn")}),
        ({"played": 2}, {"journal": answered("a", "b")}, {"journal": answered("a")}),
        ({"scenes": "pass"}, {"scenes": passed("passed", "passed")}, {"scenes": passed("passed", "failed")}),
        ({"scenes": "pass"}, {"scenes": passed("passed")}, {"scenes": passed()}),
        ({"scenes": "pass"}, {"scenes": passed("passed")}, {}),
        ({"studied": 100}, {"worth": SimpleNamespace(pairs=50)}, {"worth": SimpleNamespace(pairs=49)}),
        ({"studied": 100}, {"worth": SimpleNamespace(pairs=50)}, {}),
    ],
)
def test_a_step_is_done_when_what_it_waits_for_has_happened(
    check: dict[str, Any], done: dict[str, Any], undone: dict[str, Any]
) -> None:
    for so_far, expected in ((done, True), (undone, False)):
        assert is_done(TutorialStep("", "", check), Progress(**{"things": {}, "errors": 0, **so_far})) == expected
