"""Part of the pass `check_types`: types by signature, which is what the tree says that fields take and nodes give."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from edict.compiler.semantics.symbols import DICE, NUMBER, PLAYER, Local, Resolved
from edict.compiler.semantics.type_remedies import Misfit, Remedy, unchangeable
from edict.compiler.semantics.types import (
    SET,
    SHAPES,
    UNKNOWN,
    Coercion,
    coercion,
    declared,
    fits,
    member_of,
    named,
    set_of,
    spoken,
)
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.roles import (
    AsMany,
    Gives,
    MemberOf,
    Role,
    SameAs,
    SetOf,
    Shaped,
    Takes,
    Through,
    note,
    notes,
    refers,
    roles_of,
)
from edict.compiler.syntax.walking import holding
from edict.runtime.program import Type
from edict.support.morphology import with_article
from edict.support.report import Diagnostic, Label
from edict.support.text import Span

NAMING = frozenset((Role.BINDS, Role.BINDS_BELOW))


@dataclass(frozen=True)
class Field:
    """A field in which values or blocks stand. place: a step changes it; member: `it` is known in it, perhaps by a type
    of its own."""

    name: str
    takes: Takes | SetOf | SameAs | AsMany | MemberOf | Shaped | None
    place: bool
    member: bool
    it: Gives | None = None


@cache
def signature(kind: type) -> tuple[Field, ...]:
    """What nodes of a class take, in the order it is written: all but names, which mean the same whatever they are."""
    return tuple(
        Field(
            name,
            _takes(kind, name),
            bool(roles & {Role.CHANGED, Role.SHOWN}),
            Role.PER_MEMBER in roles,
            note(kind, name, Gives),
        )
        for name in holding(kind)
        if not (roles := roles_of(kind, name)) & NAMING and not refers(kind, name)
    )


def _takes(kind: type, name: str) -> Any:
    sorts = Takes | SetOf | SameAs | AsMany | MemberOf | Shaped
    taking = (said for said in notes(kind)[name] if isinstance(said, sorts))
    return next(taking, None)


@cache
def _giving(kind: type) -> tuple[str, Gives | SameAs | Through | None] | None:
    """What says of which type it is that a node gives a name to, or goes through as `it`; and at which field."""
    for name in notes(kind):
        gives = note(kind, name, Gives) or (note(kind, name, SameAs) if roles_of(kind, name) & NAMING else None)
        if gives is not None:
            return name, gives
    members = (name for name in notes(kind) if Role.MEMBERS in roles_of(kind, name))
    return next(((name, note(kind, name, Through)) for name in members), None)


@dataclass(frozen=True)
class Cases:
    """What no signature says, by class of nodes: the types of values, what else is wrong, and what to write instead."""

    values: Mapping[type, Callable[[Checker, Any], Type]] = field(default_factory=dict)
    nodes: Mapping[type, Callable[[Checker, Any], None]] = field(default_factory=dict)
    remedies: Mapping[type, Callable[[Checker, Any, t.Expr, Type], Remedy | None]] = field(default_factory=dict)

    def __or__(self, more: Cases) -> Cases:
        return Cases({**self.values, **more.values}, {**self.nodes, **more.nodes}, {**self.remedies, **more.remedies})


class Checker:
    """Goes through nodes by their signatures, remembers the types of values, and says where they do not fit."""

    def __init__(self, resolved: Resolved, cases: Cases) -> None:
        self.resolved, self.cases = resolved, cases
        self.types, self.locals = resolved.types, resolved.locals
        self.coerced: dict[t.Expr, Coercion] = {}
        self.found: list[Diagnostic] = []
        self.its: list[Type] = []  # what is looked at one by one, where a value is

    # --- nodes -------------------------------------------------------------------------------

    def visit(self, node: t.Node) -> None:
        """A node that is no value."""
        case = self.cases.nodes.get(type(node), Checker.fields)
        case(self, node)

    def fields(self, node: t.Node) -> Type:
        """All that stands in a node, by its signature. Gives the type of what it gives a name to, or has as `it`."""
        kind: type = type(node)
        given = self.bind(node)
        for part in signature(kind):
            value = getattr(node, part.name)
            if value is not None and part.member:
                self.its.append(self._gives(node, part.it) if part.it is not None else given)
                self._part(node, part, value)
                self.its.pop()
            elif value is not None:
                self._part(node, part, value)
        return given

    def bind(self, node: t.Node) -> Type:
        """The type of what a node gives a name to, or has as `it`, is known from here on."""
        kind: type = type(node)
        giving = _giving(kind)
        if giving is None:
            return UNKNOWN
        given = self._given(node, *giving)
        if node in self.resolved.binds:
            self.bound(node, given)
        return given

    def bound(self, node: t.Node, of: Type) -> None:
        self.locals[self.resolved.binds[node]] = of

    def _given(self, node: t.Node, name: str, how: Gives | SameAs | Through | None) -> Type:
        if isinstance(how, Gives):
            return self._gives(node, how)
        if isinstance(how, SameAs):
            return self.expr(getattr(node, how.field))
        members = getattr(node, name)
        return self._through(node, members, how) if how is not None else member_of(self.expr(members))

    def _gives(self, node: t.Node, how: Gives) -> Type:
        if how.set_of:
            return set_of(named(self.resolved, getattr(node, how.set_of)))
        kind = getattr(node, how.one_of, None)
        return named(self.resolved, kind) if kind is not None else SHAPES.get(how.shape, UNKNOWN)

    def _through(self, node: t.Node, members: t.Expr, through: Through) -> Type:
        """Of dice, `it` is the number that shows."""
        if through.dice and self.expr(members) == DICE:
            return NUMBER
        return self.members(members, through.where.format_map(vars(node)))

    def _part(self, node: t.Node, field: Field, value: Any, word: str = "") -> None:
        if isinstance(value, t.Expr):
            if not isinstance(value, t.Name) or value in self.resolved.meaning:
                if field.member and value in self.resolved.asked:
                    self.locals[self.resolved.asked[value]] = self.its[-1]
                self.takes(node, field, value, word)
        elif isinstance(value, tuple):
            for part in value:
                self._part(node, field, part, value[0] if isinstance(value[0], str) else "")
        elif isinstance(value, t.Node):
            self.visit(value)

    def takes(self, node: t.Node, field: Field, value: t.Expr, word: str = "") -> bool:
        """Whether a value is what its field takes; it is said if not. word: what stands before it in its row."""
        if field.place:
            self.place(value, node)
        if isinstance(field.takes, Shaped):
            return self._shaped(node, field.takes, value)
        if field.takes is not None:
            return self.want(value, self._wanted(node, field.takes), field.takes.where, node, word)
        if not field.place:
            self.expr(value)
        return True

    def _wanted(self, node: t.Node, takes: Takes | SetOf | SameAs | AsMany | MemberOf) -> Type:
        if isinstance(takes, Takes):
            return SHAPES[takes.shape]
        other = getattr(node, takes.field)
        if isinstance(takes, SetOf):
            return set_of(named(self.resolved, other))
        if isinstance(takes, AsMany):
            return set_of(member_of(self.expr(other)))
        if isinstance(takes, MemberOf):
            shaped, many = note(type(node), takes.field, Shaped), self.expr(other)
            return member_of(many) if shaped is None or many.shape == shaped.shape else UNKNOWN
        return declared(self.resolved, other) if isinstance(other, t.TypeName) else self.expr(other)

    def _shaped(self, node: t.Node, takes: Shaped, value: t.Expr) -> bool:
        have = self.expr(value)
        if have.shape not in (takes.shape, "unknown"):
            where = takes.where.format_map(vars(node))
            self.wrong(
                "E0401" if takes.shape == "thing" else "E0402",
                f"{where} takes {with_article(takes.shape)}, and this is {spoken(have)}",
                value.span,
                takes.help or self.remedy(node, value, Type(takes.shape)),
            )
            return False
        return True

    def place(self, expr: t.Expr, step: t.Node | None = None) -> Type:
        """The type of a place that a step can change: a keep, or a local name."""
        of = self.expr(expr)
        head = expr.head if isinstance(expr, t.Apply) else expr
        meaning = self.resolved.of(head) if isinstance(head, t.Name) else None
        if meaning is not None and (meaning.sort == "keep" or isinstance(meaning, Local)):
            return of
        if isinstance(step, t.Show) and meaning is not None and meaning.sort == "resource" and head is not expr:
            return of  # so much somebody has of it
        value = step.value if isinstance(step, t.Set | t.Add | t.Remove) else None
        if value is not None:
            self.expr(value)
        self.found.append(unchangeable(self.resolved, expr, meaning, step, value))
        self.types[expr] = UNKNOWN  # whatever it would be set to is not asked
        return UNKNOWN

    # --- values ------------------------------------------------------------------------------

    def expr(self, expr: t.Expr) -> Type:
        """The type of a value, found once."""
        of = self.types.get(expr)
        if of is None:
            self.types[expr] = UNKNOWN  # what refers to itself has no type
            case = self.cases.values.get(type(expr), Checker.gives)
            of = self.types[expr] = case(self, expr)
        return of

    def gives(self, expr: t.Expr) -> Type:
        """What a value gives, by its signature."""
        given = self.fields(expr)
        gives: str = type(expr).gives  # type: ignore[attr-defined]
        if gives != "members":
            return SHAPES[gives]
        return DICE if self.expr(getattr(expr, gives)) == DICE else set_of(given)

    def want(
        self,
        expr: t.Expr,
        wanted: Type,
        where: str,
        node: t.Node | None = None,
        word: str = "",
        labels: Sequence[Label] = (),
    ) -> bool:
        """Whether the value is of the type that its place takes; it is said if not, and how it can be.

        node: what the place is in, whose fields are filled in where it is said what takes the value.
        """
        have = self.expr(expr)
        good = fits(have, wanted)
        if not good:
            where = where.format_map({"word": word, **vars(node)}) if node is not None else where
            at = {"this place": "place", "`and`": "joined", "`or`": "joined"}.get(where, "")
            remedy = self.remedy(node, expr, wanted) or self.instead(expr, wanted, "values", "others", at=at)
            title = f"{where} takes {spoken(wanted)}, and this is {spoken(have)}"
            self.wrong("E0401", title, expr.span, remedy, *labels)
        self.coerce(expr, wanted)
        return good

    def coerce(self, expr: t.Expr, wanted: Type) -> None:
        """Note what must happen to the value for its place to take it."""
        coerced = coercion(self.expr(expr), wanted)
        if coerced is not None:
            self.coerced[expr] = coerced

    def members(self, expr: t.Expr, where: str) -> Type:
        """The type of the members of something that is gone through as a set."""
        self.coerce(expr, SET)
        return self.member(expr, where)

    def member(self, expr: t.Expr, where: str) -> Type:
        """The type of the members of a set or order, as it is."""
        have = self.expr(expr)
        member = member_of(have)
        if UNKNOWN == member != have:
            self.wrong(
                "E0402",
                f"{where} takes a set, and this is {spoken(have)}",
                expr.span,
                self.instead(expr, SET, "others"),
            )
        return member

    # --- reports -----------------------------------------------------------------------------

    def wrong(self, code: str, title: str, span: Span, help: str | Remedy | None, *labels: Label) -> None:
        said, edits = (help, ()) if isinstance(help, str) else help or ("", ())
        self.found.append(Diagnostic(code, title, span, labels=labels, help=said, edits=edits))

    def remedy(self, node: t.Node | None, expr: t.Expr, wanted: Type) -> Remedy | None:
        """What to write for a value that does not fit, where that depends on what it stands in."""
        case = self.cases.remedies.get(type(node))
        return case(self, node, expr, wanted) if case is not None else None

    def instead(
        self,
        expr: t.Expr,
        wanted: Type,
        *parts: str,
        at: str = "",
        whole: t.Expr | None = None,
        against: t.Expr | None = None,
    ) -> Remedy | None:
        """What to write in place of a value of the wrong type, by these parts of the table."""
        it = "it" if self.its[-1:] == [PLAYER] else "you"
        return Misfit(self.resolved, expr, wanted, it, at, whole, against).remedy(*parts)
