"""A filter that removes what serves only the bots from rules for readers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from edict.compiler.semantics.judgement import JudgementNames, find_judgement
from edict.compiler.semantics.link import LinkedBook
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.printing import join_lines, print_lines
from edict.prose.rulebook.annotated_rules import AnnotatedRules
from edict.prose.rulebook.history import DefinitionChange


def remove_judgement(rules: AnnotatedRules) -> AnnotatedRules:
    """Return the rules without all that serves only the judgement (the bots' evaluation of a position)."""
    if rules.linked.game.judge is None:
        return rules
    judgement = find_judgement(rules.linked)
    filtered = {name: tuple(_filter_changes(judgement, changes)) for name, changes in rules.history.items()}
    history = {name: changes for name, changes in filtered.items() if changes}
    return replace(rules, linked=_filter_linked_book(judgement, rules.linked), history=history)


def _filter_linked_book(judgement: JudgementNames, linked: LinkedBook) -> LinkedBook:
    """Return the linked book without the definitions, abilities and fields that serve only the bots."""
    resolved = linked.resolved
    book = _filter_book(judgement, resolved.book)
    binds = dict(resolved.binds)
    for name, definition in book.definitions.items():  # kinds bind their own name, stripped ones too
        if (local := binds.get(resolved.book.definitions[name])) is not None:
            binds[definition] = local
    return replace(
        linked,
        typed=replace(linked.typed, resolved=replace(resolved, book=book, binds=binds)),
        game=next(book.select(t.Game)),
        things={kind: tuple(judgement.strip_thing(item) for item in things) for kind, things in linked.things.items()},
        adjusts={name: abilities for name, abilities in linked.adjusts.items() if name not in judgement.names},
        held=tuple(item for item in linked.held if not judgement.is_judgement(item.ability)),
    )


def _filter_book(judgement: JudgementNames, book: t.Book) -> t.Book:
    """Return the book without the definitions and top-level abilities that serve only the bots."""
    filtered = {name: judgement.strip_definition(definition) for name, definition in book.definitions.items()}
    return replace(
        book,
        definitions={name: definition for name, definition in filtered.items() if definition is not None},
        standalone=tuple(
            definition for definition in book.standalone if judgement.strip_definition(definition) is not None
        ),
    )


def _filter_changes(judgement: JudgementNames, changes: Sequence[DefinitionChange]) -> Iterator[DefinitionChange]:
    """Yield the changes, stripped of the judgement, that still alter the definition's text."""
    old_text: str | None = None
    for change in changes:
        after = judgement.strip_definition(change.after) if change.after is not None else None
        if change.after is not None and after is None:
            continue
        text = join_lines(print_lines(after)) if after is not None else None
        if change.verb == "declare" or text != old_text:
            yield replace(change, after=after)
        old_text = text
