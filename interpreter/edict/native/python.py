"""A program as plain Python: a function for each place where ways meet, for computers without llvmlite.

    def b123(s): ...      plays on from place 123; returns the function to go on with, or None when the machine stopped

Between such places one instruction follows the other, each as what is left of the loop's source for it with all that is
known worked out. Events are not written: for a state in which they are, the loop itself plays.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, MutableSequence, Sequence
from functools import lru_cache, partial
from typing import Any

from edict.native.decoding import Decoded, Routine
from edict.native.evaluating import NotPlain
from edict.native.python_expressions import SIGNS, Expressions, Text
from edict.native.remembering import REMEMBER, REMEMBERED, Known, Run
from edict.native.residues import Machine
from edict.native.running import assigned
from edict.program import Program
from edict.program import opcodes as o

PURE = ("sifted", "within", "summed", "allowed_from")  # what the loop calls, and depends on its arguments alone
COPIED = 6  # instructions that are written again rather than gone to


class Function(Expressions):
    """What is done from one place on, to wherever that leads."""

    def __init__(self, machine: Machine, decoded: Decoded, head: int, heads: set[int]) -> None:
        super().__init__(machine, decoded.program)
        self.decoded, self.head, self.heads = decoded, head, heads
        self.repeats = False
        self.path(head)

    def source(self) -> str:
        body = [" while True:", *(" " + line for line in self.lines)] if self.repeats else self.lines
        return "\n".join([f"def b{self.head}(s):", *body])

    def path(self, at: int) -> None:
        """From a place on to the end."""
        following: int | None = at
        begun = at != self.head or bool(self.lines)
        while following is not None:
            if following in self.heads and begun:
                self.leave(following)
                return
            begun = True
            following = self.step(following)

    def step(self, at: int) -> int | None:
        """One instruction; gives the place of the next, unless this function is left."""
        self.at = at
        self.env = {"pc": at, "op": self.code[at], "logging": 0, "status": o.RUNNING}
        if self.code[at] in REMEMBERED:
            return self.remembered(at)
        if not self.sequence(self.machine.residue(self.code[at])):
            return None
        if self.code[at] in (o.CALL, o.CALLX, o.RET):
            self.leave(self.pc)
            return None
        return self.place()

    def place(self) -> int:
        """Where it goes on, which is known of all but calls and returns."""
        assert isinstance(self.pc, int)
        return self.pc

    def remembered(self, at: int) -> int:
        """An instruction that was worked out before for the same numbers."""
        op, behind = self.code[at], self.decoded.behind(at)
        cells = (self.item("s", self.code[at + operand]) for operand in REMEMBERED[op])
        self.flush()
        self.put(f"value, spent = known[{at}][{', '.join(map(str, cells))}]")
        if op == o.REACH:
            self.put(f"s[{self.code[at + 1]}] = value; s[{o.SPENT}] += spent")
            return behind
        self.put(f"n = s[{o.OPTIONS}]; k = n + len(value)")
        self.put(f"if k > {self.decoded.program.room} or s[{o.SPENT}] + spent > BUDGET:")
        self.put(f" s[{o.PC}] = {at}")
        self.put(" return None")
        self.put(f"s[{o.FIRST_OPTION} + n:{o.FIRST_OPTION} + k] = value; s[{o.OPTIONS}] = k; s[{o.SPENT}] += spent")
        return behind

    def leave(self, place: Text) -> None:
        self.flush()
        if isinstance(place, str):
            self.put(f"return B.get({place}) or strange(s, {place})")
        elif place == self.head and self.code[self.at] not in (o.CALL, o.CALLX):
            self.repeats = True
            self.put("continue")
        else:
            self.put(f"return b{place}")

    def stop(self) -> None:
        self.flush()
        self.put(f"s[{o.PC}] = {self.pc}; s[{o.STATUS}] = {self.env.get('status', 'status')}")
        self.put("return None")

    @property
    def pc(self) -> Text:
        return self.env.get("pc", "pc")

    # --- statements: each says whether anything comes after it -----------------------------------------

    def sequence(self, statements: Sequence[ast.stmt], inside: bool = False) -> bool:
        for number, node in enumerate(statements):
            match node:
                case ast.If() if not inside and _leads_away(node):
                    return self.fork(node.test, node.body, node.orelse, statements[number + 1 :])
                case ast.Assign(targets=[ast.Name("pc")], value=ast.IfExp(test, body, other)):
                    one, two = (ast.Assign(node.targets, x) for x in (body, other))
                    return self.fork(test, [one], [two], statements[number + 1 :])
                case ast.Break() if not inside:
                    self.stop()
                    return False
                case _:
                    self.simple(node)
        return True

    def fork(
        self, test: ast.expr, body: Sequence[ast.stmt], other: Sequence[ast.stmt], after: Sequence[ast.stmt]
    ) -> bool:
        """Two ways, each with all that comes after; this continues with the second."""
        found = self.text(test)
        if isinstance(found, int):
            return self.sequence([*(body if found else other), *after])
        kept = dict(self.env), self.pending, self.at
        self.put(f"if {found}:")
        self.indent += 1
        if self.sequence([*body, *after]):
            if self.code[self.at] in (o.CALL, o.CALLX, o.RET):
                self.leave(self.pc)
            else:
                self.path(self.place())
        self.indent -= 1
        self.env, self.pending, self.at = kept
        return self.sequence([*other, *after])

    def simple(self, node: ast.stmt) -> None:
        match node:
            case ast.Assign(targets=[ast.Name("pc" | "size" as name)]):
                self.env[name] = self.text(node.value)
            case ast.Assign(targets=[ast.Name("spent")]):
                self.pending = 0
                self.put(f"s[{o.SPENT}] = {self.text(node.value)}")
            case ast.Assign(targets=[target]):
                self.assign(target, self.text(node.value))
            case ast.AugAssign(target=ast.Name("pc")):
                self.env["pc"] = self.binary(type(node.op), self.pc, self.text(node.value))
            case ast.AugAssign(target=ast.Name("spent")):
                value = self.text(node.value)
                if isinstance(value, int):
                    self.pending += value
                else:
                    self.put(f"s[{o.SPENT}] += {value}")
            case ast.AugAssign():
                value = self.text(node.value)
                if isinstance(node.target, ast.Name):
                    self.settle((node.target.id,))
                self.put(f"{self.text(_read(node.target))} {SIGNS[type(node.op)]}= {value}")
            case ast.If():
                self.either(node)
            case ast.While():
                self.settle(assigned(node.body))
                self.flush()
                self.put(f"while {self.text(node.test)}:")
                self.body(node.body)
            case ast.For(target=ast.Name(name), iter=ast.Call(args=[count])):
                self.flush()
                self.put(f"for {name} in range({self.text(count)}):")
                self.env.pop(name, None)
                self.body(node.body)
            case ast.Break():
                self.put("break")
            case ast.Pass():
                self.put("pass")
            case _:
                raise NotPlain(ast.dump(node))

    depth = 0  # in statements after which all ways are one again

    def assign(self, target: ast.expr, value: Text) -> None:
        if isinstance(target, ast.Name):
            if isinstance(value, int) and not self.depth:
                self.env[target.id] = value
                return
            self.env.pop(target.id, None)
            self.put(f"{target.id} = {value}")
        else:
            self.put(f"{self.text(target)} = {value}")

    def settle(self, names: Sequence[str]) -> None:
        """Names that will change become variables."""
        for name in names:
            if name in self.env and name not in ("pc", "size"):
                self.put(f"{name} = {self.env.pop(name)}")

    def either(self, node: ast.If) -> None:
        """A choice after which both ways are one again."""
        test = self.text(node.test)
        if isinstance(test, int):
            self.sequence(node.body if test else node.orelse, inside=True)
            return
        self.settle(assigned([node]))
        self.flush()
        self.put(f"if {test}:")
        self.body(node.body)
        if node.orelse:
            self.put("else:")
            self.body(node.orelse)

    def body(self, statements: Sequence[ast.stmt]) -> None:
        self.indent += 1
        self.depth += 1
        before = len(self.lines)
        self.sequence(statements, inside=True)
        self.flush()
        if len(self.lines) == before:
            self.put("pass")
        self.indent -= 1
        self.depth -= 1


def _leads_away(node: ast.If) -> bool:
    """Whether a way of a choice leaves, or says where to go on."""
    return _breaks(node) or "pc" in assigned([node])


def _breaks(node: ast.stmt) -> bool:
    if isinstance(node, ast.Break):
        return True
    return isinstance(node, ast.If) and any(_breaks(one) for one in (*node.body, *node.orelse))


def _read(target: ast.expr) -> ast.expr:
    return ast.Name(target.id) if isinstance(target, ast.Name) else target


def heads_of(decoded: Decoded, routine: Routine) -> set[int]:
    """The places of a routine that get a function of their own."""
    into = Counter(place for at in routine.places for place in decoded.following(at))
    back = {place for at in routine.places for place in decoded.following(at) if place <= at}
    behind = {decoded.behind(at) for at in routine.places if decoded.code[at] in (o.CALL, o.CALLX, o.ASK, o.ASKC)}
    merged = {place for place, ways in into.items() if ways > 1}
    long = {place for place in merged if _length(decoded, place, merged) > COPIED}
    return {routine.start, *back, *(behind & set(routine.places)), *long}


def _length(decoded: Decoded, at: int, merged: set[int]) -> int:
    """How many instructions there are from a place to where it leaves, if there is but one way; else many."""
    n = 0
    while n <= COPIED and not (n and at in merged):
        n += 1
        op = decoded.code[at]
        if op in (o.RET, o.OVER, o.FAULT, o.CALL, o.CALLX):
            return n
        following = decoded.following(at)
        if len(following) != 1 or op in (o.ASK, o.ASKC):
            return COPIED + 1
        (at,) = following
    return n


def written_in_python(program: Program, run: Callable[..., int]) -> str:
    """The source of all functions, and of `B`: which begins at which place."""
    decoded, machine = Decoded(program), Machine(run)
    heads: set[int] = set()
    for routine in decoded.routines.values():
        heads |= heads_of(decoded, routine)
    functions = [Function(machine, decoded, head, heads).source() for head in sorted(heads)]
    table = ", ".join(f"{head}: b{head}" for head in sorted(heads))
    return "\n\n".join([*functions, f"B = {{{table}}}\n"])


def in_python(program: Program, run: Run) -> Run:
    """A function that plays the program on as the loop `run` does."""
    helpers = {name: lru_cache(REMEMBER)(partial(run.__globals__[name], program.code)) for name in PURE}
    names: dict[str, Any] = {
        **run.__globals__, **helpers, "code": program.code, "strange": _strange, "known": Known(program, run)
    }  # fmt: skip
    exec(compile(written_in_python(program, run), f"<{program.title}>", "exec"), names)
    blocks = names["B"]

    def play(code: Sequence[int], s: MutableSequence[int], log: MutableSequence[int]) -> int:
        if s[o.LOGGING]:
            return run(code, s, log)
        if s[o.STATUS] == o.ASKING:
            s[s[o.RESULT]] = s[o.FIRST_OPTION + s[o.ANSWER]]
            s[o.OPTIONS] = 0
            s[o.STATUS] = o.RUNNING
        block = blocks.get(s[o.PC])
        while block is not None:
            block = block(s)
        return s[o.STATUS] if s[o.STATUS] != o.RUNNING else run(code, s, log)

    return play


def _strange(s: MutableSequence[int], place: int) -> None:
    """A place where no function begins: the loop goes on from there."""
    s[o.PC] = place

