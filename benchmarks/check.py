"""How long a check takes: of all shipped rules cold, unchanged and after one file was changed; and of a house rule.

    python benchmarks/check.py
    python benchmarks/check.py --runs 20

Each check is `kingsburg check` in a process of its own, over a copy of what ships. *Cold*: nothing is kept, not even
the parser's tables. *Unchanged*: all of it was checked before. *A module changed*: a line is added to the largest
module. *The game changed*: a line is added to a file of the base game, over which all modules lie. *A house rule
changed*: what `kingsburg new` begins with, alone, after a line of it was changed: what everybody waits for who writes
rules. *Thirty variants*: as many of these side by side, all unchanged; *one of thirty changed*: one of them. `work` is
the least processor time, which a busy machine lengthens less. The exit code is 1 if the least time of a row is over
its limit.
"""

from __future__ import annotations

import argparse
import compileall
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from machine import machine

import edict
from edict.support import resources

MAIN = "import sys; from edict.apps.cli.main import main; sys.exit(main())"
VARIANT = "house-rule"
COLLECTION, COUNT = "collection", 30
ROOMS = ("grammar", "rules", "modules", "examples")


@dataclass(frozen=True)
class Case:
    """What is done before each check, and how long the check may take, in seconds."""

    title: str
    before: Callable[[Path, int], None]
    limit: float
    named: tuple[str, ...] = ()


def forget(folder: Path, run: int) -> None:
    shutil.rmtree(folder / "cache", ignore_errors=True)


def keep(folder: Path, run: int) -> None:
    """Nothing is changed."""


def change(name: str) -> Callable[[Path, int], None]:
    """A remark is added to this file: the rules mean the same, and are other rules all the same."""

    def add(folder: Path, run: int) -> None:
        with (folder / "checkout" / name).open("a", encoding="utf-8") as file:
            file.write(f"# changed for run {run}\n")

    return add


def rule(folder: Path, run: int) -> None:
    """The house rule of the variant says another number."""
    file = folder / VARIANT / "rules.edict"
    before = file.read_text(encoding="utf-8")
    changed = re.sub(r"^adjust dice-rolled by \d+", f"adjust dice-rolled by {run + 2}", before, flags=re.MULTILINE)
    file.write_text(changed, encoding="utf-8")


def one_of_many(folder: Path, run: int) -> None:
    """Change the house rule in one variant of the collection."""
    rule(folder / COLLECTION, run)


def fill_collection(source: Path, folder: Path) -> None:
    """Write the variants of the collection, which are alike but for their names, and check them once."""
    for number in range(COUNT - 1):
        copy = folder / COLLECTION / f"{VARIANT}-{number}"
        shutil.copytree(folder / VARIANT, copy)
        manifest = copy / "module.yaml"
        manifest.write_text(manifest.read_text("utf-8").replace(f"name: {VARIANT}", f"name: {copy.name}"), "utf-8")
    shutil.copytree(folder / VARIANT, folder / COLLECTION / VARIANT)
    seconds(source, folder, "check", COLLECTION)


def laid_out(folder: Path) -> Path:
    """A copy of the package and of what ships, as in a checkout; gives the source root."""
    checkout = folder / "checkout"
    for room in ROOMS:
        shutil.copytree(resources.get_shipped_folder() / room, checkout / room)
    package = Path(edict.__file__).parent
    left_out = shutil.ignore_patterns("shipped", "__pycache__")
    shutil.copytree(package, checkout / "interpreter" / "edict", ignore=left_out)
    compileall.compile_dir(checkout / "interpreter", quiet=1)
    return checkout / "interpreter"


def seconds(source: Path, folder: Path, *words: str) -> tuple[float, float]:
    """One command, on the clock and of work. Raises `RuntimeError` if a check finds an error."""
    environment = {**os.environ, "PYTHONPATH": str(source), "EDICT_CACHE": str(folder / "cache")}
    start, worked = time.perf_counter(), work()
    done = subprocess.run(
        [sys.executable, "-c", MAIN, *words],
        env=environment,
        cwd=folder,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
    )
    taken = time.perf_counter() - start, work() - worked
    if done.returncode:
        raise RuntimeError(f"`{' '.join(words)}` ended with {done.returncode}:\n{(done.stdout + done.stderr)[-2000:]}")
    return taken


def work() -> float:
    """Processor seconds of all commands so far."""
    times = os.times()
    return times.children_user + times.children_system


def largest(folder: Path) -> str:
    """The largest rule file of a module, as a path in the checkout."""
    files = (folder / "checkout" / "modules").glob("*/*.edict")
    return max(files, key=lambda file: file.stat().st_size).relative_to(folder / "checkout").as_posix()


def measured(case: Case, source: Path, folder: Path, runs: int) -> list[tuple[float, float]]:
    found = []
    for run in range(runs):
        case.before(folder, run)
        found.append(seconds(source, folder, "check", *(case.named or ("--shipped",))))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5, help="how often each check runs (default: %(default)s)")
    chosen = parser.parse_args()
    late = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source = laid_out(folder)
        seconds(source, folder, "new", VARIANT)
        fill_collection(source, folder)
        cases = (
            Case("cold", forget, 4.0),
            Case("unchanged", keep, 0.5),
            Case("a module changed", change(largest(folder)), 1.5),
            Case("the game changed", change("rules/advisors.edict"), 4.0),
            Case("a house rule changed", rule, 0.8, named=(VARIANT,)),
            Case("thirty variants", keep, 1.0, named=(COLLECTION,)),
            Case("one of thirty changed", one_of_many, 2.0, named=(COLLECTION,)),
        )
        print(f"kingsburg check; {machine()}; {chosen.runs} runs\n")
        print(f"{'':22} {'min':>7} {'median':>7} {'max':>7} {'work':>7} {'limit':>6}")
        for case in cases:
            found = measured(case, source, folder, chosen.runs)
            clock = [one for one, _ in found]
            times = (min(clock), statistics.median(clock), max(clock), min(work for _, work in found))
            print(f"{case.title:22} " + " ".join(f"{x:>6.2f}s" for x in times) + f" {case.limit:>5.1f}s")
            late += min(clock) > case.limit
    return 1 if late else 0


if __name__ == "__main__":
    sys.exit(main())
