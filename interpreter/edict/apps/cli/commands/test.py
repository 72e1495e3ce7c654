"""The command `test`, which runs scenes as tests of the rules, reports coverage, and records scenes."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext, redirect_stdout
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from edict.apps.cli import shared_options as o
from edict.apps.cli.command_errors import RULES, UsageError, parse_file_path, to_path
from edict.apps.cli.command_output import write_data
from edict.apps.cli.playing.saved_games import program_name
from edict.apps.cli.recorded_scenes import RecordingRequest, record_scene
from edict.apps.cli.reporting import exit_code
from edict.apps.cli.rules_by_name import default_game, find_targets
from edict.apps.cli.shared_options import JSON, TEXT, print_document, validate_format
from edict.compiler.pipeline.assertions import has_assertions
from edict.compiler.sources.folders import MANIFEST
from edict.compiler.sources.module_lookup import find_module
from edict.game.scenes.scene_files import FOLDER, iter_scene_sources
from edict.game.table.rules import load_rules
from edict.runtime.program import Program
from edict.support.files import OutputTarget
from edict.support.morphology import count_noun, quote_words, split_title
from edict.support.processes.distribution import map_in_order
from edict.support.records import dataclass
from edict.support.rendering import escape_terminal
from edict.support.report import RulesError
from edict.support.translations.texts import join_some

if TYPE_CHECKING:
    from edict.game.scenes.coverage import SceneTrace
    from edict.game.scenes.scene_reports import ModuleReport

MOST_UNTRIED = 5  # things that are named
FEW_GAMES = 20  # games that test assertions, per kind of bot

Only = Annotated[
    str, typer.Option("--only", "-k", metavar="WORDS", help="Run only scenes whose name or file contains these words.")
]
Junit = Annotated[Path | None, o.path_option("--junit", metavar="FILE", help="Also write a JUnit XML report.")]
StrictScenes = Annotated[
    bool, typer.Option("--strict", help="Fail if a scene has a different outcome with the modules given by --with.")
]
FailFast = Annotated[bool, typer.Option("--fail-fast", help="Stop at the first failure.")]
CoverageToo = Annotated[
    bool, typer.Option("--coverage", help="Report lines and branches of the rules that no scene covers.")
]
FailUnder = Annotated[
    float | None, typer.Option("--fail-under", metavar="PERCENT", help="Fail if coverage is below this percentage.")
]
FromGame = Annotated[
    Path | None,
    typer.Option(
        "--record",
        parser=parse_file_path,
        metavar="GAME",
        autocompletion=o.saved_names,
        help="Record a scene from this saved game instead: the phase with the given answers, and its result.",
    ),
]
FromAnswer = Annotated[
    int | None, typer.Option("--from", metavar="N", help="First answer to record [default: the same as --to].")
]
ToAnswer = Annotated[
    int | None, typer.Option("--to", metavar="N", help="Last answer to record [default: the last of the game].")
]
SceneName = Annotated[str, typer.Option("--name", metavar="WORDS", help="Name of the recorded scene.")]
SceneFile = Annotated[
    Path | None,
    o.path_option("--output", "-o", metavar="FILE", help="Write the recorded scene here [default: print it]."),
]
ListAnswers = Annotated[bool, typer.Option("--list", help="With --record, list the game's answers by number.")]
CoverageFile = Annotated[
    Path | None, o.path_option("--coverage-json", metavar="FILE", help="Also write the coverage as JSON.")
]

NeverToo = Annotated[
    bool, typer.Option("--never", help="With --coverage: also report what never happens in games between bots.")
]


def test(
    names: o.Names = None,
    modules: o.Modules = None,
    ships: o.Shipped = False,
    only: Only = "",
    fail_fast: FailFast = False,
    strict: StrictScenes = False,
    junit: Junit = None,
    coverage: CoverageToo = False,
    never: NeverToo = False,
    fail_under: FailUnder = None,
    coverage_json: CoverageFile = None,
    recorded: FromGame = None,
    first: FromAnswer = None,
    last: ToAnswer = None,
    scene_name: SceneName = "",
    output: SceneFile = None,
    listed: ListAnswers = False,
    force: o.Force = False,
    form: o.DataFormat = "text",
) -> int:
    """Run scenes and report failures and coverage, or record a game as a scene; return the exit code."""
    validate_format(form)
    if recorded is not None:
        if names or modules or ships:
            raise UsageError("--record uses the saved game's own rules", "drop the module names, --with and --shipped")
        scene_options = {
            "--only": only,
            "--fail-fast": fail_fast,
            "--strict": strict,
            "--junit": junit,
            "--coverage": coverage,
            "--fail-under": fail_under,
            "--coverage-json": coverage_json,
        }
        if stray_option := _find_typed_option(scene_options):
            raise UsageError(
                f"{stray_option} cannot be combined with --record, which runs no scenes", "use only one of them"
            )
        return record_scene(
            RecordingRequest(recorded, first, last, scene_name, OutputTarget.from_option(output, force), listed), form
        )
    recording_options = {"--from": first, "--to": last, "--name": scene_name, "--output": output, "--list": listed}
    if stray_option := _find_typed_option(recording_options):
        remedy = "add --record GAME" + ("; --only WORDS picks scenes to run" if stray_option == "--name" else "")
        raise UsageError(f"{stray_option} needs --record", remedy)
    targets = find_targets([_resolve_rules(name) for name in names or ()], ships)
    request = SceneRequest(targets, modules or (), only, fail_fast, strict, form)
    coverage_reporter = make_coverage_reporter(coverage, fail_under, OutputTarget.from_option(coverage_json, force))
    if never and coverage_reporter is None:
        raise UsageError("--never needs --coverage", "add --coverage, or use `study --never`")
    code = _play_scenes(request, OutputTarget.from_option(junit, force), coverage_reporter)
    if request.form == TEXT and not only and coverage_reporter is None and len(targets) == 1:
        _report_untried(targets[0])
    if request.form == TEXT and not only:
        code = _report_assertions(request) or code
    return (_report_never(request) or code) if never else code


def _report_untried(name: str) -> None:
    """Print the things of a module that none of its scenes names, and which commands say more."""
    folder = find_module(name).value
    if folder is None:
        return
    scenes = "\n".join(source.text for source in iter_scene_sources(folder))
    own_things = (
        thing
        for _, modules, program in _load_playable(name)
        for kind in (program.kinds if modules else ())
        for thing in kind.things
        if thing.module == program.modules[-1]
    )
    untried = [
        title
        for thing in own_things
        if (title := split_title(thing.title or thing.name)[0])
        and not re.search(rf"\b({re.escape(title)}|{re.escape(thing.name)})\b", scenes, re.IGNORECASE)
    ]
    if untried:
        print(
            escape_terminal(f"No scene names {join_some(untried, MOST_UNTRIED)}. What never happens in games between")
        )
        print(escape_terminal(f"bots: `{program_name()} study {name} --never`"))


def _report_assertions(request: SceneRequest) -> int:
    """Test the assertions of the rules in games between bots; return the exit code."""
    from edict.apps.cli.long_runs import StudyOptions
    from edict.apps.cli.study_findings import report_assertions

    code = 0
    for name in request.names:
        for game, modules, _ in _load_playable(name) if has_assertions(name) else ():
            code = report_assertions(StudyOptions(game, (*modules, *request.modules)), FEW_GAMES) or code
    return code


def _report_never(request: SceneRequest) -> int:
    """Report what never happens in games with these rules; a module is played over the default game."""
    from edict.apps.cli.long_runs import StudyOptions
    from edict.apps.cli.study_findings import NEVER_GAMES, report_never

    code = 0
    for name in request.names:
        for game, modules, _ in _load_playable(name):
            with redirect_stdout(sys.stderr) if request.form == JSON else nullcontext():
                print()
                code = report_never(StudyOptions(game, (*modules, *request.modules), games=NEVER_GAMES), TEXT) or code
    return code


def _find_typed_option(options: Mapping[str, object]) -> str:
    """Return the first of these options that was typed, or an empty text."""
    return next((option for option, value in options.items() if value is not None and value not in ("", False)), "")


@dataclass(frozen=True, slots=True)
class SceneRequest:
    """A request to run scenes."""

    names: Sequence[str] = ()
    modules: Sequence[str] = ()
    only: str = ""
    fail_fast: bool = False
    strict: bool = False
    form: str = TEXT


def _play_scenes(
    request: SceneRequest, junit: OutputTarget | None = None, coverage_reporter: CoverageReporter | None = None
) -> int:
    """Run the scenes of the requested rules; return the exit code."""
    from edict.game.scenes.scene_reports import to_data, to_junit

    for target in (junit, coverage_reporter.file if coverage_reporter else None):
        if target is not None:
            target.check()
    worst_code, reports = 0, []
    names = request.names
    trace = coverage_reporter.trace if coverage_reporter else None
    # a trace collects what all modules play, so they are played in this process
    all_reports = (
        map(partial(_run_scenes, request, trace), names)
        if trace
        else map_in_order(partial(_run_scenes, request, None), names)
    )
    for name, report in zip(names, all_reports, strict=True):
        if request.form == TEXT:
            heading = f"{name}: " if len(names) > 1 else ""
            print(escape_terminal(heading) + report.text(), end="", flush=True)
        worst_code = max(worst_code, 0 if report.ok else exit_code(report.diagnostics) or RULES)
        reports.append(report)
    if request.form == TEXT and len(reports) > 1:
        print(escape_terminal(_summarize_all(reports)))
    if junit is not None:
        write_data(junit, to_junit(*reports))
    if request.form == JSON:
        print_document("test", modules=[to_data(report) for report in reports])
    if coverage_reporter:
        code = _report_coverage(coverage_reporter, names, worst_code, request.form)
    else:
        code = worst_code
    if not any(report.scenes or report.diagnostics for report in reports):
        raise _nothing_tested_error(names, request.only)
    return code


def _summarize_all(reports: Sequence[ModuleReport]) -> str:
    """Return a line such as `30 modules tested, 88 scenes passed, 2 modules failed`."""
    passed = sum(1 for report in reports for scene in report.scenes if scene.ok)
    failed = sum(1 for report in reports if not report.ok)
    parts = [f"{count_noun(len(reports), 'module')} tested", f"{count_noun(passed, 'scene')} passed"]
    return ", ".join([*parts, *([f"{count_noun(failed, 'module')} failed"] if failed else [])])


def _run_scenes(request: SceneRequest, trace: SceneTrace | None, name: str) -> ModuleReport:
    """Run the scenes of one of the requested modules."""
    from edict.game.scenes.scene_runner import run_module

    return run_module(name, request.modules, request.only or None, request.fail_fast, trace, request.strict)


def _resolve_rules(name: str) -> str:
    """Return the folder of rules around a folder of scenes, or the name itself."""
    folder = to_path(name)
    around = folder.absolute().parent / MANIFEST
    if folder.name == FOLDER and folder.is_dir() and around.is_file():
        return str(folder.parent)
    return name


def _report_coverage(coverage_reporter: CoverageReporter, names: Sequence[str], code: int, output_format: str) -> int:
    """Report the coverage, on standard error if standard output is JSON; return the exit code."""
    with redirect_stdout(sys.stderr) if output_format == JSON else nullcontext():
        return coverage_reporter.report(names, code)


def _nothing_tested_error(names: Sequence[str], only: str) -> UsageError:
    """Return the error for a run without scenes, which must not look like success."""
    if only:
        reason = f"no scene of {quote_words(names, 'and')} matches `{only}`"
        return UsageError(reason, "drop -k, or use fewer letters")
    have = "has" if len(names) == 1 else "have"
    remedy = f"write one in `scenes/NAME.yaml`; `{program_name()} study {names[0]} --never` lists what never happens"
    return UsageError(f"no scenes to run: {quote_words(names, 'and')} {have} none", remedy)


class CoverageReporter:
    """A collector of executed rules that reports coverage and compares it with a minimum."""

    def __init__(self, trace: SceneTrace, minimum: float, file: OutputTarget | None) -> None:
        self.trace = trace
        self.minimum = minimum
        self.file = file

    def report(self, names: Sequence[str], code: int) -> int:
        """Print and write the coverage of these rules; return `code`, or an error code if it is below the minimum."""
        from edict.compiler.sources.module_lookup import read_texts
        from edict.game.scenes.coverage import format_coverage, measure_coverage, to_json

        for name in names:
            self.add_unplayed_rules(name)
        if not list(self.trace):
            print("No coverage: these rules cannot be played.")
            return code or RULES
        sources = read_texts(names)
        coverage = measure_coverage(self.trace, sources)
        print("\n" + format_coverage(coverage, sources), end="")
        if self.file is not None:
            write_data(self.file, to_json(coverage))
        if coverage.percent < self.minimum:
            print(f"that is below the required {self.minimum:g} %")
            return code or RULES
        return code

    def add_unplayed_rules(self, name: str) -> None:
        """Add rules that no scene played to the trace, so that their lines count as uncovered."""
        for _, _, program in _load_playable(name):
            self.trace.get_counting_code(program)


def _load_playable(name: str) -> Iterator[tuple[str, tuple[str, ...], Program]]:
    """Yield the game, modules and program of rules, alone or over the default game; nothing if neither loads."""
    for game, modules in ((name, ()), (default_game(), (name,))):
        try:
            program = load_rules(game, modules).program
        except RulesError:
            continue
        yield game, modules, program
        return


def make_coverage_reporter(coverage: bool, minimum: float | None, file: OutputTarget | None) -> CoverageReporter | None:
    """Return a reporter if an option asks for coverage; raise `UsageError` for a minimum outside 0 to 100."""
    from edict.game.scenes.coverage import SceneTrace

    if minimum is not None and not 0 <= minimum <= 100:
        raise UsageError(f"--fail-under is a percentage, not {minimum:g}", "write a number from 0 to 100")
    is_wanted = coverage or minimum is not None or file is not None
    return CoverageReporter(SceneTrace(), minimum or 0.0, file) if is_wanted else None
