"""`each player at once`: nobody may see, nor come to know, what another has answered before all have."""

from __future__ import annotations

from collections.abc import Iterator

from edict.language import tree as t
from edict.language.roles import Asks, Role, Unseen, having
from edict.language.walking import walk
from edict.meaning.calls import is_you, owners
from edict.meaning.secrets import spoken_of
from edict.meaning.symbols import Resolved, Symbol, keep_of
from edict.meaning.types import Typed
from edict.meaning.whose import gives_turns
from edict.report import Diagnostic

_LATER = "do it afterwards, in another `each player`"


def seen_too_soon(typed: Typed) -> Iterator[Diagnostic]:
    """What others would see, or could find out from what they are offered; and offers that are no secret."""
    resolved = typed.resolved
    for node in (node for owner in owners(resolved) for node in walk(owner)):
        short, head = getattr(node, "short", None), getattr(node, "head", None)
        if isinstance(short, t.EachAtOnce):
            yield from _within(resolved, short.block)
        elif getattr(node, "secretly", False) and isinstance(head, t.Stmt) and _is_seen(head):
            yield _open(node, head)


def _within(resolved: Resolved, block: t.Block) -> Iterator[Diagnostic]:
    inner = [node for step in block for node in walk(step)]
    places = {place for node in inner for place in having(node, Role.CHANGED) if keep_of(resolved, place) is not None}
    changed = {keep_of(resolved, place) for place in places}
    for node in inner:
        if isinstance(node, t.Stmt) and not isinstance(node, Unseen) or gives_turns(resolved, node):
            yield _seen(node, _LATER)
        elif node in places:
            yield from _place(resolved, node)
        elif isinstance(node, t.Name | t.Apply) and _looks_at_others(resolved, node, changed):
            yield Diagnostic(
                "E0538", "this depends on what others have answered already", node.span,
                note="At once means that everybody answers as if the others had not.", help="look at it afterwards",
            )  # fmt: skip


def _place(resolved: Resolved, place: t.Node) -> Iterator[Diagnostic]:
    """What is changed is a secret of one's own."""
    assert isinstance(place, t.Expr)
    keep = keep_of(resolved, place)
    if keep is not None and not keep.secret:
        yield _seen(place, f"declare `{keep.name.word}` as `, secret`, or {_LATER}")
    elif keep is not None and keep.counted:
        yield _seen(place, f"declare `{keep.name.word}` as `, secret` without `but counted`, or {_LATER}")
    elif not (isinstance(place, t.Apply) and is_you(resolved, place.args[0])):
        yield _seen(place, "keep it for each player, `... of player`, and change only that `of you`")


def _looks_at_others(resolved: Resolved, node: t.Name | t.Apply, changed: set[t.Keep | None]) -> bool:
    keep = keep_of(resolved, node)
    if keep is not None:
        return isinstance(node, t.Apply) and keep in changed and not is_you(resolved, node.args[0])
    meaning = resolved.meaning.get(node) if isinstance(node, t.Name) else None
    if not isinstance(meaning, Symbol) or not isinstance(meaning.definition, t.Quantity):
        return False
    return any(isinstance(one, Symbol) and one.definition in changed for one in spoken_of(resolved, node))


def _is_seen(head: t.Stmt) -> bool:
    """Whether everybody sees that it is done, or how its own question is answered."""
    return not isinstance(head, Unseen) or (isinstance(head, Asks) and not getattr(head, "secretly", False))


def _seen(node: t.Node, remedy: str) -> Diagnostic:
    return Diagnostic(
        "E0538", "the others would see this before they have answered", node.span,
        note="In `each player at once` everybody only answers, and keeps it to themselves.", help=remedy,
    )  # fmt: skip


def _open(may: t.Node, head: t.Stmt) -> Diagnostic:
    return Diagnostic(
        "E0538", "everybody sees whether this is done", may.span,
        note="`may secretly` hides the answer, and not what is done.",
        help="write `secretly` behind the choice too" if isinstance(head, Unseen) else
        "choose secretly first, and do it afterwards",
    )  # fmt: skip
