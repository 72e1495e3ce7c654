"""Elements of a page, and what a browser is sent that shows some of them already.

An element stands for its HTML and has an id; some have others within them. Of one that is on a browser's page just as
it should be, only the id is sent, and the browser takes the element from its own page (`static/table.js`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from secrets import token_hex

SECRET = token_hex(8)  # so that no text of anybody's is taken for a place that is filled in
KEY = f"\x02{SECRET}\x02"  # stands for the key of whoever looks: all else is the same for all who see the same
MARK = f"\x03{SECRET}\x03"  # stands in the form for what is on the page then
_HOLE = re.compile(f"\x01{SECRET}([0-9]+)\x01")
_ID = re.compile(r'\s*<\w+[^>]*?\sid="([^"]*)"')


NOTHING: frozenset[bytes] = frozenset()


def hole(number: int) -> str:
    """What stands in a text for the element with a number."""
    return f"\x01{SECRET}{number}\x01"


@dataclass(frozen=True, slots=True)
class Element:
    """Its HTML, in which other elements stand as themselves. `said` is the same for those that are alike, only.

    holds: what all that have an id say that are within it.
    """

    pieces: tuple[str | Element, ...]
    id: str
    said: bytes
    holds: frozenset[bytes] = NOTHING

    @staticmethod
    def of(text: str, within: Sequence[Element]) -> Element:
        """The element of a text in which the holes are those `within`, by their numbers."""
        cut = _HOLE.split(text)
        pieces = tuple(within[int(one)] if at % 2 else one for at, one in enumerate(cut) if at % 2 or one)
        said = blake2b(digest_size=16)
        for one in pieces:
            said.update(one.said if isinstance(one, Element) else one.encode())
        found = _ID.match(cut[0])
        holds = NOTHING.union(*(one.known for one in pieces if isinstance(one, Element)))
        return Element(pieces, found[1] if found else "", said.digest(), holds)

    @property
    def known(self) -> frozenset[bytes]:
        """What a browser has that shows it."""
        return self.holds | {self.said} if self.id else self.holds

    def told(self, known: Collection[bytes] = ()) -> Iterator[str]:
        """Its HTML in pieces; of those within it that are known, only the ids."""
        for one in self.pieces:
            if not isinstance(one, Element):
                yield one
            elif one.said in known:
                yield f'<template data-kept="{one.id}"></template>'
            else:
                yield from one.told(known)


@dataclass(frozen=True)
class Shown:
    """A table as it was shown: its version, and all of its HTML. `mark` names it, and holds for nothing else."""

    version: int
    whole: Element = field(repr=False)

    @cached_property
    def mark(self) -> str:
        return f"{self.version}-{self.whole.said.hex()}"

    def text(self, since: Shown | None = None) -> str:
        """The HTML for a browser that shows nothing yet, or the table as it was `since`; KEY stands in it."""
        told = "".join(self.whole.told(since.whole.known if since is not None else ()))
        base = f' data-since="{since.mark}"' if since is not None else ""
        return told.replace(MARK, f' data-mark="{self.mark}"{base}')
