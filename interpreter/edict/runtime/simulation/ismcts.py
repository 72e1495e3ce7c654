"""Information-set Monte Carlo tree search inside the machine's loop.

Each iteration begins with a state that agrees with all the seat knows (one of `roots`), goes down the tree of its
own choices, and plays on to the end, everybody by the plan. A node stands for what the seat has seen: it is named
after the answers that led there, those left out that are secret. Equal tries of the first options have equal luck.

Plain Python and native code from one source, as `policies` is.
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from math import sqrt

from edict.runtime.machine.loop import run
from edict.runtime.machine.mixing import GOLDEN, MASK, draw, mixed
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
from edict.runtime.simulation.plans import BEFORE, BY_LOT, COUNTS, HUSHED_AT, PLAYED, POLICY, SEATS, VALUES, Row
from edict.runtime.simulation.policies import afresh, choose, copied, judged, look_ahead, moved, row
from edict.runtime.simulation.sampling import lead

# --- the form of a search, one row: depth of the tree, whether others' choices are in it, how much to explore (per
# thousand), how much winning counts beside the lead (per thousand), the sum of all leads met so far, with their number,
# how many questions are played on (0: to the end of the game), how many tries the policy's own value of an answer
# counts for (per thousand), what the policy says for a point of lead, and how many points an answer must seem worse
# for a quarter of the attention
(DEPTH, OTHERS, EXPLORE, WINNING, LEADS, TRIES, HORIZON, TRUST, POINT, QUARTER) = range(10)
FORM = 10
ROOT = 1  # the name of the first node
MET = 1 << 40  # an answer that nobody can give: under it stands how often a node was met
PRIMES = 7919  # between the luck of one try and the next

Floats = MutableSequence[float]


def followed(node: int, value: int) -> int:
    """The name of the node that an answer leads to."""
    return (mixed((node + value * GOLDEN) & MASK) >> 1) & (MASK >> 1)


def slot_of(keys: Row, name: int) -> int:
    """Where in the table a name stands, or may be put; -1 if there is no room any more."""
    size = len(keys)
    at = name % size
    for _ in range(64):
        if keys[at] == name or keys[at] == 0:
            return at
        at = (at + 1) % size
    return -1


def squashed(ahead: float, form: Row) -> float:
    """A lead between 0 and 1: a half for none, three quarters for one as large as they usually are."""
    usual = max(1.0, form[LEADS] / 1000 / max(1, form[TRIES]))
    return 0.5 + 0.5 * ahead / (abs(ahead) + usual)


def attention(behind: int, form: Row) -> float:
    """How much an option is looked at that the policy sees so far behind the best one, for which it is 1."""
    doubled = 1.0 + behind / (form[POINT] * form[QUARTER])
    return 1.0 / (doubled * doubled)


def select(s: Row, values: Row, node: int, tries: int, form: Row, keys: Row, counts: Row, sums: Floats) -> int:
    """The option to try at a node met so often: what promises most, or has been tried too little (PUCT).

    What the policy thinks of an option is its value before it is tried, and how much attention it gets.
    """
    options = s[OPTIONS]
    top = values[0]
    for option in range(1, options):
        top = max(top, values[option])
    shared = 0.0
    for option in range(options):
        shared += attention(top - values[option], form)
    explore = form[EXPLORE] / 1000 * sqrt(tries + 1.0) / shared
    trust = form[TRUST] / 1000
    chosen = 0
    most = -1.0e18
    for option in range(options):
        at = slot_of(keys, followed(node, s[FIRST_OPTION + option]))
        often = 0
        total = trust * squashed(values[option] / form[POINT], form)
        if at >= 0 and keys[at] != 0:
            often = counts[at]
            total += sums[at]
        promise = total / (trust + often) + explore * attention(top - values[option], form) / (1 + often)
        if promise > most:
            most = promise
            chosen = option
    return chosen


def weigh(
    code: Sequence[int],
    s: Row,
    plan: Sequence[int],
    room: Sequence[Row],
    node: int,
    at: int,
    keep: int,
    keys: Row,
    worths: Row,
) -> None:
    """What the policy makes of every option, into the row of values: looked ahead, or remembered from there.

    keep: whether to remember it (1); few nodes are met again. For policies by lot all options are worth the same.
    """
    section = plan[SEATS + s[SEAT]]
    values = row(room, VALUES)
    options = s[OPTIONS]
    if plan[section + POLICY] == BY_LOT:
        for option in range(options):
            values[option] = 0
        return
    known = 1 if at >= 0 and worths[at] != 0 else 0
    for option in range(options if known > 0 else 0):
        name = followed(node, s[FIRST_OPTION + option])
        edge = slot_of(keys, name)
        if edge >= 0 and keys[edge] == name:
            values[option] = worths[edge]
        else:
            known = 0
    if known > 0:
        return
    look_ahead(code, s, plan, section, room)
    if at >= 0 and keep > 0:
        worths[at] = 1
        for option in range(options):
            name = followed(node, s[FIRST_OPTION + option])
            edge = slot_of(keys, name)
            if edge >= 0:
                keys[edge] = name
                worths[edge] = values[option]


def iterate(
    code: Sequence[int],
    root: Row,
    plan: Sequence[int],
    room: Sequence[Row],
    seed: int,
    form: Row,
    keys: Row,
    counts: Row,
    sums: Floats,
    worths: Row,
    path: Row,
    shares: Floats,
    leads: Floats,
) -> None:
    """One try: down the tree, to the end of the game, and what came of it into the tree."""
    log = row(room, COUNTS)
    s = row(room, PLAYED)
    copied(s, root)
    seat = root[SEAT]
    node = ROOT
    inside = True
    steps = 0
    drawn = 0
    asked = 0
    first = -1
    luck = seed
    status = ASKING
    while status == ASKING:
        asker = s[SEAT]
        if asker == CHANCE:
            drawn += 1
            answer = draw(luck, drawn, s[OPTIONS])
        elif inside and (asker == seat or form[OTHERS] > 0) and steps < form[DEPTH]:
            name = followed(node, MET)
            at = slot_of(keys, name)
            tries = 0
            if at >= 0:
                keys[at] = name
                tries = counts[at]
                counts[at] = tries + 1
            weigh(code, s, plan, room, node, at, 1 if tries > 0 or steps == 0 else 0, keys, worths)
            answer = select(s, row(room, VALUES), node, tries, form, keys, counts, sums)
            name_of_answer = followed(node, s[FIRST_OPTION + answer])
            edge = slot_of(keys, name_of_answer)
            inside = at >= 0 and edge >= 0 and (tries > 0 or steps == 0)  # a new leaf: from here on by the plan
            if edge >= 0:
                keys[edge] = name_of_answer
                if steps == 0:
                    first = answer
                    luck = moved(seed, PRIMES * counts[edge])
                path[2 * steps] = edge
                path[2 * steps + 1] = asker
                steps += 1
        else:
            asked += 1
            answer = choose(code, s, plan, room, moved(luck, 1), asked)
        if plan[plan[HUSHED_AT] + s[QUESTION]] == 0 or asker == seat:
            node = followed(node, s[FIRST_OPTION + answer])
        s[ANSWER] = answer
        status = run(code, s, log)
        if form[HORIZON] > 0 and asked >= form[HORIZON] and asker == seat and status == ASKING and s[SEAT] != seat:
            guess(code, s, plan, room, seat, form, counts, sums, path, steps, first, leads)
            return
    if status == GAME_OVER:
        note(code, s, plan, room, form, counts, sums, path, steps, first, shares, leads)
    else:
        for step in range(steps):  # what runs into a fault is worth nothing
            counts[path[2 * step]] += 1


def note(
    code: Sequence[int],
    s: Row,
    plan: Sequence[int],
    room: Sequence[Row],
    form: Row,
    counts: Row,
    sums: Floats,
    path: Row,
    steps: int,
    first: int,
    shares: Floats,
    leads: Floats,
) -> None:
    """What a game came to, into all answers of the tree that led there."""
    log = row(room, COUNTS)
    others = max(1, s[PLAYERS] - 1)
    members = 0
    for other in range(s[PLAYERS]):
        members += (s[WINNERS] >> other) & 1
    for step in range(steps):
        at = path[2 * step]
        whose = path[2 * step + 1]
        ahead = lead(code, s, plan, whose, row(room, 0), log) / others
        share = ((s[WINNERS] >> whose) & 1) / max(1, members)
        if step == 0:
            form[LEADS] += int(abs(ahead) * 1000)
            form[TRIES] += 1
            shares[first] += share
            leads[first] += ahead
        winning = form[WINNING] / 1000
        counts[at] += 1
        sums[at] += winning * share + (1.0 - winning) * squashed(ahead, form)


def guess(
    code: Sequence[int],
    s: Row,
    plan: Sequence[int],
    room: Sequence[Row],
    seat: int,
    form: Row,
    counts: Row,
    sums: Floats,
    path: Row,
    steps: int,
    first: int,
    leads: Floats,
) -> None:
    """What the seat's network expects of a game that is not played to its end, into all answers that led there."""
    section = plan[SEATS + seat]
    afresh(plan, section, row(room, BEFORE))
    ahead = judged(code, s, plan, section, seat, room) / form[POINT]
    form[LEADS] += int(abs(ahead) * 1000)
    form[TRIES] += 1
    leads[first] += ahead
    for step in range(steps):
        counts[path[2 * step]] += 1
        sums[path[2 * step]] += squashed(ahead, form)


def grow(
    code: Sequence[int],
    roots: Sequence[Row],
    plan: Sequence[int],
    room: Sequence[Row],
    seed: int,
    first: int,
    count: int,
    form: Row,
    keys: Row,
    counts: Row,
    sums: Floats,
    worths: Row,
    path: Row,
    shares: Floats,
    leads: Floats,
) -> None:
    """Iterations `first` to `first + count`, over the roots in turn."""
    for number in range(first, first + count):
        root = row(roots, number % len(roots))
        iterate(code, root, plan, room, seed, form, keys, counts, sums, worths, path, shares, leads)


def tried(root: Row, keys: Row, counts: Row, found: Row) -> None:
    """How often each option of the question was tried."""
    for option in range(root[OPTIONS]):
        name = followed(ROOT, root[FIRST_OPTION + option])
        at = slot_of(keys, name)
        found[option] = 0
        if at >= 0 and keys[at] == name:
            found[option] = counts[at]
