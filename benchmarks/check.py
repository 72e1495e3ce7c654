"""How much work a check is: of all shipped rules cold, unchanged and after one file was changed; and of a house rule.

    python benchmarks/check.py
    python benchmarks/check.py --runs 20
    python benchmarks/check.py --clock           # also on the clock, which takes twice as long

Each check is `kingsburg check` in a process of its own, over a copy of what ships. *Cold*: nothing is kept, not even
the parser's tables. *Unchanged*: all of it was checked before. *A module changed*: a line is added to the largest
module. *The game changed*: a line is added to a file of the base game, over which all modules lie. *A house rule
changed*: what `kingsburg new` begins with, alone, after a line of it was changed: what everybody waits for who writes
rules. *Thirty variants*: as many of these side by side, all unchanged; *their scenes*: `kingsburg test` of the thirty,
which plays them each time; *one of thirty changed*: a check after a line of one of them was changed.

`work` is the least processor time of a run on one processor, in seconds; on several, a long check shares it among
them, and people wait less. `ratio` is the work in yardsticks: the least time of a fixed computation measured before
each run (`machine.measure_yardstick`). The exit code is 1 if the ratio of a row is over its limit.
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
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from machine import machine, measure_yardstick

import edict
from edict.support import resources

MAIN = "import sys; from edict.apps.cli.main import main; sys.exit(main())"
VARIANT = "house-rule"
COLLECTION, COUNT = "collection", 30
ROOMS = ("grammar", "rules", "modules", "examples")


@dataclass(frozen=True)
class Case:
    """One row: a command, what precedes each of its runs, and how much work it may be, in yardsticks."""

    title: str
    before: Callable[[Path, int], None]
    limit: float
    words: tuple[str, ...] = ("check", "--shipped")


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
    write_rule(folder / VARIANT, run + 2)


def one_of_many(folder: Path, run: int) -> None:
    """The house rule of one variant of the collection says a number that it has nowhere else."""
    write_rule(folder / COLLECTION / VARIANT, run + 5_000)


def write_rule(variant: Path, number: int) -> None:
    """Write another number into the house rule of a variant."""
    file = variant / "rules.edict"
    before = file.read_text(encoding="utf-8")
    changed = re.sub(r"^adjust dice-rolled by \d+", f"adjust dice-rolled by {number}", before, flags=re.MULTILINE)
    file.write_text(changed, encoding="utf-8")


def fill_collection(folder: Path) -> None:
    """Write the variants of the collection, which are alike but for their names."""
    for number in range(COUNT - 1):
        copy = folder / COLLECTION / f"{VARIANT}-{number}"
        shutil.copytree(folder / VARIANT, copy)
        manifest = copy / "module.yaml"
        manifest.write_text(manifest.read_text("utf-8").replace(f"name: {VARIANT}", f"name: {copy.name}"), "utf-8")
    shutil.copytree(folder / VARIANT, folder / COLLECTION / VARIANT)


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


def measure_command(source: Path, folder: Path, *words: str, processors: int = 1) -> tuple[float, float]:
    """Run a command on so many processors; return its seconds on the clock and of work.

    The work of processes that a command starts counts only on one processor, on which it starts none.

    Raises:
        RuntimeError: If the command fails.
    """
    environment = {**os.environ, "PYTHONPATH": str(source), "EDICT_CACHE": str(folder / "cache")}
    start, work = time.perf_counter(), measure_children()
    with use_processors(processors):
        done = subprocess.run(
            [sys.executable, "-c", MAIN, *words],
            env=environment,
            cwd=folder,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
        )
    taken = time.perf_counter() - start, measure_children() - work
    if done.returncode:
        raise RuntimeError(f"`{' '.join(words)}` ended with {done.returncode}:\n{(done.stdout + done.stderr)[-2000:]}")
    return taken


@contextmanager
def use_processors(count: int) -> Iterator[None]:
    """Restrict this process, and those it starts, to so many processors, where the system can do that."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    usable = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(usable)[:count])
    try:
        yield
    finally:
        os.sched_setaffinity(0, usable)


def measure_children() -> float:
    """Return the processor seconds of all commands so far."""
    times = os.times()
    return times.children_user + times.children_system


def largest(folder: Path) -> str:
    """The largest rule file of a module, as a path in the checkout."""
    files = (folder / "checkout" / "modules").glob("*/*.edict")
    return max(files, key=lambda file: file.stat().st_size).relative_to(folder / "checkout").as_posix()


@dataclass
class Measurements:
    """The runs of one row, in seconds."""

    clock: list[float] = field(default_factory=list)
    work: list[float] = field(default_factory=list)
    yardsticks: list[float] = field(default_factory=list)

    @property
    def ratio(self) -> float:
        """The least work in yardsticks."""
        return min(self.work) / min(self.yardsticks)


def measure_case(case: Case, source: Path, folder: Path, runs: int, on_clock: bool) -> Measurements:
    """Run a case so many times, each after a yardstick; if wanted, once more each on all processors, for the clock."""
    result = Measurements()
    if case.before is keep:
        measure_command(source, folder, *case.words)  # so that nothing has changed since
    for run in range(runs):
        if on_clock:
            case.before(folder, runs + run)
            processors = os.cpu_count() or 1
            result.clock.append(measure_command(source, folder, *case.words, processors=processors)[0])
        result.yardsticks.append(measure_yardstick())
        case.before(folder, run)
        result.work.append(measure_command(source, folder, *case.words)[1])
    return result


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5, help="how often each check runs (default: %(default)s)")
    parser.add_argument("--clock", action="store_true", help="measure each check on the clock, too")
    chosen = parser.parse_args()
    over_limit = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source = laid_out(folder)
        measure_command(source, folder, "new", VARIANT)
        fill_collection(folder)
        cases = (
            Case("cold", forget, 105),
            Case("unchanged", keep, 7),
            Case("a module changed", change(largest(folder)), 16),
            Case("the game changed", change("rules/advisors.edict"), 72),
            Case("a house rule changed", rule, 8.5, ("check", VARIANT)),
            Case("thirty variants", keep, 8, ("check", COLLECTION)),
            Case("their scenes", keep, 25, ("test", COLLECTION)),
            Case("one of thirty changed", one_of_many, 15, ("check", COLLECTION)),
        )
        print(f"kingsburg check; {machine()}; {chosen.runs} runs\n")
        print(f"{'':22} {'clock':>7} {'work':>7} {'median':>7} {'ratio':>7} {'limit':>6}", flush=True)
        for case in cases:
            result = measure_case(case, source, folder, chosen.runs, chosen.clock)
            clock = f"{min(result.clock):>6.2f}s" if result.clock else f"{'-':>7}"
            work = f"{min(result.work):>6.2f}s {statistics.median(result.work):>6.2f}s"
            print(f"{case.title:22} {clock} {work} {result.ratio:>7.1f} {case.limit:>6}", flush=True)
            over_limit += result.ratio > case.limit
    return 1 if over_limit else 0


if __name__ == "__main__":
    sys.exit(main())
