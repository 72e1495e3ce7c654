"""What the benchmarks share: the machine's name, and a few sums."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Sequence
from pathlib import Path


def machine() -> str:
    """The processor, the system and the Python this runs on."""
    return f"{processor()}, {os.cpu_count()} cores; {platform.system()}; {platform.python_implementation()} " + (
        platform.python_version()
    )


def processor() -> str:
    """Its name as the system gives it; Linux keeps it in a file."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, "") or platform.processor() or platform.machine()


def measure_yardstick() -> float:
    """Return the processor seconds of a fixed computation, a tenth of a second on the machine of the printed figures.

    Limits are multiples of it, measured between the runs: a slow or busy machine lengthens both.
    """
    start = time.process_time()
    lengths: dict[str, int] = {}
    for number in range(380_000):
        word = f"word {number % 977}"
        lengths[word] = lengths.get(word, 0) + len(word)
    return time.process_time() - start


def spread(values: Sequence[int]) -> tuple[int, float, int]:
    """The least, the mean and the greatest."""
    return (min(values), sum(values) / len(values), max(values)) if values else (0, 0.0, 0)


if __name__ == "__main__":
    print(machine())
