"""Earlier fuzzing findings stay fixed, and odd modules are refused or played."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from odd import games
from targets import GAME, TARGETS, build_and_play

CORPUS = sorted(path for path in (Path(__file__).resolve().parent / "corpus").rglob("*") if path.is_file())


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_earlier_findings_stay_fixed(path: Path) -> None:
    TARGETS[path.parent.name](path.read_bytes())


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck), phases=[Phase.generate])
@given(games())
def test_odd_modules_are_refused_or_played(drawn: tuple[str, str, str]) -> None:
    build_and_play(*drawn)


def test_game_for_fuzzed_rules_is_valid() -> None:
    """Otherwise no rules beside it would get any further."""
    assert build_and_play(GAME).ok
    TARGETS["rules"](b"when end of season\n  each player\n    gain 1 coin\n")


def test_fuzz_target_fails_on_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("targets.format_source", lambda source: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        TARGETS["rules"](b"")
