"""What JavaScript calls in a page: bots think with the machine, which Node has here; answers cross piece by piece."""

from __future__ import annotations

import asyncio
import pickle
import random
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("llvmlite", reason="llvmlite is an extra, and not installed here")

import edict
from edict.agents.study.bot_games import policies_of
from edict.apps.page import answering, making
from edict.apps.page.web_workers import InWorkers
from edict.apps.web.bot_processes import think
from edict.game.table.game import Game
from edict.runtime.native import linking
from edict.runtime.program import program_key
from edict.runtime.simulation import counting, execution_backend, native
from edict.support.processes.tasks import TaskLimits
from edict.support.resources import install_command
from paging import Page, missing, page

Call = Callable[..., Any]
KIND = "search@24"


class Bytes(bytes):
    """As JavaScript's come to Python."""

    def to_bytes(self) -> bytes:
        return bytes(self)


class Machine:
    """As `machine.js` has it, and what was asked of it: functions, and where the code lay by which they played."""

    def __init__(self, there: Page) -> None:
        self._there = there
        self.code = SimpleNamespace(address=there.ask("code")["found"])
        self.asked: set[tuple[str, int]] = set()
        self.allocate, self.discard, self.write = there.allocate, there.discard, there.write

    def read(self, address: int, numbers: int) -> Bytes:
        return Bytes(self._there.read(address, numbers))

    def work(self, name: str, given: Any) -> int | None:
        self.asked.add((name, given[0][0]))
        return self._there.work(name, given)


def asked(game: str) -> Game:
    """A game in which the second seat has a choice."""
    table = edict.load(game).new_game(["Ann", "Ben"], seed=3)
    while table.seat != 1 or len(table.ask.options) < 2:
        table.answer(0)
    return table


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """What JavaScript calls, in a Python without Pyodide and without native code."""
    ffi: Any = ModuleType("pyodide.ffi")
    ffi.to_js = ffi.create_proxy = lambda value, **_: value
    js: Any = ModuleType("js")
    js.Object = SimpleNamespace(fromEntries=dict)
    for name, module in (("pyodide", ModuleType("pyodide")), ("pyodide.ffi", ffi), ("js", js)):
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.delitem(sys.modules, "edict.apps.page.javascript_api", raising=False)
    monkeypatch.setattr(native, "is_available", lambda: False)
    monkeypatch.setattr(native, "is_loaded", lambda: False)
    monkeypatch.setattr(execution_backend, "_page", None)
    yield import_module("edict.apps.page.javascript_api")
    sys.modules.pop("edict.apps.page.javascript_api")


def carried_out(api: Any, work: Callable[..., Any], *about: object) -> Any:
    good, found = pickle.loads(api.carried_out(Bytes(pickle.dumps(({}, pickle.dumps((work, about))))), print))
    if not good:
        raise found
    return found


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """A page that was made for Pig."""
    if missing():
        pytest.skip(missing())
    with page(edict.load("pig").program, tmp_path_factory.mktemp("page")) as made:
        yield made
    execution_backend.set_page(None)


def test_bots_answer_as_elsewhere_by_the_machine_and_by_the_games_translation(api: Any, there: Page) -> None:
    table = asked("pig")
    raw = table.journal.to_bytes()
    for kind, function in ((KIND, "ismcts.grow"), ("greedy", "batches.think")):
        execution_backend.set_page(None)
        in_python = carried_out(api, think, raw, 1, kind)
        for own in (True, False):  # whether the page was made for the game; else the machine reads it as data
            machine = Machine(there)
            api.think_with(machine, program_key(table.program) if own else "another")
            assert carried_out(api, think, raw, 1, kind) == in_python, (kind, own)
            codes = {code for name, code in machine.asked if name == function}
            assert codes and (codes == {machine.code.address}) == own, (kind, own)


def test_games_are_counted_for_studies_by_the_machine_as_elsewhere(api: Any, there: Page) -> None:
    program = edict.load("pig").program
    plan, seeds = counting.plan_counting(program, 2), [5, 2**64 - 7, 11]
    policies = policies_of(program, ("greedy", "greedy"))
    in_python = counting.count_games(plan, seeds, {}, policies, True)
    pairs = counting.sum_pairs((plan, plan), (in_python, in_python), counting.list_features(plan, plan), [0, 1])
    machine = Machine(there)
    api.think_with(machine, program_key(program))
    counted = counting.count_games(plan, seeds, {}, policies, True)
    assert counted == in_python and ("batches.counted_games", machine.code.address) in machine.asked
    assert counting.sum_pairs((plan, plan), (counted, counted), counting.list_features(plan, plan), [0, 1]) == pairs


# --- where there is nothing to make it with ----------------------------------------------------------------


def test_without_a_linker_or_a_compiler_a_page_is_made_without_and_says_what_to_install(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = edict.load("pig").program

    def no_linker() -> None:
        raise linking.LinkError("nothing here can link; install one")

    monkeypatch.setattr(linking, "linker_command", no_linker)
    assert making._machine(program) == ({}, "nothing here can link; install one")
    monkeypatch.setattr(native, "is_available", lambda: False)
    files, slow = making._machine(program)
    assert not files and install_command("page") in slow
    monkeypatch.setattr(making, "make_page", lambda *about, **more: making.PageSize(1, 2, 3, slow))
    said = call("page", "-o", str(tmp_path / "page")).stdout
    assert f"Bots think in plain Python there, hundreds of times slower, as {slow}.\n" in said


# --- answers on their way ------------------------------------------------------------------------------------


class Given:
    """A value of JavaScript's."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def to_py(self) -> Any:
        return self.value

    def to_bytes(self) -> bytes:
        return bytes(self.value)


def test_an_answer_crosses_piece_by_piece_and_ends_whatever_happens(api: Any) -> None:
    class Echo:
        fails = False

        async def answer(
            self, number: int, method: str, address: str, headers: object, raw: bytes, send: Any, asker: object
        ) -> None:
            assert (number, method, address, headers, asker) == (7, "POST", "/play", [("length", "3")], None)
            if self.fails:
                raise ValueError("it broke")
            send(200, [("a", "b")])
            send(raw)
            send(None)

    def crossed(body: Given | None) -> list[Any]:
        given = list[Any]()
        asyncio.run(application.answer(7, "POST", "/play", Given([("length", 3)]), body, given.append))
        return given

    application = api.Application.__new__(api.Application)
    application._answering = Echo()
    head = {"status": 200, "headers": [("a", "b")]}
    assert crossed(None) == [head, b"", None]
    assert crossed(Given(b"name=Ann")) == [head, b"name=Ann", None]
    Echo.fails = True
    assert crossed(None) == [None]


def test_an_application_begins_hands_work_to_a_helper_and_answers_guests(
    api: Any, tmp_path: Path, own_workplace: None
) -> None:
    begun, ended = list[Any](), list[bool]()

    async def keep() -> None:
        return None

    class Helper:
        async def ask(self, work: bytes) -> Given:
            return Given(api.carried_out(Given(work), begun[-1]))

        def end(self) -> None:
            ended.append(True)

    def helper(heard: Any) -> Helper:
        begun.append(heard)
        return Helper()

    async def asked() -> None:
        settings = '{"game": "pig", "studio": false}'
        application = api.Application(str(tmp_path), "https://host.example", "/deep", settings, keep, helper)
        assert begun == []
        await application.begin()
        assert len(begun) == 1
        workers = application._place.create_pool(1, TaskLimits())
        assert await workers.run(max, 1, 2) == 2
        with pytest.raises(ZeroDivisionError):
            await workers.run(divmod, 1, 0)
        given = list[Any]()
        guest = Given(["ben", "/deep/with/ben", "https://host.example/home"])
        await application.answer(1, "GET", "/host/x", Given([]), None, given.append, guest)
        application.leave(1)
        head, body, end = given
        assert head["status"] == 403 and b'href="https://host.example/home"' in body and end is None
        application._place._worker._end()
        assert ended == [True]
        left = list[int]()
        application._answering.leave = left.append
        application.leave(9)
        assert left == [9]
        await application._answering.end()

    asyncio.run(asked())


def test_a_visit_is_told_its_settings_and_a_woken_python_has_luck_of_its_own(
    api: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = list[Any]()

    async def visit(**settings: Any) -> None:
        told.append((type(settings.pop("workers")), settings))

    monkeypatch.setattr(answering, "visit", visit)
    asyncio.run(api.visit('{"game": "pig", "studio": true}'))
    assert told == [(InWorkers, {"game": "pig", "studio": True})]
    random.seed(1)
    api.woken()
    assert random.random() != random.Random(1).random()
