"""What a program says beside its code: what its panels, scores and quantities ask, and the words for all there is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from edict.compiler.codegen import core
from edict.compiler.codegen.core import Const, Expr, Procedure
from edict.compiler.lowering.asks import Scope
from edict.compiler.lowering.constants import hexagonal_grids
from edict.compiler.lowering.containers import position_in
from edict.compiler.lowering.context import Context, mask
from edict.compiler.lowering.expression_lowering import seen_count
from edict.compiler.lowering.layout import singular_and_plural
from edict.compiler.lowering.program_reasons import check, spelled
from edict.compiler.lowering.program_wording import condition_text
from edict.compiler.lowering.quantities import is_fixed, quantity_procedure, terms
from edict.compiler.lowering.value_lowering import condition, uncoerced, value
from edict.compiler.semantics.announcements import find_reported
from edict.compiler.semantics.declared_panels import displays, looked_at
from edict.compiler.semantics.symbols import NUMBER, TRUTH, keep_of
from edict.compiler.semantics.types import param_type
from edict.compiler.syntax import tree as t
from edict.runtime.program import Panel, PanelLine, PanelPart, Query, Type
from edict.runtime.program import opcodes as o
from edict.runtime.program.reasons import Assertion, Measure

Shown = tuple[int, int, tuple[Panel, ...]]
"""The queries of score and judgement (-1: none), and the panels."""


def write_panels(c: Context) -> Shown:
    """Ask for the procedures of all of these."""
    game = c.linked.game
    score = _query(c, game.score, ())
    judge = _query(c, game.judge, ()) if game.judge is not None else -1
    looked = looked_at(c.resolved)
    return score, judge, tuple(_panel(c, d, d.name.word in looked) for d in displays(c.resolved))


def queries(c: Context) -> tuple[Query, ...]:
    """After assembly: where each query begins and what it reads and gives."""
    where = c.writer.address
    return tuple(
        Query(
            entry=c.writer.frames[q.procedure].entry.at,
            params=tuple(where(param) for param in q.procedure.params) or (o.YOU,),
            result=where(q.procedure.result),
            type=q.type,
        )
        for q in c.parts.queries
    )


def reports(c: Context) -> tuple[tuple[int, int, str], ...]:
    """Return what each announcement reports: its cause, the cause of the step, and the variable."""
    causes: dict[tuple[str, int, int], list[int]] = {}
    for number, cause in enumerate(c.parts.causes):
        causes.setdefault((cause.file, cause.line, cause.column), []).append(number)

    def at(node: t.Node) -> list[int]:
        return causes.get((node.span.file, node.span.line, node.span.column), [])

    roots = (*c.resolved.book.definitions.values(), *(attached.ability for attached in c.linked.held))
    found = list(find_reported(c.typed, roots))
    pairs = ((said, step, one.name) for one in found for said in at(one.announcement) for step in at(one.step))
    return tuple(sorted(set(pairs)))


def _bound(c: Context, p: Procedure, binders: Sequence[t.Node]) -> None:
    """What a query is asked about goes by its name; a player is `you`."""
    for node, param in zip(binders, p.params, strict=True):
        c.bind(node, param)
        if c.typed.locals[c.resolved.binds[node]] == Type("thing", "player"):
            c.put(o.YOU, param)


def _asked(
    c: Context,
    key: tuple[object, ...],
    binders: Sequence[t.Node],
    of: t.Node,
    gives: Type,
    read: Callable[[Context, Procedure], Expr],
) -> int:
    """A query; `binders`: the nodes whose local names are the parameters, in order."""

    def body(c2: Context, p: Procedure) -> None:
        _bound(c2, p, binders)
        c2.set(p.result, read(c2, p))

    procedure = c.procedure(key, len(binders), body, ("display", "display", of.span), gives=gives)
    return c.parts.query(procedure, c.sized(gives))


def _query(c: Context, expr: t.Expr, binders: Sequence[t.Node]) -> int:
    return _asked(c, ("query", expr), binders, expr, c.type(expr), lambda c2, _: value(c2, expr))


def _shown(c: Context, display: t.Display, binders: Sequence[t.Node]) -> int:
    """Which things or resources a panel shows: those of its group and of its set, if they meet its condition."""
    wanted, among, over = display.condition, display.among, c.symbol(display.each) if display.each else None
    group = mask(c.linked.members(over.name)) if over is not None and over.sort == "group" else None
    if wanted is None and among is None and group is None:
        return -1

    def read(c2: Context, p: Procedure) -> Expr:
        members = [] if among is None else [c2.once(value(c2, among))]
        there = [core.Compare("in", p.params[0], each) for each in (*members, *([group] if group else []))]
        return core.Truth(core.All((*there, *([] if wanted is None else [condition(c2, wanted)]))))

    return _asked(c, ("members", display), binders, display, TRUTH, read)


def _placed(c: Context, display: t.Display) -> int:
    """Where in its order a panel shows a thing; -1 where it shows things in the order of their kind."""
    among = display.among
    if among is None or c.resolved.types[among].shape != "order":
        return -1

    def read(c2: Context, p: Procedure) -> Expr:
        return position_in(c2, p.params[0], uncoerced(c2, among))

    return _asked(c, ("placed", display), [display], display, NUMBER, read)


def _panel(c: Context, display: t.Display, looked: bool) -> Panel:
    grid = display.rows is not None
    binders: list[t.Node] = [display] if display.each is not None else []
    if display.rows is not None:
        binders.append(display.rows)

    def ask(expr: t.Expr | None) -> int:
        return _query(c, expr, binders) if expr is not None else -1

    over = c.symbol(display.each) if display.each is not None else None
    group = over is not None and over.sort == "group"
    shape = "grid" if grid else "rows" if display.each is not None else "lines"
    columns, above = (display.columns, display.lines) if display.each is not None else (display.lines, ())
    return Panel(
        name=display.name.word,
        title=singular_and_plural(display.title, "")[0],
        shape=shape,
        kind="resource" if group else over.name if over is not None else "",
        lines=tuple(_line(c, line, binders) for line in columns),
        condition=_shown(c, display, binders),
        rows=ask(display.rows) if grid else _placed(c, display),
        columns=ask(display.columns_by),
        mark=ask(display.mark),
        marked=display.marked,
        looked=looked,
        above=tuple(_line(c, line, []) for line in above),
        staggered=grid and _is_hexagonal(c, display),
    )


def _is_hexagonal(c: Context, display: t.Display) -> bool:
    """Whether a panel's rows and columns are the fields by which its things lie on a hexagonal grid."""
    placing = [c.symbol(one.head) for one in (display.rows, display.columns_by) if isinstance(one, t.Apply)]
    return any([c.symbol(one.row), c.symbol(one.file)] == placing for one in hexagonal_grids(c.resolved.book))


def _line(c: Context, line: t.PanelPart, binders: list[t.Node]) -> PanelLine:
    wanted = _query(c, line.condition, binders) if line.condition is not None else -1
    return PanelLine(line.title, tuple(_part(c, part, binders) for part in line.parts), wanted)


def _part(c: Context, part: str | t.Expr, binders: list[t.Node]) -> PanelPart:
    if isinstance(part, str):
        return PanelPart(part, -1)
    return PanelPart("", _query(c, part, binders), _how_many(c, part, binders))


def _how_many(c: Context, part: t.Expr, binders: list[t.Node]) -> int:
    """Of a secret whose number everybody may know: a query for that number."""
    keep = keep_of(c.resolved, part)
    if keep is None or not keep.counted:
        return -1
    return _asked(c, ("how many", part), binders, part, NUMBER, lambda c2, _: seen_count(c2, part) or Const(0))


# --- quantities, to be worked out whenever somebody asks -------------------------------------------


def measures(c: Context) -> None:
    """Every quantity and value, to be worked out whenever somebody asks."""
    for quantity in c.resolved.book.definitions.values():
        if isinstance(quantity, t.Term):
            c.parts.values.append(_measure(c, quantity))
        elif isinstance(quantity, t.Quantity):
            c.parts.measures.append(_measure(c, quantity))
            _name_parts(c, quantity)


def _measure(c: Context, quantity: t.Quantity) -> Measure:
    name, title = quantity.name.word, quantity.title or quantity.name.word
    kinds = tuple(param_type(c.resolved, p).kind for p in quantity.params)
    you = kinds.index("player") if "player" in kinds else -1
    cause = c.add_cause(name, title, quantity.span)
    if is_fixed(c, quantity):
        return Measure(name, title, kinds, you, -1, cause, c.constants.value(quantity.value))
    query = c.parts.query(quantity_procedure(c, quantity, False), c.sized(c.type(quantity.value)))
    return Measure(name, title, kinds, you, query, cause)


# --- what always holds ------------------------------------------------------------------------------


def assertions(c: Context) -> Iterator[Assertion]:
    """What the rules assert, to be looked at between two answers."""
    for one in c.resolved.book.definitions.values():
        if isinstance(one, t.Assert):
            yield _assertion(c, one)


def _assertion(c: Context, one: t.Assert) -> Assertion:
    rule = (one.name.word, one.title)
    wanted, held, asked = one.condition, -1, -1
    if wanted is not None:
        held = check(c, wanted, Scope(rule))
        asked = _asked(c, ("assert", one), (), wanted, TRUTH, lambda c2, _: core.Truth(condition(c2, wanted)))
    edge, of = (one.edge, _kept(c, one)) if isinstance(one, t.AssertNever) else ("", ())
    return Assertion(*rule, c.add_cause(*rule, one.span), held, asked, edge, of)


def _kept(c: Context, never: t.AssertNever) -> tuple[str, ...]:
    """The names under which a state has what this is about."""
    about = c.symbol(never.moment)
    if about.sort == "keep":
        return (about.name,)
    return tuple(c.linked.resources[number].name.word for number in c.linked.members(about.name))


def _name_parts(c: Context, quantity: t.Quantity) -> None:
    """The texts of the parts of its formula, and the conditions of what adjusts it."""
    name, title = quantity.name.word, quantity.title or quantity.name.word
    for part in formula(quantity.value):
        c.parts.parts[c.add_cause(name, title, part.span)] = spelled(c, part, Scope((name, title)))
    for held in c.linked.adjusts.get(name, ()):
        condition = getattr(held.ability, "condition", None)
        if condition is not None:
            number = c.add_cause(held.name, held.title, held.ability.span)
            c.parts.when[number] = condition_text(c.resolved, condition)


def formula(expr: t.Expr) -> Iterator[t.Expr]:
    """The parts of a sum, if it is one."""
    parts = terms(expr)
    if parts is None:
        yield expr
    else:
        _, left, right = parts
        yield from formula(left)
        yield from formula(right)
