"""Makes the parser's tables while the package is built, so that nobody waits for them at the first command."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class BuildTables(BuildHookInterface):  # type: ignore[type-arg]
    """Also for an editable install: there the tables lie beside the grammar, and count until that is changed."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        sys.path.insert(0, str(Path(self.root) / "interpreter"))
        from edict.compiler.syntax.grammar import write_tables

        write_tables()
