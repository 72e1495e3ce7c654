"""Renaming of a symbol everywhere: in rules, scenes, looks, manifests, side modules, and bots' learned weights.

The change is tried out first; if it would cause an error that was not there before, it is refused with the reason.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from edict.agents.bots import networks, weights
from edict.compiler.semantics.symbols import BUILTIN_KINDS, BUILTINS
from edict.compiler.sources.appearance import SECTIONS_BY_NAME
from edict.compiler.sources.folders import LOOK, MANIFEST
from edict.compiler.sources.written_data import WrittenData
from edict.compiler.sources.yaml_reader import read_yaml
from edict.compiler.syntax.grammar import keywords, name_pattern
from edict.compiler.syntax.nouns import SORTS, list_inflected_forms
from edict.compiler.syntax.reserved_words import find_reserved_sorts
from edict.support.morphology import add_indefinite_article, pluralize
from edict.support.report import Diagnostic, Edit, apply_edits
from edict.support.text import Source, Span
from edict.tools.language_service.answer_types import EditRefused, FileEdits, TextPosition
from edict.tools.language_service.document_structure import iter_definition_lines
from edict.tools.language_service.navigation import (
    SymbolAt,
    find_symbol,
    iter_occurrences,
    iter_same_symbol,
    iter_scene_references,
)
from edict.tools.language_service.occurrences import DECLARED, FIELD, LOCAL, WORD
from edict.tools.language_service.workspace import Workspace, find_module_folder

_NAME = re.compile(name_pattern())


def prepare_rename(space: Workspace, path: Path, position: TextPosition) -> tuple[str, Span]:
    """Return the word that would be renamed and its span. Raises `EditRefused`."""
    symbol = _require_renamable(space, path, position)
    return symbol.word, symbol.span


def rename(space: Workspace, path: Path, position: TextPosition, new_name: str) -> tuple[FileEdits, ...]:
    """Return the edits that rename the symbol at a position. Raises `EditRefused`."""
    symbol = _require_renamable(space, path, position)
    _check_name(symbol, new_name)
    changes = _group_by_file(
        _iter_rename_edits(space, path, position, symbol.key[1] if symbol.key[0] != LOCAL else symbol.word, new_name)
    )
    outside_path = next((change.path for change in changes if not space.owns(change.path)), None)
    if outside_path is not None:
        raise EditRefused(f"`{symbol.word}` is also written in {outside_path.name}, which is outside this workspace")
    _check_no_clash(space, changes, new_name)
    _check_no_new_errors(space, changes)
    return changes


def _require_renamable(space: Workspace, path: Path, position: TextPosition) -> SymbolAt:
    """Return the symbol at a position. Raises `EditRefused` if none is there or others' files declare it."""
    symbol = find_symbol(space, path, position)
    if symbol is None:
        raise EditRefused("there is no name here")
    if symbol.key[0] == WORD:
        raise EditRefused(_explain_no_name(symbol))
    places = [location for location, occurrence in iter_occurrences(symbol) if occurrence.declares]
    outside = next((location for location in places if not space.owns(location.path)), None)
    if outside is not None:
        raise EditRefused(f"`{symbol.word}` is declared in {outside.span.file}, which is outside this workspace")
    return symbol


def _explain_no_name(symbol: SymbolAt) -> str:
    """Return why a word is not a name: a keyword, or a name whose definition has an error."""
    errors = [error for error in symbol.rules.check().diagnostics if error.is_error and error.span.line]
    error_span = next(
        (error.span for error in errors if error.span.file == symbol.source.name), errors[0].span if errors else None
    )
    if error_span is None or symbol.word in keywords() or symbol.word in {*BUILTINS, *BUILTIN_KINDS}:
        return f"`{symbol.word}` is a word of the language"
    where = f"line {error_span.line} of {error_span.file}"
    return f"fix the mistake in {where} first, to know what `{symbol.word}` means"


def _check_name(symbol: SymbolAt, new_name: str) -> None:
    """Raise `EditRefused` if a new name is malformed, a word of the language, or already declared."""
    if not _NAME.fullmatch(new_name):
        raise EditRefused(
            f"`{new_name}` is not a name; names are letters and digits, joined by `-`, and begin with a letter"
        )
    definition = symbol.definition
    if (SORTS.get(type(definition), "") if definition is not None else symbol.key[0]) in find_reserved_sorts(new_name):
        raise EditRefused(f"`{new_name}` is a word of the language")
    existing = symbol.analysis.definitions.get(new_name)
    if existing is not None and symbol.key[0] in (DECLARED, FIELD):
        sort = type(existing).__name__.lower()
        raise EditRefused(f"there is already {add_indefinite_article(sort)} named `{new_name}`")


def _iter_rename_edits(
    space: Workspace, path: Path, position: TextPosition, old: str, new: str
) -> Iterator[tuple[Path, Edit]]:
    """Yield file and edit for every place of the symbol: in rules, scenes, looks, manifests and bots' files."""
    for symbol in iter_same_symbol(space, path, position):
        for location, occurrence in iter_occurrences(symbol):
            word = _inflect_like(occurrence.word, old, new)
            if word:
                yield location.path, Edit(location.span, word)
        yield from ((location.path, Edit(location.span, new)) for location in iter_scene_references(space, symbol))
        yield from _iter_side_file_edits(space, symbol, old, new)


def _iter_side_file_edits(space: Workspace, symbol: SymbolAt, old: str, new: str) -> Iterator[tuple[Path, Edit]]:
    """Yield the edits in looks, manifests and bots' files, for a symbol whose name is global."""
    if symbol.key[0] == DECLARED:
        declared = {
            find_module_folder(location.path)
            for location, occurrence in iter_occurrences(symbol)
            if occurrence.declares
        }
        for folder in {module.folder.resolve() for module in symbol.rules.modules if space.owns(module.folder)}:
            yield from iter_module_file_edits(space, folder, old, new, folder in declared)


def _check_no_clash(space: Workspace, changes: tuple[FileEdits, ...], new_name: str) -> None:
    """Raise `EditRefused` if the new name already means something in a definition that would change."""
    for change in changes:
        rules = space.get_rules(change.path)
        source = rules.get_source(change.path) if rules is not None else None
        analysis = rules.get_analysis() if rules is not None else None
        if source is None or analysis is None:
            continue
        lines = {edit.span.line for edit in change.edits}
        for first, last in iter_definition_lines(source.text):
            used = (
                occurrence
                for occurrence in analysis.occurrences.get(source.name, ())
                if occurrence.word == new_name and first <= occurrence.span.line <= last
            )
            clash = next(used, None) if any(first <= line <= last for line in lines) else None
            if clash is not None:
                raise EditRefused(f"`{new_name}` already means something in line {clash.span.line} of {source.name}")


def _inflect_like(written: str, old: str, new: str) -> str:
    """Return the new name in the form, singular or plural, in which the old one is written; empty if in neither."""
    if written == old:
        return new
    return pluralize(new) if written in list_inflected_forms(old) else ""


def _group_by_file(edits: Iterable[tuple[Path, Edit]]) -> tuple[FileEdits, ...]:
    """Return the edits as one `FileEdits` per file, without duplicates, sorted by path and place."""
    edits_by_path: dict[Path, set[Edit]] = {}
    for path, edit in edits:
        edits_by_path.setdefault(path, set()).add(edit)
    return tuple(FileEdits(path, tuple(sorted(edits_by_path[path]))) for path in sorted(edits_by_path))


def _check_no_new_errors(space: Workspace, changes: tuple[FileEdits, ...]) -> None:
    """Raise `EditRefused` if the edits cause a kind of error that was not there before."""
    trial = Workspace(space.folders, space.game)
    for path, text in space.unsaved.items():
        trial.set_text(path, text)
    before = {error.code for change in changes for error in _list_errors(trial, change.path)}
    for change in changes:
        trial.set_text(change.path, apply_edits(space.get_text(change.path), change.edits))
    for change in changes:
        new_errors = [error for error in _list_errors(trial, change.path) if error.code not in before]
        if new_errors:
            error = new_errors[0]
            raise EditRefused(f"that would be an error in {error.span.file}, line {error.span.line}: {error.title}")


def _list_errors(space: Workspace, path: Path) -> list[Diagnostic]:
    """Return the errors, not warnings, of the rules a file belongs to; empty if it belongs to none."""
    rules = space.get_rules(path)
    if rules is not None:
        return [diagnostic for diagnostic in rules.check().diagnostics if diagnostic.is_error]
    return []


__all__ = ["EditRefused", "prepare_rename", "iter_former_name_edits", "rename"]


# --- other files of a module: manifests, looks, bots' weights -------------------------------------


LEARNED_FILES = (weights.WEIGHTS_FILE, networks.NETWORK_FILE)
RENAMED_KEY = "renamed"
_STATISTICS_KEY = "measured"  # statistics about bots' games, not features


def iter_module_file_edits(
    space: Workspace, folder: Path, old: str, new: str, declares: bool
) -> Iterator[tuple[Path, Edit]]:
    """Yield the edits in a module's look, manifest and bots' files when a name changes.

    Args:
        space: The workspace.
        folder: The module's folder.
        old: The former name.
        new: The new name.
        declares: The module declares the name, so its manifest records the former one.

    Raises:
        EditRefused: Saved games would confuse two names.
    """
    for name, edits in ((LOOK, _iter_look_edits), *((name, _iter_feature_edits) for name in LEARNED_FILES)):
        yield from ((folder / name, edit) for edit in edits(_read_source(space, folder / name), old, new))
    manifest = _read_source(space, folder / MANIFEST)
    yield from ((folder / MANIFEST, edit) for edit in iter_former_name_edits(manifest, old, new, declares))


def _read_source(space: Workspace, path: Path) -> Source:
    """Return the current text of a file beside rules as a source named `FOLDER/FILE`."""
    return Source(f"{path.parent.name}/{path.name}", space.get_text(path))


# --- manifests and looks ---------------------------------------------------------------------------


def _iter_look_edits(source: Source, old: str, new: str) -> Iterator[Edit]:
    """Yield an edit for each section of a look that has the old name as a key."""
    data = read_yaml(source).value
    for part in SECTIONS_BY_NAME if data is not None and isinstance(data.data, dict) else ():
        if data is not None and (part, old) in data.keys:
            yield Edit(data.keys[part, old], new)


def iter_former_name_edits(source: Source, old: str, new: str, declares: bool) -> Iterator[Edit]:
    """Yield the edits of a manifest's list of former names, if it has one.

    Raises `EditRefused` if the new name is listed as the former name of something else.
    """
    data = read_yaml(source).value
    if data is not None and isinstance(data.data, dict):
        former = data.data.get(RENAMED_KEY)
    else:
        former = None
    if data is None or not isinstance(former, dict) or not former:
        return
    if declares and former.get(new, old) != old:
        raise EditRefused(
            f"saved games call `{former[new]}` `{new}` ({source.name} says so), and would refer to another thing"
        )
    for name, now in former.items():
        if now == old and name != new:
            yield Edit(data.span_of((RENAMED_KEY, name)), new)
    if declares and former.get(new) == old:  # the former name comes back
        yield Edit(data.keys[RENAMED_KEY, new], old)
        yield Edit(data.span_of((RENAMED_KEY, new)), new)
    elif declares and old not in former:
        yield _insert_entry(data, source, next(iter(former)), f"{old}: {new}")


def _insert_entry(data: WrittenData, source: Source, first: str, entry: str) -> Edit:
    """Return the edit that inserts an entry before the first one, on the same line or on its own like the others."""
    key_span = data.keys[RENAMED_KEY, first]
    indent = source.text.split("\n")[key_span.line - 1][: key_span.column - 1]
    separator = f"\n{indent}" if not indent.strip() else ", "
    return Edit(Span(key_span.file, key_span.line, key_span.column, key_span.line, key_span.column), entry + separator)


# --- bots' weights and networks --------------------------------------------------------------------


def _iter_feature_edits(source: Source, old: str, new: str) -> Iterator[Edit]:
    """Yield the edits of a name in the features of a file of weights or a network."""
    try:
        data = json.loads(source.text)
    except (ValueError, RecursionError):
        return
    word = re.compile(rf"(?<![\w-]){re.escape(old)}(?![\w-])")
    if isinstance(data, dict):
        features = {match for match in _iter_features(data) if word.search(match)}
    else:
        features = set()
    pattern = "|".join(re.escape(json.dumps(match, ensure_ascii=False)) for match in sorted(features))
    for number, line in enumerate(source.text.split("\n") if features else (), 1):
        for feature_match in re.finditer(rf'(?:"clock"\s*:\s*)?(?P<feature>{pattern})\s*(?=[:,}}]|$)', line):
            for match in word.finditer(line, *feature_match.span("feature")):
                yield Edit(Span(source.name, number, match.start() + 1, number, match.end() + 1), new)


def _iter_features(data: dict[str, Any]) -> Iterator[str]:
    """Yield the features of a bot's file: keys of its parts at any depth, and the clock."""
    yield from [data["clock"]] if isinstance(data.get("clock"), str) else []
    remaining = [part for name, part in data.items() if name != _STATISTICS_KEY and isinstance(part, dict)]
    while remaining:
        part = remaining.pop()
        yield from part
        remaining += [inner for inner in part.values() if isinstance(inner, dict)]
