"""The command `import`, which turns a table of things into definitions."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from edict.apps.cli import shared_options as o
from edict.apps.cli.command_errors import RulesErrorWithSources, UsageError, parse_file_path
from edict.apps.cli.recorded_scenes import SCENES, find_adjacent_rules, scene_file_header
from edict.apps.cli.reporting import print_lines, style_diagnostics
from edict.apps.cli.rules_by_name import find_manifest, load_annotated_rules, load_rules_with_notes, to_stable_name
from edict.compiler.sources.input_limits import MOST_BYTES
from edict.compiler.sources.module_lookup import find_module, get_folder_here, looks_like_path
from edict.support.files import OutputTarget, write_new
from edict.support.morphology import count_noun, quote_words
from edict.support.rendering import escape_terminal, render_diagnostics
from edict.support.resources import command_name
from edict.support.text import Source, to_slug
from edict.tools.tables.columns import require_kind
from edict.tools.tables.spreadsheets import Spreadsheet, read_table
from edict.tools.tables.thing_import import ThingImport, import_things
from edict.tools.tables.thing_scenes import GAMES, SceneSearch, format_scenes

STANDARD_INPUT = Path("-")

Table = Annotated[
    Path, typer.Argument(parser=parse_file_path, metavar="FILE", help="A CSV, TSV or JSON file, or - for stdin.")
]
KindName = Annotated[str, typer.Option("--as", metavar="KIND", help="Kind of the things, such as card.")]
Amend = Annotated[bool, typer.Option("--amend", help="Change things that exist, where the table differs.")]
Into = Annotated[
    str,
    typer.Option("--into", metavar="MODULE", autocompletion=o.rules_names, help="Write a new file into this module."),
]
Output = Annotated[
    Path | None, o.path_option("--output", "-o", metavar="FILE", help="Write the rules to a file [default: stdout].")
]


def import_(
    table: Table,
    kind: KindName = "",
    game: o.Game = "",
    modules: o.Modules = None,
    amend: Amend = False,
    into: Into = "",
    output: Output = None,
    force: o.Force = False,
) -> int:
    """Print the definitions of a table's things, or write them to a file; print the matched columns to stderr."""
    if not kind:
        raise UsageError(f"`{command_name()} import` needs --as KIND", "KIND is what the rows are, such as card")
    if into and output is not None:
        raise UsageError("--into and --output cannot be combined", "use only one of them")
    target = OutputTarget(output or STANDARD_INPUT, force)
    target.check()
    new_file = _find_new_file(table, kind, into) if into else None
    first, *others = [to_stable_name(name) for name in (game, into, *(modules or ())) if name] or [""]
    rules = load_annotated_rules(first, others)
    table_file = _read_file(table)
    manifest = find_manifest(into) if into else None
    imported = import_things(rules, require_kind(rules, kind), table_file, amend, manifest.name if manifest else "")
    _report_diagnostics(imported, rules.sources)
    print(escape_terminal("\n".join(imported.preview())), file=sys.stderr)
    if new_file is None:
        target.write(imported.text)
    elif imported.count:
        write_new(new_file, imported.text)
        print(escape_terminal(f"Wrote {new_file}."))
        _write_scenes(new_file, imported, first, others)
        print(escape_terminal(f"Next: {command_name()} check {shlex.quote(into)}"))
    return 0


def _write_scenes(rule_file: Path, imported: ThingImport, first: str, others: Sequence[str]) -> None:
    """Record a scene of each thing from random games, write them beside the rule file, and say which are missing."""
    rules = load_rules_with_notes(first, others)
    search = SceneSearch(rules, imported.kind.name.word, imported.names)
    search.run()
    file = _find_scene_file(rule_file)
    if search.header is not None and search.scenes:
        top = scene_file_header(search.header, find_adjacent_rules(file, search.header))
        file.parent.mkdir(exist_ok=True)
        write_new(file, format_scenes(top, list(search.scenes.values())))
        count = count_noun(len(search.scenes), "scene")
        print(escape_terminal(f"Wrote {file}: {count} from random games. Read whether each shows what you mean."))
    if search.missing:
        missing = quote_words(search.missing, "and")
        games = count_noun(GAMES, "random game")
        print(escape_terminal(f"No scene for {missing}, which nobody used in {games}."))


def _find_scene_file(rule_file: Path) -> Path:
    """Return the file for the scenes of a rule file."""
    return rule_file.parent / SCENES / f"{rule_file.stem}.yaml"


def _find_new_file(table: Path, kind: str, module: str) -> Path:
    """Return the rule file that the table becomes in a module; raise an error if it exists or the module ships."""
    folder = find_module(module).unwrap()
    if not looks_like_path(module) and get_folder_here(module) is None:
        remedy = f"`{command_name()} new NAME --with {module}` starts a module of your own"
        raise UsageError(f"`{module}` is part of the package, so nothing is written into it", remedy)
    file = folder / f"{to_slug(table.stem) or to_slug(kind)}.edict"
    for path in (file, _find_scene_file(file)):
        if path.exists():
            raise UsageError(f"`{path}` already exists", "rename the table, or write to another file with -o")
    return file


def _read_file(path: Path) -> Spreadsheet:
    """Read a table from a file or standard input."""
    if path == STANDARD_INPUT:
        return read_table("standard input", sys.stdin.buffer.read(MOST_BYTES + 1))
    with path.open("rb") as file:
        return read_table(path.name, file.read(MOST_BYTES + 1))


def _report_diagnostics(imported: ThingImport, sources: Mapping[str, Source]) -> None:
    """Print warnings; raise `RulesErrorWithSources` if there are errors."""
    known = {**sources, imported.table.source.name: imported.table.source}
    if not imported.ok:
        raise RulesErrorWithSources(imported.diagnostics, known)
    if imported.diagnostics:
        print_lines(style_diagnostics(render_diagnostics(imported.diagnostics, known)), sys.stderr)
