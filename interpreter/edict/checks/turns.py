"""`you` where it is nobody's turn: at the top level, in a phase of the whole table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from edict.language import tree as t
from edict.language.printing.expressions import expression
from edict.language.roles import Role, has, having
from edict.meaning.calls import owners
from edict.meaning.whose import gives_turns, nobodys
from edict.language.walking import walk
from edict.meaning.types import Typed
from edict.report import Diagnostic, Edit, Label
from edict.text import Span

REMEDY = "write `each player` above it if everyone is meant, and `each player in ...` if only some are"


def nobodys_turn(typed: Typed) -> Iterator[Diagnostic]:
    """Some seat would be taken for `you`, always the same one."""
    found = nobodys(typed.resolved)
    for owner in owners(typed.resolved) if found else ():
        mine = [node for node in walk(owner) if node in found]
        if mine:
            yield _said(typed, mine, found[mine[0]], owner)


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
