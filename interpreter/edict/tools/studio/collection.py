"""Where variants stand: a folder with a folder for each, and a hidden one for what the studio keeps with them."""

from __future__ import annotations

import hmac
import os
import secrets
from collections.abc import Iterator
from pathlib import Path

from edict.compiler.sources.folders import MANIFEST
from edict.tools.studio import templates
from edict.tools.studio.scaffolding import Beginning, texts_of, usual_name
from edict.tools.studio.studio_errors import StudioError
from edict.tools.studio.variant_files import LONGEST, MODULE, check_module, tidy
from edict.tools.studio.variants import Variant

HIDDEN = ".studio"
SIGN = "~"  # between a variant's name and its key, in a link
MOST = 10_000  # of one name


class Collection:
    """Variants in a folder, which git or any editor may work on as well."""

    def __init__(self, folder: Path) -> None:
        """The folder is made if it is missing. Raises `OSError`."""
        self.folder = folder.absolute()
        self.folder.mkdir(parents=True, exist_ok=True)

    def all(self) -> tuple[Variant, ...]:
        """Every variant, by name."""
        names = sorted(path.parent.name for path in self.folder.glob(f"*/{MANIFEST}"))
        return tuple(self._variant(name) for name in names if MODULE.match(name))

    def variant(self, name: str) -> Variant:
        """Raises `StudioError` if there is none of this name."""
        if not MODULE.match(name) or not (self.folder / name / MANIFEST).is_file():
            raise StudioError(f"there is no variant `{name[:LONGEST]}`", "it may have been removed")
        return self._variant(name)

    def link(self, variant: Variant, edit: bool) -> str:
        """What opens a variant to whoever knows it: to be changed, or to be looked at, played and forked."""
        return f"{variant.name}{SIGN}{variant.keys.owner if edit else variant.keys.reader}"

    def by_key(self, link: str) -> tuple[Variant, bool]:
        """The variant a link opens, and whether it may be changed. Raises `StudioError`."""
        name, _, key = link.partition(SIGN)
        wrong = StudioError("this link is not valid", "ask whoever gave it to you for a new one")
        try:
            variant = self.variant(name)
        except StudioError:
            raise wrong from None
        keys, given = variant.keys, key.encode(errors="replace")
        owner, reader = (hmac.compare_digest(one.encode(), given) for one in (keys.owner, keys.reader))
        if not owner and not reader:
            raise wrong
        return variant, owner

    def new(self, beginning: Beginning, name: str = "") -> Variant:
        """A new variant, under a name as near as can be to what somebody typed, or else to what it begins as.

        Raises `StudioError`, or `RulesError` if the rules it is to begin from cannot be read.
        """
        for free in filter(self._is_free, _numbered(tidy(name) or tidy(usual_name(beginning)) or "my-variant")):
            folder = self.folder / free
            texts = texts_of(beginning, free)
            try:
                templates.write(folder, texts)
            except OSError:
                if os.path.lexists(folder):  # somebody else took the name just now
                    continue
                raise
            return self._variant(free)
        raise StudioError(f"there are too many variants called `{name[:LONGEST]}`", "choose another name")

    def remove(self, name: str) -> Path:
        """Take a variant out of the collection; returns the folder where it is kept with all that belongs to it."""
        variant = self.variant(name)
        kept = self.folder / HIDDEN / "removed" / f"{name}-{secrets.token_hex(4)}"
        kept.mkdir(parents=True)
        os.rename(variant.folder, kept / name)
        beside = self.folder / HIDDEN / name
        if beside.is_dir():
            os.rename(beside, kept / HIDDEN)
        return kept

    def _variant(self, name: str) -> Variant:
        return Variant(self.folder / name, self.folder / HIDDEN / name)

    def _is_free(self, name: str) -> bool:
        if os.path.lexists(self.folder / name):
            return False
        try:
            check_module(name)
        except StudioError:
            return False
        return True


def _numbered(name: str) -> Iterator[str]:
    yield name
    yield from (f"{name[: LONGEST - 6].rstrip('-')}-{number}" for number in range(2, MOST))
