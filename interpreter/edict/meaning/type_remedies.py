"""What to write where a value is of a type that its place cannot take: what fills the table `grammar/remedies.yaml`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from edict.language import tree as t
from edict.language.printing.expressions import PRIMARY, SUM, expression
from edict.language.nouns import a
from edict.language.remedy_table import Instead, instead_of
from edict.meaning.available_values import all_of, asked_of, at_hand, kept
from edict.meaning.symbols import NUMBER, PLAYER, RESOURCE, Resolved
from edict.meaning.types import spoken
from edict.program import Type
from edict.report import Edit, listed

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
        one = self.instead(*parts)
        if one is None:
            return None
        return one.help, (Edit((self.whole or self.expr).span, one.text),) if one.text else ()

    def instead(self, *parts: str) -> Instead | None:
        same = ["same"] * (self.have.kind == self.wanted.kind != "")
        wanted = {*_words(self.wanted), *self.at.split(), *self._written(self.against), *self._asks()}
        have = {*_words(self.have), *self._written(self.expr), *same}
        found = (instead_of(part, wanted, have, lambda blank: _BLANKS[blank](self)) for part in parts)
        return next((one for one in found if one is not None), None)

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
    return lambda one: expression(one.expr if one.whole is not None else replace(one.expr, wrapped=False), least)


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
    return listed((it.name.word for it in kind.fields), "and") if kind.fields else "no fields"


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
    "value": _VALUE, "sum": _text(SUM), "bare": lambda one: expression(replace(one.expr, wrapped=False)),
    "other": lambda one: expression(one.against, PRIMARY) if one.against is not None else "",
    "sign": _sign, "within": _within, "head": _head, "it": lambda one: one.it, "loop": _loop,
    "one": lambda one: "you" if one.have.kind == PLAYER.kind else one.have.kind,
    "kind": lambda one: one.wanted.kind, "spoken": lambda one: spoken(one.wanted),
    "noun": lambda one: spoken(Type(one.wanted.shape, one.wanted.kind)).partition(" ")[2],
    "examples": lambda one: _few(at_hand(one.resolved, one.wanted), _BLANKS["other"](one)),
    "sets": lambda one: _few(kept(one.resolved, Type("set"))) or "`everyone`",
    "summed": _summed, "fields": _fields, "their_things": _their_things, "owners": lambda one: ", ".join(_owners(one)),
    "members": lambda one: _VALUE(one) * (one.have.kind in _owners(one)), "a_thing": lambda one: a(one.have.kind),
    "amount": lambda one: expression(one.against) if one.against is not None else "",
    "place": lambda one: expression(one.expr),
    "whose": lambda one: expression(one.expr.args[0]) if isinstance(one.expr, t.Apply) else "",
    "number": lambda one: next(at_hand(one.resolved, NUMBER), "..."),
    "numbers": _numbers, "among": _place_of, "another": _another,
    "field": lambda one: _asked(one, one.have.kind, ("thing",), one.wanted.kind),
    "theirs": lambda one: _asked(one, one.have.kind, SEVERAL, one.wanted.kind),
    "others": lambda one: _asked(one, one.wanted.kind, SEVERAL, one.have.kind),
    "price": lambda one: _asked(one, one.have.kind, ("amounts",)),
    "die": lambda one: _first(one, t.Die), "resource": lambda one: _first(one, t.Resource) or "...",
}  # fmt: skip
