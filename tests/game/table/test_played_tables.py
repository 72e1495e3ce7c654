"""Whole games at the table of every kind: none crashes, and each plays as the untraced machine does."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from random import Random
from subprocess import CompletedProcess

import pytest

from edict.game.table.journal import read_journal
from edict.runtime.program.opcodes import EVENT_SIZE
from shipped import GAME, GAMES, MODULES, SCENARIOS
from whole_games import PERSON, ROOT, TablePlan, plan_table, play_whole_game

TABLES = int(os.environ.get("EDICT_TABLES") or 3)  # games drawn by lot
FROM = int(os.environ.get("EDICT_TABLES_FROM") or 5)  # the number of the first
TOGETHER = 20  # games in one test
FORMER_BUFFER = 128  # events; steps with more could not be traced


@pytest.mark.parametrize("first", range(FROM, FROM + TABLES, TOGETHER))
def test_random_tables_play_as_the_untraced_machine_does(first: int, tmp_path: Path) -> None:
    for number in range(first, min(first + TOGETHER, FROM + TABLES)):
        play_whole_game(plan_table(number), tmp_path / f"{number}.jsonl")


@pytest.mark.parametrize("game", [game for game in GAMES if game != GAME])
@pytest.mark.sample(3)
def test_every_example_game_plays_as_the_untraced_machine_does(game: str, tmp_path: Path) -> None:
    program = TablePlan(game, (), (), 0).rules.program
    seats = ("greedy", PERSON, "learned", "judge", "random")
    plan = TablePlan(game, (), seats[: program.least_players], 1, room=20)
    play_whole_game(plan, tmp_path / "game.jsonl")


@pytest.mark.parametrize("module", [*MODULES, *SCENARIOS])
@pytest.mark.sample(3)
def test_every_module_plays_as_the_untraced_machine_does(module: str, tmp_path: Path) -> None:
    seats = ("learned", PERSON, "greedy", "judge", "random")[: 2 + len(module) % 3]
    play_whole_game(TablePlan(GAME, (module,), seats, len(module)), tmp_path / "game.jsonl")


def test_options_from_outside_play_as_the_untraced_machine_does(tmp_path: Path) -> None:
    recipe = str(ROOT / "examples" / "recipes" / "third-answer")
    play_whole_game(TablePlan(GAME, (recipe,), ("learned", "random", PERSON), 1), tmp_path / "game.jsonl")


@pytest.mark.parametrize(
    ("modules", "seats", "seed"),
    [
        (("destiny",), (PERSON, "greedy", "greedy", "greedy"), 8),
        ((), ("greedy",) * 5, 18),
        (tuple(MODULES), ("greedy", "judge", "learned", PERSON), 3),
    ],
)
def test_game_with_long_steps_is_played_to_its_end(
    modules: tuple[str, ...], seats: tuple[str, ...], seed: int, tmp_path: Path
) -> None:
    """Regression: such games ended in an IndexError."""
    played = play_whole_game(TablePlan(GAME, modules, seats, seed, busy=0.03), tmp_path / "game.jsonl")
    assert max(map(len, played.machine.events)) > FORMER_BUFFER * EVENT_SIZE or not modules


Call = Callable[..., CompletedProcess[str]]
TYPED = ("why 1", "why last", "why score", "log", "board", "undo", "help", "why not x")


@pytest.mark.parametrize(("game", "modules", "people"), [(GAME, ("destiny", "governors"), 2), ("night-market", (), 2)])
def test_people_at_one_keyboard_play_stop_and_resume(
    game: str, modules: tuple[str, ...], people: int, call: Call, tmp_path: Path
) -> None:
    rng, path = Random(people), tmp_path / "game.jsonl"

    def type_answers(lines: int) -> str:
        words = (rng.choice(TYPED) if rng.random() < 0.1 else str(rng.randint(1, 18)) for _ in range(lines))
        return "".join(f"{line}\n" for line in words)

    seated = [word for name in ("Ann", "Brian")[:people] for word in ("--human", name)]
    added = [word for module in modules for word in ("--with", module)]
    done = call(
        "play",
        game,
        *added,
        *seated,
        "--bot",
        "greedy",
        "--plain",
        "--seed",
        "8",
        "--save",
        str(path),
        typed=type_answers(100),
    )
    before = len(read_journal(path).answers)
    assert done.returncode == 0 and before and "internal error" not in done.stdout + done.stderr
    for _ in range(2):
        done = call("resume", str(path), "--plain", typed=type_answers(100))
        assert done.returncode == 0 and "internal error" not in done.stdout + done.stderr
    journal = read_journal(path)
    assert len(journal.answers) > before
    replayed = TablePlan(game, modules, (), 8).rules.replay(journal)
    assert len(replayed.answers) == len(journal.answers) and [str(entry) for entry in replayed.log]
