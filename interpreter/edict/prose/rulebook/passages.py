"""The authors' own passages and examples for the rulebook, by the place where they belong."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from edict.compiler.sources.folders import CHAPTERS, Module, Passage, iter_passages
from edict.compiler.syntax import tree as t
from edict.prose.rulebook.annotated_rules import AnnotatedRules
from edict.prose.rulebook.chapters import Block, Example, Paragraph
from edict.support.text import to_slug

PRIMER, SETUP, CORE, END, ALWAYS, GLANCE, MODULE = CHAPTERS


@dataclass(frozen=True)
class Passages:
    """Passages and examples by place."""

    at: Mapping[str, Sequence[Passage]] = field(default_factory=dict)  # passages by the place they name
    # passages for the section of the module that has them, by its name
    of_modules: Mapping[str, Sequence[Passage]] = field(default_factory=dict)
    # examples by the phase or kind they illustrate
    played: Mapping[str, Sequence[Example]] = field(default_factory=dict)

    def iter_passages(self, place: str) -> Iterator[Block]:
        """Iterate over the paragraphs for a place, with their headings."""
        yield from self._iter_paragraphs(place, self.at.get(place, ()))

    def iter_module_passages(self, module: Module) -> Iterator[Block]:
        """Iterate over the paragraphs for the section of a module, with their headings."""
        yield from self._iter_paragraphs(module.name, self.of_modules.get(module.name, ()))

    def _iter_paragraphs(self, place: str, passages: Sequence[Passage]) -> Iterator[Block]:
        """Iterate over the paragraphs of passages, with their headings and anchors."""
        for passage in passages:
            first, *others = passage.paragraphs
            yield Paragraph(
                first, heading=passage.title, anchor=f"_{place}-{to_slug(passage.title)}" if passage.title else ""
            )
            yield from map(Paragraph, others)

    def iter_examples(self, place: str) -> Iterator[Block]:
        """Iterate over the examples for a place."""
        yield from self.played.get(place, ())


def collect_passages(rules: AnnotatedRules, examples: Iterable[tuple[str, Example]]) -> Passages:
    """Collect the passages of game and modules; those for an unknown place go to the general rules."""
    at: dict[str, list[Passage]] = {}
    played: dict[str, list[Example]] = {}
    of_modules: dict[str, list[Passage]] = {}
    for module, passage in iter_passages(rules.modules):
        if passage.place == MODULE:
            of_modules.setdefault(module.name, []).append(passage)
        else:
            is_known_place = passage.place in (*CHAPTERS, *rules.definitions, *rules.resolved.fields)
            at.setdefault(passage.place if is_known_place else ALWAYS, []).append(passage)
    for place, example in examples:
        is_known_place = place in CHAPTERS or isinstance(rules.definitions.get(place), t.Phase | t.Kind)
        played.setdefault(place if is_known_place else ALWAYS, []).append(example)
    return Passages(at, of_modules, played)
