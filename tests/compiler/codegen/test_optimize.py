"""Tests that optimized code is shorter and plays the same game to the last event."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from itertools import product
from random import Random

import pytest

from edict.compiler.codegen import condition_code
from edict.compiler.codegen.emit import CodeBuffer, CodeLabel, FrameSlot
from edict.compiler.codegen.optimize import optimize
from edict.compiler.lowering import context
from edict.compiler.pipeline.compile import compile_rules
from edict.runtime.machine.loop import BUDGET, run
from edict.runtime.program import Program, create_state
from edict.runtime.program import opcodes as o
from helpers import compile_program, make_phase, run_steps

LOG = 1 + o.EVENT_SIZE * 6000


def compile_unoptimized(compile_program: Callable[[], Program]) -> Program:
    """Compile without the optimizer, and with every set filter as a loop."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(context, "optimize", lambda code: None)
        patch.setattr(condition_code, "can_filter_in_bulk", lambda *_: False)
        return compile_program()


def play_random_game(program: Program, players: int, seed: int) -> tuple[Sequence[object], Sequence[object]]:
    """Play a random game; return all questions and all events with their rules, without addresses."""
    state = create_state(program, players, {s.name: s.value for s in program.settings})
    log, luck, asked = [0] * LOG, Random(seed), []
    while run(program.code, state, log) == o.ASKING:
        options = tuple(state[o.FIRST_OPTION : o.FIRST_OPTION + state[o.OPTIONS]])
        asked.append((state[o.QUESTION], state[o.SEAT], options))
        state[o.ANSWER] = luck.randrange(len(options))
    assert state[o.STATUS] == o.GAME_OVER
    events = []
    for i in range(1, log[0] + 1, o.EVENT_SIZE):
        kind, pc, *numbers = log[i : i + o.EVENT_SIZE]
        events.append((kind, program.cause_at(pc), numbers))
    return asked, events


@cache
def compile_both_ways(name: str, *modules: str) -> tuple[Program, Program]:
    """Compile the rules of a game with and without the optimizer."""

    def compile_program() -> Program:
        return compile_rules(name, modules, fresh=True).unwrap()

    return compile_program(), compile_unoptimized(compile_program)


@pytest.mark.parametrize(
    "rules", [("kingsburg",), ("kingsburg", "more-buildings", "advisor-tiles"), ("pig",), ("kuhn-poker",)], ids="+".join
)
@pytest.mark.sample(2)
def test_optimized_code_plays_the_same(rules: tuple[str, ...]) -> None:
    optimized, untidied = compile_both_ways(*rules)
    for seed in range(6):
        players = optimized.least_players + seed % (optimized.most_players - optimized.least_players + 1)
        assert play_random_game(optimized, players, seed) == play_random_game(untidied, players, seed)


def test_optimized_code_runs_fewer_operations() -> None:
    """Repeated loops over a set take fewer operations."""
    optimized, untidied = compile_both_ways("kingsburg")
    assert count_operations(optimized) < 0.75 * count_operations(untidied)


def count_operations(program: Program) -> int:
    """Return the number of operations of a game, counted by the opcodes that the machine reads."""
    starts = CountingCode(program.code)
    state = create_state(program, 4, {s.name: s.value for s in program.settings}, logging=False)
    luck = Random(1)
    while run(starts, state, [0]) == o.ASKING:
        state[o.ANSWER] = luck.randrange(state[o.OPTIONS])
    return starts.fetched


class CountingCode(tuple[int, ...]):
    """A code tuple that counts reads of each item."""

    fetched = 0

    def __getitem__(self, at: int) -> int:  # type: ignore[override]
        self.fetched += 1
        return super().__getitem__(at)


# --- what must survive ------------------------------------------------------------------------


def test_endless_loop_is_still_detected(subtests: pytest.Subtests) -> None:
    for lines in (
        ("repeat until coin of you > 5", "  if coin of you > 7", "    gain 1 coin"),
        ("repeat until coin of you > 5", "  if coin of you = 0", "    nothing", "  else", "    gain 1 coin"),
        ("repeat until coin of you > 5", "  each player as other", "    if other is none", "      gain 1 coin"),
    ):
        with subtests.test(lines=lines):
            made = compile_program(make_phase(*lines))
            state = create_state(made, 2, {}, logging=False)
            state[o.SPENT] = BUDGET - 10_000
            assert run(made.code, state, [0]) == o.ENDLESS


def test_quantity_is_recomputed_after_a_change() -> None:
    found = run_steps(
        "let before = twice of you",
        "gain 3 coin",
        "gain twice of you - before fame",
        rules="quantity twice of player is 2 * coin of player",
    )
    assert found.get_value("fame", 0) == 6


def test_copy_keeps_its_value() -> None:
    found = run_steps(
        "gain 2 coin",
        "let old = coin of you",
        "gain 5 coin",
        "gain old fame",
        "each player as other",
        "  let mine = coin of you",
        "  lose 1 coin",
        "  gain mine fame",
    )
    assert (found.get_value("fame", 0), found.get_value("coin", 0)) == (2 + 7 + 6, 5)


def test_filter_of_empty_set_does_not_fault() -> None:
    """A condition that would fault for any member does not fault without members."""
    rules = "keep idol as player or none\nquantity riches of player is coin of player"
    found = run_steps(
        "let nobody-here = (players where it is not in everyone and riches of idol = 0)",
        "gain 1 + count of nobody-here fame",
        rules=rules,
    )
    assert (found.fault, found.get_value("fame", 0)) == ("", 1)


# --- single steps ---------------------------------------------------------------------------------


def optimize_routine(write: Callable[[CodeBuffer, Callable[[], FrameSlot]], None]) -> list[str]:
    """Optimize a routine and return the names of the operations left."""
    code = CodeBuffer(optimize)
    frame = code.add_frame("routine")
    code.place_label(frame.entry)
    write(code, frame.allocate_cell)
    code.emit(o.RET, frame.entry)
    final, pc, names = code.assemble(), 0, []
    while pc < len(final):
        names.append(o.NAMES[final[pc]])
        pc += o.SIZE[final[pc]]
    return names


CELL = o.HEADER


def test_short_routine_is_inlined(subtests: pytest.Subtests) -> None:
    for long, left in ((3, False), (40, True)):
        with subtests.test(long=long):

            def write(code: CodeBuffer, cell: Callable[[], FrameSlot], long: int = long) -> None:
                called = code.add_frame("called")
                for _ in range(2):
                    code.emit(o.CALL, called.entry)
                    code.emit(o.OFFER, o.YOU)
                code.emit(o.OVER)
                code.place_label(called.entry)
                for number in range(long):
                    code.emit(o.SET, CELL + number % 3, o.PLAYERS)
                code.emit(o.RET, called.entry)
                code.place_label(code.add_frame("behind").entry)

            names = optimize_routine(write)
            before = names[: names.index("OVER")]
            assert (before.count("CALL"), before.count("SET")) == ((2, 0) if left else (0, 2 * long))


def test_repeated_copies_are_removed() -> None:
    def write(code: CodeBuffer, cell: Callable[[], FrameSlot]) -> None:
        one, two = cell(), cell()
        code.emit(o.LDX, one, CELL, o.YOU)
        code.emit(o.MOV, two, one)
        code.emit(o.STX, CELL, o.YOU, two)

    assert optimize_routine(write) == ["LDX", "STX", "RET"]


def test_load_is_repeated_after_a_store() -> None:
    def write(code: CodeBuffer, cell: Callable[[], FrameSlot]) -> None:
        for _ in range(2):
            read = cell()
            code.emit(o.LDX, read, CELL, o.YOU)
            code.emit(o.STX, CELL, o.EVERYONE, read)

    assert optimize_routine(write) == ["LDX", "STX", "LDX", "STX", "RET"]


def test_constants_are_folded() -> None:
    def write(code: CodeBuffer, cell: Callable[[], FrameSlot]) -> None:
        total, end = cell(), CodeLabel()
        code.emit(o.ADD, total, code.constant_cell(2), code.constant_cell(3))
        code.emit(o.JLE, total, code.constant_cell(5), end)
        code.emit(o.OFFER, total)
        code.place_label(end)
        code.emit(o.OFFERS, total)

    assert optimize_routine(write) == ["OFFERS", "RET"]


PRICES = (2, 0, 3, 1, 9, 2)  # of six things: now of each the first of a pair, now the second


def run_affordable_filter(tidied: bool, have: int, place: int | None, early: bool = False) -> tuple[int, list[str]]:
    """Return those of six things that cost no more than there is, and the operations used.

    Args:
        tidied: Whether to optimize.
        have: The amount there is.
        place: Which of two prices of each thing counts; None if each has one.
        early: Whether each member has an effect before its price is tested.
    """
    code = CodeBuffer(optimize if tidied else lambda code: None)
    frame = code.add_frame("routine")
    code.place_label(frame.entry)
    rest, it, price, at, one, found = (frame.allocate_cell() for _ in range(6))
    again, end = CodeLabel(), CodeLabel()
    amount, result, passed = code.reserve(1, have), code.reserve(1), code.reserve(1)
    code.emit(o.MOV, rest, code.constant_cell(0b111111))
    code.emit(o.MOV, found, code.constant_cell(0))
    code.place_label(again)
    code.emit(o.NEXT, it, rest, end)
    if early:
        code.emit(o.ADD, passed, passed, code.constant_cell(1))
    if place is None:
        code.emit(o.TAB, price, code.add_table(PRICES), it)
    else:
        pairs = [price if place == which else 7 for price in PRICES for which in range(2)]
        code.emit(o.IDX, at, it, 2, code.constant_cell(place))
        code.emit(o.TAB, price, code.add_table(pairs), at)
    code.emit(o.JLT, amount, price, again)
    code.emit(o.BIT, one, it)
    code.emit(o.OR, found, found, one)
    code.emit(o.JMP, again)
    code.place_label(end)
    code.emit(o.SET, result, found)
    code.emit(o.OVER)
    final, pc, names = code.assemble(), 0, []
    while pc < len(final) and final[pc] != o.OVER:
        names.append(o.NAMES[final[pc]])
        pc += o.SIZE[final[pc]]
    state = [*code.initial, *[0] * 60]
    run(final, state, [0])
    assert not early or state[passed] == 6, "each of the six was there"
    return state[result], names


def test_threshold_test_is_moved_out_of_the_loop(subtests: pytest.Subtests) -> None:
    for place, have in product((None, 0, 1), (-5, -1, 0, 1, 2, 4, 8, 9, 1000)):
        with subtests.test(place=place, have=have):
            among, names = run_affordable_filter(True, have, place)
            assert among == sum(1 << i for i, price in enumerate(PRICES) if price <= have)
            assert among == run_affordable_filter(False, have, place)[0]
            assert not {"JLT", "BIT", "LOOP"} & set(names), "nor is there a loop any more"


def test_threshold_test_stays_behind_effects() -> None:
    among, names = run_affordable_filter(True, 2, None, early=True)
    assert among == run_affordable_filter(False, 2, None)[0]
    assert "JLT" in names


def test_jump_over_a_jump_is_inverted() -> None:
    def write(code: CodeBuffer, cell: Callable[[], FrameSlot]) -> None:
        over, end = CodeLabel(), CodeLabel()
        code.emit(o.JLT, CELL, o.YOU, over)
        code.emit(o.JMP, end)
        code.place_label(over)
        code.emit(o.OFFER, CELL)
        code.place_label(end)

    assert optimize_routine(write) == ["JLE", "OFFER", "RET"]


def test_lookup_is_fused_with_its_test() -> None:
    def write(code: CodeBuffer, cell: Callable[[], FrameSlot]) -> None:
        end = CodeLabel()
        for row, op in enumerate((o.JLT, o.JIN, o.JOUT)):
            read = cell()
            code.emit(o.LDX, read, CELL + row, o.YOU)
            code.emit(op, *((read, CELL) if op == o.JLT else (CELL, read)), end)
            code.emit(o.OFFER, CELL)
        code.place_label(end)

    assert optimize_routine(write) == ["JLTX", "OFFER", "JINX", "OFFER", "JOUTX", "OFFER", "RET"]


def test_lookup_used_later_is_not_fused() -> None:
    def write(code: CodeBuffer, cell: Callable[[], FrameSlot]) -> None:
        read, end = cell(), CodeLabel()
        code.emit(o.LDX, read, CELL, o.YOU)
        code.emit(o.JLT, read, CELL, end)
        code.emit(o.OFFER, CELL)
        code.place_label(end)
        code.emit(o.OFFER, read)

    assert optimize_routine(write) == ["LDX", "JLT", "OFFER", "OFFER", "RET"]


def test_index_is_fused_with_all_its_uses() -> None:
    def write(code: CodeBuffer, cell: Callable[[], FrameSlot]) -> None:
        index = cell()
        code.emit(o.IDX, index, o.YOU, 3, CELL)
        code.emit(o.STX, CELL, index, o.YOU)
        code.emit(o.STX, CELL, index, o.EVERYONE)

    assert optimize_routine(write) == ["STXX", "STXX", "RET"]


def test_instructions_of_different_rules_are_not_fused() -> None:
    def write(code: CodeBuffer, cell: Callable[[], FrameSlot]) -> None:
        index = cell()
        code.emit(o.IDX, index, o.YOU, 3, CELL)
        code.cause = 1
        code.emit(o.STX, CELL, index, o.YOU)

    assert optimize_routine(write) == ["IDX", "STX", "RET"]


def test_rarer_membership_test_comes_first() -> None:
    def write(code: CodeBuffer, cell: Callable[[], FrameSlot]) -> None:
        read, over = cell(), CodeLabel()
        code.emit(o.JIN, CELL, o.EVERYONE, over)
        code.emit(o.LDX, read, CELL, o.YOU)
        code.emit(o.JOUT, CELL, read, over)
        code.emit(o.OFFER, CELL)
        code.place_label(over)

    assert optimize_routine(write) == ["JOUTX", "JIN", "OFFER", "RET"]


def test_copies_are_paired() -> None:
    def write(code: CodeBuffer, cell: Callable[[], FrameSlot]) -> None:
        for to in range(3):
            code.emit(o.MOV, CELL + to, o.YOU)

    assert optimize_routine(write) == ["MOV2", "MOV", "RET"]


def test_member_loops_are_rotated() -> None:
    def write(code: CodeBuffer, cell: Callable[[], FrameSlot]) -> None:
        it, rest, head, end = cell(), cell(), CodeLabel(), CodeLabel()
        code.emit(o.MOV, rest, o.EVERYONE)
        code.place_label(head)
        code.emit(o.NEXT, it, rest, end)
        code.emit(o.OFFER, it)
        code.emit(o.JMP, head)
        code.place_label(end)

    assert optimize_routine(write) == ["MOV", "NEXT", "OFFER", "LOOP", "RET"]


def test_maximum_with_zero_of_nonnegative_value_is_removed() -> None:
    def make_writer(*table: int) -> Callable[[CodeBuffer, Callable[[], FrameSlot]], None]:
        def write(code: CodeBuffer, cell: Callable[[], FrameSlot]) -> None:
            price = cell()
            code.emit(o.TAB, price, code.add_table(table), o.YOU)
            code.emit(o.MAX, price, price, code.constant_cell(0))
            code.emit(o.OFFER, price)

        return write

    assert optimize_routine(make_writer(0, 3))[:2] == ["TAB", "OFFER"]
    assert optimize_routine(make_writer(0, -3))[:3] == ["TAB", "MAX", "OFFER"]


def test_entry_points_survive_optimization() -> None:
    """Everything that the table starts by address is still in the code."""
    made = compile_program("phase trial-run\n  gain 1 coin")
    assert dict(made.entries)["phase trial-run"] < len(made.code)
