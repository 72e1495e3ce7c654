"""Shipped rules with one planted mistake, which is reported where it was made or leaves the rules playable."""

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
from examples import choose_examples
from helpers import compile_texts
from mutating import judged, make_mutant

# Faults that cannot be known before play; `docs/reference/language.md` lists them under "What kingsburg check
# guarantees". Everything else that stops a game is a defect of `check`, above all a missing name, type or case.
ONLY_IN_PLAY = {
    FAULTS[fault] for fault in (DIVISION, NOTHING_THERE, OUT_OF_RANGE, ENDLESS, TOO_DEEP, TOO_MANY, TOO_MANY_DICE)
}
SEEDS = range(choose_examples(20, 200))


@pytest.mark.sample(8)
@pytest.mark.parametrize("number", SEEDS)
def test_mistake_is_reported_in_place_or_playable(number: int) -> None:
    verdict = judged(make_mutant(number))
    assert verdict.outcome in {"refused", "played", "endless", *ONLY_IN_PLAY}, f"{make_mutant(number)}\n{verdict.told}"


def test_mutants_are_diverse() -> None:
    """Without diversity the other tests would show little: some mutants are refused, others played."""
    made = [make_mutant(number) for number in range(60)]
    assert len({made_mutant.how for made_mutant in made}) >= 10
    assert len({made_mutant.played for made_mutant in made}) >= 8
    assert len({str(made_mutant) for made_mutant in made}) >= len(made) - 2


def test_diagnostic_in_another_place_counts_as_misplaced() -> None:
    one = next(m for m in map(make_mutant, range(1000)) if m.how == "word misspelt" and judged(m).outcome == "refused")
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
def test_steps_that_always_fail_are_refused(step: str, said: str) -> None:
    """Mutants uncovered these; they stopped every game."""
    outcome = compile_texts(f"keep rounds as number from 0 to 9\nphase trial-run\n  {step}\n")
    assert [d.title for d in outcome.diagnostics if d.is_error] == [said]


@pytest.mark.parametrize("step", ["let x = 7 / coin of first of line", "add 9 to rounds", "roll 186 cube as thrown"])
def test_steps_that_can_succeed_are_accepted(step: str) -> None:
    assert compile_texts(f"keep rounds as number from 0 to 9\nphase trial-run\n  {step}\n").ok
