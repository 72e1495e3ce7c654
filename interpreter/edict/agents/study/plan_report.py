"""How far seats could follow their plans, found in some games: how often each line mattered, and what was missing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from edict.agents.bots.match import Match, create_bot_table
from edict.agents.bots.match_play import iter_answers, release_bots
from edict.agents.study.bot_games import BotSeats, GameRange, GameSetup, derive_seeds
from edict.agents.study.inference import estimate_share
from edict.compiler.pipeline.compiled_plans import AVOID, FIRST, NEVER, PlanLine
from edict.game.table.knowledge import run_query
from edict.runtime.machine.mixing import MASK
from edict.runtime.program import Program, create_state
from edict.runtime.simulation import batches, execution_backend, plans
from edict.runtime.simulation.plans import COUNTED, SCRATCH_ROWS, build_plan
from edict.support.morphology import count_noun

Data = dict[str, Any]
MOST_GAMES, MOST_SLOW_GAMES = 300, 20  # natively, and with bots in Python


def report_plans(setup: GameSetup, games: int) -> list[Data]:
    """Return for each seat with a plan how far it could be followed, as data."""
    ends, counts = _play_games(setup, games)
    report, number = list[Data](), 0
    for seat, plan in enumerate(setup.plans):
        if plan is None:
            continue
        lines = []
        for line in plan.lines:
            counted = counts[len(COUNTED) * number : len(COUNTED) * (number + 1)]
            lines.append(_describe_line(setup, line, seat, dict(zip(COUNTED, map(int, counted), strict=True)), ends))
            number += 1
        lines.sort(key=lambda line: line["line"])
        report.append({"seat": seat + 1, "plan": plan.name, "games": len(ends), "lines": lines})
    return report


def _play_games(setup: GameSetup, games: int) -> tuple[list[list[int]], Sequence[int]]:
    """Return the last states of some games, and the counts of all lines in them."""
    policies, program = setup.policies, setup.program
    if policies is None:
        return _play_matches(setup, min(games, MOST_SLOW_GAMES))
    seeds = derive_seeds(setup, GameRange(0, min(games, MOST_GAMES)))
    initial = execution_backend.make_integers(create_state(program, setup.players, dict(setup.settings), logging=False))
    ends, asked = (
        execution_backend.make_rows(len(seeds), len(initial)),
        execution_backend.make_integers([0] * len(seeds)),
    )
    scratch, plan_row = execution_backend.make_rows(SCRATCH_ROWS, len(initial)), build_plan(program, policies)
    with execution_backend.use_program(program) as code:
        execution_backend.accelerate(batches.games)(
            code,
            initial,
            execution_backend.make_integers(plan_row),
            execution_backend.make_seeds(seeds),
            ends,
            asked,
            scratch,
        )
    return execution_backend.to_lists(ends, len(seeds)), scratch[plans.GUIDE_COUNTS]


def _play_matches(setup: GameSetup, games: int) -> tuple[list[list[int]], Sequence[int]]:
    """Return the same of games of bots that run in Python."""
    seats = BotSeats(setup.program, setup.bots, setup.plans)
    table, ends = create_bot_table(setup.program, setup.players, dict(setup.settings)), []
    for seed in derive_seeds(setup, GameRange(0, games)):
        match = Match(table, seed & MASK, natively=seats.is_native)
        players = seats.create_seats(seed)
        for _, index in iter_answers(match, players):
            match.answer(index)
        release_bots(players)
        ends.append(match.state)
    return ends, seats.plan_filter.counts if seats.plan_filter else ()


def _describe_line(
    setup: GameSetup, line: PlanLine, seat: int, counts: dict[str, int], ends: Sequence[Sequence[int]]
) -> Data:
    """Return a line with its counts per game, and for a goal how often it was reached and what was missing."""
    data: Data = {
        "line": line.line,
        "text": line.text if not line.missing else f"first {line.goal}",
        **{name: count / max(1, len(ends)) for name, count in counts.items()},
        "reached": None,
        "lacks": [],
    }
    if line.verb == FIRST and line.missing:
        unreached = [end for end in ends if _compute(setup.program, line.missing, seat, end) != 0]
        share = estimate_share(len(ends) - len(unreached), len(ends))
        data["reached"] = {"value": share.value, "low": share.low, "high": share.high}
        data["lacks"] = list_lacks(setup.program, line, seat, unreached)
    return data | {"said": describe_following(line, counts, data, len(ends))}


def list_lacks(program: Program, line: PlanLine, seat: int, ends: Sequence[Sequence[int]]) -> list[Data]:
    """Return what was missing at the end of games in which a goal was not reached, the most frequent first."""
    found = list[Data]()
    for label, name in line.lacks:
        amounts = [amount for end in ends if (amount := _compute(program, name, seat, end))]
        if amounts:
            share, mean = len(amounts) / len(ends), sum(amounts) / len(amounts)
            found.append({"what": label, "share": share, "mean": mean})
    return sorted(found, key=lambda lack: -float(lack["share"]))


def _compute(program: Program, name: str, seat: int, end: Sequence[int]) -> int:
    """Return the value of a plan's quantity for a seat at the end of a game; 0 for a fault."""
    measures = (*program.reasons.measures, *program.reasons.values)
    measure = next(measure for measure in measures if measure.name == name)
    if measure.query < 0:
        return measure.value
    return run_query(program, list(end), measure.query, seat) or 0


def describe_following(line: PlanLine, counts: dict[str, int], data: Data, games: int) -> str:
    """Return in words how far a line could be followed."""
    if data["reached"] is not None:
        share = f"reached in {100 * data['reached']['value']:.0f} % of games"
        lacks = [f"{lack['what']} ({100 * lack['share']:.0f} %)" for lack in data["lacks"][:3]]
        if lacks:
            return f"{share}; when not, missing at the end: {', '.join(lacks)}"
        return f"{share}; never offered" if line.target and not counts["named"] else share
    if not counts["applied"]:
        return "never applied: its condition never held when there was a choice"
    if not line.measure and not counts["named"] and line.verb not in (AVOID, NEVER):
        return f"never offered, in {count_noun(counts['applied'], 'question')} to which it applied"
    if not counts["decided"]:
        return f"made no difference, in {count_noun(counts['applied'], 'question')} to which it applied"
    said = f"decided {counts['decided'] / games:.1f} questions a game"
    if line.verb in (AVOID, NEVER) and counts["named"]:
        said += f"; could not be kept in {counts['named'] / games:.1f}"
    return said
