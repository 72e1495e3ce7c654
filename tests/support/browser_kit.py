"""Fixtures for tests in real browsers: one browser for all of them, and everybody in it.

Each file has a fixture `server` of its own. The browser's library is loaded only where a test asks for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture(scope="session")
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
