"""The page with the cards of all games: made by the command, and as the rules are."""

from __future__ import annotations

from pathlib import Path

import pytest

from edict.simulation import native

if not native.available():
    pytest.skip("llvmlite is an extra (fast), and not installed here", allow_module_level=True)


def test_the_page_has_every_game_and_what_is_measured_again_is_the_same(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`python docs/site/card_pages.py --write` writes it anew; all of it would take a minute here."""
    monkeypatch.syspath_prepend(root / "docs" / "site")
    import card_pages
    from edict.cli.commands.card import games_that_ship
    from edict.study.game_cards import HEADINGS

    page = (root / "docs" / "game-cards.md").read_text(encoding="utf-8")
    rows = [line for line in page.split("\n") if line.count("|") == len(HEADINGS) + 1 and line[1] == " "]
    assert [line.split()[1] for line in rows] == ["game", *games_that_ship(), "kingsburg"]
    for name in ("kuhn-poker", "causeway", "pig"):
        assert card_pages.told(card_pages.measured(name)) in rows
