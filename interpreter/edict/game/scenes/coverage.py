"""Coverage of rules by scenes: the things, lines and branches that were played, file by file.

A *thing* counts if it has something to execute: an effect or an ability. A *line* counts if a step or an ability is
written on it. A *branch* is one outcome of a condition, an offer or an option. Code that the compiler decides before
play, and code that only displays and bots run, does not count.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any, TypeVar

from edict.runtime.machine.events import ReadCounts, count_jumps
from edict.runtime.program import HOLDS, NEITHER, YES, Cause, Program
from edict.runtime.program import opcodes as o
from edict.support.records import dataclass
from edict.support.rendering import escape_terminal
from edict.support.text import Source


class SceneTrace:
    """The executed code of each program that scenes have played."""

    def __init__(self) -> None:
        self._counters: dict[str, tuple[Program, ReadCounts]] = {}

    def get_counting_code(self, program: Program) -> ReadCounts:
        """Return a program's code as a sequence that counts how often each place is read; one for each program."""
        key = " ".join([*program.modules, program.rules_hash])
        if key not in self._counters:
            self._counters[key] = (program, ReadCounts(program.code))
        return self._counters[key][1]

    def __iter__(self) -> Iterator[tuple[Program, ReadCounts]]:
        return iter(self._counters.values())


# --- what counts ----------------------------------------------------------------------------------


NO_WORK = (o.JMP, o.RET)  # they only lead from step to step
FLOW_ENDS = (o.JMP, o.RET, o.OVER, o.FAULT)  # execution never continues at the next instruction

K = TypeVar("K")
ThingKey = str
LineKey = int
BranchKey = tuple[int, int, bool]  # line, column, and True for the branch taken on yes


@dataclass
class FileCoverage:
    """The things, lines and branches of one file, each with True if it was played."""

    file: str
    things: dict[ThingKey, bool] = field(default_factory=dict)
    lines: dict[LineKey, bool] = field(default_factory=dict)
    branches: dict[BranchKey, bool] = field(default_factory=dict)
    starts: dict[ThingKey, int] = field(default_factory=dict)  # line of each thing
    holds: dict[tuple[str, int], bool] = field(default_factory=dict)  # abilities without steps, by name and line


@dataclass(frozen=True, slots=True)
class CoverageCount:
    """A number of covered items out of a total."""

    covered: int
    total: int

    @property
    def percent(self) -> float:
        """Return the share in percent; 100 if there is nothing to cover."""
        return 100.0 * self.covered / self.total if self.total else 100.0


@dataclass(frozen=True)
class SceneCoverage:
    """The coverage of some files by scenes."""

    files: tuple[FileCoverage, ...]

    @property
    def things(self) -> CoverageCount:
        """Count the things in all files."""
        return count_played_items(played for file in self.files for played in file.things.values())

    @property
    def lines(self) -> CoverageCount:
        """Count the lines in all files."""
        return count_played_items(played for file in self.files for played in file.lines.values())

    @property
    def branches(self) -> CoverageCount:
        """Count the branches in all files."""
        return count_played_items(played for file in self.files for played in file.branches.values())

    @property
    def percent(self) -> float:
        """Return the share of things, lines and branches together, in percent."""
        parts = (self.things, self.lines, self.branches)
        return CoverageCount(sum(p.covered for p in parts), sum(p.total for p in parts)).percent


def count_played_items(flags: Iterator[bool]) -> CoverageCount:
    """Count the items that were played."""
    items = list(flags)
    return CoverageCount(sum(items), len(items))


def measure_coverage(trace: SceneTrace, wanted: Collection[str] | Callable[[str], bool]) -> SceneCoverage:
    """Measure the coverage of files over all played programs.

    Args:
        trace: The programs with the code that scenes executed.
        wanted: The names of the files to measure, or a predicate on names.
    """
    is_wanted = wanted if callable(wanted) else wanted.__contains__
    files: dict[str, FileCoverage] = {}
    for program, walked in trace:
        _ProgramMeasurer(program, walked, files, is_wanted).measure()
    for file in files.values():
        _merge_abilities_without_steps(file)
    return SceneCoverage(tuple(files[name] for name in sorted(files)))


def _merge_abilities_without_steps(file: FileCoverage) -> None:
    """Count an ability that executes nothing (it only allows) as played when its thing works."""
    lines, things = set(file.lines), set(file.things)
    for (name, line), played in file.holds.items():
        if line not in lines:
            _note(file.lines, line, played)
        if name in file.starts and name not in things:
            _note(file.things, name, played)


class _ProgramMeasurer:
    """Adds the coverage of one program to that of the files."""

    def __init__(
        self, program: Program, counters: ReadCounts, files: dict[str, FileCoverage], is_wanted: Callable[[str], bool]
    ) -> None:
        self.program = program
        self.times = counters.counts
        self.files = files
        self.is_wanted = is_wanted
        self.things = {thing.name for kind in program.kinds for thing in kind.things}

    def measure(self) -> None:
        """Note each reachable line of wanted files as played or not, then both outcomes of each fork."""
        reached = reachable_addresses(self.program, self.times)
        for address in sorted(reached):
            cause = self.program.cause_at(address)
            if not cause.asks and self.program.code[address] not in NO_WORK and self.is_wanted(cause.file):
                self._note_line(cause, self.times[address] > 0)
        for fork in self.program.forks:
            cause = self.program.causes[fork.cause]
            if fork.at in reached and self.is_wanted(cause.file):
                jumps = count_jumps(self.program.code, self.times, fork.at)
                self._note_branch(cause, fork.there, jumps > 0)
                self._note_branch(cause, fork.on, self.times[fork.at] > jumps)

    def _note_branch(self, cause: Cause, outcome: int, played: bool) -> None:
        """Record one outcome of a fork as played or not; HOLDS marks that an ability worked at all."""
        if outcome == HOLDS:
            _note(self._file_coverage(cause).holds, (cause.name, cause.line), played)
            self._note_thing_start(cause)
        elif outcome != NEITHER:
            _note(self._file_coverage(cause).branches, (cause.line, cause.column, outcome == YES), played)

    def _note_line(self, cause: Cause, played: bool) -> None:
        """Note a cause's line as played or not, and the thing that it belongs to, if any."""
        file = self._file_coverage(cause)
        _note(file.lines, cause.line, played)
        if cause.name in self.things:
            _note(file.things, cause.name, played)
            self._note_thing_start(cause)

    def _note_thing_start(self, cause: Cause) -> None:
        """Note the first line on which a thing executes something."""
        if cause.name in self.things:
            starts = self._file_coverage(cause).starts
            starts[cause.name] = min(cause.line, starts.get(cause.name, cause.line))

    def _file_coverage(self, cause: Cause) -> FileCoverage:
        """Return the coverage of the cause's file; add an empty one the first time."""
        return self.files.setdefault(cause.file, FileCoverage(cause.file))


def _note(flags: dict[K, bool], key: K, played: bool) -> None:
    """Set the flag of a key to True if `played`, else to False unless it is True already."""
    flags[key] = flags.get(key, False) or played


def reachable_addresses(program: Program, times: Sequence[int] = ()) -> set[int]:
    """Return the addresses of the instructions that a game, or a scene that starts at some entry, can reach.

    Entries that take parameters are usually inlined into their callers, so such an entry counts by itself only if
    `times` says that it was executed.

    Args:
        program: The compiled rules.
        times: Number of executions by address.
    """
    reached: set[int] = set()
    parameterized = {parameter.entry for parameter in program.brought}
    pending = [
        program.entry,
        *(address for name, address in program.entries if name not in parameterized or times and times[address]),
    ]
    while pending:
        address = pending.pop()
        if address not in reached:
            reached.add(address)
            pending += iter_successors(program.code, address)
    return reached


def iter_successors(code: tuple[int, ...], address: int) -> Iterator[int]:
    """Iterate over the addresses at which execution may continue after an instruction.

    Effects of things, called by number, are entries themselves.
    """
    op = code[address]
    if o.JMP <= op <= o.CALL:
        yield code[address + o.SIZE[op] - 1]
    if op not in FLOW_ENDS:
        yield address + o.SIZE[op]


# --- the report -----------------------------------------------------------------------------------


OUTCOMES = {True: "yes", False: "no"}


def format_coverage(coverage: SceneCoverage, sources: Mapping[str, Source]) -> str:
    """Format a table of files, then every item that was not played, with its text."""
    return "".join(
        escape_terminal(line) + "\n"
        for line in (*_iter_table_rows(coverage), *_iter_unplayed_lines(coverage, sources), format_total(coverage))
    )


def format_total(coverage: SceneCoverage) -> str:
    """Format the total, such as `covered: 98.2 % of all things, lines and branches`."""
    return f"covered: {format_percent(coverage.percent)} of all things, lines and branches"


def format_percent(percent: float) -> str:
    """Format a percentage rounded down, so that 100 % means all."""
    return f"{int(percent * 10) / 10:.1f} %"


def _iter_table_rows(coverage: SceneCoverage) -> Iterator[str]:
    """Yield the table's header, a row of `covered/total` for each file, the totals and their percentages."""
    width = max([len(file.file) for file in coverage.files] + [len("coverage")])
    yield _format_row("coverage", width, "things", "lines", "branches")
    for file in coverage.files:
        yield _format_row(
            file.file, width, *(f"{count.covered}/{count.total}" if count.total else "-" for count in count_file(file))
        )
    totals = (coverage.things, coverage.lines, coverage.branches)
    yield _format_row("in all", width, *(f"{count.covered}/{count.total}" for count in totals))
    yield _format_row("", width, *(format_percent(count.percent) for count in totals))


def _format_row(name: str, width: int, *cells: str) -> str:
    """Format a name, padded to `width`, and cells right-aligned in 12 characters each."""
    return f"{name:{width}}" + "".join(f"{cell:>12}" for cell in cells)


def count_file(file: FileCoverage) -> tuple[CoverageCount, CoverageCount, CoverageCount]:
    """Count the things, lines and branches of a file."""
    return tuple(count_played_items(iter(flags.values())) for flags in (file.things, file.lines, file.branches))  # type: ignore[return-value]


# --- what was not played ---------------------------------------------------------------------------


def find_unplayed_items(file: FileCoverage) -> list[tuple[int, int, str]]:
    """Return line, column and message of every item that was not played, in order.

    Column 0 is the whole line; branches of an unplayed line are left out.
    """
    unplayed = [(line, 0, "never played") for line, played in file.lines.items() if not played]
    unplayed_lines = {line for line, _, _ in unplayed}
    unplayed += [
        (line, column, f"never {OUTCOMES[outcome]}")
        for (line, column, outcome), played in file.branches.items()
        if not played and line not in unplayed_lines
    ]
    unplayed += [
        (file.starts[name], 0, f"`{name}` never had an effect")
        for name, played in file.things.items()
        if not played and file.starts[name] not in unplayed_lines
    ]
    return sorted(unplayed)


def _iter_unplayed_lines(coverage: SceneCoverage, sources: Mapping[str, Source]) -> Iterator[str]:
    """Yield a block for each file with the place, kind and source text of every item that was not played."""
    for file in coverage.files:
        source = sources.get(file.file)
        unplayed = find_unplayed_items(file)
        if unplayed:
            yield ""
            yield file.file
        for line, column, message in unplayed:
            place = f"{line}:{column}" if column else str(line)
            text = source.lines[line - 1][max(column - 1, 0) :].strip() if source else ""
            yield f"  {place:<8}{message:<14}  {text}".rstrip()
    yield ""


# --- for programs ------------------------------------------------------------------------------------


def to_json(coverage: SceneCoverage) -> str:
    """Return the coverage as JSON; lines and columns count from 1."""
    parts = ("things", "lines", "branches")
    data = {
        "percent": round(coverage.percent, 2),
        **{name: _count_to_data(getattr(coverage, name)) for name in parts},
        "files": [{"file": file.file, **_file_to_data(file)} for file in coverage.files],
    }
    return json.dumps(data, indent=2) + "\n"


def _count_to_data(count: CoverageCount) -> dict[str, float]:
    """Return covered, total and percent (2 decimals) as data."""
    return {"covered": count.covered, "of": count.total, "percent": round(count.percent, 2)}


def _file_to_data(file: FileCoverage) -> dict[str, Any]:
    """Return a file's counts of things, lines and branches as data, each with its unplayed items as `never`."""
    things, lines, branches = map(_count_to_data, count_file(file))
    return {
        "things": things
        | {"never": [{"name": name, "line": file.starts[name]} for name, played in file.things.items() if not played]},
        "lines": lines | {"never": sorted(line for line, played in file.lines.items() if not played)},
        "branches": branches
        | {
            "never": [
                {"line": line, "column": column, "way": OUTCOMES[way]}
                for (line, column, way), played in sorted(file.branches.items())
                if not played
            ]
        },
    }
