"""Texts that were typed and not saved: each a file of its own beside the variant, written whole before it counts."""

from __future__ import annotations

import contextlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path

from edict.files import write_whole
from edict.program import digest
from edict.studio.names import is_file

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
        found = (_read(place) for place in sorted(self._folder.glob(f"*{ENDING}")))
        return {draft.file: draft for draft in found if draft is not None}

    def get(self, file: str) -> Draft | None:
        return _read(self._place(file))

    def put(self, draft: Draft) -> None:
        """Keep it; it is on the disk when this returns. Raises `OSError`."""
        self._folder.mkdir(parents=True, exist_ok=True)
        write_whole(self._place(draft.file), json.dumps(asdict(draft)) + "\n")

    def drop(self, file: str) -> None:
        with contextlib.suppress(FileNotFoundError):
            self._place(file).unlink()

    def _place(self, file: str) -> Path:
        return self._folder / f"{digest(file)}{ENDING}"


def held(text: str | None) -> str:
    """The digest of what a file holds; nothing for no file."""
    return "" if text is None else digest(text)


def _read(place: Path) -> Draft | None:
    try:
        draft = Draft(**json.loads(place.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None
    texts = (draft.file, draft.text, draft.over)
    return draft if all(isinstance(one, str) for one in texts) and is_file(draft.file) else None
