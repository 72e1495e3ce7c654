"""Commands for those who write rules and check them."""

from __future__ import annotations

import typer

from edict.cli import options as o
from edict.cli.app import app
from edict.files import Target


@app.command()
def new(name: o.NewModule, over: o.Over = "") -> int:
    """Write a module of your own to begin with. It can be checked, tested and played at once."""
    from edict.cli.rules.creating import new as run

    return run(name, over)


@app.command()
def check(
    names: o.Names = None,
    modules: o.Modules = None,
    strict: o.Strict = False,
    format: o.Format = "text",
    output: o.OutputFile = None,
    force: o.Force = False,
    watch: o.Watch = False,
) -> int:
    """Check rules, and show what is wrong and where. Without a name: everything that ships."""
    from edict.cli.rules.checking import Wanted
    from edict.cli.rules.checking import check as run

    return run(Wanted(names or (), modules or (), strict), format, Target.of(output, force), watch)


@app.command()
def test(
    names: o.Names = None,
    modules: o.Modules = None,
    only: o.Only = "",
    fail_fast: o.FailFast = False,
    strict: o.StrictScenes = False,
    junit: o.Junit = None,
    coverage: o.CoverageToo = False,
    fail_under: o.FailUnder = None,
    coverage_json: o.CoverageFile = None,
    force: o.Force = False,
) -> int:
    """Play the scenes beside the rules. What did not go as they say is shown, with what happened."""
    from edict.cli.rules.covering import wanted_coverage
    from edict.cli.rules.testing import Wanted, scenes

    wanted = Wanted(names or (), modules or (), only, fail_fast, strict)
    covering = wanted_coverage(coverage, fail_under, Target.of(coverage_json, force))
    return scenes(wanted, Target.of(junit, force), covering)


@app.command()
def schema(kind: o.Kind = "", game: o.Game = "", modules: o.Modules = None) -> int:
    """Print the JSON Schema of a kind of thing or file. Editors can use it."""
    from edict.cli.rules.schemas import schema as run

    return run(kind, game, modules or ())


@app.command()
def explain(code: o.Code) -> int:
    """Explain a message: what to avoid, and what to write."""
    from edict.cli.rules.explaining import explain as run

    return run(code)


@app.command()
def fmt(names: o.Files = None, check: o.OnlyCheck = False, diff: o.OnlyDiff = False) -> int:
    """Lay out rule files in the one usual way. Those of a module or folder (without one: this folder), or `-`."""
    from edict.cli.rules.formatting import fmt as run

    return run(names or (), check, diff)


@app.command()
def transcribe(name: o.ModuleToCopy, output: o.Output = "") -> int:
    """Write a form for the cards of a module. Someone who owns the box fills it in."""
    from edict.cli.rules.transcribing import transcribe as run

    return run(name, output)


scene = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Scenes: the tests of rules in their own words.")
app.add_typer(scene, name="scene")


@scene.callback()
def _group() -> None:
    """A group of commands, also while there is only one."""


@scene.command("record")
def record_scene(
    journal: o.Journal,
    first: o.FromAnswer = None,
    last: o.ToAnswer = None,
    name: o.SceneName = "",
    output: o.SceneFile = None,
    force: o.Force = False,
    listed: o.ListAnswers = False,
) -> int:
    """Write a scene from a played game. The phase around these answers, what was done, and what became of it."""
    from edict.cli.rules.recording import record

    return record(journal, first, last, name, Target.of(output, force), listed)
