"""Hostile requests to the in-page application, by its owner and by guests: each gets a readable response."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from random import Random
from typing import Any

import pytest

from asking_pages import Page, run_async
from edict.game.table.rules import load_rules
from examples import ALL, choose_examples
from hostile_requests import AsgiResponse, FaultCollection, HostileRequest, RequestGrammar, find_fault

pytestmark = pytest.mark.usefixtures("own_workplace")
REQUESTS = choose_examples(150, 5_000)
COSTLY = r"/(study|scenes|lenses|hint)$|\.pdf$|^/static"
HALVES = (("hx-\ud800", "\udfff"), ("accept-language", "\ud800"))
# halves of surrogate pairs, which a guest can send as JSON
SURROGATES = HostileRequest("GET", "/seat/x?since=\ud800", HALVES, b"")


async def send_request(page: Page, request: HostileRequest, guest: str) -> AsgiResponse:
    """Return the response to a request; an event stream is left after its first piece."""
    page.asked += 1
    number, pieces = page.asked, list[tuple[Any, ...]]()

    def send(*arguments: Any) -> None:
        pieces.append(arguments)
        if len(pieces) > 1 and "event-stream" in dict(pieces[0][1]).get("content-type", ""):
            page.app.leave(number)

    asker = page.app.guest(guest, f"/with/{guest}", "http://localhost/") if guest else None
    await asyncio.wait_for(
        page.app.answer(number, request.method, request.target, request.headers, request.body, send, asker), 60
    )
    (status, headers), *rest = pieces
    return AsgiResponse(status, dict(headers), b"".join(one for (one,) in rest if one))


def test_hostile_request_to_a_page_is_answered_in_words(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    seed, faults = Random().randrange(10**6) if ALL else 5, FaultCollection()
    journal = load_rules("pig").new_game(["Ann", "Ben"], seed=7).journal.to_bytes()

    async def send_all() -> None:
        async with Page(tmp_path) as page:
            _, headers, _ = await page.request("POST", "/play", {"game": "pig", "name": "Ann"})
            _, room, _ = await page.request("POST", "/rooms", {"game": "pig", "name": "Ann"})
            _, variant, _ = await page.request("POST", "/studio/new", {"name": "Odd", "over": "pig"})
            _, host, _ = await page.request("POST", "/tables", {"game": "pig", "seat-0": "person", "seat-1": "person"})
            keys = {
                kind: [re.split("[/#]", headers_of_kind["location"])[2]]
                for kind, headers_of_kind in (
                    ("seat", headers),
                    ("room", room),
                    ("studio", variant),
                    ("host", host),
                    ("shared", host),
                )
            }
            rng = Random(seed)
            grammar = RequestGrammar(page.app._app.routes, keys, rng, journal, COSTLY)
            for number in range(REQUESTS):
                caplog.clear()
                request, guest = grammar.make_request(number), rng.choice(("", "", "ann"))
                if number == 7:
                    request, guest = SURROGATES, "ann"
                try:
                    fault = find_fault(request, await send_request(page, request, guest), caplog.records)
                except Exception as problem:
                    fault = f"{type(problem).__name__}: {problem}"
                faults.add(request, fault, caplog.text)

    run_async(send_all)
    assert not faults.found, f"seed {seed}: {faults}"
