"""A program written as Python functions plays as the loop does, cell for cell."""

from __future__ import annotations

from random import Random

import pytest

from edict.front.compile import compile_rules
from edict.machine import loop, plain
from edict.native.python import in_python, written_in_python
from edict.program import opcodes as o
from edict.program.beginning import first_state
from edict.simulation import native
from edict.simulation.plans import GREEDY, RANDOM
from made import Made, course, made_program, some_program

TELLING = (90, 169)  # programs that showed something: what was spent before cells were saved counted for each of them


@pytest.mark.parametrize(
    ("game", "modules", "games"),
    [("pig", (), 20), ("kuhn-poker", (), 20), ("kingsburg", (), 6), ("kingsburg", ("governors", "destiny"), 3)],
)
def test_every_state_is_the_loops(game: str, modules: tuple[str, ...], games: int) -> None:
    program = compile_rules(game, modules).unwrap()
    play = in_python(program, loop.run)
    for seed in range(games):
        players, luck = program.least_players + seed % 2, Random(seed)
        state = first_state(program, min(players, program.most_players), {}, logging=False)
        other, status = state.copy(), o.ASKING
        while status == o.ASKING:
            status = loop.run(program.code, state, [0])
            assert play(program.code, other, [0]) == status
            assert other == state
            if status == o.ASKING:
                state[o.ANSWER] = other[o.ANSWER] = luck.randrange(state[o.OPTIONS])
        assert status == o.GAME_OVER


@pytest.mark.parametrize("winding", [False, True])
def test_programs_made_by_lot_are_played_alike(winding: bool) -> None:
    for seed in {*range(40), *TELLING}:
        made = Made(Random(seed), winding)
        state = made.state()
        play = in_python(made_program(made), loop.run)
        alone = course(made, state, loop.run)
        assert course(made, state, play) == alone, f"seed {seed}"
        assert course(made, state, loop.run, play) == alone, f"seed {seed}"


def test_what_is_known_is_written_as_numbers() -> None:
    """Functions that looked up their operands would be no faster than the loop."""
    text = written_in_python(some_program(), loop.run)
    assert "pc" not in text and "op ==" not in text and "logging" not in text
    assert text.count("code[") < text.count("s[") / 20


@pytest.mark.parametrize("policy", [RANDOM, GREEDY])
def test_a_program_played_much_goes_on_by_its_functions(policy: object, monkeypatch: pytest.MonkeyPatch) -> None:
    program = some_program()
    monkeypatch.setattr(plain, "_KNOWN", type(plain._KNOWN)())
    seats = [policy] * 2
    before = [native.play_one(program, 2, seed, policies=seats) for seed in range(20)]  # type: ignore[arg-type]
    assert plain.code_of(program).play is loop.run
    monkeypatch.setattr(plain, "PATIENCE", plain.code_of(program).played + 10)
    after = [native.play_one(program, 2, seed, policies=seats) for seed in range(20)]  # type: ignore[arg-type]
    assert plain.code_of(program).play is not loop.run
    assert after == before
