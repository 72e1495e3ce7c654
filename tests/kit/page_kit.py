"""Fixtures for tests of pages: one for all who open it in Chromium, as making one takes minutes; where work is done."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

LARGEST = 12_000_000  # bytes that a first visit may fetch


@pytest.fixture(scope="session")
def page_made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which a host has a page as `game/`."""
    from edict.apps.page.making import make_page
    from edict.game.table.rules import load_rules

    folder = tmp_path_factory.mktemp("host")
    pyodide = os.environ.get("EDICT_PYODIDE")
    found = make_page(folder / "game", load_rules("kingsburg"), pyodide=Path(pyodide) if pyodide else None)
    assert found.fetched < LARGEST
    return folder


@pytest.fixture
def own_workplace(monkeypatch: pytest.MonkeyPatch) -> None:
    """What other tests have others do is done where it always was."""
    from edict.support.processes import executor

    monkeypatch.setattr(executor, "_executor", None)
