"""What a secret decides: whether it happens shows neither in what others know afterwards, nor in the log."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from edict.language import tree as t
from edict.language.roles import Role, having
from edict.language.walking import walk
from edict.lowering.context import Context
from edict.lowering.places import hide, place
from edict.meaning.secrets import secrets_of_locals
from edict.meaning.symbols import Local, keep_of


@contextmanager
def unseen(c: Context, really: bool, *decided: t.Node) -> Iterator[None]:
    """Every secret that may change is hidden first, so that those that stay as they are look no different."""
    before = c.unseen
    if really and not before:
        for one in _changed(c, decided):
            hide(c, place(c, one).once(c))
    c.unseen = before or really
    yield
    c.unseen = before


def by_secret_choice(c: Context, condition: t.Expr) -> bool:
    """Whether a condition asks about what was drawn or chosen in secret."""
    told = secrets_of_locals(c.resolved)
    behind = (told.get(meaning, ()) for _, meaning in c.names(condition) if isinstance(meaning, Local))
    return any(isinstance(secret, Local) for secrets in behind for secret in secrets)


def _changed(c: Context, decided: tuple[t.Node, ...]) -> Iterator[t.Expr]:
    """The secret places that something changes, as far as they can be named beforehand."""
    inner = [node for one in decided for node in walk(one)]
    bound = {c.resolved.binds[node] for node in inner if node in c.resolved.binds}
    found: set[object] = set()
    for one in (one for node in inner for one in having(node, Role.CHANGED)):
        keep, meant = keep_of(c.resolved, one), tuple(meaning for _, meaning in c.names(one))
        if keep is not None and keep.secret and meant not in found and bound.isdisjoint(meant) and _is_there(c, one):
            found.add(meant)
            yield one


def _is_there(c: Context, place: t.Expr) -> bool:
    """Whether what it is kept for is named, and not looked up in something that may be empty."""
    args = place.args if isinstance(place, t.Apply) else ()
    return all(isinstance(arg, t.Name) and not c.type(arg).optional for arg in args)
