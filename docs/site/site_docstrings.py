"""Docstrings as they stand in the code, made ready for Sphinx: indented stretches are code."""

from __future__ import annotations

from collections.abc import Sequence


def as_restructured(lines: Sequence[str]) -> list[str]:
    """Put a directive above every indented stretch, except below a field such as `:param games:`."""
    found: list[str] = []
    inside = in_field = False
    for line in lines:
        if line.strip() and not line.startswith(" "):
            in_field = line.startswith(":")
        indented = line.startswith("    ") and not in_field
        if indented and not inside:
            found += ["", ".. code-block:: python", ""]
        elif inside and line.strip() and not indented:
            found.append("")
        inside = indented or inside and not line.strip()
        found.append(line)
    return found
