"""Bots that decide each question by itself, by a policy with lookahead or at random."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from edict.game.table.belief import History
from edict.game.table.options import Ask
from edict.game.table.view import View
from edict.runtime.program import Program
from edict.runtime.program.opcodes import OPTIONS, PLAYERS, SEAT
from edict.runtime.simulation import batches, execution_backend, native, plans, policies
from edict.runtime.simulation.plans import Policy, build_plan

SAMPLED_WORLDS = 4


class PolicyLookahead:
    """Lookahead by one policy for any seat.

    It is native if native code is loaded already; it is compiled or loaded only for policies with playouts, which
    take a hundred times longer in Python.
    """

    def __init__(self, program: Program, players: int, policy: Policy, all_visible: bool = False) -> None:
        if policy.playouts:
            self._is_native = execution_backend.is_accelerated()
        else:
            self._is_native = native.is_loaded() or execution_backend.uses_page()
        plan_row = build_plan(program, [policy] * players, all_visible)
        self._program = program
        self._plan: Any = execution_backend.make_integers(plan_row) if self._is_native else plan_row
        width = len(program.initial)
        self._scratch: Any = (
            execution_backend.make_rows(plans.SCRATCH_ROWS, width)
            if self._is_native
            else [[0] * width for _ in range(plans.SCRATCH_ROWS)]
        )

    def evaluate_options(self, state: Sequence[int]) -> list[int]:
        """Return the value of each option for the seat that is asked; the state is unchanged."""
        if self._is_native:
            with execution_backend.use_program(self._program) as code:
                execution_backend.accelerate(batches.think)(
                    code, execution_backend.make_integers(state), self._plan, self._scratch
                )
        else:
            section = self._plan[plans.SEATS]
            policies.look_ahead(self._program.code, list(state), self._plan, section, self._scratch)
        return [int(value) for value in self._scratch[plans.VALUES][: state[OPTIONS]]]


class PolicyBot:
    """A bot that takes the option with the best value by a policy, a random one if several are equal."""

    def __init__(self, program: Program, seed: int, make_policy: Callable[[int], Policy]) -> None:
        self._program = program
        self._policy = make_policy
        self._random = Random(seed)
        self._lookaheads: dict[tuple[int, bool], PolicyLookahead] = {}
        self.values: Sequence[float] | None = None  # of the options of the last question

    def choose(self, view: View, ask: Ask) -> int:
        """Return the index of the best option for the view's seat."""
        return self.pick(view.thinking_state)

    def pick(self, state: list[int]) -> int:
        """Return the index of the best option in a state."""
        return self._choose_best(self._evaluate(state))

    def _evaluate(self, state: Sequence[int], all_visible: bool = False) -> list[int]:
        """Return the policy's value of each option; with `all_visible`, hidden cells of the state are read as well."""
        key = state[PLAYERS], all_visible
        if key not in self._lookaheads:
            self._lookaheads[key] = PolicyLookahead(self._program, key[0], self._policy(key[0]), all_visible)
        return self._lookaheads[key].evaluate_options(state)

    def _choose_best(self, values: Sequence[float]) -> int:
        """Store the options' values in `self.values` and return the index of a greatest one, drawing ties at random."""
        maximum = max(values)
        self.values = values
        return self._random.choice([index for index, value in enumerate(values) if value == maximum])


class DeterminizingBot(PolicyBot):
    """A policy bot for games with hidden information, which averages the values over sampled possible states."""

    _history: History | None = None

    def follow(self, history: History) -> None:
        """Use the history of the game that `pick` will be asked about, while it is played."""
        self._history = history

    def choose(self, view: View, ask: Ask) -> int:
        """Return the index of the best option for the view's seat."""
        return self._choose_over_worlds(
            view.history.sample_worlds(view.seat, SAMPLED_WORLDS, self._random), view.thinking_state
        )

    def pick(self, state: list[int]) -> int:
        """Return the index of the best option in a state."""
        if self._history:
            worlds = self._history.sample_worlds(state[SEAT], SAMPLED_WORLDS, self._random)
        else:
            worlds = []
        return self._choose_over_worlds(worlds, state)

    def _choose_over_worlds(self, worlds: Sequence[Sequence[int]], fallback: Sequence[int]) -> int:
        """Return the option with the best mean value over the worlds; without worlds, the best in `fallback`."""
        if not worlds:
            return self._choose_best(self._evaluate(fallback))
        by_world = [self._evaluate(world, all_visible=True) for world in worlds]
        return self._choose_best([sum(values) / len(worlds) for values in zip(*by_world, strict=True)])


class RandomBot:
    """A bot that answers at random, with a generator of its own, so that the game's chance does not depend on it."""

    def __init__(self, program: Program, seed: int) -> None:
        self._random = Random(seed)

    def choose(self, view: View, ask: Ask) -> int:
        """Return the index of a random option."""
        return self._random.randrange(len(ask.options))

    def pick(self, state: list[int]) -> int:
        """Return the index of a random option."""
        return int(self._random.random() * state[OPTIONS])
