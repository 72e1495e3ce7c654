"""The pass `lower`: a linked book to the machine's code, with everything settled that can be before play."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import prod

from edict.backend.core import Procedure
from edict.backend.emit import Circles, Recursion, TooMuchCode
from edict.lowering import (  # noqa: F401 (register)
    actions, chance_lowering, expression_lowering, moments, routine_lowering, statement_lowering,
)
from edict.lowering.block_lowering import block, seat_order
from edict.lowering.containers import recount
from edict.lowering.context import EVERYONE, Context, rule_of
from edict.lowering.possible_answers import bounds
from edict.lowering.presentation import Shown, assertions, measures, queries, reports, write_panels
from edict.lowering.program_wording import kinds, round_stages, settings
from edict.lowering.quantities import periods
from edict.lowering.routine_lowering import carriers, entries, values_brought
from edict.lowering.value_lowering import LocalPlace, value
from edict.meaning.link import Linked
from edict.meaning.possible_values import surely_somebody
from edict.program import Fork, Program, opcodes as o
from edict.program.reasons import Assertion
from edict.report import Diagnostic, Label, Outcome, RulesError
from edict.sources.folders import Module
from edict.sources.input_limits import MOST_CODE, count_signs
from edict.sources.work_budget import LOWERING, spend
from edict.text import Span

STACK = 120  # cells for return addresses
DEEP_STACK = 900  # and for the cells of procedures that come back to themselves


def lower(
    linked: Linked, modules: tuple[Module, ...] = (), rules_hash: str = "", optimized: bool = True
) -> Outcome[Program]:
    """The program; a diagnostic if rules call themselves or need before play what only play can tell.

    optimized: make the code short and quick too, which takes as long as all the rest and finds nothing wrong.
    """
    return _lowered(linked, modules, rules_hash, optimized, None)


def _lowered(
    linked: Linked, modules: tuple[Module, ...], rules_hash: str, optimized: bool, asserted: list[Assertion] | None
) -> Outcome[Program]:
    """`asserted`: to be filled with what the rules assert; None: that is left out."""
    try:
        spend(LOWERING * sum(count_signs(source) for module in modules for source in module.sources))
        c, code, shown = _write(linked, modules, {}, optimized, asserted)
    except Recursion as circle:
        return Outcome(None, (_circle(linked, circle),))
    except RulesError as unknown:
        return Outcome(None, unknown.diagnostics)
    stack = len(c.code.initial)
    c.code.initial.extend([0] * (DEEP_STACK if c.writer.circles else STACK))
    c.code.initial[o.FACES] = c.code.dice_faces.at
    c.code.initial[o.STACK] = c.code.initial[o.SP] = stack
    return Outcome(_program(c, code, shown, modules, rules_hash, stack))


def lower_asserting(
    linked: Linked, modules: tuple[Module, ...], rules_hash: str
) -> Outcome[tuple[Program, tuple[Assertion, ...]]]:
    """The program with code behind it for what its rules assert, which is no part of it in play."""
    asserted: list[Assertion] = []
    outcome = _lowered(linked, modules, rules_hash, True, asserted)
    return outcome.then(lambda program: Outcome((program, tuple(asserted))))


def _program(
    c: Context, code: tuple[int, ...], shown: Shown, modules: tuple[Module, ...], rules_hash: str, stack: int
) -> Program:
    """All that is known of the rules; the causes come last, as some are still added."""
    linked, game, (score, judge, panels) = c.linked, c.linked.game, shown
    found = periods(c)
    return Program(
        name=game.name.word, title=game.title or game.name.word, rules_hash=rules_hash,
        version=next((m.manifest.version for m in modules if m.manifest.kind == "game"), ""),
        modules=tuple(m.name for m in modules),
        renamed=tuple(pair for m in modules for pair in m.manifest.renamed),
        least_players=game.low, most_players=game.high,
        code=code, initial=tuple(c.code.initial), stack=stack, entry=0, entries=entries(c),
        brought=values_brought(c), carriers=carriers(c),
        working=min((frame.base for frame in c.code.frames), default=stack),
        kinds=kinds(linked, c.constants), variables=c.layout.variables, settings=settings(linked, c.layout),
        dice=c.layout.dice, shifts=dict(c.parts.shift_words),
        questions=tuple(c.parts.questions), says=tuple(c.parts.says),
        phases=tuple((name, linked.resolved.get(name).title or name) for name in c.layout.phases),
        quantities=tuple((name, linked.resolved.get(name).title or name) for name in c.quantities),
        stages=round_stages(linked), scores=bounds(linked.typed, game.score),
        certain=surely_somebody(c.resolved, game.winners), periods=found, panels=panels, queries=queries(c),
        score=score, judge=judge,
        order=c.layout.keeps[c.symbol(game.order).name].base,
        causes=tuple(c.parts.causes), places=tuple(c.code.places),
        forks=tuple(Fork(at, *fork) for at, fork in sorted(c.code.forks.items())),
        reasons=replace(c.parts.reasons(), reports=reports(c)),
        constants=tuple(sorted({o.WIDTH, o.FACES, o.FIELDS, o.ROOM, *c.code.numbers})),
        tables=tuple((label.at, len(values)) for values, label in c.code.tables.items()),
    )  # fmt: skip


def _write(
    linked: Linked, modules: tuple[Module, ...], circles: Mapping[str, int], optimized: bool,
    asserted: list[Assertion] | None,
) -> tuple[Context, tuple[int, ...], Shown]:  # fmt: skip
    """All code; written again, with cells saved on the stack, if some of it can come back to itself."""
    c = Context(linked, modules, circles, optimized)
    try:
        shown = _write_all(c, asserted)
        return c, c.code.assemble(circles), shown
    except Circles as found:
        return _write(linked, modules, found.names, optimized, asserted)
    except TooMuchCode as much:
        raise RulesError([_too_much(c, much)]) from None


def _write_all(c: Context, asserted: list[Assertion] | None) -> Shown:
    game = c.linked.game
    c.write_first(_start, rule_of(game))
    shown = write_panels(c)
    measures(c)
    if asserted is not None:
        asserted[:] = assertions(c)
    routine_lowering.write_all(c)
    c.write_procedures()
    return shown


def _too_much(c: Context, much: TooMuchCode) -> Diagnostic:
    cause = c.parts.causes[much.cause]
    place = Span(cause.file, cause.line, cause.column, cause.line, cause.column + 1)
    return Diagnostic(
        "E0710", "these rules are too large to be compiled", place,
        note=f"A program may have {MOST_CODE:,} numbers, and here it gets larger.",
        help="write what is repeated as a `routine` or a `quantity`, which is compiled once",
    )  # fmt: skip


def _start(c: Context, _: Procedure) -> None:
    """What stands first in the code: the table is laid, then the game is played."""
    game = c.linked.game
    c.call(c.procedure(("table",), 0, _lay_table, rule_of(game)))
    c.call(c.procedure(("course",), 0, _course, rule_of(game)))


def _course(c: Context, _: Procedure) -> None:
    """The course, played to its end; a game that is given values begins here, on a table that is laid."""
    game = c.linked.game
    block(c, game.course)
    c.call(c.procedure(("ending",), 0, statement_lowering.end_game, rule_of(game)))


def _lay_table(c: Context, _: Procedure) -> None:
    """The order of players as they sit, and every keep that has an initial value."""
    _seat_order(c)
    for home in c.layout.keeps.values():
        if home.keep.start is not None:
            with c.because(*rule_of(home.keep)):
                start = c.once(value(c, home.keep.start))
                for offset in range(prod(home.sizes)):
                    at, cells = home.base + offset * home.type.cells, home.type.cells
                    c.put(at, start, cells=cells)
                    recount(c, LocalPlace(at, None, home))


def _seat_order(c: Context) -> None:
    """The order of players begins as they sit."""
    with c.members(EVERYONE) as seat:
        c.step(o.PUSHO, seat_order(c), seat, seat)


_OF_STEPS = "let a player decide (`may`), let it happen `once per` phase, do it `2 times`, or use `repeat`"
_OF_NUMBERS = (
    "a number cannot be worked out from itself: to make more or less of it, `adjust` it with `times 2`, `divided by 2` "
    "or `by 1`"
)


def _circle(linked: Linked, circle: Recursion) -> Diagnostic:
    """The rules that wait for something are to blame, before what they wait for."""
    waiting = {f"When@{one.ability.span}": (at, one) for at, held in linked.whens.items() for one in held}
    said, spans, blamed = list[str](), list[Span](), list[Span]()
    counted = True
    for frame in circle.frames:
        name, at = _plain(frame.name)
        counted &= frame.name.startswith("quantity ")
        if name in waiting:
            moment, one = waiting[name]
            said.append(f"when {_at(*moment)}")
            blamed.append(one.ability.span)
        else:
            said.append(_at(name, at))
            definition = linked.resolved.book.definitions.get(name)
            spans += [definition.span] if definition is not None else []
    places = list(dict.fromkeys((*blamed, *spans)))
    return Diagnostic(
        "E0601", "these rules call each other without end: " + " calls ".join(f"`{one}`" for one in said),
        places[0] if places else linked.game.span, labels=tuple(Label(s, "this one too") for s in places[1:]),
        help=_OF_NUMBERS if counted else _OF_STEPS,
    )  # fmt: skip


def _plain(name: str) -> tuple[str, str]:
    """The rule's own name out of a procedure's, and at which moment of it."""
    parts = [*name.split(" "), "", ""]
    named = ("phase", "routine", "quantity", "action", "moment", "supply")
    return (parts[1], parts[2] if parts[0] == "moment" else "") if parts[0] in named else (parts[0], "")


def _at(name: str, moment: str) -> str:
    """`gaining wood`, `start of winter`, or a name alone."""
    return f"{moment} of {name}" if moment in ("start", "end") else f"{moment} {name}".strip()


__all__ = ["lower", "lower_asserting"]
