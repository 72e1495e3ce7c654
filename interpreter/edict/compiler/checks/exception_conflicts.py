"""Rules that contradict each other or are written twice.

These are exceptions to the same rule, adjustments that set the same quantity, and amendments that add to an ability
in place of replacing it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from edict.compiler.checks.check_registry import CheckContext, Checks
from edict.compiler.checks.choices import is_conditional_on_payment
from edict.compiler.checks.pricing import only_step
from edict.compiler.semantics.possible_values import (
    ConditionReader,
    ValueKey,
    are_exclusive,
    evaluate_abstractly,
    iter_compatible,
)
from edict.compiler.semantics.precedence import (
    RivalException,
    collect_conditions,
    compute_precedence,
    list_replaced_parts,
)
from edict.compiler.semantics.symbols import ResolvedBook
from edict.compiler.semantics.types import TypedBook
from edict.compiler.sources.input_limits import MOST_PAIRS
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.printing.expression_printer import print_expression
from edict.compiler.syntax.roles import AskingStep
from edict.compiler.syntax.traversal import walk
from edict.support.records import dataclass
from edict.support.report import Diagnostic, Label, Rule, RuleReading
from edict.support.text import Span

checks = Checks()


@checks.check_rules
def find_contradicting_exceptions(rules: CheckContext) -> Iterator[Diagnostic]:
    """Find exceptions that replace the same thing and may hold at once.

    Exceptions that only allow agree with each other. Each exception is reported once, with the first it contradicts.
    """
    typed, by_target = rules.typed, dict[tuple[str, str], list[RivalException]]()
    pairs = 0
    for rival in filter(lambda rival: _is_replacement(rival.exception), _iter_all_exceptions(typed)):
        for key in list_replaced_parts(typed.resolved, rival.exception):
            rivals = by_target.setdefault(key, [])
            rivals.append(rival)
            pairs += 2 * len(rivals) - 1
        if pairs > MOST_PAIRS:
            yield _diagnose_too_many(rival.exception)
            return
    reported = set[Span]()
    for (target, part), rivals_ in by_target.items():
        if rivals_[0].exception.edge:
            title = f"{part} {target}"
        elif part:
            title = f"{target}.{part}"
        else:
            title = target
        for diagnostic in _find_contradictions(typed, title, rivals_):
            if diagnostic.span not in reported:  # a group is reported once for all its resources
                yield diagnostic
            reported.add(diagnostic.span)


def _find_contradictions(typed: TypedBook, target: str, rivals: Sequence[RivalException]) -> Iterator[Diagnostic]:
    """Yield diagnostics for exceptions to one target: a circle of `over`, or two that may hold at once."""
    order = compute_precedence(typed.resolved, rivals)
    for place in order.circular[:1]:
        yield _diagnose_circle(target, rivals[place].exception)
    ways = [
        ConditionReader(typed).find_ways_for_thing(rival.conditions(typed.resolved), rival.thing) for rival in rivals
    ]
    for index, (second, compatible) in enumerate(zip(rivals, iter_compatible(ways), strict=True)):
        conflicts = (
            first
            for first in compatible
            if not order.is_settled(first, index) and not are_exclusive(ways[first], ways[index])
        )
        first = next(conflicts, None)
        if first is not None:
            yield _diagnose_conflict(target, rivals[first], second, typed.resolved.book)


def _iter_all_exceptions(typed: TypedBook) -> Iterator[RivalException]:
    """Yield all exceptions of a book: those of things, each with its thing, and then standalone ones."""
    book = typed.resolved.book
    for thing in book.things:
        yield from (
            RivalException(thing.name.word, ability, thing)
            for ability in thing.abilities
            if isinstance(ability, t.Exception_)
        )
    for standalone in book.standalone:
        if isinstance(standalone.ability, t.Exception_):
            yield RivalException(standalone.name.word, standalone.ability)


def _is_replacement(exception: t.Exception_) -> bool:
    """Return True for an exception that replaces a phase, routine or rule; False for one that only allows."""
    return exception.rule is None or exception.require is not None


def _diagnose_conflict(target: str, rival: RivalException, other_rival: RivalException, book: t.Book) -> Diagnostic:
    """Return the error for two exceptions that may hold at once; `target` is the replaced thing in words."""
    exception, other_exception = rival.exception, other_rival.exception
    module, other_module = book.files.get(exception.span.file, ""), book.files.get(other_exception.span.file, "")
    games = [book.files.get(rival.span.file, "") for rival in book.select(t.Game)]
    remedy = (
        "after the condition of the one that takes precedence, write `over` and the other's name; to let "
        "the player choose, write `beside` and its name; or write conditions that cannot both be true"
    )
    if module != other_module and not {module, other_module} & {*games}:
        remedy += f"; if neither module builds on the other, do it in a file in `{other_module}/with/{module}/`"
    return Diagnostic(
        "E0503",
        f"two exceptions replace `{target}`, and both could apply at once",
        other_exception.span,
        labels=(
            Label(exception.span, f"the other one, of `{module}`," if module != other_module else "the other one"),
        ),
        help=remedy,
        readings=_make_readings(
            (rival.name, exception.span), (other_rival.name, other_exception.span), "{} applies, not {}"
        ),
    )


def _make_readings(a: Rule, b: Rule, template: str) -> tuple[RuleReading, ...]:
    """Return both readings of a conflict, as (a counts, not b) and (b counts, not a); `template` words them."""
    is_same_thing = a[0] == b[0]  # two exceptions of one thing
    x, y = (f"`{name}`" + (f" (line {span.line})" if is_same_thing else "") for name, span in (a, b))
    return RuleReading(template.format(x, y), yields=(b, a)), RuleReading(template.format(y, x), yields=(a, b))


# --- adjustments that set a quantity ---------------------------------------------------------------


@dataclass(frozen=True)
class _SettingAdjustment:
    """An adjustment that sets a quantity, and the thing it stands in."""

    name: str
    adjust: t.Adjust
    thing: t.Thing | None

    def collect_conditions(self, resolved: ResolvedBook) -> tuple[t.Expr, ...]:
        """Return all conditions for the adjustment to apply; empty if it always does."""
        return collect_conditions(resolved, self.adjust, self.thing)

    @property
    def reading(self) -> str:
        """The result as a phrase, such as `` `hand-limit` becomes 7, by `inn` ``."""
        source = f", by `{self.name}`" if self.thing is not None else ""
        return f"`{self.adjust.quantity.word}` becomes {print_expression(self.adjust.number)}{source}"


@checks.check_rules
def find_contradicting_adjustments(rules: CheckContext) -> Iterator[Diagnostic]:
    """Find adjustments that set a quantity to different values and may hold at once; conditional ones go first."""
    typed, by_quantity = rules.typed, dict[tuple[str, bool], list[_SettingAdjustment]]()
    for setting in _iter_settings(typed.resolved.book):
        is_conditional = bool(setting.collect_conditions(typed.resolved))
        by_quantity.setdefault((setting.adjust.quantity.word, is_conditional), []).append(setting)
    for settings in by_quantity.values():
        ways = [
            ConditionReader(typed).find_ways_for_thing(setting.collect_conditions(typed.resolved), setting.thing)
            for setting in settings
        ]
        numbers = [rules.reader.value_key(setting.adjust.number) for setting in settings]
        for index, (second, compatible) in enumerate(zip(settings, iter_compatible(ways), strict=True)):
            conflicts = (
                first
                for first in compatible
                if numbers[first] != numbers[index] and not are_exclusive(ways[first], ways[index])
            )
            first = next(conflicts, None)
            if first is not None:
                yield _diagnose_settings(settings[first], second)


def _iter_settings(book: t.Book) -> Iterator[_SettingAdjustment]:
    """Yield the adjustments that set a quantity (`adjust ... to`), of things first and then standalone ones."""
    of_things = [(thing, ability_) for thing in book.things for ability_ in thing.abilities]
    named = [(thing.name.word, ability, thing) for thing, ability in of_things]
    for name, ability, thing in (
        *named,
        *((standalone.name.word, standalone.ability, None) for standalone in book.standalone),
    ):
        if isinstance(ability, t.Adjust) and ability.to is not None:
            yield _SettingAdjustment(name, ability, thing)


def _diagnose_settings(setting: _SettingAdjustment, other_setting: _SettingAdjustment) -> Diagnostic:
    """Return E0513, for two adjustments that set one quantity and may both hold, with both readings."""
    a, b = setting.adjust.span, other_setting.adjust.span
    x, y = (setting.name, a), (other_setting.name, b)
    quantity = other_setting.adjust.quantity.word
    return Diagnostic(
        "E0513",
        f"two adjustments set `{quantity}`, and both could apply at once",
        b,
        labels=(Label(a, "the other one"),),
        help="write conditions that cannot both be true",
        readings=(RuleReading(setting.reading, yields=(y, x)), RuleReading(other_setting.reading, yields=(x, y))),
    )


def _diagnose_too_many(exception: t.Exception_) -> Diagnostic:
    """Return E0712, for more than `MOST_PAIRS` pairs of exceptions to one target."""
    return Diagnostic(
        "E0712",
        "there are too many exceptions to the same target",
        exception.span,
        note=f"All exceptions that replace the same thing are compared in pairs. There may be {MOST_PAIRS:,} "
        f"such pairs, as many as 1,000 exceptions make, and this one exceeds that.",
        help="combine several into one exception, with `if` in its block",
    )


def _diagnose_circle(target: str, exception: t.Exception_) -> Diagnostic:
    """Return E0503, for exceptions to a target whose `over` clauses form a circle."""
    return Diagnostic(
        "E0503",
        f"exceptions to `{target}` take precedence over each other in a circle",
        exception.span,
        help="delete one `over`",
    )


# --- rules that are written twice ----------------------------------------------------------------


@checks.check_rules
def find_repeated_abilities(rules: CheckContext) -> Iterator[Diagnostic]:
    """Find abilities that are written twice in a thing or a folder; other layers may well add the same again."""
    book = rules.resolved.book
    folders: dict[str, list[t.Ability]] = {}
    for standalone in book.standalone:
        folders.setdefault(standalone.span.file.rpartition("/")[0], []).append(standalone.ability)
    for abilities in folders.values():
        yield from _find_repeated_abilities(rules.reader, abilities, "")
    for thing in book.definitions.values():
        if isinstance(thing, t.Thing) and thing.abilities:
            for abilities in _group_by_origin(thing).values():
                yield from _find_repeated_abilities(rules.reader, abilities, thing.name.word)
            yield from _find_additions(rules.typed, thing)


def _find_repeated_abilities(
    reader: ConditionReader, abilities: Iterable[t.Ability], name: str
) -> Iterator[Diagnostic]:
    """Yield a warning for an ability written exactly twice (not three times) in the thing `name`, or "" for none."""
    by_key: dict[ValueKey, list[t.Ability]] = {}
    for ability in abilities:
        if isinstance(ability, t.When | t.Adjust):
            by_key.setdefault(reader.value_key(ability), []).append(ability)
    for first, *others in by_key.values():
        for ability in others if len(others) == 1 else ():  # more than two are deliberate
            yield Diagnostic(
                "E0555",
                "this is written twice, so it happens twice",
                ability.span,
                severity="warning",
                labels=(Label(first.span, "also written"),),
                help="make them differ, or delete one",
                readings=(
                    RuleReading("it happens twice"),
                    RuleReading("it happens once", yields=((name, ability.span), None)),
                ),
            )


# --- additions by amendments ---------------------------------------------------------------------


def _group_by_origin(thing: t.Thing) -> dict[tuple[str, bool], list[t.Ability]]:
    """Return a thing's own abilities, and those of its amendments by file."""
    groups: dict[tuple[str, bool], list[t.Ability]] = {}
    span = thing.span
    for ability in thing.abilities:
        own = ability.span.file == span.file and span.line <= ability.span.line < span.end_line
        groups.setdefault((ability.span.file, own), []).append(ability)
    return groups


def _find_additions(typed: TypedBook, thing: t.Thing) -> Iterator[Diagnostic]:
    """Yield a warning for an amendment's ability that equals one of an earlier layer in all but its amounts."""
    reader = _AmountIgnoringReader(typed)
    earlier: dict[ValueKey, t.Ability] = {}
    for abilities in _group_by_origin(thing).values():
        keyed = [
            (reader.value_key(ability), ability)
            for ability in abilities
            if isinstance(ability, t.When | t.Adjust) and not _has_price(ability)
        ]
        for key, ability in keyed:
            first = earlier.get(key)
            if first is not None and getattr(ability, "title", "") in ("", getattr(first, "title", "")):
                yield _diagnose_addition(typed, thing, first, ability)
        earlier = {**dict(keyed), **earlier}


def _has_price(ability: t.Ability) -> bool:
    """Return True if something is paid for; a second offer at another price is deliberate."""
    return any(is_conditional_on_payment(node) for node in walk(ability))


class _AmountIgnoringReader(ConditionReader):
    """A reader for which literal amounts are equal, and so are adjustments in the same direction.

    It also ignores titles of rules, and whether a gain may be declined.
    """

    def value_key(self, node: Any) -> ValueKey:
        """Return a key of a node in which amounts count as 1, and adjustments as their sign."""
        if isinstance(node, t.Part) and isinstance(node.amount, t.Number):
            node = replace(node, amount=replace(node.amount, value=1))
        elif isinstance(node, t.Adjust):
            change = evaluate_abstractly(self.typed, node.by).constant if node.by is not None else 0
            if change:
                node = replace(node, by=t.Number(node.number.span, change // abs(change)))
            else:
                node = node
        elif isinstance(node, t.When):
            node = replace(node, title="")
        elif isinstance(node, t.Stmt) and isinstance(node, AskingStep) and (step := only_step(node)):
            return self.value_key(step)
        return super().value_key(node)


def _diagnose_addition(typed: TypedBook, thing: t.Thing, first: t.Ability, ability: t.Ability) -> Diagnostic:
    """Return E0575, for an amendment whose ability adds to a similar one instead of replacing it."""
    files, name = typed.resolved.book.files, f"{thing.kind.word} {thing.name.word}"
    remedy = f"to replace it, write `rewrite {name}` with the full definition instead of the amendment"
    if files.get(first.span.file) == files.get(ability.span.file):
        remedy = "to replace it, change the original"
    advice = "give this one its own title, in quotes at the end of its first line"
    both_advice = advice if isinstance(ability, t.When) else "write their sum there"
    return Diagnostic(
        "E0575",
        "an amendment adds: this applies in addition to the original",
        ability.span,
        severity="warning",
        note=_describe_sum(typed, first, ability),
        labels=(Label(first.span, "this stays"),),
        help=f"{remedy}; to keep both, {both_advice}",
        readings=(
            RuleReading("both apply"),
            RuleReading("only the new one applies", yields=((thing.name.word, first.span), None)),
        ),
    )


def _describe_sum(typed: TypedBook, first: t.Ability, ability: t.Ability) -> str:
    """Return `Together they come to 5.` if both abilities have a single constant amount, else ""."""
    amounts = [
        [ability_.number]
        if isinstance(ability_, t.Adjust)
        else [part.amount for part in walk(ability_) if isinstance(part, t.Part)]
        for ability_ in (first, ability)
    ]
    numbers = [evaluate_abstractly(typed, amount_list[0]).constant for amount_list in amounts if len(amount_list) == 1]
    first_amount, second_amount = numbers if len(numbers) == 2 else (None, None)
    if first_amount is not None and second_amount is not None:
        return f"Together they come to {first_amount + second_amount}."
    return ""
