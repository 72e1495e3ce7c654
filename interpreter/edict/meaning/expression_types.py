"""Of which type an expression is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from edict.language import tree as t
from edict.language.printing.expressions import expression
from edict.meaning.field_types import TAKEN, Fields
from edict.language.roles import Role, Through, having, note
from edict.meaning.symbols import (
    BUILTINS, DICE, NUMBER, NUMBERS, PLAYER, PLAYERS, RESOURCE, RESOURCES, TRUTH, Local, Meaning, Resolved, Symbol,
)  # fmt: skip
from edict.language.sorts import SORTS
from edict.meaning.asked_of import of_what, with_params
from edict.meaning.at_hand import other_way_round
from edict.meaning.remedies import Misfit, Remedy
from edict.meaning.said_otherwise import alternative
from edict.meaning.types import (
    AMOUNTS, EFFECT, SET, UNKNOWN, Coercion, coercion, declared, among_of, fits, joins, param_type, set_of, spoken,
)  # fmt: skip
from edict.program import Type
from edict.report import Diagnostic, Edit, Label
from edict.text import Span


class Expressions(Fields):
    """Finds the type of every expression it is given, and remembers it; says where types do not fit."""

    def __init__(self, resolved: Resolved) -> None:
        self.resolved = resolved
        self.types, self.locals = resolved.types, resolved.locals
        self.coerced: dict[t.Expr, Coercion] = {}
        self.found: list[Diagnostic] = []
        self.its: list[Type] = []  # what is looked at one by one, where an expression is

    # --- reports -----------------------------------------------------------------------------

    def wrong(self, code: str, title: str, span: Span, help: str | Remedy | None, *labels: Label) -> None:
        said, edits = (help, ()) if isinstance(help, str) else help or ("", ())
        self.found.append(Diagnostic(code, title, span, labels=labels, help=said, edits=edits))

    fits = staticmethod(fits)

    def want(
        self, expr: t.Expr, wanted: Type, where: str, remedy: Callable[[], Remedy | None] = lambda: None
    ) -> bool:
        """Whether the value is of the type that its place takes; it is said if not, and how it can be."""
        have = self.expr(expr)
        good = self.fits(have, wanted)
        if not good:
            at = {"this place": "place", "`and`": "joined", "`or`": "joined"}.get(where, "")
            self.wrong(
                "E0401", f"{where} takes {spoken(wanted)}, and this is {spoken(have)}", expr.span,
                remedy() or self.instead(expr, wanted, "values", "others", at=at),
            )  # fmt: skip
        self.coerce(expr, wanted)
        return good

    def instead(
        self, expr: t.Expr, wanted: Type, *parts: str, at: str = "", whole: t.Expr | None = None,
        against: t.Expr | None = None,
    ) -> Remedy | None:  # fmt: skip
        """What to write in place of a value of the wrong type, by these parts of the table."""
        it = "it" if self.its[-1:] == [PLAYER] else "you"
        return Misfit(self.resolved, expr, wanted, it, at, whole, against).remedy(*parts)

    def both(self, binary: t.Binary, wanted: Type, gives: Type) -> Type:
        """Both sides of a sign or word are of one type; if they are not, the first is reported, and only once."""
        where = f"`{binary.op}`"
        right = binary.right
        good = self.want(binary.left, wanted, where, lambda: self.measured(binary))
        good = good and self.expr(binary.left) != UNKNOWN
        good = good and self.want(right, wanted, where, lambda: alternative(binary, self.expr(right), wanted))
        return gives if good else UNKNOWN

    def measured(self, binary: t.Binary) -> Remedy | None:
        """What to write for a sign between a value and a number, where the value is no number."""
        left, right = binary.left, binary.right
        return self.instead(left, self.expr(right), "measured", at=binary.op, whole=binary, against=right)

    def coerce(self, expr: t.Expr, wanted: Type) -> None:
        """Note what must happen to the value for its place to take it."""
        found = coercion(self.expr(expr), wanted)
        if found is not None:
            self.coerced[expr] = found

    def members(self, expr: t.Expr, where: str) -> Type:
        """The type of the members of something that is gone through as a set."""
        self.coerce(expr, SET)
        return self.member(expr, where)

    def member(self, expr: t.Expr, where: str) -> Type:
        """The type of the members of a set or order, as it is."""
        have = self.expr(expr)
        if have.shape in ("set", "order", "thing", "bag"):
            return NUMBER if have.kind == "number" else Type("thing", have.kind)
        if have != UNKNOWN:
            self.wrong("E0402", f"{where} takes a set, and this is {spoken(have)}", expr.span,
                       self.instead(expr, SET, "others"))  # fmt: skip
        return UNKNOWN

    def bound(self, node: t.Node, of: Type) -> None:
        self.locals[self.resolved.binds[node]] = of

    # --- expressions -------------------------------------------------------------------------

    def expr(self, expr: t.Expr) -> Type:
        if expr in self.types:
            return self.types[expr]
        self.types[expr] = UNKNOWN  # what refers to itself has no type
        of: Type = getattr(self, "_x_" + type(expr).__name__.lower(), self._x_plain)(expr)
        self.types[expr] = of
        return of

    def _x_plain(self, expr: t.Expr) -> Type:
        """A value of whose parts is said in the tree what they take, and what it gives."""
        among = self._through(expr)
        self.its += [among_of(among)] if among != UNKNOWN else []
        self.plain(expr)
        del self.its[len(self.its) - (among != UNKNOWN) :]
        gives: str = type(expr).gives  # type: ignore[attr-defined]
        return among if gives == "members" else TAKEN[gives]

    def _through(self, expr: t.Expr) -> Type:
        """Dice or a set of what a value goes through; each is its `it`, and of dice the number that shows."""
        among, through = UNKNOWN, note(type(expr), "members", Through)
        for members in having(expr, Role.MEMBERS):
            dice = through is not None and through.dice and self.expr(members) == DICE
            where = through.where.format_map(vars(expr)) if through else ""
            member = NUMBER if dice else self.members(members, where)
            self.bound(expr, member)
            among = DICE if dice else set_of(member)
        return among

    def _x_number(self, _: t.Number) -> Type:
        return NUMBER

    def _x_name(self, name: t.Name) -> Type:
        meaning = self.resolved.of(name)
        if isinstance(meaning, Local):
            return self.locals.get(meaning, UNKNOWN)
        return self.symbol(meaning, name)

    def symbol(self, meaning: Symbol, name: t.Name) -> Type:
        definition = meaning.definition
        if meaning.sort == "builtin":
            return BUILTINS[meaning.name]
        if meaning.sort == "player":
            return PLAYERS
        if isinstance(definition, t.Keep | t.Quantity) and definition.params:
            self.wrong(
                "E0411", f"`{name.word}` of what?", name.span,
                of_what(self.resolved, name, definition.params, self.its[-1:] == [PLAYER]),
                Label(definition.span, "declared here"),
            )  # fmt: skip
            return UNKNOWN
        if isinstance(definition, t.Keep):
            return declared(self.resolved, definition.type)
        if isinstance(definition, t.Term):
            return self.expr(definition.value)
        if isinstance(definition, t.Setting):
            return TRUTH if definition.truth else NUMBER
        if isinstance(definition, t.Thing):
            return Type("thing", definition.kind.word)
        sorts = {
            "quantity": NUMBER, "resource": RESOURCE, "group": RESOURCES, "kind": Type("set", meaning.name),
        }  # fmt: skip
        return sorts.get(meaning.sort, UNKNOWN)

    def _x_apply(self, apply: t.Apply) -> Type:
        args, meaning = [self.expr(a) for a in apply.args], self._head(apply.head)
        if isinstance(meaning, Local):
            return self._amount(apply, args, self.locals.get(meaning, UNKNOWN))
        if meaning.sort == "field":
            return self._field_of(apply, args)
        if meaning.sort in ("resource", "group", "die"):
            return self._amount(apply, args, RESOURCE)
        definition = meaning.definition
        if isinstance(definition, t.Keep | t.Quantity):
            self._args(apply, definition.params, args)
            if isinstance(definition, t.Quantity):
                return self.expr(definition.value) if isinstance(definition, t.Term) else NUMBER
            return declared(self.resolved, definition.type) if len(args) == len(definition.params) else UNKNOWN
        return UNKNOWN

    def _head(self, head: t.Name) -> Meaning:
        """What stands before `of`: a local name only if it is a resource, otherwise what is declared by that name."""
        meaning = self.resolved.of(head)
        if not isinstance(meaning, Local) or self.fits(self.locals.get(meaning, UNKNOWN), RESOURCE):
            return meaning
        declared_so = self.resolved.book.definitions.get(head.word)
        if head.word in self.resolved.fields:
            self.resolved.meaning[head] = Symbol("field", head.word)
        elif isinstance(declared_so, t.Keep | t.Quantity):
            self.resolved.meaning[head] = Symbol(SORTS[type(declared_so)], head.word, declared_so)
        return self.resolved.of(head)

    def _amount(self, apply: t.Apply, args: list[Type], head: Type) -> Type:
        if not self.fits(head, RESOURCE):
            self.wrong("E0403", f"`{apply.head.word}` is no resource", apply.head.span, "name a resource")
        if len(args) != 1 or not self.fits(args[0], PLAYER):
            self.wrong("E0401", "a resource is of a player", apply.span,
                       self.instead(apply.args[0], PLAYER, "asked", at="resource", whole=apply))  # fmt: skip
            return UNKNOWN
        self.coerce(apply.args[0], PLAYER)
        return NUMBER

    def _args(self, apply: t.Apply, params: tuple[t.Param, ...], args: list[Type]) -> None:
        name = apply.head.word
        if len(params) != len(args):
            self.wrong("E0408", f"`{name}` takes {len(params)} and is given {len(args)}", apply.span,
                       with_params(self.resolved, apply, params))  # fmt: skip
        if other_way_round(self.resolved, params, args):
            text = f"{name} of {expression(apply.args[1])} in {expression(apply.args[0])}"
            first = spoken(param_type(self.resolved, params[0]))
            self.wrong("E0401", f"`{name}` takes {first} first, and here it comes last", apply.span,
                       (f"write `{text}`", (Edit(apply.span, text),)))  # fmt: skip
            return
        for param, arg, have in zip(params, apply.args, args, strict=False):
            wanted = param_type(self.resolved, param)
            if not self.fits(have, wanted):
                several = len(args) == 1 and self.instead(arg, wanted, "asked", whole=apply)
                remedy = several or self.instead(arg, wanted, "values", "others")
                self.wrong("E0401", f"`{name}` takes {spoken(wanted)}, and this is {spoken(have)}", arg.span, remedy,
                           Label(param.span, "declared here"))  # fmt: skip
            self.coerce(arg, wanted)

    def _field_of(self, apply: t.Apply, args: list[Type]) -> Type:
        of = self._field(apply.head, args[0], apply.span, apply.args[0])
        for arg, have in zip(apply.args, args, strict=True):
            self.coerce(arg, replace(have, optional=False))
        if of == AMOUNTS:
            if len(args) != 2 or not self.fits(args[1], RESOURCE):
                self.types[apply] = AMOUNTS
                self.wrong("E0412", f"`{apply.head.word}` is an amount of several resources", apply.span,
                           self.instead(apply, NUMBER, "fields"))  # fmt: skip
                return UNKNOWN
            return NUMBER
        if of == EFFECT:
            self.types[apply] = EFFECT
            self.wrong("E0409", f"`{apply.head.word}` is an effect, not a value", apply.span,
                       self.instead(apply, UNKNOWN, "fields"))  # fmt: skip
            return UNKNOWN
        if len(args) != 1 and of != UNKNOWN:
            self.wrong("E0408", f"`{apply.head.word}` takes 1 and is given {len(args)}", apply.span, "name one thing")
        return of

    def _field(self, field: t.Name, of: Type, span: Span, expr: t.Expr) -> Type:
        """The type of a field of a thing of this type; expr: what it is asked of."""
        if of == UNKNOWN or self.resolved.of(field).sort == "unknown":
            return UNKNOWN
        kinds = self.resolved.fields.get(field.word, ())
        if of.shape != "thing" or of.kind not in kinds:
            self.types.setdefault(expr, of)
            remedy = self.instead(expr, UNKNOWN, "asked", at="field", against=field)
            self.wrong("E0413", f"{spoken(of)} has no field `{field.word}`", span, remedy)
            return UNKNOWN
        found = next(f for f in self.resolved.get(of.kind).fields if f.name.word == field.word)
        if found.type is not None:
            return declared(self.resolved, found.type)
        return self.expr(found.value)

    def _x_unary(self, unary: t.Unary) -> Type:
        of = self.expr(unary.arg)
        op = unary.op
        if op == "not":
            self.want(unary.arg, TRUTH, "`not`")
            return TRUTH
        if op == "minus":
            self.want(unary.arg, NUMBER, "`-`")
            return NUMBER
        if op in ("left", "right"):
            self.want(unary.arg, PLAYER, f"`{op} of`")
            return PLAYER
        if op in ("total", "faces"):
            self.want(unary.arg, DICE, f"`{op} of`", lambda: self.counted(unary))
            return NUMBER if op == "total" else NUMBERS
        if op == "text":
            if of.shape not in ("thing", "unknown"):
                self.wrong("E0401", f"`text of` takes a thing, and this is {spoken(of)}", unary.span, "name one thing")
            return Type("text", of.kind)
        if op in ("first", "last"):
            first = self.member(unary.arg, f"`{op} of`")
            if of.shape == "bag":
                self.coerce(unary.arg, SET)
            return Type("thing", first.kind, True) if first.shape == "thing" else first
        if of.shape not in ("set", "order", "dice", "bag", "unknown"):
            remedy = self.counted(unary) or self.instead(unary.arg, SET, "others")
            self.wrong("E0402", f"`{op}` takes a set or dice, and this is {spoken(of)}", unary.span, remedy)
        if of != DICE and (of.shape != "bag" or op != "count"):
            self.coerce(unary.arg, SET)
        return NUMBER if op == "count" else TRUTH

    def counted(self, unary: t.Unary) -> Remedy | None:
        """What to write where something is counted, or asked whether it is empty, that is no set."""
        return self.instead(unary.arg, SET, "counted", at=unary.op, whole=unary)

    def _x_binary(self, binary: t.Binary) -> Type:
        left, right = self.expr(binary.left), self.expr(binary.right)
        op = binary.op
        if op in ("and", "or"):
            return self.both(binary, TRUTH, TRUTH)
        if op in ("+", "-") and left.shape == "set" and left.kind in ("", "number") and right == NUMBER:
            self.coerced[binary.right] = Coercion.NUMBER_TO_SET
            return NUMBERS
        if op in ("+", "-") and "bag" in (left.shape, right.shape):
            bag = left if left.shape == "bag" else right
            self.want(binary.left, bag, f"`{op}` here")
            self.want(binary.right, bag, f"`{op}` here")
            return bag
        if op in ("+", "-") and joins(left, right):
            left = set_of(left)
            self.coerce(binary.left, left)
        if op in ("+", "-") and left.shape in ("set", "dice"):
            self.want(binary.right, left, f"`{op}` here")
            return left if left.kind or left == DICE else Type("set", right.kind)  # `nobody + you`
        if op in ("+", "-", "*", "/", "mod"):
            return self.both(binary, NUMBER, NUMBER)
        if op in ("<", "<=", ">", ">="):
            return self.both(binary, NUMBER, TRUTH)
        if op in ("in", "not-in", "within"):
            member = self.members(binary.right, "`is in`")
            wanted = NUMBERS if member == NUMBER else Type("set", member.kind)
            if op == "within":
                self.want(binary.left, wanted, "`is within`")
            elif not self.fits(left, member) and member != UNKNOWN:
                at = f"{op} single" if right.shape == "thing" else op
                self.wrong("E0401", f"{spoken(left)} is never in a set of {member.kind or 'numbers'}", binary.span,
                           self.instead(binary.left, member, "members", at=at, whole=binary, against=binary.right)
                           or self.instead(binary.left, member, "others"))  # fmt: skip
            return TRUTH
        return self._equal(binary, left, right)

    def _equal(self, binary: t.Binary, left: Type, right: Type) -> Type:
        same = self.fits(left, right) or self.fits(right, left) or "nothing" in (left.shape, right.shape)
        mixed = {left.shape, right.shape} == {"set", "thing"}
        if not same or mixed:
            self.wrong("E0414", f"{spoken(left)} is never {spoken(right)}", binary.span, self._alike(binary))
        if "set" in (left.shape, right.shape):
            self.coerce(binary.left, SET)
            self.coerce(binary.right, SET)
        return TRUTH

    def _alike(self, binary: t.Binary) -> Remedy | None:
        """What to write for a comparison of two values of different types: either may be the wrong one."""
        sides = ((binary.left, binary.right), (binary.right, binary.left))
        for part, whole in (("compared", binary), ("values", None)):
            for one, other in sides:
                remedy = self.instead(one, self.expr(other), part, whole=whole, against=whole and other)
                if remedy:
                    return remedy
        return self.instead(binary.left, self.expr(binary.right), "unlike", against=binary.right)

    def _x_best(self, best: t.Best) -> Type:
        among = self._through(best)
        self.its.append(among_of(among))
        for word, key in best.keys:
            self.want(key, NUMBER, f"`{word}`")
        self.its.pop()
        return among
