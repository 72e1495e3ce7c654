"""Reads and writes at the wrong time.

Conditions read what is not decided yet, phases are asked for when they are never played, and values that last from
game to game are overwritten or cannot last.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from edict.compiler.checks.check_registry import CheckContext, Checks
from edict.compiler.checks.unused_declarations import collect_replaced_uses
from edict.compiler.semantics.ability_targets import target_name
from edict.compiler.semantics.call_graph import (
    collect_handlers,
    collect_node_classes,
    gather_facts,
    is_you,
    iter_abilities,
)
from edict.compiler.semantics.effects import collect_reads
from edict.compiler.semantics.symbols import (
    Local,
    Meaning,
    ResolvedBook,
    Symbol,
    definition_of,
    expand_steps,
    is_local_name,
    keep_of,
)
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.roles import AskingStep, OverwritingStep, Role, iter_role_values
from edict.compiler.syntax.traversal import walk
from edict.support.report import Diagnostic, Edit, Label
from edict.support.text import Span

RULES_FIRST = "rules are checked before the payment"
TOTALS_FIRST = "possible totals are worked out before the payment"
COMPARISONS = ("=", "!=", "<", "<=", ">", ">=")
COSTS_FIRST = "usable shifts are worked out before any choice"


checks = Checks()


@checks.check_nodes(t.Action)
def find_rules_on_payment(rules: CheckContext, action: t.Action) -> Iterator[Diagnostic]:
    """Find rules of an action that read its payment, which comes later."""
    if action.payment is not None:
        paid = {rules.resolved.binds[action.payment]}
        yield from _find_early_reads(rules.resolved, paid, (rule.require for rule in action.rules), RULES_FIRST)


def _get_action(resolved: ResolvedBook, name: t.Name) -> t.Action | None:
    """Return the action that a name refers to; None for other definitions."""
    definition = definition_of(resolved, name)
    return definition if isinstance(definition, t.Action) else None


@checks.check_nodes(t.Exception_)
def find_exceptions_on_payment(rules: CheckContext, exception: t.Exception_) -> Iterator[Diagnostic]:
    """Find exceptions to an action's rules that read its payment, which comes later."""
    action = _get_action(rules.resolved, exception.target)
    if action is not None and action.payment is not None:
        conditions = (expr for expr in (exception.condition, exception.require) if expr is not None)
        yield from _find_early_reads(rules.resolved, {rules.resolved.binds[action.payment]}, conditions, RULES_FIRST)


@checks.check_nodes(t.Shift)
def find_early_shifts(rules: CheckContext, shift: t.Shift) -> Iterator[Diagnostic]:
    """Find shifts that read what is chosen or paid later, or whose action has no payment by dice."""
    action = _get_action(rules.resolved, shift.action)
    if action is None:
        return
    if action.payment is None:
        yield Diagnostic(
            "E0517",
            f"`{action.name.word}` is not paid with dice, so there is no total to shift",
            shift.action.span,
            labels=(Label(action.name.span, "this action"),),
            help="name an action with a line `choose dice from ... making ...`",
        )
        return
    paid = {rules.resolved.binds[action.payment]}
    chosen = paid | {rules.resolved.binds[choice] for choice in action.params}
    yield from _find_early_reads(rules.resolved, paid, filter(None, [shift.condition]), TOTALS_FIRST)
    yield from _find_early_reads(rules.resolved, chosen, filter(None, [shift.spending]), COSTS_FIRST)


def _find_early_reads(
    resolved: ResolvedBook, unknown: set[Local], expressions: Iterable[t.Node], reason: str
) -> Iterator[Diagnostic]:
    """Yield an error for the first name in each expression whose local is in `unknown`; `reason` is the note."""
    for expr in expressions:
        names = [node for node in walk(expr) if isinstance(node, t.Name) and resolved.meaning.get(node) in unknown]
        for name in names[:1]:
            yield Diagnostic(
                "E0516",
                f"`{name.word}` is not yet known here",
                name.span,
                note=reason,
                help="use something that is known earlier",
            )


# --- `during` a phase that is never being played then --------------------------------------------


AWAITABLE = (t.Phase, t.Moment, t.Routine, t.Action)


@checks.check_rules
def find_impossible_during(rules: CheckContext) -> Iterator[Diagnostic]:
    """Find conditions `during` a phase in abilities for a moment that never comes in that phase."""
    resolved, replaced_uses = rules.resolved, collect_replaced_uses(rules.resolved.book)
    for ability in iter_abilities(resolved):
        target_definition = definition_of(resolved, target_name(ability))
        for node in walk(ability) if isinstance(target_definition, AWAITABLE) else ():
            phase = definition_of(resolved, node.phase) if isinstance(node, t.During) else None
            if phase is None or phase is target_definition or not isinstance(node, t.During):
                continue
            if replaced_uses & {phase.name.word, target_name(ability).word}:
                continue  # another module has replaced the rule that plays it
            reached = gather_facts(
                resolved, _collect_awaitable, phase, *collect_handlers(resolved).by_definition.get(phase, ())
            )
            if target_definition not in reached and _is_played(resolved, phase):
                yield Diagnostic(
                    "E0550",
                    f"`{node.phase.word}` is never in progress at that moment",
                    node.span,
                    severity="warning",
                    help="use a moment inside that phase, or delete the condition",
                )


def _is_played(resolved: ResolvedBook, phase: t.Definition) -> bool:
    """Return True if the game plays a phase; others are reported as unused."""
    games = [*resolved.book.select(t.Game)]
    return phase in gather_facts(resolved, _collect_awaitable, *games)


def _collect_awaitable(_: ResolvedBook, nodes: Iterable[t.Node]) -> frozenset[t.Definition]:
    """Return those of the nodes that are definitions of a class abilities may wait for, such as phases."""
    return frozenset(node for node in nodes if isinstance(node, AWAITABLE))


@checks.check_rules
def find_idle_adjustments(rules: CheckContext) -> Iterator[Diagnostic]:
    """Find adjustments `during` a phase in which the course of the game never computes their quantity."""
    resolved, replaced_uses = rules.resolved, collect_replaced_uses(rules.resolved.book)
    courses = [game.course for game in resolved.book.select(t.Game)]
    used = gather_facts(resolved, _collect_quantities, *(step for course in courses for step in course))
    for adjust in iter_abilities(resolved):
        quantity = definition_of(resolved, target_name(adjust))
        if not isinstance(adjust, t.Adjust) or adjust.condition is None or quantity not in used:
            continue
        for during in (node for node in walk(adjust.condition) if isinstance(node, t.During)):
            phase = definition_of(resolved, during.phase)
            if phase is None or phase.name.word in replaced_uses or not _is_played(resolved, phase):
                continue
            around = (phase, *collect_handlers(resolved).by_definition.get(phase, ()))
            if quantity not in gather_facts(resolved, _collect_quantities, *around):
                yield Diagnostic(
                    "E0550",
                    f"`{adjust.quantity.word}` is never used during `{during.phase.word}`, so this changes nothing",
                    during.span,
                    severity="warning",
                    help="name a phase in which it is used, or delete the condition",
                )


def _collect_quantities(_: ResolvedBook, nodes: Iterable[t.Node]) -> frozenset[t.Definition]:
    """Return those of the nodes that declare quantities."""
    return frozenset(node for node in nodes if isinstance(node, t.Quantity))


# --- values that change right after a moment -----------------------------------------------------


@checks.check_rules
def find_rules_before_changes(rules: CheckContext) -> Iterator[Diagnostic]:
    """Find abilities at the start of a phase about values that the first steps of the phase change.

    They set what the phase overwrites at once, or compare a counter that the phase is about to advance with a number.
    """
    resolved, replaced_uses = rules.resolved, collect_replaced_uses(rules.resolved.book)
    for ability in iter_abilities(resolved):
        phase = definition_of(resolved, target_name(ability))
        if getattr(ability, "edge", "") != "start" or not isinstance(phase, t.Phase):
            continue
        if phase.name.word not in replaced_uses:
            overwritten, advanced, first_phase = _collect_first_changes(resolved, phase)
            yield from _find_overwritten_writes(resolved, ability, overwritten)
            yield from _find_early_comparisons(resolved, ability, advanced, first_phase)


def _collect_first_changes(
    resolved: ResolvedBook, phase: t.Phase
) -> tuple[dict[t.Keep, t.Stmt], dict[t.Keep, t.Stmt], t.Phase | None]:
    """Return the changes that a phase begins with.

    Returns:
        The keeps that are overwritten before anything reads them and those that are counted up, each with the step,
        and the phase that is played next.
    """
    overwritten, advanced = dict[t.Keep, t.Stmt](), dict[t.Keep, t.Stmt]()
    read = set[Meaning]()
    for step in expand_steps(resolved, phase.block):
        (keep,) = {keep_of(resolved, place) for place in iter_role_values(step, Role.CHANGED)} or {None}
        if isinstance(step, t.Play):
            next_phase = definition_of(resolved, step.phase)
            return overwritten, advanced, next_phase if isinstance(next_phase, t.Phase) else None
        replaced = _get_overwritten_keep(resolved, step)
        read |= collect_reads(resolved, *(iter_role_values(step, Role.INTO) if replaced is not None else [step]))
        if replaced is not None and not replaced.params and not _contains_keep(read, replaced):
            overwritten[replaced] = step
        elif isinstance(step, t.Add) and isinstance(step.value, t.Number) and isinstance(step.place, t.Name) and keep:
            advanced[keep] = step
        elif not isinstance(step, t.Announce | t.Let):
            break
    return overwritten, advanced, None


def _find_overwritten_writes(
    resolved: ResolvedBook, ability: t.Ability, overwritten: Mapping[t.Keep, t.Stmt]
) -> Iterator[Diagnostic]:
    """Yield a warning for each step of an ability that sets a keep which the phase overwrites next."""
    places = {place for node in walk(ability) for place in iter_role_values(node, Role.CHANGED)}
    read = {keep_of(resolved, node) for node in walk(ability) if isinstance(node, t.Expr) and node not in places}
    for step in walk(ability):
        keep = _get_overwritten_keep(resolved, step) if isinstance(step, t.Stmt) else None
        if keep in overwritten and keep is not None and keep not in read:
            yield _diagnose_before_change(
                ability,
                step.span,
                f"`{keep.name.word}` is overwritten right after this",
                overwritten[keep],
                "end",
                None,
            )


def _find_early_comparisons(
    resolved: ResolvedBook, ability: t.Ability, advanced: Mapping[t.Keep, t.Stmt], first_phase: t.Phase | None
) -> Iterator[Diagnostic]:
    """Yield a warning for each comparison with a number of a keep which the phase counts up next.

    A comparison with the number that the keep starts with asks for the very first time, which is the same afterwards.
    """
    for node in walk(ability) if advanced else ():
        if not isinstance(node, t.Binary) or node.op not in COMPARISONS or not isinstance(node.right, t.Number):
            continue
        keep = keep_of(resolved, node.left) if isinstance(node.left, t.Name) else None
        start = keep.start.value if keep is not None and isinstance(keep.start, t.Number) else 0
        if keep in advanced and keep is not None and node.right.value != start:
            yield _diagnose_before_change(
                ability,
                node.span,
                f"`{keep.name.word}` is counted up right after this, so this compares the number from before",
                advanced[keep],
                "start",
                first_phase,
            )


def _diagnose_before_change(
    ability: t.Ability, span: Span, title: str, change: t.Stmt, edge: str, phase: t.Phase | None
) -> Diagnostic:
    """Return E0588, with an edit to another moment of the phase, or to the start of the next one."""
    name = target_name(ability)
    moment = name.span
    later = f"{edge} of {phase.name.word if phase is not None else name.word}"
    if phase is not None:
        edits = (Edit(moment, phase.name.word),)
    else:
        edits = (Edit(replace(moment, column=moment.column - len("start of ")), later),)
    return Diagnostic(
        "E0588",
        title,
        span,
        severity="warning",
        labels=(Label(change.span, "changed"),),
        help=f"write `when {later}`, which comes after that",
        edits=edits,
    )


# --- values that last from game to game ----------------------------------------------------------


@checks.check_rules
def find_lasting_faults(rules: CheckContext) -> Iterator[Diagnostic]:
    """Yield a diagnostic for each `lasting` keep that is secret, holds dice, or is overwritten by every game."""
    keeps = [definition for definition in rules.resolved.book.select(t.Keep) if definition.lasting]
    for keep in keeps:
        if keep.secret:
            yield _diagnose_not_lasting(keep, "a secret", "Everyone sees what is carried over between games.")
        elif keep.type.shape == "dice":
            yield _diagnose_not_lasting(keep, "rolled dice", "Values are carried over by name, and dice have no names.")
    if keeps:
        yield from _find_overwritten(rules.resolved)


def _diagnose_not_lasting(keep: t.Keep, subject: str, reason: str) -> Diagnostic:
    """Return E0545, for a `lasting keep` whose value cannot last from game to game."""
    remedy = "delete `lasting`, and at the end store what the next game needs in another `lasting keep`"
    return Diagnostic(
        "E0545", f"{subject} cannot be carried over to the next game", keep.name.span, note=reason, help=remedy
    )


def _find_overwritten(resolved: ResolvedBook) -> Iterator[Diagnostic]:
    """Find lasting keeps that are set before any question and before anything reads them."""
    read = set[Meaning]()
    game = next(resolved.book.select(t.Game))
    for step in _iter_unconditional_steps(resolved, game.course, frozenset()):
        if any(issubclass(kind, AskingStep) for kind in gather_facts(resolved, collect_node_classes, step)):
            return
        keep = _get_overwritten_keep(resolved, step)
        read |= collect_reads(resolved, *(iter_role_values(step, Role.INTO) if keep is not None else [step]))
        if keep is not None and keep.lasting and not _contains_keep(read, keep):
            yield Diagnostic(
                "E0546",
                f"`{keep.name.word}` is carried over, but every game begins by overwriting it",
                step.span,
                note="The value from the previous game is lost before anything reads it.",
                severity="warning",
                help="delete this step, and give the value for the first game after `starting at`",
            )


def _contains_keep(meanings: set[Meaning], keep: t.Keep) -> bool:
    """Return True if one of the meanings is this keep."""
    return any(isinstance(meaning, Symbol) and meaning.definition is keep for meaning in meanings)


def _get_overwritten_keep(resolved: ResolvedBook, step: t.Stmt) -> t.Keep | None:
    """Return the keep that a step overwrites for all its owners; None if there is none."""
    for place in iter_role_values(step, Role.CHANGED) if isinstance(step, OverwritingStep) else ():
        args = place.args if isinstance(place, t.Apply) else ()
        if all(is_you(resolved, arg) or is_local_name(resolved, arg) for arg in args):
            return keep_of(resolved, place)
    return None


def _iter_unconditional_steps(
    resolved: ResolvedBook, block: t.Block, entered: frozenset[t.Definition]
) -> Iterator[t.Stmt]:
    """Yield the steps that run in any case, in order; those of loops over all members once."""
    for step in block:
        callees = [definition_of(resolved, name) for name in iter_role_values(step, Role.RUNS)]
        if isinstance(step, t.Loop) and not any(iter_role_values(step, Role.DECIDES)):
            yield from _iter_unconditional_steps(resolved, step.block, entered)
        elif len(callees) == 1 and isinstance(callees[0], t.Phase | t.Routine) and callees[0] not in entered:
            yield from _iter_unconditional_steps(resolved, callees[0].block, entered | {callees[0]})
        else:
            yield step
