"""What fuzzing found stays mended, and odd modules are refused or played, never worse."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from odd import games
from targets import GAME, TARGETS, laid_together

CORPUS = sorted(path for path in (Path(__file__).resolve().parent / "corpus").rglob("*") if path.is_file())


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_what_was_found_stays_mended(path: Path) -> None:
    TARGETS[path.parent.name](path.read_bytes())


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck), phases=[Phase.generate])
@given(games())
def test_odd_modules_are_refused_or_played(drawn: tuple[str, str, str]) -> None:
    laid_together(*drawn)


def test_the_game_beside_which_rules_are_fuzzed_is_in_order() -> None:
    """Otherwise nothing that is laid beside it would get any further."""
    assert laid_together(GAME).ok
    TARGETS["rules"](b"when end of season\n  each player\n    gain 1 coin\n")


def test_the_harness_would_see_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("targets.formatted", lambda source: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        TARGETS["rules"](b"")
