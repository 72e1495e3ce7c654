"""Studies on a real local Dask cluster, also when a worker is killed."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import pytest

from edict.agents.bots import weight_training
from edict.agents.study.bot_games import GameSetup
from edict.agents.study.checkpoint import CHECKPOINT_FILE
from edict.agents.study.league_play import League, LeagueSetup
from edict.agents.study.study_run import Study
from edict.compiler.pipeline.compile import compile_rules
from edict.runtime.simulation import native
from edict.support.processes.cluster import cluster_starter
from edict.support.processes.distribution import WorkersError, run_in_workers, start_inline

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not find_spec("distributed"), reason="Dask is an extra, and not installed here"),
]


@dataclass
class Cluster:
    address: str
    scheduler: subprocess.Popen[bytes]
    workers: list[subprocess.Popen[bytes]]


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextmanager
def running(root: Path, folder: Path, workers: int) -> Iterator[Cluster]:
    """A scheduler and its workers, each a process of its own."""
    environment = {**os.environ, "PYTHONPATH": str(root / "interpreter")}
    started: list[subprocess.Popen[bytes]] = []

    def start(*arguments: str) -> subprocess.Popen[bytes]:
        quiet = subprocess.DEVNULL
        command = [sys.executable, "-m", *arguments, "--no-dashboard"]
        started.append(subprocess.Popen(command, env=environment, stdout=quiet, stderr=quiet, cwd=folder))
        return started[-1]

    address = f"tcp://127.0.0.1:{_free_port()}"
    try:
        scheduler = start("distributed.cli.dask_scheduler", "--host", address)
        hands = [start("distributed.cli.dask_worker", address, "--nthreads", "1", "--no-nanny") for _ in range(workers)]
        yield Cluster(address, scheduler, hands)
    finally:
        for process in started:
            process.kill()
            process.wait()


def _reached(cluster: Cluster, seconds: float = 30) -> None:
    """Wait until the scheduler listens."""
    host, port = cluster.address.removeprefix("tcp://").split(":")
    for _ in range(int(seconds * 10)):
        try:
            socket.create_connection((host, int(port)), 1).close()
            return
        except OSError:
            time.sleep(0.1)
    pytest.fail("the scheduler did not start")


def setup() -> GameSetup:
    return GameSetup(compile_rules("pig").unwrap(), ("random", "random"), (), 1)


def test_killed_worker_loses_no_game_and_counts_none_twice(root: Path, tmp_path: Path) -> None:
    study, straight = Study(setup(), 20_000), Study(setup(), 20_000)
    straight.run(start_inline, lambda done: None)
    with running(root, tmp_path, workers=2) as cluster:
        _reached(cluster)
        victim = cluster.workers[0]

        def told(done: int) -> None:
            if done >= 4000 and victim.poll() is None:
                victim.send_signal(signal.SIGKILL)
                victim.wait()

        study.run(cluster_starter(cluster.address), told)
        assert victim.poll() is not None
    assert study.totals == straight.totals
    assert study.played_games == 20_000


def test_dead_scheduler_is_reported_and_games_are_kept(root: Path, tmp_path: Path) -> None:
    study = Study(setup(), 1_000_000)
    with running(root, tmp_path, workers=1) as cluster:
        _reached(cluster)

        def told(done: int) -> None:
            if cluster.scheduler.poll() is None:
                cluster.scheduler.kill()
                cluster.scheduler.wait()

        with pytest.raises(WorkersError, match="is gone"):
            study.run(cluster_starter(cluster.address), told)
    assert 0 < study.played_games < 1_000_000


def count_games(folder: Path) -> int:
    """Return the number of games in a checkpoint."""
    file = folder / CHECKPOINT_FILE
    lines = file.read_text().splitlines()[1:] if file.is_file() else []
    return sum(json.loads(line)["data"]["games"] for line in lines)


def test_study_continued_after_a_killed_scheduler_equals_a_local_one_to_the_byte(root: Path, tmp_path: Path) -> None:
    study = [sys.executable, "-m", "edict", "study", "pig", "--bots", "random,random", "--seed", "1"]
    study += ["--games", "24000", "--output"]
    local, killed = tmp_path / "local", tmp_path / "killed"
    subprocess.run([*study, str(local), "--workers", "1"], check=True, capture_output=True, timeout=300)
    with running(root, tmp_path, workers=1) as cluster:
        _reached(cluster)
        command = [*study, str(killed), "--cluster", cluster.address]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
            until = time.monotonic() + 120
            while not count_games(killed) and time.monotonic() < until:
                time.sleep(0.02)
            cluster.scheduler.kill()
            _, report = process.communicate(timeout=60)
    assert f"the scheduler at {cluster.address} is gone" in report
    kept = count_games(killed)
    assert f"Stopped after {kept:,} of 24,000 games" in report  # no game that came back is lost
    assert 0 < kept < 24_000
    with running(root, tmp_path, workers=2) as cluster:
        _reached(cluster)
        command = [*study, str(killed), "--resume", "--cluster", cluster.address]
        subprocess.run(command, check=True, capture_output=True, timeout=300)
    for name in ("study.json", "study.csv", "study.html"):
        assert (killed / name).read_bytes() == (local / name).read_bytes()


def test_leagues_and_training_run_on_a_cluster(root: Path, tmp_path: Path) -> None:
    entries = LeagueSetup(compile_rules("kuhn-poker").unwrap(), ("random", "judge"), 2, 1)
    league, straight = League(entries, 60), League(entries, 60)
    straight.run(start_inline, lambda done: None)
    wanted = weight_training.WeightTrainingPlan(compile_rules("pig").unwrap(), 2, 50, 2, 4, 1)
    lesson, alike = weight_training.start_training(wanted), weight_training.start_training(wanted)
    with running(root, tmp_path, workers=2) as cluster:
        _reached(cluster)
        league.run(cluster_starter(cluster.address), lambda done: None)
        if native.is_available():
            list(weight_training.train_weights(lesson, partial(run_in_workers, start=cluster_starter(cluster.address))))
            list(weight_training.train_weights(alike))
            assert list(lesson.weights) == list(alike.weights)
    assert league.meetings == straight.meetings


def test_missing_scheduler_is_reported_in_time(tmp_path: Path) -> None:
    began = time.monotonic()
    with pytest.raises(WorkersError, match="no scheduler answers"):
        Study(setup(), 10).run(cluster_starter(f"tcp://127.0.0.1:{_free_port()}"), lambda done: None)
    assert time.monotonic() - began < 15
