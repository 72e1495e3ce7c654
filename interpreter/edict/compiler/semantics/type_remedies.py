"""What to write where a value is of a type that its place cannot take (what fills the table `grammar/remedies.yaml`),
or where something is said in a form that rules have for something else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from edict.compiler.semantics.available_values import all_of, asked_of, at_hand, kept
from edict.compiler.semantics.symbols import NUMBER, PLAYER, RESOURCE, TRUTH, Meaning, Resolved, Symbol, keep_of
from edict.compiler.semantics.types import UNKNOWN, spoken
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.printing.printed_expressions import PRIMARY, SUM, expression
from edict.compiler.syntax.remedy_table import Instead, instead_of
from edict.runtime.program import Type
from edict.support.morphology import quote_words, with_article
from edict.support.report import Diagnostic, Edit, Label

Remedy = tuple[str, tuple[Edit, ...]]
"""In words, and as edits."""

SEVERAL = ("set", "order", "bag")
FEW = 3  # examples in a message


@dataclass(frozen=True)
class Misfit:
    """A value that stands where one of another type is wanted.

    it: the player that is looked at; at: more words for what is wanted; whole: what is written anew, if that is more
    than the value; against: what it is compared with, or would be set to.
    """

    resolved: Resolved
    expr: t.Expr
    wanted: Type
    it: str = "you"
    at: str = ""
    whole: t.Node | None = None
    against: t.Expr | None = None

    @property
    def have(self) -> Type:
        return self.resolved.types[self.expr]

    def remedy(self, *parts: str) -> Remedy | None:
        """What the first row says that fits, of these parts of the table."""
        row = self.instead(*parts)
        if row is None:
            return None
        return row.help, (Edit((self.whole or self.expr).span, row.text),) if row.text else ()

    def instead(self, *parts: str) -> Instead | None:
        same = ["same"] * (self.have.kind == self.wanted.kind != "")
        wanted = {*_words(self.wanted), *self.at.split(), *self._written(self.against), *self._asks()}
        have = {*_words(self.have), *self._written(self.expr), *same}
        found = (instead_of(part, wanted, have, lambda blank: _BLANKS[blank](self)) for part in parts)
        return next((remedy for remedy in found if remedy is not None), None)

    def _written(self, expr: t.Expr | None) -> list[str]:
        """Words for how a value is written."""
        if isinstance(expr, t.Number):
            return ["numeral", str(expr.value)]
        name = expr.head if isinstance(expr, t.Apply) else expr
        meaning = self.resolved.meaning.get(name) if isinstance(name, t.Name) else None
        if meaning is None:
            return []
        if isinstance(expr, t.Apply):
            return ["amount" if meaning.sort in ("resource", "group", "die") else meaning.sort]
        sort = {"builtin": meaning.name, "thing": "declared", "player": "kind"}.get(meaning.sort, meaning.sort)
        return ["name", sort]

    def _asks(self) -> list[str]:
        """Of a comparison with `yes` or `no`: whether it asks for what holds."""
        words = {"yes", "no"} & {*self._written(self.against)}
        if not words or not isinstance(self.whole, t.Binary):
            return []
        return ["holds" if ("yes" in words) == (self.whole.op == "=") else "fails"]


def _words(of: Type) -> Iterable[str]:
    """The words for a type."""
    kinds = {of.kind} & {PLAYER.kind, RESOURCE.kind}
    more = {"optional": of.optional, "numbers": of == Type("set", "number"), "some": of == Type("set")}
    return {"any", of.shape, *kinds, *(word for word, holds in more.items() if holds)}


# --- what fills the blanks -------------------------------------------------------------------------


def _text(least: int) -> Callable[[Misfit], str]:
    """The value; if it stood in parentheses, they stay where they are, unless more than the value is written anew."""

    def text(misfit: Misfit) -> str:
        return expression(misfit.expr if misfit.whole is not None else replace(misfit.expr, wrapped=False), least)

    return text


def _sign(misfit: Misfit) -> str:
    """`=`, or the word for it, as it was written."""
    binary = misfit.whole
    assert isinstance(binary, t.Binary)
    return {"=": "is", "!=": "is not"}.get(binary.op, binary.op) if binary.said else binary.op


def _within(misfit: Misfit) -> str:
    return "is not in" if isinstance(misfit.whole, t.Binary) and misfit.whole.op in ("!=", "not-in") else "is in"


def _head(misfit: Misfit) -> str:
    """What is asked of something, or a name alone."""
    apply = misfit.whole if isinstance(misfit.whole, t.Apply) else misfit.expr
    name = apply.head if isinstance(apply, t.Apply) else apply
    return name.word if isinstance(name, t.Name) else ""


def _summed(misfit: Misfit) -> str:
    """What is asked of each of several, if it is a number."""
    word = _BLANKS["other"](misfit) or _head(misfit)
    what, kinds = misfit.resolved.book.definitions.get(word), misfit.resolved.fields.get(word, ())
    if isinstance(what, t.Keep | t.Term):
        return word * (isinstance(what, t.Keep) and what.type.shape == "number")
    return word * (not kinds or any((word, NUMBER) in asked_of(misfit.resolved, kind) for kind in kinds))


def _owners(misfit: Misfit) -> Sequence[str]:
    """The kinds that have a field."""
    return misfit.resolved.fields.get(_BLANKS["other"](misfit), ())


def _their_things(misfit: Misfit) -> str:
    """A set of what has a field, of a player."""
    sets = (place for kind in _owners(misfit) for place in kept(misfit.resolved, Type("set", kind)))
    return next((place for place in sets if place.endswith("of you")), "")


def _fields(misfit: Misfit) -> str:
    kind = misfit.resolved.book.definitions.get(misfit.have.kind)
    if not isinstance(kind, t.Kind):
        return ""
    return quote_words((it.name.word for it in kind.fields), "and") if kind.fields else "no fields"


def _few(examples: Iterable[str], but: str = "") -> str:
    others = (example for example in dict.fromkeys(examples) if example != but)
    return ", ".join(f"`{example}`" for example in islice(others, FEW))


def _numbers(misfit: Misfit) -> str:
    asked = asked_of(misfit.resolved, misfit.have.kind)
    return _few(f"{word} of {_VALUE(misfit)}" for word, of in asked if of == NUMBER)


def _place_of(misfit: Misfit) -> str:
    """The first place in which such things lie."""
    return next((place for shape in SEVERAL for place in kept(misfit.resolved, Type(shape, misfit.have.kind))), "")


def _another(misfit: Misfit) -> str:
    """Another thing of the same kind."""
    return next((it for it in at_hand(misfit.resolved, Type("thing", misfit.have.kind)) if it != _VALUE(misfit)), "")


def _asked(misfit: Misfit, kind: str, shapes: Sequence[str], of: str = "") -> str:
    """That in which a thing of a kind, or a player, has one or several of another kind."""
    some = asked_of(misfit.resolved, kind) if kind else ()
    return next((word for word, has in some if has.shape in shapes and of in (has.kind, "")), "")


def _first(misfit: Misfit, sort: type[t.Definition]) -> str:
    return next((word for word, it in misfit.resolved.book.definitions.items() if isinstance(it, sort)), "")


def _loop(misfit: Misfit) -> str:
    """How all members of a set are gone through."""
    every = _VALUE(misfit) in ("everyone", *all_of(misfit.resolved, misfit.have.kind))
    return f"each {misfit.have.kind}" + f" in {_VALUE(misfit)}" * (not every)


_VALUE = _text(PRIMARY)
_BLANKS: dict[str, Callable[[Misfit], str]] = {
    "value": _VALUE,
    "sum": _text(SUM),
    "bare": lambda misfit: expression(replace(misfit.expr, wrapped=False)),
    "other": lambda misfit: expression(misfit.against, PRIMARY) if misfit.against is not None else "",
    "sign": _sign,
    "within": _within,
    "head": _head,
    "it": lambda misfit: misfit.it,
    "loop": _loop,
    "one": lambda misfit: "you" if misfit.have.kind == PLAYER.kind else misfit.have.kind,
    "kind": lambda misfit: misfit.wanted.kind,
    "spoken": lambda misfit: spoken(misfit.wanted),
    "noun": lambda misfit: spoken(Type(misfit.wanted.shape, misfit.wanted.kind)).partition(" ")[2],
    "examples": lambda misfit: _few(at_hand(misfit.resolved, misfit.wanted), _BLANKS["other"](misfit)),
    "sets": lambda misfit: _few(kept(misfit.resolved, Type("set"))) or "`everyone`",
    "summed": _summed,
    "fields": _fields,
    "their_things": _their_things,
    "owners": lambda misfit: ", ".join(_owners(misfit)),
    "members": lambda misfit: _VALUE(misfit) * (misfit.have.kind in _owners(misfit)),
    "a_thing": lambda misfit: with_article(misfit.have.kind),
    "amount": lambda misfit: expression(misfit.against) if misfit.against is not None else "",
    "place": lambda misfit: expression(misfit.expr),
    "whose": lambda misfit: expression(misfit.expr.args[0]) if isinstance(misfit.expr, t.Apply) else "",
    "number": lambda misfit: next(at_hand(misfit.resolved, NUMBER), "..."),
    "numbers": _numbers,
    "among": _place_of,
    "another": _another,
    "field": lambda misfit: _asked(
        misfit, misfit.have.kind, ("number" if misfit.wanted == NUMBER else "thing",), misfit.wanted.kind
    ),
    "theirs": lambda misfit: _asked(misfit, misfit.have.kind, SEVERAL, misfit.wanted.kind),
    "others": lambda misfit: _asked(misfit, misfit.wanted.kind, SEVERAL, misfit.have.kind),
    "price": lambda misfit: _asked(misfit, misfit.have.kind, ("amounts",)),
    "die": lambda misfit: _first(misfit, t.Die),
    "resource": lambda misfit: _first(misfit, t.Resource) or "...",
}
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
    article = with_article(of.kind).split()[0] + " " if step in ("choose", "draw") else ""
    joint = "in" if step == "each" else "from"
    text = f"{step} {article}{of.kind} {joint} {expression(source)}"
    place, new = kind.span, of.kind
    if article and with_article(kind.word).split()[0] != article.strip():
        place, new = replace(place, column=place.column - len(with_article(kind.word)) + len(kind.word)), article + new
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
        title = f"`{meaning.name}` is {with_article(meaning.sort)}, and cannot be changed"
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
            "E0212",
            f"`{sign}{name}` is a title, and this is the sum of two numbers",
            part.span,
            labels=(Label(definition.name.span, f"`{name}` is declared"),),
            note="Rules use the name of a resource, and players read its title.",
            help=f"write `{first} {name}`, or `({expression(amount)}) {name}` if the sum is meant",
            edits=(Edit(amount.span, first),),
        )
