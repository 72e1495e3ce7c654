"""The program's data beside its code, with panels, queries, measures and assertions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product

from edict.compiler.codegen import core
from edict.compiler.codegen.core import Const, CoreExpr, Procedure
from edict.compiler.english import describe
from edict.compiler.lowering.asks import ReasonScope
from edict.compiler.lowering.constants import iter_hexagonal_grids
from edict.compiler.lowering.containers import order_position
from edict.compiler.lowering.context import Context, member_mask
from edict.compiler.lowering.expression_lowering import public_count
from edict.compiler.lowering.layout import singular_and_plural
from edict.compiler.lowering.program_reasons import add_check, source_text
from edict.compiler.lowering.quantity_lowering import is_constant_quantity, quantity_procedure, split_sum
from edict.compiler.lowering.value_lowering import lower_condition, lower_value, lower_without_coercion
from edict.compiler.semantics.announcements import find_announced_steps, find_requested_panels
from edict.compiler.semantics.symbols import NUMBER, TRUTH, keep_of
from edict.compiler.semantics.types import param_type
from edict.compiler.syntax import tree as t
from edict.runtime.program import LinkedPanelPart, Panel, PanelLine, Query, ValueType
from edict.runtime.program import opcodes as o
from edict.runtime.program.reasons import Assertion, ComputedQuantity

DisplayQueries = tuple[int, int, tuple[Panel, ...]]  # queries of score and judgement (-1 is none), and the panels


def request_panels(c: Context) -> DisplayQueries:
    """Request the queries of the score, the judgement (-1 if none) and all panels, and return their numbers."""
    game = c.linked.game
    score = _add_value_query(c, game.score, ())
    judge = _add_value_query(c, game.judge, ()) if game.judge is not None else -1
    requested = find_requested_panels(c.resolved)
    panels = (_build_panel(c, display, display.name.word in requested) for display in c.resolved.book.select(t.Display))
    return score, judge, tuple(panels)


def resolve_queries(c: Context) -> tuple[Query, ...]:
    """Return all queries with their addresses; call it after assembly."""
    address_of = c.writer.address
    return tuple(
        Query(
            entry=c.writer.frames[pending.procedure].entry.at,
            params=tuple(address_of(param) for param in pending.procedure.params) or (o.YOU,),
            result=address_of(pending.procedure.result),
            type=pending.type,
        )
        for pending in c.parts.queries
    )


def find_reports(c: Context) -> tuple[tuple[int, int, str], ...]:
    """Return the cause of each announcement, the cause of the step it reports, and the variable."""
    causes: dict[tuple[str, int, int], list[int]] = {}
    for number, cause in enumerate(c.parts.causes):
        causes.setdefault((cause.file, cause.line, cause.column), []).append(number)

    def causes_at(node: t.Node) -> list[int]:
        """Return the numbers of all causes at the file, line and column of a node."""
        return causes.get((node.span.file, node.span.line, node.span.column), [])

    roots = (*c.resolved.book.definitions.values(), *(attached.ability for attached in c.linked.held))
    found = set[tuple[int, int, str]]()
    for report in find_announced_steps(c.typed, roots):
        for announcement, step in product(causes_at(report.announcement), causes_at(report.step)):
            found.add((announcement, step, report.name))
    return tuple(sorted(found))


def _bind_params(c: Context, p: Procedure, binders: Sequence[t.Node]) -> None:
    """Bind the parameters of a query by name; a player is also `you`."""
    for node, param in zip(binders, p.params, strict=True):
        c.bind(node, param)
        if c.typed.locals[c.resolved.binds[node]] == ValueType("thing", "player"):
            c.store_silently(o.YOU, param)


def _add_query(
    c: Context,
    key: tuple[object, ...],
    binders: Sequence[t.Node],
    node: t.Node,
    result_type: ValueType,
    read: Callable[[Context, Procedure], CoreExpr],
) -> int:
    """Add a query; the locals of `binders` are its parameters."""

    def body(ctx: Context, p: Procedure) -> None:
        """Lower the query's procedure: bind its parameters and store the value read."""
        _bind_params(ctx, p, binders)
        ctx.set(p.result, read(ctx, p))

    procedure = c.request_procedure(key, len(binders), body, ("display", "display", node.span), result_type=result_type)
    return c.parts.add_query(procedure, c.with_cell_count(result_type))


def _add_value_query(c: Context, expr: t.Expr, binders: Sequence[t.Node]) -> int:
    """Add the query that computes an expression for values of the binders' locals; return its number."""
    return _add_query(c, ("query", expr), binders, expr, c.type_of(expr), lambda ctx, _: lower_value(ctx, expr))


def _add_row_condition(c: Context, display: t.Display, binders: Sequence[t.Node]) -> int:
    """Add the query whether a panel shows a thing or resource; -1 if it shows all."""
    condition_expr, set_expr, row_symbol = (
        display.condition,
        display.among,
        c.symbol_of(display.each) if display.each else None,
    )
    group = (
        member_mask(c.linked.resource_indexes(row_symbol.name))
        if row_symbol is not None and row_symbol.sort == "group"
        else None
    )
    if condition_expr is None and set_expr is None and group is None:
        return -1

    def read(ctx: Context, p: Procedure) -> CoreExpr:
        """Return 1 if the row is in the panel's set and group and meets its condition, else 0."""
        members = [] if set_expr is None else [ctx.evaluate_once(lower_value(ctx, set_expr))]
        memberships = [
            core.Compare("in", p.params[0], member_set) for member_set in (*members, *([group] if group else []))
        ]
        return core.TruthValue(
            core.All((*memberships, *([] if condition_expr is None else [lower_condition(ctx, condition_expr)])))
        )

    return _add_query(c, ("members", display), binders, display, TRUTH, read)


def _add_row_position(c: Context, display: t.Display) -> int:
    """Add the query for the position of a thing in the panel's order; -1 if rows follow the kind's order."""
    order_expr = display.among
    if order_expr is None or c.resolved.types[order_expr].shape != "order":
        return -1

    def read(ctx: Context, p: Procedure) -> CoreExpr:
        """Return the position of the row's thing in the panel's order, from 1; 0 if it is not in it."""
        return order_position(ctx, p.params[0], lower_without_coercion(ctx, order_expr))

    return _add_query(c, ("placed", display), [display], display, NUMBER, read)


def _build_panel(c: Context, display: t.Display, is_private: bool) -> Panel:
    """Build the data of a panel as lines, rows or a grid; `is_private` if it is shown only on request."""
    grid = display.rows is not None
    binders: list[t.Node] = [display] if display.each is not None else []
    if display.rows is not None:
        binders.append(display.rows)

    def ask(expr: t.Expr | None) -> int:
        """Add a query for an expression of the panel; -1 for None."""
        return _add_value_query(c, expr, binders) if expr is not None else -1

    row_symbol = c.symbol_of(display.each) if display.each is not None else None
    group = row_symbol is not None and row_symbol.sort == "group"
    shape = "grid" if grid else "rows" if display.each is not None else "lines"
    columns, above = (display.columns, display.lines) if display.each is not None else (display.lines, ())
    return Panel(
        name=display.name.word,
        title=singular_and_plural(display.title, "")[0],
        shape=shape,
        kind="resource" if group else row_symbol.name if row_symbol is not None else "",
        lines=tuple(_build_line(c, line, binders) for line in columns),
        condition=_add_row_condition(c, display, binders),
        rows=ask(display.rows) if grid else _add_row_position(c, display),
        columns=ask(display.columns_by),
        mark=ask(display.mark),
        marked=display.marked,
        looked=is_private,
        above=tuple(_build_line(c, line, []) for line in above),
        staggered=grid and _is_hexagonal(c, display),
    )


def _is_hexagonal(c: Context, display: t.Display) -> bool:
    """Return True if a panel's coordinates are the fields of a hexagonal grid."""
    coordinate_fields = [
        c.symbol_of(coordinate.head)
        for coordinate in (display.rows, display.columns_by)
        if isinstance(coordinate, t.Apply)
    ]
    return any(
        [c.symbol_of(coordinate.row), c.symbol_of(coordinate.file)] == coordinate_fields
        for coordinate in iter_hexagonal_grids(c.resolved.book)
    )


def _build_line(c: Context, line: t.PanelPart, binders: list[t.Node]) -> PanelLine:
    """Build a line or column of a panel from its parts, with its condition as a query; -1 if it has none."""
    condition = _add_value_query(c, line.condition, binders) if line.condition is not None else -1
    return PanelLine(line.title, tuple(_build_part(c, part, binders) for part in line.parts), condition)


def _build_part(c: Context, part: str | t.Expr, binders: list[t.Node]) -> LinkedPanelPart:
    """Build one part of a line: a text, or a query of a value and of its public count."""
    if isinstance(part, str):
        return LinkedPanelPart(part, -1)
    return LinkedPanelPart("", _add_value_query(c, part, binders), _add_count_query(c, part, binders))


def _add_count_query(c: Context, part: t.Expr, binders: list[t.Node]) -> int:
    """Add the query for the public count of a secret; -1 if it has none."""
    keep = keep_of(c.resolved, part)
    if keep is None or not keep.counted:
        return -1
    return _add_query(c, ("how many", part), binders, part, NUMBER, lambda ctx, _: public_count(ctx, part) or Const(0))


# --- quantities ------------------------------------------------------------------------------------


def add_measures(c: Context) -> None:
    """Add a measure for every quantity and value."""
    for quantity in c.resolved.book.definitions.values():
        if isinstance(quantity, t.Term):
            c.parts.values.append(_build_measure(c, quantity))
        elif isinstance(quantity, t.Quantity):
            c.parts.measures.append(_build_measure(c, quantity))
            _add_formula_texts(c, quantity)


def _build_measure(c: Context, quantity: t.Quantity) -> ComputedQuantity:
    """Build the measure of a quantity: its value if it is constant, else a query."""
    name, title = quantity.name.word, quantity.title or quantity.name.word
    kinds = tuple(param_type(c.resolved, p).kind for p in quantity.params)
    player_param = kinds.index("player") if "player" in kinds else -1
    cause = c.add_cause(name, title, quantity.span)
    if is_constant_quantity(c, quantity):
        return ComputedQuantity(name, title, kinds, player_param, -1, cause, c.constants.evaluate(quantity.value))
    query = c.parts.add_query(quantity_procedure(c, quantity, False), c.with_cell_count(c.type_of(quantity.value)))
    return ComputedQuantity(name, title, kinds, player_param, query, cause)


# --- assertions -------------------------------------------------------------------------------------


def iter_assertions(c: Context) -> Iterator[Assertion]:
    """Iterate over the rules' assertions, which are tested between two answers."""
    for definition in c.resolved.book.select(t.Assert):
        yield _build_assertion(c, definition)


def _build_assertion(c: Context, definition: t.Assert) -> Assertion:
    """Build an assertion with its check and query, or the variables that it watches; add its cause."""
    rule = (definition.name.word, definition.title)
    condition_expr, check_number, query = definition.condition, -1, -1
    if condition_expr is not None:
        check_number = add_check(c, condition_expr, ReasonScope(rule))
        query = _add_query(
            c,
            ("assert", definition),
            (),
            condition_expr,
            TRUTH,
            lambda ctx, _: core.TruthValue(lower_condition(ctx, condition_expr)),
        )
    edge, variables = (
        (definition.edge, _list_watched_variables(c, definition)) if isinstance(definition, t.AssertNever) else ("", ())
    )
    return Assertion(*rule, c.add_cause(*rule, definition.span), check_number, query, edge, variables)


def _list_watched_variables(c: Context, never: t.AssertNever) -> tuple[str, ...]:
    """Return the names of the variables that an assertion watches."""
    symbol = c.symbol_of(never.moment)
    if symbol.sort == "keep":
        return (symbol.name,)
    return tuple(c.linked.resources[number].name.word for number in c.linked.resource_indexes(symbol.name))


def _add_formula_texts(c: Context, quantity: t.Quantity) -> None:
    """Add the texts of a formula's parts and of the conditions of its adjustments."""
    name, title = quantity.name.word, quantity.title or quantity.name.word
    for part in iter_terms(quantity.value):
        c.parts.parts[c.add_cause(name, title, part.span)] = source_text(c, part, ReasonScope((name, title)))
    for attached in c.linked.adjusts.get(name, ()):
        condition = getattr(attached.ability, "condition", None)
        if condition is not None:
            number = c.add_cause(attached.name, attached.title, attached.ability.span)
            c.parts.when[number] = describe(c.resolved, condition)


def iter_terms(expr: t.Expr) -> Iterator[t.Expr]:
    """Iterate over the terms of a sum; other expressions are one term."""
    parts = split_sum(expr)
    if parts is None:
        yield expr
    else:
        _, left, right = parts
        yield from iter_terms(left)
        yield from iter_terms(right)
