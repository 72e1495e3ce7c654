"""The pages of the language are made from the rows of its constructs, and are as these are now."""

from __future__ import annotations

from pathlib import Path

import pytest


def test_the_pages_of_the_language_are_as_its_constructs(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`python docs/site/reference_pages.py --write` writes them anew."""
    monkeypatch.syspath_prepend(root / "docs" / "site")
    import reference_pages

    for file, text in reference_pages.FILES.items():
        assert file.read_text(encoding="utf-8") == text(), file.name
