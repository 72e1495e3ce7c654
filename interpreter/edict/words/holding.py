"""Who holds what there is one of, and whether it is there: `you have the Crown`, `there is no enemy`."""

from __future__ import annotations

from edict.language import tree as t
from edict.meaning.symbols import Resolved, Symbol, definition_of
from edict.words.expressions import HAS
from edict.words.telling import tell
from edict.words.titles import an, forms, lower_first, the, title_of


def holding(r: Resolved, e: t.Binary, op: str) -> str:
    """`crown is you`: `you have the Crown`, or `you are the last winner`, by how the keep is titled."""
    if op not in ("=", "!="):
        return ""
    for keep, other in ((e.left, e.right), (e.right, e.left)):
        title, no = holdable(r, keep), " not" if op == "!=" else ""
        if not title:
            continue
        if isinstance(other, t.Name) and other.word == "none":
            return f"{'somebody' if no else 'nobody'} {'has' if is_object(title) else 'is'} {the(title)}"
        who = tell(r, other)
        plural = who in HAS
        if is_object(title):
            have = "have" if plural else "has"
            return f"{who} {have} {the(title)}" if not no else f"{who} do{'' if plural else 'es'} not have {the(title)}"
        return f"{who} {'are' if plural else 'is'}{no} {the(title)}"
    return ""


def holdable(r: Resolved, e: t.Expr) -> str:
    """The title of a keep that holds one player, or nothing."""
    keep = definition_of(r, e)
    one = isinstance(keep, t.Keep) and keep.type.shape == "thing" and keep.type.name is not None
    if not one or not isinstance(keep, t.Keep) or keep.type.name is None or keep.type.name.word != "player":
        return ""
    return forms(keep.title or keep.name.word.replace("-", " "))[0]


def is_object(title: str) -> bool:
    """A title with a capital, or with `the`, is something one has; any other is something one is."""
    return title[:1].isupper() or title.lower().startswith("the ")


def absent(r: Resolved, e: t.Binary, op: str) -> str:
    none = isinstance(e.right, t.Name) and e.right.word == "none" and op in ("=", "!=")
    return absence(r, e.left, op == "=") if none else ""


def absence(r: Resolved, e: t.Expr, absent: bool) -> str:
    """`there is no enemy`, `the advisor has a tile`: of a keep or field that may hold nothing."""
    title = lower_first(_titled(r, e)) if not isinstance(e, t.Name) or isinstance(r.meaning.get(e), Symbol) else ""
    if not title:
        return ""
    one = "no " + title if absent else an(title)
    if isinstance(e, t.Apply):
        who = tell(r, e.args[0]) if len(e.args) == 1 else ""
        return f"{HAS.get(who, f'{who} has')} {one}" if who else ""
    return f"there is {one.replace('no the ', 'no ')}" if isinstance(e, t.Name) else ""


def _titled(r: Resolved, e: t.Expr) -> str:
    """The title of what may be there or not: a keep, or a field."""
    name = e.head if isinstance(e, t.Apply) else e
    meaning = r.meaning.get(name) if isinstance(name, t.Name) else None
    there = isinstance(meaning, Symbol) and meaning.sort in ("keep", "field")
    return title_of(r, name) if there and isinstance(name, t.Name) else ""
