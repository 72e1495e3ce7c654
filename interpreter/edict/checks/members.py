"""What is asked of each member of a set, and does not ask about the member."""

from __future__ import annotations

from collections.abc import Iterator

from edict.language import tree as t
from edict.language.roles import Role, having
from edict.language.walking import walk
from edict.meaning.calls import is_you, owners
from edict.meaning.symbols import NUMBER
from edict.meaning.types import Typed
from edict.meaning.whose import nobodys
from edict.report import Diagnostic, Edit


def members_asked(typed: Typed) -> Iterator[Diagnostic]:
    meaning, binds, nobody = typed.resolved.meaning, typed.resolved.binds, nobodys(typed.resolved)
    for owner in owners(typed.resolved):
        for node in walk(owner):
            for asked in _asked(node):
                local = binds.get(asked) or binds.get(node)  # of a choice, which has a name of its own
                names = [name for name in walk(asked) if isinstance(name, t.Name)]
                if _compares(typed, node, asked) and all(meaning.get(name) is not local for name in names):
                    yield _same_for_all(asked)
                    continue
                you = next((name for name in names if is_you(typed.resolved, name) and name not in nobody), None)
                if you is not None and local is not None and all(meaning.get(name) is not local for name in names):
                    yield Diagnostic(
                        "E0557", "this asks about you, and so it is the same for each of them", asked.span,
                        severity="warning",
                        help="write `it` for the one that is asked about, or put this into an `if` before",
                        edits=(Edit(you.span, "it"),),
                    )  # fmt: skip


def _asked(node: t.Node) -> Iterator[t.Expr]:
    yield from (one for one in having(node, Role.PER_MEMBER) if isinstance(one, t.Expr))


def _compares(typed: Typed, node: t.Node, asked: t.Expr) -> bool:
    """Whether members come before others by this number; a sum may well be of something that is the same for all."""
    return typed.of(asked) == NUMBER and not isinstance(node, t.Over)


def _same_for_all(key: t.Expr) -> Diagnostic:
    return Diagnostic(
        "E0557", "this is the same for each of them, so it puts none before another", key.span, severity="warning",
        help="ask about `it`, which is each of them in turn",
    )  # fmt: skip
