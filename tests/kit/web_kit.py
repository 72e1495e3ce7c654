"""Fixtures of a server in this process, shared by the tests of a file; each opens its own tables.

The server's modules are imported only if a test asks for them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The `TableServer` and a client of it."""
    from serving import open_server

    with open_server(tmp_path_factory.mktemp("web")) as found:
        yield found


@pytest.fixture
def client(server: Any) -> Any:
    return server[1]


@pytest.fixture
def pig(client: Any) -> Any:
    """A table for two people."""
    from serving import OpenedTable

    return OpenedTable.open_at(client, "pig", ["person", "person"])


@pytest.fixture
def quick_hints(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make hints think for a fraction of the time."""
    for seconds in ("HINT", "HINT_SLOWER"):
        monkeypatch.setattr(f"edict.apps.web.bot_processes.{seconds}", 0.2)
