"""Random trees that could have been parsed: every class of node, in every place where the grammar allows it.

What they say need make no sense. A strategy is made for each depth, so that nothing grows beyond what may be read.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from edict.compiler.syntax import tree as t
from edict.compiler.syntax.making.step_makers import listed
from edict.support.text import NOWHERE

Trees = SearchStrategy[Any]

WORDS = ("gold", "oak", "plum-tree", "x", "whom", "day-1", "B", "it", "you", "everyone", "none", "cost", "a1-2-b")
names = st.sampled_from(WORDS).map(lambda word: t.Name(NOWHERE, word))
numbers = st.integers(0, 999_999_999).map(lambda n: t.Number(NOWHERE, n))
signed = st.integers(-999, 999)
joints = st.sampled_from(("by", "in", "for"))
titles = st.text(st.sampled_from("abc #():,/éß'-1"), min_size=1, max_size=12)
maybe_title = st.just("") | titles
yes_or_no = st.booleans()


def maybe(strategy: Trees) -> Trees:
    return st.none() | strategy


def some(strategy: Trees, least: int = 1, most: int = 3) -> Trees:
    return st.lists(strategy, min_size=least, max_size=most).map(tuple)


def node(cls: Any, *parts: Trees, **more: Trees) -> Trees:
    return st.builds(cls, st.just(NOWHERE), *parts, **more)


def in_parentheses(value: Trees) -> Trees:
    return value.map(lambda one: replace(one, wrapped=True))


# --- values ------------------------------------------------------------------------------------


printed_amounts = node(t.Bundle, some(node(t.Part, numbers, names)))
_prices = some(printed_amounts, most=2)


@cache
def values(depth: int = 3) -> Trees:
    return st.one_of(sorts_of_values(depth)) if depth else numbers | names


def sorts_of_values(depth: int) -> list[Trees]:
    inner = values(depth - 1)
    wrapped = {"wrapped": yes_or_no}
    many = numbers | in_parentheses(inner)
    unary = st.sampled_from("not minus count faces first left right text total empty not-empty".split())
    binary = st.sampled_from("+ - * / mod and or < <= > >= in not-in within".split())
    return [
        numbers,
        names,
        _apply(inner),
        node(t.Unary, unary, inner, **wrapped),
        node(t.Binary, binary, inner, inner, **wrapped),
        node(t.Binary, st.sampled_from(("=", "!=")), inner, inner, said=st.sampled_from(("", "is")), **wrapped),
        node(t.Where, inner, inner, **wrapped),
        node(t.Best, inner, some(st.tuples(st.sampled_from(("most", "fewest")), inner), most=2), **wrapped),
        node(t.Over, st.sampled_from(("sum", "best", "least")), inner, inner, **wrapped),
        node(t.Quantified, st.sampled_from(("every", "some")), inner, inner, **wrapped),
        node(t.During, names, **wrapped),
        node(t.Showing, names, inner, **wrapped),
        node(t.Among, names, inner, **wrapped),
        st.builds(_listed, some(inner, 2), yes_or_no),
        node(t.OfSeveral, st.sampled_from(("sum", "best", "least")), some(inner, 2, 3), **wrapped),
        node(t.Track, some(inner, 2), inner, **wrapped),
        node(t.FirstAfter, inner, inner, **wrapped),
        node(t.Connected, inner, inner, inner, **wrapped),
        node(t.LongestPath, inner, inner, maybe(inner), **wrapped),
        node(t.LongestTrail, inner, inner, maybe(inner), **wrapped),
        node(t.NextTo, inner, inner, st.sampled_from(("square", "hexagonal")), names, names, **wrapped),
        node(t.CountIn, inner, inner, **wrapped),
        node(t.PositionIn, inner, inner, **wrapped),
        node(t.CopiesOf, names, many, **wrapped),
        node(t.InSupply, names, **wrapped),
        node(t.OfEach, names, many, st.none(), **wrapped),
        node(t.OfEach, names, st.none(), names, **wrapped),
        node(t.CanPay, _prices, **wrapped),
    ]


def _listed(members: tuple[t.Expr, ...], wrapped: bool) -> t.Expr:
    return replace(listed(NOWHERE, members), wrapped=wrapped)


def _apply(inner: Trees) -> Trees:
    one = node(t.Apply, names, some(inner, most=1))
    return one | node(t.Apply, names, some(inner, 2, 2), joints=some(joints, 1, 1))


value = values(3)
small = values(1)


# --- amounts -----------------------------------------------------------------------------------

_many = numbers | in_parentheses(small)
parts = st.one_of(node(t.Part, small, names), node(t.Part, _many, names, st.just(True), maybe(names)))
parts |= node(t.PartFrom, small, small)
_price = node(t.PartPrice, st.just(t.Number(NOWHERE, 1)), _apply(small))
_named_price = node(t.PartPrice, st.just(t.Number(NOWHERE, 1)), names)
plain_bundles = node(t.Bundle, some(parts, most=2))
parts |= _price
bundles = node(t.Bundle, some(parts, most=2)) | node(t.Bundle, some(parts, 3, 3), commas=st.just(True))


# --- statements --------------------------------------------------------------------------------


def _choose() -> Trees:
    ranges = st.tuples(st.none(), st.none(), maybe(small)) | st.tuples(small, small, st.none())
    return ranges.flatmap(
        lambda r: node(
            t.Choose,
            names,
            st.just(r[0]),
            st.just(r[1]),
            st.just(r[2]),
            names,
            maybe(value),
            maybe(small),
            yes_or_no,
            maybe_title,
            article=st.sampled_from(("a", "an")),
        )
    )


_chooses = _choose()
_several = (names, maybe(small), names, maybe(value), maybe(small), yes_or_no, maybe_title)
_with_joker = node(t.Bundle, st.tuples(node(t.PartPrice, st.just(t.Number(NOWHERE, 1)), _apply(small) | names, names)))
_spent = some(bundles, most=2) | st.tuples(_with_joker | node(t.Bundle, st.tuples(_named_price)))
_spends = node(t.Spend, _spent, maybe(names), st.just(()))
_rolls = node(t.Roll, small, names, names, st.none()) | node(t.Roll, small, names, st.none(), small)
_rolled = some(node(t.Rolled, small, names), 2, 3)
_roll_several = node(t.RollSeveral, _rolled, names, st.none()) | node(t.RollSeveral, _rolled, st.none(), small)
_repeats = (st.tuples(small, st.none()), st.tuples(st.none(), value))

_all = names.map(lambda one: t.Part(NOWHERE, t.Apply(NOWHERE, one, (t.Name(NOWHERE, "you"),)), one, said="all"))

_deeds = [
    node(t.Do, names, some(small, 0, 2)),
    node(t.DoField, names, small, some(small, 0, 2)),
    node(t.DoEdge, st.sampled_from(("start", "end")), names, small, some(small, 0, 2)),
]
SIMPLE = [
    node(t.Lose, node(t.Bundle, st.tuples(_all))),
    node(t.Gain, some(bundles, most=2)),
    node(t.Lose, bundles),
    _chooses,
    node(t.ChooseDie, small, names, maybe_title, yes_or_no, maybe(value)),
    node(t.Let, names, value),
    node(t.Set, small, value),
    node(t.Add, small, small, yes_or_no),
    node(t.Remove, small, small),
    _rolls,
    _roll_several,
    node(t.Reroll, maybe(small), small),
    node(t.Draw, names, small, names, yes_or_no, article=st.just("a")),
    node(t.Draw, names, st.none(), names, yes_or_no, small, small, article=st.just("a")),
    node(t.Show, small, small),
    node(t.Swap, small, small),
    node(t.Announce, some(titles | value)),
    node(t.Look, names),
    node(t.Trigger, names, some(small, 0, 2)),
    node(t.Play, names),
    *_deeds,
    node(t.DoTimes, st.one_of(_deeds), small),
    node(t.Arrange, small, st.sampled_from(("lowest", "highest")), small),
    node(t.Shuffle, small),
    node(t.EndGame),
    node(t.Nothing),
    node(t.ChooseSome, small, *_several),
    node(t.ChooseUpTo, small, *_several),
    *(
        node(dice, small, small, names, maybe(value), yes_or_no, maybe_title)
        for dice in (t.ChooseDice, t.ChooseUpToDice)
    ),
    node(t.DrawSome, small, names, small, names, yes_or_no),
    node(t.DrawInto, small, names, small, small, yes_or_no),
    node(t.DrawInto, st.none(), names, small, small, yes_or_no, article=st.sampled_from(("a", "an"))),
    node(t.Move, small, small, small, yes_or_no),
    node(t.SetFace, small, small, small),
    node(t.Give, bundles | node(t.Bundle, st.tuples(_named_price)), small),
    node(t.Leave),
    node(t.Lose, node(t.Bundle, st.tuples(node(t.PartFrom, small, small)))),
    node(t.Lose, node(t.Bundle, st.tuples(_price))),
    node(t.Take, node(t.Bundle, st.tuples(node(t.Part, small, names))), small),
]
simple = st.one_of(SIMPLE)


@cache
def statements(depth: int = 2) -> Trees:
    return st.one_of(simple, *with_blocks(depth)) if depth else simple | _spends


def with_blocks(depth: int) -> list[Trees]:
    block = blocks(depth - 1)
    maybe_block = st.just(()) | block
    return [
        node(t.Spend, _spent, maybe(names), maybe_block, maybe_block),
        node(t.May, simple | _spends, maybe_title, maybe_block, maybe_block, maybe_title, yes_or_no),
        node(t.May, st.none(), maybe_title, block, maybe_block, maybe_title, yes_or_no),
        node(t.Text, some(titles | value), maybe_block),
        node(t.ChooseOne, some(_branches(depth - 1)), maybe(small), maybe_title, yes_or_no),
        node(t.If, value, block, maybe_block),
        node(t.Each, names, maybe(names), maybe(value), block),
        node(t.EachWhere, names, maybe(names), value, block),
        node(t.EachWith, names, maybe(names), some(st.tuples(st.sampled_from(("most", "fewest")), small), 1, 2), block),
        node(t.EachRound, names, maybe(names), small, maybe(value), block),
        node(t.EachNumber, names, maybe(names), small, small, block),
        node(t.EachAtOnce, names, maybe(value), block),
        node(t.For, value, block),
        *(pair.flatmap(lambda p: node(t.Repeat, st.just(p[0]), st.just(p[1]), block)) for pair in _repeats),
    ]


def _branches(depth: int) -> Trees:
    bare = node(t.Branch, st.just(""), st.none(), some(statements(depth), most=1))
    return bare | node(t.Branch, titles, maybe(value), blocks(depth), st.just(()) | some(titles | value))


@cache
def blocks(depth: int) -> Trees:
    return some(statements(depth))


block = blocks(2)


# --- abilities ---------------------------------------------------------------------------------


def _exceptions() -> Trees:
    """With the lines in one order or the other, `require` or `allow`, a price or none; to a phase, none."""
    lines = st.tuples(
        maybe(st.sampled_from(("allow", "require"))), maybe(st.sampled_from(("then", "instead"))), yes_or_no
    ).filter(lambda x: x[0] or x[1])

    others = some(names, 0, 2)

    def built(drawn: tuple[Any, ...]) -> Trees:
        first, second, turned = drawn
        words = tuple(word for word in ((second, first) if turned else (first, second)) if word)
        require = value if first == "require" else st.none()
        because = maybe_title if first == "require" else st.just("")
        then = block if second else st.just(())
        rule = names if second == "then" else maybe(names)
        return node(
            t.Exception_,
            names,
            rule,
            maybe(value),
            others,
            require,
            because,
            then,
            others,
            inside=maybe(names),
            lines=st.just(words),
        )

    return lines.flatmap(built)


exceptions = _exceptions()
ABILITIES = [
    node(t.Adjust, names, small, maybe(value)),
    node(t.When, names, st.sampled_from(("", "start", "end")), maybe(value), maybe(names), maybe_title, block),
    node(t.Shift, names, some(signed), maybe(plain_bundles), maybe(names), maybe(value)),
    exceptions,
]
abilities = st.one_of(ABILITIES)


# --- definitions -------------------------------------------------------------------------------

params = st.tuples(names, maybe(names)).map(lambda p: t.Param(NOWHERE, p[0], p[1] or t.Name(NOWHERE, p[0].word)))
bounds = st.tuples(st.none(), st.none()) | st.tuples(signed, signed)


def _owners() -> Trees:
    """Some parameters with words between them."""
    first = st.just(()) | st.tuples(params)
    rest = st.just(()) | some(st.tuples(params, joints).map(lambda one: replace(one[0], joint=one[1])), 1, 2)
    return st.tuples(first, rest).map(lambda found: (*found[0], *found[1]) if found[0] else ())


owners = _owners()
types = st.one_of(
    bounds.flatmap(lambda b: node(t.TypeName, st.just("number"), low=st.just(b[0]), high=st.just(b[1]))),
    node(t.TypeName, st.sampled_from(("truth", "effect", "amounts", "dice"))),
    node(t.TypeName, st.sampled_from(("set", "order", "bag")), names),
    node(t.TypeName, st.just("thing"), names, yes_or_no),
)
nothing, off = st.just(""), st.just(False)
field_defs = st.one_of(
    node(t.FieldDef, names, types, st.none(), maybe_title, yes_or_no, yes_or_no),
    node(t.FieldDef, names, st.none(), value, maybe_title, yes_or_no, off),
)
field_values = st.one_of(
    node(t.FieldValue, names, expr=value),
    node(t.FieldValue, names, amounts=printed_amounts),
    node(t.FieldValue, names, text=maybe_title),
    node(t.FieldValue, names, block=block),
)
rules = node(t.Rule, names, value, maybe_title)
_including = st.tuples(st.just(0), st.none()) | st.tuples(st.integers(0, 9), names)
payments = _including.flatmap(lambda x: node(t.Payment, small, names, small, st.just(x[0]), st.just(x[1]), maybe_title))
_texts = maybe(node(t.Text, some(titles | value)))
things = node(t.Thing, names, maybe_title, names, some(field_values, 0, 2), some(abilities, 0, 2), _texts)


no_name = st.just(t.Name(NOWHERE, ""))
cells = st.none() | st.one_of(
    node(t.FieldValue, no_name, expr=small),
    node(t.FieldValue, no_name, amounts=printed_amounts),
    node(t.FieldValue, no_name, text=maybe_title),
)
rows = node(t.Row, names, maybe_title, some(cells))
tables = node(t.Table, no_name, nothing, names, some(names), some(rows))


def _actions() -> Trees:
    """Something stands in them."""
    pays = st.just(()) | some(payments, 1, 2)
    return pays.flatmap(
        lambda p: node(
            t.Action,
            names,
            maybe_title,
            some(_chooses, 1, 2),
            st.just(p),
            some(rules, 0, 2),
            st.just(()) | block,
        )
    )


def _games(*always: str) -> Trees:
    """Any of the lines; some of them always."""
    wording = {"order": names, "ask about gains": value, "winners": value, "score": value, "judge": value}

    def built(lines: list[str]) -> Trees:
        players = node(t.Players, st.integers(2, 3), st.integers(4, 8)) if "players" in (*always, *lines) else st.none()
        said = [wording[word] if word in lines else st.none() for word in wording]
        course = block if "course" in lines else st.just(())
        return node(t.Game, names, maybe_title, players, *said, course)

    every = st.sampled_from([word for word in ("players", *wording, "course") if word not in always])
    return st.lists(every, min_size=1, unique=True).flatmap(built)


def _displays() -> Trees:
    columns = some(node(t.Column, titles, some(titles | value, most=2), maybe(value)), 0, 2)
    lines = some(node(t.TextLine, nothing, some(titles | value, most=2), maybe(value)), 1, 2)
    each = st.tuples(st.none(), st.none()) | st.tuples(names, maybe(value))
    mark = st.tuples(st.none(), st.just("")) | st.tuples(value, maybe_title)
    return st.tuples(each, mark).flatmap(
        lambda x: node(
            t.Display,
            names,
            maybe_title,
            st.just(x[0][0]),
            maybe(value),
            maybe(value),
            st.just(x[1][0]),
            st.just(x[0][1]),
            lines,
            columns,
            st.just(x[1][1]),
            maybe(value) if x[0][0] else st.none(),
        )
    )


uniques = node(t.Unique, some(names, 1, 2))
_setting = st.tuples(st.integers(0, 1), st.just(True)) | st.tuples(signed, off)
AMENDABLE = [
    node(t.Resource, names, maybe_title, yes_or_no, maybe(small), yes_or_no),
    node(t.Die, names, maybe_title, st.integers(1, 99)),
    node(t.Kind, names, maybe_title, some(field_defs, 0, 3), maybe(names), maybe(value), some(uniques, 0, 2)),
    node(t.Keep, names, maybe_title, owners, types, maybe(small), yes_or_no, yes_or_no),
    node(t.Quantity, names, maybe_title, owners, value, maybe(small), maybe(small)),
    node(t.Term, names, maybe_title, owners, value),
    node(t.Moment, names, maybe_title, some(params, 0, 2)),
    node(t.Phase, names, maybe_title, block),
    node(t.Routine, names, maybe_title, some(params, 0, 2), block),
    _actions(),
    st.tuples(_setting, bounds).flatmap(lambda x: node(t.Setting, names, maybe_title, *map(st.just, (*x[0], *x[1])))),
    _games(),
    _displays(),
    things,
    node(t.Assert, names, titles, value),
    node(t.AssertNever, names, titles, maybe(value), names, st.sampled_from(("joining", "leaving", "gaining"))),
]
amendable = st.one_of(AMENDABLE)
DEFINITIONS = [
    *AMENDABLE,
    node(t.Group, names, maybe_title, some(names), yes_or_no),
    abilities.map(lambda a: t.Standalone(NOWHERE, t.Name(NOWHERE, ""), "", a)),
    node(t.Standalone, names, maybe_title, exceptions),
    amendable.map(lambda d: t.Amend(NOWHERE, d.name, "", d)),
    things.map(lambda d: t.Amend(NOWHERE, d.name, "", d, True)),
    tables,
    node(t.Combinations, no_name, maybe_title, names, some(names), some(field_values, 0, 2)),
    node(t.Remove_, names, nothing, names),
    node(t.Retitle, names, maybe_title),
]
definitions = st.one_of(DEFINITIONS)
pages = some(definitions, 0, 4).map(lambda found: t.Page("page.edict", found))


def _everything() -> Trees:
    """A page in which every class of node stands somewhere."""
    quantities = [node(t.Quantity, names, nothing, st.just(()), v, st.none(), st.none()) for v in sorts_of_values(1)]
    phase = node(t.Phase, names, nothing, st.tuples(*SIMPLE, *with_blocks(1)))
    thing = node(t.Thing, names, nothing, names, st.tuples(field_values), st.tuples(*ABILITIES))
    kind = node(t.Kind, names, nothing, st.tuples(field_defs), names, value, st.tuples(uniques))
    action = node(t.Action, names, nothing, some(_chooses), st.tuples(payments), some(rules), block)
    keep = node(t.Keep, names, nothing, some(params, 1, 1), types, st.none(), off, off)
    display = node(
        t.Display,
        names,
        nothing,
        names,
        st.none(),
        st.none(),
        value,
        value,
        st.just(()),
        some(node(t.Column, titles, some(value), maybe(value))),
        nothing,
    )
    found = st.tuples(*DEFINITIONS, *quantities, phase, thing, kind, action, keep, display, _games("players"))
    return found.map(lambda definitions: t.Page("page.edict", definitions))


everything = _everything()
