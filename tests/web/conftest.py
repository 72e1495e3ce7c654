"""One server in this process for all tests that ask for nothing of their own: each opens tables of its own there."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from serving import Opened, served
from starlette.testclient import TestClient

from edict.web.table_server import TableServer


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[TableServer, TestClient]]:
    with served(tmp_path_factory.mktemp("web")) as found:
        yield found


@pytest.fixture
def client(server: tuple[TableServer, TestClient]) -> TestClient:
    return server[1]


@pytest.fixture
def pig(client: TestClient) -> Opened:
    """A table for two."""
    return Opened.at(client, "pig", ["person", "person"])


@pytest.fixture
def quick_hints(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are thought about for a fraction of the time."""
    for seconds in ("HINT", "HINT_SLOWER"):
        monkeypatch.setattr(f"edict.web.bot_processes.{seconds}", 0.2)
