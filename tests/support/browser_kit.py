"""Fixtures for tests in real browsers: one browser for each file of them, and everybody in it.

Each file has a fixture `server` of its own. No browser outlives its file: its library runs a loop of events as long,
and nobody else in the process could run one. The browser's library is loaded only where a test asks for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from browsing import chromium

    with chromium() as found:
        yield found


@pytest.fixture
def people(browser: Any, server: Any) -> Iterator[Any]:
    """Everybody in the pages of one test; no page may have complained of anything."""
    from browsing import People

    here = People(browser, server)
    yield here
    here.leave()
    assert not here.complaints
