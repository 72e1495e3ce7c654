"""Calls of the command within the test process, which must behave like calls in a process of their own."""

from __future__ import annotations

import gc
import io
import logging
import os
import shutil
import signal
import sys
import warnings
from pathlib import Path

import pytest

from calling import run_kingsburg, start_kingsburg
from edict.apps.cli import main
from edict.support.locks import Lock

BOT = """\
class Mine:
    def __init__(self, seed):
        print("I am {name}")
    def choose(self, view, ask, clock):
        return 0
"""
PLAY = ("play", "pig", "--bot", "random:Ann", "--bot")


def capture_process_state() -> list[object]:
    """Return the state of the process that a call must not change."""
    handlers = [signal.getsignal(signum) for signum in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM)]
    files = [os.fstat(number)[:3] for number in (0, 1, 2)]
    return [
        Path.cwd(),
        dict(os.environ),
        sys.argv,
        list(sys.path),
        sys.stdin,
        sys.stdout,
        sys.stderr,
        handlers,
        files,
        gc.get_threshold(),
        gc.get_freeze_count(),
        logging.root.handlers[:],
        warnings.filters[:],
        warnings.showwarning,
    ]


@pytest.mark.parametrize("words", ["play pig --bot greedy --bot random --seed 3", "play nowhere"])
def test_call_in_process_prints_the_same_and_changes_no_process_state(tmp_path: Path, words: str) -> None:
    before = capture_process_state()
    within, outside = (call(tmp_path, *words.split(), EDICT_GAMES="kept") for call in (run_kingsburg, start_kingsburg))
    assert capture_process_state() == before
    shutil.rmtree(tmp_path / "kept", ignore_errors=True)
    assert (within.returncode, within.stderr) == (outside.returncode, outside.stderr)
    assert [line for line in within.stdout.splitlines() if "saved in" not in line] == [
        line for line in outside.stdout.splitlines() if "saved in" not in line
    ]


def test_call_finds_bots_of_its_own_folder_only(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for name in ("first", "second"):
        with subtests.test(name=name):
            (tmp_path / name).mkdir()
            (tmp_path / name / "mine.py").write_text(BOT.format(name=name), encoding="utf-8")
            for bot in ("mine:Mine", "mine.py:Mine"):
                done = run_kingsburg(tmp_path / name, *PLAY, bot)
                assert done.returncode == 0 and f"I am {name}" in done.stderr and "mine" not in sys.modules, done.stderr
            assert len(list((tmp_path / name / "games").iterdir())) == 2


def test_output_of_child_processes_and_warnings_is_captured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    def run(words: object) -> int:
        os.write(1, b"from a child\n")
        os.system("echo and another >&2")
        warnings.warn("that is odd", RuntimeWarning, stacklevel=1)
        logging.getLogger("edict").warning("and so is this")
        return 3

    monkeypatch.setattr(main, "run_command", run)
    done = run_kingsburg(tmp_path)
    assert (done.returncode, done.stdout) == (3, "from a child\n")
    for words in ("and another\n", "RuntimeWarning: that is odd", "and so is this\n"):
        with subtests.test(words=words):
            assert words in done.stderr


def test_traceback_fails_the_call_whether_printed_or_raised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = capture_process_state()
    monkeypatch.setattr(main, "run_command", lambda words: print("Traceback (most recent call last):") or 0)
    with pytest.raises(AssertionError, match="Traceback"):
        run_kingsburg(tmp_path)
    monkeypatch.setattr(main, "run_command", lambda words: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        run_kingsburg(tmp_path)
    assert capture_process_state() == before


def test_call_has_no_terminal_and_the_default_width(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr(sys, "stdin", io.StringIO("roll\n"))
    seen: list[object] = []

    def run(words: object) -> int:
        seen.append((sys.stdin.read(), *shutil.get_terminal_size(), sys.stdin.isatty(), sys.stdout.isatty()))
        return 0

    monkeypatch.setattr(main, "run_command", run)
    run_kingsburg(tmp_path)
    run_kingsburg(tmp_path, typed="hold\n")
    assert seen == [("", 80, 24, False, False), ("hold\n", 80, 24, False, False)]


def test_left_game_is_unlocked(tmp_path: Path) -> None:
    person = ("play", "pig", "--human", "Ann", "--bot", "random", "--save", "game.jsonl")
    assert run_kingsburg(tmp_path, *person, typed="quit\n").returncode == 0
    Lock(tmp_path / "game.jsonl").release()
