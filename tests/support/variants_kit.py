"""A variant to type in."""

from __future__ import annotations

import pytest

from edict.studio.beginnings import Over
from edict.studio.shelf import Shelf
from edict.studio.variants import Variant


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Variant:
    """A variant of the game that ships, with an advisor, a building and a house rule of its own."""
    return Shelf(tmp_path_factory.mktemp("shelf")).new(Over(), "house")


@pytest.fixture
def variant(house: Variant) -> Variant:
    """The same, with nothing typed."""
    for draft in house.drafts():
        house.discard(draft.name)
    return house
