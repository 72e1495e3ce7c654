"""Pass 8, lower: a linked book to the machine's code, with everything settled that can be before play."""

from __future__ import annotations

from collections.abc import Mapping

from edict.front.folders import Module
from edict.front.limits import MOST_CODE
from edict.front.link import Linked
from edict.front.lower import measures, panels, periods, statements
from edict.front.lower.blocks import block
from edict.front.lower.carriers import carriers
from edict.front.lower.collected import collecting
from edict.front.lower.context import Context, Procedure
from edict.front.lower.emit import Circles, Recursion, TooMuchCode
from edict.front.lower.expressions import value
from edict.front.lower.vocabulary import kinds, settings
from edict.program import Fork, Program
from edict.program import opcodes as o
from edict.report import Diagnostic, Label, Outcome, RulesError
from edict.text import Span

STACK = 120  # cells for return addresses
DEEP_STACK = 900  # and for the cells of procedures that come back to themselves


def lower(
    linked: Linked, modules: tuple[Module, ...] = (), rules_hash: str = "", tidied: bool = True
) -> Outcome[Program]:
    """The program; a diagnostic if rules call themselves or need before play what only play can tell.

    tidied: make the code short and quick too, which takes as long as all the rest and finds nothing wrong.
    """
    try:
        c, code = _write(linked, modules, {}, tidied)
    except Recursion as circle:
        return Outcome(None, (_circle(linked, circle),))
    except RulesError as unknown:
        return Outcome(None, unknown.diagnostics)
    score, judge, shown = c.shown
    stack = len(c.code.initial)
    c.code.initial.extend([0] * (DEEP_STACK if c.circles else STACK))
    c.code.initial[o.FACES] = c.code.dice_faces.at
    c.code.initial[o.STACK] = c.code.initial[o.SP] = stack
    game = linked.game
    return Outcome(
        Program(
            name=game.name.word,
            title=game.title or game.name.word,
            version=next((m.manifest.version for m in modules if m.manifest.kind == "game"), ""),
            modules=tuple(m.name for m in modules),
            rules_hash=rules_hash,
            renamed=tuple(pair for m in modules for pair in m.manifest.renamed),
            least_players=game.low,
            most_players=game.high,
            code=code,
            initial=tuple(c.code.initial),
            stack=stack,
            entry=0,
            kinds=kinds(linked, c.constants),
            variables=c.layout.variables,
            questions=tuple(c.questions),
            says=tuple(c.says),
            phases=tuple((name, linked.resolved.get(name).title or name) for name in c.layout.phases),
            quantities=tuple((name, linked.resolved.get(name).title or name) for name in c.quantities),
            periods=periods.periods(c),  # before the causes, to which it adds
            causes=tuple(c.causes),
            places=tuple(c.code.places),
            forks=tuple(Fork(at, *fork) for at, fork in sorted(c.code.forks.items())),
            settings=settings(linked, c.layout),
            dice=c.layout.dice,
            shifts=dict(c.shift_words),
            panels=shown,
            queries=panels.queries(c),
            score=score,
            judge=judge,
            order=c.layout.keeps[c.symbol(game.order).name].base,
            entries=c.entries(),
            carriers=carriers(c),
            working=min((frame.base for frame in c.code.frames), default=stack),
            reasons=c.reasons.finished({cause.file for cause in c.causes}),
        )
    )


def _write(
    linked: Linked, modules: tuple[Module, ...], circles: Mapping[str, int], tidied: bool
) -> tuple[Context, tuple[int, ...]]:
    """All code; written again, with cells saved on the stack, if some of it can come back to itself."""
    c = Context(linked, circles, tidied)
    c.reasons = collecting(modules)
    c.asked = []
    try:
        _write_all(c)
        return c, c.code.assemble(circles)
    except Circles as found:
        return _write(linked, modules, found.names, tidied)
    except TooMuchCode as much:
        raise RulesError([_too_much(c, much)]) from None


def _write_all(c: Context) -> None:
    _start(c)
    c.shown = panels.write(c)
    measures.measures(c)
    statements.write_all_phases(c)
    c.write_procedures()


def _too_much(c: Context, much: TooMuchCode) -> Diagnostic:
    cause = c.causes[much.cause]
    place = Span(cause.file, cause.line, cause.column, cause.line, cause.column + 1)
    return Diagnostic(
        "E0710", "these rules are too large to be compiled", place,
        note=f"A program may have {MOST_CODE:,} numbers, and here it gets larger.",
        help="write what is repeated as a `routine` or a `quantity`, which is compiled once",
    )  # fmt: skip


def _start(c: Context) -> None:
    """What stands first in the code: the table is laid, then the course is played to its end."""
    game = c.linked.game
    cause = (game.name.word, game.title or game.name.word, game.span)
    with c.because(*cause):
        c.frame.entry.at = 0
        c.call(c.procedure(("table",), 0, _lay_table, cause))
        block(c, game.course)
        c.call(c.procedure(("ending",), 0, lambda c, _: statements.end_game(c), cause))


def _lay_table(c: Context, _: Procedure) -> None:
    """The order of players as they sit, and every keep that begins with a value of its own."""
    _seat_order(c)
    for name, home in c.layout.keeps.items():
        if home.keep.start is not None:
            with c.because(name, home.keep.title or name, home.keep.span):
                operand = value(c, home.keep.start)
                for offset in range(_cells(home.sizes)):
                    c.emit(o.MOV, home.base + offset, operand)


def _cells(sizes: tuple[int, ...]) -> int:
    count = 1
    for size in sizes:
        count *= size
    return count


def _seat_order(c: Context) -> None:
    """The order of players begins as they sit."""
    cell = c.layout.keeps[c.symbol(c.linked.game.order).name].base
    rest, seat = c.copy(o.EVERYONE), c.cell()
    again, end = c.label(), c.label()
    c.put(again)
    c.emit(o.NEXT, seat, rest, end)
    c.emit(o.PUSHO, cell, seat, seat)
    c.emit(o.JMP, again)
    c.put(end)


def _circle(linked: Linked, circle: Recursion) -> Diagnostic:
    names = [_plain(f.name) for f in circle.frames]
    spans = [d.span for n in names if (d := linked.resolved.book.definitions.get(n)) is not None]
    return Diagnostic(
        "E0601", "these rules call each other without end: " + " calls ".join(f"`{n}`" for n in names),
        spans[0] if spans else linked.game.span, labels=tuple(Label(s, "this one too") for s in spans[1:-1]),
        help="let one of them do its work without the others, or use `repeat`",
    )  # fmt: skip


def _plain(name: str) -> str:
    """The rule's own name out of a procedure's."""
    parts = name.split(" ")
    return parts[1] if parts[0] in ("phase", "routine", "quantity", "action", "moment") else parts[0]


__all__ = ["lower"]
