"""What is still used though a module has removed it: told once, where it is removed, with the places of use."""

from __future__ import annotations

from collections.abc import Iterator

from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import SORTS, plurals
from edict.support.morphology import count_noun
from edict.support.report import Diagnostic, Label
from edict.support.text import Span

SHOWN = 3  # places of use


class Orphans:
    """The words of removed definitions, and the places where they are used all the same."""

    def __init__(self, book: t.Book) -> None:
        self.removals: dict[str, tuple[t.Definition, Span]] = {}
        for definition, span in book.removed:
            for word in _words(definition):
                self.removals.setdefault(word, (definition, span))
        self.uses: dict[Span, list[Span]] = {}

    def take(self, word: str, place: Span) -> bool:
        """Note a word without meaning; whether it is one that was removed."""
        if word not in self.removals:
            return False
        self.uses.setdefault(self.removals[word][1], []).append(place)
        return True

    def diagnostics(self) -> Iterator[Diagnostic]:
        removals = {span: definition for definition, span in self.removals.values()}
        for span, uses in self.uses.items():
            yield _still_used(removals[span], span, list(dict.fromkeys(uses)))


def _words(definition: t.Definition) -> Iterator[str]:
    """All words by which rules could speak of it: its name, the forms for several, and its fields."""
    yield definition.name.word
    if isinstance(definition, t.Kind | t.Group | t.Resource | t.Die):
        yield from plurals(definition.name.word)
        many = definition.title.partition("/")[2]
        yield from (many.lower().replace(" ", "-"),) if many else ()
    if isinstance(definition, t.Kind):
        yield from (field.name.word for field in definition.fields)


def _still_used(removed: t.Definition, span: Span, uses: list[Span]) -> Diagnostic:
    left = len(uses) - SHOWN
    more = f" It is used in {count_noun(left, 'more place')}." if left > 0 else ""
    sort = removed.kind.word if isinstance(removed, t.Thing) else SORTS.get(type(removed), "exception")
    name = removed.name.word
    return Diagnostic(
        "E0211",
        f"the {sort} `{name}` is removed here, and other rules still need it",
        span,
        labels=(*(Label(use, "it is used") for use in uses[:SHOWN]), Label(removed.name.span, "it was declared")),
        note=f"What is removed must not be spoken of anywhere.{more}",
        help=f"remove or amend those rules too, or `amend {sort} {name}` instead of removing it",
    )
