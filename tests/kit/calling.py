"""The command as people call it: in a folder of its own, with nobody at the keyboard.

`kingsburg` calls it within this process, `started` as a process of its own: for tests of what only a process has, such
as its start, its streams and its signals.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import typer.main

import isolating
from edict.apps.cli.app import app

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAM = typer.main.get_command(app)
COMMAND = [sys.executable, "-m", "edict.apps.cli.main"]
UNTRANSLATED = """
from edict.apps.cli.main import main
from edict.runtime.simulation import native
if native.is_available():
    from edict.runtime.machine import translation
    translation.PATIENCE = 30.0
main()
"""  # the command for a process of which nobody asks that it plays by native code of its own (see tests/conftest.py)


def environment(folder: Path, **more: str) -> dict[str, str]:
    """What the command finds around it: saved games of its own in this folder, and `more` before all else."""
    kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS", "LINES")}
    source, games = str(ROOT / "interpreter"), str(folder / "games")
    plain = {"PYTHONIOENCODING": "utf-8", "LC_ALL": "C.UTF-8"}
    return {**kept, "PYTHONPATH": source, "EDICT_GAMES": games, **plain, **more}


def kingsburg(folder: Path, *words: str, typed: str = "", **more: str) -> subprocess.CompletedProcess[str]:
    """The command with these words, and `more` in its environment; a traceback is never acceptable."""
    return _fit(isolating.called(folder, words, environment(folder, **more), typed))


def started(folder: Path, *words: str, typed: str = "", **more: str) -> subprocess.CompletedProcess[str]:
    """The same as a process of its own."""
    done = subprocess.run(
        [*COMMAND, *words],
        cwd=folder,
        env=environment(folder, **more),
        input=typed,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
    )
    return _fit(done)


def _fit(done: subprocess.CompletedProcess[str]) -> subprocess.CompletedProcess[str]:
    assert "Traceback" not in done.stdout + done.stderr, done.stdout + done.stderr
    assert "\x1b" not in done.stdout + done.stderr
    return done


def every_command() -> dict[tuple[str, ...], Any]:
    """Each command with its options, by the words it is called with."""
    commands = vars(PROGRAM)["commands"]
    top: dict[tuple[str, ...], Any] = {(name,): getattr(one, "loaded", one) for name, one in commands.items()}
    within: dict[tuple[str, ...], Any] = {
        (*words, name): one.loaded
        for words, group in top.items()
        for name, one in getattr(group, "commands", {}).items()
    }
    return {**top, **within}


def wait_until(there: Callable[[], bool], seconds: float = 240) -> None:
    """Until something is there that another process makes."""
    for _ in range(int(20 * seconds)):
        if there():
            return
        time.sleep(0.05)
    raise AssertionError(f"nothing came in {seconds} seconds")


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def manifest(name: str, kind: str = "module", **more: str) -> str:
    lines = {"name": name, "title": name.title(), "version": "1.0.0", "kind": kind, **more}
    return "".join(f"{key}: {value}\n" for key, value in lines.items())


def asked_once(name: str, *steps: str) -> dict[str, str]:
    """The files of a game for two in which each is asked one thing, by these steps."""
    rules = f"""\
resource point "point/points"
keep seats as order of player, quiet
game {name} "{name.title()}"
  players 2 to 2
  order seats
  winners players with most point of it
  score point of you
  course
    each player
      play turn
phase turn "Turn"
"""
    more = "".join(f"  {line}\n" for line in "\n".join(steps).splitlines())
    return {"module.yaml": manifest(name, "game", language="1"), f"{name}.edict": rules + more}


GAME = """\
resource coin "coin/coins"
keep seats as order of player, quiet
kind card "card"
  worth number
card ace
  worth 1

game sample "Sample"
  players 1 to 2
  order seats
  winners players with most coin of it
  score coin of you
  course
    each player
      choose one "Which?"
        option "Left"
          gain 1 coin
        option "Right" if coin of you < 9
          gain 2 coin
    each player
      choose one "And now?"
        option "Up"
          gain 3 coin
        option "Down" if coin of you < 9
          gain 4 coin
"""
