"""Pages as they were read before, in this process or another.

Of each file, by its name, the page that was read last is kept, with the text it was read from: who goes on changing a
file leaves no trail. Only what is right is kept, so that what is wrong is explained each time.
"""

from __future__ import annotations

import pickle
from functools import lru_cache

from edict.compiler.sources.compiler_fingerprint import fingerprint
from edict.compiler.syntax.parse import Reading, read_page
from edict.runtime.program import digest
from edict.support import signed_cache
from edict.support.text import Source


def reading(source: Source) -> Reading:
    """The file, read now if that was not done before."""
    return _reading(source)[0]


def keep_page(source: Source) -> None:
    """Keep the page of this file for other processes, if it is new."""
    found, known = _reading(source)
    if not known and not found.wrong:
        signed_cache.write(_name(source), pickle.dumps(found))


@lru_cache(maxsize=256)
def _reading(source: Source) -> tuple[Reading, bool]:
    """The file as it was read, and whether another process did that."""
    kept = signed_cache.read(_name(source))
    before = None if kept is None else pickle.loads(kept)
    return (before, True) if before is not None and before.source == source else (read_page(source), False)


def _name(source: Source) -> str:
    return f"pages/{digest(source.name)}-{fingerprint()}"
