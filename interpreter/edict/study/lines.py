"""Lines of JSON with a digest each, so that whatever was changed in them since they were written is found."""

from __future__ import annotations

import json
import re
from typing import Any

from edict.program import digest

DIGEST = 28  # a line begins with so many bytes that differ whenever anything in it does
LINE = re.compile(rb'\{"digest":"([0-9a-f]{16})","data":(.*)\}', re.DOTALL)


class Damaged(Exception):
    """A line that is not as it was written; `reason` says why, in words that follow its number."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


def sealed(data: Any, seal: str) -> bytes:
    """The line of this data, which ends in a line end. `seal` goes into the digest: what the line belongs to."""
    body = json.dumps(data, separators=(",", ":"), ensure_ascii=True)
    return f'{{"digest":"{digest(seal + body)}","data":{body}}}\n'.encode()


def opened(line: bytes, seal: str) -> Any:
    """The data of a line without its line end. Raises `Damaged`."""
    found = LINE.fullmatch(line)
    if found is None:
        raise Damaged("this is not a line of results")
    if found[1].decode() != digest(seal + found[2].decode("ascii", "replace")):
        raise Damaged("its digest does not match: it was changed or damaged, or belongs to something else")
    try:
        return json.loads(found[2])
    except (ValueError, RecursionError):
        raise Damaged("it cannot be read as JSON") from None
