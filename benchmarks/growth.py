"""How translation grows with the rules: modules one after the other, and the same rules several times over."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from edict.compiler.pipeline.compile import compile_rules
from edict.runtime.machine.translation import QUICK, compile_program
from edict.runtime.native.decoding import DecodedProgram
from edict.runtime.program import Program
from edict.runtime.program import opcodes as o
from edict.runtime.program.listing import TABLES, find_instructions

TIMES = (2, 5, 10)


class Repeated:
    """A program's code several times over, each with its own tables, and an entry that calls all of them."""

    def __init__(self, program: Program, times: int) -> None:
        self._program = program
        self._end, starts = find_instructions(program)
        self._starts = sorted(starts)
        self._tables = times * self._end + 2 * times + 1  # where the first copy of the tables begins
        self._length = len(program.code) - self._end
        calls = [number for copy in range(times) for number in (o.CALL, program.entry + copy * self._end)]
        parts = [self._instructions(copy) for copy in range(times)] + [[*calls, o.OVER]]
        parts += [self._rows(copy) for copy in range(times)]
        initial = list(program.initial)
        initial[o.FACES] = self._moved(initial[o.FACES], 0)
        tables = [(self._moved(base, copy), size) for copy in range(times) for base, size in program.tables]
        self.program = replace(
            program,
            code=tuple(number for part in parts for number in part),
            entry=times * self._end,
            initial=tuple(initial),
            tables=tuple(tables),
            meaning="",
        )

    def _moved(self, base: int, copy: int) -> int:
        """Where a table of a copy begins."""
        return base if base < self._end else self._tables + copy * self._length + base - self._end

    def _instructions(self, copy: int) -> list[int]:
        code = list(self._program.code[: self._end])
        for at in self._starts:
            op = code[at]
            for number, kind in enumerate(o.OPERANDS[op].split(), 1):
                if TABLES.get(op) == number:
                    code[at + number] = self._moved(code[at + number], copy)
                elif kind == "t":
                    code[at + number] += copy * self._end
        return code

    def _rows(self, copy: int) -> list[int]:
        """The tables; those of routines name places of the same copy."""
        program, sizes = self._program, dict(self._program.tables)
        rows = list(program.code[self._end :])
        routines = {program.code[at + TABLES[o.CALLX]] for at in self._starts if program.code[at] == o.CALLX}
        for base in routines:
            for at in range(base - self._end, base - self._end + sizes[base]):
                rows[at] += copy * self._end
        return rows


def seconds(program: Program) -> float:
    began = time.process_time()
    compile_program(program, events=False, tier=QUICK)
    return time.process_time() - began


def told(name: str, modules: Sequence[str]) -> int:
    """Measure and print."""
    print("\ngrowth of a quick translation, processor time")
    for count in range(len(modules) + 1):
        program = compile_rules(name, tuple(modules[:count])).unwrap()
        taken, size = seconds(program), len(program.code)
        print(
            f"  {count} modules     {taken:6.2f} s, {1e6 * taken / size:4.0f} µs for each of {size:,} numbers of code"
        )
    program = compile_rules(name).unwrap()
    once = seconds(program)
    for times in TIMES:
        many = Repeated(program, times).program
        taken, routines = seconds(many), len(DecodedProgram(many).routines)
        print(f"  {times:>2} times over {taken:6.2f} s, {taken / once:.1f} times as long, {routines:,} routines")
    return 0
