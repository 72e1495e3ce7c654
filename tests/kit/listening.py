"""A listener to the event stream of a table."""

from __future__ import annotations

import threading
from collections.abc import Callable

import httpx2

from serving import OpenedTable

TIMEOUT = 15.0


class EventListener:
    """Collects the events of a table in a thread."""

    def __init__(self, base: str, key: str, last: str = "") -> None:
        self.events: list[dict[str, str]] = []
        self.came = threading.Condition()
        self._client = httpx2.Client(base_url=base, timeout=TIMEOUT)
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

    def wait_for_version(self, version: int) -> None:
        """Wait for the event of a version."""
        self._wait_for(lambda event: event.get("id", "").startswith(f"{version}-"))

    def wait_for_event(self, name: str) -> None:
        """Wait for an event of a name."""
        self._wait_for(lambda event: event["event"] == name)

    def _wait_for(self, condition: Callable[[dict[str, str]], bool]) -> None:
        with self.came:
            assert self.came.wait_for(lambda: any(map(condition, self.events)), TIMEOUT), self.events

    def wait_for_any(self) -> None:
        with self.came:
            assert self.came.wait_for(lambda: bool(self.events), TIMEOUT)

    def close(self) -> None:
        self._client.close()


def answer_first_option(table: OpenedTable) -> int:
    """Answer for whoever is asked and return the new version."""
    key_and_view = table.find_asked()
    assert key_and_view is not None
    version = table.get_version(key_and_view[0])
    assert table.answer(key_and_view[0], version, key_and_view[1]["question"]["options"][0]["key"]).status_code == 200
    return version + 1
