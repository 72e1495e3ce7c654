"""How a simple node is written, as its class says it: `swap {place} with {other}`.

Reading and printing both go by that: the grammar's line of the same name gives the parts in the same order, and the
printer puts them into the gaps. In a gap a value stands as a sum does; `{value:any}` takes any value, `:primary` and
`:atom` put into parentheses what does not hold together so tightly.
"""

from __future__ import annotations

import re
from collections.abc import Hashable
from functools import cache
from string import Formatter

from edict.front import tree as t

Gap = tuple[str, str, str]  # the text before it, the field, and how tightly what stands there must hold together


@cache
def gaps(kind: Hashable) -> tuple[Gap, ...]:
    """The parts of the pattern of a class of nodes; a last gap without a field is the text after all others."""
    found = Formatter().parse(getattr(kind, "says", ""))
    return tuple((text, field or "", spec or "") for text, field, spec, _ in found)


@cache
def by_rule() -> dict[str, type[t.Node]]:
    """The classes that have a pattern, by the name of their line in the grammar."""
    kinds = [kind for kind in vars(t).values() if isinstance(kind, type) and "says" in vars(kind)]
    return {re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower(): kind for kind in kinds}


def fields(kind: type) -> list[str]:
    """The fields of the pattern, in the order they are written."""
    return [field for _, field, _ in gaps(kind) if field]
