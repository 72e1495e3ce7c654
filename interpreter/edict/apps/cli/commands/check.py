"""`check`: are these rules right? What is wrong with them, and where."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter, strftime
from typing import Annotated

import typer

from edict import __version__
from edict.apps.cli import shared_options as o
from edict.apps.cli.command_errors import UsageError
from edict.apps.cli.long_runs import progress
from edict.apps.cli.option_values import checked_form
from edict.apps.cli.recorded_scenes import SCENES, write_scenes
from edict.apps.cli.reporting import exit_code, finding_lines, print_lines
from edict.apps.cli.rules_by_name import default_game, find_targets, shipped_game, steady, texts_of
from edict.compiler.pipeline.compile import check_rules
from edict.compiler.sources.folders import called, read_manifest
from edict.compiler.sources.module_lookup import find, folders, shipped
from edict.compiler.sources.module_set import Modules
from edict.support import resources
from edict.support.files import OutputTarget, detect_newline, write_atomically
from edict.support.formats.findings import CheckedRules, Findings, as_errors
from edict.support.morphology import count_noun
from edict.support.rendering import describe_counts, escape_terminal, render_diagnostic, sort_diagnostics
from edict.support.report import Diagnostic, Edit, Outcome, ReadingExample, RuleReading, RulesError, apply_edits
from edict.support.resources import command_name

NO_GAME = "E0160"
FORMATS = ("text", "json", "sarif")

Format = Annotated[str, typer.Option("--format", metavar="text|json|sarif", help="Output format.")]
OutputFile = Annotated[
    Path | None, o.path("--output", "-o", metavar="FILE", help="Also write the findings to a file, in that format.")
]
Watch = Annotated[bool, typer.Option("--watch", help="Check again whenever a file changes.")]
Fix = Annotated[bool, typer.Option("--fix", help="Apply unambiguous fixes, in your own files.")]
Strict = Annotated[bool, typer.Option("--strict", help="Treat warnings as errors.")]
ShowExample = Annotated[
    bool, typer.Option("--example", help="Play what the rules leave open, and show where it matters as two scenes.")
]
Keep = Annotated[Path | None, o.path("--keep", metavar="FILE", help="Write these scenes to a file. Implies --example.")]


def check(
    names: o.Names = None,
    modules: o.Modules = None,
    ships: o.Shipped = False,
    strict: Strict = False,
    fix: Fix = False,
    example: ShowExample = False,
    keep: Keep = None,
    format: Format = "text",
    output: OutputFile = None,
    force: o.Force = False,
    watch: Watch = False,
) -> int:
    """Check, and with `fix` mend what can be; returns the exit code."""
    kept = OutputTarget.from_option(keep, force)
    wanted = CheckRequest(names or (), modules or (), strict, example or kept is not None, ships)
    if fix:
        apply_fixes(replace(wanted, example=False))
    return _check(wanted, format, OutputTarget.from_option(output, force), watch, kept)


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """What is to be checked, as typed; `strict` makes errors of warnings; `example`: what rules leave open is played.

    Without names, `ships` tells whether what ships is meant, or the modules of this folder and below it.
    """

    names: Sequence[str] = ()
    modules: Sequence[str] = ()
    strict: bool = False
    example: bool = False
    ships: bool = False

    @property
    def targets(self) -> list[str]:
        """Each of the rules once, also when several of its files are named."""
        named = [steady(name) for name in find_targets(self.names, self.ships)]
        return list({find(name).value or name: name for name in named}.values())

    @property
    def texts(self) -> list[str]:
        """All whose files may hold what is found."""
        return [*map(str, shipped()), *self.targets, *map(steady, self.modules)]


def _check(
    wanted: CheckRequest, format: str, output: OutputTarget | None, watch: bool, kept: OutputTarget | None
) -> int:
    """Check, print what was found, and write it to a file if one is named, and the scenes to another; returns the exit
    code."""
    checked_form(format, FORMATS)
    if watch:
        if format != "text" or output is not None or kept is not None:
            raise UsageError("--watch reports on the screen", "leave out --format, --output and --keep")

        return recheck((*wanted.targets, *wanted.modules), lambda: report(wanted))
    if output is not None:
        output.check()
    if kept is not None:
        check_target(kept)
    findings = _reported(wanted, format, output)
    if kept is not None:
        told = keep_scenes(findings, kept, wanted.names, wanted.modules)
        print(told, file=sys.stderr if format != "text" else None)
    return findings.exit_code


def _reported(wanted: CheckRequest, format: str, output: OutputTarget | None) -> Findings:
    """All that is found, printed and written."""
    if output is None or output.is_standard_output:
        if format == "text":
            return report(wanted)
        findings = gathered(wanted)
        print(written(findings, format), end="")
        return findings
    findings = report(wanted)
    output.write(written(findings, format))
    return findings


# --- finding ---------------------------------------------------------------------------------------


def check_each(wanted: CheckRequest) -> Iterator[CheckedRules]:
    """Each of the rules as it was found to be, one after the other."""
    played = Played()
    for name in wanted.targets:
        outcome = _looked_at(name, [steady(module) for module in wanted.modules])
        found = as_errors(outcome.diagnostics) if wanted.strict else outcome.diagnostics
        if wanted.example and outcome.value is not None:
            found = played.with_examples(found, outcome.value)
        folder = find(name).value
        manifest = read_manifest(folder).value if folder else None
        shown = manifest.name if manifest else Path(name).name
        game = outcome.value[0].manifest if outcome.value else None
        yield CheckedRules(shown, folder, game.title if game and game.name != shown else "", found)


def _looked_at(name: str, modules: Sequence[str]) -> Outcome[Modules]:
    """Checked as it is; what is not a game, and names none, over the game that ships."""
    outcome = check_rules(name, modules)
    if any(d.code == NO_GAME for d in outcome.diagnostics):
        return check_rules(default_game(), (name, *modules))
    return outcome


def gathered(wanted: CheckRequest) -> Findings:
    """All that is found."""
    return _together(wanted, tuple(check_each(wanted)))


def _together(wanted: CheckRequest, found: tuple[CheckedRules, ...]) -> Findings:
    worst = max((exit_code(one.diagnostics) for one in found), default=0)
    return Findings(found, _folders_by_name(wanted), worst, __version__)


def _folders_by_name(wanted: CheckRequest) -> dict[str, Path]:
    """Return the folders in which findings lie, without those that have the same name as another one."""
    checked = [find(name).value for name in (*wanted.targets, *map(steady, wanted.modules))]
    places = {folder.resolve() for folder in checked if folder is not None}
    alike = Counter(called(place) for place in places)
    return {name: folder for name, folder in folders(wanted.texts).items() if alike[name] < 2}


# --- telling ---------------------------------------------------------------------------------------


def report(wanted: CheckRequest) -> Findings:
    """All that is found, printed as it is found; what lies in a game is reported once."""
    shown: set[Diagnostic] = set()
    found = []
    for one in check_each(wanted):
        print_lines(_lines(one, shown, wanted))
        shown.update(one.diagnostics)
        found.append(one)
    findings = _together(wanted, tuple(found))
    if wanted.example and (said := closing(findings)):
        print_lines([("", said)])
    return findings


def _lines(one: CheckedRules, shown: set[Diagnostic], wanted: CheckRequest) -> Iterator[tuple[str, str]]:
    """What is new of it, and a line of how it stands, each with its style."""
    new = [d for d in sort_diagnostics(one.diagnostics) if d not in shown]
    own = [str(one.folder)] if one.folder is not None else []  # last: another folder may have the same name
    sources = texts_of([*wanted.targets, *map(steady, wanted.modules), *own]) if new else {}
    for d in new:
        yield from finding_lines(render_diagnostic(d, sources) + "\n")
    above = ", shown above" if one.diagnostics and not new else ""
    yield "bold" if one.diagnostics else "green", escape_terminal(f"{one.name}: {_standing(one)}{above}")


def _standing(one: CheckedRules) -> str:
    said = describe_counts(one.errors, one.warnings)
    how = said if one.errors else f"no errors, {said}" if said else "no errors"
    return how + (f", laid over {one.base_title}" if one.base_title else "")


def written(findings: Findings, format: str) -> str:
    """The findings as a document in one of the formats."""
    here = Path.cwd()
    if format == "json":
        from edict.support.formats.json_format import render_json

        return render_json(findings, here)
    if format == "sarif":
        from edict.support.formats.sarif_format import render_sarif

        return render_sarif(findings, here, resources.shipped_folder(), shipped_game())
    sources = texts_of([str(folder) for folder in findings.folders.values()])
    told = [render_diagnostic(d, sources) + "\n" for d in findings.diagnostics]
    return "".join([*told, *(escape_terminal(f"{one.name}: {_standing(one)}\n") for one in findings.checked)])


MOST_ROUNDS = 50  # one mistake may hide another


def apply_fixes(wanted: CheckRequest) -> None:
    """Carry out what can be, until nothing is left that can; tells each line that was changed.

    Left alone are files that come with the package, and remedies between which somebody must choose. An edit after
    which the same is still wrong is taken back.
    """
    findings = gathered(wanted)
    for _ in range(MOST_ROUNDS):
        better = next(_better(wanted, findings), None)
        if better is None:
            return
        findings = better


def _better(wanted: CheckRequest, findings: Findings) -> Iterator[Findings]:
    """What is found after one file was fixed: all at once, or one thing after the other where that does not do."""
    for path, found in _by_file(findings).items():
        for some in dict.fromkeys((tuple(found), *((one,) for one in found))):
            after = _mended(wanted, path, some)
            if after is not None:
                yield after


def _mended(wanted: CheckRequest, path: Path, found: Sequence[Diagnostic]) -> Findings | None:
    """What is found once the remedies of these were carried out; None, and the file as before, if one did not help."""
    old, ends = path.read_text(encoding="utf-8-sig"), detect_newline(path)
    new = apply_edits(old, [edit for one in found for edit in one.edits])
    write_atomically(path, new, ends)
    after = gathered(wanted)
    if {(one.code, one.title) for one in found} & {(one.code, one.title) for one in after.diagnostics}:
        write_atomically(path, old, ends)
        return None
    print(escape_terminal("\n".join(_fix_lines(found, old, new))), flush=True)
    return after


def _by_file(findings: Findings) -> dict[Path, list[Diagnostic]]:
    """The findings that can be fixed, by the one file in which all their edits are."""
    theirs = {folder.resolve() for folder in shipped()}
    found: dict[Path, list[Diagnostic]] = {}
    for one in findings.diagnostics:
        paths = {findings.path_of(edit.span) for edit in one.edits}
        path = paths.pop() if len(paths) == 1 else None
        if path is not None and one.exact and path.is_file() and not theirs & set(path.parents):
            found.setdefault(path, []).append(one)
    return found


def _fix_lines(found: Iterable[Diagnostic], old: str, new: str) -> Iterator[str]:
    before, after = old.split("\n"), new.split("\n")
    for one in found:
        first = min(one.edits)
        yield f"{one.span.file}:{first.span.line}: fixed {one.code}: {one.title}"
        yield from _line_as_it_was(one.edits, before, after)


def _line_as_it_was(edits: Sequence[Edit], before: Sequence[str], after: Sequence[str]) -> Iterator[str]:
    """The line as it was and as it is, where lines stayed in their places."""
    number = min(edits).span.line
    if len(before) == len(after):
        yield f"  - {before[number - 1].strip()}"
        yield f"  + {after[number - 1].strip()}"


def recheck(names: Iterable[str], check: Callable[[], object]) -> int:
    """Check now, and whenever these rules are saved; Ctrl-C is the way to end this, so it ends well."""
    from edict.apps.cli.playing.live_reload import saves

    folders = _watched_folders(names)
    rounds = saves(folders)
    next(rounds)  # what is saved during the check counts too
    _timed(check)
    print(escape_terminal(f"Watching {', '.join(folder.name for folder in folders)}; Ctrl-C stops."), flush=True)
    try:
        for saved in rounds:
            print(escape_terminal(f"\n--- {strftime('%H:%M:%S')} {_saved_names(saved)} saved"), flush=True)
            _timed(check)
    except KeyboardInterrupt:
        print("\nStopped watching.")
    return 0


def _watched_folders(names: Iterable[str]) -> list[Path]:
    """The folders of what is checked; raises `RulesError` where there is none to watch."""
    found = [find(name) for name in names]
    missing = [d for outcome in found for d in outcome.diagnostics]
    if missing:
        raise RulesError(missing)
    return list(dict.fromkeys(outcome.unwrap().resolve() for outcome in found))


def _timed(check: Callable[[], object]) -> None:
    start = perf_counter()
    check()
    print(f"({perf_counter() - start:.2f} s)", flush=True)


def _saved_names(files: Sequence[Path]) -> str:
    return ", ".join(f"{file.parent.name}/{file.name}" for file in files)


# --- what rules leave open, by example -----------------------------------------------------------------

MOST = 5  # that are played in one check: each takes some seconds
SHOWN_BEFORE = ReadingExample("the one shown above covers this too")
NOT_LOOKED_FOR = ReadingExample(f"none was looked for: only the first {MOST} such findings are played")


@dataclass
class Played:
    """What has been played in a check: what lies in a game is found again in all that lies over it."""

    known: dict[tuple[RuleReading, ...], Diagnostic] = field(default_factory=dict)

    def with_examples(self, found: Sequence[Diagnostic], modules: Modules) -> tuple[Diagnostic, ...]:
        """The findings, each that has several readings with an example, or with the reason why there is none."""
        return tuple(replace(one, example=self._example(one, modules)) if one.readings else one for one in found)

    def _example(self, one: Diagnostic, modules: Modules) -> ReadingExample:
        same = self.known.get(one.readings)
        if same is not None:
            return same.example if same == one and same.example else SHOWN_BEFORE
        if len(self.known) == MOST:
            return NOT_LOOKED_FOR
        from edict.agents.study.parting import MOST_GAMES, exemplified

        with progress(f"{one.code}, games for an example", MOST_GAMES) as told:
            example = exemplified(one, modules, told)
        self.known[one.readings] = replace(one, example=example)
        return example


def check_target(target: OutputTarget) -> None:
    """Raises `OSError` if no scenes can be written there; their folder need not be there yet."""
    folder = target.path.parent
    if folder.is_dir() or folder.name != SCENES or not folder.absolute().parent.is_dir():
        target.check()


def closing(findings: Findings) -> str:
    """What to say at the end where nothing could be shown by example; nothing, if something was."""
    found = findings.diagnostics
    if not found or any(one.readings for one in found):
        return ""
    return (
        "No example is needed: what was found follows from the rules alone, however a game goes. "
        f"`{command_name()} study --never` finds what merely never happens in games."
    )


def keep_scenes(findings: Findings, target: OutputTarget, names: Sequence[str], modules: Sequence[str]) -> str:
    """Write the scenes of all examples to a file; returns what to say of it. names, modules: as they were typed."""
    examples = dict.fromkeys(one.example for one in findings.diagnostics if one.example and one.example.scenes)
    tops = {example.top for example in examples}
    if not examples:
        return escape_terminal(f"There are no scenes to keep, so {target.path} was not written.")
    if len(tops) > 1:
        raise UsageError("the scenes are of several games or modules", "check one of them at a time with --keep")
    page = ReadingExample("", top=tops.pop(), scenes="".join(example.scenes for example in examples)).scene_file
    write_scenes(target, page)
    many = count_noun(page.count("\n  - name: "), "scene")
    rules = [*(names if target.path.parent.name == SCENES else ["FOLDER"]), *(f"--with {name}" for name in modules)]
    play = " ".join([f"{command_name()} test", *rules])
    return f"{many} kept in {target.path}. Once the rules say what is meant, `{play}` plays them."
