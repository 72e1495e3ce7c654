"""Shipped rules with random mistakes in them, by the thousand: python benchmarks/mutants.py [FIRST] [HOW_MANY]

Each is refused at the right place or plays twenty random games. Whatever else happens is told, with its number;
`tests/rules/test_mutants.py` says which of it is no defect.
"""

from __future__ import annotations

import signal
import sys
import time
import traceback
from collections import Counter
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "interpreter"), str(ROOT / "tests" / "kit")]

from mutating import judged, make_mutant  # noqa: E402

SECONDS = 60  # for one mutant; nothing may take that long
EXPECTED = ("refused", "played", "endless")


def _too_long(*_: object) -> NoReturn:
    raise TimeoutError(f"more than {SECONDS} seconds")


def main(first: int = 0, count: int = 100) -> None:
    signal.signal(signal.SIGALRM, _too_long)
    found, began = Counter[str](), time.perf_counter()
    for number in range(first, first + count):
        one = make_mutant(number)
        signal.alarm(SECONDS)
        try:
            verdict = judged(one)
            outcome, told = verdict.outcome, verdict.told
        except Exception as problem:
            outcome, told = type(problem).__name__, traceback.format_exc(limit=-4)
        signal.alarm(0)
        found[outcome] += 1
        if outcome not in EXPECTED:
            print(f"--- {outcome}: {one}\n{told}", flush=True)
    seconds = time.perf_counter() - began
    print(f"{count} mutants in {seconds:.0f} s: " + ", ".join(f"{n} {what}" for what, n in found.most_common()))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
