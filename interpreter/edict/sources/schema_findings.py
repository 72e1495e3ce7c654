"""Files against their schemas; what was in order before is not looked at again, and nothing is loaded for it."""

from __future__ import annotations

from edict.program import digest
from edict.report import Diagnostic
from edict.sources.compiler_fingerprint import remember, remembered
from edict.sources.yaml_reader import Written


def schema_findings(name: str, written: Written) -> list[Diagnostic]:
    """What is wrong in a file written in YAML, by the fixed schema of that name."""
    fact = f"{name}-{digest(repr(written.data))}"
    if remembered(fact):
        return []
    from edict.sources.file_schemas import check_written  # jsonschema takes a while to load

    found = check_written(name, written)
    if not found:
        remember(fact)
    return found


__all__ = ["schema_findings"]
