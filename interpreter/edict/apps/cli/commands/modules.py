"""The commands `modules`, `gallery` and `card`, which list games and modules, describe one, and measure games."""

from __future__ import annotations

import shlex
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from edict.apps.cli import shared_options as o
from edict.apps.cli.command_errors import RulesErrorWithSources, UsageError
from edict.apps.cli.long_runs import parse_seed, require_between, resolve_player_count
from edict.apps.cli.rules_by_name import load_rules_with_notes, load_sources, read_shipped_game_name
from edict.apps.cli.shared_options import JSON, parse_settings, print_document, validate_format
from edict.compiler.english import describe_thing
from edict.compiler.pipeline.pipeline import analyze
from edict.compiler.semantics.judgement import find_judgement
from edict.compiler.semantics.link import LinkedBook
from edict.compiler.sources.folders import Manifest, read_manifest
from edict.compiler.sources.module_lookup import find_module, load_catalogue, load_full_catalogue
from edict.compiler.sources.module_set import gather_modules
from edict.compiler.sources.own_rules import iter_unreadable
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import default_setting_value
from edict.prose.rulebook import game_gallery as shown
from edict.prose.rulebook.game_gallery import GalleryEntry
from edict.runtime.simulation import native
from edict.support import resources
from edict.support.morphology import count_noun
from edict.support.rendering import escape_terminal
from edict.support.resources import install_command


def gallery(form: o.DataFormat = "text") -> int:
    """Print the games and recipes of the gallery; return 1 if one of the user's own cannot be read, else 0."""
    as_json = validate_format(form) == JSON
    skipped = list(iter_unreadable())
    exhibits = shown.build_gallery()
    if as_json:
        print_document("gallery", entries=[asdict(exhibit) | {"folder": str(exhibit.folder)} for exhibit in exhibits])
    else:
        print("\n".join(escape_terminal(line) for line in _gallery_lines(exhibits)))
    for file, reason in skipped:
        print(escape_terminal(f"{file} is left out: {reason}"), file=sys.stderr)
    return 1 if skipped else 0


def _gallery_lines(exhibits: Sequence[GalleryEntry]) -> Iterator[str]:
    """Yield the entries under their groups' headings, and where to put one's own."""
    for group in shown.GROUPS:
        group_entries = [entry for entry in exhibits if entry.group == group]
        yield from [group, ""] if group_entries else []
        for entry in group_entries:
            yield from _entry_lines(entry)
    yield f"To add your own, put its folder or a zip file into {resources.user_rules_folder()}"
    command = resources.command_name()
    yield f"To look up a word: {command} explain bag. To see pictures: {command} serve, then Gallery."


def _entry_lines(entry: GalleryEntry) -> Iterator[str]:
    """Yield an entry's lines: title, players and length, its sentence, what it shows, and the command to play it."""
    if entry.players:
        players = f"{entry.players} {'player' if entry.players == '1' else 'players'}, "
    else:
        players = ""
    yield f"  {entry.title}: {players}{count_noun(entry.lines, 'line')}"
    yield from [f"    {entry.sentence}"] if entry.sentence else []
    yield from [f"    Shows {', '.join(entry.shows)}."] if entry.shows else []
    yield f"    {resources.command_name()} play {_play_arguments(entry)}"
    yield ""


def _play_arguments(entry: GalleryEntry) -> str:
    """Return the arguments of `play` for an entry; recipes are named by folder, as their names are not global."""
    name = shlex.quote(str(entry.folder)) if entry.group == shown.RECIPES else entry.name
    return name if entry.kind == "game" else f"--with {name}"


UNKNOWN_ORIGIN = "origin not given"

OneModule = Annotated[
    str,
    typer.Argument(
        metavar="[NAME]", autocompletion=o.rules_names, help="A game or module to describe [default: list all]."
    ),
]


def modules(name: OneModule = "", form: o.DataFormat = "text") -> int:
    """List the shipped and the user's own modules, or print one with its settings and things; return 0."""
    manifests = load_full_catalogue()
    if validate_format(form) == JSON:
        if name:
            print_document("module-details", **_details_data(*_find_module(name)))
        else:
            print_document("modules", modules=[_manifest_data(*module_name) for module_name in manifests.values()])
        return 0
    if name:
        print("\n".join(escape_terminal(line) for line in _detail_lines(*_find_module(name))))
        return 0
    width = max((len(name) for name in manifests), default=0)
    for module_name, (_, manifest) in manifests.items():
        needs = [required for required in manifest.requires if required != read_shipped_game_name()]
        requires = f" (requires {', '.join(needs)})" if needs else ""
        print(
            escape_terminal(
                f"{module_name.ljust(width)}  {manifest.kind.ljust(8)}  {manifest.summary or manifest.title}{requires}"
            )
        )
    return 0


def _find_module(name: str) -> tuple[Path, Manifest]:
    """Return the folder and manifest of a module, by name or path."""
    folder = find_module(name)
    manifest = folder.and_then(read_manifest)
    if folder.value is None or manifest.value is None:
        raise RulesErrorWithSources(manifest.diagnostics, load_sources([name]))
    return folder.value, manifest.value


def _detail_lines(folder: Path, manifest: Manifest) -> Iterator[str]:
    """Yield a module's lines: title, manifest, settings, and things with their effects."""
    yield f"{manifest.title} ({manifest.name}, {manifest.kind}, version {manifest.version})"
    requirements = [f"{name}{manifest.versions.get(name, '')}" for name in manifest.requires]
    lists = {"requires": requirements, "over": manifest.over, "conflicts": manifest.conflicts}
    facts = {
        "engine": manifest.engine,
        "players": manifest.players,
        "source": manifest.source,
        "origin": manifest.origin,
        "folder": str(folder),
    }
    yield from [f"  {manifest.summary}"] if manifest.summary else []
    yield from (f"  {paragraph}" for paragraph in manifest.sheet.splitlines())
    yield from (f"  {key}: {', '.join(names)}" for key, names in lists.items() if names)
    yield from (f"  {key}: {value}" for key, value in facts.items() if value)
    linked = _analyze_module(folder, manifest)
    definitions = _own_definitions(linked, manifest)
    yield from _setting_lines([definition for definition in definitions if isinstance(definition, t.Setting)])
    yield from _thing_lines(linked, [definition for definition in definitions if isinstance(definition, t.Thing)])


def _manifest_data(folder: Path, manifest: Manifest) -> dict[str, object]:
    """Return the manifest of a module as data."""
    keys = ("name", "title", "kind", "version", "summary", "sheet", "source", "origin", "players")
    lists = ("requires", "over", "conflicts")
    fields = {key: getattr(manifest, key) for key in keys} | {key: list(getattr(manifest, key)) for key in lists}
    return {**fields, "versions": manifest.versions, "engine": manifest.engine, "folder": str(folder)}


def _details_data(folder: Path, manifest: Manifest) -> dict[str, object]:
    """Return the manifest, settings and things of a module as data."""
    linked = _analyze_module(folder, manifest)
    definitions = _own_definitions(linked, manifest)
    settings = [
        {
            "name": definition.name.word,
            "title": definition.title,
            "default": bool(definition.value) if definition.truth else definition.value,
            "least": definition.low,
            "most": definition.high,
        }
        for definition in definitions
        if isinstance(definition, t.Setting)
    ]
    things = [
        {
            "name": definition.name.word,
            "title": definition.title,
            "kind": definition.kind.word,
            "words": _describe_thing(linked, definition),
            "origin": linked.resolved.book.notes[definition.name.word].origin,
        }
        for definition in definitions
        if isinstance(definition, t.Thing)
    ]
    return {**_manifest_data(folder, manifest), "settings": settings, "things": things}


def _own_definitions(linked: LinkedBook, manifest: Manifest) -> list[t.Definition]:
    """Return the definitions of a linked book that this module made, in order."""
    return [
        definition
        for name, definition in linked.resolved.book.definitions.items()
        if _module_name(linked, name) == manifest.name
    ]


def _analyze_module(folder: Path, manifest: Manifest) -> LinkedBook:
    """Analyze a game, or a module over the game that ships."""
    names = (folder,) if manifest.kind == "game" else (read_shipped_game_name(), folder)
    outcome = gather_modules(names[0], names[1:]).and_then(analyze)
    if outcome.value is None:
        raise RulesErrorWithSources(outcome.diagnostics, load_sources(map(str, names)))
    return outcome.value


def _module_name(linked: LinkedBook, name: str) -> str:
    """Return the name of the module that made a definition; empty if unknown."""
    note = linked.resolved.book.notes.get(name)
    return note.module if note else ""


def _setting_lines(settings: list[t.Setting]) -> Iterator[str]:
    """Yield a line for each setting: `name = default (low to high): title`; nothing without settings."""
    if settings:
        yield "options (play with --set NAME=VALUE):"
    for setting in settings:
        bounds = f" ({setting.low} to {setting.high})" if setting.low is not None else ""
        yield f"  {setting.name.word} = {default_setting_value(setting)}{bounds}: {setting.title or setting.name.word}"


def _describe_thing(linked: LinkedBook, thing: t.Thing) -> str:
    """Return the effects of a thing in English."""
    return describe_thing(linked.resolved, find_judgement(linked).strip_thing(thing))


def _thing_lines(linked: LinkedBook, things: list[t.Thing]) -> Iterator[str]:
    """Yield the number of things by origin, then a line for each with its kind, origin and effects."""
    notes = linked.resolved.book.notes
    origins = Counter(notes[thing.name.word].origin or UNKNOWN_ORIGIN for thing in things)
    if things:
        yield f"things: {len(things)} ({', '.join(f'{n} {origin}' for origin, n in origins.items())})"
    for thing in things:
        effects = _describe_thing(linked, thing)
        origin = notes[thing.name.word].origin or UNKNOWN_ORIGIN
        yield f"  {thing.title or thing.name.word} ({thing.kind.word}, {origin}){': ' + effects if effects else ''}"


MAX_CARD_GAMES = 100_000

GameNames = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[GAME]...",
        autocompletion=o.game_names,
        help="Games, by name or path [default: the game in this folder, else the built-in one].",
    ),
]
All = Annotated[bool, typer.Option("--all", help="All built-in games, in one table.")]


def card(
    named: GameNames = None,
    every: All = False,
    modules: o.Modules = None,
    settings: o.Settings = None,
    players: o.PlayerCount = None,
    games: o.GameCount = 200,
    seed: o.Seed = "",
    form: o.DataFormat = "text",
) -> int:
    """Measure rules in random games and print a card for one or a table for several; return the exit code."""
    validate_format(form)
    require_between("games", games, 1, MAX_CARD_GAMES)
    if every and named:
        raise UsageError("--all cannot be combined with game names", "use only one of them")
    if not native.is_available():
        raise UsageError("this command needs native code, which is not installed", install_command("fast"))
    from edict.agents.study.game_cards import as_data, iter_card_lines, iter_table_lines, measure_game

    seed_number, values, cards = parse_seed(seed, bits=62), parse_settings(settings or ()), []
    for name in list_shipped_games() if every else named or [""]:
        rules = load_rules_with_notes(name, modules or ())
        cards.append(measure_game(rules, resolve_player_count(rules.program, players), games, seed_number, values))
    if form == JSON:
        print_document("cards", cards=[as_data(measured) for measured in cards])
    else:
        print(
            "\n".join(
                escape_terminal(line)
                for line in (iter_card_lines(cards[0]) if len(cards) == 1 else iter_table_lines(cards))
            )
        )
    return 0


def list_shipped_games() -> Sequence[str]:
    """Return the names of all games that ship, sorted."""
    return sorted(name for name, (_, manifest) in load_catalogue().items() if manifest.kind == "game")
