"""Lines that vouch for each other: each has its number, and a hash of everything before it.

So a line that was torn, doubled, swapped, lost or edited is found when reading, and everything before it is valid.
"""

from __future__ import annotations

import json
import re
from hashlib import blake2b
from typing import Any

CHECK_BYTES = 8
MOST_LINE = 12_000_000  # bytes
_SEALED = re.compile(rb'(\{"line": ([1-9][0-9]{0,8}), .*), "check": "([0-9a-f]{16})"\}\Z', re.DOTALL)
_TORN = b'{"line": %d, '


class Damaged(ValueError):
    """A line that is not what was written; the text says in which way."""


class Seal:
    """What the next line has to vouch for: the lines so far."""

    def __init__(self) -> None:
        self._before = blake2b(digest_size=CHECK_BYTES)
        self.lines = 0

    def copy(self) -> Seal:
        other = Seal()
        other._before, other.lines = self._before.copy(), self.lines
        return other

    def sealed(self, data: dict[str, Any]) -> bytes:
        """The next line, with its number and check; it counts as written."""
        body = as_json({"line": self.lines + 1, **data})[:-1]
        line = body + b', "check": "%s"}\n' % self._check(body)
        self.took(line)
        return line

    def opened(self, line: bytes) -> dict[str, Any]:
        """What was sealed in the next line, given without its end. Raises `Damaged` with the reason."""
        found = _SEALED.match(line)
        if found is None:
            raise Damaged("this is not a line of a journal")
        body, number, check = found[1], int(found[2]), found[3]
        if number != self.lines + 1:
            raise Damaged(_misplaced(number, self.lines + 1))
        if check != self._check(body):
            raise Damaged("it does not match the lines before it, so something was changed")
        data = as_data(body + b"}")
        del data["line"]
        return data

    def took(self, line: bytes) -> None:
        """A whole line, including its end, was written."""
        self._before.update(line)
        self.lines += 1

    def is_torn(self, rest: bytes) -> bool:
        """Whether this may be the beginning of the next line, whose writing was interrupted."""
        begins = _TORN % (self.lines + 1)
        return rest.startswith(begins) or begins.startswith(rest)

    def _check(self, body: bytes) -> bytes:
        check = self._before.copy()
        check.update(body)
        return check.hexdigest().encode()


def _misplaced(number: int, expected: int) -> str:
    if number == expected - 1:
        return f"line {number} of the game appears here a second time"
    if number < expected:
        return f"line {number} of the game appears here again"
    lost = f"line {expected}" if number == expected + 1 else f"lines {expected} to {number - 1}"
    return f"line {number} of the game appears here: {lost} must be missing or out of place"


def as_json(data: dict[str, Any]) -> bytes:
    """One line of JSON, without its end; names of files that are no text are escaped."""
    try:
        return json.dumps(data, ensure_ascii=False, separators=(", ", ": ")).encode()
    except UnicodeEncodeError:
        return json.dumps(data, separators=(", ", ": ")).encode()


def as_data(line: bytes) -> dict[str, Any]:
    """The JSON object in a line. Raises `Damaged` if there is none."""
    if len(line) > MOST_LINE:
        raise Damaged("the line is too long")
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        raise Damaged("the line is not valid JSON") from None
    if not isinstance(data, dict):
        raise Damaged("the line is not a JSON object")
    return data
