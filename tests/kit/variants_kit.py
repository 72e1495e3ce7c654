"""A variant to type in."""

from __future__ import annotations

import pytest

from edict.tools.studio.collection import Collection
from edict.tools.studio.scaffolding import LaidOver
from edict.tools.studio.variants import Variant


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Variant:
    """A variant of the game that ships, with an advisor, a building and a house rule of its own."""
    return Collection(tmp_path_factory.mktemp("collection")).new(LaidOver(), "house")


@pytest.fixture(scope="module")
def begun(house: Variant) -> dict[str, str]:
    """What its files held at first."""
    return house.texts()


@pytest.fixture
def variant(house: Variant, begun: dict[str, str]) -> Variant:
    """The same as it began, whatever tests before have typed and saved: their order is anybody's guess."""
    as_saved(house)
    for name in set(house.files()) - set(begun):
        (house.folder / name).unlink()
    for name, text in begun.items():
        (house.folder / name).write_text(text, encoding="utf-8")
    return house


def as_saved(variant: Variant) -> Variant:
    """A variant without what was typed and never saved."""
    for draft in variant.drafts():
        variant.discard(draft.name)
    return variant
