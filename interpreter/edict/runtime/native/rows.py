"""Rows of numbers as native code sees them, by address and length."""

from __future__ import annotations

from dataclasses import dataclass

from edict.runtime.native.llvm_text import LlvmWriter, Pointer, Real, Value, format_operand, type_of

WIDE_TYPES = ("i64", "double")


@dataclass(eq=False)
class LlvmRow:
    """A row of numbers in memory.

    Rows of i64 or double are read and written. Integers can also be written to rows of another type, such as i8 or
    float; those too large or too small for an integer type are clamped.
    """

    address: str
    length: Value
    type: str = "i64"
    fixed: bool = False  # nobody writes to it while native code runs

    def load(self, w: LlvmWriter, index: Value) -> Value:
        """Load a number."""
        assert self.type in WIDE_TYPES, "narrow rows are only written"
        name = w.emit_value(
            f"load {self.type}, ptr {self.element_address(w, index)}{', !invariant.load !0' if self.fixed else ''}"
        )
        return Real(name) if self.type == "double" else name

    def store(self, w: LlvmWriter, index: Value, value: Value) -> None:
        """Store a number."""
        w.emit(f"store {self.type} {self._convert(w, value)}, ptr {self.element_address(w, index)}")

    def _convert(self, w: LlvmWriter, value: Value) -> str:
        """Emit a value in the row's element type: doubles converted, smaller integers clamped to their range."""
        if type_of(value) == self.type or isinstance(value, int) and self.type.startswith("i"):
            return format_operand(value)
        if not self.type.startswith("i"):
            return w.emit_value(f"sitofp i64 {format_operand(value)} to {self.type}")
        greatest = (1 << int(self.type[1:]) - 1) - 1
        capped = w.emit_value(f"call i64 @llvm.smin.i64(i64 {format_operand(value)}, i64 {greatest})")
        return w.emit_value(
            f"trunc i64 {w.emit_value(f'call i64 @llvm.smax.i64(i64 {capped}, i64 {-greatest - 1})')} to {self.type}"
        )

    def element_address(self, w: LlvmWriter, index: Value) -> str:
        """Return the address of an element."""
        return (
            self.address if index == 0 else w.emit_value(f"getelementptr {self.type}, ptr {self.address}, i64 {index}")
        )


@dataclass(eq=False)
class LlvmRows:
    """Rows of equal length, contiguous in memory."""

    address: str
    count: Value
    width: Value
    type: str = "i64"

    def row(self, w: LlvmWriter, number: Value) -> LlvmRow:
        """Return one of the rows."""
        first = w.emit_value(f"mul i64 {number}, {self.width}")
        return LlvmRow(
            Pointer(w.emit_value(f"getelementptr {self.type}, ptr {self.address}, i64 {first}")), self.width, self.type
        )
