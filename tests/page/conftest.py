"""What all tests of pages share."""

from __future__ import annotations

import pytest

from edict.processes import workplace


@pytest.fixture(autouse=True)
def own_workplace(monkeypatch: pytest.MonkeyPatch) -> None:
    """What other tests have others do is done where it always was."""
    monkeypatch.setattr(workplace, "_in_use", None)
