"""Somebody who listens to the news of a table."""

from __future__ import annotations

import threading
from collections.abc import Callable

import httpx2

from serving import Opened

WAIT = 15.0


class Listener:
    """One who listens to a table's news in a thread: the events as they come."""

    def __init__(self, base: str, key: str, last: str = "") -> None:
        self.events: list[dict[str, str]] = []
        self.came = threading.Condition()
        self._client = httpx2.Client(base_url=base, timeout=WAIT)
        headers = {"Last-Event-ID": last} if last else {}
        self._stream = self._client.stream("GET", f"/seat/{key}/news", headers=headers)
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def _listen(self) -> None:
        event: dict[str, str] = {}
        try:
            with self._stream as response:
                for line in response.iter_lines():
                    name, colon, value = line.partition(": ")
                    if colon and name:
                        event[name] = value
                    elif event:
                        with self.came:
                            self.events.append(event)
                            event = {}
                            self.came.notify_all()
        except (httpx2.TransportError, httpx2.StreamError, RuntimeError):
            return

    def until(self, version: int) -> None:
        """Wait until told of this version."""
        self._until(lambda event: event.get("id", "").startswith(f"{version}-"))

    def until_event(self, name: str) -> None:
        """Wait until an event with this name has come."""
        self._until(lambda event: event["event"] == name)

    def _until(self, wanted: Callable[[dict[str, str]], bool]) -> None:
        with self.came:
            assert self.came.wait_for(lambda: any(map(wanted, self.events)), WAIT), self.events

    def begun(self) -> None:
        with self.came:
            assert self.came.wait_for(lambda: bool(self.events), WAIT)

    def close(self) -> None:
        self._client.close()


def answered(table: Opened) -> int:
    """Answer for whoever is asked; gives the version then."""
    asked = table.asked()
    assert asked is not None
    version = table.version(asked[0])
    assert table.answer(asked[0], version, asked[1]["question"]["options"][0]["key"]).status_code == 200
    return version + 1
