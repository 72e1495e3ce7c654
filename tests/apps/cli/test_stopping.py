"""Interruption of long runs: Ctrl-C and SIGTERM act at once, and finished games are kept."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from calling import COMMAND, make_environment, wait_until
from edict.agents.study.bot_games import GameSetup
from edict.agents.study.checkpoint import CHECKPOINT_FILE
from edict.agents.study.study_run import Study
from edict.apps.cli.command_errors import STOPPED
from edict.apps.cli.command_output import show_progress
from edict.apps.cli.commands.train import run_training
from edict.apps.cli.main import run_command
from edict.compiler.pipeline.compile import compile_rules
from edict.game.table.journal import read_journal
from edict.support.processes.distribution import WorkersError, start_inline

PIG = compile_rules("pig").unwrap()


SLOW = """
import time
class Slow:
    def __init__(self, seed):
        pass
    def choose(self, view, ask, clock):
        time.sleep(0.001)
        with open(__file__ + ".asked", "ab") as file:
            file.write(b".")
        return 0

class Thinks(Slow):
    def choose(self, view, ask, clock):
        super().choose(view, ask, clock)
        time.sleep(3600)
"""


def interrupt_self() -> None:
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(5)


# --- closed streams


@pytest.mark.skipif(os.name != "posix", reason="descriptors as Unix has them")
def test_closed_streams_are_no_mistake_and_no_saved_game_takes_their_place(tmp_path: Path) -> None:
    words = ("play", "pig", "--bot", "random", "--bot", "random", "--speed", "0", "--save", "g.jsonl")
    done = subprocess.run(
        ["sh", "-c", '"$@" <&- >&- 2>&-', "sh", *COMMAND, *words],
        cwd=tmp_path,
        env=make_environment(tmp_path),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert read_journal(tmp_path / "g.jsonl").answers


# --- stopping


def ignore_ctrl_c() -> None:
    """Ignore Ctrl-C, as background jobs of a shell script do."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def run_until_signal(number: int, folder: Path, ready: Callable[[], bool], *words: str) -> str:
    """Start a study, send it a signal as soon as it is ready, and return its errors."""
    with subprocess.Popen(
        [*COMMAND, "study", *words, "-o", "kept"],
        cwd=folder,
        env=make_environment(folder),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        preexec_fn=ignore_ctrl_c if number != signal.SIGINT else None,
    ) as running:
        wait_until((folder / "kept" / CHECKPOINT_FILE).exists)
        wait_until(ready)
        running.send_signal(number)
        out, err = running.communicate(timeout=240)
    assert running.returncode == 130
    assert "Stopping ..." in err and "Traceback" not in out + err
    return err


@pytest.mark.skipif(os.name != "posix", reason="signals are a thing of Unix")
def test_ctrl_c_does_not_wait_for_long_games(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(SLOW)
    study = ("pig", "--bots", "slow.py:Thinks,random", "--workers", "2", "--games", "8")
    run_until_signal(signal.SIGINT, tmp_path, (tmp_path / "slow.py.asked").exists, *study)


@pytest.mark.skipif(os.name != "posix", reason="signals are a thing of Unix")
def test_sigterm_stops_a_study_and_keeps_its_games(tmp_path: Path) -> None:
    """Job schedulers send SIGTERM, and finished games are kept as on Ctrl-C."""
    study = ("pig", "--bots", "slow.py:Slow,random", "--workers", "1", "--games")
    (tmp_path / "slow.py").write_text(SLOW)
    asked = tmp_path / "slow.py.asked"

    def often_asked() -> bool:
        """Several games are over then: one takes some hundred answers."""
        return asked.exists() and asked.stat().st_size > 1500

    said = re.search(r"Stopped after (\d+) of", run_until_signal(signal.SIGTERM, tmp_path, often_asked, *study, "9000"))
    assert said and int(said[1]) > 0
    lines = (tmp_path / "kept" / CHECKPOINT_FILE).read_text().splitlines()[1:]
    assert sum(json.loads(line)["data"]["games"] for line in lines) == int(said[1])


@pytest.mark.skipif(os.name != "posix", reason="signals are a thing of Unix")
def test_ctrl_c_replaced_by_another_exception_is_still_ctrl_c(capfd: pytest.CaptureFixture[str]) -> None:
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt), show_progress("Compiling", None):
        try:
            interrupt_self()
        except KeyboardInterrupt:
            raise RuntimeError("no compiled object yet") from None
    with pytest.raises(KeyboardInterrupt), show_progress("Compiling", None):
        try:
            interrupt_self()
        except KeyboardInterrupt:
            pass  # swallowed
    assert capfd.readouterr().err.count("Stopping ...") == 2
    assert signal.getsignal(signal.SIGINT) is before


def test_study_stopped_before_any_game_prints_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("edict.agents.study.never_happened.NeverSearch.run", stop)
    assert run_command(["study", "pig", "--never", "--games", "2"]) == STOPPED
    assert not capsys.readouterr().out


def test_other_exceptions_pass_through_the_progress_bar() -> None:
    with pytest.raises(RuntimeError, match="of its own"), show_progress("Compiling", None):
        raise RuntimeError("of its own")


def test_training_ends_early_on_ctrl_c_or_lost_workers(
    capsys: pytest.CaptureFixture[str], subtests: pytest.Subtests
) -> None:
    def learning(problem: BaseException | None) -> Iterator[int]:
        yield 1
        if problem is not None:
            raise problem

    for problem, early in ((None, False), (KeyboardInterrupt(), True), (WorkersError("all gone", "start some"), True)):
        with subtests.test(early=early):
            assert run_training(learning(problem), 3) == early
    assert "all gone" in capsys.readouterr().err


# --- moving


def test_progress_is_reported_after_every_few_games() -> None:
    told: list[int] = []
    study = Study(GameSetup(PIG, ("random", "greedy"), (), 1), 450)
    study.run(start_inline, told.append)
    assert sorted(told) == told and len(told) >= 4 and told[-1] == 450
    assert GameSetup(PIG, ("search@20", "random")).piece_size == 1, "a game of bots that think takes long enough"
