"""Conditions in words: `it is Summer and either you have gold or you have wood`, `for every good, ...`."""

from __future__ import annotations

from edict.language import tree as t
from edict.meaning.effects import ever_changed
from edict.meaning.symbols import Local, Resolved, keep_of, place_of
from edict.words.amounts import bundles
from edict.words.comparing import COMPARED, compared
from edict.words.expressions import conjuncts, sum_words, unary_words
from edict.words.having import empty
from edict.words.telling import tell, tells
from edict.words.titles import title_of
from edict.words.truths import truth
from edict.words.typed import is_dice, is_truth, of_players

OPPOSITE = {"=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">", "in": "not-in", "not-in": "in",
            "within": "not-within"}  # fmt: skip  # fmt: skip
REACHED = {
    ">=": (("is at least", "reaches"), ("are at least", "reach")),
    ">": (("is more than", "exceeds"), ("are more than", "exceed")),
}
ARITHMETIC = ("+", "-", "*", "/", "mod")


def condition(r: Resolved, e: t.Expr, holds: bool = True) -> str:
    """A clause that says that a condition holds, or that it does not."""
    if isinstance(e, t.Binary) and e.op in ("and", "or"):
        return _both(r, e, holds)
    if isinstance(e, t.Binary) and e.op in COMPARED:
        op = e.op if holds else OPPOSITE[e.op]
        return _same(r, e, op) or compared(r, e, op)
    if isinstance(e, t.Unary) and e.op == "not":
        return condition(r, e.arg, not holds)
    if isinstance(e, t.Unary) and e.op in ("empty", "not-empty"):
        return empty(r, e.arg, (e.op == "empty") == holds)
    if isinstance(e, t.During):
        return _during(r, e, holds)
    if isinstance(e, t.Quantified):
        return _quantified(r, e, holds)
    if isinstance(e, t.CanPay):
        return f"you {'can' if holds else 'cannot'} pay {bundles(r, e.options)}"
    if isinstance(e, t.Name | t.Apply):
        return truth(r, e, holds)
    return tell(r, e)


def awaited(r: Resolved, e: t.Expr) -> str:
    """A condition that something goes on until: `the year reaches 5`."""
    if isinstance(e, t.Binary) and e.op in ("and", "or"):
        return f" {e.op} ".join(awaited(r, arm) for arm in _arms(r, e, e.op))
    inner = e.condition if isinstance(e, t.Quantified) else e
    words = condition(r, e)
    if isinstance(inner, t.Binary) and inner.op in REACHED:
        for verb, instead in REACHED[inner.op]:
            words = words.replace(f" {verb} ", f" {instead} ", 1)
    return words


@tells(t.Binary)
def _binary(r: Resolved, e: t.Binary) -> str:
    return sum_words(r, e) if e.op in ARITHMETIC else condition(r, e)


@tells(t.Unary, ends="arg")
def _unary(r: Resolved, e: t.Unary) -> str:
    return condition(r, e) if e.op in ("not", "empty", "not-empty") else unary_words(r, e)


@tells(t.During)
def _is_during(r: Resolved, e: t.During) -> str:
    return condition(r, e)


@tells(t.Quantified, t.CanPay)
def _is_quantified(r: Resolved, e: t.Quantified | t.CanPay) -> str:
    return condition(r, e)


def _arms(r: Resolved, e: t.Expr, op: str) -> list[t.Expr]:
    """What is joined by the word; without what can only be one way, since nothing ever changes it."""
    all_ = _joined(e, op)
    left = [arm for arm in all_ if not _settled(r, arm, op == "and")]
    return left or all_


def _joined(e: t.Expr, op: str) -> list[t.Expr]:
    return [*_joined(e.left, op), *_joined(e.right, op)] if isinstance(e, t.Binary) and e.op == op else [e]


def _settled(r: Resolved, e: t.Expr, holds: bool) -> bool:
    """Whether a yes-or-no that is remembered starts so, and no rule changes it."""
    if isinstance(e, t.Unary) and e.op == "not":
        return _settled(r, e.arg, not holds)
    keep = keep_of(r, e)
    if keep is None or keep.type.shape != "truth" or place_of(r, e) in ever_changed(r):
        return False
    return holds == (isinstance(keep.start, t.Name) and keep.start.word == "yes")


def _both(r: Resolved, e: t.Binary, holds: bool = True) -> str:
    """What belongs together stays together: a comma before an `or` between longer parts, `either` inside an `and`."""
    arms = _arms(r, e, e.op)
    op = e.op if holds else {"and": "or", "or": "and"}[e.op]
    words = [condition(r, arm, holds) for arm in arms]
    mixed = any(isinstance(arm, t.Binary) and arm.op in ("and", "or") for arm in arms)
    if op == "and":
        within = [isinstance(arm, t.Binary) and arm.op in ("and", "or") for arm in arms]
        words = [f"either {w}" if inner else w for inner, w in zip(within, words, strict=True)]
    return (f", {op} " if mixed else f" {op} ").join(words)


def _same(r: Resolved, e: t.Binary, op: str) -> str:
    """Of two truths: `it is on a strip exactly if the building is on a strip`."""
    if op != "=" or not all(is_truth(r, side) for side in (e.left, e.right)):
        return ""
    if isinstance(e.right, t.Name) and e.right.word in ("yes", "no"):
        return condition(r, e.left, e.right.word == "yes")
    return f"{condition(r, e.left)} exactly if {condition(r, e.right)}"


@tells(t.Where)
def _where(r: Resolved, e: t.Where) -> str:
    if is_dice(r, e.members):
        return f"those of {tell(r, e.members)} {shown_by(r, e.condition)}"
    members, condition_ = tell(r, e.members), such(r, e.condition, of_players(r, e.members))
    return f"{members} {singular(condition_) if members.startswith('everyone') else condition_}"


_OF_DICE = (
    ("that are not among ", "that show none of "), ("that are among ", "that show one of "),
    ("that are not ", "that do not show "), ("that are ", "that show "), ("where it ", "whose number "),
)  # fmt: skip


def shown_by(r: Resolved, wanted: t.Expr) -> str:
    """`that show more than 3`: a condition on the numbers of dice."""
    clause = such(r, wanted, players=False)
    for members, dice in _OF_DICE:
        clause = clause.replace(members, dice)
    return clause


def such(r: Resolved, wanted: t.Expr, players: bool) -> str:
    """`whose rank is 3 and that are not among ...`: a condition on the members of a set."""
    return " and ".join(_such(condition(r, part), players, _either(part)) for part in conjuncts(wanted))


def singular(clause: str) -> str:
    """A condition on the members of a set, of a single one: `who is not tired`."""
    for many, one in (("that are ", "that is "), ("who are ", "who is "), ("who have ", "who has ")):
        clause = clause.replace(many, one)
    return clause


def _such(clause: str, players: bool, either: bool) -> str:
    if either:
        return f"where {clause}"
    if clause in ("you are not they", "it is not you", "they are not you"):
        return "other than you"
    subject = "who" if players else "that"
    for start, instead in (
        ("it is one of ", f"{subject} are among "), ("it is not one of ", f"{subject} are not among "),
        ("its ", "whose "), ("their ", "whose "), ("it is ", f"{subject} are "), ("they are ", f"{subject} are "),
        ("it has ", "that have "), ("they have ", "who have "), ("they ", "who "),
    ):  # fmt: skip
        if clause.startswith(start):
            return instead + clause.removeprefix(start)
    return f"where {clause}"


def _either(e: t.Expr) -> bool:
    return isinstance(e, t.Binary) and e.op == "or"


def _during(r: Resolved, e: t.During, holds: bool) -> str:
    title = title_of(r, e.phase)
    if " " not in title:
        return f"it is {'' if holds else 'not '}{title}"
    return f"“{title}” is {'' if holds else 'not '}under way"


def _quantified(r: Resolved, e: t.Quantified, holds: bool = True) -> str:
    """`some other player's VP is ...`, `for every good, ...`."""
    if is_dice(r, e.members):
        op = {"every": ("all", "not all"), "some": ("some", "none")}[e.op][not holds]
        return f"{op} of {tell(r, e.members)} {shown_by(r, e.condition).removeprefix('that ')}"
    op = e.op if holds else {"every": "some", "some": "no"}.get(e.op, e.op)
    whom, clause = f"{op} {_whom(r, e.members)}", condition(r, e.condition, holds or op == "no")
    players = of_players(r, e.members)
    pronoun, whose = ("they", "their") if players else ("it", "its")
    single = clause.split().count(pronoun) + clause.split().count(whose) == 1
    if single and clause.startswith(f"{whose} "):
        return f"{whom}'{'' if whom.endswith('s') else 's'} {clause.removeprefix(f'{whose} ')}"
    if single and clause.startswith("they have "):
        return f"{whom} has {clause.removeprefix('they have ')}"
    return f"for {whom}, {clause}"


def _whom(r: Resolved, members: t.Expr) -> str:
    words = tell(r, members)
    if words == "everyone but you":
        return "other player"
    if isinstance(members, t.Name):
        meaning = r.meaning.get(members)
        local = isinstance(meaning, Local)
        return "player" if words == "everyone" else f"of {words}" if local else title_of(r, members)
    return f"of {words}"
