"""Choices that decide nothing, and winners other than those with the highest score.

Among the former are options that do the same or are never better, and offers of nothing.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Hashable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import field, replace
from functools import lru_cache
from itertools import accumulate
from operator import or_
from typing import TypeVar

from edict.compiler.checks.check_registry import CheckContext, Checks, is_declinable
from edict.compiler.semantics.call_graph import collect_handlers, expand_group, is_you
from edict.compiler.semantics.effects import collect_reads
from edict.compiler.semantics.effects import iter_moved_resources as meanings_moved
from edict.compiler.semantics.possible_values import MIRRORED, ConditionReader, ValueKey, evaluate_abstractly
from edict.compiler.semantics.resource_names import resources_of_name
from edict.compiler.semantics.symbols import (
    Local,
    Meaning,
    ResolvedBook,
    Symbol,
    definition_of,
    drop_texts,
    split_parts,
)
from edict.compiler.semantics.types import TypedBook
from edict.compiler.semantics.whose_turn import gives_turns
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.printing import print_bundle
from edict.compiler.syntax.printing.expression_printer import print_expression
from edict.compiler.syntax.roles import AskingStep, GameEndingStep, Role, carries_role, iter_role_values
from edict.compiler.syntax.traversal import iter_fields, walk
from edict.support.records import dataclass
from edict.support.report import Diagnostic, Label

checks = Checks()
H = TypeVar("H", bound=Hashable)


def _moves_resources(kind: type) -> bool:
    """Return True for classes of steps that gain, lose or spend amounts."""
    return issubclass(kind, t.Stmt) and carries_role(kind, Role.MOVED)


@checks.check_nodes(_moves_resources)
def find_repeated_offers(rules: CheckContext, node: t.Stmt) -> Iterator[Diagnostic]:
    """Find bundles that a step offers twice."""
    bundles = [*iter_role_values(node, Role.MOVED)]
    if len(bundles) > 1:
        yield from _find_duplicates([(rules.reader.value_key(bundle), bundle) for bundle in bundles], "already offered")


def _has_alternative(kind: type) -> bool:
    """Return True for classes of steps with an `else` that move no resources, such as `if` and `may`."""
    return issubclass(kind, t.Stmt) and carries_role(kind, Role.INSTEAD) and not carries_role(kind, Role.MOVED)


@checks.check_nodes(_has_alternative)
def find_empty_decisions(rules: CheckContext, node: t.Stmt) -> Iterator[Diagnostic]:
    """Yield a warning for an offer or an `if` that has the same effect whether it is taken or not."""
    yield from (
        _find_offer_without_effect(node) if isinstance(node, AskingStep) else _find_equal_branches(rules.reader, node)
    )


@checks.check_nodes(t.ChooseOne)
def find_repeated_options(rules: CheckContext, choice: t.ChooseOne) -> Iterator[Diagnostic]:
    """Find single options, and options with the same title or the same steps."""
    reader, branches = rules.reader, choice.branches
    if len(branches) == 1 and branches[0].condition is None:
        remedy = "add another, or write the steps without `choose one`"
        yield _diagnose_no_choice("a single option is not a choice", branches[0], remedy)
    by_title = [(("title", branch.title), branch) for branch in branches if branch.title and not branch.more]
    title_faults = [*_find_duplicates(by_title, "another option has the same title")]
    by_steps = [((*map(reader.value_key, branch.block), _condition_key(reader, branch)), branch) for branch in branches]
    yield from title_faults or _find_duplicates(by_steps, "this option does the same as another")


@checks.check_nodes(t.ChooseOne)
def find_free_losses(rules: CheckContext, choice: t.ChooseOne) -> Iterator[Diagnostic]:
    """Find choices among losses of different resources, which a player escapes by losing what they do not have."""
    losses = [_only_loss(branch) for branch in choice.branches]
    resources = {name.word for loss in losses if loss is not None for name in walk(loss) if isinstance(name, t.Name)}
    if None in losses or len(resources) < 2:
        return
    for branch, loss in zip(choice.branches, losses, strict=True):
        first = loss.bundle.parts[0] if loss is not None else None
        if (
            loss is not None
            and branch.condition is None
            and isinstance(first, t.Part)
            and _takes_what_there_is(rules.resolved, loss)
        ):
            words = print_bundle(loss.bundle)
            yield Diagnostic(
                "E0589",
                "this can be chosen by players who have nothing to lose here",
                loss.span,
                severity="warning",
                note="`lose` takes what there is, and an option to lose is offered even if there is nothing.",
                help=f"write `spend {words}`, which is offered only to those who can pay it, or a condition: "
                f'`option "..." if {first.what.word} of you > 0`',
            )
            return


def _only_loss(branch: t.Branch) -> t.Lose | None:
    """Return the only step of an option if that is a loss, else None."""
    block = drop_texts(branch.block)
    return block[0] if len(block) == 1 and isinstance(block[0], t.Lose) else None


def _takes_what_there_is(resolved: ResolvedBook, loss: t.Lose) -> bool:
    """Return True if a loss takes so many of named resources, of which a player may have none."""
    for part in loss.bundle.parts:
        definition = definition_of(resolved, part.what) if isinstance(part, t.Part) else None
        if definition is None or (isinstance(definition, t.Resource) and definition.below_zero):
            return False
    return True


def _condition_key(reader: ConditionReader, branch: t.Branch) -> ValueKey:
    """Return a comparable key of an option's condition; one without a condition gets `always`."""
    return ("always",) if branch.condition is None else reader.value_key(branch.condition)


def _find_duplicates(keyed: Sequence[tuple[ValueKey, t.Node]], title: str) -> Iterator[Diagnostic]:
    """Yield E0555 with a title for each node whose key equals that of an earlier node."""
    first: dict[ValueKey, t.Node] = {}
    for key, node in keyed:
        original = first.setdefault(key, node)
        if original is not node:
            yield _diagnose_no_choice(
                title, node, "make them differ, or delete one", Label(original.span, "the other one")
            )


def _find_offer_without_effect(may: t.Stmt) -> Iterator[Diagnostic]:
    """Yield E0555 for a `may` whose steps, accepted or declined, are all `nothing`."""
    nodes = [node for _, value in iter_fields(may) for node in (value if isinstance(value, tuple) else (value,))]
    if all(isinstance(node, t.Nothing) for node in nodes if isinstance(node, t.Stmt)):
        yield _diagnose_no_choice("no answer has any effect", may, "indent the offered steps under it")


def _find_equal_branches(reader: ConditionReader, step: t.Stmt) -> Iterator[Diagnostic]:
    """Yield E0555 for a condition whose `then` and `else` blocks hold the same steps."""
    otherwise_keys, then_keys = (
        [*map(reader.value_key, iter_role_values(step, Role.INSTEAD))],
        [*map(reader.value_key, getattr(step, "then", ()))],
    )
    for condition in iter_role_values(step, Role.DECIDES):
        if otherwise_keys and otherwise_keys == then_keys:
            yield _diagnose_no_choice(
                "this does the same whether the condition is true or not",
                condition,
                "make the two differ, or delete the condition",
            )


def _diagnose_no_choice(title: str, node: t.Node, remedy: str, *labels: Label) -> Diagnostic:
    """Return the warning E0555, for a choice that decides nothing."""
    return Diagnostic("E0555", title, node.span, severity="warning", labels=labels, help=remedy)


# --- options that are never better -----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Trade:
    """The resources that an option gives and takes, in literal numbers."""

    node: t.Node
    condition: ValueKey
    gained: Counter[t.Definition] = field(default_factory=Counter)
    paid: Counter[t.Definition] = field(default_factory=Counter)
    lost: Counter[t.Definition] = field(default_factory=Counter)

    def compare_key(self, resource: t.Definition) -> tuple[int, int, int]:
        """Return (gained, -paid, -lost) of a resource: an option is as good as another if no number is lower."""
        return self.gained[resource], -self.paid[resource], -self.lost[resource]


def _find_better(trades: Sequence[_Trade], good: Set[t.Definition]) -> Iterator[_Trade | None]:
    """Yield for each option the first that has more of a resource in `good` and equals it elsewhere, or None.

    Sets of options are bit sets, since there may be thousands, and all are compared with all.
    """
    by_condition = _index_bits(trade.condition for trade in trades)
    used = dict[t.Definition, None]()
    for trade in trades:
        used.update(dict.fromkeys((*trade.gained, *trade.paid, *trade.lost)))
    compared = list[tuple[list[int], dict[int, int], dict[int, int]]]()
    for resource in used:
        keys = [trade.compare_key(resource) for trade in trades]
        for measure in range(3):
            values = [key[measure] for key in keys]
            bits = _index_bits(values)
            compared.append((values, bits, _accumulate_bits(bits) if resource in good else bits))
    for index, trade in enumerate(trades):
        better = by_condition[trade.condition] | by_condition.get(("always",), 0)
        same = better
        for values, equal, at_least in compared:
            same &= equal[values[index]]
            better &= at_least[values[index]]
        better &= ~same
        yield trades[(better & -better).bit_length() - 1] if better else None


def _index_bits(values: Iterable[H]) -> dict[H, int]:
    """Map each value to the bit set of its indices: `a, b, a` to `{a: 0b101, b: 0b010}`."""
    places: defaultdict[H, int] = defaultdict(int)
    for index, value in enumerate(values):
        places[value] |= 1 << index
    return dict(places)


def _accumulate_bits(places: Mapping[int, int]) -> dict[int, int]:
    """Map each key to the union of the bit sets of all keys that are at least as large."""
    falling = sorted(places, reverse=True)
    return dict(zip(falling, accumulate((places[number] for number in falling), or_), strict=True))


def _has_price(kind: type) -> bool:
    """Return True for classes of nodes that move resources and have an `else`, such as `spend`."""
    return carries_role(kind, Role.MOVED) and carries_role(kind, Role.INSTEAD)


@checks.check_nodes(t.ChooseOne, t.Gain, _has_price)
def find_dominated_options(rules: CheckContext, choice: t.Node) -> Iterator[Diagnostic]:
    """Yield a warning for each option that brings and takes no better than another one of the same choice.

    Only resources count of which more is surely better, and only options whose better one is always there too.
    """
    trades = _list_trades(rules, choice)
    good = _find_desirable(rules.resolved) if len(trades) > 1 else set()
    is_pair = isinstance(choice, t.ChooseOne) and len(choice.branches) == 2
    for trade, better in zip(trades, _find_better(trades, good), strict=True) if good else ():
        if better is not None:
            yield Diagnostic(
                "E0578",
                "nobody will choose this: another option gives at least as much and costs no more",
                trade.node.span,
                severity="warning",
                labels=(Label(better.node.span, "the better one"),),
                help="give each option an advantage, or "
                + ("write the steps of the better one without `choose one`" if is_pair else "delete this one"),
            )


@checks.check_nodes(is_declinable)
def find_losing_offers(rules: CheckContext, offer: t.Stmt) -> Iterator[Diagnostic]:
    """Yield a warning for an offer that gives back only a part of what it costs."""
    price = getattr(offer, "head", None)
    then: tuple[t.Stmt, ...] = getattr(offer, "then", ())
    if not isinstance(price, t.Spend) or price.name or len(price.options) != 1:
        return
    if any(iter_role_values(offer, Role.INSTEAD)):
        return
    trade = _Trade(offer, ("always",))
    if not _add_steps(rules.resolved, trade, (replace(price, then=then),)) or not trade.gained or trade.lost:
        return
    is_less = all(0 < trade.gained[resource] <= trade.paid[resource] for resource in trade.gained)
    if is_less and trade.gained != trade.paid and trade.paid.keys() <= _find_desirable(rules.resolved):
        yield Diagnostic(
            "E0581",
            "this gives back less than it costs, so nobody will accept it",
            then[0].span,
            severity="warning",
            labels=(Label(price.options[0].span, "paid"),),
            help="exchange the two amounts, or make the gain something else",
        )


def _list_trades(rules: CheckContext, node: t.Node) -> list[_Trade]:
    """Return the options of a choice that only give and take."""
    resolved = rules.resolved
    if isinstance(node, t.ChooseOne) and node.asking is None:
        branches = [_Trade(option, _condition_key(rules.reader, option)) for option in node.branches]
        return [
            option
            for option, branch in zip(branches, node.branches, strict=True)
            if _add_steps(resolved, option, branch.block)
        ]
    is_gain = isinstance(node, t.Gain)
    if is_gain or (is_conditional_on_payment(node) and not getattr(node, "name", None)):
        bundles = [_Trade(option, ("always",)) for option in iter_role_values(node, Role.MOVED)]
        return [
            option
            for option in bundles
            if _add_bundle(resolved, option.gained if is_gain else option.paid, option.node)
        ]
    return []


def is_conditional_on_payment(node: t.Node) -> bool:
    """Return True if what stands below a step happens only if it is paid for."""
    return _has_price(type(node))


def _add_steps(resolved: ResolvedBook, trade: _Trade, block: t.Block) -> bool:
    """Add what steps give and take to a trade, and return True if that is all they do."""
    for step in block:
        bundles = [*iter_role_values(step, Role.MOVED)]
        counter = (
            trade.paid
            if is_conditional_on_payment(step)
            else {t.Gain: trade.gained, t.Lose: trade.lost}.get(type(step))
        )
        if counter is None or len(bundles) != 1 or not _add_bundle(resolved, counter, bundles[0]):
            return False
        plain = not getattr(step, "name", None) and not [*iter_role_values(step, Role.INSTEAD)]
        if not plain or not _add_steps(resolved, trade, getattr(step, "then", ())):
            return False
    return True


def _add_bundle(resolved: ResolvedBook, counter: Counter[t.Definition], bundle: t.Node) -> bool:
    """Add a bundle of literal amounts to a counter, and return False if it has other parts."""
    for part in split_parts(resolved, bundle) if isinstance(bundle, t.Bundle) else ():
        resource = definition_of(resolved, part.what) if isinstance(part, t.Part) else None
        if resource is None or not isinstance(part, t.Part) or part.beside is not None:
            return False
        if not isinstance(part.amount, t.Number):
            return False
        for member in expand_group(resolved, resource) if part.each else [resource]:
            counter[member] += part.amount.value
    return True


@lru_cache(maxsize=2)
def _find_desirable(resolved: ResolvedBook) -> set[t.Definition]:
    """Return the resources that pay or score, without those that abilities wait for or conditions punish."""
    desirable = {*_iter_useful(resolved)}
    for owner in resolved.book.roots:
        for node in walk(owner):
            then = getattr(node, "then", ()) if carries_role(type(node), Role.DECIDES) else ()
            if any(_is_punishing(item) for step in then for item in walk(step)):
                desirable -= {
                    definition
                    for item in iter_role_values(node, Role.DECIDES)
                    for definition in _iter_asked_amounts(resolved, item)
                }
    desirable = {item for item in desirable if item not in collect_handlers(resolved).by_definition}
    groups = {*resolved.book.select(t.Group)}
    return desirable | {item for item in groups if desirable >= {*expand_group(resolved, item)}}


def _is_punishing(node: t.Node) -> bool:
    """Return True for a step that loses resources, ends the game or changes a state variable."""
    return isinstance(node, t.Lose | GameEndingStep) or carries_role(type(node), Role.CHANGED)


def _iter_useful(resolved: ResolvedBook) -> Iterator[t.Definition]:
    """Yield resources that raise the score or a ranking of winners, or that something is paid with."""
    priced = {definition for thing in resolved.book.things for definition in _iter_resources_in(resolved, thing.fields)}
    for owner in resolved.book.roots:
        if isinstance(owner, t.Game):
            yield from _iter_increasing(resolved, owner.score, set())
            for most, key in owner.winners.keys if isinstance(owner.winners, t.Best) else ():
                yield from _iter_increasing(resolved, key, set()) if most == "most" else ()
        for node in walk(owner):
            if is_conditional_on_payment(node):
                for bundle in iter_role_values(node, Role.MOVED):
                    yield from _iter_paid_with(resolved, bundle, priced)


def _iter_paid_with(resolved: ResolvedBook, bundle: t.Bundle, priced: Set[t.Definition]) -> Iterator[t.Definition]:
    """Yield the resources that a bundle is paid with; of what a price decides, only those that things cost."""
    for part in split_parts(resolved, bundle):
        resource = definition_of(resolved, part.what) if isinstance(part, t.Part) else None
        members = expand_group(resolved, resource) if resource is not None else []
        yield from (member for member in members if getattr(part, "price", None) is None or member in priced)


def _iter_resources_in(resolved: ResolvedBook, fields: Iterable[t.Node]) -> Iterator[t.Definition]:
    """Yield the resources that some fields name, in order and with repetitions."""
    for node in (node for field_ in fields for node in walk(field_)):
        definition = definition_of(resolved, node)
        if isinstance(definition, t.Resource):
            yield definition


def _iter_asked_amounts(resolved: ResolvedBook, expr: t.Expr) -> Iterator[t.Definition]:
    """Yield the resources whose amounts an expression reads, as in `gold of you`."""
    for node in walk(expr):
        for meaning in resources_of_name(resolved, node.head) if isinstance(node, t.Apply) else ():
            if isinstance(meaning, Symbol) and meaning.definition is not None:
                yield meaning.definition


def _iter_increasing(resolved: ResolvedBook, expr: t.Expr, seen: set[t.Definition]) -> Iterator[t.Definition]:
    """Yield the resources whose amount raises the value of an expression, through `+`, `*` and quantities."""
    if isinstance(expr, t.Binary) and expr.op in ("+", "-"):
        yield from _iter_increasing(resolved, expr.left, seen)
        yield from _iter_increasing(resolved, expr.right, seen) if expr.op == "+" else ()
    elif isinstance(expr, t.Binary) and expr.op in ("*", "/"):
        yield from _iter_increasing(resolved, expr.left, seen) if _is_positive_literal(expr.right) else ()
        yield from (
            _iter_increasing(resolved, expr.right, seen) if expr.op == "*" and _is_positive_literal(expr.left) else ()
        )
    elif isinstance(expr, t.Apply):
        definition = definition_of(resolved, expr.head)
        if isinstance(definition, t.Quantity) and definition not in seen:
            yield from _iter_increasing(resolved, definition.value, seen | {definition})
        elif isinstance(definition, t.Resource | t.Group):
            yield from expand_group(resolved, definition)


def _is_positive_literal(expr: t.Expr) -> bool:
    """Return True for a number in digits that is larger than 0."""
    return isinstance(expr, t.Number) and expr.value > 0


# --- numbers of which everybody chooses the largest ----------------------------------------------


@checks.check_nodes(t.Definition)
def find_obvious_maximum(rules: CheckContext, owner: t.Definition) -> Iterator[Diagnostic]:
    """Find choices of which everybody takes the maximum: `choose a number from 0 to 10 as n`, `gain n gold`."""
    if isinstance(owner, t.Action):
        return  # its choices must pass its rules
    typed = rules.typed
    meaning, nodes = typed.resolved.meaning, [*walk(owner)]
    choices_ = (node for node in nodes if isinstance(node, t.Choose) and _has_several_values(typed, node))
    choices: dict[Meaning, t.Choose] = {typed.resolved.binds[choice_]: choice_ for choice_ in choices_}
    if not choices:
        return
    names = (node for node in nodes if isinstance(node, t.Name) and meaning.get(node) in choices)
    uses, growing_uses = {name for name in names if choices[meaning[name]].name is not name}, set[t.Name]()
    gains: dict[Meaning, list[t.Gain]] = {local: [] for local in choices}
    for gain in (node for node in nodes if isinstance(node, t.Gain)):
        for name in _iter_growing_uses(typed, gain, uses):
            gains[meaning[name]].append(gain)
            growing_uses.add(name)
    other_uses = {meaning[name] for name in uses - growing_uses}
    turn_of: dict[t.Node, t.Node] = {}  # the innermost turn that a step is part of
    for node in nodes:
        if gives_turns(typed.resolved, node):
            turn_of.update(dict.fromkeys(walk(node), node))
    for local, choice in choices.items():
        if gains[local] and local not in other_uses and all(_is_always_desirable(typed, gain) for gain in gains[local]):
            # if others gain it, too or instead, a smaller number may be better
            if all(turn_of.get(gain) is turn_of.get(choice) for gain in gains[local]):
                yield _diagnose_obvious_maximum(choice, gains[local][0])


def _has_several_values(typed: TypedBook, choice: t.Choose) -> bool:
    """Return True if a player chooses one of several numbers for themselves."""
    if choice.low is None or choice.high is None or choice.asking is not None:
        return False
    return evaluate_abstractly(typed, choice.low).low < evaluate_abstractly(typed, choice.high).high


def _iter_growing_uses(typed: TypedBook, gain: t.Gain, uses: Container[t.Node]) -> Iterator[t.Name]:
    """Yield those of the names `uses` (of one number) whose growth makes the amount of a gain grow."""
    for bundle in gain.options:
        for part in split_parts(typed.resolved, bundle):
            yield from _iter_growing(typed, part.amount, uses)


def _iter_growing(typed: TypedBook, amount: t.Expr, uses: Container[t.Node]) -> Iterator[t.Name]:
    """Yield the uses of a name in an amount that grows with it, as `n` in `2 * n` and not in `5 - n`."""
    if isinstance(amount, t.Name) and amount in uses:
        yield amount
    elif isinstance(amount, t.Binary) and amount.op in ("+", "-", "*", "/"):
        if amount.op in ("+", "-") or evaluate_abstractly(typed, amount.right).low > 0:
            yield from _iter_growing(typed, amount.left, uses)
        if amount.op == "+" or (amount.op == "*" and evaluate_abstractly(typed, amount.left).low > 0):
            yield from _iter_growing(typed, amount.right, uses)


def _is_always_desirable(typed: TypedBook, gain: t.Gain) -> bool:
    """Return True if everybody would rather have more of what is gained.

    It is paid with or scored, never runs out, nothing waits for it, and rules ask only whether one has any.
    """
    gained: set[Meaning] = set()
    for bundle in gain.options:
        gained.update(meanings_moved(typed.resolved, bundle))
    handlers = collect_handlers(typed.resolved).by_definition
    definitions = [meaning.definition for meaning in gained if isinstance(meaning, Symbol)]
    plain = all(
        isinstance(meaning, t.Resource) and meaning.limit is None and meaning not in handlers for meaning in definitions
    )
    return (
        plain
        and gained <= _find_payment_and_score_resources(typed.resolved)
        and not gained & _find_compared_meanings(typed.resolved)
    )


@lru_cache(maxsize=2)
def _find_payment_and_score_resources(resolved: ResolvedBook) -> set[Meaning]:
    """Return the resources that are paid with or make the score."""
    wanted: set[Meaning] = set()
    for owner in resolved.book.roots:
        if isinstance(owner, t.Game) and not any(
            getattr(node_, "op", "") in ("-", "minus") for node_ in walk(owner.score)
        ):
            wanted.update(collect_reads(resolved, owner.score))
        for node in walk(owner):
            if _has_price(type(node)) or isinstance(node, t.CanPay):
                for bundle in iter_role_values(node, Role.MOVED):
                    wanted.update(meanings_moved(resolved, bundle))
    return wanted


@lru_cache(maxsize=2)
def _find_compared_meanings(resolved: ResolvedBook) -> frozenset[Meaning]:
    """Return all that rules read in a comparison with anything but 0 or 1, so that more may be worse.

    Actions that require some amount, as their price, do not count.
    """
    sides: list[t.Expr] = []
    for owner in resolved.book.roots:
        required = {*walk(tuple(rule.require for rule in owner.rules))} if isinstance(owner, t.Action) else set()
        for node in walk(owner):
            if isinstance(node, t.Binary) and node.op in MIRRORED:
                sides += _iter_limited_sides(node, node in required)
    return collect_reads(resolved, *sides)


def _iter_limited_sides(comparison: t.Binary, is_required: bool) -> Iterator[t.Expr]:
    """Yield the sides of a comparison with more than 1; if that is required, without those that must be large."""
    left, right, op = comparison.left, comparison.right, comparison.op
    for side, side_op, other in ((left, op, right), (right, MIRRORED[op], left)):
        is_small = isinstance(other, t.Number) and other.value <= 1
        if not is_small and not (is_required and side_op in (">", ">=")):
            yield side


def _diagnose_obvious_maximum(choice: t.Choose, gain: t.Gain) -> Diagnostic:
    """Return the warning E0580, for a choice of a number of which everybody takes the largest."""
    part, n = gain.options[0].parts[0], choice.name.word
    plain = len(gain.options) == len(gain.options[0].parts) == 1 and isinstance(part, t.Part) and choice.where is None
    most = "gain the most without asking"
    if plain and isinstance(part, t.Part) and isinstance(part.amount, t.Name) and choice.high is not None:
        most = f"write `gain {print_expression(choice.high)} {part.what.word}` without asking"
    return Diagnostic(
        "E0580",
        "there is nothing to decide here: everyone takes the largest number",
        choice.span,
        severity="warning",
        labels=(Label(gain.span, "a larger number is always better"),),
        help=f"{most}, or let a larger number cost more, as in `spend {n} ...` with the gain indented below it",
    )


# --- winners who are not those with the highest score --------------------------------------------


@checks.check_nodes(t.Game)
def find_unscored_winners(rules: CheckContext, game: t.Game) -> Iterator[Diagnostic]:
    """Yield a warning if `winners` ranks players by stored values, none of which is the most of the `score`."""
    typed = rules.typed
    if not isinstance(game.winners, t.Best) or not _is_about_player(typed, game.score):
        return
    keys, score_key = game.winners.keys, _anonymous_key(typed, game.score)
    win_keys = [(most, _anonymous_key(typed, key)) for most, key in keys]
    if all(_is_stored_value(typed, key) for _, key in keys) and ("most", score_key) not in win_keys:
        fewest = next((key for most, key in keys if most == "fewest" and _anonymous_key(typed, key) == score_key), None)
        yield Diagnostic(
            "E0560",
            "the winners are not the players with the highest score",
            (fewest or keys[0][1]).span,
            severity="warning",
            labels=(Label(game.score.span, "the score"),),
            help="use what decides the winner as the score"
            if fewest is None
            else "if the fewest win, write `score 0 - ...`, so that more is better",
        )


def _is_about_player(typed: TypedBook, score: t.Expr) -> bool:
    """Return True if a score depends on the player, unlike `score 0`."""
    return _is_stored_value(typed, score) and any(is_you(typed.resolved, node) for node in walk(score))


def _is_stored_value(typed: TypedBook, expr: t.Expr) -> bool:
    """Return True if an expression has no quantity, operator or restricted set in it."""
    return not any(
        isinstance(definition_of(typed.resolved, node), t.Quantity) or isinstance(node, t.Binary | t.OfMembers)
        for node in walk(expr)
    )


def _anonymous_key(typed: TypedBook, expr: t.Expr) -> ValueKey:
    """Return a key of an expression that is the same for `you` and for `it`."""
    return tuple(_anonymous_node_key(typed, node) for node in walk(expr))


def _anonymous_node_key(typed: TypedBook, node: t.Node) -> ValueKey:
    """Return a comparable key of one node, in which `you` and all local names are the same member."""
    is_local = isinstance(node, t.Name) and isinstance(typed.resolved.meaning.get(node), Local)
    if is_local or is_you(typed.resolved, node):
        return ("member",)
    return ConditionReader(typed).value_key(node) if isinstance(node, t.Name | t.Number) else (type(node).__name__,)
