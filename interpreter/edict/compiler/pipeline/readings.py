"""Rules that leave something open, compiled as one of the ways to read them has them.

What is found wrong stops them as ever, except for what leaves something open too: of that the program takes whichever
comes first, and the same in each of the readings.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from edict.compiler.checks import check
from edict.compiler.lowering import lower
from edict.compiler.pipeline.pipeline import CHECKING, PASSES
from edict.compiler.pipeline.trying import edited_source, looked
from edict.compiler.semantics.link import AttachedAbility, LinkedBook
from edict.compiler.sources.folders import Module
from edict.compiler.sources.module_set import Modules, rules_hash
from edict.runtime.program import Program, digest
from edict.support.report import Diagnostic, Outcome, Rule, RuleReading


def as_read(modules: Modules, reading: RuleReading) -> Outcome[Program]:
    """The program of these modules as this reading has them; or what is wrong with them beside what they leave open."""
    read = tuple(
        _laid(replace(one, sources=tuple(edited_source(s, reading.edits) for s in one.sources)), reading)
        for one in modules
    )
    name = digest(f"{rules_hash(modules)} {reading}")
    typed = looked(PASSES[:CHECKING], read)[0]
    found = typed.and_then(check).diagnostics if typed.ok else ()
    sound = typed.and_then(lambda typed: Outcome(typed, tuple(one for one in found if not one.readings)))
    linked = sound.and_then(lambda typed: looked(PASSES[CHECKING + 1 :], typed)[0])
    lowered = linked.and_then(lambda linked: lower(_yielding(linked, reading, found), read, name))
    return lowered.and_then(lambda program: Outcome(program.with_meaning()))


def _laid(module: Module, reading: RuleReading) -> Module:
    """A module, over the other one too if the reading says so."""
    if reading.over is None or module.name != reading.over[0]:
        return module
    return replace(module, manifest=replace(module.manifest, over=(*module.manifest.over, reading.over[1])))


def _yielding(linked: LinkedBook, reading: RuleReading, found: Iterable[Diagnostic]) -> LinkedBook:
    """What yields to what: also to both of the two that are read, whatever else it is left open about with them."""
    if reading.yields is None:
        return linked
    one, other = reading.yields
    if other is None:
        return replace(linked, yielding={attached.ability: None for attached in _of(linked, one)})
    both = (*_of(linked, one), *_of(linked, other))
    others = (attached for rule in _open_with(one, found) - {one, other} for attached in _of(linked, rule))
    yielding = {attached.ability: both for attached in others}
    return replace(linked, yielding=yielding | {attached.ability: _of(linked, other) for attached in _of(linked, one)})


def _open_with(rule: Rule, found: Iterable[Diagnostic]) -> set[Rule]:
    """All rules about which it is left open, through others too, whether they or this one counts."""
    said = (reading.yields for one in found for reading in one.readings)
    pairs = [{pair[0], pair[1]} for pair in said if pair is not None and pair[1] is not None]
    known, size = {rule}, 0
    while size < len(known):
        size = len(known)
        known |= {one for pair in pairs if pair & known for one in pair if one is not None}
    return known


def _of(linked: LinkedBook, rule: Rule) -> tuple[AttachedAbility, ...]:
    return tuple(attached for attached in linked.held if (attached.name, attached.ability.span) == rule)
