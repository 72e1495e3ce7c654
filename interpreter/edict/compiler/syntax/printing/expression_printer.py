"""Printing of values and amounts within a line."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import singledispatch
from itertools import zip_longest
from typing import Any, TypeGuard

from edict.compiler.syntax import tree as t
from edict.compiler.syntax.automaton import value_words
from edict.compiler.syntax.nouns import format_event
from edict.compiler.syntax.patterns import (
    Gap,
    OptionalPart,
    Pattern,
    has_content,
    is_on_own_lines,
    iter_gaps,
    patterns,
    select_pattern,
)
from edict.compiler.syntax.traversal import find_open_end
from edict.support.morphology import add_indefinite_article, join_words

# Precedence of values; a value stands in parentheses where a higher one is required.
VALUE, OR, AND, NOT, COMPARISON, SUM, PRODUCT, UNARY, PRIMARY, ATOM = range(10)

_BINARY: dict[str, tuple[int, int, int]] = {  # precedence of the result, the left operand and the right operand
    "or": (OR, OR, AND),
    "and": (AND, AND, NOT),
    "+": (SUM, SUM, PRODUCT),
    "-": (SUM, SUM, PRODUCT),
    "*": (PRODUCT, PRODUCT, UNARY),
    "/": (PRODUCT, PRODUCT, UNARY),
    "mod": (PRODUCT, PRODUCT, UNARY),
}
_COMPARISON_LEVELS = (COMPARISON, SUM, SUM)
_OPERATOR_WORDS = {"in": "is in", "not-in": "is not in", "within": "is within"}
_EQUALITY_WORDS = {"=": "is", "!=": "is not"}
_POSTFIX_WORDS = {"empty": "is empty", "not-empty": "is not empty"}


def print_expression(expr: t.Expr, least: int = VALUE) -> str:
    """Return a value as text, in parentheses if they were written or are needed.

    Args:
        expr: The value.
        least: The precedence that the place requires.
    """
    text, level = _print_plain(expr)
    return f"({text})" if expr.wrapped or level < least else text


def print_by_pattern(node: t.Node) -> str:
    """Return a node as text by its pattern, without the lines below it.

    Raises:
        TypeError: Its class has no pattern.
    """
    pattern = select_pattern(node)
    if pattern is None:
        raise TypeError(type(node).__name__)
    return fill_pattern_text(node, pattern)


def fill_pattern_text(node: t.Node, pattern: Pattern) -> str:
    """Return the text of a node by a pattern."""
    return "".join(_print_piece(node, piece) for piece in pattern)


def _print_piece(node: t.Node, piece: str | Gap | OptionalPart) -> str:
    """Return a word, gap or optional part of a pattern as text; an optional part only if all its gaps have content."""
    if isinstance(piece, str):
        return piece
    if isinstance(piece, Gap):
        return _print_gap(node, piece)
    is_complete = all(has_content(node, gap) for gap in piece.pieces if isinstance(gap, Gap))
    if is_complete:
        return "".join(_print_piece(node, inner) for inner in piece.pieces)
    return ""


def _print_gap(node: t.Node, gap: Gap) -> str:
    """Return the text of a node's field for a gap; empty for a gap whose content has lines of its own."""
    if is_on_own_lines(gap):
        return ""
    value = getattr(node, gap.field)
    if gap.spec in _LEVELS:
        if isinstance(value, str):
            return value
        is_range = gap.spec == "set" and isinstance(value, t.NumbersFrom)
        return print_expression(value, VALUE if is_range else _LEVELS[gap.spec])
    if gap.spec in _NODE_PRINTERS:
        return _NODE_PRINTERS[gap.spec](node)
    return _VALUE_PRINTERS[gap.spec](value, gap)


def _print_article(node: Any) -> str:
    """Return the article as it was written, or else the one that fits the kind."""
    return node.article or add_indefinite_article(node.kind.word).split()[0]


def _print_target(exception: Any) -> str:
    """Return the target of an exception (a rule, phase or routine, or an event)."""
    if exception.rule:
        return f"{exception.target.word}.{exception.rule.word}"
    return format_event(exception.target.word, exception.edge)


def _print_switch(setting: Any) -> str:
    """Return the default of a setting: `on` or `off` for a switch, else its number."""
    return ("off", "on")[setting.value] if setting.truth else str(setting.value)


# by specification, for gaps that need the whole node
_NODE_PRINTERS: dict[str, Callable[[Any], str]] = {
    "article": _print_article,
    "switch": _print_switch,
    "target": _print_target,
    "awaited": lambda one: format_event(one.moment.word, one.edge),
}
_LEVELS = {"": SUM, "set": SUM, "any": VALUE, "primary": PRIMARY, "atom": ATOM}  # precedence that a gap requires
# by specification
_VALUE_PRINTERS: dict[str, Callable[[Any, Gap], str]] = {
    "zero": lambda _, __: "0",
    "signed": lambda number, _: str(number),
    "signs": lambda numbers, _: " or ".join(f"{number:+}" for number in numbers),
    "type": lambda one, _: _print_type(one),
    "of": lambda params, _: join_arguments([_print_param(one) for one in params], [one.joint for one in params[1:]]),
    "givens": lambda params, _: " and ".join(map(_print_param, params)),
    "and": lambda names, _: " and ".join(name.word for name in names),
    "text": lambda text, _: f'"{text}"',
    "word": lambda _, gap: gap.field.replace("_", " "),
    "number": lambda number, _: str(number),
    "many": lambda one, _: print_expression(one if isinstance(one, t.Number) else replace(one, wrapped=True), ATOM),
    "bundle": lambda one, _: print_bundle(one),
    "bundles": lambda options, _: print_bundles(options),
    "names": lambda names, _: ", ".join(name.word for name in names),
    "args": lambda args, _: join_words([print_expression(arg, SUM) for arg in args]),
    "list": lambda items, _: join_words(
        [*(_print_item(one, SUM) for one in items[:-1]), _print_item(items[-1], PRIMARY)]
    ),
    "parts": lambda pieces, _: print_parts(pieces),
    "step": lambda one, _: print_by_pattern(one),
    "rankings": lambda keys, _: " then ".join(f"{rank} {print_expression(key, SUM)}" for rank, key in keys),
}


def _print_item(item: t.Node, least: int) -> str:
    """Return an item of a list; the last one needs a high precedence to be set apart from what follows."""
    if isinstance(item, t.Expr):
        return print_expression(item, least)
    return print_by_pattern(item)


@singledispatch
def _print_plain(expr: t.Expr) -> tuple[str, int]:
    """Return a value without its own parentheses, and its precedence (low if its pattern ends in a loose gap)."""
    last_gap = [*iter_gaps(select_pattern(expr) or ())][-1:]
    return print_by_pattern(expr), VALUE if last_gap and last_gap[0].spec in ("any", "rankings", "bundles") else PRIMARY


@_print_plain.register
def _(expr: t.Number) -> tuple[str, int]:
    return str(expr.value), ATOM if expr.value >= 0 else UNARY


@_print_plain.register
def _(expr: t.Name) -> tuple[str, int]:
    return expr.word, ATOM


@_print_plain.register
def _(expr: t.Apply) -> tuple[str, int]:
    if len(expr.args) == 1:
        return f"{expr.head.word} of {print_expression(expr.args[0], PRIMARY)}", PRIMARY
    args = [print_expression(arg, _argument_level(arg)) for arg in expr.args[:-1]]
    args.append(
        print_expression(
            expr.args[-1], PRIMARY if isinstance(expr.args[-1], t.Apply) else _argument_level(expr.args[-1])
        )
    )
    return f"{expr.head.word} of {join_arguments(args, expr.joints)}", PRIMARY


def _argument_level(arg: t.Expr) -> int:
    """Return the precedence that an argument needs; `left of you` needs no parentheses."""
    if not isinstance(arg, t.Unary) or arg.op not in value_words() or arg.op == "count":
        return ATOM
    if print_expression(arg.arg, ATOM) == print_expression(arg.arg, PRIMARY):
        return PRIMARY
    return ATOM


def join_arguments(texts: list[str], joints: Iterable[str]) -> str:
    """Return arguments with the prepositions between them, such as `oak by you in fruit`."""
    pairs = list(zip_longest(texts[1:], list(joints)[: len(texts) - 1], fillvalue="by"))
    return texts[0] + "".join(f" {joint} {text}" for text, joint in pairs)


@_print_plain.register
def _(expr: t.Unary) -> tuple[str, int]:
    if expr.op == "not":
        operand, is_open = _print_last_operand(expr.arg, NOT)
        return f"not {operand}", VALUE if is_open else NOT
    if expr.op == "minus":
        return f"-{print_expression(expr.arg, UNARY)}", UNARY
    if expr.op in _POSTFIX_WORDS:
        return f"{print_expression(expr.arg, SUM)} {_POSTFIX_WORDS[expr.op]}", COMPARISON
    if expr.op in t.OF_SETS and isinstance(expr.arg, t.OfMembers) and not expr.arg.wrapped:
        return f"{expr.op} of {_print_open_ended_set(expr.arg)}", VALUE
    return f"{expr.op} of {print_expression(expr.arg, PRIMARY)}", PRIMARY


@_print_plain.register
def _(expr: t.Listed) -> tuple[str, int]:
    return print_by_pattern(expr), PRIMARY


def is_bare(expr: t.Expr | None) -> TypeGuard[t.Listed]:
    """Return True for a list without parentheses, as in a field of its own."""
    return isinstance(expr, t.Listed) and expr.bare


@_print_plain.register
def _(expr: t.Where | t.Best | t.Connected | t.NextTo) -> tuple[str, int]:
    """In parentheses what would else take to itself what is said of it."""
    members = expr.members
    taking = isinstance(members, t.Over) or isinstance(members, t.Unary) and members.op in t.OF_SETS
    return print_by_pattern(replace(expr, members=replace(members, wrapped=True)) if taking else expr), VALUE


def _print_open_ended_set(members: Any) -> str:
    """Return a restricted set, such as `trees where ...`, that extends to the end of the line."""
    inner = members.members
    if _print_plain(inner)[1] < PRIMARY:
        inner = replace(inner, wrapped=True)
    return print_by_pattern(replace(members, members=inner))


@_print_plain.register
def _(expr: t.NumbersFrom) -> tuple[str, int]:
    return print_by_pattern(expr), VALUE


@_print_plain.register
def _(expr: t.Over) -> tuple[str, int]:
    if expr.name is None and isinstance(expr.members, t.OfMembers) and not expr.members.wrapped:
        return f"{expr.op} of {print_expression(expr.value, SUM)} over {_print_open_ended_set(expr.members)}", VALUE
    return print_by_pattern(expr), PRIMARY


@_print_plain.register
def _(expr: t.Binary) -> tuple[str, int]:
    level, left, right = _BINARY.get(expr.op, _COMPARISON_LEVELS)
    if expr.op in ("and", "or"):
        operand, is_open = _print_last_operand(expr.right, right)
        return f"{print_expression(expr.left, left)} {expr.op} {operand}", VALUE if is_open else level
    if level in (SUM, PRODUCT) and find_open_end(expr.left) is not None:
        left = ATOM  # else what follows could be read as part of it
    said = _EQUALITY_WORDS.get(expr.op, "") if expr.said else ""
    word = said or _OPERATOR_WORDS.get(expr.op, expr.op)
    return f"{print_expression(expr.left, left)} {word} {print_expression(expr.right, right)}", level


def _print_last_operand(expr: t.Expr, least: int) -> tuple[str, bool]:
    """Return the last operand of `and`, `or` or `not`, and True if it reaches to the end of the line."""
    level = _open_condition_level(expr)
    is_open = level is not None and level >= least
    return print_expression(expr, VALUE if is_open else least), is_open


def _open_condition_level(expr: t.Expr) -> int | None:
    """Return the precedence of a condition that ends in `some ... has ...` or `can spend ...`; None for others."""
    if expr.wrapped:
        return None
    if isinstance(expr, t.Quantified | t.CanPay):
        return NOT
    if isinstance(expr, t.Unary) and expr.op == "not":
        return _open_condition_level(expr.arg) and NOT
    if isinstance(expr, t.Binary) and expr.op in ("and", "or"):
        level, _, right = _BINARY[expr.op]
        last = _open_condition_level(expr.right)
        return level if last is not None and last >= right else None
    return None


@_print_plain.register
def _(expr: t.Quantified) -> tuple[str, int]:
    members = expr.members
    leading = members
    while isinstance(leading, t.Binary) and not leading.wrapped and leading.op in ("+", "-"):
        leading = leading.left
    is_range = isinstance(members, t.NumbersFrom)
    if expr.op == "no" and not is_range and not leading.wrapped and _print_plain(leading)[1] < PRIMARY:
        members = replace(members, wrapped=True)  # `no - 1` would be a value
    return print_by_pattern(replace(expr, members=members)), VALUE


# --- amounts -----------------------------------------------------------------------------


def print_bundle(bundle_node: t.Bundle) -> str:
    """Return amounts as text, such as `2 gold and 1 of each good except wood`."""
    texts = [_print_part(part) for part in bundle_node.parts]
    return join_words(texts) if bundle_node.commas else " and ".join(texts)


def print_bundles(options: Iterable[t.Bundle]) -> str:
    """Return alternatives of amounts as text."""
    return " or ".join(print_bundle(option) for option in options)


def _print_part(part: t.Part | t.PartFrom) -> str:
    """Return an amount as text, such as `2 gold`, `1 of each good` or `all soldier`."""
    if isinstance(part, t.PartFrom):
        return print_by_pattern(part)
    if part.each:
        rule = "part_each"
    elif part.said:
        rule = "part_all"
    else:
        rule = "part"
    return fill_pattern_text(part, patterns(t.Part)[rule])


def print_amounts(bundle_node: t.Bundle) -> str:
    """Return amounts as a field holds them, such as `2 gold, 1 wood`."""
    return ", ".join(_print_part(part) for part in bundle_node.parts)


# --- parts of definitions -------------------------------------------------------------------


def print_name_and_title(definition: t.Definition) -> str:
    """Return the name of a definition, and its title if it has one, as in `gold "gold"`."""
    return definition.name.word + quote_text(definition.title)


def _print_param(param: t.Param) -> str:
    """Return a parameter as `KIND`, or as `KIND called NAME` if its name differs."""
    return param.kind.word + (f" called {param.name.word}" if param.name.word != param.kind.word else "")


def _print_type(type_name: t.TypeName) -> str:
    """Return a type as text, such as `set of card`, `number from 0 to 5` or `card or none`."""
    name = type_name.name.word if type_name.name else ""
    if type_name.shape == "thing":
        return name + " or none" * type_name.optional
    ends = [
        end.word if isinstance(end, t.Name) else end
        for end in (type_name.lowest or type_name.low, type_name.highest or type_name.high)
    ]
    limits = f" from {ends[0]} to {ends[1]}" if None not in ends else ""
    return f"{type_name.shape} of {name}" if name else type_name.shape + limits


# --- words used in lines of all sorts ------------------------------------------------------


def quote_text(text: str, prefix: str = " ") -> str:
    """Return a text in quotes with a prefix, or "" if it is empty."""
    return f'{prefix}"{text}"' if text else ""


def print_clause(word: str, expr: t.Expr | None, least: int = VALUE) -> str:
    """Return a word and a value, such as ` if ...`, or "" if there is no value."""
    return f" {word} {print_expression(expr, least)}" if expr is not None else ""


def print_parts(pieces: tuple[str | t.Expr, ...]) -> str:
    """Return texts and values with commas between them, as in announcements and panels."""
    return ", ".join(f'"{piece}"' if isinstance(piece, str) else print_expression(piece) for piece in pieces)
