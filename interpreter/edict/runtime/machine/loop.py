"""The machine, one loop over integers.

`run` is plain Python over lists, and native code over rows of 64-bit integers by this same source; programs are
translated by specializing it for each instruction (`edict/runtime/native`). It therefore keeps to what all of these
understand: no containers but the three it is given (and a constant tuple), no exceptions, every value an integer. The
tests below are ordered by how often the operations run.
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence

from edict.runtime.program.opcodes import (
    ADD,
    AND,
    ANDN,
    ANSWER,
    ASK,
    ASKC,
    ASKING,
    BEST,
    BIT,
    CALL,
    CALLX,
    CHANCE,
    COUNT,
    DADD,
    DCOUNT,
    DFACES,
    DFIELDS,
    DIV,
    DIVISION,
    DONE,
    DPUT,
    DSUM,
    DTAKE,
    ENDLESS,
    ENTER,
    EV_CHOICE,
    EV_ENTER,
    EV_LEAVE,
    EV_SAY,
    EV_SET,
    EV_TERM,
    EVENT_SIZE,
    FACES,
    FAULT,
    FIELDS,
    FIRST_OPTION,
    GAME_OVER,
    GUARD,
    IDX,
    INSIDE,
    JEQ,
    JIN,
    JINX,
    JLE,
    JLT,
    JLTX,
    JMP,
    JNE,
    JNZ,
    JOUT,
    JOUTX,
    JZ,
    LDX,
    LDXX,
    LEAST,
    LEAVE,
    LOG_FULL,
    LOGGING,
    LOOP,
    LOOPN,
    LOW,
    MAX,
    MIN,
    MIN_OPTION_CAPACITY,
    MOD,
    MOST,
    MOV,
    MOV2,
    MUL,
    NEXT,
    NO_ANSWER,
    NOTHING_THERE,
    NTH,
    OFFER,
    OFFERS,
    OPTIONS,
    OR,
    OUT_OF_RANGE,
    OVER,
    PC,
    PUSHO,
    PUTX,
    QUESTION,
    RANGE,
    REACH,
    RESTORE,
    RESULT,
    RET,
    RETURNED,
    ROOM,
    RUNNING,
    SAVE,
    SAY,
    SEAT,
    SET,
    SIFT,
    SORT,
    SP,
    SPENT,
    STACK,
    STATUS,
    STX,
    STXX,
    SUB,
    TAB,
    TABX,
    TAKEN,
    TERM,
    TOO_BIG,
    TOO_DEEP,
    TOO_LONG,
    TOO_MANY,
    TOO_MANY_DICE,
    TOTAL,
    WAYS,
    WIDTH,
)

TOTALS = (1 << 62) - 1  # totals of dice that are tracked: 0 to 61
WIDE = 1 << 31  # factors stay below this, so that native integers never overflow
# Work is measured in numbers of code executed. A backward jump charges for the stretch it repeats, a return for its
# routine up to it, so single steps cost nothing; expensive instructions charge extra. Nothing is ever refunded, so
# code that a forward jump skips counts as well. See docs/decisions/058-work-counted.md.
BUDGET = 10_000_000  # work between two answers of players
LONGEST = 60_000_000  # work in a game
NOBODY = 15  # marks the end of an order
CALLING = 6  # work of a call besides the routine
EVENT = 200  # work of a state change, which somebody may record
ONE_LISTED = 3  # cells for one part of the dice
PUTTING = 3_000  # work of a question, which is drawn or thought about, and recorded
# The exponent of a power of 2 by its remainder modulo 67, unique for 2**0 to 2**65; -1 for 0.
MEMBER = (-1, *(next(i for i in range(66) if (1 << i) % 67 == rest) for rest in range(1, 67)))


def sum_dice(code: Sequence[int], dice: int, width: int, faces: int) -> int:
    """Return the sum of faces of dice packed in fields of `width` bits; field i has the face `code[faces + i]`."""
    total = 0
    while dice > 0:
        i = MEMBER[(dice & -dice) % 67] // width  # the first field in which dice are left
        n = (dice >> (width * i)) & ((1 << width) - 1)
        dice -= n << (width * i)
        total += n * code[faces + i]
    return total


def count_dice(dice: int, width: int) -> int:
    """Return the number of dice."""
    n = 0
    while dice > 0:
        n += dice & ((1 << width) - 1)
        dice >>= width
    return n


def filter_by_value(code: Sequence[int], members: int, base: int, wanted: int) -> int:
    """Return the members i of a set for which code[base + i] is in the set `wanted`."""
    matches = 0
    while members > 0:
        rest = members & (members - 1)
        i = code[base + MEMBER[(members ^ rest) % 67]]
        if 0 <= i < 62 and (wanted >> i) & 1:
            matches |= members ^ rest
        members = rest
    return matches


def filter_by_subset(code: Sequence[int], members: int, base: int, container: int) -> int:
    """Return the members i of a set for which code[base + i] is a subset of `container`."""
    matches = 0
    while members > 0:
        rest = members & (members - 1)
        if code[base + MEMBER[(members ^ rest) % 67]] & ~container == 0:
            matches |= members ^ rest
        members = rest
    return matches


def next_allowed_combination(code: Sequence[int], table: int, number: int, allowed: int) -> int:
    """Return the first combination, from `number` on, whose shifts all are in `allowed`, or the count."""
    while number < code[table] and code[table + 1 + 2 * number] & ~allowed != 0:
        number += 1
    return number


def fill_fields(fields: int, width: int) -> int:
    """Return a number with every bit set in each field (of `width` bits) of the set `fields`."""
    full = (1 << width) - 1
    dice = 0
    while fields > 0:
        dice |= full << (width * MEMBER[(fields & -fields) % 67])
        fields &= fields - 1
    return dice


def list_parts(code: Sequence[int], state: MutableSequence[int], free: int, dice: int, width: int, faces: int) -> int:
    """Write every part of the dice with its total from cell `free` on; return the dice for which there was no room.

    First their number, then each part with its total; parts that differ in the first fields come first.

    Returns:
        The dice of those fields for which there was no room.
    """
    full = (1 << width) - 1
    n = 1
    state[free + 1] = 0
    state[free + 2] = 0
    room = (len(state) - free - 1) >> 1
    fits = 1
    while dice > 0 and fits:
        i = MEMBER[(dice & -dice) % 67] // width
        dice_of_field = (dice >> (width * i)) & full
        fits = n * (dice_of_field + 1) <= room
        if fits:
            die = 1 << (width * i)
            face = code[faces + i]
            dice -= dice_of_field << (width * i)
            at = free + 1
            target = at + 2 * n
            end = target + 2 * n * dice_of_field
            n += n * dice_of_field
            while target < end:  # the same part with one die more
                state[target] = state[at] + die
                state[target + 1] = state[at + 1] + face
                at += 2
                target += 2
    state[free] = n
    return dice


def collect_totals(state: Sequence[int], free: int) -> int:
    """Return the totals of the parts listed at `free` as a set of bits; bit 62 stands for 62 and more."""
    totals = 0
    at = free + 2
    end = at + 2 * state[free]
    while at < end:
        totals |= 1 << (state[at] if state[at] < 62 else 62)
        at += 2
    return totals


def offer_parts(
    code: Sequence[int],
    state: MutableSequence[int],
    free: int,
    rest: int,
    goal: int,
    mine: int,
    least: int,
    width: int,
    faces: int,
    combination: int,
    count: int,
    most: int,
) -> int:
    """Offer every way to make `goal` from a listed part and dice of `rest`, and return the count of options so far.

    Each of the listed parts is combined with each part of the `rest`. At most `most` options are written.

    Returns:
        The number of options, even beyond `most`.
    """
    every = (1 << (width * state[FIELDS])) - 1
    bias = rest ^ every  # offset by which a field overflows exactly when all its dice are used
    mark = combination << (width * state[FIELDS])
    end = free + 1 + 2 * state[free]
    x = bias
    more = 1
    while more > 0:
        rest_part = x - bias
        missing = goal - sum_dice(code, rest_part, width, faces)
        at = free + 1
        while at < end:
            if state[at + 1] == missing:
                part = state[at] | rest_part
                if part > 0 and (least < 1 or part & mine) and (least < 2 or count_dice(part & mine, width) >= least):
                    if count < most:
                        state[FIRST_OPTION + count] = part | mark
                    count += 1
            at += 2
        more = every - x
        if more > 0:  # the carry goes to the next field, and the fields before start over
            x += 1
            x |= bias & ((1 << (MEMBER[(x & -x) % 67] // width * width)) - 1)
    return count


def run(code: Sequence[int], s: MutableSequence[int], log: MutableSequence[int]) -> int:
    """Run until a question, the end of the game or a fault.

    Args:
        code: The program's code.
        s: The state. After a question, s[ANSWER] is the index of the chosen option.
        log: The buffer for events; log[0] is how many numbers are in it.

    Returns:
        The status, which is also in s[STATUS]; a negative one is a fault.
    """
    pc = s[PC]
    spent = s[SPENT]
    if s[STATUS] == ASKING:
        value = s[FIRST_OPTION + s[ANSWER]]
        s[s[RESULT]] = value
        s[OPTIONS] = 0
        s[STATUS] = RUNNING
        if s[LOGGING] and log[0] + EVENT_SIZE < len(log):
            n = log[0]
            log[n + 1] = EV_CHOICE
            log[n + 2] = pc
            log[n + 3] = s[QUESTION]
            log[n + 4] = s[SEAT]
            log[n + 5] = value
            log[0] = n + EVENT_SIZE
    logging = s[LOGGING]
    status = RUNNING
    while True:
        op = code[pc]
        if op < JMP:
            if op < BIT:
                if op == LDX:
                    s[code[pc + 1]] = s[code[pc + 2] + s[code[pc + 3]]]
                    pc += 4
                elif op == MOV:
                    s[code[pc + 1]] = s[code[pc + 2]]
                    pc += 3
                elif op == MOV2:
                    s[code[pc + 1]] = s[code[pc + 2]]
                    s[code[pc + 3]] = s[code[pc + 4]]
                    pc += 5
                elif op == ADD:
                    a = s[code[pc + 2]] + s[code[pc + 3]]
                    if a > MOST or a < LEAST:
                        status = TOO_BIG
                        break
                    s[code[pc + 1]] = a
                    pc += 4
                elif op == TAB:
                    s[code[pc + 1]] = code[code[pc + 2] + s[code[pc + 3]]]
                    pc += 4
                elif op == SUB:
                    a = s[code[pc + 2]] - s[code[pc + 3]]
                    if a > MOST or a < LEAST:
                        status = TOO_BIG
                        break
                    s[code[pc + 1]] = a
                    pc += 4
                elif op == LDXX:
                    s[code[pc + 1]] = s[code[pc + 2] + s[code[pc + 3]] * code[pc + 4] + s[code[pc + 5]]]
                    pc += 6
                else:  # TABX
                    s[code[pc + 1]] = code[code[pc + 2] + s[code[pc + 3]] * code[pc + 4] + s[code[pc + 5]]]
                    pc += 6
            elif op < MUL:
                if op == BIT:
                    i = s[code[pc + 2]]
                    s[code[pc + 1]] = 1 << i if 0 <= i < 62 else 0
                    pc += 3
                else:
                    if op == OR:
                        s[code[pc + 1]] = s[code[pc + 2]] | s[code[pc + 3]]
                    elif op == AND:
                        s[code[pc + 1]] = s[code[pc + 2]] & s[code[pc + 3]]
                    else:  # ANDN
                        s[code[pc + 1]] = s[code[pc + 2]] & ~s[code[pc + 3]]
                    pc += 4
            elif op == IDX:
                a = s[code[pc + 2]]
                b = s[code[pc + 4]]
                if not (-WIDE < a < WIDE and -WIDE < b < WIDE):
                    status = TOO_BIG
                    break
                s[code[pc + 1]] = a * code[pc + 3] + b
                pc += 5
            elif op == COUNT:
                m = s[code[pc + 2]]
                s[code[pc + 1]] = m.bit_count() if m > 0 else 0
                pc += 3
            else:
                a = s[code[pc + 2]]
                b = s[code[pc + 3]]
                if op == MUL:
                    if not (-WIDE < a < WIDE and -WIDE < b < WIDE):
                        status = TOO_BIG
                        break
                    a = a * b
                elif op == MIN:
                    a = a if a < b else b
                elif op == MAX:
                    a = a if a > b else b
                elif b == 0:
                    status = DIVISION
                    break
                elif op == DIV:
                    a = a // b
                    if a > MOST:
                        status = TOO_BIG
                        break
                else:  # MOD
                    a = a % b
                s[code[pc + 1]] = a
                pc += 4
        elif op < CALL:
            at = pc
            if op < JIN:
                if op < JEQ:
                    if op == JMP:
                        pc = code[pc + 1]
                    elif op == JZ:
                        pc = code[pc + 2] if s[code[pc + 1]] == 0 else pc + 3
                    else:  # JNZ
                        pc = code[pc + 2] if s[code[pc + 1]] != 0 else pc + 3
                elif op == JEQ:
                    pc = code[pc + 3] if s[code[pc + 1]] == s[code[pc + 2]] else pc + 4
                elif op == JNE:
                    pc = code[pc + 3] if s[code[pc + 1]] != s[code[pc + 2]] else pc + 4
                elif op == JLT:
                    pc = code[pc + 3] if s[code[pc + 1]] < s[code[pc + 2]] else pc + 4
                elif op == JLE:
                    pc = code[pc + 3] if s[code[pc + 1]] <= s[code[pc + 2]] else pc + 4
                else:  # JLTX
                    pc = code[pc + 4] if s[code[pc + 1] + s[code[pc + 2]]] < s[code[pc + 3]] else pc + 5
            elif op < NEXT:
                i = s[code[pc + 1]]
                if op == JIN:
                    pc = code[pc + 3] if 0 <= i < 62 and (s[code[pc + 2]] >> i) & 1 else pc + 4
                elif op == JOUT:
                    pc = pc + 4 if 0 <= i < 62 and (s[code[pc + 2]] >> i) & 1 else code[pc + 3]
                else:
                    m = s[code[pc + 2] + s[code[pc + 3]]]
                    if op == JINX:
                        pc = code[pc + 4] if 0 <= i < 62 and (m >> i) & 1 else pc + 5
                    else:  # JOUTX
                        pc = pc + 5 if 0 <= i < 62 and (m >> i) & 1 else code[pc + 4]
            elif op == NEXT or op == LOOP:
                m = s[code[pc + 2]]
                if m > 0:
                    a = m & (m - 1)  # without its lowest member
                    s[code[pc + 2]] = a
                    s[code[pc + 1]] = MEMBER[(m ^ a) % 67]
                pc = code[pc + 3] if (m > 0) == (op == LOOP) else pc + 4
            else:  # NTH, LOOPN
                k = s[code[pc + 2]]
                order = (s[code[pc + 3]] | NOBODY << 60) >> (4 * k)
                m = s[code[pc + 4]] | 1 << NOBODY
                i = order & 15
                while (m >> i) & 1 == 0:
                    k += 1
                    order >>= 4
                    i = order & 15
                    spent += 4
                last = i == NOBODY
                if not last:
                    s[code[pc + 2]] = k + 1
                    s[code[pc + 1]] = i
                pc = code[pc + 5] if last == (op == NTH) else pc + 6
            if pc <= at:  # back
                spent += at + 2 - pc
                if spent > BUDGET:
                    status = ENDLESS
                    break
        elif op < SET:
            k = s[SP]
            if op == RET:
                spent += pc + 2 - code[pc + 1]
                if k == s[STACK]:
                    status = RETURNED
                    break
                k -= 1
                s[SP] = k
                pc = s[k]
            else:
                if k + 1 >= len(s):
                    status = TOO_DEEP
                    break
                spent += CALLING
                if spent > BUDGET:
                    status = ENDLESS
                    break
                if op == CALL:
                    n = pc + 2
                    i = code[pc + 1]
                else:  # CALLX
                    n = pc + 3
                    i = code[code[pc + 1] + s[code[pc + 2]]]
                s[k] = n
                s[SP] = k + 1
                pc = i
        elif op < OFFER:  # state changes, and events if logging is on
            if logging and log[0] + EVENT_SIZE >= len(log):
                status = LOG_FULL
                break
            spent += EVENT
            kind = 0
            x = code[pc + 1]
            y = 0
            z = 0
            size = 3
            if op == SAY:
                if logging:
                    y = s[code[pc + 2]]
                    kind = EV_SAY
            elif op == STX:
                x += s[code[pc + 2]]
                z = s[code[pc + 3]]
                if logging:
                    y = s[x]
                    kind = EV_SET if y != z else 0
                s[x] = z
                size = 4
            elif op == STXX:
                x += s[code[pc + 2]] * code[pc + 3] + s[code[pc + 4]]
                z = s[code[pc + 5]]
                if logging:
                    y = s[x]
                    kind = EV_SET if y != z else 0
                s[x] = z
                size = 6
            elif op == SET:
                z = s[code[pc + 2]]
                if logging:
                    y = s[x]
                    kind = EV_SET if y != z else 0
                s[x] = z
            elif op == TERM:
                if logging:
                    y = s[code[pc + 2]]
                    z = s[code[pc + 3]]
                    kind = EV_TERM if y != 0 else 0
                size = 4
            elif op == ENTER:
                s[x] += 1
                x = code[pc + 2]
                kind = EV_ENTER
            else:  # LEAVE
                s[x] -= 1
                x = code[pc + 2]
                kind = EV_LEAVE
            if logging and kind:
                n = log[0]
                log[n + 1] = kind
                log[n + 2] = pc
                log[n + 3] = x
                log[n + 4] = y
                log[n + 5] = z
                log[0] = n + EVENT_SIZE
            pc += size
        elif op < DSUM:
            if op == OFFER:
                n = s[OPTIONS]
                if n >= MIN_OPTION_CAPACITY + s[ROOM]:
                    status = TOO_MANY
                    break
                s[FIRST_OPTION + n] = s[code[pc + 1]]
                s[OPTIONS] = n + 1
                pc += 2
            elif op == OFFERS:
                m = s[code[pc + 1]]
                n = s[OPTIONS]
                k = MIN_OPTION_CAPACITY + s[ROOM]
                while m > 0 and n < k:
                    a = m & (m - 1)
                    s[FIRST_OPTION + n] = MEMBER[(m ^ a) % 67]
                    n += 1
                    m = a
                s[OPTIONS] = n
                if m > 0:
                    status = TOO_MANY
                    break
                pc += 2
            elif op == ASK or op == ASKC:
                question = code[pc + 1]
                target = code[pc + 2]
                seat = CHANCE
                size = 3
                if op == ASK:
                    seat = s[target]
                    target = code[pc + 3]
                    size = 4
                n = s[OPTIONS]
                if n > 1:
                    spent += PUTTING
                    if op == ASK:
                        n = s[TOTAL] + spent
                        if n > LONGEST:
                            status = TOO_LONG
                            break
                        s[TOTAL] = n
                        spent = 0
                    s[QUESTION] = question
                    s[SEAT] = seat
                    s[RESULT] = target
                    status = ASKING
                    pc += size
                    break
                if n == 0:
                    status = NO_ANSWER
                    break
                if logging:
                    if log[0] + EVENT_SIZE >= len(log):
                        status = LOG_FULL
                        break
                    n = log[0]
                    log[n + 1] = EV_CHOICE
                    log[n + 2] = pc
                    log[n + 3] = question
                    log[n + 4] = seat
                    log[n + 5] = s[FIRST_OPTION]
                    log[0] = n + EVENT_SIZE
                spent += EVENT
                s[target] = s[FIRST_OPTION]
                s[OPTIONS] = 0
                pc += size
            elif op == BEST:
                key = s[code[pc + 3]]
                i = s[code[pc + 4]]
                if s[code[pc + 1]] == 0 or key > s[code[pc + 2]]:
                    s[code[pc + 2]] = key
                    s[code[pc + 1]] = 1 << i
                elif key == s[code[pc + 2]]:
                    s[code[pc + 1]] |= 1 << i
                pc += 5
            elif op == SORT:  # insertion sort of four-bit members
                order = s[code[pc + 2]]
                base = code[pc + 3]
                k = 0
                i = order & 15
                while k < 15 and i != 15:
                    key = s[base + i]
                    j = k
                    while j > 0 and s[base + ((order >> (4 * (j - 1))) & 15)] > key:
                        before = (order >> (4 * (j - 1))) & 15
                        order = (order & ~(15 << (4 * j))) | (before << (4 * j))
                        j -= 1
                        spent += 4
                    order = (order & ~(15 << (4 * j))) | (i << (4 * j))
                    k += 1
                    i = (order >> (4 * k)) & 15
                s[code[pc + 1]] = order
                pc += 4
            elif op == PUSHO:
                k = 4 * s[code[pc + 3]]
                s[code[pc + 1]] = (s[code[pc + 1]] & ~(15 << k)) | (s[code[pc + 2]] << k)
                pc += 4
            elif op == SIFT or op == INSIDE:
                spent += 62  # at most 62 members
                if op == SIFT:
                    value = filter_by_value(code, s[code[pc + 2]], code[pc + 3], s[code[pc + 4]])
                else:
                    value = filter_by_subset(code, s[code[pc + 2]], code[pc + 3], s[code[pc + 4]])
                s[code[pc + 1]] = value
                pc += 5
            else:  # LOW
                m = s[code[pc + 2]]
                s[code[pc + 1]] = MEMBER[(m & -m) % 67]
                pc += 3
        elif op < REACH:
            width = s[WIDTH]
            full = (1 << width) - 1
            if op == DONE:
                s[code[pc + 1]] = 1 << (width * s[code[pc + 2]])
                pc += 3
            elif op == DADD:
                k = width * (code[pc + 3] + s[code[pc + 2]] - 1)
                if (s[code[pc + 1]] >> k) & full == full:
                    status = TOO_MANY_DICE
                    break
                s[code[pc + 1]] += 1 << k
                pc += 4
            elif op == DPUT or op == DTAKE:
                a = s[code[pc + 2]]
                b = s[code[pc + 3]]
                x = ((1 << (width * s[FIELDS])) - 1) // full << (width - 1)  # the highest bit of every field
                spent += s[FIELDS]
                if op == DPUT:
                    y = (a & ~x) + (b & ~x)
                    if ((a & b) | ((a | b) & y)) & x:  # majority of three: the field overflows
                        status = TOO_MANY_DICE
                        break
                else:
                    y = (a | x) - (b & ~x)
                    if ((~a & b) | (~(a ^ b) & ~y)) & x:
                        status = OUT_OF_RANGE
                        break
                s[code[pc + 1]] = a + b if op == DPUT else a - b
                pc += 4
            elif op == DSUM:
                spent += 2 * s[FIELDS]
                s[code[pc + 1]] = sum_dice(code, s[code[pc + 2]], width, s[FACES])
                pc += 3
            else:
                a = s[code[pc + 2]]
                faces = s[FACES]
                value = 0
                m = s[code[pc + 3]] if op == DCOUNT else 0
                while a > 0:
                    i = MEMBER[(a & -a) % 67] // width  # the first field in which dice are left
                    n = (a >> (width * i)) & full
                    a -= n << (width * i)
                    spent += 6
                    if op == DFACES:
                        value |= 1 << code[faces + i]
                    elif op == DFIELDS:
                        value |= 1 << i
                    elif (m >> i) & 1:  # DCOUNT
                        value += n
                s[code[pc + 1]] = value
                pc += 4 if op == DCOUNT else 3
        elif op == REACH:
            width = s[WIDTH]
            faces = s[FACES]
            own = s[code[pc + 3]]
            least = code[pc + 4]
            allowed = s[code[pc + 5]]
            table = code[pc + 6]
            none = 1  # totals with none, one, and more of the required dice
            one = 0
            more = 0
            a = s[code[pc + 2]]
            while a > 0:  # a die at a time
                i = MEMBER[(a & -a) % 67] // width
                a -= 1 << (width * i)
                face = code[faces + i]
                spent += 6
                if (own >> i) & 1:
                    more = more | (((more | one) << face) & TOTALS)
                    one = one | ((none << face) & TOTALS)
                else:
                    none = none | ((none << face) & TOTALS)
                    one = one | ((one << face) & TOTALS)
                    more = more | ((more << face) & TOTALS)
            reach = more
            if least < 2:
                reach |= one
            if least < 1:
                reach |= none & ~1
            combinations = code[table]
            spent += 6 * combinations
            m = 0
            k = next_allowed_combination(code, table, 0, allowed)
            while k < combinations:
                delta = code[table + 2 + 2 * k]
                if delta >= 0:
                    m |= (reach << delta) & TOTALS
                else:
                    m |= reach >> -delta
                k = next_allowed_combination(code, table, k + 1, allowed)
            s[code[pc + 1]] = m
            pc += 7
        elif op == WAYS:
            width = s[WIDTH]
            full = (1 << width) - 1
            faces = s[FACES]
            allowed = s[code[pc + 5]]
            table = code[pc + 6]
            free = s[SP]
            if free + ONE_LISTED > len(s):
                status = TOO_DEEP
                break
            rest = list_parts(code, s, free, s[code[pc + 2]], width, faces)
            parts = s[free]  # number of parts of the dice to examine
            a = rest
            while a > 0:
                i = MEMBER[(a & -a) % 67] // width
                n = (a >> (width * i)) & full
                a -= n << (width * i)
                parts *= n + 1
            mine = fill_fields(s[code[pc + 3]], width)
            most = MIN_OPTION_CAPACITY + s[ROOM]
            count = s[OPTIONS]
            combinations = code[table]
            spent += 6 * combinations
            totals = TOTALS  # skips most combinations where there are many, since their totals cannot be made
            if allowed > 0 and rest == 0:
                totals = collect_totals(s, free)
            k = next_allowed_combination(code, table, 0, allowed)
            while k < combinations:
                goal = s[code[pc + 1]] - code[table + 2 + 2 * k]
                spent += 6 * parts
                if spent > BUDGET:
                    status = ENDLESS
                    break
                if 0 <= goal < 62 and (totals >> goal) & 1:
                    count = offer_parts(code, s, free, rest, goal, mine, code[pc + 4], width, faces, k, count, most)
                if count > most:
                    count = most
                    status = TOO_MANY
                    break
                k = next_allowed_combination(code, table, k + 1, allowed)
            s[OPTIONS] = count
            if status != RUNNING:
                break
            pc += 7
        elif op == TAKEN:
            k = s[WIDTH] * s[FIELDS]
            a = s[code[pc + 2]]
            s[code[pc + 1]] = a & ((1 << k) - 1)
            s[code[pc + 3]] = a >> k
            pc += 4
        elif op == RANGE:
            if not s[code[pc + 2]] <= s[code[pc + 1]] <= s[code[pc + 3]]:
                status = OUT_OF_RANGE
                break
            pc += 4
        elif op == GUARD:
            if s[code[pc + 1]] < 0:
                status = NOTHING_THERE
                break
            pc += 3
        elif op == PUTX:
            s[code[pc + 1] + s[code[pc + 2]]] = s[code[pc + 3]]
            pc += 4
        elif op == SAVE:
            n = code[pc + 2]
            if s[SP] + n >= len(s):
                status = TOO_DEEP
                break
            for i in range(n):
                s[s[SP] + i] = s[code[pc + 1] + i]
            s[SP] += n
            spent += 2 * n
            pc += 3
        elif op == RESTORE:
            n = code[pc + 2]
            s[SP] -= n
            for i in range(n):
                s[code[pc + 1] + i] = s[s[SP] + i]
            spent += 2 * n
            pc += 3
        elif op == OVER:
            status = GAME_OVER
            break
        else:  # FAULT
            status = code[pc + 1]
            break
    s[PC] = pc
    s[SPENT] = spent
    s[STATUS] = status
    return status
