"""`modules`: what ships, and all there is to say about one module: what it needs, its options, its things."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from edict.apps.cli import shared_options as o
from edict.apps.cli.command_errors import WrongRules
from edict.apps.cli.option_values import JSON, checked_form, print_json
from edict.apps.cli.rules_by_name import shipped_game, texts_of
from edict.compiler.english import describe_thing
from edict.compiler.pipeline.pipeline import understand
from edict.compiler.semantics.judgement import find_judgement
from edict.compiler.semantics.link import LinkedBook
from edict.compiler.sources.folders import Manifest, read_manifest
from edict.compiler.sources.module_lookup import find, named_everywhere
from edict.compiler.sources.module_set import gather
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import setting_value
from edict.support.rendering import escape_terminal

UNTOLD = "origin not given"

OneModule = Annotated[
    str,
    typer.Argument(metavar="[NAME]", autocompletion=o.rules_names, help="What to describe [default: list all]."),
]


def modules(name: OneModule = "", form: o.DataFormat = "text") -> int:
    """List what ships, or tell all about one of it."""
    known = named_everywhere()
    if checked_form(form) == JSON:
        data = _details_data(*_found(name)) if name else [_data(*one) for one in known.values()]
        print_json(data)
        return 0
    if name:
        print("\n".join(escape_terminal(line) for line in _details(*_found(name))))
        return 0
    width = max((len(name) for name in known), default=0)
    for one, (_, manifest) in known.items():
        needs = [needed for needed in manifest.requires if needed != shipped_game()]
        requires = f" (requires {', '.join(needs)})" if needs else ""
        print(
            escape_terminal(
                f"{one.ljust(width)}  {manifest.kind.ljust(8)}  {manifest.summary or manifest.title}{requires}"
            )
        )
    return 0


def _found(name: str) -> tuple[Path, Manifest]:
    """The folder and manifest of what ships under this name, or of a folder of your own."""
    folder = find(name)
    manifest = folder.and_then(read_manifest)
    if folder.value is None or manifest.value is None:
        raise WrongRules(manifest.diagnostics, texts_of([name]))
    return folder.value, manifest.value


def _details(folder: Path, manifest: Manifest) -> Iterator[str]:
    yield f"{manifest.title} ({manifest.name}, {manifest.kind}, version {manifest.version})"
    lists = {"requires": manifest.requires, "over": manifest.over, "conflicts": manifest.conflicts}
    told = {"players": manifest.players, "source": manifest.source, "origin": manifest.origin, "folder": str(folder)}
    yield from [f"  {manifest.summary}"] if manifest.summary else []
    yield from (f"  {paragraph}" for paragraph in manifest.sheet.splitlines())
    yield from (f"  {key}: {', '.join(names)}" for key, names in lists.items() if names)
    yield from (f"  {key}: {value}" for key, value in told.items() if value)
    linked = _understood(folder, manifest)
    own = _own(linked, manifest)
    yield from _options([d for d in own if isinstance(d, t.Setting)])
    yield from _things(linked, [d for d in own if isinstance(d, t.Thing)])


def _data(folder: Path, manifest: Manifest) -> dict[str, object]:
    """What its manifest says."""
    keys = ("name", "title", "kind", "version", "summary", "sheet", "source", "origin", "players")
    lists = ("requires", "over", "conflicts")
    said = {key: getattr(manifest, key) for key in keys} | {key: list(getattr(manifest, key)) for key in lists}
    return {**said, "folder": str(folder)}


def _details_data(folder: Path, manifest: Manifest) -> dict[str, object]:
    """What its manifest says, its settings and its things."""
    linked = _understood(folder, manifest)
    own = _own(linked, manifest)
    settings = [
        {
            "name": one.name.word,
            "title": one.title,
            "default": bool(one.value) if one.truth else one.value,
            "least": one.low,
            "most": one.high,
        }
        for one in own
        if isinstance(one, t.Setting)
    ]
    things = [
        {
            "name": one.name.word,
            "title": one.title,
            "kind": one.kind.word,
            "words": _words(linked, one),
            "origin": linked.resolved.book.notes[one.name.word].origin,
        }
        for one in own
        if isinstance(one, t.Thing)
    ]
    return {**_data(folder, manifest), "settings": settings, "things": things}


def _own(linked: LinkedBook, manifest: Manifest) -> list[t.Definition]:
    return [d for n, d in linked.resolved.book.definitions.items() if _module(linked, n) == manifest.name]


def _understood(folder: Path, manifest: Manifest) -> LinkedBook:
    """The module over what it needs."""
    wanted = (folder,) if manifest.kind == "game" else (shipped_game(), folder)
    outcome = gather(wanted[0], wanted[1:]).and_then(understand)
    if outcome.value is None:
        raise WrongRules(outcome.diagnostics, texts_of(map(str, wanted)))
    return outcome.value


def _module(linked: LinkedBook, name: str) -> str:
    note = linked.resolved.book.notes.get(name)
    return note.module if note else ""


def _options(found: list[t.Setting]) -> Iterator[str]:
    if found:
        yield "options (play with --set NAME=VALUE):"
    for setting in found:
        bounds = f" ({setting.low} to {setting.high})" if setting.low is not None else ""
        yield f"  {setting.name.word} = {setting_value(setting)}{bounds}: {setting.title or setting.name.word}"


def _words(linked: LinkedBook, thing: t.Thing) -> str:
    """What a thing does for those who play."""
    return describe_thing(linked.resolved, find_judgement(linked).strip_thing(thing))


def _things(linked: LinkedBook, found: list[t.Thing]) -> Iterator[str]:
    notes = linked.resolved.book.notes
    origins = Counter(notes[thing.name.word].origin or UNTOLD for thing in found)
    if found:
        yield f"things: {len(found)} ({', '.join(f'{n} {origin}' for origin, n in origins.items())})"
    for thing in found:
        words = _words(linked, thing)
        origin = notes[thing.name.word].origin or UNTOLD
        yield f"  {thing.title or thing.name.word} ({thing.kind.word}, {origin}){': ' + words if words else ''}"
