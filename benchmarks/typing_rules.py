"""How long an editor waits while somebody types: a module over the game with all modules that fit beside it.

    python benchmarks/typing_rules.py
    python benchmarks/typing_rules.py --keys 500

A small module is typed character by character. After each character the time is taken of what comes at once
(diagnostics) and of completion, and now and then of hover. What only making the machine's code finds out comes later,
in the background, and is measured apart (`the rest`). Most texts cannot be read while they are typed, and take little
time; those in which nothing was wrong are listed once more (`... when right`). Milliseconds on the clock; `work` is the
processor time, which a busy machine lengthens less. The exit code is 1 if a 95th percentile of work is over its limit.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from machine import machine

from edict import resources
from edict.service import cursor_help, rule_completion
from edict.service.answer_types import At
from edict.service.workspace import Workspace

TYPED = """
quantity watch "watchfulness" of player is count of owned of player, at least 0
governor watchman "Watchman"
  adjust reinforcement by 1 if watch of player > 3
  when victory
    gain 1 gold
  when end of winter
    each player
      if watch of you > 5
        gain 1 good
routine reward-watch "reward the watch"
  choose one
    option "Gold"
      gain 1 gold
    option "Soldiers"
      gain 1 soldier
when defeat if count of owned of loser > 2
  each player
    do reward-watch
"""
MANIFEST = "name: typed\ntitle: Typed\nversion: 1.0.0\nkind: module\nlanguage: 1\nrequires: [{modules}]\n"
LIMITS = {"diagnostics": 150, "completion": 50, "hover": 50}


@dataclass
class Times:
    """What was measured, in milliseconds: on the clock and of work."""

    clock: list[float] = field(default_factory=list)
    work: list[float] = field(default_factory=list)

    def take(self, done: Callable[[], object]) -> None:
        clock, work = time.perf_counter(), time.process_time()
        done()
        self.clock.append(1000 * (time.perf_counter() - clock))
        self.work.append(1000 * (time.process_time() - work))


def laid_over() -> Iterator[str]:
    """The modules that ship and can be played together, as far as they change the game itself."""
    for name in ("advisor-tiles", "alternate-rows", "destiny", "goblin-valley", "governors", "more-buildings"):
        if (resources.home() / "modules" / name).is_dir():
            yield name


def replay(folder: Path, keys: int) -> dict[str, Times]:
    """Type, and measure."""
    (folder / "module.yaml").write_text(MANIFEST.format(modules=", ".join(laid_over())), encoding="utf-8")
    file = folder / "typed.edict"
    file.write_text("", encoding="utf-8")
    space, times = Workspace([folder]), {name: Times() for name in (*LIMITS, "... when right", "the rest")}
    rules = space.rules(file)
    assert rules is not None
    rules.checked(whole=True)
    rules.analysis()
    text = ""
    for number, key in enumerate((TYPED * (1 + keys // len(TYPED)))[:keys]):
        text = "" if number % len(TYPED) == 0 else text
        text += key
        space.lay(file, text)
        times["diagnostics"].take(rules.checked)
        if not rules.checked().whole:  # it can be read, and nothing stopped the passes
            times["... when right"].clock.append(times["diagnostics"].clock[-1])
            times["... when right"].work.append(times["diagnostics"].work[-1])
        lines = text.split("\n")
        at = At(len(lines), len(lines[-1]) + 1)
        times["completion"].take(lambda at=at: rule_completion.completions(space, file, at))  # type: ignore[misc]
        if number % 10 == 5:
            known = rules.analysis()  # as is done in the background as soon as nobody types
            if known is not None:
                known.prepare()
            times["hover"].take(lambda at=at: cursor_help.hover(space, file, at))  # type: ignore[misc]
        if key == "\n" and number % 3 == 0:
            times["the rest"].take(lambda: rules.checked(whole=True))
    return times


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keys", type=int, default=len(TYPED), help="characters to type (default: %(default)s)")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        times = replay(Path(name).resolve(), chosen.keys)
    print(f"{chosen.keys} characters typed over {len(list(laid_over()))} modules; {machine()}\n")
    print(f"{'milliseconds':14} {'n':>4} {'median':>8} {'p95':>8} {'max':>8} {'p95 work':>9} {'limit':>6}")
    late = 0
    for what, taken in times.items():
        if len(taken.clock) < 2:
            continue
        p95, work = (statistics.quantiles(one, n=20)[-1] for one in (taken.clock, taken.work))
        limit = LIMITS.get(what, 0)
        late += bool(limit) and work > limit
        print(f"{what:14} {len(taken.clock):>4} {statistics.median(taken.clock):>8.1f} {p95:>8.1f} "
              f"{max(taken.clock):>8.1f} {work:>9.1f} {limit or '':>6}")  # fmt: skip
    return 1 if late else 0


if __name__ == "__main__":
    sys.exit(main())
