"""The command `check`, which reports errors and warnings in rules, fixes them, and shows examples."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field, replace
from functools import partial
from pathlib import Path
from time import perf_counter, strftime
from typing import Annotated

import typer

from edict import __version__
from edict.apps.cli import shared_options as o
from edict.apps.cli.command_errors import UsageError
from edict.apps.cli.command_output import show_progress
from edict.apps.cli.reporting import exit_code, print_lines, style_diagnostics
from edict.apps.cli.rules_by_name import (
    NO_GAME,
    default_game,
    find_targets,
    load_sources,
    read_shipped_game_name,
    to_stable_name,
)
from edict.apps.cli.shared_options import validate_format
from edict.compiler.pipeline.compile import check_rules
from edict.compiler.sources.folders import display_name, read_manifest
from edict.compiler.sources.module_lookup import find_folders, find_module, list_shipped_modules
from edict.compiler.sources.module_set import Modules
from edict.compiler.sources.workspace_settings import find_settings
from edict.support import resources
from edict.support.files import OutputTarget, detect_newline, write_atomically
from edict.support.formats import CheckedRules, Findings, as_errors
from edict.support.morphology import count_noun
from edict.support.processes.distribution import map_in_order
from edict.support.records import dataclass
from edict.support.rendering import describe_counts, escape_terminal, render_diagnostic, sort_diagnostics
from edict.support.report import Diagnostic, Edit, Outcome, ReadingExample, RuleReading, RulesError, apply_edits
from edict.support.resources import command_name

FORMATS = ("text", "json", "sarif", "github")

Format = Annotated[str, typer.Option("--format", metavar="text|json|sarif|github", help="Output format.")]
OutputFile = Annotated[
    Path | None,
    o.path_option("--output", "-o", metavar="FILE", help="Also write the results to a file, in the same format."),
]
Watch = Annotated[bool, typer.Option("--watch", help="Check again whenever a file changes.")]
Fix = Annotated[bool, typer.Option("--fix", help="Apply unambiguous fixes to your files.")]
Strict = Annotated[bool, typer.Option("--strict", help="Treat warnings as errors.")]
ShowExample = Annotated[
    bool,
    typer.Option(
        "--example", help="Play both readings of an ambiguous rule, and show where they differ as two scenes."
    ),
]
Keep = Annotated[
    Path | None, o.path_option("--keep", metavar="FILE", help="Write these scenes to a file. Implies --example.")
]


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
    """Check rules and print the findings, first applying their fixes if `fix`; return the exit code."""
    scenes_target = OutputTarget.from_option(keep, force)
    request = CheckRequest(names or (), modules or (), strict, example or scenes_target is not None, ships)
    if fix:
        apply_fixes(replace(request, example=False))
    return _run_check(request, format, OutputTarget.from_option(output, force), watch, scenes_target)


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """A request to check rules, as typed."""

    names: Sequence[str] = ()  # empty: the modules in and below the current folder, or what ships
    modules: Sequence[str] = ()
    strict: bool = False  # warnings count as errors
    example: bool = False  # play ambiguous rules to find an example
    ships: bool = False  # check what ships

    @property
    def targets(self) -> list[str]:
        """Return the rules to check, each once even if several of its files are named."""
        names = [to_stable_name(name) for name in find_targets(self.names, self.ships)]
        return list({find_module(name).value or name: name for name in names}.values())

    @property
    def texts(self) -> list[str]:
        """Return all rules in whose files findings can lie."""
        return [*map(str, list_shipped_modules()), *self.targets, *map(to_stable_name, self.modules)]


def _run_check(
    request: CheckRequest,
    output_format: str,
    output: OutputTarget | None,
    watch: bool,
    scenes_target: OutputTarget | None,
) -> int:
    """Check, print and write the findings and the scenes of examples; return the exit code."""
    validate_format(output_format, FORMATS)
    if watch:
        if output_format != "text" or output is not None or scenes_target is not None:
            raise UsageError("--watch cannot be combined with --format, --output or --keep", "use --watch alone")

        return watch_and_check((*request.targets, *request.modules), lambda: print_findings(request))
    if output is not None:
        output.check()
    if scenes_target is not None:
        check_scene_target(scenes_target)
    findings = _report_and_write(request, output_format, output)
    if scenes_target is not None:
        message = write_examples(findings, scenes_target, request.names, request.modules)
        print(message, file=sys.stderr if output_format != "text" else None)
    return findings.exit_code


def _report_and_write(request: CheckRequest, output_format: str, output: OutputTarget | None) -> Findings:
    """Return the findings after printing them and writing them to the output."""
    if output is None or output.is_standard_output:
        if output_format == "text":
            return print_findings(request)
        findings = collect_findings(request)
        print(format_findings(findings, output_format), end="")
        return findings
    findings = print_findings(request)
    output.write(format_findings(findings, output_format))
    return findings


# --- finding ---------------------------------------------------------------------------------------


def iter_checked_rules(request: CheckRequest) -> Iterator[CheckedRules]:
    """Yield each of the requested rules with its findings, for each game that it is checked over."""
    examples = ExampleCache()
    modules = tuple(to_stable_name(module) for module in request.modules)
    names = request.targets
    for name, outcomes in zip(names, map_in_order(partial(_check_over_games, modules), names), strict=True):
        folder = find_module(name).value
        manifest = read_manifest(folder).value if folder else None
        title = manifest.name if manifest else Path(name).name
        is_strict = request.strict or folder is not None and find_settings(folder).strict
        for outcome in outcomes:
            diagnostics = as_errors(outcome.diagnostics) if is_strict else outcome.diagnostics
            if request.example and outcome.value is not None:
                diagnostics = examples.add_examples(diagnostics, outcome.value)
            game = outcome.value[0].manifest if outcome.value else None
            yield CheckedRules(title, folder, game.title if game and game.name != title else "", diagnostics)


def _check_over_games(modules: tuple[str, ...], name: str) -> tuple[Outcome[Modules], ...]:
    """Check rules with modules; rules that name no game over each game of their settings, or the default game."""
    outcome = check_rules(name, modules)
    if not outcome.has_code(NO_GAME):
        return (outcome,)
    folder = find_module(name).value
    games = find_settings(folder).games if folder is not None else ()
    return tuple(check_rules(game, (name, *modules)) for game in games or (default_game(),))


def collect_findings(request: CheckRequest) -> Findings:
    """Check the requested rules and return all findings."""
    return _merge_findings(request, tuple(iter_checked_rules(request)))


def _merge_findings(request: CheckRequest, checked: tuple[CheckedRules, ...]) -> Findings:
    """Combine the findings of all checked rules, with the highest of their exit codes."""
    code = max((exit_code(rules.diagnostics) for rules in checked), default=0)
    has_findings = any(rules.diagnostics for rules in checked)  # only their places are looked up in folders
    return Findings(checked, _map_folders_by_name(request) if has_findings else {}, code, __version__)


def _map_folders_by_name(request: CheckRequest) -> dict[str, Path]:
    """Return by name, as in spans, the folders of the rules; names that two folders share are left out."""
    folder_list = [find_module(name).value for name in (*request.targets, *map(to_stable_name, request.modules))]
    paths = {folder.resolve() for folder in folder_list if folder is not None}
    name_counts = Counter(display_name(path) for path in paths)
    return {name: folder for name, folder in find_folders(request.texts).items() if name_counts[name] < 2}


# --- telling ---------------------------------------------------------------------------------------


def print_findings(request: CheckRequest) -> Findings:
    """Check the requested rules, print the findings of each as soon as it is checked, and return all.

    A finding in a game is printed once, even if several modules over that game are checked.
    """
    shown: set[Diagnostic] = set()
    checked = []
    for rules in iter_checked_rules(request):
        print_lines(_format_rules(rules, shown, request))
        shown.update(rules.diagnostics)
        checked.append(rules)
    if len(checked) > 1:
        print_lines([("bold", _summarize_all(checked))])
    findings = _merge_findings(request, tuple(checked))
    if request.example and (closing_text := describe_no_examples(findings)):
        print_lines([("", closing_text)])
    return findings


def _format_rules(rules: CheckedRules, shown: set[Diagnostic], request: CheckRequest) -> Iterator[tuple[str, str]]:
    """Yield the findings of some rules that are not shown yet, then a summary line; each line with its style."""
    new = [d for d in sort_diagnostics(rules.diagnostics) if d not in shown]
    # last, so that it wins over other folders of the same name
    own_folder = [str(rules.folder)] if rules.folder is not None else []
    if new:
        sources = load_sources([*request.targets, *map(to_stable_name, request.modules), *own_folder])
    else:
        sources = {}
    for d in new:
        yield from style_diagnostics(render_diagnostic(d, sources) + "\n")
    note = ", shown above" if rules.diagnostics and not new else ""
    yield "bold" if rules.diagnostics else "green", escape_terminal(f"{rules.name}: {_summarize(rules)}{note}")


def _summarize_all(checked: Sequence[CheckedRules]) -> str:
    """Return a line such as `30 modules checked, 2 with errors, 1 with warnings`."""
    faulty = sum(1 for rules in checked if rules.errors)
    doubtful = sum(1 for rules in checked if rules.warnings and not rules.errors)
    parts = [f"{number} with {what}" for number, what in ((faulty, "errors"), (doubtful, "warnings")) if number]
    return ", ".join([f"{count_noun(len(checked), 'module')} checked", *(parts or ["no errors"])])


def _summarize(rules: CheckedRules) -> str:
    """Return a summary such as `no errors, 2 warnings, laid over Kingsburg`, which names the base game if any."""
    counts = describe_counts(rules.errors, rules.warnings)
    if rules.errors:
        summary = counts
    elif counts:
        summary = f"no errors, {counts}"
    else:
        summary = "no errors"
    return summary + (f" (base game: {rules.base_title})" if rules.base_title else "")


def format_findings(findings: Findings, output_format: str) -> str:
    """Return the findings as a document in one of `FORMATS`."""
    here = Path.cwd()
    if output_format == "json":
        from edict.support.formats import render_json

        return render_json(findings, here)
    if output_format == "sarif":
        from edict.support.formats import render_sarif

        return render_sarif(findings, here, resources.get_shipped_folder(), read_shipped_game_name())
    if output_format == "github":
        from edict.support.formats import render_annotations

        return render_annotations(findings, here)
    sources = load_sources([str(folder) for folder in findings.folders.values()])
    rendered = [render_diagnostic(d, sources) + "\n" for d in findings.diagnostics]
    return "".join(
        [*rendered, *(escape_terminal(f"{rules.name}: {_summarize(rules)}\n") for rules in findings.checked)]
    )


MAX_ROUNDS = 50  # fixing one mistake can uncover another


def apply_fixes(request: CheckRequest) -> None:
    """Apply fixes until none is left, printing each changed line.

    Files that ship with the package are left alone, and so are findings with several possible fixes. A fix that does
    not remove its finding is undone.
    """
    findings = collect_findings(request)
    for _ in range(MAX_ROUNDS):
        improved = next(_fix_each_file(request, findings), None)
        if improved is None:
            return
        findings = improved


def _fix_each_file(request: CheckRequest, findings: Findings) -> Iterator[Findings]:
    """Apply fixes file by file (all at once, then each alone), and yield the findings after each success."""
    for path, fixable in _group_fixable(findings).items():
        for batch in dict.fromkeys((tuple(fixable), *((finding,) for finding in fixable))):
            after = _try_fixes(request, path, batch)
            if after is not None:
                yield after


def _try_fixes(request: CheckRequest, path: Path, fixable: Sequence[Diagnostic]) -> Findings | None:
    """Apply fixes to a file and return the new findings; None if one did not help and the file was restored."""
    old, line_ending = path.read_text(encoding="utf-8-sig"), detect_newline(path)
    new = apply_edits(old, [edit for finding in fixable for edit in finding.edits])
    write_atomically(path, new, line_ending)
    after = collect_findings(request)
    if {(finding.code, finding.title) for finding in fixable} & {
        (finding.code, finding.title) for finding in after.diagnostics
    }:
        write_atomically(path, old, line_ending)
        return None
    print(escape_terminal("\n".join(_fix_lines(fixable, old, new))), flush=True)
    return after


def _group_fixable(findings: Findings) -> dict[Path, list[Diagnostic]]:
    """Return by file the findings with a sure fix that edits only that file, which must not ship."""
    shipped_folders = {folder.resolve() for folder in list_shipped_modules()}
    by_file: dict[Path, list[Diagnostic]] = {}
    for finding in findings.diagnostics:
        paths = {findings.path_of(edit.span) for edit in finding.edits}
        path = paths.pop() if len(paths) == 1 else None
        if path is not None and finding.exact and path.is_file() and not shipped_folders & set(path.parents):
            by_file.setdefault(path, []).append(finding)
    return by_file


def _fix_lines(fixed: Iterable[Diagnostic], old: str, new: str) -> Iterator[str]:
    """Yield for each fixed finding its place and title, and its first edited line before and after."""
    before, after = old.split("\n"), new.split("\n")
    for finding in fixed:
        first = min(finding.edits)
        yield f"{finding.span.file}:{first.span.line}: fixed {finding.code}: {finding.title}"
        yield from _line_diff(finding.edits, before, after)


def _line_diff(edits: Sequence[Edit], before: Sequence[str], after: Sequence[str]) -> Iterator[str]:
    """Yield the first changed line before and after, if no lines were added or removed."""
    number = min(edits).span.line
    if len(before) == len(after):
        yield f"  - {before[number - 1].strip()}"
        yield f"  + {after[number - 1].strip()}"


def watch_and_check(names: Iterable[str], check: Callable[[], object]) -> int:
    """Run the check now and whenever these rules are saved. Return 0 on Ctrl-C."""
    from edict.apps.cli.playing.live_reload import iter_saves

    folders = _find_watched_folders(names)
    rounds = iter_saves(folders)
    next(rounds)  # from here on, saves during the check count too
    _run_and_print_time(check)
    print(escape_terminal(f"Watching {', '.join(folder.name for folder in folders)}; Ctrl-C stops."), flush=True)
    try:
        for saved in rounds:
            print(escape_terminal(f"\n--- {strftime('%H:%M:%S')} {_join_file_names(saved)} saved"), flush=True)
            _run_and_print_time(check)
    except KeyboardInterrupt:
        print("\nStopped watching.")
    return 0


def _find_watched_folders(names: Iterable[str]) -> list[Path]:
    """Return the folders of the checked rules; raise `RulesError` for rules that do not exist."""
    outcomes = [find_module(name) for name in names]
    missing = [diagnostic for outcome in outcomes for diagnostic in outcome.diagnostics]
    if missing:
        raise RulesError(missing)
    return list(dict.fromkeys(outcome.unwrap().resolve() for outcome in outcomes))


def _run_and_print_time(check: Callable[[], object]) -> None:
    """Run a check, then print how long it took: `(0.12 s)`."""
    start = perf_counter()
    check()
    print(f"({perf_counter() - start:.2f} s)", flush=True)


def _join_file_names(files: Sequence[Path]) -> str:
    """Return files as `folder/name`, joined by commas."""
    return ", ".join(f"{file.parent.name}/{file.name}" for file in files)


# --- what rules leave open, by example -----------------------------------------------------------------

MAX_EXAMPLES = 5  # examples searched in one check; each takes some seconds
SHOWN_BEFORE = ReadingExample("the example above covers this too")
NOT_SEARCHED = ReadingExample(f"not searched: only the first {MAX_EXAMPLES} such findings are played")


@dataclass
class ExampleCache:
    """The examples found in one check, reused where the same finding recurs in rules over a common game."""

    known: dict[tuple[RuleReading, ...], Diagnostic] = field(default_factory=dict)

    def add_examples(self, diagnostics: Sequence[Diagnostic], modules: Modules) -> tuple[Diagnostic, ...]:
        """Return the findings; each with several readings gets an example, or the reason why there is none."""
        return tuple(
            replace(diagnostic, example=self._find_example(diagnostic, modules)) if diagnostic.readings else diagnostic
            for diagnostic in diagnostics
        )

    def _find_example(self, diagnostic: Diagnostic, modules: Modules) -> ReadingExample:
        """Search games for an example of a finding with several readings, once for each pair and up to a limit."""
        earlier = self.known.get(diagnostic.readings)
        if earlier is not None:
            if earlier == diagnostic and earlier.example:
                return earlier.example
            return SHOWN_BEFORE
        if len(self.known) == MAX_EXAMPLES:
            return NOT_SEARCHED
        from edict.agents.study.divergence import MAX_GAMES, find_example

        with show_progress(f"{diagnostic.code}, games searched for an example", MAX_GAMES) as report_progress:
            example = find_example(diagnostic, modules, report_progress)
        self.known[diagnostic.readings] = replace(diagnostic, example=example)
        return example


def check_scene_target(target: OutputTarget) -> None:
    """Raise `OSError` if scenes cannot be written to a file; its folder `scenes` need not exist yet."""
    from edict.apps.cli.recorded_scenes import SCENES

    folder = target.path.parent
    if folder.is_dir() or folder.name != SCENES or not folder.absolute().parent.is_dir():
        target.check()


def describe_no_examples(findings: Findings) -> str:
    """Return a closing remark if findings exist but none calls for an example, else an empty text."""
    diagnostics = findings.diagnostics
    if not diagnostics or any(diagnostic.readings for diagnostic in diagnostics):
        return ""
    return (
        "No examples to show: these findings follow from the rules alone, in every game. "
        f"`{command_name()} study --never` finds what never happens in play."
    )


def write_examples(findings: Findings, target: OutputTarget, names: Sequence[str], modules: Sequence[str]) -> str:
    """Write the scenes of all examples to a file and return a message about it.

    Args:
        findings: The findings with their examples.
        target: The file.
        names: The checked rules, as typed.
        modules: The added modules, as typed.
    """
    from edict.apps.cli.recorded_scenes import SCENES, write_scenes

    examples = dict.fromkeys(
        diagnostic.example for diagnostic in findings.diagnostics if diagnostic.example and diagnostic.example.scenes
    )
    tops = {example.top for example in examples}
    if not examples:
        return escape_terminal(f"No scenes to write, so {target.path} was not created.")
    if len(tops) > 1:
        raise UsageError("the scenes belong to several games or modules", "check one at a time with --keep")
    page = ReadingExample("", top=tops.pop(), scenes="".join(example.scenes for example in examples)).scene_file
    write_scenes(target, page)
    scene_count = count_noun(page.count("\n  - name: "), "scene")
    rules = [*(names if target.path.parent.name == SCENES else ["FOLDER"]), *(f"--with {name}" for name in modules)]
    command_line = " ".join([f"{command_name()} test", *rules])
    return f"{scene_count} written to {target.path}. Once you have fixed the rules, run `{command_line}`."
