"""What to write where something is said in a form that rules have for something else."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from edict.language import tree as t
from edict.language.printing.expressions import expression
from edict.language.nouns import a
from edict.meaning.type_remedies import SEVERAL, Misfit, Remedy
from edict.meaning.symbols import TRUTH, Meaning, Resolved, Symbol, keep_of
from edict.meaning.types import UNKNOWN
from edict.program import Type
from edict.report import Diagnostic, Edit, Label

COMPARED = frozenset(("=", "!=", "<", "<=", ">", ">="))


def alternative(binary: t.Binary, have: Type, wanted: Type) -> Remedy | None:
    """Of `x is 1 or 2`: each side of `or` and `and` is a separate comparison."""
    left, right = binary.left, binary.right
    while isinstance(left, t.Binary) and left.op == binary.op:
        left = left.right
    if have == TRUTH or wanted != TRUTH or not isinstance(left, t.Binary) or left.op not in COMPARED or left.wrapped:
        return None
    sign = {"=": "is", "!=": "is not"}.get(left.op, left.op) if left.said else left.op
    text = f"{expression(left.left)} {sign} {expression(right)}"
    if binary.op == "or" and left.op == "!=":  # whatever it is, it is not one of the two: neither of them is meant
        return f"write `{expression(left)} and {text}` if it must be neither of them", ()
    return f"write `{text}`", (Edit(right.span, text),)


def of_its_kind(step: str, kind: t.Name, source: t.Expr, of: Type) -> Remedy | None:
    """Of `each fruit in owned of you`: what lies there is of another kind, and that is what is gone through."""
    if of.shape not in SEVERAL or of.kind in ("", "resource", "number"):
        return None
    article = a(of.kind).split()[0] + " " if step in ("choose", "draw") else ""
    joint = "in" if step == "each" else "from"
    text = f"{step} {article}{of.kind} {joint} {expression(source)}"
    place, new = kind.span, of.kind
    if article and a(kind.word).split()[0] != article.strip():
        place, new = replace(place, column=place.column - len(a(kind.word)) + len(kind.word)), article + new
    return f"write `{text}`: that is what is there", (Edit(place, new),)


def unchangeable(
    resolved: Resolved, place: t.Expr, meaning: Meaning | None, step: t.Node | None, value: t.Expr | None
) -> Diagnostic:
    """A place that no step changes: what to write instead, or that it is written the other way round.

    value: what it would be set to, or what would be added there or removed.
    """
    at, span, title = "", place.span, "this cannot be changed"
    if step is not None and value is not None:
        at = f"to-{type(step).__name__.lower()}" + " yours" * _is_yours(place)
        ends = ((expr.span.end_line, expr.span.end_column) for expr in (place, value))
        line, column = max(ends)
        span = replace(step.span, end_line=line, end_column=column)
        if keep_of(resolved, value) is not None and (meaning is None or meaning.sort not in ("resource", "die")):
            at, title = at + " swapped", "this is written the other way round"
    if meaning is not None and meaning.sort in ("setting", "quantity", "field"):
        title = f"`{meaning.name}` is {a(meaning.sort)}, and cannot be changed"
    wanted = resolved.types[value] if value is not None else UNKNOWN
    instead = Misfit(resolved, place, wanted, at=at, against=value).instead("changed")
    assert instead is not None
    edits = (Edit(span, instead.text),) if instead.text else ()
    return Diagnostic("E0405", title, place.span, instead.note, help=instead.help, edits=edits)


def _is_yours(place: t.Expr) -> bool:
    of = place.args[0] if isinstance(place, t.Apply) and len(place.args) == 1 else None
    return isinstance(place, t.Name) or isinstance(of, t.Name) and of.word == "you"


def title_for_name(part: t.Part, meaning: Meaning) -> Iterator[Diagnostic]:
    """Of `1 +2 token`, where `+2 token` is a title: it would be read as 3 of them."""
    amount, definition = part.amount, meaning.definition if isinstance(meaning, Symbol) else None
    if not isinstance(amount, t.Binary) or not isinstance(amount.right, t.Number) or definition is None:
        return
    sign = f"{amount.op}{amount.right.value} "
    if any(form.startswith(sign) for form in definition.title.split("/")) and not amount.wrapped:
        first, name = expression(amount.left), part.what.word
        yield Diagnostic(
            "E0212", f"`{sign}{name}` is a title, and this is the sum of two numbers", part.span,
            labels=(Label(definition.name.span, f"`{name}` is declared"),),
            note="Rules use the name of a resource, and players read its title.",
            help=f"write `{first} {name}`, or `({expression(amount)}) {name}` if the sum is meant",
            edits=(Edit(amount.span, first),),
        )  # fmt: skip
