"""Whose turn it is: `you` where it is nobody's, and what things do for each owner where one player was meant."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from edict.checks.check_registry import Checks, Rules
from edict.checks.ranges import grown
from edict.language import tree as t
from edict.language.nouns import awaited
from edict.language.printing.printed_expressions import NOT, expression
from edict.language.roles import Asks, Overwrites, Role, has, having
from edict.language.walking import walk
from edict.meaning.block_steps import untold
from edict.meaning.call_graph import answered, calls, is_you, gather_facts, owners
from edict.meaning.effects import all_reads
from edict.meaning.symbols import Local, Meaning, Resolved, brought, definition_of, keep_of, parts_of
from edict.meaning.types import Typed
from edict.meaning.whose_turn import gives_turns
from edict.report import Diagnostic, Edit, Label, as_written_or
from edict.text import Span

REMEDY = "write `each player` above it if everyone is meant, and `each player in ...` if only some are"


checks = Checks()


@checks.at(t.Definition)
def nobodys_turn(rules: Rules, owner: t.Definition) -> Iterator[Diagnostic]:
    """Some seat would be taken for `you`, always the same one."""
    mine = [node for node in walk(owner) if node in rules.nobodys] if rules.nobodys else ()
    if mine:
        yield _said(rules.typed, mine, rules.nobodys[mine[0]], owner)


def _said(typed: Typed, mine: Sequence[t.Node], caller: t.Node | None, owner: t.Node) -> Diagnostic:
    node, title = mine[0], "it is nobody's turn here, so nobody is `you`"
    if isinstance(node, t.Stmt):
        title = "it is nobody's turn here, so this happens to nobody"
    if isinstance(node, t.Exception_):
        return Diagnostic(
            "E0530", "it is nobody's turn here, so nobody can choose which exception counts", node.span,
            labels=(Label(caller.span, "reached from here"),) if caller else (),
            help="write `over` in place of `beside`, or conditions that cannot both hold",
        )  # fmt: skip
    if isinstance(owner, t.Routine) and caller is not None:
        title = f"it is nobody's turn here, and `{owner.name.word}` is for the player whose turn it is"
        return Diagnostic(
            "E0530", title, caller.span, labels=(Label(node.span, "it is about `you` here"),), help=REMEDY,
        )  # fmt: skip
    when = owner.ability if isinstance(owner, t.Standalone) and isinstance(owner.ability, t.When) else None
    if when is not None and when.condition is not None and node in walk(when.condition):
        return _asked(typed, when, when.condition, node, title)
    if any(node in walk(part) for one in walk(owner) for part in having(one, Role.PER_MEMBER)):
        edits = (Edit(node.span, "it"),) if isinstance(node, t.Name) else ()
        return Diagnostic("E0530", title, node.span, help="write `it` for the one that is asked about", edits=edits)
    block = when.block if when is not None else owner.block if isinstance(owner, t.Phase) else ()
    return Diagnostic(
        "E0530", title, node.span, labels=(Label(caller.span, "reached from here"),) if caller else (),
        help=REMEDY,
        edits=_for_each(mine, block),
    )  # fmt: skip


def _for_each(mine: Sequence[t.Node], block: Sequence[t.Stmt]) -> tuple[Edit, ...]:
    """The steps of a block from the first to the last that are about `you`, put under `each player`."""
    within = [number for number, step in enumerate(block) if set(walk(step)) & set(mine)]
    steps = block[within[0] : within[-1] + 1] if within else ()
    if any(has(type(step), Role.BINDS) for step in steps):
        steps = block[within[0] :]  # the name is known as far as that
    return _indented(steps, ["each player"])


def _asked(typed: Typed, when: t.When, condition: t.Expr, node: t.Node, title: str) -> Diagnostic:
    """A condition of `when` about each player, asked under `each player`."""
    once = when.block[0] if len(when.block) == 1 and gives_turns(typed.resolved, when.block[0]) else None
    asked = f"if {expression(condition)}"
    within = once.block if isinstance(once, t.Loop) else when.block
    above = [asked] if once is not None else ["each player", asked]
    name, end = when.moment.span, condition.span
    without = Edit(replace(end, line=name.end_line, column=name.end_column), "")
    return Diagnostic(
        "E0530", title, node.span,
        note="What follows the moment is asked once, before anybody's turn.",
        help=f"write `{asked}` under `each player`, and the steps indented under it",
        edits=(without, *_indented(within, above)),
    )  # fmt: skip


def _indented(steps: Sequence[t.Stmt], above: Sequence[str]) -> tuple[Edit, ...]:
    """Steps with lines above them, each indented under the one before."""
    if not steps:
        return ()
    first, *more = sorted({part.span.line for step in steps for part in walk(step)})
    lead = " " * (steps[0].span.column - 1)
    deeper = "  " * len(above)
    written = "".join(f"{lead}{'  ' * depth}{line}\n" for depth, line in enumerate(above))
    starts = {first: written + deeper, **dict.fromkeys(more, deeper)}
    return tuple(Edit(Span(steps[0].span.file, line, 1, line, 1), text) for line, text in starts.items())


# --- what things do at a moment for each player who owns them ------------------------------------


@checks.at(t.Thing)
def owned(rules: Rules, thing: t.Thing) -> Iterator[Diagnostic]:
    resolved = rules.resolved
    for when in thing.abilities:
        if isinstance(when, t.When) and when in calls(resolved).owned and not _alone(resolved):
            yield from _of_thing(resolved, thing, when)


def _alone(resolved: Resolved) -> bool:
    """Whether the game is for one player, who is always meant."""
    return any(isinstance(one, t.Game) and one.high < 2 for one in resolved.book.definitions.values())


def _of_thing(resolved: Resolved, thing: t.Thing, when: t.When) -> Iterator[Diagnostic]:
    about = definition_of(resolved, when.moment)
    if isinstance(about, t.Moment) and about not in _triggered(resolved):
        return
    along = brought(resolved, about) if about is not None else ()
    players = [one for one in along if resolved.meaning[one.kind].sort == "player"]
    if players:
        yield from _whoever(resolved, when, players)
    else:
        yield from _everybody(resolved, thing, when)


@lru_cache(maxsize=2)
def _triggered(resolved: Resolved) -> frozenset[t.Definition | None]:
    """What comes at all; else single things are told to do what they do then, `do planted of oak`, for `you`."""
    running = [node for owner in owners(resolved) for node in walk(owner) if any(having(node, Role.RUNS))]
    nodes = (node for node in running if answered(resolved, node) is None)
    return frozenset(definition_of(resolved, name) for node in nodes for name in having(node, Role.RUNS))


# --- whoever it was -----------------------------------------------------------------------------


def _whoever(resolved: Resolved, when: t.When, players: Sequence[t.Param]) -> Iterator[Diagnostic]:
    """At a moment that comes with a player: that player is not asked about."""
    known = {resolved.binds[one] for one in players}
    if any(resolved.meaning.get(node) in known for node in walk(when) if isinstance(node, t.Name)):
        return
    if _told_otherwise(resolved, when):
        return
    mine = [f"{one.name.word} is you" for one in players]
    rest = f" and {expression(when.condition, NOT)}" if when.condition is not None else ""
    moment, names = awaited(when.moment.word, when.edge), " or ".join(f"`{one.name.word}`" for one in players)
    everyone = f"if {players[0].name.word} is in everyone"
    declared = players[0].span != players[0].name.span  # what comes with gains, or with a set, nobody has written
    edits = _asking(when, mine[0]) if len(mine) == 1 else ()
    yield Diagnostic(
        "E0572", f"this happens for every player who owns it, whoever {names} is", when.moment.span,
        severity="warning",
        labels=(Label(players[0].span, f"`{players[0].name.word}` comes with it"),) if declared else (),
        help=f"write `when {moment} if {mine[0]}{rest}`; if it is meant whoever that is, write `{everyone}{rest}`",
        edits=edits,
        readings=as_written_or(edits, f"it happens whoever {names} is", f"it happens only if {mine[0]}"),
    )  # fmt: skip


def _told_otherwise(resolved: Resolved, when: t.When) -> bool:
    """Whether it asks what may have been noted of that player before: `won of you`, or who it was."""
    asked = all_reads(resolved, *(one for node in walk(when) for one in having(node, Role.DECIDES)))
    keeps = (None if isinstance(one, Local) else one.definition for one in asked)
    return any(isinstance(one, t.Keep) and _notes_players(one) for one in keeps)


def _notes_players(keep: t.Keep) -> bool:
    of_players = any(one.kind.word == "player" for one in keep.params)
    held = keep.type.name.word if keep.type.name is not None else ""
    return held == "player" or (of_players and keep.type.shape in ("truth", "number"))


def _asking(when: t.When, asked: str) -> tuple[Edit, ...]:
    """That asked first of all, if what stands there is written as it usually is."""
    at, condition = when.moment.span, when.condition
    after = Span(at.file, at.end_line, at.end_column, at.end_line, at.end_column)
    if condition is None:
        return (Edit(after, f" if {asked}"),)
    opening = " if (" if condition.wrapped else " if "
    if (condition.span.line, condition.span.column) != (at.end_line, at.end_column + len(opening)):
        return ()
    loose = expression(condition, NOT) != expression(condition)  # it would not stay together
    joined = f" if {asked} and " + ("(" if loose or condition.wrapped else "")
    end = replace(condition.span, line=condition.span.end_line, column=condition.span.end_column)
    return (Edit(replace(after, end_column=condition.span.column), joined), *([Edit(end, ")")] if loose else []))


# --- everybody, once for each owner -------------------------------------------------------------


def _everybody(resolved: Resolved, thing: t.Thing, when: t.When) -> Iterator[Diagnostic]:
    """At a moment of the table: all it does is done to everybody, again for each player who has such a thing."""
    block = untold(when.block)
    loop = block[0] if len(block) == 1 else None
    if not isinstance(loop, t.Loop) or not gives_turns(resolved, loop) or any(having(loop, Role.DECIDES)):
        return
    asked = () if when.condition is None else walk(when.condition)
    if any(is_you(resolved, node) for node in asked) or not _adds_up(resolved, loop.block):
        return
    if any(_held_by_several(resolved, keep, thing) for keep in _owners_keeps(resolved, thing)):
        edits = _without(loop, block[0].span)
        yield Diagnostic(
            "E0573", "this happens to everybody, once for each player who owns it", block[0].span,
            severity="warning", note=f"If two players own `{thing.name.word}`, it happens to everybody twice.",
            help="leave out `each player`: it is done for each owner anyway, who is `you`; "
            "what is to happen to everybody once belongs at the left edge",
            edits=edits,
            readings=as_written_or(edits, "it happens to everybody, once for each owner", "it happens to each owner"),
        )  # fmt: skip


def _adds_up(resolved: Resolved, block: t.Block) -> bool:
    """Whether it makes a difference how often it is done: so much is gained or lost each time."""
    return bool(gather_facts(resolved, _sure_amounts_in, *block))


def _sure_amounts_in(resolved: Resolved, nodes: Iterable[t.Node]) -> frozenset[bool]:
    """Answer whether any amount that changes hands is a number as it is written."""
    bundles = (one for node in nodes for one in having(node, Role.MOVED))
    amounts = (part.amount for bundle in bundles for part in parts_of(resolved, bundle))
    return frozenset(True for amount in amounts if isinstance(amount, t.Number))


def _owners_keeps(resolved: Resolved, thing: t.Thing) -> set[t.Keep]:
    """Where it is kept whose things of this kind are: `owned of you`."""
    kind = definition_of(resolved, thing.kind)
    asked = walk(kind.works_if) if isinstance(kind, t.Kind) else ()
    mine = (node for node in asked if isinstance(node, t.Apply) and any(is_you(resolved, one) for one in node.args))
    return {keep for node in mine if (keep := keep_of(resolved, node)) is not None}


def _held_by_several(resolved: Resolved, keep: t.Keep, thing: t.Thing) -> bool:
    """Whether several surely may have the same: they begin so, or take it and nothing is noted of it elsewhere."""
    begun = definition_of(resolved, keep.start)
    if begun is not None and begun in (thing, definition_of(resolved, thing.kind)):
        return True
    return any(_taken_by_all(resolved, keep, owner) for owner in owners(resolved))


def _taken_by_all(resolved: Resolved, keep: t.Keep, owner: t.Definition) -> bool:
    """Whether something chosen is put there, and it stays where it was chosen from."""
    inner = [*walk(owner)]
    chosen = {resolved.binds[node] for node in inner if isinstance(node, Asks) and node in resolved.binds}
    steps = [node for node in inner if isinstance(node, t.Stmt) and any(having(node, Role.CHANGED))]
    for step in steps:
        what = next((resolved.meaning.get(value) for place, value in _put(step)
                     if isinstance(value, t.Name) and keep_of(resolved, place) is keep), None)  # fmt: skip
        fixed = what in chosen if isinstance(what, Local) else what is not None and what.sort == "thing"
        if fixed and not any(what in _named_in(resolved, other) for other in steps if other is not step):
            return not _asks_of_others(resolved, keep, owner)
    return False


def _put(step: t.Stmt) -> Iterator[tuple[t.Expr, t.Expr]]:
    """The place where a step puts something beside what is there, or in place of it, and what."""
    yield from grown(step)
    if isinstance(step, Overwrites) and any(having(step, Role.INTO)):  # not what is rolled, or shuffled
        yield from zip(having(step, Role.CHANGED), having(step, Role.INTO), strict=True)


def _named_in(resolved: Resolved, step: t.Stmt) -> set[Meaning | None]:
    """What is named where a step changes something, and in what it puts there."""
    inner = (node for role in (Role.CHANGED, Role.INTO) for one in having(step, role) for node in walk(one))
    return {resolved.meaning.get(node) for node in inner if isinstance(node, t.Name)}


def _asks_of_others(resolved: Resolved, keep: t.Keep, owner: t.Definition) -> bool:
    """Whether it is looked at what others have there, so that nobody takes the same, perhaps."""
    return keep in gather_facts(resolved, _kept_by_others_in, *(one for one in walk(owner) if isinstance(one, t.Expr)))


def _kept_by_others_in(resolved: Resolved, nodes: Iterable[t.Node]) -> frozenset[t.Keep]:
    """Answer in which keeps it is looked for what anybody but `you` has."""
    places = (node for node in nodes if isinstance(node, t.Apply))
    others = (place for place in places if not all(is_you(resolved, one) for one in place.args))
    return frozenset(keep for place in others if (keep := keep_of(resolved, place)) is not None)


def _without(loop: t.Loop, head: Span) -> tuple[Edit, ...]:
    """The line of the loop deleted, and what stands under it where it stood."""
    lines = sorted({node.span.line for step in loop.block for node in walk(step)})
    less = loop.block[0].span.column - head.column
    if head.line in lines:
        return ()
    file = head.file
    gone = Edit(Span(file, head.line, 1, head.line + 1, 1), "")
    return (gone, *(Edit(Span(file, line, 1, line, 1 + less), "") for line in lines))
