"""The memory of a state, divided into areas that do not overlap, as alias information for LLVM."""

from __future__ import annotations

from edict.runtime.native.llvm_text import LlvmWriter, Value
from edict.runtime.native.rows import LlvmRow
from edict.runtime.program import Program
from edict.runtime.program import opcodes as o

AREAS = ("fixed", "options", "game", "working", "stack")  # areas of a state
FIRST_TAG = 11  # number of the first area's tag in LLVM's metadata; the others are every second one
METADATA = (
    '!2 = !{!"machine"}',
    "!3 = !{!4, !4, i64 0}",
    '!4 = !{!"context", !2, i64 0}',
    *(f'!{FIRST_TAG - 1 + 2 * i} = !{{!"{name}", !2, i64 0}}' for i, name in enumerate(AREAS)),
    *(
        f"!{FIRST_TAG + 2 * i} = !{{!{FIRST_TAG - 1 + 2 * i}, !{FIRST_TAG - 1 + 2 * i}, i64 0}}"
        for i in range(len(AREAS))
    ),
)


class StateMemory(LlvmRow):
    """A state in memory.

    Accesses are tagged by where they begin: the fixed cells, the options, the game's cells, those of computations and
    the stack never overlap.
    """

    def __init__(self, program: Program, begins: dict[str, int]) -> None:
        super().__init__("%s", len(program.initial))
        self._ends = (o.FIRST_OPTION, program.header_size, program.working, program.stack)
        self._lower_bounds = begins  # of a computed index: the lowest cell that it can be

    def load(self, w: LlvmWriter, index: Value) -> Value:
        """Load a cell."""
        return w.emit_value(f"load i64, ptr {self.element_address(w, index)}{self._alias_tag(index)}")

    def store(self, w: LlvmWriter, index: Value, value: Value) -> None:
        """Store a cell."""
        w.emit(f"store i64 {value}, ptr {self.element_address(w, index)}{self._alias_tag(index)}")

    def _alias_tag(self, index: Value) -> str:
        """Return the `!tbaa` suffix for the area that a cell's index is in; empty if that is unknown."""
        first = index if isinstance(index, int) else self._lower_bounds.get(str(index))
        return "" if first is None else f", !tbaa !{FIRST_TAG + 2 * sum(first >= end for end in self._ends)}"
