"""The functions that JavaScript calls in a page: bots on the machine, here in Node.js, and responses in pieces."""

from __future__ import annotations

import asyncio
import os
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
from edict.agents.study.bot_games import find_policies
from edict.apps.page import page_application, page_builder
from edict.apps.page.web_workers import WebWorkerExecutor
from edict.apps.web.bot_processes import choose_answer
from edict.game.table.game import Game
from edict.runtime.native import linking
from edict.runtime.program import program_key
from edict.runtime.simulation import counting, execution_backend, native
from edict.support.processes.tasks import TaskLimits
from edict.support.resources import install_command
from node_page import NodePage, find_missing_tool, open_page

Call = Callable[..., Any]
KIND = "search@24"


class Bytes(bytes):
    """Bytes as Pyodide passes them from JavaScript."""

    def to_bytes(self) -> bytes:
        return bytes(self)


class RecordingMachine:
    """A machine of `machine.js` that records the functions called, each with the address of the code it played."""

    def __init__(self, there: NodePage) -> None:
        self._there = there
        self.code = SimpleNamespace(address=there.ask("code")["found"])
        self.calls: set[tuple[str, int]] = set()
        self.allocate, self.discard, self.write = there.allocate, there.discard, there.write

    def read(self, address: int, numbers: int) -> Bytes:
        return Bytes(self._there.read(address, numbers))

    def work(self, name: str, arguments: Any) -> int | None:
        self.calls.add((name, arguments[0][0]))
        return self._there.work(name, arguments)


def start_game_with_choice(game: str) -> Game:
    """Return a game in which the second seat has to choose."""
    game_in_progress = edict.load(game).new_game(["Ann", "Ben"], seed=3)
    while game_in_progress.seat != 1 or len(game_in_progress.ask.options) < 2:
        game_in_progress.answer(0)
    return game_in_progress


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The `javascript_api` module, imported without Pyodide and without native code."""
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


def run_task(api: Any, function: Callable[..., Any], *arguments: object) -> Any:
    """Run a task through the API and return its result."""
    succeeded, result = pickle.loads(
        api.carried_out(Bytes(pickle.dumps(({}, pickle.dumps((function, arguments))))), print)
    )
    if not succeeded:
        raise result
    return result


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NodePage]:
    """A page that was built for Pig, in Node.js."""
    if find_missing_tool():
        pytest.skip(find_missing_tool())
    with open_page(edict.load("pig").program, tmp_path_factory.mktemp("page")) as made:
        yield made
    execution_backend.set_page(None)


def test_bots_answer_equally_in_python_and_on_the_machine_with_or_without_translation(
    api: Any, there: NodePage, subtests: pytest.Subtests
) -> None:
    table = start_game_with_choice("pig")
    raw = table.journal.to_bytes()
    for kind, function in ((KIND, "ismcts.grow"), ("greedy", "batches.think")):
        execution_backend.set_page(None)
        in_python = run_task(api, choose_answer, raw, 1, kind)
        for is_translated in (
            True,
            False,
        ):  # True if the page was built for the game; otherwise the machine plays its code as data
            with subtests.test(is_translated=is_translated):
                machine = RecordingMachine(there)
                api.think_with(machine, program_key(table.program) if is_translated else "another")
                assert run_task(api, choose_answer, raw, 1, kind) == in_python, (kind, is_translated)
                codes = {code for name, code in machine.calls if name == function}
                assert codes and (codes == {machine.code.address}) == is_translated, (kind, is_translated)


def test_study_counts_games_equally_in_python_and_on_the_machine(api: Any, there: NodePage) -> None:
    program = edict.load("pig").program
    plan, seeds = counting.plan_counting(program, 2), [5, 2**64 - 7, 11]
    policies = find_policies(program, ("greedy", "greedy"))
    in_python = counting.count_games(plan, seeds, {}, policies, True)
    pairs = counting.sum_measures_over_pairs(
        (plan, plan), (in_python, in_python), counting.list_features(plan, plan), [0, 1]
    )
    machine = RecordingMachine(there)
    api.think_with(machine, program_key(program))
    on_machine = counting.count_games(plan, seeds, {}, policies, True)
    assert on_machine == in_python and ("batches.counted_games", machine.code.address) in machine.calls
    assert (
        counting.sum_measures_over_pairs(
            (plan, plan), (on_machine, on_machine), counting.list_features(plan, plan), [0, 1]
        )
        == pairs
    )


# --- missing tools -----------------------------------------------------------------------------------------


def test_page_without_linker_or_compiler_has_no_machine_and_names_what_to_install(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = edict.load("pig").program

    def raise_no_linker() -> None:
        raise linking.LinkError("nothing here can link; install one")

    monkeypatch.setattr(linking, "linker_command", raise_no_linker)
    assert page_builder._compile_machine(program) == ({}, "nothing here can link; install one")
    monkeypatch.setattr(native, "is_available", lambda: False)
    files, reason = page_builder._compile_machine(program)
    assert not files and install_command("page") in reason
    monkeypatch.setattr(page_builder, "build_page", lambda *about, **more: page_builder.PageSize(1, 2, 3, reason))
    output = call("page", "-o", str(tmp_path / "page")).stdout
    assert f"Bots will run in plain Python, hundreds of times slower: {reason}.\n" in output


# --- requests and responses ------------------------------------------------------------------------------------


class JavaScriptValue:
    """A value of JavaScript as Pyodide passes it."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def to_py(self) -> Any:
        return self.value

    def to_bytes(self) -> bytes:
        return bytes(self.value)


def test_response_is_posted_in_pieces_and_ends_even_after_an_error(api: Any) -> None:
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

    def post_request(body: JavaScriptValue | None) -> list[Any]:
        posted = list[Any]()
        asyncio.run(application.answer(7, "POST", "/play", JavaScriptValue([("length", 3)]), body, posted.append))
        return posted

    application = api.Application.__new__(api.Application)
    application._answering = Echo()
    head = {"status": 200, "headers": [("a", "b")]}
    assert post_request(None) == [head, b"", None]
    assert post_request(JavaScriptValue(b"name=Ann")) == [head, b"name=Ann", None]
    Echo.fails = True
    assert post_request(None) == [None]


def test_application_starts_a_worker_with_the_first_table_and_answers_guests(
    api: Any, tmp_path: Path, own_workplace: None
) -> None:
    report_functions, ends = list[Any](), list[bool]()

    async def keep() -> None:
        return None

    class FakeWorker:
        async def ask(self, work: bytes) -> JavaScriptValue:
            return JavaScriptValue(api.carried_out(JavaScriptValue(work), report_functions[-1]))

        def end(self) -> None:
            ends.append(True)

    def create_worker(on_report: Any) -> FakeWorker:
        report_functions.append(on_report)
        return FakeWorker()

    async def check() -> None:
        settings = '{"game": "pig", "studio": false}'
        application = api.Application(str(tmp_path), "https://host.example", "/deep", settings, keep, create_worker)
        assert report_functions == []
        await application.begin()
        await application.answer(0, "GET", "/", JavaScriptValue([]), None, [].append)
        assert report_functions == [], "the start page needs no second Python"
        await application.answer(0, "GET", "/seat/unknown", JavaScriptValue([]), None, [].append)
        assert len(report_functions) == 1
        pool = application._place.create_pool(1, TaskLimits())
        assert await pool.run(max, 1, 2) == 2
        with pytest.raises(ZeroDivisionError):
            await pool.run(divmod, 1, 0)
        posted = list[Any]()
        guest = JavaScriptValue(["ben", "/deep/with/ben", "https://host.example/home"])
        await application.answer(1, "GET", "/host/x", JavaScriptValue([]), None, posted.append, guest)
        application.leave(1)
        head, body, end = posted
        assert head["status"] == 403 and b'href="https://host.example/home"' in body and end is None
        application._place._worker._end()
        assert ends == [True]
        cancelled = list[int]()
        application._answering.leave = cancelled.append
        application.leave(9)
        assert cancelled == [9]
        await application._answering.end()

    asyncio.run(check())


def test_visit_passes_its_settings_and_restored_python_is_reseeded(api: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = list[Any]()

    async def visit(**settings: Any) -> None:
        calls.append((type(settings.pop("workers")), settings))

    monkeypatch.setattr(page_application, "visit", visit)
    asyncio.run(api.visit('{"game": "pig", "studio": true}'))
    assert calls == [(WebWorkerExecutor, {"game": "pig", "studio": True})]
    random.seed(1)
    monkeypatch.setenv("XDG_DATA_HOME", "of the computer that made the page")
    api.woken("/kept/here/data")
    assert random.random() != random.Random(1).random()
    assert os.environ["XDG_DATA_HOME"] == "/kept/here/data"
