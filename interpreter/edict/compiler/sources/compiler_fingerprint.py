"""The fingerprint of this compiler, computed from its source, and facts it has verified before."""

from __future__ import annotations

import os
import re
from functools import cache
from pathlib import Path

from edict.runtime.program import digest
from edict.support import records, resources, signed_cache

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
    name, stamps = f"data/compiler-{digest(f'{PACKAGE} {records.MAKER}')}", _stamp_files().encode()
    cached = (signed_cache.read(name) or b"").split(b"\n")
    if cached[0] == stamps:
        return cached[1].decode()
    texts = (*(f.read_text(encoding="utf-8") for f in list_grammar_files()), *read_compiler_files().values())
    made = digest("\0".join((records.MAKER, *texts)))
    signed_cache.write(name, stamps + b"\n" + made.encode())
    return made


def _stamp_files() -> str:
    """Return a digest of what changes whenever somebody writes to a file of the fingerprint, or adds one.

    Reading them all takes five times as long.
    """
    stats = {str(file): file.stat() for file in list_grammar_files()}
    pending = [str(PACKAGE)]
    while pending:
        with os.scandir(pending.pop()) as entries:
            for entry in entries:
                if entry.is_dir() and entry.name != "__pycache__":
                    pending.append(entry.path)
                elif entry.name.endswith(".py"):
                    stats[entry.path] = entry.stat()
    return digest(repr(sorted((name, s.st_mtime_ns, s.st_ctime_ns, s.st_size, s.st_ino) for name, s in stats.items())))


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
