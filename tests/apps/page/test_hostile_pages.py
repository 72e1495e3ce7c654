"""The application of a page, asked what no page asks, by its owner and by guests: each request is answered in words."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from random import Random
from typing import Any

import pytest

from asking_pages import Page, run
from edict.game.table.rules import load_rules
from examples import ALL, examples
from hostile_requests import Answered, Faults, HostileRequest, RequestGrammar, wrong

pytestmark = pytest.mark.usefixtures("own_workplace")
REQUESTS = examples(150, 5_000)
COSTLY = r"/(study|scenes|lenses|hint)$|\.pdf$|^/static"
HALVES = (("hx-\ud800", "\udfff"), ("accept-language", "\ud800"))
SURROGATES = HostileRequest("GET", "/seat/x?since=\ud800", HALVES, b"")
"""Halves of characters, which a guest can send as JSON."""


async def answered(page: Page, sent: HostileRequest, guest: str) -> Answered:
    """What a page's application answers; a part of what never ends is enough."""
    page.asked += 1
    number, given = page.asked, list[tuple[Any, ...]]()

    def send(*one: Any) -> None:
        given.append(one)
        if len(given) > 1 and "event-stream" in dict(given[0][1]).get("content-type", ""):
            page.app.leave(number)

    asker = page.app.guest(guest, f"/with/{guest}", "http://localhost/") if guest else None
    await asyncio.wait_for(page.app.answer(number, sent.method, sent.target, sent.headers, sent.body, send, asker), 60)
    (status, said), *rest = given
    return Answered(status, dict(said), b"".join(one for (one,) in rest if one))


def test_hostile_request_to_a_page_is_answered_in_words(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    seed, faults = Random().randrange(10**6) if ALL else 5, Faults()
    journal = load_rules("pig").new_game(["Ann", "Ben"], seed=7).journal.to_bytes()

    async def asked() -> None:
        async with Page(tmp_path) as page:
            _, headers, _ = await page.ask("POST", "/play", {"game": "pig", "name": "Ann"})
            _, room, _ = await page.ask("POST", "/rooms", {"game": "pig", "name": "Ann"})
            _, variant, _ = await page.ask("POST", "/studio/new", {"name": "Odd", "over": "pig"})
            _, host, _ = await page.ask("POST", "/tables", {"game": "pig", "seat-0": "person", "seat-1": "person"})
            own = {
                kind: [re.split("[/#]", told["location"])[2]]
                for kind, told in (
                    ("seat", headers),
                    ("room", room),
                    ("studio", variant),
                    ("host", host),
                    ("shared", host),
                )
            }
            rng = Random(seed)
            grammar = RequestGrammar(page.app._app.routes, own, rng, journal, COSTLY)
            for number in range(REQUESTS):
                caplog.clear()
                sent, guest = grammar.request(number), rng.choice(("", "", "ann"))
                if number == 7:
                    sent, guest = SURROGATES, "ann"
                try:
                    fault = wrong(sent, await answered(page, sent, guest), caplog.records)
                except Exception as problem:
                    fault = f"{type(problem).__name__}: {problem}"
                faults.note(sent, fault, caplog.text)

    run(asked)
    assert not faults.found, f"seed {seed}: {faults}"
