"""Compilation of ambiguous rules by one of their readings.

Errors stop the pipeline as usual, except other ambiguities; for those the program takes whichever reading comes first,
the same in each program.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from edict.compiler.checks import check
from edict.compiler.lowering import lower
from edict.compiler.pipeline.fix_verification import edit_source_file
from edict.compiler.pipeline.passes import run_passes
from edict.compiler.pipeline.pipeline import CHECKING, PASSES
from edict.compiler.semantics.link import AttachedAbility, LinkedBook
from edict.compiler.sources.folders import Module
from edict.compiler.sources.module_set import Modules, hash_rules
from edict.runtime.program import Program, digest
from edict.support.report import Diagnostic, Outcome, Rule, RuleReading


def compile_reading(modules: Modules, reading: RuleReading) -> Outcome[Program]:
    """Return the program with a reading's edits, layering and precedence applied; other errors are kept."""
    modified = tuple(
        _apply_over(
            replace(module, sources=tuple(edit_source_file(source, reading.edits) for source in module.sources)),
            reading,
        )
        for module in modules
    )
    name = digest(f"{hash_rules(modules)} {reading}")
    typed = run_passes(PASSES[:CHECKING], modified)[0]
    diagnostics = typed.and_then(check).diagnostics if typed.ok else ()
    unambiguous = typed.and_then(
        lambda typed: Outcome(typed, tuple(module for module in diagnostics if not module.readings))
    )
    linked = unambiguous.and_then(lambda typed: run_passes(PASSES[CHECKING + 1 :], typed)[0])
    lowered = linked.and_then(lambda linked: lower(_apply_precedence(linked, reading, diagnostics), modified, name))
    return lowered.and_then(lambda program: Outcome(program.with_meaning()))


def _apply_over(module: Module, reading: RuleReading) -> Module:
    """Return a module, laid over another one if the reading says so."""
    if reading.over is None or module.name != reading.over[0]:
        return module
    return replace(module, manifest=replace(module.manifest, over=(*module.manifest.over, reading.over[1])))


def _apply_precedence(linked: LinkedBook, reading: RuleReading, diagnostics: Iterable[Diagnostic]) -> LinkedBook:
    """Return the linked rules with the precedence of the reading between rule exceptions.

    Exceptions whose relation to the two is open, too, yield to both of them.
    """
    if reading.yields is None:
        return linked
    lower_rule, prior_rule = reading.yields
    if prior_rule is None:
        return replace(
            linked, yielding={attached.ability: None for attached in _find_attached_abilities(linked, lower_rule)}
        )
    prior_abilities = (*_find_attached_abilities(linked, lower_rule), *_find_attached_abilities(linked, prior_rule))
    open_abilities = (
        attached
        for open_rule in _find_ambiguous_rules(lower_rule, diagnostics) - {lower_rule, prior_rule}
        for attached in _find_attached_abilities(linked, open_rule)
    )
    yielding = {attached.ability: prior_abilities for attached in open_abilities}
    return replace(
        linked,
        yielding=yielding
        | {
            attached.ability: _find_attached_abilities(linked, prior_rule)
            for attached in _find_attached_abilities(linked, lower_rule)
        },
    )


def _find_ambiguous_rules(rule: Rule, diagnostics: Iterable[Diagnostic]) -> set[Rule]:
    """Return this rule and all that diagnostics with readings pair with it, directly or through others."""
    precedences = (reading.yields for item in diagnostics for reading in item.readings)
    pairs = [{pair[0], pair[1]} for pair in precedences if pair is not None and pair[1] is not None]
    result, size = {rule}, 0
    while size < len(result):
        size = len(result)
        result |= {item for pair in pairs if pair & result for item in pair if item is not None}
    return result


def _find_attached_abilities(linked: LinkedBook, rule: Rule) -> tuple[AttachedAbility, ...]:
    """Return the linked abilities that a rule of this name and span became, one for each thing that has it."""
    return tuple(attached for attached in linked.held if (attached.name, attached.ability.span) == rule)
