"""A division whose divisor can be nothing but 0. One that may be 0 is for the rule to ask about, with `if`.

Derived fields of kinds are worked out while compiling, and tell it themselves.
"""

from __future__ import annotations

from collections.abc import Iterator

from edict.language import tree as t
from edict.checks.intervals import range_of
from edict.language.walking import walk
from edict.meaning.types import Typed
from edict.report import Diagnostic


def divided_by_nothing(typed: Typed) -> Iterator[Diagnostic]:
    book = typed.resolved.book
    owners = (owner for owner in book.definitions.values() if not isinstance(owner, t.Kind))
    for owner in (*owners, *book.standalone):
        for node in walk(owner):
            if isinstance(node, t.Binary) and node.op in ("/", "mod") and range_of(typed, node.right) == (0, 0):
                yield Diagnostic(
                    "E0519", "this divides by 0", node.right.span,
                    note="Nothing can be divided by 0: the game would stop here.",
                    help="divide by another number, or leave the division out",
                )  # fmt: skip
