"""Of which type it is what lies in bags and orders, or is left of what is limited."""

from __future__ import annotations

from edict.language import tree as t
from edict.meaning.expression_types import Expressions
from edict.meaning.symbols import NUMBER, RESOURCE, Local, definition_of
from edict.meaning.types import UNKNOWN, spoken
from edict.program import Type
from edict.report import Label


class Counted(Expressions):
    """The same, also of what says how many there are of something and where it lies."""

    def _x_countin(self, one: t.CountIn) -> Type:
        bag = self.expr(one.bag)
        if bag.shape not in ("bag", "unknown"):
            self.wrong("E0402", f"`count of ... in` takes a bag, and this is {spoken(bag)}", one.bag.span,
                       self.instead(one.bag, self.expr(one.thing), "counted", at="each", whole=one))  # fmt: skip
            return UNKNOWN
        self.want(one.thing, Type("thing", bag.kind) if bag.shape == "bag" else UNKNOWN, "`count of ... in` here")
        return NUMBER

    def _x_copiesof(self, one: t.CopiesOf) -> Type:
        of = self.expr(one.thing)
        if of.shape not in ("thing", "unknown"):
            self.wrong("E0401", f"`{one.number} of` takes a thing, and this is {spoken(of)}", one.thing.span,
                       "name one thing, or write `of each` and the kind")  # fmt: skip
            return UNKNOWN
        return Type("bag", of.kind)

    def _x_positionin(self, one: t.PositionIn) -> Type:
        order = self.expr(one.order)
        if order.shape not in ("order", "unknown"):
            self.wrong("E0402", f"`position of ... in` takes an order, and this is {spoken(order)}", one.order.span,
                       "declare the keep `as order of ...`")  # fmt: skip
        self.want(one.thing, Type("thing", order.kind) if order.shape == "order" else UNKNOWN, "`position of` here")
        return NUMBER

    def _x_insupply(self, one: t.InSupply) -> Type:
        """Of what is named only in play, some may be limited."""
        meaning = self.resolved.of(one.resource)
        if isinstance(meaning, Local):
            if not self.fits(self.locals.get(meaning, UNKNOWN), RESOURCE):
                self.wrong("E0403", f"`{meaning.name}` is no resource", one.resource.span, "name a resource")
            return NUMBER
        definition = meaning.definition
        members: list[t.Definition | None] = [definition]
        if isinstance(definition, t.Group):
            members = [definition_of(self.resolved, one) for one in definition.members]
        for endless in (one for one in members if isinstance(one, t.Resource) and one.limit is None):
            name = endless.name.word
            self.wrong("E0540", f"`{name}` never runs out", one.resource.span,
                       f"say how much there is: `resource {name} limited to ...`",
                       Label(endless.span, "declared here"))  # fmt: skip
        return NUMBER

    def _x_ofeach(self, one: t.OfEach) -> Type:
        kind = self.resolved.of(one.kind)
        if one.field is not None:
            found = self._field(one.field, Type("thing", kind.name), one.span, one.kind)
            if found not in (NUMBER, UNKNOWN):
                self.wrong("E0401", f"`{one.field.word}` is {spoken(found)}, and says not how many", one.field.span,
                           "name a field that is a number")  # fmt: skip
        return Type("bag", kind.name)
