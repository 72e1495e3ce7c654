"""What the word at a place stands for, and where else it is written, also while the file is broken."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from edict.language import tree as t
from edict.language.declared_names import declared_in
from edict.service.occurrences import DECLARED, WORD, Key, Mention
from edict.service.analysis import Rules
from edict.service.understood import Understood, lines_between
from edict.service.answer_types import At, Location
from edict.service.document_structure import word_at
from edict.service.workspace import Workspace
from edict.text import Source, Span


@dataclass(frozen=True)
class Pointed:
    """A word somebody points at, where it stands now, and what it stands for as far as that is known."""

    rules: Rules
    known: Understood
    source: Source
    span: Span
    word: str
    mention: Mention | None

    @property
    def key(self) -> Key:
        return self.mention.key if self.mention is not None else (WORD, self.word)

    @property
    def definition(self) -> t.Definition | None:
        """What it is the name of."""
        sort, name = self.key
        return self.known.definitions.get(name) if sort == DECLARED else None


def pointed(space: Workspace, path: Path, at: At) -> Pointed | None:
    """What somebody points at; None where no word stands, and while nothing of the rules can be understood."""
    rules = space.rules(path)
    source = rules.source(path) if rules is not None else None
    known = rules.understood() if rules is not None and source is not None else None
    word = word_at(source, at) if source is not None else None
    if rules is None or source is None or known is None or word is None:
        return None
    return Pointed(rules, known, source, word[1], word[0], _mention(known, source, *word))


def _mention(known: Understood, source: Source, word: str, span: Span) -> Mention | None:
    """The mention at a place; in a line that was changed since, what is called so anywhere."""
    old = known.sources.get(source.name)
    line = lines_between(source.text, old.text).there.get(span.line) if old is not None else None
    there = known.mentions.get(source.name, ())
    found = next((one for one in there if line == one.span.line and one.span.column == span.column), None)
    return replace(found, span=span) if found is not None and found.word == word else _called(known, word, span)


def _called(known: Understood, word: str, span: Span) -> Mention | None:
    pages = [t.Page("", tuple(known.definitions.values()))]
    declared = declared_in(pages)
    name = declared.meant(word)
    if name:
        return Mention(span, word, (DECLARED, name), declared.sort(name))
    return next((replace(one, span=span) for all_ in known.mentions.values() for one in all_ if one.word == word), None)


def mentioned(pointed: Pointed) -> Iterator[tuple[Location, Mention]]:
    """Everywhere it is written in these rules, as the texts are now."""
    for file, all_ in pointed.known.mentions.items():
        for one in all_:
            if one.key == pointed.key:
                where = now(pointed.rules, pointed.known, replace(one.span, file=file))
                if where is not None:
                    yield where, one


def now(rules: Rules, known: Understood, span: Span) -> Location | None:
    """Where a place of the understood texts lies now; None for one in a line that was changed since."""
    path = rules.path(span)
    then = known.sources.get(span.file)
    source = rules.source(path) if path is not None else None
    if path is None or then is None or source is None:
        return None
    lines = lines_between(then.text, source.text)
    first, last = lines.there.get(span.line), lines.there.get(span.end_line)
    if first is None:
        return None
    return Location(path, replace(span, line=first, end_line=last or first))
