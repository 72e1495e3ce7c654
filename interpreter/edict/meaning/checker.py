"""Part of the pass `check`: types fit where they stand, in definitions, abilities and statements."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from edict.language import tree as t
from edict.language.roles import SetOf, Takes, note
from edict.ordering import after_their_needs
from edict.meaning.symbols import (
    DICE, NOTHING, NUMBER, NUMBERS, PLAYER, PLAYERS, RESOURCE, RESOURCES, TRUTH, Local, Resolved, Symbol, definition_of,
    keep_of,
)  # fmt: skip
from edict.meaning.field_types import TAKEN
from edict.meaning.asked_of import orders
from edict.meaning.said_otherwise import of_its_kind, several_of_a_bag, title_for_name, unchangeable
from edict.meaning.remedies import Remedy
from edict.meaning.single_places import drawn_into, moved
from edict.language.walking import parts, walk
from edict.meaning.running_types import Running
from edict.meaning.types import UNKNOWN, Coercion, Typed, declared, param_type, spoken
from edict.program import Type
from edict.report import Label, Outcome


def check_types(resolved: Resolved) -> Outcome[Typed]:
    """Types of everything, and a diagnostic wherever they do not fit."""
    work = _Typer(resolved)
    for definition in resolved.book.definitions.values():
        work.declare(definition)
    for value in _derived(resolved):
        work.expr(value)
    for definition in resolved.book.definitions.values():
        work.definition(definition)
    for one in resolved.book.standalone:
        work.plain(one.ability)
    return Outcome(Typed(resolved, work.coerced), tuple(dict.fromkeys(work.found)))  # a price is written out


def _derived(resolved: Resolved) -> list[t.Expr]:
    """What derived fields are, each after those of the fields it speaks of."""
    found: dict[str, list[t.Expr]] = {}
    for kind in (d for d in resolved.book.definitions.values() if isinstance(d, t.Kind)):
        for field in kind.fields:
            if field.value is not None:
                found.setdefault(field.name.word, []).append(field.value)

    def needed(value: t.Expr) -> Iterator[t.Expr]:
        for node in walk(value):
            if isinstance(node, t.Apply):
                yield from found.get(node.head.word, ())

    return after_their_needs((value for values in found.values() for value in values), needed, circles=True)


class _Typer(Running):
    """Goes through everything that is written."""

    # --- definitions -------------------------------------------------------------------------

    def declare(self, definition: t.Definition) -> None:
        """Parameters first, since abilities anywhere may use them."""
        for param in (*getattr(definition, "params", ()), *self.resolved.passing.get(definition, ())):
            if isinstance(param, t.Param):
                self.bound(param, param_type(self.resolved, param))
        if isinstance(definition, t.Action):
            for choice in definition.params:
                self.bound(choice, self.named(choice.kind))
            if definition.payment:
                self.bound(definition.payment, DICE)
        if isinstance(definition, t.Kind):
            self.bound(definition, Type("thing", definition.name.word))

    def definition(self, definition: t.Definition) -> None:
        handler: Callable[[Any], None] = getattr(self, "_" + type(definition).__name__.lower(), self.plain)
        handler(definition)

    def _kind(self, kind: t.Kind) -> None:
        for field in kind.fields:
            if field.value is not None:
                self.expr(field.value)
        if kind.works_if is not None:
            self.want(kind.works_if, TRUTH, "`works if`")

    def _thing(self, thing: t.Thing) -> None:
        self.block((thing.text,) if thing.text is not None else ())
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
            self.plain(ability)

    def _keep(self, keep: t.Keep) -> None:
        if keep.start is not None:
            self.want(keep.start, declared(self.resolved, keep.type), f"`{keep.name.word}`")

    def _term(self, one: t.Term) -> None:
        """What is no number: numbers can be adjusted, bounded and explained part by part."""
        if self.expr(one.value) == NUMBER:
            self.wrong("E0417", f"`{one.name.word}` is a number", one.name.span, "write `quantity` in place of `value`")

    def _action(self, action: t.Action) -> None:
        self.plain(replace(action, payments=action.payments[:1]))  # these are refused as such

    def _game(self, game: t.Game) -> None:
        keep = definition_of(self.resolved, game.order)
        if isinstance(keep, t.Keep) and (keep.params or declared(self.resolved, keep.type) != Type("order", "player")):
            self.wrong(
                "E0415", f"`{keep.name.word}` is no order of players", game.order.span,
                f"declare it so: `keep {keep.name.word} as order of player`", Label(keep.span, "declared here"),
            )  # fmt: skip
        self.plain(game)

    def _display(self, display: t.Display) -> None:
        if display.columns and not display.each:
            first = display.columns[0]
            self.wrong(
                "E0419", f"the columns of `{display.name.word}` belong to no rows", first.span,
                f"add a line above them that says what has a row, such as `each {PLAYER.kind}`",
            )  # fmt: skip
            return
        if display.each:
            meaning = self.resolved.of(display.each)
            self.bound(display, Type("thing", "resource" if meaning.sort == "group" else meaning.name))
        if display.rows is not None:
            self.bound(display.rows, PLAYER)
        self.plain(display)

    # --- statements --------------------------------------------------------------------------

    def block(self, statements: t.Block) -> None:
        for statement in statements:
            self.stmt(statement)

    def stmt(self, statement: t.Stmt) -> None:
        getattr(self, "_" + type(statement).__name__.lower(), self.plain)(statement)

    def bundle(self, bundle: t.Bundle) -> None:
        for part in bundle.parts:
            self.want(part.amount, NUMBER, "an amount")
            if isinstance(part, t.PartFrom):
                self.want(part.source, RESOURCES, "`from` here")
                continue
            meaning = self.resolved.of(part.what)
            self.found.extend(title_for_name(part, meaning))
            if isinstance(meaning, Local) and not self.fits(self.locals.get(meaning, UNKNOWN), RESOURCE):
                self.wrong(
                    "E0403", f"`{part.what.word}` is no resource", part.what.span,
                    "only resources can be gained, lost and spent",
                    Label(meaning.span, f"this is {spoken(self.locals[meaning])}"),
                )  # fmt: skip

    def _spend(self, spend: t.Spend) -> None:
        for bundle in spend.options:
            self.bundle(bundle)
        if spend.name:
            self.bound(spend, RESOURCE)
            for bundle in spend.options:
                self._one_resource(bundle, spend.name)
        self.block(spend.then)
        self.block(spend.otherwise)

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

    def _choose(self, choose: t.Choose) -> None:
        of = self.named(choose.kind)
        self.bound(choose, of)
        for expr in (choose.low, choose.high):
            if expr is not None:
                self.want(expr, NUMBER, "`from ... to ...`")
        if choose.source is not None:
            source = choose.source
            self.want(source, self.set_of(choose.kind), "`choose`",
                      lambda: of_its_kind("choose", choose.kind, source, self.expr(source)))  # fmt: skip
        if of == NUMBER and choose.low is None and choose.source is None:
            self.wrong("E0404", "a number is chosen from nowhere", choose.span, "write `from 0 to ...`")
        if choose.where is not None:
            self.bound(choose.where, of)
            self.its.append(of)
            self.want(choose.where, TRUTH, "`where`")
            self.its.pop()
        if choose.asking is not None:
            self.want(choose.asking, PLAYER, "`asking`")

    def place(self, expr: t.Expr, step: t.Node | None = None) -> Type:
        """The type of a place that a step can change: a keep, or a local name."""
        of = self.expr(expr)
        head = expr.head if isinstance(expr, t.Apply) else expr
        meaning = self.resolved.of(head) if isinstance(head, t.Name) else None
        if meaning is None or not (meaning.sort == "keep" or isinstance(meaning, Local)):
            value = step.value if isinstance(step, t.Set | t.Add | t.Remove) else None
            if value is not None:
                self.expr(value)
            self.found.append(unchangeable(self.resolved, expr, meaning, step, value))
            self.types[expr] = UNKNOWN  # whatever it would be set to is not asked
            return UNKNOWN
        return of

    def _add(self, one: t.Add | t.Remove) -> None:
        of = self.place(one.place, one)
        if isinstance(one, t.Remove) and one.to is not None:
            before = len(self.found)
            self.expr(one.to)
            del self.found[before:]  # what is wrong with it is told where it is added there
        if getattr(one, "first", False) and of.shape not in ("order", "unknown"):
            self.wrong("E0410", f"nothing comes first in {spoken(of)}", one.place.span, "leave out `first`")
            return
        if of.shape == "order":
            self.want(one.value, Type("set", of.kind), "this place")
            return
        if of.shape == "thing" and (one.to if isinstance(one, t.Remove) else one.gone) is not None:
            moved(self, one.value, one.place, of, isinstance(one, t.Remove))
            return
        if of.shape in ("truth", "thing"):
            self.wrong("E0406", f"nothing can be added to {spoken(of)}", one.span, "use `set ... to ...`")
            return
        if of == NUMBERS and self.expr(one.value) == NUMBER:
            self.coerced[one.value] = Coercion.NUMBER_TO_SET
            return
        self.want(one.value, of, "this place", lambda: self._one_more(one.value, of))

    def _one_more(self, value: t.Expr, of: Type) -> Remedy | None:
        """What can be added to a set, or taken out, is one of its members."""
        if of.shape not in ("set", "bag") or not of.kind or self.expr(value) == NOTHING:
            return None
        return self.instead(value, NUMBER if of == NUMBERS else Type("thing", of.kind), "values", "others")

    _remove = _add

    def _show(self, show: t.Show) -> None:
        self.place(show.place)
        self.want(show.to, PLAYERS, "`show ... to`")
        keep = keep_of(self.resolved, show.place)
        if keep is not None and not keep.secret:
            self.wrong(
                "E0407", f"`{keep.name.word}` is no secret", show.span, "declare it `, secret`, or leave this out",
                Label(keep.span, "declared here, open to all"),
            )  # fmt: skip

    def _infull(self, one: t.InFull) -> None:
        fit = [self._taken_in_short(one.short, name, value) for name, value in parts(one.short)]  # all are reported
        if all(fit):
            before = len(self.found)
            self.block(one.block)
            drawn_into(self, one.short, before)

    def _taken_in_short(self, short: t.Node, name: str, value: Any) -> bool:
        """Whether a part of a step in short is what it takes, so that what it stands for can be of the right types."""
        takes, of = note(type(short), name, Takes), note(type(short), name, SetOf)
        if value is None or (takes is None and of is None):
            return True
        if takes is not None:
            return self.want(value, TAKEN[takes.shape], takes.where)
        assert of is not None
        if isinstance(short, t.ChooseSome | t.DrawSome) and self.expr(value).shape == "bag":
            if keep_of(self.resolved, value) is not None:
                return True  # it was written out so
            title, remedy = several_of_a_bag(short)
            self.wrong("E0539", title, value.span, remedy)
            return False
        return self.want(value, self.set_of(getattr(short, of.field)), of.where)

    def _arrange(self, arrange: t.Arrange) -> None:
        of = self.place(arrange.place)
        if of.shape not in ("order", "unknown"):
            self.wrong("E0410", f"{spoken(of)} cannot be arranged", arrange.place.span, orders(self.resolved))
        self.bound_it(arrange, of)
        self.its.append(Type("thing", of.kind))
        self.want(arrange.key, NUMBER, "`arrange`")
        self.its.pop()

    def bound_it(self, node: t.Node, of: Type) -> None:
        if node in self.resolved.binds:
            self.bound(node, Type("thing", of.kind) if of != UNKNOWN else UNKNOWN)

    def _shuffle(self, shuffle: t.Shuffle) -> None:
        of = self.place(shuffle.place)
        if of.shape not in ("order", "unknown"):
            self.wrong("E0410", f"{spoken(of)} cannot be shuffled", shuffle.place.span, orders(self.resolved))

    def _each(self, each: t.Each) -> None:
        of = self.named(each.kind)
        if each.source is not None:
            source = each.source
            self.want(source, self.set_of(each.kind), "`each ... in`", lambda: None if each.name else
                      of_its_kind("each", each.kind, source, self.expr(source)))  # fmt: skip
            if of == PLAYER and self.expr(each.source).shape == "order":
                del self.coerced[each.source]  # players come in that order
        elif of == NUMBER:
            self.wrong("E0404", "numbers have no end", each.span, "write `each number in ...`")
        if each in self.resolved.binds:
            self.bound(each, of)
        self.block(each.block)
