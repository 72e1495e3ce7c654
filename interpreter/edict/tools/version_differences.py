"""Differences of modules under two engines, or over two versions of what they require."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from edict.agents.study.inference import Estimate, estimate_mean
from edict.support.morphology import count_noun, join_words
from edict.support.records import dataclass

Data = Mapping[str, Any]
Place = tuple[str, str]  # file in the module, and name of a scene or text of a finding
PASSED = "passed"
# a difference in words, of one and of several
_KINDS = {
    "finding": ("finding", "only", "only"),
    "scene": ("scene", "fails", "fail"),
    "games": ("study", "cannot be played", ""),
}
_UNCOMPARED = {"rules", "modules"}  # columns of games that differ between equal games
MEASURES = {"winning_score": "winning score", "choices": "choices"}


@dataclass(frozen=True, slots=True)
class ModuleOutcome:
    """The findings, scenes and games of a module on one side."""

    findings: Mapping[Place, Data]
    scenes: Mapping[Place, Data]
    games: Sequence[Data] | str  # a row for each, or why there are none

    @staticmethod
    def from_documents(name: str, check: Data, test: Data, games: Sequence[Data] | str) -> ModuleOutcome:
        """Read the outcome of a module from the document of a check and its part of the document of scenes."""
        findings = (finding for finding in check["diagnostics"] if name in finding["in"])
        scenes = {(scene["file"], scene["name"]): scene for scene in test["scenes"]}
        return ModuleOutcome({(_file_of(f), f"{f['code']} {f['title']}"): f for f in findings}, scenes, games)


def _file_of(finding: Data) -> str:
    return str(finding["place"]["file"]) if finding["place"] else ""


@dataclass(frozen=True, slots=True)
class Difference:
    """A finding or a scene that differs, or a fault of games."""

    kind: str  # finding | scene | games
    side: str  # `now` or `against`: the side on which it is found or fails
    text: str
    detail: str = ""
    error: bool = True
    file: str = ""  # begins with the folder of the module
    line: int = 0


@dataclass(frozen=True, slots=True)
class PairedMeasure:
    """The mean of a number in games with the same seeds on both sides, and the difference with its interval."""

    name: str
    now: float
    against: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class PairedGames:
    """Games with the same seeds on both sides."""

    games: int
    differing: int
    measures: tuple[PairedMeasure, ...] = ()  # of games that differ


@dataclass(frozen=True, slots=True)
class ModuleComparison:
    """A module under both sides."""

    name: str
    path: str
    differences: tuple[Difference, ...]
    paired: PairedGames | None  # None if no games were played on both sides

    @property
    def is_same(self) -> bool:
        """Return True if nothing differs."""
        return not self.differences and not (self.paired and self.paired.differing)

    def describe(self, labels: Mapping[str, str]) -> str:
        """Return the differences as a phrase, such as `1 scene fails under 1.4`."""
        parts = []
        for kind, words in _KINDS.items():
            for side, label in labels.items():
                count = sum((one.kind, one.side) == (kind, side) for one in self.differences)
                if count:
                    noun, one, several = words
                    parts.append(f"{count_noun(count, noun)} {one if count == 1 else several} under {label}")
        if self.paired and self.paired.differing:
            parts.append(f"{self.paired.differing} of {self.paired.games} games with the same seeds go differently")
        return join_words(parts)

    def to_data(self, labels: Mapping[str, str]) -> dict[str, Any]:
        """Return the comparison as data for programs."""
        return {**asdict(self), "same": self.is_same, "said": self.describe(labels)}


def compare_outcomes(name: str, path: str, now: ModuleOutcome, against: ModuleOutcome) -> ModuleComparison:
    """Compare what both sides say of a module."""
    sides = {"now": (now, against), "against": (against, now)}
    differences = [one for side, pair in sides.items() for one in _iter_differences(side, *pair)]
    return ModuleComparison(name, path, tuple(differences), _pair_games(now.games, against.games))


def _iter_differences(side: str, one: ModuleOutcome, other: ModuleOutcome) -> Iterator[Difference]:
    """Yield the findings and failed scenes of one side that the other has not."""
    for place, finding in one.findings.items():
        if place not in other.findings:
            start = finding["place"]["start"]["line"] if finding["place"] else 0
            is_error = finding["severity"] == "error"
            yield Difference("finding", side, place[1], finding["help"], is_error, place[0], start)
    for place, scene in one.scenes.items():
        if scene["outcome"] != PASSED and (place not in other.scenes or other.scenes[place]["outcome"] == PASSED):
            yield Difference("scene", side, scene["name"], _describe_failure(scene), True, place[0], scene["line"])
    if isinstance(one.games, str) and not isinstance(other.games, str):
        yield Difference("games", side, "games cannot be played", one.games)


def _describe_failure(scene: Data) -> str:
    """Return the first thing that is not as a scene expects."""
    for part in scene["differences"]:
        return f"{part['what']}: expected {part['expected']}, found {part['found']}"
    return next((str(part["title"]) for part in scene["diagnostics"]), "")


def _pair_games(now: Sequence[Data] | str, against: Sequence[Data] | str) -> PairedGames | None:
    """Compare games pair by pair; return None if none were played on both sides."""
    if isinstance(now, str) or isinstance(against, str) or not now:
        return None
    columns = now[0].keys() & against[0].keys() - _UNCOMPARED
    pairs = list(zip(now, against, strict=True))
    differing = sum(any(one[column] != other[column] for column in columns) for one, other in pairs)
    sound = [pair for pair in pairs if not pair[0]["fault"] and not pair[1]["fault"]]
    measures = tuple(_measure(column, sound) for column in MEASURES) if differing and len(sound) > 1 else ()
    return PairedGames(len(pairs), differing, measures)


def _measure(column: str, pairs: Sequence[tuple[Data, Data]]) -> PairedMeasure:
    """Return the means of a column and the 95 % interval of their difference."""
    values = [(float(one[column]), float(other[column])) for one, other in pairs]
    changes = [one - other for one, other in values]
    change: Estimate = estimate_mean(sum(changes), sum(value * value for value in changes), len(changes))
    here, there = (sum(side) / len(values) for side in zip(*values, strict=True))
    return PairedMeasure(MEASURES[column], here, there, change.low, change.high)
