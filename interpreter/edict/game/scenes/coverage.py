"""Which rules no scene has played: things, lines and branches, file by file; counted, and told.

A *thing* is one that has something to carry out: an effect or an ability. A *line* is one on which a step or an
ability is written. A *branch* is one way that a condition, an offer or an option can go. What the compiler has found
to be decided before play, and what only displays and bots ask for, is in nobody's way and is not counted.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from edict.runtime.machine.observed_code import ReadCounts, count_jumps
from edict.runtime.program import HOLDS, NEITHER, YES, Cause, Program
from edict.runtime.program import opcodes as o
from edict.support.rendering import plain
from edict.support.text import Source


class ScenesPlayed:
    """What scenes have played of each program."""

    def __init__(self) -> None:
        self._walked: dict[str, tuple[Program, ReadCounts]] = {}

    def code(self, program: Program) -> ReadCounts:
        """The program's code, to be given to the machine in its stead."""
        key = " ".join([*program.modules, program.rules_hash])
        if key not in self._walked:
            self._walked[key] = (program, ReadCounts(program.code))
        return self._walked[key][1]

    def __iter__(self) -> Iterator[tuple[Program, ReadCounts]]:
        return iter(self._walked.values())


# --- what counts ----------------------------------------------------------------------------------


NO_WORK = (o.JMP, o.RET)  # lead from step to step
ENDS = (o.JMP, o.RET, o.OVER, o.FAULT)

K = TypeVar("K")
ThingKey = str
LineKey = int
BranchKey = tuple[int, int, bool]  # line, column, and whether it is the way of a yes


@dataclass
class FileCoverage:
    """What of one file was played; for each thing, line and branch whether it was. `starts`: the line of each thing."""

    file: str
    things: dict[ThingKey, bool] = field(default_factory=dict)
    lines: dict[LineKey, bool] = field(default_factory=dict)
    branches: dict[BranchKey, bool] = field(default_factory=dict)
    starts: dict[ThingKey, int] = field(default_factory=dict)
    holds: dict[tuple[str, int], bool] = field(default_factory=dict)  # abilities without steps: of which name, where


@dataclass(frozen=True, slots=True)
class Count:
    """So many of so many."""

    covered: int
    of: int

    @property
    def percent(self) -> float:
        return 100.0 * self.covered / self.of if self.of else 100.0


@dataclass(frozen=True)
class Coverage:
    """What scenes have played of some files."""

    files: tuple[FileCoverage, ...]

    @property
    def things(self) -> Count:
        return counted(one for file in self.files for one in file.things.values())

    @property
    def lines(self) -> Count:
        return counted(one for file in self.files for one in file.lines.values())

    @property
    def branches(self) -> Count:
        return counted(one for file in self.files for one in file.branches.values())

    @property
    def percent(self) -> float:
        """Of things, lines and branches together."""
        parts = (self.things, self.lines, self.branches)
        return Count(sum(p.covered for p in parts), sum(p.of for p in parts)).percent


def counted(played: Iterator[bool]) -> Count:
    found = list(played)
    return Count(sum(found), len(found))


def measure(trace: ScenesPlayed, wanted: Collection[str] | Callable[[str], bool]) -> Coverage:
    """What was played of the files that are wanted, in all programs together."""
    is_wanted = wanted if callable(wanted) else wanted.__contains__
    files: dict[str, FileCoverage] = {}
    for program, walked in trace:
        _Measured(program, walked, files, is_wanted).measure()
    for file in files.values():
        _without_steps(file)
    return Coverage(tuple(files[name] for name in sorted(files)))


def _without_steps(file: FileCoverage) -> None:
    """Abilities that carry out nothing (an exception that only allows) are played when their thing works."""
    lines, things = set(file.lines), set(file.things)
    for (name, line), played in file.holds.items():
        if line not in lines:
            _note(file.lines, line, played)
        if name in file.starts and name not in things:
            _note(file.things, name, played)


class _Measured:
    """Adds what was played of one program."""

    def __init__(
        self, program: Program, walked: ReadCounts, files: dict[str, FileCoverage], wanted: Callable[[str], bool]
    ) -> None:
        self.program = program
        self.times = walked.times
        self.files = files
        self.wanted = wanted
        self.things = {thing.name for kind in program.kinds for thing in kind.things}

    def measure(self) -> None:
        reached = played_places(self.program, self.times)
        for at in sorted(reached):
            cause = self.program.cause_at(at)
            if not cause.asks and self.program.code[at] not in NO_WORK and self.wanted(cause.file):
                self.line(cause, self.times[at] > 0)
        for fork in self.program.forks:
            cause = self.program.causes[fork.cause]
            if fork.at in reached and self.wanted(cause.file):
                went = count_jumps(self.program.code, self.times, fork.at)
                self.way(cause, fork.there, went > 0)
                self.way(cause, fork.on, self.times[fork.at] > went)

    def way(self, cause: Cause, way: int, played: bool) -> None:
        """One way at a fork; that an ability works shows that it is there, where it has no step of its own."""
        if way == HOLDS:
            _note(self.file(cause).holds, (cause.name, cause.line), played)
            self.thing(cause)
        elif way != NEITHER:
            _note(self.file(cause).branches, (cause.line, cause.column, way == YES), played)

    def line(self, cause: Cause, played: bool) -> None:
        file = self.file(cause)
        _note(file.lines, cause.line, played)
        if cause.name in self.things:
            _note(file.things, cause.name, played)
            self.thing(cause)

    def thing(self, cause: Cause) -> None:
        """Where something is written that a thing does."""
        if cause.name in self.things:
            starts = self.file(cause).starts
            starts[cause.name] = min(cause.line, starts.get(cause.name, cause.line))

    def file(self, cause: Cause) -> FileCoverage:
        return self.files.setdefault(cause.file, FileCoverage(cause.file))


def _note(found: dict[K, bool], key: K, played: bool) -> None:
    found[key] = found.get(key, False) or played


def played_places(program: Program, times: Sequence[int] = ()) -> set[int]:
    """Where the instructions stand that a game, or a scene that starts somewhere, can come to.

    What something comes along with is often written into what does it, so by itself it counts only if `times` says that
    it was played.
    """
    reached: set[int] = set()
    apart = {one.entry for one in program.brought}
    todo = [program.entry, *(at for name, at in program.entries if name not in apart or times and times[at])]
    while todo:
        at = todo.pop()
        if at not in reached:
            reached.add(at)
            todo += after(program.code, at)
    return reached


def after(code: tuple[int, ...], at: int) -> Iterator[int]:
    """Where execution continues after an instruction. Effects of things, called by number, are entries themselves."""
    op = code[at]
    if o.JMP <= op <= o.CALL:
        yield code[at + o.SIZE[op] - 1]
    if op not in ENDS:
        yield at + o.SIZE[op]


# --- the report -----------------------------------------------------------------------------------


WAYS = {True: "yes", False: "no"}


def uncovered_text(coverage: Coverage, sources: Mapping[str, Source]) -> str:
    """A table by file, then whatever was not played, with its text."""
    return "".join(plain(line) + "\n" for line in (*_table(coverage), *_places(coverage, sources), total(coverage)))


def total(coverage: Coverage) -> str:
    """`covered: 98.2 % of all things, lines and branches`."""
    return f"covered: {shown(coverage.percent)} of all things, lines and branches"


def shown(percent: float) -> str:
    """Never rounded up to all when something is left."""
    return f"{int(percent * 10) / 10:.1f} %"


def _table(coverage: Coverage) -> Iterator[str]:
    width = max([len(file.file) for file in coverage.files] + [len("coverage")])
    yield _row("coverage", width, "things", "lines", "branches")
    for file in coverage.files:
        yield _row(file.file, width, *(f"{one.covered}/{one.of}" if one.of else "-" for one in counts(file)))
    totals = (coverage.things, coverage.lines, coverage.branches)
    yield _row("in all", width, *(f"{one.covered}/{one.of}" for one in totals))
    yield _row("", width, *(shown(one.percent) for one in totals))


def _row(name: str, width: int, *cells: str) -> str:
    return f"{name:{width}}" + "".join(f"{cell:>12}" for cell in cells)


def counts(file: FileCoverage) -> tuple[Count, Count, Count]:
    """Of things, lines and branches."""
    return tuple(counted(iter(part.values())) for part in (file.things, file.lines, file.branches))  # type: ignore[return-value]


# --- what was not played ---------------------------------------------------------------------------


def missing(file: FileCoverage) -> list[tuple[int, int, str]]:
    """Line, column (0: all of it) and what was never so, in order; branches of a line never played are left out."""
    never = [(line, 0, "never played") for line, played in file.lines.items() if not played]
    dark = {line for line, _, _ in never}
    never += [
        (line, column, f"never {WAYS[way]}")
        for (line, column, way), played in file.branches.items()
        if not played and line not in dark
    ]
    never += [
        (file.starts[name], 0, f"`{name}` never did anything")
        for name, played in file.things.items()
        if not played and file.starts[name] not in dark
    ]
    return sorted(never)


def _places(coverage: Coverage, sources: Mapping[str, Source]) -> Iterator[str]:
    for file in coverage.files:
        source = sources.get(file.file)
        found = missing(file)
        if found:
            yield ""
            yield file.file
        for line, column, never in found:
            place = f"{line}:{column}" if column else str(line)
            text = source.lines[line - 1][max(column - 1, 0) :].strip() if source else ""
            yield f"  {place:<8}{never:<14}  {text}".rstrip()
    yield ""


# --- for programs ------------------------------------------------------------------------------------


def to_json(coverage: Coverage) -> str:
    """The same for programs; lines and columns count from 1."""
    parts = ("things", "lines", "branches")
    data = {
        "percent": round(coverage.percent, 2),
        **{name: _count(getattr(coverage, name)) for name in parts},
        "files": [{"file": file.file, **_file(file)} for file in coverage.files],
    }
    return json.dumps(data, indent=2) + "\n"


def _count(count: Count) -> dict[str, float]:
    return {"covered": count.covered, "of": count.of, "percent": round(count.percent, 2)}


def _file(file: FileCoverage) -> dict[str, Any]:
    things, lines, branches = map(_count, counts(file))
    return {
        "things": things | {"never": [{"name": n, "line": file.starts[n]} for n, x in file.things.items() if not x]},
        "lines": lines | {"never": sorted(line for line, x in file.lines.items() if not x)},
        "branches": branches
        | {
            "never": [
                {"line": line, "column": column, "way": WAYS[way]}
                for (line, column, way), x in sorted(file.branches.items())
                if not x
            ]
        },
    }
