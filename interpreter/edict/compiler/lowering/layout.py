"""Where everything lives in the state, and how many cells it takes: resources, keeps, flags of phases and of abilities
used."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import prod

from edict.compiler.codegen.emit import Code
from edict.compiler.semantics.bag_contents import begun_with
from edict.compiler.semantics.call_graph import owners
from edict.compiler.semantics.dice_layout import bits_of_count, side_by_side
from edict.compiler.semantics.link import Linked
from edict.compiler.semantics.possible_values import possible
from edict.compiler.semantics.symbols import in_full
from edict.compiler.semantics.types import declared, param_type
from edict.compiler.sources.input_limits import GREATEST_CHOICE, MEMBERS, MOST_CELLS, PACKED
from edict.compiler.syntax import tree as t
from edict.runtime.program import DiceLayout, Type, Variable
from edict.runtime.program import opcodes as o
from edict.runtime.program.cells import counted
from edict.support.morphology import split_title
from edict.support.report import Diagnostic, RulesError

NUMBERS = MEMBERS  # numbers that can be members of a set or an index


@dataclass(frozen=True)
class Home:
    """The cells of a keep: its base, the size of each index, its type, and where knowledge is kept.

    counts: where everybody sees how many a secret holds, or -1.
    """

    base: int
    sizes: tuple[int, ...]
    type: Type
    known: int
    keep: t.Keep
    counts: int = -1


@dataclass(frozen=True)
class Layout:
    players: int
    resources: int  # resource r of player p lives at resources + r * players + p
    known: int  # who knows how much that is, in the same places from here on; -1 if no resource is a secret
    totals: dict[str, int]  # counted group -> first of a cell a player: how many of all of it, which everybody sees
    keeps: dict[str, Home]
    phases: dict[str, int]  # cell: how often it is being played
    periods: dict[str, int]  # phase -> first of a cell a player: abilities used up
    settings: dict[str, int]
    replacing: dict[t.Ability, int]  # cell: whether the exception is doing what it does in the place of a step
    dice: DiceLayout
    variables: tuple[Variable, ...]


def singular_and_plural(title: str, name: str) -> tuple[str, str]:
    """Singular and plural of a title such as `soldier/soldiers`."""
    return split_title(title or name)


def lay_out(linked: Linked, code: Code) -> Layout:
    """Give everything its cells. Raises `RulesError` when there would be too many of them."""
    players = linked.game.high
    reserve_options(linked, code)
    _check_size(linked, players)
    resources = code.reserve(max(1, len(linked.resources)) * players)
    known = _known(linked, code, players)
    variables = [_resource(linked, i, resources, known, players) for i in range(len(linked.resources))]
    totals = {group.name.word: code.reserve(players) for group in counted_groups(linked)}
    variables += [_all_of(group, totals[group.name.word], players) for group in counted_groups(linked)]
    keeps: dict[str, Home] = {}
    for definition in linked.resolved.book.definitions.values():
        if isinstance(definition, t.Keep):
            home = _home(linked, code, definition, players)
            keeps[definition.name.word] = home
            variables.append(_variable(definition, home, linked))
            variables += [_counted(variables[-1], home)] if home.counts >= 0 else []
    phases = {d.name.word: code.reserve(1) for d in linked.resolved.book.definitions.values() if isinstance(d, t.Phase)}
    periods = {name: code.reserve(players) for name in linked.periods}
    settings = {
        d.name.word: code.reserve(1, d.value)
        for d in linked.resolved.book.definitions.values()
        if isinstance(d, t.Setting)
    }
    replacing: dict[t.Ability, int] = {exception: code.reserve(1) for exception in linked.stepwise}
    dice = _dice(linked, code)
    return Layout(
        players, resources, known, totals, keeps, phases, periods, settings, replacing, dice, tuple(variables)
    )


def size_of(linked: Linked, kind: Type, players: int) -> int:
    if kind.shape == "number":
        return NUMBERS
    if kind.kind == "player":
        return players
    if kind.kind == "resource":
        return max(1, len(linked.resources))
    return max(1, len(linked.things.get(kind.kind, ())))


def _sizes(linked: Linked, keep: t.Keep, players: int) -> tuple[int, ...]:
    return tuple(size_of(linked, param_type(linked.resolved, p), players) for p in keep.params)


def _check_size(linked: Linked, players: int) -> None:
    """Before anything is made that large."""
    taken = 0
    for keep in (d for d in linked.resolved.book.definitions.values() if isinstance(d, t.Keep)):
        cells = cells_of(linked, declared(linked.resolved, keep.type))
        own = prod(_sizes(linked, keep, players)) * cells * (2 if keep.secret else 1)
        if taken + own > MOST_CELLS:
            before = f", and the keeps before it {taken:,}" if taken else ""
            raise RulesError(
                [
                    Diagnostic(
                        "E0704",
                        f"`{keep.name.word}` keeps too much",
                        keep.span,
                        note=f"It keeps {own:,} values{before}; there may be {MOST_CELLS:,} in all.",
                        help="keep it by fewer things or numbers, or as a set",
                    )
                ]
            )
        taken += own


def is_secret(linked: Linked, resource: int) -> bool:
    """Whether others do not know how much of it a player has."""
    definition = linked.resources[resource]
    return isinstance(definition, t.Resource) and definition.secret


def counted_groups(linked: Linked) -> Iterator[t.Group]:
    """The groups of secrets of which everybody sees how many a player has in all."""
    definitions = linked.resolved.book.definitions.values()
    return (one for one in definitions if isinstance(one, t.Group) and one.counted)


def _known(linked: Linked, code: Code, players: int) -> int:
    """What is secret only the player knows, from the beginning."""
    if not any(is_secret(linked, i) for i in range(len(linked.resources))):
        return -1
    known = code.reserve(len(linked.resources) * players)
    for at in range(len(linked.resources) * players):
        code.initial[known + at] = 1 << at % players
    return known


def _resource(linked: Linked, i: int, base: int, known: int, players: int) -> Variable:
    definition = linked.resources[i]
    singular, plural = singular_and_plural(definition.title, definition.name.word)
    floor = None if isinstance(definition, t.Resource) and definition.below_zero else 0
    return Variable(
        name=definition.name.word,
        title=singular,
        plural=plural,
        type=Type("number"),
        kinds=("player",),
        sizes=(players,),
        base=base + i * players,
        quiet=False,
        resource=True,
        least=floor,
        known=known + i * players if is_secret(linked, i) else -1,
    )


def _all_of(group: t.Group, base: int, players: int) -> Variable:
    """How many a player has of all that belongs to a group, as a number that everybody sees."""
    singular, plural = singular_and_plural(group.title, group.name.word)
    return Variable(
        name=counted(group.name.word),
        title=f"{singular} (how many)",
        plural=f"{plural} (how many)",
        type=Type("number"),
        kinds=("player",),
        sizes=(players,),
        base=base,
        quiet=True,
        least=0,
        tallies=tuple(name.word for name in group.members),
    )


def _home(linked: Linked, code: Code, keep: t.Keep, players: int) -> Home:
    declared_as = declared(linked.resolved, keep.type)
    of = replace(declared_as, cells=cells_of(linked, declared_as))
    sizes = _sizes(linked, keep, players)
    base = code.reserve(prod(sizes) * of.cells, _start(of))
    everyone = (1 << players) - 1  # how it starts, all know
    known = code.reserve(prod(sizes) * of.cells, everyone) if keep.secret else -1
    counts = code.reserve(prod(sizes)) if keep.counted else -1
    return Home(base, sizes, of, known, keep, counts)


def _start(of: Type) -> int:
    if of.shape == "order":
        return (1 << 60) - 1 if of.cells == 1 else -1
    return -1 if of.shape == "thing" and of.optional else 0


def _variable(keep: t.Keep, home: Home, linked: Linked) -> Variable:
    singular, plural = singular_and_plural(keep.title, keep.name.word)
    kinds, sizes, of = tuple(_kind_name(param_type(linked.resolved, p)) for p in keep.params), home.sizes, home.type
    if of.shape == "bag":  # a number for each thing
        kinds, sizes, of = (*kinds, of.kind), (*sizes, of.cells), Type("number")
    return Variable(
        name=keep.name.word,
        title=singular,
        plural=plural,
        type=of,
        kinds=kinds,
        sizes=sizes,
        base=home.base,
        known=home.known,
        quiet=keep.quiet,
        least=keep.type.low,
        greatest=keep.type.high,
        lasting=keep.lasting,
        counts=home.type.shape == "bag",
    )


def _counted(secret: Variable, home: Home) -> Variable:
    """How many a secret holds, as a number that everybody sees."""
    kinds, sizes = secret.kinds[: len(home.sizes)], home.sizes
    return replace(
        secret,
        name=counted(secret.name),
        title=f"{secret.title} (how many)",
        plural=f"{secret.plural} (how many)",
        type=Type("number"),
        kinds=kinds,
        sizes=sizes,
        base=home.counts,
        known=-1,
        quiet=True,
        least=0,
        greatest=None,
        counts=False,
        tallies=(secret.name,),
    )


def _kind_name(of: Type) -> str:
    return of.kind if of.shape == "thing" else "number"


def _dice(linked: Linked, code: Code) -> DiceLayout:
    """Of several cells all have the same faces at the same places."""
    firsts: dict[str, int] = {}
    faces: list[int] = []
    for beside in side_by_side(linked.dice):
        for cell, die in enumerate(beside):
            firsts[die.name.word] = cell * o.BITS + len(faces)
        faces += range(1, beside[0].sides + 1)
    width = bits_of_count(linked.dice) if faces else 1
    code.initial[o.WIDTH] = width
    code.initial[o.FIELDS] = len(faces)
    code.dice_faces = code.table([*faces, 0])
    return DiceLayout(
        width,
        tuple(
            (die.name.word, singular_and_plural(die.title, die.name.word)[0], die.sides, firsts[die.name.word])
            for die in linked.dice
        ),
    )


# --- cell sizes ------------------------------------------------------------------------------------


ONE_CELL = ("player", "resource", "number")  # kinds of which there are never more


def cells_of(linked: Linked, of: Type) -> int:
    """A set has a bit for each thing there is; a bag, and an order that is too long to be packed, a cell for each."""
    if of.shape == "bag":
        return max(1, len(linked.things.get(of.kind, ())))
    if of.shape == "dice":
        return max(map(len, side_by_side(linked.dice)), default=1)
    if of.shape not in ("set", "order") or of.kind in ONE_CELL:
        return 1
    things = len(linked.things.get(of.kind, ()))
    if of.shape == "order":
        return 1 if things <= PACKED else things
    return max(1, -(-things // o.BITS))


def few_numbers(linked: Linked, last: t.Expr) -> bool:
    """Whether all numbers up to this one are known to be members of a set of one cell."""
    return possible(linked.typed, last).high < MEMBERS


def reserve_options(linked: Linked, code: Code) -> None:
    """Room for the options of every question: each thing of the largest kind, each number, and to decline; and for
    whatever bags begin with, all of it in one."""
    needed = max((*map(len, linked.things.values()), *_numbers(linked), begun_with(linked)), default=0) + 1
    if needed > o.MOST_OPTIONS:
        code.initial[o.ROOM] = needed - o.MOST_OPTIONS
        code.reserve(needed - o.MOST_OPTIONS)


def _numbers(linked: Linked) -> Iterator[int]:
    """How many numbers there are up to the end of each range in the rules, as far as that is known before play."""
    for owner in owners(linked.resolved):
        ends = (getattr(node, "high", None) for node in in_full(linked.resolved, owner))
        for last in (last for last in ends if isinstance(last, t.Expr)):
            greatest = possible(linked.typed, last).high
            if greatest <= GREATEST_CHOICE:
                yield int(max(greatest, 0)) + 1
