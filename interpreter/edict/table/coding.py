"""A game as learning programs meet it: the rules, who sits down, what is observed, and what it comes to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Literal

from edict.program import Program
from edict.table.actions import Actions
from edict.table.errors import GameError
from edict.table.observing import Observer
from edict.table.rules import Rules, load_rules
from edict.table.setup import checked_players, checked_settings

Reward = Literal["victory", "score"]
REWARDS = ("victory", "score")


@dataclass(frozen=True)
class Coding:
    """A game as learning programs meet it. `names` are the agents by seat."""

    rules: Rules
    names: tuple[str, ...]
    settings: dict[str, int]
    actions: Actions
    observer: Observer
    reward: Reward

    @property
    def program(self) -> Program:
        return self.rules.program

    def named(self, cell: int) -> str:
        """A cell of the state by what is kept there; by its number if nothing is."""
        kept = self.rules.layout.cells.get(cell)
        if kept is None:
            return f"#{cell}"
        return f"{kept.variable.name}{list(kept.of)}" if kept.of else kept.variable.name


def coding(
    rules: Rules | str | PathLike[str],
    modules: Sequence[str],
    players: int | None,
    settings: Mapping[str, object] | None,
    reward: Reward,
) -> Coding:
    """Rules by name, path or as `edict.load` gives them. players: as many as can play, if it is None.

    Raises `RulesError` for rules that are wrong, `GameError` for players or settings they do not have.
    """
    if reward not in REWARDS:
        raise GameError(f"invalid reward {reward!r}", f"it is one of: {', '.join(REWARDS)}")
    found = rules if isinstance(rules, Rules) else load_rules(rules, modules)
    program = found.program
    names = tuple(f"player_{seat}" for seat in range(program.most_players if players is None else players))
    checked_players(program, names)
    return Coding(
        found, names, checked_settings(program, settings or {}), Actions.of(program), Observer.of(program), reward
    )


def payoffs(reward: Reward, scores: Sequence[int], winners: Sequence[int]) -> list[float]:
    """What a game came to by seat; the sum is zero, unless somebody plays alone.

    victory: 1 for the winner and -1 shared by the others; several winners share. score: one's score less the mean.
    """
    players = len(scores)
    if reward == "score":
        mean = sum(scores) / players if players > 1 else 0.0
        return [score - mean for score in scores]
    shares = [(seat in winners) / max(1, len(winners)) for seat in range(players)]
    return [(share * players - 1) / (players - 1) for share in shares] if players > 1 else shares

