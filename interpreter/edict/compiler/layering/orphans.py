"""References to removed definitions, reported once per removal with the places of use."""

from __future__ import annotations

from collections.abc import Iterator

from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import SORTS, list_inflected_forms
from edict.support.morphology import count_noun
from edict.support.report import Diagnostic, Label
from edict.support.text import Span

MOST_PLACES = 3  # places of use that a message shows


class OrphanedReferences:
    """Collects the uses of words that belong to removed definitions."""

    def __init__(self, book: t.Book) -> None:
        self.removals: dict[str, tuple[t.Definition, Span]] = {}
        for definition, span in book.removed:
            for word in _iter_words(definition):
                self.removals.setdefault(word, (definition, span))
        self.uses: dict[Span, list[Span]] = {}

    def record_use(self, word: str, place: Span) -> bool:
        """Record a use of a word that belonged to a removed definition; return False for any other word."""
        if word not in self.removals:
            return False
        self.uses.setdefault(self.removals[word][1], []).append(place)
        return True

    def iter_diagnostics(self) -> Iterator[Diagnostic]:
        """Yield a diagnostic for each removed definition that is still used."""
        removals = {span: definition for definition, span in self.removals.values()}
        for span, uses in self.uses.items():
            yield _orphan_diagnostic(removals[span], span, list(dict.fromkeys(uses)))


def _iter_words(definition: t.Definition) -> Iterator[str]:
    """Yield all words by which rules may refer to a definition (name, plurals, fields)."""
    yield definition.name.word
    if isinstance(definition, t.Kind | t.Group | t.Resource | t.Die):
        yield from list_inflected_forms(definition.name.word)
        plural = definition.title.partition("/")[2]
        yield from (plural.lower().replace(" ", "-"),) if plural else ()
    if isinstance(definition, t.Kind):
        yield from (field.name.word for field in definition.fields)


def _orphan_diagnostic(removed: t.Definition, span: Span, uses: list[Span]) -> Diagnostic:
    """Return the error at a `remove` whose definition is still used; at most MOST_PLACES uses are labelled."""
    remaining = len(uses) - MOST_PLACES
    rest = f" It is used in {count_noun(remaining, 'more place')}." if remaining > 0 else ""
    if isinstance(removed, t.Thing):
        sort = removed.kind.word
    else:
        sort = SORTS.get(type(removed), "exception")
    name = removed.name.word
    return Diagnostic(
        "E0211",
        f"the {sort} `{name}` is removed here, but other rules still need it",
        span,
        labels=(*(Label(use, "it is used") for use in uses[:MOST_PLACES]), Label(removed.name.span, "it was declared")),
        note=f"Rules cannot use what is removed.{rest}",
        help=f"remove or amend those rules too, or `amend {sort} {name}` instead of removing it",
    )
