"""A name for this compiler, made of its own source; and what it has found to be in order before."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from edict.runtime.program import digest
from edict.support import resources, signed_cache

PACKAGE = Path(__file__).resolve().parents[2]
NAMED = "compiler.name"  # where the package lies without its source, a file with what `fingerprint` was before
PASSES = "compiler/pipeline"  # the package whose files call all passes
_IMPORTED = re.compile(r"from edict\.(\w+)(?:\.(\w+)| import ([\w, ]+))")


@cache
def fingerprint() -> str:
    """A name for this compiler: grammar, schemas and passes as they are now, or were, where no source is left."""
    if (PACKAGE / NAMED).is_file():
        return (PACKAGE / NAMED).read_text(encoding="utf-8")
    return digest("\0".join([*(f.read_text(encoding="utf-8") for f in grammar_files()), *compiler_files().values()]))


def grammar_files() -> list[Path]:
    """What programs are made by that is not Python: the grammar, what steps in short stand for, and the schemas."""
    folder = resources.grammar_folder()
    tables = (*(folder / "editions").glob("*.yaml"), *(folder / "schema").glob("*.json"))
    return [folder / "edict.lark", folder / "sugar.edict", *sorted(tables)]


def compiler_files(root: Path = PACKAGE) -> dict[Path, str]:
    """Return the text of every file whose change makes all rules be compiled anew.

    These are the files of all subpackages that the passes import, directly or not.
    """
    texts, rooms, waiting = dict[Path, str](), set[str](), [PASSES]
    while waiting:
        room = waiting.pop()
        if room not in rooms:
            rooms.add(room)
            own = {
                f: f.read_text(encoding="utf-8")
                for f in (*(root / room).rglob("*.py"), root / f"{room}.py")
                if f.is_file()
            }
            texts |= own
            for package, below, named in (found for text in own.values() for found in _IMPORTED.findall(text)):
                waiting += [f"{package}/{name}" for name in ([below] if below else re.findall(r"\w+", named))]
    return dict(sorted(texts.items()))


def remembered(fact: str) -> bool:
    """Whether something was found to be in order before, by this compiler."""
    return signed_cache.read(_known(fact)) is not None


def remember(fact: str) -> None:
    """Keep in mind that something is in order."""
    signed_cache.write(_known(fact), b"")


def _known(fact: str) -> str:
    return f"known/{fact}-{fingerprint()}"
