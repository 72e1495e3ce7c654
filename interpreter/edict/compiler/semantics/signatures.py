"""Part of the pass `check_types`: types by signature, as the tree declares what fields take and nodes give."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from functools import cache
from typing import Any

from edict.compiler.semantics.symbols import DICE, NUMBER, PLAYER, Local, ResolvedBook
from edict.compiler.semantics.type_remedies import Misfit, Remedy, ask_about_parameter, diagnose_unchangeable
from edict.compiler.semantics.types import (
    SET,
    SHAPES,
    UNKNOWN,
    Coercion,
    describe_type,
    find_coercion,
    fits,
    from_type_name,
    member_of,
    set_of,
    type_of_kind,
)
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.roles import (
    BindsType,
    Iterates,
    MemberOfField,
    Requires,
    RequiresShape,
    Role,
    SameType,
    SetLikeField,
    SetOfKind,
    field_notes,
    field_roles,
    get_field_note,
    get_referred_sorts,
)
from edict.compiler.syntax.traversal import iter_fields, node_fields
from edict.runtime.program import ValueType
from edict.support.morphology import add_indefinite_article
from edict.support.records import dataclass
from edict.support.report import Diagnostic, Label
from edict.support.text import Span

BINDING_ROLES = frozenset((Role.BINDS, Role.BINDS_BELOW))


@dataclass(frozen=True)
class FieldSignature:
    """A field of a node in which values or blocks stand."""

    name: str
    # the type that a value there must have
    takes: Requires | SetOfKind | SameType | SetLikeField | MemberOfField | RequiresShape | None
    place: bool  # a step changes what stands there
    member: bool  # `it` is known there
    it_type: BindsType | None = None  # type of `it`, if not that of the members


@cache
def signature_of(kind: type) -> tuple[FieldSignature, ...]:
    """Return name, type and roles of each field of a node class that takes a value, in written order."""
    return tuple(
        FieldSignature(
            name,
            _find_taken_type(kind, name),
            bool(roles & {Role.CHANGED, Role.SHOWN}),
            Role.PER_MEMBER in roles,
            get_field_note(kind, name, BindsType),
        )
        for name in node_fields(kind)
        if not (roles := field_roles(kind, name)) & BINDING_ROLES and not get_referred_sorts(kind, name)
    )


def _find_taken_type(kind: type, name: str) -> Any:
    """Return the note on a field's annotation that says which type it takes; None if there is none."""
    sorts = Requires | SetOfKind | SameType | SetLikeField | MemberOfField | RequiresShape
    remarks = (remark for remark in field_notes(kind)[name] if isinstance(remark, sorts))
    return next(remarks, None)


@cache
def _find_bound_type_source(kind: type) -> tuple[str, BindsType | SameType | Iterates | None] | None:
    """Return the field, with its annotation, that gives the type of a node's name or `it`; None if none does."""
    for name in field_notes(kind):
        gives = get_field_note(kind, name, BindsType) or (
            get_field_note(kind, name, SameType) if field_roles(kind, name) & BINDING_ROLES else None
        )
        if gives is not None:
            return name, gives
    members = (name for name in field_notes(kind) if Role.MEMBERS in field_roles(kind, name))
    return next(((name, get_field_note(kind, name, Iterates)) for name in members), None)


@dataclass(frozen=True)
class SpecialCases:
    """Type checking that no signature says, by class of nodes."""

    values: Mapping[type, Callable[[TypeChecker, Any], ValueType]] = field(default_factory=dict)  # the types of values
    nodes: Mapping[type, Callable[[TypeChecker, Any], None]] = field(default_factory=dict)  # further faults
    # what to write instead
    remedies: Mapping[type, Callable[[TypeChecker, Any, t.Expr, ValueType], Remedy | None]] = field(
        default_factory=dict
    )

    def __or__(self, more: SpecialCases) -> SpecialCases:
        return SpecialCases(
            {**self.values, **more.values}, {**self.nodes, **more.nodes}, {**self.remedies, **more.remedies}
        )


class TypeChecker:
    """A type checker that visits nodes by their signatures, records types and reports misfits."""

    def __init__(self, resolved: ResolvedBook, cases: SpecialCases) -> None:
        self.resolved, self.cases = resolved, cases
        self.types, self.locals = resolved.types, resolved.locals
        self.coerced: dict[t.Expr, Coercion] = {}
        self.diagnostics: list[Diagnostic] = []
        self.element_types: list[ValueType] = []  # types of `it` around a value, innermost last
        self.parameters: list[tuple[str, ValueType]] = []  # what the ability being checked is told, by name

    # --- nodes -------------------------------------------------------------------------------

    def visit(self, node: t.Node) -> None:
        """Check a node that is no value."""
        case = self.cases.nodes.get(type(node), TypeChecker.check_fields)
        case(self, node)

    def check_fields(self, node: t.Node) -> ValueType:
        """Check a node's fields in written order; return the type of the name it binds, or of `it`."""
        kind: type = type(node)
        given = self.bind_type(node)
        for part in signature_of(kind):
            value = getattr(node, part.name)
            if value is not None and part.member:
                self.element_types.append(
                    self._type_from_rule(node, part.it_type) if part.it_type is not None else given
                )
                self._check_part(node, part, value)
                self.element_types.pop()
            elif value is not None:
                self._check_part(node, part, value)
        return given

    def bind_type(self, node: t.Node) -> ValueType:
        """Record and return the type of the name that a node binds, or of `it`."""
        kind: type = type(node)
        giving = _find_bound_type_source(kind)
        if giving is None:
            return UNKNOWN
        given = self._type_bound_name(node, *giving)
        if node in self.resolved.binds:
            self.set_local_type(node, given)
        return given

    def set_local_type(self, node: t.Node, type_: ValueType) -> None:
        """Record the type of the local name that a node binds."""
        self.locals[self.resolved.binds[node]] = type_

    def _type_bound_name(self, node: t.Node, name: str, rule: BindsType | SameType | Iterates | None) -> ValueType:
        """Return the type of the name that a node binds, from a declared type, an equal field, or a set's members."""
        if isinstance(rule, BindsType):
            return self._type_from_rule(node, rule)
        if isinstance(rule, SameType):
            return self.type_of(getattr(node, rule.field))
        members = getattr(node, name)
        if rule is not None:
            return self._type_member(node, members, rule)
        return member_of(self.type_of(members))

    def _type_from_rule(self, node: t.Node, rule: BindsType) -> ValueType:
        """Return the type that a binding rule states: a set of a kind, one of a kind, or a plain shape."""
        if rule.set_of:
            return set_of(type_of_kind(self.resolved, getattr(node, rule.set_of)))
        kind = getattr(node, rule.one_of, None)
        if kind is not None:
            return type_of_kind(self.resolved, kind)
        return SHAPES.get(rule.shape, UNKNOWN)

    def _type_member(self, node: t.Node, members: t.Expr, through: Iterates) -> ValueType:
        """Return the type of a member of `members`, for `it`; a number if they are dice whose faces are visited."""
        if through.dice and self.type_of(members) == DICE:
            return NUMBER
        return self.type_set_member(members, through.where.format_map(dict(iter_fields(node))))

    def _check_part(self, node: t.Node, field: FieldSignature, value: Any, word: str = "") -> None:
        """Check one part of a field, or each in a tuple; names without a meaning are skipped."""
        if isinstance(value, t.Expr):
            if not isinstance(value, t.Name) or value in self.resolved.meaning:
                if field.member and value in self.resolved.member_locals:
                    self.locals[self.resolved.member_locals[value]] = self.element_types[-1]
                self.check_value(node, field, value, word)
        elif isinstance(value, tuple):
            for part in value:
                self._check_part(node, field, part, value[0] if isinstance(value[0], str) else "")
        elif isinstance(value, t.Node):
            self.visit(value)

    def check_value(self, node: t.Node, field: FieldSignature, value: t.Expr, word: str = "") -> bool:
        """Check the value of a field, and return True if it fits.

        Args:
            node: The node that has the field.
            field: The field's signature.
            value: The value.
            word: The word before the value in its row, for the message.
        """
        if field.place:
            self.type_place(value, node)
        if isinstance(field.takes, RequiresShape):
            return self._check_shape(node, field.takes, value)
        if field.takes is not None:
            return self.expect(value, self._find_expected_type(node, field.takes), field.takes.where, node, word)
        if not field.place:
            self.type_of(value)
        return True

    def _find_expected_type(
        self, node: t.Node, takes: Requires | SetOfKind | SameType | SetLikeField | MemberOfField
    ) -> ValueType:
        """Return the type that a field requires, fixed or computed from another field of the node."""
        if isinstance(takes, Requires):
            return SHAPES[takes.shape]
        other = getattr(node, takes.field)
        if isinstance(takes, SetOfKind):
            return set_of(type_of_kind(self.resolved, other))
        if isinstance(takes, SetLikeField):
            return set_of(member_of(self.type_of(other)))
        if isinstance(takes, MemberOfField):
            shaped, many = get_field_note(type(node), takes.field, RequiresShape), self.type_of(other)
            if shaped is None or many.shape == shaped.shape:
                return member_of(many)
            return UNKNOWN
        if isinstance(other, t.TypeName):
            return from_type_name(self.resolved, other)
        return self.type_of(other)

    def _check_shape(self, node: t.Node, takes: RequiresShape, value: t.Expr) -> bool:
        """Return True if a value has the required shape; else report E0401 or E0402."""
        have = self.type_of(value)
        if have.shape not in (takes.shape, "unknown"):
            where = takes.where.format_map(dict(iter_fields(node)))
            self.report(
                "E0401" if takes.shape == "thing" else "E0402",
                f"{where} takes {add_indefinite_article(takes.shape)}, but this is {describe_type(have)}",
                value.span,
                takes.help or self.find_remedy(node, value, ValueType(takes.shape)),
            )
            return False
        return True

    def type_place(self, expr: t.Expr, step: t.Node | None = None) -> ValueType:
        """Return the type of a place that a step changes; report one that is neither a keep nor a local name."""
        type_ = self.type_of(expr)
        head = expr.head if isinstance(expr, t.Apply) else expr
        meaning = self.resolved.meaning_of(head) if isinstance(head, t.Name) else None
        if meaning is not None and (meaning.sort == "keep" or isinstance(meaning, Local)):
            return type_
        if isinstance(step, t.Show) and meaning is not None and meaning.sort == "resource" and head is not expr:
            return type_  # the amount that a player has
        value = step.value if isinstance(step, t.Set | t.Add | t.Remove) else None
        if value is not None:
            self.type_of(value)
        self.diagnostics.append(diagnose_unchangeable(self.resolved, expr, meaning, step, value))
        self.types[expr] = UNKNOWN  # so that the value to be set there is not checked, too
        return UNKNOWN

    # --- values ------------------------------------------------------------------------------

    def type_of(self, expr: t.Expr) -> ValueType:
        """Return the type of a value, computed once."""
        type_ = self.types.get(expr)
        if type_ is None:
            self.types[expr] = UNKNOWN  # an expression that refers to itself has no type
            case = self.cases.values.get(type(expr), TypeChecker.type_by_signature)
            type_ = self.types[expr] = case(self, expr)
        return type_

    def type_by_signature(self, expr: t.Expr) -> ValueType:
        """Check a value by its signature and return its type."""
        member_type = self.check_fields(expr)
        gives: str = type(expr).gives  # type: ignore[attr-defined]
        if gives != "members":
            return SHAPES[gives]
        if self.type_of(getattr(expr, gives)) == DICE:
            return DICE
        return set_of(member_type)

    def expect(
        self,
        expr: t.Expr,
        wanted: ValueType,
        where: str,
        node: t.Node | None = None,
        word: str = "",
        labels: Sequence[Label] = (),
    ) -> bool:
        """Report an expression whose type does not fit `wanted`, else record its coercion; return True if it fits.

        Args:
            expr: The value.
            wanted: The type that the place takes.
            where: The place in words; may have blanks for `word` and the fields of `node`.
            node: The node that has the place.
            word: The word before the value, for the message.
            labels: Further places to point at.
        """
        have = self.type_of(expr)
        is_fitting = fits(have, wanted)
        if not is_fitting:
            where = where.format_map({"word": word, **dict(iter_fields(node))}) if node is not None else where
            at = {"this place": "place", "`and`": "joined", "`or`": "joined"}.get(where, "")
            remedy = self.find_remedy(node, expr, wanted) or self.suggest(expr, wanted, "values", "others", at=at)
            if wanted == SHAPES["truth"] and isinstance(expr, t.Name):
                parameters = [name for name, type_ in self.parameters if type_ == have]
                if parameters:
                    remedy = ask_about_parameter(expr, parameters, self.suggest(expr, wanted, "values"))
            title = f"{where} takes {describe_type(wanted)}, but this is {describe_type(have)}"
            self.report("E0401", title, expr.span, remedy, *labels)
        self.coerce(expr, wanted)
        return is_fitting

    def coerce(self, expr: t.Expr, wanted: ValueType) -> None:
        """Record in `coerced` the conversion that an expression needs to become `wanted`, if it needs one."""
        needed = find_coercion(self.type_of(expr), wanted)
        if needed is not None:
            self.coerced[expr] = needed

    def type_set_member(self, expr: t.Expr, where: str) -> ValueType:
        """Note that a value is used as a set and return the type of its members."""
        self.coerce(expr, SET)
        return self.type_member(expr, where)

    def type_member(self, expr: t.Expr, where: str) -> ValueType:
        """Return the type of the members of a set or order without a coercion."""
        have = self.type_of(expr)
        member = member_of(have)
        if UNKNOWN == member != have:
            self.report(
                "E0402",
                f"{where} takes a set, but this is {describe_type(have)}",
                expr.span,
                self.suggest(expr, SET, "others"),
            )
        return member

    # --- reports -----------------------------------------------------------------------------

    def report(self, code: str, title: str, span: Span, help: str | Remedy | None, *labels: Label) -> None:
        """Add a diagnostic; `help` may be a plain text or a remedy with an edit."""
        remedy = Remedy(help or "") if help is None or isinstance(help, str) else help
        self.diagnostics.append(
            Diagnostic(
                code,
                title,
                span,
                labels=labels,
                help=remedy.help,
                edits=remedy.edits,
                alternatives=remedy.alternatives,
                asks=remedy.asks,
            )
        )

    def find_remedy(self, node: t.Node | None, expr: t.Expr, wanted: ValueType) -> Remedy | None:
        """Return what to write for a value that does not fit, where that depends on the node around it."""
        case = self.cases.remedies.get(type(node))
        return case(self, node, expr, wanted) if case is not None else None

    def suggest(
        self,
        expr: t.Expr,
        wanted: ValueType,
        *parts: str,
        at: str = "",
        whole: t.Expr | None = None,
        against: t.Expr | None = None,
    ) -> Remedy | None:
        """Return what to write in place of a value of the wrong type.

        Args:
            expr: The value.
            wanted: The type that its place takes.
            parts: The parts of the table `grammar/remedies.yaml` to look in.
            at: Further words for what is wanted.
            whole: The expression to replace, if it is more than the value.
            against: The value that it is compared with.
        """
        it = "it" if self.element_types[-1:] == [PLAYER] else "you"
        return Misfit(self.resolved, expr, wanted, it, at, whole, against).remedy(*parts)
