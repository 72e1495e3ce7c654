"""What lowering has gathered of reasons so far."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from edict.sources.folders import Module
from edict.program.reasons import Check, Demand, Measure, Reasons
from edict.text import Source, Span


@dataclass
class Collected:
    """What has been written so far; `queries` by what they ask."""

    sources: Mapping[str, Source] = field(default_factory=dict)
    homes: Mapping[str, str] = field(default_factory=dict)
    checks: list[Check] = field(default_factory=list)
    demands: list[Demand] = field(default_factory=list)
    measures: list[Measure] = field(default_factory=list)
    when: dict[int, str] = field(default_factory=dict)
    parts: dict[int, str] = field(default_factory=dict)
    totals: dict[str, tuple[int, ...]] = field(default_factory=dict)
    queries: dict[object, int] = field(default_factory=dict)
    causes: dict[tuple[str, str, Span], int] = field(default_factory=dict)

    def finished(self, files: set[str]) -> Reasons:
        homes = tuple((file, module) for file, module in self.homes.items() if file in files)
        lists = tuple(self.checks), tuple(self.demands), tuple(self.measures)
        named = tuple(self.when.items()), tuple(self.parts.items()), tuple(self.totals.items())
        return Reasons(*lists, *named, homes)


def collecting(modules: tuple[Module, ...]) -> Collected:
    """For these modules, in whose texts the conditions are written; files of the game itself have no module."""
    homes = {s.name: m.manifest.name for m in modules if m.manifest.kind != "game" for s in m.sources}
    return Collected({s.name: s for m in modules for s in m.sources}, homes)
