"""Rules in which each construct of the language stands many times, made of the examples of the reference.

Each example is put, alone, into places where it meets other rules: loops over players, conditions over things, offers
and effects. The work of a check is counted in calls, which are the same on every machine: twice as many copies must
not take much more than twice the work.
"""

from __future__ import annotations

import cProfile
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from textwrap import indent

from edict.compiler.pipeline.pipeline import build
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.construct_rows import Row, rows
from edict.compiler.syntax.incremental import KEPT
from edict.compiler.syntax.parse import parse
from edict.compiler.syntax.walking import walk
from edict.prose.rulebook.language_reference import example_modules, wrap_values
from edict.support.report import Outcome
from edict.support.text import Source

_WORD = r"(?<![\w-]){}(?![\w-])"
_DEED = "kind deed\n  done effect\n"


def _phase(steps: str, number: int) -> str:
    return f"phase made-{number}\n{indent(steps, '  ')}"


def _under(line: str) -> Callable[[str, int], str]:
    return lambda steps, number: _phase(f"{line}\n{indent(steps, '  ')}", number)


def _effect(steps: str, number: int) -> str:
    """A thing whose effect these steps are, and then whatever the others do."""
    return f"deed deed-{number}\n  done\n{indent(steps, '    ')}\n    each deed as other\n      may do done of other"


PLACES: dict[str, Callable[[str, int], str]] = {
    "alone": _phase,
    "each": _under("each player"),
    "some": _under("if some trees has (height of it > 3)"),
    "may": _under("may"),
    "effect": _effect,
}


@dataclass(frozen=True)
class Grown:
    """A construct in a place, in as many copies as wanted."""

    row: Row
    place: str

    @property
    def name(self) -> str:
        return f"{self.row.name}, {self.place}"

    def text(self, count: int) -> str:
        """Return the rules with so many copies."""
        copies = [self._copy(number) for number in range(count)]
        before = [_DEED] if self.place == "effect" else []
        spoken_of = [wrap_values("").partition("when")[0]] if self.row.shape == "values" else []
        return "\n".join([*before, *spoken_of, *copies]) + "\n"

    def _copy(self, number: int) -> str:
        if self.row.shape == "rules":
            return _renamed(self.row.example, number)
        lines = self.row.example.splitlines()
        steps = (
            self.row.example
            if self.row.shape == "steps"
            else "\n".join(f"let made-{i} = {line}" for i, line in enumerate(lines))
        )
        return PLACES[self.place](steps, number)


def _renamed(example: str, number: int) -> str:
    """Return definitions with a number behind each name that they declare."""
    page = parse(Source("example.edict", example + "\n")).value
    inner = (node for one in page.definitions for node in walk(one)) if page is not None else ()
    names = (getattr(node, "name", None) for node in inner if isinstance(node, t.Definition | t.Ability))
    for name in dict.fromkeys(name.word for name in names if isinstance(name, t.Name) and name.word):
        example = re.sub(_WORD.format(re.escape(name)), f"{name}-{number}", example)
    return example


def grown() -> Iterator[Grown]:
    """Every construct whose examples belong to the game of the reference, in each place where it may stand."""
    for row in rows():
        if row.shape in ("steps", "values"):
            yield from (Grown(row, place) for place in PLACES)
        elif row.shape == "rules":
            yield Grown(row, "alone")


def count_calls(one: Grown, count: int) -> tuple[int, Outcome[object]]:
    """Return how many calls a check of so many copies takes, and what came of it."""
    KEPT.forget()
    modules = example_modules("rules", one.text(count))
    profile = cProfile.Profile()
    profile.enable()
    outcome = build(modules, optimized=False)
    profile.disable()
    return sum(entry.callcount for entry in profile.getstats()), Outcome(outcome.value, outcome.diagnostics)


def measure_growth(one: Grown, count: int) -> float:
    """Return by how much the work grows from twice to four times so many copies, for 1 from once to twice so many.

    It is 2 if work is in proportion to the rules, 4 if all are compared with all. Where so many copies are refused,
    fewer are measured: a refusal takes less work than a check.
    """
    count_calls(one, 1)  # what is computed once for all is not counted
    measured = [count_calls(one, times * count) for times in (1, 2, 4)]
    if count > 1 and any(found.code.startswith("E07") for _, outcome in measured for found in outcome.diagnostics):
        return measure_growth(one, count // 2)
    once, twice, four = (calls for calls, _ in measured)
    return (four - twice) / max(1, twice - once)
