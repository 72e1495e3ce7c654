"""Rulebooks for tests: those that ship, made once; their sections and sentences; and a page as a browser finds it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from html.parser import HTMLParser

from edict.apps.cli.commands.rulebook import as_markdown
from edict.compiler.english import OutlineLine
from edict.prose.rulebook.chapters import Rulebook, Section
from edict.prose.rulebook.rulebook_contents import build_rulebook
from reading import rules

EMPTY = {"meta", "br", "hr", "img", "link", "input"}


@cache
def book(*names: str) -> Rulebook:
    """The rulebook of a game with modules, or of the base game, without examples."""
    return build_rulebook(rules(*names), rules(names[0]) if names[1:] else None)


@cache
def markdown(*names: str) -> str:
    return as_markdown(book(*names))


def all_of(sections: Iterable[Section]) -> Iterator[Section]:
    for section in sections:
        yield section
        yield from all_of(section.sections)


def sections(made: Rulebook) -> dict[str, Section]:
    """All sections by their anchors."""
    return {section.anchor: section for section in all_of(made.sections)}


def spoken(lines: Iterable[OutlineLine]) -> list[str]:
    """The sentences of lines, and of those below them."""
    return [text for line in lines for text in (line.text, *spoken(line.below))]


class HtmlPage(HTMLParser):
    """What a browser would find: ids, links, words; every tag must be closed."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.tags: list[str] = []
        self.words: list[str] = []
        self.used: set[str] = set()
        self.feed(html)
        assert not self.tags, f"never closed: {self.tags}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.used.add(tag)
        found = dict(attrs)
        self.ids += [found["id"] or ""] if "id" in found else []
        self.links += [found["href"] or ""] if "href" in found else []
        if tag not in EMPTY:
            self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.tags and self.tags[-1] == tag, f"</{tag}> closes {self.tags[-3:]}"
        self.tags.pop()

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return re.sub(r"\s+", " ", " ".join(self.words))
