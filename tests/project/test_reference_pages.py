"""The pages of the language are made from the rows of its constructs, and are as these are now."""

from __future__ import annotations

import re
from pathlib import Path

import pytest


def test_the_pages_of_the_language_are_as_its_constructs(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`python docs/site/reference_pages.py --write` writes them anew."""
    monkeypatch.syspath_prepend(root / "docs" / "site")
    import reference_pages

    assert {file.name for file in reference_pages.FILES} == {"reference.md", "llms.txt"}
    for file, text in reference_pages.FILES.items():
        assert file.read_text(encoding="utf-8") == text(), file.name


def test_the_short_page_has_every_word_and_is_short(root: Path) -> None:
    text = (root / "docs" / "llms.txt").read_text(encoding="utf-8")
    grammar = (root / "grammar" / "edict.lark").read_text(encoding="utf-8")
    words = set(re.findall(r'"([a-z]+)"', "\n".join(line.split("//")[0] for line in grammar.splitlines())))
    assert not words - set(re.findall(r"[a-z]+", text))
    assert len(text.split()) <= 4500
