"""What the rules themselves call each option, from which its key is made: never a word of what is shown for it."""

from __future__ import annotations

from collections.abc import Iterable

from edict.compiler.semantics.link import AttachedAbility
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.printing import bundle as bundle_text
from edict.compiler.syntax.printing import printed


def branch_text(branch: t.Branch) -> str:
    """Its title without what only play can tell, or what it does."""
    if not branch.title:
        return block_text(branch.block)
    numbers = (str(part.value) if isinstance(part, t.Number) else _many(part) for part in branch.more)
    return " ".join((branch.title, *numbers))


def _many(part: str | t.Expr) -> str:
    """Of `coin/coins`, which stands behind a value, the second."""
    return part.rpartition("/")[2] if isinstance(part, str) else ""


def block_text(block: t.Block) -> str:
    return " ".join(line.text for line in printed(block))


def ability_text(held: AttachedAbility) -> str:
    """Its own title, or the name of what has it, or what it does."""
    when = held.ability
    assert isinstance(when, t.When)
    return when.title or held.name or block_text(when.block)


def amount_text(bundle: t.Bundle, resource: t.Definition | None = None) -> str:
    """An amount, or a single one of a resource."""
    return bundle_text(bundle) if resource is None else f"1 {resource.name.word}"


def shifts_text(parts: Iterable[tuple[AttachedAbility, int]]) -> str:
    """Several shifts, and by how much each shifts: what each costs, or what has it."""
    return " and ".join(_shift_text(held, by) for held, by in parts) or "no shift"


def _shift_text(held: AttachedAbility, by: int) -> str:
    assert isinstance(held.ability, t.Shift)
    spending = held.ability.spending
    return f"{held.name} {by:+d}" if spending is None else bundle_text(spending)
