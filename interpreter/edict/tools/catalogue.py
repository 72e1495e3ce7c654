"""A static catalogue of modules: entries for programs, with what each module changes and the checksum of its file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from edict.compiler.english import OutlineLine
from edict.compiler.sources.folders import Manifest, Module
from edict.prose.rulebook.annotated_rules import AnnotatedRules, annotate_rules
from edict.prose.rulebook.chapters import Section, Steps
from edict.prose.rulebook.rule_differences import RuleChange, find_changed_sections, find_differences
from edict.prose.rulebook.rulebook_contents import build_rulebook
from edict.support.files import write_atomically
from edict.support.morphology import capitalize
from edict.support.records import dataclass
from edict.support.request_errors import RequestError
from edict.tools.packages import build_archive, read_project

INDEX, SIGNATURE, PAGE = "index.json", "index.json.sig", "index.html"  # PAGE serves `pip --find-links` too
FORMAT = "edict index 1"
PAGES, FILES = "modules", "files"  # folders of the catalogue
MAX_CHANGES = 40  # sentences on changes in an entry
MAX_TEXT = 1000  # characters of a sentence
Data = Mapping[str, Any]


class ArchiveChanged(RequestError):
    """An archive that is in the catalogue with other content."""


@dataclass(frozen=True, slots=True)
class CatalogueEntry:
    """A module in a catalogue."""

    data: dict[str, Any]  # as `index.json` has it
    sections: tuple[Section, ...]  # what it changes; of a game, its rulebook


def build_entry(modules: tuple[Module, ...], folder: Path, tried: Iterable[Data], catalogue: Path) -> CatalogueEntry:
    """Build the entry of a module, and write its archive into the catalogue.

    Args:
        modules: The module with all that it requires, the game first.
        folder: The folder of the module.
        tried: What engines found: their version, and numbers of errors, warnings, and scenes that passed and failed.
        catalogue: The folder of the catalogue.

    Raises:
        ArchiveChanged: The catalogue has this version with other content.
        RequestError: The archive cannot be built.
        RulesError: The rules have errors.
    """
    module = next(module for module in modules if module.folder.resolve() == folder.resolve())
    manifest = module.manifest
    rules = annotate_rules(modules).unwrap()
    below = tuple(other for other in modules if other is not module)
    base = annotate_rules(below).unwrap() if below and manifest.kind != "game" else None
    changes = find_differences(base, rules) if base is not None else ()
    data = {
        **{key: getattr(manifest, key) for key in ("name", "title", "kind", "version", "summary", "players")},
        "engine": manifest.engine,
        "source": manifest.source,
        "origin": manifest.origin,
        "requires": [name + manifest.versions.get(name, "") for name in manifest.requires],
        "over": list(manifest.over),
        "conflicts": list(manifest.conflicts),
        **_read_authorship(folder),
        "changes": [text[:MAX_TEXT] for text in _iter_sentences(changes)][:MAX_CHANGES],
        "tried": [dict(outcome) for outcome in tried],
        "page": f"{PAGES}/{manifest.name}.html",
        "cover": f"{PAGES}/{manifest.name}.svg",
        "archive": _write_archive(folder, manifest, catalogue),
    }
    return CatalogueEntry(data, tuple(_iter_sections(rules, base, changes)))


def _iter_sections(
    rules: AnnotatedRules, base: AnnotatedRules | None, changes: tuple[RuleChange, ...]
) -> Iterator[Section]:
    """Yield the sections of the rulebook that a module changes, then what it removes; of a game, all sections."""
    book = build_rulebook(rules, base)
    yield from find_changed_sections(book, build_rulebook(base)) if base is not None else book.sections
    removed = tuple(OutlineLine(f"{capitalize(one.title)} ({one.sort})") for one in changes if one.way == "removed")
    if removed:
        yield Section("Left out", "", (Steps(removed),))


def _iter_sentences(changes: Iterable[RuleChange]) -> Iterator[str]:
    """Yield a sentence or two for each change."""
    for change in changes:
        if change.way == "removed":
            yield f"{capitalize(change.title or change.name)} is removed."
        elif change.after:
            text = " ".join(sentence.strip() for sentence in change.after)
            yield f"{capitalize(change.title)}: {text}" if change.title else text


def _read_authorship(folder: Path) -> dict[str, Any]:
    """Return the authors and the license in a module's project file, as far as it has them; no addresses of people."""
    project = read_project(folder).get("project")
    project = project if isinstance(project, dict) else {}
    authors, license = project.get("authors"), project.get("license")
    names = [author.get("name") for author in authors if isinstance(author, dict)] if isinstance(authors, list) else []
    license = license.get("text") if isinstance(license, dict) else license
    return {
        "authors": [name for name in names if isinstance(name, str)],
        "license": license if isinstance(license, str) else "",
    }


def _write_archive(folder: Path, manifest: Manifest, catalogue: Path) -> dict[str, Any]:
    """Write the archive of a module into the catalogue, and return its name, size and checksum."""
    with TemporaryDirectory() as temporary:
        archive = build_archive(folder, Path(temporary))
        content = archive.read_bytes()
    target = catalogue / FILES / archive.name
    if target.is_file() and target.read_bytes() != content:
        reason = f"`{manifest.name}` {manifest.version} is in the catalogue with other content"
        raise ArchiveChanged(reason, "raise `version` in its manifest, or delete the file if nobody has it yet")
    target.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(target, content)
    return {"file": f"{FILES}/{archive.name}", "bytes": len(content), "sha256": sha256(content).hexdigest()}
