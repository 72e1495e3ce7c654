"""The differences between two sets of rules, in the language and in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import singular_title
from edict.compiler.syntax.printing import join_lines, print_lines
from edict.prose.rulebook.annotated_rules import AnnotatedRules
from edict.prose.rulebook.blame import SignedLine, current_lines, merge_lines
from edict.prose.rulebook.descriptions import describe_definition
from edict.prose.rulebook.history import sort_title
from edict.prose.rulebook.judgement_filter import remove_judgement
from edict.support.text import NOWHERE, Span

CHANGE_TYPES = ("added", "changed", "removed")


@dataclass(frozen=True, slots=True)
class RuleChange:
    """The change of one definition."""

    way: str  # one of CHANGE_TYPES
    sort: str
    name: str
    title: str
    lines: tuple[SignedLine, ...]  # old and new lines merged
    before: tuple[str, ...] = ()  # sentences that are gone
    after: tuple[str, ...] = ()  # sentences that are new
    span: Span = NOWHERE


def find_differences(old: AnnotatedRules, new: AnnotatedRules) -> tuple[RuleChange, ...]:
    """Return the changes of all definitions, sorted by type, sort and name.

    Definitions that only help bots to judge positions are ignored.
    """
    old, new = remove_judgement(old), remove_judgement(new)
    before, after = _collect_named_definitions(old), _collect_named_definitions(new)
    changes = [*_compare_named_definitions(old, new, before, after), *_compare_unnamed_rules(old, new)]
    return tuple(
        sorted(changes, key=lambda change: (CHANGE_TYPES.index(change.way), change.sort, change.name, change.span))
    )


def _collect_named_definitions(rules: AnnotatedRules) -> Mapping[str, t.Definition]:
    """Return all definitions and those top-level abilities that have a name of their own."""
    standalone = {name: ability for name, ability in rules.standalone.items() if ability.name.word}
    return {**rules.definitions, **standalone}


def _compare_named_definitions(
    old: AnnotatedRules, new: AnnotatedRules, before: Mapping[str, t.Definition], after: Mapping[str, t.Definition]
) -> Iterator[RuleChange]:
    """Yield a change for each name, sorted, that was added, removed or has another canonical text."""
    for name in sorted({*before, *after}):
        old_definition, new_definition = before.get(name), after.get(name)
        if old_definition is not None and new_definition is not None:
            if _canonical_text(old_definition) != _canonical_text(new_definition):
                yield _describe_change(old, new, name, old_definition, new_definition)
        elif new_definition is not None:
            yield _describe_whole_change(new, "added", name, new_definition)
        elif old_definition is not None:
            yield _describe_whole_change(old, "removed", name, old_definition)


def _compare_unnamed_rules(old: AnnotatedRules, new: AnnotatedRules) -> Iterator[RuleChange]:
    """Compare the nameless top-level rules by their text."""
    sides = [
        {_canonical_text(definition): definition for definition in known.book.standalone if not definition.name.word}
        for known in (old, new)
    ]
    yield from (
        _describe_whole_change(new, "added", "", definition)
        for text, definition in sides[1].items()
        if text not in sides[0]
    )
    yield from (
        _describe_whole_change(old, "removed", "", definition)
        for text, definition in sides[0].items()
        if text not in sides[1]
    )


def _canonical_text(definition: t.Definition) -> str:
    return join_lines(print_lines(definition))


def _describe_whole_change(rules: AnnotatedRules, way: str, name: str, definition: t.Definition) -> RuleChange:
    """Return the change of an `added` or `removed` definition: all its lines and all its sentences."""
    lines = tuple(current_lines(rules, name, definition))
    words = tuple(describe_definition(rules, definition))
    before, after = ((), words) if way == "added" else (words, ())
    return RuleChange(
        way, sort_title(definition), name, singular_title(definition), lines, before, after, definition.span
    )


def _describe_change(
    old: AnnotatedRules, new: AnnotatedRules, name: str, old_definition: t.Definition, new_definition: t.Definition
) -> RuleChange:
    """Return a change with the merged lines of both versions and the sentences that only one of them has."""
    lines = tuple(merge_lines(current_lines(old, name, old_definition), current_lines(new, name, new_definition), ""))
    before, after = tuple(describe_definition(old, old_definition)), tuple(describe_definition(new, new_definition))
    shared = set(before) & set(after)
    return RuleChange(
        "changed",
        sort_title(new_definition),
        name,
        singular_title(new_definition),
        lines,
        tuple(sentence for sentence in before if sentence not in shared),
        tuple(sentence for sentence in after if sentence not in shared),
        new_definition.span,
    )
