"""Rulebooks for tests: shipped ones, their sections and sentences, and an HTML page as a browser reads it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from html.parser import HTMLParser

from edict.apps.cli.commands.rulebook import render_markdown
from edict.compiler.english import OutlineLine
from edict.prose.rulebook.chapters import Rulebook, Section
from edict.prose.rulebook.rulebook_contents import build_rulebook
from reading import load_annotated

EMPTY = {"meta", "br", "hr", "img", "link", "input"}


@cache
def load_rulebook(*names: str) -> Rulebook:
    """Return the rulebook of a game with modules, without examples."""
    return build_rulebook(load_annotated(*names), load_annotated(names[0]) if names[1:] else None)


@cache
def render_book_markdown(*names: str) -> str:
    return render_markdown(load_rulebook(*names))


def iter_sections(sections: Iterable[Section]) -> Iterator[Section]:
    for section in sections:
        yield section
        yield from iter_sections(section.sections)


def sections_by_anchor(rulebook_of_game: Rulebook) -> dict[str, Section]:
    """Return all sections by anchor."""
    return {section.anchor: section for section in iter_sections(rulebook_of_game.sections)}


def list_sentences(lines: Iterable[OutlineLine]) -> list[str]:
    """Return the sentences of lines and of those below them."""
    return [text for line in lines for text in (line.text, *list_sentences(line.below))]


class HtmlPage(HTMLParser):
    """The ids, links and words of an HTML page, in which every tag must be closed."""

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
