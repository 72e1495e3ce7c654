"""A cache of the data in valid YAML files, shared between processes.

Parsing them is a fifth of a check of what did not change. For each file name the last data is kept with its text, so
edits leave no trail.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import TypeVar

from edict.compiler.sources.compiler_fingerprint import fingerprint
from edict.compiler.sources.written_data import WrittenData
from edict.runtime.program import digest
from edict.support import signed_cache
from edict.support.report import Outcome
from edict.support.text import Source

Data = TypeVar("Data")


def load_or_parse(kind: str, source: Source, interpret: Callable[[WrittenData], Outcome[Data]]) -> Outcome[Data]:
    """Return the data of a file, from the cache if its text has not changed; a file with findings is not kept.

    Args:
        kind: The kind of file, such as `module`.
        source: The file.
        interpret: Makes the data of what stands in the file. The outcome must depend on the source alone.
    """
    name = f"data/{kind}-{digest(source.name)}-{fingerprint()}"
    cached = signed_cache.read(name)
    if cached is not None:
        text, data = pickle.loads(cached)
        if text == source.text:
            return Outcome(data)
    from edict.compiler.sources.yaml_reader import read_yaml  # the library takes as long as ten modules to load

    outcome = read_yaml(source).and_then(interpret)
    if outcome.value is not None and not outcome.diagnostics:
        signed_cache.write(name, pickle.dumps((source.text, outcome.value), pickle.HIGHEST_PROTOCOL))
    return outcome
