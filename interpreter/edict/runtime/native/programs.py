"""A program as a module of LLVM, its routines and entry points, by the loop's own rules.

    status = run(state, log, room in log)    continues like the loop
    asked  = play(state, seed)               continues with every answer drawn, and returns the number of questions

The status `LEFT` means that the state is at a place where this code cannot start, or contains cells that it does not
expect; the loop can continue from there.
"""

from __future__ import annotations

from collections.abc import Callable

from edict.runtime.native.decoding import DecodedProgram
from edict.runtime.native.functions import DECLARATIONS, FunctionModule
from edict.runtime.native.llvm_routines import (
    ASKED,
    CONTEXT,
    DRAWN,
    LOG,
    LOG_SIZE,
    MODE,
    RETURN,
    SEED,
    STACKED,
    TOLD,
    RoutineTranslator,
)
from edict.runtime.native.llvm_text import METADATA
from edict.runtime.native.memory import METADATA as KINDS
from edict.runtime.native.register_options import find_offer_places
from edict.runtime.native.residues import MachineSource
from edict.runtime.native.rows import LlvmRow
from edict.runtime.native.running import StatementTranslator
from edict.runtime.native.specialized import SpecializedCode
from edict.runtime.program import Program
from edict.runtime.program import opcodes as o

LEFT = 99  # status of a state that only the loop can continue


def translate_program(
    program: Program, run: Callable[..., int], mixed: Callable[[int], int], events: bool = False, use_pdep: bool = False
) -> str:
    """Translate a program to LLVM text.

    Args:
        program: The program.
        run: The machine's loop.
        mixed: The random mixing function.
        events: Emit events.
        use_pdep: Use the PDEP instruction to find a member of a set by its number.
    """
    decoded, machine = DecodedProgram(program), MachineSource(run)
    code, offers = SpecializedCode(program.code, program.tables), find_offer_places(decoded)
    helpers = FunctionModule({})
    helpers.add(mixed)
    texts, entries = [], list[tuple[int, int, int]]()
    for routine in decoded.routines.values():
        function = RoutineTranslator(machine, decoded, code, routine, offers, events)
        texts.append(function.text())
        entries += [(at, routine.start, n) for n, at in enumerate([routine.start, *function.resume_places()])]
    handwritten = [HELPERS, MEMBER_BY_PDEP if use_pdep else MEMBER_BY_LOOP, DRIVER]
    inlined = [text.replace("nounwind", "nounwind alwaysinline", 1) for text in helpers.texts()]
    begin = _BeginFunction(machine, program, events).text()
    return "\n".join(
        [
            *DECLARATIONS,
            *METADATA,
            "!0 = !{}",
            *KINDS,
            code.text(),
            *inlined,
            *handwritten,
            *texts,
            _entry_tables(entries),
            begin,
        ]
    )


def _entry_tables(entries: list[tuple[int, int, int]]) -> str:
    """Return LLVM constants that map a place to its function and the position to resume there; 0 for none."""
    index: dict[int, int] = {}
    for number, (place, _, _) in enumerate(entries, 1):
        index.setdefault(place, number)
    size = max(index) + 1
    numbers = ", ".join(f"i32 {index.get(place, 0)}" for place in range(size))
    functions = ", ".join(["ptr null", *(f"ptr @r{start}" for _, start, _ in entries)])
    positions = ", ".join(["i32 0", *(f"i32 {at}" for _, _, at in entries)])
    return "\n".join(
        [
            f"@ids = private constant [{size} x i32] [{numbers}]",
            f"@functions = private constant [{len(entries) + 1} x ptr] [{functions}]",
            f"@ats = private constant [{len(entries) + 1} x i32] [{positions}]",
            f"@size = private constant i64 {size}",
        ]
    )


class _BeginFunction(StatementTranslator):
    """The function that runs the loop's prologue and checks whether this code can continue a state.

        { place, spent } = @begin(state, log, room in log)

    The place is -1 if it cannot.
    """

    def __init__(self, machine: MachineSource, program: Program, events: bool) -> None:
        super().__init__(machine.names, lambda function: _row_length)
        self.machine, self.events = machine, events
        self.env = {
            "s": LlvmRow("%s", len(program.initial)),
            "code": LlvmRow("null", 0),
            "log": LlvmRow("%log", "%log.size"),
        }

    def text(self) -> str:
        """Return the LLVM text of `@begin`; its place is -1 if options are pending or logging differs from `events`."""
        s = self.env["s"]
        for statement in self.machine.prologue:
            (end,) = self.translate_all([statement])
            self.resume_at(end)
        wrong_mode = self.w.emit_value(f"icmp ne i64 {self.env['logging']}, {int(self.events)}")
        offers = self.w.emit_value(f"icmp ne i64 {s.load(self.w, o.OPTIONS)}, 0")
        unfit = self.w.emit_value(f"select i1 {wrong_mode}, i1 true, i1 {offers}")
        place = self.w.emit_value(f"select i1 {unfit}, i64 -1, i64 {self.env['pc']}")
        first, spent = self.w.emit_value(f"insertvalue {RETURN} undef, i64 {place}, 0"), self.env["spent"]
        self.w.terminate(f"ret {RETURN} {self.w.emit_value(f'insertvalue {RETURN} {first}, i64 {spent}, 1')}")
        return self.w.text(f"define internal {RETURN} @begin(ptr noalias %s, ptr noalias %log, i64 %log.size) nounwind")


def _row_length(e: object, arguments: list[LlvmRow]) -> object:
    return arguments[0].length


MEMBER_BY_LOOP = """
define internal i64 @member(i64 %set, i64 %number) nounwind {
entry:
  br label %head
head:
  %m = phi i64 [%set, %entry], [%fewer, %body]
  %k = phi i64 [%number, %entry], [%less, %body]
  %done = icmp sle i64 %k, 0
  br i1 %done, label %out, label %body
body:
  %below = sub i64 %m, 1
  %fewer = and i64 %m, %below
  %less = sub i64 %k, 1
  br label %head
out:
  %found = call i64 @llvm.cttz.i64(i64 %m, i1 false)
  ret i64 %found
}
"""
MEMBER_BY_PDEP = """
declare i64 @llvm.x86.bmi.pdep.64(i64, i64)

define internal i64 @member(i64 %set, i64 %number) nounwind alwaysinline {
  %counted = shl i64 1, %number
  %bit = call i64 @llvm.x86.bmi.pdep.64(i64 %counted, i64 %set)
  %found = call i64 @llvm.cttz.i64(i64 %bit, i1 false)
  ret i64 %found
}
"""
# Random numbers as by `mixing.draw`, each computed one question ahead to hide its latency.
HELPERS = f"""
define internal i64 @drawn(ptr noalias %c, i64 %below) nounwind {{
  %drawn.p = getelementptr i64, ptr %c, i64 {DRAWN}
  %drawn = load i64, ptr %drawn.p, !tbaa !3
  call void @draw(ptr %c)
  %number = trunc i64 %drawn to i32
  %range = trunc i64 %below to i32
  %rest = urem i32 %number, %range
  %answer = zext i32 %rest to i64
  ret i64 %answer
}}

define internal void @draw(ptr noalias %c) nounwind alwaysinline {{
  %asked.p = getelementptr i64, ptr %c, i64 {ASKED}
  %before = load i64, ptr %asked.p, !tbaa !3
  %asked = add i64 %before, 1
  store i64 %asked, ptr %asked.p, !tbaa !3
  %seed.p = getelementptr i64, ptr %c, i64 {SEED}
  %seed = load i64, ptr %seed.p, !tbaa !3
  %step = mul i64 %asked, {0x9E3779B97F4A7C15 - (1 << 64)}
  %x = add i64 %seed, %step
  %mixed = call i64 @"mixing.mix"(i64 %x)
  %high = lshr i64 %mixed, 33
  %drawn.p = getelementptr i64, ptr %c, i64 {DRAWN}
  store i64 %high, ptr %drawn.p, !tbaa !3
  ret void
}}

define internal void @offered(ptr noalias %s, i64 %first, i64 %set) nounwind {{
entry:
  %start = add i64 %first, {o.FIRST_OPTION}
  br label %head
head:
  %m = phi i64 [%set, %entry], [%fewer, %body]
  %at = phi i64 [%start, %entry], [%next, %body]
  %done = icmp eq i64 %m, 0
  br i1 %done, label %out, label %body
body:
  %below = sub i64 %m, 1
  %fewer = and i64 %m, %below
  %member = call i64 @llvm.cttz.i64(i64 %m, i1 false)
  %p = getelementptr i64, ptr %s, i64 %at
  store i64 %member, ptr %p
  %next = add i64 %at, 1
  br label %head
out:
  ret void
}}
"""

DRIVER = f"""
define internal i64 @go(ptr noalias %s, ptr noalias %c, ptr noalias %log, i64 %log.size) nounwind {{
entry:
  %sp.p = getelementptr i64, ptr %s, i64 {o.SP}
  %pc.p = getelementptr i64, ptr %s, i64 {o.PC}
  %status.p = getelementptr i64, ptr %s, i64 {o.STATUS}
  %spent.p = getelementptr i64, ptr %s, i64 {o.SPENT}
  %stack.p = getelementptr i64, ptr %s, i64 {o.STACK}
  %told.p = getelementptr i64, ptr %c, i64 {STACKED}
  %begun = call {RETURN} @begin(ptr %s, ptr %log, i64 %log.size)
  %pc0 = extractvalue {RETURN} %begun, 0
  %spent0 = extractvalue {RETURN} %begun, 1
  %sp0 = load i64, ptr %sp.p
  %unfit = icmp slt i64 %pc0, 0
  br i1 %unfit, label %left, label %place
place:
  %pc = phi i64 [%pc0, %entry], [%back, %popped]
  %sp = phi i64 [%sp0, %entry], [%sp.popped, %popped]
  %spent = phi i64 [%spent0, %entry], [%spent.now, %popped]
  %size = load i64, ptr @size
  %low = icmp ult i64 %pc, %size
  br i1 %low, label %inside, label %strange
inside:
  %id.p = getelementptr i32, ptr @ids, i64 %pc
  %id = load i32, ptr %id.p
  %none = icmp eq i32 %id, 0
  br i1 %none, label %strange, label %known
strange:
  store i64 %pc, ptr %pc.p
  store i64 %sp, ptr %sp.p
  store i64 %spent, ptr %spent.p
  br label %left
left:
  ret i64 {LEFT}
known:
  %function.p = getelementptr ptr, ptr @functions, i32 %id
  %function = load ptr, ptr %function.p
  %at.p = getelementptr i32, ptr @ats, i32 %id
  %at = load i32, ptr %at.p
  %found = call fastcc {RETURN} %function(ptr %s, ptr %c, i64 %sp, i64 %spent, i32 %at)
  %returned = extractvalue {RETURN} %found, 0
  %spent.now = extractvalue {RETURN} %found, 1
  %stopped = icmp slt i64 %returned, 0
  br i1 %stopped, label %stop, label %return
stop:
  %status = load i64, ptr %status.p
  %running = icmp eq i64 %status, {o.RUNNING}
  br i1 %running, label %left, label %done
done:
  ret i64 %status
return:
  %flag = and i64 %returned, {TOLD}
  %moved = icmp ne i64 %flag, 0
  %told = load i64, ptr %told.p
  %sp.now = select i1 %moved, i64 %told, i64 %sp
  %from = and i64 %returned, {TOLD - 1}
  %stack = load i64, ptr %stack.p
  %empty = icmp eq i64 %sp.now, %stack
  br i1 %empty, label %over, label %popped
over:
  store i64 %from, ptr %pc.p
  store i64 %sp.now, ptr %sp.p
  store i64 %spent.now, ptr %spent.p
  store i64 {o.RETURNED}, ptr %status.p
  ret i64 {o.RETURNED}
popped:
  %sp.popped = sub i64 %sp.now, 1
  %back.p = getelementptr i64, ptr %s, i64 %sp.popped
  %back = load i64, ptr %back.p
  br label %place
}}

define i64 @run(ptr noalias %s, ptr noalias %log, i64 %log.size) nounwind {{
  %c = alloca [{CONTEXT} x i64]
  %mode.p = getelementptr i64, ptr %c, i64 {MODE}
  store i64 0, ptr %mode.p
  %log.p = getelementptr i64, ptr %c, i64 {LOG}
  store ptr %log, ptr %log.p
  %size.p = getelementptr i64, ptr %c, i64 {LOG_SIZE}
  store i64 %log.size, ptr %size.p
  %status = call i64 @go(ptr %s, ptr %c, ptr %log, i64 %log.size)
  ret i64 %status
}}

define i64 @play(ptr noalias %s, i64 %seed, ptr noalias %asked) nounwind {{
  %c = alloca [{CONTEXT} x i64]
  %mode.p = getelementptr i64, ptr %c, i64 {MODE}
  store i64 1, ptr %mode.p
  %seed.p = getelementptr i64, ptr %c, i64 {SEED}
  store i64 %seed, ptr %seed.p
  %asked.p = getelementptr i64, ptr %c, i64 {ASKED}
  %before = load i64, ptr %asked
  store i64 %before, ptr %asked.p
  call void @draw(ptr %c)
  %status = call i64 @go(ptr %s, ptr %c, ptr null, i64 0)
  %ahead = load i64, ptr %asked.p
  %after = sub i64 %ahead, 1
  store i64 %after, ptr %asked
  ret i64 %status
}}
"""
