"""Commands for those who write rules and check them."""

from __future__ import annotations

import typer

from edict.cli import options as o
from edict.cli.app import app, helpful
from edict.files import Target


@app.command()
def new(name: o.NewModule, over: o.Over = "", game: o.OwnGame = False) -> int:
    """Create a new module, or a new game, with examples. It can be checked, tested and played at once."""
    from edict.cli.rules.creating import new as run
    from edict.cli.rules.creating import new_game

    return new_game(name, over) if game else run(name, over)


@app.command()
def check(
    names: o.Names = None,
    modules: o.Modules = None,
    strict: o.Strict = False,
    fix: o.Fix = False,
    format: o.Format = "text",
    output: o.OutputFile = None,
    force: o.Force = False,
    watch: o.Watch = False,
) -> int:
    """Check rules for errors. Without a name, checks this folder, or everything that ships."""
    from edict.cli.rules.checking import CheckRequest
    from edict.cli.rules.checking import check as run

    wanted = CheckRequest(names or (), modules or (), strict)
    if fix:
        from edict.cli.rules.fixing import fix as mend

        mend(wanted)
    return run(wanted, format, Target.of(output, force), watch)


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
    form: o.DataFormat = "text",
) -> int:
    """Run the scenes, which are the tests of the rules. Failures are shown with what happened instead."""
    from edict.cli.rules.covering import wanted_coverage
    from edict.cli.rules.testing import SceneRequest, scenes

    wanted = SceneRequest(names or (), modules or (), only, fail_fast, strict, form)
    covering = wanted_coverage(coverage, fail_under, Target.of(coverage_json, force))
    return scenes(wanted, Target.of(junit, force), covering)


@app.command()
def schema(kind: o.Kind = "", game: o.Game = "", modules: o.Modules = None) -> int:
    """Print the JSON Schema of a kind of thing or file."""
    from edict.cli.rules.schemas import schema as run

    return run(kind, game, modules or ())


@app.command()
def explain(code: o.Code) -> int:
    """Explain an error or warning by its code."""
    from edict.cli.rules.explaining import explain as run

    return run(code)


@app.command()
def fmt(names: o.Files = None, check: o.OnlyCheck = False, diff: o.OnlyDiff = False) -> int:
    """Format rule files. Without a name, formats this folder; - formats standard input."""
    from edict.cli.rules.formatting import fmt as run

    return run(names or (), check, diff)


@app.command()
def lsp(game: o.Game = "", port: o.LspPort = None) -> int:
    """Serve an editor: errors, completion, hover and more while you type. See editors/README.md."""
    from edict.cli.rules.serving import lsp as run

    return run(game, port)


@app.command()
def transcribe(name: o.ModuleToCopy, output: o.Output = "") -> int:
    """Write a form for the cards of a module. Owners of the box fill it in."""
    from edict.cli.rules.transcribing import transcribe as run

    return run(name, output)


scene = typer.Typer(invoke_without_command=True, rich_markup_mode=None)
app.add_typer(scene, name="scene")


@scene.callback()
def _group(context: typer.Context) -> None:
    """Work with scenes, the tests of the rules."""
    helpful(context)


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
    """Record a scene from a saved game: the phase around the given answers, and how it came out."""
    from edict.cli.rules.recording import record

    return record(journal, first, last, name, Target.of(output, force), listed)
