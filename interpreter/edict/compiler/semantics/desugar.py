"""The pass `desugar`: what steps in short stand for, once names and types are known.

What they stand for is written in Edict itself, in `grammar/sugar.edict`. It is kept beside the tree (`Resolved.full`),
and whoever asks what rules do looks there (`in_full`); the tree has the steps as they were written. Names that are made
here cannot meet those of an author, which by now mean what they mean.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from functools import cache, reduce
from itertools import chain
from typing import Any, TypeVar

from edict.compiler.semantics.block_steps import leaving
from edict.compiler.semantics.call_graph import owners
from edict.compiler.semantics.checker import CASES
from edict.compiler.semantics.prices import given
from edict.compiler.semantics.signatures import Checker
from edict.compiler.semantics.symbols import BUILTIN_KINDS, BUILTINS, Local, Resolved, Symbol, keep_of
from edict.compiler.semantics.types import Typed, copied
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.page_cache import keep_page, reading
from edict.compiler.syntax.roles import Role, has, having
from edict.compiler.syntax.walking import holding, is_block, parts, walk
from edict.support import resources
from edict.support.report import Outcome
from edict.support.text import Source, Span

FILE = "sugar.edict"
HOLE = "its-"  # and the name of a field of the step: what the author wrote there
_LOOKED_AT = (t.Short, t.ChooseDie, t.Loop)
_GIVING = (Role.BINDS, Role.BINDS_BELOW)


def desugar(typed: Typed) -> Outcome[Typed]:
    """Return the same rules with the expansion of every shorthand step beside them."""
    typed = Typed(typed.resolved.own_tables(), dict(typed.coerced))
    work = Desugaring(typed)
    typed.resolved.full.update(typed.resolved.prices)
    for owner in owners(typed.resolved):
        if any(isinstance(node, _LOOKED_AT) for node in walk(owner)):
            work.everything(owner)
    return Outcome(typed)


class Desugaring:
    """Goes through rules from without, so that what a step stands for may have steps in short in it, too."""

    def __init__(self, typed: Typed) -> None:
        self.resolved = typed.resolved
        self.checker = _Checker(typed)
        self.typed = typed

    def everything(self, node: Any) -> None:
        waiting = [node]
        while waiting:
            part = waiting.pop()
            if isinstance(part, tuple):
                waiting += part
            elif isinstance(part, t.Node):
                block = self._in_full(part)
                if block is not None:
                    self.resolved.full[part] = block
                    self.checker.steps(block, written=part)
                    waiting.append(block)
                else:
                    kind: Any = type(part)
                    waiting += [getattr(part, name) for name in holding(kind)]

    def _in_full(self, node: t.Node) -> t.Block | None:
        if isinstance(node, t.Loop) and any(leaving(node)):
            return _left_early(self, node)
        write = STANDS_FOR.get(type(node))
        return write(self, node) if write is not None else _offered(self, node)

    def filled(self, step: t.Stmt, template: str, **more: Any) -> t.Block:
        """A template with what stands in the step, and more."""
        return Filling(self.typed, step, more)(template)

    def is_secret(self, place: t.Expr) -> bool:
        keep = keep_of(self.resolved, place)
        return keep is not None and keep.secret

    def builtin(self, word: str, span: Span) -> t.Name:
        name = t.Name(span, word)
        self.resolved.meaning[name] = Symbol("builtin", word)
        return name

    def all_of(self, kind: t.Name) -> t.Name:
        """All things of a kind, or all players."""
        whole = t.Name(kind.span, kind.word)
        self.resolved.meaning[whole] = self.resolved.of(kind)
        return whole


class _Checker(Checker):
    """Finds the types of what was made; those of what the author wrote are known."""

    def __init__(self, typed: Typed) -> None:
        super().__init__(typed.resolved, CASES)
        self.coerced = typed.coerced
        self.known: set[t.Node] = set()

    def steps(self, block: t.Block, written: t.Node) -> None:
        for _, value in parts(written):
            inner = value if isinstance(value, tuple) else (value,)
            self.known.update(stmt for stmt in inner if isinstance(stmt, t.Stmt))
        for step in block:
            self.visit(step)
        assert not self.found, self.found

    def visit(self, node: t.Node) -> None:
        if node not in self.known:
            super().visit(node)


class Filling:
    """Templates filled in for one step: their names are the same in all of them, and nobody else can name them."""

    def __init__(self, typed: Typed, step: t.Stmt, holes: Mapping[str, Any]) -> None:
        self.typed = typed
        self.resolved = typed.resolved
        self.step = step
        self.span = step.span
        self.holes = {**vars(step), **holes}
        self.locals: dict[str, Local] = {}
        self.used: set[Any] = set()

    def __call__(self, template: str, at: Span | None = None, **more: Any) -> t.Block:
        before, self.holes = self.holes, {**self.holes, **more}
        if at is not None:
            self.span = at
        block = self.block(_templates()[template])
        self.span = self.step.span
        self.holes = before
        return block

    def named(self, word: str, like: t.Name | None = None) -> t.Name:
        """One of these names, perhaps with the word and the place of one that the author gave."""
        name = t.Name(like.span if like is not None else self.step.span, like.word if like is not None else word)
        local = self.locals.setdefault(word, Local(name.word, name.span))
        self.resolved.meaning[name] = local
        return name

    def block(self, steps: t.Block) -> t.Block:
        return tuple(written for step in steps for written in self._step(step))

    def _step(self, step: t.Stmt) -> tuple[t.Stmt, ...]:
        hole = self._hole(step.name) if isinstance(step, t.Do) else None
        if hole is None:
            return (self._node(step),)
        return hole if isinstance(hole, tuple) else (hole,)

    def _hole(self, name: t.Name) -> Any:
        return self.holes[name.word.removeprefix(HOLE).replace("-", "_")] if name.word.startswith(HOLE) else None

    def _value(self, value: Any) -> Any:
        if isinstance(value, t.Stmt):
            (step,) = self._step(value)
            return step
        if isinstance(value, tuple) and value and isinstance(value[0], t.Stmt):
            return self.block(value)
        if isinstance(value, tuple):
            return tuple(self._value(part) for part in value)
        return self._node(value) if isinstance(value, t.Node) else value

    def _node(self, node: Any) -> Any:
        if isinstance(node, t.Name):
            return self._name(node)
        inner = {field.name: self._field(node, field.name) for field in fields(node) if field.name != "span"}
        if isinstance(node, t.OfMembers) and inner.get("condition", node) is None:
            return inner["members"]
        made = replace(node, span=self.span, **inner)
        self._bind(made)
        return made

    def _field(self, node: t.Node, name: str) -> Any:
        """Words such as `secretly` stand there if they stand in the step, and so do its texts."""
        value = getattr(node, name)
        if value is True and name in self.holes:
            return self.holes[name]
        if isinstance(value, str) and value.startswith(HOLE):
            return self.holes[value.removeprefix(HOLE)]
        return self._value(value)

    def _name(self, name: t.Name) -> Any:
        if name.word.startswith(HOLE):
            return self._once(self._hole(name))
        made = t.Name(self.span, name.word)
        if name.word in BUILTINS or name.word in BUILTIN_KINDS:
            sort = name.word if name.word in BUILTIN_KINDS else "builtin"
            self.resolved.meaning[made] = Symbol(sort, name.word)
        else:
            self.resolved.meaning[made] = self._local(name.word)
        return made

    def _local(self, word: str) -> Local:
        return self.locals.setdefault(word, Local(word, self.step.span))

    def _once(self, hole: Any) -> Any:
        """What the author wrote, where it is used first; after that, copies."""
        if not isinstance(hole, t.Expr) or hole not in self.used:
            self.used.add(hole)
            return hole
        return copied(self.typed, hole)

    def _bind(self, node: t.Node) -> None:
        """What a node gives a name to; where it gives none of its own, it is what the step gives one to."""
        kind: type = type(node)
        binds = self.resolved.binds
        names = [name for role in _GIVING for name in having(node, role)]
        for name in names:
            meaning = self.resolved.meaning[name]
            assert isinstance(meaning, Local)
            binds[node] = meaning
        if not names and has(kind, Role.BINDS_BELOW) and self.step in binds:
            binds[node] = binds[self.step]
        for asked in having(node, Role.PER_MEMBER):
            if isinstance(asked, t.Expr) and asked in self.resolved.asked:
                binds.setdefault(node, self.resolved.asked[asked])
            elif not names:
                binds.setdefault(node, self._local("it"))


def changed(resolved: Resolved, node: Any, **changes: Any) -> Any:
    """A node with something changed in it, which gives a name to the same as before."""
    new = replace(node, **changes)
    if node in resolved.binds:
        resolved.binds[new] = resolved.binds[node]
    return new


@cache
def _templates() -> Mapping[str, t.Block]:
    """What stands in the file, by name."""
    source = Source(FILE, (resources.grammar() / FILE).read_text(encoding="utf-8"))
    page = reading(source).page
    keep_page(source)
    assert page is not None
    return {routine.name.word: routine.block for routine in page.definitions if isinstance(routine, t.Routine)}


STANDS_FOR: dict[type, Callable[[Desugaring, Any], t.Block | None]] = {}
W = TypeVar("W", bound=Callable[[Desugaring, Any], t.Block | None])


def stands_for(write: W) -> W:
    """Register what steps of the sorts that the function takes stand for."""
    for sort in str(write.__annotations__["s"]).split(" | "):
        STANDS_FOR[getattr(t, sort.removeprefix("t."))] = write
    return write


def _on_its_way(block: Any) -> t.Block:
    """What a step takes away, the next one puts somewhere else: no more than can go there, and all that has come."""
    *before, taken, put = block
    return (*before, replace(taken, to=put.place), replace(put, gone=taken.place))


# --- from one place into another -------------------------------------------------------------------


@stands_for
def _draw_into(d: Desugaring, s: t.DrawInto) -> t.Block:
    """What goes to a place that is a secret is drawn without anybody seeing it."""
    count = s.count if s.count is not None else t.Number(s.span, 1)
    again: Any
    (again,) = d.filled(s, "draw-into", count=count, secretly=s.secretly or d.is_secret(s.place))
    return (replace(again, block=_on_its_way(again.block)),)


@stands_for
def _move(d: Desugaring, s: t.Move) -> t.Block:
    return _on_its_way(d.filled(s, "move"))


# --- several at once -------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Ways:
    """The templates for what is chosen several times: how it begins, and what is done each time."""

    beginning: str
    choice: str
    taking: str
    first: str
    settling: str = "settling"


_OF_SET = _Ways("nothing-yet", "choice", "taking", "first")
_OF_NUMBERS = _Ways("no-numbers-yet", "choice", "taking", "first")
_OF_BAG = _Ways("two-bags", "choice-of-bag", "taking-over", "first-of-bag", "settling-of-bag")
_OF_DICE = _Ways("no-dice-yet", "choice-of-dice", "taking-over", "first-of-dice")


class _Several:
    """What is chosen or drawn several times by one name."""

    def __init__(self, d: Desugaring, s: Any) -> None:
        self.s = s
        every = d.all_of(s.kind) if hasattr(s, "kind") else None
        source = s.source if s.source is not None else every
        shape = d.typed.of(s.source).shape if s.source is not None else "set"
        wanted = getattr(s, "where", None) or d.builtin("yes", s.span)
        self.ways = {"bag": _OF_BAG, "dice": _OF_DICE}.get(shape, _OF_SET)
        if every is not None and d.resolved.of(every).sort == "number":
            self.ways = _OF_NUMBERS
        self.fill = Filling(d.typed, s, {"every": every, "source": source, "wanted": wanted})
        self.fill.holes["one"] = self.fill.named("one", s.name)

    @property
    def of_set(self) -> bool:
        return self.ways in (_OF_SET, _OF_NUMBERS)

    def settled(self) -> t.Block:
        """Something must be there, or what begins so cannot be completed."""
        (let,) = self.fill(self.ways.settling)
        return (changed(self.fill.resolved, let, some=True),)

    def beginning(self) -> t.Block:
        return self.fill(self.ways.beginning)

    def turns(self, count: t.Expr, **more: Any) -> t.Block:
        """So many times, or until one has enough."""
        if not isinstance(self.s, t.ChooseUpTo | t.ChooseUpToDice):
            return self.fill("turns", count=count, **self._once(**more))
        if not self.s.secretly:
            return self.fill("turns-up-to", count=count, turn=self._turn(**more))
        return self.fill("turns-up-to-secretly", count=count, first_turn=self._turn(**more), turn=self._turn(**more))

    def _turn(self, **more: Any) -> t.Block:
        return self.fill("turn", **self._once(**more))

    def _once(self, **more: Any) -> dict[str, Any]:
        return {"choice": self.fill(self.ways.choice, **more), "taking": self.fill(self.ways.taking, **more)}


@stands_for
def _choose_some(d: Desugaring, s: t.ChooseSome | t.ChooseUpTo | t.ChooseDice | t.ChooseUpToDice) -> t.Block:
    some = _Several(d, s)
    settling, beginning = some.settled(), some.beginning()
    return some.fill("choose-some", settling=settling, beginning=beginning, turns=some.turns(s.count))


@stands_for
def _draw_some(d: Desugaring, s: t.DrawSome) -> t.Block:
    some = _Several(d, s)
    return some.fill("draw-some" if some.of_set else "draw-some-of-bag", beginning=some.beginning())


def _some_offered(d: Desugaring, s: t.ChooseSome | t.ChooseDice, many: int) -> tuple[t.Stmt, t.Block]:
    """The choice of the first of some, and the steps in which the others are chosen."""
    some, less = _Several(d, s), t.Number(s.span, many - 1)
    if some.of_set:
        whole, (first,) = _value_of(some.fill("settling")), some.fill(some.ways.first)
        if many == 1:
            return first, some.fill("no-others", beginning=some.beginning())
        others = "others-up-to" if isinstance(s, t.ChooseUpTo) else "others"
        return first, some.fill(others, less=less, whole=whole)
    (first,) = some.fill(some.ways.first)
    settling = some.fill("settling") if some.ways is _OF_DICE else ()
    beginning, another = some.beginning(), some.fill.named("another", s.name)
    return first, some.fill(
        "others-of-bag", settling=settling, beginning=beginning, turns=some.turns(less, one=another)
    )


def _value_of(block: t.Block) -> t.Expr:
    """What a name is given."""
    (let,) = block
    value: t.Expr = getattr(let, "value")  # noqa: B009
    return value


# --- dice ------------------------------------------------------------------------------------------


@stands_for
def _choose_die(d: Desugaring, s: t.ChooseDie) -> t.Block | None:
    return d.filled(s, "choose-die") if s.where is not None else None


@stands_for
def _roll_several(d: Desugaring, s: t.RollSeveral) -> t.Block:
    """Where the place is a secret, each kind is rolled unseen."""
    fill, rolls = Filling(d.typed, s, {}), list[t.Stmt]()
    hidden, together = s.place is not None and d.is_secret(s.place), list[t.Expr]()
    for number, roll in enumerate(s.rolls):
        name = fill.named(f"rolled-{number}")
        rolls += fill("roll-unseen" if hidden else "roll-a-kind", many=roll.count, die=roll.die, one=name)
        together.append(copied(d.typed, name))
    if hidden:
        return tuple(rolls)
    every = reduce(lambda left, right: t.Binary(s.span, "+", left, right, wrapped=True), together)
    return (*rolls, *fill("roll-as" if s.place is None else "roll-into", all=every))


@stands_for
def _set_face(d: Desugaring, s: t.SetFace) -> t.Block:
    fill, kinds = Filling(d.typed, s, {}), list[t.Stmt]()
    for die in (die for die in d.resolved.book.definitions.values() if isinstance(die, t.Die)):
        name = t.Name(s.span, die.name.word)
        d.resolved.meaning[name] = Symbol("die", die.name.word, die)
        kinds += fill("set-face-of-a-kind", die=name, sides=t.Number(s.span, die.sides))
    return fill("set-face", kinds=tuple(kinds))


# --- payments --------------------------------------------------------------------------------------


@stands_for
def _give(d: Desugaring, s: t.Give) -> t.Block:
    """What it comes to is worked out for the giver."""
    fill, lets, parts = Filling(d.typed, s, {}), list[t.Stmt](), list[t.Part]()
    for number, part in enumerate(given(d.typed, s.bundle)):
        name = fill.named(f"amount-{number}")
        lets += fill("amount", one=name, amount=part.amount)
        parts.append(t.Part(part.span, copied(d.typed, name), part.what))
        d.resolved.written[parts[-1]] = part
    paid = t.Bundle(s.bundle.span, tuple(parts))
    gained = t.Bundle(s.bundle.span, tuple(_copied_part(d, part) for part in parts))
    d.resolved.written.update({paid: s.bundle, gained: s.bundle})
    whom = fill.named("whom")
    d.resolved.written[whom] = s.whom
    turn = fill("given", receiver=whom, gained=t.Gain(s.span, (gained,)))
    return (*fill("receiver"), *lets, t.Spend(s.span, (paid,), None, turn))


def _copied_part(d: Desugaring, part: t.Part) -> t.Part:
    return replace(part, amount=copied(d.typed, part.amount), what=copied(d.typed, part.what))


# --- what one may do -------------------------------------------------------------------------------


def _offered(d: Desugaring, offer: Any) -> t.Block | None:
    """A step in short is done below the offer, so that what it stands for may be several steps."""
    head: t.Stmt | None = getattr(offer, "head", None)
    if isinstance(head, t.ChooseSome | t.ChooseDice) and isinstance(head.count, t.Number) and head.count.value > 0:
        first, others = _some_offered(d, head, head.count.value)
        return (replace(offer, head=first, then=(*others, *offer.then)),)
    if isinstance(head, t.ChooseDie) and head.where is not None:
        (first,) = d.filled(head, "choose-die")
        return (replace(offer, head=first),)
    return (replace(offer, head=None, then=(head, *offer.then)),) if isinstance(head, t.Short) else None


# --- again, and turns ------------------------------------------------------------------------------


@stands_for
def _do_times(d: Desugaring, s: t.DoTimes) -> t.Block:
    return d.filled(s, "do-times")


@stands_for
def _for(d: Desugaring, s: t.For) -> t.Block:
    return d.filled(s, "for")


@stands_for
def _each_where(d: Desugaring, s: t.EachWhere) -> t.Block:
    return d.filled(s, "each-where", every=d.all_of(s.kind))


@stands_for
def _each_with(d: Desugaring, s: t.EachWith) -> t.Block:
    best = t.Best(s.span, d.all_of(s.kind), s.keys)
    d.resolved.binds[best] = d.resolved.asked[s.keys[0][1]]
    return d.filled(s, "each-with", best=best)


@stands_for
def _each_round(d: Desugaring, s: t.EachRound) -> t.Block:
    return d.filled(s, "each-round" if s.where is None else "each-round-where")


@stands_for
def _each_number(d: Desugaring, s: t.EachNumber) -> t.Block:
    return d.filled(s, "each-number", name=s.name or s.kind)


@stands_for
def _at_once(d: Desugaring, s: t.EachAtOnce) -> t.Block:
    """One after the other, with every question put in secret."""
    d.everything(s.block)
    (each,) = d.filled(s, "each-at-once", block=_in_secret(d.resolved, s.block))
    return (changed(d.resolved, each, unseen=True),)


def _in_secret(resolved: Resolved, value: Any) -> Any:
    if isinstance(value, tuple):
        inner = ((step, _in_secret(resolved, step)) for step in value)
        return tuple(chain.from_iterable(new if step in resolved.full else (new,) for step, new in inner))
    if not isinstance(value, t.Node) or isinstance(value, t.Expr):
        return value
    if value in resolved.full:
        return _in_secret(resolved, resolved.full[value])
    changes = {name: new for name, old in parts(value) if not _same(new := _in_secret(resolved, old), old)}
    if hasattr(value, "secretly"):
        changes["secretly"] = True
    return changed(resolved, value, **changes) if changes else value


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, tuple):
        return len(one) == len(other) and all(_same(x, y) for x, y in zip(one, other, strict=True))
    return one is other


# --- loops that are left early -----------------------------------------------------------------------


def _left_early(d: Desugaring, loop: Any) -> t.Block:
    fill = Filling(d.typed, loop, {})
    begun, block = fill("not-left"), _guarded(fill, loop.block)
    if getattr(loop, "until", None) is not None:
        return (*begun, *fill("until-left", block=block))
    return (*begun, changed(d.resolved, loop, block=_unless_left(fill, block)))


def _guarded(fill: Filling, block: t.Block) -> t.Block:
    for i, step in enumerate(block):
        if any(leaving(step)):
            rest = _guarded(fill, block[i + 1 :])
            return (*block[:i], *_flagged(fill, step), *(_unless_left(fill, rest) if rest else ()))
    return block


def _flagged(fill: Filling, node: Any) -> tuple[Any, ...]:
    """A step that may leave the loop, with all blocks that stand in it."""
    if isinstance(node, t.Leave):
        return fill("leave", at=node.span)
    changes: dict[str, Any] = {}
    for name, value in parts(node):
        if is_block(value):
            changes[name] = _guarded(fill, value)
        elif isinstance(value, tuple) and any(isinstance(one, t.Branch) for one in value):
            changes[name] = tuple(one for branch in value for one in _flagged(fill, branch))
    return (changed(fill.resolved, node, **changes),)


def _unless_left(fill: Filling, rest: t.Block) -> t.Block:
    (guarded,) = fill("unless-left", rest=rest)
    return (replace(guarded, span=rest[0].span),)
