"""Published figures from many games: the scripts behind their tables, and agreement with current rules and bots."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from calling import make_environment
from edict.runtime.simulation import native


@pytest.fixture(scope="module")
def bench(root: Path) -> Iterator[ModuleType]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(root / "benchmarks" / "edict-bench"))
        import edict_bench

        yield edict_bench


def test_every_benchmark_game_has_a_result_for_each_baseline(bench: ModuleType, subtests: pytest.Subtests) -> None:
    _, baselines, tables = bench.frozen()
    played = {(result.rules, result.bot): result for result in bench.read()}
    assert len(tables) == 10 and len(played) == len(bench.read())
    for table in tables:
        for bot in baselines:
            with subtests.test(bot=bot):
                result = played[table.rules, bench.same_as(table, bot)]
                assert result.games == table.players * table.rounds_of(result.bot) and 0 <= result.won <= result.games


def test_rules_that_differ_from_the_benchmark_set_are_named(bench: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    seed, baselines, tables = bench.frozen()
    pig = next(table for table in tables if table.rules == "pig")
    monkeypatch.setattr(bench, "frozen", lambda: (seed, baselines, [pig]))
    assert list(bench.changed(bots=False)) == []
    monkeypatch.setattr(bench, "frozen", lambda: (seed, baselines, [replace(pig, plays="0" * 16)]))
    (line,) = bench.changed(bots=False)
    assert line.startswith("pig: the rules play otherwise")


def test_benchmark_bot_plays_each_seat_equally_often(bench: ModuleType) -> None:
    table = bench.Table("pig", 2, "random", rounds=6, thinking=1)
    found = bench.reached(table, "judge", 6, seed=1)
    assert (found.games, found.even) == (12, 0.5) and found.score_low < found.score < found.score_high
    assert found == bench.reached(table, "judge", 6, seed=1)


@pytest.mark.slow
@pytest.mark.skipif(not native.is_available(), reason="in plain Python this takes an hour")
@pytest.mark.parametrize("script", ["balance.py", "edict-bench/edict_bench.py"])
def test_published_figures_are_current(root: Path, tmp_path: Path, script: str) -> None:
    checked = subprocess.run(
        [sys.executable, str(root / "benchmarks" / script), "--check"],
        cwd=tmp_path,
        env=make_environment(tmp_path),
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=600,
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr
