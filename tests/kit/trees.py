"""Random syntax trees that the parser could produce: every node class in every place the grammar allows.

They need not make sense. A strategy is made for each depth, so that trees stay within the limits of the parser.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from edict.compiler.syntax import tree as t
from edict.compiler.syntax.making.builders import build_list_node
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


def optional(strategy: Trees) -> Trees:
    return st.none() | strategy


def tuples_of(strategy: Trees, least: int = 1, most: int = 3) -> Trees:
    return st.lists(strategy, min_size=least, max_size=most).map(tuple)


def build_node(cls: Any, *parts: Trees, **more: Trees) -> Trees:
    return st.builds(cls, st.just(NOWHERE), *parts, **more)


def parenthesize(value: Trees) -> Trees:
    return value.map(lambda one: replace(one, wrapped=True))


# --- values ------------------------------------------------------------------------------------


printed_amounts = build_node(t.Bundle, tuples_of(build_node(t.Part, numbers, names)))
_prices = tuples_of(printed_amounts, most=2)


@cache
def values(depth: int = 3) -> Trees:
    return st.one_of(list_value_strategies(depth)) if depth else numbers | names


def list_value_strategies(depth: int) -> list[Trees]:
    inner = values(depth - 1)
    wrapped = {"wrapped": yes_or_no}
    many = numbers | parenthesize(inner)
    unary = st.sampled_from("not minus count faces first left right text total empty not-empty".split())
    binary = st.sampled_from("+ - * / mod and or < <= > >= in not-in within".split())
    return [
        numbers,
        names,
        _apply(inner),
        build_node(t.Unary, unary, inner, **wrapped),
        build_node(t.Binary, binary, inner, inner, **wrapped),
        build_node(t.Binary, st.sampled_from(("=", "!=")), inner, inner, said=st.sampled_from(("", "is")), **wrapped),
        build_node(t.Where, inner, optional(names), inner, **wrapped),
        build_node(t.Best, inner, optional(names), _rankings(inner), **wrapped),
        build_node(t.Over, st.sampled_from(("sum", "best", "least")), inner, inner, optional(names), **wrapped),
        build_node(t.Quantified, st.sampled_from(("every", "some", "no")), inner, optional(names), inner, **wrapped),
        build_node(t.NumbersFrom, names, inner, inner, **wrapped),
        build_node(t.During, names, **wrapped),
        build_node(t.Showing, names, inner, **wrapped),
        build_node(t.Among, names, inner, **wrapped),
        st.builds(_listed, tuples_of(inner, 2), yes_or_no),
        build_node(t.OfSeveral, st.sampled_from(("sum", "best", "least")), tuples_of(inner, 2, 3), **wrapped),
        build_node(t.Track, tuples_of(inner, 2), inner, **wrapped),
        build_node(t.FirstAfter, inner, inner, **wrapped),
        build_node(t.Connected, inner, inner, inner, **wrapped),
        build_node(t.LongestPath, inner, inner, optional(inner), **wrapped),
        build_node(t.LongestTrail, inner, inner, optional(inner), **wrapped),
        build_node(t.NextTo, inner, inner, st.sampled_from(("square", "hexagonal")), names, names, **wrapped),
        build_node(t.CountIn, inner, inner, **wrapped),
        build_node(t.PositionIn, inner, inner, **wrapped),
        build_node(t.CopiesOf, names, many, **wrapped),
        build_node(t.InSupply, names, **wrapped),
        build_node(t.OfEach, names, many, st.none(), **wrapped),
        build_node(t.OfEach, names, st.none(), names, **wrapped),
        build_node(t.CanPay, _prices, **wrapped),
    ]


def _rankings(inner: Trees) -> Trees:
    return tuples_of(st.tuples(st.sampled_from(("most", "fewest")), inner), most=2)


def _listed(members: tuple[t.Expr, ...], wrapped: bool) -> t.Expr:
    return replace(build_list_node(NOWHERE, members), wrapped=wrapped)


def _apply(inner: Trees) -> Trees:
    one = build_node(t.Apply, names, tuples_of(inner, most=1))
    return one | build_node(t.Apply, names, tuples_of(inner, 2, 2), joints=tuples_of(joints, 1, 1))


value = values(3)
small = values(1)


# --- amounts -----------------------------------------------------------------------------------

_many = numbers | parenthesize(small)
parts = st.one_of(build_node(t.Part, small, names), build_node(t.Part, _many, names, st.just(True), optional(names)))
parts |= build_node(t.PartFrom, small, small)
_price = build_node(t.PartPrice, st.just(t.Number(NOWHERE, 1)), _apply(small))
_named_price = build_node(t.PartPrice, st.just(t.Number(NOWHERE, 1)), names)
plain_bundles = build_node(t.Bundle, tuples_of(parts, most=2))
parts |= _price
bundles = build_node(t.Bundle, tuples_of(parts, most=2)) | build_node(
    t.Bundle, tuples_of(parts, 3, 3), commas=st.just(True)
)


# --- statements --------------------------------------------------------------------------------


def _choose() -> Trees:
    ranges = st.tuples(st.none(), st.none(), optional(small)) | st.tuples(small, small, st.none())
    return ranges.flatmap(
        lambda r: build_node(
            t.Choose,
            names,
            st.just(r[0]),
            st.just(r[1]),
            st.just(r[2]),
            names,
            optional(value),
            optional(small),
            yes_or_no,
            maybe_title,
            article=st.sampled_from(("a", "an")),
        )
    )


_chooses = _choose()
_several = (names, optional(small), names, optional(value), optional(small), yes_or_no, maybe_title)
_with_joker = build_node(
    t.Bundle, st.tuples(build_node(t.PartPrice, st.just(t.Number(NOWHERE, 1)), _apply(small) | names, names))
)
_spent = tuples_of(bundles, most=2) | st.tuples(_with_joker | build_node(t.Bundle, st.tuples(_named_price)))
_spends = build_node(t.Spend, _spent, optional(names), st.just(()))
_rolls = build_node(t.Roll, small, names, names, st.none()) | build_node(t.Roll, small, names, st.none(), small)
_rolled = tuples_of(build_node(t.Rolled, small, names), 2, 3)
_roll_several = build_node(t.RollSeveral, _rolled, names, st.none()) | build_node(
    t.RollSeveral, _rolled, st.none(), small
)
_repeats = (st.tuples(small, st.none()), st.tuples(st.none(), value))

_all = names.map(lambda one: t.Part(NOWHERE, t.Apply(NOWHERE, one, (t.Name(NOWHERE, "you"),)), one, said="all"))

TAKES = (t.Take, t.TakeChosen)
_deeds = [
    build_node(t.Do, names, tuples_of(small, 0, 2)),
    build_node(t.DoField, names, small, tuples_of(small, 0, 2)),
    build_node(t.DoEdge, st.sampled_from(("start", "end")), names, small, tuples_of(small, 0, 2)),
]
SIMPLE = [
    build_node(t.Lose, build_node(t.Bundle, st.tuples(_all))),
    build_node(t.Gain, tuples_of(bundles, most=2)),
    build_node(t.Lose, bundles),
    _chooses,
    build_node(t.ChooseDie, small, names, maybe_title, yes_or_no, optional(value)),
    build_node(t.Let, names, value),
    build_node(t.Set, small, value),
    build_node(t.Add, small, small, yes_or_no),
    build_node(t.Remove, small, small),
    _rolls,
    _roll_several,
    build_node(t.Reroll, optional(small), small),
    build_node(t.Draw, names, small, names, yes_or_no, article=st.just("a")),
    build_node(t.Draw, names, st.none(), names, yes_or_no, small, small, article=st.just("a")),
    build_node(t.Show, small, small),
    build_node(t.Swap, small, small),
    build_node(t.Announce, tuples_of(titles | value)),
    build_node(t.Look, names),
    build_node(t.Trigger, names, tuples_of(small, 0, 2)),
    build_node(t.Play, names),
    *_deeds,
    build_node(t.DoTimes, st.one_of(_deeds), small),
    build_node(t.Arrange, small, st.sampled_from(("lowest", "highest")), small),
    build_node(t.Shuffle, small),
    build_node(t.EndGame),
    build_node(t.Nothing),
    build_node(t.ChooseSome, small, *_several),
    build_node(t.ChooseUpTo, small, *_several),
    *(
        build_node(dice, small, small, names, optional(value), yes_or_no, maybe_title)
        for dice in (t.ChooseDice, t.ChooseUpToDice)
    ),
    build_node(t.DrawSome, small, names, small, names, yes_or_no),
    build_node(t.DrawInto, small, names, small, small, yes_or_no),
    build_node(t.DrawInto, st.none(), names, small, small, yes_or_no, article=st.sampled_from(("a", "an"))),
    build_node(t.Move, small, small, small, yes_or_no),
    build_node(t.SetFace, small, small, small),
    build_node(t.Give, bundles | build_node(t.Bundle, st.tuples(_named_price)), small),
    build_node(t.Leave),
    build_node(t.Lose, build_node(t.Bundle, st.tuples(build_node(t.PartFrom, small, small)))),
    build_node(t.Lose, build_node(t.Bundle, st.tuples(_price))),
    *(build_node(cls, build_node(t.Bundle, st.tuples(build_node(t.Part, small, names))), small) for cls in TAKES),
]
simple = st.one_of(SIMPLE)


@cache
def statements(depth: int = 2) -> Trees:
    return st.one_of(simple, *list_block_statements(depth)) if depth else simple | _spends


def list_block_statements(depth: int) -> list[Trees]:
    block = blocks(depth - 1)
    maybe_block = st.just(()) | block
    return [
        build_node(t.Spend, _spent, optional(names), maybe_block, maybe_block),
        build_node(t.May, simple | _spends, maybe_title, maybe_block, maybe_block, maybe_title, yes_or_no),
        build_node(t.May, st.none(), maybe_title, block, maybe_block, maybe_title, yes_or_no),
        build_node(t.Text, tuples_of(titles | value), maybe_block),
        build_node(t.ChooseOne, tuples_of(_branches(depth - 1)), optional(small), maybe_title, yes_or_no),
        build_node(t.If, value, block, maybe_block),
        build_node(t.Each, names, optional(names), optional(value), block),
        build_node(t.EachWhere, names, optional(names), value, block),
        build_node(
            t.EachWith,
            names,
            optional(names),
            tuples_of(st.tuples(st.sampled_from(("most", "fewest")), small), 1, 2),
            block,
        ),
        build_node(t.EachRound, names, optional(names), small, optional(value), block),
        build_node(t.EachNumber, names, optional(names), small, small, block),
        build_node(t.EachAtOnce, names, optional(value), block),
        build_node(t.For, value, block),
        *(pair.flatmap(lambda p: build_node(t.Repeat, st.just(p[0]), st.just(p[1]), block)) for pair in _repeats),
    ]


def _branches(depth: int) -> Trees:
    bare = build_node(t.Branch, st.just(""), st.none(), tuples_of(statements(depth), most=1))
    return bare | build_node(t.Branch, titles, optional(value), blocks(depth), st.just(()) | tuples_of(titles | value))


@cache
def blocks(depth: int) -> Trees:
    return tuples_of(statements(depth))


block = blocks(2)


# --- abilities ---------------------------------------------------------------------------------


def _exceptions() -> Trees:
    """Exceptions with their lines in any order, with `require` or `allow`, and a price unless to a phase."""
    lines = st.tuples(
        optional(st.sampled_from(("allow", "require"))), optional(st.sampled_from(("then", "instead"))), yes_or_no
    ).filter(lambda x: x[0] or x[1])

    others = tuples_of(names, 0, 2)

    def built(drawn: tuple[Any, ...]) -> Trees:
        first, second, turned = drawn
        words = tuple(word for word in ((second, first) if turned else (first, second)) if word)
        require = value if first == "require" else st.none()
        because = maybe_title if first == "require" else st.just("")
        then = block if second else st.just(())
        rule = names if second == "then" else optional(names)
        return build_node(
            t.Exception_,
            names,
            rule,
            optional(value),
            others,
            require,
            because,
            then,
            others,
            inside=optional(names),
            once_per=optional(names),
            lines=st.just(words),
        )

    return lines.flatmap(built)


exceptions = _exceptions()
ABILITIES = [
    build_node(t.Adjust, names, small, optional(value)),
    build_node(
        t.When, names, st.sampled_from(("", "start", "end")), optional(value), optional(names), maybe_title, block
    ),
    build_node(t.Shift, names, tuples_of(signed), optional(plain_bundles), optional(names), optional(value)),
    build_node(t.AddedOption, titles, names, maybe_title, optional(value), optional(names), block),
    exceptions,
]
abilities = st.one_of(ABILITIES)


# --- definitions -------------------------------------------------------------------------------

params = st.tuples(names, optional(names)).map(lambda p: t.Param(NOWHERE, p[0], p[1] or t.Name(NOWHERE, p[0].word)))
bounds = st.tuples(st.none(), st.none()) | st.tuples(signed, signed)


def _owners() -> Trees:
    """Parameters with joints between them."""
    first = st.just(()) | st.tuples(params)
    rest = st.just(()) | tuples_of(st.tuples(params, joints).map(lambda one: replace(one[0], joint=one[1])), 1, 2)
    return st.tuples(first, rest).map(lambda found: (*found[0], *found[1]) if found[0] else ())


owners = _owners()
types = st.one_of(
    bounds.flatmap(lambda b: build_node(t.TypeName, st.just("number"), low=st.just(b[0]), high=st.just(b[1]))),
    build_node(t.TypeName, st.sampled_from(("truth", "effect", "amounts", "dice"))),
    build_node(t.TypeName, st.sampled_from(("set", "order", "bag")), names),
    build_node(t.TypeName, st.just("thing"), names, yes_or_no),
)
nothing, off = st.just(""), st.just(False)
field_defs = st.one_of(
    build_node(t.FieldDef, names, types, st.none(), maybe_title, yes_or_no, yes_or_no),
    build_node(t.FieldDef, names, st.none(), value, maybe_title, yes_or_no, off),
)
field_values = st.one_of(
    build_node(t.FieldValue, names, expr=value),
    build_node(t.FieldValue, names, amounts=printed_amounts),
    build_node(t.FieldValue, names, text=maybe_title),
    build_node(t.FieldValue, names, block=block),
)
rules = build_node(t.Rule, names, value, maybe_title)
_including = st.tuples(st.just(0), st.none()) | st.tuples(st.integers(0, 9), names)
payments = _including.flatmap(
    lambda x: build_node(t.Payment, small, names, small, st.just(x[0]), st.just(x[1]), maybe_title)
)
_texts = optional(build_node(t.Text, tuples_of(titles | value)))
things = build_node(
    t.Thing, names, maybe_title, names, tuples_of(field_values, 0, 2), tuples_of(abilities, 0, 2), _texts
)


no_name = st.just(t.Name(NOWHERE, ""))
cells = st.none() | st.one_of(
    build_node(t.FieldValue, no_name, expr=small),
    build_node(t.FieldValue, no_name, amounts=printed_amounts),
    build_node(t.FieldValue, no_name, text=maybe_title),
)
rows = build_node(t.Row, names, maybe_title, tuples_of(cells))
tables = build_node(t.Table, no_name, nothing, names, tuples_of(names), tuples_of(rows))


def _actions() -> Trees:
    """Actions that are not empty."""
    pays = st.just(()) | tuples_of(payments, 1, 2)
    return pays.flatmap(
        lambda p: build_node(
            t.Action,
            names,
            maybe_title,
            tuples_of(_chooses, 1, 2),
            st.just(p),
            tuples_of(rules, 0, 2),
            st.just(()) | block,
        )
    )


def _games(*always: str) -> Trees:
    """Game definitions with any of the lines, some of them always."""
    wording = {"order": names, "ask about gains": value, "winners": value, "score": value, "judge": value}

    def built(lines: list[str]) -> Trees:
        players = (
            build_node(t.Players, st.integers(2, 3), st.integers(4, 8)) if "players" in (*always, *lines) else st.none()
        )
        said = [wording[word] if word in lines else st.none() for word in wording]
        course = block if "course" in lines else st.just(())
        return build_node(t.Game, names, maybe_title, players, *said, course)

    every = st.sampled_from([word for word in ("players", *wording, "course") if word not in always])
    return st.lists(every, min_size=1, unique=True).flatmap(built)


def _displays() -> Trees:
    columns = tuples_of(build_node(t.Column, titles, tuples_of(titles | value, most=2), optional(value)), 0, 2)
    lines = tuples_of(build_node(t.TextLine, nothing, tuples_of(titles | value, most=2), optional(value)), 1, 2)
    each = st.tuples(st.none(), st.none()) | st.tuples(names, optional(value))
    mark = st.tuples(st.none(), st.just("")) | st.tuples(value, maybe_title)
    return st.tuples(each, mark).flatmap(
        lambda x: build_node(
            t.Display,
            names,
            maybe_title,
            st.just(x[0][0]),
            optional(value),
            optional(value),
            st.just(x[1][0]),
            st.just(x[0][1]),
            lines,
            columns,
            st.just(x[1][1]),
            optional(value) if x[0][0] else st.none(),
        )
    )


uniques = build_node(t.Unique, tuples_of(names, 1, 2))
_setting = st.tuples(st.integers(0, 1), st.just(True)) | st.tuples(signed, off)
AMENDABLE = [
    build_node(t.Resource, names, maybe_title, yes_or_no, optional(small), yes_or_no),
    build_node(t.Die, names, maybe_title, st.integers(1, 99)),
    build_node(
        t.Kind,
        names,
        maybe_title,
        tuples_of(field_defs, 0, 3),
        optional(names),
        optional(value),
        tuples_of(uniques, 0, 2),
    ),
    build_node(t.Keep, names, maybe_title, owners, types, optional(small), yes_or_no, yes_or_no),
    build_node(t.Quantity, names, maybe_title, owners, value, optional(small), optional(small)),
    build_node(t.Term, names, maybe_title, owners, value),
    build_node(t.Moment, names, maybe_title, tuples_of(params, 0, 2)),
    build_node(t.Phase, names, maybe_title, block),
    build_node(t.Routine, names, maybe_title, tuples_of(params, 0, 2), block),
    _actions(),
    st.tuples(_setting, bounds).flatmap(
        lambda x: build_node(t.Setting, names, maybe_title, *map(st.just, (*x[0], *x[1])))
    ),
    _games(),
    _displays(),
    things,
    build_node(t.Assert, names, titles, value),
    build_node(
        t.AssertNever, names, titles, optional(value), names, st.sampled_from(("joining", "leaving", "gaining"))
    ),
]
amendable = st.one_of(AMENDABLE)
DEFINITIONS = [
    *AMENDABLE,
    build_node(t.Group, names, maybe_title, tuples_of(names), yes_or_no),
    abilities.map(lambda a: t.Standalone(NOWHERE, t.Name(NOWHERE, ""), "", a)),
    build_node(t.Standalone, names, maybe_title, exceptions),
    amendable.map(lambda d: t.Amend(NOWHERE, d.name, "", d)),
    things.map(lambda d: t.Amend(NOWHERE, d.name, "", d, True)),
    tables,
    build_node(t.Combinations, no_name, maybe_title, names, tuples_of(names), tuples_of(field_values, 0, 2)),
    build_node(t.Remove_, names, nothing, names),
    build_node(t.Retitle, names, maybe_title),
]
definitions = st.one_of(DEFINITIONS)
pages = tuples_of(definitions, 0, 4).map(lambda found: t.Page("page.edict", found))


def _everything() -> Trees:
    """A page that contains every node class."""
    quantities = [
        build_node(t.Quantity, names, nothing, st.just(()), v, st.none(), st.none()) for v in list_value_strategies(1)
    ]
    phase = build_node(t.Phase, names, nothing, st.tuples(*SIMPLE, *list_block_statements(1)))
    thing = build_node(t.Thing, names, nothing, names, st.tuples(field_values), st.tuples(*ABILITIES))
    kind = build_node(t.Kind, names, nothing, st.tuples(field_defs), names, value, st.tuples(uniques))
    action = build_node(t.Action, names, nothing, tuples_of(_chooses), st.tuples(payments), tuples_of(rules), block)
    keep = build_node(t.Keep, names, nothing, tuples_of(params, 1, 1), types, st.none(), off, off)
    display = build_node(
        t.Display,
        names,
        nothing,
        names,
        st.none(),
        st.none(),
        value,
        value,
        st.just(()),
        tuples_of(build_node(t.Column, titles, tuples_of(value), optional(value))),
        nothing,
    )
    found = st.tuples(*DEFINITIONS, *quantities, phase, thing, kind, action, keep, display, _games("players"))
    return found.map(lambda definitions: t.Page("page.edict", definitions))


everything = _everything()
