"""Whatever is asked is answered: no request reaches the handler of failures, and no answer shows anything of Python."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random

import pytest
from starlette.exceptions import HTTPException
from starlette.testclient import TestClient

from edict.apps.web.application import application
from edict.apps.web.new_tables import TableOffer
from edict.apps.web.store import Store
from edict.apps.web.studio.open_variants import StudioServer
from edict.apps.web.table_server import TableServer
from edict.game.table.rules import load_rules
from edict.tools.studio.collection import Collection
from examples import ALL, examples
from hostile_requests import Faults, HostileRequest, RequestGrammar, ask, wrong
from serving import FREE, Opened, _Threads

REQUESTS = examples(400, 20_000)
RENEWED = 100  # requests after which there are new tables: those before have used up what could be done there
COSTLY = "" if ALL else r"/(study|scenes|lenses|hint)$|\.pdf$"
"""Routes that think, or have processes think."""


@dataclass
class Hostile:
    """A server with the studio, and those who send hostile requests to it."""

    client: TestClient
    keys: dict[str, list[str]]
    journal: bytes

    def renew(self) -> None:
        """New tables, rooms and variants, whose links are the keys from then on."""
        pig = Opened.at(self.client, "pig", ["person", "person"])
        alone = self.client.post("/play", data={"game": "pig"}, follow_redirects=True)
        room = self.client.post("/rooms", data={"game": "pig", "name": "Ann"}, follow_redirects=True)
        made = self.client.post("/studio/new", data={"name": "Odd", "over": "pig"}, follow_redirects=False)
        variant = made.headers["location"].rsplit("/", 1)[1].partition("#")[0]
        rules = {"file": "rules.edict", "text": "when end of turn\n  each player\n    gain 1 point\n"}
        self.client.post(f"/studio/{variant}/typed", json=rules)
        begun = self.client.post(f"/studio/{variant}/table/begin", json={}).json()
        own, guest = (str(one.url).rsplit("/", 1)[1] for one in (alone, room))
        hosts, seats = [pig.host, begun["host"]], [*pig.seats, pig.onlookers, own, begun["seat"]]
        rooms = [guest, *re.findall(r"/room/([\w-]+)<", room.text)]
        self.keys |= {"host": hosts, "shared": hosts, "seat": [*seats, pig.host], "room": rooms, "studio": [variant]}


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hostile]:
    folder = tmp_path_factory.mktemp("hostile")
    playing = load_rules("pig").new_game(["Ann", "Ben"], seed=7)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("edict.support.processes.executor._executor", _Threads())
        patch.setattr("edict.apps.web.bot_processes.HINT", 0.05)
        patch.setattr("edict.apps.web.bot_processes.HINT_SLOWER", 0.05)
        serving = TableServer(Store(f"sqlite:///{folder / 'tables.sqlite'}"), TableOffer(), limits=FREE, pause=0.0)
        studio = StudioServer(serving, Collection(folder / "variants"))
        with TestClient(application(serving, studio)) as client:
            yield Hostile(client, {}, playing.journal.to_bytes())
    serving.store.close()


@pytest.fixture(scope="module")
def seed() -> int:
    return Random().randrange(10**6) if ALL else 7


def test_hostile_request_is_answered_in_words(hostile: Hostile, seed: int, caplog: pytest.LogCaptureFixture) -> None:
    grammar = RequestGrammar(hostile.client.app.routes, hostile.keys, Random(seed), hostile.journal, COSTLY)  # type: ignore[attr-defined]
    portal = hostile.client.portal
    assert portal is not None
    faults = Faults()
    for number in range(REQUESTS):
        if number % RENEWED == 0:
            hostile.renew()
        caplog.clear()
        sent = grammar.request(number)
        try:
            found = portal.call(ask, hostile.client.app, sent)
            fault = wrong(sent, found, caplog.records)
        except Exception as problem:
            fault = f"{type(problem).__name__}: {problem}"
        faults.note(sent, fault, caplog.text)
    assert not faults.found, f"seed {seed}: {faults}"


FAILURES: tuple[tuple[Exception, str], ...] = (
    (ValueError("x"), "status 500"),
    (HTTPException(404, "Diagnostic(code=1)"), "it shows"),
    (HTTPException(404, "<Room object at 0x7f>"), "it shows"),
    (HTTPException(404, "no room"), ""),
)


def test_harness_sees_a_failure_and_what_is_shown_of_python(
    hostile: Hostile, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Otherwise the test above would hold whatever happened."""
    portal, sent = hostile.client.portal, HostileRequest("GET", "/gallery", (), b"")
    assert portal is not None
    for failing, seen in FAILURES:
        caplog.clear()
        monkeypatch.setattr("edict.apps.web.new_tables.TableOffer.gallery", _raising(failing))
        fault = wrong(sent, portal.call(ask, hostile.client.app, sent), caplog.records)
        assert fault.startswith(seen) and bool(fault) == bool(seen), fault


def _raising(problem: Exception) -> Callable[..., object]:
    def fail(*_: object) -> object:
        raise problem

    return fail
