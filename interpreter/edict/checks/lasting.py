"""What cannot last from game to game, and what would last if the game did not begin by writing over it."""

from __future__ import annotations

from collections.abc import Iterator

from edict.language import tree as t
from edict.language.roles import Asks, Overwrites, Role, having
from edict.meaning.calls import is_you, within
from edict.meaning.effects import effects
from edict.meaning.symbols import Local, Meaning, Resolved, Symbol, definition_of, keep_of
from edict.meaning.types import Typed
from edict.report import Diagnostic


def lasting(typed: Typed) -> Iterator[Diagnostic]:
    keeps = [one for one in typed.resolved.book.definitions.values() if isinstance(one, t.Keep) and one.lasting]
    for keep in keeps:
        if keep.secret:
            yield _cannot(keep, "a secret", "Between two games everybody sees what is carried over.")
        elif keep.type.shape == "dice":
            yield _cannot(keep, "rolled dice", "What is carried over is stored by name, and dice have none.")
    if keeps:
        yield from _written_over(typed)


def _cannot(keep: t.Keep, what: str, why: str) -> Diagnostic:
    remedy = "leave `lasting` out, and at the end store what the next game needs in another keep that lasts"
    return Diagnostic("E0545", f"{what} cannot last from game to game", keep.name.span, note=why, help=remedy)


def _written_over(typed: Typed) -> Iterator[Diagnostic]:
    """Lasting keeps that are set before anybody is asked anything and before anything reads them."""
    resolved, read = typed.resolved, set[Meaning]()
    game = next(one for one in resolved.book.definitions.values() if isinstance(one, t.Game))
    for step in _always(resolved, game.course, frozenset()):
        if any(isinstance(node, Asks) for node in within(resolved, [step])):
            return
        keep = _overwritten(resolved, step)
        read |= effects(resolved, *(having(step, Role.INTO) if keep is not None else [step])).reads
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
