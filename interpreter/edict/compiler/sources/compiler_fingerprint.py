"""The fingerprint of this compiler, computed from its source, and facts it has verified before."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from edict.runtime.program import digest
from edict.support import resources, signed_cache

PACKAGE = Path(__file__).resolve().parents[2]  # folder of the package `edict`
FINGERPRINT_FILE = "compiler.name"  # holds the fingerprint where the package is installed without its source
PASSES = "compiler/pipeline"  # the package whose files call all passes
_IMPORTED = re.compile(r"from edict\.(\w+)(?:\.(\w+)| import ([\w, ]+))")


@cache
def fingerprint() -> str:
    """Return the fingerprint of this compiler: a digest of grammar, schemas and passes.

    Where the source is not installed, return the fingerprint that was stored when the package was built.
    """
    if (PACKAGE / FINGERPRINT_FILE).is_file():
        return (PACKAGE / FINGERPRINT_FILE).read_text(encoding="utf-8")
    return digest(
        "\0".join([*(f.read_text(encoding="utf-8") for f in list_grammar_files()), *read_compiler_files().values()])
    )


def list_grammar_files() -> list[Path]:
    """Return the files besides Python source that influence programs.

    These are the grammar, the expansions of short steps, and the schemas.
    """
    folder = resources.grammar_folder()
    tables = (*(folder / "editions").glob("*.yaml"), *(folder / "schema").glob("*.json"))
    return [folder / "edict.lark", folder / "sugar.edict", *sorted(tables)]


def read_compiler_files(root: Path = PACKAGE) -> dict[Path, str]:
    """Return the text of every source file whose change makes all rules be compiled anew.

    These are the files of all subpackages that the passes import, directly or not.
    """
    texts, visited, pending = dict[Path, str](), set[str](), [PASSES]
    while pending:
        subpackage = pending.pop()
        if subpackage not in visited:
            visited.add(subpackage)
            own_texts = {
                f: f.read_text(encoding="utf-8")
                for f in (*(root / subpackage).rglob("*.py"), root / f"{subpackage}.py")
                if f.is_file()
            }
            texts |= own_texts
            for package, below, named in (match for text in own_texts.values() for match in _IMPORTED.findall(text)):
                pending += [f"{package}/{name}" for name in ([below] if below else re.findall(r"\w+", named))]
    return dict(sorted(texts.items()))


def is_verified(fact: str) -> bool:
    """Return True if this compiler has verified a fact before."""
    return signed_cache.read(_cache_key(fact)) is not None


def mark_verified(fact: str) -> None:
    """Record in the cache that a fact has been verified."""
    signed_cache.write(_cache_key(fact), b"")


def _cache_key(fact: str) -> str:
    return f"known/{fact}-{fingerprint()}"
