"""One mistake in shipped rules is found before play and shown where it was made, or the rules can still be played."""

from __future__ import annotations

from dataclasses import replace

import pytest

from edict.runtime.program.opcodes import (
    DIVISION,
    ENDLESS,
    FAULTS,
    NOTHING_THERE,
    OUT_OF_RANGE,
    TOO_DEEP,
    TOO_MANY,
    TOO_MANY_DICE,
)
from examples import examples
from helpers import compiled
from mutating import judged, mutant

# What cannot be known before play; `docs/language.md` tells it under "What kingsburg check guarantees". Everything
# else that stops a game, and a name, a type or a case that is missing above all, is a defect of `check`.
ONLY_IN_PLAY = {
    FAULTS[fault] for fault in (DIVISION, NOTHING_THERE, OUT_OF_RANGE, ENDLESS, TOO_DEEP, TOO_MANY, TOO_MANY_DICE)
}
SEEDS = range(examples(20, 200))


@pytest.mark.sample(8)
@pytest.mark.parametrize("number", SEEDS)
def test_a_mistake_is_refused_where_it_is_or_can_be_played(number: int) -> None:
    verdict = judged(mutant(number))
    assert verdict.outcome in {"refused", "played", "endless", *ONLY_IN_PLAY}, f"{mutant(number)}\n{verdict.told}"


def test_mutants_are_of_all_sorts() -> None:
    """So that the others show something: some are refused, some are played, and in many ways."""
    made = [mutant(number) for number in range(60)]
    assert len({one.how for one in made}) >= 10
    assert len({one.played for one in made}) >= 8
    assert len({str(one) for one in made}) >= len(made) - 2


def test_the_judge_sees_what_is_in_the_wrong_place() -> None:
    """A mistake told of somewhere else is not taken for one told of in the right place."""
    one = next(m for m in map(mutant, range(1000)) if m.how == "word misspelt" and judged(m).outcome == "refused")
    lines = ["resource there", *one.text.splitlines()[:-1], "phase nonsense", "  play nobody-knows", ""]
    elsewhere = replace(one, text="\n".join(lines), old=("x",), new=("x",), at=1)
    assert judged(elsewhere).outcome == "misplaced"


@pytest.mark.parametrize(
    ("step", "said"),
    [
        ("let x = coin of first of line / (3 - 3)", "this divides by 0"),
        ("let x = 7 mod 0", "this divides by 0"),
        ("add 10 to rounds", "`rounds` is a number from 0 to 9"),
        ("remove coin of first of line + 10 from rounds", "`rounds` is a number from 0 to 9"),
        ("roll 99999 cube as thrown", "up to 186 of these dice can be rolled at once"),
    ],
)
def test_what_can_never_go_well_in_play_is_refused_before(step: str, said: str) -> None:
    """Found by mutants: they stopped every game at that place."""
    outcome = compiled(f"keep rounds as number from 0 to 9\nphase trial-run\n  {step}\n")
    assert [d.title for d in outcome.diagnostics if d.is_error] == [said]


@pytest.mark.parametrize("step", ["let x = 7 / coin of first of line", "add 9 to rounds", "roll 186 cube as thrown"])
def test_what_may_go_well_is_not(step: str) -> None:
    assert compiled(f"keep rounds as number from 0 to 9\nphase trial-run\n  {step}\n").ok
