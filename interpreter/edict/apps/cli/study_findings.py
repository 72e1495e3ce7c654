"""What many games say of rules, in words, for `study` and `test`: what never happened, and what is asserted and
broken.

What is broken is told with the shortest game, as a scene.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from edict.agents.bots.match import laid
from edict.agents.study.asserted import Asserted, Broken
from edict.agents.study.never import BOTS, Data, NeverSearch, empty, findings, tables
from edict.apps.cli.command_errors import RULES
from edict.apps.cli.long_runs import StudyOptions, carried_out, checked, players_of, progress, seed_of, workers_for
from edict.apps.cli.option_values import JSON, checked_form, print_json, settings_of
from edict.apps.cli.recorded_scenes import recorded, top
from edict.apps.cli.rules_by_name import default_game, rules_of, steady, texts_of
from edict.apps.cli.who_plays import checked_kind
from edict.compiler.pipeline.asserting import asserting
from edict.game.table import setup
from edict.game.table.game import Game
from edict.support.morphology import count_noun, count_players, quote_words
from edict.support.rendering import escape_terminal

MOST_LINES = 5  # line numbers that are named one by one


def tell_never(options: StudyOptions, form: str) -> int:
    """Play, and print what never happened; returns the exit code. Finding something is no failure."""
    checked_form(form)
    checked(options)
    program = rules_of(options.game, options.modules).program
    kinds = [checked_kind(kind.strip()) for kind in options.bots.split(",")] if options.bots else BOTS
    players = None if options.players is None else players_of(program, options.players)
    settings = setup.check_settings(program, settings_of(options.settings))
    seats = tables(program, kinds, players, tuple(sorted(settings.items())), seed_of(options.seed))
    search = NeverSearch(seats, options.games)
    code = carried_out(search, options, f"{program.title}, games", search.whole)
    if not search.played:  # it was stopped before there was anything to find
        return code
    found = findings(search, texts_of([steady(options.game or default_game()), *options.modules]))
    if form == JSON:
        print_json(found)
    else:
        print("\n".join(escape_terminal(line) for line in told(found)))
    return code


def told(found: Data) -> Iterator[str]:
    """The findings, line by line."""
    who = f"{quote_words(found['bots'], 'and')} bots, {_players(found['players'])}"
    yield f"{found['game']['title']}: what never happened in {count_noun(found['games'], 'game')} ({who})"
    if found["faults"]:
        yield f"{count_noun(found['faults'], 'game')} ended in a fault; `study` tells which."
    if empty(found):
        yield ""
        yield "Nothing: every line ran, everybody's things were got, and every option was taken at times."
        return
    plain_lines = [one for one in found["lines"] if not (one["because"] or {}).get("setting")]
    yield from _section("Lines that never ran", map(_line, plain_lines))
    yield from _section("What nobody ever got", map(_thing, found["things"]))
    yield from _section("Options", map(_option, found["options"]))
    yield from _section("Numbers that were always the same", map(_number, found["numbers"]))
    yield from _section("Set, and never reset", map(_flag, found["flags"]))
    yield from _section("Given after it could last be used", map(_unused, found["unused"]))
    yield from _section("Had for nothing", map(_unpaid, found["unpaid"]))
    set_otherwise = [one for one in found["lines"] if one not in plain_lines]
    yield from _section("Lines that other settings would let run (`--set`)", map(_line, set_otherwise))


Told = tuple[str, Data | str | None]  # a finding, and the likely reason


def _section(title: str, findings: Iterable[Told]) -> Iterator[str]:
    rows = list(findings)
    if not rows:
        return
    yield ""
    yield title
    for words, why in rows:
        yield f"  {words}"
        if why:
            yield f"      {why if isinstance(why, str) else _because(why)}"


def _because(why: Data) -> str:
    if "file" not in why:
        return str(why["why"])
    text = f"`{why['text']}`" if why["text"] else "this"
    return f"{text} ({why['file']}:{why['line']}): {why['why']}"


def _players(numbers: list[int]) -> str:
    return count_players(min(numbers), max(numbers))


def _line(one: Data) -> Told:
    lines = one["lines"]
    numbers = [str(line) for line in lines[:MOST_LINES]]
    more = f" and {len(lines) - MOST_LINES} more" if len(lines) > MOST_LINES else ""
    return f"{one['file']}:{', '.join(numbers)}{more}  {one['text']}", one["because"]


def _thing(one: Data) -> Told:
    keeps = [f"“{keep}”" for keep in one["keeps"]]
    return f"{one['title']}: never in {' or '.join(keeps)}", one["because"]


def _option(one: Data) -> Told:
    times = count_noun(one["times"], "time")
    how = {
        "never offered": f"never offered, though this was asked {times}",
        "never taken": f"offered {times}, never taken",
        "always taken": f"taken each of the {times} it was offered beside others",
    }[one["what"]]
    return f"“{one['question']}” {one['option']}: {how} ({one['file']}:{one['line']})", one["because"]


def _number(one: Data) -> Told:
    bound = f", the {one['bound']} it may be" if one["bound"] else ""
    return f"{one['title']}: always {one['value']:,}{bound}", None


def _flag(one: Data) -> Told:
    return f"“{one['title']}” became yes {count_noun(one['times'], 'time')}, and never no again", None


def _unused(one: Data) -> Told:
    why = f"in all of the {count_noun(one['games'], 'game')} in which it ran, nothing asked for it afterwards"
    return f"{one['file']}:{one['line']}  {one['text']}", why


def _unpaid(one: Data) -> Told:
    words = f"left out {one['times']:,} of {count_noun(one['of'], 'time')}, as it could not be paid"
    return f"{one['file']}:{one['line']}  {one['text']}: {words}", one["because"]


SHORT = 40  # answers that are told from the beginning of the game; of more, only the phase of the last
FEW = 100  # games beside others, for each kind of bots


def tell_asserted(options: StudyOptions, games: int) -> int:
    """Play and tell; returns the exit code. Nothing is done where the rules assert nothing."""
    found = asserting(steady(options.game or default_game()), [steady(name) for name in options.modules])
    if found is None:
        return 0
    program, assertions = found
    kinds: Sequence[str] = list(dict.fromkeys(options.bots.split(","))) if options.bots else BOTS
    players = None if options.players is None else players_of(program, options.players)
    settings = tuple(sorted(setup.check_settings(program, settings_of(options.settings)).items()))
    search = Asserted(tables(program, kinds, players, settings, seed_of(options.seed)), assertions, games)
    with progress("Assertions, games", search.whole) as told:
        search.run(workers_for(options), told)
    print()
    print("\n".join(escape_terminal(line) for line in _told(search, options)))
    return RULES if search.found else 0


def _told(search: Asserted, options: StudyOptions) -> Iterator[str]:
    kept = len(search.assertions) - len(search.found)
    if kept:
        yield f"{count_noun(kept, 'assertion')} held in {count_noun(search.played, 'game')}."
    for broken in search.found.values():
        yield from _broken(broken, options)


def _broken(one: Broken, options: StudyOptions) -> Iterator[str]:
    cause = one.setup.program.causes[one.assertion.cause]
    after = f"after {count_noun(len(one.answers), 'answer')} in a game of {count_noun(one.setup.players, 'player')}"
    yield f"“{one.assertion.sentence}” does not hold, {after} ({cause.file}:{cause.line}, assert {one.assertion.name})"
    if not one.answers:
        yield "  It does not hold before anybody has answered."
        return
    game = played(one, options)
    number = len(game.journal.answers)
    first = 1 if number <= SHORT else number
    scene = recorded(game, first, number, one.assertion.sentence).to_page(top(game.table.header, None))
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
