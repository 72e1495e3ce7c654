"""Secrets that others get to know.

They are announced, seen before all have answered at once, or lie in a pile whose order everybody sees.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache

from edict.compiler.checks.check_registry import CheckContext, Checks, has_role, is_declinable
from edict.compiler.semantics.call_graph import gather_facts, is_you
from edict.compiler.semantics.flows import collect_flows
from edict.compiler.semantics.secret_sources import (
    collect_reads,
    is_secret_choice,
    iter_without_public_counts,
    node_reads,
    propagate_secrets,
    secrets_behind,
)
from edict.compiler.semantics.symbols import (
    PLAYERS,
    Local,
    Meaning,
    ResolvedBook,
    Symbol,
    collect_bound,
    definition_of,
    iter_leave_steps,
    keep_of,
    meaning_of_place,
    split_parts,
    walk_expanded,
)
from edict.compiler.semantics.types import TypedBook
from edict.compiler.semantics.whose_turn import gives_turns
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.roles import AskingStep, HiddenStep, OverwritingStep, RandomStep, Role, iter_role_values
from edict.compiler.syntax.traversal import walk
from edict.support.report import Diagnostic, Edit, Label
from edict.support.text import Span

checks = Checks()


@checks.check_rules
def find_announced_secrets(rules: CheckContext) -> Iterator[Diagnostic]:
    """Find announcements of secrets that were not revealed before.

    Panels show each player what they may see; announcements are read by everyone.
    """
    resolved = rules.resolved
    announced = [
        (owner, expr)
        for owner, node in rules.nodes_of(has_role(Role.ANNOUNCED))
        for expr in iter_role_values(node, Role.ANNOUNCED)
        if isinstance(expr, t.Expr)
    ]
    if not announced:
        return
    revealed_by = cache(lambda owner: _collect_revealed_meanings(resolved, owner))
    secrets_by_local = propagate_secrets(resolved, revealed_by)
    for owner, expr in announced:
        in_totals = {*_iter_parts_of_totals(resolved, expr)}
        for node_ in iter_without_public_counts(resolved, (part for part in walk(expr) if part not in in_totals)):
            if isinstance(node_, t.Name):
                meanings = collect_reads(resolved, node_)
            else:
                meanings = frozenset(node_reads(resolved, node_))
            secrets = secrets_behind(meanings, secrets_by_local)
            secrets = secrets - revealed_by(owner) if secrets else secrets  # revelations are slow to find
            if secrets:
                yield _diagnose_announced_secret(
                    resolved, expr, _first_name(node_), min(secrets, key=lambda node_: node_.name)
                )


def _iter_parts_of_totals(resolved: ResolvedBook, expr: t.Expr) -> Iterator[t.Node]:
    """Yield what an announced sum or count over several players asks of each; it does not tell who has what."""
    for node in walk(expr):
        if isinstance(node, t.Unary) and node.op == "count":
            total: t.Expr = node.arg
        elif isinstance(node, t.Over) and node.op == "sum":
            total = node
        else:
            continue
        if any(resolved.types.get(members) == PLAYERS for members in iter_role_values(total, Role.MEMBERS)):
            yield from walk(tuple(iter_role_values(total, Role.PER_MEMBER)))


def _first_name(node: t.Node) -> t.Name:
    """Return the first name in a node, in the order they are written."""
    return next(part for part in walk(node) if isinstance(part, t.Name))


@checks.check_nodes(t.Group)
def find_open_counted_resources(rules: CheckContext, group: t.Group) -> Iterator[Diagnostic]:
    """Find `but counted` groups with resources that are not secret, whose sum everybody sees anyway."""
    if group.counted:
        members = [definition_of(rules.resolved, name) for name in group.members]
    else:
        members = []
    for name, member in zip(group.members, members, strict=False):
        if isinstance(member, t.Resource) and not member.secret:
            yield Diagnostic(
                "E0558",
                f"`{name.word}` is not secret, so everyone sees the amount",
                name.span,
                labels=(Label(member.span, "declared without `secret`"),),
                help="delete `but counted`, or declare the resource `, secret`",
            )


@checks.check_nodes(t.Keep)
def find_uncountable_secrets(rules: CheckContext, keep: t.Keep) -> Iterator[Diagnostic]:
    """Yield an error for `but counted` on a keep that is neither a set nor a bag."""
    if keep.counted and keep.type.shape not in ("set", "bag"):
        yield Diagnostic(
            "E0558",
            f"`{keep.name.word}` holds a single value, so there is nothing to count"
            if keep.type.shape not in ("order", "dice")
            else f"`{keep.name.word}` cannot be counted",
            keep.type.span,
            help="write `secret` alone, or keep a set or a bag",
        )


def _collect_revealed_meanings(resolved: ResolvedBook, owner: t.Definition) -> frozenset[Meaning]:
    """Return the meanings that a definition or its callees reveal, plus its secret draws if it reveals anything."""
    revealed = gather_facts(resolved, _find_revealed_in, owner)
    if revealed:
        revealed |= {
            resolved.binds[node] for node in walk_expanded(resolved, owner) if is_secret_choice(resolved, node)
        }
    return revealed


def _find_revealed_in(resolved: ResolvedBook, nodes: Iterable[t.Node]) -> frozenset[Meaning]:
    """Return the places that steps `show ... to everyone` reveal."""
    revelations = (node for node in nodes if isinstance(node, t.Show) and isinstance(node.to, t.Name))
    places = (
        meaning_of_place(resolved, node.place) for node in revelations if getattr(node.to, "word", "") == "everyone"
    )
    return frozenset(place for place in places if place is not None)


def _diagnose_announced_secret(resolved: ResolvedBook, expr: t.Expr, name: t.Name, secret: Meaning) -> Diagnostic:
    """Return E0512, for an announcement of `name`, which is, or is made of, a secret."""
    definition = None if isinstance(secret, Local) else secret.definition
    if isinstance(secret, Local):
        span = secret.span
    elif definition:
        span = definition.span
    else:
        span = name.span
    made_of = "" if secret.name == name.word else f", computed from `{secret.name}`,"
    remedy = _suggest_partial_revelation(resolved, expr, secret)
    return Diagnostic(
        "E0512",
        f"`{name.word}`{made_of} is secret, but everyone reads an announcement",
        name.span,
        severity="warning",
        labels=(Label(span, "declared secret"),),
        help=f"{remedy}remove `{name.word}` from the announcement",
    )


def _suggest_partial_revelation(resolved: ResolvedBook, expr: t.Expr, secret: Meaning) -> str:
    """Return how to reveal what is announced and no more of the secret; empty if there is no such way."""
    keep = None if isinstance(secret, Local) else secret.definition
    shape = keep.type.shape if isinstance(keep, t.Keep) else ""
    counts = (node for node in walk(expr) if isinstance(node, t.Unary) and node.op in ("count", "empty", "not-empty"))
    if shape in ("set", "bag") and any(meaning_of_place(resolved, node.arg) == secret for node in counts):
        return f"declare `{secret.name}` as `secret but counted` if everyone may know how many it holds, or "
    announced = meaning_of_place(resolved, expr)
    sources: list[t.Node] = [flow.source for flow in collect_flows(resolved) if flow.target == announced]
    copies = (isinstance(source, t.Expr) and meaning_of_place(resolved, source) == secret for source in sources)
    if announced != secret and not (sources and all(copies)):
        return "if everyone may know just this value, set a keep that is not secret to it and announce that keep, or "
    params = [param.kind.word for param in keep.params] if isinstance(keep, t.Keep) else []
    place = secret.name + (" of you" if params == ["player"] else " of ..." if params else "")
    # nobody would reveal a whole deck
    if shape in ("set", "order", "bag"):
        return ""
    return f"write `show {place} to everyone` first, or "


# --- `each player at once` -----------------------------------------------------------------------


_LATER = "do it afterwards, in another `each player`"


@checks.check_nodes(is_declinable)
def find_visible_secret_offers(rules: CheckContext, may: t.Stmt) -> Iterator[Diagnostic]:
    """Find `may secretly` with something that others see."""
    head: t.Stmt | None = getattr(may, "head", None)
    if getattr(may, "secretly", False) and head is not None and _is_visible(rules.resolved, head):
        yield _diagnose_visible_offer(may, head)


@checks.check_nodes(t.EachAtOnce)
def find_simultaneous_leaks(rules: CheckContext, loop: t.EachAtOnce) -> Iterator[Diagnostic]:
    """Yield an error for each part of `each player at once` that shows or depends on answers of other players."""
    resolved, nodes = rules.resolved, [node for step in loop.block for node in walk(step)]
    places = {
        place
        for node in nodes
        for place in iter_role_values(node, Role.CHANGED)
        if keep_of(resolved, place) is not None
    }
    changed = {keep_of(resolved, place) for place in places}
    for node in nodes:
        if isinstance(node, t.Stmt) and _is_noticeable(resolved, node) or gives_turns(resolved, node):
            yield _diagnose_leak(node, _LATER)
        elif node in places:
            yield from _check_changed_place(resolved, node)
        elif isinstance(asked_player := getattr(node, "asking", None), t.Expr) and not is_you(resolved, asked_player):
            yield _diagnose_dependence(asked_player, "each player is already asked here", "delete `asking`")
        elif isinstance(node, t.Name | t.Apply) and _reads_others_answers(resolved, node, changed):
            yield _diagnose_dependence(node, "this depends on the answers of other players", "read it afterwards")
    for leave in iter_leave_steps(loop):
        yield _diagnose_dependence(
            leave, "this would skip the players not asked yet", "put the steps after it under an `if` instead"
        )
    known = collect_bound(resolved, nodes)
    for place in (place for node in nodes for place in iter_role_values(node, Role.CHANGED)):
        if isinstance(local := meaning_of_place(resolved, place), Local) and local not in known:
            yield _diagnose_dependence(
                place,
                f"`{local.name}` is shared by all players, so later players would find it changed",
                "define the name inside with `let`, or use a `keep` for each player",
            )


def _diagnose_dependence(node: t.Node, title: str, remedy: str) -> Diagnostic:
    """Return E0538, for a step at once that depends on the answers of others."""
    note = "With `at once`, players answer without seeing the others' answers."
    return Diagnostic("E0538", title, node.span, note=note, help=remedy)


def _check_changed_place(resolved: ResolvedBook, place: t.Node) -> Iterator[Diagnostic]:
    """Yield E0538 for a changed place that is not secret, whose count is shown, or that is not the player's own."""
    assert isinstance(place, t.Expr)
    keep = keep_of(resolved, place)
    if keep is not None and not keep.secret:
        yield _diagnose_leak(place, f"declare `{keep.name.word}` as `, secret`, or {_LATER}")
    elif keep is not None and keep.counted:
        yield _diagnose_leak(place, f"declare `{keep.name.word}` as `, secret` without `but counted`, or {_LATER}")
    elif not (isinstance(place, t.Apply) and is_you(resolved, place.args[0])):
        yield _diagnose_leak(place, "keep it for each player, `... of player`, and change only that `of you`")


def _reads_others_answers(resolved: ResolvedBook, node: t.Name | t.Apply, changed: set[t.Keep | None]) -> bool:
    """Return True if a name or `NAME of PLAYER` reads a changed keep of others, also through a quantity."""
    keep = keep_of(resolved, node)
    if keep is not None:
        return isinstance(node, t.Apply) and keep in changed and not is_you(resolved, node.args[0])
    if not isinstance(definition_of(resolved, node), t.Quantity):
        return False
    read = collect_reads(resolved, node)
    return any(isinstance(meaning, Symbol) and meaning.definition in changed for meaning in read)


def _is_visible(resolved: ResolvedBook, head: t.Stmt) -> bool:
    """Return True if everybody sees that a step is done or how its question is answered."""
    return _is_noticeable(resolved, head) or (isinstance(head, AskingStep) and not getattr(head, "secretly", False))


def _is_noticeable(resolved: ResolvedBook, step: t.Stmt) -> bool:
    """Return True if others see that a step is done: unless it moves only secret resources that are not counted."""
    if isinstance(step, HiddenStep):
        return False
    parts = [part for bundle in iter_role_values(step, Role.MOVED) for part in split_parts(resolved, bundle)]
    counted = {
        definition_of(resolved, name)
        for group in resolved.book.select(t.Group)
        if group.counted
        for name in group.members
    }
    moved = [definition_of(resolved, part.what) if isinstance(part, t.Part) else None for part in parts]
    hidden = [isinstance(resource, t.Resource) and resource.secret and resource not in counted for resource in moved]
    return not (
        isinstance(step, t.Gain | t.Lose) and hidden and all(hidden) and len([*iter_role_values(step, Role.MOVED)]) == 1
    )


def _diagnose_leak(node: t.Node, remedy: str) -> Diagnostic:
    """Return E0538, for something in `each player at once` that others would see before they answer."""
    return Diagnostic(
        "E0538",
        "the others would see this before they answer",
        node.span,
        note="Inside `each player at once`, players only answer, and their answers stay hidden.",
        help=remedy,
    )


def _diagnose_visible_offer(may: t.Node, head: t.Stmt) -> Diagnostic:
    """Return E0538, for a `may secretly` whose step everybody sees."""
    return Diagnostic(
        "E0538",
        "everyone sees whether this happens",
        may.span,
        note="`may secretly` hides the answer, but not its effect.",
        help="add `secretly` to the choice too"
        if isinstance(head, HiddenStep)
        else "choose secretly first, and do it afterwards",
    )


# --- piles whose order everybody sees ------------------------------------------------------------


def _is_shuffle(kind: type) -> bool:
    """Return True for classes of random steps that discard what a place held, such as `shuffle`."""
    return issubclass(kind, RandomStep) and issubclass(kind, OverwritingStep)


@checks.check_rules
def find_open_piles(rules: CheckContext) -> Iterator[Diagnostic]:
    """Find shuffled orders of things that are drawn from and not secret."""
    typed, shuffles = rules.typed, rules.nodes_of(_is_shuffle)
    shuffled = {
        keep_of(typed.resolved, place): node for _, node in shuffles for place in iter_role_values(node, Role.CHANGED)
    }
    steps = rules.nodes_of(has_role(Role.INTO)) if shuffled else ()
    moved = (node for _, node in steps if isinstance(node, t.Stmt) and not isinstance(node, OverwritingStep))
    drawn_from = {keep_of(typed.resolved, place) for node in moved for place in iter_role_values(node, Role.CHANGED)}
    for keep, shuffle in shuffled.items():
        if keep is not None and keep in drawn_from and not keep.secret and _is_pile(typed, keep):
            last_span = keep.type.span if keep.start is None else keep.start.span
            place = Span(
                last_span.file, last_span.end_line, last_span.end_column, last_span.end_line, last_span.end_column
            )
            yield Diagnostic(
                "E0556",
                f"everyone can see the order of `{keep.name.word}`, and knows what comes next",
                keep.name.span,
                severity="warning",
                labels=(Label(shuffle.span, "shuffled"),),
                help="add `, secret` to the keep",
                edits=(Edit(place, ", secret"),),
            )


def _is_pile(typed: TypedBook, keep: t.Keep) -> bool:
    """Return True for an order of things, not of players, who know the order in which they sit."""
    name = keep.type.name
    return keep.type.shape == "order" and name is not None and typed.resolved.meaning_of(name).sort == "kind"
