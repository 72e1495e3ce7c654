"""Words with a meaning of their own in values, which nothing can be called."""

from __future__ import annotations

from edict.report import Diagnostic
from edict.text import Span


def taken(word: str, span: Span) -> Diagnostic:
    """What is said where such a word is given to something as its name."""
    return Diagnostic(
        "E0112", f"`{word}` is a word of the language and cannot be a name", span,
        note="It has a meaning of its own inside values, so nothing could refer to this.",
        help=f"choose another name, such as `my-{word}`",
    )  # fmt: skip
