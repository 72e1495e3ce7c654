"""Part of `in_full`: what each shorthand step stands for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import reduce
from itertools import count
from typing import Any, TypeVar

from edict.language import tree as t
from edict.language.sorts import plurals
from edict.language.walking import copied
from edict.report import Diagnostic
from edict.text import Span


@dataclass(frozen=True)
class Declared:
    """What a module's rules may speak of, as far as it decides what a step stands for."""

    secret: frozenset[str] = frozenset()  # keeps
    bags: frozenset[str] = frozenset()  # keeps
    sorts: frozenset[str] = frozenset(("player",))  # kinds and groups, players too
    resources: tuple[str, ...] = ()
    dice: dict[str, int] = field(default_factory=dict)  # how many sides each kind has
    groups: dict[str, tuple[str, ...]] = field(default_factory=dict)
    prices: dict[str, tuple[str, int]] = field(default_factory=dict)  # what can be paid; its group, and where
    brought: dict[str, frozenset[str]] = field(default_factory=dict)  # names with moments and routines

    def named_by(self, node: t.Node) -> frozenset[str]:
        """Names of groups that stand for one of their resources in what is written below."""
        if isinstance(node, t.Routine):
            return frozenset(param.name.word for param in node.params)
        if isinstance(node, t.When | t.Exception_):
            about = node.moment if isinstance(node, t.When) else node.target
            return frozenset(group for group in self.groups if about.word in plurals(group)) | self.brought.get(
                about.word, frozenset()
            )
        if isinstance(node, t.Each) and node.name is None:
            return frozenset(group for group in self.groups if node.kind.word in plurals(group))
        return frozenset()

    def all_of(self, kind: t.Name) -> t.Name:
        """All things of a kind, whatever a loop calls one of them."""
        known = next((name for name in self.sorts if kind.word in plurals(name)), None)
        return t.Name(kind.span, plurals(known)[-1] if known else kind.word)


def declared(definitions: Iterable[t.Definition]) -> Declared:
    """What is declared in some definitions."""
    every = [one.definition if isinstance(one, t.Amend) else one for one in definitions]
    groups = {one.name.word: tuple(name.word for name in one.members) for one in every if isinstance(one, t.Group)}
    prices = {f.name.word: ("", 1) for one in every if isinstance(one, t.Kind) for f in one.fields if _is_amounts(f)}
    for one in every:
        counting = isinstance(one, t.Quantity) or isinstance(one, t.Keep) and one.type.shape == "number"
        params = one.params if counting and isinstance(one, t.Quantity | t.Keep) else ()
        prices.update((one.name.word, (p.kind.word, at)) for at, p in enumerate(params) if p.kind.word in groups)
    return Declared(
        frozenset(one.name.word for one in every if isinstance(one, t.Keep) and one.secret),
        frozenset(one.name.word for one in every if isinstance(one, t.Keep) and one.type.shape == "bag"),
        frozenset(("player", *groups, *(one.name.word for one in every if isinstance(one, t.Kind)))),
        tuple(dict.fromkeys(one.name.word for one in every if isinstance(one, t.Resource))),
        {one.name.word: one.sides for one in every if isinstance(one, t.Die)}, groups, prices,
        {one.name.word: frozenset(p.name.word for p in one.params) for one in every
         if isinstance(one, t.Moment | t.Routine)},
    )  # fmt: skip


def _is_amounts(one: t.FieldDef) -> bool:
    return one.type is not None and one.type.shape == "amounts"


class Writer:
    """Makes nodes that stand where the step in short stood, and names that no author can write."""

    def __init__(self, declared: Declared, found: list[Diagnostic]) -> None:
        self.declared = declared
        self.found = found
        self.numbers = count(1)
        self.named: frozenset[str] = frozenset()  # groups whose names stand for one of their resources here
        self.span: Span

    def group(self, name: t.Name) -> str | None:
        """The group that is meant, if it is one of which something is chosen."""
        found = (group for group in self.declared.groups if name.word in plurals(group))
        return next((group for group in found if group not in self.named), None)

    def fresh(self, word: str) -> t.Name:
        return t.Name(self.span, f"{word} {next(self.numbers)}")

    def number(self, value: int) -> t.Number:
        return t.Number(self.span, value)

    def both(self, left: t.Expr, sign: str, right: t.Expr) -> t.Binary:
        return t.Binary(self.span, sign, copied(left), copied(right), wrapped=True)

    def is_bag(self, source: t.Expr | None) -> bool:
        """Whether it is a keep that is a bag. (Of what a name stands for nothing is known here.)"""
        head = source.head if isinstance(source, t.Apply) else source
        return isinstance(head, t.Name) and head.word in self.declared.bags

    def is_secret(self, place: t.Expr) -> bool:
        head = place.head if isinstance(place, t.Apply) else place
        return isinstance(head, t.Name) and head.word in self.declared.secret

    def let(self, name: t.Name, value: t.Expr, some: bool = False) -> t.Let:
        return t.Let(self.span, name, value, some=some)

    def set(self, name: t.Name, value: t.Expr) -> t.Set:
        return t.Set(self.span, copied(name), value)

    def where(self, among: t.Expr, wanted: t.Expr, name: t.Name | None = None) -> t.Where:
        return t.Where(self.span, among, wanted, called=name.word if name is not None else "")

    def times(self, amount: t.Expr, *block: t.Stmt) -> t.Repeat:
        return t.Repeat(self.span, amount, None, block)

    def turn_of(self, whom: t.Expr, *block: t.Stmt) -> t.Each:
        return t.Each(self.span, t.Name(self.span, "player"), None, whom, block)

    def add(self, value: t.Expr, place: t.Expr) -> t.Add:
        return t.Add(self.span, copied(value), copied(place))

    def two_bags(self, bag: t.Expr, full: t.Name, empty: t.Name) -> t.Block:
        """A copy of a bag, and an empty one."""
        nothing = self.set(empty, t.Name(self.span, "nobody"))
        return (self.let(full, bag), self.let(empty, copied(bag)), nothing)

    def over(self, one: t.Expr, bag: t.Name, other: t.Name) -> t.Block:
        """One goes from one bag into another."""
        return (t.Remove(self.span, copied(one), copied(bag)), self.add(one, other))

    def none_of(self, kind: t.Name) -> t.Expr:
        """An empty set of these. (There is no set of all numbers, but one without its only member.)"""
        if kind.word in plurals("number"):
            one, nobody = self.number(1), t.Name(self.span, "nobody")
            return self.both(self.both(nobody, "+", one), "-", one)
        return t.Where(self.span, self.declared.all_of(kind), t.Name(self.span, "no"))


S = TypeVar("S", bound=t.Short)
FULL: dict[type, Callable[[Writer, Any], t.Block]] = {}


def stands_for(write: Callable[[Writer, S], t.Block]) -> Callable[[Writer, S], t.Block]:
    """Register what steps of the sorts that the function takes stand for."""
    for sort in str(write.__annotations__["s"]).split(" | "):
        FULL[getattr(t, sort.removeprefix("t."))] = write
    return write


# --- from one place into another ---------------------------------------------------------------------


@stands_for
def _draw_into(w: Writer, s: t.DrawInto) -> t.Block:
    """What goes to a place that is a secret is drawn without anybody seeing it."""
    one = w.fresh("one")
    draw = t.Draw(w.span, s.kind, s.source, one, s.secretly or w.is_secret(s.place))
    take = t.Remove(w.span, copied(one), copied(s.source), to=copied(s.place))
    put = t.Add(w.span, copied(one), s.place, gone=copied(s.source))
    return (w.times(s.count if s.count is not None else w.number(1), draw, take, put),)


@stands_for
def _move(w: Writer, s: t.Move) -> t.Block:
    moved = w.fresh("moved")
    take = t.Remove(w.span, copied(moved), s.source, to=copied(s.place))
    put = t.Add(w.span, copied(moved), s.place, s.first, gone=copied(s.source))
    return (w.let(moved, s.value), take, put)


# --- again -----------------------------------------------------------------------------------------


@stands_for
def _do_times(w: Writer, s: t.DoTimes) -> t.Block:
    return (w.times(s.count, s.step),)


# --- dice ------------------------------------------------------------------------------------------


@stands_for
def _roll_several(w: Writer, s: t.RollSeveral) -> t.Block:
    """One kind after the other, and then all of them together; where that is a secret, each kind unseen."""
    if s.place is not None and w.is_secret(s.place):
        places = (s.place, *(copied(s.place) for _ in s.rolls[1:]))
        return tuple(t.Roll(w.span, r.count, r.die, None, at) for r, at in zip(s.rolls, places, strict=True))
    named = [w.fresh("rolled") for _ in s.rolls]
    rolls = [t.Roll(w.span, one.count, one.die, name, None) for one, name in zip(s.rolls, named, strict=True)]
    together = reduce(lambda so_far, more: w.both(so_far, "+", more), named[1:], copied(named[0]))
    if s.place is not None:
        return (*rolls, t.Add(w.span, together, s.place))
    assert s.name is not None
    return (*rolls, w.let(s.name, together))


@stands_for
def _set_face(w: Writer, s: t.SetFace) -> t.Block:
    """Of each kind as many dice as before; the place changes once."""
    turned, face, among = w.fresh("turned"), w.fresh("face"), w.fresh("among")
    again = tuple(
        w.times(
            t.Unary(w.span, "count", t.Among(w.span, t.Name(w.span, die), copied(turned)), wrapped=True),
            w.add(t.Showing(w.span, t.Name(w.span, die), _nearest(w, face, sides)), among),
        )
        for die, sides in w.declared.dice.items()
    )
    return (
        w.let(turned, s.dice), w.let(face, s.face), w.let(among, s.place),
        t.Remove(w.span, copied(turned), copied(among)), *again, t.Set(w.span, copied(s.place), copied(among)),
    )  # fmt: skip


def _nearest(w: Writer, face: t.Name, sides: int) -> t.Expr:
    """Which of a die's numbers comes nearest."""
    most = t.OfSeveral(w.span, "least", (copied(face), w.number(sides)), wrapped=True)
    return t.OfSeveral(w.span, "best", (most, w.number(1)), wrapped=True)


# --- turns -------------------------------------------------------------------------------------------


@stands_for
def _for(w: Writer, s: t.For) -> t.Block:
    return (w.turn_of(s.whom, *s.block),)


@stands_for
def _each_where(w: Writer, s: t.EachWhere) -> t.Block:
    return (t.Each(w.span, s.kind, s.name, w.where(w.declared.all_of(s.kind), s.where, s.name), s.block),)


@stands_for
def _each_with(w: Writer, s: t.EachWith) -> t.Block:
    return (t.Each(w.span, s.kind, s.name, t.Best(w.span, w.declared.all_of(s.kind), s.keys), s.block),)


@stands_for
def _each_round(w: Writer, s: t.EachRound) -> t.Block:
    """As many seats as there are, from one to the next."""
    seat, everyone = w.fresh("seat"), t.Name(w.span, "everyone")
    lets, among = [w.let(seat, s.start)], t.Name(w.span, seat.word)
    here: t.Expr = among
    if s.where is not None:
        among = w.fresh("among")
        lets.append(w.let(among, w.where(copied(everyone), s.where, s.name)))
        here = t.Where(w.span, copied(among), w.both(t.Name(w.span, "it"), "=", seat))
    turn = t.Each(w.span, s.kind, s.name, here, s.block)
    step = t.Set(w.span, copied(seat), t.Unary(w.span, "left", copied(seat)))
    return (*lets, w.times(t.Unary(w.span, "count", everyone), turn, step))


@stands_for
def _at_once(w: Writer, s: t.EachAtOnce) -> t.Block:
    """One after the other, in secret; `checks.at_once` makes sure that nobody can tell."""
    if s.kind.word not in plurals("player"):
        w.found.append(_no_players(s))
    return (t.Each(w.span, s.kind, None, s.source, s.block, unseen=True),)


def _no_players(s: t.EachAtOnce) -> Diagnostic:
    return Diagnostic(
        "E0537", f"a {s.kind.word} cannot answer anything", s.kind.span,
        help="write `each player at once`, or leave out `at once`",
    )  # fmt: skip


@stands_for
def _each_number(w: Writer, s: t.EachNumber) -> t.Block:
    """One more in each turn, whatever happens in it."""
    at, last = w.fresh("at"), w.fresh("last")
    name = s.name or t.Name(s.kind.span, s.kind.word)
    many = w.both(w.both(last, "-", at), "+", w.number(1))
    length = w.fresh("length")
    turn = (w.let(name, copied(at)), w.add(w.number(1), at), *s.block)
    return (w.let(at, s.low), w.let(last, s.high), w.let(length, many), w.times(copied(length), *turn))
