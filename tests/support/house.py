"""A variant of the game that ships, for tests that type in it."""

from __future__ import annotations

from pathlib import Path

from edict.studio.beginnings import Over
from edict.studio.shelf import Shelf
from edict.studio.variants import Variant


def house_rules(folder: Path) -> Variant:
    """With an advisor, a building and a house rule of its own."""
    return Shelf(folder).new(Over(), "house")


def untyped(variant: Variant) -> Variant:
    """The same, with nothing typed."""
    for draft in variant.drafts():
        variant.discard(draft.name)
    return variant
