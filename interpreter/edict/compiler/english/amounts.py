"""Amounts in words: `2 gold`, `1 good of your choice`, `VP equal to the worth of the building`."""

from __future__ import annotations

from collections.abc import Callable

from edict.compiler.english.bound import LETTERS, local_words
from edict.compiler.english.phrase_tables import said, tell, tells
from edict.compiler.english.titles import title_of
from edict.compiler.semantics.symbols import Local, Resolved, Symbol, parts_of
from edict.compiler.syntax import tree as t
from edict.support.morphology import count_title, join_words

Told = Callable[[Resolved, t.Node], str]  # how a part of a bundle is told


@tells(t.Bundle)
def _bundle(r: Resolved, bundle: t.Bundle) -> str:
    return _by_parts(r, bundle, tell)


def _by_parts(r: Resolved, bundle: t.Bundle, told: Told) -> str:
    *first, last = bundle.parts
    return join_words([*(_before_others(r, part, told) for part in first), told(r, last)])


def _before_others(r: Resolved, part: t.Part | t.PartFrom, told: Told) -> str:
    """A part that others follow: `VP equal to (the larger of your gold and 3)`, before `and 1 wood`."""
    words, amount = told(r, part), said(r, part.amount)
    return f"{words.removesuffix(amount.text)}{amount.phrase.closed}" if words.endswith(f" {amount}") else words


def often(r: Resolved, count: t.Expr) -> str:
    """How many times something is done."""
    if isinstance(count, t.Number):
        return {1: "once", 2: "twice"}.get(count.value, f"{count.value} times")
    return f"as many times as {tell(r, count)}"


def so_many_dice(r: Resolved, rolled: t.Roll | t.Rolled) -> str:
    """`2 cubes`, `all your cubes`, `as many cubes as your strength`."""
    count, fixed = tell(r, rolled.count), isinstance(rolled.count, t.Number)
    dice = title_of(r, rolled.die, many=count != "1")
    if fixed or count.startswith("your ") and count.endswith(f" {dice}"):
        return f"{count} {dice}" if fixed else count
    return f"as many {dice} as {count}"


def bundles(r: Resolved, options: tuple[t.Bundle, ...], told: Told = tell) -> str:
    """Bundles of which one is taken."""
    words = (_by_parts(r, bundle, told) for bundle in options)
    return join_words(words, "or") if all(len(parts_of(r, bundle)) == 1 for bundle in options) else ", or ".join(words)


def gained(r: Resolved, part: t.Node) -> str:
    """A part that is gained: `as many coins as you have`, since nobody gains `all your coins`."""
    if isinstance(part, t.Part) and not part.each and _own(r, part.amount, part.what):
        return f"as many {title_of(r, part.what, many=True)} as you have"
    return tell(r, part)


@tells(t.PartFrom)
def _from(r: Resolved, part: t.PartFrom) -> str:
    count, source = tell(r, part.amount), tell(r, part.source)
    if isinstance(part.amount, t.Number):
        return f"{count} of your choice from {source}"
    return f"as many of your choice from {source} as {count}"


@tells(t.PartPrice)
def _price(r: Resolved, part: t.PartPrice) -> str:
    """`the cost of the house, with gold for what is missing`."""
    joker = "" if part.joker is None else f", with {title_of(r, part.joker)} for what is missing"
    return f"{tell(r, part.source)}{joker}"


@tells(t.Part)
def _part(r: Resolved, part: t.Part) -> str:
    if part.each:
        return so_many(r, part.amount, f"of each {_member(r, part)}")
    meaning = r.meaning.get(part.what)
    if isinstance(meaning, Local):
        return _of_chosen(r, part, local_words(r, meaning))
    choice = " of your choice" if isinstance(meaning, Symbol) and meaning.sort == "group" else ""
    if isinstance(part.amount, t.Number):
        return f"{count_title(part.amount.value, title_of(r, part.what), title_of(r, part.what, many=True))}{choice}"
    return _reckoned(r, part, choice)


def so_many(r: Resolved, number: t.Expr, of_what: str) -> str:
    """`2 of each good`, `X of each good`, `as many of each good as the rank of that advisor`."""
    words = tell(r, number)
    if isinstance(number, t.Number) or words in LETTERS:
        return f"{words} {of_what}"
    that_many = _that_many(words)
    return f"{that_many} {of_what}" if that_many != words else f"as many {of_what} as {words}"


def _member(r: Resolved, part: t.Part) -> str:
    what = title_of(r, part.what)
    if part.beside is None:
        return what
    if isinstance(r.meaning.get(part.beside), Local):
        return f"other {what}"
    return f"{what} except {title_of(r, part.beside)}"


def _of_chosen(r: Resolved, part: t.Part, what: str) -> str:
    if part.said:
        return f"{part.said} of {what}"
    if isinstance(part.amount, t.Number):
        return f"{part.amount.value} of {what}"
    return f"as much of {what} as {tell(r, part.amount)}"


def _reckoned(r: Resolved, part: t.Part, choice: str) -> str:
    """An amount that depends on something."""
    amount, many = part.amount, title_of(r, part.what, many=True)
    if _own(r, amount, part.what):
        return f"all your {many}"
    if isinstance(amount, t.Name) and isinstance(r.meaning.get(amount), Local):
        words = tell(r, amount)
        return f"{words if words in LETTERS else _that_many(words)} {many}{choice}"
    shared = _shared_out(r, part, choice)
    rounded = ", rounded down" if isinstance(amount, t.Binary) and amount.op == "/" else ""
    return shared or f"{many}{choice} equal to {tell(r, amount)}{rounded}"


def _shared_out(r: Resolved, part: t.Part, choice: str) -> str:
    """`1 VP for every 2 of your goods`, `2 VP for each of your battles won`; nothing for any other amount."""
    amount = part.amount
    if not isinstance(amount, t.Binary):
        return ""
    left, right = amount.left, amount.right
    if amount.op == "/" and isinstance(right, t.Number) and isinstance(left, t.Apply) and _is_own(r, left):
        return f"1 {title_of(r, part.what)}{choice} for every {right.value} of {tell(r, left)}"
    if amount.op == "*" and isinstance(left, t.Number) and isinstance(right, t.Apply) and _is_own(r, right):
        return f"{left.value} {title_of(r, part.what, many=True)}{choice} for each of {tell(r, right)}"
    return ""


def _is_own(r: Resolved, e: t.Apply) -> bool:
    return tell(r, e).startswith("your ")


def _that_many(words: str) -> str:
    return "that many" if words in ("that number", "the amount") else words


def _own(r: Resolved, amount: t.Expr, what: t.Name) -> bool:
    """Whether it is all one has: `lose soldier of you soldier`."""
    if not isinstance(amount, t.Apply) or [tell(r, arg) for arg in amount.args] != ["you"]:
        return False
    head, meaning = r.meaning.get(amount.head), r.meaning.get(what)
    return isinstance(head, Symbol) and isinstance(meaning, Symbol) and head.name == meaning.name
