"""Names and files that a variant may have, variants as zip files, and snapshots with unsaved texts and rules."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path

from edict.compiler.pipeline.compile import compile_modules
from edict.compiler.sources.folders import LOOK, MANIFEST, overlay_texts
from edict.compiler.sources.input_limits import MOST_BYTES
from edict.compiler.sources.module_lookup import load_catalogue
from edict.compiler.sources.module_set import Modules, gather_modules
from edict.compiler.sources.zipped import MODULE_PATHS, ZIP_TIMESTAMP, InvalidZipError, extract_module
from edict.game.table.rules import Rules
from edict.support.graphemes import is_hidden
from edict.support.morphology import capitalize, spell_name
from edict.support.report import Outcome
from edict.tools.language_service.workspace import Workspace
from edict.tools.studio import StudioError

MODULE_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*\Z")
MAX_NAME_LENGTH = 60  # characters
MAX_FILE_NAME_LENGTH = 100  # characters, without the suffix
_PART = rf"(?!\.)[^/\\:]{{1,{MAX_FILE_NAME_LENGTH}}}"
_FORBIDDEN_ON_WINDOWS = re.compile(
    r"""(con|prn|aux|nul|(com|lpt)[0-9])(\..*)?|.*[<>"|?*\x00-\x1f].*|.*[. ]""", re.IGNORECASE | re.DOTALL
)
_FILE = re.compile(
    rf"{re.escape(MANIFEST)}|{re.escape(LOOK)}|{_PART}\.(edict|md)|with/{_PART}/{_PART}\.edict|scenes/{_PART}\.yaml"
)


def check_module_name(name: str) -> None:
    """Raise `StudioError` if a new module cannot have this name."""
    if not MODULE_NAME.match(name) or len(name) > MAX_NAME_LENGTH:
        remedy = f"use lowercase letters, and - between words, as in `{normalize_name(name) or 'my-variant'}`"
        raise StudioError(f"`{name}` is not a valid name for a module", remedy)
    _check_portable(name)
    if name in load_catalogue():
        raise StudioError(f"`{name}` is the name of a built-in game or module", "choose another name")


def normalize_name(name: str) -> str:
    """Return the valid module name nearest to what somebody typed; empty if there is none."""
    return "-".join(re.findall(r"[a-z0-9]+", name.casefold())).lstrip("0123456789-")[:MAX_NAME_LENGTH].rstrip("-")


def default_title(name: str) -> str:
    """Return the default title of a module with this name."""
    return capitalize(spell_name(name))


def check_file_name(name: str) -> None:
    """Raise `StudioError` if a variant cannot have a file of this name."""
    if not is_file_name(name):
        kinds = "rule files end in `.edict`; scenes are in `scenes/` and end in `.yaml`"
        raise StudioError(f"a variant cannot have a file `{name}`", kinds)


def check_new_file_name(name: str) -> None:
    """Raise `StudioError` if a new file cannot have this name, also on another operating system."""
    if not name:
        raise StudioError("a file needs a name", "type one, such as `more.edict`")
    if any(len(part) > MAX_FILE_NAME_LENGTH for part in name.split("/")):
        raise StudioError("this name is too long", f"use at most {MAX_FILE_NAME_LENGTH} characters")
    check_file_name(name)
    for part in name.split("/"):
        _check_portable(part)


def check_text(name: str, text: str) -> None:
    """Raise `StudioError` if a file of a variant cannot hold this text."""
    size = len(text.encode("utf-8", "replace"))
    if size > MOST_BYTES:
        raise StudioError(f"`{name}` has {size:,} bytes; a file may have {MOST_BYTES:,}", "split it into several files")
    if any("\ud800" <= char <= "\udfff" for char in text):
        raise StudioError(f"`{name}` contains an invalid character", "delete it and type it again")


def _check_portable(part: str) -> None:
    """Raise `StudioError` if Windows does not allow a part of a path, such as `con`."""
    if _FORBIDDEN_ON_WINDOWS.fullmatch(part):
        remedy = "choose another one, so that everyone can open it"
        raise StudioError(f"Windows does not allow the name `{part}`", remedy)


def is_file_name(name: str) -> bool:
    """Return True if a variant can have a file of this name."""
    return bool(_FILE.fullmatch(name)) and not any(map(is_hidden, name))


def sort_names(names: set[str]) -> tuple[str, ...]:
    """Return names with the manifest first, then rules, scenes, and the rest."""

    def sort_key(name: str) -> tuple[int, str]:
        """Return the key that puts the manifest first, then rules, scenes and the rest, each by name."""
        if name == MANIFEST:
            kind = 0
        elif name.endswith(".edict"):
            kind = 1
        elif name.startswith("scenes/"):
            kind = 2
        else:
            kind = 3
        return kind, name

    return tuple(sorted(names, key=sort_key))


# --- as zip files ----------------------------------------------------------------------------------


def pack_zip(name: str, texts: Mapping[str, str]) -> bytes:
    """Return a zip file with these texts in one folder."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for file, text in texts.items():
            archive.writestr(zipfile.ZipInfo(f"{name}/{file}", ZIP_TIMESTAMP), text.encode(), zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def unpack_zip(raw: bytes) -> dict[str, str]:
    """Return the files of the variant in a zip file. Raises `StudioError`."""
    try:
        _, files = extract_module(raw, MODULE_PATHS)
    except InvalidZipError as error:
        raise StudioError(str(error), f"send one folder with a `{MANIFEST}` as a zip file") from None
    return {name: _decode(name, content) for name, content in files.items() if is_file_name(name)}


def _decode(name: str, content: bytes) -> str:
    """Return a file's bytes as text with LF line breaks. Raises `StudioError` if they are not UTF-8."""
    try:
        return content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise StudioError(f"`{name}` cannot be read as text", "save it as a text file in UTF-8") from None


@dataclass(frozen=True)
class Snapshot:
    """A variant at one moment. Can be sent to another process."""

    folder: Path
    # texts by resolved path, in place of the files' content
    unsaved: Mapping[Path, str] = field(default_factory=dict, repr=False)

    def with_unsaved_texts(self) -> AbstractContextManager[None]:
        """Return a context in which rules and scenes are read with the unsaved texts."""
        return overlay_texts(self.unsaved)


# --- rules -----------------------------------------------------------------------------------------


def gather_snapshot(snapshot: Snapshot) -> Outcome[Modules]:
    """Gather the variant with everything it is laid over, as `check` does."""
    space = Workspace([snapshot.folder])
    for path, text in snapshot.unsaved.items():
        space.set_text(path, text)
    rules = space.get_rules(snapshot.folder / MANIFEST)
    if rules is None:
        raise StudioError(f"`{snapshot.folder.name}` has no `{MANIFEST}`", "it may have been removed")
    return rules.gather_outcome


def compile_variant(snapshot: Snapshot) -> Rules:
    """Return the playable rules of a variant. Raises `RulesError` with all errors."""
    return _compile(gather_snapshot(snapshot).unwrap())


def compile_base(snapshot: Snapshot) -> Rules | None:
    """Return the rules under the variant without it; None for a game. Raises `RulesError`."""
    modules = gather_snapshot(snapshot).unwrap()
    variant_index = find_variant_index(modules, snapshot)
    other_folders = [module.folder for module in modules if module is not modules[variant_index]]
    game = next((module.folder for module in modules if module.manifest.kind == "game"), None)
    if game is None or modules[variant_index].manifest.kind == "game":
        return None
    return _compile(gather_modules(game, [folder for folder in other_folders if folder != game]).unwrap())


def find_variant_index(modules: Modules, snapshot: Snapshot) -> int:
    """Return the index of the variant among the modules."""
    variant_folder = snapshot.folder.resolve()
    return next(index for index, module in enumerate(modules) if module.folder.resolve() == variant_folder)


def _compile(modules: Modules) -> Rules:
    """Compile modules under their names, which reveal no folders."""
    outcome = compile_modules(modules)
    game = next(module.name for module in modules if module.manifest.kind == "game")
    others = tuple(module.name for module in modules if module.name != game)
    return Rules(outcome.unwrap(), game, others, outcome.diagnostics, modules)
