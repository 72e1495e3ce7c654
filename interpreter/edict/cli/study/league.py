"""`league`: bots rated by games among them."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from edict.bots import BOTS
from edict.bots.kinds import thinks
from edict.cli.errors import STOPPED, UsageError
from edict.cli.loading import rules_of
from edict.cli.playing.players import checked_kind
from edict.cli.study.executors import carried_out
from edict.cli.study.keeping import keeping, stopped
from edict.cli.study.mishaps import tell_mishaps
from edict.cli.study.output import Targets, as_json
from edict.cli.study.study_options import StudyOptions, between, checked, players_of, seed_of
from edict.cli.warming import remarked
from edict.study.summary import Data
from edict.study.league import Entries, League, cross_table, form_of, league_data
from edict.study.reports import league_page

MOST = 1_000_000
USUAL_BUDGET = "50"  # tries for an answer: a league of a second each would take days
MANY = 50  # games from which on native code is worth waiting for


def league(options: StudyOptions, budget: str, targets: Targets) -> int:
    """Play, rate, tell, write; returns the exit code. Ctrl-C ends it with the games played so far."""
    between("games", options.games, 1, MOST)
    entries = _entries(checked(options), budget)
    if targets.folder is None:
        for target in targets.files.values():
            target.check()
    remarked(entries.kinds, entries.program)
    with keeping(targets, form_of(entries), options.games) as kept:
        run = League(entries, options.games, kept)
        compiled = options.games >= MANY or any(map(thinks, entries.kinds))
        code = carried_out(run, options, f"{entries.program.title}, games", run.games, run.played, compiled)
        if not run.played:
            print("No game was finished.", file=sys.stderr)
            return code or STOPPED
        data = league_data(run)
        failed = targets.write({".json": lambda: as_json(data), ".html": lambda: league_page(data)})
    _tell(data)
    tell_mishaps(run.mishaps)
    if run.played < run.games and targets.folder is not None:
        stopped(f"{run.played:,} of {run.games:,} games", targets)
    return code or failed


def _entries(options: StudyOptions, budget: str) -> Entries:
    """Who meets; raises `UsageError`, `GameError` or `RulesError`."""
    seed = seed_of(options.seed, bits=62)
    kinds = _kinds(options.bots, budget)
    program = rules_of(options.game, options.modules).program
    players = players_of(program, options.players)
    for kind in kinds:
        BOTS[kind](program, 0)  # a file of weights that cannot be used is reported now
    return Entries(program, tuple(kinds), players, seed)


def _kinds(bots: str, budget: str) -> list[str]:
    named = [name.strip() for name in bots.split(",")] if bots else list(BOTS)
    if len(set(named)) < 2 or len(set(named)) != len(named):
        raise UsageError("a league needs two or more different bots", "--bots random,greedy,search, for example")
    kinds = [f"{name}@{budget or USUAL_BUDGET}" if thinks(name) and "@" not in name else name for name in named]
    return [checked_kind(kind) for kind in kinds]


def _tell(found: Data) -> None:
    """A table: rating with its interval, share of victories with its interval, what would be even; and who did better
    than whom."""
    played, games = len(found["games"]), found["asked"]
    width = max(len(one["bot"]) for one in found["bots"])
    print(f"{found['title']}: {played} games" + (f" of {games}" if played < games else ""))
    print(f"{'':{width}}  rating  interval        wins   interval         even  games")
    for one in found["bots"]:
        rating, wins = one["rating"], one["wins"]
        print(
            f"{one['bot']:{width}}  {rating['value']:6.0f}  {rating['low']:5.0f} to {rating['high']:4.0f}  "
            f"{100 * wins['value']:5.1f} %  {100 * wins['low']:4.1f} to {100 * wins['high']:4.1f} %  "
            f"{100 * one['even']:4.0f} %  {one['games']:5}"
        )
    print("\nHow often the bot in the row finished ahead of the one in the column (draws count half):")
    kinds, rows = cross_table(found)
    print(f"{'':{width}}  " + "  ".join(f"{number:>4}" for number in range(1, len(kinds) + 1)))
    for number, (kind, row) in enumerate(zip(kinds, rows, strict=True), 1):
        print(f"{kind:{width}}  {_shares(row)}  ({number})")


def _shares(row: Sequence[float | None]) -> str:
    return "  ".join("   –" if share is None else f"{100 * share:3.0f}%" for share in row)
