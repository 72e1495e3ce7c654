"""Rules that the text of a thing covers: the routines, quantities and bookkeeping that nothing else uses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from edict.compiler.semantics.symbols import Symbol, keep_of, starts_with_text
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.roles import Role, iter_role_values
from edict.compiler.syntax.traversal import walk
from edict.prose.rulebook.annotated_rules import AnnotatedRules
from edict.prose.rulebook.effects_index import is_bookkeeping
from edict.prose.rulebook.things import is_list_of_effects
from edict.support.records import dataclass

CALLED = (t.Routine, t.Quantity)
NO_USERS = (*CALLED, t.Keep, t.Display)  # definitions that count as used only if something else uses them


@dataclass(frozen=True)
class CoveredRules:
    """Rules that a rulebook need not spell out, as the authors' texts on things say what they do."""

    names: frozenset[str]  # of routines, quantities and lists of effects
    house_rules: frozenset[t.Ability]


def find_covered_rules(rules: AnnotatedRules) -> CoveredRules:
    """Return the routines and quantities, and the house rules that keep count for them, that only told things use."""
    if not rules.resolved.authored:
        return CoveredRules(frozenset(), frozenset())
    house_rules = [standalone.ability for standalone in rules.book.standalone]
    lists = {name: rules.linked.things[name] for name in rules.definitions if _is_list(rules, name)}
    bookkeeping = [ability for ability in house_rules if is_bookkeeping(rules, ability)]
    told_names = {
        thing.name.word
        for kind, things in rules.linked.things.items()
        for thing in things
        if thing.text is not None or kind in lists
    }
    roots: list[t.Node] = [
        definition
        for name, definition in rules.definitions.items()
        if not isinstance(definition, NO_USERS) and name not in told_names
    ]
    roots += [ability for ability in house_rules if ability not in bookkeeping and not _is_told(ability)]
    used: set[str] = set()
    while roots:
        _add_used_names(rules, lists, roots, used)
        roots = [ability for ability in bookkeeping if not used.isdisjoint(_iter_changed_names(rules, ability))]
        bookkeeping = [ability for ability in bookkeeping if ability not in roots]
    names = (name for name, item in rules.definitions.items() if isinstance(item, CALLED) or name in lists)
    return CoveredRules(frozenset(names) - used, frozenset(bookkeeping))


def _is_list(rules: AnnotatedRules, name: str) -> bool:
    """Return True for the name of a kind whose things are a list of effects."""
    return is_list_of_effects(rules, rules.definitions[name])


def _is_told(ability: t.Ability) -> bool:
    """Return True if an ability begins with the author's text."""
    return starts_with_text(getattr(ability, "block", ()) or getattr(ability, "then", ()))


def _add_used_names(
    rules: AnnotatedRules, lists: Mapping[str, Sequence[t.Node]], roots: Iterable[t.Node], used: set[str]
) -> None:
    """Add to `used` the names that nodes mention, and those that the routines, quantities and lists among them do."""
    pending = [name for root in roots for name in _iter_mentioned_names(rules, root)]
    while pending:
        name = pending.pop()
        if name not in used:
            used.add(name)
            definition = rules.definitions.get(name)
            if isinstance(definition, CALLED):
                pending += _iter_mentioned_names(rules, definition)
            pending += (inner for thing in lists.get(name, ()) for inner in _iter_mentioned_names(rules, thing))


def _iter_mentioned_names(rules: AnnotatedRules, root: t.Node) -> Iterator[str]:
    """Yield the name of each definition that a node mentions."""
    for node in walk(root):
        meaning = rules.resolved.meaning.get(node) if isinstance(node, t.Name) else None
        if isinstance(meaning, Symbol):
            yield meaning.name


def _iter_changed_names(rules: AnnotatedRules, ability: t.Ability) -> Iterator[str]:
    """Yield the names of the state variables that the steps of an ability change."""
    steps = (node for node in walk(ability) if isinstance(node, t.Stmt))
    for place in (place for step in steps for place in iter_role_values(step, Role.CHANGED)):
        keep = keep_of(rules.resolved, place)
        if keep is not None:
            yield keep.name.word
