"""What Lark recognised, built into nodes of `tree`, one method a grammar rule."""

from __future__ import annotations

from edict.compiler.syntax.making.definition_makers import Definitions
from edict.compiler.syntax.making.step_makers import FieldValues, Steps


class Build(Definitions, FieldValues, Steps):
    """One method a grammar rule, each gives a node of `tree`; a node that has a pattern needs none."""
