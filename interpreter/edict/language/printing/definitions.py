"""Definitions as lines. What was written in one file keeps the order it was written in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import singledispatch
from itertools import zip_longest

from edict.language import tree as t
from edict.language.printing.abilities import ability_lines, exception_lines
from edict.language.printing.expressions import SUM, amounts, bundle, called, clause, expression, joined, parts, quoted
from edict.language.printing.lines import Line
from edict.language.printing.statements import block, headed, one_liner, require, simple
from edict.language.printing.statements import lines as statement_lines


def printed(node: t.Node | t.Block, depth: int = 0) -> list[Line]:
    """The lines of a definition, an ability, a field, a rule, a statement or a block."""
    if isinstance(node, tuple):
        return list(block(node, depth))
    if isinstance(node, t.Stmt):
        return list(statement_lines(node, depth))
    return list(_lines(node, depth))


def must_be_apart(above: list[Line], below: list[Line]) -> bool:
    """Whether an empty line must stand between two definitions.

    Those of one line, and things of one kind, may stand close together, as in a table.
    """
    one, other = above[0].node, below[0].node
    alike = isinstance(one, t.Thing) and isinstance(other, t.Thing) and one.kind.word == other.kind.word
    return not alike and len(above) + len(below) > 2


@singledispatch
def _lines(node: t.Node, depth: int) -> Iterator[Line]:
    yield Line(depth, simple(node), node)


def _named(word: str, definition: t.Definition) -> str:
    """`resource gold "gold"`: how most definitions begin."""
    return f"{word} {definition.name.word}{quoted(definition.title)}"


def _as_written(nodes: Iterable[t.Node]) -> list[t.Node]:
    """In the order of their places, if they come from one file; as given, if modules brought them together."""
    given = list(nodes)
    return sorted(given, key=lambda n: n.span) if len({n.span.file for n in given}) == 1 else given


# --- definitions of one line --------------------------------------------------------------


@_lines.register
def _(one: t.Resource, depth: int) -> Iterator[Line]:
    floor, limit = " may go below 0" * (one.floor is None), clause("limited to", one.limit, SUM)
    yield Line(depth, _named("resource", one) + floor + limit, one)


@_lines.register
def _(keep: t.Keep, depth: int) -> Iterator[Line]:
    start = clause("starting at", keep.start, SUM)
    marks = ", secret" * keep.secret + " but counted" * keep.counted + ", quiet" * keep.quiet
    word = "lasting keep" if keep.lasting else "keep"
    yield Line(depth, f"{_named(word, keep)}{_of(keep)} as {_type(keep.type)}{start}{marks}", keep)


@_lines.register
def _(one: t.Quantity, depth: int) -> Iterator[Line]:
    least = f",{clause('at least', one.at_least, SUM)}" if one.at_least is not None else ""
    most = f",{clause('at most', one.at_most, SUM)}" if one.at_most is not None else ""
    word = "value" if isinstance(one, t.Term) else "quantity"
    yield Line(depth, f"{_named(word, one)}{_of(one)} is {expression(one.value)}{least}{most}", one)


@_lines.register
def _(moment: t.Moment, depth: int) -> Iterator[Line]:
    yield Line(depth, _named("moment", moment) + _with(moment), moment)


@_lines.register
def _(setting: t.Setting, depth: int) -> Iterator[Line]:
    value = ("off", "on")[setting.value] if setting.truth else str(setting.value)
    yield Line(depth, f"{_named('setting', setting)} is {value}{_range(setting)}", setting)


@_lines.register
def _(removed: t.Remove_, depth: int) -> Iterator[Line]:
    yield Line(depth, f"remove {removed.kind.word} {removed.name.word}", removed)


def _of(one: t.Keep | t.Quantity) -> str:
    return " of " + joined([_param(p) for p in one.params], one.joints) if one.params else ""


def _with(one: t.Moment | t.Routine) -> str:
    return " with " + " and ".join(_param(p) for p in one.params) if one.params else ""


def _param(param: t.Param) -> str:
    return param.kind.word + (called("called", param.name) if param.name.word != param.kind.word else "")


def _range(one: t.TypeName | t.Setting) -> str:
    low, high = (one.lowest, one.highest) if isinstance(one, t.TypeName) else (None, None)
    ends = (low.word if low else one.low, high.word if high else one.high)
    return f" from {ends[0]} to {ends[1]}" if None not in ends else ""


def _type(one: t.TypeName) -> str:
    name = one.name.word if one.name else ""
    if one.shape == "thing":
        return name + " or none" * one.optional
    return f"{one.shape} of {name}" if name else one.shape + _range(one)


# --- definitions with blocks --------------------------------------------------------------


@_lines.register
def _(phase: t.Phase, depth: int) -> Iterator[Line]:
    yield Line(depth, _named("phase", phase), phase)
    yield from block(phase.block, depth + 1)


@_lines.register
def _(routine: t.Routine, depth: int) -> Iterator[Line]:
    yield Line(depth, _named("routine", routine) + _with(routine), routine)
    yield from block(routine.block, depth + 1)


@_lines.register
def _(kind: t.Kind, depth: int) -> Iterator[Line]:
    yield Line(depth, _named("kind", kind), kind)
    ends = [x for x in (kind.order, kind.works_if) if x is not None]
    for part in _as_written([*kind.fields, *ends, *kind.unique]):
        text = f"in order of {part.word}" if part is kind.order and isinstance(part, t.Name) else _kind_line(part)
        yield Line(depth + 1, text, part)


def _kind_line(part: t.Node) -> str:
    if isinstance(part, t.Expr):
        return f"works if {expression(part)}"
    if isinstance(part, t.Unique):
        return "unique " + ", ".join(field.word for field in part.fields)
    assert isinstance(part, t.FieldDef)
    if part.type is None:
        return f"{part.name.word}{quoted(part.title)}{clause('is', part.value)}{', shown' * part.shown}"
    marks = ", shown" * part.shown + ", optional" * part.optional
    return f"{part.name.word} {_type(part.type)}{quoted(part.title)}{marks}"


@_lines.register
def _(thing: t.Thing, depth: int) -> Iterator[Line]:
    yield Line(depth, _named(thing.kind.word, thing), thing)
    texts = [thing.text] if thing.text is not None else []
    for part in _as_written([*texts, *thing.fields, *thing.abilities]):
        yield from _lines(part, depth + 1)


@_lines.register
def _(table: t.Table, depth: int) -> Iterator[Line]:
    """Its columns stand below each other."""
    yield Line(depth, f"table of {table.kind.word} with {', '.join(name.word for name in table.columns)}", table)
    cells = [[f"{row.name.word}{quoted(row.title)}", *_cells(row)] for row in table.rows]
    widths = [max(map(len, column)) for column in zip_longest(*cells, fillvalue="")]
    for row, texts in zip(table.rows, cells, strict=True):
        padded = [text.ljust(width) for text, width in zip(texts, widths, strict=False)]
        yield Line(depth + 1, "  ".join(padded).rstrip(), row)


def _cells(row: t.Row) -> list[str]:
    """With the commas between them."""
    texts = ["-" if cell is None else _cell(cell) for cell in row.cells]
    return [f"{text}," for text in texts[:-1]] + texts[-1:]


def _cell(cell: t.FieldValue) -> str:
    if cell.amounts is not None:
        return bundle(cell.amounts)
    if cell.block is not None:
        return one_liner(cell.block)
    if isinstance(cell.expr, t.Listed) and cell.expr.bare:
        return " and ".join(expression(one, SUM) for one in cell.expr.members)
    return expression(cell.expr, SUM) if cell.expr is not None else f'"{cell.text}"'


@_lines.register
def _(one: t.Combinations, depth: int) -> Iterator[Line]:
    over = " and ".join(name.word for name in one.over)
    yield Line(depth, f"{one.kind.word} for each {over}{quoted(one.title)}", one)
    for field in one.fields:
        yield from _lines(field, depth + 1)


@_lines.register
def _(field: t.FieldValue, depth: int) -> Iterator[Line]:
    if field.block is not None and not one_liner(field.block):
        yield Line(depth, field.name.word, field)
        yield from block(field.block, depth + 1)
    else:
        yield Line(depth, f"{field.name.word} {_value(field)}", field)


def _value(field: t.FieldValue) -> str:
    if field.block is not None:
        return one_liner(field.block)
    if field.amounts is not None:
        return amounts(field.amounts)
    if isinstance(field.expr, t.Listed) and field.expr.bare:
        return ", ".join(expression(one) for one in field.expr.members)
    return expression(field.expr) if field.expr is not None else f'"{field.text}"'


@_lines.register
def _(action: t.Action, depth: int) -> Iterator[Line]:
    yield Line(depth, _named("action", action), action)
    payments = [action.payment] if action.payment else []
    for part in _as_written([*action.params, *payments, *action.spare, *action.rules]):
        yield from _lines(part, depth + 1)
    yield from headed("then", action.then, action, depth + 1)


@_lines.register
def _(rule: t.Rule, depth: int) -> Iterator[Line]:
    yield Line(depth, f"rule {rule.name.word}", rule)
    yield from require(rule, rule.require, depth + 1)


@_lines.register
def _(game: t.Game, depth: int) -> Iterator[Line]:
    yield Line(depth, _named("game", game), game)
    for word in dict.fromkeys([*game.lines, *_GAME_LINES]):
        if word == "course":
            yield from headed(word, game.course, game, depth + 1)
        else:
            yield from (Line(depth + 1, text, node) for text, node in _game_line(game, word))


def _game_line(game: t.Game, word: str) -> Iterator[tuple[str, t.Node]]:
    """Nothing, for a line that is not written."""
    if word == "players":
        if game.players is not None:
            yield f"players {game.low} to {game.high}", game.players
    elif word == "order":
        if game.order is not None:
            yield f"order {game.order.word}", game.order
    else:
        attribute, said = _GAME_VALUES[word]
        value = getattr(game, attribute)
        if value is not None:
            yield f"{said} {expression(value)}", value


_GAME_LINES = ("players", "order", "ask about gains", "winners", "score", "judge", "course")
_GAME_VALUES = {
    "ask about gains": ("ask_gains", "ask about gains if"),
    "winners": ("winners", "winners"),
    "score": ("score", "score"),
    "judge": ("judge", "judge by"),
}


@_lines.register
def _(display: t.Display, depth: int) -> Iterator[Line]:
    yield Line(depth, _named("display", display), display)
    ends = [x for x in (display.each, display.rows, display.columns_by) if x is not None]
    marks = [display.mark] if display.mark is not None else []
    for part in _as_written([*ends, *display.lines, *display.columns, *marks]):
        yield Line(depth + 1, _display_line(display, part), part)


def _display_line(display: t.Display, part: t.Node) -> str:
    if part is display.each:
        return f"each {display.each.word}{clause('in', display.among, SUM)}{clause('if', display.condition)}"
    if part is display.rows:
        return f"rows {expression(display.rows)}"
    if part is display.columns_by:
        return f"columns {expression(display.columns_by)}"
    if part is display.mark:
        return f"mark{quoted(display.marked)}{clause('if', display.mark)}"
    assert isinstance(part, t.Column)
    is_line = any(part is line for line in display.lines)
    said = f"{parts(part.parts)}{clause('if', part.condition)}"
    return f"line {said}" if is_line else f'column "{part.title}" {said}'


@_lines.register
def _(amend: t.Amend, depth: int) -> Iterator[Line]:
    first, *rest = _lines(amend.definition, depth)
    yield Line(depth, ("rewrite " if amend.whole else "amend ") + first.text, first.node)
    yield from rest


@_lines.register
def _(one: t.Standalone, depth: int) -> Iterator[Line]:
    if one.name.word and isinstance(one.ability, t.Exception_):
        yield from exception_lines(one.ability, f"{_named('exception', one)} to", depth)
    else:
        yield from ability_lines(one.ability, depth)


@_lines.register
def _(ability: t.Ability, depth: int) -> Iterator[Line]:
    yield from ability_lines(ability, depth)
