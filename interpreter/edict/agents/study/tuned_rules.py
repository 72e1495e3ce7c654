"""The rules with other values of some of their numbers, as arms of a tuning."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import product

from edict.agents.study.bot_games import GameSetup, get_plan
from edict.agents.study.summary import Data
from edict.agents.study.tuning import TunedValue, Tuning
from edict.agents.study.tuning_goals import parse_goal
from edict.compiler.pipeline.compile import compile_modules
from edict.compiler.sources.module_set import Modules
from edict.game.table.rules import Rules
from edict.prose.rulebook.rule_numbers import (
    RuleNumber,
    find_numbers,
    list_numbers,
    render_diff,
    replace_numbers,
    suggest_numbers,
)
from edict.runtime.program import Program
from edict.support.report import limit_diagnostics
from edict.support.request_errors import RequestError
from edict.support.resources import command_name

MAX_VALUES = 64  # values, or combinations of them, of a search
LARGE_CHANGE = 0.5  # relative change of a number beyond which bots that were not retrained may misjudge it
_VALUES = re.compile(r"(\d{1,9})\.\.(\d{1,9})(?:\.\.(\d{1,9}))?")
RANGE_REMEDY = "write a range, as in 3..8 or 50..150..25 (in steps of 25), or values, as in 3,5,8"


class TuningError(RequestError):
    """A number or values that cannot be tuned."""


def resolve_numbers(rules: Rules, texts: Sequence[str]) -> tuple[list[RuleNumber], list[list[int]], list[str]]:
    """Return the numbers that were named, the values of each, and the phrases that name them."""
    if len(texts) not in (2, 4):
        raise TuningError(
            "name one or two numbers, each with its values", 'write "cost of CARD in COIN" 1..4, for example'
        )
    known, phrases = list_numbers(rules.sources), list(texts[::2])
    chosen = [_find_number(known, phrase) for phrase in phrases]
    ranges = [parse_values(text) for text in texts[1::2]]
    if len(set(chosen)) < len(chosen):
        raise TuningError("both names stand for the same number", "name two numbers")
    if len(ranges[0]) * len(ranges[-1] if len(ranges) > 1 else (0,)) > MAX_VALUES:
        raise TuningError(f"more than {MAX_VALUES} values, or combinations of values", "take a step, as in 50..150..25")
    return chosen, ranges, phrases


def _find_number(known: Sequence[RuleNumber], phrase: str) -> RuleNumber:
    """Return the number that a phrase names; raise `TuningError`, with those it may mean, unless there is one."""
    found = find_numbers(known, phrase)
    if len(found) == 1:
        return found[0]
    listed = "\n".join(f"  {number.span}  {number.line}" for number in found or suggest_numbers(known, phrase))
    if found:
        raise TuningError(f"`{phrase}` may be any of {len(found)} numbers", f"add a word, or name its place:\n{listed}")
    remedy = f"name the definition and the words beside the number, or its place:\n{listed}" if listed else RANGE_REMEDY
    raise TuningError(f"no number in the rules is described by `{phrase}`", remedy)


def parse_values(text: str) -> list[int]:
    """Return the values of `3..8`, `50..150..25` or `3,5,8`; raises `TuningError`."""
    if match := _VALUES.fullmatch(text):
        low, high, step = int(match[1]), int(match[2]), int(match[3] or 1)
        values = list(range(low, high + 1, step)) if step and (high - low) // step < MAX_VALUES else []
    else:
        parts = text.split(",")
        values = sorted({int(part) for part in parts}) if all(re.fullmatch(r"\d{1,9}", part) for part in parts) else []
    if not values:
        raise TuningError(f"`{text}` is not a range of at most {MAX_VALUES} values", RANGE_REMEDY)
    return values


def find_title(program: Program, name: str) -> str:
    """Return the title of a thing by its name; empty if a definition is no thing."""
    things = (thing for kind in program.kinds for thing in kind.things if thing.name == name)
    return next((thing.title or thing.name for thing in things), "")


def create_arms(
    rules: Rules,
    build_setup: Callable[[Program], GameSetup],
    chosen: Sequence[RuleNumber],
    ranges: Sequence[Sequence[int]],
    phrases: Sequence[str],
    goals: Sequence[str],
    subject: str,
) -> Iterator[TunedValue]:
    """Yield the rules with each combination of values; raise `TuningError` for one that they do not allow.

    Args:
        rules: The rules.
        build_setup: Returns the setup for the program with other values.
        chosen: The numbers.
        ranges: The values of each.
        phrases: The phrases that name the numbers.
        goals: The goals, as typed.
        subject: The title of the thing that goals without a name are about; may be empty.
    """
    hashes = set()
    combinations = list(product(*ranges))
    for values in combinations:
        program = _compile(replace_numbers(rules.sources, list(zip(chosen, values, strict=True))), phrases, values)
        setup = build_setup(program)  # a tuned setting changes its default
        hashes.add((program.meaning, setup.settings))
        plan = get_plan(setup)
        yield TunedValue(values, setup, tuple(parse_goal(goal, plan, subject) for goal in goals))
    if len(combinations) > 1 and len(hashes) == 1:
        place = f"{chosen[0].span} is replaced by a module or by --set"
        raise TuningError(f"`{phrases[0]}` changes nothing", f"{place}; name the number that counts by FILE:LINE")


def _compile(modules: Modules, phrases: Sequence[str], values: Sequence[int]) -> Program:
    """Compile rules with other values; raise `TuningError` with the first error that they cause."""
    outcome = compile_modules(modules)
    if outcome.value is None or not outcome.ok:
        error = next(found for found in limit_diagnostics(outcome.diagnostics) if found.is_error)
        shown = ", ".join(f"{phrase} = {value}" for phrase, value in zip(phrases, values, strict=True))
        raise TuningError(f"the rules do not allow {shown}: {error.title}", "leave that value out of the range")
    return outcome.value


def collect_facts(
    search: Tuning, setup: GameSetup, rules: Rules, chosen: Sequence[RuleNumber], phrases: Sequence[str]
) -> Data:
    """Return the facts of a tuning besides its games: rules, bots, numbers with their places, and the winning lines."""
    program, best = setup.program, search.best.values
    winning = replace_numbers(rules.sources, list(zip(chosen, best, strict=True)))
    is_large = any(
        abs(value - number.value) > LARGE_CHANGE * max(1, number.value)
        for number, value in zip(chosen, best, strict=True)
    )
    return {
        "game": {"title": program.title, "modules": list(program.modules), "rules": program.rules_hash},
        "players": setup.players,
        "bots": list(setup.bots),
        "seed": setup.seed,
        "numbers": [
            {"phrase": phrase, "place": str(number.span), "line": number.line, "current": number.value}
            for phrase, number in zip(phrases, chosen, strict=True)
        ],
        "diff": render_diff(rules.sources, winning),
        "notes": [
            "Bots do not learn while you tune, and may misjudge so large a change: save it as a module, and run "
            f"`{command_name()} train --bot learned` with it."
        ]
        if is_large and set(setup.bots) != {"random"} and search.best.retraining is None
        else [],
    }
