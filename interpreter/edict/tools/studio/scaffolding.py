"""The files a new variant begins with: a game's template, a copy, a transcription form, a zip file, another variant.

Templates are read with limits, because they may come from strangers: only regular text files within the folder, up to a
number and a size. Files are written all or none.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

from edict.compiler.pipeline.pipeline import analyze
from edict.compiler.pipeline.transcription import build_form, build_form_manifest
from edict.compiler.sources.folders import MANIFEST, Manifest, read_manifest, read_text
from edict.compiler.sources.module_lookup import find_module, load_catalogue, load_full_catalogue
from edict.compiler.sources.module_set import Module, gather_modules
from edict.support import resources
from edict.support.morphology import quote_words
from edict.support.records import dataclass
from edict.support.rendering import escape_terminal
from edict.support.resources import command_name
from edict.tools.studio import StudioError
from edict.tools.studio.variant_files import default_title, is_file_name, unpack_zip

if TYPE_CHECKING:
    from edict.tools.studio.variants import Variant


MAX_FILES = 100
MAX_CHARACTERS = 2_000_000  # of all files together, with placeholders filled in
MAX_DEPTH = 8  # nested folders


def read_template(folder: Path, home: Path) -> dict[Path, str]:
    """Return the texts of a template by path.

    Args:
        folder: The template.
        home: Folder of its game, for messages.

    Raises:
        StudioError: The template has links or is too large.
        RulesError: A file is not text.
    """
    if folder.is_symlink():
        raise _link_error(folder, home)
    texts: dict[Path, str] = {}
    for number, (path, is_file) in enumerate(_iter_entries(folder, home)):
        if number == MAX_FILES:
            raise _size_error(folder, home, f"more than {MAX_FILES} files and folders")
        if is_file:
            texts[path.relative_to(folder)] = read_text(home, path).unwrap().text
            check_size(sum(map(len, texts.values())), folder, home)
    return dict(sorted(texts.items()))


def check_size(characters: int, folder: Path, home: Path) -> None:
    """Raise `StudioError` if a template has too many characters."""
    if characters > MAX_CHARACTERS:
        raise _size_error(folder, home, f"more than {MAX_CHARACTERS:,} characters of text")


def _iter_entries(folder: Path, home: Path, depth: int = 1) -> Iterator[tuple[Path, bool]]:
    """Yield files and folders at any depth with True for files, following no links."""
    if depth > MAX_DEPTH:
        raise _size_error(folder, home, f"more than {MAX_DEPTH} folders within each other")
    with os.scandir(folder) as entries:
        for entry in entries:
            path = Path(entry.path)
            if entry.is_symlink():
                raise _link_error(path, home)
            if entry.is_dir(follow_symlinks=False):
                yield path, False
                yield from _iter_entries(path, home, depth + 1)
            elif entry.is_file(follow_symlinks=False):
                yield path, True
            else:
                reason = f"`{_shorten_path(path, home)}` is neither a regular file nor a folder"
                raise StudioError(reason, "remove it from the template")


def _shorten_path(path: Path, home: Path) -> str:
    """Return a path from its home folder's name on, cut to 100 characters and safe for a terminal."""
    name = path.relative_to(home).as_posix()
    return escape_terminal(f"{home.resolve().name}/{name if len(name) < 100 else name[:100] + '...'}")


def _link_error(path: Path, home: Path) -> StudioError:
    """Return the error for a symbolic link in a template."""
    reason = f"`{_shorten_path(path, home)}` is a link, which could lead to any file on this computer"
    return StudioError(reason, "put the file itself there")


def _size_error(path: Path, home: Path, what: str) -> StudioError:
    """Return the error for a template with too much of something, such as `more than 100 files`."""
    return StudioError(
        f"`{_shorten_path(path, home)}` has {what}", "a template has only a few small files: remove some"
    )


# --- writing -----------------------------------------------------------------------------------


def write_files(folder: Path, texts: Mapping[Path, str]) -> None:
    """Create a folder with all these files at once; nothing is left behind if that fails. Raises `OSError`."""
    missing_parents = [parent for parent in (folder.parent, *folder.parent.parents) if not parent.exists()]
    temporary = folder.absolute().parent / f".{folder.name}.{secrets.token_hex(4)}.part"
    try:
        for file, text in texts.items():
            (temporary / file).parent.mkdir(parents=True, exist_ok=True)
            (temporary / file).write_text(text, encoding="utf-8")
        if folder.is_dir():
            folder.rmdir()  # it is empty
        temporary.rename(folder)
    except BaseException as error:
        shutil.rmtree(temporary, ignore_errors=True)
        for parent in missing_parents:
            with contextlib.suppress(OSError):
                parent.rmdir()
        if isinstance(error, OSError):
            raise OSError(error.errno, error.strerror, str(folder)) from None
        raise


__all__ = ["check_size", "read_template", "write_files"]


# --- names in manifests ----------------------------------------------------------------------------


_NAME_LINE = re.compile(r"^name:[^\S\n]*(?P<name>[^#\n]*?)(?P<rest>[^\S\n]*(#[^\n]*)?)$", re.MULTILINE)
_TITLE_LINE = re.compile(r"^title:[^\n]*$", re.MULTILINE)


def rename_manifest(manifest: str, name: str) -> str:
    """Return a manifest with this name and a title to match, or unchanged if it already has the name."""
    if find_manifest_name(manifest) in ("", name):
        return manifest
    with_name = _NAME_LINE.sub(lambda match: f"name: {name}{match['rest']}", manifest, count=1)
    return _TITLE_LINE.sub(f"title: {default_title(name)}", with_name, count=1)


def find_manifest_name(manifest: str) -> str:
    """Return the name in a manifest; empty if no line of its own gives it."""
    match = _NAME_LINE.search(manifest)
    return match["name"].strip("'\"") if match is not None else ""


# --- forms for cards -------------------------------------------------------------------------------


CARDS_FILE = "cards.edict"
RULES_FILE = "rules.edict"


def build_form_files(module: str, name: str = "", game: str = "") -> dict[str, str]:
    """Return the files of a form to transcribe a module's cards, the manifest first.

    Args:
        module: The module.
        name: Name of the transcription; by default the module's with `-transcribed` appended.
        game: The game under the module, by name or path.

    Raises:
        RulesError: The rules cannot be read.
        StudioError: The module has no cards to fill in.
    """
    source_module, text = _build_form(module, "", game)
    forms = {
        CARDS_FILE: text,
        **{f"with/{other}/{CARDS_FILE}": _build_form(module, other, game)[1] for other in sorted(source_module.beside)},
    }
    if not any(forms.values()):
        raise StudioError(*_explain_no_cards(source_module))
    neighbours = [
        other
        for other, (neighbour_folder, _) in load_catalogue().items()
        if (neighbour_folder / "with" / source_module.name).is_dir()
    ]
    manifest = build_form_manifest(source_module, neighbours)
    if name:
        manifest = manifest.replace(f"name: {source_module.name}-transcribed\n", f"name: {name}\n", 1)
    return {MANIFEST: manifest, **{file: text for file, text in forms.items() if text}}


def _build_form(name: str, beside: str, game: str) -> tuple[Module, str]:
    """Return a module and the form for its cards, or for those it has only beside another module."""
    gathered = gather_modules(
        game or str(resources.get_shipped_folder() / "rules"), (name, beside) if beside else (name,)
    )
    linked, modules = gathered.and_then(analyze).unwrap(), gathered.unwrap()
    folder = find_module(name).unwrap()
    module = next(candidate for candidate in modules if candidate.folder == folder)
    return module, build_form(module, linked, beside)


def _explain_no_cards(module: Module) -> tuple[str, str]:
    """Return (reason, remedy) for a module without a form: it is all as printed, or written as rules."""
    if module.manifest.origin == "printed":
        return f"nothing in {module.name} needs a form", "all its cards are already as printed"
    return (
        f"{module.name} has no cards to fill in: it is written as rules ({module.manifest.origin})",
        f"`{command_name()} new NAME --with {module.name}` starts a module that changes it; its rules are in "
        f"{module.folder}",
    )


# --- beginnings ------------------------------------------------------------------------------------


GAME_FOLDER = "game"  # folder of the grammar with a small game
TEMPLATE_FOLDER = "template"  # folder in a game, or in the grammar for games without one
Texts = dict[Path, str]


@dataclass(frozen=True, slots=True)
class LaidOver:
    """A module over a game, from the game's template."""

    game: str = ""  # name or path; by default the first game that ships


@dataclass(frozen=True, slots=True)
class BlankModule:
    """A module over a game that changes nothing yet."""

    game: str  # name or path


@dataclass(frozen=True, slots=True)
class NewGame:
    """A new game of one's own."""


@dataclass(frozen=True, slots=True)
class CopiedModule:
    """A module or game that ships or is installed, under another name."""

    module: str


@dataclass(frozen=True, slots=True)
class TranscriptionForm:
    """The form of a module's cards, for somebody who owns the box."""

    module: str


@dataclass(frozen=True, slots=True)
class ZippedVariant:
    """A zip file that somebody sent."""

    raw: bytes


@dataclass(frozen=True, slots=True)
class ForkedVariant:
    """A copy of another variant, with its unsaved texts."""

    variant: Variant


Beginning = LaidOver | BlankModule | NewGame | CopiedModule | TranscriptionForm | ZippedVariant | ForkedVariant


def build_files(beginning: Beginning, name: str) -> Texts:
    """Return the files of a new variant. Raises `StudioError`, or `RulesError` for rules that cannot be read."""
    match beginning:
        case LaidOver(game):
            return fill_template(load_base_game(game), name)
        case BlankModule(game):
            return build_blank_module(load_base_game(game), name)
        case NewGame():
            return build_own_game(name)
        case CopiedModule(module):
            return _rename_files(_read_files(module), name)
        case TranscriptionForm(module):
            return {Path(file): text for file, text in build_form_files(module, name).items()}
        case ZippedVariant(raw):
            return _rename_files(unpack_zip(raw), name)
        case ForkedVariant(variant):
            return _rename_files(variant.get_texts(), name)


def default_name(beginning: Beginning) -> str:
    """Return the default name of a variant with this beginning; empty if it has none."""
    match beginning:
        case CopiedModule(module):
            return module
        case TranscriptionForm(module):
            return f"{module}-transcribed"
        case ZippedVariant(raw):
            return find_manifest_name(unpack_zip(raw)[MANIFEST])
        case ForkedVariant(variant):
            return variant.name
        case _:
            return ""


# --- from a template -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BaseGame:
    """The game a new module is laid over."""

    manifest: Manifest
    template: Path
    named: str  # name or path that finds the game again


def load_base_game(game: str) -> BaseGame:
    """Return a game by name or path.

    Raises `RulesError`, or `StudioError` if it is a module.
    """
    name_or_path = game or str(resources.get_shipped_folder() / "rules")
    folder = find_module(name_or_path).unwrap()
    manifest = read_manifest(folder).unwrap()
    if manifest.kind != "game":
        games = quote_words(game_name for game_name, _ in list_games())
        remedy = f"name a game ({games}), and write `over: [{manifest.name}]`"
        raise StudioError(
            f"`{manifest.name}` is a {manifest.kind}, not a game", f"{remedy} into the new module's manifest"
        )
    own_template = folder / TEMPLATE_FOLDER
    return BaseGame(
        manifest,
        own_template if os.path.lexists(own_template) else resources.grammar_folder() / TEMPLATE_FOLDER,
        name_or_path,
    )


def fill_template(base: BaseGame, name: str) -> Texts:
    """Return the files of a new module over a game: its template with names and titles filled in."""
    texts = read_template(base.template, base.template.parent)
    placeholders = {"NAME": name, "TITLE": default_title(name), "GAME": base.manifest.name, "COMMAND": command_name()}
    placeholders["GAME_TITLE"] = base.manifest.title
    if any("$PLAYERS" in text for text in texts.values()):
        placeholders["PLAYERS"] = str(_fewest_players(base))
    longest = max(map(len, placeholders.values()))
    largest_size = sum(len(text) + text.count("$") * longest for text in texts.values())
    check_size(largest_size, base.template, base.template.parent)
    return _substitute(texts, placeholders)


def build_blank_module(base: BaseGame, name: str) -> Texts:
    """Return the files of a module over a game without any rule, for those who write rules by forms."""
    texts = fill_template(replace(base, template=resources.grammar_folder() / TEMPLATE_FOLDER), name)
    return {file: text for file, text in texts.items() if file.name == MANIFEST} | {
        Path(RULES_FILE): f"# Changes from {base.manifest.title}.\n"
    }


def build_own_game(name: str) -> Texts:
    """Return the files of a new game, small enough to be understood at once."""
    template = resources.grammar_folder() / GAME_FOLDER / TEMPLATE_FOLDER
    placeholders = {"NAME": name, "TITLE": default_title(name), "COMMAND": command_name()}
    return _substitute(read_template(template, template.parent), placeholders)


def _substitute(texts: Mapping[Path, str], placeholders: Mapping[str, str]) -> Texts:
    """Return the texts with `$name` replaced by its placeholder's value; unknown names stay as they are."""
    return {file: Template(text).safe_substitute(placeholders) for file, text in texts.items()}


def _fewest_players(base: BaseGame) -> int:
    from edict.game.table.rules import load_rules

    return load_rules(base.named).program.least_players


# --- from shipped rules ----------------------------------------------------------------------------


def list_games() -> tuple[tuple[str, Manifest], ...]:
    """Return the games that ship by name."""
    return _list_shipped_manifests(lambda manifest: manifest.kind == "game")


def list_copyable() -> tuple[tuple[str, Manifest], ...]:
    """Return by name all rules that ship, the user's own and those of installed packages."""
    return tuple((name, manifest) for name, (_, manifest) in sorted(load_full_catalogue().items()))


def list_transcribable() -> tuple[tuple[str, Manifest], ...]:
    """Return the modules that ship and are not entirely as printed, by name."""
    return _list_shipped_manifests(lambda manifest: manifest.kind == "module" and manifest.origin != "printed")


def _list_shipped_manifests(condition: Callable[[Manifest], bool]) -> tuple[tuple[str, Manifest], ...]:
    """Return name and manifest of the shipped modules whose manifest meets a condition, sorted by name."""
    manifests = ((name, manifest) for name, (_, manifest) in sorted(load_catalogue().items()))
    return tuple((name, manifest) for name, manifest in manifests if condition(manifest))


def _read_files(module: str) -> dict[str, str]:
    """Return the files of rules that can be copied. Raises `StudioError` if there are none of this name."""
    catalogue = load_full_catalogue()
    entry = catalogue.get(module)
    if entry is None:
        raise StudioError(f"no game or module named `{module}`", f"available: {quote_words(catalogue, 'and')}")
    folder, _ = entry
    return dict(_iter_files(folder))


def _iter_files(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield relative name and text of every file below a folder that a variant can have."""
    for pattern in ("*", "scenes/*", "with/*/*"):
        for file in sorted(folder.glob(pattern)):
            name = file.relative_to(folder).as_posix()
            if file.is_file() and is_file_name(name):
                yield name, read_text(folder, file).unwrap().text


def _rename_files(texts: Mapping[str, str], name: str) -> Texts:
    """Return files with another name in the manifest."""
    manifest = rename_manifest(texts[MANIFEST], name)
    return {Path(file): manifest if file == MANIFEST else text for file, text in texts.items()}
