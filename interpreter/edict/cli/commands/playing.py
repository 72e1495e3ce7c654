"""Commands for those who play."""

from __future__ import annotations

from edict.cli import options as o
from edict.cli.app import app


@app.command()
def play(
    game: o.GameFirst = "",
    named: o.GameToo = "",
    human: o.Humans = None,
    bot: o.Bots = None,
    players: o.TableFile = None,
    seed: o.Seed = "",
    modules: o.Modules = None,
    scenario: o.Scenario = "",
    at: o.AtScene = "",
    settings: o.Settings = None,
    dice: o.Dice = "",
    save: o.Save = None,
    speed: o.Speed = "",
    no_color: o.NoColour = False,
    plain: o.Plain = False,
    watch: o.WatchRules = False,
    takebacks: o.Takebacks = "",
    campaign: o.InCampaign = "",
) -> int:
    """Play a game, by default against three bots. Without a terminal, bots play all seats."""
    from edict.cli.playing.play import PlayOptions
    from edict.cli.playing.play import play as start

    options = PlayOptions(
        o.one_game(game, named), human or (), bot or (), players, seed, modules or (), scenario, settings or (), dice,
        save, speed, not no_color, plain, watch, takebacks, campaign=campaign, at=at,
    )  # fmt: skip
    return start(options)


@app.command()
def resume(
    file: o.LastGame = None,
    human: o.Humans = None,
    bot: o.Bots = None,
    rules: o.WhichRules = "",
    speed: o.Speed = "",
    no_color: o.NoColour = False,
    plain: o.Plain = False,
    takebacks: o.Takebacks = "",
) -> int:
    """Resume a saved game. --human NAME and --bot KIND:NAME hand a seat to somebody else."""
    from edict.cli.playing.play import PlayOptions
    from edict.cli.playing.play import resume as go_on

    options = PlayOptions(
        humans=human or (), bots=bot or (), rules=rules, speed=speed, colour=not no_color, simple=plain,
        takebacks=takebacks,
    )  # fmt: skip
    return go_on(file, options)


@app.command()
def games(every: o.Every = False, form: o.DataFormat = "text") -> int:
    """List saved games: who plays, how they stand, and when they were last played."""
    from edict.cli.playing.kept import games as run

    return run(every, form)


@app.command()
def campaign(
    name: o.CampaignName = "", undo: o.UndoGame = False, forget: o.ForgetKeep = "", form: o.DataFormat = "text"
) -> int:
    """List campaigns, or show the games of one and what the next begins with. --undo takes back the last game."""
    from edict.cli.playing.chronicle import campaign as run

    return run(name, undo, forget, form)


@app.command()
def replay(file: o.Journal, why: o.Why = "", no_color: o.NoColour = False, plain: o.Plain = False) -> int:
    """Print the log of a saved game. --why LINE explains one of its lines."""
    from edict.cli.playing.replay import replay as tell

    return tell(file, not no_color, plain, why)


@app.command()
def watch(file: o.LastGame = None, no_color: o.NoColour = False, plain: o.Plain = False) -> int:
    """Watch a game that is being played in another terminal. Secrets stay hidden."""
    from edict.cli.playing.onlooking import watch as look_on

    return look_on(file, not no_color, plain)


@app.command()
def view(file: o.LastGame = None, seat: o.Seat = "") -> int:
    """Print a saved game as one player may see it, as JSON: table, question with prices, log."""
    from edict.cli.playing.viewing import view as print_view

    return print_view(file, seat)


@app.command()
def repair(file: o.Journal) -> int:
    """Repair a damaged saved game. The damaged file is kept beside the repaired one."""
    from edict.cli.playing.repairing import repair as mend

    return mend(file)


@app.command()
def serve(
    host: o.ServeHost = "127.0.0.1",
    port: o.ServePort = 8000,
    store: o.ServeStore = "",
    games: o.ServeOpen = None,
    bots: o.ServeBots = None,
    workers: o.ServeWorkers = 1,
    forget_after: o.ServeForget = 365,
    limits: o.ServeLimits = None,
    no_browser: o.NoBrowser = False,
) -> int:
    """Play in the browser: open tables and send everybody the link of their seat."""
    from edict.cli.serving import ServeOptions, TableOptions
    from edict.cli.serving import serve as run

    tables = TableOptions(store, workers, forget_after, tuple(limits or ()), tuple(bots or ()))
    return run(ServeOptions(host, port, tables, tuple(games or ()), not no_browser))


@app.command()
def studio(
    folder: o.VariantsFolder = None,
    host: o.ServeHost = "127.0.0.1",
    port: o.ServePort = 8000,
    store: o.ServeStore = "",
    bots: o.ServeBots = None,
    workers: o.ServeWorkers = 1,
    forget_after: o.ServeForget = 365,
    limits: o.ServeLimits = None,
    no_browser: o.NoBrowser = False,
) -> int:
    """Write house rules in the browser: an editor, what they mean in English, and a table to play them at once."""
    from edict.cli.serving import ServeOptions, TableOptions, usual_variants
    from edict.cli.serving import serve as run

    tables = TableOptions(store, workers, forget_after, tuple(limits or ()), tuple(bots or ()))
    return run(ServeOptions(host, port, tables, (), not no_browser, folder or usual_variants()))


@app.command()
def tables(
    table: o.OneTable = "", store: o.ServeStore = "", output: o.GameFile = None, force: o.Force = False
) -> int:
    """List the tables played in the browser, or save the game of one to continue it at the terminal."""
    from edict.cli.serving import list_tables

    return list_tables(store, table, output, force)
