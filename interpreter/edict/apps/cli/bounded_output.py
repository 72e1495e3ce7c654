"""The limit on how much a command prints, so that untrusted rules cannot flood a terminal, a pipe or a log.

Text for people is cut at the end of a line, and a last line says so. Data for programs is never cut, because half a
document is useless. Commands that print for as long as somebody plays or watches have no limit.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import Any, TextIO

from edict.support.files import OutputTarget

MAX_OUTPUT = 900_000  # characters on standard output
MAX_ERRORS = 90_000  # characters on standard error


class BoundedStream:
    """A wrapper of a text stream that writes up to a number of characters, in whole lines."""

    def __init__(self, stream: TextIO, limit: int) -> None:
        self.stream, self.remaining, self.left_out = stream, limit, 0
        self._bounded = True

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)

    def lift_limit(self) -> None:
        """Stop limiting: write all further text to the stream."""
        self._bounded = False

    def write(self, text: str) -> int:
        """Write as much of a text as the limit allows, in whole lines; return the length of the whole text."""
        if self._bounded:
            if not self.left_out and len(text) <= self.remaining:
                allowed = text
            else:
                allowed = text[: self._cut_length(text)]
            self.remaining -= len(allowed)
            self.left_out += len(text) - len(allowed)
            self.stream.write(allowed)
        else:
            self.stream.write(text)
        return len(text)

    def writelines(self, lines: Any) -> None:
        """Write texts in order."""
        for line in lines:
            self.write(line)

    def _cut_length(self, text: str) -> int:
        """Return how many characters of a text to write that exceeds the limit; 0 once something was left out."""
        return 0 if self.left_out else text.rfind("\n", 0, self.remaining) + 1


@contextlib.contextmanager
def bound_output() -> Iterator[tuple[BoundedStream, BoundedStream]]:
    """Limit standard output and standard error within the context; yield both wrapped streams."""
    before = sys.stdout, sys.stderr
    output, errors = BoundedStream(sys.stdout, MAX_OUTPUT), BoundedStream(sys.stderr, MAX_ERRORS)
    sys.stdout, sys.stderr = output, errors
    try:
        yield output, errors
    finally:
        sys.stdout, sys.stderr = before


def write_data(target: OutputTarget, text: str) -> None:
    """Write data to a file, or without a limit to standard output."""
    if target.is_standard_output:
        lift_output_limit()
    target.write(text)


def lift_output_limit() -> None:
    """Lift the limit for the running command."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, BoundedStream):
            stream.lift_limit()
