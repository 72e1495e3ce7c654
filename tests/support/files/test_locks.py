"""File locks, held by one process at a time and no longer than it lives."""

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

from calling import make_environment
from edict.support import locks
from edict.support.locks import FileLockedError, Lock, hold_lock, lock_path, wait_for_lock

HOLDS = """
import sys
from pathlib import Path
from edict.support.locks import Lock
lock = Lock(Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
"""


@contextmanager
def hold_in_another_process(path: Path) -> Iterator[subprocess.Popen[str]]:
    """Hold the lock in another process within a `with` block."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLDS, str(path)],
        env=make_environment(path.parent),
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
def test_holder_is_named_and_a_killed_holder_blocks_nobody(tmp_path: Path) -> None:
    game = tmp_path / "game.jsonl"
    with hold_in_another_process(game) as other:
        for _ in range(2):  # being refused takes nothing away
            with pytest.raises(FileLockedError, match=f"by process {other.pid} since"):
                Lock(game)
        other.send_signal(signal.SIGKILL)
        other.wait()
        assert lock_path(game).exists(), "it could not clear up"
        with hold_lock(game), pytest.raises(FileLockedError, match=f"by process {os.getpid()} since"):
            Lock(game)
    assert not lock_path(game).exists()


def test_waiting_for_a_lock_times_out(tmp_path: Path) -> None:
    game = tmp_path / "game.jsonl"
    first = Lock(game)
    with pytest.raises(FileLockedError, match=f"by process {os.getpid()} since"):
        wait_for_lock(game, 0.1)
    Timer(0.2, first.release).start()
    wait_for_lock(game, 60.0).release()
    assert not lock_path(game).exists()


def test_unreferenced_lock_is_released(tmp_path: Path) -> None:
    lock = Lock(tmp_path / "game.jsonl")
    del lock
    Lock(tmp_path / "game.jsonl").release()


def test_holder_on_another_machine_is_named_with_its_host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lock = Lock(tmp_path / "game.jsonl")
    monkeypatch.setattr("socket.gethostname", lambda: "another")
    with pytest.raises(FileLockedError, match=f"by process {os.getpid()} on .+ since"):
        Lock(tmp_path / "game.jsonl")
    lock.release()


def test_record_of_the_holder_does_not_decide(tmp_path: Path, subtests: pytest.Subtests) -> None:
    """Only the system's lock counts, because the process number may have been reused."""
    game = tmp_path / "game.jsonl"
    for text in ("", "no JSON", '{"pid": 1, "host": "here", "since": "long ago"}', "[" * 2000):
        with subtests.test(text=text):
            lock_path(game).write_text(text, encoding="utf-8")
            with hold_lock(game):
                assert str(os.getpid()) in lock_path(game).read_text(encoding="utf-8")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="only Unix forks")
def test_forked_process_does_not_release_its_parents_lock(tmp_path: Path) -> None:
    game = tmp_path / "game.jsonl"
    lock = Lock(game)
    child = os.fork()
    if child == 0:
        try:
            lock.release()
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    with pytest.raises(FileLockedError):
        Lock(game)
    lock.release()


def test_lock_file_removed_meanwhile_is_not_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise two processes would hold the file, one by a lock file that nobody finds any more."""
    game, real, calls = tmp_path / "game.jsonl", locks._try_lock, [0]

    def cleared_up(file: int) -> bool:
        calls[0] += 1
        if calls[0] == 1:
            lock_path(game).unlink()  # whoever held it is done at this very moment
        return real(file)

    monkeypatch.setattr(locks, "_try_lock", cleared_up)
    with hold_lock(game), pytest.raises(FileLockedError):
        Lock(game)
