"""Rows of numbers as native code sees them: where they lie, and how many there are."""

from __future__ import annotations

from dataclasses import dataclass

from edict.runtime.native.llvm_text import LlvmWriter, Pointer, Real, Value, type_of, written

WIDE = ("i64", "double")


@dataclass(eq=False)
class Row:
    """A row of numbers in memory, of type i64 or double; whole numbers may also be put into rows of another type, such
    as i8 or float. What is too large for such a type becomes the largest that it has, and so does what is too small.
    `fixed`: nobody writes to it while native code runs."""

    address: str
    length: Value
    type: str = "i64"
    fixed: bool = False

    def load(self, w: LlvmWriter, index: Value) -> Value:
        assert self.type in WIDE, "narrow rows are only written"
        found = w.op(f"load {self.type}, ptr {self.place(w, index)}{', !invariant.load !0' if self.fixed else ''}")
        return Real(found) if self.type == "double" else found

    def store(self, w: LlvmWriter, index: Value, value: Value) -> None:
        w.do(f"store {self.type} {self._fitting(w, value)}, ptr {self.place(w, index)}")

    def _fitting(self, w: LlvmWriter, value: Value) -> str:
        """The value in the row's own type."""
        if type_of(value) == self.type or isinstance(value, int) and self.type.startswith("i"):
            return written(value)
        if not self.type.startswith("i"):
            return w.op(f"sitofp i64 {written(value)} to {self.type}")
        most = (1 << int(self.type[1:]) - 1) - 1
        capped = w.op(f"call i64 @llvm.smin.i64(i64 {written(value)}, i64 {most})")
        return w.op(f"trunc i64 {w.op(f'call i64 @llvm.smax.i64(i64 {capped}, i64 {-most - 1})')} to {self.type}")

    def place(self, w: LlvmWriter, index: Value) -> str:
        return self.address if index == 0 else w.op(f"getelementptr {self.type}, ptr {self.address}, i64 {index}")


@dataclass(eq=False)
class Rows:
    """Rows of equal length that lie one behind the other."""

    address: str
    count: Value
    width: Value
    type: str = "i64"

    def row(self, w: LlvmWriter, number: Value) -> Row:
        first = w.op(f"mul i64 {number}, {self.width}")
        return Row(Pointer(w.op(f"getelementptr {self.type}, ptr {self.address}, i64 {first}")), self.width, self.type)
