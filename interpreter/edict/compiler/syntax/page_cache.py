"""A cache of parsed files, shared between processes.

For each file name the last page is kept with its source text, so edits leave no trail. Only files without mistakes
are kept, so that mistakes are explained each time.
"""

from __future__ import annotations

import pickle
from functools import lru_cache

from edict.compiler.sources.compiler_fingerprint import fingerprint
from edict.compiler.syntax.parse import ParseResult, parse_file
from edict.runtime.program import digest
from edict.support import signed_cache
from edict.support.text import Source


def get_parse_result(source: Source) -> ParseResult:
    """Return the parsed file, from the cache if it has not changed."""
    return _load_or_parse(source)[0]


def save_page(source: Source) -> None:
    """Save the parsed file for other processes, if it is new and has no mistakes."""
    result, was_cached = _load_or_parse(source)
    if not was_cached and not result.mistakes:
        signed_cache.write(_cache_key(source), pickle.dumps(result))


@lru_cache(maxsize=256)
def _load_or_parse(source: Source) -> tuple[ParseResult, bool]:
    """Return the parsed file, and True if it came from the cache on disk."""
    cached = signed_cache.read(_cache_key(source))
    loaded = None if cached is None else pickle.loads(cached)
    if loaded is not None and loaded.source == source:
        return (loaded, True)
    return (parse_file(source), False)


def _cache_key(source: Source) -> str:
    """Return the cache key of a source: a digest of its name, and a fingerprint of the engine."""
    return f"pages/{digest(source.name)}-{fingerprint()}"
