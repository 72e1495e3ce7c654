"""Manifests under another name."""

from __future__ import annotations

import re

from edict.studio.names import title_of

_NAME = re.compile(r"^name:[^\S\n]*(?P<name>[^#\n]*?)(?P<rest>[^\S\n]*(#[^\n]*)?)$", re.MULTILINE)
_TITLE = re.compile(r"^title:[^\n]*$", re.MULTILINE)


def renamed(manifest: str, name: str) -> str:
    """A manifest with this name, and a title that goes with it unless it has the name already."""
    if name_in(manifest) in ("", name):
        return manifest
    called = _NAME.sub(lambda one: f"name: {name}{one['rest']}", manifest, count=1)
    return _TITLE.sub(f"title: {title_of(name)}", called, count=1)


def name_in(manifest: str) -> str:
    """The name in a manifest; nothing if there is none on a line of its own."""
    found = _NAME.search(manifest)
    return found["name"].strip("'\"") if found is not None else ""
