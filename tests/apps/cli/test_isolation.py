"""Tests call the command within their own process: it must find, say and leave what a process of its own would."""

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

from calling import kingsburg, started
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


def around() -> list[object]:
    handlers = [signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM)]
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
def test_it_says_the_same_as_in_a_process_of_its_own_and_leaves_no_trace(tmp_path: Path, words: str) -> None:
    before = around()
    within, outside = (call(tmp_path, *words.split(), EDICT_GAMES="kept") for call in (kingsburg, started))
    assert around() == before
    shutil.rmtree(tmp_path / "kept", ignore_errors=True)
    assert (within.returncode, within.stderr) == (outside.returncode, outside.stderr)
    assert [line for line in within.stdout.splitlines() if "saved in" not in line] == [
        line for line in outside.stdout.splitlines() if "saved in" not in line
    ]


def test_the_next_one_finds_its_own_folder_and_not_the_bots_of_another(tmp_path: Path) -> None:
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "mine.py").write_text(BOT.format(name=name), encoding="utf-8")
        for bot in ("mine:Mine", "mine.py:Mine"):
            done = kingsburg(tmp_path / name, *PLAY, bot)
            assert done.returncode == 0 and f"I am {name}" in done.stderr and "mine" not in sys.modules, done.stderr
        assert len(list((tmp_path / name / "games").iterdir())) == 2


def test_what_is_told_past_python_is_heard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def run(words: object) -> int:
        os.write(1, b"from a child\n")
        os.system("echo and another >&2")
        warnings.warn("that is odd", RuntimeWarning, stacklevel=1)
        logging.getLogger("edict").warning("and so is this")
        return 3

    monkeypatch.setattr(main, "run", run)
    done = kingsburg(tmp_path)
    assert (done.returncode, done.stdout) == (3, "from a child\n")
    for words in ("and another\n", "RuntimeWarning: that is odd", "and so is this\n"):
        assert words in done.stderr


def test_a_traceback_is_refused_whether_told_or_raised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = around()
    monkeypatch.setattr(main, "run", lambda words: print("Traceback (most recent call last):") or 0)
    with pytest.raises(AssertionError, match="Traceback"):
        kingsburg(tmp_path)
    monkeypatch.setattr(main, "run", lambda words: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        kingsburg(tmp_path)
    assert around() == before


def test_nobody_is_at_its_keyboard_and_its_lines_are_as_wide_as_without_a_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr(sys, "stdin", io.StringIO("roll\n"))
    seen: list[object] = []

    def run(words: object) -> int:
        seen.append((sys.stdin.read(), *shutil.get_terminal_size(), sys.stdin.isatty(), sys.stdout.isatty()))
        return 0

    monkeypatch.setattr(main, "run", run)
    kingsburg(tmp_path)
    kingsburg(tmp_path, typed="hold\n")
    assert seen == [("", 80, 24, False, False), ("hold\n", 80, 24, False, False)]


def test_a_game_it_has_left_is_free_for_another_process(tmp_path: Path) -> None:
    person = ("play", "pig", "--human", "Ann", "--bot", "random", "--save", "game.jsonl")
    assert kingsburg(tmp_path, *person, typed="quit\n").returncode == 0
    Lock(tmp_path / "game.jsonl").release()
