"""Values that stand in quotes: they are read out as they are written, and not what they come to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields

from edict.language import tree as t
from edict.language.walking import holding, walk
from edict.meaning.calls import owners
from edict.meaning.types import Typed
from edict.report import Diagnostic

_VALUE = r"([a-z][a-z0-9-]*)(?: of (?:you|it|player|left of you|right of you))"
_WHOLE = re.compile(rf"\s*{_VALUE}\s*")
_MARKED = re.compile(rf"\{{\s*{_VALUE}?\s*\}}")
_VALUES = (t.Keep, t.Quantity, t.Term, t.Resource, t.Group)


def quoted(typed: Typed) -> Iterator[Diagnostic]:
    definitions = typed.resolved.book.definitions
    for owner in owners(typed.resolved):
        for node in walk(owner):
            for text in _texts(node):
                found = _WHOLE.fullmatch(text) or _MARKED.search(text)
                if found and isinstance(definitions.get(found[1]), _VALUES):
                    yield _as_written(node, found[0].strip().strip("{ }"))


def _texts(node: t.Node) -> Iterator[str]:
    """What is read out between values; and questions and options, in which only words can stand."""
    kind: type = type(node)
    for parts in (getattr(node, name) for name in holding(kind)):
        if isinstance(parts, tuple):
            yield from (part for part in parts if isinstance(part, str))
    if isinstance(node, t.Stmt | t.Branch):
        yield from (text for one in fields(kind) if isinstance(text := getattr(node, one.name), str))


def _as_written(node: t.Node, value: str) -> Diagnostic:
    return Diagnostic(
        "E0561", f"`{value}` stands in quotes, so these words are read and not what they come to", node.span,
        severity="warning", help=f"in announcements, options and panels end the text before it, and write `, {value}` "
        "behind the quotes; elsewhere, use words alone",
    )  # fmt: skip
