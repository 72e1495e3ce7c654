"""The folder of the user's own games and variants, each of which is a folder or a zip file.

A zip is unpacked beside itself when it is first found, within the limits of untrusted modules, so that its rules can
be read and changed like any others. An unpacked folder is never overwritten.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from edict.compiler.sources.folders import MANIFEST, read_module
from edict.compiler.sources.input_limits import MOST_NAMES, MOST_TOTAL
from edict.compiler.sources.zipped import MODULE_PATHS, InvalidZipError, extract_module
from edict.support import resources

ZIP = ".zip"


def list_own_rules() -> list[Path]:
    """Return the folders of the user's own games and variants, sorted by name."""
    for _ in unpack_new_zips():
        pass  # a search by name does not report other files
    home = resources.user_rules_folder()
    return [folder for folder in _list_children(home) if (folder / MANIFEST).is_file()]


def iter_unreadable() -> Iterator[tuple[Path, str]]:
    """Yield what lies in the user's folder but cannot be read as a game or variant, each with the reason."""
    yield from unpack_new_zips()
    for folder in _list_children(resources.user_rules_folder()):
        if not folder.is_dir():
            continue
        if not (folder / MANIFEST).is_file():
            yield folder, f"it has no `{MANIFEST}`"
        else:
            yield from (
                (folder, str(diagnostic)) for diagnostic in read_module(folder).diagnostics[:1] if diagnostic.is_error
            )


def unpack_new_zips() -> Iterator[tuple[Path, str]]:
    """Unpack new zip files, and yield those that cannot be unpacked, each with the reason."""
    home = resources.user_rules_folder()
    for file in _list_children(home):
        if file.suffix == ZIP and not home.joinpath(file.stem).exists():
            try:
                _unpack(file, home / file.stem)
            except OSError as problem:
                yield file, f"it cannot be unpacked: {problem.strerror}"
            except InvalidZipError as problem:
                yield file, str(problem)


def _list_children(folder: Path) -> list[Path]:
    """Return the files and folders in a folder, sorted, without hidden ones; none if it cannot be read."""
    try:
        return sorted(child for child in islice(folder.iterdir(), MOST_NAMES) if not child.name.startswith("."))
    except OSError:
        return []


def _unpack(file: Path, folder: Path) -> None:
    """Unpack a zip file completely or not at all, also while another process does the same.

    Raises:
        OSError: The file cannot be read, or the folder not written.
        InvalidZipError: The file holds no module.
    """
    if file.stat().st_size > MOST_TOTAL:
        raise InvalidZipError(f"it has more than {MOST_TOTAL:,} bytes")
    _, files = extract_module(file.read_bytes(), MODULE_PATHS)
    with TemporaryDirectory(prefix=".", dir=folder.parent) as temporary:
        unpacked = Path(temporary, folder.name)
        for name, content in files.items():
            (unpacked / name).parent.mkdir(parents=True, exist_ok=True)
            (unpacked / name).write_bytes(content)
        with contextlib.suppress(OSError):
            unpacked.rename(folder)  # fails if another process was faster
