"""What authors say in the rulebook in their own words, and the examples they give: each where it belongs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from edict.compiler.sources.folders import PLACES, Passage
from edict.compiler.syntax import tree as t
from edict.prose.rulebook.annotated import Known
from edict.prose.rulebook.chapters import Block, Example, Paragraph
from edict.support.text import slug

PRIMER, SETUP, CORE, END, ALWAYS = PLACES


@dataclass(frozen=True)
class Passages:
    """`at` are passages by the place they name, `played` the examples by the phase or kind they are of."""

    at: Mapping[str, Sequence[Passage]] = field(default_factory=dict)
    played: Mapping[str, Sequence[Example]] = field(default_factory=dict)

    def passages(self, place: str) -> Iterator[Block]:
        """What is said at a place: under a heading of its own, or as it is."""
        for one in self.at.get(place, ()):
            first, *more = one.paragraphs
            yield Paragraph(first, heading=one.title, anchor=f"_{place}-{slug(one.title)}" if one.title else "")
            yield from map(Paragraph, more)

    def examples(self, place: str) -> Iterator[Block]:
        yield from self.played.get(place, ())


def told(known: Known, examples: Iterable[tuple[str, Example]]) -> Passages:
    """All that is said, of game and modules; what belongs to something that is not there is said where all else is."""
    at: dict[str, list[Passage]] = {}
    played: dict[str, list[Example]] = {}
    for module in known.modules:
        for passage in module.manifest.book:
            there = passage.place in (*PLACES, *known.definitions, *known.resolved.fields)
            at.setdefault(passage.place if there else ALWAYS, []).append(passage)
    for place, example in examples:
        there = place in PLACES or isinstance(known.definitions.get(place), t.Phase | t.Kind)
        played.setdefault(place if there else ALWAYS, []).append(example)
    return Passages(at, played)
