"""Two exceptions may not replace the same thing, unless they can never hold together or it is said which counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from edict.checks.excluding import Reader, exclude, meeting
from edict.language import tree as t
from edict.meaning.precedence import Rival, precedence, replaces
from edict.meaning.types import Typed
from edict.sources.limits import MOST_PAIRS
from edict.report import Diagnostic, Label
from edict.text import Span


def contradicting_exceptions(typed: Typed) -> Iterator[Diagnostic]:
    """Exceptions that only allow agree with each other; those that put something else in place do not.

    Each that contradicts others is told of once, with the first of those.
    """
    found: dict[tuple[str, str], list[Rival]] = {}
    pairs = 0
    for held in filter(lambda held: _replaces(held.exception), _exceptions(typed)):
        for key in replaces(typed.resolved, held.exception):
            same = found.setdefault(key, [])
            same.append(held)
            pairs += 2 * len(same) - 1
        if pairs > MOST_PAIRS:
            yield _too_many(held.exception)
            return
    told = set[Span]()
    for (target, part), all_ in found.items():
        said = f"{part} {target}" if all_[0].exception.edge else f"{target}.{part}" if part else target
        for one in _contradicting(typed, said, all_):
            if one.span not in told:  # of a group, once for all its resources
                yield one
            told.add(one.span)


def _contradicting(typed: Typed, target: str, held: Sequence[Rival]) -> Iterator[Diagnostic]:
    order = precedence(typed.resolved, held)
    for place in order.circular[:1]:
        yield _circle(target, held[place].exception)
    ways = [Reader(typed.resolved).ways(one.conditions(typed.resolved), one.thing) for one in held]
    for number, (b, met) in enumerate(zip(held, meeting(ways), strict=True)):
        before = (a for a in met if not order.settled(a, number) and not exclude(ways[a], ways[number]))
        a = next(before, None)
        if a is not None:
            yield _both(target, held[a].exception, b.exception, typed.resolved.book)


def _exceptions(typed: Typed) -> Iterator[Rival]:
    book = typed.resolved.book
    for thing in book.definitions.values():
        if isinstance(thing, t.Thing):
            yield from (Rival(thing.name.word, a, thing) for a in thing.abilities if isinstance(a, t.Exception_))
    for alone in book.standalone:
        if isinstance(alone.ability, t.Exception_):
            yield Rival(alone.name.word, alone.ability)


def _replaces(exception: t.Exception_) -> bool:
    return exception.rule is None or exception.require is not None


def _both(target: str, a: t.Exception_, b: t.Exception_, book: t.Book) -> Diagnostic:
    """Of two modules beside each other, one must be written for when both are played; over the game lie all."""
    first, second = book.files.get(a.span.file, ""), book.files.get(b.span.file, "")
    games = [book.files.get(one.span.file, "") for one in book.definitions.values() if isinstance(one, t.Game)]
    remedy = (
        "write `over` and the other's name after the condition of the one that counts, `beside` and its name if the "
        "player is to choose, or conditions that cannot both hold"
    )
    if first != second and not {first, second} & {*games}:
        remedy += f"; where neither module is laid over the other, in a file in `{second}/with/{first}/`"
    return Diagnostic(
        "E0503", f"two exceptions replace `{target}`, and both could hold at once", b.span,
        labels=(Label(a.span, f"the other one, of `{first}`," if first != second else "the other one"),), help=remedy,
    )  # fmt: skip


def _too_many(one: t.Exception_) -> Diagnostic:
    return Diagnostic(
        "E0712", "there are too many exceptions to the same", one.span,
        note=f"Of those that replace the same thing each is compared with every other one. There may be {MOST_PAIRS:,} "
        "such pairs, as many as 1,000 exceptions make, and with this one there are more.",
        help="make one exception of several, with `if` in its block",
    )  # fmt: skip


def _circle(target: str, one: t.Exception_) -> Diagnostic:
    return Diagnostic(
        "E0503", f"exceptions to `{target}` go over each other in a circle, so none of them comes first", one.span,
        help="leave out one `over`",
    )  # fmt: skip
