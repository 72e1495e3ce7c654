"""Commands that tell what the rules say."""

from __future__ import annotations

from pathlib import Path

from edict.cli import options as o
from edict.cli.app import app
from edict.files import Target


@app.command("modules")
def modules_(name: o.OneModule = "", form: o.DataFormat = "text") -> int:
    """List games and modules, or describe one."""
    from edict.cli.rules.catalogue import modules as run

    return run(name, form)


@app.command()
def show(thing: o.Thing, game: o.Game = "", modules: o.Modules = None, form: o.DataFormat = "text") -> int:
    """Show a thing or rule. Prints what it does, its source, and what affects it."""
    from edict.cli.rules.showing import show as run

    return run(thing, game, modules or (), form)


@app.command()
def moments(words: o.Words = None, game: o.Game = "", modules: o.Modules = None) -> int:
    """List what happens in a game, in order: each line is the first line of a rule."""
    from edict.cli.rules.moments import moments as run

    return run(words or (), game, modules or ())


@app.command()
def names(words: o.Words = None, game: o.Game = "", modules: o.Modules = None) -> int:
    """List the names that rules may use, with titles and meanings."""
    from edict.cli.rules.names import names as run

    return run(words or (), game, modules or ())


@app.command("find")
def find_(words: o.WordsToFind, game: o.Game = "", modules: o.Modules = None, form: o.DataFormat = "text") -> int:
    """Find the moment, name or thing that fits, by words such as "after a battle"."""
    from edict.cli.rules.finding import find as run

    return run(words, game, modules or (), form)


@app.command()
def rulebook(
    game: o.GameFirst = "",
    named: o.GameToo = "",
    modules: o.Modules = None,
    output: o.BookFile = Path("-"),
    force: o.Force = False,
) -> int:
    """Print a rulebook for a game and its modules, or write it to a file."""
    from edict.cli.rules.rulebook import rulebook as run

    return run(o.one_game(game, named), modules or (), Target(output, force))


@app.command()
def diff(
    old: o.OldRules, new: o.NewRules = None, game: o.Game = "", modules: o.Modules = None, form: o.DataFormat = "text"
) -> int:
    """Show what a module changes. Prints additions, changes and removals, by line and in sentences."""
    from edict.cli.rules.differing import BASE, diff as run

    return run(*((BASE, old) if new is None else (old, new)), game, modules or (), form)


@app.command()
def graph(thing: o.ThingIfAny = "", game: o.Game = "", modules: o.Modules = None, form: o.GraphFormat = "text") -> int:
    """Show which rules affect which."""
    from edict.cli.rules.graphing import graph as run

    return run(thing, game, modules or (), form)
