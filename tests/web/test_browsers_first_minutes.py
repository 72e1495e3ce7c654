"""The first ten minutes with the page as the only teacher, as docs/first-ten-minutes.md has them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright, of the extra `dev`, is not installed")
from browsing import People, Served, served
from first_minutes import FEW, PAGE, walk

pytestmark = [
    pytest.mark.xdist_group("browsers"),
    pytest.mark.skipif(os.environ.get("EDICT_BROWSERS") != "all", reason="takes minutes: `make browsers`"),
]


@pytest.fixture(scope="module")
def server(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("first")
    with served(folder, "studio", str(folder / "variants"), before=FEW) as running:
        yield running


def test_nobody_needs_to_be_asked_from_the_start_page_to_a_rule_that_a_friend_plays(people: People) -> None:
    steps = walk(people)
    told = PAGE.read_text(encoding="utf-8")
    assert all(f"| {one.title} | {one.done} |" in told for one in steps)
    assert sum(one.person for one in steps) < 12 * 60
