"""A routine of a program as an LLVM function, its instructions as what is left of the loop's own source for them.

    { place, spent } = @r<start>(state, context, sp, spent, at)

`at` says where to begin: 0 is the routine's first instruction, others are places where the machine can go on: behind a
question, and behind a call in which one was asked. The machine's stack is written as the loop writes it, so a state is
complete whenever the machine stops, and the loop can continue with it as well. `sp` and `spent` are the cells of these
names; they go back into the state when the machine stops. `place` is that of the RET by which the routine ended, plus
`TOLD` if the stack has moved meanwhile (the context then has `sp`), or -1 when the machine stopped.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from edict.runtime.native.decoding import Decoded, DecodedRoutine
from edict.runtime.native.evaluating import Call, Evaluator
from edict.runtime.native.functions import BUILT_IN
from edict.runtime.native.llvm_text import LlvmBlock, LlvmWriter, Pointer, Value
from edict.runtime.native.memory import StateMemory
from edict.runtime.native.register_options import Offered, Offers, gathered
from edict.runtime.native.residues import Machine
from edict.runtime.native.rows import Row
from edict.runtime.native.running import ContinuationPoint, Runner
from edict.runtime.native.specialized import FASTER, SpecializedCode
from edict.runtime.program import opcodes as o

MODE, SEED, ASKED, DRAWN, LOG, LOG_SIZE, STACKED = range(7)  # cells of the context
CONTEXT = 7
TOLD = 1 << 40
RETURN = "{ i64, i64 }"
LATE = (o.QUESTION, o.SEAT, o.RESULT)  # cells that matter only if the machine stops to ask


class RoutineState(StateMemory):
    """The state: constants are known, and what the routine keeps to itself is asked of it."""

    def __init__(self, routine: Function, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._routine = routine

    def load(self, w: LlvmWriter, index: Value) -> Value:
        found = self._routine.held(index)
        return super().load(w, index) if found is None else found

    def store(self, w: LlvmWriter, index: Value, value: Value) -> None:
        if not self._routine.holds(index, value):
            super().store(w, index, value)


class Function(Runner):
    """One routine. `events`: the machine writes events; then every question stops it."""

    apart = ("pc",)

    def __init__(
        self,
        machine: Machine,
        decoded: Decoded,
        code: SpecializedCode,
        routine: DecodedRoutine,
        offers: Offers,
        events: bool,
    ) -> None:
        super().__init__(machine.names, self._helping)
        self.machine, self.decoded, self.routine = machine, decoded, routine
        self.code, self.events, self.offers = decoded.code, events, offers
        program = decoded.program
        self.known = dict(self.known)
        self._numbers = {cell: program.initial[cell] for cell in program.constants}
        self.moves = any(self.code[at] in (o.SAVE, o.RESTORE) for at in routine.places)
        self._begins: dict[str, int] = {}
        self.memory = StateMemory(program, self._begins)
        self.rows: dict[str, Row] = {"s": RoutineState(self, program, self._begins), "code": code}
        self.at = routine.start
        self.offered: Offered | None = None
        self.late: dict[int, Value] = {}
        self.answered: list[ContinuationPoint] = []
        self.stopped = self.w.new_block()
        self.stops = [self.w.phi(self.stopped, "i64") for _ in range(4)]  # status, pc, sp, spent
        self.passed = self.w.new_block()
        self.leaders = self._leaders()

    # --- the function --------------------------------------------------------------------------------

    def resumed(self) -> list[int]:
        """The places, besides the first, where the machine may go on."""
        places = [self.decoded.behind(at) for at in self.routine.places if self.decoded.stopping(at)]
        return sorted(set(places))

    def _leaders(self) -> dict[int, tuple[LlvmBlock, dict[str, Any]]]:
        """Where ways meet: a block each, and what `spent` (and `sp`, where it moves) are there."""
        places = {self.routine.start, *self.resumed()}
        places |= {target for at in self.routine.places if (target := self.decoded.target(at)) is not None}
        names = ("spent", "sp") if self.moves else ("spent",)
        found = {}
        for place in sorted(places):
            block = self.w.new_block()
            found[place] = block, {name: self.w.phi(block, "i64") for name in names}
        return found

    def text(self) -> str:
        self._entry()
        flowing: ContinuationPoint | None = None
        places = self.routine.places
        for number, at in enumerate(places):
            if at in self.leaders:
                if flowing is not None:
                    self._jump(flowing, at)
                flowing = self._at_leader(at)
            assert flowing is not None
            self.take(flowing)
            behind = self.decoded.behind(at)
            goes_on = behind not in self.leaders and places[number + 1 : number + 2] == (behind,)
            flowing = None
            for way in self.instruction(at):
                if goes_on and way.env["pc"] == behind:
                    flowing = way
                else:
                    self._jump(way, way.env["pc"])
        self._ends()
        return self.w.text(
            f"define internal fastcc {RETURN} @r{self.routine.start}"
            "(ptr noalias %s, ptr noalias %c, i64 %sp, i64 %spent, i32 %at) nounwind"
        )

    def _entry(self) -> None:
        if self.events:
            log = self.context(LOG, "ptr"), self.context(LOG_SIZE)
            self.rows["log"] = Row(Pointer(log[0]), log[1])
        first, _ = self.leaders[self.routine.start]
        cases = []
        for number, place in enumerate([self.routine.start, *self.resumed()]):
            block, phis = self.leaders[place]
            for name, phi in phis.items():
                phi.ways.append((f"%{name}", self.w.block))
            cases += [f"i32 {number}, label %{block.name}"] if number else []
        self.w.end(f"switch i32 %at, label %{first.name} [{' '.join(cases)}]" if cases else f"br label %{first.name}")

    def _at_leader(self, place: int) -> ContinuationPoint:
        block, phis = self.leaders[place]
        return ContinuationPoint(block, {"sp": "%sp", **{name: phi.name for name, phi in phis.items()}})

    def _jump(self, way: ContinuationPoint, place: int) -> None:
        block, phis = self.leaders[place]
        self.take(way)
        for name, phi in phis.items():
            phi.ways.append((way.env[name], way.block))
        self.w.jump(block)

    def _ends(self) -> None:
        if self.stops[0].ways:
            self.w.begin(self.stopped)
            for cell, phi in zip((o.STATUS, o.PC, o.SP, o.SPENT), self.stops, strict=True):
                self.memory.store(self.w, cell, phi.name)
            self.w.jump(self.passed)
        if self.stops[0].ways or self.passed.phis or self._calls():
            self.w.begin(self.passed)
            self.w.end(f"ret {RETURN} {{ i64 -1, i64 0 }}")

    def _calls(self) -> bool:
        return any(self.code[at] in (o.CALL, o.CALLX) for at in self.routine.places)

    def context(self, cell: int, type: str = "i64") -> str:
        place = self.w.op(f"getelementptr i64, ptr %c, i64 {cell}")
        return self.w.op(f"load {type}, ptr {place}, !tbaa !3")

    # --- cells ---------------------------------------------------------------------------------------

    def held(self, index: Value) -> Value | None:
        """What is in a cell that need not be looked up."""
        if index == o.SP:
            self._begins[self.env["sp"]] = self.decoded.program.stack
            return self.env["sp"]  # type: ignore[no-any-return]
        if self.offered is not None and index in (o.OPTIONS, o.FIRST_OPTION):
            return self.offered.count() if index == o.OPTIONS else self.offered.option(0)
        return self._numbers.get(index) if isinstance(index, int) else None

    def calculated(self, op: type[ast.operator], a: Value, b: Value) -> Value:
        found = super().calculated(op, a, b)
        if op is ast.Add and isinstance(found, str):
            for part in (a, b):
                begin = part if isinstance(part, int) else self._begins.get(str(part))
                if begin is not None and begin >= o.FIRST_OPTION:
                    self._begins[found] = begin
        return found

    def holds(self, index: Value, value: Value) -> bool:
        """Whether this takes what is put into a cell."""
        if index == o.SP:
            self.env["sp"] = value
        elif self.code[self.at] in (o.ASK, o.ASKC) and index in LATE and isinstance(index, int):
            self.late[index] = value
        elif self.offered is None or index != o.OPTIONS:
            return False
        return True

    # --- instructions --------------------------------------------------------------------------------

    def instruction(self, at: int) -> list[ContinuationPoint]:
        """One instruction; gives the ways that lead on, each with its place in `pc`."""
        op = self.code[at]
        if at in self.offers.guarded and not self.events:
            self._guard(at)
        if op == o.RET:
            return self._return(at)
        if op in (o.OFFER, o.OFFERS) and self._gathers(at):
            return [self.here()]
        self.at, self.late, self.answered = at, {}, []
        kept = {"sp": self.env["sp"], "spent": self.env["spent"]}
        self.env = {**self.rows, **kept, "pc": at, "op": op, "logging": int(self.events), "status": o.RUNNING}
        ways = self.sequence(self.machine.residue(op))
        if op in (o.CALL, o.CALLX):
            ways = [self._call(way, at, kept["sp"]) for way in ways]
        if op in (o.ASK, o.ASKC):
            self.offered = None
        return self.joined([ContinuationPoint(way.block, _kept(way.env)) for way in ways + self.answered])

    def _guard(self, at: int) -> None:
        """Leave the game to the loop if there are options where none are expected."""
        stopping, on = self.w.new_block(), self.w.new_block()
        self.w.fork(self.w.op(f"icmp ne i64 {self.memory.load(self.w, o.OPTIONS)}, 0"), stopping, on, rare=True)
        env = {name: self.env[name] for name in ("sp", "spent")}
        self.take(ContinuationPoint(stopping, {**env, "pc": at, "status": o.RUNNING}))
        self.late = {}
        self._stop()
        self.take(ContinuationPoint(on, env))

    def _gathers(self, at: int) -> bool:
        """Whether an offer goes into registers, since its question follows at once; then it is there now."""
        if self.offered is None and not self.events and at not in self.offers.maybe:
            self.offered = Offered(self) if gathered(self.decoded, at, set(self.leaders)) else None
        if self.offered is None:
            return False
        many = self.code[at] == o.OFFERS
        self.at = at
        value = self.rows["s"].load(self.w, self.code[at + 1])
        self.offered.pieces.append((many, self._members(value) if many else value))
        self.env = {**_kept(self.env | {"pc": self.decoded.behind(at)})}
        return True

    def _members(self, value: Value) -> Value:
        """A set, or nothing if it is none: no set is negative, but sums are."""
        if isinstance(value, int):
            return max(value, 0)
        return self.w.op(f"select i1 {self.w.op(f'icmp sgt i64 {value}, 0')}, i64 {value}, i64 0")

    def _plus(self, a: Value, b: Value) -> Value:
        return a + b if isinstance(a, int) and isinstance(b, int) else self.w.op(f"add i64 {a}, {b}")

    def _return(self, at: int) -> list[ContinuationPoint]:
        place = at
        if self.moves:
            told = self.w.op(f"getelementptr i64, ptr %c, i64 {STACKED}")
            self.w.do(f"store i64 {self.env['sp']}, ptr {told}, !tbaa !3")
            place += TOLD
        spent = self._plus(self.env["spent"], self.decoded.behind(at) - self.code[at + 1])
        self.w.end(f"ret {RETURN} {self.pair(place, spent)}")
        return []

    def pair(self, place: Value, spent: Value) -> str:
        first = self.w.op(f"insertvalue {RETURN} undef, i64 {place}, 0")
        return self.w.op(f"insertvalue {RETURN} {first}, i64 {spent}, 1")

    def _call(self, way: ContinuationPoint, at: int, sp: Value) -> ContinuationPoint:
        """What the loop does by going to another place: its stack has the way back already."""
        self.take(way)
        place, behind = way.env["pc"], self.decoded.behind(at)
        function = f"@r{place}" if isinstance(place, int) else self._function_at(place)
        arguments = f"ptr %s, ptr %c, i64 {way.env['sp']}, i64 {way.env['spent']}, i32 0"
        found = self.w.op(f"call fastcc {RETURN} {function}({arguments})")
        returned, on = self.w.op(f"extractvalue {RETURN} {found}, 0"), self.w.new_block()
        self.w.fork(self.w.op(f"icmp slt i64 {returned}, 0"), self.passed, on, rare=True)
        self.w.begin(on)
        spent = self.w.op(f"extractvalue {RETURN} {found}, 1")
        return ContinuationPoint(on, {**way.env, "sp": sp, "spent": spent, "pc": behind})

    def _function_at(self, place: str) -> str:
        number = self.w.op(f"load i32, ptr {self.w.op(f'getelementptr i32, ptr @ids, i64 {place}')}")
        return self.w.op(f"load ptr, ptr {self.w.op(f'getelementptr ptr, ptr @functions, i32 {number}')}")

    def _helping(self, function: Callable[..., Any]) -> Call:
        """A function that the loop calls: in a faster form, or else written in place."""
        if function in BUILT_IN:
            return BUILT_IN[function]
        faster = FASTER.get(function.__name__)

        def call(e: Evaluator, arguments: list[Any]) -> Any:
            found = faster(e, arguments) if faster else None
            return self.inlined(self.machine.function(function), arguments) if found is None else found

        return call

    # --- stops ---------------------------------------------------------------------------------------

    def leaving(self) -> list[ContinuationPoint]:
        if self.loops:
            return super().leaving()
        if self.env["status"] == o.ASKING and not self.events:
            self._ask()
        self._stop()
        return []

    def _stop(self) -> None:
        for cell, value in self.late.items():
            self.memory.store(self.w, cell, value)
        if self.offered is not None:
            self.offered.write(self.memory)
        for phi, name in zip(self.stops, ("status", "pc", "sp", "spent"), strict=True):
            phi.ways.append((self.env[name], self.w.block))
        self.w.jump(self.stopped)

    def _ask(self) -> None:
        """A question: if the caller wants so, a draw answers at once; where the machine stops is gone on with."""
        drawing, stopping = self.w.new_block(), self.w.new_block()
        self.w.fork(self.w.op(f"icmp eq i64 {self.context(MODE)}, 0"), stopping, drawing)
        self.w.begin(drawing)
        options = self.rows["s"].load(self.w, o.OPTIONS)
        chosen = self.w.op(f"call i64 @drawn(ptr %c, i64 {options})")
        if self.offered is not None:
            value = self.offered.option(chosen)
        else:
            value = self.memory.load(self.w, self.w.op(f"add i64 {chosen}, {o.FIRST_OPTION}"))
            self.memory.store(self.w, o.OPTIONS, 0)
        self.memory.store(self.w, self.late[o.RESULT], value)
        self.answered.append(ContinuationPoint(self.w.block, {**self.env, "status": o.RUNNING}))
        self.w.begin(stopping)


def _kept(env: dict[str, Any]) -> dict[str, Any]:
    return {name: env[name] for name in ("sp", "spent", "pc")}
