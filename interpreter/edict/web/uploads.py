"""A stranger's module, uploaded as a zip file: its texts are written to a folder of their own and read like any module.

Only the manifest, the look and rule files are unpacked. The folder is deleted at once: a game contains its rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from edict.sources.folders import read_manifest
from edict.sources.zipped import WrongZip, unzipped
from edict.report import RulesError
from edict.table.rules import Rules, load_rules


class WrongUpload(Exception):
    """What was sent is no module that can be played; the text says why."""


def rules_with(raw: bytes, game: str, modules: Sequence[str]) -> Rules:
    """A game with modules that ship and the one in a zip file; of a whole game, that. Raises `WrongUpload`."""
    try:
        with _unpacked(raw) as folder:
            manifest = read_manifest(folder).unwrap()
            over = [] if manifest.kind == "game" else [*modules]
            base = str(folder) if manifest.kind == "game" else game
            loaded = load_rules(base, [*over, *([] if manifest.kind == "game" else [str(folder)])])
    except RulesError as problem:
        raise WrongUpload(str(problem.first)) from None
    name = manifest.name if manifest.kind == "game" else game
    return replace(loaded, name=name, modules=(*over, *([] if manifest.kind == "game" else [manifest.name])))


@contextmanager
def _unpacked(raw: bytes) -> Iterator[Path]:
    try:
        home, files = unzipped(raw)
    except WrongZip as problem:
        raise WrongUpload(str(problem)) from None
    with TemporaryDirectory(prefix="edict-module-") as parent:
        folder = Path(parent, home or "module")
        for name, content in files.items():
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
        yield folder
