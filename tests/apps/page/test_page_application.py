"""The in-page application: requests as plain values, a persisted folder, base paths, and tasks in web workers."""

from __future__ import annotations

import asyncio
import pickle
import re
import time
from pathlib import Path
from typing import Any

import pytest

from asking_pages import Page, run_async
from edict.apps.page.page_application import PageApplication, _FolderSaver, render_prepared_pages, visit
from edict.apps.page.requesters import Cookies
from edict.apps.page.web_workers import InlineWorker, WebWorker, WebWorkerExecutor, run_task
from edict.apps.web.table_server import GUEST
from edict.support.processes import executor
from edict.support.processes.executor import set_executor
from edict.support.processes.tasks import WORKER_DIED, ReportFunction, TaskFailed, TaskLimits
from edict.support.report import RulesError
from edict.support.translations import language_codes

pytestmark = pytest.mark.usefixtures("own_workplace")


def test_game_is_saved_before_each_response_and_found_when_the_page_is_reopened(tmp_path: Path) -> None:
    async def play() -> None:
        async with Page(tmp_path) as page:
            page.app.serving.bots._pause = 0.0
            _, headers, _ = await page.request("POST", "/play", {"game": "pig", "name": "Ann"})
            (tmp_path / "seat").write_text(headers["location"])
            saves = page.kept
            assert saves, "it is kept before the browser is told where the table is"
            for _ in range(100):
                _, _, text = await page.request("GET", headers["location"])
                version = re.search(r'name="version" value="(\d+)"', text)
                options = re.findall(r'name="answer" value="([^"]+)"', text)
                if options and version is not None:
                    break
                await asyncio.sleep(0.05)
            assert version is not None
            answer = {"version": version[1], "answer": options[0], "since": ""}
            status, _, _ = await page.request("POST", f"{headers['location']}/answer", answer)
            assert (status, page.kept > saves) == (303, True)

    async def reopen() -> None:
        async with Page(tmp_path) as page:
            status, _, text = await page.request("GET", (tmp_path / "seat").read_text())
            assert (status, "Ann" in text) == (200, True)

    run_async(play)
    run_async(reopen)


def test_base_path_is_added_to_addresses_but_not_to_texts(tmp_path: Path) -> None:
    async def check() -> None:
        async with Page(tmp_path, "/deep/down") as page:
            _, _, text = await page.request("GET", "/")
            addresses = re.findall(r'(?:href|src|action|hx-get)="(/[^"]*)"', text)
            assert addresses and all(address.startswith("/deep/down/") for address in addresses)
            _, headers, _ = await page.request("POST", "/play", {"game": "pig", "name": 'A ="/seat" B'})
            assert headers["location"].startswith("/deep/down/seat/")
            _, _, table = await page.request("GET", headers["location"].removeprefix("/deep/down"))
            assert "A =&#34;/seat&#34; B" in table

    run_async(check)


def test_chosen_language_persists_when_the_page_is_reopened(tmp_path: Path) -> None:
    async def choose() -> None:
        async with Page(tmp_path) as page:
            _, headers, _ = await page.request("GET", "/?language=de")
            assert "set-cookie" not in headers
            assert '<html lang="de">' in (await page.request("GET", "/"))[2]

    async def reopen() -> None:
        async with Page(tmp_path) as page:
            assert '<html lang="de">' in (await page.request("GET", "/"))[2]

    run_async(choose)
    run_async(reopen)


def test_leaving_ends_an_open_event_stream(tmp_path: Path) -> None:
    async def leave() -> None:
        async with Page(tmp_path) as page:
            _, headers, _ = await page.request("POST", "/play", {"game": "pig", "name": "Ann"})
            pieces: list[object] = []
            request = asyncio.ensure_future(
                page.app.answer(99, "GET", f"{headers['location']}/news", [], b"", lambda *one: pieces.append(one))
            )
            while not pieces:
                await asyncio.sleep(0.01)
            page.app.leave(99)
            await asyncio.wait_for(request, 30)

    run_async(leave)


def test_prepared_pages_have_covers_and_relative_addresses_in_every_language(subtests: pytest.Subtests) -> None:
    prepared = render_prepared_pages(game="pig", studio=False)
    assert prepared.keys() == {f"{name}.{code}.html" for name in ("start", "gallery") for code in language_codes()}
    for name, html in prepared.items():
        page, code, _ = name.split(".")
        other = "gallery" if page == "start" else "start"
        addresses = set(re.findall(r'(?:href|src|action|hx-get)="([^"]*)"', html))
        with subtests.test(name=name):
            assert f'lang="{code}"' in html and f"./{other}.{code}.html" in addresses
            assert all(address.startswith("./") for address in addresses)
            languages = {f"./{'' if page == 'start' else page}?language={other}" for other in language_codes()}
            spoken = languages - addresses
            assert len(spoken) == 1 and spoken.pop().endswith(code), "the application remembers a language"
            assert html.count("<svg") > 10, "games have covers"
            assert (page == "start") == ('action="./play"' in html)
            assert '<option value="pig" selected>' in html or page == "gallery"


def test_warm_up_visit_requests_the_first_pages_and_leaves_no_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    requests, answer = list[str](), PageApplication.answer

    async def record_and_answer(self: PageApplication, number: int, method: str, address: str, *arguments: Any) -> None:
        requests.append(f"{method} {re.sub('/seat/.*', '/seat', address)}")
        await answer(self, number, method, address, *arguments)

    monkeypatch.setattr(PageApplication, "answer", record_and_answer)

    async def visit_twice() -> None:
        for studio in (False, True):
            await visit(workers=WebWorkerExecutor(InlineWorker), game="pig", studio=studio)
        async with Page(tmp_path) as page:
            assert "/seat/" not in (await page.request("GET", "/"))[2]

    run_async(visit_twice)
    table = ["GET /", "POST /play", "GET /seat"]
    assert requests[:7] == [*table, *table, "GET /studio"]
    with pytest.raises(RulesError):
        run_async(lambda: visit(workers=WebWorkerExecutor(InlineWorker), game="nowhere"))


def test_folder_saver_saves_until_nothing_has_changed() -> None:
    """It also saves changes made during a save, and waiting without changes returns at once."""
    saves = list[int]()

    async def check() -> None:
        async def keep() -> None:
            saves.append(len(saves))
            if len(saves) == 1:
                saver.mark_changed()
            await asyncio.sleep(0)

        saver = _FolderSaver(keep)
        saver.mark_changed()  # before it is started
        assert not saves
        saver.start()
        await saver.wait_until_saved()
        assert saves == [0, 1]
        await asyncio.wait_for(saver.wait_until_saved(), 30)
        assert saves == [0, 1]
        saver.mark_changed()
        await saver.wait_until_saved()
        assert saves == [0, 1, 2]

    asyncio.run(check())


def make_fake(folder: Path, app: Any, origin: str = "https://host.example") -> PageApplication:
    """Return a `PageApplication` that passes its requests to another ASGI application."""

    async def keep() -> None:
        return None

    page_application = PageApplication(
        folder, keep, WebWorkerExecutor(InlineWorker), origin=origin, path="/deep", studio=False
    )
    page_application.serving.store.close()
    page_application._app = app
    return page_application


def test_asgi_application_gets_a_server_scope_and_its_response_is_sent_piece_by_piece(tmp_path: Path) -> None:
    scopes, sent = list[Any](), list[Any]()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        scopes.append((scope, await receive()))
        await send({"type": "http.response.start", "status": 201, "headers": [(b"a", "\xe9".encode("latin-1"))]})
        for more, body in ((True, b"one"), (True, b""), (False, b"two")):
            await send({"type": "http.response.body", "body": body, "more_body": more})
        await send({"type": "http.response.trailers"})
        if scope["method"] == "PUT":
            page_application.leave(7)
            scopes.append(await receive())

    async def request_page(method: str, requester: Any = None) -> None:
        headers = [("X-Said", "\xe9\u2603")]
        await page_application.answer(
            7, method, "/a/b?c=%20&d", headers, b"body", lambda *one: sent.append(one), requester
        )
        page_application.leave(7)  # the request has ended already

    page_application = make_fake(tmp_path, app)
    changes = list[str]()
    page_application._saver.mark_changed = lambda: changes.append("changed")  # type: ignore[method-assign]
    page_application._owner.cookies._known["k"] = "v"
    asyncio.run(request_page("PUT"))
    ((scope, request), disconnect) = scopes
    assert request == {"type": "http.request", "body": b"body", "more_body": False}
    assert disconnect == {"type": "http.disconnect"} and changes == ["changed"] and page_application._disconnects == {}
    assert scope == {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "PUT",
        "scheme": "https",
        "path": scope["path"],
        "raw_path": b"/a/b",
        "query_string": b"c=%20&d",
        "root_path": "/deep",
        "headers": [(b"x-said", b"\xe9?"), (b"host", b"host.example"), (b"cookie", b"k=v")],
        "client": ("127.0.0.1", 0),
        "server": None,
        GUEST: False,
    }
    assert sent == [(201, [("a", "\xe9")]), (b"one",), (b"two",), (None,)]
    guest = page_application.guest("ben", "/deep/with/ben", "/home")
    assert page_application.guest("ben", "/other", "/away") is guest and (guest.below, guest.home) == (
        "/other",
        "/away",
    )
    asyncio.run(request_page("POST", page_application.guest("ben", "/deep/with/ben", "/home")))
    assert len(scopes) == 2, "that is for no guest"
    asyncio.run(request_page("GET"))
    assert changes == ["changed"] * 2, "what only asks changes nothing"


def test_failed_startup_raises_its_reason(tmp_path: Path) -> None:
    for message, reason in (({"message": "no room"}, "no room"), ({}, "the application could not begin")):

        async def app(scope: Any, receive: Any, send: Any, more: Any = message) -> None:
            assert scope == {"type": "lifespan"} and await receive() == {"type": "lifespan.startup"}
            await send({"type": "lifespan.startup.failed", **more})
            await send({"type": "lifespan.shutdown.complete"})

        with pytest.raises(RuntimeError, match=f"^{reason}$"):
            asyncio.run(make_fake(tmp_path, app).begin())


def test_warm_up_visit_raises_on_a_failed_request(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answers: list[list[Any]] = [[(400, [])], [(500, [])], []]
    for said in answers:

        async def answer(self: PageApplication, number: int, method: str, *arguments: Any, said: Any = said) -> None:
            for one in said:
                arguments[-1](*one)
            arguments[-1](b"a page")

        monkeypatch.setattr(PageApplication, "answer", answer)
        with pytest.raises(RuntimeError, match=r"^the application did not answer GET /$"):
            run_async(lambda: visit(workers=WebWorkerExecutor(InlineWorker), game="pig", studio=False))


def test_cookie_jar_persists_cookies_and_removes_them_from_headers(tmp_path: Path) -> None:
    cookies = Cookies(tmp_path / "cookies.json")
    assert cookies.header() == []
    headers = [("Set-Cookie", "a=1; Path=/"), ("x", "y"), ("set-cookie", "b=2")]
    assert cookies.extract_from(headers) == [("x", "y")] and cookies.header() == [(b"cookie", b"a=1; b=2")]
    assert Cookies(tmp_path / "cookies.json").header() == [(b"cookie", b"a=1; b=2")]


# --- work in other workers -----------------------------------------------------------------------------


class DyingWorker:
    """A worker that dies on its first task."""

    end_count = 0

    async def ask(self, work: bytes) -> bytes:
        raise OSError("out of memory")

    def stop(self) -> None:
        DyingWorker.end_count += 1


class HangingWorker(DyingWorker):
    """A worker that never answers."""

    async def ask(self, work: bytes) -> bytes:
        await asyncio.sleep(1000)
        return b""


@pytest.mark.parametrize(
    ("worker", "said"), [(DyingWorker, f"{WORKER_DIED} .out of memory."), (HangingWorker, "it took longer than 0.01 s")]
)
def test_dead_or_hanging_worker_is_terminated_reported_and_replaced(
    worker: type[DyingWorker], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("edict.apps.page.web_workers.START_TIMEOUT", 0.0)
    ended, started = DyingWorker.end_count, list[WebWorker]()

    def start(heard: object) -> WebWorker:
        started.append(worker())
        return started[-1]

    async def check() -> None:
        pool = WebWorkerExecutor(start).create_pool(1, TaskLimits(seconds=0.01))
        for _ in range(2):
            with pytest.raises(TaskFailed, match=said):
                await pool.run(max, 1, 2)

    run_async(check)
    assert (DyingWorker.end_count, len(started)) == (ended + 2, 2), "another is begun for what is asked next"


def report_numbers(last: int, report: ReportFunction[int]) -> None:
    """Report the numbers up to `last`; raise an error after 13."""
    for number in range(last + 1):
        report(number)
    if last == 13:
        raise ValueError("thirteen")


def test_job_reports_progress_gives_its_problem_and_can_be_stopped(tmp_path: Path) -> None:
    async def check() -> None:
        for last, problem in ((3, ""), (13, "thirteen")):
            job = WebWorkerExecutor(InlineWorker).start_job(report_numbers, last, at_hand=(), nice=0, reason=str)
            deadline = time.monotonic() + 30
            while job.running and time.monotonic() < deadline:
                await asyncio.sleep(0.01)
            assert (job.latest_report(), job.running, job.problem) == (last, False, problem)
        end_count = DyingWorker.end_count
        endless_job = WebWorkerExecutor(lambda heard: HangingWorker()).start_job(
            report_numbers, 3, at_hand=(), nice=0, reason=str
        )
        endless_job.stop()
        assert not endless_job.running and DyingWorker.end_count == end_count + 1

    run_async(check)


def test_task_worker_starts_once_and_a_jobs_worker_ends_once() -> None:
    started, end_count = list[object](), DyingWorker.end_count

    def start(on_report: object) -> WebWorker:
        started.append(on_report)
        return HangingWorker()

    async def check() -> None:
        executor = WebWorkerExecutor(start)
        executor.preload_modules("edict.tools.studio")
        assert started == []
        executor.start_task_worker()
        executor.start_task_worker()
        assert len(started) == 1
        job = executor.start_job(report_numbers, 3, at_hand=(), nice=0, reason=str)
        send_report: Any = started[-1]
        send_report(pickle.dumps(5))
        assert (len(started), job.latest_report(), job.wait_for_report(9), job.wait_until_done(9), job.running) == (
            2,
            5,
            5,
            5,
            True,
        )
        job.stop()
        job.stop()
        send_report(pickle.dumps(6))
        assert (job.latest_report(), job.running, DyingWorker.end_count) == (5, False, end_count + 1)

    run_async(check)


class UnpicklableError(Exception):
    """An exception that cannot be pickled."""

    def __reduce__(self) -> Any:
        raise TypeError("no")


def raise_unpicklable() -> None:
    raise UnpicklableError("so it is")


def test_unpicklable_exception_becomes_task_failed_and_deleting_a_missing_file_is_fine(tmp_path: Path) -> None:
    task = pickle.dumps(({tmp_path / "gone": None}, pickle.dumps((raise_unpicklable, ()))))
    for _ in range(2):
        succeeded, problem = pickle.loads(run_task(task, lambda _: None))
        assert (succeeded, type(problem), str(problem)) == (False, TaskFailed, "UnpicklableError: so it is")


def test_worker_is_sent_new_changed_and_deleted_files_with_its_task(tmp_path: Path) -> None:
    shared, received = tmp_path / "mine", list[tuple[dict[Path, bytes | None], bytes]]()

    class RemoteWorker(InlineWorker):
        async def ask(self, work: bytes) -> bytes:
            received.append(pickle.loads(work))
            await asyncio.sleep(0.01)  # starting takes longer than the task may
            return await super().ask(pickle.dumps(({}, received[-1][1])))

    async def run_tasks() -> None:
        pool = WebWorkerExecutor(RemoteWorker, shared).create_pool(1, TaskLimits(seconds=0.001))
        (shared / "isle").mkdir(parents=True)
        (shared / "isle" / "a").write_bytes(b"1")
        await pool.run(max, 1, 2)
        await pool.run(max, 1, 2)
        (shared / "isle" / "a").unlink()
        (shared / "isle" / "b").write_bytes(b"22")
        await pool.run(max, 1, 2)

    run_async(run_tasks)
    sent = [{file.name: content for file, content in files.items()} for files, _ in received]
    assert sent == [{"a": b"1"}, {}, {"a": None, "b": b"22"}]
    run_task(pickle.dumps(({tmp_path / "far" / "a": b"1"}, pickle.dumps((max, (1, 2))))), lambda _: None)
    assert (tmp_path / "far" / "a").read_bytes() == b"1"


def test_exception_of_a_task_is_raised_to_its_caller() -> None:
    async def check() -> None:
        with pytest.raises(ZeroDivisionError):
            await WebWorkerExecutor(InlineWorker).create_pool(1, TaskLimits()).run(divmod, 1, 0)

    run_async(check)
    assert run_task(b"no work", lambda _: None)


def test_set_executor_replaces_the_process_wide_executor() -> None:
    place = WebWorkerExecutor(InlineWorker)
    set_executor(place)
    assert executor.get_executor() is place
