"""Learned weights: a file beside the rules with the value of each feature of a position."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import field, replace
from functools import cache
from pathlib import Path
from typing import Any

from edict.agents.bots.features import list_clock_variables, list_player_features
from edict.game.table.game_errors import GameError
from edict.runtime.program import Program
from edict.runtime.simulation.plans import FeatureTerm, LinearJudgement, Policy, weights_policy
from edict.support import resources
from edict.support.files import BadPathError, read_regular
from edict.support.records import dataclass
from edict.support.resources import command_name

FORMAT = 1
WEIGHTS_FILE = "weights.json"
SCALE = 100_000  # weights are integers inside the machine, so that every computer plays alike
MAX_BYTES = 10_000_000
# of a feature: the player's own at the beginning, its change to the end, and both for the mean of the others
NUMBERS = 4


@dataclass(frozen=True)
class FeatureWeights:
    """Weights by feature."""

    judge: float  # weight of the rules' own evaluation
    features: Mapping[str, tuple[float, float, float, float]]  # four numbers each, see `NUMBERS`


@dataclass(frozen=True)
class Weights:
    """The contents of a weights file."""

    game: str
    rules: str  # the hash of the rules that they were trained with
    modules: tuple[str, ...]
    clock: str  # the variable that measures the progress of a game
    end: int  # the greatest value of the clock
    careful: FeatureWeights  # for the bot `greedy`
    swift: FeatureWeights  # for playouts, without the rules' own evaluation
    command: str = ""
    measured: Mapping[str, Any] = field(default_factory=dict)

    def to_greedy_policy(self, program: Program, players: int, whim: int = 0, keep_zeros: bool = False) -> Policy:
        """Return the `greedy` policy by these weights, `whim` answers in 1000 random; see `_to_linear` on zeros."""
        return weights_policy(self._to_linear(program, players, self.careful, keep_zeros), whim=whim)

    def to_playout_policy(self, program: Program, players: int) -> Policy:
        """Return the policy of all seats in playouts."""
        return weights_policy(self._to_linear(program, players, self.swift))

    def merge(self, other: Weights) -> Weights:
        """Return these weights plus the features that only `other` has; on equal features, these win."""

        def merge_features(base: FeatureWeights, more: FeatureWeights) -> FeatureWeights:
            """Return both sets of feature weights together; of a feature in both, and of the judge, `base` counts."""
            return FeatureWeights(base.judge, {**more.features, **base.features})

        return replace(
            self, careful=merge_features(self.careful, other.careful), swift=merge_features(self.swift, other.swift)
        )

    def _to_linear(
        self, program: Program, players: int, judgement: FeatureWeights, keep_zeros: bool = False
    ) -> LinearJudgement:
        """Return the integer weights of the program's features: 0 if not in the file; features of 0 only if kept."""
        terms = []
        for place in list_player_features(program):
            numbers_by_feature = [judgement.features.get(name, (0.0, 0.0, 0.0, 0.0)) for name in place.names]
            if keep_zeros or any(any(numbers) for numbers in numbers_by_feature):
                weights = tuple(_scale_to_integers(numbers, max(1, players - 1)) for numbers in numbers_by_feature)
                terms.append(FeatureTerm(place.shape, place.base, place.step, weights))
        clock = next((v for v in list_clock_variables(program) if v.name == self.clock), None)
        end = self.end if clock else 1
        judge = round(judgement.judge * SCALE * end)
        return LinearJudgement(tuple(terms), judge, clock.base if clock else 0, end)

    def to_json(self) -> str:
        """Return the text of a weights file."""

        def encode(weights: FeatureWeights) -> dict[str, Any]:
            """Return feature weights as JSON data: `judge`, and a list of four numbers for each feature."""
            return {
                "judge": weights.judge,
                "features": {name: list(numbers) for name, numbers in weights.features.items()},
            }

        data = {
            "format": FORMAT,
            "game": self.game,
            "rules": self.rules,
            "modules": list(self.modules),
            "command": self.command,
            "measured": dict(self.measured),
            "clock": self.clock,
            "end": self.end,
            "careful": encode(self.careful),
            "swift": encode(self.swift),
        }
        text = json.dumps(data, indent=1, ensure_ascii=False)
        return _join_feature_rows(text) + "\n"

    @staticmethod
    def from_json(text: str, name: str = WEIGHTS_FILE) -> Weights:
        """Read the text of a weights file. Raises `GameError` if it holds no weights."""
        try:
            data = json.loads(text)
            return _parse_weights(data)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError) as problem:
            raise GameError(
                f"{name}: this is not a file of weights ({_describe_error(problem)})",
                f"`{command_name()} train -o FILE` writes such a file",
            ) from None


def read_weights(path: Path, program: Program) -> Weights:
    """Read a weights file. Raises `GameError` if it holds no weights or those of another game."""
    try:
        weights = Weights.from_json(read_regular(path, MAX_BYTES).decode(), str(path))
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


def find_shipped_weights(program: Program) -> Weights | None:
    """Return the weights that ship with a game, merged with those of its modules; None if the game has none.

    Modules without weights of their own change nothing.
    """
    weights = _load_game_weights().get(program.name)
    for module in program.modules:
        module_weights = _load_module_weights(module)
        if (
            weights
            and module_weights
            and (module_weights.game, module_weights.clock, module_weights.end)
            == (weights.game, weights.clock, weights.end)
        ):
            weights = weights.merge(module_weights)
    return weights


@cache
def _load_game_weights() -> dict[str, Weights]:
    """Read the weights files that ship with the base rules and the examples; return them by the game's name."""
    home = resources.get_shipped_folder()
    files = [home / "rules" / WEIGHTS_FILE, *sorted((home / "examples").glob(f"*/{WEIGHTS_FILE}"))]
    loaded = [_read_weights_file(file) for file in files if file.is_file()]
    return {weights.game: weights for weights in loaded}


@cache
def _load_module_weights(name: str) -> Weights | None:
    """Read the weights file that ships with a module; None if it has none."""
    file = resources.get_shipped_folder() / "modules" / name / WEIGHTS_FILE
    return _read_weights_file(file) if file.is_file() else None


def _read_weights_file(file: Path) -> Weights:
    return Weights.from_json(file.read_text(encoding="utf-8"), str(file))


def _parse_weights(data: Any) -> Weights:
    """Build weights from the JSON data of their file; raise `ValueError` or `KeyError` if it is malformed."""
    if data["format"] != FORMAT:
        raise ValueError(f"their format is {data['format']!r}, not {FORMAT}")
    return Weights(
        str(data["game"]),
        str(data["rules"]),
        tuple(map(str, data["modules"])),
        str(data["clock"]),
        _parse_clock_end(data["end"]),
        _parse_feature_weights(data["careful"]),
        _parse_feature_weights(data["swift"]),
        str(data.get("command", "")),
        dict(data.get("measured", {})),
    )


def _parse_clock_end(value: Any) -> int:
    """Return the clock's final value; raise `ValueError` unless it is an integer from 1 to 1,000,000."""
    if not isinstance(value, int) or not 1 <= value <= 1_000_000:
        raise ValueError("`end` must be at least 1")
    return value


def _parse_feature_weights(data: Any) -> FeatureWeights:
    """Read `judge` and four numbers for each feature from JSON data; raise `ValueError` if they are invalid."""
    features = {}
    for name, numbers in data["features"].items():
        if len(numbers) != NUMBERS or not all(_is_valid_weight(number) for number in numbers):
            raise ValueError(f"`{name}` must have {NUMBERS} numbers")
        features[str(name)] = (float(numbers[0]), float(numbers[1]), float(numbers[2]), float(numbers[3]))
    if not _is_valid_weight(data["judge"]):
        raise ValueError("`judge` must be a number")
    return FeatureWeights(float(data["judge"]), features)


def _is_valid_weight(number: Any) -> bool:
    """Return True for an integer or float from -10,000 to 10,000, but not for a boolean."""
    return isinstance(number, int | float) and not isinstance(number, bool) and abs(number) <= 10_000


def _scale_to_integers(numbers: tuple[float, float, float, float], others: int) -> tuple[int, int, int, int]:
    """Return a feature's four weights times `SCALE`; those about opponents are divided by their number first."""
    own, change, theirs, their_change = numbers
    scaled = (own, change, theirs / others, their_change / others)
    return round(scaled[0] * SCALE), round(scaled[1] * SCALE), round(scaled[2] * SCALE), round(scaled[3] * SCALE)


def _describe_error(problem: Exception) -> str:
    """Return a message for an exception from reading a weights file: bad JSON, too deep, a missing key or other."""
    if isinstance(problem, json.JSONDecodeError):
        return f"line {problem.lineno}: {problem.msg}"
    if isinstance(problem, RecursionError):
        return "it is nested too deeply"
    if isinstance(problem, KeyError):
        return f"`{problem.args[0]}` is missing"
    return str(problem)


def _join_feature_rows(text: str) -> str:
    """Put the four numbers of each feature on one line."""
    import re

    return re.sub(r"\[\s+([-\d.e]+),\s+([-\d.e]+),\s+([-\d.e]+),\s+([-\d.e]+)\s+\]", r"[\1, \2, \3, \4]", text)
