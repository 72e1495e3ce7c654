"""Commands for those who learn from many games."""

from __future__ import annotations

from pathlib import Path

from edict.cli import options as o
from edict.cli.app import app
from edict.files import Target


@app.command()
def study(
    game: o.GameFirst = "",
    named: o.GameToo = "",
    modules: o.Modules = None,
    players: o.PlayerCount = 0,
    games: o.GameCount = 1000,
    bots: o.BotKinds = "",
    seed: o.Seed = "",
    settings: o.Settings = None,
    workers: o.Workers = None,
    cluster: o.Cluster = "",
    output: o.StudyOutput = None,
    html: o.Html = None,
    games_to: o.GamesTo = None,
    decisions_to: o.DecisionsTo = None,
    resume: o.Resume = False,
    force: o.Force = False,
) -> int:
    """Play many games between bots. Report who wins, where points come from, and what correlates with winning."""
    from edict.cli.study.output import STUDY, Targets
    from edict.cli.study.recording import TableTargets
    from edict.cli.study.studying import study as run
    from edict.cli.study.study_options import StudyOptions

    wanted = o.one_game(game, named)
    options = StudyOptions(wanted, modules or (), players, games, bots, seed, settings or (), workers, cluster)
    tables = TableTargets.of(games_to, decisions_to, force)
    return run(options, Targets.of(STUDY, output, html, resume, force), tables)


@app.command()
def league(
    game: o.GameFirst = "",
    named: o.GameToo = "",
    modules: o.Modules = None,
    bots: o.LeagueBots = "",
    games: o.LeagueGames = 120,
    players: o.PlayerCount = 0,
    budget: o.ThinkingTime = "",
    seed: o.Seed = "",
    workers: o.Workers = None,
    cluster: o.Cluster = "",
    output: o.LeagueOutput = None,
    resume: o.Resume = False,
    force: o.Force = False,
) -> int:
    """Rate bots by games against each other. Ratings and shares of wins come with their intervals."""
    from edict.cli.study.league import league as run
    from edict.cli.study.output import LEAGUE, Targets
    from edict.cli.study.study_options import StudyOptions

    wanted = o.one_game(game, named)
    options = StudyOptions(wanted, modules or (), players, games, bots, seed, (), workers, cluster)
    return run(options, budget, Targets.of(LEAGUE, output, None, resume, force))


@app.command()
def train(
    game: o.GameFirst = "",
    named: o.GameToo = "",
    modules: o.Modules = None,
    bot: o.Trained = "greedy",
    games: o.TrainingGames = None,
    players: o.TrainingPlayers = 0,
    start: o.TrainingStart = "",
    seed: o.Seed = "",
    workers: o.TrainingWorkers = 1,
    cluster: o.Cluster = "",
    output: o.TrainedFile = None,
    force: o.Force = False,
) -> int:
    """Train a bot by self-play. Writes a file of weights, or a network."""
    from edict.cli.study.study_options import StudyOptions
    from edict.cli.study.pupils import pupil_named

    kind = pupil_named(bot)
    wanted, processes = o.one_game(game, named), None if cluster else workers
    count = kind.games if games is None else games
    options = StudyOptions(wanted, modules or (), players, count, "", seed, (), processes, cluster)
    return kind.train(options, Target(output or Path(kind.file), force), start)


@app.command()
def compare(
    first: o.OneSide,
    second: o.OtherSide,
    game: o.Game = "",
    modules: o.Modules = None,
    players: o.PlayerCount = 0,
    games: o.PairCount = 10_000,
    bots: o.BotKinds = "",
    seed: o.Seed = "",
    settings: o.Settings = None,
    workers: o.Workers = None,
    cluster: o.Cluster = "",
    output: o.StudyOutput = None,
    html: o.Html = None,
    resume: o.Resume = False,
    force: o.Force = False,
) -> int:
    """Compare two sets of rules over the same seeds. Reports which differences are statistically significant."""
    from edict.cli.study.comparing import compare as run
    from edict.cli.study.output import COMPARISON, Targets
    from edict.cli.study.study_options import StudyOptions

    options = StudyOptions(game, modules or (), players, games, bots, seed, settings or (), workers, cluster)
    return run(first, second, options, Targets.of(COMPARISON, output, html, resume, force))


@app.command()
def profile(
    game: o.GameFirst = "",
    named: o.GameToo = "",
    modules: o.Modules = None,
    players: o.PlayerCount = 0,
    games: o.GameCount = 30,
    bots: o.BotKinds = "random",
    settings: o.Settings = None,
    rows: o.Rows = 25,
    form: o.DataFormat = "text",
) -> int:
    """Profile the rules: which operations and rules take how long."""
    from edict.cli.study.profiling import profiled
    from edict.cli.study.study_options import StudyOptions

    wanted = o.one_game(game, named)
    options = StudyOptions(wanted, modules or (), players, games, bots, settings=settings or ())
    return profiled(options, rows, form)
