"""The command `report`, which says what another engine or another version of a requirement changes."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer

from edict import __version__
from edict.apps.cli import shared_options as o
from edict.apps.cli.command_errors import RULES, UsageError
from edict.apps.cli.command_output import show_progress
from edict.apps.cli.long_runs import require_between
from edict.apps.cli.reporting import print_lines
from edict.apps.cli.rules_by_name import find_targets, gather_over_game
from edict.apps.cli.shared_options import JSON, print_document, validate_format
from edict.compiler.sources.folders import Manifest, read_manifest
from edict.compiler.sources.module_lookup import find_module, list_shipped_modules, load_full_catalogue
from edict.compiler.sources.module_search import find_modules
from edict.support.formats import render_annotation
from edict.support.morphology import count_noun, join_words
from edict.support.records import dataclass
from edict.support.rendering import escape_terminal
from edict.support.resources import command_name
from edict.tools.engines import Engine, copy_with_versions, find_root, install_engine, open_engine
from edict.tools.version_differences import Difference, ModuleComparison, ModuleOutcome, compare_outcomes

FORMATS = ("text", "json", "github")
MAX_GAMES = 100_000

Against = Annotated[
    list[str] | None,
    typer.Option(
        "--against",
        metavar="VERSION|MODULE=VERSION",
        help="The other version: of the engine, or of a module, also as a folder, zip file or wheel; repeatable.",
    ),
]
AgainstPython = Annotated[
    Path | None, o.path_option("--against-python", metavar="PATH", help="A Python or an environment with the engine.")
]
Games = Annotated[int, typer.Option("--games", metavar="N", help="Games to play of each module; 0 plays none.")]
Bots = Annotated[str, typer.Option("--bots", metavar="KIND", autocompletion=o.bot_names, help="Kind of bot.")]
Format = Annotated[str, typer.Option("--format", metavar="text|json|github", help="Output format.")]


@dataclass(frozen=True, slots=True)
class Target:
    """A module to report on."""

    manifest: Manifest
    path: str  # relative to the folder of both sides, if it is there
    game: str  # over which it is played; empty for a game


def report(
    names: o.Names = None,
    against: Against = None,
    against_python: AgainstPython = None,
    games: Games = 100,
    bots: Bots = "random",
    form: Format = "text",
) -> int:
    """Check, test and play modules on both sides, and print what differs; return 1 if something does, else 0."""
    validate_format(form, FORMATS)
    require_between("games", games, 0, MAX_GAMES)
    versions = dict(text.split("=", 1) for text in against or () if "=" in text)
    engines = [text for text in against or () if "=" not in text]
    if len(engines) + (against_python is not None) > 1:
        raise UsageError("two other engines given", "use --against VERSION or --against-python, once")
    if not (versions or engines or against_python):
        remedy = "add `--against 1.0`, `--against MODULE=VERSION` or `--against-python PATH`"
        raise UsageError("missing what to compare with", remedy)
    folders = [find_module(name).unwrap() for name in find_targets(names or ())]
    root = find_root(folders)
    targets = _read_targets([folder.resolve() for folder in folders], root, versions)
    if against_python:
        engine = open_engine(against_python)
    else:
        engine = install_engine(engines[0]) if engines else Engine()
    with ExitStack() as stack:
        other_root, replaced = root, dict[str, str]()
        if versions:
            other_root = Path(stack.enter_context(TemporaryDirectory())).resolve()
            replaced = copy_with_versions(root, versions, other_root)
        sides = ((Engine(), root), (engine, other_root))
        comparisons, version = _compare_sides(sides, targets, games, bots)
    labels = _make_labels(root, version if engines or against_python else "", replaced)
    changed = [comparison for comparison in comparisons if not comparison.is_same]
    if form == JSON:
        data = [comparison.to_data(labels) for comparison in comparisons]
        unchanged = len(comparisons) - len(changed)
        print_document("report", **labels, said=_summarize(comparisons, labels), unchanged=unchanged, modules=data)
    elif form == "github":
        print("".join(_iter_annotations(changed, labels)), end="")
    else:
        print_lines(list(_format_report(comparisons, labels)))
        unplayed = [comparison.name for comparison in comparisons if games and comparison.paired is None]
        if unplayed:
            print(escape_terminal(f"\nnot played on both sides: {join_words(unplayed)}"))
    return RULES if changed else 0


def _read_targets(folders: Sequence[Path], root: Path, versions: Mapping[str, str]) -> list[Target]:
    """Return the modules to report on, without those that are exchanged.

    Raises `UsageError` if two of them have the same name, or none is left.
    """
    targets: dict[str, Target] = {}
    for folder in folders:
        manifest = read_manifest(folder).unwrap()
        if manifest.name in versions:
            continue
        if manifest.name in targets:
            raise UsageError(f"two modules are called `{manifest.name}`", "rename one, or name those to report on")
        targets[manifest.name] = Target(manifest, _to_path(folder, root), _find_game(folder, manifest, root))
    if not targets:
        raise UsageError("no other module to report on", "name one that requires the module of --against")
    return list(targets.values())


def _to_path(folder: Path, root: Path) -> str:
    """Return the path of a folder from the root as commands take it, or an absolute one if it is elsewhere."""
    return f"./{folder.relative_to(root).as_posix()}" if folder.is_relative_to(root) else str(folder)


def _find_game(folder: Path, manifest: Manifest, root: Path) -> str:
    """Return the game over which a module is played, by name if it ships, else by path; empty for a game."""
    if manifest.kind == "game":
        return ""
    modules = gather_over_game(folder).value
    if not modules:  # what is wrong is among the findings
        return ""
    game = modules[0].folder
    if game in list_shipped_modules():  # it is elsewhere in another engine
        return read_manifest(game).unwrap().name
    return _to_path(game.resolve(), root)


def _compare_sides(
    sides: Sequence[tuple[Engine, Path]], targets: Sequence[Target], games: int, bots: str
) -> tuple[list[ModuleComparison], str]:
    """Ask both engines, each in its folder, about all modules; return the comparisons, and the other one's version."""
    paths = [target.path for target in targets]
    with (
        ThreadPoolExecutor(os.cpu_count()) as executor,
        show_progress("Checking, testing and playing", 2 * len(targets)) as report_progress,
    ):
        documents = [
            executor.submit(engine.read_document, folder, command, *paths)
            for engine, folder in sides
            for command in ("check", "test")
        ]
        played = [
            executor.submit(engine.play_games, folder, *_study_words(target, games, bots))
            for target in targets
            for engine, folder in sides
            if games
        ]
        checks, tests = ([document.result() for document in documents[part::2]] for part in (0, 1))
        comparisons = []
        for number, target in enumerate(targets):
            rows = [future.result() for future in played[2 * number : 2 * number + 2]] or [[], []]
            outcomes = [
                ModuleOutcome.from_documents(target.manifest.name, check, test["modules"][number], side_rows)
                for check, test, side_rows in zip(checks, tests, rows, strict=True)
            ]
            comparisons.append(compare_outcomes(target.manifest.name, target.path, *outcomes))
            report_progress(2 * number + 2)
    return comparisons, str(checks[1]["version"])


def _study_words(target: Target, games: int, bots: str) -> tuple[str, ...]:
    """Return the arguments of `study` that play a module with the same seeds on both sides."""
    rules = (target.game, "--with", target.path) if target.game else (target.path,)
    return *rules, "--games", str(games), "--bots", bots, "--seed", "1", "--workers", "1"


def _make_labels(root: Path, version: str, replaced: Mapping[str, str]) -> dict[str, str]:
    """Return what each side is called: versions of the engine, if it differs, and of exchanged modules."""
    folders = find_modules(root).unwrap() if replaced else ()
    here = {manifest.name: manifest.version for folder in folders if (manifest := read_manifest(folder).value)}
    here = {name: manifest.version for name, (_, manifest) in load_full_catalogue().items()} | here
    now, against = [__version__] if version else [], [version] if version else []
    if version == __version__:
        now, against = ["this engine"], [f"the other engine, also {version}"]
    now += [f"{name} {here[name]}" if name in here else f"no {name}" for name in replaced]
    against += [f"{name} {other}" for name, other in replaced.items()]
    return {"now": join_words(now), "against": join_words(against)}


# --- output ------------------------------------------------------------------------------------


def _summarize(comparisons: Sequence[ModuleComparison], labels: Mapping[str, str]) -> str:
    """Return the verdict: how many modules are unchanged, and what differs in the others."""
    changed = [comparison for comparison in comparisons if not comparison.is_same]
    modules = count_noun(len(comparisons), "module")
    counts = f"{len(comparisons) - len(changed)} of {modules} unchanged" if changed else f"{modules} unchanged"
    return "; ".join([counts, *(f"{comparison.name}: {comparison.describe(labels)}" for comparison in changed)])


def _format_report(comparisons: Sequence[ModuleComparison], labels: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the verdict, then the differences of each module; each line with its style."""
    yield "bold", escape_terminal(_summarize(comparisons, labels))
    yield "", escape_terminal(f"compared: {labels['now']} with {labels['against']}")
    for comparison in comparisons:
        if not comparison.is_same:
            yield "", ""
            yield "bold", escape_terminal(comparison.name)
        for difference in comparison.differences:
            place = f"{difference.file}:{difference.line}  " if difference.file else ""
            verb = "fails" if difference.kind == "scene" else "only"
            yield "", escape_terminal(f"  {verb} under {labels[difference.side]}: {place}{difference.text}")
            yield from [("", escape_terminal(f"    {difference.detail}"))] if difference.detail else []
        for measure in comparison.paired.measures if comparison.paired else ():
            values = f"{measure.now:.2f} under {labels['now']}, {measure.against:.2f} under {labels['against']}"
            change = f"{measure.low:+.2f} to {measure.high:+.2f}"
            yield "", escape_terminal(f"  {measure.name} per game: {values} (difference {change})")


def _iter_annotations(changed: Sequence[ModuleComparison], labels: Mapping[str, str]) -> Iterator[str]:
    """Yield a workflow command for each difference, and one for each module whose games differ."""
    for comparison in changed:
        home = Path(comparison.path).as_posix().removeprefix("./")
        for difference in comparison.differences:
            yield render_annotation(difference.error, *_annotate(difference, home, labels))
        if comparison.paired and comparison.paired.differing:
            text = f"{comparison.name}: {comparison.describe(labels)}"
            yield render_annotation(False, {"title": f"{command_name()} report"}, text)


def _annotate(difference: Difference, home: str, labels: Mapping[str, str]) -> tuple[dict[str, Any], str]:
    """Return the properties and the text of a difference's annotation."""
    folder, _, file = difference.file.partition("/")
    is_own = folder == Path(home).name
    place = {"file": f"{home}/{file}", "line": str(difference.line)} if is_own else {}
    verb = "fails" if difference.kind == "scene" else "only"
    text = f"{difference.text}\n{difference.detail}".strip()
    return {**place, "title": f"{verb} under {labels[difference.side]}"}, text
