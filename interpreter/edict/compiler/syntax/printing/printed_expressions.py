"""Values and amounts, as they stand within a line."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import singledispatch
from itertools import zip_longest
from typing import Any, TypeGuard

from edict.compiler.syntax import tree as t
from edict.compiler.syntax.automaton import value_words
from edict.compiler.syntax.nouns import awaited
from edict.compiler.syntax.patterns import Gap, Optional, Pattern, gaps, is_there, pattern_of, patterns, stands_below
from edict.compiler.syntax.walking import without_end
from edict.support.morphology import add_indefinite_article, join_words

# How tightly a value holds together; one in a place that asks for a tighter one stands in parentheses.
VALUE, OR, AND, NOT, COMPARISON, SUM, PRODUCT, UNARY, PRIMARY, ATOM = range(10)

_BINARY: dict[str, tuple[int, int, int]] = {  # its own level, those of left and right
    "or": (OR, OR, AND),
    "and": (AND, AND, NOT),
    "+": (SUM, SUM, PRODUCT),
    "-": (SUM, SUM, PRODUCT),
    "*": (PRODUCT, PRODUCT, UNARY),
    "/": (PRODUCT, PRODUCT, UNARY),
    "mod": (PRODUCT, PRODUCT, UNARY),
}
_COMPARED = (COMPARISON, SUM, SUM)
_WORDS = {"in": "is in", "not-in": "is not in", "within": "is within"}
_IS = {"=": "is", "!=": "is not"}
_AFTER = {"empty": "is empty", "not-empty": "is not empty"}


def expression(expr: t.Expr, least: int = VALUE) -> str:
    """A value; in parentheses if they were written, or if the place needs them."""
    text, level = _plain(expr)
    return f"({text})" if expr.wrapped or level < least else text


def by_pattern(node: t.Node) -> str:
    """A node as its class says that it is written, without what stands below it."""
    pattern = pattern_of(node)
    if pattern is None:
        raise TypeError(type(node).__name__)
    return written(node, pattern)


def written(node: t.Node, pattern: Pattern) -> str:
    """What a pattern makes of a node."""
    return "".join(_piece(node, piece) for piece in pattern)


def _piece(node: t.Node, piece: str | Gap | Optional) -> str:
    if isinstance(piece, str):
        return piece
    if isinstance(piece, Gap):
        return _in_gap(node, piece)
    whole = all(is_there(node, gap) for gap in piece.pieces if isinstance(gap, Gap))
    return "".join(_piece(node, inner) for inner in piece.pieces) if whole else ""


def _in_gap(node: t.Node, gap: Gap) -> str:
    if stands_below(gap):
        return ""
    value = getattr(node, gap.field)
    if gap.spec in _LEVELS:
        return value if isinstance(value, str) else expression(value, _LEVELS[gap.spec])
    return _OF_NODE[gap.spec](node) if gap.spec in _OF_NODE else _WRITTEN[gap.spec](value, gap)


def _article(node: Any) -> str:
    """As it was written, or else as the first letter of the kind wants it."""
    return node.article or add_indefinite_article(node.kind.word).split()[0]


def _target(one: Any) -> str:
    """What an exception is to: a rule, a phase or a routine, or what steps do."""
    return f"{one.target.word}.{one.rule.word}" if one.rule else awaited(one.target.word, one.edge)


def _switch(one: Any) -> str:
    return ("off", "on")[one.value] if one.truth else str(one.value)


_OF_NODE: dict[str, Callable[[Any], str]] = {
    "article": _article,
    "switch": _switch,
    "target": _target,
    "awaited": lambda one: awaited(one.moment.word, one.edge),
}
_LEVELS = {"": SUM, "any": VALUE, "primary": PRIMARY, "atom": ATOM}
_WRITTEN: dict[str, Callable[[Any, Gap], str]] = {
    "zero": lambda _, __: "0",
    "signed": lambda number, _: str(number),
    "signs": lambda numbers, _: " or ".join(f"{number:+}" for number in numbers),
    "type": lambda one, _: _type(one),
    "of": lambda params, _: joined([_param(one) for one in params], [one.joint for one in params[1:]]),
    "givens": lambda params, _: " and ".join(map(_param, params)),
    "and": lambda names, _: " and ".join(name.word for name in names),
    "text": lambda text, _: f'"{text}"',
    "word": lambda _, gap: gap.field.replace("_", " "),
    "number": lambda number, _: str(number),
    "many": lambda one, _: expression(one if isinstance(one, t.Number) else replace(one, wrapped=True), ATOM),
    "bundle": lambda one, _: bundle(one),
    "bundles": lambda options, _: bundles(options),
    "names": lambda names, _: ", ".join(name.word for name in names),
    "args": lambda args, _: join_words([expression(arg, SUM) for arg in args]),
    "list": lambda items, _: join_words([*(_item(one, SUM) for one in items[:-1]), _item(items[-1], PRIMARY)]),
    "parts": lambda pieces, _: parts(pieces),
    "step": lambda one, _: by_pattern(one),
    "rankings": lambda keys, _: " then ".join(f"{rank} {expression(key, SUM)}" for rank, key in keys),
}


def _item(one: t.Node, least: int) -> str:
    """The last one of a list must hold together, for what comes behind it is no part of it."""
    return expression(one, least) if isinstance(one, t.Expr) else by_pattern(one)


@singledispatch
def _plain(expr: t.Expr) -> tuple[str, int]:
    """The text without its parentheses, and its level; a pattern that ends in a loose gap holds together as loosely."""
    last = [*gaps(pattern_of(expr) or ())][-1:]
    return by_pattern(expr), VALUE if last and last[0].spec in ("any", "rankings", "bundles") else PRIMARY


@_plain.register
def _(expr: t.Number) -> tuple[str, int]:
    return str(expr.value), ATOM if expr.value >= 0 else UNARY


@_plain.register
def _(expr: t.Name) -> tuple[str, int]:
    return expr.word, ATOM


@_plain.register
def _(expr: t.Apply) -> tuple[str, int]:
    if len(expr.args) == 1:
        return f"{expr.head.word} of {expression(expr.args[0], PRIMARY)}", PRIMARY
    args = [expression(arg, _close(arg)) for arg in expr.args[:-1]]
    args.append(expression(expr.args[-1], PRIMARY if isinstance(expr.args[-1], t.Apply) else _close(expr.args[-1])))
    return f"{expr.head.word} of {joined(args, expr.joints)}", PRIMARY


def _close(arg: t.Expr) -> int:
    """How closely what something is kept for must hold together: `left of you` needs no parentheses."""
    if not isinstance(arg, t.Unary) or arg.op not in value_words() or arg.op == "count":
        return ATOM
    return PRIMARY if expression(arg.arg, ATOM) == expression(arg.arg, PRIMARY) else ATOM


def joined(texts: list[str], joints: Iterable[str]) -> str:
    """`oak by you in fruit`: several things that something is kept for or asked of."""
    pairs = list(zip_longest(texts[1:], list(joints)[: len(texts) - 1], fillvalue="by"))
    return texts[0] + "".join(f" {joint} {text}" for text, joint in pairs)


@_plain.register
def _(expr: t.Unary) -> tuple[str, int]:
    if expr.op == "not":
        return f"not {expression(expr.arg, NOT)}", NOT
    if expr.op == "minus":
        return f"-{expression(expr.arg, UNARY)}", UNARY
    if expr.op in _AFTER:
        return f"{expression(expr.arg, SUM)} {_AFTER[expr.op]}", COMPARISON
    if expr.op in t.OF_SETS and isinstance(expr.arg, t.OfMembers) and not expr.arg.wrapped:
        return f"{expr.op} of {_loosely(expr.arg)}", VALUE
    return f"{expr.op} of {expression(expr.arg, PRIMARY)}", PRIMARY


@_plain.register
def _(expr: t.Listed) -> tuple[str, int]:
    return by_pattern(expr), PRIMARY


def is_bare(expr: t.Expr | None) -> TypeGuard[t.Listed]:
    """Whether it is a list without parentheses, as in a field of its own."""
    return isinstance(expr, t.Listed) and expr.bare


@_plain.register
def _(expr: t.Where | t.Best | t.Connected | t.NextTo) -> tuple[str, int]:
    """In parentheses what would else take to itself what is said of it."""
    members = expr.members
    taking = isinstance(members, t.Over) or isinstance(members, t.Unary) and members.op in t.OF_SETS
    return by_pattern(replace(expr, members=replace(members, wrapped=True)) if taking else expr), VALUE


def _loosely(members: Any) -> str:
    """`trees where ...` behind `count of`, which is said up to the end of the line."""
    inner = members.members
    if _plain(inner)[1] < PRIMARY:
        inner = replace(inner, wrapped=True)
    return by_pattern(replace(members, members=inner))


@_plain.register
def _(expr: t.Over) -> tuple[str, int]:
    if isinstance(expr.members, t.OfMembers) and not expr.members.wrapped:
        return f"{expr.op} of {expression(expr.value, SUM)} over {_loosely(expr.members)}", VALUE
    return by_pattern(expr), PRIMARY


@_plain.register
def _(expr: t.Binary) -> tuple[str, int]:
    level, left, right = _BINARY.get(expr.op, _COMPARED)
    if level in (SUM, PRODUCT) and without_end(expr.left) is not None:
        left = ATOM  # or else what follows could belong to it
    said = _IS.get(expr.op, "") if expr.said else ""
    word = said or _WORDS.get(expr.op, expr.op)
    return f"{expression(expr.left, left)} {word} {expression(expr.right, right)}", level


# --- amounts -----------------------------------------------------------------------------


def bundle(one: t.Bundle) -> str:
    """`2 gold and 1 of each good except wood`."""
    texts = [_part(part) for part in one.parts]
    return join_words(texts) if one.commas else " and ".join(texts)


def bundles(options: Iterable[t.Bundle]) -> str:
    return " or ".join(bundle(one) for one in options)


def _part(part: t.Part | t.PartFrom) -> str:
    if isinstance(part, t.PartFrom):
        return by_pattern(part)
    rule = "part_each" if part.each else "part_all" if part.said else "part"
    return written(part, patterns(t.Part)[rule])


def amounts(one: t.Bundle) -> str:
    """`2 gold, 1 wood`, as a field holds them."""
    return ", ".join(_part(part) for part in one.parts)


# --- what definitions are made of ----------------------------------------------------------


def named(definition: t.Definition) -> str:
    """`gold "gold"`: its name, and its title if it has one."""
    return definition.name.word + quoted(definition.title)


def _param(param: t.Param) -> str:
    return param.kind.word + (f" called {param.name.word}" if param.name.word != param.kind.word else "")


def _type(one: t.TypeName) -> str:
    name = one.name.word if one.name else ""
    if one.shape == "thing":
        return name + " or none" * one.optional
    ends = [end.word if isinstance(end, t.Name) else end for end in (one.lowest or one.low, one.highest or one.high)]
    limits = f" from {ends[0]} to {ends[1]}" if None not in ends else ""
    return f"{one.shape} of {name}" if name else one.shape + limits


# --- words used in lines of all sorts ------------------------------------------------------


def quoted(text: str, before: str = " ") -> str:
    """A text in quotes with what stands before it, or nothing if there is none."""
    return f'{before}"{text}"' if text else ""


def clause(word: str, expr: t.Expr | None, least: int = VALUE) -> str:
    """` if ...`, ` asking ...`: a word and a value, or nothing if there is none."""
    return f" {word} {expression(expr, least)}" if expr is not None else ""


def parts(pieces: tuple[str | t.Expr, ...]) -> str:
    """Texts and values with commas between them, as in announcements and panels."""
    show: Callable[[str | t.Expr], str] = lambda x: f'"{x}"' if isinstance(x, str) else expression(x)  # noqa: E731
    return ", ".join(show(piece) for piece in pieces)
