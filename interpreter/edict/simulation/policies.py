"""How a seat answers inside the machine's loop: at random, or by looking ahead to positions that are judged by the
rules, learned weights, a network, or short random games.

Like the loop itself these functions are plain Python over rows of integers, and native code by the same source (see
`compiled`, which has its own `run`, `row`, `rest` and `copied`). Their orders stand in one flat row, the plan (see
`plans`).

`room` is rows to think in, each as long as a state. Nothing here sees what a seat may not know: every thought starts
from a masked copy.
"""

from __future__ import annotations

from collections.abc import Sequence

from edict.machine.loop import BUDGET as WORKED, run
from edict.machine.mixing import GOLDEN, MASK, draw, mixed
from edict.program.opcodes import (
    ANSWER, ASKING, CHANCE, GAME_OVER, LOGGING, OPTIONS, PC, PLAYERS, RETURNED, RUNNING, SEAT, SP, SPENT, STACK, STATUS,
    TOTAL, WIDTH, WINNERS,
)  # fmt: skip
from edict.simulation.plans import (
    AMONG, BEFORE, BY_LOT, BY_NET, BY_WEIGHTS, CLOCK, CLOCK_END, COUNTS, DICE, ENTRY, GAMES, HORIZON, INPUTS,
    JUDGE_WEIGHT, JUDGED, KEPT_AT, LAYER, LEVELS, MINE, NUMBER, OWN, PARAM, PLACE, PLAYOUT, POLICY, POSITIONS, SEATS,
    SECRETS_AT, SECTION, SET, SHARED, STACK_AT, TERM, TERMS, THING, UNITS, VALUES, WHIM, WHIMS, WORST, Row,
)  # fmt: skip

# --- games played on at random
RANGED = 16  # games to find out how far apart their ends are judged
SOONER = 4  # of as many games one is as long as it may be, the next half as long, and so on
APART = 7919  # between the luck of one game and the next
VICTORY = 5040  # the whole of it, which as many winners as there can be seats share evenly, or nearly
PARTS = 1000  # of a point of the judgement, in which means are counted
LARGE = 1 << 28  # a judgement beyond that is cut off, so that sums stay numbers of 64 bits
ENOUGH = WORKED - 100_000  # rules that go by what is hidden, which reads as nothing, may go on and on


def moved(seed: int, by: int) -> int:
    """Another seed, so many further on."""
    return (seed + by) & MASK


def row(room: Sequence[Row], number: int) -> Row:
    """One of the rows to think in."""
    return room[number]


def rest(rows: Sequence[Row], first: int) -> Sequence[Row]:
    """The rows from a number on."""
    return rows[first:]


def copied(target: Row, source: Sequence[int]) -> None:
    """The state of `source` in `target` too."""
    target[:] = source


def choose(code: Sequence[int], s: Row, plan: Sequence[int], room: Sequence[Row], seed: int, number: int) -> int:
    """The index of the option taken at question `number` of a game by whoever is asked, chance included."""
    options = s[OPTIONS]
    seat = s[SEAT]
    if seat == CHANCE:
        return draw(seed, number, options)
    section = plan[SEATS + seat]
    policy = plan[section + POLICY]
    if policy == BY_LOT:
        return draw(seed, number, options)
    if plan[section + WHIM] > 0 and draw(seed, number + WHIMS, 1000) < plan[section + WHIM]:
        return draw(seed, number, options)
    look_ahead(code, s, plan, section, room)
    return best(row(room, VALUES), options, seed, number)


def best(values: Row, options: int, seed: int, number: int) -> int:
    """The option with the greatest value; of several, one at random."""
    most = values[0]
    ties = 1
    for i in range(1, options):
        if values[i] > most:
            most = values[i]
            ties = 1
        elif values[i] == most:
            ties += 1
    chosen = draw(seed, number, ties)
    for i in range(options):
        if values[i] == most:
            if chosen == 0:
                return i
            chosen -= 1
    return 0


def mask(s: Sequence[int], plan: Sequence[int], seat: int, target: Row) -> None:
    """A copy in which what the seat may not know reads as nothing; playing on from it writes no events."""
    copied(target, s)
    target[LOGGING] = 0
    at = plan[SECRETS_AT]
    for i in range(plan[at]):
        cell = at + 1 + 3 * i
        if (s[plan[cell + 1]] >> seat) & 1 == 0:
            target[plan[cell]] = plan[cell + 2]


def look_ahead(code: Sequence[int], s: Row, plan: Sequence[int], section: int, room: Sequence[Row]) -> None:
    """The value of every option of the question to the seat that is asked, into the row of values.

    Each is tried out on what the seat may know. An answer is only complete when somebody else or chance is asked;
    until then the best way to go on counts, as far as the budget of positions reaches. Where the policy has
    games, the mean of that many, continued from a position with the same luck from each, is its value.
    """
    seat = s[SEAT]
    log = row(room, COUNTS)  # the machine looks at its first cell only, as nobody listens
    count = row(room, COUNTS)
    values = row(room, VALUES)
    log[0] = 0
    afresh(plan, section, row(room, BEFORE))
    mask(s, plan, seat, row(room, 0))
    games = plan[section + GAMES]
    seed = 0
    victory = 1
    if games > 0:
        seed = seed_of(row(room, 0), plan)
        victory = victory_worth(code, row(room, 0), plan, section, seat, room, seed)
    depth = 0
    count[4] = 0
    count[5] = s[OPTIONS]
    count[6] = plan[section + POSITIONS] // s[OPTIONS]
    while depth >= 0:
        at = 4 + 4 * depth  # of each level: the next option, how many, the budget of each, the best value so far
        option = count[at]
        if option == count[at + 1]:
            depth -= 1
            if depth == 0:
                values[count[4] - 1] = count[at + 3]
            elif depth > 0 and count[at + 3] > count[at - 1]:
                count[at - 1] = count[at + 3]
            continue
        count[at] = option + 1
        following = row(room, depth + 1)
        copied(following, row(room, depth))
        following[ANSWER] = option
        following[SPENT] = max(following[SPENT], ENOUGH)
        status = run(code, following, log)
        budget = count[at + 2]
        if status == ASKING and following[SEAT] == seat and following[OPTIONS] <= budget and depth + 1 < LEVELS:
            depth += 1
            count[at + 4] = 0
            count[at + 5] = following[OPTIONS]
            count[at + 6] = budget // following[OPTIONS]
            count[at + 7] = WORST
            continue
        value = WORST
        if games > 0:
            value = played_out(code, following, plan, section, seat, room, status, seed, victory)
        elif status == ASKING or status == GAME_OVER:
            value = judged(code, following, plan, section, seat, room)
        if depth == 0:
            values[option] = value
        elif value > count[at + 3]:
            count[at + 3] = value


def played_out(
    code: Sequence[int], s: Row, plan: Sequence[int], section: int, seat: int, room: Sequence[Row], status: int,
    seed: int, victory: int,
) -> int:  # fmt: skip
    """Return the mean worth of a position to a seat if the policy's number of games is continued from it at random.

    A game that runs into a fault does not count.

    Args:
        status: the status that the machine left the position with.
        victory: the worth of a victory, in the rules' own judgement.
    """
    played = row(room, PLAYOUT)
    log = row(room, COUNTS)
    total = 0
    count = 0
    for game in range(plan[section + GAMES] if status == ASKING else 1):
        copied(played, s)
        horizon = plan[section + HORIZON] >> (game % SOONER)
        end = play_at_random(code, played, status, moved(seed, game * APART), horizon, log)
        if end == ASKING or end == GAME_OVER:
            count += 1
            if end == GAME_OVER:
                total += share(played, seat) * victory // VICTORY
            total += outlook(code, played, plan, section, seat, log)
    return total * PARTS // count if count > 0 else WORST


def victory_worth(
    code: Sequence[int], s: Row, plan: Sequence[int], section: int, seat: int, room: Sequence[Row], seed: int
) -> int:  # fmt: skip
    """Return the worth of a victory beside the rules' own judgement: the range of judgements after random games."""
    played = row(room, PLAYOUT)
    log = row(room, COUNTS)
    least = 0
    most = 0
    count = 0
    for game in range(RANGED):
        copied(played, s)
        end = play_at_random(code, played, ASKING, moved(seed, -game * APART), plan[section + HORIZON] + 1, log)
        if end == ASKING or end == GAME_OVER:
            value = outlook(code, played, plan, section, seat, log)
            least = value if count == 0 else min(least, value)
            most = value if count == 0 else max(most, value)
            count += 1
    return max(1, most - least)


def play_at_random(code: Sequence[int], s: Row, status: int, seed: int, horizon: int, log: Row) -> int:
    """Answer at random until the game ends or players have answered `horizon` questions; return the last status."""
    asked = 0
    drawn = 0
    while status == ASKING and (asked < horizon or s[SEAT] == CHANCE):
        drawn += 1
        if s[SEAT] != CHANCE:
            asked += 1
        s[ANSWER] = draw(seed, drawn, s[OPTIONS])
        s[SPENT] = ENOUGH
        s[TOTAL] = 0  # or else `ENOUGH` adds up to more than a game may take
        status = run(code, s, log)
    return status


def seed_of(s: Sequence[int], plan: Sequence[int]) -> int:
    """Return a seed that follows from the variables of a state and who is asked."""
    seed = s[SEAT]
    for cell in range(plan[KEPT_AT], plan[KEPT_AT + 1]):
        seed = mixed((seed + s[cell] * GOLDEN) & MASK)
    return seed


def share(s: Sequence[int], seat: int) -> int:
    """Return a seat's share of the victory in a finished game; all of it is `VICTORY`."""
    members = 0
    for other in range(s[PLAYERS]):
        members += (s[WINNERS] >> other) & 1
    return ((s[WINNERS] >> seat) & 1) * (VICTORY // max(1, members))


def outlook(code: Sequence[int], s: Row, plan: Sequence[int], section: int, seat: int, log: Row) -> int:
    """Return the rules' judgement of a seat, and once more its lead over the mean of the others. Writes on the state.

    The lead is for games in which players are rivals, the seat's own part for those in which they win together.
    """
    others = max(1, s[PLAYERS] - 1)
    total = 0
    for other in range(s[PLAYERS]):
        value = computed(code, s, plan[STACK_AT], plan[section + ENTRY], plan[section + PARAM], plan[section + JUDGED],
                         other, log)  # fmt: skip
        value = max(-LARGE, min(LARGE, value))
        total += 2 * others * value if other == seat else -value
    return total


def judged(code: Sequence[int], s: Row, plan: Sequence[int], section: int, seat: int, room: Sequence[Row]) -> int:
    """What a position is worth to a seat by its policy's judgement, after others or `afresh`. Writes on the state."""
    value = 0
    if plan[section + POLICY] == BY_NET:
        value = valued(s, plan, section, seat, row(room, INPUTS), row(room, BEFORE))
    elif plan[section + POLICY] == BY_WEIGHTS:
        value = weighed(s, plan, section, seat)
    if plan[section + JUDGE_WEIGHT] == 0:
        return value
    log = row(room, COUNTS)
    found = computed(code, s, plan[STACK_AT], plan[section + ENTRY], plan[section + PARAM], plan[section + JUDGED],
                     seat, log)  # fmt: skip
    if found == WORST:
        return WORST
    return value + found * plan[section + JUDGE_WEIGHT]


def computed(
    code: Sequence[int], s: Row, stack: int, entry: int, param: int, result: int, argument: int, log: Row
) -> int:
    """What the rules say to a query of one parameter; WORST if they run into a fault. Writes on the state."""
    s[param] = argument
    s[PC] = entry
    s[SP] = stack
    s[STACK] = stack
    s[LOGGING] = 0
    s[OPTIONS] = 0
    s[SPENT] = 0
    s[STATUS] = RUNNING
    if run(code, s, log) != RETURNED:
        return WORST
    return s[result]


def weighed(s: Sequence[int], plan: Sequence[int], section: int, seat: int) -> int:
    """The sum of the features of a position, each by its weight.

    A weight is two numbers: what it is when the clock begins, and how much more when it ends. For every feature
    there is one weight for one's own, and one for the sum of the others'.
    """
    clock = plan[section + CLOCK]
    now = 0
    end = plan[section + CLOCK_END]
    if clock > 0:
        now = s[clock]
        if now > end:
            now = end
        if now < 0:
            now = 0
    early = 0
    late = 0
    players = s[PLAYERS]
    at = section + SECTION
    for _ in range(plan[section + TERMS]):
        shape = plan[at]
        size = plan[at + 4]
        for other in range(players):
            w = plan[at + 3] if other == seat else plan[at + 3] + 2 * size
            value = s[plan[at + 1] + plan[at + 2] * other]
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
                width = s[WIDTH]
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


# --- networks: a position as numbers, and what a small network makes of them


def described(s: Sequence[int], plan: Sequence[int], section: int, seat: int, found: Row) -> int:
    """What the terms of a section read: one's own, the sums of the others', then the table's. Gives how many."""
    own = plan[section + OWN]
    count = 2 * own + plan[section + SHARED]
    for i in range(count):
        found[i] = 0
    players = s[PLAYERS]
    first = 0
    last = 2 * own
    at = section + SECTION
    for _ in range(plan[section + TERMS]):
        shape = plan[at]
        cell = plan[at + 1]
        step = plan[at + 2]
        size = plan[at + 4]
        if step == 0 and shape <= DICE:  # the table's
            if s[cell] != 0 or shape == THING:
                read(s, shape, s[cell], seat, size, found, last)
            last += size
        else:
            for other in range(players):
                value = s[cell + step * other]
                if value != 0 or shape > DICE or shape == THING:
                    read(s, shape, value, other, size, found, first if other == seat else first + own)
            first += size
        at += TERM
    return count


def read(s: Sequence[int], shape: int, value: int, seat: int, size: int, found: Row, out: int) -> None:
    """Add what a value says of a seat to `size` numbers from `out` on."""
    if shape == NUMBER:
        found[out] += value
    elif shape == SET:
        i = 0
        while value and i < size:
            found[out + i] += value & 1
            value >>= 1
            i += 1
    elif shape == THING:
        if 0 <= value < size:
            found[out + value] += 1
    elif shape == DICE:
        width = s[WIDTH]
        full = (1 << width) - 1
        i = 0
        while value and i < size:
            found[out + i] += value & full
            value >>= width
            i += 1
    elif shape == PLACE:
        i = 0
        while i < 15 and (value >> (4 * i)) & 15 != seat and (value >> (4 * i)) & 15 != 15:
            i += 1
        found[out] += i
    elif shape == MINE:
        found[out] += value == seat
    elif shape == AMONG:
        found[out] += (value >> seat) & 1


def afresh(plan: Sequence[int], section: int, before: Row) -> None:
    """No position has been read yet: all inputs 0, and every unit at its bias."""
    if plan[section + POLICY] != BY_NET:
        return
    count = 2 * plan[section + OWN] + plan[section + SHARED]
    for i in range(count):
        before[i] = 0
    units = plan[section + UNITS]
    for unit in range(units):
        before[count + unit] = plan[plan[section + LAYER] + units + unit]


def valued(s: Sequence[int], plan: Sequence[int], section: int, seat: int, found: Row, before: Row) -> int:
    """What a network makes of a position: the first unit, and the others where they are above zero, each by its weight.

    Only what is not as in the position `before`, and that with its units, is worked out: options of one question lead
    to much the same. `before` is this position afterwards. The layer in the plan: for each unit its weight and its
    bias, then for each input its weight in every unit.
    """
    count = described(s, plan, section, seat, found)
    units = plan[section + UNITS]
    layer = plan[section + LAYER]
    for i in range(count):
        change = found[i] - before[i]
        if change != 0:
            before[i] = found[i]
            weights = layer + (2 + i) * units
            if change == 1:  # as most are, and adding alone is several times faster
                for unit in range(units):
                    before[count + unit] += plan[weights + unit]
            elif change == -1:
                for unit in range(units):
                    before[count + unit] -= plan[weights + unit]
            else:
                for unit in range(units):
                    before[count + unit] += change * plan[weights + unit]
    total = before[count] * plan[layer]
    for unit in range(1, units):
        if before[count + unit] > 0:
            total += before[count + unit] * plan[layer + unit]
    return total


# --- whole games


def play(code: Sequence[int], s: Row, plan: Sequence[int], room: Sequence[Row], seed: int, log: Row) -> int:
    """A game from where it stands to its end, every answer by the plan; gives how many questions were asked."""
    asked = 0
    while run(code, s, log) == ASKING:
        asked += 1
        s[ANSWER] = choose(code, s, plan, room, seed, asked)
    return asked
