"""A stranger's module in a zip file: which of its files are wanted, and what they hold.

Nothing is read but files under names that lead nowhere else, up to the sizes that a module may have.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import PurePosixPath

from edict.compiler.sources.folders import LOOK, MANIFEST, WITH, WORDS
from edict.compiler.sources.input_limits import MOST_BYTES, MOST_FILES, MOST_NAMES, MOST_TOTAL

PART = r"(?!\.)[^/\\\0-\x1f\x7f:]{1,100}"  # of a path: no hidden file, and nothing that leads elsewhere
RULES = rf"{re.escape(MANIFEST)}|{re.escape(LOOK)}|(?:{WITH}/{PART}/)?{PART}\.edict"
"""The files that rules are read from, by their paths in a module's folder."""
OF_A_MODULE = rf"{RULES}|{PART}\.md|(?:scenes|{WORDS})/{PART}\.yaml"
"""These, and what belongs to rules besides."""
ENCRYPTED = 1


class WrongZip(Exception):
    """What was sent is no module; the text says why."""


def unzipped(raw: bytes, wanted: str = RULES) -> tuple[str, dict[str, bytes]]:
    """The folder that a module lies in ("" if it lies at the top), and its files by their paths in it.

    wanted: a pattern for the paths of the files to be read, the others are left out. Raises `WrongZip`.
    """
    try:
        archive = zipfile.ZipFile(io.BytesIO(raw))
    except (zipfile.BadZipFile, ValueError, NotImplementedError):
        raise WrongZip("this is not a zip file: zip the module's folder, then send that") from None
    with archive:
        home, found = _wanted(archive, re.compile(rf"(?:{PART}/)?(?:{wanted})"), re.compile(wanted))
        return home.removesuffix("/"), {info.filename.removeprefix(home): _read(archive, info) for info in found}


def _wanted(
    archive: zipfile.ZipFile, anywhere: re.Pattern[str], inside: re.Pattern[str]
) -> tuple[str, list[zipfile.ZipInfo]]:
    """Where the manifest lies, and the wanted files that lie with it."""
    entries = archive.infolist()
    if len(entries) > MOST_NAMES:
        raise WrongZip(f"it holds {len(entries):,} files, and at most {MOST_NAMES:,} are looked at")
    texts = [info for info in entries if anywhere.fullmatch(info.filename)]
    manifests = [info for info in texts if PurePosixPath(info.filename).name == MANIFEST]
    if len(manifests) != 1:
        many = "several files" if manifests else "no file"
        raise WrongZip(f"it holds {many} `{MANIFEST}`, at its top or in one folder: a module has one")
    home = manifests[0].filename.removesuffix(MANIFEST)
    found = [manifests[0], *_beside(texts, home, inside)]
    if len({info.filename.casefold() for info in found}) < len(found):
        raise WrongZip("two of its files have the same name")
    size = sum(info.file_size for info in found)
    if len(found) > MOST_FILES + 1 or size > MOST_TOTAL:
        raise WrongZip(f"its {len(found):,} files have {size:,} bytes; {MOST_FILES} and {MOST_TOTAL:,} are allowed")
    return home, found


def _beside(texts: list[zipfile.ZipInfo], home: str, inside: re.Pattern[str]) -> Iterator[zipfile.ZipInfo]:
    for info in texts:
        name = info.filename.removeprefix(home)
        if info.filename.startswith(home) and name != MANIFEST and inside.fullmatch(name):
            yield info


def _read(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    """A file, no longer than it may be, whatever the archive says of its size."""
    if info.flag_bits & ENCRYPTED or info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise WrongZip(f"`{info.filename}` is encrypted or packed in an unusual way")
    if info.file_size > MOST_BYTES:
        raise WrongZip(f"`{info.filename}` has {info.file_size:,} bytes; a file may have {MOST_BYTES:,}")
    try:
        with archive.open(info) as stream:
            return stream.read(MOST_BYTES + 1)
    except (zipfile.BadZipFile, OSError, ValueError, EOFError, NotImplementedError, zlib.error) as problem:
        raise WrongZip(f"`{info.filename}` is damaged: {problem}") from None
