"""The machine, instruction by instruction, in small programs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import combinations, product

import pytest

from edict.runtime.machine.loop import BUDGET, MEMBER, run
from edict.runtime.program import opcodes as o

FIRST = o.HEADER
A, B, C, D, E, F, G, H = range(FIRST, FIRST + 8)
STACK = FIRST + 40
END = STACK + 6  # room for six cells on the stack
NOBODY = (1 << 60) - 1  # an order without members


def pack_order(*members: int) -> int:
    """Return an order as the machine stores it, four bits a member, 15 after the last."""
    packed = NOBODY
    for place, member in enumerate(members):
        packed = packed & ~(15 << 4 * place) | member << 4 * place
    return packed


def create_state(**cells: int) -> list[int]:
    """Return a state with values in the cells A to H and a small rest of the budget."""
    state = [0] * END
    state[o.SPENT] = BUDGET - 10_000
    state[o.SP] = state[o.STACK] = STACK
    for name, value in cells.items():
        state[FIRST + "abcdefgh".index(name)] = value
    return state


def run_code(code: Sequence[int], log: list[int] | None = None, **cells: int) -> list[int]:
    state = create_state(**cells)
    if log is not None:
        state[o.LOGGING] = 1
    run(tuple(code), state, [0] if log is None else log)
    return state


def list_events(log: list[int]) -> list[tuple[int, ...]]:
    return [tuple(log[i : i + o.EVENT_SIZE]) for i in range(1, log[0] + 1, o.EVENT_SIZE)]


# --- values ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("op", "b", "c", "result"),
    [
        (o.ADD, 2, 3, 5),
        (o.SUB, 2, 3, -1),
        (o.MUL, -4, 3, -12),
        (o.DIV, 7, 2, 3),
        (o.DIV, -7, 2, -4),  # rounded down, not towards 0
        (o.MOD, 7, 3, 1),
        (o.MOD, -1, 3, 2),
        (o.MIN, 4, -4, -4),
        (o.MAX, 4, -4, 4),
        (o.OR, 0b0110, 0b0011, 0b0111),
        (o.AND, 0b0110, 0b0011, 0b0010),
        (o.ANDN, 0b0110, 0b0011, 0b0100),
    ],
)
def test_binary_instructions_compute_from_two_values(op: int, b: int, c: int, result: int) -> None:
    state = run_code((op, A, B, C, o.OVER), b=b, c=c)
    assert state[A:D] == [result, b, c]
    assert state[o.STATUS] == o.GAME_OVER
    assert run_code((op, B, B, C, o.OVER), b=b, c=c)[B] == result, "the result may stand where an operand stood"


@pytest.mark.parametrize(
    ("op", "b", "result"),
    [
        (o.MOV, -5, -5),
        (o.BIT, 3, 8),
        (o.BIT, 61, 1 << 61),
        (o.BIT, -1, 0),  # none is the empty set
        (o.BIT, 62, 0),
        (o.COUNT, 0b101101, 4),
        (o.COUNT, 0, 0),
        (o.LOW, 0b101000, 3),
        (o.LOW, 1 << 61, 61),
        (o.LOW, 0, -1),
    ],
)
def test_unary_instructions_compute_from_one_value(op: int, b: int, result: int) -> None:
    assert run_code((op, A, B, o.OVER), b=b)[A] == result


def test_lowest_member_is_found_for_every_bit() -> None:
    assert [MEMBER[(1 << i) % 67] for i in range(62)] == list(range(62))


def test_indexed_loads_read_cells_and_tables() -> None:
    state = run_code((o.LDX, A, C, B, o.IDX, B, B, 5, E, o.OVER), b=2, e=7)
    assert (state[A], state[B]) == (7, 17)
    code = (o.TAB, A, 9, B, o.PUTX, C, A, B, o.OVER, 10, 1, 30)
    state = run_code(code, b=1)
    assert (state[A], state[C + 1]) == (1, 1)


def test_two_dimensional_loads_read_cells_and_tables() -> None:
    state = run_code((o.LDXX, A, C, B, 3, D, o.OVER), b=1, d=0, f=7)
    assert state[A] == 7
    state = run_code((o.TABX, A, 7, B, 2, C, o.OVER, 1, 2, 30), b=1, c=0)
    assert state[A] == 30


def test_mov2_copies_in_sequence() -> None:
    assert run_code((o.MOV2, A, B, C, A, o.OVER), a=1, b=2, c=3)[A:D] == [2, 2, 2]


def test_sift_keeps_members_whose_entry_is_in_the_set() -> None:
    table = (4, 5, -1, 5, 99)
    assert run_code((o.SIFT, A, B, 6, C, o.OVER, *table), b=0b11111, c=1 << 5)[A] == 0b01010
    assert run_code((o.SIFT, A, B, 6, C, o.OVER, *table), b=0b11101, c=(1 << 62) - 1)[A] == 0b01001
    assert run_code((o.SIFT, A, B, 6, C, o.OVER, *table), b=0, c=-1)[A] == 0


def test_inside_keeps_members_whose_entry_is_a_subset() -> None:
    table = (0b000, 0b001, 0b011, 0b100, 0b111)
    assert run_code((o.INSIDE, A, B, 6, C, o.OVER, *table), b=0b11111, c=0b011)[A] == 0b00111
    assert run_code((o.INSIDE, A, B, 6, C, o.OVER, *table), b=0b11000, c=0b111)[A] == 0b11000
    assert run_code((o.INSIDE, A, B, 6, C, o.OVER, *table), b=0b11111, c=0)[A] == 0b00001


# --- jumps ----------------------------------------------------------------------------------


def does_jump(op: int, *operands: int, **cells: int) -> bool:
    size = o.SIZE[op]
    code = (op, *operands, size + 4, o.SUB, H, H, G, o.OVER)
    return run_code(code, None, g=1, **cells)[H] == 0


@pytest.mark.parametrize(
    ("op", "b", "c", "jumping"),
    [
        (o.JEQ, 1, 1, True),
        (o.JEQ, 1, 2, False),
        (o.JNE, 1, 1, False),
        (o.JNE, 1, 2, True),
        (o.JLT, 1, 2, True),
        (o.JLT, 2, 2, False),
        (o.JLE, 2, 2, True),
        (o.JLE, 3, 2, False),
        (o.JIN, 1, 2, True),
        (o.JIN, 0, 2, False),
        (o.JIN, -1, -1, False),
        (o.JIN, 62, -1, False),
        (o.JOUT, 1, 2, False),
        (o.JOUT, 0, 2, True),
        (o.JOUT, -1, -1, True),
        (o.JOUT, 62, -1, True),
    ],
)
def test_conditional_jumps_compare_operands(op: int, b: int, c: int, jumping: bool) -> None:
    assert does_jump(op, B, C, b=b, c=c) is jumping


@pytest.mark.parametrize(
    ("op", "value", "looked_up", "jumping"),
    [
        (o.JINX, 1, 2, True),
        (o.JINX, 0, 2, False),
        (o.JINX, -1, -1, False),
        (o.JINX, 62, -1, False),
        (o.JOUTX, 1, 2, False),
        (o.JOUTX, 0, 2, True),
        (o.JOUTX, -1, -1, True),
        (o.JOUTX, 62, -1, True),
        (o.JLTX, 3, 2, True),
        (o.JLTX, 2, 2, False),
        (o.JLTX, 1, 2, False),
    ],
)
def test_conditional_jumps_compare_indexed_cells(op: int, value: int, looked_up: int, jumping: bool) -> None:
    """Cell E is the cell at offset D after C."""
    operands = (C, D, B) if op == o.JLTX else (B, C, D)
    assert does_jump(op, *operands, b=value, d=2, e=looked_up) is jumping


def test_zero_tests_and_unconditional_jump() -> None:
    assert does_jump(o.JMP)
    assert does_jump(o.JZ, B, b=0) and not does_jump(o.JZ, B, b=-1)
    assert does_jump(o.JNZ, B, b=-1) and not does_jump(o.JNZ, B, b=0)


def test_next_takes_the_lowest_member_first() -> None:
    code = (o.NEXT, A, B, 11, o.IDX, C, C, 100, A, o.JMP, 0, o.OVER)
    state = run_code(code, b=1 << 61 | 0b10010)
    assert (state[B], state[C]) == (0, 10461)


def test_nth_skips_members_outside_the_set() -> None:
    code = (o.NTH, A, B, C, D, 13, o.IDX, E, E, 10, A, o.JMP, 0, o.OVER)
    state = run_code(code, c=pack_order(3, 1, 4, 2), d=0b10110)
    assert (state[B], state[E]) == (4, 142)
    assert run_code(code, c=NOBODY, d=-1)[E] == 0


def test_loop_instructions_jump_back_while_members_remain() -> None:
    code: tuple[int, ...] = (o.NEXT, A, B, 13, o.IDX, C, C, 100, A, o.LOOP, A, B, 4, o.OVER)
    state = run_code(code, b=1 << 61 | 0b10010)
    assert (state[B], state[C]) == (0, 10461)
    code = (o.NTH, A, B, C, D, 17, o.IDX, E, E, 10, A, o.LOOPN, A, B, C, D, 6, o.OVER)
    state = run_code(code, c=pack_order(3, 1, 4, 2), d=0b10110)
    assert (state[B], state[E]) == (4, 142)
    assert run_code(code, c=NOBODY, d=-1)[E] == 0


def test_endless_member_loop_is_a_fault(subtests: pytest.Subtests) -> None:
    for code in ((o.MOV, B, C, o.LOOP, A, B, 0), (o.MOV, B, D, o.LOOPN, A, B, C, C, 0)):
        with subtests.test(code=code):
            assert run_code((*code, o.OVER), c=1, d=0)[o.STATUS] == o.ENDLESS


def test_call_returns_to_the_next_instruction() -> None:
    code = (o.CALL, 6, o.CALLX, 12, B, o.OVER, o.ADD, A, A, C, o.RET, 6, 6, 14, o.MUL, A, A, D, o.RET, 14)
    state = run_code(code, b=1, c=5, d=3)
    assert (state[A], state[o.SP], state[o.STATUS]) == (15, STACK, o.GAME_OVER)


def test_return_with_empty_stack_stops_the_machine() -> None:
    assert run_code((o.RET, 0))[o.STATUS] == o.RETURNED


def test_save_and_restore_use_the_stack() -> None:
    state = run_code((o.SAVE, A, 2, o.MOV, A, C, o.MOV, B, C, o.RESTORE, A, 2, o.OVER), a=1, b=2, c=9)
    assert (state[A], state[B], state[o.SP]) == (1, 2, STACK)


# --- events ---------------------------------------------------------------------------------


def test_change_event_contains_the_previous_value() -> None:
    log = [0] * 64
    state = run_code((o.SET, A, B, o.STX, C, D, B, o.SET, A, B, o.OVER), log, a=1, b=7, d=2)
    assert (state[A], state[E]) == (7, 7)
    assert list_events(log) == [(o.EV_SET, 0, A, 1, 7), (o.EV_SET, 3, E, 0, 7)], "what changes nothing is no event"


def test_two_dimensional_store_emits_an_event() -> None:
    log = [0] * 64
    state = run_code((o.STXX, A, B, 3, C, D, o.OVER), log, b=1, c=2, d=7)
    assert state[F] == 7
    assert list_events(log) == [(o.EV_SET, 0, F, 0, 7)]


@pytest.mark.parametrize("op", [o.SET, *sorted(o.ROW_STORES)])
def test_stored_value_is_the_last_operand_of_stores(op: int) -> None:
    """Check an invariant that code analysis relies on to find where a value comes from."""
    code = (op, B, *[A] * (o.SIZE[op] - 3), G, o.OVER)
    assert o.OPERANDS[op].split()[-1] in "ab"
    assert run_code(code, g=7)[B] == 7


def test_terms_phases_and_announcements_emit_events() -> None:
    log = [0] * 64
    code = (o.ENTER, A, 3, o.TERM, 4, B, C, o.TERM, 4, D, C, o.SAY, 6, B, o.LEAVE, A, 3, o.OVER)
    state = run_code(code, log, b=2, c=1)
    assert state[A] == 0
    assert list_events(log) == [
        (o.EV_ENTER, 0, 3, 0, 0),
        (o.EV_TERM, 3, 4, 2, 1),
        (o.EV_SAY, 11, 6, 2, 0),
        (o.EV_LEAVE, 14, 3, 0, 0),
    ]


def test_without_logging_state_is_equal_and_no_event_is_emitted() -> None:
    code = (o.ENTER, A, 3, o.SET, B, C, o.STX, D, E, C, o.TERM, 4, C, C, o.SAY, 6, C, o.OVER)
    log = [0] * 64
    told, silent = run_code(code, log, c=5), run_code(code, c=5)
    told[o.LOGGING] = 0
    assert told == silent and len(list_events(log)) == 5


def test_machine_continues_after_a_full_log_is_emptied() -> None:
    code = (o.SET, A, B, o.SET, C, B, o.SET, D, B, o.OVER)
    state, log, told = create_state(b=1), [0] * 11, []
    state[o.LOGGING] = 1
    while run(code, state, log) == o.LOG_FULL:
        told += list_events(log)
        log[0] = 0
    assert [e[2] for e in told + list_events(log)] == [A, C, D]


# --- choices --------------------------------------------------------------------------------


ASKS = (o.OFFERS, B, o.OFFER, C, o.ASK, 5, D, A, o.ADD, E, A, D, o.OVER)


def test_question_stops_the_machine_until_answered() -> None:
    state = run_code(ASKS, b=0b1010, c=-1, d=2)
    assert state[o.STATUS] == o.ASKING
    assert (state[o.QUESTION], state[o.SEAT], state[o.OPTIONS]) == (5, 2, 3)
    assert state[o.FIRST_OPTION : o.FIRST_OPTION + 3] == [1, 3, -1]
    state[o.ANSWER] = 1
    assert run(ASKS, state, [0]) == o.GAME_OVER
    assert (state[A], state[E], state[o.OPTIONS]) == (3, 5, 0)


def test_state_at_a_question_can_be_copied_and_serialized(subtests: pytest.Subtests) -> None:
    asked = run_code(ASKS, b=0b1010, c=-1, d=2)
    for answer, chosen in enumerate((1, 3, -1)):
        with subtests.test(chosen=chosen):
            ends = []
            for state in (asked.copy(), json.loads(json.dumps(asked))):
                state[o.ANSWER] = answer
                run(ASKS, state, [0])
                ends.append(state)
            assert ends[0] == ends[1] and ends[0][A] == chosen


def test_chance_is_asked_as_a_seat() -> None:
    state = run_code((o.OFFERS, B, o.ASKC, 4, A, o.OVER), b=0b11)
    assert (state[o.STATUS], state[o.SEAT], state[o.QUESTION]) == (o.ASKING, o.CHANCE, 4)


def test_single_option_is_taken_without_asking_and_emitted() -> None:
    log = [0] * 64
    state = run_code((o.OFFER, B, o.ASK, 5, C, A, o.OVER), log, b=9, c=1)
    assert (state[o.STATUS], state[A], state[o.OPTIONS]) == (o.GAME_OVER, 9, 0)
    assert list_events(log) == [(o.EV_CHOICE, 2, 5, 1, 9)]


def test_answer_emits_an_event() -> None:
    state, log = create_state(b=0b11, d=1), [0] * 64
    state[o.LOGGING] = 1
    code = (o.OFFERS, B, o.ASK, 5, D, A, o.OVER)
    run(code, state, log)
    state[o.ANSWER] = 1
    run(code, state, log)
    assert list_events(log) == [(o.EV_CHOICE, 6, 5, 1, 1)]


def test_best_keeps_members_with_the_greatest_key() -> None:
    code = (o.NEXT, A, B, 15, o.LDX, C, F, A, o.BEST, D, E, C, A, o.JMP, 0, o.OVER)
    state = run_code(code, b=0b111, f=-4, g=-2, h=-2)
    assert (state[D], state[E]) == (0b110, -2)


def test_sort_is_stable() -> None:
    state = run_code((o.SORT, A, B, C, o.OVER), b=pack_order(3, 0, 2, 1), c=5, d=2, e=5, f=2)
    assert state[A] == pack_order(3, 1, 0, 2)


def test_pusho_appends_a_member() -> None:
    code = (o.PUSHO, A, B, C, o.PUSHO, A, D, E, o.OVER)
    assert run_code(code, a=NOBODY, b=3, c=0, d=1, e=1)[A] == pack_order(3, 1)


# --- dice: six white, six black faces, four bits a field ------------------------------------------


def pack_dice(*faces: int) -> int:
    """Return packed dice, white ones as 1 to 6, black ones as 7 to 12."""
    return sum(1 << 4 * (face - 1) for face in faces)


def run_with_dice(code: Sequence[int], *, width: int = 4, **cells: int) -> list[int]:
    """Run code with the table of the fields' faces after it."""
    state = create_state(**cells)
    state[o.WIDTH], state[o.FIELDS], state[o.FACES] = width, 12, len(code)
    run((*code, 1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6, 0), state, [0])
    return state


def test_dice_instructions_count_and_sum() -> None:
    pool = pack_dice(2, 2, 6, 7)
    code = (
        o.DSUM,
        A,
        B,
        o.DFACES,
        C,
        B,
        o.DFIELDS,
        D,
        B,
        o.DCOUNT,
        E,
        B,
        F,
        o.OVER,
    )
    state = run_with_dice(code, b=pool, f=(1 << 6) - 1)
    assert state[A] == 2 + 2 + 6 + 1
    assert state[C] == 1 << 2 | 1 << 6 | 1 << 1
    assert state[D] == 1 << 1 | 1 << 5 | 1 << 6
    assert state[E] == 3


def test_dice_are_added_and_removed() -> None:
    code = (o.DPUT, A, B, C, o.DTAKE, D, A, C, o.DADD, D, E, 6, o.DONE, F, E, o.OVER)
    state = run_with_dice(code, b=pack_dice(1, 5), c=pack_dice(5, 12), e=3)
    assert state[A] == pack_dice(1, 5, 5, 12)
    assert state[D] == pack_dice(1, 5, 9)
    assert state[F] == pack_dice(4)


SHIFTS = (3, 0, 0, 1, 2, 2, -1)  # none; the first: +2; the second: -1


def compute_reach(pool: int, own: int, least: int, allowed: int) -> set[int]:
    code = (o.REACH, A, B, C, least, D, 8, o.OVER, *SHIFTS)
    totals = run_with_dice(code, b=pool, c=own, d=allowed)[A]
    return {i for i in range(62) if totals >> i & 1}


def test_reach_finds_all_possible_totals() -> None:
    white = (1 << 6) - 1
    assert compute_reach(pack_dice(2, 3), white, 0, 0) == {2, 3, 5}
    assert compute_reach(pack_dice(2, 7 + 5), white, 1, 0) == {2, 8}, "one white die must be among them"
    assert compute_reach(pack_dice(2, 3, 12), white, 2, 0) == {5, 11}
    assert compute_reach(pack_dice(12), white, 1, 0) == set()
    assert compute_reach(pack_dice(2, 3), white, 1, 0b11) == {2, 3, 5, 4, 7, 1}


def test_ways_offers_all_payments_of_a_total() -> None:
    code = (o.WAYS, A, B, C, 1, D, 17, o.ASK, 3, E, F, o.TAKEN, G, F, H, o.OVER, 0, *SHIFTS)
    white = (1 << 6) - 1
    state = run_with_dice(code, a=5, b=pack_dice(2, 3, 3, 11), c=white, d=0b11)
    shown = state[o.FIRST_OPTION : o.FIRST_OPTION + state[o.OPTIONS]]
    ways = {(way & (1 << 48) - 1, way >> 48) for way in shown}
    assert ways == {(pack_dice(2, 3), 0), (pack_dice(3), 1), (pack_dice(3, 3), 2)}
    assert len(shown) == len(ways)
    state[o.ANSWER] = shown.index(pack_dice(3) | 1 << 48)
    faces = (1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6, 0)
    run((*code, *faces), state, [0])
    assert (state[G], state[H], state[o.STATUS]) == (pack_dice(3), 1, o.GAME_OVER)


@pytest.mark.parametrize(("room", "least"), [*product((3, 6, 11, 200), (0, 1, 2))])
def test_ways_are_equal_for_any_free_stack_size(room: int, least: int) -> None:
    """Parts of the dice are cached on the stack; those without room are computed again."""
    pool, white = (2, 3, 3, 8, 11), (1 << 6) - 1
    code = (o.WAYS, A, B, C, least, D, 9, o.OVER, 0, 1, 0, 0)
    state = [*create_state(a=5, b=pack_dice(*pool), c=white, d=0)[:STACK], *[0] * room]
    state[o.WIDTH], state[o.FIELDS], state[o.FACES] = 4, 12, len(code)
    run((*code, 1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6, 0), state, [0])
    some = {part for size in range(1, len(pool) + 1) for part in combinations(pool, size)}
    fits = {part for part in some if sum((die - 1) % 6 + 1 for die in part) == 5 and sum(d <= 6 for d in part) >= least}
    shown = state[o.FIRST_OPTION : o.FIRST_OPTION + state[o.OPTIONS]]
    assert (state[o.STATUS], shown) == (o.GAME_OVER, sorted(pack_dice(*part) for part in fits))


def test_ways_without_free_stack_is_a_fault() -> None:
    code = (o.WAYS, A, B, C, 0, D, 9, o.OVER, 0, 1, 0, 0)
    state = [*create_state(a=5, b=pack_dice(5))[:STACK], 0, 0]
    state[o.WIDTH], state[o.FIELDS], state[o.FACES] = 4, 12, len(code)
    assert run((*code, *range(1, 7), *range(1, 7), 0), state, [0]) == o.TOO_DEEP


# --- faults ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ((o.DIV, A, B, C, o.OVER), o.DIVISION),
        ((o.MOD, A, B, C, o.OVER), o.DIVISION),
        ((o.JMP, 0), o.ENDLESS),
        ((o.ADD, A, A, B, o.JMP, 0), o.ENDLESS),
        ((o.CALL, 0), o.TOO_DEEP),
        ((o.CALLX, 3, B, 0), o.TOO_DEEP),
        ((o.SAVE, A, 7, o.OVER), o.TOO_DEEP),
        ((o.OFFER, A, o.JMP, 0), o.TOO_MANY),
        ((o.OFFERS, D, o.JMP, 0), o.TOO_MANY),
        ((o.ASK, 0, A, B, o.OVER), o.NO_ANSWER),
        ((o.ASKC, 0, A, o.OVER), o.NO_ANSWER),
        ((o.GUARD, E, o.NOTHING_THERE, o.OVER), o.NOTHING_THERE),
        ((o.RANGE, E, C, D, o.OVER), o.OUT_OF_RANGE),
        ((o.DTAKE, A, B, D, o.OVER), o.OUT_OF_RANGE),
        ((o.DPUT, A, D, D, o.OVER), o.TOO_MANY_DICE),
        ((o.DADD, D, F, 0, o.OVER), o.TOO_MANY_DICE),
        ((o.FAULT, -8), o.OUT_OF_RANGE),
    ],
)
def test_fault_is_returned_as_status(code: tuple[int, ...], status: int) -> None:
    state = run_with_dice(code, d=15, e=-1, f=1)
    assert state[o.STATUS] == status
    assert status in o.FAULTS


def test_fault_keeps_the_program_counter() -> None:
    assert run_code((o.MOV, A, B, o.DIV, A, B, C, o.OVER), b=1)[o.PC] == 3


def test_budget_is_renewed_by_answers() -> None:
    """The budget limits the work between two choices, not that of the whole game."""
    code = (o.SUB, A, A, B, o.OFFERS, C, o.ASK, 0, D, E, o.JNZ, A, 0, o.OVER)
    state = create_state(a=3000, b=1, c=0b11)
    status = run(code, state, [0])
    while status == o.ASKING:
        state[o.ANSWER] = 1
        status = run(code, state, [0])
    assert (status, state[A]) == (o.GAME_OVER, 0)


def test_every_instruction_is_mentioned_in_this_file() -> None:
    """Fail for instructions without a test here."""
    from pathlib import Path

    text = Path(__file__).read_text(encoding="utf-8")
    assert [name for name in o.NAMES if f"o.{name}," not in text and f"o.{name})" not in text] == []
