"""Modules read from folders as untrusted text: limited in size, UTF-8 only, and never outside the folder.

Some folders come from strangers, so their names, links, sizes and characters are all checked.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

from edict.compiler.sources.data_cache import load_or_parse
from edict.compiler.sources.file_schemas import validate_once
from edict.compiler.sources.input_limits import (
    LONGEST_NAME,
    MOST_BYTES,
    MOST_FILES,
    MOST_MODULES,
    MOST_NAMES,
    MOST_TOTAL,
    file_too_large_diagnostic,
)
from edict.compiler.sources.version_requirements import find_version_fault, is_satisfied, split_requirement
from edict.compiler.sources.written_data import WrittenData
from edict.support.graphemes import is_hidden
from edict.support.report import Diagnostic, Outcome, limit_diagnostics
from edict.support.text import EDITION, NOWHERE, Source, Span
from edict.support.version import __version__

MANIFEST = "module.yaml"
LOOK = "look.yaml"  # optional file with the appearance
WORDS = "words"  # folder of translations, one file per language
WITH = "with"  # folder of rule files that count only when another module is played too
# unsaved texts of an editor by resolved path; they replace the files' contents
UNSAVED: ContextVar[Mapping[Path, str]] = ContextVar("UNSAVED")


@contextmanager
def overlay_texts(texts: Mapping[Path, str]) -> Iterator[None]:
    """Read rules and scenes from unsaved texts, where there are any, within this context.

    Args:
        texts: Texts by resolved path.
    """
    token = UNSAVED.set(texts)
    try:
        yield
    finally:
        UNSAVED.reset(token)


def file_exists(file: Path) -> bool:
    """Return True if a file exists on disk or as an unsaved text."""
    return file.is_file() or bool(texts := UNSAVED.get({})) and file.resolve() in texts


def _list_unsaved_files(folder: Path) -> list[Path]:
    """Return the unsaved files in a folder, at any depth."""
    texts = UNSAVED.get({})
    home = folder.resolve() if texts else folder
    return [file for file in texts if home in file.parents]


# chapters of every rulebook; others are named as in the rules
CHAPTERS = (
    "primer",
    "setup",
    "core",
    "end",
    "always",
    "glance",
    "module",
)


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage that an author writes for the rulebook."""

    place: str  # chapter in which it is printed
    text: str  # one paragraph per line
    title: str = ""  # heading
    # the module that must be played too, if any; not in the repr, so that rules without it keep their digest
    with_module: str = field(default="", repr=False)

    @classmethod
    def from_data(cls, data: Mapping[str, str]) -> Passage:
        """Return the passage that YAML data with the keys of a manifest describes."""
        return cls(data["place"], data["text"], data.get("title", ""), data.get("with", ""))

    def to_data(self) -> dict[str, str]:
        """Return the passage as data with the keys of a manifest, without empty ones."""
        data = {"place": self.place, "text": self.text, "title": self.title, "with": self.with_module}
        return {key: text for key, text in data.items() if text}

    @property
    def paragraphs(self) -> list[str]:
        """The non-empty lines of the text."""
        return [line for line in map(str.strip, self.text.splitlines()) if line]


@dataclass(frozen=True, slots=True)
class Manifest:
    """The content of a module's `module.yaml`."""

    name: str
    title: str
    version: str
    kind: str  # game | module | scenario
    summary: str = ""
    purpose: str = field(default="", repr=False)  # aim of the players, in the author's words
    sheet: str = field(default="", repr=False)  # half a page for players, one paragraph per line
    book: tuple[Passage, ...] = field(default=(), repr=False)  # passages for the rulebook
    source: str = ""
    requires: tuple[str, ...] = ()
    over: tuple[str, ...] = ()  # modules that it may change
    conflicts: tuple[str, ...] = ()
    players: str = ""
    origin: str = ""
    renamed: tuple[tuple[str, str], ...] = field(default=(), repr=False)  # pairs of a former name and the present one
    language: int = field(default=0, repr=False)  # edition of the language its rules are written in
    # versions of required modules by name, and of this program; like the places, they say nothing about play
    versions: dict[str, str] = field(default_factory=dict, repr=False, compare=False)
    engine: str = field(default="", repr=False, compare=False)
    span: Span = field(default=NOWHERE, compare=False)  # place of the name
    places: dict[tuple[str | int, ...], Span] = field(default_factory=dict, compare=False)

    def span_of(self, key: str, name: str) -> Span:
        """Return the place where a list of the manifest (`key`) names another module."""
        names: tuple[str, ...] = getattr(self, key)
        return self.places.get((key, names.index(name)), self.span)


@dataclass(frozen=True)
class Module:
    """A module as read from its folder."""

    manifest: Manifest
    folder: Path
    sources: tuple[Source, ...]  # its rule files, sorted by name
    # rule files of `with/NAME/` by NAME, which count only when the module NAME is played too
    beside: dict[str, tuple[Source, ...]] = field(default_factory=dict)
    look: Source | None = field(default=None, compare=False)  # appearance; not needed to play
    words: dict[str, Source] = field(default_factory=dict, compare=False)  # translations by language

    @property
    def name(self) -> str:
        """The name in the manifest."""
        return self.manifest.name


def iter_passages(modules: Sequence[Module]) -> Iterator[tuple[Module, Passage]]:
    """Yield each passage of modules that are played together, without passages for modules that are not played."""
    played = {module.name for module in modules}
    for module in modules:
        for passage in module.manifest.book:
            if not passage.with_module or passage.with_module in played:
                yield module, passage


def read_module(folder: Path) -> Outcome[Module]:
    """Read the module in a folder, with all its rule files in the order of their names."""
    return read_manifest(folder).and_then(lambda manifest: _load_sources(folder, manifest))


def read_manifest(folder: Path) -> Outcome[Manifest]:
    """Read the manifest of a folder and check it against its schema."""
    return read_text(folder, folder / MANIFEST).and_then(_parse_manifest_text)


@lru_cache(maxsize=1024)
def _parse_manifest_text(source: Source) -> Outcome[Manifest]:
    """Parse the text of a manifest (cached, since a check of many modules reads that of the game for each)."""
    return load_or_parse("module", source, parse_manifest)


def parse_manifest(written: WrittenData) -> Outcome[Manifest]:
    """Return the manifest that YAML data describes, or the reasons why it is invalid."""
    entries = written.data.items() if isinstance(written.data, dict) else ()  # other data is reported by the schema
    oversized_keys = [key for key, value in entries if isinstance(value, list) and len(value) > MOST_MODULES]
    if oversized_keys:
        return Outcome(None, (_too_many_modules(written, oversized_keys[0]),))
    findings = validate_once("module", written)
    if findings:
        return Outcome(None, tuple(findings))
    faults = tuple(_iter_version_faults(written))
    if faults:
        return Outcome(None, faults)
    data: dict[str, Any] = {key: _freeze_value(value) for key, value in written.data.items()}
    data["language"] = edition = int(data.get("language", 0))
    if edition > EDITION:
        return Outcome(None, (_unsupported_edition_diagnostic(written, edition),))
    requirements = [split_requirement(text) for text in data.get("requires", ())]
    data["requires"] = tuple(name for name, _ in requirements)
    versions = {name: text for name, text in requirements if text}
    return Outcome(Manifest(**data, versions=versions, span=written.span_of(("name",)), places=written.places))


def _iter_version_faults(written: WrittenData) -> Iterator[Diagnostic]:
    """Yield the errors in the versions that a manifest requires of modules, and of this program."""
    requirements = [split_requirement(text) for text in written.data.get("requires", ())]
    names = [name for name, _ in requirements]
    for index, (name, versions) in enumerate(requirements):
        place = written.span_of(("requires", index))
        if name in names[:index]:
            yield Diagnostic(
                "E0184", f"`{name}` is required twice", place, help=f"write one line, such as `{name}>=1.2,<2`"
            )
        elif fault := find_version_fault(versions):
            yield _version_fault_diagnostic(fault, place, f"{name}>=1.2,<2")
    engine = str(written.data.get("engine", ""))
    place = written.span_of(("engine",)) if engine else NOWHERE
    if fault := find_version_fault(engine.replace(" ", "")) if engine else "":
        yield _version_fault_diagnostic(fault, place, ">=1.0")
    elif engine and not is_satisfied(__version__, engine):
        yield Diagnostic(
            "E0185",
            f"these rules need version {engine} of this program, and this is {__version__}",
            place,
            help="install a version that fits, or change `engine`",
        )


def _version_fault_diagnostic(fault: str, place: Span, example: str) -> Diagnostic:
    """Return the error for a part of a requirement that is no version as PEP 440 has them."""
    return Diagnostic(
        "E0184",
        f"`{fault}` is not a version requirement",
        place,
        note="Write `>=`, `<`, `==`, `!=` or `~=` and a version, and join several with commas.",
        help=f'write it as in `"{example}"`',
    )


def _too_many_modules(written: WrittenData, key: str) -> Diagnostic:
    """Return the error for a manifest's list `key`, like `requires`, that names more than MOST_MODULES modules."""
    return Diagnostic(
        "E0707",
        f"`{key}` names {len(written.data[key]):,} modules",
        written.span_of((key,)),
        note=f"Up to {MOST_MODULES} modules can be played together.",
        help="name fewer of them",
    )


def _unsupported_edition_diagnostic(written: WrittenData, edition: int) -> Diagnostic:
    """Return the error for a manifest whose `language:` is newer than this program knows."""
    return Diagnostic(
        "E0166",
        f"these rules are written in edition {edition} of the language",
        written.span_of(("language",)),
        note=f"The newest edition that this version knows is {EDITION}.",
        help="use a newer version of this program",
    )


def _freeze_value(value: Any) -> Any:
    """Convert a manifest value to immutable form: maps to pairs, lists to tuples with passages, the rest to text."""
    if isinstance(value, dict):
        return tuple((str(old), str(new)) for old, new in value.items())
    if isinstance(value, list):
        return tuple(Passage.from_data(item) if isinstance(item, dict) else item for item in value)
    return str(value)


def _load_sources(folder: Path, manifest: Manifest) -> Outcome[Module]:
    """Read the rule files, look and translations of a folder into a module with this manifest."""
    return (
        list_rule_files(folder)
        .and_then(lambda files: _build_module(folder, manifest, files))
        .and_then(_load_look)
        .and_then(_load_words)
    )


def _load_look(module: Module) -> Outcome[Module]:
    """Return the module with its `look.yaml` as text, or unchanged if there is none."""
    file = module.folder / LOOK
    if not os.path.lexists(file) and not file_exists(file):
        return Outcome(module)
    return read_text(module.folder, file).and_then(lambda look: Outcome(replace(module, look=look)))


def _load_words(module: Module) -> Outcome[Module]:
    """Return the module with the texts of its translation files, or unchanged if it has none."""
    words_folder = module.folder / WORDS
    if not os.path.lexists(words_folder) and not _list_unsaved_files(words_folder):
        return Outcome(module)
    files = _require_inside(module.folder, words_folder).and_then(lambda inside: list_files(inside, ".yaml"))
    return files.and_then(lambda word_files: _read_words(module, word_files))


def _read_words(module: Module, files: list[Path]) -> Outcome[Module]:
    """Return the module with these translation files as `words`, by language, which is the file's stem."""
    outcomes = {file.stem: read_text(module.folder, file) for file in files}
    diagnostics = tuple(d for outcome in outcomes.values() for d in outcome.diagnostics)
    words = {language: outcome.value for language, outcome in outcomes.items() if outcome.value is not None}
    return Outcome(None if diagnostics else replace(module, words=words), limit_diagnostics(diagnostics))


def _build_module(folder: Path, manifest: Manifest, files: list[Path]) -> Outcome[Module]:
    """Read the rule files into a module; files below `folder` are grouped by the NAME of their `with/NAME/`."""
    outcomes = {file: read_text(folder, file) for file in files}
    diagnostics = tuple(d for outcome in outcomes.values() for d in outcome.diagnostics)
    sources = {
        file: replace(outcome.value, edition=manifest.language)
        for file, outcome in outcomes.items()
        if outcome.value is not None
    }
    own_sources = tuple(source for file, source in sources.items() if file.parent == folder)
    beside: dict[str, list[Source]] = {}
    for file, source in sources.items():
        if file.parent != folder:
            beside.setdefault(file.parent.name, []).append(source)
    module = Module(manifest, folder, own_sources, {name: tuple(group) for name, group in beside.items()})
    return Outcome(None if diagnostics else module, limit_diagnostics(diagnostics))


# --- which files -------------------------------------------------------------------------------


def list_rule_files(folder: Path) -> Outcome[list[Path]]:
    """Return the rule files of a module, sorted; its own and those in its folders `with/NAME/`."""
    return list_files(folder, ".edict").and_then(lambda own: _add_conditional_files(folder, own))


def _add_conditional_files(folder: Path, own_files: list[Path]) -> Outcome[list[Path]]:
    """Return `own_files` and those in `with/NAME/`, sorted; a diagnostic if they are too many or too large."""
    try:
        subfolders = [Path(entry) for entry in islice(_iter_entries(folder / WITH), MOST_NAMES) if entry.is_dir()]
    except OSError as error:
        return Outcome(None, (_unreadable_diagnostic(f"{display_name(folder)}/{WITH}", str(error.strerror)),))
    files = [*own_files]
    unsaved = {folder / WITH / file.parent.name for file in _list_unsaved_files(folder / WITH)}
    for subfolder in sorted({*subfolders, *unsaved}):
        beside = _require_inside(folder, subfolder).and_then(lambda inside: list_files(inside, ".edict"))
        if beside.value is None:
            return beside
        files += beside.value
        if len(files) > MOST_FILES:
            return Outcome(None, (_too_much_diagnostic(display_name(folder), f"more than {MOST_FILES} rule files"),))
    size = sum(map(_file_size, files))
    oversized = _too_much_diagnostic(display_name(folder), f"{size:,} bytes of rules")
    return Outcome(sorted(files)) if size <= MOST_TOTAL else Outcome(None, (oversized,))


def list_files(folder: Path, suffix: str) -> Outcome[list[Path]]:
    """Return the files in a folder whose names end in `suffix`, sorted; empty if there is no folder.

    A folder with too many files, or with names that cannot be shown, gives diagnostics instead.
    """
    name = display_name(folder)
    try:
        names = [entry.name for entry in islice(_iter_entries(folder), MOST_NAMES + 1)]
    except OSError as error:
        return Outcome(None, (_unreadable_diagnostic(name, str(error.strerror)),))
    names += [file.name for file in UNSAVED.get({}) if file.parent == folder.resolve() and file.name not in names]
    matching = sorted(file_name for file_name in names if file_name.endswith(suffix))
    if len(names) > MOST_NAMES or len(matching) > MOST_FILES:
        if len(names) <= MOST_NAMES:
            count = f"{len(matching)} `{suffix}` files"
        else:
            count = f"more than {MOST_NAMES:,} files"
        return Outcome(None, (_too_much_diagnostic(name, count),))
    odd_names = tuple(_unsafe_name_diagnostic(name, file_name) for file_name in matching if _is_unsafe_name(file_name))
    return Outcome(None if odd_names else [folder / file_name for file_name in matching], odd_names)


def _iter_entries(folder: Path) -> Iterator[os.DirEntry[str]]:
    """Yield the entries of a folder; none if there is no such folder."""
    if folder.is_dir():
        with os.scandir(folder) as entries:
            yield from entries


def display_name(path: Path) -> str:
    """Return the name of a file or folder as text that can be printed anywhere."""
    return decode_name(path.resolve().name)


def decode_name(name: str) -> str:
    """Return a name of the file system as printable UTF-8; other bytes are escaped."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def _is_unsafe_name(name: str) -> bool:
    """Return True for a name that cannot be shown or could deceive a reader."""
    return len(os.fsencode(name)) > LONGEST_NAME or any(map(is_hidden, name))


def _unsafe_name_diagnostic(folder: str, name: str) -> Diagnostic:
    """Return the error for a file name that is too long, not UTF-8, or has hidden characters, which are escaped."""
    shown = "".join(f"\\x{ord(char):02x}" if is_hidden(char) else char for char in decode_name(name))
    if len(shown) > LONGEST_NAME:
        shown = shown[:40] + "..."
    return Diagnostic(
        "E0163",
        f"`{shown}` in `{folder}` is not a valid name for a rule file",
        note=f"It is longer than {LONGEST_NAME} bytes, is not UTF-8, or has characters that cannot be seen.",
        help="rename the file",
    )


def _require_inside(folder: Path, subfolder: Path) -> Outcome[Path]:
    """Return a folder within a module's folder, or a diagnostic if it is a link to somewhere else."""
    try:
        is_inside = subfolder.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError):  # a circular link
        is_inside = False
    name = f"{display_name(folder)}/{decode_name(subfolder.relative_to(folder).as_posix())}"
    if is_inside:
        return Outcome(subfolder)
    return Outcome(None, (_outside_diagnostic(name),))


def _too_much_diagnostic(called: str, count: str) -> Diagnostic:
    """Return the error for a folder with too many or too large rule files; `count` says what it has."""
    return Diagnostic(
        "E0152",
        f"the folder `{called}` contains too much",
        note=f"It has {count}; up to {MOST_FILES} rule files and {MOST_TOTAL:,} bytes in all are read.",
        help="split it into modules",
    )


def _file_size(file: Path) -> int:
    """Return the bytes of a file, or of its unsaved text in the editor; 0 if it is missing."""
    try:
        unsaved = UNSAVED.get({}).get(file.resolve())
        if unsaved is None:
            return file.stat().st_size
        return len(unsaved.encode("utf-8", "surrogatepass"))
    except (OSError, RuntimeError):  # missing, or a circular link
        return 0


def read_text(folder: Path, file: Path) -> Outcome[Source]:
    """Read a file of a folder as text.

    It is refused with a diagnostic if it leads out of the folder, is too large or is not UTF-8. An unsaved text takes
    the place of the file's content.
    """
    name = f"{display_name(folder)}/{decode_name(file.relative_to(folder).as_posix())}"
    try:
        if not file.resolve().is_relative_to(folder.resolve()):
            return Outcome(None, (_outside_diagnostic(name),))
        unsaved = UNSAVED.get({}).get(file.resolve())
        if unsaved is None and not file.is_file():
            return Outcome(None, (_unreadable_diagnostic(name, "it is not a file"),))
        if unsaved is None:
            raw = _read_up_to_limit(file)
        else:
            raw = unsaved.encode("utf-8", "surrogatepass")
        if len(raw) > MOST_BYTES:
            return Outcome(None, (file_too_large_diagnostic(Span(name, 1, 1, 1, 1), _file_size(file)),))
        return Outcome(Source(name, raw.decode("utf-8-sig").replace("\r\n", "\n")))
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        return Outcome(None, (_unreadable_diagnostic(name, f"line {line} is not UTF-8", Span(name, line, 1, line, 2)),))
    except (OSError, RuntimeError) as error:
        return Outcome(
            None, (_unreadable_diagnostic(name, str(getattr(error, "strerror", "") or "it leads in a circle")),)
        )


def _read_up_to_limit(file: Path) -> bytes:
    """Read a file up to one byte more than is allowed, so that excess shows."""
    with file.open("rb") as stream:
        return stream.read(MOST_BYTES + 1)


def _outside_diagnostic(name: str) -> Diagnostic:
    return Diagnostic(
        "E0153",
        f"`{name}` points outside its folder",
        note="A link to another place could expose files that have nothing to do with the rules.",
        help="put the file itself into the folder",
    )


def _unreadable_diagnostic(name: str, reason: str, span: Span = NOWHERE) -> Diagnostic:
    """Return the error for a file or folder that cannot be read; `reason` is the system's message."""
    remedy = "check that it exists and can be read"
    remedy = "save it as a text file in UTF-8" if "UTF-8" in reason else remedy
    return Diagnostic("E0154", f"`{name}` cannot be read: {reason}", span, help=remedy)
