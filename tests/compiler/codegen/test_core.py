"""The core language by itself, in the machine and without any rules: statements, expressions and conditions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import product

import pytest

from edict.compiler.codegen import core, set_filters
from edict.compiler.codegen.core import Const, Label, Var
from edict.compiler.codegen.emit import Code
from edict.compiler.codegen.optimize import optimize
from edict.compiler.codegen.procedures import Writer
from edict.compiler.codegen.statement_code import write
from edict.runtime.machine.loop import run
from edict.runtime.program import HOLDS, NEITHER, NO, YES
from edict.runtime.program import opcodes as o

SEEN = 20  # cells in which procedures leave something behind


def let(var: Var, value: core.Expr) -> core.Let:
    return core.Let(var, value, cause=0)


def plus(left: core.Expr, right: core.Expr) -> core.Op:
    return core.Op(o.ADD, (left, right))


def keep(cell: int, value: core.Expr) -> core.Store:
    return core.Store(o.HEADER + cell, None, value, event=False, cause=0)


def written(*body: core.Stmt, optimized: bool = True) -> tuple[Code, tuple[int, ...]]:
    """The code of a body, and the same with its addresses."""
    code = Code(optimize if optimized else lambda code: None)
    code.reserve(SEEN)
    writer, start = Writer(code, {}), core.Procedure("start", (), Var())
    writer.declare(start)
    write(writer, start, (*body, core.Step(o.OVER, cause=0)), 0)
    return code, code.assemble()


def operations(final: Sequence[int]) -> list[str]:
    """The names of all before the end of the game."""
    pc, names = 0, list[str]()
    while final[pc] != o.OVER:
        names.append(o.NAMES[final[pc]])
        pc += o.SIZE[final[pc]]
    return names


def begun(code: Code) -> list[int]:
    state = [*code.initial, *([0] * 40)]
    state[o.PLAYERS], state[o.EVERYONE] = 3, 7
    state[o.STACK] = state[o.SP] = len(code.initial)
    return state


def played(*body: core.Stmt, answers: Sequence[int] = (), optimized: bool = True) -> tuple[list[int], list[list[int]]]:
    """What the cells hold when the body was carried out, and the options of each question."""
    code, final = written(*body, optimized=optimized)
    state = begun(code)
    asked, left = [], list(answers)
    while run(final, state, [0]) == o.ASKING:
        asked.append(state[o.FIRST_OPTION : o.FIRST_OPTION + state[o.OPTIONS]])
        state[o.ANSWER] = asked[-1].index(left.pop(0))
    assert state[o.STATUS] == o.GAME_OVER
    return state[o.HEADER : o.HEADER + SEEN], asked


def members(found: int) -> list[int]:
    return [i for i in range(found.bit_length()) if found >> i & 1]


# --- flow ------------------------------------------------------------------------------------------


def test_to_go_to_a_block_leaves_it_and_to_a_loop_begins_it_again() -> None:
    """The odd numbers below 8 are added up."""
    k, total, done, again = Var(), Var(), Label(), Label()
    odd = core.Test(core.Op(o.MOD, (k, Const(2))))
    turn = (
        let(k, plus(k, Const(1))),
        core.Go(done, core.Compare(">=", k, Const(8)), cause=0),
        core.Go(again, odd, False, cause=0),
        let(total, plus(total, k)),
    )
    body = core.Block(done, (core.Loop(again, turn, cause=0),), cause=0)
    cells, _ = played(let(k, Const(0)), let(total, Const(0)), body, keep(0, total))
    assert cells[0] == 1 + 3 + 5 + 7


def test_members_come_lowest_first_or_in_an_order() -> None:
    order = 2 | 0 << 4 | 1 << 8 | 15 << 12  # seats 2, 0, 1
    for line, expected in ((None, 125), (Const(order), 512)):
        it, found = Var(), Var()
        digits = let(found, plus(core.Op(o.MUL, (found, Const(10))), core.Table((1, 2, 5), it)))
        cells, _ = played(let(found, Const(0)), core.Each(it, Const(7), line, (digits,), cause=0), keep(0, found))
        assert cells[0] == expected


def test_a_variable_is_not_read_behind_its_scope() -> None:
    inner = Var()
    with pytest.raises(AssertionError, match="behind its scope"):
        played(core.Scope((let(inner, Const(1)),), cause=0), keep(0, inner))


def test_what_is_declared_outside_may_be_set_inside() -> None:
    outer = Var()
    cells, _ = played(core.Let(outer, None, cause=0), core.Scope((let(outer, Const(3)),), cause=0), keep(0, outer))
    assert cells[0] == 3


# --- conditions ------------------------------------------------------------------------------------


@pytest.mark.parametrize("optimized", [True, False])
def test_a_block_that_is_written_for_each_of_a_few_members_is_left_at_its_own_end(optimized: bool) -> None:
    """For each of the members 0, 1, 2 a block sets a variable, unless it is left."""
    for wanted in range(3):
        it, found, end = Var(), Var(), Label()
        leave = core.Go(end, core.Compare("!=", it, Const(wanted)), cause=0)
        block = core.Block(end, (leave, let(found, Const(1))), cause=0)
        asked = core.Test(core.After((let(found, Const(0)), block), found))
        counted = [core.Truth(core.Some(every, Const(7), it, asked)) for every in (False, True)]
        kept = core.Kept(Const(7), it, (asked,))
        cells, _ = played(keep(0, counted[0]), keep(1, counted[1]), keep(2, kept), optimized=optimized)
        assert cells[:3] == [1, 0, 1 << wanted]


def test_rows_of_conditions_and_exceptions() -> None:
    for a, b, c in product((0, 1), repeat=3):
        one, two, three = (core.Test(Const(x)) for x in (a, b, c))
        conditions = (
            (core.All((one, two, three)), a and b and c),
            (core.Any_((one, two, three)), a or b or c),
            (core.Not(core.All((one, two))), not (a and b)),
            (core.Excepted(one, (two, three)), a or b or c),
            (core.Either(one, two, three), b if a else c),
            (core.All(()), 1),
            (core.Any_(()), 0),
        )
        cells, _ = played(*(keep(i, core.Truth(condition)) for i, (condition, _) in enumerate(conditions)))
        assert cells[: len(conditions)] == [int(bool(expected)) for _, expected in conditions]


TABLE, SETS = (3, 1, 4, 1, 5, 9, 2, 6), (1, 2, 3, 0, 5, 6, 7, 4)


NARROWED: list[tuple[Callable[[Var], core.Condition], list[int], bool]] = [
    (lambda it: core.Compare("in", it, Const(0b1011)), [0, 1, 3], True),
    (lambda it: core.Compare("not-in", it, Const(0b1011)), [2, 4, 5, 6, 7], True),
    (lambda it: core.Compare("in", core.Table(TABLE, it), Const(0b110)), [1, 3, 6], True),
    (lambda it: core.Compare("not-in", core.Table(TABLE, it), Const(0b110)), [0, 2, 4, 5, 7], True),
    (lambda it: core.Compare("=", core.Table(TABLE, it), core.Cell(o.PLAYERS)), [0], True),
    (lambda it: core.Compare("=", core.Table((3, -1, 3, 70, 0, 0, 0, 0), it), Const(3)), [0, 2], False),  # not in a set
    (lambda it: core.Compare("within", core.Table(SETS, it, single=False), Const(0b11)), [0, 1, 2, 3], True),
    (lambda it: core.Compare("<", core.Table(TABLE, it), Const(4)), [0, 1, 3, 6], False),
    (lambda it: core.Compare("in", it, core.Op(o.BIT, (it,))), list(range(8)), False),  # another set for each
    (lambda it: core.Excepted(core.Compare("in", it, Const(1)), (core.Test(core.Cell(o.PLAYERS)),)), [*range(8)], True),
    (lambda it: core.Excepted(core.Compare("in", it, Const(1)), (core.Test(core.Cell(o.YOU)),)), [0], True),
    (lambda it: core.Excepted(core.Compare("in", it, Const(1)), (core.Test(it),)), list(range(8)), False),
    (lambda it: core.All((core.Compare("in", it, Const(15)), core.Compare("!=", it, Const(2)))), [0, 1, 3], False),
]


def test_a_set_is_narrowed_at_once_or_member_by_member(monkeypatch: pytest.MonkeyPatch) -> None:
    for may in (True, False):
        if not may:
            monkeypatch.setattr(set_filters, "can_sift", lambda *_: False)
        for condition, expected, at_once in NARROWED:
            it, some = Var(), Var()
            body = let(some, Const(255)), keep(0, core.Kept(some, it, (condition(it),)))
            assert members(played(*body)[0][0]) == expected
            assert ("NEXT" not in operations(written(*body, optimized=False)[1])) == (may and at_once), expected


def test_a_condition_has_a_place_in_the_rules_or_that_of_the_step_it_stands_in() -> None:
    """What fails there is put down to it, and what fails behind it to the step again."""
    fails, holds = core.Op(o.DIV, (Const(1), core.Cell(o.YOU))), core.Cell(o.PLAYERS)
    for body, cause in (
        (core.If(core.Test(fails), (), cause=2), 2),
        (core.If(core.Test(fails, cause=5), (), cause=2), 5),
        (core.If(core.All((core.Test(holds, cause=5), core.Test(fails))), (), cause=2), 2),
        (core.If(core.Test(holds, cause=5), (core.Let(Var(), fails, cause=3),), cause=2), 3),
    ):
        code, final = written(body)
        state = begun(code)
        assert run(final, state, [0]) == o.DIVISION
        assert [of for at, of in code.places if at <= state[o.PC]][-1] == cause


def test_where_the_ways_part_is_told_with_what_each_of_them_means() -> None:
    you, then = core.Cell(o.YOU), (keep(0, Const(1)),)
    for condition, told in (
        (core.Test(you, cause=5), []),
        (core.Test(you, cause=5, told=True), [(5, NO, YES)]),
        (core.Not(core.Test(you, cause=5, told=True)), [(5, YES, NO)]),
        (core.Test(you, cause=5, told=True, works=True), [(5, NEITHER, HOLDS)]),
    ):
        code, _ = written(core.If(condition, then, cause=2))
        assert [*code.forks.values()] == told


# --- questions -------------------------------------------------------------------------------------


def test_only_options_that_hold_are_offered() -> None:
    answer, none = Var(), Label()
    options = tuple((i, (core.Test(Const(holds)),)) for i, holds in enumerate((1, 0, 1)))
    ask = core.Ask(0, core.Cell(o.YOU), options, answer, none, cause=0)
    cells, asked = played(core.Block(none, (ask, keep(0, plus(answer, Const(10)))), cause=0), answers=[2])
    assert asked == [[0, 2]] and cells[0] == 12


def test_with_nothing_to_offer_nothing_is_asked() -> None:
    nothing: tuple[core.Option, ...] = ((0, (core.Test(Const(0)),)),)
    for options in (Const(0), nothing):
        none, answer = Label(), Var()
        ask = core.Ask(0, core.Cell(o.YOU), options, answer, none, cause=0)
        cells, asked = played(core.Block(none, (ask, keep(0, Const(1))), cause=0))
        assert not asked and cells[0] == 0


def test_it_may_be_declined_while_the_condition_holds() -> None:
    for may, expected in ((1, [0, 1, -1]), (0, [0, 1])):
        ask = core.Ask(0, core.Cell(o.YOU), Const(3), Var(), decline=core.Test(Const(may)), cause=0)
        _, asked = played(ask, answers=[0])
        assert asked == [expected]


# --- sets and orders of several cells --------------------------------------------------------------

CELLS = 3
LOW, HIGH = {3, 61, 62, 100, 124, 185}, {0, 61, 62, 123, 124}


def large(found: Iterable[int]) -> Const:
    return Const(sum(1 << i for i in found), CELLS)


def keep_all(cell: int, value: core.Expr) -> core.Store:
    return core.Store(o.HEADER + cell, None, value, event=False, cells=CELLS, cause=0)


def joined(cells: Sequence[int]) -> set[int]:
    return set(members(sum(part << o.BITS * i for i, part in enumerate(cells[:CELLS]))))


@pytest.mark.parametrize("optimized", [True, False])
def test_sets_of_several_cells_are_joined_narrowed_counted_and_compared(optimized: bool) -> None:
    one, other, it = core.Cell(o.HEADER, CELLS), large(HIGH), Var()
    odd = core.Compare("=", core.Op(o.MOD, (it, Const(2))), Const(1))
    sets: list[tuple[core.Expr, set[int]]] = [
        (core.Op(o.OR, (one, other)), LOW | HIGH),
        (core.Op(o.AND, (one, other)), LOW & HIGH),
        (core.Op(o.ANDN, (one, other)), LOW - HIGH),
        (core.Op(o.ANDN, (Const(0b1011), one)), {0, 1}),
        (core.Op(o.OR, (one, core.Single(Const(125), CELLS))), LOW | {125}),
        (core.Op(o.OR, (one, core.Single(Const(-1), CELLS))), LOW),
        (core.Kept(one, it, (odd,)), {i for i in LOW if i % 2}),
        (core.Kept(large({1, 70}), it, (core.Compare("in", it, other), odd)), set()),
        (core.Table((0, large(LOW).value), core.Op(o.COUNT, (Const(4),)), False, CELLS), LOW),
    ]
    for value, expected in sets:
        cells, _ = played(keep_all(0, large(LOW)), keep_all(3, value), optimized=optimized)
        assert joined(cells[3:]) == expected, value
    row = core.Load(o.HEADER, core.Op(o.COUNT, (large(()),)), CELLS)  # as of a player who is known only in play
    numbers = [
        (core.Op(o.COUNT, (one,)), len(LOW)),
        (core.Op(o.LOW, (one,)), 3),
        (core.Op(o.LOW, (large({185}),)), 185),
        (core.Op(o.LOW, (large(()),)), -1),
        (core.Truth(core.Test(one)), 1),
        (core.Truth(core.Test(large(()))), 0),
        (core.Truth(core.Compare("=", one, large(LOW))), 1),
        (core.Truth(core.Compare("!=", one, other)), 1),
        (core.Truth(core.Compare("within", large({61, 185}), one)), 1),
        (core.Truth(core.Compare("within", other, one)), 0),
        *((core.Truth(core.Compare("in", Const(i), one)), i in LOW) for i in (-1, 0, 3, 61, 62, 123, 124, 185, 186)),
        *((core.Truth(core.Compare("in", Const(i), row)), i in LOW) for i in (-1, 3, 61, 62, 124, 186)),
        *((core.Truth(core.Compare("not-in", Const(i), row)), i not in LOW) for i in (3, 61, 62, 124, 186)),
        (core.Truth(core.Some(True, one, it, core.Compare(">", it, Const(2)))), 1),
        (core.Truth(core.Some(False, one, it, core.Compare(">", it, Const(185)))), 0),
    ]
    for number, wanted in numbers:
        cells, _ = played(keep_all(0, large(LOW)), keep(3, number), optimized=optimized)
        assert cells[3] == wanted, number


def test_members_of_several_cells_are_gone_through_offered_and_compared_by_a_score() -> None:
    it, found, best, record, answer = Var(), Var(), Var(CELLS), Var(), Var()
    digits = let(found, plus(core.Op(o.MUL, (found, Const(1000))), it))
    cells, asked = played(
        let(found, Const(0)),
        core.Each(it, large({3, 62, 185}), None, (digits,), cause=0),
        keep(0, found),
        let(best, Const(0)),
        let(record, Const(0)),
        core.Each(
            it,
            large(LOW),
            None,
            (core.Step(o.BEST, (best, record, core.Op(o.MOD, (it, Const(62))), it), cause=0),),
            cause=0,
        ),
        keep_all(1, best),
        core.Ask(0, core.Cell(o.YOU), large(LOW), answer, cause=0),
        keep(4, answer),
        answers=[124],
    )
    assert cells[0] == 3_062_185 and joined(cells[1:]) == {61, 185} and cells[4] == 124
    assert asked == [sorted(LOW)]


def test_long_orders_are_sorted_and_gone_through() -> None:
    order, keys, it, found, length = Var(20), Var(20), Var(), Var(), Var()
    put = (
        core.Step(o.PUSHO, (order, it, length), cause=0),
        let(length, plus(length, Const(1))),
        core.Store(keys, it, core.Op(o.MOD, (it, Const(5))), event=False, cause=0),
    )
    digits = let(found, plus(core.Op(o.MUL, (found, Const(100))), it))
    cells, _ = played(
        let(order, Const(-1, 20)),
        let(length, Const(0)),
        core.Let(keys, None, cause=0),
        core.Each(it, Const(0b1101_1010_0000), None, put, cause=0),
        core.Step(o.SORT, (order, order, keys), cause=0),
        let(found, Const(0)),
        core.Each(it, core.ALL_IN_LINE, order, (digits,), cause=0),
        keep(0, found),
        let(found, Const(0)),
        core.Each(it, Const(0b1001_0000_0000), order, (digits,), cause=0),
        keep(1, found),
    )
    assert cells[:2] == [5_10_11_07_08, 11_08]


def test_a_set_of_several_cells_comes_back_from_a_procedure_that_calls_itself() -> None:
    """As deep as `number` says, each adds a thing of its own to what the one below it gives."""
    for cells in (1, CELLS):
        code = Code(optimize)
        code.reserve(SEEN)
        circles = {"again": 0}
        writer, number = Writer(code, circles), Var()
        start = core.Procedure("start", (), Var())
        again = core.Procedure("again", (number,), Var(cells), asks=True)
        for one in (start, again):
            writer.declare(one)
        step = 60 if cells > 1 else 20
        called = core.Called(again, (core.Op(o.SUB, (number, Const(1))),))
        mine = core.Single(core.Op(o.MUL, (number, Const(step))), cells)
        more = let(again.result, core.Op(o.OR, (called, mine)))
        write(
            writer,
            start,
            (
                core.Store(o.HEADER, None, core.Called(again, (Const(3),)), event=False, cells=cells, cause=0),
                core.Step(o.OVER, cause=0),
            ),
            0,
        )
        deeper = core.If(core.Compare(">", number, Const(0)), (more,), cause=0)
        write(writer, again, (let(again.result, Const(0)), deeper), 0)
        final = code.assemble(recursive=circles)
        state = [*code.initial, *([0] * 80)]
        state[o.STACK] = state[o.SP] = len(code.initial)
        assert run(final, state, [0]) == o.GAME_OVER
        assert joined(state[o.HEADER : o.HEADER + cells]) == {step, 2 * step, 3 * step}
