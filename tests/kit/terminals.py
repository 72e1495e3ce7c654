"""A terminal of its own for a command, typed into and read."""

from __future__ import annotations

import os
import pty
import re
import select
import struct
import subprocess
import termios
import time
from pathlib import Path

import pytest

from calling import COMMAND, environment
from edict.apps.cli.playing.game_loop import OFFER

fcntl = pytest.importorskip("fcntl")

WAIT = 60.0


class Terminal:
    """The command at a terminal of `columns` x `lines`; what it shows piles up in `text`, escapes and all."""

    primer = b"\n"  # what is typed when the primer is offered

    def __init__(self, folder: Path, *arguments: str, size: tuple[int, int], **more: str) -> None:
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
        self.process = subprocess.Popen(
            [*COMMAND, *arguments],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            cwd=folder,
            env=environment(folder, TERM="xterm-256color", **more),
            start_new_session=True,
            close_fds=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0) and None,
        )
        os.close(slave)
        self.master = master
        self.text = ""
        self.begun = False

    def read(self, wanted: str) -> str:
        """Wait until something is shown; gives what was shown since the last time."""
        start, end = len(self.text), time.monotonic() + WAIT
        while not re.search(wanted, self.text[start:]):
            ready, _, _ = select.select([self.master], [], [], max(0.0, end - time.monotonic()))
            assert ready, f"waited for {wanted!r}, got {self.text[start:]!r}"
            try:
                self.text += os.read(self.master, 65536).decode("utf-8", "replace")
            except OSError:
                assert re.search(wanted, self.text[start:]), f"it ended without {wanted!r}: {self.text[start:]!r}"
            if OFFER in self.text and not self.begun:
                self.begun = True
                os.write(self.master, self.primer)
        return self.text[start:]

    def type(self, line: str, wanted: str) -> str:
        os.write(self.master, f"{line}\n".encode())
        return self.read(wanted)

    def press(self, key: str, wanted: str) -> str:
        """Press a key until it has been noticed, as a person would.

        A Ctrl-C between Python's drawing of the prompt and its waiting for a key is noticed with the next key only.
        """
        for _ in range(5):
            os.write(self.master, key.encode())
            if select.select([self.master], [], [], WAIT / 10)[0]:
                break
        return self.read(wanted)

    def ended(self) -> int:
        while True:  # what is left must be read, or the process cannot end
            try:
                more = os.read(self.master, 65536)
            except OSError:
                break
            if not more:
                break
            self.text += more.decode("utf-8", "replace")
        return self.process.wait(WAIT)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.master)
