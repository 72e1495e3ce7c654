"""Choices that are none: options that do the same or are never better, offers of nothing; winners by another count."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Hashable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate
from operator import or_
from typing import TypeVar

from edict.checks.check_registry import Checks, Rules
from edict.language import tree as t
from edict.language.printing.printed_expressions import expression
from edict.language.roles import Asks, Ends, Role, has, having
from edict.language.walking import parts, walk
from edict.meaning.call_graph import calls, is_you, moved, owners
from edict.meaning.effects import all_reads, moved as meanings_moved
from edict.meaning.possible_values import MIRRORED, Key, Reader, possible
from edict.meaning.resource_names import resources
from edict.meaning.symbols import Local, Meaning, Resolved, Symbol, definition_of, parts_of
from edict.meaning.types import Typed
from edict.meaning.whose_turn import gives_turns
from edict.report import Diagnostic, Label

checks = Checks()
H = TypeVar("H", bound=Hashable)


def _bundles(kind: type) -> bool:
    return issubclass(kind, t.Stmt) and has(kind, Role.MOVED)


@checks.at(_bundles)
def offered_twice(rules: Rules, node: t.Stmt) -> Iterator[Diagnostic]:
    bundles = [*having(node, Role.MOVED)]
    if len(bundles) > 1:
        yield from _twice([(rules.reader.key(one), one) for one in bundles], "this is offered already")


def _otherwise(kind: type) -> bool:
    return issubclass(kind, t.Stmt) and has(kind, Role.INSTEAD) and not has(kind, Role.MOVED)


@checks.at(_otherwise)
def nothing_decided(rules: Rules, node: t.Stmt) -> Iterator[Diagnostic]:
    yield from _offer(node) if isinstance(node, Asks) else _branches(rules.reader, node)


@checks.at(t.ChooseOne)
def options(rules: Rules, choice: t.ChooseOne) -> Iterator[Diagnostic]:
    same, branches = rules.reader, choice.branches
    if len(branches) == 1 and branches[0].condition is None:
        remedy = "add another, or write the steps without `choose one`"
        yield _none("a single option is not a choice", branches[0], remedy)
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

    def worth(self, of: t.Definition) -> tuple[int, int, int]:
        """Return what it brings of a resource, in numbers of which more is better."""
        return self.gained[of], -self.paid[of], -self.lost[of]


def _first_better(trades: Sequence[_Trade], good: Set[t.Definition]) -> Iterator[_Trade | None]:
    """Yield for each option the first other one that is better in something good, and in nothing worse or different.

    Sets of options are numbers with a bit each, for there may be thousands, and all are compared with all.
    """
    ways = _bits(one.condition for one in trades)
    used = dict.fromkeys(of for one in trades for bag in (one.gained, one.paid, one.lost) for of in bag)
    columns = [(of in good, [one.worth(of)[way] for one in trades]) for of in used for way in range(3)]
    compared = [(values, same := _bits(values), _at_least(same) if is_good else same) for is_good, values in columns]
    for number, one in enumerate(trades):
        better = ways[one.condition] | ways.get(("always",), 0)
        same = better
        for values, equal, enough in compared:
            same &= equal[values[number]]
            better &= enough[values[number]]
        better &= ~same
        yield trades[(better & -better).bit_length() - 1] if better else None


def _bits(values: Iterable[H]) -> dict[H, int]:
    """Return by value the set of the places where it stands."""
    places: defaultdict[H, int] = defaultdict(int)
    for place, value in enumerate(values):
        places[value] |= 1 << place
    return dict(places)


def _at_least(places: Mapping[int, int]) -> dict[int, int]:
    """Return by number the set of the places where at least so much stands."""
    falling = sorted(places, reverse=True)
    return dict(zip(falling, accumulate((places[one] for one in falling), or_), strict=True))


def _has_price(kind: type) -> bool:
    return has(kind, Role.MOVED) and has(kind, Role.INSTEAD)


@checks.at(t.ChooseOne, t.Gain, _has_price)
def dominated(rules: Rules, choice: t.Node) -> Iterator[Diagnostic]:
    """Only of resources of which more is surely better, and of options of which the better one is always there too."""
    trades = _trades(rules, choice)
    good = _never_too_many(rules.resolved) if len(trades) > 1 else set()
    alone = isinstance(choice, t.ChooseOne) and len(choice.branches) == 2
    for one, best in zip(trades, _first_better(trades, good), strict=True) if good else ():
        if best is not None:
            yield Diagnostic(
                "E0578", "nobody will choose this: another option gives no less, and takes no more", one.node.span,
                severity="warning", labels=(Label(best.node.span, "the better one"),),
                help="make each of them better in something, or "
                + ("write the steps of the better one without `choose one`" if alone else "leave this one out"),
            )  # fmt: skip


def _trades(rules: Rules, node: t.Node) -> list[_Trade]:
    """The options of a choice that only give and take."""
    resolved = rules.resolved
    if isinstance(node, t.ChooseOne) and node.asking is None:
        branches = [_Trade(one, _condition(rules.reader, one)) for one in node.branches]
        return [one for one, branch in zip(branches, node.branches, strict=True) if _done(resolved, one, branch.block)]
    gains = isinstance(node, t.Gain)
    if gains or (pays(node) and not getattr(node, "name", None)):
        bundles = [_Trade(one, ("always",)) for one in having(node, Role.MOVED)]
        return [one for one in bundles if _counted(resolved, one.gained if gains else one.paid, one.node)]
    return []


def pays(node: t.Node) -> bool:
    """Whether what stands below it happens only if it is paid for."""
    return _has_price(type(node))


def _done(resolved: Resolved, trade: _Trade, block: t.Block) -> bool:
    """Notes what these steps give and take; whether that is all they do."""
    for step in block:
        bundles = [*having(step, Role.MOVED)]
        into = trade.paid if pays(step) else {t.Gain: trade.gained, t.Lose: trade.lost}.get(type(step))
        if into is None or len(bundles) != 1 or not _counted(resolved, into, bundles[0]):
            return False
        plain = not getattr(step, "name", None) and not [*having(step, Role.INSTEAD)]
        if not plain or not _done(resolved, trade, getattr(step, "then", ())):
            return False
    return True


def _counted(resolved: Resolved, into: Counter[t.Definition], bundle: t.Node) -> bool:
    for part in parts_of(resolved, bundle) if isinstance(bundle, t.Bundle) else ():
        what = definition_of(resolved, part.what) if isinstance(part, t.Part) else None
        if what is None or not isinstance(part, t.Part) or part.beside is not None:
            return False
        if not isinstance(part.amount, t.Number):
            return False
        for one in moved(resolved, what) if part.each else [what]:
            into[one] += part.amount.value
    return True


@lru_cache(maxsize=2)
def _never_too_many(resolved: Resolved) -> set[t.Definition]:
    """Resources that pay for something or make the score, unless rules wait for them or punish who has many."""
    good = {*_wanted(resolved)}
    for owner in owners(resolved):
        for node in walk(owner):
            then = getattr(node, "then", ()) if has(type(node), Role.DECIDES) else ()
            if any(_hurts(one) for step in then for one in walk(step)):
                good -= {definition for one in having(node, Role.DECIDES) for definition in _asked(resolved, one)}
    good = {one for one in good if one not in calls(resolved).held}
    groups = {one for one in resolved.book.definitions.values() if isinstance(one, t.Group)}
    return good | {one for one in groups if good >= {*moved(resolved, one)}}


def _hurts(node: t.Node) -> bool:
    return isinstance(node, t.Lose | Ends) or has(type(node), Role.CHANGED)


def _wanted(resolved: Resolved) -> Iterator[t.Definition]:
    things = (one for one in owners(resolved) if isinstance(one, t.Thing))
    priced = {one for thing in things for one in _named(resolved, thing.fields)}
    for owner in owners(resolved):
        if isinstance(owner, t.Game):
            yield from _added(resolved, owner.score, set())
            for most, key in owner.winners.keys if isinstance(owner.winners, t.Best) else ():
                yield from _added(resolved, key, set()) if most == "most" else ()
        for node in walk(owner):
            for bundle in having(node, Role.MOVED) if pays(node) else ():
                for part in parts_of(resolved, bundle):
                    what = definition_of(resolved, part.what) if isinstance(part, t.Part) else None
                    for one in moved(resolved, what) if what is not None else ():
                        if getattr(part, "price", None) is None or one in priced:
                            yield one


def _named(resolved: Resolved, fields: Iterable[t.Node]) -> Iterator[t.Definition]:
    for node in (node for one in fields for node in walk(one)):
        definition = definition_of(resolved, node)
        if isinstance(definition, t.Resource):
            yield definition


def _asked(resolved: Resolved, expr: t.Expr) -> Iterator[t.Definition]:
    """The resources of which somebody's number is asked."""
    for node in walk(expr):
        for one in resources(resolved, node.head) if isinstance(node, t.Apply) else ():
            if isinstance(one, Symbol) and one.definition is not None:
                yield one.definition


def _added(resolved: Resolved, expr: t.Expr, seen: set[t.Definition]) -> Iterator[t.Definition]:
    """The resources that make a number larger, in any case."""
    if isinstance(expr, t.Binary) and expr.op in ("+", "-"):
        yield from _added(resolved, expr.left, seen)
        yield from _added(resolved, expr.right, seen) if expr.op == "+" else ()
    elif isinstance(expr, t.Binary) and expr.op in ("*", "/"):
        yield from _added(resolved, expr.left, seen) if _more_than_none(expr.right) else ()
        yield from _added(resolved, expr.right, seen) if expr.op == "*" and _more_than_none(expr.left) else ()
    elif isinstance(expr, t.Apply):
        definition = definition_of(resolved, expr.head)
        if isinstance(definition, t.Quantity) and definition not in seen:
            yield from _added(resolved, definition.value, seen | {definition})
        elif isinstance(definition, t.Resource | t.Group):
            yield from moved(resolved, definition)


def _more_than_none(expr: t.Expr) -> bool:
    return isinstance(expr, t.Number) and expr.value > 0


# --- choices of a number of which the largest is best for everybody ------------------------------


@checks.at(t.Definition)
def as_much_as_can_be(rules: Rules, owner: t.Definition) -> Iterator[Diagnostic]:
    """`choose a number from 0 to 10 as n`, `gain n gold`: whoever is asked takes 10."""
    if isinstance(owner, t.Action):
        return  # its choices must pass its rules
    typed = rules.typed
    meaning, inside = typed.resolved.meaning, [*walk(owner)]
    asked = (node for node in inside if isinstance(node, t.Choose) and _of_some(typed, node))
    choices: dict[Meaning, t.Choose] = {typed.resolved.binds[one]: one for one in asked}
    if not choices:
        return
    names = (node for node in inside if isinstance(node, t.Name) and meaning.get(node) in choices)
    others, more = {name for name in names if choices[meaning[name]].name is not name}, set[t.Name]()
    gains: dict[Meaning, list[t.Gain]] = {local: [] for local in choices}
    for gain in (node for node in inside if isinstance(node, t.Gain)):
        for name in _more_with(typed, gain, others):
            gains[meaning[name]].append(gain)
            more.add(name)
    otherwise = {meaning[name] for name in others - more}
    turn: dict[t.Node, t.Node] = {}  # the innermost in which a step stands
    for node in inside:
        if gives_turns(typed.resolved, node):
            turn.update(dict.fromkeys(walk(node), node))
    for local, choice in choices.items():
        if gains[local] and local not in otherwise and all(_always_good(typed, gain) for gain in gains[local]):
            # where others gain it too, or in place of whoever chooses, it may be better to choose less
            if all(turn.get(gain) is turn.get(choice) for gain in gains[local]):
                yield _no_choice(choice, gains[local][0])


def _of_some(typed: Typed, choice: t.Choose) -> bool:
    """Whether somebody chooses one of several numbers for themselves."""
    if choice.low is None or choice.high is None or choice.asking is not None:
        return False
    return possible(typed, choice.low).low < possible(typed, choice.high).high


def _more_with(typed: Typed, gain: t.Gain, uses: Container[t.Node]) -> Iterator[t.Name]:
    """Those uses of a number by which more is gained, the larger it is."""
    for bundle in gain.options:
        for part in parts_of(typed.resolved, bundle):
            yield from _growing(typed, part.amount, uses)


def _growing(typed: Typed, amount: t.Expr, uses: Container[t.Node]) -> Iterator[t.Name]:
    if isinstance(amount, t.Name) and amount in uses:
        yield amount
    elif isinstance(amount, t.Binary) and amount.op in ("+", "-", "*", "/"):
        if amount.op in ("+", "-") or possible(typed, amount.right).low > 0:
            yield from _growing(typed, amount.left, uses)
        if amount.op == "+" or (amount.op == "*" and possible(typed, amount.left).low > 0):
            yield from _growing(typed, amount.right, uses)


def _always_good(typed: Typed, gain: t.Gain) -> bool:
    """Whether everybody would rather have more of what is gained.

    It is paid with or scored, never runs out, nothing waits for it, and rules ask only whether one has any.
    """
    gained: set[Meaning] = set()
    for bundle in gain.options:
        gained.update(meanings_moved(typed.resolved, bundle))
    held = calls(typed.resolved).held
    definitions = [one.definition for one in gained if isinstance(one, Symbol)]
    plain = all(isinstance(one, t.Resource) and one.limit is None and one not in held for one in definitions)
    return plain and gained <= _paid_or_scored(typed.resolved) and not gained & _weighed(typed.resolved)


@lru_cache(maxsize=2)
def _paid_or_scored(resolved: Resolved) -> set[Meaning]:
    """What is paid with, and what makes the score."""
    wanted: set[Meaning] = set()
    for owner in owners(resolved):
        if isinstance(owner, t.Game) and not any(getattr(one, "op", "") in ("-", "minus") for one in walk(owner.score)):
            wanted.update(all_reads(resolved, owner.score))
        for node in walk(owner):
            if _has_price(type(node)) or isinstance(node, t.CanPay):
                for bundle in having(node, Role.MOVED):
                    wanted.update(meanings_moved(resolved, bundle))
    return wanted


@lru_cache(maxsize=2)
def _weighed(resolved: Resolved) -> frozenset[Meaning]:
    """What is compared, unless with 0 or 1: there may be a point beyond which more is worse.

    Not where an action requires so much, as of its price.
    """
    sides: list[t.Expr] = []
    for owner in owners(resolved):
        required = {*walk(tuple(rule.require for rule in owner.rules))} if isinstance(owner, t.Action) else ()
        for node in walk(owner):
            if isinstance(node, t.Binary) and node.op in MIRRORED:
                for side, op, other in ((node.left, node.op, node.right), (node.right, MIRRORED[node.op], node.left)):
                    few = isinstance(other, t.Number) and other.value <= 1
                    if not few and not (node in required and op in (">", ">=")):
                        sides.append(side)
    return all_reads(resolved, *sides)


def _no_choice(choice: t.Choose, gain: t.Gain) -> Diagnostic:
    part, n = gain.options[0].parts[0], choice.name.word
    plain = len(gain.options) == len(gain.options[0].parts) == 1 and isinstance(part, t.Part) and choice.where is None
    most = "gain the most without asking"
    if plain and isinstance(part, t.Part) and isinstance(part.amount, t.Name) and choice.high is not None:
        most = f"write `gain {expression(choice.high)} {part.what.word}` without asking"
    return Diagnostic(
        "E0580", "there is nothing to decide here: everybody takes the largest number", choice.span, severity="warning",
        labels=(Label(gain.span, "a larger number only brings more"),),
        help=f"{most}, or let a larger number cost more, as in `spend {n} ...` with the gain indented below it",
    )  # fmt: skip


# --- winners who are not those with the highest score --------------------------------------------


@checks.at(t.Game)
def scoring(rules: Rules, game: t.Game) -> Iterator[Diagnostic]:
    """Of quantities nothing is said: two may come to the same."""
    typed = rules.typed
    if not isinstance(game.winners, t.Best) or not _tells(typed, game.score):
        return
    keys, wanted = game.winners.keys, _asked_about(typed, game.score)
    asked = [(most, _asked_about(typed, key)) for most, key in keys]
    if all(_kept_plainly(typed, key) for _, key in keys) and ("most", wanted) not in asked:
        fewest = next((key for most, key in keys if most == "fewest" and _asked_about(typed, key) == wanted), None)
        yield Diagnostic(
            "E0560", "the winners are not those with the highest score", (fewest or keys[0][1]).span,
            severity="warning", labels=(Label(game.score.span, "the score"),),
            help="let what wins count as the score" if fewest is None else
            "if the fewest win, write `score 0 - ...`, so that more is better",
        )  # fmt: skip


def _tells(typed: Typed, score: t.Expr) -> bool:
    """Whether it says something of a player; `score 0` does not."""
    return _kept_plainly(typed, score) and any(is_you(typed.resolved, node) for node in walk(score))


def _kept_plainly(typed: Typed, expr: t.Expr) -> bool:
    return not any(
        isinstance(definition_of(typed.resolved, node), t.Quantity) or isinstance(node, t.Binary | t.OfMembers)
        for node in walk(expr)
    )


def _asked_about(typed: Typed, expr: t.Expr) -> Key:
    """What it asks, of whomever: of `you` or of `it`."""
    return tuple(_word(typed, node) for node in walk(expr))


def _word(typed: Typed, node: t.Node) -> Key:
    local = isinstance(node, t.Name) and isinstance(typed.resolved.meaning.get(node), Local)
    if local or is_you(typed.resolved, node):
        return ("member",)
    return Reader(typed).key(node) if isinstance(node, t.Name | t.Number) else (type(node).__name__,)
