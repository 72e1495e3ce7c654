"""Termination of the machine.

Random programs run out of their budget alike in CPython and in native code, and every front end reports endless rules
by name, in time and within its memory.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, MutableSequence, Sequence
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from calling import COMMAND, make_environment, make_manifest, write_files
from edict.apps.cli.command_errors import RULES
from edict.compiler.pipeline.compile import compile_rules
from edict.runtime.machine import loop
from edict.runtime.machine.loop import BUDGET
from edict.runtime.program import create_state
from edict.runtime.program import opcodes as o
from edict.runtime.simulation import native
from examples import choose_examples
from instrumented import instrument_loop
from random_programs import FIRST, NEAR, STACK, RandomCode, run_to_end

# --- programs made by lot ------------------------------------------------------------------------


def run_in_python(code: list[int], state: list[int], log: list[int]) -> int:
    return loop.run(code, state, log)


def run_natively(code: list[int], state: list[int], log: list[int]) -> int:
    """Run native code on the same lists."""
    arrays = [native.make_integers(numbers) for numbers in (code, state, log)]
    status = int(native.native_function(loop.run)(*arrays))
    state[:], log[:] = arrays[1].tolist(), arrays[2].tolist()
    return status


MANY = choose_examples(8, 100)
LOTS = [*((first, False) for first in range(0, 600, 100)), (0, True), (100, True)]


@pytest.mark.skipif(not native.is_available(), reason="llvmlite is an extra, and not installed here")
@pytest.mark.parametrize(("first", "winding"), LOTS)
def test_random_programs_stop_in_equal_states(first: int, winding: bool) -> None:
    """Compare every cell and event of both machines, also if they take turns with one state."""
    for seed in range(first, first + MANY):
        made = RandomCode(Random(seed), winding)
        state = made.make_state()
        alone = run_to_end(made, state, run_in_python)
        assert run_to_end(made, state, run_natively) == alone, f"seed {seed}"
        assert run_to_end(made, state, run_in_python, run_natively) == alone, f"seed {seed}"
        assert all(o.LEAST <= value <= o.MOST for _, stop, _ in alone for value in stop), f"seed {seed}"


def test_random_programs_reach_every_kind_of_end() -> None:
    """Guard against random programs that all end alike."""
    found = set()
    for seed in choose_examples(range(28, 74), range(200)):
        made = RandomCode(Random(seed))
        found.add(run_to_end(made, made.make_state(), run_in_python)[-1][0])
    assert {o.GAME_OVER, o.ENDLESS, o.TOO_BIG, o.DIVISION, o.TOO_MANY, o.TOO_LONG} <= found


# --- what counts ---------------------------------------------------------------------------------

A, B, C = FIRST, FIRST + 1, FIRST + 2


LEFT = BUDGET // 10  # of the budget, so that running out of it takes no time


def run_until_stopped(*code: int, **cells: int) -> list[int]:
    state = [0] * (STACK + 12)
    state[o.SP] = state[o.STACK] = STACK
    state[o.SPENT] = BUDGET - LEFT
    for name, value in cells.items():
        state[FIRST + "abc".index(name)] = value
    loop.run(code, state, [0])
    return state


def test_overflow_is_a_fault_at_its_instruction(subtests: pytest.Subtests) -> None:
    for op, b, c in (
        (o.ADD, o.MOST, 1),
        (o.ADD, o.LEAST, -1),
        (o.SUB, o.LEAST, 1),
        (o.SUB, o.MOST, -1),
        (o.MUL, 1 << 31, 2),
        (o.MUL, 2, -(1 << 31)),
    ):
        with subtests.test(op=op):
            state = run_until_stopped(o.MOV, A, B, op, A, B, C, o.OVER, b=b, c=c)
            assert (state[o.STATUS], state[o.PC], state[A]) == (o.TOO_BIG, 3, b), (o.NAMES[op], b, c)


def test_work_counts_code_length_not_jumps() -> None:
    """A long loop must exhaust the budget after as much code as a short one."""
    turns = {}
    for length in (3, 300):
        code = (*(o.MOV, B, B) * length, o.ADD, A, A, C, o.JMP, 0)
        turns[length] = run_until_stopped(*code, c=1)[A] * len(code)
    assert turns[300] == pytest.approx(turns[3], rel=0.01) == pytest.approx(LEFT, rel=0.01)


SHORTEST = {
    "a jump to itself": (o.JMP, 0),
    "a loop over members with nothing in it": (o.MOV, B, C, o.LOOP, A, B, 3, o.JMP, 0),
    "a call of nothing": (o.CALL, 4, o.JMP, 0, o.RET, 4),
    "leaving a loop": (o.NEXT, A, B, 0, o.OVER),
    "a condition that leads back": (o.JZ, A, 0),
    "members left ahead and a condition that leads back": (o.NEXT, A, B, 4, o.JZ, A, 0, o.JMP, 0),
    "a call of what stands behind": (o.JMP, 4, o.RET, 2, o.CALL, 2, o.JZ, A, 4),
}


def test_every_step_is_charged(subtests: pytest.Subtests) -> None:
    """Even the shortest loop must not run more steps than it is charged for."""
    for name, code in SHORTEST.items():
        with subtests.test(name=name):
            ran = list[int]()
            state = [0] * (STACK + 12)
            state[o.SP] = state[o.STACK] = STACK
            state[C], state[o.SPENT] = (1 << 61) - 1, BUDGET - NEAR
            assert instrument_loop("pc", ran.append)(code, state, [0]) == o.ENDLESS
            assert 100 < len(ran) <= NEAR


Run = Callable[[Sequence[int], MutableSequence[int], MutableSequence[int]], int]
Seen = list[tuple[int, int, int]]  # before each step: where, what was spent by then in all, and how deep in routines


def record_spent(seen: Seen) -> Run:
    """Return the machine's loop with a hook that records the work spent before each step."""

    def noted(at: int, spent: int, s: list[int]) -> None:
        seen.append((at, s[o.TOTAL] + spent, s[o.SP] - s[o.STACK]))

    return instrument_loop("pc, spent, s", noted)


@pytest.mark.parametrize("winding", [False, True])
def test_work_spent_is_monotonic_and_bounds_the_steps(winding: bool) -> None:
    """In random programs, charge two numbers of code for each step, except one open path through each routine."""
    long = 0
    for seed in range(choose_examples(8, 120)):
        made, seen = RandomCode(Random(seed), winding), Seen()
        state = made.make_state()
        state[o.LOGGING] = 0
        run_to_end(made, state, record_spent(seen))
        spent = [all_in_all for _, all_in_all, _ in seen]
        assert all(before <= after for before, after in pairwise(spent)), f"seed {seed}"
        open_ways = (1 + max(depth for _, _, depth in seen)) * len(made.code)
        assert 2 * len(seen) <= spent[-1] - spent[0] + open_ways, f"seed {seed}"
        long += len(seen) > open_ways
    assert long > choose_examples(0, 5), "programs that go round"


@pytest.mark.parametrize("game", ["pig", "foxes-at-court"])
def test_work_spent_is_monotonic_in_games(game: str) -> None:
    program, seen, luck = compile_rules(game).unwrap(), Seen(), Random(1)
    state, play = create_state(program, program.least_players, {}, logging=False), record_spent(seen)
    while play(program.code, state, [0]) == o.ASKING:
        state[o.ANSWER] = luck.randrange(state[o.OPTIONS])
    assert state[o.STATUS] == o.GAME_OVER
    assert all(before[1] <= after[1] for before, after in pairwise(seen))
    assert 2 * len(seen) < seen[-1][1] + len(program.code)


def test_call_is_charged_for_its_routine() -> None:
    code = (o.CALL, 8, o.ADD, A, A, C, o.JMP, 0, *(o.MOV, B, B) * 100, o.RET, 8)
    assert run_until_stopped(*code, c=1)[A] == pytest.approx(LEFT / 313, rel=0.02)


def test_budget_is_renewed_by_players_and_not_by_chance(subtests: pytest.Subtests) -> None:
    offers, asked = (o.OFFER, A, o.OFFER, B), dict[int, int]()
    for op, question in {o.ASK: (o.ASK, 0, A, C), o.ASKC: (o.ASKC, 0, C)}.items():
        with subtests.test(op=op):
            code = (*offers, *question, o.JMP, 0)
            state = run_until_stopped(*code)
            while state[o.STATUS] == o.ASKING:
                asked[op] = asked.get(op, 0) + 1
                assert op == o.ASKC or state[o.SPENT] == 0
                state[o.ANSWER] = 0
                loop.run(code, state, [0])
            assert state[o.STATUS] == (o.TOO_LONG if op == o.ASK else o.ENDLESS)
    assert asked[o.ASK] > 50 * asked[o.ASKC] > 5_000


# --- rules that never end, at every front end ------------------------------------------------------

HOSTILE = sorted((Path(__file__).parents[2] / "hostile" / "endless").glob("*.edict"))
SUPPORT = Path(__file__).parents[2] / "kit"
MEMORY = 1_500_000_000  # of addresses, of which NumPy and the compiler take most
SECONDS = 60
GAME = """\
resource coin "coin/coins"
resource wood "wood/wood"
resource fame "fame" may go below 0
die d6 "die" with 6 sides
keep seating as order of player, quiet
setting other is 1

game sample "Sample"
  players 2 to 4
  order seating
  winners everyone
  score coin of you
  course
    play opening
"""
SCENE = "players: [Ann, Ben]\nscenes:\n- name: it plays\n  start: game\n  then:\n    Ann: {coin: 0}\n"
ALONE = {
    "profile": ("study", "sample", "--profile", "--games", "2"),
    "play": ("play", "sample", "--bot", "random", "--bot", "random"),
    "test": ("test", "sample"),
}
AMONG_BOTS = (
    ("study", "sample", "--games", "600"),
    ("compare", "base", "other=2", "--game", "sample", "--games", "600"),
    ("league", "sample", "--bots", "random,greedy", "--games", "4"),
    ("league", "sample", "--bots", "random,search@3", "--games", "2"),
    ("train", "sample", "--games", "50", "-o", "weights.json"),
    ("play", "sample", "--bot", "greedy", "--bot", "search@3"),
)
ASKS = ("for-ever", "later", "luck")  # of which a scene would have to speak
TESTED = ("doubling", "sinking")  # by a scene, which takes ten times as long


def run_limited_check(folder: Path, *words: str) -> str:
    """Return the output of the command within its limits of memory and time; it must report a mistake."""
    import resource

    done = subprocess.run(
        [*COMMAND, *words],
        cwd=folder,
        env=make_environment(folder),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=SECONDS,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
    )
    told = done.stdout + done.stderr
    assert done.returncode == RULES and "Traceback" not in told, told[-2000:]
    return told


def write_hostile_game(folder: Path, hostile: Path) -> list[str]:
    """Write a game with these rules, and return the places that must be reported, if they are known."""
    text = hostile.read_text(encoding="utf-8")
    files = {
        "page.edict": text,
        "game.edict": GAME,
        "module.yaml": make_manifest("sample", "game"),
        "scenes/a.yaml": SCENE,
    }
    write_files(folder, {f"sample/{name}": content for name, content in files.items()})
    return list_expected_places(hostile)


def list_expected_places(hostile: Path) -> list[str]:
    text = hostile.read_text(encoding="utf-8")
    lines = [number for number, line in enumerate(text.splitlines(), 1) if line.endswith("# here")]
    return [f"sample/page.edict:{number}:" for number in lines]


posix = pytest.mark.skipif(os.name != "posix", reason="limits of memory are a thing of Unix")


ASKED = """\
import json, os, sys
from pathlib import Path
from isolating import call_isolated

for folder, words in json.load(sys.stdin):
    os.environ["EDICT_GAMES"] = folder + "/games"
    done = call_isolated(Path(folder), words, os.environ.copy())
    print(json.dumps([done.returncode, done.stdout + done.stderr]), flush=True)
"""


@posix
def test_endless_rules_are_reported_by_name(tmp_path: Path, subtests: pytest.Subtests) -> None:
    """All are played in one process, within its limits of memory and time."""
    import resource

    calls = []
    for number, hostile in enumerate(HOSTILE):
        write_hostile_game(folder := tmp_path / hostile.stem, hostile)
        by_lot = ("profile", "play")[number % 2]
        command = "profile" if hostile.stem in ASKS else "test" if hostile.stem in TESTED else by_lot
        calls.append((str(folder), ALONE[command]))
    around = make_environment(tmp_path)
    around["PYTHONPATH"] += os.pathsep + str(SUPPORT)
    done = subprocess.run(
        [sys.executable, "-c", ASKED],
        cwd=tmp_path,
        env=around,
        input=json.dumps(calls),
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=SECONDS * 4,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
    )
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(told) == len(HOSTILE), done.stderr[-2000:]
    for hostile, (ended, text) in zip(HOSTILE, told, strict=True):
        with subtests.test(hostile=hostile):
            assert ended == RULES and "Traceback" not in text, (hostile.stem, text[-2000:])
            places = list_expected_places(hostile)
            assert any(place in text for place in places) or not places, (hostile.stem, text)
            assert any(what in " ".join(text.split()) for what in o.FAULTS.values()), (hostile.stem, text)


def test_endless_questions_are_reported_at_the_table(
    tmp_path: Path, call: Callable[..., subprocess.CompletedProcess[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Thousands of bots' answers, each saved, without waiting for the disk after each."""
    monkeypatch.setattr(loop, "LONGEST", loop.LONGEST // 8)  # more than what looks for the loop may do
    (place,) = write_hostile_game(tmp_path, next(path for path in HOSTILE if path.stem == "for-ever"))
    done = call(*ALONE["play"], "--save", "game.jsonl")
    told = " ".join((done.stdout + done.stderr).split())
    assert done.returncode == RULES and place in told and "question after question" in told, told[-900:]
    assert len((tmp_path / "game.jsonl").read_text(encoding="utf-8").splitlines()) > 500


@pytest.mark.sample(2)
@posix
@pytest.mark.skipif(not native.is_available(), reason="llvmlite is an extra, and not installed here")
@pytest.mark.parametrize("words", AMONG_BOTS, ids=[f"{words[0]}{i}" for i, words in enumerate(AMONG_BOTS)])
def test_games_between_bots_stop(tmp_path: Path, words: tuple[str, ...]) -> None:
    places = write_hostile_game(tmp_path, next(path for path in HOSTILE if path.stem == "later"))
    assert places[0] in run_limited_check(tmp_path, *words)
