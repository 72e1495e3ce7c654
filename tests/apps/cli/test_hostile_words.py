"""Hostile command lines, which must end in a message or a result and change no file of the user."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from calling import make_environment
from edict.apps.cli.app import INDEX
from examples import ALL, choose_examples
from hostile_words import SERVERS, command_lines, find_faults, restore_changed, write_hostile_files
from isolating import call_isolated

if not hasattr(signal, "setitimer") or not hasattr(os, "mkfifo"):
    pytest.skip("Windows has neither timers that signal nor named pipes", allow_module_level=True)

PARTS, LINES = choose_examples((1, 60), (8, 500))
FIRST = int.from_bytes(os.urandom(3)) if ALL else 0
TIMEOUT = 3.0  # seconds until Ctrl-C


@contextmanager
def _interrupt_after(seconds: float) -> Iterator[None]:
    """Press Ctrl-C after some seconds."""

    def press(*_: object) -> None:
        os.kill(os.getpid(), signal.SIGINT)

    before = signal.signal(signal.SIGALRM, press)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("part", range(PARTS))
def test_hostile_words_end_in_a_message_and_overwrite_nothing(tmp_path: Path, part: int) -> None:
    folder = tmp_path / "home" / "here"  # `../..` is still the test's own
    write_hostile_files(folder)
    around = make_environment(folder, HOME=str(tmp_path / "home"))
    wrong, first = [], FIRST + part * LINES
    for number, words in enumerate(command_lines(first, LINES), first):
        try:
            with _interrupt_after(TIMEOUT):
                done = call_isolated(folder, words, around)
        except KeyboardInterrupt:  # between the command and its end
            continue
        printed = done.stdout + done.stderr
        found = [*find_faults(done.returncode, printed), *(f"it changed {name}" for name in restore_changed(folder))]
        if found:
            wrong.append((number, [word[:80] for word in words], found, printed[-500:]))
    assert not wrong


def test_every_command_is_tried_with_hostile_words() -> None:
    named = {entry.name for entries in INDEX.values() for entry in entries}
    count = len(named) * 2
    assert {words[0] for words in command_lines(0, count)} | SERVERS >= named
    assert [*command_lines(5, 20)] == [*command_lines(0, 25)][5:], "a line can be drawn again by its number"


@pytest.mark.parametrize(
    ("code", "printed", "found"),
    [
        (0, "fine", []),
        (3, "fine", ["it ended with 3"]),
        (2, "", ["it failed without a word"]),
        (2, "Diagnostic(code='E1')", ["it printed 'Diagnostic('"]),
        (2, "<edict.support.text.Source object at 0x7f>", ["it printed '<edict.support.text.Source object at 0x'"]),
        (0, "\x1b[2J", ["it printed '\\x1b', which can steer a terminal"]),
        (0, "x" * 1_000_001, ["it printed 1,000,001 characters"]),
    ],
)
def test_faults_are_detected_in_printed_output(code: int, printed: str, found: list[str]) -> None:
    assert find_faults(code, printed) == found
