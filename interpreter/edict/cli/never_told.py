"""What never happened in many games, in words: for `study --never`, and after a test."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from edict.cli.long_runs import StudyOptions, carried_out, checked, players_of, seed_of
from edict.cli.option_values import JSON, checked_form, print_json, settings_of
from edict.cli.rules_by_name import default_game, rules_of, steady, texts_of
from edict.cli.who_plays import checked_kind
from edict.rendering import plain
from edict.report import listed
from edict.study.never import BOTS, Data, Search, empty, findings, tables
from edict.table import setup
from edict.text import so_many

MOST_LINES = 5  # line numbers that are named one by one


def tell_never(options: StudyOptions, form: str) -> int:
    """Play, and print what never happened; returns the exit code. Finding something is no failure."""
    checked_form(form)
    checked(options)
    program = rules_of(options.game, options.modules).program
    kinds = [checked_kind(kind.strip()) for kind in options.bots.split(",")] if options.bots else BOTS
    players = players_of(program, options.players) if options.players else 0
    settings = setup.checked_settings(program, settings_of(options.settings))
    seats = tables(program, kinds, players, tuple(sorted(settings.items())), seed_of(options.seed))
    search = Search(seats, options.games)
    code = carried_out(search, options, f"{program.title}, games", search.whole)
    found = findings(search, texts_of([steady(options.game or default_game()), *options.modules]))
    if form == JSON:
        print_json(found)
    else:
        print("\n".join(plain(line) for line in told(found)))
    return code


def told(found: Data) -> Iterator[str]:
    """The findings, line by line."""
    who = f"{listed(found['bots'], 'and')} bots, {_players(found['players'])}"
    yield f"{found['game']['title']}: what never happened in {so_many(found['games'], 'game')} ({who})"
    if found["faults"]:
        yield f"{so_many(found['faults'], 'game')} ended in a fault; `study` tells which."
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
    low, high = min(numbers), max(numbers)
    return so_many(low, "player") if low == high else f"{low} to {high} players"


def _line(one: Data) -> Told:
    lines = one["lines"]
    numbers = [str(line) for line in lines[:MOST_LINES]]
    more = f" and {len(lines) - MOST_LINES} more" if len(lines) > MOST_LINES else ""
    return f"{one['file']}:{', '.join(numbers)}{more}  {one['text']}", one["because"]


def _thing(one: Data) -> Told:
    keeps = [f"“{keep}”" for keep in one["keeps"]]
    return f"{one['title']}: never in {' or '.join(keeps)}", one["because"]


def _option(one: Data) -> Told:
    times = so_many(one["times"], "time")
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
    return f"“{one['title']}” became yes {so_many(one['times'], 'time')}, and never no again", None


def _unused(one: Data) -> Told:
    why = f"in all of the {so_many(one['games'], 'game')} in which it ran, nothing asked for it afterwards"
    return f"{one['file']}:{one['line']}  {one['text']}", why


def _unpaid(one: Data) -> Told:
    words = f"left out {one['times']:,} of {so_many(one['of'], 'time')}, as it could not be paid"
    return f"{one['file']}:{one['line']}  {one['text']}: {words}", one["because"]
