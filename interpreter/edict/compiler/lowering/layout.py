"""The layout of the state, which assigns cells to resources, keeps, phases, settings and ability flags."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import prod

from edict.compiler.codegen.emit import CodeBuffer
from edict.compiler.lowering.constants import count_initial_bag_things
from edict.compiler.semantics.dice_layout import compute_count_bits, pack_dice
from edict.compiler.semantics.link import LinkedBook
from edict.compiler.semantics.possible_values import evaluate_abstractly
from edict.compiler.semantics.symbols import walk_expanded
from edict.compiler.semantics.types import from_type_name, param_type
from edict.compiler.sources.input_limits import GREATEST_CHOICE, MOST_CELLS, PACKED_ORDER, SET_BITS
from edict.compiler.syntax import tree as t
from edict.runtime.program import DiceLayout, StateVariable, ValueType
from edict.runtime.program import opcodes as o
from edict.runtime.program.cell_values import count_name
from edict.support.morphology import split_title
from edict.support.records import dataclass
from edict.support.report import Diagnostic, RulesError

NUMBER_LIMIT = SET_BITS  # numbers below this can be members of a set or an index


@dataclass(frozen=True)
class KeepCells:
    """The cells of a keep."""

    base: int
    sizes: tuple[int, ...]  # size of each index
    type: ValueType
    known: int  # first cell of who knows each value; -1 if it is no secret
    keep: t.Keep
    counts: int = -1  # first cell of the public counts of a secret; -1 if there are none


@dataclass(frozen=True)
class ProgramLayout:
    """The addresses of everything in the state."""

    players: int
    resources: int  # resource r of player p is at resources + r * players + p
    known: int  # who knows each amount, in the same order; -1 if no resource is secret
    totals: dict[str, int]  # counted group -> first of a cell for each player with the public total
    keeps: dict[str, KeepCells]
    phases: dict[str, int]  # cell that counts how often the phase is running
    periods: dict[str, int]  # phase -> first of a cell for each player with the abilities used up
    settings: dict[str, int]
    replacing: dict[t.Ability, int]  # cell that is 1 while the exception runs in place of a step
    dice: DiceLayout
    variables: tuple[StateVariable, ...]


def singular_and_plural(title: str, name: str) -> tuple[str, str]:
    """Return the singular and plural of a title such as `soldier/soldiers`, or of the name without a title."""
    return split_title(title or name)


def lay_out_state(linked: LinkedBook, code: CodeBuffer) -> ProgramLayout:
    """Assign cells to everything.

    Raises:
        RulesError: If there would be too many cells.
    """
    players = linked.game.high
    reserve_option_cells(linked, code)
    _check_total_size(linked, players)
    resources = code.reserve(max(1, len(linked.resources)) * players)
    knowledge_base = _reserve_resource_knowledge(linked, code, players)
    variables = [
        _resource_variable(linked, i, resources, knowledge_base, players) for i in range(len(linked.resources))
    ]
    totals = {group.name.word: code.reserve(players) for group in iter_counted_groups(linked)}
    variables += [
        _group_total_variable(group, totals[group.name.word], players) for group in iter_counted_groups(linked)
    ]
    keeps: dict[str, KeepCells] = {}
    for definition in linked.resolved.book.select(t.Keep):
        home = _allocate_keep(linked, code, definition, players)
        keeps[definition.name.word] = home
        variables.append(_keep_variable(definition, home, linked))
        variables += [_count_variable(variables[-1], home)] if home.counts >= 0 else []
    phases = {d.name.word: code.reserve(1) for d in linked.resolved.book.select(t.Phase)}
    periods = {name: code.reserve(players) for name in linked.periods}
    settings = {d.name.word: code.reserve(1, d.value) for d in linked.resolved.book.select(t.Setting)}
    replacing: dict[t.Ability, int] = {exception: code.reserve(1) for exception in linked.stepwise}
    dice = _lay_out_dice(linked, code)
    return ProgramLayout(
        players, resources, knowledge_base, totals, keeps, phases, periods, settings, replacing, dice, tuple(variables)
    )


def member_count(linked: LinkedBook, index_type: ValueType, players: int) -> int:
    """Return how many values an index of a keep can have: players, resources, things, or a fixed limit of numbers."""
    if index_type.shape == "number":
        return NUMBER_LIMIT
    if index_type.kind == "player":
        return players
    if index_type.kind == "resource":
        return max(1, len(linked.resources))
    return max(1, len(linked.things.get(index_type.kind, ())))


def _index_sizes(linked: LinkedBook, keep: t.Keep, players: int) -> tuple[int, ...]:
    """Return how many values each parameter of a keep can have, in order."""
    return tuple(member_count(linked, param_type(linked.resolved, p), players) for p in keep.params)


def _check_total_size(linked: LinkedBook, players: int) -> None:
    """Raise an error if the keeps are too large. It runs before anything of that size is allocated."""
    total = 0
    for keep in linked.resolved.book.select(t.Keep):
        cells = count_cells(linked, from_type_name(linked.resolved, keep.type))
        size = prod(_index_sizes(linked, keep, players)) * cells * (2 if keep.secret else 1)
        if total + size > MOST_CELLS:
            earlier = f", and the keeps before it {total:,}" if total else ""
            raise RulesError(
                [
                    Diagnostic(
                        "E0704",
                        f"`{keep.name.word}` holds too much",
                        keep.span,
                        note=f"It holds {size:,} values{earlier}; there may be {MOST_CELLS:,} in all.",
                        help="keep it by fewer things or numbers, or as a set",
                    )
                ]
            )
        total += size


def is_secret_resource(linked: LinkedBook, resource: int) -> bool:
    """Return True if a player's amount of a resource is hidden from others."""
    definition = linked.resources[resource]
    return isinstance(definition, t.Resource) and definition.secret


def iter_counted_groups(linked: LinkedBook) -> Iterator[t.Group]:
    """Iterate over the groups of secret resources whose total is public."""
    definitions = linked.resolved.book.definitions.values()
    return (definition for definition in definitions if isinstance(definition, t.Group) and definition.counted)


def _reserve_resource_knowledge(linked: LinkedBook, code: CodeBuffer, players: int) -> int:
    """Reserve the knowledge cells of secret resources; at first each player knows only their own."""
    if not any(is_secret_resource(linked, i) for i in range(len(linked.resources))):
        return -1
    known = code.reserve(len(linked.resources) * players)
    for offset in range(len(linked.resources) * players):
        code.initial[known + offset] = 1 << offset % players
    return known


def _resource_variable(linked: LinkedBook, i: int, base: int, known: int, players: int) -> StateVariable:
    """Build the variable of resource number `i`, with a cell for each player."""
    definition = linked.resources[i]
    singular, plural = singular_and_plural(definition.title, definition.name.word)
    floor = None if isinstance(definition, t.Resource) and definition.below_zero else 0
    return StateVariable(
        name=definition.name.word,
        title=singular,
        plural=plural,
        type=ValueType("number"),
        kinds=("player",),
        sizes=(players,),
        base=base + i * players,
        quiet=False,
        resource=True,
        least=floor,
        known=known + i * players if is_secret_resource(linked, i) else -1,
    )


def _group_total_variable(group: t.Group, base: int, players: int) -> StateVariable:
    """Build the variable of a group's public total."""
    singular, plural = singular_and_plural(group.title, group.name.word)
    return StateVariable(
        name=count_name(group.name.word),
        title=f"{singular} (how many)",
        plural=f"{plural} (how many)",
        type=ValueType("number"),
        kinds=("player",),
        sizes=(players,),
        base=base,
        quiet=True,
        least=0,
        tallies=tuple(name.word for name in group.members),
    )


def _allocate_keep(linked: LinkedBook, code: CodeBuffer, keep: t.Keep, players: int) -> KeepCells:
    """Reserve a keep's cells, and those for knowledge and public counts if it is secret or counted."""
    declared_as = from_type_name(linked.resolved, keep.type)
    keep_type = replace(declared_as, cells=count_cells(linked, declared_as))
    sizes = _index_sizes(linked, keep, players)
    base = code.reserve(prod(sizes) * keep_type.cells, _initial_value(keep_type))
    everyone = (1 << players) - 1  # everybody knows the initial value
    knowledge_base = code.reserve(prod(sizes) * keep_type.cells, everyone) if keep.secret else -1
    count_base = code.reserve(prod(sizes)) if keep.counted else -1
    return KeepCells(base, sizes, keep_type, knowledge_base, keep, count_base)


def _initial_value(keep_type: ValueType) -> int:
    """Return the number in a cell of an empty keep: -1 or all ones for orders and `none`, else 0."""
    if keep_type.shape == "order":
        return (1 << 60) - 1 if keep_type.cells == 1 else -1
    return -1 if keep_type.shape == "thing" and keep_type.optional else 0


def _keep_variable(keep: t.Keep, home: KeepCells, linked: LinkedBook) -> StateVariable:
    """Build the variable of a keep; a bag becomes a number indexed by thing."""
    singular, plural = singular_and_plural(keep.title, keep.name.word)
    kinds, sizes, variable_type = (
        tuple(_kind_name(param_type(linked.resolved, p)) for p in keep.params),
        home.sizes,
        home.type,
    )
    if variable_type.shape == "bag":  # a number for each thing
        kinds, sizes, variable_type = (*kinds, variable_type.kind), (*sizes, variable_type.cells), ValueType("number")
    return StateVariable(
        name=keep.name.word,
        title=singular,
        plural=plural,
        type=variable_type,
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


def _count_variable(secret: StateVariable, home: KeepCells) -> StateVariable:
    """Build the variable of the public count of a secret."""
    kinds, sizes = secret.kinds[: len(home.sizes)], home.sizes
    return replace(
        secret,
        name=count_name(secret.name),
        title=f"{secret.title} (how many)",
        plural=f"{secret.plural} (how many)",
        type=ValueType("number"),
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


def _kind_name(index_type: ValueType) -> str:
    return index_type.kind if index_type.shape == "thing" else "number"


def _lay_out_dice(linked: LinkedBook, code: CodeBuffer) -> DiceLayout:
    """Lay out the fields of dice; all cells have the same faces in the same places."""
    firsts: dict[str, int] = {}
    faces: list[int] = []
    for dice_row in pack_dice(linked.dice):
        for cell, die in enumerate(dice_row):
            firsts[die.name.word] = cell * o.BITS + len(faces)
        faces += range(1, dice_row[0].sides + 1)
    width = compute_count_bits(linked.dice) if faces else 1
    code.initial[o.WIDTH] = width
    code.initial[o.FIELDS] = len(faces)
    code.dice_faces = code.add_table([*faces, 0])
    return DiceLayout(
        width,
        tuple(
            (die.name.word, singular_and_plural(die.title, die.name.word)[0], die.sides, firsts[die.name.word])
            for die in linked.dice
        ),
    )


# --- cell sizes ------------------------------------------------------------------------------------


SMALL_KINDS = ("player", "resource", "number")  # kinds whose sets and orders always fit in one cell


def count_cells(linked: LinkedBook, value_type: ValueType) -> int:
    """Return the number of cells of a value of a type.

    A set has a bit for each thing. A bag has a cell for each thing, and so has an order that is too long to be packed.
    """
    if value_type.shape == "bag":
        return max(1, len(linked.things.get(value_type.kind, ())))
    if value_type.shape == "dice":
        return max(map(len, pack_dice(linked.dice)), default=1)
    if value_type.shape not in ("set", "order") or value_type.kind in SMALL_KINDS:
        return 1
    things = len(linked.things.get(value_type.kind, ()))
    if value_type.shape == "order":
        return 1 if things <= PACKED_ORDER else things
    return max(1, -(-things // o.BITS))


def fits_in_set(linked: LinkedBook, last: t.Expr) -> bool:
    """Return True if all numbers up to this one fit in a set of one cell."""
    return evaluate_abstractly(linked.typed, last).high < SET_BITS


def reserve_option_cells(linked: LinkedBook, code: CodeBuffer) -> None:
    """Reserve cells for the options of every question.

    There may be one for each thing of the largest kind, each number of a range or each thing in the initial bags, and
    one to decline.
    """
    option_count = (
        max(
            (*map(len, linked.things.values()), *_iter_range_sizes(linked), count_initial_bag_things(linked)), default=0
        )
        + 1
    )
    if option_count > o.MIN_OPTION_CAPACITY:
        code.initial[o.ROOM] = option_count - o.MIN_OPTION_CAPACITY
        code.reserve(option_count - o.MIN_OPTION_CAPACITY)


def _iter_range_sizes(linked: LinkedBook) -> Iterator[int]:
    """Iterate over the sizes of the ranges in the rules that are bounded before play."""
    for owner in linked.resolved.book.roots:
        high_ends = (getattr(node, "high", None) for node in walk_expanded(linked.resolved, owner))
        for last in (last for last in high_ends if isinstance(last, t.Expr)):
            greatest = evaluate_abstractly(linked.typed, last).high
            if greatest <= GREATEST_CHOICE:
                yield int(max(greatest, 0)) + 1
