"""Observations and actions, encoded as numbers with the same meaning throughout a game.

The program says which cells may be hidden. An observation is a row of numbers of the same length for every state of a
program (`observe`), and the options of a question are actions (`encode_actions`); `spaces.observation_space` says
which number stands for what.

The cells to read are listed in a flat row, the reads, which `spaces.observation_space` builds for a number of players.
It begins with the place of each seat's reads. There stand the number of plain numbers, a cell and a target for each,
the number of other values, and `READ` numbers for each of them. So nothing is computed again for each state, and most
of the work is copying without branches.

Plain Python and native code run this source, as with the loop.
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from typing import Any

from edict.runtime.program import Program, ValueType
from edict.runtime.program.opcodes import FIELDS, FIRST_OPTION, OPTIONS, PLAYERS, QUESTION, SEAT, WIDTH

# shape, cell, cell that says who knows (-1: everyone does), how many numbers the cell gives, where they go
# a read: shape, cell, cell of who knows it (-1 if everyone does), numbers it yields, where they go
(SHAPE, CELL, KNOWN, SIZE, OUT) = range(5)
READ = 5  # numbers of any other read
PLAIN = 2  # numbers of a plain read: a cell that everyone knows, and its target

# --- shapes: a number; members, one thing, dice; the same of players; places in an order; the dice of each option
(NUMBER, SET, THING, DICE, SEATS, SEATED, LINE, ORDER, WAYS) = range(9)

# --- shapes of a question's actions
(LISTED_ACTIONS, SEATED_ACTIONS, COUNTED_ACTIONS, PAID_ACTIONS) = range(4)
ACTIONS_OF = 3  # numbers of a question in `acts`


def list_secret_cells(program: Program) -> tuple[tuple[int, int, int], ...]:
    """List the cells that may be hidden, as (cell, cell of who knows it, value that masks it)."""
    return tuple(
        (variable.base + i + part, variable.known + i, _get_masked_value(variable.type))
        for variable in program.variables
        if variable.known >= 0
        for i in range(0, len(variable.cells), variable.type.cells)
        for part in range(variable.type.cells)
    )


def _get_masked_value(value_type: ValueType) -> int:
    """Return the number that a cell of a hidden value reads as."""
    return -1 if value_type.shape == "thing" or value_type.shape == "order" and value_type.cells > 1 else 0


def observe(state: Sequence[int], reads: Sequence[int], seat: int, observation: MutableSequence[Any]) -> None:
    """Write what a seat sees of a state, as the table `reads` lists it, into a row of zeros."""
    begin = reads[seat] + 1
    end = begin + PLAIN * reads[begin - 1]
    for read in range(begin, end, PLAIN):
        observation[reads[read + 1]] = state[reads[read]]
    begin = end + 1
    end = begin + READ * reads[begin - 1]
    for read in range(begin, end, READ):
        out = reads[read + OUT]
        if reads[read + KNOWN] >= 0:
            if (state[reads[read + KNOWN]] >> seat) & 1 == 0:
                continue
            observation[out] = 1
            out += 1
        value = state[reads[read + CELL]]
        if value != 0 or reads[read + SHAPE] == THING or reads[read + SHAPE] == SEATED:
            encode_value(state, reads[read + SHAPE], value, seat, reads[read + SIZE], observation, out)


def rotate_seat(seat: int, by: int, players: int) -> int:
    """Return the seat `by` places further on."""
    seat += by
    return seat - players if seat >= players else seat


def encode_value(
    state: Sequence[int], shape: int, value: int, seat: int, size: int, numbers: MutableSequence[Any], out: int
) -> None:
    """Encode a value by its `shape` as `size` numbers from `out` on; seats count from the observing one."""
    players = state[PLAYERS]
    if shape == NUMBER:
        numbers[out] = value
    elif shape == SET:
        for i in range(size):
            numbers[out + i] = (value >> i) & 1
    elif shape == THING:
        if 0 <= value < size:
            numbers[out + value] = 1
    elif shape == DICE:
        count_dice(state, value, size, numbers, out)
    elif shape == SEATS:
        for i in range(players):
            numbers[out + i] = (value >> rotate_seat(seat, i, players)) & 1
    elif shape == SEATED:
        if 0 <= value < players:
            numbers[out + (value - seat) % players] = 1
    elif shape == LINE or shape == ORDER:
        for place in range(15):
            member = (value >> (4 * place)) & 15
            if member == 15:
                break
            if shape == LINE:
                member = (member - seat) % players
            if member < size:
                numbers[out + member] = place + 1
    elif state[SEAT] == seat:  # WAYS
        fields = value
        for i in range(state[OPTIONS]):
            if (i + 1) * fields <= size:
                count_dice(state, state[FIRST_OPTION + i], fields, numbers, out + i * fields)


def count_dice(state: Sequence[int], dice: int, fields: int, numbers: MutableSequence[Any], out: int) -> None:
    """Write the number of dice of each field, from `out` on."""
    width = state[WIDTH]
    full = (1 << width) - 1
    for i in range(fields):
        numbers[out + i] = (dice >> (i * width)) & full


def encode_actions(state: Sequence[int], acts: Sequence[int], actions: MutableSequence[int]) -> int:
    """Write the action of every option of the question, in the order of the options.

    Several options may share an action. Options of chance have no actions and are numbered.

    Args:
        state: The state.
        acts: For each question the shape of its actions, the start of its row, and how many there are. A row holds the
            action to decline and those of the values from 0 on. Numbers without a bound have so many actions, and one
            for "as many more". Payments have the action for "no more", those of the dice's fields and those of the
            shifts, and then, for each combination, how often it uses each shift.
        actions: The row for the actions.

    Returns:
        The number of options.
    """
    options = state[OPTIONS]
    if state[SEAT] < 0:
        for i in range(options):
            actions[i] = i
        return options
    head = ACTIONS_OF * state[QUESTION]
    shape = acts[head]
    row = acts[head + 1]
    size = acts[head + 2]
    if shape == PAID_ACTIONS:
        encode_payment_actions(state, acts, row, size, actions)
        return options
    base = 0
    if shape == COUNTED_ACTIONS:
        base = common_base(state, size)
    for i in range(options):
        value = state[FIRST_OPTION + i]
        if value < 0:
            actions[i] = acts[row]
        elif shape == SEATED_ACTIONS:
            actions[i] = acts[row + 1 + (value - state[SEAT]) % state[PLAYERS]]
        elif shape == COUNTED_ACTIONS:
            actions[i] = acts[row + 1 + min(value - base, size)]
        else:
            actions[i] = acts[row + 1 + min(value, size - 1)]
    return options


def common_base(state: Sequence[int], step: int) -> int:
    """Return the least number on offer rounded down to a multiple of `step`; 0 if there is none."""
    least = -1
    for i in range(state[OPTIONS]):
        value = state[FIRST_OPTION + i]
        if value >= 0 and (least < 0 or value < least):
            least = value
    return least - least % step if least > 0 else 0


def encode_payment_actions(
    state: Sequence[int], acts: Sequence[int], row: int, size: int, actions: MutableSequence[int]
) -> None:
    """Write for each payment the action for the first field or shift in which payments differ."""
    options = state[OPTIONS]
    parts = size - 1
    part = 0
    least = 0
    differ = 0
    while part < parts and differ == 0:
        least = payment_count(state, acts, row, size, 0, part)
        for i in range(1, options):
            amount = payment_count(state, acts, row, size, i, part)
            if amount != least:
                differ = 1
                least = min(least, amount)
        if differ == 0:
            part += 1
    for i in range(options):
        actions[i] = acts[row + 1]
        floor = least
        later_part = part
        while later_part < parts:
            if payment_count(state, acts, row, size, i, later_part) > floor:
                actions[i] = acts[row + 2 + later_part]
                later_part = parts
            floor = 0
            later_part += 1


def payment_count(state: Sequence[int], acts: Sequence[int], row: int, size: int, option: int, part: int) -> int:
    """Return how many dice of field `part` a payment has; from the number of fields on, how often it uses a shift."""
    value = state[FIRST_OPTION + option]
    width = state[WIDTH]
    fields = state[FIELDS]
    if part < fields:
        return (value >> (part * width)) & ((1 << width) - 1)
    shifts = size - 1 - fields
    return acts[row + 1 + size + (value >> (width * fields)) * shifts + part - fields]


def may_share_actions(state: Sequence[int], acts: Sequence[int]) -> int:
    """Return 1 if several options of the question may share an action, so that it is answered step by step."""
    return 1 if state[SEAT] >= 0 and acts[ACTIONS_OF * state[QUESTION]] >= COUNTED_ACTIONS else 0


def narrow_options(state: MutableSequence[int], option: int, actions: Sequence[int]) -> int:
    """Keep only the options with the same action as `option`; return 0, unchanged, if that settles the answer.

    Args:
        state: The state.
        option: The index of the chosen option.
        actions: The action of each option.

    Returns:
        1 if several options remain. Otherwise 0; then nothing is changed, and the option is the answer.
    """
    options = state[OPTIONS]
    matches = 0
    for i in range(options):
        if actions[i] == actions[option]:
            matches += 1
    if matches == 1 or matches == options:
        return 0
    action = actions[option]
    kept = 0
    for i in range(options):
        if actions[i] == action:
            state[FIRST_OPTION + kept] = state[FIRST_OPTION + i]
            kept += 1
    state[OPTIONS] = kept
    return 1
