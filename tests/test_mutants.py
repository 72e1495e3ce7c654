"""One mistake in shipped rules is found before play and shown where it was made, or the rules can still be played."""

from __future__ import annotations

import pytest
from mutants import judged, mutant

from edict.program.opcodes import (
    DIVISION, ENDLESS, FAULTS, NOTHING_THERE, OUT_OF_RANGE, TOO_DEEP, TOO_MANY, TOO_MANY_DICE,
)  # fmt: skip

# What cannot be known before play; `docs/language.md` tells it under "What kingsburg check guarantees". Everything
# else that stops a game, and a name, a type or a case that is missing above all, is a defect of `check`.
ONLY_IN_PLAY = {
    FAULTS[fault] for fault in (DIVISION, NOTHING_THERE, OUT_OF_RANGE, ENDLESS, TOO_DEEP, TOO_MANY, TOO_MANY_DICE)
}
SEEDS = range(60)


@pytest.mark.parametrize("number", SEEDS)
def test_a_mistake_is_refused_where_it_is_or_can_be_played(number: int) -> None:
    verdict = judged(mutant(number))
    assert verdict.outcome in {"refused", "played", "endless", *ONLY_IN_PLAY}, f"{mutant(number)}\n{verdict.told}"


def test_mutants_are_of_all_sorts() -> None:
    """So that the others show something: some are refused, some are played, and in many ways."""
    made = [mutant(number) for number in SEEDS]
    assert len({one.how for one in made}) >= 10
    assert len({one.played for one in made}) >= 8
    assert len({str(one) for one in made}) >= len(made) - 2


def test_the_judge_sees_what_is_in_the_wrong_place() -> None:
    """A mistake told of somewhere else is not taken for one told of in the right place."""
    one = next(m for m in map(mutant, range(1000)) if m.how == "word misspelt" and judged(m).outcome == "refused")
    elsewhere = "\n".join(["resource there", *one.text.splitlines()[:-1], "phase nonsense", "  play nobody-knows", ""])
    assert "nobody-knows" not in one.text
    assert judged(type(one)(one.number, one.played, one.file, elsewhere, "made up", ("x",), ("x",), 1)).outcome == "misplaced"
