"""Rules that were understood, with the texts they were understood from."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property, lru_cache

from edict.language import tree as t
from edict.layering.expand import expand
from edict.handbook.history import history_of
from edict.handbook.annotated import Known
from edict.handbook.touching import Touch, touches
from edict.meaning.link import Linked
from edict.sources.module_set import Modules
from edict.front.pipeline import parse_all
from edict.service.findable import everything
from edict.service.occurrences import Mention, mentions
from edict.service.answer_types import Found
from edict.text import Source


@dataclass(frozen=True, eq=False)
class Understood:
    """Modules that were read without an error, and all that is known of them."""

    modules: Modules
    linked: Linked

    @cached_property
    def known(self) -> Known:
        laid = parse_all(self.modules).then(expand).unwrap()
        return Known(self.modules, self.linked, history_of(laid))

    @cached_property
    def touches(self) -> tuple[Touch, ...]:
        return touches(self.known)

    @cached_property
    def mentions(self) -> dict[str, tuple[Mention, ...]]:
        """Every name that is written, by file, in the order of the text."""
        return mentions(self.pages, self.linked.resolved)

    @cached_property
    def pages(self) -> tuple[t.Page, ...]:
        """What was read, file by file, before modules were laid over each other."""
        return tuple(page for _, written in parse_all(self.modules).unwrap() for page in written)

    @cached_property
    def findable(self) -> tuple[Found, ...]:
        """All that can be looked for in these rules."""
        return tuple(everything(self.known))

    def prepare(self) -> None:
        """Find out now what the next question would wait for."""
        _ = self.mentions, self.touches

    @property
    def definitions(self) -> dict[str, t.Definition]:
        return self.linked.resolved.book.definitions

    @cached_property
    def sources(self) -> dict[str, Source]:
        return {source.name: source for module in self.modules for source in module.sources}


@dataclass(frozen=True)
class Lines:
    """Which lines of a text are lines of another one, by number; a line that was changed is none of them."""

    there: dict[int, int]
    back: dict[int, int]


@lru_cache(maxsize=64)
def lines_between(text: str, other: str) -> Lines:
    """How the lines of a text lie in another version of it."""
    one, two = text.split("\n"), other.split("\n")
    blocks = SequenceMatcher(None, one, two, autojunk=False).get_matching_blocks() if text != other else ()
    pairs = [(b.a + i + 1, b.b + i + 1) for b in blocks for i in range(b.size)]
    if text == other:
        pairs = [(i, i) for i in range(1, len(one) + 1)]
    return Lines(dict(pairs), {b: a for a, b in pairs})
