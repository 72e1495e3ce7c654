"""What a message means: its page."""

from __future__ import annotations

import re

from edict import resources
from edict.cli.errors import UsageError
from edict.rendering import plain
from edict.report import did_you_mean


def explain(code: str) -> int:
    """Print the page of a diagnostic."""
    folder = resources.grammar() / "diagnostics"
    wanted = code.strip().upper()
    wanted = wanted if wanted.startswith("E") else f"E{wanted.rjust(4, '0')}"
    page = folder / f"{wanted}.md"
    known = sorted(file.stem for file in folder.glob("E*.md"))
    if wanted not in known:
        remedy = did_you_mean(wanted, known) or f"codes run from {known[0]} to {known[-1]}" if known else ""
        raise UsageError(f"there is no message `{code}`", remedy)
    text = page.read_text(encoding="utf-8")
    print(plain(re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.DOTALL)), end="")
    return 0
