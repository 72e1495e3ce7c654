"""LLVM functions being written, as text: blocks that can be gone back to, and names for what is computed.

A number that is known is a Python `int` (or `float`), everything else the name of an LLVM value: a plain `str` for an
i64, `LlvmTruth` for an i1, `Real` for a double, `Pointer` for an address. So what can be worked out now never gets
written.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field


class LlvmTruth(str):
    """The name of an i1."""


class Real(str):
    """The name of a double."""


class Pointer(str):
    """The name of an address."""


Value = int | float | str


@dataclass(eq=False, slots=True)
class Phi:
    """What is one value or another, by the block one comes from."""

    name: str
    type: str
    ways: list[tuple[Value, LlvmBlock]] = field(default_factory=list)

    def text(self) -> str:
        ways = ", ".join(f"[{written(value)}, %{block.name}]" for value, block in self.ways)
        return f"  {self.name} = phi {self.type} {ways}"


@dataclass(eq=False, slots=True)
class LlvmBlock:
    name: str
    phis: list[Phi] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    placed: bool = False
    ended: bool = False


RARE = ", !prof !1"  # the first way is seldom taken; `METADATA` says so
METADATA = ('!1 = !{!"branch_weights", i32 1, i32 2000}',)


class LlvmWriter:
    """One LLVM function."""

    def __init__(self) -> None:
        self.blocks: list[LlvmBlock] = []
        self._names = 0
        self.block = self.begin(self.new_block())

    def new_block(self) -> LlvmBlock:
        """A block that stands nowhere yet."""
        self._names += 1
        return LlvmBlock(f"b{self._names}")

    def begin(self, block: LlvmBlock) -> LlvmBlock:
        """Go on writing in a block, which takes its place now if it has none."""
        if not block.placed:
            block.placed = True
            self.blocks.append(block)
        self.block = block
        return block

    def name(self) -> str:
        self._names += 1
        return f"%t{self._names}"

    def op(self, text: str) -> str:
        """An instruction; gives the name of what it computes."""
        self._names += 1
        name = f"%t{self._names}"
        self.block.lines.append(f"  {name} = {text}")
        return name

    def do(self, text: str) -> None:
        """An instruction that gives nothing."""
        self.block.lines.append(f"  {text}")

    def end(self, text: str) -> None:
        """The last instruction of a block."""
        assert not self.block.ended, self.block.name
        self.block.lines.append(f"  {text}")
        self.block.ended = True

    def jump(self, block: LlvmBlock) -> None:
        self.end(f"br label %{block.name}")

    def fork(self, test: str, yes: LlvmBlock, no: LlvmBlock, rare: bool = False) -> None:
        self.end(f"br i1 {test}, label %{yes.name}, label %{no.name}{RARE if rare else ''}")

    def phi(self, block: LlvmBlock, type: str) -> Phi:
        made = Phi(self.name(), type)
        block.phis.append(made)
        return made

    def text(self, head: str) -> str:
        """The whole function, whose first line is `head`."""
        lines = [head + " {"]
        for block in self.blocks:
            assert block.ended, f"{head}: {block.name} has no end"
            lines.append(f"{block.name}:")
            lines += [phi.text() for phi in block.phis]
            lines += block.lines
        return "\n".join([*lines, "}", ""])


def written(value: Value) -> str:
    """A value as an operand; a known real number in the one form that is exact, a whole one as it is in 64 bits."""
    if isinstance(value, float):
        return f"0x{struct.pack('>d', value).hex()}"
    if isinstance(value, int) and value >> 63 > 0:
        return str(value - (1 << 64))
    return str(value)


def type_of(value: Value) -> str:
    if isinstance(value, LlvmTruth):
        return "i1"
    return "double" if isinstance(value, (Real, float)) else "ptr" if isinstance(value, Pointer) else "i64"


def named(name: str, type: str) -> str:
    """The name, as what it is the name of."""
    return Real(name) if type == "double" else Pointer(name) if type == "ptr" else name


def same(values: Sequence[object]) -> bool:
    """Whether all are one and the same value; a truth is not the number of that name."""
    first = values[0]
    return all(value is first or (type(value) is type(first) and value == first) for value in values[1:])
