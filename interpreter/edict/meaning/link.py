"""The pass `link`: everything put where play will look for it.

Things get their numbers, printed fields their values, and abilities are gathered at the quantity,
moment, action, rule or routine they touch, so that nothing has to be searched while playing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

from edict.language import tree as t
from edict.language.walking import walk
from edict.meaning.ability_targets import MOVING, target
from edict.meaning.precedence import Rival, precedence, replaces, when_it_holds
from edict.meaning.symbols import Resolved, Symbol, definition_of
from edict.meaning.types import Typed
from edict.ordering import after_their_needs
from edict.report import Diagnostic, Label, Outcome
from edict.sources.input_limits import MOST_THINGS
from edict.text import forms


@dataclass(frozen=True)
class AttachedAbility:
    """An ability and the thing that has it, if one does; `about` is the title of what it is about."""

    ability: t.Ability
    thing: t.Thing | None
    name: str
    title: str
    about: str = ""

    @property
    def known_as(self) -> str:
        """What people read where it is the cause of something."""
        return self.title or self.about


@dataclass(frozen=True)
class Linked:
    """A typed book, gathered. Things and resources are numbered by their place in these tuples."""

    typed: Typed
    game: t.Game
    things: Mapping[str, tuple[t.Thing, ...]]  # by kind
    resources: tuple[t.Definition, ...]  # resources and dice not yet rolled
    dice: tuple[t.Die, ...]
    adjusts: Mapping[str, tuple[AttachedAbility, ...]]
    whens: Mapping[tuple[str, str], tuple[AttachedAbility, ...]]  # (moment or phase, "" | start | end)
    shifts: Mapping[str, tuple[AttachedAbility, ...]]
    exceptions: Mapping[tuple[str, str], tuple[AttachedAbility, ...]]  # (target, rule, "" or what is done to it)
    stepwise: tuple[t.Exception_, ...]  # those to what is done to a keep or a resource, in whichever rule
    periods: Mapping[str, tuple[t.Ability, ...]]  # phase -> abilities limited to once per it
    held: tuple[AttachedAbility, ...]  # all abilities there are
    # those that do not count while others hold, or not at all
    yielding: Mapping[t.Ability, tuple[AttachedAbility, ...] | None] = field(default_factory=dict)

    @property
    def resolved(self) -> Resolved:
        return self.typed.resolved

    def index(self, thing: str, kind: str) -> int:
        return self._numbers[kind, thing]

    @cached_property
    def _numbers(self) -> dict[tuple[str, str], int]:
        return {(kind, one.name.word): i for kind, things in self.things.items() for i, one in enumerate(things)}

    def resource_index(self, name: str) -> int:
        return next(i for i, x in enumerate(self.resources) if x.name.word == name)

    def members(self, name: str) -> tuple[int, ...]:
        """The numbers of the resources a resource or group stands for."""
        definition = self.resolved.get(name)
        if isinstance(definition, t.Group):
            names = [self.resolved.of(m).name for m in definition.members]
            return tuple(self.resource_index(n) for n in names)
        return (self.resource_index(name),)


def link(typed: Typed) -> Outcome[Linked]:
    """Gather the abilities, number the things."""
    book = typed.resolved.book
    game = next(d for d in book.definitions.values() if isinstance(d, t.Game))
    held = _held(typed.resolved)
    diagnostics: list[Diagnostic] = []
    linked = Linked(
        typed=typed,
        game=game,
        things=_things(book),
        resources=tuple(d for d in book.definitions.values() if isinstance(d, t.Resource | t.Die)),
        dice=tuple(d for d in book.definitions.values() if isinstance(d, t.Die)),
        adjusts=_by(_in_turn(typed.resolved, held), t.Adjust, lambda a: _target(typed, a.quantity)),
        whens=_by(held, t.When, lambda a: (_target(typed, a.moment), a.edge)),
        shifts=_by(held, t.Shift, lambda a: _target(typed, a.action)),
        exceptions={key: _over_first(typed.resolved, found) for key, found in _exceptions(typed, held).items()},
        stepwise=tuple(a for attached in held if isinstance(a := attached.ability, t.Exception_) and a.edge),
        periods=_by_period(typed, held),
        held=tuple(held),
    )
    diagnostics.extend(_sizes(linked))
    return Outcome(linked, tuple(diagnostics))


def _in_turn(resolved: Resolved, held: list[AttachedAbility]) -> list[AttachedAbility]:
    """Adjustments in turn: what sets (last, what does so only sometimes), multiplies, divides, and adds."""

    def turn(attached: AttachedAbility) -> tuple[bool, ...]:
        a = attached.ability
        if not isinstance(a, t.Adjust):
            return ()
        sometimes = a.to is not None and bool(when_it_holds(resolved, a, attached.thing))
        return (a.by is not None, a.rounded_up, a.divided is not None, a.times is not None, sometimes)

    return sorted(held, key=turn)


def _target(typed: Typed, name: t.Name) -> str:
    meaning = typed.resolved.of(name)
    assert isinstance(meaning, Symbol)
    return meaning.name


def _held(resolved: Resolved) -> list[AttachedAbility]:
    book = resolved.book
    held = [
        AttachedAbility(ability, thing, thing.name.word, forms(thing.title)[0] or thing.name.word)
        for thing in book.definitions.values()
        if isinstance(thing, t.Thing)
        for ability in thing.abilities
    ]
    return held + [
        AttachedAbility(s.ability, None, s.name.word, _titled(s), _about(resolved, s)) for s in book.standalone
    ]


def _titled(alone: t.Standalone) -> str:
    """What an ability at the left edge is called: it may have its own text."""
    return alone.title or getattr(alone.ability, "title", "") or alone.name.word


def _about(resolved: Resolved, alone: t.Standalone) -> str:
    if isinstance(alone.ability, t.Adjust) and (source := _source(resolved, alone.ability)):
        return source
    definition = definition_of(resolved, target(alone.ability))
    if definition is None:
        return ""
    edge = getattr(alone.ability, "edge", "")
    # of a resource the title alone would not say what has happened
    return f"{edge} {definition.title or definition.name.word}" if edge in MOVING else definition.title


def _source(resolved: Resolved, adjust: t.Adjust) -> str:
    """The title of what is added, or of what it depends on: that of the quantity would not say where it comes from."""
    named = (definition_of(resolved, node) for part in (adjust.number, adjust.condition) if part for node in walk(part))
    return next((one.title for one in named if isinstance(one, t.Keep | t.Quantity) and one.title), "")


A = TypeVar("A", bound=t.Ability)
K = TypeVar("K")


def _by(held: list[AttachedAbility], kind: type[A], key: Callable[[A], K]) -> dict[K, tuple[AttachedAbility, ...]]:
    table: dict[K, list[AttachedAbility]] = {}
    for attached in held:
        if isinstance(attached.ability, kind):
            table.setdefault(key(attached.ability), []).append(attached)
    return {k: tuple(v) for k, v in table.items()}


def _exceptions(typed: Typed, held: list[AttachedAbility]) -> dict[tuple[str, str], tuple[AttachedAbility, ...]]:
    """By what they replace: a rule of an action, a whole phase or routine, or gains and the like of one resource."""
    exceptions: dict[tuple[str, str], list[AttachedAbility]] = {}
    for attached in held:
        if isinstance(attached.ability, t.Exception_):
            for key in replaces(typed.resolved, attached.ability):
                exceptions.setdefault(key, []).append(attached)
    return {key: tuple(all_) for key, all_ in exceptions.items()}


def _over_first(resolved: Resolved, held: tuple[AttachedAbility, ...]) -> tuple[AttachedAbility, ...]:
    """An exception that goes over another stands before it: the first that holds counts."""
    if len(held) < 2:
        return held
    rivals = [Rival(a.name, a.ability, a.thing) for a in held if isinstance(a.ability, t.Exception_)]
    above = precedence(resolved, rivals).above
    order = after_their_needs(range(len(held)), lambda place: sorted(above[place]), circles=True)
    return tuple(held[place] for place in order)


def _by_period(typed: Typed, held: list[AttachedAbility]) -> dict[str, tuple[t.Ability, ...]]:
    table: dict[str, list[t.Ability]] = {}
    for attached in held:
        once = getattr(attached.ability, "once_per", None)
        if once is not None:
            table.setdefault(_target(typed, once), []).append(attached.ability)
    return {k: tuple(v) for k, v in table.items()}


def _things(book: t.Book) -> dict[str, tuple[t.Thing, ...]]:
    """The things of each kind, in the order of the field the kind names, or as they are written."""
    found: dict[str, list[t.Thing]] = {k.name.word: [] for k in book.definitions.values() if isinstance(k, t.Kind)}
    for thing in book.definitions.values():
        if isinstance(thing, t.Thing):
            found[thing.kind.word].append(thing)
    return {name: tuple(_in_order(book.definitions[name], things)) for name, things in found.items()}


def _in_order(kind: t.Definition, things: list[t.Thing]) -> list[t.Thing]:
    field = kind.order.word if isinstance(kind, t.Kind) and kind.order is not None else ""
    return sorted(things, key=lambda thing: (_number(thing, field), thing.name.word)) if field else things


def _number(thing: t.Thing, field: str) -> int:
    for value in thing.fields:
        expr = value.expr
        if value.name.word == field and isinstance(expr, t.Number):
            return expr.value
        if value.name.word == field and isinstance(expr, t.Unary) and isinstance(expr.arg, t.Number):
            return -expr.arg.value
    return 0


def _sizes(linked: Linked) -> list[Diagnostic]:
    """What a set can hold is limited."""
    diagnostics = []
    for kind, things in linked.things.items():
        if len(things) > MOST_THINGS:
            diagnostics.append(
                Diagnostic(
                    "E0501", f"there are {len(things):,} things of kind `{kind}`, and {MOST_THINGS:,} are possible",
                    things[MOST_THINGS].span, labels=(Label(linked.resolved.get(kind).span, "the kind"),),
                    help="split the kind in two, or leave a module out",
                )
            )  # fmt: skip
    return diagnostics
