"""The engine of a workshop for variants: their files and drafts, and background work while somebody types.

    collection = Collection(folder)                       variants on disk, each a plain folder
    variant = collection.create(LaidOver(), "My variant")
    variant.write_draft("rules.edict", text)              stored at once, and not yet saved
    snapshot = variant.take_snapshot()                    its files with drafts laid over, for everything below

`variant_files` compiles a snapshot, `scene_runs` plays its scenes, `playtests` begins and continues games,
`recorded_scenes` turns play into scenes, `evaluation` compares the variant with its base. Nothing here depends on a
page or a protocol.
"""

from __future__ import annotations

from edict.support.request_errors import RequestError


class StudioError(RequestError):
    """A request to the studio that cannot be carried out."""


class FileConflict(StudioError):
    """Raised if a file has changed on disk since its draft was begun."""
