"""Rules that contradict each other or are written twice: exceptions to the same, amendments that add, not replace."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from edict.compiler.checks.check_registry import Checks, Rules
from edict.compiler.checks.choices import pays
from edict.compiler.checks.pricing import only_step
from edict.compiler.semantics.possible_values import Key, Reader, exclude, meeting, possible
from edict.compiler.semantics.precedence import Rival, precedence, replaces, when_it_holds
from edict.compiler.semantics.symbols import Resolved
from edict.compiler.semantics.types import Typed
from edict.compiler.sources.input_limits import MOST_PAIRS
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.printing.printed_expressions import expression
from edict.compiler.syntax.roles import Asks
from edict.compiler.syntax.walking import walk
from edict.support.report import Diagnostic, Label, Reading, Rule
from edict.support.text import Span

checks = Checks()


@checks.of_all
def contradicting_exceptions(rules: Rules) -> Iterator[Diagnostic]:
    """Exceptions that only allow agree with each other; those that put something else in place do not.

    Each that contradicts others is told of once, with the first of those.
    """
    typed, found = rules.typed, dict[tuple[str, str], list[Rival]]()
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
    ways = [Reader(typed).of_thing(one.conditions(typed.resolved), one.thing) for one in held]
    for number, (b, met) in enumerate(zip(held, meeting(ways), strict=True)):
        before = (a for a in met if not order.settled(a, number) and not exclude(ways[a], ways[number]))
        a = next(before, None)
        if a is not None:
            yield _both(target, held[a], b, typed.resolved.book)


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


def _both(target: str, one: Rival, other: Rival, book: t.Book) -> Diagnostic:
    """Of two modules beside each other, one must be written for when both are played; over the game lie all."""
    a, b = one.exception, other.exception
    first, second = book.files.get(a.span.file, ""), book.files.get(b.span.file, "")
    games = [book.files.get(one.span.file, "") for one in book.definitions.values() if isinstance(one, t.Game)]
    remedy = (
        "write `over` and the other's name after the condition of the one that counts, `beside` and its name if the "
        "player is to choose, or conditions that cannot both hold"
    )
    if first != second and not {first, second} & {*games}:
        remedy += f"; where neither module is laid over the other, in a file in `{second}/with/{first}/`"
    return Diagnostic(
        "E0503",
        f"two exceptions replace `{target}`, and both could hold at once",
        b.span,
        labels=(Label(a.span, f"the other one, of `{first}`," if first != second else "the other one"),),
        help=remedy,
        readings=_either((one.name, a.span), (other.name, b.span), "{} counts, and not {}"),
    )


def _either(a: Rule, b: Rule, said: str) -> tuple[Reading, ...]:
    """Where both of two rules hold, only the first counts, or only the second."""
    alike = a[0] == b[0]  # two exceptions of one thing
    x, y = (f"`{name}`" + (f" (line {span.line})" if alike else "") for name, span in (a, b))
    return Reading(said.format(x, y), yields=(b, a)), Reading(said.format(y, x), yields=(a, b))


# --- adjustments that say what a quantity becomes -------------------------------------------------


@dataclass(frozen=True)
class _Setting:
    """An adjustment that says what a quantity becomes, and the thing it stands in."""

    name: str
    adjust: t.Adjust
    thing: t.Thing | None

    def conditions(self, resolved: Resolved) -> tuple[t.Expr, ...]:
        """All that must be so for it to count; nothing, if it always does."""
        return when_it_holds(resolved, self.adjust, self.thing)

    @property
    def said(self) -> str:
        by = f", by `{self.name}`" if self.thing is not None else ""
        return f"`{self.adjust.quantity.word}` becomes {expression(self.adjust.number)}{by}"


@checks.of_all
def contradicting_adjustments(rules: Rules) -> Iterator[Diagnostic]:
    """Of two `to` of the same quantity only one can count; one that always holds gives way to what does not."""
    typed, found = rules.typed, dict[tuple[str, bool], list[_Setting]]()
    for one in _setting(typed.resolved.book):
        sometimes = bool(one.conditions(typed.resolved))
        found.setdefault((one.adjust.quantity.word, sometimes), []).append(one)
    for held in found.values():
        ways = [Reader(typed).of_thing(one.conditions(typed.resolved), one.thing) for one in held]
        numbers = [rules.reader.key(one.adjust.number) for one in held]
        for place, (b, met) in enumerate(zip(held, meeting(ways), strict=True)):
            before = (a for a in met if numbers[a] != numbers[place] and not exclude(ways[a], ways[place]))
            a = next(before, None)
            if a is not None:
                yield _both_set(held[a], b)


def _setting(book: t.Book) -> Iterator[_Setting]:
    held = [(thing, a) for thing in book.definitions.values() if isinstance(thing, t.Thing) for a in thing.abilities]
    found = [(thing.name.word, ability, thing) for thing, ability in held]
    for name, ability, thing in (*found, *((alone.name.word, alone.ability, None) for alone in book.standalone)):
        if isinstance(ability, t.Adjust) and ability.to is not None:
            yield _Setting(name, ability, thing)


def _both_set(one: _Setting, other: _Setting) -> Diagnostic:
    a, b = one.adjust.span, other.adjust.span
    x, y = (one.name, a), (other.name, b)
    quantity = other.adjust.quantity.word
    return Diagnostic(
        "E0513",
        f"two adjustments say what `{quantity}` becomes, and both could hold at once",
        b,
        labels=(Label(a, "the other one"),),
        help="write conditions that cannot both hold",
        readings=(Reading(one.said, yields=(y, x)), Reading(other.said, yields=(x, y))),
    )


def _too_many(one: t.Exception_) -> Diagnostic:
    return Diagnostic(
        "E0712",
        "there are too many exceptions to the same",
        one.span,
        note=f"Of those that replace the same thing each is compared with every other one. There may be {MOST_PAIRS:,} "
        "such pairs, as many as 1,000 exceptions make, and with this one there are more.",
        help="make one exception of several, with `if` in its block",
    )


def _circle(target: str, one: t.Exception_) -> Diagnostic:
    return Diagnostic(
        "E0503",
        f"exceptions to `{target}` go over each other in a circle, so none of them comes first",
        one.span,
        help="leave out one `over`",
    )


# --- rules that are written twice ----------------------------------------------------------------


@checks.of_all
def twins(rules: Rules) -> Iterator[Diagnostic]:
    """Within a thing, and within the files of a folder; what lies over other rules may well add the same again."""
    book = rules.resolved.book
    folders: dict[str, list[t.Ability]] = {}
    for one in book.standalone:
        folders.setdefault(one.span.file.rpartition("/")[0], []).append(one.ability)
    for some in folders.values():
        yield from _twice(rules.reader, some, "")
    for thing in book.definitions.values():
        if isinstance(thing, t.Thing) and thing.abilities:
            for some in _by_origin(thing).values():
                yield from _twice(rules.reader, some, thing.name.word)
            yield from _besides(rules.typed, thing)


def _twice(same: Reader, some: Iterable[t.Ability], name: str) -> Iterator[Diagnostic]:
    """name: of the thing they stand in, if they stand in one."""
    written: dict[Key, list[t.Ability]] = {}
    for one in some:
        if isinstance(one, t.When | t.Adjust):
            written.setdefault(same.key(one), []).append(one)
    for first, *others in written.values():
        for one in others if len(others) == 1 else ():  # whoever writes it many times knows
            yield Diagnostic(
                "E0555",
                "this is written twice, and so happens twice",
                one.span,
                severity="warning",
                labels=(Label(first.span, "it is written here too"),),
                help="make them differ, or delete one",
                readings=(Reading("it happens twice"), Reading("it happens once", yields=((name, one.span), None))),
            )


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
                yield _besides_it(typed, thing, first, one)
        before = {**dict(keyed), **before}


def _sells(one: t.Ability) -> bool:
    """Whether something is paid for: whoever adds an offer at another price means both."""
    return any(pays(node) for node in walk(one))


class _ButAmounts(Reader):
    """Takes amounts that are written out for the same, and adjustments in the same direction.

    What a rule is called does not count, nor whether one may decline what it gives.
    """

    def key(self, node: Any) -> Key:
        if isinstance(node, t.Part) and isinstance(node.amount, t.Number):
            node = replace(node, amount=replace(node.amount, value=1))
        elif isinstance(node, t.Adjust):
            by = possible(self.typed, node.by).number if node.by is not None else 0
            node = replace(node, by=t.Number(node.number.span, by // abs(by))) if by else node
        elif isinstance(node, t.When):
            node = replace(node, title="")
        elif isinstance(node, t.Stmt) and isinstance(node, Asks) and (alone := only_step(node)):
            return self.key(alone)
        return super().key(node)


def _besides_it(typed: Typed, thing: t.Thing, first: t.Ability, one: t.Ability) -> Diagnostic:
    files, name = typed.resolved.book.files, f"{thing.kind.word} {thing.name.word}"
    remedy = f"to replace it, write `rewrite {name}` with all that is to hold, in place of the amendment"
    if files.get(first.span.file) == files.get(one.span.file):
        remedy = "to replace it, change it where it stands"
    titled = "give this one a title of its own, in quotes at the end of its first line"
    both = titled if isinstance(one, t.When) else "write their sum there"
    return Diagnostic(
        "E0575",
        "an amendment adds: this holds in addition to what is there already",
        one.span,
        severity="warning",
        note=_together(typed, first, one),
        labels=(Label(first.span, "this stays"),),
        help=f"{remedy}; if both are meant, {both}",
        readings=(
            Reading("both hold"),
            Reading("only the new one holds", yields=((thing.name.word, first.span), None)),
        ),
    )


def _together(typed: Typed, first: t.Ability, one: t.Ability) -> str:
    """What both come to, where that is a single number."""
    amounts = [
        [x.number] if isinstance(x, t.Adjust) else [n.amount for n in walk(x) if isinstance(n, t.Part)]
        for x in (first, one)
    ]
    numbers = [possible(typed, some[0]).number for some in amounts if len(some) == 1]
    a, b = numbers if len(numbers) == 2 else (None, None)
    return f"Together they come to {a + b}." if a is not None and b is not None else ""
