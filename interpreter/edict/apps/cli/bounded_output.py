"""The bound on what a command prints: rules from strangers may not fill a terminal, a pipe or a log.

What people read is cut at the end of a line, and a last line says so. Data for programs is never cut, as half of it is
worth nothing; nor is what is printed as long as somebody plays, watches or asks.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import Any, TextIO

from edict.support.files import OutputTarget

MOST_PRINTED = 900_000  # characters on standard output
MOST_ERRORS = 90_000  # characters on standard error


class BoundedStream:
    """A text stream that takes so many characters, by lines. All that it cannot do itself is the stream's.

    left_out: characters that were not written.
    """

    def __init__(self, stream: TextIO, most: int) -> None:
        self.stream, self.most, self.left_out = stream, most, 0
        self._bounded = True

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)

    def lift(self) -> None:
        """Write all that comes from now on."""
        self._bounded = False

    def write(self, text: str) -> int:
        """Write as much of a text as there is room for, in whole lines once there is too little."""
        if self._bounded:
            kept = text if not self.left_out and len(text) <= self.most else text[: self._room(text)]
            self.most -= len(kept)
            self.left_out += len(text) - len(kept)
            self.stream.write(kept)
        else:
            self.stream.write(text)
        return len(text)

    def writelines(self, lines: Any) -> None:
        """Write texts one after the other."""
        for line in lines:
            self.write(line)

    def _room(self, text: str) -> int:
        """Return how many characters of a text are written that is too long; after the first of them, none."""
        return 0 if self.left_out else text.rfind("\n", 0, self.most) + 1


@contextlib.contextmanager
def bounded() -> Iterator[tuple[BoundedStream, BoundedStream]]:
    """Bound standard output and standard error while a command runs."""
    before = sys.stdout, sys.stderr
    output, errors = BoundedStream(sys.stdout, MOST_PRINTED), BoundedStream(sys.stderr, MOST_ERRORS)
    sys.stdout, sys.stderr = output, errors
    try:
        yield output, errors
    finally:
        sys.stdout, sys.stderr = before


def write_data(target: OutputTarget, text: str) -> None:
    """Write data to the file that was named, or all of it to standard output."""
    if target.is_standard_output:
        print_everything()
    target.write(text)


def print_everything() -> None:
    """Lift the bound for the command that is running."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, BoundedStream):
            stream.lift()
