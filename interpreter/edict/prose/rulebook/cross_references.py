"""Cross-references between rules, from abilities to what they affect and from modules to what they change."""

from __future__ import annotations

from collections.abc import Iterator

from edict.compiler.english import describe
from edict.compiler.semantics.ability_targets import target_name
from edict.compiler.semantics.call_graph import get_invoked_moment
from edict.compiler.semantics.effects import iter_changes
from edict.compiler.semantics.symbols import Meaning, ResolvedBook, Symbol, meaning_of_place, split_parts
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.roles import Role, iter_role_values
from edict.compiler.syntax.traversal import walk
from edict.prose.rulebook.annotated_rules import VERBS, AnnotatedRules
from edict.prose.rulebook.rule_search import NamedDefinition, collect_named_definitions
from edict.support.morphology import to_sentence
from edict.support.records import dataclass
from edict.support.text import Span

ABILITY_VERBS: dict[type, str] = {
    t.Adjust: "adjusts",
    t.When: "happens at",
    t.Shift: "shifts",
    t.Exception_: "replaces",
    t.AddedOption: "adds an option to",
}
RUN_VERBS = {"phase": "plays", "routine": "does", "action": "does", "moment": "triggers"}
MENTION_VERBS = ("changes", "reveals", "reads")
# all verbs, in the sequence of display
VERBS_IN_ORDER = (
    "adjusts",
    "happens at",
    "shifts",
    "excepts",
    "replaces",
    "adds an option to",
    *RUN_VERBS.values(),
    *MENTION_VERBS,
    *(f"{verb} by" for verb in VERBS.values()),
)


@dataclass(frozen=True, slots=True)
class CrossReference:
    """A reference from one rule to another."""

    who: str  # name of the referring rule
    how: str  # one of VERBS_IN_ORDER
    whom: str  # name of what it refers to
    span: Span
    module: str
    part: str = ""  # rule or field
    words: str = ""  # English description


def find_references(rules: AnnotatedRules) -> tuple[CrossReference, ...]:
    """Return all cross-references, in a sequence that does not depend on that of the files."""
    references = [
        touch
        for named in collect_named_definitions(rules).values()
        if not named.gone
        for touch in _iter_references(rules, named)
    ]
    references += _iter_module_changes(rules)
    changed = {(ref.who, ref.whom) for ref in references if ref.how in ("changes", "reveals")}
    references = [ref for ref in references if ref.how != "reads" or (ref.who, ref.whom) not in changed]
    unique = {(ref.who, ref.how, ref.whom, ref.part, ref.words): ref for ref in references}
    return tuple(
        sorted(
            unique.values(),
            key=lambda ref: (ref.whom, VERBS_IN_ORDER.index(ref.how), ref.who, ref.part, ref.words, ref.span),
        )
    )


def _iter_references(rules: AnnotatedRules, named: NamedDefinition) -> Iterator[CrossReference]:
    """Yield the references from one definition: by its abilities, the names it mentions, then its steps."""
    definition = named.definition
    abilities = _abilities_of(definition)
    for ability in abilities:
        yield _ability_reference(rules, named, ability)
    for node in walk(definition):
        if isinstance(node, t.Name):
            yield from _iter_mentions(rules, named, node)
    yield from _iter_step_references(rules, named)


def _abilities_of(definition: t.Definition) -> tuple[t.Ability, ...]:
    """Return the abilities of a thing, or the one of a top-level ability; empty for other definitions."""
    if isinstance(definition, t.Standalone):
        return (definition.ability,)
    return definition.abilities if isinstance(definition, t.Thing) else ()


def _ability_reference(rules: AnnotatedRules, named: NamedDefinition, ability: t.Ability) -> CrossReference:
    """Return the reference from an ability to its target, with a verb and the rule or phase edge it affects."""
    how, part = ABILITY_VERBS[type(ability)], ""
    if isinstance(ability, t.Exception_) and ability.rule is not None:
        how, part = "excepts", ability.rule.word
    if isinstance(ability, t.When):
        part = ability.edge
    words = to_sentence(describe(rules.resolved, ability))
    affected_name = rules.resolved.meaning[target_name(ability)].name
    return CrossReference(named.name, how, affected_name, ability.span, rules.module_of(ability.span), part, words)


def _iter_mentions(rules: AnnotatedRules, named: NamedDefinition, name: t.Name) -> Iterator[CrossReference]:
    """Yield a reference to a keep, quantity, setting, thing or resource that a name mentions."""
    meaning = rules.resolved.meaning.get(name)
    sorts = ("keep", "quantity", "value", "setting", "thing", "resource")
    if not isinstance(meaning, Symbol) or meaning.sort not in sorts:
        return
    if meaning.name != named.name:
        yield CrossReference(named.name, "reads", meaning.name, name.span, rules.module_of(name.span))


def _iter_step_references(rules: AnnotatedRules, named: NamedDefinition) -> Iterator[CrossReference]:
    """Yield a reference to each definition that a statement of this one runs, changes or reveals."""
    for node in walk(named.definition):
        for how, meaning in _iter_step_effects(rules.resolved, node) if isinstance(node, t.Stmt) else ():
            if isinstance(meaning, Symbol) and meaning.name != named.name and meaning.name in rules.definitions:
                yield CrossReference(named.name, how, meaning.name, node.span, rules.module_of(node.span))


def _iter_step_effects(resolved: ResolvedBook, node: t.Stmt) -> Iterator[tuple[str, Meaning | None]]:
    """Yield a verb (`runs`, `reveals`, `changes` ...) and its target for each effect of a step."""
    for name in iter_role_values(node, Role.RUNS):
        meaning = resolved.meaning[name]
        if meaning.sort in RUN_VERBS and get_invoked_moment(resolved, node) is None:
            yield RUN_VERBS[meaning.sort], meaning
    for place in iter_role_values(node, Role.SHOWN):
        yield "reveals", meaning_of_place(resolved, place)
    for bundle in iter_role_values(node, Role.MOVED):
        resource_names = (part.what for part in split_parts(resolved, bundle) if isinstance(part, t.Part))
        yield from (("changes", resolved.meaning.get(name)) for name in resource_names)
    yield from (("changes", meaning) for meaning in iter_changes(resolved, node) if meaning.sort != "phase")


def _iter_module_changes(rules: AnnotatedRules) -> Iterator[CrossReference]:
    """Yield a reference such as `amended by` for each change by another module, one for each changed field."""
    for name, changes in rules.history.items():
        before = changes[0].after
        for change in changes[1:]:
            if change.module != changes[0].module:
                parts_changed = _list_changed_fields(before, change.after) or ("",)
            else:
                parts_changed = ()
            for part in parts_changed:
                yield CrossReference(change.module, f"{VERBS[change.verb]} by", name, change.span, change.module, part)
            before = change.after


def _list_changed_fields(before: t.Definition | None, after: t.Definition | None) -> tuple[str, ...]:
    """Return the names of fields that a change added or replaced in a thing or kind; empty for other sorts."""
    if not isinstance(before, t.Thing | t.Kind) or not isinstance(after, t.Thing | t.Kind):
        return ()
    old = {field.name.word: field for field in before.fields}
    return tuple(field.name.word for field in after.fields if old.get(field.name.word) is not field)


def is_mention(touch: CrossReference) -> bool:
    """Return True if a reference only reads, changes or reveals state, which overviews leave out."""
    return touch.how in MENTION_VERBS
