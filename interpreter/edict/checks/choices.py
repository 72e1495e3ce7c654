"""Choices that are none: options that do the same, are called the same or are never worth taking, offers of nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from edict.checks.excluding import Key, Reader
from edict.language import tree as t
from edict.language.roles import Asks, Ends, Role, has, having
from edict.language.walking import parts, walk
from edict.meaning.calls import calls, moved, owners
from edict.meaning.resources import resources
from edict.meaning.symbols import Symbol, definition_of
from edict.meaning.types import Typed
from edict.report import Diagnostic, Label


def alike(typed: Typed) -> Iterator[Diagnostic]:
    same = Reader(typed.resolved)
    for owner in owners(typed.resolved):
        for node in walk(owner):
            if isinstance(node, t.ChooseOne):
                yield from _options(same, node)
            elif isinstance(node, t.Stmt) and has(type(node), Role.MOVED):
                yield from _twice([(same.key(one), one) for one in having(node, Role.MOVED)], "this is offered already")
            elif isinstance(node, t.Stmt) and has(type(node), Role.INSTEAD):
                yield from _offer(node) if isinstance(node, Asks) else _branches(same, node)


def _options(same: Reader, choice: t.ChooseOne) -> Iterator[Diagnostic]:
    branches = choice.branches
    if len(branches) == 1 and branches[0].condition is None:
        yield _none("a single option is no choice", branches[0], "add another, or write the steps without `choose one`")
    titled = [(("title", one.title), one) for one in branches if one.title and not one.more]
    called = [*_twice(titled, "another option has the same title")]
    done = [((*map(same.key, one.block), _condition(same, one)), one) for one in branches]
    yield from called or _twice(done, "this option does the same as another")


def _condition(same: Reader, branch: t.Branch) -> Key:
    return ("always",) if branch.condition is None else same.key(branch.condition)


def _twice(keyed: Sequence[tuple[Key, t.Node]], title: str) -> Iterator[Diagnostic]:
    first: dict[Key, t.Node] = {}
    for key, node in keyed:
        before = first.setdefault(key, node)
        if before is not node:
            yield _none(title, node, "make them differ, or delete one", Label(before.span, "the other one"))


def _offer(may: t.Stmt) -> Iterator[Diagnostic]:
    inner = [one for _, value in parts(may) for one in (value if isinstance(value, tuple) else (value,))]
    if all(isinstance(one, t.Nothing) for one in inner if isinstance(one, t.Stmt)):
        yield _none("nothing happens, whatever is answered", may, "write below it what is offered")


def _branches(same: Reader, one: t.Stmt) -> Iterator[Diagnostic]:
    otherwise, then = [*map(same.key, having(one, Role.INSTEAD))], [*map(same.key, getattr(one, "then", ()))]
    for condition in having(one, Role.DECIDES):
        if otherwise and otherwise == then:
            yield _none("the same happens whether this is so or not", condition, "make the two differ, or leave it out")


def _none(title: str, node: t.Node, remedy: str, *labels: Label) -> Diagnostic:
    return Diagnostic("E0555", title, node.span, severity="warning", labels=labels, help=remedy)


# --- options that are never better -----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Trade:
    """What an option gives and takes, in numbers that are written out."""

    node: t.Node
    condition: Key
    gained: Counter[t.Definition] = field(default_factory=Counter)
    paid: Counter[t.Definition] = field(default_factory=Counter)
    lost: Counter[t.Definition] = field(default_factory=Counter)

    def differing(self, other: _Trade) -> set[t.Definition]:
        """In what the other is better; nothing if it is worse in anything."""
        better = {one for one in self.gained | other.gained if other.gained[one] > self.gained[one]}
        worse = any(other.gained[one] < self.gained[one] for one in self.gained)
        for mine, its in ((self.paid, other.paid), (self.lost, other.lost)):
            better |= {one for one in mine if its[one] < mine[one]}
            worse = worse or any(its[one] > mine[one] for one in its)
        return set() if worse else better


def dominated(typed: Typed) -> Iterator[Diagnostic]:
    """Only of resources of which more is surely better, and of options of which the better one is always there too."""
    nodes = (node for owner in owners(typed.resolved) for node in walk(owner))
    trades = [(node, some) for node in nodes if len(some := _trades(typed, node)) > 1]
    good = _never_too_many(typed) if trades else set()
    for choice, some in trades:
        alone = isinstance(choice, t.ChooseOne) and len(choice.branches) == 2
        for one in some:
            better = (other for other in some if other.condition in (("always",), one.condition))
            best = next((other for other in better if good >= (more := one.differing(other)) and more), None)
            if best is not None:
                yield Diagnostic(
                    "E0578", "nobody will choose this: another option gives no less, and takes no more", one.node.span,
                    severity="warning", labels=(Label(best.node.span, "the better one"),),
                    help="make each of them better in something, or "
                    + ("write the steps of the better one without `choose one`" if alone else "leave this one out"),
                )  # fmt: skip


def _trades(typed: Typed, node: t.Node) -> list[_Trade]:
    """The options of a choice that only give and take."""
    if isinstance(node, t.ChooseOne) and node.asking is None:
        same = Reader(typed.resolved)
        branches = [_Trade(one, _condition(same, one)) for one in node.branches]
        return [one for one, branch in zip(branches, node.branches, strict=True) if _done(typed, one, branch.block)]
    gains = isinstance(node, t.Gain)
    if gains or (pays(node) and not getattr(node, "name", None)):
        bundles = [_Trade(one, ("always",)) for one in having(node, Role.MOVED)]
        return [one for one in bundles if _counted(typed, one.gained if gains else one.paid, one.node)]
    return []


def pays(node: t.Node) -> bool:
    """Whether what stands below it happens only if it is paid for."""
    return has(type(node), Role.MOVED) and has(type(node), Role.INSTEAD)


def _done(typed: Typed, trade: _Trade, block: t.Block) -> bool:
    """Notes what these steps give and take; whether that is all they do."""
    for step in block:
        bundles = [*having(step, Role.MOVED)]
        into = trade.paid if pays(step) else {t.Gain: trade.gained, t.Lose: trade.lost}.get(type(step))
        if into is None or len(bundles) != 1 or not _counted(typed, into, bundles[0]):
            return False
        plain = not getattr(step, "name", None) and not [*having(step, Role.INSTEAD)]
        if not plain or not _done(typed, trade, getattr(step, "then", ())):
            return False
    return True


def _counted(typed: Typed, into: Counter[t.Definition], bundle: t.Node) -> bool:
    for part in getattr(bundle, "parts", ()):
        what = definition_of(typed.resolved, part.what) if isinstance(part, t.Part) else None
        if what is None or not isinstance(part.amount, t.Number) or part.beside is not None:
            return False
        for one in moved(typed.resolved, what) if part.each else [what]:
            into[one] += part.amount.value
    return True


def _never_too_many(typed: Typed) -> set[t.Definition]:
    """Resources that pay for something or make the score, unless rules wait for them or punish who has many."""
    good, resolved = {*_wanted(typed)}, typed.resolved
    for owner in owners(resolved):
        for node in walk(owner):
            then = getattr(node, "then", ()) if has(type(node), Role.DECIDES) else ()
            if any(_hurts(one) for step in then for one in walk(step)):
                good -= {definition for one in having(node, Role.DECIDES) for definition in _asked(typed, one)}
    good = {one for one in good if one not in calls(resolved).held}
    groups = {one for one in resolved.book.definitions.values() if isinstance(one, t.Group)}
    return good | {one for one in groups if good >= {*moved(resolved, one)}}


def _hurts(node: t.Node) -> bool:
    return isinstance(node, t.Lose | Ends) or has(type(node), Role.CHANGED)


def _wanted(typed: Typed) -> Iterator[t.Definition]:
    things = (one for one in owners(typed.resolved) if isinstance(one, t.Thing))
    priced = {one for thing in things for one in _named(typed, thing.fields)}
    for owner in owners(typed.resolved):
        if isinstance(owner, t.Game):
            yield from _added(typed, owner.score, set())
            for most, key in owner.winners.keys if isinstance(owner.winners, t.Best) else ():
                yield from _added(typed, key, set()) if most == "most" else ()
        for node in walk(owner):
            for bundle in having(node, Role.MOVED) if pays(node) else ():
                for part in bundle.parts:
                    what = definition_of(typed.resolved, part.what) if isinstance(part, t.Part) else None
                    for one in moved(typed.resolved, what) if what is not None else ():
                        if getattr(part, "price", None) is None or one in priced:
                            yield one


def _named(typed: Typed, fields: Iterable[t.Node]) -> Iterator[t.Definition]:
    for node in (node for one in fields for node in walk(one)):
        definition = definition_of(typed.resolved, node)
        if isinstance(definition, t.Resource):
            yield definition


def _asked(typed: Typed, expr: t.Expr) -> Iterator[t.Definition]:
    """The resources of which somebody's number is asked."""
    for node in walk(expr):
        for one in resources(typed.resolved, node.head) if isinstance(node, t.Apply) else ():
            if isinstance(one, Symbol) and one.definition is not None:
                yield one.definition


def _added(typed: Typed, expr: t.Expr, seen: set[t.Definition]) -> Iterator[t.Definition]:
    """The resources that make a number larger, in any case."""
    if isinstance(expr, t.Binary) and expr.op in ("+", "-"):
        yield from _added(typed, expr.left, seen)
        yield from _added(typed, expr.right, seen) if expr.op == "+" else ()
    elif isinstance(expr, t.Binary) and expr.op in ("*", "/"):
        yield from _added(typed, expr.left, seen) if isinstance(expr.right, t.Number) else ()
        yield from _added(typed, expr.right, seen) if isinstance(expr.left, t.Number) else ()
    elif isinstance(expr, t.Apply):
        definition = definition_of(typed.resolved, expr.head)
        if isinstance(definition, t.Quantity) and definition not in seen:
            yield from _added(typed, definition.value, seen | {definition})
        elif isinstance(definition, t.Resource | t.Group):
            yield from moved(typed.resolved, definition)
