"""Measurement of the real command on a hostile input, in a process with limits (see `warmed`)."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from threading import Timer

from inputs import HostileInput
from warmed import MAX_SECONDS

from calling import ROOT, make_environment

MAX_OUTPUT = 1_000_000  # bytes
SERVER, SUPPORT = Path(__file__).parent / "warmed.py", ROOT / "tests" / "kit"


@dataclass(frozen=True)
class Measurement:
    """Exit code, output, seconds of processor time and peak megabytes."""

    code: int
    said: str
    seconds: float
    megabytes: int

    def find_fault(self, expected: HostileInput) -> str:
        """Return what differs from the expectation; empty if nothing does."""
        told = self.said if len(self.said) < 2_000 else f"{self.said[:1_000]} ... {self.said[-1_000:]}"
        wrong = [
            (self.code != expected.code, f"it ended with {self.code}, not with {expected.code}"),
            (expected.says not in " ".join(self.said.split()), f"it does not say `{expected.says}`"),
            ("Traceback" in self.said or "internal error" in self.said, "it failed"),
            (self.seconds > expected.seconds, f"it took {self.seconds:.1f} s, not up to {expected.seconds} s"),
            (self.megabytes > expected.megabytes, f"it took {self.megabytes} MB, not up to {expected.megabytes} MB"),
            (len(self.said) > MAX_OUTPUT, f"it printed {len(self.said):,} characters"),
        ]
        return "; ".join([said for is_so, said in wrong if is_so] + [told]) if any(x for x, _ in wrong) else ""


class CommandServer:
    """The process with the command imported: one for all inputs, until one exceeds its time."""

    process: subprocess.Popen[str] | None = None

    def ensure_started(self, folder: Path) -> subprocess.Popen[str]:
        if self.process is None:
            around = make_environment(folder)
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

    def send_order(self, folder: Path, *order: object) -> list[float]:
        """Return the answer to an order: exit code, seconds and kilobytes."""
        process = self.ensure_started(folder)
        assert process.stdin is not None and process.stdout is not None
        clock = Timer(2 * MAX_SECONDS, os.killpg, [process.pid, signal.SIGKILL])
        clock.start()
        process.stdin.write(json.dumps(order) + "\n")
        process.stdin.flush()
        answer = process.stdout.readline()
        clock.cancel()
        if not answer:
            self.stop()
        return list(json.loads(answer or f"[{-signal.SIGKILL}, {2 * MAX_SECONDS}, 0]"))

    def stop(self) -> None:
        if self.process is not None:
            process, self.process = self.process, None
            for pipe in (process.stdin, process.stdout):
                assert pipe is not None
                pipe.close()
            process.wait(MAX_SECONDS)


def measure(one: HostileInput, folder: Path, reader: CommandServer) -> Measurement:
    """Run the command in the folder into which the input was written."""
    output = folder.parent / f"{folder.name}.said"
    code, seconds, kilobytes = reader.send_order(
        folder, one.command, str(folder), make_environment(folder), str(output)
    )
    said = output.read_text(encoding="utf-8", errors="replace")
    output.unlink()
    return Measurement(int(code), said, seconds, int(kilobytes) // 1024)
