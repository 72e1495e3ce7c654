"""The rules' own names of options, from which option keys are made, independent of the displayed English."""

from __future__ import annotations

from collections.abc import Iterable

from edict.compiler.semantics.link import AttachedAbility
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.printing import print_bundle as bundle_text
from edict.compiler.syntax.printing import print_lines


def branch_text(branch: t.Branch) -> str:
    """Return a branch's title with constants only, or the text of its block."""
    if not branch.title:
        return block_text(branch.block)
    numbers = (str(part.value) if isinstance(part, t.Number) else _plural_form(part) for part in branch.more)
    return " ".join((branch.title, *numbers))


def _plural_form(part: str | t.Expr) -> str:
    """Return the plural of a text such as `coin/coins`, which follows a value; empty for expressions."""
    return part.rpartition("/")[2] if isinstance(part, str) else ""


def block_text(block: t.Block) -> str:
    """Return the canonical text of a block."""
    return " ".join(line.text for line in print_lines(block))


def ability_text(attached: AttachedAbility) -> str:
    """Return an ability's title, the name of what has it, or the text of its block."""
    when = attached.ability
    assert isinstance(when, t.When)
    return when.title or attached.name or block_text(when.block)


def amount_text(bundle: t.Bundle, resource: t.Definition | None = None) -> str:
    """Return the text of an amount, or of a single piece of a resource."""
    return bundle_text(bundle) if resource is None else f"1 {resource.name.word}"


def shifts_text(parts: Iterable[tuple[AttachedAbility, int]]) -> str:
    """Return the text of several dice shifts with their costs or owners."""
    return " and ".join(_shift_text(attached, amount) for attached, amount in parts) or "no shift"


def _shift_text(attached: AttachedAbility, by: int) -> str:
    """Return the text of a shift for option keys: its price, or its name with the number, such as `mill +2`."""
    assert isinstance(attached.ability, t.Shift)
    spending = attached.ability.spending
    return f"{attached.name} {by:+d}" if spending is None else bundle_text(spending)
