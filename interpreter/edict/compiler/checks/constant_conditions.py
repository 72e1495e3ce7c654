"""Conditions that are constant or ambiguous.

They always or never hold, no pass through a loop changes them, they are the same for each member, or they can be read
in two ways.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache, reduce
from itertools import chain, pairwise
from operator import is_
from typing import Any

from edict.compiler.checks.check_registry import CheckContext, Checks, has_blocks, has_role, is_declinable, iter_blocks
from edict.compiler.semantics.call_graph import is_you
from edict.compiler.semantics.effects import collect_reads, compute_own_effects, may_end_or_change
from edict.compiler.semantics.possible_values import Claim, ConditionReader, evaluate_abstractly
from edict.compiler.semantics.precedence import list_exceptions
from edict.compiler.semantics.symbols import NUMBER, TRUTH, ResolvedBook, definition_of, iter_leave_steps
from edict.compiler.semantics.types import TypedBook
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import list_inflected_forms
from edict.compiler.syntax.printing.expression_printer import NOT, print_expression
from edict.compiler.syntax.roles import (
    OverwritingStep,
    Requires,
    Role,
    carries_role,
    field_roles,
    get_field_note,
    iter_role_values,
)
from edict.compiler.syntax.traversal import iter_fields, node_fields, walk
from edict.runtime.program import ValueType
from edict.support.morphology import quote_words
from edict.support.report import Diagnostic, Edit, Label, readings_of_edits

ALWAYS_TRUE = "this condition is always true"
_SET_BY_STEP = "to"


checks = Checks()


def _record_assigned_facts(rules: CheckContext, node: t.Node) -> None:
    """Record in `known_claims` `place = constant` for a condition right behind the step that assigns it."""
    for block in iter_blocks(node):
        for step, following in pairwise(block):
            places, values = [*iter_role_values(step, Role.CHANGED)], [*iter_role_values(step, Role.INTO)]
            if isinstance(step, OverwritingStep) and len(places) == len(values) == 1:
                if carries_role(type(following), Role.DECIDES) and _is_constant_assignment(
                    rules.typed, places[0], values[0]
                ):
                    equation = t.Binary(places[0].span, "=", places[0], values[0], said=_SET_BY_STEP)
                    rules.known_claims[following] = [(equation, True)]


def _is_branching(kind: type) -> bool:
    """Return True for classes of nodes with a condition and an `else`."""
    return carries_role(kind, Role.DECIDES) and carries_role(kind, Role.INSTEAD)


def _record_branch_facts(rules: CheckContext, branching: t.Node) -> None:
    """Record in `known_claims` an `if`'s condition, or its negation, for an `if` that begins one of its branches."""
    condition, claims = next(iter_role_values(branching, Role.DECIDES)), rules.known_claims.get(branching, ())
    for block, holds in (
        (getattr(branching, "then", ()), True),
        (tuple(iter_role_values(branching, Role.INSTEAD)), False),
    ):
        if block and type(block[0]) is type(branching):
            rules.known_claims[block[0]] = [*claims, (condition, holds)]


@cache
def _condition_fields(kind: type) -> tuple[str, ...]:
    """Return the names of the fields of a node class that take a truth or a condition on each member."""
    taken_types = ((field, get_field_note(kind, field, Requires)) for field in node_fields(kind))
    return tuple(
        field
        for field, takes in taken_types
        if Role.PER_MEMBER in field_roles(kind, field) or (takes is not None and takes.shape == "truth")
    )


def _is_checked(kind: type) -> bool:
    """Return True for classes of nodes that have steps, branches or conditions to check."""
    return has_blocks(kind) or _is_branching(kind) or bool(_condition_fields(kind))


@checks.check_nodes(_is_checked)
def find_constant_conditions(rules: CheckContext, node: t.Node) -> Iterator[Diagnostic]:
    """Find conditions that declarations, and the steps and conditions before them, make certain."""
    if has_blocks(type(node)):
        _record_assigned_facts(rules, node)
    if _is_branching(type(node)):
        _record_branch_facts(rules, node)
    for condition in _iter_conditions(rules.typed, node):
        yield from _find_certain(rules.reader, node, condition, rules.known_claims.get(node, ()))


def _is_constant_assignment(typed: TypedBook, place: t.Expr, value: t.Expr) -> bool:
    """Return True if a place holds a single value and a constant is put there."""
    is_constant_name = isinstance(value, t.Name) and typed.resolved.meaning_of(value).sort in ("thing", "builtin")
    return typed.type_of(place).shape in ("number", "truth", "thing") and (
        is_constant_name or isinstance(value, t.Number)
    )


@checks.check_nodes(t.Action)
def find_contradictory_rules(rules: CheckContext, action: t.Action) -> Iterator[Diagnostic]:
    """Find rules of an action that together refuse every choice, and have no exceptions."""
    exceptions, reader = list_exceptions(rules.resolved, action), rules.reader
    excepted = {exception.rule.word for exception in exceptions if exception.rule is not None}
    rules_without_exception = [rule for rule in action.rules if rule.name.word not in excepted]
    claims = [
        (rule.require, True) for rule in rules_without_exception if not reader.are_contradictory([(rule.require, True)])
    ]
    for i, (require, _) in enumerate(claims):
        if reader.are_contradictory(claims[: i + 1]):
            yield Diagnostic(
                "E0550",
                f"no choice can satisfy both this rule of `{action.name.word}` and the rules before it",
                require.span,
                severity="warning",
                labels=(Label(claims[i - 1][0].span, "the rule before it"),),
                help="delete one of these rules, or make an exception to it",
            )
            return


def _iter_conditions(typed: TypedBook, node: t.Node) -> Iterator[t.Expr]:
    """Yield a node's own conditions, except deliberate constants such as `require yes` or `repeat until no`."""
    kind: type = type(node)
    for field in _condition_fields(kind):
        condition = getattr(node, field)
        if isinstance(condition, t.Name) and (field != "condition" or _is_literal_yes(node, condition)):
            continue  # `require yes`, `repeat until no`: deliberately constant
        if isinstance(condition, t.Expr) and typed.type_of(condition) == TRUTH:
            yield condition


def _is_literal_yes(node: t.Node, condition: t.Name) -> bool:
    """Return True for the condition of `adjust limit by 1 if yes`."""
    return isinstance(node, t.Ability) and condition.word == "yes"


def _find_certain(
    reader: ConditionReader, node: t.Node, condition: t.Expr, known: Sequence[Claim]
) -> Iterator[Diagnostic]:
    """Yield a warning if a condition, or else an operand of it, always or never holds, given the `known` claims."""
    for holds in (False, True):
        claim = (condition, not holds)
        if reader.are_contradictory([claim]):
            yield _diagnose_certain(node, condition, holds, None)
        elif (
            known
            and _is_noteworthy(node, holds)
            and reader.are_contradictory([*known, claim])
            and not reader.are_contradictory(known)
        ):
            yield _diagnose_certain(node, condition, holds, _cause(reader, known, claim))
        else:
            continue
        return
    if isinstance(condition, t.Binary) and condition.op in ("and", "or"):
        yield from _find_certain(reader, node, condition.left, known)
        yield from _find_certain(reader, node, condition.right, known)


def _cause(reader: ConditionReader, known: Sequence[Claim], claim: Claim) -> t.Expr:
    """Return the last known claim without which the rest would not contradict the new one; else the last of all."""
    needed = (
        candidate
        for candidate in reversed(known)
        if not reader.are_contradictory([*(claim_ for claim_ in known if claim_ is not candidate), claim])
    )
    return next(needed, known[-1])[0]


def _is_noteworthy(node: t.Node, holds: bool) -> bool:
    """Return False for a loop whose end has not come yet when it starts."""
    return holds or not isinstance(node, t.Loop)


def _diagnose_certain(node: t.Node, condition: t.Expr, holds: bool, cause: t.Expr | None) -> Diagnostic:
    """Return E0515 or E0550, for a condition that always or never holds; `cause` is the claim that makes it so."""
    if isinstance(node, t.Ability) and not holds:
        code, title = "E0515", "this never applies: its condition is never true"
    else:
        code, title = "E0550", ALWAYS_TRUE if holds else "this condition is never true"
    if isinstance(cause, t.Binary) and cause.said == _SET_BY_STEP:
        cause_kind = "step"
    else:
        cause_kind = "condition"
    labels = (Label(cause.span, f"because of this {cause_kind}"),) if cause is not None else ()
    return Diagnostic(
        code,
        title + (" here" if cause is not None else ""),
        condition.span,
        severity="warning",
        labels=labels,
        help="delete the condition, or compare with something that can change"
        if holds
        else "compare with a possible value, or delete it",
    )


# --- `and` beside `or` ---------------------------------------------------------------------------


@checks.check_nodes(t.Binary)
def find_mixed_operators(rules: CheckContext, node: t.Binary) -> Iterator[Diagnostic]:
    """Find `and` beside `or` without parentheses; the fix adds those that change nothing."""
    if node.op == "or":
        if _is_unwrapped(node.left, "or"):
            rules.covered_nodes.add(node.left)
        arms = _split_operands(node, "or") if node not in rules.covered_nodes else []
        if any(_is_unwrapped(arm, "and") for arm in arms):
            yield _diagnose_mixed_operators(node, arms)


@checks.check_nodes(t.Quantified)
def find_conditions_after_none(rules: CheckContext, node: t.Quantified) -> Iterator[Diagnostic]:
    """Find `no ... has A and B` where `B` is not about the members, so that `(no ... has A) and B` may be meant."""
    condition, local = node.condition, rules.resolved.binds[node]
    if node.op != "no" or node.wrapped or not isinstance(condition, t.Binary) or condition.wrapped:
        return
    names = (name for name in walk(condition.right) if isinstance(name, t.Name))
    if condition.op not in ("and", "or") or any(rules.resolved.meaning.get(name) is local for name in names):
        return
    actual_reading = replace(node, condition=replace(condition, wrapped=True))
    first = replace(node, condition=condition.left, wrapped=True)
    other_reading = replace(condition, left=first)
    yield Diagnostic(
        "E0577",
        f"`{condition.op}` after `has` is read as a part of the condition on each member",
        condition.right.span,
        severity="warning",
        note="A condition after `has` reaches to the end of the line.",
        help=f"write `{print_expression(other_reading)}`, or `{print_expression(actual_reading)}` if that is what you "
        "mean",
    )


def _is_unwrapped(expr: t.Expr, op: str) -> bool:
    """Return True for an operation with this operator and without parentheses around it."""
    return isinstance(expr, t.Binary) and expr.op == op and not expr.wrapped


def _split_operands(expr: t.Expr, op: str) -> list[t.Expr]:
    """Return the operands that `and` or `or` joins; parentheses around the whole are ignored."""
    if not isinstance(expr, t.Binary) or expr.op != op:
        return [expr]
    return [
        operand
        for side in (expr.left, expr.right)
        for operand in (_split_operands(side, op) if _is_unwrapped(side, op) else [side])
    ]


def _diagnose_mixed_operators(node: t.Binary, arms: Sequence[t.Expr]) -> Diagnostic:
    """Return E0577 for `a and b or c`, with a fix that adds the parentheses it is read with."""
    conjunctions = [arm for arm in arms if _is_unwrapped(arm, "and")]
    actual_reading = _join_operands("or", [replace(arm, wrapped=True) if arm in conjunctions else arm for arm in arms])
    groups: list[list[t.Expr]] = [[]]  # the reading in which `or` binds tighter
    for arm in arms:
        first, *others = _split_operands(arm, "and") if arm in conjunctions else [arm]
        groups[-1].append(first)
        groups += [[operand] for operand in others]
    disjunctions = [
        group[0] if len(group) == 1 else replace(_join_operands("or", group), wrapped=True) for group in groups
    ]
    other_reading = _join_operands("and", disjunctions)
    ends = [(arm.span, replace(arm.span, line=arm.span.end_line, column=arm.span.end_column)) for arm in conjunctions]
    starts = [
        (replace(beginning, end_line=beginning.line, end_column=beginning.column), end) for beginning, end in ends
    ]
    return Diagnostic(
        "E0577",
        "`and` and `or` are mixed without parentheses",
        node.span,
        severity="warning",
        note=f"`and` binds more tightly than `or`, so this is read as `{print_expression(actual_reading)}`.",
        help=f"add these parentheses, which change nothing; or write `{print_expression(other_reading)}` if that "
        "is what you mean",
        edits=tuple(edit for start, end in starts for edit in (Edit(start, "("), Edit(end, ")"))),
        exact=True,
        readings=readings_of_edits(
            [Edit(node.span, print_expression(other_reading))],
            f"it means `{print_expression(actual_reading)}`",
            f"it means `{print_expression(other_reading)}`",
        ),
    )


def _join_operands(op: str, arms: Sequence[t.Expr]) -> t.Expr:
    """Return operands joined by a binary operator from left to right: `(a or b) or c`."""
    return reduce(lambda left, right: t.Binary(left.span.extend_to(right.span), op, left, right), arms)


# --- operands for each member, and adjustments for each resource ---------------------------------


@checks.check_nodes(has_role(Role.PER_MEMBER))
def find_constant_member_conditions(rules: CheckContext, node: t.Node) -> Iterator[Diagnostic]:
    """Yield a warning for a condition or rank in a `where`, `best` or the like that does not mention `it`."""
    meaning, binds, member_locals = rules.resolved.meaning, rules.resolved.binds, rules.resolved.member_locals
    all_asked = [operand for operand in iter_role_values(node, Role.PER_MEMBER) if isinstance(operand, t.Expr)]
    for operand_ in all_asked:
        # if the step binds a name of its own, `it` is recorded at the first operand
        local = next((member_locals[operand] for operand in all_asked if operand in member_locals), binds.get(node))
        names = [name for name in walk(operand_) if isinstance(name, t.Name)]
        if any(meaning.get(name) is local for name in names):
            continue
        if (consequence := _describe_consequence(node, rules.typed.type_of(operand_))) is not None:
            yield Diagnostic(
                "E0557",
                f"this is the same for each of them, so {consequence}",
                operand_.span,
                severity="warning",
                help="use `it`, which stands for each of them in turn",
            )
            continue
        you = next((name for name in names if is_you(rules.resolved, name) and name not in rules.ownerless_nodes), None)
        if you is not None and local is not None:
            yield Diagnostic(
                "E0557",
                "this asks about `you`, so it is the same for each of them",
                operand_.span,
                severity="warning",
                help="write `it` for the member being tested, or move this into an `if` above",
                edits=(Edit(you.span, "it"),),
                alternatives=(("ask about `it`, the member being tested, or move this into an `if` above", ()),),
                readings=readings_of_edits([Edit(you.span, "it")], "`you` is meant", "`it` is meant"),
            )


def _describe_consequence(node: t.Node, operand_type: ValueType) -> str | None:
    """Return the consequence, in words, of one value for all members; None if it may be deliberate, as in a sum."""
    if operand_type.shape == "set":
        return "all of them lead to the same places"
    adds_up = isinstance(node, t.Over | t.LongestPath | t.LongestTrail)
    return "it does not order them" if operand_type == NUMBER and not adds_up else None


@checks.check_nodes(t.Adjust)
def find_adjustments_per_resource(rules: CheckContext, adjust: t.Adjust) -> Iterator[Diagnostic]:
    """Find adjustments that count once for each resource of a group.

    `adjust price by -1`, where a price is an amount of each good, is 1 less of each, and so more in total.
    """
    quantity = definition_of(rules.resolved, adjust.quantity)
    for param in quantity.params if isinstance(quantity, t.Quantity) else ():
        group = definition_of(rules.resolved, param.kind)
        if isinstance(quantity, t.Quantity) and isinstance(group, t.Group) and len(group.members) > 1:
            if _list_amount_reads(rules.resolved, quantity, param) and not _is_about_one_resource(
                rules.typed, quantity, param, adjust
            ):
                yield _diagnose_per_resource(adjust, param, group)


def _list_amount_reads(resolved: ResolvedBook, quantity: t.Quantity, param: t.Param) -> list[t.Apply]:
    """Return the expressions in a quantity's value that ask a field for the amount of the resource `param`."""
    fields = (node for node in walk(quantity.value) if isinstance(node, t.Apply) and len(node.args) == 2)
    return [
        node
        for node in fields
        if resolved.meaning[node.head].sort == "field" and _refers_to_param(resolved, node.args[1], param)
    ]


def _is_about_one_resource(typed: TypedBook, quantity: t.Quantity, param: t.Param, adjust: t.Adjust) -> bool:
    """Return True if an adjustment of a price per resource cannot hit several resources of one price by mistake."""
    if adjust.times is not None or adjust.divided is not None:
        return True  # half of a price is half of each
    operands = [operand for operand in (adjust.number, adjust.condition) if operand is not None]
    if any(_refers_to_param(typed.resolved, node, param) for operand in operands for node in walk(operand)):
        return True
    compared = [node for node in walk(adjust.condition) if isinstance(node, t.Binary) and node.op in ("=", "in")]
    others = [operand for operand in quantity.params if operand is not param]
    subjects = [
        node.right
        for node in compared
        if any(_refers_to_param(typed.resolved, node.left, operand) for operand in others)
    ]
    costs_one = bool(subjects) and not all(_costs_several(typed.resolved, quantity, param, thing) for thing in subjects)
    change = evaluate_abstractly(typed, adjust.number)
    return change.constant == 0 or (costs_one and change.high <= 0)


def _costs_several(resolved: ResolvedBook, quantity: t.Quantity, param: t.Param, name: t.Expr) -> bool:
    """Return True if a name is a thing with several resources in a field whose amounts the quantity reads."""
    thing = definition_of(resolved, name) if isinstance(name, t.Name) else None
    amounts = {node.head.word for node in _list_amount_reads(resolved, quantity, param)}
    if isinstance(thing, t.Thing):
        bundles = [field_.amounts for field_ in thing.fields if field_.name.word in amounts]
    else:
        bundles = []
    return any(bundle is not None and len(bundle.parts) > 1 for bundle in bundles)


def _refers_to_param(resolved: ResolvedBook, node: t.Node, param: t.Param) -> bool:
    """Return True if a node is a name for this parameter."""
    return isinstance(node, t.Name) and resolved.meaning.get(node) is resolved.binds[param]


def _diagnose_per_resource(adjust: t.Adjust, param: t.Param, group: t.Group) -> Diagnostic:
    """Return E0574, for an adjustment that applies once for each resource of a group."""
    name, member_words = param.name.word, [single.word for single in group.members]
    if adjust.condition is not None:
        condition = f" and {print_expression(adjust.condition, NOT)}"
    else:
        condition = ""
    single, every = (
        f"{name} is {member_words[0]}{condition}",
        f"{name} is in {list_inflected_forms(group.name.word)[-1]}{condition}",
    )
    return Diagnostic(
        "E0574",
        f"this applies to each `{name}`: {quote_words(member_words, 'and')}",
        adjust.quantity.span,
        severity="warning",
        labels=(Label(param.span, f"each has its own `{adjust.quantity.word}`"),),
        help=f"for one of them, write `if {single}` or name another; for each of them, write `if {every}`",
    )


# --- loops ----------------------------------------------------------------------------------------


@checks.check_nodes(t.Loop)
def find_endless_loops(rules: CheckContext, loop: t.Loop) -> Iterator[Diagnostic]:
    """Find loops that certainly never end, or only if players stop to decline.

    No step in such a loop changes what its condition reads, leaves it or ends the game; or none that players could not
    decline each time.
    """
    for until in iter_role_values(loop, Role.AWAITED):
        yield from _find_endless(rules.resolved, until, loop.block)


@checks.check_nodes(t.Definition)
def find_stray_leaves(rules: CheckContext, owner: t.Definition) -> Iterator[Diagnostic]:
    """Find `leave loop` outside of any loop."""
    has_leaves = any(type(node) is t.Leave for node in walk(owner))
    for leave in iter_leave_steps(owner) if has_leaves else ():
        yield Diagnostic(
            "E0198",
            "there is no loop to leave here",
            leave.span,
            note="`leave loop` ends the `each` or `repeat` around it.",
            help="move it into a loop; to skip the rest of a block, put that under an `if`",
        )


def _find_endless(resolved: ResolvedBook, until: t.Expr, block: t.Block) -> Iterator[Diagnostic]:
    """Yield E0511 if a block never changes what `until` reads, or E0559 if it does not when all offers are declined."""
    if _never_changes(resolved, until, block):
        yield Diagnostic(
            "E0511",
            "nothing in this loop can end it",
            until.span,
            labels=(Label(block[0].span, "the loop begins"),),
            help="inside the loop, change a value that `until` tests, or use `repeat ... times`",
        )
        return
    offer = next((node for node in walk(block) if is_declinable(type(node))), None)
    if offer is not None and _never_changes(resolved, until, _remove_accepted_offers(block)):
        yield Diagnostic(
            "E0559",
            "a player who always declines keeps this loop going forever",
            until.span,
            severity="warning",
            labels=(Label(offer.span, "this offer can be declined"),),
            help="add an `else` to the offer, with `leave loop` under it or a step that brings the end closer",
        )


def _remove_accepted_offers(value: Any) -> Any:
    """Return rules with every offer declined; parts without an offer are the same objects."""
    if isinstance(value, tuple):
        blocks_ = (
            _remove_accepted_offers(tuple(iter_role_values(part, Role.INSTEAD)))
            if is_declinable(type(part))
            else (_remove_accepted_offers(part),)
            for part in value
        )
        steps = tuple(chain.from_iterable(blocks_))
        if len(steps) == len(value) and all(map(is_, steps, value)):
            return value
        return steps
    if not isinstance(value, t.Node):
        return value
    fields_ = {name: _remove_accepted_offers(part) for name, part in iter_fields(value)}
    changed = {name: part for name, part in fields_.items() if part is not getattr(value, name)}
    return replace(value, **changed) if changed else value


def _never_changes(resolved: ResolvedBook, until: t.Expr, block: t.Block) -> bool:
    """Return True if a block has no `leave loop`, never ends the game and changes nothing that `until` reads."""
    if any(leave for step in block for leave in iter_leave_steps(step)):
        return False
    reads = collect_reads(resolved, until)
    own = compute_own_effects(resolved, *block)  # mostly suffice
    return not (own.ends or reads & own.changes or may_end_or_change(resolved, reads, block))
