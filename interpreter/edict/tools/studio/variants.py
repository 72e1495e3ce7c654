"""One variant: a folder of plain files, and beside it what was typed and not saved, and the keys that open it.

A text that was typed and not saved is a file of its own beside the variant, written whole before it counts.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import threading
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path

from edict.compiler.sources.folders import MANIFEST, Manifest, read_manifest
from edict.compiler.sources.input_limits import MOST_BYTES, MOST_FILES, MOST_NAMES
from edict.runtime.program import digest
from edict.support.files import write_atomically, write_private
from edict.support.private_files import make_private_folder
from edict.tools.studio.snapshots import Snapshot
from edict.tools.studio.studio_errors import Clash, StudioError
from edict.tools.studio.variant_files import check_file, check_new_file, check_text, in_order, is_file, zipped

# --- drafts ----------------------------------------------------------------------------------------


ENDING = ".draft"


@dataclass(frozen=True, slots=True)
class Draft:
    """A text of a file, and the digest of what the file held when it was begun ("": there was no file)."""

    file: str
    text: str
    over: str


class Drafts:
    """The drafts of one variant, in a folder outside it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def all(self) -> dict[str, Draft]:
        """Every draft by the name of its file; one that cannot be read is left where it is."""
        found = (_read_draft(place) for place in sorted(self._folder.glob(f"*{ENDING}")))
        return {draft.file: draft for draft in found if draft is not None}

    def get(self, file: str) -> Draft | None:
        return _read_draft(self._place(file))

    def put(self, draft: Draft) -> None:
        """Keep it; it is on the disk when this returns. Raises `OSError`."""
        self._folder.mkdir(parents=True, exist_ok=True)
        write_atomically(self._place(draft.file), json.dumps(asdict(draft)) + "\n")

    def drop(self, file: str) -> None:
        with contextlib.suppress(FileNotFoundError):
            self._place(file).unlink()

    def _place(self, file: str) -> Path:
        return self._folder / f"{digest(file)}{ENDING}"


def held(text: str | None) -> str:
    """The digest of what a file holds; nothing for no file."""
    return "" if text is None else digest(text)


def _read_draft(place: Path) -> Draft | None:
    try:
        draft = Draft(**json.loads(place.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None
    texts = (draft.file, draft.text, draft.over)
    return draft if all(isinstance(one, str) for one in texts) and is_file(draft.file) else None


# --- variants --------------------------------------------------------------------------------------


KEY_BYTES = 18  # of a link: whoever knows it may do what it is for
_making = threading.Lock()  # keys, once


@dataclass(frozen=True, slots=True)
class VariantFile:
    """A file of a variant. `text` is what counts: the draft, if there is one, else what is saved.

    saved: what the file holds; None if there is none. draft: something was typed that is not saved. clash: the file has
    changed since the draft was begun, so one of the two has to be chosen.
    """

    name: str
    text: str
    saved: str | None
    draft: bool = False
    clash: bool = False


@dataclass(frozen=True, slots=True)
class VariantKeys:
    """Whoever knows `owner` may change the variant, with `reader` look at it, play it and fork it."""

    owner: str
    reader: str


class Variant:
    """A variant. Everything is read from the disk when it is asked for; what writes may raise `OSError`."""

    def __init__(self, folder: Path, beside: Path) -> None:
        """folder: its own files. beside: what the studio keeps with it."""
        self.folder = folder
        self.name = folder.name
        self._beside = beside
        self._drafts = Drafts(beside / "drafts")

    # --- what it is

    @property
    def manifest(self) -> Manifest | None:
        """What its manifest says as it counts now; None while it cannot be read."""
        with self.snapshot().laid():
            return read_manifest(self.folder).value

    @property
    def title(self) -> str:
        manifest = self.manifest
        return manifest.title if manifest is not None else self.name

    @cached_property
    def keys(self) -> VariantKeys:
        """Made when they are first asked for."""
        place = self._beside / "keys.json"
        with _making:
            if not place.is_file():
                make_private_folder(self._beside)
                made = VariantKeys(*(secrets.token_urlsafe(KEY_BYTES) for _ in range(2)))
                write_private(place, json.dumps(asdict(made)).encode())
        try:
            return VariantKeys(**json.loads(place.read_text(encoding="utf-8")))
        except (ValueError, TypeError):
            raise StudioError(f"the keys of `{self.name}` cannot be read", f"delete {place} to make new ones") from None

    # --- reading

    def files(self) -> tuple[str, ...]:
        """The names of its files, those that are only drafts too; `/` between folders."""
        return in_order({*self._on_disk(), *self._drafts.all()})

    def text(self, name: str) -> VariantFile:
        """One file. Raises `StudioError` if there is none of this name."""
        check_file(name)
        return self._text(name, self._drafts.get(name))

    def texts(self) -> dict[str, str]:
        """What counts of every file."""
        drafts = self._drafts.all()
        return {name: self._text(name, drafts.get(name)).text for name in self.files()}

    def drafts(self) -> tuple[VariantFile, ...]:
        """Every file with something that is not saved."""
        drafts = self._drafts.all()
        return tuple(self._text(name, drafts[name]) for name in in_order({*drafts}))

    def snapshot(self) -> Snapshot:
        """The variant as it is now, drafts included."""
        home = self.folder.resolve()
        return Snapshot(self.folder, {home / draft.file: draft.text for draft in self._drafts.all().values()})

    def zip(self) -> bytes:
        """What counts of all its files, in one folder."""
        return zipped(self.name, self.texts())

    # --- typing and saving

    def draft(self, name: str, text: str) -> VariantFile:
        """Keep what was typed; it is on the disk when this returns. What is saved already needs no draft."""
        check_file(name)
        check_text(name, text)
        saved, before = self._saved(name), self._drafts.get(name)
        if saved == text:
            self._drafts.drop(name)
            return VariantFile(name, text, saved)
        draft = Draft(name, text, before.over if before else held(saved))
        self._drafts.put(draft)
        return self._text(name, draft)

    def save(self, name: str = "", over: bool = False) -> tuple[str, ...]:
        """Write drafts into their files, of one file or of all; returns their names.

        Raises `Clash`, before anything is written, if a file has changed meanwhile, unless it may be written `over`.
        """
        drafts = [one for one in self.drafts() if name in ("", one.name)]
        clash = next((one.name for one in drafts if one.clash and not over), None)
        if clash:
            raise Clash(f"`{clash}` has changed on disk since you began to type", "compare the two, and keep one")
        for one in drafts:
            place = self._place(one.name)
            place.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(place, one.text)
            self._drafts.drop(one.name)
        return tuple(one.name for one in drafts)

    def discard(self, name: str) -> None:
        """Forget what was typed into a file and not saved."""
        check_file(name)
        self._drafts.drop(name)

    # --- files

    def add(self, name: str, text: str = "") -> None:
        """A new file. Raises `StudioError` if there is one of this name."""
        check_new_file(name)
        check_text(name, text)
        if len(self.files()) >= MOST_FILES:
            raise StudioError(f"a variant can have {MOST_FILES} files", "put several into one")
        self._check_free(name)
        place = self._place(name)
        place.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(place, text)

    def rename(self, name: str, to: str) -> None:
        """Give a file another name; what was typed into it goes with it."""
        check_new_file(to)
        self._check_needed(name)
        text = self.text(name)
        if to.casefold() != name.casefold():
            self._check_free(to)
        place, target = self._place(name), self._place(to)
        if text.saved is not None:
            target.parent.mkdir(parents=True, exist_ok=True)
            os.replace(place, target)
        if text.draft:
            before = self._drafts.get(name)
            self._drafts.put(Draft(to, text.text, before.over if before else held(text.saved)))
            self._drafts.drop(name)

    def remove(self, name: str) -> None:
        """Delete a file, and what was typed into it."""
        self._check_needed(name)
        self.text(name)
        self._drafts.drop(name)
        with contextlib.suppress(FileNotFoundError):
            self._place(name).unlink()

    def _check_needed(self, name: str) -> None:
        if name == MANIFEST:
            raise StudioError(f"a variant needs its `{MANIFEST}`", "remove the whole variant, if that is what you want")

    def _check_free(self, name: str) -> None:
        if name.casefold() in {one.casefold() for one in self.files()}:
            raise StudioError(f"there is a file `{name}` already", "choose another name")

    # --- on the disk

    def _place(self, name: str) -> Path:
        """Where a file lies. Raises `StudioError` for one that leads out of the folder through a link."""
        place = self.folder / name
        if not self._is_own(place):
            raise StudioError(f"`{name}` leads out of the variant's folder", "put the file itself there")
        return place

    def _is_own(self, place: Path) -> bool:
        return place.resolve().is_relative_to(self.folder.resolve())

    def _on_disk(self) -> set[str]:
        patterns = ("*", "scenes/*", "with/*/*")
        found = (path for pattern in patterns for path in islice(self.folder.glob(pattern), MOST_NAMES))
        own = (path for path in found if path.is_file() and self._is_own(path))
        names = (path.relative_to(self.folder).as_posix() for path in own)
        return {name for name in names if is_file(name)}

    def _saved(self, name: str) -> str | None:
        try:
            with self._place(name).open("rb") as file:
                raw = file.read(MOST_BYTES + 1)
        except FileNotFoundError:
            return None
        return raw.decode("utf-8-sig", "replace").replace("\r\n", "\n")

    def _text(self, name: str, draft: Draft | None) -> VariantFile:
        saved = self._saved(name)
        if draft is not None and draft.text != saved:
            return VariantFile(name, draft.text, saved, draft=True, clash=draft.over != held(saved))
        if saved is None:
            raise StudioError(f"there is no file `{name}`", "it may have been removed or renamed")
        return VariantFile(name, saved, saved)
