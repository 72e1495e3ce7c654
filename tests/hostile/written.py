"""Hostile files beside rules: scenes, table files, weights."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from inputs import GAME, HostileInput, scale_count, write_module

SCENE = "scenes:\n  - name: one\n    play:\n"


def _write_scenes(text: str) -> Callable[[Path], None]:
    """Return a function that writes a game and a file of scenes."""

    def lay(folder: Path) -> None:
        write_module(folder, "sample", "game", game=GAME)
        (folder / "sample" / "scenes").mkdir()
        (folder / "sample" / "scenes" / "all.yaml").write_text(text, encoding="utf-8")

    return lay


def _write_file(name: str, text: str | None) -> Callable[[Path], None]:
    """Return a function that writes a game and another file; without a text, a pipe without a writer."""

    def lay(folder: Path) -> None:
        write_module(folder, "sample", "game", game=GAME)
        if text is None:
            os.mkfifo(folder / name)
        else:
            (folder / name).write_text(text, encoding="utf-8")

    return lay


def _write_pipe(folder: Path) -> None:
    """Write a game whose only file of scenes is a pipe."""
    _write_scenes("")(folder)
    (folder / "sample" / "scenes" / "all.yaml").unlink()
    os.mkfifo(folder / "sample" / "scenes" / "all.yaml")


TEST, TABLE = ("test", "./sample"), ("play", "./sample", "--table", "table.yaml", "--plain")
WEIGHTS = ("play", "./sample", "--plain", "--speed", "0", "--bot", "greedy@weights.json")

WRITTEN = (
    HostileInput(
        "scenes with aliases", _write_scenes("a: &a [x]\nscenes: [*a]\n"), "error E0142", TEST, like="aliases"
    ),
    HostileInput(
        "scenes that are deep",
        _write_scenes(SCENE + "      - " + "[" * 100_000),
        "error E0142",
        TEST,
        like="deep lists",
    ),
    HostileInput(
        "scenes with unknown keys",
        _write_scenes(SCENE + "".join(f"    k{i}: 1\n" for i in range(scale_count(15_000)))),
        "",
        TEST,
    ),
    HostileInput(
        "scenes without sense",
        _write_scenes("scenes:\n" + "  - x\n" * 19_000),
        "more errors",
        TEST,
        like="scenes with unknown keys",
    ),
    HostileInput(
        "a scene with many steps", _write_scenes(SCENE + "      - Ann: Left\n" * scale_count(19_000)), "", TEST
    ),
    HostileInput("a scene with a huge number", _write_scenes(SCENE + f"      - dice: {'9' * 100_000}\n"), "", TEST),
    HostileInput(
        "many scenes",
        _write_scenes(
            "scenes:\n"
            + "".join(f"  - name: s{i}\n    play:\n      - Ann: Left\n    stop: here\n" for i in range(4_000))
        ),
        "",
        TEST,
    ),
    HostileInput("a pipe of scenes", _write_pipe, "error E0154", TEST),
    HostileInput(
        "a table that is deep", _write_file("table.yaml", "[" * 100_000), "error E0142", TABLE, like="deep lists"
    ),
    HostileInput(
        "a table with many players",
        _write_file("table.yaml", "players:\n" + "".join(f"  - name: p{i}\n" for i in range(scale_count(19_000)))),
        "E014",
        TABLE,
    ),
    HostileInput(
        "a table that is a pipe", _write_file("table.yaml", None), "is a pipe", TABLE, 2, like="a pipe of scenes"
    ),
    HostileInput(
        "weights that are deep", _write_file("weights.json", "[" * 1_000_000), "not a file of weights", WEIGHTS, 2
    ),
    HostileInput(
        "weights with a huge number", _write_file("weights.json", "9" * 1_000_000), "a file of weights", WEIGHTS, 2
    ),
    HostileInput(
        "weights that are a pipe", _write_file("weights.json", None), "is a pipe", WEIGHTS, 2, like="a pipe of scenes"
    ),
)
