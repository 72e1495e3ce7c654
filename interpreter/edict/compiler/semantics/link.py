"""The pass `link`: rules gathered where they apply.

Things get their numbers, printed fields their values, and abilities are collected at the quantity, moment, action,
rule or routine they affect, so that play never searches for them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from functools import cached_property
from typing import Any, TypeVar

from edict.compiler.semantics.ability_targets import RESOURCE_EDGES, find_questions, list_running_steps, target_name
from edict.compiler.semantics.precedence import (
    RivalException,
    collect_conditions,
    compute_precedence,
    list_replaced_parts,
)
from edict.compiler.semantics.symbols import ResolvedBook, Symbol, definition_of
from edict.compiler.semantics.types import TypedBook
from edict.compiler.sources.input_limits import MOST_THINGS
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import singular_title
from edict.compiler.syntax.traversal import walk
from edict.support.ordering import sort_topologically
from edict.support.records import dataclass
from edict.support.report import Diagnostic, Label, Outcome


@dataclass(frozen=True)
class AttachedAbility:
    """An ability, and the thing that has it, if one does."""

    ability: t.Ability
    thing: t.Thing | None
    name: str
    title: str
    about: str = ""  # title of what the ability affects

    @property
    def cause_title(self) -> str:
        """The title that players read where the ability is the cause of something."""
        return self.title or self.about


@dataclass(frozen=True)
class LinkedBook:
    """A typed book with its rules gathered. Things and resources are numbered by their place in these tuples."""

    typed: TypedBook
    game: t.Game
    things: Mapping[str, tuple[t.Thing, ...]]  # by kind
    resources: tuple[t.Definition, ...]  # resources and dice not yet rolled
    dice: tuple[t.Die, ...]
    adjusts: Mapping[str, tuple[AttachedAbility, ...]]
    whens: Mapping[tuple[str, str], tuple[AttachedAbility, ...]]  # (moment or phase, "" | start | end)
    shifts: Mapping[str, tuple[AttachedAbility, ...]]
    exceptions: Mapping[tuple[str, str], tuple[AttachedAbility, ...]]  # (target, rule or event of it, or "")
    stepwise: tuple[t.Exception_, ...]  # those to events of a keep or a resource, in any rule
    options: Mapping[t.Stmt, tuple[AttachedAbility, ...]]  # added to the question of a step
    periods: Mapping[str, tuple[t.Ability, ...]]  # phase -> abilities limited to once per it
    held: tuple[AttachedAbility, ...]  # all abilities
    # the abilities during which one does not count; None if it never counts
    yielding: Mapping[t.Ability, tuple[AttachedAbility, ...] | None] = field(default_factory=dict)

    @property
    def resolved(self) -> ResolvedBook:
        """The book with its names resolved."""
        return self.typed.resolved

    def options_at(self, step: t.Stmt) -> tuple[AttachedAbility, ...]:
        """Return the options that abilities add to the question of a step, or of the step it is a copy of."""
        if not self.options:
            return ()
        copies: Mapping[t.Node, Any] = self.resolved.copied_from
        while step in copies:
            step = copies[step]
        return self.options.get(step, ())

    def thing_index(self, thing: str, kind: str) -> int:
        """Return the number of a thing within its kind."""
        return self._numbers[kind, thing]

    @cached_property
    def _numbers(self) -> dict[tuple[str, str], int]:
        """Map the kind and the name of each thing to its number within the kind."""
        return {(kind, thing.name.word): i for kind, things in self.things.items() for i, thing in enumerate(things)}

    def resource_index(self, name: str) -> int:
        """Return the index of the resource `name` in `resources`, its number in the program."""
        return next(i for i, x in enumerate(self.resources) if x.name.word == name)

    def resource_indexes(self, name: str) -> tuple[int, ...]:
        """Return the numbers of the members of a group; of a resource, its own number alone."""
        definition = self.resolved.require_definition(name)
        if isinstance(definition, t.Group):
            names = [self.resolved.meaning_of(m).name for m in definition.members]
            return tuple(self.resource_index(n) for n in names)
        return (self.resource_index(name),)


def link(typed: TypedBook) -> Outcome[LinkedBook]:
    """Gather the abilities and number the things, with a diagnostic for each kind that has too many."""
    book = typed.resolved.book
    game = next(book.select(t.Game))
    attached_abilities = _attach_abilities(typed.resolved)
    diagnostics: list[Diagnostic] = []
    linked = LinkedBook(
        typed=typed,
        game=game,
        things=_group_things(book),
        resources=tuple(book.select(t.Resource, t.Die)),
        dice=tuple(book.select(t.Die)),
        adjusts=_group_by(
            _sort_adjustments(typed.resolved, attached_abilities), t.Adjust, lambda a: _target_word(typed, a.quantity)
        ),
        whens=_group_by(attached_abilities, t.When, lambda a: (_target_word(typed, a.moment), a.edge)),
        shifts=_group_by(attached_abilities, t.Shift, lambda a: _target_word(typed, a.action)),
        exceptions={
            key: _sort_by_precedence(typed.resolved, exceptions)
            for key, exceptions in _group_exceptions(typed, attached_abilities).items()
        },
        stepwise=tuple(
            a for attached in attached_abilities if isinstance(a := attached.ability, t.Exception_) and a.edge
        ),
        options=_group_options(typed.resolved, attached_abilities),
        periods=_group_by_period(typed, attached_abilities),
        held=tuple(attached_abilities),
    )
    diagnostics.extend(_check_kind_sizes(linked))
    return Outcome(linked, tuple(diagnostics))


def _sort_adjustments(resolved: ResolvedBook, abilities: list[AttachedAbility]) -> list[AttachedAbility]:
    """Return abilities with adjustments in the order in which they apply.

    Those that set a value come first (conditional ones last among them), then multiply, divide and add.
    """

    def adjustment_order(attached: AttachedAbility) -> tuple[bool, ...]:
        """Return the sort key of an adjustment: `to` first, then `times`, `divided`, `rounded up` and last `by`."""
        a = attached.ability
        if not isinstance(a, t.Adjust):
            return ()
        sometimes = a.to is not None and bool(collect_conditions(resolved, a, attached.thing))
        return (a.by is not None, a.rounded_up, a.divided is not None, a.times is not None, sometimes)

    return sorted(abilities, key=adjustment_order)


def _target_word(typed: TypedBook, name: t.Name) -> str:
    """Return the global name that a name node refers to, such as the singular for a plural."""
    meaning = typed.resolved.meaning_of(name)
    assert isinstance(meaning, Symbol)
    return meaning.name


def _attach_abilities(resolved: ResolvedBook) -> list[AttachedAbility]:
    """Return all abilities with the things that have them, then those that stand alone, in the book's order."""
    book = resolved.book
    of_things = [
        AttachedAbility(ability, thing, thing.name.word, singular_title(thing))
        for thing in book.things
        for ability in thing.abilities
    ]
    return of_things + [
        AttachedAbility(s.ability, None, s.name.word, _standalone_title(s), _describe_target(resolved, s))
        for s in book.standalone
    ]


def _standalone_title(alone: t.Standalone) -> str:
    """Return the title of a standalone ability; it may have a text of its own."""
    return alone.title or getattr(alone.ability, "title", "") or alone.name.word


def _describe_target(resolved: ResolvedBook, alone: t.Standalone) -> str:
    """Return a title for the target of a standalone ability, such as `gaining wood`; empty if it has none."""
    if isinstance(alone.ability, t.Adjust) and (source := _source_title(resolved, alone.ability)):
        return source
    definition = definition_of(resolved, target_name(alone.ability))
    if definition is None:
        return ""
    edge = getattr(alone.ability, "edge", "")
    # the title of a resource alone does not say what has happened
    if edge in RESOURCE_EDGES:
        return f"{edge} {definition.title or definition.name.word}"
    return definition.title


def _source_title(resolved: ResolvedBook, adjust: t.Adjust) -> str:
    """Return the first title of a keep or quantity in an adjustment's number or condition, or ""."""
    definitions = (
        definition_of(resolved, node) for part in (adjust.number, adjust.condition) if part for node in walk(part)
    )
    return next(
        (
            definition.title
            for definition in definitions
            if isinstance(definition, t.Keep | t.Quantity) and definition.title
        ),
        "",
    )


A = TypeVar("A", bound=t.Ability)
K = TypeVar("K")


def _group_by(
    abilities: list[AttachedAbility], kind: type[A], key: Callable[[A], K]
) -> dict[K, tuple[AttachedAbility, ...]]:
    """Return the attached abilities of one class by a key, each group in its given order."""
    table: dict[K, list[AttachedAbility]] = {}
    for attached in abilities:
        if isinstance(attached.ability, kind):
            table.setdefault(key(attached.ability), []).append(attached)
    return {k: tuple(v) for k, v in table.items()}


def _group_exceptions(
    typed: TypedBook, abilities: list[AttachedAbility]
) -> dict[tuple[str, str], tuple[AttachedAbility, ...]]:
    """Return exceptions by what they replace: a rule of an action, a phase or routine, or an event of one resource."""
    exceptions: dict[tuple[str, str], list[AttachedAbility]] = {}
    for attached in abilities:
        if isinstance(attached.ability, t.Exception_):
            for key in list_replaced_parts(typed.resolved, attached.ability):
                exceptions.setdefault(key, []).append(attached)
    return {key: tuple(all_) for key, all_ in exceptions.items()}


def _group_options(
    resolved: ResolvedBook, abilities: list[AttachedAbility]
) -> dict[t.Stmt, tuple[AttachedAbility, ...]]:
    """Return the options that abilities add, by the steps that ask the questions."""
    added = [(attached, attached.ability) for attached in abilities if isinstance(attached.ability, t.AddedOption)]
    running_steps = list_running_steps(resolved.book.roots) if added else ()
    options: dict[t.Stmt, list[AttachedAbility]] = {}
    for attached, option in added:
        for step in find_questions(resolved.meaning, option, running_steps):
            options.setdefault(step, []).append(attached)
    return {step: tuple(all_) for step, all_ in options.items()}


def _sort_by_precedence(resolved: ResolvedBook, exceptions: tuple[AttachedAbility, ...]) -> tuple[AttachedAbility, ...]:
    """Return the exceptions, each before those it precedes (by `over`, or by having a condition)."""
    if len(exceptions) < 2:
        return exceptions
    rivals = [RivalException(a.name, a.ability, a.thing) for a in exceptions if isinstance(a.ability, t.Exception_)]
    above = compute_precedence(resolved, rivals).above
    order = sort_topologically(range(len(exceptions)), lambda place: sorted(above[place]), allow_cycles=True)
    return tuple(exceptions[place] for place in order)


def _group_by_period(typed: TypedBook, abilities: list[AttachedAbility]) -> dict[str, tuple[t.Ability, ...]]:
    """Return the abilities with `once per PERIOD` by the name of the period."""
    table: dict[str, list[t.Ability]] = {}
    for attached in abilities:
        once = getattr(attached.ability, "once_per", None)
        if once is not None:
            table.setdefault(_target_word(typed, once), []).append(attached.ability)
    return {k: tuple(v) for k, v in table.items()}


def _group_things(book: t.Book) -> dict[str, tuple[t.Thing, ...]]:
    """Return the things of each kind, in the order of the field that the kind names, else as they are written."""
    by_kind: dict[str, list[t.Thing]] = {k.name.word: [] for k in book.select(t.Kind)}
    for thing in book.things:
        by_kind[thing.kind.word].append(thing)
    return {name: tuple(_sort_things(book.definitions[name], things)) for name, things in by_kind.items()}


def _sort_things(kind: t.Definition, things: list[t.Thing]) -> list[t.Thing]:
    """Return a kind's things sorted by its `order` field, then by name; as they are written without such a field."""
    field = kind.order.word if isinstance(kind, t.Kind) and kind.order is not None else ""
    if field:
        return sorted(things, key=lambda thing: (_field_number(thing, field), thing.name.word))
    return things


def _field_number(thing: t.Thing, field: str) -> int:
    """Return the number that a thing's field is written as, such as `-2`; 0 if it is no plain number."""
    for value in thing.fields:
        expr = value.expr
        if value.name.word == field and isinstance(expr, t.Number):
            return expr.value
        if value.name.word == field and isinstance(expr, t.Unary) and isinstance(expr.arg, t.Number):
            return -expr.arg.value
    return 0


def _check_kind_sizes(linked: LinkedBook) -> list[Diagnostic]:
    """Return a diagnostic for each kind with more things than a set can hold."""
    diagnostics = []
    for kind, things in linked.things.items():
        if len(things) > MOST_THINGS:
            diagnostics.append(
                Diagnostic(
                    "E0501",
                    f"there are {len(things):,} things of kind `{kind}`, and {MOST_THINGS:,} are possible",
                    things[MOST_THINGS].span,
                    labels=(Label(linked.resolved.require_definition(kind).span, "the kind"),),
                    help="split the kind in two, or leave a module out",
                )
            )
    return diagnostics
