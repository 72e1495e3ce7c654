"""Rules as text: compiled pass by pass, and run in the machine with prepared answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import indent
from typing import Any

from edict.compiler.layering.layer import layer_modules
from edict.compiler.pipeline.pipeline import analyze, build_program
from edict.compiler.semantics.link import LinkedBook
from edict.compiler.semantics.resolve import resolve
from edict.compiler.semantics.symbols import ResolvedBook
from edict.compiler.sources.folders import Manifest, Module
from edict.compiler.syntax.parse import parse
from edict.compiler.syntax.tree import Book
from edict.runtime.machine.loop import run
from edict.runtime.program import Cause, Program, Question, StateVariable, ValueType, create_state
from edict.runtime.program.cell_values import read_value
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

# basis for small rules: three resources, two dice, and a phase `trial-run` played by the first player
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

Answer = int | str  # a thing's name, a branch's text or its beginning, `-` to decline, or a number

# --- compiling ---------------------------------------------------------------------------------


def make_module(*texts: str, name: str = "trial", kind: str = "game") -> Module:
    """Return a module with these files, named page1.edict, page2.edict and so on."""
    sources = tuple(Source(f"page{i}.edict", text) for i, text in enumerate(texts, 1))
    return Module(Manifest(name, name, "1.0.0", kind), Path(name), sources)


def add_game(*texts: str) -> tuple[str, ...]:
    """Return the texts and, last, the game that they need; line numbers of the texts stay the same."""
    needs_phase = not any("phase trial-run" in text for text in texts)
    return (*texts, GAME + ("\nphase trial-run\n  nothing\n" if needs_phase else ""))


def layer_book(*texts: str) -> Book:
    layered_module = make_module(*texts)
    pages = tuple(parse(source).unwrap() for source in layered_module.sources)
    return layer_modules([(layered_module, pages)]).unwrap()


def resolve_texts(*texts: str) -> Outcome[ResolvedBook]:
    return resolve(layer_book(*add_game(*texts)))


def link_texts(*texts: str) -> LinkedBook:
    return analyze((make_module(*add_game(*texts)),)).unwrap()


def compile_texts(*texts: str) -> Outcome[Program]:
    return build_program((make_module(*add_game(*texts)),))


def compile_program(*texts: str) -> Program:
    return compile_texts(*texts).unwrap()


def list_errors(*texts: str) -> list[Diagnostic]:
    """Return the errors, without warnings."""
    return [diagnostic for diagnostic in compile_texts(*texts).diagnostics if diagnostic.is_error]


def list_findings(*texts: str) -> tuple[Diagnostic, ...]:
    """Return errors and warnings without generating code, which would take twice as long as all the rest."""
    return analyze((make_module(*add_game(*texts)),)).diagnostics


def underlined_text(text: str, item: Diagnostic | Label | Edit) -> str:
    """Return the text that a span underlines; of several lines, the first."""
    line = [*text.splitlines(), ""][item.span.line - 1]  # or is added below the last
    end = item.span.end_column - 1 if item.span.end_line == item.span.line else len(line)
    return line[item.span.column - 1 : end]


def describe_diagnostic(text: str, diagnostic: Diagnostic) -> dict[str, Any]:
    """Return everything that a diagnostic says, labels and edits with the text they refer to."""
    parts = {
        "code": diagnostic.code,
        "at": underlined_text(text, diagnostic),
        "title": diagnostic.title,
        "help": diagnostic.help,
        "note": diagnostic.note,
    }
    lists: dict[str, tuple[Label | Edit, ...]] = {"labels": diagnostic.labels, "edits": diagnostic.edits}
    page = {entry.name: entry.text for entry in make_module(*add_game(text)).sources}
    pieces = {
        name: [f"{underlined_text(page[entry.span.file], entry)}: {entry.text}" for entry in entries]
        for name, entries in lists.items()
    }
    return {name: value for name, value in (parts | pieces).items() if value or name == "help"}


def codes_and_texts(text: str) -> list[tuple[str, str]]:
    """Return the code and the underlined text of every finding in a page to which the game is added."""
    return [(diagnostic.code, underlined_text(text, diagnostic)) for diagnostic in compile_texts(text).diagnostics]


def checked_codes_and_texts(text: str) -> list[tuple[str, str]]:
    """Return the same as `codes_and_texts`, without generating code."""
    return [(diagnostic.code, underlined_text(text, diagnostic)) for diagnostic in list_findings(text)]


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
        self._run_machine()

    def _run_machine(self) -> None:
        status = run(self.program.code, self.state, self.log)
        assert status != LOG_FULL
        if status == ASKING:
            self.asked.append(self.question.prompt)

    # --- questions

    @property
    def is_over(self) -> bool:
        return self.state[STATUS] == GAME_OVER

    @property
    def fault(self) -> str:
        """The fault that ended the game, or an empty text."""
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
        """The options as words: names of things, texts of branches, `-`, numbers."""
        return [self._option_word(value) for value in self.values]

    def _option_word(self, value: int) -> str:
        question = self.question
        if value == DECLINE:
            return "-"
        if question.domain in ("branch", "ability"):
            return question.labels[value]
        if question.domain == "thing" and question.kind != "player":
            return self.program.kind_by_name[question.kind].things[value].name
        return str(value)

    def answer(self, *answers: Answer) -> Run:
        for given_answer in answers:
            self.state[ANSWER] = self._find_option(str(given_answer))
            self._run_machine()
        return self

    def _find_option(self, answer: str) -> int:
        options = self.options
        matches = [i for i, option in enumerate(options) if option == answer]
        matches = matches or [i for i, option in enumerate(options) if option.startswith(answer)]
        matches = [i for i in matches if self.values[i] != self.values[matches[0]]] or matches[
            :1
        ]  # one may be there often
        assert len(matches) == 1, f"{answer!r} is none of {options} of {self.question.prompt!r}"
        return matches[0]

    # --- what there is

    def get_variable(self, name: str) -> StateVariable:
        return self.program.variable_by_name[name]

    def get_value(self, name: str, *of: int) -> int:
        """Return a resource or state variable as an integer; things by number."""
        return read_value(self.get_variable(name).type, self.state, self._find_address(name, *of))

    def list_knowing_players(self, name: str, *of: int) -> list[int]:
        """Return the players who know a secret value."""
        variable = self.get_variable(name)
        base = variable.known - variable.base
        return list_members(self.state[self._find_address(name, *of) + base])

    def _find_address(self, name: str, *of: int) -> int:
        variable, index = self.get_variable(name), 0
        for size, number in zip(variable.sizes, of, strict=True):
            index = index * size + number
        return variable.base + index * variable.type.cells

    def describe_value(self, name: str, *of: int) -> object:
        """Return a state variable in words: a thing's name, or the names of members of a set or order."""
        value, type_ = self.get_value(name, *of), self.get_variable(name).type
        if type_.shape == "set":
            return [self._member_name(type_, i) for i in list_members(value)]
        if type_.shape == "order":
            return [self._member_name(type_, i) for i in decode_order(value)]
        if type_.shape == "thing":
            return "none" if value < 0 else self._member_name(type_, value)
        return self.unpack_dice(value) if type_.shape == "dice" else value

    def _member_name(self, type_: ValueType, i: int) -> object:
        things = self.program.kind_by_name[type_.kind].things if type_.kind in self.program.kind_by_name else ()
        return i if type_.kind in ("player", "number") or not things else things[i].name

    def unpack_dice(self, value: int) -> dict[str, list[int]]:
        """Return packed dice as faces by kind."""
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
        return list_members(self.state[WINNERS])

    def list_events(self, kind: int = EV_TERM) -> list[tuple[int, int, int]]:
        """Return the three numbers of every event of a kind."""
        entries = [self.log[i : i + EVENT_SIZE] for i in range(1, self.log[0] + 1, EVENT_SIZE)]
        return [(entry[2], entry[3], entry[4]) for entry in entries if entry[0] == kind]


def list_members(mask: int) -> list[int]:
    return [i for i in range(mask.bit_length()) if mask >> i & 1]


def decode_order(order: int) -> list[int]:
    result = []
    for place in range(15):
        member = order >> (4 * place) & 15
        if member == 15:
            break
        result.append(member)
    return result


def play_text(text: str, answers: Iterable[Answer] = (), players: int = 2, **settings: int) -> Run:
    """Compile rules given as text, start a game and answer its questions."""
    return Run(compile_program(text), players, settings).answer(*answers)


def make_phase(*lines: str) -> str:
    """Return a phase `trial-run` of these lines."""
    return "\nphase trial-run\n" + "".join(f"  {line}\n" for part in lines for line in part.splitlines())


def run_steps(*lines: str, rules: str = "", answers: Sequence[Answer] = (), players: int = 2, **settings: int) -> Run:
    """Run lines as the first player together with these rules."""
    return play_text(rules + make_phase(*lines or ("nothing",)), answers, players, **settings)


def run_cases(
    cases: Iterable[tuple[Any, ...]], rules: str = "", first: str = "", players: int = 2
) -> Iterator[tuple[Any, ...]]:
    """Yield each case behind a run of its own.

    A run does `first` and then the lines with which the case begins, a text or several. All cases are one program,
    compiled once; a setting selects the lines to run.
    """
    all_cases = [*cases]
    if not all_cases:
        return
    lines = [line if isinstance(line, str) else "\n".join(line) for line, *_ in all_cases]
    chosen = (f"if lines-tried = {number}\n{indent(line, '  ')}" for number, line in enumerate(lines))
    setting = f"\nsetting lines-tried is 0 from 0 to {len(all_cases)}\n"
    made = compile_program(rules + setting + make_phase(*([first] if first else []), *chosen))
    for number, case in enumerate(all_cases):
        yield Run(made, players, {"lines-tried": number}), *case


__all__ = [
    "ASKING",
    "CHANCE",
    "GAME",
    "Run",
    "layer_book",
    "compile_texts",
    "run_steps",
    "list_errors",
    "list_findings",
    "decode_order",
    "link_texts",
    "list_members",
    "make_module",
    "checked_codes_and_texts",
    "play_text",
    "compile_program",
    "resolve_texts",
    "codes_and_texts",
    "make_phase",
    "run_cases",
    "underlined_text",
    "add_game",
]
