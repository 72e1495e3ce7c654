"""The coverage report: a table, the places no scene has reached with their text, and the same as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from edict.rendering import plain
from edict.scenes.coverage import Count, Coverage, FileCoverage, counted
from edict.text import Source

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
