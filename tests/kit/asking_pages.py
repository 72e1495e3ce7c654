"""The in-page application without a browser: requests to it and its responses."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from edict.apps.page.page_application import PageApplication
from edict.apps.page.web_workers import InlineWorker, WebWorkerExecutor

FORM = "application/x-www-form-urlencoded"
HOME = "http://localhost/mine/"


@dataclass
class Page:
    """A browser's page. kept: how often the browser was told to keep what was written."""

    folder: Path
    path: str = ""
    kept: int = 0
    asked: int = 0
    gone: list[object] = field(default_factory=list)

    async def __aenter__(self) -> Page:
        async def keep() -> None:
            self.kept += 1

        self.app = PageApplication(self.folder, keep, WebWorkerExecutor(InlineWorker), path=self.path, game="pig")
        await self.app.begin()
        return self

    async def __aexit__(self, *about: object) -> None:
        await self.app.end()

    async def request(
        self,
        method: str,
        address: str,
        form: Mapping[str, Any] | None = None,
        *,
        guest: str = "",
        headers: Sequence[tuple[str, str]] = (),
    ) -> tuple[int, dict[str, str], str]:
        """Return status, headers and text of a response. `guest` is the name of the visitor, empty for the owner."""
        self.asked += 1
        responses: list[tuple[Any, ...]] = []
        body = urlencode(form or {}, doseq=True).encode()
        sent = [("content-type", FORM), ("content-length", str(len(body)))] if form is not None else []
        asker = self.app.guest(guest, f"/with/{guest}", HOME) if guest else None
        await self.app.answer(
            self.asked, method, address, [*sent, *headers], body, lambda *one: responses.append(one), asker
        )
        (status, said), *rest, end = responses
        pieces: list[bytes] = [one for (one,) in rest]
        assert end == (None,)
        assert isinstance(status, int)
        return status, dict(said), b"".join(pieces).decode()


def run_async(function: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(function())  # type: ignore[arg-type]
