"""How many random examples a property is tried with: few, the same each time, or with EDICT_EXAMPLES=all many new ones.

The profile must be loaded before any test is read, as decorators take from it what they do not say themselves.
"""

from __future__ import annotations

import os
from typing import TypeVar

from hypothesis import settings

T = TypeVar("T")

ALL = os.environ.get("EDICT_EXAMPLES") == "all"


def load() -> None:
    """Let Hypothesis know."""
    settings.register_profile("few", deadline=None, derandomize=True, max_examples=25)
    settings.register_profile("many", deadline=None, max_examples=500, print_blob=True)
    settings.load_profile("many" if ALL else "few")


def examples(few: T, many: T) -> T:
    """For a property of which one example takes much longer, or less, than of others: how many, or which."""
    return many if ALL else few
