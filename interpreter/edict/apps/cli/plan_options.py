"""The option `--plan`, which gives plans to seats."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from edict.agents.bots.plan_guides import build_guides
from edict.apps.cli.command_errors import RulesErrorWithSources, UsageError
from edict.compiler.pipeline.compiled_plans import VERBS, Plan
from edict.game.table.journal import MOST_TEXT
from edict.game.table.rules import Rules
from edict.runtime.program import Program
from edict.support.files import BadPathError, parse_path, read_regular
from edict.support.rendering import escape_terminal
from edict.support.report import suggest_word
from edict.support.resources import command_name
from edict.support.text import Source

MAX_BYTES = 100_000


def load_plans(
    rules: Rules, typed: Sequence[str], players: int, bots: Sequence[str] = ()
) -> tuple[Program, tuple[Plan | None, ...]]:
    """Return the program with the plans that are named as `[SEAT=]PLAN`, and the plan of each seat.

    Args:
        rules: The rules.
        typed: The options as typed.
        players: The number of players.
        bots: The bot of each seat, by which seats can be named, too.

    Raises:
        RequestError: A seat or a file is wrong, or a line of a plan.
        RulesError: A plan says what the rules do not know.
    """
    files = _assign_plans(typed, players, bots)
    program, compiled = compile_plan_sources(rules, [_read_plan(file) for file in dict.fromkeys(files.values())])
    by_file = {plan.name: plan for plan in compiled}
    plans = tuple(by_file[files[seat]] if seat in files else None for seat in range(1, players + 1))
    build_guides(program, plans)  # reports titles of options that no question has
    return program, plans


def read_table_plans(rules: Rules, typed: Sequence[str], names: Sequence[str], bots: Sequence[str]) -> tuple[str, ...]:
    """Return the text of the plan of each seat at a table, after it was checked with the rules; () without any.

    Args:
        rules: The rules.
        typed: The options as typed.
        names: The players, by which seats can be named, too.
        bots: The kind of bot of each seat; empty for a person.

    Raises:
        RequestError: As `load_plans`, and for the plan of a person, or one that is too long to be saved with a game.
        RulesError: A plan says what the rules do not know.
    """
    if not typed:
        return ()
    files = _assign_plans(typed, len(bots), bots, names)
    for seat in files:
        if not bots[seat - 1]:
            bot_names = [name for name, bot in zip(names, bots, strict=True) if bot]
            remedy = f"name the seat of a bot: --plan {bot_names[0]}=PLAN" if bot_names else "add a bot: --bot greedy"
            raise UsageError(f"{names[seat - 1]} is not a bot, so no plan can be followed there", remedy)
    load_plans(rules, [f"{seat}={file}" for seat, file in files.items()], len(bots))
    texts = {seat: _read_plan(file).text.strip() for seat, file in files.items()}
    for seat, text in texts.items():
        if len(text) > MOST_TEXT:
            raise UsageError(f"the plan {files[seat]} has more than {MOST_TEXT} characters", "shorten it")
    return tuple(texts.get(seat, "") for seat in range(1, len(bots) + 1))


def compile_plan_sources(
    rules: Rules, sources: Sequence[Source], marked: bool = False
) -> tuple[Program, tuple[Plan, ...]]:
    """Compile plans with the rules, and print warnings about them; see `compile_plans`. Raises `RulesError`."""
    from edict.compiler.pipeline.plan_compiler import compile_plans

    outcome = compile_plans(rules.sources, sources, marked)
    if outcome.value is None:
        texts = {source.name: source for source in (*sources, *(s for module in rules.sources for s in module.sources))}
        raise RulesErrorWithSources(outcome.diagnostics, texts)
    names = {source.name for source in sources}
    for warning in (finding for finding in outcome.diagnostics if finding.span.file in names):
        print(escape_terminal(f"{command_name()}: {warning}"), file=sys.stderr)
    return outcome.value


def _assign_plans(typed: Sequence[str], players: int, bots: Sequence[str], names: Sequence[str] = ()) -> dict[int, str]:
    """Return the plan of each seat that has one, by the seat's number. Raises `UsageError`."""
    pairs = [pair for option in typed for pair in _split_option(option, players, bots, names)]
    files = dict(pairs)
    if len(files) < len(pairs):
        raise UsageError("two plans for one seat", "write --plan SEAT=FILE with the number of another seat")
    return files


def _split_option(option: str, players: int, bots: Sequence[str], names: Sequence[str]) -> list[tuple[int, str]]:
    """Return the plan of an option with each seat that gets it.

    A seat is named by its number, its bot or, at a table, its player; without a name the first seat, or the first with
    a bot, is meant.
    """
    seat, equals, plan = option.partition("=")
    if not equals or " " in seat.strip() and seat not in names:  # the plan itself was typed
        return [(next((number for number, bot in enumerate(bots, 1) if bot), 1), option)]
    named = [number for number, bot in enumerate(bots, 1) if bot == seat]
    named = [number for number, name in enumerate(names, 1) if name.casefold() == seat.casefold()] or named
    if seat.isdecimal() and 1 <= int(seat) <= players:
        named = [int(seat)]
    if not named:
        remedy = suggest_word(seat, names) or f"name one from 1 to {players}: --plan 1={plan}"
        raise UsageError(f"there is no seat `{seat}`", remedy)
    return [(number, plan) for number in named]


def _read_plan(file: str) -> Source:
    """Read the file of a plan, or return the plan itself if it was typed in place of a file."""
    if file.partition(" ")[0] in VERBS and not parse_path(file).exists():
        return Source(file, file)
    try:
        return Source(file, read_regular(parse_path(file), MAX_BYTES).decode())
    except (OSError, UnicodeDecodeError, BadPathError) as problem:
        reason, verb = getattr(problem, "strerror", None) or problem, file.partition(" ")[0]
        typo = suggest_word(verb, VERBS) if verb != file else ""
        remedy = typo or "name a text file, as in --plan my.plan"
        raise UsageError(f"the plan {file} cannot be read: {reason}", remedy) from None
