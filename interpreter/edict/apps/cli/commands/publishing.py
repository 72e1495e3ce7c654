"""The commands `build`, `index` and `page`, which publish modules and games.

They write Python packages that hold only data, a catalogue of modules, and a web page that needs no server.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from edict import __version__
from edict.apps.cli import shared_options as o
from edict.apps.cli.command_errors import UsageError, parse_file_path
from edict.apps.cli.command_output import show_progress
from edict.apps.cli.commands.check import CheckRequest, print_findings
from edict.apps.cli.commands.rulebook import render_template
from edict.apps.cli.rules_by_name import default_game, find_targets, gather_over_game, load_rules_with_notes
from edict.compiler.sources.folders import read_manifest
from edict.compiler.sources.module_lookup import find_module
from edict.prose.rulebook.game_gallery import GalleryEntry, build_gallery
from edict.support.files import OutputTarget, write_atomically
from edict.support.morphology import count_noun, join_words
from edict.support.rendering import escape_terminal
from edict.tools.catalogue import FORMAT, INDEX, PAGE, SIGNATURE, CatalogueEntry, Data, build_entry
from edict.tools.catalogue_search import sign
from edict.tools.engines import Engine, open_engine
from edict.tools.packages import build_wheel

Output = Annotated[
    Path, o.path_option("--output", "-o", metavar="FOLDER", help="Folder of the catalogue.", show_default=True)
]
Title = Annotated[str, typer.Option("--title", metavar="WORDS", help="Title of the catalogue.", show_default=True)]
Pythons = Annotated[
    list[Path] | None,
    o.path_option("--python", metavar="PATH", help="Also try the modules with the engine of this Python; repeatable."),
]
Key = Annotated[
    Path | None,
    typer.Option("--key", parser=parse_file_path, metavar="FILE", help="Sign the index by this private key (PEM)."),
]


def index(
    names: o.Names = None,
    output: Output = Path("catalogue"),
    title: Title = "Catalogue",
    pythons: Pythons = None,
    key: Key = None,
    force: o.Force = False,
) -> int:
    """Check and test modules, and write the catalogue of them; return 1 if rules have errors, else 0."""
    OutputTarget(output / INDEX, force).check() if output.is_dir() else None
    targets = find_targets(names or ())
    findings = print_findings(CheckRequest(targets))
    if findings.exit_code:
        return findings.exit_code
    folders = [find_module(name).unwrap().resolve() for name in targets]
    _require_unique_names(folders)
    engines = [Engine(), *map(open_engine, pythons or ())]
    tried = list(zip(*(_try_modules(engine, folders) for engine in engines), strict=True))
    gallery = {entry.folder.resolve(): entry for entry in build_gallery(folders)}
    entries = []
    with show_progress("Writing", len(folders)) as report_progress:
        for number, folder in enumerate(folders):
            entry = build_entry(gather_over_game(folder).unwrap(), folder, tried[number], output)
            _write_page(output, title, entry, gallery[folder])
            entries.append(entry.data)
            report_progress(number + 1)
    _write_index(output, {"format": FORMAT, "title": title, "engine": __version__, "modules": entries}, key)
    print(escape_terminal(f"Wrote {count_noun(len(entries), 'module')} to {output / 'index.html'}."))
    return 0


def _require_unique_names(folders: Sequence[Path]) -> None:
    """Raise `UsageError` if two modules have the same name."""
    names: dict[str, Path] = {}
    for folder in folders:
        other = names.setdefault(read_manifest(folder).unwrap().name, folder)
        if other != folder:
            raise UsageError(f"`{other}` and `{folder}` have the same name", "rename one, or name those to list")


def _try_modules(engine: Engine, folders: Sequence[Path]) -> Iterator[Data]:
    """Yield for each module the version of the engine, and numbers of errors, warnings, and scenes."""
    paths = list(map(str, folders))
    check, test = (engine.read_document(Path.cwd(), command, *paths) for command in ("check", "test"))
    for folder, report in zip(folders, test["modules"], strict=True):
        name = read_manifest(folder).unwrap().name
        counts = [checked for checked in check["checked"] if checked["name"] == name]
        worst = {kind: max((one[kind] for one in counts), default=0) for kind in ("errors", "warnings")}
        yield {"engine": check["version"], **worst, "passed": report["passed"], "failed": report["failed"]}


def _write_page(output: Path, title: str, entry: CatalogueEntry, gallery: GalleryEntry) -> None:
    """Write the page of a module and its cover."""
    one = entry.data
    facts = [
        (one["kind"], one["version"]),
        ("players", gallery.players or one["players"]),
        ("requires", join_words(one["requires"])),
        ("engine", one["engine"]),
        ("by", join_words(one["authors"])),
        ("license", one["license"]),
        ("after", one["source"]),
    ]
    values = {"one": one, "facts": [fact for fact in facts if fact[1]], "sections": entry.sections, "links": {}}
    (output / one["page"]).parent.mkdir(parents=True, exist_ok=True)
    write_atomically(output / one["page"], _render(title, **values))
    write_atomically(output / one["cover"], gallery.picture + "\n")


def _write_index(output: Path, data: dict[str, Any], key: Path | None) -> None:
    """Write the page of all modules, the index for programs and, with a key, its signature."""
    content = (json.dumps(data, indent=1, ensure_ascii=False) + "\n").encode()
    signature = sign(content, key) if key is not None else None
    write_atomically(output / PAGE, _render(data["title"], one=None, modules=data["modules"], links={}))
    write_atomically(output / INDEX, content)
    (output / SIGNATURE).unlink(missing_ok=True)  # one of an earlier index does not fit this one
    if signature is not None:
        write_atomically(output / SIGNATURE, signature)


def _render(title: str, **values: object) -> str:
    return render_template("catalogue.html.j2", title=title, engine=__version__, **values)


Folders = Annotated[
    list[str] | None,
    typer.Argument(metavar="[FOLDER]...", autocompletion=o.rules_names, help="Modules with a `pyproject.toml`."),
]
WheelFolder = Annotated[
    Path, o.path_option("--output", "-o", metavar="FOLDER", help="Folder for the wheels.", show_default=True)
]


def build(names: Folders = None, output: WheelFolder = Path("dist"), force: o.Force = False) -> int:
    """Check modules and build a wheel of each; return 1 if rules have errors, else 0."""
    targets = find_targets(names or ())
    findings = print_findings(CheckRequest(targets))
    if findings.exit_code:
        return findings.exit_code
    for name in targets:
        wheel = build_wheel(find_module(name).unwrap(), output, force)
        print(escape_terminal(f"Built {wheel}"), flush=True)
    return 0


PageFolder = Annotated[Path, o.path_option("--output", "-o", metavar="FOLDER", help="Write the page into this folder.")]
PyodideFolder = Annotated[
    Path | None,
    o.path_option("--pyodide", metavar="FOLDER", help="A folder with Pyodide's files [default: downloaded from npm]."),
]
NoStudio = Annotated[bool, typer.Option("--no-studio", help="Do not include the studio.")]


def page(
    game: o.GameFirst = "",
    named: o.GameToo = "",
    modules: o.Modules = None,
    output: PageFolder = Path("page"),
    pyodide: PyodideFolder = None,
    no_studio: NoStudio = False,
    force: o.Force = False,
) -> int:
    """Build a static web page with the game in a folder, and print its size; return 0."""
    try:
        from edict.apps.page.page_builder import build_page, is_page_or_empty
    except ImportError as missing:
        raise UsageError(f"{missing.name} is not installed", "pip install 'kingsburg[web]'") from None

    rules = load_rules_with_notes(o.merge_game_arguments(game, named) or default_game(), tuple(modules or ()))
    if output.exists() and not output.is_dir():
        raise UsageError(f"{output} is a file", "name a folder with --output")
    if output.exists() and not is_page_or_empty(output):
        raise UsageError(f"{output} contains something other than a page", "name another folder with --output")
    if output.exists() and any(output.iterdir()) and not force:
        raise UsageError(f"{output} already contains a page", "--force replaces it")
    try:
        result = build_page(output, rules, studio=not no_studio, pyodide=pyodide)
    except OSError as error:
        reason = f"{output} cannot be written: {error.strerror}"
        raise UsageError(reason, "name another folder with --output") from None
    sizes = f"{result.bytes / 1e6:.1f} MB, {result.first_visit_bytes / 1e6:.1f} MB of it loaded on a first visit"
    print(escape_terminal(f"{output}: {result.files} files, {sizes}."))
    if result.slow_reason:
        print(f"Bots will run in plain Python, hundreds of times slower: {result.slow_reason}.")
    print(escape_terminal(f"To look at it: python -m http.server --directory {output}, then http://localhost:8000"))
    return 0
