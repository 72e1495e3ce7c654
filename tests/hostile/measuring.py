"""The real command over a hostile input, in a process of its own with limits of its own."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path
from threading import Timer

from calling import COMMAND, environment
from inputs import Hostile

LONGEST = 60  # seconds of processor time, and twice as many on the clock, before the process is ended
MOST_MEMORY = 3_000_000_000  # bytes it may ask for
MOST_OUTPUT = 1_000_000  # bytes


@dataclass(frozen=True)
class Measured:
    """How it ended, what it printed, and what it took: seconds of processor time, megabytes at most."""

    code: int
    said: str
    seconds: float
    megabytes: int

    def wrong(self, one: Hostile) -> str:
        """What is not as it should be, or nothing."""
        told = self.said if len(self.said) < 2_000 else f"{self.said[:1_000]} ... {self.said[-1_000:]}"
        wrong = [
            (self.code != one.code, f"it ended with {self.code}, not with {one.code}"),
            (one.says not in " ".join(self.said.split()), f"it does not say `{one.says}`"),
            ("Traceback" in self.said or "internal error" in self.said, "it failed"),
            (self.seconds > one.seconds, f"it took {self.seconds:.1f} s, not up to {one.seconds} s"),
            (self.megabytes > one.megabytes, f"it took {self.megabytes} MB, not up to {one.megabytes} MB"),
            (len(self.said) > MOST_OUTPUT, f"it printed {len(self.said):,} characters"),
        ]
        return "; ".join([said for is_so, said in wrong if is_so] + [told]) if any(x for x, _ in wrong) else ""


def run(one: Hostile, folder: Path) -> Measured:
    """The input must have been laid out in the folder, in which the command is run."""
    output = folder.parent / f"{folder.name}.said"
    with output.open("wb") as stream:
        process = subprocess.Popen(
            [*COMMAND, *one.command], cwd=folder, env=environment(folder), stdin=subprocess.DEVNULL, stdout=stream,
            stderr=subprocess.STDOUT, preexec_fn=_limited,
        )  # fmt: skip
        clock = Timer(2 * LONGEST, process.send_signal, [signal.SIGKILL])
        clock.start()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        clock.cancel()
    said = output.read_text(encoding="utf-8", errors="replace")
    output.unlink()
    return Measured(process.returncode, said, used.ru_utime + used.ru_stime, used.ru_maxrss // 1024)


def _limited() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (LONGEST, LONGEST))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
