"""What things do at a moment for each player who owns them, where a single player, or everybody once, was meant."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from edict.checks.ranges import grown
from edict.language import tree as t
from edict.language.printing.expressions import NOT, expression
from edict.language.roles import Asks, Overwrites, Role, having
from edict.language.sorts import awaited
from edict.language.walking import walk
from edict.meaning.calls import answered, calls, is_you, owners, within
from edict.meaning.effects import effects
from edict.meaning.steps import untold
from edict.meaning.symbols import Local, Meaning, Resolved, brought, definition_of, keep_of
from edict.meaning.types import Typed
from edict.meaning.whose import gives_turns
from edict.report import Diagnostic, Edit, Label
from edict.text import Span


def owned(typed: Typed) -> Iterator[Diagnostic]:
    resolved = typed.resolved
    if any(isinstance(one, t.Game) and one.high < 2 for one in resolved.book.definitions.values()):
        return  # who plays alone is always meant
    for thing in resolved.book.definitions.values():
        for when in thing.abilities if isinstance(thing, t.Thing) else ():
            if isinstance(when, t.When) and when in calls(resolved).owned:
                yield from _of_thing(resolved, thing, when)


def _of_thing(resolved: Resolved, thing: t.Definition, when: t.When) -> Iterator[Diagnostic]:
    about = definition_of(resolved, when.moment)
    if isinstance(about, t.Moment) and not _triggered(resolved, about):
        return
    along = brought(resolved, about) if about is not None else ()
    players = [one for one in along if resolved.meaning[one.kind].sort == "player"]
    if players:
        yield from _whoever(resolved, when, players)
    elif isinstance(thing, t.Thing):
        yield from _everybody(resolved, thing, when)


def _triggered(resolved: Resolved, moment: t.Moment) -> bool:
    """Whether it comes at all; else single things are told to do what they do then, `do planted of oak`, for `you`."""
    nodes = (node for owner in owners(resolved) for node in walk(owner) if answered(resolved, node) is None)
    return any(definition_of(resolved, name) is moment for node in nodes for name in having(node, Role.RUNS))


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
    yield Diagnostic(
        "E0572", f"this happens for every player who owns it, whoever {names} is", when.moment.span,
        severity="warning",
        labels=(Label(players[0].span, f"`{players[0].name.word}` comes with it"),) if declared else (),
        help=f"write `when {moment} if {mine[0]}{rest}`; if it is meant whoever that is, write `{everyone}{rest}`",
        edits=_asking(when, mine[0]) if len(mine) == 1 else (),
    )  # fmt: skip


def _told_otherwise(resolved: Resolved, when: t.When) -> bool:
    """Whether it asks what may have been noted of that player before: `won of you`, or who it was."""
    asked = effects(resolved, *(one for node in walk(when) for one in having(node, Role.DECIDES))).reads
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
        yield Diagnostic(
            "E0573", "this happens to everybody, once for each player who owns it", block[0].span,
            severity="warning", note=f"If two players own `{thing.name.word}`, it happens to everybody twice.",
            help="leave out `each player`: it is done for each owner anyway, who is `you`; "
            "what is to happen to everybody once belongs at the left edge",
            edits=_without(loop, block[0].span),
        )  # fmt: skip


def _adds_up(resolved: Resolved, block: t.Block) -> bool:
    """Whether it makes a difference how often it is done: so much is gained or lost each time."""
    bundles = (one for node in within(resolved, block) for one in having(node, Role.MOVED))
    return any(isinstance(part.amount, t.Number) for bundle in bundles for part in bundle.parts)


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
    if isinstance(step, Overwrites):
        yield from zip(having(step, Role.CHANGED), having(step, Role.INTO), strict=True)


def _named_in(resolved: Resolved, step: t.Stmt) -> set[Meaning | None]:
    """What is named where a step changes something, and in what it puts there."""
    inner = (node for role in (Role.CHANGED, Role.INTO) for one in having(step, role) for node in walk(one))
    return {resolved.meaning.get(node) for node in inner if isinstance(node, t.Name)}


def _asks_of_others(resolved: Resolved, keep: t.Keep, owner: t.Definition) -> bool:
    """Whether it is looked at what others have there, so that nobody takes the same, perhaps."""
    asked = within(resolved, (node for node in walk(owner) if isinstance(node, t.Expr)))
    of_keep = (node for node in asked if isinstance(node, t.Apply) and keep_of(resolved, node) is keep)
    return any(not is_you(resolved, one) for node in of_keep for one in node.args)


def _without(loop: t.Loop, head: Span) -> tuple[Edit, ...]:
    """The line of the loop deleted, and what stands under it where it stood."""
    lines = sorted({node.span.line for step in loop.block for node in walk(step)})
    less = loop.block[0].span.column - head.column
    if head.line in lines or less <= 0:
        return ()
    file = head.file
    gone = Edit(Span(file, head.line, 1, head.line + 1, 1), "")
    return (gone, *(Edit(Span(file, line, 1, line, 1 + less), "") for line in lines))
