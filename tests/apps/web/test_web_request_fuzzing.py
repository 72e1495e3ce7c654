"""Fuzz test of all routes: every request gets a proper response that shows nothing of Python."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random

import pytest
from starlette.exceptions import HTTPException
from starlette.testclient import TestClient

from edict.apps.web.application import create_application
from edict.apps.web.new_tables import TableOffer
from edict.apps.web.store import Store
from edict.apps.web.studio.open_variants import StudioServer
from edict.apps.web.table_server import TableServer
from edict.game.table.rules import load_rules
from edict.tools.studio.collection import Collection
from examples import ALL, choose_examples
from hostile_requests import FaultCollection, HostileRequest, RequestGrammar, find_fault, send_request
from serving import NO_LIMITS, OpenedTable, _ThreadExecutor

REQUESTS = choose_examples(400, 20_000)
RENEWAL_INTERVAL = 100  # requests after which tables are new, because finished tables allow little
# routes that need much computation, here or in worker processes
COSTLY = "" if ALL else r"/(study|scenes|lenses|hint)$|\.pdf$"


@dataclass
class AttackedServer:
    """A server with the studio that gets hostile requests."""

    client: TestClient
    keys: dict[str, list[str]]
    journal: bytes

    def renew_keys(self) -> None:
        """Create new tables, rooms and variants, whose links become the keys."""
        pig = OpenedTable.open_at(self.client, "pig", ["person", "person"])
        quick_play = self.client.post("/play", data={"game": "pig"}, follow_redirects=True)
        room = self.client.post("/rooms", data={"game": "pig", "name": "Ann"}, follow_redirects=True)
        variant_response = self.client.post("/studio/new", data={"name": "Odd", "over": "pig"}, follow_redirects=False)
        variant = variant_response.headers["location"].rsplit("/", 1)[1].partition("#")[0]
        rules = {"file": "rules.edict", "text": "when end of turn\n  each player\n    gain 1 point\n"}
        self.client.post(f"/studio/{variant}/typed", json=rules)
        opened = self.client.post(f"/studio/{variant}/table/begin", json={}).json()
        own_seat, guest = (str(response.url).rsplit("/", 1)[1] for response in (quick_play, room))
        hosts, seats = [pig.host, opened["host"]], [*pig.seats, pig.onlookers, own_seat, opened["seat"]]
        rooms = [guest, *re.findall(r"/room/([\w-]+)<", room.text)]
        self.keys |= {"host": hosts, "shared": hosts, "seat": [*seats, pig.host], "room": rooms, "studio": [variant]}


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AttackedServer]:
    folder = tmp_path_factory.mktemp("hostile")
    game = load_rules("pig").new_game(["Ann", "Ben"], seed=7)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("edict.support.processes.executor._executor", _ThreadExecutor())
        patch.setattr("edict.apps.web.bot_processes.HINT", 0.05)
        patch.setattr("edict.apps.web.bot_processes.HINT_SLOWER", 0.05)
        serving = TableServer(Store(f"sqlite:///{folder / 'tables.sqlite'}"), TableOffer(), limits=NO_LIMITS, pause=0.0)
        studio = StudioServer(serving, Collection(folder / "variants"))
        with TestClient(create_application(serving, studio)) as client:
            yield AttackedServer(client, {}, game.journal.to_bytes())
    serving.store.close()


@pytest.fixture(scope="module")
def seed() -> int:
    return Random().randrange(10**6) if ALL else 7


def test_hostile_request_gets_a_readable_response(
    hostile: AttackedServer, seed: int, caplog: pytest.LogCaptureFixture
) -> None:
    grammar = RequestGrammar(hostile.client.app.routes, hostile.keys, Random(seed), hostile.journal, COSTLY)  # type: ignore[attr-defined]
    portal = hostile.client.portal
    assert portal is not None
    faults = FaultCollection()
    for number in range(REQUESTS):
        if number % RENEWAL_INTERVAL == 0:
            hostile.renew_keys()
        caplog.clear()
        hostile_request = grammar.make_request(number)
        try:
            response = portal.call(send_request, hostile.client.app, hostile_request)
            fault = find_fault(hostile_request, response, caplog.records)
        except Exception as problem:
            fault = f"{type(problem).__name__}: {problem}"
        faults.add(hostile_request, fault, caplog.text)
    assert not faults.found, f"seed {seed}: {faults}"


FAILURES: tuple[tuple[Exception, str], ...] = (
    (ValueError("x"), "status 500"),
    (HTTPException(404, "Diagnostic(code=1)"), "it shows"),
    (HTTPException(404, "<Room object at 0x7f>"), "it shows"),
    (HTTPException(404, "no room"), ""),
)


def test_fault_finder_detects_failures_and_python_in_responses(
    hostile: AttackedServer,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    subtests: pytest.Subtests,
) -> None:
    """Show that the test above can fail."""
    portal, hostile_request = hostile.client.portal, HostileRequest("GET", "/gallery", (), b"")
    assert portal is not None
    for error, expected in FAILURES:
        with subtests.test(error=error):
            caplog.clear()
            monkeypatch.setattr("edict.apps.web.new_tables.TableOffer.gallery", _make_failing(error))
            fault = find_fault(
                hostile_request, portal.call(send_request, hostile.client.app, hostile_request), caplog.records
            )
            assert fault.startswith(expected) and bool(fault) == bool(expected), fault


def _make_failing(problem: Exception) -> Callable[..., object]:
    def fail(*_: object) -> object:
        raise problem

    return fail
