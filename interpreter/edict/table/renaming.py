"""Names that have changed: what somebody wrote when things were called otherwise, and what it means now."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

Renamed = Mapping[str, str]
"""What something was called before, and what it is called now; both as names in the rules."""


def readings(text: str, renamed: Renamed) -> Iterator[str]:
    """What a text written before may be now, the likeliest first: renamed as a whole, as it was, renamed in part."""
    whole = text.casefold().replace(" ", "-")
    if whole in renamed:
        yield renamed[whole]
    yield text
    parts = sorted(renamed, key=len, reverse=True)
    pattern = "|".join(rf"(?<!\w){re.escape(old).replace(chr(92) + '-', '[ -]')}(?!\w)" for old in parts)
    if pattern:
        yield re.sub(pattern, lambda m: renamed[m[0].casefold().replace(" ", "-")], text, flags=re.IGNORECASE)
