"""The machine's instructions and the fixed cells of its state.

An instruction is its opcode followed by its operands in one flat array of integers. Operands are addresses in the
state (`d` is written; `a b c i` are read) unless named otherwise: `t` is a place in the code, `base` the start of a
table or row of cells, `n` a plain number. Constants have cells of their own, so one addressing mode is enough.

Every value is one integer: numbers, truths (0, 1), things and players (their index, -1 for none), sets (a bit a
member), orders (four bits a member, the first lowest) and dice (a count for each kind and face). Larger sets, orders
and dice take several cells, which the code handles one by one (`program.cell_values`).
"""

from __future__ import annotations

# --- the largest and smallest number, and the members that fit into a cell
MOST, LEAST = (1 << 62) - 1, -(1 << 62)
BITS = 62

# --- values
(MOV, MOV2, ADD, SUB, LDX, TAB, LDXX, TABX, BIT, OR, AND, ANDN, MUL, DIV, MOD, MIN, MAX, IDX, COUNT) = range(19)
# --- jumps
(JMP, JZ, JNZ, JEQ, JNE, JLT, JLE, JLTX, JIN, JOUT, JINX, JOUTX, NEXT, LOOP, NTH, LOOPN) = range(19, 35)
(CALL, RET, CALLX) = range(35, 38)
# --- changes of the state that are events
(SET, STX, STXX, TERM, ENTER, LEAVE, SAY) = range(38, 45)
# --- choices
(OFFER, OFFERS, ASK, ASKC, BEST, SORT, PUSHO, SIFT, INSIDE, LOW) = range(45, 55)
# --- dice
(DSUM, DCOUNT, DFACES, DFIELDS, DONE, DADD, DPUT, DTAKE, REACH, WAYS, TAKEN) = range(55, 66)
# --- checks, the stack, ends
(GUARD, RANGE, PUTX, SAVE, RESTORE, OVER, FAULT) = range(66, 73)

NAMES = (
    "MOV MOV2 ADD SUB LDX TAB LDXX TABX BIT OR AND ANDN MUL DIV MOD MIN MAX IDX COUNT "
    "JMP JZ JNZ JEQ JNE JLT JLE JLTX JIN JOUT JINX JOUTX NEXT LOOP NTH LOOPN CALL RET CALLX "
    "SET STX STXX TERM ENTER LEAVE SAY OFFER OFFERS ASK ASKC BEST SORT PUSHO SIFT INSIDE LOW "
    "DSUM DCOUNT DFACES DFIELDS DONE DADD DPUT DTAKE REACH WAYS TAKEN "
    "GUARD RANGE PUTX SAVE RESTORE OVER FAULT"
).split()

OPERANDS: dict[int, str] = {
    MOV: "d a",  # d = a
    MOV2: "d a d b",  # first d = a, then the other d = b
    ADD: "d a b",
    SUB: "d a b",
    LDX: "d base i",  # d = state[base + i]
    TAB: "d base i",  # d = code[base + i]
    LDXX: "d base i n a",  # d = state[base + i * n + a]
    TABX: "d base i n a",  # d = code[base + i * n + a]
    BIT: "d i",  # d = the set of i alone
    OR: "d a b",
    AND: "d a b",
    ANDN: "d a b",  # a without b
    MUL: "d a b",
    DIV: "d a b",  # rounded down; by zero is a fault
    MOD: "d a b",
    MIN: "d a b",
    MAX: "d a b",
    IDX: "d a n b",  # d = a * n + b
    COUNT: "d a",  # members of a set
    JMP: "t",
    JZ: "a t",
    JNZ: "a t",
    JEQ: "a b t",
    JNE: "a b t",
    JLT: "a b t",
    JLE: "a b t",
    JLTX: "base i a t",  # jump if state[base + i] < a
    JIN: "i a t",  # jump if i is in the set a (none is in no set)
    JOUT: "i a t",
    JINX: "a base i t",  # jump if a is in the set state[base + i]
    JOUTX: "a base i t",
    NEXT: "i a t",  # take the lowest member out of a into i; jump if there is none
    NTH: "i d a b t",  # i = the next member, from place d on, of the order a that is in the set b; jump if none
    LOOP: "i a t",  # like NEXT, but jump (back to the loop body) if there is one
    LOOPN: "i d a b t",  # likewise for NTH
    CALL: "t",
    RET: "t",  # t: the start of its routine, which bounds the work since the call
    CALLX: "base i",  # call code[base + i]
    SET: "d a",
    STX: "base i a",  # state[base + i] = a
    STXX: "base i n a b",  # state[base + i * n + a] = b
    TERM: "n a b",  # an adjustment: quantity n, amount a, for player b (an event only)
    ENTER: "d n",  # phase n begins; d is its cell
    LEAVE: "d n",
    SAY: "n a",  # a part of an announcement: part n, value a
    OFFER: "a",  # one more option for the next question
    OFFERS: "a",  # the members of a set as options
    ASK: "n a d",  # question n to player a, answer into d
    ASKC: "n d",  # question n to chance
    BEST: "a b c i",  # keep in set a the members i with the greatest key c so far (b: that key)
    SORT: "d a base",  # d = order a arranged by state[base + member], lowest first, ties as they were
    PUSHO: "d i a",  # order d with i as its member number a
    SIFT: "d a base b",  # d = the members i of set a whose code[base + i] is in set b
    INSIDE: "d a base b",  # d = the members i of set a whose code[base + i] is a subset of b
    LOW: "d a",  # lowest member of a set, or none
    DSUM: "d a",  # total of dice
    DCOUNT: "d a b",  # how many of the dice a are in the fields of set b
    DFACES: "d a",  # the set of faces
    DFIELDS: "d a",  # the set of fields that hold a die
    DONE: "d i",  # one die, of field i
    DADD: "d i n",  # d with one more die: field n + i - 1
    DPUT: "d a b",  # dice a and b together
    DTAKE: "d a b",  # dice a without dice b; a fault if some are missing
    REACH: "d a b n i t",  # totals of dice from a, at least n of them of fields b; i: allowed shifts of table t
    WAYS: "d a b n i t",  # offer every way to make total d likewise
    TAKEN: "d a b",  # split the payment a: its dice into d, its combination of shifts into b
    GUARD: "i n",  # fault n if i is none
    RANGE: "a b c",  # a fault unless b <= a <= c
    PUTX: "base i a",  # state[base + i] = a, no event
    SAVE: "base n",  # put n cells on the stack
    RESTORE: "base n",
    OVER: "",
    FAULT: "n",
}

SIZE = [1 + len(OPERANDS[op].split()) for op in range(len(NAMES))]
# stores into a row by index: first operand the start of the row, last operand the value
ROW_STORES = frozenset((STX, STXX))

# --- fixed cells of the state
(
    PC,
    SP,
    STATUS,
    QUESTION,
    SEAT,
    OPTIONS,
    ANSWER,
    RESULT,
    PLAYERS,
    EVERYONE,
    YOU,
    LOGGING,
    WINNERS,
    WIDTH,
    FACES,
    FIELDS,
    STACK,
    SCRATCH,
    SPENT,
    TOTAL,
    ROOM,
) = range(21)
FIRST_OPTION = 21
MIN_OPTION_CAPACITY = 235  # options there is always room for; cell ROOM has the number of further ones
HEADER = FIRST_OPTION + MIN_OPTION_CAPACITY  # size of the header without such further options

# --- status when the machine returns
RUNNING, ASKING, GAME_OVER, LOG_FULL, RETURNED = range(5)
FAULTS = {
    -1: "divided by zero",
    -2: "used something that is not there (none)",
    -3: "would run for ever, or far too long",
    -4: "nested too deeply",
    -5: "offered more choices than there is room for",
    -6: "asked a question that has no answer",
    -7: "more dice of one face than can be counted",
    -8: "left the range it was declared with",
    -9: "reached a number that is too large",
    -10: "asked question after question, and the game did not end",
}
(DIVISION, NOTHING_THERE, ENDLESS, TOO_DEEP, TOO_MANY, NO_ANSWER, TOO_MANY_DICE, OUT_OF_RANGE, TOO_BIG, TOO_LONG) = (
    range(-1, -11, -1)
)

ENDLESS_FAULTS = (ENDLESS, TOO_LONG)  # faults of games that would not end

CHANCE = -1
DECLINE = -1

# --- events: (kind, place in the code, three numbers)
(EV_SET, EV_CHOICE, EV_ENTER, EV_LEAVE, EV_SAY, EV_TERM) = range(1, 7)
EVENT_SIZE = 5

# --- values of cell SCRATCH, for the log: the change of a value in several cells ends (0 or 1); what follows runs for
# --- a secret, or for a card, until revoked; simultaneous questions begin and end; the next write is to a secret, by
# --- its first cell
(HUSHED, HEARD, CALLED, BACK, TOGETHER, APART) = range(2, 8)
