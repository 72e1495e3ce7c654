"""Lowering of networks, with grid neighbors, connected sets, and longest paths and trails."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from edict.compiler.codegen import core
from edict.compiler.codegen.core import Const, CoreExpr, Var
from edict.compiler.codegen.core_builder import make_op
from edict.compiler.lowering.context import NOTHING, Context
from edict.compiler.lowering.layout import member_count
from edict.compiler.lowering.value_lowering import empty_set, lower_value, singleton_set
from edict.compiler.semantics.types import member_of
from edict.compiler.syntax import tree as t
from edict.runtime.program import ValueType
from edict.runtime.program import opcodes as o


def neighbors_among(c: Context, members: t.Expr, thing: t.Expr, neighbors: Sequence[int]) -> CoreExpr:
    """Return the members that are neighbors of a thing, given each thing's neighbors."""
    thing_number, cells = lower_value(c, thing), c.cell_count(ValueType("set", c.type_of(thing).kind))
    if isinstance(thing_number, Const):
        return make_op(o.AND, lower_value(c, members), Const(neighbors[thing_number.value], cells))
    return make_op(o.AND, lower_value(c, members), core.TableLookup(tuple(neighbors), thing_number, cells=cells))


def reachable_members(c: Context, owner: t.Expr, members: t.Expr, start: t.Expr, through: t.Expr) -> CoreExpr:
    """Return all members that can be reached from `start`, by breadth-first search.

    The owner of `through` binds its `it`.
    """
    kind = c.type_of(owner).kind
    with c.collect() as body:
        allowed = c.evaluate_once(lower_value(c, members))
        reached = c.let(make_op(o.AND, lower_value(c, start), allowed))
        new = c.let(reached)
        with c.block() as end, c.loop():
            c.jump_unless(core.Test(new), end)
            neighbors = c.let(empty_set(c, kind))
            with c.loop_over_members(new) as member:
                c.bind(owner, member)
                c.set(neighbors, make_op(o.OR, neighbors, lower_value(c, through)))
            c.set(new, make_op(o.ANDN, make_op(o.AND, neighbors, allowed), reached))
            c.set(reached, make_op(o.OR, reached, new))
    return core.StatementExpression(tuple(body), reached)


def longest_path(c: Context, owner: t.Expr, members: t.Expr, through: t.Expr, counting: t.Expr | None) -> CoreExpr:
    """Return the length of the longest path, found by depth-first search with backtracking."""
    set_type = ValueType("set", c.type_of(members).kind)
    member_count, members_from = _suffix_sets(c, set_type)
    with c.collect() as body:
        allowed, path, longest = c.evaluate_once(lower_value(c, members)), c.declare(member_count + 1), c.let(NOTHING)
        with c.loop_over_members(allowed) as start:
            c.store_silently(path, start, NOTHING)
            # extensions of the last member below this one have been tried
            steps, next_candidate = (
                c.let(Const(1)),
                c.let(NOTHING),
            )
            passed = c.let(singleton_set(c, start, set_type.kind))
            length = c.let(_lower_member_weight(c, owner, start, counting))
            with c.block() as end, c.loop():
                c.set(longest, make_op(o.MAX, longest, length))
                last = c.let(make_op(o.LDX, path, make_op(o.SUB, steps, Const(1))))
                c.bind(owner, last)
                extensions = c.let(
                    make_op(
                        o.AND,
                        make_op(o.ANDN, make_op(o.AND, lower_value(c, through), allowed), passed),
                        members_from(next_candidate),
                    )
                )
                with c.collect() as backtrack:
                    c.set(steps, make_op(o.SUB, steps, Const(1)))
                    c.set(passed, make_op(o.ANDN, passed, singleton_set(c, last, set_type.kind)))
                    c.set(length, make_op(o.SUB, length, _lower_member_weight(c, owner, last, counting)))
                    c.set(next_candidate, make_op(o.ADD, last, Const(1)))
                with c.collect() as extend:
                    next_member = c.let(make_op(o.LOW, extensions))
                    c.store_silently(path, next_member, steps)
                    c.set(steps, make_op(o.ADD, steps, Const(1)))
                    c.set(passed, make_op(o.OR, passed, singleton_set(c, next_member, set_type.kind)))
                    c.set(length, make_op(o.ADD, length, _lower_member_weight(c, owner, next_member, counting)))
                    c.set(next_candidate, NOTHING)
                c.add(core.IfElse(core.Test(extensions, empty=True), tuple(backtrack), tuple(extend), cause=c.cause))
                c.jump_unless(core.Compare(">", steps, NOTHING), end)
    return core.StatementExpression(tuple(body), longest)


def longest_trail(c: Context, owner: t.Expr, members: t.Expr, through: t.Expr, counting: t.Expr | None) -> CoreExpr:
    """Return the length of the longest trail, which uses each member at most once, by depth-first search.

    Each member joins places, and a trail moves from place to place along unused members. No trail is longer than
    all members together, so the search ends at that length.
    """
    member_type, places = ValueType("set", c.type_of(members).kind), ValueType("set", c.type_of(through).kind)
    (member_count, _), (place_count, places_from) = _suffix_sets(c, member_type), _suffix_sets(c, places)
    with c.collect() as body:
        parts = [
            _TrailCell(o.BITS * i, c.declare(), c.declare(place_count + 1)) for i in range(c.cell_count(member_type))
        ]
        longest, upper_bound, all_places = c.let(NOTHING), c.let(NOTHING), c.let(empty_set(c, places.kind))
        used_members, visited_places, lengths = (
            c.declare(member_count + 1),
            c.declare(member_count + 1),
            c.declare(member_count + 1),
        )
        for part in parts:
            part.reset(c)
        with c.loop_over_members(lower_value(c, members)) as edge:
            c.bind(owner, edge)
            joined = c.let(lower_value(c, through))
            c.set(all_places, make_op(o.OR, all_places, joined))
            c.set(
                upper_bound,
                make_op(o.ADD, upper_bound, make_op(o.MAX, _lower_member_weight(c, owner, edge, counting), NOTHING)),
            )
            with c.loop_over_members(joined) as place:
                for part in parts:
                    part.add_member(c, edge, place)
        with c.loop_over_members(all_places) as start:
            current_place, steps, length = c.let(start), c.let(NOTHING), c.let(NOTHING)
            # earlier members and targets have been tried from here
            last_member, next_target = (
                c.let(NOTHING),
                c.let(NOTHING),
            )
            with c.block() as end, c.loop():
                c.set(longest, make_op(o.MAX, longest, length))
                next_member, target = c.let(Const(-1)), c.let(Const(-1))
                with c.block() as chosen:
                    c.jump_unless(core.Compare(">", upper_bound, longest), chosen)
                    for part in parts:
                        with (
                            c.loop_over_members(part.members_left_at(current_place, last_member)) as bit,
                            c.block() as next_candidate,
                        ):
                            member = c.let(make_op(o.ADD, bit, Const(part.first)))
                            c.bind(owner, member)
                            targets = c.let(
                                make_op(o.ANDN, lower_value(c, through), singleton_set(c, current_place, places.kind))
                            )
                            with c.collect() as limit_targets:
                                c.set(targets, make_op(o.AND, targets, places_from(next_target)))
                            c.add(
                                core.IfElse(
                                    core.Compare("=", member, last_member), tuple(limit_targets), (), cause=c.cause
                                )
                            )
                            c.jump(next_candidate, core.Test(targets, empty=True))
                            c.set(next_member, member)
                            c.set(target, make_op(o.LOW, targets))
                            c.jump(chosen)
                with c.collect() as extend:
                    c.store_silently(used_members, next_member, steps)
                    c.store_silently(visited_places, current_place, steps)
                    c.store_silently(lengths, length, steps)
                    c.set(steps, make_op(o.ADD, steps, Const(1)))
                    for part in parts:
                        c.set(part.unused, make_op(o.ANDN, part.unused, part.bit_of(next_member)))
                    c.set(length, make_op(o.ADD, length, _lower_member_weight(c, owner, next_member, counting)))
                    c.set(current_place, target)
                    c.set(last_member, NOTHING)
                    c.set(next_target, NOTHING)
                with c.collect() as backtrack:
                    c.jump_unless(core.Compare(">", steps, NOTHING), end)
                    c.set(steps, make_op(o.SUB, steps, Const(1)))
                    c.set(next_target, make_op(o.ADD, current_place, Const(1)))
                    c.set(last_member, make_op(o.LDX, used_members, steps))
                    c.set(current_place, make_op(o.LDX, visited_places, steps))
                    for part in parts:
                        c.set(part.unused, make_op(o.OR, part.unused, part.bit_of(last_member)))
                    c.set(length, make_op(o.LDX, lengths, steps))
                c.add(
                    core.IfElse(
                        core.Compare(">=", next_member, NOTHING), tuple(extend), tuple(backtrack), cause=c.cause
                    )
                )
    return core.StatementExpression(tuple(body), longest)


@dataclass(frozen=True)
class _TrailCell:
    """The members of one set cell, with those still unused and those at each place."""

    first: int
    unused: Var
    beside: Var

    def reset(self, c: Context) -> None:
        """Emit code that empties the sets of unused members and of members at each place."""
        c.set(self.unused, NOTHING)
        c.set(self.beside, Const(0, self.beside.cells))

    def add_member(self, c: Context, member: CoreExpr, place: CoreExpr) -> None:
        """Emit code that marks a member as unused and as one at a place; nothing if it belongs to another cell."""
        bit = c.let(self.bit_of(member))
        c.set(self.unused, make_op(o.OR, self.unused, bit))
        c.store_silently(self.beside, make_op(o.OR, make_op(o.LDX, self.beside, place), bit), place)

    def bit_of(self, member: CoreExpr) -> CoreExpr:
        """Return the set of a member within this cell; empty if the member belongs to another cell."""
        index = make_op(o.SUB, member, Const(self.first)) if self.first else member
        return make_op(o.AND, core.Singleton(index, 1), Const((1 << o.BITS) - 1))

    def members_left_at(self, place: CoreExpr, first_member: CoreExpr) -> CoreExpr:
        """Return the unused members at a place whose numbers are `first_member` or above."""
        masks = tuple((1 << o.BITS) - (1 << bit) for bit in range(o.BITS + 1))
        first = make_op(o.MIN, make_op(o.MAX, make_op(o.SUB, first_member, Const(self.first)), NOTHING), Const(o.BITS))
        return make_op(
            o.AND, make_op(o.AND, self.unused, make_op(o.LDX, self.beside, place)), core.TableLookup(masks, first)
        )


def _lower_member_weight(c: Context, owner: t.Expr, member: CoreExpr, counting: t.Expr | None) -> CoreExpr:
    """Lower the length that a member adds to a path.

    It is the value of `counting` for this member, which `owner` binds, or 1 without `counting`.
    """
    if counting is None:
        return Const(1)
    c.bind(owner, member)
    return lower_value(c, counting)


def _suffix_sets(c: Context, set_type: ValueType) -> tuple[int, Callable[[CoreExpr], CoreExpr]]:
    """Return the number of possible members and a function that builds the set of those from one on."""
    size, cells = member_count(c.linked, member_of(set_type), c.layout.players), c.cell_count(set_type)
    sets = tuple((1 << size) - (1 << first) for first in range(size + 1))
    return size, lambda first: core.TableLookup(sets, first, cells=cells)
