"""Which steps of a phase an exception stands in the place of, and the names that are bound at each of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from edict.compiler.semantics.ability_targets import GAINING, MOVES, MOVING, PASSING
from edict.compiler.semantics.symbols import Local, Meaning, Symbol
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.roles import Role, having
from edict.support.report import Diagnostic, Label

Bound = Mapping[str, Local]
Meanings = Mapping[t.Name, Meaning]


@dataclass(frozen=True)
class Reach:
    """The names that are bound at all of the steps; and those that are only at some, each with a step without it."""

    names: Bound = field(default_factory=dict)
    partly: Mapping[str, t.Stmt] = field(default_factory=dict)


@dataclass(frozen=True)
class Replacing:
    """What an exception replaces, and in which phase or routine.

    edge: of a keep joining | leaving, of a resource gaining | losing.
    """

    target: t.Name
    inside: t.Name
    edge: str


def replaced_in(meaning: Meanings, exception: Replacing, steps: Mapping[t.Stmt, Bound]) -> dict[t.Stmt, Bound]:
    """Of these steps, those that do what the exception replaces."""
    return {step: bound for step, bound in steps.items() if _does(meaning, exception, step)}


def reach(steps: Mapping[t.Stmt, Bound], every: Mapping[t.Stmt, Bound]) -> Reach:
    """What an exception to these steps, out of every step there, can name."""
    words = dict.fromkeys(word for bound in every.values() for word in bound) if steps else ()
    names, partly = dict[str, Local](), dict[str, t.Stmt]()
    for word in words:
        first, without = _meant(word, steps.items())
        if without is not None:
            partly[word] = without
        elif first is not None:
            names[word] = first
    return Reach(names, partly)


def _meant(word: str, steps: Iterable[tuple[t.Stmt, Bound]]) -> tuple[Local | None, t.Stmt | None]:
    """What a word means at the first of these steps; and the first at which it means something else, or nothing."""
    meant = [(step, bound.get(word)) for step, bound in steps]
    return meant[0][1], next((step for step, local in meant if local is None or local is not meant[0][1]), None)


def nothing_there(exception: Replacing, inside: t.Definition) -> Diagnostic:
    """The phase does nothing of what is replaced."""
    what = f"{exception.edge} {exception.target.word}" if exception.edge else f"`do {exception.target.word}`"
    return Diagnostic(
        "E0213",
        f"no step of `{inside.name.word}` is {what}"
        if not exception.edge
        else f"there is no {what} among the steps of `{inside.name.word}`",
        exception.inside.span,
        labels=(Label(inside.name.span, "its steps are here"),),
        note="Steps that it reaches through other phases and routines belong to those.",
        help="name the phase or routine in which the step stands, or leave `in` out to mean any",
    )


def not_steps(exception: Replacing, sort: str) -> Diagnostic:
    """What stands in no phase as a step of its own."""
    return Diagnostic(
        "E0213",
        f"a{'n' if sort == 'action' else ''} {sort} is not a single step of a phase",
        exception.inside.span,
        note="`in` says in which phase or routine something is gained, lost, joins, leaves, or a routine is done.",
        help=f"leave out `in {exception.inside.word}`",
    )


def not_bound(name: t.Name, step: t.Stmt, inside: str) -> Diagnostic:
    """A name that is bound at some of the steps only, or means something else at another."""
    return Diagnostic(
        "E0213",
        f"`{name.word}` is not a name at each step of `{inside}` that this replaces",
        name.span,
        labels=(Label(step.span, "here it means nothing, or not what it means at the others"),),
        help="name only what is given a name once, before all of these steps and around them",
    )


def _does(meaning: Meanings, exception: Replacing, step: t.Stmt) -> bool:
    about = _defined(meaning, exception.target)
    if exception.edge in PASSING:
        return any(_defined(meaning, _head(place)) is about for place in having(step, Role.CHANGED))
    if exception.edge in MOVING:
        edges = (GAINING,) if isinstance(step, t.Give) else MOVES.get(type(step), ())
        wanted = set(_resources(meaning, about))
        return exception.edge in edges and any(
            what is None or not wanted.isdisjoint(what) for what in _moved(meaning, step)
        )
    return any(_defined(meaning, name) is about for name in having(step, Role.RUNS))


def _moved(meaning: Meanings, step: t.Stmt) -> Iterator[list[t.Definition] | None]:
    """The resources each part of what changes hands may be of; None if that is known only in play."""
    for part in (part for bundle in having(step, Role.MOVED) for part in bundle.parts):
        what = part.what if isinstance(part, t.Part) else None
        named = _defined(meaning, what)
        yield None if named is None else _resources(meaning, named)


def _resources(meaning: Meanings, definition: t.Definition | None) -> list[t.Definition]:
    """A resource itself; the members of a group."""
    if not isinstance(definition, t.Group):
        return [definition] if definition is not None else []
    return [member for name in definition.members if (member := _defined(meaning, name)) is not None]


def _head(place: t.Expr) -> t.Node:
    return place.head if isinstance(place, t.Apply) else place


def _defined(meaning: Meanings, name: t.Node | None) -> t.Definition | None:
    found = meaning.get(name) if isinstance(name, t.Name) else None
    return found.definition if isinstance(found, Symbol) else None
