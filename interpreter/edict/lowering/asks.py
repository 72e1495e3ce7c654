"""What is asked, described once: the options, what each must meet, and what explains it to a player.

From a description come both the code that asks and the reasons of the program (see `reasons`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from edict.backend import core
from edict.backend.composing import ALWAYS
from edict.backend.core import Condition, Const, Expr, Label, Var
from edict.language import tree as t
from edict.lowering import costs
from edict.lowering.context import YOU, Context, mask
from edict.lowering.reason_code import (
    NUMBER, OPTION, Asked, Implied, Scope, cause_of, check, here, query, row, spelled, value_of,
)  # fmt: skip
from edict.lowering.values import condition, dynamic_resource, value
from edict.meaning.symbols import Local
from edict.program.reasons import Demand, Instead, Value
from edict.text import Span
from edict.words import title_of


@dataclass(frozen=True)
class Need:
    """What an option must meet.

    `test`: whether it does. `check`: the number of the check that tells why, among those of the program's reasons.
    `sort`, `name`, `because`, `unless`: see `program.reasons.Demand`.
    """

    sort: str
    scope: Scope
    span: Span
    test: Asked
    check: Callable[[Context], int]
    name: str = ""
    because: str = ""
    unless: Callable[[Context], tuple[Instead, ...]] = lambda c: ()

    def note(self, c: Context, question: int, option: int | None = None) -> None:
        """Give the reason, if there is anything to tell: it goes for one option, or for all."""
        unless, number = self.unless(c), self.check(c)
        if number >= 0:
            cause = cause_of(c, self.scope, self.span)
            c.reasons.demands.append(
                Demand(question, self.sort, cause, number, option, self.name, self.because, unless)
            )


@dataclass(frozen=True)
class Filter:
    """Needs that all members of a set are asked about, each of them under this name."""

    it: Local
    needs: tuple[Need, ...]


@dataclass(frozen=True)
class Domain:
    """What is chosen from: the members of a set that pass all filters; `origin`: that an option stems from there."""

    members: Callable[[Context], Expr]
    origin: Need | None = None
    filters: tuple[Filter, ...] = field(default=())

    def options(self, c: Context) -> Expr:
        found = self.members(c)
        for one in self.filters:
            if one.needs:
                c.where[one.it] = it = Var()
                found = core.Kept(found, it, tuple(need.test(c) for need in one.needs))
        return found

    def note(self, c: Context, question: int) -> None:
        origin = () if self.origin is None else (self.origin,)
        for need in (*origin, *(need for one in self.filters for need in one.needs)):
            need.note(c, question)


@dataclass(frozen=True)
class Option:
    """One of several things that are offered under their numbers."""

    number: int
    needs: tuple[Need, ...] = ()


@dataclass(frozen=True)
class Ask:
    """A question: to whom, what may be answered, and where to go if nothing can be.

    declined: where to go if -1 is answered; None if that is not offered. `untaken`: to have no option is to decline.
    """

    question: int
    options: Domain | tuple[Option, ...]
    seat: Expr = YOU
    none: Label | None = None
    declined: Label | None = None
    untaken: bool = False

    def put(self, c: Context, told: bool = True) -> Var:
        """The code that asks, and the reasons. Gives the answer; `told`: whether to decline is a parting of ways."""
        answer, domain = Var(), self.options
        options: Expr | tuple[core.Option, ...]
        if isinstance(domain, Domain):
            options = domain.options(c)
            domain.note(c, self.question)
        else:
            options = tuple((one.number, tuple(need.test(c) for need in one.needs)) for one in domain)
            for one in domain:
                for need in one.needs:
                    need.note(c, self.question, one.number)
        decline = ALWAYS if self.declined is not None else None
        c.add(
            core.Ask(self.question, self.seat, options, answer, self.none, decline, self.untaken, cause=c.cause)
        )
        if self.declined is not None:
            c.unless(core.Compare(">=", answer, Const(0), told=told), self.declined)
        return answer


# --- needs -----------------------------------------------------------------------------------------


def written(c: Context, sort: str, expr: t.Expr, scope: Scope, span: Span | None = None) -> Need:
    """A condition that stands in the rules."""
    return Need(sort, scope, span or expr.span, lambda c2: condition(c2, expr), lambda c2: check(c2, expr, scope))


def filtered(c: Context, where: t.Expr | None) -> tuple[Filter, ...]:
    """Every part of a `where`, which binds its own name for the members."""
    if where is None:
        return ()
    scope = here(c, where)
    return (Filter(scope.params[0], tuple(written(c, "where", part, scope) for part in row(where, "and"))),)


def from_source(c: Context, node: t.Node, source: t.Expr, scope: Scope) -> Need:
    """It must be in a set that is written down."""
    it = scope.params[0]

    def test(c2: Context) -> Condition:
        return core.Compare("in", c2.where[it], value(c2, source))

    def number(c2: Context) -> int:
        text, found = spelled(c2, source, scope), value_of(c2, source, scope)
        return Implied(("from", source), scope, source.span, test, text, (source,), found).add(c2)

    return Need("from", scope, node.span, test, number)


def from_group(group: t.Name, members: Const, scope: Scope, span: Span) -> Need:
    """A resource must be one of its group."""
    it = scope.params[0]

    def test(c: Context) -> Condition:
        return core.Compare("in", c.where[it], members)

    def number(c: Context) -> int:
        return Implied(("group", members.value), scope, span, test, title_of(c.resolved, group, many=True)).add(c)

    return Need("from", scope, span, test, number)


# --- resources of one's choice -----------------------------------------------------------------------


def resource(
    c: Context, question: int, part: costs.AnyPart, among: Expr, held: tuple[int, ...] | None = None,
    none: Label | None = None,
) -> Var:  # fmt: skip
    """Ask for a resource of one's choice out of a set; `held`: out of those one has some of, to give it up."""
    scope = here(c).about(OPTION)
    if isinstance(part, t.PartFrom):
        origin = from_source(c, part, part.source, scope)
    else:
        origin = from_group(part.what, mask(costs.resources_of(c, part) or ()), scope, part.span)
    filters = () if held is None else (Filter(OPTION, (_owned(part, mask(held), scope),)),)
    return Ask(question, Domain(lambda c2: among, origin, filters), none=none).put(c)


def _owned(part: costs.AnyPart, members: Const, scope: Scope) -> Need:
    def have(c: Context) -> Expr:
        return dynamic_resource(c, c.where[OPTION]).value

    def test(c: Context) -> Condition:
        return core.All((core.Compare("in", c.where[OPTION], members), core.Compare(">=", have(c), Const(1))))

    def number(c: Context) -> int:
        has = Value("{0}", query(c, "amount", scope, (), NUMBER, have), have=True)
        return Implied(("held", members.value), scope, part.span, test, values=(has,)).add(c)

    return Need("held", scope, part.span, test, number)
