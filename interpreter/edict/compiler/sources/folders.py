"""A module's folder, read as text and nothing else: up to a size, UTF-8 only, and never beyond itself.

Some folders are strangers', so nothing in them is trusted: not their names, links, sizes or characters.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

from edict.compiler.sources.file_schemas import schema_findings
from edict.compiler.sources.input_limits import (
    LONGEST_NAME,
    MOST_BYTES,
    MOST_FILES,
    MOST_MODULES,
    MOST_NAMES,
    MOST_TOTAL,
    file_too_large,
)
from edict.compiler.sources.yaml_reader import WrittenData, read_yaml
from edict.support.graphemes import is_hidden
from edict.support.report import Diagnostic, Outcome, limit_diagnostics
from edict.support.text import EDITION, NOWHERE, Source, Span

MANIFEST = "module.yaml"
LOOK = "look.yaml"  # how it is drawn; need not be there
WORDS = "words"  # the folder for what it says in other languages, a file for each
WITH = "with"  # the folder for files that count beside another module
UNSAVED: ContextVar[Mapping[Path, str]] = ContextVar("UNSAVED")
"""Texts that stand for what files hold, by resolved path: what an editor has not saved yet."""


@contextmanager
def laid_over(texts: Mapping[Path, str]) -> Iterator[None]:
    """In here whatever is read of rules and scenes is read from these texts, where there are any."""
    token = UNSAVED.set(texts)
    try:
        yield
    finally:
        UNSAVED.reset(token)


def is_there(file: Path) -> bool:
    """Whether there is such a file, also one that is not saved yet."""
    return file.is_file() or bool(texts := UNSAVED.get({})) and file.resolve() in texts


def _unsaved_in(folder: Path) -> list[Path]:
    """The files in a folder, at any depth, that somebody works on."""
    texts = UNSAVED.get({})
    home = folder.resolve() if texts else folder
    return [file for file in texts if home in file.parents]


PLACES = ("primer", "setup", "core", "end", "always")  # chapters of every rulebook; others are named as in the rules


@dataclass(frozen=True, slots=True)
class Passage:
    """What an author says in the rulebook: where, under which heading, a paragraph a line."""

    place: str
    text: str
    title: str = ""

    @property
    def paragraphs(self) -> list[str]:
        return [line for line in map(str.strip, self.text.splitlines()) if line]


@dataclass(frozen=True, slots=True)
class Manifest:
    """What `module.yaml` says; `over` are the modules it may change, `span` is where its name stands."""

    name: str
    title: str
    version: str
    kind: str  # game | module | scenario
    summary: str = ""
    purpose: str = field(default="", repr=False)  # what players are there for, in the author's words
    sheet: str = field(default="", repr=False)  # half a page for players, a paragraph a line
    book: tuple[Passage, ...] = field(default=(), repr=False)  # what the rulebook says in the author's words
    source: str = ""
    requires: tuple[str, ...] = ()
    over: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()
    players: str = ""
    origin: str = ""
    renamed: tuple[tuple[str, str], ...] = field(default=(), repr=False)  # what was called so -> is called so now
    language: int = field(default=0, repr=False)  # the edition its rules are written in
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
    `look` says how it is drawn; nobody reads it who only plays. `words` are its texts in other languages.
    """

    manifest: Manifest
    folder: Path
    sources: tuple[Source, ...]
    beside: dict[str, tuple[Source, ...]] = field(default_factory=dict)
    look: Source | None = field(default=None, compare=False)
    words: dict[str, Source] = field(default_factory=dict, compare=False)

    @property
    def name(self) -> str:
        return self.manifest.name


def read_module(folder: Path) -> Outcome[Module]:
    """The module in a folder, with all its rule files in the order of their names."""
    return read_manifest(folder).and_then(lambda manifest: _with_sources(folder, manifest))


def read_manifest(folder: Path) -> Outcome[Manifest]:
    """The manifest of a folder, checked against its schema."""
    return read_text(folder, folder / MANIFEST).and_then(read_yaml).and_then(manifest_of)


def manifest_of(written: WrittenData) -> Outcome[Manifest]:
    """The manifest in what was written."""
    entries = written.data.items() if isinstance(written.data, dict) else ()  # the schema tells what it is otherwise
    long = [key for key, value in entries if isinstance(value, list) and len(value) > MOST_MODULES]
    if long:
        return Outcome(None, (_too_many(written, long[0]),))
    wrong = schema_findings("module", written)
    if wrong:
        return Outcome(None, tuple(wrong))
    data: dict[str, Any] = {key: _settled(value) for key, value in written.data.items()}
    data["language"] = edition = int(data.get("language", 0))
    if edition > EDITION:
        return Outcome(None, (_too_new(written, edition),))
    return Outcome(Manifest(**data, span=written.place(("name",)), places=written.places))


def _too_many(written: WrittenData, key: str) -> Diagnostic:
    return Diagnostic(
        "E0707",
        f"`{key}` names {len(written.data[key]):,} modules",
        written.place((key,)),
        note=f"Up to {MOST_MODULES} modules can be played together.",
        help="name fewer of them",
    )


def _too_new(written: WrittenData, edition: int) -> Diagnostic:
    return Diagnostic(
        "E0166",
        f"these rules are written in edition {edition} of the language",
        written.place(("language",)),
        note=f"The newest edition that is known here is {EDITION}.",
        help="play them with a newer version of this program",
    )


def _settled(value: Any) -> Any:
    if isinstance(value, dict):
        return tuple((str(old), str(new)) for old, new in value.items())
    if isinstance(value, list):
        return tuple(Passage(**one) if isinstance(one, dict) else one for one in value)
    return str(value)


def _with_sources(folder: Path, manifest: Manifest) -> Outcome[Module]:
    return (
        rule_files(folder)
        .and_then(lambda files: _read(folder, manifest, files))
        .and_then(_with_look)
        .and_then(_with_words)
    )


def _with_look(module: Module) -> Outcome[Module]:
    file = module.folder / LOOK
    if not os.path.lexists(file) and not is_there(file):
        return Outcome(module)
    return read_text(module.folder, file).and_then(lambda look: Outcome(replace(module, look=look)))


def _with_words(module: Module) -> Outcome[Module]:
    place = module.folder / WORDS
    if not os.path.lexists(place) and not _unsaved_in(place):
        return Outcome(module)
    files = _inside(module.folder, place).and_then(lambda inside: files_in(inside, ".yaml"))
    return files.and_then(lambda found: _read_words(module, found))


def _read_words(module: Module, files: list[Path]) -> Outcome[Module]:
    read = {file.stem: read_text(module.folder, file) for file in files}
    found = tuple(d for outcome in read.values() for d in outcome.diagnostics)
    words = {language: outcome.value for language, outcome in read.items() if outcome.value is not None}
    return Outcome(None if found else replace(module, words=words), limit_diagnostics(found))


def _read(folder: Path, manifest: Manifest, files: list[Path]) -> Outcome[Module]:
    read = {file: read_text(folder, file) for file in files}
    found = tuple(d for outcome in read.values() for d in outcome.diagnostics)
    sources = {
        file: replace(outcome.value, edition=manifest.language)
        for file, outcome in read.items()
        if outcome.value is not None
    }
    own = tuple(source for file, source in sources.items() if file.parent == folder)
    beside: dict[str, list[Source]] = {}
    for file, source in sources.items():
        if file.parent != folder:
            beside.setdefault(file.parent.name, []).append(source)
    module = Module(manifest, folder, own, {name: tuple(written) for name, written in beside.items()})
    return Outcome(None if found else module, limit_diagnostics(found))


# --- which files -------------------------------------------------------------------------------


def rule_files(folder: Path) -> Outcome[list[Path]]:
    """The rule files of a module, sorted: its own, and those in its folders `with/NAME/`."""
    return files_in(folder, ".edict").and_then(lambda own: _and_beside(folder, own))


def _and_beside(folder: Path, own: list[Path]) -> Outcome[list[Path]]:
    try:
        places = [Path(entry) for entry in islice(_within(folder / WITH), MOST_NAMES) if entry.is_dir()]
    except OSError as error:
        return Outcome(None, (_unreadable(f"{called(folder)}/{WITH}", str(error.strerror)),))
    files = [*own]
    typed = {folder / WITH / file.parent.name for file in _unsaved_in(folder / WITH)}
    for place in sorted({*places, *typed}):
        beside = _inside(folder, place).and_then(lambda inside: files_in(inside, ".edict"))
        if beside.value is None:
            return beside
        files += beside.value
        if len(files) > MOST_FILES:
            return Outcome(None, (_too_much(called(folder), f"more than {MOST_FILES} rule files"),))
    size = sum(map(_size, files))
    much = _too_much(called(folder), f"{size:,} bytes of rules")
    return Outcome(sorted(files)) if size <= MOST_TOTAL else Outcome(None, (much,))


def files_in(folder: Path, suffix: str) -> Outcome[list[Path]]:
    """The files of a folder with this ending, sorted; not counted to the end where there are too many."""
    name = called(folder)
    try:
        names = [entry.name for entry in islice(_within(folder), MOST_NAMES + 1)]
    except OSError as error:
        return Outcome(None, (_unreadable(name, str(error.strerror)),))
    names += [file.name for file in UNSAVED.get({}) if file.parent == folder.resolve() and file.name not in names]
    wanted = sorted(one for one in names if one.endswith(suffix))
    if len(names) > MOST_NAMES or len(wanted) > MOST_FILES:
        count = f"{len(wanted)} `{suffix}` files" if len(names) <= MOST_NAMES else f"more than {MOST_NAMES:,} files"
        return Outcome(None, (_too_much(name, count),))
    odd = tuple(_oddly_called(name, one) for one in wanted if _is_odd(one))
    return Outcome(None if odd else [folder / one for one in wanted], odd)


def _within(folder: Path) -> Iterator[os.DirEntry[str]]:
    """What lies in a folder, one after the other; nothing, if there is no such folder."""
    if folder.is_dir():
        with os.scandir(folder) as entries:
            yield from entries


def called(path: Path) -> str:
    """The name of a file or folder as a text that can be written anywhere."""
    return shown_name(path.resolve().name)


def shown_name(name: str) -> str:
    """A name of the file system, which need not be UTF-8."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def _is_odd(name: str) -> bool:
    """Whether a name could not be shown, or deceive who reads it."""
    return len(os.fsencode(name)) > LONGEST_NAME or any(map(is_hidden, name))


def _oddly_called(folder: str, name: str) -> Diagnostic:
    shown = "".join(f"\\x{ord(char):02x}" if is_hidden(char) else char for char in shown_name(name))
    if len(shown) > LONGEST_NAME:
        shown = shown[:40] + "..."
    return Diagnostic(
        "E0163",
        f"`{shown}` in `{folder}` is not a name for a file of rules",
        note=f"It is longer than {LONGEST_NAME} bytes, is not UTF-8, or has characters that cannot be seen.",
        help="rename the file",
    )


def _inside(folder: Path, place: Path) -> Outcome[Path]:
    """A folder in a module's folder, unless it is a link to somewhere else."""
    try:
        inside = place.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError):  # it leads in a circle
        inside = False
    name = f"{called(folder)}/{shown_name(place.relative_to(folder).as_posix())}"
    return Outcome(place) if inside else Outcome(None, (_leaves(name),))


def _too_much(called: str, count: str) -> Diagnostic:
    return Diagnostic(
        "E0152",
        f"the folder `{called}` holds too much",
        note=f"It has {count}; up to {MOST_FILES} rule files and {MOST_TOTAL:,} bytes in all are read.",
        help="split it into modules",
    )


def _size(file: Path) -> int:
    try:
        unsaved = UNSAVED.get({}).get(file.resolve())
        return file.stat().st_size if unsaved is None else len(unsaved.encode("utf-8", "surrogatepass"))
    except (OSError, RuntimeError):  # it is not there, or leads in a circle
        return 0


def read_text(folder: Path, file: Path) -> Outcome[Source]:
    """A file of the folder as text; refused if it leads out of the folder, is too large or is no UTF-8."""
    name = f"{called(folder)}/{shown_name(file.relative_to(folder).as_posix())}"
    try:
        if not file.resolve().is_relative_to(folder.resolve()):
            return Outcome(None, (_leaves(name),))
        unsaved = UNSAVED.get({}).get(file.resolve())
        if unsaved is None and not file.is_file():
            return Outcome(None, (_unreadable(name, "it is not a file"),))
        raw = _start_of(file) if unsaved is None else unsaved.encode("utf-8", "surrogatepass")
        if len(raw) > MOST_BYTES:
            return Outcome(None, (file_too_large(Span(name, 1, 1, 1, 1), _size(file)),))
        return Outcome(Source(name, raw.decode("utf-8-sig").replace("\r\n", "\n")))
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        return Outcome(None, (_unreadable(name, f"line {line} is not UTF-8", Span(name, line, 1, line, 2)),))
    except (OSError, RuntimeError) as error:
        return Outcome(None, (_unreadable(name, str(getattr(error, "strerror", "") or "it leads in a circle")),))


def _start_of(file: Path) -> bytes:
    """What a file holds, up to a little more than is allowed."""
    with file.open("rb") as stream:
        return stream.read(MOST_BYTES + 1)


def _leaves(name: str) -> Diagnostic:
    return Diagnostic(
        "E0153",
        f"`{name}` leads out of its folder",
        note="A link to somewhere else could show files that are none of the rules' business.",
        help="put the file itself into the folder",
    )


def _unreadable(name: str, reason: str, span: Span = NOWHERE) -> Diagnostic:
    remedy = "check that it is there, and that it may be read"
    remedy = "save it as a text file in UTF-8" if "UTF-8" in reason else remedy
    return Diagnostic("E0154", f"`{name}` cannot be read: {reason}", span, help=remedy)
