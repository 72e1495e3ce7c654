"""Bots at a table that look at one question at a time: by a policy, each option looked ahead from, or at random."""

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

WORLDS = 4  # states that may be the case, each looked ahead from


class PolicyLookahead:
    """Looks ahead by one policy, for any seat of a table of so many players. openly: with nothing hidden from it.

    In native code if that is there already; nothing is compiled or loaded for this alone, except to play games on,
    which takes a hundred times longer in Python.
    """

    def __init__(self, program: Program, players: int, policy: Policy, openly: bool = False) -> None:
        self._quick = (
            execution_backend.is_accelerated()
            if policy.playouts
            else native.is_loaded() or execution_backend.uses_page()
        )
        orders = build_plan(program, [policy] * players, openly)
        self._program = program
        self._plan: Any = execution_backend.make_integers(orders) if self._quick else orders
        width = len(program.initial)
        self._room: Any = (
            execution_backend.make_rows(plans.SCRATCH_ROWS, width)
            if self._quick
            else [[0] * width for _ in range(plans.SCRATCH_ROWS)]
        )

    def values(self, state: Sequence[int]) -> list[int]:
        """By option, for the seat that is asked in the state, which stays as it is."""
        if self._quick:
            with execution_backend.use_program(self._program) as code:
                execution_backend.accelerate(batches.think)(
                    code, execution_backend.make_integers(state), self._plan, self._room
                )
        else:
            section = self._plan[plans.SEATS]
            policies.look_ahead(self._program.code, list(state), self._plan, section, self._room)
        return [int(value) for value in self._room[plans.VALUES][: state[OPTIONS]]]


class PolicyBot:
    """Answers as the policy does; of options that are equally good it takes any. `policy`: for a number of players."""

    def __init__(self, program: Program, seed: int, policy: Callable[[int], Policy]) -> None:
        self._program = program
        self._policy = policy
        self._random = Random(seed)
        self._ahead: dict[tuple[int, bool], PolicyLookahead] = {}
        self.values: Sequence[float] | None = None  # of the options of the last question

    def choose(self, view: View, ask: Ask) -> int:
        return self.pick(view.thinking_state)

    def pick(self, state: list[int]) -> int:
        return self._best(self._looked(state))

    def _looked(self, state: Sequence[int], openly: bool = False) -> list[int]:
        """The value of each option. openly: nothing in the state is hidden from the seat."""
        key = state[PLAYERS], openly
        if key not in self._ahead:
            self._ahead[key] = PolicyLookahead(self._program, key[0], self._policy(key[0]), openly)
        return self._ahead[key].values(state)

    def _best(self, values: Sequence[float]) -> int:
        most = max(values)
        self.values = values
        return self._random.choice([index for index, value in enumerate(values) if value == most])


class GuessingBot(PolicyBot):
    """The same for games with secrets: what the policy thinks on average in states that may be the case."""

    _history: History | None = None

    def follow(self, history: History) -> None:
        """The game that `pick` will be asked about, as it is played."""
        self._history = history

    def choose(self, view: View, ask: Ask) -> int:
        return self._guess(view.history.sample_worlds(view.seat, WORLDS, self._random), view.thinking_state)

    def pick(self, state: list[int]) -> int:
        worlds = self._history.sample_worlds(state[SEAT], WORLDS, self._random) if self._history else []
        return self._guess(worlds, state)

    def _guess(self, worlds: Sequence[Sequence[int]], otherwise: Sequence[int]) -> int:
        """otherwise: the state looked ahead from if there are no worlds, in which hidden things read as nothing."""
        if not worlds:
            return self._best(self._looked(otherwise))
        by_world = [self._looked(world, openly=True) for world in worlds]
        return self._best([sum(values) / len(worlds) for values in zip(*by_world, strict=True)])


class RandomBot:
    """Has luck of its own, so that the game's luck does not depend on who sits at the table."""

    def __init__(self, program: Program, seed: int) -> None:
        self._random = Random(seed)

    def choose(self, view: View, ask: Ask) -> int:
        return self._random.randrange(len(ask.options))

    def pick(self, state: list[int]) -> int:
        return int(self._random.random() * state[OPTIONS])
