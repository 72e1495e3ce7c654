"""What is moved and drawn from place to place, where a place is for one thing only or is no place at all."""

from __future__ import annotations

from dataclasses import replace

from edict.language import tree as t
from edict.language.printing.expressions import expression
from edict.language.sorts import a
from edict.meaning.expression_types import Expressions
from edict.meaning.types import spoken
from edict.program import Type
from edict.report import Diagnostic


def moved(work: Expressions, thing: t.Expr, place: t.Expr, of: Type, away: bool) -> None:
    """What is moved may come from a place for a single thing, and go to one."""
    found = work.expr(thing)
    if found.shape in ("set", "order", "bag"):
        work.wrong(
            "E0401", f"this place takes {spoken(of)}, and this is {spoken(found)}", thing.span,
            "move one of them, as in `first of ...`",
        )  # fmt: skip
        return
    work.want(thing, of, "this place")
    if away and not of.optional:
        work.wrong(
            "E0406", "nothing can be moved away from a place that is never empty", place.span,
            "declare the keep `or none`, or put something else there with `set`",
        )  # fmt: skip


def drawn_into(work: Expressions, draw: t.Node, before: int) -> None:
    """What is said of a step that draws into a place, from so many findings on."""
    if not isinstance(draw, t.DrawInto):
        return
    work.found[before:] = [_taken_from_no_keep(told, draw) for told in work.found[before:]]
    single = draw.count is None or isinstance(draw.count, t.Number) and draw.count.value == 1
    if not single and work.types[draw.place].shape == "thing":
        work.wrong(
            "E0406", "there is room for one thing only", draw.place.span,
            f"write `draw {a(work.types[draw.place].kind)} ...`, or declare the keep `as set of ...`",
        )  # fmt: skip


def _taken_from_no_keep(told: Diagnostic, draw: t.DrawInto) -> Diagnostic:
    """What is no keep still holds all that is drawn from it: then nothing has to be taken out."""
    if told.code != "E0405" or told.span != draw.source.span:
        return told
    one = f"draw {expression(draw.count)}" if draw.count is not None else f"draw {draw.article}"
    source = "..." if draw.source.wrapped else expression(draw.source)  # what is in parentheses is written out by now
    line = f"{one} {draw.kind.word} from {source} as drawn"
    return replace(
        told, note="What is drawn `into` another place is taken out of the first, and only a keep can lose something.",
        help=f"write `{line}`, and `add drawn to {expression(draw.place)}`; or keep what is left in a keep of its own",
    )  # fmt: skip
