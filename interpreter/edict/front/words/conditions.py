"""Conditions in words: `you have at least 2 gold`, `the attackers include Demons`, `it is Summer`."""

from __future__ import annotations

import re

from edict.front import tree as t
from edict.front.symbols import Local, Resolved, Symbol
from edict.front.words.bound import binder, is_player, of_players
from edict.front.words.expressions import HAS, OWNED, conjuncts, of_things, sum_words, unary_words
from edict.front.words.telling import tell, tells
from edict.front.words.titles import an, field_of, forms, lower_first, of, the, title_of

COMPARED = {
    "=": "is", "!=": "is not", "<": "is less than", "<=": "is at most", ">": "is more than", ">=": "is at least",
    "in": "is one of", "not-in": "is not one of", "within": "is among", "not-within": "is not among",
}  # fmt: skip
OPPOSITE = {"=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">", "in": "not-in", "not-in": "in",
            "within": "not-within"}  # fmt: skip
AMOUNTS = {"=": "exactly", ">": "more than", ">=": "at least", "<": "less than", "<=": "at most"}
_PHRASE = re.compile(r" (?:in|of|on|at|with|from|for|to|when|who|not|by)(?: |\Z)")
ARITHMETIC = ("+", "-", "*", "/", "mod")


def condition(r: Resolved, e: t.Expr, holds: bool = True) -> str:
    """A clause that says that a condition holds, or that it does not."""
    if isinstance(e, t.Binary) and e.op in ("and", "or"):
        return _both(r, e, holds)
    if isinstance(e, t.Binary) and e.op in COMPARED:
        return _compared(r, e, e.op if holds else OPPOSITE[e.op])
    if isinstance(e, t.Unary) and e.op == "not":
        return condition(r, e.arg, not holds)
    if isinstance(e, t.Unary) and e.op in ("empty", "not-empty"):
        return _empty(r, e.arg, (e.op == "empty") == holds)
    if isinstance(e, t.During):
        return _during(r, e, holds)
    if isinstance(e, t.Quantified):
        return _quantified(r, e, holds)
    if isinstance(e, t.Name | t.Apply):
        return _truth(r, e, holds)
    return tell(r, e)


@tells(t.Binary)
def _binary(r: Resolved, e: t.Binary) -> str:
    return sum_words(r, e) if e.op in ARITHMETIC else condition(r, e)


@tells(t.Unary)
def _unary(r: Resolved, e: t.Unary) -> str:
    return condition(r, e) if e.op in ("not", "empty", "not-empty") else unary_words(r, e)


@tells(t.During)
def _is_during(r: Resolved, e: t.During) -> str:
    return condition(r, e)


@tells(t.Quantified)
def _is_quantified(r: Resolved, e: t.Quantified) -> str:
    return condition(r, e)


# --- and, or ---------------------------------------------------------------------------------------


def _arms(e: t.Expr, op: str) -> list[t.Expr]:
    return [*_arms(e.left, op), *_arms(e.right, op)] if isinstance(e, t.Binary) and e.op == op else [e]


def _both(r: Resolved, e: t.Binary, holds: bool = True) -> str:
    """What belongs together stays together: a comma before an `or` between longer parts, `either` inside an `and`."""
    arms = _arms(e, e.op)
    op = e.op if holds else {"and": "or", "or": "and"}[e.op]
    words = [condition(r, arm, holds) for arm in arms]
    mixed = any(isinstance(arm, t.Binary) and arm.op in ("and", "or") for arm in arms)
    if op == "and":
        within = [isinstance(arm, t.Binary) and arm.op in ("and", "or") for arm in arms]
        words = [f"either {w}" if inner else w for inner, w in zip(within, words, strict=True)]
    return (f", {op} " if mixed else f" {op} ").join(words)


@tells(t.Where)
def _where(r: Resolved, e: t.Where) -> str:
    return f"{tell(r, e.members)} {such(r, e.condition, of_players(r, e.members))}"


def such(r: Resolved, wanted: t.Expr, players: bool) -> str:
    """`whose rank is 3 and that are not among ...`: a condition on the members of a set."""
    return " and ".join(_such(condition(r, part), players, _either(part)) for part in conjuncts(wanted))


def _such(clause: str, players: bool, either: bool) -> str:
    if either:
        return f"where {clause}"
    subject = "who" if players else "that"
    for start, instead in (
        ("its ", "whose "), ("their ", "whose "), ("it is ", f"{subject} are "), ("they are ", f"{subject} are "),
        ("it has ", "that have "), ("they have ", "who have "), ("they ", "who "),
    ):  # fmt: skip
        if clause.startswith(start):
            return instead + clause.removeprefix(start)
    return f"where {clause}"


def definite(r: Resolved, e: t.Expr) -> str:
    """A set with `the`, where its members are described: `the players with the most VP`."""
    words = tell(r, e)
    described = isinstance(e, t.Where | t.Best) and not words.startswith(("the ", "your ", "“", "everyone"))
    return f"the {words}" if described else words


def _either(e: t.Expr) -> bool:
    return isinstance(e, t.Binary) and e.op == "or"


# --- comparing -------------------------------------------------------------------------------------


def _compared(r: Resolved, e: t.Binary, op: str) -> str:
    for special in (_same, _having, _dice, _holding, _absent, _containing):
        words = special(r, e, op)
        if words:
            return words
    left, right = tell(r, e.left), _right(r, e.right)
    if right in ("you", "they") and op in ("=", "!=") and not _is_set(r, e.left):
        left, right = right, left  # `you are the builder` rather than `the builder is you`
    if right.startswith("the ") and left.endswith(f" {right.removeprefix('the ')}"):
        right = f"the current {right.removeprefix('the ')}"
    return f"{left} {_agreeing(r, e.left, left, COMPARED[op])} {right}"


def _same(r: Resolved, e: t.Binary, op: str) -> str:
    """Of two truths: `it is on a strip exactly if the building is on a strip`."""
    if op != "=" or not all(is_truth(r, side) for side in (e.left, e.right)):
        return ""
    if isinstance(e.right, t.Name) and e.right.word in ("yes", "no"):
        return condition(r, e.left, e.right.word == "yes")
    return f"{condition(r, e.left)} exactly if {condition(r, e.right)}"


def is_truth(r: Resolved, e: t.Expr) -> bool:
    """Whether a value is a yes or no."""
    if isinstance(e, t.Binary):
        return e.op in COMPARED or e.op in ("and", "or")
    if isinstance(e, t.Unary):
        return e.op in ("not", "empty", "not-empty")
    if isinstance(e, t.Name | t.Apply):
        return _is_true_name(r, e.head if isinstance(e, t.Apply) else e)
    return isinstance(e, t.Quantified | t.During)


def _is_true_name(r: Resolved, name: t.Name) -> bool:
    meaning = r.meaning.get(name)
    if not isinstance(meaning, Symbol):
        return False
    definition = meaning.definition
    if isinstance(definition, t.Keep):
        return definition.type.shape == "truth"
    if isinstance(definition, t.Setting):
        return definition.truth
    fields = [field_of(r, kind, meaning.name) for kind in r.fields.get(meaning.name, ())]
    return name.word in ("yes", "no") or any(f and f.type and f.type.shape == "truth" for f in fields)


def _right(r: Resolved, e: t.Expr) -> str:
    return {"yes": "so", "no": "not so"}.get(e.word, tell(r, e)) if isinstance(e, t.Name) else definite(r, e)


def _is_set(r: Resolved, e: t.Expr) -> bool:
    return of_things(r, e) and not isinstance(e, t.Name)


def _agreeing(r: Resolved, subject: t.Expr, words: str, verb: str) -> str:
    return verb.replace("is", "are", 1) if words in ("you", "they") or is_many(r, subject) else verb


def is_many(r: Resolved, e: t.Expr) -> bool:
    """Whether an expression is spoken of in the plural."""
    if isinstance(e, t.Name):
        meaning = r.meaning.get(e)
        if isinstance(meaning, Symbol) and meaning.sort in ("kind", "group", "player"):
            return True
        return isinstance(meaning, Symbol) and _plural(meaning, title_of(r, e))
    if isinstance(e, t.Apply):
        meaning = r.meaning.get(e.head)
        return isinstance(meaning, Symbol) and _plural(meaning, title_of(r, e.head, many=True))
    return isinstance(e, t.Where | t.Best | t.Among) or isinstance(e, t.Binary) and of_things(r, e)


def _plural(meaning: Symbol, title: str) -> bool:
    """Whether a resource, keep or quantity is titled in the plural."""
    definition = meaning.definition
    if definition is None:
        return False
    dice = isinstance(definition, t.Die) or isinstance(definition, t.Keep) and definition.type.shape == "dice"
    return "/" in definition.title or dice or countable(title)


def _having(r: Resolved, e: t.Binary, op: str) -> str:
    """`gold of you >= 2` is `you have at least 2 gold`; nothing for what is not counted, or nobody's."""
    if not isinstance(e.right, t.Number) or (op not in AMOUNTS and (op, e.right.value) != ("!=", 0)):
        return ""
    counted = _counted(r, e.left)
    if counted is None:
        return _there_are(r, e.left, op, e.right.value)
    owner, name = counted
    return f"{owner} {_amount(r, name, op, e.right.value)}"


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


def countable(title: str) -> bool:
    """Whether one has so many of it, as of `battles won`: what is titled in the plural."""
    head = _PHRASE.split(title, maxsplit=1)[0].split() or [""]
    return any(word.endswith("s") and not word.endswith("ss") for word in (head[0], head[-1]))


def _amount(r: Resolved, name: t.Name, op: str, value: int) -> str:
    none, some = (op, value) in (("=", 0), ("<", 1), ("<=", 0)), (op, value) in ((">", 0), (">=", 1), ("!=", 0))
    title = title_of(r, name, many=none or some or value != 1)
    amount = "no" if none else "" if some else f"{AMOUNTS[op]} {value}"
    return " ".join(part for part in (amount, title) if part)


def _there_are(r: Resolved, e: t.Expr, op: str, value: int) -> str:
    """`count of everyone = 2` is `there are exactly 2 players`."""
    if not isinstance(e, t.Unary) or e.op != "count" or op not in AMOUNTS:
        return ""
    what = tell(r, e.arg)
    what = "players" if what == "everyone" else what
    if what.startswith("“"):
        return f"{what} has {AMOUNTS[op]} {value} member{'' if value == 1 else 's'}"
    return f"there {'is' if value == 1 else 'are'} {AMOUNTS[op]} {value} {what}" if isinstance(e.arg, t.Name) else ""


def _dice(r: Resolved, e: t.Binary, op: str) -> str:
    """`hand of you != no-dice` is `you have dice`."""
    if not isinstance(e.right, t.Name) or e.right.word not in ("no-dice", "nobody") or op not in ("=", "!="):
        return ""
    return _empty(r, e.left, op == "=")


def _empty(r: Resolved, e: t.Expr, empty: bool) -> str:
    if isinstance(e, t.Apply) and len(e.args) == 1 and tell(r, e.args[0]) in HAS:
        owner = HAS[tell(r, e.args[0])]
        return f"{owner} {'no ' if empty else ''}{title_of(r, e.head, many=True)}"
    if isinstance(e, t.Among) and tell(r, e.dice) in (f"{whose} {h}" for whose in OWNED.values() for h in (_head(r, e),)):
        who = next(who for who, whose in OWNED.items() if tell(r, e.dice).startswith(whose))
        return f"{who} have {'no ' if empty else ''}{title_of(r, e.die, many=True)}"
    words = tell(r, e)
    named = e.word if isinstance(e, t.Name) else ""
    if named and not words.startswith("“"):
        return f"there {'are no' if empty else 'are'} {words.removeprefix('the ')}"
    return f"{words} {'is' if not is_many(r, e) else 'are'} {'empty' if empty else 'not empty'}"


def _head(r: Resolved, e: t.Among) -> str:
    return title_of(r, e.dice.head, many=True) if isinstance(e.dice, t.Apply) else ""


def _holding(r: Resolved, e: t.Binary, op: str) -> str:
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


def _absent(r: Resolved, e: t.Binary, op: str) -> str:
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


def holdable(r: Resolved, e: t.Expr) -> str:
    """The title of a keep that holds one player, or nothing."""
    meaning = r.meaning.get(e) if isinstance(e, t.Name) else None
    keep = meaning.definition if isinstance(meaning, Symbol) else None
    one = isinstance(keep, t.Keep) and keep.type.shape == "thing" and keep.type.name is not None
    if not one or not isinstance(keep, t.Keep) or keep.type.name is None or keep.type.name.word != "player":
        return ""
    return forms(keep.title or keep.name.word.replace("-", " "))[0]


def is_object(title: str) -> bool:
    """A title with a capital, or with `the`, is something one has; any other is something one is."""
    return title[:1].isupper() or title.lower().startswith("the ")


def _containing(r: Resolved, e: t.Binary, op: str) -> str:
    """`demons is in attackers`: `the attackers include Demons`."""
    if op in ("within", "not-within"):
        are = "are" if op == "within" else "are not all"
        left = tell(r, e.left)
        return f"{'all ' if op == 'within' and not left.startswith(('all ', 'the ', 'your ')) else ''}{left} {are} among {tell(r, e.right)}"
    meaning = r.meaning.get(e.left) if isinstance(e.left, t.Name) else None
    if op not in ("in", "not-in") or not isinstance(meaning, Symbol) or meaning.sort != "thing":
        return ""
    members = tell(r, e.right)
    many = is_many(r, e.right)
    verb = ("include" if many else "includes") if op == "in" else f"do{'' if many else 'es'} not include"
    return f"{members} {verb} {tell(r, e.left)}"


# --- during, every, some ---------------------------------------------------------------------------


def _during(r: Resolved, e: t.During, holds: bool) -> str:
    title = title_of(r, e.phase)
    if " " not in title:
        return f"it is {'' if holds else 'not '}{title}"
    return f"“{title}” is {'' if holds else 'not '}under way"


def _quantified(r: Resolved, e: t.Quantified, holds: bool = True) -> str:
    """`some other player's VP is ...`, `for every good, ...`."""
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


# --- truths ----------------------------------------------------------------------------------------


def _truth(r: Resolved, e: t.Name | t.Apply, holds: bool) -> str:
    """A yes-or-no that is remembered, printed, set for the table, or named by `let`."""
    name = e.head if isinstance(e, t.Apply) else e
    meaning = r.meaning.get(name)
    if isinstance(meaning, Local):
        words = tell(r, e)
        return (words if holds else f"not {words}") if not isinstance(binder(r, meaning), t.Let) else _let(words, holds)
    if meaning is None or meaning.sort == "builtin":
        return {"yes": "always", "no": "never"}.get(name.word, tell(r, e))
    if meaning.sort == "setting":
        return f"the option “{option_title(title_of(r, name))}” is {'on' if holds else 'off'}"
    if not isinstance(e, t.Apply):
        title = title_of(r, name)
        return title if holds else f"it is not so that {title}"
    return _of_whom(r, e, meaning, holds)


def _let(words: str, holds: bool) -> str:
    return f"{words} is {'true' if holds else 'not true'}"


def option_title(title: str) -> str:
    """The name of an option: what stands before a colon."""
    return title.partition(":")[0]


def _of_whom(r: Resolved, e: t.Apply, meaning: Symbol, holds: bool) -> str:
    """`you won the last battle`, `the advisor is off the board`; without a title, `“won” holds for you`."""
    who = tell(r, e.args[0])
    definition = meaning.definition
    fields = [field_of(r, kind, meaning.name) for kind in r.fields.get(meaning.name, ())]
    title = forms(definition.title)[0] if definition else next((f.title for f in fields if f), "")
    more = "".join(f" for {tell(r, arg)}" for arg in e.args[1:])
    are = "are" if who in HAS else "is"
    if not title or more:
        return f"“{title or meaning.name.replace('-', ' ')}” {'holds' if holds else 'does not hold'} for {who}{more}"
    if meaning.sort == "field" or " " not in title:
        return f"{who} {are} {'' if holds else 'not '}{lower_first(title)}"
    return f"{who} {title}" if holds else f"it is not so that {who} {title}"


__all__ = ["absence", "condition", "definite", "holdable", "is_many", "is_object", "is_truth", "of", "option_title", "such"]
