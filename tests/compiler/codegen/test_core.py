"""Tests of the core language in the machine, without any rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import product

import pytest

from edict.compiler.codegen import condition_code, core
from edict.compiler.codegen.core import BlockLabel, Const, Var
from edict.compiler.codegen.emit import CodeBuffer
from edict.compiler.codegen.optimize import optimize
from edict.compiler.codegen.procedures import ProcedureWriter
from edict.compiler.codegen.statement_code import emit_procedure
from edict.runtime.machine.loop import run
from edict.runtime.program import HOLDS, NEITHER, NO, YES
from edict.runtime.program import opcodes as o

SEEN = 20  # cells in which procedures leave something behind


def make_let(var: Var, value: core.CoreExpr) -> core.Let:
    return core.Let(var, value, cause=0)


def make_sum(left: core.CoreExpr, right: core.CoreExpr) -> core.Op:
    return core.Op(o.ADD, (left, right))


def store_cell(cell: int, value: core.CoreExpr) -> core.StoreState:
    return core.StoreState(o.HEADER + cell, None, value, event=False, cause=0)


def emit_body(*body: core.CoreStmt, optimized: bool = True) -> tuple[CodeBuffer, tuple[int, ...]]:
    """Emit a body, and return the code and its integers with addresses."""
    code = CodeBuffer(optimize if optimized else lambda code: None)
    code.reserve(SEEN)
    writer, start = ProcedureWriter(code, {}), core.Procedure("start", (), Var())
    writer.declare(start)
    emit_procedure(writer, start, (*body, core.MachineStep(o.OVER, cause=0)), 0)
    return code, code.assemble()


def operation_names(final: Sequence[int]) -> list[str]:
    """Return the names of the operations before the end of the game."""
    pc, names = 0, list[str]()
    while final[pc] != o.OVER:
        names.append(o.NAMES[final[pc]])
        pc += o.SIZE[final[pc]]
    return names


def initial_state(code: CodeBuffer) -> list[int]:
    state = [*code.initial, *([0] * 40)]
    state[o.PLAYERS], state[o.EVERYONE] = 3, 7
    state[o.STACK] = state[o.SP] = len(code.initial)
    return state


def run_body(
    *body: core.CoreStmt, answers: Sequence[int] = (), optimized: bool = True
) -> tuple[list[int], list[list[int]]]:
    """Run a body; return the final cells and the options of each question."""
    code, final = emit_body(*body, optimized=optimized)
    state = initial_state(code)
    asked, left = [], list(answers)
    while run(final, state, [0]) == o.ASKING:
        asked.append(state[o.FIRST_OPTION : o.FIRST_OPTION + state[o.OPTIONS]])
        state[o.ANSWER] = asked[-1].index(left.pop(0))
    assert state[o.STATUS] == o.GAME_OVER
    return state[o.HEADER : o.HEADER + SEEN], asked


def set_members(bits: int) -> list[int]:
    return [i for i in range(bits.bit_length()) if bits >> i & 1]


# --- flow ------------------------------------------------------------------------------------------


def test_jump_leaves_a_block_and_restarts_a_loop() -> None:
    """Add up the odd numbers below 8."""
    k, total, done, again = Var(), Var(), BlockLabel(), BlockLabel()
    odd = core.Test(core.Op(o.MOD, (k, Const(2))))
    turn = (
        make_let(k, make_sum(k, Const(1))),
        core.Go(done, core.Compare(">=", k, Const(8)), cause=0),
        core.Go(again, odd, False, cause=0),
        make_let(total, make_sum(total, k)),
    )
    body = core.Block(done, (core.EndlessLoop(again, turn, cause=0),), cause=0)
    cells, _ = run_body(make_let(k, Const(0)), make_let(total, Const(0)), body, store_cell(0, total))
    assert cells[0] == 1 + 3 + 5 + 7


def test_loop_visits_members_lowest_first_or_in_order(subtests: pytest.Subtests) -> None:
    order = 2 | 0 << 4 | 1 << 8 | 15 << 12  # seats 2, 0, 1
    for line, expected in ((None, 125), (Const(order), 512)):
        with subtests.test(expected=expected):
            it, found = Var(), Var()
            digits = make_let(found, make_sum(core.Op(o.MUL, (found, Const(10))), core.TableLookup((1, 2, 5), it)))
            cells, _ = run_body(
                make_let(found, Const(0)), core.ForEach(it, Const(7), line, (digits,), cause=0), store_cell(0, found)
            )
            assert cells[0] == expected


def test_variable_cannot_be_read_behind_its_scope() -> None:
    inner = Var()
    with pytest.raises(AssertionError, match="behind its scope"):
        run_body(core.Scope((make_let(inner, Const(1)),), cause=0), store_cell(0, inner))


def test_outer_variable_can_be_set_in_inner_scope() -> None:
    outer = Var()
    cells, _ = run_body(
        core.Let(outer, None, cause=0), core.Scope((make_let(outer, Const(3)),), cause=0), store_cell(0, outer)
    )
    assert cells[0] == 3


# --- conditions ------------------------------------------------------------------------------------


@pytest.mark.parametrize("optimized", [True, False])
def test_unrolled_block_is_left_at_its_own_end(optimized: bool) -> None:
    """A block sets a variable for each of the members 0, 1 and 2, unless it is left."""
    for wanted in range(3):
        it, found, end = Var(), Var(), BlockLabel()
        leave = core.Go(end, core.Compare("!=", it, Const(wanted)), cause=0)
        block = core.Block(end, (leave, make_let(found, Const(1))), cause=0)
        asked = core.Test(core.StatementExpression((make_let(found, Const(0)), block), found))
        counted = [core.TruthValue(core.Quantifier(every, Const(7), it, asked)) for every in (False, True)]
        kept = core.FilteredSet(Const(7), it, (asked,))
        cells, _ = run_body(
            store_cell(0, counted[0]), store_cell(1, counted[1]), store_cell(2, kept), optimized=optimized
        )
        assert cells[:3] == [1, 0, 1 << wanted]


def test_junctions_exceptions_and_if_conditions(subtests: pytest.Subtests) -> None:
    for a, b, c in product((0, 1), repeat=3):
        with subtests.test(a=a):
            one, two, three = (core.Test(Const(x)) for x in (a, b, c))
            conditions = (
                (core.All((one, two, three)), a and b and c),
                (core.Any_((one, two, three)), a or b or c),
                (core.Not(core.All((one, two))), not (a and b)),
                (core.ExceptedRule(one, (two, three)), a or b or c),
                (core.IfCondition(one, two, three), b if a else c),
                (core.All(()), 1),
                (core.Any_(()), 0),
            )
            cells, _ = run_body(
                *(store_cell(i, core.TruthValue(condition)) for i, (condition, _) in enumerate(conditions))
            )
            assert cells[: len(conditions)] == [int(bool(expected)) for _, expected in conditions]


TABLE, SETS = (3, 1, 4, 1, 5, 9, 2, 6), (1, 2, 3, 0, 5, 6, 7, 4)


NARROWED: list[tuple[Callable[[Var], core.Condition], list[int], bool]] = [
    (lambda it: core.Compare("in", it, Const(0b1011)), [0, 1, 3], True),
    (lambda it: core.Compare("not-in", it, Const(0b1011)), [2, 4, 5, 6, 7], True),
    (lambda it: core.Compare("in", core.TableLookup(TABLE, it), Const(0b110)), [1, 3, 6], True),
    (lambda it: core.Compare("not-in", core.TableLookup(TABLE, it), Const(0b110)), [0, 2, 4, 5, 7], True),
    (lambda it: core.Compare("=", core.TableLookup(TABLE, it), core.Cell(o.PLAYERS)), [0], True),
    (
        lambda it: core.Compare("=", core.TableLookup((3, -1, 3, 70, 0, 0, 0, 0), it), Const(3)),
        [0, 2],
        False,
    ),  # not in a set
    (lambda it: core.Compare("within", core.TableLookup(SETS, it, single=False), Const(0b11)), [0, 1, 2, 3], True),
    (lambda it: core.Compare("<", core.TableLookup(TABLE, it), Const(4)), [0, 1, 3, 6], False),
    (lambda it: core.Compare("in", it, core.Op(o.BIT, (it,))), list(range(8)), False),  # another set for each
    (
        lambda it: core.ExceptedRule(core.Compare("in", it, Const(1)), (core.Test(core.Cell(o.PLAYERS)),)),
        [*range(8)],
        True,
    ),
    (lambda it: core.ExceptedRule(core.Compare("in", it, Const(1)), (core.Test(core.Cell(o.YOU)),)), [0], True),
    (lambda it: core.ExceptedRule(core.Compare("in", it, Const(1)), (core.Test(it),)), list(range(8)), False),
    (lambda it: core.All((core.Compare("in", it, Const(15)), core.Compare("!=", it, Const(2)))), [0, 1, 3], False),
]


def test_set_filter_agrees_in_bulk_and_member_by_member(
    monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    for allows_bulk in (True, False):
        if not allows_bulk:
            monkeypatch.setattr(condition_code, "can_filter_in_bulk", lambda *_: False)
        for condition, expected, at_once in NARROWED:
            with subtests.test(expected=expected):
                it, some = Var(), Var()
                body = make_let(some, Const(255)), store_cell(0, core.FilteredSet(some, it, (condition(it),)))
                assert set_members(run_body(*body)[0][0]) == expected
                assert ("NEXT" not in operation_names(emit_body(*body, optimized=False)[1])) == (
                    allows_bulk and at_once
                ), expected


def test_condition_has_its_own_cause_or_its_statements(subtests: pytest.Subtests) -> None:
    """A fault in the condition has its cause, and a fault behind it the statement's."""
    fails, holds = core.Op(o.DIV, (Const(1), core.Cell(o.YOU))), core.Cell(o.PLAYERS)
    for body, cause in (
        (core.IfElse(core.Test(fails), (), cause=2), 2),
        (core.IfElse(core.Test(fails, cause=5), (), cause=2), 5),
        (core.IfElse(core.All((core.Test(holds, cause=5), core.Test(fails))), (), cause=2), 2),
        (core.IfElse(core.Test(holds, cause=5), (core.Let(Var(), fails, cause=3),), cause=2), 3),
    ):
        with subtests.test(cause=cause):
            code, final = emit_body(body)
            state = initial_state(code)
            assert run(final, state, [0]) == o.DIVISION
            assert [of for at, of in code.places if at <= state[o.PC]][-1] == cause


def test_forks_are_noted_with_their_meanings(subtests: pytest.Subtests) -> None:
    you, then = core.Cell(o.YOU), (store_cell(0, Const(1)),)
    for condition, expected in (
        (core.Test(you, cause=5), []),
        (core.Test(you, cause=5, told=True), [(5, NO, YES)]),
        (core.Not(core.Test(you, cause=5, told=True)), [(5, YES, NO)]),
        (core.Test(you, cause=5, told=True, works=True), [(5, NEITHER, HOLDS)]),
    ):
        with subtests.test(condition=condition):
            code, _ = emit_body(core.IfElse(condition, then, cause=2))
            assert [*code.forks.values()] == expected


# --- questions -------------------------------------------------------------------------------------


def test_only_options_whose_conditions_hold_are_offered() -> None:
    answer, none = Var(), BlockLabel()
    options = tuple((i, (core.Test(Const(holds)),)) for i, holds in enumerate((1, 0, 1)))
    ask = core.AskSeat(0, core.Cell(o.YOU), options, answer, none, cause=0)
    cells, asked = run_body(core.Block(none, (ask, store_cell(0, make_sum(answer, Const(10)))), cause=0), answers=[2])
    assert asked == [[0, 2]] and cells[0] == 12


def test_question_without_options_is_not_asked(subtests: pytest.Subtests) -> None:
    nothing: tuple[core.Option, ...] = ((0, (core.Test(Const(0)),)),)
    for options in (Const(0), nothing):
        with subtests.test(options=options):
            none, answer = BlockLabel(), Var()
            ask = core.AskSeat(0, core.Cell(o.YOU), options, answer, none, cause=0)
            cells, asked = run_body(core.Block(none, (ask, store_cell(0, Const(1))), cause=0))
            assert not asked and cells[0] == 0


def test_question_can_be_declined_while_its_condition_holds(subtests: pytest.Subtests) -> None:
    for may, expected in ((1, [0, 1, -1]), (0, [0, 1])):
        with subtests.test(may=may):
            ask = core.AskSeat(0, core.Cell(o.YOU), Const(3), Var(), decline=core.Test(Const(may)), cause=0)
            _, asked = run_body(ask, answers=[0])
            assert asked == [expected]


# --- sets and orders of several cells --------------------------------------------------------------

CELLS = 3
LOW, HIGH = {3, 61, 62, 100, 124, 185}, {0, 61, 62, 123, 124}


def wide_set(members_: Iterable[int]) -> Const:
    return Const(sum(1 << i for i in members_), CELLS)


def store_wide_set(cell: int, value: core.CoreExpr) -> core.StoreState:
    return core.StoreState(o.HEADER + cell, None, value, event=False, cells=CELLS, cause=0)


def wide_set_members(cells: Sequence[int]) -> set[int]:
    return set(set_members(sum(part << o.BITS * i for i, part in enumerate(cells[:CELLS]))))


@pytest.mark.parametrize("optimized", [True, False])
def test_wide_set_operations(optimized: bool, subtests: pytest.Subtests) -> None:
    one, other, it = core.Cell(o.HEADER, CELLS), wide_set(HIGH), Var()
    odd = core.Compare("=", core.Op(o.MOD, (it, Const(2))), Const(1))
    sets: list[tuple[core.CoreExpr, set[int]]] = [
        (core.Op(o.OR, (one, other)), LOW | HIGH),
        (core.Op(o.AND, (one, other)), LOW & HIGH),
        (core.Op(o.ANDN, (one, other)), LOW - HIGH),
        (core.Op(o.ANDN, (Const(0b1011), one)), {0, 1}),
        (core.Op(o.OR, (one, core.Singleton(Const(125), CELLS))), LOW | {125}),
        (core.Op(o.OR, (one, core.Singleton(Const(-1), CELLS))), LOW),
        (core.FilteredSet(one, it, (odd,)), {i for i in LOW if i % 2}),
        (core.FilteredSet(wide_set({1, 70}), it, (core.Compare("in", it, other), odd)), set()),
        (core.TableLookup((0, wide_set(LOW).value), core.Op(o.COUNT, (Const(4),)), False, CELLS), LOW),
    ]
    for value, expected in sets:
        with subtests.test(value=value):
            cells, _ = run_body(store_wide_set(0, wide_set(LOW)), store_wide_set(3, value), optimized=optimized)
            assert wide_set_members(cells[3:]) == expected
    row = core.Load(o.HEADER, core.Op(o.COUNT, (wide_set(()),)), CELLS)  # as of a player who is known only in play
    numbers = [
        (core.Op(o.COUNT, (one,)), len(LOW)),
        (core.Op(o.LOW, (one,)), 3),
        (core.Op(o.LOW, (wide_set({185}),)), 185),
        (core.Op(o.LOW, (wide_set(()),)), -1),
        (core.TruthValue(core.Test(one)), 1),
        (core.TruthValue(core.Test(wide_set(()))), 0),
        (core.TruthValue(core.Compare("=", one, wide_set(LOW))), 1),
        (core.TruthValue(core.Compare("!=", one, other)), 1),
        (core.TruthValue(core.Compare("within", wide_set({61, 185}), one)), 1),
        (core.TruthValue(core.Compare("within", other, one)), 0),
        *(
            (core.TruthValue(core.Compare("in", Const(i), one)), i in LOW)
            for i in (-1, 0, 3, 61, 62, 123, 124, 185, 186)
        ),
        *((core.TruthValue(core.Compare("in", Const(i), row)), i in LOW) for i in (-1, 3, 61, 62, 124, 186)),
        *((core.TruthValue(core.Compare("not-in", Const(i), row)), i not in LOW) for i in (3, 61, 62, 124, 186)),
        (core.TruthValue(core.Quantifier(True, one, it, core.Compare(">", it, Const(2)))), 1),
        (core.TruthValue(core.Quantifier(False, one, it, core.Compare(">", it, Const(185)))), 0),
    ]
    for number, wanted in numbers:
        with subtests.test(number=number):
            cells, _ = run_body(store_wide_set(0, wide_set(LOW)), store_cell(3, number), optimized=optimized)
            assert cells[3] == wanted


def test_wide_sets_can_be_iterated_offered_and_ranked() -> None:
    it, found, best, record, answer = Var(), Var(), Var(CELLS), Var(), Var()
    digits = make_let(found, make_sum(core.Op(o.MUL, (found, Const(1000))), it))
    cells, asked = run_body(
        make_let(found, Const(0)),
        core.ForEach(it, wide_set({3, 62, 185}), None, (digits,), cause=0),
        store_cell(0, found),
        make_let(best, Const(0)),
        make_let(record, Const(0)),
        core.ForEach(
            it,
            wide_set(LOW),
            None,
            (core.MachineStep(o.BEST, (best, record, core.Op(o.MOD, (it, Const(62))), it), cause=0),),
            cause=0,
        ),
        store_wide_set(1, best),
        core.AskSeat(0, core.Cell(o.YOU), wide_set(LOW), answer, cause=0),
        store_cell(4, answer),
        answers=[124],
    )
    assert cells[0] == 3_062_185 and wide_set_members(cells[1:]) == {61, 185} and cells[4] == 124
    assert asked == [sorted(LOW)]


def test_long_orders_can_be_sorted_and_iterated() -> None:
    order, keys, it, found, length = Var(20), Var(20), Var(), Var(), Var()
    put = (
        core.MachineStep(o.PUSHO, (order, it, length), cause=0),
        make_let(length, make_sum(length, Const(1))),
        core.StoreState(keys, it, core.Op(o.MOD, (it, Const(5))), event=False, cause=0),
    )
    digits = make_let(found, make_sum(core.Op(o.MUL, (found, Const(100))), it))
    cells, _ = run_body(
        make_let(order, Const(-1, 20)),
        make_let(length, Const(0)),
        core.Let(keys, None, cause=0),
        core.ForEach(it, Const(0b1101_1010_0000), None, put, cause=0),
        core.MachineStep(o.SORT, (order, order, keys), cause=0),
        make_let(found, Const(0)),
        core.ForEach(it, core.ALL_IN_ORDER, order, (digits,), cause=0),
        store_cell(0, found),
        make_let(found, Const(0)),
        core.ForEach(it, Const(0b1001_0000_0000), order, (digits,), cause=0),
        store_cell(1, found),
    )
    assert cells[:2] == [5_10_11_07_08, 11_08]


def test_recursive_procedure_returns_a_wide_set(subtests: pytest.Subtests) -> None:
    """Each call, `number` deep, adds a thing of its own to the result of the call below."""
    for cells in (1, CELLS):
        with subtests.test(cells=cells):
            code = CodeBuffer(optimize)
            code.reserve(SEEN)
            circles = {"again": 0}
            writer, number = ProcedureWriter(code, circles), Var()
            start = core.Procedure("start", (), Var())
            again = core.Procedure("again", (number,), Var(cells), asks=True)
            for one in (start, again):
                writer.declare(one)
            step = 60 if cells > 1 else 20
            called = core.CallResult(again, (core.Op(o.SUB, (number, Const(1))),))
            mine = core.Singleton(core.Op(o.MUL, (number, Const(step))), cells)
            more = make_let(again.result, core.Op(o.OR, (called, mine)))
            emit_procedure(
                writer,
                start,
                (
                    core.StoreState(
                        o.HEADER, None, core.CallResult(again, (Const(3),)), event=False, cells=cells, cause=0
                    ),
                    core.MachineStep(o.OVER, cause=0),
                ),
                0,
            )
            deeper = core.IfElse(core.Compare(">", number, Const(0)), (more,), cause=0)
            emit_procedure(writer, again, (make_let(again.result, Const(0)), deeper), 0)
            final = code.assemble(recursive=circles)
            state = [*code.initial, *([0] * 80)]
            state[o.STACK] = state[o.SP] = len(code.initial)
            assert run(final, state, [0]) == o.GAME_OVER
            assert wide_set_members(state[o.HEADER : o.HEADER + cells]) == {step, 2 * step, 3 * step}
