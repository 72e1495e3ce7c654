"""What a new variant begins as: a game's template, a copy, a box owner's form, a zip file, another variant."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

from edict.compiler.pipeline.pipeline import understand
from edict.compiler.pipeline.transcribe import form, manifest_of
from edict.compiler.sources.folders import MANIFEST, Manifest, read_manifest
from edict.compiler.sources.module_lookup import catalogue, find
from edict.compiler.sources.module_set import Module, gather
from edict.support import resources
from edict.support.morphology import quote_words
from edict.support.resources import command_name
from edict.tools.studio import templates
from edict.tools.studio.studio_errors import StudioError
from edict.tools.studio.variant_files import is_file, texts_in, title_of

if TYPE_CHECKING:
    from edict.tools.studio.variants import Variant

# --- manifests under another name ------------------------------------------------------------------


_NAME_LINE = re.compile(r"^name:[^\S\n]*(?P<name>[^#\n]*?)(?P<rest>[^\S\n]*(#[^\n]*)?)$", re.MULTILINE)
_TITLE_LINE = re.compile(r"^title:[^\n]*$", re.MULTILINE)


def renamed(manifest: str, name: str) -> str:
    """A manifest with this name, and a title that goes with it unless it has the name already."""
    if name_in(manifest) in ("", name):
        return manifest
    called = _NAME_LINE.sub(lambda one: f"name: {name}{one['rest']}", manifest, count=1)
    return _TITLE_LINE.sub(f"title: {title_of(name)}", called, count=1)


def name_in(manifest: str) -> str:
    """The name in a manifest; nothing if there is none on a line of its own."""
    found = _NAME_LINE.search(manifest)
    return found["name"].strip("'\"") if found is not None else ""


# --- forms for cards -------------------------------------------------------------------------------


CARDS = "cards.edict"
RULES = "rules.edict"


def form_texts(module: str, name: str = "", game: str = "") -> dict[str, str]:
    """The files of a form, the manifest first; by default its name is the module's with `-transcribed` behind.

    Raises `RulesError` for rules that cannot be read, `StudioError` if the module has no cards to fill in.
    """
    found, text = _form(module, "", game)
    forms = {CARDS: text, **{f"with/{other}/{CARDS}": _form(module, other, game)[1] for other in sorted(found.beside)}}
    if not any(forms.values()):
        raise StudioError(*_without_cards(found))
    others = [other for other, (home, _) in catalogue().items() if (home / "with" / found.name).is_dir()]
    manifest = manifest_of(found, others)
    if name:
        manifest = manifest.replace(f"name: {found.name}-transcribed\n", f"name: {name}\n", 1)
    return {MANIFEST: manifest, **{place: text for place, text in forms.items() if text}}


def _form(name: str, beside: str, game: str) -> tuple[Module, str]:
    """A module and the form for its cards; or for those that count only beside another one."""
    gathered = gather(game or str(resources.shipped_folder() / "rules"), (name, beside) if beside else (name,))
    linked, modules = gathered.and_then(understand).unwrap(), gathered.unwrap()
    folder = find(name).unwrap()
    module = next(one for one in modules if one.folder == folder)
    return module, form(module, linked, beside)


def _without_cards(module: Module) -> tuple[str, str]:
    """Why there is no form, and what one can do."""
    if module.manifest.origin == "printed":
        return f"nothing in {module.name} needs transcribing", "all of it is as printed"
    return (
        f"{module.name} has no cards to fill in: it is written as rules ({module.manifest.origin})",
        f"`{command_name()} new NAME --with {module.name}` begins a module over it; its rules stand in {module.folder}",
    )


# --- beginnings ------------------------------------------------------------------------------------


GAME = "game"  # the folder of the grammar that holds a game to begin with
TEMPLATE = "template"  # the folder of a game that is copied, and of the grammar for games that have none
Texts = dict[Path, str]


@dataclass(frozen=True, slots=True)
class LaidOver:
    """A module over a game, from the game's template. game: its name or path; by default, the one that ships first."""

    game: str = ""


@dataclass(frozen=True, slots=True)
class Blank:
    """A module over a game that changes nothing yet. game: its name or path."""

    game: str


@dataclass(frozen=True, slots=True)
class NewGame:
    """A game of your own."""


@dataclass(frozen=True, slots=True)
class CopyOf:
    """A module or game that ships, under another name."""

    module: str


@dataclass(frozen=True, slots=True)
class FormFor:
    """The form of a module's cards, for somebody who owns the box."""

    module: str


@dataclass(frozen=True, slots=True)
class Zipped:
    """What a stranger sent."""

    raw: bytes


@dataclass(frozen=True, slots=True)
class ForkOf:
    """Another variant as it is, with what is not saved in it."""

    variant: Variant


Beginning = LaidOver | Blank | NewGame | CopyOf | FormFor | Zipped | ForkOf


def texts_of(beginning: Beginning, name: str) -> Texts:
    """The files of a variant of this name. Raises `StudioError`, or `RulesError` for rules that cannot be read."""
    match beginning:
        case LaidOver(game):
            return over(base_for(game), name)
        case Blank(game):
            return blank(base_for(game), name)
        case NewGame():
            return own_game(name)
        case CopyOf(module):
            return _called(_shipped(module), name)
        case FormFor(module):
            return {Path(file): text for file, text in form_texts(module, name).items()}
        case Zipped(raw):
            return _called(texts_in(raw), name)
        case ForkOf(variant):
            return _called(variant.texts(), name)


def usual_name(beginning: Beginning) -> str:
    """The default name of a variant that begins like this; empty if there is none."""
    match beginning:
        case CopyOf(module):
            return module
        case FormFor(module):
            return f"{module}-transcribed"
        case Zipped(raw):
            return name_in(texts_in(raw)[MANIFEST])
        case ForkOf(variant):
            return variant.name
        case _:
            return ""


# --- from a template -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Base:
    """The game a module is to be laid over: its manifest, its template, and what finds it again."""

    manifest: Manifest
    template: Path
    named: str


def base_for(game: str) -> Base:
    """A game by name or path. Raises `RulesError`, or `StudioError` for a module."""
    named = game or str(resources.shipped_folder() / "rules")
    folder = find(named).unwrap()
    manifest = read_manifest(folder).unwrap()
    if manifest.kind != "game":
        remedy = f"name a game ({quote_words(one for one, _ in games())}), and write `over: [{manifest.name}]`"
        raise StudioError(
            f"`{manifest.name}` is a {manifest.kind}, not a game", f"{remedy} into the new module's manifest"
        )
    own = folder / TEMPLATE
    return Base(manifest, own if os.path.lexists(own) else resources.grammar_folder() / TEMPLATE, named)


def over(base: Base, name: str) -> Texts:
    """A module over a game, with the names of both in it."""
    texts = templates.read(base.template, base.template.parent)
    words = {"NAME": name, "TITLE": title_of(name), "GAME": base.manifest.name, "COMMAND": command_name()}
    words["GAME_TITLE"] = base.manifest.title
    if any("$PLAYERS" in text for text in texts.values()):
        words["PLAYERS"] = str(_fewest(base))
    longest = max(map(len, words.values()))
    most = sum(len(text) + text.count("$") * longest for text in texts.values())
    templates.check_size(most, base.template, base.template.parent)
    return _filled(texts, words)


def blank(base: Base, name: str) -> Texts:
    """A module over a game without a rule, for those who have the first one written for them."""
    texts = over(replace(base, template=resources.grammar_folder() / TEMPLATE), name)
    return {file: text for file, text in texts.items() if file.name == MANIFEST} | {
        Path(RULES): f"# What is different from {base.manifest.title}.\n"
    }


def own_game(name: str) -> Texts:
    """A game of your own, small enough to be understood at once."""
    home = resources.grammar_folder() / GAME / TEMPLATE
    words = {"NAME": name, "TITLE": title_of(name), "COMMAND": command_name()}
    return _filled(templates.read(home, home.parent), words)


def _filled(texts: Mapping[Path, str], words: Mapping[str, str]) -> Texts:
    return {file: Template(text).safe_substitute(words) for file, text in texts.items()}


def _fewest(base: Base) -> int:
    from edict.game.table.rules import load_rules

    return load_rules(base.named).program.least_players


# --- from what is there ----------------------------------------------------------------------------


def games() -> tuple[tuple[str, Manifest], ...]:
    """Games that ship, by name."""
    return _shipping(lambda manifest: manifest.kind == "game")


def copyable() -> tuple[tuple[str, Manifest], ...]:
    """All rules that ship, by name."""
    return _shipping(lambda manifest: True)


def formable() -> tuple[tuple[str, Manifest], ...]:
    """Modules that ship of which something is not as printed, by name."""
    return _shipping(lambda manifest: manifest.kind == "module" and manifest.origin != "printed")


def _shipping(wanted: Callable[[Manifest], bool]) -> tuple[tuple[str, Manifest], ...]:
    found = ((name, manifest) for name, (_, manifest) in sorted(catalogue().items()))
    return tuple((name, manifest) for name, manifest in found if wanted(manifest))


def _shipped(module: str) -> dict[str, str]:
    """The files of what ships under this name."""
    there = catalogue().get(module)
    if there is None:
        raise StudioError(f"no rules that ship are named `{module}`", f"there are {quote_words(catalogue(), 'and')}")
    folder, _ = there
    return dict(_read(folder))


def _read(folder: Path) -> Iterator[tuple[str, str]]:
    for pattern in ("*", "scenes/*", "with/*/*"):
        for file in sorted(folder.glob(pattern)):
            name = file.relative_to(folder).as_posix()
            if file.is_file() and is_file(name):
                yield name, file.read_text(encoding="utf-8")


def _called(texts: Mapping[str, str], name: str) -> Texts:
    """The same files under another name, which stands in the manifest."""
    manifest = renamed(texts[MANIFEST], name)
    return {Path(file): manifest if file == MANIFEST else text for file, text in texts.items()}
