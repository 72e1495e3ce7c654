"""Rules that leave something open, compiled as one of the ways to read them has them.

What is found wrong stops them as ever, except for what leaves something open too: of that the program takes whichever
comes first, and the same in each of the readings.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from edict.checks import check
from edict.front.pipeline import CHECKING, PASSES
from edict.front.trying import edited_source, looked
from edict.lowering import lower
from edict.meaning.link import AttachedAbility, Linked
from edict.meaning.types import Typed
from edict.program import Program, digest
from edict.report import Outcome, Reading, Rule
from edict.sources.folders import Module
from edict.sources.module_set import Modules, rules_hash


def as_read(modules: Modules, reading: Reading) -> Outcome[Program]:
    """The program of these modules as this reading has them; or what is wrong with them beside what they leave open."""
    read = tuple(_laid(replace(one, sources=tuple(edited_source(s, reading.edits) for s in one.sources)), reading)
                 for one in modules)  # fmt: skip
    name = digest(f"{rules_hash(modules)} {reading}")
    typed = looked(PASSES[:CHECKING], read)[0]
    linked = typed.then(_checked).then(lambda typed: looked(PASSES[CHECKING + 1 :], typed)[0])
    lowered = linked.then(lambda linked: lower(_yielding(linked, reading), read, name))
    return lowered.then(lambda program: Outcome(program.with_meaning()))


def _checked(typed: Typed) -> Outcome[Typed]:
    """What leaves something open is no reason not to go on."""
    return Outcome(typed, tuple(one for one in check(typed).diagnostics if not one.readings))


def _laid(module: Module, reading: Reading) -> Module:
    """A module, over the other one too if the reading says so."""
    if reading.over is None or module.name != reading.over[0]:
        return module
    return replace(module, manifest=replace(module.manifest, over=(*module.manifest.over, reading.over[1])))


def _yielding(linked: Linked, reading: Reading) -> Linked:
    if reading.yields is None:
        return linked
    yielding, other = reading.yields
    upper = None if other is None else _of(linked.held, other)
    return replace(linked, yielding={attached.ability: upper for attached in _of(linked.held, yielding)})


def _of(held: Iterable[AttachedAbility], rule: Rule) -> tuple[AttachedAbility, ...]:
    return tuple(attached for attached in held if (attached.name, attached.ability.span) == rule)
