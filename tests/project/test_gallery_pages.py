"""The page of the gallery and its pictures are made from the rules that ship, and are as these are now."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest


def test_the_gallery_is_as_the_rules_that_ship(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`python docs/site/gallery_pages.py --write` writes it anew."""
    monkeypatch.syspath_prepend(root / "docs" / "site")
    import gallery_pages

    made = gallery_pages.files()
    for file, text in made.items():
        assert file.read_text(encoding="utf-8") == text(), file.name
    assert {file for file in made if file.suffix == ".svg"} == set(gallery_pages.PICTURES.glob("*.svg"))
    assert all(ElementTree.fromstring(text()) is not None for file, text in made.items() if file.suffix == ".svg")
