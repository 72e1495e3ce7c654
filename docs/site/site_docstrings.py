"""Docstrings as they stand in the code, made ready for Sphinx: indented stretches are code."""

from __future__ import annotations

from collections.abc import Sequence


def as_restructured(lines: Sequence[str]) -> list[str]:
    """The lines with a directive above every indented stretch that begins after an empty line or after a colon."""
    found: list[str] = []
    inside = False
    for line in lines:
        indented = line.startswith("    ")
        if indented and not inside:
            found += ["", ".. code-block:: python", ""]
        elif inside and line.strip() and not indented:
            found.append("")
        inside = indented or inside and not line.strip()
        found.append(line)
    return found
