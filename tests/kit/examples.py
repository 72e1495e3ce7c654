"""Numbers of random examples for a property: few and always the same, or many new ones with EDICT_EXAMPLES=all.

The profile must be loaded before any test is imported, because decorators take their defaults from it.
"""

from __future__ import annotations

import os
from typing import TypeVar

from hypothesis import settings

T = TypeVar("T")

ALL = os.environ.get("EDICT_EXAMPLES") == "all"


def load_profile() -> None:
    """Load the profile into Hypothesis."""
    settings.register_profile("few", deadline=None, derandomize=True, max_examples=25)
    settings.register_profile("many", deadline=None, max_examples=500, print_blob=True)
    settings.load_profile("many" if ALL else "few")


def choose_examples(few: T, many: T) -> T:
    """Return `few` or `many`, for a property whose examples take unusually long or short."""
    return many if ALL else few
