"""A pseudo-terminal for a command, to type into and read from."""

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

from calling import COMMAND, make_environment
from edict.apps.cli.playing.game_loop import PRIMER_OFFER

fcntl = pytest.importorskip("fcntl")

TIMEOUT = 60.0


def _pack_size(size: tuple[int, int]) -> bytes:
    return struct.pack("HHHH", size[1], size[0], 0, 0)


class Terminal:
    """The command in a terminal of `columns` x `lines`; `text` collects its output with all escapes."""

    primer = b"\n"  # what is typed when the primer is offered

    def __init__(self, folder: Path, *arguments: str, size: tuple[int, int], **more: str) -> None:
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, _pack_size(size))
        self.process = subprocess.Popen(
            [*COMMAND, *arguments],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            cwd=folder,
            env=make_environment(folder, TERM="xterm-256color", **more),
            start_new_session=True,
            close_fds=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0) and None,
        )
        os.close(slave)
        self.master = master
        self.text = ""
        self.begun = False

    def resize(self, size: tuple[int, int]) -> None:
        """Change the size as a window does, which signals the command.

        It waits until the command surely waits for a key: Python notices an earlier signal with the next key only.
        """
        time.sleep(0.5)
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, _pack_size(size))

    def read(self, pattern: str) -> str:
        """Wait for output that matches a pattern and return the output since the call."""
        start, end = len(self.text), time.monotonic() + TIMEOUT
        while not re.search(pattern, self.text[start:]):
            ready, _, _ = select.select([self.master], [], [], max(0.0, end - time.monotonic()))
            assert ready, f"waited for {pattern!r}, got {self.text[start:]!r}"
            try:
                self.text += os.read(self.master, 65536).decode("utf-8", "replace")
            except OSError:
                assert re.search(pattern, self.text[start:]), f"it ended without {pattern!r}: {self.text[start:]!r}"
            if PRIMER_OFFER in self.text and not self.begun:
                self.begun = True
                os.write(self.master, self.primer)
        return self.text[start:]

    def type_line(self, line: str, pattern: str) -> str:
        os.write(self.master, f"{line}\n".encode())
        return self.read(pattern)

    def press_key(self, key: str, pattern: str) -> str:
        """Press a key until it has been noticed, as a person would.

        A Ctrl-C between Python's drawing of the prompt and its waiting for a key is noticed with the next key only.
        """
        for _ in range(5):
            os.write(self.master, key.encode())
            if select.select([self.master], [], [], TIMEOUT / 10)[0]:
                break
        return self.read(pattern)

    def wait_for_end(self) -> int:
        while True:  # the process cannot end before its output is read
            try:
                more = os.read(self.master, 65536)
            except OSError:
                break
            if not more:
                break
            self.text += more.decode("utf-8", "replace")
        return self.process.wait(TIMEOUT)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.master)
