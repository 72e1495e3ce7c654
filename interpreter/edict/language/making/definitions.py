"""Definitions and abilities, built of their lines."""

from __future__ import annotations

from typing import Any

from lark import Token, v_args
from lark.tree import Meta

from edict.language import tree as t


from edict.language.making.parts import (
    Bound, DefinitionLine, Joint, Making, Mark, Target, Then, every, first_of, priced,
    steps_of, text_of,
)  # fmt: skip


@v_args(meta=True)
class Definitions(Making):
    """What stands at the left edge, and what stands in it by lines of its own."""

    def start(self, _: Meta, c: list[Any]) -> list[t.Definition]:
        return [
            t.Standalone(d.span, t.Name(d.span, ""), "", d) if isinstance(d, t.Ability) else d
            for d in c
            if isinstance(d, t.Definition | t.Ability)
        ]

    def resource(self, m: Meta, c: list[Any]) -> t.Resource:
        floor = next((int(x) for x in c if isinstance(x, Token) and x.type == "NUMBER"), None)
        return t.Resource(self.span(m), c[0], text_of(c), 0 if floor is None else None, first_of(c[1:], t.Expr))

    def kind(self, m: Meta, c: list[Any]) -> t.Kind:
        line = self._once(c).get
        order, works_if = line("in order of"), line("works if")
        return t.Kind(self.span(m), c[0], text_of(c), every(c, t.FieldDef), order, works_if, every(c, t.Unique))

    def field_def(self, m: Meta, c: list[Any]) -> t.FieldDef:
        marks = every(c, Mark)
        return t.FieldDef(self.span(m), c[0], c[1], None, text_of(c), "shown" in marks, "optional" in marks)

    def derived_def(self, m: Meta, c: list[Any]) -> t.FieldDef:
        return t.FieldDef(self.span(m), c[0], None, c[2], text_of(c), "shown" in every(c, Mark), False)

    def shown(self, _: Meta, __: list[Any]) -> Mark:
        return Mark("shown")

    def optional(self, _: Meta, __: list[Any]) -> Mark:
        return Mark("optional")

    def kind_order(self, m: Meta, c: list[Any]) -> DefinitionLine:
        return self._line(m, "in order of", c[0])

    def unique(self, m: Meta, c: list[Any]) -> t.Unique:
        return t.Unique(self.span(m), every(c, t.Name))

    def works_if(self, m: Meta, c: list[Any]) -> DefinitionLine:
        return self._line(m, "works if", c[0])

    def keep(self, m: Meta, c: list[Any]) -> t.Keep:
        marks = every(c, Mark)
        name = next(x for x in c if isinstance(x, t.Name))
        at = next(i for i, x in enumerate(c) if isinstance(x, t.TypeName))
        return t.Keep(
            self.span(m), name, text_of(c), every(c, t.Param), c[at], c[at + 1],
            "secret" in marks or "counted" in marks, "quiet" in marks,
            lasting="lasting" in marks, counted="counted" in marks, joints=every(c, Joint),
        )  # fmt: skip

    def lasting(self, _: Meta, __: list[Any]) -> Mark:
        return Mark("lasting")

    def prep(self, _: Meta, c: list[Any]) -> Joint:
        return Joint(c[0])

    def secret(self, _: Meta, c: list[Any]) -> Mark:
        return Mark("counted" if Mark("counted") in c else "secret")

    def counted(self, _: Meta, __: list[Any]) -> Mark:
        return Mark("counted")

    def in_front(self, _: Meta, __: list[Any]) -> Mark:
        return Mark("first")

    def quiet(self, _: Meta, __: list[Any]) -> Mark:
        return Mark("quiet")

    def secretly(self, _: Meta, __: list[Any]) -> Mark:
        return Mark("secretly")

    def param(self, m: Meta, c: list[Any]) -> t.Param:
        return t.Param(self.span(m), c[0], c[1] or t.Name(c[0].span, c[0].word))

    def quantity(self, m: Meta, c: list[Any]) -> t.Quantity:
        bounds = dict(every(c, Bound))
        value = next(x for x in c[1:] if isinstance(x, t.Expr))
        return t.Quantity(
            self.span(m), c[0], text_of(c), every(c, t.Param), value, bounds.get("least"), bounds.get("most"),
            joints=every(c, Joint),
        )  # fmt: skip

    def value(self, m: Meta, c: list[Any]) -> t.Term:
        value = next(x for x in c[1:] if isinstance(x, t.Expr))
        return t.Term(self.span(m), c[0], text_of(c), every(c, t.Param), value, joints=every(c, Joint))

    def at_least(self, _: Meta, c: list[Any]) -> Bound:
        return Bound(("least", c[0]))

    def at_most(self, _: Meta, c: list[Any]) -> Bound:
        return Bound(("most", c[0]))

    def moment(self, m: Meta, c: list[Any]) -> t.Moment:
        return t.Moment(self.span(m), c[0], text_of(c), every(c, t.Param))

    def phase(self, m: Meta, c: list[Any]) -> t.Phase:
        return t.Phase(self.span(m), c[0], text_of(c), steps_of(c))

    def routine(self, m: Meta, c: list[Any]) -> t.Routine:
        return t.Routine(self.span(m), c[0], text_of(c), every(c, t.Param), steps_of(c))

    def action(self, m: Meta, c: list[Any]) -> t.Action:
        return t.Action(
            self.span(m), c[0], text_of(c), every(c, t.Choose), first_of(c, t.Payment), every(c, t.Rule),
            tuple(first_of(c, Then) or ()), every(c, t.Payment)[1:],
        )

    def rule(self, m: Meta, c: list[Any]) -> t.Rule:
        return t.Rule(self.span(m), c[0], c[1], text_of(c))

    def action_then(self, _: Meta, c: list[Any]) -> Then:
        return Then(c)

    def setting(self, m: Meta, c: list[Any]) -> t.Setting:
        value, truth = c[2]
        return t.Setting(self.span(m), c[0], text_of(c), value, truth, c[3], c[4])

    def setting_on(self, _: Meta, __: list[Any]) -> tuple[int, bool]:
        return (1, True)

    def setting_off(self, _: Meta, __: list[Any]) -> tuple[int, bool]:
        return (0, True)

    def setting_number(self, _: Meta, c: list[Any]) -> tuple[int, bool]:
        return (c[0], False)

    def game(self, m: Meta, c: list[Any]) -> t.Game:
        line: Any = self._once(c).get  # a line that is missing is for later passes to say
        return t.Game(
            self.span(m), c[0], text_of(c), line("players"), line("order"), line("ask about gains"), line("winners"),
            line("score"), line("judge"), line("course", ()), lines=tuple(x.word for x in every(c, DefinitionLine)),
        )

    def game_players(self, m: Meta, c: list[Any]) -> DefinitionLine:
        return self._line(m, "players", t.Players(self.span(m), int(c[0]), int(c[1])))

    def game_order(self, m: Meta, c: list[Any]) -> DefinitionLine:
        return self._line(m, "order", c[0])

    def game_winners(self, m: Meta, c: list[Any]) -> DefinitionLine:
        return self._line(m, "winners", c[0])

    def game_score(self, m: Meta, c: list[Any]) -> DefinitionLine:
        return self._line(m, "score", c[0])

    def game_judge(self, m: Meta, c: list[Any]) -> DefinitionLine:
        return self._line(m, "judge", c[0])

    def game_gains(self, m: Meta, c: list[Any]) -> DefinitionLine:
        return self._line(m, "ask about gains", c[0])

    def game_course(self, m: Meta, c: list[Any]) -> DefinitionLine:
        return self._line(m, "course", tuple(c))

    def display(self, m: Meta, c: list[Any]) -> t.Display:
        found = self._once(c)
        each, among, condition = found.get("each", (None, None, None))
        marked, mark = found.get("mark", ("", None))
        pieces = every(c, tuple)
        lines, columns = (tuple(x for word, x in pieces if word == sort) for sort in ("line", "column"))
        return t.Display(
            self.span(m), c[0], text_of(c), each, found.get("rows"), found.get("columns"), mark, condition,
            lines, columns, marked, among,
        )

    def display_each(self, m: Meta, c: list[Any]) -> DefinitionLine:
        return self._line(m, "each", (c[0], c[1], c[2]))

    def display_rows(self, m: Meta, c: list[Any]) -> DefinitionLine:
        return self._line(m, "rows", c[0])

    def display_columns(self, m: Meta, c: list[Any]) -> DefinitionLine:
        return self._line(m, "columns", c[0])

    def display_mark(self, m: Meta, c: list[Any]) -> DefinitionLine:
        return self._line(m, "mark", (text_of(c[:1]), c[1]))

    def display_text(self, m: Meta, c: list[Any]) -> tuple[str, t.Column]:
        return ("line", t.Column(self.span(m), "", tuple(c[:-1]), c[-1]))

    def display_column(self, m: Meta, c: list[Any]) -> tuple[str, t.Column]:
        return ("column", t.Column(self.span(m), c[0][1:-1], tuple(c[1:-1]), c[-1]))

    def part_text(self, _: Meta, c: list[Any]) -> Any:
        return str(c[0][1:-1]) if isinstance(c[0], Token) else c[0]

    def thing(self, m: Meta, c: list[Any]) -> t.Thing:
        said = self._once([DefinitionLine("text", x, x.span) for x in every(c, t.Text)]).get("text")
        return t.Thing(self.span(m), c[1], text_of(c), c[0], every(c, t.FieldValue), every(c, t.Ability), said)

    def amend(self, m: Meta, c: list[Any]) -> t.Amend:
        return t.Amend(self.span(m), c[0].name, "", c[0])

    def rewrite(self, m: Meta, c: list[Any]) -> t.Amend:
        return t.Amend(self.span(m), c[0].name, "", c[0], whole=True)

    def remove_def(self, m: Meta, c: list[Any]) -> t.Remove_:
        return t.Remove_(self.span(m), c[1], "", c[0])

    # abilities

    def standalone(self, _: Meta, c: list[Any]) -> t.Ability:
        return c[0]  # type: ignore[no-any-return]

    def when(self, m: Meta, c: list[Any]) -> t.When:
        edge, moment = c[0] if isinstance(c[0], tuple) else ("", c[0])
        return t.When(self.span(m), moment, edge, c[1], c[2], text_of(c), steps_of(c))

    def edge(self, _: Meta, c: list[Any]) -> tuple[str, t.Name]:
        return (c[0], c[1])

    passing = edge

    def edge_word(self, _: Meta, c: list[Any]) -> str:
        return str(c[0])

    passing_word = edge_word

    def shift(self, m: Meta, c: list[Any]) -> t.Shift:
        by = tuple(x for x in c if isinstance(x, int))
        bundle, once, condition = c[-3:]
        return t.Shift(self.span(m), c[0], by, bundle, once, condition)

    def target(self, _: Meta, c: list[Any]) -> Target:
        return Target((c[0], c[1], ""))

    def passing_target(self, _: Meta, c: list[Any]) -> Target:
        return Target((c[1], None, c[0]))

    def except_(self, m: Meta, c: list[Any]) -> t.Exception_:
        at = next(i for i, x in enumerate(c) if isinstance(x, Target))
        target, rule, edge = c[at]
        condition, over, beside = c[at + 1], c[at + 2] or (), c[at + 3] or ()
        line: Any = self._once(c, ("allow", "require"), ("then", "instead")).get
        require, because = line("require", (None, ""))
        self.found += [priced(one) for one in every(c, DefinitionLine) if rule is None and one.word == "then"]
        then: t.Block = line("then") or line("instead") or ()
        words = tuple(x.word for x in every(c, DefinitionLine))
        return t.Exception_(
            self.span(m), target, rule, condition, over, require, because, then, beside, edge, lines=words
        )  # fmt: skip

    def exception(self, m: Meta, c: list[Any]) -> t.Standalone:
        return t.Standalone(self.span(m), c[0], text_of(c[1:2]), self.except_(m, c))

    def exception_allow(self, m: Meta, _: list[Any]) -> DefinitionLine:
        return self._line(m, "allow", True)

    def exception_require(self, m: Meta, c: list[Any]) -> DefinitionLine:
        return self._line(m, "require", (c[0], text_of(c)))

    def exception_then(self, m: Meta, c: list[Any]) -> DefinitionLine:
        return self._line(m, "then", tuple(c))

    def exception_instead(self, m: Meta, c: list[Any]) -> DefinitionLine:
        return self._line(m, "instead", tuple(c))
