"""Expressions of the loop as Python's own, with numbers in the place of what is known."""

from __future__ import annotations

import ast

from edict.native.evaluating import BINARY, COMPARED, NotPlain
from edict.native.residues import Machine
from edict.program import Program
from edict.program import opcodes as o

Text = int | str
SIGNS: dict[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "//", ast.Mod: "%", ast.BitAnd: "&", ast.BitOr: "|",
    ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>", ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=",
    ast.Gt: ">", ast.GtE: ">=", ast.USub: "-", ast.Invert: "~",
}  # fmt: skip


class Expressions:
    """Expressions of the loop as Python, with numbers in the place of what is known."""

    def __init__(self, machine: Machine, program: Program) -> None:
        self.machine, self.code = machine, program.code
        self.size = len(program.initial)
        self.numbers = {cell: program.initial[cell] for cell in program.constants}
        self.env: dict[str, Text] = {}
        self.lines: list[str] = []
        self.indent = 1
        self.pending = 0  # what was spent and not yet put into its cell

    def put(self, text: str) -> None:
        self.lines.append(" " * self.indent + text)

    def flush(self) -> None:
        """Put what was spent where it belongs."""
        if self.pending:
            self.put(f"s[{o.SPENT}] += {self.pending}")
            self.pending = 0

    def text(self, node: ast.expr) -> Text:
        match node:
            case ast.Constant(value=int(value)):
                return int(value)
            case ast.Name():
                return self.name(node.id)
            case ast.BinOp():
                return self.binary(type(node.op), self.text(node.left), self.text(node.right))
            case ast.UnaryOp(op=ast.Not()):
                truth = self.text(node.operand)
                return int(not truth) if isinstance(truth, int) else f"(not {truth})"
            case ast.UnaryOp():
                operand = self.text(node.operand)
                return self.number(f"({SIGNS[type(node.op)]}{operand})", operand)
            case ast.Compare():
                return self.compared(node)
            case ast.BoolOp():
                return self.logic(node)
            case ast.IfExp():
                test = self.text(node.test)
                if isinstance(test, int):
                    return self.text(node.body if test else node.orelse)
                return f"({self.text(node.body)} if {test} else {self.text(node.orelse)})"
            case ast.Subscript(value=ast.Name(row)):
                return self.item(row, self.text(node.slice))
            case ast.Call():
                return self.call(node)
        raise NotPlain(ast.dump(node))

    def number(self, text: str, *parts: Text) -> Text:
        return int(eval(text)) if all(isinstance(part, int) for part in parts) else text

    def name(self, name: str) -> Text:
        if name == "spent":
            self.flush()
            return f"s[{o.SPENT}]"
        found = self.env.get(name, self.machine.names.get(name) if name.isupper() else None)
        return name if found is None else found

    def binary(self, op: type[ast.operator], a: Text, b: Text) -> Text:
        if isinstance(a, int) and isinstance(b, int):
            return int(BINARY[op][0](a, b))
        if b == 1 and op is ast.Mult:
            return a
        if b == 0 and op in (ast.Add, ast.Sub, ast.BitOr, ast.LShift, ast.RShift):
            return a
        return b if a == 0 and op is ast.Add else f"({a} {SIGNS[op]} {b})"

    def compared(self, node: ast.Compare) -> Text:
        parts = [self.text(part) for part in (node.left, *node.comparators)]
        if all(isinstance(part, int) for part in parts):
            pairs = zip(node.ops, parts, parts[1:], strict=False)
            return int(all(COMPARED[type(op)][0](a, b) for op, a, b in pairs))
        tests = " ".join(f"{SIGNS[type(op)]} {part}" for op, part in zip(node.ops, parts[1:], strict=True))
        return f"({parts[0]} {tests})"

    def logic(self, node: ast.BoolOp) -> Text:
        stops = isinstance(node.op, ast.Or)
        found: list[str] = []
        for operand in node.values:
            value = self.text(operand)
            if isinstance(value, str):
                found.append(value)
            elif bool(value) is stops:
                found.append(str(int(stops)))
                break
        if not found or found[0] in "01":
            return int(stops) if found else int(not stops)
        return f"({(' or ' if stops else ' and ').join(found)})"

    def item(self, row: str, index: Text) -> Text:
        if isinstance(index, int):
            if row == "code":
                return self.code[index]
            if row == "s" and index in self.numbers:
                return self.numbers[index]
        return f"{row}[{index}]"

    def call(self, node: ast.Call) -> Text:
        if isinstance(node.func, ast.Attribute):
            return f"{self.text(node.func.value)}.{node.func.attr}()"
        if isinstance(node.func, ast.Name) and node.func.id == "len":
            return self.size
        assert isinstance(node.func, ast.Name)
        arguments = [str(self.text(a)) for a in node.args if not (isinstance(a, ast.Name) and a.id == "code")]
        return f"{node.func.id}({', '.join(arguments)})"
