"""Parts of the native compiler, expressions of Python, faster forms of helpers, and random programs."""

from __future__ import annotations

import ast
import ctypes
import os
import re
import threading
import time
from collections.abc import Callable, MutableSequence, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import cycle, product
from math import log, sqrt
from pathlib import Path
from random import Random
from typing import Any

import pytest

from random_programs import CELLS, DICE, FACES, FIRST, RandomCode, make_program, mask_dead_cells, run_to_end

pytest.importorskip("llvmlite", reason="llvmlite is an extra, and not installed here")

import numpy as np

from edict.runtime.machine import loop
from edict.runtime.machine.mixing import draw, mix
from edict.runtime.machine.translation import NativeProgram
from edict.runtime.native import assembling
from edict.runtime.native.evaluating import UnsupportedPythonError
from edict.runtime.native.functions import BUILT_IN, FunctionModule, parse_source
from edict.runtime.native.library import Library
from edict.runtime.native.programs import translate_program
from edict.runtime.native.running import StatementTranslator
from edict.runtime.native.specialized import FASTER, SpecializedCode
from edict.runtime.program import Program
from edict.runtime.program import opcodes as o
from edict.runtime.simulation import batches, ismcts, native, stepping
from edict.runtime.simulation.plans import Row

INT = ctypes.c_int64
TELLING = (45, 604)  # programs that showed something: a question too many for a game, a negative number as a set
MADE = 4000 if os.environ.get("EDICT_NATIVE") == "all" else 8


def call_function(text: str, name: str, arguments: int) -> Callable[..., int]:
    """Compile a module and return one of its functions as a function of integers."""
    code = assembling.LoadedCode(assembling.compile_object(text))
    function = ctypes.CFUNCTYPE(INT, *[INT] * arguments)(code.address(name))
    function.kept = code  # type: ignore[attr-defined]
    return function


# --- called with its arguments beside it --------------------------------------------------------


def compute_dot_product(a: Sequence[int], b: Sequence[int], by: int, into: Sequence[int]) -> int:
    total = by
    for i in range(len(a)):
        total += a[i] * b[i]
    into[0] = total  # type: ignore[index]
    return total


def call_other_function(a: Sequence[int]) -> int:
    return compute_dot_product(a, a, 0, a)


@pytest.mark.parametrize("alone", [False, True])
def test_bound_function_is_called_repeatedly(alone: bool) -> None:
    """It can be exported, even though a function that calls it was translated before."""
    module = FunctionModule({})
    module.add(call_other_function, exported=True)
    module.add(compute_dot_product, exported=True)
    library = Library(module, assembling.compile_object(module.text()))
    one, other, into = (np.array(numbers, dtype=np.int64) for numbers in ([1, 2], [3, 4], [0]))
    bound = library.bind(compute_dot_product, one, other, 10, into, hold_gil=alone)
    assert (bound.call(), into[0]) == (21, 21)
    one[0] = 5
    bound.cells[bound.places[2]] = 0
    assert (bound.call(), into[0]) == (23, 23)
    bound.cells[bound.places[1]] = one.ctypes.data
    assert bound.call() == 29


def copy_numbers(a: Sequence[int], into: MutableSequence[int]) -> None:
    for i in range(len(a)):
        into[i] = a[i]


def test_number_too_large_for_a_row_is_clamped(subtests: pytest.Subtests) -> None:
    given = np.array([-(1 << 40), -129, -128, 0, 127, 128, 1 << 40], dtype=np.int64)
    module = FunctionModule({})
    types: dict[str, Any] = {"i8": np.int8, "i16": np.int16, "i32": np.int32, "float": np.float32}
    for type in types:
        module.add(copy_numbers, exported=True, row_types=(("into", type),))
    library = Library(module, assembling.compile_object(module.text()))
    for type, kind in types.items():
        with subtests.test(type=type):
            into = np.zeros(len(given), dtype=kind)
            library.function(copy_numbers, (("into", type),))(given, into)
            expected = given if type == "float" else given.clip(np.iinfo(kind).min, np.iinfo(kind).max)
            assert into.tolist() == expected.tolist()


# --- plain Python ------------------------------------------------------------------------------


NEVER, ALWAYS = 0, 1


def compute_sums(a: int, b: int, c: int) -> int:
    return (a + b * 3 - (c ^ a) | b & 255) % 1009


def compute_divisions(a: int, b: int, c: int) -> int:
    kept = a if c == 0 else a // c  # which is asked for only if it can be told
    return a // (b | 1) * 1000 + a % (c | 1) + a // 8 + a % 8 - (-a) // 3 + kept - (a % b if b else c)


def compute_branches(a: int, b: int, c: int) -> int:
    found = a if a < b < c else b
    if a > 0 and (b > 0 or not c):
        found += 1
    elif -5 <= a <= 5:
        return found - 7
    if a < 9 and b < 9 and c < 9:
        found += 5
    if a > 9 or b > 9 or c > 9:
        found += 11
    if b < 5 or NEVER:
        found += 13
    if a < 5 or ALWAYS or c < 5:
        found += 17
    return max(found, min(a, 3)) + (a == b) + (found if a % 2 == 0 else found // (a | 1))


def compute_loops(a: int, b: int, c: int) -> int:
    total = 0
    for i in range(a % 20):
        if i == b % 7:
            continue
        for j in range(2, c % 9):
            if j * i > 40:
                break
            total += i * j
        total -= 1
    while total > 100:
        total //= 2
        if total % 5 == 3:
            break
    return total


def compute_bits(a: int, b: int, c: int) -> int:
    m = a & 0xFFFFFFFF
    return m.bit_count() * 100 + m.bit_length() + (m >> (b % 30)) + (c << 2) + draw(b, c % 50, 7)


def compute_reals(a: int, b: int, c: int) -> int:
    most = -1.0e18
    for i in range(a % 6):
        promise = i / (1 + b % 7) + abs(c) / 1000
        if promise > most:
            most = promise
    return int(max(1.0, most) * 1000)


def add_to_first(row: MutableSequence[int], by: int) -> None:
    """Change a row and return nothing."""
    row[0] += by


def return_truth(so: int) -> int:
    return so * 3 + 1


FIVE, TENTH, NOTHING = 5, 0.5, 0


def compute_foldable(a: int, b: int, c: int) -> int:
    """Compute a value much of which is known before it runs."""
    found = a if NEVER < ALWAYS < b else b
    found += (1 if a < FIVE < 3 else 2) + max(FIVE, 3) + max(2, FIVE) + min(FIVE, 3) + min(2, FIVE)
    found += a if c > 0 else a  # noqa: RUF034
    found += FIVE.bit_length() * 10 + FIVE.bit_count() * 100 + POWERS[32 % 67] + ~FIVE + ~a - (-FIVE) + int(-TENTH * 4)
    found += (not NEVER) + 2 * (not ALWAYS) + 4 * (not a) + 8 * (not (b > 0))
    while NEVER:
        found += 1000
    while ALWAYS:
        found += 7
        if found % 5 == 0 or found > a:
            break
    return found + (a + 0) * 1 + (0 + b) + (1 * c) - 0 + (c | 0) + (c ^ 0) + (c & -1) + (0 - c) + (FIVE - a) + (a << 0)


def compute_truths(a: int, b: int, c: int) -> int:
    """Count truths as numbers."""
    so = a < b
    total = return_truth(a < c) + return_truth(b == c) * 10 + so * 100
    if (a < b) == 1:
        total += 1000
    if (a < c) == 0:
        total += 2000
    if (a < b) != (b < c):
        total += 4000
    return total + (a < b) + (1 if so else 0)


def compute_signs(a: int, b: int, c: int) -> int:
    half = a / 2
    other = -half if b > 0 else half
    one = half if c % 3 else b
    if a > b:
        half = 3.5
    return int(other) + int(half * 2) + int(one) + int(abs(half - 1000))


def compute_ranges(a: int, b: int, c: int) -> int:
    total = 0
    for i in range(16):
        total += i * a
    for i in range(17):
        total += i
    for i in range(3, 19):
        total -= i * b
    for i in range(2, a % 30, 3):
        total += i
    for i in range(5, 2):
        total += 10**6 + i
    return total


PLAIN = (
    compute_sums,
    compute_divisions,
    compute_branches,
    compute_loops,
    compute_bits,
    compute_reals,
    compute_foldable,
    compute_truths,
    compute_signs,
    compute_ranges,
)


@pytest.fixture(scope="module")
def plain() -> dict[str, Callable[..., int]]:
    module = FunctionModule({})
    for function in PLAIN:
        module.add(function, exported=True)
    text = module.text()
    return {f.__name__: call_function(text, f"test_native_parts.{f.__name__}", 3) for f in PLAIN}


@pytest.mark.parametrize("function", PLAIN, ids=lambda f: f.__name__)
def test_native_code_equals_plain_python(function: Callable[..., int], plain: dict[str, Callable[..., int]]) -> None:
    luck = Random(3)
    few = [list(numbers) for numbers in product((-1, 0, 1, 2, 5, 8), repeat=3)]
    for numbers in [
        *few,
        *(
            [luck.choice([luck.randint(-9, 9), luck.randint(-(1 << 31), 1 << 31)]) for _ in range(3)]
            for _ in range(500)
        ),
    ]:
        assert plain[function.__name__](*numbers) == function(*numbers), numbers


def hypotenuse(one: float, other: float, times: int) -> float:
    return times * sqrt(one * one + other * other)


def test_function_takes_and_returns_floats() -> None:
    module = FunctionModule({})
    module.add(hypotenuse, exported=True)
    fast = Library(module, assembling.compile_object(module.text())).function(hypotenuse)
    assert fast(3.0, 4.0, 2) == hypotenuse(3.0, 4.0, 2) == 10.0


def compute_logarithm(one: float) -> float:
    return log(one)


def weigh_rows(rows: Sequence[Row], by: Sequence[int], into: MutableSequence[float]) -> int:
    """Weigh each row by the same weights."""
    clear_row(into)
    for i in range(len(rows)):
        into[i] += compute_row_product(rows[i], by) / 2
    return compute_total(rows) * 1000 + len(by)


def clear_row(into: MutableSequence[float]) -> None:
    for i in range(len(into)):
        into[i] = 0.0


def compute_row_product(a: Sequence[int], b: Sequence[int]) -> int:
    total = 0
    for i in range(len(b)):
        total += a[i] * b[i]
    return total


def compute_total(rows: Sequence[Row]) -> int:
    total = 0
    for i in range(len(rows)):
        row = rows[i]
        for j in range(len(row)):
            total += row[j]
    return total


def test_equal_rows_are_passed_as_contiguous_memory() -> None:
    module = FunctionModule({})
    module.add(weigh_rows, exported=True)
    library = Library(module, assembling.compile_object(module.text()))
    rows, by, into = np.arange(12, dtype=np.int64).reshape(3, 4), np.array([1, 0, -2, 3]), np.full(3, 9.0)
    assert library.function(weigh_rows)(rows, by, into) == weigh_rows(rows, by, np.full(3, 9.0)) == 66_004  # type: ignore[arg-type]
    assert into.tolist() == [2.5, 6.5, 10.5]


def call_overridden(a: int) -> int:
    return return_twice(a) + 1


def return_twice(a: int) -> int:
    raise AssertionError(a)


def test_function_calls_can_be_overridden_and_llvm_text_included() -> None:
    by_hand = "define internal i64 @hand(i64 %a) {\n  %b = shl i64 %a, 1\n  ret i64 %b\n}"
    module = FunctionModule({return_twice: lambda e, a: e.w.emit_value(f"call i64 @hand(i64 {a[0]})")}, by_hand)
    module.add(call_overridden, exported=True)
    assert Library(module, assembling.compile_object(module.text())).function(call_overridden)(21) == 43


def test_logarithm_is_that_of_this_computer() -> None:
    module = FunctionModule({})
    module.add(compute_logarithm, exported=True)
    assert Library(module, assembling.compile_object(module.text())).function(compute_logarithm)(3.0) == log(3.0)


def use_list(a: int) -> int:
    return len([a])


def look_up_power(a: int) -> int:
    return POWERS[a % 67]


def look_up_by_difference(a: int) -> int:
    return POWERS[a - 67]


def look_up_by_name(a: int) -> int:
    return POWERS[a]


def look_up_in_other_table(a: int) -> int:
    return FEWER[a % 66]


def annotate_local(a: int) -> int:
    b: int = a
    return b


def assign_pair(a: int) -> int:
    a, b = 1, a
    return a + b


def iterate_row(a: Sequence[int]) -> int:
    total = 0
    for one in a:
        total += one
    return total


def take_string(a: str) -> int:
    return len(a)


def add_string(a: int) -> int:
    return a + "b"  # type: ignore[operator]


POWERS = tuple(next((i for i in range(66) if pow(2, i, 67) == rest), -1) for rest in range(67))
FEWER = POWERS[:66]


def test_unsupported_python_is_rejected() -> None:
    """The only table supported is that of the powers of two by their remainders, as one instruction."""
    for function, said in (
        (use_list, "List"),
        (look_up_by_difference, "Sub"),
        (look_up_by_name, "Name"),
        (look_up_in_other_table, "66"),
        (annotate_local, "AnnAssign"),
        (assign_pair, "Tuple"),
        (iterate_row, "For"),
        (take_string, "^a: str$"),
        (add_string, "^Constant.value='b'"),
    ):
        with pytest.raises(UnsupportedPythonError, match=said):
            FunctionModule({}).add(function)
    module = FunctionModule({})
    module.add(look_up_power, exported=True)
    fast = Library(module, assembling.compile_object(module.text())).function(look_up_power)
    assert [fast(1 << i) for i in range(62)] == [look_up_power(1 << i) for i in range(62)] and fast(0) == look_up_power(
        0
    ) == -1


def test_readme_example_runs(root: Path, tmp_path: Path) -> None:
    """Run it from a file, because functions are compiled from their source."""
    page = (root / "interpreter" / "edict" / "runtime" / "native" / "README.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    path = tmp_path / "example.py"
    path.write_text(example, encoding="utf-8")
    names: dict[str, Any] = {"__name__": "example"}
    exec(compile(example, str(path), "exec"), names)
    assert {"product", "fast"} <= names.keys()


def test_two_threads_never_parse_at_the_same_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """CPython's parser may fail if two threads use it at once."""
    parse, busy, together = ast.parse, threading.Lock(), []

    def slow(*source: Any, **more: Any) -> Any:
        free = busy.acquire(blocking=False)
        together.append(not free)
        time.sleep(0.01)
        try:
            return parse(*source, **more)
        finally:
            if free:
                busy.release()

    monkeypatch.setattr("edict.runtime.native.functions.ast.parse", slow)
    wanted = [stepping.look, stepping.step, ismcts.grow, ismcts.find_slot] * 2
    with ThreadPoolExecutor(4) as pool:
        trees = list(pool.map(parse_source, wanted))
    monkeypatch.undo()
    assert [tree.name for tree in trees] == ["look", "step", "grow", "find_slot"] * 2
    assert len(together) == len(wanted) and not any(together)


# --- faster forms ------------------------------------------------------------------------------


class FormWriter(StatementTranslator):
    """A faster form, or the loop's own function inlined, as a function of three numbers."""

    def __init__(self, code: SpecializedCode) -> None:
        super().__init__(vars(loop), BUILT_IN.__getitem__)
        self.code = code

    def text(self, name: str, arguments: Sequence[Any]) -> str | None:
        found = FASTER[name](self, arguments)
        if found is None:
            return None
        self.w.terminate(f"ret i64 {found}")
        declared = FunctionModule({}).text()
        return f"{declared}\n{self.code.text()}\n" + self.w.text("define i64 @tried(i64 %a, i64 %b, i64 %c)")


def test_faster_forms_replace_functions_that_the_loop_has() -> None:
    """A form under another name would never be used, and nothing but the time would tell."""
    assert FASTER and all(callable(getattr(loop, name, None)) for name in FASTER)


def compare_forms(
    name: str, table: list[int], arguments: Callable[[int], list[Any]], odds: Callable[[Random], list[int]]
) -> None:
    """Compare a faster form for a table with the loop's own function, on many numbers.

    `arguments` returns the function's arguments by the place of the table; `%a`, `%b` and `%c` in them stand for the
    numbers of `odds`.
    """
    numbers = [0] * 5 + table
    code = SpecializedCode(numbers, [(5, len(table))])
    wanted = [code, *arguments(5)]
    text = FormWriter(code).text(name, wanted)
    assert text is not None, "there is a faster form for this table"
    fast, luck = call_function(text, "tried", 3), Random(name)
    for _ in range(300):
        given = dict(zip(("%a", "%b", "%c"), odds(luck), strict=True))
        slow = getattr(loop, name)(numbers, *(given.get(x, x) for x in arguments(5)))
        assert fast(*given.values()) == slow, given


def random_set(luck: Random, members: int) -> int:
    return luck.getrandbits(members) if luck.random() < 0.7 else 1 << luck.randrange(members)


@pytest.mark.parametrize("kind", ["one after the other", "few values", "beyond sets"])
def test_filter_by_value_equals_the_loop(kind: str) -> None:
    luck = Random(kind)
    table = {
        "one after the other": [i + 3 for i in range(20)],
        "few values": [luck.randrange(6) for _ in range(20)],
        "beyond sets": [luck.randint(-3, 70) for _ in range(20)],
    }[kind]
    odds = lambda luck: [random_set(luck, 20), luck.getrandbits(62), 0]  # noqa: E731
    compare_forms("filter_by_value", table, lambda base: ["%a", base, "%b"], odds)


def test_filter_by_subset_equals_the_loop() -> None:
    luck = Random(5)
    table = [random_set(luck, 7) if luck.random() < 0.8 else 0 for _ in range(20)]
    odds = lambda luck: [random_set(luck, 20), luck.getrandbits(7), 0]  # noqa: E731
    compare_forms("filter_by_subset", table, lambda base: ["%a", base, "%b"], odds)


@pytest.mark.parametrize(("width", "faces"), [(4, [*range(1, 7)] * 2), (8, [*range(1, 6)]), (3, [*range(1, 9)] * 2)])
def test_sum_of_dice_equals_the_loop(width: int, faces: list[int]) -> None:
    def dice(luck: Random) -> list[int]:
        return [sum(luck.randrange(1 << width) << (width * i) for i in range(len(faces)) if luck.random() < 0.5), 0, 0]

    compare_forms("sum_dice", [*faces, 0], lambda base: ["%a", width, base], dice)


def test_next_allowed_combination_equals_the_loop() -> None:
    luck = Random(6)
    needs = [0, *(luck.getrandbits(4) for _ in range(100))]
    table = [len(needs), *(x for need in needs for x in (need, luck.randint(-4, 4)))]
    compare_forms(
        "next_allowed_combination",
        table,
        lambda base: [base, "%a", "%b"],
        lambda luck: [luck.randint(0, len(needs)), luck.getrandbits(5), 0],
    )


def test_unknown_or_too_large_table_has_no_faster_form(subtests: pytest.Subtests) -> None:
    """The loop's own function is used then."""
    numbers = [0] * 5 + [3, 1, 2]
    for name, table, arguments in (
        ("sum_dice", numbers[5:], ["%a", 4, "%b"]),
        ("sum_dice", numbers[5:], ["%a", "%b", 5]),
        ("sum_dice", [1 << 61, 1, 0], ["%a", 4, 5]),
        ("filter_by_value", numbers[5:], ["%a", "%b", "%c"]),
        ("filter_by_value", numbers[5:], ["%a", 6, "%c"]),
        ("filter_by_subset", numbers[5:], ["%a", "%b", "%c"]),
        ("filter_by_subset", [3, -1, 2], ["%a", 5, "%c"]),
        ("next_allowed_combination", numbers[5:], ["%b", "%a", "%c"]),
        ("next_allowed_combination", [0], [5, "%a", "%c"]),
        ("next_allowed_combination", [1, 1 << 14, 0], [5, "%a", "%c"]),
        ("next_allowed_combination", [256, *[1, 0] * 256], [5, "%a", "%c"]),
    ):
        with subtests.test(name=name, table=table, arguments=arguments):
            code = SpecializedCode([0] * 5 + table, [(5, len(table))])
            assert FormWriter(code).text(name, [code, *arguments]) is None
    for name, table, arguments in (
        ("next_allowed_combination", [255, *[1, 0] * 255], [5, "%a", "%c"]),
        ("next_allowed_combination", [1, 1 << 12, 0], [5, "%a", "%c"]),
        ("filter_by_subset", [3, 0, 2], ["%a", 5, "%c"]),
    ):
        with subtests.test(name=name, table=table):
            code = SpecializedCode([0] * 5 + table, [(5, len(table))])
            assert FormWriter(code).text(name, [code, *arguments]) is not None


# --- programs made by lot ----------------------------------------------------------------------


def strip_dead_cells(stop: tuple[int, list[int], list[int]]) -> tuple[int, list[int], list[int]]:
    """Return a state without the cells that nobody will read."""
    status, state, log = stop
    return status, mask_dead_cells(state), log


class IndirectCallProgram(RandomCode):
    """A random program whose routines are called by a number in a cell; some keep cells on the stack meanwhile."""

    def __init__(self, luck: Random, winding: bool) -> None:
        self.rng, self.winding, self.code, self.starts, self.routines = luck, winding, [], [], []
        for number in range(3):
            start = len(self.code)
            self.code += [o.SAVE, FIRST, 2] if number else []
            self.add_routine(luck.randint(2, 5))
            self.code += [o.RESTORE, FIRST, 2] if number else []
            self.code += [o.RET, start]
            self.routines.append(start)
        self.entry = len(self.code)
        calls = []
        for _ in range(2):
            calls.append(len(self.code) + 1)
            self.code += [o.CALLX, 0, FIRST + CELLS - DICE - 1]
            self.add_routine(3)
        self.code.append(o.OVER)
        self.faces = len(self.code)
        self.table = self.faces + FACES + 1
        self.code += [*range(1, FACES + 1), 0, *self.routines]
        for place in calls:
            self.code[place] = self.table

    def random_cell(self) -> int:
        """Return any cell but the last, which holds the number of a routine."""
        return FIRST + self.rng.randrange(CELLS - DICE - 1)

    def make_state(self) -> list[int]:
        state = super().make_state()
        state[FIRST + CELLS - DICE - 1] = self.rng.randrange(3)
        return state

    def build_program(self) -> Program:
        return replace(make_program(self), tables=((self.faces, FACES + 1), (self.table, 3)))


@pytest.mark.parametrize("winding", [False, True])
@pytest.mark.parametrize("events", [False, True])
@pytest.mark.sample(2)
def test_translations_of_random_programs_equal_the_loop(
    events: bool, winding: bool, monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    """Let loop and translation alternate, and compare all cells that are read again."""
    from edict.runtime.machine import translation

    def begin(self: translation.Translation) -> None:
        tier = next(tiers)
        self._load(tier, translation.compile_program(self._program, self._events, tier))

    monkeypatch.setattr(translation.Translation, "start", begin)
    ends, tiers = set(), cycle((translation.QUICK, translation.FULL))
    lots = {f"seed {seed}": RandomCode(Random(seed), winding) for seed in {*range(MADE), *TELLING}}
    lots |= {f"called, seed {seed}": IndirectCallProgram(Random(seed), winding) for seed in range(MADE // 2)}
    for said, made in lots.items():
        with subtests.test(said=said):
            state = made.make_state()
            state[o.LOGGING] = int(events)
            one = NativeProgram(made.build_program() if isinstance(made, IndirectCallProgram) else make_program(made))
            row = one.refresh(events, wait=True)

            def natively(_: list[int], cells: list[int], log: list[int], row: Any = row) -> int:
                arrays = native.make_integers(cells), native.make_integers(log)
                status = int(native.native_function(batches.step)(row, *arrays))
                cells[:], log[:] = arrays[0].tolist(), arrays[1].tolist()
                return status

            def plain(code: list[int], cells: list[int], log: list[int]) -> int:
                return loop.run(code, cells, log)

            alone = [strip_dead_cells(stop) for stop in run_to_end(made, state, plain)]
            assert [strip_dead_cells(stop) for stop in run_to_end(made, state, natively)] == alone
            assert [strip_dead_cells(stop) for stop in run_to_end(made, state, plain, natively)] == alone
            ends.add(alone[-1][0])
    assert len(ends) >= 3, "programs of many kinds"


# --- growth ------------------------------------------------------------------------------------


class LargeProgram(RandomCode):
    """A program of many random routines, all of which are called."""

    def __init__(self, luck: Random, routines: int) -> None:
        self.rng, self.winding, self.code, self.starts, self.routines = luck, False, [], [], []
        for _ in range(routines):
            start = len(self.code)
            self.add_routine(8)
            self.code += [o.RET, start]
            self.routines.append(start)
        self.entry = len(self.code)
        self.code += [number for start in self.routines for number in (o.CALL, start)]
        self.code.append(o.OVER)
        self.faces = len(self.code)
        self.code += [*range(1, FACES + 1), 0]


def measure_compile_time(routines: int) -> float:
    program = make_program(LargeProgram(Random(2), routines))
    began = time.process_time()
    assembling.compile_object(translate_program(program, loop.run, mix))
    return time.process_time() - began


@pytest.mark.slow
def test_compile_time_grows_linearly() -> None:
    """With tolerance for a slow moment; quadratic growth would take a hundred times as long."""
    measure_compile_time(5)
    assert measure_compile_time(150) < 25 * measure_compile_time(15)


# --- other computers ---------------------------------------------------------------------------


@pytest.mark.parametrize("quick", [True, False])
@pytest.mark.parametrize(
    ("triple", "begins", "symbol"),
    [
        ("x86_64-pc-windows-msvc", b"\x64\x86", b"played"),
        ("aarch64-pc-windows-msvc", b"\x64\xaa", b"played"),
        ("arm64-apple-darwin", b"\xcf\xfa\xed\xfe\x0c\x00\x00\x01", b"_played"),
        ("x86_64-apple-darwin", b"\xcf\xfa\xed\xfe\x07\x00\x00\x01", b"_played"),
        ("aarch64-unknown-linux-gnu", b"\x7fELF", b"played"),
    ],
)
def test_code_is_compiled_for_other_processors(triple: str, begins: bytes, symbol: bytes, quick: bool) -> None:
    """It cannot run here, but its format and the symbols that it needs can be checked."""
    assembling._initialize_cross_targets()
    made = make_program(RandomCode(Random(1)))
    text = translate_program(made, loop.run, mix).replace("@play(", "@played(")
    code = assembling.compile_object(text, quick, assembling.CompileTarget(triple, "", "", in_process=True))
    assert code.startswith(begins)
    assert symbol in code and "pdep" not in text, "not every processor finds a member of a set by one instruction"
    assert b"__chkstk" not in code, "no frame is so large that Windows wants to look at its pages"


def test_logarithm_is_found_in_the_system_library(monkeypatch: pytest.MonkeyPatch) -> None:
    """On Windows the library must be named, since a process cannot be asked for its symbols."""
    asked = list[str | None]()
    load = ctypes.CDLL

    def loaded(name: str | None) -> Any:
        asked.append(name)
        return load(None)

    monkeypatch.setattr(ctypes, "CDLL", loaded)
    monkeypatch.setattr(assembling, "MATH_LIBRARY", "ucrtbase")
    assembling._initialize_host.__wrapped__()
    assert asked == ["ucrtbase"]
