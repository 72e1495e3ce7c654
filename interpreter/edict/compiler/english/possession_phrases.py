"""Phrases for possession and existence.

Examples are `you have at least 2 gold`, `there are exactly 2 players` and `you have the Crown`.
"""

from __future__ import annotations

from edict.compiler.english.phrases import describe
from edict.compiler.english.plurals import describe_subject, has_players, is_dice, is_plural, is_plural_noun
from edict.compiler.english.titles import is_player, title_of
from edict.compiler.english.value_phrases import HAVE_PHRASES, POSSESSIVES
from edict.compiler.semantics.symbols import Local, ResolvedBook, Symbol, definition_of
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import singular_title
from edict.support.morphology import add_definite_article, add_indefinite_article, count_noun, uncapitalize_title

AMOUNT_PHRASES = {"=": "exactly", ">": "more than", ">=": "at least", "<": "less than", "<=": "at most"}

ZERO_COMPARISONS = (("=", 0), ("<", 1), ("<=", 0))  # comparisons of a count that say there is none
NONZERO_COMPARISONS = ((">", 0), (">=", 1), ("!=", 0))  # comparisons of a count that say there is some
# comparisons that say there is none, or that negative amounts fulfil, too
_NO_OR_LESS = (("<", 1), ("<=", 0), ("!=", 0))


def describe_possession(r: ResolvedBook, e: t.Binary, op: str) -> str:
    """Describe `gold of you >= 2`: you have at least 2 gold; empty for what is not counted or nobody's."""
    if not isinstance(e.right, t.Number) or (op not in AMOUNT_PHRASES and (op, e.right.value) != ("!=", 0)):
        return ""
    owned = _find_owner_and_possession(r, e.left)
    if owned is None:
        return _describe_relation_count(r, e.left, op, e.right.value) or _describe_existence(
            r, e.left, op, e.right.value
        )
    owner, noun = owned
    resource = definition_of(r, noun)
    if (op, e.right.value) in _NO_OR_LESS and isinstance(resource, t.Resource) and resource.below_zero:
        return ""  # a debt is not just none
    return f"{owner} {_describe_amount(r, noun, op, e.right.value)}"


def _describe_relation_count(r: ResolvedBook, e: t.Expr, op: str, value: int) -> str:
    """Describe `visits of whom by you = 0`: you have no visits to the advisor; empty for others."""
    words = describe(r, e)
    if not isinstance(e, t.Apply) or len(e.args) < 2 or not words.startswith("your ") or not is_plural(r, e):
        return ""
    is_zero, is_nonzero = (op, value) in ZERO_COMPARISONS, (op, value) in NONZERO_COMPARISONS
    if is_zero or is_nonzero:
        return f"you have {'no ' if is_zero else ''}{words.removeprefix('your ')}"
    return ""


def _find_owner_and_possession(r: ResolvedBook, e: t.Expr) -> tuple[str, t.Name] | None:
    """Return the owner with its verb and the name of what it has, as ("you have", gold); None for other values."""
    counted = e.arg if isinstance(e, t.Unary) and e.op == "count" else e
    if not isinstance(counted, t.Apply) or len(counted.args) != 1:
        return None
    meaning, owner = r.meaning.get(counted.head), describe(r, counted.args[0])
    sorts = ("keep",) if counted is not e else ("resource", "group", "die", "quantity", "keep")
    if not isinstance(meaning, Symbol) or meaning.sort not in sorts:
        return None
    if meaning.sort in ("quantity", "keep") and not is_plural_noun(title_of(r, counted.head, many=True)):
        return None
    owner_expr = counted.args[0]
    owner_meaning = r.meaning.get(owner_expr) if isinstance(owner_expr, t.Name) else None
    if owner in HAVE_PHRASES:
        return HAVE_PHRASES[owner], counted.head
    if isinstance(owner_meaning, Local) and is_player(r, owner_meaning):
        return (f"{owner} has", counted.head)
    return None


def _describe_amount(r: ResolvedBook, name: t.Name, op: str, value: int) -> str:
    """Describe what is compared with a number, as `no gold`, `gold` (any) or `at least 2 gold`."""
    is_zero, is_nonzero = (op, value) in ZERO_COMPARISONS, (op, value) in NONZERO_COMPARISONS
    title = title_of(r, name, many=is_zero or is_nonzero or value != 1)
    if is_zero:
        return f"no {title}"
    return title if is_nonzero else f"{_amount_phrase(op, title)} {value} {title}"


def _amount_phrase(op: str, title: str) -> str:
    """Return the phrase for an operator, as `fewer than` of coins and `less than` of gold."""
    return "fewer than" if op == "<" and title.endswith("s") else AMOUNT_PHRASES[op]


def _describe_existence(r: ResolvedBook, e: t.Expr, op: str, value: int) -> str:
    """Describe `count of everyone = 2`: there are exactly 2 players; empty for others."""
    if not isinstance(e, t.Unary) or e.op != "count" or op not in AMOUNT_PHRASES:
        return ""
    noun = describe(r, e.arg)
    noun = "players" if noun == "everyone" else noun
    if noun.startswith("“"):
        players = count_noun(value, "player") if has_players(r, e.arg) else value
        return f"there {'is' if value == 1 else 'are'} {_count_phrase(op)} {players} in {noun}"
    if not isinstance(e.arg, t.Name):
        return ""
    if noun != "players" and not is_plural(r, e.arg):
        if (op, value) == ("=", 0):
            return describe_emptiness(r, e.arg, True)
        return f"{_count_phrase(op)} {value} {'is' if value == 1 else 'are'} left in {noun}"
    if value == 1:
        noun = "player" if noun == "players" else title_of(r, e.arg)
    return f"there {'is' if value == 1 else 'are'} {_count_phrase(op)} {value} {noun.removeprefix('the ')}"


def _count_phrase(op: str) -> str:
    """Return the phrase for an operator between counts."""
    return "fewer than" if op == "<" else AMOUNT_PHRASES[op]


_SHARE_PHRASES = {
    "<": "less of {} than",
    ">": "more of {} than",
    ">=": "at least as much of {} as",
    "<=": "at most as much of {} as",
    "=": "exactly as much of {} as",
}
_SWAPPED_OPERATORS = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "=": "="}


def describe_local_possession(r: ResolvedBook, e: t.Binary, op: str) -> str:
    """Describe `it of you >= 2`, of a good: you have at least 2 of it; empty for others."""
    owned, other = e.left, e.right
    if not _is_amount_of_local(r, owned):
        owned, other, op = other, owned, _SWAPPED_OPERATORS.get(op, "")
    if not isinstance(owned, t.Apply) or not _is_amount_of_local(r, owned) or op not in _SHARE_PHRASES:
        return ""
    who, noun = describe(r, owned.args[0]), describe(r, owned.head)
    have = HAVE_PHRASES.get(who, f"{who} has")
    if not isinstance(other, t.Number):
        return f"{have} {_SHARE_PHRASES[op].format(noun)} {describe(r, other)}"
    amounts = {**dict.fromkeys((("<", 1), ("<=", 0), ("=", 0)), "none"), (">", 0): "some", (">=", 1): "some"}
    return f"{have} {amounts.get((op, other.value), f'{AMOUNT_PHRASES[op]} {other.value}')} of {noun}"


def _is_amount_of_local(r: ResolvedBook, e: t.Expr) -> bool:
    """Return True for a player's amount of a resource that is known only in play."""
    return isinstance(e, t.Apply) and len(e.args) == 1 and isinstance(r.meaning.get(e.head), Local)


def describe_no_dice(r: ResolvedBook, e: t.Binary, op: str) -> str:
    """Describe `hand of you != no-dice`: you have dice; empty for others."""
    if not isinstance(e.right, t.Name) or e.right.word not in ("no-dice", "nobody") or op not in ("=", "!="):
        return ""
    return describe_emptiness(r, e.left, op == "=")


def describe_emptiness(r: ResolvedBook, e: t.Expr, is_empty: bool) -> str:
    """Describe that a set, dice or a bag is empty, or that it is not."""
    if isinstance(e, t.Apply) and len(e.args) == 1 and describe(r, e.args[0]) in HAVE_PHRASES and is_plural(r, e):
        owner = HAVE_PHRASES[describe(r, e.args[0])]
        return f"{owner} {'no ' if is_empty else ''}{title_of(r, e.head, many=True)}"
    who = next((who for who, whose in POSSESSIVES.items() if _is_among_all(r, e, whose)), "")
    if isinstance(e, t.Among) and e.face is None and who:
        return f"{who} have {'no ' if is_empty else ''}{title_of(r, e.die, many=True)}"
    words = describe(r, e)
    dice, relative_word, shown = words.removeprefix("those of ").partition(" that ")
    if relative_word and isinstance(e, t.OfMembers) and is_dice(r, e):
        return f"{'none' if is_empty else 'some'} of {dice} {shown}"
    if isinstance(e, t.OfMembers) and not is_dice(r, e) or isinstance(e, t.Among) and e.face is not None:
        return f"there {'are no' if is_empty else 'are'} {words.removeprefix('the ')}"
    if words.startswith("“") and not words.endswith("dice”"):
        noun_end = "body" if has_players(r, e) else "thing"
        return f"{'no' if is_empty else 'some'}{noun_end} is left in {words}"
    name_word = e.word if isinstance(e, t.Name) else ""
    if name_word and not words.startswith("“") and is_plural(r, e):
        return f"there {'are no' if is_empty else 'are'} {words.removeprefix('the ')}"
    return f"{describe_subject(r, e)} {'is' if not is_plural(r, e) else 'are'} {'empty' if is_empty else 'not empty'}"


def _is_among_all(r: ResolvedBook, e: t.Expr, whose: str) -> bool:
    """Return True if dice are picked out of all that somebody has, as in `own-dice among hand of you`."""
    if not isinstance(e, t.Among) or not isinstance(e.dice, t.Apply):
        return False
    return describe(r, e.dice) == f"{whose} {title_of(r, e.dice.head, many=True)}"


DOER = "player who "  # how a title begins that says what somebody has done: `player who has come across`


def describe_holder(r: ResolvedBook, e: t.Binary, op: str) -> str:
    """Describe `crown is you`: you have the Crown, or you are the last winner, by its title; empty for others."""
    if op not in ("=", "!="):
        return ""
    for keep, other in ((e.left, e.right), (e.right, e.left)):
        title, no = get_holder_title(r, keep), " not" if op == "!=" else ""
        if not title:
            continue
        if isinstance(other, t.Name) and other.word == "none":
            who = "somebody" if no else "nobody"
            if title.startswith(DOER):
                return f"{who} {title.removeprefix(DOER)}"
            return f"{who} {'has' if is_object(title) else 'is'} {add_definite_article(title)}"
        who = describe(r, other)
        plural = who in HAVE_PHRASES
        if is_object(title) and no:
            return f"{who} {'do' if plural else 'does'} not have {add_definite_article(title)}"
        if is_object(title):
            return f"{who} {'have' if plural else 'has'} {add_definite_article(title)}"
        return f"{who} {'are' if plural else 'is'}{no} {add_definite_article(title)}"
    return ""


def get_holder_title(r: ResolvedBook, e: t.Expr) -> str:
    """Return the title of a keep that holds one player; empty for others."""
    keep = definition_of(r, e)
    if not isinstance(keep, t.Keep) or keep.type.shape != "thing" or keep.type.name is None:
        return ""
    return singular_title(keep) if keep.type.name.word == "player" else ""


def is_object(title: str) -> bool:
    """Return True for a title of something one has: capitalized or with `the`; others are what one is."""
    return title[:1].isupper() or title.lower().startswith("the ")


def describe_comparison_with_none(r: ResolvedBook, e: t.Binary, op: str) -> str:
    """Describe `enemy is none`: there is no enemy; empty for others."""
    none = isinstance(e.right, t.Name) and e.right.word == "none" and op in ("=", "!=")
    return describe_absence(r, e.left, op == "=") if none else ""


def describe_absence(r: ResolvedBook, e: t.Expr, absent: bool) -> str:
    """Describe that a keep or field holds nothing, or something: `there is no enemy`, `the advisor has a tile`."""
    if not isinstance(e, t.Name) or isinstance(r.meaning.get(e), Symbol):
        title = uncapitalize_title(_optional_title(r, e))
    else:
        title = ""
    if not title:
        return ""
    noun = "no " + title if absent else add_indefinite_article(title)
    if isinstance(e, t.Apply):
        who = describe(r, e.args[0]) if len(e.args) == 1 else ""
        return f"{HAVE_PHRASES.get(who, f'{who} has')} {noun}" if who else ""
    return f"there is {noun.replace('no the ', 'no ')}" if isinstance(e, t.Name) else ""


def _optional_title(r: ResolvedBook, e: t.Expr) -> str:
    """Return the title of a keep or field that may be empty; empty for others."""
    name = e.head if isinstance(e, t.Apply) else e
    meaning = r.meaning.get(name) if isinstance(name, t.Name) else None
    is_optional = isinstance(meaning, Symbol) and meaning.sort in ("keep", "field")
    return title_of(r, name) if is_optional and isinstance(name, t.Name) else ""
