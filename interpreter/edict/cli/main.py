"""The command `kingsburg`. What takes long to import is imported by the command that needs it."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Callable

import typer

from edict.cli import options as o
from edict.cli.errors import STOPPED, USAGE

app = typer.Typer(
    name="kingsburg",
    help="A board game played from its rules as data, and a workshop for such rules.",
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


@app.command()
def play(
    game: o.GameFirst = "",
    human: o.Humans = None,
    bot: o.Bots = None,
    players: o.TableFile = None,
    seed: o.Seed = "",
    modules: o.Modules = None,
    scenario: o.Scenario = "",
    settings: o.Settings = None,
    dice: o.Dice = "",
    save: o.Save = None,
    speed: o.Speed = "",
    no_color: o.NoColour = False,
    plain: o.Plain = False,
) -> int:
    """Play a game: you against three bots, unless you say otherwise. With nobody at the keyboard, only bots play."""
    from edict.cli.play import Wishes
    from edict.cli.play import play as start

    wishes = Wishes(
        game, human or (), bot or (), players, seed, modules or (), scenario, settings or (), dice, save, speed,
        not no_color, plain,
    )  # fmt: skip
    return start(wishes)


@app.command()
def resume(
    file: o.LastGame = None,
    human: o.Humans = None,
    bot: o.Bots = None,
    speed: o.Speed = "",
    no_color: o.NoColour = False,
    plain: o.Plain = False,
) -> int:
    """Go on with a game that was left. --human NAME and --bot KIND:NAME change who plays for whom."""
    from edict.cli.play import Wishes
    from edict.cli.play import resume as go_on

    return go_on(file, Wishes(humans=human or (), bots=bot or (), speed=speed, colour=not no_color, simple=plain))


@app.command()
def replay(file: o.Journal, no_color: o.NoColour = False, plain: o.Plain = False) -> int:
    """Tell a game from its journal."""
    from edict.cli.replay import replay as tell

    return tell(file, not no_color, plain)


@app.command()
def check(names: o.Names = None, modules: o.Modules = None, strict: o.Strict = False) -> int:
    """Check rules, and show what is wrong with them and where. Without a name: everything that ships."""
    from edict.cli.shelf import check as run

    return run(names or (), modules or (), strict)


@app.command()
def test(names: o.Names = None, modules: o.Modules = None, only: o.Only = "", fail_fast: o.FailFast = False) -> int:
    """Play the scenes that stand beside the rules, and show what did not go as they say."""
    from edict.cli.shelf import scenes

    return scenes(names or (), modules or (), only, fail_fast)


@app.command()
def schema(kind: o.Kind = "", game: o.Game = "", modules: o.Modules = None) -> int:
    """Print the JSON Schema of a kind of thing, or of a kind of file, for editors."""
    from edict.cli.shelf import schema as run

    return run(kind, game, modules or ())


@app.command("modules")
def modules_(name: o.OneModule = "") -> int:
    """List the games and modules that ship."""
    from edict.cli.catalogue import modules as run

    return run(name)


@app.command()
def transcribe(name: o.ModuleToCopy, output: o.Output = "") -> int:
    """Write a form for the cards of a module, to be filled in by someone who owns the box."""
    from edict.cli.transcribing import transcribe as run

    return run(name, output)


@app.command()
def show(thing: o.Thing, game: o.Game = "", modules: o.Modules = None) -> int:
    """Tell what a thing in a game does."""
    from edict.cli.shelf import show as run

    return run(thing, game, modules or ())


@app.command()
def explain(code: o.Code) -> int:
    """Explain a message: what to avoid, and what to write."""
    from edict.cli.shelf import explain as run

    return run(code)


def main() -> None:
    """Run the command and exit; whatever goes wrong is told in a few words."""
    _prepare()
    sys.exit(_guarded(lambda: app(standalone_mode=False)))


def _prepare() -> None:
    """Whatever the terminal's encoding, a character it cannot show is no reason to stop."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _guarded(run: Callable[[], object]) -> int:
    try:
        code = run()
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except (typer.Abort, KeyboardInterrupt):
        print(file=sys.stderr)
        return STOPPED
    except typer.Exit as leaving:
        return leaving.exit_code
    except BrokenPipeError:
        _no_more_output()
        return 0
    except Exception as problem:
        return _told(problem)


def _no_more_output() -> None:
    """Nobody reads any more: let what is left go nowhere, also when Python ends."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _told(problem: Exception) -> int:
    if hasattr(problem, "format_message") and hasattr(problem, "exit_code"):  # a wrong option, found by typer
        print(f"kingsburg: {problem.format_message()}\nhelp: --help tells what may be written", file=sys.stderr)
        return USAGE
    from edict.cli.telling import tell

    return tell(problem)


if __name__ == "__main__":
    main()
