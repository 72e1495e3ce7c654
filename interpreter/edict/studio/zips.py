"""Variants as zip files: one to be sent, and those of strangers to be read."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

from edict.sources.folders import MANIFEST
from edict.sources.zipped import PART, RULES, WrongZip, unzipped
from edict.studio.errors import StudioError
from edict.studio.names import is_file

FILES = rf"{RULES}|{PART}\.md|scenes/{PART}\.yaml"
BEGAN = (1980, 1, 1, 0, 0, 0)  # the same texts are always the same bytes


def zipped(name: str, texts: Mapping[str, str]) -> bytes:
    """These files in one folder of this name."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for file, text in texts.items():
            archive.writestr(zipfile.ZipInfo(f"{name}/{file}", BEGAN), text.encode(), zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def texts_in(raw: bytes) -> dict[str, str]:
    """The files of the variant in a zip file. Raises `StudioError`."""
    try:
        _, files = unzipped(raw, FILES)
    except WrongZip as problem:
        raise StudioError(str(problem), f"send one folder with a `{MANIFEST}` as a zip file") from None
    return {name: _text(name, content) for name, content in files.items() if is_file(name)}


def _text(name: str, content: bytes) -> str:
    try:
        return content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise StudioError(f"`{name}` cannot be read as text", "save it as a text file in UTF-8") from None
