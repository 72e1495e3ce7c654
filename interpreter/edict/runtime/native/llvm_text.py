"""LLVM functions under construction as text, with blocks that can be resumed, and names for computed values.

A known number is a Python `int` or `float`, any other value is the name of an LLVM value: a plain `str` for an i64,
`LlvmTruth` for an i1, `Real` for a double, `Pointer` for an address. So whatever can be computed now is never emitted.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import field

from edict.support.records import dataclass


class LlvmTruth(str):
    """The name of an i1."""


class Real(str):
    """The name of a double."""


class Pointer(str):
    """The name of an address."""


Value = int | float | str


@dataclass(eq=False, slots=True)
class Phi:
    """A phi node, whose value depends on the block that control comes from."""

    name: str
    type: str
    incoming: list[tuple[Value, LlvmBlock]] = field(default_factory=list)

    def text(self) -> str:
        """Return the instruction."""
        pairs = ", ".join(f"[{format_operand(value)}, %{block.name}]" for value, block in self.incoming)
        return f"  {self.name} = phi {self.type} {pairs}"


@dataclass(eq=False, slots=True)
class LlvmBlock:
    """A basic block."""

    name: str
    phis: list[Phi] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    is_placed: bool = False  # it has its position in the function
    is_terminated: bool = False


UNLIKELY = ", !prof !1"  # marks the first target of a branch as unlikely by `METADATA`
METADATA = ('!1 = !{!"branch_weights", i32 1, i32 2000}',)


class LlvmWriter:
    """The writer of one LLVM function."""

    def __init__(self) -> None:
        self.blocks: list[LlvmBlock] = []
        self._names = 0
        self.block = self.resume(self.new_block())

    def new_block(self) -> LlvmBlock:
        """Create a block without a position."""
        self._names += 1
        return LlvmBlock(f"b{self._names}")

    def resume(self, block: LlvmBlock) -> LlvmBlock:
        """Continue in a block, and give it the next position if it has none."""
        if not block.is_placed:
            block.is_placed = True
            self.blocks.append(block)
        self.block = block
        return block

    def new_name(self) -> str:
        """Return an unused name."""
        self._names += 1
        return f"%t{self._names}"

    def emit_value(self, text: str) -> str:
        """Emit an instruction and return the name of its value."""
        self._names += 1
        name = f"%t{self._names}"
        self.block.lines.append(f"  {name} = {text}")
        return name

    def emit(self, text: str) -> None:
        """Emit an instruction without a value."""
        self.block.lines.append(f"  {text}")

    def terminate(self, text: str) -> None:
        """Emit the last instruction of the block."""
        assert not self.block.is_terminated, self.block.name
        self.block.lines.append(f"  {text}")
        self.block.is_terminated = True

    def jump(self, block: LlvmBlock) -> None:
        """Emit a jump."""
        self.terminate(f"br label %{block.name}")

    def branch(self, test: str, yes: LlvmBlock, no: LlvmBlock, unlikely: bool = False) -> None:
        """Emit a conditional branch; `unlikely` marks `yes` as unlikely."""
        self.terminate(f"br i1 {test}, label %{yes.name}, label %{no.name}{UNLIKELY if unlikely else ''}")

    def add_phi(self, block: LlvmBlock, type: str) -> Phi:
        """Add a phi node to a block."""
        phi = Phi(self.new_name(), type)
        block.phis.append(phi)
        return phi

    def text(self, head: str) -> str:
        """Return the text of the function, whose first line is `head`."""
        lines = [head + " {"]
        for block in self.blocks:
            assert block.is_terminated, f"{head}: {block.name} has no end"
            lines.append(f"{block.name}:")
            lines += [phi.text() for phi in block.phis]
            lines += block.lines
        return "\n".join([*lines, "}", ""])


def format_operand(value: Value) -> str:
    """Format a value as an operand; known doubles in exact hexadecimal form, known integers wrapped to 64 bits."""
    if isinstance(value, float):
        return f"0x{struct.pack('>d', value).hex()}"
    if isinstance(value, int) and value >> 63 > 0:
        return str(value - (1 << 64))
    return str(value)


def type_of(value: Value) -> str:
    """Return the LLVM type of a value."""
    if isinstance(value, LlvmTruth):
        return "i1"
    return "double" if isinstance(value, (Real, float)) else "ptr" if isinstance(value, Pointer) else "i64"


def as_typed_name(name: str, type: str) -> str:
    """Return the name of a value of a type."""
    return Real(name) if type == "double" else Pointer(name) if type == "ptr" else name


def are_identical(values: Sequence[object]) -> bool:
    """Return True if all values are identical; a truth differs from the number of that name."""
    first = values[0]
    return all(value is first or (type(value) is type(first) and value == first) for value in values[1:])
