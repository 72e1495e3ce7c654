"""A page without a browser: what is asked of the application there, and what it answers."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from edict.apps.page.answering import Answering
from edict.apps.page.web_workers import InWorkers, SameWorker

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

        self.app = Answering(self.folder, keep, InWorkers(SameWorker), path=self.path, game="pig")
        await self.app.begin()
        return self

    async def __aexit__(self, *about: object) -> None:
        await self.app.end()

    async def ask(
        self,
        method: str,
        address: str,
        form: Mapping[str, Any] | None = None,
        *,
        guest: str = "",
        headers: Sequence[tuple[str, str]] = (),
    ) -> tuple[int, dict[str, str], str]:
        """The status, the headers and the text of an answer. guest: the name of who asks; empty for the owner."""
        self.asked += 1
        given: list[tuple[Any, ...]] = []
        body = urlencode(form or {}, doseq=True).encode()
        sent = [("content-type", FORM), ("content-length", str(len(body)))] if form is not None else []
        asker = self.app.guest(guest, f"/with/{guest}", HOME) if guest else None
        await self.app.answer(
            self.asked, method, address, [*sent, *headers], body, lambda *one: given.append(one), asker
        )
        (status, said), *rest, end = given
        pieces: list[bytes] = [one for (one,) in rest]
        assert end == (None,)
        assert isinstance(status, int)
        return status, dict(said), b"".join(pieces).decode()


def run(work: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(work())  # type: ignore[arg-type]
