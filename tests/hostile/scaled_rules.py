"""Rules with many copies of each construct of the language, made from the examples of the reference.

Each example is placed alone and among other rules: loops over players, conditions over things, offers and effects.
Work is counted in function calls, which are the same on every machine: twice as many copies must not take much more
than twice the work.
"""

from __future__ import annotations

import cProfile
import gc
import itertools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from textwrap import indent

from edict.compiler.pipeline.pipeline import build_program
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.construct_rows import ConstructRow, list_rows
from edict.compiler.syntax.incremental import PIECE_CACHE
from edict.compiler.syntax.nouns import list_inflected_forms
from edict.compiler.syntax.parse import parse
from edict.compiler.syntax.traversal import walk
from edict.prose.rulebook.language_reference import example_modules, wrap_values
from edict.support.report import Outcome
from edict.support.text import Source

_WORD = r"(?<![\w-]){}(?![\w-])"
_DEED = "kind deed\n  done effect\n"
_FIRST_NUMBERS = itertools.count(10_000, 100)  # names of a measurement are new, so that no cache holds them


def _make_phase(steps: str, number: int) -> str:
    return f"phase made-{number}\n{indent(steps, '  ')}"


def _nest_under(line: str) -> Callable[[str, int], str]:
    return lambda steps, number: _make_phase(f"{line}\n{indent(steps, '  ')}", number)


def _make_effect(steps: str, number: int) -> str:
    """Return a thing whose effect has these steps, and then those of the others."""
    return f"deed deed-{number}\n  done\n{indent(steps, '    ')}\n    each deed as other\n      may do done of other"


PLACES: dict[str, Callable[[str, int], str]] = {
    "alone": _make_phase,
    "each": _nest_under("each player"),
    "some": _nest_under("if some trees has (height of it > 3)"),
    "may": _nest_under("may"),
    "effect": _make_effect,
}


@dataclass(frozen=True)
class RepeatedConstruct:
    """A construct in a place in any number of copies."""

    row: ConstructRow
    place: str

    @property
    def name(self) -> str:
        return f"{self.row.name}, {self.place}"

    def make_text(self, count: int, first: int) -> str:
        """Return rules with this number of copies, numbered from `first`."""
        copies = [self._copy(number) for number in range(first, first + count)]
        before = [_DEED] if self.place == "effect" else []
        spoken_of = [wrap_values("").partition("when")[0]] if self.row.shape == "values" else []
        return "\n".join([*before, *spoken_of, *copies]) + "\n"

    def _copy(self, number: int) -> str:
        if self.row.shape == "rules":
            return _number_names(self.row.example, number)
        lines = self.row.example.splitlines()
        steps = (
            self.row.example
            if self.row.shape == "steps"
            else "\n".join(f"let made-{i} = {line}" for i, line in enumerate(lines))
        )
        return PLACES[self.place](steps, number)


def _number_names(example: str, number: int) -> str:
    """Return definitions with a number appended to each name they declare; a plural becomes that of the new name."""
    page = parse(Source("example.edict", example + "\n")).value
    inner = (node for one in page.definitions for node in walk(one)) if page is not None else ()
    names = (getattr(node, "name", None) for node in inner if isinstance(node, t.Definition | t.Ability))
    for name in dict.fromkeys(name.word for name in names if isinstance(name, t.Name) and name.word):
        for form in list_inflected_forms(name):
            new_name = f"{name}-{number}"
            new_form = new_name if form == name else list_inflected_forms(new_name)[-1]
            example = re.sub(_WORD.format(re.escape(form)), new_form, example)
    return example


def iter_constructs() -> Iterator[RepeatedConstruct]:
    """Yield every construct of the reference game in each place where it can be."""
    for row in list_rows():
        if row.shape in ("steps", "values"):
            yield from (RepeatedConstruct(row, place) for place in PLACES)
        elif row.shape == "rules":
            yield RepeatedConstruct(row, "alone")


def count_calls(construct: RepeatedConstruct, count: int) -> tuple[int, Outcome[object]]:
    """Return the number of calls that a check of this many copies takes and its outcome."""
    PIECE_CACHE.clear()
    modules = example_modules("rules", construct.make_text(count, next(_FIRST_NUMBERS)))
    profile = cProfile.Profile()
    gc.disable()  # what finalizers of other tests' objects call is not counted
    profile.enable()
    outcome = build_program(modules, optimized=False)
    profile.disable()
    gc.enable()
    return sum(entry.callcount for entry in profile.getstats()), Outcome(outcome.value, outcome.diagnostics)


def measure_growth(construct: RepeatedConstruct, count: int) -> float:
    """Return how work grows with the number of copies: 2 if in proportion, 4 if all are compared with all.

    This is the extra work from two to four times the count, divided by that from one to two times.
    """
    count_calls(construct, 1)  # what is computed once for all is not counted
    measured = [count_calls(construct, times * count) for times in (1, 2, 4)]
    if count > 1 and any(found.code.startswith("E07") for _, outcome in measured for found in outcome.diagnostics):
        return measure_growth(construct, count // 2)
    once, twice, four = (calls for calls, _ in measured)
    return (four - twice) / max(1, twice - once)
