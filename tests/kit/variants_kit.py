"""Fixtures of a variant to edit."""

from __future__ import annotations

import pytest

from edict.tools.studio.collection import Collection
from edict.tools.studio.scaffolding import LaidOver
from edict.tools.studio.variants import Variant


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Variant:
    """A variant of the base game with an advisor, a building and a house rule of its own."""
    return Collection(tmp_path_factory.mktemp("collection")).create(LaidOver(), "house")


@pytest.fixture(scope="module")
def begun(house: Variant) -> dict[str, str]:
    """The first texts of its files."""
    return house.get_texts()


@pytest.fixture
def variant(house: Variant, begun: dict[str, str]) -> Variant:
    """The variant restored to its first state, because other tests edit and save it."""
    discard_drafts(house)
    for name in set(house.list_files()) - set(begun):
        (house.folder / name).unlink()
    for name, text in begun.items():
        (house.folder / name).write_text(text, encoding="utf-8")
    return house


def discard_drafts(variant: Variant) -> Variant:
    """Discard all drafts of a variant and return it."""
    for draft in variant.list_drafts():
        variant.discard(draft.name)
    return variant
