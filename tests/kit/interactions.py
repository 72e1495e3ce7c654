"""Interactions of modules: rules that two of them touch, of which at least one changes what the other uses."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import combinations

from edict.compiler.syntax import tree as t
from edict.prose.rulebook.annotated_rules import AnnotatedRules, remove_judgement
from edict.prose.rulebook.cross_references import CrossReference, find_references
from reading import load_annotated
from shipped import catalogue

# resources and groups are what rules give and take; that alone is no interaction
FREELY_MOVED = (t.Resource, t.Group, t.Setting)
CHANGING_VERBS = ("adjusts", "shifts", "excepts", "replaces", "changes", "reveals")
CHANGES_OF_DEFINITIONS = ("amended by", "rewritten by", "removed by")

Pair = frozenset[str]


def list_modules(game: str = "kingsburg") -> tuple[list[str], list[str]]:
    """Return the names of the modules that ship for a game and of its scenarios; a game has one scenario at most."""
    kinds = {
        name: manifest.kind
        for name, (folder, manifest) in catalogue().items()
        if game in manifest.requires and folder.parent.name == "modules"
    }
    return tuple(sorted(name for name in kinds if kinds[name] == kind) for kind in ("module", "scenario"))  # type: ignore[return-value]


def find_all_interactions(game: str = "kingsburg") -> dict[Pair, set[str]]:
    """Return what each two modules of a game share, with names of rules; pairs that share nothing are left out."""
    modules, scenarios = list_modules(game)
    # a rule that a module has changed counts as that module's; without the module, it counts as its author's
    unchanged = [name for name in modules if name not in _find_amending_modules(load_annotated(game, *modules))]
    interactions: dict[Pair, set[str]] = {}
    for played in ([*group, scenario] for group in (modules, unchanged) for scenario in scenarios):
        for pair, shared in find_interactions(load_annotated(game, *played), played).items():
            interactions.setdefault(pair, set()).update(shared)
    return interactions


def find_interactions(rules: AnnotatedRules, modules: Iterable[str]) -> dict[Pair, set[str]]:
    """Return what each two modules of these rules share, as in `find_all_interactions`."""
    rules = remove_judgement(rules)
    touches = defaultdict[str, dict[str, list[CrossReference]]](lambda: defaultdict(list))
    for reference in find_references(rules):
        is_moved = isinstance(rules.definitions.get(reference.whom), FREELY_MOVED)
        if not is_moved and reference.how != "renamed by":
            touches[reference.whom][reference.module].append(reference)
    pairs = defaultdict[Pair, set[str]](set)
    for name, by_module in touches.items():
        for one, other in combinations(sorted(by_module.keys() & set(modules)), 2):
            if _interact(by_module[one], by_module[other]):
                pairs[frozenset((one, other))].add(name)
    return dict(pairs)


def _find_amending_modules(rules: AnnotatedRules) -> set[str]:
    """Return the modules that amend, replace or remove a definition of another module."""
    return {
        change.module
        for changes in rules.history.values()
        for change in changes[1:]
        if changes[0].module not in (rules.game.name, change.module) and change.verb != "call"
    }


def _interact(references: Iterable[CrossReference], others: Iterable[CrossReference]) -> bool:
    """Return True if one side changes what both touch, or if both act at the same moment."""
    moments, other_moments = set(_iter_moments(references)), set(_iter_moments(others))
    return bool(moments & other_moments) or any(map(_is_change, (*references, *others)))


def _iter_moments(references: Iterable[CrossReference]) -> Iterator[str]:
    """Yield the edges of a phase or moment at which rules act."""
    yield from (reference.part for reference in references if reference.how == "happens at")


def _is_change(reference: CrossReference) -> bool:
    """Return True for a reference that changes a value, a rule or a definition; new names do not count."""
    return reference.how in (*CHANGING_VERBS, *CHANGES_OF_DEFINITIONS)
