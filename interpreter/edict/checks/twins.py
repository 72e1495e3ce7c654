"""Rules that are written twice, or twice but for the amounts where one was to replace the other: both happen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from edict.checks.choices import pays
from edict.checks.excluding import Key, Reader
from edict.checks.intervals import range_of
from edict.checks.pointless import only_step
from edict.language import tree as t
from edict.language.roles import Asks
from edict.language.walking import walk
from edict.meaning.types import Typed
from edict.report import Diagnostic, Label


def twins(typed: Typed) -> Iterator[Diagnostic]:
    """Within a thing, and within the files of a folder; what lies over other rules may well add the same again."""
    book = typed.resolved.book
    folders: dict[str, list[t.Ability]] = {}
    for one in book.standalone:
        folders.setdefault(one.span.file.rpartition("/")[0], []).append(one.ability)
    for some in folders.values():
        yield from _twice(Reader(typed.resolved), some)
    for thing in book.definitions.values():
        if isinstance(thing, t.Thing) and thing.abilities:
            for some in _by_origin(thing).values():
                yield from _twice(Reader(typed.resolved), some)
            yield from _besides(typed, thing)


def _twice(same: Reader, some: Iterable[t.Ability]) -> Iterator[Diagnostic]:
    written: dict[Key, list[t.Ability]] = {}
    for one in some:
        if isinstance(one, t.When | t.Adjust):
            written.setdefault(same.key(one), []).append(one)
    for first, *others in written.values():
        for one in others if len(others) == 1 else ():  # whoever writes it many times knows
            yield Diagnostic(
                "E0555", "this is written twice, and so happens twice", one.span, severity="warning",
                labels=(Label(first.span, "it is written here too"),), help="make them differ, or delete one",
            )  # fmt: skip


# --- what an amendment adds ----------------------------------------------------------------------


def _by_origin(thing: t.Thing) -> dict[tuple[str, bool], list[t.Ability]]:
    """The abilities that stand in the thing itself, and those of its amendments by their files."""
    found: dict[tuple[str, bool], list[t.Ability]] = {}
    whole = thing.span
    for one in thing.abilities:
        own = one.span.file == whole.file and whole.line <= one.span.line < whole.end_line
        found.setdefault((one.span.file, own), []).append(one)
    return found


def _besides(typed: Typed, thing: t.Thing) -> Iterator[Diagnostic]:
    """Abilities of amendments that differ from one that is there by no more than the amounts."""
    same = _ButAmounts(typed)
    before: dict[Key, t.Ability] = {}
    for some in _by_origin(thing).values():
        keyed = [(same.key(one), one) for one in some if isinstance(one, t.When | t.Adjust) and not _sells(one)]
        for key, one in keyed:
            first = before.get(key)
            if first is not None and getattr(one, "title", "") in ("", getattr(first, "title", "")):
                yield _both(typed, thing, first, one)
        before = {**dict(keyed), **before}


def _sells(one: t.Ability) -> bool:
    """Whether something is paid for: whoever adds an offer at another price means both."""
    return any(pays(node) for node in walk(one))


class _ButAmounts(Reader):
    """Takes amounts that are written out for the same, and adjustments in the same direction.

    What a rule is called does not count, nor whether one may decline what it gives.
    """

    def __init__(self, typed: Typed) -> None:
        super().__init__(typed.resolved)
        self._typed = typed

    def key(self, node: Any) -> Key:
        if isinstance(node, t.Part) and isinstance(node.amount, t.Number):
            node = replace(node, amount=replace(node.amount, value=1))
        elif isinstance(node, t.Adjust):
            by = _constant(self._typed, node.by) or 0
            node = replace(node, by=t.Number(node.by.span, by // abs(by))) if by else node
        elif isinstance(node, t.When):
            node = replace(node, title="")
        elif isinstance(node, t.Stmt) and isinstance(node, Asks) and (alone := only_step(node)):
            return self.key(alone)
        return super().key(node)


def _constant(typed: Typed, value: t.Expr) -> int | None:
    low, high = range_of(typed, value)
    return int(low) if low == high else None


def _both(typed: Typed, thing: t.Thing, first: t.Ability, one: t.Ability) -> Diagnostic:
    files, name = typed.resolved.book.files, f"{thing.kind.word} {thing.name.word}"
    remedy = f"to replace it, write `rewrite {name}` with all that is to hold, in place of the amendment"
    if files.get(first.span.file) == files.get(one.span.file):
        remedy = "to replace it, change it where it stands"
    titled = "give this one a title of its own, in quotes at the end of its first line"
    both = titled if isinstance(one, t.When) else "write their sum there"
    return Diagnostic(
        "E0575", "an amendment adds, so this holds besides what is there already", one.span, severity="warning",
        note=_together(typed, first, one), labels=(Label(first.span, "this stays"),),
        help=f"{remedy}; if both are meant, {both}",
    )  # fmt: skip


def _together(typed: Typed, first: t.Ability, one: t.Ability) -> str:
    """What both come to, where that is a single number."""
    amounts = [[x.by] if isinstance(x, t.Adjust) else [n.amount for n in walk(x) if isinstance(n, t.Part)]
               for x in (first, one)]  # fmt: skip
    numbers = [_constant(typed, some[0]) for some in amounts if len(some) == 1]
    a, b = numbers if len(numbers) == 2 else (None, None)
    return f"Together they come to {a + b}." if a is not None and b is not None else ""
