"""What is asked or kept at the wrong time: before it is settled, when it is never so, beyond the end of the game."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from edict.checks.check_registry import Checks, Rules
from edict.checks.never_used import once_used
from edict.language import tree as t
from edict.language.roles import Asks, Overwrites, Role, having
from edict.language.walking import walk
from edict.meaning.ability_targets import target
from edict.meaning.call_graph import abilities, calls, classes_in, gather_facts, is_you
from edict.meaning.effects import all_reads
from edict.meaning.symbols import Local, Meaning, Resolved, Symbol, definition_of, keep_of
from edict.report import Diagnostic, Label

RULES_FIRST = "rules are looked at before one pays"
TOTALS_FIRST = "what dice can make is worked out before one pays"
COSTS_FIRST = "what may be used is worked out before anything is chosen"


checks = Checks()


@checks.at(t.Action)
def rules_about_payment(rules: Rules, action: t.Action) -> Iterator[Diagnostic]:
    if action.payment is not None:
        paid = {rules.resolved.binds[action.payment]}
        yield from _speaking(rules.resolved, paid, (r.require for r in action.rules), RULES_FIRST)


def _action(resolved: Resolved, name: t.Name) -> t.Action | None:
    definition = definition_of(resolved, name)
    return definition if isinstance(definition, t.Action) else None


@checks.at(t.Exception_)
def exceptions_about_payment(rules: Rules, exception: t.Exception_) -> Iterator[Diagnostic]:
    action = _action(rules.resolved, exception.target)
    if action is not None and action.payment is not None:
        asked = (e for e in (exception.condition, exception.require) if e is not None)
        yield from _speaking(rules.resolved, {rules.resolved.binds[action.payment]}, asked, RULES_FIRST)


@checks.at(t.Shift)
def shifts_too_early(rules: Rules, shift: t.Shift) -> Iterator[Diagnostic]:
    action = _action(rules.resolved, shift.action)
    if action is None:
        return
    if action.payment is None:
        yield Diagnostic(
            "E0517", f"`{action.name.word}` is not paid with dice, so there is no total to shift", shift.action.span,
            labels=(Label(action.name.span, "this action"),),
            help="name an action with a line `choose dice from ... making ...`",
        )  # fmt: skip
        return
    paid = {rules.resolved.binds[action.payment]}
    chosen = paid | {rules.resolved.binds[choice] for choice in action.params}
    yield from _speaking(rules.resolved, paid, filter(None, [shift.condition]), TOTALS_FIRST)
    yield from _speaking(rules.resolved, chosen, filter(None, [shift.spending]), COSTS_FIRST)


def _speaking(resolved: Resolved, of: set[Local], asked: Iterable[t.Node], why: str) -> Iterator[Diagnostic]:
    """The first word for something that is not yet known, in each of these."""
    for expr in asked:
        names = [n for n in walk(expr) if isinstance(n, t.Name) and resolved.meaning.get(n) in of]
        for name in names[:1]:
            yield Diagnostic(
                "E0516", f"`{name.word}` is not yet known here", name.span, note=why,
                help="ask about something that is settled before",
            )  # fmt: skip


# --- `during` a phase that is never being played then --------------------------------------------


WAITED = (t.Phase, t.Moment, t.Routine, t.Action)


@checks.of_all
def elsewhen(rules: Rules) -> Iterator[Diagnostic]:
    """Of what abilities ask: they speak at a certain moment, and that comes only in what plays it."""
    resolved, before = rules.resolved, once_used(rules.resolved.book)
    for ability in abilities(resolved):
        about = definition_of(resolved, target(ability))
        for node in walk(ability) if isinstance(about, WAITED) else ():
            phase = definition_of(resolved, node.phase) if isinstance(node, t.During) else None
            if phase is None or phase is about or not isinstance(node, t.During):
                continue
            if before & {phase.name.word, target(ability).word}:
                continue  # another module has laid something over what plays it
            inside = gather_facts(resolved, _awaited_in, phase, *calls(resolved).held.get(phase, ()))
            if about not in inside and _played(resolved, phase):
                yield Diagnostic(
                    "E0550", f"`{node.phase.word}` is never being played at that moment", node.span,
                    severity="warning", help="wait for a moment that comes in it, or leave the condition out",
                )  # fmt: skip


def _played(resolved: Resolved, phase: t.Definition) -> bool:
    """What nobody plays at all is told as such."""
    games = [one for one in resolved.book.definitions.values() if isinstance(one, t.Game)]
    return phase in gather_facts(resolved, _awaited_in, *games)


def _awaited_in(_: Resolved, nodes: Iterable[t.Node]) -> frozenset[t.Definition]:
    """Answer which definitions there are that abilities may wait for."""
    return frozenset(node for node in nodes if isinstance(node, WAITED))


# --- what lasts from game to game ----------------------------------------------------------------


@checks.of_all
def lasting(rules: Rules) -> Iterator[Diagnostic]:
    keeps = [one for one in rules.resolved.book.definitions.values() if isinstance(one, t.Keep) and one.lasting]
    for keep in keeps:
        if keep.secret:
            yield _cannot(keep, "a secret", "Between two games everybody sees what is carried over.")
        elif keep.type.shape == "dice":
            yield _cannot(keep, "rolled dice", "What is carried over is stored by name, and dice have none.")
    if keeps:
        yield from _written_over(rules.resolved)


def _cannot(keep: t.Keep, what: str, why: str) -> Diagnostic:
    remedy = "leave `lasting` out, and at the end store what the next game needs in another keep that lasts"
    return Diagnostic("E0545", f"{what} cannot last from game to game", keep.name.span, note=why, help=remedy)


def _written_over(resolved: Resolved) -> Iterator[Diagnostic]:
    """Lasting keeps that are set before anybody is asked anything and before anything reads them."""
    read = set[Meaning]()
    game = next(one for one in resolved.book.definitions.values() if isinstance(one, t.Game))
    for step in _always(resolved, game.course, frozenset()):
        if any(issubclass(kind, Asks) for kind in gather_facts(resolved, classes_in, step)):
            return
        keep = _overwritten(resolved, step)
        read |= all_reads(resolved, *(having(step, Role.INTO) if keep is not None else [step]))
        if keep is not None and keep.lasting and not _among(read, keep):
            yield Diagnostic(
                "E0546", f"`{keep.name.word}` is carried over, and every game begins by overwriting it", step.span,
                note="What the previous game left there is lost before anything reads it.", severity="warning",
                help="delete this step, and write what the first game starts with after `starting at`",
            )  # fmt: skip


def _among(meanings: set[Meaning], keep: t.Keep) -> bool:
    return any(isinstance(one, Symbol) and one.definition is keep for one in meanings)


def _overwritten(resolved: Resolved, step: t.Stmt) -> t.Keep | None:
    """The keep that a step overwrites, of whoever or whatever it is kept for."""
    for place in having(step, Role.CHANGED) if isinstance(step, Overwrites) else ():
        args = place.args if isinstance(place, t.Apply) else ()
        if all(is_you(resolved, one) or _is_local(resolved, one) for one in args):
            return keep_of(resolved, place)
    return None


def _is_local(resolved: Resolved, expr: t.Expr) -> bool:
    return isinstance(expr, t.Name) and isinstance(resolved.meaning.get(expr), Local)


def _always(resolved: Resolved, block: t.Block, inside: frozenset[t.Definition]) -> Iterator[t.Stmt]:
    """The steps that are carried out in any case, in order; those of loops over all there are, once."""
    for step in block:
        called = [definition_of(resolved, name) for name in having(step, Role.RUNS)]
        if isinstance(step, t.Loop) and not any(having(step, Role.DECIDES)):
            yield from _always(resolved, step.block, inside)
        elif len(called) == 1 and isinstance(called[0], t.Phase | t.Routine) and called[0] not in inside:
            yield from _always(resolved, called[0].block, inside | {called[0]})
        else:
            yield step
