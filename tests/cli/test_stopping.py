"""Long runs: Ctrl-C is acknowledged and obeyed at once, work comes back in small pieces, compiling is for everybody."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from calling import COMMAND, environment, wait_until

from edict.cli.study.progress import progress
from edict.front.compile import compile_rules
from edict.study.games import Setup, Stretch
from edict.study.checkpoint import FILE
from edict.study.studying import Study
from edict.table.journal import read_journal
from edict.study.workers import Crew, alone, processes, spread

PIG = compile_rules("pig").unwrap()


def interrupt() -> None:
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(5)


# --- closed streams


@pytest.mark.skipif(os.name != "posix", reason="descriptors as Unix has them")
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_are_no_mistake_and_no_saved_game_takes_their_place(tmp_path: Path, closed: str) -> None:
    words = ("play", "pig", "--bot", "random", "--bot", "random", "--speed", "0", "--save", "g.jsonl")
    done = subprocess.run(
        ["sh", "-c", f'"$@" {closed}', "sh", *COMMAND, *words], cwd=tmp_path, env=environment(tmp_path),
        stdin=subprocess.DEVNULL, capture_output=True, text=True, encoding="utf-8", timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert read_journal(tmp_path / "g.jsonl").answers


# --- stopping


@pytest.mark.skipif(os.name != "posix", reason="signals are a thing of Unix")
def test_ctrl_c_does_not_wait_for_games_that_take_hours(tmp_path: Path) -> None:
    """Four bots that think five seconds for each of some 240 answers."""
    words = ("study", "--bots", "search@5s", "--workers", "2", "--games", "8", "-o", "kept")
    with subprocess.Popen(
        [*COMMAND, *words], cwd=tmp_path, env=environment(tmp_path), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, encoding="utf-8",
    ) as running:  # fmt: skip
        wait_until((tmp_path / "kept" / FILE).exists)
        time.sleep(4)  # until somebody thinks
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=60)
    assert running.returncode == 130
    assert "Stopping ..." in err and "Traceback" not in out + err


@pytest.mark.skipif(os.name != "posix", reason="signals are a thing of Unix")
def test_what_a_compiler_makes_of_ctrl_c_is_still_ctrl_c(capfd: pytest.CaptureFixture[str]) -> None:
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt), progress("Compiling", None):
        try:
            interrupt()
        except KeyboardInterrupt:
            raise RuntimeError("no compiled object yet") from None
    with pytest.raises(KeyboardInterrupt), progress("Compiling", None):
        try:
            interrupt()
        except KeyboardInterrupt:
            pass  # swallowed
    assert capfd.readouterr().err.count("Stopping ...") == 2
    assert signal.getsignal(signal.SIGINT) is before


def test_other_faults_stay_what_they_are() -> None:
    with pytest.raises(RuntimeError, match="of its own"), progress("Compiling", None):
        raise RuntimeError("of its own")


def nap(seconds: float) -> float:
    time.sleep(seconds)
    return seconds


def test_workers_are_not_waited_for_when_their_work_is_not_wanted() -> None:
    began = time.monotonic()
    with pytest.raises(ZeroDivisionError):
        for _, seconds in spread(nap, [0.0, 300.0, 300.0], processes(2)):
            print(1 / seconds)
    assert time.monotonic() - began < 100


# --- moving


def test_progress_is_told_after_every_few_games() -> None:
    told: list[int] = []
    study = Study(Setup(PIG, ("random", "greedy"), (), 1), 450)
    study.run(alone, told.append)
    assert sorted(told) == told and len(told) >= 4 and told[-1] == 450
    assert Setup(PIG, ("search@20", "random")).piece == 1, "a game of bots that think takes long enough"


def test_pieces_are_made_as_they_are_needed() -> None:
    """A billion games are not listed first."""
    made: list[int] = []

    def pieces() -> Any:
        for number in range(10**9):
            made.append(number)
            yield Stretch(number, 1)

    given = spread(lambda stretch: stretch.first, pieces(), alone)
    assert [next(given)[1] for _ in range(5)] and len(made) < 50


def test_pieces_of_workers_that_died_come_back_first() -> None:
    class Dead(Exception):
        pass

    class Dying:
        """Takes two pieces, gives back one, then dies."""

        taken = 0

        def submit(self, work: Any, piece: int) -> Future[int]:
            future: Future[int] = Future()
            Dying.taken += 1
            if Dying.taken % 5 == 0:
                future.set_exception(Dead())
            else:
                future.set_result(work(piece))
            return future

    @contextmanager
    def hired() -> Any:
        yield Crew(Dying(), 2, (Dead,))  # type: ignore[arg-type]

    found = [piece for piece, _ in spread(lambda piece: piece, range(30), hired)]
    assert sorted(found) == list(range(30)), "each once"
