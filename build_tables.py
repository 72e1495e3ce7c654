"""Makes the parser's tables while the package is built, so that nobody waits for them at the first command."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class BuildTables(BuildHookInterface):  # type: ignore[type-arg]
    """Also for an editable install: there the tables lie beside the grammar, and count until that is changed.

    Lark numbers what it takes out of sets: in a process with a fixed order of sets, who builds again gets the same bytes.
    """

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        fixed = os.environ | {"PYTHONHASHSEED": "0", "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
        code = "from edict.language.grammar import write_tables; write_tables()"
        subprocess.run([sys.executable, "-c", code], env=fixed, cwd=Path(self.root) / "interpreter", check=True)
