"""A collection of variants: a folder with one folder each, and a hidden one for the studio's own files."""

from __future__ import annotations

import hmac
import os
import secrets
from collections.abc import Iterator
from pathlib import Path

from edict.compiler.sources.folders import MANIFEST
from edict.tools.studio import StudioError, scaffolding
from edict.tools.studio.scaffolding import Beginning, build_files, default_name
from edict.tools.studio.variant_files import MAX_NAME_LENGTH, MODULE_NAME, check_module_name, normalize_name
from edict.tools.studio.variants import Variant

HIDDEN_FOLDER = ".studio"
KEY_SEPARATOR = "~"  # in links
MAX_NUMBER = 10_000  # variants of one name


class Collection:
    """Variants in a folder, which git or any editor may change as well."""

    def __init__(self, folder: Path) -> None:
        """Create the folder if it is missing. Raises `OSError`."""
        self.folder = folder.absolute()
        self.folder.mkdir(parents=True, exist_ok=True)

    def list_variants(self) -> tuple[Variant, ...]:
        """Return every variant by name."""
        names = sorted(path.parent.name for path in self.folder.glob(f"*/{MANIFEST}"))
        return tuple(self._open_variant(name) for name in names if MODULE_NAME.match(name))

    def get_variant(self, name: str) -> Variant:
        """Return a variant. Raises `StudioError` if there is none of this name."""
        if not MODULE_NAME.match(name) or not (self.folder / name / MANIFEST).is_file():
            raise StudioError(f"there is no variant `{name[:MAX_NAME_LENGTH]}`", "it may have been removed")
        return self._open_variant(name)

    def make_link(self, variant: Variant, edit: bool) -> str:
        """Return the part of a link that opens a variant, either to edit it or to view, play and fork it."""
        return f"{variant.name}{KEY_SEPARATOR}{variant.keys.owner if edit else variant.keys.reader}"

    def resolve_link(self, link: str) -> tuple[Variant, bool]:
        """Return the variant that a link opens and whether it may be edited. Raises `StudioError`."""
        name, _, key = link.partition(KEY_SEPARATOR)
        invalid_link = StudioError("this link is not valid", "ask whoever gave it to you for a new one")
        try:
            variant = self.get_variant(name)
        except StudioError:
            raise invalid_link from None
        keys, given_key = variant.keys, key.encode(errors="replace")
        is_owner, is_reader = (
            hmac.compare_digest(own_key.encode(), given_key) for own_key in (keys.owner, keys.reader)
        )
        if not is_owner and not is_reader:
            raise invalid_link
        return variant, is_owner

    def create(self, beginning: Beginning, name: str = "") -> Variant:
        """Create a variant under the free name nearest to `name`, or to the default name of its beginning.

        Raises `StudioError`, or `RulesError` if the rules it begins from cannot be read.
        """
        for free_name in filter(
            self._is_free,
            _iter_numbered_names(normalize_name(name) or normalize_name(default_name(beginning)) or "my-variant"),
        ):
            folder = self.folder / free_name
            texts = build_files(beginning, free_name)
            try:
                scaffolding.write_files(folder, texts)
            except OSError:
                if os.path.lexists(folder):  # another process has just taken the name
                    continue
                raise
            return self._open_variant(free_name)
        raise StudioError(f"there are too many variants named `{name[:MAX_NAME_LENGTH]}`", "choose another name")

    def remove(self, name: str) -> Path:
        """Move a variant with all the studio keeps of it into a hidden folder and return that folder."""
        variant = self.get_variant(name)
        removed_folder = self.folder / HIDDEN_FOLDER / "removed" / f"{name}-{secrets.token_hex(4)}"
        removed_folder.mkdir(parents=True)
        os.rename(variant.folder, removed_folder / name)
        studio_folder = self.folder / HIDDEN_FOLDER / name
        if studio_folder.is_dir():
            os.rename(studio_folder, removed_folder / HIDDEN_FOLDER)
        return removed_folder

    def _open_variant(self, name: str) -> Variant:
        """Return the variant of this name, with its place for drafts and keys in the hidden folder."""
        return Variant(self.folder / name, self.folder / HIDDEN_FOLDER / name)

    def _is_free(self, name: str) -> bool:
        """Return True if a name is valid for a module and no file or folder of the collection has it."""
        if os.path.lexists(self.folder / name):
            return False
        try:
            check_module_name(name)
        except StudioError:
            return False
        return True


def _iter_numbered_names(name: str) -> Iterator[str]:
    """Yield a name, then `name-2`, `name-3` and so on, shortened to the maximum length."""
    yield name
    yield from (f"{name[: MAX_NAME_LENGTH - 6].rstrip('-')}-{number}" for number in range(2, MAX_NUMBER))
