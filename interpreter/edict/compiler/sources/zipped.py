"""Modules in zip files of strangers.

Only files with safe names are extracted, within the limits of a module's size.
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

# pattern for a part of a path, without hidden files and parts that lead elsewhere
PATH_PART = r"(?!\.)[^/\\\0-\x1f\x7f:]{1,100}"
# files that define rules, relative to the module's folder
RULE_PATHS = rf"{re.escape(MANIFEST)}|{re.escape(LOOK)}|(?:{WITH}/{PATH_PART}/)?{PATH_PART}\.edict"
# rule files, and the documents, scenes and translations beside them
MODULE_PATHS = rf"{RULE_PATHS}|{PATH_PART}\.md|(?:scenes|{WORDS})/{PATH_PART}\.yaml"
ENCRYPTED_FLAG = 1
ZIP_TIMESTAMP = (1980, 1, 1, 0, 0, 0)  # of written files: fixed, so that the same texts give the same bytes


class InvalidZipError(Exception):
    """Raised for a zip file that holds no valid module, with the reason as text."""


def extract_module(raw: bytes, pattern: str = RULE_PATHS) -> tuple[str, dict[str, bytes]]:
    """Return the folder of the module in a zip file, and its files by their paths in that folder.

    The folder is "" if the module lies at the top.

    Args:
        raw: The zip file.
        pattern: A pattern for the paths of the files to extract; others are ignored.

    Raises:
        InvalidZipError: The file is no zip, or holds no valid module.
    """
    try:
        archive = zipfile.ZipFile(io.BytesIO(raw))
    except (zipfile.BadZipFile, ValueError, NotImplementedError):
        raise InvalidZipError("this is not a zip file: zip the module's folder, then send that") from None
    with archive:
        home, entries = _select_entries(archive, re.compile(rf"(?:{PATH_PART}/)?(?:{pattern})"), re.compile(pattern))
        return home.removesuffix("/"), {
            info.filename.removeprefix(home): _read_entry(archive, info) for info in entries
        }


def _select_entries(
    archive: zipfile.ZipFile, anywhere: re.Pattern[str], inside: re.Pattern[str]
) -> tuple[str, list[zipfile.ZipInfo]]:
    """Return the folder of the manifest in the archive, and the matching entries in that folder."""
    entries = archive.infolist()
    if len(entries) > MOST_NAMES:
        raise InvalidZipError(f"it contains {len(entries):,} files; at most {MOST_NAMES:,} are allowed")
    candidates = [info for info in entries if anywhere.fullmatch(info.filename)]
    manifests = [info for info in candidates if PurePosixPath(info.filename).name == MANIFEST]
    if len(manifests) != 1:
        how_many = "several files" if manifests else "no file"
        raise InvalidZipError(f"it has {how_many} `{MANIFEST}`, at its top or in one folder; a module has one")
    home = manifests[0].filename.removesuffix(MANIFEST)
    selected = [manifests[0], *_iter_entries_in(candidates, home, inside)]
    if len({info.filename.casefold() for info in selected}) < len(selected):
        raise InvalidZipError("two of its files have the same name")
    size = sum(info.file_size for info in selected)
    if len(selected) > MOST_FILES + 1 or size > MOST_TOTAL:
        raise InvalidZipError(
            f"its {len(selected):,} files have {size:,} bytes; {MOST_FILES} and {MOST_TOTAL:,} are allowed"
        )
    return home, selected


def _iter_entries_in(entries: list[zipfile.ZipInfo], home: str, inside: re.Pattern[str]) -> Iterator[zipfile.ZipInfo]:
    """Yield the entries below the folder `home` whose path in it matches `inside`, without the manifest."""
    for info in entries:
        name = info.filename.removeprefix(home)
        if info.filename.startswith(home) and name != MANIFEST and inside.fullmatch(name):
            yield info


def _read_entry(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    """Read an entry up to the allowed size, whatever size the archive claims."""
    if info.flag_bits & ENCRYPTED_FLAG or info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise InvalidZipError(f"`{info.filename}` is encrypted or packed in an unusual way")
    if info.file_size > MOST_BYTES:
        raise InvalidZipError(f"`{info.filename}` has {info.file_size:,} bytes; a file may have {MOST_BYTES:,}")
    try:
        with archive.open(info) as stream:
            return stream.read(MOST_BYTES + 1)
    except (zipfile.BadZipFile, OSError, ValueError, EOFError, NotImplementedError, zlib.error) as problem:
        raise InvalidZipError(f"`{info.filename}` is damaged: {problem}") from None
