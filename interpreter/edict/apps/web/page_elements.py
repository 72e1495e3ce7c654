"""Elements of a page, and incremental updates of a page that leave out elements which the browser has already.

An element has HTML and an ID, and may contain others. If the browser's page has an identical element, the update
holds only its ID, and the browser keeps the element that it has (`static/table.js`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from secrets import token_hex

NONCE = token_hex(8)  # drawn anew in each process, so that no user's text looks like a placeholder
KEY_PLACEHOLDER = f"\x02{NONCE}\x02"  # for the key of the viewer's link; all else is the same for all who see the same
MARK_PLACEHOLDER = f"\x03{NONCE}\x03"  # for the attributes of the form that name the rendering
_ELEMENT_PLACEHOLDER = re.compile(f"\x01{NONCE}([0-9]+)\x01")
_ID = re.compile(r'\s*<\w+[^>]*?\sid="([^"]*)"')


def format_placeholder(number: int) -> str:
    """Return the placeholder for the element with a number in HTML text."""
    return f"\x01{NONCE}{number}\x01"


@dataclass(frozen=True, slots=True)
class Element:
    """A piece of HTML in which nested elements are kept as objects."""

    pieces: tuple[str | Element, ...]
    id: str  # empty if the HTML has none; then an update always includes it
    digest: bytes  # hash of the HTML; equal elements have equal digests
    all_digests: frozenset[bytes]  # of all elements with an ID that a browser has if it shows this one

    @staticmethod
    def from_text(text: str, elements: Sequence[Element]) -> Element:
        """Create an element from HTML, with nested elements in place of the numbered placeholders in it.

        Args:
            text: HTML in which placeholders stand for nested elements.
            elements: The nested elements; a placeholder's number is the index of its element.
        """
        parts = _ELEMENT_PLACEHOLDER.split(text)
        pieces = tuple(
            elements[int(piece)] if index % 2 else piece for index, piece in enumerate(parts) if index % 2 or piece
        )
        hasher = blake2b(digest_size=16)
        for piece in pieces:
            hasher.update(piece.digest if isinstance(piece, Element) else piece.encode())
        id_match = _ID.match(parts[0])
        digest = hasher.digest()
        nested = [piece.all_digests for piece in pieces if isinstance(piece, Element)]
        return Element(
            pieces,
            id_match[1] if id_match else "",
            digest,
            frozenset((digest,) if id_match else ()).union(*nested),
        )

    def iter_html(self, known: Collection[bytes] = ()) -> Iterator[str]:
        """Yield the HTML in pieces; a nested element whose digest is in `known` becomes a template with its ID."""
        for piece in self.pieces:
            if not isinstance(piece, Element):
                yield piece
            elif piece.digest in known:
                yield f'<template data-kept="{piece.id}"></template>'
            else:
                yield from piece.iter_html(known)


@dataclass(frozen=True)
class RenderedTable:
    """A rendering of a table for one viewpoint."""

    version: int  # version of the table, or -1 for an earlier position of its game
    element: Element = field(repr=False)

    @cached_property
    def mark(self) -> str:
        """Return the identifier of this rendering, which depends on its version and HTML."""
        return f"{self.version}-{self.element.digest.hex()}"

    def to_html(self, since: RenderedTable | None = None) -> str:
        """Return the table's HTML; with `since`, elements that rendering has are replaced by their IDs.

        Args:
            since: The rendering that the browser shows, to which the HTML is an update; None for all of the HTML.
        """
        html = "".join(self.element.iter_html(since.element.all_digests if since is not None else ()))
        since_attribute = f' data-since="{since.mark}"' if since is not None else ""
        return html.replace(MARK_PLACEHOLDER, f' data-mark="{self.mark}"{since_attribute}')
