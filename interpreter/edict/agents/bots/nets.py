"""A learned network: a file beside the rules that says what each feature of a position adds to a few hidden units.

A position is worth the first unit, plus every other unit that is above zero, each by its weight. What is read stands
in `features`; a feature counts for oneself, with other weights for the mean of the others, and there are features
of the table, which matter only together with those of players. All numbers are whole, so every computer plays alike.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from edict.agents.bots.bot_protocol import Bot, Maker
from edict.agents.bots.features import FeaturePlace, places, surroundings
from edict.agents.bots.policy import PolicyBot
from edict.game.table.game_errors import GameError
from edict.runtime.program import Program
from edict.runtime.simulation.plans import DEFAULT_BUDGET, NetJudgement, Policy, net_policy
from edict.support import resources
from edict.support.paths import BadPathError, parse_path, read_regular, require_regular
from edict.support.resources import command_name

FORMAT = 1
FILE = "network.json"
MOST_BYTES = 10_000_000
MOST_UNITS = 256
MOST_WEIGHT = 1 << 24

Row = tuple[int, ...]


@dataclass(frozen=True)
class Network:
    """What a file holds. `weights` and `biases` are by unit; the others by feature, and then by unit."""

    game: str
    rules: str
    modules: tuple[str, ...]
    weights: Row
    biases: Row
    own: Mapping[str, Row]
    others: Mapping[str, Row]
    table: Mapping[str, Row]
    command: str = ""
    measured: Mapping[str, Any] = field(default_factory=dict)

    def policy(self, program: Program, players: int, whim: int = 0, budget: int = DEFAULT_BUDGET) -> Policy:
        """The policy that takes what the network thinks best. Features that it does not know count nothing."""
        units, zero = len(self.weights), (0,) * len(self.weights)
        others = max(1, players - 1)
        rows = [*self.weights, *self.biases]
        of_players = [place for place in places(program) if self._knows(place)]
        of_table = [place for place in surroundings(program) if self._knows(place)]
        for place in of_players:
            rows += [number for name in place.names for number in self.own.get(name, zero)]
        for place in of_players:
            rows += [round(number / others) for name in place.names for number in self.others.get(name, zero)]
        for place in of_table:
            rows += [number for name in place.names for number in self.table.get(name, zero)]
        return net_policy(NetJudgement(terms([*of_players, *of_table]), units, tuple(rows)), budget, whim)

    def _knows(self, place: FeaturePlace) -> bool:
        return any(name in self.own or name in self.table for name in place.names)

    def to_json(self) -> str:
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
    def from_json(text: str, name: str = FILE) -> Network:
        """Raises `GameError` if the text holds no network."""
        try:
            return _network(json.loads(text))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError) as problem:
            reason = f"`{problem.args[0]}` is missing" if isinstance(problem, KeyError) else str(problem)
            raise GameError(f"{name} does not hold a network: {reason}", _how()) from None


def terms(of: Sequence[FeaturePlace]) -> tuple[tuple[int, int, int, int], ...]:
    """These places as a network of the machine reads them."""
    return tuple((place.shape, place.base, place.step, len(place.names)) for place in of)


def reading(program: Program) -> NetJudgement:
    """A network that reads everything there is to read and values nothing: for those who describe positions."""
    of_players, of_table = places(program), surroundings(program)
    inputs = 2 * sum(len(place.names) for place in of_players) + sum(len(place.names) for place in of_table)
    return NetJudgement(terms([*of_players, *of_table]), 1, (0,) * (2 + inputs))


def read_network(path: Path, program: Program) -> Network:
    """The network of a file. Raises `GameError` if it holds none, or one of another game."""
    try:
        network = Network.from_json(read_regular(path, MOST_BYTES).decode(), str(path))
    except (OSError, UnicodeDecodeError, BadPathError) as problem:
        reason = getattr(problem, "strerror", None) or problem
        raise GameError(f"{path} cannot be read: {reason}", _how()) from None
    if network.game != program.name:
        raise GameError(f"{path} holds a network for {network.game}, not for {program.name}", _how())
    return network


def shipped_network(program: Program) -> Network | None:
    """The network that ships for a game and some of its modules: that of the most modules, and of none besides.

    None if there is none. What other modules add counts nothing to it.
    """
    fitting = [network for network in _shipped() if network.game == program.name and not _besides(network, program)]
    return max(fitting, key=lambda network: len(network.modules), default=None)


def strange_modules(network: Network, program: Program) -> tuple[str, ...]:
    """The modules of a program that a network was not trained with."""
    return tuple(module for module in program.modules if module not in network.modules)


def _besides(network: Network, program: Program) -> bool:
    """Whether it was trained with modules that the program does not have."""
    return not set(network.modules) <= set(program.modules)


@cache
def _shipped() -> tuple[Network, ...]:
    home = resources.shipped_folder()
    beside = [*sorted((home / "examples").glob(f"*/{FILE}")), *sorted((home / "modules").glob(f"*/{FILE}"))]
    files = [file for file in (home / "rules" / FILE, *beside) if file.is_file()]
    return tuple(Network.from_json(file.read_text(encoding="utf-8"), str(file)) for file in files)


def _network(data: Any) -> Network:
    if data["format"] != FORMAT:
        raise ValueError(f"its format is {data['format']!r}, not {FORMAT}")
    units = len(data["weights"])
    if not 1 <= units <= MOST_UNITS:
        raise ValueError(f"it has {units} units, not 1 to {MOST_UNITS}")

    def rows(key: str) -> dict[str, Row]:
        return {str(name): _row(row, units, name) for name, row in data[key].items()}

    weights, biases = _row(data["weights"], units, "weights"), _row(data["biases"], units, "biases")
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


def _how() -> str:
    return f"`{command_name()} train --bot learned -o FILE` writes such a file"


def _row(numbers: Any, units: int, name: str) -> Row:
    if len(numbers) != units or not all(type(n) is int and abs(n) <= MOST_WEIGHT for n in numbers):
        raise ValueError(f"`{name}` must have {units} whole numbers from -{MOST_WEIGHT} to {MOST_WEIGHT}")
    return tuple(numbers)


def network(program: Program, option: str) -> Network | None:
    """That of the file named, or else the one that ships with the rules. Raises `GameError` for a file without one."""
    return read_network(parse_path(option), program) if option else shipped_network(program)


def learned(option: str, otherwise: Maker) -> Maker:
    """A bot that takes what a network thinks best; `otherwise` plays where the rules have none."""
    if option:
        require_regular(parse_path(option))

    def maker(program: Program, seed: int) -> Bot:
        found = network(program, option)
        if found is None:
            return otherwise(program, seed)
        return PolicyBot(program, seed, lambda players: found.policy(program, players))

    return maker


def learned_policy(program: Program, option: str, players: int) -> Policy | None:
    """The same bot as a policy of the machine; None where the rules have no network."""
    found = network(program, option)
    return found.policy(program, players) if found else None


def remark(program: Program, option: str) -> str:
    """What whoever seats this bot should know: that the rules have no network, or that it lacks some of the modules."""
    found = network(program, option)
    trains = f"`{command_name()} train --bot learned`, with the same game and modules, trains one"
    if found is None:
        return f"{program.title} comes without a network, so `learned` plays like `greedy`; {trains}."
    strange = strange_modules(found, program)
    if strange:
        return f"The network of `learned` was trained without {', '.join(strange)}; {trains} that knows what they add."
    return ""
