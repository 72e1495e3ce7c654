"""What Lark recognised, built into nodes of `tree`, one method a grammar rule."""

from __future__ import annotations

from edict.language.making.definitions import Definitions
from edict.language.making.field_values import FieldValues
from edict.language.making.steps import Steps


class Build(Definitions, FieldValues, Steps):
    """One method a grammar rule, each gives a node of `tree`; a node that has a pattern needs none."""
