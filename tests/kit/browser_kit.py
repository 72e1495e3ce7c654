"""Fixtures for tests in real browsers: for each file of them one browser, one server, and everybody in it.

No browser outlives its file: its library runs a loop of events as long, and nobody else in the process could run one.
The browser's library is loaded only where a test asks for it.
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


@pytest.fixture(scope="module")
def visited_server(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The studio, which has tables too."""
    from browsing import served
    from studio_browsing import FEW

    folder = tmp_path_factory.mktemp("served")
    with served(folder, "studio", str(folder / "variants"), before=FEW) as running:
        yield running


@pytest.fixture
def people(browser: Any, visited_server: Any) -> Iterator[Any]:
    """Everybody in the pages of one test; no page may have complained of anything."""
    from browsing import People

    here = People(browser, visited_server)
    yield here
    here.leave()
    assert not here.complaints


@pytest.fixture(scope="module")
def _begun(browser: Any, visited_server: Any) -> Iterator[Any]:
    """A page at the beginning of the tutorial."""
    from browsing import People
    from studio_browsing import begin_tutorial

    here = People(browser, visited_server)
    page = here.page()
    begin_tutorial(page)
    yield page
    here.leave()
    assert not here.complaints


@pytest.fixture
def writing(_begun: Any) -> Any:
    """The same page for one test after the other, each with nothing in the editor."""
    from studio_browsing import empties

    empties(_begun)
    return _begun
