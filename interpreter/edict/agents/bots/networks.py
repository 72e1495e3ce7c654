"""Learned networks: a file beside the rules with the contribution of each feature to a few hidden units.

A position is worth the first unit, plus every other unit that is above zero, each by its weight. `features` lists
what is read; a feature counts for the player, with other weights for the mean of the others, and there are features
of the table, which matter only together with those of players. All numbers are integers, so the result is the same
on every computer.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cache
from pathlib import Path
from typing import Any

from edict.agents.bots.features import FeaturePlace, list_player_features, list_table_features
from edict.agents.bots.match import Bot, BotFactory
from edict.agents.bots.policy_bots import PolicyBot
from edict.game.table.game_errors import GameError
from edict.runtime.program import Program
from edict.runtime.simulation.plans import DEFAULT_BUDGET, NetJudgement, Policy, net_policy
from edict.support import resources
from edict.support.files import BadPathError, parse_path, read_regular, require_regular
from edict.support.records import dataclass
from edict.support.resources import command_name

FORMAT = 1
NETWORK_FILE = "network.json"
MAX_BYTES = 10_000_000
MAX_UNITS = 256
MAX_WEIGHT = 1 << 24

UnitRow = tuple[int, ...]


@dataclass(frozen=True)
class Network:
    """The contents of a network file."""

    game: str
    rules: str  # the hash of the rules that it was trained with
    modules: tuple[str, ...]
    weights: UnitRow  # by unit
    biases: UnitRow  # by unit
    own: Mapping[str, UnitRow]  # weights of the player's features, by unit
    others: Mapping[str, UnitRow]  # weights of the mean of the others' features, by unit
    table: Mapping[str, UnitRow]  # weights of the table's features, by unit
    command: str = ""
    measured: Mapping[str, Any] = field(default_factory=dict)

    def to_policy(self, program: Program, players: int, whim: int = 0, budget: int = DEFAULT_BUDGET) -> Policy:
        """Return the policy that takes the option whose position the network values most; unknown features add 0.

        Args:
            program: The program.
            players: The number of players.
            whim: Random answers in a thousand.
            budget: The budget of lookahead, see `simulation.plans`.
        """
        units, zero = len(self.weights), (0,) * len(self.weights)
        others = max(1, players - 1)
        rows = [*self.weights, *self.biases]
        player_places = [place for place in list_player_features(program) if self._has_weights(place)]
        table_places = [place for place in list_table_features(program) if self._has_weights(place)]
        for place in player_places:
            rows += [number for name in place.names for number in self.own.get(name, zero)]
        for place in player_places:
            rows += [round(number / others) for name in place.names for number in self.others.get(name, zero)]
        for place in table_places:
            rows += [number for name in place.names for number in self.table.get(name, zero)]
        return net_policy(NetJudgement(build_terms([*player_places, *table_places]), units, tuple(rows)), budget, whim)

    def _has_weights(self, place: FeaturePlace) -> bool:
        """Return True if the network has weights for a feature of this place, of players or of the table."""
        return any(name in self.own or name in self.table for name in place.names)

    def to_json(self) -> str:
        """Return the text of a network file."""
        data: dict[str, Any] = {
            "format": FORMAT,
            "game": self.game,
            "rules": self.rules,
            "modules": list(self.modules),
            "command": self.command,
            "measured": dict(self.measured),
            "weights": self.weights,
            "biases": self.biases,
            "own": dict(self.own),
            "others": dict(self.others),
            "table": dict(self.table),
        }
        lines = []
        for key, value in data.items():
            if key in ("own", "others", "table"):
                rows = ",\n".join(f"  {json.dumps(name)}: {json.dumps(row)}" for name, row in value.items())
                lines.append(f" {json.dumps(key)}: {{\n{rows}\n }}")
            else:
                lines.append(f" {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}")
        return "{\n" + ",\n".join(lines) + "\n}\n"

    @staticmethod
    def from_json(text: str, name: str = NETWORK_FILE) -> Network:
        """Read the text of a network file. Raises `GameError` if it holds no network."""
        try:
            return _parse_network(json.loads(text))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError) as problem:
            if isinstance(problem, KeyError):
                reason = f"`{problem.args[0]}` is missing"
            else:
                reason = str(problem)
            raise GameError(f"{name} does not hold a network: {reason}", _training_hint()) from None


def build_terms(feature_places: Sequence[FeaturePlace]) -> tuple[tuple[int, int, int, int], ...]:
    """Return the `(shape, first cell, step between players, number of features)` of each place."""
    return tuple((place.shape, place.base, place.step, len(place.names)) for place in feature_places)


def create_reader(program: Program) -> NetJudgement:
    """Create a network of one unit whose weights are all 0; it serves only to record features."""
    player_places, table_places = list_player_features(program), list_table_features(program)
    inputs = 2 * sum(len(place.names) for place in player_places) + sum(len(place.names) for place in table_places)
    return NetJudgement(build_terms([*player_places, *table_places]), 1, (0,) * (2 + inputs))


def read_network(path: Path, program: Program) -> Network:
    """Read a network file. Raises `GameError` if it holds no network or one of another game."""
    try:
        network = Network.from_json(read_regular(path, MAX_BYTES).decode(), str(path))
    except (OSError, UnicodeDecodeError, BadPathError) as problem:
        reason = getattr(problem, "strerror", None) or problem
        raise GameError(f"{path} cannot be read: {reason}", _training_hint()) from None
    if network.game != program.name:
        raise GameError(f"{path} holds a network for {network.game}, not for {program.name}", _training_hint())
    return network


def find_shipped_network(program: Program) -> Network | None:
    """Return the shipped network that was trained with most of the program's modules and no others; None without one.

    What other modules add counts nothing to it.
    """
    candidates = [
        network
        for network in _load_shipped_networks()
        if network.game == program.name and not _has_foreign_modules(network, program)
    ]
    return max(candidates, key=lambda network: len(network.modules), default=None)


def list_untrained_modules(network: Network, program: Program) -> tuple[str, ...]:
    """Return the modules of a program that a network was not trained with."""
    return tuple(module for module in program.modules if module not in network.modules)


def _has_foreign_modules(network: Network, program: Program) -> bool:
    """Return True if the network was trained with modules that the program does not have."""
    return not set(network.modules) <= set(program.modules)


@cache
def _load_shipped_networks() -> tuple[Network, ...]:
    """Read the network files that ship with Edict: of the base rules, of the examples and of the modules."""
    home = resources.get_shipped_folder()
    other_files = [
        *sorted((home / "examples").glob(f"*/{NETWORK_FILE}")),
        *sorted((home / "modules").glob(f"*/{NETWORK_FILE}")),
    ]
    files = [file for file in (home / "rules" / NETWORK_FILE, *other_files) if file.is_file()]
    return tuple(Network.from_json(file.read_text(encoding="utf-8"), str(file)) for file in files)


def _parse_network(data: Any) -> Network:
    """Build a network from the JSON data of its file; raise `ValueError` or `KeyError` if it is malformed."""
    if data["format"] != FORMAT:
        raise ValueError(f"its format is {data['format']!r}, not {FORMAT}")
    units = len(data["weights"])
    if not 1 <= units <= MAX_UNITS:
        raise ValueError(f"it has {units} units, not 1 to {MAX_UNITS}")

    def rows(key: str) -> dict[str, UnitRow]:
        """Return the weights of each feature under a key of the data (`own`, `others`, `table`), one per unit."""
        return {str(name): _parse_row(row, units, name) for name, row in data[key].items()}

    weights, biases = _parse_row(data["weights"], units, "weights"), _parse_row(data["biases"], units, "biases")
    return Network(
        str(data["game"]),
        str(data["rules"]),
        tuple(map(str, data["modules"])),
        weights,
        biases,
        rows("own"),
        rows("others"),
        rows("table"),
        str(data.get("command", "")),
        dict(data.get("measured", {})),
    )


def _training_hint() -> str:
    return f"`{command_name()} train --bot learned -o FILE` writes such a file"


def _parse_row(numbers: Any, units: int, name: str) -> UnitRow:
    """Return the weights of a feature, one integer for each unit; raise `ValueError`, naming it, otherwise."""
    if len(numbers) != units or not all(type(n) is int and abs(n) <= MAX_WEIGHT for n in numbers):
        raise ValueError(f"`{name}` must have {units} whole numbers from -{MAX_WEIGHT} to {MAX_WEIGHT}")
    return tuple(numbers)


def load_network(program: Program, option: str) -> Network | None:
    """Return the network in the file of an option, or the one that ships with the rules. Raises `GameError`."""
    if option:
        return read_network(parse_path(option), program)
    return find_shipped_network(program)


def create_network_bot_factory(option: str, fallback: BotFactory) -> BotFactory:
    """Return a factory of bots that play by a network; where the rules have none, `fallback` creates the bot."""
    if option:
        require_regular(parse_path(option))

    def maker(program: Program, seed: int) -> Bot:
        """Create a bot that maximizes the network's evaluation, or the `fallback` bot if no network exists."""
        loaded = load_network(program, option)
        if loaded is None:
            return fallback(program, seed)
        return PolicyBot(program, seed, lambda players: loaded.to_policy(program, players))

    return maker


def find_network_policy(program: Program, option: str, players: int) -> Policy | None:
    """Return the machine's policy of such a bot; None where the rules have no network."""
    loaded = load_network(program, option)
    return loaded.to_policy(program, players) if loaded else None


def describe_network_limits(program: Program, option: str) -> str:
    """Return a remark if the rules have no network, or if it lacks some modules; otherwise an empty text."""
    loaded = load_network(program, option)
    training_hint = f"`{command_name()} train --bot learned`, with the same game and modules, trains one"
    if loaded is None:
        return f"{program.title} comes without a network, so `learned` plays like `greedy`; {training_hint}."
    untrained = list_untrained_modules(loaded, program)
    if untrained:
        names = ", ".join(untrained)
        return f"The network of `learned` was trained without {names}; {training_hint} that knows what they add."
    return ""
