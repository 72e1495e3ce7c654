"""Part of pass 1: what Lark recognised, built into nodes of `tree`, one method a grammar rule."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from lark import Token, Transformer, v_args
from lark.tree import Meta

from edict.language import tree as t
from edict.language.patterns import Gap, by_rule, gaps, needed, patterns
from edict.language.walking import copied
from edict.report import Diagnostic, Label
from edict.text import Span


def _all(children: Iterable[Any], kind: type) -> tuple[Any, ...]:
    return tuple(c for c in children if isinstance(c, kind))


def _one(children: Iterable[Any], kind: type) -> Any:
    return next((c for c in children if isinstance(c, kind)), None)


def _text(children: Iterable[Any]) -> str:
    return next((c[1:-1] for c in children if isinstance(c, Token) and c.type == "STRING"), "")


def _block(children: Iterable[Any]) -> t.Block:
    return _all(children, t.Stmt)


def _amounts(children: list[Any]) -> tuple[t.Part, ...]:
    """Numbers and names in turn."""
    pairs = zip(children[::2], children[1::2], strict=True)
    return tuple(t.Part(name.span, t.Number(name.span, int(n)), name) for n, name in pairs)


class _Mark(str):
    """A word kept from the grammar (secret, quiet, lowest ...)."""


class _Joint(str):
    """by, in or for, between what something is kept for or asked of."""


class _Bound(tuple[str, t.Expr]):
    """at least / at most, with its expression."""


class _Target(tuple[t.Name, "t.Name | None"]):
    """An action or routine, and perhaps one of its rules."""


class _Cell(tuple["t.FieldValue | None"]):
    """What stands in a column of a table."""


@dataclass(frozen=True, slots=True)
class _Line:
    """One of the lines of a definition, by its first word."""

    word: str
    value: Any
    span: Span


class _ElseIf(tuple[Any, ...]):
    """A condition and its block."""


class _Then(tuple[t.Stmt, ...]):
    """A block set apart from other statements of the same rule."""


class _Else(tuple[t.Stmt, ...]):
    """What is done otherwise."""


def _twice(line: _Line, first: _Line) -> Diagnostic:
    both = "stands twice" if line.word == first.word else f"stands beside `{first.word}`"
    return Diagnostic(
        "E0133", f"`{line.word}` {both}", line.span,
        labels=(Label(first.span, "the first one" if line.word == first.word else "here"),),
        help="delete one of the two: only one of them could count",
    )  # fmt: skip


def _filled(kind: Any, written: tuple[Gap, ...], children: list[Any]) -> dict[str, Any]:
    """The fields of a node from its parts, and for what its pattern has no gap, nothing."""
    values: dict[str, Any] = {field: _ABSENT.get(field) for field in needed(kind)}
    waiting = [child for child in children if not isinstance(child, t.Stmt)]
    for gap, child in zip((gap for gap in written if gap.spec != "below"), waiting, strict=True):
        values[gap.field] = _BUILT.get(gap.spec, _as_it_is)(child)
    values |= {gap.field: _block(children) for gap in written if gap.spec == "below"}
    return values


def _as_it_is(child: Any) -> Any:
    return child


_ABSENT = {"then": (), "block": (), "title": ""}  # any other is None
_BUILT: dict[str, Callable[[Any], Any]] = {
    "text": lambda token: _text([token]),
    "number": lambda token: int(token or 0),
    "word": bool,
    "args": lambda found: found or (),
}


@v_args(meta=True)
class Build(Transformer[Token, Any]):
    """One method a grammar rule, each gives a node of `tree`; a node that has a pattern needs none."""

    def __init__(self, file: str) -> None:
        super().__init__()
        self.file = file
        self.found: list[Diagnostic] = []

    def __default__(self, data: Any, children: list[Any], meta: Meta) -> t.Node:
        rule = str(data).rstrip("_")
        kind: Any = by_rule()[rule]
        node: t.Node = kind(self.span(meta), **_filled(kind, tuple(gaps(patterns(kind)[rule])), children))
        return node

    def span(self, meta: Meta) -> Span:
        return Span(self.file, meta.line, meta.column, meta.end_line, meta.end_column)

    def _token(self, token: Token) -> Span:
        place = (token.line, token.column, token.end_line, token.end_column)
        return Span(self.file, *(number or 1 for number in place))

    def _line(self, m: Meta, word: str, value: Any) -> _Line:
        return _Line(word, value, self.span(m))

    def _once(self, children: Iterable[Any], *alike: tuple[str, str]) -> dict[str, Any]:
        """What the lines say, each of which may stand once; `alike` are pairs of which only one may stand."""
        first: dict[str, _Line] = {}
        for line in _all(children, _Line):
            other = next((first[word] for pair in alike for word in pair if line.word in pair and word in first), None)
            other = first.setdefault(line.word, line) if other is None else other
            if other is not line:
                self.found.append(_twice(line, other))
        return {word: line.value for word, line in first.items()}

    # definitions

    def start(self, _: Meta, c: list[Any]) -> list[t.Definition]:
        return [
            t.Standalone(d.span, t.Name(d.span, ""), "", d) if isinstance(d, t.Ability) else d
            for d in c
            if isinstance(d, t.Definition | t.Ability)
        ]

    def resource(self, m: Meta, c: list[Any]) -> t.Resource:
        floor = next((int(x) for x in c if isinstance(x, Token) and x.type == "NUMBER"), None)
        return t.Resource(self.span(m), c[0], _text(c), 0 if floor is None else None)

    def kind(self, m: Meta, c: list[Any]) -> t.Kind:
        line = self._once(c).get
        order, works_if = line("in order of"), line("works if")
        return t.Kind(self.span(m), c[0], _text(c), _all(c, t.FieldDef), order, works_if, _all(c, t.Unique))

    def field_def(self, m: Meta, c: list[Any]) -> t.FieldDef:
        marks = _all(c, _Mark)
        return t.FieldDef(self.span(m), c[0], c[1], None, _text(c), "shown" in marks, "optional" in marks)

    def derived_def(self, m: Meta, c: list[Any]) -> t.FieldDef:
        return t.FieldDef(self.span(m), c[0], None, c[2], _text(c), "shown" in _all(c, _Mark), False)

    def shown(self, _: Meta, __: list[Any]) -> _Mark:
        return _Mark("shown")

    def optional(self, _: Meta, __: list[Any]) -> _Mark:
        return _Mark("optional")

    def kind_order(self, m: Meta, c: list[Any]) -> _Line:
        return self._line(m, "in order of", c[0])

    def unique(self, m: Meta, c: list[Any]) -> t.Unique:
        return t.Unique(self.span(m), _all(c, t.Name))

    def works_if(self, m: Meta, c: list[Any]) -> _Line:
        return self._line(m, "works if", c[0])

    def number_type(self, m: Meta, c: list[Any]) -> t.TypeName:
        return t.TypeName(self.span(m), "number", low=c[0], high=c[1])

    def truth_type(self, m: Meta, _: list[Any]) -> t.TypeName:
        return t.TypeName(self.span(m), "truth")

    def effect_type(self, m: Meta, _: list[Any]) -> t.TypeName:
        return t.TypeName(self.span(m), "effect")

    def amounts_type(self, m: Meta, _: list[Any]) -> t.TypeName:
        return t.TypeName(self.span(m), "amounts")

    def dice_type(self, m: Meta, _: list[Any]) -> t.TypeName:
        return t.TypeName(self.span(m), "dice")

    def set_type(self, m: Meta, c: list[Any]) -> t.TypeName:
        return t.TypeName(self.span(m), "set", c[0])

    def order_type(self, m: Meta, c: list[Any]) -> t.TypeName:
        return t.TypeName(self.span(m), "order", c[0])

    def thing_type(self, m: Meta, c: list[Any]) -> t.TypeName:
        return t.TypeName(self.span(m), "thing", c[0])

    def optional_type(self, m: Meta, c: list[Any]) -> t.TypeName:
        return t.TypeName(self.span(m), "thing", c[0], optional=True)

    def keep(self, m: Meta, c: list[Any]) -> t.Keep:
        marks = _all(c, _Mark)
        at = next(i for i, x in enumerate(c) if isinstance(x, t.TypeName))
        return t.Keep(
            self.span(m), c[0], _text(c), _all(c, t.Param), c[at], c[at + 1], "secret" in marks, "quiet" in marks,
            joints=_all(c, _Joint),
        )  # fmt: skip

    def prep(self, _: Meta, c: list[Any]) -> _Joint:
        return _Joint(c[0])

    def secret(self, _: Meta, __: list[Any]) -> _Mark:
        return _Mark("secret")

    def quiet(self, _: Meta, __: list[Any]) -> _Mark:
        return _Mark("quiet")

    def secretly(self, _: Meta, __: list[Any]) -> _Mark:
        return _Mark("secretly")

    def param(self, m: Meta, c: list[Any]) -> t.Param:
        return t.Param(self.span(m), c[0], c[1] or t.Name(c[0].span, c[0].word))

    def quantity(self, m: Meta, c: list[Any]) -> t.Quantity:
        bounds = dict(_all(c, _Bound))
        value = next(x for x in c[1:] if isinstance(x, t.Expr))
        return t.Quantity(
            self.span(m), c[0], _text(c), _all(c, t.Param), value, bounds.get("least"), bounds.get("most"),
            joints=_all(c, _Joint),
        )  # fmt: skip

    def value(self, m: Meta, c: list[Any]) -> t.Term:
        value = next(x for x in c[1:] if isinstance(x, t.Expr))
        return t.Term(self.span(m), c[0], _text(c), _all(c, t.Param), value, joints=_all(c, _Joint))

    def at_least(self, _: Meta, c: list[Any]) -> _Bound:
        return _Bound(("least", c[0]))

    def at_most(self, _: Meta, c: list[Any]) -> _Bound:
        return _Bound(("most", c[0]))

    def moment(self, m: Meta, c: list[Any]) -> t.Moment:
        return t.Moment(self.span(m), c[0], _text(c), _all(c, t.Param))

    def phase(self, m: Meta, c: list[Any]) -> t.Phase:
        return t.Phase(self.span(m), c[0], _text(c), _block(c))

    def routine(self, m: Meta, c: list[Any]) -> t.Routine:
        return t.Routine(self.span(m), c[0], _text(c), _all(c, t.Param), _block(c))

    def action(self, m: Meta, c: list[Any]) -> t.Action:
        return t.Action(
            self.span(m), c[0], _text(c), _all(c, t.Choose), _one(c, t.Payment), _all(c, t.Rule),
            tuple(_one(c, _Then) or ()), _all(c, t.Payment)[1:],
        )

    def rule(self, m: Meta, c: list[Any]) -> t.Rule:
        return t.Rule(self.span(m), c[0], c[1], _text(c))

    def action_then(self, _: Meta, c: list[Any]) -> _Then:
        return _Then(c)

    def setting(self, m: Meta, c: list[Any]) -> t.Setting:
        value, truth = c[2]
        return t.Setting(self.span(m), c[0], _text(c), value, truth, c[3], c[4])

    def setting_on(self, _: Meta, __: list[Any]) -> tuple[int, bool]:
        return (1, True)

    def setting_off(self, _: Meta, __: list[Any]) -> tuple[int, bool]:
        return (0, True)

    def setting_number(self, _: Meta, c: list[Any]) -> tuple[int, bool]:
        return (c[0], False)

    def game(self, m: Meta, c: list[Any]) -> t.Game:
        line: Any = self._once(c).get  # a line that is missing is for later passes to say
        return t.Game(
            self.span(m), c[0], _text(c), line("players"), line("order"), line("ask about gains"), line("winners"),
            line("score"), line("judge"), line("course", ()), lines=tuple(x.word for x in _all(c, _Line)),
        )

    def game_players(self, m: Meta, c: list[Any]) -> _Line:
        return self._line(m, "players", t.Players(self.span(m), int(c[0]), int(c[1])))

    def game_order(self, m: Meta, c: list[Any]) -> _Line:
        return self._line(m, "order", c[0])

    def game_winners(self, m: Meta, c: list[Any]) -> _Line:
        return self._line(m, "winners", c[0])

    def game_score(self, m: Meta, c: list[Any]) -> _Line:
        return self._line(m, "score", c[0])

    def game_judge(self, m: Meta, c: list[Any]) -> _Line:
        return self._line(m, "judge", c[0])

    def game_gains(self, m: Meta, c: list[Any]) -> _Line:
        return self._line(m, "ask about gains", c[0])

    def game_course(self, m: Meta, c: list[Any]) -> _Line:
        return self._line(m, "course", tuple(c))

    def display(self, m: Meta, c: list[Any]) -> t.Display:
        found = self._once(c)
        each, condition = found.get("each", (None, None))
        marked, mark = found.get("mark", ("", None))
        pieces = _all(c, tuple)
        lines, columns = (tuple(x for word, x in pieces if word == sort) for sort in ("line", "column"))
        return t.Display(
            self.span(m), c[0], _text(c), each, found.get("rows"), found.get("columns"), mark, condition,
            lines, columns, marked,
        )

    def display_each(self, m: Meta, c: list[Any]) -> _Line:
        return self._line(m, "each", (c[0], c[1]))

    def display_rows(self, m: Meta, c: list[Any]) -> _Line:
        return self._line(m, "rows", c[0])

    def display_columns(self, m: Meta, c: list[Any]) -> _Line:
        return self._line(m, "columns", c[0])

    def display_mark(self, m: Meta, c: list[Any]) -> _Line:
        return self._line(m, "mark", (_text(c[:1]), c[1]))

    def display_text(self, m: Meta, c: list[Any]) -> tuple[str, t.Column]:
        return ("line", t.Column(self.span(m), "", tuple(c)))

    def display_column(self, m: Meta, c: list[Any]) -> tuple[str, t.Column]:
        return ("column", t.Column(self.span(m), c[0][1:-1], tuple(c[1:])))

    def part_text(self, _: Meta, c: list[Any]) -> Any:
        return str(c[0][1:-1]) if isinstance(c[0], Token) else c[0]

    def thing(self, m: Meta, c: list[Any]) -> t.Thing:
        said = self._once([_Line("text", x, x.span) for x in _all(c, t.Text)]).get("text")
        return t.Thing(self.span(m), c[1], _text(c), c[0], _all(c, t.FieldValue), _all(c, t.Ability), said)

    def field_block(self, m: Meta, c: list[Any]) -> t.FieldValue:
        return t.FieldValue(self.span(m), c[0], block=_block(c))

    field_stmt = field_block

    def field_text(self, m: Meta, c: list[Any]) -> t.FieldValue:
        return t.FieldValue(c[0].span.to(self._token(c[1])), c[0], text=_text(c))

    def field_expr(self, m: Meta, c: list[Any]) -> t.FieldValue:
        return t.FieldValue(self.span(m), c[0], expr=c[1])

    def field_amounts(self, m: Meta, c: list[Any]) -> t.FieldValue:
        span = self._token(c[1]).to(c[-1].span)
        return t.FieldValue(self.span(m), c[0], amounts=t.Bundle(span, _amounts(c[1:])))

    def table(self, m: Meta, c: list[Any]) -> t.Table:
        kind, *columns = _all(c, t.Name)
        return t.Table(self.span(m), t.Name(kind.span, ""), "", kind, tuple(columns), _all(c, t.Row))

    def row(self, m: Meta, c: list[Any]) -> t.Row:
        return t.Row(self.span(m), c[0], _text(c), tuple(cell[0] for cell in _all(c, _Cell)))

    def cell_text(self, m: Meta, c: list[Any]) -> _Cell:
        return self._cell(m, text=_text(c))

    def cell_amounts(self, m: Meta, c: list[Any]) -> _Cell:
        return self._cell(m, amounts=t.Bundle(self.span(m), _amounts(c)))

    def cell_nothing(self, _: Meta, __: list[Any]) -> _Cell:
        return _Cell((None,))

    def cell_expr(self, m: Meta, c: list[Any]) -> _Cell:
        return self._cell(m, expr=c[0])

    def _cell(self, m: Meta, **value: Any) -> _Cell:
        """What a cell says; which field it is about, its column says."""
        span = self.span(m)
        return _Cell((t.FieldValue(span, t.Name(span, ""), **value),))

    def combinations(self, m: Meta, c: list[Any]) -> t.Combinations:
        kind, *over = _all(c, t.Name)
        fields = _all(c, t.FieldValue)
        return t.Combinations(self.span(m), t.Name(kind.span, ""), _text(c), kind, tuple(over), fields)

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
        return t.When(self.span(m), moment, edge, c[1], c[2], _text(c), _block(c))

    def edge(self, _: Meta, c: list[Any]) -> tuple[str, t.Name]:
        return (c[0], c[1])

    def edge_word(self, _: Meta, c: list[Any]) -> str:
        return str(c[0])

    def shift(self, m: Meta, c: list[Any]) -> t.Shift:
        by = tuple(x for x in c if isinstance(x, int))
        bundle, once, condition = c[-3:]
        return t.Shift(self.span(m), c[0], by, bundle, once, condition)

    def target(self, _: Meta, c: list[Any]) -> _Target:
        return _Target((c[0], c[1]))

    def except_(self, m: Meta, c: list[Any]) -> t.Exception_:
        at = next(i for i, x in enumerate(c) if isinstance(x, _Target))
        target, rule = c[at]
        condition, over, beside = c[at + 1], c[at + 2] or (), c[at + 3] or ()
        line: Any = self._once(c, ("allow", "require"), ("then", "instead")).get
        require, because = line("require", (None, ""))
        then: t.Block = line("then") or line("instead") or ()
        words = tuple(x.word for x in _all(c, _Line))
        return t.Exception_(
            self.span(m), target, rule, condition, over, require, because, then, beside, lines=words
        )  # fmt: skip

    def exception(self, m: Meta, c: list[Any]) -> t.Standalone:
        return t.Standalone(self.span(m), c[0], _text(c[1:2]), self.except_(m, c))

    def exception_allow(self, m: Meta, _: list[Any]) -> _Line:
        return self._line(m, "allow", True)

    def exception_require(self, m: Meta, c: list[Any]) -> _Line:
        return self._line(m, "require", (c[0], _text(c)))

    def exception_then(self, m: Meta, c: list[Any]) -> _Line:
        return self._line(m, "then", tuple(c))

    def exception_instead(self, m: Meta, c: list[Any]) -> _Line:
        return self._line(m, "instead", tuple(c))

    # statements

    def _several(self, _: Meta, c: list[Any]) -> tuple[Any, ...]:
        return tuple(c)

    names = bundles = args = parts = members = rankings = _several

    def bundle(self, m: Meta, c: list[Any]) -> t.Bundle:
        return t.Bundle(self.span(m), tuple(c))

    def part(self, m: Meta, c: list[Any]) -> t.Part:
        return t.Part(self.span(m), c[0], c[1])

    def lose_all(self, m: Meta, c: list[Any]) -> t.Lose:
        span, what = self.span(m), c[0]
        amount = t.Apply(what.span, copied(what), (t.Name(what.span, "you"),))
        return t.Lose(span, t.Bundle(what.span, (t.Part(what.span, amount, what, said="all"),)))

    def part_from(self, m: Meta, c: list[Any]) -> t.PartFrom:
        return t.PartFrom(self.span(m), c[0], c[1])

    def part_each(self, m: Meta, c: list[Any]) -> t.Part:
        span = self.span(m)
        return t.Part(span, t.Number(span, int(c[0])), c[1], True, c[2])

    def spend_stmt(self, m: Meta, c: list[Any]) -> t.Stmt:
        then, otherwise = tuple(_one(c, _Then) or ()), tuple(_one(c, _Else) or ())
        spend: t.Stmt = replace(c[0], span=self.span(m), then=then, otherwise=otherwise)
        return spend

    def pay_price(self, m: Meta, c: list[Any]) -> t.PayPrice:
        then, otherwise = tuple(_one(c, _Then) or ()), tuple(_one(c, _Else) or ())
        return t.PayPrice(self.span(m), c[0], then, otherwise)

    def may_head(self, m: Meta, c: list[Any]) -> t.May:
        secretly, prompt, head, decline = c[:4]
        then, otherwise = tuple(_one(c, _Then) or ()), tuple(_one(c, _Else) or ())
        return t.May(self.span(m), head, _text([decline]), then, otherwise, _text([prompt]), bool(secretly))

    def may_block(self, m: Meta, c: list[Any]) -> t.May:
        secretly, prompt, decline = c[:3]
        then, otherwise = tuple(_one(c, _Then) or ()), tuple(_one(c, _Else) or ())
        return t.May(self.span(m), None, _text([decline]), then, otherwise, _text([prompt]), bool(secretly))

    def then_block(self, _: Meta, c: list[Any]) -> _Then:
        return _Then(c)

    def else_block(self, _: Meta, c: list[Any]) -> _Else:
        return _Else(c)

    def choose_one(self, m: Meta, c: list[Any]) -> t.ChooseOne:
        return t.ChooseOne(self.span(m), _all(c, t.Branch), c[0], _text(c), "secretly" in _all(c, _Mark))

    def branch_stmt(self, m: Meta, c: list[Any]) -> t.Branch:
        return t.Branch(self.span(m), "", None, _block(c))

    def branch_titled(self, m: Meta, c: list[Any]) -> t.Branch:
        return t.Branch(self.span(m), _text(c), c[1], _block(c))

    def article(self, _: Meta, c: list[Any]) -> str:
        return str(c[0])

    def show(self, m: Meta, c: list[Any]) -> t.Show:
        return t.Show(self.span(m), *c)

    def reveal(self, m: Meta, c: list[Any]) -> t.Show:
        span = self.span(m)
        return t.Show(span, c[0], t.Name(span, "everyone"))

    def text_stmt(self, m: Meta, c: list[Any]) -> t.Stmt:
        text: t.Stmt = replace(c[0], span=self.span(m), block=_block(c[1:]))
        return text

    def if_stmt(self, m: Meta, c: list[Any]) -> t.If:
        condition, then = c[0], tuple(c[1])
        otherwise = tuple(_one(c[2:], _Else) or ())
        for elif_ in reversed(_all(c[2:], _ElseIf)):
            otherwise = (t.If(elif_[0].span, elif_[0], tuple(elif_[1:]), otherwise),)
        return t.If(self.span(m), condition, then, otherwise)

    def then_block_nl(self, _: Meta, c: list[Any]) -> _Then:
        return _Then(c)

    def else_if(self, _: Meta, c: list[Any]) -> _ElseIf:
        return _ElseIf(c)

    def else_nl(self, _: Meta, c: list[Any]) -> _Else:
        return _Else(c)

    # expressions

    def ranking(self, _: Meta, c: list[Any]) -> tuple[str, t.Expr]:
        return (c[0], c[1])

    def _word(self, _: Meta, c: list[Any]) -> str:
        return str(c[0])

    rank = extreme = quantifier = of_word = over_word = times = _word

    def _binary(op: str, said: str = "") -> Any:  # type: ignore[misc]
        def build(self: Build, m: Meta, c: list[Any]) -> t.Binary:
            return t.Binary(self.span(m), op, c[0], c[1], said=said)

        return build

    or_, and_ = _binary("or"), _binary("and")
    is_, is_not = _binary("=", "is"), _binary("!=", "is")
    is_in, is_not_in, is_within = _binary("in"), _binary("not-in"), _binary("within")

    def compare(self, m: Meta, c: list[Any]) -> t.Binary:
        return t.Binary(self.span(m), str(c[1]), c[0], c[2])

    binary = compare

    def is_empty(self, m: Meta, c: list[Any]) -> t.Unary:
        return t.Unary(self.span(m), "empty", c[0])

    def is_not_empty(self, m: Meta, c: list[Any]) -> t.Unary:
        return t.Unary(self.span(m), "not-empty", c[0])

    def not_(self, m: Meta, c: list[Any]) -> t.Unary:
        return t.Unary(self.span(m), "not", c[0])

    def minus(self, m: Meta, c: list[Any]) -> t.Unary:
        return t.Unary(self.span(m), "minus", c[1])

    def measure(self, m: Meta, c: list[Any]) -> t.Unary:
        return t.Unary(self.span(m), c[0], c[1])

    def apply_one(self, m: Meta, c: list[Any]) -> t.Apply:
        return t.Apply(self.span(m), c[0], _all(c[1:], t.Expr), joints=_all(c, _Joint))

    apply_many = apply_one

    def wrapped(self, _: Meta, c: list[Any]) -> t.Expr:
        return replace(c[0], wrapped=True)  # type: ignore[no-any-return]

    def number(self, m: Meta, c: list[Any]) -> t.Number:
        return t.Number(self.span(m), int(c[0]))

    def name(self, m: Meta, c: list[Any]) -> t.Name:
        return t.Name(self.span(m), str(c[0]))

    var = let_name = name

    def signed(self, _: Meta, c: list[Any]) -> int:
        return -int(c[1]) if c[0] == "-" else int(c[1])
