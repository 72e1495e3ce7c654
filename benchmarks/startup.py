"""How long one waits: for help, for a check of the rules, for the first question of a game.

    python benchmarks/startup.py
    python benchmarks/startup.py --runs 20

Each command runs in a process of its own, with byte code and what was found of the rules already in their
caches; `benchmarks/check.py` measures checks of rules that have changed. The least of the runs is what the
commands need, the median what one notices.
"""

from __future__ import annotations

import argparse
import compileall
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from machine import machine

import edict

MAIN = "import sys; from edict.apps.cli.main import main; sys.exit(main())"


@dataclass(frozen=True)
class Command:
    """What is timed; `limit` in seconds. `first` ends the clock at the first line of output."""

    title: str
    words: tuple[str, ...]
    limit: float
    first: bool = False


COMMANDS = (
    Command("kingsburg --help", ("--help",), 0.2),
    Command("kingsburg check", ("check", "kingsburg"), 1.5),
    Command("kingsburg play, first line", ("play", "--seed", "7"), 0.6, first=True),
)


def seconds(command: Command, environment: dict[str, str]) -> float:
    """One run. Raises `RuntimeError` if the command fails."""
    start = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-c", MAIN, *command.words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )
    assert process.stdout is not None
    if command.first:
        line = process.stdout.readline()
        taken = time.perf_counter() - start
        process.kill()
        process.communicate()
        if not line:
            raise RuntimeError(f"`{command.title}` said nothing")
        return taken
    _, said = process.communicate()
    if process.returncode:
        raise RuntimeError(f"`{command.title}` ended with {process.returncode}: {said.strip()[-500:]}")
    return time.perf_counter() - start


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=7, help="how often each command runs (default: %(default)s)")
    chosen = parser.parse_args()
    package = Path(edict.__file__).parent
    compileall.compile_dir(package, quiet=1)
    print(f"Start-up, {machine()}\n")
    print(f"{'':28} {'least':>7} {'median':>7} {'limit':>6}")
    late = 0
    with tempfile.TemporaryDirectory() as folder:
        places = {f"XDG_{name}_HOME": folder for name in ("CACHE", "DATA", "STATE", "CONFIG")}
        environment = {**os.environ, **places, "PYTHONPATH": str(package.parent), "EDICT_CACHE": f"{folder}/edict"}
        for command in COMMANDS:
            try:
                seconds(command, environment)  # fills the caches
                runs = [seconds(command, environment) for _ in range(chosen.runs)]
            except RuntimeError as problem:
                print(f"{command.title:28} {problem}")
                late += 1
                continue
            print(f"{command.title:28} {min(runs):>6.2f}s {statistics.median(runs):>6.2f}s {command.limit:>5.1f}s")
            late += min(runs) > command.limit
    return 1 if late else 0


if __name__ == "__main__":
    sys.exit(main())
