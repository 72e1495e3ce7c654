"""What a message means: its page."""

from __future__ import annotations

from edict import resources
from edict.cli.errors import UsageError
from edict.formats.diagnostic_pages import read_page
from edict.rendering import plain
from edict.report import did_you_mean


def explain(code: str) -> int:
    """Print the page of a diagnostic."""
    wanted = code.strip().upper()
    wanted = f"E{wanted.rjust(4, '0')}" if wanted.isdecimal() else wanted
    page = read_page(wanted)
    if page is None:
        known = sorted(file.stem for file in (resources.grammar() / "diagnostics").glob("*.md"))
        remedy = did_you_mean(wanted, known) or f"codes run from {known[0]} to {known[-1]}" if known else ""
        raise UsageError(f"there is no message `{code}`", remedy)
    print(plain(page.text), end="")
    return 0
