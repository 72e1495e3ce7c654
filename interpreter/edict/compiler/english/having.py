"""What somebody has, and what there is: `you have at least 2 gold`, `there are exactly 2 players`, `you have the
Crown`.
"""

from __future__ import annotations

from edict.compiler.english.phrase_tables import tell
from edict.compiler.english.plurals import before_others, countable, is_many
from edict.compiler.english.titles import title_of
from edict.compiler.english.typed import is_dice, is_player, of_players
from edict.compiler.english.value_phrases import HAS, OWNED
from edict.compiler.semantics.symbols import Local, Resolved, Symbol, definition_of
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import singular_title
from edict.support.morphology import count_noun, uncapitalize_title, with_article, with_the

AMOUNTS = {"=": "exactly", ">": "more than", ">=": "at least", "<": "less than", "<=": "at most"}

NONE = (("=", 0), ("<", 1), ("<=", 0))
SOME = ((">", 0), (">=", 1), ("!=", 0))
_NO_OR_LESS = (("<", 1), ("<=", 0), ("!=", 0))


def having(r: Resolved, e: t.Binary, op: str) -> str:
    """`gold of you >= 2` is `you have at least 2 gold`; nothing for what is not counted, or nobody's."""
    if not isinstance(e.right, t.Number) or (op not in AMOUNTS and (op, e.right.value) != ("!=", 0)):
        return ""
    counted = _counted(r, e.left)
    if counted is None:
        return _have_none(r, e.left, op, e.right.value) or _there_are(r, e.left, op, e.right.value)
    owner, name = counted
    resource = definition_of(r, name)
    if (op, e.right.value) in _NO_OR_LESS and isinstance(resource, t.Resource) and resource.below_zero:
        return ""  # who owes some has not just none
    return f"{owner} {_amount(r, name, op, e.right.value)}"


def _have_none(r: Resolved, e: t.Expr, op: str, value: int) -> str:
    """`visits of whom by you = 0` is `you have no visits to the advisor`."""
    own = tell(r, e)
    if not isinstance(e, t.Apply) or len(e.args) < 2 or not own.startswith("your ") or not is_many(r, e):
        return ""
    none, some = (op, value) in NONE, (op, value) in SOME
    return f"you have {'no ' if none else ''}{own.removeprefix('your ')}" if none or some else ""


def _counted(r: Resolved, e: t.Expr) -> tuple[str, t.Name] | None:
    """Who has it, and what: of something that is counted for one player, or of a set whose members are counted."""
    inner = e.arg if isinstance(e, t.Unary) and e.op == "count" else e
    if not isinstance(inner, t.Apply) or len(inner.args) != 1:
        return None
    meaning, owner = r.meaning.get(inner.head), tell(r, inner.args[0])
    sorts = ("keep",) if inner is not e else ("resource", "group", "die", "quantity", "keep")
    if not isinstance(meaning, Symbol) or meaning.sort not in sorts:
        return None
    if meaning.sort in ("quantity", "keep") and not countable(title_of(r, inner.head, many=True)):
        return None
    whose = inner.args[0]
    bound = r.meaning.get(whose) if isinstance(whose, t.Name) else None
    if owner in HAS:
        return HAS[owner], inner.head
    return (f"{owner} has", inner.head) if isinstance(bound, Local) and is_player(r, bound) else None


def _amount(r: Resolved, name: t.Name, op: str, value: int) -> str:
    none, some = (op, value) in NONE, (op, value) in SOME
    title = title_of(r, name, many=none or some or value != 1)
    if none:
        return f"no {title}"
    return title if some else f"{_amounts(op, title)} {value} {title}"


def _amounts(op: str, title: str) -> str:
    """`fewer than 2 coins`, but `less than 2 gold`."""
    return "fewer than" if op == "<" and title.endswith("s") else AMOUNTS[op]


def _there_are(r: Resolved, e: t.Expr, op: str, value: int) -> str:
    """`count of everyone = 2` is `there are exactly 2 players`."""
    if not isinstance(e, t.Unary) or e.op != "count" or op not in AMOUNTS:
        return ""
    what = tell(r, e.arg)
    what = "players" if what == "everyone" else what
    if what.startswith("“"):
        players = count_noun(value, "player") if of_players(r, e.arg) else value
        return f"there {'is' if value == 1 else 'are'} {_fewer(op)} {players} in {what}"
    if not isinstance(e.arg, t.Name):
        return ""
    if what != "players" and not is_many(r, e.arg):
        if (op, value) == ("=", 0):
            return empty(r, e.arg, True)
        return f"{_fewer(op)} {value} {'is' if value == 1 else 'are'} left in {what}"
    if value == 1:
        what = "player" if what == "players" else title_of(r, e.arg)
    return f"there {'is' if value == 1 else 'are'} {_fewer(op)} {value} {what.removeprefix('the ')}"


def _fewer(op: str) -> str:
    """Of what is counted."""
    return "fewer than" if op == "<" else AMOUNTS[op]


_OF_IT = {
    "<": "less of {} than",
    ">": "more of {} than",
    ">=": "at least as much of {} as",
    "<=": "at most as much of {} as",
    "=": "exactly as much of {} as",
}
_FLIPPED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "=": "="}


def owning(r: Resolved, e: t.Binary, op: str) -> str:
    """`it of you >= 2`, of a good: `you have at least 2 of it`; beside a value, `you have less of it than ...`."""
    own, other = e.left, e.right
    if not _of_local(r, own):
        own, other, op = other, own, _FLIPPED.get(op, "")
    if not isinstance(own, t.Apply) or not _of_local(r, own) or op not in _OF_IT:
        return ""
    who, what = tell(r, own.args[0]), tell(r, own.head)
    have = HAS.get(who, f"{who} has")
    if not isinstance(other, t.Number):
        return f"{have} {_OF_IT[op].format(what)} {tell(r, other)}"
    amounts = {**dict.fromkeys((("<", 1), ("<=", 0), ("=", 0)), "none"), (">", 0): "some", (">=", 1): "some"}
    return f"{have} {amounts.get((op, other.value), f'{AMOUNTS[op]} {other.value}')} of {what}"


def _of_local(r: Resolved, e: t.Expr) -> bool:
    """Whether it is what somebody has of a good that is only known in play."""
    return isinstance(e, t.Apply) and len(e.args) == 1 and isinstance(r.meaning.get(e.head), Local)


def no_dice(r: Resolved, e: t.Binary, op: str) -> str:
    """`hand of you != no-dice` is `you have dice`."""
    if not isinstance(e.right, t.Name) or e.right.word not in ("no-dice", "nobody") or op not in ("=", "!="):
        return ""
    return empty(r, e.left, op == "=")


def empty(r: Resolved, e: t.Expr, none: bool) -> str:
    if isinstance(e, t.Apply) and len(e.args) == 1 and tell(r, e.args[0]) in HAS and is_many(r, e):
        owner = HAS[tell(r, e.args[0])]
        return f"{owner} {'no ' if none else ''}{title_of(r, e.head, many=True)}"
    who = next((who for who, whose in OWNED.items() if _all_of(r, e, whose)), "")
    if isinstance(e, t.Among) and e.face is None and who:
        return f"{who} have {'no ' if none else ''}{title_of(r, e.die, many=True)}"
    words = tell(r, e)
    dice, that, shown = words.removeprefix("those of ").partition(" that ")
    if that and isinstance(e, t.OfMembers) and is_dice(r, e):
        return f"{'none' if none else 'some'} of {dice} {shown}"
    if isinstance(e, t.OfMembers) and not is_dice(r, e) or isinstance(e, t.Among) and e.face is not None:
        return f"there {'are no' if none else 'are'} {words.removeprefix('the ')}"
    if words.startswith("“") and not words.endswith("dice”"):
        left = "body" if of_players(r, e) else "thing"
        return f"{'no' if none else 'some'}{left} is left in {words}"
    named = e.word if isinstance(e, t.Name) else ""
    if named and not words.startswith("“") and is_many(r, e):
        return f"there {'are no' if none else 'are'} {words.removeprefix('the ')}"
    return f"{before_others(r, e)} {'is' if not is_many(r, e) else 'are'} {'empty' if none else 'not empty'}"


def _all_of(r: Resolved, e: t.Expr, whose: str) -> bool:
    """Whether dice are picked out of all somebody has: `own-dice among hand of you`."""
    if not isinstance(e, t.Among) or not isinstance(e.dice, t.Apply):
        return False
    return tell(r, e.dice) == f"{whose} {title_of(r, e.dice.head, many=True)}"


def holding(r: Resolved, e: t.Binary, op: str) -> str:
    """`crown is you`: `you have the Crown`, or `you are the last winner`, by how the keep is titled."""
    if op not in ("=", "!="):
        return ""
    for keep, other in ((e.left, e.right), (e.right, e.left)):
        title, no = holdable(r, keep), " not" if op == "!=" else ""
        if not title:
            continue
        if isinstance(other, t.Name) and other.word == "none":
            return f"{'somebody' if no else 'nobody'} {'has' if is_object(title) else 'is'} {with_the(title)}"
        who = tell(r, other)
        plural = who in HAS
        if is_object(title) and no:
            return f"{who} {'do' if plural else 'does'} not have {with_the(title)}"
        if is_object(title):
            return f"{who} {'have' if plural else 'has'} {with_the(title)}"
        return f"{who} {'are' if plural else 'is'}{no} {with_the(title)}"
    return ""


def holdable(r: Resolved, e: t.Expr) -> str:
    """The title of a keep that holds one player, or nothing."""
    keep = definition_of(r, e)
    one = isinstance(keep, t.Keep) and keep.type.shape == "thing" and keep.type.name is not None
    if not one or not isinstance(keep, t.Keep) or keep.type.name is None or keep.type.name.word != "player":
        return ""
    return singular_title(keep)


def is_object(title: str) -> bool:
    """A title with a capital, or with `the`, is something one has; any other is something one is."""
    return title[:1].isupper() or title.lower().startswith("the ")


def absent(r: Resolved, e: t.Binary, op: str) -> str:
    none = isinstance(e.right, t.Name) and e.right.word == "none" and op in ("=", "!=")
    return absence(r, e.left, op == "=") if none else ""


def absence(r: Resolved, e: t.Expr, absent: bool) -> str:
    """`there is no enemy`, `the advisor has a tile`: of a keep or field that may hold nothing."""
    title = (
        uncapitalize_title(_titled(r, e)) if not isinstance(e, t.Name) or isinstance(r.meaning.get(e), Symbol) else ""
    )
    if not title:
        return ""
    one = "no " + title if absent else with_article(title)
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
