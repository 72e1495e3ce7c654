"""Phrases for amounts, as `2 gold`, `1 good of your choice`, `VP equal to the worth of the building`.

Some numbers are known before play: literals, printed fields, and what is computed from them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from edict.compiler.english.phrases import describe, describes, to_phrase
from edict.compiler.english.titles import LETTERS, describe_local, title_of
from edict.compiler.semantics.symbols import Local, ResolvedBook, Symbol, definition_of, split_parts
from edict.compiler.syntax import tree as t
from edict.support.morphology import count_title, join_line, join_words, split_title

DescribePart = Callable[[ResolvedBook, t.Node], str]  # describes a part of a bundle


@describes(t.Bundle)
def _describe_bundle(r: ResolvedBook, bundle: t.Bundle) -> str:
    """Describe amounts, as `2 gold, 1 wood and 1 VP`."""
    return _join_parts(r, bundle, describe)


def _join_parts(r: ResolvedBook, bundle: t.Bundle, describe_part: DescribePart) -> str:
    """Return the parts of a bundle described by a function and joined with commas and `and`."""
    *first, last = bundle.parts
    return join_words([*(_describe_leading_part(r, part, describe_part) for part in first), describe_part(r, last)])


def _describe_leading_part(r: ResolvedBook, part: t.Part | t.PartFrom, describe_part: DescribePart) -> str:
    """Return a part that others follow in a list, its amount in parentheses where it has an open end."""
    words, amount = describe_part(r, part), to_phrase(r, part.amount)
    if words.endswith(f" {amount}"):
        return f"{words.removesuffix(amount.text)}{amount.as_single.as_closed}"
    return words


def describe_times(r: ResolvedBook, count: t.Expr) -> str:
    """Return how many times something is done, as `twice`."""
    if isinstance(count, t.Number):
        return {1: "once", 2: "twice"}.get(count.value, f"{count.value} times")
    return f"as many times as {describe(r, count)}"


def describe_dice(r: ResolvedBook, rolled: t.Roll | t.Rolled) -> str:
    """Return dice with their number, as `2 cubes`, `all your cubes` or `as many cubes as your strength`."""
    count, fixed = describe(r, rolled.count), isinstance(rolled.count, t.Number)
    dice = title_of(r, rolled.die, many=count != "1")
    if fixed or count.startswith("your ") and count.endswith(f" {dice}"):
        return f"{count} {dice}" if fixed else count
    return f"as many {dice} as {count}"


def describe_alternatives(
    r: ResolvedBook, options: tuple[t.Bundle, ...], describe_part: DescribePart = describe
) -> str:
    """Return bundles of which one is chosen."""
    words = (_join_parts(r, bundle, describe_part) for bundle in options)
    if all(len(split_parts(r, bundle)) == 1 for bundle in options):
        return join_words(words, "or")
    return ", or ".join(words)


def describe_gained_part(r: ResolvedBook, part: t.Node) -> str:
    """Describe a part that is gained: `as many coins as you have`, not `all your coins`."""
    if isinstance(part, t.Part) and not part.each and _is_all_of_own(r, part.amount, part.what):
        return f"as many {title_of(r, part.what, many=True)} as you have"
    return describe(r, part)


@describes(t.PartFrom)
def _describe_part_from(r: ResolvedBook, part: t.PartFrom) -> str:
    """Describe a free choice from a set of resources, as `2 of your choice from ...`."""
    count, source = describe(r, part.amount), describe(r, part.source)
    if isinstance(part.amount, t.Number):
        return f"{count} of your choice from {source}"
    return f"as many of your choice from {source} as {count}"


@describes(t.PartPrice)
def _describe_price(r: ResolvedBook, part: t.PartPrice) -> str:
    """Describe a price, as `the cost of the house, with gold for what is missing`."""
    joker = "" if part.joker is None else f", with {title_of(r, part.joker)} for what is missing"
    return f"{describe(r, part.source)}{joker}"


@describes(t.Part)
def _describe_part(r: ResolvedBook, part: t.Part) -> str:
    """Describe one amount, as `2 gold`, `1 good of your choice` or `1 of each good except wood`."""
    if part.each:
        return describe_count(r, part.amount, f"of each {_describe_member(r, part)}")
    meaning = r.meaning.get(part.what)
    if isinstance(meaning, Local):
        return _describe_chosen_amount(r, part, describe_local(r, meaning))
    choice = " of your choice" if isinstance(meaning, Symbol) and meaning.sort == "group" else ""
    if isinstance(part.amount, t.Number):
        return f"{count_title(part.amount.value, title_of(r, part.what), title_of(r, part.what, many=True))}{choice}"
    return _describe_computed_amount(r, part, choice)


def describe_count(r: ResolvedBook, number: t.Expr, noun: str) -> str:
    """Return a number of something, as `2 of each good`, `X of each good` or `as many of each good as ...`."""
    words = describe(r, number)
    if isinstance(number, t.Number) or words in LETTERS:
        return f"{words} {noun}"
    that_many = _shorten_that_number(words)
    return f"{that_many} {noun}" if that_many != words else f"as many {noun} as {words}"


def _describe_member(r: ResolvedBook, part: t.Part) -> str:
    """Return the resource or group of `of each ...`, with its exception: `good except wood` or `other good`."""
    what = title_of(r, part.what)
    if part.beside is None:
        return what
    if isinstance(r.meaning.get(part.beside), Local):
        return f"other {what}"
    return f"{what} except {title_of(r, part.beside)}"


def _describe_chosen_amount(r: ResolvedBook, part: t.Part, what: str) -> str:
    """Describe an amount of the resource in a local name, whose phrase is `what`: `2 of that good`."""
    if part.said:
        return f"{part.said} of {what}"
    if isinstance(part.amount, t.Number):
        return f"{part.amount.value} of {what}"
    return f"as much of {what} as {describe(r, part.amount)}"


def _describe_computed_amount(r: ResolvedBook, part: t.Part, choice: str) -> str:
    """Describe an amount that is computed, as `all your gold`, `X gold` or `VP equal to the rank`."""
    amount, many = part.amount, title_of(r, part.what, many=True)
    if _is_all_of_own(r, amount, part.what):
        return f"all your {many}"
    if isinstance(amount, t.Name) and isinstance(r.meaning.get(amount), Local):
        words = describe(r, amount)
        return f"{words if words in LETTERS else _shorten_that_number(words)} {many}{choice}"
    shared = _describe_ratio(r, part, choice)
    rounded = ", rounded down" if isinstance(amount, t.Binary) and amount.op == "/" else ""
    return shared or f"{many}{choice} equal to {_describe_half(r, amount) or f'{describe(r, amount)}{rounded}'}"


def _describe_half(r: ResolvedBook, amount: t.Expr) -> str:
    """Return `half of your goods, rounded up` for `(good of you + 1) / 2`; an empty text for other amounts."""
    if not isinstance(amount, t.Binary) or amount.op != "/" or not _is_number(amount.right, 2):
        return ""
    whole = amount.left
    if isinstance(whole, t.Binary) and whole.op == "+" and _is_number(whole.right, 1):
        return f"half of {describe(r, whole.left)}, rounded up"
    return f"half of {describe(r, whole)}, rounded down"


def _is_number(e: t.Expr, value: int) -> bool:
    """Return True for this number, written as such."""
    return isinstance(e, t.Number) and e.value == value


def _describe_ratio(r: ResolvedBook, part: t.Part, choice: str) -> str:
    """Return `1 VP for every 2 of your goods` or `2 VP for each of your battles won`; empty for other amounts."""
    amount = part.amount
    if not isinstance(amount, t.Binary):
        return ""
    left, right = amount.left, amount.right
    if amount.op == "/" and isinstance(right, t.Number) and isinstance(left, t.Apply) and _is_your_amount(r, left):
        return f"1 {title_of(r, part.what)}{choice} for every {right.value} of {describe(r, left)}"
    if amount.op == "*" and isinstance(left, t.Number) and isinstance(right, t.Apply) and _is_your_amount(r, right):
        return f"{left.value} {title_of(r, part.what, many=True)}{choice} for each of {describe(r, right)}"
    return ""


def _is_your_amount(r: ResolvedBook, e: t.Apply) -> bool:
    """Return True if a value is described as `your ...`."""
    return describe(r, e).startswith("your ")


def _shorten_that_number(words: str) -> str:
    """Return `that many` for `that number` or `the amount`; other words as they are."""
    return "that many" if words in ("that number", "the amount") else words


def _is_all_of_own(r: ResolvedBook, amount: t.Expr, what: t.Name) -> bool:
    """Return True if an amount is all that the player has, as in `lose soldier of you soldier`."""
    if not isinstance(amount, t.Apply) or [describe(r, arg) for arg in amount.args] != ["you"]:
        return False
    head, meaning = r.meaning.get(amount.head), r.meaning.get(what)
    return isinstance(head, Symbol) and isinstance(meaning, Symbol) and head.name == meaning.name


def evaluate_known_number(r: ResolvedBook, e: t.Expr) -> int | None:
    """Return the number that an expression always has; None if it is known only in play or a setting."""
    if isinstance(e, t.Number):
        return e.value
    if isinstance(e, t.Unary) and e.op == "minus":
        number = evaluate_known_number(r, e.arg)
        return None if number is None else -number
    if isinstance(e, t.Binary) and e.op in ("+", "-", "*"):
        return _compute(e.op, evaluate_known_number(r, e.left), evaluate_known_number(r, e.right))
    if isinstance(e, t.Apply) and len(e.args) == 1:
        return _evaluate_printed_field(r, e)
    return None


def _compute(op: str, left: int | None, right: int | None) -> int | None:
    """Return left `*`, `+` or `-` right (any other operator subtracts); None if an operand is None."""
    if left is None or right is None:
        return None
    if op == "*":
        return left * right
    return left + right if op == "+" else left - right


def _evaluate_printed_field(r: ResolvedBook, e: t.Apply) -> int | None:
    """Return the number in a field of a thing that is named outright; None for others."""
    thing = definition_of(r, e.args[0])
    fields = thing.fields if isinstance(thing, t.Thing) else ()
    value = next((field.expr for field in fields if field.name.word == e.head.word), None)
    return evaluate_known_number(r, value) if value is not None else None


def join_with_values(r: ResolvedBook, parts: Sequence[str | t.Expr], unknown: str = "") -> str:
    """Return texts and values as one text; a value known only in play is described, or replaced by `unknown`."""
    words = [part if isinstance(part, str) else _format_value(r, part, unknown) for part in parts]
    for i, part in enumerate(parts[1:], 1):
        if isinstance(part, str) and isinstance(parts[i - 1], t.Expr):
            words[i] = split_title(part)[words[i - 1] != "1"]  # singular or plural as in announcements: `2 coins`
    return join_line(words)


def _format_value(r: ResolvedBook, e: t.Expr, unknown: str) -> str:
    """Return a number known before play in digits; else `unknown`, or the value in words if that is empty."""
    number = evaluate_known_number(r, e)
    return (unknown or describe(r, e)) if number is None else str(number)


def format_branch_title(r: ResolvedBook, branch: t.Branch) -> str:
    """Return the title of an option, with an ellipsis for what is known only in play."""
    return join_with_values(r, (branch.title, *branch.more), "…")
