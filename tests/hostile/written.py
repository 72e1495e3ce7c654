"""What stands beside rules and is hostile: scenes, table files, weights."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from inputs import GAME, Hostile, module, much

SCENE = "scenes:\n  - name: one\n    play:\n"


def _scenes(text: str) -> Callable[[Path], None]:
    """A game, and a file of scenes beside it."""

    def lay(folder: Path) -> None:
        module(folder, "sample", "game", game=GAME)
        (folder / "sample" / "scenes").mkdir()
        (folder / "sample" / "scenes" / "all.yaml").write_text(text, encoding="utf-8")

    return lay


def _beside(name: str, text: str | None) -> Callable[[Path], None]:
    """A game, and another file in the current folder; without a text, a pipe that nobody writes to."""

    def lay(folder: Path) -> None:
        module(folder, "sample", "game", game=GAME)
        if text is None:
            os.mkfifo(folder / name)
        else:
            (folder / name).write_text(text, encoding="utf-8")

    return lay


def _piped(folder: Path) -> None:
    """A game whose only file of scenes is a pipe."""
    _scenes("")(folder)
    (folder / "sample" / "scenes" / "all.yaml").unlink()
    os.mkfifo(folder / "sample" / "scenes" / "all.yaml")


TEST, TABLE = ("test", "./sample"), ("play", "./sample", "--table", "table.yaml", "--plain")
WEIGHTS = ("play", "./sample", "--plain", "--speed", "0", "--bot", "greedy@weights.json")

WRITTEN = (
    Hostile("scenes with aliases", _scenes("a: &a [x]\nscenes: [*a]\n"), "error E0142", TEST, like="aliases"),
    Hostile(
        "scenes that are deep", _scenes(SCENE + "      - " + "[" * 100_000), "error E0142", TEST, like="deep lists"
    ),
    Hostile(
        "scenes with unknown keys", _scenes(SCENE + "".join(f"    k{i}: 1\n" for i in range(much(15_000)))), "", TEST
    ),
    Hostile(
        "scenes without sense",
        _scenes("scenes:\n" + "  - x\n" * 19_000),
        "more errors",
        TEST,
        like="scenes with unknown keys",
    ),
    Hostile("a scene with many steps", _scenes(SCENE + "      - Ann: Left\n" * much(19_000)), "", TEST),
    Hostile("a scene with a huge number", _scenes(SCENE + f"      - dice: {'9' * 100_000}\n"), "", TEST),
    Hostile(
        "many scenes",
        _scenes(
            "scenes:\n"
            + "".join(f"  - name: s{i}\n    play:\n      - Ann: Left\n    stop: here\n" for i in range(4_000))
        ),
        "",
        TEST,
    ),
    Hostile("a pipe of scenes", _piped, "error E0154", TEST),
    Hostile("a table that is deep", _beside("table.yaml", "[" * 100_000), "error E0142", TABLE, like="deep lists"),
    Hostile(
        "a table with many players",
        _beside("table.yaml", "players:\n" + "".join(f"  - name: p{i}\n" for i in range(much(19_000)))),
        "E014",
        TABLE,
    ),
    Hostile("a table that is a pipe", _beside("table.yaml", None), "is a pipe", TABLE, 2, like="a pipe of scenes"),
    Hostile("weights that are deep", _beside("weights.json", "[" * 1_000_000), "not a file of weights", WEIGHTS, 2),
    Hostile("weights with a huge number", _beside("weights.json", "9" * 1_000_000), "a file of weights", WEIGHTS, 2),
    Hostile("weights that are a pipe", _beside("weights.json", None), "is a pipe", WEIGHTS, 2, like="a pipe of scenes"),
)
