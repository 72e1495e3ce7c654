"""A stranger's module, sent as a zip file: its texts are laid out in a folder of their own and read as any module is.

Nothing is unpacked but the manifest, the look and rule files, under names that lead nowhere else, up to the sizes
that a module may have. The folder is deleted at once: a game keeps its rules with it.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from edict.sources.folders import LOOK, MANIFEST, read_manifest
from edict.sources.limits import MOST_BYTES, MOST_FILES, MOST_NAMES, MOST_TOTAL
from edict.report import RulesError
from edict.table.rules import Rules, load_rules

_PART = r"(?!\.)[^/\\\0-\x1f\x7f:]{1,100}"
_WANTED = re.compile(rf"(?:{_PART}/)?({re.escape(MANIFEST)}|{re.escape(LOOK)}|(?:with/{_PART}/)?{_PART}\.edict)")
_IN_FOLDER = re.compile(rf"({_PART})/{re.escape(MANIFEST)}")
ENCRYPTED = 1


class WrongUpload(Exception):
    """What was sent is no module that can be played; the text says why."""


def rules_with(raw: bytes, game: str, modules: Sequence[str]) -> Rules:
    """A game with modules that ship and the one in a zip file; of a whole game, that. Raises `WrongUpload`."""
    try:
        with _unpacked(raw) as folder:
            manifest = read_manifest(folder).unwrap()
            over = [] if manifest.kind == "game" else [*modules]
            base = str(folder) if manifest.kind == "game" else game
            loaded = load_rules(base, [*over, *([] if manifest.kind == "game" else [str(folder)])])
    except RulesError as problem:
        raise WrongUpload(str(problem.first)) from None
    name = manifest.name if manifest.kind == "game" else game
    return replace(loaded, name=name, modules=(*over, *([] if manifest.kind == "game" else [manifest.name])))


@contextmanager
def _unpacked(raw: bytes) -> Iterator[Path]:
    try:
        archive = zipfile.ZipFile(io.BytesIO(raw))
    except (zipfile.BadZipFile, ValueError, NotImplementedError):
        raise WrongUpload("this is not a zip file: zip the module's folder, then send that") from None
    with archive, TemporaryDirectory(prefix="edict-module-") as parent:
        wanted = _wanted(archive)
        first = _IN_FOLDER.fullmatch(wanted[0].filename)
        folder = Path(parent, first[1] if first else "module")
        for info in wanted:
            inside = info.filename.removeprefix(f"{first[1]}/") if first else info.filename
            file = folder / inside
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(_read(archive, info))
        yield folder


def _wanted(archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    """The manifest, and the look and rule files that lie with it."""
    entries = archive.infolist()
    if len(entries) > MOST_NAMES:
        raise WrongUpload(f"it holds {len(entries):,} files, and at most {MOST_NAMES:,} are looked at")
    texts = [info for info in entries if _WANTED.fullmatch(info.filename)]
    manifests = [info for info in texts if Path(info.filename).name == MANIFEST]
    if len(manifests) != 1:
        many = "several files" if manifests else "no file"
        raise WrongUpload(f"it holds {many} `{MANIFEST}`, at its top or in one folder: a module has one")
    home = manifests[0].filename.removesuffix(MANIFEST)
    found = [manifests[0], *(info for info in texts if info is not manifests[0] and _beside(info.filename, home))]
    if len({info.filename.casefold() for info in found}) < len(found):
        raise WrongUpload("two of its files have the same name")
    size = sum(info.file_size for info in found)
    if len(found) > MOST_FILES + 1 or size > MOST_TOTAL:
        raise WrongUpload(f"its {len(found):,} files have {size:,} bytes; {MOST_FILES} and {MOST_TOTAL:,} are allowed")
    return found


def _beside(name: str, home: str) -> bool:
    inside = name.removeprefix(home)
    return name.startswith(home) and (inside.count("/") == 0 or inside.startswith("with/"))


def _read(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    """A file, no longer than it may be, whatever the archive says of its size."""
    if info.flag_bits & ENCRYPTED or info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise WrongUpload(f"`{info.filename}` is encrypted or packed in an unusual way")
    if info.file_size > MOST_BYTES:
        raise WrongUpload(f"`{info.filename}` has {info.file_size:,} bytes; a file may have {MOST_BYTES:,}")
    try:
        with archive.open(info) as stream:
            return stream.read(MOST_BYTES + 1)
    except (zipfile.BadZipFile, OSError, ValueError, EOFError, NotImplementedError, zlib.error) as problem:
        raise WrongUpload(f"`{info.filename}` is damaged: {problem}") from None
