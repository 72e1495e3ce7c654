"""Worker processes, in which a task harms no other, and companions that end with their process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from types import ModuleType

import pytest

from calling import make_environment, wait_until
from edict.support.processes.distribution import WorkersError, process_starter, run_in_workers

LONG = 60.0  # seconds that nothing here takes


def _run_piece(folder: Path, piece: int) -> int:
    """Kill the process at the first piece; at the second, wait until that has happened."""
    (folder / f"{piece}.{time.time_ns()}.begun").touch()
    if piece == 0 and not (folder / "died").exists():
        (folder / "died").touch()
        os._exit(9)
    if piece == 1:
        wait_until((folder / "died").exists)
        wait_until(lambda: len(list(folder.glob("0.*.begun"))) == 2)
    return piece * piece


def test_dying_worker_loses_no_other_task(tmp_path: Path) -> None:
    found = dict(run_in_workers(partial(_run_piece, tmp_path), range(6), process_starter(2)))
    assert found == {piece: piece * piece for piece in range(6)}
    times = [len(list(tmp_path.glob(f"{piece}.*.begun"))) for piece in range(6)]
    assert times == [2, 1, 1, 1, 1, 1], "only what the dead worker had in hand is done again"


def _kill_worker(piece: int) -> int:
    if piece == 3:
        os._exit(9)
    return piece


@pytest.mark.slow
def test_task_that_kills_every_worker_is_given_up() -> None:
    with pytest.raises(WorkersError, match="died 4 times on the same task") as raised:
        list(run_in_workers(_kill_worker, range(8), process_starter(2)))
    assert "+process" in raised.value.remedy


def test_workers_without_the_function_report_it(monkeypatch: pytest.MonkeyPatch) -> None:
    here = ModuleType("only_here")
    exec("def doubled(number):\n    return 2 * number", vars(here))
    monkeypatch.setitem(sys.modules, "only_here", here)
    with pytest.raises(WorkersError, match="the workers failed: No module named 'only_here'"):
        list(run_in_workers(here.doubled, range(8), process_starter(2)))


UNGUARDED = """
from edict.support.processes.distribution import process_starter, run_in_workers
print(dict(run_in_workers(abs, [-1], process_starter(2))))
"""


def _run_script(folder: Path, how: str) -> str:
    """Run the script in one of the ways that Python has, and return all output."""
    (folder / "unguarded.py").write_text(UNGUARDED, encoding="utf-8")
    words = {"stdin": ["-"], "command": ["-c", UNGUARDED], "file": ["unguarded.py"]}[how]
    done = subprocess.run(
        [sys.executable, *words],
        cwd=folder,
        input=UNGUARDED if how == "stdin" else "",
        capture_output=True,
        text=True,
        env=make_environment(folder),
        timeout=120,
    )
    return done.stdout + done.stderr


def test_script_that_workers_cannot_import_is_refused_with_one_message(tmp_path: Path) -> None:
    told = _run_script(tmp_path, "stdin")
    assert told.count("Traceback") == 1 and "FileNotFoundError" not in told
    assert told.strip().splitlines()[-1].endswith("(save it as a file, or use one worker)")
    assert _run_script(tmp_path, "command") == "{-1: 1}\n", "there is nothing to import"


def test_script_without_guard_is_refused_with_one_message(tmp_path: Path) -> None:
    told = _run_script(tmp_path, "file")
    assert told.count("Traceback") == 1 and "bootstrapping" not in told and "During handling" not in told
    assert 'must do so below `if __name__ == "__main__":`' in told.strip().splitlines()[-1]


FEW = """
from edict.support.processes.distribution import process_starter, run_in_workers

def same(piece):
    return piece

if __name__ == "__main__":
    for _ in range(5):
        print(list(run_in_workers(same, [1], process_starter(8))))
"""


@pytest.mark.slow
def test_processes_stopped_at_their_start_print_nothing(tmp_path: Path) -> None:
    (tmp_path / "few.py").write_text(FEW)
    path = os.pathsep.join(filter(None, sys.path))
    done = subprocess.run(
        [sys.executable, "few.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=LONG,
    )
    assert (done.stdout, done.stderr) == ("[(1, 1)]\n" * 5, "")


COMPANION = """
import sys, time
from pathlib import Path
from edict.support.processes.child import exit_with_parent
exit_with_parent(Path(sys.argv[1]))
Path(sys.argv[1], "ready").touch()
time.sleep(600)
"""

OWNER = """
import sys, time
from edict.support.processes.child import start_companion
print(start_companion("beside", sys.argv[1]).pid, flush=True)
time.sleep(600)
"""


@pytest.mark.skipif(os.name != "posix", reason="signals are a thing of Unix")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_companion_ends_with_its_process_in_any_case(tmp_path: Path, number: int) -> None:
    (tmp_path / "beside.py").write_text(COMPANION)
    shared = tmp_path / "shared"
    shared.mkdir()
    path = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
    words = [sys.executable, "-c", OWNER, str(shared)]
    with subprocess.Popen(words, env={**os.environ, "PYTHONPATH": path}, stdout=subprocess.PIPE, text=True) as owner:
        assert owner.stdout is not None
        companion = int(owner.stdout.readline())
        wait_until((shared / "ready").exists)
        owner.send_signal(number)
        owner.wait(LONG)
    wait_until(lambda: not _is_alive(companion))
    wait_until(lambda: not shared.exists())


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return "Z" not in Path(f"/proc/{process}/stat").read_text().split(")")[-1][:3] if Path("/proc").is_dir() else True


def _nap(seconds: float) -> float:
    time.sleep(seconds)
    return seconds


def test_unwanted_workers_are_killed_without_waiting() -> None:
    began = time.monotonic()
    with pytest.raises(ZeroDivisionError):
        for _, seconds in run_in_workers(_nap, [0.0, 300.0, 300.0], process_starter(2)):
            print(1 / seconds)
    assert time.monotonic() - began < 100
