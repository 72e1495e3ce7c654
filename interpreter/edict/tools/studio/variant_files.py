"""Which files a variant may have and what it may be called; variants as zip files, sent and read."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Mapping

from edict.compiler.sources.folders import LOOK, MANIFEST
from edict.compiler.sources.input_limits import MOST_BYTES
from edict.compiler.sources.module_lookup import catalogue
from edict.compiler.sources.zipped import OF_A_MODULE, WrongZip, unzipped
from edict.support.graphemes import is_hidden
from edict.support.morphology import capitalize, spell_name
from edict.tools.studio.studio_errors import StudioError

MODULE = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*\Z")
LONGEST = 60  # characters of a module's name
LONGEST_FILE = 100  # characters of the name of a file or folder, without what it ends in
_PART = rf"(?!\.)[^/\\:]{{1,{LONGEST_FILE}}}"
_NOT_ON_WINDOWS = re.compile(
    r"""(con|prn|aux|nul|(com|lpt)[0-9])(\..*)?|.*[<>"|?*\x00-\x1f].*|.*[. ]""", re.IGNORECASE | re.DOTALL
)
_FILE = re.compile(
    rf"{re.escape(MANIFEST)}|{re.escape(LOOK)}|{_PART}\.(edict|md)|with/{_PART}/{_PART}\.edict|scenes/{_PART}\.yaml"
)


def check_module(name: str) -> None:
    """Raises `StudioError` if a new module cannot be called so."""
    if not MODULE.match(name) or len(name) > LONGEST:
        remedy = f"use lowercase letters, and - between words, as in `{tidy(name) or 'my-variant'}`"
        raise StudioError(f"`{name}` is not a valid name for a module", remedy)
    _check_everywhere(name)
    if name in catalogue():
        raise StudioError(f"`{name}` is the name of rules that come with the package", "choose another name")


def tidy(name: str) -> str:
    """The valid name for a module that is nearest to what somebody typed; nothing if there is none."""
    return "-".join(re.findall(r"[a-z0-9]+", name.casefold())).lstrip("0123456789-")[:LONGEST].rstrip("-")


def title_of(name: str) -> str:
    """What a module is called until somebody says it better."""
    return capitalize(spell_name(name))


def check_file(name: str) -> None:
    """Raises `StudioError` if a variant can have no such file."""
    if not is_file(name):
        kinds = "rules end in `.edict`, scenes lie in `scenes/` and end in `.yaml`"
        raise StudioError(f"a variant cannot have a file `{name}`", kinds)


def check_new_file(name: str) -> None:
    """Raises `StudioError` if a file cannot be called so, here or on the computer of somebody it is shared with."""
    if not name:
        raise StudioError("a file needs a name", "type one, such as `more.edict`")
    if any(len(part) > LONGEST_FILE for part in name.split("/")):
        raise StudioError("this name is too long", f"use at most {LONGEST_FILE} characters")
    check_file(name)
    for part in name.split("/"):
        _check_everywhere(part)


def check_text(name: str, text: str) -> None:
    """Raises `StudioError` if a file of a variant cannot hold this."""
    size = len(text.encode("utf-8", "replace"))
    if size > MOST_BYTES:
        raise StudioError(f"`{name}` has {size:,} bytes; a file may have {MOST_BYTES:,}", "split it into several files")
    if any("\ud800" <= char <= "\udfff" for char in text):
        raise StudioError(f"`{name}` holds half of a character", "delete it and type it again")


def _check_everywhere(part: str) -> None:
    if _NOT_ON_WINDOWS.fullmatch(part):
        remedy = "choose another one, so that everyone can open it"
        raise StudioError(f"Windows does not allow the name `{part}`", remedy)


def is_file(name: str) -> bool:
    """Whether a variant can have a file of this name."""
    return bool(_FILE.fullmatch(name)) and not any(map(is_hidden, name))


def in_order(names: set[str]) -> tuple[str, ...]:
    """The manifest first, then rules, scenes, and the rest."""

    def place(name: str) -> tuple[int, str]:
        kind = 0 if name == MANIFEST else 1 if name.endswith(".edict") else 2 if name.startswith("scenes/") else 3
        return kind, name

    return tuple(sorted(names, key=place))


# --- as zip files ----------------------------------------------------------------------------------


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
        _, files = unzipped(raw, OF_A_MODULE)
    except WrongZip as problem:
        raise StudioError(str(problem), f"send one folder with a `{MANIFEST}` as a zip file") from None
    return {name: _decoded(name, content) for name, content in files.items() if is_file(name)}


def _decoded(name: str, content: bytes) -> str:
    try:
        return content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise StudioError(f"`{name}` cannot be read as text", "save it as a text file in UTF-8") from None
