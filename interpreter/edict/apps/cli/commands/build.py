"""The command `build`, which builds a module as a Python package that holds only data."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from edict.apps.cli import shared_options as o
from edict.apps.cli.commands.check import CheckRequest, print_findings
from edict.apps.cli.rules_by_name import find_targets
from edict.compiler.sources.module_lookup import find_module
from edict.support.rendering import escape_terminal
from edict.tools.packages import build_wheel

Folders = Annotated[
    list[str] | None,
    typer.Argument(metavar="[FOLDER]...", autocompletion=o.rules_names, help="Modules with a `pyproject.toml`."),
]
Output = Annotated[
    Path, o.path_option("--output", "-o", metavar="FOLDER", help="Folder for the wheels.", show_default=True)
]


def build(names: Folders = None, output: Output = Path("dist"), force: o.Force = False) -> int:
    """Check modules and build a wheel of each; return 1 if rules have errors, else 0."""
    targets = find_targets(names or ())
    findings = print_findings(CheckRequest(targets))
    if findings.exit_code:
        return findings.exit_code
    for name in targets:
        wheel = build_wheel(find_module(name).unwrap(), output, force)
        print(escape_terminal(f"Built {wheel}"), flush=True)
    return 0
