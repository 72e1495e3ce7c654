"""A complete page, as a web host serves it to browsers."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

TIMEOUT = 300_000  # milliseconds
WHOLE = pytest.mark.skipif(os.environ.get("EDICT_PAGE") != "all", reason="takes minutes; `make page-test` runs it")


@contextmanager
def host_files(
    folder: Path, before_file: Callable[[str], object] = lambda path: None
) -> Iterator[tuple[str, Callable[[], None]]]:
    """Serve the files of a folder; yield the address and a function that stops the server.

    Args:
        folder: The folder.
        before_file: Called with the path of each request before it is answered.
    """

    class Host(SimpleHTTPRequestHandler):
        def do_GET(self) -> None:
            """Answer a request, after `before_file`."""
            before_file(self.path)
            super().do_GET()

        def log_message(self, *about: object) -> None:
            """Log nothing."""

    host = ThreadingHTTPServer(("127.0.0.1", 0), partial(Host, directory=str(folder)))
    Thread(target=host.serve_forever, daemon=True).start()

    def close() -> None:
        host.shutdown()
        host.server_close()

    try:
        yield f"http://127.0.0.1:{host.server_port}", close
    finally:
        close()
