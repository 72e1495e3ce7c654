"""The application without a server: asked by plain values, kept by whoever runs it, below any path."""

from __future__ import annotations

import asyncio
import pickle
import re
import time
from pathlib import Path
from typing import Any

import pytest

from asking_pages import Page, run
from edict.apps.page.answering import Answering, _Keeping, visit
from edict.apps.page.asking import Cookies
from edict.apps.page.web_workers import InWorkers, SameWorker, Worker, carried_out
from edict.apps.web.table_server import GUEST
from edict.support.processes import executor
from edict.support.processes.executor import set_executor
from edict.support.processes.tasks import WORKER_DIED, ReportFunction, TaskFailed, TaskLimits
from edict.support.report import RulesError

pytestmark = pytest.mark.usefixtures("own_workplace")


def test_a_game_is_played_and_found_again_when_the_page_is_opened_again(tmp_path: Path) -> None:
    async def first() -> None:
        async with Page(tmp_path) as page:
            page.app.serving.bots._pause = 0.0
            _, headers, _ = await page.ask("POST", "/play", {"game": "pig", "name": "Ann"})
            (tmp_path / "seat").write_text(headers["location"])
            kept = page.kept
            assert kept, "it is kept before the browser is told where the table is"
            for _ in range(100):
                _, _, text = await page.ask("GET", headers["location"])
                version = re.search(r'name="version" value="(\d+)"', text)
                options = re.findall(r'name="answer" value="([^"]+)"', text)
                if options and version is not None:
                    break
                await asyncio.sleep(0.05)
            assert version is not None
            answer = {"version": version[1], "answer": options[0], "since": ""}
            status, _, _ = await page.ask("POST", f"{headers['location']}/answer", answer)
            assert (status, page.kept > kept) == (303, True)

    async def later() -> None:
        async with Page(tmp_path) as page:
            status, _, text = await page.ask("GET", (tmp_path / "seat").read_text())
            assert (status, "Ann" in text) == (200, True)

    run(first)
    run(later)


def test_below_a_path_every_address_begins_there_and_elsewhere_nothing_changes(tmp_path: Path) -> None:
    async def asked() -> None:
        async with Page(tmp_path, "/deep/down") as page:
            _, _, text = await page.ask("GET", "/")
            addresses = re.findall(r'(?:href|src|action|hx-get)="(/[^"]*)"', text)
            assert addresses and all(one.startswith("/deep/down/") for one in addresses)
            _, headers, _ = await page.ask("POST", "/play", {"game": "pig", "name": 'A ="/seat" B'})
            assert headers["location"].startswith("/deep/down/seat/")
            _, _, table = await page.ask("GET", headers["location"].removeprefix("/deep/down"))
            assert "A =&#34;/seat&#34; B" in table

    run(asked)


def test_a_language_that_was_chosen_is_spoken_from_then_on_also_in_the_next_page(tmp_path: Path) -> None:
    async def chosen() -> None:
        async with Page(tmp_path) as page:
            _, headers, _ = await page.ask("GET", "/?language=de")
            assert "set-cookie" not in headers
            assert '<html lang="de">' in (await page.ask("GET", "/"))[2]

    async def later() -> None:
        async with Page(tmp_path) as page:
            assert '<html lang="de">' in (await page.ask("GET", "/"))[2]

    run(chosen)
    run(later)


def test_who_leaves_while_news_may_come_ends_the_answer(tmp_path: Path) -> None:
    async def left() -> None:
        async with Page(tmp_path) as page:
            _, headers, _ = await page.ask("POST", "/play", {"game": "pig", "name": "Ann"})
            given: list[object] = []
            asked = asyncio.ensure_future(
                page.app.answer(99, "GET", f"{headers['location']}/news", [], b"", lambda *one: given.append(one))
            )
            while not given:
                await asyncio.sleep(0.01)
            page.app.leave(99)
            await asyncio.wait_for(asked, 30)

    run(left)


def test_a_visit_that_nobody_sees_is_answered_and_leaves_no_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, answer = list[str](), Answering.answer

    async def heard(self: Answering, number: int, method: str, address: str, *about: Any) -> None:
        asked.append(f"{method} {re.sub('/seat/.*', '/seat', address)}")
        await answer(self, number, method, address, *about)

    monkeypatch.setattr(Answering, "answer", heard)

    async def visited() -> None:
        for studio in (False, True):
            await visit(workers=InWorkers(SameWorker), game="pig", studio=studio)
        async with Page(tmp_path) as page:
            assert "/seat/" not in (await page.ask("GET", "/"))[2]

    run(visited)
    table = ["GET /", "POST /play", "GET /seat"]
    assert asked[:7] == [*table, *table, "GET /studio"]
    with pytest.raises(RulesError):
        run(lambda: visit(workers=InWorkers(SameWorker), game="nowhere"))


def test_what_is_kept_is_kept_until_nothing_more_has_changed() -> None:
    """Also what changes while it is kept; and nobody waits for nothing."""
    kept = list[int]()

    async def asked() -> None:
        async def keep() -> None:
            kept.append(len(kept))
            if len(kept) == 1:
                keeping.changed()
            await asyncio.sleep(0)

        keeping = _Keeping(keep)
        keeping.changed()  # before anything has begun
        assert not kept
        keeping.begin()
        await keeping.kept()
        assert kept == [0, 1]
        await asyncio.wait_for(keeping.kept(), 30)
        assert kept == [0, 1]
        keeping.changed()
        await keeping.kept()
        assert kept == [0, 1, 2]

    asyncio.run(asked())


def fake(folder: Path, app: Any, origin: str = "https://host.example") -> Answering:
    """An `Answering` whose application is another one."""

    async def keep() -> None:
        return None

    made = Answering(folder, keep, InWorkers(SameWorker), origin=origin, path="/deep", studio=False)
    made.serving.store.close()
    made._app = app
    return made


def test_the_application_is_asked_as_by_a_server_and_what_it_says_goes_on_piece_by_piece(tmp_path: Path) -> None:
    scopes, given = list[Any](), list[Any]()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        scopes.append((scope, await receive()))
        await send({"type": "http.response.start", "status": 201, "headers": [(b"a", "\xe9".encode("latin-1"))]})
        for more, body in ((True, b"one"), (True, b""), (False, b"two")):
            await send({"type": "http.response.body", "body": body, "more_body": more})
        await send({"type": "http.response.trailers"})
        if scope["method"] == "PUT":
            made.leave(7)
            scopes.append(await receive())

    async def asked(method: str, asker: Any = None) -> None:
        headers = [("X-Said", "\xe9\u2603")]
        await made.answer(7, method, "/a/b?c=%20&d", headers, b"body", lambda *one: given.append(one), asker)
        made.leave(7)  # which is over

    made = fake(tmp_path, app)
    kept = list[str]()
    made._keeping.changed = lambda: kept.append("changed")  # type: ignore[method-assign]
    made._owner.cookies._known["k"] = "v"
    asyncio.run(asked("PUT"))
    ((scope, request), gone) = scopes
    assert request == {"type": "http.request", "body": b"body", "more_body": False}
    assert gone == {"type": "http.disconnect"} and kept == ["changed"] and made._gone == {}
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
    assert given == [(201, [("a", "\xe9")]), (b"one",), (b"two",), (None,)]
    guest = made.guest("ben", "/deep/with/ben", "/home")
    assert made.guest("ben", "/other", "/away") is guest and (guest.below, guest.home) == ("/other", "/away")
    asyncio.run(asked("POST", made.guest("ben", "/deep/with/ben", "/home")))
    assert len(scopes) == 2, "that is for no guest"
    asyncio.run(asked("GET"))
    assert kept == ["changed"] * 2, "what only asks changes nothing"


def test_an_application_that_cannot_begin_says_why(tmp_path: Path) -> None:
    for message, said in (({"message": "no room"}, "no room"), ({}, "the application could not begin")):

        async def app(scope: Any, receive: Any, send: Any, more: Any = message) -> None:
            assert scope == {"type": "lifespan"} and await receive() == {"type": "lifespan.startup"}
            await send({"type": "lifespan.startup.failed", **more})
            await send({"type": "lifespan.shutdown.complete"})

        with pytest.raises(RuntimeError, match=f"^{said}$"):
            asyncio.run(fake(tmp_path, app).begin())


def test_a_visit_that_is_not_answered_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answers: list[list[Any]] = [[(400, [])], [(500, [])], []]
    for said in answers:

        async def answer(self: Answering, number: int, method: str, *about: Any, said: Any = said) -> None:
            for one in said:
                about[-1](*one)
            about[-1](b"a page")

        monkeypatch.setattr(Answering, "answer", answer)
        with pytest.raises(RuntimeError, match=r"^the application did not answer GET /$"):
            run(lambda: visit(workers=InWorkers(SameWorker), game="pig", studio=False))


def test_cookies_are_remembered_and_told_to_nobody(tmp_path: Path) -> None:
    cookies = Cookies(tmp_path / "cookies.json")
    assert cookies.header() == []
    said = [("Set-Cookie", "a=1; Path=/"), ("x", "y"), ("set-cookie", "b=2")]
    assert cookies.taken(said) == [("x", "y")] and cookies.header() == [(b"cookie", b"a=1; b=2")]
    assert Cookies(tmp_path / "cookies.json").header() == [(b"cookie", b"a=1; b=2")]


# --- work in other workers -----------------------------------------------------------------------------


class Dies:
    """A worker that dies of the first thing it is asked."""

    ended = 0

    async def ask(self, work: bytes) -> bytes:
        raise OSError("out of memory")

    def end(self) -> None:
        Dies.ended += 1


class Hangs(Dies):
    async def ask(self, work: bytes) -> bytes:
        await asyncio.sleep(1000)
        return b""


@pytest.mark.parametrize(
    ("worker", "said"), [(Dies, f"{WORKER_DIED} .out of memory."), (Hangs, "it took longer than 0.01 s")]
)
def test_a_worker_that_dies_or_hangs_is_ended_and_said_so(
    worker: type[Dies], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("edict.apps.page.web_workers.STARTING", 0.0)
    ended, begun = Dies.ended, list[Worker]()

    def begin(heard: object) -> Worker:
        begun.append(worker())
        return begun[-1]

    async def asked() -> None:
        workers = InWorkers(begin).create_pool(1, TaskLimits(seconds=0.01))
        for _ in range(2):
            with pytest.raises(TaskFailed, match=said):
                await workers.run(max, 1, 2)

    run(asked)
    assert (Dies.ended, len(begun)) == (ended + 2, 2), "another is begun for what is asked next"


def count(last: int, tell: ReportFunction[int]) -> None:
    for number in range(last + 1):
        tell(number)
    if last == 13:
        raise ValueError("thirteen")


def test_long_work_reports_says_why_it_ended_and_can_be_stopped(tmp_path: Path) -> None:
    async def asked() -> None:
        for last, problem in ((3, ""), (13, "thirteen")):
            work = InWorkers(SameWorker).start_job(count, last, at_hand=(), nice=0, reason=str)
            end = time.monotonic() + 30
            while work.running and time.monotonic() < end:
                await asyncio.sleep(0.01)
            assert (work.latest_report(), work.running, work.problem) == (last, False, problem)
        ended = Dies.ended
        endless = InWorkers(lambda heard: Hangs()).start_job(count, 3, at_hand=(), nice=0, reason=str)
        endless.stop()
        assert not endless.running and Dies.ended == ended + 1

    run(asked)


def test_a_worker_begins_once_and_ends_once() -> None:
    begun, ended = list[object](), Dies.ended

    def begin(heard: object) -> Worker:
        begun.append(heard)
        return Hangs()

    async def asked() -> None:
        place = InWorkers(begin)
        place.preload_modules("edict.tools.studio")
        assert begun == []
        place.ready()
        place.ready()
        assert len(begun) == 1
        work = place.start_job(count, 3, at_hand=(), nice=0, reason=str)
        heard: Any = begun[-1]
        heard(pickle.dumps(5))
        assert (len(begun), work.latest_report(), work.wait_for_report(9), work.wait_until_done(9), work.running) == (
            2,
            5,
            5,
            5,
            True,
        )
        work.stop()
        work.stop()
        heard(pickle.dumps(6))
        assert (work.latest_report(), work.running, Dies.ended) == (5, False, ended + 1)

    run(asked)


class Unsayable(Exception):
    """It cannot be sent elsewhere."""

    def __reduce__(self) -> Any:
        raise TypeError("no")


def unsayable() -> None:
    raise Unsayable("so it is")


def test_what_cannot_be_sent_is_told_in_words_and_what_is_gone_need_not_have_been_there(tmp_path: Path) -> None:
    work = pickle.dumps(({tmp_path / "gone": None}, pickle.dumps((unsayable, ()))))
    for _ in range(2):
        good, problem = pickle.loads(carried_out(work, lambda _: None))
        assert (good, type(problem), str(problem)) == (False, TaskFailed, "Unsayable: so it is")


def test_a_worker_has_the_files_that_whoever_gives_it_work_has(tmp_path: Path) -> None:
    mine, there = tmp_path / "mine", list[tuple[dict[Path, bytes | None], bytes]]()

    class Far(SameWorker):
        async def ask(self, work: bytes) -> bytes:
            there.append(pickle.loads(work))
            await asyncio.sleep(0.01)  # to begin takes longer than the work may
            return await super().ask(pickle.dumps(({}, there[-1][1])))

    async def asked() -> None:
        workers = InWorkers(Far, mine).create_pool(1, TaskLimits(seconds=0.001))
        (mine / "isle").mkdir(parents=True)
        (mine / "isle" / "a").write_bytes(b"1")
        await workers.run(max, 1, 2)
        await workers.run(max, 1, 2)
        (mine / "isle" / "a").unlink()
        (mine / "isle" / "b").write_bytes(b"22")
        await workers.run(max, 1, 2)

    run(asked)
    sent = [{file.name: content for file, content in files.items()} for files, _ in there]
    assert sent == [{"a": b"1"}, {}, {"a": None, "b": b"22"}]
    carried_out(pickle.dumps(({tmp_path / "far" / "a": b"1"}, pickle.dumps((max, (1, 2))))), lambda _: None)
    assert (tmp_path / "far" / "a").read_bytes() == b"1"


def test_what_work_raises_is_raised_where_it_was_given() -> None:
    async def asked() -> None:
        with pytest.raises(ZeroDivisionError):
            await InWorkers(SameWorker).create_pool(1, TaskLimits()).run(divmod, 1, 0)

    run(asked)
    assert carried_out(b"no work", lambda _: None)


def test_work_is_done_where_somebody_said() -> None:
    place = InWorkers(SameWorker)
    set_executor(place)
    assert executor.get_executor() is place
