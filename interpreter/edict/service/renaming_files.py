"""A new name in files beside the rules: manifests and looks, and what bots have learned."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from edict.bots import nets, weights
from edict.report import Edit
from edict.service.answer_types import Refused
from edict.service.workspace import Workspace
from edict.sources.folders import LOOK, MANIFEST
from edict.sources.appearance import NAMED
from edict.sources.yaml_reader import Written, read_yaml
from edict.text import Source, Span

LEARNED = (weights.FILE, nets.FILE)
RENAMED = "renamed"
_UNLEARNED = "measured"  # what a file of weights says about the games of bots


def file_edits(space: Workspace, folder: Path, old: str, new: str, declares: bool) -> Iterator[tuple[Path, Edit]]:
    """The edits beside the rules of a module; of the one that `declares` the name, also that it was called otherwise.

    Raises `Refused` where saved games would be taken for what they are not.
    """
    for name, edits in ((LOOK, _in_look), *((name, _learned) for name in LEARNED)):
        yield from ((folder / name, edit) for edit in edits(_source(space, folder / name), old, new))
    manifest = _source(space, folder / MANIFEST)
    yield from ((folder / MANIFEST, edit) for edit in _in_manifest(manifest, old, new, declares))


def _source(space: Workspace, path: Path) -> Source:
    return Source(f"{path.parent.name}/{path.name}", space.text(path))


# --- manifests and looks ---------------------------------------------------------------------------


def _in_look(source: Source, old: str, new: str) -> Iterator[Edit]:
    read = read_yaml(source).value
    for part in NAMED if read is not None and isinstance(read.data, dict) else ():
        if read is not None and (part, old) in read.keys:
            yield Edit(read.keys[part, old], new)


def _in_manifest(source: Source, old: str, new: str, declares: bool) -> Iterator[Edit]:
    """What the manifest says was called so is called so now; where it keeps such a list, the old name joins it."""
    read = read_yaml(source).value
    former = read.data.get(RENAMED) if read is not None and isinstance(read.data, dict) else None
    if read is None or not isinstance(former, dict) or not former:
        return
    if declares and former.get(new, old) != old:
        raise Refused(f"saved games call `{former[new]}` `{new}` ({source.name} says so), and would mean another thing")
    for name, now in former.items():
        if now == old and name != new:
            yield Edit(read.place((RENAMED, name)), new)
    if declares and former.get(new) == old:  # it is called again as it was
        yield Edit(read.keys[RENAMED, new], old)
        yield Edit(read.place((RENAMED, new)), new)
    elif declares and old not in former:
        yield _added(read, source, next(iter(former)), f"{old}: {new}")


def _added(read: Written, source: Source, first: str, entry: str) -> Edit:
    """An entry before the first one, in the same line or in one of its own, as the others stand."""
    at = read.keys[RENAMED, first]
    indent = source.text.split("\n")[at.line - 1][: at.column - 1]
    after = f"\n{indent}" if not indent.strip() else ", "
    return Edit(Span(at.file, at.line, at.column, at.line, at.column), entry + after)


# --- what was learned ------------------------------------------------------------------------------


def _learned(source: Source, old: str, new: str) -> Iterator[Edit]:
    """The name in the features of a file of weights or a network; anything else in it stays."""
    try:
        data = json.loads(source.text)
    except (ValueError, RecursionError):
        return
    word = re.compile(rf"(?<![\w-]){re.escape(old)}(?![\w-])")
    named = {one for one in _features(data) if word.search(one)} if isinstance(data, dict) else set()
    signs = "|".join(re.escape(json.dumps(one, ensure_ascii=False)) for one in sorted(named))
    for number, line in enumerate(source.text.split("\n") if named else (), 1):
        for found in re.finditer(rf'(?:"clock"\s*:\s*)?(?P<feature>{signs})\s*(?=[:,}}]|$)', line):
            for one in word.finditer(line, *found.span("feature")):
                yield Edit(Span(source.name, number, one.start() + 1, number, one.end() + 1), new)


def _features(data: dict[str, Any]) -> Iterator[str]:
    """The keys within the parts of a file, which are features, and the clock."""
    yield from [data["clock"]] if isinstance(data.get("clock"), str) else []
    waiting = [part for name, part in data.items() if name != _UNLEARNED and isinstance(part, dict)]
    while waiting:
        part = waiting.pop()
        yield from part
        waiting += [below for below in part.values() if isinstance(below, dict)]
