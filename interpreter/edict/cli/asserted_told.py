"""What rules assert, looked at in games between bots; what is broken is told with the shortest game, as a scene."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from edict.bots.match import laid
from edict.cli.scene_recording import recorded, top
from edict.cli.errors import RULES
from edict.cli.long_runs import StudyOptions, hired, players_of, progress, seed_of
from edict.cli.option_values import settings_of
from edict.cli.rules_by_name import default_game, rules_of, steady
from edict.front.asserting import asserting
from edict.rendering import plain
from edict.study.asserted import Asserted, Broken
from edict.study.never import BOTS, tables
from edict.table import setup
from edict.table.game import Game
from edict.text import so_many

SHORT = 40  # answers that are told from the beginning of the game; of more, only the phase of the last
FEW = 100  # games beside others, for each kind of bots


def tell_asserted(options: StudyOptions, games: int) -> int:
    """Play and tell; returns the exit code. Nothing is done where the rules assert nothing."""
    found = asserting(steady(options.game or default_game()), [steady(name) for name in options.modules])
    if found is None:
        return 0
    program, assertions = found
    kinds: Sequence[str] = list(dict.fromkeys(options.bots.split(","))) if options.bots else BOTS
    players = players_of(program, options.players) if options.players else 0
    settings = tuple(sorted(setup.checked_settings(program, settings_of(options.settings)).items()))
    search = Asserted(tables(program, kinds, players, settings, seed_of(options.seed)), assertions, games)
    with progress("Assertions, games", search.whole) as told:
        search.run(hired(options), told)
    print()
    print("\n".join(plain(line) for line in _told(search, options)))
    return RULES if search.found else 0


def _told(search: Asserted, options: StudyOptions) -> Iterator[str]:
    kept = len(search.assertions) - len(search.found)
    if kept:
        yield f"{so_many(kept, 'assertion')} held in {so_many(search.played, 'game')}."
    for broken in search.found.values():
        yield from _broken(broken, options)


def _broken(one: Broken, options: StudyOptions) -> Iterator[str]:
    cause = one.setup.program.causes[one.assertion.cause]
    after = f"after {so_many(len(one.answers), 'answer')} in a game of {so_many(one.setup.players, 'player')}"
    yield f"“{one.assertion.sentence}” does not hold, {after} ({cause.file}:{cause.line}, assert {one.assertion.name})"
    if not one.answers:
        yield "  It does not hold before anybody has answered."
        return
    game = played(one, options)
    number = len(game.journal.answers)
    first = 1 if number <= SHORT else number
    scene = recorded(game, first, number, one.assertion.sentence).page(top(game.table.header, None))
    yield "  The shortest game found, as a scene that can be kept:"
    yield ""
    yield from scene.splitlines()


def played(one: Broken, options: StudyOptions) -> Game:
    """The same game at a table."""
    names = laid(one.setup.program, one.setup.players, dict(one.setup.settings)).players
    rules = rules_of(options.game, options.modules)
    game = rules.new_game(names, one.seed, dict(one.setup.settings))
    for index in one.answers:
        game.answer(index)
    return game
