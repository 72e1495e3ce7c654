"""The bot that plays by a learned network: at a table, in the native loop, and as the plan of a search."""

from __future__ import annotations

from edict.bots.base import Bot, Maker
from edict.bots.nets import Network, read_network, shipped_network, strange_modules
from edict.bots.policy import PolicyBot
from edict.paths import checked_regular, typed_path
from edict.program import Program
from edict.resources import command
from edict.simulation.plans import Policy


def network(program: Program, option: str) -> Network | None:
    """That of the file named, or else the one that ships with the rules. Raises `GameError` for a file without one."""
    return read_network(typed_path(option), program) if option else shipped_network(program)


def learned(option: str, otherwise: Maker) -> Maker:
    """A bot that takes what a network thinks best; `otherwise` plays where the rules have none."""
    if option:
        checked_regular(typed_path(option))

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
    trains = f"`{command()} train --bot learned`, with the same game and modules, trains one"
    if found is None:
        return f"{program.title} comes without a network, so `learned` plays like `greedy`; {trains}."
    strange = strange_modules(found, program)
    if strange:
        return f"The network of `learned` was trained without {', '.join(strange)}; {trains} that knows what they add."
    return ""
