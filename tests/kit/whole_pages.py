"""A whole page, as a host hands it out to browsers."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

PATIENCE = 300_000  # milliseconds, on however busy a machine
WHOLE = pytest.mark.skipif(os.environ.get("EDICT_PAGE") != "all", reason="takes minutes; `make page-test` runs it")


@contextmanager
def hosted(folder: Path) -> Iterator[tuple[str, Callable[[], None]]]:
    """The address of a host of a folder's files, and what closes it."""

    class Host(SimpleHTTPRequestHandler):
        def log_message(self, *about: object) -> None:
            """Nobody wants to know."""

    host = ThreadingHTTPServer(("127.0.0.1", 0), partial(Host, directory=str(folder)))
    Thread(target=host.serve_forever, daemon=True).start()

    def close() -> None:
        host.shutdown()
        host.server_close()

    try:
        yield f"http://127.0.0.1:{host.server_port}", close
    finally:
        close()
