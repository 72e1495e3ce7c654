"""A variant: a folder of plain files, and beside it unsaved drafts and the keys of its links.

The draft of a file is a file of its own beside the variant, written atomically.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import threading
from dataclasses import asdict
from functools import cached_property
from itertools import islice
from pathlib import Path

from edict.compiler.sources.folders import MANIFEST, Manifest, read_manifest
from edict.compiler.sources.input_limits import MOST_BYTES, MOST_FILES, MOST_NAMES
from edict.runtime.program import digest
from edict.support.files import make_private_folder, write_atomically, write_private
from edict.support.records import dataclass
from edict.tools.studio import FileConflict, StudioError
from edict.tools.studio.variant_files import (
    Snapshot,
    check_file_name,
    check_new_file_name,
    check_text,
    is_file_name,
    pack_zip,
    sort_names,
)

# --- drafts ----------------------------------------------------------------------------------------


DRAFT_SUFFIX = ".draft"


@dataclass(frozen=True, slots=True)
class Draft:
    """An unsaved text of a file."""

    file: str
    text: str
    over: str  # digest of the file when the draft was begun; empty if there was no file


class DraftStore:
    """The drafts of one variant, in a folder outside it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def list_drafts(self) -> dict[str, Draft]:
        """Return every readable draft by file name; unreadable ones stay on disk."""
        drafts = (_read_draft(path) for path in sorted(self._folder.glob(f"*{DRAFT_SUFFIX}")))
        return {draft.file: draft for draft in drafts if draft is not None}

    def get(self, file: str) -> Draft | None:
        """Return the draft of a file; None if there is none or it cannot be read."""
        return _read_draft(self._draft_path(file))

    def put(self, draft: Draft) -> None:
        """Store a draft; it is on disk when this returns. Raises `OSError`."""
        self._folder.mkdir(parents=True, exist_ok=True)
        write_atomically(self._draft_path(draft.file), json.dumps(asdict(draft)) + "\n")

    def delete(self, file: str) -> None:
        """Delete the draft of a file, if there is one."""
        with contextlib.suppress(FileNotFoundError):
            self._draft_path(file).unlink()

    def _draft_path(self, file: str) -> Path:
        return self._folder / f"{digest(file)}{DRAFT_SUFFIX}"


def digest_text(text: str | None) -> str:
    """Return the digest of a file's text; empty for no file."""
    return "" if text is None else digest(text)


def _read_draft(path: Path) -> Draft | None:
    """Return the draft in a file of the studio; None if it is missing, unreadable or malformed."""
    try:
        draft = Draft(**json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None
    texts = (draft.file, draft.text, draft.over)
    if all(isinstance(value, str) for value in texts) and is_file_name(draft.file):
        return draft
    return None


# --- variants --------------------------------------------------------------------------------------


KEY_BYTES = 18  # random bytes in the key of a link
_keys_lock = threading.Lock()  # keys are created once


@dataclass(frozen=True, slots=True)
class VariantFile:
    """A file of a variant."""

    name: str
    text: str  # the draft if there is one, else the saved text
    saved: str | None  # text on disk, or None
    draft: bool = False  # the draft differs from the saved text
    clash: bool = False  # the file has changed since the draft was begun, so one of the two has to be chosen


@dataclass(frozen=True, slots=True)
class VariantKeys:
    """Secret keys for links to a variant."""

    owner: str  # for editing
    reader: str  # for viewing, playing and forking


class Variant:
    """A variant. Everything is read from disk on demand; methods that write may raise `OSError`."""

    def __init__(self, folder: Path, studio_folder: Path) -> None:
        """Open a variant.

        Args:
            folder: Its own files.
            studio_folder: Files that the studio keeps about it.
        """
        self.folder = folder
        self.name = folder.name
        self._studio_folder = studio_folder
        self._draft_store = DraftStore(studio_folder / "drafts")

    # --- properties

    @property
    def manifest(self) -> Manifest | None:
        """The manifest, with its draft if there is one; None while it cannot be read."""
        with self.take_snapshot().with_unsaved_texts():
            return read_manifest(self.folder).value

    @property
    def title(self) -> str:
        """The title in the manifest, or the name while the manifest cannot be read."""
        manifest = self.manifest
        return manifest.title if manifest is not None else self.name

    @property
    def answer_folder(self) -> Path:
        """The folder of answers to questions about it."""
        return self._studio_folder / "answers"

    @cached_property
    def keys(self) -> VariantKeys:
        """The keys of links, created on first use."""
        path = self._studio_folder / "keys.json"
        with _keys_lock:
            if not path.is_file():
                make_private_folder(self._studio_folder)
                new_keys = VariantKeys(*(secrets.token_urlsafe(KEY_BYTES) for _ in range(2)))
                write_private(path, json.dumps(asdict(new_keys)).encode())
        try:
            return VariantKeys(**json.loads(path.read_text(encoding="utf-8")))
        except (ValueError, TypeError):
            raise StudioError(f"the keys of `{self.name}` cannot be read", f"delete {path} to make new ones") from None

    # --- reading

    def list_files(self) -> tuple[str, ...]:
        """Return the names of its files and drafts, with `/` between folders."""
        return sort_names({*self._find_saved_names(), *self._draft_store.list_drafts()})

    def get_file(self, name: str) -> VariantFile:
        """Return a file. Raises `StudioError` if there is none of this name."""
        check_file_name(name)
        return self._to_variant_file(name, self._draft_store.get(name))

    def get_texts(self) -> dict[str, str]:
        """Return the text of every file by name, drafts included."""
        drafts = self._draft_store.list_drafts()
        return {name: self._to_variant_file(name, drafts.get(name)).text for name in self.list_files()}

    def list_drafts(self) -> tuple[VariantFile, ...]:
        """Return every file with unsaved text."""
        drafts = self._draft_store.list_drafts()
        return tuple(self._to_variant_file(name, drafts[name]) for name in sort_names({*drafts}))

    def take_snapshot(self) -> Snapshot:
        """Return the variant as it is now, drafts included."""
        folder = self.folder.resolve()
        return Snapshot(
            self.folder, {folder / draft.file: draft.text for draft in self._draft_store.list_drafts().values()}
        )

    def to_zip(self) -> bytes:
        """Return a zip file with one folder of its files, drafts included."""
        return pack_zip(self.name, self.get_texts())

    # --- drafts and saving

    def write_draft(self, name: str, text: str) -> VariantFile:
        """Store unsaved text of a file; it is on disk when this returns.

        If it equals the saved text, the draft is deleted.
        """
        check_file_name(name)
        check_text(name, text)
        saved_text, previous = self._read_saved_file(name), self._draft_store.get(name)
        if saved_text == text:
            self._draft_store.delete(name)
            return VariantFile(name, text, saved_text)
        draft = Draft(name, text, previous.over if previous else digest_text(saved_text))
        self._draft_store.put(draft)
        return self._to_variant_file(name, draft)

    def save(self, name: str = "", overwrite: bool = False) -> tuple[str, ...]:
        """Write drafts into their files and return the names of these.

        Args:
            name: The file; empty for all.
            overwrite: Overwrite files that have changed since their drafts were begun.

        Raises:
            FileConflict: A file has changed meanwhile; nothing was written.
        """
        drafts = [file for file in self.list_drafts() if name in ("", file.name)]
        clash = next((file.name for file in drafts if file.clash and not overwrite), None)
        if clash:
            raise FileConflict(f"`{clash}` changed on disk since you began to type", "compare the two, and keep one")
        for file in drafts:
            path = self._require_own_path(file.name)
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(path, file.text)
            self._draft_store.delete(file.name)
        return tuple(file.name for file in drafts)

    def discard(self, name: str) -> None:
        """Delete the draft of a file."""
        check_file_name(name)
        self._draft_store.delete(name)

    # --- files

    def add_file(self, name: str, text: str = "") -> None:
        """Create a file. Raises `StudioError` if there is one of this name."""
        check_new_file_name(name)
        check_text(name, text)
        if len(self.list_files()) >= MOST_FILES:
            raise StudioError(f"a variant can have at most {MOST_FILES} files", "put several into one")
        self._check_name_free(name)
        path = self._require_own_path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, text)

    def rename_file(self, name: str, new_name: str) -> None:
        """Rename a file together with its draft."""
        check_new_file_name(new_name)
        self._check_removable(name)
        file = self.get_file(name)
        if new_name.casefold() != name.casefold():
            self._check_name_free(new_name)
        path, target = self._require_own_path(name), self._require_own_path(new_name)
        if file.saved is not None:
            target.parent.mkdir(parents=True, exist_ok=True)
            os.replace(path, target)
        if file.draft:
            draft = self._draft_store.get(name)
            self._draft_store.put(Draft(new_name, file.text, draft.over if draft else digest_text(file.saved)))
            self._draft_store.delete(name)

    def remove_file(self, name: str) -> None:
        """Delete a file and its draft."""
        self._check_removable(name)
        self.get_file(name)
        self._draft_store.delete(name)
        with contextlib.suppress(FileNotFoundError):
            self._require_own_path(name).unlink()

    def _check_removable(self, name: str) -> None:
        if name == MANIFEST:
            raise StudioError(f"a variant needs its `{MANIFEST}`", "remove the whole variant, if that is what you want")

    def _check_name_free(self, name: str) -> None:
        """Raise `StudioError` if a file or draft has this name, ignoring case."""
        if name.casefold() in {file.casefold() for file in self.list_files()}:
            raise StudioError(f"there is a file `{name}` already", "choose another name")

    # --- on the disk

    def _require_own_path(self, name: str) -> Path:
        """Return the path of a file. Raises `StudioError` if a link leads out of the folder."""
        path = self.folder / name
        if not self._is_inside(path):
            raise StudioError(f"`{name}` points outside the variant's folder", "put the file itself there")
        return path

    def _is_inside(self, path: Path) -> bool:
        return path.resolve().is_relative_to(self.folder.resolve())

    def _find_saved_names(self) -> set[str]:
        """Return the names of the files on disk, without drafts, links out of the folder and invalid names."""
        patterns = ("*", "scenes/*", "with/*/*")
        paths = (path for pattern in patterns for path in islice(self.folder.glob(pattern), MOST_NAMES))
        own_paths = (path for path in paths if path.is_file() and self._is_inside(path))
        names = (path.relative_to(self.folder).as_posix() for path in own_paths)
        return {name for name in names if is_file_name(name)}

    def _read_saved_file(self, name: str) -> str | None:
        """Return a file's text on disk, at most `MOST_BYTES` + 1 bytes of it; None if there is no such file."""
        try:
            with self._require_own_path(name).open("rb") as file:
                raw = file.read(MOST_BYTES + 1)
        except FileNotFoundError:
            return None
        return raw.decode("utf-8-sig", "replace").replace("\r\n", "\n")

    def _to_variant_file(self, name: str, draft: Draft | None) -> VariantFile:
        """Return a file with its draft, if that differs; `clash` if the file changed on disk since the draft began."""
        saved_text = self._read_saved_file(name)
        if draft is not None and draft.text != saved_text:
            return VariantFile(name, draft.text, saved_text, draft=True, clash=draft.over != digest_text(saved_text))
        if saved_text is None:
            raise StudioError(f"there is no file `{name}`", "it may have been removed or renamed")
        return VariantFile(name, saved_text, saved_text)
