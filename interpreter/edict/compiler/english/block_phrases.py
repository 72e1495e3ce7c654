"""The steps of a block on one line, and which of them are reported at all."""

from __future__ import annotations

from dataclasses import replace

from edict.compiler.english.phrase_tables import tell
from edict.compiler.semantics.block_steps import own_words_at, untold
from edict.compiler.semantics.symbols import Resolved
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.roles import Role, having


def block_words(resolved: Resolved, block: t.Block) -> str:
    """All steps of a block on one line; those that go without saying are left out."""
    return "; ".join(words for words in (tell(resolved, step) for step in spoken(resolved, block)) if words)


def spoken(r: Resolved, block: t.Block) -> list[t.Stmt]:
    """The steps of a block without those that only lay open that something is gone, and that the author tells."""
    block = _usual(r, block)
    at = own_words_at(block)
    told = block if at is None else (*block[:at], replace(block[at], block=block[at + 1 :]))  # type: ignore[call-arg]
    told = told if r.authored else untold(block)
    return [step for before, step in zip((None, *told), told, strict=False) if not _lays_open(r, before, step)]


def _usual(r: Resolved, block: t.Block) -> t.Block:
    """The steps of a block with settings as they usually are, where only these are told."""
    if not any(step in r.usual for step in block):
        return block
    return tuple(one for step in block for one in (_usual(r, r.usual[step]) if step in r.usual else (step,)))


def _lays_open(r: Resolved, before: t.Stmt | None, step: t.Stmt) -> bool:
    """Whether a step shows what the one before emptied."""
    shown = list(having(step, Role.SHOWN))
    emptied = [one.word for one in having(before, Role.INTO) if isinstance(one, t.Name)] in (["none"], ["nobody"])
    return (
        bool(shown)
        and emptied
        and [tell(r, one) for one in having(before, Role.CHANGED)] == [tell(r, one) for one in shown]
    )
