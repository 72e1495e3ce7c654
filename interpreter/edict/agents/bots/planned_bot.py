"""Bots that follow plans at a table.

The quantities of a plan belong to a program of their own (see `plan_compiler`), and what a table saves and replays is a
game by the plain rules. So the bot plays along: it gives the answers of the table's game again in a second game, by the
program with the plan, which restricts the options there. Whoever replays the table's game needs no plan.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from itertools import takewhile
from typing import TYPE_CHECKING

from edict.agents.bots.bot_registry import BOTS
from edict.agents.bots.match import Bot
from edict.agents.bots.plan_guides import PlanFilter, build_guides, choose_allowed
from edict.compiler.pipeline.compiled_plans import Plan
from edict.game.table.addresses import StateLayout
from edict.game.table.game import Game
from edict.game.table.game_steps import GameTable
from edict.game.table.options import Ask
from edict.game.table.view import View
from edict.runtime.program import Program
from edict.runtime.program.opcodes import FIRST_OPTION, OPTIONS
from edict.support.request_errors import RequestError
from edict.support.text import Source

if TYPE_CHECKING:
    from edict.compiler.sources.module_set import Modules

MOST_PLANS = 64  # that a process remembers: of a dozen tables with a plan in each seat


class PlannedBot:
    """A bot that chooses among the options that the plan of its seat leaves."""

    def __init__(self, table: GameTable, seat: int, kind: str, seed: int) -> None:
        """Create a bot for a seat of a table whose header has a plan for it.

        Raises:
            RequestError: The table does not know its rules, or the plan does not fit them.
            RulesError: The same for a mistake in the Edict of the plan.
        """
        program, plan = _compile_plan(table.bundle, table.header.plans[seat])
        header = replace(table.header, rules=program.rules_hash, meaning=program.meaning)
        guides = build_guides(program, [plan if other == seat else None for other in range(len(table.players))])
        self._game = Game.begin(GameTable.from_header(program, StateLayout.from_program(program), header, table.bundle))
        self._filter = PlanFilter(program, guides)
        self.inner = BOTS[kind](program, seed)

    def choose(self, view: View, ask: Ask) -> int:
        """Return the index of the option that the bot chooses among those that its plan leaves."""
        self._follow(view.answers)
        game, seat = self._game, view.seat
        offered = game.state[FIRST_OPTION : FIRST_OPTION + game.count]
        restricted = [int(cell) for cell in self._filter.restrict(game.state, seat)]
        left = restricted[FIRST_OPTION : FIRST_OPTION + restricted[OPTIONS]]
        if len(left) == 1:
            return offered.index(left[0])
        if hasattr(self.inner, "follow"):  # it thinks about states of its own
            chosen = self.inner.choose(game.view(seat), game.ask)
            return choose_allowed(offered, left, chosen, getattr(self.inner, "values", None))
        narrowed = Game(game.table, restricted, game.draws, game.last_step)
        return offered.index(left[self.inner.choose(narrowed.view(seat), narrowed.ask)])

    def pick(self, state: list[int]) -> int:
        """Raise `RequestError`: a state of the table does not tell how the game got there."""
        raise RequestError("a bot with a plan plays at tables only", "give the plan to the study: --plan")

    def _follow(self, answers: list[int]) -> None:
        """Bring the second game to the place of the table's game, also if answers were taken back there."""
        given = self._game.answers
        same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(given, answers, strict=False)))
        self._game.back_by(len(given) - same)
        for index in answers[same:]:
            self._game.answer(index)


def create_table_bot(table: GameTable, seat: int, kind: str, seed: int) -> Bot:
    """Create the bot of a seat, which follows the plan that the table's header has for the seat, if any.

    Raises:
        RequestError: The plan cannot be followed.
        RulesError: The same for a mistake in the Edict of the plan.
    """
    if has_plan(table, seat):
        return PlannedBot(table, seat, kind, seed)
    return BOTS[kind](table.program, seed)


def has_plan(table: GameTable, seat: int) -> bool:
    """Return True if a table's header has a plan for a seat."""
    return bool(table.header.plans and table.header.plans[seat])


def check_plan(modules: Modules, text: str, name: str = "plan") -> None:
    """Raise `RequestError` or `RulesError` if a plan does not fit the rules."""
    from edict.compiler.pipeline.plan_compiler import compile_plans

    program, (plan,) = compile_plans(modules, [Source(name, text)]).unwrap()
    build_guides(program, [plan])  # reports titles of options that no question has


@lru_cache(maxsize=MOST_PLANS)
def _compile_plan(bundle: str, text: str) -> tuple[Program, Plan]:
    """Return the program of packed rules together with a plan."""
    from edict.compiler.pipeline.plan_compiler import compile_plans
    from edict.compiler.sources.packing import unpack_modules

    modules = unpack_modules(bundle).value if bundle else None
    if modules is None:
        raise RequestError("the game does not contain its rules, so no plan can be followed", "play without the plan")
    program, (plan,) = compile_plans(modules, [Source("plan", text)]).unwrap()
    return program, plan
