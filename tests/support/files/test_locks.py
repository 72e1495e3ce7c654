"""A file is one process's at a time, and for no longer than that process lives."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Timer

import pytest

from calling import environment
from edict.support import locks
from edict.support.locks import InUse, Lock, lock_file, locked, wait_for

HOLDS = """
import sys
from pathlib import Path
from edict.support.locks import Lock
lock = Lock(Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
"""


@contextmanager
def held_elsewhere(path: Path) -> Iterator[subprocess.Popen[str]]:
    """While another process holds the lock."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLDS, str(path)],
        env=environment(path.parent),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as other:
        assert other.stdout is not None and other.stdout.readline() == "held\n"
        try:
            yield other
        finally:
            other.kill()


@pytest.mark.skipif(os.name != "posix", reason="signals as Unix has them")
def test_whoever_holds_it_is_named_while_it_lives_and_holds_nobody_up_once_it_was_killed(tmp_path: Path) -> None:
    game = tmp_path / "game.jsonl"
    with held_elsewhere(game) as other:
        for _ in range(2):  # being refused takes nothing away
            with pytest.raises(InUse, match=f"by process {other.pid} since"):
                Lock(game)
        other.send_signal(signal.SIGKILL)
        other.wait()
        assert lock_file(game).exists(), "it could not clear up"
        with locked(game), pytest.raises(InUse, match=f"by process {os.getpid()} since"):
            Lock(game)
    assert not lock_file(game).exists()


def test_one_waits_for_a_lock_only_so_long(tmp_path: Path) -> None:
    game = tmp_path / "game.jsonl"
    first = Lock(game)
    with pytest.raises(InUse, match=f"by process {os.getpid()} since"):
        wait_for(game, 0.1)
    Timer(0.2, first.release).start()
    wait_for(game, 60.0).release()
    assert not lock_file(game).exists()


def test_a_lock_that_nobody_remembers_is_let_go(tmp_path: Path) -> None:
    lock = Lock(tmp_path / "game.jsonl")
    del lock
    Lock(tmp_path / "game.jsonl").release()


def test_a_holder_on_another_machine_is_told_of_with_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lock = Lock(tmp_path / "game.jsonl")
    monkeypatch.setattr("socket.gethostname", lambda: "another")
    with pytest.raises(InUse, match=f"by process {os.getpid()} on .+ since"):
        Lock(tmp_path / "game.jsonl")
    lock.release()


def test_what_a_lock_says_of_its_holder_is_not_believed(tmp_path: Path) -> None:
    """Only who has it locked holds it: the number of a process may by now be another's."""
    game = tmp_path / "game.jsonl"
    for text in ("", "no JSON", '{"pid": 1, "host": "here", "since": "long ago"}', "[" * 2000):
        lock_file(game).write_text(text, encoding="utf-8")
        with locked(game):
            assert str(os.getpid()) in lock_file(game).read_text(encoding="utf-8"), text


@pytest.mark.skipif(not hasattr(os, "fork"), reason="only Unix forks")
def test_a_process_that_was_forked_gives_nothing_back(tmp_path: Path) -> None:
    game = tmp_path / "game.jsonl"
    lock = Lock(game)
    child = os.fork()
    if child == 0:
        try:
            lock.release()
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    with pytest.raises(InUse):
        Lock(game)
    lock.release()


def test_a_lock_that_is_cleared_up_while_one_reaches_for_it_is_not_taken_for_the_new_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else two would hold the file: one by a lock that nobody finds any more."""
    game, real, calls = tmp_path / "game.jsonl", locks._locked, [0]

    def cleared_up(file: int) -> bool:
        calls[0] += 1
        if calls[0] == 1:
            lock_file(game).unlink()  # whoever held it is done at this very moment
        return real(file)

    monkeypatch.setattr(locks, "_locked", cleared_up)
    with locked(game), pytest.raises(InUse):
        Lock(game)
