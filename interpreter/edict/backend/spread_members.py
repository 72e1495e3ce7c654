"""Members of sets that take several cells: found, counted, narrowed, gone through; and numbers to choose from."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from edict.backend import core
from edict.backend.composing import op
from edict.backend.core import Compare, Condition, Const, Expr, Test, Var
from edict.backend.spreading import CONDITIONS, PARTS, VALUES, Spreading, either, full
from edict.backend.wide import Bit, Blank, Numbers, cells_of, gone_through, takes_several
from edict.program import opcodes as o

NOTHING = Const(0)


# --- single members ----------------------------------------------------------------------------------


def bit(s: Spreading, one: Bit) -> list[Expr]:
    """In which piece it is shows by what is left of its number: what is below 0 or too large is in no set."""
    member = s.once(s.value(one.member))
    return [_in_piece(member, number * o.BITS) for number in range(one.cells)]


def _in_piece(member: Expr, first: int) -> Expr:
    if isinstance(member, Const):
        return Const(1 << member.value - first if first <= member.value < first + o.BITS else 0)
    found = op(o.BIT, op(o.SUB, member, Const(first)) if first else member)
    return found if full() == o.MOST else op(o.AND, found, Const(full()))


def _count(s: Spreading, members: Expr) -> Expr:
    found, *others = (op(o.COUNT, part) for part in s.parts(members, cells_of(members)))
    for one in others:
        found = op(o.ADD, found, one)
    return found


def _low(s: Spreading, members: Expr) -> Expr:
    found = s.let(Const(-1))
    with s.block() as end:
        for number, part in enumerate(s.parts(members, cells_of(members))):
            lowest = s.let(op(o.LOW, part))
            with s.block() as none:
                s.unless(Compare(">=", lowest, NOTHING), none)
                s.set(found, op(o.ADD, lowest, Const(number * o.BITS)))
                s.go(end)
    return found


def _operation(s: Spreading, one: core.Op) -> Expr:
    first = one.args[0]
    if one.op in (o.COUNT, o.LOW) and isinstance(first, Expr) and cells_of(first) > 1:
        return _count(s, first) if one.op == o.COUNT else _low(s, first)
    if one.op == o.LDX and isinstance(one.args[1], Expr):  # one of the cells of a value
        return op(o.LDX, first, s.value(one.args[1]))
    assert not any(takes_several(arg) for arg in one.args), one
    return s.anew(one)  # type: ignore[no-any-return]


# --- one after the other -----------------------------------------------------------------------------


@contextmanager
def pieces(s: Spreading, members: Expr) -> Iterator[tuple[Var, Var, Var]]:
    """A loop over the pieces of a set: the number of the piece, what is in it, and the number of its first member."""
    cells = cells_of(members)
    row = s.declare(cells)
    for i, part in enumerate(s.parts(members, cells)):
        s.set(core.Part(row, i), part)
    number = s.let(NOTHING)
    with s.block() as end, s.loop():
        s.unless(Compare("<", number, Const(cells)), end)
        yield number, s.let(op(o.LDX, row, number)), s.let(op(o.MUL, number, Const(o.BITS)))
        s.set(number, op(o.ADD, number, Const(1)))


@contextmanager
def each(s: Spreading, it: Var, members: Expr) -> Iterator[None]:
    """A loop over the members of any set, lowest first."""
    if isinstance(members, Numbers):
        with _each_number(s, it, members):
            yield
    elif isinstance(members, core.Kept) and takes_several(members):
        with each(s, members.it, members.members):
            met = s.condition(core.All(members.conditions))
            with s.apart() as then:
                s.set(it, members.it)
                yield
            s.add(core.If(met, tuple(then), cause=s.cause))
    elif cells_of(members) > 1:
        with pieces(s, members) as (_, piece, first), s.members(piece) as member:
            s.set(it, op(o.ADD, member, first))
            yield
    else:
        with s.apart() as body:
            yield
        s.add(core.Each(it, s.value(members), None, tuple(body), cause=s.cause))


@contextmanager
def _each_number(s: Spreading, it: Var, numbers: Numbers) -> Iterator[None]:
    following = s.let(op(o.MAX, s.value(numbers.low), NOTHING))
    last = s.let(s.value(numbers.high))
    with s.block() as end, s.loop():
        s.unless(Compare("<=", following, last), end)
        s.set(it, following)
        s.set(following, op(o.ADD, following, Const(1)))
        yield


def _kept(s: Spreading, kept: core.Kept) -> list[Expr]:
    """Each piece is narrowed by itself."""
    if not takes_several(kept):
        return [s.anew(kept)]
    cells = cells_of(kept)
    found = s.declare(cells)
    with pieces(s, kept.members) as (number, piece, first):
        member = Var()
        with s.apart() as named:
            s.set(kept.it, op(o.ADD, member, first))
        met = core.Given(tuple(named), s.condition(core.All(kept.conditions)))
        s.add(core.Store(found, number, core.Kept(piece, member, (met,)), event=False, cause=s.cause))
    return [core.Part(found, i) for i in range(cells)]


# --- conditions --------------------------------------------------------------------------------------


def _test(s: Spreading, one: Test) -> Condition:
    if isinstance(one.value, core.Kept) and gone_through(one.value):
        kept = one.value
        found: Expr = _some(s, core.Some(False, kept.members, kept.it, core.All(kept.conditions)))
    elif isinstance(one.value, Numbers):
        low = op(o.MAX, s.value(one.value.low), NOTHING)
        found = core.Truth(Compare("<=", low, s.value(one.value.high)))
    elif takes_several(one.value):
        found = either(s.parts(one.value, cells_of(one.value)))
    else:
        found = s.value(one.value)
    return Test(found, one.empty, cause=one.cause, told=one.told, works=one.works)


def _compare(s: Spreading, one: Compare) -> Condition:
    cells = max(cells_of(one.left), cells_of(one.right))
    if cells == 1:
        return s.anew(one)  # type: ignore[no-any-return]
    right = s.parts(one.right, cells)
    empty = one.op in ("=", "within", "not-in")
    if one.op in ("in", "not-in"):
        left = bit(s, Bit(one.left, cells))
        found: list[Expr] = [op(o.AND, a, b) for a, b in zip(left, right, strict=True) if a != NOTHING] or [NOTHING]
    else:
        left = s.parts(one.left, cells)
        found = [op(o.ANDN, a, b) for a, b in zip(left, right, strict=True)]
        if one.op in ("=", "!="):
            found += [op(o.ANDN, b, a) for a, b in zip(left, right, strict=True)]
    return Test(either(found), empty, cause=one.cause, told=one.told, works=one.works)


def _some(s: Spreading, one: core.Some) -> Var:
    """1 if the condition holds for one of the members; `every`: for all of them."""
    found = s.let(Const(int(not one.every)))
    with s.block() as done:
        with s.block() as decided:
            with each(s, one.it, one.members):
                s.add(core.Go(decided, s.condition(one.condition), not one.every, cause=s.cause))
            s.set(found, Const(int(one.every)))
            s.go(done)
    return found


def _quantified(s: Spreading, one: core.Some) -> Condition:
    return Test(_some(s, one)) if takes_several(one.members) else s.anew(one)


VALUES[core.Op] = _operation
PARTS.update({Bit: bit, Blank: lambda s, order: [Const(-1)] * order.cells, core.Kept: _kept})
CONDITIONS.update({Test: _test, Compare: _compare, core.Some: _quantified})
