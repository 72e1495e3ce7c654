"""The state of a game where it lies, and what the compiler may take for granted of its parts."""

from __future__ import annotations

from edict.runtime.native.llvm_text import LlvmWriter, Value
from edict.runtime.native.rows import Row
from edict.runtime.program import Program
from edict.runtime.program import opcodes as o

NAMES = ("fixed", "options", "game", "working", "stack")  # of the kinds of memory in a state, which never overlap
KINDS = 11  # their numbers in LLVM's metadata are every second one from here
METADATA = (
    '!2 = !{!"machine"}',
    "!3 = !{!4, !4, i64 0}",
    '!4 = !{!"context", !2, i64 0}',
    *(f'!{KINDS - 1 + 2 * i} = !{{!"{name}", !2, i64 0}}' for i, name in enumerate(NAMES)),
    *(f"!{KINDS + 2 * i} = !{{!{KINDS - 1 + 2 * i}, !{KINDS - 1 + 2 * i}, i64 0}}" for i in range(len(NAMES))),
)


class StateMemory(Row):
    """The state where it lies. What is read and written is told apart by where it begins: the fixed cells, the options,
    those of the game, those that only computing uses, and the stack never overlap."""

    def __init__(self, program: Program, begins: dict[str, int]) -> None:
        super().__init__("%s", len(program.initial))
        self._ends = (o.FIRST_OPTION, program.header, program.working, program.stack)
        self._begins = begins  # of what is found by an index: the first cell it may be

    def load(self, w: LlvmWriter, index: Value) -> Value:
        return w.op(f"load i64, ptr {self.place(w, index)}{self._kind(index)}")

    def store(self, w: LlvmWriter, index: Value, value: Value) -> None:
        w.do(f"store i64 {value}, ptr {self.place(w, index)}{self._kind(index)}")

    def _kind(self, index: Value) -> str:
        first = index if isinstance(index, int) else self._begins.get(str(index))
        return "" if first is None else f", !tbaa !{KINDS + 2 * sum(first >= end for end in self._ends)}"
