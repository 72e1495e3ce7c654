"""Fixtures for tests of the in-page application: one page built for all tests, and the usual executor."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

LARGEST = 21_000_000  # bytes of a first visit


@pytest.fixture(scope="session")
def page_made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the page once and return the folder that has it as `game/`."""
    from edict.apps.page.page_builder import build_page
    from edict.game.table.rules import load_rules

    folder = tmp_path_factory.mktemp("host")
    pyodide = os.environ.get("EDICT_PYODIDE")
    made_page = build_page(folder / "game", load_rules("kingsburg"), pyodide=Path(pyodide) if pyodide else None)
    assert made_page.first_visit_bytes < LARGEST
    return folder


@pytest.fixture
def own_workplace(monkeypatch: pytest.MonkeyPatch) -> None:
    """Restore the default executor after tests that replace it."""
    from edict.support.processes import executor

    monkeypatch.setattr(executor, "_executor", None)
