"""Commands that tell what the rules say."""

from __future__ import annotations

from edict.cli import options as o
from edict.cli.app import app


@app.command("modules")
def modules_(name: o.OneModule = "") -> int:
    """List the games and modules that ship."""
    from edict.cli.rules.catalogue import modules as run

    return run(name)


@app.command()
def show(thing: o.Thing, game: o.Game = "", modules: o.Modules = None) -> int:
    """Tell what a thing in a game does."""
    from edict.cli.rules.showing import show as run

    return run(thing, game, modules or ())
