"""Leagues: fair tables, ratings that see who is stronger, and a command that says what is wrong with its options."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

import edict
from edict.study.league import play, tables
from edict.study.rating import Meeting, available, rated

needs_openskill = pytest.mark.skipif(not available(), reason="openskill is an extra, and not installed here")


def kingsburg(*args: str, wait: float = 120) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "edict.cli.main", *args], capture_output=True, text=True, timeout=wait, check=False
    )


def test_every_bot_sits_everywhere_equally_often() -> None:
    seated = list(tables(["a", "b", "c"], 2, 60, 1))
    for seat in range(2):
        assert set(Counter(kinds[seat] for kinds in seated).values()) == {20}
    assert Counter(map(frozenset, seated)) == {frozenset(p): 20 for p in ("ab", "ac", "bc")}


def test_more_seats_than_bots() -> None:
    seated = list(tables(["a", "b"], 4, 30, 1))
    assert all(len(kinds) == 4 and set(kinds) == {"a", "b"} for kinds in seated)


@needs_openskill
def test_who_wins_more_is_rated_higher() -> None:
    meetings = [Meeting(("good", "bad"), (1.0, 0.0), (9, 3))] * 20 + [Meeting(("bad", "good"), (1.0, 0.0), (5, 4))] * 4
    first, second = rated(meetings)
    assert (first.kind, second.kind) == ("good", "bad")
    assert first.interval[0] > second.interval[1]
    assert first.wins.value == pytest.approx(20 / 24) and first.wins.low < 20 / 24 < first.wins.high
    assert first.even == second.even == 0.5
    assert rated(meetings)[0].sigma < rated(meetings[:6])[0].sigma, "more games, more certain"


@needs_openskill
def test_alike_bots_are_rated_alike() -> None:
    meetings = [Meeting(("a", "b"), (1.0, 0.0), (2, 1)), Meeting(("b", "a"), (1.0, 0.0), (2, 1))] * 20
    one, other = rated(meetings)
    assert one.interval[0] < other.mu < one.mu < other.interval[1]


def test_a_game_of_the_league_can_be_played_again() -> None:
    program = edict.load("kuhn-poker").program
    assert play(program, ("random", "judge"), 5) == play(program, ("random", "judge"), 5)


@needs_openskill
def test_the_command(tmp_path: Path) -> None:
    file = tmp_path / "league.json"
    ran = kingsburg("league", "kuhn-poker", "--bots", "random,judge", "--games", "12", "-o", str(file))
    assert ran.returncode == 0, ran.stderr
    assert "12 games" in ran.stdout and "random" in ran.stdout and "judge" in ran.stdout
    data = json.loads(file.read_text())
    assert len(data["games"]) == 12
    assert {bot["bot"] for bot in data["bots"]} == {"random", "judge"}
    for bot in data["bots"]:
        assert bot["interval"][0] <= bot["wins"] <= bot["interval"][1]


@needs_openskill
@pytest.mark.parametrize(
    ("args", "reason"),
    [
        (("--bots", "random,greddy"), "there is no bot `greddy`"),
        (("--bots", "random"), "two or more different bots"),
        (("--games", "0"), "--games cannot be 0"),
        (("--budget", "soon"), "no time to think"),
        (("--players", "9"), "not for 9 players"),
        (("--bots", "random,greedy@nowhere.json"), "nowhere.json cannot be read"),
        (("-o", "nowhere/at/all.json"), "cannot be written"),
        (("--seed", "-3"), "--seed cannot be -3"),
    ],
)
def test_what_cannot_be(args: tuple[str, ...], reason: str) -> None:
    ran = kingsburg("league", "kuhn-poker", *args)
    assert ran.returncode == 2, ran.stderr
    assert reason in ran.stderr and ran.stderr.count("kingsburg:") == 1 and "help:" in ran.stderr


@needs_openskill
def test_stopped_in_the_middle_it_tells_what_it_has(tmp_path: Path) -> None:
    file = tmp_path / "league.json"
    command = ["league", "pig", "--bots", "random,judge", "--games", "1000000", "-o", str(file)]
    process = subprocess.Popen(
        [sys.executable, "-m", "edict.cli.main", *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )  # fmt: skip
    time.sleep(8)
    process.send_signal(signal.SIGINT)
    told, wrong = process.communicate(timeout=60)
    assert process.returncode == 130, wrong
    assert "of 1000000" in told and "Traceback" not in wrong
    assert len(json.loads(file.read_text())["games"]) > 0


@pytest.mark.parametrize(
    ("args", "reason"),
    [
        (("--games", "3"), "--games cannot be 3"),
        (("--players", "7"), "not for 7 players"),
        (("-o", "nowhere/at/all.json"), "cannot be written"),
    ],
)
def test_training_that_cannot_be(args: tuple[str, ...], reason: str) -> None:
    ran = kingsburg("train", "kuhn-poker", *args)
    assert ran.returncode == 2, ran.stderr
    assert (reason in ran.stderr or "needs Numba" in ran.stderr) and "help:" in ran.stderr
