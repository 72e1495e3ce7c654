"""The code after it is optimized up: shorter, and the same game to the last event."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from itertools import product
from random import Random

import pytest

from edict.compiler.codegen import set_filters
from edict.compiler.codegen.emit import Code, Label, Slot
from edict.compiler.codegen.optimize import optimize
from edict.compiler.lowering import context
from edict.compiler.pipeline.compile import compile_rules
from edict.runtime.machine.loop import BUDGET, run
from edict.runtime.program import Program
from edict.runtime.program import opcodes as o
from edict.runtime.program.beginning import first_state
from helpers import does, program, steps

LOG = 1 + o.EVENT_SIZE * 6000


def plain(compiled: Callable[[], Program]) -> Program:
    """Compiled without tidying up, and every member of a set asked one by one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(context, "optimize", lambda code: None)
        patch.setattr(set_filters, "can_sift", lambda *_: False)
        return compiled()


def course(program: Program, players: int, seed: int) -> tuple[Sequence[object], Sequence[object]]:
    """All questions, and all events with the rules they come from; addresses aside."""
    state = first_state(program, players, {s.name: s.value for s in program.settings})
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
def both(name: str, *modules: str) -> tuple[Program, Program]:
    """A game's rules with optimized code, and with untidied."""

    def compiled() -> Program:
        return compile_rules(name, modules, fresh=True).unwrap()

    return compiled(), plain(compiled)


@pytest.mark.parametrize(
    "rules", [("kingsburg",), ("kingsburg", "more-buildings", "advisor-tiles"), ("pig",), ("kuhn-poker",)], ids="+".join
)
@pytest.mark.sample(2)
def test_tidy_code_plays_the_same(rules: tuple[str, ...]) -> None:
    optimized, untidied = both(*rules)
    for seed in range(6):
        players = optimized.least_players + seed % (optimized.most_players - optimized.least_players + 1)
        assert course(optimized, players, seed) == course(untidied, players, seed)


def test_tidy_code_is_quicker() -> None:
    """Fewer operations for the same, where a set is gone through again and again."""
    optimized, untidied = both("kingsburg")
    assert operations(optimized) < 0.75 * operations(untidied)


def operations(program: Program) -> int:
    """How many operations a game takes, counted by the items of code the machine fetches at their beginning."""
    starts = Fetches(program.code)
    state = first_state(program, 4, {s.name: s.value for s in program.settings}, logging=False)
    luck = Random(1)
    while run(starts, state, [0]) == o.ASKING:
        state[o.ANSWER] = luck.randrange(state[o.OPTIONS])
    return starts.fetched


class Fetches(tuple[int, ...]):
    """Code that counts how often anything in it is read."""

    fetched = 0

    def __getitem__(self, at: int) -> int:  # type: ignore[override]
        self.fetched += 1
        return super().__getitem__(at)


# --- what must survive ------------------------------------------------------------------------


def test_an_endless_loop_is_still_noticed() -> None:
    for lines in (
        ("repeat until coin of you > 5", "  if coin of you > 7", "    gain 1 coin"),
        ("repeat until coin of you > 5", "  if coin of you = 0", "    nothing", "  else", "    gain 1 coin"),
        ("repeat until coin of you > 5", "  each player as other", "    if other is none", "      gain 1 coin"),
    ):
        made = program(steps(*lines))
        state = first_state(made, 2, {}, logging=False)
        state[o.SPENT] = BUDGET - 10_000
        assert run(made.code, state, [0]) == o.ENDLESS, lines


def test_a_quantity_read_twice_is_worked_out_anew_after_a_change() -> None:
    found = does(
        "let before = twice of you",
        "gain 3 coin",
        "gain twice of you - before fame",
        rules="quantity twice of player is 2 * coin of player",
    )
    assert found.value("fame", 0) == 6


def test_a_copy_keeps_what_it_was() -> None:
    found = does(
        "gain 2 coin",
        "let old = coin of you",
        "gain 5 coin",
        "gain old fame",
        "each player as other",
        "  let mine = coin of you",
        "  lose 1 coin",
        "  gain mine fame",
    )
    assert (found.value("fame", 0), found.value("coin", 0)) == (2 + 7 + 6, 5)


def test_an_empty_set_asks_nothing_of_the_rest() -> None:
    """What would be a fault for any member is none when there are no members."""
    rules = "keep idol as player or none\nquantity riches of player is coin of player"
    found = does(
        "let nobody-here = (players where it is not in everyone and riches of idol = 0)",
        "gain 1 + count of nobody-here fame",
        rules=rules,
    )
    assert (found.fault, found.value("fame", 0)) == ("", 1)


# --- single steps ---------------------------------------------------------------------------------


def optimized(write: Callable[[Code, Callable[[], Slot]], None]) -> list[str]:
    """The names of the operations left of a routine."""
    code = Code(optimize)
    frame = code.frame("routine")
    code.put(frame.entry)
    write(code, frame.cell)
    code.emit(o.RET, frame.entry)
    final, pc, names = code.assemble(), 0, []
    while pc < len(final):
        names.append(o.NAMES[final[pc]])
        pc += o.SIZE[final[pc]]
    return names


CELL = o.HEADER


def test_a_short_routine_is_written_in_place_of_its_call() -> None:
    for long, left in ((3, False), (40, True)):

        def write(code: Code, cell: Callable[[], Slot], long: int = long) -> None:
            called = code.frame("called")
            for _ in range(2):
                code.emit(o.CALL, called.entry)
                code.emit(o.OFFER, o.YOU)
            code.emit(o.OVER)
            code.put(called.entry)
            for number in range(long):
                code.emit(o.SET, CELL + number % 3, o.PLAYERS)
            code.emit(o.RET, called.entry)
            code.put(code.frame("behind").entry)

        names = optimized(write)
        before = names[: names.index("OVER")]
        assert (before.count("CALL"), before.count("SET")) == ((2, 0) if left else (0, 2 * long)), long


def test_copies_are_not_made_twice() -> None:
    def write(code: Code, cell: Callable[[], Slot]) -> None:
        one, two = cell(), cell()
        code.emit(o.LDX, one, CELL, o.YOU)
        code.emit(o.MOV, two, one)
        code.emit(o.STX, CELL, o.YOU, two)

    assert optimized(write) == ["LDX", "STX", "RET"]


def test_what_was_read_is_read_again_after_a_store() -> None:
    def write(code: Code, cell: Callable[[], Slot]) -> None:
        for _ in range(2):
            read = cell()
            code.emit(o.LDX, read, CELL, o.YOU)
            code.emit(o.STX, CELL, o.EVERYONE, read)

    assert optimized(write) == ["LDX", "STX", "LDX", "STX", "RET"]


def test_constants_are_worked_out_before_play() -> None:
    def write(code: Code, cell: Callable[[], Slot]) -> None:
        total, end = cell(), Label()
        code.emit(o.ADD, total, code.constant(2), code.constant(3))
        code.emit(o.JLE, total, code.constant(5), end)
        code.emit(o.OFFER, total)
        code.put(end)
        code.emit(o.OFFERS, total)

    assert optimized(write) == ["OFFERS", "RET"]


PRICES = (2, 0, 3, 1, 9, 2)  # of six things: now of each the first of a pair, now the second


def affordable(tidied: bool, have: int, place: int | None, early: bool = False) -> tuple[int, list[str]]:
    """Those of six things whose price is no more than there is, and which operations tell; `place`: each has two
    prices, and this one counts; `early`: something else comes of each member before it is asked."""
    code = Code(optimize if tidied else lambda code: None)
    frame = code.frame("routine")
    code.put(frame.entry)
    rest, it, price, at, one, found = (frame.cell() for _ in range(6))
    again, end = Label(), Label()
    amount, result, passed = code.reserve(1, have), code.reserve(1), code.reserve(1)
    code.emit(o.MOV, rest, code.constant(0b111111))
    code.emit(o.MOV, found, code.constant(0))
    code.put(again)
    code.emit(o.NEXT, it, rest, end)
    if early:
        code.emit(o.ADD, passed, passed, code.constant(1))
    if place is None:
        code.emit(o.TAB, price, code.table(PRICES), it)
    else:
        pairs = [price if place == which else 7 for price in PRICES for which in range(2)]
        code.emit(o.IDX, at, it, 2, code.constant(place))
        code.emit(o.TAB, price, code.table(pairs), at)
    code.emit(o.JLT, amount, price, again)
    code.emit(o.BIT, one, it)
    code.emit(o.OR, found, found, one)
    code.emit(o.JMP, again)
    code.put(end)
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


def test_what_is_known_of_each_member_is_asked_of_all_at_once() -> None:
    for place, have in product((None, 0, 1), (-5, -1, 0, 1, 2, 4, 8, 9, 1000)):
        among, names = affordable(True, have, place)
        assert among == sum(1 << i for i, price in enumerate(PRICES) if price <= have), (place, have)
        assert among == affordable(False, have, place)[0], (place, have)
        assert not {"JLT", "BIT", "LOOP"} & set(names), "nor is there a loop any more"


def test_what_comes_of_each_member_first_still_does() -> None:
    among, names = affordable(True, 2, None, early=True)
    assert among == affordable(False, 2, None)[0]
    assert "JLT" in names


def test_a_jump_over_a_jump_is_turned_round() -> None:
    def write(code: Code, cell: Callable[[], Slot]) -> None:
        over, end = Label(), Label()
        code.emit(o.JLT, CELL, o.YOU, over)
        code.emit(o.JMP, end)
        code.put(over)
        code.emit(o.OFFER, CELL)
        code.put(end)

    assert optimized(write) == ["JLE", "OFFER", "RET"]


def test_what_is_looked_up_goes_straight_into_the_test() -> None:
    def write(code: Code, cell: Callable[[], Slot]) -> None:
        end = Label()
        for row, op in enumerate((o.JLT, o.JIN, o.JOUT)):
            read = cell()
            code.emit(o.LDX, read, CELL + row, o.YOU)
            code.emit(op, *((read, CELL) if op == o.JLT else (CELL, read)), end)
            code.emit(o.OFFER, CELL)
        code.put(end)

    assert optimized(write) == ["JLTX", "OFFER", "JINX", "OFFER", "JOUTX", "OFFER", "RET"]


def test_what_is_looked_up_and_used_later_stays() -> None:
    def write(code: Code, cell: Callable[[], Slot]) -> None:
        read, end = cell(), Label()
        code.emit(o.LDX, read, CELL, o.YOU)
        code.emit(o.JLT, read, CELL, end)
        code.emit(o.OFFER, CELL)
        code.put(end)
        code.emit(o.OFFER, read)

    assert optimized(write) == ["LDX", "JLT", "OFFER", "OFFER", "RET"]


def test_an_index_goes_straight_into_all_that_it_is_made_for() -> None:
    def write(code: Code, cell: Callable[[], Slot]) -> None:
        index = cell()
        code.emit(o.IDX, index, o.YOU, 3, CELL)
        code.emit(o.STX, CELL, index, o.YOU)
        code.emit(o.STX, CELL, index, o.EVERYONE)

    assert optimized(write) == ["STXX", "STXX", "RET"]


def test_what_stands_for_another_rule_is_not_joined() -> None:
    def write(code: Code, cell: Callable[[], Slot]) -> None:
        index = cell()
        code.emit(o.IDX, index, o.YOU, 3, CELL)
        code.cause = 1
        code.emit(o.STX, CELL, index, o.YOU)

    assert optimized(write) == ["IDX", "STX", "RET"]


def test_what_few_have_is_asked_before_what_was_done() -> None:
    def write(code: Code, cell: Callable[[], Slot]) -> None:
        read, over = cell(), Label()
        code.emit(o.JIN, CELL, o.EVERYONE, over)
        code.emit(o.LDX, read, CELL, o.YOU)
        code.emit(o.JOUT, CELL, read, over)
        code.emit(o.OFFER, CELL)
        code.put(over)

    assert optimized(write) == ["JOUTX", "JIN", "OFFER", "RET"]


def test_copies_stand_two_and_two() -> None:
    def write(code: Code, cell: Callable[[], Slot]) -> None:
        for to in range(3):
            code.emit(o.MOV, CELL + to, o.YOU)

    assert optimized(write) == ["MOV2", "MOV", "RET"]


def test_loops_over_members_turn_back_at_their_end() -> None:
    def write(code: Code, cell: Callable[[], Slot]) -> None:
        it, rest, head, end = cell(), cell(), Label(), Label()
        code.emit(o.MOV, rest, o.EVERYONE)
        code.put(head)
        code.emit(o.NEXT, it, rest, end)
        code.emit(o.OFFER, it)
        code.emit(o.JMP, head)
        code.put(end)

    assert optimized(write) == ["MOV", "NEXT", "OFFER", "LOOP", "RET"]


def test_what_is_never_below_zero_is_not_kept_there() -> None:
    def kept(*table: int) -> Callable[[Code, Callable[[], Slot]], None]:
        def write(code: Code, cell: Callable[[], Slot]) -> None:
            price = cell()
            code.emit(o.TAB, price, code.table(table), o.YOU)
            code.emit(o.MAX, price, price, code.constant(0))
            code.emit(o.OFFER, price)

        return write

    assert optimized(kept(0, 3))[:2] == ["TAB", "OFFER"]
    assert optimized(kept(0, -3))[:3] == ["TAB", "MAX", "OFFER"]


def test_the_rules_of_a_program_without_players_stay_whole() -> None:
    """Everything the table starts by its place in the code is still there."""
    made = program("phase trial-run\n  gain 1 coin")
    assert dict(made.entries)["phase trial-run"] < len(made.code)
