"""The machine's own source, by which its native code is known."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from edict.program import digest


@cache
def code_folder(*rooms: str) -> str:
    """Where in the cache native code is kept: a folder for each state of the source of the machine and of more `rooms`.

    The source of one function would not do, since it would go unnoticed that one it calls has changed.
    """
    engine = Path(__file__).resolve().parents[1]
    folders = (engine / room for room in ("machine", "native", *rooms))
    sources = [*(file for room in folders for file in sorted(room.glob("*.py"))), engine / "program" / "opcodes.py"]
    return "native/" + digest("\0".join(file.read_text(encoding="utf-8") for file in sources))
