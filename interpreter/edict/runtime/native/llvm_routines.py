"""A routine of a program as an LLVM function, whose instructions are residues of the loop's own source.

    { place, spent } = @r<start>(state, context, sp, spent, at)

`at` says where to begin: 0 is the routine's first instruction, others are places where the machine can resume, after a
question, or after a call in which one was asked. The machine's stack is written as the loop writes it, so a state is
complete whenever the machine stops, and the loop can continue it as well. `sp` and `spent` are the cells of these
names; they are written back when the machine stops. `place` is that of the RET that ended the routine, plus `TOLD` if
the stack has moved meanwhile (the context then has `sp`), or -1 if the machine stopped.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from edict.runtime.native.decoding import DecodedProgram, DecodedRoutine
from edict.runtime.native.evaluating import CallEmitter, Evaluator
from edict.runtime.native.functions import BUILT_IN
from edict.runtime.native.llvm_text import LlvmBlock, LlvmWriter, Pointer, Value
from edict.runtime.native.memory import StateMemory
from edict.runtime.native.register_options import OfferPlaces, RegisterOptions, find_offers
from edict.runtime.native.residues import MachineSource
from edict.runtime.native.rows import LlvmRow
from edict.runtime.native.running import ContinuationPoint, StatementTranslator
from edict.runtime.native.specialized import FASTER, SpecializedCode
from edict.runtime.program import opcodes as o

MODE, SEED, ASKED, DRAWN, LOG, LOG_SIZE, STACKED = range(7)  # cells of the context
CONTEXT = 7
TOLD = 1 << 40
RETURN = "{ i64, i64 }"
LATE = (o.QUESTION, o.SEAT, o.RESULT)  # cells that matter only if the machine stops to ask


class RoutineState(StateMemory):
    """The state as a routine sees it, with known constants and cells that the routine keeps in registers."""

    def __init__(self, routine: RoutineTranslator, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._routine = routine

    def load(self, w: LlvmWriter, index: Value) -> Value:
        """Return a cell's value, from the routine's register if it holds it, else by a load instruction."""
        value = self._routine.register_value(index)
        return super().load(w, index) if value is None else value

    def store(self, w: LlvmWriter, index: Value, value: Value) -> None:
        """Emit a store to a cell, or keep the value in a register to be written later if that is possible."""
        if not self._routine.keep_in_register(index, value):
            super().store(w, index, value)


class RoutineTranslator(StatementTranslator):
    """The translator of one routine.

    With `events`, the machine writes events, and every question stops it.
    """

    split_by = ("pc",)

    def __init__(
        self,
        machine: MachineSource,
        decoded: DecodedProgram,
        code: SpecializedCode,
        routine: DecodedRoutine,
        offers: OfferPlaces,
        events: bool,
    ) -> None:
        super().__init__(machine.names, self._helper_emitter)
        self.machine, self.decoded, self.routine = machine, decoded, routine
        self.code, self.events, self.offers = decoded.code, events, offers
        program = decoded.program
        self.known = dict(self.known)
        self._numbers = {cell: program.initial[cell] for cell in program.constants}
        self.moves_stack = any(self.code[at] in (o.SAVE, o.RESTORE) for at in routine.places)
        self._begins: dict[str, int] = {}
        self.memory = StateMemory(program, self._begins)
        self.rows: dict[str, LlvmRow] = {"s": RoutineState(self, program, self._begins), "code": code}
        self.at = routine.start
        self.offered: RegisterOptions | None = None
        self.deferred: dict[int, Value] = {}
        self.answered: list[ContinuationPoint] = []
        self.stopped = self.w.new_block()
        self.stop_phis = [self.w.add_phi(self.stopped, "i64") for _ in range(4)]  # status, pc, sp, spent
        self.passed_on = self.w.new_block()
        self.leaders = self._create_leaders()

    # --- the function --------------------------------------------------------------------------------

    def resume_places(self) -> list[int]:
        """Return the sorted places after instructions in which the machine may stop for a question."""
        places = [self.decoded.next_place(at) for at in self.routine.places if self.decoded.may_stop_at(at)]
        return sorted(set(places))

    def _create_leaders(self) -> dict[int, tuple[LlvmBlock, dict[str, Any]]]:
        """Create a block for each jump target and resume place, with phis for `spent` and perhaps `sp`."""
        places = {self.routine.start, *self.resume_places()}
        places |= {target for at in self.routine.places if (target := self.decoded.jump_target(at)) is not None}
        names = ("spent", "sp") if self.moves_stack else ("spent",)
        leaders = {}
        for place in sorted(places):
            block = self.w.new_block()
            leaders[place] = block, {name: self.w.add_phi(block, "i64") for name in names}
        return leaders

    def text(self) -> str:
        """Return the LLVM text of the routine."""
        self._emit_entry()
        current: ContinuationPoint | None = None
        places = self.routine.places
        for number, at in enumerate(places):
            if at in self.leaders:
                if current is not None:
                    self._jump_to_leader(current, at)
                current = self._point_at_leader(at)
            assert current is not None
            self.resume_at(current)
            next_place = self.decoded.next_place(at)
            falls_through = next_place not in self.leaders and places[number + 1 : number + 2] == (next_place,)
            current = None
            for point in self.translate_instruction(at):
                if falls_through and point.env["pc"] == next_place:
                    current = point
                else:
                    self._jump_to_leader(point, point.env["pc"])
        self._emit_ends()
        return self.w.text(
            f"define internal fastcc {RETURN} @r{self.routine.start}"
            "(ptr noalias %s, ptr noalias %c, i64 %sp, i64 %spent, i32 %at) nounwind"
        )

    def _emit_entry(self) -> None:
        """Emit the first block, which jumps to the routine's start (0) or to the place where the machine resumes."""
        if self.events:
            log = self.load_context(LOG, "ptr"), self.load_context(LOG_SIZE)
            self.rows["log"] = LlvmRow(Pointer(log[0]), log[1])
        first, _ = self.leaders[self.routine.start]
        cases = []
        for number, place in enumerate([self.routine.start, *self.resume_places()]):
            block, phis = self.leaders[place]
            for name, phi in phis.items():
                phi.incoming.append((f"%{name}", self.w.block))
            cases += [f"i32 {number}, label %{block.name}"] if number else []
        self.w.terminate(
            f"switch i32 %at, label %{first.name} [{' '.join(cases)}]" if cases else f"br label %{first.name}"
        )

    def _point_at_leader(self, place: int) -> ContinuationPoint:
        """Return the point from which to translate the block at a place, with the values of its phis."""
        block, phis = self.leaders[place]
        return ContinuationPoint(block, {"sp": "%sp", **{name: phi.name for name, phi in phis.items()}})

    def _jump_to_leader(self, point: ContinuationPoint, place: int) -> None:
        """Emit a jump from a point to the block at a place, and add the point's values to its phis."""
        block, phis = self.leaders[place]
        self.resume_at(point)
        for name, phi in phis.items():
            phi.incoming.append((point.env[name], point.block))
        self.w.jump(block)

    def _emit_ends(self) -> None:
        """Emit the block that stores the machine's registers when it stops, and the one that returns place -1."""
        if self.stop_phis[0].incoming:
            self.w.resume(self.stopped)
            for cell, phi in zip((o.STATUS, o.PC, o.SP, o.SPENT), self.stop_phis, strict=True):
                self.memory.store(self.w, cell, phi.name)
            self.w.jump(self.passed_on)
        if self.stop_phis[0].incoming or self.passed_on.phis or self._has_calls():
            self.w.resume(self.passed_on)
            self.w.terminate(f"ret {RETURN} {{ i64 -1, i64 0 }}")

    def _has_calls(self) -> bool:
        """Return True if the routine contains CALL or CALLX."""
        return any(self.code[at] in (o.CALL, o.CALLX) for at in self.routine.places)

    def load_context(self, cell: int, type: str = "i64") -> str:
        """Load a cell of the context."""
        place = self.w.emit_value(f"getelementptr i64, ptr %c, i64 {cell}")
        return self.w.emit_value(f"load {type}, ptr {place}, !tbaa !3")

    # --- cells ---------------------------------------------------------------------------------------

    def register_value(self, index: Value) -> Value | None:
        """Return the value of a cell that need not be loaded; None otherwise."""
        if index == o.SP:
            self._begins[self.env["sp"]] = self.decoded.program.stack
            return self.env["sp"]  # type: ignore[no-any-return]
        if self.offered is not None and index in (o.OPTIONS, o.FIRST_OPTION):
            return self.offered.count() if index == o.OPTIONS else self.offered.option(0)
        return self._numbers.get(index) if isinstance(index, int) else None

    def calculate(self, op: type[ast.operator], a: Value, b: Value) -> Value:
        """Apply a binary operator, and note the least cell that a sum can address (see `_begins`)."""
        result = super().calculate(op, a, b)
        if op is ast.Add and isinstance(result, str):
            for part in (a, b):
                begin = part if isinstance(part, int) else self._begins.get(str(part))
                if begin is not None and begin >= o.FIRST_OPTION:
                    self._begins[result] = begin
        return result

    def keep_in_register(self, index: Value, value: Value) -> bool:
        """Return True, and keep the value, if a store need not be written yet."""
        if index == o.SP:
            self.env["sp"] = value
        elif self.code[self.at] in (o.ASK, o.ASKC) and index in LATE and isinstance(index, int):
            self.deferred[index] = value
        elif self.offered is None or index != o.OPTIONS:
            return False
        return True

    # --- instructions --------------------------------------------------------------------------------

    def translate_instruction(self, at: int) -> list[ContinuationPoint]:
        """Translate the instruction at `at`; return where control goes, the place in each `pc`."""
        op = self.code[at]
        if at in self.offers.guarded and not self.events:
            self._guard_options(at)
        if op == o.RET:
            return self._translate_return(at)
        if op in (o.OFFER, o.OFFERS) and self._gather_offer(at):
            return [self.current_point()]
        self.at, self.deferred, self.answered = at, {}, []
        kept = {"sp": self.env["sp"], "spent": self.env["spent"]}
        self.env = {**self.rows, **kept, "pc": at, "op": op, "logging": int(self.events), "status": o.RUNNING}
        points = self.translate_all(self.machine.residue(op))
        if op in (o.CALL, o.CALLX):
            points = [self._translate_call(point, at, kept["sp"]) for point in points]
        if op in (o.ASK, o.ASKC):
            self.offered = None
        return self.join_points(
            [ContinuationPoint(point.block, _keep_registers(point.env)) for point in points + self.answered]
        )

    def _guard_options(self, at: int) -> None:
        """Emit a check that there are no options yet; if there are, stop so that the loop goes on."""
        stopping, on = self.w.new_block(), self.w.new_block()
        self.w.branch(
            self.w.emit_value(f"icmp ne i64 {self.memory.load(self.w, o.OPTIONS)}, 0"), stopping, on, unlikely=True
        )
        env = {name: self.env[name] for name in ("sp", "spent")}
        self.resume_at(ContinuationPoint(stopping, {**env, "pc": at, "status": o.RUNNING}))
        self.deferred = {}
        self._emit_stop()
        self.resume_at(ContinuationPoint(on, env))

    def _gather_offer(self, at: int) -> bool:
        """Keep an OFFER's option in registers if its question follows at once; return False if not."""
        if self.offered is None and not self.events and at not in self.offers.maybe:
            self.offered = RegisterOptions(self) if find_offers(self.decoded, at, set(self.leaders)) else None
        if self.offered is None:
            return False
        many = self.code[at] == o.OFFERS
        self.at = at
        value = self.rows["s"].load(self.w, self.code[at + 1])
        self.offered.pieces.append((many, self._clamp_set(value) if many else value))
        self.env = {**_keep_registers(self.env | {"pc": self.decoded.next_place(at)})}
        return True

    def _clamp_set(self, value: Value) -> Value:
        """Return a set, or 0 for a negative number, which no set is but sums may be."""
        if isinstance(value, int):
            return max(value, 0)
        return self.w.emit_value(f"select i1 {self.w.emit_value(f'icmp sgt i64 {value}, 0')}, i64 {value}, i64 0")

    def _add(self, a: Value, b: Value) -> Value:
        """Return the sum of two integers, as an int if both are known while compiling."""
        return a + b if isinstance(a, int) and isinstance(b, int) else self.w.emit_value(f"add i64 {a}, {b}")

    def _translate_return(self, at: int) -> list[ContinuationPoint]:
        """Emit the routine's return of its place and the steps spent; no point follows, so return []."""
        place = at
        if self.moves_stack:
            address = self.w.emit_value(f"getelementptr i64, ptr %c, i64 {STACKED}")
            self.w.emit(f"store i64 {self.env['sp']}, ptr {address}, !tbaa !3")
            place += TOLD
        spent = self._add(self.env["spent"], self.decoded.next_place(at) - self.code[at + 1])
        self.w.terminate(f"ret {RETURN} {self.result_pair(place, spent)}")
        return []

    def result_pair(self, place: Value, spent: Value) -> str:
        """Emit the pair that a routine returns: the place to go on (negative: stop), and the budget spent."""
        first = self.w.emit_value(f"insertvalue {RETURN} undef, i64 {place}, 0")
        return self.w.emit_value(f"insertvalue {RETURN} {first}, i64 {spent}, 1")

    def _translate_call(self, point: ContinuationPoint, at: int, sp: Value) -> ContinuationPoint:
        """Emit the call of a routine (its return address is pushed), and return the point after it."""
        self.resume_at(point)
        place, next_place = point.env["pc"], self.decoded.next_place(at)
        function = f"@r{place}" if isinstance(place, int) else self._function_at(place)
        arguments = f"ptr %s, ptr %c, i64 {point.env['sp']}, i64 {point.env['spent']}, i32 0"
        result = self.w.emit_value(f"call fastcc {RETURN} {function}({arguments})")
        returned, on = self.w.emit_value(f"extractvalue {RETURN} {result}, 0"), self.w.new_block()
        self.w.branch(self.w.emit_value(f"icmp slt i64 {returned}, 0"), self.passed_on, on, unlikely=True)
        self.w.resume(on)
        spent = self.w.emit_value(f"extractvalue {RETURN} {result}, 1")
        return ContinuationPoint(on, {**point.env, "sp": sp, "spent": spent, "pc": next_place})

    def _function_at(self, place: str) -> str:
        """Emit the lookup of the native function of the routine at a computed place, and return its pointer."""
        number = self.w.emit_value(f"load i32, ptr {self.w.emit_value(f'getelementptr i32, ptr @ids, i64 {place}')}")
        return self.w.emit_value(
            f"load ptr, ptr {self.w.emit_value(f'getelementptr ptr, ptr @functions, i32 {number}')}"
        )

    def _helper_emitter(self, function: Callable[..., Any]) -> CallEmitter:
        """Return the emitter of a function that the loop calls, in a faster form or else inlined."""
        if function in BUILT_IN:
            return BUILT_IN[function]
        faster = FASTER.get(function.__name__)

        def emit_call(e: Evaluator, arguments: list[Any]) -> Any:
            """Emit the faster form if it applies to these arguments; otherwise inline the function."""
            result = faster(e, arguments) if faster else None
            return self.inline_call(self.machine.function_source(function), arguments) if result is None else result

        return emit_call

    # --- stops ---------------------------------------------------------------------------------------

    def translate_break(self) -> list[ContinuationPoint]:
        """Translate `break`, which ends the instruction outside of loops."""
        if self.loops:
            return super().translate_break()
        if self.env["status"] == o.ASKING and not self.events:
            self._emit_question()
        self._emit_stop()
        return []

    def _emit_stop(self) -> None:
        """Store deferred cells and offers, and jump to the block that saves the registers and leaves the routine."""
        for cell, value in self.deferred.items():
            self.memory.store(self.w, cell, value)
        if self.offered is not None:
            self.offered.store(self.memory)
        for phi, name in zip(self.stop_phis, ("status", "pc", "sp", "spent"), strict=True):
            phi.incoming.append((self.env[name], self.w.block))
        self.w.jump(self.stopped)

    def _emit_question(self) -> None:
        """Emit code that answers by a random draw in playout mode and goes on, or else stops."""
        drawing, stopping = self.w.new_block(), self.w.new_block()
        self.w.branch(self.w.emit_value(f"icmp eq i64 {self.load_context(MODE)}, 0"), stopping, drawing)
        self.w.resume(drawing)
        options = self.rows["s"].load(self.w, o.OPTIONS)
        chosen = self.w.emit_value(f"call i64 @drawn(ptr %c, i64 {options})")
        if self.offered is not None:
            value = self.offered.option(chosen)
        else:
            value = self.memory.load(self.w, self.w.emit_value(f"add i64 {chosen}, {o.FIRST_OPTION}"))
            self.memory.store(self.w, o.OPTIONS, 0)
        self.memory.store(self.w, self.deferred[o.RESULT], value)
        self.answered.append(ContinuationPoint(self.w.block, {**self.env, "status": o.RUNNING}))
        self.w.resume(stopping)


def _keep_registers(env: dict[str, Any]) -> dict[str, Any]:
    """Return only the machine's registers of an environment: `sp`, `spent` and `pc`."""
    return {name: env[name] for name in ("sp", "spent", "pc")}
