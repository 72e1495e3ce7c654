"""The pass `lower`: compiles a linked book to machine code and evaluates before play all that is constant."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import prod

from edict.compiler.codegen.core import Procedure
from edict.compiler.codegen.emit import CodeTooLarge, EndlessRecursion, UnsavedRecursion
from edict.compiler.english.calendar import list_stages
from edict.compiler.lowering import (  # noqa: F401 (register)
    actions,
    chance_lowering,
    expression_lowering,
    moment_lowering,
    routine_lowering,
    statement_lowering,
)
from edict.compiler.lowering.asks import value_bounds
from edict.compiler.lowering.block_lowering import lower_block, seat_order
from edict.compiler.lowering.containers import update_public_count
from edict.compiler.lowering.context import EVERYONE, Context, rule_of
from edict.compiler.lowering.presentation import (
    DisplayQueries,
    add_measures,
    find_reports,
    iter_assertions,
    request_panels,
    resolve_queries,
)
from edict.compiler.lowering.program_wording import build_kinds, build_settings
from edict.compiler.lowering.quantity_lowering import resolve_periods
from edict.compiler.lowering.routine_lowering import resolve_carriers, resolve_entries, resolve_entry_params
from edict.compiler.lowering.value_lowering import StorageLocation, lower_value
from edict.compiler.semantics.link import LinkedBook
from edict.compiler.semantics.possible_values import is_never_empty
from edict.compiler.sources.folders import Module
from edict.compiler.sources.input_limits import MOST_CODE, count_signs
from edict.compiler.sources.work_budget import LOWERING, spend
from edict.runtime.program import Fork, Program
from edict.runtime.program import opcodes as o
from edict.runtime.program.reasons import Assertion
from edict.support.records import dataclass
from edict.support.report import Diagnostic, Label, Outcome, RulesError
from edict.support.text import Span

STACK_SIZE = 120  # cells for return addresses
RECURSIVE_STACK_SIZE = 900  # cells of the stack if procedures are recursive and save their cells


def lower(
    linked: LinkedBook, modules: tuple[Module, ...] = (), rules_hash: str = "", optimized: bool = True
) -> Outcome[Program]:
    """Compile a linked book to a program.

    Args:
        linked: The linked book.
        modules: The modules it was read from.
        rules_hash: The hash of the rules.
        optimized: Optimize the code, which takes as long as the rest of the pass and reports no errors.

    Returns:
        The program, or a diagnostic if rules call themselves without end or a constant depends on play.
    """
    return emit(linked, modules, rules_hash, optimized).and_then(lambda emitted: Outcome(emitted.build_program()))


@dataclass(frozen=True)
class EmittedRules:
    """The code of some rules, from which their program can be built."""

    context: Context
    code: tuple[int, ...]
    shown: DisplayQueries
    modules: tuple[Module, ...]
    rules_hash: str
    stack: int

    def build_program(self) -> Program:
        """Return the program; the emitted rules must not be used again."""
        return _build_program(self.context, self.code, self.shown, self.modules, self.rules_hash, self.stack)


def emit(
    linked: LinkedBook,
    modules: tuple[Module, ...],
    rules_hash: str,
    optimized: bool = True,
    asserted: list[Assertion] | None = None,
) -> Outcome[EmittedRules]:
    """Compile a linked book to code, which finds all errors of the pass; a check needs no more.

    Args:
        linked: The linked book.
        modules: The modules it was read from.
        rules_hash: The hash of the rules.
        optimized: See `lower`.
        asserted: The rules' assertions are compiled and appended to it unless it is None.
    """
    try:
        spend(LOWERING * sum(count_signs(source) for module in modules for source in module.sources))
        c, code, shown = _emit(linked, modules, {}, optimized, asserted)
    except EndlessRecursion as recursion:
        return Outcome(None, (_recursion_diagnostic(linked, recursion),))
    except RulesError as error:
        return Outcome(None, error.diagnostics)
    stack = len(c.code.initial)
    c.code.initial.extend([0] * (RECURSIVE_STACK_SIZE if c.writer.cycles else STACK_SIZE))
    c.code.initial[o.FACES] = c.code.dice_faces.at
    c.code.initial[o.STACK] = c.code.initial[o.SP] = stack
    return Outcome(EmittedRules(c, code, shown, modules, rules_hash, stack))


def lower_with_assertions(
    linked: LinkedBook, modules: tuple[Module, ...], rules_hash: str
) -> Outcome[tuple[Program, tuple[Assertion, ...]]]:
    """Compile a book together with its assertions, whose code the program never runs in play."""
    asserted: list[Assertion] = []
    outcome = emit(linked, modules, rules_hash, asserted=asserted)
    return outcome.and_then(lambda emitted: Outcome((emitted.build_program(), tuple(asserted))))


def _build_program(
    c: Context, code: tuple[int, ...], shown: DisplayQueries, modules: tuple[Module, ...], rules_hash: str, stack: int
) -> Program:
    """Assemble the program. Causes come last because earlier parts still add some."""
    linked, game, (score, judge, panels) = c.linked, c.linked.game, shown
    reset_periods = resolve_periods(c)
    return Program(
        name=game.name.word,
        title=game.title or game.name.word,
        rules_hash=rules_hash,
        version=next((m.manifest.version for m in modules if m.manifest.kind == "game"), ""),
        modules=tuple(m.name for m in modules),
        renamed=tuple(pair for m in modules for pair in m.manifest.renamed),
        least_players=game.low,
        most_players=game.high,
        code=code,
        initial=tuple(c.code.initial),
        stack=stack,
        entry=0,
        entries=resolve_entries(c),
        brought=resolve_entry_params(c),
        carriers=resolve_carriers(c),
        working=min((frame.base for frame in c.code.frames), default=stack),
        kinds=build_kinds(linked, c.constants),
        variables=c.layout.variables,
        settings=build_settings(linked, c.layout),
        dice=c.layout.dice,
        shifts=dict(c.parts.shift_words),
        questions=tuple(c.parts.questions),
        says=tuple(c.parts.says),
        phases=tuple((name, linked.resolved.require_definition(name).title or name) for name in c.layout.phases),
        quantities=tuple((name, linked.resolved.require_definition(name).title or name) for name in c.quantities),
        stages=list_stages(linked),
        scores=value_bounds(linked.typed, game.score),
        certain=is_never_empty(c.resolved, game.winners),
        periods=reset_periods,
        panels=panels,
        queries=resolve_queries(c),
        score=score,
        judge=judge,
        order=c.layout.keeps[c.symbol_of(game.order).name].base,
        causes=tuple(c.parts.causes),
        places=tuple(c.code.places),
        forks=tuple(Fork(at, *fork) for at, fork in sorted(c.code.forks.items())),
        reasons=replace(c.parts.build_reasons(), reports=find_reports(c)),
        constants=tuple(sorted({o.WIDTH, o.FACES, o.FIELDS, o.ROOM, *c.code.numbers})),
        tables=tuple((label.at, len(values)) for values, label in c.code.tables.items()),
    )


def _emit(
    linked: LinkedBook,
    modules: tuple[Module, ...],
    cycles: Mapping[str, int],
    optimized: bool,
    asserted: list[Assertion] | None,
) -> tuple[Context, tuple[int, ...], DisplayQueries]:
    """Emit all code; emit it again with cells saved on the stack if some procedures turn out to be recursive."""
    c = Context(linked, modules, cycles, optimized)
    try:
        shown = _emit_all(c, asserted)
        return c, c.code.assemble(cycles), shown
    except UnsavedRecursion as recursion:
        return _emit(linked, modules, recursion.names, optimized, asserted)
    except CodeTooLarge as overflow:
        raise RulesError([_code_size_diagnostic(c, overflow)]) from None


def _emit_all(c: Context, asserted: list[Assertion] | None) -> DisplayQueries:
    """Emit the whole program, and request all panels, measures, assertions, routines and effects beside it."""
    game = c.linked.game
    c.emit_entry(_emit_start, rule_of(game))
    shown = request_panels(c)
    add_measures(c)
    if asserted is not None:
        asserted[:] = iter_assertions(c)
    routine_lowering.request_all(c)
    c.emit_procedures()
    return shown


def _code_size_diagnostic(c: Context, overflow: CodeTooLarge) -> Diagnostic:
    """Build E0710 for rules whose code is too large, at the rule that was being emitted then."""
    cause = c.parts.causes[overflow.cause]
    place = Span(cause.file, cause.line, cause.column, cause.line, cause.column + 1)
    return Diagnostic(
        "E0710",
        "these rules are too large to be compiled",
        place,
        note=f"A program may have {MOST_CODE:,} numbers, and this one has more.",
        help="move repeated parts into a `routine` or a `quantity`, which is compiled once",
    )


def _emit_start(c: Context, _: Procedure) -> None:
    """Emit the entry procedure, which sets up the table and plays the game."""
    game = c.linked.game
    c.add_call(c.request_procedure(("table",), 0, _emit_setup, rule_of(game)))
    c.add_call(c.request_procedure(("course",), 0, _emit_course, rule_of(game)))


def _emit_course(c: Context, _: Procedure) -> None:
    """Emit the course and the end of the game; a game that starts from given values enters here."""
    game = c.linked.game
    lower_block(c, game.course)
    c.add_call(c.request_procedure(("ending",), 0, statement_lowering.lower_game_end, rule_of(game)))


def _emit_setup(c: Context, _: Procedure) -> None:
    """Emit the seat order and the initial values of all keeps."""
    _emit_seat_order(c)
    for home in c.layout.keeps.values():
        if home.keep.start is not None:
            with c.with_rule(*rule_of(home.keep)):
                start = c.evaluate_once(lower_value(c, home.keep.start))
                for offset in range(prod(home.sizes)):
                    address, cells = home.base + offset * home.type.cells, home.type.cells
                    c.store_silently(address, start, cells=cells)
                    update_public_count(c, StorageLocation(address, None, home))


def _emit_seat_order(c: Context) -> None:
    """Emit the initial order of players by seat number."""
    with c.loop_over_members(EVERYONE) as seat:
        c.add_step(o.PUSHO, seat_order(c), seat, seat)


_STEP_RECURSION_HELP = "let a player decide (`may`), let it happen `once per` phase, do it `2 times`, or use `repeat`"
_NUMBER_RECURSION_HELP = (
    "a number cannot depend on itself: to change it, `adjust` it with `times 2`, `divided by 2` or `by 1`"
)


def _recursion_diagnostic(linked: LinkedBook, recursion: EndlessRecursion) -> Diagnostic:
    """Build the diagnostic of an endless recursion; moments come first because they are to blame."""
    abilities = {
        f"When@{attached.ability.span}": (edge, attached)
        for edge, abilities in linked.whens.items()
        for attached in abilities
    }
    descriptions, spans, ability_spans = list[str](), list[Span](), list[Span]()
    is_numeric = True
    for frame in recursion.frames:
        name, edge = _parse_procedure_name(frame.name)
        is_numeric &= frame.name.startswith("quantity ")
        if name in abilities:
            moment, attached = abilities[name]
            descriptions.append(f"when {_format_moment(*moment)}")
            ability_spans.append(attached.ability.span)
        else:
            descriptions.append(_format_moment(name, edge))
            definition = linked.resolved.book.definitions.get(name)
            spans += [definition.span] if definition is not None else []
    places = list(dict.fromkeys((*ability_spans, *spans)))
    return Diagnostic(
        "E0601",
        "these rules call each other without end: " + " calls ".join(f"`{attached}`" for attached in descriptions),
        places[0] if places else linked.game.span,
        labels=tuple(Label(span, "this one too") for span in places[1:]),
        help=_NUMBER_RECURSION_HELP if is_numeric else _STEP_RECURSION_HELP,
    )


def _parse_procedure_name(name: str) -> tuple[str, str]:
    """Split a procedure's name into the name of its rule and the moment, if any."""
    parts = [*name.split(" "), "", ""]
    prefixes = ("phase", "routine", "quantity", "action", "moment", "supply")
    if parts[0] in prefixes:
        return (parts[1], parts[2] if parts[0] == "moment" else "")
    return (parts[0], "")


def _format_moment(name: str, moment: str) -> str:
    """Format a rule and its moment, such as `gaining wood` or `start of winter`; the rule alone without a moment."""
    if moment in ("start", "end"):
        return f"{moment} of {name}"
    return f"{moment} {name}".strip()


__all__ = ["EmittedRules", "emit", "lower", "lower_with_assertions"]
