"""Part of the pass `parse`: what Lark recognised, built into nodes of `tree`."""

from __future__ import annotations

from edict.language.making.definitions import Definitions
from edict.language.making.field_values import FieldValues
from edict.language.making.steps import Steps
from edict.language.making.types import Types


class Build(Definitions, Types, FieldValues, Steps):
    """One method a grammar rule, each gives a node of `tree`; a node that has a pattern needs none."""
