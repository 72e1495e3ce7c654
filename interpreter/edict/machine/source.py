"""The machine's own source, by which its native code is known."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from edict.program import digest


@cache
def code_folder() -> str:
    """Where in the cache native code is kept: a folder for each state of the machine's source.

    The source of one function would not do, since it would go unnoticed that one it calls has changed.
    """
    here = Path(__file__).resolve().parent
    rooms = here, here.parent / "native"
    sources = [*(file for room in rooms for file in sorted(room.glob("*.py"))), here.parent / "program" / "opcodes.py"]
    return "native/" + digest("\0".join(file.read_text(encoding="utf-8") for file in sources))
