"""Plans, which say how each seat answers, as one flat row of integers that the policies read.

plan[STACK_AT]    the cell where the stack begins
plan[SECRETS_AT]  the number of secret cells, then for each: its cell, that of who knows it, the masked value
plan[SCORE_AT]    the query for a player's score: its entry, parameter, and result
plan[HUSHED_AT]   for each question whether its answer is secret
plan[KEPT_AT]     the first cell of the game's variables, and the cell after the last
plan[WATCHED_AT]  where the condition is that a seat is to meet, see `Watch`; 0 for none
plan[SEATS + i]   where the section of seat i begins: its policy, and what that needs (see `SECTION`)
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence

from edict.runtime.machine.encoding import list_secret_cells
from edict.runtime.program import Program, Query
from edict.runtime.program.opcodes import YOU
from edict.support.records import dataclass

BY_LOT, BY_RULES, BY_WEIGHTS, BY_NET = range(4)

# --- the head of a plan
STACK_AT, SECRETS_AT, SCORE_AT, HUSHED_AT, KEPT_AT, WATCHED_AT, SEATS = 0, 1, 2, 5, 6, 8, 9
MOST_SEATS = 16

# --- a seat's section: policy, positions judged for an answer, random answers in a thousand, the judgement; finally the
# --- random games for each position and the answers of players in each
(
    POLICY,
    POSITIONS,
    WHIM,
    ENTRY,
    PARAM,
    JUDGED,
    CLOCK,
    CLOCK_END,
    JUDGE_WEIGHT,
    TERMS,
    OWN,
    SHARED,
    UNITS,
    LAYER,
    GAMES,
    HORIZON,
    GUIDES,  # where the seat's guides are listed: their number, then where the section of each begins; 0 for none
    GUIDE,  # in the section of a guide: where the rest of it is, see `GUIDE_MATCHES`; 0 for a policy
) = range(18)  # OWN, SHARED: the number of features of a player, and of the table
SECTION = 18  # numbers of a section's head

# --- the rest of a guide: its number, the value of an option that it names, the query for the set of the things that it
# --- names, where the table of effects begins, whether only gains count, and where its conditions are; then the options
# --- it names by question
(GUIDE_NUMBER, GUIDE_VALUE, TARGET, GUIDE_EFFECTS, GUIDE_GAINS, GUIDE_CONDITIONS, GUIDE_MATCHES) = 0, 1, 2, 6, 7, 8, 9
NO_OPTION, TARGET_OPTIONS = 0, -1  # instead of a mask of the options, of which bit 0 is declining
# of each guide, by questions: it applied; its options differed; one it names could be taken, or not be avoided
COUNTED = ("applied", "decided", "named")

# --- terms of a judgement: (shape, first cell, step from seat to seat, first weight, features); with a step of 0,
# a number, set, thing or dice belongs to the table
TERM = 5
(NUMBER, SET, THING, DICE, PLACE, MINE, AMONG) = range(7)

# --- scratch rows: one for what the seat knows, one for each level, the values of options, and one for counts
LEVELS = 10
GUIDED, GUIDE_COUNTS = LEVELS + 9, LEVELS + 10  # the things that a guide names; counts by guide, see `COUNTED`
SCRATCH_ROWS = LEVELS + 11
VALUES, COUNTS = LEVELS + 1, LEVELS + 2
TRIED, PLAYED = LEVELS + 3, LEVELS + 4  # for searches that try out options in whole games
INPUTS, SUMS = LEVELS + 5, LEVELS + 6  # changes of a network's inputs, and the sums of its units
PLAYOUT = LEVELS + 7  # for games that are played on at random
READ = LEVELS + 8  # the cells that the sums of a network's units are for
WORST = -(1 << 60)  # value of a position that runs into a fault, below any other
POINT = 1 << 24  # a network's output for one point of the lead at the end
WHIMS = 1 << 32  # offset of random numbers that no game uses otherwise

Row = MutableSequence[int]

DEFAULT_BUDGET = 300  # positions judged for one answer


@dataclass(frozen=True, slots=True)
class FeatureTerm:
    """Features of a linear judgement that are read from one place, the cell `base + step * seat`."""

    shape: int
    base: int
    step: int
    # for each feature: the own weight when the clock begins, its increase until the clock ends, and the same for the
    # sum of the others
    weights: tuple[tuple[int, int, int, int], ...]


@dataclass(frozen=True, slots=True)
class LinearJudgement:
    """A linear evaluation of positions."""

    terms: tuple[FeatureTerm, ...]
    judge_weight: int = 0  # weight of the rules' own judgement; 0 leaves it out, which is much faster
    clock: int = 0  # cell that tells how far the game is; 0 for none
    end: int = 1  # the clock's last value


@dataclass(frozen=True, slots=True)
class NetJudgement:
    """A network's evaluation of positions.

    The inputs are the own features, the sums of the others', and those of the table.
    """

    terms: tuple[tuple[int, int, int, int], ...]  # (shape, first cell, step, size) of what it reads
    units: int
    layer: tuple[int, ...]  # the units' output weights, their biases, then for each input its weight in every unit
    judge_weight: int = 0  # as in `LinearJudgement`

    @property
    def inputs(self) -> int:
        """Return the number of inputs."""
        return len(self.layer) // self.units - 2


@dataclass(frozen=True, slots=True)
class Guide:
    """A line of a seat's plan: of the options offered, those with the greatest value remain for the policy.

    An option's value is what it leads to within the seat's turn, as far as lookahead reaches: the number of options
    named by the guide that are taken on the way, and the measure at the end of it.
    """

    number: int  # of the line, for counts
    options: tuple[int, ...]  # by question: a mask of the options named, or `TARGET_OPTIONS`
    sign: int = 1  # 1 to seek, -1 to avoid
    target: Query | None = None  # the thing or set of things that are the `TARGET_OPTIONS`
    measure: Query | None = None
    gains: bool = False  # what the measure loses does not count
    conditions: tuple[tuple[Query, bool], ...] = ()  # what must hold, or must not, for the guide to apply
    effects: tuple[tuple[int, ...], ...] = ()  # by question and thing: the code of the effect that choosing it promises


@dataclass(frozen=True, slots=True)
class Watch:
    """A condition that a seat is to meet; once it holds at a question or at the end, a cell of the state is 1."""

    conditions: tuple[tuple[Query, bool], ...]  # what must hold, or must not, all at once
    base: int
    step: int  # from seat to seat

    def get_cell(self, seat: int) -> int:
        """Return the cell for a seat."""
        return self.base + self.step * seat


GUIDE_BUDGET = 2000  # positions of which a guide is aware for an answer
NAMED_WEIGHT = 1 << 20  # value of an option named, above any measure


@dataclass(frozen=True, slots=True)
class Policy:
    """A way for a seat to answer.

    It answers at random, or looks an answer ahead with the rules' own judgement, weights or a network.
    """

    kind: int = BY_LOT
    linear: LinearJudgement | None = None
    budget: int = DEFAULT_BUDGET  # positions judged for an answer
    whim: int = 0  # random answers in a thousand, for learning
    net: NetJudgement | None = None
    playouts: int = 0  # random games from a position to find its value by the rules; 0 judges the position itself
    # answers of players after which a quarter of these games is judged as it stands; the others sooner
    horizon: int = 0
    guides: tuple[Guide, ...] = ()  # they restrict the options one after the other
    watch: Watch | None = None  # of at most one seat
    measure: Query | None = None  # of `you`, in place of the rules' own judgement

    @property
    def inputs(self) -> int:
        """Return how many numbers its judgement reads of a position."""
        if self.net:
            return self.net.inputs
        return 2 * sum(len(term.weights) for term in self.linear.terms) if self.linear else 0


RANDOM = Policy()
GREEDY = Policy(BY_RULES)
# Games of 24, 12, 6 and 3 answers: short ones depend less on luck, long ones show the final cost of an answer.
PLAYOUTS = Policy(BY_RULES, budget=12, playouts=20, horizon=24)


def weights_policy(linear: LinearJudgement, budget: int = DEFAULT_BUDGET, whim: int = 0) -> Policy:
    """Return the policy that takes the best option by a linear judgement."""
    return Policy(BY_WEIGHTS, linear, budget, whim)


def net_policy(net: NetJudgement, budget: int = DEFAULT_BUDGET, whim: int = 0) -> Policy:
    """Return the policy that takes the best option by a network."""
    return Policy(BY_NET, None, budget, whim, net)


def build_plan(program: Program, seats: Sequence[Policy], openly: bool = False) -> list[int]:
    """Build the plan for a table with these policies.

    Args:
        program: The program.
        seats: The policy of each seat.
        openly: Let every seat know everything.

    Raises:
        ValueError: For too many seats.
    """
    if len(seats) > MOST_SEATS:
        raise ValueError(f"{len(seats)} seats are more than {MOST_SEATS}")
    secrets = () if openly else list_secret_cells(program)
    row = [0] * (SEATS + MOST_SEATS)
    row[STACK_AT], row[SECRETS_AT] = program.stack, len(row)
    score = program.queries[program.score]
    row[SCORE_AT : SCORE_AT + 3] = score.entry, _parameter_cell(score), score.result
    row += [len(secrets), *(number for secret in secrets for number in secret)]
    variable_bounds = [
        cell for variable in program.variables for cell in (variable.base, variable.base + len(variable.cells))
    ]
    row[KEPT_AT : KEPT_AT + 2] = (min(variable_bounds), max(variable_bounds)) if variable_bounds else (0, 0)
    row[HUSHED_AT] = len(row)
    row += [int(question.secret) for question in program.questions]
    sections: dict[Policy, int] = {}
    for seat, policy in enumerate(seats):
        if policy not in sections:
            sections[policy] = len(row)
            row += _build_section(program, policy, len(row))
        row[SEATS + seat] = sections[policy]
        if policy.watch:
            row[WATCHED_AT] = len(row)
            conditions = _flatten_conditions(policy.watch.conditions)
            row += [seat, policy.watch.get_cell(seat), *conditions]
    return row


def _parameter_cell(query: Query) -> int:
    """Return the cell of a query's parameter; without one, a cell that the query writes anyway."""
    return query.params[0] if query.params else query.result


def _build_section(program: Program, policy: Policy, start: int) -> list[int]:
    """Return a policy as numbers of a plan, head first; `start` is the section's place in the plan."""
    query = program.queries[program.score if program.judge < 0 else program.judge]
    section = [0] * SECTION
    section[POLICY], section[POSITIONS], section[WHIM] = policy.kind, policy.budget, policy.whim
    section[GAMES], section[HORIZON] = policy.playouts, policy.horizon
    section[ENTRY], section[JUDGED], section[PARAM] = query.entry, query.result, _parameter_cell(query)
    if policy.measure:
        section[ENTRY], section[JUDGED], section[PARAM] = policy.measure.entry, policy.measure.result, YOU
    if policy.net:
        section = _add_net(program, section, policy.net, start)
    else:
        section = _add_weights(section, policy.linear or LinearJudgement((), 1), start)
    return _add_guides(section, policy.guides, start) if policy.guides else section


def _add_guides(section: list[int], guides: Sequence[Guide], start: int) -> list[int]:
    """Return a section completed by the list of its guides and a section of each."""
    effects_at: dict[tuple[tuple[int, ...], ...], int] = {}
    for guide in guides:
        if guide.effects not in effects_at:
            effects_at[guide.effects] = start + len(section)
            section += _flatten_effects(guide.effects, start + len(section))
    section[GUIDES] = start + len(section)
    places = len(section) + 1
    section += [len(guides), *([0] * len(guides))]
    for i, guide in enumerate(guides):
        section[places + i] = at = start + len(section)
        head = [0] * SECTION
        head[POLICY], head[POSITIONS], head[GUIDE] = BY_RULES, GUIDE_BUDGET, at + SECTION
        if guide.measure:
            head[ENTRY], head[JUDGED], head[PARAM] = guide.measure.entry, guide.measure.result, YOU
            head[JUDGE_WEIGHT] = guide.sign
        rest = [guide.number, guide.sign * NAMED_WEIGHT, *_flatten_query(guide.target), effects_at[guide.effects]]
        rest.append(int(guide.gains))
        rest += [at + SECTION + len(rest) + 1 + len(guide.options), *guide.options]
        section += [*head, *rest, *_flatten_conditions(guide.conditions)]
    return section


def _flatten_conditions(conditions: Sequence[tuple[Query, bool]]) -> list[int]:
    """Return the number of conditions, then of each its query and whether it must hold."""
    return [len(conditions), *(n for query, holds in conditions for n in (*_flatten_query(query), int(holds)))]


def _flatten_query(query: Query | None) -> list[int]:
    """Return entry, result and cells of a query, then whether it gives a thing; zeros for None."""
    return [query.entry, query.result, query.type.cells, int(query.type.shape == "thing")] if query else [0] * 4


def _flatten_effects(effects: Sequence[Sequence[int]], start: int) -> list[int]:
    """Return where the effects of the things of each question are listed, or 0, and then these lists."""
    row = [0] * len(effects)
    for question, entries in enumerate(effects):
        if entries:
            row[question] = start + len(row)
            row += entries
    return row


def _add_weights(section: list[int], linear: LinearJudgement, start: int) -> list[int]:
    """Return a section completed by the terms and weights of a linear judgement; its head is filled in."""
    section[CLOCK], section[CLOCK_END] = linear.clock, linear.end
    section[JUDGE_WEIGHT], section[TERMS] = linear.judge_weight, len(linear.terms)
    section[OWN] = sum(len(term.weights) for term in linear.terms)
    heads: list[int] = []
    weights: list[int] = []
    first = start + SECTION + TERM * len(linear.terms)
    for term in linear.terms:
        heads += [term.shape, term.base, term.step, first + len(weights), len(term.weights)]
        weights += [number for weight in term.weights for number in weight[:2]]
        weights += [number for weight in term.weights for number in weight[2:]]
    return [*section, *heads, *weights]


def _add_net(program: Program, section: list[int], net: NetJudgement, start: int) -> list[int]:
    """Return a section completed by a network's terms and layer; raise `ValueError` if it exceeds a state."""
    if net.inputs + net.units > len(program.initial):
        raise ValueError(f"a network of {net.inputs} inputs and {net.units} units is too large for this game")
    shared = sum(size for shape, _, step, size in net.terms if step == 0 and shape <= DICE)
    section[OWN], section[SHARED] = (net.inputs - shared) // 2, shared
    heads = [number for shape, base, step, size in net.terms for number in (shape, base, step, 0, size)]
    section[JUDGE_WEIGHT], section[TERMS], section[UNITS] = net.judge_weight, len(net.terms), net.units
    section[LAYER] = start + len(section) + len(heads)
    return [*section, *heads, *net.layer]
