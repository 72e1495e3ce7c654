"""A server in this process for all tests of a file that ask for nothing of their own: each opens its tables there.

What serves is loaded only where a test asks for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The `TableServer`, and somebody who asks it."""
    from serving import served

    with served(tmp_path_factory.mktemp("web")) as found:
        yield found


@pytest.fixture
def client(server: Any) -> Any:
    return server[1]


@pytest.fixture
def pig(client: Any) -> Any:
    """A table for two people, `Opened`."""
    from serving import Opened

    return Opened.at(client, "pig", ["person", "person"])


@pytest.fixture
def quick_hints(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are thought about for a fraction of the time."""
    for seconds in ("HINT", "HINT_SLOWER"):
        monkeypatch.setattr(f"edict.apps.web.bot_processes.{seconds}", 0.2)
