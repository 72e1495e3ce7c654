"""Secrets that others come to know: said aloud, seen before all have answered, or lying there as an open pile."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache

from edict.checks.check_registry import Checks, Rules, offering, with_role
from edict.language import tree as t
from edict.language.roles import Asks, Overwrites, Random, Role, Unseen, having
from edict.language.walking import walk
from edict.meaning.block_steps import leaving
from edict.meaning.call_graph import gather_facts, is_you
from edict.meaning.flows import flows
from edict.meaning.secret_sources import behind, hiding, is_secret_choice, looked_at, spoken_of, spread
from edict.meaning.symbols import (
    Local, Meaning, Resolved, Symbol, bound_in, definition_of, in_full, keep_of, parts_of, place_of,
)  # fmt: skip
from edict.meaning.types import Typed
from edict.meaning.whose_turn import gives_turns
from edict.report import Diagnostic, Edit, Label
from edict.text import Span

checks = Checks()


@checks.of_all
def secrets_said(rules: Rules) -> Iterator[Diagnostic]:
    """Displays show each player what they may see; announcements cannot, so what they say must be revealed."""
    resolved = rules.resolved
    said = [
        (owner, expr) for owner, node in rules.of(with_role(Role.SAID)) for expr in having(node, Role.SAID)
        if isinstance(expr, t.Expr)
    ]  # fmt: skip
    if not said:
        return
    shown = cache(lambda owner: _shown(resolved, owner))
    told = spread(resolved, shown)
    for owner, expr in said:
        for one in hiding(resolved, walk(expr)):
            spoken = spoken_of(resolved, one) if isinstance(one, t.Name) else frozenset(looked_at(resolved, one))
            secrets = behind(spoken, told)
            secrets = secrets - shown(owner) if secrets else secrets  # what is shown takes a while to find
            if secrets:
                yield _said(resolved, expr, _speaking(one), min(secrets, key=lambda one: one.name))


def _speaking(node: t.Node) -> t.Name:
    """The name by which something is spoken of."""
    return next(one for one in walk(node) if isinstance(one, t.Name))


@checks.at(t.Group)
def counted_resources(rules: Rules, group: t.Group) -> Iterator[Diagnostic]:
    """Of what is open to all, everybody sees the sum anyway."""
    members = [definition_of(rules.resolved, name) for name in group.members] if group.counted else []
    for name, member in zip(group.members, members, strict=False):
        if isinstance(member, t.Resource) and not member.secret:
            yield Diagnostic(
                "E0558", f"`{name.word}` is not secret, so everybody sees how much there is of it", name.span,
                labels=(Label(member.span, "declared here, open to all"),),
                help="leave `but counted` out, or declare the resource `, secret`",
            )  # fmt: skip


@checks.at(t.Keep)
def counted_secrets(rules: Rules, keep: t.Keep) -> Iterator[Diagnostic]:
    """Only what holds several things can be counted."""
    if keep.counted and keep.type.shape not in ("set", "bag"):
        yield Diagnostic(
            "E0558", f"`{keep.name.word}` holds a single value, so there is nothing to count"
            if keep.type.shape not in ("order", "dice") else f"`{keep.name.word}` cannot be counted",
            keep.type.span, help="write `secret` alone, or keep a set or a bag",
        )  # fmt: skip


def _shown(resolved: Resolved, owner: t.Definition) -> frozenset[Meaning]:
    """What the rule, or one it calls, shows to everyone; what was drawn or chosen there is no secret then either."""
    found = gather_facts(resolved, _shown_in, owner)
    if found:
        found |= {resolved.binds[node] for node in in_full(resolved, owner) if is_secret_choice(resolved, node)}
    return found


def _shown_in(resolved: Resolved, nodes: Iterable[t.Node]) -> frozenset[Meaning]:
    shown = (node for node in nodes if isinstance(node, t.Show) and isinstance(node.to, t.Name))
    places = (place_of(resolved, node.place) for node in shown if getattr(node.to, "word", "") == "everyone")
    return frozenset(place for place in places if place is not None)


def _said(resolved: Resolved, expr: t.Expr, name: t.Name, secret: Meaning) -> Diagnostic:
    definition = None if isinstance(secret, Local) else secret.definition
    span = secret.span if isinstance(secret, Local) else definition.span if definition else name.span
    made_of = "" if secret.name == name.word else f", made of `{secret.name}`,"
    remedy = _without_more(resolved, expr, secret)
    return Diagnostic(
        "E0512", f"`{name.word}`{made_of} is a secret, and an announcement is read by everyone", name.span,
        severity="warning", labels=(Label(span, "it is secret here"),),
        help=f"{remedy}leave `{name.word}` out of the announcement",
    )  # fmt: skip


def _without_more(resolved: Resolved, expr: t.Expr, secret: Meaning) -> str:
    """Return how to make known what is said, and no more of the secret than that; nothing if there is no such way."""
    keep = None if isinstance(secret, Local) else secret.definition
    shape = keep.type.shape if isinstance(keep, t.Keep) else ""
    counts = (node for node in walk(expr) if isinstance(node, t.Unary) and node.op in ("count", "empty", "not-empty"))
    if shape in ("set", "bag") and any(place_of(resolved, node.arg) == secret for node in counts):
        return f"declare `{secret.name}` as `secret but counted` if everyone may know how many it holds, or "
    said = place_of(resolved, expr)
    sources: list[t.Node] = [flow.source for flow in flows(resolved) if flow.target == said]
    copies = (isinstance(source, t.Expr) and place_of(resolved, source) == secret for source in sources)
    if said != secret and not (sources and all(copies)):
        return "if everyone may know this and no more, set a keep that is not secret to it and announce that keep, or "
    params = [param.kind.word for param in keep.params] if isinstance(keep, t.Keep) else []
    place = secret.name + (" of you" if params == ["player"] else " of ..." if params else "")
    # of a whole deck nobody would mean it
    return "" if shape in ("set", "order", "bag") else f"write `show {place} to everyone` first, or "


# --- `each player at once` -----------------------------------------------------------------------


_LATER = "do it afterwards, in another `each player`"


@checks.at(offering)
def seen_offers(rules: Rules, may: t.Stmt) -> Iterator[Diagnostic]:
    """Offers that are no secret."""
    head: t.Stmt | None = getattr(may, "head", None)
    if getattr(may, "secretly", False) and head is not None and _is_seen(rules.resolved, head):
        yield _open(may, head)


@checks.at(t.EachAtOnce)
def seen_too_soon(rules: Rules, loop: t.EachAtOnce) -> Iterator[Diagnostic]:
    """What others would see, or could find out from what they are offered."""
    resolved, inner = rules.resolved, [node for step in loop.block for node in walk(step)]
    places = {place for node in inner for place in having(node, Role.CHANGED) if keep_of(resolved, place) is not None}
    changed = {keep_of(resolved, place) for place in places}
    for node in inner:
        if isinstance(node, t.Stmt) and _is_noticed(resolved, node) or gives_turns(resolved, node):
            yield _seen_before(node, _LATER)
        elif node in places:
            yield from _place(resolved, node)
        elif isinstance(asked := getattr(node, "asking", None), t.Expr) and not is_you(resolved, asked):
            yield _not_apart(asked, "this asks somebody who answers for themselves", "leave it out: each is asked")
        elif isinstance(node, t.Name | t.Apply) and _looks_at_others(resolved, node, changed):
            yield _not_apart(node, "this depends on what others have answered already", "look at it afterwards")
    for leave in leaving(loop):
        yield _not_apart(leave, "the others would not be asked then", "write `if` around what comes after it")
    known = bound_in(resolved, inner)
    for place in (place for node in inner for place in having(node, Role.CHANGED)):
        if isinstance(local := place_of(resolved, place), Local) and local not in known:
            yield _not_apart(
                place, f"`{local.name}` is the same for all of them, so whoever comes later would find it changed",
                "give the name inside, with `let`, or keep it for each player",
            )  # fmt: skip


def _not_apart(node: t.Node, title: str, remedy: str) -> Diagnostic:
    note = "At once means that everybody answers as if the others had not."
    return Diagnostic("E0538", title, node.span, note=note, help=remedy)


def _place(resolved: Resolved, place: t.Node) -> Iterator[Diagnostic]:
    """What is changed is a secret of one's own."""
    assert isinstance(place, t.Expr)
    keep = keep_of(resolved, place)
    if keep is not None and not keep.secret:
        yield _seen_before(place, f"declare `{keep.name.word}` as `, secret`, or {_LATER}")
    elif keep is not None and keep.counted:
        yield _seen_before(place, f"declare `{keep.name.word}` as `, secret` without `but counted`, or {_LATER}")
    elif not (isinstance(place, t.Apply) and is_you(resolved, place.args[0])):
        yield _seen_before(place, "keep it for each player, `... of player`, and change only that `of you`")


def _looks_at_others(resolved: Resolved, node: t.Name | t.Apply, changed: set[t.Keep | None]) -> bool:
    keep = keep_of(resolved, node)
    if keep is not None:
        return isinstance(node, t.Apply) and keep in changed and not is_you(resolved, node.args[0])
    meaning = resolved.meaning.get(node) if isinstance(node, t.Name) else None
    if not isinstance(meaning, Symbol) or not isinstance(meaning.definition, t.Quantity):
        return False
    return any(isinstance(one, Symbol) and one.definition in changed for one in spoken_of(resolved, node))


def _is_seen(resolved: Resolved, head: t.Stmt) -> bool:
    """Whether everybody sees that it is done, or how its own question is answered."""
    return _is_noticed(resolved, head) or (isinstance(head, Asks) and not getattr(head, "secretly", False))


def _is_noticed(resolved: Resolved, step: t.Stmt) -> bool:
    """Whether others see that a step is done: not if only named secrets are gained or lost that are not counted."""
    if isinstance(step, Unseen):
        return False
    parts = [part for bundle in having(step, Role.MOVED) for part in parts_of(resolved, bundle)]
    counted = {
        definition_of(resolved, name)
        for group in resolved.book.definitions.values() if isinstance(group, t.Group) and group.counted
        for name in group.members
    }  # fmt: skip
    moved = [definition_of(resolved, part.what) if isinstance(part, t.Part) else None for part in parts]
    hidden = [isinstance(one, t.Resource) and one.secret and one not in counted for one in moved]
    return not (isinstance(step, t.Gain | t.Lose) and hidden and all(hidden) and len([*having(step, Role.MOVED)]) == 1)


def _seen_before(node: t.Node, remedy: str) -> Diagnostic:
    return Diagnostic(
        "E0538", "the others would see this before they have answered", node.span,
        note="In `each player at once` everybody only answers, and keeps it to themselves.", help=remedy,
    )  # fmt: skip


def _open(may: t.Node, head: t.Stmt) -> Diagnostic:
    return Diagnostic(
        "E0538", "everybody sees whether this is done", may.span,
        note="`may secretly` hides the answer, and not what is done.",
        help="write `secretly` behind the choice too" if isinstance(head, Unseen) else
        "choose secretly first, and do it afterwards",
    )  # fmt: skip


# --- piles whose order everybody sees ------------------------------------------------------------


def _shuffles(kind: type) -> bool:
    return issubclass(kind, Random) and issubclass(kind, Overwrites)


@checks.of_all
def open_piles(rules: Rules) -> Iterator[Diagnostic]:
    typed, mixed = rules.typed, rules.of(_shuffles)
    shuffled = {keep_of(typed.resolved, place): node for _, node in mixed for place in having(node, Role.CHANGED)}
    steps = rules.of(with_role(Role.INTO)) if shuffled else ()
    moved = (node for _, node in steps if isinstance(node, t.Stmt) and not isinstance(node, Overwrites))
    taken = {keep_of(typed.resolved, place) for node in moved for place in having(node, Role.CHANGED)}
    for keep, shuffle in shuffled.items():
        if keep is not None and keep in taken and not keep.secret and _is_pile(typed, keep):
            end = keep.type.span if keep.start is None else keep.start.span
            place = Span(end.file, end.end_line, end.end_column, end.end_line, end.end_column)
            yield Diagnostic(
                "E0556", f"everybody can see the order of `{keep.name.word}`, and knows what comes next",
                keep.name.span, severity="warning", labels=(Label(shuffle.span, "it is shuffled here"),),
                help="add `, secret` to the keep", edits=(Edit(place, ", secret"),),
            )  # fmt: skip


def _is_pile(typed: Typed, keep: t.Keep) -> bool:
    """An order of things; players know in which order they sit."""
    name = keep.type.name
    return keep.type.shape == "order" and name is not None and typed.resolved.of(name).sort == "kind"
