"""A module's folder, read as text and nothing else: up to a size, UTF-8 only, and never beyond itself.

Some folders are strangers', so nothing in them is trusted: not their names, links, sizes or characters.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from edict.front import cache
from edict.front.limits import MOST_BYTES, file_too_large
from edict.front.written import Written, read_yaml
from edict.program import digest
from edict.report import Diagnostic, Outcome
from edict.text import NOWHERE, Source, Span

MANIFEST = "module.yaml"
MOST_FILES = 200
MOST_TOTAL = 8_000_000  # bytes of all rule files together


@dataclass(frozen=True, slots=True)
class Manifest:
    """What `module.yaml` says; `over` are the modules it may change, `span` is where its name stands."""

    name: str
    title: str
    version: str
    kind: str  # game | module | scenario
    summary: str = ""
    source: str = ""
    requires: tuple[str, ...] = ()
    over: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()
    players: str = ""
    origin: str = ""
    renamed: tuple[tuple[str, str], ...] = field(default=(), repr=False)  # what was called so -> is called so now
    span: Span = field(default=NOWHERE, compare=False)
    places: dict[tuple[str | int, ...], Span] = field(default_factory=dict, compare=False)

    def place(self, key: str, name: str) -> Span:
        """Where a list of the manifest names another module."""
        names: tuple[str, ...] = getattr(self, key)
        return self.places.get((key, names.index(name)), self.span)


@dataclass(frozen=True)
class Module:
    """A module as read: its manifest, its folder, its rule files by name.

    `beside` holds the rule files of its folders `with/NAME/`, which count only when the module NAME is played too.
    """

    manifest: Manifest
    folder: Path
    sources: tuple[Source, ...]
    beside: dict[str, tuple[Source, ...]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.manifest.name


def read_module(folder: Path) -> Outcome[Module]:
    """The module in a folder, with all its rule files in the order of their names."""
    return read_manifest(folder).then(lambda manifest: _with_sources(folder, manifest))


def read_manifest(folder: Path) -> Outcome[Manifest]:
    """The manifest of a folder, checked against its schema."""
    return read_text(folder, folder / MANIFEST).then(read_yaml).then(manifest_of)


def manifest_of(written: Written) -> Outcome[Manifest]:
    """The manifest in what was written."""
    known = f"manifest-{digest(str(written.data))}"
    if not cache.remembered(known):
        wrong = _against_schema(written)
        if wrong:
            return Outcome(None, tuple(wrong))
        cache.remember(known)
    data: dict[str, Any] = {key: _settled(value) for key, value in written.data.items()}
    return Outcome(Manifest(**data, span=written.place(("name",)), places=written.places))


def _settled(value: Any) -> Any:
    if isinstance(value, dict):
        return tuple((str(old), str(new)) for old, new in value.items())
    return tuple(value) if isinstance(value, list) else str(value)


def _against_schema(written: Written) -> list[Diagnostic]:
    from edict.front.shape import check_written  # not before it is needed: it takes a while to load

    return check_written("module", written)


def _with_sources(folder: Path, manifest: Manifest) -> Outcome[Module]:
    try:
        files = sorted((*folder.glob("*.edict"), *folder.glob("with/*/*.edict")))
    except OSError as error:
        return Outcome(None, (_unreadable(folder.name, str(error.strerror)),))
    if len(files) > MOST_FILES or sum(_size(file) for file in files) > MOST_TOTAL:
        return Outcome(None, (_too_much(folder, len(files)),))
    read = {file: read_text(folder, file) for file in files}
    found = tuple(d for outcome in read.values() for d in outcome.diagnostics)
    sources = {file: outcome.value for file, outcome in read.items() if outcome.value is not None}
    own = tuple(source for file, source in sources.items() if file.parent == folder)
    beside: dict[str, tuple[Source, ...]] = {}
    for file, source in sources.items():
        if file.parent != folder:
            beside[file.parent.name] = (*beside.get(file.parent.name, ()), source)
    return Outcome(None if found else Module(manifest, folder, own, beside), found)


def _too_much(folder: Path, count: int) -> Diagnostic:
    return Diagnostic(
        "E0152",
        f"the folder `{folder.name}` holds too much",
        note=f"It has {count} rule files; up to {MOST_FILES} files and {MOST_TOTAL:,} bytes together are read.",
        help="split it into modules",
    )


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0


def read_text(folder: Path, file: Path) -> Outcome[Source]:
    """A file of the folder as text; refused if it leads out of the folder, is too large or is no UTF-8."""
    name = f"{folder.resolve().name}/{file.relative_to(folder).as_posix()}"
    try:
        if not file.resolve().is_relative_to(folder.resolve()):
            return Outcome(None, (_leaves(name),))
        if not file.is_file():
            return Outcome(None, (_unreadable(name, "it is no file"),))
        with file.open("rb") as stream:
            raw = stream.read(MOST_BYTES + 1)
        if len(raw) > MOST_BYTES:
            return Outcome(None, (file_too_large(Span(name, 1, 1, 1, 1), file.stat().st_size),))
        return Outcome(Source(name, raw.decode("utf-8-sig").replace("\r\n", "\n")))
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        return Outcome(None, (_unreadable(name, f"line {line} is not UTF-8", Span(name, line, 1, line, 2)),))
    except (OSError, RuntimeError) as error:
        return Outcome(None, (_unreadable(name, str(getattr(error, "strerror", "") or "it leads in a circle")),))


def _leaves(name: str) -> Diagnostic:
    return Diagnostic(
        "E0153",
        f"`{name}` leads out of its folder",
        note="A link to somewhere else could show files that are none of the rules' business.",
        help="put the file itself into the folder",
    )


def _unreadable(name: str, reason: str, span: Span = NOWHERE) -> Diagnostic:
    return Diagnostic("E0154", f"`{name}` cannot be read: {reason}", span, help="save it as a text file in UTF-8")
