"""Builders of tree nodes from Lark's trees."""

from __future__ import annotations

from edict.compiler.syntax.making.builders import DefinitionBuilder, FieldValueBuilder, StepBuilder


class TreeBuilder(DefinitionBuilder, FieldValueBuilder, StepBuilder):
    """Builds the nodes of a file.

    It has a method for each grammar rule whose node does not just fill a pattern.
    """
