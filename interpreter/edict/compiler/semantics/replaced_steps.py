"""Steps of a phase that an exception with `in` replaces, and the names that are bound at each of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field

from edict.compiler.semantics.ability_targets import GAINING, MEMBERSHIP_EDGES, RESOURCE_EDGES, STEP_EDGES
from edict.compiler.semantics.call_graph import expand_group
from edict.compiler.semantics.symbols import HasMeanings, Local, definition_of, definition_of_place
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.roles import Role, iter_role_values
from edict.support.records import dataclass
from edict.support.report import Diagnostic, Label

LocalNames = Mapping[str, Local]


@dataclass(frozen=True)
class Reach:
    """The local names that an exception to some steps may use."""

    names: LocalNames = field(default_factory=dict)  # bound at all of the steps
    # bound at some of the steps only, each with a step without it
    partly: Mapping[str, t.Stmt] = field(default_factory=dict)


@dataclass(frozen=True)
class ScopedReplacement:
    """The target of an exception, and the phase or routine in whose steps it is replaced."""

    target: t.Name
    inside: t.Name
    edge: str  # of a keep joining | leaving, of a resource gaining | losing


def select_replaced_steps(
    resolved: HasMeanings, replacement: ScopedReplacement, steps: Mapping[t.Stmt, LocalNames]
) -> dict[t.Stmt, LocalNames]:
    """Return those of the steps, with their local names, that do what the exception replaces."""
    return {step: bound for step, bound in steps.items() if _is_replaced(resolved, replacement, step)}


def compute_reach(steps: Mapping[t.Stmt, LocalNames], every: Mapping[t.Stmt, LocalNames]) -> Reach:
    """Return the locals that have one meaning at all of `steps`, and the words that have it only at some."""
    words = dict.fromkeys(word for bound in every.values() for word in bound) if steps else ()
    names, partly = dict[str, Local](), dict[str, t.Stmt]()
    for word in words:
        first, without = _compare_meanings(word, steps.items())
        if without is not None:
            partly[word] = without
        elif first is not None:
            names[word] = first
    return Reach(names, partly)


def _compare_meanings(word: str, steps: Iterable[tuple[t.Stmt, LocalNames]]) -> tuple[Local | None, t.Stmt | None]:
    """Return a word's local at the first step, and the first step at which it is unbound or another; else None."""
    meanings = [(step, bound.get(word)) for step, bound in steps]
    return meanings[0][1], next(
        (step for step, local in meanings if local is None or local is not meanings[0][1]), None
    )


def diagnose_no_step(replacement: ScopedReplacement, inside: t.Definition) -> Diagnostic:
    """Return a diagnostic for a phase that has no step of the kind that is replaced."""
    if replacement.edge:
        event = f"{replacement.edge} {replacement.target.word}"
    else:
        event = f"`do {replacement.target.word}`"
    return Diagnostic(
        "E0213",
        f"no step of `{inside.name.word}` is {event}"
        if not replacement.edge
        else f"there is no {event} among the steps of `{inside.name.word}`",
        replacement.inside.span,
        labels=(Label(inside.name.span, "its steps"),),
        note="Steps of other phases and routines that it runs do not count.",
        help="name the phase or routine that contains the step, or delete `in` to mean any",
    )


def diagnose_no_single_step(replacement: ScopedReplacement, sort: str) -> Diagnostic:
    """Return the error for `in` with an action or phase (`sort`) as the target of an exception."""
    return Diagnostic(
        "E0213",
        f"a{'n' if sort == 'action' else ''} {sort} is not a single step of a phase",
        replacement.inside.span,
        note="`in` says in which phase or routine something is gained, lost, joins, leaves, or a routine is done.",
        help=f"delete `in {replacement.inside.word}`",
    )


def diagnose_partly_bound(name: t.Name, step: t.Stmt, inside: str) -> Diagnostic:
    """Return a diagnostic for a name that is not bound alike at all replaced steps."""
    return Diagnostic(
        "E0213",
        f"`{name.word}` is not defined at every step of `{inside}` that this replaces",
        name.span,
        labels=(Label(step.span, "undefined or different here"),),
        help="use only names that are defined once, before all of these steps",
    )


def _is_replaced(resolved: HasMeanings, replacement: ScopedReplacement, step: t.Stmt) -> bool:
    """Return True if a step does what is replaced: change the keep, move the resource, or run the rule."""
    target = definition_of(resolved, replacement.target)
    if replacement.edge in MEMBERSHIP_EDGES:
        return any(definition_of_place(resolved, place) is target for place in iter_role_values(step, Role.CHANGED))
    if replacement.edge in RESOURCE_EDGES:
        edges = (GAINING,) if isinstance(step, t.Give) else STEP_EDGES.get(type(step), ())
        wanted = set(expand_group(resolved, target)) if target is not None else set()
        return replacement.edge in edges and any(
            resources is None or not wanted.isdisjoint(resources) for resources in _iter_moved_resources(resolved, step)
        )
    return any(definition_of(resolved, name) is target for name in iter_role_values(step, Role.RUNS))


def _iter_moved_resources(resolved: HasMeanings, step: t.Stmt) -> Iterator[list[t.Definition] | None]:
    """Yield for each part that a step moves its resource, or all of its group; None if known only in play."""
    for part in (part for bundle in iter_role_values(step, Role.MOVED) for part in bundle.parts):
        what = part.what if isinstance(part, t.Part) else None
        named = definition_of(resolved, what)
        yield None if named is None else expand_group(resolved, named)
