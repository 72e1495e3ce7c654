"""The real command over a hostile input, in a process of its own with limits of its own (see `warmed`)."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from threading import Timer

from inputs import Hostile
from warmed import LONGEST

from calling import ROOT, environment

MOST_OUTPUT = 1_000_000  # bytes
SERVER, SUPPORT = Path(__file__).parent / "warmed.py", ROOT / "tests" / "kit"


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


class Reader:
    """The process that has the command at hand: one for all inputs, until one of them outlives its time."""

    process: subprocess.Popen[str] | None = None

    def begun(self, folder: Path) -> subprocess.Popen[str]:
        if self.process is None:
            around = environment(folder)
            around["PYTHONPATH"] = os.pathsep.join(map(str, (Path(__file__).parent, SUPPORT, around["PYTHONPATH"])))
            self.process = subprocess.Popen(
                [sys.executable, str(SERVER)],
                env=around,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                encoding="utf-8",
                start_new_session=True,
            )
        return self.process

    def ask(self, folder: Path, *order: object) -> list[float]:
        """What it answers to an order: how the child ended, seconds and kilobytes."""
        process = self.begun(folder)
        assert process.stdin is not None and process.stdout is not None
        clock = Timer(2 * LONGEST, os.killpg, [process.pid, signal.SIGKILL])
        clock.start()
        process.stdin.write(json.dumps(order) + "\n")
        process.stdin.flush()
        answer = process.stdout.readline()
        clock.cancel()
        if not answer:
            self.end()
        return list(json.loads(answer or f"[{-signal.SIGKILL}, {2 * LONGEST}, 0]"))

    def end(self) -> None:
        if self.process is not None:
            process, self.process = self.process, None
            for pipe in (process.stdin, process.stdout):
                assert pipe is not None
                pipe.close()
            process.wait(LONGEST)


def run(one: Hostile, folder: Path, reader: Reader) -> Measured:
    """The input must have been laid out in the folder, in which the command is run."""
    output = folder.parent / f"{folder.name}.said"
    code, seconds, kilobytes = reader.ask(folder, one.command, str(folder), environment(folder), str(output))
    said = output.read_text(encoding="utf-8", errors="replace")
    output.unlink()
    return Measured(int(code), said, seconds, int(kilobytes) // 1024)
