"""Part of pass 5, check: of which type every expression is, and that types fit where they stand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from edict.front import tree as t
from edict.front.symbols import (
    BUILTINS, DICE, NOTHING, NUMBER, NUMBERS, PLAYER, PLAYERS, RESOURCE, RESOURCES, TRUTH, Local, Resolved, Symbol, a,
)  # fmt: skip
from edict.program import Type
from edict.report import Diagnostic, Label, Outcome
from edict.text import Span

UNKNOWN = Type("unknown")
EFFECT = Type("effect")
AMOUNTS = Type("amounts")


@dataclass(frozen=True)
class Typed:
    """A resolved book and the types of its expressions and local names."""

    resolved: Resolved
    types: dict[t.Expr, Type]
    locals: dict[Local, Type]

    def of(self, expr: t.Expr) -> Type:
        return self.types[expr]


def spoken(of: Type) -> str:
    """A type in words."""
    if of.shape == "thing":
        return a(of.kind) + (" or `none`" if of.optional else "")
    if of.shape in ("set", "order"):
        return f"{a(of.shape)} of {of.kind or 'anything'}"
    words = {"number": "a number", "truth": "yes or no", "dice": "dice", "nothing": "`none`", "effect": "an effect"}
    return words.get(of.shape, of.shape)


def declared(resolved: Resolved, written: t.TypeName) -> Type:
    """The type a rule file writes down."""
    if written.name is None:
        return Type(written.shape)
    meaning = resolved.of(written.name)
    kind = "resource" if meaning.sort == "group" else meaning.name
    if written.shape == "thing" and kind == "number":
        return NUMBER
    return Type(written.shape, kind, written.optional)


def param_type(resolved: Resolved, param: t.Param) -> Type:
    meaning = resolved.of(param.kind)
    if meaning.sort == "number":
        return NUMBER
    return Type("thing", "resource" if meaning.sort == "group" else meaning.name)


def check_types(resolved: Resolved) -> Outcome[Typed]:
    """Types of everything, and a diagnostic wherever they do not fit."""
    work = _Typer(resolved)
    for definition in resolved.book.definitions.values():
        work.declare(definition)
    for definition in resolved.book.definitions.values():
        work.definition(definition)
    for one in resolved.book.standalone:
        work.ability(one.ability)
    return Outcome(Typed(resolved, work.types, work.locals), tuple(work.found))


class _Typer:
    def __init__(self, resolved: Resolved) -> None:
        self.resolved = resolved
        self.types: dict[t.Expr, Type] = {}
        self.locals: dict[Local, Type] = {}
        self.found: list[Diagnostic] = []

    # --- reports -----------------------------------------------------------------------------

    def wrong(self, code: str, title: str, span: Span, help: str, *labels: Label) -> None:
        self.found.append(Diagnostic(code, title, span, labels=labels, help=help))

    def fits(self, have: Type, want: Type) -> bool:
        if UNKNOWN in (have, want) or have == want:
            return True
        if have.shape == "nothing":
            return want.shape == "thing" and want.optional
        if have.shape == want.shape == "thing":
            return have.kind == want.kind
        if want.shape == "set" and have.shape in ("set", "order", "thing"):
            return have.kind == want.kind or not have.kind or not want.kind
        if want.shape == "order":
            return have.shape == "order" and have.kind == want.kind
        return have.shape == want.shape and have.shape != "set"

    def want(self, expr: t.Expr, wanted: Type, where: str) -> None:
        have = self.expr(expr)
        if not self.fits(have, wanted):
            self.wrong(
                "E0401", f"{where} takes {spoken(wanted)}, and this is {spoken(have)}", expr.span,
                f"write an expression that gives {spoken(wanted)}",
            )  # fmt: skip

    def members(self, expr: t.Expr, where: str) -> Type:
        """The type of the members of something that can be gone through."""
        have = self.expr(expr)
        if have.shape in ("set", "order", "thing"):
            return NUMBER if have.kind == "number" else Type("thing", have.kind)
        if have != UNKNOWN:
            self.wrong("E0402", f"{where} takes a set, and this is {spoken(have)}", expr.span, "name a set of things")
        return UNKNOWN

    def bound(self, node: t.Node, of: Type) -> None:
        self.locals[self.resolved.binds[node]] = of

    # --- definitions -------------------------------------------------------------------------

    def declare(self, definition: t.Definition) -> None:
        """Parameters first, since abilities anywhere may use them."""
        for param in getattr(definition, "params", ()):
            if isinstance(param, t.Param):
                self.bound(param, param_type(self.resolved, param))
        if isinstance(definition, t.Action):
            for choice in definition.params:
                self.bound(choice, self._chosen(choice))
            if definition.payment:
                self.bound(definition.payment, DICE)
        if isinstance(definition, t.Kind):
            self.bound(definition, Type("thing", definition.name.word))

    def definition(self, definition: t.Definition) -> None:
        handler: Callable[[Any], None] | None = getattr(self, "_" + type(definition).__name__.lower(), None)
        if handler:
            handler(definition)

    def _kind(self, kind: t.Kind) -> None:
        for field in kind.fields:
            if field.value is not None:
                self.expr(field.value)
        if kind.works_if is not None:
            self.want(kind.works_if, TRUTH, "`works if`")

    def _thing(self, thing: t.Thing) -> None:
        kind = self.resolved.get(thing.kind.word)
        types = {f.name.word: f.type for f in kind.fields if f.type}
        for field in thing.fields:
            written = types.get(field.name.word)
            if field.expr is not None and written is not None:
                self.want(field.expr, declared(self.resolved, written), f"the field `{field.name.word}`")
            if field.amounts is not None:
                for part in field.amounts.parts:
                    self.expr(part.amount)
            self.block(field.block or ())
        for ability in thing.abilities:
            self.ability(ability)

    def _keep(self, keep: t.Keep) -> None:
        if keep.start is not None:
            self.want(keep.start, declared(self.resolved, keep.type), f"`{keep.name.word}`")

    def _quantity(self, quantity: t.Quantity) -> None:
        for expr in (quantity.value, quantity.at_least, quantity.at_most):
            if expr is not None:
                self.want(expr, NUMBER, f"the quantity `{quantity.name.word}`")

    def _phase(self, phase: t.Phase) -> None:
        self.block(phase.block)

    def _routine(self, routine: t.Routine) -> None:
        self.block(routine.block)

    def _action(self, action: t.Action) -> None:
        for choice in action.params:
            self._choose(choice)
        if action.payment:
            self.want(action.payment.place, DICE, "paying with dice")
            self.want(action.payment.total, NUMBER, "`making`")
        for rule in action.rules:
            self.want(rule.require, TRUTH, "`require`")
        self.block(action.then)

    def _game(self, game: t.Game) -> None:
        keep = self._definition(game.order)
        if isinstance(keep, t.Keep) and (keep.params or declared(self.resolved, keep.type) != Type("order", "player")):
            self.wrong(
                "E0415", f"`{keep.name.word}` is no order of players", game.order.span,
                f"declare it so: `keep {keep.name.word} as order of player`", Label(keep.span, "declared here"),
            )  # fmt: skip
        self.want(game.winners, PLAYERS, "`winners`")
        self.want(game.score, NUMBER, "`score`")
        if game.judge is not None:
            self.want(game.judge, NUMBER, "`judge by`")
        if game.ask_gains is not None:
            self.want(game.ask_gains, TRUTH, "`ask about gains if`")
        self.block(game.course)

    def _display(self, display: t.Display) -> None:
        if display.each:
            kind = self.resolved.of(display.each).name
            self.bound(display, Type("thing", kind))
        if display.rows is not None:
            self.bound(display.rows, PLAYER)
        for expr, what in ((display.condition, "`if`"), (display.mark, "`mark if`")):
            if expr is not None:
                self.want(expr, TRUTH, what)
        for expr in (display.rows, display.columns_by):
            if expr is not None:
                self.expr(expr)
        for line in (*display.lines, *display.columns):
            for part in line.parts:
                if isinstance(part, t.Expr):
                    self.expr(part)

    # --- abilities ---------------------------------------------------------------------------

    def ability(self, ability: t.Ability) -> None:
        condition = getattr(ability, "condition", None)
        if condition is not None:
            self.want(condition, TRUTH, "`if`")
        if isinstance(ability, t.Adjust):
            self.want(ability.by, NUMBER, "`adjust`")
        elif isinstance(ability, t.When):
            self.block(ability.block)
        elif isinstance(ability, t.Shift) and ability.spending:
            self.bundle(ability.spending)
        elif isinstance(ability, t.Exception_):
            if ability.require is not None:
                self.want(ability.require, TRUTH, "`require`")
            self.block(ability.then)

    # --- statements --------------------------------------------------------------------------

    def block(self, statements: t.Block) -> None:
        for statement in statements:
            self.stmt(statement)

    def stmt(self, statement: t.Stmt | None) -> None:
        if statement is not None:
            getattr(self, "_" + type(statement).__name__.lower())(statement)

    def bundle(self, bundle: t.Bundle) -> None:
        for part in bundle.parts:
            self.want(part.amount, NUMBER, "an amount")
            if isinstance(part, t.PartFrom):
                self.want(part.source, RESOURCES, "`from` here")
                continue
            meaning = self.resolved.of(part.what)
            if isinstance(meaning, Local) and not self.fits(self.locals.get(meaning, UNKNOWN), RESOURCE):
                self.wrong(
                    "E0403", f"`{part.what.word}` is no resource", part.what.span,
                    "only resources can be gained, lost and spent",
                    Label(meaning.span, f"this is {spoken(self.locals[meaning])}"),
                )  # fmt: skip

    def _gain(self, gain: t.Gain) -> None:
        for bundle in gain.options:
            self.bundle(bundle)

    def _lose(self, lose: t.Lose) -> None:
        self.bundle(lose.bundle)

    def _spend(self, spend: t.Spend) -> None:
        for bundle in spend.options:
            self.bundle(bundle)
        if spend.name:
            self.bound(spend, RESOURCE)
            for bundle in spend.options:
                self._one_resource(bundle, spend.name)
        self.block(spend.then)

    def _one_resource(self, bundle: t.Bundle, name: t.Name) -> None:
        """`as paid` names the resource spent, so there must be one."""
        part = bundle.parts[0]
        single = isinstance(part.amount, t.Number) and part.amount.value == 1 and len(bundle.parts) == 1
        named = isinstance(part, t.Part) and not part.each and isinstance(self.resolved.of(part.what), Symbol)
        if not (single and named):
            self.wrong(
                "E0416", f"`{name.word}` could not say which resource was spent", bundle.span,
                f"spend 1 of something, or leave out `as {name.word}`",
            )  # fmt: skip

    def _may(self, may: t.May) -> None:
        self.stmt(may.head)
        self.block(may.then)
        self.block(may.otherwise)

    def _chooseone(self, choose: t.ChooseOne) -> None:
        if choose.asking is not None:
            self.want(choose.asking, PLAYER, "`asking`")
        for branch in choose.branches:
            if branch.condition is not None:
                self.want(branch.condition, TRUTH, "`if`")
            self.block(branch.block)

    def _chosen(self, choose: t.Choose) -> Type:
        meaning = self.resolved.of(choose.kind)
        if meaning.sort == "number":
            return NUMBER
        return RESOURCE if meaning.sort == "group" else Type("thing", meaning.name)

    def _choose(self, choose: t.Choose) -> None:
        of = self._chosen(choose)
        self.bound(choose, of)
        for expr in (choose.low, choose.high):
            if expr is not None:
                self.want(expr, NUMBER, "`from ... to ...`")
        if choose.source is not None:
            self.want(choose.source, NUMBERS if of == NUMBER else Type("set", of.kind), "`choose`")
        if of == NUMBER and choose.low is None and choose.source is None:
            self.wrong("E0404", "a number is chosen from nowhere", choose.span, "write `from 0 to ...`")
        if choose.where is not None:
            self.bound(choose.where, of)
            self.want(choose.where, TRUTH, "`where`")
        if choose.asking is not None:
            self.want(choose.asking, PLAYER, "`asking`")

    def _choosedie(self, choose: t.ChooseDie) -> None:
        self.want(choose.source, DICE, "choosing a die")
        self.bound(choose, DICE)

    def _let(self, let: t.Let) -> None:
        self.bound(let, self.expr(let.value))

    def place(self, expr: t.Expr) -> Type:
        """The type of a place that can be changed: a keep, or a local name."""
        of = self.expr(expr)
        head = expr.head if isinstance(expr, t.Apply) else expr
        meaning = self.resolved.of(head) if isinstance(head, t.Name) else None
        if meaning is None or not (meaning.sort == "keep" or isinstance(meaning, Local)):
            self.wrong(
                "E0405", "this cannot be changed", expr.span,
                "only a `keep` and a name from `let` can be set; resources are gained, lost and spent",
            )  # fmt: skip
        return of

    def _set(self, one: t.Set) -> None:
        self.want(one.value, self.place(one.place), "this place")

    def _add(self, one: t.Add | t.Remove) -> None:
        of = self.place(one.place)
        if of.shape == "order" or of.shape in ("truth", "thing"):
            self.wrong("E0406", f"nothing can be added to {spoken(of)}", one.span, "use `set ... to ...`")
            return
        if of == NUMBERS and self.expr(one.value) == NUMBER:
            return  # a number is added to a set of numbers as a thing to a set of things
        self.want(one.value, of, "this place")

    _remove = _add

    def _roll(self, roll: t.Roll) -> None:
        self.want(roll.count, NUMBER, "`roll`")
        if roll.name:
            self.bound(roll, DICE)
        if roll.place is not None and not self.fits(self.place(roll.place), DICE):
            self.wrong("E0401", "dice are rolled into a place for dice", roll.place.span, "declare it `as dice`")

    def _reroll(self, reroll: t.Reroll) -> None:
        if reroll.dice is not None:
            self.want(reroll.dice, DICE, "`reroll`")
        if not self.fits(self.place(reroll.place), DICE):
            self.wrong("E0401", "dice are rerolled within a place for dice", reroll.place.span, "name one")

    def _draw(self, draw: t.Draw) -> None:
        of = Type("thing", self.resolved.of(draw.kind).name)
        self.want(draw.source, Type("set", of.kind), "`draw`")
        self.bound(draw, of)

    def _show(self, show: t.Show) -> None:
        self.place(show.place)
        self.want(show.to, PLAYERS, "`show ... to`")
        head = show.place.head if isinstance(show.place, t.Apply) else show.place
        meaning = self.resolved.meaning.get(head) if isinstance(head, t.Name) else None
        keep = meaning.definition if isinstance(meaning, Symbol) else None
        if isinstance(keep, t.Keep) and not keep.secret:
            self.wrong(
                "E0407", f"`{keep.name.word}` is no secret", show.span, "declare it `, secret`, or leave this out",
                Label(keep.span, "declared here, open to all"),
            )  # fmt: skip

    def _announce(self, announce: t.Announce) -> None:
        for part in announce.parts:
            if isinstance(part, t.Expr):
                self.expr(part)

    def arguments(self, node: t.Node, name: str, params: tuple[t.Param, ...], args: tuple[t.Expr, ...]) -> None:
        if len(params) != len(args):
            self.wrong(
                "E0408", f"`{name}` takes {len(params)} and is given {len(args)}", node.span,
                f"give it: {', '.join(p.name.word for p in params) or 'nothing'}",
                *(Label(p.span, "declared here") for p in params[:1]),
            )  # fmt: skip
        for param, arg in zip(params, args, strict=False):
            self.want(arg, param_type(self.resolved, param), f"`{name}`")

    def _trigger(self, trigger: t.Trigger) -> None:
        moment = self._definition(trigger.moment)
        self.arguments(trigger, trigger.moment.word, getattr(moment, "params", ()), trigger.args)

    def _do(self, do: t.Do) -> None:
        what = self._definition(do.name)
        params = what.params if isinstance(what, t.Routine) else ()
        self.arguments(do, do.name.word, params, do.args)

    def _definition(self, name: t.Name) -> t.Definition | None:
        meaning = self.resolved.of(name)
        return meaning.definition if isinstance(meaning, Symbol) else None

    def _dofield(self, do: t.DoField) -> None:
        of = self.expr(do.thing)
        written = self._field(do.field, of, do.span)
        if written not in (EFFECT, UNKNOWN):
            self.wrong(
                "E0409", f"`{do.field.word}` is no effect", do.field.span, "only effects can be done",
            )  # fmt: skip

    def _play(self, _: t.Play) -> None:
        pass

    _endgame = _nothing = _play

    def _arrange(self, arrange: t.Arrange) -> None:
        of = self.place(arrange.place)
        if of.shape != "order":
            self.wrong("E0410", f"{spoken(of)} cannot be arranged", arrange.place.span, "only an order can")
        self.bound_it(arrange, of)
        self.want(arrange.key, NUMBER, "`arrange`")

    def bound_it(self, node: t.Node, of: Type) -> None:
        if node in self.resolved.binds:
            self.bound(node, Type("thing", of.kind))

    def _shuffle(self, shuffle: t.Shuffle) -> None:
        of = self.place(shuffle.place)
        if of.shape != "order":
            self.wrong("E0410", f"{spoken(of)} cannot be shuffled", shuffle.place.span, "only an order can")

    def _if(self, one: t.If) -> None:
        self.want(one.condition, TRUTH, "`if`")
        self.block(one.then)
        self.block(one.otherwise)

    def _each(self, each: t.Each) -> None:
        meaning = self.resolved.of(each.kind)
        of = {"number": NUMBER, "group": RESOURCE}.get(meaning.sort, Type("thing", meaning.name))
        if each.source is not None:
            self.want(each.source, NUMBERS if of == NUMBER else Type("set", of.kind), "`each ... in`")
        elif of == NUMBER:
            self.wrong("E0404", "numbers have no end", each.span, "write `each number in ...`")
        if each in self.resolved.binds:
            self.bound(each, of)
        self.block(each.block)

    def _repeat(self, repeat: t.Repeat) -> None:
        if repeat.count is not None:
            self.want(repeat.count, NUMBER, "`repeat`")
        if repeat.until is not None:
            self.want(repeat.until, TRUTH, "`repeat until`")
        self.block(repeat.block)

    # --- expressions -------------------------------------------------------------------------

    def expr(self, expr: t.Expr) -> Type:
        if expr in self.types:
            return self.types[expr]
        self.types[expr] = UNKNOWN  # what refers to itself has no type
        of: Type = getattr(self, "_x_" + type(expr).__name__.lower())(expr)
        self.types[expr] = of
        return of

    def _x_number(self, _: t.Number) -> Type:
        return NUMBER

    def _x_during(self, _: t.During) -> Type:
        return TRUTH

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
            kinds = " and ".join(a(p.name.word) for p in definition.params)
            self.wrong(
                "E0411", f"`{name.word}` of what?", name.span, f"write `{name.word} of ...` and name {kinds}",
                Label(definition.span, "declared here"),
            )  # fmt: skip
            return UNKNOWN
        if isinstance(definition, t.Keep):
            return declared(self.resolved, definition.type)
        if isinstance(definition, t.Setting):
            return TRUTH if definition.truth else NUMBER
        if isinstance(definition, t.Thing):
            return Type("thing", definition.kind.word)
        sorts = {
            "quantity": NUMBER, "resource": RESOURCE, "group": RESOURCES, "kind": Type("set", meaning.name),
        }  # fmt: skip
        return sorts.get(meaning.sort, UNKNOWN)

    def _x_apply(self, apply: t.Apply) -> Type:
        meaning = self.resolved.of(apply.head)
        args = [self.expr(a) for a in apply.args]
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
                return NUMBER
            return declared(self.resolved, definition.type) if len(args) == len(definition.params) else UNKNOWN
        return UNKNOWN

    def _amount(self, apply: t.Apply, args: list[Type], head: Type) -> Type:
        if not self.fits(head, RESOURCE):
            self.wrong("E0403", f"`{apply.head.word}` is no resource", apply.head.span, "name a resource")
        if len(args) != 1 or not self.fits(args[0], PLAYER):
            self.wrong("E0401", "a resource is of a player", apply.span, f"write `{apply.head.word} of you`")
        return NUMBER

    def _args(self, apply: t.Apply, params: tuple[t.Param, ...], args: list[Type]) -> None:
        name = apply.head.word
        if len(params) != len(args):
            kinds = " ... ".join(p.name.word for p in params)
            self.wrong("E0408", f"`{name}` takes {len(params)} and is given {len(args)}", apply.span,
                       f"write `{name} of {kinds}`" if params else f"write `{name}` alone")  # fmt: skip
        for param, arg, have in zip(params, apply.args, args, strict=False):
            wanted = param_type(self.resolved, param)
            if not self.fits(have, wanted):
                self.wrong("E0401", f"`{name}` takes {spoken(wanted)}, and this is {spoken(have)}", arg.span,
                           f"name {spoken(wanted)}", Label(param.span, "declared here"))  # fmt: skip

    def _field_of(self, apply: t.Apply, args: list[Type]) -> Type:
        of = self._field(apply.head, args[0], apply.span)
        if of == AMOUNTS:
            if len(args) != 2 or not self.fits(args[1], RESOURCE):
                self.wrong("E0412", f"`{apply.head.word}` is an amount of several resources", apply.span,
                           f"write `{apply.head.word} of ... in ...` and name a resource")  # fmt: skip
            return NUMBER
        if of == EFFECT:
            self.wrong("E0409", f"`{apply.head.word}` is an effect, not a value", apply.span,
                       f"carry it out with `do {apply.head.word} of ...`")  # fmt: skip
            return UNKNOWN
        if len(args) != 1:
            self.wrong("E0408", f"`{apply.head.word}` takes 1 and is given {len(args)}", apply.span, "name one thing")
        return of

    def _field(self, field: t.Name, of: Type, span: Span) -> Type:
        """The type of a field of a thing of this type."""
        if of == UNKNOWN or self.resolved.of(field).sort == "unknown":
            return UNKNOWN
        kinds = self.resolved.fields.get(field.word, ())
        if of.shape != "thing" or of.kind not in kinds:
            self.wrong(
                "E0413", f"{spoken(of)} has no field `{field.word}`", span,
                f"the field belongs to: {', '.join(kinds)}",
            )  # fmt: skip
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
            self.want(unary.arg, DICE, f"`{op} of`")
            return NUMBER if op == "total" else NUMBERS
        if op == "first":
            first = self.members(unary.arg, "`first of`")
            return Type("thing", first.kind, True) if first.shape == "thing" else first
        if of.shape not in ("set", "order", "dice", "unknown"):
            self.wrong("E0402", f"`{op}` takes a set or dice, and this is {spoken(of)}", unary.span, "name a set")
        return NUMBER if op == "count" else TRUTH

    def _x_binary(self, binary: t.Binary) -> Type:
        left, right = self.expr(binary.left), self.expr(binary.right)
        op = binary.op
        if op in ("and", "or"):
            self.want(binary.left, TRUTH, f"`{op}`")
            self.want(binary.right, TRUTH, f"`{op}`")
            return TRUTH
        if op in ("+", "-") and left.shape in ("set", "dice"):
            self.want(binary.right, left, f"`{op}` here")
            return left if left.kind or left == DICE else Type("set", right.kind)  # `nobody + you`
        if op in ("+", "-", "*", "/", "mod"):
            self.want(binary.left, NUMBER, f"`{op}`")
            self.want(binary.right, NUMBER, f"`{op}`")
            return NUMBER
        if op in ("<", "<=", ">", ">="):
            self.want(binary.left, NUMBER, f"`{op}`")
            self.want(binary.right, NUMBER, f"`{op}`")
            return TRUTH
        if op in ("in", "not-in", "within"):
            member = self.members(binary.right, "`is in`")
            wanted = NUMBERS if member == NUMBER else Type("set", member.kind)
            if op == "within":
                self.want(binary.left, wanted, "`is within`")
            elif not self.fits(left, member) and member != UNKNOWN:
                self.wrong("E0401", f"{spoken(left)} is never in a set of {member.kind or 'numbers'}", binary.span,
                           "compare like with like")  # fmt: skip
            return TRUTH
        return self._equal(binary, left, right)

    def _equal(self, binary: t.Binary, left: Type, right: Type) -> Type:
        same = self.fits(left, right) or self.fits(right, left) or "nothing" in (left.shape, right.shape)
        mixed = {left.shape, right.shape} == {"set", "thing"}
        if not same or mixed:
            self.wrong("E0414", f"{spoken(left)} is never {spoken(right)}", binary.span,
                       "use `is in` for members of a set" if mixed else "compare like with like")  # fmt: skip
        return TRUTH

    def _x_showing(self, showing: t.Showing) -> Type:
        self.want(showing.face, NUMBER, "`showing`")
        return DICE

    def _x_among(self, among: t.Among) -> Type:
        self.want(among.dice, DICE, "`among`")
        return DICE

    def _x_where(self, where: t.Where) -> Type:
        member = self.members(where.members, "`where`")
        self.bound(where, member)
        self.want(where.condition, TRUTH, "`where`")
        return _set_of(member)

    def _x_best(self, best: t.Best) -> Type:
        member = self.members(best.members, "`with`")
        self.bound(best, member)
        for word, key in best.keys:
            self.want(key, NUMBER, f"`{word}`")
        return _set_of(member)

    def _x_over(self, over: t.Over) -> Type:
        self.bound(over, self.members(over.members, "`over`"))
        self.want(over.value, NUMBER, f"`{over.op} of`")
        return NUMBER

    def _x_quantified(self, one: t.Quantified) -> Type:
        self.bound(one, self.members(one.members, f"`{one.op}`"))
        self.want(one.condition, TRUTH, "`has`")
        return TRUTH


def _set_of(member: Type) -> Type:
    if member == UNKNOWN:
        return UNKNOWN
    return Type("set", "number" if member == NUMBER else member.kind)


__all__ = ["NOTHING", "PLAYER", "Typed", "check_types", "declared", "param_type", "spoken"]
