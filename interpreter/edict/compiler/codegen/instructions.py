"""An editable form of the code, as lists of instructions with their operands read and written, and their targets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

from edict.compiler.codegen.emit import CodeBuffer, CodeLabel, ForkNote, Operand, StackFrame
from edict.runtime.program import opcodes as o
from edict.support.records import dataclass

# Operands whose use differs from their letter in `OPERANDS`, such as those that are both read and written.
_READ = {
    o.BEST: (1, 2, 3, 4),
    o.PUSHO: (1, 2, 3),
    o.DADD: (1, 2),
    o.NEXT: (2,),
    o.LOOP: (2,),
    o.NTH: (2, 3, 4),
    o.LOOPN: (2, 3, 4),
    o.WAYS: (1, 2, 3, 5),
    o.TAKEN: (2,),
    o.ENTER: (1,),
    o.LEAVE: (1,),
}
_WRITTEN = {
    o.BEST: (1, 2),
    o.PUSHO: (1,),
    o.DADD: (1,),
    o.NEXT: (1, 2),
    o.LOOP: (1, 2),
    o.NTH: (1, 2),
    o.LOOPN: (1, 2),
    o.WAYS: (),
    o.TAKEN: (1, 3),
}


def _operands_by_letter(letters: str) -> dict[int, tuple[int, ...]]:
    """Map each opcode to the positions, from 1, of its operands whose letter in `OPERANDS` is among `letters`."""
    return {
        op: tuple(i for i, letter in enumerate(words.split(), 1) if letter in letters)
        for op, words in o.OPERANDS.items()
    }


READ_OPERANDS = {**_operands_by_letter("abci"), **_READ}
WRITTEN_OPERANDS = {**_operands_by_letter("d"), **_WRITTEN}
# An operand that is only read can be replaced by a cell with the same value; one that is also written cannot.
READ_ONLY_OPERANDS = {
    op: tuple(i for i in places if i not in WRITTEN_OPERANDS[op]) for op, places in READ_OPERANDS.items()
}

# Instructions that only compute their first operand and cannot fail.
PURE_OPS = frozenset(
    (
        o.MOV,
        o.ADD,
        o.SUB,
        o.LDX,
        o.TAB,
        o.LDXX,
        o.TABX,
        o.BIT,
        o.OR,
        o.AND,
        o.ANDN,
        o.MUL,
        o.MIN,
        o.MAX,
        o.IDX,
        o.COUNT,
        o.LOW,
        o.SIFT,
        o.INSIDE,
        o.DSUM,
        o.DCOUNT,
        o.DFACES,
        o.DFIELDS,
        o.DONE,
    )
)
CALL_OPS = frozenset((o.CALL, o.CALLX))
STORE_OPS = (
    frozenset((o.STX, o.STXX, o.PUTX, o.SET, o.ENTER, o.LEAVE, o.SAVE, o.RESTORE, o.SORT, o.ASK, o.ASKC)) | CALL_OPS
)
END_OPS = frozenset((o.JMP, o.RET, o.OVER, o.FAULT))  # control never continues at the next instruction


@dataclass(eq=False, slots=True)
class Instruction:
    """One instruction."""

    op: int
    args: list[Operand]
    cause: int
    labels: list[CodeLabel] = field(default_factory=list)  # labels placed before it
    fork: ForkNote | None = None

    @property
    def target(self) -> CodeLabel | None:
        """Return the label to which it may jump; None for calls, which return."""
        if not o.JMP <= self.op <= o.LOOPN:
            return None
        last = self.args[-1]
        return last if isinstance(last, CodeLabel) else None

    def iter_read_operands(self) -> Iterator[Operand]:
        """Iterate over the operands that are read."""
        return (self.args[i - 1] for i in READ_OPERANDS[self.op])

    def iter_written_operands(self) -> Iterator[Operand]:
        """Iterate over the operands that are written."""
        return (self.args[i - 1] for i in WRITTEN_OPERANDS[self.op])


@dataclass(eq=False, slots=True)
class CodeRoutine:
    """The instructions of one procedure."""

    frame: StackFrame
    instructions: list[Instruction]

    def as_tuples(self) -> list[tuple[Operand, ...]]:
        """Return a copy of the instructions as tuples, to compare before and after a pass."""
        return [(instruction.op, *instruction.args) for instruction in self.instructions]


def split_routines(code: CodeBuffer) -> list[CodeRoutine]:
    """Split the code into routines, in the sequence of the code."""
    labels: dict[int, list[CodeLabel]] = {}
    for label in _collect_labels(code):
        labels.setdefault(label.at, []).append(label)
    entries = {frame.entry.at: frame for frame in code.frames}
    causes = dict(code.places)
    routines: list[CodeRoutine] = []
    pc = cause = 0
    while pc < len(code.out):
        if pc in entries:
            routines.append(CodeRoutine(entries[pc], []))
        cause = causes.get(pc, cause)
        op = code.out[pc]
        assert isinstance(op, int)
        args = code.out[pc + 1 : pc + o.SIZE[op]]
        routines[-1].instructions.append(Instruction(op, args, cause, labels.get(pc, []), code.forks.get(pc)))
        pc += o.SIZE[op]
    return routines


def _collect_labels(code: CodeBuffer) -> set[CodeLabel]:
    """Return the placed labels that an instruction or table refers to, and the entries of all frames."""
    tables = (x for values in code.tables for x in values)
    used = {x for x in (*code.out, *tables) if isinstance(x, CodeLabel) and x.at >= 0}
    return used | {frame.entry for frame in code.frames}


def write_routines(code: CodeBuffer, routines: list[CodeRoutine]) -> None:
    """Write the instructions of the routines back to the code."""
    code.out.clear()
    code.places.clear()
    code.forks.clear()
    for instruction in (s for routine in routines for s in routine.instructions):
        for label in instruction.labels:
            code.place_label(label)
        code.cause = instruction.cause
        code.emit(instruction.op, *instruction.args)
        if instruction.fork is not None:
            code.forks[code.last_address] = instruction.fork


def find_jump_targets(routine: CodeRoutine) -> set[CodeLabel]:
    """Return the labels to which a routine jumps, and its entry."""
    return {routine.frame.entry, *(t for s in routine.instructions if (t := s.target) is not None)}


def find_label_positions(routine: CodeRoutine) -> dict[CodeLabel, int]:
    """Map each label to the index of its instruction."""
    return {label: i for i, instruction in enumerate(routine.instructions) for label in instruction.labels}


def remove_instructions(instructions: list[Instruction], keep: list[bool]) -> list[Instruction]:
    """Return the instructions whose entry in `keep` is True; labels of removed ones go to the next one kept."""
    if all(keep):
        return instructions
    remaining: list[Instruction] = []
    moved_labels: list[CodeLabel] = []
    for instruction, is_kept in zip(instructions, keep, strict=True):
        if is_kept:
            instruction.labels = moved_labels + instruction.labels
            moved_labels = []
            remaining.append(instruction)
        else:
            moved_labels += instruction.labels
    assert not moved_labels, "a label at the end of a routine"
    return remaining
