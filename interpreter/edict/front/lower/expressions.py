"""Expressions to code. `value` gives the cell that holds a value, `jump` goes somewhere on a condition."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from edict.front import tree as t
from edict.front.expression_types import Coercion
from edict.front.link import Held
from edict.front.lower.context import Context, Procedure
from edict.front.lower.emit import Label, Operand, Slot
from edict.front.lower.layout import NUMBERS, Home
from edict.front.symbols import Local, Symbol
from edict.front.types import param_type
from edict.program import NO, YES, Type
from edict.program import opcodes as o

FEW = 4  # members that are gone through one by one, without a loop
MOST_COPIES = 64  # of one condition, where such members stand in each other
EMPTY_ORDER = (1 << 60) - 1


# --- places ------------------------------------------------------------------------------------


class Place:
    """Cells of a keep, a resource or a local: base and, unless it is a single cell, an index."""

    def __init__(self, base: Operand, index: Operand | None = None, home: Home | None = None) -> None:
        self.base = base
        self.index = index
        self.home = home

    def read(self, c: Context) -> Operand:
        if self.index is None:
            return self.base
        cell = c.cell()
        c.emit(o.LDX, cell, self.base, self.index)
        return cell

    def write(self, c: Context, value: Operand) -> None:
        """A change that is an event, within its declared range; of a local it is none."""
        if self.home is None and self.index is None and not isinstance(self.base, int):
            c.emit(o.MOV, self.base, value)
            return
        self._check(c, value)
        if self.index is None:
            c.emit(o.SET, self.base, value)
        else:
            c.emit(o.STX, self.base, self.index, value)

    def _check(self, c: Context, value: Operand) -> None:
        written = self.home.keep.type if self.home else None
        if written is not None and written.low is not None and written.high is not None:
            c.emit(o.RANGE, value, c.const(written.low), c.const(written.high))

    def known(self) -> Place | None:
        """Where it is kept who knows this value."""
        if self.home is None or self.home.known < 0:
            return None
        assert isinstance(self.base, int)
        return Place(self.base + self.home.known - self.home.base, self.index)


def place(c: Context, expr: t.Expr) -> Place:
    if isinstance(expr, t.Apply):
        meaning = c.resolved.of(expr.head)
        assert not isinstance(meaning, Local)
        home = c.layout.keeps[meaning.name]
        return _indexed(c, home, [_bounded(c, a) for a in expr.args])
    assert isinstance(expr, t.Name)
    meaning = c.resolved.of(expr)
    if isinstance(meaning, Local):
        return Place(c.where[meaning])
    home = c.layout.keeps[meaning.name]
    return Place(home.base, None, home)


def _bounded(c: Context, expr: t.Expr) -> Operand:
    """An index of a keep: a number beyond what is kept is a fault."""
    operand = value(c, expr)
    if c.type(expr).shape == "number":
        c.emit(o.RANGE, operand, c.const(0), c.const(NUMBERS - 1))
    return operand


def _indexed(c: Context, home: Home, args: list[Operand]) -> Place:
    numbers = [c.code.value_of(a) for a in args]
    if all(n is not None for n in numbers):
        offset = 0
        for n, size in zip(numbers, home.sizes, strict=True):
            offset = offset * size + (n or 0)
        return Place(home.base + offset, None, home)
    at = args[0]
    for size, arg in zip(home.sizes[1:], args[1:], strict=True):
        cell = c.cell()
        c.emit(o.IDX, cell, at, size, arg)
        at = cell
    return Place(home.base, at, home)


def resource_place(c: Context, resource: int, player: Operand = o.YOU) -> Place:
    return Place(c.layout.resources + resource * c.layout.players, player)


def dynamic_resource(c: Context, resource: Operand, player: Operand = o.YOU) -> Place:
    number = c.code.value_of(resource)
    if number is not None:
        return resource_place(c, number, player)
    cell = c.cell()
    c.emit(o.IDX, cell, resource, c.layout.players, player)
    return Place(c.layout.resources, cell)


# --- values --------------------------------------------------------------------------------------


def value(c: Context, expr: t.Expr) -> Operand:
    """The cell of the value as its place takes it; it may be the cell of a variable, so copy what must not change."""
    operand = uncoerced(c, expr)
    coercion = c.linked.typed.coerced.get(expr)
    return operand if coercion is None else COERCE[coercion](c, operand)


def uncoerced(c: Context, expr: t.Expr) -> Operand:
    """The value as it is, whatever its place makes of it."""
    return VALUES[type(expr)](c, expr)


def _present(c: Context, operand: Operand) -> Operand:
    c.emit(o.GUARD, operand, o.NOTHING_THERE)
    return operand


def _number_to_set(c: Context, number: Operand) -> Operand:
    c.emit(o.RANGE, number, c.const(0), c.const(NUMBERS - 1))
    return _op(c, o.BIT, number)


def _members_of_order(c: Context, order: Operand) -> Operand:
    found, k, member, bit = c.cell(), c.cell(), c.cell(), c.cell()
    c.emit(o.MOV, found, c.const(0))
    c.emit(o.MOV, k, c.const(0))
    again, end = c.label(), c.label()
    c.put(again)
    c.emit(o.NTH, member, k, order, c.const((1 << 15) - 1), end)
    c.emit(o.BIT, bit, member)
    c.emit(o.OR, found, found, bit)
    c.emit(o.JMP, again)
    c.put(end)
    return found


COERCE: dict[Coercion, Callable[[Context, Operand], Operand]] = {
    Coercion.THING_TO_SET: lambda c, thing: _op(c, o.BIT, thing),
    Coercion.ORDER_TO_SET: _members_of_order,
    Coercion.NUMBER_TO_SET: _number_to_set,
    Coercion.PRESENT: _present,
}


def _number(c: Context, number: t.Number) -> Operand:
    return c.const(number.value)


def _name(c: Context, name: t.Name) -> Operand:
    meaning = c.resolved.of(name)
    if isinstance(meaning, Local):
        return c.where[meaning]
    return SYMBOLS[meaning.sort](c, meaning.name)


def everything(c: Context, kind: str) -> Operand:
    """The set of all things of a kind."""
    if kind == "player":
        return o.EVERYONE
    return c.const((1 << len(c.linked.things[kind])) - 1)


def _builtin(c: Context, word: str) -> Operand:
    cells = {"you": o.YOU, "everyone": o.EVERYONE}
    numbers = {"nobody": 0, "none": -1, "yes": 1, "no": 0, "no-dice": 0}
    return cells[word] if word in cells else c.const(numbers[word])


def group_set(c: Context, name: str) -> int:
    return sum(1 << i for i in c.linked.members(name))


def _thing(c: Context, name: str) -> Operand:
    thing = c.resolved.get(name)
    return c.const(c.linked.index(name, thing.kind.word))


SYMBOLS: dict[str, Callable[[Context, str], Operand]] = {
    "builtin": _builtin,
    "player": lambda c, _: o.EVERYONE,
    "thing": _thing,
    "kind": everything,
    "group": lambda c, name: c.const(group_set(c, name)),
    "resource": lambda c, name: c.const(c.linked.resource_index(name)),
    "keep": lambda c, name: c.layout.keeps[name].base,
    "setting": lambda c, name: c.layout.settings[name],
    "quantity": lambda c, name: call_quantity(c, name, []),
}


def _apply(c: Context, apply: t.Apply) -> Operand:
    meaning = c.resolved.of(apply.head)
    if isinstance(meaning, Local):
        return dynamic_resource(c, c.where[meaning], value(c, apply.args[0])).read(c)
    if meaning.sort in ("resource", "group", "die"):
        return sum_of_resources(c, c.linked.members(meaning.name), value(c, apply.args[0]))
    if meaning.sort == "field":
        return _field(c, apply)
    if meaning.sort == "quantity":
        return call_quantity(c, meaning.name, [value(c, a) for a in apply.args])
    return place(c, apply).read(c)


def sum_of_resources(c: Context, resources: tuple[int, ...], player: Operand = o.YOU) -> Operand:
    """How much a player has of all these together."""
    total = resource_place(c, resources[0], player).read(c)
    for resource in resources[1:]:
        c.emit(o.ADD, total, total, resource_place(c, resource, player).read(c))
    return total


# --- fields of things: tables in the code ----------------------------------------------------------


def _field(c: Context, apply: t.Apply) -> Operand:
    kind = c.type(apply.args[0]).kind
    field = apply.head.word
    at = value(c, apply.args[0])
    width = 1
    if len(apply.args) == 2:
        width = len(c.linked.resources)
        cell = c.cell()
        c.emit(o.IDX, cell, at, width, value(c, apply.args[1]))
        at = cell
    values = c.constants.field(kind, field)
    number = c.code.value_of(at)
    if number is not None or len(set(values)) == 1:
        return c.const(values[number or 0])
    result = c.cell()
    c.emit(o.TAB, result, c.code.table(values), at)
    return result


# --- operators -------------------------------------------------------------------------------------


def _unary(c: Context, unary: t.Unary) -> Operand:
    return UNARY[unary.op](c, unary)


def _minus(c: Context, unary: t.Unary) -> Operand:
    operand = value(c, unary.arg)
    number = c.code.value_of(operand)
    if number is not None:
        return c.const(-number)
    return _op(c, o.SUB, c.const(0), operand)


def _op(c: Context, op: int, *operands: Operand) -> Slot:
    cell = c.cell()
    c.emit(op, cell, *operands)
    return cell


def _count(c: Context, unary: t.Unary) -> Operand:
    if c.type(unary.arg).shape == "dice":
        return _op(c, o.DCOUNT, value(c, unary.arg), c.const((1 << c.layout.dice.fields) - 1))
    return _op(c, o.COUNT, value(c, unary.arg))


def _first(c: Context, unary: t.Unary) -> Operand:
    operand = value(c, unary.arg)
    shape = c.type(unary.arg).shape
    if shape == "thing":
        return operand
    if shape == "set":
        return _op(c, o.LOW, operand)
    member, k, end = c.cell(), c.copy(c.const(0)), c.label()
    c.emit(o.MOV, member, c.const(-1))
    c.emit(o.NTH, member, k, operand, c.const((1 << 15) - 1), end)
    c.put(end)
    return member


def _neighbour(step: int) -> Callable[[Context, t.Unary], Operand]:
    """Seats go round the table: the player to the left sits in the next seat."""

    def neighbour(c: Context, unary: t.Unary) -> Operand:
        cell = _op(c, o.ADD, value(c, unary.arg), c.const(step))
        c.emit(o.ADD, cell, cell, o.PLAYERS)
        c.emit(o.MOD, cell, cell, o.PLAYERS)
        return cell

    return neighbour


def truth(c: Context, expr: t.Expr) -> Operand:
    """A condition as a value."""
    cell, end = c.cell(), c.label()
    c.emit(o.MOV, cell, c.const(0))
    jump(c, expr, end, False)
    c.emit(o.MOV, cell, c.const(1))
    c.put(end)
    return cell


UNARY: dict[str, Callable[[Context, t.Unary], Operand]] = {
    "minus": _minus,
    "count": _count,
    "first": _first,
    "left": _neighbour(1),
    "right": _neighbour(-1),
    "total": lambda c, u: _op(c, o.DSUM, value(c, u.arg)),
    "faces": lambda c, u: _op(c, o.DFACES, value(c, u.arg)),
    "text": lambda c, u: value(c, u.arg),  # the type says that its words are meant
    "not": truth,
    "empty": truth,
    "not-empty": truth,
}
ARITHMETIC = {"*": o.MUL, "/": o.DIV, "mod": o.MOD, "+": o.ADD, "-": o.SUB}
PLUS = {"number": (o.ADD, o.SUB), "set": (o.OR, o.ANDN), "dice": (o.DPUT, o.DTAKE)}


def plus(shape: str, sign: str) -> int:
    """The operation that adds or removes values of a type."""
    return PLUS[shape][0 if sign == "+" else 1]


def _binary(c: Context, binary: t.Binary) -> Operand:
    if binary.op not in ARITHMETIC:
        return truth(c, binary)
    shape = c.type(binary.left).shape
    if shape in ("set", "dice"):
        return _op(c, plus(shape, binary.op), value(c, binary.left), value(c, binary.right))
    return _op(c, ARITHMETIC[binary.op], value(c, binary.left), value(c, binary.right))


def die_kind(c: Context, name: t.Name) -> tuple[str, int, int]:
    """Title, sides and first field of a kind of die."""
    word = c.symbol(name).name
    return next((title, sides, first) for n, title, sides, first in c.layout.dice.kinds if n == word)


def _showing(c: Context, showing: t.Showing) -> Operand:
    """A face the die does not have is a fault."""
    _, sides, first = die_kind(c, showing.die)
    face, die = value(c, showing.face), c.copy(c.const(0))
    c.emit(o.RANGE, face, c.const(1), c.const(sides))
    c.emit(o.DADD, die, face, first)
    return die


def _among(c: Context, among: t.Among) -> Operand:
    """Packed dice are counts side by side, so those of one kind are cut out with a mask."""
    _, sides, first = die_kind(c, among.die)
    width = c.layout.dice.width
    return _op(c, o.AND, value(c, among.dice), c.const(((1 << width * sides) - 1) << width * first))


# --- going through members -------------------------------------------------------------------------


@contextmanager
def members(c: Context, owner: t.Node, expr: t.Expr) -> Iterator[tuple[Slot, Label]]:
    """A loop over a set, lowest first: gives the cell of the member (`it`) and the label to go on."""
    rest, it = c.copy(value(c, expr)), c.cell()
    c.bind(owner, it)
    again, end = c.label(), c.label()
    c.put(again)
    c.emit(o.NEXT, it, rest, end)
    yield it, again
    c.emit(o.JMP, again)
    c.put(end)


def _best(c: Context, best: t.Best) -> Operand:
    found = value(c, best.members)
    for i, (word, key) in enumerate(best.keys):
        found = _best_by(c, best, found, word, key, first=i == 0)
    return found


def _best_by(c: Context, best: t.Best, among: Operand, word: str, key: t.Expr, first: bool) -> Operand:
    found, record = c.copy(c.const(0)), c.copy(c.const(0))
    rest, it = c.copy(among), c.cell()
    c.bind(best, it)
    again, end = c.label(), c.label()
    c.put(again)
    c.emit(o.NEXT, it, rest, end)
    score = value(c, key)
    if word == "fewest":
        score = _op(c, o.SUB, c.const(0), score)
    c.emit(o.BEST, found, record, score, it)
    c.emit(o.JMP, again)
    c.put(end)
    return found


def _over(c: Context, over: t.Over) -> Operand:
    """sum adds up; best and least give 0 for an empty set."""
    result, seen = c.copy(c.const(0)), c.copy(c.const(0))
    with members(c, over, over.members):
        one = value(c, over.value)
        if over.op == "sum":
            c.emit(o.ADD, result, result, one)
        else:
            go_on, end = c.label(), c.label()
            c.emit(o.JNZ, seen, go_on)
            c.emit(o.MOV, seen, c.const(1))
            c.emit(o.MOV, result, one)
            c.emit(o.JMP, end)
            c.put(go_on)
            c.emit(o.MAX if over.op == "best" else o.MIN, result, result, one)
            c.put(end)
    return result


# --- quantities ------------------------------------------------------------------------------------


def call_quantity(c: Context, name: str, args: list[Operand]) -> Operand:
    quantity: t.Quantity = c.resolved.get(name)
    noted = c.noted
    if not noted and is_fixed(c, quantity):
        return c.const(c.constants.value(quantity.value))
    return c.copy(c.call(quantity_procedure(c, quantity, noted), args))


def quantity_procedure(c: Context, quantity: t.Quantity, noted: bool) -> Procedure:
    """The code of a quantity; `noted` if its adjustments are to be events."""
    name = quantity.name.word
    return c.procedure(
        ("quantity", name, noted), len(quantity.params), lambda c2, p: _write_quantity(c2, p, quantity, noted),
        (name, quantity.title or name, quantity.span),
    )  # fmt: skip


def is_fixed(c: Context, quantity: t.Quantity) -> bool:
    """A plain number that nothing adjusts: a place kept open for modules, which then costs nothing."""
    bounded = quantity.at_least is not None or quantity.at_most is not None
    return isinstance(quantity.value, t.Number) and not bounded and quantity.name.word not in c.linked.adjusts


def _write_quantity(c: Context, p: Procedure, quantity: t.Quantity, noted: bool) -> None:
    """The base value, then every adjustment there is, then the bounds: a straight run."""
    you = _you_of(c, quantity)
    for param, slot in zip(quantity.params, p.params, strict=True):
        c.bind(param, slot)
    before = c.copy(o.YOU) if you is not None else None
    if you is not None:
        c.emit(o.MOV, o.YOU, p.params[you])
    c.emit(o.MOV, p.result, _formula(c, quantity.value))
    if noted:
        c.emit(o.TERM, c.quantities[quantity.name.word], p.result, o.YOU)
    for held in c.linked.adjusts.get(quantity.name.word, ()):
        _adjustment(c, p, quantity, held, noted)
    if quantity.at_least is not None:
        c.emit(o.MAX, p.result, p.result, value(c, quantity.at_least))
    if quantity.at_most is not None:
        c.emit(o.MIN, p.result, p.result, value(c, quantity.at_most))
    if before is not None:
        c.emit(o.MOV, o.YOU, before)


def _formula(c: Context, expr: t.Expr) -> Operand:
    """A value whose parts between plus and minus have causes of their own, so that each can be told apart."""
    if isinstance(expr, t.Binary) and expr.op in ("+", "-") and c.type(expr.left).shape == "number":
        left, right = _formula(c, expr.left), _formula(c, expr.right)
        plain = expr.left if isinstance(expr.left, t.Number) else expr.right  # a number stands where it is added
        with c.at(plain.span):
            return _op(c, ARITHMETIC[expr.op], left, right)
    with c.at(expr.span):
        return value(c, expr)


def _you_of(c: Context, quantity: t.Quantity) -> int | None:
    """Which parameter is the player the quantity is about."""
    for i, param in enumerate(quantity.params):
        if param_type(c.resolved, param) == Type("thing", "player"):
            return i
    return None


def _adjustment(c: Context, p: Procedure, quantity: t.Quantity, held: Held, noted: bool) -> None:
    adjust = held.ability
    assert isinstance(adjust, t.Adjust)
    with c.because(held.name, held.known_as, adjust.span):
        skip = c.label()
        guard(c, held, skip)
        amount = value(c, adjust.by)
        c.emit(o.ADD, p.result, p.result, amount)
        if noted:
            c.emit(o.TERM, c.quantities[quantity.name.word], amount, o.YOU)
        c.put(skip)


def guard(c: Context, held: Held, skip: Label) -> None:
    """Go to `skip` unless the ability holds for you: its thing works, its condition is met."""
    if held.thing is not None:
        kind: t.Kind = c.resolved.get(held.thing.kind.word)
        if kind.works_if is not None:
            c.bind(kind, _thing(c, held.thing.name.word))
            with c.if_works(held):
                jump(c, kind.works_if, skip, False)
    condition = getattr(held.ability, "condition", None)
    if condition is not None:
        with c.because_of(held):
            jump(c, condition, skip, False)


# --- conditions ------------------------------------------------------------------------------------


def jump(c: Context, expr: t.Expr, target: Label, when: bool) -> None:
    """Go to the target if the condition is as said."""
    with c.asking(expr.span):
        if isinstance(expr, t.Binary) and expr.op in JUMPS:
            JUMPS[expr.op](c, expr, target, when)
        elif isinstance(expr, t.Unary) and expr.op == "not":
            jump(c, expr.arg, target, not when)
        elif isinstance(expr, t.Unary) and expr.op in ("empty", "not-empty"):
            _decide(c, when, o.JZ if (expr.op == "empty") == when else o.JNZ, value(c, expr.arg), target)
        elif isinstance(expr, t.Quantified):
            _jump_quantified(c, expr, target, when)
        else:
            _decide(c, when, o.JNZ if when else o.JZ, value(c, expr), target)


def _decide(c: Context, when: bool, op: int, *operands: Operand) -> None:
    """The jump of a condition that has no parts."""
    c.emit(op, *operands)
    c.fork(YES if when else NO, NO if when else YES)


def _jump_and(c: Context, expr: t.Binary, target: Label, when: bool) -> None:
    stop_early = (expr.op == "or") == when
    if stop_early:
        jump(c, expr.left, target, when)
        jump(c, expr.right, target, when)
    else:
        past = c.label()
        jump(c, expr.left, past, not when)
        jump(c, expr.right, target, when)
        c.put(past)


def _jump_equal(c: Context, expr: t.Binary, target: Label, when: bool) -> None:
    left, right = value(c, expr.left), value(c, expr.right)
    _decide(c, when, o.JEQ if (expr.op == "=") == when else o.JNE, left, right, target)


def _jump_less(c: Context, expr: t.Binary, target: Label, when: bool) -> None:
    left, right = value(c, expr.left), value(c, expr.right)
    op = expr.op
    if op in (">", ">="):
        left, right = right, left
        op = {">": "<", ">=": "<="}[op]
    if when:
        _decide(c, when, o.JLT if op == "<" else o.JLE, left, right, target)
    else:
        _decide(c, when, o.JLE if op == "<" else o.JLT, right, left, target)


def _jump_in(c: Context, expr: t.Binary, target: Label, when: bool) -> None:
    member = value(c, expr.left)
    among = value(c, expr.right)
    _decide(c, when, o.JIN if (expr.op == "in") == when else o.JOUT, member, among, target)


def _jump_within(c: Context, expr: t.Binary, target: Label, when: bool) -> None:
    outside = _op(c, o.ANDN, value(c, expr.left), value(c, expr.right))
    _decide(c, when, o.JZ if when else o.JNZ, outside, target)


def _few(c: Context, expr: t.Expr) -> tuple[int, ...] | None:
    """The members of a set that is the same in every game and small; None for all others."""
    meaning = c.resolved.of(expr) if isinstance(expr, t.Name) else None
    if isinstance(meaning, Symbol) and meaning.sort in ("kind", "group"):
        found = c.code.value_of(value(c, expr)) or 0
        if 0 < found.bit_count() <= FEW:
            return tuple(i for i in range(found.bit_length()) if found >> i & 1)
    return None


def _jump_quantified(c: Context, expr: t.Quantified, target: Label, when: bool) -> None:
    """every: one without it decides; some: one with it decides."""
    decisive = expr.op == "some"
    decided = c.label()
    few, copies = _few(c, expr.members), c.copies
    if few is None or copies * len(few) > MOST_COPIES:
        with members(c, expr, expr.members):
            jump(c, expr.condition, target if decisive == when else decided, decisive)
        few = ()
    c.copies *= max(1, len(few))
    for member in few:
        c.bind(expr, c.const(member))
        jump(c, expr.condition, target if decisive == when else decided, decisive)
    c.copies = copies
    if decisive != when:
        c.emit(o.JMP, target)
    c.put(decided)


JUMPS: dict[str, Callable[[Context, t.Binary, Label, bool], None]] = {
    "and": _jump_and,
    "or": _jump_and,
    "=": _jump_equal,
    "!=": _jump_equal,
    "<": _jump_less,
    "<=": _jump_less,
    ">": _jump_less,
    ">=": _jump_less,
    "in": _jump_in,
    "not-in": _jump_in,
    "within": _jump_within,
}

VALUES: dict[type, Callable[[Context, Any], Operand]] = {
    t.Number: _number,
    t.Name: _name,
    t.Apply: _apply,
    t.Unary: _unary,
    t.Binary: _binary,
    t.Best: _best,
    t.Over: _over,
    t.Quantified: truth,
    t.Showing: _showing,
    t.Among: _among,
    t.During: lambda c, d: c.layout.phases[c.symbol(d.phase).name],
}
__all__ = ["NUMBERS", "Place", "everything", "guard", "jump", "members", "place", "value"]
