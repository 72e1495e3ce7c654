"""Information-set Monte Carlo tree search inside the machine's loop.

Each iteration begins with a state that is consistent with what the seat knows (one of `roots`), descends the tree of
its own choices, and plays on to the end, everybody by the plan. A node stands for what the seat has seen: its name is
a hash of the answers that led there, without secret ones. Tries with equal counts of the first options use equal
random numbers.

Plain Python and native code from one source, as `policies` is.
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from math import sqrt

from edict.runtime.machine.loop import run
from edict.runtime.machine.mixing import GOLDEN, MASK, draw, mix
from edict.runtime.program.opcodes import (
    ANSWER,
    ASKING,
    CHANCE,
    FIRST_OPTION,
    GAME_OVER,
    OPTIONS,
    PLAYERS,
    QUESTION,
    SEAT,
    WINNERS,
)
from edict.runtime.simulation.plans import BY_LOT, COUNTS, HUSHED_AT, PLAYED, POLICY, SEATS, VALUES, Row
from edict.runtime.simulation.policies import choose, copy_into, get_row, judge, look_ahead, offset_seed, reset_net
from edict.runtime.simulation.sampling import compute_lead

# --- configuration and sums of a search, one row: depth of the tree, whether it includes others' choices, exploration
# (per thousand), weight of winning against the lead (per thousand), the sum of all leads so far and their number, how
# many questions are played on (0: to the end of the game), how many tries the policy's own value of an answer counts
# for (per thousand), the policy's value of a point of lead, and how many points worse an answer must seem for a
# quarter of the exploration
(DEPTH, OTHERS, EXPLORE, WINNING, LEADS, TRIES, HORIZON, TRUST, POINT, QUARTER) = range(10)
CONFIG_SIZE = 10
ROOT = 1  # name of the first node
VISITS = 1 << 40  # an answer that nobody can give; under it stands how often a node was visited
SEED_STEP = 7919  # between the seeds of two tries

Floats = MutableSequence[float]


def child_name(node: int, value: int) -> int:
    """Return the name of the node that an answer leads to."""
    return (mix((node + value * GOLDEN) & MASK) >> 1) & (MASK >> 1)


def find_slot(keys: Row, name: int) -> int:
    """Return the place in `keys` that holds a node's name or is free for it; -1 after 64 places taken by others."""
    size = len(keys)
    at = name % size
    for _ in range(64):
        if keys[at] == name or keys[at] == 0:
            return at
        at = (at + 1) % size
    return -1


def squash_lead(lead: float, config: Row) -> float:
    """Map a lead to a number between 0 and 1, a half for none, three quarters for one of the usual size."""
    usual = max(1.0, config[LEADS] / 1000 / max(1, config[TRIES]))
    return 0.5 + 0.5 * lead / (abs(lead) + usual)


def exploration_weight(behind: int, config: Row) -> float:
    """Return an option's exploration weight, from 1 for the best towards 0 the more points it is `behind`."""
    root = 1.0 + behind / (config[POINT] * config[QUARTER])
    return 1.0 / (root * root)


def select(state: Row, values: Row, node: int, tries: int, config: Row, keys: Row, counts: Row, sums: Floats) -> int:
    """Return the index of the option to try at a node: the one with the greatest PUCT value.

    The policy's value of an option is its prior mean, and determines its share of exploration.
    """
    options = state[OPTIONS]
    best_value = values[0]
    for option in range(1, options):
        best_value = max(best_value, values[option])
    weight_sum = 0.0
    for option in range(options):
        weight_sum += exploration_weight(best_value - values[option], config)
    explore = config[EXPLORE] / 1000 * sqrt(tries + 1.0) / weight_sum
    trust = config[TRUST] / 1000
    chosen = 0
    best_promise = -1.0e18
    for option in range(options):
        at = find_slot(keys, child_name(node, state[FIRST_OPTION + option]))
        visits = 0
        total = trust * squash_lead(values[option] / config[POINT], config)
        if at >= 0 and keys[at] != 0:
            visits = counts[at]
            total += sums[at]
        promise = total / (trust + visits) + explore * exploration_weight(best_value - values[option], config) / (
            1 + visits
        )
        if promise > best_promise:
            best_promise = promise
            chosen = option
    return chosen


def evaluate_options(
    code: Sequence[int],
    state: Row,
    plan: Sequence[int],
    scratch: Sequence[Row],
    node: int,
    at: int,
    keep: int,
    keys: Row,
    priors: Row,
) -> None:
    """Write the policy's value of every option into the scratch row VALUES, from the cache of node `at` if stored.

    Args:
        code: The program's code.
        state: The state.
        plan: The policies' plan.
        scratch: Scratch rows.
        node: The node's name.
        at: The node's slot, or -1.
        keep: Remember the values (1), which pays only for nodes that are visited again.
        keys: The names of nodes in the hash table.
        priors: The remembered values.
    """
    section = plan[SEATS + state[SEAT]]
    values = get_row(scratch, VALUES)
    options = state[OPTIONS]
    if plan[section + POLICY] == BY_LOT:
        for option in range(options):
            values[option] = 0
        return
    known = 1 if at >= 0 and priors[at] != 0 else 0
    for option in range(options if known > 0 else 0):
        name = child_name(node, state[FIRST_OPTION + option])
        edge = find_slot(keys, name)
        if edge >= 0 and keys[edge] == name:
            values[option] = priors[edge]
        else:
            known = 0
    if known > 0:
        return
    look_ahead(code, state, plan, section, scratch)
    if at >= 0 and keep > 0:
        priors[at] = 1
        for option in range(options):
            name = child_name(node, state[FIRST_OPTION + option])
            edge = find_slot(keys, name)
            if edge >= 0:
                keys[edge] = name
                priors[edge] = values[option]


def iterate(
    code: Sequence[int],
    root: Row,
    plan: Sequence[int],
    scratch: Sequence[Row],
    seed: int,
    config: Row,
    keys: Row,
    counts: Row,
    sums: Floats,
    priors: Row,
    path: Row,
    shares: Floats,
    leads: Floats,
) -> None:
    """Play one game from `root` (options by the tree, then by the plan), and add its result to every node passed."""
    log = get_row(scratch, COUNTS)
    state = get_row(scratch, PLAYED)
    copy_into(state, root)
    seat = root[SEAT]
    node = ROOT
    in_tree = True
    steps = 0
    drawn = 0
    asked = 0
    first = -1
    try_seed = seed
    status = ASKING
    while status == ASKING:
        seat_asked = state[SEAT]
        if seat_asked == CHANCE:
            drawn += 1
            answer = draw(try_seed, drawn, state[OPTIONS])
        elif in_tree and (seat_asked == seat or config[OTHERS] > 0) and steps < config[DEPTH]:
            name = child_name(node, VISITS)
            slot = find_slot(keys, name)
            tries = 0
            if slot >= 0:
                keys[slot] = name
                tries = counts[slot]
                counts[slot] = tries + 1
            evaluate_options(code, state, plan, scratch, node, slot, 1 if tries > 0 or steps == 0 else 0, keys, priors)
            answer = select(state, get_row(scratch, VALUES), node, tries, config, keys, counts, sums)
            child = child_name(node, state[FIRST_OPTION + answer])
            edge = find_slot(keys, child)
            in_tree = slot >= 0 and edge >= 0 and (tries > 0 or steps == 0)  # a new leaf: continue by the plan
            if edge >= 0:
                keys[edge] = child
                if steps == 0:
                    first = answer
                    try_seed = offset_seed(seed, SEED_STEP * counts[edge])
                path[2 * steps] = edge
                path[2 * steps + 1] = seat_asked
                steps += 1
        else:
            asked += 1
            answer = choose(code, state, plan, scratch, offset_seed(try_seed, 1), asked)
        if plan[plan[HUSHED_AT] + state[QUESTION]] == 0 or seat_asked == seat:
            node = child_name(node, state[FIRST_OPTION + answer])
        state[ANSWER] = answer
        status = run(code, state, log)
        if (
            config[HORIZON] > 0
            and asked >= config[HORIZON]
            and seat_asked == seat
            and status == ASKING
            and state[SEAT] != seat
        ):
            record_estimate(code, state, plan, scratch, seat, config, counts, sums, path, steps, first, leads)
            return
    if status == GAME_OVER:
        record_result(code, state, plan, scratch, config, counts, sums, path, steps, first, shares, leads)
    else:
        for step in range(steps):  # a fault counts as a lost game
            counts[path[2 * step]] += 1


def record_result(
    code: Sequence[int],
    state: Row,
    plan: Sequence[int],
    scratch: Sequence[Row],
    config: Row,
    counts: Row,
    sums: Floats,
    path: Row,
    steps: int,
    first: int,
    shares: Floats,
    leads: Floats,
) -> None:
    """Add the result of a finished game to all answers of the tree that led there."""
    log = get_row(scratch, COUNTS)
    others = max(1, state[PLAYERS] - 1)
    members = 0
    for other in range(state[PLAYERS]):
        members += (state[WINNERS] >> other) & 1
    for step in range(steps):
        at = path[2 * step]
        chooser = path[2 * step + 1]
        mean_lead = compute_lead(code, state, plan, chooser, get_row(scratch, 0), log) / others
        share = ((state[WINNERS] >> chooser) & 1) / max(1, members)
        if step == 0:
            config[LEADS] += int(abs(mean_lead) * 1000)
            config[TRIES] += 1
            shares[first] += share
            leads[first] += mean_lead
        win_weight = config[WINNING] / 1000
        counts[at] += 1
        sums[at] += win_weight * share + (1.0 - win_weight) * squash_lead(mean_lead, config)


def record_estimate(
    code: Sequence[int],
    state: Row,
    plan: Sequence[int],
    scratch: Sequence[Row],
    seat: int,
    config: Row,
    counts: Row,
    sums: Floats,
    path: Row,
    steps: int,
    first: int,
    leads: Floats,
) -> None:
    """Add the network's expected lead, for a game broken off, to the nodes on the path."""
    section = plan[SEATS + seat]
    reset_net(state, plan, section, seat, scratch)
    expected_lead = judge(code, state, plan, section, seat, scratch) / config[POINT]
    config[LEADS] += int(abs(expected_lead) * 1000)
    config[TRIES] += 1
    leads[first] += expected_lead
    for step in range(steps):
        counts[path[2 * step]] += 1
        sums[path[2 * step]] += squash_lead(expected_lead, config)


def grow(
    code: Sequence[int],
    roots: Sequence[Row],
    plan: Sequence[int],
    scratch: Sequence[Row],
    seed: int,
    first: int,
    count: int,
    config: Row,
    keys: Row,
    counts: Row,
    sums: Floats,
    priors: Row,
    path: Row,
    shares: Floats,
    leads: Floats,
) -> None:
    """Run `count` iterations from number `first` on, number n from `roots[n % len(roots)]`."""
    for number in range(first, first + count):
        root = get_row(roots, number % len(roots))
        iterate(code, root, plan, scratch, seed, config, keys, counts, sums, priors, path, shares, leads)


def write_visits(root: Row, names: Row, counts: Row, visits: Row) -> None:
    """Write how often each option of the question was tried."""
    for option in range(root[OPTIONS]):
        name = child_name(ROOT, root[FIRST_OPTION + option])
        at = find_slot(names, name)
        visits[option] = 0
        if at >= 0 and names[at] == name:
            visits[option] = counts[at]
