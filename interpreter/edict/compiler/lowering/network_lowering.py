"""Lowering of networks, with grid neighbors, connected sets, and longest paths and trails."""

from __future__ import annotations

from collections.abc import Callable, Sequence

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
from edict.support.records import dataclass


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
    with c.collect() as body:
        search = _TrailSearch(c, owner, members, through, counting)
        search.collect_places(members)
        with c.loop_over_members(search.all_places) as start:
            search.search_from(start)
    return core.StatementExpression(tuple(body), search.longest)


class _TrailSearch:
    """The variables of a search for the longest trail, and the code of its parts."""

    def __init__(self, c: Context, owner: t.Expr, members: t.Expr, through: t.Expr, counting: t.Expr | None) -> None:
        self.c, self.owner, self.through, self.counting = c, owner, through, counting
        member_type = ValueType("set", c.type_of(members).kind)
        place_type = ValueType("set", c.type_of(through).kind)
        self.place_kind = place_type.kind
        member_count, _ = _suffix_sets(c, member_type)
        place_count, self.places_from = _suffix_sets(c, place_type)
        self.parts = [
            _TrailCell(o.BITS * i, c.declare(), c.declare(place_count + 1)) for i in range(c.cell_count(member_type))
        ]
        self.longest, self.upper_bound = c.let(NOTHING), c.let(NOTHING)
        self.all_places = c.let(empty_set(c, self.place_kind))
        # by steps: the members of the trail, the places where they begin, and its length before them
        self.used_members = c.declare(member_count + 1)
        self.visited_places = c.declare(member_count + 1)
        self.lengths = c.declare(member_count + 1)
        for part in self.parts:
            part.reset(c)

    def collect_places(self, members: t.Expr) -> None:
        """Emit code that finds all places, the members at each of them, and the length of all members together."""
        c = self.c
        with c.loop_over_members(lower_value(c, members)) as edge:
            c.bind(self.owner, edge)
            joined = c.let(lower_value(c, self.through))
            c.set(self.all_places, make_op(o.OR, self.all_places, joined))
            weight = make_op(o.MAX, _lower_member_weight(c, self.owner, edge, self.counting), NOTHING)
            c.set(self.upper_bound, make_op(o.ADD, self.upper_bound, weight))
            with c.loop_over_members(joined) as place:
                for part in self.parts:
                    part.add_member(c, edge, place)

    def search_from(self, start: CoreExpr) -> None:
        """Emit the search from one place."""
        c = self.c
        self.place, self.steps, self.length = c.let(start), c.let(NOTHING), c.let(NOTHING)
        # earlier members and targets have been tried from here
        self.last_member, self.next_target = c.let(NOTHING), c.let(NOTHING)
        with c.block() as end, c.loop():
            c.set(self.longest, make_op(o.MAX, self.longest, self.length))
            member, target = c.let(Const(-1)), c.let(Const(-1))
            with c.block() as chosen:
                c.jump_unless(core.Compare(">", self.upper_bound, self.longest), chosen)
                for part in self.parts:
                    self._choose_from_cell(part, member, target, chosen)
            with c.collect() as extend:
                self._extend(member, target)
            with c.collect() as backtrack:
                self._backtrack(end)
            c.add(core.IfElse(core.Compare(">=", member, NOTHING), tuple(extend), tuple(backtrack), cause=c.cause))

    def _choose_from_cell(self, part: _TrailCell, chosen_member: Var, target: Var, chosen: core.BlockLabel) -> None:
        """Emit code that jumps to `chosen` with the next member of a cell that leads on, and where it leads to."""
        c = self.c
        with (
            c.loop_over_members(part.members_left_at(self.place, self.last_member)) as bit,
            c.block() as next_candidate,
        ):
            member = c.let(make_op(o.ADD, bit, Const(part.first)))
            c.bind(self.owner, member)
            here = singleton_set(c, self.place, self.place_kind)
            targets = c.let(make_op(o.ANDN, lower_value(c, self.through), here))
            with c.collect() as limit_targets:
                c.set(targets, make_op(o.AND, targets, self.places_from(self.next_target)))
            is_last = core.Compare("=", member, self.last_member)
            c.add(core.IfElse(is_last, tuple(limit_targets), (), cause=c.cause))
            c.jump(next_candidate, core.Test(targets, empty=True))
            c.set(chosen_member, member)
            c.set(target, make_op(o.LOW, targets))
            c.jump(chosen)

    def _extend(self, member: Var, target: Var) -> None:
        """Emit a step of the trail along a member to a target."""
        c = self.c
        c.store_silently(self.used_members, member, self.steps)
        c.store_silently(self.visited_places, self.place, self.steps)
        c.store_silently(self.lengths, self.length, self.steps)
        c.set(self.steps, make_op(o.ADD, self.steps, Const(1)))
        for part in self.parts:
            c.set(part.unused, make_op(o.ANDN, part.unused, part.bit_of(member)))
        weight = _lower_member_weight(c, self.owner, member, self.counting)
        c.set(self.length, make_op(o.ADD, self.length, weight))
        c.set(self.place, target)
        c.set(self.last_member, NOTHING)
        c.set(self.next_target, NOTHING)

    def _backtrack(self, end: core.BlockLabel) -> None:
        """Emit the return from the last step, or the jump to the end of the search if there is none."""
        c = self.c
        c.jump_unless(core.Compare(">", self.steps, NOTHING), end)
        c.set(self.steps, make_op(o.SUB, self.steps, Const(1)))
        c.set(self.next_target, make_op(o.ADD, self.place, Const(1)))
        c.set(self.last_member, make_op(o.LDX, self.used_members, self.steps))
        c.set(self.place, make_op(o.LDX, self.visited_places, self.steps))
        for part in self.parts:
            c.set(part.unused, make_op(o.OR, part.unused, part.bit_of(self.last_member)))
        c.set(self.length, make_op(o.LDX, self.lengths, self.steps))


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
