"""What to write where something is said in a form that rules have for something else."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from edict.language import tree as t
from edict.language.printing.expressions import expression
from edict.language.sorts import a
from edict.meaning.remedies import SEVERAL, Remedy
from edict.meaning.symbols import TRUTH, Meaning, Symbol
from edict.program import Type
from edict.report import Diagnostic, Edit, Label

OF_EACH = ("`most`", "`fewest`")  # asked of every member, which is `it`
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


def counted(told: Diagnostic, step: t.Node, resource: str) -> Diagnostic:
    """A resource cannot be set or added to: what is written in place of such a step."""
    you = isinstance(step, t.Add | t.Remove | t.Set) and _is_you(step.place)
    if isinstance(step, t.Set):
        amount = expression(step.value)
        text = f"`gain {amount} - {resource} of you {resource}` and `lose {resource} of you - {amount} {resource}`"
        return replace(told, note=COUNTED, help=f"write what is gained or lost: {text}, of which one is always 0")
    if not isinstance(step, t.Add | t.Remove):
        return told
    verb = "gain" if isinstance(step, t.Add) else "lose"
    text = f"{verb} {expression(step.value)} {resource}"
    place = replace(step.span, end_line=step.place.span.end_line, end_column=step.place.span.end_column)
    return replace(told, note=COUNTED, help=f"write `{text}`", edits=(Edit(place, text),) if you else ())


COUNTED = "Resources are gained, lost and spent; only keeps and names from `let` are set."


def unchangeable(place: t.Expr, meaning: Meaning | None) -> Diagnostic:
    """A place that no step changes."""
    if meaning is not None and meaning.sort == "setting":
        return Diagnostic(
            "E0405", f"`{meaning.name}` is a setting, and stays as it is during a game", place.span,
            help=f"write `amend setting {meaning.name} is ...` at the left edge",
        )  # fmt: skip
    if meaning is not None and meaning.sort == "quantity":
        return Diagnostic(
            "E0405", f"`{meaning.name}` is a quantity: it is worked out whenever it is asked for", place.span,
            help=f"write `adjust {meaning.name} by ...` at the left edge, perhaps with `if` and for what it holds",
        )  # fmt: skip
    if meaning is not None and meaning.sort == "field":
        return Diagnostic(
            "E0405", f"`{meaning.name}` is a field, and stays as it is during a game", place.span,
            help=f"declare what changes, as in `keep my-{meaning.name} of KIND as number`, and set that",
        )  # fmt: skip
    remedy = "only a `keep` and a name from `let` can be set; resources are gained, lost and spent"
    return Diagnostic("E0405", "this cannot be changed", place.span, help=remedy)


def swapped(told: Diagnostic, step: t.Node, place: bool) -> Diagnostic:
    """Of `set 3 to year`, where what is changed comes first, and `add hand to card`, where it comes last."""
    if not place or not isinstance(step, t.Set | t.Add | t.Remove):
        return told
    word = "set" if isinstance(step, t.Set) else "add" if isinstance(step, t.Add) else "remove"
    joint = "from" if word == "remove" else "to"
    text = f"{word} {expression(step.value)} {joint} {expression(step.place)}"
    if isinstance(step, t.Add | t.Remove):
        text = f"{word} {expression(step.place)} {joint} {expression(step.value)}"
    span = replace(step.span, end_line=step.place.span.end_line, end_column=step.place.span.end_column)
    span = max((span, replace(step.span, end_line=step.value.span.end_line, end_column=step.value.span.end_column)))
    return replace(told, title="this is written the other way round", help=f"write `{text}`", edits=(Edit(span, text),))


def _is_you(place: t.Expr) -> bool:
    of = place.args[0] if isinstance(place, t.Apply) and len(place.args) == 1 else None
    return isinstance(of, t.Name) and of.word == "you"


def several_of_a_bag(short: t.ChooseSome | t.DrawSome) -> tuple[str, str]:
    """Before play nobody knows that a name stands for a bag: what to say of it, and the remedy."""
    verb = "drawn" if isinstance(short, t.DrawSome) else "chosen"
    return f"several are {verb} from a bag by the name of its keep", "write the name of the keep"


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
