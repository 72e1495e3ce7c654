"""Shipped rules with one random mistake: refused at the right place, or playable.

A number gives the same mutant each time as long as the rules do not change.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from edict.compiler.pipeline.pipeline import build_program
from edict.compiler.sources.folders import Module
from edict.compiler.sources.module_set import gather_modules
from edict.game.table.rules import Rules
from edict.runtime.machine import loop
from edict.runtime.machine.loop import run
from edict.runtime.program import Program, create_state
from edict.runtime.program.opcodes import ANSWER, ASKING, FAULTS, GAME_OVER, OPTIONS, PC, STATUS
from edict.runtime.simulation import native
from edict.support.rendering import index_sources, render_diagnostics
from edict.support.report import Diagnostic, RulesError
from edict.support.text import Source

ROOT = Path(__file__).resolve().parent.parent.parent

PLAYED: tuple[tuple[str, ...], ...] = (
    ("kingsburg",),
    ("kingsburg",),
    ("kuhn-poker",),
    ("pig",),
    ("kingsburg", "advisor-tiles"),
    ("kingsburg", "alternate-rows"),
    ("kingsburg", "destiny"),
    ("kingsburg", "goblin-valley"),
    ("kingsburg", "governors"),
    ("kingsburg", "more-buildings"),
    ("kingsburg", "settlements-and-deals"),
    ("kingsburg", "soldier-tokens"),
    ("kingsburg", "summer-tournament"),
    ("kingsburg", "first-edition"),
)
GAMES = 20
SEEN = 40  # questions played at a table with log and panels
MAX_QUESTIONS = 3000  # limit for mutants whose games never end

_TOKEN = re.compile(r'"[^"\n]*"|[A-Za-z][A-Za-z0-9]*(?:-[A-Za-z0-9]+)*|[0-9]+|[<>!]=|[^\s]')
Lines = list[str]


@dataclass(frozen=True, slots=True)
class Mutant:
    """A file of some rules with a mistake: its kind, the lines that differ, and the words that do."""

    number: int
    played: tuple[str, ...]
    file: str
    text: str
    how: str
    old: tuple[str, ...]
    new: tuple[str, ...]
    at: int  # the line, from 1, at which the new lines begin, or would

    def __str__(self) -> str:
        return f"{self.number}: {self.file}:{self.at} {self.how}: {' / '.join(self.old)!r} -> {' / '.join(self.new)!r}"


@cache
def gather_game_modules(played: tuple[str, ...]) -> tuple[Module, ...]:
    return gather_modules(played[0], played[1:]).unwrap()


def make_mutant(number: int) -> Mutant:
    """Return the mutant of a number."""
    rng = Random(number)
    played = rng.choice(PLAYED)
    source = rng.choice(gather_game_modules(played)[-1].sources)
    for _ in range(100):
        lines = source.text.splitlines()
        how = rng.choice(list(_WAYS))
        at = rng.choice([i for i, line in enumerate(lines) if line.split("#")[0].strip()])
        changed = _WAYS[how](lines, at, rng)
        if changed is not None and changed[:] != source.text.splitlines():
            return _build_mutant(number, played, source, changed, how)
    raise AssertionError(f"no mutant {number}")


def _build_mutant(number: int, played: tuple[str, ...], source: Source, changed: Lines, how: str) -> Mutant:
    old = source.text.splitlines()
    start = next(i for i, (a, b) in enumerate(zip([*old, None], [*changed, None], strict=False)) if a != b)
    tail = 0
    while tail < min(len(old), len(changed)) - start and old[-1 - tail] == changed[-1 - tail]:
        tail += 1
    old_lines, new_lines = old[start : len(old) - tail], changed[start : len(changed) - tail]
    return Mutant(
        number, played, source.name, "\n".join(changed) + "\n", how, tuple(old_lines), tuple(new_lines), start + 1
    )


# --- mistakes ----------------------------------------------------------------------------------


def _tokens(line: str) -> list[re.Match[str]]:
    return list(_TOKEN.finditer(line.split("#")[0]))


def _replace_token(lines: Lines, at: int, token: re.Match[str], word: str) -> Lines:
    line = lines[at]
    return [*lines[:at], line[: token.start()] + word + line[token.end() :], *lines[at + 1 :]]


def _swap_tokens(lines: Lines, at: int, rng: Random) -> Lines | None:
    found = _tokens(lines[at])
    if len(found) < 2:
        return None
    a, b = sorted(rng.sample(found, 2), key=lambda token: token.start())
    return _replace_token(_replace_token(lines, at, b, a[0]), at, a, b[0])


def _drop_token(lines: Lines, at: int, rng: Random) -> Lines:
    token = rng.choice(_tokens(lines[at]))
    return _replace_token(lines, at, token, "")


def _double_token(lines: Lines, at: int, rng: Random) -> Lines:
    token = rng.choice(_tokens(lines[at]))
    return _replace_token(lines, at, token, f"{token[0]} {token[0]}")


def _choose_word(lines: Lines, at: int, rng: Random) -> re.Match[str] | None:
    found = [token for token in _tokens(lines[at]) if token[0][0].isalpha()]
    return rng.choice(found) if found else None


def _replace_word(lines: Lines, at: int, rng: Random) -> Lines | None:
    """Replace a word by another one of the same file."""
    token = _choose_word(lines, at, rng)
    words = [t[0] for line in lines for t in _tokens(line) if t[0][0].isalpha()]
    return _replace_token(lines, at, token, rng.choice(words)) if token else None


def _misspell_word(lines: Lines, at: int, rng: Random) -> Lines | None:
    token = _choose_word(lines, at, rng)
    if token is None:
        return None
    place = rng.randrange(len(token[0]))
    return _replace_token(lines, at, token, token[0][:place] + rng.choice("aeinrst") + token[0][place + 1 :])


def _change_number(lines: Lines, at: int, rng: Random) -> Lines | None:
    numbers = [(i, t) for i, line in enumerate(lines) for t in _tokens(line) if t[0].isdigit()]
    if not numbers:
        return None
    line, token = rng.choice(numbers)
    value = int(token[0])
    other = rng.choice((value + 1, value - 1, 0, value * 10, -value, 61, 99, rng.randrange(10**9)))
    return _replace_token(lines, line, token, str(other) if other >= 0 else f"0 - {-other}")


_GROUPS = (
    "+ - * / mod",
    "= != < <= > >=",
    "and or",
    "most fewest",
    "every some",
    "lowest highest",
    "yes no",
    "on off",
    "sum best least",
    "start end",
    "add remove",
    "gain lose spend",
    "count total faces first",
    "left right",
    "to from in into within",
    "you it",
    "everyone nobody",
    "by in for",
    "none you",
    "gain set",
)


def _replace_keyword(lines: Lines, at: int, rng: Random) -> Lines | None:
    """Replace a keyword by another of its sort, which may well mean something."""
    found = [(t, g.split()) for t in _tokens(lines[at]) for g in _GROUPS if t[0] in g.split()]
    if not found:
        return None
    token, group = rng.choice(found)
    return _replace_token(lines, at, token, rng.choice(group))


def _delete_line(lines: Lines, at: int, rng: Random) -> Lines:
    return lines[:at] + lines[at + 1 :]


def _double_line(lines: Lines, at: int, rng: Random) -> Lines:
    return [*lines[:at], lines[at], *lines[at:]]


def _move_line(lines: Lines, at: int, rng: Random) -> Lines:
    rest = lines[:at] + lines[at + 1 :]
    to = max(0, min(len(rest), at + rng.randint(-6, 6)))
    return [*rest[:to], lines[at], *rest[to:]]


def _indented(lines: Lines, at: int, lot: Random) -> Lines:
    line = "  " + lines[at] if lot.random() < 0.5 else lines[at].removeprefix("  ")
    return [*lines[:at], line, *lines[at + 1 :]]


def _without_definition(lines: Lines, at: int, lot: Random) -> Lines:
    """From the left edge to the next one."""
    start = max((i for i in range(at + 1) if lines[i][:1].isalpha()), default=0)
    end = next((i for i in range(start + 1, len(lines)) if lines[i][:1].isalpha()), len(lines))
    return lines[:start] + lines[end:]


_WAYS: dict[str, Callable[[Lines, int, Random], Lines | None]] = {
    "tokens swapped": _swap_tokens,
    "token dropped": _drop_token,
    "token doubled": _double_token,
    "word renamed": _replace_word,
    "word misspelt": _misspell_word,
    "value changed": _change_number,
    "related word": _replace_keyword,
    "line dropped": _delete_line,
    "line doubled": _double_line,
    "line moved": _move_line,
    "line indented": _indented,
    "definition dropped": _without_definition,
}
# --- what becomes of it ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Verdict:
    """`outcome`: refused, played, endless (still going on), misplaced (refused elsewhere), or the name of a fault."""

    outcome: str
    told: str = ""


def judged(one: Mutant, games: int = GAMES) -> Verdict:
    """Compile it, and play it if nothing is wrong with it."""
    modules = tuple(_with(module, one) for module in gather_game_modules(one.played))
    outcome = build_program(modules, optimized=False)
    errors = [d for d in outcome.diagnostics if d.is_error]
    sources = index_sources(source for module in modules for source in module.sources)
    if outcome.value is None or errors:
        told = render_diagnostics(errors, sources)
        return Verdict("refused" if any(_right_place(d, one, sources) for d in errors) else "misplaced", told)
    verdict = _played(outcome.value, games)
    if verdict.outcome != "played":
        return verdict
    try:
        _at_the_table(outcome.value)
    except RulesError as stopped:
        told = str(stopped)
        return Verdict(next(fault for fault in FAULTS.values() if fault in told), told)
    return verdict


def _at_the_table(program: Program) -> None:
    """The beginning of a game as people see it: its questions, log and panels can all be told."""
    players = ("Ann", "Brian", "Cindy", "David", "Emma", "Frank", "Gina", "Henry")[: program.least_players]
    game, lot = Rules(program, program.name).new_game(players, seed=1), Random(1)
    for _ in range(SEEN):
        if game.over:
            break
        assert all(option.text for option in game.ask.options), "an option without words"
        game.answer(lot.choice(game.ask.options))
    for seat in range(len(players)):
        assert game.view(seat).panels is not None
    assert all(str(entry) for entry in game.log), "an entry without words"


def _with(module: Module, one: Mutant) -> Module:
    sources = tuple(Source(s.name, one.text) if s.name == one.file else s for s in module.sources)
    return replace(module, sources=sources)


def _right_place(found: Diagnostic, one: Mutant, sources: dict[str, Source]) -> bool:
    """In a definition that was changed, or where something stands that names it or what was changed in it."""
    words = _words_changed(one)
    for span in (found.span, *(label.span for label in found.labels)):
        source = sources.get(span.file)
        if source is None:
            continue
        if span.file == one.file and _definitions_changed(one, span.line):
            return True
        named = {t[0] for line in source.lines[span.line - 1 : span.end_line] for t in _tokens(line)}
        if {form for word in named for form in (word, word.removesuffix("s"))} & words:
            return True
    named = set(re.findall(r"`([^`]+)`", found.title)) if found.span.line else {t[0] for t in _tokens(found.title)}
    return bool(named & words)


def _definitions_changed(one: Mutant, line: int) -> bool:
    """Whether the line lies in a definition of the mutant that holds changed lines."""
    lines = one.text.splitlines()
    stood_in_one = bool(one.old) and not one.old[0][:1].isalpha()
    first, last = one.at - (stood_in_one and one.at > 1), one.at + max(len(one.new), 1)
    while first > 1 and not (lines[min(first, len(lines)) - 1][:1].isalpha()):
        first -= 1
    first = max(1, first - 1) if not one.new else first
    while last <= len(lines) and not lines[last - 1][:1].isalpha():
        last += 1
    return first <= line < max(last, first + 1)


def _words_changed(one: Mutant) -> set[str]:
    """The words that came or went, and the name of the definition they stood in."""
    lines = one.text.splitlines()
    heads = [line for line in (*one.old, *one.new) if line[:1].isalpha()]
    above = next((line for line in reversed(lines[: one.at]) if line[:1].isalpha()), "")
    old, new = ([t[0] for line in side for t in _tokens(line)] for side in (one.old, one.new))
    changed = set(old) ^ set(new) or set(old)
    named = {t[0] for line in (*heads, above) for t in _tokens(line)[:3]}
    return {word for word in changed | named if word[0].isalpha()} - _COMMON


_COMMON = set("a an of is as to by in for if and or not the with from you it each player number may".split())


def _played(program: Program, games: int) -> Verdict:
    """Random games, of every number of players in turn; nothing that happens in them may stop the machine."""
    verdict = Verdict("played")
    for game in range(games):
        players = program.least_players + game % (program.most_players - program.least_players + 1)
        status, at = _game(program, players, game)
        if status == ASKING:
            verdict = Verdict("endless")
        elif status != GAME_OVER:
            cause = program.cause_at(at)
            return Verdict(FAULTS.get(status, f"status {status}"), f"{cause.file}:{cause.line} {cause.name}")
    return verdict


def _game(program: Program, players: int, seed: int) -> tuple[int, int]:
    lot = Random(seed)
    state, step = _machine(program, players)
    for _ in range(MAX_QUESTIONS):
        if step(state) != ASKING:
            break
        state[ANSWER] = int(lot.random() * state[OPTIONS])
    return int(state[STATUS]), int(state[PC])


def _machine(program: Program, players: int) -> tuple[Any, Callable[[Any], int]]:
    """The first state and what plays it on: in native code, where that can be had."""
    state = create_state(program, players, {}, logging=False)
    if not native.is_available():
        return state, lambda cells: run(program.code, cells, [0])
    import numpy as np

    code, log, step = (
        np.array(program.code, dtype=np.int64),
        np.zeros(1, dtype=np.int64),
        native.native_function(loop.run),
    )
    return np.array(state, dtype=np.int64), lambda cells: int(step(code, cells, log))
