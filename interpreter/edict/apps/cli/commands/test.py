"""`test`: do the rules do what the scenes beside them say, and what do scenes play? `--record` writes one of a game."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from edict.apps.cli import shared_options as o
from edict.apps.cli.bounded_output import write_data
from edict.apps.cli.command_errors import RULES, UsageError
from edict.apps.cli.option_values import JSON, TEXT, a_file, a_path, checked_form, print_json
from edict.apps.cli.recorded_scenes import RecordingRequest, record
from edict.apps.cli.reporting import exit_code
from edict.apps.cli.rules_by_name import default_game, find_targets
from edict.compiler.pipeline.asserting import asserts
from edict.compiler.sources.folders import MANIFEST
from edict.game.scenes.scene_files import FOLDER
from edict.game.table.rules import load_rules
from edict.runtime.program import Program
from edict.support.files import OutputTarget
from edict.support.morphology import quote_words
from edict.support.rendering import escape_terminal
from edict.support.report import RulesError

if TYPE_CHECKING:
    from edict.game.scenes.coverage import SceneTrace

FEW_GAMES = 20  # in which assertions are looked at, for each kind of bots

Only = Annotated[
    str, typer.Option("--only", "-k", metavar="WORDS", help="Run only scenes whose name or file contains these words.")
]
Junit = Annotated[Path | None, o.path("--junit", metavar="FILE", help="Also write a JUnit XML report.")]
StrictScenes = Annotated[
    bool, typer.Option("--strict", help="Fail if a scene has a different outcome with the modules given by --with.")
]
FailFast = Annotated[bool, typer.Option("--fail-fast", help="Stop at the first failure.")]
CoverageToo = Annotated[
    bool, typer.Option("--coverage", help="Report lines and branches of the rules that no scene has played.")
]
FailUnder = Annotated[
    float | None, typer.Option("--fail-under", metavar="PERCENT", help="Fail if the coverage is below this.")
]
FromGame = Annotated[
    Path | None,
    typer.Option(
        "--record",
        parser=a_file,
        metavar="GAME",
        autocompletion=o.saved_names,
        help="Record a scene from this saved game instead: the phase around the given answers, and how it came out.",
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
    Path | None, o.path("--output", "-o", metavar="FILE", help="Write the recorded scene here [default: print it].")
]
ListAnswers = Annotated[
    bool, typer.Option("--list", help="With --record, list the answers of the game with their numbers.")
]
CoverageFile = Annotated[
    Path | None, o.path("--coverage-json", metavar="FILE", help="Also write the coverage as JSON.")
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
    """Play scenes, and report the coverage if it is wanted; or record a scene. Returns the exit code."""
    checked_form(form)
    if recorded is not None:
        if names or modules or ships:
            raise UsageError("--record takes the rules from the game", "leave out the other names, --with, --shipped")
        of_scenes = {
            "--only": only,
            "--fail-fast": fail_fast,
            "--strict": strict,
            "--junit": junit,
            "--coverage": coverage,
            "--fail-under": fail_under,
            "--coverage-json": coverage_json,
        }
        if alone := _given(of_scenes):
            raise UsageError(f"{alone} is for scenes to be run, and --record runs none", "leave out one of them")
        return record(
            RecordingRequest(recorded, first, last, scene_name, OutputTarget.from_option(output, force), listed), form
        )
    of_recording = {"--from": first, "--to": last, "--name": scene_name, "--output": output, "--list": listed}
    if alone := _given(of_recording):
        remedy = "write --record GAME beside it" + ("; --only WORDS picks scenes to run" if alone == "--name" else "")
        raise UsageError(f"{alone} is for a scene to be recorded", remedy)
    targets = find_targets([_rules_of(name) for name in names or ()], ships)
    wanted = SceneRequest(targets, modules or (), only, fail_fast, strict, form)
    covering = wanted_coverage(coverage, fail_under, OutputTarget.from_option(coverage_json, force))
    if never and covering is None:
        raise UsageError("--never goes with --coverage", "add it, or use `study --never`")
    code = _play_scenes(wanted, OutputTarget.from_option(junit, force), covering)
    if wanted.form == TEXT and not only:
        code = _asserted(wanted) or code
    return (_never_happened(wanted) or code) if never else code


def _asserted(wanted: SceneRequest) -> int:
    """Look in games between bots at what these rules assert; returns the exit code."""
    from edict.apps.cli.long_runs import StudyOptions
    from edict.apps.cli.study_findings import tell_asserted

    code = 0
    for name in wanted.names:
        for game, modules, _ in _playable(name) if asserts(name) else ():
            code = tell_asserted(StudyOptions(game, (*modules, *wanted.modules)), FEW_GAMES) or code
    return code


def _never_happened(wanted: SceneRequest) -> int:
    """Tell what never happens in games by these rules: of a module, over the game that ships."""
    from edict.apps.cli.long_runs import StudyOptions
    from edict.apps.cli.study_findings import tell_never

    code = 0
    for name in wanted.names:
        for game, modules, _ in _playable(name):
            with redirect_stdout(sys.stderr) if wanted.form == JSON else nullcontext():
                print()
                code = tell_never(StudyOptions(game, (*modules, *wanted.modules)), TEXT) or code
    return code


def _given(options: Mapping[str, object]) -> str:
    """The first of these options that was typed."""
    return next((option for option, value in options.items() if value is not None and value not in ("", False)), "")


@dataclass(frozen=True, slots=True)
class SceneRequest:
    """Whose scenes are to be played, and how."""

    names: Sequence[str] = ()
    modules: Sequence[str] = ()
    only: str = ""
    fail_fast: bool = False
    strict: bool = False
    form: str = TEXT


def _play_scenes(wanted: SceneRequest, junit: OutputTarget | None = None, covering: Covering | None = None) -> int:
    """Play the scenes of each of these; returns the exit code."""
    from edict.game.scenes.scene_reports import to_data, to_junit
    from edict.game.scenes.scene_runner import run_module

    for target in (junit, covering.file if covering else None):
        if target is not None:
            target.check()
    worst, reports = 0, []
    names = wanted.names
    trace = covering.trace if covering else None
    for name in names:
        report = run_module(name, wanted.modules, wanted.only or None, wanted.fail_fast, trace, wanted.strict)
        if wanted.form == TEXT:
            heading = f"{name}: " if len(names) > 1 else ""
            print(escape_terminal(heading) + report.text(), end="", flush=True)
        worst = max(worst, 0 if report.ok else exit_code(report.diagnostics) or RULES)
        reports.append(report)
    if junit is not None:
        write_data(junit, to_junit(*reports))
    if wanted.form == JSON:
        print_json([to_data(report) for report in reports])
    code = _covered(covering, names, worst, wanted.form) if covering else worst
    if not any(report.scenes or report.diagnostics for report in reports):
        raise _nothing_played(names, wanted.only)
    return code


def _rules_of(name: str) -> str:
    """What is named, or the rules around it, if it is their folder of scenes."""
    folder = a_path(name)
    around = folder.absolute().parent / MANIFEST
    return str(folder.parent) if folder.name == FOLDER and folder.is_dir() and around.is_file() else name


def _covered(covering: Covering, names: Sequence[str], worst: int, form: str) -> int:
    """Tell of the coverage; beside data on standard output, on standard error."""
    with redirect_stdout(sys.stderr) if form == JSON else nullcontext():
        return covering.tell(names, worst)


def _nothing_played(names: Sequence[str], only: str) -> UsageError:
    """A test of nothing must not look like one that was passed."""
    if only:
        told = f"no scene of {quote_words(names, 'and')} has `{only}` in its name or file"
        return UsageError(told, "leave out -k, or use fewer letters")
    have = "has" if len(names) == 1 else "have"
    return UsageError(
        f"nothing was tested: {quote_words(names, 'and')} {have} no scenes", "write one in `scenes/NAME.yaml`"
    )


class Covering:
    """Notes what is played; afterwards tells it, writes it, and judges it against `least` percent."""

    def __init__(self, trace: SceneTrace, least: float, file: OutputTarget | None) -> None:
        self.trace = trace
        self.least = least
        self.file = file

    def tell(self, names: Sequence[str], code: int) -> int:
        """Print the coverage of these rules' own files; returns the exit code: `code`, unless too little is covered."""
        from edict.compiler.sources.module_lookup import texts
        from edict.game.scenes.coverage import format_coverage, measure_coverage, to_json

        for name in names:
            self.add_unplayed(name)
        if not list(self.trace):
            print("No coverage can be reported, as these rules cannot be played.")
            return code or RULES
        sources = texts(names)
        coverage = measure_coverage(self.trace, sources)
        print("\n" + format_coverage(coverage, sources), end="")
        if self.file is not None:
            write_data(self.file, to_json(coverage))
        if coverage.percent < self.least:
            print(f"that is below the required {self.least:g} %")
            return code or RULES
        return code

    def add_unplayed(self, name: str) -> None:
        """Rules that no scene plays are not covered, so they must be there to be counted."""
        for _, _, program in _playable(name):
            self.trace.counted_code(program)


def _playable(name: str) -> Iterator[tuple[str, tuple[str, ...], Program]]:
    """How these rules are played, alone or over the game; nothing if they cannot be."""
    for game, modules in ((name, ()), (default_game(), (name,))):
        try:
            program = load_rules(game, modules).program
        except RulesError:
            continue
        yield game, modules, program
        return


def wanted_coverage(coverage: bool, least: float | None, file: OutputTarget | None) -> Covering | None:
    """The coverage to be told, if any of its options says so."""
    from edict.game.scenes.coverage import SceneTrace

    if least is not None and not 0 <= least <= 100:
        raise UsageError(f"--fail-under is a percentage, not {least:g}", "write a number from 0 to 100")
    wanted = coverage or least is not None or file is not None
    return Covering(SceneTrace(), least or 0.0, file) if wanted else None
