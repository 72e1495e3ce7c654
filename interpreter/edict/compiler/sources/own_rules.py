"""The user's own games and variants: a folder in which each lies as a folder, or as a zip file.

A zip is unpacked beside itself when it is first met, up to the sizes that a stranger's module may have, so that its
rules can be read and changed like any others. What was unpacked once is left alone.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from edict.compiler.sources.folders import MANIFEST, read_module
from edict.compiler.sources.input_limits import MOST_NAMES, MOST_TOTAL
from edict.compiler.sources.zipped import OF_A_MODULE, WrongZip, unzipped
from edict.support import resources

ZIP = ".zip"


def own_rules() -> list[Path]:
    """The folders of the user's own games and variants, by their names; none if there is no such folder."""
    for _ in wrong_zips():
        pass  # who looks for rules by name is not to be told of others
    home = resources.user_rules_folder()
    return [folder for folder in _children(home) if (folder / MANIFEST).is_file()]


def left_out() -> Iterator[tuple[Path, str]]:
    """What lies there and is no game or variant that can be read, each with the reason."""
    yield from wrong_zips()
    for folder in _children(resources.user_rules_folder()):
        if not folder.is_dir():
            continue
        if not (folder / MANIFEST).is_file():
            yield folder, f"it has no `{MANIFEST}`"
        else:
            yield from ((folder, str(found)) for found in read_module(folder).diagnostics[:1] if found.is_error)


def wrong_zips() -> Iterator[tuple[Path, str]]:
    """Unpack what is new among the zip files; those that cannot be unpacked, each with the reason."""
    home = resources.user_rules_folder()
    for file in _children(home):
        if file.suffix == ZIP and not home.joinpath(file.stem).exists():
            try:
                _unpack(file, home / file.stem)
            except OSError as problem:
                yield file, f"it cannot be unpacked: {problem.strerror}"
            except WrongZip as problem:
                yield file, str(problem)


def _children(folder: Path) -> list[Path]:
    try:
        return sorted(child for child in islice(folder.iterdir(), MOST_NAMES) if not child.name.startswith("."))
    except OSError:
        return []


def _unpack(file: Path, folder: Path) -> None:
    """Whole or not at all, also where another process does the same. Raises `OSError`, `WrongZip`."""
    if file.stat().st_size > MOST_TOTAL:
        raise WrongZip(f"it has more than {MOST_TOTAL:,} bytes")
    _, files = unzipped(file.read_bytes(), OF_A_MODULE)
    with TemporaryDirectory(prefix=".", dir=folder.parent) as fresh:
        whole = Path(fresh, folder.name)
        for name, content in files.items():
            (whole / name).parent.mkdir(parents=True, exist_ok=True)
            (whole / name).write_bytes(content)
        with contextlib.suppress(OSError):
            whole.rename(folder)  # another process was faster, or it is there now
