"""What a secret decides: whether it happens shows neither in what others know afterwards, nor in the log."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from math import prod

from edict.compiler.codegen import core
from edict.compiler.codegen.core import Const, Expr
from edict.compiler.codegen.core_builder import op
from edict.compiler.lowering.context import EVERYONE, NOTHING, YOU, Context
from edict.compiler.lowering.value_lowering import LocalPlace, keep_from, knowledge, place, resource_place, value
from edict.compiler.semantics.ability_targets import MOVES, MOVING
from edict.compiler.semantics.call_graph import called
from edict.compiler.semantics.effects import moved
from edict.compiler.semantics.link import AttachedAbility
from edict.compiler.semantics.secret_sources import (
    behind,
    gives_away,
    hidden_resources,
    hiding,
    secrets_of_locals,
    spoken_of,
)
from edict.compiler.semantics.symbols import Local, Meaning, Symbol, bound_in, in_full, keep_of
from edict.compiler.semantics.whose_turn import gives_turns
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.roles import Role, has, having
from edict.compiler.syntax.walking import walk
from edict.runtime.program import opcodes as o


@contextmanager
def unseen(c: Context, really: bool, *changing: t.Node) -> Iterator[None]:
    """What somebody does in secret: every secret that it may change is hidden first from all but whose it is, so that
    those that stay as they are look no different."""
    if not really or c.now.unseen >= 0:
        yield
        return
    _hide(c, NOTHING, changing)
    with c.within(unseen=c.cause):
        yield


@contextmanager
def unseen_places(c: Context, places: Iterable[LocalPlace]) -> Iterator[None]:
    """The same of what changes these places, of which others do not see which it is; none: they see it all."""
    hidden = [target.once(c) for target in places]
    if not hidden or c.now.unseen >= 0:
        yield
        return
    for target in hidden:
        keep_from(c, target, NOTHING)
    with c.within(unseen=c.cause), c.caused_by(c.parts.changed(c.cause, unseen=c.cause)):
        yield


@contextmanager
def decided_by(c: Context, asked: t.Expr | None, *changing: t.Node) -> Iterator[None]:
    """What depends on the answer to a question: who does not know the answer, does not know what changes by it."""
    secrets = behind(spoken_of(c.resolved, asked), secrets_of_locals(c.resolved)) if asked is not None else ()
    with unseen(c, any(isinstance(secret, Local) for secret in secrets), *changing):
        if not secrets or asked is None or c.now.unseen >= 0 or not any(_changed(c, changing)):
            yield
            return
        _hide(c, _knowing(c, asked, secrets), changing)
        with c.within(unseen=c.cause):
            yield


@contextmanager
def which_one(c: Context, step: t.Stmt) -> Iterator[None]:
    """A step that changes one of several secret places, or does one of several things: which one may be secret too.

    So may be which resource changes hands.
    """
    asked = [arg for place in having(step, Role.CHANGED) if isinstance(place, t.Apply) for arg in place.args]
    for part in (part for bundle in having(step, Role.MOVED) for part in bundle.parts):
        asked.append(part.what if isinstance(part, t.Part) else part.source)
    thing = getattr(step, "thing", None)
    if isinstance(thing, t.Expr) and has(type(step), Role.RUNS):
        asked.append(thing)
    with ExitStack() as all_:
        for expr in asked:
            if gives_away(c.resolved, expr):
                all_.enter_context(decided_by(c, expr, step))
        yield


def by_abilities(c: Context, held: Iterable[AttachedAbility]) -> None:
    """Before it is asked which abilities work: if it is a secret whether one does, what it changes is one too."""
    for attached in held:
        wanted = getattr(attached.ability, "condition", None)
        asked = [wanted] if wanted is not None else []
        if attached.thing is not None:
            kind = c.resolved.get(attached.thing.kind.word)
            asked += [kind.works_if] if isinstance(kind, t.Kind) and kind.works_if is not None else []
        for condition in asked:
            secrets = behind(spoken_of(c.resolved, condition), secrets_of_locals(c.resolved))
            if secrets and _changed(c, (attached.ability,)):
                _hide(c, _knowing(c, condition, secrets), (attached.ability,))


def _hide(c: Context, knowing: Expr, changing: tuple[t.Node, ...]) -> None:
    """Of all secret places that change there, keep only for those who are `knowing` and the owner what they know."""
    for places in _changed(c, changing):
        for target in places():
            keep_from(c, target, knowing)


def _knowing(c: Context, asked: t.Expr, secrets: frozenset[Meaning]) -> Expr:
    """Who knows all secret places that an answer depends on."""
    named: set[Meaning] = set()
    knowing = c.let(EVERYONE)
    for expr in hiding(c.resolved, walk(asked)):
        if isinstance(expr, t.Apply) and (held := hidden_resources(c.resolved, expr.head)):
            if not _bound_below(c, asked, expr) and _is_there(c, expr):
                named |= held
                for target in _holdings(c, held, value(c, expr.args[0])):
                    _narrow(c, knowing, target.once(c))
            continue
        if not isinstance(expr, t.Name | t.Apply):
            continue
        keep = keep_of(c.resolved, expr)
        if keep is None or isinstance(expr, t.Name) and keep.params or _symbol(c, expr) not in secrets:
            continue
        if not _bound_below(c, asked, expr) and _is_there(c, expr):
            named.add(_symbol(c, expr))
            _narrow(c, knowing, place(c, expr).once(c))
    for secret in sorted(secrets - named, key=lambda secret: secret.name):  # looked up for several, or in a quantity
        if isinstance(secret, Local):
            return NOTHING  # it was chosen or drawn in secret
        for target in _all_of(c, secret):
            _narrow(c, knowing, target)
    return knowing


def _bound_below(c: Context, asked: t.Expr, expr: t.Expr) -> bool:
    """Whether a part of what is asked speaks of a name that is given in it."""
    return not bound_in(c.resolved, walk(asked)).isdisjoint(meaning for _, meaning in c.names(expr))


def _holdings(c: Context, held: Iterable[Meaning], player: Expr) -> Iterator[LocalPlace]:
    """How much a player has of each of these resources."""
    for name in sorted(resource.name for resource in held):
        yield resource_place(c, c.linked.resource_index(name), player)


def _narrow(c: Context, knowing: core.Var, target: LocalPlace) -> None:
    for known in knowledge(target):
        c.set(knowing, op(o.AND, knowing, known.value))


def _changed(c: Context, changing: tuple[t.Node, ...]) -> list[Callable[[], Iterable[LocalPlace]]]:
    """The secret places that something changes: each by itself if it can be named beforehand, else all of its keep."""
    inner = [node for written in changing for node in in_full(c.resolved, written)]
    bound = bound_in(c.resolved, inner)
    of_others = {node for written in inner if gives_turns(c.resolved, written) for node in in_full(c.resolved, written)}
    places: dict[object, Callable[[], Iterable[LocalPlace]]] = {}
    for node in _done(c, inner):
        for resource in _moved(c, node):
            own = node in inner and node not in of_others and MOVES.get(type(node)) != MOVING
            places.setdefault(
                (own, resource), partial(_holdings, c, [resource], YOU) if own else partial(_all_of, c, resource)
            )
        for written in having(node, Role.CHANGED):
            keep, names = keep_of(c.resolved, written), tuple(c.names(written))
            if keep is None or not keep.secret:
                continue
            moved = written in of_others and any(name.word == "you" for name, _ in names)
            open_ = bound.isdisjoint(meaning for _, meaning in names) and _is_there(c, written)
            there = open_ and not moved and node in inner
            every = partial(_all_of, c, _symbol(c, written))
            named = partial(lambda written: [place(c, written).once(c)], written)
            key = tuple(meaning for _, meaning in names) if there else keep
            places.setdefault((there, key), named if there else every)
    return list(places.values())


def _moved(c: Context, node: t.Node) -> list[Symbol]:
    """The secret resources that change hands in a step."""
    bundles = having(node, Role.MOVED) if isinstance(node, t.Stmt) else ()
    found = {one for bundle in bundles for one in moved(c.resolved, bundle) if isinstance(one, Symbol)}
    return sorted((one for one in found if getattr(one.definition, "secret", False)), key=lambda one: one.name)


def _done(c: Context, inner: list[t.Node]) -> Iterator[t.Node]:
    """These nodes, and those of the routines and effects that are done there."""
    seen, waiting = set[t.Node](), list(inner)
    while waiting:
        node = waiting.pop(0)
        if node not in seen:
            seen.add(node)
            yield node
            if has(type(node), Role.RUNS):
                for definition in called(c.resolved, node):
                    waiting += in_full(c.resolved, definition)


def _all_of(c: Context, secret: Meaning) -> Iterator[LocalPlace]:
    """Each place of a keep, one after the other; of a resource, that of each player."""
    home = c.layout.keeps.get(secret.name)
    if home is not None and not home.sizes:
        yield LocalPlace(home.base, None, home)
        return
    at = c.let(NOTHING)
    with c.block() as end, c.loop():
        c.unless(core.Compare("<", at, Const(c.layout.players if home is None else prod(home.sizes))), end)
        yield from _holdings(c, [secret], at) if home is None else (LocalPlace(home.base, at, home),)
        c.set(at, op(o.ADD, at, Const(1)))


def _symbol(c: Context, written: t.Expr) -> Symbol:
    head = written.head if isinstance(written, t.Apply) else written
    assert isinstance(head, t.Name)
    return c.symbol(head)


def _is_there(c: Context, place: t.Expr) -> bool:
    """Whether what it is kept for is named, no secret, and not looked up in something that may be empty."""
    args = place.args if isinstance(place, t.Apply) else ()
    named = all(isinstance(arg, t.Name) and not c.type(arg).optional for arg in args)
    return named and not any(gives_away(c.resolved, arg) for arg in args)
