"""How clearly a game was won."""

from __future__ import annotations

from collections.abc import Sequence


def margin_of(scores: Sequence[int], winners: Sequence[int]) -> int:
    """How far the best winner was ahead of the best of the others, by score and seat; 0 if all have won, or nobody.

    Whoever wins together is no rival, partners above all.
    """
    others = [score for seat, score in enumerate(scores) if seat not in winners]
    return max(0, max(scores[seat] for seat in winners) - max(others)) if winners and others else 0
