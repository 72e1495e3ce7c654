"""Who answers how in a game: the plan, one flat row of integers that the policies read.

    plan[STACK_AT]    where the stack begins
    plan[SECRETS_AT]  how many secret cells there are, then each: its cell, that of who knows it, what stands instead
    plan[SCORE_AT]    the query for a player's score: its entry, parameter, and result
    plan[HUSHED_AT]   for each question whether its answer is a secret
    plan[KEPT_AT]     the first cell of what the game keeps, and the cell after its last
    plan[SEATS + i]   where the section of seat i begins: its policy, and what that needs (see `SECTION`)
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from dataclasses import dataclass

from edict.machine.encoding import secret_cells
from edict.program import Program, Query

BY_LOT, BY_RULES, BY_WEIGHTS, BY_NET = range(4)

# --- the head of a plan
STACK_AT, SECRETS_AT, SCORE_AT, HUSHED_AT, KEPT_AT, SEATS = 0, 1, 2, 5, 6, 8
MOST_SEATS = 16

# --- a seat's section: policy, positions judged for an answer, random answers in a thousand, then the judgement; last,
# --- random games for each position, and how many answers of players they have
(POLICY, POSITIONS, WHIM, ENTRY, PARAM, JUDGED, CLOCK, CLOCK_END, JUDGE_WEIGHT, TERMS, OWN, SHARED, UNITS, LAYER,
 GAMES, HORIZON) = range(16)  # OWN, SHARED: how many features there are of a player, and of the table
SECTION = 16

# --- terms of a judgement: (shape, first cell, a step for each seat, first weight, how many features); without a step
# a number, set, thing or dice is the table's
TERM = 5
(NUMBER, SET, THING, DICE, PLACE, MINE, AMONG) = range(7)

# --- rows to think in: one for what the seat knows, one a level, the values of options, and one to count in
LEVELS = 10
ROOM = LEVELS + 8
VALUES, COUNTS = LEVELS + 1, LEVELS + 2
TRIED, PLAYED = LEVELS + 3, LEVELS + 4  # for those who try out options in whole games
INPUTS, BEFORE = LEVELS + 5, LEVELS + 6  # what a network reads; what it read before, and its units
PLAYOUT = LEVELS + 7  # games played on at random
WORST = -(1 << 60)  # what runs into a fault is worth less than anything
POINT = 1 << 24  # what a network says for a point of the lead at the end
WHIMS = 1 << 32  # luck that no game uses otherwise

Row = MutableSequence[int]

BUDGET = 300  # positions judged for one answer


@dataclass(frozen=True, slots=True)
class FeatureTerm:
    """Features of a linear judgement that are read from one place: the cell `base + step * seat`.

    weights: for each of them four integers: one's own at the clock's beginning, how much more it is at its end, and
    the same for the sum of the others'.
    """

    shape: int
    base: int
    step: int
    weights: tuple[tuple[int, int, int, int], ...]


@dataclass(frozen=True, slots=True)
class Linear:
    """A linear judgement. `clock`: the cell that tells how far the game is (0: none), `end`: its last value.

    judge: the weight of the rules' own judgement beside the terms; 0 leaves it out, which is much faster.
    """

    terms: tuple[FeatureTerm, ...]
    judge: int = 0
    clock: int = 0
    end: int = 1


@dataclass(frozen=True, slots=True)
class Net:
    """A network's judgement. `terms` say what it reads, in numbers of (shape, first cell, step, how many).

    layer: `units` weights of the units, as many biases, then for each input its weight in every unit. The inputs are
    one's own features, the sums of the others', and those of the table. judge: as in `Linear`.
    """

    terms: tuple[tuple[int, int, int, int], ...]
    units: int
    layer: tuple[int, ...]
    judge: int = 0

    @property
    def inputs(self) -> int:
        """How many numbers it reads of a position."""
        return len(self.layer) // self.units - 2


@dataclass(frozen=True, slots=True)
class Policy:
    """How a seat answers: at random; by looking an answer ahead with the rules' own judgement, weights or a network.

    budget: positions judged for an answer. whim: random answers in a thousand, for those who learn. games: how many are
    continued at random from a position to find what it is worth by the rules; 0 judges the position itself. horizon:
    answers of players after which a game in four is judged as it stands, if it is not over; the others sooner.
    """

    kind: int = BY_LOT
    linear: Linear | None = None
    budget: int = BUDGET
    whim: int = 0
    net: Net | None = None
    games: int = 0
    horizon: int = 0

    @property
    def inputs(self) -> int:
        """How many numbers its judgement reads of a position."""
        if self.net:
            return self.net.inputs
        return 2 * sum(len(term.weights) for term in self.linear.terms) if self.linear else 0


RANDOM = Policy()
GREEDY = Policy(BY_RULES)
# Games of 24, 12, 6 and 3 answers: short ones depend less on luck, long ones show what an answer has cost in the end.
PLAYOUTS = Policy(BY_RULES, budget=12, games=20, horizon=24)


def by_weights(linear: Linear, budget: int = BUDGET, whim: int = 0) -> Policy:
    """The policy that takes what a linear judgement thinks best."""
    return Policy(BY_WEIGHTS, linear, budget, whim)


def by_net(net: Net, budget: int = BUDGET, whim: int = 0) -> Policy:
    """The policy that takes what a network thinks best."""
    return Policy(BY_NET, None, budget, whim, net)


def plan(program: Program, seats: Sequence[Policy], openly: bool = False) -> list[int]:
    """The flat row for a table at which these policies sit. openly: every seat may know everything.

    Raises `ValueError` for more seats than there can be.
    """
    if len(seats) > MOST_SEATS:
        raise ValueError(f"{len(seats)} seats are more than {MOST_SEATS}")
    secrets = () if openly else secret_cells(program)
    row = [0] * (SEATS + MOST_SEATS)
    row[STACK_AT], row[SECRETS_AT] = program.stack, len(row)
    score = program.queries[program.score]
    row[SCORE_AT : SCORE_AT + 3] = score.entry, _parameter(score), score.result
    row += [len(secrets), *(number for secret in secrets for number in secret)]
    kept = [cell for variable in program.variables for cell in (variable.base, variable.base + len(variable.cells))]
    row[KEPT_AT : KEPT_AT + 2] = (min(kept), max(kept)) if kept else (0, 0)
    row[HUSHED_AT] = len(row)
    row += [int(question.secret) for question in program.questions]
    written: dict[Policy, int] = {}
    for seat, policy in enumerate(seats):
        if policy not in written:
            written[policy] = len(row)
            row += _section(program, policy, len(row))
        row[SEATS + seat] = written[policy]
    return row


def _parameter(query: Query) -> int:
    """The cell for whom it is asked about; a query that asks about nobody gets a cell it writes anyway."""
    return query.params[0] if query.params else query.result


def _section(program: Program, policy: Policy, start: int) -> list[int]:
    query = program.queries[program.score if program.judge < 0 else program.judge]
    section = [0] * SECTION
    section[POLICY], section[POSITIONS], section[WHIM] = policy.kind, policy.budget, policy.whim
    section[GAMES], section[HORIZON] = policy.games, policy.horizon
    section[ENTRY], section[JUDGED] = query.entry, query.result
    section[PARAM] = _parameter(query)
    if policy.net:
        return _of_net(program, section, policy.net, start)
    return _of_weights(section, policy.linear or Linear((), 1), start)


def _of_weights(section: list[int], linear: Linear, start: int) -> list[int]:
    section[CLOCK], section[CLOCK_END] = linear.clock, linear.end
    section[JUDGE_WEIGHT], section[TERMS] = linear.judge, len(linear.terms)
    section[OWN] = sum(len(term.weights) for term in linear.terms)
    heads: list[int] = []
    weights: list[int] = []
    first = start + SECTION + TERM * len(linear.terms)
    for term in linear.terms:
        heads += [term.shape, term.base, term.step, first + len(weights), len(term.weights)]
        weights += [number for own in term.weights for number in own[:2]]
        weights += [number for own in term.weights for number in own[2:]]
    return [*section, *heads, *weights]


def _of_net(program: Program, section: list[int], net: Net, start: int) -> list[int]:
    if net.inputs + net.units > len(program.initial):
        raise ValueError(f"a network of {net.inputs} inputs and {net.units} units is too large for this game")
    shared = sum(size for shape, _, step, size in net.terms if step == 0 and shape <= DICE)
    section[OWN], section[SHARED] = (net.inputs - shared) // 2, shared
    heads = [number for shape, base, step, size in net.terms for number in (shape, base, step, 0, size)]
    section[JUDGE_WEIGHT], section[TERMS], section[UNITS] = net.judge, len(net.terms), net.units
    section[LAYER] = start + len(section) + len(heads)
    return [*section, *heads, *net.layer]
