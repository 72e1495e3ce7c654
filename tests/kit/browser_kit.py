"""Fixtures for tests in real browsers: one browser and one server for each file of tests.

No browser outlives its file, because its library runs an event loop as long, and nothing else in the process could
run one. The library is imported only if a test asks for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from browsing import launch_chromium

    with launch_chromium() as found:
        yield found


@pytest.fixture(scope="module")
def visited_server(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A server of the studio, which has tables too."""
    from browsing import run_server
    from studio_browsing import FEW

    folder = tmp_path_factory.mktemp("served")
    with run_server(folder, "studio", str(folder / "variants"), before=FEW) as running:
        yield running


@pytest.fixture
def people(browser: Any, visited_server: Any) -> Iterator[Any]:
    """The browsers of one test, whose pages must have logged no error."""
    from browsing import People

    browsers = People(browser, visited_server)
    yield browsers
    browsers.close_all()
    assert not browsers.complaints


@pytest.fixture(scope="module")
def _begun(browser: Any, visited_server: Any) -> Iterator[Any]:
    """A page at the beginning of the tutorial."""
    from browsing import People
    from studio_browsing import begin_tutorial

    here = People(browser, visited_server)
    page = here.open_page()
    begin_tutorial(page)
    yield page
    here.close_all()
    assert not here.complaints


@pytest.fixture
def writing(_begun: Any) -> Any:
    """One page for all tests, with an empty editor for each."""
    from studio_browsing import clear_editor

    clear_editor(_begun)
    return _begun
