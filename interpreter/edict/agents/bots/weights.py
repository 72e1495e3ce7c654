"""Learned weights: a file beside the rules that says how much each feature of a position is worth."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from edict.agents.bots.features import clocks, places
from edict.game.table.game_errors import GameError
from edict.runtime.program import Program
from edict.runtime.simulation.plans import FeatureTerm, LinearJudgement, Policy, weights_policy
from edict.support import resources
from edict.support.paths import BadPathError, read_regular
from edict.support.resources import command_name

FORMAT = 1
FILE = "weights.json"
SCALE = 100_000  # weights are integers inside the machine, so that every computer plays alike
MOST_BYTES = 10_000_000  # of a file of weights
NUMBERS = 4  # of a feature: one's own at the beginning, its change to the end, the same for the mean of the others


@dataclass(frozen=True)
class Judgement:
    """Weights by feature, four numbers each (see `NUMBERS`), and of the rules' own judgement beside them."""

    judge: float
    features: Mapping[str, tuple[float, float, float, float]]


@dataclass(frozen=True)
class Weights:
    """What a file holds. `careful` judges for the bot `greedy`; `swift`, without the rules' judgement, plays games on.

    rules: the hash of the rules they were learned with; clock, end: the number that says how far a game is.
    """

    game: str
    rules: str
    modules: tuple[str, ...]
    clock: str
    end: int
    careful: Judgement
    swift: Judgement
    command: str = ""
    measured: Mapping[str, Any] = field(default_factory=dict)

    def judging(self, program: Program, players: int, whim: int = 0, whole: bool = False) -> Policy:
        """The policy of the bot `greedy` with these weights; `whole`: features that count nothing are read too."""
        return weights_policy(self._linear(program, players, self.careful, whole), whim=whim)

    def playing(self, program: Program, players: int, whim: int = 0) -> Policy:
        """The policy of everybody in games played in thought."""
        return weights_policy(self._linear(program, players, self.swift), whim=whim)

    def and_added(self, other: Weights) -> Weights:
        """Also with the other's weights of what these do not know."""

        def joined(one: Judgement, more: Judgement) -> Judgement:
            return Judgement(one.judge, {**more.features, **one.features})

        return replace(self, careful=joined(self.careful, other.careful), swift=joined(self.swift, other.swift))

    def _linear(self, program: Program, players: int, judgement: Judgement, whole: bool = False) -> LinearJudgement:
        """By name: features these rules do not have are left out, those that nobody weighed count nothing."""
        terms = []
        for place in places(program):
            found = [judgement.features.get(name, (0.0, 0.0, 0.0, 0.0)) for name in place.names]
            if whole or any(any(numbers) for numbers in found):
                weights = tuple(_whole(numbers, max(1, players - 1)) for numbers in found)
                terms.append(FeatureTerm(place.shape, place.base, place.step, weights))
        clock = next((v for v in clocks(program) if v.name == self.clock), None)
        end = self.end if clock else 1
        judge = round(judgement.judge * SCALE * end)
        return LinearJudgement(tuple(terms), judge, clock.base if clock else 0, end)

    def to_json(self) -> str:
        def judgement(one: Judgement) -> dict[str, Any]:
            return {"judge": one.judge, "features": {name: list(numbers) for name, numbers in one.features.items()}}

        data = {
            "format": FORMAT,
            "game": self.game,
            "rules": self.rules,
            "modules": list(self.modules),
            "command": self.command,
            "measured": dict(self.measured),
            "clock": self.clock,
            "end": self.end,
            "careful": judgement(self.careful),
            "swift": judgement(self.swift),
        }
        text = json.dumps(data, indent=1, ensure_ascii=False)
        return _rows(text) + "\n"

    @staticmethod
    def from_json(text: str, name: str = FILE) -> Weights:
        """Raises `GameError` if the text holds no such weights."""
        try:
            data = json.loads(text)
            return _weights(data)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError) as problem:
            raise GameError(
                f"{name}: this is not a file of weights ({_reason(problem)})",
                f"`{command_name()} train -o FILE` writes such a file",
            ) from None


def read_weights(path: Path, program: Program) -> Weights:
    """Weights for these rules. Raises `GameError` if the file holds none, or those of another game."""
    try:
        weights = Weights.from_json(read_regular(path, MOST_BYTES).decode(), str(path))
    except (OSError, UnicodeDecodeError, BadPathError) as problem:
        reason = getattr(problem, "strerror", None) or problem
        raise GameError(
            f"{path} cannot be read: {reason}", f"name a file written by `{command_name()} train`"
        ) from None
    if weights.game != program.name:
        raise GameError(
            f"{path}: these weights are for {weights.game}, not for {program.name}",
            f"learn some for this game: `{command_name()} train`",
        )
    return weights


def shipped_weights(program: Program) -> Weights | None:
    """The weights that ship beside a game's rules, and for what its modules add those beside them.

    Modules without weights of their own change nothing; None if the game itself has none.
    """
    found = _of_games().get(program.name)
    for module in program.modules:
        added = _of_module(module)
        if found and added and (added.game, added.clock, added.end) == (found.game, found.clock, found.end):
            found = found.and_added(added)
    return found


@cache
def _of_games() -> dict[str, Weights]:
    home = resources.shipped_folder()
    files = [home / "rules" / FILE, *sorted((home / "examples").glob(f"*/{FILE}"))]
    found = [_read(file) for file in files if file.is_file()]
    return {weights.game: weights for weights in found}


@cache
def _of_module(name: str) -> Weights | None:
    file = resources.shipped_folder() / "modules" / name / FILE
    return _read(file) if file.is_file() else None


def _read(file: Path) -> Weights:
    return Weights.from_json(file.read_text(encoding="utf-8"), str(file))


def _weights(data: Any) -> Weights:
    if data["format"] != FORMAT:
        raise ValueError(f"their format is {data['format']!r}, not {FORMAT}")
    return Weights(
        str(data["game"]),
        str(data["rules"]),
        tuple(map(str, data["modules"])),
        str(data["clock"]),
        _end(data["end"]),
        _judgement(data["careful"]),
        _judgement(data["swift"]),
        str(data.get("command", "")),
        dict(data.get("measured", {})),
    )


def _end(value: Any) -> int:
    if not isinstance(value, int) or not 1 <= value <= 1_000_000:
        raise ValueError("`end` must be at least 1")
    return value


def _judgement(data: Any) -> Judgement:
    features = {}
    for name, numbers in data["features"].items():
        if len(numbers) != NUMBERS or not all(_sane(number) for number in numbers):
            raise ValueError(f"`{name}` must have {NUMBERS} numbers")
        features[str(name)] = (float(numbers[0]), float(numbers[1]), float(numbers[2]), float(numbers[3]))
    if not _sane(data["judge"]):
        raise ValueError("`judge` must be a number")
    return Judgement(float(data["judge"]), features)


def _sane(number: Any) -> bool:
    return isinstance(number, int | float) and not isinstance(number, bool) and abs(number) <= 10_000


def _whole(numbers: tuple[float, float, float, float], others: int) -> tuple[int, int, int, int]:
    own, change, theirs, their_change = numbers
    found = (own, change, theirs / others, their_change / others)
    return round(found[0] * SCALE), round(found[1] * SCALE), round(found[2] * SCALE), round(found[3] * SCALE)


def _reason(problem: Exception) -> str:
    if isinstance(problem, json.JSONDecodeError):
        return f"line {problem.lineno}: {problem.msg}"
    if isinstance(problem, RecursionError):
        return "it is nested too deeply"
    return f"`{problem.args[0]}` is missing" if isinstance(problem, KeyError) else str(problem)


def _rows(text: str) -> str:
    """The four numbers of a feature in one line."""
    import re

    return re.sub(r"\[\s+([-\d.e]+),\s+([-\d.e]+),\s+([-\d.e]+),\s+([-\d.e]+)\s+\]", r"[\1, \2, \3, \4]", text)
