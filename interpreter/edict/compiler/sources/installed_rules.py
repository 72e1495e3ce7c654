"""Games and variants in installed Python distributions, found by their entry points.

An entry point of the group `edict.modules` only names the folder of a module inside its distribution, as in
`inn = "edict_inn"`. Nothing of the distribution is imported: what is in the folder is read like any stranger's rules.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from edict.compiler.sources.folders import MANIFEST
from edict.compiler.sources.input_limits import MOST_NAMES

if TYPE_CHECKING:
    from importlib.metadata import Distribution

GROUP = "edict.modules"
_DOTTED_NAME = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")


def list_installed_rules() -> list[Path]:
    """Return the folders of the modules in installed distributions, sorted."""
    return sorted(find_distribution_names())


@cache
def find_distribution_names() -> dict[Path, str]:
    """Return the name of the distribution of each installed module, by folder; they are searched once in a process."""
    return dict(islice(_iter_folders(), MOST_NAMES))


def _iter_folders() -> Iterator[tuple[Path, str]]:
    """Yield the folder of each installed module with the name of its distribution; skip those that are not there."""
    from importlib.metadata import distributions  # not before it is needed: it loads what reads mail

    for distribution in distributions():
        for entry in distribution.entry_points:
            if entry.group == GROUP and _DOTTED_NAME.fullmatch(entry.value):
                folder = _find_folder(distribution, entry.value.replace(".", "/"))
                if folder is not None:
                    yield folder, distribution.metadata["Name"]


def _find_folder(distribution: Distribution, path: str) -> Path | None:
    """Return the folder that an entry point names; None if it holds no module or leads out of its distribution."""
    home = Path(str(distribution.locate_file("")))
    source = _find_editable_source(distribution)
    places = [(home, home / path), *([(source, source / path), (source, source)] if source else [])]
    return next(
        (
            folder
            for root, folder in places
            if (folder / MANIFEST).is_file() and folder.resolve().is_relative_to(root.resolve())
        ),
        None,
    )


def _find_editable_source(distribution: Distribution) -> Path | None:
    """Return the folder that a distribution was installed from if it is read in place (`pip install -e`), or None."""
    from urllib.request import url2pathname  # imported late, because it loads what speaks HTTP

    try:
        data = json.loads(distribution.read_text("direct_url.json") or "{}")
        url = urlsplit(data["url"])
        is_editable = data["dir_info"]["editable"] and url.scheme == "file"
    except (ValueError, KeyError, TypeError):
        return None
    return Path(url2pathname(url.path)) if is_editable else None
