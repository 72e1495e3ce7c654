"""Policies inside the machine's loop.

A seat answers at random, or looks ahead to positions that are judged by the rules, learned weights, a network, or
short random games. Like the loop itself these functions are plain Python over rows of integers, and native code by
the same source (see `compiled`, which has its own `run`, `get_row`, `rows_from` and `copy_into`). The policies are
described in one flat row, the plan (see `plans`).

`scratch` is rows to compute in, each as long as a state. No policy sees what its seat may not know: every search
starts from a masked copy.
"""

from __future__ import annotations

from collections.abc import Sequence

from edict.runtime.machine.loop import BUDGET as WORKED
from edict.runtime.machine.loop import run
from edict.runtime.machine.mixing import GOLDEN, MASK, draw, mix
from edict.runtime.program.opcodes import (
    ANSWER,
    ASKING,
    BITS,
    CHANCE,
    FIRST_OPTION,
    GAME_OVER,
    LOGGING,
    OPTIONS,
    PC,
    PLAYERS,
    QUESTION,
    RETURNED,
    RUNNING,
    SEAT,
    SP,
    SPENT,
    STACK,
    STATUS,
    TOTAL,
    WIDTH,
    WINNERS,
    YOU,
)
from edict.runtime.simulation.plans import (
    AMONG,
    BY_LOT,
    BY_NET,
    BY_WEIGHTS,
    CLOCK,
    CLOCK_END,
    COUNTS,
    DICE,
    ENTRY,
    GAMES,
    GUIDE,
    GUIDE_CONDITIONS,
    GUIDE_COUNTS,
    GUIDE_EFFECTS,
    GUIDE_GAINS,
    GUIDE_MATCHES,
    GUIDE_VALUE,
    GUIDED,
    GUIDES,
    HORIZON,
    INPUTS,
    JUDGE_WEIGHT,
    JUDGED,
    KEPT_AT,
    LAYER,
    LEVELS,
    MINE,
    NAMED_WEIGHT,
    NUMBER,
    OWN,
    PARAM,
    PLACE,
    PLAYOUT,
    POLICY,
    POSITIONS,
    READ,
    SEATS,
    SECRETS_AT,
    SECTION,
    SET,
    SHARED,
    STACK_AT,
    SUMS,
    TARGET,
    TARGET_OPTIONS,
    TERM,
    TERMS,
    THING,
    UNITS,
    VALUES,
    WATCHED_AT,
    WHIM,
    WHIMS,
    WORST,
    Row,
)

# --- lookahead
LEVEL = 6  # numbers for each level

# --- playouts
RANGE_GAMES = 16  # games to find the range of judgements
HORIZON_STEPS = 4  # of as many games, one has the full horizon, the next half of it, and so on
SEED_STEP = 7919  # between the seeds of two games
VICTORY = 5040  # a whole victory, divisible (nearly) evenly by any number of winners
PARTS = 1000  # fractions of a point of judgement, for means
MAX_JUDGEMENT = 1 << 28  # judgements are clamped to it, so that sums stay 64-bit numbers
# leaves little budget, since rules that depend on hidden values (read as nothing) may loop
WORK_SPENT = WORKED - 100_000


def offset_seed(seed: int, by: int) -> int:
    """Return the seed `by` steps away from a seed, to draw independent numbers."""
    return (seed + by) & MASK


def get_row(rows: Sequence[Row], number: int) -> Row:
    """Return one of the scratch rows."""
    return rows[number]


def rows_from(rows: Sequence[Row], first: int) -> Sequence[Row]:
    """Return the rows from a number on."""
    return rows[first:]


def copy_into(target: Row, source: Sequence[int]) -> None:
    """Copy the state `source` into `target`."""
    target[:] = source


def choose(code: Sequence[int], state: Row, plan: Sequence[int], scratch: Sequence[Row], seed: int, number: int) -> int:
    """Return the index of the option taken by the asked seat's policy, or by chance, at question `number` of a game."""
    if plan[WATCHED_AT] > 0:
        mark_watched(code, state, plan, scratch)
    options = state[OPTIONS]
    seat = state[SEAT]
    if seat == CHANCE:
        return draw(seed, number, options)
    section = plan[SEATS + seat]
    if plan[section + GUIDES] > 0:
        restrict_options(code, state, plan, section, scratch)
        options = state[OPTIONS]
        if options == 1:
            return 0
    policy = plan[section + POLICY]
    if policy == BY_LOT:
        return draw(seed, number, options)
    if plan[section + WHIM] > 0 and draw(seed, number + WHIMS, 1000) < plan[section + WHIM]:
        return draw(seed, number, options)
    look_ahead(code, state, plan, section, scratch)
    return choose_best(get_row(scratch, VALUES), options, seed, number)


def mark_watched(code: Sequence[int], state: Row, plan: Sequence[int], scratch: Sequence[Row]) -> None:
    """Set the cell of the watched condition to 1 if it holds as far as its seat knows, see `plans.Watch`."""
    watched = plan[WATCHED_AT]
    cell = plan[watched + 1]
    if state[cell] == 0 and are_conditions_met(code, state, plan, watched + 2, plan[watched], scratch) != 0:
        state[cell] = 1


def restrict_options(
    code: Sequence[int], state: Row, plan: Sequence[int], section: int, scratch: Sequence[Row]
) -> None:
    """Remove from the options of the question those that the seat's guides rule out; at least one remains."""
    guides = plan[section + GUIDES]
    for i in range(plan[guides]):
        guide = plan[guides + 1 + i]
        if state[OPTIONS] > 1 and is_guide_applicable(code, state, plan, guide, scratch) != 0:
            look_ahead(code, state, plan, guide, scratch)
            counts = get_row(scratch, GUIDE_COUNTS)
            number = 3 * plan[plan[guide + GUIDE]]
            values = get_row(scratch, VALUES)
            if plan[plan[guide + GUIDE] + GUIDE_GAINS] != 0:
                position = get_row(scratch, 0)
                copy_masked_state(state, plan, state[SEAT], position)
                now = judge(code, position, plan, guide, state[SEAT], scratch)
                for option in range(state[OPTIONS]):
                    if plan[guide + JUDGE_WEIGHT] > 0:
                        values[option] = max(now, values[option])
                    else:
                        values[option] = min(now, values[option])
            greatest = values[0]
            least = values[0]
            for option in range(state[OPTIONS]):
                greatest = max(greatest, values[option])
                least = min(least, values[option])
            counts[number] += 1
            counts[number + 1] += 1 if greatest > least else 0
            counts[number + 2] += 1 if 2 * abs(greatest) >= NAMED_WEIGHT else 0
            kept = 0
            for option in range(state[OPTIONS]):
                if values[option] == greatest:
                    state[FIRST_OPTION + kept] = state[FIRST_OPTION + option]
                    kept += 1
            state[OPTIONS] = kept


def is_guide_applicable(
    code: Sequence[int], state: Row, plan: Sequence[int], guide: int, scratch: Sequence[Row]
) -> int:
    """Return 1 if the conditions of a guide hold as far as its seat knows, else 0; list the things that it names."""
    seat = state[SEAT]
    log = get_row(scratch, COUNTS)
    position = get_row(scratch, 0)
    rest = plan[guide + GUIDE]
    if are_conditions_met(code, state, plan, plan[rest + GUIDE_CONDITIONS], seat, scratch) == 0:
        return 0
    if plan[rest + TARGET] > 0:
        named = get_row(scratch, GUIDED)
        copy_masked_state(state, plan, seat, position)
        value = run_query(code, position, plan[STACK_AT], plan[rest + TARGET], YOU, plan[rest + TARGET + 1], seat, log)
        cells = plan[rest + TARGET + 2]
        for i in range(cells):
            named[i] = 0 if value == WORST else position[plan[rest + TARGET + 1] + i]
        if plan[rest + TARGET + 3] != 0:
            named[0] = value
    return 1


def are_conditions_met(
    code: Sequence[int], state: Sequence[int], plan: Sequence[int], at: int, seat: int, scratch: Sequence[Row]
) -> int:
    """Return 1 if the conditions that are listed from `at` on hold as far as a seat knows, else 0."""
    log = get_row(scratch, COUNTS)
    position = get_row(scratch, 0)
    log[0] = 0
    for i in range(plan[at]):
        copy_masked_state(state, plan, seat, position)
        condition = at + 1 + 5 * i
        value = run_query(code, position, plan[STACK_AT], plan[condition], YOU, plan[condition + 1], seat, log)
        if value == WORST or (value != 0) != (plan[condition + 4] != 0):
            return 0
    return 1


def is_option_named(state: Sequence[int], option: int, plan: Sequence[int], rest: int, named: Sequence[int]) -> int:
    """Return 1 if a guide names an option of the question, else 0."""
    options = plan[rest + GUIDE_MATCHES + state[QUESTION]]
    value = state[FIRST_OPTION + option]
    if options == TARGET_OPTIONS:
        if value < 0:
            return 0
        if plan[rest + TARGET + 3] != 0:
            return 1 if value == named[0] else 0
        cell = value // BITS
        return (named[cell] >> (value % BITS)) & 1 if cell < plan[rest + TARGET + 2] else 0
    return (options >> (value + 1)) & 1 if -1 <= value < BITS else 0


def find_promised_effect(state: Sequence[int], option: int, plan: Sequence[int], rest: int) -> int:
    """Return the code of the effect of the thing that an option chooses; 0 without one."""
    effects = plan[plan[rest + GUIDE_EFFECTS] + state[QUESTION]]
    value = state[FIRST_OPTION + option]
    return plan[effects + value] if effects > 0 and value >= 0 else 0


def choose_best(values: Row, options: int, seed: int, number: int) -> int:
    """Return the option with the greatest value, a random one of several."""
    greatest = values[0]
    ties = 1
    for i in range(1, options):
        if values[i] > greatest:
            greatest = values[i]
            ties = 1
        elif values[i] == greatest:
            ties += 1
    chosen = draw(seed, number, ties)
    for i in range(options):
        if values[i] == greatest:
            if chosen == 0:
                return i
            chosen -= 1
    return 0


def copy_masked_state(state: Sequence[int], plan: Sequence[int], seat: int, target: Row) -> None:
    """Copy a state with everything masked that the seat may not know, and with events switched off."""
    copy_into(target, state)
    target[LOGGING] = 0
    at = plan[SECRETS_AT]
    for i in range(plan[at]):
        cell = at + 1 + 3 * i
        if (state[plan[cell + 1]] >> seat) & 1 == 0:
            target[plan[cell]] = plan[cell + 2]


def look_ahead(code: Sequence[int], state: Row, plan: Sequence[int], section: int, scratch: Sequence[Row]) -> None:
    """Write the value of every option for the seat that is asked into the scratch row VALUES.

    Each option is tried on what the seat may know. An answer is complete only when somebody else or chance is asked;
    until then the best continuation counts, as far as the budget of positions reaches. If the policy has playouts, the
    value is their mean, with the same random numbers for every position.
    """
    seat = state[SEAT]
    log = get_row(scratch, COUNTS)  # no events are written, so only its first cell is used
    count = get_row(scratch, COUNTS)
    values = get_row(scratch, VALUES)
    log[0] = 0
    copy_masked_state(state, plan, seat, get_row(scratch, 0))
    reset_net(get_row(scratch, 0), plan, section, seat, scratch)
    games = plan[section + GAMES]
    seed = 0
    victory = 1
    if games > 0:
        seed = derive_seed(get_row(scratch, 0), plan)
        victory = victory_worth(code, get_row(scratch, 0), plan, section, seat, scratch, seed)
    guide = plan[section + GUIDE]
    depth = 0
    count[4] = 0
    count[5] = state[OPTIONS]
    count[6] = plan[section + POSITIONS] // state[OPTIONS]
    count[8] = 0
    count[9] = 0
    while depth >= 0:
        # for each level: the next option, their number, the budget of each, the best value so far; and for guides, how
        # many options before it were named, and the effect promised
        at = 4 + LEVEL * depth
        option = count[at]
        if option == count[at + 1]:
            depth -= 1
            if depth == 0:
                values[count[4] - 1] = count[at + 3]
            elif depth > 0 and count[at + 3] > count[at + 3 - LEVEL]:
                count[at + 3 - LEVEL] = count[at + 3]
            continue
        count[at] = option + 1
        following = get_row(scratch, depth + 1)
        copy_into(following, get_row(scratch, depth))
        named = count[at + 4]
        effect = count[at + 5]
        if guide > 0:
            named += is_option_named(following, option, plan, guide, get_row(scratch, GUIDED))
            if effect == 0:
                effect = find_promised_effect(following, option, plan, guide)
        following[ANSWER] = option
        following[SPENT] = max(following[SPENT], WORK_SPENT)
        status = run(code, following, log)
        if effect > 0 and status == ASKING and following[SEAT] != seat:
            status = run_effect(code, following, plan[STACK_AT], effect, seat, log)
            effect = -1  # no other follows on this way
        budget = count[at + 2]
        if status == ASKING and following[SEAT] == seat and following[OPTIONS] <= budget and depth + 1 < LEVELS:
            depth += 1
            count[at + LEVEL] = 0
            count[at + LEVEL + 1] = following[OPTIONS]
            count[at + LEVEL + 2] = budget // following[OPTIONS]
            count[at + LEVEL + 3] = WORST
            count[at + LEVEL + 4] = named
            count[at + LEVEL + 5] = effect
            continue
        value = WORST
        if games > 0:
            value = evaluate_by_playouts(code, following, plan, section, seat, scratch, status, seed, victory)
        elif status == ASKING or status == GAME_OVER or guide > 0:  # a guide counts as far as the rules lead
            value = judge(code, following, plan, section, seat, scratch)
        if guide > 0 and value != WORST:
            value += named * plan[guide + GUIDE_VALUE]
        if depth == 0:
            values[option] = value
        elif value > count[at + 3]:
            count[at + 3] = value


def run_effect(code: Sequence[int], state: Row, stack: int, entry: int, seat: int, log: Row) -> int:
    """Run the effect at `entry` for a seat to its next question or its end, and return the status."""
    state[YOU] = seat
    state[PC] = entry
    state[SP] = stack
    state[STACK] = stack
    state[OPTIONS] = 0
    state[SPENT] = WORK_SPENT
    state[STATUS] = RUNNING
    return run(code, state, log)


def evaluate_by_playouts(
    code: Sequence[int],
    state: Row,
    plan: Sequence[int],
    section: int,
    seat: int,
    scratch: Sequence[Row],
    status: int,
    seed: int,
    victory: int,
) -> int:
    """Return the mean value of a position to a seat over the policy's number of random playouts.

    A playout that runs into a fault does not count.

    Args:
        code: The program's code.
        state: The position.
        plan: The plan.
        section: The seat's section in it.
        seat: The seat.
        scratch: Scratch rows.
        status: The status that the machine left the position with.
        seed: The seed of the playouts.
        victory: The value of a victory, in points of the rules' own judgement.
    """
    played = get_row(scratch, PLAYOUT)
    log = get_row(scratch, COUNTS)
    total = 0
    count = 0
    for game in range(plan[section + GAMES] if status == ASKING else 1):
        copy_into(played, state)
        horizon = plan[section + HORIZON] >> (game % HORIZON_STEPS)
        last_status = play_at_random(code, played, status, offset_seed(seed, game * SEED_STEP), horizon, log)
        if last_status == ASKING or last_status == GAME_OVER:
            count += 1
            if last_status == GAME_OVER:
                total += victory_share(played, seat) * victory // VICTORY
            total += judge_with_lead(code, played, plan, section, seat, log)
    return total * PARTS // count if count > 0 else WORST


def victory_worth(
    code: Sequence[int], state: Row, plan: Sequence[int], section: int, seat: int, scratch: Sequence[Row], seed: int
) -> int:
    """Return the points of judgement that a victory counts: greatest less least after random games, at least 1."""
    played = get_row(scratch, PLAYOUT)
    log = get_row(scratch, COUNTS)
    least = 0
    greatest = 0
    count = 0
    for game in range(RANGE_GAMES):
        copy_into(played, state)
        last_status = play_at_random(
            code, played, ASKING, offset_seed(seed, -game * SEED_STEP), plan[section + HORIZON] + 1, log
        )
        if last_status == ASKING or last_status == GAME_OVER:
            value = judge_with_lead(code, played, plan, section, seat, log)
            least = value if count == 0 else min(least, value)
            greatest = value if count == 0 else max(greatest, value)
            count += 1
    return max(1, greatest - least)


def play_at_random(code: Sequence[int], state: Row, status: int, seed: int, horizon: int, log: Row) -> int:
    """Answer at random until the game ends or players have answered `horizon` questions; return the last status."""
    asked = 0
    drawn = 0
    while status == ASKING and (asked < horizon or state[SEAT] == CHANCE):
        drawn += 1
        if state[SEAT] != CHANCE:
            asked += 1
        state[ANSWER] = draw(seed, drawn, state[OPTIONS])
        state[SPENT] = WORK_SPENT
        state[TOTAL] = 0  # or else `WORK_SPENT` would add up to more than a game's budget
        status = run(code, state, log)
    return status


def derive_seed(state: Sequence[int], plan: Sequence[int]) -> int:
    """Return a hash of the game's variables and the asked seat, so that equal positions play out equally."""
    seed = state[SEAT]
    for cell in range(plan[KEPT_AT], plan[KEPT_AT + 1]):
        seed = mix((seed + state[cell] * GOLDEN) & MASK)
    return seed


def victory_share(state: Sequence[int], seat: int) -> int:
    """Return a seat's share of the victory in a finished game; all of it is `VICTORY`."""
    members = 0
    for other in range(state[PLAYERS]):
        members += (state[WINNERS] >> other) & 1
    return ((state[WINNERS] >> seat) & 1) * (VICTORY // max(1, members))


def judge_with_lead(code: Sequence[int], state: Row, plan: Sequence[int], section: int, seat: int, log: Row) -> int:
    """Return (the rules' judgement of a seat + its lead over the mean of the others) times the number of others.

    The lead is for games with rivals, the own judgement for those in which players win together.
    """
    others = max(1, state[PLAYERS] - 1)
    total = 0
    for other in range(state[PLAYERS]):
        value = run_query(
            code,
            state,
            plan[STACK_AT],
            plan[section + ENTRY],
            plan[section + PARAM],
            plan[section + JUDGED],
            other,
            log,
        )
        value = max(-MAX_JUDGEMENT, min(MAX_JUDGEMENT, value))
        total += 2 * others * value if other == seat else -value
    return total


def judge(code: Sequence[int], state: Row, plan: Sequence[int], section: int, seat: int, scratch: Sequence[Row]) -> int:
    """Return a position's value to a seat by its network or weights, plus the weighted judgement of the rules.

    Call `reset_net` before the first position of a question.
    """
    value = 0
    if plan[section + POLICY] == BY_NET:
        value = evaluate_net(state, plan, section, seat, scratch)
    elif plan[section + POLICY] == BY_WEIGHTS:
        value = evaluate_weights(state, plan, section, seat)
    if plan[section + JUDGE_WEIGHT] == 0:
        return value
    log = get_row(scratch, COUNTS)
    judgement = run_query(
        code, state, plan[STACK_AT], plan[section + ENTRY], plan[section + PARAM], plan[section + JUDGED], seat, log
    )
    if judgement == WORST:
        return WORST
    return value + judgement * plan[section + JUDGE_WEIGHT]


def run_query(
    code: Sequence[int], state: Row, stack: int, entry: int, param: int, result: int, argument: int, log: Row
) -> int:
    """Return the value of the query at `entry` for `argument`, or WORST after a fault. Overwrites the state."""
    state[param] = argument
    state[PC] = entry
    state[SP] = stack
    state[STACK] = stack
    state[LOGGING] = 0
    state[OPTIONS] = 0
    state[SPENT] = 0
    state[STATUS] = RUNNING
    if run(code, state, log) != RETURNED:
        return WORST
    return state[result]


def evaluate_weights(state: Sequence[int], plan: Sequence[int], section: int, seat: int) -> int:
    """Return the weighted sum of a position's features.

    A weight is two numbers: its value when the clock begins, and its increase until the clock ends. Every feature has
    one weight for the own value, and one for the sum of the others'.
    """
    clock = plan[section + CLOCK]
    now = 0
    end = plan[section + CLOCK_END]
    if clock > 0:
        now = state[clock]
        if now > end:
            now = end
        if now < 0:
            now = 0
    early = 0
    late = 0
    players = state[PLAYERS]
    at = section + SECTION
    for _ in range(plan[section + TERMS]):
        shape = plan[at]
        size = plan[at + 4]
        for other in range(players):
            w = plan[at + 3] if other == seat else plan[at + 3] + 2 * size
            value = state[plan[at + 1] + plan[at + 2] * other]
            if shape == NUMBER:
                early += value * plan[w]
                late += value * plan[w + 1]
            elif shape == SET:
                i = 0
                while value and i < size:
                    if value & 1:
                        early += plan[w + 2 * i]
                        late += plan[w + 2 * i + 1]
                    value >>= 1
                    i += 1
            elif shape == THING:
                if 0 <= value < size:
                    early += plan[w + 2 * value]
                    late += plan[w + 2 * value + 1]
            elif shape == DICE:
                width = state[WIDTH]
                full = (1 << width) - 1
                i = 0
                while value:
                    n = value & full
                    early += n * plan[w + 2 * i]
                    late += n * plan[w + 2 * i + 1]
                    value >>= width
                    i += 1
            elif shape == PLACE:
                i = 0
                while i < 15 and (value >> (4 * i)) & 15 != other and (value >> (4 * i)) & 15 != 15:
                    i += 1
                early += i * plan[w]
                late += i * plan[w + 1]
            elif shape == MINE:
                if value == other:
                    early += plan[w]
                    late += plan[w + 1]
            elif (value >> other) & 1:  # AMONG
                early += plan[w]
                late += plan[w + 1]
        at += TERM
    return early * end + late * now if end > 0 else early


# --- networks


def read_features(state: Sequence[int], plan: Sequence[int], section: int, seat: int, inputs: Row) -> int:
    """Write a network's inputs (own features, sums of the others', the table's), and return their number."""
    own = plan[section + OWN]
    count = 2 * own + plan[section + SHARED]
    for i in range(count):
        inputs[i] = 0
    players = state[PLAYERS]
    first = 0
    last = 2 * own
    at = section + SECTION
    for _ in range(plan[section + TERMS]):
        shape = plan[at]
        cell = plan[at + 1]
        step = plan[at + 2]
        size = plan[at + 4]
        if step == 0 and shape <= DICE:  # belongs to the table
            if state[cell] != 0 or shape == THING:
                add_features(state, shape, state[cell], seat, size, inputs, last, 1)
            last += size
        else:
            for other in range(players):
                value = state[cell + step * other]
                if value != 0 or shape > DICE or shape == THING:
                    add_features(state, shape, value, other, size, inputs, first if other == seat else first + own, 1)
            first += size
        at += TERM
    return count


def add_features(
    state: Sequence[int], shape: int, value: int, seat: int, size: int, inputs: Row, out: int, times: int
) -> None:
    """Add a value `times` times, encoded by its `shape` with seats relative to `seat`, to inputs from `out` on."""
    if shape == NUMBER:
        inputs[out] += value * times
    elif shape == SET:
        i = 0
        while value and i < size:
            inputs[out + i] += (value & 1) * times
            value >>= 1
            i += 1
    elif shape == THING:
        if 0 <= value < size:
            inputs[out + value] += times
    elif shape == DICE:
        width = state[WIDTH]
        full = (1 << width) - 1
        i = 0
        while value and i < size:
            inputs[out + i] += (value & full) * times
            value >>= width
            i += 1
    elif shape == PLACE:
        i = 0
        while i < 15 and (value >> (4 * i)) & 15 != seat and (value >> (4 * i)) & 15 != 15:
            i += 1
        inputs[out] += i * times
    elif shape == MINE:
        if value == seat:
            inputs[out] += times
    elif shape == AMONG:
        inputs[out] += ((value >> seat) & 1) * times


def reset_net(state: Sequence[int], plan: Sequence[int], section: int, seat: int, scratch: Sequence[Row]) -> None:
    """Compute a network's units for a position, from which `evaluate_net` goes on; do nothing for other policies.

    The row READ gets the position's cells, SUMS the sum of each unit, and INPUTS a 0 for every input.
    """
    if plan[section + POLICY] != BY_NET:
        return
    inputs = get_row(scratch, INPUTS)
    sums = get_row(scratch, SUMS)
    units = plan[section + UNITS]
    for unit in range(units):
        sums[unit] = plan[plan[section + LAYER] + units + unit]
    count = read_features(state, plan, section, seat, inputs)
    propagate_inputs(plan, section, inputs, 0, count, sums)
    copy_into(get_row(scratch, READ), state)


def propagate_inputs(plan: Sequence[int], section: int, inputs: Row, first: int, size: int, sums: Row) -> None:
    """Add `size` inputs from `first` on to the units by their weights, and set these inputs to 0."""
    units = plan[section + UNITS]
    for i in range(first, first + size):
        change = inputs[i]
        if change != 0:
            inputs[i] = 0
            weights = plan[section + LAYER] + (2 + i) * units
            if change == 1:  # the common case, several times faster without multiplying
                for unit in range(units):
                    sums[unit] += plan[weights + unit]
            elif change == -1:
                for unit in range(units):
                    sums[unit] -= plan[weights + unit]
            else:
                for unit in range(units):
                    sums[unit] += change * plan[weights + unit]


def evaluate_net(state: Sequence[int], plan: Sequence[int], section: int, seat: int, scratch: Sequence[Row]) -> int:
    """Return a network's evaluation of a position: the first unit, and the others where positive, each by its weight.

    Only cells that differ from those in the row READ are propagated, because options of one question lead to similar
    positions. Afterwards READ holds this position's cells. Each cell belongs to one term. The layer in the plan: each
    unit's output weight, each unit's bias, then for each input its weight in every unit.
    """
    inputs = get_row(scratch, INPUTS)
    read = get_row(scratch, READ)
    sums = get_row(scratch, SUMS)
    own = plan[section + OWN]
    players = state[PLAYERS]
    first = 0
    last = 2 * own
    at = section + SECTION
    for _ in range(plan[section + TERMS]):
        shape = plan[at]
        cell = plan[at + 1]
        step = plan[at + 2]
        size = plan[at + 4]
        if step == 0 and shape <= DICE:  # belongs to the table
            if state[cell] != read[cell]:
                add_features(state, shape, read[cell], seat, size, inputs, last, -1)
                add_features(state, shape, state[cell], seat, size, inputs, last, 1)
                propagate_inputs(plan, section, inputs, last, size, sums)
                read[cell] = state[cell]
            last += size
        else:
            changed = 0
            for other in range(players):
                place = cell + step * other
                if state[place] != read[place]:
                    changed = 1
                    out = first if other == seat else first + own
                    add_features(state, shape, read[place], other, size, inputs, out, -1)
                    add_features(state, shape, state[place], other, size, inputs, out, 1)
                    propagate_inputs(plan, section, inputs, out, size, sums)
            if changed != 0:  # only now, because all players may read the same cell
                for other in range(players):
                    read[cell + step * other] = state[cell + step * other]
            first += size
        at += TERM
    layer = plan[section + LAYER]
    total = sums[0] * plan[layer]
    for unit in range(1, plan[section + UNITS]):
        total += max(0, sums[unit]) * plan[layer + unit]
    return total


# --- whole games


def play(code: Sequence[int], state: Row, plan: Sequence[int], scratch: Sequence[Row], seed: int, log: Row) -> int:
    """Play a game to its end, every answer by the plan, and return the number of questions."""
    asked = 0
    while run(code, state, log) == ASKING:
        asked += 1
        state[ANSWER] = choose(code, state, plan, scratch, seed, asked)
    if plan[WATCHED_AT] > 0:
        mark_watched(code, state, plan, scratch)
    return asked
