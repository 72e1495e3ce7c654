"""The command as people run it, in a folder of its own without a terminal.

`run_kingsburg` runs it within this process, `start_kingsburg` in a process of its own, for tests of its start, streams
and signals.
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


def make_environment(folder: Path, **more: str) -> dict[str, str]:
    """Return the environment of the command: saved games in this folder, and `more` variables."""
    inherited = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS", "LINES")}
    source, games = str(ROOT / "interpreter"), str(folder / "games")
    encoding = {"PYTHONIOENCODING": "utf-8", "LC_ALL": "C.UTF-8"}
    return {**inherited, "PYTHONPATH": source, "EDICT_GAMES": games, **encoding, **more}


def run_kingsburg(folder: Path, *words: str, typed: str = "", **more: str) -> subprocess.CompletedProcess[str]:
    """Run the command with these words and `more` environment variables, and assert that it prints no traceback."""
    return _check_output(isolating.call_isolated(folder, words, make_environment(folder, **more), typed))


def start_kingsburg(folder: Path, *words: str, typed: str = "", **more: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own."""
    done = subprocess.run(
        [*COMMAND, *words],
        cwd=folder,
        env=make_environment(folder, **more),
        input=typed,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
    )
    return _check_output(done)


def _check_output(done: subprocess.CompletedProcess[str]) -> subprocess.CompletedProcess[str]:
    assert "Traceback" not in done.stdout + done.stderr, done.stdout + done.stderr
    assert "\x1b" not in done.stdout + done.stderr
    return done


def list_commands() -> dict[tuple[str, ...], Any]:
    """Return each command with its options by the words that call it."""
    commands = vars(PROGRAM)["commands"]
    top_level: dict[tuple[str, ...], Any] = {
        (name,): getattr(command, "loaded", command) for name, command in commands.items()
    }
    subcommands: dict[tuple[str, ...], Any] = {
        (*words, name): command.loaded
        for words, group in top_level.items()
        for name, command in getattr(group, "commands", {}).items()
    }
    return {**top_level, **subcommands}


def wait_until(condition: Callable[[], bool], seconds: float = 240) -> None:
    """Wait until a condition holds that another process brings about."""
    for _ in range(int(20 * seconds)):
        if condition():
            return
        time.sleep(0.05)
    raise AssertionError(f"nothing came in {seconds} seconds")


def write_files(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def make_manifest(name: str, kind: str = "module", **more: str) -> str:
    lines = {"name": name, "title": name.title(), "version": "1.0.0", "kind": kind, **more}
    return "".join(f"{key}: {value}\n" for key, value in lines.items())


def make_two_question_game(name: str, *steps: str) -> dict[str, str]:
    """The files of a game for two in which each player is asked one question by these steps."""
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
    return {"module.yaml": make_manifest(name, "game", language="1"), f"{name}.edict": rules + more}


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
