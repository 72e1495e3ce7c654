"""A name changed everywhere it is written: in rules, scenes, looks, manifests, in what counts beside other modules, and
in what bots have learned.

The change is tried before it is given: if it would break anything that was in order, it is refused with the reason.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from edict.agents.bots import nets, weights
from edict.compiler.semantics.symbols import BUILTIN_KINDS, BUILTINS
from edict.compiler.sources.appearance import NAMED
from edict.compiler.sources.folders import LOOK, MANIFEST
from edict.compiler.sources.yaml_reader import WrittenData, read_yaml
from edict.compiler.syntax.grammar import keywords, name_pattern
from edict.compiler.syntax.nouns import SORTS, plurals
from edict.compiler.syntax.reserved_words import reserved
from edict.support.morphology import add_indefinite_article, pluralize
from edict.support.report import Diagnostic, Edit, apply_edits
from edict.support.text import Source, Span
from edict.tools.language_service.answer_types import At, FileEdits, Refused
from edict.tools.language_service.document_structure import stretches
from edict.tools.language_service.navigation import SymbolAt, in_scenes, occurrences_of, same_elsewhere, symbol_at
from edict.tools.language_service.occurrences import DECLARED, FIELD, LOCAL, WORD
from edict.tools.language_service.workspace import Workspace, folder_of

_NAME = re.compile(name_pattern())


def can_rename(space: Workspace, path: Path, at: At) -> tuple[str, Span]:
    """The word that would be renamed, and where it stands; raises `Refused`."""
    found = _found(space, path, at)
    return found.word, found.span


def rename(space: Workspace, path: Path, at: At, new: str) -> tuple[FileEdits, ...]:
    """The edits that give something another name, by file; raises `Refused`."""
    found = _found(space, path, at)
    _check_name(found, new)
    changes = _by_file(_edits(space, path, at, found.key[1] if found.key[0] != LOCAL else found.word, new))
    foreign = next((change.path for change in changes if not space.owns(change.path)), None)
    if foreign is not None:
        raise Refused(f"`{found.word}` is also written in {foreign.name}, which lies outside this workspace")
    _check_free(space, changes, new)
    _try(space, changes)
    return changes


def _found(space: Workspace, path: Path, at: At) -> SymbolAt:
    found = symbol_at(space, path, at)
    if found is None:
        raise Refused("there is no name here")
    if found.key[0] == WORD:
        raise Refused(_no_name(found))
    places = [where for where, one in occurrences_of(found) if one.declares]
    outside = next((where for where in places if not space.owns(where.path)), None)
    if outside is not None:
        raise Refused(f"`{found.word}` is declared in {outside.span.file}, which lies outside this workspace")
    return found


def _no_name(found: SymbolAt) -> str:
    """Why a word is not a name, as far as is known: a definition with a mistake in it declares nothing yet."""
    wrong = [one for one in found.rules.checked().found if one.is_error and one.span.line]
    mistake = next((one.span for one in wrong if one.span.file == found.source.name), wrong[0].span if wrong else None)
    if mistake is None or found.word in keywords() or found.word in {*BUILTINS, *BUILTIN_KINDS}:
        return f"`{found.word}` is a word of the language"
    where = f"line {mistake.line} of {mistake.file}"
    return f"what `{found.word}` means is not known before the mistake in {where} is mended"


def _check_name(found: SymbolAt, new: str) -> None:
    if not _NAME.fullmatch(new):
        raise Refused(f"`{new}` is not a name; names are letters and digits, joined by `-`, and begin with a letter")
    definition = found.definition
    if (SORTS.get(type(definition), "") if definition is not None else found.key[0]) in reserved(new):
        raise Refused(f"`{new}` is a word of the language")
    taken = found.known.definitions.get(new)
    if taken is not None and found.key[0] in (DECLARED, FIELD):
        sort = type(taken).__name__.lower()
        raise Refused(f"there is already {add_indefinite_article(sort)} called `{new}`")


def _edits(space: Workspace, path: Path, at: At, old: str, new: str) -> Iterator[tuple[Path, Edit]]:
    for one in same_elsewhere(space, path, at):
        for where, mention in occurrences_of(one):
            word = _form(mention.word, old, new)
            if word:
                yield where.path, Edit(where.span, word)
        yield from ((where.path, Edit(where.span, new)) for where in in_scenes(space, one))
        yield from _beside(space, one, old, new)


def _beside(space: Workspace, one: SymbolAt, old: str, new: str) -> Iterator[tuple[Path, Edit]]:
    """The edits in files beside the rules, for what has one name everywhere."""
    if one.key[0] == DECLARED:
        declared = {folder_of(where.path) for where, mention in occurrences_of(one) if mention.declares}
        for folder in {module.folder.resolve() for module in one.rules.modules if space.owns(module.folder)}:
            yield from file_edits(space, folder, old, new, folder in declared)


def _check_free(space: Workspace, changes: tuple[FileEdits, ...], new: str) -> None:
    """Raise `Refused` if the new name means something already in a definition that would be changed."""
    for change in changes:
        rules = space.rules(change.path)
        source = rules.source(change.path) if rules is not None else None
        known = rules.analysis() if rules is not None else None
        if source is None or known is None:
            continue
        lines = {edit.span.line for edit in change.edits}
        for first, last in stretches(source.text):
            used = (m for m in known.occurrences.get(source.name, ()) if m.word == new and first <= m.span.line <= last)
            clash = next(used, None) if any(first <= line <= last for line in lines) else None
            if clash is not None:
                raise Refused(f"`{new}` already means something in line {clash.span.line} of {source.name}")


def _form(written: str, old: str, new: str) -> str:
    """The new name in the form in which the old one is written; nothing for one that comes from a title."""
    if written == old:
        return new
    return pluralize(new) if written in plurals(old) else ""


def _by_file(edits: Iterable[tuple[Path, Edit]]) -> tuple[FileEdits, ...]:
    found: dict[Path, set[Edit]] = {}
    for path, edit in edits:
        found.setdefault(path, set()).add(edit)
    return tuple(FileEdits(path, tuple(sorted(found[path]))) for path in sorted(found))


def _try(space: Workspace, changes: tuple[FileEdits, ...]) -> None:
    """Raise `Refused` if anything is wrong after the change that was not wrong before."""
    trial = Workspace(space.folders, space.game)
    for path, text in space.unsaved.items():
        trial.lay(path, text)
    before = {found.code for change in changes for found in _errors(trial, change.path)}
    for change in changes:
        trial.lay(change.path, apply_edits(space.text(change.path), change.edits))
    for change in changes:
        new = [found for found in _errors(trial, change.path) if found.code not in before]
        if new:
            raise Refused(f"that would be an error in {new[0].span.file}, line {new[0].span.line}: {new[0].title}")


def _errors(space: Workspace, path: Path) -> list[Diagnostic]:
    rules = space.rules(path)
    return [found for found in rules.checked().found if found.is_error] if rules is not None else []


__all__ = ["Refused", "can_rename", "edit_renamed", "rename"]


# --- files beside the rules: manifests, looks, and what bots have learned -------------------------


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
    yield from ((folder / MANIFEST, edit) for edit in edit_renamed(manifest, old, new, declares))


def _source(space: Workspace, path: Path) -> Source:
    return Source(f"{path.parent.name}/{path.name}", space.text(path))


# --- manifests and looks ---------------------------------------------------------------------------


def _in_look(source: Source, old: str, new: str) -> Iterator[Edit]:
    read = read_yaml(source).value
    for part in NAMED if read is not None and isinstance(read.data, dict) else ():
        if read is not None and (part, old) in read.keys:
            yield Edit(read.keys[part, old], new)


def edit_renamed(source: Source, old: str, new: str, declares: bool) -> Iterator[Edit]:
    """Return the edits of a manifest's list of former names, if it keeps one, when something is renamed."""
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


def _added(read: WrittenData, source: Source, first: str, entry: str) -> Edit:
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
