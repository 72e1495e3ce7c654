"""Code as a list of steps that can be rearranged: what each reads, writes and where it may continue."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from edict.compiler.codegen.emit import Code, Forking, Frame, Label, Operand
from edict.runtime.program import opcodes as o

# Operands that are read and written, or otherwise not as their letter in `OPERANDS` says.
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


def _by_letter(letters: str) -> dict[int, tuple[int, ...]]:
    return {
        op: tuple(i for i, letter in enumerate(words.split(), 1) if letter in letters)
        for op, words in o.OPERANDS.items()
    }


READ = {**_by_letter("abci"), **_READ}
WRITTEN = {**_by_letter("d"), **_WRITTEN}
# What only reads can be read from somewhere else; what is also written cannot.
PLAIN = {op: tuple(i for i in places if i not in WRITTEN[op]) for op, places in READ.items()}

# Steps that only compute their first operand and cannot fail.
PURE = frozenset(
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
CALLS = frozenset((o.CALL, o.CALLX))
STORES = frozenset((o.STX, o.STXX, o.PUTX, o.SET, o.ENTER, o.LEAVE, o.SAVE, o.RESTORE, o.SORT, o.ASK, o.ASKC)) | CALLS
ENDS = frozenset((o.JMP, o.RET, o.OVER, o.FAULT))


@dataclass(eq=False, slots=True)
class Instruction:
    """One instruction; `at` are the labels that stand before it."""

    op: int
    args: list[Operand]
    cause: int
    at: list[Label] = field(default_factory=list)
    fork: Forking | None = None

    @property
    def target(self) -> Label | None:
        """Where it may jump to; calls come back, so theirs is none."""
        if not o.JMP <= self.op <= o.LOOPN:
            return None
        last = self.args[-1]
        return last if isinstance(last, Label) else None

    def read(self) -> Iterator[Operand]:
        return (self.args[i - 1] for i in READ[self.op])

    def written(self) -> Iterator[Operand]:
        return (self.args[i - 1] for i in WRITTEN[self.op])


@dataclass(eq=False, slots=True)
class ProcedureSteps:
    """The steps of one frame's procedure."""

    frame: Frame
    steps: list[Instruction]

    def written(self) -> list[tuple[Operand, ...]]:
        """What stands in it, to see whether that has changed."""
        return [(step.op, *step.args) for step in self.steps]


def taken_apart(code: Code) -> list[ProcedureSteps]:
    """The code as routines, in the order they were written."""
    labels: dict[int, list[Label]] = {}
    for label in _labels(code):
        labels.setdefault(label.at, []).append(label)
    entries = {frame.entry.at: frame for frame in code.frames}
    causes = dict(code.places)
    routines: list[ProcedureSteps] = []
    pc = cause = 0
    while pc < len(code.out):
        if pc in entries:
            routines.append(ProcedureSteps(entries[pc], []))
        cause = causes.get(pc, cause)
        op = code.out[pc]
        assert isinstance(op, int)
        args = code.out[pc + 1 : pc + o.SIZE[op]]
        routines[-1].steps.append(Instruction(op, args, cause, labels.get(pc, []), code.forks.get(pc)))
        pc += o.SIZE[op]
    return routines


def _labels(code: Code) -> set[Label]:
    tables = (x for values in code.tables for x in values)
    used = {x for x in (*code.out, *tables) if isinstance(x, Label) and x.at >= 0}
    return used | {frame.entry for frame in code.frames}


def put_together(code: Code, routines: list[ProcedureSteps]) -> None:
    """Write the steps back."""
    code.out.clear()
    code.places.clear()
    code.forks.clear()
    for step in (s for routine in routines for s in routine.steps):
        for label in step.at:
            code.put(label)
        code.cause = step.cause
        code.emit(step.op, *step.args)
        if step.fork is not None:
            code.forks[code.last] = step.fork


def targets(routine: ProcedureSteps) -> set[Label]:
    """The labels that something in the routine jumps to, and its entry."""
    return {routine.frame.entry, *(t for s in routine.steps if (t := s.target) is not None)}


def places(routine: ProcedureSteps) -> dict[Label, int]:
    """Where each label stands, by the number of its step."""
    return {label: i for i, step in enumerate(routine.steps) for label in step.at}


def removed(steps: list[Instruction], keep: list[bool]) -> list[Instruction]:
    """The steps that stay; labels of the others pass on to the next."""
    if all(keep):
        return steps
    left: list[Instruction] = []
    passed: list[Label] = []
    for step, stays in zip(steps, keep, strict=True):
        if stays:
            step.at = passed + step.at
            passed = []
            left.append(step)
        else:
            passed += step.at
    assert not passed, "a label at the end of a routine"
    return left
