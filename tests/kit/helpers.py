"""Rules given as text: compiled pass by pass, and run in the machine with answers written beforehand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import indent
from typing import Any

from edict.compiler.layering.layer import layer
from edict.compiler.pipeline.pipeline import build, understand
from edict.compiler.semantics.link import LinkedBook
from edict.compiler.semantics.resolve import resolve
from edict.compiler.semantics.symbols import ResolvedBook
from edict.compiler.sources.folders import Manifest, Module
from edict.compiler.syntax.parse import parse
from edict.compiler.syntax.tree import Book
from edict.runtime.machine.loop import run
from edict.runtime.program import Cause, Program, Question, StateVariable, ValueType
from edict.runtime.program.cell_values import read_value
from edict.runtime.program.initial_state import create_state
from edict.runtime.program.opcodes import (
    ANSWER,
    ASKING,
    CHANCE,
    DECLINE,
    EV_TERM,
    EVENT_SIZE,
    FAULTS,
    FIRST_OPTION,
    GAME_OVER,
    LOG_FULL,
    OPTIONS,
    PC,
    QUESTION,
    SEAT,
    STATUS,
    WINNERS,
)
from edict.support.report import Diagnostic, Edit, Label, Outcome
from edict.support.text import Source

GAME = """
resource coin "coin/coins"
resource stick "stick/sticks"
resource brick "brick/bricks"
group stuff "piece of stuff/stuff" is stick, brick
resource fame "fame" may go below 0
die cube "cube/cubes" with 6 sides
die gem "gem/gems" with 4 sides
keep line as order of player, quiet

game trial "Trial"
  players 2 to 4
  order line
  winners everyone
  score fame of you
  course
    each player in (first of everyone)
      play trial-run
"""
"""What most little rules need: three resources, two dice, and a phase `trial-run` played by the first player."""

Answer = int | str
"""A thing's name, a branch's text or its beginning, `-` to decline, or a plain number."""

# --- compiling ---------------------------------------------------------------------------------


def module(*texts: str, name: str = "trial", kind: str = "game") -> Module:
    """A module of these files, which are called page1.edict, page2.edict ..."""
    sources = tuple(Source(f"page{i}.edict", text) for i, text in enumerate(texts, 1))
    return Module(Manifest(name, name, "1.0.0", kind), Path(name), sources)


def with_game(*texts: str) -> tuple[str, ...]:
    """The texts and what every game needs, which comes last so that lines count from the texts' beginning."""
    bare = not any("phase trial-run" in text for text in texts)
    return (*texts, GAME + ("\nphase trial-run\n  nothing\n" if bare else ""))


def book(*texts: str) -> Book:
    found = module(*texts)
    pages = tuple(parse(source).unwrap() for source in found.sources)
    return layer([(found, pages)]).unwrap()


def resolved(*texts: str) -> Outcome[ResolvedBook]:
    return resolve(book(*with_game(*texts)))


def linked(*texts: str) -> LinkedBook:
    return understand((module(*with_game(*texts)),)).unwrap()


def compiled(*texts: str) -> Outcome[Program]:
    return build((module(*with_game(*texts)),))


def program(*texts: str) -> Program:
    return compiled(*texts).unwrap()


def errors(*texts: str) -> list[Diagnostic]:
    """What is wrong, warnings left out."""
    return [d for d in compiled(*texts).diagnostics if d.is_error]


def findings(*texts: str) -> tuple[Diagnostic, ...]:
    """What is wrong or doubtful, of rules of which no code is made: that takes twice as long as all the rest."""
    return understand((module(*with_game(*texts)),)).diagnostics


def under(text: str, found: Diagnostic | Label | Edit) -> str:
    """The stretch of the text that something points at; of several lines, the first."""
    line = [*text.splitlines(), ""][found.span.line - 1]  # or is added below the last
    end = found.span.end_column - 1 if found.span.end_line == found.span.line else len(line)
    return line[found.span.column - 1 : end]


def whole(text: str, found: Diagnostic) -> dict[str, Any]:
    """All that is said of something wrong; labels and edits with what they are about."""
    told = {"code": found.code, "at": under(text, found), "title": found.title, "help": found.help, "note": found.note}
    lists: dict[str, tuple[Label | Edit, ...]] = {"labels": found.labels, "edits": found.edits}
    page = {one.name: one.text for one in module(*with_game(text)).sources}
    pieces = {name: [f"{under(page[one.span.file], one)}: {one.text}" for one in some] for name, some in lists.items()}
    return {name: value for name, value in (told | pieces).items() if value or name == "help"}


def said(text: str) -> list[tuple[str, str]]:
    """Code and underlined text of every finding in a page to which the game is added."""
    return [(d.code, under(text, d)) for d in compiled(text).diagnostics]


def noted(text: str) -> list[tuple[str, str]]:
    """The same of rules of which no code is made."""
    return [(d.code, under(text, d)) for d in findings(text)]


# --- playing -----------------------------------------------------------------------------------


@dataclass
class Run:
    """A game in the machine. Answers are taken from a list; when it is empty, the run waits."""

    program: Program
    players: int = 2
    settings: dict[str, int] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.state = create_state(self.program, self.players, self.settings)
        self.log = [0] * 20_000
        self._go()

    def _go(self) -> None:
        status = run(self.program.code, self.state, self.log)
        assert status != LOG_FULL
        if status == ASKING:
            self.asked.append(self.question.prompt)

    # --- questions

    @property
    def over(self) -> bool:
        return self.state[STATUS] == GAME_OVER

    @property
    def fault(self) -> str:
        """What went wrong, or nothing."""
        return FAULTS.get(self.state[STATUS], "")

    @property
    def cause(self) -> Cause:
        """The rule and line where the machine stands."""
        return self.program.cause_at(self.state[PC])

    @property
    def question(self) -> Question:
        assert self.state[STATUS] == ASKING, self.fault or "the game is over"
        return self.program.questions[self.state[QUESTION]]

    @property
    def seat(self) -> int:
        return self.state[SEAT]

    @property
    def values(self) -> list[int]:
        return self.state[FIRST_OPTION : FIRST_OPTION + self.state[OPTIONS]]

    @property
    def options(self) -> list[str]:
        """The options in words: names of things, texts of branches, `-`, numbers."""
        return [self._word(value) for value in self.values]

    def _word(self, value: int) -> str:
        question = self.question
        if value == DECLINE:
            return "-"
        if question.domain in ("branch", "ability"):
            return question.labels[value]
        if question.domain == "thing" and question.kind != "player":
            return self.program.kind_by_name[question.kind].things[value].name
        return str(value)

    def answer(self, *answers: Answer) -> Run:
        for one in answers:
            self.state[ANSWER] = self._index(str(one))
            self._go()
        return self

    def _index(self, answer: str) -> int:
        options = self.options
        found = [i for i, option in enumerate(options) if option == answer]
        found = found or [i for i, option in enumerate(options) if option.startswith(answer)]
        found = [i for i in found if self.values[i] != self.values[found[0]]] or found[:1]  # one may be there often
        assert len(found) == 1, f"{answer!r} is none of {options} of {self.question.prompt!r}"
        return found[0]

    # --- what there is

    def variable(self, name: str) -> StateVariable:
        return self.program.variable_by_name[name]

    def value(self, name: str, *of: int) -> int:
        """A resource or keep as an integer; things by number."""
        return read_value(self.variable(name).type, self.state, self._address(name, *of))

    def known(self, name: str, *of: int) -> list[int]:
        """The players who know a secret."""
        variable = self.variable(name)
        base = variable.known - variable.base
        return members(self.state[self._address(name, *of) + base])

    def _address(self, name: str, *of: int) -> int:
        variable, at = self.variable(name), 0
        for size, i in zip(variable.sizes, of, strict=True):
            at = at * size + i
        return variable.base + at * variable.type.cells

    def told(self, name: str, *of: int) -> object:
        """A keep in words: a thing's name, the names of a set's members, an order's members in turn."""
        value, type_ = self.value(name, *of), self.variable(name).type
        if type_.shape == "set":
            return [self._name(type_, i) for i in members(value)]
        if type_.shape == "order":
            return [self._name(type_, i) for i in in_order(value)]
        if type_.shape == "thing":
            return "none" if value < 0 else self._name(type_, value)
        return self.dice(value) if type_.shape == "dice" else value

    def _name(self, type_: ValueType, i: int) -> object:
        things = self.program.kind_by_name[type_.kind].things if type_.kind in self.program.kind_by_name else ()
        return i if type_.kind in ("player", "number") or not things else things[i].name

    def dice(self, value: int) -> dict[str, list[int]]:
        """Packed dice by kind, as faces."""
        layout = self.program.dice
        full = (1 << layout.width) - 1
        found: dict[str, list[int]] = {}
        for name, _, sides, first in layout.kinds:
            for side in range(sides):
                count = value >> layout.offset_of(first + side) & full
                found.setdefault(name, []).extend([side + 1] * count)
        return {name: faces for name, faces in found.items() if faces}

    @property
    def winners(self) -> list[int]:
        return members(self.state[WINNERS])

    def events(self, kind: int = EV_TERM) -> list[tuple[int, int, int]]:
        """The three numbers of every event of a kind."""
        found = [self.log[i : i + EVENT_SIZE] for i in range(1, self.log[0] + 1, EVENT_SIZE)]
        return [(e[2], e[3], e[4]) for e in found if e[0] == kind]


def members(mask: int) -> list[int]:
    return [i for i in range(mask.bit_length()) if mask >> i & 1]


def in_order(order: int) -> list[int]:
    found = []
    for place in range(15):
        member = order >> (4 * place) & 15
        if member == 15:
            break
        found.append(member)
    return found


def play(text: str, answers: Iterable[Answer] = (), players: int = 2, **settings: int) -> Run:
    """Rules as text, compiled, started and answered."""
    return Run(program(text), players, settings).answer(*answers)


def steps(*lines: str) -> str:
    """A phase `trial-run` of these lines."""
    return "\nphase trial-run\n" + "".join(f"  {line}\n" for part in lines for line in part.splitlines())


def does(*lines: str, rules: str = "", answers: Sequence[Answer] = (), players: int = 2, **settings: int) -> Run:
    """Lines carried out by the first player, beside these rules."""
    return play(rules + steps(*lines or ("nothing",)), answers, players, **settings)


def tried(
    cases: Iterable[tuple[Any, ...]], rules: str = "", first: str = "", players: int = 2
) -> Iterator[tuple[Any, ...]]:
    """Each case behind a run of its own: `first`, and then the lines with which the case begins, a text or several.

    All of them are one program, compiled once; a setting says which lines are carried out.
    """
    given = [*cases]
    if not given:
        return
    lines = [line if isinstance(line, str) else "\n".join(line) for line, *_ in given]
    chosen = (f"if lines-tried = {number}\n{indent(line, '  ')}" for number, line in enumerate(lines))
    setting = f"\nsetting lines-tried is 0 from 0 to {len(given)}\n"
    made = program(rules + setting + steps(*([first] if first else []), *chosen))
    for number, case in enumerate(given):
        yield Run(made, players, {"lines-tried": number}), *case


__all__ = [
    "ASKING",
    "CHANCE",
    "GAME",
    "Run",
    "book",
    "compiled",
    "does",
    "errors",
    "findings",
    "in_order",
    "linked",
    "members",
    "module",
    "noted",
    "play",
    "program",
    "resolved",
    "said",
    "steps",
    "tried",
    "under",
    "with_game",
]
