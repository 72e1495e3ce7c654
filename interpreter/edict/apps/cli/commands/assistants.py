"""The command `mcp`, which serves the Model Context Protocol to a program that writes rules."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from edict.apps.cli.command_errors import UsageError
from edict.apps.cli.shared_options import to_path
from edict.support.resources import install_command

Folder = Annotated[
    Path | None,
    typer.Argument(
        parser=to_path,
        metavar="[FOLDER]",
        help="Folder with your rules, where drafts may be saved [default: none; nothing is saved].",
    ),
]


def mcp(folder: Folder = None) -> int:
    """Serve one program on standard input and output until it goes."""
    if folder is not None and not folder.is_dir():
        raise UsageError(f"{folder} is not a folder", "name an existing folder; drafts are saved below it")
    try:
        from edict.tools.mcp.mcp_server import serve
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.partition(".")[0] not in ("mcp", "mcp_types"):
            raise
        raise UsageError("assistants need the mcp package", install_command("mcp")) from None
    serve(folder)
    return 0
